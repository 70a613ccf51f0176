# SPDX-License-Identifier: GPL-3.0-or-later
set logscale y
set format y '10^{%T}'
set xlabel 'mode'
set ylabel 'singular value'
unset key
plot 'modes.csv' using 1:2 with points linestyle 1
