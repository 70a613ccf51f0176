# SPDX-License-Identifier: GPL-3.0-or-later
g = 0.4 / 2.6
w = sqrt(2.1 / 1.3 - g**2)
exact(t) = exp(-g * t) * (0.7 * cos(w * t) + (0.4 + g * 0.7) / w * sin(w * t))
set ylabel 'q [m]'
set xrange [0:20]
plot exact(x) with lines linestyle 9 title 'exact', \
	'exact-0.7.csv' using 'time':'O.q' with points linestyle 1 pointsize 0.8 title 'h = 0.7', \
	'exact-2.csv' using 'time':'O.q' with points linestyle 2 pointsize 1.1 title 'h = 2', \
	'exact-3.5.csv' using 'time':'O.q' with points linestyle 3 pointsize 1.3 title 'h = 3.5', \
	'gauss1-2.csv' using 'time':'O.q' with linespoints linestyle 4 linewidth 0.7 title 'gauss1, h = 2'
