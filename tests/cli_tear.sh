#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tear and flatten at the command line. tests/bad/tear/NAME.expect says for NAME.xml: the command
# with its options, the exit status, and what is on standard error, line by line; nothing is on
# standard output and no file is made.
. "${BXT_SOURCE:?}/tests/cli_common.sh"

# ---- What is refused ----

cd "${BXT_TESTDATA:?}/bad/tear" || exit 1
for expect in *.expect; do
	file=${expect%.expect}.xml
	command=$(sed -n 1p "$expect")
	wanted=$(sed -n 2p "$expect")
	# shellcheck disable=SC2086 # a list of words
	set -- $command
	name=$1
	shift
	run "$wanted" "$name" "$file" "$@" -o "$work/made.xml"
	silent_out "$command"
	test -e "$work/made.xml" && fail "$file: a file was made" || ok
	if sed 1,2d "$expect" | diff - "$work/err" >"$work/difference"; then ok; else
		fail "$file: other findings than expected"
		cat "$work/difference"
	fi
	test "$(wc -l <"$expect")" -gt 2 && ok || fail "$expect expects no findings"
done

run 2 tear
run 2 tear "$good/rlc-series.xml"
says "one of --node, --elements, --parts and --like is needed"
run 2 tear "$good/rlc-series.xml" --node a --parts 2
run 2 tear "$good/rlc-series.xml" --like "$good/rlc-torn.xml" --names a,b
run 2 tear "$good/rlc-series.xml" --parts
run 2 tear "$good/rlc-series.xml" --parts 2 --canonical
run 2 flatten "$good/rlc-torn.xml" "$good/rlc-torn.xml"
run 2 flatten "$good/rlc-torn.xml" --parts 2
run 2 flatten "$good/rlc-torn.xml" --set x
for parts in 0 -1 x 1.5 ''; do
	run 3 tear "$good/rlc-series.xml" --parts "$parts"
	says "is no number of parts: at least 2 are needed"
done
run 3 flatten none.xml
run 4 flatten "$good/rlc-torn.xml" -o "$work/none/x.xml"
says "cannot write"

# ---- There and back ----

for file in rlc-parallel rcl-ladder spring-chain ua741 four-winding-transformer four-bar; do
	run 0 flatten --canonical "$good/$file.xml" -o "$work/whole.xml"
	for parts in 2 3; do
		run 0 tear "$good/$file.xml" --parts $parts -o "$work/torn.xml" --quiet
		silent_err "tear $file"
		run 0 check "$work/torn.xml" --quiet
		run 0 flatten "$work/torn.xml" -o "$work/flat.xml" --quiet
		run 0 flatten --canonical "$work/flat.xml" -o "$work/again.xml"
		cmp -s "$work/whole.xml" "$work/again.xml" && ok || fail "$file in $parts parts comes back as another"
		run 0 tear "$work/flat.xml" --like "$work/torn.xml" --quiet -o "$work/like.xml"
		run 0 flatten --canonical "$work/like.xml" -o "$work/like-canonical.xml"
		run 0 flatten --canonical "$work/torn.xml" -o "$work/torn-canonical.xml"
		cmp -s "$work/like-canonical.xml" "$work/torn-canonical.xml" && ok || fail "$file is not torn like itself"
	done
done

# the file of the README: the names a person would choose
run 0 tear "$good/rlc-series.xml" --node b --names source,load
shows '<subsystem id="source">'
shows '<port id="b" node="b"/>'
shows '<connect id="b" a="source.b" b="load.b"/>'
run 0 tear "$good/rlc-series.xml" --elements 'C1' --names store,rest
"$tool" tear "$good/rlc-series.xml" --elements 'C1' --names store,rest | sed -n '/<subsystem id="store"/,/<\/subsystem/p' >"$work/out"
shows '<capacitor id="C1"'
hides '<resistor'

# standard input and output, and parameters that are set first
"$tool" flatten - <"$good/rlc-torn.xml" --set store.C1.C='2 F' -o - >"$work/out" 2>"$work/err" && ok || fail "flatten -"
shows 'C="2 F"'
hides '<subsystem'
says_nothing=$(cat "$work/err")
test -z "$says_nothing" && ok || fail "flatten: $says_nothing"

# what is left out is named
run 0 flatten "$good/spring-chain-torn.xml"
says "record: 'c1.lambda' is left out"
hides 'lambda</record>'
finish
