#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures of the structure, one a line, "WHAT WHERE NUMBER". house.sh holds them to ratchets.txt,
# where they may only fall.
#
#     circles ROOM      files of the room that stand in circles of calls (needs the objects)
#     fields STRUCT     members of a structure, where there are more than 40
#     flags lib         lines outside motion that ask which scheme or step method runs
#     thresholds ROOM   named floating-point constants
#     word WORD         lines of lib, tools and the documents with a retired word
#
#     measure.sh SYMBOLS     a file of lines "FILE T|U SYMBOL", from house.sh; from the source's top
symbols=${1:?a file of symbols}

# ---- Thresholds ----

awk 'FNR == 1 { split(FILENAME, p, "/") }
	/(static const|constexpr) double [A-Z][A-Z0-9_]*( =|\[)/ {
		line = $0; n = 0
		while (match(line, /[ ,][A-Z][A-Z0-9_]* = /)) { n++; line = substr(line, RSTART + RLENGTH) }
		count[p[2] "/" p[3]] += n ? n : 1
	}
	/^#define BXT_[A-Z0-9_]+ \(?[0-9.]+(e-?[0-9]+)?( \* DBL_EPSILON)?\)?$/ { count[p[2] "/" p[3]]++ }
	END { for (r in count) print "thresholds", r, count[r] }' lib/*/*/*.[ch]

# ---- Structures: members of a definition; those of an inner structure count for the inner one ----

awk 'function close_member() {
		gsub(/\([^()]*\)/, "", member); gsub(/\([^()]*\)/, "", member)
		if (member ~ /[A-Za-z]/) { n[depth] += gsub(/,/, "", member) + 1 }
		member = ""
	}
	FNR == 1 { depth = 0; member = ""; comment = 0 }
	{
		line = $0
		if (comment) { if (!sub(/^.*\*\//, "", line)) next; comment = 0 }
		while (line ~ /\/\*.*\*\//) sub(/\/\*[^*]*(\*[^\/][^*]*)*\*\//, "", line)
		if (line ~ /\/\*/) { sub(/\/\*.*/, "", line); comment = 1 }
	}
	!depth && line ~ /^(typedef )?(struct|union)[A-Za-z_0-9 ]*\{$/ {
		depth = 1; n[1] = 0; name = line; sub(/ *\{.*/, "", name); sub(/.* /, "", name); next
	}
	depth {
		while (match(line, /[;{}]/)) {
			member = member substr(line, 1, RSTART - 1); c = substr(line, RSTART, 1)
			line = substr(line, RSTART + 1)
			if (c == ";") close_member()
			else if (c == "{") { depth++; n[depth] = 0; member = "" }
			else {
				if (depth == 1 && n[1] > 40) print "fields", name, n[1]
				depth--; member = ""
				if (!depth) break
			}
		}
		if (depth) member = member line " "
	}' lib/*.h lib/*/*/*.[ch] tools/*.[ch]

# ---- Questions about the scheme outside the storey that knows ----

for file in lib/*/*/*.[ch]; do
	case $file in lib/motion/*) continue ;; esac
	grep -E '[!=]= *&bxt_(scheme|method)_|scheme->(backward|captures|carries_momenta|exact_energy|order|symmetric|takes|uses_rule|variational)\>|bxt_is_(symmetric|pre_impulse)\(' "$file"
done | wc -l | awk '{ print "flags lib", $1 }'

# ---- Retired words ----

for word in ${BXT_RETIRED:-blame endpoint look looks monitor posed say says tell tells told}; do
	n=$(cat lib/*.h lib/*/*/*.[ch] tools/*.[ch] README.md ARCHITECTURE.md CONTRIBUTING.md docs/*.md docs/*/*.md |
		grep -cwi -e "$word")
	test "$n" -eq 0 || echo "word $word $n"
done

# ---- Circles of calls ----

awk '$2 == "T" { home[$3] = $1 } $2 == "U" { user[++n] = $1; uses[n] = $3 }
	END {
		for (i = 1; i <= n; i++) {
			a = user[i]; b = home[uses[i]]
			split(a, x, "/"); split(b, y, "/")
			room = x[2] "/" x[3]
			if (x[1] == "lib" && y[1] == "lib" && room == y[2] "/" y[3] && a != b) {
				calls[a, b] = 1; files[room, a]; files[room, b]; rooms[room]
			}
		}
		for (f in rooms) {
			m = 0
			for (k in files) { split(k, p, SUBSEP); if (p[1] == f) file[++m] = p[2] }
			for (j = 1; j <= m; j++) for (i = 1; i <= m; i++) if ((file[i], file[j]) in calls)
				for (k = 1; k <= m; k++) if ((file[j], file[k]) in calls)
					calls[file[i], file[k]] = 1
			count = 0
			for (i = 1; i <= m; i++) count += ((file[i], file[i]) in calls)
			if (count) print "circles", f, count
		}
	}' "$symbols"
