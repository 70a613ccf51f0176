/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/names/designator_list.h"

#include "ground/expr/functions.h"

#include <string.h>

static const char white[] = " \t\r\n\f\v";

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Is the '(' behind a word such as "node", in whose path there is no comma? */
static bool opens_path(const char *list, size_t at)
{
	for (int c = 0; c < BXT_CALL_COUNT; c++) {
		const size_t length = strlen(bxt_call_words[c]);
		const char *word = list + at - length;
		if (at >= length && strncmp(word, bxt_call_words[c], length) == 0 &&
		    (word == list || !(is_letter(word[-1]) || is_digit(word[-1]))))
			return true;
	}
	return false;
}

size_t bxt_record_item_length(const char *list)
{
	size_t n = 0;
	int depth = 0;
	for (; list[n] && (list[n] != ',' || depth > 0); n++) {
		if (list[n] == '(' && opens_path(list, n)) {
			n += strcspn(list + n, ",)");
			if (list[n] != ')')
				return n; /* the missing ')' spoils only this item */
			continue;
		}
		depth += list[n] == '(';
		depth -= list[n] == ')' && depth > 0;
	}
	return depth > 0 ? strcspn(list, ",") : n;
}

static char *trim(char *text)
{
	text += strspn(text, white);
	for (char *end = text + strlen(text); end > text && strchr(white, end[-1]);)
		*--end = '\0';
	return text;
}

/* The first '=' that is not part of a comparison. */
static char *find_equals(char *item)
{
	int depth = 0;
	for (char *c = item; *c; c++) {
		depth += (*c == '(') - (*c == ')');
		if (*c != '=' || depth > 0)
			continue;
		if (c[1] != '=' && (c == item || !strchr("<>!=", c[-1])))
			return c;
		c += c[1] == '=';
	}
	return NULL;
}

char *bxt_record_cut_name(char *item, const char **name)
{
	char *equals = find_equals(item);
	*name = NULL;
	if (!equals)
		return item;
	*equals = '\0';
	*name = trim(item);
	return trim(equals + 1);
}

bool bxt_record_is_name(const char *name)
{
	const char *c = name;
	while (is_letter(*c) || (c > name && (is_digit(*c) || *c == '-')))
		c++;
	return c > name && !*c;
}

/* Is the '*' in a place where a path can have a word? */
static bool is_wild(const char *text, const char *star)
{
	return (star == text || star[-1] == '(' || star[-1] == '.') &&
	       (!star[1] || star[1] == ')' || star[1] == '.');
}

bool bxt_record_is_expression(const char *text)
{
	if (is_digit(*text) || *text == '(' || text[strcspn(text, "+/^<>=!, \t\r\n\f\v")])
		return true;
	for (const char *c = strchr(text, '*'); c; c = strchr(c + 1, '*'))
		if (!is_wild(text, c))
			return true;
	const size_t word = strcspn(text, "(");
	for (const bxt_function *f = bxt_functions; f->name; f++)
		if (text[word] && strlen(f->name) == word && strncmp(f->name, text, word) == 0)
			return true; /* of one argument: sqrt(energy) */
	return false;
}

bool bxt_record_is_difference(bxt_names *n, const char *text)
{
	bxt_designator d;
	for (const char *minus = strchr(text, '-'); minus; minus = strchr(minus + 1, '-')) {
		const char *left = bxt_arena_strndup(n->arena, text, (size_t)(minus - text));
		n->failed = n->failed || !left;
		if (minus == text || (left && bxt_names_find(n, 0, left, &d) == BXT_NAME_GOOD))
			return true;
	}
	return false;
}

bool bxt_record_is_pattern(const char *text)
{
	const char *star = strchr(text, '*');
	if (!star || bxt_record_is_expression(text))
		return false;
	return star[1] || star == text || star[-1] != '.';
}

/* ---- Patterns ---- */

/* A pattern cut into HEAD OWNER TAIL, and the visitor of names that fit. */
struct match {
	bxt_names *n;
	bxt_span head, owner, tail;
	void (*visit)(void *, const char *text, const bxt_designator *);
	void *visitor;
	bxt_buffer path, text;
	bool failed;
};

/* Cuts "*.i" after the path that contains the last '*', unless that is the quantity itself. */
static void cut_owner(struct match *m, bxt_span path)
{
	const char *end = path.at + path.length, *star = end;
	while (star > path.at && star[-1] != '*')
		star--;
	const bool all = star == end && path.length > 2 && memchr(path.at, '*', path.length - 1);
	if (all) /* "*.*" */
		for (star = end - 1; star > path.at && star[-1] != '*';)
			star--;
	while (star < end && *star != '.')
		star++;
	m->owner = (bxt_span){path.at, (size_t)(star - path.at)};
	m->tail = (bxt_span){star, m->tail.length + (size_t)(end - star)};
}

/* '*' stands for one character or more, dots included. */
static bool fits(const char *pattern, size_t length, const char *text)
{
	const char *star = memchr(pattern, '*', length);
	const size_t before = star ? (size_t)(star - pattern) : length;
	if (strncmp(pattern, text, before) != 0 || (!star && text[before]))
		return false;
	if (!star)
		return true;
	for (text += before; *text; text++)
		if (fits(star + 1, length - before - 1, text + 1))
			return true;
	return false;
}

/* Visits the name of an owner that fits, if it has the quantity. */
static void consider(struct match *m, bxt_owner owner, size_t i, int primitive, const char *id)
{
	bxt_designator d;
	const char *path = bxt_network_path(m->n->net, primitive, id, &m->path);
	if (m->failed || m->path.failed || !fits(m->owner.at, m->owner.length, path))
		return;
	bxt_buffer_clear(&m->text);
	bxt_buffer_printf(&m->text, "%.*s%s%.*s", (int)m->head.length, m->head.at, path,
			  (int)m->tail.length, m->tail.at);
	if (m->text.failed || bxt_names_find(m->n, 0, m->text.text, &d) != BXT_NAME_GOOD ||
	    d.owner != owner || d.element != (int)i)
		return;
	char *copy = bxt_arena_strdup(m->n->arena, m->text.text);
	m->failed = !copy;
	if (copy)
		m->visit(m->visitor, copy, &d);
}

static void consider_elements(struct match *m)
{
	const bxt_network *net = m->n->net;
	for (size_t i = 0; i < net->n_elements; i++)
		if (!net->elements[i].is_interaction && net->elements[i].id)
			consider(m, BXT_OWNER_ELEMENT, i, net->elements[i].primitive,
				 net->elements[i].id);
}

bool bxt_record_match(bxt_names *n, const char *pattern,
		      void (*visit)(void *, const char *text, const bxt_designator *),
		      void *visitor)
{
	static const char all[] = "*.*";
	const bxt_network *net = n->net;
	const bxt_name name = bxt_name_parse(strcmp(pattern, "*") == 0 ? all : pattern);
	struct match m = {n, .owner = name.path, .visit = visit, .visitor = visitor};
	if (name.fault != BXT_NAME_GOOD)
		return true; /* it matches nothing */
	if (name.call != BXT_CALL_NONE) {
		m.head = (bxt_span){name.word.at, name.word.length + 1};
		m.tail = (bxt_span){name.path.at + name.path.length, 1 + name.rest.length};
	} else {
		m.tail = (bxt_span){name.path.at + name.path.length, 0};
	}
	if (name.call == BXT_CALL_NONE || name.call == BXT_CALL_POWER)
		cut_owner(&m, name.path);
	if (name.call == BXT_CALL_NODE)
		for (size_t i = 0; i < net->n_nodes; i++)
			if (net->nodes[i].kind)
				consider(&m, BXT_OWNER_NODE, i, net->nodes[i].primitive,
					 net->nodes[i].name);
	if (name.call != BXT_CALL_NODE)
		consider_elements(&m);
	if (name.call == BXT_CALL_POWER) { /* of an exported port the path is the owner */
		m.owner = name.path;
		m.tail.at = name.path.at + name.path.length;
		m.tail.length = 1;
	}
	for (size_t i = 0; i < net->n_ports && name.call != BXT_CALL_NODE; i++)
		consider(&m, BXT_OWNER_PORT, i, net->ports[i].primitive, net->ports[i].id);
	for (size_t i = 0; i < net->n_connections && name.call == BXT_CALL_NONE; i++)
		consider(&m, BXT_OWNER_CONNECTION, i, net->connections[i].primitive,
			 net->connections[i].id);
	const bool good = !m.failed && !m.path.failed && !m.text.failed && !n->failed;
	bxt_buffer_free(&m.path);
	bxt_buffer_free(&m.text);
	return good;
}
