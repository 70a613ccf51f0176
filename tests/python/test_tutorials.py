# SPDX-License-Identifier: GPL-3.0-or-later
"""The tutorials run, and print what they say after "#>"; "..." stands for any text."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from common import NETLISTS, needs

DOCS = pathlib.Path(os.environ["BXT_SOURCE"]) / "docs"
SCRIPTS = sorted((DOCS / "tutorials").glob("*.py"))


class Tutorials(unittest.TestCase):
    def check(self, script):
        """Runs the text of a script."""
        expected = [line[3:] for line in script.splitlines() if line.startswith("#> ")]
        self.assertTrue(expected)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(NETLISTS, os.path.join(folder, "netlists"))
            run = subprocess.run(
                [sys.executable, "-W", "error", "-c", script], cwd=folder, capture_output=True, text=True, check=False
            )
        self.assertEqual(run.stderr, "")
        printed = run.stdout.splitlines()
        for line, shown in zip(printed, expected):
            self.assertRegex(line, "^" + ".*".join(map(re.escape, shown.split("..."))) + "$")
        self.assertEqual(len(printed), len(expected))

    def check_tutorial(self, name):
        (script,) = (script for script in SCRIPTS if script.stem.endswith("-" + name))
        self.check(script.read_text(encoding="utf-8"))

    @needs("pandas", "matplotlib")
    def test_circuit(self):
        self.check_tutorial("circuit")

    def test_cosimulation(self):
        self.check_tutorial("cosimulation")

    def test_controller(self):
        self.check_tutorial("controller")

    def test_page(self):
        """The code on the page about Python."""
        page = (DOCS / "howto" / "python.md").read_text(encoding="utf-8")
        self.check("\n".join(re.findall(r"^```python\n(.*?)^```", page, flags=re.M | re.S)))

    def test_all(self):
        """Each script has its test."""
        for script in SCRIPTS:
            self.assertTrue(hasattr(self, "test_" + script.stem.split("-")[-1]), script)


if __name__ == "__main__":
    unittest.main()
