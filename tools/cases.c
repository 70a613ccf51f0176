/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

bool cases_varies(const char *set)
{
	const char *value = strchr(set, '=') + 1;
	while (*value == ' ')
		value++;
	return *value != '=' && (strpbrk(value, ":,") || strstr(value, "+-"));
}

bool cases_any(const options *o)
{
	for (size_t i = 0; i < o->set.n; i++)
		if (cases_varies(o->set.text[i]))
			return true;
	return false;
}

bool cases_split(const options *o, options *fixed, list *vary)
{
	bool good = true;
	*fixed = *o;
	fixed->set = (list){0};
	for (size_t i = 0; i < o->set.n && good; i++)
		good = list_add(cases_varies(o->set.text[i]) ? vary : &fixed->set, o->set.text[i]);
	return good;
}

int cases_open(cases *c, const options *o, bxt_library *library)
{
	model m = {0};
	bxt_parameter_sweep_def def;
	if (!cases_split(o, &c->fixed, &c->vary))
		return EXIT_NUMERICS;
	int result = model_open(&m, &c->fixed, o->files.text[0], library, false);
	if (result == EXIT_OK) {
		bxt_default_parameter_sweep_def(&def);
		def.vary = c->vary.text;
		def.n_vary = c->vary.n;
		bxt_diagnostics *d = bxt_diagnostics_new();
		const bxt_status status =
			d ? bxt_parameter_cases(m.system, &def, d, &c->list) : BXT_ERR_MEMORY;
		result = report(status, d, m.file, o->quiet);
	}
	model_close(&m);
	return result;
}

void cases_close(cases *c)
{
	bxt_parameter_sweep_free(c->list);
	free(c->vary.text);
	free(c->fixed.set.text);
	free(c->text);
	*c = (cases){0};
}

int cases_model(cases *c, size_t number, bxt_library *library, model *m)
{
	const bxt_parameter_sweep *s = c->list;
	const double *value = s->value + number * s->n_columns;
	const size_t kept = c->fixed.set.n;
	size_t size = 1, *at = calloc(s->n_varied + 1, sizeof *at);
	FILE *f;
	int result = EXIT_NUMERICS;
	free(c->text);
	c->text = NULL;
	if (!at || !(f = open_memstream(&c->text, &size))) {
		free(at);
		return EXIT_NUMERICS;
	}
	for (size_t i = 0; i < s->n_varied; i++) {
		fflush(f);
		at[i] = size;
		fprintf(f, "%s=%.17g", s->column[i].name, value[i]);
		fputc('\0', f);
	}
	bool good = fclose(f) == 0;
	for (size_t i = 0; i < s->n_varied && good; i++)
		good = list_add(&c->fixed.set, c->text + at[i]);
	if (good)
		result = model_open(m, &c->fixed, c->fixed.files.text[0], library, false);
	c->fixed.set.n = kept;
	free(at);
	return result;
}

char *cases_words(const cases *c, size_t number, long but)
{
	const bxt_parameter_sweep *s = c->list;
	char *text = NULL;
	size_t size;
	const char *between = "";
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	for (size_t i = 0; i < s->n_varied; i++) {
		if ((long)i == but)
			continue;
		const double value = s->value[number * s->n_columns + i];
		fprintf(f, "%s%s = %.6g%s%s", between, s->column[i].name, value,
			*s->column[i].unit ? " " : "", s->column[i].unit);
		between = ", ";
	}
	return fclose(f) == 0 ? text : NULL;
}
