#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws mutants at random from the C files of lib/ and tools/ that the last 50 commits changed, or,
# where there is no history (a source archive), from all of lib/. Lines that these commits changed
# are preferred. Prints the files' lines as draw.awk does, paths from the root of the sources.
#
#     draw.sh COUNT SEED [FILE ...]      FILE: from these files instead
#
# The same seed and the same tree give the same mutants.
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
count=${1:?} seed=${2:?}
shift 2
cd "${BXT_SOURCE:-$here/../..}" || exit 1
changed=$(mktemp) || exit 1
trap 'rm -f "$changed"' EXIT

if [ $# -eq 0 ] && [ -e .git ] && first=$(git rev-list -n 50 HEAD 2>/dev/null | tail -n 1) && [ -n "$first" ]; then
	base=$(git rev-parse -q --verify "$first^" || echo "$first")
	git -c core.quotePath=false diff -M -U0 --no-color --no-ext-diff "$base" -- lib tools |
		awk '/^\+\+\+ / { file = substr($2, 3); next }
			/^@@ / && file ~ /\.c$/ {
				n = split(substr($3, 2), at, ",") == 2 ? at[2] : 1
				print file, at[1], at[1] + n - 1
			}' >"$changed"
	set -- $(cut -d ' ' -f 1 "$changed" | sort -u)
fi
test $# -gt 0 || set -- $(find lib -name '*.c' | sort)
awk -v seed="$seed" -v count="$count" -v changed="$changed" \
	-v equivalent="$here/equivalent.txt" -f "$here/draw.awk" "$@"
