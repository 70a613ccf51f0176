/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/plugins.h"

#include "ground/base/text.h"

#include <check.h>
#include <stdlib.h>

char *plugin_named(const char *name, const char *file)
{
	const char *folder = getenv("BXT_PLUGINS");
	bxt_buffer text = {0};
	ck_assert_msg(folder, "BXT_PLUGINS is not set: use make check");
	bxt_buffer_printf(&text, "%s=%s/%s.so", name, folder, file);
	ck_assert(!text.failed);
	return text.text;
}

bxt_run_def plugin_run_def(double end, const char *record, const char *const *plugins, size_t n)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = "gauss1";
	def.step = 0.1;
	def.end = end;
	def.record = record;
	def.plugins = plugins;
	def.n_plugins = n;
	def.plugin_seconds = 60; /* runs with sanitizers and on shared machines are slow */
	return def;
}
