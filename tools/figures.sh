#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The torn examples of Parks' thesis against their whole twins, drawn: sections 3.5.1 (chain of three springs, torn at the
# middle mass) and 3.5.2 (parallel RLC circuit, torn at the capacitor), with the thesis' data as the netlists have them.
# Usage: figures.sh BOXTIMES NETLISTS FOLDER
set -eu
tool=${1:?} netlists=${2:?} folder=${3:?}
mkdir -p "$folder"

# draw FIGURE WHOLE TORN SIGNALS TITLE
draw() {
	"$tool" compare "$netlists/$2.xml" "$netlists/$3.xml" --quiet --columns "$4" --title "$5" --plot "$folder/$1.svg" \
		>"$folder/$1.txt"
	echo "$folder/$1.svg: $(tail -n 1 "$folder/$1.txt")"
}

draw spring-chain spring-chain spring-chain-torn 'node(m1).x, node(m2).x, node(m3).x, energy' \
	'Chain of three springs: whole (A), torn at the middle mass (B)'
draw rlc rlc-parallel rlc-torn 'C1.q, L1.i, c1.lambda, energy' \
	'Parallel RLC circuit: whole (A), torn at the capacitor (B)'
