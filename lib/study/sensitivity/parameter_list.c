/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/sensitivity/parameter_list.h"

#include "ground/base/text.h"

struct reader {
	const bxt_system *system;
	const char *what;
	bxt_arena *arena;
	bxt_diagnostics *d;
	bool bad;
};

static bxt_status add_parameter(struct reader *r, const char *name, bxt_parameter_list *to)
{
	bxt_part_info info = {.size = sizeof info};
	const long at = bxt_system_find(r->system, BXT_PART_PARAMETER, name, r->d);
	if (at < 0 || bxt_system_part(r->system, BXT_PART_PARAMETER, (size_t)at, &info) != BXT_OK) {
		r->bad = true;
		return BXT_OK;
	}
	const char *why = info.tunable ? NULL
				       : "cannot be changed: it follows time or an input, or it is "
					 "a sample period or a delay";
	for (size_t i = 0; i < to->n; i++)
		why = to->index[i] == (size_t)at ? "is in the list twice" : why;
	if (why) {
		bxt_error(r->d, BXT_NOWHERE, "%s: parameter '%s' %s", r->what, info.path, why);
		r->bad = true;
		return BXT_OK;
	}
	to->index[to->n] = (size_t)at;
	to->value[to->n] = info.value;
	to->name[to->n] = bxt_arena_strdup(r->arena, info.path);
	to->si[to->n] = bxt_arena_strdup(r->arena, info.unit ? info.unit : "");
	const bool good = to->name[to->n] && to->si[to->n];
	to->n++;
	return good ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_parameter_list_read(const bxt_system *system, const char *text, const char *what,
				   bxt_arena *arena, bxt_diagnostics *d, bxt_parameter_list *out)
{
	struct reader r = {system, what, arena, d, false};
	int n;
	char **word = bxt_split_words(arena, text, BXT_BLANKS_AND_COMMAS, &n);
	const size_t most = (size_t)n;
	*out = (bxt_parameter_list){.index = BXT_NEW(arena, size_t, most),
				    .name = BXT_NEW(arena, const char *, most),
				    .si = BXT_NEW(arena, const char *, most),
				    .value = BXT_NEW(arena, double, most)};
	BXT_TRY(bxt_arena_status(arena));
	for (int k = 0; k < n; k++)
		BXT_TRY(add_parameter(&r, word[k], out));
	if (out->n == 0 && !r.bad) {
		bxt_error(d, BXT_NOWHERE, "%s: the list of parameters is empty", what);
		r.bad = true;
	}
	return r.bad ? BXT_ERR_MODEL : BXT_OK;
}
