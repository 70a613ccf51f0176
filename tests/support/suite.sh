#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the suite of one test file, for make check: tests/STOREY/ROOM/suites has it.
#
#     suite.sh [...]tests/STOREY/ROOM/test_NAME.c
folder=${1%/*} folder=tests/${folder##*tests/} name=${1##*/test_}
exec "$folder/suites" "${name%.c}"
