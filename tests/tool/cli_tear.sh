#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tear and flatten at the command line. tests/bad/tear/NAME.expect says for NAME.xml: the command
# with its options, the exit status, and what is on standard error, line by line; nothing is on
# standard output and no file is made.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

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

# ---- Files that components name go with them ----

mkdir -p "$work/m/sub" "$work/elsewhere" "$work/lib"
# part FILE: a subsystem with a chain of two masses, whose matrix and plug-in lie beside it
part() {
	cat >"$1" <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <component xmlns="urn:boxtimes:component:1" name="store" domain="electrical">
    <table name="scale" file="scale.csv" column="y"/>
    <port name="p" kind="electrical"/> <port name="n" kind="electrical"/>
    <output name="x" unit="1">scale(q)</output>
    <port-hamiltonian>
      <state name="q" unit="C" rate="i" effort="e"/>
      <energy file="q.mtx"/>
      <input port="p" return="n" takes="flow">1</input>
    </port-hamiltonian>
  </component>
  <component xmlns="urn:boxtimes:component:1" name="law" domain="control">
    <parameter name="T" unit="s" default="0.2 s"/>
    <state name="u" unit="1"/> <sample period="T"/>
    <plugin file="./law.so" writes="u"/>
  </component>
  <table name="load" file="load.csv" column="y"/>
  <store id="S" p="a" n="0" q="1 C"/>
  <current-source id="J" p="a" n="0" I="=load(t)"/>
  <law id="K"/>
  <law id="K2" plugin="other.so"/>
  <port id="s" node="a"/>
</netlist>
XML
}
part "$work/m/sub/part.xml"
part "$work/lib/shelf.xml"
for file in m/sub/law m/sub/other lib/law lib/other; do
	cp "${BXT_PLUGINS:?}/misbehaves.so" "$work/$file.so"
done
printf '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 4\n' |
	tee "$work/m/sub/q.mtx" >"$work/lib/q.mtx"
for file in m/sub/scale m/sub/load lib/scale lib/load; do
	printf 'x, y\n0, 0\n1, 2\n' >"$work/$file.csv"
done
for file in m/top:sub/part.xml m/away:shelf.xml; do
	cat >"$work/${file%%:*}.xml" <<XML
<netlist xmlns="urn:boxtimes:netlist:1">
  <subsystem id="x" href="${file#*:}"/>
  <subsystem id="y"><resistor id="R" p="a" n="0" R="1 ohm"/> <port id="s" node="a"/></subsystem>
  <interconnection><connect id="c" a="x.s" b="y.s"/></interconnection>
  <simulation step="0.1 s" end="1 s"/>
</netlist>
XML
done
# moved WHERE FOLDER: the flat file there names matrix and plug-ins as in FOLDER
moved() {
	run 0 flatten "$work/m/top.xml" --quiet -o "$work/$1"
	cp "$work/$1" "$work/out"
	shows "<energy file=\"$2q.mtx\"/>"
	shows "<plugin file=\"$3law.so\""
	shows "plugin=\"$2other.so\""
	shows "<table name=\"scale\" file=\"$2scale.csv\""
	shows "<table name=\"load\" file=\"$2load.csv\""
	run 0 check "$work/$1" --allow-plugins # the matrix is found
}
moved m/flat.xml sub/ sub/
moved up.xml m/sub/ m/sub/
moved m/sub/flat.xml "" ""
(cd "$work/m/sub" && "$tool" flatten ../top.xml --quiet -o here.xml) && ok || fail "flatten from below"
cmp -s "$work/m/sub/flat.xml" "$work/m/sub/here.xml" && ok || fail "a relative path makes a difference"
# standard output and pipes have no folder: as if written beside the netlist
"$tool" flatten "$work/m/top.xml" --quiet >"$work/out"
shows '<energy file="sub/q.mtx"/>'
mkfifo "$work/elsewhere/pipe"
cat "$work/elsewhere/pipe" >"$work/piped" &
run 0 flatten "$work/m/top.xml" --quiet -o "$work/elsewhere/pipe"
wait
cp "$work/piped" "$work/out"
shows '<energy file="sub/q.mtx"/>'
# what cannot be named from there is refused, all of it, and nothing is written
run 3 flatten "$work/m/top.xml" -o "$work/elsewhere/flat.xml"
says "error: component 'store': file=\"sub/q.mtx\" lies in the folder '$work/m/'"
says "error: component 'law': file=\"sub/law.so\" lies in"
says "error: law 'K2': plugin=\"sub/other.so\" lies in"
says "error: component 'store': file=\"sub/scale.csv\" lies in"
says "error: table 'load': file=\"sub/load.csv\" lies in"
test -e "$work/elsewhere/flat.xml" && fail "a netlist without its files was written" || ok
run 3 flatten "$work/m/away.xml" -L "$work/lib" -o "$work/m/away-flat.xml"
says "/lib/shelf.xml:2: error: component 'store': file=\"q.mtx\" lies in the folder '$work/lib/'"
says "/lib/shelf.xml:21: error: law 'K2': plugin=\"other.so\""
# torn, as parts and like one that includes; canonical
run 0 tear "$work/m/flat.xml" --elements R --quiet -o "$work/torn.xml"
run 0 check "$work/torn.xml" --allow-plugins
run 0 tear "$work/up.xml" --like "$work/m/top.xml" --quiet -o "$work/up-torn.xml"
cp "$work/up-torn.xml" "$work/out"
shows 'href="m/sub/part.xml"'
run 0 check "$work/up-torn.xml" --allow-plugins
run 3 tear "$work/up.xml" --like "$work/m/top.xml" --quiet -o "$work/elsewhere/torn.xml"
says "subsystem 'x': href=\"m/sub/part.xml\" lies in the folder '$work/'"
run 0 flatten --canonical "$work/m/top.xml" -o "$work/canonical.xml"
run 0 check "$work/canonical.xml" --allow-plugins
run 0 flatten --canonical "$work/m/away.xml" -L "$work/lib" -o "$work/elsewhere/away.xml"
run 0 check "$work/elsewhere/away.xml" --allow-plugins -L "$work/lib"

# what is left out is named
run 0 flatten "$good/spring-chain-torn.xml"
says "record: 'c1.lambda' is left out"
hides 'lambda</record>'
finish
