/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floor 4: expressions of a netlist in coordinates of elements and shared nodes, named by paths
 * from the scope where they stand: "M.theta", "sub.M.theta", "node(sub.a).x", and where they may
 * stand in flows: "M.omega".
 */
#ifndef BXT_NETWORK_PATH_H
#define BXT_NETWORK_PATH_H

#include "network_internal.h"

/* What a variable of such expressions stands for. */
typedef struct bxt_path_variable {
	bxt_net_coordinate at;
	bool is_flow;
	bool taken; /* for the reader's own use */
} bxt_path_variable;

/* While the expressions of one element of the netlist are read. */
typedef struct bxt_path_reader {
	bxt_builder *b;
	const char *what;     /* "symmetry", for findings */
	const bxt_item *item; /* at hand */
	int primitive;
	bxt_graph *g;
	bool changing;         /* flows and the time t may stand in expressions */
	int time;              /* its variable where there is one: the first */
	bxt_map variable_of;   /* what was written -> variable */
	bxt_path_variable *at; /* (n) what variables stand for */
	size_t n, c_at;
	const char **calls; /* (n_calls) "node(a.b).x": node@0, node@1, ... in expressions */
	size_t n_calls, c_calls;
	bool bad; /* there were findings */
} bxt_path_reader;

#define BXT_PATH_FAIL(r, place, ...)                                                               \
	do {                                                                                       \
		(r)->bad = true;                                                                   \
		bxt_error((r)->b->d, (place), __VA_ARGS__);                                        \
	} while (0)

/* BXT_ERR_MEMORY; bxt_path_end in any case. */
bxt_status bxt_path_begin(bxt_path_reader *r, bxt_builder *b, int primitive, const char *what,
			  bool changing);
void bxt_path_end(bxt_path_reader *r);
/* The variable that stands for what was written; -1 after a finding. */
int bxt_path_variable_of(bxt_path_reader *r, const char *text);
/* False after findings. */
bool bxt_path_parse(bxt_path_reader *r, const char *text, bxt_ex *out);

#endif
