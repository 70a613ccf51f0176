/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Controllers, instances of plug-ins (boxtimes_plugin.h). A controller belongs to a run;
 * what it remembers goes to the state when the run ends. It is code of others: it runs in a process
 * of its own, which serves all controllers of a run, so that a crash or an endless loop at any time
 * becomes a finding and nothing of ours can be overwritten. Code that comes in another wrapping (an
 * FMU) is to bring a table of the same functions.
 */
#ifndef BXT_RUN_PLUGIN_H
#define BXT_RUN_PLUGIN_H

#include "boxtimes_plugin.h"
#include "scheme/scheme.h"

enum {
	BXT_PLUGIN_TEXT = 512, /* bytes for what a plug-in says of a failure */
	BXT_PLUGIN_GUARDS = 8  /* values behind the outputs that must stay as they are */
};

/* What it is at, for words about a crash. */
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
	const char *path;         /* of the file, absolute */
	bxt_plugin_setup setup;   /* setup.element: the path of the element */
	const char *component;    /* its name */
	bxt_place place;          /* of the element */
	void *handle;             /* of the loaded object, NULL: it is not */
	const bxt_plugin *table;  /* the object's */
	void *instance;           /* the object's, too */
	bool made;                /* there is one, even if it is NULL */
	double *inputs, *outputs; /* (n_inputs), (n_outputs + GUARDS) */
	bool due;                 /* a step is to be made now */
} bxt_controller;

/*
 * The file for an element's plug-in, absolute, in the arena. BXT_ERR_MODEL after a finding: there
 * is none, it lies where a model may not point to, nobody has allowed it.
 */
bxt_status bxt_plugin_find(const bxt_system *s, const bxt_settings *settings, int instance,
			   bxt_arena *arena, bxt_diagnostics *d, const char **path);
/* Are the names in settings->plugins those of elements or components? */
bxt_status bxt_plugin_check_names(const bxt_system *s, const bxt_settings *settings,
				  bxt_diagnostics *d);

/* ---- plugin.c: calls, in whatever process this is ---- */

/*
 * Loads and instantiates; restores where there is something remembered (NULL: a new instance).
 * False with a text, of BXT_PLUGIN_TEXT bytes, of why not. *stage follows what is done.
 */
bool bxt_controller_make(bxt_controller *c, const bxt_remembered *remembered,
			 volatile bxt_plugin_stage *stage, char *text);
void bxt_controller_free(bxt_controller *c);
/* From inputs to outputs. BXT_ERR_MODEL, BXT_ERR_NOT_FINITE with a text of BXT_PLUGIN_TEXT bytes.
 */
bxt_status bxt_controller_step(bxt_controller *c, double t, char *text);
/* The bytes are replaced, as heap memory. BXT_ERR_MODEL with a text. */
bxt_status bxt_controller_save(bxt_controller *c, bxt_remembered *out, char *text);
void bxt_controller_tell(const bxt_controller *c, bxt_diagnostics *d, const char *format, ...)
	BXT_PRINTF(3, 4);

/* ---- plugin_host.c: all controllers of a run, and the process that serves them ---- */

typedef struct bxt_plugin_host bxt_plugin_host;

typedef struct bxt_plugin_host_def {
	bxt_controller *controllers; /* (n), not yet made */
	int n;
	const bxt_remembered *remembered; /* (n) or NULL: new instances */
	int seconds;                      /* that a call may take */
	bool in_process;
	bool rehearses; /* one first step of each is tried; what crashes there is a wrong model */
	bxt_diagnostics *d;
} bxt_plugin_host_def;

/*
 * Makes them all. BXT_ERR_MODEL after findings about all that crash, do not return in time or tell
 * of a failure, BXT_ERR_PLUGIN where the system gives no process. To be called before threads are
 * made.
 */
bxt_status bxt_plugin_host_new(const bxt_plugin_host_def *def, bxt_plugin_host **out);
/* What still runs is ended. */
bxt_plugin_host *bxt_plugin_host_free(bxt_plugin_host *host);
/*
 * One step of controllers[i]. After findings BXT_ERR_NOT_FINITE of what it gives, BXT_ERR_PLUGIN
 * where it says that it failed, crashed or did not return; these are BXT_ERR_MODEL in a rehearsal.
 */
bxt_status bxt_plugin_host_step(bxt_plugin_host *host, int i, double t);
/* What it remembers at t; that it is lost where the process has ended. */
bxt_status bxt_plugin_host_save(bxt_plugin_host *host, int i, double t, bxt_remembered *out);
/* Frees them in good order; findings as of a step. */
bxt_status bxt_plugin_host_end(bxt_plugin_host *host);

/* ---- plugin_child.c: the other side ---- */

typedef enum bxt_plugin_command {
	BXT_PLUGIN_STEP,
	BXT_PLUGIN_SAVE,
	BXT_PLUGIN_FREE
} bxt_plugin_command;

/* In shared memory. The parent believes nothing in it that could harm: the child may be out of its
 * mind. */
typedef struct bxt_plugin_record {
	volatile int at; /* which controller */
	volatile bxt_plugin_stage stage;
	volatile bxt_plugin_command command;
	volatile bxt_status status;
	volatile double t;
	volatile size_t size; /* of what is saved: so many bytes follow on the socket */
	char text[BXT_PLUGIN_TEXT];
	double values[]; /* the inputs or outputs of one controller */
} bxt_plugin_record;

/*
 * In the child: makes controllers[first ...], passing over those in `skip`, and tells by a byte on
 * the socket that it is done, or has come to one that is bad (status, text); then obeys commands, a
 * byte each, until the other end is closed.
 */
_Noreturn void bxt_plugin_serve(const bxt_plugin_host_def *def, const bool *skip, int first,
				bxt_plugin_record *record, int socket);

#endif
