# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model is made of."""
import gc
import math
import unittest

import numpy as np
from common import DRIVEN, NETLISTS, RLC, needs

import boxtimes as bx


class Parts(unittest.TestCase):
    def test_elements(self):
        m = bx.Model(RLC)
        self.assertEqual(m.elements.paths, ["V1", "R1", "L1", "C1"])
        r = m.elements["R1"]
        self.assertEqual((r.path, r.kind, r.ports), ("R1", "resistor", {"p": "in", "n": "a"}))
        self.assertEqual(m.elements["C1"].ports, {"p": "b", "n": None})
        self.assertTrue(r.file.endswith("rlc-series.xml"))
        self.assertIn("<resistor", RLC.read_text().split("\n")[r.line - 1])
        self.assertEqual([part.path for part in m.elements], m.elements.paths)
        self.assertEqual([part.path for part in m.elements[1:3]], ["R1", "L1"])
        self.assertEqual(m.elements[-1].path, "C1")
        with self.assertRaises(IndexError):
            m.elements[4]
        with self.assertRaisesRegex(KeyError, "R1"):
            m.elements["R11"]
        self.assertIn("resistor", repr(m.elements))

    def test_values(self):
        m = bx.Model.from_string(DRIVEN)
        r = m.parameters["R1.R"]
        self.assertEqual((r.value, r.parent), (1000, "R1"))
        self.assertTrue(m.parameters["C1.C"].positive)
        self.assertEqual(m.parameters["C1.C"].value, 2e-6)
        self.assertTrue(math.isnan(m.parameters["V1.e"].value))
        u = m.inputs[0]
        self.assertEqual((u.path, u.unit, u.value), ("u", "V", 1))
        self.assertEqual(len(bx.Model(RLC).inputs), 0)
        self.assertEqual(sorted(m.nodes.paths), ["a", "b", "in"])

    def test_all_signals_are_recorded(self):
        for path in (RLC, NETLISTS / "rlc-torn.xml", NETLISTS / "double-pendulum-angles.xml"):
            m = bx.Model(path)
            self.assertGreater(len(m.signals), 5)
            s = m.simulation(record=m.signals.paths)
            self.assertEqual(s.names, m.signals.paths)
            self.assertEqual([part.unit for part in m.signals], [s.units[name] for name in s.names])

    def test_torn(self):
        m = bx.Model(NETLISTS / "rlc-torn.xml")
        self.assertGreaterEqual(len(m.subsystems), 2)
        self.assertGreaterEqual(len(m.connections), 1)
        self.assertGreaterEqual(len(m.ports), 2)
        parents = {part.parent for part in m.elements}
        self.assertLessEqual(parents, {*m.subsystems.paths, None})
        for element in m.elements:
            for node in element.ports.values():
                self.assertTrue(node is None or node in m.nodes)
        self.assertEqual(len(m.coordinates) + len(m.rows), m.run(end=1e-9, step=1e-10).summary["unknowns"])

    @needs("pandas")
    def test_frame(self):
        frame = bx.Model(RLC).parameters.df
        self.assertEqual(frame.loc["R1.R", "value"], 1000)
        self.assertEqual(len(bx.Model(RLC).inputs.df), 0)

    def test_lifetime(self):
        """Objects that refer to each other are freed in any order."""
        for _ in range(20):
            m = bx.Model(RLC)
            s = m.simulation()
            m.itself, s.itself = [m, s, m.elements, s.inputs], s
            del m, s
        gc.collect()
        elements = bx.Model(RLC).elements
        gc.collect()
        self.assertEqual(elements["L1"].kind, "inductor")
        self.assertEqual(np.sign(bx.Model(RLC).run(end="1 ms")["C1.q"][-1]), 1)


if __name__ == "__main__":
    unittest.main()
