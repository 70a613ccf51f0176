#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Does what the documents tell a reader to do, each page in a folder of its own that has the shipped
# netlists in netlists/, and compares what is printed. Pages without a command are no mistake.
. "$(dirname "$0")/cli_common.sh"
here=$source/tests/tool

# page FILE
page()
{
	scratch=$work/page
	rm -rf "$scratch" "$work/steps"
	mkdir "$scratch" "$work/steps"
	ln -s "$(cd "$good" && pwd)" "$scratch/netlists"
	awk -v work="$work/steps" -f "$here/docs.awk" "$1" >"$work/list"
	while read -r what a b; do
		case $what in
		write) cp "$b" "$scratch/$a" ;;
		run)
			command=$(sed -n 1p "$a")
			sed 1d "$a" >"$work/expected"
			case $command in
			plot\ * | *\ --plot\ *) command -v gnuplot >/dev/null || continue ;;
			draw\ *) command -v dot >/dev/null || continue ;;
			esac
			# a line of a page of this source tree, quotes and all
			status=0
			(cd "$scratch" && eval "\"\$tool\" $command") >"$work/got" 2>&1 </dev/null || status=$?
			# where a page shows nothing of what is printed, the command has to succeed
			if test "$status" -ne 0 && ! grep -qvxF '...' "$work/expected"; then
				fail "${1#"$source"/}: boxtimes $command: status $status"
				head -5 "$work/got"
			fi
			if awk -f "$here/same_text.awk" "$work/expected" "$work/got" >"$work/why"; then ok; else
				fail "${1#"$source"/}: boxtimes $command"
				sed 's/^/    /' "$work/why" "$work/got" | head -30
			fi
			;;
		esac
	done <"$work/list"
}

for file in "$source"/README.md "$source"/docs/*.md "$source"/docs/tutorials/*.md "$source"/docs/howto/*.md; do
	test ! -e "$file" || page "$file"
done

# the two models of README run, and the first ends as it says
for n in 1 2; do
	awk -v n=$n '/^```/ { on = /^```xml/ && ++k == n; next } on' "$source/README.md" >"$work/first.xml"
	run 0 run "$work/first.xml" -o "$work/first.csv" --report "$work/first.html"
	test $n -gt 1 || says '500 steps of 1e-05 s with gauss1 to t = 0.005 s'
	test $n -gt 1 || says 'energy   0 J at the start, 5e-05 J at the end, 0.0001 J supplied, 5e-05 J dissipated'
	says 'trust    no doubts'
done

# the tests that the page on trust names are there
sed -n 's/.*`\(tests\/[a-z_/]*\.c\)`\(, "\([^"]*\)"\)\{0,1\} |$/\1|\3/p' "$source/docs/trust.md" >"$work/named"
test -s "$work/named" && ok || fail "docs/trust.md names no test"
while IFS='|' read -r file name; do
	if test -e "$source/$file" && grep -qF "{\"$name" "$source/$file"; then ok; else
		fail "docs/trust.md: no test \"$name\" in $file"
	fi
done <"$work/named"

# the matcher itself
same() { awk -f "$here/same_text.awk" "$work/a" "$work/b" >/dev/null; }
printf 'a\n...\nc 1 ... x\n' >"$work/a"
printf 'a\nb\nb\nc 1 2 x\n' >"$work/b"
same && ok || fail "what is the same is not found"
printf 'a\nb\nc 1 2 y\n' >"$work/b"
same && fail "another end is not seen" || ok
printf 'a\nc 1 2 x\nd\n' >"$work/b"
same && fail "a line more is not seen" || ok
printf 'a.c\n' >"$work/a"
printf 'abc\n' >"$work/b"
same && fail "a point is any character" || ok
finish
