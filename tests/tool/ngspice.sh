#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Circuits against ngspice: tests/decks/NAME.cir is netlists/NAME.xml for it. Waveforms are
# compared at our times, ngspice's interpolated between its own. Skipped without ngspice.
command -v ngspice >/dev/null 2>&1 || {
	echo "skipped: ngspice is not installed"
	exit 77
}
: "${BXT_TOOL:?}" "${BXT_NETLISTS:?}" "${BXT_TESTDATA:?}"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0

# compare NAME STEP TOLERANCE "VECTOR=SIGNAL ..."
# The tolerance is of a signal's maximum. ngspice controls its local error to a part of 1e-3 (its
# default, 1e-4 was measured at most) and is asked for steps far below a period; ours are of order 2
# with the step given here.
compare()
{
	name=$1 step=$2 tolerance=$3 vectors= signals=
	for pair in $4; do
		vectors="$vectors ${pair%%=*}"
		signals="$signals${signals:+, }${pair#*=}"
	done
	{
		grep -v '^\.end$' "$BXT_TESTDATA/decks/$name.cir"
		printf '.control\nset numdgt=12\nrun\nwrdata %s/spice.data%s\nquit 0\n.endc\n.end\n' \
			"$folder" "$vectors"
	} >"$folder/deck.cir"
	rm -f "$folder/spice.data" "$folder/ours.csv"
	if ! ngspice -b "$folder/deck.cir" >"$folder/spice.log" 2>&1 </dev/null &&
		test ! -s "$folder/spice.data"; then
		cat "$folder/spice.log"
	fi
	"$BXT_TOOL" run "$BXT_NETLISTS/$name.xml" --quiet --scheme gauss1 --step "$step" \
		--record "$signals" -o "$folder/ours.csv" 2>"$folder/ours.log" || cat "$folder/ours.log"
	if test -s "$folder/spice.data" && test -s "$folder/ours.csv" &&
		LC_ALL=C awk -v name="$name" -v tolerance="$tolerance" -f - \
			"$folder/spice.data" "$folder/ours.csv" <<'AWK'
# the first file: pairs of time and value for each vector
FNR == NR {
	if (n && $1 <= time[n])
		next
	time[++n] = $1
	width = NF / 2
	for (j = 1; j <= width; j++)
		spice[n, j] = $(2 * j)
	at = 1
	next
}
# the second: CSV with a header
FNR == 1 {
	columns = split($0, title, ",")
	next
}
{
	split($0, value, ",")
	t = value[1] + 0
	while (at < n - 1 && time[at + 1] < t)
		at++
	if (t < time[1] || t > time[n] * (1 + 1e-9))
		next
	part = (t - time[at]) / (time[at + 1] - time[at])
	rows++
	for (j = 1; j <= width; j++) {
		ours = value[j + 1] + 0
		theirs = spice[at, j] + part * (spice[at + 1, j] - spice[at, j])
		d = ours > theirs ? ours - theirs : theirs - ours
		size = ours < 0 ? -ours : ours
		if (d > most[j]) {
			most[j] = d
			when[j] = t
		}
		if (size > scale[j])
			scale[j] = size
	}
}
END {
	bad = rows < 100 || columns != width + 1
	if (bad)
		printf "%s: %d rows of %d columns can be compared with %d\n", name, rows, columns - 1, width
	for (j = 1; j <= width; j++) {
		good = most[j] <= tolerance * scale[j] && scale[j] > 0
		printf "%s %s: %.1e of %.4g apart at t = %g, %s\n", name, title[j + 1], \
			most[j] / (scale[j] > 0 ? scale[j] : 1), scale[j], when[j], good ? "ok" : "NOT OK"
		bad = bad || !good
	}
	exit bad
}
AWK
	then
		passed=$((passed + 1))
	else
		echo "$name: ngspice and boxtimes do not agree"
		failed=$((failed + 1))
	fi
}

compare rlc-series "=1/480000" 5e-4 "v(b)=node(b).v i(l1)=L1.i"
compare rlc-parallel "5 ms" 5e-4 "v(a)=node(a).v i(l1)=L1.i"
compare rlc-torn "5 ms" 5e-4 "v(a)=node(loop.a).v i(l1)=loop.L1.i"
compare rlc-resonator "5 ms" 5e-4 "v(b)=node(b).v i(l1)=L1.i"
compare lc-leok-ohsawa "=pi/500" 5e-4 "v(a)=node(a).v v(b)=node(b).v i(l1)=l.i"
compare rcl-ladder "5 ms" 5e-4 "v(n1)=node(n1).v v(n3)=node(n3).v v(n5)=node(n5).v"
compare vc-loop "10 us" 5e-4 "v(a)=node(a).v v(b)=node(b).v"
compare c-loop "10 us" 5e-4 "v(a)=node(a).v v(b)=node(b).v"
compare l-cutset "5 us" 5e-4 "i(l1)=L1.i i(l2)=L2.i i(l3)=L3.i"
compare bridge-rectifier "10 us" 5e-4 "v(out)=node(out).v"
compare ua741 "20 ns" 5e-4 "v(out)=node(out).v v(g)=node(g).v"

echo "$passed passed, $failed failed"
test "$failed" -eq 0
