# SPDX-License-Identifier: GPL-3.0-or-later
set terminal @TALL
set multiplot layout 2, 2
array what[4] = ['position', 'momentum', 'energy', 'velocity']
set key font ',10'
do for [i = 1:4] {
	# the last panel has the velocity, p/m with m = 1, over the position
	x = i < 4 ? 1 : 2
	y = i < 4 ? i + 1 : 3
	set ylabel what[i]
	if (i == 4) { set xlabel 'position' } else { set xrange [0:20] }
	if (i == 4) { set xrange [*:*]; set xtics 1; unset key }
	plot 'example4-exact.csv' using x:y with lines linestyle 9 title 'exact', \
		'example4-euler.csv' using x:y with lines linestyle 2 linewidth 1 title 'Euler', \
		'example4-rk4.csv' using x:y with lines linestyle 3 dashtype 2 title 'RK4', \
		'example4-midpoint.csv' using x:y with points linestyle 1 pointsize 0.4 title 'midpoint'
}
unset multiplot
