/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Robustness: whatever a netlist holds, and whenever memory ends, there is a status and a finding,
 * no crash and no leak (run it with --enable-sanitizers). What the findings say is tested by
 * cli.sh.
 */
#include "boxtimes.h"
#include "support/allocation.h"

#include "ground/base/text.h"
#include "model/netlist/netlist.h"
#include "support/runner.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MUTATIONS = 300, LAST = 60 };

static bxt_library *open_library(void)
{
	const char *directory = getenv("BOXTIMES_PATH");
	ck_assert_ptr_nonnull(directory);
	bxt_library *library = bxt_library_new(&directory, 1, NULL);
	ck_assert_ptr_nonnull(library);
	return library;
}

static char *read_all(const char *name, size_t *length)
{
	bxt_buffer path = {0}, text = {0};
	char chunk[4096];
	bxt_buffer_printf(&path, "%s/%s", getenv("BXT_NETLISTS"), name);
	FILE *f = fopen(path.text, "r");
	ck_assert_ptr_nonnull(f);
	for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
		bxt_buffer_add(&text, chunk, n);
	fclose(f);
	ck_assert(!text.failed && text.length > 0);
	bxt_buffer_free(&path);
	*length = text.length;
	return text.text;
}

static bxt_status ignore_row(void *context, double t, size_t n, const double *values)
{
	(void)context, (void)t, (void)n, (void)values;
	return BXT_OK;
}

/* What `check` does, and with steps > 0 a run of so many. */
static bxt_status check(const char *bytes, size_t length, bxt_library *library, int steps,
			bxt_diagnostics *d)
{
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_state *state = NULL;
	bxt_summary summary = {0};
	bxt_run_def def;
	bxt_default_run_def(&def);
	const bxt_sink sink = {.size = sizeof sink, .row = ignore_row};
	def.step = steps ? 1e-4 : 0;
	def.end = steps * def.step;
	bxt_status status = bxt_netlist_read_memory(bytes, length, "test", d, &netlist);
	if (status == BXT_OK)
		status = bxt_system_compile(netlist, library, d, &system);
	if (status == BXT_OK)
		status = bxt_initialize(system, &def, d, &state);
	if (status == BXT_OK && steps)
		status = bxt_run(system, state, &def, &sink, &summary, d);
	bxt_summary_free(&summary);
	bxt_state_free(state);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	return status;
}

/* ---- Mutations ---- */

/* xorshift64: the same mutations on every machine. */
static unsigned long random_below(unsigned long long *seed, unsigned long n)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (unsigned long)((*seed >> 11) % n);
}

/* Changes one byte, removes one, doubles one, or cuts the text. */
static size_t mutate(char *text, size_t length, unsigned long long *seed)
{
	/* half the bytes written are such as the language knows */
	static const char telling[] = "<>/=\"'&;.,-+*^()0123456789eE \nRLCVpnq_t\0";
	const size_t at = random_below(seed, length);
	switch (random_below(seed, 8)) {
	case 0:
		return at;
	case 1:
		memmove(text + at, text + at + 1, length - at - 1);
		return length - 1;
	case 2: /* the caller has room for one more */
		memmove(text + at + 1, text + at, length - at);
		return length + 1;
	case 3:
	case 4:
		text[at] = (char)random_below(seed, 256);
		return length;
	default:
		text[at] = telling[random_below(seed, sizeof telling - 1)];
		return length;
	}
}

static void mutate_file(const char *name, bxt_library *library)
{
	size_t length;
	char *text = read_all(name, &length), *copy = malloc(length + 1);
	unsigned long long seed = 0x9E3779B97F4A7C15u;
	ck_assert_ptr_nonnull(copy);
	for (const char *c = name; *c; c++)
		seed = seed * 31 + (unsigned char)*c;
	for (int i = 0; i < campaign(MUTATIONS); i++) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		memcpy(copy, text, length);
		size_t now = mutate(copy, length, &seed);
		for (unsigned long more = random_below(&seed, 3);
		     more > 0 && now > 1 && now < length; more--)
			now = mutate(copy, now, &seed);
		const bxt_status status = check(copy, now, library, 0, d);
		ck_assert_msg(status != BXT_ERR_ARGUMENT && status != BXT_ERR_MEMORY,
			      "%s, mutation %d: %s", name, i, bxt_status_text(status));
		ck_assert_msg((status != BXT_OK) == (bxt_diagnostics_count(d, BXT_ERROR) > 0),
			      "%s, mutation %d: %s, but %zu errors\n%.*s", name, i,
			      bxt_status_text(status), bxt_diagnostics_count(d, BXT_ERROR),
			      (int)now, copy);
		bxt_diagnostics_free(d);
	}
	free(copy);
	free(text);
}

START_TEST(mutations_get_findings)
{
	bxt_library *library = open_library();
	DIR *folder = opendir(getenv("BXT_NETLISTS"));
	int files = 0;
	ck_assert_ptr_nonnull(folder);
	for (const struct dirent *e; (e = readdir(folder));) {
		const char *end = strrchr(e->d_name, '.');
		if (!end || strcmp(end, ".xml") != 0)
			continue;
		mutate_file(e->d_name, library);
		files++;
	}
	closedir(folder);
	bxt_library_free(library);
	ck_assert_int_ge(files, 10);
}
END_TEST

/* ---- Memory ---- */

static void fail_each_allocation(const char *name, int steps)
{
	size_t length;
	bxt_library *library = open_library();
	char *text = read_all(name, &length);
	long n = 0;
	/* the library keeps the components it has read; reading them is test_component's */
	ck_assert_int_eq(check(text, length, library, steps, NULL), BXT_OK);
	for (;; n++) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		ck_assert_ptr_nonnull(d);
		allocation_fail(n);
		const bxt_status status = check(text, length, library, steps, d);
		const bool failed = allocation_failed();
		allocation_fail(-1);
		/* a failure may be survived where memory only saves time or words, never be
		 * mistaken for anything else */
		ck_assert_msg(status == BXT_OK || status == BXT_ERR_MEMORY,
			      "%s, allocation %ld: %s: %s", name, n, bxt_status_text(status),
			      bxt_diagnostics_count(d, BXT_NOTE) ? bxt_diagnostics_get(d, 0)->text
								 : "");
		bxt_diagnostics_free(d);
		if (!failed) {
			ck_assert_int_eq(status, BXT_OK);
			break;
		}
	}
	ck_assert_int_gt(n, 100); /* else nothing was tested */
	free(text);
	bxt_library_free(library);
}

START_TEST(memory_ends_torn)
{
	allocation_hook();
	fail_each_allocation("rlc-torn.xml", 3);
}
END_TEST

START_TEST(memory_ends_nonlinear)
{
	allocation_hook();
	fail_each_allocation("bridge-rectifier.xml", 3);
}
END_TEST

/* Two equal current sources in series: the marking of redundant rows allocates, too. */
START_TEST(memory_ends_redundant)
{
	static const char text[] =
		"<netlist xmlns='urn:boxtimes:netlist:1'><simulation step='1' end='2'/>"
		"<current-source id='I1' p='0' n='m' I='=sin(t)'/>"
		"<current-source id='I2' p='m' n='a' I='=sin(t)'/>"
		"<resistor id='R1' p='a' n='0' R='1'/></netlist>";
	bxt_library *library = open_library();
	long n = 0;
	ck_assert_int_eq(check(text, sizeof text - 1, library, 3, NULL), BXT_OK);
	for (bool failed = true; failed; n++) {
		allocation_fail(n);
		const bxt_status status = check(text, sizeof text - 1, library, 3, NULL);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
	}
	ck_assert_int_gt(n, 100);
	bxt_library_free(library);
}
END_TEST

/*
 * A motor jumps to an angle where two rods are beyond their reach: who is to blame is found with
 * memory, too. That is at the end of all: the last allocations fail one by one.
 */
START_TEST(memory_ends_while_blaming)
{
	static const char text[] =
		"<netlist xmlns='urn:boxtimes:netlist:1'><simulation step='1' end='2'/>"
		"<node id='c' kind='planar'/><node id='e' kind='planar' x='1 m'/>"
		"<node id='k' kind='planar' x='1.6 m' y='-0.8 m'/>"
		"<rigid-body id='crank' a='c' m='1 kg' J='1 kg.m2'/><pin id='axle' a='c'/>"
		"<prescribed-rotation id='motor' a='wall' b='c' Theta='=if(t &lt; 1e-9, 0, 2)'/>"
		"<body-point id='end' a='c' b='e' ax='1 m'/><point-mass id='K' a='k' m='1 kg'/>"
		"<rod id='r1' a='e' b='k' l='1 m'/>"
		"<ground-rod id='r2' a='k' X='2.2 m' l='1 m'/></netlist>";
	bxt_library *library = open_library();
	long n = 1, named = 0;
	for (bool failed = true; failed; n *= 2) { /* more than there are */
		allocation_fail(n);
		check(text, sizeof text - 1, library, 3, NULL);
		failed = allocation_failed();
		allocation_fail(-1);
	}
	for (long low = 0, high = n; n = (low + high) / 2, high - low > 1;) {
		allocation_fail(n);
		check(text, sizeof text - 1, library, 3, NULL);
		*(allocation_failed() ? &low : &high) = n;
		allocation_fail(-1);
	}
	ck_assert_int_gt(n, 100);
	for (long k = n > LAST ? n - LAST : 0; k <= n + 1; k++) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		ck_assert_ptr_nonnull(d);
		allocation_fail(k);
		const bxt_status status = check(text, sizeof text - 1, library, 3, d);
		allocation_fail(-1);
		ck_assert_msg(status == BXT_ERR_NEWTON || status == BXT_ERR_MEMORY,
			      "allocation %ld: %s", k, bxt_status_text(status));
		for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
			named += strstr(bxt_diagnostics_get(d, i)->text, "moved by motor") != NULL;
		bxt_diagnostics_free(d);
	}
	ck_assert_int_ge(named, 1);    /* without failures, the last time */
	ck_assert_int_lt(named, LAST); /* but not where words were short of memory */
	bxt_library_free(library);
}
END_TEST

/* ---- Editing ---- */

/* "simulation" is a path of its own, also in a netlist without the element. */
START_TEST(simulation_is_settable)
{
	static const char *const texts[] = {
		"<netlist xmlns='urn:boxtimes:netlist:1'><simulation step='1' end='1'/></netlist>",
		"<netlist xmlns='urn:boxtimes:netlist:1'></netlist>"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		bxt_netlist *n = NULL;
		ck_assert_int_eq(
			bxt_netlist_read_memory(texts[i], strlen(texts[i]), "test", NULL, &n),
			BXT_OK);
		ck_assert_int_eq(bxt_netlist_set(n, "simulation", "step", "=1/3", NULL), BXT_OK);
		ck_assert_int_eq(bxt_netlist_set(n, "simulation", "end", "2 s", NULL), BXT_OK);
		const bxt_item *item = bxt_item_child(n->root, "simulation", NULL);
		ck_assert_ptr_nonnull(item);
		ck_assert_ptr_null(bxt_item_child(n->root, "simulation", item));
		ck_assert_str_eq(bxt_item_get(item, "step"), "=1/3");
		ck_assert_str_eq(bxt_item_get(item, "end"), "2 s");
		bxt_netlist_free(n);
	}
}
END_TEST

TEST_SUITE("bad")
{
	const test_case tests[] = {
		{"mutations get findings", mutations_get_findings, .slow = true},
		{"memory ends torn", memory_ends_torn, .slow = true},
		{"memory ends nonlinear", memory_ends_nonlinear, .slow = true},
		{"memory ends redundant", memory_ends_redundant},
		{"memory ends while blaming", memory_ends_while_blaming, .slow = true},
		{"simulation is settable", simulation_is_settable},
	};
	ADD_TESTS(tests);
}
