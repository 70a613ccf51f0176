/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "boxtimes_model.h"
#include "model/netlist/setting_members.h"
#include "motion/methods/methods.h"
#include "run/initial/absolute.h"
#include "run/initial/setting_values.h"
#include "run/initial/settings_internal.h"
#include "run/initial/solver_choice.h"

#include <math.h>
#include <string.h>

void bxt_default_run_def(bxt_run_def *def)
{
	if (def)
		*def = (bxt_run_def){.size = sizeof *def};
}

/* The text of a setting, NULL if it is not given, and its source location, which a text of the
 * caller lacks. */
struct asked {
	const char *text;
	bxt_place place;
};

/* Returns the setting of the caller's definition or, if that is NULL, the netlist's. */
static struct asked ask(const bxt_network *net, const bxt_run_def *def, const char *name)
{
	const bxt_member *field = def ? bxt_setting_member(name) : NULL;
	const char *given = field ? bxt_setting_text(def, field) : NULL;
	if (given)
		return (struct asked){given, {NULL, 0}};
	for (size_t i = 0; i < net->simulation.n_settings; i++)
		if (strcmp(net->simulation.settings[i].name, name) == 0)
			return (struct asked){net->simulation.settings[i].value,
					      net->simulation.settings[i].place};
	return (struct asked){NULL, {NULL, 0}};
}

/* Largest number of values of a setting, and of values that a message lists. */
enum { MAX_CHOICES = 96, MAX_LISTED = 12 };

struct names {
	const char *name[MAX_CHOICES];
	int n;
};

static void add_name(void *context, const char *name, const char *doc)
{
	struct names *all = context;
	(void)doc;
	if (all->n < MAX_CHOICES)
		all->name[all->n++] = name;
}

/*
 * Returns the index of a text among the values of a setting, or of the standard value if none is
 * given; -1 after a finding, which names the text by `what`.
 */
static int choose_value(struct asked a, const char *setting, const char *what, bxt_diagnostics *d)
{
	struct names values = {.n = 0};
	bxt_setting_values(setting, add_name, &values);
	const char *const *choices = values.name;
	const int n = values.n;
	bxt_buffer all = {0};
	if (!a.text)
		a.text = bxt_setting_member(setting)->standard;
	for (int i = 0; i < n; i++)
		if (strcmp(choices[i], a.text) == 0)
			return i;
	for (int i = 0; i < n && n <= MAX_LISTED; i++)
		bxt_buffer_printf(&all, "%s%s", i ? ", " : "", choices[i]);
	if (n > MAX_LISTED)
		bxt_buffer_printf(&all, "the %d that 'boxtimes list --settings' names", n);
	const char *near = bxt_nearest(a.text, choices, (size_t)n);
	bxt_error(d, a.place, "%s '%s' is not one of %s%s%s%s", what, a.text,
		  all.text ? all.text : "", near ? " (did you mean '" : "", near ? near : "",
		  near ? "'?)" : "");
	bxt_buffer_free(&all);
	return -1;
}

/* The same for the run's own setting. */
static int choose(const bxt_network *net, const bxt_run_def *def, const char *setting,
		  bxt_diagnostics *d)
{
	return choose_value(ask(net, def, setting), setting, setting, d);
}

/* Reads a time that must be given by the caller or by the netlist [s]. */
static double read_time(const bxt_network *net, const bxt_run_def *def, const char *what,
			bxt_diagnostics *d)
{
	const double given = bxt_setting_number(def, bxt_setting_member(what));
	double value = given;
	bxt_place place = BXT_NOWHERE;
	bool found = given != 0;
	for (size_t i = 0; i < net->simulation.n_settings && !found; i++)
		if (strcmp(net->simulation.settings[i].name, what) == 0) {
			found = true;
			value = net->simulation.settings[i].number;
			place = net->simulation.settings[i].place;
		}
	if (!found)
		bxt_error(d, place, "no %s is given: write <simulation %s=\"...\"/> or --%s", what,
			  what, what);
	else if (!isfinite(value) || value <= 0)
		bxt_error(d, place, "%s is %g s: must be a positive time", what, value);
	return value;
}

/* Reads a number between 0 and `most` (INFINITY: a time [s]); 0: it is not given. */
static double read_optional(const bxt_network *net, const bxt_run_def *def, const char *what,
			    double most, bxt_diagnostics *d)
{
	double given = bxt_setting_number(def, bxt_setting_member(what)), value = given;
	bxt_place place = BXT_NOWHERE;
	for (size_t i = 0; i < net->simulation.n_settings && given == 0; i++)
		if (strcmp(net->simulation.settings[i].name, what) == 0) {
			value = net->simulation.settings[i].number;
			place = net->simulation.settings[i].place;
			given = value != 0 ? value : -1;
		}
	if (given == 0)
		return 0;
	if (isfinite(value) && value > 0 && value < most)
		return value;
	if (isfinite(most))
		bxt_error(d, place, "%s is %g: must be above 0 and below %g", what, value, most);
	else
		bxt_error(d, place, "%s is %g s: must be a positive time", what, value);
	return 0;
}

/* Reads the tolerances, and the bounds of steps, which only step control uses. */
static void resolve_tolerance(const bxt_network *net, const bxt_run_def *def, bxt_diagnostics *d,
			      bxt_settings *out)
{
	out->refine = def->refine > 0 ? def->refine : 1;
	out->tolerance = read_optional(net, def, "tolerance", 1, d) / out->refine;
	out->newton_tolerance = read_optional(net, def, "newton-tolerance", 1, d);
	out->max_step = read_optional(net, def, "max-step", INFINITY, d);
	out->min_step = read_optional(net, def, "min-step", INFINITY, d);
	if (out->max_step > 0 && out->min_step > out->max_step)
		bxt_error(d, BXT_NOWHERE, "min-step %g s is above max-step %g s", out->min_step,
			  out->max_step);
	out->absolute = ask(net, def, "absolute").text;
	out->absolute_place = ask(net, def, "absolute").place;
}

/* Refuses a tolerance for schemes that have no step control. */
static void check_tolerance(const bxt_system *s, const bxt_settings *out, struct asked scheme,
			    bxt_diagnostics *d)
{
	bool loses = false;
	for (int g = 0; g < s->n_groups; g++)
		loses = loses || s->groups[g].type->dissipative;
	if (out->tolerance > 0 && out->scheme->backward)
		bxt_error(d, scheme.place,
			  "the scheme %s steps backward: it has no step control; leave the "
			  "tolerance out, or use radau3",
			  out->scheme->name);
	if (out->tolerance > 0 && out->scheme->captures)
		bxt_error(
			d, scheme.place,
			"the scheme %s steps over events, whose error no estimate knows: it has no "
			"step control; leave the tolerance out, or use radau3",
			out->scheme->name);
	if (out->tolerance > 0 && bxt_is_symmetric(out) && !loses)
		bxt_note(d, scheme.place,
			 "with a tolerance the steps of %s are not all the same: energy may drift "
			 "as with any other scheme",
			 out->scheme->name);
}

static const double MAX_STEPS = 1e15; /* beyond, neighbours t_0 + k h are the same number */

static void choose_solver(const bxt_network *net, const bxt_run_def *def, bxt_settings *out,
			  bxt_diagnostics *d)
{
	const int i = choose(net, def, "solver", d);
	out->solver = i > 0 ? bxt_linsol_kinds[i - 1]
			    : NULL; /* auto: chosen when all other settings are known */
	out->solver_reason = "as asked";
}

/* Refuses a setting of earlier versions by its name. */
static void refuse_torn(const bxt_network *net, bxt_diagnostics *d)
{
	const struct asked a = ask(net, NULL, "torn");
	if (a.text && strcmp(a.text, "explicit") != 0)
		bxt_error(d, a.place,
			  "torn '%s' was removed: leave torn out; the matrix of a torn system is "
			  "solved "
			  "in one piece, with the same results and faster",
			  a.text);
}

/* ---- Settings that are not for every scheme ---- */

/* The schemes on which a setting has an effect. A value listed in `nothing` is allowed with any
 * scheme. */
static const struct concern {
	const char *setting;
	unsigned takes; /* bxt_takes */
	const char *nothing[2];
} concerns[] = {
	{"rule", BXT_TAKES_RULE, {NULL, NULL}},
	{"force-rule", BXT_TAKES_PLACES, {NULL, NULL}},
	{"constraint", BXT_TAKES_PLACES, {NULL, NULL}},
	{"theta", BXT_TAKES_THETA, {NULL, NULL}},
	{"projection", BXT_TAKES_PROJECTION, {"auto", "off"}},
	{"gradient", BXT_TAKES_GRADIENT, {NULL, NULL}},
};

/*
 * Reports a requested setting that has no effect. If the caller overrides the scheme of the
 * netlist, this is only a note.
 */
static void report_left_out(const bxt_network *net, const bxt_run_def *def, struct asked a,
			    const char *subsystem, const struct concern *c,
			    const bxt_scheme *scheme, bxt_diagnostics *d)
{
	const bool own = a.place.file == NULL;
	const bool overruled = def->scheme && !own && ask(net, NULL, "scheme").text;
	bxt_buffer takers = {0};
	for (int i = 0; bxt_schemes[i]; i++)
		if (bxt_schemes[i]->takes & c->takes)
			bxt_buffer_printf(&takers, "%s%s", takers.length ? ", " : "",
					  bxt_schemes[i]->name);
	bxt_report(d, overruled ? BXT_NOTE : BXT_WARNING, a.place,
		   "%s%s%s%s '%s' is left out: it does not concern the scheme %s, only %s",
		   subsystem ? "subsystem '" : "", subsystem ? subsystem : "",
		   subsystem ? "': " : "", c->setting, a.text, scheme->name,
		   takers.text ? takers.text : "others");
	bxt_buffer_free(&takers);
}

/* Reports settings of the run that its scheme ignores. */
static void check_concerns(const bxt_network *net, const bxt_run_def *def, const bxt_scheme *scheme,
			   bxt_diagnostics *d)
{
	for (size_t i = 0; i < sizeof concerns / sizeof *concerns; i++) {
		const struct concern *c = &concerns[i];
		const struct asked a = ask(net, def, c->setting);
		bool silent = !a.text || scheme->takes & c->takes;
		for (int k = 0; k < 2 && !silent && c->nothing[k]; k++)
			silent = strcmp(a.text, c->nothing[k]) == 0;
		if (!silent)
			report_left_out(net, def, a, NULL, c, scheme, d);
	}
}

/*
 * Subsystems may have rules of their own (Parks, (3.59): L_d is a sum, and so is the discrete
 * structure) provided that their flows are the same. Checks that all rules have one degree, and
 * points enough for all.
 */
static void check_mixture(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	const bxt_rule *rules[BXT_MAX_RULES];
	bxt_discretization room[BXT_MAX_RULES];
	int n = 0;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_rule *rule = bxt_rule_of_group(settings, group);
		const bxt_element *e = &s->net->elements[group->element[0]];
		const bxt_primitive *p = &s->net->primitives[e->primitive];
		int k = 0;
		if (bxt_is_written(group) && rule->degree > 1) {
			bxt_error(
				d, e->place,
				"%s '%s' has a discrete Lagrangian of its own, in q_k and q_{k+1}: "
				"rule '%s' has internal nodes between them",
				group->type->component->name, e->id, rule->name);
			return;
		}
		while (k < n && rules[k] != rule)
			k++;
		if (k < n || bxt_is_written(group))
			continue;
		if (n > 0 && rules[0]->degree != rule->degree) {
			bxt_error(
				d, p->place,
				"subsystem '%s': rule '%s' moves along a polynomial of degree %d, "
				"rule '%s' elsewhere of degree %d: their flows cannot be joined",
				p->path, rule->name, rule->degree, rules[0]->name,
				rules[0]->degree);
			return;
		}
		if (n < BXT_MAX_RULES)
			rules[n] = rule;
		if (n++ >= BXT_MAX_RULES || !bxt_rules_discretize(rules, n, false, room)) {
			bxt_error(d, p->place,
				  "subsystem '%s': with rule '%s' there are more different rules "
				  "than "
				  "can be joined (%d, of %d points together)",
				  p->path, rule->name, BXT_MAX_RULES, BXT_MAX_POINTS);
			return;
		}
	}
}

/* Checks different rules for f^- and f^+: flows must be along a straight line, and both parts
 * together the whole impulse. */
static bool check_ends(const bxt_settings *settings, bxt_place place, bxt_diagnostics *d)
{
	static const double ROUND_OFF = 1e-12; /* of weights of size 1 */
	const bxt_rule *minus = settings->force_rule, *plus = settings->force_rule_plus;
	double whole;
	(void)bxt_rules_of_ends_order(minus, plus, &whole);
	if (minus->degree > 1 || plus->degree > 1 || minus->taylor || plus->taylor)
		bxt_error(d, place,
			  "force-rule '%s; %s': f- and f+ have rules of their own along a straight "
			  "line alone, as trapezoid, midpoint and simpson are",
			  minus->name, plus->name);
	else if (fabs(whole - 1) > ROUND_OFF)
		bxt_error(d, place,
			  "force-rule '%s; %s': f- of the one and f+ of the other are together %g "
			  "times the impulse of a force: take two symmetric rules, as trapezoid, "
			  "midpoint and simpson are",
			  minus->name, plus->name, whole);
	else
		return true;
	return false;
}

/* Checks different rules for L and f: they need the same flows, and no more points than there is
 * room for. */
static void check_force_rule(const bxt_system *s, bxt_settings *settings, bxt_diagnostics *d)
{
	const bxt_rule *rules[BXT_MAX_RULES + 2], *forces = settings->force_rule;
	const bxt_place place = ask(s->net, NULL, "force-rule").place;
	bxt_discretization room[BXT_MAX_RULES + 2];
	int n = 0;
	bool same = !settings->force_rule_plus, fits = true;
	if (!same && !check_ends(settings, place, d))
		return;
	for (int g = 0; g < s->n_groups && forces; g++) {
		const bxt_rule *rule = bxt_rule_of_group(settings, &s->groups[g]);
		int k = 0;
		if (bxt_is_written(&s->groups[g]))
			continue;
		same = same && rule == forces;
		while (k < n && rules[k] != rule)
			k++;
		if (rule->degree != forces->degree) {
			bxt_error(d, place,
				  "force-rule '%s' moves along a polynomial of degree %d, the rule "
				  "'%s' of L of degree %d: they have different flows",
				  forces->name, forces->degree, rule->name, rule->degree);
			return;
		}
		if (k == n && n < BXT_MAX_RULES)
			rules[n++] = rule;
	}
	if (same)
		settings->force_rule = NULL;
	if (same || !forces)
		return;
	rules[n++] = forces;
	if (settings->force_rule_plus)
		rules[n++] = settings->force_rule_plus;
	fits = bxt_rules_discretize(rules, n, false, room);
	if (!fits)
		bxt_error(d, place,
			  "force-rule '%s': together with the rules of L there are more "
			  "than %d points",
			  forces->name, BXT_MAX_POINTS);
	else
		bxt_warning(
			d, place,
			"forces by rule '%s'%s%s%s, L by rule '%s': Lagrangians and forces that "
			"are equivalent no longer give the same motion (Parks, 2.4)",
			forces->name, settings->force_rule_plus ? " and '" : "",
			settings->force_rule_plus ? settings->force_rule_plus->name : "",
			settings->force_rule_plus ? "'" : "", rules[0]->name);
}

/* Checks that the rules of subsystems are known, and that the scheme uses them. */
static void check_subsystem_rules(const bxt_system *s, const bxt_run_def *def,
				  bxt_settings *settings, bxt_diagnostics *d)
{
	const bxt_network *net = s->net;
	for (size_t i = 1; i < net->n_primitives; i++) {
		const bxt_primitive *p = &net->primitives[i];
		const struct asked a = {p->rule, p->place};
		const int own = p->rule ? choose_value(a, "rule", "rule", d) : -1;
		if (own >= 0 && !settings->scheme->uses_rule)
			report_left_out(net, def, a, p->path, &concerns[0], settings->scheme, d);
	}
	if (!settings->scheme->uses_rule)
		return;
	if (!bxt_settings_taylor(s, settings, ask(net, NULL, "force-rule").place, d))
		return;
	check_mixture(s, settings, d);
	check_force_rule(s, settings, d);
	bool used = false;
	for (int g = 0; g < s->n_groups; g++)
		used = used || !s->groups[g].rule;
	if (!used && s->n_groups > 0) /* no group uses the run's rule */
		settings->rule = bxt_rule_of_group(settings, &s->groups[0]);
}

/* Reports a theta that no rule of the run uses. */
static void check_theta(const bxt_system *s, const bxt_run_def *def, const bxt_settings *settings,
			struct asked theta, bxt_diagnostics *d)
{
	bool used = !settings->scheme->uses_rule || settings->force_rule == &settings->theta_rule ||
		    settings->force_rule_plus == &settings->theta_rule;
	for (int g = 0; g < s->n_groups && !used; g++)
		used = bxt_rule_of_group(settings, &s->groups[g]) == &settings->theta_rule;
	const bool overruled = (def->scheme || def->rule) && !def->theta;
	if (!used)
		bxt_report(d, overruled ? BXT_NOTE : BXT_WARNING, theta.place,
			   "theta '%s' is left out: it does not concern rule '%s', only the rule "
			   "theta",
			   theta.text, settings->rule->name);
}

/* Do forces on coordinates without inertia of a group depend on flows? */
static bool resists(const bxt_system *s, const bxt_group *group)
{
	const bxt_output_set *sets[2] = {&group->type->set[BXT_SET_JAC_CONST],
					 &group->type->set[BXT_SET_JAC_DYN]};
	for (int f = 0; f < 2; f++)
		for (int k = 0; k < sets[f]->n; k++) {
			const bxt_entry *e = &sets[f]->entries[k];
			if (e->term != BXT_FV || !group->pinned[e->row])
				continue;
			for (int i = 0; i < group->count; i++) /* not if it is the reference */
				if (group->at[e->row][i] != s->spare)
					return true;
		}
	return false;
}

/*
 * A force does work at the points of the quadrature only, and a coordinate without inertia has no
 * momentum that could absorb the error of its equation between them. A rule of degree s therefore
 * needs s - 1 points inside the step: with fewer, internal nodes of L_d have no effect, and the
 * division of momenta is undetermined. If forces depend on flows, it needs s points in all, which
 * is collocation; with fewer, the momenta at the ends have order 2 only.
 */
static void refuse_rule_without_inertia(const bxt_system *s, const bxt_settings *out,
					bxt_place place, bxt_diagnostics *d)
{
	const bxt_rule *rule = out->rule;
	bxt_quadrature points;
	int inside = 0, resisting = -1;
	bool massless = false;
	for (int i = 0; i < s->n; i++)
		massless = massless || s->pinned[i];
	if (!massless || !out->scheme->uses_rule || rule->taylor || rule->degree < 2)
		return;
	bxt_rule_quadrature(rule, &points);
	for (int i = 0; i < points.n; i++)
		inside += points.c[i] > 0 && points.c[i] < 1;
	for (int g = 0; g < s->n_groups && resisting < 0 && points.n != rule->degree; g++)
		if (resists(s, &s->groups[g]))
			resisting = s->groups[g].element[0];
	bxt_buffer name = {0};
	if (inside < rule->degree - 1)
		bxt_error(d, place,
			  "rule '%s' does not determine the momenta of coordinates without "
			  "inertia: its polynomials of degree %d have internal nodes that no point "
			  "of its quadrature sees; use galerkin%d-gauss%d or the scheme gauss1",
			  rule->name, rule->degree, rule->degree, rule->degree);
	else if (resisting >= 0)
		bxt_error(d, place,
			  "rule '%s' keeps momenta of coordinates without inertia to order 2 alone "
			  "where forces read flows, as in %s: its quadrature has %d points for "
			  "polynomials of degree %d; use galerkin%d-gauss%d or the scheme gauss1",
			  rule->name,
			  bxt_network_path(s->net, s->net->elements[resisting].primitive,
					   s->net->elements[resisting].id, &name),
			  points.n, rule->degree, rule->degree, rule->degree);
	bxt_buffer_free(&name);
}

/* The rule that the first `length` bytes of a setting name, without blanks around; -1: none. */
static int choose_part(struct asked a, size_t length, bxt_diagnostics *d)
{
	bxt_buffer name = {0};
	while (length > 0 && *a.text == ' ') {
		a.text++;
		length--;
	}
	while (length > 0 && a.text[length - 1] == ' ')
		length--;
	bxt_buffer_printf(&name, "%.*s", (int)length, a.text);
	a.text = name.text ? name.text : "";
	const int rule = choose_value(a, "rule", "force-rule", d);
	bxt_buffer_free(&name);
	return rule;
}

/* One rule for both parts of forces, or "that of f^-; that of f^+". */
static void choose_force_rules(struct asked a, bxt_settings *out, bxt_diagnostics *d)
{
	const char *second = a.text ? strchr(a.text, ';') : NULL;
	if (!a.text)
		return;
	const int minus = choose_part(a, second ? (size_t)(second - a.text) : strlen(a.text), d);
	a.text = second ? second + 1 : a.text;
	const int plus = second ? choose_part(a, strlen(a.text), d) : minus;
	if (minus < 0 || plus < 0 || !(out->scheme->takes & BXT_TAKES_PLACES))
		return;
	out->force_rule = bxt_rule_with_theta(out, &bxt_rules[minus]);
	if (plus != minus)
		out->force_rule_plus = bxt_rule_with_theta(out, &bxt_rules[plus]);
}

/* Resolves the settings whose values have names. */
static void resolve_choices(const bxt_system *s, const bxt_run_def *def, bxt_diagnostics *d,
			    bxt_settings *out)
{
	const bxt_network *net = s->net;
	const struct asked constraint = ask(net, def, "constraint");
	const struct asked theta = ask(net, def, "theta");
	struct asked asked_scheme = ask(net, def, "scheme");
	if (!asked_scheme.text && out->tolerance > 0)
		asked_scheme.text = bxt_scheme_radau3.name;
	const int scheme = choose_value(asked_scheme, "scheme", "scheme", d);
	const int rule = choose(net, def, "rule", d);
	const struct asked forces = ask(net, def, "force-rule");
	const int place = choose(net, def, "constraint", d);
	const int start = choose(net, def, "start", d);
	const int projection = choose(net, def, "projection", d);
	const int at_events = choose(net, def, "events", d);
	const int control = choose(net, def, "step-control", d);
	out->reversible = control == 1;
	out->by_range = control == 2;
	out->density = ask(net, def, "density").text;
	out->density_place = ask(net, def, "density").place;
	out->events = at_events < 0 ? BXT_EVENTS_BOTH : (bxt_event_rows)at_events;
	choose_solver(net, def, out, d);
	refuse_torn(net, d);
	const int gradient = choose(net, def, "gradient", d);
	out->gradient = &bxt_discrete_gradients[gradient < 0 ? 0 : gradient];
	out->scheme = bxt_schemes[scheme < 0 ? 0 : scheme];
	bxt_theta_read(theta.text, theta.place, d, out);
	out->rule = bxt_rule_with_theta(out, &bxt_rules[rule < 0 ? 0 : rule]);
	choose_force_rules(forces, out, d);
	out->base_constraint = place == 1;
	/* a symmetric rule starts from p_0 unchanged: the kick would reduce its order */
	out->operating_point = start == 2;
	out->half_kick = start == 1 && out->scheme->uses_rule && bxt_rule_is_explicit(out->rule);
	if (scheme >= 0 && rule >= 0 && place >= 0 && projection >= 0)
		check_concerns(net, def, out->scheme, d);
	if (start == 1 && !out->half_kick && scheme >= 0 && rule >= 0)
		bxt_warning(d, ask(net, def, "start").place,
			    "start=\"half-kick\" is for dirac+ with the rectangle rule; it is left "
			    "out");
	/* its moves do work: if each step shall balance, they are made only on request */
	const bool projects = out->scheme->takes & BXT_TAKES_PROJECTION;
	out->project_ends = projection == 1 && out->scheme == &bxt_scheme_theta;
	/* ends meet the loops as well */
	out->project_loops = projects && !out->project_ends &&
			     (out->scheme->exact_energy ? projection == 1 : projection != 2);
	out->keep_positions = projection != 2 && out->scheme->symmetric;
	/* grid values remove from the recorded values what it would remove from the momenta */
	out->project_rows = out->keep_positions && (projection == 1 || !s->quadratic_motion);
	if (projection == 1 && !out->scheme->symmetric && !out->scheme->exact_energy && projects &&
	    !out->project_ends)
		bxt_warning(
			d, ask(net, def, "projection").place,
			"projection 'on' is left out: it belongs to the Gauss schemes and theta");
	if (rule >= 0 && scheme >= 0)
		check_subsystem_rules(s, def, out, d);
	if (rule >= 0 && scheme >= 0)
		refuse_rule_without_inertia(s, out, ask(net, def, "rule").place, d);
	if (rule >= 0 && scheme >= 0 && theta.text)
		check_theta(s, def, out, theta, d);
	if (scheme >= 0 && out->scheme->uses_rule && out->base_constraint &&
	    !s->constraints.constant)
		bxt_warning(d, constraint.place,
			    "constraint=\"base\" with constraints that depend on coordinates is "
			    "first order and dissipative; \"midpoint\" is not");
}

static void resolve_every(const bxt_network *net, long given, bxt_diagnostics *d, bxt_settings *out)
{
	const struct asked every = ask(net, NULL, "every");
	out->every = given > 0 ? given : 1;
	if (given > 0 || !every.text)
		return;
	double value = 0;
	if (bxt_read_number(every.text, strlen(every.text), &value) != strlen(every.text) ||
	    value < 1 || value > 1e9 || value != floor(value))
		bxt_error(d, every.place, "every: '%s' is not a positive whole number", every.text);
	else
		out->every = (long)value;
}

enum { PLUGIN_SECONDS = 10 };

/* Warns of a run that is shorter than its step, and of one with more rows than can be read. */
static void check_length(const bxt_network *net, const bxt_run_def *def, const bxt_settings *out,
			 bxt_diagnostics *d)
{
	static const double MANY_ROWS = 1e7, ROUND_OFF = 1e-9;
	const double rows = out->end / out->step / (double)out->every;
	if (out->step > out->end * (1 + ROUND_OFF))
		bxt_warning(d, def->step > 0 ? BXT_NOWHERE : ask(net, NULL, "step").place,
			    "step %g s is longer than the run, which ends at %g s: the run is one "
			    "step of %g s",
			    out->step, out->end, out->end);
	if (rows > MANY_ROWS)
		bxt_warning(d, BXT_NOWHERE,
			    "the run has %.3g steps and writes %.3g rows: --every N writes only "
			    "each Nth",
			    out->end / out->step, rows);
}

bool bxt_system_is_part(const bxt_system *system)
{
	return system && bxt_network_is_part(system->net);
}

static bxt_status resolve_settings(const bxt_system *s, const bxt_run_def *def, bxt_diagnostics *d,
				   bxt_settings *out)
{
	const bxt_network *net = s->net;
	const size_t errors = bxt_diagnostics_count(d, BXT_ERROR);
	*out = (bxt_settings){.record = def->record ? def->record : net->simulation.record,
			      .record_also = def->record_also,
			      .n_record_also = def->n_record_also,
			      .plugins.allowed = def->allow_plugins,
			      .plugins.in_process = def->plugins_in_process,
			      .plugins.paths = def->plugins,
			      .plugins.n = def->n_plugins,
			      .compile = def->compile,
			      .plugins.seconds = def->plugin_seconds > 0 ? def->plugin_seconds
									 : PLUGIN_SECONDS};
	if (!def->record)
		out->record_place = net->simulation.record_place;
	resolve_tolerance(net, def, d, out);
	resolve_choices(s, def, d, out);
	check_tolerance(s, out, ask(net, def, "scheme"), d);
	bxt_settings_steps(out, ask(net, def, "step-control").place, d);
	out->step = read_time(net, def, "step", d);
	out->end = read_time(net, def, "end", d);
	resolve_every(net, def->every, d, out);
	if (out->tolerance > 0) {
		const bxt_status status = bxt_absolute_read(s, out, d, NULL);
		if (status != BXT_OK && status != BXT_ERR_MODEL)
			return status;
	}
	if (bxt_diagnostics_count(d, BXT_ERROR) > errors)
		return BXT_ERR_MODEL;
	if (out->end / out->step > MAX_STEPS) {
		bxt_error(d, BXT_NOWHERE, "step %g s is too small for end %g s: more than %g steps",
			  out->step, out->end, MAX_STEPS);
		return BXT_ERR_MODEL;
	}
	check_length(net, def, out, d);
	out->scheme_place = ask(net, def, "scheme").place;
	out->rule_place = ask(net, NULL, "rule").place;
	BXT_TRY(bxt_methods_check(s, out, d));
	return bxt_choose_solver(s, out);
}

bxt_status bxt_settings_resolve(const bxt_system *s, const bxt_run_def *def, bxt_diagnostics *d,
				bxt_settings *out)
{
	bxt_run_def given;
	BXT_TRY(bxt_take_sized(def, &given, sizeof given, "bxt_run_def", d));
	bxt_diagnostics *own = d ? NULL : bxt_diagnostics_new();
	if (!d && !own)
		return BXT_ERR_MEMORY;
	bxt_status status = resolve_settings(s, &given, d ? d : own, out);
	bxt_diagnostics_free(own);
	return status;
}
