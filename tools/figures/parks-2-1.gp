# SPDX-License-Identifier: GPL-3.0-or-later
set terminal @TALL
set multiplot layout 2, 2
unset key
color(k) = int((1 - k / 10.) * 8) * 65536 + int(80 + (1 - k / 10.) * 130) * 256 + 156 + int(k * 9)
set ylabel 'q'
# where sin t = 1, 7 periods on
set xrange [45.45:45.65]
set xtics 0.1
set title 'trapezoid for L and f' font ',12'
plot for [k = 0:10] sprintf('same-%d.csv', k) using 1:2 with linespoints linewidth 1.2 pointtype 7 pointsize 0.3 linecolor rgb color(k)
set title 'trapezoid for L, midpoint for f' font ',12'
plot for [k = 0:10] sprintf('other-%d.csv', k) using 1:2 with linespoints linewidth 1.2 pointtype 7 pointsize 0.3 linecolor rgb color(k)
set xrange [0:50]
set xtics auto
set format y '%.0e'
set ylabel 'deviation from α = 0'
unset title
plot for [k = 1:10] sprintf('< paste -d , same-0.csv same-%d.csv', k) using 1:($4 - $2) with lines linewidth 1 linecolor rgb color(k)
set label 1 'α = 0.1 ... 1, outwards' at graph 0.04, 0.95 font ',10'
set yrange [-7e-4:8.5e-4]
plot for [k = 1:10] sprintf('< paste -d , other-0.csv other-%d.csv', k) using 1:($4 - $2) with lines linewidth 1 linecolor rgb color(k)
unset multiplot
