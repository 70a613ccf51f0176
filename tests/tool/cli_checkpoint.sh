#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs that are killed and go on: no row is lost, none is there twice, all bits are those of a run
# that was not killed. States and files of rows that do not belong to the run are refused, and no
# file is changed.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
mkdir "$work/in" && cd "$work/in" || exit 1
kills=20
test -z "$BXT_FAST" || kills=6

# ---- kill -9 ----

# The bridge rectifier is nonlinear. In the other model the rows of a discrete Dirac scheme have
# impulses, and wait for the next step when a state is saved.
cp "$good/bridge-rectifier.xml" nonlinear.xml
cat >discrete.xml <<'XML'
<netlist xmlns="urn:boxtimes:netlist:1">
  <simulation end="20 s" step="0.01 s" scheme="dirac+" start="half-kick" rule="rectangle"/>
  <mass id="M" a="m" m="1 kg"/>
  <spring id="K" a="wall" b="m" k="1 N/m"/>
  <damper id="D" a="wall" b="m" c="0.1 N.s/m"/>
  <node id="m" kind="translational" x="1 m"/>
  <inductor id="L" p="a" n="0" L="1 H" i="1 A"/>
  <capacitor id="C" p="a" n="0" C="1 F"/>
  <resistor id="R" p="a" n="0" R="10 ohm"/>
  <record>node(m).x, node(m).x.p, node(m).x.pc, node(a).v, L.i, C.q, R.i, energy</record>
</netlist>
XML

seed=$(date +%s)
echo "random moments: $seed"
# pause MOST: sleeps up to so many seconds
pause() {
	seed=$((seed + 1))
	sleep "$(awk -v s=$seed -v most="$1" 'BEGIN { srand(s); print most * rand() }')"
}

# start RUN ARGUMENT...: runs in the background, $!
start() {
	run=$1
	shift
	"$tool" run "$run.xml" --end "$end" --save-every "$every" --checkpoint $run.state "$@" \
		-o $run.csv 2>$run.err &
}

# killed RUN END EVERY: kills the run again and again until the kills of this test are used up
killed() {
	run=$1 end=$2 every=$3 done=0 tries=0
	began=$(date +%s%N)
	run 0 run $run.xml --end "$end" --save-every "$every" --checkpoint whole.state -o whole.csv
	cp "$work/err" whole.err
	took=$(($(date +%s%N) - began))
	while test $done -lt $kills && test $tries -lt 100; do
		rm -f $run.csv $run.state
		tries=$((tries + 1)) this=0 goes_on=
		while test $this -lt 5; do
			start $run $goes_on
			pause "$(awk -v t=$took 'BEGIN { print t / 3e9 }')"
			kill -9 $! 2>/dev/null && done=$((done + 1))
			wait $! 2>/dev/null
			this=$((this + 1))
			if test -s $run.state; then goes_on="--continue $run.state"; fi
		done
		start $run $goes_on
		wait $! && ok || fail "$run does not go on: $(cat $run.err)"
		cmp whole.csv $run.csv && ok || fail "$run: other rows after kills"
		cmp whole.state $run.state && ok || fail "$run: another state after kills"
		grep -v 'rows of' $run.err | diff whole.err - && ok || fail "$run: another summary"
	done
	test $done -ge $kills && ok || fail "$run: $done kills in $tries runs"
	rm -f $run.state.??????
}
killed nonlinear 0.6 10ms
killed discrete 100 2

# ---- Every shipped model ----

# A run that ends early goes on to a later end, from the state in the file, in a new process.
continued() {
	h=$("$tool" run "$1" --end 1e-9 --quiet --json 2>/dev/null | sed -n 's/^ *"step": \([^,]*\),.*/\1/p')
	at() { awk -v h="$h" -v n="$1" 'BEGIN { printf "%.17g", n * h }'; }
	"$tool" run "$1" --end "$(at 36)" --save-every "$(at 12)" --checkpoint all.state -o all.csv --quiet 2>err
	whole=$?
	"$tool" run "$1" --end "$(at 20)" --save-every "$(at 12)" --checkpoint part.state -o part.csv --quiet 2>err
	"$tool" run "$1" --end "$(at 36)" --save-every "$(at 12)" --checkpoint part.state --continue part.state \
		-o part.csv --quiet 2>err
	part=$?
	test $whole -eq $part && cmp all.csv part.csv && ok || {
		fail "$1 does not go on with the same rows: status $part"
		sed 's/^/    /' err
	}
}
for file in "$good"/*.xml; do
	test -z "$BXT_FAST" || case $file in */[m-z]*) continue ;; esac
	if "$tool" check "$file" 2>/dev/null | grep -q 'ok$'; then continued "$file"; fi
done

# ---- A run that has ended, and one that shall end later ----

model=nonlinear.xml
run 0 run $model --save-every 10ms --checkpoint s -o a.csv
cp a.csv kept.csv
run 0 run $model --save-every 10ms --checkpoint s --continue s -o a.csv
says "the run had ended, and no row is new"
cmp a.csv kept.csv && ok || fail "a run that had ended has other rows"
run 0 run $model --save-every 10ms --checkpoint s --continue s -o a.csv --end 80ms
says "200 are new"
run 0 run $model --save-every 10ms --checkpoint whole.state -o kept.csv --end 80ms
cmp a.csv kept.csv && ok || fail "a later end gives other rows"
run 3 run $model --continue s -o a.csv --end 60ms
says "the run ends at 0.06 s, before the state at 0.07 s"
run 0 run $model --continue s -o a.csv --end "1 min" --quiet --json --every 100000
python3 -m json.tool "$work/out" >/dev/null 2>&1 || command -v python3 >/dev/null && ok || fail "no JSON"
cp kept.csv a.csv

# ---- A disk that is full ----

(
	trap '' XFSZ # else the signal of the limit ends it
	ulimit -f 120
	"$tool" run $model --end 300ms --save-every 5ms --checkpoint full.state -o full.csv 2>full.err
)
test $? -eq 4 && grep -q "cannot write 'full.csv'" full.err && ok || fail "a full disk is no failure"
rows full.csv
run 0 run $model --end 300ms --save-every 5ms --checkpoint full.state --continue full.state -o full.csv
run 0 run $model --end 300ms --save-every 5ms --checkpoint whole.state -o whole.csv
cmp full.csv whole.csv && ok || fail "other rows after a full disk"

# ---- What is refused, and changes nothing ----

sed -i 's/end="60 ms"/end="80 ms"/' $model
mkdir folder closed
cp s damaged
printf 'x' | dd of=damaged bs=1 seek=300 conv=notrunc 2>/dev/null
head -c 500 s >cut
: >empty
echo "no state" >text
sed 's/,/;/' a.csv >columns.csv
head -n 300 a.csv >short.csv
awk 'NR == 200 { sub(/,[^,]*$/, "") } { print }' a.csv >fields.csv
sed '1s/.*/time,x/' a.csv >names.csv
sed 's/id="R1"/id="R7"/; s/R1\./R7./g' $model >renamed.xml
cp a.csv old.csv
kept=$work/kept
mkdir "$kept" && cp -r . "$kept"
# refused STATUS TEXT ARGUMENT...: and no file is another one
refused() {
	status=$1 text=$2
	shift 2
	run "$status" run "$@"
	says "$text"
	diff -r . "$kept" >/dev/null && ok || {
		fail "files changed: boxtimes run $*"
		diff -rq . "$kept"
		rm -rf ./* && cp -r "$kept/." .
	}
}
refused 3 "damaged" $model --continue damaged -o a.csv
refused 3 "cut off" $model --continue cut -o a.csv
refused 3 "no saved state" $model --continue text -o a.csv
refused 3 "no saved state" $model --continue empty -o a.csv
refused 3 "cannot be read" $model --continue nowhere -o a.csv
refused 3 "cannot be read" $model --continue folder -o a.csv
refused 3 "of another model" discrete.xml --continue s -o a.csv
refused 3 "with steps of 0.0001 s" $model --continue s -o a.csv --step 1us
refused 3 "of scheme 'radau2'" $model --continue s -o a.csv --scheme radau2
refused 3 "other values of the model's parameters" $model --continue s -o a.csv --set R1.R=2kohm
refused 3 "other signals" $model --continue s -o a.csv --record energy
refused 3 "its columns are not those of this run: 'time [s];" $model --continue s -o columns.csv
refused 3 "'time' instead of 'time [s]'" $model --continue s -o names.csv
refused 3 "instead of 'time'" $model --continue s -o a.csv --plain-header
refused 3 "it has 299 whole rows, and had 701" $model --continue s -o short.csv
refused 3 "it has 198 whole rows" $model --continue s -o fields.csv
refused 3 "No such file" $model --continue s -o nowhere.csv
refused 3 "no multiple of the step" $model --checkpoint new --save-every 0.15ms -o old.csv
refused 3 "--save-every" $model --checkpoint new --save-every "3 V" -o old.csv
refused 3 "--save-every" $model --checkpoint new --save-every soon -o old.csv
refused 2 "need -o FILE" $model --continue s
refused 2 "need -o FILE" $model --continue s -o -
refused 2 "need -o FILE" $model --checkpoint new --save-every 10ms
refused 2 "--save-every needs --checkpoint" $model --save-every 10ms -o old.csv
refused 2 "--checkpoint needs --save-every" $model --checkpoint new -o old.csv
refused 2 "--report shows all rows" $model --continue s -o a.csv --report new.html
refused 2 "--accuracy needs all rows" $model --continue s -o a.csv --accuracy
refused 2 "-o and --checkpoint both want" $model --checkpoint ./new --save-every 10ms -o new
refused 2 "-o and --continue both want" $model --continue s -o ./folder/../s
refused 2 "would overwrite '$model'" $model --checkpoint ./$model --save-every 10ms -o old.csv
refused 2 "is no saved state" $model --checkpoint old.csv --save-every 10ms -o new.csv
if test -c /dev/null; then refused 2 "need a file" $model --continue s -o /dev/null; fi
refused 2 "need a file" $model --continue s -o folder
refused 2 "No such file" $model --checkpoint nowhere/new --save-every 10ms -o old.csv
refused 2 "is no saved state" $model --checkpoint folder --save-every 10ms -o old.csv
if test "$(id -u)" -ne 0; then
	chmod 555 closed "$kept/closed"
	refused 2 "Permission denied" $model --checkpoint closed/new --save-every 10ms -o old.csv
	refused 2 "need a file" $model --checkpoint new --save-every 10ms -o closed/new.csv
	chmod 755 closed "$kept/closed"
fi
# ---- Two runs on one file, and signals ----

# ends NAME: waits for a file of rows that has some
begun() { for i in 1 2 3 4 5 6 7 8 9 10; do test -s "$1" && break || sleep 0.3; done; }
"$tool" run $model --end 100 --save-every 1 --checkpoint long.state -o long.csv 2>long.err &
first=$!
begun long.csv
run 4 run $model -o long.csv
says "another run is writing it now"
run 4 run $model --save-every 1ms --checkpoint other.state -o long.csv
says "another run is writing it now"
# who runs this under nohup ignores the signal, and so does the run
end=HUP
if sh -c 'kill -HUP $$; exit 7'; test $? -eq 7; then end=TERM; fi
kill -$end $first
wait $first
test $? -eq 4 && grep -q "interrupted.*--continue long.state" long.err && ok || fail "SIG$end ends no run well"
rows long.csv
(
	trap '' HUP
	exec "$tool" run $model --end 100 -o nohup.csv 2>nohup.err
) &
first=$!
begun nohup.csv.boxtimes-part
kill -HUP $first
sleep 0.3
kill -TERM $first && ok || fail "a run under nohup ends with its terminal"
wait $first

finish
