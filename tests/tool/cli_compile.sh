#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# boxtimes run --compile: the same bits as without, rows and account; compiled once; what fails is
# told, and nothing is written.
. "${BXT_SOURCE:?}/tests/tool/cli_common.sh"
cd "$work" || exit 1
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
unset BOXTIMES_CC

# account NAME: what the last run told, without seconds
account() { sed '/"seconds"/d' out >"$1"; }

# same NETLIST OPTION...: with and without
same() {
	netlist=$good/$1.xml
	shift
	run 0 run "$netlist" --quiet --json "$@" -o plain.csv
	account plain
	run 0 run "$netlist" --quiet --json "$@" --compile -o compiled.csv
	account compiled
	cmp -s plain.csv compiled.csv && ok || fail "$netlist $*: other rows"
	cmp -s plain compiled && ok || fail "$netlist $*: another account"
}

same rlc-series --end '50 ms'
same dlc
same bjtamp
same bjtamp --scheme radau3 --tolerance 1e-4
same loudspeaker-nonlinear
same pendulum-cartesian --scheme gauss2
same rcl-ladder --scheme dirac+
same boost-converter --end '2 ms'
same heavy-top --end 0.1
same oscillator-nl
same torn-linkage --end 0.05

# a compiler is asked once: later runs, with other numbers, do without it
cat >counting <<END
#!/bin/sh
echo >>"$work/calls"
exec cc "\$@"
END
chmod +x counting
BOXTIMES_CC=$work/counting
export BOXTIMES_CC
: >calls
run 0 run "$good/rlc-series.xml" --quiet --compile --end '1 ms' -o a.csv
run 0 run "$good/rlc-series.xml" --quiet --compile --end '1 ms' --set 'R1.R=2 kohm' -o b.csv
run 0 sweep "$good/rlc-series.xml" --quiet --compile --end '1 ms' --set 'R1.R=1 kohm : 3 kohm : 4' --jobs 2 -o c.csv
test "$(wc -l <calls)" -eq 1 && ok || fail "the compiler was called $(wc -l <calls) times"
cmp -s a.csv b.csv && fail "R1.R is not in the numbers" || ok

# without a compiler: told, and nothing is written
BOXTIMES_CC=$work/none
run 4 run "$good/rlc-series.xml" --compile -o none.csv
says "the C compiler '$work/none' does not start"
says "name it by BOXTIMES_CC"
test -e none.csv && fail "rows without a run" || ok
# no netlist can ask for it
sed 's/<simulation /<simulation compile="1" /' "$good/rlc-series.xml" >asks.xml
run 3 check asks.xml
says compile

finish
