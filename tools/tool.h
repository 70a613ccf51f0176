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

/* The options of the command line. */
typedef struct options {
	const char *command;
	list files, library, set, map, plugins, close;
	bxt_run_def def;
	const char *step, *end;       /* --step and --end where they are "=EXPR": for the netlist */
	const char *output;           /* -o */
	const char *columns, *title;  /* of plot, and of compare's picture */
	const char *plot;             /* --plot */
	const char *report, *animate; /* --report, --animate of run */
	/* --save-every as written, --checkpoint, --continue of run */
	const char *save_every, *checkpoint, *go_on;
	int argc; /* the command line, for reports */
	char **argv;
	const char *format;               /* --format */
	const char *xy, *overlay, *space; /* of plot */
	double range[2];                  /* --range, [s] */
	bool log[2], spectrum, open;      /* --log: x, y */
	double tolerance;
	const char *against;                             /* --against of verify */
	bool hamilton_jacobi;                            /* --hamilton-jacobi of verify */
	double at;                                       /* --at, [s] */
	uint64_t seed;                                   /* --seed */
	const char *node, *elements, *like, *part_names; /* of tear */
	const char *base;                                /* of import */
	bool flat;                                       /* --flat of import */
	const char *parts;                               /* --parts, as written */
	bool canonical;                                  /* of flatten */
	const char *part, *method, *as, *snapshots;      /* of reduce */
	int modes;
	const char *cases, *measures; /* of sweep, dc */
	int draws, jobs;
	bool weights;
	double misfit;
	const char *from, *to, *form; /* of ac and linearize */
	const char *nyquist;          /* of ac */
	const char *waveforms;        /* of sweep */
	frequencies frequencies;
	bool oscillator;       /* of steady */
	bool reduce;           /* of linearize */
	int count;             /* of modes; 0: not given */
	double near;           /* [Hz] of modes */
	const char *by, *vary; /* of sensitivity, fit */
	double period;         /* of steady [s] */
	bool over_frequency;   /* of a picture: the first column is a frequency */
	bool json, quiet, names, settings;
	bool strict, accuracy, verbose, plain_header, ascii; /* of run */
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
void say(const char *format, ...) BXT_PRINTF(1, 2);
/* The same on that stream. */
void say_on(FILE *stream, const char *format, ...) BXT_PRINTF(2, 3);

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
