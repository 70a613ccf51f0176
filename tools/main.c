/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tool.h"

#include <string.h>

static const char help[] =
	"boxtimes - interconnected Lagrange-Dirac and port-Hamiltonian systems\n"
	"\n"
	"usage: boxtimes COMMAND ...          boxtimes COMMAND --help explains one\n"
	"\n"
	"  run FILE         step a netlist and write its signals as CSV\n"
	"  check FILE...    report everything that is wrong with netlists, run nothing\n"
	"  info FILE        what a model is made of: primitives, rows, references, matrix\n"
	"  compare A B      run two models and compare their signals, e.g. torn with whole\n"
	"  verify FILE      check numerically what the theory says; or that two are one system\n"
	"  tear FILE        cut a netlist into subsystems that are joined at ports\n"
	"  flatten FILE     put a torn netlist together again, or bring one into canonical form\n"
	"  plot FILE.csv    draw what a run recorded, as SVG, PNG or text\n"
	"  list [WORD]      the components of the library, by domain\n"
	"  describe NAME... a component: parameters, ports, equations as derived\n"
	"  schema [FILE]    an XML schema of netlists, so that editors complete\n"
	"\n"
	"A first try, from the source tree:\n"
	"  boxtimes run netlists/rlc-torn.xml --record 'store.C1.q, energy' -o torn.csv\n"
	"  boxtimes plot torn.csv -o torn.svg\n"
	"  boxtimes compare netlists/rlc-parallel.xml netlists/rlc-torn.xml\n"
	"\n"
	"exit status: 0 ok, 1 models differ, 2 usage, 3 the model is wrong,\n"
	"             4 the numerics failed, or the machine: memory, files, an interrupt\n"
	"environment: BOXTIMES_PATH  more directories of components, separated by ':'\n"
	"             NO_COLOR       no colours in messages\n";

static const struct {
	const char *name;
	int (*run)(const options *o);
	size_t least, most; /* files, or names */
} commands[] = {
	{"run", command_run, 1, 1},         {"check", command_check, 1, (size_t)-1},
	{"info", command_info, 1, 1},       {"compare", command_compare, 2, 2},
	{"plot", command_plot, 1, 1},       {"verify", command_verify, 1, 1},
	{"list", command_list, 0, 1},       {"describe", command_describe, 1, (size_t)-1},
	{"schema", command_schema, 0, 1},   {"tear", command_tear, 1, 1},
	{"flatten", command_flatten, 1, 1},
};

static int usage(const char *what, const char *name)
{
	fprintf(stderr, "boxtimes: %s '%s'; 'boxtimes --help' lists the commands\n", what, name);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs(help, stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		fputs(help, stdout);
		return EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("boxtimes %s\n", bxt_version());
		return EXIT_OK;
	}
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		options o = {.command = argv[1]};
		int status = options_parse(&o, argc - 1, argv + 1);
		if (status < 0 && (o.files.n < commands[i].least || o.files.n > commands[i].most)) {
			fprintf(stderr,
				"boxtimes %s: wrong number of arguments; see 'boxtimes %s "
				"--help'\n",
				argv[1], argv[1]);
			status = EXIT_USAGE;
		}
		if (status < 0)
			status = commands[i].run(&o);
		options_free(&o);
		return status;
	}
	return usage("no command", argv[1]);
}
