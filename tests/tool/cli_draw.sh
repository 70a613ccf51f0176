#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# boxtimes draw: its forms by the ending of the file, models with errors, hostile names.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

# ---- The text for dot, which needs no program ----

run 0 draw "$good/rlc-torn.xml"
shows 'digraph netlist {'
shows '<b>C1</b>'
shows 'parallel RLC, torn at the capacitor'
silent_err "draw"
run 0 draw "$good/rlc-torn.xml" -o "$work/torn.dot"
cmp -s "$work/out" /dev/null && "$tool" draw "$good/rlc-torn.xml" | cmp -s - "$work/torn.dot" && ok || fail "-o FILE.dot"
run 0 draw "$good/rlc-torn.xml" --set loop.R1.R='4.7 kohm'
shows 'resistor · 4.7 kΩ'
run 2 draw "$good/rlc-torn.xml" -o "$work/torn.jpg"
says ".svg, .png, .pdf or .dot"
run 2 draw
cp "$good/rlc-series.xml" "$work/own.dot"
run 2 draw "$work/own.dot" -o "$work/own.dot"
says "would overwrite"

# a model with errors is drawn, its findings are told
cat >"$work/wrong.xml" <<'END'
<netlist xmlns="urn:boxtimes:netlist:1" name="wrong">
  <resistor id="R1" p="a" n="0" R="1 ohm"/>
  <resistro id="R2" p="a" n="0" R="1 ohm"/>
</netlist>
END
run 3 draw "$work/wrong.xml"
says "wrong.xml:3: error: no component 'resistro' (did you mean 'resistor'?)"
shows '<b>R1</b>'
shows 'unknown'
echo '<netlist xmlns="urn:boxtimes:netlist:1"><resistor' >"$work/broken.xml"
run 3 draw "$work/broken.xml"
silent_out "a file that is no XML"

# without the program: what is missing, and in which package it is
mkdir "$work/empty"
PATH="$work/empty" "$tool" draw "$good/rlc-torn.xml" -o "$work/none.svg" 2>"$work/err"
test $? -eq 4 && ok || fail "draw without dot: status"
says "Debian package graphviz"
test -e "$work/none.svg" && fail "draw without dot leaves a file" || ok

# ---- Pictures ----

if ! command -v dot >/dev/null; then
	skip "drawings" "dot (Debian package graphviz) is not installed"
	finish
fi
run 0 draw "$good/ua741.xml" -o "$work/ua741.svg"
grep -q '<svg' "$work/ua741.svg" && grep -q '>Q13B<' "$work/ua741.svg" && ok || fail "ua741.svg"
run 0 draw "$good/rlc-torn.xml" -o "$work/torn.png"
head -c 4 "$work/torn.png" | tail -c 3 | grep -q PNG && ok || fail "torn.png"
run 0 draw "$good/rlc-torn.xml" -o "$work/torn.pdf"
head -c 4 "$work/torn.pdf" | grep -q '%PDF' && ok || fail "torn.pdf"

# every shipped netlist gives a picture without a word from dot; parts of others have findings
for file in $(find "$good" -name '*.xml'); do
	"$tool" draw "$file" --quiet -o "$work/any.svg" 2>"$work/err"
	case $? in
	0) if test -s "$work/err"; then fail "$file"; else ok; fi ;;
	3) grep -q "is not connected" "$work/err" && ok || fail "$file" ;;
	*) fail "$file" ;;
	esac
	grep -q '</svg>' "$work/any.svg" && ok || fail "$file gives no picture"
done

# hostile text reaches the picture as text: what it says is not done, and the XML is well-formed
cat >"$work/hostile.xml" <<'END'
<netlist xmlns="urn:boxtimes:netlist:1" name="&lt;script>alert(1)&lt;/script> &quot;\N&#x202E;&amp;amp;">
  <resistor id="R&lt;b>&quot;" p="a&quot;];b" n="&lt;/svg>" R="=&lt;img/>\"/>
  <signal id="&lt;/text>">"x" &lt; &amp;lt; \E \N</signal>
</netlist>
END
run 3 draw "$work/hostile.xml" -o "$work/hostile.svg"
if command -v xmllint >/dev/null; then
	xmllint --noout "$work/hostile.svg" 2>"$work/err" && ok || fail "hostile.svg: $(cat "$work/err")"
fi
grep -qE '<(script|img|b)[ />]' "$work/hostile.svg" && fail "hostile.svg has markup of the model" || ok
test "$(grep -c '</svg>' "$work/hostile.svg")" -eq 1 && ok || fail "hostile.svg ends twice"
tr -d '\n' <"$work/hostile.svg" | sed 's/<[^>]*>//g' | grep -qF '&lt;script&gt;alert(1)&lt;/script&gt; &quot;\N\u202E&amp;amp;' && ok ||
	fail "hostile.svg: the title is not there as written"
finish
