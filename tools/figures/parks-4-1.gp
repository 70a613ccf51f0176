# SPDX-License-Identifier: GPL-3.0-or-later
set logscale y
set format y '10^{%T}'
set ylabel 'difference from the full model'
set key left top
plot 'reduced.csv' using 1:2 with lines linestyle 1 title 'positions q, root mean square', \
	'' using 1:3 with lines linestyle 2 title 'energy'
