#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What bad input gets, at the command line.
#
# tests/bad/model/NAME.expect says for NAME.xml: the command with its options, the exit status, and
# all findings, line by line as on standard error, where {*} stands for figures that round-off may
# change. A file that is refused must leave nothing on standard output and make no file.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
corpus=${BXT_TESTDATA:?}/bad/model

# matches PATTERNS LINES: the same lines, {*} standing for anything
matches() {
	awk -v patterns="$1" '
	function fits(text, pattern,   n, part, i, at) {
		n = split(pattern, part, /\{\*\}/)
		if (n == 1)
			return text == pattern
		if (substr(text, 1, length(part[1])) != part[1])
			return 0
		text = substr(text, length(part[1]) + 1)
		for (i = 2; i <= n; i++) {
			at = i == n ? length(text) - length(part[i]) + 1 : index(text, part[i])
			if (at < 1 || substr(text, at, length(part[i])) != part[i])
				return 0
			text = substr(text, at + length(part[i]))
		}
		return 1
	}
	BEGIN {
		while ((getline line < patterns) > 0)
			if (++n > 2)
				pattern[n - 2] = line
		n -= 2
	}
	{
		if (NR > n || !fits($0, pattern[NR])) {
			print "    got:      " $0
			print "    expected: " (NR > n ? "(nothing)" : pattern[NR])
			bad = 1
		}
	}
	END {
		for (i = NR + 1; i <= n; i++) {
			print "    missing:  " pattern[i]
			bad = 1
		}
		exit bad
	}' "$2"
}

# ---- The corpus ----

cd "$corpus" || exit 1
for expect in *.expect; do
	file=${expect%.expect}.xml
	command=$(sed -n 1p "$expect")
	wanted=$(sed -n 2p "$expect")
	case $command in
	run*) set -- ${command#* } -o "$work/made.csv" ;;
	*) set -- ${command#* } ;;
	esac
	test "${command#* }" = "$command" && shift
	rm -f "$work/made.csv"
	run "$wanted" "${command%% *}" "$file" "$@"
	grep "^$file:" "$work/err" >"$work/findings"
	if matches "$expect" "$work/findings" >"$work/difference"; then ok; else
		fail "$file: other findings than expected"
		cat "$work/difference"
	fi
	if test "$wanted" -eq 3; then
		silent_out "$file"
		rm -f "$work/none.csv"
		"$tool" run "$file" -o "$work/none.csv" >"$work/out" 2>"$work/err" "$@"
		test $? -eq 3 && ok || fail "$file: run does not refuse it"
		test -e "$work/none.csv" && fail "$file: a file was made" || ok
		silent_out "run $file"
	elif test -e "$work/made.csv"; then
		rows "$work/made.csv"
	fi
done
for file in *.xml; do
	test -f "${file%.xml}.expect" && ok || fail "$file: no .expect"
done

# ---- Usage ----

run 2
run 2 frobnicate
says "no command 'frobnicate'"
run 2 run
run 2 run "$good/rlc-series.xml" "$good/rlc-series.xml"
run 2 compare "$good/rlc-series.xml"
run 2 run --frobnicate "$good/rlc-series.xml"
says "no such option '--frobnicate'"
run 2 check --map a=b "$good/rlc-series.xml"
run 2 info --json "$good/rlc-series.xml"
for bad in "--step" "--step=0" "--step=-1" "--step=soon" "--end=nan" "--every=0" "--every=x" \
	"--every=1.5" "--set=R1.R" "--set=R1.R=" "--set==1"; do
	run 2 run "$good/rlc-series.xml" "$bad"
	silent_out "run $bad"
done
for bad in "--map=a" "--map==b" "--map=a=" "--tol=0" "--tol=x" "--tol=-1"; do
	run 2 compare "$good/rlc-parallel.xml" "$good/rlc-torn.xml" "$bad"
done
run 2 run "$good/rlc-series.xml" --json -o -
for command in run check info compare; do
	run 0 $command --help
	silent_err "$command --help"
	grep -q "^usage: boxtimes $command" "$work/out" && ok || fail "$command --help does not teach"
done
run 0 --help
run 0 --version
run 3 run "$work/none.xml"
says "cannot be read"
run 3 run "$good"
says "cannot be read"
run 3 check "$good/rlc-series.xml" "$work/none.xml" "$corpus/no-elements.xml"
grep -q "rlc-series.xml: ok" "$work/out" && ok || fail "check stops at the first bad file"

# ---- Settings ----

run 0 run "$good/rlc-series.xml" --quiet
silent_err "--quiet"
cp "$work/out" "$work/plain"
run 0 run - --quiet <"$good/rlc-series.xml"
cmp -s "$work/out" "$work/plain" && ok || fail "standard input gives other rows"
for step in "=1/48000" "=pi/(48000*pi)"; do
	run 0 run "$good/rlc-series.xml" --quiet --step "$step" --end "=2*0.01"
	cmp -s "$work/out" "$work/plain" && ok || fail "--step $step gives other rows"
done
run 0 run "$good/rlc-series.xml" --quiet --step "=1/0" --step 0.02ms --end 0.1ms
test "$(wc -l <"$work/out")" -eq 7 && ok || fail "--step 0.02ms --end 0.1ms: not 6 rows"
run 3 run "$good/rlc-series.xml" --step "=1/"
says "column 3 of '1/'"
run 3 run "$good/rlc-series.xml" --step "=t"
run 3 run "$good/rlc-series.xml" --record "C1.w"
says "'C1' has no 'w'"
run 3 run "$good/rlc-series.xml" --scheme gaus1
says "did you mean 'gauss1'?"
run 3 run "$good/rlc-series.xml" --set "R2.R=1"
says "did you mean 'R1'?"
run 0 run "$good/rlc-series.xml" -L "$work/nowhere" --end 0.001
says "cannot be read"

# the library tells what is wrong with a component once; the next file is refused as well
mkdir "$work/lib"
echo '<component xmlns="urn:boxtimes:component:1" name="thing"><prot name="p"/></component>' >"$work/lib/thing.xml"
echo '<netlist xmlns="urn:boxtimes:netlist:1"><thing id="T1" p="a"/></netlist>' >"$work/one.xml"
cp "$work/one.xml" "$work/two.xml"
run 3 check "$work/one.xml" "$work/two.xml" -L "$work/lib"
says "did you mean 'port'?"
says "two.xml:1: error: the library's component 'thing' has errors"

# ---- Netlists of the library ----

# an included file is looked for beside its includer, then in -L, then in BOXTIMES_PATH
mkdir "$work/first" "$work/second" "$work/own"
part() { echo '<netlist xmlns="urn:boxtimes:netlist:1"><resistor id="'"$1"'" p="a" n="0" R="1 ohm"/></netlist>'; }
echo '<netlist xmlns="urn:boxtimes:netlist:1"><simulation step="1 s" end="1 s"/>
<subsystem id="s" href="part.xml"/></netlist>' >"$work/own/top.xml"
BOXTIMES_PATH="$work/second:$BOXTIMES_PATH"
run 3 check "$work/own/top.xml" -L "$work/first"
says "top.xml:2: error: href 'part.xml' is not found; looked for $work/own/part.xml, $work/first/part.xml, $work/second/part.xml"
part Second >"$work/second/part.xml"
run 0 run "$work/own/top.xml" -L "$work/first" --quiet
shows "s.Second.q"
part First >"$work/first/part.xml"
run 0 run "$work/own/top.xml" -L "$work/first" --quiet
shows "s.First.q"
run 0 list -L "$work/first" resistor
hides "part "
part Own >"$work/own/part.xml"
run 0 run "$work/own/top.xml" -L "$work/first" --quiet
shows "s.Own.q"

# ---- Where things go ----

run 0 run "$good/rlc-series.xml" --json --quiet -o "$work/a.csv"
rows "$work/a.csv"
shows '"C1.q": "C"'
test "$(head -n 1 "$work/a.csv")" = "time [s],C1.q [C],L1.i [A],node(b).v [V],energy [J],supplied [J],dissipated [J]" && ok ||
	fail "the first line of the CSV: $(head -n 1 "$work/a.csv")"
run 0 run "$good/rlc-series.xml" --quiet --plain-header -o "$work/plain.csv"
test "$(head -n 1 "$work/plain.csv")" = "time,C1.q,L1.i,node(b).v,energy,supplied,dissipated" && ok ||
	fail "--plain-header: $(head -n 1 "$work/plain.csv")"
tail -n +2 "$work/a.csv" >"$work/rows.units"
tail -n +2 "$work/plain.csv" | cmp -s - "$work/rows.units" && ok || fail "--plain-header gives other rows"
run 0 run "$good/rlc-series.xml" --quiet --accuracy --plain-header -o "$work/plain.csv"
test "$(head -n 1 "$work/plain.csv")" = "time,C1.q,L1.i,node(b).v,energy,supplied,dissipated" && ok ||
	fail "--accuracy --plain-header: $(head -n 1 "$work/plain.csv")"
run 0 info "$good/rlc-series.xml"
shows "records C1.q [C], L1.i [A], node(b).v [V]"
run 0 run "$good/rlc-series.xml" --json --quiet -o "$work/a.csv"
# the shape of JSON: brackets and quotes balance, nothing but one object
awk '{ text = text $0 "\n" }
END {
	gsub(/\\./, "", text)
	gsub(/"[^"]*"/, "0", text)
	if (text ~ /nan|inf|"/)
		exit 1
	gsub(/true|false|null/, "0", text)
	gsub(/-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/, "0", text)
	gsub(/[ \n\t]/, "", text)
	do {
		before = text
		gsub(/\{\}|\{0:0(,0:0)*\}|\[\]|\[0(,0)*\]/, "0", text)
	} while (text != before)
	exit text != "0"
}' "$work/out" && ok || fail "--json is not JSON"
run 0 run "$good/rlc-series.xml" --json --quiet
head -c 1 "$work/out" | grep -q '{' && ok || fail "--json without -o writes CSV"
# of a first step that fails the start is written, with what follows from it alone: 1 V - 2 V at R
cat >"$work/first.xml" <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <simulation step="0.1 s" end="1 s"/>
  <voltage-source id="V" p="a" n="0" e="=if(t &gt; 0, 1/0, 1)"/>
  <resistor id="R" p="a" n="b" R="1"/>
  <capacitor id="C" p="b" n="0" C="1" q="2 C"/>
  <inductor id="L" p="b" n="0" L="1" i="3 A"/>
  <record>C.q, L.i, L.p, R.i, node(b).v, energy, power(R.p)</record>
</netlist>
XML
for scheme in gauss1 gauss2 dirac+ theta discrete-gradient; do
	run 4 run "$work/first.xml" --scheme $scheme -o "$work/first.csv"
	says "in the equation of V.q"
	rows "$work/first.csv"
	test "$(tail -n +2 "$work/first.csv")" = "0,2,3,3,-1,2,6.5,-1" && ok ||
		fail "$scheme: $(tail -n 1 "$work/first.csv") is written of a step that failed"
done
run 4 run "$good/rlc-series.xml" --quiet -o "$work/no/such/folder.csv"
says "cannot write"
run 4 compare "$good/rlc-parallel.xml" "$good/rlc-torn.xml" --quiet -o "$work/no/such/folder.csv"
says "cannot write"
if test -w /dev/full; then
	run 4 run "$good/rlc-series.xml" --quiet -o /dev/full
	says "cannot write '/dev/full'"
	run 4 run "$good/rlc-series.xml" --step 0.1 --end 0.2 --quiet -o /dev/full # at its end: few rows
	says "cannot write '/dev/full'"
	"$tool" run "$good/rlc-series.xml" --quiet >/dev/full 2>"$work/err"
	test $? -eq 4 && ok || fail "a full standard output goes unnoticed"
	says "cannot write"
	"$tool" run "$good/rlc-series.xml" --json --quiet >/dev/full 2>"$work/err"
	test $? -eq 4 && ok || fail "a full standard output goes unnoticed with --json"
	"$tool" compare "$good/rlc-parallel.xml" "$good/rlc-torn.xml" --quiet >/dev/full 2>"$work/err"
	test $? -eq 4 && ok || fail "a full standard output goes unnoticed by compare"
	says "cannot write"
fi
# a disk that fills up in the middle of a row
(
	trap '' XFSZ
	ulimit -f 8 || exit 4
	exec "$tool" run "$good/rlc-series.xml" --quiet -o "$work/cut.csv"
) 2>"$work/err"
test $? -eq 4 && ok || fail "a file size limit goes unnoticed"
says "cannot write"
rows "$work/cut.csv"

# ---- Comparing ----

run 0 compare "$good/rlc-parallel.xml" "$good/rlc-torn.xml" --quiet
run 0 compare "$good/rlc-parallel.xml" "$good/rlc-torn.xml" --quiet --map "C1.q=store.C1.q" --json
sed 's/C="1 F"/C="2 F"/' "$good/rlc-torn.xml" >"$work/other.xml"
run 1 compare "$good/rlc-parallel.xml" "$work/other.xml" --quiet
grep -q "beyond the tolerance" "$work/out" && ok || fail "compare does not say what differs"
run 0 compare "$good/rlc-parallel.xml" "$work/other.xml" --quiet --tol 1000
run 3 compare "$good/rlc-parallel.xml" "$good/rlc-torn.xml" --quiet --map "C1.x=store.C1.q"
run 3 compare "$good/rlc-parallel.xml" "$good/rlc-series.xml" --quiet --record "R1.i"
run 3 compare "$good/rlc-parallel.xml" "$corpus/no-elements.xml"

finish
