# SPDX-License-Identifier: GPL-3.0-or-later
#
# Is the second file what the first one says? "..." stands for any text within a line, and alone on
# a line for any lines. Prints the first line that is not found; exit status 1.
function pattern(text)
{
	gsub(/[][\\^$.|?*+(){}]/, "\\\\&", text)
	gsub(/\\\.\\\.\\\./, ".*", text)
	return "^" text "$"
}
# Do the lines from..to of what is wanted stand at `at`?
function stands(from, to, at,    k)
{
	for (k = from; k <= to; k++)
		if (at + k - from > has || got[at + k - from] !~ pattern(want[k]))
			return 0
	return 1
}
FNR == NR {
	want[++wants] = $0
	next
}
{ got[++has] = $0 }
END {
	at = 1
	loose = 0
	for (from = 1; from <= wants; from = to + 1) {
		to = from
		if (want[from] == "...") {
			loose = 1
			continue
		}
		while (to < wants && want[to + 1] != "...")
			to++
		last = to == wants
		start = last && loose ? has - (to - from) : at
		if (start < at)
			start = at
		while (loose && !last && start <= has && !stands(from, to, start))
			start++
		if (!stands(from, to, start)) {
			print "not found: " want[from]
			exit 1
		}
		at = start + to - from + 1
		loose = 0
	}
	if (!loose && at <= has) {
		print "not told: " got[at]
		exit 1
	}
}
