/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads <sigma>, <transformer> and <gyrator>: rows and two-forms over any exported ports. A <sigma>
 * is a row sum weight_k(q) v_k = 0 of Sigma_Q.
 */
#include "model/builder/port_names.h"

#include <math.h>
#include <string.h>

/* ---- <sigma> ---- */

/* A parsed row, f = sum weight_k(q) v_k, in the variables of its port names. */
struct row {
	bxt_ex f, *weight; /* (n) by quantity */
	double *constant;  /* (n) */
	bool is_constant;
};

/* Does an expression depend on no variable? Then its value, which may be infinite. */
static bool is_number(struct bxt_port_names *w, bxt_ex f, double *value)
{
	for (int v = 0; v < 2 * (int)w->n; v++)
		if (bxt_ex_depends(w->g, f, v))
			return false;
	*value = bxt_ex_value(w->g, f, NULL);
	return true;
}

/* Finds constant weights; false after a finding. Values that are not finite are not folded. */
static bool find_weights(struct bxt_port_names *w, struct row *r)
{
	r->is_constant = true;
	for (size_t k = 0; k < w->n; k++) {
		if (!is_number(w, r->weight[k], &r->constant[k])) {
			r->is_constant = false;
			continue;
		}
		if (!isfinite(r->constant[k])) {
			bxt_error(w->b->d, w->item->place,
				  "<sigma>: a coefficient of the row is not finite");
			return false;
		}
	}
	return true;
}

/* False after a finding. */
static bool check_linear(struct bxt_port_names *w, struct row *r)
{
	bxt_builder *b = w->b;
	const int n = (int)w->n;
	bool *flows = BXT_NEW(b->scratch, bool, 2 * w->n);
	int *vars = BXT_NEW(b->scratch, int, w->n);
	bxt_ex *zeros = BXT_NEW(b->scratch, bxt_ex, w->n), rest = r->f;
	double left_over = 0;
	r->weight = BXT_NEW(b->scratch, bxt_ex, w->n);
	r->constant = BXT_NEW(b->scratch, double, w->n);
	if (!flows || !vars || !zeros || !r->weight || !r->constant)
		return !(b->failed = true);
	for (int k = 0; k < n; k++) {
		flows[2 * k + 1] = true;
		vars[k] = 2 * k + 1;
		zeros[k] = bxt_ex_const(w->g, 0);
	}
	bxt_ex_substitute(w->g, &rest, 1, vars, zeros, n);
	const bool linear = bxt_ex_affine(w->g, r->f, flows, 2 * n);
	if (bxt_graph_failed(w->g))
		return !(b->failed = true);
	if (!linear) {
		bxt_error(b->d, w->item->place,
			  "<sigma>: the row must be linear in the flows of ports; its coefficients "
			  "may depend on coordinates");
		return false;
	}
	bxt_ex_gradient(w->g, r->f, vars, n, r->weight);
	if (bxt_graph_failed(w->g))
		return !(b->failed = true);
	if (!find_weights(w, r))
		return false;
	if (!bxt_ex_is_const(w->g, rest, &left_over))
		bxt_error(b->d, w->item->place,
			  "<sigma>: a term of the row has no flow; Sigma_Q is linear");
	else if (left_over != 0)
		bxt_error(b->d, w->item->place,
			  "<sigma>: the row has the constant term %g; Sigma_Q is linear",
			  left_over);
	else
		return true;
	return false;
}

/* Coefficients of flows of different port kinds have units, which a bare number cannot express. */
static bool check_kinds(struct bxt_port_names *w, const struct row *r, bool si)
{
	int first = -1;
	bool ok = true;
	for (size_t k = 0; k < w->n; k++) {
		double value;
		if (bxt_ex_is_const(w->g, r->weight[k], &value) && value == 0)
			continue;
		const bxt_port_kind *kind = bxt_port_names_kind(w, w->quantity[k].port);
		if (first < 0) {
			first = (int)k;
		} else if (!si && kind != bxt_port_names_kind(w, w->quantity[first].port)) {
			bxt_error(w->b->d, w->item->place,
				  "<sigma>: '%s' is %s, but '%s' before it is %s; write "
				  "units=\"SI\" when the coefficients are meant in SI units, or a "
				  "<transformer>, whose ratio has a unit",
				  bxt_port_names_said(w, 2 * (int)k + 1), kind->name,
				  bxt_port_names_said(w, 2 * first + 1),
				  bxt_port_names_kind(w, w->quantity[first].port)->name);
			ok = false;
		}
	}
	if (first < 0)
		bxt_error(w->b->d, w->item->place,
			  "<sigma>: the row holds no flow of a port (as in a.s.i - 2*b.s.i)");
	return ok && first >= 0;
}

/* Constant rows over one balance kind need no expressions: they are entries of A. */
static bool is_plain(const struct bxt_port_names *w, const struct row *r)
{
	const bxt_port_kind *kind = bxt_port_names_kind(w, w->quantity[0].port);
	bool plain = r->is_constant && kind->type == BXT_PORT_BALANCE;
	for (size_t k = 0; k < w->n; k++)
		plain = plain && bxt_port_names_kind(w, w->quantity[k].port) == kind;
	return plain;
}

static bxt_status take_weights(struct bxt_port_names *w, const struct row *r, int connection)
{
	bxt_connection *c = &w->b->net->connections[connection];
	c->kind = bxt_port_names_kind(w, w->quantity[0].port);
	c->term = BXT_NEW(w->b->arena, int, w->n);
	c->weight = BXT_NEW(w->b->arena, double, w->n);
	if (!c->term || !c->weight)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < w->n; k++)
		if (r->constant[k] != 0) {
			c->term[c->n_term] = w->quantity[k].port;
			c->weight[c->n_term++] = r->constant[k];
		}
	bxt_build_take_ports(w->b, c, connection);
	return BXT_OK;
}

static bxt_status read_row(struct bxt_port_names *w, const char *text, bool si, int connection)
{
	struct row r = {0};
	if (!bxt_port_names_parse(w, text, &r.f) || !check_linear(w, &r) || !check_kinds(w, &r, si))
		return w->b->failed ? BXT_ERR_MEMORY : BXT_OK;
	if (is_plain(w, &r))
		return take_weights(w, &r, connection);
	const char *row = bxt_port_names_text(w, r.f);
	const bxt_interaction what = {.name = "sigma",
				      .port = w->port,
				      .n_port = (int)w->n_port,
				      .row = &row,
				      .n_row = 1};
	return row ? bxt_build_interaction(w->b, &what, connection) : BXT_ERR_MEMORY;
}

/* <sigma id>a.s.i - 2*b.s.i</sigma>: a row of Sigma_Q, the expression vanishes. */
bxt_status bxt_build_sigma(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct bxt_port_names w;
	int connection;
	const char *text = bxt_item_content(b->scratch, item), *units = bxt_item_get(item, "units");
	bxt_build_attributes(b, item);
	if (units && strcmp(units, "SI") != 0)
		bxt_error(b->d, item->place, "<sigma>: units '%s': only \"SI\" can be meant",
			  units);
	BXT_TRY(bxt_build_joint(b, item, primitive, &connection));
	bxt_status status =
		text && bxt_port_names_begin(&w, b, item, primitive) ? BXT_OK : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		return status;
	status = read_row(&w, text, units != NULL, connection);
	bxt_port_names_end(&w);
	return status;
}

/* ---- <transformer> and <gyrator> ---- */

/*
 * The quantity of an attribute: "SUBSYSTEM.PORT", with a flow if the port has several; -1 after a
 * finding.
 */
static int read_side(struct bxt_port_names *w, const char *attribute)
{
	bxt_builder *b = w->b;
	const char *text = bxt_item_get(w->item, attribute);
	const char *dot = text ? strrchr(text, '.') : NULL;
	if (!text) {
		bxt_error(b->d, w->item->place, "<%s> needs %s=\"SUBSYSTEM.PORT\"", w->item->name,
			  attribute);
		return -1;
	}
	for (int i = 0; dot && i < bxt_port_kind_count; i++) /* "arm.tip.vx" */
		for (int s = 0; s < bxt_port_kinds[i].n && bxt_port_kinds[i].n > 1; s++)
			if (strcmp(dot + 1, bxt_port_kinds[i].flow[s]) == 0) {
				const int v = bxt_port_names_find(w, text);
				return v < 0 ? -1 : v / 2;
			}
	const int port = bxt_build_find_port(b, w->primitive, text, w->item->place);
	const bxt_port_kind *kind = port >= 0 ? bxt_port_names_kind(w, port) : NULL;
	if (kind && kind->n > 1)
		bxt_error(b->d, w->item->place,
			  "<%s>: port '%s' is %s and has several flows: write %s=\"%s.%s\"",
			  w->item->name, text, kind->name, attribute, text, kind->flow[0]);
	return kind && kind->n == 1 ? bxt_port_names_quantity(w, port, 0) : -1;
}

/*
 * The ratio: a value with a unit, or an expression in the ports' coordinates. *text is then the
 * expression, else "ratio". False after findings.
 */
static bool read_ratio(struct bxt_port_names *w, const char *unit, double *value, const char **text)
{
	bxt_builder *b = w->b;
	const char *given = bxt_item_get(w->item, "ratio");
	bxt_ex f;
	*text = "ratio";
	if (!given)
		bxt_error(b->d, w->item->place, "<%s> needs ratio=\"NUMBER %s\"", w->item->name,
			  unit);
	if (!given)
		return false;
	if (given[0] != '=')
		return bxt_build_value(b, given, unit,
				       bxt_build_describe(b, w->item, "parameter", "ratio"),
				       w->item->place, value);
	w->no_flows = true;
	if (!bxt_port_names_parse(w, given + 1, &f))
		return false;
	if (is_number(w, f, value)) {
		if (!isfinite(*value))
			bxt_error(b->d, w->item->place, "<%s>: the ratio is not finite",
				  w->item->name);
		return isfinite(*value);
	}
	*text = bxt_port_names_text(w, f);
	return *text != NULL;
}

/* Reads both sides and the ratio, whose unit is that of the first quantity by the second's. */
static bxt_status read_two(struct bxt_port_names *w, bool turns, int connection)
{
	bxt_builder *b = w->b;
	const int i = read_side(w, "a"), j = read_side(w, "b");
	if (i < 0 || j < 0)
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	if (i == j) {
		bxt_error(b->d, w->item->place, "<%s> joins '%s' with itself", w->item->name,
			  bxt_item_get(w->item, "a"));
		return BXT_OK;
	}
	const struct bxt_port_quantity a = w->quantity[i], z = w->quantity[j];
	const bxt_port_kind *of_a = bxt_port_names_kind(w, a.port),
			    *of_z = bxt_port_names_kind(w, z.port);
	const char *numerator = turns ? of_a->effort_unit[a.sub] : of_a->flow_unit[a.sub];
	const char *unit = of_a == of_z && !turns && a.sub == z.sub
				   ? "1"
				   : bxt_arena_printf(b->arena, "(%s)/(%s)", numerator,
						      of_z->flow_unit[z.sub]);
	double ratio = 0;
	const char *text;
	if (!unit)
		return BXT_ERR_MEMORY;
	if (!read_ratio(w, unit, &ratio, &text))
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	const char *row =
		bxt_arena_printf(b->arena, "%s - (%s)*%s", bxt_port_names_local(w, 2 * i + 1), text,
				 bxt_port_names_local(w, 2 * j + 1));
	const bxt_turn turn = {bxt_arena_strdup(b->arena, bxt_port_names_local(w, 2 * i)),
			       bxt_arena_strdup(b->arena, bxt_port_names_local(w, 2 * j)), text};
	const bxt_interaction what = {.name = w->item->name,
				      .port = w->port,
				      .n_port = (int)w->n_port,
				      .row = &row,
				      .n_row = !turns,
				      .turn = &turn,
				      .n_turn = turns,
				      .ratio_unit = strcmp(text, "ratio") == 0 ? unit : NULL,
				      .ratio = ratio};
	if (!row || !turn.a || !turn.b || b->failed)
		return BXT_ERR_MEMORY;
	return bxt_build_interaction(b, &what, connection);
}

static bxt_status build_two(bxt_builder *b, const bxt_item *item, int primitive, bool turns)
{
	struct bxt_port_names w;
	int connection;
	bxt_build_attributes(b, item);
	bxt_build_no_text(b, item);
	BXT_TRY(bxt_build_joint(b, item, primitive, &connection));
	if (!bxt_port_names_begin(&w, b, item, primitive))
		return BXT_ERR_MEMORY;
	const bxt_status status = read_two(&w, turns, connection);
	bxt_port_names_end(&w);
	return status;
}

/* <transformer id a b ratio>: flow_a = ratio flow_b, and so effort_b = -ratio effort_a. */
bxt_status bxt_build_transformer(bxt_builder *b, const bxt_item *item, int primitive)
{
	return build_two(b, item, primitive, false);
}

/* <gyrator id a b ratio>: effort_a = -ratio flow_b, effort_b = ratio flow_a. */
bxt_status bxt_build_gyrator(bxt_builder *b, const bxt_item *item, int primitive)
{
	return build_two(b, item, primitive, true);
}
