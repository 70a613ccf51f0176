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
	O_TORN,
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
	{"torn", required_argument, NULL, O_TORN},
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
	{"output", required_argument, NULL, 'o'},
	{"library", required_argument, NULL, 'L'},
	{"help", no_argument, NULL, O_HELP},
	{NULL, 0, NULL, 0},
};

static const char run_options[] =
	"  --step H            step: seconds, a time with unit, an expression: 0.05, \"20 us\", "
	"=1/48000\n"
	"  --end T             end of the run\n"
	"  --scheme NAME       gauss1 (default), gauss2, gauss3, radau2, radau3: collocation; "
	"dirac+,\n"
	"                      dirac- of the papers; rk4, rk2, euler: explicit, unconstrained "
	"only\n"
	"  --rule NAME         of dirac+ and dirac-: midpoint (default) or rectangle\n"
	"  --constraint PLACE  of dirac+, dirac-: A at the midpoint (default) or at the base point "
	"q_k\n"
	"  --start HOW         plain (default), half-kick (dirac+ with rectangle: second order) "
	"or\n"
	"                      operating-point (at rest, with the sources as at t = 0)\n"
	"  --projection WHEN   auto (default), on or off: each step of a Gauss scheme ends on the\n"
	"                      velocity and position constraints and with closed loops\n"
	"  --solver NAME       auto (default), klu, umfpack, ...: see 'boxtimes list --settings'\n"
	"  --torn HOW          matrix of a torn system: explicit (default); eliminate: port "
	"coordinates\n"
	"                      and multipliers of connections are substituted; schur: each "
	"subsystem\n"
	"                      by itself\n"
	"  --threads N         for --torn=schur (default 1); results do not depend on it\n"
	"  --set PATH.PARAM=VALUE   change a parameter or initial value, e.g. --set loop.R1.R='2 "
	"kohm'\n"
	"  --record LIST       signals: 'C1.q, loop.L1.i, node(a).v, R1.*, c1.lambda, energy,\n"
	"                      energy(loop), dissipated(R1), supplied, power(store.s), "
	"drift(node)'\n"
	"  --every N           a row every N steps\n"
	"  -L, --library DIR   another directory of components; may be repeated\n"
	"  --quiet             neither notes, nor summary, nor progress bar\n";

/* False when the command is none that speaks about the component library. */
static bool print_library_help(const char *command)
{
	if (strcmp(command, "list") == 0)
		printf("usage: boxtimes list [WORD] [-L DIR] [--names | --settings]\n\n"
		       "The components of the library by domain, a line each; with WORD those that "
		       "have it in\n"
		       "their name, domain or description.\n\n"
		       "  --names             bare names, one a line\n"
		       "  --settings          instead: the names that scheme, rule, solver, ... "
		       "take\n"
		       "  -L, --library DIR   another directory of components; may be repeated\n\n"
		       "example: boxtimes list capacitor\n");
	else if (strcmp(command, "describe") == 0)
		printf("usage: boxtimes describe COMPONENT... [-L DIR]\n\n"
		       "What a component is: its parameters with units, defaults and ranges, its "
		       "ports, its\n"
		       "coordinates, and its equations as the program derives them: L, R, their "
		       "derivatives,\n"
		       "forces, constraints, equations of motion, energy.\n\n"
		       "example: boxtimes describe diode\n");
	else if (strcmp(command, "schema") == 0)
		printf("usage: boxtimes schema [NETLIST] [-L DIR]\n\n"
		       "An XML schema (XSD) of netlists on standard output, made from the "
		       "component "
		       "library\n"
		       "and the inline components of NETLIST, so that editors complete and "
		       "explain.\n\n"
		       "example: boxtimes schema >boxtimes.xsd\n"
		       "         xmllint --noout --schema boxtimes.xsd netlists/rlc-torn.xml\n");
	else
		return false;
	return true;
}

static void print_verify_help(void)
{
	printf("usage: boxtimes verify FILE [--against B] [options]\n\n"
	       "Checks numerically, at the consistent start and at random admissible states near "
	       "it, "
	       "that\n"
	       "D = D^perp for every primitive, for D_int and for the whole; that the tensor "
	       "product of\n"
	       "the primitives with D_int, by its definition, is the structure of (sum Delta_i) n "
	       "Sigma_Q;\n"
	       "ranks; and of one step its rows, the annihilator, the power, the Jacobian. With "
	       "--against:\n"
	       "that FILE and B are the same system up to tearing; the first failure names the "
	       "culprit.\n"
	       "Exit status 0, or 1 when a check failed.\n\n"
	       "%s"
	       "  --at T              verify there, after a run from the start\n"
	       "  --seed N            of the random states (default 1)\n"
	       "  --tol X             instead of each check's own tolerance; with --against that "
	       "of\n"
	       "                      parameters (default 1e-12)\n"
	       "  --against B         another netlist\n"
	       "  --json              the checks as JSON on standard output\n\n"
	       "example: boxtimes verify netlists/rlc-torn.xml --against "
	       "netlists/rlc-parallel.xml\n",
	       run_options);
}

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
		       "printed as file:line: error: text. Exit status 0 or 3.\n\n"
		       "example: boxtimes check netlists/*.xml\n");
	else if (strcmp(command, "info") == 0)
		printf("usage: boxtimes info FILE [-L DIR] [--set PATH.PARAM=VALUE] [--scheme "
		       "NAME]\n\n"
		       "Primitives, rows of the Dirac structure, references, kinds of components, "
		       "the matrix\n"
		       "of a step and how it is solved.\n\n"
		       "example: boxtimes info netlists/rlc-torn.xml\n");
	else if (strcmp(command, "verify") == 0)
		print_verify_help();
	else if (!print_library_help(command) && strcmp(command, "plot") == 0)
		printf("usage: boxtimes plot FILE.csv [-o OUT.svg|OUT.png] [--columns LIST] "
		       "[--title TEXT]\n\n"
		       "Draws what 'boxtimes run' wrote ('-': standard input) with gnuplot, which "
		       "must be\n"
		       "installed: a panel for each quantity (charges, currents, energies, "
		       "...).\n\n"
		       "  -o, --output FILE   an SVG or PNG picture, by the name; '-': SVG on "
		       "standard output;\n"
		       "                      without: a drawing in text on standard output\n"
		       "  --columns LIST      signals: 'C1.q, energy'; the end of a name will do "
		       "when no other\n"
		       "                      has it; without: the first 12\n"
		       "  --title TEXT        above the drawing\n"
		       "  --quiet             no notes\n\n"
		       "example: boxtimes run netlists/rlc-torn.xml -o torn.csv\n"
		       "         boxtimes plot torn.csv --columns 'C1.q, energy' -o torn.svg\n");
	else if (strcmp(command, "compare") == 0)
		printf("usage: boxtimes compare A B [options]\n\n"
		       "Runs both models and compares all that they have in common: coordinates, "
		       "flows, momenta,\n"
		       "potentials, multipliers, energies; of either model what --record names. "
		       "Parts are paired\n"
		       "by full path (C1), by their names in the network put together (store.C1 "
		       "with C1), then by\n"
		       "unique suffix; so one model may be torn, or both in different ways. Nodes "
		       "that are joined\n"
		       "are one, the multiplier of a connection is the potential of that node, and "
		       "the momentum\n"
		       "of a node is the sum over those joined with it.\n\n"
		       "A difference is max|a-b| by the signal's max|a|, or by max|a| of the "
		       "largest signal of its\n"
		       "group and unit times 1024 eps / tolerance, where that is more: what is "
		       "round-off of the\n"
		       "largest is never beyond the tolerance; where both are 0 it is max|a-b| "
		       "itself. Beside\n"
		       "signals the power that connections lose, by what they carry, and the "
		       "accounts of energy\n"
		       "are judged; drift is shown only. Exit status 0, 1 beyond --tol, 3 with "
		       "nothing in common.\n\n"
		       "%s"
		       "  --map A=B           pair signal A of the first with B of the second; may "
		       "be repeated\n"
		       "  --tol X             largest difference allowed (default 1e-9)\n"
		       "  -o, --output FILE   all of the report as CSV there\n"
		       "  --json              all of the report as JSON on standard output\n"
		       "  --plot FILE         an SVG or PNG picture of both and their difference, "
		       "for the signals\n"
		       "                      that differ most, by gnuplot\n"
		       "  --columns LIST      instead: of these signals; the end of a name will "
		       "do\n"
		       "  --title TEXT        above the picture\n\n"
		       "example: boxtimes compare netlists/rlc-parallel.xml netlists/rlc-torn.xml "
		       "--tol 1e-12\n",
		       run_options);
}

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
	static const int of_verify[] = {O_JSON, O_TOL, O_SEED, O_AT, O_AGAINST};
	static const int special[] = {'o',     O_JSON,  O_MAP,      O_TOL,  O_PLOT, O_COLUMNS,
				      O_TITLE, O_NAMES, O_SETTINGS, O_SEED, O_AT,   O_AGAINST};
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
	case O_TORN:
		o->def.torn = optarg;
		return true;
	case O_THREADS:
		return read_threads(optarg, &o->def.threads);
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
	case O_SEED:
		return read_seed(optarg, &o->seed);
	case O_AT:
		return read_time("at", optarg, &o->at);
	case O_AGAINST:
		o->against = optarg;
		return true;
	case O_COLUMNS:
		o->columns = optarg;
		return true;
	case O_TITLE:
		o->title = optarg;
		return true;
	case O_PLOT:
		o->plot = optarg;
		return true;
	case O_NAMES:
		return o->names = true;
	case O_SETTINGS:
		return o->settings = true;
	case O_JSON:
		return o->json = true;
	case O_QUIET:
		return o->quiet = true;
	case 'o':
		o->output = optarg;
		return true;
	case 'L':
		return list_add(&o->library, optarg);
	default:
		return false;
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
}
