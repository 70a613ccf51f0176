#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Files: what commands write is never what they read, is whole or not there, and is one run's; names
# of any kind reach the terminal plain.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

mkdir "$work/m" "$work/m/lib" "$work/m/data"
cat >"$work/m/part.xml" <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <store id="Z" p="b" n="0" q="1"/><port id="s" node="b"/>
</netlist>
XML
cat >"$work/m/lib/store.xml" <<'XML'
<component xmlns="urn:boxtimes:component:1" name="store" domain="electrical">
  <table name="f" file="store.csv" column="y"/>
  <coordinate name="q" unit="C" flow="i"/>
  <port name="p" kind="electrical" flow="i"/>
  <port name="n" kind="electrical" flow="-i"/>
  <lagrangian>-q^2*f(1)/2</lagrangian>
</component>
XML
printf 'x,y [1/F]\n0,1\n2,1\n' >"$work/m/lib/store.csv"
printf 'x,y [H]\n0,1\n2,1\n' >"$work/m/data/own.csv"
cat >"$work/m/top.xml" <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <table name="g" file="data/own.csv" column="y"/>
  <subsystem id="A" href="part.xml"/>
  <subsystem id="B"><inductor id="L" p="a" n="0" L="=g(1)"/><port id="s" node="a"/></subsystem>
  <interconnection><connect a="A.s" b="B.s"/></interconnection>
  <simulation step="0.1 s" end="1 s"/>
  <record>A.Z.q</record>
</netlist>
XML
cp -r "$work/m" "$work/kept"
lib="-L $work/m/lib"
untouched() {
	diff -r "$work/m" "$work/kept" >"$work/changes" && ok || {
		fail "$1: files changed"
		cat "$work/changes"
	}
}

# ---- Nothing is written over what is read ----

run 0 run "$work/m/top.xml" $lib -o "$work/first.csv"
rows "$work/first.csv"
for input in top.xml part.xml data/own.csv lib/store.xml lib/store.csv; do
	ln -s "m/$input" "$work/link.csv"
	ln "$work/m/$input" "$work/hard.csv"
	for name in "m/$input" "m/./data/../$input" link.csv hard.csv; do
		run 2 run "$work/m/top.xml" $lib -o "$work/$name"
		says "is refused: it would overwrite '"
		run 2 compare "$work/m/top.xml" "$work/m/top.xml" $lib -o "$work/$name"
		says "is refused"
		run 2 flatten "$work/m/top.xml" $lib -o "$work/$name"
		says "is refused"
	done
	"$tool" run "$work/m/top.xml" $lib --quiet >>"$work/m/$input" 2>"$work/err"
	test $? -eq 2 && ok || fail "rows are appended to $input"
	rm "$work/link.csv" "$work/hard.csv"
	untouched "$input"
done
"$tool" run - -L "$work/m/lib" -o "$work/m/whole.xml" <"$good/rlc-series.xml" 2>"$work/err" && ok ||
	fail "run -"
cp "$good/rlc-series.xml" "$work/m/whole.xml"
cp "$good/rlc-series.xml" "$work/kept/whole.xml"
"$tool" run - -o "$work/m/whole.xml" <"$work/m/whole.xml" 2>"$work/err"
test $? -eq 2 && ok || fail "run - writes over standard input"
says "standard input"
run 2 tear "$work/m/whole.xml" --parts 2 -o "$work/m/whole.xml"
says "is refused"
run 0 tear "$work/m/whole.xml" --parts 2 -o "$work/torn.xml" --quiet
cp "$work/torn.xml" "$work/torn-kept.xml"
run 2 tear "$work/m/whole.xml" --like "$work/torn.xml" -o "$work/torn.xml"
says "is refused"
cmp -s "$work/torn.xml" "$work/torn-kept.xml" && ok || fail "--like is overwritten"
run 2 run "$work/m/whole.xml" -o "$work/m/whole.xml"
ln -s first.csv "$work/first.svg"
run 2 plot "$work/first.csv" -o "$work/first.svg"
says "is refused"
rm "$work/first.svg"
run 2 compare "$work/m/whole.xml" "$work/m/whole.xml" -o "$work/p.svg" --plot "$work/./p.svg"
says "both want"
untouched "other commands"
# what only looks like an input is none: an older result, a name in a folder of that name
run 0 run "$work/m/top.xml" $lib -o "$work/first.csv" --quiet
mkdir "$work/other"
run 0 run "$work/m/top.xml" $lib -o "$work/other/top.xml" --quiet
rows "$work/other/top.xml"

# ---- Whole, or not there ----

cp "$work/first.csv" "$work/before.csv"
run 3 run "$work/m/top.xml" $lib --record "nothing.x" -o "$work/first.csv"
cmp -s "$work/first.csv" "$work/before.csv" && ok || fail "a run that fails destroys old rows"
chmod 640 "$work/first.csv"
ln -s first.csv "$work/link.csv"
run 0 run "$work/m/top.xml" $lib -o "$work/link.csv" --end 2 --quiet
test -L "$work/link.csv" && ok || fail "a link becomes a file"
test "$(ls -l "$work/first.csv" | cut -c 1-10)" = -rw-r----- && ok || fail "the file's rights are lost"
test "$(wc -l <"$work/first.csv")" -eq 22 && ok || fail "the file that the link names has no rows"
test -z "$(find "$work" -name '*boxtimes-part')" && ok || fail "something stays beside results"

# two runs on one file: the second is told, and the first is not disturbed
"$tool" run "$work/m/top.xml" $lib --step 1e-4 --end 1e6 --quiet -o "$work/first.csv" 2>"$work/err1" &
one=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	test -s "$work/first.csv.boxtimes-part" && break
	sleep 0.2
done
run 4 run "$work/m/top.xml" $lib --quiet -o "$work/link.csv"
says "another run is writing it now"
run 4 flatten "$work/m/top.xml" $lib --quiet -o "$work/first.csv"
says "another run is writing it now"
test "$(wc -l <"$work/first.csv")" -eq 22 && ok || fail "the file is there before the run has ended"
kill -INT $one
wait $one
rows "$work/first.csv"
test "$(wc -l <"$work/first.csv")" -gt 22 && ok || fail "the rows of the first run are lost"
run 0 run "$work/m/top.xml" $lib --quiet -o "$work/link.csv"
# one that was killed leaves no lock
"$tool" run "$work/m/top.xml" $lib --step 1e-4 --end 1e6 --quiet -o "$work/first.csv" 2>"$work/err1" &
one=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	test -s "$work/first.csv.boxtimes-part" && break
	sleep 0.2
done
kill -KILL $one
wait $one 2>/dev/null
test "$(wc -l <"$work/first.csv")" -eq 12 && ok || fail "a run that is killed changes the file"
run 0 run "$work/m/top.xml" $lib --quiet -o "$work/first.csv"
test -e "$work/first.csv.boxtimes-part" && fail "what a killed run left stays" || ok

# ---- Names ----

# plain TEXT: neither stream of the last run has bytes that a terminal obeys, and one shows the text
plain() {
	cat "$work/out" "$work/err" >"$work/both"
	if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$work/both" ||
		LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$work/both" ||
		LC_ALL=C grep -q "$(printf '\342\200[\252-\256]')" "$work/both" ||
		! iconv -f UTF-8 -t UTF-8 "$work/both" >/dev/null 2>&1; then
		fail "$1: raw on a terminal"
	else ok; fi
	grep -qF -- "$1" "$work/both" && ok || fail "'$1' is not shown"
}
esc=$(printf '\033[31m') c1=$(printf '\302\23331m') bidi=$(printf '\342\200\256') bad=$(printf '\377')
for word in "$esc" "$c1" "$bidi" "$bad"; do
	case $word in
	"$esc") shown='\x1B[31m' ;;
	"$c1") shown='\u009B31m' ;;
	"$bidi") shown='\u202E' ;;
	"$bad") shown='\xFF' ;;
	esac
	run 3 run "$work/$word.xml"
	plain "$shown"
	cp "$good/rlc-series.xml" "$work/$word.xml"
	run 0 check "$work/$word.xml"
	plain "$shown"
	run 0 compare "$work/$word.xml" "$work/$word.xml"
	plain "$shown"
	run 0 info "$work/$word.xml"
	run 0 verify "$work/$word.xml" --against "$work/$word.xml"
	run 3 run "$work/$word.xml" --record "$word.q"
	plain "$shown"
	run 3 run "$work/$word.xml" --scheme "$word"
	plain "$shown"
	run 3 run "$work/$word.xml" --set "R1.R=$word"
	run 3 describe "$word"
	plain "$shown"
	run 3 list "$word"
	plain "$shown"
	run 2 run "$work/$word.xml" "--$word"
	plain "$shown"
	run 2 "$word"
	plain "$shown"
	run 2 run "$work/$word.xml" --step "$word"
	plain "$shown"
	run 4 run "$work/$word.xml" -o "$work/no/$word"
	plain "$shown"
	printf 'time,%s\n0,1\n1,2\n' "$word" >"$work/table.csv"
	run 3 plot "$work/table.csv" --columns "none$word"
	plain "$shown"
	rm "$work/$word.xml"
done
cat >"$work/names.xml" <<XML
<netlist xmlns="urn:boxtimes:netlist:1" name="$c1">
  <resistor id="R$bidi" p="a" n="0" R="1 V$c1"/><capacitor id="C" p="a" n="0" C="1&#10;fake.xml:1: error: x"/>
</netlist>
XML
run 3 check "$work/names.xml"
plain '\u202E'
grep -q '^fake.xml' "$work/err" && fail "a value makes a finding of its own" || ok

# a machine without the database of units: the error names it
UDUNITS2_XML_PATH="$work/no-such.xml"
export UDUNITS2_XML_PATH
run 4 run "$BXT_SOURCE/netlists/rlc-series.xml"
unset UDUNITS2_XML_PATH
says 'the unit database of UDUNITS-2 cannot be loaded'
hides ','

finish
