/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes values of a device that SPICE derives from others: the values that level 1 of a MOS
 * transistor derives from its process parameters, by the formulas of mos1temp.c of SPICE 3, and
 * values that components define differently from cards. All other values are those of the card.
 */
#include "exchange/spice/spice_device.h"

#include <math.h>
#include <string.h>

/* ---- MOS transistors of level 1 ---- */

/* [V/K], [C], [F/m] as in SPICE 3. */
static const double boltzmann_by_charge = 8.617333262e-5, charge = 1.602176634e-19,
		    oxide = 3.9 * 8.854214871e-12, silicon = 11.7 * 8.854214871e-12;

/* The value on the line; the card may give a value that the line does not. */
static double of_line(const bxt_spice_device *d, const char *name, double usual)
{
	return bxt_spice_assigned(d->scope, d->e, name, bxt_spice_card_value(d, name, usual));
}

/* What follows from the doping of the substrate, NSUB [1/cm3], where it exceeds that of pure
 * silicon, 1.45e16/m3. */
static void derive_threshold(const bxt_spice_device *d, double cox)
{
	const double t = bxt_spice_device_value(d, "tnom", d->scope->deck->nominal) + 273.15,
		     vt = boltzmann_by_charge * t;
	const double n = bxt_spice_card_value(d, "nsub", 0) * 1e6;
	const double type = d->model->type[0] == 'n' ? 1 : -1;
	if (n <= 1.45e16)
		return;
	const double phi = bxt_spice_device_value(d, "phi", fmax(0.1, 2 * vt * log(n / 1.45e16)));
	const double gap = 1.16 - 7.02e-4 * t * t / (t + 1108),
		     gate = bxt_spice_card_value(d, "tpg", 1);
	const double work = gate != 0 ? 3.25 + 0.5 * gap - type * gate * 0.5 * gap : 3.2;
	const double gamma =
		bxt_spice_device_value(d, "gamma", sqrt(2 * silicon * charge * n) / cox);
	const double flat = work - (3.25 + 0.5 * gap + type * 0.5 * phi) -
			    bxt_spice_card_value(d, "nss", 0) * 1e4 * charge / cox;
	bxt_spice_device_set(d, "phi", phi);
	bxt_spice_device_set(d, "gamma", gamma);
	if (!bxt_spice_device_has(d, "vto"))
		bxt_spice_device_set(d, "vto", flat + type * (gamma * sqrt(phi) + phi));
}

/* Junctions of the drain and the source, by area and perimeter, for M copies. */
static void derive_junctions(const bxt_spice_device *d)
{
	static const char *const capacitances[] = {"cbd", "cbs"}, *const sides[] = {"cdsw", "cssw"},
				 *const resistances[] = {"rd", "rs"};
	const double m = of_line(d, "m", 1);
	const double area[] = {of_line(d, "ad", 0), of_line(d, "as", 0)};
	const double length[] = {of_line(d, "pd", 0), of_line(d, "ps", 0)};
	const double squares[] = {of_line(d, "nrd", 1), of_line(d, "nrs", 1)};
	const double js = bxt_spice_card_value(d, "js", 0),
		     sheet = bxt_spice_card_value(d, "rsh", 0);
	for (int i = 0; i < 2; i++) {
		const double c = bxt_spice_device_value(d, capacitances[i],
							bxt_spice_card_value(d, "cj", 0) * area[i]);
		if (c > 0)
			bxt_spice_device_set(d, capacitances[i], c * m);
		bxt_spice_device_set(d, sides[i],
				     bxt_spice_card_value(d, "cjsw", 0) * length[i] * m);
		if (!bxt_spice_device_has(d, resistances[i]) && sheet > 0 && squares[i] > 0)
			bxt_spice_device_set(d, resistances[i], sheet * squares[i]);
		if (bxt_spice_device_has(d, resistances[i]))
			bxt_spice_device_set(d, resistances[i],
					     bxt_spice_device_value(d, resistances[i], 0) / m);
	}
	if (js > 0 && area[0] > 0 && area[1] > 0) {
		if (area[0] != area[1])
			bxt_deck_warning(
				d->scope->deck, d->e->line,
				"'%s': AD and AS differ: both junctions get the saturation "
				"current of AD",
				d->e->words.word[0]);
		bxt_spice_device_set(d, "is", js * area[0] * m);
	} else if (m != 1) {
		bxt_spice_device_set(d, "is", bxt_spice_device_value(d, "is", 1e-14) * m);
	}
}

/*
 * M copies of a transistor are one with M times the width. The overlap of gate and bulk is per
 * length, so it is multiplied by M separately.
 */
static void derive_mos(const bxt_spice_device *d)
{
	const double tox = bxt_spice_device_value(d, "tox", 0), m = of_line(d, "m", 1);
	const double cox = tox > 0 ? oxide / tox : oxide / 1e-7;
	const double mobility =
		bxt_spice_card_value(d, "uo", bxt_spice_card_value(d, "u0", NAN)); /* cm2/(V s) */
	derive_junctions(d);
	if (tox > 0) {
		if (!bxt_spice_device_has(d, "kp"))
			bxt_spice_device_set(d, "kp",
					     (isnan(mobility) ? 600 : mobility) * 1e-4 * cox);
		derive_threshold(d, cox);
	} else if (!isnan(mobility) || !isnan(bxt_spice_card_value(d, "nsub", NAN))) {
		bxt_deck_warning(d->scope->deck, d->model->line,
				 "model '%.100s': uo and nsub have no effect without tox",
				 d->model->name);
	}
	bxt_spice_device_set(d, "tox", tox);
	if (bxt_spice_device_has(d, "cgbo"))
		bxt_spice_device_set(d, "cgbo", bxt_spice_device_value(d, "cgbo", 0) * m);
	bxt_spice_device_set(d, "w", of_line(d, "w", 1e-4) * m);
	bxt_spice_device_set(d, "l", of_line(d, "l", 1e-4));
}

/* ---- Others ---- */

/*
 * In SPICE a breakdown current belongs to the whole diode and is multiplied only by the number of
 * copies. In the component it belongs to a unit of area.
 */
static void derive_diode(const bxt_spice_device *d)
{
	const double copies = bxt_spice_assigned(d->scope, d->e, "m", 1);
	if (bxt_spice_device_has(d, "bv") && d->area != copies)
		bxt_spice_device_set(d, "ibv",
				     bxt_spice_device_value(d, "ibv", 1e-3) * copies / d->area);
}

/* Leakage as a multiple of IS, as in SPICE 2. */
static void derive_bipolar(const bxt_spice_device *d)
{
	const double is = bxt_spice_device_value(d, "is", 1e-16),
		     c2 = bxt_spice_card_value(d, "c2", NAN),
		     c4 = bxt_spice_card_value(d, "c4", NAN);
	if (!isnan(c2) && !bxt_spice_device_has(d, "ise"))
		bxt_spice_device_set(d, "ise", c2 * is);
	if (!isnan(c4) && !bxt_spice_device_has(d, "isc"))
		bxt_spice_device_set(d, "isc", c4 * is);
}

/* TCV is VTOTC with the other sign. */
static void derive_jfet(const bxt_spice_device *d)
{
	const double tcv = bxt_spice_card_value(d, "tcv", NAN);
	if (!isnan(tcv) && !bxt_spice_device_has(d, "vtotc"))
		bxt_spice_device_set(d, "vtotc", -tcv);
}

static void derive_vdmos(const bxt_spice_device *d)
{
	bxt_spice_device_set(d, "bv", fabs(bxt_spice_device_value(d, "bv", 0)));
	bxt_spice_device_set(
		d, "vq",
		bxt_spice_device_has(d, "rq") ? fabs(bxt_spice_device_value(d, "vq", 0)) : 0);
	if (d->area != 1)
		bxt_spice_device_set(d, "ibv", bxt_spice_device_value(d, "ibv", 1e-10) / d->area);
}

void bxt_spice_device_derive(const bxt_spice_device *d)
{
	static const struct {
		const char *type;
		void (*derive)(const bxt_spice_device *d);
	} rows[] = {{"d", derive_diode},  {"npn", derive_bipolar}, {"pnp", derive_bipolar},
		    {"njf", derive_jfet}, {"pjf", derive_jfet},    {"nmos", derive_mos},
		    {"pmos", derive_mos}, {"vdmos", derive_vdmos}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].type, d->model->type) == 0)
			rows[i].derive(d);
}
