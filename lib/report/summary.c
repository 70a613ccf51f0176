/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accounts for programs (JSON) and for people. */
#include "scheme/scheme.h"
#include "step/condensation.h"
#include "step/discrete_gradient.h"

#include <math.h>
#include <string.h>

enum { MAX_COMPONENTS_SHOWN = 200 };

static bxt_status stream_status(FILE *stream)
{
	return fflush(stream) == 0 && !ferror(stream) ? BXT_OK : BXT_ERR_IO;
}

/* ---- JSON ---- */

static void json_number(FILE *f, double value)
{
	char text[32];
	bxt_format_number(text, value);
	fputs(isfinite(value) ? text : "null", f);
}

static void json_field(FILE *f, const char *name, double value, const char *after)
{
	fprintf(f, "\"%s\": ", name);
	json_number(f, value);
	fputs(after, f);
}

static void json_text(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 0x20)
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

static void json_energy(FILE *f, const bxt_ledger_entry *e, bool through)
{
	fputc('{', f);
	json_field(f, "start", e->start, ", ");
	json_field(f, "end", e->end, ", ");
	json_field(f, "supplied", e->supplied, ", ");
	json_field(f, "dissipated", e->dissipated, ", ");
	if (through)
		json_field(f, "through_ports", e->through, ", ");
	else
		json_field(f, "projection", e->projection, ", ");
	json_field(f, "residual", e->residual, "}");
}

static size_t count_kind(const bxt_summary *s, const char *kind)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_ledger; i++)
		n += strcmp(s->ledger[i].kind, kind) == 0;
	return n;
}

/* Components only while they are few: a ladder of 60,000 needs no such list. */
static void json_ledger(const bxt_summary *s, FILE *f)
{
	static const char *const kinds[] = {"subsystem", "port", "connection", "component"};
	fputs("  \"ledger\": {", f);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		const char *comma = "";
		fprintf(f, "%s\n    \"%ss\": {", k ? "," : "", kinds[k]);
		if (k == 3 && count_kind(s, kinds[k]) > MAX_COMPONENTS_SHOWN) {
			fprintf(f, "}, \"components_omitted\": %zu", count_kind(s, kinds[k]));
			continue;
		}
		for (size_t i = 0; i < s->n_ledger; i++) {
			if (strcmp(s->ledger[i].kind, kinds[k]) != 0)
				continue;
			fprintf(f, "%s\n      ", comma);
			json_text(f, s->ledger[i].path);
			fputs(": ", f);
			if (k == 1 || k == 2) { /* a port stores nothing */
				fputc('{', f);
				json_field(f, "through", s->ledger[i].through, "}");
			} else {
				json_energy(f, &s->ledger[i], true);
			}
			comma = ",";
		}
		fputc('}', f);
	}
	fputs("},\n", f);
}

/* Nothing where none is declared. */
static void json_symmetries(const bxt_summary *s, FILE *f)
{
	if (s->n_symmetry == 0)
		return;
	fputs("  \"symmetries\": {", f);
	for (size_t i = 0; i < s->n_symmetry; i++) {
		const bxt_symmetry_entry *e = &s->symmetry[i];
		fputs(i ? ",\n    " : "\n    ", f);
		json_text(f, e->path);
		fputs(": {", f);
		json_field(f, "start", e->start, ", ");
		json_field(f, "end", e->end, ", ");
		json_field(f, "forces", e->forces, ", ");
		json_field(f, "constraints", e->constraints, ", ");
		json_field(f, "residual", e->residual, ", ");
		json_field(f, "scale", e->scale, ", ");
		fprintf(f, "\"affine\": %s}", e->affine ? "true" : "false");
	}
	fputs("},\n", f);
}

bxt_status bxt_summary_write_json(const bxt_summary *s, FILE *f)
{
	double drift = 0;
	fputs("{\n  \"scheme\": ", f);
	json_text(f, s->scheme);
	fputs(",\n  \"solver\": ", f);
	json_text(f, s->solver);
	fprintf(f, ",\n  \"steps\": %ld,\n", s->steps);
	fputs("  ", f);
	json_field(f, "step", s->step, ",\n");
	fprintf(f,
		"  \"newton_iterations\": %ld,\n  \"most_iterations\": %ld,\n  \"factorizations\": "
		"%ld,\n"
		"  \"refactorizations\": %ld,\n  \"step_halvings\": %ld,\n",
		s->newton_iterations, s->most_iterations, s->factorizations, s->refactorizations,
		s->halvings);
	fputs("  \"drift\": {", f);
	for (size_t i = 0; i < s->n_drift; i++) {
		json_text(f, s->drift[i].family);
		fputs(": ", f);
		json_number(f, s->drift[i].max);
		fputs(", ", f);
		if (!(s->drift[i].max <= drift))
			drift = s->drift[i].max;
	}
	json_field(f, "max", drift, "},\n  \"drift_last\": {");
	for (size_t i = 0; i < s->n_drift; i++) {
		json_text(f, s->drift[i].family);
		fputs(": ", f);
		json_number(f, s->drift[i].last);
		fputs(i + 1 < s->n_drift ? ", " : "", f);
	}
	fputs("},\n", f);
	fputs("  \"energy\": ", f);
	json_energy(f, &s->total, false);
	fprintf(f, ",\n  \"energy_exact\": %s,\n  \"energy_bounded\": %s,\n",
		s->energy_exact ? "true" : "false", s->energy_bounded ? "true" : "false");
	json_ledger(s, f);
	json_symmetries(s, f);
	fputs("  \"seconds\": {", f);
	json_field(f, "compile", s->seconds.compile, ", ");
	json_field(f, "evaluate", s->seconds.evaluate, ", ");
	json_field(f, "factor", s->seconds.factor, ", ");
	json_field(f, "solve", s->seconds.solve, ", ");
	json_field(f, "monitor", s->seconds.monitor, ", ");
	json_field(f, "total", s->seconds.total, "},\n");
	fprintf(f,
		"  \"unknowns\": %d,\n  \"coordinates\": %d,\n  \"rows\": %d,\n  \"references\": "
		"%d,\n  \"loops\": %d,\n  \"left_out\": %d,\n  \"rank_changes\": %ld,\n"
		"  \"nonzeros\": %zu,\n  \"factor_nonzeros\": %zu,\n  \"bytes\": %zu,\n  "
		"\"affine\": %s,\n",
		s->unknowns, s->coordinates, s->rows, s->references, s->loops, s->left_out,
		s->rank_changes, s->nonzeros, s->factor_nonzeros, s->system_bytes,
		s->affine ? "true" : "false");
	fputs("  \"torn\": {\"way\": ", f);
	json_text(f, s->torn);
	fprintf(f,
		", \"parts\": %d, \"interface\": %d, \"moved\": %d, "
		"\"choices_anew\": %ld, \"solved_whole\": %ld, \"threads\": %d},\n",
		s->parts, s->interface_unknowns, s->moved_to_interface, s->choices_anew,
		s->solved_whole, s->threads);
	fputs("  ", f);
	json_field(f, "rcond", s->rcond, "\n}\n");
	return stream_status(f);
}

/* ---- Text ---- */

/* Nothing about the ordinary way. */
static void write_torn(const bxt_summary *s, FILE *f)
{
	if (strcmp(s->torn, "schur") == 0) {
		fprintf(f, "  torn     schur: %d parts, %d interface unknowns", s->parts,
			s->interface_unknowns);
		if (s->moved_to_interface)
			fprintf(f, " (%d moved there, parts being singular with them)",
				s->moved_to_interface);
		fprintf(f, ", %d thread%s\n", s->threads, s->threads > 1 ? "s" : "");
		if (s->solved_whole)
			fprintf(f, "           %ld factorizations of the whole matrix instead\n",
				s->solved_whole);
	}
}

static void write_symmetries(const bxt_summary *s, FILE *f)
{
	for (size_t i = 0; i < s->n_symmetry; i++) {
		const bxt_symmetry_entry *e = &s->symmetry[i];
		fprintf(f,
			"  symmetry %s: momentum %.9g -> %.9g, by forces %.6g, by constraints "
			"%.6g\n"
			"           residual of the balance %.2g in a step (of %.2g)\n",
			e->path, e->start, e->end, e->forces, e->constraints, e->residual,
			e->scale);
	}
}

bxt_status bxt_summary_write_text(const bxt_summary *s, FILE *f)
{
	const bxt_ledger_entry *e = &s->total;
	fprintf(f, "%ld steps of %g s with %s to t = %g s; solver %s (%s)\n", s->steps, s->step,
		s->scheme, s->t, s->solver, s->solver_reason);
	fprintf(f, "  unknowns %d (%d flows, %d multipliers), %zu nonzeros, %zu in the factors\n",
		s->unknowns, s->coordinates, s->rows, s->nonzeros, s->factor_nonzeros);
	write_torn(s, f);
	fprintf(f, "  Newton   %ld iterations (at most %ld in a step), %ld factorizations%s\n",
		s->newton_iterations, s->most_iterations, s->factorizations,
		s->affine && s->most_iterations == 1 ? ": the model is affine, one solve a step"
						     : "");
	if (s->halvings)
		fprintf(f, "           %ld steps were halved\n", s->halvings);
	if (s->left_out || s->rank_changes)
		fprintf(f, "  rows     %d left out as redundant, %ld changes of rank\n",
			s->left_out, s->rank_changes);
	fputs("  drift   ", f);
	if (s->n_drift == 0)
		fputs(" none: there are no rows", f);
	for (size_t i = 0; i < s->n_drift; i++)
		fprintf(f, "%s %s %.2g", i ? "," : "", s->drift[i].family, s->drift[i].max);
	fprintf(f,
		"\n  energy   %.9g J at the start, %.9g J at the end, %.9g J supplied, %.9g J "
		"dissipated\n",
		e->start, e->end, e->supplied, e->dissipated);
	if (e->projection != 0)
		fprintf(f, "           %.9g J by moves that close loops and positions\n",
			e->projection);
	fprintf(f, "           residual of the balance %.2g J (%s)\n", e->residual,
		s->energy_exact     ? "exact for this scheme and model but for round-off"
		: s->energy_bounded ? "bounded, not exact, for this scheme and model"
				    : "may grow with time: this scheme keeps no structure");
	for (size_t i = 0; i < s->n_ledger; i++) {
		const bxt_ledger_entry *l = &s->ledger[i];
		if (strcmp(l->kind, "subsystem") == 0)
			fprintf(f,
				"  subsystem %-10s %.6g -> %.6g J, dissipated %.6g, supplied %.6g, "
				"through ports %.6g, residual %.2g\n",
				l->path, l->start, l->end, l->dissipated, l->supplied, l->through,
				l->residual);
		else if (strcmp(l->kind, "connection") == 0)
			fprintf(f, "  connection %-9s sum of the port work %.2g J\n", l->path,
				l->through);
	}
	write_symmetries(s, f);
	fprintf(f,
		"  time     compile %.3g s, evaluate %.3g, factor %.3g, solve %.3g, monitor %.3g, "
		"run %.3g s\n",
		s->seconds.compile, s->seconds.evaluate, s->seconds.factor, s->seconds.solve,
		s->seconds.monitor, s->seconds.total);
	return stream_status(f);
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

/* How a torn system is solved. */
static void write_way(const bxt_system *s, const bxt_settings *settings, FILE *f)
{
	bxt_condensation_places places;
	bxt_arena *arena = s->net->n_connections ? bxt_arena_new() : NULL;
	if (arena && bxt_condensation_find_places(arena, s, &places) == BXT_OK)
		fprintf(f,
			"torn %s: %d parts, %d unknowns between them; %d port coordinates and "
			"multipliers of connections\n",
			bxt_condensation_names[settings->torn], places.n_parts, places.n_interface,
			places.n_of_ports);
	bxt_arena_free(arena);
}

/* Where theta counts, and what moves on manifolds. */
static void write_theta(const bxt_system *s, const bxt_settings *settings, FILE *f)
{
	const bool of_rule = settings->scheme->uses_rule && settings->rule->family == BXT_THETA;
	if (!settings->scheme->retracts && !of_rule)
		return;
	fprintf(f, "theta %g\n", settings->theta);
	for (int g = 0; g < s->n_groups && settings->scheme->retracts; g++) {
		const bxt_component *c = s->groups[g].type->component;
		for (int i = 0; i < c->n_manifolds; i++)
			fprintf(f, "%d %s: %s in %d coordinates, %s (%s)\n", s->groups[g].count,
				c->name, c->manifolds[i].kind->name, c->manifolds[i].n,
				c->manifolds[i].retraction->name, c->manifolds[i].retraction->doc);
	}
}

static void write_gradient(const bxt_system *s, const bxt_settings *settings, FILE *f)
{
	const bxt_discrete_gradient *which = settings->gradient;
	if (settings->scheme->keeps_energy)
		fprintf(f, "gradient %s: %s, order %d%s%s\n", which->name, which->doc, which->order,
			which->symmetric ? "" : ", 2 where no energy couples coordinates",
			bxt_gradient_is_needed(s, which) ? ""
							 : "; the gradient in the middle here, "
							   "where energies are quadratic");
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

/* The run's rule, that of forces, and those of subsystems; the whole has the least of their orders.
 */
static void write_rules(const bxt_system *s, const bxt_settings *settings, FILE *f)
{
	const bxt_network *net = s->net;
	int least = bxt_rule_order(settings->rule);
	bool several = false;
	write_rule("rule", "", settings->rule, settings, f);
	if (settings->force_rule) {
		const int order = bxt_rule_order(settings->force_rule);
		write_rule("rule of forces", "", settings->force_rule, settings, f);
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

bxt_status bxt_system_write_info(const bxt_system *s, const bxt_run_def *def, FILE *f)
{
	const bxt_run_def standard = bxt_default_run_def();
	bxt_settings settings;
	if (s->net->name)
		fprintf(f, "%s\n", s->net->name);
	write_structure(s, f);
	write_groups(s, f);
	write_declared(s, f);
	fprintf(f, "matrix of a step: %d x %d, %d nonzeros; %s; A is %s\n", s->spare, s->spare,
		bxt_sparse_nnz(&s->pattern) - 1,
		s->affine ? "affine, factored once" : "nonlinear, refactored with the same pivots",
		s->constant_rows ? "constant" : "not constant");
	if (bxt_settings_resolve(s, def ? def : &standard, NULL, &settings) == BXT_OK) {
		fprintf(f, "scheme %s: %s\n", settings.scheme->name, settings.scheme->doc);
		if (settings.scheme->uses_rule)
			write_rules(s, &settings, f);
		write_theta(s, &settings, f);
		write_gradient(s, &settings, f);
		fprintf(f, "solver %s: %s (%s)\n", settings.solver->name, settings.solver->doc,
			settings.solver_reason);
		write_way(s, &settings, f);
		fprintf(f, "step %g s to %g s\n", settings.step, settings.end);
	}
	fprintf(f, "memory %zu bytes, %.0f an element\n", s->bytes,
		(double)s->bytes / (double)(s->net->n_elements ? s->net->n_elements : 1));
	return stream_status(f);
}
