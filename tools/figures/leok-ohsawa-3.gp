# SPDX-License-Identifier: GPL-3.0-or-later
set ylabel 'charge of the inductor [C]'
plot 10 * sin(x) with lines linestyle 9 title '10 sin t', \
	'lc.csv' using 'time':'l.q' with points linestyle 1 pointsize 0.5 title 'discrete, h = 2π/40'
