/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/signals.h"

#include "support/allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bxt_run_def signals_run(const char *scheme, double step, double end, const char *record)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.step = step;
	def.end = end;
	def.record = record;
	return def;
}

void signals_agree(const char *one, const char *a, const char *two, const char *b, bxt_run_def def)
{
	def.record = a;
	bxt_table *x = run_text(one, &def);
	def.record = b;
	bxt_table *y = run_text(two, &def);
	ck_assert_double_ge(largest(x, a), 1e-3);
	const double d = difference(x, a, y, b);
	/* the same equations in a different order, over 100 steps */
	ck_assert_msg(d <= 1e-12, "%s: %s and %s differ by %g", def.scheme, a, b, d);
	bxt_table_free(x);
	bxt_table_free(y);
}

void signals_agree_everywhere(const char *one, const char *a, const char *two, const char *b)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "radau2"};
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		signals_agree(one, a, two, b, signals_run(schemes[i], 0.002, 0.4, NULL));
}

/* For each failing allocation the result is a status, without a leak. */
void signals_without_memory(const char *xml, bool flat)
{
	model m = model_of_text(xml);
	long k = 0;
	for (bool failed = true; failed; k += 1 + k / 40) { /* every one of the first, then fewer */
		bxt_system *system = NULL;
		bxt_netlist *out = NULL;
		bxt_diagnostics *d = bxt_diagnostics_new();
		allocation_fail(k);
		bxt_status status = bxt_system_compile(m.netlist, m.library, d, &system);
		if (status == BXT_OK && flat)
			status = bxt_netlist_flatten(m.netlist, m.library, d, &out);
		failed = allocation_failed();
		allocation_fail(-1);
		const bxt_finding *f = NULL;
		for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE) && !f; i++)
			if (bxt_diagnostics_get(d, i)->severity == BXT_ERROR)
				f = bxt_diagnostics_get(d, i);
		/* an inline component that runs out of memory is reported as a finding */
		const bool told_so = f && strstr(f->text, "out of memory");
		ck_assert_msg(status == BXT_OK || (failed && (status == BXT_ERR_MEMORY || told_so)),
			      "allocation %ld: %s: %s", k, bxt_status_text(status),
			      f ? f->text : "");
		bxt_diagnostics_free(d);
		bxt_system_free(system);
		bxt_netlist_free(out);
	}
	ck_assert_int_ge(k, 100);
	model_free(&m);
}

bxt_status signals_compile(model *m, const char *xml)
{
	const char *folder = getenv("BOXTIMES_PATH");
	*m = (model){.findings = bxt_diagnostics_new()};
	m->library = bxt_library_new(&folder, 1, m->findings);
	ck_assert_int_eq(
		bxt_netlist_read_memory(xml, strlen(xml), "test", m->findings, &m->netlist),
		BXT_OK);
	return bxt_system_compile(m->netlist, m->library, m->findings, &m->system);
}

void signals_refuse(const char *text, const char *words)
{
	char xml[4000];
	model m;
	ck_assert_int_lt(
		snprintf(xml, sizeof xml,
			 NETLIST("<parameter name='K' unit='1' default='1'/>" CIRCUIT "%s"), text),
		(int)sizeof xml);
	ck_assert_int_eq(signals_compile(&m, xml), BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "%s: %s", words,
		      bxt_diagnostics_get(m.findings, 0)->text);
	model_free(&m);
}
