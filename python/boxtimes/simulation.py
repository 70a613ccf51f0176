# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation that is stepped from outside."""
import ctypes
import json
import time

import numpy as np

from . import settings
from ._library import OBSERVER, Handle, Summary, lib, pointer, text, text_of
from .controller import make_controller
from .errors import Diagnostics
from .matrix import MATRICES, read_matrix, read_vectors, write_vectors
from .result import Result, find_name
from .state import State, load_state
from .values import Inputs, Parameters
from .watch import Calls

# A call of the library lasts about so long [s], then Ctrl-C is looked for.
SLICE = 0.05
KEEP_GRID = 1


class Simulation:
    """A simulation of a model, at its consistent start: `s = m.simulation(step="1 ms", record=["C1.q"])`.

    `s.step(10)` makes steps, `s["C1.q"]` reads a signal, `s.inputs["u"] = 3` and `s.parameters["R1.R"] = "2 kohm"` set
    values, `s.save()` and `s.restore(state)` go back. One thread at a time may use a simulation.
    """

    def __init__(self, model, run_def, handle=None):
        # what the library may still read
        self._model, self._run_def = model, run_def
        self._d = Diagnostics().__enter__()
        self._found = ctypes.c_void_p(self._d.pointer)
        self._calls = Calls()
        self._alone = True  # the library calls nothing back
        if handle is None:
            made = ctypes.c_void_p()
            self._check(lib.bxt_simulation_new(model._system.value, run_def, self._d.pointer, made))
            handle = Handle(made.value, lib.bxt_simulation_free, model._system)
        self._handle = handle
        self._pointer = ctypes.c_void_p(handle.value)
        # for steps one by one, where each look-up counts
        self._make_steps, self._read = lib.bxt_simulation_step, lib.bxt_simulation_read
        self._chunk = 1
        self._step = None
        n = lib.bxt_simulation_signals(self._pointer)
        columns = [lib.bxt_simulation_signal(self._pointer, i).contents for i in range(n)]
        self.names = [text(column.name) for column in columns]
        self.units = {text(column.name): text(column.unit) for column in columns}
        self._signals = {name: i for i, name in reversed(list(enumerate(self.names)))}
        self._values = np.empty(n)
        self._at = pointer(self._values)
        self.inputs = Inputs(self)
        self.parameters = Parameters(self)
        self._tell()

    def __del__(self):
        if getattr(self, "_d", None):
            self._d.__exit__()

    def __repr__(self):
        return f"<boxtimes.Simulation of {self._model!r} at {self.time:g} s>"

    # ---- Findings ----

    def _refuse_inside(self):
        """What a function may not do that the library calls."""
        if self._calls.inside:
            raise RuntimeError("a function may not do this with the simulation that calls it")

    def _call(self, function, *arguments):
        self._refuse_inside()
        self._check(function(self._pointer, *arguments))

    def _check(self, status):
        if status:
            self._raise(status)

    def _raise(self, status):
        failed = self._renew()
        try:
            failed.check(status)
        finally:
            failed.__exit__()

    def _renew(self):
        """The findings so far; further ones go to a new list."""
        found, self._d = self._d, Diagnostics().__enter__()
        self._found.value = self._d.pointer
        return found

    def _tell(self):
        """Warns of what was found since the last time."""
        if lib.bxt_diagnostics_count(self._d.pointer, 1):
            told = self._renew()
            try:
                told.warn()
            finally:
                told.__exit__()

    # ---- Time ----

    @property
    def time(self):
        """The time [s]."""
        return lib.bxt_simulation_time(self._pointer)

    @property
    def steps(self):
        """Steps made since the start."""
        return lib.bxt_simulation_steps(self._pointer)

    def step(self, n=1):
        """Makes n steps, beyond the end of the netlist where asked. Ctrl-C ends it between two steps."""
        if n == 1 and self._alone:
            status = self._make_steps(self._pointer, 1, None, self._found)
            if status:
                self._raise(status)
            return
        while n > 0:
            now = min(n, self._chunk)
            begin = time.perf_counter()
            self._in_library(lib.bxt_simulation_step, now, None)
            seconds = time.perf_counter() - begin
            n -= now
            if now == self._chunk and seconds < SLICE / 2:
                self._chunk *= 2
            elif seconds > 2 * SLICE and self._chunk > 1:
                self._chunk //= 2
        self._tell()

    def _in_library(self, function, *arguments):
        """A call that steps, and may call Python back."""
        if self._alone:
            self._call(function, *arguments, self._found)
            return
        self._refuse_inside()
        with self._calls:
            status = function(self._pointer, *arguments, self._found)
        self._check(status)

    def step_to(self, t, keep_grid=False):
        """Steps to the time t, a number [s] or text with a unit; the last step is cut where t is no grid point.

        The grid begins anew there; with keep_grid the next step leads to the next point of the old one.
        """
        t = settings.read_quantity(self._model._library, "t", t, "s")
        if self._step is None:
            self._step = abs(self.summary["step"])
        # whole steps in slices, so that Ctrl-C is seen; the last ones by the library, which knows the grid
        while t - self.time > 2 * (self._chunk + 1) * self._step:
            self.step(2 * self._chunk)
        self._in_library(lib.bxt_simulation_step_to, t, KEEP_GRID if keep_grid else 0)
        self._tell()

    def reset(self):
        """Back to the consistent start, with inputs and parameters as they are now."""
        self._call(lib.bxt_simulation_reset, self._found)
        self._tell()

    def observe(self, after):
        """Calls after(t) after each step; when it returns False, the call of step ends with Interrupted. None: no
        more. The function may read signals and set inputs."""

        def call(_, t):
            result, good = Calls.call("observer", lambda: after(t))
            return good and result is not False

        observer = OBSERVER(call) if after is not None else OBSERVER()
        self._call(lib.bxt_simulation_observe, observer, None)
        self._calls.observer = observer if after is not None else None
        self._alone = not self._calls

    # ---- Signals ----

    def read(self):
        """All signals now, in the order of `names`, a new array."""
        self._refuse_controller()
        self._check(self._read(self._pointer, self._at))
        return self._values.copy()

    def _refuse_controller(self):
        if self._calls.inside == "controller":
            raise RuntimeError("a controller reads the signals of its `reads`")

    def __getitem__(self, name):
        i = self._signals.get(name)
        if i is None:
            i = find_name(self._signals, name)
        if not self._alone:
            self._refuse_controller()
        status = self._read(self._pointer, self._at)
        if status:
            self._raise(status)
        return self._values.item(i)

    def values(self):
        """{name: value} of all signals now."""
        return dict(zip(self.names, self.read().tolist()))

    def collect(self, n, every=1):
        """Makes n steps; a Result of the signals now and after each `every` steps."""
        count = n // every + 1
        times, values = np.empty(count), np.empty((len(self.names), count))
        for k in range(count):
            if k > 0:
                self.step(every)
            times[k] = self.time
            values[:, k] = self.read()
        self.step(n - every * (count - 1))
        units = [self.units[name] for name in self.names]
        return Result((self.names, units, times, values), self.summary, [], self._model.name)

    @property
    def summary(self):
        """The account so far, as of a run."""
        made = Summary.make()
        self._call(lib.bxt_simulation_summary, made, self._found)
        try:
            written, wrong = text_of(lambda stream: lib.bxt_summary_write_json(made, stream))
        finally:
            lib.bxt_summary_free(made)
        return {} if wrong else json.loads(written)

    # ---- States ----

    def save(self, path=None):
        """The state now; with `path` it is also written to that file."""
        made = ctypes.c_void_p()
        self._call(lib.bxt_simulation_get_state, made)
        state = State(Handle(made.value, lib.bxt_state_free, self._model._system), self._model)
        if path is not None:
            state.save(path)
        return state

    def restore(self, state):
        """Goes on from a state: of save(), of a file by its path, or of bytes."""
        if not isinstance(state, State):
            state = load_state(self._model, state)
        self._call(lib.bxt_simulation_set_state, state._handle.value, self._found)
        self._tell()

    def copy(self):
        """A second simulation in the same state, with the same controllers."""
        made = ctypes.c_void_p()
        self._call(lib.bxt_simulation_copy, self._d.pointer, made)
        handle = Handle(made.value, lib.bxt_simulation_free, self._model._system)
        copied = Simulation(self._model, self._run_def, handle)
        copied._calls.controllers = list(self._calls.controllers)
        copied._alone = not copied._calls
        return copied

    # ---- Controllers ----

    def add_controller(self, function, reads=(), writes=(), *, period=0, delay=0, memory=None):
        """Calls function(t, read) at the grid points that are multiples of `period`, by default all of them.

        reads    names of signals, a list or text with commas; `read` is an array of their values
        writes   names of inputs: what the function returns, a number or an array; None leaves them as they are
        delay    until the outputs are in force, a multiple of the step
        memory   an array: what the function knows from one call to the next, at the start. It is then called with an
                 array that it may change, (t, read, memory), and which states save and restore.
        Periods are numbers [s] or text with a unit. An exception of the function ends the call of step with it.
        """
        made = make_controller(self._model, function, reads, writes, period, delay, memory)
        self._call(lib.bxt_simulation_add_controller, made, self._found)
        self._calls.controllers.append(made)
        self._alone = False
        self._tell()

    # ---- Vectors and matrices ----

    @property
    def vectors(self):
        """Coordinates, momenta, flows and multipliers now: `s.vectors.q`; see boxtimes.matrix.Vectors."""
        return read_vectors(self, len(self._model.coordinates), len(self._model.rows))

    def set_vectors(self, q=None, p=None):
        """Sets coordinates and momenta, None: as they are, and moves them onto the constraints. The account of energy
        begins anew."""
        write_vectors(self, len(self._model.coordinates), (q, p))
        self._tell()

    def matrix(self, which):
        """A matrix now, rows and columns as m.coordinates and m.rows: a scipy.sparse.csc_matrix, or without scipy
        (data, indices, indptr, shape).

        "mass"         dP/dv
        "constraints"  A, of A v = b
        "stiffness"    -d(F + K)/dq
        "damping"      dP/dq - dF/dv
        "step"         the Jacobian of the step, in its own unknowns; explicit schemes have none
        """
        return read_matrix(self, which)

    def matrices(self):
        """{name: matrix} of those of the equations."""
        return {name: self.matrix(name) for name in MATRICES if name != "step"}
