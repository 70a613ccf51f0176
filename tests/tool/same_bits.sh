#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Do two builds give the same bits? For changes that must not change results:
#
#     tests/tool/same_bits.sh OLD/boxtimes NEW/boxtimes [STEPS]
#
# runs every shipped netlist with every kind of scheme for STEPS steps (40) and compares rows and
# accounts byte for byte, but for the seconds. Prints what differs; exit 1 if anything does.
set -u
old=${1:?the old program} new=${2:?the new program} steps=${3:-40}
source=$(cd "$(dirname "$0")/../.." && pwd)
export BOXTIMES_PATH="$source/components"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
same=0 different=0

# end FILE: the time of the last step, as --end takes it; nothing where the file names no step
end() {
	sed -n 's/.*<simulation[^>]* step="\([^"]*\)".*/\1/p; s/^[[:blank:]]* step="\([^"]*\)".*/\1/p' \
		"$1" | head -n 1 | awk -v n="$steps" '
		/^=/ { printf "=%d*(%s)\n", n, substr($0, 2); next }
		{ printf "%.17g %s\n", n * $1, $2 }'
}

# result PROGRAM NAME FILE OPTION...: all that it says, in $work/NAME; the seconds are left out
result() {
	program=$1 name=$2
	shift 2
	timeout 60 "$program" run "$@" --quiet --json -o "$work/$name.csv" >"$work/$name.json" \
		2>"$work/$name.err"
	echo "status $?" >>"$work/$name.json"
	# 'eliminated' went with --torn eliminate
	sed '/"seconds"/d; s/"eliminated": 0, //' "$work/$name.json" >"$work/$name"
	# units in the first line came later
	sed '1s/ \[[^],]*\]//g' "$work/$name.csv" >>"$work/$name" 2>/dev/null
	cat "$work/$name.err" >>"$work/$name" 2>/dev/null
	rm -f "$work/$name.csv"
}

# compare FILE OPTION...
compare() {
	result "$old" old "$@"
	result "$new" new "$@"
	if cmp -s "$work/old" "$work/new"; then
		same=$((same + 1))
	else
		different=$((different + 1))
		echo "different: $*"
		diff "$work/old" "$work/new" | head -n "${BXT_SHOW:-4}"
	fi
}

for file in "$source"/netlists/*.xml "$source"/netlists/*/*.xml; do
	grep -q '<simulation' "$file" || continue
	last=$(end "$file")
	set -- "$file"
	test -z "$last" || set -- "$@" --end "$last"
	compare "$@"
	for scheme in gauss1 gauss2 gauss3 radau2 radau3 theta discrete-gradient rk4; do
		compare "$@" --scheme "$scheme"
	done
	for rule in midpoint rectangle trapezoid simpson taylor2-trapezoid galerkin2-simpson; do
		compare "$@" --scheme dirac+ --rule "$rule"
	done
	compare "$@" --scheme dirac- --rule rectangle
	compare "$@" --scheme gauss2 --projection off
	compare "$@" --start operating-point
done
echo "$same same, $different different"
test "$different" -eq 0
