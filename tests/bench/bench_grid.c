/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A grid of capacitors to ground, joined by resistors along rows and inductors along columns, whole
 * and torn into parts by METIS. The models take turns, and the middle ratio of
 * a step to that of the whole model is given, in wall time and in processor time, which others on
 * the machine disturb less. Then the step of the whole model, account included, against the bare
 * solve of its nodal matrix by CHOLMOD.
 *
 *     bench_grid [ROWS [COLUMNS [STEPS]]]
 */
#include "bench/benchmark.h"
#include "ground/base/text.h"
#include "motion/start/start.h"
#include "motion/step/stepper.h"
#include "run/account/ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

enum { STEPS_PER_TURN = 10, MOST_TURNS = 200 };

typedef struct grid {
	int rows, columns, parts;
	bool diodes; /* one beside each capacitor */
	long steps;
} grid;

/* ---- The netlist ---- */

static void write_netlist(const grid *g, bxt_buffer *xml)
{
	bxt_buffer_printf(xml,
			  "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"grid\">\n"
			  "<simulation step=\"10 us\" end=\"%.17g s\"/>\n",
			  1e-5 * (double)g->steps);
	for (int i = 0; i < g->rows; i++)
		for (int j = 0; j < g->columns; j++) {
			bxt_buffer_printf(
				xml,
				"<capacitor id=\"C%d_%d\" p=\"n%d_%d\" n=\"0\" C=\"1 uF\" "
				"q=\"%.17g uC\"/>\n",
				i, j, i, j, 0.7 * sin(0.13 * i + 0.07 * j));
			if (g->diodes)
				bxt_buffer_printf(xml,
						  "<diode id=\"D%d_%d\" p=\"n%d_%d\" n=\"0\"/>\n",
						  i, j, i, j);
			if (j + 1 < g->columns)
				bxt_buffer_printf(xml,
						  "<resistor id=\"R%d_%d\" p=\"n%d_%d\" "
						  "n=\"n%d_%d\" R=\"10 ohm\"/>\n",
						  i, j, i, j, i, j + 1);
			if (i + 1 < g->rows)
				bxt_buffer_printf(xml,
						  "<inductor id=\"L%d_%d\" p=\"n%d_%d\" "
						  "n=\"n%d_%d\" L=\"1 mH\"/>\n",
						  i, j, i, j, i + 1, j);
		}
	bxt_buffer_printf(xml, "<record>energy</record></netlist>\n");
}

/* The parts are chosen by METIS, as `boxtimes tear --parts` does. */
static bxt_status tear(bxt_netlist **netlist, bxt_library *library, int parts, bxt_diagnostics *d)
{
	bxt_tear_def def;
	bxt_default_tear_def(&def);
	bxt_netlist *torn = NULL;
	def.parts = parts;
	BXT_TRY(bxt_netlist_tear(*netlist, library, &def, d, &torn));
	bxt_netlist_free(*netlist);
	*netlist = torn;
	return BXT_OK;
}

/* ---- A model, ready to step ---- */

typedef struct model {
	bxt_diagnostics *d;
	bxt_library *library;
	bxt_netlist *netlist;
	bxt_system *system;
	bxt_settings settings;
	bxt_state *state;
	bxt_stepper *stepper;
	bxt_ledger *monitor;
	double wall[MOST_TURNS], processor[MOST_TURNS]; /* of a turn to that of the first model */
} model;

static void close_model(model *m)
{
	bxt_ledger_free(m->monitor);
	bxt_stepper_free(m->stepper);
	bxt_state_free(m->state);
	bxt_system_free(m->system);
	bxt_netlist_free(m->netlist);
	bxt_library_free(m->library);
	bxt_diagnostics_free(m->d);
	*m = (model){0};
}

static bxt_status prepare(model *m, const grid *g, const bxt_run_def *def)
{
	const char *components = getenv("BOXTIMES_PATH");
	bxt_buffer xml = {0};
	if (!components)
		components = BXT_PKGDATADIR "/components";
	m->d = bxt_diagnostics_new();
	m->library = m->d ? bxt_library_new(&components, 1, m->d) : NULL;
	write_netlist(g, &xml);
	bxt_status status = m->library && !xml.failed ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_netlist_read_memory(xml.text, xml.length, "grid", m->d, &m->netlist);
	bxt_buffer_free(&xml);
	BXT_TRY(status);
	if (g->parts > 1)
		BXT_TRY(tear(&m->netlist, m->library, g->parts, m->d));
	BXT_TRY(bxt_system_compile(m->netlist, m->library, m->d, &m->system));
	BXT_TRY(bxt_settings_resolve(m->system, def, m->d, &m->settings));
	BXT_TRY(bxt_initialize(m->system, def, m->d, &m->state));
	BXT_TRY(bxt_stepper_new(m->system, &m->settings, m->state, &m->stepper));
	return bxt_ledger_new(m->system, &m->settings, m->state, NULL, &m->monitor);
}

/* A step as bxt_run takes it when it records no row there. */
static bxt_status step(model *m)
{
	const double h = m->settings.step;
	const double t = m->state->t0 + (double)(m->state->steps + 1) * h;
	BXT_TRY(bxt_stepper_solve(m->stepper, m->state, h));
	BXT_TRY(bxt_stepper_advance(m->stepper, m->state, t));
	bxt_ledger_step(m->monitor, bxt_stepper_quadrature(m->stepper), m->state);
	m->state->steps++;
	return BXT_OK;
}

/* Wall and processor time [s]. */
struct spent {
	double wall, processor;
};

static struct spent now(void)
{
	return (struct spent){bxt_clock_seconds(), bench_now()};
}

static bxt_status turn(model *m, int steps, struct spent *spent)
{
	const struct spent start = now();
	for (int k = 0; k < steps; k++)
		BXT_TRY(step(m));
	const struct spent end = now();
	*spent = (struct spent){end.wall - start.wall, end.processor - start.processor};
	return BXT_OK;
}

/* ---- The contest ---- */

enum { WHOLE, TORN, MODELS };

static int complain(const model *m, const char *what, bxt_status status)
{
	printf("%s: %s\n", what, bxt_status_text(status));
	for (size_t i = 0; m->d && i < bxt_diagnostics_count(m->d, BXT_WARNING); i++)
		printf("  %s\n", bxt_diagnostics_get(m->d, i)->text);
	return 1;
}

static size_t entries_of(const model *m)
{
	size_t entries;
	long full, reused;
	bxt_linsol_counts(m->stepper->solver, &entries, &full, &reused);
	return entries;
}

/* The whole model first, then the torn one. */
static int contest(const grid *whole, const grid *torn)
{
	static model m[MODELS];
	struct spent first[MODELS], spent[MODELS];
	double bare[MOST_TURNS];
	const int per_turn = whole->diodes ? 2 : STEPS_PER_TURN;
	int turns = 0;
	bxt_status status = BXT_OK;
	int failed = -1;
	for (int i = 0; i < MODELS && status == BXT_OK; i++) {
		bxt_run_def def;
		bxt_default_run_def(&def);
		def.solver = "klu";
		status = prepare(&m[i], i ? torn : whole, &def);
		if (status == BXT_OK)
			status = turn(&m[i], 1, &first[i]); /* with the first factorisation */
		failed = i;
	}
	while (status == BXT_OK && m[0].state->steps + per_turn <= whole->steps &&
	       turns < MOST_TURNS) {
		for (int i = 0; i < MODELS && status == BXT_OK; i++) {
			status = turn(&m[i], per_turn, &spent[i]);
			m[i].wall[turns] = spent[i].wall / spent[0].wall;
			m[i].processor[turns] = spent[i].processor / spent[0].processor;
			failed = i;
		}
		bare[turns++] = spent[0].processor / per_turn;
	}
	if (status == BXT_OK) {
		printf("%d x %d%s: whole %.3f ms a step (%d unknowns, %zu entries in the factors)\n"
		       "  torn into %-2d step / whole %.3f in wall, %.3f in processor time; %d "
		       "unknowns, "
		       "%zu entries in the factors\n",
		       whole->rows, whole->columns, whole->diodes ? " with diodes" : "",
		       1e3 * bench_median(bare, turns), m[WHOLE].stepper->n_x,
		       entries_of(&m[WHOLE]), torn->parts, bench_median(m[TORN].wall, turns),
		       bench_median(m[TORN].processor, turns), m[TORN].stepper->n_x,
		       entries_of(&m[TORN]));
	} else {
		complain(&m[failed], "grid", status);
	}
	for (int i = 0; i < MODELS; i++)
		close_model(&m[i]);
	return status != BXT_OK;
}

/* ---- The condensed nodal matrix ---- */

struct nodal {
	cholmod_common c;
	cholmod_sparse *a;
	cholmod_factor *factor;
	cholmod_dense *b, *x, *y, *e;
};

/* The companion conductances of a step of 10 us: 2C/h, 1/R, h/2L (above, and in write_netlist). */
static cholmod_sparse *nodal_matrix(const grid *g, cholmod_common *c)
{
	const double h = 1e-5, gc = 2 * 1e-6 / h, gr = 1.0 / 10, gl = h / (2 * 1e-3);
	const int n = g->rows * g->columns;
	cholmod_sparse *a = cholmod_allocate_sparse((size_t)n, (size_t)n, 3 * (size_t)n, 1, 1, -1,
						    CHOLMOD_REAL, c);
	if (!a)
		return NULL;
	int *p = a->p, *row = a->i, k = 0;
	double *value = a->x;
	for (int j = 0; j < n; j++) {
		const int i = j / g->columns, at = j % g->columns;
		const bool right = at + 1 < g->columns, below = i + 1 < g->rows;
		p[j] = k;
		row[k] = j;
		value[k++] = gc + gr * (right + (at > 0)) + gl * (below + (i > 0));
		if (right) {
			row[k] = j + 1;
			value[k++] = -gr;
		}
		if (below) {
			row[k] = j + g->columns;
			value[k++] = -gl;
		}
	}
	p[n] = k;
	return a;
}

static bool nodal_open(struct nodal *s, const grid *g)
{
	*s = (struct nodal){0};
	cholmod_start(&s->c);
	s->c.supernodal = CHOLMOD_SIMPLICIAL;
	s->a = nodal_matrix(g, &s->c);
	if (!s->a || !(s->factor = cholmod_analyze(s->a, &s->c)))
		return false;
	s->b = cholmod_ones(s->a->nrow, 1, CHOLMOD_REAL, &s->c);
	return s->b && cholmod_factorize(s->a, s->factor, &s->c) && s->c.status == CHOLMOD_OK;
}

static void nodal_close(struct nodal *s)
{
	cholmod_free_dense(&s->b, &s->c);
	cholmod_free_dense(&s->x, &s->c);
	cholmod_free_dense(&s->y, &s->c);
	cholmod_free_dense(&s->e, &s->c);
	cholmod_free_factor(&s->factor, &s->c);
	cholmod_free_sparse(&s->a, &s->c);
	cholmod_finish(&s->c);
}

static double nodal_solve(struct nodal *s)
{
	const double start = now().processor;
	cholmod_solve2(CHOLMOD_A, s->factor, s->b, NULL, &s->x, NULL, &s->y, &s->e, &s->c);
	return now().processor - start;
}

static int condensed(const grid *g)
{
	static double ratio[MOST_TURNS];
	static model m;
	struct spent spent;
	struct nodal s;
	bxt_run_def def;
	int turns = 0;
	bxt_default_run_def(&def);
	def.solver = "condensed";
	bxt_status status = nodal_open(&s, g) ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = prepare(&m, g, &def);
	if (status == BXT_OK)
		status = turn(&m, 1, &spent);
	for (; status == BXT_OK && turns < MOST_TURNS; turns++) {
		double bare = 0;
		status = turn(&m, STEPS_PER_TURN, &spent);
		for (int k = 0; k < STEPS_PER_TURN; k++)
			bare += nodal_solve(&s);
		ratio[turns] = spent.processor / bare;
	}
	if (status == BXT_OK)
		printf("%d x %d, condensed: step / bare CHOLMOD solve of the nodal matrix %.2f "
		       "(target 3)\n",
		       g->rows, g->columns, bench_median(ratio, turns));
	else
		complain(&m, "condensed grid", status);
	close_model(&m);
	nodal_close(&s);
	return status != BXT_OK;
}

int main(int argc, char **argv)
{
	static const int parts[] = {2, 4, 8, 16};
	const long rows = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
	const long columns = argc > 2 ? strtol(argv[2], NULL, 10) : rows;
	const long steps = argc > 3 ? strtol(argv[3], NULL, 10) : 500;
	int failed = 0;
	if (rows < 8 || columns < 8 || rows > 10000 || columns > 10000 || steps < STEPS_PER_TURN) {
		fprintf(stderr, "Usage: bench_grid [ROWS [COLUMNS [STEPS]]], at least 8, 8, %d\n",
			STEPS_PER_TURN);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int diodes = 0; diodes < 2; diodes++) /* those on a quarter of the grid */
		for (size_t b = 0; b < sizeof parts / sizeof *parts; b++) {
			const grid whole = {.rows = (int)rows / (1 + diodes),
					    .columns = (int)columns / (1 + diodes),
					    .parts = 1,
					    .diodes = diodes,
					    .steps = diodes ? steps / 25 + 2 : steps};
			grid torn = whole;
			torn.parts = parts[b];
			failed |= contest(&whole, &torn);
		}
	const grid whole = {.rows = (int)rows, .columns = (int)columns, .parts = 1, .steps = steps};
	return failed | condensed(&whole);
}
