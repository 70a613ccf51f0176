#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# boxtimes sweep and dc: what --set varies and what it only sets, files of cases, exit statuses.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
cd "$work" || exit 1

cat >rc.xml <<'END'
<netlist xmlns="urn:boxtimes:netlist:1" name="rc">
  <simulation step="10 us" end="1 ms" scheme="gauss3"/>
  <voltage-source id="V" p="in" n="0" e="2 V"/>
  <resistor id="R" p="in" n="out" R="1 kohm"/>
  <capacitor id="C" p="out" n="0" C="1 uF"/>
  <record>node(out).v, C.q</record>
</netlist>
END

# ---- Cases ----

run 0 sweep rc.xml --set 'R.R=1 kohm : 2 kohm : 3' --set 'C.C=1 uF, 2 uF' -o a.csv
silent_out "sweep -o"
test "$(wc -l <a.csv)" -eq 7 && ok || fail "not six cases"
head -n 1 a.csv | grep -qxF 'R.R [ohm],C.C [F],node(out).v [V],C.q [C]' && ok || fail "columns"
run 0 sweep rc.xml --set 'R.R=1 kohm : 2 kohm : 3' --set 'C.C=1 uF, 2 uF' --jobs 3 -o b.csv
cmp -s a.csv b.csv && ok || fail "threads change numbers"
# 2 (1 - exp(-1)) = 1.26424111765711
awk -F, 'NR == 2 { exit !($3 > 1.26424111765 && $3 < 1.26424111766) }' a.csv && ok || fail "the first case"
# what does not vary is set in all cases
run 0 sweep rc.xml --set 'R.R=1 kohm, 2 kohm' --set 'C.C=2 uF' --set V.e==1+1 --measure 'max(C.q)'
test "$(wc -l <"$work/out")" -eq 3 && ok || fail "not two cases"
shows 'R.R [ohm],max(C.q) [C]'

printf 'R.R [kohm],C.C [uF]\n1,1\n2,2\n' >cases.csv
run 0 sweep rc.xml --cases cases.csv
awk -F, 'NR == 3 { exit !($1 == 2000 && $2 > 1.99e-6 && $2 < 2.01e-6) }' "$work/out" && ok || fail "units of cases"
run 0 sweep rc.xml --cases cases.csv --set 'V.e=1 V +- 10 %' --random 5
test "$(wc -l <"$work/out")" -eq 11 && ok || fail "not ten cases"
run 0 dc rc.xml --set 'V.e=1 V : 3 V : 3' --record 'node(out).v' --quiet
test "$(wc -l <"$work/out")" -eq 4 && ok || fail "not three points"
awk -F, 'NR > 1 && ($2 - $1) ^ 2 > 1e-18 { exit 1 }' "$work/out" && ok || fail "at rest a capacitor has the source's voltage"

# at rest a source is what it is given, and no step is made
sed 's/ step="[^"]*"//; s/ end="[^"]*"//; s/e="2 V"/e="=2 + sin(t)"/' rc.xml >wave.xml
grep -q 'step=' wave.xml && fail "a step" || ok
run 0 dc wave.xml --set 'V.e=1 V : 3 V : 3' --record 'node(out).v' --quiet
awk -F, 'NR > 1 && ($2 - $1) ^ 2 > 1e-18 { exit 1 }' "$work/out" && ok || fail "the source has what it is given"

# ---- Pictures ----

if command -v gnuplot >/dev/null; then
	run 0 sweep rc.xml --set 'R.R=1 kohm : 2 kohm : 3' --set 'C.C=1 uF, 2 uF' --plot curves.svg
	test -s "$work/out" && fail "CSV beside the picture" || ok
	grep -q 'C.C = 2e-06 F' curves.svg && ok || fail "no curve for each C"
	run 0 sweep rc.xml --set 'R.R=1 kohm : 2 kohm : 3' --waveforms waves.svg -o waves.csv
	grep -q 'R.R = 1500 ohm' waves.svg && ok || fail "no curve for each R"
	test "$(wc -l <waves.csv)" -eq 4 && ok || fail "no CSV beside -o"
	run 0 sweep rc.xml --set 'R.R=1 kohm +- 10 %' --random 9 --plot cloud.svg
	run 0 dc rc.xml --set 'V.e=1 V : 3 V : 3' --record 'node(out).v' --quiet --plot dc.svg
	for name in curves waves cloud dc; do
		grep -q '<svg' "$name.svg" && ok || fail "no picture $name"
	done
fi
run 2 sweep rc.xml --set 'R.R=1 kohm +- 10 %' --random 9 --waveforms w.svg
says "without --cases and --random"
run 2 sweep rc.xml --set 'R.R=1, 2' --plot w.gif

# ---- What is refused ----

run 2 sweep rc.xml
says "nothing varies"
run 2 sweep rc.xml --set 'R.R=2 kohm'
run 2 sweep rc.xml --set 'R.R=1, 2' -o rc.xml
says "would overwrite"
run 3 sweep rc.xml --set 'R.RR=1, 2' --set 'C.C=1 m, 2 m' -o no.csv
says "did you mean 'R.R'?"
says "'1 m' has the wrong unit"
test -e no.csv && fail "a file was made" || ok
run 3 sweep rc.xml --set 'R.R=1, 2' --measure 'max(C.q'
run 3 sweep rc.xml --cases nowhere.csv
says "nowhere.csv"
printf 'R.R [m]\n1\n' >bad.csv
run 3 sweep rc.xml --cases bad.csv
says "column 'R.R' is in m"
printf 'R.R\n1\nx\n' >bad.csv
run 3 sweep rc.xml --cases bad.csv
says "bad.csv:3"
run 4 sweep rc.xml --set 'C.C=1 uF, -1 uF'
says "1 of 2 cases failed"
shows ',nan'
finish
