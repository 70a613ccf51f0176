/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A shared object that is no plug-in. */
int bxt_plugin_of_another_name(void);
int bxt_plugin_of_another_name(void)
{
	return 0;
}
