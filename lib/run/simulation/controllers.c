/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Controllers as functions: they read signals at grid points, and write inputs. */
#include "run/simulation/simulation.h"

#include "ground/base/text.h"
#include "ground/base/time.h"
#include "motion/scheme/traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_TEXT = 512, MOST_UNDERWAY = 100000 };

void bxt_default_controller_def(bxt_controller_def *def)
{
	if (def)
		*def = (bxt_controller_def){.size = sizeof *def};
}

/* Is a time a multiple of the step? *n: the number of whole steps up to it. */
static bool is_multiple(double t, double h, double *n)
{
	*n = round(t / h);
	const bool is = fabs(t / h - *n) <= BXT_WRITTEN_TIME;
	*n = is ? *n : floor(t / h);
	return is;
}

double bxt_controllers_origin(const bxt_simulation *m)
{
	double n;
	return is_multiple(m->state->t, m->settings.step, &n) ? m->state->t : n * m->settings.step;
}

/* ---- States ---- */

static void keep(bxt_function_controller *c, bxt_account *account)
{
	bxt_account_keep(account, c->remembered, c->def.remembered_size);
	bxt_account_within(account, &c->n_waiting, 0, c->depth, 0);
	BXT_KEEP_ARRAY(account, c->due, c->depth);
	BXT_KEEP_ARRAY(account, c->waiting, (size_t)c->depth * c->n_writes);
}

void bxt_controllers_keep(bxt_simulation *m, bxt_account *account)
{
	for (size_t i = 0; i < m->controllers.n; i++)
		keep(m->controllers.of[i], account);
}

void bxt_controllers_begin(bxt_simulation *m)
{
	for (size_t i = 0; i < m->controllers.n; i++) {
		bxt_function_controller *c = m->controllers.of[i];
		memcpy(c->remembered, c->initial, c->def.remembered_size);
		c->n_waiting = 0;
	}
}

/* ---- Making ---- */

static bxt_status check_times(const bxt_simulation *m, bxt_function_controller *c)
{
	if (bxt_traits(&m->settings).direction < 0) {
		bxt_error(m->d, BXT_NOWHERE,
			  "scheme '%s' steps backward, and what a controller did cannot be undone: "
			  "use gauss1",
			  m->settings.scheme->name);
		return BXT_ERR_MODEL;
	}
	const double h = m->settings.step;
	c->period = c->def.period == 0 ? 1 : bxt_steps_in(c->def.period, h);
	c->delay = bxt_steps_in(c->def.delay, h);
	if (c->period >= 1 && c->delay >= 0 && c->delay <= MOST_UNDERWAY * c->period)
		return BXT_OK;
	bxt_error(m->d, BXT_NOWHERE,
		  "a controller has the period %.9g s and the delay %.9g s: both must be multiples "
		  "of "
		  "the step %.9g s, the delay at most %d periods",
		  c->def.period, c->def.delay, h, MOST_UNDERWAY);
	return BXT_ERR_MODEL;
}

static void no_input(const bxt_simulation *m, const char *name)
{
	const bxt_network *net = m->base->net;
	bxt_nearest_search near = {.name = name};
	for (int k = 0; k < net->n_given; k++)
		bxt_nearest_offer(&near, net->inputs[k].path);
	bxt_error(m->d, BXT_NOWHERE, "a controller writes '%s', which is no input%s%s%s", name,
		  near.best ? " (did you mean '" : "", near.best ? near.best : "",
		  near.best ? "'?)" : "");
}

/* The inputs of a list: words between white space and commas. */
static bxt_status find_writes(bxt_simulation *m, bxt_function_controller *c)
{
	static const char between[] = " \t\r\n,";
	const bxt_network *net = m->base->net;
	bxt_status status = BXT_OK;
	const char *text = c->def.writes ? c->def.writes : "";
	c->writes = BXT_NEW(m->arena, int, strlen(text) + 1);
	if (!c->writes)
		return BXT_ERR_MEMORY;
	for (text += strspn(text, between); *text; text += strspn(text, between)) {
		const size_t length = strcspn(text, between);
		const char *name = bxt_arena_strndup(m->arena, text, length);
		int k = 0;
		if (!name)
			return BXT_ERR_MEMORY;
		while (k < net->n_given && strcmp(net->inputs[k].path, name) != 0)
			k++;
		if (k == net->n_given) {
			no_input(m, name);
			status = BXT_ERR_MODEL;
		}
		c->writes[c->n_writes++] = k;
		text += length;
	}
	return status;
}

static bxt_status make_room(bxt_simulation *m, bxt_function_controller *c)
{
	const size_t n = c->def.remembered_size;
	c->depth = c->delay > 0 ? (int)((c->delay - 1) / c->period) + 1 : 0;
	c->write = BXT_NEW(m->arena, double, c->n_writes);
	c->due = BXT_NEW(m->arena, long, (size_t)c->depth);
	c->waiting = BXT_NEW(m->arena, double, (size_t)c->depth * c->n_writes);
	c->remembered = BXT_NEW(m->arena, unsigned char, n + 1);
	c->initial = BXT_NEW(m->arena, unsigned char, n + 1);
	if (!c->write || !c->due || !c->waiting || !c->remembered || !c->initial)
		return BXT_ERR_MEMORY;
	if (n > 0 && c->def.remembered)
		memcpy(c->initial, c->def.remembered, n);
	memcpy(c->remembered, c->initial, n);
	return BXT_OK;
}

/* Makes the recorder that reads its signals, a part of the machinery. */
static bxt_status make_recorder(bxt_simulation *m, bxt_function_controller *c)
{
	if (!c->def.reads)
		return BXT_OK;
	c->settings = m->settings;
	c->settings.record = c->def.reads;
	c->settings.record_place = BXT_NOWHERE;
	c->settings.n_record_also = 0;
	BXT_TRY(bxt_recorder_new(m->s, &c->settings, m->d, &c->recorder));
	free(c->read);
	c->read = malloc((c->recorder->n + 1) * sizeof *c->read);
	return c->read ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_controllers_assemble(bxt_simulation *m)
{
	for (size_t i = 0; i < m->controllers.n; i++)
		BXT_TRY(make_recorder(m, m->controllers.of[i]));
	return BXT_OK;
}

void bxt_controllers_dismantle(bxt_simulation *m)
{
	for (size_t i = 0; i < m->controllers.n; i++)
		m->controllers.of[i]->recorder = bxt_recorder_free(m->controllers.of[i]->recorder);
}

/* Saves the data that a call in progress may have to restore: machinery, memory and waiting
 * outputs. */
bxt_status bxt_controllers_set_aside(bxt_simulation *m, bxt_account *saved)
{
	bxt_account measure = {.way = BXT_ACCOUNT_MEASURE};
	bxt_controllers_keep(m, &measure);
	*saved = (bxt_account){.way = BXT_ACCOUNT_SAVE, .bytes = malloc(measure.at + 1)};
	if (!saved->bytes)
		return BXT_ERR_MEMORY;
	bxt_controllers_keep(m, saved);
	for (size_t i = 0; i < m->controllers.n; i++) {
		m->controllers.of[i]->aside = m->controllers.of[i]->recorder;
		m->controllers.of[i]->recorder = NULL;
	}
	return BXT_OK;
}

void bxt_controllers_settle(bxt_simulation *m, bxt_account *saved, bool undo)
{
	for (size_t i = 0; i < m->controllers.n; i++) {
		bxt_function_controller *c = m->controllers.of[i];
		bxt_recorder *mine = c->recorder;
		c->recorder = undo ? c->aside : mine;
		bxt_recorder_free(undo ? mine : c->aside);
		c->aside = NULL;
	}
	saved->way = BXT_ACCOUNT_RESTORE;
	saved->at = 0;
	if (undo)
		bxt_controllers_keep(m, saved);
	free(saved->bytes);
}

static void free_controller(bxt_function_controller *c)
{
	bxt_recorder_free(c->recorder);
	free(c->read);
	free(c);
}

void bxt_controllers_free(bxt_simulation *m)
{
	for (size_t i = 0; i < m->controllers.n; i++)
		free_controller(m->controllers.of[i]);
	free(m->controllers.of);
	m->controllers.of = NULL;
	m->controllers.n = 0;
}

static bxt_status make(bxt_simulation *m, bxt_function_controller *c)
{
	const char **text[] = {&c->def.reads, &c->def.writes};
	for (int i = 0; i < 2; i++)
		if (*text[i] && !(*text[i] = bxt_arena_strdup(m->arena, *text[i])))
			return BXT_ERR_MEMORY;
	const bxt_status times = check_times(m, c), writes = find_writes(m, c);
	if (times != BXT_OK || writes != BXT_OK)
		return writes == BXT_ERR_MEMORY ? writes : BXT_ERR_MODEL;
	BXT_TRY(make_room(m, c));
	return m->assembled ? make_recorder(m, c) : BXT_OK;
}

bxt_status bxt_controllers_add(bxt_simulation *m, const bxt_controller_def *def)
{
	bxt_function_controller **list = realloc(
		m->controllers.of, (m->controllers.n + 1) * sizeof(bxt_function_controller *));
	if (!list)
		return BXT_ERR_MEMORY;
	m->controllers.of = list;
	bxt_function_controller *c = calloc(1, sizeof *c);
	if (!c)
		return BXT_ERR_MEMORY;
	c->def = *def;
	const bxt_status status = make(m, c);
	if (status == BXT_OK)
		m->controllers.of[m->controllers.n++] = c;
	else
		free_controller(c);
	return status;
}

bxt_status bxt_simulation_add_controller(bxt_simulation *m, const bxt_controller_def *def,
					 bxt_diagnostics *d)
{
	bxt_controller_def given;
	BXT_NEEDS(d, m);
	BXT_NEEDS(d, def);
	BXT_TRY(bxt_take_sized(def, &given, sizeof given, "bxt_controller_def", d));
	BXT_NEEDS(d, given.step);
	BXT_TRY(bxt_simulation_idle(m, d));
	const bxt_status status = bxt_controllers_add(m, &given);
	bxt_diagnostics_move(m->d, d);
	return status;
}

/* ---- Steps ---- */

/* Puts outputs into force that are due at step k. */
static void take_over(bxt_simulation *m, bxt_function_controller *c, long k)
{
	int done = 0;
	while (done < c->n_waiting && c->due[done] <= k) {
		for (size_t i = 0; i < c->n_writes; i++)
			bxt_simulation_put_input(m, c->writes[i],
						 c->waiting[(size_t)done * c->n_writes + i], 0);
		done++;
	}
	c->n_waiting -= done;
	memmove(c->due, c->due + done, (size_t)c->n_waiting * sizeof *c->due);
	memmove(c->waiting, c->waiting + (size_t)done * c->n_writes,
		(size_t)c->n_waiting * c->n_writes * sizeof *c->waiting);
}

static bxt_status call(bxt_simulation *m, bxt_function_controller *c)
{
	char error[ERROR_TEXT] = "";
	const double t = m->state->t;
	for (size_t i = 0; i < c->n_writes; i++)
		c->write[i] = bxt_simulation_input_now(m, c->writes[i]);
	if (c->recorder)
		BXT_TRY(bxt_simulation_read_with(m, c->recorder, c->read));
	if (c->def.step(c->def.context, c->remembered, t, c->read, c->write, error, sizeof error)) {
		error[sizeof error - 1] = '\0';
		bxt_error(m->d, BXT_NOWHERE, "t = %.9g s: a controller failed: %s", t,
			  *error ? error : "it gives no reason");
		return BXT_ERR_PLUGIN;
	}
	for (size_t i = 0; i < c->n_writes; i++)
		if (!isfinite(c->write[i])) {
			bxt_error(m->d, BXT_NOWHERE,
				  "t = %.9g s: a controller sets the input %s to %g", t,
				  m->base->net->inputs[c->writes[i]].path, c->write[i]);
			return BXT_ERR_NOT_FINITE;
		}
	return BXT_OK;
}

/* Calls a controller, and puts its outputs into force or into the queue. */
static bxt_status sample(bxt_simulation *m, bxt_function_controller *c, long k)
{
	BXT_TRY(call(m, c));
	if (c->delay == 0) {
		for (size_t i = 0; i < c->n_writes; i++)
			bxt_simulation_put_input(m, c->writes[i], c->write[i], 0);
		return BXT_OK;
	}
	if (c->n_waiting == c->depth) /* two calls at the same time: the latest counts */
		c->n_waiting--;
	c->due[c->n_waiting] = k + c->delay;
	memcpy(c->waiting + (size_t)c->n_waiting * c->n_writes, c->write,
	       c->n_writes * sizeof *c->write);
	c->n_waiting++;
	return BXT_OK;
}

bxt_status bxt_controllers_step(bxt_simulation *m)
{
	double point;
	if (m->controllers.n == 0 || !is_multiple(m->state->t, m->settings.step, &point) ||
	    fabs(point) > 1e15)
		return BXT_OK;
	const long k = (long)point;
	for (size_t i = 0; i < m->controllers.n; i++)
		take_over(m, m->controllers.of[i], k);
	for (size_t i = 0; i < m->controllers.n; i++)
		if (k % m->controllers.of[i]->period == 0)
			BXT_TRY(sample(m, m->controllers.of[i], k));
	return BXT_OK;
}
