# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations that are stepped from outside: steps, signals, states."""
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
from common import DRIVEN, NETLISTS, RLC, STEP, netlist, rlc_midpoint

import boxtimes as bx

SIGNALS = ["C1.q", "L1.i"]


def sine(t, _):
    return np.sin(2 * np.pi * 800 * t)


class Stepping(unittest.TestCase):
    def test_midpoint(self):
        """Steps in blocks and one by one against numpy; beyond the end of the netlist."""
        s = bx.Model(RLC).simulation(record=SIGNALS)
        expected = rlc_midpoint(1200, sine)
        scale = abs(expected).max(axis=1)
        done = 0
        for n in (1, 1, 3, 95, 1, 1099):
            s.step(n)
            done += n
            self.assertEqual(s.steps, done)
            self.assertAlmostEqual(s.time / STEP, done, delta=1e-9)
            np.testing.assert_array_less(abs(s.read() - expected[:, done]) / scale, 1e-12)
        self.assertEqual(s["C1.q"], s.values()["C1.q"])
        self.assertEqual(s["q"], s["C1.q"])
        self.assertEqual(s.units, {"C1.q": "C", "L1.i": "A"})
        with self.assertRaisesRegex(KeyError, "did you mean 'C1.q'"):
            s["C11.q"]

    def test_same_as_run(self):
        """The same bits as a run, whatever the sizes of the blocks."""
        m = bx.Model(RLC)
        r, s = m.run(), m.simulation()
        rows = [s.read()]
        for n in (1, 2, 5, 952):
            s.step(n)
            rows.append(s.read())
        self.assertEqual(np.array(rows).tobytes(), np.ascontiguousarray(r.values.T[[0, 1, 3, 8, 960]]).tobytes())
        for name, value in r.summary["energy"].items():
            self.assertEqual(s.summary["energy"][name], value)
        s.reset()
        self.assertEqual((s.time, s.steps), (0, 0))
        s.step(8)
        self.assertEqual(s.read().tobytes(), rows[3].tobytes())

    def test_collect(self):
        s = bx.Model(RLC).simulation(record=SIGNALS)
        s.step(5)
        r = s.collect(103, every=10)
        np.testing.assert_allclose(r.time, (5 + 10 * np.arange(11)) * STEP)
        expected = rlc_midpoint(108, sine)
        np.testing.assert_allclose(r["C1.q"], expected[0, 5:106:10], rtol=1e-11)
        self.assertEqual((s.steps, r.units["L1.i"], len(s.collect(0))), (108, "A", 1))

    def test_step_to(self):
        """The last step is cut: numpy makes the same steps."""
        s = bx.Model(RLC).simulation(record=SIGNALS)
        s.step_to("0.05 ms")  # between the grid points 2 and 3
        self.assertEqual(s.time, 5e-5)
        x = rlc_midpoint(2, sine)[:, -1]
        cut = 5e-5 - 2 * STEP
        x = rlc_midpoint(1, lambda t, _: sine(t + 2 * STEP, 0), h=cut, x=x)[:, -1]
        np.testing.assert_allclose(s.read(), x, rtol=1e-10)
        s.step_to(4 * STEP, keep_grid=True)
        self.assertEqual(s.time, 4 * STEP)
        with self.assertRaises(bx.ModelError):
            s.step_to(STEP)
        self.assertEqual(s.time, 4 * STEP)
        # in slices, with the grid of one call
        long = bx.Model(RLC).simulation(record=SIGNALS)
        long.step_to(2)
        straight = bx.Model(RLC).simulation(record=SIGNALS)
        straight.step(96000)
        self.assertEqual(long.time, 2)
        self.assertEqual(long.steps, 96000)
        np.testing.assert_allclose(long.read(), straight.read(), rtol=1e-9)

    def test_wrong_settings(self):
        with self.assertRaises(bx.ModelError):
            bx.Model(RLC).simulation(scheme="gaus1")
        with self.assertRaises(TypeError):
            bx.Model(RLC).simulation(schema="gauss1")

    def test_failure(self):
        """A step that fails says why; the simulation lives on."""
        text = netlist("<capacitor id='C' p='a' n='0' C='1'/><current-source id='I' p='0' n='a' I='=sqrt(1-t)'/>")
        s = bx.Model.from_string(text).simulation(step=0.25, scheme="radau2")
        with self.assertRaises(bx.RunError) as caught:
            s.step(10)
        self.assertTrue(caught.exception.findings)
        self.assertLessEqual(s.time, 1)
        s.reset()
        s.step(2)
        self.assertEqual(s.time, 0.5)

    def test_observe(self):
        s = bx.Model(RLC).simulation()
        seen = []
        s.observe(seen.append)
        s.step(3)
        s.step()
        np.testing.assert_allclose(seen, np.arange(1, 5) * STEP)
        s.observe(lambda t: len(seen) > 100)
        with self.assertRaises(bx.Interrupted):
            s.step(5)
        self.assertEqual(s.steps, 5)

        def fails(t):
            raise ZeroDivisionError(t)

        s.observe(fails)
        for n in (1, 7):
            with self.assertRaises(ZeroDivisionError):
                s.step(n)
        s.observe(None)
        s.step(3)
        self.assertEqual(s.steps, 10)

    def test_interrupt(self):
        """Ctrl-C ends many steps, with and without a function that is called."""
        s = bx.Model(RLC).simulation()
        for after in (None, lambda t: None):
            s.observe(after)
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                s.step(10**10)
            self.assertLess(time.monotonic() - begin, 10)
        s.observe(None)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            s.step_to(1e9)
        self.assertGreater(s.steps, 0)

    def test_threads(self):
        """Simulations of one model in threads have the bits of one alone."""
        m = bx.Model(RLC)
        got = [None] * 4

        def work(i):
            s = m.simulation()
            s.step(20000)
            got[i] = s.read().tobytes()

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(got)), 1)

    def test_speed(self):
        """Microseconds for a step; only a rough bound is demanded, as machines and their load differ."""
        s = bx.Model(RLC).simulation(record="C1.q")

        def least(work, n):
            times = []
            for _ in range(5):
                begin = time.perf_counter()
                work(n)
                times.append((time.perf_counter() - begin) / n * 1e6)
            return min(times)

        def single(n):
            for _ in range(n):
                s.step()

        def reading(n):
            for _ in range(n):
                s.step()
                s["C1.q"]

        s.step(20000)
        block, one, read = least(s.step, 20000), least(single, 5000), least(reading, 5000)
        print(f"a step in blocks {block:.2f} us, alone {one:.2f} us, with a signal read {read:.2f} us")
        self.assertLess(block, 20)
        self.assertLess(one, 40)


class Inputs(unittest.TestCase):
    def setUp(self):
        self.s = bx.Model.from_string(DRIVEN).simulation()

    def test_held(self):
        """An input that is set before each step, as a number and as text, against numpy."""
        s = self.s
        values = np.random.default_rng(1).normal(size=200)
        expected = rlc_midpoint(200, lambda t, k: values[k])
        rows = [s.read()]
        for k, value in enumerate(values):
            s.inputs["u"] = float(value) if k % 3 else f"{1000 * value!r} mV" if k % 2 else value
            self.assertAlmostEqual(s.inputs["u"], value, delta=1e-15 * abs(value))
            s.step()
            rows.append(s.read())
        scale = abs(expected).max(axis=1, keepdims=True)
        np.testing.assert_array_less(abs(np.array(rows).T - expected) / scale, 1e-12)

    def test_ramp(self):
        s = self.s
        s.step(5)
        x = rlc_midpoint(5, lambda t, k: 1)[:, -1]
        s.inputs.ramp({"u": 2}, {"u": 300})
        s.step(20)
        x = rlc_midpoint(20, lambda t, k: 2 + 300 * t, x=x)[:, -1]
        np.testing.assert_allclose(s.read(), x, rtol=1e-11)
        self.assertAlmostEqual(s.inputs["u"], 2 + 300 * 20 * STEP, delta=1e-12)

    def test_mapping(self):
        s = self.s
        self.assertEqual(dict(s.inputs), {"u": 1})
        self.assertEqual((list(s.inputs), len(s.inputs)), (["u"], 1))
        self.assertIn("u", s.inputs)
        self.assertNotIn("v", s.inputs)
        s.inputs.update(u="-3 V")
        self.assertEqual(s.inputs.array().tolist(), [-3])
        self.assertEqual(repr(s.inputs), "{'u': -3.0}")
        for wrong in (np.nan, np.inf):
            with self.assertRaises(bx.ModelError):
                s.inputs["u"] = wrong
        with self.assertRaisesRegex(bx.ModelError, "wrong unit; expected 'V'"):
            s.inputs["u"] = "3 A"
        with self.assertRaises(KeyError):
            s.inputs["w"] = 3.0
        with self.assertRaises(TypeError):
            del s.inputs["u"]
        with self.assertRaisesRegex(TypeError, "no value of 'w'"):
            s.inputs.ramp({"u": 1}, {"w": 2})
        self.assertEqual(s.inputs["u"], -3)

    def test_states(self):
        """Inputs belong to states."""
        s = self.s
        s.inputs["u"] = 4.0
        state = s.save()
        s.inputs["u"] = 5.0
        s.restore(state)
        self.assertEqual(s.inputs["u"], 4)
        self.assertEqual(s.copy().inputs["u"], 4)

    def test_speed(self):
        s = self.s

        def loop(n):
            for k in range(n):
                s.inputs["u"] = 0.5
                s.step()

        loop(1000)
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            loop(4000)
            times.append((time.perf_counter() - begin) / 4000 * 1e6)
        print(f"a step with an input set {min(times):.2f} us")
        self.assertLess(min(times), 60)


class Parameters(unittest.TestCase):
    def test_resistance(self):
        """A resistance that changes between two steps, against numpy."""
        s = bx.Model(RLC).simulation(record=SIGNALS)
        s.step(50)
        x = rlc_midpoint(50, sine)[:, -1]
        s.parameters["R1.R"] = "300 ohm"
        self.assertEqual(s.parameters["R1.R"], 300)
        s.step(70)
        x = rlc_midpoint(70, lambda t, k: sine(t + 50 * STEP, k), r=300, x=x)[:, -1]
        np.testing.assert_allclose(s.read(), x, rtol=1e-10)
        s.parameters.update({"R1.R": 1e3, "C1.C": "2 uF"})
        self.assertEqual((s.parameters["R1.R"], s.parameters["C1.C"]), (1000, 2e-6))
        self.assertEqual(s.parameters["L1.L"], 50e-3)

    def test_refused(self):
        s = bx.Model(RLC).simulation(record=SIGNALS)
        s.step(3)
        before = s.read().tobytes()
        for wrong in ({"R1.R": -1}, {"C1.C": 0}, {"R1.R": 5.0, "C1.C": -1.0}, {"R1.R": np.nan}, {"R1.R": "3 V"}):
            with self.assertRaises(bx.ModelError) as caught:
                s.parameters.update(wrong)
            self.assertTrue(caught.exception.findings, wrong)
            self.assertEqual(s.parameters["R1.R"], 1000)
        with self.assertRaises(KeyError):
            s.parameters["R9.R"] = 1
        self.assertEqual(s.read().tobytes(), before)
        s.step()

    def test_same_as_changed(self):
        """From a state a simulation with a parameter set goes on with the bits of the changed model."""
        s = bx.Model(RLC).simulation()
        s.parameters["C1.C"] = 1e-6
        s.reset()
        s.step(100)
        changed = bx.Model(RLC, {"C1.C": 1e-6}).simulation()
        changed.step(100)
        self.assertEqual(s.read().tobytes(), changed.read().tobytes())
        state = s.save()
        s.parameters["C1.C"] = 5e-6
        s.restore(state)
        self.assertEqual(s.parameters["C1.C"], 1e-6)


def controlled(n, function, period=1, delay=0):
    """Charge and current with u = function(t, (q, i)) at each period, in force after a delay, by numpy."""
    x, u, due, rows = np.zeros(2), 1.0, {}, [np.zeros(2)]
    for k in range(n):
        u = due.pop(k, u)
        if k % period == 0:
            due[k + delay] = function(k * STEP, x)
            u = due.pop(k, u)
        x = rlc_midpoint(1, lambda t, _, now=u: now, x=x)[:, -1]
        rows.append(x)
    return np.array(rows)


class Controllers(unittest.TestCase):
    def setUp(self):
        self.s = bx.Model.from_string(DRIVEN).simulation()

    def rows(self, n):
        rows = [self.s.read()]
        for _ in range(n):
            self.s.step()
            rows.append(self.s.read())
        return np.array(rows)

    def test_each_step(self):
        def control(t, x):
            return 3e6 * (1e-6 - x[0]) - 200 * x[1] + 10 * t

        self.s.add_controller(control, ["C1.q", "L1.i"], "u")
        expected = controlled(300, control)
        np.testing.assert_array_less(abs(self.rows(300) - expected) / abs(expected).max(axis=0), 1e-11)

    def test_period_and_delay(self):
        calls = []

        def control(t, x):
            calls.append(t)
            return 2 - 1e6 * x[0]

        self.s.add_controller(control, "C1.q", ["u"], period=4 * STEP, delay=2 * STEP)
        expected = controlled(100, lambda t, x: 2 - 1e6 * x[0], 4, 2)
        np.testing.assert_array_less(abs(self.rows(100) - expected) / abs(expected).max(axis=0), 1e-11)
        np.testing.assert_allclose(calls, 4 * STEP * np.arange(25), atol=1e-12)

    def test_memory(self):
        """What a controller remembers belongs to states and copies."""

        def integrate(t, x, memory):
            memory[0] += 1e-6 - x[0]
            memory[1] += 1
            return 2e5 * memory[0]

        start = np.zeros(2)
        self.s.add_controller(integrate, ["C1.q"], ["u"], memory=start)
        self.s.step(60)
        state, copy = self.s.save(), self.s.copy()
        self.s.step(40)
        expected = self.s.read().tobytes()
        self.s.restore(state)
        self.s.step(40)
        self.assertEqual(self.s.read().tobytes(), expected)
        copy.step(40)
        self.assertEqual(copy.read().tobytes(), expected)
        self.assertEqual(start.tolist(), [0, 0])
        total = [0.0]

        def by_numpy(t, x):
            total[0] += 1e-6 - x[0]
            return 2e5 * total[0]

        np.testing.assert_allclose(self.s.read(), controlled(100, by_numpy)[-1], rtol=1e-9)

    def test_raises(self):
        """An exception ends the call of step with it; the simulation stands at the last good step."""

        def control(t, x):
            if t > 4.5 * STEP:
                raise ZeroDivisionError(t)
            return 0

        self.s.add_controller(control, [], "u")
        for n in (10, 1, 3):
            with self.assertRaises(ZeroDivisionError):
                self.s.step(n)
            self.assertEqual(self.s.steps, 5)

    def test_refused(self):
        for arguments, said in (
            ((lambda t, x: 0, ["C1.qq"], ["u"]), "did you mean 'q'"),
            ((lambda t, x: 0, ["C1.q"], ["w"]), "no input"),
        ):
            with self.assertRaisesRegex(bx.ModelError, said):
                self.s.add_controller(*arguments)
        with self.assertRaisesRegex(bx.ModelError, "multiples"):
            self.s.add_controller(lambda t, x: 0, period="1 us")
        with self.assertRaises(TypeError):
            self.s.add_controller(lambda t, x: 0, memory=[None])
        self.s.step(3)
        self.s.add_controller(lambda t, x: np.nan, [], "u")
        with self.assertRaises(bx.RunError):
            self.s.step()

    def test_lists(self):
        """A word may stand for several signals; without outputs a controller looks on."""
        seen = []
        self.s.add_controller(lambda t, x: seen.append(len(x)), "C1.*, L1.i")
        self.s.step(2)
        self.assertEqual(len(seen), 2)
        self.assertGreater(seen[0], 2)
        with self.assertRaises(ValueError):
            self.s.add_controller(lambda t, x: [1, 2], [], "u")
            self.s.step()

    def test_interrupt(self):
        self.s.add_controller(lambda t, x: 0, [], "u")
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            self.s.step(10**9)
        self.assertLess(time.monotonic() - begin, 10)


class Inside(unittest.TestCase):
    """What functions may do with the simulation that calls them."""

    REFUSED = (
        lambda s, state: s.step(),
        lambda s, state: s.step(5),
        lambda s, state: s.step_to(1),
        lambda s, state: s.reset(),
        lambda s, state: s.save(),
        lambda s, state: s.restore(state),
        lambda s, state: s.copy(),
        lambda s, state: s.summary,
        lambda s, state: s.parameters.update({"R1.R": 30}),
        lambda s, state: s.observe(None),
        lambda s, state: s.add_controller(lambda t, x: 0, [], "u"),
        lambda s, state: s.vectors,
        lambda s, state: s.set_vectors(),
        lambda s, state: s.matrix("step"),
    )

    def test_refused(self):
        m = bx.Model.from_string(DRIVEN)
        for attempt in self.REFUSED:
            for way in ("observe", "add_controller"):
                s = m.simulation()
                s.step(2)
                state = s.save()
                getattr(s, way)(lambda *_: attempt(s, state))
                with self.assertRaisesRegex(RuntimeError, "may not do this"):
                    s.step(3)

    def test_allowed(self):
        """An observer reads and sets inputs; another simulation may be stepped."""
        m = bx.Model.from_string(DRIVEN)
        s, other, rows = m.simulation(), m.simulation(), []

        def after(t):
            rows.append(s["C1.q"])
            s.inputs["u"] = 2.0
            other.step()

        s.observe(after)
        s.step(3)
        expected = rlc_midpoint(3, lambda t, k: 1 if k == 0 else 2)[0, 1:]
        np.testing.assert_allclose(rows, expected, rtol=1e-11)
        self.assertEqual((other.steps, s.time), (3, other.time))
        s.add_controller(lambda t, x: s["C1.q"])
        with self.assertRaisesRegex(RuntimeError, "a controller reads"):
            s.step()


class States(unittest.TestCase):
    def test_roll_back(self):
        """From a state, its bytes and its file a simulation goes on with the same bits."""
        s = bx.Model(NETLISTS / "double-pendulum-angles.xml").simulation()
        s.step(50)
        state = s.save()
        self.assertEqual((state.time, state.steps), (s.time, 50))
        s.step(30)
        expected = s.read().tobytes()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.state")
            state.save(path)
            for source in (state, bytes(state), path):
                s.restore(source)
                self.assertEqual(s.steps, 50)
                s.step(30)
                self.assertEqual(s.read().tobytes(), expected)
            # in a new process
            code = (
                "import sys, boxtimes as bx; s = bx.Model(sys.argv[1]).simulation(); s.restore(sys.argv[2]);"
                "s.step(30); sys.stdout.buffer.write(s.read().tobytes())"
            )
            arguments = [sys.executable, "-c", code, str(NETLISTS / "double-pendulum-angles.xml"), path]
            self.assertEqual(subprocess.run(arguments, stdout=subprocess.PIPE, check=True).stdout, expected)

    def test_copy(self):
        s = bx.Model(NETLISTS / "double-pendulum-angles.xml").simulation()
        s.step(20)
        copy = s.copy()
        s.step(40)
        copy.step(40)
        self.assertEqual(copy.read().tobytes(), s.read().tobytes())
        copy.step()
        self.assertNotEqual(copy.time, s.time)

    def test_refused(self):
        """States of another model, and such that are damaged, change nothing."""
        s, other = bx.Model(RLC).simulation(), bx.Model(NETLISTS / "double-pendulum-angles.xml").simulation()
        s.step(10)
        before = s.read().tobytes()
        content = bytes(s.save())
        damaged = bytearray(content)
        damaged[len(damaged) // 2] ^= 1
        for wrong in (other.save(), bytes(other.save()), content[:-1], bytes(damaged), b"", "/nowhere/s.state"):
            with self.assertRaises(bx.Error):
                s.restore(wrong)
            self.assertEqual(s.read().tobytes(), before)
        self.assertEqual(s.steps, 10)

    def test_lifetime(self):
        """A simulation and a state keep what they need."""
        s = bx.Model(RLC).simulation()
        state = s.save()
        gc.collect()
        s.step(5)
        del s
        gc.collect()
        again = state._model.simulation()
        again.restore(state)
        self.assertEqual(again.steps, 0)


if __name__ == "__main__":
    unittest.main()
