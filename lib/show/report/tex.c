/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions as TeX, by recursive descent over their text (expr/parse.c has the grammar). */
#include "show/report/tex.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH = 100 }; /* of nested parentheses; a deeper text is written unchanged */

/* A text that is being read, and whether it could be read. */
struct reader {
	const char *at;
	int depth;
	bool failed;
};

/* A piece of TeX and the precedence of its outermost operator. */
enum binds { SUM, PRODUCT, MINUS, POWER, ATOM };
struct piece {
	bxt_buffer tex;
	enum binds binds;
	bool fraction;
};

static struct piece read_sum(struct reader *r);

static void skip(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')
		r->at++;
}

static bool accept(struct reader *r, char c)
{
	skip(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '@';
}

/* ---- Names ---- */

static bool is_greek(const char *name, size_t length)
{
	static const char *const greek[] = {
		"alpha",  "beta",   "gamma", "delta", "epsilon", "zeta",  "eta",   "theta",
		"kappa",  "lambda", "mu",    "nu",    "xi",      "pi",    "rho",   "sigma",
		"tau",    "phi",    "chi",   "psi",   "omega",   "Gamma", "Delta", "Theta",
		"Lambda", "Xi",     "Pi",    "Sigma", "Phi",     "Psi",   "Omega", "iota"};
	for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
		if (strlen(greek[i]) == length && strncmp(greek[i], name, length) == 0)
			return true;
	return false;
}

/* Letters with a meaning in TeX get a backslash. */
static void add_plain(bxt_buffer *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (strchr("_#%&${}", text[i]))
			bxt_buffer_printf(out, "\\%c", text[i]);
		else if (isalnum((unsigned char)text[i]) || strchr(".@-", text[i]))
			bxt_buffer_add(out, text + i, 1);
	}
}

static void add_stem(bxt_buffer *out, const char *stem, size_t length)
{
	if (is_greek(stem, length))
		bxt_buffer_printf(out, "\\%.*s", (int)length, stem);
	else if (length == 1)
		add_plain(out, stem, 1);
	else {
		bxt_buffer_printf(out, "\\mathrm{");
		add_plain(out, stem, length);
		bxt_buffer_printf(out, "}");
	}
}

/* "shaft.theta1" as \theta with the indices 1 and shaft. */
static void add_name(bxt_buffer *out, const char *name, size_t length)
{
	size_t dot = length, stem, digits = length, from;
	while (dot > 0 && name[dot - 1] != '.')
		dot--;
	from = dot;
	while (digits > from + 1 && isdigit((unsigned char)name[digits - 1]))
		digits--;
	for (stem = from; stem < digits && name[stem] != '_' && name[stem] != '@'; stem++)
		;
	if (stem == from)
		stem = digits; /* "_x" has no stem of its own */
	add_stem(out, name + from, stem - from);
	const size_t rest = stem < digits ? stem + 1 : stem;
	if (rest >= length && dot == 0)
		return;
	bxt_buffer_printf(out, "_{");
	if (rest < length) {
		bxt_buffer_printf(out, "\\mathrm{");
		add_plain(out, name + rest, length - rest);
		bxt_buffer_printf(out, "}%s", dot > 1 ? "," : "");
	}
	if (dot > 1) {
		bxt_buffer_printf(out, "\\mathrm{");
		add_plain(out, name, dot - 1);
		bxt_buffer_printf(out, "}");
	}
	bxt_buffer_printf(out, "}");
}

/* ---- Expressions ---- */

static void add_in_parentheses(bxt_buffer *out, const bxt_buffer *inner)
{
	bxt_buffer_printf(out, "\\left(%s\\right)", inner->text ? inner->text : "");
}

/* Appends a piece, in parentheses if its precedence is lower than required, and frees it. */
static void take(bxt_buffer *out, struct piece *p, enum binds least)
{
	if (p->binds < least && !(p->fraction && least < POWER))
		add_in_parentheses(out, &p->tex);
	else
		bxt_buffer_printf(out, "%s", p->tex.text ? p->tex.text : "");
	out->failed = out->failed || p->tex.failed;
	bxt_buffer_free(&p->tex);
}

static void read_number(struct reader *r, bxt_buffer *out)
{
	const char *start = r->at;
	while (isdigit((unsigned char)*r->at) || *r->at == '.')
		r->at++;
	bxt_buffer_add(out, start, (size_t)(r->at - start));
	if ((*r->at != 'e' && *r->at != 'E') ||
	    !isdigit((unsigned char)r->at[1 + (r->at[1] == '-' || r->at[1] == '+')]))
		return;
	bxt_buffer_printf(out, "\\cdot 10^{%s", r->at[1] == '-' ? "-" : "");
	for (r->at += 1 + (r->at[1] == '-' || r->at[1] == '+'); isdigit((unsigned char)*r->at);
	     r->at++)
		bxt_buffer_add(out, r->at, 1);
	bxt_buffer_printf(out, "}");
}

/* Reads the arguments up to the closing bracket, with commas and comparisons. */
static void read_arguments(struct reader *r, bxt_buffer *out, char close)
{
	static const char *const signs[][2] = {{"<=", "\\le "}, {">=", "\\ge "}, {"==", "="},
					       {"!=", "\\ne "}, {"<", "<"},      {">", ">"}};
	while (!r->failed) {
		struct piece p = read_sum(r);
		take(out, &p, SUM);
		skip(r);
		bool compared = false;
		for (size_t i = 0; i < sizeof signs / sizeof *signs && !compared; i++)
			if (strncmp(r->at, signs[i][0], strlen(signs[i][0])) == 0) {
				r->at += strlen(signs[i][0]);
				bxt_buffer_printf(out, " %s", signs[i][1]);
				compared = true;
			}
		if (compared)
			continue;
		if (accept(r, close))
			return;
		if (!accept(r, ','))
			r->failed = true;
		bxt_buffer_printf(out, ",\\;");
	}
}

static void read_call(struct reader *r, bxt_buffer *out, const char *name, size_t length,
		      size_t primes)
{
	static const char *const known[] = {"exp",  "log",  "sin",  "cos", "tan",
					    "sinh", "cosh", "tanh", "min", "max"};
	bxt_buffer inner = {0};
	const char close = *r->at == '[' ? ']' : ')';
	bool is_known = false;
	r->at++;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		is_known = is_known ||
			   (strlen(known[i]) == length && strncmp(known[i], name, length) == 0);
	read_arguments(r, &inner, close);
	const char *text = inner.text ? inner.text : "";
	if (length == 4 && strncmp(name, "sqrt", 4) == 0)
		bxt_buffer_printf(out, "\\sqrt{%s}", text);
	else if (length == 3 && strncmp(name, "abs", 3) == 0)
		bxt_buffer_printf(out, "\\left|%s\\right|", text);
	else {
		if (is_known)
			bxt_buffer_printf(out, "\\%.*s", (int)length, name);
		else {
			bxt_buffer_printf(out, "\\operatorname{");
			add_plain(out, name, length);
			bxt_buffer_printf(out, "}");
		}
		for (size_t i = 0; i < primes; i++)
			bxt_buffer_add(out, "'", 1);
		bxt_buffer_printf(out, "\\left%c%s\\right%c", close == ']' ? '[' : '(', text,
				  close);
	}
	out->failed = out->failed || inner.failed;
	bxt_buffer_free(&inner);
}

static struct piece read_atom(struct reader *r)
{
	struct piece p = {.binds = ATOM};
	skip(r);
	const char *start = r->at;
	if (isdigit((unsigned char)*start) || (*start == '.' && isdigit((unsigned char)start[1]))) {
		read_number(r, &p.tex);
	} else if (isalpha((unsigned char)*start) || *start == '_') {
		while (in_name(*r->at))
			r->at++;
		const size_t length = (size_t)(r->at - start), primes = strspn(r->at, "'");
		if (r->at[primes] == '(' || r->at[primes] == '[') {
			r->at += primes;
			read_call(r, &p.tex, start, length, primes);
		} else {
			add_name(&p.tex, start, length);
		}
	} else if (accept(r, '(')) {
		p = read_sum(r);
		p.fraction = false;
		r->failed = r->failed || !accept(r, ')');
	} else {
		r->failed = true;
	}
	return p;
}

static struct piece read_signed(struct reader *r);

static struct piece read_power(struct reader *r)
{
	struct piece base = read_atom(r);
	if (r->failed || !accept(r, '^'))
		return base;
	struct piece p = {.binds = POWER};
	bxt_buffer exponent = {0};
	struct piece raised = read_signed(r);
	take(&p.tex, &base, ATOM);
	take(&exponent, &raised, SUM);
	bxt_buffer_printf(&p.tex, "^{%s}", exponent.text ? exponent.text : "");
	p.tex.failed = p.tex.failed || exponent.failed;
	bxt_buffer_free(&exponent);
	return p;
}

static struct piece read_signed(struct reader *r)
{
	int minus = 0, any = 0;
	if (++r->depth > DEPTH) {
		r->failed = true;
		return (struct piece){.binds = ATOM};
	}
	for (skip(r); *r->at == '-' || *r->at == '+'; skip(r), any = 1)
		minus ^= *r->at++ == '-';
	struct piece inner = read_power(r);
	r->depth--;
	if (!any || !minus)
		return inner;
	struct piece p = {.binds = MINUS};
	bxt_buffer_printf(&p.tex, "-");
	take(&p.tex, &inner, POWER);
	return p;
}

static struct piece read_product(struct reader *r)
{
	struct piece left = read_signed(r);
	for (skip(r); !r->failed && (*r->at == '*' || *r->at == '/'); skip(r)) {
		const bool divide = *r->at++ == '/';
		struct piece right = read_signed(r), both = {.binds = PRODUCT, .fraction = divide};
		if (!divide && left.binds == PRODUCT) { /* long products are extended in place */
			bxt_buffer_printf(&left.tex, "\\,");
			take(&left.tex, &right, POWER);
			left.fraction = false;
			continue;
		}
		if (divide) {
			bxt_buffer_printf(&both.tex, "\\frac{");
			take(&both.tex, &left, SUM);
			bxt_buffer_printf(&both.tex, "}{");
			take(&both.tex, &right, SUM);
			bxt_buffer_printf(&both.tex, "}");
		} else {
			take(&both.tex, &left, PRODUCT);
			bxt_buffer_printf(&both.tex, "\\,");
			take(&both.tex, &right, POWER);
		}
		left = both;
	}
	return left;
}

static struct piece read_sum(struct reader *r)
{
	struct piece left = read_product(r);
	for (skip(r); !r->failed && (*r->at == '+' || *r->at == '-'); skip(r)) {
		bxt_buffer_printf(&left.tex, " %c ", *r->at++);
		struct piece right = read_product(r);
		take(&left.tex, &right, PRODUCT);
		left.binds = SUM;
	}
	return left;
}

void bxt_tex_add(bxt_buffer *out, const char *expression)
{
	struct reader r = {.at = expression};
	struct piece p = read_sum(&r);
	skip(&r);
	if (!r.failed && !*r.at) {
		take(out, &p, SUM);
		return;
	}
	bxt_buffer_free(&p.tex);
	bxt_buffer_printf(out, "\\mathtt{");
	add_plain(out, expression, strlen(expression));
	bxt_buffer_printf(out, "}");
}
