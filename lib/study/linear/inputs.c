/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inputs: parameters of elements, inputs of the netlist with the parameters that follow them, and
 * signals. dr/du and dr/du' are symbolic derivatives of the contributions of each element
 * (element/slopes.h).
 */
#include "ground/base/text.h"
#include "model/element/slopes.h"
#include "model/names/path_end.h"
#include "model/network/parameters.h"
#include "study/linear/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names ---- */

/* State of the search for one name. */
struct search {
	const char *name;
	bool exact;
	int found;      /* candidates that match */
	long parameter; /* of the list, or -1 */
	int input;      /* or -1 */
	const char *path, *unit;
	bxt_nearest_search near;
};

static void offer(struct search *s, const char *path, long parameter, int input, const char *unit)
{
	const bool exact = strcmp(path, s->name) == 0;
	bxt_nearest_offer(&s->near, path);
	if (bxt_path_fits_text(path, s->name) == BXT_PATH_OTHER || (s->exact && !exact))
		return;
	s->found = exact && !s->exact ? 1 : s->found + 1;
	s->exact = exact;
	s->parameter = parameter;
	s->input = input;
	s->path = path;
	s->unit = unit;
}

static bxt_status look(const bxt_linear *l, struct search *s, const bxt_parameter_ref *list,
		       size_t n)
{
	const bxt_network *net = l->s->net;
	bxt_buffer path = {0};
	bool failed = false;
	for (size_t i = 0; i < n && !failed; i++) {
		char *text = bxt_arena_strdup(l->arena, bxt_parameter_path(net, &list[i], &path));
		failed = path.failed || !text;
		if (!failed)
			offer(s, text, (long)i, -1,
			      list[i].declared ? list[i].declared->si
					       : net->parameters[list[i].index].unit);
	}
	for (int k = 0; k < net->n_given; k++)
		offer(s, net->inputs[k].path, -1, k, net->inputs[k].unit);
	bxt_buffer_free(&path);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* ---- The effect of an input ---- */

static bxt_status add_term(bxt_linear_input *in, int element, int index, double weight)
{
	BXT_TRY(BXT_GROW(in->term, in->c_term, (size_t)in->n + 1));
	in->term[in->n++] = (bxt_linear_term){element, index, weight};
	return BXT_OK;
}

/* The parameters that follow an input of the netlist, by the slope of their expression now. */
static bxt_status follow_input(const bxt_linear *l, int input, bxt_linear_input *in)
{
	const bxt_network *net = l->s->net;
	const int variable = bxt_input_variable(input, BXT_INPUT_VALUE);
	double *slope = BXT_NEW(l->arena, double, (size_t)net->timed.n);
	bxt_graph *g = bxt_graph_new();
	bxt_status status = slope && g ? BXT_OK : BXT_ERR_MEMORY;
	const int n_var = bxt_input_variable(net->n_inputs, 0);
	double *values = BXT_NEW(l->arena, double, (size_t)n_var);
	if (!values)
		status = BXT_ERR_MEMORY;
	for (int v = 0; v < n_var && status == BXT_OK; v++)
		values[v] = *l->e->signal_in[v];
	for (int k = 0; k < net->timed.n && status == BXT_OK; k++) {
		bxt_ex f = net->timed.expression[k], df;
		status = bxt_ex_copy(g, net->timed.graph, &f, 1);
		if (status != BXT_OK)
			break;
		bxt_ex_gradient(g, f, &variable, 1, &df);
		slope[k] = bxt_ex_value(g, df, values);
	}
	if (status == BXT_OK && bxt_graph_failed(g))
		status = BXT_ERR_MEMORY;
	bxt_graph_free(g);
	for (size_t i = 0; i < net->n_elements && status == BXT_OK; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_component *c = net->types[e->type]->component;
		for (int k = 0, p = 0; k < c->n_parameters && e->signal; k++) {
			if (c->parameters[k].of)
				continue;
			const int signal = e->signal[p++];
			if (status == BXT_OK && signal >= 0 && slope[signal] != 0)
				status = add_term(in, (int)i, p - 1, slope[signal]);
		}
	}
	return status;
}

double *bxt_linear_variables(const bxt_linear *l, int element)
{
	const bxt_system *s = l->s;
	const int g = s->of_element.group[element], place = s->of_element.place[element];
	const bxt_group *group = &s->groups[g];
	const bxt_element_type *type = group->type;
	const size_t rows = (size_t)(type->n_parameter + type->n_hoisted);
	const double *block = l->e->parameter[g] + (size_t)(place / BXT_LANES) * rows * BXT_LANES +
			      place % BXT_LANES;
	double *values = malloc(((size_t)bxt_type_var_hoisted(type) + 1) * sizeof *values);
	if (!values)
		return NULL;
	for (int i = 0; i < type->n_parameter; i++)
		values[i] = block[(size_t)i * BXT_LANES];
	for (int a = 0; a < type->nl; a++) {
		values[bxt_type_var_q(type) + a] = l->at.q[group->at[a][place]];
		values[bxt_type_var_v(type) + a] = l->at.x[group->at[a][place]];
	}
	for (int r = 0; r < type->ml; r++)
		values[bxt_type_var_lambda(type) + r] = l->at.x[group->at[type->nl + r][place]];
	values[bxt_type_var_t(type)] = l->at.t;
	values[bxt_type_var_h(type)] = l->simulation->settings.step;
	return values;
}

/*
 * to[x index] += weight times the derivatives of a function of the element with respect to a
 * parameter.
 */
static bxt_status add_slopes(const bxt_linear *l, const bxt_linear_term *term, bxt_function f,
			     const double *values, double *to)
{
	const bxt_system *s = l->s;
	const bxt_group *group = &s->groups[s->of_element.group[term->element]];
	const int place = s->of_element.place[term->element];
	const int n = bxt_function_count(group->type, f);
	const int first = f == BXT_FUNCTION_ROW || f == BXT_FUNCTION_POSITION ? group->type->nl : 0;
	double *slopes = malloc(((size_t)n + 1) * sizeof *slopes);
	const bxt_slopes_def def = {f, 0, n, &term->index, 1};
	bxt_status status =
		slopes ? bxt_type_slopes(group->type, &def, values, slopes) : BXT_ERR_MEMORY;
	for (int i = 0; i < n && status == BXT_OK; i++)
		to[group->at[first + i][place]] += term->weight * slopes[i];
	free(slopes);
	return status;
}

static bxt_status differentiate(const bxt_linear *l, bxt_linear_input *in)
{
	in->rest = BXT_NEW(l->arena, double, (size_t)l->s->size);
	in->rate = BXT_NEW(l->arena, double, (size_t)l->s->size);
	if (!in->rest || !in->rate)
		return BXT_ERR_MEMORY;
	bxt_status status = BXT_OK;
	for (int i = 0; i < in->n && status == BXT_OK; i++) {
		const bxt_linear_term *term = &in->term[i];
		double *values = bxt_linear_variables(l, term->element);
		status = values ? BXT_OK : BXT_ERR_MEMORY;
		if (status == BXT_OK)
			status = add_slopes(l, term, BXT_FUNCTION_BALANCE, values, in->rest);
		if (status == BXT_OK)
			status = add_slopes(l, term, BXT_FUNCTION_ROW, values, in->rest);
		if (status == BXT_OK)
			status = add_slopes(l, term, BXT_FUNCTION_MOMENTUM, values, in->rate);
		if (status == BXT_OK)
			status = add_slopes(l, term, BXT_FUNCTION_POSITION, values, in->rate);
		free(values);
	}
	in->rest[l->s->spare] = in->rate[l->s->spare] = 0;
	return status;
}

static bool changes_nothing(const bxt_linear *l, int input)
{
	const bxt_linear_input *in = &l->input[input];
	for (int i = 0; i < l->s->spare; i++)
		if (in->rest[i] != 0 || in->rate[i] != 0)
			return false;
	for (size_t k = 0; k < l->delays.n_inputs; k++)
		if (l->delays.input[k].input == input)
			return false;
	return true;
}

void bxt_linear_check_inputs(const bxt_linear *l, bxt_diagnostics *d)
{
	for (int k = 0; k < l->n_inputs; k++)
		if (changes_nothing(l, k))
			bxt_warning(d, BXT_NOWHERE,
				    "--from: no equation changes with '%s' at the start: it causes "
				    "nothing",
				    l->input[k].name.name);
}

/*
 * Derivatives of one function with respect to the parameter of a term, at the point and beside it;
 * *vary: they differ.
 */
static bxt_status compare_points(const bxt_linear *l, const bxt_linear_term *term, bxt_function f,
				 bool *vary)
{
	const bxt_system *s = l->s;
	const bxt_element_type *type = s->groups[s->of_element.group[term->element]].type;
	const int n = bxt_function_count(type, f);
	const bxt_slopes_def def = {f, 0, n, &term->index, 1};
	double *values = bxt_linear_variables(l, term->element);
	double *slopes = malloc((2 * (size_t)n + 1) * sizeof *slopes);
	bxt_status status =
		values && slopes ? bxt_type_slopes(type, &def, values, slopes) : BXT_ERR_MEMORY;
	for (int i = bxt_type_var_q(type); i < bxt_type_var_t(type) && values; i++)
		values[i] += 1 + fabs(values[i]) / 8;
	if (status == BXT_OK)
		status = bxt_type_slopes(type, &def, values, slopes + n);
	for (int i = 0; i < n && status == BXT_OK; i++)
		*vary = *vary || slopes[i] != slopes[n + i];
	free(values);
	free(slopes);
	return status;
}

bxt_status bxt_linear_inputs_vary(const bxt_linear *l, bool *vary)
{
	static const bxt_function of[] = {BXT_FUNCTION_BALANCE, BXT_FUNCTION_ROW,
					  BXT_FUNCTION_MOMENTUM, BXT_FUNCTION_POSITION};
	*vary = l->delays.n_inputs > 0;
	for (int k = 0; k < l->n_inputs; k++)
		for (int i = 0; i < l->input[k].n; i++)
			for (size_t f = 0; f < sizeof of / sizeof *of && !*vary; f++)
				BXT_TRY(compare_points(l, &l->input[k].term[i], of[f], vary));
	return BXT_OK;
}

/* ---- Signals ---- */

/* The coordinate whose flow is the signal of that name, in D; -1: there is none. */
static int find_signal(const bxt_linear *l, const char *name)
{
	const bxt_system *s = l->s;
	const bxt_network *net = s->net;
	bxt_names names;
	bxt_designator d;
	bxt_names_begin(&names, net, l->arena);
	const bool found = bxt_names_find(&names, 0, name, &d) == BXT_NAME_GOOD &&
			   d.word == BXT_WORD_FLOW &&
			   (d.owner == BXT_OWNER_ELEMENT || d.owner == BXT_OWNER_SIGNAL);
	bxt_names_end(&names);
	if (!found)
		return -1;
	const bool own = d.owner == BXT_OWNER_ELEMENT;
	const int element = own ? d.element : net->signal_ids[d.element].element;
	const int local = own ? d.index : net->signal_ids[d.element].coordinate;
	const bxt_component *c = net->types[net->elements[element].type]->component;
	if (local >= c->n_coordinates || (c->coordinates[local].role != BXT_SIGNAL_IN &&
					  c->coordinates[local].role != BXT_SIGNAL_OUT))
		return -1;
	return s->where.first_coord[element] + local;
}

/* u is added to the value of the signal: y = f + u, whose row is y - f. */
static bxt_status add_signal(bxt_linear *l, const char *name, int coord)
{
	const bxt_system *s = l->s;
	BXT_TRY(BXT_GROW(l->input, l->c_input, (size_t)l->n_inputs + 1));
	bxt_linear_input *in = &l->input[l->n_inputs++];
	const char *unit =
		bxt_unit_of_coordinate(l->arena, s->net, &s->dirac.coord[coord], BXT_OF_FLOW).text;
	in->name = (bxt_column){sizeof(bxt_column), name, unit};
	in->rest = BXT_NEW(l->arena, double, (size_t)s->size);
	in->rate = BXT_NEW(l->arena, double, (size_t)s->size);
	if (!unit || !in->rest || !in->rate)
		return BXT_ERR_MEMORY;
	in->rest[s->x_of_coord[coord]] = -1;
	return BXT_OK;
}

/* ---- The list ---- */

static bxt_status add_input(bxt_linear *l, const char *name, const bxt_parameter_ref *list,
			    size_t n, bxt_diagnostics *d)
{
	struct search s = {.name = name, .parameter = -1, .input = -1, .near = {.name = name}};
	BXT_TRY(look(l, &s, list, n));
	const int signal = s.found == 0 ? find_signal(l, name) : -1;
	if (signal >= 0)
		return add_signal(l, name, signal);
	if (s.found != 1) {
		bxt_error(d, BXT_NOWHERE,
			  s.found > 1 ? "--from: '%s' is the name of several parameters: write "
					"its whole path%s"
				      : "--from: '%s' is no numeric parameter of an element, no "
					"<input> and no signal%s",
			  name, s.found > 1 ? "" : bxt_did_you_mean(l->arena, s.near.best));
		return BXT_ERR_MODEL;
	}
	if (s.parameter >= 0 && list[s.parameter].element < 0) {
		bxt_error(
			d, BXT_NOWHERE,
			"--from: '%s' is a parameter of a netlist, which expressions read when it "
			"is compiled: name the parameters of elements that follow it",
			name);
		return BXT_ERR_MODEL;
	}
	BXT_TRY(BXT_GROW(l->input, l->c_input, (size_t)l->n_inputs + 1));
	bxt_linear_input *in = &l->input[l->n_inputs++];
	in->name = (bxt_column){sizeof(bxt_column), s.path, s.unit ? s.unit : ""};
	if (s.parameter >= 0)
		BXT_TRY(add_term(in, list[s.parameter].element, list[s.parameter].index, 1));
	else
		BXT_TRY(follow_input(l, s.input, in));
	return differentiate(l, in);
}

bxt_status bxt_linear_find_inputs(bxt_linear *l, const char *from, bxt_diagnostics *d)
{
	bxt_parameter_ref *list;
	size_t n;
	int words;
	char **word = bxt_split_words(l->arena, from, BXT_BLANKS_AND_COMMAS, &words);
	bxt_status worst = BXT_OK;
	if (!from)
		return BXT_OK;
	BXT_TRY(bxt_arena_status(l->arena));
	BXT_TRY(bxt_network_parameters(l->s->net, l->arena, &list, &n));
	for (int k = 0; k < words; k++) {
		const bxt_status status = add_input(l, word[k], list, n, d);
		if (status != BXT_OK && status != BXT_ERR_MODEL)
			return status;
		worst = worst == BXT_OK ? status : worst;
	}
	return worst;
}

void bxt_linear_release_inputs(bxt_linear *l)
{
	for (int k = 0; k < l->n_inputs; k++)
		free(l->input[k].term);
	free(l->input);
}
