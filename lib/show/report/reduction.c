/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the result of a reduction as text. */
#include "boxtimes_reduce.h"

#include "ground/base/diagnostics.h"

#include <math.h>

static void write_singular(const bxt_reduced_part *p, FILE *f)
{
	enum { SHOWN = 12 };
	if (p->n_singular == 0)
		return;
	fputs("  singular values ", f);
	for (size_t i = 0; i < p->n_singular && i < SHOWN; i++)
		fprintf(f, "%s%.3g", i ? ", " : "", p->singular[i]);
	fprintf(f, "%s%s\n", p->n_singular > SHOWN ? ", ..." : "", *p->path ? " sqrt(J)" : "");
}

static void write_part(const bxt_reduced_part *p, const char *method, FILE *f)
{
	if (!*p->path) {
		fprintf(f, "the model: %d unknowns become %d modes\n", p->unknowns, p->states);
	} else {
		fprintf(f, "%s: %d unknowns become %d states", p->path, p->unknowns, p->states);
		if (p->at_once > 0)
			fprintf(f, " and %d without energy", p->at_once);
		fprintf(f, " (%s), %d %s", method, p->ports, p->ports == 1 ? "port" : "ports");
		if (p->flow_ports > 0)
			fprintf(f, ", %d of them with the flow as input", p->flow_ports);
		fputc('\n', f);
	}
	write_singular(p, f);
	if (!isnan(p->kept))
		fprintf(f, "  energy of the snapshots: all but %.3g of it is kept\n",
			fabs(1 - p->kept));
	if (!isnan(p->least_loss))
		fprintf(f, "  passive: the smallest eigenvalue of R is %.2g of the largest rate\n",
			p->least_loss);
	if (p->weighed[0] > 0)
		fprintf(f,
			"  weights: %d of %d elements are left, their inertia and forces differ by "
			"%.3g\n",
			p->weighed[1], p->weighed[0], p->misfit);
	if (p->iterations > 0)
		fprintf(f, "  %d iterations%s\n", p->iterations,
			p->stagnated ? ", which did not converge" : "");
}

bxt_status bxt_reduction_write_text(const bxt_reduction *about, FILE *stream)
{
	BXT_NEEDS(NULL, about);
	BXT_NEEDS(NULL, stream);
	for (size_t i = 0; i < about->n_parts; i++)
		write_part(&about->part[i], about->method, stream);
	fprintf(stream, "unknowns of the model: %d, now %d\n", about->unknowns[0],
		about->unknowns[1]);
	for (size_t i = 0; i < about->n_signals; i++) {
		const bxt_reduced_signal *s = &about->signal[i];
		fprintf(stream, "  %-24s differs by %.3g of its largest value, at t = %.6g s\n",
			s->name, s->relative, s->at);
	}
	return bxt_stream_status(stream);
}
