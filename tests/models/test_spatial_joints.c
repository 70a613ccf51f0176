/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Joints between frames in space. Body a hangs on a hinge at wall, body b on each joint in turn at
 * a; both have all six entries of inertia and centres of mass off their origins. Figures are those
 * of minimal coordinates q, one for the hinge and as many as the joint leaves free,
 *
 *     sum over bodies  Jv^T m (v' - g) + Jw^T (I w' + w x I w) = Q ,
 *
 * with the Jacobians Jv, Jw of the poses as functions of q by numbers with two derivatives, and
 * scipy 1.10, solve_ivp, DOP853, rtol = 1e-13.
 */
#include "support/harness.h"

#include "ground/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The joint in frame a has the axes (2, 2, -1)/3, (-1, 2, 2)/3, (2, -1, 2)/3 as s, t, n, in frame b
 * (2, 3, 6)/7, (3, -6, 2)/7, (6, 2, -3)/7. */
#define POINTS "ax='0.2 m' ay='-0.1 m' az='0.3 m' bx='-0.1 m' by='0.15 m' bz='-0.25 m' "
#define A_S "asx='=2/3' asy='=2/3' asz='=-1/3' "
#define A_T "atx='=-1/3' aty='=2/3' atz='=2/3' "
#define A_N "anx='=2/3' any='=-1/3' anz='=2/3' "
#define B_S "bsx='=2/7' bsy='=3/7' bsz='=6/7' "
#define B_T "btx='=3/7' bty='=-6/7' btz='=2/7' "
#define B_N "bnx='=6/7' bny='=2/7' bnz='=-3/7' "
#define B_M "bmx='=2/7' bmy='=3/7' bmz='=6/7' "
#define GRAVITY "gx='1 m/s2' gy='-9.81 m/s2' gz='-2 m/s2'"
#define BODY_A                                                                                     \
	"<body id='A' a='a' m='2 kg' cx='0.1 m' cy='0.05 m' cz='-0.1 m' Ixx='0.1 kg.m2' "          \
	"Iyy='0.12 kg.m2' Izz='0.09 kg.m2' Ixy='0.01 kg.m2' Ixz='-0.02 kg.m2' "                    \
	"Iyz='0.015 kg.m2' " GRAVITY "/><hinge id='W' a='wall' b='a' ax='0.2 m' ay='0.1 m' "       \
	"bx='-0.3 m' by='0.1 m' bz='0.2 m' bnx='=2/7' bny='=3/7' bnz='=6/7'/>"
#define BODY_B                                                                                     \
	"<body id='B' a='b' m='1.5 kg' cx='0.05 m' cy='-0.1 m' cz='0.2 m' Ixx='0.05 kg.m2' "       \
	"Iyy='0.06 kg.m2' Izz='0.07 kg.m2' Ixy='-0.01 kg.m2' Ixz='0.005 kg.m2' "                   \
	"Iyz='0.01 kg.m2' " GRAVITY "/>"

/* The hinge at .4 rad with 1.2 rad/s. */
#define FRAME_A                                                                                    \
	"<node id='a' kind='spatial' x='0.22234953433202034' y='0.4506706233351232' "              \
	"z='-0.12857142857142859' R11='0.060953275450964572' R21='0.9563744272776088' "            \
	"R31='0.2857142857142857' R12='-0.90074323551923019' R22='-0.070626866549447553' "         \
	"R32='0.42857142857142855' R13='0.43005385927596024' R23='-0.28347804248447916' "          \
	"R33='0.8571428571428571' vx='-0.42080474800214779' vy='0.026819441198424429' "            \
	"vz='0' wx='2.7755575615628914e-17' wy='2.7755575615628914e-17' "                          \
	"wz='1.1999999999999997'/>"
#define SHAFT                                                                                      \
	"<node id='s' kind='rotational' theta='0.5 rad' omega='2 rad/s'/><inertia id='I' "         \
	"a='s' J='0.05 kg.m2'/><torsion-spring id='K' a='wall' b='s' k='3 N.m/rad' "               \
	"theta0='0.4 rad'/><rotational-damper id='D' a='wall' b='s' c='0.2 N.m.s/rad'/>"
#define ROD                                                                                        \
	"<node id='r' kind='translational' x='0.05 m' v='0.7 m/s'/><mass id='I' a='r' "            \
	"m='0.5 kg'/><spring id='K' a='wall' b='r' k='60 N/m' l0='0.05 m'/><damper id='D'"         \
	" a='wall' b='r' c='2 N.s/m'/>"

enum { POSITIONS = 6, FIGURES = 9 };
static const char *const figures[FIGURES] = {"x", "y", "z", "R31", "R32", "R33", "wx", "wy", "wz"};

static const struct joint {
	const char *name, *attributes, *more, *start; /* of b */
	double fine;                                  /* steps as parts of those below */
	double end[FIGURES];                          /* at 0.5 s */
} joints[] = {
	{"ball",
	 POINTS,
	 "",
	 "<node id='b' kind='spatial' x='0.39439413940226553' y='0.45570731462969749' "
	 "z='0.42529537320144772' R11='0.63658722996180317' R21='0.41830008180674538' "
	 "R31='0.64790565687453916' R12='-0.33690414179322037' R22='0.90655511823305324' "
	 "R32='-0.25427036171765716' R13='-0.69372350247928871' R23='-0.056416834065060206' "
	 "R33='0.71802844159680979' vx='0.72319190570715564' vy='0.46171600481537661' "
	 "vz='0.32876245443708502' wx='-1.1316463388723108' wy='3.4818596282181087' "
	 "wz='2.7392047729492566'/>",
	 2,
	 {0.68690660114708, 0.35217936775021, -0.050600136942986, 0.19879656262613,
	  0.93551827723188, -0.29203677791184, 4.3551709783402, 2.992305713792, -3.9857866695393}},
	{"hinge",
	 POINTS A_S A_T B_N,
	 "",
	 "<node id='b' kind='spatial' x='0.28514918645943715' y='0.39544517578992278' "
	 "z='0.33834405171731619' R11='0.33466913607554327' R21='0.15100935620754735' "
	 "R31='0.93015737576833279' R12='-0.19147373188285488' R22='0.97738251682548127' "
	 "R32='-0.08978432938291625' R13='-0.92267783074987886' R23='-0.14805266002902309' "
	 "R33='0.35601408750361041' vx='0.038703442771459207' vy='-0.35178672951826501' "
	 "vz='-0.052427381307515897' wx='1.2551716699820528' wy='0.94427975742380443' "
	 "wz='2.4380952380952374'/>",
	 1,
	 {0.49252284911557, 0.52403668788222, -6.5076130690706e-05, 0.33783432881583,
	  0.92929769002683, -0.14924399346157, 1.4020250562583, 2.5620784393458, 1.6848616788077}},
	{"universal",
	 POINTS A_N B_M,
	 "",
	 "<node id='b' kind='spatial' x='0.39213470617226498' y='0.48924765198186237' "
	 "z='0.43549274683761241' R11='0.35275933939378934' R21='0.71858831466333406' "
	 "R31='0.59932602354625519' R12='-0.5794156094253653' R22='0.67068132815514259' "
	 "R32='-0.46310269662169562' R13='-0.73473695975137221' R23='-0.18389505184578253' "
	 "R33='0.65295038853035914' vx='-0.51181189216629208' vy='-0.79705951173091716' "
	 "vz='-0.27177376096420269' wx='3.5870930591235175' wy='-0.061084658026510044' "
	 "wz='0.84078968591970371'/>",
	 2,
	 {0.40070203722499, 0.4814144075648, -0.055549294399895, -0.82897440152856,
	  -0.13466169254578, -0.5428330039442, -1.0367458412069, 1.294379685006, 7.6893476379579}},
	{"cylindrical",
	 POINTS A_S A_T B_N,
	 "",
	 "<node id='b' kind='spatial' x='0.41066635345764241' y='0.48987315153230326' "
	 "z='0.46215357552683994' R11='0.33466913607554327' R21='0.15100935620754735' "
	 "R31='0.93015737576833279' R12='-0.19147373188285488' R22='0.97738251682548127' "
	 "R32='-0.08978432938291625' R13='-0.92267783074987886' R23='-0.14805266002902309' "
	 "R33='0.35601408750361041' vx='-0.19178421875522755' vy='-0.66421894511116453' "
	 "vz='-0.38816488148508338' wx='1.8827575049730791' wy='1.4164196361357064' "
	 "wz='3.0571428571428561'/>",
	 2,
	 {0.18189552664667, -0.35370229584045, -0.72285221838272, 0.37433383381141,
	  0.92384716222736, -0.07987866867004, 0.351410658255, 1.897460768954, 3.8997848606747}},
	{"slider",
	 POINTS A_S A_T B_N B_T,
	 "",
	 "<node id='b' kind='spatial' x='0.33208843066002208' y='0.61560868232727639' "
	 "z='0.44591836734693868' R11='0.19382292320004677' R21='0.36260530517425993' "
	 "R31='0.91156462585034004' R12='0.16431456377779582' R22='0.90406020172221857' "
	 "R32='-0.39455782312925158' R13='-0.96717805939377122' R23='0.22625769450222688' "
	 "R33='0.11564625850340132' vx='-0.179420334299013' vy='0.48900403189035818' "
	 "vz='0.43333333333333324' wx='0' wy='-3.1225022567582528e-17' "
	 "wz='1.1999999999999997'/>",
	 1,
	 {-0.094723808045725, 0.29103669256263, 0.20728559278906, 0.91156462585034,
	  -0.39455782312925, 0.1156462585034, 1.1102230246252e-16, -2.4980018054066e-16,
	  2.7124232001835}},
	{"weld",
	 POINTS A_S A_T B_N B_T,
	 "",
	 "<node id='b' kind='spatial' x='0.20657126366181683' y='0.5211807065848959' "
	 "z='0.32210884353741487' R11='0.19382292320004677' R21='0.36260530517425993' "
	 "R31='0.91156462585034004' R12='0.16431456377779582' R22='0.90406020172221857' "
	 "R32='-0.39455782312925158' R13='-0.96717805939377122' R23='0.22625769450222688' "
	 "R33='0.11564625850340132' vx='-0.50541684790187502' vy='0.0078855163941802253' "
	 "vz='0' wx='0' wy='-3.1225022567582528e-17' wz='1.1999999999999997'/>",
	 1,
	 {-0.22067598849858, 0.12163519831684, 0.32210884353741, 0.91156462585034,
	  -0.39455782312925, 0.1156462585034, 2.2204460492503e-16, -1.6653345369377e-16,
	  6.3319516228174}},
	{"link",
	 POINTS "l='0.6 m' ",
	 "",
	 "<node id='b' kind='spatial' x='0.016095172331575508' y='0.80037615693657616' "
	 "z='0.73849384167804322' R11='0.63658722996180317' R21='0.41830008180674538' "
	 "R31='0.64790565687453916' R12='-0.33690414179322037' R22='0.90655511823305324' "
	 "R32='-0.25427036171765716' R13='-0.69372350247928871' R23='-0.056416834065060206' "
	 "R33='0.71802844159680979' vx='-1.9784428545855954' vy='-1.803807849281968' "
	 "vz='-0.4739503534108509' wx='2.9704761098419619' wy='-1.2501010845983609' "
	 "wz='0.94062290153506845'/>",
	 8,
	 {-0.24398365683799, -0.75500044563982, -0.32875332266371, 0.92308868726446,
	  0.33284214576291, -0.19267428849827, 8.5429185874769, 0.031407828854602,
	  6.3418071334969}},
	{"plane-joint",
	 POINTS A_S A_T A_N B_N,
	 "",
	 "<node id='b' kind='spatial' x='0.28165019567485439' y='0.57491656427764704' "
	 "z='0.20501071838398283' R11='0.33466913607554327' R21='0.15100935620754735' "
	 "R31='0.93015737576833279' R12='-0.19147373188285488' R22='0.97738251682548127' "
	 "R32='-0.08978432938291625' R13='-0.92267783074987886' R23='-0.14805266002902309' "
	 "R33='0.35601408750361041' vx='0.17109582776045429' vy='-1.2583807714871185' "
	 "vz='0.283263689943488' wx='1.8827575049730791' wy='1.4164196361357064' "
	 "wz='3.0571428571428561'/>",
	 1,
	 {1.1749121101222, -0.64549696636203, 1.2262424472229, 0.52017791687134, 0.83973858256814,
	  0.15573711101033, 0.71955897249739, 2.5628949346167, 2.2970550459314}},
	{"motor-hinge",
	 POINTS A_S A_T B_N B_S "shaft='s' ",
	 SHAFT,
	 "<node id='b' kind='spatial' x='0.28514918645943715' y='0.39544517578992278' "
	 "z='0.33834405171731619' R11='0.33466913607554327' R21='0.15100935620754735' "
	 "R31='0.93015737576833279' R12='-0.19147373188285488' R22='0.97738251682548127' "
	 "R32='-0.08978432938291625' R13='-0.92267783074987886' R23='-0.14805266002902309' "
	 "R33='0.35601408750361041' vx='0.038703442771459207' vy='-0.35178672951826501' "
	 "vz='-0.052427381307515897' wx='1.2551716699820528' wy='0.94427975742380443' "
	 "wz='2.4380952380952374'/>",
	 1,
	 {0.38147948186416, 0.4674367283721, 0.13996524087284, 0.57522200171027, 0.78516048603868,
	  0.22943988300189, 0.17303348398331, 0.64116651206252, 1.5480375454497}},
	{"rail-slider",
	 POINTS A_S A_T A_N B_N B_T "rod='r' x0='0.3 m' ",
	 ROD,
	 "<node id='b' kind='spatial' x='0.42622630590867611' y='0.6864296641340617' "
	 "z='0.53877551020408154' R11='0.19382292320004677' R21='0.36260530517425993' "
	 "R31='0.91156462585034004' R12='0.16431456377779582' R22='0.90406020172221857' "
	 "R32='-0.39455782312925158' R13='-0.96717805939377122' R23='0.22625769450222688' "
	 "R33='0.11564625850340132' vx='-0.26440551246715538' vy='0.60196948218874291' "
	 "vz='0.43333333333333324' wx='0' wy='-3.1225022567582528e-17' "
	 "wz='1.1999999999999997'/>",
	 1,
	 {0.026439041041015, 0.56998663875693, 0.41370935357507, 0.91156462585034,
	  -0.39455782312925, 0.1156462585034, -8.3266726846887e-17, -2.0122792321331e-16,
	  2.4545093797071}},
	{"screw",
	 POINTS A_S A_T A_N B_N B_S "shaft='s' p='0.2 m/rad' x0='0.3 m' ",
	 SHAFT,
	 "<node id='b' kind='spatial' x='0.53618352045584783' y='0.58430112727468364' "
	 "z='0.58596309933636381' R11='0.33466913607554327' R21='0.15100935620754735' "
	 "R31='0.93015737576833279' R12='-0.19147373188285488' R22='0.97738251682548127' "
	 "R32='-0.08978432938291625' R13='-0.92267783074987886' R23='-0.14805266002902309' "
	 "R33='0.35601408750361041' vx='0.063110634986156766' vy='0.13831042276218863' "
	 "vz='0.1951916663115317' wx='1.2551716699820528' wy='0.94427975742380443' "
	 "wz='2.4380952380952374'/>",
	 1,
	 {0.8568863947327, 0.55278056319712, 0.58554567627128, 0.71911789353012, 0.58103139517651,
	  0.38114560606681, 0.45975617605624, 0.35371258357088, -1.1204617527515}},
};

static const struct {
	const char *scheme;
	double step, order;
} gauss[] = {{"gauss1", 0.01, 2}, {"gauss2", 0.025, 4}, {"gauss3", 0.05, 6}};

/* Whole; or torn at frame a, its body and the hinge in one part, the joint and b in the other. */
static const char whole[] = NETLIST(BODY_A BODY_B FRAME_A "%s<%s id='J' a='a' b='b' %s/>%s");
static const char torn[] =
	NETLIST("<subsystem id='base'>" BODY_A FRAME_A "<port id='p' node='a'/></subsystem>"
		"<subsystem id='hand'>" BODY_B "%s<%s id='J' a='a' b='b' %s/>%s"
		"<port id='p' node='a'/></subsystem><interconnection>"
		"<connect id='c' a='base.p' b='hand.p'/></interconnection>");

static bxt_table *run_joint(const struct joint *j, const char *text, const char *scheme,
			    double step, double end)
{
	/* with the projection, which runs where rows are not quadratic, a torn model differs from
	 * the whole one by an error of the step: 2e-7 with gauss1 */
	const bool shaft = strstr(j->attributes, "shaft") != NULL;
	bxt_buffer xml = {0}, record = {0};
	bxt_buffer_printf(&xml, text, j->start, j->name, j->attributes, j->more);
	for (int i = 0; i < FIGURES; i++)
		bxt_buffer_printf(&record, "node(%sb).%s, ", text == torn ? "hand." : "",
				  figures[i]);
	bxt_buffer_printf(&record, "energy, dissipated");
	bxt_table *t = run_text(xml.text, &(bxt_run_def){.size = sizeof(bxt_run_def),
							 .scheme = scheme,
							 .step = step,
							 .end = end,
							 .projection = shaft ? "off" : NULL,
							 .record = record.text});
	bxt_buffer_free(&xml);
	bxt_buffer_free(&record);
	return t;
}

static double error_of(const struct joint *j, const char *scheme, double step)
{
	bxt_table *t = run_joint(j, whole, scheme, step, 0.5);
	double worst = 0;
	for (int i = 0; i < FIGURES; i++)
		worst = fmax(worst, fabs(bxt_table_value(t, bxt_table_rows(t) - 1, (size_t)i) -
					 j->end[i]));
	bxt_table_free(t);
	return worst;
}

/* Errors fall by 2^order where the step is halved. */
START_TEST(orders)
{
	const struct joint *j = &joints[_i / COUNT(gauss)];
	const int k = _i % COUNT(gauss);
	const double h = gauss[k].step / j->fine;
	const double coarse = error_of(j, gauss[k].scheme, h);
	const double fine = error_of(j, gauss[k].scheme, h / 2), order = log2(coarse / fine);
	if (getenv("BXT_TESTS_TELL"))
		printf("%s, %s: %.3g, %.3g, order %.2f\n", j->name, gauss[k].scheme, coarse, fine,
		       order);
	ck_assert_msg(fabs(order - gauss[k].order) < 0.3, "%s, %s: %.3g, then %.3g: order %.2f",
		      j->name, gauss[k].scheme, coarse, fine, order);
	ck_assert_double_lt(fine, 5e-3);
}
END_TEST

/* With gauss1 energy is kept to round-off, but for what dampers take. The row of a shaft is not
 * quadratic, it knows the cosine of an angle: with it energy is kept to the order. */
START_TEST(energy)
{
	const struct joint *j = &joints[_i];
	bxt_table *t = run_joint(j, whole, "gauss1", 0.01, 5);
	const double scale = largest(t, "energy") + largest(t, "dissipated");
	double worst = 0;
	for (size_t r = 0; r < bxt_table_rows(t); r++)
		worst = fmax(worst, fabs(value_at(t, r, "energy") + value_at(t, r, "dissipated") -
					 value_at(t, 0, "energy")));
	if (getenv("BXT_TESTS_TELL"))
		printf("%s: %.3g of %.3g J\n", j->name, worst, scale);
	const double share =
		strstr(j->more, "shaft") || strstr(j->attributes, "shaft") ? 1e-3 : 1e-12;
	ck_assert_msg(worst <= share * scale, "%s: %.3g J", j->name, worst);
	bxt_table_free(t);
}
END_TEST

/* The torn mechanism moves as the whole one does, and with shaft and rod in the second part. */
START_TEST(torn_is_whole)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "gauss3"};
	const struct joint *j = &joints[_i];
	for (int k = 0; k < COUNT(schemes); k++) {
		bxt_table *one = run_joint(j, whole, schemes[k], 0.01, 0.5);
		bxt_table *two = run_joint(j, torn, schemes[k], 0.01, 0.5);
		double worst = 0;
		for (int i = 0; i < POSITIONS; i++)
			for (size_t r = 0; r < bxt_table_rows(one); r++)
				worst = fmax(worst, fabs(bxt_table_value(one, r, (size_t)i) -
							 bxt_table_value(two, r, (size_t)i)));
		if (getenv("BXT_TESTS_TELL"))
			printf("%s, %s: %.3g\n", j->name, schemes[k], worst);
		ck_assert_msg(worst <= 1e-12, "%s, %s: %.3g", j->name, schemes[k], worst);
		bxt_table_free(one);
		bxt_table_free(two);
	}
}
END_TEST

TEST_SUITE("joints in space")
{
	const test_case tests[] = {
		{"orders", orders, .loops = COUNT(joints) * COUNT(gauss), .slow = true},
		{"energy", energy, .loops = COUNT(joints), .slow = true},
		{"torn is whole", torn_is_whole, .loops = COUNT(joints), .slow = true},
	};
	ADD_TESTS(tests);
}
