# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests of this folder, or those that are named (test_model.Running.test_exact); ends with
"N passed, N failed"."""
import pathlib
import signal
import sys
import unittest

here = str(pathlib.Path(__file__).parent)
sys.path.insert(0, here)
# in the background of a shell Ctrl-C is ignored, and programs begin so
signal.signal(signal.SIGINT, signal.default_int_handler)
loader = unittest.defaultTestLoader
suite = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(here)
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
failed = len(result.failures) + len(result.errors)
print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
sys.exit(failed > 0 or result.testsRun == 0)
