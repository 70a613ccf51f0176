/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tool.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	O_STEP = 256,
	O_END,
	O_SCHEME,
	O_RULE,
	O_FORCE_RULE,
	O_CONSTRAINT,
	O_START,
	O_PROJECTION,
	O_SOLVER,
	O_TORN,
	O_THETA,
	O_GRADIENT,
	O_THREADS,
	O_SET,
	O_RECORD,
	O_EVERY,
	O_JSON,
	O_QUIET,
	O_MAP,
	O_TOL,
	O_COLUMNS,
	O_TITLE,
	O_PLOT,
	O_NAMES,
	O_SETTINGS,
	O_SEED,
	O_AT,
	O_AGAINST,
	O_HAMILTON_JACOBI,
	O_ALLOW_PLUGINS,
	O_PLUGINS_IN_PROCESS,
	O_PLUGIN,
	O_PLUGIN_SECONDS,
	O_HELP
};

static const struct option long_options[] = {
	{"step", required_argument, NULL, O_STEP},
	{"end", required_argument, NULL, O_END},
	{"scheme", required_argument, NULL, O_SCHEME},
	{"rule", required_argument, NULL, O_RULE},
	{"force-rule", required_argument, NULL, O_FORCE_RULE},
	{"constraint", required_argument, NULL, O_CONSTRAINT},
	{"start", required_argument, NULL, O_START},
	{"projection", required_argument, NULL, O_PROJECTION},
	{"solver", required_argument, NULL, O_SOLVER},
	{"torn", required_argument, NULL, O_TORN},
	{"theta", required_argument, NULL, O_THETA},
	{"gradient", required_argument, NULL, O_GRADIENT},
	{"threads", required_argument, NULL, O_THREADS},
	{"set", required_argument, NULL, O_SET},
	{"record", required_argument, NULL, O_RECORD},
	{"every", required_argument, NULL, O_EVERY},
	{"json", no_argument, NULL, O_JSON},
	{"quiet", no_argument, NULL, O_QUIET},
	{"map", required_argument, NULL, O_MAP},
	{"tol", required_argument, NULL, O_TOL},
	{"columns", required_argument, NULL, O_COLUMNS},
	{"title", required_argument, NULL, O_TITLE},
	{"plot", required_argument, NULL, O_PLOT},
	{"names", no_argument, NULL, O_NAMES},
	{"settings", no_argument, NULL, O_SETTINGS},
	{"seed", required_argument, NULL, O_SEED},
	{"at", required_argument, NULL, O_AT},
	{"against", required_argument, NULL, O_AGAINST},
	{"hamilton-jacobi", no_argument, NULL, O_HAMILTON_JACOBI},
	{"allow-plugins", no_argument, NULL, O_ALLOW_PLUGINS},
	{"plugin", required_argument, NULL, O_PLUGIN},
	{"plugin-in-process", no_argument, NULL, O_PLUGINS_IN_PROCESS},
	{"plugin-seconds", required_argument, NULL, O_PLUGIN_SECONDS},
	{"output", required_argument, NULL, 'o'},
	{"library", required_argument, NULL, 'L'},
	{"help", no_argument, NULL, O_HELP},
	{NULL, 0, NULL, 0},
};

bool list_add(list *l, const char *text)
{
	const char **grown = realloc(l->text, (l->n + 1) * sizeof *grown);
	if (!grown) {
		fputs("boxtimes: out of memory\n", stderr);
		return false;
	}
	l->text = grown;
	l->text[l->n++] = text;
	return true;
}

/* Factors of the time units a command line needs; anything else belongs into a netlist. */
static bool read_time(const char *name, const char *text, double *out)
{
	static const struct {
		const char *unit;
		int exponent;
	} units[] = {{"", 0}, {"s", 0}, {"ms", -3}, {"us", -6}, {"ns", -9}, {"ps", -12}};
	char *end;
	errno = 0;
	*out = strtod(text, &end);
	const size_t length = (size_t)(end - text);
	const bool decimal = length > 0 && strspn(text, "+-.0123456789eE") >= length;
	while (*end == ' ')
		end++;
	for (size_t i = 0; decimal && i < sizeof units / sizeof *units; i++) {
		char shifted[64];
		if (strcmp(end, units[i].unit) != 0)
			continue;
		/* by exponent, so that 20 us is the double nearest to 2e-5 */
		if (!memchr(text, 'e', length) && !memchr(text, 'E', length) && length < 48) {
			snprintf(shifted, sizeof shifted, "%.*se%d", (int)length, text,
				 units[i].exponent);
			*out = strtod(shifted, NULL);
		} else {
			*out *= pow(10, units[i].exponent);
		}
		if (*out > 0 && isfinite(*out))
			return true;
	}
	fprintf(stderr, "boxtimes: --%s '%s' is not a positive time (s, ms, us, ns or ps)\n", name,
		text);
	return false;
}

static bool read_positive(const char *name, const char *text, double *out)
{
	char *end;
	*out = strtod(text, &end);
	if (*text && !*end && *out > 0 && isfinite(*out))
		return true;
	fprintf(stderr, "boxtimes: --%s '%s' is not a positive number\n", name, text);
	return false;
}

static bool read_every(const char *text, long *out)
{
	char *end;
	errno = 0;
	*out = strtol(text, &end, 10);
	if (*text && !*end && *out > 0 && errno == 0)
		return true;
	fprintf(stderr, "boxtimes: --every '%s' is not a positive whole number\n", text);
	return false;
}

static bool read_seed(const char *text, uint64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && errno == 0)
		return true;
	fprintf(stderr, "boxtimes: --seed '%s' is not a whole number\n", text);
	return false;
}

static bool read_threads(const char *text, int *out)
{
	char *end;
	errno = 0;
	const long n = strtol(text, &end, 10);
	*out = (int)n;
	if (*text && !*end && n >= 1 && n <= 1024 && errno == 0)
		return true;
	fprintf(stderr, "boxtimes: --threads '%s' is not a whole number from 1 to 1024\n", text);
	return false;
}

static bool read_seconds(const char *text, int *out)
{
	char *end;
	errno = 0;
	const long n = strtol(text, &end, 10);
	*out = (int)n;
	if (*text && !*end && n >= 1 && n <= 1000000 && errno == 0)
		return true;
	fprintf(stderr, "boxtimes: --plugin-seconds '%s' is not a whole number from 1 to 1000000\n",
		text);
	return false;
}

/* A time, or "=EXPR", which only the netlist's reader understands; the last one given counts. */
static bool accept_time(const char *name, const char **expression, double *time)
{
	*expression = optarg[0] == '=' ? optarg : NULL;
	*time = 0;
	return *expression || read_time(name, optarg, time);
}

/* LEFT=RIGHT with something on both sides. */
bool accept_pair(list *l, const char *name, const char *form)
{
	const char *equal = strchr(optarg, '=');
	if (equal && equal > optarg && equal[1])
		return list_add(l, optarg);
	fprintf(stderr, "boxtimes: --%s '%s' is not %s\n", name, optarg, form);
	return false;
}

static bool is_among(int option, const int *some, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (some[i] == option)
			return true;
	return false;
}

/* Options that mean nothing to some commands are refused there, not passed over. */
static bool is_of_command(const options *o, int option)
{
	static const int of_plot[] = {'o', O_COLUMNS, O_TITLE, O_QUIET};
	static const int of_list[] = {'L', O_QUIET, O_NAMES, O_SETTINGS};
	static const int of_library[] = {'L', O_QUIET};
	static const int of_compare[] = {'o', O_JSON, O_MAP, O_TOL, O_PLOT, O_COLUMNS, O_TITLE};
	static const int of_run[] = {'o', O_JSON};
	static const int of_verify[] = {O_JSON, O_TOL, O_SEED, O_AT, O_AGAINST, O_HAMILTON_JACOBI};
	static const int special[] = {
		'o',     O_JSON,     O_MAP,  O_TOL, O_PLOT,    O_COLUMNS,        O_TITLE,
		O_NAMES, O_SETTINGS, O_SEED, O_AT,  O_AGAINST, O_HAMILTON_JACOBI};
#define AMONG(list) is_among(option, list, sizeof list / sizeof *list)
	if (strcmp(o->command, "plot") == 0)
		return AMONG(of_plot);
	if (strcmp(o->command, "list") == 0)
		return AMONG(of_list);
	if (strcmp(o->command, "describe") == 0 || strcmp(o->command, "schema") == 0)
		return AMONG(of_library);
	/* the others share the rest: a model and how to run it */
	return !AMONG(special) || (strcmp(o->command, "compare") == 0 && AMONG(of_compare)) ||
	       (strcmp(o->command, "verify") == 0 && AMONG(of_verify)) ||
	       (strcmp(o->command, "run") == 0 && AMONG(of_run));
#undef AMONG
}

/* Options whose words are kept as they are. */
static bool accept_text(options *o, int option)
{
	const struct {
		int option;
		const char **to;
	} texts[] = {{O_SCHEME, &o->def.scheme},
		     {O_RULE, &o->def.rule},
		     {O_FORCE_RULE, &o->def.force_rule},
		     {O_CONSTRAINT, &o->def.constraint},
		     {O_START, &o->def.start},
		     {O_PROJECTION, &o->def.projection},
		     {O_SOLVER, &o->def.solver},
		     {O_TORN, &o->def.torn},
		     {O_THETA, &o->def.theta},
		     {O_GRADIENT, &o->def.gradient},
		     {O_RECORD, &o->def.record},
		     {O_AGAINST, &o->against},
		     {O_COLUMNS, &o->columns},
		     {O_TITLE, &o->title},
		     {O_PLOT, &o->plot},
		     {'o', &o->output}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i].option == option)
			return *texts[i].to = optarg, true;
	return false;
}

static bool accept_flag(options *o, int option)
{
	const struct {
		int option;
		bool *to;
	} flags[] = {{O_ALLOW_PLUGINS, &o->def.allow_plugins},
		     {O_PLUGINS_IN_PROCESS, &o->def.plugins_in_process},
		     {O_HAMILTON_JACOBI, &o->hamilton_jacobi},
		     {O_NAMES, &o->names},
		     {O_SETTINGS, &o->settings},
		     {O_JSON, &o->json},
		     {O_QUIET, &o->quiet}};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (flags[i].option == option)
			return *flags[i].to = true;
	return false;
}

static bool accept(options *o, int option)
{
	switch (option) {
	case O_STEP:
		return accept_time("step", &o->step, &o->def.step);
	case O_END:
		return accept_time("end", &o->end, &o->def.end);
	case O_THREADS:
		return read_threads(optarg, &o->def.threads);
	case O_EVERY:
		return read_every(optarg, &o->def.every);
	case O_SET:
		return accept_pair(&o->set, "set", "PATH.PARAM=VALUE");
	case O_PLUGIN:
		return accept_pair(&o->plugins, "plugin", "NAME=PATH");
	case O_PLUGIN_SECONDS:
		return read_seconds(optarg, &o->def.plugin_seconds);
	case O_MAP:
		return accept_pair(&o->map, "map", "A=B");
	case O_TOL:
		return read_positive("tol", optarg, &o->tolerance);
	case O_SEED:
		return read_seed(optarg, &o->seed);
	case O_AT:
		return read_time("at", optarg, &o->at);
	case 'L':
		return list_add(&o->library, optarg);
	default:
		return accept_text(o, option) || accept_flag(o, option);
	}
}

/* The long name of an option of another command. */
static const char *name_of(int option)
{
	for (const struct option *l = long_options; l->name; l++)
		if (l->val == option)
			return l->name;
	return "?";
}

int options_parse(options *o, int argc, char **argv)
{
	if (strcmp(o->command, "tear") == 0 || strcmp(o->command, "flatten") == 0)
		return options_parse_tear(o, argc, argv);
	int option;
	o->tolerance = strcmp(o->command, "verify") == 0 ? 0 : 1e-9; /* 0: of each check */
	o->seed = 1;
	o->def = bxt_default_run_def();
	opterr = 0; /* its words begin with the command instead of the program */
	while ((option = getopt_long(argc, argv, ":o:L:h", long_options, NULL)) != -1) {
		if (option == O_HELP || option == 'h') {
			print_help(o->command);
			return EXIT_OK;
		}
		if (option == '?' || option == ':' || !is_of_command(o, option)) {
			fprintf(stderr, "boxtimes %s: %s '%s'\n", o->command,
				option == ':' ? "a value is missing after" : "no such option",
				option == '?' || option == ':' ? argv[optind - 1]
							       : name_of(option));
			option = '?';
		}
		if (!accept(o, option)) {
			fprintf(stderr, "see 'boxtimes %s --help'\n", o->command);
			return EXIT_USAGE;
		}
	}
	for (; optind < argc; optind++)
		if (!list_add(&o->files, argv[optind]))
			return EXIT_NUMERICS;
	o->def.plugins = o->plugins.text;
	o->def.n_plugins = o->plugins.n;
	if (o->json && o->output && strcmp(o->output, "-") == 0) {
		fputs("boxtimes: --json and '-o -' both want standard output\n", stderr);
		return EXIT_USAGE;
	}
	if (strcmp(o->command, "compare") == 0 && (o->columns || o->title) && !o->plot) {
		fputs("boxtimes: --columns and --title are of a picture: --plot FILE is missing\n",
		      stderr);
		return EXIT_USAGE;
	}
	return -1;
}

void options_free(options *o)
{
	free(o->files.text);
	free(o->library.text);
	free(o->set.text);
	free(o->map.text);
	free(o->plugins.text);
}
