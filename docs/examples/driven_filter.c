/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loop with an input: a filter of R and C, driven by a voltage that the program computes anew
 * every 50 steps and that holds in between. In such a stretch of length T the charge follows
 *
 *     q(t + T) = C u + (q(t) - C u) exp(-T / (R C)),
 *
 * which the result is compared with.
 */
#include <boxtimes.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char model[] = "<netlist xmlns='urn:boxtimes:netlist:1'>"
			    "<input name='u' unit='V' default='0 V'/>"
			    "<simulation step='20 us' end='50 ms' scheme='gauss3'/>"
			    "<voltage-source id='V1' p='in' n='0' e='=u'/>"
			    "<resistor id='R1' p='in' n='out' R='1 kohm'/>"
			    "<capacitor id='C1' p='out' n='0' C='1 uF'/>"
			    "<record>C1.q</record>"
			    "</netlist>";

/* Drives the filter; the largest error of the charge by the largest charge, negative: a failure. */
static double drive(bxt_simulation *simulation, size_t u_index, bxt_diagnostics *d)
{
	enum { STRETCHES = 50, STEPS = 50 };
	const double C = 1e-6, T = STEPS * 20e-6, decay = exp(-T / (1e3 * C));
	double exact = 0, error = 0, largest = 0;
	for (int k = 0; k < STRETCHES; k++) {
		const double u = 5 * sin(0.4 * k) - 0.02 * k;
		double q;
		if (bxt_simulation_set_inputs(simulation, 1, &u_index, &u, NULL) != BXT_OK ||
		    bxt_simulation_step(simulation, STEPS, NULL, d) != BXT_OK ||
		    bxt_simulation_read(simulation, &q) != BXT_OK)
			return -1;
		exact = C * u + (exact - C * u) * decay;
		error = fmax(error, fabs(q - exact));
		largest = fmax(largest, fabs(exact));
	}
	return error / largest;
}

int main(void)
{
	const char *folder = getenv("BOXTIMES_PATH");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(&folder, folder ? 1 : 0, d);
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_simulation *simulation = NULL;
	double error = -1;
	if (library &&
	    bxt_netlist_read_memory(model, strlen(model), "filter", d, &netlist) == BXT_OK &&
	    bxt_system_compile(netlist, library, d, &system) == BXT_OK &&
	    bxt_simulation_new(system, NULL, d, &simulation) == BXT_OK)
		error = drive(simulation, (size_t)bxt_system_find(system, BXT_PART_INPUT, "u", d),
			      d);
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(d, i)->text);
	if (error >= 0)
		printf("error by the largest charge: %s 1e-9\n", error < 1e-9 ? "below" : "above");
	bxt_simulation_free(simulation);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	return error >= 0 && error < 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
