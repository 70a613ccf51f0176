/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chains of bodies in space on ball joints, of 10, 100 and 1000 bodies. Given is the time per body
 * and step, in that of the shortest chain, and what the bare solver takes of it. The chains take
 * turns, since others on the machine disturb them alike.
 *
 *     bench_space [SCHEME [STEPS]]
 */
#include "benchmark.h"

#include <math.h>
#include <stdlib.h>

enum { CHAINS = 3, LONGEST = 1000, TURNS = 9 };
static const int lengths[CHAINS] = {10, 100, LONGEST};

/* ---- The netlist ---- */

/* Links of 1 m that hang a little out of one plane; each moves, none stretches. */
static bool write_chain(const void *what, FILE *f)
{
	const int n = *(const int *)what;
	fputs("<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"chain\">\n"
	      "<simulation step=\"5 ms\" end=\"1000 s\"/>\n",
	      f);
	for (int i = 0; i < n; i++) {
		fprintf(f, "<node id=\"n%d\" kind=\"spatial\" x=\"%d m\"/>\n", i, i);
		fprintf(f,
			"<body id=\"B%d\" a=\"n%d\" m=\"1 kg\" cx=\"0.5 m\" cz=\"0.02 m\" "
			"Ixx=\"0.04\" Iyy=\"0.1\" Izz=\"0.1\" gz=\"-9.81\"/>\n",
			i, i);
		if (i == 0)
			fputs("<ball id=\"J0\" a=\"wall\" b=\"n0\"/>\n", f);
		else
			fprintf(f, "<ball id=\"J%d\" a=\"n%d\" b=\"n%d\" ax=\"1 m\"/>\n", i, i - 1,
				i);
	}
	fputs("<record>energy</record></netlist>\n", f);
	return !ferror(f);
}

/* ---- The contest ---- */

struct chain {
	bench_model m;
	double spent[TURNS]; /* [s] per body and step */
};

static bxt_status turn(struct chain *c, int bodies, int steps, double *spent)
{
	const double start = bench_now();
	for (int k = 0; k < steps; k++)
		BXT_TRY(bench_step(&c->m));
	*spent = (bench_now() - start) / ((double)bodies * steps);
	return BXT_OK;
}

static bxt_status contest(struct chain *chains, const char *scheme, int steps)
{
	for (int i = 0; i < CHAINS; i++) {
		bxt_default_run_def(&chains[i].m.def);
		chains[i].m.def.scheme = scheme;
		BXT_TRY(bench_open(&chains[i].m, write_chain, &lengths[i]));
	}
	for (int k = 0; k < TURNS; k++)
		for (int i = 0; i < CHAINS; i++) /* as much work in each turn */
			BXT_TRY(turn(&chains[i], lengths[i], steps * (LONGEST / lengths[i]),
				     &chains[i].spent[k]));
	return BXT_OK;
}

int main(int argc, char **argv)
{
	static struct chain chains[CHAINS];
	const char *scheme = argc > 1 ? argv[1] : "gauss1";
	const int steps = argc > 2 ? atoi(argv[2]) : 2;
	const bxt_status status = contest(chains, scheme, steps > 0 ? steps : 1);
	double shortest = 0;
	if (status != BXT_OK)
		bench_complain(&chains[0].m, scheme, status);
	for (int i = 0; i < CHAINS && status == BXT_OK; i++) {
		bench_bare bare = {0};
		const double middle = bench_median(chains[i].spent, TURNS);
		const bool open = bench_bare_open(&bare, chains[i].m.stepper);
		const double solver =
			open ? bench_bare_iteration(&bare, chains[i].m.stepper) / lengths[i] : NAN;
		shortest = i == 0 ? middle : shortest;
		printf("%4d bodies, %s: a step takes per body %.2f of what it takes in the chain "
		       "of %d, and %.1f iterations of the bare solver\n",
		       lengths[i], scheme, middle / shortest, lengths[0], middle / solver);
		bench_bare_close(&bare);
	}
	for (int i = 0; i < CHAINS; i++)
		bench_close(&chains[i].m);
	return status != BXT_OK;
}
