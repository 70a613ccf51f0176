/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run's settings, resolved from the run's definition, the netlist and the defaults. */
#ifndef BXT_SCHEME_SETTINGS_H
#define BXT_SCHEME_SETTINGS_H

#include "expr/discrete_gradient.h"
#include "scheme/discrete_lagrangian.h"
#include "sparse/linsol.h"
#include "system/system.h"

struct bxt_scheme;

/* How the matrix of a torn system is solved (step/condensation.h). */
typedef enum bxt_torn {
	BXT_TORN_EXPLICIT, /* as it is: port coordinates and multipliers of Sigma_Q are unknowns */
	BXT_TORN_SCHUR,    /* subsystems factored by themselves (sparse/schur.h) */
	BXT_TORN_COUNT
} bxt_torn;
/* "explicit", "schur" */
extern const char *const bxt_condensation_names[BXT_TORN_COUNT];

typedef struct bxt_settings {
	const struct bxt_scheme *scheme;
	const bxt_rule *rule;
	double theta;               /* of the scheme theta, */
	bxt_rule theta_rule;        /* and the rule of that name with it; `rule` may point here */
	const bxt_rule *force_rule; /* of forces, where it is another than L's; else NULL */
	bxt_place scheme_place, rule_place;    /* where they are written */
	bool base_constraint;                  /* dirac+: A at q_k instead of q_mid */
	const bxt_discrete_gradient *gradient; /* of the scheme discrete-gradient */
	bool half_kick, operating_point;       /* how the run starts */
	const bxt_linsol_kind *solver;
	const char *solver_reason;
	bxt_torn torn;
	int threads; /* of BXT_TORN_SCHUR */
	double step, end;
	long every;
	const char *record;
	bxt_place record_place;
	const char *const *record_also;
	size_t n_record_also;
	bool project_loops; /* gauss: move along W after each step */
	bool project_rows;  /* gauss: symmetric projection onto velocity constraints */
	bool allow_plugins, plugins_in_process;
	const char *const *plugins; /* (n_plugins) "NAME=PATH" */
	size_t n_plugins;
	int plugin_seconds;
} bxt_settings;

/* BXT_ERR_MODEL after findings (unknown names with the nearest, missing or senseless step and end).
 */
bxt_status bxt_settings_resolve(const bxt_system *s, const bxt_run_def *def, bxt_diagnostics *d,
				bxt_settings *out);

/* `rule`, or where it is the rule theta that of the settings. */
const bxt_rule *bxt_rule_with_theta(const bxt_settings *settings, const bxt_rule *rule);
/* The rule of a group: its subsystem's or the run's. */
const bxt_rule *bxt_rule_of_group(const bxt_settings *settings, const bxt_group *group);
/* Has it a discrete Lagrangian of its own? */
bool bxt_is_written(const bxt_group *group);
/*
 * The rules of the groups, in their order; where a discrete Lagrangian is written the run's rule
 * comes first, for the ledger, and one without points last.
 */
bxt_status bxt_settings_mixture(const bxt_settings *settings, const bxt_system *s, bxt_arena *arena,
				bxt_mixture *out);

#endif
