# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a run: keyword arguments to a bxt_run_def."""
import ctypes
import difflib

from ._library import RunDef, lib, strings
from .errors import Diagnostics

TIMES = ("step", "end", "max_step", "min_step")
TEXTS = (
    *("scheme", "rule", "constraint", "start", "projection", "solver", "theta", "gradient", "force_rule", "events"),
    *("absolute", "step_control", "density"),
)
LISTS = ("record_also", "plugins")
NUMBERS = ("every",)
FLAGS = ("allow_plugins", "plugins_in_process", "compile")
TOLERANCES = ("tolerance", "newton_tolerance")
NAMES = (*TIMES, *TOLERANCES, *TEXTS, *NUMBERS, "record", *LISTS, *FLAGS, "plugin_seconds")


def read_quantity(library, what, value, unit):
    """A number in SI units of a number, or of text with a unit."""
    if not isinstance(value, str):
        return float(value)
    read, texts = ctypes.c_double(), (what.encode(), value.encode(), unit.encode())
    with Diagnostics() as d:
        d.check(lib.bxt_library_read_quantity(library.value, *texts, d.pointer, read))
    return read.value


def refuse_unknown(names, known, what):
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"there is no {what} '{name}'" + (f" (did you mean '{near[0]}'?)" if near else ""))


def make_run_def(library, settings):
    """A bxt_run_def; `library` reads units."""
    refuse_unknown(settings, NAMES, "setting")
    given = {name: value for name, value in settings.items() if value is not None}
    made = RunDef.make()
    lib.bxt_default_run_def(made)
    made.size = ctypes.sizeof(RunDef)
    for name, value in given.items():
        if name in TIMES:
            setattr(made, name, read_quantity(library, name, value, "s"))
        elif name in TOLERANCES:
            setattr(made, name, float(value))
        elif name in TEXTS:
            setattr(made, name, str(value).encode())
        elif name in LISTS:
            array, n = strings([value] if isinstance(value, str) else value)
            setattr(made, name, array)
            setattr(made, "n_" + name, n)
        elif name in FLAGS:
            setattr(made, name, bool(value))
        elif name == "plugin_seconds":
            made.plugin_seconds = int(read_quantity(library, name, value, "s"))
        elif name == "record":
            made.record = (value if isinstance(value, str) else ", ".join(value)).encode()
        else:
            setattr(made, name, int(value))
    return made
