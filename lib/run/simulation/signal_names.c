/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and units of the signals that a run would record, found without a run. */
#include "run/simulation/signal_names.h"

#include "run/account/record.h"

#include <stdlib.h>
#include <string.h>

void bxt_signal_names_free(char **names, size_t n)
{
	for (size_t i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
}

/* Makes the recorder that a run with these settings would have. */
static bxt_status find_recorder(const bxt_system *s, const bxt_run_def *def, bxt_diagnostics *d,
				bxt_recorder **out)
{
	bxt_run_def standard, given;
	bxt_settings settings;
	bxt_default_run_def(&standard);
	BXT_NEEDS(d, s);
	BXT_TRY(bxt_take_sized(def ? def : &standard, &given, sizeof given, "bxt_run_def", d));
	/* bxt_initialize reports findings about settings; here only errors count */
	const bxt_status status = bxt_settings_resolve(s, &given, NULL, &settings);
	if (status == BXT_ERR_MODEL)
		return bxt_settings_resolve(s, &given, d, &settings);
	BXT_TRY(status);
	return bxt_recorder_new(s, &settings, d, out);
}

/* Lists the names of columns, or of the signals from which columns are computed. */
static bxt_status list_names(const bxt_recorder *r, bool columns, char ***names, size_t *n)
{
	const size_t count = columns ? r->n : r->n_signals;
	char **copies = calloc(count + 1, sizeof *copies);
	for (size_t i = 0; i < count && copies; i++) {
		const char *name = columns ? r->names[i] : r->signals[i].name;
		copies[i] = malloc(strlen(name) + 1);
		if (!copies[i]) {
			bxt_signal_names_free(copies, i);
			return BXT_ERR_MEMORY;
		}
		strcpy(copies[i], name);
	}
	*n = copies ? count : 0;
	*names = copies;
	return copies ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status find_names(const bxt_system *system, const bxt_run_def *def, bxt_diagnostics *d,
			     bool columns, char ***names, size_t *n)
{
	bxt_recorder *r = NULL;
	BXT_NEEDS(d, names);
	*names = NULL;
	BXT_NEEDS(d, n);
	*n = 0;
	BXT_TRY(find_recorder(system, def, d, &r));
	const bxt_status status = list_names(r, columns, names, n);
	bxt_recorder_free(r);
	return status;
}

bxt_status bxt_signal_names(const bxt_system *system, const bxt_run_def *def, bxt_diagnostics *d,
			    char ***names, size_t *n)
{
	return find_names(system, def, d, true, names, n);
}

bxt_status bxt_recorded_names(const bxt_system *system, const bxt_run_def *def, bxt_diagnostics *d,
			      char ***names, size_t *n)
{
	return find_names(system, def, d, false, names, n);
}

bxt_status bxt_signal_columns(const bxt_system *system, const bxt_run_def *def, bxt_diagnostics *d,
			      bxt_column **columns, size_t *n)
{
	bxt_recorder *r = NULL;
	BXT_NEEDS(d, columns);
	*columns = NULL;
	BXT_NEEDS(d, n);
	*n = 0;
	BXT_TRY(find_recorder(system, def, d, &r));
	size_t texts = 0;
	for (size_t i = 0; i < r->n; i++)
		texts += strlen(r->columns[i].name) + strlen(r->columns[i].unit) + 2;
	bxt_column *copies = malloc((r->n + 1) * sizeof *copies + texts);
	char *text = copies ? (char *)(copies + r->n + 1) : NULL;
	for (size_t i = 0; text && i < r->n; i++) {
		copies[i] = (bxt_column){sizeof *copies, text, NULL};
		text = strcpy(text, r->columns[i].name) + strlen(r->columns[i].name) + 1;
		copies[i].unit = text;
		text = strcpy(text, r->columns[i].unit) + strlen(r->columns[i].unit) + 1;
	}
	*n = text ? r->n : 0;
	*columns = copies;
	bxt_recorder_free(r);
	return copies ? BXT_OK : BXT_ERR_MEMORY;
}
