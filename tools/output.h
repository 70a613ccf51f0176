/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that commands write: never over what they read, whole or not at all, one run at a time. */
#ifndef BXT_TOOL_OUTPUT_H
#define BXT_TOOL_OUTPUT_H

#include "tool.h"

/* A file being written; standard output for "-" and NULL. */
typedef struct output_file {
	const char *path;
	FILE *stream;
	char *target; /* the file with links resolved, NULL where it is written in place */
	char *beside; /* what is written, and takes the target's name at the end */
} output_file;

/*
 * May the command write there? False after a message: the file is one that the command reads, or
 * that the netlists (n, each may be NULL) are made of, whatever name or link leads to it; or
 * another output of the command goes there.
 */
bool output_allowed(const options *o, bxt_library *library, bxt_netlist *const *netlists, size_t n);
/*
 * May a run be saved to and go on from these: is none of -o, --checkpoint, --continue and --report
 * the other, or a file that the netlist is made of? False after a message.
 */
bool output_allowed_states(const options *o, bxt_library *library, bxt_netlist *netlist);
/*
 * Opens a file beside the target, with a lock that another run sees. Devices, pipes and files in
 * folders that cannot be written are written in place. False after a message.
 */
bool output_open(output_file *out, const char *path);
/*
 * Opens the file itself, with what is in it, for reading and writing, with a lock as above. False
 * after a message.
 */
bool output_open_in_place(output_file *out, const char *path);
/*
 * Ends it: what was written takes the target's place. When the disk is full whole lines are kept.
 * False after a message.
 */
bool output_close(output_file *out);

/* Does a netlist written there get a folder of its own, from which files that it names are seen? */
bool output_is_beside(const char *name);
/* Writes a netlist to -o. Returns an exit status. */
int output_netlist(const options *o, const bxt_netlist *netlist);

/* Copies a file to that path, standard output for NULL and "-". Returns an exit status. */
int output_copy(FILE *from, const char *path);

/* Is that the suffix of the name, ".raw"? False for NULL. */
bool has_suffix(const char *path, const char *suffix);

#endif
