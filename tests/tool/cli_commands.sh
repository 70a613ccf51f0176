#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The commands for people: list, describe, schema, plot; interrupts, completion, man page.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

# ---- Help ----

run 0 --help
cp "$work/out" "$work/help"
for command in run check info compare verify plot list describe schema tear flatten reference examples; do
	grep -q "^  $command " "$work/help" && ok || fail "--help does not name $command"
	run 0 $command --help
	shows "usage: boxtimes $command"
	grep -A1 "^example: boxtimes" "$work/out" | grep -q "boxtimes $command" && ok || fail "$command --help has no example"
done

# ---- list ----

run 0 list
shows "electrical"
shows "  resistor "
run 0 list RESISTOR
shows "  resistor "
hides "  capacitor "
run 3 list zzzz
says "no component has 'zzzz'"
run 0 list --names
for file in "$source"/components/*/*.xml; do
	name=$(basename "$file" .xml)
	grep -qxF -- "$name" "$work/out" && ok || fail "list --names lacks $name"
done
cp "$work/out" "$work/names"
run 2 list a b
run 2 list --step 1
run 2 list --map a=b
# a broken component is told and does not hide the others
mkdir "$work/lib"
echo '<component xmlns="urn:boxtimes:component:1" name="thing"><prot name="p"/></component>' >"$work/lib/thing.xml"
run 3 list -L "$work/lib"
says "did you mean 'port'?"
shows "  resistor "

# the names of settings are those that the program accepts: what it says of a wrong one
run 0 list --settings
for words in 'radau3 .*order 5' 'klu .*sparse LU' 'single stage .*one stage' 'Taylor shooting .*flow'; do
	grep -q "^  $words" "$work/out" && ok || fail "list --settings does not explain '$words'"
done
sed '/^$/,$d' "$work/out" >"$work/settings"
while read -r setting names; do
	run 3 run "$good/rlc-series.xml" --quiet "--$setting" frobnicate
	said=$(sed -n "s/.*'frobnicate' is not one of \(.*\)/\1/p" "$work/err" | sed 's/ (did.*//; s/,//g')
	# long lists are counted, not printed
	case $said in
	'the '*) names="the $(echo "$names" | wc -w) that 'boxtimes list --settings' names" ;;
	esac
	test "$said" = "$names" && ok || fail "list --settings has '$names' for $setting, the program '$said'"
done <"$work/settings"

# ---- describe ----

while read -r name; do
	run 0 describe "$name"
	shows "Equations, as derived"
	unnamed='\?|\(null\)'
	# what has no name is called x3; some components call a state so
	grep -q 'name="x[0-9]' "${BOXTIMES_PATH:?}"/*/"$name.xml" || unnamed="$unnamed|x[0-9]+ *\\*"
	grep -qE "$unnamed" "$work/out" && fail "describe $name: a variable without a name" || ok
done <"$work/names"
run 0 describe resistor
shows "R = 0.5*R*i^2"
shows "q: 0 = "
run 0 describe inductor
shows "dL/d(i) = "
shows "q: d/dt("
shows "must be positive"
run 0 describe capacitor
shows "massless"
shows "affine: its part of the matrix is constant"
run 0 describe diode
shows "q: v = p.v - n.v"
shows "default 0.02585 V; must be positive"
shows "nonlinear"
run 0 describe nonlinear-capacitor
shows "dL/d(q) = -energy'(q)"
shows "affine as long as its expressions are at most quadratic"
run 0 describe transformer
shows "constraint turns: "
shows "turns.lambda"
mkdir -p "$work/parts"
cat >"$work/parts/planet.xml" <<'END'
<component xmlns="urn:boxtimes:component:1" name="planet" domain="mechanical">
  <coordinate name="x" unit="m" flow="u"/><coordinate name="y" unit="m" flow="v"/>
  <lagrangian>(u^2 + v^2)/2</lagrangian>
  <symmetry name="turn"><generator on="x">-y</generator><generator on="y">x</generator></symmetry>
</component>
END
run 0 describe planet -L "$work/parts"
shows "symmetry turn along x: -y"
run 0 describe resistor capacitor
shows "capacitor, electrical"
run 3 describe resistr
says "did you mean 'resistor'?"
run 3 describe thing -L "$work/lib"
says "did you mean 'port'?"
run 2 describe
# an expression that does not parse is found although nothing is instantiated
cat >"$work/lib/thing.xml" <<'END'
<component xmlns="urn:boxtimes:component:1" name="thing" domain="mechanical">
  <parameter name="k" unit="N/m" min="0"/>
  <port name="a" kind="translational"/>
  <port name="b" kind="planar"/>
  <lagrangian>-k*(a.x - b.y)^2/2 + a.z</lagrangian>
</component>
END
run 3 describe thing -L "$work/lib"
says "thing.xml:5"
sed 's/ + a.z//' "$work/lib/thing.xml" >"$work/thing" && mv "$work/thing" "$work/lib/thing.xml"
run 0 describe thing -L "$work/lib"
shows "thing, mechanical"
shows "a.x"
shows "dL/d(b.y) = "

# ---- schema ----

run 0 schema
cp "$work/out" "$work/all.xsd"
cat >"$work/inline.xml" <<'END'
<netlist xmlns="urn:boxtimes:netlist:1" xmlns:x="urn:x" x:note="kept">
  <simulation step="1 ms" end="=2*5e-3" scheme="discrete-gradient" gradient="increments"/>
  <component xmlns="urn:boxtimes:component:1" name="my-part" domain="electrical">
    <doc>a &lt;part&gt; &amp; "more"</doc>
    <parameter name="R" unit="ohm"/>
    <coordinate name="q" unit="C" flow="i"/>
    <port name="p" kind="electrical" flow="i"/><port name="n" kind="electrical" flow="-i"/>
    <rayleigh>R*i^2/2</rayleigh>
  </component>
  <x:any/>
  <my-part id="P1" p="a" n="0" R="1 ohm"/>
  <capacitor id="C1" p="a" n="0" C="1 F" q="1 C"/>
</netlist>
END
run 0 check "$work/inline.xml"
run 0 schema "$work/inline.xml"
cp "$work/out" "$work/inline.xsd"
run 3 schema "$work/none.xml"
run 3 schema -L "$work/lib" "$work/lib/thing.xml"
test -s "$work/out" && fail "schema of a wrong file writes something" || ok
if command -v xmllint >/dev/null; then
	# valid SCHEMA FILE, invalid SCHEMA FILE
	valid() {
		xmllint --noout --nonet --schema "$1" "$2" 2>"$work/err" && ok ||
			{ fail "$2 is not valid" && cat "$work/err"; }
	}
	invalid() { xmllint --noout --nonet --schema "$1" "$2" 2>"$work/err" && fail "$2 is valid: $3" || ok; }
	for file in "$good"/*.xml "$good"/*/*.xml; do
		"$tool" schema "$file" >"$work/own.xsd" 2>"$work/err" && ok || fail "schema $file"
		valid "$work/own.xsd" "$file"
	done
	valid "$work/inline.xsd" "$work/inline.xml"
	invalid "$work/all.xsd" "$work/inline.xml" "its inline component is unknown"
	spoil() {
		sed "$1" "$good/rlc-torn.xml" >"$work/spoilt.xml"
		cmp -s "$work/spoilt.xml" "$good/rlc-torn.xml" && fail "nothing spoilt by $1" || ok
		invalid "$work/all.xsd" "$work/spoilt.xml" "$1"
	}
	spoil 's/<resistor/<resistro/'
	spoil 's/ R="1 ohm"//'
	spoil 's/ R="1 ohm"/ R="ohm"/'
	spoil 's/ R="1 ohm"/ R="1 ohm" W="1"/'
	spoil 's/gauss1/gaus1/'
	spoil 's/gauss1/discrete-gradient" gradient="increment/'
	spoil 's/ p="a"//'
	spoil 's/ id="L1"//'
	spoil 's/ id="L1"/ id="1L"/'
	spoil 's/<connect /<conect /'
else
	echo "xmllint is not installed: schemas are not validated"
fi

# ---- plot ----

run 0 run "$good/rlc-torn.xml" --quiet -o "$work/torn.csv"
run 2 plot "$work/torn.csv" -o "$work/torn.jpg"
run 2 plot "$work/torn.csv" --scheme gauss1
run 3 plot "$work/none.csv"
run 3 plot "$work/torn.csv" --columns 'C1.w'
says "store.C1.q"
printf 'time,a\n0,1\n1,x\n' >"$work/bad.csv"
run 3 plot "$work/bad.csv"
says "bad.csv:3: error: field 2 is not a number"
printf 'time,a\n0,1\n1\n' >"$work/bad.csv"
run 3 plot "$work/bad.csv"
says "bad.csv:3: error: the row has fewer fields"
printf 'time,a\n' >"$work/bad.csv"
run 3 plot "$work/bad.csv"
: >"$work/bad.csv"
run 3 plot "$work/bad.csv"

# a program that stands for gnuplot and keeps its script: nothing of the user can leave its data lines
mkdir "$work/fake" "$work/empty"
cat >"$work/fake/gnuplot" <<END
#!/bin/sh
cat >"$work/script"
echo drawn
END
chmod +x "$work/fake/gnuplot"
cat >"$work/evil.csv" <<'END'
time,"`touch evil1`","BXT_END","a"";system('touch evil2')",$x{^2}.q
0,1,2,3,4
1,2,3,4,
2,3,4,nan,6
END
title='`touch evil3`"; system("touch evil4")
BXT_END
system("touch evil5")'
cd "$work" || exit 1
PATH="$work/fake:$PATH" "$tool" plot evil.csv --title "$title" -o evil.svg 2>"$work/err" && ok || fail "plot with the fake"
grep -q drawn evil.svg && ok || fail "the drawing does not reach its file"
grep -q '`' script && fail "a backtick reaches gnuplot" || ok
test "$(grep -c '^BXT_END$' script)" -eq 2 && ok || fail "the user ends the data"
# outside of the data only fixed words and numbers
awk '/<< BXT_END$/ { data = 1 } !data { print } $0 == "BXT_END" { data = 0 }' script >commands
grep -q 'evil\|touch' commands && fail "words of the user among the commands" || ok
PATH="$work/empty" "$tool" plot evil.csv >"$work/out" 2>"$work/err"
test $? -eq 4 && ok || fail "a missing gnuplot goes unnoticed"
says "gnuplot, which was not found"
printf '#!/bin/sh\necho "bad terminal" >&2\nexit 1\n' >"$work/fake/gnuplot"
PATH="$work/fake:$PATH" "$tool" plot evil.csv -o never.svg >"$work/out" 2>"$work/err"
test $? -eq 4 && ok || fail "a failing gnuplot goes unnoticed"
says "bad terminal"
test -e never.svg && fail "a failing gnuplot leaves a file" || ok

if command -v gnuplot >/dev/null; then
	echo 'system "touch evil6"' >.gnuplot
	HOME=$work run 0 plot evil.csv --title "$title" -o evil.svg
	HOME=$work run 0 plot evil.csv --title "$title" --columns 'q'
	for i in 1 2 3 4 5 6; do
		test -e evil$i && fail "gnuplot executed evil$i" || ok
	done
	grep -q 'touch evil1' evil.svg && ok || fail "the name of a column is not drawn"
	command -v xmllint >/dev/null && { xmllint --noout evil.svg && ok || fail "not an SVG picture"; }
	run 0 plot torn.csv -o torn.png
	head -c 4 torn.png | grep -q PNG && ok || fail "not a PNG picture"
	run 0 plot torn.csv --columns 'C1.q, energy' --title 'a torn circuit'
	shows "a torn circuit"
	shows "store.C1.q"
	hides "L1.i"
	"$tool" run "$good/rlc-torn.xml" --quiet -o - | "$tool" plot - -o - >pipe.svg 2>"$work/err" && ok || fail "plot of a pipe"
	grep -q '<svg' pipe.svg && ok || fail "no SVG picture on standard output"
	run 4 plot torn.csv -o "$work/no/such/folder.svg"
	says "cannot write"
	# a peak of one row among many stays
	awk 'BEGIN { print "time,a"; for (i = 0; i < 50000; i++) print i "," (i == 33333 ? 7 : 0) }' >peak.csv
	run 0 plot peak.csv
	shows " 7 +"
else
	skip "pictures by gnuplot" "gnuplot is not installed"
	: >torn.png # as if it were
fi

# ---- Standard input and output ----

run 0 run - --quiet -o - <"$good/rlc-torn.xml"
cmp -s "$work/out" torn.csv && ok || fail "-o - gives other rows"
run 0 check - <"$good/rlc-torn.xml"

# ---- Interrupts ----

# interrupted SIGNAL: far more steps than there is time for
interrupted() {
	rm -f cut.csv
	"$tool" run "$good/rlc-torn.xml" --end 1e9 --step 0.01 --every 10 -o cut.csv 2>"$work/err" &
	pid=$!
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		test -s cut.csv && break
		sleep 0.25
	done
	kill -"$1" $pid
	wait $pid
	test $? -eq 4 && ok || fail "status after SIG$1"
	says "interrupted at t = "
	says "energy"
	rows cut.csv
	test "$(wc -l <cut.csv)" -gt 2 && ok || fail "SIG$1: no rows"
}
interrupted INT
interrupted TERM

# ---- Man page and completion ----

# Printed from the tables that the program goes by; the page is kept for the installation.
run 0 reference man
cmp -s "$work/out" "$source/tools/boxtimes.1" && ok ||
	fail "the man page is an old one: boxtimes reference man >tools/boxtimes.1"
cp "$work/out" page
for command in run check info compare verify plot list describe schema tear flatten reference examples; do
	grep -q "^\.B $command " page && ok || fail "the man page lacks $command"
	"$tool" $command --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort -u >"$command.options"
	while read -r option; do
		grep -qF -- "$(printf '%s\n' "$option" | sed 's/-/\\-/g')\fR" page && ok || fail "the man page lacks $option"
	done <"$command.options"
done
grep -q '^\.SH "STEP METHODS"' page && grep -q '^\.B Taylor shooting' page && grep -q '^\.B radau3' page && ok ||
	fail "the man page lacks schemes or step methods"
run 0 run --help
shows "  radau3 "
shows "  Taylor shooting "
run 2 reference
run 2 reference options frobnicate
if command -v bash >/dev/null; then
	ln -s "$tool" boxtimes
	# completes WORD...: what the last word is completed to
	completes() {
		PATH="$work:$PATH" bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _boxtimes
			printf "%s\n" "${COMPREPLY[@]}"' "$source/tools/boxtimes.bash" "$@" >"$work/out" 2>"$work/err"
		test -s "$work/err" && fail "completion of $*: $(cat "$work/err")" || ok
	}
	for command in run check info compare verify plot list describe schema tear flatten reference examples; do
		completes boxtimes $command --
		sort -u "$work/out" | cmp -s - "$command.options" && ok || fail "$command is not completed to its options"
		while read -r option; do
			grep -qxF -- "$option" "$work/out" && ok || fail "the completion of $command lacks $option"
		done <"$command.options"
	done
	completes boxtimes de
	shows "describe"
	completes boxtimes describe capa
	shows "capacitor"
	hides "resistor"
	completes boxtimes run --sch
	shows "--scheme"
	completes boxtimes run --scheme ga
	shows "gauss1"
	completes boxtimes run --scheme = di
	shows "dirac+"
	completes boxtimes run x.xml --rule ''
	shows "rectangle"
	completes boxtimes compare --solver kl
	shows "klu"
	completes boxtimes run --start op
	shows "operating-point"
	completes boxtimes run --plugin-seconds ''
	test -z "$(cat "$work/out")" && ok || fail "a number is completed"
	completes boxtimes compare a.xml b.xml --plot to
	shows "torn.png"
	completes boxtimes run inl
	shows "inline.xml"
	completes boxtimes plot to
	shows "torn.csv"
	hides "torn.png"
fi

finish
