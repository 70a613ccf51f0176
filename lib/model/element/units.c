/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dimensions of a component's formulas (expr/measure.h). A Lagrangian is an energy [J], a Rayleigh
 * function a power [W], a force on the coordinate q is in J per unit of q, a flow in units of q per
 * second; constraints and entries of matrices need terms of one dimension. A formula is parsed once
 * more, in a graph where all names are variables. If only coordinates and the time have a unit, as
 * in v^2/2, the formula is in numbers: a mass of 1 is not written.
 */
#include "ground/base/text.h"
#include "model/element/element_internal.h"

#include <stdlib.h>
#include <string.h>

static const bxt_measure any = {.kind = BXT_MEASURE_ANY},
			 joule = {.kind = BXT_MEASURE_KNOWN, .dimension = {{12, 24, -24}}},
			 second = {.kind = BXT_MEASURE_KNOWN, .dimension = {{0, 0, 12}}};

/* a b^power */
static bxt_measure by(bxt_measure a, bxt_measure b, int power)
{
	if (a.kind == BXT_MEASURE_ANY || b.kind == BXT_MEASURE_ANY)
		return any;
	a.dimension = bxt_dimension_times(a.dimension, b.dimension, power);
	a.kind = BXT_MEASURE_KNOWN;
	return a;
}

/* Of the local coordinate a. */
static bxt_measure of_coordinate(const struct bxt_type_maker *m, int a)
{
	const bxt_element_type *k = m->k;
	const int shared = a - k->n_own, bound = shared - k->n_shared;
	if (shared < 0)
		return m->c->coordinates[a].measure;
	if (bound < 0)
		return m->c->ports[k->origin.port_of_coord[shared]]
			.measure[k->origin.sub_of_coord[shared]];
	return m->def->bound[k->origin.binding_of_coord[bound]]
		->coordinates[k->origin.sub_of_bound[bound]]
		.measure;
}

/* The units of all variables; those after the hoisted ones represent expression-valued parameters
 * and each <let> with a unit. */
static void list_measures(const struct bxt_type_maker *m, bxt_measure *of, int n)
{
	const bxt_element_type *k = m->k;
	const bxt_component *c = m->c;
	int next = 0;
	for (int v = 0; v < n; v++)
		of[v] = any;
	for (int i = 0; i < c->n_parameters; i++)
		of[c->parameters[i].of ? bxt_type_var_hoisted(k) + i : next++] =
			c->parameters[i].measure;
	for (int i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].time) /* its rate */
			of[next++] = by(c->parameters[i].measure, second, -1);
	for (int a = 0; a < k->nl; a++) {
		const bxt_measure q = of_coordinate(m, a);
		of[bxt_type_var_q(k) + a] = q;
		of[bxt_type_var_v(k) + a] = m->parsing.discrete ? q : by(q, second, -1); /* q@1 */
	}
	for (int i = 0; i < c->n_lets; i++)
		of[bxt_type_measured_let(m, i)] = c->lets[i].measure;
	of[bxt_type_var_t(k)] = second;
	of[bxt_type_var_t(k)].bare = true;
	of[bxt_type_var_h(k)] = second;
}

/* The required dimension of `what`. */
static bxt_measure wanted(const struct bxt_type_maker *m, const char *what, const char *of, int a)
{
	const bxt_component *c = m->c;
	const bxt_measure q = a >= 0 ? of_coordinate(m, a) : any;
	if (strcmp(what, "<lagrangian>") == 0 || strcmp(what, "<hamiltonian>") == 0)
		return joule;
	if (strcmp(what, "<rayleigh>") == 0)
		return by(joule, second, -1);
	if (strcmp(what, "<discrete-lagrangian>") == 0)
		return by(joule, second, 1);
	if (strcmp(what, "<force> on") == 0)
		return a >= 0 && a < c->n_coordinates && c->coordinates[a].role != BXT_PLAIN
			       ? by(q, second, -1) /* the relation of a state or signal */
			       : by(joule, q, -1);
	if (strcmp(what, "<momentum> on") == 0) /* energy by flow */
		return by(by(joule, second, 1), q, -1);
	if (strcmp(what, "<discrete-force> on") == 0)
		return by(by(joule, second, 1), q, -1);
	if (strcmp(what, "<update> of") == 0)
		return q;
	for (int i = 0; i < c->n_outputs && strcmp(what, "<output>") == 0; i++)
		if (strcmp(c->outputs[i].name, of) == 0)
			return c->outputs[i].measure;
	for (int i = 0; i < c->n_lets && strcmp(what, "<let>") == 0; i++)
		if (c->lets[i].unit && strcmp(c->lets[i].name, of) == 0)
			return c->lets[i].measure;
	for (int i = 0; i < c->n_ports && strcmp(what, "flow of port") == 0; i++)
		if (strcmp(c->ports[i].name, of) == 0)
			return by(c->ports[i].measure[0], second, -1);
	return any;
}

/* The names of variables, in the form in which they were searched. */
struct names {
	const bxt_scope *scope;
	struct bxt_type_maker *m;
	const char **of; /* (n) */
	int n;
	bool in_numbers; /* no parameter among them has a unit */
};

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct names *names = context;
	const bxt_scope own = {lookup, NULL, names, names->scope->curves};
	if (!bxt_type_let(names->m, &own, name, out) &&
	    !names->scope->lookup(names->scope->context, g, name, out))
		return false;
	const bxt_node node = bxt_graph_node(g, *out);
	if (node.op == BXT_OP_VAR && node.a < names->n && !names->of[node.a])
		names->of[node.a] = bxt_arena_strdup(names->m->arena, name);
	for (int i = 0; i < names->m->c->n_parameters; i++) {
		const bxt_parameter *p = &names->m->c->parameters[i];
		if (strcmp(p->name, name) == 0 && !bxt_dimension_is_number(p->measure.dimension))
			names->in_numbers = false;
	}
	for (int i = 0; i < names->m->c->n_lets; i++) {
		const bxt_let *let = &names->m->c->lets[i];
		if (let->unit && strcmp(let->name, name) == 0 &&
		    !bxt_dimension_is_number(let->measure.dimension))
			names->in_numbers = false;
	}
	return true;
}

static const char *name_of(void *context, int variable)
{
	const struct names *names = context;
	const char *name = variable < names->n ? names->of[variable] : NULL;
	return name ? name : "?";
}

/* Measures the formula in the graph of m; not known if it is not consistent. */
static bxt_measure check_formula(struct bxt_type_maker *m, bxt_written w, struct names *names,
				 const bxt_measure *of, bxt_measure fits, const char *context)
{
	const bxt_scope scope = {lookup, NULL, names, names->scope->curves};
	const bxt_measures with = {of, names->n, false, name_of, names};
	char is[BXT_DIMENSION_TEXT], should[BXT_DIMENSION_TEXT];
	bxt_buffer fault = {0};
	bxt_measure result = any;
	bxt_ex f;
	m->failed = m->failed || bxt_graph_failed(m->g);
	if (bxt_expr_parse(m->g, w.text, &scope, &f, NULL, 0) == 0 && !bxt_graph_failed(m->g)) {
		const bxt_measure found = bxt_ex_measure(m->g, f, &with, &fault);
		bxt_dimension_write(found.dimension, is);
		bxt_dimension_write(fits.dimension, should);
		if (fault.length == 0 && !bxt_measure_fits(found, fits))
			bxt_buffer_printf(&fault, "it is in '%s', not in '%s'", is, should);
		if (fault.length == 0 && !found.bare && !found.loose)
			result = found;
		if (fault.length > 0 && !names->in_numbers)
			bxt_warning(m->d, w.place, "component '%s', %s: wrong dimension: %s",
				    m->c->name, context, fault.text);
		m->failed = m->failed || fault.failed;
	}
	bxt_buffer_free(&fault);
	return result;
}

/* Keeps the measure of a constraint, which determines the unit of its multiplier. */
static void keep_measure(struct bxt_type_maker *m, const char *what, const char *of,
			 bxt_measure found)
{
	for (int r = 0; r < m->c->n_constraints && strcmp(what, "<constraint>") == 0; r++)
		if (strcmp(m->c->constraints[r].name, of) == 0)
			m->k->row_measure[r] = found;
}

void bxt_type_check_units(struct bxt_type_maker *m, bxt_written w, const bxt_scope *scope,
			  const char *what, const char *of, int a)
{
	bxt_graph *own = m->g;
	const int n = bxt_type_measured_let(m, m->c->n_lets);
	struct names names = {scope, m, calloc((size_t)n + 1, sizeof *names.of), n, true};
	bxt_measure *measures = malloc(((size_t)n + 1) * sizeof *measures);
	bxt_buffer context = {0};
	m->g = bxt_graph_new();
	m->parsing.measuring = true;
	bxt_type_forget_lets(m);
	bxt_buffer_printf(&context, "%s%s%s%s", what, of ? " '" : "", of ? of : "", of ? "'" : "");
	if (names.of && measures && m->g && !context.failed) {
		list_measures(m, measures, n);
		keep_measure(m, what, of,
			     check_formula(m, w, &names, measures, wanted(m, what, of, a),
					   context.text));
	} else {
		m->failed = true;
	}
	m->parsing.measuring = false;
	bxt_graph_free(m->g);
	m->g = own;
	bxt_buffer_free(&context);
	free(measures);
	free(names.of);
}
