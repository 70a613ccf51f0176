#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# boxtimes run --animate: what is in the page, that nothing of the model gets out of its place, and
# what a browser draws.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

has() { if grep -qF -- "$2" "$1"; then ok; else fail "expected in $1: $2"; fi; }
hasnt() { if grep -qF -- "$2" "$1"; then fail "not expected in $1: $2"; else ok; fi; }
cd "$work" || exit 1

# ---- The page ----

run 0 run "$good/slider-crank.xml" --quiet --animate page.html
silent_out "run --animate without -o"
silent_err "run --animate --quiet"
has page.html '<title>slider-crank</title>'
has page.html "default-src 'none'; script-src 'nonce-"
hasnt page.html "unsafe"
has page.html '{"name":"node(rod)","kind":"planar","n":3,"box":'
grep -oE '(src|href|action|data)="[^"]*"' page.html | grep -q . && fail "the page names other files" || ok
# the rows of -o are those of a run without pictures; the end of one motion is that of the other
run 0 run "$good/four-bar.xml" --quiet -o plain.csv
run 0 run "$good/four-bar.xml" --quiet -o both.csv --report both-report.html --animate both.html
cmp -s plain.csv both.csv && ok || fail "--animate changes the rows of -o"
last=$(tail -n 1 plain.csv | awk -F, '{ printf "%.6g,%.6g", $2, $3 }')
grep -o '"name":"node(b)".*' both.html | grep -qF "$last]}" && ok || fail "the motion does not end at $last"
has both.html '"lines":['
has both.html '"name":"coupler","ends":[[0,0,0,0],[1,0,0,0]]'
# long runs become few frames, the first and the last row among them
run 0 run "$good/slider-crank.xml" --quiet --animate long.html
test "$(grep -o '"time":\[[^]]*' long.html | tr ',' '\n' | wc -l)" -eq 900 && ok || fail "frames of a long run"
# coordinates of elements, with numbers behind them
run 0 run "$good/point-vortices.xml" --quiet --end 5 --animate vortices.html
for name in z1 z2 z3 z4; do has vortices.html "{\"name\":\"$name\",\"kind\":\"point\""; done
run 0 run "$good/dipoles.xml" --quiet --step 0.01 --end 0.1 --animate dipoles.html
test "$(grep -c '"kind":"spatial","n":12' dipoles.html)" -eq 15 && ok || fail "fifteen dipoles"

# ---- What is refused ----

run 3 run "$good/rlc-torn.xml" --quiet --animate none.html
says "rlc-torn.xml: error: nothing to animate: no node or element has coordinates x and y"
test ! -e none.html && ok || fail "a page with nothing in it"
for other in -o --report; do
	run 2 run "$good/four-bar.xml" --quiet --animate same.html $other ./same.html
	says "both want"
done
cp "$good/four-bar.xml" own.xml
run 2 run own.xml --quiet --animate own.xml
says "would overwrite"
cmp -s own.xml "$good/four-bar.xml" && ok || fail "own.xml was written"
run 4 run "$good/four-bar.xml" --quiet --animate no/such/folder.html
run 2 check "$good/four-bar.xml" --animate a.html
run 2 run "$good/four-bar.xml" --animate a.html --continue a.state -o a.csv
says "--animate shows all rows"

# ---- Hostile text ----

cat >hostile.xml <<'END'
<netlist xmlns="urn:boxtimes:netlist:1" name="&lt;/title>&lt;/script>&lt;script>window.wounds=1&lt;/script>&lt;img src=x onerror='window.wounds=2'>&quot;\&#x202E;">
  <simulation step="0.1 s" end="1 s"/>
  <node id="a" kind="planar" x="1 m" vy="1 m/s"/>
  <point-mass id="M" a="a" m="1 kg"/>
  <rod id="R" a="wall" b="a" l="1 m"/>
</netlist>
END
run 0 run hostile.xml --quiet --animate hostile.html
hasnt hostile.html '<img'
hasnt hostile.html '<script>window'
hasnt hostile.html "$(printf '\342\200\256')"

# ---- In a browser ----

browser=$(command -v chromium || command -v chromium-browser)
if test -z "$browser" || ! command -v python3 >/dev/null; then
	skip "animations in a browser" "chromium or python3 is not installed"
	finish
fi
look() { # look PAGE: seen holds what the browser said
	timeout 120 python3 "$source/tests/tool/browser.py" "$browser" "$1" "$1.png" >seen 2>err && ok || fail "the browser: $(cat err)"
	grep -E '^(message|request)' seen && fail "$1: the browser has something to say" || ok
	has seen 'plays True'
	has seen 'moves True'
	awk '$1 == "ink" && !($2 > 0.0005 && $2 < 0.5) { bad = 1 } $1 == "ink" { n++ } END { exit bad || n != 2 }' seen && ok ||
		fail "$1: $(grep ink seen)"
	head -c 4 "$1.png" | grep -q PNG && ok || fail "$1: no screenshot"
}
place() { sed -n "s/^$1 //p" seen | sed -n "${2}p"; } # where the first body is seen
look page.html
has seen 'bodies 3'
has seen 'frames 900'
has seen 'pose {"p":[0,0.3,0]'
test "$(place turned 1)" = "$(place place 2)" && ok || fail "a plane is turned"
test "$(place place 1)" != "$(place place 2)" && ok || fail "the crank does not move"
look dipoles.html
has seen 'bodies 15'
test "$(place turned 1)" != "$(place place 2)" && ok || fail "a drag does not turn what is in space"
look hostile.html
has seen 'wounds 0'
has seen 'markup 0'
grep -q "^title </title></script><script>window.wounds=1" seen && ok || fail "$(grep title seen)"
finish
