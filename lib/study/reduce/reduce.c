/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reduces a netlist: runs it for snapshots, reduces its parts one after the other, writes each into
 * a copy, and runs the copy to compare signals at the ports.
 */
#include "boxtimes_model.h"
#include "boxtimes_reduce.h"
#include "model/netlist/edit.h"
#include "study/reduce/methods.h"
#include "study/reduce/modes.h"
#include "study/reduce/records.h"
#include "study/reduce/shifted.h"
#include "study/reduce/trajectory.h"
#include "study/reduce/weights.h"
#include "study/reduce/write_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bxt_method *const methods[] = {
	&bxt_method_pod,
	&bxt_method_krylov,
	&bxt_method_irka,
	&bxt_method_craig_bampton,
};
enum { N_METHODS = sizeof methods / sizeof *methods };

/* State of a reduction. */
struct job {
	bxt_arena *arena; /* for the results */
	const bxt_netlist *netlist;
	bxt_library *library;
	bxt_diagnostics *d;
	bxt_reduce_def def;
	const bxt_method *method;
	bxt_system *whole;
	double step, end;    /* 0: the netlist has none */
	bxt_trajectory *run; /* NULL: no run was made */
	bxt_netlist *out;
	bxt_buffer record; /* signals at the ports of reduced parts */
	bxt_reduced_part *part;
	size_t n_parts;
	bool in_modes, as_rows; /* reduces the whole model in modes; writes modes as rows */
};

void bxt_default_reduce_def(bxt_reduce_def *def)
{
	if (!def)
		return;
	*def = (bxt_reduce_def){.size = sizeof *def};
	bxt_default_run_def(&def->run);
}

/* ---- The request ---- */

static bxt_place at_netlist(const struct job *j)
{
	return j->netlist->root->place;
}

static bxt_status find_method(struct job *j)
{
	const char *name = j->def.method ? j->def.method : "pod";
	bxt_nearest_search search = {.name = name};
	for (size_t i = 0; i < N_METHODS; i++) {
		if (strcmp(methods[i]->name, name) == 0)
			j->method = methods[i];
		bxt_nearest_offer(&search, methods[i]->name);
	}
	if (j->method)
		return BXT_OK;
	bxt_error(j->d, BXT_NOWHERE, "there is no method '%s'%s", name,
		  bxt_did_you_mean(j->arena, search.best));
	return BXT_ERR_MODEL;
}

static bxt_status check_def(struct job *j)
{
	const bxt_reduce_def *def = &j->def;
	BXT_TRY(find_method(j));
	const char *wrong = NULL;
	const char *as = def->as ? def->as : "matrices";
	j->as_rows = strcmp(as, "rows") == 0;
	j->in_modes = j->as_rows || strcmp(as, "modes") == 0;
	if (!j->in_modes && strcmp(as, "matrices") != 0)
		wrong = "a reduced model is written as matrices, modes or rows";
	else if (j->in_modes && j->method != &bxt_method_pod)
		wrong = "modes and rows are made from snapshots, by the method pod";
	else if (j->in_modes && (def->part || def->snapshots))
		wrong = "modes and rows are of the whole model, from a run of it";
	else if (def->weights != 0 && (!j->in_modes || j->as_rows))
		wrong = "weights are of the elements of a model in modes (--as modes)";
	else if (!(def->weights >= 0 && def->weights < 1))
		wrong = "what weights may miss is a part of the forces, between 0 and 1";
	else if (def->modes < 0 || (def->modes > 0) == (def->tolerance > 0))
		wrong = "how many modes: give a number of modes, or a tolerance";
	else if (!(def->tolerance >= 0 && def->tolerance < 1))
		wrong = "a tolerance is a part of the norm, between 0 and 1";
	else if (def->tolerance > 0 && !j->method->allows_tolerance)
		wrong = "a tolerance chooses among snapshots, as of the method pod: give a number "
			"of modes";
	if (!wrong)
		return BXT_OK;
	bxt_error(j->d, BXT_NOWHERE, "%s", wrong);
	return BXT_ERR_MODEL;
}

/* The step and end of the netlist, if it has any; *needed: their absence is a finding. */
static bxt_status find_times(struct job *j, bool needed)
{
	bxt_settings settings;
	bxt_diagnostics *aside = bxt_diagnostics_new();
	if (!aside)
		return BXT_ERR_MEMORY;
	const bxt_status status = bxt_settings_resolve(j->whole, &j->def.run, aside, &settings);
	if (status == BXT_OK) {
		j->step = settings.step;
		j->end = settings.end;
	}
	if (status == BXT_ERR_MODEL && needed)
		bxt_diagnostics_move(aside, j->d);
	bxt_diagnostics_free(aside);
	return status == BXT_ERR_MODEL && !needed ? BXT_OK : status;
}

/* ---- A part ---- */

static bxt_status find_snapshots(struct job *j, bxt_part_model *p, bxt_basis *snapshots)
{
	int *where;
	const bool of_run = !j->def.snapshots && j->run->rows > 1;
	BXT_TRY(bxt_trajectory_find(j->whole, p, &where));
	BXT_TRY(bxt_trajectory_cut(j->run, where, p, of_run ? snapshots : NULL));
	return j->def.snapshots ? bxt_trajectory_of_table(j->def.snapshots, p, j->d, snapshots)
				: BXT_OK;
}

/* The fraction of the snapshots' energy sum that the basis keeps. */
static bxt_status measure_kept(const bxt_part_model *p, const bxt_algebra *algebra,
			       const bxt_basis *snapshots, const bxt_basis *basis, double *kept)
{
	double all = 0, left = 0;
	double *c = malloc(((size_t)basis->r + 1) * sizeof *c);
	double *v = malloc(((size_t)p->n + 1) * sizeof *v);
	bxt_status status = c && v ? BXT_OK : BXT_ERR_MEMORY;
	for (int k = 0; k < snapshots->r && status == BXT_OK; k++) {
		double energy;
		const double *q = bxt_basis_q(snapshots, k);
		memcpy(v, bxt_basis_v(snapshots, k), (size_t)p->n * sizeof *v);
		bxt_algebra_close_ports(algebra, v);
		status = bxt_basis_energy(p, v, q, &energy);
		if (status == BXT_OK)
			status = bxt_basis_project(p, basis, v, q, c);
		all += energy;
		for (int i = 0; i < basis->r && status == BXT_OK; i++)
			left += c[i] * c[i];
	}
	*kept = all > 0 ? left / all : NAN;
	free(c);
	free(v);
	return status;
}

static bxt_status note_part(struct job *j, const bxt_part_model *p, const bxt_reduced *m,
			    const bxt_method_result *result, double kept)
{
	bxt_reduced_part *to = &j->part[j->n_parts++];
	double *singular = BXT_NEW(j->arena, double, (size_t)result->n_values);
	int flows = 0;
	for (int k = 0; k < p->n_ports; k++)
		flows += p->port[k].takes_flow;
	*to = (bxt_reduced_part){.size = sizeof *to,
				 .path = bxt_arena_strdup(j->arena, p->path),
				 .unknowns = p->n + p->m,
				 .states = m->r,
				 .at_once = m->w,
				 .ports = p->n_ports,
				 .flow_ports = flows,
				 .kept = kept,
				 .least_loss = m->least_loss,
				 .singular = singular,
				 .n_singular = (size_t)result->n_values,
				 .iterations = result->iterations,
				 .stagnated = result->stagnated};
	if (!to->path || !singular)
		return BXT_ERR_MEMORY;
	if (result->n_values > 0)
		memcpy(singular, result->values, (size_t)result->n_values * sizeof *singular);
	if (result->stagnated)
		bxt_warning(j->d, p->place,
			    "part '%s': the iteration did not converge in %d rounds; the best one "
			    "is taken",
			    p->path, result->iterations);
	return BXT_OK;
}

/* Sets the start of the reduced part, and notes the fraction of its energy that is lost. */
static bxt_status find_start(const bxt_part_model *p, const bxt_algebra *algebra,
			     const bxt_basis *basis, bxt_reduced *m, bxt_diagnostics *d)
{
	static const double NOTED = 1e-6; /* of the energy: a larger loss is noted */
	double energy, left = 0;
	bxt_algebra_close_ports(algebra, p->start_v);
	BXT_TRY(bxt_basis_project(p, basis, p->start_v, p->start_q, m->start));
	BXT_TRY(bxt_basis_energy(p, p->start_v, p->start_q, &energy));
	bxt_reduced_round(m->start, m->r);
	for (int i = 0; i < m->r; i++)
		left += m->start[i] * m->start[i];
	if (energy - left > NOTED * energy)
		bxt_warning(d, p->place,
			    "part '%s' starts with %.3g J, and its modes hold %.3g J of that",
			    p->path, energy / 2, left / 2);
	return BXT_OK;
}

static bxt_status reduce_model(struct job *j, bxt_part_model *p, bxt_algebra *algebra)
{
	bxt_basis snapshots = {.n = p->n}, basis = {.n = p->n};
	bxt_method_result result = {0};
	bxt_reduced *m = NULL;
	double kept = NAN;
	bxt_status status = find_snapshots(j, p, &snapshots);
	const bxt_method_def def = {
		.modes = j->def.modes,
		.tolerance = j->def.tolerance,
		.low = 1 / j->end,
		.high = fmax(1 / j->end, 0.1 / j->step),
		.snapshots = &snapshots,
	};
	if (status == BXT_OK)
		status = j->method->find(p, algebra, &def, j->d, &basis, &result);
	if (status == BXT_OK)
		status = bxt_reduced_new(p, algebra, &basis, j->d, &m);
	if (status == BXT_OK && snapshots.r > 0)
		status = measure_kept(p, algebra, &snapshots, &basis, &kept);
	if (status == BXT_OK)
		status = find_start(p, algebra, &basis, m, j->d);
	if (status == BXT_OK)
		status = bxt_write_part(j->out, p, m, j->method->name, j->d);
	if (status == BXT_OK)
		status = note_part(j, p, m, &result, kept);
	if (status == BXT_OK)
		status = bxt_records_of_ports(&j->record, j->whole, p->path);
	bxt_basis_free(&snapshots);
	bxt_basis_free(&basis);
	free(result.values);
	bxt_reduced_free(m);
	return status;
}

/* d: receives findings about why the part cannot be reduced. */
static bxt_status reduce_part(struct job *j, const char *id, bxt_diagnostics *d, bool *possible)
{
	bxt_part_model *p = NULL;
	bxt_algebra *algebra = NULL;
	bxt_status status = bxt_part_model_new(j->netlist, j->library, id, d, &p);
	if (status == BXT_OK)
		status = bxt_algebra_new(p, d, &algebra);
	*possible = status == BXT_OK;
	if (status == BXT_OK)
		status = reduce_model(j, p, algebra);
	bxt_algebra_free(algebra);
	bxt_part_model_free(p);
	return status;
}

/* ---- All parts ---- */

static bxt_status no_part(struct job *j)
{
	const bxt_network *net = j->whole->net;
	bxt_nearest_search search = {.name = j->def.part};
	for (size_t i = 1; i < net->n_primitives; i++)
		if (net->primitives[i].parent == 0)
			bxt_nearest_offer(&search, net->primitives[i].id);
	bxt_error(j->d, at_netlist(j), "there is no subsystem '%s'%s", j->def.part,
		  bxt_did_you_mean(j->arena, search.best));
	return BXT_ERR_MODEL;
}

/* A part that the caller did not name and that cannot be reduced stays unchanged, with a note. */
static bxt_status reduce_or_leave(struct job *j, const char *id, bxt_diagnostics *why)
{
	bool possible;
	bxt_status status = reduce_part(j, id, why, &possible);
	if (status == BXT_ERR_MODEL && !possible && !j->def.part) {
		const bxt_finding *first = bxt_diagnostics_get(why, 0);
		bxt_note(j->d, at_netlist(j), "part '%s' stays as it is: %s", id,
			 first ? first->text : "");
		return BXT_OK;
	}
	bxt_diagnostics_move(why, j->d);
	return status;
}

static bxt_status reduce_all(struct job *j)
{
	const bxt_network *net = j->whole->net;
	bool named = false;
	j->part = BXT_NEW(j->arena, bxt_reduced_part, net->n_primitives);
	if (!j->part)
		return BXT_ERR_MEMORY;
	for (size_t i = 1; i < net->n_primitives; i++) {
		const bxt_primitive *p = &net->primitives[i];
		if (p->parent != 0 || (j->def.part && strcmp(p->id, j->def.part) != 0))
			continue;
		bxt_diagnostics *why = bxt_diagnostics_new();
		if (!why)
			return BXT_ERR_MEMORY;
		named = true;
		const bxt_status status = reduce_or_leave(j, p->id, why);
		bxt_diagnostics_free(why);
		BXT_TRY(status);
	}
	if (!named && j->def.part)
		return no_part(j);
	if (j->n_parts > 0)
		return BXT_OK;
	bxt_error(j->d, at_netlist(j),
		  named ? "no part of the model can become matrices"
			: "the model has no parts: cut it into subsystems first (boxtimes tear)");
	return BXT_ERR_MODEL;
}

/* ---- Modes ---- */

static bxt_status reduce_modes(struct job *j)
{
	const bxt_method_def def = {.modes = j->def.modes, .tolerance = j->def.tolerance};
	bxt_modes modes = {.system = j->whole, .library = j->library};
	bxt_method_result result = {0};
	bxt_weighing weighing = {0};
	bxt_part_model whole = {.path = "", .place = at_netlist(j), .n = j->whole->n};
	if (j->whole->net->n_primitives > 1) {
		bxt_error(
			j->d, at_netlist(j),
			"modes are of a model without subsystems: put it together first (boxtimes "
			"flatten)");
		return BXT_ERR_MODEL;
	}
	bxt_status status =
		bxt_modes_find(j->arena, j->run, &j->def.run, &def, j->d, &modes, &result);
	if (status == BXT_OK && j->def.weights > 0)
		status = bxt_weights_find(j->arena, j->run->rows, j->run->time, j->def.weights,
					  &modes, &weighing);
	if (status == BXT_OK)
		status = j->as_rows ? bxt_write_rows(j->out, &modes, j->d)
				    : bxt_write_modes(j->out, &modes, j->d);
	const bxt_reduced m = {.r = modes.r, .least_loss = NAN};
	whole.m = j->whole->m;
	if (status == BXT_OK && (j->part = BXT_NEW(j->arena, bxt_reduced_part, 1)))
		status = note_part(j, &whole, &m, &result, NAN);
	else if (status == BXT_OK)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		memcpy(j->part[0].weighed, weighing.elements, sizeof weighing.elements);
		j->part[0].misfit = weighing.misfit;
	}
	free(result.values);
	return status;
}

/* ---- Comparing ---- */

static bxt_reduced_signal compare_signal(const bxt_trajectory *a, const bxt_trajectory *b, size_t i,
					 size_t k)
{
	bxt_reduced_signal s = {.size = sizeof s};
	for (size_t row = 0; row < a->rows && row < b->rows; row++) {
		const double x = a->signal[a->n_signals * row + i];
		const double off = fabs(x - b->signal[b->n_signals * row + k]);
		if (fabs(x) > s.scale)
			s.scale = fabs(x);
		if (!(off <= s.largest)) {
			s.largest = off;
			s.at = a->time[row];
		}
	}
	s.relative = s.scale > 0 ? s.largest / s.scale : s.largest;
	return s;
}

/* Is signal b of the reduced model the counterpart of a? */
static bool is_same(const struct job *j, const char *a, const char *b)
{
	const char *other = j->in_modes && !j->as_rows ? bxt_modes_signal(j->arena, a) : NULL;
	return strcmp(a, b) == 0 || (other && strcmp(other, b) == 0);
}

static bxt_status compare_runs(struct job *j, const bxt_system *small, bxt_reduction *about)
{
	bxt_trajectory *b = NULL;
	if (!j->run->n_signals || j->run->rows < 2 ||
	    (j->in_modes && !small->net->simulation.record))
		return BXT_OK;
	bxt_reduced_signal *all = BXT_NEW(j->arena, bxt_reduced_signal, j->run->n_signals);
	if (!all)
		return BXT_ERR_MEMORY;
	char *record;
	BXT_TRY(bxt_records_filter(small,
				   j->in_modes      ? small->net->simulation.record
				   : j->record.text ? j->record.text
						    : "",
				   NULL, NULL, &record));
	bxt_status status = bxt_trajectory_run(small, &j->def.run, record, false, true, j->d, &b);
	free(record);
	if (status != BXT_OK)
		return status;
	for (size_t i = 0; i < j->run->n_signals && status == BXT_OK; i++)
		for (size_t k = 0; k < b->n_signals; k++)
			if (is_same(j, j->run->name[i], b->name[k])) {
				bxt_reduced_signal *to = &all[about->n_signals++];
				*to = compare_signal(j->run, b, i, k);
				if (!(to->name = bxt_arena_strdup(j->arena, b->name[k])))
					status = BXT_ERR_MEMORY;
				break;
			}
	about->signal = all;
	bxt_trajectory_free(b);
	return status;
}

/* Compiles the reduced netlist, and reports signals that it lacks. */
static bxt_status finish(struct job *j, bxt_reduction *about)
{
	bxt_system *small = NULL;
	BXT_TRY(bxt_tree_layout(j->out, false));
	BXT_TRY(bxt_system_compile(j->out, j->library, j->d, &small));
	about->unknowns[0] = j->whole->n + j->whole->m;
	about->unknowns[1] = small->n + small->m;
	bxt_status status = j->end > 0 ? compare_runs(j, small, about) : BXT_OK;
	if (status == BXT_OK)
		status = bxt_records_keep(j->out, small, j->d);
	bxt_system_free(small);
	return status;
}

/* ---- Making ---- */

/* Lists the signals at the ports of all parts that may be reduced, before the run. */
static bxt_status run_whole(struct job *j)
{
	bxt_buffer record = {0};
	bxt_status status = BXT_OK;
	if (!j->in_modes)
		status = bxt_records_of_ports(&record, j->whole, j->def.part);
	else if (j->whole->net->simulation.record)
		bxt_buffer_printf(&record, "%s", j->whole->net->simulation.record);
	if (status == BXT_OK)
		status = bxt_trajectory_run(j->whole, &j->def.run,
					    record.length ? record.text : NULL, !j->def.snapshots,
					    j->end > 0, j->d, &j->run);
	bxt_buffer_free(&record);
	return status;
}

static bxt_status work(struct job *j, bxt_reduction *about)
{
	BXT_TRY(check_def(j));
	BXT_TRY(bxt_system_compile(j->netlist, j->library, j->d, &j->whole));
	BXT_TRY(find_times(j, !j->def.snapshots || !j->method->needs_snapshots));
	BXT_TRY(bxt_netlist_copy(j->netlist, &j->out));
	BXT_TRY(run_whole(j));
	BXT_TRY(j->in_modes ? reduce_modes(j) : reduce_all(j));
	BXT_TRY(finish(j, about));
	about->size = sizeof *about;
	about->memory = j->arena;
	about->part = j->part;
	about->n_parts = j->n_parts;
	about->method = j->method->name;
	about->as = j->in_modes ? (j->as_rows ? "rows" : "modes") : "matrices";
	return BXT_OK;
}

bxt_status bxt_netlist_reduce(const bxt_netlist *netlist, bxt_library *library,
			      const bxt_reduce_def *def, bxt_diagnostics *d, bxt_netlist **out,
			      bxt_reduction **about)
{
	BXT_NEEDS(d, netlist);
	BXT_NEEDS(d, library);
	BXT_NEEDS(d, def);
	BXT_NEEDS(d, out);
	*out = NULL;
	if (about)
		*about = NULL;
	struct job j = {.netlist = netlist, .library = library, .d = d};
	BXT_TRY(bxt_take_sized(def, &j.def, sizeof j.def, "bxt_reduce_def", d));
	if (!(j.arena = bxt_arena_new()))
		return BXT_ERR_MEMORY;
	bxt_reduction *made = BXT_NEW(j.arena, bxt_reduction, 1);
	const bxt_status status = made ? work(&j, made) : BXT_ERR_MEMORY;
	bxt_buffer_free(&j.record);
	bxt_trajectory_free(j.run);
	bxt_system_free(j.whole);
	if (status == BXT_OK) {
		*out = j.out;
		if (about)
			*about = made;
		else
			bxt_arena_free(j.arena);
		return BXT_OK;
	}
	bxt_netlist_free(j.out);
	bxt_arena_free(j.arena);
	return status;
}

bxt_reduction *bxt_reduction_free(bxt_reduction *about)
{
	if (about)
		bxt_arena_free(about->memory);
	return NULL;
}
