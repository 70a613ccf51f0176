/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/trust/source_frequency.h"

#include "ground/base/diagnostics.h"

#include <math.h>
#include <string.h>

/* Turns of a source in one step. Above FAST, schemes of order 2 have errors of some per cent, (2 pi
 * 0.1)^2/12: a note. Above TOO_FAST (Nyquist) the source cannot be followed: an error. */
static const double FAST = 0.1 * (1 + 1e-9), TOO_FAST = 0.5 * (1 + 1e-9); /* not by round-off */
/* Number of times, evenly spaced over the run, at which phases are evaluated: a source may begin
 * late, or change its frequency. */
enum { TIMES = 16 };

/* The phases of one graph. */
struct phases {
	bxt_arena *arena; /* scratch */
	bxt_ex *argument; /* (n) */
	double *unit;     /* (n) of a turn */
	int n;
	bxt_tape *tape;
	const double **in; /* (variables) lanes of each */
	double *time, *work, *first;
	double h, start, end; /* [s] */
};

struct fastest {
	double turns;
	bxt_place place;
	const bxt_element *element; /* NULL: a value of the netlist */
	long count;                 /* of sources above FAST */
};

static bool has_phase(bxt_op op)
{
	return op == BXT_OP_SIN || op == BXT_OP_COS || op == BXT_OP_FLOOR;
}

/* Collects the arguments that depend on the time, variable t, and otherwise on `known` ones only.
 */
static bxt_status collect(struct phases *p, const bxt_graph *g, int t, const bool *known, int n_var)
{
	const double turn = 2 * acos(-1);
	const int size = bxt_graph_size(g);
	uint32_t *class_of = BXT_NEW(p->arena, uint32_t, (size_t)n_var);
	p->argument = BXT_NEW(p->arena, bxt_ex, (size_t)size);
	p->unit = BXT_NEW(p->arena, double, (size_t)size);
	if (!class_of || !p->argument || !p->unit)
		return BXT_ERR_MEMORY;
	for (int v = 0; v < n_var; v++)
		class_of[v] = v == t ? 2 : known[v] ? 0 : 1;
	for (bxt_ex x = 0; x < size; x++) {
		const bxt_node node = bxt_graph_node(g, x);
		if (!has_phase(node.op) || bxt_ex_classes(g, node.a, class_of, n_var) != 2)
			continue;
		p->argument[p->n] = node.a;
		p->unit[p->n++] = node.op == BXT_OP_FLOOR ? 1 : turn;
	}
	if (p->n == 0)
		return BXT_OK;
	p->tape = bxt_tape_compile(g, p->argument, p->n);
	if (!p->tape)
		return BXT_ERR_MEMORY;
	p->in = BXT_NEW(p->arena, const double *, (size_t)n_var);
	p->time = BXT_NEW(p->arena, double, BXT_LANES);
	p->work = BXT_NEW(p->arena, double, bxt_tape_work(p->tape) + 64);
	p->first = BXT_NEW(p->arena, double, (size_t)p->n *BXT_LANES);
	return p->in && p->time && p->work && p->first ? BXT_OK : BXT_ERR_MEMORY;
}

static void evaluate(struct phases *p, double t)
{
	for (int l = 0; l < BXT_LANES; l++)
		p->time[l] = t;
	bxt_tape_run(p->tape, p->in, p->work);
}

/* turns (BXT_LANES): the largest number of turns in a step, over all phases and times. */
static void find_turns(struct phases *p, double *turns)
{
	memset(turns, 0, BXT_LANES * sizeof *turns);
	for (int i = 0; i < TIMES; i++) {
		const double t = p->start + (p->end - p->start) * i / TIMES;
		evaluate(p, t);
		for (int k = 0; k < p->n; k++)
			memcpy(p->first + k * BXT_LANES,
			       bxt_tape_result(p->tape, k, p->in, p->work),
			       BXT_LANES * sizeof *p->first);
		evaluate(p, t + p->h);
		for (int k = 0; k < p->n; k++) {
			const double *now = bxt_tape_result(p->tape, k, p->in, p->work);
			for (int l = 0; l < BXT_LANES; l++) {
				const double part =
					fabs(now[l] - p->first[k * BXT_LANES + l]) / p->unit[k];
				if (isfinite(part) && part > turns[l])
					turns[l] = part;
			}
		}
	}
}

static void keep(struct fastest *most, double turns, const bxt_element *element)
{
	most->count += turns > FAST;
	if (turns <= most->turns)
		return;
	most->turns = turns;
	most->element = element;
	most->place = element ? element->place : BXT_NOWHERE;
}

/* ---- The components of a system ---- */

static void look_at_group(struct phases *p, const bxt_system *s, const bxt_group *g,
			  struct fastest *most)
{
	const bxt_element_type *type = g->type;
	const size_t row = (size_t)(type->n_parameter + type->n_hoisted) * BXT_LANES;
	double turns[BXT_LANES];
	for (int b = 0; b < g->blocks; b++) {
		const double *of_block = g->parameter + (size_t)b * row;
		for (int k = 0; k < type->n_parameter + type->n_hoisted; k++)
			p->in[k < type->n_parameter
				      ? k
				      : bxt_type_var_hoisted(type) + k - type->n_parameter] =
				of_block + (size_t)k * BXT_LANES;
		p->in[bxt_type_var_t(type)] = p->time;
		find_turns(p, turns);
		for (int l = 0; l < BXT_LANES && b * BXT_LANES + l < g->count; l++)
			keep(most, turns[l], &s->net->elements[g->element[b * BXT_LANES + l]]);
	}
}

static bxt_status look_at_type(struct phases *p, const bxt_system *s, const bxt_group *g,
			       struct fastest *most)
{
	const bxt_element_type *type = g->type;
	const int n_var = bxt_type_n_var(type), size = bxt_graph_size(type->formulas.graph);
	bool *known = BXT_NEW(p->arena, bool, (size_t)n_var);
	bxt_ex *f = BXT_NEW(p->arena, bxt_ex, (size_t)size);
	int n = 0;
	if (!known || !f)
		return BXT_ERR_MEMORY;
	for (int v = 0; v < n_var; v++)
		known[v] = v < type->n_parameter || v >= bxt_type_var_hoisted(type);
	for (bxt_ex x = 0; x < size; x++)
		if (has_phase(bxt_graph_node(type->formulas.graph, x).op))
			f[n++] = x;
	if (n == 0)
		return BXT_OK;
	/* other threads may read the type's graph, and walks mark it */
	bxt_graph *alone = bxt_graph_new();
	bxt_status status = alone ? bxt_ex_copy(alone, type->formulas.graph, f, n) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = collect(p, alone, bxt_type_var_t(type), known, n_var);
	if (status == BXT_OK && p->n > 0)
		look_at_group(p, s, g, most);
	bxt_graph_free(alone);
	return status;
}

/* ---- Values of the netlist that are expressions of the time ---- */

/* Returns an element with a parameter that follows that expression; NULL: there is none. */
static const bxt_element *follower(const bxt_system *s, int signal)
{
	for (size_t i = 0; i < s->net->n_elements; i++) {
		const bxt_element *e = &s->net->elements[i];
		const int n = s->net->types[e->type]->n_parameter;
		for (int k = 0; k < n && e->signal; k++)
			if (e->signal[k] == signal)
				return e;
	}
	return NULL;
}

static bxt_status look_at_value(struct phases *p, const bxt_system *s, int signal,
				struct fastest *most)
{
	const size_t n_var = bxt_inputs_variables(s->inputs);
	bool *known = BXT_NEW(p->arena, bool, n_var);
	double turns[BXT_LANES];
	bxt_ex f = s->net->timed.expression[signal];
	bxt_graph *alone = bxt_graph_new();
	for (size_t v = 1; v < n_var && known; v++) /* inputs: as at the start */
		known[v] = true;
	bxt_status status =
		alone && known ? bxt_ex_copy(alone, s->net->timed.graph, &f, 1) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = collect(p, alone, 0, known, (int)n_var);
	if (status == BXT_OK && p->n > 0) {
		bxt_inputs_offer(s->inputs, p->time, p->in);
		find_turns(p, turns);
		if (turns[0] > most->turns || turns[0] > FAST)
			keep(most, turns[0], follower(s, signal));
	}
	bxt_graph_free(alone);
	return status;
}

/* ---- All ---- */

static void tell(const bxt_system *s, const struct fastest *most, double h, bxt_diagnostics *d)
{
	bxt_buffer path = {0}, others = {0};
	if (most->count > 1)
		bxt_buffer_printf(&others, " (the fastest of %ld)", most->count);
	const bool error = most->turns > TOO_FAST;
	const char *name = most->element ? bxt_network_path(s->net, most->element->primitive,
							    most->element->id, &path)
					 : NULL;
	bxt_report(d, error ? BXT_ERROR : BXT_NOTE, most->place,
		   "%s%s changes with %.4g Hz, %.2g periods in a step of %.4g s: %s%.3g s or less",
		   name ? name : "a source", others.text ? others.text : "", most->turns / h,
		   most->turns, h,
		   error ? "its values are not followed, the result is wrong; use a step of "
			 : "the step is coarse for it; 20 steps in a period are ",
		   h / most->turns / 20);
	bxt_buffer_free(&path);
	bxt_buffer_free(&others);
}

static bxt_status find_fastest(const bxt_system *s, double h, double start, double end,
			       struct fastest *most)
{
	bxt_status status = BXT_OK;
	for (int k = 0; k < s->n_groups + s->net->timed.n && status == BXT_OK; k++) {
		struct phases p = {.arena = bxt_arena_new(),
				   .h = h,
				   .start = start,
				   .end = fmax(end, start + h)};
		status = !p.arena          ? BXT_ERR_MEMORY
			 : k < s->n_groups ? look_at_type(&p, s, &s->groups[k], most)
					   : look_at_value(&p, s, k - s->n_groups, most);
		bxt_tape_free(p.tape);
		bxt_arena_free(p.arena);
	}
	return status;
}

bxt_status bxt_find_source_frequency(const bxt_system *s, const bxt_settings *settings,
				     double start, double *frequency)
{
	/* short enough for the momentary frequency of a chirp, and for floor to change by one at
	 * most */
	static const double SHORT = 1e-6;
	struct fastest most = {.turns = 0};
	const double h = SHORT * fabs(settings->step);
	const bxt_status status = find_fastest(s, h, start, settings->end, &most);
	*frequency = most.turns / h;
	return status;
}

bxt_status bxt_check_source_frequencies(const bxt_system *s, const bxt_settings *settings,
					double start, bxt_diagnostics *d, long *notes, long *errors)
{
	struct fastest most = {.turns = 0};
	const double h = fabs(settings->step);
	if (settings->tolerance > 0) /* step control keeps steps shorter */
		return BXT_OK;
	BXT_TRY(find_fastest(s, h, start, settings->end, &most));
	if (most.turns <= FAST)
		return BXT_OK;
	tell(s, &most, h, d);
	*(most.turns > TOO_FAST ? errors : notes) += 1;
	return BXT_OK;
}
