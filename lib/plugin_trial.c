/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code of others is tried in a child process. A record in shared memory tells what it was at when
 * it crashed; one child serves as many controllers as go well.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, strsignal */

#include "plugin.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Written by the child, read by the parent. */
struct record {
	volatile int at; /* which controller */
	volatile bxt_plugin_stage stage;
	volatile bool bad; /* it told so, in text */
	volatile bool done;
	char text[BXT_PLUGIN_TEXT];
};

/* What is tried of each; false with a text. */
typedef bool work(void *context, int i, struct record *r);

struct trial {
	bxt_controller *c;
	const bxt_remembered *remembered; /* (n) or NULL */
	double t;
	int n, seconds;
	bxt_diagnostics *d;
	work *work;
};

/* ---- The child ---------------------------------------------------------------------------------
 */

/* Signals do what they do to a program that knows nothing of them. */
static void be_plain(void)
{
	sigset_t none;
	const struct sigaction plain = {.sa_handler = SIG_DFL};
	const struct rlimit no_core = {0, 0};
	for (int i = 1; i < NSIG; i++)
		sigaction(i, &plain, NULL); /* those that cannot be changed stay */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_CORE, &no_core);
}

static void try_all(struct trial *t, int first, struct record *r)
{
	be_plain();
	for (int i = first; i < t->n && !r->bad; i++) {
		r->at = i;
		alarm((unsigned)t->seconds + 1); /* if there is no parent any more to end it */
		r->bad = !t->work(t, i, r);
	}
	r->done = true;
	_exit(0); /* no handlers of the program's own */
}

static bool make(void *context, int i, struct record *r)
{
	struct trial *t = context;
	const bxt_remembered *remembered = t->remembered ? &t->remembered[i] : NULL;
	if (!bxt_controller_make(&t->c[i], remembered, &r->stage, r->text))
		return false;
	r->stage = BXT_PLUGIN_FREEING;
	bxt_controller_free(&t->c[i]);
	return true;
}

static bool step(void *context, int i, struct record *r)
{
	struct trial *t = context;
	r->stage = BXT_PLUGIN_STEPPING;
	if (!t->c[i].due || t->c[i].tried)
		return true;
	bxt_controller_step(&t->c[i], t->t, NULL);
	if (bxt_controller_kept_within(&t->c[i]))
		return true;
	snprintf(r->text, sizeof r->text, "writes more than its %lu outputs",
		 (unsigned long)t->c[i].setup.n_outputs);
	return false;
}

/* ---- The parent --------------------------------------------------------------------------------
 */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for the end of the child; false when it had to be ended. *status as of waitpid. */
static bool wait_for(pid_t child, const struct record *r, int seconds, int *status)
{
	struct timespec pause = {0, 50000};
	double since = now();
	int at = r->at;
	for (;;) {
		const pid_t ended = waitpid(child, status, WNOHANG);
		if (ended == child)
			return true;
		if (ended < 0 && errno != EINTR) { /* somebody else has waited for it */
			*status = 0;
			return true;
		}
		if (r->at != at) { /* each has its time */
			at = r->at;
			since = now();
		}
		if (now() - since > seconds) {
			kill(child, SIGKILL);
			while (waitpid(child, status, 0) < 0 && errno == EINTR)
				continue;
			return false;
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 10000000)
			pause.tv_nsec *= 2;
	}
}

static const char *name_of(bxt_plugin_stage stage)
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
		return "in its first step";
	case BXT_PLUGIN_FREEING:
		return "while it is freed";
	}
	return "";
}

static void tell(const struct trial *t, const struct record *r, bool in_time, int status)
{
	const bxt_controller *c = &t->c[r->at];
	const char *when = name_of(r->stage);
	if (r->bad)
		bxt_controller_tell(c, t->d, "%s", r->text);
	else if (!in_time)
		bxt_controller_tell(c, t->d, "does not return %s within %d s", when, t->seconds);
	else if (WIFSIGNALED(status))
		bxt_controller_tell(c, t->d, "crashes %s: signal %d (%s)", when, WTERMSIG(status),
				    strsignal(WTERMSIG(status)));
	else
		bxt_controller_tell(c, t->d, "ends the program %s, with exit status %d", when,
				    WEXITSTATUS(status));
}

static bxt_status run(struct trial *t, struct record *r)
{
	bxt_status result = BXT_OK;
	for (int first = 0; first < t->n; first = r->at + 1) {
		int status;
		*r = (struct record){.at = first};
		fflush(NULL); /* else what is in buffers may be written by both */
		const pid_t child = fork();
		if (child < 0)
			return BXT_ERR_MEMORY;
		if (child == 0)
			try_all(t, first, r);
		const bool in_time = wait_for(child, r, t->seconds, &status);
		if (r->done && !r->bad)
			break;
		tell(t, r, in_time, status);
		result = BXT_ERR_MODEL;
	}
	return result;
}

static bxt_status try(struct trial *t)
{
	struct record *r =
		mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r == MAP_FAILED)
		return BXT_ERR_MEMORY;
	const bxt_status status = run(t, r);
	munmap(r, sizeof *r);
	return status;
}

bxt_status bxt_controllers_try(bxt_controller *c, int n, const bxt_remembered *remembered,
			       int seconds, bxt_diagnostics *d)
{
	struct trial t = {
		.c = c, .remembered = remembered, .n = n, .seconds = seconds, .d = d, .work = make};
	return try(&t);
}

bxt_status bxt_controllers_try_step(bxt_controller *c, int n, double time, int seconds,
				    bxt_diagnostics *d)
{
	struct trial t = {.c = c, .t = time, .n = n, .seconds = seconds, .d = d, .work = step};
	bool any = false;
	for (int i = 0; i < n; i++)
		any = any || (c[i].due && !c[i].tried);
	if (any)
		BXT_TRY(try(&t));
	for (int i = 0; i < n; i++)
		c[i].tried = c[i].tried || c[i].due;
	return BXT_OK;
}
