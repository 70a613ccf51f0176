#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What a run tells of itself, in which order, and what it does at a terminal.
. "$(dirname "$0")/cli_common.sh"

# line_of TEXT: the number of the first line of the last standard error that has it
line_of() { grep -nF -- "$1" "$work/err" | head -1 | cut -d: -f1; }
# before TEXT TEXT
before() {
	if test "$(line_of "$1")" -lt "$(line_of "$2")" 2>/dev/null; then ok; else
		fail "'$1' does not come before '$2'"
		sed 's/^/    /' "$work/err"
	fi
}
silent_about() { if grep -qF -- "$1" "$work/err"; then fail "not expected: $1"; else ok; fi; }

# quality first, then the energy; what it took only on request
run 0 run "$good/rlc-torn.xml" -o "$work/a.csv"
says 'trust    no doubts; energy balances to '
before 'trust ' 'energy   '
silent_about 'solver '
silent_about 'unknowns'
run 0 run "$good/rlc-torn.xml" -o "$work/a.csv" --verbose
before 'energy   ' 'solver '
says 'in the factors'
run 0 run "$good/rlc-torn.xml" -o "$work/a.csv" -v --accuracy
says 'the result errs by about '

# a step of a fifth of the period: doubtful, and why
cat >"$work/coarse.xml" <<'END'
<netlist xmlns="urn:boxtimes:netlist:1"><simulation step="1 s" end="60 s"/>
<mass id="M" a="a" m="1 kg"/><spring id="K" a="wall" b="a" k="1 N/m"/>
<node id="a" kind="translational" x="1 m"/><record>node(a).x</record></netlist>
END
run 0 run "$work/coarse.xml" -o "$work/a.csv"
says 'trust    doubtful: the finding above says why'
before 'the step is coarse for node(a).x' 'trust '
run 4 run "$work/coarse.xml" -o "$work/a.csv" --strict

# with a tolerance the error by a tenth of it, and by half the largest step, against cos(t)
for bound in "--tolerance 1e-3" "--tolerance 1e-6" "--tolerance 1e-2 --max-step 0.2 --min-step 0.15"; do
	run 0 run "$work/coarse.xml" --scheme radau3 $bound --quiet --accuracy --json -o "$work/a.csv"
	estimate=$(tr -d ' \n' <"$work/out" | sed 's/.*"accuracy":[^}]*"error":\([-+0-9.e]*\).*/\1/')
	awk -F, -v estimate="$estimate" 'NR > 1 { d = $2 - cos($1); d = d < 0 ? -d : d; most = d > most ? d : most }
		END { print "error", most, "estimated", estimate; exit !(estimate > most / 2 && estimate < 2 * most) }' \
		"$work/a.csv" && ok || fail "$bound: the error is estimated as $estimate"
done

# what was told before the first step counts; and a run that failed is not trusted
run 4 run "$good/vc-loop.xml" --projection off -o "$work/a.csv" --strict
says 'trust    doubtful'
run 4 run "$good/rlc-torn.xml" --scheme dirac- --rule rectangle -o "$work/a.csv"
silent_about 'no doubts'

# at a terminal: a picture instead of numbers, and where these are; in a pipe numbers
# script needs a pseudo-terminal, which some containers and builders do not have
lacking=
if ! command -v script >/dev/null; then
	lacking="script is not installed"
elif ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	lacking="no pseudo-terminal can be had: is /dev/pts mounted?"
elif ! command -v gnuplot >/dev/null; then
	lacking="gnuplot is not installed"
fi
if test -z "$lacking"; then
	script -qec "'$tool' run '$good/rlc-torn.xml'" /dev/null </dev/null >"$work/out" 2>&1
	shows 'store.C1.q ***'
	shows '-o FILE.csv writes the 401 rows'
	hides 'time,'
	hides 'time [s],'
	script -qec "'$tool' run '$good/rlc-torn.xml' --quiet" /dev/null </dev/null >"$work/out" 2>&1
	shows 'store.C1.q ***'
	hides '-o FILE'
	script -qec "'$tool' run '$good/rlc-torn.xml' -o -" /dev/null </dev/null >"$work/out" 2>&1
	shows 'time'
	hides '***'
else
	skip "what a run shows at a terminal" "$lacking"
fi
run 0 run "$good/rlc-torn.xml"
shows 'time'
hides '***'
finish
