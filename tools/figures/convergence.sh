# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# The table of orders (make convergence).
section 'Orders of all schemes and rules'

orders() {
	test -n "$convergence" || refuse 'the program tests/make_convergence was not given'
	"$convergence" --html >>"$data/$id.say" 2>"$data/$id.messages" || refuse "$(head -n 1 "$data/$id.messages")"
	say "Every scheme that keeps the structure and every rule, on models with motions in closed form: relative errors of q at the" \
		"smallest of three steps (of Kepler at half of it), and the orders of q and p from its halving. The text of this table:" \
		"<code>make convergence</code>."
}
figure orders Convergence 'Measured orders' orders
