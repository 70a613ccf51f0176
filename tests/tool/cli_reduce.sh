#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# reduce at the command line: what it writes and says, its exit statuses, and files that stay.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"

torn="$work/torn.xml"
run 0 tear "$good/spring-damper-chain.xml" --elements u --names drive,chain -o "$torn"

# ---- What it writes ----

run 0 reduce "$torn" --part chain --tolerance 1e-3 -o "$work/small.xml"
says "chain: 50 unknowns become 9 states (pod), 1 port"
says "unknowns of the model: 52, now 22"
says "node(chain.x1).v         differs by 0.000763"
says "warning: record: 'node(chain.x2).x' is left out"
run 0 check "$work/small.xml"
run 0 verify "$work/small.xml"
run 0 run "$work/small.xml" -o "$work/small.csv"
run 0 reduce "$torn" --part chain --modes 9 --method irka --quiet
cp "$work/out" "$work/once"
run 0 reduce "$torn" --part chain --modes 9 --method irka --quiet
cmp -s "$work/out" "$work/once" && ok || fail "not the same each time"
grep -q become "$work/err" && fail "--quiet says what became of it" || ok

run 0 reduce "$good/spring-damper-chain.xml" --as modes --modes 8 --weights -o "$work/modes.xml"
says "of 150 elements are left, their inertia and forces differ by"
grep -q ' weight="' "$work/modes.xml" && ok || fail "no element has a weight"
run 0 verify "$work/modes.xml"
run 3 reduce "$torn" --part chain --modes 2 --weights -o "$work/none.xml"
says "weights are of the elements of a model in modes"

# ---- What it refuses ----

run 3 reduce "$torn" --part drive --modes 2 -o "$work/none.xml"
says "the snapshots (201) have 0 independent ones"
test -e "$work/none.xml" && fail "a file was made" || ok
run 3 reduce "$torn" --part chain
run 3 reduce "$torn" --part chain --modes 2 --method music
run 3 reduce "$torn" --part chain --modes 2 --snapshots "$work/none.csv"
says "none.csv"
run 2 reduce "$torn" --part chain --modes 0
run 2 reduce "$torn" --part chain --modes x
run 2 reduce "$torn" --part chain --tolerance -1
run 2 reduce

cp "$torn" "$work/before"
run 2 reduce "$torn" --part chain --modes 2 -o "$torn"
cmp -s "$torn" "$work/before" && ok || fail "an input was overwritten"
run 0 run "$torn" --record 'node(chain.*).x, node(chain.*).v' -o "$work/run.csv"
run 0 reduce "$torn" --part chain --modes 6 --snapshots "$work/run.csv" -o "$work/small.xml"
cp "$work/run.csv" "$work/before"
run 2 reduce "$torn" --part chain --modes 6 --snapshots "$work/run.csv" -o "$work/run.csv"
cmp -s "$work/run.csv" "$work/before" && ok || fail "an input was overwritten"
finish
