#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Do the tests notice mistakes? Each line of list.txt is one,
#
#     FILE :: OLD :: NEW :: TESTS [:: equivalent: WHY]
#
# made in a copy of the file, whose object takes the place of the sound one in the programs that the
# tests concerned run: one of them must fail. A component (.xml) is changed in a copy of all
# components, which these programs read. TESTS are separated by ", ": test files
# "ground/solver/test_anderson", with "(case)" behind it for one case of it, and scripts
# "tool/cli_verify.sh". What no test notices survives. What changes nothing that anybody could notice
# is marked equivalent, and not run.
#
#     mutants.sh --check              every OLD stands once in its FILE, every test is there
#     mutants.sh BUILD [WORDS]        runs them with the objects of the build folder, those whose
#                                     line has WORDS; `make mutants` makes these objects first
#
# Status 1: more than one in twenty that are not equivalent survives, or the list is wrong.
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
source=${BXT_SOURCE:-$here/../..}
source=$(cd "$source" && pwd)
list=$here/list.txt

fail() {
	echo "mutants: $*" >&2
	exit 1
}

# The fields of a line: file, old, new, tests, note.
parse() {
	rest=$1
	file=${rest%% :: *} rest=${rest#* :: }
	old=${rest%% :: *} rest=${rest#* :: }
	new=${rest%% :: *} rest=${rest#* :: }
	tests=${rest%% :: *} note=
	test "$tests" = "$rest" || note=${rest#* :: }
}

# How often $2 stands in the file $1.
count() {
	OLD=$2 awk '
		{ text = text $0 "\n" }
		END {
			old = ENVIRON["OLD"]
			while ((i = index(text, old)) > 0) {
				n++
				text = substr(text, i + length(old))
			}
			print n + 0
		}' "$1"
}

# The file $1 with $3 for $2.
replace() {
	OLD=$2 NEW=$3 awk '
		{ text = text $0 "\n" }
		END {
			old = ENVIRON["OLD"]
			i = index(text, old)
			printf "%s%s%s", substr(text, 1, i - 1), ENVIRON["NEW"],
				substr(text, i + length(old))
		}' "$1"
}

# One test a line: its file below tests/, and the case, if one.
each_test() {
	printf '%s\n' "$1" | awk '{ gsub(/, /, "\n"); print }'
}

check_list() {
	wrong=0 n=0
	while IFS= read -r line; do
		case $line in '' | '#'*) continue ;; esac
		n=$((n + 1))
		parse "$line"
		times=0
		test -f "$source/$file" && times=$(count "$source/$file" "$old")
		if [ "$times" != 1 ]; then
			echo "$file: '$old' stands there $times times"
			wrong=$((wrong + 1))
		fi
		if [ "$old" = "$new" ]; then
			echo "$file: '$old' is not changed"
			wrong=$((wrong + 1))
		fi
		case $note in
		'' | 'equivalent: '*) ;;
		*)
			echo "$file: '$note' is no reason"
			wrong=$((wrong + 1))
			;;
		esac
		for test in $(each_test "$tests" | sed 's/(.*//'); do
			test -f "$source/tests/$test" || test -f "$source/tests/$test.c" && continue
			echo "$file: there is no tests/$test"
			wrong=$((wrong + 1))
		done
	done <"$list"
	for folder in $(cd "$source" && find lib tools -name '*.c' | sed 's#[^/]*$##' | sort -u); do
		grep -q "^$folder" "$list" && continue
		echo "$folder has no mutant"
		wrong=$((wrong + 1))
	done
	test "$n" -ge 60 || fail "$n mutants: 60 are wanted"
	echo "$((n - wrong)) passed, $wrong failed"
	test "$wrong" -eq 0
}

case ${1:---check} in
--check)
	check_list
	exit
	;;
esac

# ---- What a mutant is built with ----

check_list >/dev/null || fail "the list does not fit the sources: mutants.sh --check"
words=${2-}
. "$here/build.sh"

# Does the test pass with the program? What hangs ends: test programs have limits of their own. A
# script that skipped a part (77) failed in none.
passes() {
	outcome=0
	(
		case $1 in
		*.sh) ulimit -t 120 && exec sh "$source/tests/$1" ;;
		esac
		unit=${1%%(*}
		case $1 in *'('*) CK_RUN_CASE=${1#*(} CK_RUN_CASE=${CK_RUN_CASE%)} && export CK_RUN_CASE ;; esac
		exec "$2" "${unit##*/test_}"
	) >"$work/log" 2>&1 || outcome=$?
	test "$outcome" -eq 0 || test "$outcome" -eq 77
}

# Runs the tests $1 with the object $2 of the file $3; the name of the first that fails into $by.
run_tests() {
	by= linked=
	while IFS= read -r test <&4; do
		program=$(program_of "$test")
		to=$work/program
		test "$program" != boxtimes || to=$BXT_TOOL
		if [ "$program" != "$linked" ]; then
			link_program "$program" "$2" "$3" "$to" || return 1
			linked=$program
		fi
		passes "$test" "$to" || {
			by=$test
			return 0
		}
	done 4<<-end
		$(each_test "$1")
	end
}

# ---- The tests as they are ----

all=$(while IFS= read -r line; do
	case $line in '' | '#'*) continue ;; esac
	case $line in *"$words"*) parse "$line" && each_test "$tests" ;; esac
done <"$list" | sort -u | awk '{ printf "%s%s", n++ ? ", " : "", $0 }')
run_tests "$all" "" "" || fail "the tests cannot be linked: $work/build.log"
test -z "$by" || fail "$by fails without a mutant: $work/log"

# ---- The mutants ----

n=0 killed=0 equivalent=0 survivors=0
while IFS= read -r line <&3; do
	case $line in '' | '#'*) continue ;; esac
	case $line in *"$words"*) ;; *) continue ;; esac
	parse "$line"
	n=$((n + 1))
	if [ -n "$note" ]; then
		equivalent=$((equivalent + 1))
		continue
	fi
	case $file in
	*.xml)
		rm -rf "$work/components"
		cp -R "$source/components" "$work/components" &&
			replace "$source/$file" "$old" "$new" >"$work/$file" || fail "$file: no copy"
		BOXTIMES_PATH=$work/components
		run_tests "$tests" "" "" || fail "the tests cannot be linked: $work/build.log"
		BOXTIMES_PATH=$source/components
		;;
	*)
		replace "$source/$file" "$old" "$new" >"$work/mutant.c"
		compile_copy "$work/mutant" "$file" && run_tests "$tests" "$work/mutant.o" "$file" ||
			fail "$file: '$new' does not build: $work/build.log"
		;;
	esac
	if [ -n "$by" ]; then
		killed=$((killed + 1))
		echo "killed    $file: $old -> $new ($by)"
	else
		survivors=$((survivors + 1))
		echo "SURVIVES  $file: $old -> $new ($tests)"
	fi
done 3<"$list"
rm -f "$BXT_TOOL"
echo "$n mutants, $killed killed, $equivalent equivalent, $survivors survive"
test $((20 * survivors)) -le $((n - equivalent))
