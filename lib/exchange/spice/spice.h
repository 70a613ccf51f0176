/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts circuits in SPICE's input language to netlists. spice_lines.c joins the lines of a file
 * to logical lines. spice_deck.c makes a tree of blocks of them: the deck and its subcircuits.
 * spice_expand.c turns each use of a block into a scope with its own nodes and ids, and writes its
 * elements as text. Parameters are evaluated for each use and do not occur in the netlist.
 *
 * The limits below bound the memory and the time that a hostile deck can take. Beyond each of them
 * the import ends with an error.
 */
#ifndef BXT_SPICE_SPICE_H
#define BXT_SPICE_SPICE_H

#include "ground/base/arena.h"
#include "ground/base/diagnostics.h"
#include "ground/base/text.h"
#include "model/netlist/netlist.h"

enum {
	BXT_SPICE_BYTES = 1 << 26,   /* of the deck and all files that it includes */
	BXT_SPICE_LINES = 500000,    /* likewise */
	BXT_SPICE_FILES = 5000,      /* included files; a file counts each time */
	BXT_SPICE_DEPTH = 40,        /* of includes, subcircuits in subcircuits, calls of .func */
	BXT_SPICE_NESTING = 200,     /* of parentheses in an expression */
	BXT_SPICE_TERMS = 1500,      /* in a row, and levels of an expression */
	BXT_SPICE_ELEMENTS = 100000, /* after subcircuits are expanded */
	BXT_SPICE_WORK = 4000000,    /* operations on expressions */
	BXT_SPICE_EXPRESSION = 1 << 20, /* bytes of one expression in the netlist */
	BXT_SPICE_WINDINGS = 200,       /* that are coupled with each other */
	BXT_SPICE_ERRORS = 100          /* errors that are reported; reading stops then */
};

/* ---- Lines ---- */

/* A logical line: continued lines are joined, comments are gone. */
typedef struct bxt_deck_line {
	const char *text, *file;
	int number;
	bool error, warned; /* one of each kind, however often the line is used */
	const struct bxt_spice_branch *branch; /* branch of an .if in a subcircuit; NULL: none */
} bxt_deck_line;

/* ---- Expressions ---- */

/*
 * op: 'n' number, 'x' name, 'f' function of that name, 'v' voltage between the nodes name and other
 * (NULL: the reference), 'i' current of the source name (NULL: of the element), 't' time, '~'
 * minus, '!' not, + - * / ^, comparisons < > l(<=) g(>=) =(==) #(!=), & and, | or, '?' a
 * conditional expression.
 */
typedef struct bxt_spice_expr bxt_spice_expr;
struct bxt_spice_expr {
	char op;
	double value;
	const char *name, *other;
	const bxt_spice_expr **of;
	int n, depth;
};

/* ---- Blocks: the deck and its subcircuits ---- */

typedef struct bxt_spice_assignment {
	const char *name, *text; /* name in lower case; text without braces */
	bxt_deck_line *line;
} bxt_spice_assignment;

typedef struct bxt_spice_list {
	bxt_spice_assignment *items;
	size_t n, capacity;
} bxt_spice_list;

typedef struct bxt_spice_function {
	const char **arguments;
	int n;
	const bxt_spice_expr *body;
	bxt_deck_line *line;
} bxt_spice_function;

typedef struct bxt_spice_model {
	const char *name, *type; /* type in lower case */
	bxt_spice_list values;
	bxt_deck_line *line;
} bxt_spice_model;

typedef struct bxt_deck_block {
	struct bxt_deck_block *outer;
	const char *name;
	bxt_deck_line *line;
	const char **pins; /* in lower case */
	int n_pins;
	bxt_spice_list parameters; /* the first n_given are on the line .subckt */
	size_t n_given;
	bxt_map parameter_index, function_index, model_index, block_index;
	bxt_spice_function *functions;
	size_t n_functions, functions_capacity;
	bxt_spice_model *models;
	size_t n_models, models_capacity;
	bxt_deck_line **elements, **conditions; /* .ic and .nodeset */
	size_t n_elements, elements_capacity, n_conditions, conditions_capacity;
} bxt_deck_block;

/* One use of a block: values of its parameters, as far as they are known. */
typedef struct bxt_spice_env {
	const struct bxt_spice_env *outer;
	const bxt_deck_block *block;
	double *values;
	char *states; /* 0 not yet, 1 in work, 2 known, 3 faulty */
} bxt_spice_env;

/* The run of .tran, in seconds. */
typedef struct bxt_spice_tran {
	bxt_deck_line *line; /* NULL: the deck has none */
	double step, stop, start, max;
} bxt_spice_tran;

/* Components of devices: those of the library called spice-..., once a device has been met. */
typedef struct bxt_spice_library {
	bxt_library *library; /* NULL: none */
	const char **names;
	size_t n, capacity;
} bxt_spice_library;

typedef struct bxt_deck {
	bxt_arena *arena;
	bxt_diagnostics *d;
	const char *file, *folder; /* folder: NULL without a file */
	bool flat;
	const char *title;
	bxt_deck_line **lines;
	size_t n_lines, lines_capacity, physical, bytes;
	int files;
	bxt_deck_block **blocks;
	size_t n_blocks, blocks_capacity;
	bxt_map globals;                    /* names of .global */
	bxt_deck_line **commands, *control; /* lines with a point in front; the first of .control */
	size_t n_commands, commands_capacity;
	bool behavioural; /* the expression being read is one of a source, not of parameters */
	size_t work, n_elements;
	int depth; /* of evaluation */
	int errors;
	bool failed; /* out of memory */
	/* analysis */
	bxt_spice_tran tran;
	double reltol;               /* of .options */
	double temperature, nominal; /* in degrees Celsius */
	bool uic;
	/* text of the netlist */
	bxt_buffer remarks, components;
	bxt_map component_numbers; /* text of an inline component -> number */
	bool nonlinear, has_ic;
	bxt_spice_library devices;
} bxt_deck;

/*
 * Errors are counted, and reported once for each line. After BXT_SPICE_ERRORS of them reading ends.
 */
void bxt_deck_error(bxt_deck *deck, bxt_deck_line *line, const char *format, ...) BXT_PRINTF(3, 4);
void bxt_deck_warning(bxt_deck *deck, bxt_deck_line *line, const char *format, ...)
	BXT_PRINTF(3, 4);
/* Must the import end here? */
bool bxt_deck_is_over(const bxt_deck *deck);

/* ---- spice_text.c ---- */

char *bxt_spice_lower(bxt_arena *arena, const char *text, size_t length);
bool bxt_spice_same(const char *a, const char *b); /* in any case */
bool bxt_spice_begins(const char *text, const char *lower);
bool bxt_spice_is_word(char c); /* part of a name in an expression */
/*
 * Reads a number with a suffix at the start of s. Returns the number of characters read, including
 * the letters after the number; 0: there is no number.
 */
size_t bxt_spice_number(const char *s, double *value);

/*
 * The words of a line, separated by blanks, commas and parentheses. Text in braces or quotes is one
 * word, without the braces or quotes. The words before the first "name =" are listed as words, the
 * rest as assignments.
 */
typedef struct bxt_spice_words {
	const char **word;
	int n;
	const char *rest; /* from the first "name =" on */
} bxt_spice_words;
bxt_spice_words bxt_spice_split(bxt_deck *deck, const char *text);
/* "a=1 b={2*a}" */
void bxt_spice_assignments(bxt_deck *deck, const char *text, bxt_deck_line *line,
			   bxt_spice_list *list);
void bxt_spice_list_add(bxt_deck *deck, bxt_spice_list *list, bxt_spice_assignment item);
/* The last assignment to that name; NULL: none. */
const bxt_spice_assignment *bxt_spice_find(const bxt_spice_list *list, const char *name);

/* ---- spice_lines.c ---- */

void bxt_deck_read_file(bxt_deck *deck, const char *path);
void bxt_deck_read_text(bxt_deck *deck, const char *text, size_t length);

/* ---- spice_expression.c: parsing; NULL after an error ---- */

const bxt_spice_expr *bxt_spice_parse(bxt_deck *deck, const char *text, bxt_deck_line *line);
bxt_spice_expr *bxt_spice_new(bxt_deck *deck, char op, int n);
const bxt_spice_expr *bxt_spice_constant(bxt_deck *deck, double value);
const bxt_spice_expr *bxt_spice_binary(bxt_deck *deck, char op, const bxt_spice_expr *a,
				       const bxt_spice_expr *b);

/* ---- spice_reduce.c: replaces parameters by numbers, and functions by their bodies ---- */

const bxt_spice_expr *bxt_spice_reduce(bxt_deck *deck, const bxt_spice_env *env,
				       const bxt_spice_expr *e, bxt_deck_line *line);
/* Reads a number, a parameter or an expression; false after an error. */
bool bxt_spice_value(bxt_deck *deck, const bxt_spice_env *env, const char *text,
		     bxt_deck_line *line, double *value);
bxt_spice_env *bxt_spice_enter(bxt_deck *deck, const bxt_spice_env *outer,
			       const bxt_deck_block *block);

/* ---- spice_print.c: prints an expression in the language of netlists ---- */

/* Returns the name of a quantity that is sensed; NULL after an error. */
typedef struct bxt_spice_senses {
	void *context;
	const char *(*name)(void *context, const bxt_spice_expr *sensed);
} bxt_spice_senses;
void bxt_spice_print(bxt_deck *deck, const bxt_spice_expr *e, const bxt_spice_senses *senses,
		     bxt_deck_line *line, bxt_buffer *out);
/* Prints the fewest digits that reproduce the number. */
void bxt_spice_add_number(bxt_buffer *out, double value);
void bxt_spice_add_escaped(bxt_buffer *out, const char *text);

/* ---- spice_deck.c: reads lines into blocks, and the analysis ---- */

void bxt_deck_read_blocks(bxt_deck *deck);
const bxt_spice_model *bxt_deck_model(const bxt_spice_env *env, const char *name,
				      const bxt_spice_env **where);
/* spice_commands.c */
void bxt_deck_read_commands(bxt_deck *deck, const bxt_spice_env *env);
/* Adds a line to the comment at the head of the netlist. */
void bxt_deck_remark(bxt_deck *deck, const char *text);

/* ---- spice_conditions.c: .if, .elseif, .else and .endif ---- */

typedef struct bxt_spice_branch {
	const char *test; /* NULL: .else */
	bxt_deck_line *line;
	const struct bxt_spice_branch *before, *outer; /* of the same .if; around it */
} bxt_spice_branch;

/* An .if that is open while lines are read. */
typedef struct bxt_spice_if {
	const bxt_deck_block *block; /* in which it stands */
	bxt_deck_line *line;
	bxt_spice_branch *branch;    /* the branch that began last */
	bool outside, active, taken; /* condition around it; this branch; an earlier branch */
	bool last;                   /* .else has occurred */
} bxt_spice_if;

typedef struct bxt_spice_ifs {
	bxt_spice_if stack[BXT_SPICE_DEPTH];
	int n;
} bxt_spice_ifs;

bool bxt_spice_is_command(const char *text, const char *name);
/* Is the line one of .if, .elseif, .else and .endif? */
bool bxt_spice_take_if(bxt_deck *deck, bxt_spice_ifs *ifs, const bxt_deck_block *block,
		       bxt_deck_line *line);
bool bxt_spice_is_skipped(bxt_deck *deck, const bxt_spice_ifs *ifs, const bxt_deck_block *block,
			  bxt_deck_line *line);
void bxt_spice_check_ifs(bxt_deck *deck, const bxt_spice_ifs *ifs);
/* Does the branch hold for one use of the subcircuit that contains it? NULL holds. */
bool bxt_spice_branch_holds(bxt_deck *deck, const bxt_spice_env *env,
			    const bxt_spice_branch *branch);

/* ---- spice_scope.c: ids, nodes, text of elements ---- */

typedef struct bxt_spice_node {
	const char *id;
	bool used;          /* by an element */
	bxt_buffer outside; /* ports of subsystems that are joined to it, each after a blank */
	int n_outside;
	bool pin;           /* a pin of the subcircuit */
	const char *port;   /* its port, if it is exported */
	const char *alias;  /* otherwise the node of a subsystem that has its voltage */
	const char *global; /* its name, where it is one of .global */
} bxt_spice_node;

typedef struct bxt_spice_sense {
	const char *source;  /* name of a voltage source in lower case */
	bxt_deck_line *line; /* the first line that senses it */
	int n, taken;        /* how many senses are in series with it */
	const char **series; /* nodes before each of them, and after the last */
} bxt_spice_sense;

typedef struct bxt_spice_winding {
	const char *id;
	double L;
} bxt_spice_winding;

typedef struct bxt_spice_pair {
	int a, b;
	double k;
	const char *id;
	bxt_deck_line *line;
} bxt_spice_pair;

typedef struct bxt_spice_scope {
	bxt_deck *deck;
	struct bxt_spice_scope *outer, *root; /* root: the scope that owns ids and text */
	const bxt_spice_env *env;
	const char *prefix; /* of ids, when flat */
	int depth;
	bxt_map node_index, node_ids, ids;
	bxt_spice_node *nodes;
	size_t n_nodes, nodes_capacity;
	bxt_map element_ids; /* name in lower case -> its id in id_names */
	const char **id_names;
	size_t n_id_names, id_names_capacity;
	bxt_map sense_index;
	bxt_spice_sense *senses;
	size_t n_senses, senses_capacity;
	bxt_map winding_index; /* name in lower case */
	bxt_spice_winding *windings;
	size_t n_windings, windings_capacity;
	bxt_map condition_index; /* of .ic: node in lower case -> conditions */
	bxt_map nodeset_index;   /* the same of .nodeset */
	double *conditions;
	size_t n_conditions, conditions_capacity;
	bxt_spice_pair *pairs; /* that are coupled */
	size_t n_pairs, pairs_capacity;
	bxt_buffer xml;
} bxt_spice_scope;

/* The id of a node, for an element, or (used false) for a connection; "" after an error. */
const char *bxt_spice_node_id(bxt_spice_scope *scope, const char *name, bool used);
/* NULL: the reference, or out of memory. */
bxt_spice_node *bxt_spice_node_of(bxt_spice_scope *scope, const char *name);
/* Gives a node of the scope the id of another node. */
void bxt_spice_tie_node(bxt_spice_scope *scope, const char *name, const char *id);
/* A new node with an id of its own. */
const char *bxt_spice_new_node(bxt_spice_scope *scope, const char *wish);
const char *bxt_spice_new_id(bxt_spice_scope *scope, const char *wish);
/* The id of the element of that name; NULL: none. */
const char *bxt_spice_element_id(bxt_spice_scope *scope, const char *name);
void bxt_spice_scope_free(bxt_spice_scope *scope);
/* Writes the text: "  <COMPONENT id=\"ID\"", attributes, "/>". */
bxt_buffer *bxt_spice_open(bxt_spice_scope *scope, const char *component, const char *id);
void bxt_spice_node_attribute(bxt_spice_scope *scope, const char *port, const char *name);
void bxt_spice_text_attribute(bxt_spice_scope *scope, const char *name, const char *value);
void bxt_spice_value_attribute(bxt_spice_scope *scope, const char *name, double value,
			       const char *unit);
void bxt_spice_close(bxt_spice_scope *scope);

/* The element line that is being converted. */
typedef struct bxt_spice_element {
	bxt_deck_line *line;
	bxt_spice_words words; /* word[0] is the name */
	bxt_spice_list values;
	const char *id;
} bxt_spice_element;
/* The value of an assignment; `usual` if there is none. */
double bxt_spice_assigned(bxt_spice_scope *scope, const bxt_spice_element *e, const char *name,
			  double usual);
/*
 * The temperature in degrees Celsius: TEMP of the element, otherwise that of the deck plus DTEMP,
 * as in ngspice.
 */
double bxt_spice_temperature(bxt_spice_scope *scope, const bxt_spice_element *e);
/*
 * Reports an error for each assignment that is not in the list of names, which ends with NULL.
 * Names after "" are accepted and ignored.
 */
void bxt_spice_check_names(bxt_spice_scope *scope, const bxt_spice_element *e,
			   const char *const *names);
/* The voltage that .ic sets at a node; false: none. */
bool bxt_spice_condition(bxt_spice_scope *scope, const char *node, double *v);
bool bxt_spice_needs(bxt_spice_scope *scope, const bxt_spice_element *e, int n, const char *form);

/* ---- spice_sources.c, spice_behaviour.c, spice_devices.c, spice_elements.c ---- */

/* The waveform of V or I as text: a number, or "=EXPRESSION". */
void bxt_spice_source(bxt_spice_scope *scope, const bxt_spice_element *e);
void bxt_spice_b_source(bxt_spice_scope *scope, const bxt_spice_element *e);
void bxt_spice_controlled(bxt_spice_scope *scope, const bxt_spice_element *e);
/* Writes a resistance that depends on voltages, currents or time; false: it is constant. */
bool bxt_spice_b_resistor(bxt_spice_scope *scope, const bxt_spice_element *e, const char *text,
			  double factor);
/* Writes a voltage source ('v') or current source whose law is that text. */
void bxt_spice_law(bxt_spice_scope *scope, const bxt_spice_element *e, char kind, const char *text);
/*
 * Finds the sources whose currents F and H sense in series, and the nodes between. To be called
 * before elements are written.
 */
void bxt_spice_count_sense(bxt_spice_scope *scope, bxt_deck_line *line, const bxt_spice_words *w);
void bxt_spice_place_sense(bxt_spice_scope *scope, const bxt_spice_words *w);
void bxt_spice_check_senses(bxt_spice_scope *scope);
void bxt_spice_switch(bxt_spice_scope *scope, const bxt_spice_element *e);
void bxt_spice_line(bxt_spice_scope *scope, const bxt_spice_element *e);
/* Adds an inline component, from its text with %s for the name. Returns the name. */
const char *bxt_spice_inline(bxt_deck *deck, const char *before, const char *after);
void bxt_spice_write_device(bxt_spice_scope *scope, const bxt_spice_element *e);
void bxt_spice_passive(bxt_spice_scope *scope, const bxt_spice_element *e);
/* spice_coupling.c: collects lines K when all L are known, then writes the coupled windings. */
void bxt_spice_couple(bxt_spice_scope *scope, const bxt_spice_element *e);
void bxt_spice_write_couplings(bxt_spice_scope *scope);

/* ---- spice_expand.c ---- */

/* Writes the elements of the deck as text into root->xml. */
void bxt_spice_expand(bxt_deck *deck, bxt_spice_env *env, bxt_spice_scope *root);

/* ---- spice_netlist.c ---- */

void bxt_spice_write(bxt_deck *deck, bxt_spice_scope *root, bxt_buffer *out);

#endif
