# SPDX-License-Identifier: GPL-3.0-or-later
set ylabel 'charge [C]'
plot 'circuit-whole.csv' using 'time':'C1.q' with lines linestyle 1 title 'whole', \
	'circuit-torn.csv' using 'time':'store.C1.q' every 5 with points linestyle 2 title 'torn'
