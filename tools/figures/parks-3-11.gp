# SPDX-License-Identifier: GPL-3.0-or-later
off(i) = column('loop.R1.i') + column('loop.L1.i') + column('store.C1.i')
stats 'circuit-torn.csv' using (abs(off(0))) name 'OFF' nooutput
# where all is 0: the round-off of 1
most = OFF_max > 2e-16 ? OFF_max : 2e-16
set ylabel 'deviation [A]'
set format y '%.1e'
set yrange [-1.1 * most:1.1 * most]
unset key
plot 'circuit-torn.csv' using 1:(off(0)) with points linestyle 1 pointsize 0.3
