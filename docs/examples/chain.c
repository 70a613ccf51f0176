/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A network built by calls: a chain of N masses between N + 1 springs and two walls. It starts in
 * its third mode, x_j = sin(3 pi j / (N + 1)), which swings with the frequency
 *
 *     omega = 2 sqrt(k / m) sin(3 pi / (2 (N + 1))),
 *
 * so that all masses are back where they were after the time 2 pi / omega.
 */
#include <boxtimes.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 20, MODE = 3, STEPS = 1000 };
static const double pi = 3.14159265358979323846;

static double shape(int j)
{
	return sin(MODE * pi * j / (N + 1));
}

/* Adds an element with an id and up to four further attributes. */
static bool add(bxt_netlist *netlist, const char *tag, const bxt_attribute_value *attributes,
		bxt_diagnostics *d)
{
	size_t n = 0;
	while (n < 5 && attributes[n].name)
		n++;
	return bxt_netlist_add(netlist, "", tag, attributes, n, NULL, d) == BXT_OK;
}

static bool build(bxt_netlist *netlist, bxt_diagnostics *d)
{
	bool good = true;
	char id[32], here[32], next[32], x[40];
	for (int j = 1; j <= N && good; j++) {
		snprintf(id, sizeof id, "M%d", j);
		snprintf(here, sizeof here, "m%d", j);
		snprintf(x, sizeof x, "%.17g m", shape(j));
		const bxt_attribute_value mass[5] = {{"id", id}, {"a", here}, {"m", "1 kg"}},
					  node[5] = {{"id", here},
						     {"kind", "translational"},
						     {"x", x}};
		good = add(netlist, "mass", mass, d) && add(netlist, "node", node, d);
	}
	for (int j = 0; j <= N && good; j++) {
		snprintf(id, sizeof id, "K%d", j);
		snprintf(here, sizeof here, j == 0 ? "wall" : "m%d", j);
		snprintf(next, sizeof next, j == N ? "wall" : "m%d", j + 1);
		const bxt_attribute_value spring[5] = {
			{"id", id}, {"a", here}, {"b", next}, {"k", "1 N/m"}};
		good = add(netlist, "spring", spring, d);
	}
	return good;
}

/* The largest distance of a mass from its start after one period [m]; negative: a failure. */
static double swing(const bxt_system *system, bxt_diagnostics *d)
{
	const double omega = 2 * sin(MODE * pi / (2 * (N + 1)));
	bxt_simulation *s = NULL;
	bxt_run_def def;
	double x[N], distance = -1;
	bxt_default_run_def(&def);
	def.scheme = "gauss2";
	def.step = 2 * pi / omega / STEPS;
	def.record = "node(*).x";
	if (bxt_simulation_new(system, &def, d, &s) == BXT_OK && bxt_simulation_signals(s) == N &&
	    bxt_simulation_step(s, STEPS, NULL, d) == BXT_OK && bxt_simulation_read(s, x) == BXT_OK)
		for (int j = 0; j < N; j++)
			distance = fmax(distance, fabs(x[j] - shape(j + 1)));
	bxt_simulation_free(s);
	return distance;
}

int main(void)
{
	const char *folder = getenv("BOXTIMES_PATH");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(&folder, folder ? 1 : 0, d);
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	double distance = -1;
	if (library && bxt_netlist_new("chain", &netlist) == BXT_OK && build(netlist, d) &&
	    bxt_system_compile(netlist, library, d, &system) == BXT_OK)
		distance = swing(system, d);
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(d, i)->text);
	const bool good = distance >= 0 && distance < 1e-8;
	if (distance >= 0)
		printf("after a period all masses are back to %s 1e-8 m\n",
		       good ? "less than" : "more than");
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
