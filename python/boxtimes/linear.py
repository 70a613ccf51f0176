# SPDX-License-Identifier: GPL-3.0-or-later
"""Small signals: a model linearised at its start."""
import ctypes
from typing import NamedTuple

import numpy as np

from ._library import Csc, Handle, LinearDef, LinearMode, LinearModesDef, LinearStates, lib, pointer
from .errors import Diagnostics
from .matrix import as_scipy

MATRICES = ("E", "A", "B", "C", "D")  # in the order of bxt_linear_matrix
LISTS = ("states", "equations", "inputs", "outputs")  # in the order of bxt_linear_list


class Mode(NamedTuple):
    """A finite eigenvalue; of a pair of complex ones that with the positive imaginary part."""

    s: complex  # [1/s]
    error: float  # what round-off may change s by
    frequency: float  # [Hz]
    damping: float  # -Re s / |s|, NaN for s = 0
    part: str  # the element with most of the energy
    share: float  # its part of the energy
    residual: float  # of the eigenpair, NaN where all modes are found at once


class States(NamedTuple):
    """x' = A x + B u, y = C x + D u."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    names: list  # of the states
    error: float  # how far transfer functions differ from those of E, A, B, C, D


def _names(names):
    if names is None:
        return None
    return (names if isinstance(names, str) else ", ".join(names)).encode()


class Linear:
    """E z' = A z + B u, y = C z + D u: E, A, B, C, D are scipy.sparse.csc_matrix; states, equations, inputs and outputs
    are names, units[name] their units. Without scipy a matrix is (data, indices, indptr, shape)."""

    def __init__(self, model, run_def, inputs, outputs):
        made, at = LinearDef.make(), ctypes.c_void_p()
        lib.bxt_default_linear_def(made)
        made.size = ctypes.sizeof(LinearDef)
        # texts of the run belong to run_def, which lives as long as this call
        ctypes.memmove(ctypes.byref(made.run), ctypes.byref(run_def), ctypes.sizeof(type(run_def)))
        setattr(made, "from", _names(inputs))
        made.to = _names(outputs)
        with Diagnostics() as d:
            d.check(lib.bxt_linear_new(model._system.value, made, d.pointer, at))
            d.warn()
        self._linear = Handle(at.value, lib.bxt_linear_free, model._system)
        self.units = {}
        for index, name in enumerate(LISTS):
            setattr(self, name, self._list(index))
        for index, name in enumerate(MATRICES):
            view = Csc.make()
            with Diagnostics() as d:
                d.check(lib.bxt_linear_get(self._linear.value, index, view))
            setattr(self, name, as_scipy(view))

    def _list(self, index):
        columns = [
            lib.bxt_linear_name(self._linear.value, index, i).contents
            for i in range(lib.bxt_linear_count(self._linear.value, index))
        ]
        self.units.update((column.name.decode(), column.unit.decode()) for column in columns)
        return [column.name.decode() for column in columns]

    def response(self, frequencies):
        """Transfer functions at frequencies [Hz]: a complex array (frequencies, outputs, inputs)."""
        frequencies = np.atleast_1d(np.asarray(frequencies, dtype=float))
        values = np.empty((len(frequencies), len(self.outputs), len(self.inputs)), dtype=complex)
        for k, frequency in enumerate(frequencies):
            with Diagnostics() as d:
                at = values[k].view(float)
                d.check(lib.bxt_linear_response(self._linear.value, frequency, pointer(at), d.pointer))
        return values

    def modes(self, count=0, near=0.0):
        """Modes, by |s|: all, or `count` of them next to the frequency `near` [Hz]. Of models with more than 2,000
        states ten, if no count is given."""
        first, n = ctypes.POINTER(LinearMode)(), ctypes.c_size_t()
        made = LinearModesDef.make()
        lib.bxt_default_linear_modes_def(made)
        made.count, made.near = count, near
        with Diagnostics() as d:
            d.check(lib.bxt_linear_modes_near(self._linear.value, made, first, n, d.pointer))
            d.warn()
        found, at = [], ctypes.cast(first, ctypes.c_void_p).value
        for _ in range(n.value):
            mode = LinearMode.from_address(at)
            at += mode.size
            s = complex(mode.re, mode.im)
            found.append(
                Mode(s, mode.error, mode.frequency, mode.damping, mode.part.decode(), mode.share, mode.residual)
            )
        return found

    def state_space(self):
        """The same by states alone; scipy.signal.StateSpace(*linear.state_space()[:4]) takes it."""
        found = ctypes.POINTER(LinearStates)()
        with Diagnostics() as d:
            d.check(lib.bxt_linear_to_states(self._linear.value, found, d.pointer))
        s = found.contents
        shapes = (s.n, s.n), (s.n, s.inputs), (s.outputs, s.n), (s.outputs, s.inputs)
        matrices = [
            np.ctypeslib.as_array(data, (rows * columns,)).reshape((rows, columns), order="F").copy()
            if rows * columns
            else np.zeros((rows, columns))
            for data, (rows, columns) in zip((s.a, s.b, s.c, s.d), shapes)
        ]
        names = [s.state[k].name.decode() for k in range(s.n)]
        return States(*matrices, names, s.error)
