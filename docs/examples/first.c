/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A first program: a capacitor C that is charged to 5 V through a resistor R. Its voltage follows
 *
 *     v(t) = 5 V (1 - exp(-t / (R C))),
 *
 * which the result is compared with after one time constant R C = 1 ms.
 */
#include <boxtimes.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char model[] = "<netlist xmlns='urn:boxtimes:netlist:1'>"
			    "<simulation step='10 us' end='5 ms'/>"
			    "<voltage-source id='V1' p='in' n='0' e='5 V'/>"
			    "<resistor id='R1' p='in' n='out' R='1 kohm'/>"
			    "<capacitor id='C1' p='out' n='0' C='1 uF'/>"
			    "<record>node(out).v</record>"
			    "</netlist>";

int main(void)
{
	const char *folder = getenv("BOXTIMES_PATH"); /* where the components are */
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(&folder, folder ? 1 : 0, d);
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_simulation *simulation = NULL;
	const double exact = 5 * (1 - exp(-1));
	double v = NAN;

	/* text -> netlist -> system -> simulation -> value of the only recorded signal */
	if (library &&
	    bxt_netlist_read_memory(model, strlen(model), "first", d, &netlist) == BXT_OK &&
	    bxt_system_compile(netlist, library, d, &system) == BXT_OK &&
	    bxt_simulation_new(system, NULL, d, &simulation) == BXT_OK &&
	    bxt_simulation_step_to(simulation, 1e-3, 0, d) == BXT_OK &&
	    bxt_simulation_read(simulation, &v) == BXT_OK) {
		const bxt_column *signal = bxt_simulation_signal(simulation, 0);
		printf("%s after 1 ms: %.3f %s, exact %.3f V\n", signal->name, v, signal->unit,
		       exact);
	}
	/* every mistake in the model is a finding with file and line */
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(d, i)->text);

	bxt_simulation_free(simulation);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	return fabs(v - exact) < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE; /* false for NAN */
}
