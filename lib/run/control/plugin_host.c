/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parent's side. Commands and answers are a byte each on a pair of sockets. Closing a socket
 * reports the end of the other side at once. The data of commands is in shared memory.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MSG_NOSIGNAL, SOCK_CLOEXEC, strsignal */

#include "ground/base/clock.h"
#include "run/control/plugin.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct bxt_plugin_host {
	bxt_plugin_host_def def;
	bxt_plugin_record *record; /* shared memory, its size in bytes */
	size_t bytes;
	bool *skip;  /* (n) those that crashed in a rehearsal */
	pid_t child; /* the keeper; 0: there is none */
	int socket;
	bool lost; /* the process has ended, and the memory of plug-ins is lost */
	double t;  /* of the last call */
};

/* The result of a command. */
typedef enum answer { ANSWERED, LATE, ENDED } answer;

/* ---- The process ---- */

/* Reports that the operating system refuses what a separate process needs: "too many open files",
 * ... */
static bxt_status not_started(bxt_plugin_host *h, const char *what, int why)
{
	if (why == ENOMEM || why == ENOBUFS)
		return BXT_ERR_MEMORY;
	bxt_error(h->def.d, BXT_NOWHERE, "plug-ins get no process of their own: %s: %s", what,
		  strerror(why));
	return BXT_ERR_PLUGIN;
}

static bxt_status start(bxt_plugin_host *h, int first)
{
	const pid_t parent = getpid();
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return not_started(h, "socketpair", errno);
	memset(h->record, 0, sizeof *h->record);
	h->record->at = first;
	fflush(NULL); /* otherwise both processes may write the contents of buffers */
	h->child = fork();
	const int why = errno;
	if (h->child == 0) {
		close(pair[0]);
		bxt_plugin_keep(&h->def, h->skip, first, h->record,
				&(bxt_plugin_keeping){parent, pair[1]});
	}
	close(pair[1]);
	if (h->child < 0) {
		close(pair[0]);
		h->child = 0;
		return not_started(h, "fork", why);
	}
	h->socket = pair[0];
	return BXT_OK;
}

/* Waits for the end of the keeper, at most that many seconds; false: it still runs. */
static bool wait_for(const bxt_plugin_host *h, double seconds)
{
	struct timespec pause = {0, 50000};
	const double until = bxt_clock_seconds() + seconds;
	for (;;) {
		const pid_t ended = waitpid(h->child, NULL, WNOHANG);
		if (ended > 0 || (ended < 0 && errno != EINTR))
			return true;
		if (ended == 0 && bxt_clock_seconds() >= until)
			return false;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 10000000)
			pause.tv_nsec *= 2;
	}
}

/*
 * Waits at most that many seconds for the end of the plug-ins' process, then ends it. *status is
 * that of waitpid, -1 if unknown. The keeper gets time to end all other processes.
 */
static void reap(bxt_plugin_host *h, double seconds, int *status)
{
	static const double OF_KEEPER = 5;
	close(h->socket);
	if (!wait_for(h, seconds)) {
		kill(h->child, BXT_PLUGIN_ORDER);
		if (!wait_for(h, OF_KEEPER)) {
			kill(h->child, SIGKILL);
			while (waitpid(h->child, NULL, 0) < 0 && errno == EINTR)
				continue;
		}
	}
	*status = h->record->ended ? h->record->end : -1;
	h->child = 0;
}

/* Has the plug-ins' process ended? This is known even if a process that a plug-in made still holds
 * the other end of the socket. */
static bool has_ended(const bxt_plugin_host *h)
{
	siginfo_t about = {0};
	if (waitid(P_PID, (id_t)h->child, &about, WEXITED | WNOHANG | WNOWAIT) != 0)
		return errno == ECHILD;
	return about.si_pid != 0;
}

/* Reads `size` bytes before the time limit. Bytes that have arrived count, however late they are
 * read. */
static answer receive(const bxt_plugin_host *h, char *to, size_t size, double until)
{
	static const double LOOK = 0.05; /* interval of checks for its end */
	bool ended = false;
	while (size > 0) {
		struct pollfd wait = {.fd = h->socket, .events = POLLIN};
		const double left = ended ? 0 : fmin(fmax(until - bxt_clock_seconds(), 0), LOOK);
		const int ready = poll(&wait, 1, (int)ceil(1e3 * left));
		if (ready < 0 && errno != EINTR)
			return ENDED;
		if (ready == 0 && ended)
			return ENDED;
		if (ready == 0 && !(ended = has_ended(h)) && bxt_clock_seconds() >= until)
			return LATE;
		if (ready <= 0)
			continue;
		const ssize_t n = recv(h->socket, to, size, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return ENDED;
		to += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return ANSWERED;
}

/* Waits for an answer. *good: the child reports success. */
static answer hear(const bxt_plugin_host *h, bool *good)
{
	char byte = 0;
	const answer how = receive(h, &byte, 1, bxt_clock_seconds() + h->def.seconds);
	*good = byte;
	return how;
}

/* ---- Findings about its end ---- */

static const char *name_of(const bxt_plugin_host *h, bxt_plugin_stage stage)
{
	switch (stage) {
	case BXT_PLUGIN_LOADING:
		return "while it is loaded";
	case BXT_PLUGIN_ENTERING:
		return "in bxt_plugin_entry";
	case BXT_PLUGIN_INSTANTIATING:
		return "while it is instantiated";
	case BXT_PLUGIN_RESTORING:
		return "while its state is restored";
	case BXT_PLUGIN_STEPPING:
		return h->def.rehearses ? "in its first step" : "in a step";
	case BXT_PLUGIN_SAVING:
		return "while its state is saved";
	case BXT_PLUGIN_FREEING:
		return "while it is freed";
	}
	return "";
}

/* Reports that controller i crashed or took too long in that stage, and ends the process if it
 * still runs. */
static void tell_end(bxt_plugin_host *h, int i, bxt_plugin_stage stage, answer how)
{
	const bxt_controller *c = &h->def.controllers[i];
	const char *when = name_of(h, stage);
	char at[64] = "";
	int status;
	reap(h, how == LATE ? 0 : h->def.seconds, &status);
	h->lost = true;
	if (stage >= BXT_PLUGIN_STEPPING && !h->def.rehearses)
		snprintf(at, sizeof at, " at t = %.9g s", h->t);
	if (how == LATE)
		bxt_controller_tell(c, h->def.d, "does not return %s%s within %d s", when, at,
				    h->def.seconds);
	else if (status != -1 && WIFSIGNALED(status))
		bxt_controller_tell(c, h->def.d, "crashes %s%s: signal %d (%s)", when, at,
				    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (status != -1)
		bxt_controller_tell(c, h->def.d, "ends the program %s%s, with exit status %d", when,
				    at, WEXITSTATUS(status));
	else
		bxt_controller_tell(c, h->def.d, "ends its process %s%s", when, at);
}

/* ---- Making ---- */

/* Returns the next controller to be made, from i on. */
static int next_of(const bxt_plugin_host *h, int i)
{
	while (i < h->def.n && h->skip[i])
		i++;
	return i;
}

/* Returns the child's text, with a terminating zero. */
static const char *said(bxt_plugin_host *h)
{
	h->record->text[BXT_PLUGIN_TEXT - 1] = '\0';
	return h->record->text;
}

/* Makes all controllers that are not skipped. One process makes them until one fails. */
static bxt_status make_all(bxt_plugin_host *h)
{
	bxt_status status = BXT_OK;
	int i = next_of(h, 0);
	while (i < h->def.n) {
		if (!h->child)
			BXT_TRY(start(h, i));
		bool good;
		const answer how = hear(h, &good);
		if (how == ANSWERED && good) {
			i = next_of(h, i + 1);
			continue;
		}
		status = BXT_ERR_MODEL;
		if (how == ANSWERED) {
			int ended;
			bxt_controller_tell(&h->def.controllers[i], h->def.d, "%s", said(h));
			reap(h, h->def.seconds, &ended);
		} else {
			tell_end(h, i, h->record->stage, how);
		}
		h->skip[i] = true;
		i = next_of(h, i + 1);
	}
	return status;
}

static bxt_status make_here(bxt_plugin_host *h)
{
	bxt_status status = BXT_OK;
	for (int i = 0; i < h->def.n; i++) {
		bxt_plugin_stage stage;
		if (bxt_controller_make(&h->def.controllers[i],
					h->def.remembered ? &h->def.remembered[i] : NULL, &stage,
					h->record->text))
			continue;
		bxt_controller_tell(&h->def.controllers[i], h->def.d, "%s", said(h));
		status = BXT_ERR_MODEL;
	}
	return status;
}

bxt_status bxt_plugin_host_new(const bxt_plugin_host_def *def, bxt_plugin_host **out)
{
	size_t most = 0;
	*out = NULL;
	for (int i = 0; i < def->n; i++) {
		const bxt_plugin_setup *s = &def->controllers[i].setup;
		const size_t larger = s->n_inputs > s->n_outputs ? s->n_inputs : s->n_outputs;
		most = larger > most ? larger : most;
	}
	bxt_plugin_host *h = calloc(1, sizeof *h);
	if (!h)
		return BXT_ERR_MEMORY;
	h->def = *def;
	h->bytes = sizeof *h->record + most * sizeof(double);
	h->skip = calloc((size_t)def->n + 1, sizeof *h->skip);
	h->record = mmap(NULL, h->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (h->record == MAP_FAILED)
		h->record = NULL;
	const bxt_status status = !h->skip || !h->record ? BXT_ERR_MEMORY
				  : def->in_process      ? make_here(h)
							 : make_all(h);
	if (status == BXT_OK)
		*out = h;
	else
		bxt_plugin_host_free(h);
	return status;
}

bxt_plugin_host *bxt_plugin_host_free(bxt_plugin_host *h)
{
	int status;
	if (!h)
		return NULL;
	if (h->child)
		reap(h, 0, &status);
	for (int i = 0; i < h->def.n && h->def.in_process; i++)
		bxt_controller_free(&h->def.controllers[i]);
	if (h->record)
		munmap(h->record, h->bytes);
	free(h->skip);
	free(h);
	return NULL;
}

/* ---- Calls ---- */

/* Returns the status of a failure: an error of the model in a rehearsal, of the plug-in during a
 * run. */
static bxt_status failure(const bxt_plugin_host *h)
{
	return h->def.rehearses ? BXT_ERR_MODEL : BXT_ERR_PLUGIN;
}

/* Makes a call; BXT_OK: there is an answer. */
static bxt_status call(bxt_plugin_host *h, int i, bxt_plugin_command command,
		       bxt_plugin_stage stage, double t)
{
	bxt_plugin_record *r = h->record;
	h->t = t;
	r->at = i;
	r->command = command;
	r->t = t;
	/* if the process has ended meanwhile, the answer fails as well, and reports the reason */
	bool good;
	const ssize_t sent = send(h->socket, "", 1, MSG_NOSIGNAL);
	const answer how = sent == 1 ? hear(h, &good) : ENDED;
	if (how == ANSWERED)
		return BXT_OK;
	tell_end(h, i, stage, how);
	h->skip[i] = true;
	return failure(h);
}

/* Returns the status of a call; any value that no call may have, from the plug-in or from damaged
 * shared memory, is a failure. */
static bxt_status status_of(const bxt_plugin_host *h, bxt_status status)
{
	return status == BXT_OK || status == BXT_ERR_NOT_FINITE || status == BXT_ERR_MEMORY
		       ? status
		       : failure(h);
}

bxt_status bxt_plugin_host_step(bxt_plugin_host *h, int i, double t)
{
	bxt_controller *c = &h->def.controllers[i];
	bxt_status status;
	if (h->def.in_process) {
		status = status_of(h, bxt_controller_step(c, t, h->record->text));
	} else {
		if (!h->child && !h->def.rehearses)
			return BXT_ERR_PLUGIN; /* the finding has the reason */
		if (!h->child)                 /* another one has crashed: this one starts again */
			BXT_TRY(make_all(h));
		memcpy(h->record->values, c->inputs, c->setup.n_inputs * sizeof *c->inputs);
		BXT_TRY(call(h, i, BXT_PLUGIN_STEP, BXT_PLUGIN_STEPPING, t));
		status = status_of(h, h->record->status);
		memcpy(c->outputs, h->record->values, c->setup.n_outputs * sizeof *c->outputs);
	}
	if (status != BXT_OK && status != BXT_ERR_MEMORY)
		bxt_controller_tell(c, h->def.d, "%s", said(h));
	return status;
}

/* Receives the bytes that follow the answer. */
static bxt_status take(bxt_plugin_host *h, int i, bxt_remembered *out)
{
	const size_t size = h->record->size;
	char *bytes = size < PTRDIFF_MAX ? malloc(size + 1) : NULL;
	if (!bytes) { /* unread bytes would be taken for the next answer */
		int ended;
		reap(h, 0, &ended);
		h->lost = true;
		return BXT_ERR_MEMORY;
	}
	const answer how = receive(h, bytes, size, bxt_clock_seconds() + h->def.seconds);
	if (how != ANSWERED) {
		free(bytes);
		tell_end(h, i, BXT_PLUGIN_SAVING, how);
		return BXT_ERR_PLUGIN;
	}
	free(out->bytes);
	*out = (bxt_remembered){.bytes = bytes, .size = size};
	return BXT_OK;
}

bxt_status bxt_plugin_host_save(bxt_plugin_host *h, int i, double t, bxt_remembered *out)
{
	bxt_controller *c = &h->def.controllers[i];
	bxt_status status = BXT_OK;
	if (h->def.in_process) {
		status = status_of(h, bxt_controller_save(c, out, h->record->text));
	} else if (!h->lost) {
		status = call(h, i, BXT_PLUGIN_SAVE, BXT_PLUGIN_SAVING, t);
		if (status == BXT_OK && (status = status_of(h, h->record->status)) == BXT_OK)
			return take(h, i, out);
	}
	if (h->lost) {
		out->lost = true;
		return status;
	}
	if (status != BXT_OK && status != BXT_ERR_MEMORY)
		bxt_controller_tell(c, h->def.d, "%s", said(h));
	return status;
}

bxt_status bxt_plugin_host_end(bxt_plugin_host *h)
{
	bxt_status status = BXT_OK;
	for (int i = 0; i < h->def.n && h->child && !h->def.in_process; i++)
		if (!h->skip[i])
			status = call(h, i, BXT_PLUGIN_FREE, BXT_PLUGIN_FREEING, h->t);
	return status;
}
