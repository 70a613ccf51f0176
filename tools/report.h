/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a run: one HTML file that needs nothing else and asks for nothing. */
#ifndef BXT_TOOL_REPORT_H
#define BXT_TOOL_REPORT_H

#include "columns.h"

/* What a report is about. */
typedef struct run_report {
	const options *o;
	const model *m;
	bxt_library *library;
	const bxt_summary *summary;
	bxt_table *rows;
	bool unfinished; /* the run did not reach its end */
} run_report;

/* Writes it to o->run.report. Returns an exit status. */
int report_write(const run_report *r);

/* Writes the chosen columns as a page of panels to that path. Returns an exit status. */
int report_plot(const columns *c, const choice *x, const char *title, const char *path);

/* report_panels.c: panels for dygraphs, whose file `script` is open. Scripts carry the nonce. */
void report_scripts(const columns *c, const choice *x, FILE *script, const char *nonce, FILE *f);
/* report_panels.c: the signals as panels that zoom together, by dygraphs, whose file `script` is
 * open; else (NULL) as one picture by gnuplot. Scripts carry the nonce. */
void report_panels(const run_report *r, FILE *script, const char *nonce, FILE *f);
/* report_energy.c: who supplied, who stored, who dissipated, as bands; then the ledger. */
void report_energy(const bxt_summary *s, FILE *f);

#endif
