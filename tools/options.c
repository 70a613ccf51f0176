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
	O_CONSTRAINT,
	O_START,
	O_PROJECTION,
	O_SOLVER,
	O_SET,
	O_RECORD,
	O_EVERY,
	O_JSON,
	O_QUIET,
	O_MAP,
	O_TOL,
	O_HELP
};

static const struct option long_options[] = {
	{"step", required_argument, NULL, O_STEP},
	{"end", required_argument, NULL, O_END},
	{"scheme", required_argument, NULL, O_SCHEME},
	{"rule", required_argument, NULL, O_RULE},
	{"constraint", required_argument, NULL, O_CONSTRAINT},
	{"start", required_argument, NULL, O_START},
	{"projection", required_argument, NULL, O_PROJECTION},
	{"solver", required_argument, NULL, O_SOLVER},
	{"set", required_argument, NULL, O_SET},
	{"record", required_argument, NULL, O_RECORD},
	{"every", required_argument, NULL, O_EVERY},
	{"json", no_argument, NULL, O_JSON},
	{"quiet", no_argument, NULL, O_QUIET},
	{"map", required_argument, NULL, O_MAP},
	{"tol", required_argument, NULL, O_TOL},
	{"output", required_argument, NULL, 'o'},
	{"library", required_argument, NULL, 'L'},
	{"help", no_argument, NULL, O_HELP},
	{NULL, 0, NULL, 0},
};

static const char run_options[] =
	"  --step H            step: seconds, a time with unit, an expression: 0.05, \"20 us\", "
	"=1/48000\n"
	"  --end T             end of the run\n"
	"  --scheme NAME       gauss1 (default: midpoint collocation, order 2) or dirac+ (the "
	"papers')\n"
	"  --rule NAME         of dirac+: midpoint (default) or rectangle\n"
	"  --constraint PLACE  of dirac+: A at the midpoint (default) or at the base point q_k\n"
	"  --start HOW         of dirac+: plain (default) or half-kick (rectangle: second order)\n"
	"  --projection WHEN   auto (default), on or off: moves along lossless loops after each "
	"step\n"
	"  --solver NAME       auto (default), klu or dense\n"
	"  --set PATH.PARAM=VALUE   change a parameter or initial value, e.g. --set loop.R1.R='2 "
	"kohm'\n"
	"  --record LIST       signals: 'C1.q, loop.L1.i, node(a).v, R1.*, c1.lambda, energy,\n"
	"                      energy(loop), dissipated(R1), supplied, power(store.s), "
	"drift(node)'\n"
	"  --every N           a row every N steps\n"
	"  -L, --library DIR   another directory of components; may be repeated\n"
	"  --quiet             neither notes, nor summary, nor progress bar\n";

static void print_help(const char *command)
{
	if (strcmp(command, "run") == 0)
		printf("usage: boxtimes run FILE [options]\n\n"
		       "Steps a netlist ('-': standard input) and writes CSV to standard output or "
		       "-o FILE;\n"
		       "the account of drift and energy goes to standard error.\n\n"
		       "%s"
		       "  -o, --output FILE   CSV there\n"
		       "  --json              the account as JSON on standard output (CSV then "
		       "only with -o)\n\n"
		       "example: boxtimes run netlists/rlc-torn.xml --step 0.01 --record "
		       "'store.C1.q, energy'\n",
		       run_options);
	else if (strcmp(command, "check") == 0)
		printf("usage: boxtimes check FILE... [-L DIR] [--set PATH.PARAM=VALUE] "
		       "[--quiet]\n\n"
		       "Reads, compiles and finds a consistent start, without stepping. All "
		       "findings are\n"
		       "printed as file:line: error: text. Exit status 0 or 3.\n");
	else if (strcmp(command, "info") == 0)
		printf("usage: boxtimes info FILE [-L DIR] [--set PATH.PARAM=VALUE] [--scheme "
		       "NAME]\n\n"
		       "Primitives, rows of the Dirac structure, references, kinds of components, "
		       "the matrix\n"
		       "of a step and how it is solved.\n");
	else
		printf("usage: boxtimes compare A B [options]\n\n"
		       "Runs both models and compares the signals they share: by full path (C1.q), "
		       "then by\n"
		       "unique suffix (C1.q with store.C1.q), then by --map. The difference is\n"
		       "max|a-b| / max|a|, or max|a-b| where a is zero. Exit status 0, or 1 beyond "
		       "--tol.\n\n"
		       "%s"
		       "  --map A=B           pair signal A of the first with B of the second; may "
		       "be repeated\n"
		       "  --tol X             largest difference allowed (default 1e-9)\n"
		       "  -o, --output FILE   the table as CSV there\n"
		       "  --json              the table as JSON on standard output\n\n"
		       "example: boxtimes compare netlists/rlc-parallel.xml netlists/rlc-torn.xml "
		       "--tol 1e-12\n",
		       run_options);
}

static bool add(list *l, const char *text)
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

/* A time, or "=EXPR", which only the netlist's reader understands; the last one given counts. */
static bool accept_time(const char *name, const char **expression, double *time)
{
	*expression = optarg[0] == '=' ? optarg : NULL;
	*time = 0;
	return *expression || read_time(name, optarg, time);
}

/* LEFT=RIGHT with something on both sides. */
static bool accept_pair(list *l, const char *name, const char *form)
{
	const char *equal = strchr(optarg, '=');
	if (equal && equal > optarg && equal[1])
		return add(l, optarg);
	fprintf(stderr, "boxtimes: --%s '%s' is not %s\n", name, optarg, form);
	return false;
}

/* Options that mean nothing to some commands are refused there, not passed over. */
static bool is_of_command(const options *o, int option)
{
	const bool compare = strcmp(o->command, "compare") == 0;
	switch (option) {
	case O_MAP:
	case O_TOL:
		return compare;
	case O_JSON:
	case 'o':
		return compare || strcmp(o->command, "run") == 0;
	default:
		return true;
	}
}

static bool accept(options *o, int option)
{
	switch (option) {
	case O_STEP:
		return accept_time("step", &o->step, &o->def.step);
	case O_END:
		return accept_time("end", &o->end, &o->def.end);
	case O_SCHEME:
		o->def.scheme = optarg;
		return true;
	case O_RULE:
		o->def.rule = optarg;
		return true;
	case O_CONSTRAINT:
		o->def.constraint = optarg;
		return true;
	case O_START:
		o->def.start = optarg;
		return true;
	case O_PROJECTION:
		o->def.projection = optarg;
		return true;
	case O_SOLVER:
		o->def.solver = optarg;
		return true;
	case O_RECORD:
		o->def.record = optarg;
		return true;
	case O_EVERY:
		return read_every(optarg, &o->def.every);
	case O_SET:
		return accept_pair(&o->set, "set", "PATH.PARAM=VALUE");
	case O_MAP:
		return accept_pair(&o->map, "map", "A=B");
	case O_TOL:
		return read_positive("tol", optarg, &o->tolerance);
	case O_JSON:
		return o->json = true;
	case O_QUIET:
		return o->quiet = true;
	case 'o':
		o->output = optarg;
		return true;
	case 'L':
		return add(&o->library, optarg);
	default:
		return false;
	}
}

int options_parse(options *o, int argc, char **argv)
{
	int option;
	o->tolerance = 1e-9;
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
				argv[optind - 1]);
			option = '?';
		}
		if (!accept(o, option)) {
			fprintf(stderr, "see 'boxtimes %s --help'\n", o->command);
			return EXIT_USAGE;
		}
	}
	for (; optind < argc; optind++)
		if (!add(&o->files, argv[optind]))
			return EXIT_NUMERICS;
	if (o->json && o->output && strcmp(o->output, "-") == 0) {
		fputs("boxtimes: --json and '-o -' both want standard output\n", stderr);
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
}
