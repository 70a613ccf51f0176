/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates output sets with the tapes of groups; skips groups whose weights are all 0. */
#include "model/system/evaluate.h"

#include "model/system/fused.h"
#include "model/system/native_internal.h"
#include "model/system/runner_internal.h"
#include "model/system/special_tapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const bxt_output_set_id bxt_jacobian_sets[BXT_JACOBIANS] = {
	BXT_SET_JAC_CONST,    BXT_SET_JAC_DYN,           BXT_SET_JAC_CON,
	BXT_SET_JAC_DISCRETE, BXT_SET_JAC_DISCRETE_BACK, BXT_SET_JAC_EXTERNAL};

int bxt_jacobian_slot(bxt_output_set_id set)
{
	int slot = 0;
	while (slot < BXT_JACOBIANS - 1 && bxt_jacobian_sets[slot] != set)
		slot++;
	return slot;
}

bxt_evaluator *bxt_evaluator_new(const bxt_system *s)
{
	bxt_evaluator *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	const size_t work = (s->tapes.most_work + 16) / 8 * 8;
	e->system = s;
	e->in = calloc((size_t)s->tapes.most_variables + 1, sizeof *e->in);
	e->work = aligned_alloc(64, work * sizeof *e->work);
	e->gathered = aligned_alloc(64, ((size_t)s->tapes.most_variables + 1) * BXT_LANES *
						sizeof *e->gathered);
	e->parameter = calloc((size_t)s->n_groups + 1, sizeof *e->parameter);
	e->joined_work = malloc((s->tapes.fused_work + 1) * sizeof *e->joined_work);
	e->signal = malloc(((size_t)s->net->timed.n + 1) * sizeof *e->signal);
	e->signal_in = calloc(bxt_inputs_variables(s->inputs), sizeof *e->signal_in);
	if (s->tapes.native)
		e->ignored = calloc(2 * ((size_t)s->size + BXT_LANES), sizeof *e->ignored);
	bool failed = !e->in || !e->work || !e->gathered || !e->parameter || !e->joined_work ||
		      !e->signal || !e->signal_in || (s->tapes.native && !e->ignored);
	if (e->signal_in)
		bxt_inputs_offer(s->inputs, e->time, e->signal_in);
	for (int f = 0; f < BXT_SET_COUNT && !failed; f++)
		if (s->tapes.fused[f])
			bxt_fused_tape_start(s->tapes.fused[f]->program,
					     e->joined_work + s->tapes.fused[f]->first_work);
	if (s->tapes.fused_signals && !failed)
		bxt_fused_tape_start(s->tapes.fused_signals->program,
				     e->joined_work + s->tapes.fused_signals->first_work);
	for (int g = 0; g < s->n_groups && !failed; g++) {
		const bxt_group *group = &s->groups[g];
		const size_t bytes = (size_t)group->blocks *
				     (size_t)(group->type->n_parameter + group->type->n_hoisted) *
				     BXT_LANES * sizeof(double);
		e->parameter[g] = group->parameter;
		if (group->n_signal == 0)
			continue;
		e->parameter[g] = malloc(bytes);
		failed = !e->parameter[g];
		if (!failed)
			memcpy(e->parameter[g], group->parameter, bytes);
	}
	return failed ? bxt_evaluator_free(e) : e;
}

bxt_evaluator *bxt_evaluator_free(bxt_evaluator *e)
{
	if (!e)
		return NULL;
	for (int g = 0; e->parameter && g < e->system->n_groups; g++)
		if (e->parameter[g] != e->system->groups[g].parameter)
			free(e->parameter[g]);
	free(e->parameter);
	free(e->ignored);
	free(e->joined_work);
	free(e->signal);
	free(e->signal_in);
	free(e->in);
	free(e->work);
	free(e->gathered);
	free(e);
	return NULL;
}

static void set_signals(bxt_evaluator *e)
{
	const bxt_system *s = e->system;
	const bxt_fused *j = s->tapes.fused_signals;
	if (s->tapes.native && s->tapes.native->run_signals) {
		s->tapes.native->run_signals(e);
		return;
	}
	if (j) {
		const double *sources[BXT_JOINED_SOURCES] = {
			[BXT_JOINED_TIME] = e->time, [BXT_JOINED_INPUT] = s->inputs->number};
		double *work = e->joined_work + j->first_work;
		bxt_fused_tape_run(j->program, sources, work);
		for (int k = 0; k < j->n; k++)
			e->signal[k] = work[j->outputs[k].value];
		return;
	}
	bxt_tape_run_first(s->net->timed.tape, e->signal_in, e->work, 1);
	for (int k = 0; k < s->net->timed.n; k++)
		e->signal[k] = *bxt_tape_result(s->net->timed.tape, k, e->signal_in, e->work);
}

void bxt_evaluator_set_time(bxt_evaluator *e, double t)
{
	const bxt_system *s = e->system;
	if (e->has_time && e->time[0] == t && e->inputs == s->inputs->version)
		return;
	e->has_time = true;
	e->inputs = s->inputs->version;
	for (int l = 0; l < BXT_LANES; l++)
		e->time[l] = t;
	if (!s->net->timed.tape)
		return;
	set_signals(e);
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		for (int k = 0; k < group->n_signal; k++)
			e->parameter[g][group->signal_place[k]] = e->signal[group->signal[k]];
	}
}

void bxt_evaluator_set_step(bxt_evaluator *e, double h)
{
	for (int l = 0; l < BXT_LANES && e->step[BXT_LANES - 1] != h; l++)
		e->step[l] = h;
}

/* The elements of a block. */
static int lanes_of(const bxt_group *group, int block)
{
	const int left = group->count - block * BXT_LANES;
	return left < BXT_LANES ? left : BXT_LANES;
}

/* Loops over whole blocks have a constant length: compilers unroll them. */
static void gather_block(const int *restrict at, const double *restrict from, double *restrict to)
{
	for (int l = 0; l < BXT_LANES; l++)
		to[l] = from[at[l]];
}

const double *bxt_values_at(const bxt_group *group, int block, int local, const double *from,
			    double *to)
{
	const int first = block * BXT_LANES;
	if (group->base[local] >= 0 && first + BXT_LANES <= group->count)
		return from + group->base[local] + first;
	const int *at = group->at[local] + first;
	/* a few more than the elements, for tapes that run a few lanes: all stand for the spare */
	const int left = group->count - first, lanes = left == 1               ? 1
						       : left <= BXT_FEW_LANES ? BXT_FEW_LANES
									       : BXT_LANES;
	if (lanes == BXT_LANES)
		gather_block(at, from, to);
	for (int l = 0; l < lanes && lanes < BXT_LANES; l++)
		to[l] = from[at[l]];
	return to;
}

static void gather_offsets(const bxt_system *s, const bxt_group *group, int block, int k,
			   double *to)
{
	const int first = block * BXT_LANES, n = lanes_of(group, block);
	for (int l = 0; l < n; l++)
		to[l] = s->inputs->offset[s->of_element.first_condition[group->element[first + l]] +
					  k];
	for (int l = n; l < BXT_LANES; l++)
		to[l] = 0;
}

static void gather(bxt_evaluator *e, int g, int block, const bxt_output_set *set, bxt_point at)
{
	const bxt_group *group = &e->system->groups[g];
	const size_t rows = (size_t)(group->type->n_parameter + group->type->n_hoisted);
	const double *parameter = e->parameter[g] + (size_t)block * rows * BXT_LANES;
	for (const bxt_read *r = set->reads, *end = r + set->n_reads; r < end; r++) {
		double *to = e->gathered + (size_t)r->variable * BXT_LANES;
		switch (r->source) {
		case BXT_FROM_BLOCK:
			e->in[r->variable] = parameter + (size_t)r->index * BXT_LANES;
			break;
		case BXT_FROM_Q:
			e->in[r->variable] = bxt_values_at(group, block, r->index, at.q, to);
			break;
		case BXT_FROM_X:
			e->in[r->variable] = bxt_values_at(group, block, r->index, at.x, to);
			break;
		case BXT_FROM_TIME:
			e->in[r->variable] = e->time;
			break;
		case BXT_FROM_STEP:
			e->in[r->variable] = e->step;
			break;
		case BXT_FROM_CONDITION:
			gather_offsets(e->system, group, block, r->index, to);
			e->in[r->variable] = to;
			break;
		}
	}
}

/* r[at] += w * y over a block. */
static void scatter(const bxt_group *group, int block, int local, double w,
		    const double *restrict y, double *restrict r)
{
	const int first = block * BXT_LANES;
	if (group->base[local] >= 0 && first + BXT_LANES <= group->count) {
		double *to = r + group->base[local] + first;
		for (int l = 0; l < BXT_LANES; l++)
			to[l] += w * y[l];
		return;
	}
	const int *at = group->at[local] + first;
	const int lanes = lanes_of(group, block);
	for (int l = 0; l < lanes; l++)
		r[at[l]] += w * y[l];
}

/* r[at] += w * y, abs[at] += |w * y| over a block. */
static void scatter_both(const bxt_group *group, int block, int local, double w,
			 const double *restrict y, const bxt_residual *r)
{
	const int first = block * BXT_LANES;
	double *restrict to = r->r, *restrict abs = r->r_abs;
	if (group->base[local] >= 0 && first + BXT_LANES <= group->count) {
		to += group->base[local] + first;
		abs += group->base[local] + first;
		for (int l = 0; l < BXT_LANES; l++) {
			to[l] += w * y[l];
			abs[l] += fabs(w * y[l]);
		}
		return;
	}
	const int *restrict at = group->at[local] + first;
	const int lanes = lanes_of(group, block);
	for (int l = 0; l < lanes; l++) {
		const double term = w * y[l];
		to[at[l]] += term;
		abs[at[l]] += fabs(term);
	}
}

/* Exported ports: C gets value * v, K gets value * l. */
void bxt_evaluate_ports(const bxt_system *s, bxt_point at, const bxt_weights *w,
			const bxt_residual *to)
{
	double *r = to->r, *r_abs = to->r_abs;
	for (int i = 0; i < s->exported.n; i++) {
		const int row = s->exported.row[i], col = s->exported.col[i];
		const double c = w->of[0][BXT_C] * s->exported.value[i] * at.x[col];
		const double k = w->of[s->pinned[col]][BXT_K] * s->exported.value[i] * at.x[row];
		r[row] += c;
		r[col] += k;
		if (r_abs) {
			r_abs[row] += fabs(c);
			r_abs[col] += fabs(k);
		}
	}
}

/* Constant A: C gets A v, K gets A^T l. The tapes add the rest of C, -b. `sizes` is a constant
 * after inlining. */
static inline void constant_rows(const bxt_system *s, bxt_point at, const bxt_weights *w,
				 const bxt_residual *to, const bool sizes)
{
	const int *restrict ptr = s->constraints.a.colptr, *restrict row = s->constraints.a.rowind;
	const double *restrict a = s->constraints.a.values, *restrict v = at.x,
			       *restrict l = at.x + s->n;
	const double weight_c = w->of[0][BXT_C];
	/* columns and rows: ranges apart */
	double *restrict r = to->r, *restrict c = to->r + s->n;
	double *restrict r_abs = to->r_abs, *restrict c_abs = sizes ? to->r_abs + s->n : NULL;
	for (int j = 0; j < s->n; j++) {
		const double weight_k = w->of[s->pinned[j]][BXT_K], flow = weight_c * v[j];
		double sum = 0, sum_abs = 0;
		for (int k = ptr[j]; k < ptr[j + 1]; k++) {
			const int i = row[k];
			const double slope = a[k], term = slope * l[i], other = slope * flow;
			sum += term;
			c[i] += other;
			if (sizes) {
				sum_abs += fabs(term);
				c_abs[i] += fabs(other);
			}
		}
		r[j] += weight_k * sum;
		if (sizes)
			r_abs[j] += fabs(weight_k) * sum_abs;
	}
}

/* Has any output of an output set a nonzero weight? */
static bool wanted(const bxt_group *group, const bxt_output_set *set, const bxt_weights *w)
{
	for (int k = 0; k < set->n; k++) {
		const bxt_entry *entry = &set->entries[k];
		if (w->of[entry->term == BXT_C ? 0 : group->pinned[entry->row]][entry->term] != 0)
			return true;
	}
	return false;
}

/* ---- Tapes ---- */

static void residual_by_tapes(bxt_evaluator *e, bxt_output_set_id id, bxt_point at,
			      const bxt_weights *w, const bxt_residual *to)
{
	const bxt_system *s = e->system;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_output_set *set = &group->type->set[id];
		const bxt_weights *own = w + (e->weights_of ? e->weights_of[g] : 0);
		const bxt_tape *tape = bxt_tape_of(group, id);
		const int blocks = wanted(group, set, own) ? group->blocks : 0;
		for (int block = 0; block < blocks; block++) {
			gather(e, g, block, set, at);
			bxt_tape_run_first(tape, e->in, e->work, lanes_of(group, block));
			for (int k = 0; k < set->n; k++) {
				const bxt_entry *entry = &set->entries[k];
				const bool row = entry->term == BXT_C,
					   momentum = entry->term == BXT_P;
				const int local = row ? group->type->nl + entry->row : entry->row;
				const double weight =
					own->of[row ? 0 : group->pinned[entry->row]][entry->term];
				if (weight == 0)
					continue;
				const double *y = bxt_tape_result(tape, k, e->in, e->work);
				const bxt_residual part = {.r = momentum ? to->p : to->r,
							   .r_abs = momentum ? to->p_abs
									     : to->r_abs};
				if (part.r_abs)
					scatter_both(group, block, local, weight, y, &part);
				else
					scatter(group, block, local, weight, y, part.r);
			}
		}
	}
}

/* Adds one block of a group to each destination where its weight is nonzero. */
static void scatter_jacobian(const bxt_evaluator *e, const bxt_group *group, bxt_output_set_id id,
			     int block, int n, const bxt_weights *w, double *const *values)
{
	const bxt_output_set *set = &group->type->set[id];
	const bxt_tape *tape = bxt_tape_of(group, id);
	const int lanes = lanes_of(group, block), f = bxt_jacobian_slot(id);
	for (int k = 0; k < set->n; k++) {
		const bxt_entry *entry = &set->entries[k];
		const bool row = entry->term == BXT_CQ || entry->term == BXT_CV;
		const int role = row ? 0 : group->pinned[entry->row];
		const int *slot = group->slot[f][k] + (size_t)block * BXT_LANES;
		const double *y = bxt_tape_result(tape, k, e->in, e->work);
		for (int i = 0; i < n; i++) {
			const double weight = w[i].of[role][entry->term];
			for (int l = 0; l < lanes && weight != 0; l++)
				values[i][slot[l]] += weight * y[l];
		}
	}
}

/* Is there an entry with a weight at any destination? */
static bool wanted_jacobian(const bxt_group *group, const bxt_output_set *set, int n,
			    const bxt_weights *w)
{
	for (int k = 0; k < set->n; k++) {
		const bxt_entry *entry = &set->entries[k];
		const bool row = entry->term == BXT_CQ || entry->term == BXT_CV;
		for (int i = 0; i < n; i++)
			if (w[i].of[row ? 0 : group->pinned[entry->row]][entry->term] != 0)
				return true;
	}
	return false;
}

static void jacobian_by_tapes(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, int n,
			      const bxt_weights *w, double *const *values)
{
	const bxt_system *s = e->system;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_output_set *set = &group->type->set[id];
		const bxt_weights *own = w + (e->weights_of ? e->weights_of[g] * n : 0);
		const int blocks = wanted_jacobian(group, set, n, own) ? group->blocks : 0;
		for (int block = 0; block < blocks; block++) {
			gather(e, g, block, set, at);
			bxt_tape_run_first(bxt_tape_of(group, id), e->in, e->work,
					   lanes_of(group, block));
			scatter_jacobian(e, group, id, block, n, own, values);
		}
	}
}

static void sums_by_tapes(bxt_evaluator *e, bxt_output_set_id id, bxt_point at,
			  const bxt_sums *sums)
{
	const bxt_system *s = e->system;
	int first = 0;
	for (int g = 0; g < s->n_groups; first += s->groups[g++].count) {
		const bxt_group *group = &s->groups[g];
		const bxt_output_set *set = &group->type->set[id];
		const bxt_sums *own = sums + (e->weights_of ? e->weights_of[g] : 0);
		const bxt_tape *tape = bxt_tape_of(group, id);
		for (int block = 0; set->n > 0 && block < group->blocks; block++) {
			const int lanes = lanes_of(group, block);
			gather(e, g, block, set, at);
			bxt_tape_run_first(tape, e->in, e->work, lanes);
			for (int k = 0; k < set->n; k++) {
				const double *y = bxt_tape_result(tape, k, e->in, e->work);
				const double w = own->weight[set->entries[k].row];
				double *to = own->to[set->entries[k].row] + first +
					     (size_t)block * BXT_LANES;
				for (int l = 0; l < lanes; l++)
					to[l] += w * y[l];
			}
		}
	}
}

const bxt_runner bxt_tape_runner = {residual_by_tapes, jacobian_by_tapes, sums_by_tapes};

/* ---- By either runner ---- */

void bxt_evaluate_constant_rows(bxt_evaluator *e, bxt_point at, const bxt_weights *w,
				const bxt_residual *to)
{
	if (e->system->tapes.native && e->system->tapes.native->run_rows)
		e->system->tapes.native->run_rows(e, at, w, to->r, to->r_abs);
	else if (to->r_abs)
		constant_rows(e->system, at, w, to, true);
	else
		constant_rows(e->system, at, w, to, false);
}

void bxt_evaluate_apart(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, const bxt_weights *w,
			const bxt_residual *to)
{
	const bxt_system *s = e->system;
	if (id == BXT_SET_CONSTRAINT && s->constraints.a.colptr) {
		bxt_evaluate_constant_rows(e, at, w, to);
		if (s->constraints.have_b) {
			const bxt_weights only_c = {{{[BXT_C] = w->of[0][BXT_C]}, {0}}};
			s->tapes.runner[BXT_SET_REST]->residual(e, BXT_SET_REST, at, &only_c, to);
		}
		return;
	}
	s->tapes.runner[id]->residual(e, id, at, w, to);
	if (id == BXT_SET_CONSTRAINT)
		bxt_evaluate_ports(s, at, w, to);
}

void bxt_evaluate(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, const bxt_weights *w,
		  double *r, double *r_abs)
{
	bxt_evaluate_apart(e, id, at, w, &(bxt_residual){r, r_abs, r, r_abs});
}

void bxt_evaluate_sums(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, const bxt_sums *sums)
{
	e->system->tapes.runner[id]->sums(e, id, at, sums);
}

void bxt_evaluate_jacobian_to(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, int n,
			      const bxt_weights *w, double *const *values)
{
	const bxt_system *s = e->system;
	s->tapes.runner[id]->jacobian(e, id, at, n, w, values);
	for (int i = 0; id == BXT_SET_JAC_CONST && i < s->exported.n; i++)
		for (int k = 0; k < n; k++) {
			values[k][s->exported.slot[i]] += w[k].of[0][BXT_CV] * s->exported.value[i];
			values[k][s->exported.slot_t[i]] +=
				w[k].of[s->pinned[s->exported.col[i]]][BXT_KL] *
				s->exported.value[i];
		}
}

void bxt_evaluate_jacobian(bxt_evaluator *e, bxt_output_set_id id, bxt_point at,
			   const bxt_weights *w, double *values)
{
	bxt_evaluate_jacobian_to(e, id, at, 1, w, &values);
}

/* Has any term from first to last a weight? */
static bool has_weight(const bxt_weights *w, bxt_term first, bxt_term last)
{
	bool has = false;
	for (int c = first; c <= (int)last; c++)
		has = has || w->of[0][c] != 0 || w->of[1][c] != 0;
	return has;
}

void bxt_assemble(bxt_evaluator *e, bxt_point at, const bxt_weights *w, double *values)
{
	memset(values, 0, ((size_t)bxt_sparse_nnz(&e->system->pattern) + 1) * sizeof *values);
	bxt_evaluate_jacobian(e, BXT_SET_JAC_CONST, at, w, values);
	if (has_weight(w, BXT_PQ, BXT_FV))
		bxt_evaluate_jacobian(e, BXT_SET_JAC_DYN, at, w, values);
	if (has_weight(w, BXT_CQ, BXT_KL))
		bxt_evaluate_jacobian(e, BXT_SET_JAC_CON, at, w, values);
}

void bxt_evaluate_blocks(bxt_evaluator *e, bxt_output_set_id id, bxt_point at,
			 bxt_block_visitor *visit, void *context)
{
	const bxt_system *s = e->system;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_output_set *set = &group->type->set[id];
		for (int block = 0; set->n > 0 && block < group->blocks; block++) {
			const int first = block * BXT_LANES, left = group->count - first;
			gather(e, g, block, set, at);
			bxt_tape_run_first(set->tape, e->in, e->work, lanes_of(group, block));
			visit(context, group, first, left < BXT_LANES ? left : BXT_LANES, set,
			      e->in, e->work);
		}
	}
}

double bxt_evaluate_one(bxt_evaluator *e, bxt_output_set_id id, int element, bxt_term term, int row,
			bxt_point at)
{
	const bxt_system *s = e->system;
	const int g = s->of_element.group[element], place = s->of_element.place[element];
	const bxt_output_set *set = &s->groups[g].type->set[id];
	double value = 0;
	if (set->n == 0)
		return 0;
	gather(e, g, place / BXT_LANES, set, at);
	bxt_tape_run_first(set->tape, e->in, e->work, lanes_of(&s->groups[g], place / BXT_LANES));
	for (int k = 0; k < set->n; k++)
		if (set->entries[k].term == term && set->entries[k].row == row)
			value = bxt_tape_result(set->tape, k, e->in, e->work)[place % BXT_LANES];
	return value;
}

double bxt_evaluate_work(const bxt_system *s, bxt_output_set_id id)
{
	double work = 0;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_output_set *set = &s->groups[g].type->set[id];
		if (set->n > 0)
			work += s->groups[g].count * (bxt_tape_operations(set->tape) + set->n);
	}
	return work;
}
