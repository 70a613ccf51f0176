# SPDX-License-Identifier: GPL-3.0-or-later
# # Python: a controller that is a function
#
# Tutorial 3 has a motor whose speed a component `sampled-pid` controls. Here a Python function does its work: boxtimes
# calls it at each sample, and stores its memory with the state of the plant.
#
# ## The plant
#
# The voltage of the motor is an input.

import boxtimes as bx
import numpy as np

PLANT = """
<netlist xmlns="urn:boxtimes:netlist:1" name="a motor on a shaft">
  <simulation end="1 s" step="1 ms"/>
  <input name="volts" unit="V" default="0 V">voltage of the motor</input>
  <voltage-source id="V" p="a" n="0" e="=volts"/>
  <dc-motor id="M" p="a" n="0" shaft="s" La="1.5 mH" Ra="0.5 ohm" k="0.1 V.s/rad" J="0.002 kg.m2"/>
  <inertia id="J" a="s" J="0.01 kg.m2"/>
  <rotational-damper id="D" a="wall" b="s" c="0.001 N.m.s/rad"/>
  <record>node(s).omega, M.i, energy</record>
</netlist>
"""
plant = bx.Model.from_string(PLANT)

# ## The controller
#
# It is called with the time, the signals that it reads, and its memory, an array: here the integral of the error. What
# it returns goes to the inputs that it writes. They hold until the next sample.

PERIOD, KP, KI, LIMIT = 5e-3, 0.5, 2.0, 24.0


def control(t, read, memory):
    error = (100 if t >= 0.1 else 0) - read[0]
    integral = memory[0] + KI * PERIOD * error
    volts = KP * error + integral
    if abs(volts) < LIMIT:  # else the integral waits
        memory[0] = integral
    return min(max(volts, -LIMIT), LIMIT)


def simulation():
    s = plant.simulation()
    s.add_controller(control, reads=["node(s).omega"], writes=["volts"], period=PERIOD, memory=[0.0])
    return s


s = simulation()
s.step_to("1 s")
print(f"{s['node(s).omega']:.2f} rad/s at {s.inputs['volts']:.3f} V")
#> 100.82 rad/s at 10.428 V

# ## Is it right?
#
# The netlist of tutorial 3 has the same controller as a component. Both give the same motion, up to round-off.

CONTROLLED = PLANT.replace(
    '<input name="volts" unit="V" default="0 V">voltage of the motor</input>\n'
    '  <voltage-source id="V" p="a" n="0" e="=volts"/>',
    """
  <voltage-actuator id="V" p="a" n="0"/>
  <sampled-pid id="C" Kp="0.5" Ki="2 s-1" Ts="5 ms" umin="-24" umax="24"/>
  <signal to="C.r">if(t &lt; 0.1, 0, 100)</signal>
  <signal to="C.y">node(s).omega</signal>
  <signal to="V.e">C.u</signal>""",
)
component = bx.Model.from_string(CONTROLLED).simulation()
component.step_to("1 s")
difference = abs(component["node(s).omega"] - s["node(s).omega"])
print("the same to 1e-9 rad/s:", difference < 1e-9)
#> the same to 1e-9 rad/s: True

# ## What if?
#
# A state includes the plant, inputs, and the memory of the controller. From here on the shaft gets different loads.
# Each time the simulation goes back to that moment; a parameter of the damper is set at run time.

state = s.save()
for damping in (0.001, 0.01, 0.02):
    s.restore(state)
    s.parameters["D.c"] = damping
    lowest = np.inf
    for _ in range(100):
        s.step(10)
        lowest = min(lowest, s["node(s).omega"])
    print(f"{damping:g} N.m.s/rad: down to {lowest:.1f} rad/s, {s['node(s).omega']:.1f} rad/s after 1 s")
#> 0.001 N.m.s/rad: down to 100.0 rad/s, 100.0 rad/s after 1 s
#> 0.01 N.m.s/rad: down to 95.3 rad/s, 99.8 rad/s after 1 s
#> 0.02 N.m.s/rad: down to 90.2 rad/s, 99.5 rad/s after 1 s

# A state can wait in a file. In a new process the same script goes on from there.

s.restore(state)
s.save("motor.state")
later = simulation()
later.restore("motor.state")
s.step(200)
later.step(200)
print("the same bits:", (s.read() == later.read()).all(), "at", f"{later.time:g} s")
#> the same bits: True at 1.2 s
