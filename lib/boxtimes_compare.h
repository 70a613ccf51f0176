/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of two results, or of two models of the same system. Included by boxtimes.h. */
#ifndef BOXTIMES_COMPARE_H
#define BOXTIMES_COMPARE_H

#include "boxtimes_records.h"
#include "boxtimes_summary.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Accuracy and comparison ---- */

/* Errors |y_h - y_{h/2}| 2^p/(2^p - 1) of columns, p > 0. *out is for free(), names coarse's.
 * Level: rare. */
BXT_API bxt_status bxt_estimate_accuracy(const bxt_table *coarse, const bxt_table *fine, int order,
					 bxt_diagnostics *d, bxt_accuracy **out, size_t *n_out);

/* What a signal measures. BXT_SIGNALS_DRIFT (drift and residuals) is reported but not compared with
 * a tolerance. */
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
/* "coordinate", "flow", ... Level: rare. */
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
 * in a), map[2k+1] (name in b), and measures their differences. The group is guessed from the
 * names. *out (n_out entries) is heap memory for free(). The tables must have the same times
 * (BXT_ERR_MODEL otherwise, with a finding), but for pairs of rows where a value jumps.
 * Level: rare.
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
 * Level: rare.
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
 * Level: rare.
 */
BXT_API bxt_status bxt_twins_compare(const bxt_twins *twins, const bxt_table *a, const bxt_table *b,
				     const bxt_summary *account, double tolerance,
				     bxt_diagnostics *d, bxt_difference **out);

/* The power that a connection carries, and the part that is lost, which should be round-off. */
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
 * Level: rare.
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
 * Compares the ledgers: the total, elements, and subsystems with the sum of their elements in the
 * other model. Reports the number of each that differs most, and the loss of each connection. *out
 * is heap memory, its texts are the twins' or static. Level: rare.
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
	double largest, tolerance; /* the largest relative difference, without drift; the models
				      agree up to the tolerance */
} bxt_comparison;
/* As one JSON object. BXT_ERR_IO when the stream fails, BXT_ERR_ARGUMENT when the size is wrong.
 * Level: rare. */
BXT_API bxt_status bxt_comparison_write_json(const bxt_comparison *comparison, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
