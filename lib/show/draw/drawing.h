/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A netlist as a picture: shapes in scopes, pins of elements and lines between shapes. It is read
 * from the tree (drawing.c, drawing_names.c), with the files that the tree includes
 * (drawing_files.c) and a value for each element (drawing_value.c); drawing_dot.c writes it.
 *
 * Nothing here needs a model without errors: what cannot be resolved is left out, and an unknown
 * component is a box of its own style.
 */
#ifndef BXT_DRAW_DRAWING_H
#define BXT_DRAW_DRAWING_H

#include "ground/base/text.h"
#include "ground/expr/expr.h"
#include "model/component/library.h"

/* A file of the drawing, the netlist itself first. */
typedef struct bxt_drawn_file {
	const char *file;
	const char *root;         /* folder that its included files must lie in or below, with links
				     resolved; NULL: it cannot include */
	const char *folder;       /* of the file */
	struct bxt_netlist *tree; /* owned; NULL for the netlist itself */
	const bxt_item *item;
	bxt_map inline_by_name; /* index into inlines */
	double amount;          /* of elements and subsystems with all that it includes */
	bool counted;           /* or being counted */
} bxt_drawn_file;

/* The parameters of a file in one inclusion. */
typedef struct bxt_drawn_frame {
	int file;
	const char **name;
	double *value; /* NaN: not known */
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
	int first_pin, n_pins;          /* of an element; n_pins of a node counts pins at it */
	int node;                       /* of a port; -1: none */
} bxt_shape;

enum { BXT_PIN_GROUND = -1, BXT_PIN_OPEN = -2 };
typedef struct bxt_drawn_pin {
	const char *name;
	const bxt_port_kind *kind; /* NULL: unknown */
	int node;                  /* a shape, or BXT_PIN_GROUND; BXT_PIN_OPEN: nothing there */
	bool above;                /* enters from above */
} bxt_drawn_pin;

typedef enum bxt_line_type {
	BXT_LINE_CONNECTION, /* from a connection to a port */
	BXT_LINE_SIGNAL,
	BXT_LINE_BINDING, /* from an element to one whose coordinates it uses */
} bxt_line_type;

typedef struct bxt_drawn_line {
	bxt_line_type type;
	int from, to;                /* shapes */
	const char *at_from, *at_to; /* names there, or NULL */
} bxt_drawn_line;

/* The netlist, a subsystem. */
typedef struct bxt_drawn_scope {
	int parent; /* -1 */
	const char *id, *href;
	const bxt_item *item; /* its content */
	int file, frame;
	bxt_map ids;     /* 2 shape, or 2 scope + 1 */
	bxt_map signals; /* shapes */
	bxt_map inputs;  /* shapes; of a scope that is all of a file */
	bxt_map nodes;   /* shapes */
} bxt_drawn_scope;

typedef struct bxt_drawing {
	bxt_arena *arena;
	bxt_library *library;
	bxt_diagnostics *d;
	bxt_graph *graph; /* for values */
	size_t most;
	double amount; /* of the netlist: elements and subsystems */
	bool collapse; /* subsystems are boxes */
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
	bool failed; /* memory ended */
} bxt_drawing;

/* drawing_files.c: the first file. Then the file of an href in a file; -1: it cannot be read. */
bxt_status bxt_drawing_top(bxt_drawing *g, const struct bxt_netlist *netlist);
int bxt_drawing_include(bxt_drawing *g, int file, const char *href);
/* Elements and subsystems of a scope, and of those below it. */
double bxt_drawing_count(bxt_drawing *g, int file, const bxt_item *scope);
/* Is it an element of the netlist: neither a word of the language nor a component? */
bool bxt_drawing_is_element(const bxt_item *item);

/* drawing_value.c: the parameters of a file, given by the includer in the frame `outer`; -1 when
 * memory ends. */
int bxt_drawing_frame(bxt_drawing *g, int file, const bxt_item *includer, int outer);
/* The main value of an element, "2 kohm" with symbols for people; NULL: none. */
const char *bxt_drawing_value(bxt_drawing *g, int frame, const bxt_component *c,
			      const bxt_item *item);
/* A text of at most that many characters, white space made single. NULL when memory ends. */
const char *bxt_drawing_short(bxt_drawing *g, const char *text, size_t most);

/* drawing_shapes.c: adds a shape, -1 when memory ends; a line, unless one of its ends is -1. */
int bxt_drawing_shape(bxt_drawing *g, bxt_shape shape);
void bxt_drawing_line(bxt_drawing *g, bxt_drawn_line line);

/* drawing_names.c: the signals of all scopes: first those with ids, then what they and others read.
 */
void bxt_drawing_signals(bxt_drawing *g);
/* The connections of all scopes, and the bindings of elements. */
void bxt_drawing_connections(bxt_drawing *g);

/* drawing_dot.c */
bxt_status bxt_drawing_write(const bxt_drawing *g, const char *title, FILE *stream);

#endif
