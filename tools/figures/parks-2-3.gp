# SPDX-License-Identifier: GPL-3.0-or-later
a = 0.1 / 1.5
w = sqrt(1 / 2.25 - a**2)
exact(t) = exp(-a * t) * (cos(w * t) + a / w * sin(w * t))
set ylabel 'charge [C]'
set xrange [0:50]
plot exact(x) with lines linestyle 9 title 'exact', \
	'resonator.csv' using 'time':'C1.q' every 5 with points linestyle 1 title 'dirac+, midpoint, h = 0.05 (each fifth step)'
