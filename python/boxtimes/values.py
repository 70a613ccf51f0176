# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs and parameters of a simulation, by name."""
import collections.abc
import ctypes

import numpy as np

from . import settings
from ._library import lib, pointer
from .errors import ModelError


class Values(collections.abc.MutableMapping):
    """Values of a simulation by name: `s.inputs["u"] = 3`, `s.parameters["R1.R"] = "2 kohm"`.

    Numbers are in SI units, text has a unit. What is set is in effect with the next step.
    """

    def __init__(self, simulation, parts, get):
        self._simulation, self._parts, self._get = simulation, parts, get
        self._pointer, self._value = simulation._pointer, ctypes.c_double()
        self._at = ctypes.byref(self._value)
        self._one = {}

    def _place(self, name):
        """The index of a name, as the library takes it."""
        place = self._one.get(name)
        if place is None:
            place = self._one[name] = ctypes.pointer(ctypes.c_size_t(self._parts.index_of(name)))
        return place

    def _number(self, name, value):
        if not isinstance(value, str):
            return float(value)
        unit = self._parts[self._place(name).contents.value].unit
        return settings.read_quantity(self._simulation._model._library, name, value, unit)

    def array(self):
        """All values, in the order of the names."""
        values = np.empty(len(self._parts))
        self._simulation._check(self._get(self._simulation._pointer, pointer(values)))
        return values

    def __getitem__(self, name):
        return self.array().item(self._place(name).contents.value)

    def __setitem__(self, name, value):
        place = self._one.get(name) or self._place(name)
        self._value.value = value if type(value) is float else self._number(name, value)
        self._set(1, place, self._at)

    def __delitem__(self, name):
        raise TypeError("values can be set, not removed")

    def __iter__(self):
        return iter(self._parts.paths)

    def __len__(self):
        return len(self._parts)

    def __contains__(self, name):
        return name in self._parts

    def __repr__(self):
        return repr(dict(zip(self, self.array().tolist())))

    def _arrays(self, values):
        n = len(values)
        index = (ctypes.c_size_t * n)(*(self._place(name).contents.value for name in values))
        return n, index, (ctypes.c_double * n)(*(self._number(name, value) for name, value in values.items()))

    def update(self, values=(), **more):
        """Sets several at once: all or, where one of them is refused, none."""
        self._set(*self._arrays({**dict(values), **more}))


class Inputs(Values):
    """Inputs: held until they are set again, or ramps: `s.inputs.ramp({"u": 3}, {"u": 0.5})`."""

    def __init__(self, simulation):
        super().__init__(simulation, simulation._model.inputs, lib.bxt_simulation_get_inputs)
        self._call = lib.bxt_simulation_set_inputs

    def __setitem__(self, name, value):
        # set before each step by loops outside: nothing is made here that can be kept
        place = self._one.get(name) or self._place(name)
        self._value.value = value if type(value) is float else self._number(name, value)
        if self._call(self._pointer, 1, place, self._at, None):
            self._refuse()

    def _set(self, n, index, value, rate=None):
        if self._call(self._pointer, n, index, value, rate):
            self._refuse()

    def _refuse(self):
        raise ModelError("an input has a value that is not finite; nothing was set", status="BXT_ERR_ARGUMENT")

    def ramp(self, values, rates):
        """Sets inputs that go on at a rate [1/s]: value + rate (t - now)."""
        n, index, value = self._arrays(values)
        settings.refuse_unknown(rates, values, "value of")
        self._set(n, index, value, (ctypes.c_double * n)(*(float(rates.get(name, 0)) for name in values)))


class Parameters(Values):
    """Parameters, in SI units. ModelError, changing nothing: a value out of its range, or one that changes the
    structure of the equations, which needs `model.changed(...)`."""

    def __init__(self, simulation):
        super().__init__(simulation, simulation._model.parameters, lib.bxt_simulation_get_parameters)

    def _set(self, n, index, value):
        simulation = self._simulation
        simulation._call(lib.bxt_simulation_set_parameters, n, index, value, simulation._found)
