# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a run: keyword arguments to a bxt_run_def."""
import ctypes
import difflib

from ._library import FLAG, INT, LONG, REAL, TEXT, TEXTS, RunDef, lib, members, strings, text
from .errors import Diagnostics

# what a user chooses: (type, unit) by name
SETTINGS = {
    text(member.name): (member.type, text(member.unit)) for member in members("bxt_run_def") if member.setting
}


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
    refuse_unknown(settings, SETTINGS, "setting")
    given = {name: value for name, value in settings.items() if value is not None}
    made = RunDef.make()
    lib.bxt_default_run_def(made)
    made.size = ctypes.sizeof(RunDef)
    for name, value in given.items():
        kind, unit = SETTINGS[name]
        if unit:
            value = read_quantity(library, name, value, unit)
        if kind == TEXTS:
            array, n = strings([value] if isinstance(value, str) else value)
            setattr(made, name, array)
            setattr(made, "n_" + name, n)
        elif name == "record":
            made.record = (value if isinstance(value, str) else ", ".join(value)).encode()
        elif kind == TEXT:
            setattr(made, name, str(value).encode())
        else:
            setattr(made, name, {REAL: float, LONG: int, INT: int, FLAG: bool}[kind](value))
    return made
