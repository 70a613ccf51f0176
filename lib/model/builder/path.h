/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads expressions of a netlist in quantities that are named from their scope: coordinates of
 * elements and shared nodes, "M.theta", "sub.M.theta", "node(sub.a).x", and, where allowed, flows,
 * "M.omega".
 */
#ifndef BXT_BUILDER_PATH_H
#define BXT_BUILDER_PATH_H

#include "model/builder/builder.h"

/* The kind of quantity behind a variable of such expressions. */
typedef enum bxt_read_type {
	BXT_READ_COORDINATE, /* at, or its flow */
	BXT_READ_TIME,
	BXT_READ_INPUT, /* number at.coordinate */
	BXT_READ_PORT,  /* a balance port's coordinate or its flow: port number at.coordinate */
	/* of element at.element: output at.coordinate, its energy, its part of the momentum of
	 * local coordinate at.coordinate, the flow into the balance port of row at.coordinate */
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
	bool taken; /* for use by the caller */
	bxt_read_type type;
	int *part, n_part;
	const char *unit; /* of a sum or product; NULL: unknown */
} bxt_path_variable;

/* The state while the expressions of one XML element of the netlist are read. */
typedef struct bxt_path_reader {
	bxt_builder *b;
	const char *what;     /* "symmetry", for findings */
	const bxt_item *item; /* the current one */
	int primitive;
	bxt_graph *g;
	bool changing;   /* expressions may contain flows and the time t */
	bool target;     /* the name must be an input signal */
	const char *own; /* an input that the file does not name, and its number; NULL: none */
	int own_input;
	int time;              /* variable of t, the first, if `changing` */
	bxt_map variable_of;   /* name as written -> variable */
	bxt_path_variable *at; /* (n) meaning of the variables */
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

/* Fails with BXT_ERR_MEMORY only; call bxt_path_end in any case. */
bxt_status bxt_path_begin(bxt_path_reader *r, bxt_builder *b, int primitive, const char *what,
			  bool changing);
void bxt_path_end(bxt_path_reader *r);
/* The variable for a name as written; -1 after a finding. */
int bxt_path_variable_of(bxt_path_reader *r, const char *text);
/* A new variable with a key that lives as long as the reader; -1 when memory ends. */
int bxt_path_add(bxt_path_reader *r, const char *key, bxt_path_variable v);
/* False after findings. */
bool bxt_path_parse(bxt_path_reader *r, const char *text, bxt_ex *out);

/* quantity.c: the variable of a quantity by its name. BXT_QUANTITY_UNKNOWN: no such name;
 * BXT_QUANTITY_TOLD: after findings. */
enum { BXT_QUANTITY_UNKNOWN = -1, BXT_QUANTITY_TOLD = -2 };
int bxt_path_quantity(bxt_path_reader *r, const char *text);

#endif
