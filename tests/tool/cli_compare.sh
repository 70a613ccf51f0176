#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# boxtimes compare: what it pairs, what it says, its exit statuses, its forms, its pictures.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

whole="$good/rlc-parallel.xml" torn="$good/rlc-torn.xml"

# ---- Torn against whole ----

run 0 compare "$whole" "$torn" --quiet
silent_err "compare --quiet"
for pair in "C1.q store.C1.q" "L1.p loop.L1.p" "node(a).v node(loop.a).v" "node(a).v node(store.b).v" "node(a).v c1.lambda"; do
	a=${pair% *} b=${pair#* }
	grep -qE "  $(echo "$a" | sed 's/[().]/\\&/g') +$(echo "$b" | sed 's/[().]/\\&/g') " "$work/out" && ok ||
		fail "$a and $b are not paired"
done
for group in coordinate flow momentum effort multiplier energy power interconnection account drift; do
	grep -q "^$group " "$work/out" && ok || fail "no group $group"
done
shows "only in B, not compared: 4: loop.s.q"
shows "the models agree"
run 0 compare "$torn" "$whole" --quiet
shows "only in A, not compared: 4: loop.s.q"
run 0 compare "$good/spring-chain.xml" "$good/spring-chain-torn.xml" --quiet
shows "node(left.m2).x.p + node(right.m2).x.p"
run 0 compare "$torn" "$torn" --quiet --tol 1e-13 # round-off of its own accounts
run 0 compare "$whole" "$torn" --scheme dirac+ --rule rectangle --quiet
run 0 compare "$whole" "$torn" # with the runs' accounts
says "steps"

# the thesis' digits are in both: q_C(10) with the midpoint rule, and x at 10 s of the chain
"$tool" run "$torn" --quiet --end 10 --record store.C1.q | tail -n 1 | grep -q '^10,-0.0075713503743' && ok || fail "q_C(10)"
"$tool" run "$good/spring-chain-torn.xml" --quiet --end 10 --record 'node(right.m3).x' | tail -n 1 |
	grep -q '^10,-0.4328098343' && ok || fail "x3(10)"

# ---- Two rows where a value jumps ----

# pulses NAME EVENTS: a source of square pulses on RC, off the grid, in two parts
pulses() {
	cat >"$work/$1.xml" <<END
<netlist xmlns="urn:boxtimes:netlist:1" name="pulses">
  <simulation end="4 ms" step="0.1 ms" scheme="radau3" events="$2"/>
  <subsystem id="source">
    <pulse-source id="V" p="a" n="0" high="1 V" delay="0.35 ms" rise="0 s" fall="0 s" width="0.5 ms" period="1 ms"/>
    <port id="s" node="a"/>
  </subsystem>
  <subsystem id="load">
    <resistor id="R" p="a" n="b" R="1 kohm"/>
    <capacitor id="C" p="b" n="0" C="1 uF"/>
    <port id="s" node="a"/>
  </subsystem>
  <interconnection><connect id="c1" a="source.s" b="load.s"/></interconnection>
</netlist>
END
}
pulses both both && pulses after after && pulses none none
sed 's/<.*subsystem.*>//; s/<port.*>//; s/<interconnection.*>//' "$work/both.xml" >"$work/one.xml"
for other in both after none; do
	run 0 compare "$work/one.xml" "$work/$other.xml" --quiet
	shows "signals, 57 rows" # 41 of the grid and 2 at 8 jumps
	run 0 compare "$work/$other.xml" "$work/one.xml" --quiet
	shows "the models agree"
done

# ---- Torn by the program: any two forms of one model agree ----

# forms NETLIST OPTIONS: whole, in two parts and in three
forms() {
	name=$1
	shift
	for parts in 2 3; do
		run 0 tear "$good/$name.xml" --parts $parts --quiet -o "$work/$parts.xml"
		run 0 compare "$good/$name.xml" "$work/$parts.xml" --quiet "$@"
		grep "^only in A" "$work/out" && fail "$name: something of the whole has no twin" || ok
	done
	run 0 compare "$work/2.xml" "$work/3.xml" --quiet "$@"
}
forms bridge-rectifier
forms four-winding-transformer
forms geared-drive
forms lc-leok-ohsawa
forms double-pendulum-points # its energy is a sum that cancels
forms hung-plate --end 1 # its angle is round-off of the lengths
"$tool" run "$work/3.xml" --quiet --end 0.1 --record 'plate.2.lambda, plate.lambda' >"$work/lambdas" 2>&1
head -n 1 "$work/lambdas" | grep -q '^time \[s\],plate.2.lambda \[N\],plate.1.lambda \[N\],' && ok || fail "a row of a connection cannot be recorded"
run 3 run "$work/3.xml" --quiet --record 'plate.99.lambda'

# energies that are back at zero in the end, or cancel all the time: round-off of what moved
for name in current-source-inductor pendulum-cartesian; do
	run 0 tear "$good/$name.xml" --parts 2 --quiet -o "$work/2.xml"
	run 0 compare "$good/$name.xml" "$work/2.xml" --quiet
done

# ---- Interactions whose rows hold between grid points ----

cat >"$work/turns.xml" <<'END'
<netlist xmlns="urn:boxtimes:netlist:1" name="a disk that drives a circuit">
  <simulation end="0.5 s" step="0.01 s"/>
  <subsystem id="wheel">
    <node id="hub" kind="planar" vx="1 m/s" omega="0.5 rad/s"/>
    <rigid-body id="B" a="hub" m="1 kg" J="1 kg.m2"/>
    <port id="s" node="hub"/>
  </subsystem>
  <subsystem id="coil">
    <inductor id="L" p="a" n="0" L="1 H"/>
    <port id="s" node="a"/>
  </subsystem>
  <subsystem id="store">
    <capacitor id="C" p="a" n="0" C="1 F" q="1 C"/>
    <port id="s" node="a"/>
  </subsystem>
  <interconnection>
    <transformer id="k" a="wheel.s.vx" b="coil.s" ratio="0.3 m/C"/>
    <gyrator id="g" a="coil.s" b="store.s" ratio="=1+coil.s.q^2"/>
  </interconnection>
</netlist>
END
run 0 flatten "$work/turns.xml" --quiet -o "$work/flat.xml"
run 0 verify "$work/turns.xml" --against "$work/flat.xml" --quiet
for scheme in gauss1 gauss2 dirac+; do
	run 0 compare "$work/turns.xml" "$work/turns.xml" --quiet --scheme $scheme
	run 0 compare "$work/turns.xml" "$work/flat.xml" --quiet --scheme $scheme
done

# ---- A changed twin ----

sed 's/R="1 ohm"/R="1.0001 ohm"/' "$torn" >"$work/other.xml"
run 1 compare "$whole" "$work/other.xml" --quiet
grep "C1.q  *store.C1.q .*beyond the tolerance" "$work/out" >"$work/line" && ok || fail "the signal is not named"
awk '/^signals /{on = 1; next} !NF {on = 0}
	on {n++; if ($1 == group && $2 > last) bad = 1; group = $1; last = $2} END {exit bad || n < 10}' "$work/out" &&
	ok || fail "within a group the largest difference is not the first"
shows "the models differ"
run 0 compare "$whole" "$work/other.xml" --quiet --tol 0.01
run 1 compare "$whole" "$work/other.xml" --quiet --end 1 # at 20 s all is dissipated, whatever R is
grep -qE "^(component|subsystem) .*beyond the tolerance" "$work/out" && ok || fail "the account is not judged"
run 1 compare "$whole" "$work/other.xml" --quiet --record C1.q
shows "1 signals"
# ports of other names: what flows through them is what flows into the elements
sed 's/b="store.s"/b="store.out"/; s/<port id="s" node="b"\/>/<port id="out" node="b"\/>/' "$torn" >"$work/port.xml"
run 0 compare "$torn" "$work/port.xml" --quiet
shows "power(store.C1.p)"
shows "only in A, not compared: 2: store.s.q store.s.i"

# ---- JSON and CSV ----

run 0 compare "$whole" "$torn" --quiet --json -o "$work/table.csv"
if command -v python3 >/dev/null; then
	python3 - "$work/out" <<'END' && ok || fail "the JSON is not as it should be"
import json, sys
r = json.load(open(sys.argv[1]))
groups = {g["group"] for g in r["groups"]}
assert r["agree"] is True and r["largest"] <= r["tolerance"] == 1e-9
assert {"coordinate", "flow", "momentum", "effort", "multiplier", "energy", "power"} <= groups
assert sum(g["signals"] for g in r["groups"]) == len(r["signals"])
assert {"group", "a", "b", "difference", "largest", "scale", "at"} == set(r["signals"][0])
c = r["interconnections"]
assert [(x["model"], x["connection"], x["ports"]) for x in c] == [("b", "c1", 2)] and c[0]["carried"] > 0.5
assert {x["kind"] for x in r["accounts"]} == {"total", "component", "subsystem", "connection"}
assert {x["family"] for x in r["drift"]} == {"node", "node.q", "connection", "connection.q"}
assert r["alone"]["a"] == [] and "loop.s.q" in r["alone"]["b"]
END
fi
rows "$work/table.csv"
head -n 1 "$work/table.csv" | grep -qx "a,b,difference,largest,scale,at,group" && ok || fail "the header of the CSV"
for group in coordinate multiplier power interconnection account drift; do
	grep -q ",$group\$" "$work/table.csv" && ok || fail "the CSV lacks $group"
done
run 0 compare "$whole" "$torn" --quiet -o -
cmp -s "$work/out" "$work/table.csv" && ok || fail "-o - gives another table"

# ---- Lists and maps ----

run 0 compare "$whole" "$torn" --quiet --record 'store.C1.q, node(a).v'
shows "2 signals"
run 0 compare "$whole" "$torn" --quiet --record 'energy(loop)'
shows "energy(R1) + energy(L1)"
run 3 compare "$whole" "$torn" --quiet --record 'C1.q, store.C1.x'
says "C1.x"
silent_out "an unknown signal"
run 1 compare "$whole" "$torn" --quiet --map C1.q=L1.q
grep -q "C1.q  *loop.L1.q" "$work/out" && ok || fail "the map is not followed"
run 3 compare "$whole" "$torn" --quiet --map C1.x=store.C1.q --map C1.q=store.C2.q
says "the first model has no signal 'C1.x' (did you mean 'C1.q'?)"
says "the second model has no signal 'store.C2.q' (did you mean 'store.C1.q'?)"
run 2 compare "$whole" "$torn" --map C1.q

# ---- Nothing in common, other times ----

run 3 compare "$good/spring-chain.xml" "$whole" --quiet --step 0.05 --end 1 --every 1
says "no signal in common"
says "--map"
says "node(m1).x"
says "C1.q"
silent_out "nothing in common"
sed 's/step="0.05 s"/step="0.1 s"/' "$torn" >"$work/step.xml"
run 3 compare "$whole" "$work/step.xml" --quiet
says "a row every 0.1 s up to 20 s, in the first model every 0.05 s up to 20 s: give both the same --step, --end and --every"
run 0 compare "$whole" "$work/step.xml" --quiet --step 0.05
sed 's/end="20 s"/end="10 s"/' "$torn" >"$work/end.xml"
run 3 compare "$whole" "$work/end.xml" --quiet
says "up to 10 s"

# ---- Pictures ----

run 2 compare "$whole" "$torn" --plot "$work/both.jpg"
silent_out "a picture that cannot be"
run 2 compare "$whole" "$torn" --names
run 2 run "$whole" --plot "$work/both.svg" # a picture is of a comparison
run 2 compare "$whole" "$torn" --columns 'C1.q'
says "--plot FILE is missing"
# a program that stands for gnuplot and keeps its script
mkdir "$work/fake"
cat >"$work/fake/gnuplot" <<END
#!/bin/sh
cat >"$work/script"
echo drawn
END
chmod +x "$work/fake/gnuplot"
title='`touch evil1`"; system("touch evil2")
BXT_END
system("touch evil3")'
cd "$work" || exit 1
PATH="$work/fake:$PATH" run 0 compare "$whole" "$torn" --quiet --plot both.svg --title "$title"
grep -q drawn both.svg && ok || fail "the picture does not reach its file"
test "$(grep -c '^BXT_END$' script)" -eq 2 && ok || fail "the user ends the data"
awk '/<< BXT_END$/ { data = 1 } !data { print } $0 == "BXT_END" { data = 0 }' script >commands
grep -q 'evil\|touch' commands && fail "words of the user among the commands" || ok
test "$(grep -c '^plot ' commands)" -eq 6 && ok || fail "three signals and their differences are drawn"
PATH="$work/fake:$PATH" run 0 compare "$whole" "$torn" --quiet --plot both.svg --columns 'C1.q, c1.lambda'
test "$(grep -c '^plot ' script)" -eq 4 && ok || fail "--columns is not heeded"
grep -q '^| c1.lambda' script && ok || fail "--columns is not heeded: c1.lambda"
belt=$good/stick-slip-belt.xml
PATH="$work/fake:$PATH" run 0 compare "$belt" "$belt" --quiet --plot both.svg
test "$(grep -c '^set arrow' script)" -eq 5 && ok || fail "events are not marked"
PATH="$work/fake:$PATH" run 3 compare "$whole" "$torn" --quiet --plot both.svg --columns 'C9.q'
says "no signal 'C9.q' was compared; there are: R1.q"
PATH="$work/fake:$PATH" run 1 compare "$whole" "$work/other.xml" --quiet --plot worst.svg # drawn all the same
grep -q drawn worst.svg && ok || fail "no picture of what differs"
PATH="$work/fake:$PATH" run 4 compare "$whole" "$torn" --quiet --plot "$work/no/such/folder.svg"
says "cannot write"

# rows that one model lacks are gaps, and the others stand beside those of their time
PATH="$work/fake:$PATH" run 0 compare "$work/one.xml" "$work/none.xml" --quiet --plot jumps.svg --columns R.i
awk '$1 == 0.00035 && $3 != "nan" && $3 != "NaN" { bad = 1 } $1 == 0.0004 && ($4 > 1e-12 || $4 < -1e-12) { bad = 1 }
	END { exit bad }' script && ok || fail "rows of other times are drawn side by side"

if command -v gnuplot >/dev/null; then
	run 0 compare "$whole" "$torn" --quiet --plot both.png
	head -c 4 both.png | grep -q PNG && ok || fail "not a PNG picture"
	for i in 1 2 3; do
		test -e evil$i && fail "gnuplot executed evil$i" || ok
	done
else
	skip "pictures by gnuplot" "gnuplot is not installed"
fi

finish
