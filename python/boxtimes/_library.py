# SPDX-License-Identifier: GPL-3.0-or-later
"""The shared library: where it is, its structures and its functions.

Names are those of boxtimes.h. The library describes the settings of a run and its summary itself. Any other structure
is declared here. A structure begins with its size: the library may be newer than this module, and then
its structures may be longer. What the library fills therefore lies in memory with room behind it.
"""
import contextlib
import ctypes
import os
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_long, c_size_t, c_uint, c_void_p

from . import _config

# the name that programs are linked with: `make install` may put several versions beside each other
SONAME = "libboxtimes.so.0"
# the folder of the build, where this package is part of one
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# bytes behind a structure, for fields that a later library has appended
ROOM = 1024

# ---- Finding it ----


def _candidates():
    """Paths where the library may be, the first that exists counts."""
    # a build has this package in python/boxtimes
    yield os.path.join(ROOT, ".libs", SONAME)
    yield os.path.join(_config.LIBDIR, SONAME)


def _open():
    chosen = os.environ.get("BOXTIMES_LIBRARY")
    path = chosen or next((path for path in _candidates() if os.path.exists(path)), SONAME)
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        hint = "BOXTIMES_LIBRARY names it" if chosen else "the environment variable BOXTIMES_LIBRARY may name it"
        raise ImportError(f"the library {path} cannot be loaded: {error} ({hint})") from None


def _declare(library, functions):
    for name, (result, arguments) in functions.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{library._name} has no function {name}: it is older than this module") from None
        function.restype = result
        function.argtypes = arguments


# ---- Structures ----


class Structure(ctypes.Structure):
    """A structure of the library with room behind it for those of later versions."""

    @classmethod
    def make(cls):
        """One of zeros, with its size set."""
        memory = ctypes.create_string_buffer(ctypes.sizeof(cls) + ROOM)
        made = cls.from_buffer(memory)
        made.size = ctypes.sizeof(cls)
        return made


class Member(Structure):
    """A field of a structure, as the library describes it."""

    _fields_ = (
        [("size", c_size_t), ("name", c_char_p), ("type", c_int), ("offset", c_size_t), ("bytes", c_size_t)]
        + [(name, c_char_p) for name in ("structure", "unit", "setting", "values", "standard", "key", "needs", "doc")]
    )


lib = _open()
_declare(
    lib,
    {
        "bxt_structure_member": (POINTER(Member), [c_char_p, c_size_t]),
        "bxt_structure_size": (c_size_t, [c_char_p]),
    },
)

# the types of members, in the order of bxt_member_type
(TEXT, TEXTS, REAL, LONG, INT, COUNT, FLAG, STRUCTURE, ARRAY, POINTER_TO, FUNCTION) = range(11)
TYPES = {
    TEXT: c_char_p,
    TEXTS: POINTER(c_char_p),
    REAL: c_double,
    LONG: c_long,
    INT: c_int,
    COUNT: c_size_t,
    FLAG: c_bool,
    ARRAY: c_void_p,
    POINTER_TO: c_void_p,
    FUNCTION: c_void_p,
}


def members(structure):
    """The members of a structure that the library describes, in their order."""
    found = []
    while member := lib.bxt_structure_member(structure.encode(), len(found)):
        found.append(member.contents)
    return found


def described(structure, **types):
    """The fields of a structure for ctypes; `types` are those of functions and of structures inside."""
    return [
        (name, types[name] if name in types else TYPES[member.type])
        for name, member in ((member.name.decode(), member) for member in members(structure))
    ]


class Finding(Structure):
    _fields_ = [("size", c_size_t), ("severity", c_int), ("file", c_char_p), ("line", c_int), ("text", c_char_p)]


class Column(Structure):
    _fields_ = described("bxt_column")


class Sink(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("begin", c_void_p),
        ("row", c_void_p),
        ("context", c_void_p),
        ("columns", c_void_p),
    ]


PROGRESS = ctypes.CFUNCTYPE(c_bool, c_void_p, c_double)
SAVE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)


class RunDef(Structure):
    _fields_ = described("bxt_run_def", progress=PROGRESS, save=SAVE)


class LedgerEntry(Structure):
    _fields_ = described("bxt_ledger_entry")


class Seconds(ctypes.Structure):
    _fields_ = described("bxt_summary.seconds")


class TrustFigures(Structure):
    _fields_ = described("bxt_trust_figures")


class StepFigures(Structure):
    _fields_ = described("bxt_step_figures")


class Summary(Structure):
    _fields_ = described("bxt_summary", total=LedgerEntry, seconds=Seconds, trust=TrustFigures, taken=StepFigures)


class DrawDef(Structure):
    _fields_ = [("size", c_size_t), ("most", c_size_t), ("untitled", c_bool)]


class PartInfo(Structure):
    _fields_ = (
        [("size", c_size_t)]
        + [(name, c_char_p) for name in ("path", "kind", "unit", "doc", "file")]
        + [("line", c_int), ("parent", c_long), ("value", c_double), ("least", c_double), ("most", c_double)]
        + [(name, c_bool) for name in ("positive", "tunable", "massless", "is_position", "is_reference")]
    )


class Csc(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("n_rows", c_int),
        ("n_columns", c_int),
        ("colptr", POINTER(c_int)),
        ("rowind", POINTER(c_int)),
        ("values", POINTER(c_double)),
    ]


class LinearDef(Structure):
    _fields_ = [("size", c_size_t), ("from", c_char_p), ("to", c_char_p), ("run", RunDef)]


class LinearMode(Structure):
    _fields_ = (
        [("size", c_size_t)]
        + [(name, c_double) for name in ("re", "im", "error", "frequency", "damping")]
        + [("part", c_char_p), ("share", c_double), ("residual", c_double)]
    )


class LinearStates(Structure):
    _fields_ = (
        [("size", c_size_t)]
        + [(name, c_size_t) for name in ("n", "inputs", "outputs")]
        + [(name, POINTER(c_double)) for name in ("a", "b", "c", "d")]
        + [("state", POINTER(Column)), ("error", c_double)]
    )


class LinearModesDef(Structure):
    _fields_ = [("size", c_size_t), ("count", c_size_t), ("near", c_double)]


CONTROLLER = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_void_p, c_double, POINTER(c_double), POINTER(c_double), c_void_p, c_size_t
)


class ControllerDef(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("reads", c_char_p),
        ("writes", c_char_p),
        ("period", c_double),
        ("delay", c_double),
        ("step", CONTROLLER),
        ("context", c_void_p),
        ("remembered", c_void_p),
        ("remembered_size", c_size_t),
    ]


OBSERVER = ctypes.CFUNCTYPE(c_bool, c_void_p, c_double)

# ---- Functions ----

# name: (result, arguments); c_int stands for a bxt_status, c_void_p for a handle
FUNCTIONS = {
    "bxt_version": (c_char_p, []),
    "bxt_status_name": (c_char_p, [c_int]),
    "bxt_status_text": (c_char_p, [c_int]),
    "bxt_release": (None, [c_void_p]),
    "bxt_diagnostics_new": (c_void_p, []),
    "bxt_diagnostics_free": (c_void_p, [c_void_p]),
    "bxt_diagnostics_count": (c_size_t, [c_void_p, c_int]),
    "bxt_diagnostics_get": (POINTER(Finding), [c_void_p, c_size_t]),
    "bxt_library_new": (c_void_p, [POINTER(c_char_p), c_size_t, c_void_p]),
    "bxt_library_free": (c_void_p, [c_void_p]),
    "bxt_library_read_quantity": (c_int, [c_void_p, c_char_p, c_char_p, c_char_p, c_void_p, POINTER(c_double)]),
    "bxt_netlist_read": (c_int, [c_char_p, c_void_p, POINTER(c_void_p)]),
    "bxt_netlist_read_memory": (c_int, [c_char_p, c_size_t, c_char_p, c_void_p, POINTER(c_void_p)]),
    "bxt_netlist_write": (c_int, [c_void_p, c_void_p]),
    "bxt_netlist_free": (c_void_p, [c_void_p]),
    "bxt_netlist_set": (c_int, [c_void_p, c_char_p, c_char_p, c_char_p, c_void_p]),
    "bxt_netlist_name": (c_char_p, [c_void_p]),
    "bxt_default_draw_def": (None, [POINTER(DrawDef)]),
    "bxt_netlist_write_dot": (c_int, [c_void_p, c_void_p, POINTER(DrawDef), c_void_p, c_void_p]),
    "bxt_system_compile": (c_int, [c_void_p, c_void_p, c_void_p, POINTER(c_void_p)]),
    "bxt_system_free": (c_void_p, [c_void_p]),
    "bxt_system_write_info": (c_int, [c_void_p, POINTER(RunDef), c_void_p]),
    "bxt_default_run_def": (None, [POINTER(RunDef)]),
    "bxt_initialize": (c_int, [c_void_p, POINTER(RunDef), c_void_p, POINTER(c_void_p)]),
    "bxt_state_free": (c_void_p, [c_void_p]),
    "bxt_run": (c_int, [c_void_p, c_void_p, POINTER(RunDef), POINTER(Sink), POINTER(Summary), c_void_p]),
    "bxt_summary_free": (None, [POINTER(Summary)]),
    "bxt_summary_write_json": (c_int, [POINTER(Summary), c_void_p]),
    "bxt_summary_write_text": (c_int, [POINTER(Summary), c_void_p]),
    "bxt_table_new": (c_void_p, []),
    "bxt_table_free": (c_void_p, [c_void_p]),
    "bxt_table_sink": (None, [c_void_p, POINTER(Sink)]),
    "bxt_table_rows": (c_size_t, [c_void_p]),
    "bxt_table_columns": (c_size_t, [c_void_p]),
    "bxt_table_name": (c_char_p, [c_void_p, c_size_t]),
    "bxt_table_unit": (c_char_p, [c_void_p, c_size_t]),
    "bxt_table_column": (c_void_p, [c_void_p, c_long]),
    "bxt_system_count": (c_size_t, [c_void_p, c_int]),
    "bxt_system_part": (c_int, [c_void_p, c_int, c_size_t, POINTER(PartInfo)]),
    "bxt_system_find": (c_long, [c_void_p, c_int, c_char_p, c_void_p]),
    "bxt_system_element_ports": (
        c_size_t,
        [c_void_p, c_size_t, POINTER(POINTER(c_long)), POINTER(POINTER(c_char_p))],
    ),
    "bxt_simulation_new": (c_int, [c_void_p, POINTER(RunDef), c_void_p, POINTER(c_void_p)]),
    "bxt_simulation_free": (c_void_p, [c_void_p]),
    "bxt_simulation_reset": (c_int, [c_void_p, c_void_p]),
    "bxt_simulation_step": (c_int, [c_void_p, c_long, POINTER(c_long), c_void_p]),
    "bxt_simulation_step_to": (c_int, [c_void_p, c_double, c_uint, c_void_p]),
    "bxt_simulation_time": (c_double, [c_void_p]),
    "bxt_simulation_steps": (c_long, [c_void_p]),
    "bxt_simulation_set_inputs": (
        c_int,
        [c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_double), POINTER(c_double)],
    ),
    "bxt_simulation_get_inputs": (c_int, [c_void_p, POINTER(c_double)]),
    "bxt_simulation_set_parameters": (
        c_int,
        [c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_double), c_void_p],
    ),
    "bxt_simulation_get_parameters": (c_int, [c_void_p, POINTER(c_double)]),
    "bxt_simulation_signals": (c_size_t, [c_void_p]),
    "bxt_simulation_signal": (POINTER(Column), [c_void_p, c_size_t]),
    "bxt_simulation_read": (c_int, [c_void_p, POINTER(c_double)]),
    "bxt_simulation_summary": (c_int, [c_void_p, POINTER(Summary), c_void_p]),
    "bxt_simulation_observe": (c_int, [c_void_p, OBSERVER, c_void_p]),
    "bxt_default_controller_def": (None, [POINTER(ControllerDef)]),
    "bxt_simulation_add_controller": (c_int, [c_void_p, POINTER(ControllerDef), c_void_p]),
    "bxt_simulation_get_state": (c_int, [c_void_p, POINTER(c_void_p)]),
    "bxt_simulation_set_state": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bxt_simulation_copy": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "bxt_simulation_get_vectors": (
        c_int,
        [c_void_p, POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(c_double)],
    ),
    "bxt_simulation_set_vectors": (c_int, [c_void_p, POINTER(c_double), POINTER(c_double), c_void_p]),
    "bxt_simulation_matrix": (c_int, [c_void_p, c_int, POINTER(Csc)]),
    "bxt_default_linear_def": (None, [POINTER(LinearDef)]),
    "bxt_linear_new": (c_int, [c_void_p, POINTER(LinearDef), c_void_p, POINTER(c_void_p)]),
    "bxt_linear_free": (c_void_p, [c_void_p]),
    "bxt_linear_get": (c_int, [c_void_p, c_int, POINTER(Csc)]),
    "bxt_linear_count": (c_size_t, [c_void_p, c_int]),
    "bxt_linear_name": (POINTER(Column), [c_void_p, c_int, c_size_t]),
    "bxt_linear_response": (c_int, [c_void_p, c_double, POINTER(c_double), c_void_p]),
    "bxt_linear_modes": (c_int, [c_void_p, POINTER(POINTER(LinearMode)), POINTER(c_size_t), c_void_p]),
    "bxt_default_linear_modes_def": (None, [POINTER(LinearModesDef)]),
    "bxt_linear_to_states": (c_int, [c_void_p, POINTER(POINTER(LinearStates)), c_void_p]),
    "bxt_linear_modes_near": (
        c_int,
        [c_void_p, POINTER(LinearModesDef), POINTER(POINTER(LinearMode)), POINTER(c_size_t), c_void_p],
    ),
    "bxt_state_time": (c_double, [c_void_p]),
    "bxt_state_steps": (c_long, [c_void_p]),
    "bxt_state_save": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bxt_state_load": (c_int, [c_void_p, c_char_p, c_void_p, POINTER(c_void_p)]),
    "bxt_state_to_memory": (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_size_t)]),
    "bxt_state_from_memory": (c_int, [c_void_p, c_char_p, c_size_t, c_char_p, c_void_p, POINTER(c_void_p)]),
    "bxt_signal_columns": (
        c_int,
        [c_void_p, POINTER(RunDef), c_void_p, POINTER(POINTER(Column)), POINTER(c_size_t)],
    ),
}

def _check_sizes(library):
    """Refuses a library that knows less of a structure; a later one may know more."""
    for structure, name in (
        (RunDef, "bxt_run_def"),
        (Summary, "bxt_summary"),
        (LedgerEntry, "bxt_ledger_entry"),
        (TrustFigures, "bxt_trust_figures"),
        (StepFigures, "bxt_step_figures"),
        (Column, "bxt_column"),
    ):
        if ctypes.sizeof(structure) != library.bxt_structure_size(name.encode()):
            raise ImportError(f"{library._name} does not fit this module: it has members of {name} of other types")
    for default, structure in (
        (library.bxt_default_draw_def, DrawDef),
        (lambda sink: library.bxt_table_sink(None, sink), Sink),
    ):
        made = structure.make()
        default(made)
        known = ctypes.sizeof(structure)
        if not known <= made.size <= known + ROOM:
            raise ImportError(
                f"{library._name} does not fit this module: {structure.__name__} has {made.size} bytes, not {known}"
            )


_declare(lib, FUNCTIONS)
_check_sizes(lib)
VERSION = lib.bxt_version().decode()

# ---- Streams ----

_c = ctypes.CDLL(None)
_c.open_memstream.restype = c_void_p
_c.open_memstream.argtypes = [POINTER(c_void_p), POINTER(c_size_t)]
_c.fclose.argtypes = [c_void_p]
_c.free.argtypes = [c_void_p]
_c.free.restype = None


def text_of(write):
    """What `write(stream)` writes to a stream of the C library, and what it returns."""
    memory, size = c_void_p(), c_size_t()
    stream = _c.open_memstream(memory, size)
    if not stream:
        raise MemoryError
    result = None
    try:
        result = write(stream)
    finally:
        failed = _c.fclose(stream)
        text = ctypes.string_at(memory, size.value).decode("utf-8", "replace") if memory else ""
        _c.free(memory)
    if failed:
        raise MemoryError
    return text, result


# ---- Handles ----


class Handle:
    """An object of the library, freed with this one, but after those that need it.

    Python may finalise objects that refer to each other in any order, and in any thread.
    """

    __slots__ = ("value", "_free", "_needs", "_users", "_owned", "_dead")

    def __init__(self, value, free_it, *needs):
        self.value, self._free, self._needs = value, free_it, needs
        self._users, self._owned, self._dead = set(), [value], False
        for needed in needs:
            needed._users.add(id(self))

    def __del__(self):
        self._dead = True
        self._release()

    def _release(self):
        if not self._dead or self._users:
            return
        try:
            self._free(self._owned.pop())
        except IndexError:  # freed already
            return
        for needed in self._needs:
            needed._users.discard(id(self))
            needed._release()


def strings(texts):
    """An array of C strings; (NULL, 0) for none."""
    encoded = [text.encode() for text in texts]
    return ((c_char_p * len(encoded))(*encoded) if encoded else None), len(encoded)


@contextlib.contextmanager
def table():
    """A table of the library, as long as the block lasts."""
    made = lib.bxt_table_new()
    if not made:
        raise MemoryError
    try:
        yield made
    finally:
        lib.bxt_table_free(made)


def pointer(array):
    """That of an array of doubles."""
    return array.ctypes.data_as(POINTER(c_double))


def text(value):
    return value.decode("utf-8", "replace") if value is not None else None
