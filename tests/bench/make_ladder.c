/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a ladder circuit of any length, to try large models: see usage below. */
#include "bench/ladder.h"

#include <stdlib.h>
#include <string.h>

static int usage(void)
{
	fputs("Usage: make_ladder SECTIONS [STEPS] [diodes] [rest] [spice]\n"
	      "Writes a netlist of a source and SECTIONS loops R-L with shunt C to standard "
	      "output.\n"
	      "  diodes  a diode beside each capacitor\n"
	      "  rest    no charge at the start\n"
	      "  spice   the same circuit as an ngspice deck, for ngspice -b -r FILE\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const long sections = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	if (sections < 1 || sections > 10000000)
		return usage();
	ladder l = ladder_make((int)sections, false, 1000);
	bool spice = false;
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "diodes") == 0)
			l.diodes = true;
		else if (strcmp(argv[i], "rest") == 0)
			l.charge = 0;
		else if (strcmp(argv[i], "spice") == 0)
			spice = true;
		else if ((l.steps = strtol(argv[i], NULL, 10)) < 1)
			return usage();
	}
	return !(spice ? ladder_write_spice(&l, stdout) : ladder_write_netlist(&l, stdout));
}
