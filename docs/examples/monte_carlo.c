/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A Monte Carlo in threads: the parts of a rectifier scatter, and its output does. All threads
 * share one compiled system. Each has a simulation of its own, which it gives the parameters of a
 * sample. The numbers of a sample follow from its index, so that the result does not depend on the
 * threads.
 */
#include <boxtimes.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64, MOST_THREADS = 8, STEPS = 200 };

static const char model[] = "<netlist xmlns='urn:boxtimes:netlist:1'>"
			    "<simulation step='0.1 ms' end='20 ms'/>"
			    "<voltage-source id='V1' p='in' n='0' e='=10*sin(2*pi*50*t)'/>"
			    "<diode id='D1' p='in' n='out'/>"
			    "<resistor id='R1' p='out' n='0' R='1 kohm'/>"
			    "<capacitor id='C1' p='out' n='0' C='20 uF'/>"
			    "<record>node(out).v</record>"
			    "</netlist>";

/* What a thread does: samples first, first + stride, ... */
struct work {
	const bxt_system *system;
	size_t parameter[2], first, stride;
	double *result; /* (SAMPLES) */
	bool good;
};

/* A number from -1 to 1 that follows from n. */
static double scatter(uint64_t n)
{
	n = (n + 1) * UINT64_C(0x9E3779B97F4A7C15);
	n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
	return (double)((n ^ n >> 31) >> 11) * 0x1p-52 - 1;
}

static bool make_sample(bxt_simulation *s, const struct work *w, size_t i, bxt_diagnostics *d)
{
	const double value[] = {1e3 * (1 + 0.05 * scatter(2 * i)),
				20e-6 * (1 + 0.2 * scatter(2 * i + 1))};
	return bxt_simulation_set_parameters(s, 2, w->parameter, value, d) == BXT_OK &&
	       bxt_simulation_reset(s, d) == BXT_OK &&
	       bxt_simulation_step(s, STEPS, NULL, d) == BXT_OK &&
	       bxt_simulation_read(s, &w->result[i]) == BXT_OK;
}

static void *do_work(void *argument)
{
	struct work *w = argument;
	bxt_diagnostics *d = bxt_diagnostics_new(); /* of this thread */
	bxt_simulation *s = NULL;
	w->good = bxt_simulation_new(w->system, NULL, d, &s) == BXT_OK;
	for (size_t i = w->first; i < SAMPLES && w->good; i += w->stride)
		w->good = make_sample(s, w, i, d);
	bxt_simulation_free(s);
	bxt_diagnostics_free(d);
	return NULL;
}

static bool run_threads(const bxt_system *system, size_t n, double result[SAMPLES])
{
	struct work work[MOST_THREADS];
	pthread_t thread[MOST_THREADS];
	const long r = bxt_system_find(system, BXT_PART_PARAMETER, "R1.R", NULL),
		   c = bxt_system_find(system, BXT_PART_PARAMETER, "C1.C", NULL);
	size_t started = 0;
	bool good = r >= 0 && c >= 0;
	for (; started < n && good; started++) {
		work[started] =
			(struct work){system, {(size_t)r, (size_t)c}, started, n, result, false};
		good = pthread_create(&thread[started], NULL, do_work, &work[started]) == 0;
		if (!good)
			break;
	}
	for (size_t k = 0; k < started; k++) {
		pthread_join(thread[k], NULL);
		good = good && work[k].good;
	}
	return good;
}

int main(void)
{
	const char *folder = getenv("BOXTIMES_PATH");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(&folder, folder ? 1 : 0, d);
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	double one[SAMPLES], eight[SAMPLES], least = 1e300, most = -1e300;
	bool good =
		library &&
		bxt_netlist_read_memory(model, strlen(model), "rectifier", d, &netlist) == BXT_OK &&
		bxt_system_compile(netlist, library, d, &system) == BXT_OK &&
		run_threads(system, 1, one) && run_threads(system, MOST_THREADS, eight);
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(d, i)->text);
	for (size_t i = 0; i < SAMPLES && good; i++) {
		least = one[i] < least ? one[i] : least;
		most = one[i] > most ? one[i] : most;
	}
	good = good && memcmp(one, eight, sizeof one) == 0 && most > least;
	if (good)
		printf("from %.2f V to %.2f V, the same bits with 1 and 8 threads\n", least, most);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
