/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens models, and shows findings and progress to the user. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "tool.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Words ---- */

static void say_list(FILE *stream, const char *format, va_list arguments)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (f)
		vfprintf(f, format, arguments);
	if (f && fclose(f) == 0)
		bxt_write_plain(text, stream);
	else
		fputs("boxtimes: out of memory\n", stream);
	free(text);
}

void print_message(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say_list(stderr, format, arguments);
	va_end(arguments);
}

void print_message_on(FILE *stream, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say_list(stream, format, arguments);
	va_end(arguments);
}

/* ---- Findings ---- */

static void print_findings(const bxt_diagnostics *d, const char *file, bool quiet)
{
	static const char *const words[] = {"note", "warning", "error"};
	static const char *const colours[] = {"\033[36m", "\033[35m", "\033[31m"};
	const bool colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
	const size_t n = bxt_diagnostics_count(d, BXT_NOTE);
	for (size_t i = 0; i < n; i++) {
		const bxt_finding *f = bxt_diagnostics_get(d, i);
		if (quiet && f->severity == BXT_NOTE)
			continue;
		print_message("%s:", f->file ? f->file : file);
		if (f->line > 0)
			print_message("%d:", f->line);
		fprintf(stderr, " %s%s:%s ", colour ? colours[f->severity] : "", words[f->severity],
			colour ? "\033[0m" : "");
		print_message("%s\n", f->text);
	}
}

void model_keep(model *m, const bxt_diagnostics *d)
{
	static const char *const words[] = {"note", "warning", "error"};
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return;
	fputs(m->messages ? m->messages : "", f);
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++) {
		const bxt_finding *x = bxt_diagnostics_get(d, i);
		fprintf(f, "%s:", x->file ? x->file : m->file);
		if (x->line > 0)
			fprintf(f, "%d:", x->line);
		fprintf(f, " %s: %s\n", words[x->severity], x->text);
	}
	fclose(f);
	free(m->messages);
	m->messages = text;
}

int report(bxt_status status, bxt_diagnostics *d, const char *file, bool quiet)
{
	print_findings(d, file, quiet);
	if (status != BXT_OK && status != BXT_ERR_IO && status != BXT_ERR_INTERRUPTED &&
	    bxt_diagnostics_count(d, BXT_ERROR) == 0)
		print_message("%s: error: %s\n", file, bxt_status_text(status));
	bxt_diagnostics_free(d);
	switch (status) {
	case BXT_OK:
		return EXIT_OK;
	case BXT_ERR_MODEL:
	case BXT_ERR_ARGUMENT:
		return EXIT_BAD_MODEL;
	default:
		return EXIT_NUMERICS;
	}
}

/* ---- Library ---- */

enum { MAX_DIRECTORIES = 64 };

/* Where components are relative to the executable: in the installation and in the build tree. */
static char *beside_executable(const char *relative)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	if (length <= 0)
		return NULL;
	path[length] = '\0';
	char *slash = strrchr(path, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	const size_t size = strlen(path) + strlen(relative) + 2;
	char *full = malloc(size);
	if (full)
		snprintf(full, size, "%s/%s", path, relative);
	if (full && access(full, R_OK) != 0) {
		free(full);
		return NULL;
	}
	return full;
}

/* Folders of components: those of the options, the environment, the installation. */
struct folders {
	const char *name[MAX_DIRECTORIES];
	size_t n;
	char *environment, *beside[2]; /* memory of some */
};

static void find_folders(struct folders *f, const options *o)
{
	char *save = NULL;
	*f = (struct folders){
		.environment = getenv("BOXTIMES_PATH") ? strdup(getenv("BOXTIMES_PATH")) : NULL,
		.beside = {beside_executable("../share/boxtimes/components"),
			   beside_executable("share/boxtimes/components")}};
	for (size_t i = 0; i < o->library.n && f->n < MAX_DIRECTORIES; i++)
		f->name[f->n++] = o->library.text[i];
	for (char *word = f->environment ? strtok_r(f->environment, ":", &save) : NULL;
	     word && f->n < MAX_DIRECTORIES; word = strtok_r(NULL, ":", &save))
		f->name[f->n++] = word;
	for (size_t i = 0; i < 2; i++)
		if (f->beside[i] && f->n < MAX_DIRECTORIES)
			f->name[f->n++] = f->beside[i];
	if (access(BXT_PKGDATADIR "/components", R_OK) == 0 && f->n < MAX_DIRECTORIES)
		f->name[f->n++] = BXT_PKGDATADIR "/components";
}

static void free_folders(struct folders *f)
{
	free(f->environment);
	free(f->beside[0]);
	free(f->beside[1]);
}

bxt_library *open_library(const options *o)
{
	struct folders f;
	find_folders(&f, o);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = d ? bxt_library_new(f.name, f.n, d) : NULL;
	print_findings(d, "boxtimes", o->quiet);
	bxt_diagnostics_free(d);
	free_folders(&f);
	if (!library)
		fputs("boxtimes: the component library or the unit database cannot be loaded\n",
		      stderr);
	return library;
}

char *find_netlists(const options *o)
{
	struct folders f;
	char *found = NULL;
	find_folders(&f, o);
	for (size_t i = 0; i < f.n && !found; i++) {
		const size_t size = strlen(f.name[i]) + sizeof "/../netlists";
		char *beside = malloc(size);
		if (beside)
			snprintf(beside, size, "%s/../netlists", f.name[i]);
		found = beside ? realpath(beside, NULL) : NULL;
		free(beside);
	}
	free_folders(&f);
	return found;
}

/* ---- Models ---- */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* PATH.PARAM=VALUE: the last word of the left side is the parameter; PARAM alone is the netlist's
 * own. */
static bxt_status apply(bxt_netlist *netlist, const char *setting, bxt_diagnostics *d)
{
	char *copy = strdup(setting);
	if (!copy)
		return BXT_ERR_MEMORY;
	char *value = strchr(copy, '=');
	*value++ = '\0';
	char *dot = strrchr(copy, '.');
	if (dot)
		*dot = '\0';
	bxt_status status =
		bxt_netlist_set(netlist, dot ? copy : "", dot ? dot + 1 : copy, value, d);
	free(copy);
	return status;
}

bxt_status read_netlist(const options *o, const char *file, bxt_diagnostics *d, bxt_netlist **out)
{
	bxt_status status = bxt_netlist_read(file, d, out);
	for (size_t i = 0; status == BXT_OK && i < o->set.n; i++)
		status = apply(*out, o->set.text[i], d);
	return status;
}

int model_open(model *m, const options *o, const char *file, bxt_library *library, bool start)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	const double begin = now();
	*m = (model){.file = file};
	bxt_status status = d ? read_netlist(o, file, d, &m->netlist) : BXT_ERR_MEMORY;
	if (status == BXT_OK && o->step)
		status = bxt_netlist_set(m->netlist, "simulation", "step", o->step, d);
	if (status == BXT_OK && o->end)
		status = bxt_netlist_set(m->netlist, "simulation", "end", o->end, d);
	if (status == BXT_OK)
		status = bxt_system_compile(m->netlist, library, d, &m->system);
	m->seconds = now() - begin;
	if (status == BXT_OK && start)
		status = bxt_initialize(m->system, &o->def, d, &m->state);
	if (o->run.report)
		model_keep(m, d);
	/* a file that cannot be opened is the user's mistake as much as a wrong one */
	const int result = report(status, d, file, o->quiet);
	return status == BXT_ERR_IO ? EXIT_BAD_MODEL : result;
}

int model_start(model *m, const options *o)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status =
		d ? bxt_initialize(m->system, &o->def, d, &m->state) : BXT_ERR_MEMORY;
	return report(status, d, m->file, o->quiet);
}

void model_close(model *m)
{
	bxt_state_free(m->state);
	bxt_system_free(m->system);
	bxt_netlist_free(m->netlist);
	free(m->messages);
	*m = (model){0};
}

/* ---- Progress ---- */

static volatile sig_atomic_t interrupted;
static bool bar_shown;

static void on_interrupt(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

/* A bar on standard error, and when it began [s]. */
struct progress_bar {
	bool shown;
	double since, from;
};

static double seconds_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "about 2 min 5 s left", as if the rest takes as long a step as what is done. */
static void write_time_left(double seconds, FILE *f)
{
	const long s = lround(seconds);
	if (s >= 3600)
		fprintf(f, ", about %ld h %ld min left", s / 3600, s % 3600 / 60);
	else if (s >= 60)
		fprintf(f, ", about %ld min %ld s left", s / 60, s % 60);
	else
		fprintf(f, ", about %ld s left", s);
}

static bool on_progress(void *context, double fraction)
{
	enum { WIDTH = 40 };
	struct progress_bar *bar = context;
	if (bar->shown) {
		const int full = (int)(fraction * WIDTH);
		const double now = seconds_now();
		if (!bar_shown) {
			bar->since = now;
			bar->from = fraction;
		}
		bar_shown = true;
		fprintf(stderr, "\r\033[K[%.*s%*s] %3.0f %%", full,
			"########################################", WIDTH - full, "",
			100 * fraction);
		if (fraction > bar->from && now > bar->since + 1)
			write_time_left((now - bar->since) * (1 - fraction) /
						(fraction - bar->from),
					stderr);
		fflush(stderr);
	}
	return !interrupted;
}

bxt_run_def watched(const options *o)
{
	static struct progress_bar bar;
	bxt_run_def def = o->def;
	/* writes go on after the signal, so that rows stay whole; a second signal ends at once */
	struct sigaction action = {.sa_handler = on_interrupt,
				   .sa_flags = SA_RESTART | (int)SA_RESETHAND};
	struct sigaction before;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup makes a run outlive its terminal: it stays so */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	bar.shown = !o->quiet && isatty(STDERR_FILENO);
	def.progress = on_progress;
	def.progress_context = &bar;
	return def;
}

void progress_done(void)
{
	if (bar_shown)
		fputs("\r\033[K", stderr);
	bar_shown = false;
}
