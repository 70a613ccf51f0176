#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Inputs, <input> and exported signals with a default, in every command: a torn model with inputs in
# its parts and its whole are the same system, and go over into each other.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
cd "$work" || exit 1

cat >motor.xml <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <parameter name="k" default="2"/>
  <parameter name="V0" unit="V" default="1 V"/>
  <!-- what feeds it -->
  <input name="u" unit="V" default="=k*V0">supply</input>
  <input name="w" unit="A" default="0.1 A"/>
  <voltage-source id="V" p="a" n="0" e="=u*(1 + 0.1*sin(20*t)) + 0*k"/>
  <resistor id="R" p="a" n="b" R="100 ohm"/>
  <capacitor id="C" p="b" n="0" C="1 mF"/>
  <current-source id="I" p="0" n="b" I="=w"/>
  <diode id="D" p="b" n="0"/>
  <port id="s" node="b"/>
</netlist>
XML
cat >plant.xml <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <parameter name="g" default="3"/>
  <input name="u" unit="A" default="0.2 A"/>
  <voltage-actuator id="V" p="a" n="0"/>
  <current-actuator id="A" p="0" n="b"/>
  <resistor id="R" p="a" n="b" R="50 ohm"/>
  <inductor id="L" p="b" n="0" L="0.2 H"/>
  <signal id="r" to="V.e" default="=2*g"/>
  <signal to="A.u">u*(1 + 0.1*sin(7*t)) + 0.01*L.i</signal>
  <port id="s" node="b"/>
</netlist>
XML
cat >top.xml <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <simulation step="1 ms" end="0.5 s"/>
  <input name="v" unit="V" default="1 V">of the netlist itself</input>
  <subsystem id="m1" href="motor.xml" u="5 V" k="3"/>
  <subsystem id="m2" href="motor.xml"/>
  <subsystem id="p" href="plant.xml" g="=2*1.5"/>
  <subsystem id="q" href="plant.xml"/>
  <subsystem id="in">
    <voltage-source id="VV" p="x" n="0" e="=v*sin(100*t)"/>
    <resistor id="RR" p="x" n="y" R="10 ohm"/>
    <voltage-actuator id="VA" p="z" n="0"/>
    <resistor id="RA" p="z" n="y" R="10 ohm"/>
    <signal id="o" to="VA.e" default="2"/>
    <port id="s" node="y"/>
  </subsystem>
  <interconnection>
    <connect ports="m1.s m2.s in.s"/>
    <connect a="p.s" b="q.s"/>
  </interconnection>
  <signal to="q.r">4 + v + q.L.i</signal>
  <record>m1.C.q, p.L.i, node(in.y).v, energy</record>
</netlist>
XML

# same A B: the same signals to 1e-12, and the same system
same() {
	run 0 compare "$1" "$2" --tol 1e-12
	run 0 verify "$1" --against "$2"
}

# ---- Flat, and torn again ----

run 0 check top.xml
run 0 flatten top.xml -o flat.xml
run 0 check flat.xml
same top.xml flat.xml
run 0 info top.xml
for line in 'v                         1 V: of the netlist itself' 'm1.u                      5 V: supply' \
	'm2.u                      2 V: supply' 'm2.w                      0.1 A' \
	'p.r                       6' 'in.o                      2'; do
	shows "  $line"
done
hides ' q.r ' # a signal drives it
run 0 info flat.xml
for line in 'v                         1 V' 'm1_u                      5 V: supply' \
	'm2_u                      2 V: supply' 'q_u                       0.2 A' 'p_r                       6'; do
	shows "  $line"
done
hides ' q_r '
run 0 tear flat.xml --like top.xml -o again.xml
run 0 flatten --canonical again.xml -o a.xml
run 0 flatten --canonical top.xml -o b.xml
cmp -s a.xml b.xml && ok || fail "flat and torn again is another netlist"
# a name alone stays
cat >one.xml <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <simulation step="1 ms" end="0.1 s"/>
  <subsystem id="m" href="motor.xml" u="=3*v0"/>
  <parameter name="v0" unit="V" default="2 V"/>
</netlist>
XML
run 0 flatten one.xml -o one-flat.xml
grep -q '<input name="u" unit="V" default="=3\*v0">supply' one-flat.xml && ok || fail "the input of one inclusion is renamed"
same one.xml one-flat.xml
# values that are set
run 0 compare top.xml flat.xml --set v='2 V' --tol 1e-12
"$tool" flatten top.xml --set v='2 V' --set m1.u='7 V' --set in.o=5 -o set.xml
"$tool" run set.xml --quiet --plain-header >a.csv
"$tool" run flat.xml --set v='2 V' --set m1_u='7 V' --set o=5 --quiet --plain-header >b.csv
test -s a.csv && cmp -s a.csv b.csv && ok || fail "values that --set gives to inputs"
run 1 verify flat.xml --against set.xml

grep -q "FAILED same parameters" out && ok || fail "inputs with other defaults are the same system"

# ---- Cut ----

cat >rc.xml <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <simulation step="1 ms" end="0.5 s"/>
  <parameter name="two" default="2"/>
  <input name="u" unit="V" default="=two*0.5">both parts read it</input>
  <voltage-source id="V" p="a" n="0" e="=u*(1 + sin(100*t))"/>
  <resistor id="R" p="a" n="b" R="100 ohm"/>
  <capacitor id="C" p="b" n="0" C="1 mF"/>
  <diode id="D" p="b" n="0"/>
  <voltage-actuator id="A" p="c" n="0"/>
  <voltage-actuator id="B" p="d" n="0"/>
  <resistor id="R2" p="c" n="b" R="100 ohm"/>
  <resistor id="R3" p="d" n="b" R="100 ohm"/>
  <signal id="o" to="A.e" default="=1 + two"/>
  <signal to="B.e">u*cos(30*t) + 0.1*R.i</signal>
</netlist>
XML
run 0 flatten --canonical rc.xml -o a.xml
for cut in "--node b" "--parts 3" "--elements V,R"; do
	# shellcheck disable=SC2086 # words
	run 0 tear rc.xml $cut -o torn.xml
	same rc.xml torn.xml
	run 0 flatten torn.xml -o flat-again.xml
	run 0 flatten --canonical flat-again.xml -o b.xml
	cmp -s a.xml b.xml && ok || fail "$cut and flat again is another netlist"
	run 0 tear rc.xml --like torn.xml -o like.xml
	same rc.xml like.xml
done

# ---- The rest ----

run 3 run rc.xml --set uu='1 V'
says "the netlist has no parameter 'uu' (did you mean 'u'?)"
run 3 run rc.xml --set u='1 A'
says "input 'u': '1 A' has the wrong unit"
run 3 run top.xml --set m1.uu='1 V'
says "motor.xml has no parameter 'uu' (did you mean 'u'?)"
run 0 draw top.xml
test "$(grep -c 'shape=cds' out)" -eq 7 && ok || fail "the drawing has not all inputs"
test "$(grep -c 's[0-9]* -> .*style=dashed' out)" -ge 15 && ok || fail "the drawing lacks what inputs drive"
run 0 draw rc.xml
grep -q 'shape=cds.*>u<' out && ok || fail "the drawing lacks the input u"
if command -v xmllint >/dev/null; then
	for file in rc top motor plant flat torn; do
		run 0 schema $file.xml
		cp out schema.xsd
		xmllint --noout --schema schema.xsd $file.xml 2>err && ok || fail "schema: $(cat err)"
	done
	# another attribute is none of the file
	sed 's/default="=two/start="=two/' rc.xml >wrong.xml
	xmllint --noout --schema schema.xsd wrong.xml 2>err && fail "the schema takes any attribute" || ok
fi
finish
