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

SCRIPTS = sorted((pathlib.Path(os.environ["BXT_SOURCE"]) / "docs" / "tutorials").glob("*.py"))


class Tutorials(unittest.TestCase):
    def check(self, script):
        expected = [line[3:] for line in script.read_text(encoding="utf-8").splitlines() if line.startswith("#> ")]
        self.assertTrue(expected)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(NETLISTS, os.path.join(folder, "netlists"))
            run = subprocess.run(
                [sys.executable, "-W", "error", str(script)], cwd=folder, capture_output=True, text=True, check=False
            )
        self.assertEqual(run.stderr, "")
        printed = run.stdout.splitlines()
        for line, shown in zip(printed, expected):
            self.assertRegex(line, "^" + ".*".join(map(re.escape, shown.split("..."))) + "$")
        self.assertEqual(len(printed), len(expected))

    @needs("pandas", "matplotlib")
    def test_circuit(self):
        self.check(SCRIPTS[0])

    def test_cosimulation(self):
        self.check(SCRIPTS[1])

    def test_all(self):
        """Each script has its test."""
        names = [name[5:] for name in dir(self) if name.startswith("test_") and name != "test_all"]
        self.assertEqual(sorted(names), sorted(script.stem.split("-")[-1] for script in SCRIPTS))


if __name__ == "__main__":
    unittest.main()
