/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a model what the theory says? The list of checks, and the order in which they are made. */
#include "verify/verify_internal.h"

#include "start/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bxt_verify_def bxt_default_verify_def(void)
{
	return (bxt_verify_def){.seed = 1, .states = 3, .run = bxt_default_run_def()};
}

/* ---- The list ---- */

bxt_status bxt_checks_open(bxt_checks *c, double tolerance)
{
	*c = (bxt_checks){.out = calloc(1, sizeof *c->out), .tolerance = tolerance};
	if (!c->out)
		return BXT_ERR_MEMORY;
	c->out->passed = true;
	c->arena = c->out->memory = bxt_arena_new();
	return c->arena ? BXT_OK : BXT_ERR_MEMORY;
}

double bxt_checks_tolerance(const bxt_checks *c, double own)
{
	return c->tolerance > 0 ? c->tolerance : own;
}

const char *const bxt_check_names[] = {
	/* structures */
	"D_* = D_*^perp, *",
	"D_int = D_int^perp",
	"D = D^perp",
	"(+)D_i [x] D_int = D_Delta, flows",
	"(+)D_i [x] D_int = D_Delta, efforts",
	"rows of Sigma_Q are independent",
	"rank of all rows",
	"the rank is the same near by",
	/* a step */
	"step: A v = b",
	"step: forces of multipliers annihilate Delta",
	"step: power of D",
	"step: power of interconnections",
	"step: Jacobian by differences",
	"step: block of each primitive",
	"a discrete Rayleigh potential",
	"omega_d* on the (*) step",
	"the step is symplectic",
	/* elements and symmetries */
	"gyrators do no power",
	"symmetry *: L is invariant",
	"symmetry *: L_d is invariant",
	"symmetry *: balance of a step",
	"symmetry *: forces",
	"symmetries: [*, *]",
	"symmetries: brackets of those that forces respect",
	/* a run */
	"Hamilton-Jacobi: the run",
	"Hamilton-Jacobi: gamma^- = p_j",
	"Hamilton-Jacobi: gamma^+ = p_j+1",
	"Hamilton-Jacobi: flow on Q x Q",
	"Hamilton-Jacobi: dL_d",
	"Hamilton-Jacobi: H_d+, H_d-",
	"Hamilton-Jacobi: (123a)",
	"Hamilton-Jacobi: (123b)",
	"Hamilton equations: (48a)",
	"Hamilton equations: (48b)",
	"Hamilton equations: (49a)",
	"Hamilton equations: (49b)",
	/* one model against another */
	"same elements",
	"same components",
	"same parameters",
	"same coordinates",
	"same distribution",
	"same L, R and forces",
	"same signals",
	"same samples",
	NULL,
};

/* Is the name what the pattern says, with any text for a '*'? */
static bool is_like(const char *name, const char *pattern)
{
	const char *after = NULL, *from = name; /* the last '*', and what it stands for so far */
	while (*name) {
		if (*pattern == '*') {
			after = ++pattern;
			from = name;
		} else if (*name == *pattern) {
			name++;
			pattern++;
		} else if (after) {
			pattern = after;
			name = ++from;
		} else {
			return false;
		}
	}
	return *pattern == '\0' || (*pattern == '*' && pattern[1] == '\0');
}

static bool is_listed(const char *name)
{
	for (int i = 0; bxt_check_names[i]; i++)
		if (is_like(name, bxt_check_names[i]))
			return true;
	return false;
}

/* The check of that name, new when there is none. */
static bxt_verify_check *find(bxt_checks *c, const char *name, bool *is_new)
{
	bxt_verification *out = c->out;
	*is_new = false;
	for (size_t i = 0; i < out->n; i++)
		if (strcmp(out->checks[i].name, name) == 0)
			return &out->checks[i];
	if (BXT_GROW(out->checks, c->capacity, out->n + 1) != BXT_OK)
		return NULL;
	bxt_verify_check *check = &out->checks[out->n];
	*check = (bxt_verify_check){.name = bxt_arena_strdup(c->arena, name), .passed = true};
	if (!check->name)
		return NULL;
	out->n++;
	*is_new = true;
	return check;
}

static void keep(bxt_checks *c, const char *name, bool note, double figure, double tolerance,
		 bxt_place place, const char *format, va_list arguments)
{
	bool is_new;
	bxt_verify_check *check = find(c, name, &is_new);
	if (!check) {
		c->failed = true;
		return;
	}
	/* not a number: failed; and what is not listed has no test that it can fail */
	const bool passed = (note || figure <= tolerance) && (!is_new || is_listed(name));
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

void bxt_checks_add(bxt_checks *c, const char *name, double figure, double tolerance,
		    bxt_place place, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	keep(c, name, false, figure, tolerance, place, format, arguments);
	va_end(arguments);
}

void bxt_checks_note(bxt_checks *c, const char *name, double figure, bxt_place place,
		     const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	keep(c, name, true, figure, 0, place, format, arguments);
	va_end(arguments);
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

/* ---- Names ---- */

bxt_place bxt_verify_row_place(const bxt_network *net, const bxt_row_info *row)
{
	return row->family == BXT_FAMILY_NODE         ? net->nodes[row->owner].place
	       : row->family == BXT_FAMILY_CONSTRAINT ? net->elements[row->owner].place
						      : net->connections[row->owner].place;
}

bxt_place bxt_verify_coord_place(const bxt_network *net, const bxt_coord_info *coord)
{
	return coord->type == BXT_COORD_ELEMENT ? net->elements[coord->owner].place
	       : coord->type == BXT_COORD_NODE  ? net->nodes[coord->owner].place
						: net->ports[coord->owner].place;
}

/* Parts of a null vector below this of its largest are round-off. */
static const double PART = 1e-7;
enum { MAX_NAMED = 6 };

static double largest_in(const bxt_sparse *z, int j)
{
	double largest = 0;
	for (int k = z->colptr[j]; k < z->colptr[j + 1]; k++)
		largest = fmax(largest, fabs(z->values[k]));
	return largest;
}

void bxt_verify_name_rows(const bxt_system *s, const bxt_sparse *y, int j, int first,
			  bxt_buffer *words, bxt_place *place)
{
	const double least = PART * largest_in(y, j);
	bxt_buffer name = {0};
	int n = 0;
	for (int k = y->colptr[j]; k < y->colptr[j + 1]; k++) {
		const bxt_row_info *row = &s->dirac.row[first + y->rowind[k]];
		if (fabs(y->values[k]) < least)
			continue;
		if (n++ == 0)
			*place = bxt_verify_row_place(s->net, row);
		if (n <= MAX_NAMED)
			bxt_buffer_printf(words, "%s%s", n > 1 ? ", " : "",
					  bxt_dirac_row_name(s->net, row, &name));
	}
	if (n > MAX_NAMED)
		bxt_buffer_printf(words, " and %d more", n - MAX_NAMED);
	words->failed = words->failed || name.failed;
	bxt_buffer_free(&name);
}

void bxt_verify_name_flows(const bxt_system *s, const bxt_sparse *z, int j, bxt_buffer *words,
			   bxt_place *place)
{
	const double least = PART * largest_in(z, j);
	bxt_buffer name = {0};
	int n = 0;
	for (int k = z->colptr[j]; k < z->colptr[j + 1]; k++) {
		const bxt_coord_info *coord = &s->dirac.coord[z->rowind[k]];
		if (fabs(z->values[k]) < least)
			continue;
		if (n++ == 0)
			*place = bxt_verify_coord_place(s->net, coord);
		if (n <= MAX_NAMED)
			bxt_buffer_printf(words, "%s%s", n > 1 ? ", " : "",
					  bxt_dirac_coord_name(s->net, coord, true, &name));
	}
	if (n > MAX_NAMED)
		bxt_buffer_printf(words, " and %d more", n - MAX_NAMED);
	words->failed = words->failed || name.failed;
	bxt_buffer_free(&name);
}

/* ---- Where ---- */

/* Primitives are stacked in their order, coordinates and rows (network/dirac.h). */
static bxt_status find_ranges(bxt_verifier *v)
{
	const bxt_network *net = v->s->net;
	const bxt_dirac *d = &v->s->dirac;
	const size_t n = net->n_primitives;
	v->coord_first = BXT_NEW(v->arena, int, n + 1);
	v->row_first = BXT_NEW(v->arena, int, n + 1);
	if (!v->coord_first || !v->row_first)
		return BXT_ERR_MEMORY;
	for (size_t c = 0; c < d->n; c++) {
		const bxt_coord_info *q = &d->coord[c];
		v->coord_first[1 + (q->type == BXT_COORD_ELEMENT ? net->elements[q->owner].primitive
				    : q->type == BXT_COORD_NODE
					    ? net->nodes[q->owner].primitive
					    : net->ports[q->owner].primitive)]++;
	}
	for (size_t r = 0; r < d->m; r++) {
		const bxt_row_info *row = &d->row[r];
		if (row->family == BXT_FAMILY_CONNECTION)
			continue;
		v->m_delta++;
		v->row_first[1 + (row->family == BXT_FAMILY_NODE
					  ? net->nodes[row->owner].primitive
					  : net->elements[row->owner].primitive)]++;
	}
	for (size_t p = 0; p < n; p++) {
		v->coord_first[p + 1] += v->coord_first[p];
		v->row_first[p + 1] += v->row_first[p];
	}
	return BXT_OK;
}

/* The step of the scheme itself, without what comes after it; of gauss1 for explicit schemes. */
static bxt_status choose_scheme(bxt_verifier *v, const bxt_verify_def *def, bxt_diagnostics *d)
{
	/* what there is to say of the settings was said by bxt_initialize */
	bxt_status status = bxt_settings_resolve(v->s, &def->run, NULL, &v->settings);
	if (status != BXT_OK)
		return bxt_settings_resolve(v->s, &def->run, d, &v->settings);
	if (v->settings.scheme->is_explicit || bxt_is_shooting(&v->settings)) {
		const bool explicit = v->settings.scheme->is_explicit;
		bxt_note(d, BXT_NOWHERE,
			 "%s %s steps by itself: the step that is verified is that of gauss1",
			 explicit ? "the scheme" : "the rule",
			 explicit ? v->settings.scheme->name : v->settings.rule->name);
		v->settings.scheme = &bxt_scheme_gauss1;
	}
	v->settings.project_rows = v->settings.project_loops = false;
	return BXT_OK;
}

static bxt_status go_there(bxt_verifier *v, const bxt_verify_def *def, bxt_diagnostics *d)
{
	bxt_run_def run = def->run;
	BXT_TRY(bxt_initialize(v->s, &run, d, &v->base));
	if (def->at > 0) {
		run.end = def->at;
		run.record = "energy";
		run.n_record_also = 0;
		BXT_TRY(bxt_run(v->s, v->base, &run, NULL, NULL, d));
	}
	return choose_scheme(v, def, d);
}

static bxt_status prepare(bxt_verifier *v, const bxt_verify_def *def, bxt_diagnostics *d)
{
	const bxt_system *s = v->s;
	BXT_TRY(bxt_checks_open(&v->checks, def->tolerance));
	v->arena = bxt_arena_new();
	v->e = bxt_evaluator_new(s);
	v->near = bxt_verify_state_new(s);
	if (!v->arena || !v->e || !v->near)
		return BXT_ERR_MEMORY;
	v->dropped = BXT_NEW(v->arena, bool, s->dirac.m);
	v->block_regular = BXT_NEW(v->arena, bool, s->net->n_primitives);
	v->block_culprit = BXT_NEW(v->arena, int, s->net->n_primitives);
	v->zero = BXT_NEW(v->arena, double, (size_t)s->size + BXT_LANES);
	v->q = BXT_NEW(v->arena, double, (size_t)s->size + BXT_LANES);
	if (!v->dropped || !v->block_regular || !v->block_culprit || !v->zero || !v->q)
		return BXT_ERR_MEMORY;
	v->seed = def->seed;
	BXT_TRY(find_ranges(v));
	return go_there(v, def, d);
}

/* ---- The checks ---- */

static bxt_status check_state(bxt_verifier *v, const bxt_state *state, bool at_base)
{
	if (at_base || !v->s->constant_rows)
		BXT_TRY(bxt_verify_structure(v, state, at_base));
	BXT_TRY(bxt_verify_step(v, state));
	return bxt_verify_elements(v, state);
}

/* A random state where the model can go on; nearer and nearer to the base until it can. */
static bxt_status check_near(bxt_verifier *v)
{
	enum { TRIES = 6 };
	/* of the size of the coordinates: far from round-off, near enough for every device */
	double size = 1e-3;
	for (int i = 0; i < TRIES; i++, size /= 10) {
		bxt_status status = bxt_verify_near(v, size);
		if (status == BXT_OK)
			status = check_state(v, v->near, false);
		if (status == BXT_OK)
			v->checks.out->states++;
		if (!bxt_status_is_recoverable(status))
			return status;
	}
	return BXT_OK;
}

static bxt_status check_all(bxt_verifier *v, const bxt_verify_def *def, bxt_diagnostics *d)
{
	const bxt_status status = check_state(v, v->base, true);
	if (bxt_status_is_recoverable(status))
		bxt_error(d, BXT_NOWHERE, "t = %.9g s: the step to verify cannot be made: %s",
			  v->base->t, bxt_status_text(status));
	BXT_TRY(status);
	v->checks.out->states++;
	for (int i = 0; i < def->states; i++)
		BXT_TRY(check_near(v));
	bxt_verify_blocks_report(v);
	BXT_TRY(bxt_verify_symmetries(v, def->states));
	BXT_TRY(bxt_verify_symplectic(v));
	return def->hamilton_jacobi ? bxt_verify_hamilton_jacobi(v, def, d) : BXT_OK;
}

bxt_status bxt_verify(const bxt_system *system, const bxt_verify_def *def, bxt_diagnostics *d,
		      bxt_verification **out)
{
	const bxt_verify_def standard = bxt_default_verify_def();
	bxt_verifier v = {.s = system};
	def = def ? def : &standard;
	bxt_status status = prepare(&v, def, d);
	if (status == BXT_OK)
		status = check_all(&v, def, d);
	bxt_state_free(v.base);
	bxt_state_free(v.near);
	bxt_evaluator_free(v.e);
	bxt_arena_free(v.null_arena);
	bxt_arena_free(v.arena);
	return bxt_checks_close(&v.checks, status, out);
}
