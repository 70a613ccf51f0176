/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decks of SPICE: waveforms are held to figures of ngspice, the rest to what the language says. */
#include "support/harness.h"

#include "exchange/spice/spice_figures.h"
#include "exchange/spice/spice_library.h"
#include "ground/base/text.h"
#include "support/allocation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *path_of(const char *name)
{
	bxt_buffer path = {0};
	bxt_buffer_printf(&path, "%s/exchange/spice/%s", getenv("BXT_TESTDATA"), name);
	ck_assert(!path.failed);
	return path.text;
}

static bxt_status import_text(const char *text, bool flat, bxt_diagnostics *d, char **xml)
{
	bxt_netlist *netlist = NULL;
	bxt_import_def def;
	bxt_default_import_def(&def);
	def.flat = flat;
	def.library = device_library();
	const bxt_status status =
		bxt_import_spice_memory(text, strlen(text), "deck.cir", &def, d, &netlist);
	bxt_library_free(def.library);
	size_t size = 0;
	*xml = NULL;
	ck_assert_int_eq(netlist != NULL, status == BXT_OK);
	if (netlist)
		ck_assert_int_eq(bxt_netlist_to_memory(netlist, xml, &size), BXT_OK);
	bxt_netlist_free(netlist);
	return status;
}

static char *import_file(const char *name, bool flat)
{
	char *path = path_of(name), *xml = NULL;
	size_t size = 0;
	bxt_netlist *netlist = NULL;
	bxt_import_def def;
	bxt_default_import_def(&def);
	def.flat = flat;
	def.library = device_library();
	ck_assert_int_eq(bxt_import_spice(path, &def, NULL, &netlist), BXT_OK);
	bxt_library_free(def.library);
	ck_assert_int_eq(bxt_netlist_to_memory(netlist, &xml, &size), BXT_OK);
	bxt_netlist_free(netlist);
	free(path);
	return xml;
}

/* ---- Waveforms ---- */

/* The largest difference of a node's figures, by its largest one, is at most `most`. */
static void compare(const bxt_table *t, const figure *figures, double most)
{
	for (const figure *f = figures; f->node; f++) {
		char name[80];
		double scale = 1e-3;
		snprintf(name, sizeof name, "node(%s).v", f->node);
		for (const figure *other = figures; other->node; other++)
			if (strcmp(other->node, f->node) == 0)
				scale = fmax(scale, fabs(other->v));
		size_t row = 0;
		for (size_t i = 0; i < bxt_table_rows(t); i++)
			if (fabs(bxt_table_time(t, i) - f->t) < fabs(bxt_table_time(t, row) - f->t))
				row = i;
		ck_assert_double_eq_tol(bxt_table_time(t, row), f->t, 1e-9 * (f->t + 1e-6));
		const double v = value_at(t, row, name);
		ck_assert_msg(fabs(v - f->v) <= most * scale, "%s at %g: %.9g, not %.9g", name,
			      f->t, v, f->v);
	}
}

/* `tolerance` 0: as the import has it. */
static void run_deck(const char *name, const figure *figures, double step, double tolerance,
		     double most)
{
	char *xml = import_file(name, false);
	bxt_buffer record = {0};
	for (const figure *f = figures; f->node; f++)
		if (f == figures || strcmp(f->node, f[-1].node) != 0)
			bxt_buffer_printf(&record, "%snode(%s).v", f == figures ? "" : ",",
					  f->node);
	bxt_table *t = run_text(xml, &(bxt_run_def){.size = sizeof(bxt_run_def),
						    .step = step,
						    .tolerance = tolerance,
						    .record = record.text});
	compare(t, figures, most);
	bxt_table_free(t);
	bxt_buffer_free(&record);
	free(xml);
}

START_TEST(waveforms)
{
	run_deck("sources.cir", sources, 2e-4, 1e-6, 2e-5);
}
END_TEST

START_TEST(followers)
{
	run_deck("controlled.cir", controlled, 1e-4, 1e-6, 3e-5);
}
END_TEST

START_TEST(uses)
{
	run_deck("subcircuits.cir", subcircuits, 1e-5, 1e-6, 1e-5);
}
END_TEST

START_TEST(windings)
{
	run_deck("coupled.cir", coupled, 1e-6, 1e-6, 1e-5);
}
END_TEST

START_TEST(nodes_held)
{
	run_deck("held.cir", held, 1e-5, 1e-6, 1e-7);
}
END_TEST

START_TEST(transistors)
{
	run_deck("devices.cir", devices, 1e-6, 1e-6, 5e-5);
}
END_TEST

/* VDMOS, .if inside and outside of subcircuits, resistances that are expressions */
START_TEST(power_stage)
{
	run_deck("power.cir", power, 5e-8, 1e-6, 1e-4);
}
END_TEST

/* Far from where models are given: currents, gains, thresholds, potentials and capacitances. */
START_TEST(temperatures)
{
	run_deck(_i ? "cold.cir" : "warm.cir", _i ? cold : warm, 1e-7, 1e-6, 2e-6);
}
END_TEST

/* As decks are imported they are within a thousandth. */
START_TEST(by_default)
{
	static const struct {
		const char *name;
		const figure *figures;
		double step;
	} decks[] = {{"sources.cir", sources, 2e-4},
		     {"controlled.cir", controlled, 1e-4},
		     {"subcircuits.cir", subcircuits, 1e-5},
		     {"coupled.cir", coupled, 1e-6},
		     {"held.cir", held, 1e-5},
		     {"devices.cir", devices, 1e-6},
		     {"power.cir", power, 5e-8},
		     {"warm.cir", warm, 1e-7},
		     {"cold.cir", cold, 1e-7}};
	for (size_t i = 0; i < COUNT(decks); i++)
		run_deck(decks[i].name, decks[i].figures, decks[i].step, 0, 1e-3);
}
END_TEST

/* The same circuit with and without subsystems. */
START_TEST(flat)
{
	char *whole = import_file("subcircuits.cir", false);
	char *single = import_file("subcircuits.cir", true);
	ck_assert_ptr_nonnull(strstr(whole, "<subsystem id=\"Xa\">"));
	ck_assert_ptr_null(strstr(single, "subsystem"));
	ck_assert_ptr_nonnull(strstr(single, "<resistor id=\"X2_Xb_Rup\""));
	bxt_run_def def = {.size = sizeof def, .record = "node(out).v"};
	bxt_table *a = run_text(whole, &def), *b = run_text(single, &def);
	ck_assert_double_le(difference(a, "node(out).v", b, "node(out).v"), 1e-9);
	bxt_table_free(a);
	bxt_table_free(b);
	free(whole);
	free(single);
}
END_TEST

/* ---- Back again ---- */

static char *export(const char *xml, bxt_diagnostics *d, bxt_status expected)
{
	bxt_netlist *netlist = NULL;
	char *deck = NULL;
	size_t size = 0;
	const char *path = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&path, 1, NULL);
	FILE *f = open_memstream(&deck, &size);
	ck_assert_int_eq(bxt_netlist_read_memory(xml, strlen(xml), "x.xml", d, &netlist), BXT_OK);
	ck_assert_int_eq(bxt_netlist_write_spice(netlist, library, f, d), expected);
	fclose(f);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	return deck;
}

/* The netlist behind the comment, which has what is left out. */
static const char *behind_comment(const char *xml)
{
	return strstr(xml, "<netlist");
}

static void there_and_back(char *xml)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	char *deck = export(xml, d, BXT_OK), *again = NULL;
	const bxt_status status = import_text(deck, false, d, &again);
	const bxt_finding *f = bxt_diagnostics_get(d, 0);
	ck_assert_msg(status == BXT_OK, "%s\n%s", f ? f->text : "", deck);
	ck_assert_str_eq(behind_comment(again), behind_comment(xml));
	free(again);
	free(deck);
	free(xml);
	bxt_diagnostics_free(d);
}

START_TEST(identity)
{
	static const char *const decks[] = {"sources.cir", "coupled.cir", "devices.cir", "cold.cir",
					    "warm.cir"};
	static const char linear[] =
		"E F G H share a sense\nV1 a b SIN(1 2 3 4 5 6)\nR1 b 0 1\nV2 c 0 5\nRc c 0 2\n"
		"F1 0 d V1 2\nRd d 0 1\nH1 e 0 v1 3\nF2 e f v1 -1\nRf f 0 1k\nE1 g 0 a b 2\n"
		"G1 g 0 c d 1m\nC1 c 0 1u\nI1 0 c AM(1 2 3 4 5)\nL1 c d 1m\n"
		".nodeset v(c)=1\n.tran 1m 10m 0 1u\n.print tran v(g) i(V1)\n";
	char *xml = NULL;
	for (size_t i = 0; i < COUNT(decks); i++)
		there_and_back(import_file(decks[i], false));
	ck_assert_int_eq(import_text(linear, false, NULL, &xml), BXT_OK);
	there_and_back(xml);
}
END_TEST

/* Lossless lines, by TD and by NL/F; figures are those of ngspice 39 for the same deck
 * (test_delays.c has more of them). */
START_TEST(lines)
{
	static const char deck[] =
		"lines\nV1 s 0 PULSE(0 1 1n 0.2n 0.3n 3n 20n)\nR0 s a 20\n"
		"T1 a 0 b 0 Z0=50 TD=2n\nC1 b 0 4p\nR1 b c 30\nT2 c 0 d 0 z0=75 F=250meg NL=0.325\n"
		"L1 d e 12n\nR2 e 0 200\n.tran 0.5n 14n 0 5p\n.print tran v(a) v(b) v(d)\n";
	static const char charged[] = "t\nT1 a 0 b 0 td=1n z0=50 ic=1,2m,3,4m\nR1 a b 60\n"
				      "R2 b 0 50\n.tran 1n 5n uic\n";
	char *xml = NULL;
	ck_assert_int_eq(import_text(deck, false, NULL, &xml), BXT_OK);
	ck_assert_ptr_nonnull(strstr(xml, "td=\"1.3e-09 s\""));
	bxt_run_def def = {.size = sizeof def};
	bxt_table *t = run_text(xml, &def);
	ck_assert_double_eq_tol(value_at_time(t, 8e-9, "node(d).v"), 9.048296e-02, 2e-4);
	ck_assert_double_eq_tol(value_at_time(t, 11e-9, "node(b).v"), -1.70103e-01, 2e-4);
	ck_assert_double_eq_tol(value_at_time(t, 14e-9, "node(a).v"), -3.18809e-02, 2e-4);
	bxt_table_free(t);
	there_and_back(xml);
	ck_assert_int_eq(import_text(charged, false, NULL, &xml), BXT_OK);
	ck_assert_ptr_nonnull(strstr(xml, "V1=\"1 V\" I1=\"0.002 A\" V2=\"3 V\" I2=\"0.004 A\""));
	there_and_back(xml);
}
END_TEST

/* Names that differ by their case alone, ids without a letter for SPICE, subsystems, units. */
START_TEST(exported)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	char *deck = export(
		NETLIST("<parameter name='R' unit='ohm' default='2 kohm'/><simulation end='1 ms' "
			"step='10 us'/><resistor id='load' p='A' n='a' R='=R/2'/>"
			"<resistor id='LOAD' p='a' n='0' R='1 kohm'/>"
			"<capacitor id='C1' p='A' n='0' C='1 uF' q='3 uC'/>"
			"<cccs id='s' p='A' n='0' cp='a' cn='gnd' beta='2'/>"
			"<subsystem id='X'><resistor id='R1' p='x' n='0' R='3'/>"
			"<port id='x' node='x'/></subsystem><port id='A' node='A'/>"
			"<interconnection><connect a='A' b='X.x'/></interconnection>"),
		d, BXT_OK);
	static const char *const lines[] = {
		"\nRload A a_2 1000\n",  "\nRLOAD_2 a_2 0 1000\n",
		"\nC1 A 0 1e-06 IC=3\n", "\nFs A 0 VFs_sense 2\nVFs_sense a_2 gnd_2 0\n",
		"\nR1 A 0 3\n",          "\n.tran 1e-05 0.001 uic\n"};
	for (size_t i = 0; i < COUNT(lines); i++)
		ck_assert_msg(strstr(deck, lines[i]) != NULL, "%s\n%s", lines[i], deck);
	free(deck);
	deck = export(
		NETLIST("<gyrator id='G' p1='a' n1='0' p2='b' n2='0' r='1 ohm'/>"
			"<voltage-source id='V' p='a' n='0' e='=t^2'/>"
			"<voltage-source id='P' p='b' n='0' e='=pulse(t, 0, 1, 0, 0, 0, 1, 2)'/>"
			"<spice-diode id='D' p='a' n='0' gmin='1 S'/>"),
		d, BXT_ERR_MODEL);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_ERROR), 4);
	ck_assert_str_eq(deck, "");
	free(deck);
	bxt_diagnostics_free(d);
}
END_TEST

/* ---- What becomes of what ---- */

static const struct {
	const char *deck, *xml;
} said[] = {
	{"t\nR1 a 0 1k5\n", "R=\"1000 ohm\""},
	{"t\nC1 a 0 1F\n", "C=\"1e-15 F\""},
	{"t\nL1 a 0 2MIL\n", "L=\"5.08e-05 H\""},
	{"t\nR1 a 0 1MEGohm\n", "R=\"1000000 ohm\""},
	{"t\nR1 a 0 10Mohm\n", "R=\"0.01 ohm\""},
	{"t\nR1 a 0 2.5e1g\n", "R=\"25000000000 ohm\""},
	{"t\nr1 A gnd 1\nR2 a 0 1\n", "<resistor id=\"R2\" p=\"A\" n=\"0\""},
	{"t\nR.1 a+ 0 1\nR-1 a- 0 2\nR_1 a_ 0 3\n", "<resistor id=\"R_1_2\" p=\"a__2\""},
	{"t\nRt t 0 1\n", "p=\"t\""},
	{"t\nR1 wall ground 1\n", "p=\"wall_2\" n=\"ground_2\""},
	{"t\nR1 1a 0 1\n", "p=\"_1a\""},
	{"t\nR1 a 0\n*x\n+ 2 $ c\n+ ; only a remark\n", "R=\"2 ohm\""},
	{"t\nR1 a 0 {x}\n.param x={y}*2 y='1+z' z=1\n", "R=\"4 ohm\""},
	{"t\nR1 a 0 {f(2)}\n.func f(x) {x**g(x)}\n.func g(y)=y+1\n", "R=\"8 ohm\""},
	{"t\nR1 a 0 {1 > 0 ? 3 : 2}\n", "R=\"3 ohm\""},
	{"t\nR1 a 0 1k tc=1m,2u\n.temp 37\n", "R=\"1010.1999999999999 ohm\""},
	{"t\nR1 a 0 rm l=20u w=4u\n.model rm r rsh=100 narrow=1u tc1=1m\n",
	 "R=\"1000.000000000000"},
	{"t\nR1 a 0 6 m=3\nC1 a 0 2 m=3\n", "C=\"6 F\""},
	{"t\nR1 a 0 -5\n", "gm=\"-0.2 S\""},
	{"t\nV1 a 0 dc=2 ac=1 90\n", "e=\"2 V\""},
	{"t\nV1 a 0 ac 1 90\n", "small signal of V1: ac 1 90"},
	{"t\n.ac dec 10 1 1k\nR1 a 0 1\n", ".ac dec 10 1 1k"},
	{"t\nI1 a 0 2m m=3\n", "I=\"=3*(0.002)\""},
	{"t\nE1 a 0 VALUE {time*2}\n", "<voltage-source id=\"E1\" p=\"a\" n=\"0\" e=\"=(t*2)\"/>"},
	{"t\nV1 a 0 0\nF1 b 0 V1 2\nH1 c 0 V1 3\n", "cp=\"V1-sense1\" cn=\"V1-sense2\" beta=\"2\""},
	{"t\nB1 a 0 V=V(b)>1&&V(c)<2?1:2\nR1 b c 1\n", "if(v1 > 1, if(v2 &lt; 2, 1, 2), 2)"},
	{"t\nB1 a 0 I=V(b,c)^3\nR1 b c 1\n", "-(abs(v1)^(3))"},
	{"t\nL1 a 0 1\nL2 b 0 4\nK1 L1 L2 0.5\n", "a=\"L1\" b=\"L2\" M=\"1 H\""},
	{"t\nC1 a 0 1 IC=3\n.tran 1 2 uic\n", "v=\"3 V\""},
	{"t\nR1 A 0 1\n.nodeset V(a)=3 v(b)=2\n",
	 "<node id=\"A\" kind=\"electrical\" nodeset=\"3 V\"/>"},
	{"t\nC1 a 0 1\n.ic V(a)=3\n.tran 1 2 uic\n", "v=\"3 V\""},
	{"t\nR1 a 0 1\n.tran 1m 2m 0 1u\n",
	 "end=\"0.002 s\" step=\"1e-06 s\" scheme=\"radau3\" tolerance=\"0.0001\" "
	 "step-control=\"range\""},
	{"t\nR1 a 0 1\n.options reltol=1u\n", "tolerance=\"1e-07\""},
	{"t\nQ1 c b 0 m\n.model m npn bf 70 cjc=2p va 50 off\n",
	 "BF=\"70\" VAF=\"50 V\" CJC=\"2e-12 F\""},
	{"t\nR1 a 0 {max(3) + min(2)}\n", "R=\"5 ohm\""},
	{"t\nB1 a 0 V={IF(V(b) > 1 | ~V(c) & V(d), 1, 0)}\nR1 b c 1\nR2 c d 1\n",
	 "if(v1 > 1, 1, if(v2 != 0, 0, if(v3 != 0, 1, 0)))"},
	{"t\nV1 a 0 2 SIN(1 3 1k)\n.op\n", "e=\"=if(t > 0, 1 + 3*sin(2*pi*1000*t), 2)\""},
	{"t\nV1 a 0 2 SIN(1 3 1k)\n.tran 1u 1m\n", "other analyses: V1.e = 2 V"},
	{"t\nR1 a 0 5 ac=7\n", "small signal of R1: R1.R = 7 ohm"},
	{"t\nB1 a 0 V={ln(V(b)) + 1/V(b)}\nR1 b 0 1\n", "log(max((v1), 1e-99)) + (1/(v1 + 1e-32))"},
	{"t\nB1 a 0 V={V(b)**0.5*sqrt(V(b))}\nR1 b 0 1\n",
	 "(abs(v1) + 1e-32)^(0.5)*sqrt(max((v1), 0) + 1e-32)"},
	{"t\nS1 a 0 b 0 m\nR1 b 0 1\n.model m vswitch(ron=1 roff=10k von=1 voff=0)\n",
	 "v1*exp((-4.605170185988092) - ("},
	{"t\nR1 a 0 1\n.control\ntran 1m 5m\nrun\n.endc\n", "end=\"0.005 s\""},
	/* sheets, of ngspice: 6875, 3366.67, 5000 ohm, 2.44 and 1.01 fF, 5 pF; at TEMP alone */
	{"t\nR1 a 0 m l=11u w=2u\n.model m r(rsh=1k narrow=0.2u)\n", "R=\"6875 ohm\""},
	{"t\nR1 a 0 m l=11u w=3u\n.model m r(rsh=1k short=0.5u tc1=1m)\n.temp 37\n", "R=\"3366.66"},
	{"t\nR1 a 0 m l=11u\n.model m r(rsh=1k short=0.5u narrow=1u defw=4u)\n",
	 "R=\"4999.999999999999 ohm\""},
	{"t\nC1 a 0 m l=10u w=5u\n.model m c(cj=50u cjsw=20p narrow=1u short=0.5u)\n",
	 "C=\"2.44000000000000"},
	{"t\nC1 a 0 m l=10u\n.model m c(cj=50u defw=2u tc1=1m)\n.temp 37\n", "C=\"1.01e-15 F\""},
	{"t\nC1 a 0 m l=10u\n.model m c(cap=5p cj=50u)\n", "C=\"5e-12 F\""},
	{"t\nR1 a 0 1 m temp=37 dtemp=100\n.model m r(tc1=1 tnom=36)\n", "R=\"2 ohm\""},
	{"t\nR1 a 0 1\n.control\ntran 1m 5m\ntran $&x $&y uic\n.endc\n", "end=\"0.005 s\""},
	{"t\nX1 a s r=2\n.subckt s p r=1\n.param q={2*r}\nR1 p 0 {q}\n.ends\n", "R=\"4 ohm\""},
	{"t\nQ1 c b 0 m 3\n.model m npn(bf=50)\n",
	 "<spice-npn id=\"Q1\" c=\"c\" b=\"b\" e=\"0\" BF=\"50\" area=\"3\"/>"},
	{"t\nQ1 c b 0 s m\n.model m pnp(cjs=1p)\n",
	 "<spice-pnp-substrate id=\"Q1\" c=\"c\" b=\"b\" e=\"0\" s=\"s\""},
	{"t\nM1 d g 0 0 m w=2u l=1u ad=10p pd=4u\n.model m nmos(cj=1m cjsw=1n kp=1e-5)\n",
	 "CBD=\"1e-14 F\""},
	{"t\nM1 d g 0 0 m m=2\n.model m nmos(cgbo=2n)\n", "CGBO=\"4e-09 F/m\""},
	{"t\nD1 a 0 d\n.model d d(cj0=1p)\n.options temp=50 tnom=50\n",
	 "temp=\"323.15 K\" tnom=\"323.15 K\""},
	{"t\n.param a=2\n.if (a = 1)\nR1 a 0 1\n.elseif (a == 2)\nR1 a 0 2\n.else\nR1 a 0 3\n"
	 ".endif\n",
	 "R=\"2 ohm\""},
	{"t\n.if (0)\n.if (1)\nR1 a 0 1\n.endif\n.else\nR1 a 0 2\n.endif\n", "R=\"2 ohm\""},
	{"t\nX1 a s n=2\nX2 a s\n.subckt s p n=1\n.if (n > 1)\nR1 p 0 7\n.else\nR1 p 0 5\n"
	 ".endif\n.ends\n",
	 "R=\"7 ohm\""},
	{"t\nR1 a 0 {limit(7, 5, 1)}\n", "R=\"5 ohm\""},
	{"t\nR1 a 0 {2 + ge0(0) + gt0(0)}\n", "R=\"3 ohm\""},
	{"t\nR1 a 0 {nint(2.5) + 0*nint(0.5)}\n", "R=\"2 ohm\""},
	{"t\nR1 a 0 {(-2)^3}\n", "R=\"8 ohm\""},
	{"t\nR1 a 0 2\xc2\xb5\n", "R=\"2e-06 ohm\""},
	{"t\nR1 a 0 r={1k*V(b)} tc1=1m\nR2 b 0 1\n.temp 37\n", "-(((1.01*(1000*v1))*i))"},
	{"t\nR1 a 0 1k tce=100m\n.temp 37\n", "R=\"1010 ohm\""},
	{"t\nR1 a 0 m\n.model m r(resistance=2k)\n", "R=\"2000 ohm\""},
	{"t\nB1 a 0 V=V(b) tc1=1m\nR1 b 0 1\n.temp 37\n", "-((1.01*v1))"},
	{"t\nM1 d g 0 m\n.model m vdmos pchan vto=-2 bv=-12\n",
	 "<spice-pvdmos id=\"M1\" d=\"d\" g=\"g\" s=\"0\" VTO=\"-2 V\""},
	{"t\nM1 d g 0 m\n.model m vdmos(cjo=1n pchan)\n", "<spice-pvdmos id=\"M1\""},
	{"a \"title\" <&>\x01 -- x\nR1 a 0 1\n", "a &quot;title&quot; &lt;&amp;>\\x01 -- x"},
};

START_TEST(words)
{
	char *xml = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status = import_text(said[_i].deck, false, d, &xml);
	const bxt_finding *f = bxt_diagnostics_get(d, 0);
	ck_assert_msg(status == BXT_OK, "%s: %s", said[_i].deck, f ? f->text : "");
	bool found = strstr(xml, said[_i].xml) != NULL;
	ck_assert_msg(found, "%s\n%s", said[_i].xml, xml);
	free(xml);
	bxt_diagnostics_free(d);
}
END_TEST

/* ---- What is refused, or told ---- */

static const struct {
	const char *deck;
	int line;
	const char *text;
	bxt_severity severity;
} wrong[] = {
	{"t\nA1 a b m\n", 2, "code models (XSPICE) are not taken over", BXT_ERROR},
	{"t\nT1 a 0 b 0 z0=50\n", 2, "a line needs its delay above 0, as TD or as NL/F", BXT_ERROR},
	{"t\nT1 a 0 b 0 td=1n\n", 2, "a line needs its impedance Z0 above 0", BXT_ERROR},
	{"t\nO1 a 0 b 0 m\n", 2, "lossy transmission lines are not taken over", BXT_ERROR},
	{"t\nU1 a b 0 m\n", 2, "uniform RC lines are not taken over", BXT_ERROR},
	{"t\nZ1 a b c m\n", 2, "MESFETs are not taken over", BXT_ERROR},
	{"t\nM1 a b c d m\n.model m nmos level=8\n", 2, "level 8", BXT_ERROR},
	{"t\nM1 a b c tj tc m thermal\n.model m vdmos(rthjc=1)\n", 2, "heats itself", BXT_ERROR},
	{"t\nM1 a b c d e m\n.model m nmos\n", 2, "too many nodes", BXT_ERROR},
	{"t\nM1 a b c m\n.model m vdmos(vp=0.3)\n", 3, "nothing for vp=0.3", BXT_WARNING},
	{"t\nQ1 a b c m\n.model m npn(bf=100 ptf=30 xtf=2)\n", 3, "nothing for ptf=30",
	 BXT_WARNING},
	{"t\nD1 a 0 m\n.model m d(is=1p madeup=2)\n", 3, "nothing for madeup=2", BXT_WARNING},
	{"t\nD1 a 0 m\n.model m d(is=1p tm1=1m)\n.temp 50\n", 3, "nothing for tm1", BXT_WARNING},
	{"t\nD1 a 0 m temp=50\n.model m d(is=1p tm1=1m)\n", 3, "nothing for tm1", BXT_WARNING},
	{"t\nD1 a 0 m\n.model m d(is=1p ctc=1m tnom=50)\n", 3, "nothing for ctc", BXT_WARNING},
	{"t\nD1 a 0 m\n", 2, "there is no model 'm'", BXT_ERROR},
	{"t\nR1 a 0\n", 2, "a value is missing", BXT_ERROR},
	{"t\nR1 a 0 m l=1u w=2u\n.model m r(rsh=1 narrow=1u)\n", 2, "takes off more", BXT_ERROR},
	{"t\nC1 a 0 m l=1u\n.model m c(cj=1 short=2u)\n", 2, "takes off more", BXT_ERROR},
	{"t\nR1 a 0 1\nr1 b 0 1\n", 3, "there is another element 'r1'", BXT_ERROR},
	{"t\nR1 a 0 {x}\n", 2, "there is no parameter 'x'", BXT_ERROR},
	{"t\n.param x={y} y={x}\nR1 a 0 {x}\n", 2, "depends on itself", BXT_ERROR},
	{"t\n.func f(x) {f(x)}\nR1 a 0 {f(1)}\n", 3, "nested too deeply", BXT_ERROR},
	{"t\nR1 a 0 {1/0}\n", 2, "no finite value", BXT_ERROR},
	{"t\nR1 a 0 {(1}\n", 2, "a ) or } is missing", BXT_ERROR},
	{"t\nR1 a 0 {agauss(1,2,3)}\n", 2, "no function 'agauss'", BXT_ERROR},
	{"t\nL1 a 0 1\nL2 b 0 1\nK1 L1 L2 1\n", 4, "positive definite", BXT_ERROR},
	{"t\nL1 a 0 1\nL2 b 0 1\nL3 c 0 1\nK1 L1 L2 .9\nK2 L2 L3 .9\nK3 L1 L3 0\n", 5,
	 "positive definite", BXT_ERROR},
	{"t\nL1 a 0 1\nK1 L1 L2 .5\n", 3, "no inductor 'L2'", BXT_ERROR},
	{"t\nC1 a 0 -1\n", 2, "not above 0", BXT_ERROR},
	{"t\nF1 a 0 V9 2\n", 2, "no voltage source 'v9'", BXT_ERROR},
	{"t\nB1 a 0 V=I(R1)\nR1 a 0 1\n", 2, "put a voltage source of 0 V in series", BXT_ERROR},
	{"t\nX1 a s\n", 2, "there is no subcircuit 's'", BXT_ERROR},
	{"t\nX1 a b s\n.subckt s p\nR1 p 0 1\n.ends\n", 2, "has 1 nodes, not 2", BXT_ERROR},
	{"t\nX1 a s r=1\n.subckt s p\nR1 p 0 1\n.ends\n", 2, "has no parameter 'r'", BXT_ERROR},
	{"t\nX1 a s\n.subckt s p\nX1 p s\n.ends\n", 4, "does 's' use itself?", BXT_ERROR},
	{"t\n.subckt s p\n", 2, "has no .ends", BXT_ERROR},
	{"t\n.ends\n", 2, "no .subckt", BXT_ERROR},
	{"t\n.if (1)\n", 2, "has no .endif", BXT_ERROR},
	{"t\n.else\n", 2, "no .if", BXT_ERROR},
	{"t\n.if (0)\n.else\n.else\n.endif\n", 4, "no .if", BXT_ERROR},
	{"t\n.if (q)\nR1 a 0 1\n.endif\n", 2, "no parameter 'q'", BXT_ERROR},
	{"t\n.subckt s p\n.if (1)\n.param q=1\n.endif\n.ends\n", 4, "only elements", BXT_ERROR},
	{"t\n.subckt s p\n.if (1)\n.ends\n.endif\n", 4, "only elements", BXT_ERROR},
	{"t\n.include x.inc\n", 2, "no folder to include from", BXT_ERROR},
	{"t\nV1 a 0 trnoise(1 2 3 4)\n", 2, "sources 'trnoise' are not taken over", BXT_ERROR},
	{"t\nV1 a 0 PULSE(0 1)\n", 2, "taken from .tran, and there is none", BXT_ERROR},
	{"t\nV1 a 0 PULSE(0 1 0 1 1 1 2 3)\n", 2, "7 values at most", BXT_ERROR},
	{"t\nV1 a 0 PULSE(0 1 0 1 1 1 2.5)\n", 2, "shorter than rise, width and fall", BXT_ERROR},
	{"t\nV1 a 0 PWL(0 0 1)\n", 2, "pairs of times and values", BXT_ERROR},
	{"t\nE1 a 0 LAPLACE {V(b)} {1/s}\n", 2, "'LAPLACE' is not taken over", BXT_ERROR},
	{"t\nS1 a 0 b 0 m\n.model m sw vh=-1\n", 3, "a hysteresis of 0 or more", BXT_ERROR},
	{"t\n.options scale=1u\n", 2, "'scale' is not taken over", BXT_ERROR},
	{"t\n.tran 1\n", 2, "write .tran STEP END", BXT_ERROR},
	{"t\n.frob 1\n", 2, "'.frob' is left out", BXT_WARNING},
	{"t\nR1 a 0 1\n.control\nplot v(a)\n.endc\n", 3, ".control is left out", BXT_NOTE},
};

START_TEST(refused)
{
	char *xml = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status = import_text(wrong[_i].deck, false, d, &xml);
	bool found = false;
	const bxt_finding *f;
	for (size_t i = 0; (f = bxt_diagnostics_get(d, i)); i++)
		found = found || (f->line == wrong[_i].line && f->severity == wrong[_i].severity &&
				  strstr(f->text, wrong[_i].text));
	f = bxt_diagnostics_get(d, 0);
	ck_assert_msg(found, "%s: %d: %s", wrong[_i].deck, f ? f->line : 0,
		      f ? f->text : "nothing");
	ck_assert_int_eq(status, wrong[_i].severity == BXT_ERROR ? BXT_ERR_MODEL : BXT_OK);
	free(xml);
	bxt_diagnostics_free(d);
}
END_TEST

START_TEST(all_at_once)
{
	char *xml = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	ck_assert_int_eq(import_text("t\nA1 a\nN1 a\nR1 a 0 {q}\nO1 a\nU1 a\nP1 a\nY1 a\nZ1 a\n"
				     "X1 a s\n.subckt s a\nT1 a\nM1 a a a a m\n.ends\n"
				     ".model m nmos level=54\n",
				     false, d, &xml),
			 BXT_ERR_MODEL);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_ERROR), 10);
	bxt_diagnostics_free(d);
}
END_TEST

/* ---- Hostile decks ---- */

static void ends_soon(const char *text, bxt_status expected, const char *words)
{
	char *xml = NULL;
	bool found = words == NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const double begin = cpu_seconds();
	const bxt_status status = import_text(text, false, d, &xml);
	ck_assert_double_le(cpu_seconds() - begin, 10); /* 2 on a machine that does nothing else */
	ck_assert_int_eq(status, expected);
	const bxt_finding *f;
	for (size_t i = 0; (f = bxt_diagnostics_get(d, i)); i++)
		found = found || strstr(f->text, words) != NULL;
	ck_assert_msg(found, "%s", words);
	free(xml);
	bxt_diagnostics_free(d);
}

static void repeat(bxt_buffer *text, const char *what, int n)
{
	for (int i = 0; i < n; i++)
		bxt_buffer_printf(text, what, i, i + 1);
}

START_TEST(hostile)
{
	static const struct {
		const char *before, *each, *after, *words;
		int n;
	} decks[] = {
		{"t\n", "R%d %d 0 1\n", "", "more than", 1000000},
		{"t\nR1 a 0 1\n", "+ %d %d\n", "", NULL, 400000},
		{"t\n.param x=", "(", "1\nR1 a 0 {x}\n", "nested too deeply", 100000},
		{"t\n.param x=", "-", "1\nR1 a 0 {x}\n", "nested too deeply", 100000},
		{"t\n.param x=1", "+1", "\nR1 a 0 {x}\n", "too long", 100000},
		{"t\n.func f0(x) {x}\n.func f1(x) {f0(x)+f0(x)}\n",
		 ".func f%2$d(x) {f%1$d(x)+f%1$d(x)}\n", "R1 a 0 {f35(1)}\n", "too", 35},
		{"t\n.param p0=1\n", ".param p%2$d={p%1$d+1}\n", "R1 a 0 {p50000}\n",
		 "nested too deeply", 50000},
		{"t\n.subckt s0 a\nR1 a 0 1\n.ends\n",
		 ".subckt s%2$d a\nX1 a s%1$d\nX2 a s%1$d\nX3 a s%1$d\nX4 a s%1$d\n.ends\n",
		 "X a s30\n", "more than", 30},
		{"t\n", ".subckt s%d a\n", "", "too deeply", 100000},
		{"t\n", "A%d a b\n", "", "no more are looked for", 50000},
		{"t\nB1 a 0 V=", "V(a)&&", "1\n", "too", 10000},
		{"t\n", "L%d a 0 1\n", "", NULL, 50000},
		{"t\n", ".if (1)\n", "", "too deeply", 100000},
		{"t\n", ".param q%1$d=1\n.if (q%1$d)\n.endif\n", "", "too many .if", 30000},
		{"t\nX1 a s\n.subckt s p\n.if (0)\n", ".elseif (0)\n", ".endif\n.ends\n", NULL,
		 100000},
		{"t\nR1 b 0 1\nB1 a 0 V=", "limit(0,1,", "V(b)))))))))))))))))))))\n", "too long",
		 20},
	};
	bxt_buffer text = {0};
	bxt_buffer_printf(&text, "%s", decks[_i].before);
	repeat(&text, decks[_i].each, decks[_i].n);
	bxt_buffer_printf(&text, "%s", decks[_i].after);
	ck_assert(!text.failed);
	ends_soon(text.text, decks[_i].words ? BXT_ERR_MODEL : BXT_OK, decks[_i].words);
	bxt_buffer_free(&text);
}
END_TEST

START_TEST(loop)
{
	char *path = path_of("parts/loop.cir");
	bxt_netlist *netlist = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	ck_assert_int_eq(bxt_import_spice(path, NULL, d, &netlist), BXT_ERR_MODEL);
	ck_assert_ptr_null(netlist);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 0)->text, "include itself?"));
	bxt_diagnostics_free(d);
	free(path);
}
END_TEST

START_TEST(memory)
{
	char *path = path_of("subcircuits.cir");
	bool failed = true;
	allocation_hook();
	for (long n = 0; failed; n++) {
		bxt_netlist *netlist = NULL;
		bxt_diagnostics *d = bxt_diagnostics_new();
		allocation_fail(n);
		const bxt_status status = bxt_import_spice(path, NULL, d, &netlist);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s: %s", n, bxt_status_text(status),
			      bxt_diagnostics_count(d, BXT_NOTE) ? bxt_diagnostics_get(d, 0)->text
								 : "");
		ck_assert_int_eq(netlist != NULL, status == BXT_OK);
		bxt_netlist_free(netlist);
		bxt_diagnostics_free(d);
	}
	free(path);
}
END_TEST

TEST_SUITE("SPICE")
{
	const test_case tests[] = {
		{"waveforms", waveforms},
		{"followers", followers},
		{"by default", by_default},
		{"power stage", power_stage, .slow = true},
		{"uses", uses},
		{"windings", windings},
		{"nodes held", nodes_held},
		{"transistors", transistors, .slow = true},
		{"temperatures", temperatures, .loops = 2, .slow = true},
		{"flat", flat},
		{"identity", identity},
		{"lines", lines},
		{"exported", exported},
		{"words", words, .loops = COUNT(said)},
		{"refused", refused, .loops = COUNT(wrong)},
		{"all at once", all_at_once},
		{"hostile", hostile, .loops = 16},
		{"loop", loop},
		{"memory", memory, .slow = true},
	};
	ADD_TESTS(tests);
}
