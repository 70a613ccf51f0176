/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests of physics: a model from text or from a file, run into a table, values by name.
 * Everything asserts; what a test means to fail it must do with the library itself.
 */
#ifndef BXT_TESTS_SUPPORT_HARNESS_H
#define BXT_TESTS_SUPPORT_HARNESS_H

#include "boxtimes.h"
#include "support/runner.h"

/* A netlist in text, its <simulation> left to the run's definition. */
#define NETLIST(body) "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"test\">" body "</netlist>"

typedef struct model {
	bxt_diagnostics *findings;
	bxt_library *library;
	bxt_netlist *netlist;
	bxt_system *system;
} model;

/* With the components of $BOXTIMES_PATH; a file is one of $BXT_NETLISTS. */
model model_of_text(const char *xml);
model model_of_file(const char *name);
void model_free(model *m);

/* From a fresh start to the end; NULL summary: not wanted. */
bxt_table *model_run(model *m, const bxt_run_def *def, bxt_summary *summary);
/* The same; *end is the state at the end, for the caller to free. */
bxt_table *model_run_to(model *m, const bxt_run_def *def, bxt_summary *summary, bxt_state **end);
/* The same in one call for a text. */
bxt_table *run_text(const char *xml, const bxt_run_def *def);
/* "A.*, B.*, ...": all coordinates and flows of all elements; heap memory. */
char *all_elements(const model *m);
/* All coordinates, then all flows, but for those of signals with ids; heap memory. */
char *all_coordinates(const model *m);
/* Is there a finding of at least that severity whose text contains the words? */
bool has_finding(const model *m, bxt_severity severity, const char *words);

double value_at(const bxt_table *t, size_t row, const char *name);
double last_value(const bxt_table *t, const char *name);
/* The value in the row at that time; the row must exist. */
double value_at_time(const bxt_table *t, double time, const char *name);
/* max |value| over the rows. */
double largest(const bxt_table *t, const char *name);
/* max |a - b| over the rows, by max |a|; the times must be the same. */
double difference(const bxt_table *a, const char *name_a, const bxt_table *b, const char *name_b);

/*
 * All netlists below $BXT_NETLISTS that can be run, sorted, as model_of_file takes them: read from
 * the folder, so that none can be forgotten. Those without <simulation> are parts of others.
 */
typedef struct netlist_names {
	char **name; /* (n) */
	size_t n;
} netlist_names;
netlist_names all_netlists(void);
void all_netlists_free(netlist_names *names);
/* The netlist's own step and end with that definition, the end after n steps at most. */
bxt_run_def first_steps(const model *m, bxt_run_def def, int n);

/* A new folder in $TMPDIR, /tmp without; heap memory. Then it is gone with all that is in it. */
char *scratch_folder(void);
void scratch_remove(char *folder);

#endif
