#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# ac, linearize and modes at the command line: what they write, their exit statuses, and files that
# stay.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
rlc="$good/rlc-series.xml"

# ---- ac ----

run 0 ac "$rlc" --from V1.e --to 'node(b).v, L1.i' --dec 10 10 1e5
shows 'frequency [Hz],abs(node(b).v) [1],arg(node(b).v) [deg],abs(L1.i) [A/V],arg(L1.i) [deg]'
test "$(wc -l <"$work/out")" -eq 42 && ok || fail "$(wc -l <"$work/out") lines"
# 1/(1 + s R C + s^2 L C) at 1 kHz
awk -F, '$1 > 999.999 && $1 < 1000.001 {
	w = 2 * 3.14159265358979 * $1; re = 1 - w * w * 0.05 * 2e-6; im = w * 1000 * 2e-6
	off = $2 * sqrt(re * re + im * im) - 1; found = off < 1e-9 && off > -1e-9 }
	END { exit !found }' "$work/out" && ok || fail "the magnitude at 1 kHz is off"
cp "$work/out" "$work/once"
run 0 ac "$rlc" --from V1.e --to 'node(b).v, L1.i' --dec '10 10 1e5' -o "$work/ac.csv"
cmp -s "$work/ac.csv" "$work/once" && ok || fail "not the same each time"
run 0 ac "$rlc" --oct 2 1 8 --from 'V1.e, R1.R' --to L1.i --form complex
shows 're(L1.i / V1.e) [A/V],im(L1.i / V1.e) [A/V],re(L1.i / R1.R) [A/ohm],im(L1.i / R1.R) [A/ohm]'
test "$(wc -l <"$work/out")" -eq 8 && ok || fail "$(wc -l <"$work/out") lines"
run 0 ac "$rlc" --lin 3 0 100 --from V1.e --to 'node(b).v' --form db
shows 'abs(node(b).v) [dB]'
grep -q '^0,0,0$\|^0,-\{0,1\}[0-9.e-]*e-1[0-9],' "$work/out" && ok || fail "0 dB at 0 Hz"
if command -v gnuplot >/dev/null; then run 0 plot "$work/ac.csv" --log x; fi

run 2 ac "$rlc" --from V1.e --to 'node(b).v'
says "one of --dec, --oct and --lin"
run 2 ac "$rlc" --dec 10 1 1e3 --to L1.i
run 2 ac "$rlc" --from V1.e --to L1.i --dec 10 1
says "--dec takes three numbers"
run 2 ac "$rlc" --from V1.e --to L1.i --dec 10 0 1e3
run 2 ac "$rlc" --from V1.e --to L1.i --dec 1.5 1 1e3
run 2 ac "$rlc" --from V1.e --to L1.i --lin 5 1e3 1
run 2 ac "$rlc" --from V1.e --to L1.i --lin 5 1 x
run 2 ac "$rlc" --from V1.e --to L1.i --lin 5 1 2 --form bode
run 3 ac "$rlc" --from 'V1.ee, R1' --to 'L1.j, energy' --lin 5 1 2 -o "$work/none.csv"
says "'V1.ee' is no numeric parameter of an element, no <input> and no signal (did you mean 'V1.e'?)"
says "'R1' is no numeric parameter"
says "'L1' has no 'j'"
test -e "$work/none.csv" && fail "a file was made" || ok
run 3 ac "$good/level-control.xml" --from C.K --to C.i --lin 5 1 2
says "level-control.xml:"
says "element 'C' (sampled-pid) is sampled"
cp "$rlc" "$work/model.xml"
run 2 ac "$work/model.xml" --from V1.e --to L1.i --lin 5 1 2 -o "$work/model.xml"
cmp -s "$rlc" "$work/model.xml" && ok || fail "an input was overwritten"
if command -v gnuplot >/dev/null; then
	run 0 ac "$rlc" --from V1.e --to 'node(b).v' --dec 10 10 1e5 --plot "$work/bode.svg"
	grep -q '<svg' "$work/bode.svg" && grep -q 'frequency' "$work/bode.svg" && ok || fail "no picture"
	test -s "$work/out" && fail "CSV beside the picture" || ok
fi

# ---- linearize ----

run 0 linearize "$rlc" --from V1.e --to 'node(b).v' -o "$work/rlc"
says "E, A: 8 unknowns; B: 1 inputs; C: 1 outputs"
for name in E.mtx A.mtx B.mtx C.mtx D.mtx names.csv; do
	test -s "$work/rlc/$name" && ok || fail "$name is missing"
done
ls "$work/rlc" | grep -q part && fail "a part is left" || ok
run 0 linearize "$rlc" --from V1.e --to 'node(b).v' -o "$work/rlc.mat"
head -c 10 "$work/rlc.mat" | grep -qx "MATLAB 5.0" && ok || fail "no file of MATLAB"
cp "$rlc" "$work/own.mat"
run 2 linearize "$work/own.mat" -o "$work/own.mat"
run 2 linearize "$rlc"
says "-o FOLDER is missing"
run 4 linearize "$rlc" -o "$work/none/rlc"
mkdir "$work/own" && cp "$good"/msd-chain* "$work/own"
sed 's/msd-chain-j.mtx/E.mtx/' "$work/own/msd-chain.xml" >"$work/own/m.xml"
cp "$work/own/msd-chain-j.mtx" "$work/own/E.mtx"
run 2 linearize "$work/own/m.xml" -o "$work/own"
cmp -s "$work/own/msd-chain-j.mtx" "$work/own/E.mtx" && ok || fail "an input was overwritten"

run 0 linearize "$rlc" --from V1.e --to 'node(b).v' --reduce -o "$work/states"
says "A: 2 states; B: 1 inputs; C: 1 outputs; names.csv; transfer functions equal to"
for name in A.mtx B.mtx C.mtx D.mtx names.csv; do
	test -s "$work/states/$name" && ok || fail "$name is missing"
done
test -e "$work/states/E.mtx" && fail "there is an E" || ok
grep -q '^%%MatrixMarket matrix array real general$' "$work/states/A.mtx" && ok || fail "A is no array"
grep -qx 'state,2,"L1.i","A"' "$work/states/names.csv" && ok || fail "L1.i is no state"
run 0 linearize "$rlc" --from V1.e --to 'node(b).v' --reduce -o "$work/states.mat"
run 3 linearize "$good/vc-loop.xml" --from V1.e --to C1.i --reduce -o "$work/none.mat"
says "'C1.i' follows a derivative of 'V1.e'"
test -e "$work/none.mat" && fail "a file was made" || ok

# ---- modes ----

run 0 modes "$rlc"
shows "-513.167019495"
shows "-19486.8329805"
run 0 modes "$good/spring-chain-torn.xml"
shows "0.445041867913"
shows "1.24697960372"
shows "1.8019377358"
run 0 modes "$rlc" --json -o "$work/modes.json"
grep -q '"part": "L1"' "$work/modes.json" && ok || fail "no part in the JSON"
run 0 modes "$good/four-bar.xml"
says "the start is no equilibrium"
run 0 modes "$good/spring-chain.xml" --count 1 --near 0.2
test "$(wc -l <"$work/out")" -eq 2 && ok || fail "not one mode"
shows "1.24697960372"
run 2 modes "$rlc" --near -1
says "--near '-1' is not a frequency"
run 2 modes "$rlc" --count 0
awk 'BEGIN { print "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"long\">"
	for (i = 0; i < 2500; i++) {
		printf "<mass id=\"M%d\" a=\"n%d\" m=\"1 kg\"/>", i, i
		if (i) printf "<spring id=\"K%d\" a=\"n%d\" b=\"n%d\" k=\"1 N/m\"/>", i, i - 1, i
		else print "<spring id=\"K0\" a=\"wall\" b=\"n0\" k=\"1 N/m\"/>"
	}
	print "</netlist>" }' >"$work/long.xml"
# 2 sin(pi/10002) = 0.000628192884826, if there is ARPACK
if "$tool" modes "$work/long.xml" --json >"$work/out" 2>"$work/err"; then
	says "the 10 modes next to 0 Hz of a model with 5000 unknowns that have a rate"
	shows '"im": 0.0006281928'
	shows '"residual"'
else
	says "the model has 5000 states"
	says "libarpack2-dev"
fi
run 3 modes "$good/boost-control.xml"
says "is sampled"
run 3 modes "$work/none.xml"
# ---- Families ----

run 0 modes "$rlc" --set 'R1.R=10 ohm, 1 kohm'
shows 'R1.R [ohm],mode,re [s-1],im [s-1],error [s-1],frequency [Hz],damping [1]'
# -R/2L +- sqrt: -100 and a pair, then -513.167, -19486.8
awk -F, 'NR == 2 { a = $1 == 10 && $3 > -100.0001 && $3 < -99.9999 } NR == 4 { b = $1 == 1000 && $3 < -19486.8 && $4 == 0 }
	END { exit !(a && b && NR == 4) }' "$work/out" && ok || fail "the modes of two cases"
run 0 ac "$rlc" --from V1.e --to 'node(b).v' --lin 2 0 100 --set 'R1.R=10 ohm, 1 kohm' --form complex
shows 're(node(b).v; R1.R = 1000 ohm) [1]'
cp "$work/out" "$work/both"
run 0 ac "$rlc" --from V1.e --to 'node(b).v' --lin 2 0 100 --set 'R1.R=1 kohm' --form complex
cut -d, -f1,4,5 "$work/both" | sed 1d >"$work/second"
sed 1d "$work/out" | cmp -s - "$work/second" && ok || fail "a case is not the model with its value"
run 3 modes "$rlc" --set 'R1.RR=1 ohm, 2 ohm'
says "did you mean 'R1.R'?"
run 3 modes "$rlc" --set 'R1.R=1 ohm, -2 ohm'
says "in case 2: R1.R = -2 ohm"
run 2 modes "$rlc" --set 'R1.R=1 ohm, 2 ohm' --json
run 2 modes "$rlc" --plot "$work/roots.txt"
says "pictures end in .svg"
run 2 ac "$rlc" --from V1.e --to 'node(b).v' --lin 2 1 10 --set 'R1.R=1 ohm, 2 ohm' -o "$work/x.raw"
says "a raw file holds one model"
if command -v gnuplot >/dev/null; then
	run 0 modes "$rlc" --plot "$work/roots.svg"
	run 0 modes "$rlc" --set 'R1.R=10 ohm : 1 kohm : log : 9' --plot "$work/locus.svg" -o "$work/locus.csv"
	run 0 ac "$rlc" --from V1.e --to 'node(b).v' --dec 10 10 1e5 --nyquist "$work/nyquist.svg"
	run 0 ac "$rlc" --from V1.e --to 'node(b).v' --dec 10 10 1e5 --set 'R1.R=10 ohm, 1 kohm' --plot "$work/family.svg"
	for name in roots locus nyquist family; do
		grep -q '<svg' "$work/$name.svg" && ok || fail "no picture $name"
	done
	test -s "$work/out" && fail "CSV beside the picture" || ok
	test "$(wc -l <"$work/locus.csv")" -gt 9 && ok || fail "no CSV beside -o"
	grep -q 'R1.R = 1000 ohm' "$work/locus.svg" && ok || fail "no legend"
fi

# ---- Raw files ----

cd "$work" || exit 1
set -- "$good/rlc-series.xml" --from V1.e --to 'node(b).v, L1.i' --dec 2 1e3 1e5
run 0 ac "$@" --form complex -o complex.csv
run 0 ac "$@" --ascii -o text.raw
for line in 'Plotname: AC Analysis' 'Flags: complex' 'No. Variables: 3' 'No. Points: 5 ' '	0	frequency	frequency' '	1	v(b)	voltage' '	2	i(L1)	current'; do
	grep -qF "$line" text.raw && ok || fail "text.raw has no line '$line'"
done
# frequency,0 and pairs, as in the CSV
sed '1,/^Values:/d' text.raw | tr -d ' ' | awk -F'[\t,]' '
	NF == 3 && $1 != "" { if (line != "") print line; line = $2 ; next }
	{ line = line "," $2 "," $3 } END { print line }' >numbers
sed 1d complex.csv | awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) a[FNR, i] = $i; n = FNR; next }
	{ for (i = 1; i <= NF; i++) { d = a[FNR, i] - $i; if (d < 0) d = -d
		if (NF != 5 || d > 1e-14 * ($i < 0 ? -$i : $i)) bad = 1 } }
	END { exit bad || n != 5 || FNR != 5 }' numbers - && ok || fail "text.raw has other numbers than the CSV"
run 0 ac "$@" -o binary.raw
test "$(sed -n '1,/^Binary:/p' binary.raw | wc -c)" -eq "$(($(wc -c <binary.raw) - 5 * 3 * 16))" && ok || fail "binary.raw has another size"
if command -v ngspice >/dev/null; then
	printf 'raw\nv1 1 0 1\n.control\nload binary.raw\nset filetype=ascii\nwrite back.raw v(b)\n.endc\n.end\n' >load.cir
	ngspice -b load.cir >ngspice.log 2>&1
	value=$(sed -n '$d; s/^\t//p' back.raw | grep , | tail -n 1)
	awk -F, -v got="$value" 'END { split(got, g, ","); d = g[1] - $2; e = g[2] - $3
		exit !(d * d + e * e < 1e-28 * ($2 * $2 + $3 * $3)) }' complex.csv && ok || fail "ngspice reads $value"
fi
run 2 ac "$@" --form db -o form.raw
says "not for a raw file"
run 2 ac "$@" --ascii -o form.csv
says "FILE.raw"

finish
