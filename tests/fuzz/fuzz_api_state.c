/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of calls: states and runs. */
#include "fuzz/fuzz_api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The slot of a state, emptied, for one of that system. */
static bxt_state **slot(fuzz_world *w, int i, int system)
{
	fuzz_free_state(w, i);
	w->state[i].system = system;
	return &w->state[i].state;
}

static void initialize(fuzz_world *w)
{
	const int i = fuzz_choice(w, FUZZ_STATES), of = fuzz_system_slot(w);
	const bxt_run_def def = fuzz_run_def(w);
	bxt_initialize(w->system[of].system, &def, w->d, slot(w, i, of));
}

static void free_one(fuzz_world *w)
{
	fuzz_free_state(w, fuzz_state_slot(w));
}

static void get_state(fuzz_world *w)
{
	const int i = fuzz_choice(w, FUZZ_STATES), from = fuzz_simulation_slot(w);
	bxt_simulation *m = w->simulation[from].m;
	bxt_state **out = slot(w, i, w->simulation[from].system);
	const double t = bxt_simulation_time(m);
	if (bxt_simulation_get_state(m, out) == BXT_OK)
		FUZZ_PROMISE(t == bxt_simulation_time(m) && t == bxt_state_time(*out));
	bxt_state_rows(*out);
	bxt_state_steps(*out);
}

static void set_state(fuzz_world *w)
{
	const int from = fuzz_state_slot(w), i = fuzz_simulation_slot(w);
	bxt_simulation *m = w->simulation[i].m;
	const bxt_state *state = w->state[from].state;
	const double before = bxt_simulation_time(m);
	const bxt_status status = bxt_simulation_set_state(m, state, w->d);
	const double now = bxt_simulation_time(m);
	if (status == BXT_OK)
		FUZZ_PROMISE(now == bxt_state_time(state) &&
			     w->state[from].system == w->simulation[i].system);
	else if (status == BXT_ERR_ARGUMENT || status == BXT_ERR_MODEL)
		FUZZ_PROMISE(now == before || isnan(before));
}

static double *vectors(bxt_simulation *m, size_t n)
{
	double *x = calloc(2 * n + 1, sizeof *x);
	if (!x)
		abort();
	FUZZ_PROMISE(bxt_simulation_get_vectors(m, x, x + n, NULL, NULL) == BXT_OK);
	return x;
}

/* From one simulation to another: what was taken is what is given. */
static void hand_over(fuzz_world *w)
{
	const int a = fuzz_simulation_slot(w), b = fuzz_simulation_slot(w);
	bxt_simulation *from = w->simulation[a].m, *to = w->simulation[b].m;
	const int system = w->simulation[a].system;
	bxt_state *state = NULL;
	if (a == b || system != w->simulation[b].system || !to ||
	    bxt_simulation_get_state(from, &state) != BXT_OK)
		return;
	if (bxt_simulation_set_state(to, state, w->d) == BXT_OK) {
		const size_t n = bxt_system_count(w->system[system].system, BXT_PART_COORDINATE);
		double *x = vectors(from, n), *y = vectors(to, n);
		FUZZ_PROMISE(bxt_simulation_steps(from) == bxt_simulation_steps(to));
		FUZZ_PROMISE(memcmp(x, y, 2 * n * sizeof *x) == 0);
		free(x);
		free(y);
	}
	bxt_state_free(state);
}

/* ---- Bytes ---- */

static void through_memory(fuzz_world *w)
{
	const int from = fuzz_state_slot(w), to = fuzz_choice(w, FUZZ_STATES),
		  changes = fuzz_choice(w, 4);
	const int of = fuzz_choice(w, 4) ? w->state[from].system : fuzz_system_slot(w);
	void *bytes = NULL, *again = NULL;
	size_t length = 0, length_again = 0;
	if (bxt_state_to_memory(w->state[from].state, &bytes, &length) != BXT_OK)
		return;
	for (int k = 1; k < changes; k++) /* half of them stay as they are */
		((unsigned char *)bytes)[(fuzz_byte(w) * 256 + fuzz_byte(w)) % length] ^=
			(unsigned char)(1 + fuzz_byte(w) % 255);
	if (fuzz_choice(w, 8) == 7)
		length = fuzz_byte(w) % length;
	bxt_state *state = NULL;
	const bxt_status status = bxt_state_from_memory(
		w->system[of].system, bytes, length, fuzz_choice(w, 4) ? "s" : NULL, w->d, &state);
	FUZZ_PROMISE((status == BXT_OK) == (state != NULL));
	if (state && bxt_state_to_memory(state, &again, &length_again) == BXT_OK && changes < 2)
		FUZZ_PROMISE(length == length_again && memcmp(bytes, again, length) == 0);
	*slot(w, to, of) = state;
	bxt_release(bytes);
	bxt_release(again);
}

static void files(fuzz_world *w)
{
	static const char *const paths[] = {"/no such folder/state", "/dev/null", "", "/", NULL};
	const int i = fuzz_state_slot(w), of = fuzz_system_slot(w);
	FUZZ_PROMISE(bxt_state_save(w->state[i].state, "/no such folder/state", w->d) != BXT_OK);
	FUZZ_PROMISE(bxt_state_load(w->system[of].system, FUZZ_WORD(w, paths), w->d,
				    slot(w, i, of)) != BXT_OK);
}

/* ---- Runs ---- */

typedef struct saving {
	fuzz_world *w;
	int to, system; /* the slot; -1: none */
	int calls, most;
} saving;

static bxt_status save(void *context, const bxt_state *state)
{
	saving *s = context;
	void *bytes = NULL;
	size_t length;
	bxt_status status = bxt_state_to_memory(state, &bytes, &length);
	if (status == BXT_OK)
		status = bxt_state_from_memory(s->w->system[s->system].system, bytes, length, "s",
					       s->w->d, slot(s->w, s->to, s->system));
	FUZZ_PROMISE(status == BXT_OK);
	bxt_release(bytes);
	return ++s->calls < s->most ? BXT_OK : BXT_ERR_IO;
}

static bool progress(void *context, double fraction)
{
	(void)context;
	return !(fraction > 0.9);
}

static bxt_status row(void *context, double t, size_t n, const double *values)
{
	int *rows = context;
	double sum = t;
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	(void)sum;
	return ++*rows < 100 ? BXT_OK : BXT_ERR_INTERRUPTED;
}

/* At most so many steps: what would take longer is not asked for. */
static bool is_short(fuzz_world *w, bxt_run_def *def, const bxt_state *state)
{
	static const double plain[] = {1e-5, 1e-3, 0.01, 0.05};
	const double t = bxt_state_time(state);
	if (def->step == 0 || (def->step > 0 && def->step < 1e-9))
		def->step = FUZZ_WORD(w, plain);
	if (def->end > 0 || def->end == 0)
		def->end = (isnan(t) ? 0 : t) + def->step * (fuzz_choice(w, 24) + 0.5);
	w->steps -= 12;
	return w->steps >= 0;
}

static void run(fuzz_world *w)
{
	const int i = fuzz_state_slot(w), table = fuzz_choice(w, FUZZ_TABLES),
		  how = fuzz_choice(w, 32);
	const int of = w->state[i].system, every = 1 + fuzz_choice(w, 5);
	bxt_run_def def = fuzz_run_def(w);
	bxt_summary s;
	bxt_sink sink;
	int rows = 0;
	saving save_to = {w, (i + 1) % FUZZ_STATES, of, 0, 1 + fuzz_choice(w, 6)};
	if (!is_short(w, &def, w->state[i].state))
		return;
	def.progress = how & 1 ? progress : NULL;
	def.go_on = how & 2;
	if (how & 4) {
		def.save = save;
		def.save_context = &save_to;
		def.save_every = how & 8 ? fuzz_number(w) : def.step * every;
	}
	w->table[table] = bxt_table_free(w->table[table]);
	w->table[table] = bxt_table_new();
	bxt_table_sink(w->table[table], &sink);
	if (how & 16)
		sink = (bxt_sink){.size = sizeof sink, .row = row, .context = &rows};
	bxt_run(w->system[of].system, w->state[i].state, &def, fuzz_choice(w, 8) ? &sink : NULL, &s,
		w->d);
	bxt_summary_write_json(&s, w->null);
	bxt_summary_free(&s);
}

static void foreign_run(fuzz_world *w)
{
	const int i = fuzz_state_slot(w), of = fuzz_system_slot(w);
	bxt_run_def def = fuzz_run_def(w);
	const bxt_system *system = w->system[of].system;
	if (of == w->state[i].system && system && w->state[i].state)
		return;
	FUZZ_PROMISE(bxt_run(system, w->state[i].state, &def, NULL, NULL, w->d) ==
		     BXT_ERR_ARGUMENT);
}

/* ---- Tables ---- */

static void look_at_table(fuzz_world *w)
{
	const bxt_table *t = w->table[fuzz_choice(w, FUZZ_TABLES)];
	const size_t rows = bxt_table_rows(t), columns = bxt_table_columns(t);
	const size_t i = fuzz_index(w, rows), j = fuzz_index(w, columns);
	const double *column = bxt_table_column(t, (long)j), value = bxt_table_value(t, i, j);
	if (i < rows && j < columns)
		FUZZ_PROMISE(memcmp(&column[i], &value, sizeof value) == 0);
	else
		FUZZ_PROMISE(isnan(value));
	const char *name = bxt_table_name(t, j);
	FUZZ_PROMISE(!name || bxt_table_find(t, name) >= 0);
	FUZZ_PROMISE(!name == !bxt_table_unit(t, j));
	const double *times = bxt_table_column(t, -1);
	FUZZ_PROMISE(i >= rows || times[i] == bxt_table_time(t, i));
}

static void compare_tables(fuzz_world *w)
{
	bxt_difference *difference = NULL;
	bxt_accuracy *accuracy = NULL;
	size_t n = 0;
	bxt_compare(w->table[0], w->table[1], NULL, 0, w->d, &difference, &n);
	bxt_estimate_accuracy(w->table[0], w->table[1], fuzz_choice(w, 8) - 1, w->d, &accuracy, &n);
	free(difference);
	free(accuracy);
}

static fuzz_call *const calls[] = {
	initialize,  get_state,      get_state,      set_state, set_state, hand_over,
	hand_over,   through_memory, through_memory, files,     run,       run,
	foreign_run, look_at_table,  compare_tables, free_one};
const fuzz_calls fuzz_state_calls = {calls, sizeof calls / sizeof *calls};
