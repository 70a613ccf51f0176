#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# boxtimes sensitivity, steady and fit: what they write, exit statuses, files that are not overwritten.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
cd "$work" || exit 1

cat >rc.xml <<'END'
<netlist xmlns="urn:boxtimes:netlist:1" name="rc">
  <simulation step="1 ms" end="20 ms" scheme="gauss1"/>
  <voltage-source id="V" p="in" n="0" e="=sin(2*pi*50*t)"/>
  <resistor id="R" p="in" n="out" R="1 kohm"/>
  <capacitor id="C" p="out" n="0" C="10 uF"/>
  <record>node(out).v</record>
</netlist>
END

# ---- sensitivity ----

run 0 sensitivity rc.xml --by 'R.R, C.C' -o s.csv
silent_out "sensitivity -o"
head -n 1 s.csv | grep -qxF 'time [s],node(out).v [V],d(node(out).v)/d(R.R) [V/ohm],d(node(out).v)/d(C.C) [V/F]' && ok ||
	fail "columns"
test "$(wc -l <s.csv)" -eq 22 && ok || fail "not 21 rows"
# the voltage depends on R C alone: both derivatives of the logarithm are the same
awk -F, 'NR > 1 { d = $3 * 1000 - $4 * 1e-5; if (d > 1e-9 || d < -1e-9) exit 1 }' s.csv && ok || fail "R and C differ"
run 0 sensitivity rc.xml --by R.R -o s.raw
head -c 5 s.raw | grep -q Title && ok || fail "no raw file"
run 2 sensitivity rc.xml
says "--by is missing"
run 2 sensitivity rc.xml --by R.R -o rc.xml
says "would overwrite"
run 3 sensitivity rc.xml --by R.RR -o no.csv
says "did you mean 'R.R'?"
run 3 sensitivity rc.xml --by R.R --tolerance 1e-6 -o no.csv
says "leave the tolerance out"
test -e no.csv && fail "a file was made" || ok

# ---- steady ----

run 0 steady rc.xml --period '20 ms' -o p.csv --checkpoint p.state
says "multiplier 0.135"
awk -F, 'NR == 2 { first = $2 } END { d = $2 - first; exit !(d < 1e-12 && d > -1e-12) }' p.csv && ok ||
	fail "the period does not return"
run 0 run rc.xml --continue p.state -o on.csv
run 0 steady rc.xml --period 0.02 --json
shows '"multipliers": ['
run 2 steady rc.xml
says "--period is missing"
run 2 steady rc.xml --period 0.02 -o rc.xml
run 2 steady rc.xml --period 0.02 --checkpoint rc.xml
run 3 steady rc.xml --period 0.013 -o no.csv
says "another period than 0.013 s"

run 0 steady "$good/colpitts.xml" --oscillator --json
shows '"period": 1.04446'
shows '"period_error": 4.98'
run 0 steady "$good/colpitts.xml" --oscillator --period '10 us' -o c.csv
says "s by its steps, frequency 95741.9"
says "multiplier -0.891"
run 3 steady rc.xml --oscillator --end '50 ms' -o no.csv
says "knows the time"
run 3 steady "$good/relay-oscillator.xml" --oscillator
says "the model switches"

# ---- fit ----

run 0 run rc.xml --set R.R='3 kohm' -o data.csv
run 0 fit rc.xml --to data.csv --vary R.R -o fitted.xml
shows "R.R = 3000 ohm"
grep -q 'R="\(3000\|2999.99999\)[0-9.]* ohm"' fitted.xml && ok || fail "the netlist has another value"
run 0 run fitted.xml -o again.csv
run 0 fit rc.xml --to data.csv --vary 'R.R, C.C' --json
says "do not determine R.R, C.C"
shows '"covariance": null'
shows '"error": null'
run 2 fit rc.xml --to data.csv
says "--vary LIST are needed"
run 2 fit rc.xml --to data.csv --vary R.R -o data.csv
says "would overwrite"
run 3 fit rc.xml --to nowhere.csv --vary R.R
says "nowhere.csv"
printf 'time,node(oot).v\n0,1\n' >bad.csv
run 3 fit rc.xml --to bad.csv --vary R.R
finish
