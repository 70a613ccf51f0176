/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a pendulum chain of any length, to try large mechanisms: see usage below. */
#include "bench/chain.h"

#include <stdlib.h>
#include <string.h>

static int usage(void)
{
	fputs("Usage: make_chain LINKS [STEPS] [bodies]\n"
	      "Writes a netlist of a chain of LINKS pendulum links to standard output.\n"
	      "  STEPS   of 0.01 s (500)\n"
	      "  bodies  uniform bars on hinges instead of points on rods\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const long links = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	if (links < 1 || links > 10000000)
		return usage();
	chain c = chain_make((int)links, false, 500);
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "bodies") == 0)
			c.bodies = true;
		else if ((c.steps = strtol(argv[i], NULL, 10)) < 1)
			return usage();
	}
	return !chain_write_netlist(&c, stdout);
}
