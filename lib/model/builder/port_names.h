/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names in expressions of an <interconnection>: flows and coordinates of exported ports. */
#ifndef BXT_BUILDER_PORT_NAMES_H
#define BXT_BUILDER_PORT_NAMES_H

#include "model/builder/builder.h"

/* A coordinate of a port. Quantity k is variable 2k in expressions, its flow 2k + 1. */
struct bxt_port_quantity {
	int port, sub;
};

/* The meaning of names while the expressions of a connection are read. */
struct bxt_port_names {
	bxt_builder *b;
	const bxt_item *item;
	int primitive;
	bxt_graph *g;
	struct bxt_port_quantity *quantity; /* (n) */
	size_t n, capacity;
	int *port; /* (n_port) distinct ports: p1, p2, ... in texts */
	size_t n_port, c_port;
	bxt_map variable_of; /* name -> variable */
	bool no_flows;       /* only coordinates are allowed */
	bool bad;            /* a name caused a finding */
};

/* The kind of a port; NULL: its node is unknown. */
const bxt_port_kind *bxt_port_names_kind(const struct bxt_port_names *w, int port);
/* The index of a port's coordinate in quantity, added when new; -1 when memory ends. */
int bxt_port_names_quantity(struct bxt_port_names *w, int port, int sub);
/* The variable of "a.b.s.i" or "a.b.s.q"; -1 after a finding. */
int bxt_port_names_find(struct bxt_port_names *w, const char *name);
/* False after findings, or when memory ends. */
bool bxt_port_names_parse(struct bxt_port_names *w, const char *text, bxt_ex *out);
/* False when memory ends. */
bool bxt_port_names_begin(struct bxt_port_names *w, bxt_builder *b, const bxt_item *item,
			  int primitive);
void bxt_port_names_end(struct bxt_port_names *w);
/* A variable's name in the interaction's component, "p2.q"; as in netlists, "arm.tip.x". */
const char *bxt_port_names_local(void *words, int variable);
const char *bxt_port_names_said(void *words, int variable);
/* An expression in the names of the interaction's component; NULL when memory ends. */
const char *bxt_port_names_text(struct bxt_port_names *w, bxt_ex f);
/* Adds a connection that has rows or a two-form of its own. */
bxt_status bxt_build_joint(bxt_builder *b, const bxt_item *item, int primitive, int *connection);

#endif
