/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floor 6: controllers, instances of plug-ins (boxtimes_plugin.h). A controller belongs to a run;
 * what it remembers goes to the state when the run ends. It is code of others: what it does first
 * is tried in a child process, so that a crash or an endless loop becomes a finding. Code that
 * comes in another wrapping (an FMU) is to bring a table of the same functions.
 */
#ifndef BXT_PLUGIN_H
#define BXT_PLUGIN_H

#include "boxtimes_plugin.h"
#include "scheme.h"

enum {
	BXT_PLUGIN_TEXT = 512, /* bytes for what a plug-in says of a failure */
	BXT_PLUGIN_GUARDS = 8  /* values behind the outputs that must stay as they are */
};

/* How far it has come, for words about a crash. */
typedef enum bxt_plugin_stage {
	BXT_PLUGIN_LOADING,
	BXT_PLUGIN_ENTERING,
	BXT_PLUGIN_INSTANTIATING,
	BXT_PLUGIN_RESTORING,
	BXT_PLUGIN_STEPPING,
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
	bool tried;               /* a first step came to its end */
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

/*
 * Loads and instantiates; restores where there is something remembered (NULL: a new instance).
 * False with a text, of BXT_PLUGIN_TEXT bytes, of why not. *stage follows what is done.
 */
bool bxt_controller_make(bxt_controller *c, const bxt_remembered *remembered,
			 volatile bxt_plugin_stage *stage, char *text);
void bxt_controller_free(bxt_controller *c);
/* From inputs to outputs. BXT_ERR_MODEL, BXT_ERR_NOT_FINITE after a finding. */
bxt_status bxt_controller_step(bxt_controller *c, double t, bxt_diagnostics *d);
/* Are the values behind the outputs as they were? Asked after a step. */
bool bxt_controller_kept_within(const bxt_controller *c);
/* The bytes are replaced, as heap memory. */
bxt_status bxt_controller_save(bxt_controller *c, bxt_remembered *out, bxt_diagnostics *d);
void bxt_controller_tell(const bxt_controller *c, bxt_diagnostics *d, const char *format, ...)
	BXT_PRINTF(3, 4);

/*
 * plugin_trial.c: all of them are made in a child process and freed again; those that are due and
 * have made no step make one there. BXT_ERR_MODEL after findings about all that crash, do not
 * return within so many seconds each, or tell of a failure to be made; failures of a step are left
 * to the step itself.
 */
bxt_status bxt_controllers_try(bxt_controller *c, int n, const bxt_remembered *remembered,
			       int seconds, bxt_diagnostics *d);
bxt_status bxt_controllers_try_step(bxt_controller *c, int n, double t, int seconds,
				    bxt_diagnostics *d);

#endif
