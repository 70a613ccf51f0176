/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L /* getline */

#include "ground/base/csv.h"

#include <stdlib.h>
#include <string.h>

static const char blank[] = " \t\r\n";

bool bxt_csv_next_line(bxt_csv_lines *l)
{
	ssize_t length;
	while ((length = getline(&l->text, &l->capacity, l->file)) >= 0) {
		l->line++;
		l->binary = strlen(l->text) != (size_t)length;
		if (l->line == 1 && strncmp(l->text, "\xEF\xBB\xBF", 3) == 0)
			memmove(l->text, l->text + 3, (size_t)length - 2);
		if (l->binary || l->text[strspn(l->text, blank)])
			return true;
	}
	l->no_memory = !feof(l->file) && !ferror(l->file);
	return false;
}

void bxt_csv_lines_free(bxt_csv_lines *l)
{
	free(l->text);
	*l = (bxt_csv_lines){0};
}

/* Removes the quotes of a cell in place; returns what follows the cell. */
static char *unquote(char *cell)
{
	char *from = cell, *to = cell;
	for (from++; *from; from++) {
		if (*from == '"' && *++from != '"')
			break; /* a doubled quote is one */
		*to++ = *from;
	}
	char *rest = from + strcspn(from, ",");
	rest = *rest ? rest + 1 : NULL;
	*to = '\0';
	return rest;
}

char *bxt_csv_next_cell(char **at, bool quotes)
{
	char *cell = *at + strspn(*at, blank), *end = strchr(*at, ',');
	if (quotes && *cell == '"') {
		*at = unquote(cell);
		return cell;
	}
	*at = end ? end + 1 : NULL;
	if (!end)
		end = cell + strlen(cell);
	if (cell > end)
		cell = end;
	while (end > cell && strchr(blank, end[-1]))
		end--;
	*end = '\0';
	return cell;
}

void bxt_csv_write_name(FILE *stream, const char *name, const char *unit)
{
	const bool quoted = strpbrk(name, ",\"\r\n") != NULL;
	if (quoted)
		fputc('"', stream);
	for (const char *c = name; *c; c++) {
		if (*c == '"')
			fputc('"', stream);
		fputc(*c, stream);
	}
	if (*unit)
		fprintf(stream, " [%s]", unit);
	if (quoted)
		fputc('"', stream);
}
