/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Devices with charges as SPICE has them, against figures of ngspice 39 (reltol 1e-6, trtol 1,
 * steps far below ours). The decks are those in the comments; figures are its potentials at our
 * times.
 */
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TIMES = 10, MOST_NODES = 2 };

/* ngspice's Boltzmann constant over its elementary charge is another one in the seventh digit. */
#define KQ "kq=\"8.61733034e-5 V/K\" "

typedef struct deck {
	const char *name, *text, *record[MOST_NODES];
	double end, step; /* [s] */
	const char *scheme;
	bool from_rest;          /* else from the operating point */
	double size[MOST_NODES]; /* the largest potential, of which the tolerance is a part */
	double tolerance;
	double time[MOST_TIMES], figure[MOST_TIMES][MOST_NODES];
	int n_times;
} deck;

/*
 * V1 in 0 SIN(0 10 1meg)
 * R0 in a 50
 * D1 a out DM
 * R1 out 0 1k
 * C1 out 0 100p
 * .model DM D(IS=1e-14 N=1.1 RS=0.5 CJO=4p VJ=0.7 M=0.4 TT=12n)
 */
static const deck diode = {
	.name = "diode",
	.text = NETLIST(
		"<sine-source id=\"V1\" p=\"in\" n=\"0\" amplitude=\"10 V\" frequency=\"1 MHz\"/>"
		"<resistor id=\"R0\" p=\"in\" n=\"a\" R=\"50 ohm\"/>"
		"<spice-diode id=\"D1\" p=\"a\" n=\"out\"  IS=\"1e-14 A\" N=\"1.1\" RS=\"0.5 ohm\" "
		"CJO=\"4e-12 F\" VJ=\"0.7 V\" M=\"0.4\" TT=\"12e-9 s\" " KQ "/>"
		"<resistor id=\"R1\" p=\"out\" n=\"0\" R=\"1 kohm\"/>"
		"<capacitor id=\"C1\" p=\"out\" n=\"0\" C=\"100 pF\"/>"),
	.record = {"node(a).v", "node(out).v"},
	.end = 1.5e-06,
	.step = 1e-09,
	.scheme = "radau3",
	.size = {10, 8.769},
	.tolerance = 2e-05,
	.n_times = 5,
	.time = {3e-07, 6e-07, 9e-07, 1.2e-06, 1.5e-06},
	.figure = {{9.17380644, 8.3931723},
		   {-5.87438329, 0.612697739},
		   {-5.88196784, 0.065117732},
		   {8.99920315, 8.20698327},
		   {0.00524347192, 1.8123357}},
};

/*
 * V1 in 0 SIN(0 12 1meg)
 * R0 in a 1k
 * D1 0 a DM
 * .model DM D(IS=2e-14 CJO=20p VJ=0.8 M=0.45 BV=5.6 IBV=5m RS=2)
 */
static const deck zener = {
	.name = "zener",
	.text = NETLIST(
		"<sine-source id=\"V1\" p=\"in\" n=\"0\" amplitude=\"12 V\" frequency=\"1 MHz\"/>"
		"<resistor id=\"R0\" p=\"in\" n=\"a\" R=\"1 kohm\"/>"
		"<spice-diode id=\"D1\" p=\"0\" n=\"a\"  IS=\"2e-14 A\" CJO=\"20e-12 F\" VJ=\"0.8 "
		"V\" M=\"0.45\" BV=\"5.6 V\" IBV=\"5e-3 A\" RS=\"2 ohm\" " KQ "/>"),
	.record = {"node(a).v"},
	.end = 1.5e-06,
	.step = 1e-09,
	.scheme = "radau3",
	.size = {5.619},
	.tolerance = 2e-05,
	.n_times = 5,
	.time = {3e-07, 6e-07, 9e-07, 1.2e-06, 1.5e-06},
	.figure = {{5.61542474}, {-0.697698209}, {-0.697770234}, {5.61541755}, {0.914876012}},
};

/*
 * VCC vcc 0 12
 * VS s 0 SIN(0 0.02 1meg)
 * CB s b 1u
 * R1 vcc b 47k
 * R2 b 0 10k
 * RC vcc c 3.3k
 * RE e 0 1k
 * CE e 0 10u
 * Q1 c b e QM
 * .model QM NPN(IS=1e-15 BF=150 BR=2 VAF=80 VAR=20 IKF=0.05 ISE=1e-13 NE=1.6 RB=100 RE=0.5 RC=1
 * CJE=8e-12 VJE=0.7 MJE=0.35 CJC=4e-12 VJC=0.6 MJC=0.4 TF=0.4e-9 TR=30e-9)
 */
static const deck common_emitter = {
	.name = "common-emitter",
	.text = NETLIST(
		"<voltage-source id=\"VCC\" p=\"vcc\" n=\"0\" e=\"12 V\"/>"
		"<sine-source id=\"VS\" p=\"s\" n=\"0\" amplitude=\"20 mV\" frequency=\"1 MHz\"/>"
		"<capacitor id=\"CB\" p=\"s\" n=\"b\" C=\"1 uF\"/>"
		"<resistor id=\"R1\" p=\"vcc\" n=\"b\" R=\"47 kohm\"/><resistor id=\"R2\" p=\"b\" "
		"n=\"0\" R=\"10 kohm\"/>"
		"<resistor id=\"RC\" p=\"vcc\" n=\"c\" R=\"3.3 kohm\"/><resistor id=\"RE\" p=\"e\" "
		"n=\"0\" R=\"1 kohm\"/>"
		"<capacitor id=\"CE\" p=\"e\" n=\"0\" C=\"10 uF\"/>"
		"<spice-npn id=\"Q1\" c=\"c\" b=\"b\" e=\"e\"  IS=\"1e-15 A\" BF=\"150\" BR=\"2\" "
		"VAF=\"80 V\" VAR=\"20 V\" IKF=\"0.05 A\" ISE=\"1e-13 A\" NE=\"1.6\" RB=\"100 "
		"ohm\" RE=\"0.5 ohm\" RC=\"1 ohm\" CJE=\"8e-12 F\" VJE=\"0.7 V\" MJE=\"0.35\" "
		"CJC=\"4e-12 F\" VJC=\"0.6 V\" MJC=\"0.4\" TF=\"0.4e-9 s\" TR=\"30e-9 s\" " KQ
		"/>"),
	.record = {"node(c).v", "node(b).v"},
	.end = 1e-06,
	.step = 5e-09,
	.scheme = "radau3",
	.size = {9.909, 2.026},
	.tolerance = 2e-05,
	.n_times = 5,
	.time = {2e-07, 4e-07, 6e-07, 8e-07, 1e-06},
	.figure = {{4.96762892, 2.02509624},
		   {5.0684642, 2.01782882},
		   {8.91349196, 1.99432435},
		   {9.87757552, 1.98706202},
		   {8.22647352, 2.00608126}},
};

/*
 * VCC vcc 0 5
 * VIN in 0 PULSE(0 5 2n 2n 2n 30n 80n)
 * RB in b 10k
 * RC vcc c 1k
 * Q1 c b 0 QM
 * .model QM NPN(IS=1e-15 BF=80 BR=1 VAF=50 RB=100 RC=10 CJE=3e-12 CJC=2e-12 TF=0.3e-9 TR=10e-9)
 */
static const deck rtl = {
	.name = "rtl",
	.text = NETLIST("<voltage-source id=\"VCC\" p=\"vcc\" n=\"0\" e=\"5 V\"/>"
			"<voltage-source id=\"VIN\" p=\"in\" n=\"0\" "
			"e=\"=pulse(t,0,5,2e-9,2e-9,2e-9,30e-9,80e-9)\"/>"
			"<resistor id=\"RB\" p=\"in\" n=\"b\" R=\"10 kohm\"/><resistor id=\"RC\" "
			"p=\"vcc\" n=\"c\" R=\"1 kohm\"/>"
			"<spice-npn id=\"Q1\" c=\"c\" b=\"b\" e=\"0\"  IS=\"1e-15 A\" BF=\"80\" "
			"BR=\"1\" VAF=\"50 V\" RB=\"100 ohm\" RC=\"10 ohm\" CJE=\"3e-12 F\" "
			"CJC=\"2e-12 F\" TF=\"0.3e-9 s\" TR=\"10e-9 s\" " KQ "/>"),
	.record = {"node(c).v", "node(b).v"},
	.end = 1e-07,
	.step = 1e-10,
	.scheme = "radau3",
	.size = {5.104, 0.7998},
	.tolerance = 2e-05,
	.n_times = 8,
	.time = {1.25e-08, 2.5e-08, 3.75e-08, 5e-08, 6.25e-08, 7.5e-08, 8.75e-08, 1e-07},
	.figure = {{4.47215268, 0.750241753},
		   {1.55865324, 0.790565173},
		   {0.205347349, 0.747428895},
		   {0.748798119, 0.744017068},
		   {1.45132771, 0.738984501},
		   {2.19537115, 0.7324922},
		   {1.77657166, 0.788919192},
		   {0.16395259, 0.799840232}},
};

/*
 * VCC vcc 0 12
 * VIN in 0 PULSE(0 8 0 2u 2u 0.1u 5u)
 * RB in b1 1k
 * RC1 vcc c1 4.7k
 * RC2 vcc c2 1k
 * R1 c1 b2 10k
 * R2 b2 0 10k
 * RE e 0 470
 * Q1 c1 b1 e QM
 * Q2 c2 b2 e QM
 * .model QM NPN(IS=1e-15 BF=80 VAF=50 RB=100 RC=10 CJE=3e-12 CJC=2e-12 TF=0.3e-9 TR=10e-9)
 */
static const deck schmitt = {
	.name = "schmitt",
	.text = NETLIST(
		"<voltage-source id=\"VCC\" p=\"vcc\" n=\"0\" e=\"12 V\"/>"
		"<voltage-source id=\"VIN\" p=\"in\" n=\"0\" "
		"e=\"=pulse(t,0,8,0,2e-6,2e-6,0.1e-6,5e-6)\"/>"
		"<resistor id=\"RB\" p=\"in\" n=\"b1\" R=\"1 kohm\"/><resistor id=\"RC1\" "
		"p=\"vcc\" n=\"c1\" R=\"4.7 kohm\"/><resistor id=\"RC2\" p=\"vcc\" n=\"c2\" R=\"1 "
		"kohm\"/>"
		"<resistor id=\"R1\" p=\"c1\" n=\"b2\" R=\"10 kohm\"/><resistor id=\"R2\" p=\"b2\" "
		"n=\"0\" R=\"10 kohm\"/><resistor id=\"RE\" p=\"e\" n=\"0\" R=\"470 ohm\"/>"
		"<spice-npn id=\"Q1\" c=\"c1\" b=\"b1\" e=\"e\"  IS=\"1e-15 A\" BF=\"80\" VAF=\"50 "
		"V\" RB=\"100 ohm\" RC=\"10 ohm\" CJE=\"3e-12 F\" CJC=\"2e-12 F\" TF=\"0.3e-9 s\" "
		"TR=\"10e-9 s\" " KQ
		"/><spice-npn id=\"Q2\" c=\"c2\" b=\"b2\" e=\"e\"  IS=\"1e-15 A\" BF=\"80\" "
		"VAF=\"50 V\" RB=\"100 ohm\" RC=\"10 ohm\" CJE=\"3e-12 F\" CJC=\"2e-12 F\" "
		"TF=\"0.3e-9 s\" TR=\"10e-9 s\" " KQ "/>"),
	.record = {"node(c1).v", "node(c2).v"},
	.end = 4.5e-06,
	.step = 2e-09,
	.scheme = "radau3",
	.size = {9.556, 12.01},
	.tolerance = 0.0001,
	.n_times = 9,
	.time = {5e-07, 1e-06, 1.5e-06, 2e-06, 2.5e-06, 3e-06, 3.5e-06, 4e-06, 4.5e-06},
	.figure = {{9.5543125, 4.57112506},
		   {9.55558938, 4.57559227},
		   {2.25799792, 12.0004396},
		   {2.80307828, 12.0004451},
		   {2.36698617, 11.9995579},
		   {1.82468977, 11.9995655},
		   {1.29987623, 11.9996057},
		   {9.52752517, 4.58409363},
		   {9.5407362, 4.57625599}},
};

/*
 * VCC vcc 0 PWL(0 0 10n 12)
 * R1 vcc b 47k
 * R2 b 0 10k
 * CB b 0 10n
 * RE e 0 1k
 * L1 vcc c 1u
 * C1 c e 100p
 * C2 e 0 400p
 * Q1 c b e QM
 * .model QM NPN(IS=1e-15 BF=100 VAF=100 RB=10 RE=0.1 CJE=8e-12 CJC=4e-12 TF=0.4e-9 TR=10e-9)
 */
static const deck colpitts = {
	.name = "colpitts",
	.text = NETLIST(
		"<voltage-source id=\"VCC\" p=\"vcc\" n=\"0\" e=\"=pwl(t,0,0,1e-8,12)\"/>"
		"<resistor id=\"R1\" p=\"vcc\" n=\"b\" R=\"47 kohm\"/><resistor id=\"R2\" p=\"b\" "
		"n=\"0\" R=\"10 kohm\"/><capacitor id=\"CB\" p=\"b\" n=\"0\" C=\"10 nF\"/>"
		"<resistor id=\"RE\" p=\"e\" n=\"0\" R=\"1 kohm\"/><inductor id=\"L1\" p=\"vcc\" "
		"n=\"c\" L=\"1 uH\"/><capacitor id=\"C1\" p=\"c\" n=\"e\" C=\"100 pF\"/><capacitor "
		"id=\"C2\" p=\"e\" n=\"0\" C=\"400 pF\"/>"
		"<spice-npn id=\"Q1\" c=\"c\" b=\"b\" e=\"e\"  IS=\"1e-15 A\" BF=\"100\" VAF=\"100 "
		"V\" RB=\"10 ohm\" RE=\"0.1 ohm\" CJE=\"8e-12 F\" CJC=\"4e-12 F\" TF=\"0.4e-9 s\" "
		"TR=\"10e-9 s\" " KQ "/>"),
	.record = {"node(c).v", "node(e).v"},
	.end = 5e-07,
	.step = 5e-10,
	.scheme = "radau3",
	.from_rest = true,
	.size = {26.47, 4.65},
	.tolerance = 0.0002,
	.n_times = 5,
	.time = {1e-07, 2e-07, 3e-07, 4e-07, 5e-07},
	.figure = {{17.3512227, 2.98840498},
		   {21.8769349, 3.58349728},
		   {7.88242429, 0.561892927},
		   {1.03099018, -0.834962323},
		   {17.2193317, 2.73013024}},
};

/*
 * VCC vcc 0 5
 * VIN in 0 PULSE(0 5 2n 2n 2n 30n 80n)
 * RB in b 10k
 * RC vcc c 1k
 * Q1 c b 0 0 QM
 * .model QM npn(IS=1e-15 BF=80 VAF=50 RB=200 RC=20 RE=1 CJE=3e-12 CJC=2e-12 XCJC=0.4 CJS=2e-12
 * VJS=0.6 MJS=0.4 TF=0.3e-9 TR=10e-9 XTF=2 VTF=3 ITF=0.02 RBM=20 IKF=0.02 IKR=0.01 ISE=1e-13
 * ISC=1e-13 NE=1.6)
 */
static const deck substrate_npn = {
	.name = "substrate-npn",
	.text = NETLIST(
		"<voltage-source id=\"VCC\" p=\"vcc\" n=\"0\" e=\"5 V\"/>"
		"<voltage-source id=\"VIN\" p=\"in\" n=\"0\" "
		"e=\"=pulse(t,0,5,2e-9,2e-9,2e-9,30e-9,80e-9)\"/>"
		"<resistor id=\"RB\" p=\"in\" n=\"b\" R=\"10 kohm\"/><resistor id=\"RC\" p=\"vcc\" "
		"n=\"c\" R=\"1 kohm\"/>"
		"<spice-npn-substrate id=\"Q1\" c=\"c\" b=\"b\" e=\"0\" s=\"0\"  IS=\"1e-15 A\" "
		"BF=\"80\" VAF=\"50 V\" RB=\"200 ohm\" RC=\"20 ohm\" RE=\"1 ohm\" CJE=\"3e-12 F\" "
		"CJC=\"2e-12 F\" XCJC=\"0.4\" CJS=\"2e-12 F\" VJS=\"0.6 V\" MJS=\"0.4\" "
		"TF=\"0.3e-9 s\" TR=\"10e-9 s\" XTF=\"2\" VTF=\"3 V\" ITF=\"0.02 A\" RBM=\"20 "
		"ohm\" IKF=\"0.02 A\" IKR=\"0.01 A\" ISE=\"1e-13 A\" ISC=\"1e-13 A\" NE=\"1.6\" " KQ
		"/>"),
	.record = {"node(c).v", "node(b).v"},
	.end = 1e-07,
	.step = 1e-10,
	.scheme = "radau3",
	.size = {5.096, 0.8082},
	.tolerance = 2e-05,
	.n_times = 8,
	.time = {1.25e-08, 2.5e-08, 3.75e-08, 5e-08, 6.25e-08, 7.5e-08, 8.75e-08, 1e-07},
	.figure = {{4.58197545, 0.764788458},
		   {1.77598785, 0.799780537},
		   {0.376963298, 0.762168073},
		   {1.05878811, 0.755706865},
		   {1.8433346, 0.746218934},
		   {2.63522101, 0.734951932},
		   {2.31571461, 0.79529939},
		   {0.398460171, 0.808189989}},
};

/*
 * VCC vcc 0 -5
 * VIN in 0 PULSE(0 -5 2n 2n 2n 30n 80n)
 * RB in b 10k
 * RC vcc c 1k
 * Q1 c b 0 0 QM
 * .model QM pnp(IS=1e-15 BF=80 VAF=50 RB=200 RC=20 RE=1 CJE=3e-12 CJC=2e-12 XCJC=0.4 CJS=2e-12
 * VJS=0.6 MJS=0.4 TF=0.3e-9 TR=10e-9 XTF=2 VTF=3 ITF=0.02 RBM=20 IKF=0.02 IKR=0.01 ISE=1e-13
 * ISC=1e-13 NE=1.6)
 */
static const deck substrate_pnp = {
	.name = "substrate-pnp",
	.text = NETLIST(
		"<voltage-source id=\"VCC\" p=\"vcc\" n=\"0\" e=\"-5 V\"/>"
		"<voltage-source id=\"VIN\" p=\"in\" n=\"0\" "
		"e=\"=pulse(t,0,-5,2e-9,2e-9,2e-9,30e-9,80e-9)\"/>"
		"<resistor id=\"RB\" p=\"in\" n=\"b\" R=\"10 kohm\"/><resistor id=\"RC\" p=\"vcc\" "
		"n=\"c\" R=\"1 kohm\"/>"
		"<spice-pnp-substrate id=\"Q1\" c=\"c\" b=\"b\" e=\"0\" s=\"0\"  IS=\"1e-15 A\" "
		"BF=\"80\" VAF=\"50 V\" RB=\"200 ohm\" RC=\"20 ohm\" RE=\"1 ohm\" CJE=\"3e-12 F\" "
		"CJC=\"2e-12 F\" XCJC=\"0.4\" CJS=\"2e-12 F\" VJS=\"0.6 V\" MJS=\"0.4\" "
		"TF=\"0.3e-9 s\" TR=\"10e-9 s\" XTF=\"2\" VTF=\"3 V\" ITF=\"0.02 A\" RBM=\"20 "
		"ohm\" IKF=\"0.02 A\" IKR=\"0.01 A\" ISE=\"1e-13 A\" ISC=\"1e-13 A\" NE=\"1.6\" " KQ
		"/>"),
	.record = {"node(c).v", "node(b).v"},
	.end = 1e-07,
	.step = 1e-10,
	.scheme = "radau3",
	.size = {5.075, 0.8062},
	.tolerance = 2e-05,
	.n_times = 8,
	.time = {1.25e-08, 2.5e-08, 3.75e-08, 5e-08, 6.25e-08, 7.5e-08, 8.75e-08, 1e-07},
	.figure = {{-5.04744676, -0.695748546},
		   {-2.53086496, -0.791583799},
		   {-0.866350388, -0.75846775},
		   {-1.63310201, -0.749596395},
		   {-2.42122761, -0.738974093},
		   {-3.17415113, -0.726390616},
		   {-2.72566291, -0.789636696},
		   {-0.615573336, -0.806194989}},
};

/*
 * VDD vdd 0 3.3
 * VIN x0 0 PULSE(0 3.3 1n 0.2n 0.2n 2n 10n)
 * MN x1 x0 0 0 MN W=10u L=1u
 * MP x1 x0 vdd vdd MP W=20u L=1u
 * CL x1 0 50f
 * .model MN NMOS(VTO=0.7 KP=1.1e-4 GAMMA=0.5 PHI=0.65 LAMBDA=0.04 TOX=2e-8 CGSO=3e-10 CGDO=3e-10
 * CGBO=2e-10 CBD=20e-15 CBS=20e-15 PB=0.8) .model MP PMOS(VTO=-0.8 KP=4e-5 GAMMA=0.6 PHI=0.65
 * LAMBDA=0.05 TOX=2e-8 CGSO=3e-10 CGDO=3e-10 CGBO=2e-10 CBD=40e-15 CBS=40e-15 PB=0.8)
 */
static const deck cmos_inverter = {
	.name = "cmos-inverter",
	.text = NETLIST(
		"<voltage-source id=\"VDD\" p=\"vdd\" n=\"0\" e=\"3.3 V\"/><voltage-source "
		"id=\"VIN\" p=\"x0\" n=\"0\" e=\"=pulse(t,0,3.3,1e-9,2e-10,2e-10,2e-9,1e-8)\"/>"
		"<spice-nmos id=\"MN\" d=\"x1\" g=\"x0\" s=\"0\" b=\"0\" W=\"10 um\" L=\"1 um\"  "
		"VTO=\"0.7 V\" KP=\"1.1e-4 A/V2\" GAMMA=\"0.5\" PHI=\"0.65 V\" LAMBDA=\"0.04 1/V\" "
		"TOX=\"2e-8 m\" CGSO=\"3e-10 F/m\" CGDO=\"3e-10 F/m\" CGBO=\"2e-10 F/m\" "
		"CBD=\"20e-15 F\" CBS=\"20e-15 F\" PB=\"0.8 V\" " KQ
		"/><spice-pmos id=\"MP\" d=\"x1\" g=\"x0\" s=\"vdd\" b=\"vdd\" W=\"20 um\" L=\"1 "
		"um\"  VTO=\"-0.8 V\" KP=\"4e-5 A/V2\" GAMMA=\"0.6\" PHI=\"0.65 V\" LAMBDA=\"0.05 "
		"1/V\" TOX=\"2e-8 m\" CGSO=\"3e-10 F/m\" CGDO=\"3e-10 F/m\" CGBO=\"2e-10 F/m\" "
		"CBD=\"40e-15 F\" CBS=\"40e-15 F\" PB=\"0.8 V\" " KQ "/>"
		"<capacitor id=\"CL\" p=\"x1\" n=\"0\" C=\"50 fF\"/>"),
	.record = {"node(x1).v"},
	.end = 4e-09,
	.step = 1e-11,
	.scheme = "radau3",
	.size = {3.463},
	.tolerance = 0.0001,
	.n_times = 10,
	.time = {4e-10, 8e-10, 1.2e-09, 1.6e-09, 2e-09, 2.4e-09, 2.8e-09, 3.2e-09, 3.6e-09, 4e-09},
	.figure = {{3.3},
		   {3.3},
		   {1.73121382},
		   {4.05378677e-05},
		   {1.93287636e-09},
		   {1.15736617e-09},
		   {1.15736617e-09},
		   {1.15736499e-09},
		   {3.20207422},
		   {3.29983727}},
};

/*
 * VDD vdd 0 3.3
 * VA a 0 PULSE(0 3.3 1n 0.2n 0.2n 2n 10n)
 * VB b 0 PULSE(0 3.3 0.5n 0.2n 0.2n 3.5n 10n)
 * M1 y a m 0 MN W=10u L=1u
 * M2 m b 0 0 MN W=10u L=1u
 * M3 y a vdd vdd MP W=20u L=1u
 * M4 y b vdd vdd MP W=20u L=1u
 * CL y 0 50f
 * .model MN NMOS(VTO=0.7 KP=1.1e-4 GAMMA=0.5 PHI=0.65 LAMBDA=0.04 TOX=2e-8 CGSO=3e-10 CGDO=3e-10
 * CGBO=2e-10 CBD=20e-15 CBS=20e-15 PB=0.8 RD=20 RS=20) .model MP PMOS(VTO=-0.8 KP=4e-5 GAMMA=0.6
 * PHI=0.65 LAMBDA=0.05 TOX=2e-8 CGSO=3e-10 CGDO=3e-10 CGBO=2e-10 CBD=40e-15 CBS=40e-15 PB=0.8)
 */
static const deck nand = {
	.name = "nand",
	.text = NETLIST(
		"<voltage-source id=\"VDD\" p=\"vdd\" n=\"0\" e=\"3.3 V\"/><voltage-source "
		"id=\"VA\" p=\"a\" n=\"0\" e=\"=pulse(t,0,3.3,1e-9,2e-10,2e-10,2e-9,1e-8)\"/>"
		"<voltage-source id=\"VB\" p=\"b\" n=\"0\" "
		"e=\"=pulse(t,0,3.3,5e-10,2e-10,2e-10,3.5e-9,1e-8)\"/>"
		"<spice-nmos id=\"M1\" d=\"y\" g=\"a\" s=\"m\" b=\"0\" W=\"10 um\" L=\"1 um\"  "
		"VTO=\"0.7 V\" KP=\"1.1e-4 A/V2\" GAMMA=\"0.5\" PHI=\"0.65 V\" LAMBDA=\"0.04 1/V\" "
		"TOX=\"2e-8 m\" CGSO=\"3e-10 F/m\" CGDO=\"3e-10 F/m\" CGBO=\"2e-10 F/m\" "
		"CBD=\"20e-15 F\" CBS=\"20e-15 F\" PB=\"0.8 V\" RD=\"20 ohm\" RS=\"20 ohm\" " KQ
		"/><spice-nmos id=\"M2\" d=\"m\" g=\"b\" s=\"0\" b=\"0\" W=\"10 um\" L=\"1 um\"  "
		"VTO=\"0.7 V\" KP=\"1.1e-4 A/V2\" GAMMA=\"0.5\" PHI=\"0.65 V\" LAMBDA=\"0.04 1/V\" "
		"TOX=\"2e-8 m\" CGSO=\"3e-10 F/m\" CGDO=\"3e-10 F/m\" CGBO=\"2e-10 F/m\" "
		"CBD=\"20e-15 F\" CBS=\"20e-15 F\" PB=\"0.8 V\" RD=\"20 ohm\" RS=\"20 ohm\" " KQ
		"/>"
		"<spice-pmos id=\"M3\" d=\"y\" g=\"a\" s=\"vdd\" b=\"vdd\" W=\"20 um\" L=\"1 um\"  "
		"VTO=\"-0.8 V\" KP=\"4e-5 A/V2\" GAMMA=\"0.6\" PHI=\"0.65 V\" LAMBDA=\"0.05 1/V\" "
		"TOX=\"2e-8 m\" CGSO=\"3e-10 F/m\" CGDO=\"3e-10 F/m\" CGBO=\"2e-10 F/m\" "
		"CBD=\"40e-15 F\" CBS=\"40e-15 F\" PB=\"0.8 V\" " KQ
		"/><spice-pmos id=\"M4\" d=\"y\" g=\"b\" s=\"vdd\" b=\"vdd\" W=\"20 um\" L=\"1 "
		"um\"  VTO=\"-0.8 V\" KP=\"4e-5 A/V2\" GAMMA=\"0.6\" PHI=\"0.65 V\" LAMBDA=\"0.05 "
		"1/V\" TOX=\"2e-8 m\" CGSO=\"3e-10 F/m\" CGDO=\"3e-10 F/m\" CGBO=\"2e-10 F/m\" "
		"CBD=\"40e-15 F\" CBS=\"40e-15 F\" PB=\"0.8 V\" " KQ "/>"
		"<capacitor id=\"CL\" p=\"y\" n=\"0\" C=\"50 fF\"/>"),
	.record = {"node(y).v", "node(m).v"},
	.end = 5e-09,
	.step = 1e-11,
	.scheme = "radau3",
	.size = {3.45, 0.7147},
	.tolerance = 0.0003,
	.n_times = 10,
	.time = {5e-10, 1e-09, 1.5e-09, 2e-09, 2.5e-09, 3e-09, 3.5e-09, 4e-09, 4.5e-09, 5e-09},
	.figure = {{3.3, 4.83495923e-20},
		   {3.30367236, 4.25957557e-08},
		   {0.391044971, 0.206066618},
		   {0.00491354621, 0.00275288315},
		   {5.9647477e-05, 3.34419786e-05},
		   {7.28874845e-07, 4.08345644e-07},
		   {2.48254423, -0.000303376369},
		   {3.29777387, -1.06026645e-14},
		   {3.28754881, -0.350372428},
		   {3.29999969, -0.350255694}},
};

/*
 * VDD vdd 0 10
 * VIN in 0 SIN(0 0.5 5meg)
 * RG in g 1k
 * RD vdd d 1k
 * RS s 0 100
 * J1 d g s JM
 * .model JM njf(VTO=-2 BETA=1e-3 LAMBDA=0.02 RD=20 RS=20 CGS=4e-12 CGD=2e-12 PB=0.8 IS=1e-14)
 */
static const deck njf = {
	.name = "njf",
	.text = NETLIST(
		"<voltage-source id=\"VDD\" p=\"vdd\" n=\"0\" e=\"10 V\"/><sine-source id=\"VIN\" "
		"p=\"in\" n=\"0\" amplitude=\"0.5 V\" frequency=\"5 MHz\"/>"
		"<resistor id=\"RG\" p=\"in\" n=\"g\" R=\"1 kohm\"/><resistor id=\"RD\" p=\"vdd\" "
		"n=\"d\" R=\"1 kohm\"/><resistor id=\"RS\" p=\"s\" n=\"0\" R=\"100 ohm\"/>"
		"<spice-njf id=\"J1\" d=\"d\" g=\"g\" s=\"s\"  VTO=\"-2 V\" BETA=\"1e-3 A/V2\" "
		"LAMBDA=\"0.02 1/V\" RD=\"20 ohm\" RS=\"20 ohm\" CGS=\"4e-12 F\" CGD=\"2e-12 F\" "
		"PB=\"0.8 V\" IS=\"1e-14 A\" " KQ "/>"),
	.record = {"node(d).v", "node(s).v"},
	.end = 3e-07,
	.step = 1e-09,
	.scheme = "radau3",
	.size = {8.11, 0.4301},
	.tolerance = 2e-05,
	.n_times = 5,
	.time = {6e-08, 1.2e-07, 1.8e-07, 2.4e-07, 3e-07},
	.figure = {{5.70757715, 0.428181851},
		   {7.49053809, 0.244865129},
		   {7.79871376, 0.22472683},
		   {5.86969901, 0.41683444},
		   {6.74193627, 0.318438952}},
};

/*
 * VDD vdd 0 -10
 * VIN in 0 SIN(0 0.5 5meg)
 * RG in g 1k
 * RD vdd d 1k
 * RS s 0 100
 * J1 d g s JM
 * .model JM pjf(VTO=-2 BETA=1e-3 LAMBDA=0.02 RD=20 RS=20 CGS=4e-12 CGD=2e-12 PB=0.8 IS=1e-14)
 */
static const deck pjf = {
	.name = "pjf",
	.text = NETLIST(
		"<voltage-source id=\"VDD\" p=\"vdd\" n=\"0\" e=\"-10 V\"/><sine-source id=\"VIN\" "
		"p=\"in\" n=\"0\" amplitude=\"0.5 V\" frequency=\"5 MHz\"/>"
		"<resistor id=\"RG\" p=\"in\" n=\"g\" R=\"1 kohm\"/><resistor id=\"RD\" p=\"vdd\" "
		"n=\"d\" R=\"1 kohm\"/><resistor id=\"RS\" p=\"s\" n=\"0\" R=\"100 ohm\"/>"
		"<spice-pjf id=\"J1\" d=\"d\" g=\"g\" s=\"s\"  VTO=\"-2 V\" BETA=\"1e-3 A/V2\" "
		"LAMBDA=\"0.02 1/V\" RD=\"20 ohm\" RS=\"20 ohm\" CGS=\"4e-12 F\" CGD=\"2e-12 F\" "
		"PB=\"0.8 V\" IS=\"1e-14 A\" " KQ "/>"),
	.record = {"node(d).v", "node(s).v"},
	.end = 3e-07,
	.step = 1e-09,
	.scheme = "radau3",
	.size = {8.11, 0.4301},
	.tolerance = 2e-05,
	.n_times = 5,
	.time = {6e-08, 1.2e-07, 1.8e-07, 2.4e-07, 3e-07},
	.figure = {{-8.09752735, -0.191323222},
		   {-6.44062184, -0.362603802},
		   {-6.04313828, -0.390116367},
		   {-7.99040482, -0.198124791},
		   {-7.17820854, -0.288947976}},
};

/*
 * VCC vcc 0 5
 * VIN in 0 PULSE(0.5 2 0 100n 100n 10n 300n)
 * RB in b 1k
 * RC vcc c 100
 * RD in d 1k
 * Q1 c b 0 QM m=3
 * D1 d 0 DM area=2
 * .model QM NPN(IS=1e-15 BF=100 BR=3 VAF=60 VAR=30 IKF=0.02 IKR=0.01 ISE=2e-13 NE=1.7 ISC=1e-13
 * NC=1.8 RB=50 RBM=5 RE=1 RC=3 XTB=1.5 XTI=3.2 EG=1.16) .model DM D(IS=1e-14 N=1.2 RS=2 EG=1.1
 * XTI=2.9) .temp 76.85
 */
static const deck warm = {
	.name = "warm",
	.text = NETLIST(
		"<voltage-source id=\"VCC\" p=\"vcc\" n=\"0\" e=\"5 V\"/>"
		"<voltage-source id=\"VIN\" p=\"in\" n=\"0\" "
		"e=\"=pulse(t,0.5,2,0,1e-7,1e-7,1e-8,3e-7)\"/>"
		"<resistor id=\"RB\" p=\"in\" n=\"b\" R=\"1 kohm\"/><resistor id=\"RC\" p=\"vcc\" "
		"n=\"c\" R=\"100 ohm\"/><resistor id=\"RD\" p=\"in\" n=\"d\" R=\"1 kohm\"/>"
		"<spice-npn id=\"Q1\" c=\"c\" b=\"b\" e=\"0\" area=\"3\" temp=\"350 K\"  "
		"IS=\"1e-15 A\" BF=\"100\" BR=\"3\" VAF=\"60 V\" VAR=\"30 V\" IKF=\"0.02 A\" "
		"IKR=\"0.01 A\" ISE=\"2e-13 A\" NE=\"1.7\" ISC=\"1e-13 A\" NC=\"1.8\" RB=\"50 "
		"ohm\" RBM=\"5 ohm\" RE=\"1 ohm\" RC=\"3 ohm\" XTB=\"1.5\" XTI=\"3.2\" EG=\"1.16 "
		"V\" " KQ "/>"
		"<spice-diode id=\"D1\" p=\"d\" n=\"0\" area=\"2\" temp=\"350 K\"  IS=\"1e-14 A\" "
		"N=\"1.2\" RS=\"2 ohm\" EG=\"1.1 V\" XTI=\"2.9\" " KQ "/>"),
	.record = {"node(c).v", "node(d).v"},
	.end = 2e-07,
	.step = 2e-09,
	.scheme = "gauss1",
	.size = {4.995, 0.7061},
	.tolerance = 2e-05,
	.n_times = 8,
	.time = {2.4e-08, 5e-08, 7.6e-08, 1e-07, 1.26e-07, 1.5e-07, 1.76e-07, 2e-07},
	.figure = {{3.42387883, 0.640778414},
		   {1.30932383, 0.675972671},
		   {0.224445165, 0.694409306},
		   {0.187423213, 0.706107721},
		   {0.20631982, 0.698703013},
		   {0.656201401, 0.684107838},
		   {2.52529114, 0.658045793},
		   {4.73176551, 0.592303945}},
};

static const deck *const decks[] = {
	&diode,         &zener,         &common_emitter, &rtl, &schmitt, &colpitts, &substrate_npn,
	&substrate_pnp, &cmos_inverter, &nand,           &njf, &pjf,     &warm};

START_TEST(test_deck)
{
	const deck *k = decks[_i];
	model m = model_of_text(k->text);
	char record[100];
	snprintf(record, sizeof record, "%s%s%s", k->record[0], k->record[1] ? ", " : "",
		 k->record[1] ? k->record[1] : "");
	bxt_summary s = {.size = sizeof s};
	const bxt_run_def def = {.size = sizeof def,
				 .step = k->step,
				 .end = k->end,
				 .scheme = k->scheme,
				 .start = k->from_rest ? NULL : "operating-point",
				 .record = record};
	bxt_table *t = model_run(&m, &def, &s);
	for (int i = 0; i < k->n_times; i++)
		for (int j = 0; j < MOST_NODES && k->record[j]; j++)
			ck_assert_msg(fabs(value_at_time(t, k->time[i], k->record[j]) -
					   k->figure[i][j]) <= k->tolerance * k->size[j],
				      "%s: %s at %g s is %.9g, of ngspice %.9g", k->name,
				      k->record[j], k->time[i],
				      value_at_time(t, k->time[i], k->record[j]), k->figure[i][j]);
	/* of charges without an energy the account closes to round-off; Radau's own part is named
	 */
	ck_assert_double_le(fabs(s.total.residual),
			    1e-5 * (fabs(s.total.supplied) + s.total.start + s.total.dissipated));
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- What the comments of shipped netlists say, of ngspice ---- */

typedef enum what { FIRST, LEAST, MOST, CROSSES } what;

typedef struct claim {
	const char *file, *signal;
	what what;
	double value,
		tolerance; /* of CROSSES: the time, in a step from `after` on, through `level` */
	double after, level;
} claim;

static double measured(const bxt_table *t, const claim *c)
{
	double value = value_at(t, 0, c->signal), last = value;
	for (size_t i = 1; i < bxt_table_rows(t) && c->what != FIRST; i++) {
		const double y = value_at(t, i, c->signal), b = bxt_table_time(t, i);
		const double a = bxt_table_time(t, i - 1);
		if (c->what == CROSSES && b > c->after && (y - c->level) * (last - c->level) <= 0)
			return a + (b - a) * (c->level - last) / (y - last);
		if (c->what != CROSSES)
			value = c->what == LEAST ? fmin(value, y) : fmax(value, y);
		last = y;
	}
	return c->what == CROSSES ? NAN : value;
}

static const claim claims[] = {
	{"examples/reverse-recovery.xml", "D1.i", LEAST, -0.0562852, 3e-4, 0, 0},
	{"examples/hot-diode.xml", "D1.i", MOST, 12.01266e-3, 1e-7, 0, 0},
	{"examples/hot-diode.xml", "D2.i", MOST, 13.04555e-3, 1e-7, 0, 0},
	{"examples/hot-diode.xml", "D1.i", LEAST, -0.4158861e-3, 3e-7, 0, 0},
	{"examples/hot-diode.xml", "D2.i", LEAST, -0.3518072e-3, 3e-7, 0, 0},
	{"examples/rtl-inverter.xml", "node(c).v", CROSSES, 80.1200e-9, 2e-12, 36e-9, 2.5},
	{"examples/push-pull.xml", "node(out).v", MOST, 4.2464567, 5e-5, 0, 0},
	{"examples/integrated-pair.xml", "node(out).v", FIRST, 4.2136717, 2e-6, 0, 0},
	{"examples/integrated-pair.xml", "node(x).v", FIRST, 4.3039524, 2e-6, 0, 0},
	{"examples/integrated-pair.xml", "node(out).v", LEAST, 3.7806615, 1e-5, 0, 0},
	{"examples/integrated-pair.xml", "node(out).v", MOST, 4.6463504, 1e-5, 0, 0},
	{"examples/cmos-inverter.xml", "node(out).v", CROSSES, 1.20230e-9, 1e-13, 1e-9, 1.65},
	{"examples/cmos-inverter.xml", "node(out).v", MOST, 3.46343, 1e-3, 0, 0},
	{"examples/jfet-follower.xml", "node(out).v", FIRST, -0.04527082, 1e-6, 0, 0},
	{"examples/jfet-follower.xml", "node(out).v", MOST, 0.812818, 1e-5, 0, 0},
	{"examples/jfet-follower.xml", "node(out).v", LEAST, -0.903586, 1e-5, 0, 0},
	{"examples/power-inverter.xml", "node(out).v", FIRST, 11.8272, 1e-5, 0, 0},
	{"examples/power-inverter.xml", "L1.i", FIRST, 0.7283994, 1e-6, 0, 0},
	{"examples/power-inverter.xml", "L1.i", LEAST, -0.733529, 1e-5, 0, 0},
	/* Q = C v (1 + v^2/9) at 3 V; exp(-20 us/1.2 us) is left */
	{"examples/law-of-charge.xml", "C1.q", MOST, 6e-9, 1e-12, 0, 0},
	/* van der Pol: 2 + mu^2/96; tanh(5 times it) */
	{"examples/tunnel-oscillator.xml", "node(a).v", MOST, 2.000104, 1e-6, 0, 0},
	{"examples/tunnel-oscillator.xml", "node(b).v", MOST, 0.99999999588, 1e-11, 0, 0},
};

START_TEST(test_claim)
{
	const claim *c = &claims[_i];
	model m = model_of_file(c->file);
	const bxt_run_def def = {.size = sizeof def, .record = c->signal};
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq_tol(measured(t, c), c->value, c->tolerance);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

TEST_SUITE("devices as SPICE has them")
{
	const test_case tests[] = {
		{"deck", test_deck, .loops = COUNT(decks)},
		{"claim", test_claim, .loops = COUNT(claims)},
	};
	ADD_TESTS(tests);
}
