# SPDX-License-Identifier: GPL-3.0-or-later
# The picture of ./bootstrap demo. Reads whole.csv and torn.csv (time, charge, energy) in the
# current directory; writes rlc.svg, or plain text when `text` is defined. All text is fixed.
set datafile separator ","
set key autotitle columnheader
unset key
if (exists("text")) {
	set terminal dumb 100 20
} else {
	set terminal svg size 900,620 dynamic font "sans-serif,13" background "white"
	set output "rlc.svg"
	set grid
}
if (!exists("text")) set multiplot layout 2,1 title "Parallel RLC circuit, whole and torn at the capacitor"
set xlabel "time [s]"
set key top right
set ylabel "charge [C]"
plot "whole.csv" using 1:2 with lines linewidth 2 title "whole: charge", \
	"torn.csv" using 1:2 every 8 with points pointtype 6 title "torn: charge"
set ylabel "energy [J]"
plot "whole.csv" using 1:3 with lines linewidth 2 title "whole: energy", \
	"torn.csv" using 1:3 every 8 with points pointtype 6 title "torn: energy"
if (!exists("text")) unset multiplot
