# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Parks, chapter 4: the dipoles of netlists/dipoles.xml, reduced. The thesis gives neither the number of modes nor the
# snapshots; here they are 40, and one every 0.1.
section 'Parks, chapter 4: dipoles, reduced'

modes() {
	test -n "$make_modes" || refuse 'the program tests/bench/make_modes was not given'
	test -s "$data/reduced.csv" || "$make_modes" 40 "$data" 2>"$data/$id.messages" ||
		refuse "$(head -n 1 "$data/$id.messages")"
}

# largest COLUMN FROM TO: the largest value of reduced.csv between these times
largest() {
	awk -F , -v column="$1" -v from="$2" -v to="$3" 'NR > 1 && $1 >= from && $1 <= to && $column > most { most = $column }
		END { printf "%.1e", most }' "$data/reduced.csv"
}

spectrum_of() { # COLUMN SCRIPT WHAT
	modes
	draw "$2"
	value() { awk -F , -v column="$1" -v mode="$2" '$1 == mode { printf "%.2e", $column }' "$data/modes.csv"; }
	say "Singular values of 201 snapshots of $3: $(value "$1" 1), $(value "$1" 2), then $(value "$1" 40) for the 40th and" \
		"$(value "$1" 80) for the 80th."
}

reduced_to() { # COLUMN SCRIPT WHAT
	modes
	draw "$2"
	say "40 modes of $3. Until t = 10 positions are off by at most $(largest "$1" 0 10), until t = 20 by" \
		"$(largest "$1" 0 20); the energy by $(largest "$(($1 + 1))" 0 10) and $(largest "$(($1 + 1))" 0 20)."
}

embedded() { reduced_to 2 parks-4-1 'the full state with Q as a matrix, x′ = Uᵀ F(U x)'; }
embedded_values() { spectrum_of 2 parks-4-2 'the full state in R<sup>18N</sup>'; }
position_values() { spectrum_of 3 parks-4-3 'positions and rotation vectors, Q = exp v'; }
positions() { reduced_to 4 parks-4-4 'positions and rotation vectors, x″ = Uᵀ F(U x, U x′), (4.87)'; }
exponential() { reduced_to 6 parks-4-5 'the full state with Q = exp v, x′ = Uᵀ G(U x), (4.108)'; }

figure parks-4-1 'Parks, Fig. 4.1' 'Reduced by snapshots of the full state, in matrices' embedded
figure parks-4-2 'Parks, Fig. 4.2' 'Singular values of the full state, in matrices' embedded_values
figure parks-4-3 'Parks, Fig. 4.3' 'Singular values of the positions, in exponential coordinates' position_values
figure parks-4-4 'Parks, Fig. 4.4' 'Reduced by snapshots of the positions, in exponential coordinates' positions
figure parks-4-5 'Parks, Fig. 4.5' 'Reduced by snapshots of the full state, in exponential coordinates' exponential
