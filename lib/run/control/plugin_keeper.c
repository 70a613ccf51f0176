/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process between the program and that of the plug-ins. Processes that a plug-in forks may
 * leave their parent, group and session. They all remain descendants of the keeper, which adopts
 * those that lose their parent (PR_SET_CHILD_SUBREAPER). When the process of plug-ins ends, when
 * the program orders it, or when the program itself ends, the keeper kills all remaining processes
 * and ends. It runs only the code of this file, in a session of its own: signals to the program's
 * group, or to that of the plug-ins, do not reach it.
 */
#define _GNU_SOURCE /* sigwaitinfo, NSIG */

#include "run/control/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Kills the processes that the kernel lists as children of this one, if the kernel has this
 * list. */
static void kill_children(void)
{
	char text[4096];
	const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	const ssize_t n = list < 0 ? -1 : read(list, text, sizeof text - 1);
	if (list >= 0)
		close(list);
	text[n > 0 ? n : 0] = '\0';
	char *end = text;
	for (char *at = text; *at; at = end) {
		const long pid = strtol(at, &end, 10);
		if (end == at || *end == '\0') /* the last number may be incomplete: the next call
						  reads it again */
			break;
		if (pid > 1)
			kill((pid_t)pid, SIGKILL);
	}
}

/*
 * Kills until no process is left, but for a limited time: the kernel may keep a process that cannot
 * be killed.
 */
static void kill_all(pid_t plugins)
{
	enum { TRIES = 2000 }; /* of a millisecond */
	const struct timespec pause = {0, 1000000};
	kill(-plugins, SIGKILL);
	kill(plugins, SIGKILL);
	for (int i = 0; i < TRIES; i++) {
		kill_children();
		pid_t ended;
		do
			ended = waitpid(-1, NULL, WNOHANG);
		while (ended > 0 || (ended < 0 && errno == EINTR));
		if (ended < 0)
			return;
		nanosleep(&pause, NULL);
	}
}

/* Waits for the end of the process of plug-ins, or for the order to end it. */
static void wait_for(pid_t plugins, const sigset_t *signals, bxt_plugin_record *record)
{
	for (;;) {
		const int number = sigwaitinfo(signals, NULL);
		if (number == BXT_PLUGIN_ORDER)
			return;
		for (int status;;) {
			const pid_t ended = waitpid(-1, &status, WNOHANG);
			if (ended <= 0)
				break;
			if (ended != plugins)
				continue; /* adopted */
			record->end = status;
			record->ended = true;
			return;
		}
	}
}

_Noreturn void bxt_plugin_keep(const bxt_plugin_host_def *def, const bool *skip, int first,
			       bxt_plugin_record *record, const bxt_plugin_keeping *keeping)
{
	sigset_t all, signals;
	const struct sigaction plain = {.sa_handler = SIG_DFL};
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGCHLD, &plain, NULL); /* one that is ignored is not waited for */
	sigaction(BXT_PLUGIN_ORDER, &plain, NULL);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, BXT_PLUGIN_ORDER);
	setsid();
#ifdef __linux__
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, BXT_PLUGIN_ORDER);
#endif
	if (getppid() != keeping->parent) /* it ended before this could be reported */
		_exit(0);
	const pid_t keeper = getpid(), plugins = fork();
	if (plugins == 0) {
		setsid(); /* kill(0, ...) of a plug-in is for its own processes */
#ifdef __linux__
		prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
		if (getppid() != keeper)
			_exit(0);
		bxt_plugin_serve(def, skip, first, record, keeping->socket);
	}
	close(keeping->socket);
	if (plugins > 0) {
		wait_for(plugins, &signals, record);
		kill_all(plugins);
	}
	_exit(plugins > 0 ? 0 : 1);
}
