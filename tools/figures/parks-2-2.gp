# SPDX-License-Identifier: GPL-3.0-or-later
set ylabel 'q'
set xrange [0:20]
set yrange [-2.2:2.8]
set key horizontal top center
plot cos(x) with lines linestyle 9 title 'exact', \
	'quintic-4.csv' using 1:2 every 4 with points linestyle 1 title 'one rule, order 4 (Simpson, Taylor 4)', \
	'quintic-mixed.csv' using 1:2 with lines linestyle 2 title 'trapezoid for L, midpoint for f, order 2'
