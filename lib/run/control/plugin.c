/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/control/plugin.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The value of the guards behind the outputs, which no controller computes by chance. */
static const double GUARD = -0x1.b0c5a11ed0dadp-700;

/* ---- Words ---- */

void bxt_controller_tell(const bxt_controller *c, bxt_diagnostics *d, const char *format, ...)
{
	bxt_buffer what = {0};
	char text[2 * BXT_PLUGIN_TEXT];
	va_list arguments;
	va_start(arguments, format);
	const int length = vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	bxt_buffer_printf(&what, "%s", length > 0 ? text : "");
	for (size_t i = 0; i < what.length;
	     i++) /* line breaks would break the line of the finding */
		if (what.text[i] == '\n' || what.text[i] == '\r')
			what.text[i] = ' ';
	bxt_error(d, c->place, "%s '%s': plug-in '%s' %s", c->component, c->setup.element, c->path,
		  what.text ? what.text : "");
	bxt_buffer_free(&what);
}

/* Completes the text of a failure: the message of the plug-in, or the code that it returned. */
static void complete(char *text, int code)
{
	text[BXT_PLUGIN_TEXT - 1] = '\0';
	if (!*text)
		snprintf(text, BXT_PLUGIN_TEXT, "it returned %d and says no more", code);
}

/* ---- Loading ---- */

static void say_load_error(const bxt_controller *c, char *text)
{
	const char *why = dlerror();
	const size_t length = strlen(c->path);
	if (why && strncmp(why, c->path, length) == 0 && why[length] == ':')
		why += length + 1 +
		       (why[length + 1] == ' '); /* the finding has its name in any case */
	snprintf(text, BXT_PLUGIN_TEXT, "cannot be loaded: %s", why ? why : "no reason is known");
}

static bool check_table(const bxt_plugin *p, char *text)
{
	if (!p)
		snprintf(text, BXT_PLUGIN_TEXT,
			 "does not serve version %d of the interface, which this program has",
			 BXT_PLUGIN_VERSION);
	else if (p->version != BXT_PLUGIN_VERSION)
		snprintf(text, BXT_PLUGIN_TEXT,
			 "is made for version %lu of the interface; this program has version %d",
			 (unsigned long)p->version, BXT_PLUGIN_VERSION);
	else if (p->size < sizeof *p)
		snprintf(text, BXT_PLUGIN_TEXT,
			 "has a table of %lu bytes, and %lu are needed: it was made with another "
			 "boxtimes_plugin.h",
			 (unsigned long)p->size, (unsigned long)sizeof *p);
	else if (!p->instantiate || !p->free || !p->step)
		snprintf(text, BXT_PLUGIN_TEXT, "has no function '%s' in its table",
			 !p->instantiate ? "instantiate"
			 : !p->free      ? "free"
					 : "step");
	else if (!p->state_size != !p->save || !p->save != !p->restore)
		snprintf(text, BXT_PLUGIN_TEXT,
			 "has only some of 'state_size', 'save' and 'restore' in its table: all or "
			 "none");
	else
		return true;
	return false;
}

static bool load(bxt_controller *c, volatile bxt_plugin_stage *stage, char *text)
{
	bxt_plugin_entry_function *entry = NULL;
	*stage = BXT_PLUGIN_LOADING;
	c->handle = dlopen(c->path, RTLD_NOW | RTLD_LOCAL);
	if (!c->handle) {
		say_load_error(c, text);
		return false;
	}
	void *symbol = dlsym(c->handle, "bxt_plugin_entry");
	if (!symbol) {
		snprintf(text, BXT_PLUGIN_TEXT, "has no function bxt_plugin_entry");
		return false;
	}
	/* POSIX guarantees this conversion, C does not */
	_Static_assert(sizeof entry == sizeof symbol, "pointers to functions are others here");
	memcpy(&entry, &symbol, sizeof entry);
	*stage = BXT_PLUGIN_ENTERING;
	c->table = entry(BXT_PLUGIN_VERSION);
	return check_table(c->table, text);
}

static bool instantiate(bxt_controller *c, volatile bxt_plugin_stage *stage, char *text)
{
	char why[BXT_PLUGIN_TEXT] = "";
	bxt_plugin_shape shape = {.size = sizeof shape};
	*stage = BXT_PLUGIN_INSTANTIATING;
	const int code = c->table->instantiate(&c->setup, &shape, &c->instance, why, sizeof why);
	if (code != 0) {
		complete(why, code);
		snprintf(text, BXT_PLUGIN_TEXT, "cannot be instantiated: %.480s", why);
		return false;
	}
	c->made = true;
	if (shape.n_inputs == c->setup.n_inputs && shape.n_outputs == c->setup.n_outputs)
		return true;
	snprintf(text, BXT_PLUGIN_TEXT,
		 "takes %lu inputs and gives %lu outputs; the component reads %lu and writes %lu",
		 (unsigned long)shape.n_inputs, (unsigned long)shape.n_outputs,
		 (unsigned long)c->setup.n_inputs, (unsigned long)c->setup.n_outputs);
	return false;
}

bool bxt_controller_make(bxt_controller *c, const bxt_remembered *remembered,
			 volatile bxt_plugin_stage *stage, char *text)
{
	char why[BXT_PLUGIN_TEXT] = "";
	if (remembered && remembered->lost) {
		snprintf(text, BXT_PLUGIN_TEXT,
			 "cannot go on: what it remembered was lost when "
			 "the process of plug-ins ended");
		return false;
	}
	if (!load(c, stage, text) || !instantiate(c, stage, text))
		return false;
	if (!remembered || (!c->table->restore && remembered->size == 0))
		return true;
	*stage = BXT_PLUGIN_RESTORING;
	const int code = !c->table->restore ? -1
					    : c->table->restore(c->instance, remembered->bytes,
								remembered->size, why, sizeof why);
	if (code == 0)
		return true;
	complete(why, code);
	snprintf(text, BXT_PLUGIN_TEXT, "cannot go on from the state: %.480s", why);
	return false;
}

void bxt_controller_free(bxt_controller *c)
{
	if (c->made)
		c->table->free(c->instance);
	if (c->handle)
		dlclose(c->handle);
	c->handle = c->instance = NULL;
	c->table = NULL;
	c->made = false;
}

/* ---- A step ---- */

static bool kept_within(const bxt_controller *c)
{
	for (int i = 0; i < BXT_PLUGIN_GUARDS; i++)
		if (memcmp(&c->outputs[c->setup.n_outputs + (size_t)i], &GUARD, sizeof GUARD) != 0)
			return false;
	return true;
}

bxt_status bxt_controller_step(bxt_controller *c, double t, char *text)
{
	const size_t n = c->setup.n_outputs;
	char why[BXT_PLUGIN_TEXT] = "";
	for (size_t i = 0; i < n; i++)
		c->outputs[i] = NAN; /* so that an output that is not written is detected */
	for (int i = 0; i < BXT_PLUGIN_GUARDS; i++)
		c->outputs[n + (size_t)i] = GUARD;
	const int code = c->table->step(c->instance, t, c->inputs, c->outputs, why, sizeof why);
	if (!kept_within(c)) {
		snprintf(text, BXT_PLUGIN_TEXT, "writes more than its %lu outputs at t = %.9g s",
			 (unsigned long)n, t);
		return BXT_ERR_MODEL;
	}
	if (code != 0) {
		complete(why, code);
		snprintf(text, BXT_PLUGIN_TEXT, "fails at t = %.9g s: %.470s", t, why);
		return BXT_ERR_MODEL;
	}
	for (size_t i = 0; i < n; i++)
		if (!isfinite(c->outputs[i])) {
			snprintf(text, BXT_PLUGIN_TEXT,
				 "gives %s for '%.200s' at t = %.9g s, or does not write it",
				 isnan(c->outputs[i]) ? "no number" : "infinity",
				 c->setup.output_names[i], t);
			return BXT_ERR_NOT_FINITE;
		}
	return BXT_OK;
}

bxt_status bxt_controller_save(bxt_controller *c, bxt_remembered *out, char *text)
{
	char why[BXT_PLUGIN_TEXT] = "";
	const size_t size = c->table->state_size ? c->table->state_size(c->instance) : 0;
	if (size >= PTRDIFF_MAX) {
		snprintf(text, BXT_PLUGIN_TEXT,
			 "cannot save its state: it says that it has %zu bytes", size);
		return BXT_ERR_MODEL;
	}
	void *bytes = calloc(size + 1, 1);
	if (!bytes)
		return BXT_ERR_MEMORY;
	const int code = size > 0 ? c->table->save(c->instance, bytes, why, sizeof why) : 0;
	if (code != 0) {
		complete(why, code);
		snprintf(text, BXT_PLUGIN_TEXT, "cannot save its state: %.480s", why);
		free(bytes);
		return BXT_ERR_MODEL;
	}
	free(out->bytes);
	*out = (bxt_remembered){.bytes = bytes, .size = size};
	return BXT_OK;
}
