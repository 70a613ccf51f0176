/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the command line by the table of options. */
#include "reference.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool list_add(list *l, const char *text)
{
	const char **grown = realloc(l->text, (l->n + 1) * sizeof *grown);
	if (!grown) {
		fputs("boxtimes: out of memory\n", stderr);
		return false;
	}
	l->text = grown;
	l->text[l->n++] = text;
	return true;
}

/* ---- Arguments ---- */

static void *target(options *o, const option_row *row)
{
	return (char *)o + row->offset;
}

bool accept_text(options *o, const option_row *row, const char *argument)
{
	*(const char **)target(o, row) = argument;
	return true;
}

bool accept_flag(options *o, const option_row *row, const char *argument)
{
	(void)argument;
	return *(bool *)target(o, row) = true;
}

bool accept_item(options *o, const option_row *row, const char *argument)
{
	return list_add(target(o, row), argument);
}

bool accept_pair(options *o, const option_row *row, const char *argument)
{
	const char *equal = strchr(argument, '=');
	if (equal && equal > argument && equal[1])
		return list_add(target(o, row), argument);
	print_message("boxtimes: --%s '%s' is not %s\n", row->name, argument, row->argument);
	return false;
}

/* Factors of the time units a command line needs; anything else belongs into a netlist. */
static bool scan_time(const char *text, double *out)
{
	static const struct {
		const char *unit;
		int exponent;
	} units[] = {{"", 0}, {"s", 0}, {"ms", -3}, {"us", -6}, {"ns", -9}, {"ps", -12}};
	char *end;
	errno = 0;
	*out = strtod(text, &end);
	const size_t length = (size_t)(end - text);
	const bool decimal = length > 0 && strspn(text, "+-.0123456789eE") >= length;
	while (*end == ' ')
		end++;
	for (size_t i = 0; decimal && i < sizeof units / sizeof *units; i++) {
		char shifted[64];
		if (strcmp(end, units[i].unit) != 0)
			continue;
		/* by exponent, so that 20 us is the double nearest to 2e-5 */
		if (!memchr(text, 'e', length) && !memchr(text, 'E', length) && length < 48) {
			snprintf(shifted, sizeof shifted, "%.*se%d", (int)length, text,
				 units[i].exponent);
			*out = strtod(shifted, NULL);
		} else {
			*out *= pow(10, units[i].exponent);
		}
		return isfinite(*out);
	}
	return false;
}

static bool read_time(const char *name, const char *text, double *out)
{
	if (scan_time(text, out) && *out > 0)
		return true;
	print_message("boxtimes: --%s '%s' is not a positive time: write seconds, or a number with "
		      "its unit (s, ms, us, ns, ps)\n",
		      name, text);
	return false;
}

bool accept_time(options *o, const option_row *row, const char *argument)
{
	return read_time(row->name, argument, target(o, row));
}

bool accept_range(options *o, const option_row *row, const char *argument)
{
	const char *colon = strchr(argument, ':');
	char *from = colon ? strndup(argument, (size_t)(colon - argument)) : NULL;
	bool good = from && (!*from || scan_time(from, &o->picture.range[0])) &&
		    (!colon[1] || scan_time(colon + 1, &o->picture.range[1])) &&
		    o->picture.range[0] < o->picture.range[1];
	free(from);
	if (!good)
		print_message("boxtimes: --%s '%s' is not FROM:TO, two times in order, one of "
			      "which may be "
			      "absent\n",
			      row->name, argument);
	return good;
}

bool accept_log(options *o, const option_row *row, const char *argument)
{
	o->picture.log[0] = strchr(argument, 'x') != NULL;
	o->picture.log[1] = strchr(argument, 'y') != NULL;
	if (*argument && argument[strspn(argument, "xy")] == '\0')
		return true;
	print_message("boxtimes: --%s '%s' is not x, y or xy\n", row->name, argument);
	return false;
}

/* Is it a number with a unit that the table above lacks, as "20 min"? The library reads it. */
static bool has_other_unit(const char *text)
{
	char *end;
	const double value = strtod(text, &end);
	const size_t length = (size_t)(end - text);
	if (length == 0 || strspn(text, "+-.0123456789eE") < length || !(value > 0))
		return false;
	end += strspn(end, " ");
	const bool known = !*end || strcmp(end, "s") == 0 || strcmp(end, "ms") == 0 ||
			   strcmp(end, "us") == 0 || strcmp(end, "ns") == 0 ||
			   strcmp(end, "ps") == 0;
	return !known && ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z'));
}

/* The last one given counts, of either kind. What no file could say is wrong at once. */
static bool time_or_expression(const option_row *row, const char *text, const char **expression,
			       double *time)
{
	*expression = text[0] == '=' || has_other_unit(text) ? text : NULL;
	*time = 0;
	return *expression || read_time(row->name, text, time);
}

bool accept_step(options *o, const option_row *row, const char *argument)
{
	return time_or_expression(row, argument, &o->step, &o->def.step);
}

bool accept_end(options *o, const option_row *row, const char *argument)
{
	return time_or_expression(row, argument, &o->end, &o->def.end);
}

static bool read_positive(const option_row *row, const char *text, double *out)
{
	char *end;
	*out = strtod(text, &end);
	if (*text && !*end && *out > 0 && isfinite(*out))
		return true;
	print_message("boxtimes: --%s '%s' is not a positive number\n", row->name, text);
	return false;
}

bool accept_positive(options *o, const option_row *row, const char *argument)
{
	return read_positive(row, argument, target(o, row));
}

/* From 1 to most. */
static bool read_whole(const option_row *row, const char *text, long most, long *out)
{
	char *end;
	errno = 0;
	*out = strtol(text, &end, 10);
	if (*text && !*end && *out >= 1 && *out <= most && errno == 0)
		return true;
	print_message("boxtimes: --%s '%s' is not a whole number from 1 to %ld\n", row->name, text,
		      most);
	return false;
}

static bool read_number(const option_row *row, const char *text, int *out)
{
	long n;
	const bool good = read_whole(row, text, 1000000, &n);
	*out = (int)n;
	return good;
}

bool accept_number(options *o, const option_row *row, const char *argument)
{
	return read_number(row, argument, target(o, row));
}

const bxt_member *setting_member(const option_row *row)
{
	const bxt_member *m;
	for (size_t i = 0; (m = bxt_structure_member("bxt_run_def", i)); i++)
		if (m->setting && strcmp(m->setting, row->name) == 0)
			break;
	return m;
}

bool accept_setting(options *o, const option_row *row, const char *argument)
{
	const bxt_member *m = setting_member(row);
	void *to = (char *)&o->def + m->offset;
	switch (m->type) {
	case BXT_MEMBER_REAL:
		return m->unit ? read_time(row->name, argument, to)
			       : read_positive(row, argument, to);
	case BXT_MEMBER_LONG:
		return read_whole(row, argument, LONG_MAX, to);
	case BXT_MEMBER_INT:
		return read_number(row, argument, to);
	case BXT_MEMBER_FLAG:
		return *(bool *)to = true;
	default:
		*(const char **)to = argument;
		return true;
	}
}

bool accept_seed(options *o, const option_row *row, const char *argument)
{
	char *end;
	errno = 0;
	o->seed = strtoull(argument, &end, 10);
	if (*argument >= '0' && *argument <= '9' && !*end && errno == 0)
		return true;
	print_message("boxtimes: --%s '%s' is not a whole number\n", row->name, argument);
	return false;
}

/* A frequency [Hz] of --dec, --oct or --lin, with nothing behind it. */
static bool read_frequency(const char *text, double *out)
{
	char *end;
	*out = strtod(text, &end);
	end += strspn(end, " ");
	return end != text && !*end && isfinite(*out) && *out >= 0;
}

bool accept_frequency(options *o, const option_row *row, const char *argument)
{
	if (read_frequency(argument, target(o, row)))
		return true;
	print_message("boxtimes: --%s '%s' is not a frequency [Hz], 0 or more\n", row->name,
		      argument);
	return false;
}

/* The next of the words of frequencies: of the rest of the argument, or of the command line. */
static const char *next_word(const options *o, const char **rest, char *word, size_t size)
{
	*rest += strspn(*rest, " ");
	const size_t n = strcspn(*rest, " ");
	if (n == 0)
		return optind < o->argc ? o->argv[optind++] : NULL;
	if (n >= size)
		return NULL;
	memcpy(word, *rest, n);
	word[n] = '\0';
	*rest += n;
	return word;
}

bool accept_frequencies(options *o, const option_row *row, const char *argument)
{
	const char *rest = argument;
	char word[64];
	double number[3] = {0};
	bool good = true;
	for (int k = 0; k < 3 && good; k++) {
		const char *text = next_word(o, &rest, word, sizeof word);
		good = text && read_frequency(text, &number[k]);
	}
	rest += strspn(rest, " ");
	const bool linear = strcmp(row->name, "lin") == 0;
	o->linear.frequencies.spacing = linear                          ? LINEAR
					: strcmp(row->name, "oct") == 0 ? BY_OCTAVES
									: BY_DECADES;
	good = good && !*rest && number[0] >= 1 && number[0] <= 1e6 &&
	       number[0] == floor(number[0]) && number[1] <= number[2] && (linear || number[1] > 0);
	o->linear.frequencies.points = good ? (unsigned)number[0] : 0;
	o->linear.frequencies.from = number[1];
	o->linear.frequencies.to = number[2];
	if (!good)
		print_message(
			"boxtimes: --%s takes three numbers: points, the lowest and the highest "
			"frequency [Hz], as in --%s 20 1 1e6\n",
			row->name, row->name);
	return good;
}

/* ---- The command line ---- */

enum { OF_ROWS = 256 }; /* added to indices of rows, so that they are no letters */

/* The options of a command as getopt_long takes them: two allocations; false: memory ended. */
static bool options_of(const command *c, struct option **long_options, char **letters)
{
	size_t n = 0, n_letters = 0;
	struct option *l = *long_options = calloc(n_option_rows + 1, sizeof *l);
	char *s = *letters = malloc(2 * n_option_rows + 2);
	if (!l || !s)
		return false;
	s[n_letters++] = ':'; /* a missing value has a code of its own */
	for (size_t i = 0; i < n_option_rows; i++) {
		const option_row *row = &option_rows[i];
		if (!(row->commands >> (c - commands) & 1))
			continue;
		l[n++] = (struct option){row->name, row->argument ? required_argument : no_argument,
					 NULL, OF_ROWS + (int)i};
		if (row->letter) {
			s[n_letters++] = row->letter;
			if (row->argument)
				s[n_letters++] = ':';
		}
	}
	s[n_letters] = '\0';
	return true;
}

/* The row of what getopt_long gave, or NULL. */
static const option_row *row_of(const command *c, int option)
{
	if (option >= OF_ROWS)
		return &option_rows[option - OF_ROWS];
	for (size_t i = 0; i < n_option_rows; i++)
		if (option_rows[i].letter == option &&
		    option_rows[i].commands >> (c - commands) & 1)
			return &option_rows[i];
	return NULL;
}

/* A negative result: go on. */
static int parse(options *o, const command *c, int argc, char **argv,
		 const struct option *long_options, const char *letters)
{
	int option;
	opterr = 0; /* its words begin with the command instead of the program */
	while ((option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		const option_row *row = row_of(c, option);
		if (row && !row->accept) {
			print_help(c);
			return EXIT_OK;
		}
		if (!row)
			print_message("boxtimes %s: %s '%s'\n", c->name,
				      option == ':' ? "a value is missing after" : "no such option",
				      argv[optind - 1]);
		if (!row || !row->accept(o, row, optarg)) {
			print_message("see 'boxtimes %s --help'\n", c->name);
			return EXIT_USAGE;
		}
	}
	for (; optind < argc; optind++)
		if (!list_add(&o->files, argv[optind]))
			return EXIT_NUMERICS;
	return -1;
}

/* Checks options that exclude or need each other. */
static int check_together(const options *o)
{
	const bool tears = strcmp(o->command, "tear") == 0;
	const int ways = !!o->tear.node + !!o->tear.elements + !!o->tear.parts + !!o->tear.like;
	const char *wrong = NULL;
	if (o->json && o->output && strcmp(o->output, "-") == 0)
		wrong = "--json and '-o -' both want standard output";
	else if (strcmp(o->command, "compare") == 0 && (o->picture.columns || o->picture.title) &&
		 !o->plot)
		wrong = "--columns and --title are of a picture: --plot FILE is missing";
	else if (o->picture.open && (!o->output || strcmp(o->output, "-") == 0))
		wrong = "--open shows the file of -o, which is missing";
	else if (o->picture.space &&
		 (o->picture.xy || o->picture.columns || o->picture.overlay ||
		  o->picture.spectrum || o->picture.log[0] || o->picture.log[1]))
		wrong = "--space shows traces, without --xy, --columns, --log, --overlay and "
			"--spectrum";
	else if (o->picture.xy && (o->picture.columns || o->picture.overlay || o->picture.spectrum))
		wrong = "--xy has its own two columns, without --columns, --overlay and --spectrum";
	else if (o->picture.overlay && o->picture.spectrum)
		wrong = "--overlay and --spectrum exclude each other";
	else if (tears && ways != 1)
		wrong = "one of --node, --elements, --parts and --like is needed";
	else if (tears && o->tear.like && o->tear.part_names)
		wrong = "--like brings its own names, --names cannot be given as well";
	if (wrong)
		print_message("boxtimes %s: %s; see 'boxtimes %s --help'\n", o->command, wrong,
			      o->command);
	return wrong ? EXIT_USAGE : -1;
}

int options_parse(options *o, const command *c, int argc, char **argv)
{
	struct option *long_options;
	char *letters;
	int status = EXIT_NUMERICS;
	o->command = c->name;
	o->tolerance = strcmp(c->name, "compare") == 0 ? 1e-9 : 0; /* 0: of each check, none */
	o->seed = 1;
	o->picture.range[0] = -INFINITY;
	o->picture.range[1] = INFINITY;
	bxt_default_run_def(&o->def);
	if (options_of(c, &long_options, &letters))
		status = parse(o, c, argc, argv, long_options, letters);
	else
		fputs("boxtimes: out of memory\n", stderr);
	free(long_options);
	free(letters);
	o->def.plugins = o->plugins.text;
	o->def.n_plugins = o->plugins.n;
	if (status < 0)
		status = check_together(o);
	if (status < 0 && (o->files.n < c->least || o->files.n > c->most)) {
		print_message("boxtimes %s: wrong number of arguments; see 'boxtimes %s --help'\n",
			      c->name, c->name);
		status = EXIT_USAGE;
	}
	return status;
}

void options_free(options *o)
{
	free(o->files.text);
	free(o->library.text);
	free(o->set.text);
	free(o->map.text);
	free(o->plugins.text);
	free(o->import.close.text);
}
