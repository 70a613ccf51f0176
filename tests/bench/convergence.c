/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/convergence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NETLIST(body)                                                                              \
	"<netlist xmlns='urn:boxtimes:netlist:1' name='convergence'>" body "</netlist>"
#define COMPONENT(name, body)                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='" name "'>" body "</component>"
#define COORDINATE(q, v) "<coordinate name='" q "' unit='1' flow='" v "'/>"

static const double PI = 3.14159265358979323846;

/* ---- Motions in closed form: q and p ---- */

/* m = 1.3, k = 2.1, q(0) = 0.7, v(0) = 0.4 */
static void oscillator(double t, double *q, double *p)
{
	const double m = 1.3, w = sqrt(2.1 / m);
	q[0] = 0.7 * cos(w * t) + 0.4 / w * sin(w * t);
	p[0] = m * (0.4 * cos(w * t) - 0.7 * w * sin(w * t));
}

/* sn(u, k) and cn(u, k) by the arithmetic-geometric mean (Abramowitz and Stegun, 16.4); *period is
 * K(k). */
static void jacobi(double u, double k, double *sn, double *cn, double *period)
{
	enum { MOST = 12 }; /* converges quadratically */
	double a[MOST + 1] = {1}, c[MOST + 1] = {k}, b = sqrt(1 - k * k);
	int n = 0;
	while (n < MOST && fabs(c[n]) > 1e-17) {
		a[n + 1] = (a[n] + b) / 2;
		c[n + 1] = (a[n] - b) / 2;
		b = sqrt(a[n] * b);
		n++;
	}
	*period = PI / 2 / a[n];
	double phi = ldexp(a[n], n) * u;
	for (; n > 0; n--)
		phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
	*sn = sin(phi);
	*cn = cos(phi);
}

/* L = v^2/2 + cos q from 2 at rest: sin(q/2) = k sn(K + t), v = 2 k cn(K + t), k = sin 1. */
static void pendulum(double t, double *q, double *p)
{
	const double k = sin(1);
	double sn, cn, period;
	jacobi(0, k, &sn, &cn, &period);
	jacobi(period + t, k, &sn, &cn, &period);
	q[0] = 2 * asin(k * sn);
	p[0] = 2 * k * cn;
}

/* Eccentricity 0.2, semi-major axis 1, from the pericentre: E - e sin E = t. */
static void kepler(double t, double *q, double *p)
{
	const double e = 0.2, b = sqrt(1 - e * e);
	double E = t;
	for (int i = 0; i < 50; i++)
		E -= (E - e * sin(E) - t) / (1 - e * cos(E));
	const double rate = 1 / (1 - e * cos(E));
	q[0] = cos(E) - e;
	q[1] = b * sin(E);
	p[0] = -sin(E) * rate;
	p[1] = b * cos(E) * rate;
}

/* L = 0.75, C = 3, R = 0.1, q_C(0) = 1 without current (Parks, Fig. 2.3) */
static void loop(double t, double *q, double *p)
{
	const double a = 0.1 / (2 * 0.75), w0 = 1 / (0.75 * 3), w = sqrt(w0 - a * a);
	q[0] = exp(-a * t) * (cos(w * t) + a / w * sin(w * t));
	p[0] = -0.75 * w0 / w * exp(-a * t) * sin(w * t);
}

/* ---- Models ---- */

const char *const convergence_models[CONVERGENCE_MODELS] = {"oscillator", "pendulum", "Kepler",
							    "RLC loop"};

/*
 * Momenta are the centred ones: behind constraints those of dirac+ and dirac- are before or after
 * the impulse of a step, and differ by O(h) from L i whatever the rule.
 */
static const struct {
	const char *xml, *record;
	int n;        /* coordinates, then as many momenta in `record` */
	double quick; /* of the step: shorter where the motion is quicker for a while */
	void (*motion)(double t, double *q, double *p);
} models[CONVERGENCE_MODELS] = {
	{NETLIST("<mass id='M' a='m' m='1.3'/><spring id='K' a='wall' b='m' k='2.1'/>"
		 "<node id='m' kind='translational' x='0.7' v='0.4'/>"),
	 "node(m).x, node(m).x.pc", 1, 1, oscillator},
	{NETLIST(COMPONENT("pendulum", COORDINATE("q", "v") "<lagrangian>v^2/2 + cos(q)"
							    "</lagrangian>") "<pendulum id='P' "
									     "q='2'/>"),
	 "P.q, P.pc", 1, 1, pendulum},
	{NETLIST(COMPONENT(
		 "planet",
		 COORDINATE("x", "vx") COORDINATE(
			 "y", "vy") "<lagrangian>(vx^2 + vy^2)/2 + "
				    "1/sqrt(x^2 + y^2)</lagrangian>") "<planet id='P' x='0.8' "
								      "vy='=sqrt(1.2/0.8)'/>"),
	 "P.x, P.y, P.x.pc, P.y.pc", 2, 0.5, kepler},
	{NETLIST("<inductor id='L' p='0' n='a' L='0.75'/><resistor id='R' p='a' n='b' R='0.1'/>"
		 "<capacitor id='C' p='b' n='0' C='3' q='1'/>"),
	 "C.q, L.pc", 1, 1, loop},
};

enum { MOST_SIGNALS = 4 };
static const double END = 4.8;

/* The coarsest step: where errors are far above round-off and the next terms of theirs small. */
static double first_step(int order)
{
	return order <= 1 ? 0.00625 : order <= 2 ? 0.05 : order <= 4 ? 0.1 : order <= 5 ? 0.2 : 0.4;
}

/* ---- Runs ---- */

typedef struct worst {
	int model;
	double step, error[CONVERGENCE_KINDS], scale[CONVERGENCE_KINDS];
	size_t rows;
} worst;

/* The first row is exact, or (centred momenta) half known; so is the last. */
static void take_row(worst *w, const bxt_table *t, size_t row)
{
	const int n = models[w->model].n;
	double exact[MOST_SIGNALS];
	models[w->model].motion(bxt_table_time(t, row), exact, exact + n);
	for (int i = 0; i < 2 * n; i++) {
		const int kind = i < n ? CONVERGENCE_Q : CONVERGENCE_P;
		const double error = fabs(bxt_table_value(t, row, (size_t)i) - exact[i]);
		/* not a number must not pass */
		w->error[kind] = error <= w->error[kind] ? w->error[kind] : error;
		w->scale[kind] = fmax(w->scale[kind], fabs(exact[i]));
	}
}

/* The message of the first error is why. */
static bxt_status refusal(const bxt_diagnostics *d, size_t from, char **why)
{
	for (size_t i = from; i < bxt_diagnostics_count(d, BXT_NOTE); i++) {
		const bxt_finding *f = bxt_diagnostics_get(d, i);
		if (f->severity == BXT_ERROR) {
			*why = strdup(f->text);
			return *why ? BXT_OK : BXT_ERR_MEMORY;
		}
	}
	return BXT_ERR_ARGUMENT; /* an error without a message */
}

/* One run; rows at the times of the coarsest step. BXT_ERR_MODEL: refused, with a finding. */
static bxt_status run(const bxt_system *system, const bxt_run_def *def, bxt_diagnostics *d,
		      worst *w)
{
	bxt_state *state = NULL;
	bxt_table *table = bxt_table_new();
	bxt_status status = table ? bxt_initialize(system, def, d, &state) : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		bxt_sink sink;
		bxt_table_sink(table, &sink);
		status = bxt_run(system, state, def, &sink, NULL, d);
	}
	if (status == BXT_OK)
		for (size_t row = 1; row + 1 < bxt_table_rows(table); row++)
			take_row(w, table, row);
	bxt_state_free(state);
	bxt_table_free(table);
	return status;
}

static bool has_gradient(const convergence_row *row)
{
	return strcmp(row->scheme, "discrete-gradient") == 0;
}

static void choose(const convergence_row *row, bxt_run_def *def)
{
	def->scheme = row->scheme;
	*(has_gradient(row) ? &def->gradient : &def->rule) = row->rule;
}

static bxt_status measure(const bxt_system *system, int model, const convergence_row *row,
			  bxt_diagnostics *d, convergence_cell *cell)
{
	const size_t before = bxt_diagnostics_count(d, BXT_NOTE);
	for (int k = 0; k < CONVERGENCE_STEPS; k++) {
		worst w = {.model = model};
		bxt_run_def def;
		bxt_default_run_def(&def);
		cell->step[k] = ldexp(models[model].quick * first_step(row->stated), -k);
		choose(row, &def);
		def.step = cell->step[k];
		def.every = 1L << k;
		def.end = END;
		def.record = models[model].record;
		const bxt_status status = run(system, &def, d, &w);
		if (status == BXT_ERR_MODEL)
			return refusal(d, before, &cell->refused);
		if (status != BXT_OK)
			return status;
		for (int kind = 0; kind < CONVERGENCE_KINDS; kind++)
			cell->error[kind][k] = w.error[kind] / w.scale[kind];
	}
	for (int kind = 0; kind < CONVERGENCE_KINDS; kind++)
		cell->order[kind] = log2(cell->error[kind][CONVERGENCE_STEPS - 2] /
					 cell->error[kind][CONVERGENCE_STEPS - 1]);
	return BXT_OK;
}

/* ---- What there is ---- */

/* The whole of what `write` gives; heap memory. */
typedef bxt_status (*writer)(const void *context, FILE *stream);
static bxt_status written(writer write, const void *context, char **text)
{
	size_t length;
	FILE *stream = open_memstream(text, &length);
	if (!stream)
		return BXT_ERR_MEMORY;
	const bxt_status status = write(context, stream);
	if (fclose(stream) != 0)
		return BXT_ERR_IO;
	return status;
}

static bxt_status write_settings(const void *context, FILE *stream)
{
	(void)context;
	return bxt_write_settings(stream);
}

typedef struct question {
	const bxt_system *system;
	bxt_run_def def;
} question;
static bxt_status write_info(const void *context, FILE *stream)
{
	const question *q = context;
	return bxt_system_write_info(q->system, &q->def, stream);
}

/* "order N" in the line of that word; 0 when there is none. */
static int order_of(const char *info, const char *word)
{
	for (const char *line = info; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		const char *end = strchr(line, '\n'), *at = strstr(line, "order ");
		if (strncmp(line, word, strlen(word)) == 0 && at && (!end || at < end))
			return atoi(at + strlen("order "));
	}
	return 0;
}

static bxt_status state_order(const bxt_system *system, convergence_row *row)
{
	char *info = NULL;
	question q = {system, {.size = sizeof(bxt_run_def)}};
	choose(row, &q.def);
	q.def.step = 0.05;
	q.def.end = 1;
	const bxt_status status = written(write_info, &q, &info);
	if (status == BXT_OK)
		row->stated = order_of(info, has_gradient(row) ? "gradient "
					     : row->rule       ? "rule "
							       : "scheme ");
	free(info);
	return status;
}

/* Explicit methods keep nothing; schemes on groups do without rows; dirac+ comes with each rule,
 * dirac- is seen from the other end, and discrete-gradient comes with each gradient. */
static bool is_alone(const char *scheme)
{
	static const char *const not [] = {"rk", "euler", "lie", "dirac", "discrete-gradient"};
	for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
		if (strncmp(scheme, not [i], strlen(not [i])) == 0)
			return false;
	return true;
}

static bxt_status add_row(convergence *c, const char *scheme, const char *rule)
{
	convergence_row *row = realloc(c->row, (c->n + 1) * sizeof *row);
	if (!row)
		return BXT_ERR_MEMORY;
	c->row = row;
	c->row[c->n] =
		(convergence_row){.scheme = strdup(scheme), .rule = rule ? strdup(rule) : NULL};
	row = &c->row[c->n++];
	return row->scheme && (row->rule || !rule) ? BXT_OK : BXT_ERR_MEMORY;
}

/* A line of settings: its first word says of what. */
static bxt_status add_line(convergence *c, char *line)
{
	char *next = NULL, *word = strtok_r(line, " ", &next);
	const bool schemes = word && strcmp(word, "scheme") == 0,
		   gradients = word && strcmp(word, "gradient") == 0;
	if (!word || (!schemes && !gradients && strcmp(word, "rule") != 0))
		return BXT_OK;
	while ((word = strtok_r(NULL, " ", &next))) {
		bxt_status status = BXT_OK;
		if (!schemes)
			status = add_row(c, gradients ? "discrete-gradient" : "dirac+", word);
		else if (is_alone(word))
			status = add_row(c, word, NULL);
		if (status != BXT_OK)
			return status;
	}
	return BXT_OK;
}

static bxt_status add_rows(convergence *c)
{
	char *settings = NULL, *next = NULL;
	bxt_status status = written(write_settings, NULL, &settings);
	for (char *line = settings; line && status == BXT_OK; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		status = add_line(c, line);
	}
	free(settings);
	return status;
}

/* ---- The whole ---- */

static bxt_status measure_model(convergence *c, int model, bxt_library *library, bxt_diagnostics *d)
{
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_status status = bxt_netlist_read_memory(models[model].xml, strlen(models[model].xml),
						    convergence_models[model], d, &netlist);
	if (status == BXT_OK)
		status = bxt_system_compile(netlist, library, d, &system);
	for (size_t i = 0; i < c->n && status == BXT_OK; i++) {
		if (model == 0)
			status = state_order(system, &c->row[i]);
		if (status == BXT_OK)
			status = measure(system, model, &c->row[i], d, &c->row[i].cell[model]);
	}
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	return status;
}

bxt_status convergence_measure(const char *directories, bxt_diagnostics *d, convergence *out)
{
	*out = (convergence){0};
	char *list = strdup(directories), *next = list;
	size_t n = 1;
	for (const char *p = directories; *p; p++)
		n += *p == ':';
	const char **path = calloc(n, sizeof *path);
	bxt_status status = list && path ? add_rows(out) : BXT_ERR_MEMORY;
	for (size_t i = 0; status == BXT_OK && i < n; i++) {
		path[i] = next;
		next += strcspn(next, ":");
		if (*next)
			*next++ = 0;
	}
	bxt_library *library = status == BXT_OK ? bxt_library_new(path, n, d) : NULL;
	if (status == BXT_OK && !library)
		status = BXT_ERR_MEMORY;
	for (int k = 0; status == BXT_OK && k < CONVERGENCE_MODELS; k++)
		status = measure_model(out, k, library, d);
	bxt_library_free(library);
	free(path);
	free(list);
	return status;
}

void convergence_free(convergence *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->row[i].scheme);
		free(c->row[i].rule);
		for (int k = 0; k < CONVERGENCE_MODELS; k++)
			free(c->row[i].cell[k].refused);
	}
	free(c->row);
	*c = (convergence){0};
}
