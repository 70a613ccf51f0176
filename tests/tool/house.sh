#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of the house. lib/FLOORS lists the folders of lib/, lowest first, each with the number
# of its files that stand in circles of calls.
#
#  1 an include goes to the file's own folder or to a lower floor, by path
#  2 a header *_internal.h is included in its own folder only
#  3 tools include <boxtimes.h>, and headers of their own
#  4 a file has at most 700 lines
#  5 a function has at most 80 lines and 7 parameters, unless a library calls it
#  6 a function that one file alone uses is static
#  7 no more files stand in circles of calls than lib/FLOORS says, and no fewer: then it is lowered
#  8 a public struct begins with its size
#
# Rules 6 and 7 read the symbols of the objects below BXT_BUILD.
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

awk 'FILENAME == "lib/FLOORS" { if ($1 != "") floor[$1] = ++n; next }
	FNR == 1 { split(FILENAME, own, "/") }
	/^#include "/ {
		split($2, quoted, "\""); split(quoted[2], to, "/")
		if (quoted[2] ~ /^boxtimes/) next # installed headers lie in lib/ itself
		if (!(to[1] in floor)) print FILENAME ": \"" quoted[2] "\" is in no folder of lib/FLOORS"
		else if (floor[to[1]] > floor[own[2]])
			print FILENAME ": " own[2] " is below " to[1]
	}' lib/FLOORS lib/*/*.[ch] >"$work/found"
rule "includes go to the same or a lower floor"

awk 'FNR == 1 { split(FILENAME, own, "/") }
	/^#include ".*_internal\.h"/ {
		split($2, quoted, "\""); split(quoted[2], to, "/")
		if (to[1] != own[2]) print FILENAME ": " quoted[2]
	}' lib/*/*.[ch] >"$work/found"
rule "internal headers stay in their folder"

for file in tools/*.[ch]; do
	sed -n 's/^#include "\(.*\)"/\1/p' "$file" | while read -r header; do
		test -f "tools/$header" || echo "$file: \"$header\""
	done
done >"$work/found"
rule "tools include <boxtimes.h> alone"

awk '/^typedef struct bxt_[a-z_]+ \{/ { name = $3; next }
	name && /^\t\/\*/ { comment = 1 }
	name && comment { if (/\*\//) comment = 0; next }
	name { if ($0 !~ /^\tsize_t size;/) print "lib/boxtimes.h: " name; name = "" }' lib/boxtimes.h >"$work/found"
rule "public structs begin with their size"

# ---- Sizes ----

wc -l lib/*.h lib/*/*.[ch] tools/*.[ch] tests/*/*.[ch] |
	awk '$2 != "total" && $1 > 700 { print $2 ": " $1 " lines" }' >"$work/found"
rule "files have at most 700 lines"

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
	{ if (!first) first = FNR; head = head " " $0 }' lib/*/*.c tools/*.c >"$work/found"
rule "functions have at most 80 lines and 7 parameters"

# ---- Symbols ----

# lines "FILE T SYMBOL" and "FILE U SYMBOL", FILE as lib/folder/name
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

awk 'FILENAME == "lib/FLOORS" { if ($1 != "") stated[$1] = $2 + 0; next }
	$2 == "T" { home[$3] = $1 } $2 == "U" { user[++n] = $1; uses[n] = $3 }
	END {
		for (i = 1; i <= n; i++) {
			a = user[i]; b = home[uses[i]]
			split(a, x, "/"); split(b, y, "/")
			if (x[1] == "lib" && y[1] == "lib" && x[2] == y[2] && a != b) {
				calls[a, b] = 1; files[x[2], a]; files[x[2], b]
			}
		}
		for (f in stated) {
			m = 0
			for (k in files) { split(k, p, SUBSEP); if (p[1] == f) file[++m] = p[2] }
			for (j = 1; j <= m; j++) for (i = 1; i <= m; i++) if ((file[i], file[j]) in calls)
				for (k = 1; k <= m; k++) if ((file[j], file[k]) in calls)
					calls[file[i], file[k]] = 1
			count = 0; names = ""
			for (i = 1; i <= m; i++) if ((file[i], file[i]) in calls) {
				count++; names = names " " file[i]
			}
			if (count != stated[f])
				print f ": " count " files in circles, lib/FLOORS says " stated[f] ":" names
		}
	}' lib/FLOORS "$work/symbols" | sort >"$work/found"
rule "circles of calls become fewer"

echo "$passed passed, $failed failed"
test "$failed" -eq 0
