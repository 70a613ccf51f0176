/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bxt_status give_columns(const bxt_table *table, const bxt_sink *to)
{
	const size_t n = bxt_table_columns(table);
	bxt_column *column = calloc(n + 1, sizeof *column);
	if (!column)
		return BXT_ERR_MEMORY;
	for (size_t j = 0; j < n; j++)
		column[j] = (bxt_column){sizeof *column, bxt_table_name(table, j),
					 bxt_table_unit(table, j)};
	const bxt_status status = to->columns(to->context, n, column);
	free(column);
	return status;
}

static bxt_status give_rows(const bxt_table *table, const bxt_sink *to)
{
	const size_t n = bxt_table_columns(table);
	double *row = malloc((n + 1) * sizeof *row);
	bxt_status status = row ? give_columns(table, to) : BXT_ERR_MEMORY;
	for (size_t i = 0; i < bxt_table_rows(table) && status == BXT_OK; i++) {
		for (size_t j = 0; j < n; j++)
			row[j] = bxt_table_value(table, i, j);
		status = to->row(to->context, bxt_table_time(table, i), n, row);
	}
	free(row);
	return status;
}

static bxt_status write_raw(const bxt_table *table, const char *title, FILE *f)
{
	bxt_raw *raw = NULL;
	bxt_sink to;
	if (bxt_raw_new(f, title, false, &raw) != BXT_OK)
		return BXT_ERR_MEMORY;
	bxt_raw_sink(raw, &to);
	const bxt_status status = give_rows(table, &to);
	const bxt_status finished = bxt_raw_finish(raw);
	return status != BXT_OK ? status : finished;
}

static int write_file(const options *o, const bxt_table *table, const char *title)
{
	const char *dot = o->output ? strrchr(o->output, '.') : NULL;
	output_file out;
	bxt_sink to;
	if (!output_open(&out, o->output))
		return EXIT_NUMERICS;
	bxt_csv_sink(out.stream, &to);
	const bool raw = dot && strcmp(dot, ".raw") == 0;
	const bxt_status status = raw ? write_raw(table, title, out.stream) : give_rows(table, &to);
	if (status != BXT_OK)
		print_message("boxtimes: the rows cannot be written: %s\n",
			      status == BXT_ERR_IO ? strerror(errno) : bxt_status_text(status));
	return output_close(&out) && status == BXT_OK ? EXIT_OK : EXIT_NUMERICS;
}

int rows_write(const options *o, bxt_table *table, const char *title)
{
	int result = o->output || !o->plot ? write_file(o, table, title) : EXIT_OK;
	if (result != EXIT_OK || !o->plot)
		return result;
	FILE *picture = plot_picture(table, o, o->files.text[0]);
	if (!picture)
		return EXIT_NUMERICS;
	result = output_copy(picture, o->plot);
	fclose(picture);
	return result;
}
