# SPDX-License-Identifier: GPL-3.0-or-later
set multiplot layout 1, 2
unset key
unset xlabel
unset border
unset tics
set view equal xyz
set view 65, 130, 1.7
set isosamples 19, 19
set urange [0:2 * pi]
set vrange [-pi / 2:pi / 2]
set parametric
splot 0.99 * cos(u) * cos(v), 0.99 * sin(u) * cos(v), 0.99 * sin(v) with lines linecolor rgb '#dddddd' linewidth 0.5, \
	for [k = 1:3] sprintf('sphere-%d.csv', k) using 2:3:4 with lines linestyle k
unset parametric
set border
set tics
set key bottom left
set xlabel 'time [s]'
set ylabel 'H(t) − H(0)'
set format y '%.1e'
first(file) = real(system("awk -F , 'NR == 2 { print $5; exit }' ".file))
plot 'sphere-third.csv' using 1:($5 - first('sphere-third.csv')) with lines linestyle 2 title 'θ = 0.4', \
	'sphere-1.csv' using 1:($5 - first('sphere-1.csv')) with lines linestyle 1 title 'θ = 1/2'
unset multiplot
