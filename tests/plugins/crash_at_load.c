/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Crashes before anybody calls it. */
#include "boxtimes_plugin.h"

#include <signal.h>

__attribute__((constructor)) static void crash(void)
{
	raise(SIGSEGV);
}

const bxt_plugin *bxt_plugin_entry(uint32_t version)
{
	(void)version;
	return (void *)0;
}
