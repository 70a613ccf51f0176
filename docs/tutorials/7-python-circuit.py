# SPDX-License-Identifier: GPL-3.0-or-later
# # Python: a circuit
#
# The library has a Python package, `boxtimes`. It comes with `make install`, and needs Python 3.9 and numpy. In the
# folder of a build it works as well, with `PYTHONPATH=build/python`. The text after `#>` is what a script prints.
#
# ## A run
#
# A model is a netlist file. Changes are made as they are with `--set`: a path of ids, then the parameter.

import boxtimes as bx
import numpy as np

model = bx.Model("netlists/rlc-series.xml", **{"R1.R": "100 ohm"})
print(model.elements["R1"].kind, model.parameters["R1.R"].value, model.parameters["R1.R"].unit)
#> resistor 100.0 ohm

# A run takes the settings of `boxtimes run` by their names. Times are seconds, or text with a unit. What it recorded
# is read by name, as arrays of numpy; the account of energy is in `summary`.

result = model.run(end="20 ms", record=["L1.i", "node(b).v", "energy"])
print(len(result), "rows of", result.units)
#> 961 rows of {'L1.i': 'A', 'node(b).v': 'V', 'energy': 'J'}
energy = result.summary["energy"]
print(f"supplied {energy['supplied']:.4g} J, dissipated {energy['dissipated']:.4g} J, stored {energy['end']:.4g} J")
#> supplied 3.103e-05 J, dissipated 3.042e-05 J, stored 6.181e-07 J
lost = energy["supplied"] - energy["dissipated"] - energy["end"]
print("balanced to round-off:", abs(lost) < 1e-12 * energy["supplied"])
#> balanced to round-off: True

# With pandas the rows are a data frame that knows its units, with xarray a data set, with matplotlib a picture: a
# panel for each unit.

frame = result.df
print(frame.attrs["units"]["L1.i"], f"{frame['L1.i'].abs().max():.3g}")
#> A 0.00674
axes = result.plot()
axes[0].figure.savefig("7-python-circuit.svg")

# ![current, voltage and energy of the circuit](7-python-circuit.svg)
#
# ## Mistakes
#
# A model with mistakes raises an exception that lists all of them; warnings are Python warnings.

try:
    bx.Model("netlists/rlc-series.xml", **{"R1.R": "100 V"})
except bx.ModelError as error:
    print(error.findings[0].text)
#> resistor 'R1', parameter 'R': '100 V' has the wrong unit; expected 'ohm'

# ## A sweep
#
# A sweep runs a model for many values, here on two threads. What is measured of each run is the largest current once
# the start has died down. The circuit is driven at 800 Hz, so the theory of alternating currents knows it.

resistances = np.logspace(2, 4, 9)
swept = bx.Model("netlists/rlc-series.xml").sweep(
    {"R1.R": resistances},
    measure=lambda r: abs(r["L1.i"][-1000:]).max(),
    jobs=2,
    end="50 ms",
    step="2 us",
)
omega = 2 * np.pi * 800
impedance = abs(resistances + 1j * omega * 50e-3 + 1 / (1j * omega * 2e-6))
for R, current, Z in zip(resistances[::4], swept.values[::4], impedance[::4]):
    print(f"{R:7.0f} ohm: {1e3 * current:.4f} mA, by its impedance {1e3 / Z:.4f} mA")
#>     100 ohm: 5.4998 mA, by its impedance 5.4998 mA
#>    1000 ohm: 0.9887 mA, by its impedance 0.9887 mA
#>   10000 ohm: 0.1001 mA, by its impedance 0.1000 mA
