#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# boxtimes import: the netlist that comes out runs, files are as safe as elsewhere, and robots that
# others have made swing without gaining or losing energy.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
cd "$work" || exit 1
robots=$source/tests/import

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

# ---- Robots of others: the arms KR5 and WAM, DRC-HUBO and Atlas, Debian package dart-doc ----

robots=/usr/share/doc/dart/data
if ! test -d "$robots"; then
	echo "dart-doc is not installed: no robots of others are imported"
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
