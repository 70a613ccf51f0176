/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The vector fields of a component's symmetries. */
#include "model/element/element_internal.h"

#include <stdlib.h>

static void refuse(struct bxt_type_maker *m, const bxt_symmetry *s, const bxt_generator *g,
		   const char *what)
{
	bxt_error(
		m->d, g->expression.place,
		"component '%s', <symmetry> '%s', <generator> on '%s': %s: a vector field is made "
		"of coordinates and parameters",
		m->c->name, s->name, g->on, what);
	m->errors++;
}

static bxt_ex parse_generator(struct bxt_type_maker *m, const bxt_symmetry *s,
			      const bxt_generator *g)
{
	const int before = m->errors;
	const bxt_ex f = bxt_type_parse(m, g->expression, "<generator> on", g->on);
	const uint32_t classes = bxt_type_classes(m, f);
	if (m->errors == before && classes & ON_V)
		refuse(m, s, g, "it contains a flow");
	if (m->errors == before && classes & ON_TIME)
		refuse(m, s, g, "it depends on the time");
	return f;
}

static bxt_status make_field(struct bxt_type_maker *m, const bxt_symmetry *s, int *on, bxt_ex *xi)
{
	bxt_element_type *k = m->k;
	bxt_field *field = &k->fields[k->n_fields];
	int n = 0;
	for (int i = 0; i < s->n_generators; i++) {
		const bxt_generator *g = &s->generators[i];
		const int a =
			bxt_type_find_coordinate(m, g->on, g->expression.place, "<generator>");
		const bxt_ex f = parse_generator(m, s, g);
		if (a < 0)
			continue;
		on[n] = a;
		xi[n++] = f;
	}
	*field = (bxt_field){.name = s->name,
			     .doc = s->doc,
			     .place = s->place,
			     .n_parameter = k->n_parameter,
			     .nl = k->nl};
	if (m->errors)
		return BXT_OK; /* reported after all are read */
	k->n_fields++;
	return bxt_vector_field_compile(m->arena, m->g, on, xi, n, field);
}

bxt_status bxt_type_fields(struct bxt_type_maker *m)
{
	const bxt_component *c = m->c;
	bxt_status status = BXT_OK;
	m->k->fields = BXT_NEW(m->arena, bxt_field, (size_t)c->geometry.n_symmetries);
	if (!m->k->fields)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < c->geometry.n_symmetries && status == BXT_OK; i++) {
		const size_t n = (size_t)c->geometry.symmetries[i].n_generators + 1;
		int *on = malloc(n * sizeof *on);
		bxt_ex *xi = malloc(n * sizeof *xi);
		status = on && xi ? make_field(m, &c->geometry.symmetries[i], on, xi)
				  : BXT_ERR_MEMORY;
		free(on);
		free(xi);
	}
	return status;
}
