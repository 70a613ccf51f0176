/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads units and quantities. UDUNITS-2 is the database of units and computes dimensions. Its own
 * parser is not used: it reads "2-3 V" as 0.125 V, accepts numbers, dates and logarithms, and
 * multiplies prefixes in binary. The grammar here is
 *
 *     unit   := factor (('.' | '*' | ' ' | '/') factor)*       left to right; may start with "1/"
 *     factor := atom [['^'] integer]
 *     atom   := name | '(' unit ')'
 *
 * A name is searched whole first ("min", "Pa", "cd"), then without a decimal prefix. The exponent
 * of the prefix is kept apart, so that it can shift the number's own text.
 */
#include "model/component/quantity.h"

#include "ground/base/text.h"
#include "model/component/si_conversion.h"
#include "model/component/unit_names.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <udunits2.h>
#include <unistd.h>

enum {
	NESTING = 16, /* parentheses in a unit */
	POWER = 12,   /* largest exponent; the largest one that occurs in SI units is 4 */
	DECIMALS = 30 /* scales up to 10^±30 are recognised as powers of ten */
};

/* From a unit to the coherent one: value = (number * 10^exponent) * factor. */
struct conversion {
	bxt_quantity_error error;
	int exponent;
	double factor;
	int scale; /* then times 2^scale, if tests scale base units */
	bxt_dimension dimension;
	cv_converter *offset; /* the whole conversion of a temperature scale; else NULL */
};

struct bxt_units {
	ut_system *system; /* shared by the process; NULL: not needed yet */
	ut_unit *one;
	pthread_mutex_t lock; /* protects all fields below; locked before the gate */
	bxt_arena *arena;     /* keys of the map */
	bxt_map map;          /* "given\1expected" -> index of a conversion */
	struct conversion *conversions;
	size_t count, capacity;
	bxt_buffer key, number, given, wanted; /* scratch */
	int scale[BXT_BASE_UNITS];             /* of the coherent system; 0: SI */
	bool scaled;
};

/*
 * UDUNITS keeps its status, its error handler and its tables of names in static variables, which
 * all unit systems share. So only one thread at a time may call it, whatever unit system it uses.
 */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* The unit database, protected by the gate. It is read on first use, since that takes milliseconds,
 * and stays unchanged until the process ends. */
static struct {
	ut_system *system;
	ut_unit *one;
} database;

/* Call UDUNITS only between these two. Our error handler is set only in between. */
static ut_error_message_handler silence(void)
{
	pthread_mutex_lock(&gate);
	return ut_set_error_message_handler(ut_ignore);
}

static void restore(ut_error_message_handler previous)
{
	ut_set_error_message_handler(previous);
	pthread_mutex_unlock(&gate);
}

/* Call it with the gate locked. If the database cannot be loaded, the next unit tries again. */
static bool load_database(bxt_units *units)
{
	if (!database.system)
		database.system = ut_read_xml(NULL);
	if (database.system && !database.one)
		database.one = ut_get_dimensionless_unit_one(database.system);
	units->system = database.system;
	units->one = database.one;
	return units->one;
}

/* Is there a readable database? */
static bool is_there(void)
{
	ut_status status;
	const ut_error_message_handler previous = silence();
	const char *path = ut_get_path_xml(NULL, &status);
	const bool there = path && access(path, R_OK) == 0;
	restore(previous);
	return there;
}

bxt_units *bxt_units_new(void)
{
	bxt_units *units = NULL;
	size_t capacity = 0;
	if (bxt_grow((void **)&units, &capacity, 1, sizeof *units) != BXT_OK)
		return NULL;
	if (pthread_mutex_init(&units->lock, NULL) != 0)
		return bxt_free(units);
	units->arena = bxt_arena_new();
	return units->arena && is_there() ? units : bxt_units_free(units);
}

bxt_units *bxt_units_free(bxt_units *units)
{
	if (!units)
		return NULL;
	const ut_error_message_handler previous = silence();
	for (size_t i = 0; i < units->count; i++)
		if (units->conversions[i].offset)
			cv_free(units->conversions[i].offset);
	bxt_free(units->conversions);
	bxt_map_free(&units->map);
	restore(previous);
	pthread_mutex_destroy(&units->lock);
	bxt_arena_free(units->arena);
	bxt_buffer_free(&units->key);
	bxt_buffer_free(&units->number);
	bxt_buffer_free(&units->given);
	bxt_buffer_free(&units->wanted);
	return bxt_free(units);
}

/* ---- Names ---- */

/* A unit without prefix, or NULL. Symbols are searched first: they are case-sensitive. */
static ut_unit *plain_unit(const bxt_units *units, const char *name)
{
	for (int i = 0; bxt_unit_aliases[i][0]; i++)
		if (strcmp(name, bxt_unit_aliases[i][0]) == 0)
			name = bxt_unit_aliases[i][1];
	ut_unit *unit = ut_get_unit_by_symbol(units->system, name);
	return unit ? unit : ut_get_unit_by_name(units->system, name);
}

/* ---- Units ---- */

/* A unit that was read: 10^exponent times `unit`. */
struct measure {
	ut_unit *unit;
	int exponent;
	bool offset; /* its zero is shifted, like that of degC */
	bool cycles; /* contains Hz, which is per cycle and not per radian */
	bxt_quantity_error error;
};

static struct measure failure(struct measure m, bxt_quantity_error error)
{
	if (m.unit)
		ut_free(m.unit);
	return (struct measure){.error = error};
}

/* The meaning of an error of UDUNITS: out of memory, or `otherwise`. */
static bxt_quantity_error reason(bxt_quantity_error otherwise)
{
	return ut_get_status() == UT_OS ? BXT_QUANTITY_MEMORY : otherwise;
}

static bool has_offset(const bxt_units *units, ut_unit *unit)
{
	/* A product with 1 drops the offset, so the two differ only if there is one. */
	ut_unit *product = ut_multiply(unit, units->one);
	const bool offset = product && ut_compare(unit, product) != 0;
	if (product)
		ut_free(product);
	return offset;
}

static struct measure read_name(const bxt_units *units, const char *name)
{
	struct measure m = {.unit = plain_unit(units, name)};
	for (const bxt_unit_prefix *p = bxt_unit_prefixes; !m.unit && p->text; p++) {
		const size_t length = strlen(p->text);
		if (strncmp(name, p->text, length) == 0 && name[length]) {
			m.unit = plain_unit(units, name + length);
			m.exponent = p->exponent;
			name = m.unit ? name + length : name;
		}
	}
	if (!m.unit)
		return failure(m, reason(BXT_QUANTITY_BAD_UNIT));
	m.offset = has_offset(units, m.unit);
	m.cycles = strcmp(name, "Hz") == 0 || strcmp(name, "hertz") == 0;
	if (m.offset && m.exponent)
		return failure(m, BXT_QUANTITY_BAD_UNIT);
	return m;
}

static bool in_name(char c)
{
	return isalpha((unsigned char)c) || (unsigned char)c >= 0x80 || (c && strchr("_%'\"", c));
}

struct cursor {
	const bxt_units *units;
	char *at; /* names are terminated in place in this text */
	int nesting;
};

static struct measure read_product(struct cursor *c);

static struct measure read_atom(struct cursor *c)
{
	struct measure m = {.error = BXT_QUANTITY_BAD_UNIT};
	if (*c->at == '(' && c->nesting < NESTING) {
		c->at++;
		c->nesting++;
		m = read_product(c);
		c->nesting--;
		if (m.error == BXT_QUANTITY_OK && *c->at != ')')
			return failure(m, BXT_QUANTITY_BAD_UNIT);
		c->at += m.error == BXT_QUANTITY_OK;
	} else if (in_name(*c->at)) {
		char *end = c->at;
		while (in_name(*end))
			end++;
		const char after = *end;
		*end = '\0';
		m = read_name(c->units, c->at);
		*end = after;
		c->at = end;
	}
	return m;
}

/* The integer exponent after an atom; 1 when absent, 0 when invalid. */
static int read_power(struct cursor *c)
{
	const bool caret = *c->at == '^';
	char *s = c->at + caret;
	const bool minus = *s == '-';
	s += minus || (caret && *s == '+');
	if (!isdigit((unsigned char)*s))
		return caret || minus ? 0 : 1;
	int power = 0;
	for (; isdigit((unsigned char)*s); s++)
		power = power > POWER ? power : 10 * power + (*s - '0');
	c->at = s;
	return power > POWER ? 0 : minus ? -power : power;
}

static struct measure read_factor(struct cursor *c)
{
	struct measure m = read_atom(c);
	if (m.error != BXT_QUANTITY_OK)
		return m;
	const int power = read_power(c);
	if (power == 1)
		return m;
	if (power == 0 || m.offset)
		return failure(m, BXT_QUANTITY_BAD_UNIT);
	ut_unit *raised = ut_raise(m.unit, power);
	if (!raised)
		return failure(m, reason(BXT_QUANTITY_BAD_UNIT));
	ut_free(m.unit);
	m.unit = raised;
	m.exponent *= power;
	return m;
}

/* a*b or a/b; takes both. */
static struct measure combine(struct measure a, struct measure b, bool divide)
{
	if (a.error != BXT_QUANTITY_OK || b.error != BXT_QUANTITY_OK || a.offset || b.offset) {
		const bxt_quantity_error error = a.error   ? a.error
						 : b.error ? b.error
							   : BXT_QUANTITY_BAD_UNIT;
		failure(a, error);
		return failure(b, error);
	}
	struct measure m = {.unit = divide ? ut_divide(a.unit, b.unit)
					   : ut_multiply(a.unit, b.unit),
			    .exponent = a.exponent + (divide ? -b.exponent : b.exponent),
			    .cycles = a.cycles || b.cycles};
	if (!m.unit)
		m.error = reason(BXT_QUANTITY_BAD_UNIT);
	ut_free(a.unit);
	ut_free(b.unit);
	return m;
}

static struct measure unit_one(const bxt_units *units)
{
	struct measure m = {.unit = ut_clone(units->one)};
	if (!m.unit)
		m.error = BXT_QUANTITY_MEMORY;
	return m;
}

static struct measure read_product(struct cursor *c)
{
	const bool inverse = strncmp(c->at, "1/", 2) == 0;
	c->at += inverse;
	struct measure m = inverse ? unit_one(c->units) : read_factor(c);
	while (m.error == BXT_QUANTITY_OK && *c->at && *c->at != ')') {
		if (!strchr(".*/ ", *c->at))
			return failure(m, BXT_QUANTITY_BAD_UNIT);
		const bool divide = *c->at++ == '/';
		m = combine(m, read_factor(c), divide);
	}
	return m;
}

/* Reads a whole text; changes it while reading and restores it. */
static struct measure read_unit(const bxt_units *units, char *text)
{
	if (!*text || strcmp(text, "1") == 0)
		return unit_one(units);
	struct cursor c = {.units = units, .at = text};
	struct measure m = read_product(&c);
	return m.error == BXT_QUANTITY_OK && *c.at ? failure(m, BXT_QUANTITY_BAD_UNIT) : m;
}

static struct measure read_text(bxt_units *units, bxt_buffer *scratch, const char *text)
{
	if (!load_database(units))
		return (struct measure){.error = BXT_QUANTITY_MEMORY};
	bxt_unit_respell(scratch, text);
	if (scratch->failed) {
		bxt_buffer_free(scratch); /* this call has failed, not the next one */
		return (struct measure){.error = BXT_QUANTITY_MEMORY};
	}
	return read_unit(units, scratch->text);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- Conversions ---- */

/* Does a unit that is otherwise a number contain the radian? */
static bool has_radian(const ut_unit *unit)
{
	char text[BXT_UNIT_TEXT];
	const int n = ut_format(unit, text, sizeof text, UT_ASCII | UT_DEFINITION);
	return n > 0 && (size_t)n < sizeof text && strstr(text, "rad") != NULL;
}

/*
 * Moves powers of ten from the factor to the exponent, where they are exact. Some factors of
 * UDUNITS have an error of a few roundings (the litre is 0.1^3 m3); no other unit is that close to
 * a power of ten.
 */
static void extract_decimals(struct conversion *c)
{
	const double power = round(log10(c->factor));
	if (!(fabs(power) <= DECIMALS))
		return;
	/* relative error of a product of a few correctly rounded unit factors */
	static const double POWER_OF_TEN = 8 * DBL_EPSILON;
	char text[16];
	double exact;
	const int n = snprintf(text, sizeof text, "1e%d", (int)power);
	if (bxt_read_number(text, (size_t)n, &exact) &&
	    fabs(c->factor / exact - 1) < POWER_OF_TEN) {
		c->exponent += (int)power;
		c->factor = 1;
	}
}

/*
 * given / expected must be a number. (The test of convertibility of UDUNITS accepts reciprocals:
 * 2 S as 0.5 ohm.) The radian is a number, except in a quotient with Hz, which counts cycles.
 */
static struct conversion convert(const bxt_units *units, struct measure given,
				 struct measure expected)
{
	struct conversion c = {.factor = 1, .exponent = given.exponent - expected.exponent};
	ut_unit *ratio = ut_divide(given.unit, expected.unit);
	cv_converter *to_one = NULL;
	if (!ratio)
		c.error = reason(BXT_QUANTITY_WRONG_UNIT);
	else if (!ut_is_dimensionless(ratio) || expected.offset ||
		 (given.cycles != expected.cycles && has_radian(ratio)))
		c.error = BXT_QUANTITY_WRONG_UNIT;
	else if (given.offset)
		to_one = c.offset = ut_get_converter(given.unit, expected.unit);
	else
		to_one = ut_get_converter(ratio, units->one);
	if (c.error == BXT_QUANTITY_OK && !to_one)
		c.error = reason(BXT_QUANTITY_WRONG_UNIT);
	if (to_one && !c.offset) {
		c.factor = cv_convert_double(to_one, 1);
		if (cv_convert_double(to_one, 2) != 2 * c.factor) /* a logarithm of the database */
			c.error = BXT_QUANTITY_WRONG_UNIT;
		cv_free(to_one);
		extract_decimals(&c);
	}
	if (ratio)
		ut_free(ratio);
	return c;
}

/* The definition of a unit in base units, "0.277777777777778 m.s-1"; false: it has no such form. */
static bool define(const ut_unit *unit, char *out, size_t size)
{
	const int n = ut_format(unit, out, size, UT_ASCII | UT_DEFINITION);
	return n >= 0 && (size_t)n < size;
}

/* Base units without the number before them and the origin behind: "m.s-1" of "0.01 m.s-1 @ 3". */
static void strip_definition(char *text)
{
	double factor;
	text[strcspn(text, "@")] = '\0';
	size_t skip = bxt_read_number(text, strlen(text), &factor);
	skip += strspn(text + skip, " ");
	memmove(text, text + skip, strlen(text + skip) + 1);
	for (size_t length = strlen(text); length && is_space(text[length - 1]);)
		text[--length] = '\0';
}

/* Tests scale base units. */
static void set_scale(const bxt_units *units, struct conversion *c)
{
	for (int k = 0; k < BXT_BASE_UNITS && units->scaled; k++)
		c->scale += units->scale[k] * c->dimension.of[k] / BXT_DIMENSION_ONE;
}

/* The conversion from `given` to the coherent unit of the dimension of `expected`. */
static struct conversion to_coherent(bxt_units *units, struct measure given,
				     struct measure expected)
{
	struct conversion c = convert(units, given, expected);
	char text[BXT_UNIT_TEXT];
	if (c.error != BXT_QUANTITY_OK)
		return c;
	if (!define(expected.unit, text, sizeof text))
		return (struct conversion){.error = BXT_QUANTITY_BAD_UNIT};
	strip_definition(text);
	struct measure coherent = read_text(units, &units->key, text);
	if (coherent.error == BXT_QUANTITY_OK &&
	    (expected.exponent != 0 || ut_compare(coherent.unit, expected.unit) != 0)) {
		coherent.cycles = given.cycles; /* compared above */
		if (c.offset)
			cv_free(c.offset);
		c = convert(units, given, coherent);
	} else if (coherent.error != BXT_QUANTITY_OK) {
		if (c.offset)
			cv_free(c.offset);
		c = (struct conversion){.error = coherent.error};
	}
	failure(coherent, c.error);
	c.dimension = bxt_dimension_read(text);
	set_scale(units, &c);
	return c;
}

static struct conversion make_conversion(bxt_units *units, const char *given, const char *expected)
{
	struct measure a = read_text(units, &units->given, given);
	struct measure b = read_text(units, &units->wanted, expected);
	struct conversion c = {.error = a.error ? a.error : b.error};
	if (c.error == BXT_QUANTITY_OK)
		c = to_coherent(units, a, b);
	failure(a, c.error);
	failure(b, c.error);
	return c;
}

/* Uses the units of SI alone; false: the database is needed. */
static bool convert_si(const bxt_units *units, const char *given, const char *expected,
		       struct conversion *out)
{
	bxt_dimension from, to;
	*out = (struct conversion){.factor = 1};
	if (!bxt_si_conversion(given, expected, &from, &to, &out->exponent))
		return false;
	out->dimension = to;
	if (!bxt_dimension_equal(from, to))
		*out = (struct conversion){.error = BXT_QUANTITY_WRONG_UNIT};
	set_scale(units, out);
	return true;
}

/* The conversion between two texts, from the cache or new in it; NULL when out of memory. */
static const struct conversion *find_conversion(bxt_units *units, const char *given,
						const char *expected)
{
	bxt_buffer *key = &units->key;
	bxt_buffer_clear(key);
	bxt_buffer_add(key, given, strlen(given));
	bxt_buffer_add(key, "\1", 1);
	bxt_buffer_add(key, expected, strlen(expected));
	if (key->failed) {
		bxt_buffer_free(key);
		return NULL;
	}
	const int known = bxt_map_get(&units->map, key->text);
	if (known >= 0)
		return &units->conversions[known];
	const char *copy = bxt_arena_strdup(units->arena, key->text);
	if (!copy || BXT_GROW(units->conversions, units->capacity, units->count + 1) != BXT_OK)
		return NULL;
	struct conversion *c = &units->conversions[units->count];
	if (!convert_si(units, given, expected, c)) {
		const ut_error_message_handler previous = silence();
		*c = make_conversion(units, given, expected);
		restore(previous);
	}
	if (c->error == BXT_QUANTITY_MEMORY)
		return NULL;
	if (bxt_map_put(&units->map, copy, (int)units->count) != BXT_OK) {
		if (c->offset)
			cv_free(c->offset);
		return NULL;
	}
	units->count++;
	return c;
}

/* ---- Quantities ---- */

/*
 * The number text[0..length) times 10^shift, by shifting its text: the result is the double nearest
 * to the written value. False when it overflows or memory ends.
 */
static bool read_shifted(bxt_units *units, const char *text, size_t length, int shift,
			 double *value)
{
	size_t mantissa = 0;
	while (mantissa < length && text[mantissa] != 'e' && text[mantissa] != 'E')
		mantissa++;
	long exponent = 0;
	if (mantissa < length) {
		const char *e = text + mantissa + 1, *end = text + length;
		const bool minus = *e == '-';
		for (e += *e == '-' || *e == '+'; e < end; e++) /* beyond 10^6: 0 or inf */
			exponent = exponent > 1000000 ? exponent : 10 * exponent + (*e - '0');
		exponent = minus ? -exponent : exponent;
	}
	bxt_buffer *b = &units->number;
	bxt_buffer_clear(b);
	bxt_buffer_add(b, text, mantissa);
	bxt_buffer_printf(b, "e%ld", exponent + shift);
	if (b->failed) {
		bxt_buffer_free(b);
		return false;
	}
	return bxt_read_number(b->text, b->length, value) == b->length;
}

/* The unit's text without the space around it, in the scratch buffer; NULL when out of memory. */
static const char *trimmed(bxt_buffer *scratch, const char *unit)
{
	size_t length = strlen(unit);
	while (length && is_space(unit[length - 1]))
		length--;
	bxt_buffer_clear(scratch);
	bxt_buffer_add(scratch, unit, length);
	if (!scratch->failed)
		return scratch->text;
	bxt_buffer_free(scratch);
	return NULL;
}

static bool is_coherent(bxt_units *units, const char *unit)
{
	if (!*unit || strcmp(unit, "1") == 0)
		return true;
	const struct conversion *c = find_conversion(units, unit, unit);
	return !c || c->error != BXT_QUANTITY_OK ||
	       (!c->offset && c->exponent == 0 && c->factor == 1);
}

static bxt_quantity_error read_quantity(bxt_units *units, const char *text, const char *expected,
					double *value)
{
	while (is_space(*text))
		text++;
	const size_t length = bxt_read_number(text, strlen(text), value);
	if (!length)
		return BXT_QUANTITY_NO_NUMBER;
	const char *unit = text + length;
	while (is_space(*unit))
		unit++;
	if (!*unit && !units->scaled && is_coherent(units, expected))
		return BXT_QUANTITY_OK;
	unit = *unit ? trimmed(&units->number, unit) : expected;
	const struct conversion *c = unit ? find_conversion(units, unit, expected) : NULL;
	if (!c)
		return BXT_QUANTITY_MEMORY;
	if (c->error != BXT_QUANTITY_OK)
		return c->error;
	if (c->offset)
		*value = cv_convert_double(c->offset, *value);
	else if (c->exponent && !read_shifted(units, text, length, c->exponent, value))
		return BXT_QUANTITY_NO_NUMBER;
	*value = ldexp(*value * c->factor, c->scale);
	return isfinite(*value) ? BXT_QUANTITY_OK : BXT_QUANTITY_NO_NUMBER;
}

/* ---- The functions of the header: one thread at a time in each unit system ---- */

bxt_quantity_error bxt_quantity_read(bxt_units *units, const char *text, const char *expected,
				     double *value)
{
	*value = 0;
	pthread_mutex_lock(&units->lock);
	const bxt_quantity_error error = read_quantity(units, text, expected, value);
	pthread_mutex_unlock(&units->lock);
	return error;
}

bool bxt_units_coherent(bxt_units *units, const char *unit)
{
	pthread_mutex_lock(&units->lock);
	const bool coherent = is_coherent(units, unit);
	pthread_mutex_unlock(&units->lock);
	return coherent;
}

void bxt_units_scale(bxt_units *units, const int *exponents)
{
	pthread_mutex_lock(&units->lock);
	memcpy(units->scale, exponents, sizeof units->scale);
	units->scaled = true;
	pthread_mutex_unlock(&units->lock);
}

/* A copy of a conversion; false when out of memory. The copy stays valid while other conversions
 * are added. */
static bool copy_conversion(bxt_units *units, const char *given, const char *expected,
			    struct conversion *out)
{
	pthread_mutex_lock(&units->lock);
	const struct conversion *c = find_conversion(units, given, expected);
	*out = c ? *c : (struct conversion){.error = BXT_QUANTITY_MEMORY};
	pthread_mutex_unlock(&units->lock);
	return c;
}

double bxt_units_scale_of(bxt_units *units, const char *unit)
{
	struct conversion c;
	/* tests set the scale before anything is read, so nothing writes here after that */
	return units->scaled && copy_conversion(units, unit, unit, &c) ? ldexp(1, c.scale) : 1;
}

int bxt_units_same_dimension(bxt_units *units, const char *a, const char *b)
{
	struct conversion c;
	if (!copy_conversion(units, a, b, &c) || c.error == BXT_QUANTITY_BAD_UNIT)
		return -1;
	return c.error == BXT_QUANTITY_OK;
}

bxt_quantity_error bxt_units_si(bxt_units *units, const char *unit, char *out, size_t size)
{
	pthread_mutex_lock(&units->lock);
	const ut_error_message_handler previous = silence();
	struct measure m = read_text(units, &units->given, unit);
	const bxt_quantity_error error = m.error;
	const bool defined = !error && define(m.unit, out, size);
	failure(m, error);
	restore(previous);
	pthread_mutex_unlock(&units->lock);
	if (!defined)
		return error ? error : BXT_QUANTITY_BAD_UNIT;
	strip_definition(out);
	struct conversion c;
	return !copy_conversion(units, unit, out, &c) ? BXT_QUANTITY_MEMORY
	       : c.error                              ? BXT_QUANTITY_BAD_UNIT
						      : BXT_QUANTITY_OK;
}

bxt_quantity_error bxt_units_dimension(bxt_units *units, const char *unit, bxt_dimension *out)
{
	struct conversion c;
	copy_conversion(units, unit, unit, &c);
	*out = c.dimension;
	return c.error;
}
