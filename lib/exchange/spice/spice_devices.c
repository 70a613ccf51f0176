/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * D, Q, M and J with their models; M is also VDMOS. Parameters that the components have are written
 * as they are given; what SPICE derives from process parameters of a MOS transistor is derived
 * here, by the formulas of level 1 (mos1temp.c of SPICE 3). A parameter that is given and has no
 * counterpart is a warning, unless it has the value that makes it void.
 */
#include "exchange/spice/spice.h"

#include <math.h>
#include <string.h>

/* how: 'k' kept, 's' kept where the component is the larger one, 'c' used here, 'w' a warning, 't'
 * a warning away from 27 degrees, 'h' harmless: noise, and names that only say what is the case
 * anyway. void: the value without an effect. */
typedef struct row {
	const char *names; /* in lower case, blanks between; the first, in capitals, is kept */
	char how;
	double without;
	const char *unit;
} row;

enum { MOST_ROWS = 64 };

static const row diode_rows[] = {
	{"is js", 'k', 0, "A"},      {"n", 'k', 0, ""},           {"rs", 'k', 0, "ohm"},
	{"cjo cj0 cj", 'k', 0, "F"}, {"vj pb", 'k', 0, "V"},      {"m mj", 'k', 0, ""},
	{"fc", 'k', 0, ""},          {"tt", 'k', 0, "s"},         {"bv", 'k', 0, "V"},
	{"ibv ib", 'k', 0, "A"},     {"eg", 'k', 0, "V"},         {"xti pt", 'k', 0, ""},
	{"tnom tref", 'c', 27, ""},  {"level", 'c', 1, ""},       {"kf", 'h', 0, ""},
	{"af", 'h', 0, ""},          {"trs1 trs", 'k', 0, "1/K"}, {"trs2", 'k', 0, "1/K2"},
	{"tbv1 tcv", 'k', 0, "V/K"}, {"cta ctc", 't', 0, ""},     {"tm1", 't', 0, ""},
	{"tpb tvj", 't', 0, ""},     {"nbv nz", 'k', 0, ""},      {"ikf ik", 's', 0, "A"},
	{"isr", 's', 0, "A"},        {"cjp cjsw", 'w', 0, ""},    {"jsw", 'w', 0, ""},
	{"vp php", 'h', 0, ""},      {"mjsw", 'h', 0, ""},        {"nr", 's', 2, ""},
	{"ns", 'h', 1, ""},          {"area", 'w', 1, ""},        {"type", 'h', 0, ""},
	{"vpk", 'h', 0, ""},         {"iave", 'h', 0, ""},        {"mfg", 'h', 0, ""},
	{"ikr", 'w', 0, ""},         {"d", 'h', 1, ""},           {NULL, 0, 0, NULL}};

static const row bipolar_rows[] = {{"is", 'k', 0, "A"},
				   {"bf", 'k', 0, ""},
				   {"br", 'k', 0, ""},
				   {"nf", 'k', 0, ""},
				   {"nr", 'k', 0, ""},
				   {"vaf va", 'k', 0, "V"},
				   {"var vb", 'k', 0, "V"},
				   {"ikf ik", 'k', 0, "A"},
				   {"ikr", 'k', 0, "A"},
				   {"ise", 'k', 0, "A"},
				   {"isc", 'k', 0, "A"},
				   {"ne", 'k', 0, ""},
				   {"nc", 'k', 0, ""},
				   {"rb", 'k', 0, "ohm"},
				   {"rbm", 'k', 0, "ohm"},
				   {"re", 'k', 0, "ohm"},
				   {"rc", 'k', 0, "ohm"},
				   {"cje", 'k', 0, "F"},
				   {"vje pe", 'k', 0, "V"},
				   {"mje me", 'k', 0, ""},
				   {"cjc", 'k', 0, "F"},
				   {"vjc pc", 'k', 0, "V"},
				   {"mjc mc", 'k', 0, ""},
				   {"tf", 'k', 0, "s"},
				   {"tr", 'k', 0, "s"},
				   {"fc", 'k', 0, ""},
				   {"eg", 'k', 0, "V"},
				   {"xti pt", 'k', 0, ""},
				   {"xtb", 'k', 0, ""},
				   {"xcjc", 's', 1, ""},
				   {"cjs ccs csub", 's', 0, "F"},
				   {"vjs ps", 's', 0, "V"},
				   {"mjs ms", 's', 0, ""},
				   {"tnom tref", 'c', 27, ""},
				   {"level", 'c', 1, ""},
				   {"irb", 'k', 0, "A"},
				   {"ptf", 'w', 0, ""},
				   {"xtf", 'k', 0, ""},
				   {"vtf", 'k', 0, "V"},
				   {"itf", 'k', 0, "A"},
				   {"iss", 's', 0, "A"},
				   {"ns", 's', 1, ""},
				   {"kf", 'h', 0, ""},
				   {"af", 'h', 0, ""},
				   {"c2", 'c', 0, ""},
				   {"c4", 'c', 0, ""},
				   {"rco", 'w', 0, ""},
				   {"vo", 'w', 0, ""},
				   {"gamma", 'w', 0, ""},
				   {"qco", 'w', 0, ""},
				   {"subs", 'w', 0, ""},
				   {"nk nkf", 'k', 0.5, ""},
				   {"cn", 'h', 0, ""},
				   {"d", 'h', 0, ""},
				   {"vceo", 'h', 0, ""},
				   {"icrating", 'h', 0, ""},
				   {"mfg", 'h', 0, ""},
				   {NULL, 0, 0, NULL}};

static const row mos_rows[] = {
	{"vto vt0", 'k', 0, "V"}, {"kp", 'k', 0, "A/V2"},    {"gamma", 'k', 0, ""},
	{"phi", 'k', 0, "V"},     {"lambda", 'k', 0, "1/V"}, {"ld", 'k', 0, "m"},
	{"tox", 'k', 0, "m"},     {"cgso", 'k', 0, "F/m"},   {"cgdo", 'k', 0, "F/m"},
	{"cgbo", 'k', 0, "F/m"},  {"cbd", 'k', 0, "F"},      {"cbs", 'k', 0, "F"},
	{"pb", 'k', 0, "V"},      {"mj", 'k', 0, ""},        {"mjsw", 'k', 0, ""},
	{"fc", 'k', 0, ""},       {"is", 'k', 0, "A"},       {"rd", 'k', 0, "ohm"},
	{"rs", 'k', 0, "ohm"},    {"rsh", 'c', 0, ""},       {"cj", 'c', 0, ""},
	{"cjsw", 'c', 0, ""},     {"js", 'c', 0, ""},        {"uo u0", 'c', 0, ""},
	{"nsub", 'c', 0, ""},     {"nss", 'c', 0, ""},       {"tpg", 'c', 0, ""},
	{"level", 'c', 1, ""},    {"tnom", 'c', 27, ""},     {"kf", 'h', 0, ""},
	{"af", 'h', 0, ""},       {"nlev", 'h', 0, ""},      {"gdsnoi", 'h', 0, ""},
	{"w", 'h', 0, ""},        {"l", 'h', 0, ""},         {"ad", 'h', 0, ""},
	{"as", 'h', 0, ""},       {"pd", 'h', 0, ""},        {"ps", 'h', 0, ""},
	{"nrd", 'h', 0, ""},      {"nrs", 'h', 0, ""},

	{NULL, 0, 0, NULL}};

static const row jfet_rows[] = {
	{"vto vt0", 'k', 0, "V"}, {"beta", 'k', 0, "A/V2"},   {"lambda", 'k', 0, "1/V"},
	{"rd", 'k', 0, "ohm"},    {"rs", 'k', 0, "ohm"},      {"cgs", 'k', 0, "F"},
	{"cgd", 'k', 0, "F"},     {"pb", 'k', 0, "V"},        {"fc", 'k', 0, ""},
	{"is", 'k', 0, "A"},      {"b", 'w', 1, ""},          {"tnom", 'c', 27, ""},
	{"level", 'c', 1, ""},    {"kf", 'h', 0, ""},         {"af", 'h', 0, ""},
	{"vtotc", 'k', 0, "V/K"}, {"betatce", 'k', 0, "1/K"}, {"xti", 'k', 0, ""},
	{"eg", 'k', 1.11, "V"},   {"n", 'k', 1, ""},          {"tcv", 'c', 0, ""},
	{"bex", 't', 0, ""},      {"isr", 'w', 0, ""},        {"alpha", 'w', 0, ""},
	{"m", 'w', 0.5, ""},      {"nlev", 'h', 0, ""},       {NULL, 0, 0, NULL}};

static const row vdmos_rows[] = {{"vto vth0", 'k', 0, "V"},
				 {"kp", 'k', 0, "A/V2"},
				 {"lambda", 'k', 0, "1/V"},
				 {"theta", 'k', 0, "1/V"},
				 {"mtriode", 'k', 0, ""},
				 {"ksubthres", 'k', 0, "V"},
				 {"subshift", 'k', 0, "V"},
				 {"rd", 'k', 0, "ohm"},
				 {"rq", 'k', 0, "ohm"},
				 {"vq", 'k', 0, "V"},
				 {"rs", 'k', 0, "ohm"},
				 {"rg", 'k', 0, "ohm"},
				 {"rds", 'k', 0, "ohm"},
				 {"cgs", 'k', 0, "F"},
				 {"cgdmin", 'k', 0, "F"},
				 {"cgdmax", 'k', 0, "F"},
				 {"a", 'k', 0, "1/V"},
				 {"is", 'k', 0, "A"},
				 {"n", 'k', 0, ""},
				 {"rb", 'k', 0, "ohm"},
				 {"cjo", 'k', 0, "F"},
				 {"vj", 'k', 0, "V"},
				 {"m", 'k', 0, ""},
				 {"fc", 'k', 0, ""},
				 {"tt", 'k', 0, "s"},
				 {"bv", 'k', 0, "V"},
				 {"ibv", 'k', 0, "A"},
				 {"nbv", 'k', 0, ""},
				 {"eg", 'k', 0, "V"},
				 {"xti", 'k', 0, ""},
				 {"mu bex", 'k', 0, ""},
				 {"tcvth vtotc", 'k', 0, "V/K"},
				 {"texp0", 'k', 0, ""},
				 {"texp1", 'k', 0, ""},
				 {"tnom", 'c', 27, ""},
				 {"vp", 'w', 0, ""},
				 {"trd1", 't', 0, ""},
				 {"trd2", 't', 0, ""},
				 {"trg1", 't', 0, ""},
				 {"trg2", 't', 0, ""},
				 {"trs1", 't', 0, ""},
				 {"trs2", 't', 0, ""},
				 {"trb1", 't', 0, ""},
				 {"trb2", 't', 0, ""},
				 {"tksubthres1", 't', 0, ""},
				 {"tksubthres2", 't', 0, ""},
				 {"phi", 'h', 0, ""},
				 {"kf", 'h', 0, ""},
				 {"af", 'h', 0, ""},
				 {"rthjc", 'h', 0, ""},
				 {"rthca", 'h', 0, ""},
				 {"rth_ext", 'h', 0, ""},
				 {"cthj", 'h', 0, ""},
				 {"vgs_max vgd_max vds_max vgsr_max vgdr_max", 'h', 0, ""},
				 {"pd_max id_max idr_max te_max derating", 'h', 0, ""},
				 {"vds ron qg mfg", 'h', 0, ""},
				 {"nchan pchan vdmosn vdmosp", 'h', 0, ""},
				 {NULL, 0, 0, NULL}};

typedef struct kind {
	const char *type, *component;
	char letter;
	const row *rows;
} kind;
static const kind kinds[] = {
	{"d", "spice-diode", 'd', diode_rows},       {"npn", "spice-npn", 'q', bipolar_rows},
	{"pnp", "spice-pnp", 'q', bipolar_rows},     {"nmos", "spice-nmos", 'm', mos_rows},
	{"pmos", "spice-pmos", 'm', mos_rows},       {"njf", "spice-njf", 'j', jfet_rows},
	{"pjf", "spice-pjf", 'j', jfet_rows},        {"vdmos", "spice-nvdmos", 'v', vdmos_rows},
	{"vdmos-p", "spice-pvdmos", 'v', vdmos_rows}};

/* A device at work: values of the rows. */
typedef struct device {
	bxt_spice_scope *scope;
	const bxt_spice_element *e;
	const bxt_spice_model *model;
	const bxt_spice_env *where; /* of the model */
	const kind *kind;
	double values[MOST_ROWS];
	bool given[MOST_ROWS];
} device;

/* ---- Rows ---- */

static bool has_name(const char *names, const char *name)
{
	const size_t length = strlen(name);
	for (const char *s = names; *s; s += strcspn(s, " "), s += strspn(s, " "))
		if (strncmp(s, name, length) == 0 && (s[length] == ' ' || !s[length]))
			return true;
	return false;
}

static int row_of(const row *rows, const char *name)
{
	int k = 0;
	while (rows[k].names && !has_name(rows[k].names, name))
		k++;
	return rows[k].names ? k : -1;
}

/* The value of a row by the first of its names. */
static double value_of(const device *d, const char *name, double usual)
{
	const int k = row_of(d->kind->rows, name);
	return k >= 0 && d->given[k] ? d->values[k] : usual;
}

static bool is_given(const device *d, const char *name)
{
	const int k = row_of(d->kind->rows, name);
	return k >= 0 && d->given[k];
}

static void set(device *d, const char *name, double value)
{
	const int k = row_of(d->kind->rows, name);
	d->values[k] = value;
	d->given[k] = true;
}

/* Of the line, else of the model: parameters of elements may stand there as defaults. */
static double of_line(const device *d, const char *name, double usual)
{
	const bxt_spice_assignment *a = bxt_spice_find(&d->model->values, name);
	if (a && a->text && d->kind->letter == 'm')
		bxt_spice_value(d->scope->deck, d->where, a->text, d->model->line, &usual);
	return bxt_spice_assigned(d->scope, d->e, name, usual);
}

static void add_name(bxt_buffer *list, const char *name, double value)
{
	bxt_buffer_printf(list, "%s%.40s=%g", list->length ? ", " : "", name, value);
}

static void read_model(device *d)
{
	const bxt_spice_env *env = d->where;
	bxt_deck *deck = d->scope->deck;
	bxt_buffer ignored = {0}, warm = {0}; /* always, and away from the model's temperature */
	const bxt_spice_assignment *level = bxt_spice_find(&d->model->values, "level");
	double value_of_level = 1;
	if (level && level->text)
		bxt_spice_value(deck, env, level->text, d->model->line, &value_of_level);
	if (value_of_level != 1) {
		bxt_deck_error(
			deck, d->e->line,
			"'%s': level %g of its model '%.100s' is not taken over, only level 1",
			d->e->words.word[0], value_of_level, d->model->name);
		return;
	}
	for (size_t i = 0; i < d->model->values.n; i++) {
		const bxt_spice_assignment *a = &d->model->values.items[i];
		const int k = row_of(d->kind->rows, a->name);
		const row *r = k >= 0 ? &d->kind->rows[k] : NULL;
		double value = 0;
		if (r && r->how == 'h')
			continue;
		if (!a->text) {
			if (strcmp(a->name, d->kind->type) != 0)
				bxt_deck_warning(deck, d->model->line,
						 "model '%.100s': '%.100s' is left out",
						 d->model->name, a->name);
			continue;
		}
		if (!bxt_spice_value(deck, env, a->text, d->model->line, &value))
			continue;
		if (r) {
			d->values[k] = value;
			d->given[k] = true;
		}
		if ((!r || r->how == 'w' || r->how == 't') && !(r && value == r->without))
			add_name(r && r->how == 't' ? &warm : &ignored, a->name, value);
	}
	if (warm.length &&
	    bxt_spice_temperature(d->scope, d->e) != value_of(d, "tnom", deck->nominal))
		bxt_buffer_printf(&ignored, "%s%s", ignored.length ? ", " : "", warm.text);
	if (ignored.length)
		bxt_deck_warning(
			deck, d->model->line,
			"model '%.100s': the component %s has nothing for %.400s: what comes "
			"out will differ",
			d->model->name, d->kind->component, ignored.text);
	deck->failed = deck->failed || ignored.failed || warm.failed;
	bxt_buffer_free(&ignored);
	bxt_buffer_free(&warm);
}

/* ---- MOS transistors ---- */

static const double boltzmann_by_charge = 8.617333262e-5, charge = 1.602176634e-19,
		    oxide = 3.9 * 8.854214871e-12, silicon = 11.7 * 8.854214871e-12;

/* What level 1 derives from the doping. */
static void derive_threshold(device *d, double cox)
{
	const double t = value_of(d, "tnom", d->scope->deck->nominal) + 273.15,
		     vt = boltzmann_by_charge * t;
	const double n = value_of(d, "nsub", 0) * 1e6;
	const double type = d->kind->type[0] == 'n' ? 1 : -1;
	if (n <= 1.45e16)
		return;
	const double phi = value_of(d, "phi", fmax(0.1, 2 * vt * log(n / 1.45e16)));
	const double gap = 1.16 - 7.02e-4 * t * t / (t + 1108), gate = value_of(d, "tpg", 1);
	const double work = gate != 0 ? 3.25 + 0.5 * gap - type * gate * 0.5 * gap : 3.2;
	const double gamma = value_of(d, "gamma", sqrt(2 * silicon * charge * n) / cox);
	const double flat = work - (3.25 + 0.5 * gap + type * 0.5 * phi) -
			    value_of(d, "nss", 0) * 1e4 * charge / cox;
	set(d, "phi", phi);
	set(d, "gamma", gamma);
	if (!is_given(d, "vto"))
		set(d, "vto", flat + type * (gamma * sqrt(phi) + phi));
}

/* Junctions by area and perimeter; sides: of the drain and of the source. */
static void derive_junctions(device *d, double *sides)
{
	const double m = of_line(d, "m", 1);
	const double area[] = {of_line(d, "ad", 0), of_line(d, "as", 0)};
	const double length[] = {of_line(d, "pd", 0), of_line(d, "ps", 0)};
	const double squares[] = {of_line(d, "nrd", 1), of_line(d, "nrs", 1)};
	static const char *const capacitances[] = {"cbd", "cbs"}, *const resistances[] = {"rd",
											  "rs"};
	const double js = value_of(d, "js", 0), sheet = value_of(d, "rsh", 0);
	for (int i = 0; i < 2; i++) {
		const double c = is_given(d, capacitances[i]) ? value_of(d, capacitances[i], 0)
							      : value_of(d, "cj", 0) * area[i];
		sides[i] = value_of(d, "cjsw", 0) * length[i] * m;
		if (c > 0)
			set(d, capacitances[i], c * m);
		if (!is_given(d, resistances[i]) && sheet > 0 && squares[i] > 0)
			set(d, resistances[i], sheet * squares[i]);
		if (is_given(d, resistances[i]))
			set(d, resistances[i], value_of(d, resistances[i], 0) / m);
	}
	if (js > 0 && area[0] > 0 && area[1] > 0) {
		if (area[0] != area[1])
			bxt_deck_warning(
				d->scope->deck, d->e->line,
				"'%s': AD and AS differ: both junctions get the saturation "
				"current of AD",
				d->e->words.word[0]);
		set(d, "is", js * area[0] * m);
	} else if (m != 1) {
		set(d, "is", value_of(d, "is", 1e-14) * m);
	}
}

static void write_mos(device *d)
{
	bxt_spice_scope *scope = d->scope;
	const double tox = value_of(d, "tox", 0), m = of_line(d, "m", 1);
	const double cox = tox > 0 ? oxide / tox : oxide / 1e-7;
	double sides[2];
	derive_junctions(d, sides);
	if (tox > 0) {
		if (!is_given(d, "kp"))
			set(d, "kp", value_of(d, "uo", 600) * 1e-4 * cox);
		derive_threshold(d, cox);
	} else if (is_given(d, "nsub") || is_given(d, "uo")) {
		bxt_deck_warning(scope->deck, d->model->line,
				 "model '%.100s': uo and nsub have no effect without tox",
				 d->model->name);
	}
	set(d, "tox", tox);
	if (is_given(d, "cgbo")) /* by length; the other overlaps are by the width, which has M */
		set(d, "cgbo", value_of(d, "cgbo", 0) * m);
	bxt_spice_value_attribute(scope, "W", of_line(d, "w", 1e-4) * m, "m");
	bxt_spice_value_attribute(scope, "L", of_line(d, "l", 1e-4), "m");
	if (sides[0] > 0)
		bxt_spice_value_attribute(scope, "CDSW", sides[0], "F");
	if (sides[1] > 0)
		bxt_spice_value_attribute(scope, "CSSW", sides[1], "F");
}

/* ---- The line ---- */

static const char *const names_of_device[] = {"area", "m",  "temp", "dtemp", "ic",  "off", "w", "l",
					      "ad",   "as", "pd",   "ps",    "nrd", "nrs", NULL};

/* A substrate is there when the model has something for it. */
static bool has_substrate(const device *d)
{
	return d->kind->letter == 'q' &&
	       (value_of(d, "cjs", 0) != 0 || value_of(d, "iss", 0) != 0 ||
		(value_of(d, "cjc", 0) != 0 && value_of(d, "xcjc", 1) != 1));
}

/* Of the component for the kind: a diode with a knee or recombination, a transistor with a
 * substrate. */
static const char *suffix_of(const device *d)
{
	if (has_substrate(d))
		return "-substrate";
	return d->kind->letter == 'd' && (value_of(d, "isr", 0) != 0 || value_of(d, "ikf", 0) != 0)
		       ? "-knee"
		       : "";
}

/* Values that components have in another way. A breakdown current is not that of a unit of area:
 * in SPICE only copies multiply it. */
static void adapt(device *d, double area)
{
	const double copies = of_line(d, "m", 1), is = value_of(d, "is", 1e-16);
	switch (d->kind->letter) {
	case 'd':
		if (is_given(d, "bv") && area != copies)
			set(d, "ibv", value_of(d, "ibv", 1e-3) * copies / area);
		break;
	case 'q':
		if (is_given(d, "c2") && !is_given(d, "ise"))
			set(d, "ise", value_of(d, "c2", 0) * is);
		if (is_given(d, "c4") && !is_given(d, "isc"))
			set(d, "isc", value_of(d, "c4", 0) * is);
		break;
	case 'j':
		if (is_given(d, "tcv") && !is_given(d, "vtotc"))
			set(d, "vtotc", -value_of(d, "tcv", 0));
		break;
	case 'v':
		set(d, "bv", fabs(value_of(d, "bv", 0)));
		set(d, "vq", is_given(d, "rq") ? fabs(value_of(d, "vq", 0)) : 0);
		if (is_given(d, "bv") && area != 1)
			set(d, "ibv", value_of(d, "ibv", 1e-10) / area);
		break;
	default:
		break;
	}
}

static void write_kept(const device *d)
{
	const bool larger = *suffix_of(d);
	for (int k = 0; d->kind->rows[k].names; k++) {
		const row *r = &d->kind->rows[k];
		char name[12] = "";
		if (!d->given[k] || !(r->how == 'k' || (r->how == 's' && larger)))
			continue;
		for (size_t i = 0; i + 1 < sizeof name && r->names[i] && r->names[i] != ' '; i++)
			name[i] = (char)(r->names[i] >= 'a' && r->names[i] <= 'z' ? r->names[i] - 32
										  : r->names[i]);
		bxt_spice_value_attribute(d->scope, name, d->values[k], r->unit);
	}
}

/* The word that names the model: behind the nodes, of which a Q has three to five. */
static int find_model(device *d)
{
	static const struct {
		char letter;
		int least, most;
	} nodes[] = {{'d', 2, 3}, {'q', 3, 5}, {'m', 3, 6}, {'j', 3, 3}};
	const bxt_spice_words *w = &d->e->words;
	const char letter = (char)(*w->word[0] | 32);
	int k = 0;
	while (nodes[k].letter != letter)
		k++;
	for (int i = nodes[k].least + 1; i <= nodes[k].most + 1 && i < w->n; i++) {
		const char *name =
			bxt_spice_lower(d->scope->deck->arena, w->word[i], strlen(w->word[i]));
		d->model = name ? bxt_deck_model(d->scope->env, name, &d->where) : NULL;
		if (d->model)
			return i;
	}
	if (w->n <= nodes[k].least + 1)
		bxt_deck_error(d->scope->deck, d->e->line,
			       "'%s' is not complete: nodes and a model", w->word[0]);
	else
		bxt_deck_error(d->scope->deck, d->e->line, "'%s': there is no model '%.100s'",
			       w->word[0], w->word[nodes[k].least + 1]);
	return -1;
}

/* A model VDMOS has its polarity as a word. */
static const char *type_of(const bxt_spice_model *model)
{
	const bool p = bxt_spice_find(&model->values, "pchan") != NULL ||
		       bxt_spice_find(&model->values, "vdmosp") != NULL;
	return p && strcmp(model->type, "vdmos") == 0 ? "vdmos-p" : model->type;
}

static bool find_kind(device *d)
{
	const char letter = (char)(*d->e->words.word[0] | 32), *type = type_of(d->model);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].letter == (bxt_spice_same(d->model->type, "vdmos") && letter == 'm'
						? 'v'
						: letter) &&
		    strcmp(kinds[i].type, type) == 0)
			d->kind = &kinds[i];
	if (!d->kind)
		bxt_deck_error(d->scope->deck, d->e->line,
			       "'%s': models of type '%.40s' are not taken over",
			       d->e->words.word[0], d->model->type);
	return d->kind != NULL;
}

static void check_line(const device *d, int at, double *area)
{
	bxt_deck *deck = d->scope->deck;
	const bxt_spice_words *w = &d->e->words;
	bxt_spice_check_names(d->scope, d->e, names_of_device);
	for (int i = at + 1; i < w->n; i++)
		if (!bxt_spice_same(w->word[i], "off"))
			bxt_spice_value(deck, d->scope->env, w->word[i], d->e->line, area);
	*area *= bxt_spice_assigned(d->scope, d->e, "area", 1);
	if (d->kind->letter != 'm')
		*area *= bxt_spice_assigned(d->scope, d->e, "m", 1);
	if (!(*area > 0))
		bxt_deck_error(deck, d->e->line, "'%s': the area is not above 0", w->word[0]);
	if (bxt_spice_find(&d->e->values, "ic") && deck->uic)
		bxt_deck_warning(deck, d->e->line, "'%s': IC of devices is left out", w->word[0]);
}

static void write_temperature(const device *d)
{
	const bxt_deck *deck = d->scope->deck;
	const double nominal = value_of(d, "tnom", deck->nominal);
	const double t = bxt_spice_temperature(d->scope, d->e);
	if (t != 27)
		bxt_spice_value_attribute(d->scope, "temp", t + 273.15, "K");
	if (nominal != 27)
		bxt_spice_value_attribute(d->scope, "tnom", nominal + 273.15, "K");
}

/* Between the name and the model: only a Q takes a substrate, and no transistor a temperature. */
static bool check_nodes(const device *d, int at)
{
	const bxt_spice_words *w = &d->e->words;
	bool thermal = false;
	for (int i = at + 1; i < w->n; i++)
		thermal = thermal || bxt_spice_same(w->word[i], "thermal");
	const int most = d->kind->letter == 'm' ? 5 : 4;
	if (!thermal && (at <= most || !strchr("mv", d->kind->letter)))
		return true;
	bxt_deck_error(
		d->scope->deck, d->e->line,
		thermal ? "'%s': the transistor heats itself ('thermal'), which is not taken "
			  "over"
			: "'%s': there are too many nodes before its model",
		w->word[0]);
	return false;
}

void bxt_spice_device(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	static const char *const ports[] = {"dpn", "qcbe", "mdgsb", "jdgs", "vdgs"};
	device d = {.scope = scope, .e = e};
	double area = 1;
	int k = 0;
	const int at = find_model(&d);
	if (at < 0 || !find_kind(&d))
		return;
	read_model(&d);
	if (e->line->error || !check_nodes(&d, at))
		return;
	check_line(&d, at, &area);
	adapt(&d, area);
	while (ports[k][0] != d.kind->letter)
		k++;
	const bool substrate = has_substrate(&d);
	scope->deck->nonlinear = true;
	bxt_spice_open(
		scope,
		bxt_arena_printf(scope->deck->arena, "%s%s", d.kind->component, suffix_of(&d)),
		e->id);
	for (int i = 1; ports[k][i]; i++)
		bxt_spice_node_attribute(scope, (char[]){ports[k][i], 0}, e->words.word[i]);
	if (substrate)
		bxt_spice_node_attribute(scope, "s", at > 4 ? e->words.word[4] : "0");
	if (d.kind->letter == 'm')
		write_mos(&d);
	write_kept(&d);
	if (area != 1)
		bxt_spice_value_attribute(scope, "area", area, "");
	write_temperature(&d);
	bxt_spice_close(scope);
}
