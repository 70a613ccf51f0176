# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model is made of, as small tables."""
import collections.abc
import ctypes
from typing import Dict, NamedTuple, Optional

from ._library import PartInfo, lib, text
from .errors import Diagnostics, check

# in the order of bxt_part
KINDS = (
    "subsystem",
    "element",
    "node",
    "port",
    "connection",
    "parameter",
    "input",
    "signal",
    "coordinate",
    "row",
)

# parts that are shown
LONGEST = 100


def shown(value):
    """A number without needless digits, "" for none; the first line of text."""
    if isinstance(value, str):
        return value.partition("\n")[0]
    return "" if value != value else f"{value:g}"


class Part(NamedTuple):
    """A part of a model."""

    path: str  # "loop.R1.R"
    kind: str  # component, kind of port, family of the row, group of the signal
    unit: str  # as the component writes it; "" for a number, or not known
    doc: str
    value: float  # of parameters and inputs as compiled; else NaN
    least: float  # of parameters
    most: float
    positive: bool  # a parameter that must be > 0
    tunable: bool  # a parameter that a simulation may change
    massless: bool  # of coordinates
    is_position: bool
    is_reference: bool
    file: Optional[str]  # where it is written
    line: int
    parent: Optional[str]  # path of the subsystem; of a parameter the element
    ports: Dict[str, Optional[str]]  # of an element: {port: path of its node}, None: the reference


class Parts(collections.abc.Sequence):
    """Parts of one kind, in their order: `m.elements[0]`, `m.elements["R1"]`, `m.elements.df`."""

    _shown = ("path", "kind", "unit", "value", "doc")

    def __init__(self, system, kind):
        self._system, self.kind, self._kind = system, kind, KINDS.index(kind)
        self._n = lib.bxt_system_count(system.value, self._kind)
        self._found = {}

    def __len__(self):
        return self._n

    def _read(self, kind, i):
        info = PartInfo.make()
        check(lib.bxt_system_part(self._system.value, kind, i, info))
        return info

    def _ports(self, i):
        nodes, names = ctypes.POINTER(ctypes.c_long)(), ctypes.POINTER(ctypes.c_char_p)()
        n = lib.bxt_system_element_ports(self._system.value, i, nodes, names)
        node = KINDS.index("node")
        return {text(names[k]): text(self._read(node, nodes[k]).path) if nodes[k] >= 0 else None for k in range(n)}

    def __getitem__(self, which):
        if isinstance(which, slice):
            return [self[i] for i in range(*which.indices(self._n))]
        i = self.index_of(which) if isinstance(which, str) else which + self._n if which < 0 else which
        if not 0 <= i < self._n:
            raise IndexError(f"no {self.kind} {which}")
        info = self._read(self._kind, i)
        parent = KINDS.index("element" if self.kind == "parameter" else "subsystem")
        return Part(
            *(text(getattr(info, name)) for name in ("path", "kind", "unit", "doc")),
            *(getattr(info, name) for name in ("value", "least", "most", "positive", "tunable")),
            *(getattr(info, name) for name in ("massless", "is_position", "is_reference")),
            text(info.file),
            info.line,
            text(self._read(parent, info.parent).path) if info.parent >= 0 else None,
            self._ports(i) if self.kind == "element" else {},
        )

    def index_of(self, path):
        """The place of a path, or of the only one that ends with it; else KeyError with the nearest."""
        if path not in self._found:
            with Diagnostics() as d:
                i = lib.bxt_system_find(self._system.value, self._kind, path.encode(), d.pointer)
                if i < 0:
                    raise KeyError("; ".join(f.text for f in d.findings()) or f"no {self.kind} '{path}'")
            self._found[path] = i
        return self._found[path]

    def __contains__(self, path):
        try:
            self.index_of(path)
        except KeyError:
            return False
        return True

    @property
    def paths(self):
        return [text(self._read(self._kind, i).path) for i in range(self._n)]

    @property
    def df(self):
        """A pandas.DataFrame, a row for each part."""
        import pandas

        return pandas.DataFrame([part._asdict() for part in self]).set_index("path") if self._n else pandas.DataFrame()

    def _cells(self, part):
        """What is shown of a part."""
        return [shown(getattr(part, name)) for name in self._shown]

    def __repr__(self):
        rows = [list(self._shown), *map(self._cells, self[:LONGEST])]
        widths = [max(len(row[j]) for row in rows) for j in range(len(self._shown))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join(lines + ([f"... {self._n - LONGEST} more"] if self._n > LONGEST else []))
