/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/netlist/edit.h"

#include <string.h>

static const char white[] = " \t\r\n";

/* ---- Copies ---- */

static void append(bxt_item *parent, bxt_item *item)
{
	item->parent = parent;
	item->next = NULL;
	if (parent->last)
		parent->last->next = item;
	else
		parent->first = item;
	parent->last = item;
}

static const char *keep_text(bxt_arena *arena, const char *text, bool *failed)
{
	const char *copy = text ? bxt_arena_strdup(arena, text) : NULL;
	*failed = *failed || (text && !copy);
	return copy;
}

/* Copies one item without its content. */
static bxt_item *copy_one(struct bxt_netlist *n, const bxt_item *from)
{
	bool failed = false;
	bxt_item *item = BXT_NEW(n->arena, bxt_item, 1);
	if (!item)
		return NULL;
	item->type = from->type;
	item->ns = keep_text(n->arena, from->ns, &failed);
	item->prefix = keep_text(n->arena, from->prefix, &failed);
	item->name = keep_text(n->arena, from->name, &failed);
	item->text = keep_text(n->arena, from->text, &failed);
	item->place.file = keep_text(n->arena, from->place.file, &failed);
	item->place.line = from->place.line;
	item->attributes = BXT_NEW(n->arena, bxt_attribute, (size_t)from->n_attributes);
	if (!item->attributes)
		return NULL;
	item->n_attributes = from->n_attributes;
	for (int i = 0; i < from->n_attributes && !failed; i++) {
		item->attributes[i].name = keep_text(n->arena, from->attributes[i].name, &failed);
		item->attributes[i].value = keep_text(n->arena, from->attributes[i].value, &failed);
	}
	return failed ? NULL : item;
}

bxt_item *bxt_item_copy(struct bxt_netlist *n, bxt_item *parent, const bxt_item *item)
{
	bxt_item *root = copy_one(n, item), *to = root;
	const bxt_item *from = item;
	while (to) {
		if (from->first) {
			from = from->first;
		} else {
			while (from != item && !from->next) {
				from = from->parent;
				to = to->parent;
			}
			if (from == item)
				break;
			from = from->next;
			to = to->parent;
		}
		bxt_item *next = copy_one(n, from);
		if (!next)
			return NULL;
		append(to, next);
		to = next;
	}
	if (root && parent)
		append(parent, root);
	return root;
}

struct bxt_netlist *bxt_tree_new(const char *file)
{
	bxt_arena *arena = bxt_arena_new();
	struct bxt_netlist *n = arena ? BXT_NEW(arena, struct bxt_netlist, 1) : NULL;
	if (n) {
		n->arena = arena;
		n->file = bxt_arena_strdup(arena, file);
	}
	if (n && n->file)
		return n;
	bxt_arena_free(arena);
	return NULL;
}

/* Copies a list of items that have no parent. */
static bxt_status copy_list(struct bxt_netlist *n, const bxt_item *from, bxt_item **end)
{
	for (; from; from = from->next) {
		if (!(*end = bxt_item_copy(n, NULL, from)))
			return BXT_ERR_MEMORY;
		end = &(*end)->next;
	}
	return BXT_OK;
}

bxt_status bxt_tree_copy_frame(struct bxt_netlist *out, const struct bxt_netlist *from)
{
	BXT_TRY(copy_list(out, from->prologue, &out->prologue));
	BXT_TRY(copy_list(out, from->epilogue, &out->epilogue));
	out->root = copy_one(out, from->root);
	return out->root ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_tree_copy(const struct bxt_netlist *from, struct bxt_netlist **out)
{
	struct bxt_netlist *n = *out = bxt_tree_new(from->file);
	bxt_status status = n ? bxt_tree_copy_frame(n, from) : BXT_ERR_MEMORY;
	for (const bxt_item *i = from->root->first; i && status == BXT_OK; i = i->next)
		if (!bxt_item_copy(n, n->root, i))
			status = BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_netlist_free(n);
	return status;
}

/* ---- Editing ---- */

static bxt_item *add_text(struct bxt_netlist *n, bxt_item *parent, const char *text)
{
	bxt_item *item = BXT_NEW(n->arena, bxt_item, 1);
	if (!item || !(item->text = bxt_arena_strdup(n->arena, text)))
		return NULL;
	item->type = BXT_ITEM_TEXT;
	item->place = (bxt_place){n->file, parent->place.line};
	append(parent, item);
	return item;
}

bxt_status bxt_item_set_content(struct bxt_netlist *n, bxt_item *item, const char *text)
{
	item->first = item->last = NULL;
	return add_text(n, item, text) ? BXT_OK : BXT_ERR_MEMORY;
}

void bxt_item_drop_attribute(bxt_item *item, const char *name)
{
	for (int i = 0; i < item->n_attributes; i++)
		if (strcmp(item->attributes[i].name, name) == 0) {
			item->n_attributes--;
			for (; i < item->n_attributes; i++)
				item->attributes[i] = item->attributes[i + 1];
		}
}

void bxt_item_move_behind(bxt_item *parent, bxt_item *item, bxt_item *after)
{
	bxt_item_remove(item);
	item->parent = parent;
	item->next = after ? after->next : parent->first;
	if (after)
		after->next = item;
	else
		parent->first = item;
	if (!item->next)
		parent->last = item;
}

bool bxt_item_is_word(const bxt_item *item)
{
	static const char *const words[] = {
		"parameter",       "simulation", "component", "subsystem", "node", "port",
		"interconnection", "connect",    "sigma",     "fix",       "doc",  "record",
		"symmetry",        "signal",     "table",     "input",
	};
	if (strcmp(item->ns, BXT_NS_COMPONENT) == 0)
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(item->name, words[i]) == 0)
			return true;
	return false;
}

/* ---- Units ---- */

static bool is_blank(const bxt_item *item)
{
	return item->type == BXT_ITEM_TEXT && !item->text[strspn(item->text, white)];
}

/* The last of the comments that follow on the same line. */
static const bxt_item *end_of_line(const bxt_item *item)
{
	const bxt_item *last = item;
	for (const bxt_item *i = item->next; i; i = i->next) {
		if (i->type == BXT_ITEM_COMMENT)
			last = i;
		else if (!is_blank(i) || strchr(i->text, '\n'))
			break;
	}
	return last;
}

bool bxt_unit_next(const bxt_item *parent, bxt_unit *unit)
{
	const bxt_item *first = unit->last ? unit->last->next : parent->first;
	const bxt_item *item = first;
	bool anything = false;
	for (; item && item->type != BXT_ITEM_ELEMENT; item = item->next)
		anything = anything || !is_blank(item);
	*unit = (bxt_unit){first, item, item ? end_of_line(item) : parent->last};
	return item || anything;
}

/* Does the last child end a line, or is there no child? */
static bool at_line_start(const bxt_item *parent)
{
	const bxt_item *last = parent->last;
	return !last || (is_blank(last) && strchr(last->text, '\n'));
}

bxt_status bxt_unit_copy(struct bxt_netlist *n, bxt_item *parent, const bxt_unit *unit,
			 bool with_item, bxt_map *told, bxt_item **out)
{
	bool before = true; /* the element is not yet copied, or there is none */
	if (out)
		*out = NULL;
	for (const bxt_item *i = unit->first; i; i = i == unit->last ? NULL : i->next) {
		const bool comment = i->type == BXT_ITEM_COMMENT;
		const int count = comment && told ? bxt_map_get(told, i->text) : -1;
		if (count > 0)
			BXT_TRY(bxt_map_put(told, i->text, count - 1));
		before = before && i != unit->item;
		if (count > 0 || (i == unit->item && !with_item))
			continue;
		/* an item that began a line, or moves without its element, begins a line again */
		if (!is_blank(i) && (before || !with_item) && !at_line_start(parent) &&
		    !add_text(n, parent, "\n"))
			return BXT_ERR_MEMORY;
		bxt_item *copy = bxt_item_copy(n, parent, i);
		if (!copy)
			return BXT_ERR_MEMORY;
		if (i == unit->item && out)
			*out = copy;
	}
	return BXT_OK;
}

/* ---- White space ---- */

/* Do the children get lines of their own? A component keeps its own lines unless compact. */
static bool is_structure(const bxt_item *item, bool compact)
{
	return item->type == BXT_ITEM_ELEMENT &&
	       (strcmp(item->name, "netlist") == 0 || strcmp(item->name, "subsystem") == 0 ||
		strcmp(item->name, "interconnection") == 0 ||
		(compact && strcmp(item->name, "component") == 0));
}

/* Adds that many line ends, then the blanks of the depth. */
static bxt_status add_break(struct bxt_netlist *n, bxt_item *parent, int lines, int depth)
{
	const char *text =
		bxt_arena_printf(n->arena, "%s%*s", lines > 1 ? "\n\n" : "\n", 2 * depth, "");
	return text && add_text(n, parent, text) ? BXT_OK : BXT_ERR_MEMORY;
}

/* Sets the white space between the children of one structural element of that depth. */
static bxt_status layout_children(struct bxt_netlist *n, bxt_item *parent, int depth, bool compact)
{
	bxt_item *item = parent->first, *next;
	int lines = 1; /* line ends since the last child */
	bool blank = true;
	parent->first = parent->last = NULL;
	for (; item; item = next) {
		next = item->next;
		if (is_blank(item)) {
			/* a removed child leaves no blank line */
			int breaks = 0;
			for (const char *c = item->text; *c; c++)
				breaks += *c == '\n';
			lines = breaks > lines ? breaks : lines;
			continue;
		}
		const bool beside =
			item->type == BXT_ITEM_COMMENT && lines == 0 && parent->first != NULL;
		if (beside ? !add_text(n, parent, " ")
			   : add_break(n, parent, blank || compact ? 1 : lines, depth) != BXT_OK)
			return BXT_ERR_MEMORY;
		append(parent, item);
		lines = 0;
		blank = false;
	}
	return parent->first ? add_break(n, parent, 1, depth - 1) : BXT_OK;
}

bxt_status bxt_tree_layout(struct bxt_netlist *n, bool compact)
{
	bxt_item *item = n->root;
	int depth = 1;
	BXT_TRY(layout_children(n, item, depth, compact));
	for (;;) {
		if (is_structure(item, compact) && item->first) {
			item = item->first;
			depth++;
		} else {
			while (item != n->root && !item->next) {
				item = item->parent;
				depth--;
			}
			if (item == n->root)
				return BXT_OK;
			item = item->next;
		}
		if (is_structure(item, compact))
			BXT_TRY(layout_children(n, item, depth, compact));
	}
}

/* ---- Names ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The length of the number or name at the start of the text; at least 1. */
static size_t token(const char *c, bool *is_name)
{
	size_t n = 0;
	*is_name = is_letter(*c);
	if (*is_name) {
		while (is_letter(c[n]) || is_digit(c[n]) || c[n] == '.')
			n++;
		return n;
	}
	if (!is_digit(*c) && *c != '.')
		return 1;
	while (is_digit(c[n]) || c[n] == '.')
		n++;
	if (c[n] == 'e' || c[n] == 'E') { /* 2e-6: the e is no name */
		const size_t sign = c[n + 1] == '+' || c[n + 1] == '-';
		if (is_digit(c[n + 1 + sign]))
			for (n += 1 + sign; is_digit(c[n]);)
				n++;
	}
	return n;
}

const char *bxt_rename_in_expression(bxt_arena *arena, const char *text,
				     const char *(*rename)(void *context, const char *name),
				     void *context)
{
	bxt_buffer out = {0};
	bool changed = false, failed = false, is_name;
	for (const char *c = text; *c && !failed;) {
		const size_t n = token(c, &is_name);
		const bool call = c[n + strspn(c + n, white)] == '(';
		const char *name =
			is_name ? bxt_arena_printf(arena, "%.*s%s", (int)n, c, call ? "(" : "")
				: NULL;
		const char *new_name = name ? rename(context, name) : NULL;
		failed = is_name && !name;
		changed = changed || new_name;
		if (new_name)
			bxt_buffer_printf(&out, "%s", new_name);
		else
			bxt_buffer_add(&out, c, n);
		c += n;
	}
	failed = failed || out.failed;
	const char *result = failed ? NULL : changed ? bxt_arena_strdup(arena, out.text) : text;
	bxt_buffer_free(&out);
	return result;
}

const char *bxt_take_name(bxt_arena *arena, bxt_map *taken, const char *wish)
{
	const char *name = bxt_arena_strdup(arena, wish);
	while (name && bxt_map_get(taken, name) >= 0)
		name = bxt_arena_printf(arena, "%s_", name);
	return name && bxt_map_put(taken, name, 1) == BXT_OK ? name : NULL;
}

bxt_status bxt_dictionary_put(bxt_dictionary *dictionary, const char *key, const char *word)
{
	BXT_TRY(BXT_GROW(dictionary->words, dictionary->capacity, dictionary->n + 1));
	BXT_TRY(bxt_map_put(&dictionary->index, key, (int)dictionary->n));
	dictionary->words[dictionary->n++] = word;
	return BXT_OK;
}

const char *bxt_dictionary_get(const bxt_dictionary *dictionary, const char *key)
{
	const int i = bxt_map_get(&dictionary->index, key);
	return i < 0 ? NULL : dictionary->words[i];
}

void bxt_dictionary_free(bxt_dictionary *dictionary)
{
	bxt_map_free(&dictionary->index);
	bxt_free(dictionary->words);
	*dictionary = (bxt_dictionary){0};
}

int bxt_natural_order(const char *a, const char *b)
{
	const char *const first = a, *const second = b;
	while (*a && *b) {
		if (is_digit(*a) && is_digit(*b)) {
			const char *x = a + strspn(a, "0"), *y = b + strspn(b, "0");
			const size_t n = strspn(x, "0123456789"), m = strspn(y, "0123456789");
			const int order = n != m ? (n < m ? -1 : 1) : strncmp(x, y, n);
			if (order)
				return order;
			a = x + n;
			b = y + m;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	const int order = (unsigned char)*a - (unsigned char)*b;
	return order ? order : strcmp(first, second);
}
