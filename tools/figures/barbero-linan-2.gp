# SPDX-License-Identifier: GPL-3.0-or-later
set terminal @TALL
set multiplot layout 2, 1
set ylabel 'H(t) − H(0)'
set xlabel 'time [1000 s]'
first(file) = system("awk -F , 'NR == 2 { print $2; exit }' ".file)
H = real(first('long-2.csv'))
set key top left
plot 'long-rk2.csv' using ($1 / 1000):($2 - H) with lines linestyle 2 title 'RK2', \
	'long-1.csv' using ($1 / 1000):($2 - H) with lines linestyle 9 title 'Method 1', \
	'long-2.csv' using ($1 / 1000):($2 - H) with lines linestyle 1 title 'Method 2'
set format y '%.1e'
set key outside top right horizontal
plot 'long-1.csv' using ($1 / 1000):($2 - H) with points linestyle 9 linewidth 1 pointtype 6 pointsize 0.5 title 'Method 1', \
	'long-2.csv' using ($1 / 1000):($2 - H) with points linestyle 1 pointsize 0.2 title 'Method 2'
unset multiplot
