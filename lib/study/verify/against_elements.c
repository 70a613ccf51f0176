/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs elements with their counterparts, and compares components, parameters, and L, R, F at
 * random states. */
#include "study/verify/against.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 5, STATES = 3 };

static const bxt_element_type *type_of(const bxt_against_side *t, int i)
{
	return t->s->net->types[t->s->net->elements[i].type];
}

/* ---- Counterparts ---- */

/* Elements of one side without a counterpart: their number, and the name of the first ones. */
static int missing_of(bxt_against *g, int side, bxt_buffer *words, bxt_place *place)
{
	const bxt_against_side *t = &g->side[side], *o = &g->side[1 - side];
	bxt_buffer path = {0};
	int n = 0;
	for (size_t i = 0; i < t->s->net->n_elements; i++) {
		const bxt_element *e = &t->s->net->elements[i];
		/* rows of interactions are compared as rows, however they were written */
		if (t->other[i] >= 0 || t->covered[i] ||
		    (e->is_interaction && type_of(t, (int)i)->component->n_gyrators == 0) ||
		    n++ > 0)
			continue;
		bxt_nearest_search near = {.name = t->names.element[i]};
		for (size_t k = 0; k < o->s->net->n_elements; k++)
			if (o->other[k] < 0)
				bxt_nearest_offer(&near, o->names.element[k]);
		*place = e->place;
		bxt_buffer_printf(words, "%s%s '%s' of %s has no counterpart in %s",
				  words->length ? "; " : "", type_of(t, (int)i)->component->name,
				  bxt_against_path(t, (int)i, &path), t->letter, o->letter);
		if (near.best)
			bxt_buffer_printf(words, " (is it '%s'?)", near.best);
	}
	words->failed = words->failed || path.failed;
	bxt_buffer_free(&path);
	return n;
}

static void check_missing(bxt_against *g)
{
	bxt_buffer words = {0};
	bxt_place place = BXT_NOWHERE;
	const int n = missing_of(g, 0, &words, &place) + missing_of(g, 1, &words, &place);
	g->same_elements = n == 0;
	if (n == 0)
		bxt_buffer_printf(&words, "%zu elements", g->side[0].s->net->n_elements);
	bxt_checks_add(&g->checks, BXT_CHECK_SAME_ELEMENTS, n, place, "%s",
		       words.text ? words.text : "");
	bxt_checks_release(&g->checks, &words);
}

static bool same_layout(const bxt_element_type *a, const bxt_element_type *b)
{
	return a->nl == b->nl && a->n_own == b->n_own && a->n_shared == b->n_shared &&
	       a->ml == b->ml && a->n_constraint == b->n_constraint &&
	       a->component->n_ports == b->component->n_ports;
}

static void check_components(bxt_against *g)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	bxt_buffer words = {0}, path = {0}, other = {0};
	bxt_place place = BXT_NOWHERE;
	int n = 0;
	for (size_t i = 0; i < a->s->net->n_elements; i++) {
		const int k = a->other[i];
		const bxt_element_type *ka = type_of(a, (int)i), *kb = k < 0 ? ka : type_of(b, k);
		const bool named = strcmp(ka->component->name, kb->component->name) == 0;
		if (k < 0 || bxt_against_is_signal(a, (int)i) || (named && same_layout(ka, kb)) ||
		    n++ > 0)
			continue;
		place = b->s->net->elements[k].place;
		bxt_buffer_printf(&words, "'%s' of A is a %s (%s:%d), '%s' of B a %s%s (%s:%d)",
				  bxt_against_path(a, (int)i, &path), ka->component->name,
				  a->s->net->elements[i].place.file,
				  a->s->net->elements[i].place.line, bxt_against_path(b, k, &other),
				  kb->component->name, named ? " that is made otherwise" : "",
				  place.file, place.line);
	}
	g->same_elements = g->same_elements && n == 0;
	bxt_checks_add(&g->checks, BXT_CHECK_SAME_COMPONENTS, n, place, "%s",
		       words.text ? words.text : "of all elements");
	bxt_checks_release(&g->checks, &words);
	bxt_checks_release(&g->checks, &path);
	bxt_checks_release(&g->checks, &other);
}

/* ---- Parameters ---- */

/* The shortest digits that read as the same number. */
static void write_number(bxt_buffer *b, double value)
{
	char text[40];
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	bxt_buffer_printf(b, "%s", text);
}

struct parameters {
	bxt_buffer words;
	bxt_place place;
	double worst;
};

static void compare_parameters(bxt_against *g, int i, int k, double t, struct parameters *worst)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	const bxt_component *ca = type_of(a, i)->component, *cb = type_of(b, k)->component;
	bxt_buffer path = {0};
	for (int p = 0; p < ca->n_parameters; p++) {
		const int pa = bxt_type_parameter(ca, p);
		const int pb = bxt_against_parameter_named(cb, ca->parameters[p].name);
		if (pa < 0 || pb < 0)
			continue;
		const double x = bxt_against_parameter(a, i, pa),
			     y = bxt_against_parameter(b, k, pb);
		const double scale = fmax(fabs(x), fabs(y));
		const double apart = x == y ? 0 : fabs(x - y) / scale;
		if (!(apart > worst->worst))
			continue;
		worst->worst = apart;
		worst->place = b->s->net->elements[k].place;
		bxt_buffer_clear(&worst->words);
		bxt_buffer_printf(&worst->words, "%s.%s is ", bxt_against_path(a, i, &path),
				  ca->parameters[p].name);
		write_number(&worst->words, x);
		bxt_buffer_printf(&worst->words, " in A (%s:%d), ",
				  a->s->net->elements[i].place.file,
				  a->s->net->elements[i].place.line);
		write_number(&worst->words, y);
		bxt_buffer_printf(&worst->words, " in B (%s:%d)", worst->place.file,
				  worst->place.line);
		if (a->s->net->timed.n > 0)
			bxt_buffer_printf(&worst->words, ", at t = %.6g s", t);
	}
	worst->words.failed = worst->words.failed || path.failed;
	bxt_buffer_free(&path);
}

static double end_of(const bxt_network *net)
{
	for (size_t i = 0; i < net->simulation.n_settings; i++)
		if (strcmp(net->simulation.settings[i].name, "end") == 0 &&
		    net->simulation.settings[i].number > 0)
			return net->simulation.settings[i].number;
	return 1;
}

static void check_parameters(bxt_against *g)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	const bool moving = a->s->net->timed.n > 0 || b->s->net->timed.n > 0;
	struct parameters worst = {.place = BXT_NOWHERE};
	for (int k = 0; k < (moving ? TIMES : 1); k++) {
		const double t = k == 0 ? 0 : end_of(a->s->net) * fabs(bxt_random_number(&g->seed));
		bxt_evaluator_set_time(a->e, t);
		bxt_evaluator_set_time(b->e, t);
		for (size_t i = 0; i < a->s->net->n_elements; i++)
			if (a->other[i] >= 0)
				compare_parameters(g, (int)i, a->other[i], t, &worst);
	}
	bxt_checks_add(&g->checks, BXT_CHECK_SAME_PARAMETERS, worst.worst, worst.place, "%s",
		       worst.words.length ? worst.words.text : "all are equal");
	bxt_checks_release(&g->checks, &worst.words);
}

bxt_status bxt_against_elements(bxt_against *g)
{
	check_missing(g);
	check_components(g);
	check_parameters(g);
	return bxt_against_samples(g);
}

/* ---- Values at random states ---- */

/*
 * The compared values of an element: P, D, F of its coordinates, C and phi of its rows, its energy,
 * the next values of its sampled states, and the values that its plug-in reads.
 */
enum { PART_P, PART_D, PART_F, PART_C, PART_PHI, PART_ENERGY, PART_UPDATE, PART_READ, PARTS };
static const char *const part_names[PARTS] = {"dL/dv",
					      "d/dt dL/dv",
					      "the force",
					      "the constraint",
					      "the position constraint",
					      "the energy",
					      "the update",
					      "what the plug-in reads"};

struct values {
	const bxt_against_side *t;
	bxt_output_set_id set;
	size_t *first; /* (elements) */
	double *value;
};

static size_t part_first(const bxt_element_type *type, int part)
{
	const size_t nl = (size_t)type->nl, nc = (size_t)type->n_constraint;
	const size_t reads = (size_t)type->set[BXT_SET_READ].n;
	const size_t length[] = {nl, nl, nl, nc, nc, 1, nl, reads};
	size_t first = 0;
	for (int k = 0; k < part; k++)
		first += length[k];
	return first;
}

static int part_of(bxt_output_set_id set, const bxt_entry *e, const bxt_element_type *type)
{
	switch (set) {
	case BXT_SET_DYNAMICS:
		return e->term == BXT_P ? PART_P : e->term == BXT_D ? PART_D : PART_F;
	case BXT_SET_CONSTRAINT:
		return e->term == BXT_C && e->row < type->n_constraint ? PART_C : -1;
	case BXT_SET_POSITION:
		return PART_PHI;
	case BXT_SET_UPDATE:
		return PART_UPDATE;
	case BXT_SET_READ:
		return PART_READ;
	default:
		return PART_ENERGY;
	}
}

static void collect_values(void *context, const bxt_group *group, int first, int count,
			   const bxt_output_set *set, const double *const *in, const double *work)
{
	const struct values *v = context;
	for (int k = 0; k < set->n; k++) {
		const bxt_entry *e = &set->entries[k];
		const int part = part_of(v->set, e, group->type);
		if (part < 0)
			continue;
		const double *lane = bxt_tape_result(set->tape, k, in, work);
		const size_t at =
			part_first(group->type, part) + (size_t)(part == PART_READ ? k : e->row);
		for (int i = 0; i < count; i++)
			v->value[v->first[group->element[first + i]] + at] = lane[i];
	}
}

static bxt_status make_values(bxt_against *g, struct values *v, const bxt_against_side *t)
{
	size_t total = 0;
	*v = (struct values){.t = t, .first = BXT_NEW(g->arena, size_t, t->s->net->n_elements)};
	if (!v->first)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < t->s->net->n_elements; i++) {
		v->first[i] = total;
		total += part_first(type_of(t, (int)i), PARTS);
	}
	v->value = BXT_NEW(g->arena, double, total);
	return v->value ? BXT_OK : BXT_ERR_MEMORY;
}

static void evaluate_values(struct values *v, double time)
{
	static const bxt_output_set_id sets[] = {BXT_SET_DYNAMICS, BXT_SET_CONSTRAINT,
						 BXT_SET_POSITION, BXT_SET_ENERGY,
						 BXT_SET_UPDATE,   BXT_SET_READ};
	bxt_evaluator_set_time(v->t->e, time);
	for (size_t f = 0; f < sizeof sets / sizeof *sets; f++) {
		v->set = sets[f];
		bxt_evaluate_blocks(v->t->e, sets[f], (bxt_point){v->t->q, v->t->x, time},
				    collect_values, v);
	}
}

static void report_part(bxt_against *g, int i, int part, int row, double apart, double x, double y)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	const bxt_system *s = a->s;
	bxt_buffer path = {0}, name = {0};
	const bxt_element *e = &s->net->elements[i];
	const bxt_component *c = type_of(a, i)->component;
	const bxt_place there = b->s->net->elements[a->other[i]].place;
	const char *what = "";
	if (part <= PART_F) {
		const int at = s->groups[s->of_element.group[i]].at[row][s->of_element.place[i]];
		what = at == s->spare ? "what is fixed" : bxt_system_x_name(s, at, &name);
	} else if (part < PART_ENERGY) {
		what = c->constraints[row].name;
	} else if (part == PART_UPDATE) {
		what = row < c->n_coordinates ? c->coordinates[row].name : "";
	} else if (part == PART_READ) {
		what = c->sampled.plugin->reads[row];
	}
	bxt_checks_add(
		&g->checks, BXT_CHECK_SAME_VALUES, apart, there,
		"%s%s%s of %s '%s' is %.12g in A (%s:%d), %.12g in B (%s:%d), at a random state",
		part_names[part],
		!*what               ? ""
		: part < PART_ENERGY ? " on "
				     : " of ",
		what, c->name, bxt_against_path(a, i, &path), x, e->place.file, e->place.line, y,
		there.file, there.line);
	bxt_checks_release(&g->checks, &path);
	bxt_checks_release(&g->checks, &name);
}

/*
 * A difference of values below this fraction of the largest value of their part is relative to this
 * fraction, because round-off of the largest cancels there. With a larger limit, small values that
 * differ pass.
 */
static const double SMALL = 1e-6;

/* Compares one part of one element, relative to the largest value of the part, so that cancellation
 * counts as round-off. */
static void compare_part(bxt_against *g, int i, int part, const double *x, const double *y, int n)
{
	double largest = 0, worst = 0;
	int at = 0;
	for (int k = 0; k < n; k++)
		if (isfinite(x[k]) && isfinite(y[k]))
			largest = fmax(largest, fmax(fabs(x[k]), fabs(y[k])));
	for (int k = 0; k < n; k++) {
		const bool both = isfinite(x[k]) && isfinite(y[k]);
		const double scale = fmax(fmax(fabs(x[k]), fabs(y[k])), SMALL * largest);
		const double apart = both ? scale > 0 ? fabs(x[k] - y[k]) / scale : 0
				     : isfinite(x[k]) || isfinite(y[k]) ? INFINITY
									: 0;
		if (apart > worst) {
			worst = apart;
			at = k;
		}
	}
	if (worst > bxt_checks_tolerance(&g->checks, BXT_CHECK_SAME_VALUES))
		report_part(g, i, part, at, worst, x[at], y[at]);
}

static int place_of(const bxt_against_side *t, int i, int a)
{
	return t->s->groups[t->s->of_element.group[i]].at[a][t->s->of_element.place[i]];
}

/* The flat coordinate of a local one, -1 for a coordinate that does not move. */
static int flat_of(const bxt_against_side *t, int i, int a)
{
	const int x = place_of(t, i, a);
	return x == t->s->spare ? -1 : t->common[t->s->coord_of_x[x]];
}

/*
 * The effect of an element on each flat coordinate: a spring is the same with its ends exchanged.
 */
static void compare_along(bxt_against *g, int i, int part, const double *x, const double *y, int n,
			  double *scratch)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	double *at_a = scratch, *at_b = scratch + n;
	for (int k = 0; k < n; k++) {
		const int flat = flat_of(a, i, k);
		at_a[k] = at_b[k] = 0;
		for (int l = 0; l < n && flat >= 0; l++) {
			at_a[k] += flat_of(a, i, l) == flat ? x[l] : 0;
			at_b[k] += flat_of(b, a->other[i], l) == flat ? y[l] : 0;
		}
	}
	compare_part(g, i, part, at_a, at_b, n);
}

/* The same random state for both models, with flows so small that exp(v / 26 mV) is finite. */
static bxt_status random_state(bxt_against *g)
{
	double *q = calloc(2 * (size_t)g->n + 1, sizeof *q), *flow = q + g->n;
	if (!q)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < g->n; i++) {
		q[i] = bxt_random_number(&g->seed);
		flow[i] = 0.3 * bxt_random_number(&g->seed);
	}
	for (int side = 0; side < 2; side++) {
		const bxt_against_side *t = &g->side[side];
		for (size_t c = 0; c < t->s->dirac.n; c++)
			if (t->common[c] >= 0) {
				t->q[t->s->x_of_coord[c]] = q[t->common[c]];
				t->x[t->s->x_of_coord[c]] = flow[t->common[c]];
			}
	}
	free(q);
	return BXT_OK;
}

/* The names of ports differ between models: those of an interaction are matched by their order. */
static void random_ports(bxt_against *g)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	for (size_t i = 0; i < a->s->net->n_elements; i++) {
		const bxt_element_type *type = type_of(a, (int)i);
		if (!a->s->net->elements[i].is_interaction || a->other[i] < 0 ||
		    bxt_against_is_signal(a, (int)i)) /* it has no ports of its own */
			continue;
		for (int l = type->n_own + type->n_shared; l < type->nl; l++) {
			const double flow = 0.3 * bxt_random_number(&g->seed);
			a->x[place_of(a, (int)i, l)] = flow;
			b->x[place_of(b, a->other[i], l)] = flow;
		}
		a->x[a->s->spare] = b->x[b->s->spare] = 0;
	}
}

/* All rows but that of the input are 0. */
static double signal_value(const struct values *v, int i)
{
	const bxt_element_type *type = type_of(v->t, i);
	double sum = 0;
	for (int k = 0; k < type->nl; k++)
		sum += v->value[v->first[i] + part_first(type, PART_F) + (size_t)k];
	return sum;
}

/* Compares an element, or a signal, at one state. */
static void compare_values(bxt_against *g, const struct values v[2], bxt_against_scales *scales,
			   int i, double *worst, double *scratch)
{
	const bxt_against_side *a = &g->side[0];
	const bxt_element_type *type = type_of(a, i);
	const int other = a->other[i];
	if (bxt_against_is_signal(a, i)) {
		bxt_against_signal(g, i, signal_value(&v[0], i), signal_value(&v[1], other), worst);
		return;
	}
	for (int part = 0; part < PARTS; part++) {
		const size_t from = part_first(type, part);
		const double *x = v[0].value + v[0].first[i] + from;
		const double *y = v[1].value + v[1].first[other] + from;
		const int n = (int)(part_first(type, part + 1) - from);
		const bool rows = part == PART_C || part == PART_PHI;
		for (int k = 0; k < n && rows; k++)
			scratch[k] = y[k] / bxt_against_scale(g, scales, i, k);
		if (part <= PART_F && !a->s->net->elements[i].is_interaction)
			compare_along(g, i, part, x, y, n, scratch);
		else if (rows)
			compare_part(g, i, part, x, scratch, n);
		else
			compare_part(g, i, part, x, y, n);
	}
}

bxt_status bxt_against_values(bxt_against *g)
{
	const bxt_against_side *a = &g->side[0];
	struct values v[2];
	size_t most = 0;
	double worst = 0;
	for (size_t k = 0; k < a->s->net->n_types; k++) {
		const bxt_element_type *type = a->s->net->types[k];
		const size_t rows = (size_t)(type->nl > type->ml ? type->nl : type->ml);
		most = rows > most ? rows : most;
	}
	double *scratch = BXT_NEW(g->arena, double, 2 * most);
	if (!scratch)
		return BXT_ERR_MEMORY;
	for (int side = 0; side < 2; side++)
		BXT_TRY(make_values(g, &v[side], &g->side[side]));
	for (int k = 0; k < STATES; k++) {
		const double time = end_of(a->s->net) * fabs(bxt_random_number(&g->seed));
		bxt_against_scales *scales;
		BXT_TRY(random_state(g));
		random_ports(g);
		BXT_TRY(bxt_against_scales_make(g, time, &scales));
		evaluate_values(&v[0], time);
		evaluate_values(&v[1], time);
		for (size_t i = 0; i < a->s->net->n_elements; i++)
			if (a->other[i] >= 0)
				compare_values(g, v, scales, (int)i, &worst, scratch);
	}
	bxt_checks_add(&g->checks, BXT_CHECK_SAME_VALUES, 0, BXT_NOWHERE,
		       "of %zu elements at %d random states", a->s->net->n_elements, STATES);
	int signals = 0;
	for (size_t i = 0; i < a->s->net->n_elements; i++)
		signals += bxt_against_is_signal(a, (int)i);
	if (signals > 0)
		bxt_checks_add(&g->checks, BXT_CHECK_SAME_SIGNALS, 0, BXT_NOWHERE,
			       "%d at %d random states", signals, STATES);
	return BXT_OK;
}
