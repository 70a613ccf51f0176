/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where rules along Taylor's polynomial (step/shooting.h) are of no use: by name. */
#include "run/settings_internal.h"

static const bxt_rule *rule_of_group(const bxt_settings *settings, const bxt_group *group)
{
	const bxt_rule *own = bxt_rule_find(group->rule);
	return own ? own : settings->rule;
}

static bool is_written(const bxt_group *group)
{
	return group->type->component->discrete_lagrangian.text != NULL;
}

bool bxt_settings_taylor(const bxt_system *s, const bxt_settings *settings, bxt_place place,
			 bxt_diagnostics *d)
{
	const bxt_rule *taylor = NULL;
	for (int g = 0; g < s->n_groups && !taylor; g++)
		if (rule_of_group(settings, &s->groups[g])->taylor)
			taylor = rule_of_group(settings, &s->groups[g]);
	for (int g = 0; g < s->n_groups && taylor; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_element *e = &s->net->elements[group->element[0]];
		const bxt_primitive *p = &s->net->primitives[e->primitive];
		const bxt_rule *rule = rule_of_group(settings, group);
		if (is_written(group))
			bxt_error(d, e->place,
				  "%s '%s' has a discrete Lagrangian of its own, in q_k and "
				  "q_{k+1}: rule '%s' shoots along the motion of all",
				  group->type->component->name, e->id, taylor->name);
		else if (rule != taylor)
			bxt_error(d, p->place,
				  "%s%s%s rule '%s' cannot be joined with rule '%s' elsewhere, "
				  "which shoots along the motion of all: one of both for all",
				  *p->path ? "subsystem '" : "", p->path, *p->path ? "':" : "",
				  rule->name, taylor->name);
		else
			continue;
		return false;
	}
	if (taylor && settings->force_rule &&
	    (!settings->force_rule->taylor || settings->force_rule->degree != taylor->degree)) {
		bxt_error(d, place,
			  "force-rule '%s' moves along another polynomial than rule '%s' of L, "
			  "Taylor's of degree %d",
			  settings->force_rule->name, taylor->name, taylor->degree);
		return false;
	}
	if (!taylor && settings->force_rule && settings->force_rule->taylor && s->n_groups > 0) {
		bxt_error(d, place,
			  "force-rule '%s' moves along Taylor's polynomial of degree %d, rule '%s' "
			  "of L does not",
			  settings->force_rule->name, settings->force_rule->degree,
			  rule_of_group(settings, &s->groups[0])->name);
		return false;
	}
	return true;
}

/* The places first ... end - 1 that are `in` (NULL: all), as a finding with their names. */
static bool refuse_places(const bxt_system *s, int first, int end, const bool *in, bxt_place place,
			  const char *rule, const char *why, bxt_diagnostics *d)
{
	enum { MAX_NAMED = 8 };
	bxt_buffer names = {0}, name = {0};
	int n = 0;
	for (int i = first; i < end; i++) {
		if (in && !in[i])
			continue;
		if (n++ < MAX_NAMED)
			bxt_buffer_printf(&names, "%s%s", n > 1 ? ", " : "",
					  bxt_system_x_name(s, i, &name));
	}
	if (n > 0)
		bxt_error(
			d, place,
			"rule '%s' %s (%s%s): use midpoint, galerkin2-gauss2 or the scheme gauss1",
			rule, why, names.text ? names.text : "?", n > MAX_NAMED ? ", ..." : "");
	bxt_buffer_free(&names);
	bxt_buffer_free(&name);
	return n == 0;
}

bool bxt_settings_shoot(const bxt_system *s, const bxt_settings *settings, bxt_place place,
			bxt_diagnostics *d)
{
	const char *name = settings->rule->name;
	bool possible = true;
	if (!bxt_is_shooting(settings))
		return true;
	if (s->m > 0)
		possible = refuse_places(s, s->n, s->n + s->m, NULL, place, name,
					 "shoots along motions that nothing constrains, and there "
					 "are constraint rows",
					 d);
	if (!refuse_places(s, 0, s->n, s->pinned, place, name,
			   "shoots with accelerations, which are not defined without inertia", d))
		return false;
	if (s->kernel.ncol > 0)
		possible = refuse_places(s, 0, s->n, s->in_kernel, place, name,
					 "shoots with accelerations, which are not defined where "
					 "inertia is singular",
					 d) &&
			   possible;
	return possible;
}
