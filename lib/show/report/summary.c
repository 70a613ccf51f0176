/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the summary of a run as JSON, and the contents of a system as text. */
#include "boxtimes_model.h"
#include "boxtimes_records.h"
#include "boxtimes_summary.h"
#include "ground/base/diagnostics.h"
#include "ground/base/json.h"
#include "ground/base/plain.h"
#include "model/system/parts.h"
#include "model/system/switch_values.h"
#include "motion/methods/methods.h"
#include "motion/scheme/scheme.h"
#include "show/report/summary_members.h"

#include <math.h>
#include <string.h>

enum { MAX_COMPONENTS_SHOWN = 200 };

/* ---- JSON ---- */

/* A field whose value is a number, a flag or a text. A text that is NULL is written as "". */
static void json_member(const bxt_member *m, const void *structure, bxt_json *j)
{
	const void *at = (const char *)structure + m->offset;
	const char *text;
	switch (m->type) {
	case BXT_MEMBER_TEXT:
		text = *(const char *const *)at;
		bxt_json_text(j, m->key, text ? text : "");
		break;
	case BXT_MEMBER_REAL:
		bxt_json_number(j, m->key, *(const double *)at);
		break;
	case BXT_MEMBER_LONG:
		bxt_json_integer(j, m->key, *(const long *)at);
		break;
	case BXT_MEMBER_INT:
		bxt_json_integer(j, m->key, *(const int *)at);
		break;
	case BXT_MEMBER_COUNT:
		bxt_json_integer(j, m->key, (long long)*(const size_t *)at);
		break;
	case BXT_MEMBER_FLAG:
		bxt_json_boolean(j, m->key, *(const bool *)at);
		break;
	default:
		break; /* the table of parts has its writer */
	}
}

/* Is the text NULL on which the field depends? */
static bool is_absent(const bxt_structure *s, const bxt_member *m, const void *structure)
{
	for (size_t i = 0; i < s->n && m->needs; i++)
		if (strcmp(s->members[i].name, m->needs) == 0)
			return !*(const char *const *)((const char *)structure +
						       s->members[i].offset);
	return false;
}

/*
 * The fields from one to another in the order of the table. NULL: from the first, or to the last.
 */
static void json_range(const bxt_structure *s, const void *structure, const char *from,
		       const char *to, bxt_json *j)
{
	bool within = !from;
	for (size_t i = 0; i < s->n; i++) {
		const bxt_member *m = &s->members[i];
		within = within || strcmp(m->name, from) == 0;
		if (within && m->key && !is_absent(s, m, structure))
			json_member(m, structure, j);
		if (to && strcmp(m->name, to) == 0)
			return;
	}
}

static void json_energy(const char *key, const bxt_ledger_entry *e, bool through, bxt_json *j)
{
	const bxt_structure *s = &bxt_structure_ledger_entry;
	bxt_json_object(j, key, BXT_JSON_INLINE);
	json_range(s, e, NULL, "impact", j);
	json_range(s, e, through ? "through" : "projection", through ? "through" : "projection", j);
	json_range(s, e, "residual", NULL, j);
	bxt_json_close(j);
}

static void json_entry(const bxt_ledger_entry *e, bool stores, bxt_json *j)
{
	if (stores) {
		json_energy(e->path, e, true, j);
		return;
	}
	bxt_json_object(j, e->path, BXT_JSON_INLINE);
	bxt_json_number(j, "through", e->through);
	bxt_json_close(j);
}

static size_t count_kind(const bxt_summary *s, const char *kind)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_ledger; i++)
		n += strcmp(s->ledger[i].kind, kind) == 0;
	return n;
}

/* Lists components only if they are few: for a ladder of 60,000 the list is of no use. */
static void json_ledger(const bxt_summary *s, bxt_json *j)
{
	static const struct {
		const char *kind, *key;
		bool stores;
	} kinds[] = {{"subsystem", "subsystems", true},
		     {"port", "ports", false},
		     {"connection", "connections", false},
		     {"component", "components", true}};
	bxt_json_object(j, "ledger", BXT_JSON_HANGING);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		const size_t n = count_kind(s, kinds[k].kind);
		const bool omit = k == 3 && n > MAX_COMPONENTS_SHOWN;
		bxt_json_object(j, kinds[k].key, BXT_JSON_HANGING);
		for (size_t i = 0; i < s->n_ledger && !omit; i++)
			if (strcmp(s->ledger[i].kind, kinds[k].kind) == 0)
				json_entry(&s->ledger[i], kinds[k].stores, j);
		bxt_json_close(j);
		if (omit)
			bxt_json_integer(j, "components_omitted", (long long)n);
	}
	bxt_json_close(j);
}

/* Writes nothing if no symmetry is declared. */
static void json_symmetries(const bxt_summary *s, bxt_json *j)
{
	if (s->n_symmetry == 0)
		return;
	bxt_json_object(j, "symmetries", BXT_JSON_HANGING);
	for (size_t i = 0; i < s->n_symmetry; i++) {
		const bxt_symmetry_entry *e = &s->symmetry[i];
		bxt_json_object(j, e->path, BXT_JSON_INLINE);
		json_range(&bxt_structure_symmetry_entry, e, NULL, NULL, j);
		bxt_json_close(j);
	}
	bxt_json_close(j);
}

static void json_drift(const bxt_summary *s, bxt_json *j)
{
	double most = 0;
	bxt_json_object(j, "drift", BXT_JSON_INLINE);
	for (size_t i = 0; i < s->n_drift; i++) {
		bxt_json_number(j, s->drift[i].family, s->drift[i].max);
		if (!(s->drift[i].max <= most))
			most = s->drift[i].max;
	}
	bxt_json_number(j, "max", most);
	bxt_json_close(j);
	bxt_json_object(j, "drift_last", BXT_JSON_INLINE);
	for (size_t i = 0; i < s->n_drift; i++)
		bxt_json_number(j, s->drift[i].family, s->drift[i].last);
	bxt_json_close(j);
}

static void json_trust(const bxt_summary *s, bxt_json *j)
{
	bxt_json_object(j, "trust", BXT_JSON_INLINE);
	json_range(&bxt_structure_trust_figures, &s->trust, NULL, NULL, j);
	bxt_json_close(j);
}

/* The recorded signals, each with its unit; "" if that is unknown. */
static void json_columns(const bxt_summary *s, bxt_json *j)
{
	bxt_json_object(j, "recorded", BXT_JSON_HANGING);
	for (size_t i = 0; i < s->n_columns; i++)
		bxt_json_text(j, s->columns[i].name, s->columns[i].unit);
	bxt_json_close(j);
}

/* Writes nothing if no estimate was requested. */
static void json_accuracy(const bxt_summary *s, bxt_json *j)
{
	if (!s->accuracy)
		return;
	bxt_json_object(j, "accuracy", BXT_JSON_HANGING);
	for (size_t i = 0; i < s->n_accuracy; i++) {
		const bxt_accuracy *a = &s->accuracy[i];
		bxt_json_object(j, a->name, BXT_JSON_INLINE);
		json_range(&bxt_structure_accuracy, a, NULL, NULL, j);
		bxt_json_close(j);
	}
	bxt_json_close(j);
}

static void json_seconds(const bxt_summary *s, bxt_json *j)
{
	bxt_json_object(j, "seconds", BXT_JSON_INLINE);
	for (size_t i = 0; i < bxt_structure_seconds.n; i++) {
		const bxt_member *m = &bxt_structure_seconds.members[i];
		if (strcmp(m->name, "total") == 0)
			bxt_json_number(j, "trust", s->trust_seconds);
		json_member(m, &s->seconds, j);
	}
	bxt_json_close(j);
}

static void json_total(const bxt_summary *s, bxt_json *j)
{
	json_energy("energy", &s->total, false, j);
}

static void json_steps(const bxt_summary *s, bxt_json *j)
{
	const bxt_structure *of = &bxt_structure_step_figures;
	const bxt_step_figures *taken = &s->taken;
	json_range(of, taken, NULL, "impacts", j);
	if (taken->has_numerical)
		json_range(of, taken, "numerical", "numerical", j);
	if (taken->tolerance <= 0 && taken->largest > 0) {
		bxt_json_object(j, "reversible_steps", BXT_JSON_INLINE);
		json_range(of, taken, "smallest", "largest", j);
		bxt_json_close(j);
	}
	if (taken->tolerance <= 0)
		return;
	bxt_json_object(j, "step_control", BXT_JSON_INLINE);
	json_range(of, taken, "tolerance", NULL, j);
	bxt_json_close(j);
}

/* The writers of the structures and arrays of a summary. */
static const struct part {
	const char *name;
	void (*write)(const bxt_summary *s, bxt_json *j);
} parts[] = {{"taken", json_steps},     {"drift", json_drift},         {"total", json_total},
	     {"ledger", json_ledger},   {"symmetry", json_symmetries}, {"trust", json_trust},
	     {"columns", json_columns}, {"accuracy", json_accuracy},   {"seconds", json_seconds}};

bxt_status bxt_summary_write_json(const bxt_summary *summary, FILE *stream)
{
	const bxt_summary *const s = summary;
	FILE *const f = stream;
	BXT_NEEDS(NULL, summary);
	BXT_NEEDS(NULL, stream);
	BXT_TRY(bxt_check_filled(summary, sizeof *summary, "bxt_summary", NULL));
	BXT_NEEDS(NULL, summary->scheme); /* the run did not begin */
	bxt_json json = {.stream = f}, *j = &json;
	bxt_json_object(j, NULL, BXT_JSON_LINES);
	for (size_t i = 0; i < bxt_structure_summary.n; i++) {
		const bxt_member *m = &bxt_structure_summary.members[i];
		if (m->key)
			json_member(m, s, j);
		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
			if (strcmp(parts[k].name, m->name) == 0)
				parts[k].write(s, j);
	}
	bxt_json_close(j);
	return bxt_json_end(j);
}

/* ---- Info ---- */

static void write_groups(const bxt_system *s, FILE *f)
{
	fprintf(f, "kinds\n");
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_element_type *k = s->groups[g].type;
		const bool joins = s->net->elements[s->groups[g].element[0]].is_interaction;
		int massless = 0;
		for (int a = 0; a < k->nl; a++)
			massless += s->groups[g].pinned[a];
		fprintf(f, "  %-20s %6d elements, %d coordinates (%d massless), %d rows, %s%s\n",
			joins ? k->component->name : k->key, s->groups[g].count, k->nl, massless,
			k->ml, k->affine ? "affine" : "nonlinear",
			joins            ? ", of D_int"
			: k->dissipative ? ", dissipative"
					 : "");
	}
}

static void write_structure(const bxt_system *s, FILE *f)
{
	const bxt_network *net = s->net;
	size_t families[BXT_FAMILY_COUNT] = {0};
	bxt_buffer name = {0};
	for (size_t i = 0; i < s->dirac.m; i++)
		families[s->dirac.row[i].family] += !s->dirac.row[i].reference;
	fprintf(f, "D = (");
	for (size_t i = 0, shown = 0; i < net->n_primitives; i++) {
		if (net->primitives[i].elements.n == 0)
			continue;
		if (shown == 8) {
			fprintf(f, " (+) ...");
			break;
		}
		fprintf(f, "%sD_%s", shown++ ? " (+) " : "",
			*net->primitives[i].path ? net->primitives[i].path : "netlist");
	}
	fprintf(f, ")%s\n", net->n_connections ? " [x] D_int" : "");
	fprintf(f,
		"  %zu coordinates, rows: %zu of nodes, %zu of constraints, %zu of connections "
		"(Sigma_Q)\n",
		s->dirac.n, families[BXT_FAMILY_NODE], families[BXT_FAMILY_CONSTRAINT],
		families[BXT_FAMILY_CONNECTION]);
	if (families[BXT_FAMILY_RIGID] > 0)
		fprintf(f, "  %zu rows of rigid frames\n", families[BXT_FAMILY_RIGID]);
	for (size_t i = 0; i < s->dirac.m; i++)
		if (s->dirac.row[i].reference)
			fprintf(f, "  reference: %s\n",
				bxt_dirac_row_name(net, &s->dirac.row[i], &name));
	for (size_t c = 0; c < net->n_connections; c++) {
		fprintf(f, "  connection %s:",
			bxt_network_path(net, net->connections[c].primitive, net->connections[c].id,
					 &name));
		const bxt_connection *con = &net->connections[c];
		for (int i = 0; i < (con->is_sigma ? con->n_term : con->n); i++) {
			const bxt_net_port *p =
				&net->ports[con->is_sigma ? con->term[i] : con->port[i]];
			fprintf(f, " %s", bxt_network_path(net, p->primitive, p->id, &name));
		}
		fputc('\n', f);
	}
	bxt_buffer_free(&name);
}

static void write_declared(const bxt_system *s, FILE *f)
{
	const bxt_network *net = s->net;
	bxt_buffer name = {0};
	for (size_t i = 0; i < net->n_symmetries; i++) {
		const bxt_field *field = net->symmetries[i].field;
		fprintf(f, "symmetry %s: a vector field along %d coordinate%s, %s\n",
			bxt_network_symmetry_name(net, (int)i, &name), field->n,
			field->n == 1 ? "" : "s", field->affine ? "affine" : "not affine");
	}
	bxt_buffer_free(&name);
}

/* The parts of a torn system. */
static void write_parts(const bxt_system *s, FILE *f)
{
	bxt_parts parts;
	bxt_arena *arena = s->net->n_connections ? bxt_arena_new() : NULL;
	if (arena && bxt_parts_find(arena, s, &parts) == BXT_OK)
		fprintf(f,
			"torn into %d parts, %d unknowns between them; %d port coordinates and "
			"multipliers of connections\n",
			parts.n_parts, parts.n_interface, parts.n_of_ports);
	bxt_arena_free(arena);
}

static void write_rule(const char *of, const char *name, const bxt_rule *rule,
		       const bxt_settings *settings, FILE *f)
{
	fprintf(f, "%s%s%s %s: %s, order %d%s\n", of, *name ? " " : "", name, rule->name, rule->doc,
		bxt_rule_order(rule),
		rule->taylor                ? ", without forces up to twice the degree"
		: settings->base_constraint ? "; A at q_k"
					    : "; A at the middle of the step");
}

/*
 * Prints the rules of the run, of its forces and of subsystems. The order of the whole is the least
 * of their orders.
 */
static void write_rules(const bxt_system *s, const bxt_settings *settings, FILE *f)
{
	const bxt_network *net = s->net;
	int least = bxt_rule_order(settings->rule);
	bool several = false;
	write_rule("rule", "", settings->rule, settings, f);
	if (settings->force_rule) {
		const bxt_rule *plus = settings->force_rule_plus;
		double whole;
		const int order = plus ? bxt_rules_of_ends_order(settings->force_rule, plus, &whole)
				       : bxt_rule_order(settings->force_rule);
		write_rule(plus ? "rule of f-" : "rule of forces", "", settings->force_rule,
			   settings, f);
		if (plus)
			write_rule("rule of f+", "", plus, settings, f);
		several = true;
		least = order < least ? order : least;
	}
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_rule *rule = bxt_rule_find(s->groups[g].rule);
		bool told = !rule || rule == settings->rule;
		for (int k = 0; k < g && !told; k++)
			told = bxt_rule_find(s->groups[k].rule) == rule;
		if (told)
			continue;
		const bxt_element *e = &net->elements[s->groups[g].element[0]];
		write_rule("rule in subsystem", net->primitives[e->primitive].path, rule, settings,
			   f);
		several = true;
		least = bxt_rule_order(rule) < least ? bxt_rule_order(rule) : least;
	}
	if (several)
		fprintf(f, "order of the whole %d\n", least);
}

/* The inputs, with the value that each has until a program sets it. */
static void write_inputs(const bxt_network *net, FILE *f)
{
	if (net->n_given > 0)
		fputs("inputs\n", f);
	for (int k = 0; k < net->n_given; k++) {
		const bxt_net_input *input = &net->inputs[k];
		fprintf(f, "  %-25s %.9g%s%s%s%s\n", input->path, input->value,
			*input->unit && strcmp(input->unit, "1") ? " " : "",
			strcmp(input->unit, "1") ? input->unit : "", *input->doc ? ": " : "",
			input->doc);
	}
}

/* The list of recorded signals, in lines of readable width. */
static bxt_status write_recorded(const bxt_system *s, const bxt_run_def *def, FILE *f)
{
	enum { WIDTH = 96, SHOWN = 60 };
	bxt_column *columns = NULL;
	size_t n = 0, wide = 0;
	const bxt_status status = bxt_signal_columns(s, def, NULL, &columns, &n);
	if (status == BXT_ERR_MEMORY)
		return status;
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		const bxt_column *c = &columns[i];
		const size_t length = strlen(c->name) + strlen(c->unit) + 5;
		const bool first = i == 0, breaks = !first && wide + length > WIDTH;
		fprintf(f, "%s%s%s%s%s",
			first    ? "records "
			: breaks ? ",\n        "
				 : ", ",
			c->name, *c->unit ? " [" : "", c->unit, *c->unit ? "]" : "");
		wide = first || breaks ? 8 + length : wide + length;
	}
	if (n > SHOWN)
		fprintf(f, ", and %zu more", n - SHOWN);
	if (n > 0)
		fputc('\n', f);
	bxt_free(columns);
	return BXT_OK;
}

/* ---- Switches ---- */

static const char *state_of_switch(const bxt_switch *of, bool event, unsigned char state)
{
	static const char *const rows[] = {
		[BXT_HOLDS] = "holds",
		[BXT_AT_LOWER] = "released, its multiplier at its lower bound",
		[BXT_AT_UPPER] = "released, its multiplier at its upper bound",
		[BXT_ABSENT] = "not there"};
	return of->row ? rows[state] : event ? "waits" : state == BXT_MODE_ON ? "on" : "off";
}

/* Rows with bounds, modes and events, with their states at the consistent start, if there is one.
 */
static bxt_status write_switches(const bxt_system *s, const bxt_run_def *def, FILE *f)
{
	enum { SHOWN = 60 };
	const bxt_network *net = s->net;
	bxt_state *state = NULL;
	int k = 0;
	if (net->n_switches == 0)
		return BXT_OK;
	const bxt_status status = bxt_initialize(s, def, NULL, &state);
	if (status == BXT_ERR_MEMORY)
		return status;
	fprintf(f, "%d switches, %s\n", net->n_switches,
		state ? "with their states at the start" : "which have no consistent start");
	for (size_t e = 0; e < net->n_elements; e++) {
		const int type = net->elements[e].type;
		for (int i = 0; type >= 0 && i < net->types[type]->n_switches; i++, k++) {
			const bxt_switch *of = &net->types[type]->switches[i];
			const bool event =
				!of->row && net->types[type]->component->modes[of->index].event;
			bxt_buffer name = {0};
			if (k < SHOWN)
				fprintf(f, "  %-25s %s%s%s\n", bxt_switch_name(s, k, &name),
					of->row ? "row"
					: event ? "event"
						: "mode",
					state ? ": " : "",
					state ? state_of_switch(of, event, state->switches[k])
					      : "");
			bxt_buffer_free(&name);
		}
	}
	if (k > SHOWN)
		fprintf(f, "  and %d more\n", k - SHOWN);
	bxt_state_free(state);
	return BXT_OK;
}

static bxt_status write_info(const bxt_system *s, const bxt_run_def *def, FILE *f)
{
	bxt_settings settings;
	if (s->net->name)
		fprintf(f, "%s\n", s->net->name);
	write_structure(s, f);
	write_groups(s, f);
	write_declared(s, f);
	write_inputs(s->net, f);
	BXT_TRY(write_switches(s, def, f));
	fprintf(f, "matrix of a step: %d x %d, %d nonzeros; %s; A is %s\n", s->spare, s->spare,
		bxt_sparse_nnz(&s->pattern) - 1,
		s->affine ? "affine, factored once" : "nonlinear, refactored with the same pivots",
		s->constraints.constant ? "constant" : "not constant");
	if (bxt_settings_resolve(s, def, NULL, &settings) == BXT_OK) {
		fprintf(f, "scheme %s: %s\n", settings.scheme->name, settings.scheme->doc);
		if (settings.scheme->uses_rule)
			write_rules(s, &settings, f);
		if (settings.scheme->uses_rule && settings.rule->family == BXT_THETA)
			fprintf(f, "theta %g\n", settings.theta);
		bxt_methods_describe(s, &settings, f);
		fprintf(f, "solver %s: %s (%s)\n", settings.solver->name, settings.solver->doc,
			settings.solver_reason);
		write_parts(s, f);
		fprintf(f, "step %g s to %g s\n", settings.step, settings.end);
	}
	BXT_TRY(write_recorded(s, def, f));
	fprintf(f, "memory %zu bytes, %.0f an element\n", s->bytes,
		(double)s->bytes / (double)(s->net->n_elements ? s->net->n_elements : 1));
	return bxt_stream_status(f);
}

bxt_status bxt_system_write_info(const bxt_system *system, const bxt_run_def *def, FILE *stream)
{
	bxt_run_def standard, given;
	bxt_plain_stream plain;
	bxt_default_run_def(&standard);
	BXT_NEEDS(NULL, system);
	BXT_NEEDS(NULL, stream);
	BXT_TRY(bxt_take_sized(def ? def : &standard, &given, sizeof given, "bxt_run_def", NULL));
	FILE *f =
		bxt_plain_open(&plain, stream); /* it contains names of files and of the netlist */
	const bxt_status status =
		bxt_plain_close(&plain, f ? write_info(system, &given, f) : BXT_ERR_MEMORY);
	return status == BXT_OK ? bxt_stream_status(stream) : status;
}
