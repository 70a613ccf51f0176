/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a model for snapshots of its coordinates and flows, at evenly spaced steps. */
#include "study/reduce/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Number of rows of a run, and limit on the number of values in all snapshots, which bounds memory.
 */
enum { MOST_ROWS = 400, MOST_NUMBERS = 50000000 };

bxt_trajectory *bxt_trajectory_free(bxt_trajectory *t)
{
	if (t) {
		for (size_t i = 0; i < t->n_signals && t->name; i++)
			free(t->name[i]);
		free(t->name);
		free(t->q);
		free(t->v);
		free(t->time);
		free(t->signal);
		free(t);
	}
	return NULL;
}

/* ---- Running ---- */

static long count_rows(const bxt_settings *settings, int n, bool snapshots, long *every)
{
	const long steps = lround(ceil(settings->end / settings->step * (1 - 1e-12)));
	const long most = snapshots && (long)n * MOST_ROWS * 2 > MOST_NUMBERS
				  ? MOST_NUMBERS / (2 * (long)n) + 2
				  : MOST_ROWS;
	*every = steps <= most ? 1 : (steps + most - 1) / most;
	return steps / *every;
}

static bxt_status make_room(bxt_trajectory *t, const bxt_simulation *m, size_t rows, bool snapshots)
{
	const size_t columns = snapshots ? rows : 1, n = (size_t)t->n;
	t->n_signals = bxt_simulation_signals(m);
	t->q = malloc((n * columns + 1) * sizeof *t->q);
	t->v = malloc((n * columns + 1) * sizeof *t->v);
	t->time = malloc((rows + 1) * sizeof *t->time);
	t->signal = malloc((t->n_signals * rows + 1) * sizeof *t->signal);
	t->name = calloc(t->n_signals + 1, sizeof *t->name);
	if (!t->q || !t->v || !t->time || !t->signal || !t->name)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < t->n_signals; i++)
		if (!(t->name[i] = strdup(bxt_simulation_signal(m, i)->name)))
			return BXT_ERR_MEMORY;
	return BXT_OK;
}

static bxt_status take_row(bxt_trajectory *t, bxt_simulation *m, bool snapshots)
{
	const size_t n = (size_t)t->n, i = t->rows++;
	t->time[i] = bxt_simulation_time(m);
	if (i == 0 || snapshots)
		BXT_TRY(bxt_simulation_get_vectors(m, t->q + n * i, NULL, t->v + n * i, NULL));
	return t->n_signals ? bxt_simulation_read(m, t->signal + t->n_signals * i) : BXT_OK;
}

static bxt_status run_simulation(bxt_trajectory *t, bxt_simulation *m, bool snapshots, bool end,
				 bxt_diagnostics *d)
{
	long every = 1;
	const long rows = end ? count_rows(&m->settings, t->n, snapshots, &every) : 0;
	BXT_TRY(make_room(t, m, (size_t)rows + 1, snapshots));
	BXT_TRY(take_row(t, m, snapshots));
	for (long k = 0; k < rows; k++) {
		BXT_TRY(bxt_simulation_step(m, every, NULL, d));
		BXT_TRY(take_row(t, m, snapshots));
	}
	return BXT_OK;
}

bxt_status bxt_trajectory_run(const bxt_system *system, const bxt_run_def *def, const char *record,
			      bool snapshots, bool end, bxt_diagnostics *d, bxt_trajectory **out)
{
	bxt_run_def own = *def;
	bxt_simulation *m = NULL;
	bxt_trajectory *t = calloc(1, sizeof *t);
	*out = NULL;
	if (!t)
		return BXT_ERR_MEMORY;
	own.record = record ? record : "energy";
	if (!end && !(own.step > 0)) /* any step: none is made */
		own.step = own.end = 1;
	t->n = system->n;
	bxt_status status = bxt_simulation_new(system, &own, d, &m);
	if (status == BXT_OK)
		status = run_simulation(t, m, snapshots, end, d);
	bxt_simulation_free(m);
	if (status == BXT_OK)
		*out = t;
	else
		bxt_trajectory_free(t);
	return status;
}

/* ---- Snapshots of a part ---- */

bxt_status bxt_trajectory_find(const bxt_system *system, const bxt_part_model *part, int **out)
{
	bxt_map by_name = {0};
	bxt_buffer buffer = {0};
	bxt_status status = BXT_OK;
	int *where = *out = BXT_NEW(part->arena, int, (size_t)part->n);
	if (!where)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < part->n && status == BXT_OK; i++) {
		where[i] = -1;
		status = bxt_map_put(&by_name, part->name[i], i);
	}
	for (int x = 0; x < system->n && status == BXT_OK; x++) {
		const int i = bxt_map_get(&by_name, bxt_system_x_name(system, x, &buffer));
		if (i >= 0)
			where[i] = x;
	}
	bxt_buffer_free(&buffer);
	bxt_map_free(&by_name);
	return status;
}

bxt_status bxt_trajectory_cut(const bxt_trajectory *t, const int *where, bxt_part_model *part,
			      bxt_basis *out)
{
	for (int i = 0; i < part->n; i++) {
		part->start_q[i] = where[i] < 0 ? 0 : t->q[where[i]];
		part->start_v[i] = where[i] < 0 ? 0 : t->v[where[i]];
	}
	for (size_t k = 0; k < t->rows && out; k++) {
		const double *from_q = t->q + (size_t)t->n * k, *from_v = t->v + (size_t)t->n * k;
		double *v, *q;
		BXT_TRY(bxt_basis_add(out, part->n, &v, &q));
		for (int i = 0; i < part->n; i++) { /* the port is open and has no flow */
			v[i] = where[i] < 0 ? 0 : from_v[where[i]];
			q[i] = where[i] < 0 ? 0 : from_q[where[i]];
		}
	}
	return BXT_OK;
}

/* The row that determines the flow of one port from those of the elements at its node; -1: none. */
static int row_of_port(const bxt_part_model *p, int coord)
{
	const int at = p->rows.colptr[coord];
	const bool one = p->rows.colptr[coord + 1] == at + 1;
	bool port = false;
	for (int k = 0; k < p->n_ports; k++)
		port = port || p->port[k].coord == coord;
	for (int k = 0; k < p->n_ports && port && one; k++) {
		const int other = p->port[k].coord;
		for (int i = p->rows.colptr[other]; i < p->rows.colptr[other + 1]; i++)
			if (other != coord && p->rows.rowind[i] == p->rows.rowind[at])
				port = false; /* two ports at one node */
	}
	return port && one ? p->rows.rowind[at] : -1;
}

/* Computes flows of ports that the table does not contain. */
static bxt_status add_port_flows(const bxt_part_model *p, const long *v, double *to)
{
	double *sums = malloc(((size_t)p->m + 1) * sizeof *sums);
	if (!sums)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < p->n_ports; k++) {
		const int coord = p->port[k].coord;
		if (v[coord] >= 0)
			continue;
		memset(sums, 0, (size_t)p->m * sizeof *sums);
		bxt_sparse_multiply(&p->rows, 1, to, sums);
		to[coord] = -sums[row_of_port(p, coord)] / p->rows.values[p->rows.colptr[coord]];
	}
	free(sums);
	return BXT_OK;
}

/* The columns of coordinates and flows. */
static bxt_status find_columns(const bxt_table *table, const bxt_part_model *p, long *q, long *v,
			       bxt_diagnostics *d)
{
	int missing = 0;
	const char *first = NULL;
	for (int i = 0; i < p->n; i++) {
		q[i] = bxt_table_find(table, p->name[i]);
		v[i] = bxt_table_find(table, p->flow_name[i]);
		const bool in_energy = p->stiffness.colptr[i] < p->stiffness.colptr[i + 1];
		if ((v[i] >= 0 || row_of_port(p, i) >= 0) && (q[i] >= 0 || !in_energy))
			continue;
		if (missing++ == 0)
			first = v[i] < 0 ? p->flow_name[i] : p->name[i];
	}
	if (missing == 0)
		return BXT_OK;
	bxt_error(d, p->place,
		  "part '%s': the snapshots lack '%s' and %d more of its coordinates and flows: "
		  "record them all (boxtimes run --record '%s.*, ...')",
		  p->path, first, missing - 1, p->path);
	return BXT_ERR_MODEL;
}

bxt_status bxt_trajectory_of_table(const bxt_table *table, const bxt_part_model *part,
				   bxt_diagnostics *d, bxt_basis *out)
{
	long *q = malloc(((size_t)part->n + 1) * sizeof *q);
	long *v = malloc(((size_t)part->n + 1) * sizeof *v);
	bxt_status status = q && v ? find_columns(table, part, q, v, d) : BXT_ERR_MEMORY;
	for (size_t k = 0; k < bxt_table_rows(table) && status == BXT_OK; k++) {
		double *to_v, *to_q;
		status = bxt_basis_add(out, part->n, &to_v, &to_q);
		for (int i = 0; i < part->n && status == BXT_OK; i++) {
			to_v[i] = v[i] < 0 ? 0 : bxt_table_value(table, k, (size_t)v[i]);
			to_q[i] = q[i] < 0 ? 0 : bxt_table_value(table, k, (size_t)q[i]);
			if (!isfinite(to_v[i]) || !isfinite(to_q[i])) {
				bxt_error(
					d, part->place,
					"part '%s': row %zu of the snapshots has no value of '%s'",
					part->path, k + 1, part->name[i]);
				status = BXT_ERR_MODEL;
			}
		}
		if (status == BXT_OK)
			status = add_port_flows(part, v, to_v);
	}
	free(q);
	free(v);
	return status;
}
