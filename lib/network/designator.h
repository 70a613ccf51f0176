/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one language of names for quantities, as <record>, <signal>, <fix>, <symmetry>, --map, tear
 * and flatten write them:
 *
 *     PATH.NAME  PATH.*  node(PATH).NAME  ID.lambda  energy[(PATH)]  dissipated(PATH)
 *     supplied(PATH)  power(PATH.PORT)  drift(FAMILY)  momentum(ID)  noether(ID)
 *
 * and OUTER.WORD(PATH) for WORD(OUTER.PATH). A text is parsed to spans without a network
 * (bxt_name_parse), resolved in a network from a scope on (bxt_names_find), and printed in full
 * (bxt_designator_print); what was printed is found again as the same quantity.
 *
 * One scope rule: a name is what has exactly that path from the scope; else the only thing of the
 * scope or below whose path ends so.
 */
#ifndef BXT_NETWORK_DESIGNATOR_H
#define BXT_NETWORK_DESIGNATOR_H

#include "network/network.h"

/* ---- Texts ---- */

/* A piece of a text that somebody else owns. */
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
	/* found by bxt_names_find alone */
	BXT_NAME_NO_FAMILY,
	BXT_NAME_NO_OWNER,
	BXT_NAME_NO_QUANTITY,
	BXT_NAME_AMBIGUOUS,
	BXT_NAME_BROKEN /* what it names has errors, which were told */
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
/* Is a full name what was written, or does its path end so? "q" alone is the end of nothing. */
bool bxt_name_is_end(const char *full, const char *written);
/*
 * Where in an expression the first name with a parenthesis begins, and how long it is; the end and
 * 0 when there is none. Names without one are plain words of expressions.
 */
size_t bxt_name_find_call(const char *expression, size_t *length);
/*
 * An expression with other names: word() as in bxt_rename_in_expression for its words, call() for
 * names with a parenthesis, never NULL but when memory ends. NULL when memory ends. What call()
 * gets lives in the arena.
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
	BXT_OWNER_SUBSYSTEM, /* element 0: the whole */
	BXT_OWNER_ELEMENT,
	BXT_OWNER_NODE,
	BXT_OWNER_PORT,
	BXT_OWNER_CONNECTION,
	BXT_OWNER_SIGNAL, /* of the netlist's own; its word is FLOW */
	BXT_OWNER_SYMMETRY,
	BXT_OWNER_FAMILY
} bxt_owner;

/* A quantity: which of the owner's kind it belongs to, and which of its quantities it is. */
typedef struct bxt_designator {
	bxt_word word;
	bxt_owner owner;
	int element; /* into the network's list of such owners */
	/*
	 * Local coordinate, output, row of a constraint, row of an element's balance port; of a
	 * node by the number that its kind gives the coordinate; of a connection the row that was
	 * written, -1: none; of a family 1 for the integrated rows.
	 */
	int index;
} bxt_designator;

/* The name from a scope on, 0 for the full one, added to the buffer. */
void bxt_designator_print(const bxt_network *net, int scope, const bxt_designator *d,
			  bxt_buffer *out);
/* The path of its owner alone. */
void bxt_designator_print_owner(const bxt_network *net, int scope, const bxt_designator *d,
				bxt_buffer *out);
/* Is a primitive the scope or below it? */
bool bxt_names_is_inside(const bxt_network *net, int primitive, int scope);
/* Visits what can be read in a scope and below: not momenta, sums along a run and their like. */
void bxt_designators_visit(const bxt_network *net, int scope,
			   void (*visit)(void *, const bxt_designator *), void *visitor);
/* The kind of an exported port; NULL: it has errors, which were told. */
const bxt_port_kind *bxt_port_kind_of(const bxt_network *net, int port);

/* ---- Resolving ---- */

/*
 * Finds names in a network, which may be under construction. The index of ends of paths is made
 * when a name that is not exact is met first, in O(size of the network); all else is O(length of
 * the name), or of the number of things whose paths end so.
 */
typedef struct bxt_names {
	const bxt_network *net;
	bxt_arena *arena; /* for what is told */
	bool recorded;    /* "energy" is that of the whole before it is a signal's id */
	bool failed;      /* memory ended; sticky */
	/* the name at hand */
	int scope;
	const char *text;
	bxt_name name;
	bxt_buffer path, cut; /* OUTER.PATH; the same in words */
	const char **word;    /* (n_words) */
	size_t n_words, c_words;
	size_t owner_words;      /* how many of them name the owner */
	bxt_name_fault fault;    /* what is wrong with it */
	bxt_designator found[2]; /* the owner, and a second one that fits as well */
	int n_found;
	/* ends of paths: where a first word names something */
	bxt_map first; /* word -> its first link */
	struct bxt_name_link *link;
	size_t n_links, c_links;
	bxt_map made_up;               /* ids of connections that nobody wrote */
	size_t indexed[5], n_elements; /* what there was when they were made */
} bxt_names;

void bxt_names_begin(bxt_names *n, const bxt_network *net, bxt_arena *arena);
void bxt_names_end(bxt_names *n);
/* The fault, BXT_NAME_GOOD when *out is found. Nothing is told. */
bxt_name_fault bxt_names_find(bxt_names *n, int scope, const char *text, bxt_designator *out);
/*
 * What is wrong with the last name, for people, in the arena; `noun` is what the place wants
 * ("signal", "coordinate"), `near` whether to look for the nearest name, O(size of the network).
 */
const char *bxt_names_why(bxt_names *n, const char *noun, bool near);
/* The last name with OUTER.WORD(PATH) as WORD(OUTER.PATH), in the arena; NULL when memory ends. */
const char *bxt_names_plain(const bxt_names *n);
/* The last name that was found with another path of its owner; NULL when memory ends. */
const char *bxt_names_renamed(const bxt_names *n, bxt_arena *arena, const char *owner);
#endif
