/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run's settings, resolved from the run's definition, the netlist and the defaults. */
#ifndef BXT_SCHEME_SETTINGS_H
#define BXT_SCHEME_SETTINGS_H

#include "boxtimes_run.h"
#include "ground/base/text.h"
#include "ground/expr/discrete_gradient.h"
#include "ground/solver/linsol.h"
#include "model/system/system.h"
#include "motion/scheme/discrete_lagrangian.h"

struct bxt_scheme;

/* Rows at time events where a recorded value jumps. */
typedef enum bxt_event_rows {
	BXT_EVENTS_BOTH, /* two, before and after */
	BXT_EVENTS_AFTER,
	BXT_EVENTS_NONE /* none but those of the grid */
} bxt_event_rows;

typedef struct bxt_plugin_settings {
	bool allowed, in_process;
	const char *const *paths; /* (n) "NAME=PATH" */
	size_t n;
	int seconds; /* that a call of a plug-in may take */
} bxt_plugin_settings;

typedef struct bxt_settings {
	const struct bxt_scheme *scheme;
	const bxt_rule *rule;
	double theta;               /* of the scheme theta */
	bxt_rule theta_rule;        /* the rule theta with this theta; `rule` may point here */
	const bxt_rule *force_rule; /* rule of forces where it differs from L's; else NULL */
	const bxt_rule
		*force_rule_plus; /* that of f^+ where it differs from that of f^-; else NULL */
	bxt_place scheme_place, rule_place;    /* source locations */
	bool base_constraint;                  /* dirac+: A at q_k instead of q_mid */
	const bxt_discrete_gradient *gradient; /* of the scheme discrete-gradient */
	bxt_event_rows events;
	bool half_kick, operating_point; /* how the run starts */
	bool at_start;                   /* no step follows, so none is checked */
	const bxt_linsol_kind *solver;
	const char *solver_reason;
	double step, end;
	/* relative error of each step; `step` is then the interval of rows. 0: steps have the size
	 * `step` */
	double tolerance;
	double max_step, min_step; /* [s] limit of steps with a tolerance; 0: by the run; for the
				      smallest: none */
	const char *absolute; /* absolute errors that a step may have in addition, by unit; NULL:
				 none */
	bxt_place absolute_place;
	bool by_range;       /* errors are relative to the largest values so far */
	bool reversible;     /* a density determines the steps; `step` is the first one */
	const char *density; /* of steps; NULL: by forces and motion */
	bxt_place density_place;
	double newton_tolerance; /* part of the largest unknown; 0: round-off */
	double refine; /* divides `absolute`, and has divided `tolerance`: 1, or the factor of a
			  comparison */
	long every;
	const char *record;
	bxt_place record_place;
	const char *const *record_also;
	size_t n_record_also;
	bool project_loops;  /* Gauss: close lossless loops, along W, after each step */
	bool project_rows;   /* Gauss: symmetric projection onto velocity constraints */
	bool project_ends;   /* theta: both ends of a step lie on the constraints */
	bool keep_positions; /* Gauss: correct positions that the method does not keep */
	bxt_plugin_settings plugins;
	bool compile; /* evaluate by native code (system/native.h) */
} bxt_settings;

/* Sets a step for the start if neither the definition nor the netlist has one. It does not affect
 * the result. */
void bxt_settings_need_no_step(const bxt_system *s, bxt_run_def *def);
/* BXT_ERR_MODEL after findings: unknown names (with the nearest one), bad or missing step and end.
 */
bxt_status bxt_settings_resolve(const bxt_system *s, const bxt_run_def *def, bxt_diagnostics *d,
				bxt_settings *out);

/* Returns `rule`; for the rule theta, the one with the settings' theta. */
const bxt_rule *bxt_rule_with_theta(const bxt_settings *settings, const bxt_rule *rule);
/* The rule of a group: its subsystem's or the run's. */
const bxt_rule *bxt_rule_of_group(const bxt_settings *settings, const bxt_group *group);
/* Do the group's elements have a written discrete Lagrangian? */
bool bxt_is_written(const bxt_group *group);
/*
 * Collects the rules of the groups, in the order of groups. Where a discrete Lagrangian is written,
 * the run's rule comes first, for the ledger, and a rule without points last.
 */
bxt_status bxt_settings_mixture(const bxt_settings *settings, const bxt_system *s, bxt_arena *arena,
				bxt_mixture *out);

/* The settings of probing steps: backward Euler, without projections. */
void bxt_settings_backward_euler(const bxt_settings *settings, bxt_settings *out);
/* "scheme 'dirac+' with rule 'simpson'" */
void bxt_settings_name_scheme(const bxt_settings *settings, bxt_buffer *words);

#endif
