#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# boxtimes import: the netlist that comes out runs, files are as safe as elsewhere, and robots that
# others have made swing without gaining or losing energy.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
cd "$work" || exit 1
robots=$source/tests/exchange/robot

# ---- Files ----

run 0 import "$robots/arm.urdf" -o arm.xml
says "arm.urdf: note: 2 shapes of links are left out"
says "the dry friction of 1 joints is left out"
says "the limits of 2 joints are comments"
silent_out "import -o"
run 0 import "$robots/arm.urdf" --quiet
silent_err "import --quiet"
cmp -s arm.xml "$work/out" && ok || fail "standard output is another netlist than -o"
run 0 import - --quiet -o piped.xml <"$robots/arm.urdf"
cmp -s arm.xml piped.xml && ok || fail "standard input is another netlist than a file"
run 0 check arm.xml
run 0 run arm.xml --end 0.01 --quiet -o arm.csv
rows arm.csv
head -n 1 arm.csv | grep -qF 'node(turn-shaft).theta [rad],node(slide-shaft).x [m],node(wrist-shaft).theta [rad],energy [J]' &&
	ok || fail "$(head -n 1 arm.csv)"
run 0 run arm.xml --end 0.1 --quiet --animate arm.html
grep -qF '{"name":"node(hand)","kind":"spatial"' arm.html && ok || fail "the hand is not seen"
cp "$robots/arm.urdf" own.urdf
run 2 import own.urdf -o own.urdf
says "would overwrite"
cmp -s own.urdf "$robots/arm.urdf" && ok || fail "own.urdf was written"
run 3 import none.urdf -o none.xml
says "none.urdf: error: cannot be read"
test ! -e none.xml && ok || fail "a netlist of nothing"
run 4 import "$robots/arm.urdf" --quiet -o no/such/folder.xml

# ---- Options ----

run 2 import "$robots/arm.urdf" --base loose
says "not one of fixed, floating"
run 2 import
run 3 import "$robots/arm.urdf" --base fixed --close 'ball tool tol 0 0 0'
says "there is no link 'tol' (did you mean 'tool'?)"
run 0 import "$robots/arm.urdf" --quiet --close 'ball tool stand 0.4 0.6 0.7' -o closed.xml
grep -qF '<ball id="closure" a="tool" b="wall"' closed.xml && ok || fail "no ball in closed.xml"
run 0 check closed.xml
run 3 import "$good/rlc-torn.xml"
says "rlc-torn.xml:"
says "expected <robot>, found <netlist>"

# ---- Decks of SPICE ----

decks=$source/tests/exchange/spice
run 0 import "$decks/subcircuits.cir" -o deck.xml
silent_err "import of a deck"
run 0 import "$decks/subcircuits.cir" --flat -o flat.xml
grep -q '<subsystem' deck.xml && ok || fail "no subsystem in deck.xml"
grep -q '<subsystem' flat.xml && fail "a subsystem in flat.xml" || ok
run 0 import - --quiet -o piped.xml <"$decks/held.cir"
run 0 import "$decks/held.cir" --quiet -o held.xml
cmp -s held.xml piped.xml && ok || fail "standard input is another deck than a file"
cp "$decks/held.cir" held # by what it is, not by its name
run 0 import held --quiet -o named.xml
sed -i 's/held.cir/held/' held.xml
cmp -s held.xml named.xml && ok || fail "a deck by another name is another netlist"
run 2 import "$decks/held.cir" --base fixed
run 2 import "$decks/arm.urdf" --flat
printf 't\nA1 a b m\nR1 a 0 {x}\n' >bad.cir
run 3 import bad.cir -o bad.xml
says "bad.cir:2: error: 'A1': code models (XSPICE) are not taken over"
says "bad.cir:3: error: there is no parameter 'x'"
test ! -e bad.xml && ok || fail "a netlist of a bad deck"

# what a deck includes lies in its folder, whatever links say
mkdir -p inside outside
printf 'R2 a 0 1\n' >outside/secret.inc
ln -s ../outside/secret.inc inside/link.inc
printf 'R3 a 0 1\n' >inside/good.inc
for name in ../outside/secret.inc link.inc "$work/outside/secret.inc" /etc/passwd /dev/zero; do
	printf 't\nR1 a 0 1\n.include %s\n' "$name" >inside/deck.cir
	run 3 import inside/deck.cir -o inside.xml
	says "is not read: files that a deck includes lie in its folder or below"
done
printf 't\nR1 a 0 1\n.include good.inc\n' >inside/deck.cir
run 0 import inside/deck.cir --quiet -o inside.xml
printf 't\nR1 a 0 1\n.include deck.cir\n' >inside/deck.cir
run 3 import inside/deck.cir -o inside.xml
says "does a file include itself?"
run 3 import none.cir -o none.xml

# ---- Back to a deck ----

run 0 export deck.xml -o back.cir
run 0 import back.cir --quiet -o back.xml
run 0 compare deck.xml back.xml --tol 1e-6 --quiet -o back.txt
run 3 export "$good/circulator.xml" -o none.cir
says "is not exported"
test ! -e none.cir && ok || fail "a deck of what is none"
run 3 export none.xml
run 2 export deck.xml -o deck.xml

# ---- Raw files ----

run 0 run held.xml --quiet -o held.raw
run 0 run held.xml --quiet --ascii -o text.raw
run 0 run held.xml --quiet -o held.csv
says_raw() {
	sed -n '/^No\. Points:/{s/[^0-9]//g;p;}' "$1"
}
points=$(($(wc -l <held.csv) - 1))
test "$(says_raw text.raw)" -eq $points && ok || fail "text.raw has $(says_raw text.raw) points, not $points"
test "$(LC_ALL=C says_raw held.raw)" -eq $points && ok || fail "held.raw has other points"
grep -q '^	3	v(3)	voltage$' text.raw && ok || fail "no v(3) in text.raw"
sed '1,/^Values:$/d' text.raw | awk '{ print $NF }' >from.raw
sed 1d held.csv | tr ',' '\n' >from.csv
cmp -s from.raw from.csv && ok || fail "text.raw has other numbers than held.csv"
sed '1,/^Binary:$/d' held.raw | od -An -v -tf8 -w8 | awk '{ printf "%.9g\n", $1 }' >binary
awk '{ printf "%.9g\n", $1 }' from.csv >numbers
cmp -s binary numbers && ok || fail "held.raw has other numbers than held.csv"
run 2 run held.xml --ascii -o held.csv
run 2 run held.xml -o held.raw --checkpoint held.state

# ---- Robots of others: the arms KR5 and WAM, DRC-HUBO and Atlas, Debian package dart-doc ----

robots=/usr/share/doc/dart/data
if ! test -d "$robots"; then
	skip "robots of others" "dart-doc is not installed"
	finish
fi
# without damping, so that energy is constant
swing() { # swing FILE STEPS OPTION...
	robot=$1 steps=$2
	shift 2
	sed 's/damping="[^"]*"//' "$robots/$robot" >robot.urdf
	run 0 import robot.urdf --quiet -o robot.xml "$@"
	run 0 run robot.xml --quiet --step 0.001 --end "$(echo "$steps" | awk '{ print $1/1000 }')" --record energy -o robot.csv
	awk -F, 'NR == 2 { first = $2 } NR > 1 { d = $2 - first; if (d < 0) d = -d; if (d > most) most = d }
		END { exit !(NR > 10 && most < 1e-10) }' robot.csv && ok ||
		fail "$robot: the energy moves: $(sed -n '2p;$p' robot.csv | tr '\n' ' ')"
}
swing 'urdf/KR5/KR5 sixx R650.urdf' 200
swing urdf/wam/wam.urdf 200
swing sdf/atlas/atlas_v3_no_head.urdf 50
if test -z "${BXT_FAST:-}"; then
	swing urdf/drchubo/drchubo.urdf 50
	swing urdf/drchubo/drchubo.urdf 20 --base floating
fi
finish
