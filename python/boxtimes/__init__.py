# SPDX-License-Identifier: GPL-3.0-or-later
"""boxtimes: interconnected Lagrange-Dirac and port-Hamiltonian systems.

    import boxtimes as bx
    m = bx.Model("rlc-series.xml", **{"R1.R": "2 kohm"})
    r = m.run(end="5 ms", record=["C1.q", "energy"])
    r["C1.q"], r.df, r.summary["energy"]
    s = m.simulation(step="10 us")
    s.step(10), s["C1.q"]
"""
from ._library import VERSION as __version__
from .errors import Error, FileError, Finding, Interrupted, ModelError, ModelWarning, PluginError, RunError, TrustError
from .linear import Linear, Mode
from .model import Model, component_folders
from .result import Result
from .simulation import Simulation
from .state import State
from .sweep import Sweep

__all__ = [
    "Error",
    "FileError",
    "Finding",
    "Interrupted",
    "Linear",
    "Mode",
    "Model",
    "ModelError",
    "ModelWarning",
    "PluginError",
    "Result",
    "RunError",
    "Simulation",
    "State",
    "Sweep",
    "TrustError",
    "component_folders",
]
