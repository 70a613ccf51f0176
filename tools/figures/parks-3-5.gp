# SPDX-License-Identifier: GPL-3.0-or-later
off(i) = column('node(left.m2).x') - column('node(right.m2).x')
stats 'chain-torn.csv' using (abs(off(0))) name 'OFF' nooutput
# where all is 0: the round-off of 1
most = OFF_max > 2e-16 ? OFF_max : 2e-16
set ylabel 'deviation [m]'
set format y '%.1e'
set yrange [-1.1 * most:1.1 * most]
unset key
plot 'chain-torn.csv' using 1:(off(0)) with points linestyle 1 pointsize 0.3
