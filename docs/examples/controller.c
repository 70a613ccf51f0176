/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A controller that is a function: every 5 ms it reads the speed of a motor and writes its voltage.
 * Its integral belongs to the simulation, so that a state that is saved and restored has it, too.
 */
#include <boxtimes.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char model[] =
	"<netlist xmlns='urn:boxtimes:netlist:1'>"
	"<input name='voltage' unit='V' default='0 V'/>"
	"<simulation step='1 ms' end='4 s'/>"
	"<voltage-source id='V' p='a' n='0' e='=voltage'/>"
	"<dc-motor id='M' p='a' n='0' shaft='s' La='1.5 mH' Ra='0.05 ohm' k='0.64 V.s/rad'"
	" J='0.3 kg.m2'/>"
	"<torque id='T' a='s' b='wall' tau='=if(t &lt; 2, 0, 20)'/>"
	"<record>node(s).omega</record>"
	"</netlist>";

static const double wanted = 100; /* [rad/s] */

/* PI with a limit; the integral stands still at the limit. remembered: the integral [V]. */
static int control(void *context, void *remembered, double t, const double *read, double *write,
		   char *error, size_t error_size)
{
	const double Kp = 1.5, Ki = 8, period = 5e-3, limit = 120;
	const double missing = wanted - read[0];
	double integral;
	(void)context;
	if (!isfinite(missing)) {
		snprintf(error, error_size, "the speed at %g s is no number", t);
		return 1;
	}
	memcpy(&integral, remembered, sizeof integral);
	const double u = Kp * missing + integral + Ki * period * missing;
	write[0] = fmax(-limit, fmin(limit, u));
	if (write[0] == u)
		integral += Ki * period * missing;
	memcpy(remembered, &integral, sizeof integral);
	return 0;
}

/* Two ways from 2 s on, of one simulation: the same speed in all bits. */
static bool run_twice(bxt_simulation *s, double *speed, bxt_diagnostics *d)
{
	bxt_state *state = NULL;
	double again;
	bool good = bxt_simulation_step_to(s, 2, 0, d) == BXT_OK &&
		    bxt_simulation_get_state(s, &state) == BXT_OK &&
		    bxt_simulation_step_to(s, 4, 0, d) == BXT_OK &&
		    bxt_simulation_read(s, speed) == BXT_OK &&
		    bxt_simulation_set_state(s, state, d) == BXT_OK &&
		    bxt_simulation_step_to(s, 4, 0, d) == BXT_OK &&
		    bxt_simulation_read(s, &again) == BXT_OK &&
		    memcmp(speed, &again, sizeof again) == 0;
	bxt_state_free(state);
	return good;
}

int main(void)
{
	const char *folder = getenv("BOXTIMES_PATH");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(&folder, folder ? 1 : 0, d);
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_simulation *simulation = NULL;
	bxt_controller_def def;
	double speed = 0;
	bxt_default_controller_def(&def);
	def.reads = "node(s).omega";
	def.writes = "voltage";
	def.period = 5e-3;
	def.step = control;
	def.remembered_size = sizeof(double); /* zero at the start */
	bool good = library &&
		    bxt_netlist_read_memory(model, strlen(model), "motor", d, &netlist) == BXT_OK &&
		    bxt_system_compile(netlist, library, d, &system) == BXT_OK &&
		    bxt_simulation_new(system, NULL, d, &simulation) == BXT_OK &&
		    bxt_simulation_add_controller(simulation, &def, d) == BXT_OK &&
		    run_twice(simulation, &speed, d);
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(d, i)->text);
	good = good && fabs(speed - wanted) < 1e-3 * wanted;
	if (good)
		printf("speed at 4 s: %.1f rad/s, wanted %.1f\n", speed, wanted);
	bxt_simulation_free(simulation);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
