# SPDX-License-Identifier: GPL-3.0-or-later
"""Results: arrays, data frames, data sets, plots; sweeps."""
import ctypes
import os
import pickle
import signal
import threading
import time
import unittest

import numpy as np
from common import C, L, OMEGA, R, RLC, needs, netlist, rlc_exact

import boxtimes as bx


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = bx.Model(RLC).run()

    def test_signals(self):
        r = self.result
        self.assertEqual(list(r), r.names)
        self.assertEqual(len(r), 961)
        self.assertIs(r["time"], r.time)
        np.testing.assert_array_equal(r["q"], r["C1.q"])
        np.testing.assert_allclose(r["node(b).v"], r["C1.q"] / C, rtol=1e-12)
        with self.assertRaisesRegex(KeyError, "did you mean 'C1.q'"):
            r["C11.q"]
        self.assertIn("C1.q", r)
        self.assertNotIn("C11.q", r)
        copy = pickle.loads(pickle.dumps(r))
        self.assertEqual(copy.values.tobytes(), r.values.tobytes())
        self.assertEqual(copy.units, r.units)

    def test_summary(self):
        """The account of energy is that of the rows."""
        energy = self.result.summary["energy"]
        power = R * self.result["L1.i"] ** 2
        trapezia = np.sum((power[1:] + power[:-1]) / 2) / 48000
        self.assertAlmostEqual(energy["dissipated"] / trapezia, 1, delta=0.01)
        self.assertAlmostEqual(
            energy["end"], self.result["L1.i"][-1] ** 2 * L / 2 + self.result["C1.q"][-1] ** 2 / (2 * C), delta=1e-15
        )

    @needs("pandas")
    def test_frame(self):
        frame = self.result.df
        self.assertEqual(list(frame.columns), self.result.names)
        self.assertEqual(frame.index.name, "time")
        self.assertEqual(frame.attrs["units"]["L1.i"], "A")
        self.assertEqual(frame.attrs["units"]["time"], "s")
        before = self.result["C1.q"][3]
        frame.loc[frame.index[3], "C1.q"] = 7
        self.assertEqual(self.result["C1.q"][3], before)

    @needs("pandas")
    def test_speed(self):
        """1e5 rows of six signals to a data frame: their part beyond the run itself."""
        import pandas

        pandas.DataFrame({"x": [1.0]})
        m = bx.Model(RLC)
        pointer = bx._library.lib.bxt_table_new()
        sink = bx._library.Sink.make()
        bx._library.lib.bxt_table_sink(pointer, sink)
        names = (ctypes.c_char_p * 6)(*(b"s%d" % i for i in range(6)))
        begin = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)(sink.begin)
        row = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_size_t, ctypes.POINTER(ctypes.c_double)
        )(sink.row)
        begin(sink.context, 6, ctypes.addressof(names))
        values = (ctypes.c_double * 6)(*range(6))
        for i in range(100000):
            row(sink.context, i, 6, values)
        seconds = []
        for _ in range(5):
            start = time.perf_counter()
            frame = bx.Result(bx.result.read_table(pointer), {}, [], m.name).df
            seconds.append(time.perf_counter() - start)
        bx._library.lib.bxt_table_free(pointer)
        self.assertEqual(frame.shape, (100000, 6))
        self.assertEqual(frame["s5"].iloc[-1], 5)
        self.assertEqual(frame.index[-1], 99999)
        print(f"1e5 rows to a data frame: {min(seconds):.4f} s")
        self.assertLess(min(seconds), 0.1)

    @needs("xarray")
    def test_xarray(self):
        data = self.result.to_xarray()
        self.assertEqual(data["node(b).v"].attrs["units"], "V")
        self.assertEqual(data.attrs["title"], "driven series RLC")
        exact = rlc_exact(np.array([0.01]))[0][0]
        self.assertAlmostEqual(float(data["C1.q"].interp(time=0.01)) / exact, 1, delta=0.02)

    @needs("matplotlib")
    def test_plot(self):
        from matplotlib import pyplot

        axes = self.result.plot()
        self.assertEqual([axis.get_ylabel() for axis in axes], ["C1.q [C]", "L1.i [A]", "node(b).v [V]", "[J]"])
        self.assertEqual([len(axis.lines) for axis in axes], [1, 1, 1, 3])
        np.testing.assert_array_equal(axes[1].lines[0].get_ydata(), self.result["L1.i"])
        self.assertEqual(axes[-1].get_xlabel(), "time [s]")
        figure, mine = pyplot.subplots()
        self.assertIs(self.result.plot(["energy", "supplied"], axes=mine)[0], mine)
        with self.assertRaisesRegex(ValueError, "1 axes for 2 units"):
            self.result.plot(["energy", "C1.q"], axes=mine)
        pyplot.close("all")


class Sweeps(unittest.TestCase):
    def test_amplitude(self):
        """The amplitude of the current against that of the impedance."""
        resistances = np.logspace(2, 4, 7)
        swept = bx.Model(RLC).sweep(
            {"R1.R": resistances},
            lambda r: abs(r["L1.i"][-600:]).max(),
            jobs=3,
            record="L1.i",
            step=1 / 480000,
            end=50e-3,
        )
        expected = 1 / abs(resistances + 1j * OMEGA * L + 1 / (1j * OMEGA * C))
        np.testing.assert_allclose(swept.values, expected, rtol=1e-3)
        self.assertEqual([point["R1.R"] for point in swept.points], list(resistances))
        self.assertEqual(swept.errors, {})

    def test_combinations(self):
        measure = {"q": "C1.q", "most": lambda r: r["L1.i"].max(), "R": lambda r: r.summary["steps"]}
        swept = bx.Model(RLC).sweep({"R1.R": ["1 kohm", "2 kohm"], "C1.C": [1e-6, 2e-6, 3e-6]}, measure, jobs=2)
        self.assertEqual(len(swept), 6)
        self.assertEqual(swept.points[4], {"R1.R": "2 kohm", "C1.C": 2e-6})
        alone = bx.Model(RLC, {"R1.R": 2000}).run()
        self.assertEqual(swept[4]["q"], alone["C1.q"][-1])
        self.assertEqual(swept[4]["most"], alone["L1.i"].max())

    @needs("pandas")
    def test_frame(self):
        swept = bx.Model(RLC).sweep([{"R1.R": 10}, {"C1.C": 1e-6}], {"q": "C1.q"}, jobs=1)
        self.assertEqual(list(swept.df.columns), ["R1.R", "q", "C1.C"])
        self.assertEqual(swept.df["q"][1], swept[1]["q"])

    def test_failures(self):
        """A run that fails leaves the others; a wrong model or measure ends the sweep."""
        text = netlist(
            "<parameter name='last' default='5'/><capacitor id='C' p='a' n='0' C='1'/>"
            "<current-source id='I' p='0' n='a' I='=sqrt(last-t)'/><record>C.q</record>",
            "<simulation end='2 s' step='0.5 s' scheme='radau2'/>",
        )
        m = bx.Model.from_string(text)
        swept = m.sweep({"last": [5, 1, 7]}, "C.q", jobs=2)
        self.assertEqual(list(swept.errors), [1])
        self.assertIsInstance(swept.errors[1], bx.RunError)
        self.assertIsNone(swept[1])
        self.assertIsNotNone(swept[2])
        with self.assertRaises(bx.ModelError):
            m.sweep({"pool": [1]}, jobs=2)
        with self.assertRaises(KeyError):
            m.sweep({"last": [5]}, "C.x")

    def test_interrupt(self):
        """Ctrl-C ends all jobs."""
        text = netlist(
            "<resistor id='R' p='a' n='0' R='1'/><capacitor id='C' p='a' n='0' C='1' q='1'/><record>C.q</record>",
            "<simulation end='1000 s' step='1 us'/>",
        )
        m = bx.Model.from_string(text)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            m.sweep({"R.R": [1, 2, 3]}, "C.q", jobs=2)
        self.assertLess(time.monotonic() - begin, 10)

    def test_parallel(self):
        """Four jobs are in the library at the same time."""
        barrier = threading.Barrier(4, timeout=60)

        def measure(result):
            barrier.wait()
            return len(result)

        self.assertEqual(bx.Model(RLC).sweep({"R1.R": [1, 2, 3, 4]}, measure, jobs=4).values, [961] * 4)


if __name__ == "__main__":
    unittest.main()
