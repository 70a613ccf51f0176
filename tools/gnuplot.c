/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gnuplot.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* The length of the UTF-8 character at s, 0 when it is none. */
static size_t character(const unsigned char *s)
{
	const size_t length = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	if (*s > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/* Marks, embeddings, overrides and isolates of direction, and separators of lines. */
static bool turns(const unsigned char *s, size_t length)
{
	const unsigned low = length == 3 ? s[2] : 0;
	return (length == 2 && s[0] == 0xd8 && s[1] == 0x9c) ||
	       (length == 3 && s[0] == 0xe2 && s[1] == 0x80 &&
		(low == 0x8e || low == 0x8f || (low >= 0xa8 && low <= 0xae))) ||
	       (length == 3 && s[0] == 0xe2 && s[1] == 0x81 && low >= 0xa6 && low <= 0xa9);
}

void gnuplot_word(const char *text, size_t size, FILE *script)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + size;
	while (s < end && *s) {
		const size_t length = character(s);
		const bool control =
			*s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0) || turns(s, length);
		if (length == 0)
			fputc('?', script);
		else if (control)
			fputc(' ', script);
		else if (*s == '"' || *s == '`')
			fputc('\'', script);
		else
			fwrite(s, 1, length, script);
		s += length ? length : 1;
	}
}

enum { CANNOT_EXEC = 126, NOT_FOUND = 127 };

/* No shell, no start-up files: -d. The script is standard input. */
static void become_gnuplot(int in, int out, int err)
{
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(err, STDERR_FILENO) >= 0)
		execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
	_exit(errno == ENOENT ? NOT_FOUND : CANNOT_EXEC);
}

/* The exit status of gnuplot, -1 when it did not come to that. */
static int run_to_end(FILE *script, FILE *drawing, FILE *messages)
{
	int status;
	if (fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0)
		return -1;
	const pid_t child = fork();
	if (child == 0)
		become_gnuplot(fileno(script), fileno(drawing), fileno(messages));
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void show(FILE *messages)
{
	char line[256];
	rewind(messages);
	while (fgets(line, sizeof line, messages))
		if (line[strspn(line, " \t\r\n")])
			say("%s", line);
}

FILE *gnuplot_run(FILE *script)
{
	FILE *drawing = tmpfile(), *messages = tmpfile();
	const int status = drawing && messages ? run_to_end(script, drawing, messages) : -1;
	if (status == NOT_FOUND)
		fputs("boxtimes: plot needs the program gnuplot, which was not found (Debian "
		      "package gnuplot-nox)\n",
		      stderr);
	else if (status != 0)
		fputs("boxtimes: gnuplot failed\n", stderr);
	if (status > 0 && status != NOT_FOUND)
		show(messages);
	if (messages)
		fclose(messages);
	if (status == 0) {
		rewind(drawing);
		return drawing;
	}
	if (drawing)
		fclose(drawing);
	return NULL;
}

/* ---- Pictures ---- */

bool gnuplot_find_format(const char *option, const char *path, enum gnuplot_format *format)
{
	const char *dot = path ? strrchr(path, '.') : NULL;
	*format = !path                             ? GNUPLOT_TEXT
		  : dot && strcmp(dot, ".png") == 0 ? GNUPLOT_PNG
						    : GNUPLOT_SVG;
	if (!path || strcmp(path, "-") == 0 ||
	    (dot && (strcmp(dot, ".svg") == 0 || *format == GNUPLOT_PNG)))
		return true;
	say("boxtimes: %s '%s': pictures end in .svg or .png\n", option, path);
	return false;
}

void gnuplot_picture(enum gnuplot_format format, int height, FILE *script)
{
	if (format == GNUPLOT_PNG)
		fprintf(script,
			"if (strstrt(GPVAL_TERMINALS, 'pngcairo')) { set terminal pngcairo size "
			"900,%d noenhanced } else { set terminal png size 900,%d noenhanced }\n",
			height, height);
	else
		fprintf(script,
			"set terminal svg size 900,%d dynamic noenhanced background 'white'\n",
			height);
}

void gnuplot_value(double value, FILE *script)
{
	if (isfinite(value))
		fprintf(script, " %.10g", value);
	else
		fputs(" NaN", script);
}

static void copy(FILE *from, FILE *to)
{
	char bytes[8192];
	size_t n;
	while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
		if (fwrite(bytes, 1, n, to) != n)
			return;
}

int gnuplot_deliver(FILE *picture, const char *path)
{
	output_file out;
	if (!output_open(&out, path))
		return EXIT_NUMERICS;
	copy(picture, out.stream);
	return output_close(&out) ? EXIT_OK : EXIT_NUMERICS;
}
