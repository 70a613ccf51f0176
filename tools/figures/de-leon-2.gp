# SPDX-License-Identifier: GPL-3.0-or-later
set ylabel 'energy'
plot 'trough-rk4.csv' using 'time':'energy' with lines linestyle 2 title 'RK4, h = 0.2', \
	'trough-midpoint.csv' using 'time':'energy' with lines linestyle 1 linewidth 0.6 title 'midpoint, h = 0.2', \
	'trough-exact.csv' using 'time':'energy' with lines linecolor rgb 'black' linewidth 1.6 title 'benchmark'
