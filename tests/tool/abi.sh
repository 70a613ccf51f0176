#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that was built against the reference of this soname runs with the library of today:
# abidiff compares what the installed headers declare with what they declared then. Functions, types
# and enumerators may be added, and fields at the end of structures. docs/developers/versions.md
# says when the reference is made anew:
#
#     sh tests/tool/abi.sh reference >tests/tool/abi/reference.txt
set -eu
source=${BXT_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
compiler=${CC:-cc}
reference=$source/tests/tool/abi/reference.txt

# The declarations of the headers in a folder, without comments and what the system declares.
declarations()
{
	printf '#include <boxtimes.h>\n' | "$compiler" -std=c17 -I"$1" -E -x c - |
		awk '/^# [0-9]+ "/ { keep = $3 ~ /boxtimes[a-z_]*[.]h"$/; next } keep && NF'
}

if test "${1:-}" = reference; then
	printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n'
	printf '/* The declarations of the headers, by tests/tool/abi.sh. */\n'
	declarations "$source/lib"
	exit 0
fi

command -v abidiff >/dev/null 2>&1 && command -v "$compiler" >/dev/null 2>&1 || {
	echo "no abidiff (Debian package abigail-tools): nothing is compared"
	exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# library DECLARATIONS NAME: a shared library that defines all that is declared, and does nothing.
library()
{
	{
		printf '#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n'
		cat "$1"
		awk 'BEGIN { RS = ";" } index($0, "visibility(\"default\")") {
			sub(/.*[*]\//, ""); print $0 " { for (;;) ; }" }' "$1"
	} >"$scratch/$2.c"
	"$compiler" -std=c17 -g -w -fPIC -shared "$scratch/$2.c" -o "$scratch/$2.so"
}

cat >"$scratch/may-change" <<'END'
[suppress_type]
  type_kind = struct
  has_data_member_inserted_at = end
[suppress_type]
  type_kind = enum
  changed_enumerators = BXT_PART_COUNT, BXT_SIGNALS_COUNT, BXT_MATRIX_COUNT
END

# same OLD NEW: does what was built against OLD run with NEW?
same()
{
	abidiff --no-added-syms --suppressions "$scratch/may-change" "$scratch/$1.so" \
		"$scratch/$2.so" >"$scratch/difference" 2>&1
}

check()
{
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $*"
		cat "$scratch/difference"
	fi
}

# edited SCRIPT: the declarations of today, changed by a script of sed that must change something.
edited()
{
	sed "$1" "$scratch/now.h" >"$scratch/edited.h"
	! cmp -s "$scratch/now.h" "$scratch/edited.h" || {
		echo "FAILED: '$1' changes nothing"
		return 1
	}
	library "$scratch/edited.h" edited
}

may()
{
	edited "$1" && same now edited
}

must_not()
{
	edited "$1" && ! same now edited
}

declarations "$source/lib" >"$scratch/now.h"
library "$scratch/now.h" now
library "$reference" reference
check same reference now

# does the comparison see what it should?
check may 's/^typedef struct bxt_table bxt_table;$/&\n__attribute__((visibility("default"))) int bxt_new(void);/'
check may 's/^} bxt_run_def;$/double appended; &/'
check may 's/^ BXT_PART_COUNT$/ BXT_PART_NEW, &/'
check must_not 's/bxt_table_find(/bxt_table_seek(/'
check must_not 's/^ double step, end;$/ double inserted; &/'
check must_not 's/^ BXT_PART_NODE,$/ BXT_PART_NEW, &/'
check must_not 's/bxt_table_value(const bxt_table \*table, size_t i/bxt_table_value(const bxt_table *table, float i/'

echo "$passed passed, $failed failed"
test "$failed" -eq 0
