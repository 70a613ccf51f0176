/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions of a netlist in coordinates of elements and shared nodes, named by paths
 * from the scope where they stand: "M.theta", "sub.M.theta", "node(sub.a).x", and where they may
 * stand in flows: "M.omega".
 */
#ifndef BXT_NETWORK_PATH_H
#define BXT_NETWORK_PATH_H

#include "network/builder.h"

/* What a variable of such expressions stands for. */
typedef enum bxt_read_type {
	BXT_READ_COORDINATE, /* at, or its flow */
	BXT_READ_TIME,
	BXT_READ_PORT, /* a balance port's coordinate or its flow: port number at.coordinate */
	/* expressions of element at.element: output at.coordinate, its energy, its part of the
	 * momentum of its local coordinate, the flow into its balance port of row at.coordinate */
	BXT_READ_OUTPUT,
	BXT_READ_ENERGY,
	BXT_READ_MOMENTUM,
	BXT_READ_PIN_FLOW,
	BXT_READ_SUM, /* of the variables part[0 ... n_part) */
	BXT_READ_PRODUCT
} bxt_read_type;
typedef struct bxt_path_variable {
	bxt_net_coordinate at;
	bool is_flow;
	bool taken; /* for the reader's own use */
	bxt_read_type type;
	int *part, n_part;
	const char *unit; /* of a sum or product; NULL: not known */
} bxt_path_variable;

/* While the expressions of one element of the netlist are read. */
typedef struct bxt_path_reader {
	bxt_builder *b;
	const char *what;     /* "symmetry", for findings */
	const bxt_item *item; /* at hand */
	int primitive;
	bxt_graph *g;
	bool changing;         /* flows and the time t may stand in expressions */
	bool target;           /* what is named is an input of a signal */
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
/* A new variable with a key that lives as long as the reader; -1 when memory ends. */
int bxt_path_add(bxt_path_reader *r, const char *key, bxt_path_variable v);
/* False after findings. */
bool bxt_path_parse(bxt_path_reader *r, const char *text, bxt_ex *out);

/* quantity.c: the variable of a quantity by its name; BXT_QUANTITY_UNKNOWN, or BXT_QUANTITY_TOLD
 * after findings. */
enum { BXT_QUANTITY_UNKNOWN = -1, BXT_QUANTITY_TOLD = -2 };
int bxt_path_quantity(bxt_path_reader *r, const char *text);

#endif
