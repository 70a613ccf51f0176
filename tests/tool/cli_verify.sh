#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# verify at the command line: what it says, what it exits with, and what it says of broken models.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

# ---- One model ----

run 0 verify "$good/rlc-torn.xml"
shows "D_1 = D_1^perp, loop"
shows "D_int = D_int^perp"
shows "(+)D_i [x] D_int = D_Delta, efforts"
shows "step: Jacobian by differences"
shows "16 passed, 0 failed; 4 states"
cp "$work/out" "$work/first"
run 0 verify "$good/rlc-torn.xml"
cmp -s "$work/out" "$work/first" && ok || fail "the same seed gives other figures"
run 0 verify "$good/rlc-torn.xml" --seed 2 --at "0.5 s" --scheme gauss2
shows "0 failed"
run 0 verify "$good/four-bar.xml" --json
shows '"passed": true'
shows '"name": "the rank is the same near by"'
if command -v python3 >/dev/null; then
	python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
assert v["states"] == 4 and all(c["passed"] for c in v["checks"]), v' "$work/out" && ok || fail "--json is no JSON"
fi

# ---- The discrete side ----

run 0 verify "$good/dl-example-4.xml" --hamilton-jacobi
shows "note   a discrete Rayleigh potential"
shows "it exists: f^- = D1 R_d"
shows "passed Hamilton-Jacobi: (123a)"
shows "passed Hamilton equations: (49b)"
shows "100 steps of 0.2 s: S_d = "
shows "20 passed, 0 failed" # notes are not counted
run 0 verify "$good/dl-example-4.xml" --rule rectangle --json
shows '"name": "a discrete Rayleigh potential", "passed": true, "note": true'
shows "it does not exist; the worst pair is node(m).x, node(m).x"
if command -v python3 >/dev/null; then
	python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
assert v["passed"] and [c for c in v["checks"] if c.get("note")], v' "$work/out" && ok || fail "notes in JSON"
fi
run 0 verify "$good/dl-example-4.xml" --scheme gauss1 --hamilton-jacobi --end "2 s"
shows "10 steps of 0.2 s" # along a run with dirac+, whatever is verified else
run 0 verify "$good/vertical-rolling-disk.xml" --scheme dirac+ --hamilton-jacobi --end "1 s"
shows "note   omega_d- on the (+) step"
shows "constraints depend on q: (+) and (-) part, most in disk."
shows "not judged: constraints"
run 0 verify "$good/rlc-torn.xml" --scheme dirac-
shows "note   omega_d+ on the (-) step"
shows "(+) and (-) have one trajectory"
run 0 verify "$good/henon-heiles.xml" --scheme gauss3
shows "note   the step is symplectic"
run 1 verify "$good/dl-example-4.xml" --hamilton-jacobi --tol 1e-300
run 2 verify "$good/dl-example-4.xml" --hamilton-jacobi --against "$good/dl-example-4.xml"
says "--hamilton-jacobi takes one model"
run 2 run "$good/dl-example-4.xml" --hamilton-jacobi
run 4 verify "$good/lotka-volterra.xml" --scheme dirac+ --hamilton-jacobi # dirac+ blows up there
says "worst rows: p."
run 3 verify "$good/rlc-series.xml" --scheme dirac+ --rule galerkin2-trapezoid --hamilton-jacobi
says "does not determine the momenta of coordinates without inertia"

# no tolerance is met by what is not zero
run 1 verify "$good/four-bar.xml" --tol 1e-300
shows "FAILED step: "

# ---- Broken ----

cat >"$work/sigma.xml" <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1" name="a row twice">
  <simulation step="0.01 s" end="1 s"/>
  <subsystem id="x"><capacitor id="C1" p="a" n="0" C="1 F" q="1 C"/><port id="s" node="a"/></subsystem>
  <subsystem id="y"><resistor id="R1" p="a" n="0" R="1 ohm"/><port id="s" node="a"/></subsystem>
  <interconnection>
    <sigma id="t1">x.s.i - 2*y.s.i</sigma>
    <sigma id="t2">2*x.s.i - 4*y.s.i</sigma>
  </interconnection>
</netlist>
XML
run 1 verify "$work/sigma.xml"
shows "FAILED rows of Sigma_Q are independent"
shows "t1, t2"
shows "at $work/sigma.xml:6"
run 1 verify "$work/sigma.xml" --json
shows '"passed": false'
shows '"line": 6'
sed 's/2\*x.s.i - 4/2*x.s.i - 5/' "$work/sigma.xml" >"$work/two.xml"
run 0 verify "$work/two.xml" # two rows, and no current at all

sed 's|<resistor id="R1" p="a" n="0" R="1 ohm"/>|<voltage-source id="V1" p="a" n="0" e="1 V"/><voltage-source id="V2" p="a" n="0" e="1 V"/>|' \
	"$work/two.xml" >"$work/loop.xml"
run 3 verify "$work/loop.xml"
says "V1"
silent_out "a loop of voltage sources"

# ---- Against another ----

run 0 verify "$good/rlc-torn.xml" --against "$good/rlc-parallel.xml"
shows "7 passed, 0 failed"
run 0 verify "$good/spring-chain.xml" --against "$good/spring-chain-torn.xml" --json
sed 's|<connect id="c1" a="loop.s" b="store.s"/>|<sigma id="c1">loop.s.i - store.s.i</sigma>|' \
	"$good/rlc-torn.xml" >"$work/sign.xml"
run 1 verify "$good/rlc-parallel.xml" --against "$work/sign.xml"
shows "FAILED same distribution"
shows "port store.s of B has the opposite sign in c1"
sed 's|C="1 F"|C="1.000001 F"|' "$good/rlc-torn.xml" >"$work/value.xml"
run 1 verify "$good/rlc-torn.xml" --against "$work/value.xml"
shows "store.C1.C is 1 in A ($good/rlc-torn.xml:16), 1.000001 in B ($work/value.xml:16)"
run 0 verify "$good/rlc-torn.xml" --against "$work/value.xml" --tol 1e-5
# symmetries: what is kept, what the brackets are, and one that is none
run 0 verify "$good/spatial-particle.xml"
shows "passed symmetry P.rx: L is invariant"
shows "[P.rx, P.ry] = -P.rz"
run 0 info "$good/free-chain.xml"
shows "symmetry shift: a vector field along 3 coordinates, affine"
run 0 run "$good/free-chain.xml" --json --quiet -o "$work/chain.csv"
shows '"symmetries": {'
shows '"shift": {"start": 0.4'
sed 's|node(c).x">1<|node(c).x">1.01<|' "$good/free-chain.xml" >"$work/none-such.xml"
run 1 verify "$work/none-such.xml"
shows "FAILED symmetry shift: L is invariant"
run 0 run "$good/free-chain.xml" --record 'momentum(shift)' -o "$work/chain.csv"
says "symmetry shift: momentum 0.4 -> 0.4"
run 3 run "$good/free-chain.xml" --record 'momentum(shfit)'
says "no symmetry 'shfit' (did you mean 'shift'?)"
# the way there and back: any cut of a model is that model
for file in rcl-ladder ua741 four-winding-transformer four-bar geared-drive; do
	run 0 tear "$good/$file.xml" --parts 3 --quiet -o "$work/torn.xml"
	run 0 verify "$work/torn.xml" --quiet
	run 0 verify "$good/$file.xml" --quiet --against "$work/torn.xml"
done

# ---- Usage ----

run 2 verify
run 2 verify "$good/rlc-torn.xml" "$good/rlc-torn.xml"
run 2 verify "$good/rlc-torn.xml" --seed x
run 2 verify "$good/rlc-torn.xml" --seed -1
run 2 verify "$good/rlc-torn.xml" --at soon
run 2 verify "$good/rlc-torn.xml" --tol 0
run 2 verify "$good/rlc-torn.xml" --map a=b
run 2 run "$good/rlc-torn.xml" --against "$good/rlc-torn.xml"
run 3 verify "$work/none.xml"
run 3 verify "$good/rlc-torn.xml" --against "$work/none.xml"
# ---- Signals, samples and plug-ins of two models ----

run 0 flatten "$good/speed-control.xml" --quiet -o "$work/speed.xml"
run 0 verify "$good/speed-control.xml" --against "$work/speed.xml"
shows "passed same signals                 0 (  1e-09)  5 at 3 random states"
# differs FILE EXPRESSION WORDS: the file as the expression changes it is another system
differs() {
	sed "$2" "$1" >"$work/other.xml"
	cmp -s "$1" "$work/other.xml" && fail "'$2' changes nothing" || ok
	run 1 verify "$1" --against "$work/other.xml"
	shows "$3"
	run 1 verify "$work/other.xml" --against "$1"
}
differs "$work/speed.xml" 's/<signal to="measured">[^<]*/&*1.001/' 'FAILED same signals'
differs "$work/speed.xml" 's/<signal to="measured">[^<]*/<signal to="measured">0/' "<signal> of 'C.y' is "
differs "$work/speed.xml" 's/<signal id="speed">[^<]*/&+1/' "<signal> of 'speed' is "
# the same in other words is the same
sed 's/<signal to="measured">\([^<]*\)/<signal to="measured">(2*\1)\/2/' "$work/speed.xml" >"$work/other.xml"
cmp -s "$work/speed.xml" "$work/other.xml" && fail "nothing was changed" || ok
run 0 verify "$work/speed.xml" --against "$work/other.xml"

mkdir "$work/one" "$work/two"
cat >"$work/one/sampled.xml" <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <component xmlns="urn:boxtimes:component:1" name="law" domain="control">
    <parameter name="Ts" unit="s" default="0.2 s"/> <parameter name="Td" unit="s" default="0.1 s"/>
    <parameter name="T2" unit="s" default="0.2 s"/>
    <signal name="y" unit="1"/> <state name="u" unit="1"/> <state name="w" unit="1"/>
    <sample period="Ts" delay="Td"/>
    <update of="u">u + 3*y</update> <update of="w">w/2 + y</update>
  </component>
  <component xmlns="urn:boxtimes:component:1" name="code" domain="control">
    <parameter name="Ts" unit="s" default="0.2 s"/>
    <signal name="y" unit="1"/> <state name="u" unit="1"/> <state name="w" unit="1"/>
    <sample period="Ts"/>
    <plugin file="code.so" reads="y Ts" writes="u"/>
    <update of="w">w + 1</update>
  </component>
  <law id="K"/> <code id="C"/> <code id="D" plugin="else.so"/>
  <signal to="K.y">C.u</signal> <signal to="C.y">K.w</signal> <signal to="D.y">K.u*C.w</signal>
  <simulation step="0.1 s" end="1 s"/>
</netlist>
XML
sampled="$work/one/sampled.xml"
for file in code else; do echo $file >"$work/one/$file.so"; done
cp "$work"/one/* "$work/two"
run 0 verify "$sampled" --against "$sampled"
shows "passed same samples                 0            of 3 elements"
run 0 verify "$sampled" --against "$work/two/sampled.xml" # other files with the same bytes
echo other >"$work/two/else.so"
run 1 verify "$sampled" --against "$work/two/sampled.xml"
shows "'D' has the plug-in '$work/one/else.so' in A, '$work/two/else.so' in B"
cd "$work/one" || exit 1
differs sampled.xml 's/<law id="K"/& Ts="0.4 s"/' "'K' is sampled with a period of 0.2 s in A, 0.4 s in B (sampled.xml:16, $work/other.xml:16)"
mv "$work/other.xml" other.xml # files of plug-ins lie beside
work_was=$work work=.
differs sampled.xml 's/<law id="K"/& Td="0 s"/' "'K' is sampled with a delay of 0.1 s in A, 0 s in B"
differs sampled.xml 's/<sample period="Ts" delay="Td"/<sample period="T2" delay="Ts"/' "'K' is sampled with a delay of 0.1 s in A, 0.2 s in B"
differs sampled.xml 's/u + 3\*y/u + 4*y/' "the update of u of law 'K' is "
differs sampled.xml 's/K.u\*C.w/K.u*C.u/' "<signal> of 'D.y' is "
differs sampled.xml 's/plugin="else.so"/plugin="code.so"/' "'D' has the plug-in 'else.so' in A, './code.so' in B"
differs sampled.xml 's/reads="y Ts"/reads="y t"/' "what the plug-in reads of Ts of code 'C' is "
differs sampled.xml 's/reads="y Ts"/reads="y"/' "has a plug-in that reads 2 values in A, 1 in B"
differs sampled.xml 's/writes="u"/writes="w"/; s/<update of="w">w + 1/<update of="u">u + 1/' "has a plug-in that writes \"u\" in A, \"w\" in B"
work=$work_was
# torn or flat it is the same
run 0 tear "$sampled" --elements K --quiet -o "$work/one/torn.xml"
run 0 verify "$sampled" --against "$work/one/torn.xml"
shows "passed same signals                 0 (  1e-09)  3 at 3 random states"

finish
