/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A drawing of a netlist: shapes in scopes, pins of elements and lines between shapes. drawing.c
 * and drawing_names.c read it from the tree, with the files that the tree includes
 * (drawing_files.c) and a value for each element (drawing_value.c). drawing_dot.c writes it.
 *
 * The netlist may have errors: what cannot be resolved is left out, and an unknown component is
 * drawn as a box with a style of its own.
 */
#ifndef BXT_DRAW_DRAWING_H
#define BXT_DRAW_DRAWING_H

#include "ground/base/text.h"
#include "ground/expr/expr.h"
#include "model/component/library.h"

/* A file of the drawing. The first one is the netlist itself. */
typedef struct bxt_drawn_file {
	const char *file;
	const char *root;         /* folder that its included files must lie in or below, with links
				     resolved; NULL: it cannot include */
	const char *folder;       /* of the file */
	struct bxt_netlist *tree; /* owned; NULL for the netlist itself */
	const bxt_item *item;
	bxt_map inline_by_name; /* index into inlines */
	double amount;          /* of elements and subsystems, with those of included files */
	bool counted;           /* counted, or being counted */
} bxt_drawn_file;

/* The parameters of a file for one inclusion. */
typedef struct bxt_drawn_frame {
	int file;
	const char **name;
	double *value; /* NaN: unknown */
	size_t n;
} bxt_drawn_frame;

typedef enum bxt_shape_type {
	BXT_SHAPE_ELEMENT,
	BXT_SHAPE_NODE,
	BXT_SHAPE_PORT,
	BXT_SHAPE_CONNECTION,
	BXT_SHAPE_SIGNAL,    /* with an id */
	BXT_SHAPE_INPUT,     /* of the netlist */
	BXT_SHAPE_TEXT,      /* an expression of a signal */
	BXT_SHAPE_SUBSYSTEM, /* as one box */
} bxt_shape_type;

typedef struct bxt_shape {
	bxt_shape_type type;
	int scope;
	const char *id;                 /* or text; NULL: not written */
	const char *word;               /* component, connection or file; NULL: none */
	const char *value;              /* main value, in plain text; NULL: none */
	const bxt_component *component; /* of an element; NULL: unknown */
	const bxt_port_kind *kind;      /* of a node; NULL: unknown */
	int first_pin, n_pins;          /* of an element; n_pins of a node: pins at it */
	int node;                       /* of a port; -1: none */
} bxt_shape;

enum { BXT_PIN_GROUND = -1, BXT_PIN_OPEN = -2 };
typedef struct bxt_drawn_pin {
	const char *name;
	const bxt_port_kind *kind; /* NULL: unknown */
	int node;                  /* a shape, or BXT_PIN_GROUND; BXT_PIN_OPEN: not connected */
	bool above;                /* the line enters from above */
} bxt_drawn_pin;

typedef enum bxt_line_type {
	BXT_LINE_CONNECTION, /* from a connection to a port */
	BXT_LINE_SIGNAL,
	BXT_LINE_BINDING, /* from an element to one whose coordinates it uses */
} bxt_line_type;

typedef struct bxt_drawn_line {
	bxt_line_type type;
	int from, to;                /* shapes */
	const char *at_from, *at_to; /* names at these ends, or NULL */
} bxt_drawn_line;

/* The netlist or a subsystem. */
typedef struct bxt_drawn_scope {
	int parent; /* -1 */
	const char *id, *href;
	const bxt_item *item; /* its content */
	int file, frame;
	bxt_map ids;     /* 2 shape, or 2 scope + 1 */
	bxt_map signals; /* shapes */
	bxt_map inputs;  /* shapes; only in a scope that is a whole file */
	bxt_map nodes;   /* shapes */
} bxt_drawn_scope;

typedef struct bxt_drawing {
	bxt_arena *arena;
	bxt_library *library;
	bxt_diagnostics *d;
	bxt_graph *graph; /* for values */
	size_t most;
	double amount; /* of the netlist: elements and subsystems */
	bool collapse; /* draw subsystems as boxes */
	bxt_drawn_file *files;
	bxt_drawn_frame *frames;
	bxt_drawn_scope *scopes;
	bxt_shape *shapes;
	bxt_drawn_pin *pins;
	bxt_drawn_line *lines;
	const bxt_component **inlines;
	size_t n_files, n_frames, n_scopes, n_shapes, n_pins, n_lines, n_inlines;
	size_t c_files, c_frames, c_scopes, c_shapes, c_pins, c_lines, c_inlines;
	bxt_map file_by_path;
	bool failed; /* out of memory */
} bxt_drawing;

/*
 * drawing_files.c: makes the first file. The second function finds the file of an href in a file;
 * -1: it cannot be read.
 */
bxt_status bxt_drawing_top(bxt_drawing *g, const struct bxt_netlist *netlist);
int bxt_drawing_include(bxt_drawing *g, int file, const char *href);
/* The number of elements and subsystems of a scope, including those of inner scopes. */
double bxt_drawing_count(bxt_drawing *g, int file, const bxt_item *scope);
/* Is the item an element of the netlist? Words of the language and inline components are none. */
bool bxt_drawing_is_element(const bxt_item *item);

/*
 * drawing_value.c: makes the parameters of a file, with values from the includer in the frame
 * `outer`; -1 when out of memory.
 */
int bxt_drawing_frame(bxt_drawing *g, int file, const bxt_item *includer, int outer);
/* The main value of an element for display, "2 kohm" with symbols; NULL: none. */
const char *bxt_drawing_value(bxt_drawing *g, int frame, const bxt_component *c,
			      const bxt_item *item);
/*
 * The text, cut to that many characters, with single blanks as white space. NULL when out of
 * memory.
 */
const char *bxt_drawing_short(bxt_drawing *g, const char *text, size_t most);

/*
 * drawing_shapes.c: adds a shape, -1 when out of memory; adds a line, unless one of its ends is -1.
 */
int bxt_drawing_shape(bxt_drawing *g, bxt_shape shape);
void bxt_drawing_line(bxt_drawing *g, bxt_drawn_line line);

/*
 * drawing_names.c: adds the signals of all scopes: first those with ids, then the quantities that
 * signals read.
 */
void bxt_drawing_signals(bxt_drawing *g);
/* Adds the connections of all scopes, and the bindings of elements. */
void bxt_drawing_connections(bxt_drawing *g);

/* drawing_dot.c */
bxt_status bxt_drawing_write(const bxt_drawing *g, const char *title, FILE *stream);

#endif
