/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The equations of an element type: P = dL/dv + m, D = dP/dq v + dP/dt, F = dL/dq - dR/dv + f + G
 * v, C = A v - b, K = (dC/dv)^T lambda (see element_type.h), powers, and the energy v.dL/dv - L.
 */
#include "model/element/element_internal.h"

#include <stdlib.h>
#include <string.h>

/* the gradient of f by variables first ... first + n - 1, times n further expressions */
static bxt_ex gradient_dot(struct bxt_type_maker *m, bxt_ex f, int first, int n,
			   bxt_ex (*with)(struct bxt_type_maker *, int))
{
	bxt_ex sum = bxt_ex_const(m->g, 0);
	double number;
	if (bxt_ex_is_const(m->g, f, &number))
		return sum;
	int *vars = malloc(((size_t)n + 1) * sizeof *vars);
	bxt_ex *grad = malloc(((size_t)n + 1) * sizeof *grad);
	if (vars && grad) {
		for (int i = 0; i < n; i++)
			vars[i] = first + i;
		bxt_ex_gradient(m->g, f, vars, n, grad);
		for (int i = 0; i < n; i++)
			sum = bxt_ex_add(m->g, sum, bxt_ex_mul(m->g, grad[i], with(m, i)));
	} else {
		m->failed = true;
	}
	free(vars);
	free(grad);
	return sum;
}

/* df/dt at constant q and v: f may contain t, and parameters that depend on time. */
static bxt_ex time_rate(struct bxt_type_maker *m, bxt_ex f)
{
	const bxt_component *c = m->c;
	bxt_ex sum;
	bxt_type_gradient(m, f, bxt_type_var_t(m->k), 1, &sum);
	for (int i = 0; i < c->n_parameters; i++) {
		bxt_ex df_dX;
		if (!c->parameters[i].time)
			continue;
		bxt_type_gradient(m, f, bxt_type_parameter(c, i), 1, &df_dX);
		if (bxt_type_is_zero(m, df_dX))
			continue;
		m->k->rate_used[i] = true;
		sum = bxt_ex_add(m->g, sum,
				 bxt_ex_mul(m->g, df_dX, bxt_ex_var(m->g, bxt_type_rate(c, i))));
	}
	return sum;
}

/* Applies the weight to quantities that add up over the copies of the element. */
static bxt_ex weigh(struct bxt_type_maker *m, bxt_ex f)
{
	const bxt_component *c = m->c;
	return c->weight
		       ? bxt_ex_mul(m->g, bxt_ex_var(m->g, bxt_type_parameter(c, c->weight - 1)), f)
		       : f;
}

/* T on a flow w(q, v), linear in v: F += (dw/dv)^T T, with the power T w. */
static void add_generalised_force(struct bxt_type_maker *m, const bxt_force *force, bxt_ex w)
{
	const bxt_ex T = weigh(m, bxt_type_parse(m, force->expression, "<force> on", force->on));
	for (int a = 0; a < m->k->nl; a++) {
		bxt_ex slope;
		bxt_type_gradient(m, w, bxt_type_var_v(m->k) + a, 1, &slope);
		const bxt_ex f = bxt_ex_mul(m->g, slope, T);
		m->F[a] = bxt_ex_add(m->g, m->F[a], f);
		m->E[a] = bxt_ex_add(m->g, m->E[a], f);
	}
	m->power.supplied = bxt_ex_add(m->g, m->power.supplied, bxt_ex_mul(m->g, T, w));
}

/*
 * P_a += m. No energy contains this term. The power of p' = F + A^T lambda, which equals m' here,
 * is not stored: the power -v m' = -v (F + A^T lambda) is supplied. This holds if all of p' is m'.
 */
static void add_momenta(struct bxt_type_maker *m, int a)
{
	for (int i = 0; i < m->c->n_momenta; i++) {
		const bxt_momentum_term *term = &m->c->momenta[i];
		if (bxt_type_find_coordinate(m, term->on, term->expression.place, "<momentum>") !=
		    a)
			continue;
		const bxt_ex f =
			weigh(m, bxt_type_parse(m, term->expression, "<momentum> on", term->on));
		if (!m->k->has_term[a] && !bxt_type_is_zero(m, m->P[a])) {
			bxt_error(m->d, term->expression.place,
				  "component '%s', <momentum> on '%s': the Lagrangian gives '%s' a "
				  "momentum, whose power is stored; write the term on a coordinate "
				  "without one",
				  m->c->name, term->on, term->on);
			m->errors++;
		}
		m->k->has_term[a] = true;
		m->P[a] = bxt_ex_add(m->g, m->P[a], f);
	}
}

/* The power of momentum terms; that of multipliers is separate, because they act as impulses. */
static void add_power_of_momenta(struct bxt_type_maker *m)
{
	for (int a = 0; a < m->k->nl; a++) {
		if (!m->k->has_term[a])
			continue;
		const bxt_ex v = bxt_type_v(m, a);
		m->power.supplied =
			bxt_ex_sub(m->g, m->power.supplied, bxt_ex_mul(m->g, v, m->F[a]));
		m->power.constraint =
			bxt_ex_sub(m->g, m->power.constraint, bxt_ex_mul(m->g, v, m->K[a]));
	}
}

/* P, D, F (see element_type.h), E = F - dL/dq, and their powers. */
void bxt_type_dynamics(struct bxt_type_maker *m)
{
	bxt_element_type *k = m->k;
	bxt_graph *g = m->g;
	const bxt_component *c = m->c;
	bxt_ex L = weigh(m, bxt_type_parse(m, c->lagrangian, "<lagrangian>", NULL));
	bxt_ex R = weigh(m, bxt_type_parse(m, c->rayleigh, "<rayleigh>", NULL));
	if (c->hamiltonian)
		bxt_type_hamiltonian_energies(m, &L, &R);
	k->dissipative = !bxt_type_is_zero(m, R);
	bxt_type_gradient(m, L, bxt_type_var_v(k), k->nl, m->P); /* P = dL/dv */
	bxt_type_gradient(m, L, bxt_type_var_q(k), k->nl, m->F); /* F = dL/dq ... */
	m->power.energy = bxt_ex_neg(g, L);
	m->power.dissipated = m->power.supplied = bxt_ex_const(g, 0);
	/* d/dt(v.dL/dv - L) = v.(p' - dL/dq) - dL/dt along any motion */
	m->power.of_time = bxt_ex_neg(g, time_rate(m, L));
	for (int a = 0; a < k->nl; a++) {
		const bxt_ex stored = m->P[a];
		bxt_ex dR_dv;
		add_momenta(m, a);
		/* D = dP/dq v + dP/dt */
		m->D[a] = bxt_ex_add(g,
				     gradient_dot(m, m->P[a], bxt_type_var_q(k), k->nl, bxt_type_v),
				     time_rate(m, m->P[a]));
		/* ... - dR/dv */
		bxt_type_gradient(m, R, bxt_type_var_v(k) + a, 1, &dR_dv);
		m->F[a] = bxt_ex_sub(g, m->F[a], dR_dv);
		m->E[a] = bxt_ex_neg(g, dR_dv);
		m->power.dissipated =
			bxt_ex_add(g, m->power.dissipated, bxt_ex_mul(g, bxt_type_v(m, a), dR_dv));
		/* energy v.dL/dv - L */
		m->power.energy =
			bxt_ex_add(g, m->power.energy, bxt_ex_mul(g, bxt_type_v(m, a), stored));
	}
	for (int i = 0; i < c->n_forces; i++) {
		bxt_ex flow;
		if (bxt_type_derived_flow(m, c->forces[i].on, &flow)) {
			add_generalised_force(m, &c->forces[i], flow);
			continue;
		}
		int a = bxt_type_find_coordinate(m, c->forces[i].on, c->forces[i].expression.place,
						 "<force>");
		bxt_ex f =
			bxt_type_parse(m, c->forces[i].expression, "<force> on", c->forces[i].on);
		if (a < 0)
			continue;
		if (c->forces[i].relation) /* 0 = f - v: no reaction, no power */
			f = bxt_ex_sub(g, f, bxt_type_v(m, a));
		else
			f = weigh(m, f);
		m->F[a] = bxt_ex_add(g, m->F[a], f);
		m->E[a] = bxt_ex_add(g, m->E[a], f);
		if (!c->forces[i].relation)
			m->power.supplied = bxt_ex_add(g, m->power.supplied,
						       bxt_ex_mul(g, f, bxt_type_v(m, a)));
	}
	for (int i = 0; i < c->n_gyrators; i++) { /* F_a -= k v_b, F_b += k v_a: no power */
		const bxt_gyrator *gy = &c->gyrators[i];
		int a = bxt_type_find_coordinate(m, gy->a, gy->k.place, "<gyrator>");
		int b = bxt_type_find_coordinate(m, gy->b, gy->k.place, "<gyrator>");
		bxt_ex f = weigh(m, bxt_type_parse(m, gy->k, "<gyrator>", NULL));
		if (a < 0 || b < 0)
			continue;
		const bxt_ex on_a = bxt_ex_mul(g, f, bxt_type_v(m, b)),
			     on_b = bxt_ex_mul(g, f, bxt_type_v(m, a));
		m->F[a] = bxt_ex_sub(g, m->F[a], on_a);
		m->F[b] = bxt_ex_add(g, m->F[b], on_b);
		m->E[a] = bxt_ex_sub(g, m->E[a], on_a);
		m->E[b] = bxt_ex_add(g, m->E[b], on_b);
	}
	if (c->hamiltonian)
		bxt_type_hamiltonian_forces(m);
}

/* The expressions that a plug-in reads. */
static bxt_status parse_reads(struct bxt_type_maker *m)
{
	const bxt_plugin_part *p = m->c->sampled.plugin;
	m->read = p ? BXT_NEW(m->arena, bxt_ex, (size_t)p->n_reads) : NULL;
	for (int i = 0; m->read && i < p->n_reads; i++)
		m->read[i] = bxt_type_parse(m, (bxt_written){p->reads[i], p->place},
					    "<plugin> reads", p->reads[i]);
	return p && !m->read ? BXT_ERR_MEMORY : BXT_OK;
}

/* The new values of sampled states. */
bxt_status bxt_type_updates(struct bxt_type_maker *m)
{
	const bxt_component *c = m->c;
	m->update = BXT_NEW(m->arena, bxt_ex, (size_t)c->sampled.n_updates);
	if (!m->update)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < c->sampled.n_updates; i++)
		m->update[i] = bxt_type_parse(m, c->sampled.updates[i].expression, "<update> of",
					      c->sampled.updates[i].of);
	return parse_reads(m);
}

/* An attribute of a delay: of parameters that are known before the run. */
static bxt_ex parse_of_parameters(struct bxt_type_maker *m, bxt_written w, const char *attribute)
{
	if (!w.text)
		return bxt_ex_const(m->g, 0);
	const bxt_ex f = bxt_type_parse(m, w, attribute, NULL);
	if (bxt_type_classes(m, f) & ~(uint32_t)ON_PARAMETER) {
		bxt_error(m->d, w.place,
			  "component '%s', <delay> %s: only parameters that do not depend on time "
			  "may stand in it",
			  m->c->name, attribute);
		m->errors++;
	}
	return f;
}

/* The inputs of delays, and their attributes that are known before the run. */
bxt_status bxt_type_delays(struct bxt_type_maker *m)
{
	const bxt_component *c = m->c;
	const int n = c->delayed.n_delays;
	m->delay = BXT_NEW(m->arena, bxt_ex, 3 * (size_t)n);
	m->k->delayed = BXT_NEW(m->arena, int, (size_t)n);
	if (!m->delay || !m->k->delayed)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++) {
		const bxt_delay *y = &c->delayed.delays[i];
		m->delay[i] = bxt_type_parse(m, y->expression, "<delay>", NULL);
		m->delay[n + i] = parse_of_parameters(m, y->before, "before");
		m->delay[2 * n + i] = parse_of_parameters(m, y->energy, "energy");
		for (int a = 0; a < m->k->n_own; a++)
			if (strcmp(c->coordinates[a].flow, y->name) == 0)
				m->k->delayed[i] = a;
	}
	return BXT_OK;
}

/* -D1 L_d - f^- and D2 L_d + f^+ (DL, section 4); the variables q and v hold q@0 and q@1. */
bxt_status bxt_type_discrete(struct bxt_type_maker *m)
{
	bxt_element_type *k = m->k;
	const bxt_component *c = m->c;
	if (!c->discrete.lagrangian.text && c->discrete.n_forces > 0) {
		bxt_error(m->d, c->discrete.forces[0].expression.place,
			  "component '%s': a <discrete-force> belongs to a <discrete-lagrangian>, "
			  "which is missing",
			  c->name);
		m->errors++;
	}
	if (!c->discrete.lagrangian.text)
		return BXT_OK;
	m->step.start = BXT_NEW(m->arena, bxt_ex, (size_t)k->nl);
	m->step.end = BXT_NEW(m->arena, bxt_ex, (size_t)k->nl);
	m->step.force_start = BXT_NEW(m->arena, bxt_ex, (size_t)k->nl);
	m->step.force_end = BXT_NEW(m->arena, bxt_ex, (size_t)k->nl);
	if (!m->step.start || !m->step.end || !m->step.force_start || !m->step.force_end)
		return BXT_ERR_MEMORY;
	for (int a = 0; a < k->nl; a++)
		m->step.force_start[a] = m->step.force_end[a] = bxt_ex_const(m->g, 0);
	m->parsing.discrete = true;
	const bxt_ex L =
		weigh(m, bxt_type_parse(m, c->discrete.lagrangian, "<discrete-lagrangian>", NULL));
	m->step.action = L;
	bxt_type_gradient(m, L, bxt_type_var_q(k), k->nl, m->step.start);
	bxt_type_gradient(m, L, bxt_type_var_v(k), k->nl, m->step.end);
	for (int a = 0; a < k->nl; a++)
		m->step.start[a] = bxt_ex_neg(m->g, m->step.start[a]);
	for (int i = 0; i < c->discrete.n_forces; i++) {
		const bxt_discrete_force *force = &c->discrete.forces[i];
		const int a = bxt_type_find_coordinate(m, force->on, force->expression.place,
						       "<discrete-force>");
		const bxt_ex f = weigh(
			m, bxt_type_parse(m, force->expression, "<discrete-force> on", force->on));
		if (a < 0)
			continue;
		bxt_ex *sum = force->at_end ? m->step.force_end : m->step.force_start;
		sum[a] = bxt_ex_add(m->g, sum[a], f);
		if (force->at_end)
			m->step.end[a] = bxt_ex_add(m->g, m->step.end[a], f);
		else
			m->step.start[a] = bxt_ex_sub(m->g, m->step.start[a], f);
	}
	m->parsing.discrete = false;
	return BXT_OK;
}

/* q@1 = q + h v, or from the end q@1 = q and q@0 = q - h v. */
void bxt_type_other_end(struct bxt_type_maker *m, bxt_ex *f, int n, bool back)
{
	const int nl = m->k->nl;
	int *vars = malloc((2 * (size_t)nl + 1) * sizeof *vars);
	bxt_ex *with = malloc((2 * (size_t)nl + 1) * sizeof *with);
	const bxt_ex h = bxt_ex_var(m->g, bxt_type_var_h(m->k));
	for (int a = 0; vars && with && a < nl; a++) {
		const bxt_ex q = bxt_type_q(m, a), hv = bxt_ex_mul(m->g, h, bxt_type_v(m, a));
		vars[2 * a] = bxt_type_var_q(m->k) + a;
		vars[2 * a + 1] = bxt_type_var_v(m->k) + a;
		with[2 * a] = back ? bxt_ex_sub(m->g, q, hv) : q;
		with[2 * a + 1] = back ? q : bxt_ex_add(m->g, q, hv);
	}
	if (vars && with)
		bxt_ex_substitute(m->g, f, n, vars, with, 2 * nl);
	else
		m->failed = true;
	free(vars);
	free(with);
}

/* Do the second derivatives by coordinates and time depend on parameters alone? */
static bool is_quadratic(struct bxt_type_maker *m, bxt_ex f)
{
	const bxt_element_type *k = m->k;
	for (int i = 0; i < m->c->n_parameters; i++) { /* a waveform need not be quadratic in t */
		bxt_ex slope = bxt_ex_const(m->g, 0);
		if (m->c->parameters[i].time)
			bxt_type_gradient(m, f, bxt_type_parameter(m->c, i), 1, &slope);
		if (!bxt_type_is_zero(m, slope))
			return false;
	}
	for (int a = 0; a <= k->nl; a++) {
		bxt_ex first, second;
		bxt_type_gradient(m, f, a < k->nl ? bxt_type_var_q(k) + a : bxt_type_var_t(k), 1,
				  &first);
		for (int b = 0; b <= k->nl; b++) {
			bxt_type_gradient(m, first,
					  b < k->nl ? bxt_type_var_q(k) + b : bxt_type_var_t(k), 1,
					  &second);
			if (bxt_type_classes(m, second) & ~(uint32_t)ON_PARAMETER)
				return false;
		}
	}
	return true;
}

/* An affine type may have an energy that is not quadratic, since forces can cancel its slopes. */
void bxt_type_judge_energy(struct bxt_type_maker *m)
{
	const int n = 2 * m->k->nl, first = bxt_type_var_q(m->k); /* q, then v */
	bxt_ex *slope = malloc(2 * (size_t)n * sizeof *slope + 1);
	bool quadratic = slope != NULL;
	m->failed = m->failed || !slope;
	if (slope)
		bxt_type_gradient(m, m->power.energy, first, n, slope);
	for (int a = 0; a < n && quadratic; a++) {
		bxt_type_gradient(m, slope[a], first, n, slope + n);
		for (int b = 0; b < n; b++) {
			if (bxt_type_is_zero(m, slope[n + b]))
				continue;
			quadratic =
				quadratic && !(bxt_type_classes(m, slope[n + b]) & (ON_Q | ON_V));
			m->k->coupled_energy |= a < b && b < m->k->nl;
		}
	}
	free(slope);
	m->k->quadratic_energy = quadratic;
}

/* The multiplier of a row acts on all coordinates whose flows occur in it, including those of
 * signals. */
static void refuse_signals(struct bxt_type_maker *m, bxt_ex row, const bxt_constraint *con)
{
	for (int a = 0; a < m->k->n_own; a++) {
		const bxt_coordinate *q = &m->c->coordinates[a];
		if (!bxt_role_is_signal(q->role) ||
		    !bxt_ex_depends(m->g, row, bxt_type_var_v(m->k) + a))
			continue;
		bxt_error(m->d, con->expression.place,
			  "component '%s', <constraint> '%s': it reads the signal '%s', on whose "
			  "maker its multiplier would act back; a flow f that follows a signal "
			  "needs a coordinate s with <lagrangian>s*f</lagrangian> and <force "
			  "on=\"s\">-%s</force>, as current-actuator has",
			  m->c->name, con->name, q->flow, q->flow);
		m->errors++;
	}
}

/* The row A(q) v - b(q,t) of a constraint; for a position constraint dphi/dt. */
static bxt_ex constraint_row(struct bxt_type_maker *m, int r)
{
	const bxt_constraint *con = &m->c->constraints[r];
	bxt_element_type *k = m->k;
	if (con->input > 0)
		return bxt_type_input_row(m, con->input - 1);
	bxt_ex f = bxt_type_parse(m, con->expression, "<constraint>", con->name);
	refuse_signals(m, f, con);
	if (con->position) {
		if (bxt_type_classes(m, f) & ON_V) {
			bxt_error(m->d, con->expression.place,
				  "component '%s', <constraint> '%s': a position constraint "
				  "contains no flows",
				  m->c->name, con->name);
			m->errors++;
		}
		m->phi[r] = f;
		k->quadratic_positions = k->quadratic_positions && is_quadratic(m, f);
		return bxt_ex_add(m->g, gradient_dot(m, f, bxt_type_var_q(k), k->nl, bxt_type_v),
				  time_rate(m, f));
	}
	return f;
}

/* The flow into a balance port: its expression, or plus or minus the output of an input. */
static bxt_ex port_flow(struct bxt_type_maker *m, const bxt_port *port)
{
	if (port->input == 0)
		return weigh(m, bxt_type_parse(m, port->flow, "flow of port", port->name));
	const bxt_ex y = bxt_type_output_flow(m, abs(port->input) - 1);
	return port->input > 0 ? y : bxt_ex_neg(m->g, y);
}

/* Reports rows that are not affine in flows and port flows with a part that contains no flow. */
static void check_row(struct bxt_type_maker *m, bxt_ex row, const bxt_ex *slope, bxt_place place,
		      const char *what, const char *name, bool homogeneous)
{
	uint32_t mask = 0;
	for (int a = 0; a < m->k->nl; a++)
		mask |= bxt_type_classes(m, slope[a]);
	if (mask & ON_V) {
		bxt_error(m->d, place, "component '%s', %s '%s': must be affine in the flows",
			  m->c->name, what, name);
		m->errors++;
	} else if (homogeneous && !bxt_type_is_zero(m, bxt_type_at_rest(m, row))) {
		bxt_error(
			m->d, place,
			"component '%s', %s '%s': the flow must vanish with the coordinates' flows",
			m->c->name, what, name);
		m->errors++;
	}
}

/* Is dL/dv linear in the flows, with coefficients that depend on parameters alone? */
static bool has_constant_inertia(struct bxt_type_maker *m)
{
	const int nl = m->k->nl;
	for (int a = 0; a < nl; a++) {
		if (bxt_type_classes(m, m->P[a]) & ~(uint32_t)(ON_PARAMETER | ON_V) ||
		    !bxt_type_is_zero(m, bxt_type_at_rest(m, m->P[a])) ||
		    !bxt_type_is_affine(m, m->P[a], bxt_type_var_v(m->k), nl))
			return false;
	}
	return true;
}

/* Are positions at most quadratic and free of time, and other rows constant? */
static bool has_lasting_rows(const struct bxt_type_maker *m)
{
	const bxt_element_type *k = m->k;
	if (!k->quadratic_positions)
		return false;
	for (int r = 0; r < k->ml; r++) {
		const bool position = r < k->n_constraint && m->c->constraints[r].position;
		const uint32_t may = ON_PARAMETER | (position ? ON_Q : ON_V);
		if (bxt_type_classes(m, position ? m->phi[r] : m->C[r]) & ~may)
			return false;
	}
	return true;
}

/* Ports that share a coordinate form a group, balanced when its slopes sum to zero. */
static void group_ports(bxt_element_type *k, const bxt_ex *slope, struct bxt_type_maker *m)
{
	bxt_graph *g = m->g;
	const int n_port = k->ml - k->n_constraint;
	for (int p = 0; p < n_port; p++)
		k->port_group[p] = p;
	for (int a = 0; a < k->nl; a++)
		for (int p = 0, first = -1; p < n_port; p++) {
			if (bxt_type_is_zero(m,
					     slope[(size_t)(k->n_constraint + p) * (size_t)k->nl +
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
			if (bxt_type_is_zero(m, sum))
				continue;
			for (int i = n_port - 1; i >= 0; i--)
				if (k->port_group[i] == p)
					k->port_group[i] = -1;
		}
}

/* C and K (see element_type.h); the slopes dC/dv decide the groups of ports. */
bxt_status bxt_type_rows(struct bxt_type_maker *m)
{
	bxt_element_type *k = m->k;
	bxt_graph *g = m->g;
	bxt_ex *slope = calloc((size_t)k->ml * (size_t)k->nl + 1, sizeof *slope);
	if (!slope)
		return BXT_ERR_MEMORY;
	m->power.constraint = m->power.ports = m->power.friction = bxt_ex_const(g, 0);
	for (int a = 0; a < k->nl; a++)
		m->K[a] = bxt_ex_const(g, 0);
	k->constant_rows = k->quadratic_positions = true;
	for (int r = 0; r < k->n_constraint; r++)
		m->phi[r] = bxt_ex_const(g, 0);
	for (int r = 0; r < k->ml; r++) {
		const bool own = r < k->n_constraint;
		const bxt_constraint *con = own ? &m->c->constraints[r] : NULL;
		const bxt_port *port =
			own ? NULL : &m->c->ports[k->origin.port_of_row[r - k->n_constraint]];
		bxt_ex *s = slope + (size_t)r * (size_t)k->nl;
		m->C[r] = own ? constraint_row(m, r) : port_flow(m, port);
		bxt_type_gradient(m, m->C[r], bxt_type_var_v(k), k->nl, s);
		check_row(m, m->C[r], s, own ? con->expression.place : port->flow.place,
			  own ? "<constraint>" : "<port>", own ? con->name : port->name, !own);
		bxt_ex lambda = bxt_ex_var(g, bxt_type_var_lambda(k) + r);
		for (int a = 0; a < k->nl; a++) { /* K = (dC/dv)^T lambda */
			m->K[a] = bxt_ex_add(g, m->K[a], bxt_ex_mul(g, s[a], lambda));
			if (bxt_type_classes(m, s[a]) & ~(uint32_t)ON_PARAMETER)
				k->constant_rows = false;
		}
		if (own) /* lambda.(A v) = lambda.b: power of a prescribed motion */
			m->power.constraint =
				bxt_ex_sub(g, m->power.constraint,
					   bxt_ex_mul(g, lambda, bxt_type_at_rest(m, m->C[r])));
		else /* lambda_node times the flow in */
			m->power.ports =
				bxt_ex_add(g, m->power.ports, bxt_ex_mul(g, lambda, m->C[r]));
		if (own)
			bxt_type_bound_row(m, r, s);
	}
	add_power_of_momenta(m);
	k->quadratic_motion =
		m->c->n_momenta == 0 && has_constant_inertia(m) && has_lasting_rows(m);
	/* v.(p' - F - A^T lambda) of coordinates that are not its own: power from other elements */
	m->power.shared = m->power.impulse_shared = bxt_ex_const(g, 0);
	for (int a = k->n_own; a < k->nl; a++) {
		const bxt_ex v = bxt_type_v(m, a), force = bxt_ex_sub(g, m->D[a], m->F[a]);
		m->power.shared = bxt_ex_add(g, m->power.shared, bxt_ex_mul(g, v, force));
		m->power.impulse_shared =
			bxt_ex_sub(g, m->power.impulse_shared, bxt_ex_mul(g, v, m->K[a]));
	}
	group_ports(k, slope, m);
	free(slope);
	return BXT_OK;
}
