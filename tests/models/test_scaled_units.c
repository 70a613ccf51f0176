/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * No threshold has a unit: every shipped netlist is run in SI units, and again in units of which
 * one base unit is 2^50 or 2^-50 times as large (component/quantity.h). All numbers are then powers
 * of two of what they were, and scaled back they are the same but for norms that mix units.
 */
#include "support/harness.h"

#include "model/component/library.h"
#include "model/system/system.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, SCALED = 5, NETLISTS = 260 }; /* kilogram, metre, second, ampere, kelvin */
static const double SAME = 1e-9;                 /* of the largest value of the signal */
static const int powers[] = {50, -50};
static const char *const base[SCALED] = {"kilogram", "metre", "second", "ampere", "kelvin"};

static model model_in_units(const char *name, const int *scale)
{
	const char *path = getenv("BOXTIMES_PATH"), *folder = getenv("BXT_NETLISTS");
	char file[1000];
	model m = {.findings = bxt_diagnostics_new()};
	snprintf(file, sizeof file, "%s/%s", folder, name);
	m.library = bxt_library_new(&path, 1, m.findings);
	ck_assert_ptr_nonnull(m.library);
	bxt_units_scale(bxt_library_units(m.library), scale);
	ck_assert_int_eq(bxt_netlist_read(file, m.findings, &m.netlist), BXT_OK);
	const bxt_status status = bxt_system_compile(m.netlist, m.library, m.findings, &m.system);
	const bxt_finding *f = status == BXT_OK ? NULL : bxt_diagnostics_get(m.findings, 0);
	ck_assert_msg(status == BXT_OK, "%s does not compile in other units: %s", name,
		      f ? f->text : "");
	return m;
}

/*
 * Not compared: formulas with numbers that carry units (controllers, laws given as "=EXPR", models
 * in numbers), and those where Newton's method weighs unknowns of several units in one norm, or
 * flows at grid points are judged by a matrix that is not equilibrated.
 */
static const char *const not_compared[] = {
	"arm-three-links.xml",
	"bjtamp.xml",
	"cart-pole-swing-up.xml",
	"cart-pole.xml",
	"cmos-inverter-chain.xml",
	"contact-oscillator.xml",
	"discrete-hamiltonian.xml",
	"disk-on-a-circle.xml",
	"dlc.xml",
	"drive-cycle.xml",
	"energy-tank.xml",
	"examples/am-source.xml",
	"examples/brake.xml",
	"examples/cccs.xml",
	"examples/cmos-inverter.xml",
	"examples/constant-power-load.xml",
	"examples/electrostatic-actuator.xml",
	"examples/exp-source.xml",
	"examples/filters.xml",
	"examples/flow-actuator.xml",
	"examples/funnel.xml",
	"examples/hot-diode.xml",
	"examples/hot-plate.xml",
	"examples/hydraulic-transmission.xml",
	"examples/hysteresis-switch.xml",
	"examples/inrush.xml",
	"examples/integrated-pair.xml",
	"examples/jfet-follower.xml",
	"examples/kettle.xml",
	"examples/law-of-charge.xml",
	"examples/line-section-pi.xml",
	"examples/magnet-latch.xml",
	"examples/magnetic-circuit.xml",
	"examples/p-jfet.xml",
	"examples/piezo-stack.xml",
	"examples/pnp.xml",
	"examples/power-inverter.xml",
	"examples/push-pull.xml",
	"examples/reverse-recovery.xml",
	"examples/solenoid.xml",
	"examples/switch.xml",
	"examples/thermocouple.xml",
	"examples/tunnel-oscillator.xml",
	"examples/voltage-switch.xml",
	"hung-plate.xml",
	"kepler.xml",
	"lc-leok-ohsawa.xml",
	"level-control.xml",
	"loader-crane.xml",
	"lotka-volterra.xml",
	"maglev-control.xml",
	"maglev-ida-pbc.xml",
	"motor-arm.xml",
	"n-four-bar.xml",
	"nonholonomic-particle.xml",
	"point-vortices.xml",
	"rigid-body-sphere.xml",
	"relay-oscillator.xml",
	"rlc-torn.xml",
	"satellite.xml",
	"screw-jack.xml",
	"spatial-four-bar.xml",
	"spatial-particle.xml",
	"tethered-bodies.xml",
	"thyristor-bridge.xml",
	"torn-linkage.xml",
	"ua741.xml",
	"water-hammer.xml",
};

static bool is_compared(const char *name)
{
	for (int i = 0; i < COUNT(not_compared); i++)
		if (strcmp(not_compared[i], name) == 0)
			return false;
	return true;
}

/* What a unit of column k of all_coordinates(m) is in the other units. */
static double scale_of(const model *m, int k)
{
	const bxt_system *s = m->system;
	bxt_units *units = bxt_library_units(m->library);
	const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[k % s->n]];
	return bxt_units_scale_of(units, bxt_dirac_coord_unit(s->net, c)) /
	       (k < s->n ? 1 : bxt_units_scale_of(units, "s"));
}

/* The largest value of coordinates, or of flows, in the unit of column k. */
static double largest_of_unit(const model *m, const bxt_table *t, int k)
{
	const bxt_system *s = m->system;
	double most = 0;
	size_t column = 0;
	for (int j = 0; j < 2 * s->n; j++) {
		const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[j % s->n]],
				     *own = &s->dirac.coord[s->coord_of_x[k % s->n]];
		if (c->type == BXT_COORD_ELEMENT && s->net->elements[c->owner].is_interaction)
			continue;
		if (j / s->n == k / s->n &&
		    strcmp(bxt_dirac_coord_unit(s->net, c), bxt_dirac_coord_unit(s->net, own)) == 0)
			most = fmax(most, largest(t, bxt_table_name(t, column)));
		column++;
	}
	return most;
}

static void compare(const char *name, int unit, int power)
{
	int scale[BXT_BASE_UNITS] = {0};
	scale[unit] = power;
	model si = model_of_file(name), other = model_in_units(name, scale);
	char *record = all_coordinates(&si);
	bxt_run_def def = {.size = sizeof(bxt_run_def), .record = record};
	def = first_steps(&si, def, STEPS);
	bxt_table *a = model_run(&si, &def, NULL);
	const double second = bxt_units_scale_of(bxt_library_units(other.library), "s");
	def.step *= second;
	def.end *= second;
	bxt_table *b = model_run(&other, &def, NULL);
	ck_assert_msg(bxt_table_rows(a) == bxt_table_rows(b), "%s, 2^%d %s: %zu rows, not %zu",
		      name, power, base[unit], bxt_table_rows(b), bxt_table_rows(a));
	size_t column = 0;
	for (int k = 0; k < 2 * si.system->n; k++) {
		const bxt_coord_info *c =
			&si.system->dirac.coord[si.system->coord_of_x[k % si.system->n]];
		if (c->type == BXT_COORD_ELEMENT &&
		    si.system->net->elements[c->owner].is_interaction)
			continue;
		const char *of = bxt_table_name(a, column);
		const double most = largest(a, of), back = 1 / scale_of(&other, k);
		/* what vanishes is round-off of the others */
		const double same = fmax(SAME * most, DBL_EPSILON * largest_of_unit(&si, a, k));
		for (size_t i = 0; i < bxt_table_rows(a); i++) {
			const double x = bxt_table_value(a, i, column),
				     y = back * bxt_table_value(b, i, column);
			ck_assert_msg(fabs(x - y) <= same,
				      "%s, 2^%d %s: %s is %g, not %g, in row %zu; largest %g", name,
				      power, base[unit], of, y, x, i, most);
		}
		column++;
	}
	free(record);
	bxt_table_free(a);
	bxt_table_free(b);
	model_free(&si);
	model_free(&other);
}

/* Netlists that came after the pairs of netlist and unit were settled: last, in the order in which
 * they came, so that others keep theirs. */
static const char *const later[] = {"arm-three-links.xml",
				    "cardan-shaft.xml",
				    "dipoles.xml",
				    "examples/flow-actuator.xml",
				    "heavy-top.xml",
				    "loader-crane.xml",
				    "motor-arm.xml",
				    "planetary-drive.xml",
				    "rolling-in-space.xml",
				    "satellite.xml",
				    "screw-jack.xml",
				    "spatial-four-bar.xml",
				    "spherical-pendulum.xml",
				    "spinning-top.xml",
				    "tethered-bodies.xml",
				    "torn-linkage.xml",
				    "backlash-drive.xml",
				    "bouncing-ball.xml",
				    "half-wave-rectifier.xml",
				    "newtons-cradle.xml",
				    "relay-oscillator.xml",
				    "slipping-clutch.xml",
				    "stick-slip-belt.xml",
				    "three-phase-rectifier.xml",
				    "thyristor-bridge.xml",
				    "examples/barrier.xml",
				    "examples/bowling-ball.xml",
				    "examples/buck-converter.xml",
				    "examples/piston-pump.xml",
				    "examples/cmos-inverter.xml",
				    "examples/integrated-pair.xml",
				    "examples/jfet-follower.xml",
				    "examples/law-of-charge.xml",
				    "examples/push-pull.xml",
				    "examples/reverse-recovery.xml",
				    "examples/rtl-inverter.xml",
				    "examples/tunnel-oscillator.xml",
				    "examples/power-inverter.xml",
				    "line-reflections.xml",
				    "water-hammer.xml",
				    "examples/billiard-balls.xml",
				    "disks-in-a-funnel.xml",
				    "examples/hot-diode.xml"};

/* The place in that list; -1: not in it. */
static int came_later(const char *name)
{
	for (int k = 0; k < COUNT(later); k++)
		if (strcmp(name, later[k]) == 0)
			return k;
	return -1;
}

/* The place of netlist i among all, later ones last. */
static size_t turn_of(const netlist_names *names, size_t i)
{
	const int late = came_later(names->name[i]);
	if (late >= 0)
		return names->n - COUNT(later) + (size_t)late;
	size_t turn = 0;
	for (size_t k = 0; k < i; k++)
		turn += came_later(names->name[k]) < 0;
	return turn;
}

/* Each netlist in turn with another unit. */
START_TEST(one_unit)
{
	netlist_names names = all_netlists();
	const size_t i = (size_t)_i,
		     k = i < names.n ? turn_of(&names, i) % (SCALED * COUNT(powers)) : 0;
	ck_assert_uint_le(names.n, NETLISTS);
	if (i < names.n && is_compared(names.name[i]))
		compare(names.name[i], (int)k % SCALED, powers[k / SCALED]);
	all_netlists_free(&names);
}
END_TEST

/* 1 mohm beside 1 uF at 4 ps: gauss1 takes q by (1 - z/2)/(1 + z/2) in a step, z = h/RC. */
START_TEST(picoseconds)
{
	const double h = 4e-12, z = h / 1e-9;
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = "gauss1",
				 .step = h,
				 .end = 1000 * h,
				 .record = "C.q"};
	bxt_table *t = run_text(NETLIST("<resistor id='R' p='a' n='0' R='1 mohm'/>"
					"<capacitor id='C' p='a' n='0' C='1 uF' q='1 uC'/>"),
				&def);
	const double expected = 1e-6 * pow((1 - z / 2) / (1 + z / 2), 1000);
	ck_assert_double_eq_tol(last_value(t, "C.q"), expected, 1e-13 * expected);
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("scaled units")
{
	const test_case tests[] = {{"one base unit", one_unit, .loops = NETLISTS},
				   {"picoseconds", picoseconds}};
	ADD_TESTS(tests);
}
