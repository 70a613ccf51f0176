/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

#include "tool.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_EXEC = 126, NOT_FOUND = 127 };

static void become(const char *const *argv, int in, int out, int err)
{
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(err, STDERR_FILENO) >= 0)
		execvp(argv[0], (char *const *)argv);
	_exit(errno == ENOENT ? NOT_FOUND : CANNOT_EXEC);
}

/* The exit status of the program, -1 when it did not come to that. */
static int run_to_end(const char *const *argv, FILE *input, FILE *picture, FILE *messages)
{
	int status;
	if (fflush(input) != 0 || lseek(fileno(input), 0, SEEK_SET) != 0)
		return -1;
	const pid_t child = fork();
	if (child == 0)
		become(argv, fileno(input), fileno(picture), fileno(messages));
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
			print_message("%s", line);
}

FILE *program_run(const char *const *argv, FILE *input, const char *who, const char *package)
{
	FILE *picture = tmpfile(), *messages = tmpfile();
	const int status = picture && messages ? run_to_end(argv, input, picture, messages) : -1;
	if (status == NOT_FOUND)
		print_message("boxtimes: %s needs the program %s, which was not found (Debian "
			      "package %s)\n",
			      who, argv[0], package);
	else if (status != 0)
		print_message("boxtimes: %s failed\n", argv[0]);
	if (status > 0 && status != NOT_FOUND)
		show(messages);
	if (messages)
		fclose(messages);
	if (status == 0) {
		rewind(picture);
		return picture;
	}
	if (picture)
		fclose(picture);
	return NULL;
}

void program_start(const char *const *argv)
{
	int status = -1;
	const pid_t child = fork();
	if (child == 0) {
		execvp(argv[0], (char *const *)argv);
		_exit(NOT_FOUND);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			break;
	if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		print_message("boxtimes: %s cannot show the file\n", argv[0]);
}
