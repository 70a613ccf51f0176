/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A PI controller with anti-windup as a plug-in: copy this file to begin one of your own.
 *
 *     cc -O2 -shared -fPIC -I DIRECTORY_OF_boxtimes_plugin.h pi.c -o pi.so -lm
 *
 * It serves a component that says
 *
 *     <parameter name="Ts" unit="s"/> ... <state name="u" unit="1"/>
 *     <sample period="Ts"/>
 *     <plugin file="pi.so" reads="r y" writes="u"/>
 *
 * and has parameters kp and ki, and if it likes u_min, u_max and Tt. With e = r - y, at each sample
 *
 *     v = kp e + I ,   u = min(max(v, u_min), u_max) ,   I := I + h (ki e + (u - v) / Tt) .
 *
 * The last term unwinds I while u is at a limit (back-calculation: Astrom and Hagglund, Advanced
 * PID Control, 2006, section 3.5).
 */
#include "boxtimes_plugin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One for each element and run: parameters, then what it remembers. */
typedef struct pi {
	double kp, ki, u_min, u_max, Tt, h;
	double I;
} pi;

/* The order of inputs and outputs is that of reads="..." and writes="...". */
enum { R, Y, INPUTS };
enum { U, OUTPUTS };

/* The parameter of the element with that name, or what it is where there is none. */
static double parameter(const bxt_plugin_setup *setup, const char *name, double otherwise)
{
	for (size_t i = 0; i < setup->n_parameters; i++)
		if (strcmp(setup->parameter_names[i], name) == 0)
			return setup->parameters[i];
	return otherwise;
}

static int instantiate(const bxt_plugin_setup *setup, bxt_plugin_shape *shape, void **instance,
		       char *error, size_t error_size)
{
	pi c = {.kp = parameter(setup, "kp", NAN),
		.ki = parameter(setup, "ki", NAN),
		.u_min = parameter(setup, "u_min", -INFINITY),
		.u_max = parameter(setup, "u_max", INFINITY),
		.Tt = parameter(setup, "Tt", INFINITY),
		.h = setup->period};
	/* an error text is for the user: say what to do about it */
	if (isnan(c.kp) || isnan(c.ki)) {
		snprintf(error, error_size, "the component needs the parameters kp and ki");
		return 1;
	}
	if (!(c.u_min < c.u_max && c.Tt > 0)) {
		snprintf(error, error_size, "u_min must be below u_max, and Tt positive");
		return 1;
	}
	pi *own = malloc(sizeof *own);
	if (!own) {
		snprintf(error, error_size, "out of memory");
		return 1;
	}
	*own = c;
	*instance = own;
	shape->n_inputs = INPUTS; /* the program compares them with the component's */
	shape->n_outputs = OUTPUTS;
	return 0;
}

static void discard(void *instance)
{
	free(instance);
}

static int step(void *instance, double t, const double *inputs, double *outputs, char *error,
		size_t error_size)
{
	pi *c = instance;
	const double e = inputs[R] - inputs[Y];
	const double v = c->kp * e + c->I, u = fmax(c->u_min, fmin(c->u_max, v));
	(void)t;
	(void)error;
	(void)error_size;
	c->I = c->I + c->h * (c->ki * e + (u - v) / c->Tt);
	outputs[U] = u;
	return 0;
}

/* All that changes from step to step, and nothing else. */
static size_t state_size(void *instance)
{
	(void)instance;
	return sizeof(double);
}

static int save(void *instance, void *bytes, char *error, size_t error_size)
{
	const pi *c = instance;
	(void)error;
	(void)error_size;
	memcpy(bytes, &c->I, sizeof c->I);
	return 0;
}

static int restore(void *instance, const void *bytes, size_t size, char *error, size_t error_size)
{
	pi *c = instance;
	if (size != sizeof c->I) {
		snprintf(error, error_size, "%lu bytes are not what a PI controller remembers",
			 (unsigned long)size);
		return 1;
	}
	memcpy(&c->I, bytes, sizeof c->I);
	return 0;
}

const bxt_plugin *bxt_plugin_entry(uint32_t version)
{
	static const bxt_plugin table = {
		.version = BXT_PLUGIN_VERSION,
		.size = sizeof table,
		.instantiate = instantiate,
		.free = discard,
		.step = step,
		.state_size = state_size,
		.save = save,
		.restore = restore,
	};
	(void)version; /* 1 is the first */
	return &table;
}
