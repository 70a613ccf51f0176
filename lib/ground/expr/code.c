/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes operations as C. */
#include "ground/expr/code.h"

#include "ground/expr/curve_node.h"
#include "ground/expr/divided_difference.h"
#include "ground/expr/tape_internal.h"

#include <stdlib.h>

void bxt_code_free(bxt_code *code)
{
	bxt_buffer_free(&code->text);
	free(code->number);
	free(code->curve);
	*code = (bxt_code){0};
}

static void call_sincos(double angle, double *sine, double *cosine)
{
	bxt_sincos(angle, sine, cosine);
}

static double call_curve(const void *curve, int use, double a, double b)
{
	return bxt_curve_node_value(curve, bxt_curve_use_decode(use), a, b);
}

static const bxt_code_host host = {call_sincos, bxt_chord_value, call_curve};

void bxt_code_begin(bxt_code *code)
{
	bxt_buffer_printf(&code->text, "#include <math.h>\n"
				       "struct host {\n"
				       "\tvoid (*sincos)(double, double *, double *);\n"
				       "\tdouble (*chord)(double, double, double, double);\n"
				       "\tdouble (*curve)(const void *, int, double, double);\n"
				       "};\n"
				       "struct tables {\n"
				       "\tconst double *k;\n"
				       "\tconst void *const *c;\n"
				       "\tconst struct host *h;\n"
				       "};\n");
}

bxt_code_tables bxt_code_get_tables(const bxt_code *code)
{
	return (bxt_code_tables){code->number, code->curve, &host};
}

size_t bxt_code_number(bxt_code *code, double value)
{
	if (BXT_GROW(code->number, code->numbers_capacity, code->n_numbers + 1) != BXT_OK) {
		code->failed = true;
		return 0;
	}
	code->number[code->n_numbers] = value;
	return code->n_numbers++;
}

static size_t add_curve(bxt_code *code, const bxt_curve *curve)
{
	if (BXT_GROW(code->curve, code->curves_capacity, code->n_curves + 1) != BXT_OK) {
		code->failed = true;
		return 0;
	}
	code->curve[code->n_curves] = curve;
	return code->n_curves++;
}

void bxt_code_name_value(bxt_code *code, const bxt_code_values *values, int i)
{
	if (values->number[i] >= 0)
		bxt_buffer_printf(&code->text, "k[%d]", values->number[i]);
	else
		bxt_buffer_printf(&code->text, "v%d", i);
}

void bxt_code_values_free(bxt_code_values *values)
{
	free(values->number);
	values->number = NULL;
}

/*
 * The text of each operation: A, B, C for its operands, K for its number. The expressions are the
 * same as in tape.c, since their form determines the bits.
 */
static const char *form_of(int op)
{
	static const char *const forms[] = {
		[BXT_OP_ADD] = "A + B",
		[BXT_OP_SUB] = "A - B",
		[BXT_OP_MUL] = "A * B",
		[BXT_OP_DIV] = "A / B",
		[TAPE_ADDK] = "K + A",
		[TAPE_SUBK] = "K - A",
		[TAPE_MULK] = "K * A",
		[TAPE_DIVK] = "A / K",
		[TAPE_KDIV] = "K / A",
		[TAPE_FILL] = "K",
		[BXT_OP_NEG] = "-A",
		[BXT_OP_SQRT] = "sqrt(A)",
		[BXT_OP_ABS] = "fabs(A)",
		[BXT_OP_SIGN] = "A > 0 ? 1.0 : A < 0 ? -1.0 : A",
		[BXT_OP_FLOOR] = "floor(A)",
		[BXT_OP_MIN] = "A <= B ? A : B",
		[BXT_OP_MAX] = "A >= B ? A : B",
		[BXT_OP_LT] = "A < B ? 1.0 : 0.0",
		[BXT_OP_LE] = "A <= B ? 1.0 : 0.0",
		[BXT_OP_EQ] = "A == B ? 1.0 : 0.0",
		[BXT_OP_NE] = "A != B ? 1.0 : 0.0",
		[BXT_OP_IF] = "A != 0 ? B : C",
		[BXT_OP_EXP] = "exp(A)",
		[BXT_OP_LOG] = "log(A)",
		[BXT_OP_TAN] = "tan(A)",
		[BXT_OP_ASIN] = "asin(A)",
		[BXT_OP_ACOS] = "acos(A)",
		[BXT_OP_ATAN] = "atan(A)",
		[BXT_OP_SINH] = "sinh(A)",
		[BXT_OP_COSH] = "cosh(A)",
		[BXT_OP_TANH] = "tanh(A)",
		[BXT_OP_POW] = "pow(A, B)",
		[BXT_OP_ATAN2] = "atan2(A, B)",
		[BXT_OP_CHORD] = "z->h->chord(K, A, B, C)",
	};
	const int n = sizeof forms / sizeof *forms;
	return op >= 0 && op < n ? forms[op] : NULL;
}

static void write_form(bxt_code *code, const bxt_code_values *values, const bxt_operation *o,
		       const char *form)
{
	for (; *form; form++)
		switch (*form) {
		case 'A':
			bxt_code_name_value(code, values, o->a);
			break;
		case 'B':
			bxt_code_name_value(code, values, o->b);
			break;
		case 'C':
			bxt_code_name_value(code, values, o->c);
			break;
		case 'K':
			bxt_buffer_printf(&code->text, "k[%zu]", bxt_code_number(code, o->k));
			break;
		default:
			bxt_buffer_add(&code->text, form, 1);
		}
}

static void write_sincos(bxt_code *code, const bxt_code_values *values, const bxt_operation *o)
{
	const int result[2] = {o->d, o->d2};
	for (int i = 0; i < 2; i++)
		if (result[i] >= 0)
			bxt_buffer_printf(&code->text, "\tdouble v%d;\n", result[i]);
	bxt_buffer_printf(&code->text, "\t{\n\t\tdouble sine, cosine;\n\t\tz->h->sincos(");
	bxt_code_name_value(code, values, o->a);
	bxt_buffer_printf(&code->text, ", &sine, &cosine);\n");
	for (int i = 0; i < 2; i++)
		if (result[i] >= 0)
			bxt_buffer_printf(&code->text, "\t\tv%d = %s;\n", result[i],
					  i == 0 ? "sine" : "cosine");
	bxt_buffer_printf(&code->text, "\t}\n");
}

static void write_curve(bxt_code *code, const bxt_code_values *values, const bxt_operation *o)
{
	bxt_buffer_printf(&code->text, "\tconst double v%d = z->h->curve(z->c[%zu], %d, ", o->d,
			  add_curve(code, o->curve), o->op - TAPE_CURVE);
	bxt_code_name_value(code, values, o->a);
	bxt_buffer_printf(&code->text, ", ");
	bxt_code_name_value(code, values, bxt_operands(o->op) > 1 ? o->b : o->a);
	bxt_buffer_printf(&code->text, ");\n");
}

static bxt_status write_operation(bxt_code *code, const bxt_code_values *values,
				  const bxt_operation *o)
{
	if (o->op == TAPE_SINCOS) {
		write_sincos(code, values, o);
		return BXT_OK;
	}
	if (o->op >= TAPE_CURVE) {
		write_curve(code, values, o);
		return BXT_OK;
	}
	const char *form = form_of(o->op);
	if (!form)
		return BXT_ERR_ARGUMENT;
	bxt_buffer_printf(&code->text, "\tconst double v%d = ", o->d);
	write_form(code, values, o, form);
	bxt_buffer_printf(&code->text, ";\n");
	return BXT_OK;
}

bxt_status bxt_code_write_tape(bxt_code *code, const bxt_fused_tape *tape, bxt_code_values *values)
{
	const bxt_fused_view view = bxt_fused_tape_view(tape);
	values->number = malloc(((size_t)view.n_values + 1) * sizeof *values->number);
	if (!values->number)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < view.n_values; i++)
		values->number[i] = view.known[i] ? (int)bxt_code_number(code, view.number[i]) : -1;
	bxt_buffer_printf(&code->text, "\tconst double *const k = z->k;\n");
	for (int i = 0; i < view.n_inputs; i++)
		bxt_buffer_printf(&code->text, "\tconst double v%d = s[%d][%d];\n",
				  view.inputs[i].place, view.inputs[i].source,
				  view.inputs[i].index);
	for (int i = 0; i < view.n_operations; i++)
		BXT_TRY(write_operation(code, values, &view.operations[i]));
	return code->failed || code->text.failed ? BXT_ERR_MEMORY : BXT_OK;
}
