/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An adder of 180 transistors against ngspice, at equal error: four full adders of nine NAND gates
 * each, the gates in transistor-transistor logic (the circuit and the resistances of the 7400, as
 * data sheets give them). One deck is the model of both. Errors are the largest of the five
 * outputs, in volts, from a fine run of the library; ngspice's at its own time points, where the
 * fine run is a cubic through its four nearest points. Times are processor times of everything,
 * from the deck to the last row. Between two of ngspice's errors time goes with a power of the
 * error.
 *
 *     bench_adder [BITS]
 */
#include "bench/benchmark.h"
#include "ground/base/text.h"

#include <boxtimes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BITS = 4, ROWS = 60, FINE_ROWS = 6000, TURNS = 3 };
static const double END = 60e-9, FINE = 1e-7; /* [s]; the tolerance of the fine run */

/* ---- The deck ---- */

static const char gates[] =
	".subckt nand a b y vcc\n"
	"Qa c1 b1 a npn\nDa 0 a clamp\nQb c1 b1 b npn\nDb 0 b clamp\nRb vcc b1 4k\n"
	"Rc vcc c2 1.6k\nQs c2 c1 e2 npn\nRe e2 0 1k\n"
	"Ro vcc c3 130\nQu c3 c2 e3 npn\nDu e3 y clamp\nQd y e2 0 npn\n"
	".ends\n"
	".subckt full a b cin s cout vcc\n"
	"X1 a b n1 vcc nand\nX2 a n1 n2 vcc nand\nX3 b n1 n3 vcc nand\nX4 n2 n3 h vcc nand\n"
	"X5 cin h n5 vcc nand\nX6 cin n5 n6 vcc nand\nX7 h n5 n7 vcc nand\nX8 n6 n7 s vcc nand\n"
	"X9 n5 n1 cout vcc nand\n"
	".ends\n"
	".model clamp d\n.model npn npn(bf=75 rb=100 cje=1p cjc=3p)\n"
	"Vcc vcc 0 5\n";

/* Inputs are pulses, each twice as long as the one before. */
static void write_deck(int bits, double reltol, double trtol, bxt_buffer *out)
{
	double width = 10e-9;
	bxt_buffer_printf(out, "adder of %d bits\n%s", bits, gates);
	for (int k = 0; k < bits; k++) {
		for (int in = 0; in < 2; in++, width *= 2)
			bxt_buffer_printf(out, "V%c%d %c%d 0 pulse(0 3 0 10n 10n %g %g)\n",
					  'a' + in, k, 'a' + in, k, width, 5 * width);
		bxt_buffer_printf(out, "X%d a%d b%d ", k, k, k);
		if (k > 0)
			bxt_buffer_printf(out, "c%d ", k - 1);
		else
			bxt_buffer_printf(out, "0 ");
		bxt_buffer_printf(out, "s%d c%d vcc full\nRs%d s%d 0 1k\n", k, k, k, k);
	}
	bxt_buffer_printf(out, "Rc c%d 0 1k\n.options reltol=%g trtol=%g\n.save", bits - 1, reltol,
			  trtol);
	for (int k = 0; k < bits; k++)
		bxt_buffer_printf(out, " v(s%d)", k);
	bxt_buffer_printf(out, " v(c%d)\n.tran 1n %g\n.end\n", bits - 1, END);
}

/* ---- Runs ---- */

/* Rows (time, outputs); heap. */
struct run {
	double *row, seconds;
	size_t n, capacity, width;
	long steps;
};

static bxt_status take_row(void *context, double t, size_t n, const double *values)
{
	struct run *r = context;
	r->width = n + 1;
	BXT_TRY(BXT_GROW(r->row, r->capacity, (r->n + 1) * r->width));
	double *to = r->row + r->n++ * r->width;
	to[0] = t;
	memcpy(to + 1, values, n * sizeof *values);
	return BXT_OK;
}

static bxt_status run_library(const char *deck, int bits, double tolerance, int rows,
			      bxt_library *library, bxt_diagnostics *d, struct run *out)
{
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_state *state = NULL;
	bxt_run_def def;
	bxt_buffer record = {0};
	const bxt_sink sink = {.size = sizeof sink, .row = take_row, .context = out};
	bxt_summary summary = {.size = sizeof summary};
	bxt_default_run_def(&def);
	for (int k = 0; k < bits; k++)
		bxt_buffer_printf(&record, "node(s%d).v, ", k);
	bxt_buffer_printf(&record, "node(c%d).v", bits - 1);
	def.end = END;
	def.step = END / rows;
	def.scheme = "radau3";
	def.tolerance = tolerance;
	def.step_control = "range";
	def.record = record.text;
	def.events = "none";
	out->n = 0;
	bxt_import_def import;
	bxt_default_import_def(&import);
	import.library = library;
	const double start = bench_seconds_of(RUSAGE_SELF);
	bxt_status status = record.failed ? BXT_ERR_MEMORY : BXT_OK;
	if (status == BXT_OK)
		status = bxt_import_spice_memory(deck, strlen(deck), "adder", &import, d, &netlist);
	if (status == BXT_OK)
		status = bxt_system_compile(netlist, library, d, &system);
	if (status == BXT_OK)
		status = bxt_initialize(system, &def, d, &state);
	if (status == BXT_OK)
		status = bxt_run(system, state, &def, &sink, &summary, d);
	out->seconds = bench_seconds_of(RUSAGE_SELF) - start;
	out->steps = summary.taken.accepted;
	bxt_summary_free(&summary);
	bxt_state_free(state);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_buffer_free(&record);
	return status;
}

/* The rows of a raw file in text: "index time", then a line for each output. */
static bool read_raw(FILE *f, int bits, struct run *out)
{
	char line[256];
	double v[16];
	while (fgets(line, sizeof line, f) && strncmp(line, "Values:", 7) != 0)
		;
	for (out->n = 0;;) {
		double t;
		long index;
		if (fscanf(f, "%ld %lf", &index, &t) != 2)
			break;
		for (int k = 0; k <= bits; k++)
			if (fscanf(f, "%lf", &v[k]) != 1)
				return false;
		if (take_row(out, t, (size_t)bits + 1, v) != BXT_OK)
			return false;
	}
	out->steps = (long)out->n;
	return out->n > 1;
}

static bool write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	const bool good = f && fputs(text, f) >= 0;
	return f && fclose(f) == 0 && good;
}

/* In a folder of its own, which goes with its files. */
static bool run_ngspice(const char *deck, int bits, struct run *out)
{
	const char *temporary = getenv("TMPDIR");
	bxt_buffer folder = {0}, in = {0}, raw = {0}, command = {0};
	bxt_buffer_printf(&folder, "%s/adder-XXXXXX", temporary && *temporary ? temporary : "/tmp");
	bool good = !folder.failed && mkdtemp(folder.text);
	bxt_buffer_printf(&in, "%s/deck", good ? folder.text : "");
	bxt_buffer_printf(&raw, "%s/raw", good ? folder.text : "");
	bxt_buffer_printf(&command,
			  "SPICE_ASCIIRAWFILE=1 exec ngspice -b -r '%s' '%s' >/dev/null 2>&1",
			  raw.text, in.text);
	good = good && !in.failed && !raw.failed && !command.failed && write_text(in.text, deck);
	const double start = bench_seconds_of(RUSAGE_CHILDREN);
	const bool ran = good && system(command.text) == 0;
	out->seconds = bench_seconds_of(RUSAGE_CHILDREN) - start;
	FILE *f = ran ? fopen(raw.text, "r") : NULL;
	const bool read = f && read_raw(f, bits, out);
	if (f)
		fclose(f);
	if (good) {
		unlink(in.text);
		unlink(raw.text);
		rmdir(folder.text);
	}
	bxt_buffer_free(&folder);
	bxt_buffer_free(&in);
	bxt_buffer_free(&raw);
	bxt_buffer_free(&command);
	return read;
}

/* ---- Errors ---- */

/* The fine run at t: a cubic through the four points around it. */
static double fine_at(const struct run *fine, double t, size_t output)
{
	const size_t w = fine->width;
	const double h = fine->row[w] - fine->row[0];
	double sum = 0;
	long first = (long)floor(t / h) - 1;
	first = first < 0 ? 0 : first > (long)fine->n - 4 ? (long)fine->n - 4 : first;
	const double *row = fine->row + (size_t)first * w;
	for (size_t i = 0; i < 4; i++) {
		double weight = 1;
		for (size_t j = 0; j < 4; j++)
			if (j != i)
				weight *= (t - row[j * w]) / (row[i * w] - row[j * w]);
		sum += weight * row[i * w + 1 + output];
	}
	return sum;
}

static double error_of(const struct run *r, const struct run *fine)
{
	double worst = 0;
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k + 1 < r->width; k++)
			worst = fmax(worst, fabs(r->row[i * r->width + 1 + k] -
						 fine_at(fine, r->row[i * r->width], k)));
	return worst;
}

/* ngspice's errors and times, errors falling. */
struct curve {
	double error[16], seconds[16];
	int n;
};

static bool find_curve(int bits, const struct run *fine, struct curve *c)
{
	static const struct {
		double reltol, trtol;
	} of[] = {{1e-3, 7}, {1e-3, 1}, {1e-4, 1}, {1e-5, 1}, {1e-6, 1}, {1e-6, 0.1}};
	struct run r = {0};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		bxt_buffer deck = {0};
		double best = INFINITY;
		write_deck(bits, of[i].reltol, of[i].trtol, &deck);
		for (int turn = 0; turn < TURNS; turn++) {
			if (!run_ngspice(deck.text, bits, &r)) {
				bxt_buffer_free(&deck);
				free(r.row);
				return false;
			}
			best = fmin(best, r.seconds);
		}
		const double error = error_of(&r, fine);
		printf("  ngspice, reltol %.0e, trtol %g: %ld points, error %.1e V\n", of[i].reltol,
		       of[i].trtol, r.steps, error);
		if (c->n == 0 || error < c->error[c->n - 1]) {
			c->error[c->n] = error;
			c->seconds[c->n++] = best;
		}
		bxt_buffer_free(&deck);
	}
	free(r.row);
	return true;
}

/* NaN outside the errors that the curve has. */
static double time_at(const struct curve *c, double error)
{
	for (int i = 1; i < c->n; i++)
		if (error <= c->error[i - 1] && error >= c->error[i])
			return c->seconds[i - 1] * pow(c->seconds[i] / c->seconds[i - 1],
						       log(c->error[i - 1] / error) /
							       log(c->error[i - 1] / c->error[i]));
	return NAN;
}

static bxt_status compare(int bits, bxt_library *library, bxt_diagnostics *d)
{
	struct run fine = {0}, r = {0};
	struct curve curve = {.n = 0};
	bxt_buffer deck = {0};
	write_deck(bits, 1e-3, 7, &deck);
	bxt_status status = run_library(deck.text, bits, FINE, FINE_ROWS, library, d, &fine);
	if (status == BXT_OK && !find_curve(bits, &fine, &curve))
		puts("  no ngspice to compare with");
	for (int i = 1; i <= 4 && status == BXT_OK; i++) {
		double best = INFINITY;
		for (int turn = 0; turn < TURNS && status == BXT_OK; turn++) {
			status = run_library(deck.text, bits, pow(10, -i), ROWS, library, d, &r);
			best = fmin(best, r.seconds);
		}
		if (status != BXT_OK)
			break;
		const double error = error_of(&r, &fine), peer = time_at(&curve, error);
		printf("  radau3, tolerance 1e-%d: %ld steps, error %.1e V", i, r.steps, error);
		if (isfinite(peer))
			printf(", ngspice / boxtimes at this error %.2f\n", peer / best);
		else
			printf(", no run of ngspice comes to it\n");
	}
	free(fine.row);
	free(r.row);
	bxt_buffer_free(&deck);
	return status;
}

int main(int argc, char **argv)
{
	const long bits = argc > 1 ? strtol(argv[1], NULL, 10) : BITS;
	const char *components = getenv("BOXTIMES_PATH");
	if (bits < 1 || bits > 15) {
		fputs("Usage: bench_adder [BITS], 1 to 15\n", stderr);
		return 2;
	}
	if (!components)
		components = BXT_PKGDATADIR "/components";
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = d ? bxt_library_new(&components, 1, d) : NULL;
	printf("adder of %ld transistors:\n", 45 * bits);
	const bxt_status status = library ? compare((int)bits, library, d) : BXT_ERR_MEMORY;
	for (size_t i = 0; status != BXT_OK && d && i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		puts(bxt_diagnostics_get(d, i)->text);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	return status != BXT_OK;
}
