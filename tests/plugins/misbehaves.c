/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does what a plug-in must not do, by the parameter `mode`, in steps from the time `when` on. */
#define _POSIX_C_SOURCE 200809L /* kill */

#include "boxtimes_plugin.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As in test_plugin_crashes.c and cli_plugin.sh. */
enum mode {
	NOTHING,
	CRASHES,
	HANGS,
	FAILS,
	FAILS_SILENTLY,
	EXITS,
	OTHER_SHAPE,
	STEP_CRASHES,
	STEP_HANGS,
	STEP_FAILS,
	STEP_NAN,
	STEP_INFINITE,
	STEP_LAZY,
	STEP_TOO_MUCH,
	SAVE_FAILS,
	RESTORE_FAILS,
	RESTORE_CRASHES,
	FREE_CRASHES,
	FAILS_AT_LENGTH,
	SAVE_CRASHES,
	SAVE_HANGS,
	STEP_SIGNALS, /* number `number` */
	STEP_EXITS,
	STEP_SCRIBBLES,
	STEP_PRINTS,
	STEP_CLOSES,
	SAVE_LONG,
	SAVE_LATE,    /* crashes from `when` on */
	STEP_FORKS,   /* and both return */
	STEP_LINGERS, /* crashes, and a copy goes on for a while with all that was open */
	SAVE_HUGE,
	STEP_LEAVES,   /* a process behind that goes on */
	STEP_DAEMON,   /* one in a session of its own, whose parent has ended */
	STEP_KILLS_ALL /* its whole group, by signal `number` */
};

enum { LONG = 3000000 }; /* bytes, more than a socket holds */

typedef struct bad {
	enum mode mode;
	double when, t;
	int signal;
} bad;

static double parameter(const bxt_plugin_setup *setup, const char *name)
{
	for (size_t i = 0; i < setup->n_parameters; i++)
		if (strcmp(setup->parameter_names[i], name) == 0)
			return setup->parameters[i];
	return 0;
}

static void hang(void)
{
	for (volatile int forever = 1; forever;)
		continue;
}

static int instantiate(const bxt_plugin_setup *setup, bxt_plugin_shape *shape, void **instance,
		       char *error, size_t error_size)
{
	const bad b = {(enum mode)parameter(setup, "mode"), parameter(setup, "when"), 0,
		       (int)parameter(setup, "number")};
	if (b.mode == CRASHES)
		raise(SIGSEGV);
	if (b.mode == HANGS)
		hang();
	if (b.mode == EXITS)
		exit(0);
	if (b.mode == FAILS)
		snprintf(error, error_size, "%s has no\nvalve", setup->element);
	if (b.mode == FAILS_AT_LENGTH)
		memset(error, 'x', error_size); /* not even ended */
	if (b.mode == FAILS || b.mode == FAILS_SILENTLY || b.mode == FAILS_AT_LENGTH)
		return 7;
	bad *own = malloc(sizeof *own);
	if (!own)
		return 1;
	*own = b;
	*instance = own;
	shape->n_inputs = setup->n_inputs;
	shape->n_outputs = setup->n_outputs + (b.mode == OTHER_SHAPE);
	return 0;
}

static void discard(void *instance)
{
	if (((bad *)instance)->mode == FREE_CRASHES)
		raise(SIGABRT);
	free(instance);
}

static int step(void *instance, double t, const double *inputs, double *outputs, char *error,
		size_t error_size)
{
	bad *b = instance;
	b->t = t;
	if (t < b->when - 1e-9 || b->mode != STEP_LAZY)
		outputs[0] = 1;
	if (t < b->when - 1e-9)
		return 0;
	switch (b->mode) {
	case STEP_CRASHES:
		raise(SIGFPE);
		break;
	case STEP_HANGS:
		hang();
		break;
	case STEP_FAILS:
		snprintf(error, error_size, "the sensor is lost");
		return 1;
	case STEP_NAN:
		outputs[0] = NAN;
		break;
	case STEP_INFINITE:
		outputs[0] = -INFINITY;
		break;
	case STEP_TOO_MUCH:
		outputs[1] = 2;
		break;
	case STEP_SIGNALS:
		raise(b->signal);
		break;
	case STEP_EXITS:
		exit(5);
	case STEP_SCRIBBLES: /* over all that is near, until it is not its own */
		for (double *near = outputs;; near++)
			*near = *inputs;
	case STEP_PRINTS:
		printf("%g, a line from a plug-in\n", t);
		break;
	case STEP_FORKS:
		if (fork() < 0)
			return 1;
		break;
	case STEP_LINGERS:
		if (fork() != 0)
			raise(SIGSEGV);
		sleep(10);
		_exit(0);
	case STEP_LEAVES:
		if (fork() == 0) {
			sleep(1000);
			_exit(0);
		}
		break;
	case STEP_DAEMON:
		if (fork() == 0) {
			signal(SIGHUP, SIG_IGN);
			setsid();
			if (fork() == 0)
				sleep(1000);
			_exit(0);
		}
		break;
	case STEP_KILLS_ALL:
		kill(0, b->signal);
		break;
	case STEP_CLOSES:
		for (int fd = 3; fd < 100; fd++)
			close(fd);
		break;
	default:
		break;
	}
	return 0;
}

static size_t state_size(void *instance)
{
	const enum mode mode = ((bad *)instance)->mode;
	return mode == SAVE_LONG ? LONG : mode == SAVE_HUGE ? (size_t)-1 : 1;
}

static int save(void *instance, void *bytes, char *error, size_t error_size)
{
	const bad *b = instance;
	(void)error;
	(void)error_size;
	*(char *)bytes = 1;
	for (int i = 1; b->mode == SAVE_LONG && i < LONG; i++)
		((unsigned char *)bytes)[i] = (unsigned char)(i % 251);
	if (b->mode == SAVE_CRASHES || (b->mode == SAVE_LATE && b->t >= b->when - 1e-9))
		*(volatile int *)instance = *(volatile int *)NULL;
	if (b->mode == SAVE_HANGS)
		hang();
	return b->mode == SAVE_FAILS;
}

static int restore(void *instance, const void *bytes, size_t size, char *error, size_t error_size)
{
	const bad *b = instance;
	if (b->mode == RESTORE_CRASHES)
		raise(SIGBUS);
	for (int i = 1; b->mode == SAVE_LONG && i < LONG; i++)
		if (size != LONG || ((const unsigned char *)bytes)[i] != i % 251) {
			snprintf(error, error_size, "byte %d is not mine", i);
			return 1;
		}
	if (b->mode == RESTORE_FAILS)
		snprintf(error, error_size, "these are not my bytes");
	return b->mode == RESTORE_FAILS;
}

const bxt_plugin *bxt_plugin_entry(uint32_t version)
{
	static const bxt_plugin table = {
		BXT_PLUGIN_VERSION, sizeof table, instantiate, discard, step,
		state_size,         save,         restore};
	return version == BXT_PLUGIN_VERSION ? &table : NULL;
}
