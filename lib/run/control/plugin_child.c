/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process in which plug-ins run: a copy of the program by fork, which runs only the code of
 * this file and of plug-ins, and ends by _exit. It ends when its parent ends: the socket is then
 * closed, the kernel sends a signal, and an alarm ends a call that hangs.
 */
#define _GNU_SOURCE /* MSG_NOSIGNAL, NSIG */

#include "run/control/plugin.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

struct child {
	const bxt_plugin_host_def *def;
	bxt_plugin_record *record;
	int socket;
	pid_t self;
};

/*
 * Restores the standard actions of signals. Those that end a program from outside are ignored: the
 * parent obeys them, and saves the memory of plug-ins before it ends.
 */
static void be_plain(void)
{
	static const int of_parent[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	sigset_t none;
	const struct sigaction plain = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN};
	const struct rlimit no_core = {0, 0};
	for (int i = 1; i < NSIG; i++)
		sigaction(i, &plain, NULL); /* those that cannot be changed stay */
	for (size_t i = 0; i < sizeof of_parent / sizeof *of_parent; i++)
		sigaction(of_parent[i], &ignored, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_CORE, &no_core);
	/* output of a plug-in must not be mixed with rows */
	dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* Starts the time limit of a call, plus one second; it acts only if there is no parent any more to
 * end the call. */
static void begin_call(const struct child *c)
{
	alarm((unsigned)c->def->seconds + 1);
}

/* Ends a copy of this process that a plug-in made by fork and that also returns from the call:
 * otherwise two processes would answer. */
static void end_copy(const struct child *c)
{
	if (getpid() != c->self)
		_exit(0);
}

static void end_call(const struct child *c)
{
	end_copy(c);
	alarm(0);
	fflush(stdout);
}

static bool put(const struct child *c, const void *bytes, size_t size)
{
	for (const char *from = bytes; size > 0;) {
		const ssize_t n = send(c->socket, from, size, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return false;
		from += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool ring(const struct child *c, bool good)
{
	const char byte = good;
	return put(c, &byte, 1);
}

/* Waits for a command; false when there is no parent any more. */
static bool hear(const struct child *c)
{
	char byte;
	ssize_t n;
	do
		n = recv(c->socket, &byte, 1, 0);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static void make_all(const struct child *c, const bool *skip, int first)
{
	const bxt_plugin_host_def *def = c->def;
	bxt_plugin_record *r = c->record;
	for (int i = first; i < def->n; i++) {
		if (skip[i])
			continue;
		const bxt_remembered *remembered = def->remembered ? &def->remembered[i] : NULL;
		r->at = i;
		begin_call(c);
		const bool good =
			bxt_controller_make(&def->controllers[i], remembered, &r->stage, r->text);
		end_call(c);
		/* each call has its own time limit; after a failure the text is kept */
		if (!ring(c, good) || !good)
			_exit(0); /* no handlers of the program's own */
	}
}

static bxt_status step(const struct child *c, bxt_controller *one)
{
	bxt_plugin_record *r = c->record;
	memcpy(one->inputs, r->values, one->setup.n_inputs * sizeof *one->inputs);
	const bxt_status status = bxt_controller_step(one, r->t, r->text);
	end_copy(c);
	memcpy(r->values, one->outputs, one->setup.n_outputs * sizeof *one->outputs);
	return status;
}

static bool obey(const struct child *c)
{
	bxt_plugin_record *r = c->record;
	bxt_controller *one = &c->def->controllers[r->at];
	bxt_remembered saved = {0};
	bxt_status status = BXT_OK;
	begin_call(c);
	switch (r->command) {
	case BXT_PLUGIN_STEP:
		status = step(c, one);
		break;
	case BXT_PLUGIN_SAVE:
		status = bxt_controller_save(one, &saved, r->text);
		break;
	case BXT_PLUGIN_FREE:
		bxt_controller_free(one);
		break;
	}
	end_call(c);
	r->status = status;
	r->size = saved.size;
	const bool good = ring(c, true) && put(c, saved.bytes, saved.size);
	free(saved.bytes);
	return good;
}

_Noreturn void bxt_plugin_serve(const bxt_plugin_host_def *def, const bool *skip, int first,
				bxt_plugin_record *record, int socket)
{
	const struct child c = {def, record, socket, getpid()};
	be_plain();
	make_all(&c, skip, first);
	while (hear(&c) && obey(&c))
		continue;
	_exit(0);
}
