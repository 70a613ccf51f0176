/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discrete.h"

const bxt_rule bxt_rules[] = {
	/* D1 L_d = h L_q - L_v, D2 L_d = L_v; f^- = h f, f^+ = 0: split in half it blows up like
	 * exp(t/RC) on massless dissipative rows */
	{"rectangle", "L and f at the left end", 1, 0, 1, 0},
	/* D1 L_d = h/2 L_q - L_v, D2 L_d = h/2 L_q + L_v; f^-, f^+ = h/2 f */
	{"midpoint", "L and f in the middle of the step", 2, 0.5, 0.5, 0.5},
	{NULL, NULL, 0, 0, 0, 0},
};
