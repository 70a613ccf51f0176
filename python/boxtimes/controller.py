# SPDX-License-Identifier: GPL-3.0-or-later
"""Python functions as controllers of a simulation."""
import ctypes

import numpy as np

from . import settings
from ._library import CONTROLLER, Column, ControllerDef, RunDef, lib
from .errors import Diagnostics
from .watch import Calls


def listed(names):
    """Names as the library lists them."""
    return names if isinstance(names, str) else ", ".join(names)


def count_signals(system, reads):
    """How many signals a list names: "L1.*" are several."""
    run_def, columns, n = RunDef.make(), ctypes.POINTER(Column)(), ctypes.c_size_t()
    lib.bxt_default_run_def(run_def)
    run_def.size, run_def.record = ctypes.sizeof(RunDef), reads
    with Diagnostics() as d:
        d.check(lib.bxt_signal_columns(system.value, run_def, d.pointer, columns, n))
    lib.bxt_release(columns)
    return n.value


def make_step(function, n_read, n_written, memory):
    """The function as the library calls it."""

    def step(remembered, t, read, write):
        given = np.ctypeslib.as_array(read, (n_read,)).copy() if n_read else np.empty(0)
        if memory is None:
            values = function(t, given)
        else:
            kept = np.empty_like(memory)
            ctypes.memmove(kept.ctypes.data, remembered, kept.nbytes)
            values = function(t, given, kept)
            ctypes.memmove(remembered, kept.ctypes.data, kept.nbytes)
        if values is not None:
            values = np.broadcast_to(np.asarray(values, dtype=float), (n_written,))
            for k in range(n_written):
                write[k] = values[k]

    def call(_, remembered, t, read, write, error, error_size):
        good = Calls.call("controller", lambda: step(remembered, t, read, write))[1]
        if not good:
            said = b"the function raised an exception, or Ctrl-C came"[: error_size - 1] + b"\0"
            ctypes.memmove(error, said, len(said))
        return 0 if good else 1

    return CONTROLLER(call)


def make_controller(model, function, reads, writes, period, delay, memory):
    """A bxt_controller_def, which keeps the function alive."""
    made = ControllerDef.make()
    lib.bxt_default_controller_def(made)
    made.size = ctypes.sizeof(ControllerDef)
    reads, writes = listed(reads).encode(), listed(writes).encode()
    made.reads, made.writes = reads or None, writes or None
    made.period = settings.read_quantity(model._library, "period", period, "s")
    made.delay = settings.read_quantity(model._library, "delay", delay, "s")
    if memory is not None:
        memory = np.ascontiguousarray(memory)
        if memory.dtype.hasobject:
            raise TypeError("memory is an array of numbers")
        made.remembered, made.remembered_size = memory.ctypes.data, memory.nbytes
    n_read = count_signals(model._system, reads) if reads else 0
    n_written = len(writes.replace(b",", b" ").split())
    made.step = make_step(function, n_read, n_written, memory)
    made.kept = memory
    return made
