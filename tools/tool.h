/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the commands of the tool. */
#ifndef BXT_TOOL_H
#define BXT_TOOL_H

#include <boxtimes.h>

/* Exit statuses. */
enum { EXIT_OK, EXIT_DIFFERENT, EXIT_USAGE, EXIT_BAD_MODEL, EXIT_NUMERICS };

/* A list of texts that grows; the texts are not owned. */
typedef struct list {
	const char **text;
	size_t n;
} list;

/* The frequencies of ac: --dec, --oct, --lin. */
typedef enum spacing { BY_DECADES, BY_OCTAVES, LINEAR } spacing;
typedef struct frequencies {
	spacing spacing;
	unsigned points; /* of each decade or octave, of all; 0: not given */
	double from, to; /* [Hz] */
} frequencies;

/* ---- The options of the command line, by the commands that have them ---- */

typedef struct run_options {
	const char *report, *animate; /* files; NULL: not asked for */
	/* --save-every as written, --checkpoint (of steady, too), --continue */
	const char *save_every, *checkpoint, *go_on;
	bool strict, accuracy, verbose, plain_header;
	bool ascii; /* of raw files, those of ac too */
} run_options;

/* Of plot; columns and title are those of compare's picture, too. */
typedef struct picture_options {
	const char *columns, *title;
	const char *xy, *overlay, *space;
	double range[2]; /* [s] */
	bool log[2];     /* of x, y */
	bool spectrum, open;
	bool over_frequency; /* the first column is a frequency; set by ac */
} picture_options;

/* Ways to name the parts of tear; --parts as written. */
typedef struct tear_options {
	const char *node, *elements, *like, *parts;
	const char *part_names;
} tear_options;

typedef struct import_options {
	const char *base; /* of a robot */
	bool flat;        /* of a deck */
	list close;       /* joints that close loops */
} import_options;

typedef struct verify_options {
	const char *against;
	bool hamilton_jacobi;
	double at; /* [s] */
} verify_options;

/* Of reduce. */
typedef struct reduction_options {
	const char *part, *method, *as, *snapshots;
	int modes;
	bool weights;
	double misfit;
} reduction_options;

/* Of sweep and dc. */
typedef struct sweep_options {
	const char *cases, *measures, *waveforms;
	int draws, jobs;
} sweep_options;

/* Of ac, linearize and modes. */
typedef struct linear_options {
	const char *from;
	const char *form, *nyquist; /* of ac */
	frequencies frequencies;    /* of ac */
	bool by_states;             /* --reduce of linearize */
	int count;                  /* of modes; 0: not given */
	double near;                /* of modes [Hz] */
} linear_options;

/* Of sensitivity, steady and fit. */
typedef struct study_options {
	const char *by, *vary;
	bool oscillator;
	double period; /* [s] */
} study_options;

/* Of list, describe, examples and reference. */
typedef struct listing_options {
	const char *format;
	bool names, settings;
} listing_options;

typedef struct options {
	const char *command;
	int argc; /* the command line, for reports */
	char **argv;
	/* of several commands */
	list files, library, set, map, plugins;
	bxt_run_def def;
	const char *step, *end; /* --step and --end where they are "=EXPR": for the netlist */
	const char *output;     /* -o */
	const char *plot;       /* --plot */
	const char *to;         /* outputs of ac, linearize and sensitivity; data of fit */
	double tolerance;       /* of compare, verify and reduce */
	uint64_t seed;          /* of verify and sweep */
	bool canonical;         /* of flatten */
	bool json, quiet;
	/* of one family */
	run_options run;
	picture_options picture;
	tear_options tear;
	import_options import;
	verify_options verify;
	reduction_options reduction;
	sweep_options sweep;
	linear_options linear;
	study_options study;
	listing_options listing;
} options;

/* A model and the objects that it depends on. */
typedef struct model {
	const char *file;
	bxt_netlist *netlist;
	bxt_system *system;
	bxt_state *state;
	double seconds; /* reading and compiling */
	/* the findings so far, a line each; NULL: they are not kept, or there are none */
	char *messages;
} model;

/* A row of the table of commands (reference.h). */
typedef struct command command;

/* Parses argv (after the program's name). Returns the exit status; negative: go on. */
int options_parse(options *o, const command *c, int argc, char **argv);
void options_free(options *o);
/* False after a message when out of memory. */
bool list_add(list *l, const char *text);

/*
 * Says something on standard error; names from files and from the command line are in it, so it is
 * written plain (bxt_write_plain).
 */
void print_message(const char *format, ...) BXT_PRINTF(1, 2);
/* The same on that stream. */
void print_message_on(FILE *stream, const char *format, ...) BXT_PRINTF(2, 3);

/* The component library of the options, the environment and the installation. NULL after a message.
 */
bxt_library *open_library(const options *o);
/* The folder of the shipped netlists, beside that of the components; heap memory, NULL: none. */
char *find_netlists(const options *o);
/* Reads, sets parameters, compiles, and with `start` finds a consistent start; findings are
 * printed. */
int model_open(model *m, const options *o, const char *file, bxt_library *library, bool start);
/* Starts a model that was opened without. */
int model_start(model *m, const options *o);
void model_close(model *m);
/* Appends findings to the messages of a model. */
void model_keep(model *m, const bxt_diagnostics *d);
/* Reads a netlist and sets parameters by the options; findings go to d. */
bxt_status read_netlist(const options *o, const char *file, bxt_diagnostics *d, bxt_netlist **out);

/*
 * Prints findings to stderr as file:line: error: text, notes only without --quiet, and frees them;
 * a failure without a finding gets a message. Returns the exit status for the library status.
 */
int report(bxt_status status, bxt_diagnostics *d, const char *file, bool quiet);
/* Draws the columns of a table as text on standard output. Returns the exit status. */
int plot_on_terminal(bxt_table *table, const options *o, const char *file);
/* Says when a listing did not reach standard output, like any other file; returns result. */
int written(bxt_status status, int result);
/* Draws them as an SVG picture, for fclose; NULL after a message. */
FILE *plot_picture(bxt_table *table, const options *o, const char *file);
/* The run's definition with a progress bar and an interrupt handler added. */
bxt_run_def watched(const options *o);
/* Ends the line of the progress bar, if there is one. */
void progress_done(void);

/* Commands. */
int command_run(const options *o);
int command_check(const options *o);
int command_info(const options *o);
int command_compare(const options *o);
int command_list(const options *o);
int command_describe(const options *o);
int command_schema(const options *o);
int command_reference(const options *o);
int command_examples(const options *o);
int command_plot(const options *o);
int command_draw(const options *o);
int command_verify(const options *o);
int command_tear(const options *o);
int command_flatten(const options *o);
int command_reduce(const options *o);
int command_import(const options *o);
int command_sweep(const options *o);
int command_dc(const options *o);
int command_ac(const options *o);
int command_linearize(const options *o);
int command_modes(const options *o);
int command_export(const options *o);
int command_sensitivity(const options *o);
int command_steady(const options *o);
int command_fit(const options *o);

#endif
