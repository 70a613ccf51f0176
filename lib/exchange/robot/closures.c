/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints that close loops, which a tree of links cannot have: "ball A B X Y Z". */
#include "exchange/robot/robot.h"

#include <string.h>

enum { WORDS = 6 };

/* Splits a text into words, in the arena. Returns their number, at most WORDS + 1. */
static int split(bxt_robot *r, const char *text, char *word[WORDS])
{
	int n = 0;
	for (const char *c = text; *c; n++) {
		const size_t space = strspn(c, " \t"), length = strcspn(c + space, " \t");
		if (!length || n == WORDS)
			return length ? n + 1 : n;
		word[n] = bxt_arena_strndup(r->arena, c + space, length);
		r->failed = r->failed || !word[n];
		c += space + length;
	}
	return n;
}

static void close_one(bxt_robot *r, const char *text)
{
	char *word[WORDS] = {NULL};
	const bxt_place place = {r->file, 0};
	bxt_closure c = {.id = ""};
	const int errors = r->errors;
	const int n = split(r, text, word);
	if (r->failed)
		return;
	if (n != WORDS || strcmp(word[0], "ball") != 0) {
		bxt_robot_error(r, place,
				"--close \"%s\" is not \"ball A B X Y Z\": two links and a point",
				text);
		return;
	}
	for (int k = 0; k < 2; k++) {
		c.link[k] = bxt_robot_link(r, word[1 + k]);
		if (c.link[k] >= 0)
			continue;
		bxt_nearest_search search = {.name = word[1 + k]};
		for (int i = 0; i < r->n_links; i++)
			bxt_nearest_offer(&search, r->links[i].name);
		bxt_robot_error(r, place, "--close: there is no link '%s'%s", word[1 + k],
				bxt_did_you_mean(r->arena, search.best));
	}
	for (int k = 0; k < 3; k++)
		if (bxt_read_number(word[3 + k], strlen(word[3 + k]), &c.point[k]) !=
		    strlen(word[3 + k]))
			bxt_robot_error(r, place, "--close: '%s' is no number", word[3 + k]);
	if (r->errors == errors && c.link[0] == c.link[1])
		bxt_robot_error(r, place, "--close joins link '%s' with itself", word[1]);
	r->closures[r->n_closures++] = c;
}

void bxt_robot_close(bxt_robot *r, const char *const *close, size_t n)
{
	r->closures = BXT_NEW(r->arena, bxt_closure, n);
	r->failed = r->failed || !r->closures;
	for (size_t i = 0; i < n && !r->failed; i++)
		close_one(r, close[i] ? close[i] : "");
}
