# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Parks' thesis, chapter 2: forced discrete mechanics, the equivalence of forces and potentials, forced Dirac integrators.
section "Parks' thesis, chapter 2: forces"

# The oscillator with more and more of its potential as a force: a file for each part and pair of rules.
equivalence() {
	for tenths in 0 1 2 3 4 5 6 7 8 9 10; do
		alpha=$(echo "$tenths" | awk '{ print $1 / 10 }')
		run "same-$tenths" equivalence-parks.xml --scheme dirac+ --rule taylor2-trapezoid --force-rule taylor2-trapezoid \
			--set "alpha=$alpha" --record a.q
		run "other-$tenths" equivalence-parks.xml --scheme dirac+ --rule taylor2-trapezoid --force-rule taylor2-midpoint \
			--set "alpha=$alpha" --record a.q
	done
	run midpoint equivalence-parks.xml --scheme dirac+ --rule taylor2-midpoint --record a.q
	run midpoint-other equivalence-parks.xml --scheme dirac+ --rule taylor2-midpoint --force-rule taylor2-trapezoid \
		--set alpha=1 --record a.q
	draw parks-2-1
	# of the others from the first
	# shellcheck disable=SC2016
	off='{ for (k = 2; (k " a.q") in column; k++) worst = max(worst, abs(v("a.q") - v(k " a.q"))) } END { printf "%.3g", worst }'
	same=$(measure "$off" same-0 same-1 same-2 same-3 same-4 same-5 same-6 same-7 same-8 same-9 same-10)
	tenth=$(measure "$off" other-0 other-1)
	half=$(measure "$off" other-0 other-5)
	whole=$(measure "$off" other-0 other-10)
	# shellcheck disable=SC2016
	at='near(10) { printf "%.12f", v("a.q") }'
	say "L = v²/2 − (1 − α) q²/2 with the force −α q is one system for every α. With one rule for L and f (left) the eleven" \
		"runs stay together: largest deviation $same. With the trapezoid for L and the midpoint for f (right) they fan out:" \
		"$tenth for α = 0.1, $half for 0.5, $whole for 1, in proportion to α." \
		"q(10) = $(measure "$at" same-0) with one rule, $(measure "$at" other-10) with two and α = 1." \
		"The same the other way round, with the midpoint for L: $(measure "$at" midpoint) with one rule," \
		"$(measure "$at" midpoint-other) with two."
}
figure parks-2-1 'Parks, Fig. 2.1' 'Forces that stand for a potential' equivalence

quintic() {
	run quintic-4 quintic-parks.xml --scheme dirac+ --rule taylor4-simpson --record a.q
	run quintic-2 quintic-parks.xml --scheme dirac+ --rule taylor2-trapezoid --record a.q
	run quintic-mixed quintic-parks.xml --scheme dirac+ --rule taylor2-trapezoid --force-rule taylor2-midpoint --record a.q
	draw parks-2-2
	# shellcheck disable=SC2016
	off='{ worst = max(worst, abs(v("a.q") - cos(t))) } END { printf "%.3g", worst }'
	say "The potential 100 q⁵ is cancelled by the force 500 q⁴; what is left is the oscillator, q = cos t. Largest errors:" \
		"$(measure "$off" quintic-4) with one rule of order 4, $(measure "$off" quintic-2) with one rule of order 2," \
		"$(measure "$off" quintic-mixed) with the trapezoid for L and the midpoint for f, of the same order 2."
}
figure parks-2-2 'Parks, Fig. 2.2' 'A potential and the force that cancels it' quintic

taylor_errors() {
	set -- 'steps in a period|trapezoid, Taylor 2|ratio|Simpson, Taylor 4|ratio'
	before2= before4=
	for steps in 20 40 80 160; do
		for rule in taylor2-trapezoid taylor4-simpson; do
			run "damped-$rule-$steps" damped-oscillator-parks.xml --scheme dirac+ --rule "$rule" --step "=2*pi/$steps" \
				--end '=10*pi' --record a.q --every "$steps"
		done
		# shellcheck disable=SC2016
		error='{ q = v("a.q") } END { g = 0.005; w = sqrt(1 - g * g)
			printf "%.6e", abs(q - exp(-g * 10 * pi) * sin(w * 10 * pi) / w) }'
		second=$(measure "$error" "damped-taylor2-trapezoid-$steps") fourth=$(measure "$error" "damped-taylor4-simpson-$steps")
		set -- "$@" "$steps|$second|$(ratio "$before2" "$second")|$fourth|$(ratio "$before4" "$fourth")"
		before2=$second before4=$fourth
	done
	table "$@"
	say "Errors of q after five periods of q″ + 0.01 q′ + q = 0. They fall by 4 and by 16: orders 2 and 4. The row of order 4" \
		"that the thesis prints (6.551e-5, 5.16e-6, ...) does not follow from its formulas."
}
ratio() {
	echo "$1 $2" | awk 'NF == 2 { printf "%.3f", $1 / $2 }'
}
figure parks-table-2-1 'Parks, Table 2.1' 'Damped oscillator, Taylor shooting of orders 2 and 4' taylor_errors

resonator() {
	run resonator rlc-resonator.xml --scheme dirac+ --rule midpoint --record 'C1.q, L1.p, L1.pc'
	run resonator-half rlc-resonator.xml --scheme dirac+ --rule midpoint --step 0.025 --record C1.q
	draw parks-2-3
	# shellcheck disable=SC2016
	exact='{ a = 0.1 / 1.5; w0 = 1 / 2.25; w = sqrt(w0 - a * a); q = exp(-a * t) * (cos(w * t) + a / w * sin(w * t))
		p = -0.75 * w0 / w * exp(-a * t) * sin(w * t) }'
	# shellcheck disable=SC2016
	off="$exact"' { worst = max(worst, abs(v("C1.q") - q)) } END { printf "%.5e", worst }'
	# the sign of L1.p is that of its branch; the first and the last centred momentum are half known
	# shellcheck disable=SC2016
	momenta="$exact"'{ raw = max(raw, abs(abs(v("L1.p")) - abs(p))); worst = max(worst, was)
		was = NR == 2 ? 0 : abs(abs(v("L1.pc")) - abs(p)) } END { printf "%.2g %.2g", raw, worst }'
	# shellcheck disable=SC2046
	set -- $(measure "$off" resonator) $(measure "$off" resonator-half) $(measure "$momenta" resonator)
	say "The points are the charge with the midpoint rule of dirac+, the line is the exact damped cosine. Largest error $1, with" \
		"half the step $2: order $(echo "$1 $2" | awk '{ printf "%.3f", log($1 / $2) / log(2) }'). The momentum L i of the" \
		"raw (+) equations is the one before the step's impulse, off by $3; centred it is off by $4." \
		"q(10) = $(measure 'near(10) { printf "%.12f", v("C1.q") }' resonator)," \
		"q(50) = $(measure 'near(50) { printf "%.12f", v("C1.q") }' resonator)."
}
figure parks-2-3 'Parks, Fig. 2.3' 'Charge of the capacitor in an RLC resonator' resonator
