#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tools/figures.sh: every figure is on the page, with the papers' numbers; what cannot be drawn is left out with the reason.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

figures="$source/tools/figures.sh" page="$work/figures/index.html"
printf '#!/bin/sh\necho "<table><tr><td>orders</td></tr></table>"\n' >"$work/orders"
cat >"$work/modes" <<'END'
#!/bin/sh
printf 'mode,embedded,positions,exponential\n1,564,558,558\n2,63.2,59.3,60\n40,2.5,0.5,2.4\n80,1e-6,1e-10,nan\n' >"$2/modes.csv"
printf 'time,q embedded,E embedded,q positions,E positions,q exponential,E exponential\n0,1e-4,1e-4,1e-6,1e-6,1e-4,1e-4\n10,2e-4,3.7e-4,3e-6,3e-5,2e-4,2e-3\n20,0.706,0.8,3e-4,4e-5,0.27,0.1\n' >"$2/reduced.csv"
END
chmod +x "$work/orders" "$work/modes"
FIGURES_LONG=2000 # of a million steps
export FIGURES_LONG

# draw STATUS NETLISTS: the page
draw() {
	rm -rf "$work/figures"
	sh "$figures" "$tool" "$2" "$work/figures" "$work/orders" "$work/modes" >"$work/out" 2>"$work/err"
	status=$?
	if test "$status" -eq "$1"; then ok; else
		fail "figures.sh: status $status, expected $1"
		sed 's/^/    /' "$work/err"
	fi
}
has() { grep -qF -- "$1" "$page" && ok || fail "not on the page: $1"; }

# ---- All there is ----

draw 0 "$good"
shows "0 left out"
# without gnuplot it says which package draws
command -v gnuplot >/dev/null && silent_err figures.sh || says "gnuplot-nox"
ids="leok-ohsawa-3 leok-ohsawa-table-1 parks-2-1 parks-2-2 parks-table-2-1 parks-2-3 parks-3-1 parks-3-2 parks-3-3 parks-3-4 parks-3-5 parks-3-6 parks-3-7 parks-3-8
	parks-4-1 parks-4-2 parks-4-3 parks-4-4 parks-4-5 parks-3-9 parks-3-10 parks-3-11 spring-chain rlc barbero-linan-1 barbero-linan-2 barbero-linan-3 barbero-linan-sphere de-leon-1 de-leon-example-1
	de-leon-2 de-leon-3 orders"
for id in $ids; do
	has "<section id=\"$id\">"
	has "<a href=\"#$id\">"
done
test "$(grep -c '<section ' "$page")" -eq "$(echo $ids | wc -w)" && ok || fail "not as many figures as there should be"
# Leok and Ohsawa, Table 1; Parks, Figs. 2.1, 2.2, 2.3, section 3.5.2, Table 2.1; Barbero-Linan et al., section 6; de Leon et al., Examples 2 and 4, Fig. 1
for number in 1.3191495654 0.3248286774 0.0808630928 0.0201937602 -0.542609906174 -0.542271159868 3.97e-08 2.16 3.41168e-04 0.5001419760 -0.0075713503743 2.274593e-01 7.0653 \
	4.111951e-07 5.877884e-05 3.541559e-07 0.2531061803 0.2454364008 0.0817601420 -0.519015437539 0.980392156862745; do
	has "$number"
done
has '<td>orders</td>'
has 'until t = 20 by 7.1e-01'
if command -v xmllint >/dev/null; then
	xmllint --html --noout "$page" 2>&1 | grep -v 'Tag \(section\|nav\|details\|summary\) invalid' | grep -q error &&
		fail "the page is not HTML" || ok
fi

# ---- Pictures ----

if command -v gnuplot >/dev/null; then
	for picture in $(sed -n 's/.*<img src="\([^"]*\)".*/\1/p' "$page"); do
		test -s "$work/figures/$picture" && grep -q '<svg' "$work/figures/$picture" && ok || fail "no picture $picture"
		command -v xmllint >/dev/null && { xmllint --noout "$work/figures/$picture" && ok || fail "$picture is no SVG picture"; }
	done
	test "$(grep -c '<img' "$page")" -eq 30 && ok || fail "not as many pictures as there should be"
	grep -q 'store.C1.q' "$work/figures/rlc.svg" && ok || fail "the torn circuit is not drawn"
else
	skip "pictures by gnuplot" "gnuplot is not installed"
fi

# Without gnuplot: numbers only, and the package's name.
mkdir "$work/bin"
for program in awk cat cp cut dirname grep head mkdir mv paste rm sed sh tail tr; do
	path=$(command -v "$program") && ln -s "$path" "$work/bin/$program"
done
PATH="$work/bin" draw 0 "$good"
says "gnuplot-nox"
has 'Without pictures'
has 3.41168e-04
# the sketches need none
test "$(grep -c '<img' "$page")" -eq 4 && ok || fail "pictures without gnuplot"

# ---- What is refused ----

cp -R "$good" "$work/netlists"
sed 's/L="0.75 H"/L="0.75 ohm"/' "$good/rlc-resonator.xml" >"$work/netlists/rlc-resonator.xml"
rm "$work/netlists/pendulum-dl.xml"
draw 0 "$work/netlists"
shows "2 left out"
says "parks-2-3 (Parks, Fig. 2.3): left out: "
says "de-leon-1 (de León et al., Fig. 1): left out: there is no netlist pendulum-dl.xml"
grep -q 'Left out: .*ohm' "$page" && ok || fail "the page does not say why"
test ! -e "$work/figures/parks-2-3.svg" && ok || fail "a picture of what is left out"
sh "$figures" "$work/no-such-tool" "$good" "$work/figures" >"$work/out" 2>"$work/err" && fail "no tool, no complaint" || ok
says "no-such-tool"

finish
