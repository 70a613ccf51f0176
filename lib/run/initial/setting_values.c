/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/initial/setting_values.h"

#include "model/netlist/setting_members.h"
#include "motion/methods/methods.h"
#include "motion/scheme/scheme.h"

#include <string.h>

typedef struct choice {
	const char *name, *doc;
} choice;

/* Settings without a table of their own; settings.c uses the positions in these lists. */
static const choice constraints[] = {
	{"midpoint", "A at the middle of the step"},
	{"base", "A at the base point q_k"},
	{NULL, NULL},
};
static const choice starts[] = {
	{"plain", "the consistent start"},
	{"half-kick", "with half of the first impulse: dirac+ with rectangle is then of order 2"},
	{"operating-point", "at rest, with the sources as at t = 0"},
	{NULL, NULL},
};
static const choice projections[] = {
	{"auto", "on where the scheme needs it"},
	{"on", "each step ends on the constraints and with closed lossless loops; with theta it "
	       "begins there, too"},
	{"off", "steps end where the scheme leaves them"},
	{NULL, NULL},
};
static const choice step_controls[] = {
	{"error", "by the error of each step, where a tolerance is given, relative to values"},
	{"reversible", "by a density of steps: energies of reversible motions do not drift"},
	{"range", "by the error of each step, relative to the largest values so far"},
	{NULL, NULL},
};
static const choice events[] = {
	{"both", "two rows of one time where a recorded value jumps, before and after"},
	{"after", "one row there, after the jump"},
	{"none", "no rows but those at steps"},
	{NULL, NULL},
};
const char *const bxt_setting_names[] = {"scheme",     "rule",  "solver",     "gradient",
					 "constraint", "start", "projection", "step-control",
					 "events",     NULL};

void bxt_setting_values(const char *setting, bxt_setting_visit *visit, void *context)
{
	static const struct {
		const char *setting;
		const choice *list;
	} lists[] = {{"constraint", constraints},
		     {"start", starts},
		     {"projection", projections},
		     {"step-control", step_controls},
		     {"events", events}};
	if (!setting || !visit)
		return;
	for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
		for (const choice *c = lists[k].list;
		     strcmp(lists[k].setting, setting) == 0 && c->name; c++)
			visit(context, c->name, c->doc);
	for (int i = 0; strcmp(setting, "setting") == 0 && bxt_setting_names[i]; i++)
		visit(context, bxt_setting_names[i], bxt_setting_member(bxt_setting_names[i])->doc);
	for (int i = 0; strcmp(setting, "scheme") == 0 && bxt_schemes[i]; i++)
		visit(context, bxt_schemes[i]->name, bxt_schemes[i]->doc);
	for (int i = 0; strcmp(setting, "rule") == 0 && bxt_rules[i].name; i++)
		visit(context, bxt_rules[i].name, bxt_rules[i].doc);
	if (strcmp(setting, "solver") == 0)
		visit(context, "auto", "by the size of the model and the rows of its matrix");
	for (int i = 0; strcmp(setting, "solver") == 0 && bxt_linsol_kinds[i]; i++)
		visit(context, bxt_linsol_kinds[i]->name, bxt_linsol_kinds[i]->doc);
	for (int i = 0; strcmp(setting, "gradient") == 0 && bxt_discrete_gradients[i].name; i++)
		visit(context, bxt_discrete_gradients[i].name, bxt_discrete_gradients[i].doc);
	for (int i = BXT_METHOD_END + 1; strcmp(setting, "method") == 0 && i < BXT_METHOD_COUNT;
	     i++)
		visit(context, bxt_motion.method[i]->name, bxt_motion.method[i]->doc);
}
