/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands and options, each a row of a table. main() and options.c follow the rows; --help, the
 * man page and the completion of shells are printed from them.
 */
#ifndef BXT_REFERENCE_H
#define BXT_REFERENCE_H

#include "tool.h"

/* Commands as bits, in the order of their rows. */
enum {
	OF_RUN = 1 << 0,
	OF_CHECK = 1 << 1,
	OF_INFO = 1 << 2,
	OF_COMPARE = 1 << 3,
	OF_VERIFY = 1 << 4,
	OF_TEAR = 1 << 5,
	OF_FLATTEN = 1 << 6,
	OF_REDUCE = 1 << 7,
	OF_PLOT = 1 << 8,
	OF_DRAW = 1 << 9,
	OF_LIST = 1 << 10,
	OF_DESCRIBE = 1 << 11,
	OF_SCHEMA = 1 << 12,
	OF_EXAMPLES = 1 << 13,
	OF_REFERENCE = 1 << 14,
	OF_IMPORT = 1 << 15,
	OF_SWEEP = 1 << 16,
	OF_DC = 1 << 17,
	OF_AC = 1 << 18,
	OF_LINEARIZE = 1 << 19,
	OF_MODES = 1 << 20,
	OF_EXPORT = 1 << 21,
	OF_SENSITIVITY = 1 << 22,
	OF_STEADY = 1 << 23,
	OF_FIT = 1 << 24,
	OF_LINEAR = OF_AC | OF_LINEARIZE | OF_MODES,
	OF_MODELS = OF_RUN | OF_CHECK | OF_INFO | OF_COMPARE | OF_VERIFY | OF_REDUCE | OF_SWEEP |
		    OF_DC | OF_LINEAR | OF_SENSITIVITY | OF_STEADY | OF_FIT,
	OF_NETLISTS = OF_TEAR | OF_FLATTEN | OF_REDUCE,
	OF_LIBRARIES = OF_LIST | OF_DESCRIBE | OF_SCHEMA,
	OF_ALL = OF_MODELS | OF_NETLISTS | OF_PLOT | OF_DRAW | OF_LIBRARIES | OF_EXAMPLES |
		 OF_REFERENCE | OF_IMPORT | OF_EXPORT
};

/* Texts are plain: an empty line separates paragraphs, and lines are broken when printed. */
typedef struct command {
	const char *name;
	int (*run)(const options *o);
	size_t least, most;    /* allowed numbers of files or names */
	const char *arguments; /* as in "usage: boxtimes NAME ARGUMENTS" */
	const char *brief;     /* a line */
	const char *text;
	const char *more;    /* of the man page alone, or NULL */
	const char *example; /* lines */
	/* What shells complete the arguments to: endings of files, "@components", "=WORD WORD",
	 * or NULL. */
	const char *complete;
} command;

typedef struct option_row option_row;
struct option_row {
	const char *name;
	char letter;          /* of the short form, or 0 */
	const char *argument; /* NULL: a flag */
	unsigned commands;    /* that have it */
	const char *text;
	const char *more; /* of the man page alone, or NULL */
	/* Stores the argument; false after a message. NULL: --help. */
	bool (*accept)(options *o, const option_row *row, const char *argument);
	size_t offset; /* of the field of options that it sets */
	/* As for commands; "@/": folders; "@NAME": the values of that setting. NULL for a row of
	 * accept_setting: the values of its own setting, if these have names. */
	const char *complete;
};

extern const command commands[];
extern const size_t n_commands;
extern const option_row option_rows[];
extern const size_t n_option_rows;

/* Store the argument as a text, a flag, a number or a list item at the row's offset. */
bool accept_text(options *o, const option_row *row, const char *argument);
bool accept_flag(options *o, const option_row *row, const char *argument);
bool accept_item(options *o, const option_row *row, const char *argument);
/* A setting of a run, by the type of the member of bxt_run_def that has the row's name. */
bool accept_setting(options *o, const option_row *row, const char *argument);
/* That member. */
const bxt_member *setting_member(const option_row *row);
/* LEFT=RIGHT with both sides not empty, into a list. */
bool accept_pair(options *o, const option_row *row, const char *argument);
bool accept_time(options *o, const option_row *row, const char *argument);
/* A time, or "=EXPR", which only the netlist's reader understands. */
bool accept_step(options *o, const option_row *row, const char *argument);
bool accept_end(options *o, const option_row *row, const char *argument);
bool accept_positive(options *o, const option_row *row, const char *argument);
/* A whole number, 1 to 1e6. */
bool accept_number(options *o, const option_row *row, const char *argument);
bool accept_seed(options *o, const option_row *row, const char *argument);
bool accept_range(options *o, const option_row *row, const char *argument);
bool accept_log(options *o, const option_row *row, const char *argument);
/* POINTS FROM TO: one argument, or this one and the next two. */
bool accept_frequency(options *o, const option_row *row, const char *argument);
bool accept_frequencies(options *o, const option_row *row, const char *argument);

/* Print --help of the program, of a command. */
void print_overview(FILE *out);
void print_help(const command *c);
/* Print the values of settings on standard output, a line about each. */
void print_settings(void);
/* What `boxtimes reference` prints of the command line: the man page, the words for completion.
 * False: the words name no part of it. */
bool print_reference_of_commands(const list *words);

#endif
