#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Plug-ins at the command line: which are loaded, and what is said of those that are not.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
plugins=${BXT_PLUGINS:?}

# control FILE CONTROLLER ATTRIBUTES: a plant whose flow a PI law holds within limits
control() {
	cat >"$1" <<XML
<netlist xmlns="urn:boxtimes:netlist:1" name="a controller">
  <component xmlns="urn:boxtimes:component:1" name="plant" domain="control">
    <coordinate name="x" unit="1" flow="v"/>
    <lagrangian>v^2/2</lagrangian>
  </component>
  <component xmlns="urn:boxtimes:component:1" name="pi-control" domain="control">
    <parameter name="Ts" unit="s" default="0.2 s"/>
    <parameter name="r" unit="1" default="1" time="true"/>
    <parameter name="kp" unit="1" default="2"/>
    <parameter name="ki" unit="1" default="0.7"/>
    <parameter name="u_min" unit="1" default="-0.5"/>
    <parameter name="u_max" unit="1" default="0.6"/>
    <parameter name="Tt" unit="1" default="0.3"/>
    <parameter name="mode" unit="1" default="0"/>
    <parameter name="when" unit="s" default="0 s"/>
    <binding name="m" component="plant"/>
    <force on="m.x">u - m.v</force>
    <state name="u" unit="1"/>
    <sample period="Ts"/>
    $2
  </component>
  <plant id="X" v="0.3"/>
  <pi-control id="C" m="X" $3/>
  <simulation step="0.1 s" end="8 s"/>
  <record>X.x, C.u</record>
</netlist>
XML
}
v='max(u_min, min(u_max, kp*(r - m.x) + I))'
control "$work/inline.xml" "<state name='I' unit='1'/><update of='u'>$v</update>
	<update of='I'>I + Ts*(ki*(r - m.x) + ($v - (kp*(r - m.x) + I))/Tt)</update>"
control "$work/pi.xml" '<plugin file="ctl/pi.so" reads="r m.x" writes="u"/>'
control "$work/bad.xml" '<plugin reads="r" writes="u"/>' 'mode="1"'
control "$work/nan.xml" '<plugin reads="r" writes="u"/>' 'mode="10" when="2 s"'
mkdir "$work/ctl" && cp "$plugins/pi.so" "$work/ctl"

# ---- The same as written in the component ----

run 0 check "$work/pi.xml" --allow-plugins
run 0 run "$work/pi.xml" --allow-plugins -o "$work/pi.csv"
rows "$work/pi.csv"
run 0 run "$work/pi.xml" --plugin "C=$plugins/pi.so" -o "$work/given.csv"
cmp -s "$work/pi.csv" "$work/given.csv" && ok || fail "the file that is given makes a difference"
run 0 compare "$work/inline.xml" "$work/pi.xml" --allow-plugins --record "X.x, C.u" --tol 1e-12
run 0 compare "$work/inline.xml" "$work/pi.xml" --plugin "pi-control=$plugins/pi.so" --tol 1e-12 \
	--record "X.x, C.u"
says "is left out: 'pi-control' has no <plugin>"
run 0 verify "$work/pi.xml" --allow-plugins --at "1 s"
(cd "$work" && "$tool" run pi.xml --plugin C=ctl/pi.so --quiet -o here.csv) && ok ||
	fail "a path is not seen from the working folder"

# ---- Refused ----

for command in run check verify; do
	run 3 $command "$work/pi.xml"
	says "$work/pi.xml:20: error: pi-control 'C': plug-in 'ctl/pi.so' is not loaded"
	silent_out "a plug-in that is not allowed"
done
run 3 run "$work/bad.xml" --allow-plugins
says "$work/bad.xml:23: error: pi-control 'C' has no plug-in"
run 3 run "$work/bad.xml" --plugin "C=$plugins/none.so"
says "none.so' cannot be loaded"
run 3 check "$work/bad.xml" --plugin "C=$plugins/misbehaves.so"
says "$work/bad.xml:23: error: pi-control 'C': plug-in '"
says "/misbehaves.so' crashes while it is instantiated: signal 11"
run 3 check "$work/bad.xml" --plugin "C=$plugins/misbehaves.so" --set C.mode=2 --plugin-seconds 1
says "does not return while it is instantiated within 1 s"
run 3 run "$work/bad.xml" --plugin "C=$plugins/old_version.so"
says "is made for version 42 of the interface"
run 3 run "$work/bad.xml" --plugin "D=$plugins/pi.so"
says "there is no element or component 'D'"
run 3 run "$work/pi.xml" --plugin "C=$plugins/pi.so" --set C.u_min=2
says "cannot be instantiated: u_min must be below u_max, and Tt positive"
# the rows before the failure are whole, and once in the file
run 4 run "$work/nan.xml" --plugin "C=$plugins/misbehaves.so" -o "$work/nan.csv"
says "gives no number for 'u' at t = 2 s"
rows "$work/nan.csv"
test "$(cut -d, -f1 "$work/nan.csv" | sort | uniq -d | wc -l)" -eq 0 && ok || fail "rows twice"
# an error that its step returns then is no wrong model, wherever it runs
for where in "" --plugin-in-process; do
	run 4 run "$work/nan.xml" --plugin "C=$plugins/misbehaves.so" --set C.mode=9 $where
	says "fails at t = 2 s: the sensor is lost"
done
run 3 run "$work/nan.xml" --plugin "C=$plugins/misbehaves.so" --set C.mode=9 --set "C.when=0 s"
says "fails at t = 0 s: the sensor is lost"
# a plug-in that ends the program ends its trial only, and nothing of ours is written twice
run 3 run "$work/nan.xml" --plugin "C=$plugins/misbehaves.so" --set C.mode=5
says "ends the program while it is instantiated, with exit status 0"

# ---- Crashes after the first step ----

control "$work/crash.xml" '<plugin reads="r" writes="u"/>' 'mode="23" when="2 s"'
run 4 run "$work/crash.xml" --plugin "C=$plugins/misbehaves.so" -o "$work/crash.csv"
says "$work/crash.xml:23: error: pi-control 'C': plug-in '"
says "/misbehaves.so' crashes in a step at t = 2 s: signal "
rows "$work/crash.csv"
test "$(tail -n 1 "$work/crash.csv" | cut -d, -f1)" = 2 && ok || fail "rows before the crash are missing"
run 4 run "$work/crash.xml" --plugin "C=$plugins/misbehaves.so" --set C.mode=8 --plugin-seconds 1 -o "$work/crash.csv"
says "does not return in a step at t = 2 s within 1 s"
rows "$work/crash.csv"
# what a plug-in prints goes to standard error, never between rows
run 0 run "$work/crash.xml" --plugin "C=$plugins/misbehaves.so" --set C.mode=24 -o -
cp "$work/out" "$work/prints.csv"
rows "$work/prints.csv"
hides "a line from a plug-in"
says "2.2, a line from a plug-in"
# the process ends with its parent, also when that is killed while the plug-in hangs
child_of() { grep -l "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status 2>"$work/gone" | head -n 1 | cut -d/ -f3; }
if test -r /proc/self/status; then
	"$tool" run "$work/crash.xml" --plugin "C=$plugins/misbehaves.so" --set C.mode=8 --plugin-seconds 30 --quiet \
		-o "$work/killed.csv" >"$work/out" 2>"$work/err" &
	parent=$!
	child=
	for _ in $(seq 100); do # the run's own begins with the rows, that of the check is gone then
		test -e "$work/killed.csv.boxtimes-part" && child=$(child_of $parent)
		test -n "$child" && break
		sleep 0.1
	done
	test -n "$child" && ok || fail "a plug-in has no process of its own"
	kill -9 $parent
	wait $parent 2>"$work/err"
	for _ in $(seq 50); do
		test -d "/proc/${child:-1}" || break
		sleep 0.1
	done
	test -d "/proc/${child:-1}" && fail "the process of a plug-in outlives its parent" || ok
fi
# trusted ones in the same process, and still tried before
run 0 run "$work/pi.xml" --allow-plugins --plugin-in-process -o "$work/here.csv"
cmp -s "$work/pi.csv" "$work/here.csv" && ok || fail "the process makes a difference"
run 3 run "$work/bad.xml" --plugin "C=$plugins/misbehaves.so" --plugin-in-process
says "crashes while it is instantiated: signal 11"

# ---- Usage ----

run 2 run "$work/pi.xml" --plugin C
run 2 run "$work/pi.xml" --plugin-seconds 0
run 2 run "$work/pi.xml" --plugin-seconds 1.5
run 2 list --allow-plugins
run 0 describe --help
run 0 schema "$work/pi.xml"
shows '<xs:attribute name="plugin"'
finish
