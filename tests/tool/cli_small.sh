#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What people write without having read the manual: it is understood, or told with the cure.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

# model ELEMENTS: a netlist of these in $work/m.xml
model() {
	cat >"$work/m.xml" <<END
<netlist xmlns="urn:boxtimes:netlist:1" name="m">
  <simulation end="1 s" step="0.1 s"/>
$1
</netlist>
END
}
# starts SIGNAL VALUE: the model runs, and the signal starts there, to 15 digits
starts() {
	run 0 run "$work/m.xml" --quiet --record "$1"
	value=$(sed -n 2p "$work/out" | cut -d, -f2)
	awk -v a="$value" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 1e-30 * b * b) }' && ok || fail "$1 starts at $value, not $2"
}
# refused ELEMENTS TEXT: check refuses the model and says so
refused() {
	model "$1"
	run 3 check "$work/m.xml"
	says "$2"
}

# ---- Times as in the file ----

run 0 run "$good/rlc-series.xml" --quiet --end "0.001 min" --step "0.1 ms" --record energy
tail -1 "$work/out" | awk -F, '{ exit !($1 > 0.0599999 && $1 < 0.0600001) }' && ok || fail "--end 0.001 min does not end at 0.06 s"
run 3 run "$good/rlc-series.xml" --end "2 V"
says "end: '2 V' has the wrong unit; expected 's'"
run 2 run "$good/rlc-series.xml" --end "min"
says "--end 'min' is not a positive time: write seconds, or a number with its unit"

# ---- Initial values ----

loop='<resistor id="R1" p="a" n="0" R="1 ohm"/>'
model "<capacitor id='C1' p='a' n='0' C='2 uF' v='5 V'/>$loop"
starts C1.q 1e-5
model "<capacitor id='C1' p='a' n='0' C='2 uF' q='=C*5'/>$loop"
starts C1.q 1e-5
model "<nonlinear-capacitor id='C1' p='a' n='0' energy='=q^4/4' v='-8 V'/>$loop"
starts 'node(a).v' -8
model "<parameter name='C' default='3'/><capacitor id='C1' p='a' n='0' C='2 F' q='=C*5'/>$loop"
starts C1.q 15 # as before elements' own parameters were known
run 0 check "$work/m.xml"
says "m.xml:3: warning: capacitor 'C1': 'C' in its initial values is the netlist's parameter, not its own"
refused "<nonlinear-capacitor id='C1' p='a' n='0' energy='=exp(q)' v='-8 V'/>$loop" "no q gives -8 V; write q="
refused "<capacitor id='C1' p='a' n='0' C='2 F' v='5 V' q='1 C'/>$loop" "'v': it determines q, which has an initial value of its own"
refused "<capacitor id='C1' p='a' n='0' C='2 F' v='5 A'/>$loop" "'5 A' has the wrong unit; expected 'V'"
refused "<inductor id='L1' p='a' n='0' L='2 H' v='5 V'/>$loop" "'v' is an effort, and none determines how it starts: write q=\"...\" or i=\"...\""
refused '<spring id="s" a="wall" b="x" k="10 N/m" f="3 N"/><mass id="m" a="x" m="1 kg"/>' 'place them with <node id="NODE" kind="translational" x="..."/>'

# ---- Constants in components ----

component='<component xmlns="urn:boxtimes:component:1" name="thing"><parameter name="a" unit="rad" DEFAULT/>
<coordinate name="q" unit="C" flow="i"/><port name="p" kind="electrical" flow="i"/><port name="n" kind="electrical" flow="-i"/>
<lagrangian>-a*q^2/2</lagrangian></component><thing id="T1" p="a" n="0" q="2"/>'
model "$(echo "$component" | sed 's/DEFAULT/default="=pi\/4" min="=-pi"/')$loop"
starts 'energy(T1)' 1.57079632679489662
refused "$(echo "$component" | sed 's/DEFAULT/default="=1+"/')$loop" 'default="=1+": column 4: the expression ends where a value is expected'
refused "$(echo "$component" | sed 's/DEFAULT/default="=1\/0"/')$loop" 'default="=1/0" is not a finite number'

# ---- Units ----

for pair in "4k7:4.7 kohm" "2M2:2.2 Mohm" "4R7:4.7 ohm" "10k:10 kohm" "3 meg:3 Mohm" "5 Kohm:5 kohm"; do
	refused "<resistor id='R1' p='a' n='0' R='${pair%%:*}'/>" "(did you mean '${pair#*:}'?)"
done
refused "<capacitor id='C1' p='a' n='0' C='10u'/>$loop" "(did you mean '10 uF'?)"
refused "<parameter name='E' unit='kWh' default='1'/>$loop" "the unit 'kWh' is not known (did you mean 'kW.h'?)"
refused "<parameter name='T' unit='N.m' default='3 Nm'/>$loop" "(did you mean '3 N.m'?)"
refused "<resistor id='R1' p='a' n='0' R='5 xyz'/>" "the unit of '5 xyz' is not known; expected 'ohm'"
grep -q "did you mean" "$work/err" && fail "a guess for 'xyz'" || ok

# ---- Signals ----

model "<voltage-actuator id='V1' p='a' n='0'/><signal to='V1.e'> = 3 + t</signal>$loop"
starts 'node(a).v' 3
refused "<sigma>=1</sigma><nonlinear-capacitor id='C1' p='a' n='0' energy='==q^2'/>" "the text is an expression by itself: leave out the '='"

# ---- References ----

model "<voltage-source id='V1' p='a' n='ground' e='3 V'/>${loop%n=*}n='ground' R='1 ohm'/>"
starts R1.i 3
grep -q ground "$work/err" && fail "a finding about ground alone" || ok
"$tool" flatten "$work/m.xml" >"$work/flat.xml" && "$tool" tear "$work/m.xml" --node a >"$work/torn.xml" && ok || fail "ground cannot be torn"
run 0 compare "$work/m.xml" "$work/flat.xml"
run 0 compare "$work/m.xml" "$work/torn.xml"
run 3 tear "$work/m.xml" --node ground
says "'ground' is the reference, which is in every part"
model '<spring id="s" a="ground" b="x" k="10 N/m" l0="1 m"/><mass id="m" a="x" m="1 kg"/><node id="x" kind="translational" x="3 m"/>'
starts energy 20
model "<voltage-source id='V1' p='a' n='ground' e='3 V'/>$loop"
run 0 check "$work/m.xml"
says "m.xml:3: warning: 'ground' and '0' are two names of the same reference"
refused "<node id='ground' kind='electrical'/>$loop" "a node of its own needs another name"

# ---- Sources that contradict each other ----

refused "<voltage-source id='V1' p='a' n='0' e='1 V'/><voltage-source id='V2' p='a' n='0' e='3 V'/>$loop" \
	"V1, V2: the given efforts around this loop contradict each other, 2 V are left over at t = 0 s"
refused "<voltage-source id='V1' p='a' n='0' e='1 V'/><voltage-source id='V2' p='a' n='0' e='1 V'/>$loop" \
	"the flow around V1, V2 is not determined"

# ---- Parts for other netlists ----

sed '/<simulation/d' >"$work/part.xml" <<END
<netlist xmlns="urn:boxtimes:netlist:1" name="part">
  $loop
  <port id="s" node="a"/>
</netlist>
END
run 0 check "$work/part.xml" "$good"/drive/pid.xml "$good"/drive/plant.xml "$good"/drive/sampled.xml
shows "part.xml: ok (a part for other netlists: not run)"
run 3 run "$work/part.xml"
says "no step is given"
refused '<port id="s" node="xyzzy"/>' 'declare a node that only a port is at, as <node id="xyzzy" kind='
run 3 check "$good/drive/pid.xml" --end 1 --step 0.1 # asked to start, its inputs are missing

# ---- Lengths of runs, and mistakes before them ----

model "<capacitor id='C1' p='a' n='0' C='2 F' v='5 V'/>$loop"
run 0 check "$work/m.xml" --step 2
says "step 2 s is longer than the run, which ends at 1 s: the run is one step of 1 s"
run 0 check "$work/m.xml" --end 1e9 --step 1
says "the run has 1e+09 steps and writes 1e+09 rows: --every N writes only each Nth"
run 0 check "$work/m.xml" --end 1e9 --step 1 --every 100
silent_err "1e7 rows"
run 3 run "$work/m.xml" --record C9.q
says "no signal 'C9.q'"
grep -q "steps of" "$work/err" && fail "an account of a run that did not begin" || ok

# ---- Files of another kind ----

run 3 plot "$good/rlc-series.xml"
says "this is an XML file, not results: 'boxtimes run MODEL.xml -o RESULTS.csv'"
run 3 check "$source/tests/decks/rlc-series.cir"
says "rlc-series.cir:1: error: the file is no XML: it has to begin with <netlist"
says "it looks like a SPICE deck, which is not read"
echo "time,x" >"$work/results.csv"
run 3 check "$work/results.csv"
says "the file is no XML"

# ---- list ----

run 3 list led
run 0 list coupled
shows "  coupled-inductors "
run 0 list mosfet
shows "  n-mosfet "
run 0 list 'voltage source'
shows "  voltage-source "
run 0 list cap
shows "  capacitor "

# a function of names without its argument
run 3 run "$good/rlc-torn.xml" --record drift -o "$work/a.csv"
says "did you mean 'drift(...)'?"
finish
