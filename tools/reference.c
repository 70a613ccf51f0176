/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints --help, the man page and the words of completion from the tables of commands and options.
 */
#include "reference.h"

#include <ctype.h>
#include <string.h>

enum { WIDTH = 96, COLUMN = 22 }; /* of --help: a line, where texts of options begin */

static const struct {
	const char *status, *brief, *text;
} statuses[] = {
	{"0", "success", "Success."},
	{"1", "the models differ, or a check failed",
	 "compare found a difference beyond the tolerance, or verify a check that failed."},
	{"2", "wrong usage", "The command line is wrong."},
	{"3", "the model is wrong",
	 "The model, the component, or the file to be read is wrong or cannot be read."},
	{"4", "numerical failure, or one of the machine: memory, files, an interrupt",
	 "The numerics failed, or the machine: a matrix is singular, Newton's method did not "
	 "converge, a file cannot be written, memory ended, gnuplot is missing, a plug-in crashed, "
	 "the run was interrupted."},
};

static const struct {
	const char *name, *brief, *text;
} variables[] = {
	{"BOXTIMES_PATH", "more directories of components, separated by ':'",
	 "More directories of components and of netlists to include, separated by colons; searched "
	 "after those of -L."},
	{"BOXTIMES_DYGRAPHS", "the folder of dygraphs",
	 "The folder of dygraph.min.js and dygraph.min.css for reports, instead of the one "
	 "found by configure."},
	{"NO_COLOR", "no colours in messages",
	 "When set, messages have no colours on a terminal either."},
};

static bool has(const command *c, const option_row *row)
{
	return row->commands >> (c - commands) & 1;
}

/* ---- Help ---- */

/* Prints a text word by word from that column, and a newline; further lines are indented. */
static void print_wrapped(const char *text, size_t column, size_t indent)
{
	for (const char *word = text; *word;) {
		const size_t length = strcspn(word, " \n");
		if (column > indent && column + 1 + length > WIDTH) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)length, word);
		column += length;
		word += length;
		if (strncmp(word, "\n\n", 2) == 0) {
			printf("\n\n%*s", (int)indent, "");
			column = indent;
			word++;
		}
		word += *word != '\0';
	}
	putchar('\n');
}

void print_overview(FILE *out)
{
	fputs("boxtimes - interconnected Lagrange-Dirac and port-Hamiltonian systems\n"
	      "\n"
	      "usage: boxtimes COMMAND ...          (boxtimes COMMAND --help explains a "
	      "command)\n\n",
	      out);
	for (size_t i = 0; i < n_commands; i++)
		fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].brief);
	fputs("\n"
	      "A first try, from the source tree:\n"
	      "  boxtimes run netlists/rlc-torn.xml --record 'store.C1.q, energy' -o torn.csv\n"
	      "  boxtimes plot torn.csv -o torn.svg\n"
	      "  boxtimes compare netlists/rlc-parallel.xml netlists/rlc-torn.xml\n"
	      "\n",
	      out);
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		fprintf(out, "%-13s%s %s\n", i ? "" : "exit status: ", statuses[i].status,
			statuses[i].brief);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		fprintf(out, "%-13s%-18s %s\n", i ? "" : "environment: ", variables[i].name,
			variables[i].brief);
}

static void print_option(const option_row *row)
{
	int column = row->letter ? printf("  -%c, --%s", row->letter, row->name)
				 : printf("  --%s", row->name);
	if (row->argument)
		column += printf(" %s", row->argument);
	if (column < COLUMN)
		printf("%*s", COLUMN - column, "");
	else
		printf("\n%*s", COLUMN, "");
	print_wrapped(row->text, COLUMN, COLUMN);
}

static void print_value(void *context, const char *name, const char *doc)
{
	(void)context;
	const int column = printf("  %-*s ", COLUMN - 3, name);
	print_wrapped(doc, (size_t)column, COLUMN);
}

static void print_values(const char *heading, const char *setting)
{
	printf("\n%s\n", heading);
	bxt_setting_values(setting, print_value, NULL);
}

static void print_setting(void *context, const char *name, const char *doc)
{
	(void)context;
	(void)doc;
	print_values(name, name);
}

void print_settings(void)
{
	bxt_setting_values("setting", print_setting, NULL);
	print_values("step methods; a scheme uses the first of its methods that can step the model",
		     "method");
}

void print_help(const command *c)
{
	printf("usage: boxtimes %s %s\n\n", c->name, c->arguments);
	print_wrapped(c->text, 0, 0);
	putchar('\n');
	for (size_t i = 0; i < n_option_rows; i++)
		if (has(c, &option_rows[i]))
			print_option(&option_rows[i]);
	if (c->run == command_run) {
		print_values("schemes", "scheme");
		print_values("step methods; a scheme uses the first of its methods that can step "
			     "the model",
			     "method");
	}
	for (const char *line = c->example; *line;) {
		const size_t length = strcspn(line, "\n");
		printf("%s%.*s\n", line == c->example ? "\nexample: " : "         ", (int)length,
		       line);
		line += length + (line[length] == '\n');
	}
}

/* ---- The man page ---- */

/* Escapes for roff: a hyphen that readers may copy is a minus sign. */
static void print_escaped(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '-' || text[i] == '\\')
			fputs(text[i] == '-' ? "\\-" : "\\e", stdout);
		else if (text[i] == '\'')
			fputs("\\(aq", stdout);
		else if (text[i] == '~')
			fputs("\\(ti", stdout);
		else if (text[i] == '^')
			fputs("\\(ha", stdout);
		else
			putchar(text[i]);
	}
}

/* The length of the option that a word begins with, "--name" or "-o", which is printed bold; 0:
 * none.
 */
static size_t length_of_option(const char *word)
{
	size_t n = word[0] == '-' && word[1] == '-' ? 2 : word[0] == '-';
	if (n == 0 || !isalpha((unsigned char)word[n]))
		return 0;
	while (isalnum((unsigned char)word[n]) || (word[n] == '-' && isalpha(word[n + 1])))
		n++;
	return n;
}

/* Lines of some 100 characters; paragraphs after the first begin with the macro. */
static void print_roff(const char *text, const char *paragraph)
{
	size_t column = 0;
	for (const char *word = text; *word;) {
		const size_t length = strcspn(word, " \n"), option = length_of_option(word);
		if (column > 0 && column + length > WIDTH) {
			putchar('\n');
			column = 0;
		} else if (column > 0) {
			putchar(' ');
		}
		if (column == 0 && (*word == '.' || *word == '\''))
			fputs("\\&", stdout);
		if (option) {
			fputs("\\fB", stdout);
			print_escaped(word, option);
			fputs("\\fR", stdout);
		}
		print_escaped(word + option, length - option);
		column += length + 1;
		word += length;
		if (strncmp(word, "\n\n", 2) == 0) {
			printf("\n%s\n", paragraph);
			column = 0;
			word++;
		}
		word += *word != '\0';
	}
	putchar('\n');
}

static void print_command(const command *c)
{
	printf(".TP\n.B %s \\fR", c->name);
	print_escaped(c->arguments, strlen(c->arguments));
	putchar('\n');
	print_roff(c->text, ".IP");
	if (c->more) {
		puts(".IP");
		print_roff(c->more, ".IP");
	}
}

/* Prints a heading for consecutive options of the same commands. */
static void print_group(unsigned of)
{
	size_t left = 0;
	for (size_t i = 0; i < n_commands; i++)
		left += of >> i & 1;
	fputs(".SS \"Of ", stdout);
	if (of == OF_ALL)
		fputs("all", stdout);
	for (size_t i = 0; i < n_commands && of != OF_ALL; i++)
		if (of >> i & 1) {
			left--;
			printf("%s%s", commands[i].name,
			       left > 1    ? ", "
			       : left == 1 ? " and "
					   : "");
		}
	puts("\"");
}

static void print_options(void)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const option_row *row = &option_rows[i];
		if (i == 0 || row->commands != row[-1].commands)
			print_group(row->commands);
		puts(".TP");
		if (row->letter)
			printf("\\fB\\-%c\\fR, ", row->letter);
		fputs("\\fB\\-\\-", stdout);
		print_escaped(row->name, strlen(row->name));
		fputs("\\fR", stdout);
		if (row->argument)
			printf(" \\fI%s\\fR", row->argument);
		putchar('\n');
		print_roff(row->text, ".IP");
		if (row->more) {
			puts(".IP");
			print_roff(row->more, ".IP");
		}
	}
}

static void print_item(void *context, const char *name, const char *doc)
{
	(void)context;
	fputs(".TP\n.B ", stdout);
	print_escaped(name, strlen(name));
	putchar('\n');
	print_roff(doc, ".IP");
}

static void print_examples(void)
{
	for (size_t i = 0; i < n_commands; i++) {
		const command *c = &commands[i];
		puts(".PP\n.RS 4\n.nf");
		for (const char *line = c->example; *line;) {
			const size_t length = strcspn(line, "\n");
			print_escaped(line, length);
			putchar('\n');
			line += length + (line[length] == '\n');
		}
		puts(".fi\n.RE");
	}
}

static void print_man(void)
{
	puts(".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n"
	     ".\\\" Printed by boxtimes reference man.\n"
	     ".TH BOXTIMES 1 \"\" \"boxtimes\" \"User Commands\"\n"
	     ".SH NAME\n"
	     "boxtimes \\- simulate interconnected Lagrange\\-Dirac and port\\-Hamiltonian "
	     "systems\n"
	     ".SH SYNOPSIS\n"
	     ".nf");
	for (size_t i = 0; i < n_commands; i++) {
		printf("\\fBboxtimes %s\\fR ", commands[i].name);
		print_escaped(commands[i].arguments, strlen(commands[i].arguments));
		putchar('\n');
	}
	puts("\\fBboxtimes\\fR [COMMAND] \\fB\\-\\-help\\fR\n"
	     "\\fBboxtimes \\-\\-version\\fR\n"
	     ".fi\n"
	     ".SH DESCRIPTION");
	print_roff(
		"boxtimes reads a netlist, an XML file in which subsystems made of components "
		"are joined at their ports, compiles it to one sparse system and integrates that "
		"in "
		"time with structure-preserving schemes. Every run reports where the energy went "
		"and how well the constraints held.",
		".PP");
	puts(".SH COMMANDS");
	for (size_t i = 0; i < n_commands; i++)
		print_command(&commands[i]);
	puts(".SH OPTIONS");
	print_options();
	puts(".SH SCHEMES");
	bxt_setting_values("scheme", print_item, NULL);
	puts(".SH \"STEP METHODS\"");
	print_roff("A scheme lists its step methods; the first that can step the model is used.",
		   ".PP");
	bxt_setting_values("method", print_item, NULL);
	puts(".SH \"EXIT STATUS\"");
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
		printf(".TP\n.B %s\n", statuses[i].status);
		print_roff(statuses[i].text, ".IP");
	}
	puts(".SH ENVIRONMENT");
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		printf(".TP\n.B %s\n", variables[i].name);
		print_roff(variables[i].text, ".IP");
	}
	puts(".SH FILES\n"
	     ".TP\n"
	     ".I PREFIX/share/boxtimes/components\n"
	     "The component library, a folder for each domain. A file\n"
	     ".IR NAME .xml\n"
	     "holds the component\n"
	     ".IR NAME .\n"
	     ".TP\n"
	     ".I PREFIX/share/boxtimes/netlists\n"
	     "Example systems.\n"
	     ".SH EXAMPLES");
	print_examples();
	puts(".SH \"SEE ALSO\"\n"
	     ".BR boxtimes\\-netlist (5),\n"
	     ".BR boxtimes\\-component (5),\n"
	     ".BR gnuplot (1),\n"
	     ".BR xmllint (1)");
}

/* ---- Words for completion ---- */

/* Prints lines "NAME WHAT...": the completions of a command's arguments, "-": none. */
static void print_commands(void)
{
	for (size_t i = 0; i < n_commands; i++)
		printf("%s %s\n", commands[i].name,
		       commands[i].complete ? commands[i].complete : "-");
}

/* Prints the same of options in both forms; of flags the name alone. */
static void print_words(const command *c)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const option_row *row = &option_rows[i];
		const char *what = row->complete ? row->complete : row->argument ? "-" : "";
		const bxt_member *m = row->accept == accept_setting ? setting_member(row) : NULL;
		if (!has(c, row))
			continue;
		if (!row->complete && m && m->values)
			printf("--%s @%s\n", row->name, m->values);
		else
			printf("--%s %s\n", row->name, what);
		if (row->letter)
			printf("-%c %s\n", row->letter, what);
	}
}

bool print_reference_of_commands(const list *words)
{
	const char *what = words->text[0];
	if (words->n == 1 && strcmp(what, "man") == 0)
		return print_man(), true;
	if (words->n == 1 && strcmp(what, "commands") == 0)
		return print_commands(), true;
	for (size_t i = 0; words->n == 2 && strcmp(what, "options") == 0 && i < n_commands; i++)
		if (strcmp(words->text[1], commands[i].name) == 0)
			return print_words(&commands[i]), true;
	return false;
}
