#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What draw.sh may draw: of a file written here exactly the mutants listed, and of the sources
# nothing but one line of code each.
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "${BXT_SOURCE:-$here/../..}" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# rule NAME: what stands in $work/found breaks it
rule() {
	if test -s "$work/found"; then
		failed=$((failed + 1))
		echo "FAILED: $1"
		sed 's/^/    /' "$work/found"
	else
		passed=$((passed + 1))
	fi
}

# differ A B: what stands in one file only into $work/found
differ() {
	diff "$1" "$2" >"$work/found"
}

# ---- A file whose mutants are known ----

cat >"$work/known.c" <<'end'
/* n < 1 && n + 2 */
#include "a/b3.h"
#define LIMIT (3 + \
	4)
static const double SMALL = 1e-12; // 5 < 6
enum { MOST = 3 };
static int f(int n, double *y)
{
	const char *text = "n < 4 && \" 5";
	double x[8], half = 0.5;
	/* for (int i = 0;
	 * i < n; */
	if (n < 2 && text[0] != '7')
		n += y[n] * n;
	free(text); /* n - 1 */
	n = 0x1F;
	g(n, "a + 1", x);
	switch (n) {
	case 5:
		return n;
	}
	return n;
}
end
sed 's/^\([0-9]*\) /\1	/' >"$work/expected" <<'end'
10 double x[8], half = 1.0;
10 double x[7], half = 0.5;
10 double x[9], half = 0.5;
13 if (n < 1 && text[0] != '7')
13 if (n < 2 && text[0] == '7')
13 if (n < 2 && text[1] != '7')
13 if (n < 2 || text[0] != '7')
13 if (n < 3 && text[0] != '7')
13 if (n <= 2 && text[0] != '7')
14 ;
14 n += y[n] / n;
14 n -= y[n] * n;
16 ;
17 ;
19 case 4:
19 case 6:
20 ;
5 static const double SMALL = 1e-9; // 5 < 6
6 enum { MOST = 2 };
6 enum { MOST = 4 };
end
sort -o "$work/expected" "$work/expected"
cd "$work" || exit 1
seed=0
while [ "$seed" -lt 150 ]; do
	awk -v seed="$seed" -v count=100 -f "$here/draw.awk" known.c
	seed=$((seed + 1))
done >all
awk -F '\t' '{ sub(/^[^\t]*\t/, ""); at = $0; sub(/\t.*/, "", at); sub(/.*\t/, ""); print at "\t" $0 }' all |
	sort -u >drawn
differ expected drawn
rule "the mutants of a known file, and no others"

echo 'known.c :: n += y[n] * n; :: n -= y[n] * n; :: a reason' >equivalent
seed=0
while [ "$seed" -lt 50 ]; do
	awk -v seed="$seed" -v count=100 -v equivalent=equivalent -f "$here/draw.awk" known.c
	seed=$((seed + 1))
done | grep -F 'n -= y[n] * n;' >found
rule "no mutant that is known to change nothing"

# ---- The sources ----

BXT_SOURCE=$source
export BXT_SOURCE
files=$(cd "$source" && find lib tools -name '*.c' | sort | awk 'NR % 9 == 0')
sh "$here/draw.sh" 200 7 $files >first
sh "$here/draw.sh" 200 7 $files >again
sh "$here/draw.sh" 200 8 $files >other
differ first again
rule "the same seed draws the same mutants"
cmp -s first other && echo "seeds 7 and 8" >found || : >found
rule "another seed draws others"
test "$(wc -l <first)" -eq 200 && : >found || wc -l first >found
rule "as many as are wanted"
sh "$here/draw.sh" 5 1 >drawn # of the history, or all
n=$(wc -l <drawn)
test "$n" -ge 1 && test "$n" -le 5 && : >found || wc -l drawn >found
rule "the files need not be named"

# the whole line of the file, and another: what a tab separates is behind the tabs of the indentation
tab=$(printf '\t')
cat first other drawn | while IFS= read -r line; do
	file=${line%%"$tab"*} line=${line#*"$tab"}
	number=${line%%"$tab"*} line=${line#*"$tab"}
	text=$(sed -n "${number}p" "$source/$file")
	new=${line#"$text$tab"}
	test "$new" != "$line" && test "$new" != "$text" || echo "$file:$number: $line"
	printf '%s\n' "$text" "$new" | sed 's/"\(\\.\|[^"\\]\)*"//g; s#/\*.*##; s#//.*##' | uniq -d |
		sed "s#^#$file:$number: #"
	case $text in '#'* | ' *'* | "$tab ** "*) echo "$file:$number: $text" ;; esac
done >found
rule "one line of code is another, outside of strings and comments"

# ---- Mutants known to change nothing ----

while IFS= read -r line; do
	case $line in '#'* | '') continue ;; esac
	file=${line%% :: *} rest=${line#* :: }
	old=${rest%% :: *} rest=${rest#* :: }
	new=${rest%% :: *} why=${rest#* :: }
	test "$why" != "$rest" && test -n "$why" && test "$old" != "$new" || echo "no reason: $line"
	sed 's/^[[:blank:]]*//' "$source/$file" | grep -qxF -e "$old" || echo "not in the file: $line"
done <"$here/equivalent.txt" >found
rule "equivalent.txt fits the sources"

echo "$passed passed, $failed failed"
test "$failed" -eq 0
