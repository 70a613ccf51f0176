/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Designators, the names of quantities in <record>, <signal>, <fix>, <symmetry>, --map, tear and
 * flatten:
 *
 *     PATH.NAME  PATH.*  node(PATH).NAME  ID.lambda  ID.mu  energy[(PATH)]  dissipated(PATH)
 *     supplied(PATH)  power(PATH.PORT)  drift(FAMILY)  momentum(ID)  noether(ID)
 *
 * and OUTER.WORD(PATH) for WORD(OUTER.PATH). bxt_name_parse parses a text to spans without a
 * network. bxt_names_find resolves it in a network from a scope. bxt_designator_print prints the
 * full name, which resolves to the same quantity again.
 *
 * Scope rule: a name means the thing with exactly that path from the scope; else the only thing in
 * the scope or below whose path ends with the name.
 */
#ifndef BXT_NAMES_DESIGNATOR_H
#define BXT_NAMES_DESIGNATOR_H

#include "model/network/network.h"

/* ---- Texts ---- */

/* A piece of a text that it does not own. */
typedef struct bxt_span {
	const char *at;
	size_t length;
} bxt_span;

/* The word before a parenthesis. */
typedef enum bxt_call {
	BXT_CALL_NODE,
	BXT_CALL_ENERGY,
	BXT_CALL_DISSIPATED,
	BXT_CALL_SUPPLIED,
	BXT_CALL_POWER,
	BXT_CALL_DRIFT,
	BXT_CALL_MOMENTUM,
	BXT_CALL_NOETHER,
	BXT_CALL_COUNT,
	BXT_CALL_NONE = BXT_CALL_COUNT, /* there is no parenthesis */
	BXT_CALL_UNKNOWN
} bxt_call;
extern const char *const bxt_call_words[BXT_CALL_COUNT];

typedef enum bxt_name_fault {
	BXT_NAME_GOOD,
	BXT_NAME_NO_OPEN, /* "supplied)" */
	BXT_NAME_NO_CLOSE,
	BXT_NAME_NO_WORD,  /* "frob(x)" */
	BXT_NAME_TOO_MUCH, /* "energy(a).x" */
	BXT_NAME_WHAT_OF,  /* "node(a)" */
	/* from bxt_names_find only */
	BXT_NAME_NO_FAMILY,
	BXT_NAME_NO_OWNER,
	BXT_NAME_NO_QUANTITY,
	BXT_NAME_AMBIGUOUS,
	BXT_NAME_BROKEN /* it names an item with errors, already reported */
} bxt_name_fault;

/* "plant.node(s).x.p" in parts: outer "plant", word "node", path "s", rest "x.p". Without a
 * parenthesis all of it is the path. */
typedef struct bxt_name {
	bxt_call call;
	bxt_span outer, word, path, rest;
	bxt_name_fault fault;
} bxt_name;

/* The spans point into the text. O(length). */
bxt_name bxt_name_parse(const char *text);
/* Is `written` the full name, or the end of its path? "q" alone is the end of no path. */
bool bxt_name_is_end(const char *full, const char *written);
/*
 * Start and length of the first name with a parenthesis in an expression; the end and 0: none.
 * Names without a parenthesis are plain words of expressions.
 */
size_t bxt_name_find_call(const char *expression, size_t *length);
/*
 * An expression with other names: word() renames plain words as in bxt_rename_in_expression, call()
 * names with a parenthesis. call() gets text in the arena and returns NULL only when memory ends.
 * NULL when memory ends.
 */
const char *bxt_name_rename_expression(bxt_arena *arena, const char *text,
				       const char *(*word)(void *, const char *),
				       const char *(*call)(void *, const char *), void *context);

/* ---- Quantities ---- */

typedef enum bxt_word {
	BXT_WORD_COORDINATE,
	BXT_WORD_FLOW,
	BXT_WORD_MOMENTUM, /* dL/dv, "x.p" */
	BXT_WORD_CENTRED,  /* the centred momentum of a step, "x.pc" */
	BXT_WORD_OUTPUT,
	BXT_WORD_EFFORT,
	BXT_WORD_MULTIPLIER,
	BXT_WORD_IMPULSE, /* of a row in the step that starts at the grid point, "ID.mu" */
	BXT_WORD_ENERGY,
	BXT_WORD_DISSIPATED,
	BXT_WORD_SUPPLIED,
	BXT_WORD_POWER,
	BXT_WORD_DRIFT,
	BXT_WORD_MAP,     /* momentum(ID) */
	BXT_WORD_NOETHER, /* noether(ID) */
	BXT_WORD_ALL      /* ".*" */
} bxt_word;

typedef enum bxt_owner {
	BXT_OWNER_SUBSYSTEM, /* element 0: the whole network */
	BXT_OWNER_ELEMENT,
	BXT_OWNER_NODE,
	BXT_OWNER_PORT,
	BXT_OWNER_CONNECTION,
	BXT_OWNER_SIGNAL, /* a signal of the netlist; its word is FLOW */
	BXT_OWNER_SYMMETRY,
	BXT_OWNER_FAMILY
} bxt_owner;

/* A quantity: its owner, and which of the owner's quantities it is. */
typedef struct bxt_designator {
	bxt_word word;
	bxt_owner owner;
	int element; /* index into the network's list of such owners */
	/*
	 * Element: local coordinate, output, row of a constraint or of a balance port; of an effort
	 * the first port, and the coordinate of its kind (bxt_effort_of_element). Node: the
	 * coordinate's number in the port kind; of an output, what follows from its coordinates,
	 * the number there. Connection: the row that was written, -1: none. Family: 1 for the
	 * integrated rows.
	 */
	int index;
} bxt_designator;

/* A form of designators, for the reference: a pattern, examples, a sentence. */
typedef struct bxt_designator_row {
	bxt_word word;
	const char *pattern, *example, *doc;
} bxt_designator_row;
extern const bxt_designator_row bxt_designator_rows[]; /* the end: pattern NULL */

/* Appends the name as seen from a scope to the buffer; scope 0: the full name. */
void bxt_designator_print(const bxt_network *net, int scope, const bxt_designator *d,
			  bxt_buffer *out);
/* The same for the path of its owner alone. */
void bxt_designator_print_owner(const bxt_network *net, int scope, const bxt_designator *d,
				bxt_buffer *out);
/* Is it a word of the language, of designators or of <record>? As an id it would make designators
 * ambiguous. */
bool bxt_id_is_reserved(const char *id);
/* Is a primitive the scope itself or below it? */
bool bxt_names_is_inside(const bxt_network *net, int primitive, int scope);
/* Visits the quantities that expressions can read in a scope and below, without momenta and sums
 * over a run. */
void bxt_designators_visit(const bxt_network *net, int scope,
			   void (*visit)(void *, const bxt_designator *), void *visitor);
/* Visits the quantities that records can name, under names that others may hide. */
void bxt_designators_visit_all(const bxt_network *net,
			       void (*visit)(void *, const bxt_designator *), void *visitor);
/*
 * The effort across an element, where two ports and no more are of one kind: of balance kinds the
 * difference of the nodes' efforts, of shared kinds the force that the first node exerts on the
 * element. So effort times flow is the power in. An element with inertia at shared ports has no
 * such effort, since grid values do not determine it.
 */
typedef struct bxt_element_effort {
	int port[2]; /* of the component */
	int sub;     /* which of the kind's coordinates */
	int local;   /* shared kinds: the local coordinate at the first port */
} bxt_element_effort;
/* By its index in a designator; false: there is none. */
bool bxt_effort_of_element(const bxt_element_type *type, int index, bxt_element_effort *out);
/* The element with the output: the owner, or the frame of a node; -1: the node consists of points
 * alone. */
int bxt_designator_of_output(const bxt_network *net, const bxt_designator *d);
/* The kind of an exported port; NULL: it has errors, already reported. */
const bxt_port_kind *bxt_port_kind_of(const bxt_network *net, int port);

/* ---- Resolving ---- */

/*
 * Finds names in a network, which may be under construction. The first name that is not exact
 * builds an index of path ends, in O(size of the network). All other searches are O(length of the
 * name) or O(number of items whose paths end so).
 */
typedef struct bxt_names {
	const bxt_network *net;
	bxt_arena *arena; /* for messages */
	/*
	 * "energy" is that of the whole scope even if a signal has that id; elements have efforts
	 */
	bool recorded;
	bool failed; /* memory ended; sticky */
	/* the current name */
	int scope;
	const char *text;
	bxt_name name;
	bxt_buffer path, cut; /* OUTER.PATH; the same cut into words */
	const char **word;    /* (n_words) */
	size_t n_words, c_words;
	size_t owner_words;      /* how many of them name the owner */
	bxt_name_fault fault;    /* of the current name */
	bxt_designator found[2]; /* the owner, and a second one that fits equally well */
	int n_found;
	/* the index: where a first word names something */
	bxt_map first; /* word -> its first link */
	struct bxt_name_link *link;
	size_t n_links, c_links;
	bxt_map made_up;               /* generated ids of connections */
	size_t indexed[5], n_elements; /* counts when the index was made */
} bxt_names;

void bxt_names_begin(bxt_names *n, const bxt_network *net, bxt_arena *arena);
void bxt_names_end(bxt_names *n);
/* Returns the fault; BXT_NAME_GOOD if *out is found. Adds no findings. */
bxt_name_fault bxt_names_find(bxt_names *n, int scope, const char *text, bxt_designator *out);
/*
 * A message about the fault of the last name, in the arena. `noun` is what is expected ("signal",
 * "coordinate"); `near`: search for the nearest name, O(size of the network).
 */
const char *bxt_names_why(bxt_names *n, const char *noun, bool near);
/* The last name with OUTER.WORD(PATH) as WORD(OUTER.PATH), in the arena; NULL when memory ends. */
const char *bxt_names_plain(const bxt_names *n);
/* The last name that was found, with another path of its owner; NULL when memory ends. */
const char *bxt_names_renamed(const bxt_names *n, bxt_arena *arena, const char *owner);
#endif
