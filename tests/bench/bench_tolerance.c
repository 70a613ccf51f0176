/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of controlled size against IDA and RADAU5, at equal error: models of the library's
 * netlists, and the same problems written by hand for both (peer.h). Each runs over a ladder of
 * tolerances. The error is the largest over rows and signals, in terms of the signal's range. Times
 * at an error between two tolerances go with a power of the error; all ratios are of processor
 * times of this run, of which each is the shortest of some turns. Everything counts: machinery,
 * rows, account.
 *
 *     bench_tolerance [--seconds] [--compile] [MODEL]      a model whose name begins so
 *
 * Netlists are those of the folder BXT_NETLISTS, or of ./netlists; components those of
 * BOXTIMES_PATH, or the installed ones. `make bench` sets both.
 */
#include "bench/benchmark.h"
#include "bench/ladder.h"
#include "bench/peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUGHEST = 3, FINEST = 10, FINE = 12, TOLERANCES = FINEST - ROUGHEST + 1, TURNS = 3 };
/* A run of so many seconds has one turn. */
static const double LONG = 1;

/* Signals of what is compared, in the order of the peers' `see`. */
typedef struct contest {
	const char *name, *file, *netlist; /* in the folder of netlists, or the text itself */
	const char *parameter, *value;     /* of the netlist, instead of its own; NULL: none */
	const char *scheme, *record;
	/* Sizes by unit, as the peers have them: absolute errors are the tolerance times these. */
	struct {
		double size;
		const char *unit;
	} absolute[2];
	int rows;
	peer_problem *radau, *ida;
	/* 10 to minus this: the finest tolerance, and those of RADAU5's and the library's runs that
	 * have to agree on what errors are measured from. 0: as FINEST, FINE. */
	int finest, fine, own_fine;
	const double
		*published; /* (n_seen) values at the end, as the peers have them; NULL: none */
	/* Closed form, to seen; NULL: none. */
	void (*exact)(double t, double *seen);
} contest;

/* ---- The library's runs ---- */

struct gathering {
	double *seen, step;
	size_t n;
	int rows;
};

static bxt_status take_row(void *context, double t, size_t n, const double *values)
{
	struct gathering *g = context;
	const long k = lround(t / g->step) - 1;
	if (k >= 0 && k < g->rows && n >= g->n)
		memcpy(g->seen + (size_t)k * g->n, values, g->n * sizeof *values);
	return BXT_OK;
}

static bxt_status read_netlist(const contest *c, bench_model *m)
{
	const char *folder = getenv("BXT_NETLISTS");
	bxt_buffer path = {0};
	if (c->netlist)
		return bxt_netlist_read_memory(c->netlist, strlen(c->netlist), c->name, m->d,
					       &m->netlist);
	bxt_buffer_printf(&path, "%s/%s", folder ? folder : "netlists", c->file);
	const bxt_status status =
		path.failed ? BXT_ERR_MEMORY : bxt_netlist_read(path.text, m->d, &m->netlist);
	bxt_buffer_free(&path);
	return status;
}

static bxt_status compile(const contest *c, bench_model *m)
{
	const char *components = getenv("BOXTIMES_PATH");
	if (!components)
		components = BXT_PKGDATADIR "/components";
	m->d = bxt_diagnostics_new();
	m->library = m->d ? bxt_library_new(&components, 1, m->d) : NULL;
	if (!m->library)
		return BXT_ERR_MEMORY;
	BXT_TRY(read_netlist(c, m));
	if (c->parameter)
		BXT_TRY(bxt_netlist_set(m->netlist, "", c->parameter, c->value, m->d));
	return bxt_system_compile(m->netlist, m->library, m->d, &m->system);
}

/* The absolute errors that are allowed beside the tolerance, as a text. */
static void write_absolute(const contest *c, double tol, bxt_buffer *out)
{
	for (int k = 0; k < 2 && c->absolute[k].unit; k++)
		bxt_buffer_printf(out, "%s%.17g %s", k > 0 ? "; " : "", tol * c->absolute[k].size,
				  c->absolute[k].unit);
}

/* ---- Ladders ---- */

enum { OWN, IDA, RADAU, CONTESTANTS };
static const char *const contestant_name[CONTESTANTS] = {"boxtimes", "IDA", "RADAU5"};

typedef struct ladder_of {
	bool there[TOLERANCES];
	double error[TOLERANCES];
	peer_run run[TOLERANCES];
} ladder_of;

struct match {
	const contest *c;
	bench_model model;
	double *reference, *seen; /* (rows, n_seen) */
	double *range;            /* (n_seen) */
	ladder_of by[CONTESTANTS];
	double known;          /* errors below are those of the reference */
	bool seconds, compile; /* are asked for */
};

static bxt_status own_run(const struct match *of, bench_model *m, double tol, peer_run *out)
{
	const contest *c = of->c;
	struct gathering g = {out->seen, c->radau->end / out->rows, (size_t)c->radau->n_seen,
			      out->rows};
	const bxt_sink sink = {.size = sizeof sink, .row = take_row, .context = &g};
	bxt_summary summary = {.size = sizeof summary};
	bxt_buffer absolute = {0};
	write_absolute(c, tol, &absolute);
	bxt_default_run_def(&m->def);
	m->def.end = c->radau->end;
	m->def.step = g.step;
	m->def.tolerance = tol;
	m->def.scheme = c->scheme;
	m->def.record = c->record;
	m->def.events = "none";
	m->def.absolute = absolute.text;
	m->def.compile = of->compile;
	bxt_state_free(m->state);
	m->state = NULL;
	bxt_status status = bxt_initialize(m->system, &m->def, m->d, &m->state);
	const double start = bench_now();
	if (status == BXT_OK)
		status = bxt_run(m->system, m->state, &m->def, &sink, &summary, m->d);
	out->seconds = bench_now() - start;
	bxt_buffer_free(&absolute);
	out->steps = summary.taken.accepted;
	out->rejected = summary.taken.rejected;
	out->iterations = summary.newton_iterations;
	out->factorizations = summary.factorizations;
	out->events = summary.taken.at_states;
	bxt_summary_free(&summary);
	return status;
}

static bool run_once(struct match *m, int who, double tol, peer_run *out)
{
	*out = (peer_run){.rows = m->c->rows, .seen = m->seen};
	if (who == RADAU)
		return peer_radau5(m->c->radau, tol, out);
	if (who == IDA)
		return peer_ida_exists() && peer_ida(m->c->ida, tol, out);
	const bxt_status status = own_run(m, &m->model, tol, out);
	if (status != BXT_OK)
		bench_complain(&m->model, m->c->name, status);
	return status == BXT_OK;
}

/* The largest distance of two runs by the signals' ranges. */
static double distance(const struct match *m, const double *a, const double *b)
{
	const int n = m->c->radau->n_seen;
	double most = 0;
	for (int k = 0; k < m->c->rows * n; k++)
		if (m->range[k % n] > 0)
			most = fmax(most, fabs(a[k] - b[k]) / m->range[k % n]);
	return most;
}

static void find_ranges(struct match *m)
{
	const int n = m->c->radau->n_seen;
	for (int i = 0; i < n; i++) {
		double low = INFINITY, high = -INFINITY;
		for (int k = 0; k < m->c->rows; k++) {
			low = fmin(low, m->reference[k * n + i]);
			high = fmax(high, m->reference[k * n + i]);
		}
		m->range[i] = high - low;
	}
}

/* What the Test Set gives for the end. */
static void compare_published(const struct match *m)
{
	const contest *c = m->c;
	const int n = c->radau->n_seen;
	const double *last = m->reference + (size_t)(c->rows - 1) * (size_t)n;
	double most = 0;
	for (int i = 0; c->published && i < n; i++)
		most = fmax(most, fabs(c->published[i] - last[i]) / m->range[i]);
	if (c->published)
		printf("  the values published for the end are met to %.1e\n", most);
}

/* Closed form, or RADAU5's finest run, with which a fine one of the library must agree. */
static bool find_reference(struct match *m)
{
	const contest *c = m->c;
	const size_t n = (size_t)c->radau->n_seen;
	peer_run run;
	if (c->exact) {
		for (int k = 0; k < c->rows; k++)
			c->exact(c->radau->end * (k + 1) / c->rows, m->reference + (size_t)k * n);
		find_ranges(m);
		printf("  the closed form is known\n");
		return true;
	}
	if (!run_once(m, RADAU, pow(10, -(c->fine ? c->fine : FINE)), &run))
		return false;
	memcpy(m->reference, m->seen, (size_t)c->rows * n * sizeof *m->seen);
	find_ranges(m);
	compare_published(m);
	if (!run_once(m, OWN, pow(10, -(c->own_fine ? c->own_fine : FINE)), &run))
		return false;
	m->known = distance(m, m->seen, m->reference);
	printf("  fine runs of RADAU5 and boxtimes agree to %.1e\n", m->known);
	return true;
}

/* Tolerances of a ladder. */
static int count_rungs(const contest *c)
{
	return (c->finest ? c->finest : FINEST) - ROUGHEST + 1;
}

static void climb(struct match *m)
{
	for (int k = 0; k < count_rungs(m->c); k++) {
		const double tol = pow(10, -(ROUGHEST + k));
		for (int turn = 0; turn < TURNS; turn++)
			for (int who = 0; who < CONTESTANTS; who++) {
				ladder_of *l = &m->by[who];
				peer_run run;
				if (turn > 0 && (!l->there[k] || l->run[k].seconds > LONG))
					continue;
				l->there[k] = run_once(m, who, tol, &run);
				if (turn > 0)
					run.seconds = fmin(run.seconds, l->run[k].seconds);
				l->run[k] = run;
				l->error[k] = distance(m, m->seen, m->reference);
			}
	}
}

static void print_ladder(const struct match *m, int who)
{
	const ladder_of *l = &m->by[who];
	for (int k = 0; k < count_rungs(m->c); k++) {
		const peer_run *r = &l->run[k];
		printf("  %-8s 1e-%02d ", contestant_name[who], ROUGHEST + k);
		if (!l->there[k]) {
			printf("gives up after %ld steps\n", r->steps);
			continue;
		}
		printf("%7ld steps %6ld rejected %7ld iterations %7ld factorisations ", r->steps,
		       r->rejected, r->iterations, r->factorizations);
		if (who != OWN)
			printf("%7ld evaluations ", r->evaluations);
		printf("error %.1e", l->error[k]);
		if (m->seconds)
			printf("  %.3e s", r->seconds);
		printf("\n");
	}
}

/* ---- Times at equal error ---- */

/* The shortest time to an error: of runs that err no more, or between two runs where the time goes
 * with a power of the error (*between). NaN: none comes to it. */
static double time_at(const ladder_of *l, double error, bool *between)
{
	double best = NAN;
	*between = false;
	for (int a = 0; a < TOLERANCES; a++)
		for (int b = a; b < TOLERANCES; b++) {
			if (!l->there[a] || !l->there[b] || !(l->error[b] <= error))
				continue;
			double t = l->run[b].seconds;
			if (l->error[a] > error) {
				const double share =
					log(l->error[a] / error) / log(l->error[a] / l->error[b]);
				t = l->run[a].seconds *
				    pow(l->run[b].seconds / l->run[a].seconds, share);
				*between = true;
			}
			best = fmin(best, t);
		}
	return best;
}

static void compare(const struct match *m)
{
	static const double SURE = 5; /* errors so many times above that of the reference count */
	for (int who = IDA; who < CONTESTANTS; who++) {
		double sum = 0;
		int n = 0;
		for (int e = 1; e <= 11; e++) {
			bool inside[2];
			const double error = pow(10, -e),
				     own = time_at(&m->by[OWN], error, &inside[0]),
				     peer = time_at(&m->by[who], error, &inside[1]);
			if (isnan(own) || isnan(peer) || !(inside[0] || inside[1]) ||
			    error < SURE * m->known)
				continue;
			printf("%s 1e-%02d: %.3g", n++ ? "," : "  time of ", e, peer / own);
			sum += log(peer / own);
		}
		if (n > 0)
			printf("\n  %s / boxtimes at equal error, mean: %.3g\n",
			       contestant_name[who], exp(sum / n));
		else
			printf("  %s and boxtimes have no error in common\n", contestant_name[who]);
	}
}

static bool hold(const contest *c, bool seconds, bool code)
{
	struct match m = {.c = c, .seconds = seconds, .compile = code};
	const size_t n = (size_t)c->rows * (size_t)c->radau->n_seen;
	m.reference = calloc(n, sizeof *m.reference);
	m.seen = calloc(n, sizeof *m.seen);
	m.range = calloc((size_t)c->radau->n_seen, sizeof *m.range);
	printf("%s, %s:\n", c->name, c->scheme);
	const bxt_status status = compile(c, &m.model);
	if (status != BXT_OK)
		bench_complain(&m.model, c->name, status);
	bool good = m.reference && m.seen && m.range && status == BXT_OK && find_reference(&m);
	if (good) {
		climb(&m);
		for (int who = 0; who < CONTESTANTS; who++)
			if (who != IDA || peer_ida_exists())
				print_ladder(&m, who);
		compare(&m);
	}
	free(m.reference);
	free(m.seen);
	free(m.range);
	bench_close(&m.model);
	return good;
}

/* ---- The models ---- */

static const double PI = 3.14159265358979323846;

/* From the pericentre, a = mu = 1: t = E - e sin E. */
static void kepler_exact(double t, double *seen)
{
	const double e = 0.9;
	double a = PI * floor(t / PI + 0.5), high = a + PI, low = a - PI;
	a = t;
	for (int k = 0; k < 200; k++) {
		const double f = a - e * sin(a) - t;
		*(f > 0 ? &high : &low) = a;
		const double next = a - f / (1 - e * cos(a));
		if (next == a)
			break;
		a = next > low && next < high ? next : (low + high) / 2;
	}
	seen[0] = cos(a) - e;
	seen[1] = sqrt(1 - e * e) * sin(a);
}

/* On: 10 sin w t; off from tan(w t) = -w R C on, until the source meets what the load leaves. */
static void rectifier_exact(double t, double *seen)
{
	const double w = 100 * PI, tau = 0.1, off = (PI - atan(w * tau)) / w;
	const double period = 2 * PI / w;
	/* on again in the rising quarter of the next period */
	double low = period, high = 1.25 * period;
	for (int k = 0; k < 200 && low < high; k++) {
		const double middle = (low + high) / 2;
		if (middle == low || middle == high)
			break;
		*(sin(w * middle) > sin(w * off) * exp(-(middle - off) / tau) ? &high : &low) =
			middle;
	}
	const double k = t > off ? floor((t - high) / period + 1) : 0;
	const double last = off + period * k;
	const bool on = t <= off || (t >= high + period * (k - 1) && k >= 1 && t <= last);
	const double from = t > last ? last : last - period;
	seen[0] = on ? 10 * sin(w * t) : 10 * sin(w * off) * exp(-(t - from) / tau);
}

/* Half a period closed, i += E T/(2 L), v decays; half open: a linear oscillation about E/R, E. */
static void boost_exact(double t, double *seen)
{
	const double E = 15, L = 20e-3, C = 20e-6, R = 30, half = 10e-6;
	const double a = 1 / (2 * R * C), w = sqrt(1 / (L * C) - a * a);
	double i = 0, v = 0;
	const long halves = lround(t / half);
	for (long k = 0; k < halves; k++) {
		if (k % 2 == 0) {
			i += E * half / L;
			v *= exp(-half / (R * C));
			continue;
		}
		/* x' = (y is v - E): y'' + 2 a y' + y/(L C) = 0 */
		const double y = v - E, rate = (i - v / R) / C;
		const double s = (rate + a * y) / w, damp = exp(-a * half), c = cos(w * half),
			     d = sin(w * half);
		const double y1 = damp * (y * c + s * d),
			     rate1 = damp * ((s * w - a * y) * c - (y * w + a * s) * d);
		v = E + y1;
		i = C * rate1 + v / R;
	}
	seen[0] = i;
	seen[1] = v;
}

/* F. Mazzia and C. Magherini, Test Set for IVP Solvers. */
static const double amplifier_end[] = {-0.5562145012262709e-2, 3.006522471903042, 2.849958788608128,
				       2.926422536206241,      2.704617865010554, 2.761837778393145,
				       4.770927631616772,      1.236995868091548};
static const double andrews_end[] = {15.8107711952,   -15.7563710584, 0.0408222401196,
				     -0.534730116342, 0.52440996588,  0.534730116342,
				     1.04808074104};
/* charges of the voltages there */
static const double ring_end[] = {-0.2339057358486745e-1 * 1.6e-8, -0.7367485485540825e-2 * 1.6e-8,
				  0.2582956709291169 * 2e-12,      -0.4064465721283450 * 2e-12,
				  -0.4039455665149794 * 2e-12,     0.2607966765422943 * 2e-12,
				  0.1106761861269975 * 1e-8};

static const char boost_text[] =
	"<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"boost converter\">\n"
	"  <simulation end=\"2 ms\" step=\"20 us\"/>\n"
	"  <voltage-source id=\"E\" p=\"in\" n=\"0\" e=\"15 V\"/>\n"
	"  <inductor id=\"L\" p=\"in\" n=\"x\" L=\"20 mH\"/>\n"
	"  <ideal-switch id=\"S\" p=\"x\" n=\"0\" start=\"1\"/>\n"
	"  <signal to=\"S.on\">pulse(t, 0, 1, 0, 0, 0, 10e-6, 20e-6)</signal>\n"
	"  <ideal-diode id=\"D\" p=\"x\" n=\"out\"/>\n"
	"  <capacitor id=\"C\" p=\"out\" n=\"0\" C=\"20 uF\"/>\n"
	"  <resistor id=\"R\" p=\"out\" n=\"0\" R=\"30 ohm\"/>\n"
	"  <record>L.i, node(out).v</record>\n"
	"</netlist>\n";

/* The ladder's netlist and its record, both heap memory; NULL without. */
static char *ladder_text(const ladder *l)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	const bool good = stream && ladder_write_netlist(l, stream);
	if (!(stream && fclose(stream) == 0 && good)) {
		free(text);
		return NULL;
	}
	return text;
}

static char *ladder_record(const ladder *l)
{
	bxt_buffer b = {0};
	for (int k = 1; k <= l->sections; k++)
		bxt_buffer_printf(&b, "%snode(n%d).v", k > 1 ? ", " : "", k);
	return b.text;
}

static bool is_asked_for(const contest *c, const char *name)
{
	return !name || strncmp(c->name, name, strlen(name)) == 0;
}

int main(int argc, char **argv)
{
	const bool seconds = argc > 1 && strcmp(argv[1], "--seconds") == 0;
	const bool code = argc > 1 + seconds && strcmp(argv[1 + seconds], "--compile") == 0;
	const char *name = argc > 1 + seconds + code ? argv[1 + seconds + code] : NULL;
	const ladder l = ladder_make(50, true, 100);
	char *text = ladder_text(&l), *record = ladder_record(&l);
	const contest contests[] = {
		{"transistor amplifier", "transistor-amplifier.xml", .scheme = "radau3",
		 .record = "node(1).v, node(2).v, node(3).v, node(4).v, node(5).v, node(6).v, "
			   "node(7).v, node(8).v",
		 .absolute = {{1e-6, "C"}}, .rows = 80, .radau = peer_amplifier(),
		 .ida = peer_amplifier_semi(), .published = amplifier_end},
		{"ring modulator", "ring-modulator.xml", .scheme = "radau3",
		 .record = "C1.q, C2.q, Cs1.q, Cs2.q, Cs3.q, Cs4.q, Cp.q",
		 .absolute = {{2e-12, "C"}, {5e-7, "V.s"}}, .rows = 50, .finest = 6, .fine = 11,
		 .own_fine = 7, .radau = peer_ring_modulator(), .ida = peer_ring_modulator(),
		 .published = ring_end},
		{"half-wave rectifier", "half-wave-rectifier.xml", .scheme = "radau3",
		 .record = "node(out).v", .rows = 100, .radau = peer_rectifier(),
		 .ida = peer_rectifier(), .exact = rectifier_exact},
		{"Andrews' squeezer", "andrews.xml", .scheme = "radau3",
		 .record = "s.beta, s.Theta, s.gamma, s.Phi, s.delta, s.Omega, s.epsilon",
		 .rows = 60, .radau = peer_andrews(), .ida = peer_andrews_ggl(),
		 .published = andrews_end},
		{"Kepler", "kepler.xml", .parameter = "e", .value = "0.9", .scheme = "radau3",
		 .record = "p.x, p.y", .rows = 100, .radau = peer_kepler(), .ida = peer_kepler(),
		 .exact = kepler_exact},
		{"Kepler", "kepler.xml", .parameter = "e", .value = "0.9", .scheme = "gauss3",
		 .record = "p.x, p.y", .rows = 100, .radau = peer_kepler(), .ida = peer_kepler(),
		 .exact = kepler_exact},
		{"boost converter", .netlist = boost_text, .scheme = "radau3",
		 .record = "L.i, node(out).v", .rows = 100, .radau = peer_boost(),
		 .ida = peer_boost(), .exact = boost_exact},
		{"CMOS inverter chain", "cmos-inverter-chain.xml", .scheme = "radau3",
		 .record = "node(x1).v, node(x2).v, node(x3).v, node(x4).v, node(x5).v",
		 .absolute = {{1e-13, "C"}}, .rows = 100, .radau = peer_inverters(),
		 .ida = peer_inverters()},
		{"diode ladder", .netlist = text, .scheme = "radau3", .record = record,
		 .absolute = {{1e-6, "C"}, {3e-5, "V.s"}}, .rows = 50,
		 .radau = peer_diode_ladder(&l), .ida = peer_diode_ladder(&l)}};
	bool good = text && record;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!peer_ida_exists())
		puts("no SUNDIALS to compare with: RADAU5 alone");
	for (size_t k = 0; k < sizeof contests / sizeof *contests && text && record; k++)
		if (is_asked_for(&contests[k], name))
			good = hold(&contests[k], seconds, code) && good;
	free(text);
	free(record);
	return !good;
}
