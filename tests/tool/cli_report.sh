#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# boxtimes run --report: what is in the page, that nothing of the model gets out of its place, and
# what a browser says to it.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

dygraphs=${BOXTIMES_DYGRAPHS:-/usr/share/javascript/dygraphs}
has() { if grep -qF -- "$2" "$1"; then ok; else fail "expected in $1: $2"; fi; }
hasnt() { if grep -qF -- "$2" "$1"; then fail "not expected in $1: $2"; else ok; fi; }
cd "$work" || exit 1

# ---- The page ----

run 0 run "$good/speed-control.xml" --quiet --report page.html
silent_out "run --report without -o"
if command -v dot >/dev/null; then silent_err "run --report --quiet"; fi
for text in '<title>speed control of a motor</title>' '3000 × 0.001 s' 'gauss1, ' 'energy residual' \
	'trust    no doubts' 'plant.M stored 1501 J' 'plant.M heat 198.2 J' '<h2>Ledger' '<td>plant.M</td>' \
	'<h2>Drift' '<h2>Network' '&lt;netlist xmlns=&quot;urn:boxtimes:netlist:1&quot;' 'boxtimes run' "version "; do
	has page.html "$text"
done
has page.html "default-src 'none'; script-src 'nonce-"
hasnt page.html "unsafe"
# nothing is fetched: no attribute names a place but those of XML's names
grep -oE '(src|href|action|data)="[^"]*"' page.html | grep -v -e '^href="#' -e '^src="data:' | grep -q . && fail "the page names other files" || ok
run 0 run "$good/speed-control.xml" --quiet --report again.html
test "$(grep -o "nonce-[0-9a-f]*'" page.html | head -n 1)" != "$(grep -o "nonce-[0-9a-f]*'" again.html | head -n 1)" && ok ||
	fail "two pages have one nonce"
run 0 run "$good/rlc-torn.xml" --quiet --report both.html -o both.csv
rows both.csv
run 0 run "$good/rlc-torn.xml" --quiet --accuracy --report accuracy.html
has accuracy.html "Estimated errors"
run 2 run "$good/rlc-torn.xml" --quiet --report same.html -o same.html
says "both want"
cp "$good/rlc-torn.xml" own.xml
run 2 run own.xml --quiet --report own.xml
says "would overwrite"
run 4 run "$good/rlc-torn.xml" --quiet --report no/such/folder.html

# findings of the model and of the run are messages
cat >warned.xml <<'END'
<netlist xmlns="urn:boxtimes:netlist:1" name="warned">
  <simulation step="0.1 s" end="1 s"/>
  <resistor id="R" p="a" n="0" R="1 ohm"/>
  <capacitor id="C" p="a" n="0" C="1 F" q="1 C"/>
  <resistor id="alone" p="a" n="dangling" R="1 ohm"/>
</netlist>
END
run 0 run warned.xml --quiet --report warned.html
has warned.html "<h2>Messages"
has warned.html "warned.xml:5: warning: node &#39;dangling&#39; dangles"

# of 50000 rows a panel gets at most 4000 and every peak
cat >many.xml <<'END'
<netlist xmlns="urn:boxtimes:netlist:1" name="many">
  <simulation step="1 ms" end="50 s"/>
  <voltage-source id="V" p="a" n="0" e="=if(abs(t - 33.333) &lt; 0.0004, 7, 0)"/>
  <resistor id="R" p="a" n="0" R="1 ohm"/>
  <record>node(a).v</record>
</netlist>
END
run 0 run many.xml --quiet --report many.html
test "$(grep -cE '^\[?[0-9.e+-]*,|^"rows"' many.html)" -le 4001 && ok || fail "too many points"
if test -r "$dygraphs/dygraph.min.js"; then
	run 0 run "$good/stick-slip-belt.xml" --quiet --report belt.html
	grep -qF '"events":[2,6.71238' belt.html && ok || fail "events are not marked"
	grep -qE '^\[33\.33[0-9]*,7(\.0*)?\]' many.html && ok || fail "the peak is lost"
fi

# ---- Without dygraphs, without gnuplot, without dot ----

mkdir empty
BOXTIMES_DYGRAPHS="$work/empty" run 0 run "$good/rlc-torn.xml" --quiet --report plain.html
hasnt plain.html '<script'
if command -v gnuplot >/dev/null; then
	has plain.html 'node(loop.a).v</text>' || has plain.html 'store.C1.q'
fi
PATH="$work/empty" BOXTIMES_DYGRAPHS="$work/empty" "$tool" run "$good/rlc-torn.xml" --quiet --report bare.html 2>err
test $? -eq 0 && ok || fail "a report without other programs"
has bare.html 'Debian package libjs-dygraphs'
has bare.html 'Not drawn'

# ---- Hostile text ----

cat >'hostile.xml' <<'END'
<netlist xmlns="urn:boxtimes:netlist:1" name="&lt;/title>&lt;script>window.wounds=1&lt;/script>&lt;img src=x onerror='window.wounds=2'>&quot;\&#x202E;&amp;lt;">
  <!-- </pre><script>window.wounds=3</script> -->
  <simulation step="0.1 s" end="1 s"/>
  <resistor id="R" p="a" n="0" R="1 ohm"/>
  <capacitor id="C" p="a" n="0" C="1 F" q="1 C"/>
  <x:y xmlns:x="urn:z" b="&lt;/script>&lt;script>window.wounds=4&lt;/script>"/>
  <signal id="s">if(1 &lt; 2, node(a).v, 0)</signal>
</netlist>
END
cp hostile.xml '<img src=x onerror=window.wounds=5>.xml'
run 0 run '<img src=x onerror=window.wounds=5>.xml' --quiet --report hostile.html
hasnt hostile.html '<img'
hasnt hostile.html '<script>window'
hasnt hostile.html "$(printf '\342\200\256')"
has hostile.html '\u202E&amp;lt;</title>'

# ---- In a browser ----

browser=$(command -v chromium || command -v chromium-browser)
if test -z "$browser" || ! command -v python3 >/dev/null || ! test -r "$dygraphs/dygraph.min.js"; then
	skip "reports in a browser" "chromium, python3 or libjs-dygraphs is not installed"
	finish
fi
look() { # look PAGE: seen holds what the browser said
	timeout 120 python3 "$source/tests/tool/browser.py" "$browser" "$1" "$1.png" >seen 2>err && ok || fail "the browser: $(cat err)"
	grep -E '^(message|request)' seen && fail "$1: the browser has something to say" || ok
}
look page.html
has seen 'panels 4'
has seen 'before [[0,3],[0,3],[0,3],[0,3]]'
has seen 'after [[0,3],[0,3],[0,3],[0,3]]'
# all panels have the range of the first, which is within what it was
awk '$1 == "zoomed" { n = split($2, x, /[][,]+/); good = n >= 9
	for (i = 2; i + 1 < n; i += 2) good = good && x[i] == x[2] && x[i + 1] == x[3]
	exit !(good && x[2] > 0.9 && x[2] < 1.3 && x[3] > 1.8 && x[3] < 2.3) }' seen && ok || fail "$(grep zoomed seen)"
head -c 4 page.html.png | grep -q PNG && test "$(wc -c <page.html.png)" -gt 20000 && ok || fail "no screenshot"
look plain.html
look hostile.html
has seen 'wounds 0'
has seen 'markup 0'
grep -q "^title </title><script>window.wounds=1" seen && ok || fail "$(grep title seen)"
finish
