# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run recorded, as arrays, data frame, data set and plot."""
import ctypes
import difflib

import numpy as np

from ._library import lib, text


def read_table(pointer):
    """(names, units, times, values by columns) of a bxt_table, copied."""
    rows, columns = lib.bxt_table_rows(pointer), lib.bxt_table_columns(pointer)
    names = [text(lib.bxt_table_name(pointer, j)) for j in range(columns)]
    units = [text(lib.bxt_table_unit(pointer, j)) for j in range(columns)]
    data = np.empty((columns + 1, rows))
    if rows:
        for j in range(columns + 1):
            ctypes.memmove(data[j].ctypes.data, lib.bxt_table_column(pointer, j - 1), rows * data.itemsize)
    return names, units, data[0], data[1:]


def find_name(names, wanted):
    """The place of a name, or of the only one that ends with it behind a point; else KeyError with the nearest."""
    if wanted in names:
        return names[wanted]
    ends = [name for name in names if name.endswith("." + wanted)]
    if len(ends) == 1:
        return names[ends[0]]
    if ends:
        raise KeyError(f"'{wanted}' is not unique: {', '.join(ends)}")
    near = difflib.get_close_matches(wanted, names, 1)
    raise KeyError(f"no signal '{wanted}'" + (f" (did you mean '{near[0]}'?)" if near else ""))


class Result:
    """Rows of a run. `r["C1.q"]` is a signal as an array, `r.time` the times [s].

    names     the signals, in the order of `record`
    units     {name: unit}, in SI; "1": a number, "": not known
    summary   what the run did: its account of energy, drift, work (see "read the account" in the documents)
    findings  all that was found, notes among them
    title     the netlist's name
    """

    def __init__(self, table, summary, findings, title):
        names, units, self.time, self.values = table
        self.names, self.summary, self.findings, self.title = names, summary, findings, title
        self.units = dict(zip(names, units))
        self._index = {}
        for j, name in enumerate(names):
            self._index.setdefault(name, j)

    def __getitem__(self, name):
        return self.time if name == "time" else self.values[find_name(self._index, name)]

    def __contains__(self, name):
        return name in self._index

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.time)

    def __repr__(self):
        title = f" of '{self.title}'" if self.title else ""
        return f"<boxtimes.Result{title}: {len(self)} rows of {', '.join(self.names) or 'nothing'}>"

    @property
    def df(self):
        """A pandas.DataFrame, indexed by time; attrs["units"] has the units."""
        import pandas

        frame = pandas.DataFrame(
            self.values.T, columns=self.names, index=pandas.Index(self.time.copy(), name="time"), copy=True
        )
        frame.attrs["units"] = dict(self.units, time="s")
        return frame

    def to_xarray(self):
        """An xarray.Dataset over time; each variable has its unit in attrs["units"]."""
        import xarray

        variables = {
            name: ("time", self.values[j], {"units": self.units[name]}) for name, j in self._index.items()
        }
        time = ("time", self.time, {"units": "s"})
        return xarray.Dataset(variables, coords={"time": time}, attrs={"title": self.title or ""})

    def plot(self, names=None, axes=None):
        """Draws signals over time by matplotlib, a panel for each unit. Returns the axes.

        names   those to draw, all by default
        axes    one for each unit, made by default
        """
        chosen = [self.names[find_name(self._index, name)] for name in names] if names else list(self._index)
        panels = {}
        for name in chosen:
            panels.setdefault(self.units[name], []).append(name)
        if axes is None:
            from matplotlib import pyplot

            n = max(len(panels), 1)
            _, axes = pyplot.subplots(
                n, 1, sharex=True, squeeze=False, figsize=(8, 1.5 + 2 * n), layout="constrained"
            )
        axes = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
        if len(axes) < len(panels):
            raise ValueError(f"{len(axes)} axes for {len(panels)} units")
        for axis, (unit, members) in zip(axes, panels.items()):
            for name in members:
                axis.plot(self.time, self[name], label=name)
            label = members[0] if len(members) == 1 else ""
            axis.set_ylabel(f"{label} [{unit}]".strip() if unit not in ("", "1") else label)
            if len(members) > 1:
                axis.legend(loc="best", fontsize="small")
            axis.grid(True, alpha=0.3)
        if len(axes):
            axes[-1].set_xlabel("time [s]")
            if self.title:
                axes[0].set_title(self.title)
        return axes
