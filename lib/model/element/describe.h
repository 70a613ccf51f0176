/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The equations of a component as texts, derived by the code that compiles its element type, and
 * the properties that the program finds in them.
 */
#ifndef BXT_ELEMENT_DESCRIBE_H
#define BXT_ELEMENT_DESCRIBE_H

#include "model/element/element_type.h"

typedef struct bxt_type_text {
	int nl, n_shared, ml, n_constraint; /* as in bxt_element_type */
	const char *lagrangian, *rayleigh, *energy, *dissipated, *supplied, *prescribed;
	const char **coordinate, **flow; /* (nl) names; "shaft.theta" of shared ports */
	const char **momentum;           /* (nl) P = dL/dv, plus the terms of <momentum> */
	const bool *has_term;            /* (nl) it does, of the type's own memory */
	const char **dL_dq, **dR_dv;     /* (nl) */
	const char **force;              /* (nl) dL/dq - dR/dv + f + G v */
	const char **inertia;            /* (nl) dP/dt of a massless row, in flows; else NULL */
	const char **reaction;           /* (nl) A^T lambda */
	const char **row;                /* (ml) constraints, then flows into balance ports */
	const char **multiplier;         /* (ml) "turns.lambda", "p.v" */
	bool *massless;                  /* (nl) */
	/* Every Jacobian entry depends on parameters alone; affine_if: only if the second
	 * derivatives of expression-valued parameters are constant. */
	bool affine, affine_if;
	bool constant_rows; /* A depends on parameters alone */
	bool explicit_time; /* t or a time parameter occurs */
	int *port_group;    /* (ml - n_constraint) as in bxt_element_type */
} bxt_type_text;

/*
 * Derives a component's equations; `bound` as for bxt_type_compile. An expression-valued parameter
 * `energy` of the coordinate q stands as energy(q), with the derivatives energy'(q) and
 * energy''(q). Memory in the arena. BXT_ERR_MODEL after findings; *out is then NULL.
 */
bxt_status bxt_type_describe(bxt_arena *arena, const bxt_component *component,
			     const bxt_component *const *bound, bxt_diagnostics *d,
			     bxt_type_text **out);

#endif
