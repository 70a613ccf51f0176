# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the tests of the command line share; sourced by them. Each ends with `finish`.
tool=${BXT_TOOL:?}
good=${BXT_NETLISTS:?}
source=${BXT_SOURCE:?}
work=$(mktemp -d) || exit 1 # in $TMPDIR
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

ok() { passed=$((passed + 1)); }
fail() {
	failed=$((failed + 1))
	echo "FAILED: $*"
}
# skip PART REASON: what this machine cannot be asked. The script then ends as "skipped" for make
# check, so that the gap is seen in its list; what was tested still counts.
skip() {
	skipped=$((skipped + 1))
	echo "skipped: $1 ($2)"
}
finish() {
	echo "$passed passed, $failed failed"
	test "$failed" -eq 0 || exit 1
	test "$skipped" -eq 0 || exit 77
	exit 0
}

# run STATUS ARGUMENT...: output in $work/out and $work/err
run() {
	wanted=$1
	shift
	"$tool" "$@" >"$work/out" 2>"$work/err"
	status=$?
	if test "$status" -eq "$wanted"; then ok; else
		fail "boxtimes $*: status $status, expected $wanted"
		sed 's/^/    /' "$work/err"
	fi
}

# says TEXT, shows TEXT, hides TEXT: what the last run wrote on standard error, standard output
says() {
	if grep -qF -- "$1" "$work/err"; then ok; else
		fail "expected on standard error: $1"
		sed 's/^/    /' "$work/err"
	fi
}
shows() { if grep -qF -- "$1" "$work/out"; then ok; else fail "expected on standard output: $1"; fi; }
hides() { if grep -qF -- "$1" "$work/out"; then fail "not expected on standard output: $1"; else ok; fi; }

silent_out() { if test -s "$work/out"; then fail "$1: something on standard output"; else ok; fi; }
silent_err() { if test -s "$work/err"; then fail "$1: something on standard error"; else ok; fi; }

# rows FILE: every line is whole: as many fields as the header, and ended
rows() {
	if awk -F, 'NR == 1 { n = NF } NF != n || n < 2 { bad = 1 } END { exit bad || NR < 2 }' "$1" &&
		test -z "$(tail -c 1 "$1")"; then
		ok
	else
		fail "$1: rows that are not whole"
	fi
}
