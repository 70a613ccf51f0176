# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors and matrices of a simulation, against equations by hand."""
import subprocess
import sys
import unittest

import numpy as np
from common import NETLISTS, RLC, STEP, C, L, R, needs, rlc_midpoint

import boxtimes as bx

PENDULUM = NETLISTS / "pendulum-cartesian.xml"


def dense(matrix):
    """An array of a scipy matrix or of (data, indices, indptr, shape)."""
    if hasattr(matrix, "toarray"):
        return matrix.toarray()
    data, indices, indptr, shape = matrix
    full = np.zeros(shape)
    for j in range(shape[1]):
        full[indices[indptr[j] : indptr[j + 1]], j] = data[indptr[j] : indptr[j + 1]]
    return full


class Matrices(unittest.TestCase):
    def test_circuit(self):
        """Charges of V1, R1, L1, C1: L q\" + R q' + q/C, and Kirchhoff's law of currents at three nodes."""
        m = bx.Model(RLC)
        self.assertEqual(m.coordinates.paths, ["V1.q", "R1.q", "L1.q", "C1.q"])
        found = {name: dense(matrix) for name, matrix in m.matrices().items()}
        self.assertEqual(list(found), ["mass", "constraints", "stiffness", "damping"])
        np.testing.assert_array_equal(found["mass"], np.diag([0, 0, L, 0]))
        np.testing.assert_array_equal(found["damping"], np.diag([0, R, 0, 0]))
        np.testing.assert_allclose(found["stiffness"], np.diag([0, 0, 0, 1 / C]), rtol=1e-15)
        # all currents are the same, V1's from p to n
        self.assertEqual(found["constraints"].shape, (3, 4))
        np.testing.assert_array_equal(found["constraints"] @ [-1, 1, 1, 1], 0)
        self.assertEqual(np.linalg.matrix_rank(found["constraints"]), 3)
        s = m.simulation()
        step = dense(s.matrix("step"))
        self.assertGreaterEqual(len(step), 7)
        self.assertEqual(step.shape, (len(step), len(step)))
        self.assertEqual(np.linalg.matrix_rank(step / abs(step).max(axis=0)), len(step))
        with self.assertRaisesRegex(KeyError, "no matrix 'masses'"):
            s.matrix("masses")

    @needs("scipy")
    def test_scipy(self):
        matrix = bx.Model(RLC).matrices()["mass"]
        self.assertEqual((matrix.nnz, matrix[2, 2], matrix.format), (1, L, "csc"))

    def test_without_scipy(self):
        code = (
            "import sys; sys.modules['scipy'] = None; import boxtimes as bx;"
            "data, indices, indptr, shape = bx.Model(sys.argv[1]).matrices()['mass'];"
            "print(data.tolist(), indices.tolist(), indptr.tolist(), shape)"
        )
        run = subprocess.run([sys.executable, "-c", code, str(RLC)], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(run.stdout, f"[{L}] [2] [0, 0, 0, 1, 1] (4, 4)\n")

    def test_copied(self):
        """A matrix stays as it was when the simulation goes on."""
        s = bx.Model(PENDULUM).simulation()
        first = s.matrix("constraints")
        before = dense(first).copy()
        s.step(50)
        self.assertGreater(abs(dense(s.matrix("constraints")) - before).max(), 0.01)
        np.testing.assert_array_equal(dense(first), before)


class Vectors(unittest.TestCase):
    def test_circuit(self):
        s = bx.Model(RLC).simulation(record="C1.q, L1.i, node(b).v")
        s.step(100)
        q, p, v, multipliers = s.vectors
        self.assertEqual(q[3], s["C1.q"])
        np.testing.assert_allclose(v, np.array([-1, 1, 1, 1]) * s["L1.i"], rtol=1e-12)
        np.testing.assert_allclose(p, dense(s.matrix("mass")) @ v, rtol=1e-12)
        self.assertEqual(len(multipliers), 3)
        np.testing.assert_allclose(abs(multipliers[2]), abs(s["node(b).v"]), rtol=1e-9)

    def test_set(self):
        """From charge and flux that are set the circuit goes on as numpy does."""
        s = bx.Model(RLC).simulation(record="C1.q, L1.i")
        q, p, v, _ = s.vectors
        q[3], p[2] = 1e-6, L * 2e-3
        s.set_vectors(q, p)
        np.testing.assert_allclose(s.read(), [1e-6, 2e-3], rtol=1e-12)
        s.step(40)
        x = rlc_midpoint(40, lambda t, k: np.sin(2 * np.pi * 800 * t), x=(1e-6, 2e-3))[:, -1]
        np.testing.assert_allclose(s.read(), x, rtol=1e-9)
        self.assertAlmostEqual(s.time, 40 * STEP)
        with self.assertRaisesRegex(ValueError, "for 4 coordinates"):
            s.set_vectors([1, 2])

    def test_constraints(self):
        """The constraints hold for what is read: A v = 0."""
        s = bx.Model(PENDULUM).simulation()
        s.step(30)
        v = s.vectors.v
        self.assertGreater(abs(v).max(), 0)
        np.testing.assert_allclose(dense(s.matrix("constraints")) @ v, 0, atol=1e-9 * abs(v).max())


if __name__ == "__main__":
    unittest.main()
