# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests share: models, and their solutions by numpy alone."""
import importlib.util
import os
import pathlib
import unittest

import numpy as np

NETLISTS = pathlib.Path(os.environ["BXT_NETLISTS"])
RLC = NETLISTS / "rlc-series.xml"
# rlc-series.xml: V = sin(omega t), q' = i, L i' = V - R i - q/C
R, L, C, OMEGA, STEP = 1e3, 50e-3, 2e-6, 2 * np.pi * 800, 1 / 48000


def netlist(body, simulation="<simulation end='1 s' step='10 ms'/>", attributes=""):
    return f"<netlist xmlns='urn:boxtimes:netlist:1' {attributes}>{simulation}{body}</netlist>"


# the circuit of rlc-series.xml behind an input
DRIVEN = netlist(
    "<input name='u' unit='V' default='1 V'/><voltage-source id='V1' p='in' n='0' e='=u'/>"
    "<resistor id='R1' p='in' n='a' R='1 kohm'/><inductor id='L1' p='a' n='b' L='50 mH'/>"
    "<capacitor id='C1' p='b' n='0' C='2 uF'/><record>C1.q, L1.i</record>",
    "<simulation end='20 ms' step='=1/48000'/>",
)


def needs(*modules):
    """Skips a test where a module is missing."""
    missing = [name for name in modules if not importlib.util.find_spec(name)]
    return unittest.skipIf(missing, f"without {', '.join(missing)}")


def rlc_matrix(r=R):
    return np.array([[0, 1], [-1 / (L * C), -r / L]])


def rlc_exact(times, r=R):
    """Charge and current from rest: the forced oscillation and what decays."""
    a = rlc_matrix(r)
    forced = np.linalg.solve(1j * OMEGA * np.eye(2) - a, np.array([0, 1 / L]))
    values, vectors = np.linalg.eig(a)
    decaying = np.linalg.solve(vectors, -forced.imag.astype(complex))
    free = (vectors * decaying) @ np.exp(np.outer(values, times))
    return free.real + np.imag(np.outer(forced, np.exp(1j * OMEGA * times)))


def rlc_midpoint(n, source, h=STEP, r=R, x=(0, 0)):
    """Charge and current at n + 1 grid points by the implicit midpoint rule; source(middle of the step, its number)."""
    a, x = rlc_matrix(r), np.array(x, dtype=float)
    left, right = np.eye(2) - h / 2 * a, np.eye(2) + h / 2 * a
    rows = [x]
    for k in range(n):
        x = np.linalg.solve(left, right @ x + h * np.array([0, source((k + 0.5) * h, k) / L]))
        rows.append(x)
    return np.array(rows).T
