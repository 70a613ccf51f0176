/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/files.h"

#include "ground/base/text.h"
#include "model/network/network.h"
#include "model/system/system.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder;

void make_folder(void)
{
	folder = scratch_folder();
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(mkdir("parts", 0700), 0);
}

void remove_folder(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	scratch_remove(folder);
}

void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

bxt_status compile_with(model *m, const char *name, const char *const set[3],
			const char *const *directories, size_t n)
{
	const char *path[4] = {NULL};
	ck_assert_uint_lt(n, 4);
	for (size_t i = 0; i < n; i++)
		path[i] = directories[i];
	path[n] = getenv("BOXTIMES_PATH");
	ck_assert_msg(path[n], "BOXTIMES_PATH is not set: use make check");
	*m = (model){.findings = bxt_diagnostics_new()};
	m->library = bxt_library_new(path, n + 1, m->findings);
	ck_assert(m->findings && m->library);
	ck_assert_int_eq(bxt_netlist_read(name, m->findings, &m->netlist), BXT_OK);
	bxt_status status = BXT_OK;
	if (set)
		status = bxt_netlist_set(m->netlist, set[0], set[1], set[2], m->findings);
	if (status == BXT_OK)
		status = bxt_system_compile(m->netlist, m->library, m->findings, &m->system);
	return status;
}

bxt_status compile(model *m, const char *name, const char *const set[3])
{
	return compile_with(m, name, set, NULL, 0);
}

char *told(const model *m)
{
	bxt_buffer all = {0};
	bxt_buffer_printf(&all, "%s", "");
	for (size_t i = 0; i < bxt_diagnostics_count(m->findings, BXT_NOTE); i++) {
		const bxt_finding *f = bxt_diagnostics_get(m->findings, i);
		bxt_buffer_printf(&all, "%s:%d: %s\n", f->file, f->line, f->text);
	}
	return all.text;
}

void check_told(const char *name, const char *const set[3], bxt_status expected, const char *text)
{
	model m;
	const bxt_status status = compile(&m, name, set);
	char *got = told(&m);
	bxt_buffer wanted = {0};
	for (const char *mark; (mark = strstr(text, "$PATH")); text = mark + 5)
		bxt_buffer_printf(&wanted, "%.*s%s", (int)(mark - text), text,
				  getenv("BOXTIMES_PATH"));
	bxt_buffer_printf(&wanted, "%s", text);
	ck_assert_str_eq(got, wanted.text);
	bxt_buffer_free(&wanted);
	ck_assert_int_eq(status, expected);
	free(got);
	model_free(&m);
}

double parameter(const model *m, const char *path, int index)
{
	const bxt_network *net = m->system->net;
	bxt_buffer name = {0};
	double value = NAN;
	for (size_t i = 0; i < net->n_elements; i++)
		if (strcmp(bxt_network_path(net, net->elements[i].primitive, net->elements[i].id,
					    &name),
			   path) == 0)
			value = net->elements[i].parameter[index];
	bxt_buffer_free(&name);
	ck_assert_msg(!isnan(value), "no element %s", path);
	return value;
}
