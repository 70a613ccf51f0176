#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of the house. lib/FLOORS lists the storeys of lib/, lowest first, each with its rooms,
# lowest first.
#
#  1 an include goes to the file's own room, to a lower room of its storey, or to a lower storey
#  2 a header *_internal.h is included in its own room only
#  3 tools include <boxtimes.h>, and headers of their own
#  4 a file has at most 700 lines; a room at most 45 files and 9,000 lines
#  5 a function has at most 80 lines and 7 parameters, unless a library calls it
#  6 a function that one file alone uses is static
#  7 a public struct begins with its size
#  8 what measure.sh measures is at most what ratchets.txt says, and no less: then it is lowered by
#    `house.sh --lower`, with BXT_SOURCE and BXT_BUILD in the environment
#
# Rules 6 and 8 read the symbols of the objects below BXT_BUILD.
source=${BXT_SOURCE:?} build=${BXT_BUILD:?}
cd "$source" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# rule NAME: what stands in $work/found breaks it
rule() {
	if test -s "$work/found"; then
		failed=$((failed + 1))
		echo "FAILED: $1"
		sed 's/^/    /' "$work/found"
	else
		passed=$((passed + 1))
	fi
}

# ---- Includes ----

awk 'FILENAME == "lib/FLOORS" {
		if ($0 ~ /^[a-z]/) storey = $1
		else if ($1 != "") floor[storey "/" $1] = ++n
		next
	}
	FNR == 1 {
		split(FILENAME, p, "/"); own = p[2] "/" p[3]
		if (!(own in floor)) print FILENAME ": lib/FLOORS has no room " own
	}
	/^#include "/ {
		split($2, quoted, "\""); split(quoted[2], p, "/"); to = p[1] "/" p[2]
		if (quoted[2] ~ /^boxtimes/) next # installed headers lie in lib/ itself
		if (!(to in floor)) print FILENAME ": \"" quoted[2] "\" is in no room of lib/FLOORS"
		else if (floor[to] > floor[own]) print FILENAME ": " own " is below " to
	}' lib/FLOORS lib/*/*/*.[ch] >"$work/found"
rule "includes go to the same room, or to a lower one"

awk 'FNR == 1 { split(FILENAME, own, "/") }
	/^#include ".*_internal\.h"/ {
		split($2, quoted, "\""); split(quoted[2], to, "/")
		if (to[1] != own[2] || to[2] != own[3]) print FILENAME ": " quoted[2]
	}' lib/*/*/*.[ch] >"$work/found"
rule "internal headers stay in their room"

for file in tools/*.[ch]; do
	sed -n 's/^#include "\(.*\)"/\1/p' "$file" | while read -r header; do
		test -f "tools/$header" || echo "$file: \"$header\""
	done
done >"$work/found"
rule "tools include <boxtimes.h> alone"

awk '/^typedef struct bxt_[a-z_]+ \{/ { name = $3; next }
	name && /^\t\/\*/ { comment = 1 }
	name && comment { if (/\*\//) comment = 0; next }
	name { if ($0 !~ /^\tsize_t size;/) print FILENAME ": " name; name = "" }' \
	lib/boxtimes_compare.h lib/boxtimes_netlist.h lib/boxtimes_rewrite.h lib/boxtimes_run.h lib/boxtimes_status.h \
	lib/boxtimes_summary.h lib/boxtimes_verify.h lib/boxtimes_records.h lib/boxtimes_simulation.h >"$work/found"
rule "public structs begin with their size"

# ---- Sizes ----

wc -l lib/*.h lib/*/*/*.[ch] tools/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] |
	awk '$2 != "total" && $1 > 700 { print $2 ": " $1 " lines" }' >"$work/found"
rule "files have at most 700 lines"

wc -l lib/*/*/*.[ch] | awk '$2 != "total" { split($2, p, "/"); r = p[2] "/" p[3]; files[r]++; lines[r] += $1 }
	END {
		for (r in files) {
			if (files[r] > 45) print "lib/" r ": " files[r] " files"
			if (lines[r] > 9000) print "lib/" r ": " lines[r] " lines"
		}
	}' >"$work/found"
rule "rooms have at most 45 files and 9,000 lines"

# A function begins behind what ended before it, at the line of its name; its body is between lines
# that are a brace alone.
awk 'FNR == 1 { head = ""; first = 0; inside = 0 }
	inside && /^}/ {
		if (FNR - first + 1 > 80)
			print FILENAME ":" first ": " name " has " FNR - first + 1 " lines"
		inside = 0; head = ""; first = 0; next
	}
	inside { next }
	/^{/ && head ~ /\(/ {
		name = head; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
		list = head; sub(/^[^(]*\(/, "", list)
		gsub(/\([^()]*\)/, "", list); gsub(/\([^()]*\)/, "", list)
		if (gsub(/,/, "", list) + 1 > 7 && name != "on_start") # called by libxml2
			print FILENAME ":" first ": " name " has more than 7 parameters"
		inside = 1; next
	}
	/^[#}]/ || /^$/ || /;$/ || /^ \*/ || /^\/\*/ || /\*\/$/ { head = ""; first = 0; next }
	{ if (!first) first = FNR; head = head " " $0 }' lib/*/*/*.c tools/*.c >"$work/found"
rule "functions have at most 80 lines and 7 parameters"

# ---- Symbols ----

# lines "FILE T SYMBOL" and "FILE U SYMBOL", FILE as lib/storey/room/name
(
	cd "$build" || exit 1
	find lib tools tests -name '*.o' | sort | while read -r object; do
		file=$(printf '%s\n' "${object%.o}" | sed 's#\.libs/##; s#/[a-z0-9_]*_la-#/#')
		case $file in
		lib/*) test -f "$source/$file.c" || continue ;; # its source is gone
		esac
		nm "$object" | awk -v file="$file" '
			$2 ~ /^[TDRB]$/ && $3 !~ /\./ { print file, "T", $3 } $1 == "U" { print file, "U", $2 }'
	done
) >"$work/symbols"
test -s "$work/symbols" && : >"$work/found" || echo "no objects below $build" >"$work/found"
rule "there are objects to read"

awk '$2 == "U" { used[$3] = 1; next } FILENAME == ARGV[1] && $2 == "T" && $1 ~ /^lib\// { by[$3] = $1 }
	END { for (s in by) if (!(s in used)) print by[s] ": " s }' "$work/symbols" |
	while read -r file symbol; do
		grep -qE "^BXT_API .*\<$symbol\(" lib/*.h || echo "$file $symbol"
	done | sort >"$work/found"
rule "functions that one file alone uses are static"

# ---- Ratchets ----

ratchets=tests/tool/ratchets.txt
sh tests/tool/measure.sh "$work/symbols" | sort >"$work/measured"
if test "${1:-}" = --lower; then
	awk 'FILENAME == ARGV[1] { now[$1 " " $2] = $3; next }
		/^#/ { print; next }
		($1 " " $2) in now {
			print $1, $2, now[$1 " " $2] < $3 ? now[$1 " " $2] : $3
		}' "$work/measured" "$ratchets" >"$work/lowered" && cp "$work/lowered" "$ratchets"
fi
awk 'FILENAME == ARGV[1] { if ($0 !~ /^#/) stated[$1 " " $2] = $3; next }
	{ key = $1 " " $2; seen[key] }
	$3 > stated[key] + 0 { print key ": " $3 ", at most " stated[key] + 0 }
	$3 < stated[key] + 0 { print key ": " $3 " are left of " stated[key] ": house.sh --lower" }
	END { for (key in stated) if (!(key in seen)) print key ": none is left: house.sh --lower" }
	' "$ratchets" "$work/measured" | sort >"$work/found"
rule "what is measured may only fall"

echo "$passed passed, $failed failed"
test "$failed" -eq 0
