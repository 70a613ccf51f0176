# SPDX-License-Identifier: GPL-3.0-or-later
set ylabel 'H(t) − H(0)'
set format y '%.1e'
set key outside top right horizontal
first(file) = system("awk -F , 'NR == 2 { print $2; exit }' ".file)
H = real(first('zoom-2.csv'))
plot 'zoom-1.csv' using 1:($2 - H) with lines linestyle 9 title 'Method 1', \
	'zoom-2.csv' using 1:($2 - H) with lines linestyle 1 linewidth 1 title 'Method 2'
