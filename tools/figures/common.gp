# SPDX-License-Identifier: GPL-3.0-or-later
# What all figures share: how data are read and how pictures look.
set encoding utf8
set datafile separator comma
set datafile columnheaders
set grid linecolor rgb '#dddddd' linewidth 0.5
set border linecolor rgb '#888888'
set tics textcolor rgb '#444444'
set key noenhanced samplen 2
set style line 1 linecolor rgb '#08519c' linewidth 2 pointtype 7 pointsize 0.45
set style line 2 linecolor rgb '#d94801' linewidth 1.6 pointtype 6 pointsize 0.6
set style line 3 linecolor rgb '#238b45' linewidth 1.6 pointtype 8 pointsize 0.6
set style line 4 linecolor rgb '#6a51a3' linewidth 1.6 pointtype 4 pointsize 0.6
set style line 9 linecolor rgb '#bbbbbb' linewidth 4
set samples 1000
set xlabel 'time [s]'
SMALL = "svg size 800,360 dynamic font 'sans-serif,13' background 'white'"
TALL = "svg size 800,640 dynamic font 'sans-serif,13' background 'white'"
set terminal @SMALL
