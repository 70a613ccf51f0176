/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the comparison of two models as JSON. */
#include "boxtimes_compare.h"
#include "ground/base/diagnostics.h"
#include "ground/base/json.h"

#include <math.h>
#include <string.h>

static void write_measures(const bxt_difference *d, bxt_json *j)
{
	bxt_json_text(j, "group", bxt_signal_group_name(d->group));
	bxt_json_text(j, "a", d->a);
	bxt_json_text(j, "b", d->b);
	bxt_json_number(j, "difference", d->relative);
	bxt_json_number(j, "largest", d->largest);
	bxt_json_number(j, "scale", d->scale);
	bxt_json_number(j, "at", d->at);
}

/* Is the difference a larger than b? NaN is larger than all numbers. */
static bool is_worse(const bxt_difference *a, const bxt_difference *b)
{
	return isnan(a->relative) ? !isnan(b->relative) : a->relative > b->relative;
}

/* Writes for each group its number of signals, and the worst of them. */
static void write_groups(const bxt_comparison *c, bxt_json *j)
{
	bxt_json_array(j, "groups", BXT_JSON_LINES);
	for (int g = 0; g < BXT_SIGNALS_COUNT; g++) {
		const bxt_difference *worst = NULL;
		long long n = 0;
		for (const bxt_difference *d = c->difference; d < c->difference + c->twins->n; d++)
			if ((int)d->group == g) {
				worst = !worst || is_worse(d, worst) ? d : worst;
				n++;
			}
		if (!worst)
			continue;
		bxt_json_object(j, NULL, BXT_JSON_INLINE);
		bxt_json_integer(j, "signals", n);
		write_measures(worst, j);
		bxt_json_close(j);
	}
	bxt_json_close(j);
}

static void write_signals(const bxt_comparison *c, bxt_json *j)
{
	bxt_json_array(j, "signals", BXT_JSON_LINES);
	for (size_t i = 0; i < c->twins->n; i++) {
		bxt_json_object(j, NULL, BXT_JSON_INLINE);
		write_measures(&c->difference[i], j);
		bxt_json_close(j);
	}
	bxt_json_close(j);
}

static void write_carried(const bxt_comparison *c, bxt_json *j)
{
	bxt_json_array(j, "interconnections", BXT_JSON_LINES);
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < c->n_carried[s]; i++) {
			const bxt_carried *k = &c->carried[s][i];
			bxt_json_object(j, NULL, BXT_JSON_INLINE);
			bxt_json_text(j, "model", s ? "b" : "a");
			bxt_json_text(j, "connection", k->connection);
			bxt_json_integer(j, "ports", (long long)k->n_ports);
			bxt_json_number(j, "carried", k->carried);
			bxt_json_number(j, "lost", k->lost);
			bxt_json_number(j, "relative", k->relative);
			bxt_json_number(j, "at", k->at);
			bxt_json_close(j);
		}
	bxt_json_close(j);
}

static void write_accounts(const bxt_comparison *c, bxt_json *j)
{
	bxt_json_array(j, "accounts", BXT_JSON_LINES);
	for (size_t i = 0; i < c->n_account; i++) {
		const bxt_account_difference *d = &c->account[i];
		bxt_json_object(j, NULL, BXT_JSON_INLINE);
		bxt_json_text(j, "kind", d->kind);
		bxt_json_text(j, "a", d->a);
		bxt_json_text(j, "b", d->b);
		bxt_json_text(j, "what", d->what);
		bxt_json_number(j, "difference", d->difference);
		bxt_json_number(j, "value", d->value);
		bxt_json_number(j, "relative", d->relative);
		bxt_json_close(j);
	}
	bxt_json_close(j);
}

/* The drift of a family in one run, or NaN. */
static double drift_of(const bxt_summary *s, const char *family)
{
	for (size_t i = 0; i < s->n_drift; i++)
		if (strcmp(s->drift[i].family, family) == 0)
			return s->drift[i].max;
	return NAN;
}

static void write_drift(const bxt_comparison *c, bxt_json *j)
{
	bxt_json_array(j, "drift", BXT_JSON_LINES);
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < c->summary[s]->n_drift; i++) {
			const char *family = c->summary[s]->drift[i].family;
			if (s == 1 && !isnan(drift_of(c->summary[0], family)))
				continue;
			bxt_json_object(j, NULL, BXT_JSON_INLINE);
			bxt_json_text(j, "family", family);
			bxt_json_number(j, "a", drift_of(c->summary[0], family));
			bxt_json_number(j, "b", drift_of(c->summary[1], family));
			bxt_json_close(j);
		}
	bxt_json_close(j);
}

static void write_alone(const bxt_comparison *c, bxt_json *j)
{
	bxt_json_object(j, "alone", BXT_JSON_INLINE);
	for (int s = 0; s < 2; s++) {
		bxt_json_array(j, s ? "b" : "a", BXT_JSON_INLINE);
		for (size_t i = 0; i < c->twins->n_alone[s]; i++)
			bxt_json_text(j, NULL, c->twins->alone[s][i]);
		bxt_json_close(j);
	}
	bxt_json_close(j);
}

bxt_status bxt_comparison_write_json(const bxt_comparison *comparison, FILE *stream)
{
	bxt_comparison given;
	const bxt_comparison *c = &given;
	BXT_NEEDS(NULL, comparison);
	BXT_NEEDS(NULL, stream);
	BXT_TRY(bxt_take_sized(comparison, &given, sizeof given, "bxt_comparison", NULL));
	BXT_NEEDS(NULL, given.twins && given.summary[0] && given.summary[1]);
	BXT_TRY(bxt_check_filled(given.twins, sizeof *given.twins, "bxt_twins", NULL));
	for (int k = 0; k < 2; k++)
		BXT_TRY(bxt_check_filled(given.summary[k], sizeof *given.summary[k], "bxt_summary",
					 NULL));
	BXT_NEEDS(NULL, given.difference || !given.twins->n);
	BXT_NEEDS(NULL, given.account || !given.n_account);
	for (int k = 0; k < 2; k++)
		BXT_NEEDS(NULL, given.carried[k] || !given.n_carried[k]);
	bxt_json json = {.stream = stream}, *j = &json;
	bxt_json_object(j, NULL, BXT_JSON_LINES);
	bxt_json_boolean(j, "agree", c->largest <= c->tolerance);
	bxt_json_number(j, "tolerance", c->tolerance);
	bxt_json_number(j, "largest", c->largest);
	write_groups(c, j);
	write_signals(c, j);
	write_carried(c, j);
	write_accounts(c, j);
	write_drift(c, j);
	write_alone(c, j);
	bxt_json_close(j);
	return bxt_json_end(j);
}
