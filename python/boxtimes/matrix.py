# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors and sparse matrices of a simulation."""
from typing import NamedTuple

import numpy as np

from ._library import Csc, lib, pointer

# in the order of bxt_system_matrix
MATRICES = ("mass", "constraints", "stiffness", "damping", "step")


class Vectors(NamedTuple):
    """At a grid point: by m.coordinates, the multipliers by m.rows."""

    q: np.ndarray  # coordinates
    p: np.ndarray  # momenta
    v: np.ndarray  # flows
    multipliers: np.ndarray


def read_vectors(simulation, n, m):
    vectors = Vectors(np.empty(n), np.empty(n), np.empty(n), np.empty(m))
    simulation._call(lib.bxt_simulation_get_vectors, *map(pointer, vectors))
    return vectors


def write_vectors(simulation, n, given):
    """Coordinates and momenta; None: as they are."""
    arrays = [None if values is None else np.ascontiguousarray(values, dtype=float) for values in given]
    for values in arrays:
        if values is not None and values.shape != (n,):
            raise ValueError(f"values of shape {values.shape} for {n} coordinates")
    at = [None if values is None else pointer(values) for values in arrays]
    simulation._call(lib.bxt_simulation_set_vectors, *at, simulation._found)


def copied(at, n, kind):
    """n values of the library as an array of our own."""
    return np.ctypeslib.as_array(at, (n,)).copy() if n else np.empty(0, dtype=kind)


def read_matrix(simulation, which):
    """A scipy.sparse.csc_matrix; without scipy (data, indices, indptr, shape)."""
    if which not in MATRICES:
        raise KeyError(f"no matrix '{which}': there are {', '.join(MATRICES)}")
    view = Csc.make()
    simulation._call(lib.bxt_simulation_matrix, MATRICES.index(which), view)
    return as_scipy(view)


def as_scipy(view):
    """A scipy.sparse.csc_matrix of a Csc; without scipy (data, indices, indptr, shape)."""
    shape = view.n_rows, view.n_columns
    indptr = copied(view.colptr, shape[1] + 1, np.intc)
    n = int(indptr[-1])
    parts = copied(view.values, n, float), copied(view.rowind, n, np.intc), indptr
    try:
        from scipy.sparse import csc_matrix
    except ImportError:
        return (*parts, shape)
    return csc_matrix(parts, shape=shape)
