/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks that two models are the same system up to tearing: the same elements, and on common
 * coordinates the same distribution, momenta, forces, energies and start. Parts are matched by
 * their names in the monolithic twin (rewrite/flat_names.h), since a torn network also has
 * coordinates of ports, and several coordinates for one node.
 */
#include "study/verify/against.h"

#include <stdlib.h>

static bxt_status check_against(bxt_against *g, const bxt_system *a, const bxt_system *b)
{
	g->arena = bxt_arena_new();
	if (!g->arena)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_against_open(g, &g->side[0], a, "A"));
	BXT_TRY(bxt_against_open(g, &g->side[1], b, "B"));
	BXT_TRY(bxt_against_pair(g));
	BXT_TRY(bxt_against_cover(g));
	BXT_TRY(bxt_against_elements(g));
	if (!g->same_elements)
		return BXT_OK; /* the following checks would only repeat this failure */
	if (!g->covers) {
		BXT_TRY(bxt_against_number(g));
		BXT_TRY(bxt_against_rows(g));
	}
	BXT_TRY(bxt_against_values(g));
	if (g->apart > 0 && g->checks.out->passed)
		bxt_checks_add(&g->checks, BXT_CHECK_SAME_DISTRIBUTION, g->apart, BXT_NOWHERE,
			       "flows and efforts: the gyrators or two-forms of the "
			       "interconnections are others in A and B, or join other ports");
	return g->checks.out->passed ? bxt_against_starts(g) : BXT_OK;
}

bxt_status bxt_verify_against(const bxt_system *a, const bxt_system *b, const bxt_verify_def *def,
			      bxt_diagnostics *d, bxt_verification **out)
{
	bxt_verify_def standard, given;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, a);
	BXT_NEEDS(d, b);
	bxt_default_verify_def(&standard);
	BXT_TRY(bxt_take_sized(def ? def : &standard, &given, sizeof given, "bxt_verify_def", d));
	def = &given;
	(void)d; /* both models compile, so all results are in the checks */
	bxt_against g = {.seed = def->seed};
	bxt_status status = bxt_checks_open(&g.checks, def->tolerance);
	if (status == BXT_OK)
		status = check_against(&g, a, b);
	for (int i = 0; i < 2; i++)
		bxt_evaluator_free(g.side[i].e);
	free(g.name);
	bxt_arena_free(g.arena);
	return bxt_checks_close(&g.checks, status, out);
}
