/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of numbers: their readers take paths, which lead to memory here. */
#define _GNU_SOURCE /* memfd_create */

#include "boxtimes.h"
#include "fuzz/fuzz.h"

#include "ground/sparse/matrix_market.h"
#include "model/component/csv_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static bxt_units *units; /* reading the unit database takes longer than most inputs */
static long inputs;

void fuzz_table_end(void)
{
	units = bxt_units_free(units);
	inputs = 0;
}

/* A file with the bytes; its path, in `room` characters. Returns its number. */
static int make_file(const uint8_t *bytes, size_t length, char *path, size_t room)
{
	const int fd = memfd_create("fuzz", 0);
	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
		abort();
	snprintf(path, room, "/proc/self/fd/%d", fd);
	return fd;
}

int fuzz_table(const uint8_t *bytes, size_t length)
{
	char path[40];
	if (length > FUZZ_LARGEST || length == 0)
		return 0;
	if (inputs++ % FUZZ_RENEW == 0) {
		bxt_units_free(units);
		units = bxt_units_new();
		if (!units)
			abort(); /* nothing would be tested */
	}
	const int fd = make_file(bytes, length, path, sizeof path);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_arena *arena = bxt_arena_new();
	const char *why;
	bxt_csv csv;
	if (bxt_csv_read(arena, units, path, d, &csv, &why) == BXT_OK && !csv.bad) {
		double sum = 0; /* what a good table says that it has must be there */
		for (int i = 0; i < csv.n_columns; i++)
			for (int k = 0; k < csv.n_rows; k++)
				sum += csv.column[i].value[k] + csv.line[k];
		if (sum != sum + 0 && sum == sum)
			abort();
	}
	bxt_csv_release(&csv);
	FILE *f = fopen(path, "r");
	bxt_table *table = NULL;
	bxt_table_read_csv(f, "fuzz", d, &table);
	for (size_t j = 0; table && j < bxt_table_columns(table); j++)
		if (bxt_table_find(table, bxt_table_name(table, j)) < 0)
			abort();
	bxt_table_free(table);
	fclose(f);
	bxt_arena_free(arena);
	bxt_diagnostics_free(d);
	close(fd);
	return 0;
}

int fuzz_matrix(const uint8_t *bytes, size_t length)
{
	char path[40];
	if (length > FUZZ_LARGEST)
		return 0;
	const int fd = make_file(bytes, length, path, sizeof path);
	bxt_arena *arena = bxt_arena_new();
	const char *why = NULL;
	bxt_market_matrix m = {0};
	const bxt_status status = bxt_matrix_market_read(arena, path, &m, &why);
	if (status == BXT_ERR_IO && !why)
		abort();
	for (int k = 0; status == BXT_OK && k < m.n; k++)
		if (m.row[k] < 0 || m.row[k] >= m.rows || m.col[k] < 0 || m.col[k] >= m.cols)
			abort();
	bxt_arena_free(arena);
	close(fd);
	return 0;
}
