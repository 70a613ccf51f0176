# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Leok and Ohsawa: variational and geometric structures of discrete Dirac mechanics.
section 'Leok and Ohsawa: an LC circuit with a degenerate Lagrangian'

lc_motion() {
	run lc lc-leok-ohsawa.xml --record l.q
	draw leok-ohsawa-3
	# shellcheck disable=SC2016
	off='{ worst = max(worst, abs(v("l.q") - 10 * sin(t))) } END { printf "%.3f", worst }'
	say "Five periods of 40 steps with dirac+ and rule rectangle: the charge is off by at most $(measure "$off" lc) of 10 C."
}
figure leok-ohsawa-3 'Leok and Ohsawa, Fig. 3' 'Exact and discrete solution of the LC circuit' lc_motion

lc_errors() {
	head='steps a period' row='rectangle: error of q<sub>l</sub> at t = 10π' middle='midpoint'
	for n in 20 40 80 160; do
		for rule in rectangle midpoint; do
			run "lc-$n-$rule" lc-leok-ohsawa.xml --rule "$rule" --step "=2*pi/$n" --record l.q
		done
		# shellcheck disable=SC2016
		last='{ q = abs(v("l.q")) } END { printf "%.12g", q }'
		head="$head|$n"
		row="$row|$(measure "$last" "lc-$n-rectangle")" middle="$middle|$(measure "$last" "lc-$n-midpoint")"
	done
	table "$head" "$row" "$middle"
	say "The paper has 1.31915, 0.324829, 0.0808631 and 0.0201938. The rectangle rule is the symplectic Euler method, of order 1;" \
		"here it is of order 2, as the inductor's charge is in no potential. The rule midpoint is of order 2 with twice the error."
}
figure leok-ohsawa-table-1 'Leok and Ohsawa, Table 1' 'Error after five periods by steps a period' lc_errors
