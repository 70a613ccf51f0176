/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/ladder.h"

#include <math.h>

ladder ladder_make(int sections, bool diodes, long steps)
{
	/* 31.6 ohm of wave impedance, 0.32 sections a step: a wave is resolved, and the charge is
	 * enough for diodes to conduct */
	return (ladder){.sections = sections,
			.diodes = diodes,
			.charge = 0.7,
			.R = 1,
			.L = 1e-3,
			.C = 1e-6,
			.amplitude = 5,
			.frequency = 1000,
			.step = 1e-5,
			.steps = steps,
			.reltol = 1e-3};
}

long ladder_elements(const ladder *l)
{
	return 1 + (l->diodes ? 4L : 3L) * l->sections;
}

double ladder_charge(const ladder *l, int k)
{
	return l->charge * sin(0.13 * k);
}

bool ladder_write_netlist(const ladder *l, FILE *stream)
{
	fprintf(stream,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"ladder of %d sections\">\n"
		"  <simulation step=\"%.17g s\" end=\"%.17g s\" scheme=\"gauss1\"/>\n"
		"  <voltage-source id=\"V1\" p=\"n0\" n=\"0\" e=\"=%.17g*sin(2*pi*%.17g*t)\"/>\n",
		l->sections, l->step, l->step * (double)l->steps, l->amplitude, l->frequency);
	for (int k = 1; k <= l->sections; k++) {
		fprintf(stream,
			"  <resistor id=\"R%d\" p=\"n%d\" n=\"m%d\" R=\"%.17g ohm\"/>\n"
			"  <inductor id=\"L%d\" p=\"m%d\" n=\"n%d\" L=\"%.17g H\"/>\n"
			"  <capacitor id=\"C%d\" p=\"n%d\" n=\"0\" C=\"%.17g F\"",
			k, k - 1, k, l->R, k, k, k, l->L, k, k, l->C);
		if (l->charge != 0)
			fprintf(stream, " q=\"%.17g C\"", l->C * ladder_charge(l, k));
		fputs("/>\n", stream);
		if (l->diodes)
			fprintf(stream, "  <diode id=\"D%d\" p=\"n%d\" n=\"0\"/>\n", k, k);
	}
	fputs("  <record>energy</record>\n</netlist>\n", stream);
	return fflush(stream) == 0 && !ferror(stream);
}

bool ladder_write_spice(const ladder *l, FILE *stream)
{
	fprintf(stream, "ladder of %d sections\nV1 n0 0 SIN(0 %.17g %.17g)\n", l->sections,
		l->amplitude, l->frequency);
	for (int k = 1; k <= l->sections; k++) {
		fprintf(stream,
			"R%d n%d m%d %.17g\nL%d m%d n%d %.17g ic=0\nC%d n%d 0 %.17g ic=%.17g\n", k,
			k - 1, k, l->R, k, k, k, l->L, k, k, l->C, ladder_charge(l, k));
		if (l->diodes)
			fprintf(stream, "D%d n%d 0 dm\n", k, k);
	}
	if (l->diodes) /* n = 1 at 300 K: Vt = 25.85 mV */
		fputs(".model dm D(is=1e-14 n=1)\n", stream);
	fprintf(stream,
		".options method=trap maxord=2 trtol=1e12 chgtol=1 temp=26.85 tnom=26.85 noacct\n"
		".options reltol=%.3g abstol=%.3g vntol=%.3g\n"
		".save v(n%d)\n.tran %.17g %.17g 0 %.17g uic\n.end\n",
		l->reltol, 1e-9 * l->reltol, 1e-3 * l->reltol, l->sections, l->step,
		l->step * (double)l->steps, l->step);
	return fflush(stream) == 0 && !ferror(stream);
}
