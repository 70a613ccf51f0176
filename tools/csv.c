/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool out_of_memory(void)
{
	fputs("boxtimes: out of memory\n", stderr);
	return false;
}

/*
 * The next field of a line, unquoted in place and ended with NUL; *rest is what follows the comma,
 * NULL at the end of the line.
 */
static char *next_field(char *line, char **rest)
{
	char *from = line, *to = line;
	if (*from != '"') {
		char *comma = strchr(line, ',');
		*rest = comma ? comma + 1 : NULL;
		if (comma)
			*comma = '\0';
		return line;
	}
	for (from++; *from; from++) {
		if (*from == '"' && *++from != '"')
			break; /* a doubled quote is one */
		*to++ = *from;
	}
	*rest = *from == ',' ? from + 1 : NULL;
	*to = '\0';
	return line;
}

/* Without the line's end. */
static void chomp(char *line)
{
	line[strcspn(line, "\r\n")] = '\0';
}

static bool read_header(csv *t, char *line)
{
	for (char *rest = line; rest;) {
		char **grown = realloc(t->name, (t->columns + 1) * sizeof *grown);
		if (!grown)
			return out_of_memory();
		t->name = grown;
		if (!(t->name[t->columns] = strdup(next_field(rest, &rest))))
			return out_of_memory();
		t->columns++;
	}
	return true;
}

static bool grow(csv *t)
{
	if (t->rows < t->capacity)
		return true;
	const size_t capacity = t->capacity ? 2 * t->capacity : 256;
	if (capacity > (size_t)-1 / sizeof(double) / t->columns)
		return out_of_memory();
	double *grown = realloc(t->values, capacity * t->columns * sizeof *grown);
	if (!grown)
		return out_of_memory();
	t->values = grown;
	t->capacity = capacity;
	return true;
}

static bool read_row(csv *t, char *line, const char *file, long number)
{
	size_t column = 0;
	if (!grow(t))
		return false;
	double *row = t->values + t->rows * t->columns;
	for (char *rest = line; rest; column++) {
		const char *field = next_field(rest, &rest);
		char *end;
		if (column == t->columns)
			break;
		row[column] = *field ? strtod(field, &end) : NAN;
		if (*field && (*end || end == field)) {
			fprintf(stderr, "%s:%ld: error: field %zu is not a number\n", file, number,
				column + 1);
			return false;
		}
	}
	if (column != t->columns) {
		fprintf(stderr, "%s:%ld: error: the row has %s fields than the header\n", file,
			number, column < t->columns ? "fewer" : "more");
		return false;
	}
	t->rows++;
	return true;
}

bool csv_read(csv *t, FILE *stream, const char *file)
{
	char *line = NULL;
	size_t room = 0;
	long number = 0;
	bool good = true;
	*t = (csv){0};
	errno = 0;
	while (good && getline(&line, &room, stream) >= 0) {
		number++;
		chomp(line);
		if (number == 1)
			good = read_header(t, line);
		else if (*line)
			good = read_row(t, line, file, number);
	}
	if (good && ferror(stream)) {
		fprintf(stderr, "%s: error: cannot be read: %s\n", file, strerror(errno));
		good = false;
	} else if (good && (t->columns < 2 || t->rows == 0)) {
		fprintf(stderr,
			"%s: error: nothing to draw: needs a header, a column of times, "
			"others beside it, and rows\n",
			file);
		good = false;
	}
	free(line);
	return good;
}

void csv_free(csv *t)
{
	for (size_t i = 0; i < t->columns; i++)
		free(t->name[i]);
	free(t->name);
	free(t->values);
	*t = (csv){0};
}
