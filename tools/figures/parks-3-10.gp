# SPDX-License-Identifier: GPL-3.0-or-later
set ylabel 'energy [J]'
plot 'circuit-whole.csv' using 'time':'energy' with lines linestyle 1 title 'whole', \
	'circuit-torn.csv' using 'time':'energy' every 5 with points linestyle 2 title 'torn'
