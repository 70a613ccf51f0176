# SPDX-License-Identifier: GPL-3.0-or-later
square(name) = column(name)**2
between(a, b) = (column(a) - column(b))**2
energy(a, b, c) = (square(a.'.v') + square(b.'.v') + square(c.'.v') + square(a.'.x') + between(b.'.x', a.'.x') \
	+ between(c.'.x', b.'.x')) / 2
set ylabel 'energy [J]'
set format y '%.4f'
unset key
plot 'chain-long.csv' using 1:(energy('node(left.m1)', 'node(left.m2)', 'node(right.m3)')) with lines linestyle 1 linewidth 0.6
