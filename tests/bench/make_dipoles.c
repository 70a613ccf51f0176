/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes netlists/dipoles.xml, or one of that kind: see usage below. */
#include "bench/dipoles.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	dipoles d = dipoles_shipped();
	if (argc > 1)
		d.n = (int)strtol(argv[1], NULL, 10);
	if (argc > 2)
		d.seed = strtoull(argv[2], NULL, 10);
	if (argc > 3 || !dipoles_write_netlist(&d, stdout)) {
		fputs("Usage: make_dipoles [NUMBER [SEED]]\n"
		      "Writes a netlist of NUMBER dipoles, 1 to 18, to standard output; without, "
		      "the shipped one.\n",
		      stderr);
		return 2;
	}
	return 0;
}
