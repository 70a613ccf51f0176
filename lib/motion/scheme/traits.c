/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/scheme/traits.h"

bxt_step_traits bxt_traits(const bxt_settings *settings)
{
	const bxt_scheme *scheme = settings->scheme;
	const bool symmetric = bxt_is_symmetric(settings);
	return (bxt_step_traits){
		.direction = scheme->backward ? -1 : 1,
		.symmetric = symmetric,
		.quadratic_balances = scheme->symmetric,
		.exact_energy = scheme->exact_energy,
		.bounded_energy = symmetric || scheme->carries_momenta || scheme->variational,
		.massless_momenta = scheme->carries_momenta,
		.pre_impulse = bxt_is_pre_impulse(settings),
		.events_inside = scheme->captures,
		.numerical_loss = scheme == &bxt_scheme_radau2 || scheme == &bxt_scheme_radau3,
	};
}
