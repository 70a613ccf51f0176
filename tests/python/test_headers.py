# SPDX-License-Identifier: GPL-3.0-or-later
"""The declarations of the package are those of the headers: fields by name, order and type; functions by parameters."""
import ctypes
import os
import pathlib
import re
import unittest

import boxtimes
from boxtimes import _library

HEADERS = sorted((pathlib.Path(os.environ["BXT_SOURCE"]) / "lib").glob("boxtimes*.h"))
COMMENTED = "\n".join(header.read_text(encoding="utf-8") for header in HEADERS)
TEXT = re.sub(r"/\*.*?\*/", " ", COMMENTED, flags=re.S)
TYPES = {
    "size_t": ctypes.c_size_t,
    "double": ctypes.c_double,
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "long": ctypes.c_long,
    "bool": ctypes.c_bool,
}
ENUMS = {name: body for body, name in re.findall(r"typedef enum \w+ \{(.*?)\}\s*(\w+);", TEXT, re.S)}
# structures of the library, by those of the package
STRUCTURES = {
    _library.Finding: "bxt_finding",
    _library.Column: "bxt_column",
    _library.Member: "bxt_member",
    _library.Sink: "bxt_sink",
    _library.RunDef: "bxt_run_def",
    _library.LedgerEntry: "bxt_ledger_entry",
    _library.TrustFigures: "bxt_trust_figures",
    _library.StepFigures: "bxt_step_figures",
    _library.Summary: "bxt_summary",
    _library.DrawDef: "bxt_draw_def",
    _library.PartInfo: "bxt_part_info",
    _library.Csc: "bxt_csc",
    _library.LinearDef: "bxt_linear_def",
    _library.LinearMode: "bxt_linear_mode",
    _library.ControllerDef: "bxt_controller_def",
}


def kind(declared):
    """The type of a declaration as ctypes has it; "*" for any pointer."""
    if "*" in declared or "(" in declared:
        return "*"
    words = [word for word in declared.split() if word != "const"]
    named = next((word for word in words if word in TYPES), None)
    if named:
        return TYPES[named]
    return ctypes.c_int if words[0] in ENUMS else words[0]


def known_kind(declared):
    """The same of a ctypes type."""
    if declared in TYPES.values():
        return declared
    if declared in STRUCTURES:
        return STRUCTURES[declared]
    if declared is None:
        return "void"
    return "struct" if declared is _library.Seconds else "*"


def fields(body):
    """[(name, kind)] of a struct's body."""
    found = []
    body = re.sub(r"struct\s*\{[^}]*\}", "struct", body)
    for statement in filter(None, (" ".join(s.split()) for s in body.split(";"))):
        function = re.search(r"\(\*(\w+)\)\(", statement)
        if function:
            found.append((function[1], "*"))
            continue
        first, *more = statement.split(",")
        for declared in [first, *more]:
            name = re.search(r"(\w+)\s*$", declared)[1]
            whole = declared if declared is first else re.sub(r"\*|\w+\s*$", "", first) + declared
            found.append((name, kind(whole[: whole.rindex(name)])))
    return found


def levels():
    """{function: level} of the public functions: the level ends the comment above the declaration, or above a run of them.

    None where that comment has no level, or where there is none.
    """
    found = {}
    level = None
    item = re.compile(r"/\*(?P<comment>.*?)\*/|^BXT_API\s(?P<declaration>.*?);|^(?P<other>[^\n]+)$", re.S | re.M)
    for match in item.finditer(COMMENTED):
        if match["comment"] is not None:
            named = re.search(r"\sLevel: (first|often|rare)\.\s*$", match["comment"])
            level = named[1] if named else None
        elif match["declaration"] is not None:
            found[re.search(r"\b(bxt_\w+)\(", match["declaration"])[1]] = level
        else:
            level = None
    return found


class Headers(unittest.TestCase):
    def test_levels(self):
        found = levels()
        self.assertEqual(len(found), len(re.findall(r"^BXT_API\s", TEXT, re.M)))
        self.assertEqual([name for name, level in found.items() if level is None], [])
        first = {name for name, level in found.items() if level == "first"}
        self.assertEqual(len(first), 15)
        docs = pathlib.Path(os.environ["BXT_SOURCE"]) / "docs"
        program = (docs / "examples" / "first.c").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"\b(bxt_\w+)\(", program)), first)
        page = (docs / "developers" / "c-api.md").read_text(encoding="utf-8")
        listed = set()
        for row in re.findall(r"^\| `bxt_\w+` \| (`bxt_.*?`) \|", page, re.M):
            names = re.findall(r"`(\w+)`", row)
            prefix = re.match(r"bxt_[a-z]+", names[0])[0]
            listed |= {name if name.startswith("bxt_") else prefix + name for name in names}
        self.assertEqual(listed, first)

    def test_parts(self):
        names = [name.strip().lower() for name in ENUMS["bxt_part"].split(",") if name.strip()]
        self.assertEqual(names, [f"bxt_part_{kind}" for kind in (*boxtimes.parts.KINDS, "count")])

    def test_matrices(self):
        names = [name.strip().lower() for name in ENUMS["bxt_system_matrix"].split(",") if name.strip()]
        self.assertEqual(names, [f"bxt_matrix_{name}" for name in (*boxtimes.matrix.MATRICES, "count")])

    def test_severities(self):
        names = [name.strip().lower() for name in ENUMS["bxt_severity"].split(",")]
        self.assertEqual(names, ["bxt_" + severity for severity in boxtimes.errors.SEVERITIES])

    def test_member_types(self):
        body = re.sub(r"\s", "", ENUMS["bxt_member_type"]).lower().rstrip(",")
        names = ["text", "texts", "real", "long", "int", "count", "flag", "structure", "array", "pointer", "function"]
        self.assertEqual(body.split(","), [f"bxt_member_{name}" for name in names])
        self.assertEqual(list(_library.TYPES), [i for i in range(len(names)) if names[i] != "structure"])

    def test_settings(self):
        """All members that a user chooses are arguments of run(); those for programs are not."""
        names = {name for name, _ in _library.RunDef._fields_}
        programs = "size n_record_also n_plugins progress progress_context save_every save save_context go_on refine"
        self.assertEqual(set(boxtimes.settings.SETTINGS), names - set(programs.split()))

    def test_structures(self):
        for structure, name in STRUCTURES.items():
            with self.subTest(name):
                body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (name, name), TEXT, re.S)[1]
                declared = [(field, known_kind(type_)) for field, type_ in structure._fields_]
                self.assertEqual(declared, fields(body))

    def test_functions(self):
        for name, (result, arguments) in _library.FUNCTIONS.items():
            with self.subTest(name):
                found = re.search(r"BXT_API\s([^;()]*?)%s\((.*?)\);" % name, TEXT, re.S)
                self.assertIsNotNone(found)
                self.assertEqual(known_kind(result), kind(found[1]) if found[1].strip() != "void" else "void")
                text = found[2]
                while re.search(r"\([^()]*,[^()]*\)", text):  # parameters of parameters
                    text = re.sub(r"(\([^()]*),([^()]*\))", r"\1 \2", text)
                declared = [] if text.strip() == "void" else [kind(p) for p in text.split(",")]
                self.assertEqual([known_kind(argument) for argument in arguments], declared)


if __name__ == "__main__":
    unittest.main()
