/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests of physics: runs a model from text or from a file into a table, and finds values by
 * name. Every function asserts success. A test that expects a failure must call the library itself.
 */
#ifndef BXT_TESTS_SUPPORT_HARNESS_H
#define BXT_TESTS_SUPPORT_HARNESS_H

#include "boxtimes.h"
#include "support/runner.h"

/* The text of a netlist without <simulation>: the run's definition has its settings. */
#define NETLIST(body) "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"test\">" body "</netlist>"

typedef struct model {
	bxt_diagnostics *findings;
	bxt_library *library;
	bxt_netlist *netlist;
	bxt_system *system;
} model;

/* Compile a text, or a file of $BXT_NETLISTS, with the components of $BOXTIMES_PATH. */
model model_of_text(const char *xml);
model model_of_file(const char *name);
void model_free(model *m);

/* Runs from a fresh start to the end. NULL summary: not needed. */
bxt_table *model_run(model *m, const bxt_run_def *def, bxt_summary *summary);
/* The same; *end is the state at the end, which the caller frees. */
bxt_table *model_run_to(model *m, const bxt_run_def *def, bxt_summary *summary, bxt_state **end);
/* The same in one call for a text. */
bxt_table *run_text(const char *xml, const bxt_run_def *def);
/* "A.*, B.*, ...": all coordinates and flows of all elements; heap memory. */
char *all_elements(const model *m);
/* All coordinates, then all flows, except those of signals with ids; heap memory. */
char *all_coordinates(const model *m);
/* Is there a finding of at least that severity whose text contains the words? */
bool has_finding(const model *m, bxt_severity severity, const char *words);

double value_at(const bxt_table *t, size_t row, const char *name);
double last_value(const bxt_table *t, const char *name);
/* The value in the row at that time, which must exist. */
double value_at_time(const bxt_table *t, double time, const char *name);
/* max |value| over the rows. */
double largest(const bxt_table *t, const char *name);
/* max |a - b| over the rows, relative to max |a|. The times must be equal. */
double difference(const bxt_table *a, const char *name_a, const bxt_table *b, const char *name_b);

/*
 * All netlists below $BXT_NETLISTS that can be run, sorted, as model_of_file expects them. They are
 * found in the folder, so that new ones are tested too. Netlists without <simulation> are parts of
 * others and are left out.
 */
typedef struct netlist_names {
	char **name; /* (n) */
	size_t n;
} netlist_names;
netlist_names all_netlists(void);
void all_netlists_free(netlist_names *names);
/* Sets the netlist's own step and end in that definition, with the end after n steps at most. */
bxt_run_def first_steps(const model *m, bxt_run_def def, int n);

/*
 * Makes a new folder in $TMPDIR, or in /tmp; heap memory. The second function removes it with its
 * contents.
 */
char *scratch_folder(void);
void scratch_remove(char *folder);

#endif
