/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/verify/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Tolerances, each with the usual figure or its source.
 *
 * ISOTROPY: round-off of a sparse triangular solve with the few terms that rows have; 1e-14.
 * ANGLE: the same, times the condition of a projection, which is that of the rows squared.
 * RESIDUAL: rows are solved to 1e-14 of their terms; what cancels in an expression is not seen.
 * SLOPE: differences; truncation is (step/size of the nonlinearity)^2 / 6.
 * PARAMETER: equal expressions of equal parameters, with some cancellation; VALUE: of values.
 */
#define ISOTROPY 1e-10
#define ANGLE 1e-8
#define RESIDUAL 1e-8
#define SLOPE 1e-6
#define PARAMETER 1e-12
#define VALUE 1e-9

const bxt_check_row bxt_check_rows[BXT_CHECK_COUNT] = {
	[BXT_CHECK_PRIMITIVE] = {"D_* = D_*^perp, *", BXT_CHECK_IS_FIGURE, ISOTROPY},
	[BXT_CHECK_INTERCONNECTION] = {"D_int = D_int^perp", BXT_CHECK_IS_FIGURE, ISOTROPY},
	[BXT_CHECK_WHOLE] = {"D = D^perp", BXT_CHECK_IS_FIGURE, ISOTROPY},
	[BXT_CHECK_PRODUCT_FLOWS] = {"(+)D_i [x] D_int = D_Delta, flows", BXT_CHECK_IS_FIGURE,
				     ANGLE},
	[BXT_CHECK_PRODUCT_EFFORTS] = {"(+)D_i [x] D_int = D_Delta, efforts", BXT_CHECK_IS_FIGURE,
				       ANGLE},
	[BXT_CHECK_SIGMA] = {"rows of Sigma_Q are independent", BXT_CHECK_IS_COUNT, 0},
	[BXT_CHECK_RANK] = {"rank of all rows", BXT_CHECK_IS_COUNT, 0},
	[BXT_CHECK_RANK_NEAR] = {"the rank is the same near by", BXT_CHECK_IS_COUNT, 0},
	[BXT_CHECK_OPEN_PORTS] = {"port-Hamiltonian parts, open: coisotropic", BXT_CHECK_IS_FIGURE,
				  ISOTROPY},
	[BXT_CHECK_CLOSED_PORTS] = {"port-Hamiltonian parts, closed: D = D^perp",
				    BXT_CHECK_IS_FIGURE, ISOTROPY},
	[BXT_CHECK_BRACKETS_OF_PORTS] = {"port-Hamiltonian parts, closed: B^T dH = 0",
					 BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_FIRST_SET] = {"constraint algorithm: M_0", BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_SECOND_SET] = {"constraint algorithm: M_1", BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_THIRD_SET] = {"constraint algorithm: M_2", BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_STEP_ROWS] = {"step: A v = b", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_STEP_ANNIHILATOR] = {"step: forces of multipliers annihilate Delta",
					BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_STEP_POWER] = {"step: power of D", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_STEP_CONNECTIONS] = {"step: power of interconnections", BXT_CHECK_IS_FIGURE,
					RESIDUAL},
	[BXT_CHECK_STEP_JACOBIAN] = {"step: Jacobian by differences", BXT_CHECK_IS_FIGURE, SLOPE},
	[BXT_CHECK_STEP_BLOCKS] = {"step: block of each primitive", BXT_CHECK_IS_COUNT, 0},
	[BXT_CHECK_RAYLEIGH] = {"a discrete Rayleigh potential", BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_OTHER_SIDE] = {"omega_d* on the (*) step", BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_SYMPLECTIC] = {"the step is symplectic", BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_PRESYMPLECTIC] = {"the step is presymplectic", BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_GYRATORS] = {"gyrators do no power", BXT_CHECK_IS_FIGURE, SLOPE},
	[BXT_CHECK_SYMMETRY_L] = {"symmetry *: L is invariant", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_SYMMETRY_L_D] = {"symmetry *: L_d is invariant", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_SYMMETRY_BALANCE] = {"symmetry *: balance of a step", BXT_CHECK_IS_FIGURE,
					RESIDUAL},
	[BXT_CHECK_SYMMETRY_FORCES] = {"symmetry *: forces", BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_BRACKET] = {"symmetries: [*, *]", BXT_CHECK_IS_FIGURE, SLOPE},
	[BXT_CHECK_BRACKETS] = {"symmetries: brackets of those that forces respect",
				BXT_CHECK_IS_FIGURE, SLOPE},
	[BXT_CHECK_COMPLEMENTARITY] = {"bounded rows: complementarity", BXT_CHECK_IS_FIGURE,
				       RESIDUAL},
	[BXT_CHECK_IMPACT_MOMENTA] = {"jumps: p+ = p- + A^T Pi", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_IMPACT_LAW] = {"jumps: restitution and friction", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_HJ_RUN] = {"Hamilton-Jacobi: the run", BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_HJ_START] = {"Hamilton-Jacobi: gamma^- = p_j", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_HJ_END] = {"Hamilton-Jacobi: gamma^+ = p_j+1", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_HJ_FLOW] = {"Hamilton-Jacobi: flow on Q x Q", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_HJ_ACTION] = {"Hamilton-Jacobi: dL_d", BXT_CHECK_IS_FIGURE, SLOPE},
	[BXT_CHECK_HJ_NOT_JUDGED] = {"Hamilton-Jacobi: H_d+, H_d-", BXT_CHECK_IS_NOTE, 0},
	[BXT_CHECK_HJ_RIGHT] = {"Hamilton-Jacobi: (123a)", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_HJ_LEFT] = {"Hamilton-Jacobi: (123b)", BXT_CHECK_IS_FIGURE, RESIDUAL},
	[BXT_CHECK_HAMILTON_48A] = {"Hamilton equations: (48a)", BXT_CHECK_IS_FIGURE, SLOPE},
	[BXT_CHECK_HAMILTON_48B] = {"Hamilton equations: (48b)", BXT_CHECK_IS_FIGURE, SLOPE},
	[BXT_CHECK_HAMILTON_49A] = {"Hamilton equations: (49a)", BXT_CHECK_IS_FIGURE, SLOPE},
	[BXT_CHECK_HAMILTON_49B] = {"Hamilton equations: (49b)", BXT_CHECK_IS_FIGURE, SLOPE},
	[BXT_CHECK_SAME_ELEMENTS] = {"same elements", BXT_CHECK_IS_COUNT, 0},
	[BXT_CHECK_SAME_COMPONENTS] = {"same components", BXT_CHECK_IS_COUNT, 0},
	[BXT_CHECK_SAME_PARAMETERS] = {"same parameters", BXT_CHECK_IS_FIGURE, PARAMETER},
	[BXT_CHECK_SAME_COORDINATES] = {"same coordinates", BXT_CHECK_IS_COUNT, 0},
	[BXT_CHECK_SAME_DISTRIBUTION] = {"same distribution", BXT_CHECK_IS_FIXED, ISOTROPY},
	[BXT_CHECK_SAME_VALUES] = {"same L, R and forces", BXT_CHECK_IS_OF_USER, VALUE},
	[BXT_CHECK_SAME_SIGNALS] = {"same signals", BXT_CHECK_IS_OF_USER, VALUE},
	[BXT_CHECK_SAME_SAMPLES] = {"same samples", BXT_CHECK_IS_COUNT, 0},
	[BXT_CHECK_SAME_START] = {"same start", BXT_CHECK_IS_OF_USER, VALUE},
};

bxt_status bxt_checks_open(bxt_checks *c, double tolerance)
{
	*c = (bxt_checks){.out = calloc(1, sizeof *c->out), .tolerance = tolerance};
	if (!c->out)
		return BXT_ERR_MEMORY;
	c->out->size = sizeof *c->out;
	c->out->passed = true;
	c->arena = c->out->memory = bxt_arena_new();
	return c->arena ? BXT_OK : BXT_ERR_MEMORY;
}

double bxt_checks_tolerance(const bxt_checks *c, bxt_check check)
{
	const bxt_check_row *row = &bxt_check_rows[check];
	if (row->type == BXT_CHECK_IS_OF_USER)
		return fmax(row->tolerance, 100 * c->tolerance);
	return row->type == BXT_CHECK_IS_FIGURE && c->tolerance > 0 ? c->tolerance : row->tolerance;
}

/* The check of that name, added if it is new. */
static bxt_verify_check *find_check(bxt_checks *c, const char *name, bool *is_new)
{
	bxt_verification *out = c->out;
	*is_new = false;
	for (size_t i = 0; i < out->n; i++)
		if (strcmp(out->checks[i].name, name) == 0)
			return &out->checks[i];
	if (BXT_GROW(out->checks, c->capacity, out->n + 1) != BXT_OK)
		return NULL;
	bxt_verify_check *check = &out->checks[out->n];
	*check = (bxt_verify_check){
		.size = sizeof *check, .name = bxt_arena_strdup(c->arena, name), .passed = true};
	if (!check->name)
		return NULL;
	out->n++;
	*is_new = true;
	return check;
}

static void keep_figure(bxt_checks *c, bxt_check which, const char *name, double figure,
			bxt_place place, const char *format, va_list arguments)
{
	bool is_new;
	bxt_verify_check *check = find_check(c, name ? name : bxt_check_rows[which].name, &is_new);
	if (!check) {
		c->failed = true;
		return;
	}
	const bool note = bxt_check_rows[which].type == BXT_CHECK_IS_NOTE;
	const double tolerance = bxt_checks_tolerance(c, which);
	const bool passed = note || figure <= tolerance; /* false if the figure is not a number */
	if (!is_new && (passed || !check->passed) && !(figure > check->figure))
		return;
	check->text = bxt_arena_vprintf(c->arena, format, arguments);
	check->file = place.file ? bxt_arena_strdup(c->arena, place.file) : NULL;
	check->line = place.line;
	check->figure = figure;
	check->tolerance = tolerance;
	check->note = note;
	check->passed = check->passed && passed;
	c->out->passed = c->out->passed && passed;
	c->failed = c->failed || !check->text || (place.file && !check->file);
}

void bxt_checks_add(bxt_checks *c, bxt_check check, double figure, bxt_place place,
		    const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	keep_figure(c, check, NULL, figure, place, format, arguments);
	va_end(arguments);
}

void bxt_checks_add_named(bxt_checks *c, bxt_check check, const char *name, double figure,
			  bxt_place place, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	keep_figure(c, check, name, figure, place, format, arguments);
	va_end(arguments);
}

void bxt_checks_release(bxt_checks *c, bxt_buffer *words)
{
	c->failed = c->failed || words->failed;
	bxt_buffer_free(words);
}

bxt_status bxt_checks_close(bxt_checks *c, bxt_status status, bxt_verification **out)
{
	if (status == BXT_OK && c->failed)
		status = BXT_ERR_MEMORY;
	*out = status == BXT_OK ? c->out : bxt_verification_free(c->out);
	return status;
}

bxt_verification *bxt_verification_free(bxt_verification *verification)
{
	if (verification) {
		free(verification->checks);
		bxt_arena_free(verification->memory);
		free(verification);
	}
	return NULL;
}
