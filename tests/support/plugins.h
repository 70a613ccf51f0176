/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of plug-ins: their files, and runs with them. */
#ifndef BXT_TESTS_SUPPORT_PLUGINS_H
#define BXT_TESTS_SUPPORT_PLUGINS_H

#include "support/harness.h"

#define COMPONENT(name, body)                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='" name "' domain='control'>" body       \
	"</component>"

/* The file of a plug-in of the tests as "NAME=PATH"; heap memory. */
char *plugin_named(const char *name, const char *file);
/* With gauss1 and steps of 0.1 s. */
bxt_run_def plugin_run_def(double end, const char *record, const char *const *plugins, size_t n);

#endif
