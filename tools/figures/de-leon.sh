# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# de Leon, Lainz and Lopez-Gordon: discrete Hamilton-Jacobi theory for systems with external forces.
section 'de León, Lainz and López-Gordón: external forces'

damped_pendulum() {
	run pendulum pendulum-dl.xml
	run pendulum-exact pendulum-dl.xml --scheme gauss3 --step 0.02
	draw de-leon-1
	# shellcheck disable=SC2016
	at='near(10) { printf "%.12f", v("a.q") }'
	say "L = v²/2 + cos q with Rayleigh's function r v²/2, r = 0.2, from q = 2 at rest, h = 0.2. q(10) =" \
		"$(measure "$at" pendulum) with the midpoint rule, $(measure "$at" pendulum-exact) by gauss3 with a tenth of the step."
}
figure de-leon-1 'de León et al., Fig. 1' 'A pendulum with linear damping' damped_pendulum

exact_oscillator() {
	set -- 'h|steps|largest error of q|of p|gauss1, q'
	for h in 0.05 0.7 1.1 2 3.5; do
		run "exact-$h" exact-damped-oscillator.xml --step "$h" --end 38.5 --record 'O.q, O.p'
		run "gauss1-$h" exact-damped-oscillator.xml --scheme gauss1 --step "$h" --end 38.5 --record 'O.q, O.p'
		# shellcheck disable=SC2016
		off='{ g = 0.4 / 2.6; w = sqrt(2.1 / 1.3 - g * g); b = (0.4 + g * 0.7) / w
			x = exp(-g * t) * (0.7 * cos(w * t) + b * sin(w * t))
			y = 1.3 * exp(-g * t) * ((w * b - g * 0.7) * cos(w * t) - (w * 0.7 + g * b) * sin(w * t))
			q = max(q, abs(v("O.q") - x)); p = max(p, abs(v("O.p") - y)) } END { printf "%d|%.1e|%.1e", NR - 2, q, p }'
		set -- "$@" "$h|$(measure "$off" "exact-$h")|$(measure "$off" "gauss1-$h" | cut -d '|' -f 2)"
	done
	table "$@"
	draw de-leon-example-1
	say "Discrete Lagrangian and forces are written in the component, as the exact ones of the damped oscillator (m = 1.3, k = 2.1," \
		"r = 0.4): dirac+ then steps the true motion whatever the step, up to more than half a period. The last column is the" \
		"midpoint method with the same steps. (81) as printed is the overdamped form, csch in (84) is csc."
}
figure de-leon-example-1 'de León et al., Example 1' 'Exact discrete Lagrangian and forces' exact_oscillator

trough() {
	run trough-midpoint quartic-dl.xml --scheme dirac+ --rule midpoint --record energy
	run trough-rk4 quartic-dl.xml --scheme rk4 --record energy
	run trough-exact quartic-dl.xml --scheme gauss3 --step 0.02 --every 10 --record energy
	draw de-leon-2
	# shellcheck disable=SC2016
	at='near(50) || near(100) || near(200) || near(400) { printf "|%.10f", v("energy") }'
	table '|t = 50|100|200|400' "exact (gauss3, h = 0.02)$(measure "$at" trough-exact)" \
		"midpoint, h = 0.2$(measure "$at" trough-midpoint)" "RK4, h = 0.2$(measure "$at" trough-rk4)"
	# shellcheck disable=SC2016
	off='{ e = abs(v("energy") - v("2 energy")); if (t <= 100) early = max(early, e); if (t >= 300) late = max(late, e) }
		END { printf "%.4f %.4f", early, late }'
	# shellcheck disable=SC2046
	set -- $(measure "$off" trough-midpoint trough-exact) $(measure "$off" trough-rk4 trough-exact)
	say "A particle over a circular trough, damped by k = 10⁻³. The energy of the midpoint rule, of order 2, swings but comes" \
		"back: it is off by at most $1 until t = 100 and by $2 after t = 300. The classical Runge-Kutta method, of order 4," \
		"loses energy of its own: $3 and $4."
}
figure de-leon-2 'de León et al., Fig. 2' 'Energy of a damped particle' trough

example_4() {
	run example4-midpoint dl-example-4.xml
	run example4-rk4 dl-example-4.xml --scheme rk4
	run example4-euler dl-example-4.xml --scheme euler
	run example4-exact dl-example-4.xml --scheme gauss3 --step 0.02
	draw de-leon-3
	# shellcheck disable=SC2016
	first='near(0.2) { printf "q₁ = %.15f, p₁ = %.15f", $2, $3 } near(10) { printf ", q₅₀ = %.15f", $2 }'
	# shellcheck disable=SC2016
	off='{ g = 0.05; w = sqrt(1 - g * g); worst = max(worst, abs($2 - exp(-g * t) * (cos(w * t) + g / w * sin(w * t)))) }
		END { printf "%.2e", worst }'
	say "m = k = 1, r = 0.1, h = 0.2, from q = 1 at rest. The midpoint rule: $(measure "$first" example4-midpoint)." \
		"Largest errors of q until t = 20: midpoint $(measure "$off" example4-midpoint), Euler $(measure "$off" example4-euler)," \
		"RK4 $(measure "$off" example4-rk4)."
}
figure de-leon-3 'de León et al., Fig. 3 and Example 4' 'Harmonic oscillator with linear damping' example_4
