# SPDX-License-Identifier: GPL-3.0-or-later
# # Python: a mechanism stepped from outside
#
# Two masses are joined by a spring, but two programs simulate them. One of them is boxtimes, and a loop of ours joins
# both: it steps, compares, restores the state and steps again.
#
# ## Inputs and steps
#
# An `<input>` is a value that a program sets. Here it is the force on a mass with a spring and a damper.

import boxtimes as bx
import numpy as np

LEFT = """
<netlist xmlns="urn:boxtimes:netlist:1" name="the left mass">
  <simulation end="5 s" step="10 ms"/>
  <input name="F" unit="N" default="0 N">force of the spring between the masses</input>
  <node id="m" kind="translational" x="10 cm"/>
  <mass id="M" a="m" m="2 kg"/>
  <spring id="K" a="wall" b="m" k="50 N/m"/>
  <damper id="D" a="wall" b="m" c="1 N.s/m"/>
  <force id="A" a="wall" b="m" f="=F"/>
  <record>node(m).x, node(m).v, energy</record>
</netlist>
"""
left = bx.Model.from_string(LEFT).simulation()
left.inputs["F"] = "2 N"
left.step(100)
print(f"after {left.time:g} s at x = {left['node(m).x']:.4f} m, input F = {left.inputs['F']:g} N")
#> after 1 s at x = 0.0507 m, input F = 2 N

# ## Rollback
#
# `save` takes a state, with inputs and all; `restore` goes back to it. Then the simulation makes the same steps, to the
# last bit.

state = left.save()
left.step(50)
first = left.read()
left.restore(state)
left.step(50)
print("the same bits:", (left.read() == first).all())
#> the same bits: True

# ## The other program
#
# The right mass is 1 kg with no spring of its own. This class stands for the other program; it knows the exact motion
# under a force that is a ramp.


class RightMass:
    def __init__(self):
        self.x, self.v = 0.0, 0.0

    def step(self, h, force, rate):
        """Forces in N, their rate in N/s, m = 1 kg."""
        self.x += h * self.v + h**2 / 2 * force + h**3 / 6 * rate
        self.v += h * force + h**2 / 2 * rate


# ## The loop
#
# The spring between the masses, 80 N/m, belongs to the loop. In each step the force goes on as a ramp. How steep it is
# depends on where the masses will be, so the loop guesses, steps both, computes the new force, and goes back
# with that. Three rounds are enough here.

STIFFNESS, STEP = 80, 10e-3


def simulate(rounds, step=STEP):
    left, right = bx.Model.from_string(LEFT).simulation(step=step), RightMass()
    rows, rate = [], 0.0
    force = STIFFNESS * (right.x - left["node(m).x"])
    for _ in range(round(5 / step)):
        start, x, v = left.save(), right.x, right.v
        for _ in range(rounds):
            left.restore(start)
            right.x, right.v = x, v
            left.inputs.ramp({"F": force}, {"F": rate})
            left.step()
            right.step(step, -force, -rate)
            after = STIFFNESS * (right.x - left["node(m).x"])
            rate = (after - force) / step
        force = after
        rows.append([left["node(m).x"], right.x])
    return np.array(rows)


# ## Is it right?
#
# The whole mechanism is linear, so numpy solves it exactly, by eigenvalues.

M = np.diag([2.0, 1.0])
K = np.array([[50.0 + STIFFNESS, -STIFFNESS], [-STIFFNESS, STIFFNESS]])
D = np.diag([1.0, 0.0])
A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
values, vectors = np.linalg.eig(A)
weights = np.linalg.solve(vectors, np.array([0.1, 0, 0, 0], dtype=complex))


def error(rounds, step=STEP):
    times = step * np.arange(1, round(5 / step) + 1)
    exact = np.real((vectors * weights) @ np.exp(np.outer(values, times)))[:2].T
    return abs(simulate(rounds, step) - exact).max()


print(f"without going back {1e3 * error(1):.2f} mm off, with three rounds {1e3 * error(3):.2f} mm")
#> without going back 5.02 mm off, with three rounds 1.79 mm
ratio = error(3) / error(3, STEP / 2)
print(f"half the step: {ratio:.1f} times as exact")
#> half the step: 4.0 times as exact

# So the coupled simulation has the order of its parts, two.
