/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of calls: models, names and numbers. */
#include "fuzz/fuzz_api.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#define MODEL(body) "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"m\">" body "</netlist>"
#define COMPONENT(name, body)                                                                      \
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"" name "\" domain=\"d\">" body       \
	"</component>"
#define INPUTS "<input name='u' unit='V' default='1 V'/><input name='w' default='0'/>"

static const char circuit[] =
	MODEL("<parameter name='C0' unit='F' default='2 uF'/>" INPUTS
	      "<simulation step='10 us' end='1 ms'/><voltage-source id='V' p='a' n='0' e='=u + w'/>"
	      "<resistor id='R1' p='a' n='b' R='1 kohm'/><capacitor id='C1' p='b' n='0' C='=C0'/>"
	      "<inductor id='L1' p='b' n='0' L='1 mH'/><record>C1.q, L1.i, energy</record>");
static const char diode[] =
	MODEL(INPUTS "<simulation step='10 us' end='1 ms'/>"
		     "<voltage-source id='V' p='a' n='0' e='=u*cos(1000*t)'/>"
		     "<diode id='D' p='a' n='b'/><resistor id='R1' p='b' n='0' R='1 kohm'/>"
		     "<capacitor id='C1' p='b' n='0' C='1 uF' q='1 uC'/>");
static const char pendulum[] =
	MODEL("<parameter name='l0' unit='m' default='1 m'/><simulation end='1 s' step='0.01 s'/>"
	      "<node id='p' kind='planar' x='1 m' y='0 m'/><point-mass id='M' a='p' m='1 kg' "
	      "g='9.81 m/s2'/><rod id='R' a='wall' b='p' l='=l0'/>"
	      "<record>node(p).x, R.length.lambda, energy</record>");
static const char torn[] =
	MODEL("<simulation end='2 s' step='0.05 s'/><subsystem id='loop'>"
	      "<resistor id='R1' p='a' n='0' R='1'/><inductor id='L1' p='a' n='0' L='1'/>"
	      "<port id='s' node='a'/></subsystem><subsystem id='store'>"
	      "<capacitor id='C1' p='b' n='0' C='1' q='1'/><port id='s' node='b'/></subsystem>"
	      "<interconnection><connect id='c1' a='loop.s' b='store.s'/></interconnection>");
static const char sampled[] =
	MODEL(INPUTS "<simulation step='10 ms' end='1 s'/><mass id='M' a='a' m='0.5 kg'/>"
		     "<damper id='D' a='a' b='wall' c='1 N.s/m'/>"
		     "<force-actuator id='A' a='wall' b='a'/>"
		     "<sampled-pid id='C' Kp='2' Ki='1 s-1' Ts='20 ms' umin='-5' umax='5'/>"
		     "<signal to='C.r'>u</signal><signal to='C.y'>node(a).v</signal>"
		     "<signal to='A.u'>C.u + w</signal>");
static const char sleigh[] = MODEL("<simulation end='1 s' step='0.02 s'/>" COMPONENT(
	"sleigh", "<parameter name='m' default='1' positive='true'/><parameter name='a' "
		  "default='0.7'/><coordinate name='x' unit='m' flow='vx'/>"
		  "<coordinate name='y' unit='m' flow='vy'/><coordinate name='theta' unit='rad' "
		  "flow='w'/><lagrangian>m*((vx - a*w*sin(theta))^2 + (vy + a*w*cos(theta))^2)/2 + "
		  "w^2/4</lagrangian><constraint name='edge' kind='flow'>vy*cos(theta) - "
		  "vx*sin(theta)</constraint>") "<sleigh id='s' vx='0.2 m/s' w='1 rad/s'/>");
static const char kepler[] =
	MODEL("<simulation end='1 s' step='0.02 s' scheme='dirac+'/>" COMPONENT(
		"body", "<parameter name='k' default='1'/><coordinate name='x' unit='1' flow='vx'/>"
			"<coordinate name='y' unit='1' flow='vy'/><lagrangian>(vx^2 + vy^2)/2 + "
			"k/sqrt(x^2 + y^2)</lagrangian><symmetry name='r'><generator on='x'>-y"
			"</generator><generator on='y'>x</generator></symmetry>") "<body id='b' "
										  "x='1' "
										  "vy='0.9'/>");
static const char no_start[] =
	MODEL("<simulation step='1 ms' end='1 s'/><voltage-source id='V' p='a' n='0' e='1'/>"
	      "<voltage-source id='W' p='a' n='0' e='2'/>"
	      "<resistor id='R1' p='a' n='0' R='1'/>");
static const char loose[] = /* a rod of the wrong length with both ends at one place */
	MODEL("<simulation step='10 ms' end='1 s'/><node id='p' kind='planar' x='0 m' y='0 "
	      "m'/><point-mass id='M' a='p' m='1 kg'/>"
	      "<rod id='R' a='wall' b='p' l='1 m'/>");
static const char part[] = MODEL("<resistor id='R1' p='a' n='0' R='1'/><port id='p' node='a'/>");
static const char wrong[] = MODEL("<resistor id='R1' p='a' n='0'/><nothing id='N'/>");
static const char no_netlist[] = "<netlist><resistor";
static const char *const models[] = {circuit, diode,    pendulum, torn, sampled, sleigh,    kepler,
				     circuit, no_start, loose,    part, wrong,   no_netlist};

const char *fuzz_model(fuzz_world *w)
{
	return FUZZ_WORD(w, models);
}

const char *fuzz_component_text(fuzz_world *w)
{
	static const char *const texts[] = {
		COMPONENT("c", "<coordinate name='x' unit='1' flow='v'/><lagrangian>v^2/2 - "
			       "x^2</lagrangian>"),
		COMPONENT("c", "<parameter name='k' default='3'/><coordinate name='x' unit='1' "
			       "flow='v'/><lagrangian>v^2/2 - k*x^2</lagrangian>"),
		COMPONENT("resistor", "<parameter name='R'/><port name='p' kind='electrical'/>"
				      "<port name='n' kind='electrical'/>"),
		COMPONENT("c", "<lagrangian>v</lagrangian>"),
		"<component",
		""};
	return FUZZ_WORD(w, texts);
}

const char *fuzz_path(fuzz_world *w)
{
	static const char *const paths[] = {
		"",       "R1",   "C1",      "loop",       "loop.R1",   "loop.interconnection",
		"b",      "p",    "M",       "V.e",        "R1.R",      "interconnection",
		"u",      "C0",   "C",       "s",          "node(a)",   "interconnection.c1",
		"c1",     "D",    "store.s", "simulation", "node(p).x", "no such thing",
		"R1..R1", "....", "*",       "store.C1.q"};
	return FUZZ_WORD(w, paths);
}

double fuzz_number(fuzz_world *w)
{
	static const double odd[] = {0,     -0.0,     1,       -1,       0.5,      2,
				     1e-3,  1e-12,    -1e-12,  1e3,      -1e6,     1e12,
				     1e300, -1e300,   DBL_MIN, 4.9e-324, DBL_MAX,  NAN,
				     1e-6,  INFINITY, 1e-5,    1e-20,    -INFINITY};
	const unsigned byte = fuzz_byte(w);
	return byte < 128 ? odd[byte % (sizeof odd / sizeof *odd)] : ((double)byte - 190) / 16;
}

/* Fields of a definition that are often wrong. */
static void odd_fields(fuzz_world *w, bxt_run_def *def)
{
	static const char *const schemes[] = {
		NULL,     "gauss1", "gauss2", "gauss3", "radau2", "radau3",     "dirac+",
		"dirac-", "theta",  "rk4",    "euler",  "heun",   "semi-euler", "discrete-gradient",
		"x",      ""};
	static const char *const rules[] = {NULL, "midpoint", "rectangle", "trapezoid", "simpson"};
	static const char *const solvers[] = {NULL,        "klu",      "umfpack", "klu-metis",
					      "condensed", "compiled", "auto",    "x"};
	static const char *const thetas[] = {NULL, "0.3", "1", "0", "x", "1e400", "nan"};
	static const char *const projections[] = {NULL, "auto", "off", "on", "positions", "x"};
	static const char *const constraints[] = {NULL, "midpoint", "end", "trapezoid", "x"};
	static const char *const gradients[] = {NULL, "midpoint", "increments",
						"increments-symmetric", "x"};
	static const char *const starts[] = {NULL, "plain", "half-kick", "operating-point", "x"};
	static const long everies[] = {0, 1, 3, -1, LONG_MAX, LONG_MIN};
	static const size_t sizes[] = {sizeof *def, sizeof *def, sizeof *def, 0, 1, 24, SIZE_MAX};
	const unsigned which = fuzz_byte(w);
	def->scheme = FUZZ_WORD(w, schemes);
	def->rule = which & 1 ? FUZZ_WORD(w, rules) : NULL;
	def->solver = which & 2 ? FUZZ_WORD(w, solvers) : NULL;
	def->theta = which & 4 ? FUZZ_WORD(w, thetas) : NULL;
	def->projection = which & 8 ? FUZZ_WORD(w, projections) : NULL;
	def->constraint = which & 16 ? FUZZ_WORD(w, constraints) : NULL;
	def->gradient = which & 32 ? FUZZ_WORD(w, gradients) : NULL;
	def->every = which & 64 ? FUZZ_WORD(w, everies) : 0;
	def->size = which & 128 ? FUZZ_WORD(w, sizes) : sizeof *def;
	def->start = which & 1 ? FUZZ_WORD(w, starts) : NULL;
	def->force_rule = which & 2 ? FUZZ_WORD(w, rules) : NULL;
}

bxt_run_def fuzz_run_def(fuzz_world *w)
{
	static const char *const records[] = {
		NULL,       "energy",      "C1.q",      "C1.*",    "*",   "C1.q, 2*C1.q + t",
		"supplied", "drift(node)", "node(b).v", "nothing", "(((", ""};
	static const double steps[] = {0,     1e-3, 0.1, 1e-12,   1e-5,
				       1e300, NAN,  -1,  DBL_MIN, INFINITY};
	bxt_run_def def;
	bxt_default_run_def(&def);
	const unsigned which = fuzz_byte(w);
	if (which & 1)
		odd_fields(w, &def);
	if (which & 2)
		def.step = FUZZ_WORD(w, steps);
	if (which & 4)
		def.record = FUZZ_WORD(w, records);
	if (which & 8)
		def.end = fuzz_number(w);
	return def;
}
