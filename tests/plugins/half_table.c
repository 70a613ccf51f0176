/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knows how to save what it remembers, and not how to get it back. */
#include "boxtimes_plugin.h"

static int instantiate(const bxt_plugin_setup *setup, bxt_plugin_shape *shape, void **instance,
		       char *error, size_t error_size)
{
	(void)error;
	(void)error_size;
	*instance = (void *)0;
	shape->n_inputs = setup->n_inputs;
	shape->n_outputs = setup->n_outputs;
	return 0;
}

static void discard(void *instance)
{
	(void)instance;
}

static int step(void *instance, double t, const double *inputs, double *outputs, char *error,
		size_t error_size)
{
	(void)instance;
	(void)t;
	(void)inputs;
	(void)error;
	(void)error_size;
	outputs[0] = 0;
	return 0;
}

static size_t state_size(void *instance)
{
	(void)instance;
	return 0;
}

const bxt_plugin *bxt_plugin_entry(uint32_t version)
{
	static const bxt_plugin table = {.version = BXT_PLUGIN_VERSION,
					 .size = sizeof table,
					 .instantiate = instantiate,
					 .free = discard,
					 .step = step,
					 .state_size = state_size};
	(void)version;
	return &table;
}
