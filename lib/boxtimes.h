/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * boxtimes: interconnected Lagrange-Dirac and port-Hamiltonian systems.
 *
 * Data moves one way:
 *
 *     bxt_netlist --compile--> const bxt_system --initialize--> bxt_state --run--> sink, summary
 *
 * Every function that can fail returns a bxt_status; what a person must know about the failure is
 * in the bxt_diagnostics list that was handed in. The library never exits, aborts or prints, and
 * keeps no global state.
 */
#ifndef BOXTIMES_H
#define BOXTIMES_H

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

/* ---- Status ---------------------------------------------------------------------------------- */

/* name, what it means. Codes from BXT_ERR_SINGULAR on are numerical failures. */
#define BXT_STATUS_LIST(X)                                                                         \
	X(BXT_OK, "no error")                                                                      \
	X(BXT_ERR_MEMORY, "out of memory")                                                         \
	X(BXT_ERR_ARGUMENT, "the caller broke the contract of a function")                         \
	X(BXT_ERR_IO, "a file could not be read or written")                                       \
	X(BXT_ERR_MODEL, "the model has errors, see the diagnostics")                              \
	X(BXT_ERR_INTERRUPTED, "the run was stopped from outside")                                 \
	X(BXT_ERR_SINGULAR, "the linear system of a step is singular")                             \
	X(BXT_ERR_NEWTON, "Newton's method did not converge")                                      \
	X(BXT_ERR_NOT_FINITE, "a value became infinite or not a number")

typedef enum bxt_status {
#define BXT_ENUM(name, text) name,
	BXT_STATUS_LIST(BXT_ENUM)
#undef BXT_ENUM
} bxt_status;

/* The name of a code, "BXT_OK"; and what it means, in words. Both are static strings. */
BXT_API const char *bxt_status_name(bxt_status status);
BXT_API const char *bxt_status_text(bxt_status status);

/* The version of the library, "0.1.0". */
BXT_API const char *bxt_version(void);

/* ---- Diagnostics ----------------------------------------------------------------------------- */

typedef enum bxt_severity { BXT_NOTE, BXT_WARNING, BXT_ERROR } bxt_severity;

/* One finding. Strings belong to the list and live as long as it does. */
typedef struct bxt_finding {
	bxt_severity severity;
	const char *file; /* NULL when no file is to blame */
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

/* ---- Component library and netlist -------------------------------------------------------------
 */

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
 * Sets an attribute of the element with that path of ids ("loop.R1"; "" is the netlist itself,
 * "simulation" its <simulation>, made when absent), for example a parameter. BXT_ERR_MODEL with a
 * finding (nearest id) when there is no such element.
 */
BXT_API bxt_status bxt_netlist_set(bxt_netlist *netlist, const char *path, const char *attribute,
				   const char *value, bxt_diagnostics *d);

/* ---- The compiled system -----------------------------------------------------------------------
 */

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

/* ---- State and run -----------------------------------------------------------------------------
 */

/*
 * All that is needed to continue a run: bit for bit on affine models; elsewhere to round-off,
 * because a run chooses its pivots at its first step and guesses from the steps before.
 */
typedef struct bxt_state bxt_state;
BXT_API bxt_state *bxt_state_free(bxt_state *state);
/* The time [s] and the number of steps taken. */
BXT_API double bxt_state_time(const bxt_state *state);
BXT_API long bxt_state_steps(const bxt_state *state);

/*
 * What a run shall do. Fields left NULL or 0 are taken from the netlist's <simulation> and, where
 * that is silent, from the defaults: scheme "gauss1", rule "midpoint", constraint "midpoint", start
 * "plain", projection "auto", solver "auto".
 */
typedef struct bxt_run_def {
	/* [s]; dirac- steps backward, to the end where that lies before the state's time, else by
	 * as much as it says: after a run to T with the same end it goes back to 0 */
	double step, end;
	const char *scheme, *rule, *constraint, *start, *projection, *solver;
	long every;         /* a row each so many steps; 0: 1 */
	const char *record; /* list of signals */
	/* further signals, full names of another model: recorded where they exist, leading path
	 * words being dropped as needed; passed over in silence where they do not. NULL: none. */
	const char *const *record_also;
	size_t n_record_also;
	/* Called now and then with the fraction done; the run ends early (BXT_ERR_INTERRUPTED) with
	 * valid rows when it returns false. NULL: never. */
	bool (*progress)(void *context, double fraction);
	void *progress_context;
} bxt_run_def;
BXT_API bxt_run_def bxt_default_run_def(void);

/* Where rows go. A status other than BXT_OK ends the run with that status. */
typedef struct bxt_sink {
	/* n names, once, before the first row; they live as long as the run. May be NULL. */
	bxt_status (*begin)(void *context, size_t n, const char *const *names);
	/* The time [s] and n values. May be NULL. */
	bxt_status (*row)(void *context, double t, size_t n, const double *values);
	void *context;
} bxt_sink;

/* Energy in, through and out of one part of the model over the run [J]. */
typedef struct bxt_ledger_entry {
	const char *kind; /* "total", "subsystem", "component", "port", "connection" */
	const char *path;
	double start, end; /* stored */
	double dissipated; /* by Rayleigh functions */
	double supplied;   /* by forces, sources and prescribed motion */
	double through;    /* received through ports */
	double projection; /* work of moves that close loops beyond that of the sources */
	double residual;   /* end - start - supplied - through + dissipated - projection */
} bxt_ledger_entry;

typedef struct bxt_drift_entry {
	const char
		*family; /* "node", "constraint", "connection", or with ".q" the integrated rows */
	double max, last;
} bxt_drift_entry;

/* What a run did. Arrays belong to the summary. */
typedef struct bxt_summary {
	const char *scheme, *solver, *solver_reason;
	long steps, newton_iterations, most_iterations, factorizations, refactorizations, halvings;
	double t, step;
	int unknowns, coordinates, rows, references, loops;
	int left_out;      /* rows that the last step left out: they follow from others */
	long rank_changes; /* of the constraints during the run */
	size_t nonzeros, factor_nonzeros, system_bytes;
	double rcond;
	bool affine, energy_exact;
	bool energy_bounded; /* the balance has no trend: symmetric and variational schemes */
	bxt_ledger_entry total, *ledger;
	bxt_drift_entry *drift;
	size_t n_ledger, n_drift;
	struct {
		double compile, evaluate, factor, solve, monitor,
			total; /* compile: set by the caller */
	} seconds;
	void *memory; /* what the arrays live in */
} bxt_summary;
BXT_API void bxt_summary_free(bxt_summary *summary);

/*
 * A consistent start: initial values of the netlist, moved where the equations demand it; every
 * value that was moved is a finding (note or warning) with its name and how far. BXT_ERR_MODEL
 * names the parts of an ill-posed model (loops of voltage sources, contradicting current sources,
 * ...).
 */
BXT_API bxt_status bxt_initialize(const bxt_system *system, const bxt_run_def *def,
				  bxt_diagnostics *d, bxt_state **out);

/*
 * Steps the state to the end time. Rows go to the sink (may be NULL), the account to *summary (may
 * be NULL; free it with bxt_summary_free whatever the status). Numerical failures
 * (BXT_ERR_SINGULAR, BXT_ERR_NEWTON, BXT_ERR_NOT_FINITE) name the worst rows in d; rows already
 * given stay valid.
 */
BXT_API bxt_status bxt_run(const bxt_system *system, bxt_state *state, const bxt_run_def *def,
			   const bxt_sink *sink, bxt_summary *summary, bxt_diagnostics *d);

/* ---- Results -----------------------------------------------------------------------------------
 */

/* A sink that writes CSV, "time,NAME,..." and rows of 17 significant digits, to an open stream. */
BXT_API bxt_sink bxt_csv_sink(FILE *stream);

/* A sink that keeps all rows in memory. */
typedef struct bxt_table bxt_table;
BXT_API bxt_table *bxt_table_new(void);
BXT_API bxt_table *bxt_table_free(bxt_table *table);
BXT_API bxt_sink bxt_table_sink(bxt_table *table);
BXT_API size_t bxt_table_rows(const bxt_table *table);
BXT_API size_t bxt_table_columns(const bxt_table *table);
/* The name of column j, 0 <= j < columns. */
BXT_API const char *bxt_table_name(const bxt_table *table, size_t j);
/* The time of row i [s], and the value in column j. */
BXT_API double bxt_table_time(const bxt_table *table, size_t i);
BXT_API double bxt_table_value(const bxt_table *table, size_t i, size_t j);
/* The column of that name, or -1. */
BXT_API long bxt_table_find(const bxt_table *table, const char *name);

/* The full names of the signals that a run would record; *names is freed with
 * bxt_signal_names_free. */
BXT_API bxt_status bxt_signal_names(const bxt_system *system, const bxt_run_def *def,
				    bxt_diagnostics *d, char ***names, size_t *n);
BXT_API void bxt_signal_names_free(char **names, size_t n);

/* One signal of a comparison. */
typedef struct bxt_difference {
	const char *a, *b; /* names in the two tables */
	double largest;    /* max |a - b| */
	double scale;      /* max |a|; 0: the difference is absolute */
	double relative;   /* largest / scale, or largest */
	double at;         /* the time of the largest difference [s] */
} bxt_difference;

/*
 * Pairs columns of a and b by full name, by unique path suffix, then by the n_map pairs map[2k]
 * (name in a), map[2k+1] (name in b), and measures them. *out (n_out entries) is heap memory for
 * free(). The tables must have the same times (BXT_ERR_MODEL otherwise, with a finding).
 */
BXT_API bxt_status bxt_compare(const bxt_table *a, const bxt_table *b, const char *const *map,
			       size_t n_map, bxt_diagnostics *d, bxt_difference **out,
			       size_t *n_out);

/* The summary as one JSON object, or as text for people. BXT_ERR_IO when the stream fails. */
BXT_API bxt_status bxt_summary_write_json(const bxt_summary *summary, FILE *stream);
BXT_API bxt_status bxt_summary_write_text(const bxt_summary *summary, FILE *stream);

/* What a model is made of, for people: primitives, rows, references, structure of the step's
 * matrix. */
BXT_API bxt_status bxt_system_write_info(const bxt_system *system, const bxt_run_def *def,
					 FILE *stream);

/* ---- The library for people and editors ------------------------------------------------------ */

/*
 * The components by domain, a line each; with `word` those that have it in name, domain or
 * description (letters' case aside); with names_only bare names. BXT_ERR_MODEL with findings when
 * there are none, and when some have errors (the others are written).
 */
BXT_API bxt_status bxt_library_write_list(bxt_library *library, const char *word, bool names_only,
					  FILE *stream, bxt_diagnostics *d);
/*
 * One component: description, parameters, ports, coordinates, its equations as derived and facts
 * about them. BXT_ERR_MODEL with findings when it is unknown (nearest name) or has errors.
 */
BXT_API bxt_status bxt_component_write_description(bxt_library *library, const char *name,
						   FILE *stream, bxt_diagnostics *d);
/*
 * An XML schema (XSD) of netlists with the library's components, and with the inline components of
 * `netlist` unless that is NULL.
 */
BXT_API bxt_status bxt_library_write_schema(bxt_library *library, const bxt_netlist *netlist,
					    FILE *stream, bxt_diagnostics *d);
/* The names that settings take, a line each: "scheme gauss1 dirac+". */
BXT_API bxt_status bxt_write_settings(FILE *stream);

#ifdef __cplusplus
}
#endif

#endif
