/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that build a network from a netlist. */
#ifndef BXT_BUILDER_BUILDER_H
#define BXT_BUILDER_BUILDER_H

#include "model/builder/build.h"
#include "model/names/designator.h"
#include "model/netlist/language.h"

/* A parameter that a netlist declares. */
typedef struct bxt_net_parameter {
	const char *name, *unit, *default_text; /* unit "" for a pure number; text NULL: none */
	const char *si; /* of its values: `unit`, unless that is not coherent, such as km/h */
	bxt_place place;
	const bxt_item *item;
	bool is_input; /* an <input>, whose value here is its default */
} bxt_net_parameter;

/* A netlist file, the compiled one first, then those that are included. */
typedef struct bxt_netfile {
	const char *file;     /* its name in messages */
	int below;            /* index of the root it was found below */
	const char *folder;   /* relative to that root: "" or "motors/" */
	const char *real;     /* path with links resolved; NULL: none */
	const bxt_item *root; /* NULL: it cannot be read */
	bxt_net_parameter *parameters;
	size_t n_parameters, c_parameters;
	bxt_map parameter_by_name;
	bxt_curves curves;                /* of its <table>s, in the arena of the network */
	bxt_map table_by_name;            /* the line that declares it */
	bxt_map inline_by_name;           /* index into inlines + 1; 0: it has errors */
	bool used;                        /* was included before */
	const struct bxt_frame *reporter; /* the inclusion that reports its errors; NULL: none */
	unsigned references;              /* which names of the reference it uses: builder.c */
} bxt_netfile;

/* A folder that is searched for included files; they must lie in it or below. */
typedef struct bxt_root {
	const char *path; /* "" for the working folder, else with the final '/' */
	const char *real; /* links resolved; NULL: not resolved yet */
} bxt_root;

/* The values of a source's parameters in one inclusion. */
typedef struct bxt_frame {
	const struct bxt_frame *parent; /* of the includer; NULL for the compiled netlist */
	int source, depth;
	double *values; /* (parameters of the source), SI */
	size_t n_known; /* the first n_known are known so far */
	int *input;     /* (parameters of the source) index into net->inputs; -1: none */
	bool repeated;  /* an earlier inclusion has the same text */
} bxt_frame;

/* An inline component; its name is local to its file, its key is not. */
typedef struct bxt_inline {
	const bxt_component *component;
	const char *key;
} bxt_inline;

/* An element whose bindings may name later elements: resolved at the end of its scope. */
typedef struct bxt_unbound {
	const bxt_item *item;
	const bxt_component *component;
	int element;
} bxt_unbound;

/* An element whose points or directions are given at the start pose. That pose is known at the end
 * of the element's scope. */
typedef struct bxt_unplaced {
	const bxt_item *item;
	const bxt_component *component;
	int element;
} bxt_unplaced;

/* The element whose initial values are read: they may use its parameters. */
typedef struct bxt_own {
	const bxt_item *item;
	const bxt_component *component;
	const bxt_element *element;
	bool warned; /* whether a name is the netlist's and not the element's */
} bxt_own;

/*
 * The children of a scope whose names are words of the language; all others are elements. Many
 * passes search for these words, and large netlists have few of them, hence this list.
 */
typedef struct bxt_words {
	const bxt_item *scope; /* NULL: not made yet */
	const bxt_item **item; /* heap, (n) */
	size_t n, capacity;
	size_t at; /* the word of the last search */
} bxt_words;

/* A component that was found recently, by the address of the netlist's copy of its name. */
enum { BXT_RECENT = 16 };
typedef struct bxt_recent {
	const char *name, *key;
	int source;
	const bxt_component *component;
} bxt_recent;

/* Capacities of the network's arrays while they grow on the heap. */
typedef struct bxt_capacities {
	size_t inputs, types, elements, nodes, ports, connections, primitives, initials, settings,
		fixes, symmetries, curves, borrowed, included, signal_ids;
} bxt_capacities;

/* The network of which this one is a copy with other values (rebuild.c); NULL: none. */
typedef struct bxt_again {
	const bxt_network *from;
	const bxt_override *override; /* (n_override) */
	size_t n_override;
} bxt_again;

/* The files that the network is read from, and their inclusions. */
typedef struct bxt_netfiles {
	bxt_netfile **sources;
	size_t n_sources, c_sources;
	bxt_map source_by_href;
	bxt_buffer key;  /* scratch: key of source_by_href */
	bxt_root *roots; /* the folder of the compiled netlist, then the library's directories */
	int n_roots;
	bxt_inline *inlines;
	size_t n_inlines, c_inlines;
	struct bxt_curve_tables *tables; /* of all sources; NULL: there are none */
	const bxt_frame **frame_of;      /* (primitives) NULL: the included file cannot be read */
	size_t c_frames;
} bxt_netfiles;

/* Items that are resolved at the end of their scope; those of inner scopes are last. */
typedef struct bxt_pending {
	bxt_unbound *unbound;
	size_t n_unbound, c_unbound;
	bxt_unplaced *unplaced;
	size_t n_unplaced, c_unplaced;
} bxt_pending;

/* The expressions of time and inputs, without duplicates. */
typedef struct bxt_timed_builder {
	bxt_graph *graph;
	bxt_ex *expression;
	size_t n, capacity;
	int *index_of; /* (nodes of the graph) index into `expression` plus 1 */
	size_t c_index_of;
} bxt_timed_builder;

/* The builder: growing heap arrays that are copied into the network's arena at the end. */
typedef struct bxt_builder {
	bxt_network *net;
	bxt_library *library;
	bxt_diagnostics *d;
	bxt_arena *arena;   /* the network's */
	bxt_arena *scratch; /* texts of messages; freed after building */
	bxt_names names;
	bxt_capacities room;
	bxt_again again;
	bxt_netfiles files;
	bxt_pending pending;
	bxt_timed_builder timed;
	const bxt_frame *frame; /* the current one */
	bxt_own *own;           /* NULL: no initial value of an element is read */
	bxt_words words;        /* of the compiled netlist */
	bxt_recent recent[BXT_RECENT];
	bool too_many;
	size_t count_at; /* number of items at which the size of what follows is counted again */
	bxt_map broken;  /* names of components whose errors are reported */
	const bxt_item **signal_items; /* (net->n_signal_ids) */
	size_t c_signal_items;
	int *joined;            /* (nodes) for bxt_build_first_joined; NULL: not made yet */
	bxt_map reading_of;     /* text of a bxt_net_row -> element that reads its multiplier */
	struct bxt_wire *wires; /* input signals that are connected */
	size_t n_wires, c_wires;
	size_t errors_before; /* errors in the list before this build */
	bool failed;          /* memory ended */
} bxt_builder;

/* An input signal of an element, and the element `wire` that defines its value. */
typedef struct bxt_wire {
	int element, coordinate, wire;
} bxt_wire;

/* scope.c: the content of a scope. */
bxt_status bxt_build_scope(bxt_builder *b, const bxt_item *item, int primitive);
/* The inline components of a source. */
bxt_status bxt_build_inlines(bxt_builder *b, int source, const bxt_item *item);
/* words.c: lists the words of the compiled netlist. */
bxt_status bxt_build_words(bxt_builder *b, const bxt_item *root);
/* The next child of a scope after `after` that is a word: that name, or any (NULL). */
const bxt_item *bxt_build_word(bxt_builder *b, const bxt_item *scope, const char *name,
			       const bxt_item *after);
/* builder.c: reports the attributes of an XML element that its language does not have. */
void bxt_build_attributes(bxt_builder *b, const bxt_item *item);

/* include.c: the compiled netlist as the first source, with its parameters. */
bxt_status bxt_build_top(bxt_builder *b, const struct bxt_netlist *netlist);
/* <subsystem href>: a file as the content of a primitive; then its connections. */
bxt_status bxt_build_include(bxt_builder *b, const bxt_item *item, int primitive);
bxt_status bxt_build_include_interconnections(bxt_builder *b, const bxt_item *item, int primitive);
bxt_status bxt_build_include_signals(bxt_builder *b, const bxt_item *item, int primitive);
void bxt_netfile_release(bxt_netfile *s);
/* frame.c: index and value of a parameter in the current frame, -1: none; visits all names. */
int bxt_frame_find(const bxt_builder *b, const char *name, double *value);
/* The same for parameters and inputs, without a value; the index in net->inputs of an input, -1:
 * the frame has no input of that name. */
int bxt_frame_name(const bxt_builder *b, const char *name);
int bxt_frame_input(const bxt_builder *b, const char *name);
void bxt_frame_offer(const bxt_builder *b, void (*visit)(void *, const char *), void *visitor);
/* Index and value of a constant parameter of the element whose initial values are read; -1: none,
 * or no element's are. */
int bxt_own_find(const bxt_builder *b, const char *name, double *value);
/* At the end: the parameters of all frames, for the network to keep. */
bxt_status bxt_frame_keep_all(bxt_builder *b);
/* The tables that expressions of the current frame may call. */
const bxt_curves *bxt_frame_curves(const bxt_builder *b);
/* The key of an element type, extended by the tables that a text calls, since table names are local
 * to a file. NULL when memory ends. */
const char *bxt_frame_key(bxt_builder *b, const char *key, const char *text);

/* connect.c: the connections of a scope and of the scopes inside it. */
bxt_status bxt_build_interconnections(bxt_builder *b, const bxt_item *item, int primitive);
/* Afterwards the <signal>s of a scope and of those inside it; they may name connections. */
bxt_status bxt_build_signals(bxt_builder *b, const bxt_item *item, int primitive);
/* The port at the end of "a.b.s", seen from a scope; -1 after a finding. */
int bxt_build_find_port(bxt_builder *b, int primitive, const char *path, bxt_place place);
/* Marks the ports of a connection with rows as connected; rows on a port must share a scope. */
void bxt_build_take_ports(bxt_builder *b, bxt_connection *c, int index);
/* Adds the connection of an item, with its id or one generated from `what`. */
bxt_status bxt_build_connection(bxt_builder *b, const bxt_item *item, const char *what,
				bxt_connection *c);

/* Omega_int: F_a -= k v_b, F_b += k v_a, with names of coordinates. */
typedef struct bxt_turn {
	const char *a, *b, *k;
} bxt_turn;
/* The definition of an interaction; its texts call port i "p<i+1>", as in "p1.i - 2*p2.i". */
typedef struct bxt_interaction {
	const char *name;       /* name of its component in messages */
	const int *port;        /* (n_port) distinct, exported ports */
	const char *const *row; /* (n_row) expressions that vanish, linear in flows */
	const bxt_turn *turn;   /* (n_turn) */
	int n_port, n_row, n_turn;
	const char *ratio_unit; /* NULL: there is no parameter "ratio" */
	double ratio;
} bxt_interaction;
/* binding.c: a component that stands for a balance port of that kind in bindings: one
 * coordinate and its flow; NULL when memory ends. */
const bxt_component *bxt_build_port_component(bxt_arena *arena, const char *kind);
/* interaction.c: makes the element of a connection, which was added before. */
bxt_status bxt_build_interaction(bxt_builder *b, const bxt_interaction *what, int connection);

/* sigma.c: <sigma>, <transformer>, <gyrator>; omega.c: <omega>. */
bxt_status bxt_build_sigma(bxt_builder *b, const bxt_item *item, int primitive);
bxt_status bxt_build_transformer(bxt_builder *b, const bxt_item *item, int primitive);
bxt_status bxt_build_gyrator(bxt_builder *b, const bxt_item *item, int primitive);
bxt_status bxt_build_omega(bxt_builder *b, const bxt_item *item, int primitive);

/* Afterwards: selects among <sigma> rows that share ports the one that counts their power. */
bxt_status bxt_build_sigma_groups(bxt_builder *b);

/* fix.c: reads a <fix>, when its scope is complete. */
bxt_status bxt_build_fix(bxt_builder *b, const bxt_item *item, int primitive);

/* signal.c: reads a <signal> of the netlist, when all elements, connections and ids of signals are
 * known. */
bxt_status bxt_build_signal(bxt_builder *b, const bxt_item *item, int primitive);
/* delays.c: inputs for the delays of all elements, after the inputs of the model. */
bxt_status bxt_build_delays(bxt_builder *b);
/* signal_loops.c: reports inputs without connection and signals that depend on themselves. */
bxt_status bxt_build_check_signals(bxt_builder *b);
/* signal_id.c: the ids of signals, at the end of their scope; then, when all ids are known, the
 * inputs that they name. */
bxt_status bxt_build_signal_ids(bxt_builder *b, const bxt_item *item, int primitive);
bxt_status bxt_build_named_signals(bxt_builder *b);
/* The signal of that id in a scope, -1 for none. */
int bxt_find_signal(const bxt_network *net, int primitive, const char *id);

/* multiplier_probe.c: the element whose second flow is the multiplier of a row, created on first
 * use; -1 when memory ends. */
int bxt_build_reading(bxt_builder *b, bxt_net_row row);
/* The first of the nodes that <connect>s join to this one; their potentials are equal. */
int bxt_build_first_joined(bxt_builder *b, int node);

/* symmetry.c: a <symmetry> of the netlist, when its scope is complete. */
bxt_status bxt_build_symmetry(bxt_builder *b, const bxt_item *item, int primitive);
/* The symmetries of elements; they precede the netlist's own. */
bxt_status bxt_build_element_symmetries(bxt_builder *b);
/* Reports symmetries along coordinates that their nodes do not have. */
void bxt_build_symmetry_uses(bxt_builder *b);

/*
 * used_coordinates.c: finds which coordinates the shared nodes have, and removes initial values of
 * absent ones with a warning.
 */
bxt_status bxt_build_uses(bxt_builder *b);

/* placement.c: at the end of a scope: parameters of unplaced[first ...]. */
bxt_status bxt_build_placements(bxt_builder *b, size_t first);

/* pose.c: the start pose of a <node> with a frame, after the values by coordinates, which are
 * initials[first ...]. Nothing happens for other kinds. */
bxt_status bxt_build_pose(bxt_builder *b, const bxt_item *item, int node, size_t first);

/* frame_rows.c: the frames of all nodes; then, when it is known which coordinates they have, the
 * rows of those and of connections of frames. */
bxt_status bxt_build_frames(bxt_builder *b);
bxt_status bxt_build_frame_rows(bxt_builder *b);

/* builder.c: adds an element type under its key; the network takes ownership. Its index; -1 when
 * memory ends. */
int bxt_build_element_type(bxt_builder *b, bxt_element_type *type, const char *key);
/*
 * binding.c: the components that define the names of an element's bindings; a library component
 * finds them in the library alone. False after findings or when memory ends.
 */
bool bxt_build_bound(bxt_builder *b, const bxt_component *c, bool is_inline,
		     const bxt_component *const **bound);
/* At the end of a scope: resolves the bindings of unbound[first ...]. */
bxt_status bxt_build_bindings(bxt_builder *b, size_t first);

/* input.c: adds an input, whose path is in the scope; its index, -1 when memory ends. */
int bxt_build_input(bxt_builder *b, const bxt_item *item, int primitive, const char *name,
		    const char *unit, double value);
/* Input k as an expression of time. */
bxt_ex bxt_build_input_value(bxt_builder *b, int k);
/* signal.c: exported signals with a default that nothing drives become inputs, when all wires are
 * known. */
bxt_status bxt_build_default_inputs(bxt_builder *b);
/* element.c: parameter k of the element's type, which has `index` among the numeric ones, follows
 * an expression of time. False when memory ends. */
bool bxt_build_follow(bxt_builder *b, const bxt_element_type *type, int k, int index, bxt_ex f,
		      bxt_element *e);
/* element.c: one element with its pins, parameters and initial values. */
bxt_status bxt_build_element(bxt_builder *b, const bxt_item *item, int primitive);
/* A number without unit? A fast path for large netlists: makes no text for messages. */
bool bxt_is_plain_number(const char *text, double *value);
/* initial.c: reads an initial value of an element; false: the attribute is none. */
bool bxt_build_initial(bxt_builder *b, const bxt_item *item, const bxt_attribute *a,
		       const bxt_component *c, int element);
/* If an attribute that is no initial value names an effort of the component's ports: the reason why
 * it cannot be one, and what to write instead. NULL: it names none. Text in scratch. */
const char *bxt_build_why_no_effort(bxt_builder *b, const bxt_component *c, const char *name);
/*
 * The node of that name in a scope, made when new, and counts a pin. *out is BXT_GROUND for the
 * reference. Findings name the item's port; port NULL: a <node> declares it.
 */
bxt_status bxt_build_node(bxt_builder *b, int primitive, const char *name,
			  const bxt_port_kind *kind, const bxt_item *item, const char *port,
			  int *out);
/* "resistor 'R1', parameter 'R'"; text in scratch, made only for a message. */
const char *bxt_build_describe(bxt_builder *b, const bxt_item *item, const char *what,
			       const char *name);
/* Registers an id in a scope; a finding when it is missing, malformed, reserved or taken. */
bxt_status bxt_build_id(bxt_builder *b, int primitive, const bxt_item *item, int what, int index);
/* Reports each text directly inside an XML element that allows no text. */
void bxt_build_no_text(bxt_builder *b, const bxt_item *item);
/* rebuild.c: the type of that key that `from` has, made one of this network; its index, -1: none.
 */
int bxt_build_known_type(bxt_builder *b, const char *key);
/* The source that an href stands for in `from`; -1: none. */
int bxt_build_known_source(const bxt_builder *b, const char *key);
/* The table of a source that `from` has; NULL: none. Keeps one for networks that are built from
 * this one. */
const bxt_curve *bxt_build_known_curve(const bxt_builder *b, int source, const char *name);
bxt_status bxt_build_keep_curve(bxt_builder *b, int source, const char *name,
				const bxt_curve *curve);
/* Does a number of an element, or of a netlist file in an inclusion, have another value? */
bool bxt_build_override(const bxt_builder *b, int element, int index, double *value);
bool bxt_build_own_override(const bxt_builder *b, int primitive, const char *name, double *value);
/* Keeps the data that rebuilding a network needs. */
bxt_status bxt_build_keep(bxt_builder *b, const struct bxt_netlist *netlist);
/* value.c: reads a number without errors, with a unit or without: makes no text for messages. */
bool bxt_build_is_quantity(bxt_builder *b, const char *text, const char *unit, double *value);
/* value.c: names of expressions: the parameters of the enclosing netlist. Then: reads "=EXPR" in
 * them, pi and t. */
bxt_scope bxt_build_constants(bxt_builder *b);
bool bxt_build_expression(bxt_builder *b, const char *text, const char *unit, const char *what,
			  bxt_place place, bxt_ex *out);
/* value_units.c: has the expression, which is otherwise correct, the dimension of the unit? Else
 * reports an error, or a warning if a number in it may carry the missing unit. */
bool bxt_build_check_units(bxt_builder *b, const char *text, const char *unit, const char *what,
			   bxt_place place);
/* Reads the value of an attribute: a quantity or =EXPR without t. False after a finding. */
bool bxt_build_value(bxt_builder *b, const char *text, const char *unit, const char *what,
		     bxt_place place, double *value);
/* As many values as `out` has room for, with white space or commas between them. False after a
 * finding, or when out of memory. */
typedef struct bxt_numbers {
	double *value;
	int n;
} bxt_numbers;
bool bxt_build_numbers(bxt_builder *b, const char *text, const char *unit, const char *what,
		       bxt_place place, bxt_numbers out);

/* Is it the name of a coordinate's momentum, "x.p" of x? */
bool bxt_name_is_momentum(const char *name, const char *coordinate);
/* Its unit: energy by flow. NULL when out of memory. */
const char *bxt_momentum_unit(bxt_builder *b, const char *flow_unit);

#endif
