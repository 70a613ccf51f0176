#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The reference: its formats, the manual pages made of it, and that nothing is missing. What there
# is is looked for where it is used: in the shipped models and in the source of the readers.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
chapters="netlist component functions signals settings units structures"

# ---- The command ----

for chapter in $chapters; do
	for format in md man json; do
		run 0 reference "$chapter" --format $format
		silent_err "reference $chapter"
		test -s "$work/out" && ok || fail "reference $chapter --format $format is empty"
		cp "$work/out" "$work/$chapter.$format"
	done
	if command -v python3 >/dev/null; then
		python3 -m json.tool "$work/$chapter.json" >/dev/null && ok || fail "$chapter.json is no JSON"
	fi
done
run 2 reference
run 2 reference frobnicate
for chapter in $chapters; do
	says "  $chapter "
done
run 2 reference netlist --format html
says "md, man and json"
run 2 describe resistor --format html

# ---- The manual pages ----

run 0 reference netlist signals settings --format man
cmp -s "$work/out" "$source/tools/boxtimes-netlist.5" && ok ||
	fail "old: boxtimes reference netlist signals settings --format man >tools/boxtimes-netlist.5"
run 0 reference component functions units --format man
cmp -s "$work/out" "$source/tools/boxtimes-component.5" && ok ||
	fail "old: boxtimes reference component functions units --format man >tools/boxtimes-component.5"
if command -v groff >/dev/null; then
	for page in boxtimes.1 boxtimes-netlist.5 boxtimes-component.5; do
		groff -man -Tutf8 -ww -z "$source/tools/$page" 2>"$work/err"
		silent_err "groff of $page"
	done
fi

# ---- Nothing is missing ----

# names CHAPTER: the elements and attributes of a chapter, from its JSON
names() { sed -n 's/^.*"name": "\([A-Za-z.-]*\)".*$/\1/p' "$work/$1.json" | sort -u; }
names netlist >"$work/netlist.names"
names component >"$work/component.names"

# Elements that the shipped models use: those of the language, not of components.
cat "$source"/netlists/*.xml "$source"/netlists/*/*.xml | sed 's/<!--.*-->//' |
	awk '/<!--/ { c = 1 } !c { print } /-->/ { c = 0 }' | tr '>' '\n' |
	sed -n 's/.*<\([a-z][a-z0-9-]*\).*/\1/p' | sort -u >"$work/used"
"$tool" list --names | sort -u >"$work/components"
names component | cat - "$work/netlist.names" | sort -u >"$work/both"
# inline components are named by their <component name="...">
cat "$source"/netlists/*.xml "$source"/netlists/*/*.xml | tr '\n' ' ' |
	grep -o '<component[^>]*name="[^"]*"' | sed 's/.*name="//; s/"//' >"$work/inline"
sort -u "$work/inline" "$work/components" "$work/both" >"$work/known"
comm -23 "$work/used" "$work/known" >"$work/lacking"
test -s "$work/lacking" && fail "elements of shipped models without a row: $(tr '\n' ' ' <"$work/lacking")" || ok
test "$(wc -l <"$work/used")" -gt 100 && ok || fail "the shipped models were not read"

# Attributes that readers look up, as they stand in their source.
literals() {
	cat "$@" | tr '\n' ' ' | tr -s ' \t' ' ' |
		grep -oE '(bxt_item_get|bxt_component_required|bxt_component_optional|time_parameter|read_names|name_for|flag|quantity|choice|find_column)\([^";]*"[a-z-]+"' |
		sed 's/.*"\([a-z-]*\)"/\1/' | sort -u
}
literals "$source"/lib/model/network/*.c "$source"/lib/model/names/*.c "$source"/lib/model/builder/*.c "$source"/lib/model/component/*.c >"$work/looked-up"
comm -23 "$work/looked-up" "$work/both" >"$work/lacking"
test -s "$work/lacking" && fail "attributes that are read and in no row: $(tr '\n' ' ' <"$work/lacking")" || ok
test "$(wc -l <"$work/looked-up")" -gt 25 && ok || fail "the readers were not read"

# The other way round: what has a row is read somewhere.
cat "$source"/lib/model/network/*.c "$source"/lib/model/names/*.c "$source"/lib/model/builder/*.c "$source"/lib/model/component/*.c "$source"/lib/run/initial/settings*.c "$source"/lib/exchange/rewrite/*.c >"$work/readers"
grep -oE '"[a-z][a-z-]*"' "$work/readers" | tr -d '"' | sort -u >"$work/words"
"$tool" reference netlist component --format json | tr '{' '\n' | grep '"type"' |
	sed -n 's/.*"name": "\([a-z-]*\)".*/\1/p' | sort -u >"$work/attributes"
# people read these, nobody else
printf '%s\n' subject version torn | sort >"$work/unread"
comm -23 "$work/attributes" "$work/words" | comm -23 - "$work/unread" >"$work/lacking"
test -s "$work/lacking" && fail "attributes that nobody reads: $(tr '\n' ' ' <"$work/lacking")" || ok
test "$(wc -l <"$work/attributes")" -gt 30 && ok || fail "there are no attributes"

# Functions: what the parser takes is in the chapter, and what is in the chapter it takes.
sed -n 's/.*"name": "\([a-z0-9]*\)", "text".*"arguments": "\([^"]*\)".*/\1 \2/p' "$work/functions.json" >"$work/functions"
test "$(wc -l <"$work/functions")" -ge 21 && ok || fail "functions are missing"
while read -r name arguments; do
	cat >"$work/f.xml" <<END
<netlist xmlns="urn:boxtimes:netlist:1"><parameter name="a" default="=$name()"/></netlist>
END
	"$tool" check "$work/f.xml" >/dev/null 2>"$work/err"
	grep -q "is not known" "$work/err" && fail "$name is no function" || ok
done <"$work/functions"
# words before a parenthesis in the shipped components are functions or tables
cat "$source"/components/*/*.xml | sed 's/<!--.*-->//' | tr '\n' ' ' |
	grep -oE '<(lagrangian|rayleigh|force|constraint|output|rate|update|signal)[^>]*>[^<]*' |
	sed 's/^[^>]*>//' | grep -oE '\b[a-z][a-z0-9]*\(' | tr -d '(' | sort -u >"$work/called"
cut -d ' ' -f 1 "$work/functions" | sort -u >"$work/have"
grep -ohE '<(parameter|table)[^>]*name="[^"]*"' "$source"/components/*/*.xml | sed 's/.*name="//; s/"//' | sort -u >"$work/own"
comm -23 "$work/called" "$work/have" | comm -23 - "$work/own" >"$work/lacking"
test -s "$work/lacking" && fail "functions without a row: $(tr '\n' ' ' <"$work/lacking")" || ok
test "$(wc -l <"$work/called")" -gt 5 && ok || fail "the components call no functions"

# Settings: every value that 'list --settings' has.
run 0 list --settings
sed -n '1,/^$/p' "$work/out" | head -n 7 | while read -r setting values; do
	for value in $values; do
		grep -qF "\"name\": \"$value\"" "$work/settings.json" || echo "$setting $value"
	done
done >"$work/lacking"
test -s "$work/lacking" && fail "settings without a row: $(cat "$work/lacking")" || ok

# ---- Pages of components ----

run 0 describe --format md
while read -r name; do
	grep -q "^(component-$name)=" "$work/out" && ok || fail "describe --format md lacks $name"
done <"$work/components"
hides "(null)"
run 0 describe npn --format md
shows '## Ports'
shows '\frac{'
shows '| betaF | \- | 100 | above 0 |'
run 0 describe npn --format man
shows '.TH BOXTIMES\-COMPONENT\-NPN 5'
run 3 describe resistr --format json
says "did you mean 'resistor'?"
mkdir -p "$work/parts"
cat >"$work/parts/odd.xml" <<'END'
<component xmlns="urn:boxtimes:component:1" name="odd" domain="x">
  <doc>&lt;script>alert(1)&lt;/script> $x$ {raw}`html` [a](b) | ```</doc>
  <coordinate name="q" unit="C" flow="i"/><lagrangian>i^2/2</lagrangian>
</component>
END
run 0 describe odd --format md -L "$work/parts"
grep -q '^<script\|[^\\]<script' "$work/out" && fail "a tag of a component's text is a tag" || ok
shows '\<script\>'
shows '\$x\$'

# ---- Examples ----

run 0 examples
cp "$work/out" "$work/list"
shows "circuits"
shows "  rlc-torn  "
# every shipped netlist that can be run has a subject and a sentence
for file in "$good"/*.xml "$good"/examples/*.xml; do
	grep -q '<simulation' "$file" || continue
	name=${file#"$good"/}
	sentence=$(sed -n "s#^  ${name%.xml}  *##p" "$work/list")
	test "${#sentence}" -ge 25 && test "${#sentence}" -le 200 && ok ||
		fail "$name: no sentence, or one that is too long: $sentence"
	case $sentence in
	*.) ok ;;
	*) fail "$name: the sentence has no end: $sentence" ;;
	esac
done
run 0 examples rlc-torn
test "$(cat "$work/out")" -ef "$good/rlc-torn.xml" && ok || fail "examples rlc-torn: $(cat "$work/out")"
run 0 examples kettle
test -f "$(cat "$work/out")" && ok || fail "examples kettle"
run 0 examples examples/kettle
run 3 examples ettle
says "no example 'ettle'"
run 0 examples --format json
shows '"name": "examples/kettle"'
run 0 examples --format md
shows '## mechanics'
run 2 examples --format html
mkdir -p "$work/share/components" "$work/share/netlists"
printf '%s\n' '<netlist xmlns="urn:boxtimes:netlist:1" name="n" subject="&lt;b>&#x202e;"><doc>One
	two. Three.</doc></netlist>' >"$work/share/netlists/odd.xml"
echo '<netlist' >"$work/share/netlists/broken.xml"
run 3 examples -L "$work/share/components"
says "broken.xml:"
shows 'One two.'
hides 'Three'
shows '\u202E'
rm "$work/share/netlists/broken.xml"
run 0 examples -L "$work/share/components" --format md
shows '## \<b\>'
# a page shows the netlist that uses the component
run 0 describe n-jfet --format md
shows 'The netlist n-jfet.xml'
run 0 describe resistor --format json
shows '<netlist '

# ---- Documents ----

# what make docs checks links with finds what is wrong
if command -v python3 >/dev/null; then
	mkdir -p "$work/html"
	check="python3 -B $source/docs/check_links.py $work/html"
	echo '<p id="here"><a href="#here">a</a> <a href="https://example.org/">b</a>' >"$work/html/a.html"
	$check >"$work/out" 2>&1 && ok || fail "a folder without faults: $(cat "$work/out")"
	for wrong in '<a href="b.html">' '<a href="#there">' '<a href="a.html#there">' '<img src="none.svg">' \
		'<script src="https://example.org/x.js">' '<link href="//example.org/x.css">'; do
		printf '%s\n' "$wrong" >"$work/html/c.html"
		$check >"$work/out" 2>&1 && fail "not found: $wrong" || ok
	done
	rm "$work/html/c.html"
	echo '@import url(https://example.org/x.css);' >"$work/html/c.css"
	$check >"$work/out" 2>&1 && fail "not found: a style sheet from the network" || ok
fi

# files and netlists that the pages on theory name are there
grep -ohE '`(lib|netlists)/[a-z_/.-]*`' "$source"/docs/theory/*.md | tr -d '`' | sort -u >"$work/named"
while read -r file; do
	test -e "$source/$file" && ok || fail "docs/theory names $file, which is not there"
done <"$work/named"
test "$(wc -l <"$work/named")" -gt 30 && ok || fail "the pages on theory name no files"

finish
