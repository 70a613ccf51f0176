# SPDX-License-Identifier: GPL-3.0-or-later
set ylabel 'q [rad]'
plot 'pendulum-exact.csv' using 'time':'a.q' with lines linestyle 9 title 'continuous', \
	'pendulum.csv' using 'time':'a.q' with points linestyle 1 pointsize 0.7 title 'discrete, midpoint, h = 0.2'
