/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of groups: that of the subsystem, else that of the run. */
#include "motion/scheme/scheme.h"

/* The rule theta takes the theta of the run. */
const bxt_rule *bxt_rule_with_theta(const bxt_settings *settings, const bxt_rule *rule)
{
	return rule && rule->family == BXT_THETA ? &settings->theta_rule : rule;
}

/* The rule of a group: that of its subsystem, else that of the run. */
const bxt_rule *bxt_rule_of_group(const bxt_settings *settings, const bxt_group *group)
{
	const bxt_rule *own = bxt_rule_find(group->rule);
	return bxt_rule_with_theta(settings, own ? own : settings->rule);
}

bool bxt_is_written(const bxt_group *group)
{
	return group->type->component->discrete.lagrangian.text != NULL;
}

bxt_status bxt_settings_mixture(const bxt_settings *settings, const bxt_system *s, bxt_arena *arena,
				bxt_mixture *out)
{
	int *of_group = BXT_NEW(arena, int, (size_t)s->n_groups);
	*out = (bxt_mixture){.of_group = of_group,
			     .has_written = s->has_discrete,
			     .force_rule = bxt_rule_with_theta(settings, settings->force_rule),
			     .force_rule_plus =
				     bxt_rule_with_theta(settings, settings->force_rule_plus)};
	if (!of_group)
		return BXT_ERR_MEMORY;
	if (s->has_discrete) /* the ledger needs it */
		out->rule[out->n++] = bxt_rule_with_theta(settings, settings->rule);
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_rule *rule = bxt_rule_of_group(settings, &s->groups[g]);
		int k = 0;
		if (bxt_is_written(&s->groups[g]))
			continue;
		while (k < out->n && out->rule[k] != rule)
			k++;
		if (k == BXT_MAX_RULES) /* bxt_settings_resolve has reported this error */
			return BXT_ERR_ARGUMENT;
		if (k == out->n)
			out->rule[out->n++] = rule;
		of_group[g] = k;
	}
	for (int g = 0; g < s->n_groups; g++)
		if (bxt_is_written(&s->groups[g]))
			of_group[g] = out->n;
	out->n += out->has_written;
	return BXT_OK;
}
