#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the suite of one test file, for make check: tests/FOLDER/suites has it.
#
#     suite.sh [...]tests/FOLDER/test_NAME.c
folder=${1%/*} name=${1##*/test_}
exec "tests/${folder##*/}/suites" "${name%.c}"
