/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the signals of two models that are the same quantity. */

#include "ground/base/diagnostics.h"
#include "model/names/designator.h"
#include "model/names/designator_list.h"
#include "motion/scheme/scheme.h"
#include "run/simulation/signal_names.h"
#include "study/compare/compare.h"
#include "study/compare/signals_of_model.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Number of values of a run's table when the caller leaves the choice of rows to the library: 256
 * MB.
 */
enum { MOST_VALUES = 1 << 25 };

/* A sum of signals of one model. */
struct sum {
	int *signal; /* (n) */
	double *weight;
	size_t n, c_signal, c_weight;
};

struct finder {
	bxt_arena *arena;
	bxt_side *side[2];
	const bxt_run_def *def;
	bxt_diagnostics *d;
	const char **name; /* (n_names) the signal's possible names in the other model */
	size_t n_names, c_names;
	struct sum sum[2];
	bxt_twins *out;
	size_t c_twins;
	bool *used[2]; /* (signals) to be recorded */
};

/* ---- Names of a signal in the other model ---- */

static bxt_status add_name(struct finder *f, const bxt_known_signal *k, const char *path)
{
	const char *name =
		bxt_arena_printf(f->arena, "%.*s%s%s", (int)k->head, k->name, path, k->rest);
	BXT_TRY(BXT_GROW(f->name, f->c_names, f->n_names + 1));
	f->name[f->n_names++] = name;
	return name ? BXT_OK : BXT_ERR_MEMORY;
}

/* For a subsystem that the other model does not have: the sum over its elements. */
static bxt_status name_elements(struct finder *f, int s, const bxt_known_signal *k)
{
	const bxt_network *net = f->side[s]->net;
	const bxt_parts *mine = &f->side[s]->parts[BXT_SIDE_ELEMENT];
	const bxt_parts *others = &f->side[1 - s]->parts[BXT_SIDE_ELEMENT];
	for (size_t i = 0; i < net->n_elements; i++) {
		if (net->elements[i].is_interaction ||
		    !bxt_names_is_inside(net, net->elements[i].primitive, k->part))
			continue;
		if (mine->partner[i] < 0) { /* the sum needs all of them */
			f->n_names = 0;
			return BXT_OK;
		}
		BXT_TRY(add_name(f, k, others->path[mine->partner[i]]));
	}
	return BXT_OK;
}

/*
 * For a port that the other model does not have: the flow through it enters the elements at its
 * node, if it is the only port there.
 */
static bxt_status name_pins(struct finder *f, int s, const bxt_known_signal *k)
{
	const bxt_side *me = f->side[s];
	const int node = me->net->ports[k->part].node;
	const bxt_parts *mine = &me->parts[BXT_SIDE_ELEMENT];
	const bxt_parts *others = &f->side[1 - s]->parts[BXT_SIDE_ELEMENT];
	if (me->ports_at[node] != 1)
		return BXT_OK;
	for (int p = me->first_pin[node]; p >= 0; p = me->pin[p].next) {
		const int e = me->pin[p].element;
		const bxt_component *c = me->net->types[me->net->elements[e].type]->component;
		char *path = mine->partner[e] < 0
				     ? NULL
				     : bxt_arena_printf(f->arena, "%s.%s",
							others->path[mine->partner[e]],
							c->ports[me->pin[p].port].name);
		f->n_names = path ? f->n_names : 0;
		if (!path)
			return mine->partner[e] < 0 ? BXT_OK : BXT_ERR_MEMORY;
		BXT_TRY(add_name(f, k, path));
	}
	return BXT_OK;
}

/*
 * A node for class d of the other model: the one with the same name, otherwise the first with the
 * signal.
 */
static bxt_status name_node(struct finder *f, int s, const bxt_known_signal *k, int d)
{
	const bxt_side *other = f->side[1 - s];
	const bxt_parts *nodes = &other->parts[BXT_SIDE_NODE];
	const int same =
		bxt_map_get(&nodes->by_path, f->side[s]->parts[BXT_SIDE_NODE].path[k->part]);
	if (k->summed) {
		for (int i = d; i >= 0; i = other->next_member[i])
			BXT_TRY(add_name(f, k, nodes->path[i]));
		return BXT_OK;
	}
	if (same >= 0 && other->flat.class_of[same] == d)
		return add_name(f, k, nodes->path[same]);
	for (int i = d; i >= 0; i = other->next_member[i]) {
		f->n_names = 0;
		BXT_TRY(add_name(f, k, nodes->path[i]));
		if (bxt_map_get(&other->by_name, f->name[0]) >= 0)
			break;
	}
	return BXT_OK;
}

/*
 * Multipliers: those of a connection that both models have. Otherwise the multiplier of Sigma_Q is
 * the potential of the node that the connection makes (Parks, section 3.5.2: lambda = v_C).
 */
static bxt_status name_connection(struct finder *f, int s, const bxt_known_signal *k)
{
	const bxt_side *me = f->side[s], *other = f->side[1 - s];
	const int partner = me->parts[BXT_SIDE_CONNECTION].partner[k->part];
	const int node = me->flat.node_of_connection[k->part];
	if (partner >= 0)
		return add_name(f, k, other->parts[BXT_SIDE_CONNECTION].path[partner]);
	if (node < 0 || strcmp(k->rest, ".lambda") != 0 || me->flat.class_of[node] < 0)
		return BXT_OK;
	const bxt_port_kind *kind = me->net->nodes[node].kind;
	const int d = me->class_twin[me->flat.class_of[node]];
	if (d < 0 || !kind || kind->type != BXT_PORT_BALANCE)
		return BXT_OK;
	const bxt_known_signal effort = {
		.name = "node(",
		.head = strlen("node("),
		.rest = bxt_arena_printf(f->arena, ").%s", kind->effort[0]),
		.part = node};
	return effort.rest ? name_node(f, s, &effort, d) : BXT_ERR_MEMORY;
}

/* f->name: the signals of the other model whose sum is signal i of side s; none: n_names is 0. */
static bxt_status find_names(struct finder *f, int s, size_t i)
{
	const bxt_side *me = f->side[s];
	const bxt_known_signal *k = &me->signal[i];
	f->n_names = 0;
	if (k->type == BXT_SIDE_WHOLE)
		return add_name(f, k, "");
	const bxt_parts *others = &f->side[1 - s]->parts[k->type];
	const int partner = me->parts[k->type].partner[k->part];
	switch (k->type) {
	case BXT_SIDE_NODE: {
		const int c = me->flat.class_of[k->part];
		return c >= 0 && me->class_twin[c] >= 0 ? name_node(f, s, k, me->class_twin[c])
							: BXT_OK;
	}
	case BXT_SIDE_CONNECTION:
		return name_connection(f, s, k);
	case BXT_SIDE_PORT:
		if (partner < 0 && k->group == BXT_SIGNALS_POWER)
			return name_pins(f, s, k);
		return partner < 0 ? BXT_OK : add_name(f, k, others->path[partner]);
	case BXT_SIDE_SUBSYSTEM:
		return partner < 0 ? name_elements(f, s, k) : add_name(f, k, others->path[partner]);
	default:
		return partner < 0 ? BXT_OK : add_name(f, k, others->path[partner]);
	}
}

/* ---- Lists from <record>, --record and --map ---- */

/* The signals that a run's definition records. Failures become findings only where `d` is given. */
static bxt_status resolve(struct finder *f, int s, const char *record, bxt_diagnostics *d,
			  bool want, size_t *count)
{
	bxt_run_def def = *f->def;
	char **names = NULL;
	size_t n = 0;
	def.record = record;
	def.record_also = NULL;
	def.n_record_also = 0;
	/* expressions are the same if the quantities that they read are */
	bxt_status status = bxt_recorded_names(f->side[s]->system, &def, d, &names, &n);
	for (size_t i = 0; i < n && status == BXT_OK; i++) {
		int at = -1;
		status = bxt_known_extra(f->arena, f->side[s], names[i], &at);
		if (status == BXT_OK && want)
			f->side[s]->signal[at].wanted = true;
		if (count)
			*count = (size_t)at;
	}
	bxt_signal_names_free(names, n);
	if (count && status == BXT_OK && n != 1)
		return BXT_ERR_MODEL;
	return status;
}

/* An item of --record must belong to at least one of the models. */
static bxt_status want_item(struct finder *f, const char *item)
{
	bool found = false;
	for (int s = 0; s < 2; s++) {
		const bxt_status status = resolve(f, s, item, NULL, true, NULL);
		found = found || status == BXT_OK;
		if (status != BXT_OK && status != BXT_ERR_MODEL)
			return status;
	}
	return found ? BXT_OK : resolve(f, 0, item, f->d, false, NULL);
}

static bxt_status want_list(struct finder *f, const char *list)
{
	char *copy = bxt_arena_strdup(f->arena, list);
	bxt_status status = copy ? BXT_OK : BXT_ERR_MEMORY;
	for (char *item = copy, *next; item; item = next) {
		char *end = item + bxt_record_item_length(item);
		next = *end ? end + 1 : NULL;
		*end = '\0';
		item += strspn(item, " \t\r\n");
		if (!*item)
			continue;
		const bxt_status one = want_item(f, item);
		if (one != BXT_OK && one != BXT_ERR_MODEL)
			return one;
		status = one == BXT_OK ? status : one; /* report all wrong ones */
	}
	return status;
}

/* All signals, or those of --record; then those of the netlists' <record>. */
static bxt_status choose_wanted(struct finder *f)
{
	if (f->def->record)
		return want_list(f, f->def->record);
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < f->side[s]->n; i++)
			f->side[s]->signal[i].wanted = true;
		if (resolve(f, s, NULL, NULL, true, NULL) != BXT_OK)
			BXT_TRY(resolve(f, s, NULL, f->d, true, NULL));
	}
	return BXT_OK;
}

/*
 * A name that is no listed signal, but that the other model may be able to record. All of these
 * names are resolved at once.
 */
static bxt_status ask_other(struct finder *f, int s)
{
	bxt_side *other = f->side[1 - s];
	bxt_run_def def = *f->def;
	const char **ask = NULL;
	size_t n_ask = 0, c_ask = 0, n = 0;
	char **names = NULL;
	bxt_map asked = {0};
	bxt_status status = BXT_OK;
	for (size_t i = 0; i < f->side[s]->n && status == BXT_OK; i++) {
		if (!f->side[s]->signal[i].wanted)
			continue;
		status = find_names(f, s, i);
		for (size_t k = 0; k < f->n_names && status == BXT_OK; k++) {
			if (bxt_map_get(&other->by_name, f->name[k]) >= 0 ||
			    bxt_map_get(&asked, f->name[k]) >= 0)
				continue;
			status = BXT_GROW(ask, c_ask, n_ask + 1);
			if (status == BXT_OK)
				status = bxt_map_put(&asked, ask[n_ask++] = f->name[k], 1);
		}
	}
	def.record = "energy";
	def.record_also = ask;
	def.n_record_also = n_ask;
	if (status == BXT_OK && n_ask > 0)
		status = bxt_signal_names(other->system, &def, NULL, &names, &n);
	for (size_t i = 0; i < n && status == BXT_OK; i++)
		if (bxt_map_get(&asked, names[i]) >= 0)
			status = bxt_known_extra(f->arena, other, names[i], NULL);
	bxt_signal_names_free(names, n);
	bxt_map_free(&asked);
	free(ask);
	return status;
}

/* ---- Twins ---- */

static bxt_status add_term(struct sum *sum, int signal, double weight)
{
	BXT_TRY(BXT_GROW(sum->signal, sum->c_signal, sum->n + 1));
	BXT_TRY(BXT_GROW(sum->weight, sum->c_weight, sum->n + 1));
	sum->signal[sum->n] = signal;
	sum->weight[sum->n++] = weight;
	return BXT_OK;
}

/* The sum, as the public list has it. */
static bxt_status publish_sum(struct finder *f, int s, bxt_twin_side *out)
{
	const struct sum *sum = &f->sum[s];
	const bxt_known_signal *signal = f->side[s]->signal;
	const char **names = BXT_NEW(f->arena, const char *, sum->n);
	double *weight = BXT_NEW(f->arena, double, sum->n);
	bxt_buffer text = {0};
	if (!names || !weight)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < sum->n; i++) {
		names[i] = signal[sum->signal[i]].name;
		weight[i] = sum->weight[i];
		if (i > 0)
			bxt_buffer_printf(&text, weight[i] < 0 ? " - " : " + ");
		bxt_buffer_printf(&text, "%s", names[i]);
		f->used[s][sum->signal[i]] = true;
	}
	*out = (bxt_twin_side){sizeof *out,
			       sum->n == 1 ? names[0] : bxt_arena_strdup(f->arena, text.text),
			       names, weight, sum->n};
	bxt_buffer_free(&text);
	return out->name ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status add_twin(struct finder *f)
{
	bxt_twins *out = f->out;
	const bxt_known_signal *a = &f->side[0]->signal[f->sum[0].signal[0]];
	const bxt_known_signal *b = &f->side[1]->signal[f->sum[1].signal[0]];
	BXT_TRY(BXT_GROW(out->twin, f->c_twins, out->n + 1));
	bxt_twin *t = &out->twin[out->n];
	t->size = sizeof *t;
	t->group = b->group == BXT_SIGNALS_MULTIPLIER ? b->group : a->group;
	t->quantity = a->quantity;
	BXT_TRY(publish_sum(f, 0, &t->side[0]));
	BXT_TRY(publish_sum(f, 1, &t->side[1]));
	out->n++;
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < f->sum[s].n; i++)
			f->side[s]->signal[f->sum[s].signal[i]].paired = true;
	return BXT_OK;
}

/*
 * The class whose potential a signal is, or to which the potential of its power refers; -1: none.
 */
static int class_of_potential(const bxt_side *side, const bxt_known_signal *k)
{
	int node = -1;
	if (k->type == BXT_SIDE_NODE && k->group == BXT_SIGNALS_EFFORT)
		node = k->part;
	else if (k->type == BXT_SIDE_CONNECTION)
		node = side->flat.node_of_connection[k->part];
	else if (k->type == BXT_SIDE_PORT && k->group == BXT_SIGNALS_POWER)
		node = side->net->ports[k->part].node;
	else if (k->type == BXT_SIDE_ELEMENT && k->group == BXT_SIGNALS_POWER)
		node = bxt_known_pin(side, k);
	return node < 0 ? -1 : side->flat.class_of[node];
}

/* a's signal for the potential of its class c; -1: none. BXT_ERR_MEMORY only. */
static bxt_status find_potential(struct finder *f, int c, int *out)
{
	const bxt_side *a = f->side[0];
	*out = -1;
	for (int i = c; i >= 0 && *out < 0; i = a->next_member[i]) {
		const char *name =
			bxt_arena_printf(f->arena, "node(%s).%s", a->parts[BXT_SIDE_NODE].path[i],
					 a->net->nodes[i].kind->effort[0]);
		if (!name)
			return BXT_ERR_MEMORY;
		*out = bxt_map_get(&a->by_name, name);
	}
	return BXT_OK;
}

/*
 * The potentials of an island refer to the reference that each model chose. If the models chose
 * different nodes, a subtracts the potential of b's reference. Powers cannot be corrected in this
 * way: *good is false.
 */
static bxt_status add_reference(struct finder *f, bool *good)
{
	const bxt_side *a = f->side[0], *b = f->side[1];
	const bxt_known_signal *k = &a->signal[f->sum[0].signal[0]];
	const int c = class_of_potential(a, k);
	const int d = class_of_potential(b, &b->signal[f->sum[1].signal[0]]);
	const int from = c < 0 ? -1 : a->reference[c];
	const int to = d < 0 ? -1 : b->reference[d];
	int at;
	*good = true;
	if (from < 0 || to < 0 || a->class_twin[from] == to)
		return BXT_OK;
	BXT_TRY(find_potential(f, b->class_twin[to], &at));
	*good = at >= 0 && k->group != BXT_SIGNALS_POWER;
	return *good ? add_term(&f->sum[0], at, -1) : BXT_OK;
}

/* Signal i itself or, where nodes are joined, together with the same signal of the other nodes. */
static bxt_status own_sum(struct finder *f, int s, size_t i)
{
	const bxt_side *me = f->side[s];
	const bxt_known_signal *k = &me->signal[i];
	f->sum[s].n = 0;
	if (!k->summed)
		return add_term(&f->sum[s], (int)i, 1);
	for (int m = me->flat.class_of[k->part]; m >= 0; m = me->next_member[m]) {
		const char *name = bxt_arena_printf(f->arena, "%.*s%s%s", (int)k->head, k->name,
						    me->parts[BXT_SIDE_NODE].path[m], k->rest);
		const int at = name ? bxt_map_get(&me->by_name, name) : -1;
		if (!name)
			return BXT_ERR_MEMORY;
		if (at >= 0)
			BXT_TRY(add_term(&f->sum[s], at, 1));
	}
	return BXT_OK;
}

static bxt_status pair_signal(struct finder *f, int s, size_t i)
{
	const bxt_side *other = f->side[1 - s];
	BXT_TRY(find_names(f, s, i));
	f->sum[1 - s].n = 0;
	for (size_t k = 0; k < f->n_names; k++) {
		const int at = bxt_map_get(&other->by_name, f->name[k]);
		if (at < 0 || other->signal[at].mapped)
			return BXT_OK; /* a sum needs all its terms */
		BXT_TRY(add_term(&f->sum[1 - s], at, 1));
	}
	if (f->n_names == 0)
		return BXT_OK;
	BXT_TRY(own_sum(f, s, i));
	bool good;
	BXT_TRY(add_reference(f, &good));
	return good ? add_twin(f) : BXT_OK;
}

static bxt_status pair_all(struct finder *f)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < f->side[s]->n; i++)
			if (f->side[s]->signal[i].wanted && !f->side[s]->signal[i].paired)
				BXT_TRY(pair_signal(f, s, i));
	return BXT_OK;
}

/* ---- --map ---- */

/* A signal of one model by its name or the end of its name; -1 after a finding. */
static bxt_status find_mapped(struct finder *f, int s, const char *name, int *out)
{
	size_t at = 0;
	bxt_nearest_search near = {.name = name};
	*out = bxt_map_get(&f->side[s]->by_name, name);
	if (*out >= 0)
		return BXT_OK;
	const bxt_status status = resolve(f, s, name, NULL, false, &at);
	if (status == BXT_OK)
		*out = (int)at;
	if (status != BXT_ERR_MODEL)
		return status;
	bxt_names *finder = &f->side[s]->finder;
	bxt_designator d;
	finder->recorded = true;
	if (bxt_names_find(finder, 0, name, &d) == BXT_NAME_AMBIGUOUS) {
		bxt_error(f->d, BXT_NOWHERE, "map: in the %s model %s", s == 0 ? "first" : "second",
			  bxt_names_why(finder, "signal", false));
		return finder->failed ? BXT_ERR_MEMORY : BXT_OK;
	}
	for (size_t i = 0; i < f->side[s]->n; i++)
		bxt_nearest_offer(&near, f->side[s]->signal[i].name);
	bxt_error(f->d, BXT_NOWHERE, "map: the %s model has no signal '%s'%s",
		  s == 0 ? "first" : "second", name, bxt_did_you_mean(f->arena, near.best));
	return BXT_OK;
}

/* Of the functions that add signals this one runs last, of those that pair signals first. */
static bxt_status find_map(struct finder *f, const char *const *map, size_t n_map, int *pairs)
{
	bool good = true;
	for (size_t k = 0; k < 2 * n_map; k++) {
		BXT_TRY(find_mapped(f, (int)(k % 2), map[k], &pairs[k]));
		good = good && pairs[k] >= 0;
	}
	return good ? BXT_OK : BXT_ERR_MODEL;
}

static bxt_status pair_mapped(struct finder *f, const int *pairs, size_t n_map)
{
	for (size_t k = 0; k < n_map; k++) {
		for (int s = 0; s < 2; s++) {
			f->sum[s].n = 0;
			BXT_TRY(add_term(&f->sum[s], pairs[2 * k + (size_t)s], 1));
			f->side[s]->signal[pairs[2 * k + (size_t)s]].mapped = true;
		}
		BXT_TRY(add_twin(f));
	}
	return BXT_OK;
}

/* ---- The whole comparison ---- */

/* Rows must be at the same times. */
static bxt_status check_times(struct finder *f, bxt_settings settings[2])
{
	for (int s = 0; s < 2; s++) {
		const bxt_system *of = f->side[s]->system;
		const bxt_status status = bxt_settings_resolve(of, f->def, NULL, &settings[s]);
		if (status == BXT_ERR_MODEL)
			return bxt_settings_resolve(of, f->def, f->d, &settings[s]);
		BXT_TRY(status);
	}
	const double a = settings[0].step * (double)settings[0].every,
		     b = settings[1].step * (double)settings[1].every;
	/* 1e-12: round-off of steps that are expressions */
	if (fabs(a - b) <= 1e-12 * fabs(a) &&
	    fabs(settings[0].end - settings[1].end) <= 1e-12 * fabs(settings[0].end))
		return BXT_OK;
	bxt_error(f->d, BXT_NOWHERE,
		  "a row every %.9g s up to %.9g s, in the first model every %.9g s up to %.9g s: "
		  "give both the same --step, --end and --every",
		  b, settings[1].end, a, settings[0].end);
	return BXT_ERR_MODEL;
}

static bxt_status list_used(struct finder *f, int s)
{
	const bxt_side *side = f->side[s];
	bxt_twins *out = f->out;
	out->record[s] = BXT_NEW(f->arena, const char *, side->n);
	out->alone[s] = BXT_NEW(f->arena, const char *, side->n);
	if (!out->record[s] || !out->alone[s])
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < side->n; i++) {
		const bxt_known_signal *k = &side->signal[i];
		if (f->used[s][i] || k->carries)
			out->record[s][out->n_record[s]++] = k->name;
		if (k->wanted && !k->paired)
			out->alone[s][out->n_alone[s]++] = k->name;
	}
	return BXT_OK;
}

/*
 * Reduces the number of rows where both tables would be too large and the caller did not choose it.
 */
static void choose_rows(struct finder *f, const bxt_settings settings[2])
{
	double factor = 1;
	for (int s = 0; s < 2; s++) {
		const double rows = settings[s].end / settings[s].step / (double)settings[s].every;
		factor = fmax(factor,
			      ceil(fabs(rows) * ((double)f->out->n_record[s] + 1) / MOST_VALUES));
	}
	if (f->def->every > 0 || f->def->record || !(factor < 1e9))
		factor = 1;
	f->out->fewer_rows = factor > 1;
	for (int s = 0; s < 2; s++)
		f->out->every[s] = settings[s].every * (long)factor;
}

static bxt_status find_all(struct finder *f, const char *const *map, size_t n_map)
{
	bxt_settings settings[2];
	int *pairs = BXT_NEW(f->arena, int, 2 * n_map);
	if (!pairs)
		return BXT_ERR_MEMORY;
	for (int s = 0; s < 2; s++)
		BXT_TRY(bxt_known_list(f->arena, f->side[s]));
	BXT_TRY(check_times(f, settings));
	BXT_TRY(bxt_sides_pair(f->arena, f->side[0], f->side[1]));
	BXT_TRY(choose_wanted(f));
	for (int s = 0; s < 2; s++)
		BXT_TRY(ask_other(f, s));
	BXT_TRY(find_map(f, map, n_map, pairs));
	for (int s = 0; s < 2; s++)
		if (!(f->used[s] = BXT_NEW(f->arena, bool, f->side[s]->n)))
			return BXT_ERR_MEMORY;
	BXT_TRY(pair_mapped(f, pairs, n_map));
	BXT_TRY(pair_all(f));
	for (int s = 0; s < 2; s++)
		BXT_TRY(list_used(f, s));
	choose_rows(f, settings);
	return BXT_OK;
}

void bxt_twins_free(bxt_twins *twins)
{
	bxt_twins_memory *m = twins ? twins->memory : NULL;
	if (m) {
		bxt_side_free(&m->side[0]);
		bxt_side_free(&m->side[1]);
		bxt_arena_free(m->arena);
		free(twins->twin);
		free(m);
	}
	if (twins)
		*twins = (bxt_twins){.size = sizeof *twins};
}

bxt_status bxt_twins_find(const bxt_system *a, const bxt_system *b, const bxt_run_def *def,
			  const char *const *map, size_t n_map, bxt_diagnostics *d, bxt_twins *out)
{
	bxt_run_def standard, given;
	bxt_default_run_def(&standard);
	BXT_NEEDS(d, out);
	*out = (bxt_twins){0};
	BXT_NEEDS(d, a);
	BXT_NEEDS(d, b);
	BXT_NEEDS(d, map || n_map == 0);
	BXT_TRY(bxt_take_sized(def ? def : &standard, &given, sizeof given, "bxt_run_def", d));
	bxt_twins_memory *m = calloc(1, sizeof *m);
	*out = (bxt_twins){.size = sizeof *out, .memory = m};
	if (m)
		m->arena = bxt_arena_new();
	bxt_status status =
		m && m->arena ? bxt_side_make(m->arena, a, &m->side[0]) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_side_make(m->arena, b, &m->side[1]);
	if (status == BXT_OK) {
		struct finder f = {.arena = m->arena,
				   .side = {&m->side[0], &m->side[1]},
				   .def = &given,
				   .d = d,
				   .out = out};
		status = find_all(&f, map, n_map);
		free(f.name);
		for (int s = 0; s < 2; s++) {
			free(f.sum[s].signal);
			free(f.sum[s].weight);
		}
	}
	if (status != BXT_OK)
		bxt_twins_free(out);
	return status;
}
