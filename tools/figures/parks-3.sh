# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Parks' thesis, chapter 3: interconnection by Dirac structures, torn systems against whole ones.
section "Parks' thesis, chapter 3: interconnection"

# sketch NAME: a drawing that is shipped; no run
sketch() {
	cp "$here/$1.svg" "$folder/$id.svg"
	echo "$id.svg" >>"$data/$id.pictures"
}

# structure NETLIST: what the model is made of
structure() {
	note info "$1"
	"$tool" info "$netlists/$1" >"$data/$id.info" 2>&1 || refuse "$(head -n 1 "$data/$id.info")"
	details "boxtimes info netlists/$1" <"$data/$id.info" >>"$data/$id.say"
}

chain_whole() {
	sketch chain-whole
	structure spring-chain.xml
	say 'Three masses in a row, held to the wall and to each other by springs: one primitive system.'
}
figure parks-3-1 'Parks, Fig. 3.1' 'A chain of three springs' chain_whole

chain_torn() {
	sketch chain-torn
	structure spring-chain-torn.xml
	say 'The same chain as two primitive systems: the position q₂ is there twice, and Σ<sub>Q</sub>: v₂ = v̄₂ joins them.'
}
figure parks-3-2 'Parks, Fig. 3.2' 'The chain torn at the middle mass' chain_torn

chain_runs() {
	run chain-whole spring-chain.xml --scheme dirac+ --rule rectangle --end 20 --every 5 \
		--record 'node(m1).*, node(m2).*, node(m3).*, energy'
	run chain-torn spring-chain-torn.xml --scheme dirac+ --rule rectangle --end 20 --every 5 \
		--record 'node(left.m1).*, node(left.m2).*, node(right.m2).*, node(right.m3).*, energy'
}

chain_positions() {
	chain_runs
	draw parks-3-3
	# shellcheck disable=SC2016
	off='{ for (i = 1; i <= 3; i++) worst = max(worst, abs(v("node(m" i ").x") - v("2 node(" (i < 3 ? "left" : "right") \
		".m" i ").x"))) } END { printf "%.2g", worst }'
	say "Lines: the whole system; hollow marks: torn into two. They lie upon each other: largest difference" \
		"$(measure "$off" chain-whole chain-torn) in 2000 steps."
}
figure parks-3-3 'Parks, Fig. 3.3' 'Positions of the masses, whole and torn' chain_positions

chain_energy() {
	chain_runs
	draw parks-3-4
	# shellcheck disable=SC2016
	band='{ e = v("energy"); if (NR == 2) low = high = e; low = e < low ? e : low; high = max(high, e)
		worst = max(worst, abs(e - v("2 energy"))) } END { printf "%.6f %.6f %.2g", low, high, worst }'
	# shellcheck disable=SC2046
	set -- $(measure "$band" chain-whole chain-torn)
	say "Note the scale: the energy of the rectangle rule swings between $1 and $2 J; whole and torn differ by at most $3 J."
}
figure parks-3-4 'Parks, Fig. 3.4' 'Energy of the chain' chain_energy

chain_constraint() {
	chain_runs
	draw parks-3-5
	# shellcheck disable=SC2016
	off='{ worst = max(worst, abs(v("node(left.m2).x") - v("node(right.m2).x"))) } END { printf "%.2g", worst }'
	say "|q₂ − q̄₂| is at most $(measure "$off" chain-torn) m: Σ<sub>Q</sub> holds the velocities together, and the rows of a step" \
		"are solved to round-off."
}
figure parks-3-5 'Parks, Fig. 3.5' 'Deviation from q₂ = q̄₂ in the torn chain' chain_constraint

chain_long() {
	run chain-long spring-chain-torn.xml --scheme dirac+ --rule rectangle --end 1000 --every 50 --record energy
	draw parks-3-6
	# shellcheck disable=SC2016
	bands='{ e = v("energy"); if (NR == 2) low = high = e; low = e < low ? e : low; high = max(high, e) }
		t <= 500.001 { l = low; h = high } END { printf "%.6f %.6f %.6f %.6f", l, h, low, high }'
	# shellcheck disable=SC2046
	set -- $(measure "$bands" chain-long)
	say "100,000 steps of the torn chain: the energy swings between $1 and $2 J in the first half, $3 and $4 J in all of it."
}
figure parks-3-6 'Parks, Fig. 3.6' 'Energy of the torn chain over a long time' chain_long

circuit_whole() {
	sketch circuit-whole
	structure rlc-parallel.xml
	say 'Resistor, inductor and capacitor between the same two nodes.'
}
figure parks-3-7 'Parks, Fig. 3.7' 'A parallel RLC circuit' circuit_whole

circuit_torn() {
	sketch circuit-torn
	structure rlc-torn.xml
	say 'The same circuit as two primitive ones with a port each; Σ<sub>Q</sub>: v<sub>S1</sub> = v<sub>S2</sub> joins them.'
}
figure parks-3-8 'Parks, Fig. 3.8' 'The circuit torn at the capacitor' circuit_torn

circuit_runs() {
	run circuit-whole rlc-parallel.xml --scheme dirac+ --rule midpoint --record 'C1.q, energy'
	run circuit-torn rlc-torn.xml --scheme dirac+ --rule midpoint --record 'store.C1.q, energy, loop.R1.i, loop.L1.i, store.C1.i'
}

circuit_charge() {
	circuit_runs
	draw parks-3-9
	# shellcheck disable=SC2016
	off='{ worst = max(worst, abs(v("C1.q") - v("2 store.C1.q"))) } END { printf "%.2g", worst }'
	say "Largest difference of the charges, whole and torn: $(measure "$off" circuit-whole circuit-torn) C." \
		"q(10) = $(measure 'near(10) { printf "%.15f", v("store.C1.q") }' circuit-torn)."
}
figure parks-3-9 'Parks, Fig. 3.9' 'Charge of the capacitor, whole and torn' circuit_charge

circuit_energy() {
	circuit_runs
	draw parks-3-10
	# shellcheck disable=SC2016
	off='{ worst = max(worst, abs(v("energy") - v("2 energy"))) } END { printf "%.2g", worst }'
	say "Largest difference of the energies: $(measure "$off" circuit-whole circuit-torn) J."
}
figure parks-3-10 'Parks, Fig. 3.10' 'Energy of the circuit, whole and torn' circuit_energy

circuit_constraint() {
	circuit_runs
	draw parks-3-11
	# shellcheck disable=SC2016
	off='{ worst = max(worst, abs(v("loop.R1.i") + v("loop.L1.i") + v("store.C1.i"))) } END { printf "%.2g", worst }'
	say "The port of the first circuit carries i<sub>R</sub> + i<sub>L</sub> out, that of the second i<sub>C</sub>:" \
		"|v<sub>S1</sub> − v<sub>S2</sub>| is at most $(measure "$off" circuit-torn) A."
}
figure parks-3-11 'Parks, Fig. 3.11' 'The interconnection constraint' circuit_constraint

# twins WHOLE TORN SIGNALS TITLE: both runs and their differences, by the tool itself
twins() {
	note compare "$1" "netlists/$2" --columns "$3" --plot "$id.svg"
	echo "$2" >>"$data/$id.netlists"
	picture=$folder/$id.svg
	if test "$gnuplot" = yes; then
		echo "$id.svg" >>"$data/$id.pictures"
	else
		picture=
	fi
	"$tool" compare "$netlists/$1" "$netlists/$2" --quiet ${picture:+--plot "$picture" --columns "$3" --title "$4"} \
		>"$data/$id.compared" 2>"$data/$id.messages" ||
		refuse "$(cat "$data/$id.messages"; tail -n 1 "$data/$id.compared")"
	say "As shipped (gauss1), by <code>boxtimes compare</code>: $(tail -n 1 "$data/$id.compared" | escape)."
}

chain_twins() {
	twins spring-chain.xml spring-chain-torn.xml 'node(m1).x, node(m2).x, node(m3).x, energy' \
		'Chain of three springs: whole (A), torn at the middle mass (B)'
}
figure spring-chain 'Parks, section 3.5.1' 'The chain and its torn twin compared' chain_twins

circuit_twins() {
	twins rlc-parallel.xml rlc-torn.xml 'C1.q, L1.i, c1.lambda, energy' \
		'Parallel RLC circuit: whole (A), torn at the capacitor (B)'
}
figure rlc 'Parks, section 3.5.2' 'The circuit and its torn twin compared' circuit_twins
