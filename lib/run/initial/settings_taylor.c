/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports settings with which rules along Taylor's polynomial (methods/shooting.c) are impossible,
 * by name. */
#include "run/initial/settings_internal.h"

bool bxt_settings_taylor(const bxt_system *s, const bxt_settings *settings, bxt_place place,
			 bxt_diagnostics *d)
{
	const bxt_rule *taylor = NULL;
	for (int g = 0; g < s->n_groups && !taylor; g++)
		if (bxt_rule_of_group(settings, &s->groups[g])->taylor)
			taylor = bxt_rule_of_group(settings, &s->groups[g]);
	for (int g = 0; g < s->n_groups && taylor; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_element *e = &s->net->elements[group->element[0]];
		const bxt_primitive *p = &s->net->primitives[e->primitive];
		const bxt_rule *rule = bxt_rule_of_group(settings, group);
		if (bxt_is_written(group))
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
			  bxt_rule_of_group(settings, &s->groups[0])->name);
		return false;
	}
	return true;
}
