/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * boxtimes: interconnected Lagrange-Dirac and port-Hamiltonian systems.
 *
 * Data moves one way:
 *
 *     bxt_netlist --compile--> const bxt_system --initialize--> bxt_state --run--> sink, summary
 *
 * Every function that can fail returns a bxt_status. It describes the failure in the
 * bxt_diagnostics list of the caller. The library never exits, aborts or prints. It keeps no
 * global state but the database of units, which it reads once.
 *
 * Threads may share a bxt_library, a const bxt_system, and a bxt_netlist while nobody edits it. Any
 * other object is for one thread at a time.
 *
 * A public struct begins with its size, and later versions only append fields. What the caller
 * fills may be shorter than the library's own. Of what the library fills, `size` is that of the
 * library: the distance of two entries of an array, and which fields there are.
 */
#ifndef BOXTIMES_H
#define BOXTIMES_H

#include "boxtimes_steps.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BXT_API __attribute__((visibility("default")))
#define BXT_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define BXT_API
#define BXT_PRINTF(fmt, first)
#endif

/* ---- Status ---- */

/* name, what it means. Codes from BXT_ERR_SINGULAR on are numerical failures. */
#define BXT_STATUS_LIST(X)                                                                         \
	X(BXT_OK, "no error")                                                                      \
	X(BXT_ERR_MEMORY, "out of memory")                                                         \
	X(BXT_ERR_ARGUMENT, "the caller broke the contract of a function")                         \
	X(BXT_ERR_IO, "a file could not be read or written")                                       \
	X(BXT_ERR_MODEL, "the model has errors, see the diagnostics")                              \
	X(BXT_ERR_INTERRUPTED, "the run was stopped from outside")                                 \
	X(BXT_ERR_PLUGIN, "a plug-in failed, crashed or did not return")                           \
	X(BXT_ERR_SINGULAR, "the linear system of a step is singular")                             \
	X(BXT_ERR_NEWTON, "Newton's method did not converge")                                      \
	X(BXT_ERR_NOT_FINITE, "a value became infinite or not a number")                           \
	X(BXT_ERR_TRUST, "the run has ended, but its results are wrong")

typedef enum bxt_status {
#define BXT_ENUM(name, text) name,
	BXT_STATUS_LIST(BXT_ENUM)
#undef BXT_ENUM
} bxt_status;

/* The name of a code, "BXT_OK"; and what it means, in words. Both are static strings. */
BXT_API const char *bxt_status_name(bxt_status status);
BXT_API const char *bxt_status_text(bxt_status status);

/* The version of these headers, and that of the library that runs, "0.1.0". */
#define BXT_VERSION_MAJOR 0
#define BXT_VERSION_MINOR 1
#define BXT_VERSION_PATCH 0
BXT_API const char *bxt_version(void);

/* ---- Diagnostics ---- */

typedef enum bxt_severity { BXT_NOTE, BXT_WARNING, BXT_ERROR } bxt_severity;

/* One finding. Strings belong to the list and live as long as it does. */
typedef struct bxt_finding {
	size_t size; /* sizeof(bxt_finding) */
	bxt_severity severity;
	const char *file; /* NULL when the finding concerns no file */
	int line;         /* 1-based; 0 when unknown */
	const char *text;
} bxt_finding;

/* A list of findings in the order in which they were made. */
typedef struct bxt_diagnostics bxt_diagnostics;

/* NULL when out of memory. */
BXT_API bxt_diagnostics *bxt_diagnostics_new(void);
/* Always returns NULL; NULL is allowed. */
BXT_API bxt_diagnostics *bxt_diagnostics_free(bxt_diagnostics *diagnostics);
/* The number of findings, and of those the number with at least the given severity. */
BXT_API size_t bxt_diagnostics_count(const bxt_diagnostics *diagnostics, bxt_severity at_least);
/* Finding number i, 0 <= i < bxt_diagnostics_count(d, BXT_NOTE); NULL outside. */
BXT_API const bxt_finding *bxt_diagnostics_get(const bxt_diagnostics *diagnostics, size_t i);

/*
 * Writes text of any origin for people to read. Control characters but tabs and line feeds,
 * characters that reorder or hide text, and bytes that are not UTF-8 become escapes ("\x1B",
 * "\u202E", "\xFF"), so that a terminal obeys nothing. Findings are written so already.
 */
BXT_API void bxt_write_plain(const char *text, FILE *stream);

/* ---- Component library and netlist ---- */

/* The component library: directories with component files. Owned by the caller. */
typedef struct bxt_library bxt_library;

/*
 * A library that searches the given directories in this order (n may be 0). NULL when out of memory
 * or when the unit database cannot be loaded. Unreadable directories are findings (warnings).
 */
BXT_API bxt_library *bxt_library_new(const char *const *directories, size_t n, bxt_diagnostics *d);
BXT_API bxt_library *bxt_library_free(bxt_library *library);

/* An editable netlist: a tree that remembers file and line of everything. */
typedef struct bxt_netlist bxt_netlist;

/*
 * Reads a netlist file ("-": standard input). BXT_ERR_IO or BXT_ERR_MODEL with findings; then
 * *out is NULL.
 */
BXT_API bxt_status bxt_netlist_read(const char *path, bxt_diagnostics *d, bxt_netlist **out);
/* The same from memory; `name` stands for the file in messages. */
BXT_API bxt_status bxt_netlist_read_memory(const char *bytes, size_t length, const char *name,
					   bxt_diagnostics *d, bxt_netlist **out);
/* Writes it back as XML: same content, order, comments and foreign elements. */
BXT_API bxt_status bxt_netlist_write(const bxt_netlist *netlist, FILE *stream);
BXT_API bxt_netlist *bxt_netlist_free(bxt_netlist *netlist);
/*
 * Sets an attribute, for example a parameter, of the element with that path of ids ("loop.R1"). The
 * path "" is the netlist itself; "simulation" its <simulation>, made when absent. BXT_ERR_MODEL
 * with a finding (nearest id) when there is no such element.
 */
BXT_API bxt_status bxt_netlist_set(bxt_netlist *netlist, const char *path, const char *attribute,
				   const char *value, bxt_diagnostics *d);

/* ---- Taking networks apart and putting them together ---- */

/*
 * Flattens a torn netlist into its monolithic twin. Subsystems and included files dissolve; the
 * parameters of those files become the netlist's own. Nodes joined by <connect> become one.
 * Elements and nodes keep their names; where two would collide, both are called by their paths,
 * with "_" for ".". Rows of <interconnection> other than <connect> stay, between ports of the
 * netlist itself. Comments, foreign elements, inline components, parameters and settings stay.
 * Signals of <record> that no longer exist are dropped with a warning. A netlist without subsystems
 * and connections gets its canonical form. *out is the caller's. BXT_ERR_MODEL with findings:
 * errors of the netlist, contradicting initial values of joined nodes.
 */
BXT_API bxt_status bxt_netlist_flatten(const bxt_netlist *netlist, bxt_library *library,
				       bxt_diagnostics *d, bxt_netlist **out);

/* Where to cut a netlist: set one of node, elements, parts and like. */
typedef struct bxt_tear_def {
	/* sizeof(bxt_tear_def), set by bxt_default_tear_def; fields that a later library
	 * appends count as absent */
	size_t size;
	/* at that node: each part that stays connected without it and the reference is a
	 * subsystem */
	const char *node;
	/* these elements against the rest: ids separated by white space or commas */
	const char *elements;
	/* into this many parts of about the same number of elements with few common nodes */
	int parts;
	/* like this torn netlist, with its names. Its monolithic twin must have the model's
	 * elements and nodes. Files that it includes stay included, with the same values. */
	const bxt_netlist *like;
	/* ids of the subsystems, separated by white space or commas; NULL: part1, part2, ... */
	const char *names;
} bxt_tear_def;
BXT_API void bxt_default_tear_def(bxt_tear_def *def);

/*
 * Cuts a netlist without subsystems into subsystems. A node that several parts use is in each of
 * them, with the same name and initial values, exported as a port; a <connect> named after it joins
 * them. Elements that are bound to each other (mutual inductances) stay together; the reference is
 * in every part. Signals of <record> get their new paths. The result is deterministic; *out is the
 * caller's. BXT_ERR_MODEL with findings: errors of the netlist, unknown names (nearest name), parts
 * without elements.
 */
BXT_API bxt_status bxt_netlist_tear(const bxt_netlist *netlist, bxt_library *library,
				    const bxt_tear_def *def, bxt_diagnostics *d, bxt_netlist **out);

/*
 * The canonical form: elements, nodes, subsystems, ports and connections sorted in the natural
 * order of their ids, group by group, with uniform white space. A comment moves with the item that
 * it precedes, or that it follows on the same line. Flat netlists stay flat, torn ones torn. *out
 * is the caller's.
 */
BXT_API bxt_status bxt_netlist_canonical(const bxt_netlist *netlist, bxt_netlist **out);

/*
 * Prepares a netlist to be written to `file`, and names it so. References to matrices, tables,
 * plug-ins and netlists become relative to the new folder. BXT_ERR_MODEL with findings when they do
 * not lie in that folder or below; the netlist is then unusable.
 */
BXT_API bxt_status bxt_netlist_move(bxt_netlist *netlist, bxt_library *library, const char *file,
				    bxt_diagnostics *d);

/*
 * Is the file `path` one of those that the netlist is made of: itself, included netlists, tables,
 * matrices, plug-ins, components that were read with the library? Links are resolved, so what it is
 * called does not matter. *out is the name by which the netlist knows it, heap memory for free(),
 * or NULL for none.
 */
BXT_API bxt_status bxt_netlist_find_file(const bxt_netlist *netlist, bxt_library *library,
					 const char *path, char **out);

/* ---- The compiled system ---- */

/* Compiled and immutable: index layout, sparsity pattern, assembly slots, tapes. */
typedef struct bxt_system bxt_system;

/*
 * Compiles a netlist: (D_1 (+) ... (+) D_n) [x] D_int as one sparse block system. The netlist and
 * the library must outlive the system. BXT_ERR_MODEL with all findings in d; *out is then NULL.
 * Time and memory are linear in the number of elements.
 */
BXT_API bxt_status bxt_system_compile(const bxt_netlist *netlist, bxt_library *library,
				      bxt_diagnostics *d, bxt_system **out);
BXT_API bxt_system *bxt_system_free(bxt_system *system);

/* ---- State and run ---- */

/*
 * All that is needed to continue a run, including the state of plug-ins. Affine models continue bit
 * for bit, others to round-off: a run chooses its pivots at its first step and extrapolates its
 * guesses from earlier steps.
 */
typedef struct bxt_state bxt_state;
BXT_API bxt_state *bxt_state_free(bxt_state *state);
/* The time [s] and the number of steps taken. */
BXT_API double bxt_state_time(const bxt_state *state);
BXT_API long bxt_state_steps(const bxt_state *state);

/*
 * The settings of a run. Fields left NULL or 0 are taken from the netlist's <simulation> and, where
 * that has none, from the defaults: scheme "gauss1", rule "midpoint", constraint "midpoint", start
 * "plain", projection "auto", theta 0.5, gradient "midpoint", solver "auto".
 */
typedef struct bxt_run_def {
	/* sizeof(bxt_run_def), set by bxt_default_run_def; fields that a later library
	 * appends count as absent */
	size_t size;
	/* [s]; dirac- steps backward: to `end` where that lies before the state's time, else by
	 * the duration `end`. So after a run to T the same `end` leads back to 0. */
	double step, end;
	const char *scheme, *rule, *constraint, *start, *projection, *solver;
	const char *theta; /* for the scheme and the rule "theta": a number from 0 to 1 */
	/* for the scheme "discrete-gradient": "midpoint"; "increments", coordinate by
	 * coordinate; or "increments-symmetric", the mean of that order and its reverse */
	const char *gradient;
	/* rule of the forces, where it differs from that of L; NULL: that of L */
	const char *force_rule;
	long every;         /* steps for each row; 0: 1 */
	const char *record; /* list of signals */
	/* further signals, by full names of another model. They are recorded where they exist,
	 * if need be without leading path words, and silently skipped where they do not. NULL:
	 * none. */
	const char *const *record_also;
	size_t n_record_also;
	/* Called occasionally with the fraction done. When it returns false the run ends early
	 * (BXT_ERR_INTERRUPTED) with valid rows. NULL: never called. */
	bool (*progress)(void *context, double fraction);
	void *progress_context;
	/*
	 * Plug-ins are code with all rights of the program. They run in a process of their own that
	 * ends with the run. A failure, crash or hang there is BXT_ERR_MODEL with a finding at the
	 * start, and BXT_ERR_PLUGIN later. Plug-ins that components and elements reference are
	 * loaded only where this is true; those of `plugins` always. An entry is "NAME=PATH": NAME
	 * is the path of an element, or a component for all its elements; the file PATH replaces
	 * the one that the model references.
	 */
	bool allow_plugins;
	const char *const *plugins;
	size_t n_plugins;
	/* time limit of each plug-in to load and instantiate, and of a step [s]; 0: 10 s */
	int plugin_seconds;
	/* run trusted plug-ins in this process, except for the trial at the start */
	bool plugins_in_process;
	/*
	 * Every save_every [s], a multiple of the step, the run hands its state to `save`, after
	 * the rows up to there. That is a seam, as bxt_simulation_get_state is. A status other than
	 * BXT_OK ends the run. NULL: never.
	 */
	double save_every;
	bxt_status (*save)(void *context, const bxt_state *state);
	void *save_context;
	/* goes on with the rows and the account of a state that was saved so, to the same bits */
	bool go_on;
	const char *events; /* rows where a source makes a value jump: "both", "after", "none" */
	/* The relative error of a step; `step` is the interval of rows then. 0: the netlist's. */
	double tolerance, max_step, min_step; /* bounds [s]; 0: the netlist's, or none */
	/* Absolute errors that a step may have beside, by unit: "1e-12 C; 1e-9 m". */
	const char *absolute;
	/* "error", "range", "reversible"; the density of reversible steps, an expression as in a
	 * record. */
	const char *step_control, *density;
	/* Divides the tolerance and absolute errors, for a run to compare with; 0: 1. */
	double refine;
	/* Newton's method ends where its next update is below this part of the largest unknown of
	 * its kind; 0: the netlist's, or round-off. Not with a tolerance. */
	double newton_tolerance;
	/* The system's compiler makes code of a small model, which the run loads: to the same bits,
	 * faster. The user's cache keeps it. BXT_ERR_IO after a finding where that fails. */
	bool compile;
} bxt_run_def;
BXT_API void bxt_default_run_def(bxt_run_def *def);

struct bxt_column;

/* Receives the rows of a run. A status other than BXT_OK ends the run with that status. */
typedef struct bxt_sink {
	size_t size; /* sizeof(bxt_sink) */
	/* n names, once, before the first row; they live as long as the run. May be NULL. */
	bxt_status (*begin)(void *context, size_t n, const char *const *names);
	/* The time [s] and n values. May be NULL. */
	bxt_status (*row)(void *context, double t, size_t n, const double *values);
	void *context;
	/* Called in place of `begin`, unless NULL: names with their units. */
	bxt_status (*columns)(void *context, size_t n, const struct bxt_column *columns);
} bxt_sink;

/* Energy in, through and out of one part of the model over the run [J]. */
typedef struct bxt_ledger_entry {
	size_t size;      /* sizeof(bxt_ledger_entry) */
	const char *kind; /* "total", "subsystem", "component", "port", "connection" */
	const char *path;
	double start, end; /* stored */
	double dissipated; /* by Rayleigh functions */
	double supplied;   /* by forces, sources and prescribed motion */
	double through;    /* received through ports */
	double projection; /* work of moves along lossless loops beyond the sources' part */
	double residual;   /* end - start - supplied - through + dissipated - projection - impact */
	double impact;     /* by events: impacts, rows that begin to hold, modes */
} bxt_ledger_entry;

typedef struct bxt_drift_entry {
	size_t size; /* sizeof(bxt_drift_entry) */
	const char
		*family; /* "node", "constraint", "connection", or with ".q" the integrated rows */
	double max, last;
} bxt_drift_entry;

/*
 * The Noether account of a declared symmetry: its vector field xi and momentum J = p.xi(q). J
 * changes by what forces and constraints do along xi, and by the residual. The residual is
 * round-off where xi leaves the (discrete) Lagrangian invariant.
 */
typedef struct bxt_symmetry_entry {
	size_t size; /* sizeof(bxt_symmetry_entry) */
	const char *path;
	double start, end;          /* J */
	double forces, constraints; /* what they supplied */
	double residual;            /* the largest of any step */
	double scale;               /* the largest sum of |p_i xi_i|: the scale of J's round-off */
	bool affine; /* xi is affine: J is quadratic, and Gauss schemes conserve it */
} bxt_symmetry_entry;

/* What a run did. Arrays belong to the summary. */
typedef struct bxt_summary {
	size_t size; /* sizeof(bxt_summary), set by bxt_run */
	const char *scheme, *solver, *solver_reason;
	long steps, newton_iterations, most_iterations, factorizations, refactorizations, halvings;
	double t, step;
	int unknowns, coordinates, rows, references, loops;
	int left_out;      /* dependent rows that the last step left out */
	long rank_changes; /* changes of the constraints' rank during the run */
	size_t nonzeros, factor_nonzeros, system_bytes;
	double rcond;
	bool affine, energy_exact;
	bool energy_bounded; /* the energy error has no trend: symmetric and variational schemes */
	double energy_largest; /* of a part at any time: the scale of round-off of energies [J] */
	bxt_ledger_entry total, *ledger;
	bxt_drift_entry *drift;
	bxt_symmetry_entry *symmetry;
	size_t n_ledger, n_drift, n_symmetry;
	struct {
		double compile, evaluate, factor, solve, monitor, total;
	} seconds;    /* compile: set by the caller */
	void *memory; /* owns the arrays */
	bxt_trust_figures trust;
	long order, every;            /* of the scheme, on smooth models; steps for each row */
	const bxt_accuracy *accuracy; /* (n_accuracy) set by the caller; NULL: none */
	size_t n_accuracy;
	const struct bxt_column *columns; /* (n_columns) what was recorded */
	size_t n_columns;
	bxt_step_figures taken; /* its size is 0 of a run that did not begin */
	double trust_seconds;   /* looking for roots, ringing and coarse steps, beside `seconds` */
} bxt_summary;
BXT_API void bxt_summary_free(bxt_summary *summary);

/*
 * Makes a consistent start: moves the netlist's initial values where the equations demand it. Every
 * value that was moved is a finding (note or warning) with its name and the distance. BXT_ERR_MODEL
 * names the parts of a model that is not well-posed (loops of voltage sources, contradicting
 * current sources, ...).
 */
BXT_API bxt_status bxt_initialize(const bxt_system *system, const bxt_run_def *def,
				  bxt_diagnostics *d, bxt_state **out);

/*
 * Steps the state to the end time. Rows go to the sink (may be NULL), totals to *summary (may be
 * NULL; free it with bxt_summary_free whatever the status). Numerical failures (BXT_ERR_SINGULAR,
 * BXT_ERR_NEWTON, BXT_ERR_NOT_FINITE) name the worst rows in d; rows already given stay valid.
 */
BXT_API bxt_status bxt_run(const bxt_system *system, bxt_state *state, const bxt_run_def *def,
			   const bxt_sink *sink, bxt_summary *summary, bxt_diagnostics *d);

#include "boxtimes_records.h"

/* ---- Accuracy and comparison ---- */

/* Errors |y_h - y_{h/2}| 2^p/(2^p - 1) of columns, p > 0. *out is for free(), names coarse's. */
BXT_API bxt_status bxt_estimate_accuracy(const bxt_table *coarse, const bxt_table *fine, int order,
					 bxt_diagnostics *d, bxt_accuracy **out, size_t *n_out);

/* What a signal measures. BXT_SIGNALS_DRIFT (drift and residuals) is shown but never judged. */
typedef enum bxt_signal_group {
	BXT_SIGNALS_COORDINATE,
	BXT_SIGNALS_FLOW,
	BXT_SIGNALS_MOMENTUM,
	BXT_SIGNALS_EFFORT, /* of nodes */
	BXT_SIGNALS_MULTIPLIER,
	BXT_SIGNALS_OUTPUT, /* of elements */
	BXT_SIGNALS_ENERGY,
	BXT_SIGNALS_POWER,
	BXT_SIGNALS_DRIFT,
	BXT_SIGNALS_COUNT
} bxt_signal_group;
/* "coordinate", "flow", ... */
BXT_API const char *bxt_signal_group_name(bxt_signal_group group);

/* One signal of a comparison. */
typedef struct bxt_difference {
	size_t size;       /* sizeof(bxt_difference) */
	const char *a, *b; /* names in the two tables, or sums of such */
	double largest;    /* max |a - b| */
	double scale;      /* max |a|; 0: the difference is absolute */
	double relative; /* largest / scale, or largest where scale is 0; bxt_twins_compare has its
			    own */
	double at;       /* the time of the largest difference [s] */
	bxt_signal_group group;
} bxt_difference;

/*
 * Pairs columns of a and b by full name, by unique path suffix, or by the n_map pairs map[2k] (name
 * in a), map[2k+1] (name in b), and measures their differences. The group is only what the names
 * show. *out (n_out entries) is heap memory for free(). The tables must have the same times
 * (BXT_ERR_MODEL otherwise, with a finding), but for pairs of rows where a value jumps.
 */
BXT_API bxt_status bxt_compare(const bxt_table *a, const bxt_table *b, const char *const *map,
			       size_t n_map, bxt_diagnostics *d, bxt_difference **out,
			       size_t *n_out);

/* ---- Two models of the same system ---- */

/* A signal or, where parts are joined, the weighted sum of signals. */
typedef struct bxt_twin_side {
	size_t size;      /* sizeof(bxt_twin_side) */
	const char *name; /* "C1.q", "node(l.m).x.p + node(r.m).x.p" */
	const char *const *signal;
	const double *weight;
	size_t n;
} bxt_twin_side;

/* The same quantity in two models. */
typedef struct bxt_twin {
	size_t size; /* sizeof(bxt_twin) */
	bxt_signal_group group;
	const char *quantity; /* its unit, where known */
	bxt_twin_side side[2];
} bxt_twin;

/* What two models have in common. Arrays and texts belong to it. */
typedef struct bxt_twins {
	size_t size; /* sizeof(bxt_twins), set by bxt_twins_find */
	bxt_twin *twin;
	size_t n;
	/* signals that the two runs must record: use as record_also, with "energy" as record */
	const char **record[2];
	size_t n_record[2];
	long every[2];         /* use as bxt_run_def.every: the rows then fit into memory */
	bool fewer_rows;       /* than the models ask for */
	const char **alone[2]; /* wanted signals that have no twin */
	size_t n_alone[2];
	void *memory;
} bxt_twins;

/*
 * Finds what two models have in common. One of them may be torn into subsystems, or both in
 * different ways; both must outlive the result. Parts are paired by full path, by their name in the
 * assembled network, then by unique suffix. Joined nodes count as one, and are paired first by the
 * elements at them. A potential and the multiplier of a connection that joins its nodes are twins.
 * The momentum of a node is the sum over those that are joined with it, the energy of a subsystem
 * the sum over its elements. The n_map pairs map[2k] (signal of a), map[2k+1] (of b) come before
 * all that.
 *
 * def->record lists the signals to compare, of either model. Without it these are all coordinates,
 * flows, momenta, potentials, multipliers, energies, and the <record> lists. BXT_ERR_MODEL with
 * findings: unknown names, or rows at different times. Linear in the size of the models.
 */
BXT_API bxt_status bxt_twins_find(const bxt_system *a, const bxt_system *b, const bxt_run_def *def,
				  const char *const *map, size_t n_map, bxt_diagnostics *d,
				  bxt_twins *out);
BXT_API void bxt_twins_free(bxt_twins *twins);

/*
 * Measures all twins (*out: twins->n entries of heap memory; its texts belong to the twins). The
 * relative difference has the largest of these scales: the signal's own maximum; 1024 eps /
 * tolerance of the largest signal with its group and quantity, for energies also of the largest
 * number in the ledger of a (account NULL: not known); 256 eps / tolerance of the largest of angles
 * and lengths together. So round-off of those signals never exceeds the tolerance.
 */
BXT_API bxt_status bxt_twins_compare(const bxt_twins *twins, const bxt_table *a, const bxt_table *b,
				     const bxt_summary *account, double tolerance,
				     bxt_diagnostics *d, bxt_difference **out);

/* The power that a connection carries, and how much of it is lost; the loss should be round-off. */
typedef struct bxt_carried {
	size_t size; /* sizeof(bxt_carried) */
	const char *connection;
	size_t n_ports;
	double carried;  /* max over the rows of sum |effort * flow| / 2 over its ports [W] */
	double lost;     /* max |sum effort * flow| [W] */
	double relative; /* lost / the larger of carried and its round-off scale, as in
			    bxt_twins_compare */
	double at;       /* the time of the largest loss [s] */
} bxt_carried;

/*
 * The connections of one model (0 or 1) in its run. Left out are interactions at shared ports,
 * whose forces are no signals; those with coefficients that depend on the state, whose rows hold
 * between grid points; and two-forms in the discrete Dirac schemes, which split forces between
 * steps. *out is heap memory, texts are the twins'.
 */
BXT_API bxt_status bxt_twins_carried(const bxt_twins *twins, int model, const bxt_table *table,
				     const bxt_summary *summary, double tolerance,
				     bxt_carried **out, size_t *n_out);

/* One number of the ledgers of two runs [J]. */
typedef struct bxt_account_difference {
	size_t size;       /* sizeof(bxt_account_difference) */
	const char *kind;  /* as in bxt_ledger_entry */
	const char *a, *b; /* paths in the two models; "" for a sum over its elements, for the
			      total, and where a connection's own entry is judged */
	const char *what;  /* "start", "end", "dissipated", "supplied", "through", "projection",
			      "impact"; of connections "lost" */
	double difference, value; /* |a - b|, |a| */
	double relative;          /* to the largest number in the ledger of a */
} bxt_account_difference;

/*
 * Compares the ledgers: the total, elements, and subsystems against their elements in the other
 * model. Of each it gives the number that differs most; of connections the loss. *out is heap
 * memory, its texts are the twins' or static.
 */
BXT_API bxt_status bxt_twins_accounts(const bxt_twins *twins, const bxt_summary *a,
				      const bxt_summary *b, bxt_account_difference **out,
				      size_t *n_out);

/* The results of the calls above for two runs. All of it is the caller's. */
typedef struct bxt_comparison {
	size_t size; /* sizeof(bxt_comparison), set by the caller */
	const bxt_twins *twins;
	const bxt_summary *summary[2];
	const bxt_difference *difference; /* (twins->n) */
	const bxt_carried *carried[2];    /* (n_carried) */
	size_t n_carried[2];
	const bxt_account_difference *account; /* (n_account) */
	size_t n_account;
	double largest, tolerance; /* the largest relative difference of what is judged; the models
				      agree up to the tolerance */
} bxt_comparison;
/* As one JSON object. BXT_ERR_IO when the stream fails, BXT_ERR_ARGUMENT when the size is wrong. */
BXT_API bxt_status bxt_comparison_write_json(const bxt_comparison *comparison, FILE *stream);

/* ---- Verification ---- */

/* What to verify, and at which state. */
typedef struct bxt_verify_def {
	/* sizeof(bxt_verify_def), set by bxt_default_verify_def; fields that a later library
	 * appends count as absent */
	size_t size;
	double at;        /* [s] the state after a run to this time; 0: the consistent start */
	double tolerance; /* relative; 0: that of each check, 1e-12 for parameters of two models */
	uint64_t seed;    /* of the random states */
	int states;       /* random admissible states near by, in addition to the one itself */
	bool hamilton_jacobi; /* a run with dirac+ against the discrete Hamilton-Jacobi theory */
	bxt_run_def run;      /* scheme, step, ... of the step that is verified */
} bxt_verify_def;
/* Seed 1, 3 random states, the rest as bxt_default_run_def. */
BXT_API void bxt_default_verify_def(bxt_verify_def *def);

/* One check: the worst figure over the checked states. */
typedef struct bxt_verify_check {
	size_t size; /* sizeof(bxt_verify_check) */
	const char *name;
	bool passed;
	bool note;                /* informational; never fails */
	double figure, tolerance; /* a measure, or a count where the tolerance is 0 */
	const char *text;         /* what was found; the culprit when the check failed */
	const char *file;         /* source location of what was found; NULL: none */
	int line;
} bxt_verify_check;

/* The results of all checks; everything belongs to the verification. */
typedef struct bxt_verification {
	size_t size; /* sizeof(bxt_verification) */
	bool passed; /* all checks */
	bxt_verify_check *checks;
	size_t n;
	int states; /* that were checked */
	void *memory;
} bxt_verification;
BXT_API bxt_verification *bxt_verification_free(bxt_verification *verification);

/*
 * Checks numerically what theory says of a model:
 *
 * D = D^perp of every element, of the interconnection and of the whole; (D_1 (+) ... (+) D_n) [x]
 * D_int against the structure of (sum Delta_i) n Sigma_Q, each computed by its own definition
 * (Parks, Theorems 5 and 6); ranks, and that they are constant near by; one step: rows,
 * annihilator, power, Jacobian; forces that must do no power.
 *
 * Notes never fail: for the discrete Dirac schemes a Rayleigh potential of the forces and the other
 * side's constraints; for steps that claim it symplecticity. With def->hamilton_jacobi a run with
 * dirac+ from the start to the end is also checked against the discrete Hamilton-Jacobi theory with
 * forces. BXT_OK means that the checks were made, not that they passed. BXT_ERR_MODEL with findings
 * when there is no consistent start; numerical failures of the runs and of the step.
 */
BXT_API bxt_status bxt_verify(const bxt_system *system, const bxt_verify_def *def,
			      bxt_diagnostics *d, bxt_verification **out);

/*
 * Checks whether two models are the same system, up to tearing: elements and their parameters, the
 * distribution on common coordinates, P = dL/dv, forces and energies at random states, and where
 * runs start. Parts are matched by their names in the monolithic twin; rows may have a factor, and
 * transformers and gyrators may be written in any way. The first check that failed names the
 * culprit.
 */
BXT_API bxt_status bxt_verify_against(const bxt_system *a, const bxt_system *b,
				      const bxt_verify_def *def, bxt_diagnostics *d,
				      bxt_verification **out);

/* The checks as text for people, a line each, or as one JSON object. BXT_ERR_IO when the stream
 * fails. */
BXT_API bxt_status bxt_verification_write_text(const bxt_verification *verification, FILE *stream);
BXT_API bxt_status bxt_verification_write_json(const bxt_verification *verification, FILE *stream);

/* The summary as one JSON object, as text, or in short without the work that it took. BXT_ERR_IO;
 * BXT_ERR_ARGUMENT: that of a run that did not begin. */
BXT_API bxt_status bxt_summary_write_json(const bxt_summary *summary, FILE *stream);
BXT_API bxt_status bxt_summary_write_brief(const bxt_summary *summary, FILE *stream);
BXT_API bxt_status bxt_summary_write_text(const bxt_summary *summary, FILE *stream);

/* Is it a part for other netlists: one that exports ports or signals, and has no step and end? */
BXT_API bool bxt_system_is_part(const bxt_system *system);
/* Describes a model as text: elements, rows, references, structure of the step's matrix. */
BXT_API bxt_status bxt_system_write_info(const bxt_system *system, const bxt_run_def *def,
					 FILE *stream);

/* ---- The library for people and editors ---- */

/*
 * Lists the components by domain, one a line. With `word` only those whose name, domain or
 * description contains it (ignoring case); with names_only bare names. BXT_ERR_MODEL with findings
 * when there are none, and when some have errors (the others are written).
 */
BXT_API bxt_status bxt_library_write_list(bxt_library *library, const char *word, bool names_only,
					  FILE *stream, bxt_diagnostics *d);
/*
 * Describes one component: description, parameters, ports, coordinates, its equations as derived
 * and facts about them. BXT_ERR_MODEL with findings when it is unknown (nearest name) or has
 * errors.
 */
BXT_API bxt_status bxt_component_write_description(bxt_library *library, const char *name,
						   FILE *stream, bxt_diagnostics *d);
/*
 * An XML schema (XSD) of netlists with the library's components, and with the inline components of
 * `netlist` unless that is NULL.
 */
BXT_API bxt_status bxt_library_write_schema(bxt_library *library, const bxt_netlist *netlist,
					    FILE *stream, bxt_diagnostics *d);

#ifdef __cplusplus
}
#endif
#include "boxtimes_draw.h"
#include "boxtimes_import.h"
#include "boxtimes_linear.h"
#include "boxtimes_model.h"
#include "boxtimes_quantity.h"
#include "boxtimes_reduce.h"
#include "boxtimes_reference.h"
#include "boxtimes_sensitivity.h"
#include "boxtimes_simulation.h"
#include "boxtimes_sweep.h"
#endif
