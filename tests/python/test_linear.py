# SPDX-License-Identifier: GPL-3.0-or-later
"""Linearised models, against closed forms."""
import unittest

import numpy as np
from common import NETLISTS, RLC, C, L, R
from test_matrix import dense

import boxtimes as bx


class Linear(unittest.TestCase):
    def test_response(self):
        """A series circuit: 1/(1 + s R C + s^2 L C)."""
        linear = bx.Model(RLC).linear("V1.e", ["C1.q", "L1.i"])
        self.assertEqual((linear.inputs, linear.outputs), (["V1.e"], ["C1.q", "L1.i"]))
        self.assertEqual((linear.units["V1.e"], linear.units["C1.q"]), ("V", "C"))
        frequencies = np.array([0.01, 0.1, 3, 1e3, 1e6])
        s = 2j * np.pi * frequencies
        charge = C / (1 + s * R * C + s**2 * L * C)
        found = linear.response(frequencies)
        self.assertEqual(found.shape, (5, 2, 1))
        np.testing.assert_allclose(found[:, 0, 0], charge, rtol=1e-12)
        np.testing.assert_allclose(found[:, 1, 0], s * charge, rtol=1e-12)
        self.assertEqual(linear.response(1).shape, (1, 2, 1))

    def test_matrices(self):
        """The response is that of the matrices."""
        linear = bx.Model(RLC).linear("V1.e", "C1.q, L1.i")
        e, a, b, c, d = (dense(getattr(linear, name)) for name in "EABCD")
        self.assertEqual(e.shape, (len(linear.states), len(linear.equations)))
        s = 2j * np.pi * 0.7
        expected = c @ np.linalg.solve(s * e - a, b) + d
        np.testing.assert_allclose(linear.response(0.7)[0], expected, rtol=1e-12)

    def test_state_space(self):
        linear = bx.Model(RLC).linear("V1.e", ["node(b).v"])
        s = linear.state_space()
        self.assertEqual(sorted(s.names), ["C1.q", "L1.i"])
        self.assertEqual(s.D.shape, (1, 1))
        for frequency in (10.0, 1e4):
            at = 2j * np.pi * frequency * np.eye(2) - s.A
            value = (s.C @ np.linalg.solve(at, s.B) + s.D)[0, 0]
            self.assertAlmostEqual(value, linear.response(frequency)[0, 0, 0], 12)

    def test_modes_next_to_a_frequency(self):
        chain = bx.Model(NETLISTS / "spring-chain.xml").linear()
        (only,) = chain.modes(count=1, near=1.2 / (2 * np.pi))
        self.assertAlmostEqual(only.s.imag, 2 * np.sin(3 * np.pi / 14), 12)
        self.assertEqual(len(chain.modes()), 3)

    def test_modes(self):
        modes = bx.Model(RLC).linear().modes()
        roots = np.roots([L * C, R * C, 1])
        for root in roots[roots.imag >= 0]:
            nearest = min(modes, key=lambda mode: abs(mode.s - root))
            self.assertLess(abs(nearest.s - root), 1e-12 * abs(root))
            self.assertIn(nearest.part, ("L1", "C1"))
        chain = bx.Model(NETLISTS / "spring-chain.xml").linear().modes()
        np.testing.assert_allclose([mode.s.imag for mode in chain], 2 * np.sin(np.array([1, 3, 5]) * np.pi / 14))
        self.assertTrue(all(mode.damping == 0 and 0 < mode.share <= 1 for mode in chain))

    def test_refusals(self):
        with self.assertRaisesRegex(bx.ModelError, "did you mean 'V1.e'"):
            bx.Model(RLC).linear("V1.f")
        with self.assertRaisesRegex(bx.ModelError, "is sampled"):
            bx.Model(NETLISTS / "level-control.xml").linear()
        with self.assertRaisesRegex(TypeError, "no setting"):
            bx.Model(RLC).linear(begin=3)
