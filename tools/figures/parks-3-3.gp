# SPDX-License-Identifier: GPL-3.0-or-later
set ylabel 'position [m]'
set key outside top center horizontal
plot for [i = 1:3] 'chain-whole.csv' using 'time':sprintf('node(m%d).x', i) with lines linestyle i title sprintf('whole: q%d', i), \
	'chain-torn.csv' using 'time':'node(left.m1).x' every 6 with points linestyle 1 pointtype 6 pointsize 0.8 title 'torn: q1', \
	'' using 'time':'node(left.m2).x' every 6 with points linestyle 2 pointsize 0.8 title 'torn: q2', \
	'' using 'time':'node(right.m2).x' every 6 with points linestyle 2 pointtype 4 pointsize 0.8 title 'torn: its copy', \
	'' using 'time':'node(right.m3).x' every 6 with points linestyle 3 pointtype 6 pointsize 0.8 title 'torn: q3'
