/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/harness.h"

#include "model/network/network.h"
#include "model/system/system.h"
#include "motion/scheme/settings.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void tell(const bxt_diagnostics *d)
{
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++) {
		const bxt_finding *f = bxt_diagnostics_get(d, i);
		fprintf(stderr, "%s:%d: %s\n", f->file ? f->file : "", f->line, f->text);
	}
}

static model empty_model(void)
{
	const char *path = getenv("BOXTIMES_PATH");
	model m = {.findings = bxt_diagnostics_new()};
	ck_assert_ptr_nonnull(m.findings);
	ck_assert_msg(path, "BOXTIMES_PATH is not set: use make check");
	m.library = bxt_library_new(&path, 1, m.findings);
	ck_assert_ptr_nonnull(m.library);
	return m;
}

static model compiled(model m)
{
	if (bxt_system_compile(m.netlist, m.library, m.findings, &m.system) != BXT_OK) {
		tell(m.findings);
		ck_abort_msg("the model does not compile");
	}
	return m;
}

model model_of_text(const char *xml)
{
	model m = empty_model();
	if (bxt_netlist_read_memory(xml, strlen(xml), "test", m.findings, &m.netlist) != BXT_OK) {
		tell(m.findings);
		ck_abort_msg("the netlist cannot be read");
	}
	return compiled(m);
}

model model_of_file(const char *name)
{
	model m = empty_model();
	const char *folder = getenv("BXT_NETLISTS");
	bxt_buffer path = {0};
	ck_assert_msg(folder, "BXT_NETLISTS is not set: use make check");
	bxt_buffer_printf(&path, "%s/%s", folder, name);
	if (bxt_netlist_read(path.text, m.findings, &m.netlist) != BXT_OK) {
		tell(m.findings);
		ck_abort_msg("%s cannot be read", name);
	}
	bxt_buffer_free(&path);
	return compiled(m);
}

void model_free(model *m)
{
	m->system = bxt_system_free(m->system);
	m->netlist = bxt_netlist_free(m->netlist);
	m->library = bxt_library_free(m->library);
	m->findings = bxt_diagnostics_free(m->findings);
}

bxt_table *model_run(model *m, const bxt_run_def *def, bxt_summary *summary)
{
	bxt_state *end;
	bxt_table *table = model_run_to(m, def, summary, &end);
	bxt_state_free(end);
	return table;
}

bxt_table *model_run_to(model *m, const bxt_run_def *def, bxt_summary *summary, bxt_state **end)
{
	bxt_table *table = bxt_table_new();
	ck_assert_ptr_nonnull(table);
	bxt_sink sink;
	bxt_table_sink(table, &sink);
	bxt_state *state = NULL;
	bxt_status status = bxt_initialize(m->system, def, m->findings, &state);
	if (status == BXT_OK)
		status = bxt_run(m->system, state, def, &sink, summary, m->findings);
	if (status != BXT_OK) {
		tell(m->findings);
		ck_abort_msg("the run fails: %s", bxt_status_text(status));
	}
	*end = state;
	return table;
}

bxt_table *run_text(const char *xml, const bxt_run_def *def)
{
	model m = model_of_text(xml);
	bxt_table *table = model_run(&m, def, NULL);
	model_free(&m);
	return table;
}

char *all_elements(const model *m)
{
	const bxt_network *net = m->system->net;
	bxt_buffer list = {0}, path = {0};
	for (size_t i = 0; i < net->n_elements; i++)
		bxt_buffer_printf(&list, "%s%s.*", i ? ", " : "",
				  bxt_network_path(net, net->elements[i].primitive,
						   net->elements[i].id, &path));
	bxt_buffer_free(&path);
	ck_assert_ptr_nonnull(list.text);
	return list.text;
}

char *all_coordinates(const model *m)
{
	const bxt_system *s = m->system;
	bxt_buffer list = {0}, name = {0};
	for (int k = 0; k < 2 * s->n; k++) {
		const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[k % s->n]];
		if (c->type == BXT_COORD_ELEMENT && s->net->elements[c->owner].is_interaction)
			continue; /* elements that belong to signals */
		bxt_buffer_printf(&list, "%s%s", k ? ", " : "",
				  bxt_dirac_coord_name(s->net, c, k >= s->n, &name));
	}
	bxt_buffer_free(&name);
	ck_assert_ptr_nonnull(list.text);
	return list.text;
}

bool has_finding(const model *m, bxt_severity severity, const char *words)
{
	for (size_t i = 0; i < bxt_diagnostics_count(m->findings, BXT_NOTE); i++) {
		const bxt_finding *f = bxt_diagnostics_get(m->findings, i);
		if (f->severity >= severity && strstr(f->text, words))
			return true;
	}
	return false;
}

static size_t column(const bxt_table *t, const char *name)
{
	const long j = bxt_table_find(t, name);
	ck_assert_msg(j >= 0, "no column %s", name);
	return (size_t)j;
}

double value_at(const bxt_table *t, size_t row, const char *name)
{
	ck_assert_uint_lt(row, bxt_table_rows(t));
	return bxt_table_value(t, row, column(t, name));
}

double last_value(const bxt_table *t, const char *name)
{
	ck_assert_uint_gt(bxt_table_rows(t), 0);
	return value_at(t, bxt_table_rows(t) - 1, name);
}

double value_at_time(const bxt_table *t, double time, const char *name)
{
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		if (fabs(bxt_table_time(t, i) - time) <= 1e-9 * fabs(time))
			return value_at(t, i, name);
	ck_abort_msg("no row at t = %g", time);
	return NAN;
}

double largest(const bxt_table *t, const char *name)
{
	const size_t j = column(t, name);
	double most = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		most = fmax(most, fabs(bxt_table_value(t, i, j)));
	return most;
}

double difference(const bxt_table *a, const char *name_a, const bxt_table *b, const char *name_b)
{
	const size_t ja = column(a, name_a), jb = column(b, name_b);
	const double scale = largest(a, name_a);
	double most = 0;
	ck_assert_uint_eq(bxt_table_rows(a), bxt_table_rows(b));
	for (size_t i = 0; i < bxt_table_rows(a); i++) {
		const double d = fabs(bxt_table_value(a, i, ja) - bxt_table_value(b, i, jb));
		ck_assert(bxt_table_time(a, i) == bxt_table_time(b, i));
		if (!(d <= most))
			most = d;
	}
	return scale > 0 ? most / scale : most;
}

/* Can the netlist be run by itself? */
static bool has_simulation(const char *path)
{
	bxt_netlist *n = NULL;
	if (bxt_netlist_read(path, NULL, &n) != BXT_OK)
		return true; /* running it will report the error */
	const bool has = bxt_item_child(n->root, "simulation", NULL) != NULL;
	bxt_netlist_free(n);
	return has;
}

/* Adds the netlists in $BXT_NETLISTS/folder, "" or "examples/", to the list. */
static void add_netlists(netlist_names *names, size_t *capacity, const char *folder)
{
	bxt_buffer path = {0}, name = {0};
	bxt_buffer_printf(&path, "%s/%s", getenv("BXT_NETLISTS"), folder);
	const size_t length = path.length;
	DIR *stream = opendir(path.text);
	ck_assert_msg(stream || *folder, "BXT_NETLISTS is not set: use make check");
	for (const struct dirent *e; stream && (e = readdir(stream));) {
		const char *end = strrchr(e->d_name, '.');
		bxt_buffer_clear(&name);
		bxt_buffer_printf(&name, "%s%s", folder, e->d_name);
		path.length = length;
		bxt_buffer_printf(&path, "%s", e->d_name);
		if (end && end > e->d_name && strcmp(end, ".xml") == 0 &&
		    has_simulation(path.text)) {
			ck_assert_int_eq(BXT_GROW(names->name, *capacity, names->n + 1), BXT_OK);
			ck_assert_ptr_nonnull(names->name[names->n++] = strdup(name.text));
		} else if (!end) { /* a folder, or an empty name */
			bxt_buffer_printf(&name, "/");
			add_netlists(names, capacity, name.text);
		}
	}
	if (stream)
		closedir(stream);
	bxt_buffer_free(&path);
	bxt_buffer_free(&name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

netlist_names all_netlists(void)
{
	netlist_names names = {NULL, 0};
	size_t capacity = 0;
	add_netlists(&names, &capacity, "");
	ck_assert_uint_gt(names.n, 0);
	qsort(names.name, names.n, sizeof *names.name, by_name);
	return names;
}

void all_netlists_free(netlist_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->name[i]);
	free(names->name);
	*names = (netlist_names){NULL, 0};
}

bxt_run_def first_steps(const model *m, bxt_run_def def, int n)
{
	bxt_settings settings;
	const bxt_status resolved = bxt_settings_resolve(m->system, &def, m->findings, &settings);
	for (size_t i = 0; resolved != BXT_OK && i < bxt_diagnostics_count(m->findings, BXT_NOTE);
	     i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(m->findings, i)->text);
	ck_assert_int_eq(resolved, BXT_OK);
	def.step = settings.step;
	def.end = fmin(settings.end, n * settings.step);
	return def;
}

char *scratch_folder(void)
{
	const char *parent = getenv("TMPDIR");
	bxt_buffer path = {0};
	bxt_buffer_printf(&path, "%s/boxtimes-test-XXXXXX", parent && *parent ? parent : "/tmp");
	ck_assert(!path.failed);
	ck_assert_msg(mkdtemp(path.text), "no folder can be made in %s", parent ? parent : "/tmp");
	return path.text;
}

void scratch_remove(char *folder)
{
	bxt_buffer command = {0};
	ck_assert_ptr_null(strchr(folder, '\'')); /* it would end the quotes */
	bxt_buffer_printf(&command, "rm -rf '%s'", folder);
	ck_assert(!command.failed);
	ck_assert_int_eq(system(command.text), 0);
	bxt_buffer_free(&command);
	free(folder);
}
