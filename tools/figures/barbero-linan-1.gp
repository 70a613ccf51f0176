# SPDX-License-Identifier: GPL-3.0-or-later
set terminal @TALL
set multiplot layout 3, 1
set ylabel 'y'
unset key
unset xlabel
names = "paths-1 paths-2 paths-rk2"
array heading[3] = ['Method 1', 'Method 2', 'RK2']
do for [i = 1:3] {
	set title heading[i]
	if (i == 3) { set xlabel 'x' }
	plot for [k = 1:4] word(names, i).'.csv' using sprintf('z.x%d', k):sprintf('z.y%d', k) with lines linestyle k linewidth 1.2
}
unset multiplot
