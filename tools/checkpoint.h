/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs that survive a crash: --save-every, --checkpoint and --continue.
 *
 * The rows go to the file of -o itself, and a state to the file of --checkpoint now and then,
 * always after the rows up to it have reached the disk. So the state that is there has its rows,
 * and the run that goes on from it cuts off what the killed one wrote behind them.
 */
#ifndef BXT_TOOL_CHECKPOINT_H
#define BXT_TOOL_CHECKPOINT_H

#include "output.h"

typedef struct checkpoint {
	const options *o;
	bxt_diagnostics *d; /* findings of the run */
	output_file *file;  /* of the rows, once it is open */
	bxt_state *start;   /* of a new run */
	double time;        /* of the state that a run goes on from [s] */
	long kept;          /* rows of it that stay */
	long cut;           /* rows behind them, which are made again */
	long made;          /* rows of this run */
	bool refused;       /* after a message: the file of rows is none of this run */
} checkpoint;

/* Does the command line ask for one? */
bool checkpoint_wanted(const options *o);
/* Refuses options and files that a run cannot be saved to or go on from. Returns an exit status. */
int checkpoint_check(const options *o, bxt_library *library, bxt_netlist *netlist);
/* Completes the definition of a run: where it goes on from, and when it is saved. `def` and `c`
 * live as long as the run. */
bxt_status checkpoint_begin(checkpoint *c, bxt_library *library, const model *m, bxt_run_def *def);
/*
 * Opens the file of rows, whose first line is `header` with so many fields: a new one, or behind
 * the rows that stay. False after a message; then nothing is changed.
 */
bool checkpoint_open_rows(checkpoint *c, output_file *file, const char *header, size_t fields);
/* Tells what became of the rows of a run that went on. */
void checkpoint_report(const checkpoint *c, const char *model, bool completed);
void checkpoint_free(checkpoint *c);

#endif
