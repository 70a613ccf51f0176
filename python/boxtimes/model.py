# SPDX-License-Identifier: GPL-3.0-or-later
"""A netlist, read and compiled."""
import ctypes
import json
import os
import shutil
import subprocess
import time

from . import _config, settings
from ._library import ROOT, DrawDef, Handle, Sink, Summary, lib, strings, table, text, text_of
from .errors import Diagnostics, check
from .linear import Linear
from .parts import Parts
from .result import Result, read_table
from .simulation import Simulation
from .state import load_state
from .watch import Watch

# ---- Components ----


def component_folders(folders=()):
    """Where components are looked for: `folders`, BOXTIMES_PATH, those beside the library, the installed ones."""
    found = [os.fspath(folder) for folder in folders]
    found += [folder for folder in os.environ.get("BOXTIMES_PATH", "").split(":") if folder]
    beside = [ROOT]
    if "/" in lib._name:
        beside.append(os.path.join(os.path.dirname(lib._name), ".."))
    shared = [os.path.join(folder, "share", "boxtimes", "components") for folder in beside]
    shared.append(os.path.join(_config.PKGDATADIR, "components"))
    return found + [folder for folder in shared if os.access(folder, os.R_OK)]


def open_library(folders):
    """A component library."""
    array, n = strings(component_folders(folders))
    with Diagnostics() as d:
        library = lib.bxt_library_new(array, n, d.pointer)
        d.warn()
    if not library:
        raise MemoryError("the database of units cannot be loaded")
    return Handle(library, lib.bxt_library_free)


# ---- Values ----


def value_text(value):
    """A value as netlists write it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return repr(float(value))


# ---- Models ----


class Model:
    """A netlist file, read and compiled: `Model("f.xml", **{"R1.R": "2 kohm", "tau": 0.1})`.

    source      path of a netlist file
    changes     {path of an attribute: value}, as keyword arguments too: "R1.R", "loop.R1.R", "tau" for a parameter of
                the netlist, "simulation.step". Values are text with or without a unit, or numbers in the unit in which
                the component writes them.
    components  folders with further components, before those of BOXTIMES_PATH

    A mistake in the model is a ModelError that carries all findings. Warnings are Python's (`ModelWarning`);
    `findings` has the notes as well. Many threads may use a model at the same time.
    """

    def __init__(self, source, changes=None, *, components=(), **more):
        self._make(os.fspath(source), None, {**(changes or {}), **more}, tuple(components))

    @classmethod
    def from_string(cls, source, changes=None, *, name="netlist", components=(), **more):
        """The same of text. `name` stands for the file in findings; files that it names are looked for beside it."""
        made = cls.__new__(cls)
        made._make(os.fspath(name), source, {**(changes or {}), **more}, tuple(components))
        return made

    def changed(self, changes=None, **more):
        """The model read again, with further changes."""
        return self._again({**(changes or {}), **more})

    def _again(self, changes):
        made = type(self).__new__(type(self))
        made._make(self.source, self._text, {**self.changes, **changes}, self._components, self._library)
        return made

    def _make(self, source, content, changes, components, library=None):
        self.source, self.changes, self._text, self._components = source, changes, content, components
        self._lists = {}
        begin = time.perf_counter()
        self._library = library or open_library(components)
        with Diagnostics() as d:
            self._netlist = self._read(d)
            system = ctypes.c_void_p()
            d.check(lib.bxt_system_compile(self._netlist.value, self._library.value, d.pointer, system))
            self._system = Handle(system.value, lib.bxt_system_free, self._netlist, self._library)
            self.findings = d.warn()
        self._seconds = time.perf_counter() - begin
        self.name = text(lib.bxt_netlist_name(self._netlist.value))

    def _read(self, d):
        read, name = ctypes.c_void_p(), self.source.encode("utf-8", "surrogateescape")
        if self._text is None:
            d.check(lib.bxt_netlist_read(name, d.pointer, read))
        else:
            content = self._text.encode() if isinstance(self._text, str) else bytes(self._text)
            d.check(lib.bxt_netlist_read_memory(content, len(content), name, d.pointer, read))
        netlist = Handle(read.value, lib.bxt_netlist_free)
        for path, value in self.changes.items():
            element, _, attribute = path.rpartition(".")
            value = value_text(value)
            d.check(lib.bxt_netlist_set(netlist.value, element.encode(), attribute.encode(), value.encode(), d.pointer))
        return netlist

    def __repr__(self):
        return f"<boxtimes.Model {self.source}{f': {self.name}' if self.name else ''}>"

    # ---- Running ----

    def run(self, *, progress=None, **options):
        """Runs the model from its start to the end; a Result.

        step, end            seconds, or text with a unit: "10 us"
        scheme, rule, constraint, start, projection, solver, theta, gradient, force_rule
                             as in <simulation>; `boxtimes list --settings` has the values
        record               names of signals, a list or text with commas
        record_also          names that are recorded where they exist
        every                steps for each row
        allow_plugins        load plug-ins that the model references: code with all rights of the program
        plugins              ["NAME=PATH", ...]
        plugin_seconds       time limit of a plug-in's step
        plugins_in_process   run trusted plug-ins in this process
        compile              evaluate by C code that the system's compiler makes: same bits, faster for small models
        progress             called now and then with the fraction that is done; when it returns False the run ends
                             with Interrupted, whose `result` has the rows so far

        What is left out is taken from the netlist, then from the defaults. Ctrl-C ends the run, too. RunError: the
        numerics failed; its `result` has the rows so far.
        """
        return self._run(Watch(progress), options)

    def _run(self, watch, options):
        run_def = settings.make_run_def(self._library, options)
        run_def.progress = watch.callback
        state, sink, summary = ctypes.c_void_p(), Sink.make(), Summary.make()
        with Diagnostics() as d, table() as rows:
            lib.bxt_table_sink(rows, sink)
            sink.size = ctypes.sizeof(Sink)
            with watch:
                d.check(lib.bxt_initialize(self._system.value, run_def, d.pointer, state))
                state = Handle(state.value, lib.bxt_state_free, self._system)
                status = lib.bxt_run(self._system.value, state.value, run_def, sink, summary, d.pointer)
                try:
                    summary.seconds.compile = self._seconds
                    written, wrong = text_of(lambda stream: lib.bxt_summary_write_json(summary, stream))
                finally:
                    lib.bxt_summary_free(summary)
                account = {} if wrong else json.loads(written)
                result = Result(read_table(rows), account, self.findings + d.findings(), self.name)
            d.check(status, result)
            d.warn()
        return result

    def simulation(self, **options):
        """A simulation at its consistent start that is stepped from outside; the settings are those of run()."""
        return Simulation(self, settings.make_run_def(self._library, options))

    def matrices(self, **options):
        """{name: matrix} of the equations at the start; see Simulation.matrix."""
        return self.simulation(**options).matrices()

    def linear(self, inputs=None, outputs=None, **options):
        """The model linearised at its start, a Linear: matrices, response(frequencies), modes().

        inputs    names of parameters of elements, <input>s and signals: a list or text with commas
        outputs   names of signals, as record of run()

        Other settings are those of run(), such as start="operating-point".
        """
        return Linear(self, settings.make_run_def(self._library, options), inputs, outputs)

    def load_state(self, source):
        """A state of this model: of the file with that path, or of bytes."""
        return load_state(self, source)

    def sweep(self, values, measure=None, *, jobs=None, **options):
        """Runs the model for many values of its parameters, `jobs` at a time; see boxtimes.Sweep.

        values    {"R1.R": [..], ..}: all combinations, the last parameter fastest; or a list of {path: value}
        measure   what is kept of each run: a function of its Result, the name of a signal for its last value, or
                  {name: one of these}; by default the Result
        jobs      how many threads; by default as many as there are processors
        Settings are those of run().
        """
        from .sweep import run_sweep

        return run_sweep(self, values, measure, jobs, options)

    # ---- What it is made of ----

    subsystems = property(lambda self: self._parts("subsystem"), doc="Subsystems.")
    elements = property(lambda self: self._parts("element"), doc="Elements, with their ports.")
    nodes = property(lambda self: self._parts("node"), doc="Nodes, without references.")
    ports = property(lambda self: self._parts("port"), doc="Ports that subsystems or the netlist export.")
    connections = property(lambda self: self._parts("connection"), doc="Rows of <interconnection>.")
    parameters = property(lambda self: self._parts("parameter"), doc="Numeric parameters with their values.")
    inputs = property(lambda self: self._parts("input"), doc="What the outside gives.")
    signals = property(lambda self: self._parts("signal"), doc="Signals that may be recorded.")
    coordinates = property(lambda self: self._parts("coordinate"), doc="The unknowns of the equations.")
    rows = property(lambda self: self._parts("row"), doc="The rows of constraints.")

    def _parts(self, kind):
        if kind not in self._lists:
            self._lists[kind] = Parts(self._system, kind)
        return self._lists[kind]

    # ---- Descriptions ----

    def info(self, **options):
        """Elements, rows, structure, scheme and solver, as text."""
        run_def = settings.make_run_def(self._library, options)
        written, status = text_of(lambda stream: lib.bxt_system_write_info(self._system.value, run_def, stream))
        check(status)
        return written

    def to_xml(self):
        """The netlist with its changes, as text."""
        written, status = text_of(lambda stream: lib.bxt_netlist_write(self._netlist.value, stream))
        check(status)
        return written

    def to_dot(self):
        """The drawing, as text for Graphviz' program dot."""
        draw_def = DrawDef.make()
        lib.bxt_default_draw_def(draw_def)
        draw_def.size = ctypes.sizeof(DrawDef)
        with Diagnostics() as d:
            written, status = text_of(
                lambda stream: lib.bxt_netlist_write_dot(
                    self._netlist.value, self._library.value, draw_def, stream, d.pointer
                )
            )
            d.check(status)
        return written

    def draw(self, file=None):
        """The drawing as SVG text; with `file` it is written there, ending in .svg, .png, .pdf or .dot."""
        ending = os.path.splitext(os.fspath(file))[1][1:] if file is not None else "svg"
        if ending not in ("svg", "png", "pdf", "dot"):
            raise ValueError(f"'{file}': drawings end in .svg, .png, .pdf or .dot")
        drawn = self.to_dot().encode()
        if ending != "dot":
            if not shutil.which("dot"):
                raise FileNotFoundError("drawings need the program dot (Debian package graphviz)")
            made = subprocess.run(["dot", "-T" + ending], input=drawn, capture_output=True, check=False)
            if made.returncode:
                raise RuntimeError("dot failed: " + made.stderr.decode("utf-8", "replace"))
            drawn = made.stdout
        if file is None:
            return drawn.decode()
        with open(file, "wb") as out:
            out.write(drawn)
        return None

    def _repr_svg_(self):
        """For notebooks; without dot they show __repr__."""
        return self.draw() if shutil.which("dot") else None
