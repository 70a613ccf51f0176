#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# boxtimes plot: panels, units, choice of columns, axes, spectra. cli_commands.sh tests what text of
# the user may do.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

# a program that stands for gnuplot and keeps its script
mkdir "$work/fake"
cat >"$work/fake/gnuplot" <<END
#!/bin/sh
cat >"$work/script"
echo drawn
END
printf '#!/bin/sh\necho "$@" >"%s/opened"\n' "$work" >"$work/fake/xdg-open"
chmod +x "$work/fake/gnuplot" "$work/fake/xdg-open"
PATH="$work/fake:$PATH"
cd "$work" || exit 1
scripts() { if grep -qF -- "$1" script; then ok; else fail "expected in the script: $1"; fi; }
plots() { test "$(grep -c '^plot ' script)" -eq "$1" && ok || fail "$(grep -c '^plot ' script) panels, expected $1"; }

cat >units.csv <<'END'
time [s],C1.q [C],R.i [A],"node(a).v [V]",L.i [A],"node(b).v [V]","node(s).v [m/s]",n [1]
0,0,0,0,0,0,0,1
0.001,2e-6,0.002,3,0.004,4,5,1
0.002,1e-6,0.001,2,0.003,3,6,2
END
awk 'NR == 1 { gsub(/ \[[^]]*\]/, "") } 1' units.csv >plain.csv

# ---- Panels by unit, efforts of nodes first, prefixes on axes, values to suit ----

run 0 plot units.csv -o a.svg
plots 5
grep '^| ' script >words
printf '| units\n| time [ms]\n| v [V]\n| v [m/s]\n| q [µC]\n| i [mA]\n| n\n' | cmp -s - words && ok || fail "labels: $(cat words)"
scripts '"time" "node(a).v" "node(b).v" "node(s).v" "C1.q" "R.i" "L.i" "n"'
scripts ' 1 3 4 5 2 2 4 1'
scripts 'set key outside right'
scripts "set linetype 10 linecolor rgb"
test "$(grep -o "rgb '#[0-9a-f]*'" script | sort -u | wc -l)" -eq 10 && ok || fail "ten colours"
run 0 plot plain.csv -o a.svg # without units: by the last word
plots 4
run 0 plot units.csv -o a.svg --title 'my title'
scripts '| my title'

# ---- Events: times with two rows ----

cat >events.csv <<'END'
time [s],R.i [A],L.i [A]
0,0,0
0.001,1,0
0.001,2,0
0.002,2,1
0.0025,2,1
0.0025,0,1
END
marks() { test "$(grep -c '^set arrow' script)" -eq "$1" && ok || fail "$(grep -c '^set arrow' script) marks, expected $1"; }
run 0 plot events.csv -o a.svg
marks 2
scripts 'set arrow from first 1, graph 0 to first 1, graph 1 nohead'
scripts 'set arrow from first 2.5, graph 0'
run 0 plot events.csv -o a.svg --range 0:2ms
marks 1
run 0 plot units.csv -o a.svg
marks 0
run 0 plot events.csv -o a.svg --xy 'R.i, L.i'
marks 0
awk 'BEGIN { print "time [s],R.i [A]"; for (i = 0; i < 101; i++) print i ",0\n" i ",1" }' >many.csv
run 0 plot many.csv -o a.svg # more would hide the curves
marks 0

# ---- Columns ----

run 0 plot units.csv -o a.svg --columns 'node(*).v, q'
scripts '"time" "node(a).v" "node(b).v" "node(s).v" "C1.q"'
run 0 plot plain.csv -o a.svg --columns '*.i'
scripts '"time" "R.i" "L.i"'
run 3 plot units.csv -o a.svg --columns '*.w'
says "no column '*.w'"
run 3 plot units.csv -o a.svg --columns 'i'
says "more than one column 'i'"

# ---- Forms ----

run 0 plot units.csv -o a.svg --log y
scripts 'set logscale y'
run 0 plot units.csv -o a.svg --log xy
scripts 'set logscale xy'
run 2 plot units.csv -o a.svg --log z
run 0 plot units.csv -o a.svg --xy 'C1.q, R.i'
scripts 'plot $DATA using 2:3'
scripts '| C1.q [µC]'
scripts '| R.i [mA]'
run 2 plot units.csv -o a.svg --xy 'C1.q, R.i' --columns L.i
run 3 plot units.csv -o a.svg --xy 'C1.q'
run 0 plot units.csv -o a.svg --range 1ms: --columns q
test "$(awk '/^\$DATA/ { on = 1 } /^BXT_END/ { on = 0 } on' script | wc -l)" -eq 4 && ok || fail "--range 1ms:"
run 0 plot units.csv -o a.svg --range :0.0005 --columns q
run 3 plot units.csv -o a.svg --range 5:6
says "no row is in --range"
run 2 plot units.csv -o a.svg --range 2:1
run 2 plot units.csv -o a.svg --range nonsense
printf 'time,C1.q\n0,1\n0.001,2\n' >other.csv
run 0 plot units.csv --overlay other.csv -o a.svg --columns 'q, L.i'
scripts ', $OVER using 1:2 with lines linetype 1 linewidth 1.5 dashtype 2'
says "other.csv: note: no column 'L.i'"
run 3 plot units.csv --overlay none.csv -o a.svg

# a sine of amplitude 3 at 50 Hz has the peak 3 there
awk 'BEGIN { print "time [s],a.v [V]"; for (i = 0; i <= 4096; i++) { t = i/4096; printf "%.9g,%.12g\n", t, 1 + 3*sin(2*3.14159265358979*50*t) } }' >sine.csv
run 0 plot sine.csv --spectrum -o a.svg
awk '$1 == 0.05 { peak = $2 } $1 == 0.04 { side = $2 } END { exit !(peak > 2.99 && peak < 3.01 && side < 1e-3) }' script && ok ||
	fail "the peak of a sine: $(grep '^ 0.05 ' script)"
run 2 plot sine.csv --spectrum --overlay sine.csv -o a.svg

# ---- Side views ----

cat >space.csv <<'END'
time [s],node(a).x [m],node(a).y [m],node(a).z [m],D1.x [m],D1.y [m],D1.theta [rad],D1.vx [m/s]
0,0,0,0,1,1,0,5
1,4,1,-1,2,1,1,5
2,8,2,-2,3,1,2,5
END
run 0 plot space.csv -o a.svg --space 'D*, node(a)'
plots 3
scripts 'set multiplot layout 1,3'
scripts '| D1'
scripts '| node(a)'
scripts '| x [m]'
# D1 first, and without z in the plane z = 0
scripts ' 3 1 0 8 2 -2'
# one scale: 8 m across, about 4, 1 and -1
scripts 'set xrange [-0.2:8.2]'
scripts 'set yrange [-3.2:5.2]'
scripts 'set yrange [-5.2:3.2]'
run 0 plot space.csv -o a.svg --space D1 --range 1:
plots 1
test "$(awk '/^\$DATA/ { on = 1 } /^BXT_END/ { on = 0 } on' script | wc -l)" -eq 3 && ok || fail "--space --range 1:"
run 0 plot space.csv --space 'node(*)'
scripts 'set terminal dumb'
run 3 plot space.csv -o a.svg --space E
says "no column 'E.x'"
run 3 plot units.csv -o a.svg --space 'node(a)'
printf 'time,P.x,Q.y\n0,1,2\n1,1,2\n' >half.csv
run 3 plot half.csv -o a.svg --space P
says "half.csv: error: no column 'P.y' beside 'P.x'"
for option in '--xy D1.x,D1.y' '--columns D1.x' '--spectrum' '--log x' '--overlay space.csv'; do
	# words of an option
	# shellcheck disable=SC2086
	run 2 plot space.csv -o a.svg --space D1 $option
	says "--space shows traces"
done
run 2 plot space.csv -o a.html --space D1

# a page, which needs no gnuplot
run 2 plot units.csv --log y -o a.html
says "an HTML page shows signals over time"
BOXTIMES_DYGRAPHS="$work" run 4 plot units.csv -o a.html
says "Debian package libjs-dygraphs"
test -e a.html && fail "a page that cannot be" || ok
echo 'var Dygraph;' >dygraph.min.js
BOXTIMES_DYGRAPHS="$work" run 0 plot units.csv --title '<b>"' -o a.html --columns 'node(*).v' --quiet
grep -qF '<h1>&lt;b&gt;&quot;</h1>' a.html && grep -qF '"names":["node(a).v","node(b).v"]' a.html && ok || fail "a.html"
rm dygraph.min.js

run 2 plot units.csv --open
says "--open shows the file of -o"
run 0 plot units.csv -o a.svg --open
test "$(cat opened)" = a.svg && ok || fail "--open opens nothing"

run 0 compare "$good/rlc-parallel.xml" "$good/rlc-torn.xml" --quiet --plot both.svg --columns 'C1.q, node(a).v'
scripts '| [C]'
scripts '| [V]'
scripts 'set ylabel w4'

PATH=${PATH#*:}
if command -v gnuplot >/dev/null; then
	for form in "" "--log y" "--spectrum" "--xy C1.q,R.i" "--overlay plain.csv" "--range 0:1ms"; do
		run 0 plot units.csv --quiet -o a.svg $form
		silent_err "gnuplot, $form"
	done
	run 0 plot units.csv -o a.pdf
	head -c 4 a.pdf | grep -q '%PDF' && ok || fail "not a PDF picture"
else
	skip "pictures by gnuplot" "gnuplot is not installed"
fi
finish
