# SPDX-License-Identifier: GPL-3.0-or-later
set ylabel 'energy [J]'
set format y '%.4f'
unset key
plot 'chain-long.csv' using 'time':'energy' with lines linestyle 1 linewidth 0.6
