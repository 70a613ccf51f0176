#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The programs of docs/examples: they compile against the installed headers alone, without a warning,
# link with what the page says, end well, and print what the documents show. The page names all headers.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
build=${BXT_BUILD:?}
page=$source/docs/developers/c-api.md

mkdir "$work/include"
cp "$source"/lib/*.h "$work/include"
for file in "$source"/lib/*.h; do
	grep -qF "\`$(basename "$file")\`" "$page" && ok || fail "the page does not name $(basename "$file")"
done
libraries=$(sed -n 's/^cc .*--libs boxtimes)\(.*\) -o program$/\1/p' "$page")
# What the page says is of the installed, shared library, which knows what it needs itself. A static one
# doesn't (of sanitizers, say): there the programs are compiled only. Linked by the build they run below.
link=-c
test -e "$build/.libs/libboxtimes.so" &&
	link="-Wl,--allow-shlib-undefined -L$build/.libs -lboxtimes $libraries"
for file in "$source"/docs/examples/*.c; do
	name=$(basename "$file" .c)
	# shellcheck disable=SC2086 # a list of words
	"${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$work/include" "$file" -o "$work/program" \
		$link >"$work/out" 2>"$work/err" && ok || fail "$name does not compile: $(cat "$work/err")"
	"$build/docs/examples/$name" >"$work/out" 2>"$work/err"
	status=$?
	test $status -eq 0 && ok || fail "$name: status $status: $(cat "$work/err")"
	silent_err "$name"
	grep -qxF "$(cat "$work/out")" "$page" && ok || fail "$name: the page does not show: $(cat "$work/out")"
	grep -qF "../examples/$name.c" "$page" && ok || fail "the page does not show $name.c"
	# without components each says what it lacks, and ends well
	BOXTIMES_PATH="$work" "$build/docs/examples/$name" >"$work/out" 2>"$work/err"
	status=$?
	test $status -eq 1 && ok || fail "$name without components: status $status"
	says "the library is empty: name the folder of its components"
done
finish
