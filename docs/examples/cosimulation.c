/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Co-simulation with rollback: two simulations exchange a voltage and a current. In each step both
 * take the other's signal as a straight line from its value now to a guess of its value at the end
 * of the step. The step is made, the guess is corrected, both go back to the start of the step, and
 * so on until nothing changes. The result is that of the whole model in one simulation.
 */
#include <boxtimes.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN "<netlist xmlns='urn:boxtimes:netlist:1'><simulation step='10 us' end='5 ms'/>"
#define SOURCE                                                                                     \
	"<voltage-source id='V1' p='in' n='0' e='=5*sin(2*pi*500*t)'/>"                            \
	"<resistor id='R1' p='in' n='a' R='100 ohm'/><capacitor id='C1' p='a' n='0' C='1 uF'/>"
#define LOAD(node)                                                                                 \
	"<inductor id='L1' p='" node "' n='b' L='10 mH'/><resistor id='R2' p='b' n='0' R='50 "     \
	"ohm'/>"

/* The source sees the load as a current, the load the source as a voltage. */
static const char *const models[] = {
	BEGIN "<input name='i' unit='A' default='0 A'/>" SOURCE
	      "<current-source id='I1' p='a' n='0' I='=i'/><record>node(a).v</record></netlist>",
	BEGIN
	"<input name='v' unit='V' default='0 V'/>"
	"<voltage-source id='V2' p='a' n='0' e='=v'/>" LOAD("a") "<record>L1.i</record></netlist>",
	BEGIN SOURCE LOAD("a") "<record>node(a).v, L1.i</record></netlist>",
};
enum { VOLTAGE, CURRENT, WHOLE, MODELS };

struct model {
	bxt_netlist *netlist;
	bxt_system *system;
	bxt_simulation *simulation;
};

static bool open_model(struct model *m, const char *text, bxt_library *library, bxt_diagnostics *d)
{
	return bxt_netlist_read_memory(text, strlen(text), "part", d, &m->netlist) == BXT_OK &&
	       bxt_system_compile(m->netlist, library, d, &m->system) == BXT_OK &&
	       bxt_simulation_new(m->system, NULL, d, &m->simulation) == BXT_OK;
}

static void close_model(struct model *m)
{
	bxt_simulation_free(m->simulation);
	bxt_system_free(m->system);
	bxt_netlist_free(m->netlist);
}

/* Back to the state, then a step with an input that goes from one value to another. */
static bool step_again(bxt_simulation *s, const bxt_state *from, double first, double last,
		       double *signal, bxt_diagnostics *d)
{
	const size_t input = 0;
	const double rate = (last - first) / 1e-5;
	return bxt_simulation_set_state(s, from, d) == BXT_OK &&
	       bxt_simulation_set_inputs(s, 1, &input, &first, &rate) == BXT_OK &&
	       bxt_simulation_step(s, 1, NULL, d) == BXT_OK &&
	       bxt_simulation_read(s, signal) == BXT_OK;
}

/* One step of both parts; now: voltage and current before, then after it. False: a failure. */
static bool exchange(struct model *parts, double now[2], bxt_diagnostics *d)
{
	enum { MOST = 50 };
	const double before[] = {now[VOLTAGE], now[CURRENT]}, small = 1e-12;
	bxt_state *state[2] = {NULL, NULL};
	bool good = bxt_simulation_get_state(parts[0].simulation, &state[0]) == BXT_OK &&
		    bxt_simulation_get_state(parts[1].simulation, &state[1]) == BXT_OK;
	bool settled = false;
	for (int n = 0; n < MOST && good && !settled; n++) {
		const double voltage = now[VOLTAGE], current = now[CURRENT];
		good = step_again(parts[VOLTAGE].simulation, state[0], before[CURRENT], current,
				  &now[VOLTAGE], d) &&
		       step_again(parts[CURRENT].simulation, state[1], before[VOLTAGE],
				  now[VOLTAGE], &now[CURRENT], d);
		settled = fabs(now[VOLTAGE] - voltage) + 100 * fabs(now[CURRENT] - current) < small;
	}
	bxt_state_free(state[0]);
	bxt_state_free(state[1]);
	return good;
}

/* The largest difference of the voltage from that of the whole model [V]; negative: a failure. */
static double simulate(struct model *m, bxt_diagnostics *d)
{
	enum { STEPS = 500 };
	double now[2], whole[2], difference = 0;
	if (bxt_simulation_read(m[VOLTAGE].simulation, &now[VOLTAGE]) != BXT_OK ||
	    bxt_simulation_read(m[CURRENT].simulation, &now[CURRENT]) != BXT_OK)
		return -1;
	for (int k = 0; k < STEPS; k++) {
		if (!exchange(m, now, d) ||
		    bxt_simulation_step(m[WHOLE].simulation, 1, NULL, d) != BXT_OK ||
		    bxt_simulation_read(m[WHOLE].simulation, whole) != BXT_OK)
			return -1;
		difference = fmax(difference, fabs(now[VOLTAGE] - whole[0]));
	}
	return difference;
}

int main(void)
{
	const char *folder = getenv("BOXTIMES_PATH");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(&folder, folder ? 1 : 0, d);
	struct model m[MODELS] = {{NULL, NULL, NULL}};
	bool good = library != NULL;
	for (int k = 0; k < MODELS && good; k++)
		good = open_model(&m[k], models[k], library, d);
	const double difference = good ? simulate(m, d) : -1;
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(d, i)->text);
	good = difference >= 0 && difference < 1e-10;
	if (difference >= 0)
		printf("difference from the whole model: %s 1e-10 V\n", good ? "below" : "above");
	for (int k = 0; k < MODELS; k++)
		close_model(&m[k]);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
