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

# named_files PAGE: names of C files and of folders of the source tree between backquotes on a page
# that exist nowhere. A name may lack the storey (`base/text.c`), or the folder as well (`text.c`).
named_files()
{
	grep -o '`[A-Za-z0-9_./-]*`' "$1" | tr -d '`' |
		grep -E '\.[ch]$|^(lib|tests|tools|python|docs)/' | sort -u | while read -r name; do
		case $name in
		*NAME*) continue ;; # stands for a name
		esac
		for found in "$source/$name" "$source"/lib/*/"$name" "$source"/lib/*/*/"$name" \
			"$source"/tests/*/"$name" "$source"/tests/*/*/"$name" "$source/lib/$name" "$source/tools/$name"; do
			test ! -e "$found" || continue 2
		done
		echo "$name"
	done
}
for file in "$source"/ARCHITECTURE.md "$source"/CONTRIBUTING.md "$source"/GLOSSARY.md "$source"/docs/theory/*.md; do
	missing=$(named_files "$file")
	test -z "$missing" && ok || fail "${file#"$source"/} names files that do not exist: $missing"
done
printf '`base/nowhere.c` `base/text.h` `lib/nowhere/`' >"$work/a"
test "$(named_files "$work/a" | tr '\n' ' ')" = "base/nowhere.c lib/nowhere/ " && ok || fail "a missing file is not found"

# the picture of ARCHITECTURE.md and its table of rooms have the storeys and rooms of lib/FLOORS
awk '/^[a-z]/ { storey = $1; next } { print storey, $1 }' "$source/lib/FLOORS" | sort >"$work/floors"
awk '/^    storey +rooms/ { on = 1 } on && /^$/ { exit }
	on && /^    [ a-z]/ && !/^    storey/ {
		if (/^    [a-z]/) storey = $1
		rooms = substr($0, 16, 56)
		gsub(/,/, " ", rooms)
		for (n = split(rooms, room, " "); n > 0; n--) print storey, room[n]
	}' "$source/ARCHITECTURE.md" | sort >"$work/drawn"
cmp -s "$work/floors" "$work/drawn" && ok || fail "ARCHITECTURE.md: the picture differs from lib/FLOORS: $(diff "$work/floors" "$work/drawn")"
sed -n 's/^| `\([a-z]*\)` | .*/\1/p' "$source/ARCHITECTURE.md" | sort >"$work/drawn"
cut -d ' ' -f 2 "$work/floors" | sort >"$work/floors.rooms"
cmp -s "$work/floors.rooms" "$work/drawn" && ok || fail "ARCHITECTURE.md: the table of rooms differs from lib/FLOORS"

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
