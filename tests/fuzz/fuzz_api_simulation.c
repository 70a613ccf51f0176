/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of calls: simulations. A call that is refused changes nothing. */
#include "fuzz/fuzz_api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_VALUES = 6,
	TRIED = 10 /* steps that fail are halved and halved again, which takes long */
};

static const bxt_system *system_of(const fuzz_world *w, int i)
{
	return w->simulation[i].m ? w->system[w->simulation[i].system].system : NULL;
}

static size_t count(const fuzz_world *w, int i, bxt_part part)
{
	return bxt_system_count(system_of(w, i), part);
}

static double *numbers(size_t n)
{
	double *x = calloc(n + 1, sizeof *x);
	if (!x)
		abort();
	return x;
}

static bool same(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
			return false;
	return true;
}

/* ---- What a refused call must leave ---- */

typedef struct mark {
	double t;
	long steps;
	bool ready;
	size_t n;
	double *q, *p;
} mark;

static mark look(const fuzz_world *w, int i)
{
	bxt_simulation *m = w->simulation[i].m;
	mark k = {.t = bxt_simulation_time(m), .steps = bxt_simulation_steps(m)};
	k.n = count(w, i, BXT_PART_COORDINATE);
	k.q = numbers(k.n);
	k.p = numbers(k.n);
	k.ready = bxt_simulation_get_vectors(m, k.q, k.p, NULL, NULL) == BXT_OK;
	return k;
}

static bool is_refusal(bxt_status status)
{
	return status == BXT_ERR_ARGUMENT || status == BXT_ERR_MODEL;
}

/* Frees the mark. */
static void check_refusal(const fuzz_world *w, int i, mark *before, bool refused)
{
	mark now = look(w, i);
	if (refused) {
		FUZZ_PROMISE(same(&now.t, &before->t, 1) && now.steps == before->steps);
		FUZZ_PROMISE(now.ready == before->ready);
		FUZZ_PROMISE(same(now.q, before->q, now.n) && same(now.p, before->p, now.n));
	}
	free(now.q);
	free(now.p);
	free(before->q);
	free(before->p);
}

/* ---- Making, stepping ---- */

void fuzz_make_simulation(fuzz_world *w, int to, int from)
{
	const bxt_run_def def = fuzz_run_def(w);
	fuzz_free_simulation(w, to);
	bxt_simulation_new(w->system[from].system, fuzz_choice(w, 4) ? NULL : &def, w->d,
			   &w->simulation[to].m);
	w->simulation[to].system = from;
}

static void make(fuzz_world *w)
{
	const int to = fuzz_choice(w, FUZZ_SIMULATIONS);
	fuzz_make_simulation(w, to, fuzz_system_slot(w));
}

static void free_one(fuzz_world *w)
{
	fuzz_free_simulation(w, fuzz_simulation_slot(w));
}

static void reset(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w);
	mark before = look(w, i);
	check_refusal(w, i, &before, is_refusal(bxt_simulation_reset(w->simulation[i].m, w->d)));
}

static void step(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w);
	const long n = fuzz_steps(w);
	long done = -1;
	mark before = look(w, i);
	const bxt_status status = bxt_simulation_step(w->simulation[i].m, n, &done, w->d);
	FUZZ_PROMISE(done >= 0 && done <= (n > 0 ? n : 0));
	FUZZ_PROMISE(status != BXT_OK || done == n);
	w->steps -= status >= BXT_ERR_SINGULAR ? TRIED : 0;
	check_refusal(w, i, &before, status == BXT_ERR_ARGUMENT);
}

/* The step of a simulation, as its copy makes it; 0: unknown. */
static double step_of(const fuzz_world *w, int i)
{
	bxt_simulation *copy = NULL;
	double t, h = 0;
	if (bxt_simulation_copy(w->simulation[i].m, NULL, &copy) == BXT_OK &&
	    bxt_simulation_step(copy, 1, NULL, NULL) == BXT_OK) { /* it may be one that was cut */
		t = bxt_simulation_time(copy);
		if (bxt_simulation_step(copy, 1, NULL, NULL) == BXT_OK)
			h = bxt_simulation_time(copy) - t;
	}
	bxt_simulation_free(copy);
	return h;
}

static void step_to(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w);
	const double h = step_of(w, i), by = fuzz_number(w);
	const double t = bxt_simulation_time(w->simulation[i].m) + (fabs(by) <= 8 ? by * h : 0);
	const unsigned flags = fuzz_choice(w, 8) ? fuzz_byte(w) % 2 : fuzz_byte(w);
	/* a time that is far away would take for ever */
	const double to = fabs(by) <= 8 ? t : h * by < 0 || !isfinite(by) ? by : t;
	w->steps -= 8;
	if (w->steps < 0)
		return;
	mark before = look(w, i);
	const bxt_status status = bxt_simulation_step_to(w->simulation[i].m, to, flags, w->d);
	if (status == BXT_OK && h != 0)
		FUZZ_PROMISE(fabs(bxt_simulation_time(w->simulation[i].m) - to) <=
			     1e-8 * fabs(h) + 1e-15 * fabs(to));
	check_refusal(w, i, &before, status == BXT_ERR_ARGUMENT);
}

static bool stop(void *context, double t)
{
	(void)context;
	return sin(1e6 * t) > 0; /* now and then, the same for each program */
}

static void observe(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w);
	bxt_simulation_observe(w->simulation[i].m, fuzz_choice(w, 3) ? NULL : stop, NULL);
}

/* ---- Inputs and parameters ---- */

/* So many values, with indices of which some are outside. */
static size_t choose_values(fuzz_world *w, size_t n, size_t *index, double *value)
{
	const size_t k = (size_t)fuzz_choice(w, MOST_VALUES + 1);
	for (size_t i = 0; i < k; i++) {
		index[i] = fuzz_index(w, n);
		value[i] = fuzz_number(w);
	}
	return k;
}

/* Were they taken? The last value of an index counts. */
static bool were_taken(size_t k, const size_t *index, const double *value, const double *all)
{
	for (size_t i = 0; i < k; i++) {
		bool later = false;
		for (size_t j = i + 1; j < k; j++)
			later = later || index[j] == index[i];
		if (!later && all[index[i]] != value[i])
			return false;
	}
	return true;
}

static void set_inputs(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w), how = fuzz_choice(w, 4);
	const size_t n = count(w, i, BXT_PART_INPUT);
	size_t index[MOST_VALUES];
	double value[MOST_VALUES], rate[MOST_VALUES], *all = numbers(n);
	for (int k = 0; k < MOST_VALUES; k++)
		rate[k] = how == 0 ? fuzz_number(w) : 0;
	const size_t k = choose_values(w, n, index, value);
	mark before = look(w, i);
	const bxt_status status = bxt_simulation_set_inputs(
		w->simulation[i].m, k, how == 1 ? NULL : index, value, how == 0 ? rate : NULL);
	check_refusal(w, i, &before, true); /* inputs are in force with the next step */
	if (bxt_simulation_get_inputs(w->simulation[i].m, all) == BXT_OK && status == BXT_OK &&
	    how != 1)
		FUZZ_PROMISE(were_taken(k, index, value, all));
	free(all);
}

static void set_parameters(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w);
	const size_t n = count(w, i, BXT_PART_PARAMETER);
	size_t index[MOST_VALUES];
	double value[MOST_VALUES], *all = numbers(n), *old = numbers(n);
	const size_t k = choose_values(w, n, index, value);
	bxt_simulation *m = w->simulation[i].m;
	mark before = look(w, i);
	bxt_simulation_get_parameters(m, old);
	const bxt_status status = bxt_simulation_set_parameters(m, k, index, value, w->d);
	check_refusal(w, i, &before, is_refusal(status));
	if (bxt_simulation_get_parameters(m, all) == BXT_OK && status == BXT_OK)
		FUZZ_PROMISE(were_taken(k, index, value, all));
	if (is_refusal(status))
		FUZZ_PROMISE(same(old, all, n));
	free(old);
	free(all);
}

/* ---- Looking ---- */

static void read(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w);
	bxt_simulation *m = w->simulation[i].m;
	const size_t n = bxt_simulation_signals(m);
	double *values = numbers(n), *again = numbers(n);
	const bxt_column *column = bxt_simulation_signal(m, fuzz_index(w, n));
	FUZZ_PROMISE(!column || (column->name && column->unit));
	mark before = look(w, i);
	const bxt_status status = bxt_simulation_read(m, values);
	if (status == BXT_OK && bxt_simulation_read(m, again) == BXT_OK)
		FUZZ_PROMISE(same(values, again, n));
	check_refusal(w, i, &before, true); /* reading changes nothing */
	free(values);
	free(again);
}

static void get_vectors(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w), which = fuzz_choice(w, 16);
	const size_t n = count(w, i, BXT_PART_COORDINATE), rows = count(w, i, BXT_PART_ROW);
	double *x[4] = {numbers(n), numbers(n), numbers(n), numbers(rows)};
	bxt_simulation_get_vectors(w->simulation[i].m, which & 1 ? x[0] : NULL,
				   which & 2 ? x[1] : NULL, which & 4 ? x[2] : NULL,
				   which & 8 ? x[3] : NULL);
	for (int k = 0; k < 4; k++)
		free(x[k]);
}

static void set_vectors(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w), which = fuzz_choice(w, 8);
	const size_t n = count(w, i, BXT_PART_COORDINATE);
	double *q = numbers(n), *p = numbers(n);
	bxt_simulation *m = w->simulation[i].m;
	bxt_simulation_get_vectors(m, q, p, NULL, NULL);
	for (int k = 0; k < which && n > 0; k++)
		(k % 2 ? q : p)[fuzz_index(w, n) % n] = fuzz_number(w);
	mark before = look(w, i);
	const bxt_status status =
		bxt_simulation_set_vectors(m, which & 1 ? q : NULL, which & 2 ? p : NULL, w->d);
	check_refusal(w, i, &before, is_refusal(status));
	free(q);
	free(p);
}

static void look_at_matrix(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w);
	const bxt_system_matrix which = (bxt_system_matrix)(fuzz_choice(w, 8) - 1);
	bxt_csc c = {.size = fuzz_choice(w, 8) ? sizeof c : fuzz_byte(w)};
	double sum = 0;
	mark before = look(w, i);
	if (bxt_simulation_matrix(w->simulation[i].m, which, &c) == BXT_OK)
		for (int j = 0; j < c.n_columns; j++)
			for (int k = c.colptr[j]; k < c.colptr[j + 1]; k++) {
				FUZZ_PROMISE(c.rowind[k] >= 0 && c.rowind[k] < c.n_rows);
				FUZZ_PROMISE(k == c.colptr[j] || c.rowind[k] > c.rowind[k - 1]);
				sum += c.values[k];
			}
	FUZZ_PROMISE(isnan(sum) || sum == sum);
	check_refusal(w, i, &before, true); /* looking changes nothing */
}

static void summary(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w);
	bxt_summary s;
	mark before = look(w, i);
	if (bxt_simulation_summary(w->simulation[i].m, &s, w->d) == BXT_OK) {
		FUZZ_PROMISE(s.steps == before.steps);
		bxt_summary_write_json(&s, w->null);
		bxt_summary_write_text(&s, w->null);
		bxt_summary_write_brief(&s, w->null);
	}
	bxt_summary_free(&s);
	check_refusal(w, i, &before, true);
}

/* ---- Controllers ---- */

typedef struct memory {
	long calls;
	double sum;
} memory;

static int control(void *context, void *remembered, double t, const double *read, double *write,
		   char *error, size_t error_size)
{
	const fuzz_controller *c = context;
	memory none = {0}, *k = c->remembers ? remembered : &none;
	k->calls++;
	k->sum += c->reads ? read[0] : t;
	for (int i = 0; i < c->n_writes; i++)
		write[i] = c->kind == 1 && k->calls % 4 == 3 ? NAN
			   : c->kind == 2                    ? 1e300
							     : 0.1 * write[i] + sin(k->sum);
	if (c->kind == 3 && k->calls % 5 == 4)
		memset(error, 'x', error_size);
	return c->kind == 3 && k->calls % 5 == 4;
}

static void add_controller(fuzz_world *w)
{
	static const char *const reads[] = {NULL,      "energy", "energy",   "energy, C1.q",
					    "nothing", "((",     "node(a).v"},
				 *const writes[] = {"u", "u w", "w", "w, w", "nothing", "", NULL};
	static const int n_writes[] = {1, 2, 1, 2, 0, 0, 0};
	static const unsigned char zeros[1000];
	const int i = fuzz_simulation_slot(w), r = fuzz_choice(w, 7), to = fuzz_choice(w, 7);
	const double h = step_of(w, i), odd = fuzz_number(w), delay = fuzz_number(w);
	bxt_controller_def def;
	if (w->n_controllers == FUZZ_CONTROLLERS)
		return;
	fuzz_controller *c = &w->controller[w->n_controllers++];
	const size_t sizes[] = {0, sizeof(memory), sizeof(memory), 1, sizeof zeros};
	bxt_default_controller_def(&def);
	def.remembered_size = FUZZ_WORD(w, sizes);
	def.remembered = fuzz_choice(w, 2) ? zeros : NULL;
	def.reads = reads[r];
	def.writes = writes[to];
	def.period = fuzz_choice(w, 4) ? fuzz_choice(w, 4) * h : odd;
	def.delay = fuzz_choice(w, 4) ? fuzz_choice(w, 6) * h : delay;
	def.step = fuzz_choice(w, 16) ? control : NULL;
	def.context = c;
	if (!fuzz_choice(w, 16))
		def.size = fuzz_byte(w);
	*c = (fuzz_controller){fuzz_choice(w, 5), n_writes[to], r == 1 || r == 2 || r == 3,
			       def.remembered_size >= sizeof(memory)};
	mark before = look(w, i);
	const bxt_status status = bxt_simulation_add_controller(w->simulation[i].m, &def, w->d);
	check_refusal(w, i, &before, is_refusal(status));
}

/* ---- Copies ---- */

/* Both go the same way, bit for bit. */
static void same_course(fuzz_world *w, int a, int b)
{
	bxt_simulation *x = w->simulation[a].m, *y = w->simulation[b].m;
	const long n = fuzz_steps(w) / 2;
	const size_t signals = bxt_simulation_signals(x);
	double *row[2] = {numbers(signals), numbers(signals)};
	bxt_simulation_observe(x, NULL, NULL);
	bxt_simulation_observe(y, NULL, NULL);
	FUZZ_PROMISE(signals == bxt_simulation_signals(y));
	for (long k = 0; k <= n; k++) {
		mark p = look(w, a), q = look(w, b);
		FUZZ_PROMISE(same(&p.t, &q.t, 1) && p.steps == q.steps);
		FUZZ_PROMISE(same(p.q, q.q, p.n) && same(p.p, q.p, p.n));
		free(p.q), free(p.p), free(q.q), free(q.p);
		const bxt_status one = bxt_simulation_read(x, row[0]);
		FUZZ_PROMISE(one == bxt_simulation_read(y, row[1]));
		FUZZ_PROMISE(one != BXT_OK || same(row[0], row[1], signals));
		const bxt_status status = bxt_simulation_step(x, 1, NULL, w->d);
		FUZZ_PROMISE(status == bxt_simulation_step(y, 1, NULL, w->d));
		w->steps -= status >= BXT_ERR_SINGULAR ? TRIED : 0;
		if (status >= BXT_ERR_SINGULAR)
			break;
	}
	free(row[0]);
	free(row[1]);
}

static void copy(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w), to = fuzz_choice(w, FUZZ_SIMULATIONS);
	if (to == i)
		return;
	fuzz_free_simulation(w, to);
	w->simulation[to].system = w->simulation[i].system;
	if (bxt_simulation_copy(w->simulation[i].m, w->d, &w->simulation[to].m) == BXT_OK)
		same_course(w, i, to);
}

/* A refused call in between leaves no trace in what follows. */
static void refused_between(fuzz_world *w)
{
	const int i = fuzz_simulation_slot(w), to = (i + 1) % FUZZ_SIMULATIONS;
	bxt_simulation *m = w->simulation[i].m;
	const size_t outside[] = {0, SIZE_MAX};
	const double values[] = {1, NAN};
	bxt_controller_def def;
	bxt_default_controller_def(&def);
	def.step = control;
	def.writes = "no such input";
	fuzz_free_simulation(w, to);
	w->simulation[to].system = w->simulation[i].system;
	if (bxt_simulation_copy(m, w->d, &w->simulation[to].m) != BXT_OK)
		return;
	FUZZ_PROMISE(bxt_simulation_set_inputs(m, 2, outside, values, NULL) != BXT_OK);
	FUZZ_PROMISE(bxt_simulation_set_parameters(m, 2, outside, values, w->d) != BXT_OK);
	FUZZ_PROMISE(bxt_simulation_add_controller(m, &def, w->d) != BXT_OK);
	FUZZ_PROMISE(bxt_simulation_step(m, -1, NULL, w->d) != BXT_OK);
	FUZZ_PROMISE(bxt_simulation_step_to(m, NAN, 0, w->d) != BXT_OK);
	same_course(w, i, to);
}

static fuzz_call *const calls[] = {
	make,           step,    step,           step_to,     set_inputs,      set_inputs,
	set_parameters, read,    reset,          set_vectors, get_vectors,     observe,
	look_at_matrix, summary, add_controller, copy,        refused_between, free_one,
	set_parameters, step};
const fuzz_calls fuzz_simulation_calls = {calls, sizeof calls / sizeof *calls};
