#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The tests of the Python package, tests/python/test_*.py, with the library of the build.
if test -z "$BXT_PYTHON"; then
	echo "skipped: there is no Python package (configure: $BXT_NO_PYTHON)"
	exit 77
fi
MPLBACKEND=agg PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="${BXT_BUILD:?}/python"
export MPLBACKEND PYTHONDONTWRITEBYTECODE PYTHONPATH
unset BOXTIMES_LIBRARY
exec "$BXT_PYTHON" "${BXT_SOURCE:?}/tests/python/run.py" "$@"
