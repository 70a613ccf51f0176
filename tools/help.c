/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --help prints. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

static const char run_options[] =
	"  --step H            step: seconds, a time with unit, an expression: 0.05, \"20 us\", "
	"=1/48000\n"
	"  --end T             end of the run\n"
	"  --scheme NAME       gauss1 (default), gauss2, gauss3, radau2, radau3: collocation; "
	"dirac+,\n"
	"                      dirac- of the papers; theta: discretisation maps, also on "
	"manifolds;\n"
	"                      discrete-gradient: energy to round-off;\n"
	"                      rk4, rk2, euler: explicit, unconstrained only\n"
	"  --rule NAME         of dirac+ and dirac-: midpoint (default), rectangle, ...: see\n"
	"                      'boxtimes list --settings'\n"
	"  --force-rule NAME   of forces, when they shall have another rule than L\n"
	"  --theta X           of the scheme and the rule theta: 0 to 1 (default 0.5), where in "
	"the "
	"step\n"
	"  --gradient NAME     of discrete-gradient: midpoint (default); increments: of one "
	"coordinate\n"
	"                      after the other; increments-symmetric: the mean of either order\n"
	"  --constraint PLACE  of dirac+, dirac-: A at the midpoint (default) or at the base point "
	"q_k\n"
	"  --start HOW         plain (default), half-kick (dirac+ with rectangle: second order) "
	"or\n"
	"                      operating-point (at rest, with the sources as at t = 0)\n"
	"  --projection WHEN   auto (default), on or off: each step of a Gauss scheme ends on the\n"
	"                      velocity and position constraints and with closed loops\n"
	"  --solver NAME       auto (default), klu, umfpack, ...: see 'boxtimes list --settings'\n"
	"  --torn HOW          matrix of a torn system: explicit (default), in one piece; schur: "
	"each\n"
	"                      subsystem by itself\n"
	"  --threads N         for --torn=schur (default 1); results do not depend on it\n"
	"  --set PATH.PARAM=VALUE   change a parameter or initial value, e.g. --set loop.R1.R='2 "
	"kohm'\n"
	"  --record LIST       signals: 'C1.q, loop.L1.i, node(a).v, R1.*, c1.lambda, energy,\n"
	"                      energy(loop), dissipated(R1), supplied, power(store.s), "
	"drift(node),\n"
	"                      plant.speed of a <signal id>, momentum(ID), noether(ID) of a "
	"symmetry'\n"
	"  --every N           a row every N steps\n"
	"  --allow-plugins     load the plug-ins that the model names: code that runs with your "
	"rights\n"
	"  --plugin NAME=PATH  that file is the plug-in of an element, or of all elements of a\n"
	"                      component; may be repeated\n"
	"  --plugin-seconds N  for a plug-in to load, and for each of its steps (default 10)\n"
	"  --plugin-in-process run plug-ins in this process once they were tried: for trusted "
	"ones\n"
	"  -L, --library DIR   another directory of components; may be repeated\n"
	"  --quiet             neither notes, nor summary, nor progress bar\n";

/* The options of runs stand between `text` and `more`, where there is that. */
static const struct help {
	const char *command, *text, *more;
} helps[] = {
	{"run",
	 "usage: boxtimes run FILE [options]\n"
	 "\n"
	 "Steps a netlist ('-': standard input) and writes CSV to standard output or -o FILE;\n"
	 "the account of drift and energy goes to standard error.\n"
	 "\n",
	 "  -o, --output FILE   CSV there\n"
	 "  --json              the account as JSON on standard output (CSV then only with -o)\n"
	 "\n"
	 "example: boxtimes run netlists/rlc-torn.xml --step 0.01 --record 'store.C1.q, energy'\n"},
	{"check",
	 "usage: boxtimes check FILE... [-L DIR] [--set PATH.PARAM=VALUE] [--allow-plugins] "
	 "[--quiet]\n"
	 "\n"
	 "Reads, compiles and finds a consistent start, without stepping. All findings are\n"
	 "printed as file:line: error: text. Exit status 0 or 3.\n"
	 "\n"
	 "example: boxtimes check netlists/*.xml\n",
	 NULL},
	{"info",
	 "usage: boxtimes info FILE [-L DIR] [--set PATH.PARAM=VALUE] [--scheme NAME]\n"
	 "\n"
	 "Primitives, rows of the Dirac structure, references, kinds of components, the matrix\n"
	 "of a step and how it is solved.\n"
	 "\n"
	 "example: boxtimes info netlists/rlc-torn.xml\n",
	 NULL},
	{"verify",
	 "usage: boxtimes verify FILE [--against B | --hamilton-jacobi] [options]\n"
	 "\n"
	 "Checks numerically, at the consistent start and at random admissible states near it, "
	 "that\n"
	 "D = D^perp for every primitive, for D_int and for the whole; that the tensor product of\n"
	 "the primitives with D_int, by its definition, is the structure of (sum Delta_i) n "
	 "Sigma_Q;\n"
	 "ranks; and of one step its rows, the annihilator, the power, the Jacobian. With "
	 "--against:\n"
	 "that FILE and B are the same system up to tearing; the first failure names the culprit.\n"
	 "With dirac+ and dirac- notes tell whether forces have a discrete Rayleigh potential and\n"
	 "whether the (-) side has the same constraints; where a step claims to be symplectic,\n"
	 "whether it is. Notes never fail.\n"
	 "Exit status 0, or 1 when a check failed.\n"
	 "\n",
	 "  --at T              verify there, after a run from the start\n"
	 "  --seed N            of the random states (default 1)\n"
	 "  --tol X             instead of each check's own tolerance; with --against that of\n"
	 "                      parameters (default 1e-12)\n"
	 "  --against B         another netlist\n"
	 "  --hamilton-jacobi   also runs the model to its end with dirac+ and checks the "
	 "discrete\n"
	 "                      Hamilton-Jacobi theory with forces along the run\n"
	 "  --json              the checks as JSON on standard output\n"
	 "\n"
	 "example: boxtimes verify netlists/rlc-torn.xml --against netlists/rlc-parallel.xml\n"},
	{"compare",
	 "usage: boxtimes compare A B [options]\n"
	 "\n"
	 "Runs both models and compares all that they have in common: coordinates, flows, "
	 "momenta,\n"
	 "potentials, multipliers, energies; of either model what --record names. Parts are "
	 "paired\n"
	 "by full path (C1), by their names in the network put together (store.C1 with C1), then "
	 "by\n"
	 "unique suffix; so one model may be torn, or both in different ways. Nodes that are "
	 "joined\n"
	 "are one, the multiplier of a connection is the potential of that node, and the momentum\n"
	 "of a node is the sum over those joined with it.\n"
	 "\n"
	 "A difference is max|a-b| by the signal's max|a|, or by max|a| of the largest signal of "
	 "its\n"
	 "group and unit times 1024 eps / tolerance, where that is more: what is round-off of the\n"
	 "largest is never beyond the tolerance; where both are 0 it is max|a-b| itself. Beside\n"
	 "signals the power that connections lose, by what they carry, and the accounts of energy\n"
	 "are judged; drift is shown only. Exit status 0, 1 beyond --tol, 3 with nothing in "
	 "common.\n"
	 "\n",
	 "  --map A=B           pair signal A of the first with B of the second; may be repeated\n"
	 "  --tol X             largest difference allowed (default 1e-9)\n"
	 "  -o, --output FILE   all of the report as CSV there\n"
	 "  --json              all of the report as JSON on standard output\n"
	 "  --plot FILE         an SVG or PNG picture of both and their difference, for the "
	 "signals\n"
	 "                      that differ most, by gnuplot\n"
	 "  --columns LIST      instead: of these signals; the end of a name will do\n"
	 "  --title TEXT        above the picture\n"
	 "\n"
	 "example: boxtimes compare netlists/rlc-parallel.xml netlists/rlc-torn.xml --tol 1e-12\n"},
	{"tear",
	 "usage: boxtimes tear FILE (--node N | --elements LIST | --parts K | --like TORN) "
	 "[options]\n"
	 "\n"
	 "Cuts a netlist without subsystems into some that are joined at ports. Nodes that "
	 "several\n"
	 "parts use are in each of them, by the same name and with the same initial values; the\n"
	 "reference is in all. Elements that are bound to each other stay together. Torn and "
	 "whole\n"
	 "have the same trajectory: see 'boxtimes compare'.\n"
	 "\n"
	 "  --node N            cut at that node: what holds together without it is a part\n"
	 "  --elements LIST     these elements against the rest: 'R1, L1'\n"
	 "  --parts K           into K parts of about the same size with few nodes in common\n"
	 "  --like TORN         as that netlist is torn, with its names of parts, nodes and ports\n"
	 "  --names LIST        ids of the parts: 'source, load' (default part1, part2, ...)\n"
	 "  -o, --output FILE   the torn netlist there, else on standard output\n"
	 "  --set PATH.PARAM=VALUE   change a parameter or initial value first\n"
	 "  -L, --library DIR   another directory of components; may be repeated\n"
	 "  --quiet             no notes\n"
	 "\n"
	 "example: boxtimes tear netlists/rlc-resonator.xml --node a -o torn.xml\n"
	 "         boxtimes compare netlists/rlc-resonator.xml torn.xml\n",
	 NULL},
	{"flatten",
	 "usage: boxtimes flatten FILE [--canonical] [options]\n"
	 "\n"
	 "The netlist without subsystems that is the same system: included files become part of "
	 "it,\n"
	 "nodes that are joined by <connect> one node. Names stay unless two would meet; then "
	 "they\n"
	 "are paths with '_' for '.'. Other rows of <interconnection> stay, between ports of the\n"
	 "netlist itself. A netlist without subsystems gets its canonical form.\n"
	 "\n"
	 "  --canonical         the canonical form of the netlist as it is, torn or not: "
	 "elements,\n"
	 "                      nodes, subsystems, ports and connections in the order of their "
	 "ids\n"
	 "  -o, --output FILE   the netlist there, else on standard output\n"
	 "  --set PATH.PARAM=VALUE   change a parameter or initial value first\n"
	 "  -L, --library DIR   another directory of components; may be repeated\n"
	 "  --quiet             no notes\n"
	 "\n"
	 "example: boxtimes flatten netlists/rlc-torn.xml\n",
	 NULL},
	{"plot",
	 "usage: boxtimes plot FILE.csv [-o OUT.svg|OUT.png] [--columns LIST] [--title TEXT]\n"
	 "\n"
	 "Draws what 'boxtimes run' wrote ('-': standard input) with gnuplot, which must be\n"
	 "installed: a panel for each quantity (charges, currents, energies, ...).\n"
	 "\n"
	 "  -o, --output FILE   an SVG or PNG picture, by the name; '-': SVG on standard output;\n"
	 "                      without: a drawing in text on standard output\n"
	 "  --columns LIST      signals: 'C1.q, energy'; the end of a name will do when no other\n"
	 "                      has it; without: the first 12\n"
	 "  --title TEXT        above the drawing\n"
	 "  --quiet             no notes\n"
	 "\n"
	 "example: boxtimes run netlists/rlc-torn.xml -o torn.csv\n"
	 "         boxtimes plot torn.csv --columns 'C1.q, energy' -o torn.svg\n",
	 NULL},
	{"list",
	 "usage: boxtimes list [WORD] [-L DIR] [--names | --settings]\n"
	 "\n"
	 "The components of the library by domain, a line each; with WORD those that have it in\n"
	 "their name, domain or description.\n"
	 "\n"
	 "  --names             bare names, one a line\n"
	 "  --settings          instead: the names that scheme, rule, solver, ... take\n"
	 "  -L, --library DIR   another directory of components; may be repeated\n"
	 "\n"
	 "example: boxtimes list capacitor\n",
	 NULL},
	{"describe",
	 "usage: boxtimes describe COMPONENT... [-L DIR]\n"
	 "\n"
	 "What a component is: its parameters with units, defaults and ranges, its ports, its\n"
	 "coordinates, and its equations as the program derives them: L, R, their derivatives,\n"
	 "forces, constraints, equations of motion, energy.\n"
	 "\n"
	 "example: boxtimes describe diode\n",
	 NULL},
	{"schema",
	 "usage: boxtimes schema [NETLIST] [-L DIR]\n"
	 "\n"
	 "An XML schema (XSD) of netlists on standard output, made from the component library\n"
	 "and the inline components of NETLIST, so that editors complete and explain.\n"
	 "\n"
	 "example: boxtimes schema >boxtimes.xsd\n"
	 "         xmllint --noout --schema boxtimes.xsd netlists/rlc-torn.xml\n",
	 NULL},
};

void print_help(const char *command)
{
	for (size_t i = 0; i < sizeof helps / sizeof *helps; i++) {
		if (strcmp(command, helps[i].command) != 0)
			continue;
		fputs(helps[i].text, stdout);
		if (helps[i].more)
			printf("%s%s", run_options, helps[i].more);
	}
}
