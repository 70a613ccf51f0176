# SPDX-License-Identifier: GPL-3.0-or-later
set ylabel 'energy [J]'
set format y '%.4f'
plot 'chain-whole.csv' using 'time':'energy' with lines linestyle 1 title 'whole', \
	'chain-torn.csv' using 'time':'energy' every 4 with points linestyle 2 title 'torn'
