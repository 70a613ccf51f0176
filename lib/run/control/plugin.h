/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Controllers, instances of plug-ins (boxtimes_plugin.h). A controller belongs to a run; what it
 * remembers goes to the state when the run ends. Plug-ins are foreign code. One separate process
 * serves all controllers of a run, so that a crash or an endless loop becomes a finding and cannot
 * overwrite memory of the run. Code in another format (an FMU) must bring a table of the same
 * functions.
 */
#ifndef BXT_CONTROL_PLUGIN_H
#define BXT_CONTROL_PLUGIN_H

#include "boxtimes_plugin.h"
#include "motion/scheme/scheme.h"

#include <sys/types.h>

enum {
	BXT_PLUGIN_TEXT = 512, /* bytes for a plug-in's description of a failure */
	BXT_PLUGIN_GUARDS = 8  /* values behind the outputs that must stay as they are */
};

/* The call in progress, for the finding about a crash. */
typedef enum bxt_plugin_stage {
	BXT_PLUGIN_LOADING,
	BXT_PLUGIN_ENTERING,
	BXT_PLUGIN_INSTANTIATING,
	BXT_PLUGIN_RESTORING,
	BXT_PLUGIN_STEPPING,
	BXT_PLUGIN_SAVING,
	BXT_PLUGIN_FREEING
} bxt_plugin_stage;

typedef struct bxt_controller {
	const char *path;         /* absolute path of the plug-in's file */
	bxt_plugin_setup setup;   /* setup.element is the path of the element */
	const char *component;    /* its name */
	bxt_place place;          /* of the element */
	void *handle;             /* of the loaded object; NULL: not loaded */
	const bxt_plugin *table;  /* the object's */
	void *instance;           /* the object's, too */
	bool made;                /* the instance exists, even if it is NULL */
	double *inputs, *outputs; /* (n_inputs), (n_outputs + GUARDS) */
	bool due;                 /* a step is due now */
} bxt_controller;

/*
 * The file for an element's plug-in, absolute, in the arena. BXT_ERR_MODEL after a finding: the
 * file does not exist, lies where a model may not point to, or is not allowed.
 */
bxt_status bxt_plugin_find(const bxt_system *s, const bxt_settings *settings, int instance,
			   bxt_arena *arena, bxt_diagnostics *d, const char **path);
/* Checks that the names in settings->plugins.paths are those of elements or components. */
bxt_status bxt_plugin_check_names(const bxt_system *s, const bxt_settings *settings,
				  bxt_diagnostics *d);

/* ---- plugin.c: calls, in the process of the caller ---- */

/*
 * Loads and instantiates the plug-in, and restores what is remembered (NULL: a new instance). False
 * with the reason in text, of BXT_PLUGIN_TEXT bytes. *stage is set to the call in progress.
 */
bool bxt_controller_make(bxt_controller *c, const bxt_remembered *remembered,
			 volatile bxt_plugin_stage *stage, char *text);
void bxt_controller_free(bxt_controller *c);
/* Computes outputs from inputs. BXT_ERR_MODEL, BXT_ERR_NOT_FINITE with a text of BXT_PLUGIN_TEXT
 * bytes. */
bxt_status bxt_controller_step(bxt_controller *c, double t, char *text);
/* Replaces out->bytes by heap memory with the saved state. BXT_ERR_MODEL with a text. */
bxt_status bxt_controller_save(bxt_controller *c, bxt_remembered *out, char *text);
void bxt_controller_tell(const bxt_controller *c, bxt_diagnostics *d, const char *format, ...)
	BXT_PRINTF(3, 4);

/* ---- plugin_host.c: all controllers of a run, and the process that serves them ---- */

typedef struct bxt_plugin_host bxt_plugin_host;

typedef struct bxt_plugin_host_def {
	bxt_controller *controllers; /* (n), not yet made */
	int n;
	const bxt_remembered *remembered; /* (n) or NULL: new instances */
	int seconds;                      /* time limit of a call [s] */
	bool in_process;
	bool rehearses; /* tries one first step of each; a crash there is an error of the model */
	bxt_diagnostics *d;
} bxt_plugin_host_def;

/*
 * Makes all controllers. BXT_ERR_MODEL after findings about each that crashes, exceeds its time or
 * reports a failure; BXT_ERR_PLUGIN where the operating system gives no process. To be called
 * before threads are created.
 */
bxt_status bxt_plugin_host_new(const bxt_plugin_host_def *def, bxt_plugin_host **out);
/* Ends the process if it still runs. */
bxt_plugin_host *bxt_plugin_host_free(bxt_plugin_host *host);
/*
 * Makes one step of controllers[i]. After findings BXT_ERR_NOT_FINITE for its outputs,
 * BXT_ERR_PLUGIN where it reported a failure, crashed or did not return; in a rehearsal
 * BXT_ERR_MODEL.
 */
bxt_status bxt_plugin_host_step(bxt_plugin_host *host, int i, double t);
/* Saves what it remembers at t; marks it as lost where the process has ended. */
bxt_status bxt_plugin_host_save(bxt_plugin_host *host, int i, double t, bxt_remembered *out);
/* Frees all controllers by their plug-ins' functions; findings as of a step. */
bxt_status bxt_plugin_host_end(bxt_plugin_host *host);

/* ---- plugin_keeper.c: the process above that of the controllers ---- */

/* The signal that makes the keeper end all processes of the plug-ins. */
#define BXT_PLUGIN_ORDER SIGUSR2

typedef struct bxt_plugin_keeping {
	pid_t parent; /* the program */
	int socket;   /* the plug-ins' end */
} bxt_plugin_keeping;

/* ---- plugin_child.c: the process of the controllers ---- */

typedef enum bxt_plugin_command {
	BXT_PLUGIN_STEP,
	BXT_PLUGIN_SAVE,
	BXT_PLUGIN_FREE
} bxt_plugin_command;

/* In shared memory. The parent trusts nothing in it: the child may have overwritten it. */
typedef struct bxt_plugin_record {
	volatile int at; /* index of the controller */
	volatile bxt_plugin_stage stage;
	volatile bxt_plugin_command command;
	volatile bxt_status status;
	volatile double t;
	volatile size_t size; /* number of saved bytes, which follow on the socket */
	/* by the keeper: the process has ended, with that status of waitpid */
	volatile bool ended;
	volatile int end;
	char text[BXT_PLUGIN_TEXT];
	double values[]; /* the inputs or outputs of one controller */
} bxt_plugin_record;

/*
 * In the child: makes controllers[first ...], except those in `skip`. Reports by a byte on the
 * socket that it is done, or that one failed (status, text). Then obeys commands, a byte each,
 * until the other end is closed.
 */
_Noreturn void bxt_plugin_serve(const bxt_plugin_host_def *def, const bool *skip, int first,
				bxt_plugin_record *record, int socket);

/*
 * In the keeper: starts the process that serves, waits for its end or for BXT_PLUGIN_ORDER, and
 * leaves no process of the plug-ins behind.
 */
_Noreturn void bxt_plugin_keep(const bxt_plugin_host_def *def, const bool *skip, int first,
			       bxt_plugin_record *record, const bxt_plugin_keeping *keeping);

#endif
