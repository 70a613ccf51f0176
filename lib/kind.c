/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kind.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

/* Classes of variables, as bits for bxt_graph_classes. */
enum { ON_PARAMETER = 1, ON_Q = 2, ON_V = 4, ON_LAMBDA = 8, ON_TIME = 16 };
enum { MAX_ERRORS_PER_TEXT = 8 };

/* Everything that lives while a kind is being made. */
struct maker {
	bxt_arena *arena;
	bxt_graph *g;
	bxt_kind *k;
	const bxt_component *c;
	const char *const *of_text;
	const bxt_place *of_place;
	bxt_ex *of_value;    /* (c->n_parameters) parsed expression-valued parameters */
	int only_coordinate; /* while such a parameter is parsed: the one coordinate it may use */
	int *balance_row, *shared_coord; /* (c->n_ports) first local row or coordinate, -1 */
	bxt_ex *P, *D, *F, *C, *K;       /* (nl, nl, nl, ml, nl) */
	bxt_ex power_supplied, power_constraint, power_ports, dissipated, energy;
	uint32_t *class_of; /* (n_var) */
	bxt_diagnostics *d;
	int errors;
};

int bxt_kind_parameter(const bxt_component *c, int k)
{
	int index = 0;
	if (c->parameters[k].of)
		return -1;
	for (int i = 0; i < k; i++)
		index += !c->parameters[i].of;
	return index;
}

/* ---- Names -------------------------------------------------------------------------------------
 */

static bxt_ex var_q(struct maker *m, int a)
{
	return bxt_ex_var(m->g, bxt_kind_var_q(m->k) + a);
}

static bxt_ex var_v(struct maker *m, int a)
{
	return bxt_ex_var(m->g, bxt_kind_var_v(m->k) + a);
}

/* "port.x" and "port.vx" of a shared port: the local coordinate, and whether it is the flow. */
static int shared_name(const struct maker *m, const char *name, bool *is_flow)
{
	const char *dot = strchr(name, '.');
	if (!dot)
		return -1;
	for (int p = 0; p < m->c->n_ports; p++) {
		const bxt_port *port = &m->c->ports[p];
		if (port->kind->type != BXT_PORT_SHARED ||
		    strlen(port->name) != (size_t)(dot - name) ||
		    strncmp(port->name, name, (size_t)(dot - name)) != 0)
			continue;
		for (int s = 0; s < port->kind->n; s++) {
			*is_flow = strcmp(dot + 1, port->kind->flow[s]) == 0;
			if (*is_flow || strcmp(dot + 1, port->kind->coordinate[s]) == 0)
				return m->shared_coord[p] + s;
		}
	}
	return -1;
}

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct maker *m = context;
	bool is_flow;
	int a;
	if (m->only_coordinate >= 0) { /* inside an instance's expression */
		if (strcmp(name, m->c->coordinates[m->only_coordinate].name) != 0)
			return false;
		*out = var_q(m, m->only_coordinate);
		return true;
	}
	for (int i = 0; i < m->c->n_parameters; i++)
		if (strcmp(name, m->c->parameters[i].name) == 0) {
			*out = m->c->parameters[i].of ? m->of_value[i]
						      : bxt_ex_var(g, bxt_kind_parameter(m->c, i));
			return true;
		}
	for (int i = 0; i < m->c->n_coordinates; i++) {
		if (strcmp(name, m->c->coordinates[i].name) == 0)
			return *out = var_q(m, i), true;
		if (strcmp(name, m->c->coordinates[i].flow) == 0)
			return *out = var_v(m, i), true;
	}
	if (strcmp(name, "t") == 0)
		return *out = bxt_ex_var(g, bxt_kind_var_t(m->k)), true;
	if ((a = shared_name(m, name, &is_flow)) >= 0)
		return *out = is_flow ? var_v(m, a) : var_q(m, a), true;
	return false;
}

static void offer_names(void *context, void (*visit)(void *, const char *), void *visitor)
{
	const struct maker *m = context;
	if (m->only_coordinate >= 0) {
		visit(visitor, m->c->coordinates[m->only_coordinate].name);
		return;
	}
	for (int i = 0; i < m->c->n_parameters; i++)
		visit(visitor, m->c->parameters[i].name);
	for (int i = 0; i < m->c->n_coordinates; i++) {
		visit(visitor, m->c->coordinates[i].name);
		visit(visitor, m->c->coordinates[i].flow);
	}
	for (int p = 0; p < m->c->n_ports; p++)
		for (int s = 0;
		     m->c->ports[p].kind->type == BXT_PORT_SHARED && s < m->c->ports[p].kind->n;
		     s++) {
			const bxt_port_kind *kind = m->c->ports[p].kind;
			const char *name[2] = {kind->coordinate[s], kind->flow[s]};
			for (int i = 0; i < 2; i++) {
				char *full = bxt_arena_printf(m->arena, "%s.%s",
							      m->c->ports[p].name, name[i]);
				if (full)
					visit(visitor, full);
			}
		}
	visit(visitor, "t");
}

static bxt_ex parse(struct maker *m, bxt_written w, const char *what, const char *of)
{
	bxt_ex f = bxt_ex_const(m->g, 0);
	if (!w.text)
		return f;
	const bxt_scope scope = {lookup, offer_names, m};
	bxt_expr_error errors[MAX_ERRORS_PER_TEXT];
	int n = bxt_expr_parse(m->g, w.text, &scope, &f, errors, MAX_ERRORS_PER_TEXT);
	for (int i = 0; i < n && i < MAX_ERRORS_PER_TEXT; i++)
		bxt_error(m->d, w.place, "component '%s', %s%s%s%s, column %d: %s", m->c->name,
			  what, of ? " '" : "", of ? of : "", of ? "'" : "", errors[i].column,
			  errors[i].text);
	m->errors += n;
	return n ? bxt_ex_const(m->g, 0) : f;
}

/* The local coordinate that a <force on> or <gyrator a, b> names; -1 after a finding. */
static int find_coordinate(struct maker *m, const char *name, bxt_place place, const char *what)
{
	bool is_flow;
	bxt_nearest_search near = {.name = name};
	for (int i = 0; i < m->c->n_coordinates; i++) {
		if (strcmp(m->c->coordinates[i].name, name) == 0)
			return i;
		bxt_nearest_offer(&near, m->c->coordinates[i].name);
	}
	int a = shared_name(m, name, &is_flow);
	if (a >= 0 && !is_flow)
		return a;
	bxt_error(m->d, place, "component '%s': no coordinate '%s' for %s%s", m->c->name, name,
		  what, bxt_did_you_mean(m->arena, near.best));
	m->errors++;
	return -1;
}

/* ---- Layout ------------------------------------------------------------------------------------
 */

static bxt_status lay_out(struct maker *m)
{
	bxt_kind *k = m->k;
	const bxt_component *c = m->c;
	k->n_own = k->nl = c->n_coordinates;
	k->n_constraint = k->ml = c->n_constraints;
	for (int i = 0; i < c->n_parameters; i++)
		k->n_parameter += !c->parameters[i].of;
	int shared = 0, balance = 0;
	for (int p = 0; p < c->n_ports; p++)
		if (c->ports[p].kind->type == BXT_PORT_SHARED)
			shared += c->ports[p].kind->n;
		else
			balance++;
	k->port_of_coord = BXT_NEW(m->arena, int, shared);
	k->sub_of_coord = BXT_NEW(m->arena, int, shared);
	k->port_of_row = BXT_NEW(m->arena, int, balance);
	k->port_group = BXT_NEW(m->arena, int, balance);
	m->balance_row = BXT_NEW(m->arena, int, c->n_ports);
	m->shared_coord = BXT_NEW(m->arena, int, c->n_ports);
	m->of_value = BXT_NEW(m->arena, bxt_ex, c->n_parameters);
	if (!k->port_of_coord || !k->sub_of_coord || !k->port_of_row || !k->port_group ||
	    !m->balance_row || !m->shared_coord || !m->of_value)
		return BXT_ERR_MEMORY;
	for (int p = 0; p < c->n_ports; p++) {
		m->balance_row[p] = m->shared_coord[p] = -1;
		if (c->ports[p].kind->type == BXT_PORT_BALANCE) {
			k->port_of_row[k->ml - k->n_constraint] = p;
			m->balance_row[p] = k->ml++;
			continue;
		}
		m->shared_coord[p] = k->nl;
		for (int s = 0; s < c->ports[p].kind->n; s++) {
			k->port_of_coord[k->nl - k->n_own] = p;
			k->sub_of_coord[k->nl - k->n_own] = s;
			k->nl++;
		}
	}
	const int n_var = bxt_kind_var_hoisted(k);
	m->class_of = BXT_NEW(m->arena, uint32_t, n_var);
	m->P = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->D = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->F = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->K = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->C = BXT_NEW(m->arena, bxt_ex, k->ml);
	k->massless = BXT_NEW(m->arena, bool, k->nl);
	if (!m->class_of || !m->P || !m->D || !m->F || !m->K || !m->C || !k->massless)
		return BXT_ERR_MEMORY;
	for (int i = 0, v = 0; i < c->n_parameters; i++)
		if (!c->parameters[i].of)
			m->class_of[v++] = c->parameters[i].time ? ON_TIME : ON_PARAMETER;
	for (int a = 0; a < k->nl; a++) {
		m->class_of[bxt_kind_var_q(k) + a] = ON_Q;
		m->class_of[bxt_kind_var_v(k) + a] = ON_V;
	}
	for (int r = 0; r < k->ml; r++)
		m->class_of[bxt_kind_var_lambda(k) + r] = ON_LAMBDA;
	m->class_of[bxt_kind_var_t(k)] = ON_TIME;
	return BXT_OK;
}

/* ---- Mathematics -------------------------------------------------------------------------------
 */

static bool is_zero(const struct maker *m, bxt_ex f)
{
	double value;
	return bxt_ex_is_const(m->g, f, &value) && value == 0;
}

static uint32_t classes_of(struct maker *m, bxt_ex f)
{
	uint32_t mask = 0;
	uint32_t *marks = calloc((size_t)bxt_graph_size(m->g), sizeof *marks);
	if (marks) {
		bxt_graph_classes(m->g, m->class_of, bxt_kind_var_hoisted(m->k), marks);
		mask = marks[f];
	}
	free(marks);
	return mask;
}

/* f with all flows and multipliers set to zero: what is left of an affine form at rest. */
static bxt_ex at_rest(struct maker *m, bxt_ex f)
{
	const bxt_kind *k = m->k;
	const int n = k->nl + k->ml;
	int *vars = malloc(((size_t)n + 1) * sizeof *vars);
	bxt_ex *zeros = malloc(((size_t)n + 1) * sizeof *zeros);
	for (int i = 0; vars && zeros && i < n; i++) {
		vars[i] = bxt_kind_var_v(k) + i; /* flows and multipliers are neighbours */
		zeros[i] = bxt_ex_const(m->g, 0);
	}
	if (vars && zeros)
		bxt_ex_substitute(m->g, &f, 1, vars, zeros, n);
	else
		m->errors++;
	free(vars);
	free(zeros);
	return f;
}

/* dot product of a gradient over the variables first..first+n with n further expressions */
static bxt_ex gradient_dot(struct maker *m, bxt_ex f, int first, int n,
			   bxt_ex (*with)(struct maker *, int))
{
	bxt_ex sum = bxt_ex_const(m->g, 0);
	int *vars = malloc(((size_t)n + 1) * sizeof *vars);
	bxt_ex *grad = malloc(((size_t)n + 1) * sizeof *grad);
	if (vars && grad) {
		for (int i = 0; i < n; i++)
			vars[i] = first + i;
		bxt_ex_gradient(m->g, f, vars, n, grad);
		for (int i = 0; i < n; i++)
			sum = bxt_ex_add(m->g, sum, bxt_ex_mul(m->g, grad[i], with(m, i)));
	} else {
		m->errors++;
	}
	free(vars);
	free(grad);
	return sum;
}

static void gradient(struct maker *m, bxt_ex f, int first, int n, bxt_ex *out)
{
	int *vars = malloc(((size_t)n + 1) * sizeof *vars);
	for (int i = 0; vars && i < n; i++)
		vars[i] = first + i;
	if (vars)
		bxt_ex_gradient(m->g, f, vars, n, out);
	else
		m->errors++;
	free(vars);
}

/* P, D and F (see kind.h) and the powers that belong to them. */
static void make_dynamics(struct maker *m)
{
	bxt_kind *k = m->k;
	bxt_graph *g = m->g;
	const bxt_component *c = m->c;
	const bxt_ex L = parse(m, c->lagrangian, "<lagrangian>", NULL);
	const bxt_ex R = parse(m, c->rayleigh, "<rayleigh>", NULL);
	const int t = bxt_kind_var_t(k);
	k->dissipative = !is_zero(m, R);
	gradient(m, L, bxt_kind_var_v(k), k->nl, m->P); /* P = dL/dv */
	gradient(m, L, bxt_kind_var_q(k), k->nl, m->F); /* F = dL/dq ... */
	m->energy = bxt_ex_neg(g, L);
	m->dissipated = m->power_supplied = bxt_ex_const(g, 0);
	for (int a = 0; a < k->nl; a++) {
		bxt_ex dP_dt, dR_dv;
		gradient(m, m->P[a], t, 1, &dP_dt);
		/* D = dP/dq v + dP/dt */
		m->D[a] = bxt_ex_add(g, gradient_dot(m, m->P[a], bxt_kind_var_q(k), k->nl, var_v),
				     dP_dt);
		/* ... - dR/dv */
		gradient(m, R, bxt_kind_var_v(k) + a, 1, &dR_dv);
		m->F[a] = bxt_ex_sub(g, m->F[a], dR_dv);
		m->dissipated = bxt_ex_add(g, m->dissipated, bxt_ex_mul(g, var_v(m, a), dR_dv));
		/* E = v.dL/dv - L */
		m->energy = bxt_ex_add(g, m->energy, bxt_ex_mul(g, var_v(m, a), m->P[a]));
	}
	for (int i = 0; i < c->n_forces; i++) {
		int a = find_coordinate(m, c->forces[i].on, c->forces[i].expression.place,
					"<force>");
		bxt_ex f = parse(m, c->forces[i].expression, "<force> on", c->forces[i].on);
		if (a < 0)
			continue;
		m->F[a] = bxt_ex_add(g, m->F[a], f);
		m->power_supplied = bxt_ex_add(g, m->power_supplied, bxt_ex_mul(g, f, var_v(m, a)));
	}
	for (int i = 0; i < c->n_gyrators; i++) { /* F_a -= k v_b, F_b += k v_a: no power */
		const bxt_gyrator *gy = &c->gyrators[i];
		int a = find_coordinate(m, gy->a, gy->k.place, "<gyrator>");
		int b = find_coordinate(m, gy->b, gy->k.place, "<gyrator>");
		bxt_ex f = parse(m, gy->k, "<gyrator>", NULL);
		if (a < 0 || b < 0)
			continue;
		m->F[a] = bxt_ex_sub(g, m->F[a], bxt_ex_mul(g, f, var_v(m, b)));
		m->F[b] = bxt_ex_add(g, m->F[b], bxt_ex_mul(g, f, var_v(m, a)));
	}
}

/* The row A(q) v - b(q,t) of a constraint; a position constraint is differentiated in time. */
static bxt_ex constraint_row(struct maker *m, const bxt_constraint *con)
{
	const bxt_kind *k = m->k;
	bxt_ex f = parse(m, con->expression, "<constraint>", con->name);
	if (con->position) {
		bxt_ex df_dt;
		if (classes_of(m, f) & ON_V) {
			bxt_error(m->d, con->expression.place,
				  "component '%s', <constraint> '%s': a position constraint "
				  "contains no flows",
				  m->c->name, con->name);
			m->errors++;
		}
		gradient(m, f, bxt_kind_var_t(k), 1, &df_dt);
		return bxt_ex_add(m->g, gradient_dot(m, f, bxt_kind_var_q(k), k->nl, var_v), df_dt);
	}
	return f;
}

/* Refuses rows that are not affine in flows, and port flows that have a part without flows. */
static void check_row(struct maker *m, bxt_ex row, const bxt_ex *slope, bxt_place place,
		      const char *what, const char *name, bool homogeneous)
{
	uint32_t mask = 0;
	for (int a = 0; a < m->k->nl; a++)
		mask |= classes_of(m, slope[a]);
	if (mask & ON_V) {
		bxt_error(m->d, place, "component '%s', %s '%s': must be affine in the flows",
			  m->c->name, what, name);
		m->errors++;
	} else if (homogeneous && !is_zero(m, at_rest(m, row))) {
		bxt_error(
			m->d, place,
			"component '%s', %s '%s': the flow must vanish with the coordinates' flows",
			m->c->name, what, name);
		m->errors++;
	}
}

/* C and K (see kind.h); the slopes dC/dv decide the groups of ports. */
static bxt_status make_rows(struct maker *m)
{
	bxt_kind *k = m->k;
	bxt_graph *g = m->g;
	const int n_port = k->ml - k->n_constraint;
	bxt_ex *slope = calloc((size_t)k->ml * (size_t)k->nl + 1, sizeof *slope);
	if (!slope)
		return BXT_ERR_MEMORY;
	m->power_constraint = m->power_ports = bxt_ex_const(g, 0);
	for (int a = 0; a < k->nl; a++)
		m->K[a] = bxt_ex_const(g, 0);
	k->constant_rows = true;
	for (int r = 0; r < k->ml; r++) {
		const bool own = r < k->n_constraint;
		const bxt_constraint *con = own ? &m->c->constraints[r] : NULL;
		const bxt_port *port =
			own ? NULL : &m->c->ports[k->port_of_row[r - k->n_constraint]];
		bxt_ex *s = slope + (size_t)r * (size_t)k->nl;
		m->C[r] = own ? constraint_row(m, con)
			      : parse(m, port->flow, "flow of port", port->name);
		gradient(m, m->C[r], bxt_kind_var_v(k), k->nl, s);
		check_row(m, m->C[r], s, own ? con->expression.place : port->flow.place,
			  own ? "<constraint>" : "<port>", own ? con->name : port->name, !own);
		bxt_ex lambda = bxt_ex_var(g, bxt_kind_var_lambda(k) + r);
		for (int a = 0; a < k->nl; a++) { /* K = (dC/dv)^T lambda */
			m->K[a] = bxt_ex_add(g, m->K[a], bxt_ex_mul(g, s[a], lambda));
			if (classes_of(m, s[a]) & ~(uint32_t)ON_PARAMETER)
				k->constant_rows = false;
		}
		if (own) /* lambda.(A v) = lambda.b: what a prescribed motion feeds in */
			m->power_constraint = bxt_ex_sub(
				g, m->power_constraint, bxt_ex_mul(g, lambda, at_rest(m, m->C[r])));
		else /* lambda_node times the flow in */
			m->power_ports =
				bxt_ex_add(g, m->power_ports, bxt_ex_mul(g, lambda, m->C[r]));
	}
	/* Ports that share a coordinate form a group; it is balanced when its slopes sum to zero.
	 */
	for (int p = 0; p < n_port; p++)
		k->port_group[p] = p;
	for (int a = 0; a < k->nl; a++)
		for (int p = 0, first = -1; p < n_port; p++) {
			if (is_zero(m, slope[(size_t)(k->n_constraint + p) * (size_t)k->nl +
					     (size_t)a]))
				continue;
			const int from = k->port_group[p],
				  to = first < 0 ? from : k->port_group[first];
			for (int i = 0; i < n_port; i++)
				if (k->port_group[i] == from)
					k->port_group[i] = to;
			first = p;
		}
	for (int p = 0; p < n_port; p++)
		for (int a = 0; a < k->nl && k->port_group[p] == p; a++) {
			bxt_ex sum = bxt_ex_const(g, 0);
			for (int i = 0; i < n_port; i++)
				if (k->port_group[i] == p)
					sum = bxt_ex_add(g, sum,
							 slope[(size_t)(k->n_constraint + i) *
								       (size_t)k->nl +
							       (size_t)a]);
			if (is_zero(m, sum))
				continue;
			for (int i = n_port - 1; i >= 0; i--)
				if (k->port_group[i] == p)
					k->port_group[i] = -1;
		}
	free(slope);
	return BXT_OK;
}

/* ---- Forms -------------------------------------------------------------------------------------
 */

/* Outputs of all forms in one list, so that hoisting sees them together. */
struct outputs {
	bxt_ex *f;
	bxt_entry *entries;
	int *form;
	size_t n, f_capacity, e_capacity, form_capacity;
	bool failed;
};

static void put(struct outputs *o, int form, bxt_class class, int row, int col, bxt_ex f)
{
	if (o->failed || BXT_GROW(o->f, o->f_capacity, o->n + 1) != BXT_OK ||
	    BXT_GROW(o->entries, o->e_capacity, o->n + 1) != BXT_OK ||
	    BXT_GROW(o->form, o->form_capacity, o->n + 1) != BXT_OK) {
		o->failed = true;
		return;
	}
	o->f[o->n] = f;
	o->entries[o->n] = (bxt_entry){class, row, col};
	o->form[o->n++] = form;
}

static void put_nonzero(struct maker *m, struct outputs *o, int form, bxt_class class, int row,
			bxt_ex f)
{
	if (!is_zero(m, f))
		put(o, form, class, row, -1, f);
}

/* The nonzero entries of the derivative of f[0..n) by n_var variables from `first` on. */
static void put_jacobian(struct maker *m, struct outputs *o, bxt_class class, const bxt_ex *f,
			 int n, int first, int n_var)
{
	const bool dynamics = class == BXT_PQ || class == BXT_PV || class == BXT_DQ ||
			      class == BXT_DV || class == BXT_FQ || class == BXT_FV;
	bxt_ex *grad = malloc(((size_t)n_var + 1) * sizeof *grad);
	if (!grad)
		o->failed = true;
	for (int r = 0; grad && r < n; r++) {
		gradient(m, f[r], first, n_var, grad);
		for (int c = 0; c < n_var; c++) {
			if (is_zero(m, grad[c]))
				continue;
			const bool constant = !(classes_of(m, grad[c]) & ~(uint32_t)ON_PARAMETER);
			if (!constant)
				m->k->affine = false;
			if (class == BXT_PV)
				m->k->massless[r] = false;
			put(o,
			    constant   ? BXT_FORM_JAC_CONST
			    : dynamics ? BXT_FORM_JAC_DYN
				       : BXT_FORM_JAC_CON,
			    class, r, c, grad[c]);
		}
	}
	free(grad);
}

static void list_outputs(struct maker *m, struct outputs *o)
{
	bxt_kind *k = m->k;
	const int q = bxt_kind_var_q(k), v = bxt_kind_var_v(k), lambda = bxt_kind_var_lambda(k);
	k->affine = true;
	for (int a = 0; a < k->nl; a++)
		k->massless[a] = true;
	put_jacobian(m, o, BXT_PV, m->P, k->nl, v, k->nl);
	put_jacobian(m, o, BXT_PQ, m->P, k->nl, q, k->nl);
	put_jacobian(m, o, BXT_FQ, m->F, k->nl, q, k->nl);
	put_jacobian(m, o, BXT_FV, m->F, k->nl, v, k->nl);
	put_jacobian(m, o, BXT_CQ, m->C, k->ml, q, k->nl);
	put_jacobian(m, o, BXT_CV, m->C, k->ml, v, k->nl);
	put_jacobian(m, o, BXT_KQ, m->K, k->nl, q, k->nl);
	put_jacobian(m, o, BXT_KL, m->K, k->nl, lambda, k->ml);
	/* D serves massless rows only: where P depends on flows it is never asked for. */
	for (int a = 0; a < k->nl; a++)
		if (!k->massless[a])
			m->D[a] = bxt_ex_const(m->g, 0);
	put_jacobian(m, o, BXT_DQ, m->D, k->nl, q, k->nl);
	put_jacobian(m, o, BXT_DV, m->D, k->nl, v, k->nl);
	for (int a = 0; a < k->nl; a++) {
		put_nonzero(m, o, BXT_FORM_DYNAMICS, BXT_P, a, m->P[a]);
		put_nonzero(m, o, BXT_FORM_DYNAMICS, BXT_D, a, m->D[a]);
		put_nonzero(m, o, BXT_FORM_DYNAMICS, BXT_F, a, m->F[a]);
		put_nonzero(m, o, BXT_FORM_CONSTRAINT, BXT_K, a, m->K[a]);
		put_nonzero(m, o, BXT_FORM_MOMENTUM, BXT_P, a, m->P[a]);
		put_nonzero(m, o, BXT_FORM_REST, BXT_P, a, at_rest(m, m->P[a]));
		put_nonzero(m, o, BXT_FORM_REST, BXT_D, a, at_rest(m, m->D[a]));
		put_nonzero(m, o, BXT_FORM_REST, BXT_F, a, at_rest(m, m->F[a]));
	}
	for (int r = 0; r < k->ml; r++) {
		put_nonzero(m, o, BXT_FORM_CONSTRAINT, BXT_C, r, m->C[r]);
		put_nonzero(m, o, BXT_FORM_REST, BXT_C, r, at_rest(m, m->C[r]));
	}
	put_nonzero(m, o, BXT_FORM_POWER, BXT_P, BXT_POWER_DISSIPATED, m->dissipated);
	put_nonzero(m, o, BXT_FORM_POWER, BXT_P, BXT_POWER_SUPPLIED, m->power_supplied);
	put_nonzero(m, o, BXT_FORM_POWER, BXT_P, BXT_POWER_CONSTRAINT, m->power_constraint);
	put_nonzero(m, o, BXT_FORM_POWER, BXT_P, BXT_POWER_PORTS, m->power_ports);
	put_nonzero(m, o, BXT_FORM_ENERGY, BXT_P, 0, m->energy);
	for (int i = 0; i < m->c->n_outputs; i++)
		put(o, BXT_FORM_OUTPUT, BXT_P, i, -1,
		    parse(m, m->c->outputs[i].expression, "<output>", m->c->outputs[i].name));
	m->k->explicit_time = false;
	for (size_t i = 0; i < o->n && !o->failed; i++)
		if (o->form[i] != BXT_FORM_OUTPUT && (classes_of(m, o->f[i]) & ON_TIME))
			m->k->explicit_time = true;
}

/* Replaces what depends on parameters alone by hoisted variables, except where it runs once anyway.
 */
static bxt_status hoist(struct maker *m, struct outputs *o)
{
	bxt_kind *k = m->k;
	const int n_var = bxt_kind_var_hoisted(k);
	bool *allowed = calloc((size_t)n_var, sizeof *allowed);
	bxt_ex *loop = malloc((o->n + 1) * sizeof *loop), *hoisted = NULL;
	int n = 0;
	bxt_status status = allowed && loop ? BXT_OK : BXT_ERR_MEMORY;
	for (int v = 0; status == BXT_OK && v < n_var; v++)
		allowed[v] = m->class_of[v] == ON_PARAMETER;
	for (size_t i = 0; status == BXT_OK && i < o->n; i++)
		if (o->form[i] != BXT_FORM_JAC_CONST)
			loop[n++] = o->f[i];
	if (status == BXT_OK)
		status =
			bxt_ex_hoist(m->g, loop, n, allowed, n_var, n_var, &hoisted, &k->n_hoisted);
	if (status == BXT_OK && k->n_hoisted > 0 &&
	    !(k->prelude = bxt_tape_compile(m->g, hoisted, k->n_hoisted)))
		status = BXT_ERR_MEMORY;
	n = 0;
	for (size_t i = 0; status == BXT_OK && i < o->n; i++)
		if (o->form[i] != BXT_FORM_JAC_CONST)
			o->f[i] = loop[n++];
	free(allowed);
	free(loop);
	free(hoisted);
	return status;
}

static bxt_status make_forms(struct maker *m, const struct outputs *o)
{
	bxt_ex *f = malloc((o->n + 1) * sizeof *f);
	if (!f)
		return BXT_ERR_MEMORY;
	bxt_status status = BXT_OK;
	for (int id = 0; id < BXT_FORM_COUNT && status == BXT_OK; id++) {
		bxt_form *form = &m->k->form[id];
		size_t n = 0;
		for (size_t i = 0; i < o->n; i++)
			n += o->form[i] == id;
		form->entries = BXT_NEW(m->arena, bxt_entry, n);
		if (!form->entries) {
			status = BXT_ERR_MEMORY;
			break;
		}
		for (size_t i = 0; i < o->n; i++)
			if (o->form[i] == id) {
				form->entries[form->n] = o->entries[i];
				f[form->n++] = o->f[i];
			}
		if (form->n > 0 && !(form->tape = bxt_tape_compile(m->g, f, form->n)))
			status = BXT_ERR_MEMORY;
	}
	free(f);
	return status;
}

/* The instance's expressions first: the component's own texts refer to them. */
static void parse_of_values(struct maker *m)
{
	for (int i = 0; i < m->c->n_parameters; i++) {
		const bxt_parameter *p = &m->c->parameters[i];
		m->of_value[i] = bxt_ex_const(m->g, 0);
		for (int a = 0; p->of && a < m->c->n_coordinates; a++)
			if (strcmp(m->c->coordinates[a].name, p->of) == 0) {
				m->only_coordinate = a;
				m->of_value[i] =
					parse(m, (bxt_written){m->of_text[i], m->of_place[i]},
					      "parameter", p->name);
			}
		m->only_coordinate = -1;
	}
}

static bxt_status make(struct maker *m)
{
	struct outputs outputs = {0};
	BXT_TRY(lay_out(m));
	parse_of_values(m);
	make_dynamics(m);
	bxt_status status = make_rows(m);
	if (status == BXT_OK)
		list_outputs(m, &outputs);
	if (status == BXT_OK && (outputs.failed || bxt_graph_failed(m->g)))
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK && m->errors)
		status = BXT_ERR_MODEL;
	if (status == BXT_OK)
		status = hoist(m, &outputs);
	if (status == BXT_OK)
		status = make_forms(m, &outputs);
	free(outputs.f);
	free(outputs.entries);
	free(outputs.form);
	return status;
}

bxt_kind *bxt_kind_compile(bxt_arena *arena, const bxt_component *component,
			   const char *const *of_text, const bxt_place *of_place,
			   bxt_diagnostics *d, bxt_status *status)
{
	struct maker m = {.arena = arena,
			  .c = component,
			  .of_text = of_text,
			  .of_place = of_place,
			  .only_coordinate = -1,
			  .d = d};
	m.k = BXT_NEW(arena, bxt_kind, 1);
	m.g = bxt_graph_new();
	*status = m.k && m.g ? BXT_OK : BXT_ERR_MEMORY;
	if (*status == BXT_OK) {
		m.k->component = component;
		m.k->key = component->name;
		*status = make(&m);
	}
	bxt_graph_free(m.g);
	if (*status != BXT_OK) {
		bxt_kind_release(m.k);
		return NULL;
	}
	return m.k;
}

void bxt_kind_release(bxt_kind *kind)
{
	if (!kind)
		return;
	kind->prelude = bxt_tape_free(kind->prelude);
	for (int id = 0; id < BXT_FORM_COUNT; id++)
		kind->form[id].tape = bxt_tape_free(kind->form[id].tape);
}
