/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/system/massless.h"

#include "ground/base/plain.h"
#include "ground/expr/tape.h"

#include <math.h>

/* Number of points at which inertia that depends on the state is evaluated, with flows of either
 * sign. An entry that is 0 at all of them has a factor 0. */
static const double FLOWS[] = {0.3, -0.7, 0.05, -0.11};
/* If an exponential overflows, as that of a junction in other units, flows are reduced by this
 * factor, at most this number of times. */
static const double SMALLER = 1.0 / 1024;
enum { POINTS = sizeof FLOWS / sizeof *FLOWS, SCALES = 12 };

/* The inputs of the tape of one element, lane by lane. */
struct reading {
	const double **in; /* (variables) */
	double *value;     /* (variables)(LANES) */
	double *work;
};

static void set_variable(const struct reading *r, int v, double value)
{
	for (int l = 0; l < BXT_LANES; l++)
		r->value[v * BXT_LANES + l] = value;
}

/* Sets parameters and the values hoisted from them; all other inputs are 0. */
static bxt_status open_reading(bxt_arena *scratch, const bxt_element *e,
			       const bxt_element_type *type, struct reading *r)
{
	const size_t n = (size_t)bxt_type_n_var(type);
	size_t most = type->prelude ? bxt_tape_work(type->prelude) : 0;
	for (int k = BXT_SET_JAC_CONST; k <= BXT_SET_JAC_DYN; k++)
		if (type->set[k].tape && bxt_tape_work(type->set[k].tape) > most)
			most = bxt_tape_work(type->set[k].tape);
	r->in = BXT_NEW(scratch, const double *, n);
	r->value = BXT_NEW(scratch, double, n *BXT_LANES);
	r->work = BXT_NEW(scratch, double, most);
	if (!r->in || !r->value || !r->work)
		return BXT_ERR_MEMORY;
	for (size_t v = 0; v < n; v++)
		r->in[v] = r->value + v * BXT_LANES;
	for (int p = 0; p < type->n_parameter; p++)
		set_variable(r, p, e->parameter[p]);
	if (!type->prelude)
		return BXT_OK;
	bxt_tape_run_first(type->prelude, r->in, r->work, 1);
	for (int k = 0; k < type->n_hoisted; k++)
		set_variable(r, bxt_type_var_hoisted(type) + k,
			     bxt_tape_result(type->prelude, k, r->in, r->work)[0]);
	return BXT_OK;
}

/* The sum of |entries| of row a of dP/dv in the set at the point. */
static double size_of(const bxt_element_type *type, int set_id, int a, const struct reading *r)
{
	const bxt_output_set *set = &type->set[set_id];
	double sum = 0;
	if (!set->tape)
		return sum;
	bxt_tape_run_first(set->tape, r->in, r->work, 1);
	for (int k = 0; k < set->n; k++)
		if (set->entries[k].term == BXT_PV && set->entries[k].row == a)
			sum += fabs(bxt_tape_result(set->tape, k, r->in, r->work)[0]);
	return sum;
}

/* Is row a of dP/dv 0 at point k? */
static bool is_zero_at(const bxt_element_type *type, int a, int k, const struct reading *r)
{
	double size = INFINITY, by = 1;
	for (int j = 0; j < SCALES && !isfinite(size); j++, by *= SMALLER) {
		for (int b = 0; b < type->nl; b++)
			set_variable(r, bxt_type_var_v(type) + b, by * FLOWS[(k + b) % POINTS]);
		size = size_of(type, BXT_SET_JAC_DYN, a, r);
	}
	return size == 0;
}

/* Does the inertia of the row depend on the state? */
static bool varies(const bxt_element_type *type, int a)
{
	const bxt_output_set *set = &type->set[BXT_SET_JAC_DYN];
	for (int k = 0; k < set->n; k++)
		if (set->entries[k].term == BXT_PV && set->entries[k].row == a)
			return true;
	return false;
}

bxt_status bxt_inertia_vanishes(bxt_arena *scratch, const bxt_element *e,
				const bxt_element_type *type, int a, bool *vanishes)
{
	struct reading r;
	bool zero = false; /* no inertia vanishes without a parameter */
	*vanishes = false;
	for (int p = 0; p < type->n_parameter; p++)
		zero = zero || e->parameter[p] == 0;
	const bool state = varies(type, a);
	/* a momentum that coordinates or time change needs its rate, which such rows do not have */
	if (!zero || type->massless[a] || (state && !type->flows_alone[a]))
		return BXT_OK;
	BXT_TRY(open_reading(scratch, e, type, &r));
	*vanishes = size_of(type, BXT_SET_JAC_CONST, a, &r) == 0;
	for (int k = 0; k < POINTS && state && *vanishes; k++)
		*vanishes = is_zero_at(type, a, k, &r);
	return BXT_OK;
}

/* Does the element act on its local coordinate a? */
static bool acts_on(const bxt_element_type *type, int a)
{
	for (int id = BXT_SET_DYNAMICS; id <= BXT_SET_CONSTRAINT; id++)
		for (int k = 0; k < type->set[id].n; k++)
			if (type->set[id].entries[k].row == a &&
			    type->set[id].entries[k].term != BXT_C)
				return true;
	return false;
}

bxt_status bxt_check_momentum_terms(const bxt_network *net, bxt_diagnostics *d)
{
	bool wrong = false;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_element_type *type = net->types[e->type];
		const int first = type->n_own + type->n_shared;
		for (int a = first; a < type->nl; a++) {
			const bxt_bound bound = e->bound[a - first];
			if (bound.element < 0)
				continue;
			const bxt_element *on = &net->elements[bound.element];
			if (!net->types[on->type]->has_term[bound.coordinate] || !acts_on(type, a))
				continue;
			const bxt_component *c = net->types[on->type]->component;
			bxt_error(
				d, e->place,
				"%s '%s' acts on '%s.%s', whose <momentum> accounts for the power "
				"of %s '%s' alone",
				type->component->name, e->id, on->id,
				c->coordinates[bound.coordinate].name, c->name, on->id);
			wrong = true;
		}
	}
	return wrong ? BXT_ERR_MODEL : BXT_OK;
}
