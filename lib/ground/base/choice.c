/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/choice.h"

void bxt_choice_start(bxt_choice *c, const bxt_choice_rule *rule)
{
	/* the first trial, if it changes nothing, is followed by the span of way 0 */
	*c = (bxt_choice){.left = rule->first, .span = rule->span[0] / 2};
}

int bxt_choice_next(const bxt_choice *c)
{
	return c->left > 0 ? c->preferred : !c->preferred;
}

void bxt_choice_learn(bxt_choice *c, const bxt_choice_rule *rule, int way, double cost)
{
	double *mean = &c->cost[way];
	*mean += *mean > 0 ? rule->weight * (cost - *mean) : cost;
	const bool is_trial = way != c->preferred && c->left == 0;
	const bool is_known = c->cost[0] > 0 && c->cost[1] > 0;
	const int better = is_known && c->cost[1] <= rule->worth * c->cost[0];
	if (way == c->preferred && c->left > 0)
		c->left--;
	if (is_trial) {
		const int doubled = 2 * c->span;
		c->span = better != c->preferred      ? rule->span[better]
			  : doubled < rule->most_span ? doubled
						      : rule->most_span;
		c->left = c->span;
	}
	if (is_trial || (rule->at_once && is_known))
		c->preferred = better;
}
