/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ladders against what they cannot beat: the bare solve of the step's own matrix by KLU with the
 * settings of lib/ground/solver/klu.c, that of the condensed nodal matrix by CHOLMOD, and against
 * ngspice. Whatever is compared takes turns, in processor time, and the middle ratio is given.
 *
 *     bench_ladder [SECTIONS [STEPS]]
 */
#include "bench/benchmark.h"
#include "bench/ladder.h"
#include "motion/start/start.h"
#include "run/account/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>
#include <suitesparse/klu.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS_PER_TURN = 20, MOST_TURNS = 1000, READS = 5 };
/* The newton-tolerance with which potentials of a diode ladder are as far off as ngspice's with its
 * own tolerances: 2e-5 V beside those of either program's run to round-off. */
static const double EQUAL_ERROR = 1e-6;

/* ---- Files ---- */

/* A new temporary file with the ladder in it; *path is heap memory. */
static bool write_file(const ladder *l, bool spice, char **path)
{
	const char *directory = getenv("TMPDIR");
	if (!directory || !*directory)
		directory = "/tmp";
	const size_t length = strlen(directory) + sizeof "/ladder-XXXXXX";
	*path = malloc(length);
	if (!*path)
		return false;
	snprintf(*path, length, "%s/ladder-XXXXXX", directory);
	const int file = mkstemp(*path);
	FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
	bool good = stream != NULL;
	if (good)
		good = spice ? ladder_write_spice(l, stream) : ladder_write_netlist(l, stream);
	return !(stream && fclose(stream) != 0) && good;
}

static void remove_file(char *path)
{
	if (path)
		unlink(path);
	free(path);
}

/* ---- A model, ready to step ---- */

struct model {
	bxt_diagnostics *d;
	bxt_library *library;
	bxt_netlist *netlist;
	bxt_system *system;
	bxt_run_def def;
	bxt_settings settings;
	bxt_state *state;
	bxt_stepper *stepper;
	bxt_ledger *monitor;
	bxt_recorder *recorder;
	double newton_tolerance;
	const char *solver;   /* asked for; NULL: the program chooses */
	double read, compile; /* [s] */
};

static void close_model(struct model *m)
{
	bxt_recorder_free(m->recorder);
	bxt_ledger_free(m->monitor);
	bxt_stepper_free(m->stepper);
	bxt_state_free(m->state);
	bxt_system_free(m->system);
	bxt_netlist_free(m->netlist);
	bxt_library_free(m->library);
	bxt_diagnostics_free(m->d);
	*m = (struct model){0};
}

static bxt_status compile(struct model *m, const char *path)
{
	const char *components = getenv("BOXTIMES_PATH");
	if (!components)
		components = BXT_PKGDATADIR "/components";
	m->d = bxt_diagnostics_new();
	m->library = m->d ? bxt_library_new(&components, 1, m->d) : NULL;
	if (!m->library)
		return BXT_ERR_MEMORY;
	const double start = bench_now();
	BXT_TRY(bxt_netlist_read(path, m->d, &m->netlist));
	m->read = bench_now() - start;
	BXT_TRY(bxt_system_compile(m->netlist, m->library, m->d, &m->system));
	m->compile = bench_now() - start - m->read;
	return BXT_OK;
}

static bxt_status prepare(struct model *m)
{
	bxt_default_run_def(&m->def);
	m->def.solver = m->solver;
	m->def.newton_tolerance = m->newton_tolerance;
	BXT_TRY(bxt_settings_resolve(m->system, &m->def, m->d, &m->settings));
	BXT_TRY(bxt_initialize(m->system, &m->def, m->d, &m->state));
	BXT_TRY(bxt_stepper_new(m->system, &m->settings, m->state, &m->stepper));
	BXT_TRY(bxt_ledger_new(m->system, &m->settings, m->state, NULL, &m->monitor));
	BXT_TRY(bxt_recorder_new(m->system, &m->settings, m->d, &m->recorder));
	return bxt_recorder_grid(m->recorder, m->monitor, m->state, m->state->t, NULL);
}

/* A step as bxt_run takes it when it records no row there: drift and ledger included. */
static bxt_status step(struct model *m)
{
	const double h = m->settings.step;
	const double t = m->state->t0 + (double)(m->state->steps + 1) * h;
	BXT_TRY(bxt_stepper_solve(m->stepper, m->state, h));
	BXT_TRY(bxt_recorder_stage(m->recorder, m->stepper, NULL));
	BXT_TRY(bxt_stepper_advance(m->stepper, m->state, t));
	bxt_ledger_step(m->monitor, bxt_stepper_quadrature(m->stepper), m->state);
	m->state->steps++;
	return BXT_OK;
}

static int complain(struct model *m, const char *what, bxt_status status)
{
	printf("%s: %s\n", what, bxt_status_text(status));
	for (size_t i = 0; m->d && i < bxt_diagnostics_count(m->d, BXT_NOTE); i++)
		printf("  %s\n", bxt_diagnostics_get(m->d, i)->text);
	return 1;
}

static bxt_status open_model(struct model *m, const ladder *l, const char *solver)
{
	char *path;
	m->solver = solver;
	m->newton_tolerance = l->newton_tolerance;
	bxt_status status = write_file(l, false, &path) ? compile(m, path) : BXT_ERR_IO;
	if (status == BXT_OK)
		status = prepare(m);
	remove_file(path);
	return status;
}

/* ---- The bare solver ---- */

/* KLU without anything around it, set as in lib/ground/solver/klu.c; ordered by AMD, KLU's own
 * choice. */
struct bare {
	klu_common common;
	klu_symbolic *symbolic;
	klu_numeric *numeric;
	const bxt_sparse *a;
	double *b;
};

static bool bare_open(struct bare *k, const bxt_sparse *a, double *values)
{
	*k = (struct bare){.a = a};
	klu_defaults(&k->common);
	k->common.btf = 0;
	k->common.ordering = 0;
	k->common.tol = 0.1;
	k->common.scale = 2;
	k->b = malloc((size_t)a->ncol * sizeof *k->b);
	k->symbolic = klu_analyze(a->ncol, a->colptr, a->rowind, &k->common);
	if (k->symbolic)
		k->numeric = klu_factor(a->colptr, a->rowind, values, k->symbolic, &k->common);
	return k->b && k->numeric;
}

static void bare_close(struct bare *k)
{
	klu_free_numeric(&k->numeric, &k->common);
	klu_free_symbolic(&k->symbolic, &k->common);
	free(k->b);
}

/* The time of one solve for the right-hand side b. */
static double bare_solve(struct bare *k, const double *b)
{
	memcpy(k->b, b, (size_t)k->a->ncol * sizeof *b);
	const double start = bench_now();
	klu_solve(k->symbolic, k->numeric, k->a->ncol, 1, k->b, &k->common);
	return bench_now() - start;
}

static double bare_refactor(struct bare *k, double *values)
{
	const double start = bench_now();
	klu_refactor(k->a->colptr, k->a->rowind, values, k->symbolic, k->numeric, &k->common);
	return bench_now() - start;
}

/* A right-hand side like the step's own: -r(0) = J x at the last solution. */
static void right_side(const bxt_stepper *st, double *b)
{
	const bxt_sparse *a = &st->pattern;
	memset(b, 0, (size_t)a->nrow * sizeof *b);
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			b[a->rowind[k]] += st->newton.values[k] * st->x[j];
}

/* ---- 1: the linear ladder ---- */

struct parts {
	double step[MOST_TURNS], evaluate[MOST_TURNS], solve[MOST_TURNS], monitor[MOST_TURNS],
		bare[MOST_TURNS];
	int n;
};

/* One turn each: some steps, then as many bare solves. Ratios to the bare solve. */
static bxt_status linear_turn(struct model *m, bool rows, struct bare *k, double *b,
			      struct parts *p)
{
	const bxt_newton *newton = &m->stepper->newton;
	const double evaluate = newton->seconds_evaluate, solve = newton->seconds_solve,
		     monitor = m->monitor->seconds, start = bench_now();
	for (int i = 0; i < STEPS_PER_TURN; i++) {
		BXT_TRY(step(m));
		if (rows)
			BXT_TRY(bxt_recorder_grid(m->recorder, m->monitor, m->state, m->state->t,
						  NULL));
	}
	const double steps = bench_now() - start;
	double bare = 0;
	right_side(m->stepper, b);
	for (int i = 0; i < STEPS_PER_TURN; i++)
		bare += bare_solve(k, b);
	p->step[p->n] = steps / bare;
	p->evaluate[p->n] = (newton->seconds_evaluate - evaluate) / bare;
	p->solve[p->n] = (newton->seconds_solve - solve) / bare;
	p->monitor[p->n] = (m->monitor->seconds - monitor) / bare;
	p->bare[p->n++] = bare / STEPS_PER_TURN;
	return BXT_OK;
}

static void report_linear(const char *what, struct parts *p)
{
	const double bare = bench_median(p->bare, p->n);
	const double whole = bench_median(p->step, p->n), solve = bench_median(p->solve, p->n);
	printf("%s: step / bare klu_solve %.2f (target 1.5; bare %.0f ns)\n", what, whole,
	       1e9 * bare);
	printf("  step / solve in the same ordering %.2f\n", whole / solve);
	printf("  of which evaluate %.2f, solve %.2f, monitor %.2f\n",
	       bench_median(p->evaluate, p->n), solve, bench_median(p->monitor, p->n));
}

/* rows: the energy is recorded at each step. */
static int linear(const char *what, const ladder *l, const char *solver, bool rows)
{
	struct model m = {0};
	struct bare k = {0};
	static struct parts p;
	p.n = 0;
	double *b = NULL;
	bxt_status status = open_model(&m, l, solver);
	if (status == BXT_OK)
		status = step(&m); /* factors, once for all */
	if (status == BXT_OK && (!bare_open(&k, &m.stepper->pattern, m.stepper->newton.values) ||
				 !(b = malloc((size_t)m.stepper->n_x * sizeof *b))))
		status = BXT_ERR_MEMORY;
	while (status == BXT_OK && m.state->steps < l->steps && p.n < MOST_TURNS)
		status = linear_turn(&m, rows, &k, b, &p);
	if (status == BXT_OK)
		report_linear(what, &p);
	else
		complain(&m, what, status);
	free(b);
	bare_close(&k);
	close_model(&m);
	return status != BXT_OK;
}

/* ---- 2: the condensed nodal matrix ---- */

struct nodal {
	cholmod_common c;
	cholmod_sparse *a;
	cholmod_factor *factor;
	cholmod_dense *b, *x, *y, *e;
};

/*
 * A H^-1 A^T over the free nodes in the order m1 n1 m2 n2 ...: the branches' companion
 * conductances 1/R, h/2L, 2C/h. The source fixes n0.
 */
static cholmod_sparse *nodal_matrix(const ladder *l, cholmod_common *c)
{
	const size_t n = 2 * (size_t)l->sections;
	cholmod_sparse *a = cholmod_allocate_sparse(n, n, 2 * n - 1, 1, 1, -1, CHOLMOD_REAL, c);
	if (!a)
		return NULL;
	int *p = a->p, *row = a->i, k = 0;
	double *value = a->x;
	const double gr = 1 / l->R, gl = l->step / (2 * l->L), gc = 2 * l->C / l->step;
	for (int j = 0; j < (int)n; j++) {
		const bool middle = j % 2 == 0, last = j == (int)n - 1;
		p[j] = k;
		row[k] = j;
		value[k++] = middle ? gr + gl : gl + gc + (last ? 0 : gr);
		if (!last) {
			row[k] = j + 1;
			value[k++] = middle ? -gl : -gr;
		}
	}
	p[n] = k;
	return a;
}

static bool nodal_open(struct nodal *s, const ladder *l, int supernodal)
{
	*s = (struct nodal){0};
	cholmod_start(&s->c);
	s->c.supernodal = supernodal;
	s->a = nodal_matrix(l, &s->c);
	if (!s->a || !(s->factor = cholmod_analyze(s->a, &s->c)))
		return false;
	s->b = cholmod_allocate_dense(s->a->nrow, 1, s->a->nrow, CHOLMOD_REAL, &s->c);
	if (!s->b)
		return false;
	for (size_t i = 0; i < s->a->nrow; i++)
		((double *)s->b->x)[i] = sin(0.1 * (double)i);
	return cholmod_factorize(s->a, s->factor, &s->c) && s->c.status == CHOLMOD_OK;
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
	const double start = bench_now();
	cholmod_solve2(CHOLMOD_A, s->factor, s->b, NULL, &s->x, NULL, &s->y, &s->e, &s->c);
	return bench_now() - start;
}

static int condensed(const ladder *l)
{
	enum { TURNS = 101 };
	static double simplicial[TURNS], supernodal[TURNS];
	struct model m = {0};
	struct bare k = {0};
	struct nodal s[2] = {0};
	bxt_status status = open_model(&m, l, "klu");
	if (status == BXT_OK)
		status = step(&m);
	if (status != BXT_OK)
		complain(&m, "condensed", status);
	const bool simple = nodal_open(&s[0], l, CHOLMOD_SIMPLICIAL);
	const bool super = nodal_open(&s[1], l, CHOLMOD_SUPERNODAL); /* both, for nodal_close */
	double *b = status == BXT_OK ? malloc((size_t)m.stepper->n_x * sizeof *b) : NULL;
	const bool good = simple && super && b &&
			  bare_open(&k, &m.stepper->pattern, m.stepper->newton.values);
	if (good)
		right_side(m.stepper, b);
	for (int i = 0; good && i < TURNS; i++) {
		const double bare = bare_solve(&k, b);
		simplicial[i] = nodal_solve(&s[0]) / bare;
		supernodal[i] = nodal_solve(&s[1]) / bare;
	}
	if (good)
		printf("condensed nodal matrix, bare solve / bare klu_solve of the block system: "
		       "CHOLMOD LDL' %.2f, supernodal %.2f\n",
		       bench_median(simplicial, TURNS), bench_median(supernodal, TURNS));
	free(b);
	bare_close(&k);
	nodal_close(&s[0]);
	nodal_close(&s[1]);
	close_model(&m);
	return !good;
}

/* ---- 3: the ladder with diodes ---- */

/* A step against as many bare refactorisations and solves as it took iterations. */
static bxt_status diode_turn(struct model *m, struct bare *k, double *b, double *ratio,
			     double *split)
{
	const bxt_newton *newton = &m->stepper->newton;
	const long before = newton->iterations;
	const double evaluate = newton->seconds_evaluate, factor = newton->seconds_factor,
		     solve = newton->seconds_solve, monitor = m->monitor->seconds;
	const double start = bench_now();
	BXT_TRY(step(m));
	const double taken = bench_now() - start;
	double bare = 0;
	right_side(m->stepper, b);
	for (long i = before; i < newton->iterations; i++)
		bare += bare_refactor(k, newton->values) + bare_solve(k, b);
	*ratio = taken / bare;
	split[0] += (newton->seconds_evaluate - evaluate) / bare;
	split[1] += (newton->seconds_factor - factor) / bare;
	split[2] += (newton->seconds_solve - solve) / bare;
	split[3] += (m->monitor->seconds - monitor) / bare;
	return BXT_OK;
}

static int diodes(const ladder *l)
{
	static double ratio[MOST_TURNS];
	double split[4] = {0}, *b = NULL;
	struct model m = {0};
	struct bare k = {0};
	int n = 0;
	bxt_status status = open_model(&m, l, "klu");
	if (status == BXT_OK)
		status = step(&m);
	if (status == BXT_OK && (!bare_open(&k, &m.stepper->pattern, m.stepper->newton.values) ||
				 !(b = malloc((size_t)m.stepper->n_x * sizeof *b))))
		status = BXT_ERR_MEMORY;
	for (; status == BXT_OK && n < l->steps && n < MOST_TURNS; n++)
		status = diode_turn(&m, &k, b, &ratio[n], split);
	if (status == BXT_OK) {
		printf("diode ladder: Newton iteration / bare klu_refactor + klu_solve %.2f "
		       "(target 2; %.1f iterations a step)\n",
		       bench_median(ratio, n),
		       (double)m.stepper->newton.iterations / (double)m.state->steps);
		printf("  of which evaluate %.2f, factor %.2f, solve %.2f, monitor %.2f\n",
		       split[0] / n, split[1] / n, split[2] / n, split[3] / n);
	} else {
		if (m.stepper)
			bxt_stepper_report_failure(m.stepper, status, m.state ? m.state->t : 0,
						   m.d);
		complain(&m, "diode ladder", status);
	}
	free(b);
	bare_close(&k);
	close_model(&m);
	return status != BXT_OK;
}

/* ---- 4: ngspice ---- */

/* Differences of whole processes' times mean nothing below this [s]. */
static const double SHORTEST = 0.05;

/* Runs ngspice on the ladder: rows (time points) that it computed, 0 when it did not. */
static long ngspice(const ladder *l, double *seconds)
{
	char *path, line[256], *command = NULL;
	long rows = 0;
	if (write_file(l, true, &path) && (command = malloc(strlen(path) + 64))) {
		sprintf(command, "exec ngspice -b -r /dev/null '%s' 2>/dev/null", path);
		const double start = bench_seconds_of(RUSAGE_CHILDREN);
		FILE *pipe = popen(command, "r");
		while (pipe && fgets(line, sizeof line, pipe)) {
			const char *found = strstr(line, "No. of Data Rows :");
			if (found)
				rows = strtol(strchr(found, ':') + 1, NULL, 10);
		}
		if (pipe && pclose(pipe) != 0)
			rows = 0;
		*seconds = bench_seconds_of(RUSAGE_CHILDREN) - start;
	}
	free(command);
	remove_file(path);
	return rows;
}

/* Processor time of all steps but the first ones, with the solver that a run of them all chooses.
 */
static bxt_status own(const ladder *l, long first, double *seconds)
{
	struct model m = {0};
	bxt_status status = open_model(&m, l, NULL);
	for (long i = 0; i < first && status == BXT_OK; i++)
		status = step(&m);
	const double start = bench_now();
	for (long i = first; i < l->steps && status == BXT_OK; i++)
		status = step(&m);
	*seconds = bench_now() - start;
	if (status != BXT_OK)
		complain(&m, "ladder", status);
	close_model(&m);
	return status;
}

static int against_ngspice(const char *what, const ladder *circuit, long steps)
{
	enum { TURNS = 3 };
	double ratio[TURNS];
	ladder few = *circuit, many = *circuit;
	few.steps = 10;
	many.steps = 10 + steps;
	for (int i = 0; i < TURNS; i++) {
		double a = 0, b = 0, ours = 0;
		const long rows_a = ngspice(&few, &a), rows_b = ngspice(&many, &b);
		if (rows_a == 0 || rows_b - rows_a < steps / 2) {
			printf("%s: no ngspice to compare with\n", what);
			return 0;
		}
		if (b - a < SHORTEST) {
			printf("%s: too small to be compared with ngspice\n", what);
			return 0;
		}
		if (own(&many, few.steps, &ours) != BXT_OK)
			return 1;
		ratio[i] = (b - a) / (double)(rows_b - rows_a) / (ours / (double)steps);
	}
	printf("%s: ngspice / boxtimes, per time step %.1f (target 8)\n", what,
	       bench_median(ratio, TURNS));
	return 0;
}

/* ---- 5: reading and compiling ---- */

static bxt_status read_once(const char *path, const ladder *l, bool report)
{
	struct model m = {0};
	double read[READS], all[READS];
	bxt_status status = BXT_OK;
	for (int i = 0; i < (report ? READS : 1) && status == BXT_OK; i++) {
		close_model(&m);
		status = compile(&m, path);
		read[i] = m.read;
		all[i] = m.read + m.compile;
	}
	if (status != BXT_OK)
		complain(&m, "compile", status);
	else if (report)
		printf("reading + compiling %ld elements: %.3f s (target 1), of which reading "
		       "%.3f s; %.0f bytes of system per element\n",
		       ladder_elements(l), bench_median(all, READS), bench_median(read, READS),
		       (double)m.system->bytes / (double)ladder_elements(l));
	close_model(&m);
	return status;
}

/* In a process of its own, for the memory's sake; before anything else is allocated here. */
static int compiling(const ladder *l)
{
	char *path;
	int code = 1;
	const bool written = write_file(l, false, &path);
	fflush(stdout);
	const pid_t child = written ? fork() : -1;
	if (child == 0)
		_exit(read_once(path, l, false) != BXT_OK);
	struct rusage u;
	if (child > 0 && waitpid(child, &code, 0) == child && code == 0) {
		getrusage(RUSAGE_CHILDREN, &u);
		code = read_once(path, l, true) != BXT_OK;
		printf("  peak memory of a process that does just that: %ld MB\n",
		       u.ru_maxrss / 1024);
	}
	remove_file(path);
	return code != 0;
}

int main(int argc, char **argv)
{
	const long sections = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
	const long steps = argc > 2 ? strtol(argv[2], NULL, 10) : 1000;
	if (sections < 2 || sections > 10000000 || steps < STEPS_PER_TURN) {
		fprintf(stderr, "Usage: bench_ladder [SECTIONS [STEPS]], at least 2 and %d\n",
			STEPS_PER_TURN);
		return 2;
	}
	const ladder plain = ladder_make((int)sections, false, steps);
	ladder bent = ladder_make((int)sections, true, steps / 20);
	ladder rest = plain;
	rest.charge = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	int failed = compiling(&plain);
	failed |= linear("linear ladder, ordered by AMD like the bare solve", &plain, "klu", false);
	failed |= linear("linear ladder, ordered by METIS", &plain, "klu-metis", false);
	failed |= linear("linear ladder, condensed", &plain, "condensed", false);
	failed |= linear("linear ladder, condensed, energy recorded at each step", &plain,
			 "condensed", true);
	failed |= linear("linear ladder, condensed, from rest", &rest, "condensed", false);
	failed |= condensed(&plain);
	failed |= diodes(&bent);
	failed |= against_ngspice("linear ladder", &plain, steps / 2);
	failed |= against_ngspice("diode ladder, ngspice's own tolerances, ours to round-off",
				  &bent, steps / 20);
	bent.newton_tolerance = EQUAL_ERROR;
	failed |= against_ngspice("diode ladder at equal error, that of ngspice's own tolerances",
				  &bent, steps / 20);
	bent.newton_tolerance = 0;
	bent.reltol = 1e-10;
	failed |= against_ngspice("diode ladder, both to round-off", &bent, steps / 20);
	return failed;
}
