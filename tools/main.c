/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reference.h"

#include <string.h>

static int usage(const char *what, const char *name)
{
	print_message("boxtimes: %s '%s'; 'boxtimes --help' lists the commands\n", what, name);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_overview(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		print_overview(stdout);
		return EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("boxtimes %s\n", bxt_version());
		return EXIT_OK;
	}
	for (size_t i = 0; i < n_commands; i++) {
		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		options o = {.command = argv[1], .argc = argc - 1, .argv = argv + 1};
		int status = options_parse(&o, &commands[i], argc - 1, argv + 1);
		if (status < 0)
			status = commands[i].run(&o);
		options_free(&o);
		return status;
	}
	return usage("no command", argv[1]);
}
