/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/initial/solver_choice.h"

#include "ground/sparse/fill.h"
#include "motion/scheme/scheme.h"
#include "run/initial/settings_internal.h"

/*
 * Matrices with more entries in a row than networks have fill up with dense blocks. Condensation
 * pays for large systems: those that are factored once, and others with at least so many entries of
 * the factors in a row. Measured with KLU against condensed, a step: diodes in a cube (20 entries)
 * 2.2, in a plane of 40 x 40 (8.3) 1.3, in a ladder (4.1) 1.0. MOSFETs (5.5) and transistors (5.3)
 * in chains, and pendulums (8.2), gain nothing and cost more before the first step.
 *
 * KLU keeps pivots and UMFPACK has dense blocks of products. Its factorisations took 1.5 to 7 times
 * as long in chains of bodies with hinges and in lattices of springs (9 to 130 entries of the
 * factors in a row), 1.2 times where each node has springs to 80 others (680).
 */
enum { LARGE_SYSTEM = 5000, CIRCUIT_ENTRIES = 8, MUCH_FILL = 10, DENSE = 1000 };

/* Estimates whether factors will have that many entries in a row. */
static bxt_status fills_up(const bxt_system *s, int in_a_row, bool *much)
{
	double entries;
	BXT_TRY(bxt_predict_fill(&s->pattern, &entries));
	*much = entries >= (double)in_a_row * s->size;
	return BXT_OK;
}

bxt_status bxt_choose_solver(const bxt_system *s, bxt_settings *out)
{
	bool much = false, dense = false;
	if (out->solver)
		return BXT_OK;
	const bool circuit = bxt_sparse_nnz(&s->pattern) <= CIRCUIT_ENTRIES * s->size;
	const bool one_stage = out->scheme->order <= 2;
	const bool large = circuit && one_stage && s->size >= LARGE_SYSTEM;
	if (large && !s->affine)
		BXT_TRY(fills_up(s, MUCH_FILL, &much));
	if (!circuit && s->size >= DENSE)
		BXT_TRY(fills_up(s, DENSE, &dense));
	const bool small = circuit && bxt_settings_are_small(s, out);
	out->solver = dense                          ? &bxt_linsol_umfpack
		      : large && (s->affine || much) ? &bxt_linsol_condensed
		      : small                        ? &bxt_linsol_compiled
						     : &bxt_linsol_klu;
	out->solver_reason =
		dense                ? "factors fill up: more than 1000 entries in a row"
		: large && s->affine ? "circuit-like, large, affine: one factorisation"
		: much    ? "circuit-like, large: more than 10 entries in a row of factors"
		: small   ? "small, circuit-like: few operations in a factorisation"
		: circuit ? "circuit-like: few entries in each row"
			  : "factors stay sparse: pivots are kept";
	return BXT_OK;
}
