# SPDX-License-Identifier: GPL-3.0-or-later
"""Models: reading, changing, running, drawing; what is wrong is told."""
import ctypes
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np
from common import RLC, STEP, netlist, rlc_exact, rlc_midpoint

import boxtimes as bx
from boxtimes import _library

LONG = netlist(
    "<resistor id='R' p='a' n='0' R='1'/><capacitor id='C' p='a' n='0' C='1' q='1'/><record>C.q</record>",
    "<simulation end='1000 s' step='1 us'/>",
)


class Structures(unittest.TestCase):
    def test_sizes(self):
        """Structures have the size that the library says, those that it fills in a run too."""
        for default, structure in (
            (_library.lib.bxt_default_run_def, _library.RunDef),
            (_library.lib.bxt_default_draw_def, _library.DrawDef),
        ):
            made = structure.make()
            made.size = 0
            default(made)
            self.assertEqual(made.size, ctypes.sizeof(structure))
        with bx.errors.Diagnostics() as d:
            read = ctypes.c_void_p()
            _library.lib.bxt_netlist_read(b"nowhere.xml", d.pointer, read)
            finding = _library.lib.bxt_diagnostics_get(d.pointer, 0).contents
            self.assertEqual(finding.size, ctypes.sizeof(_library.Finding))

    def test_summary(self):
        """The library's summary and its parts are as large as declared, and its fields lie where they should."""
        kept = {}
        write = _library.lib.bxt_summary_write_json

        class Spy:
            def __getattr__(self, name):
                return getattr(_library.lib, name)

            def bxt_summary_write_json(self, summary, stream):
                kept.update(
                    size=summary.size,
                    total=summary.total.size,
                    trust=summary.trust.size,
                    steps=summary.steps,
                    step=summary.step,
                    order=summary.order,
                    columns=summary.n_columns,
                )
                return write(summary, stream)

        bx.model.lib, before = Spy(), bx.model.lib
        try:
            bx.Model(RLC).run()
        finally:
            bx.model.lib = before
        self.assertEqual(kept["size"], ctypes.sizeof(_library.Summary))
        self.assertEqual(kept["total"], ctypes.sizeof(_library.LedgerEntry))
        self.assertEqual(kept["trust"], ctypes.sizeof(_library.TrustFigures))
        self.assertEqual((kept["steps"], kept["step"], kept["order"], kept["columns"]), (960, STEP, 2, 6))

    def test_other_library(self):
        """A library that is none, or that lacks functions, is refused by its name."""
        for path, said in (("/nowhere/libx.so", "BOXTIMES_LIBRARY names it"), ("libm.so.6", "older than this module")):
            run = subprocess.run(
                [sys.executable, "-c", "import boxtimes"],
                env=dict(os.environ, BOXTIMES_LIBRARY=path),
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(run.returncode, 1)
            self.assertIn("ImportError", run.stderr)
            self.assertIn(said, run.stderr)
            self.assertIn(path, run.stderr)


class Running(unittest.TestCase):
    def test_midpoint(self):
        """Gauss's scheme with one stage is the implicit midpoint rule, which numpy does here."""
        r = bx.Model(RLC).run(record=["C1.q", "L1.i"])
        expected = rlc_midpoint(960, lambda t, _: np.sin(2 * np.pi * 800 * t))
        self.assertEqual(r.names, ["C1.q", "L1.i"])
        self.assertEqual(r.units, {"C1.q": "C", "L1.i": "A"})
        np.testing.assert_allclose(r.time, np.arange(961) * STEP, rtol=1e-14)
        for name, values in zip(r.names, expected):
            np.testing.assert_allclose(r[name], values, atol=1e-12 * abs(values).max())

    def test_exact(self):
        """Errors against the closed form fall as the order of the scheme says."""
        for scheme, order in (("gauss1", 2), ("gauss2", 4)):
            errors = []
            for step in (STEP, STEP / 2):
                r = bx.Model(RLC).run(step=step, end=5e-3, scheme=scheme, record="C1.q")
                exact = rlc_exact(r.time)[0]
                errors.append(abs(r["C1.q"] - exact).max() / abs(exact).max())
            self.assertLess(errors[0], 1e-3)
            self.assertAlmostEqual(np.log2(errors[0] / errors[1]), order, delta=0.1)

    def test_settings(self):
        m = bx.Model(RLC)
        r = m.run(step="1 us", end="0.1 ms", every=10, scheme="radau2", record="node(b).v")
        np.testing.assert_allclose(r.time, np.arange(11) * 1e-5)
        self.assertEqual(r.summary["scheme"], "radau2")
        self.assertEqual(r.summary["steps"], 100)
        self.assertEqual(m.run(record_also=["node(a).v", "no.such"], record=["C1.q"]).names, ["C1.q", "node(a).v"])
        with self.assertRaisesRegex(TypeError, "no setting 'schema' .did you mean 'scheme'"):
            m.run(schema="gauss1")
        with self.assertRaisesRegex(bx.ModelError, "'3 kg' has the wrong unit; expected 's'"):
            m.run(end="3 kg")
        with self.assertRaisesRegex(bx.ModelError, "scheme 'gaus1' is not one of"):
            m.run(scheme="gaus1")
        with self.assertRaisesRegex(bx.ModelError, "no signal|did you mean"):
            m.run(record="C1.qq")

    def test_changes(self):
        """By keyword and by mapping; numbers, text with units, the settings."""
        expected = rlc_midpoint(96, lambda t, _: np.sin(2 * np.pi * 800 * t), r=2e3)[0]
        for changes in ({"R1.R": "2 kohm"}, {"R1.R": 2000}, {"R1.R": np.float64(2e3)}):
            m = bx.Model(RLC, {"simulation.end": "2 ms"}, **changes)
            np.testing.assert_allclose(m.run()["C1.q"], expected, atol=1e-12 * abs(expected).max())
        again = m.changed({"R1.R": 1000})
        self.assertEqual(again.run().summary["steps"], 96)
        self.assertEqual(m.changes["R1.R"], 2000)
        self.assertIn('R="1000"', again.to_xml())

    def test_parameters_of_the_netlist(self):
        text = netlist(
            "<parameter name='tau' default='1'/><resistor id='R' p='a' n='0' R='=tau'/>"
            "<capacitor id='C' p='a' n='0' C='1' q='1'/><record>C.q</record>",
            "<simulation end='1' step='1 ms'/>",
        )
        for tau in (1, 0.5):
            r = bx.Model.from_string(text, tau=tau).run()
            np.testing.assert_allclose(r["C.q"], np.exp(-r.time / tau), atol=1e-6)

    def test_threads(self):
        """Runs of one model in several threads have the bits of a run alone."""
        m = bx.Model(RLC)
        alone = m.run(end=1).values
        got = [None] * 4

        def work(i):
            got[i] = m.run(end=1).values

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(got))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for values in got:
            self.assertEqual(values.tobytes(), alone.tobytes())

    def test_progress(self):
        seen = []
        m = bx.Model.from_string(LONG)
        m.run(end=2, progress=seen.append)
        self.assertGreater(len(seen), 2)
        self.assertEqual(seen, sorted(seen))
        self.assertLessEqual(seen[-1], 1)
        with self.assertRaises(bx.Interrupted) as caught:
            m.run(progress=lambda fraction: fraction < 1e-4)
        rows = caught.exception.result
        self.assertGreater(len(rows), 1)
        np.testing.assert_allclose(rows["C.q"], np.exp(-rows.time), atol=1e-9)

        def fails(fraction):
            raise ZeroDivisionError(fraction)

        with self.assertRaises(ZeroDivisionError):
            m.run(progress=fails)

    def test_interrupt(self):
        """Ctrl-C ends a run that would take minutes, and what was set for it before is set again."""
        m = bx.Model.from_string(LONG)
        before = signal.getsignal(signal.SIGINT)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            m.run()
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIs(signal.getsignal(signal.SIGINT), before)

    def test_collects(self):
        """Models, results and failures give their memory back."""

        def resident():
            with open("/proc/self/statm", encoding="ascii") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def once():
            bx.Model(RLC).run(end=0.5)
            try:
                bx.Model(RLC, {"R7.R": 1})
            except bx.ModelError:
                pass

        for _ in range(5):
            once()
        before = resident()
        for _ in range(30):
            once()
        # a run has 24001 rows of 7 numbers: 1.3 MB
        self.assertLess(resident() - before, 8e6)


class Findings(unittest.TestCase):
    def test_errors(self):
        """All mistakes at once, with file and line."""
        text = netlist("\n<resistor id='R' p='a' n='0' R='1 kg'/>\n<resitor id='Q' p='a' n='0' R='1'/>")
        with self.assertRaises(bx.ModelError) as caught:
            bx.Model.from_string(text, name="wrong.xml")
        findings = [f for f in caught.exception.findings if f.severity == "error"]
        self.assertEqual([(f.file, f.line) for f in findings[:2]], [("wrong.xml", 2), ("wrong.xml", 3)])
        for part in ("wrong.xml:2: error:", "wrong unit", "wrong.xml:3: error:", "resistor"):
            self.assertIn(part, str(caught.exception))
        self.assertIsInstance(caught.exception, ValueError)
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(copy.findings, caught.exception.findings)

    def test_files(self):
        with self.assertRaises(OSError) as caught:
            bx.Model("/nowhere/x.xml")
        self.assertEqual(caught.exception.findings[0].file, "/nowhere/x.xml")
        with self.assertRaisesRegex(bx.ModelError, "did you mean 'R1'"):
            bx.Model(RLC, {"R11.R": 1})

    def test_warnings(self):
        """Warnings are Python's, at the line that called; notes are findings only."""
        # the charges of both capacitors cannot be as they are written
        text = netlist(
            "<capacitor id='C1' p='a' n='0' C='1' q='1'/><capacitor id='C2' p='a' n='0' C='1' q='3'/>"
            "<resistor id='R' p='a' n='0' R='1'/>"
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            r = bx.Model.from_string(text).run()
        told = [w for w in caught if issubclass(w.category, bx.ModelWarning)]
        self.assertGreaterEqual(len(told), 1)
        self.assertEqual({w.filename for w in told}, {__file__})
        self.assertEqual([f.severity for f in r.findings].count("warning"), len(told))

    def test_failed_run(self):
        """A run that fails has its rows, and says why."""
        # the current is no number from t = 1 on
        text = netlist(
            "<capacitor id='C' p='a' n='0' C='1' q='1'/><current-source id='I' p='0' n='a' I='=sqrt(1-t)'/>",
            "<simulation end='2 s' step='0.5 s' scheme='radau2'/>",
        )
        with self.assertRaises(bx.RunError) as caught:
            bx.Model.from_string(text).run(record="C.q")
        self.assertIsNotNone(caught.exception.result)
        np.testing.assert_array_equal(caught.exception.result.time, [0, 0.5, 1])
        self.assertTrue(caught.exception.findings)


class Drawing(unittest.TestCase):
    def test_dot(self):
        text = bx.Model(RLC).to_dot()
        self.assertTrue(text.startswith("digraph") or "graph" in text.split("\n")[0])
        for name in ("R1", "L1", "C1", "V1"):
            self.assertIn(name, text)

    @unittest.skipUnless(shutil.which("dot"), "without dot")
    def test_svg(self):
        m = bx.Model(RLC)
        svg = m._repr_svg_()
        self.assertIn("<svg", svg)
        self.assertIn("R1", svg)
        with tempfile.TemporaryDirectory() as folder:
            for ending, begins in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
                path = os.path.join(folder, "x." + ending)
                m.draw(path)
                with open(path, "rb") as f:
                    self.assertTrue(f.read(8).startswith(begins))
            with self.assertRaisesRegex(ValueError, "end in"):
                m.draw(os.path.join(folder, "x.jpg"))

    def test_info(self):
        self.assertIn("gauss2", bx.Model(RLC).info(scheme="gauss2"))
        self.assertIn("driven series RLC", repr(bx.Model(RLC)))


if __name__ == "__main__":
    unittest.main()
