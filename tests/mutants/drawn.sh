#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Do the tests notice mistakes that nobody chose? draw.sh draws them; each is made in a copy of its
# file, whose object takes the place of the sound one, under the address and undefined-behaviour
# sanitizers where the compiler has them. The fast tests run until one fails: first the suites of
# the file's room, those that name the file before the others; then those elsewhere that include its
# header; then the rest. For a file of tools/ these are the scripts tests/tool/cli*.sh.
#
#     drawn.sh BUILD [COUNT [SEED [FILE ...]]]
#
# COUNT: 20 mutants, those that do not compile or whose code is that of the file not counted.
# SEED: the same seed and tree draw the same mutants; the time of day otherwise. FILE: from these
# files only. BXT_MUTANT_SECONDS (120): time of a processor for the tests of one mutant; what then
# has not failed survives. A single test ends after 24 s of the clock: a mutant that hangs is killed.
#
# Survivors are printed as a line of equivalent.txt begins. What is no mistake goes there with a
# reason; for the others a test is missing. Status 1 if the tests cannot run, not if one survives.
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "${BXT_SOURCE:-$here/../..}" && pwd)

fail() {
	echo "drawn: $*" >&2
	exit 1
}

work_name=mutants/drawn
test -d "$1" || fail "drawn.sh BUILD [COUNT [SEED [FILE ...]]]"
. "$here/build.sh"
wanted=${2:-20} seed=${3:-$(date +%s)}
shift $(($# < 3 ? $# : 3))
limit=${BXT_MUTANT_SECONDS:-120}
BXT_FAST=1
CK_TIMEOUT_MULTIPLIER=0.01 # of the 2400 s that tests/support/runner.c gives one test
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:$ASAN_OPTIONS
UBSAN_OPTIONS=print_stacktrace=0
export BXT_FAST CK_TIMEOUT_MULTIPLIER ASAN_OPTIONS UBSAN_OPTIONS
echo 'int main(void) { return 0; }' >"$work/probe.c"
compile_copy "$work/probe" lib/probe.c

sanitize="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
eval "$link $sanitize -o \"$work/probe\" \"$work/probe.o\"" >>"$work/build.log" 2>&1 &&
	"$work/probe" 2>>"$work/build.log" || sanitize=

# The tests for the file $1, one a line, the most concerned first. tests/X is the folder for lib/X.
tests_for() (
	cd "$source/tests" || exit
	case $1 in
	tools/*)
		ls tool/cli*.sh | grep -v cli_common
		exit
		;;
	esac
	own=${1#lib/}
	own=${own%/*} stem=${1##*/}
	stem=${stem%.c}
	{
		ls "$own/test_$stem.c"
		ls "$own"/test_*.c | xargs grep -l "$stem"
		ls "$own"/test_*.c
		find . -name 'test_*.c' | sed 's#^\./##' | sort | xargs grep -l "/$stem\.h"
		find . -name 'test_*.c' | sed 's#^\./##' | sort
	} 2>/dev/null | awk '!seen[$0]++ { sub(/\.c$/, ""); print }'
)

# Time of a processor [s] that all commands so far have used, into $used.
count_time() {
	times >"$work/times" # no $(): a subshell counts its own
	used=$(awk 'NR == 2 { split($1 "m" $2, t, /[ms]+/); print int(60 * (t[1] + t[3]) + t[2] + t[4]) }' "$work/times")
}

# Runs the test $1 with the object $2 of the file $3 for at most $4 s of the clock. $status is 0
# where it passes, 1 where it fails, 2 where it takes longer.
runs() {
	program=$(program_of "$1")
	to=$work/program
	test "$program" != boxtimes || to=$BXT_TOOL
	if [ "$program $2" != "$linked" ]; then
		link_program "$program" "$2" "$3" "$to" || fail "$3 cannot be linked: $work/build.log"
		linked="$program $2"
	fi
	unit=${1##*/test_}
	set -- "$1" "$4"
	case $1 in
	*.sh) timeout -k 5 "$2" sh "$source/tests/$1" ;;
	*) timeout -k 5 "$2" "$to" "$unit" ;;
	esac >"$work/log" 2>&1
	status=$?
	case $status in
	0 | 77) status=0 ;;
	124 | 137) status=2 ;;
	*) status=1 ;;
	esac
	return "$status"
}

# The name of the first test that fails with the mutant of the file $1, and passes without it, into
# $by; how many ran into $n_run, of $n_tests.
judge() {
	by= linked= status=0 n_run=0
	count_time
	end=$((used + limit))
	tests_for "$1" >"$work/tests"
	n_tests=$(wc -l <"$work/tests")
	while IFS= read -r test <&4; do
		count_time
		test "$used" -lt "$end" || break
		seconds=$((20 * (end - used))) # of a clock: a busy machine has less for us
		if runs "$test" "$work/mutant.o" "$1" "$seconds"; then
			n_run=$((n_run + 1))
			continue
		fi
		mv "$work/log" "$work/log.killed"
		test "$status" -eq 1 && seconds=$((20 * limit)) || seconds=$((seconds / 2))
		if runs "$test" "$work/sound.o" "$1" "$seconds"; then
			by=$test
			return
		fi
		test "$status" -eq 2 || echo "$test fails without a mutant of $1, too: not counted" >&2
	done 4<"$work/tests"
}

# Makes sound.o, the file $1 as it is, and mutant.o with the line number $2 being $3. Status 1: that
# does not compile, or gives the same code.
make_mutant() {
	cp "$source/$1" "$work/sound.c"
	NEW=$3 awk -v at="$2" 'NR == at { print ENVIRON["NEW"]; next } { print }' "$source/$1" >"$work/mutant.c"
	for copy in sound mutant; do # the same name for both: it is in the object
		cp "$work/$copy.c" "$work/copy.c"
		compile_copy "$work/copy" "$1" -g0 || return 1
		mv "$work/copy.o" "$work/$copy.o"
	done
	! cmp -s "$work/sound.o" "$work/mutant.o" || return 1
	test -n "$sanitize" || return 0
	for copy in sound mutant; do
		compile_copy "$work/$copy" "$1" "$sanitize" || return 1
	done
}

echo "seed $seed, sanitizers: ${sanitize:-none}"
sh "$here/draw.sh" $((3 * wanted + 20)) "$seed" "$@" >"$work/drawn.txt" || exit 1
flags=$sanitize
n=0 killed=0 redrawn=0
tab=$(printf '\t')
while [ "$n" -lt "$wanted" ] && IFS= read -r line <&3; do
	file=${line%%"$tab"*} line=${line#*"$tab"}
	number=${line%%"$tab"*} line=${line#*"$tab"}
	# OLD and NEW begin with the same tabs
	indent=${line%%[!"$tab"]*}
	old=${line#"$indent"}
	old=${old%%"$tab"*}
	new=${line#"$indent$old$tab$indent"}
	if ! make_mutant "$file" "$number" "$indent$new"; then
		redrawn=$((redrawn + 1))
		continue
	fi
	n=$((n + 1))
	judge "$file"
	if [ -n "$by" ]; then
		killed=$((killed + 1))
		echo "killed    $file:$number: $old -> $new ($by)"
	else
		echo "SURVIVES  $file:$number ($n_run of $n_tests tests)"
		echo "$file :: $old :: $new"
	fi
done 3<"$work/drawn.txt"
rm -f "$BXT_TOOL"
test "$n" -gt 0 || fail "no mutant can be made: $work/build.log"
echo "$n mutants drawn with seed $seed ($redrawn drawn again), $killed killed: $((100 * killed / n)) %"
