/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Netlist files as subsystems, and the parameters of netlists. A file must lie in or below the
 * folder of the compiled netlist or a directory of the library. It is read once however often it is
 * included. Every inclusion has a frame of parameter values.
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "ground/base/local_file.h"
#include "model/builder/builder.h"
#include "model/component/curve_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	MAX_DEPTH = 32,           /* of nested inclusions */
	MAX_PRIMITIVES = 1 << 20, /* double inclusions at each level give 2^depth subsystems */
	MAX_ITEMS = 1 << 24,      /* elements, nodes, ports, connections: about 10 GB */
	FIRST_COUNT = 1 << 12     /* subsystems, or 16 elements each, before anything is counted */
};

/* ---- Sources ---- */

/* The folder of a path with the final '/', "" for the working folder. */
static char *folder_of(bxt_arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	return bxt_arena_strndup(arena, path, slash ? (size_t)(slash + 1 - path) : 0);
}

/* The path of a file with links resolved; NULL with errno. */
static const char *real_path(bxt_builder *b, const char *path)
{
	char *real = realpath(path, NULL);
	const char *copy = real ? bxt_arena_strdup(b->scratch, real) : NULL;
	if (real && !copy)
		b->failed = true;
	free(real);
	return copy;
}

static bxt_netfile *add_source(bxt_builder *b, const char *file, int root, const char *folder,
			       const char *real)
{
	if (BXT_GROW(b->files.sources, b->files.c_sources, b->files.n_sources + 1) != BXT_OK)
		return NULL;
	bxt_netfile *s = BXT_NEW(b->scratch, bxt_netfile, 1);
	if (!s)
		return NULL;
	*s = (bxt_netfile){.file = file, .below = root, .folder = folder, .real = real};
	b->files.sources[b->files.n_sources++] = s;
	return s;
}

/* Reports an unknown unit and replaces it by none. */
static bxt_status check_unit(bxt_builder *b, const bxt_item *item, const char *name,
			     const char **unit)
{
	double one;
	if (!*unit || !**unit)
		return BXT_OK;
	const char *text = bxt_arena_printf(b->scratch, "1 %s", *unit);
	if (!text)
		return BXT_ERR_MEMORY;
	switch (bxt_quantity_read(bxt_library_units(b->library), text, *unit, &one)) {
	case BXT_QUANTITY_OK:
		return BXT_OK;
	case BXT_QUANTITY_MEMORY:
		return BXT_ERR_MEMORY;
	default:
		bxt_error(
			b->d, item->place, "parameter '%s': the unit '%s' is not known%s", name,
			*unit,
			bxt_did_you_mean(b->scratch, bxt_unit_suggest(bxt_library_units(b->library),
								      b->scratch, *unit)));
		*unit = "";
		return BXT_OK;
	}
}

/* The unit of values that are given in a known unit; NULL when memory ends. */
static const char *si_unit(bxt_builder *b, const char *unit)
{
	bxt_units *units = bxt_library_units(b->library);
	char si[BXT_UNIT_TEXT];
	if (bxt_units_coherent(units, unit))
		return unit;
	return bxt_units_si(units, unit, si, sizeof si) == BXT_QUANTITY_OK
		       ? bxt_arena_strdup(b->arena, si)
		       : NULL;
}

/* <parameter> or <input>. */
static bxt_status declare_parameter(bxt_builder *b, bxt_netfile *s, const bxt_item *item)
{
	const char *what = item->name;
	const char *name = bxt_item_get(item, "name"), *unit = bxt_item_get(item, "unit");
	bxt_build_attributes(b, item);
	if (!name || !bxt_is_name(name) || strchr(name, '-') || bxt_name_is_reserved(name)) {
		bxt_error(b->d, item->place,
			  name ? "%s '%s': a name is a letter or _, then letters, digits or _, "
				 "and no word of the language"
			       : "<%s> has no name",
			  what, name ? name : "");
		return BXT_OK;
	}
	const int there = bxt_map_get(&s->parameter_by_name, name);
	if (there >= 0) {
		bxt_error(b->d, item->place, "%s '%s' is declared twice, first in line %d", what,
			  name, s->parameters[there].place.line);
		return BXT_OK;
	}
	BXT_TRY(check_unit(b, item, name, &unit));
	const char *si = si_unit(b, unit ? unit : "");
	if (!si)
		return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(s->parameters, s->c_parameters, s->n_parameters + 1));
	BXT_TRY(bxt_map_put(&s->parameter_by_name, name, (int)s->n_parameters));
	s->parameters[s->n_parameters++] = (bxt_net_parameter){
		name, unit ? unit : "",          bxt_item_get(item, "default"), si, item->place,
		item, strcmp(what, "input") == 0};
	return BXT_OK;
}

/* <table>: a function that the file's expressions may call. */
static bxt_status declare_table(bxt_builder *b, bxt_netfile *s, int source, const bxt_curve **room,
				const bxt_item *item)
{
	const char *name = bxt_item_get(item, "name");
	bool bad = false;
	bxt_build_attributes(b, item);
	if (!name || !bxt_is_name(name) || strchr(name, '-') || bxt_name_is_reserved(name) ||
	    bxt_name_is_function(name)) {
		bxt_error(b->d, item->place,
			  name ? "table '%s': a name is a letter or _, then letters, digits or _, "
				 "and no word or function of the language"
			       : "<table> has no name",
			  name ? name : "");
		return BXT_OK;
	}
	const int there = bxt_map_get(&s->table_by_name, name),
		  parameter = bxt_map_get(&s->parameter_by_name, name);
	if (there >= 0 || parameter >= 0) {
		bxt_error(b->d, item->place, "'%s' is declared twice, first in line %d", name,
			  there >= 0 ? there : s->parameters[parameter].place.line);
		return BXT_OK;
	}
	BXT_TRY(bxt_map_put(&s->table_by_name, name, item->place.line));
	if (!b->files.tables && !(b->files.tables = bxt_curve_tables_new(
					  b->arena, bxt_library_units(b->library), b->d)))
		return BXT_ERR_MEMORY;
	s->curves.list = room;
	const bxt_curve **curve = &room[s->curves.n++];
	*curve = bxt_build_known_curve(b, source, name);
	if (!*curve)
		BXT_TRY(bxt_curve_table_read(b->files.tables, item, item->place, s->file, &bad,
					     curve));
	return bxt_build_keep_curve(b, source, name, *curve);
}

static bxt_status declare_tables(bxt_builder *b, bxt_netfile *s, int source, const bxt_item *root)
{
	size_t n = 0;
	for (const bxt_item *t = NULL; (t = bxt_build_word(b, root, "table", t));)
		n++;
	const bxt_curve **room = BXT_NEW(b->arena, const bxt_curve *, n);
	if (!room)
		return BXT_ERR_MEMORY;
	for (const bxt_item *t = NULL; (t = bxt_build_word(b, root, "table", t));)
		BXT_TRY(declare_table(b, s, source, room, t));
	return BXT_OK;
}

/* Reads what a file declares for all its inclusions: parameters and inline components. */
static bxt_status read_declarations(bxt_builder *b, int source, const bxt_item *root)
{
	bxt_netfile *s = b->files.sources[source];
	s->root = root;
	bxt_build_attributes(b, root);
	for (const bxt_item *p = NULL; (p = bxt_build_word(b, root, "parameter", p));)
		BXT_TRY(declare_parameter(b, s, p));
	for (const bxt_item *p = NULL; (p = bxt_build_word(b, root, "input", p));)
		BXT_TRY(declare_parameter(b, s, p));
	BXT_TRY(declare_tables(b, s, source, root));
	return bxt_build_inlines(b, source, root);
}

void bxt_netfile_release(bxt_netfile *s)
{
	bxt_map_free(&s->parameter_by_name);
	bxt_map_free(&s->table_by_name);
	bxt_map_free(&s->inline_by_name);
	free(s->parameters);
}

/* ---- Frames ---- */

/* Fills the frame of a scope: attributes of the includer, evaluated in the outer frame; else
 * defaults. */
static bxt_status fill_frame(bxt_builder *b, bxt_frame *frame, const bxt_item *includer,
			     int primitive)
{
	const bxt_netfile *s = b->files.sources[frame->source];
	const bxt_frame *outer = b->frame;
	frame->values = BXT_NEW(b->scratch, double, s->n_parameters);
	frame->input = BXT_NEW(b->scratch, int, s->n_parameters);
	if (!frame->values || !frame->input)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < s->n_parameters; i++) {
		const bxt_net_parameter *p = &s->parameters[i];
		const char *text = includer ? bxt_item_get(includer, p->name) : NULL;
		const char *what =
			includer ? bxt_build_describe(b, includer,
						      p->is_input ? "input" : "parameter", p->name)
				 : bxt_arena_printf(b->scratch, "%s '%s'",
						    p->is_input ? "input" : "parameter", p->name);
		const bxt_place place = text ? includer->place : p->place;
		if (!what)
			return BXT_ERR_MEMORY;
		frame->values[i] = 1; /* after a finding; prevents further ones */
		if (text || p->default_text) {
			b->frame = text ? outer : frame; /* defaults may use the parameters above */
			bxt_build_value(b, text ? text : p->default_text, p->unit, what, place,
					&frame->values[i]);
		} else if (includer) {
			bxt_error(b->d, includer->place, "%s is missing: %s declares no default",
				  what, s->file);
		} else {
			bxt_error(b->d, place, "%s has no value: it needs default=\"...\"", what);
		}
		bxt_build_own_override(b, primitive, p->name, &frame->values[i]);
		frame->input[i] = -1;
		if (p->is_input)
			frame->input[i] = bxt_build_input(b, p->item, primitive, p->name, p->si,
							  frame->values[i]);
		frame->n_known = i + 1;
	}
	b->frame = outer;
	return b->failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* The roots for included files: the netlist's folder, then the library's directories. */
static bxt_status find_roots(bxt_builder *b, const char *file)
{
	size_t n = 0;
	const char *directory;
	while (bxt_library_directory(b->library, n))
		n++;
	b->files.roots = BXT_NEW(b->scratch, bxt_root, n + 1);
	if (!b->files.roots || !(b->files.roots[0].path = folder_of(b->scratch, file)))
		return BXT_ERR_MEMORY;
	b->files.n_roots = 1;
	for (size_t i = 0; (directory = bxt_library_directory(b->library, i)); i++) {
		const size_t length = strlen(directory);
		if (length == 0) /* would become "/" */
			continue;
		const char *slash = directory[length - 1] == '/' ? "" : "/";
		bxt_root *root = &b->files.roots[b->files.n_roots++];
		if (!(root->path = bxt_arena_printf(b->scratch, "%s%s", directory, slash)))
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

bxt_status bxt_build_top(bxt_builder *b, const struct bxt_netlist *netlist)
{
	const bool standard = strcmp(netlist->file, "-") == 0;
	const char *real = standard ? NULL : real_path(b, netlist->file);
	bxt_frame *frame = BXT_NEW(b->scratch, bxt_frame, 1);
	BXT_TRY(find_roots(b, netlist->file));
	if (!frame || b->failed || !add_source(b, netlist->file, 0, "", real))
		return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(b->files.frame_of, b->files.c_frames, 1));
	b->frame = b->files.frame_of[0] = frame;
	BXT_TRY(read_declarations(b, 0, netlist->root));
	return fill_frame(b, frame, NULL, 0);
}

/* ---- Finding files ---- */

/* folder + href without "." and "..", relative to a root; *leaves when it goes above it. */
static char *normalised(bxt_arena *arena, const char *folder, const char *href, bool *leaves)
{
	char *path = bxt_arena_printf(arena, "%s%s", folder, href), *end = path;
	*leaves = false;
	for (const char *word = path; word && *word;) {
		const size_t length = strcspn(word, "/");
		const char *next = word + length + (word[length] == '/');
		if (length == 2 && strncmp(word, "..", 2) == 0) {
			*leaves = *leaves || end == path;
			while (end > path && *--end == '/') /* the slash, then the word before */
				;
			while (end > path && end[-1] != '/')
				end--;
		} else if (length > 0 && !(length == 1 && *word == '.')) {
			memmove(end, word, length);
			end += length;
			if (next > word + length)
				*end++ = '/';
		}
		word = next;
	}
	if (path)
		*end = '\0';
	return path;
}

/* Does the file lie in or below the root's folder, links resolved? */
static bool inside_root(bxt_builder *b, bxt_root *root, const char *real)
{
	if (!root->real && !(root->real = real_path(b, *root->path ? root->path : ".")))
		return false;
	return bxt_local_file_holds(root->real, real);
}

/* Reads a new file; findings name lines of that file. */
static bxt_status read_source(bxt_builder *b, const char *file, int root, const char *path,
			      const char *real)
{
	bxt_network *net = b->net;
	const char *folder = folder_of(b->scratch, path);
	const int index = (int)b->files.n_sources;
	struct bxt_netlist *tree = NULL;
	BXT_TRY(BXT_GROW(net->origin.included, b->room.included, net->origin.n_included + 1));
	if (!folder || !add_source(b, file, root, folder, real))
		return BXT_ERR_MEMORY;
	const bxt_status status = bxt_tree_read_file(file, BXT_NS_NETLIST, "netlist", b->d, &tree);
	if (status == BXT_ERR_MEMORY)
		return status;
	if (status != BXT_OK)
		return BXT_OK; /* a source without a root */
	net->origin.included[net->origin.n_included++] = tree;
	return read_declarations(b, index, tree->root);
}

/* The source of a file; -1 after a finding at the includer. */
static bxt_status judge_file(bxt_builder *b, const bxt_item *item, const char *file, int root,
			     const char *path, const char *real, int *out)
{
	const char *href = bxt_item_get(item, "href");
	struct stat about;
	if (!inside_root(b, &b->files.roots[root], real)) {
		bxt_error(b->d, item->place, "href '%s' is refused: a link leads out of %s%s", href,
			  root ? "the library's directory " : "the folder of the netlist",
			  root ? b->files.roots[root].path : "");
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	}
	if (stat(real, &about) != 0 || !S_ISREG(about.st_mode)) {
		bxt_error(b->d, item->place, "href '%s': %s is not a file", href, file);
		return BXT_OK;
	}
	for (size_t i = 0; i < b->files.n_sources && *out < 0; i++)
		if (b->files.sources[i]->real && strcmp(b->files.sources[i]->real, real) == 0)
			*out = (int)i;
	if (*out >= 0)
		return BXT_OK;
	*out = (int)b->files.n_sources;
	return read_source(b, file, root, path, real);
}

/*
 * Searches a path below one root. If a file is there, *ended is set and *out is the source, or -1
 * after a finding. Else the path is added to the list of paths tried.
 */
static bxt_status look_below(bxt_builder *b, const bxt_item *item, int root, const char *path,
			     bxt_buffer *looked, bool *ended, int *out)
{
	const char *file = bxt_arena_printf(b->arena, "%s%s", b->files.roots[root].path, path);
	if (!file)
		return BXT_ERR_MEMORY;
	errno = 0;
	const char *real = real_path(b, file);
	const int code = errno;
	if (b->failed || (!real && code == ENOMEM))
		return BXT_ERR_MEMORY;
	*ended = real || (code != ENOENT && code != ENOTDIR);
	if (real)
		return judge_file(b, item, file, root, path, real, out);
	if (*ended)
		bxt_error(b->d, item->place, "href '%s': %s cannot be read: %s",
			  bxt_item_get(item, "href"), file, strerror(code));
	bxt_buffer_printf(looked, "%s%s", looked->length ? ", " : "", file);
	return looked->failed ? BXT_ERR_MEMORY : BXT_OK;
}

/*
 * The source of an href; -1 after a finding at the includer. The href is relative to the folder of
 * its file, and if nothing is there, to the library's directories.
 */
static bxt_status open_source(bxt_builder *b, const bxt_item *item, const char *href, int *out)
{
	const bxt_netfile *here = b->files.sources[b->frame->source];
	bxt_buffer looked = {0};
	bool leaves, leaves_library, ended = false;
	const char *path = normalised(b->scratch, here->folder, href, &leaves);
	const char *in_library = normalised(b->scratch, "", href, &leaves_library);
	*out = -1;
	if (!path || !in_library)
		return BXT_ERR_MEMORY;
	if (href[0] == '/' || strstr(href, "://") || leaves) {
		bxt_error(b->d, item->place,
			  "href '%s' is refused: included files lie in the folder of the netlist, "
			  "in a directory of the library, or below",
			  href);
		return BXT_OK;
	}
	bxt_status status = look_below(b, item, here->below, path, &looked, &ended, out);
	for (int r = 1; status == BXT_OK && !ended && !leaves_library && r < b->files.n_roots; r++)
		if (r != here->below || *here->folder) /* else this path was just tried */
			status = look_below(b, item, r, in_library, &looked, &ended, out);
	if (status == BXT_OK && !ended)
		bxt_error(b->d, item->place, "href '%s' is not found; looked for %s", href,
			  looked.text);
	bxt_buffer_free(&looked);
	return status;
}

/* The same, with one access to the file system for each distinct href and folder. */
/* A file of the network that is rebuilt, as it was read. */
static bxt_status again_source(bxt_builder *b, const char *key, int *out)
{
	*out = bxt_build_known_source(b, key);
	if (*out < 0 || *out < (int)b->files.n_sources)
		return BXT_OK;
	const bxt_net_source *s = &b->again.from->origin.sources[*out];
	if (!add_source(b, s->file, s->below, s->folder, s->real))
		return BXT_ERR_MEMORY;
	return read_declarations(b, *out, s->root);
}

static bxt_status find_source(bxt_builder *b, const bxt_item *item, int *out)
{
	const char *href = bxt_item_get(item, "href");
	const char *folder = b->files.sources[b->frame->source]->folder;
	const int root = b->files.sources[b->frame->source]->below;
	b->files.key.length = 0;
	bxt_buffer_printf(&b->files.key, "%d %s\n%s", root, folder, href);
	if (b->files.key.failed)
		return BXT_ERR_MEMORY;
	if ((*out = bxt_map_get(&b->files.source_by_href, b->files.key.text)) >= 0)
		return BXT_OK;
	const char *key = bxt_arena_strdup(b->scratch, b->files.key.text);
	if (!key)
		return BXT_ERR_MEMORY;
	BXT_TRY(b->again.from ? again_source(b, key, out) : open_source(b, item, href, out));
	return *out < 0 ? BXT_OK : bxt_map_put(&b->files.source_by_href, key, *out);
}

/* ---- Including ---- */

/* The size of a netlist with all files that it includes. */
struct amount {
	double subsystems, items; /* items: elements, nodes, ports, connections */
	bool known;               /* or being counted; circular inclusions are reported elsewhere */
};

/* The file of an href in `source`, where it has been read already; -1. */
static int source_of(bxt_builder *b, const bxt_netfile *source, const char *href)
{
	b->files.key.length = 0;
	bxt_buffer_printf(&b->files.key, "%d %s\n%s", source->below, source->folder, href);
	return b->files.key.failed ? -1 : bxt_map_get(&b->files.source_by_href, b->files.key.text);
}

static struct amount count_source(bxt_builder *b, struct amount *of, int source);

static void count_scope(bxt_builder *b, struct amount *of, int source, const bxt_item *scope,
			struct amount *sum)
{
	for (const bxt_item *c = bxt_item_child(scope, NULL, NULL); c;
	     c = bxt_item_child(scope, NULL, c)) {
		if (strcmp(c->name, "subsystem") != 0) {
			sum->items++;
			for (const bxt_item *x = bxt_item_child(c, NULL, NULL); x;
			     x = bxt_item_child(c, NULL, x))
				sum->items++;
			continue;
		}
		sum->subsystems++;
		const char *href = bxt_item_get(c, "href");
		if (!href) {
			count_scope(b, of, source, c, sum);
			continue;
		}
		const int inner = source_of(b, b->files.sources[source], href);
		if (inner < 0)
			continue;
		const struct amount more = count_source(b, of, inner);
		sum->subsystems += more.subsystems;
		sum->items += more.items;
	}
}

/* Counts each file once, however often it is included. */
static struct amount count_source(bxt_builder *b, struct amount *of, int source)
{
	if (!of[source].known && b->files.sources[source]->root) {
		struct amount sum = {0};
		of[source].known = true;
		count_scope(b, of, source, b->files.sources[source]->root, &sum);
		of[source] = (struct amount){sum.subsystems, sum.items, true};
	}
	return of[source];
}

/*
 * Files that include each other twice at each level give a model that exceeds any memory. Its size
 * is counted from the files alone, before it is built, whenever the number of subsystems has
 * doubled.
 */
static void check_amount(bxt_builder *b, const bxt_item *item)
{
	const size_t made = b->net->n_primitives + b->net->n_elements / 16;
	if (b->too_many || made < (b->count_at ? b->count_at : FIRST_COUNT))
		return;
	b->count_at = 2 * made;
	struct amount *of = calloc(b->files.n_sources + 1, sizeof *of);
	if (!of) {
		b->failed = true;
		return;
	}
	const struct amount all = count_source(b, of, 0);
	size_t heaviest = 0;
	for (size_t i = 1; i < b->files.n_sources; i++)
		if (heaviest == 0 ||
		    of[i].subsystems + of[i].items > of[heaviest].subsystems + of[heaviest].items)
			heaviest = i;
	b->too_many = all.subsystems > MAX_PRIMITIVES || all.items > MAX_ITEMS;
	if (b->too_many)
		bxt_error(b->d, item->place,
			  "%s comes to %.4g subsystems with %.4g items, and at most %d with %d "
			  "can be made: '%s' alone includes %.4g with %.4g",
			  b->files.sources[0]->file, all.subsystems, all.items, MAX_PRIMITIVES,
			  MAX_ITEMS, b->files.sources[heaviest]->file, of[heaviest].subsystems,
			  of[heaviest].items);
	free(of);
}

/* May the file be included here? Findings name the whole cycle in order. */
static bool may_include(bxt_builder *b, const bxt_item *item, int source)
{
	const bxt_frame *chain[MAX_DEPTH + 1];
	bxt_buffer words = {0};
	int n = 0;
	const bxt_frame *f = b->frame;
	for (; f && n <= MAX_DEPTH && f->source != source; f = f->parent)
		chain[n++] = f;
	if (f && n <= MAX_DEPTH) {
		bxt_buffer_printf(&words, "%s", b->files.sources[source]->file);
		while (n-- > 0)
			bxt_buffer_printf(&words, " includes %s",
					  b->files.sources[chain[n]->source]->file);
		bxt_buffer_printf(&words, " includes %s", b->files.sources[source]->file);
		bxt_error(b->d, item->place, "files include each other in a circle: %s",
			  words.failed ? "" : words.text);
		b->failed = b->failed || words.failed;
		bxt_buffer_free(&words);
		return false;
	}
	if (b->frame->depth >= MAX_DEPTH) {
		bxt_error(b->d, item->place, "files include each other deeper than %d", MAX_DEPTH);
		return false;
	}
	check_amount(b, item);
	return !b->too_many && !b->failed;
}

/* Reports attributes that are not parameters of the file, and content, which would be lost. */
static void check_includer(bxt_builder *b, const bxt_item *item, const bxt_netfile *s)
{
	const char *id = bxt_item_get(item, "id");
	const bxt_element_row *row = bxt_language_of(BXT_LANGUAGE_NETLIST, item);
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));) {
		if (bxt_attribute_is_foreign(a) || bxt_language_has(row, a->name) ||
		    bxt_map_get(&s->parameter_by_name, a->name) >= 0)
			continue;
		bxt_nearest_search near = {.name = a->name};
		for (size_t i = 0; i < s->n_parameters; i++)
			bxt_nearest_offer(&near, s->parameters[i].name);
		bxt_error(b->d, item->place, "subsystem '%s': %s has no parameter '%s'%s",
			  id ? id : "?", s->file, a->name, bxt_did_you_mean(b->scratch, near.best));
	}
	if (bxt_item_child(item, NULL, NULL))
		bxt_error(b->d, item->place,
			  "subsystem '%s' is included from %s: nothing can stand inside it",
			  id ? id : "?", s->file);
	bxt_build_no_text(b, item);
}

/* Adds a note with the inclusion that findings belong to. */
static void included_from(bxt_builder *b, const bxt_item *item, const bxt_netfile *s)
{
	const char *id = bxt_item_get(item, "id");
	bxt_note(b->d, item->place, "%s is included here, as subsystem '%s'", s->file,
		 id ? id : "?");
}

/*
 * Calls `work` in the frame of an inclusion. A note with the place of the inclusion follows errors
 * in the file. Only the first inclusion with errors reports them, since the text is the same.
 */
static bxt_status within(bxt_builder *b, const bxt_item *item, int primitive,
			 bxt_status (*work)(bxt_builder *, const bxt_item *, int))
{
	const bxt_frame *outer = b->frame, *frame = b->files.frame_of[primitive];
	bxt_diagnostics *d = b->d;
	bxt_netfile *s = b->files.sources[frame->source];
	const size_t before = bxt_diagnostics_count(d, BXT_ERROR);
	b->frame = frame;
	b->d = s->reporter && s->reporter != frame ? NULL : d;
	const bxt_status status = work(b, s->root, primitive);
	b->frame = outer;
	b->d = d;
	if (bxt_diagnostics_count(d, BXT_ERROR) > before) {
		if (!s->reporter)
			included_from(b, item, s);
		s->reporter = frame;
	}
	return status;
}

bxt_status bxt_build_include(bxt_builder *b, const bxt_item *item, int primitive)
{
	int source;
	const size_t n = b->files.n_sources, before = bxt_diagnostics_count(b->d, BXT_ERROR);
	BXT_TRY(find_source(b, item, &source));
	if (source < 0)
		return BXT_OK;
	bxt_netfile *s = b->files.sources[source];
	const bool bad = b->files.n_sources > n && bxt_diagnostics_count(b->d, BXT_ERROR) > before;
	if (bad)
		included_from(b, item, s);
	if (!s->root || !may_include(b, item, source))
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	check_includer(b, item, s);
	bxt_frame *frame = BXT_NEW(b->scratch, bxt_frame, 1);
	if (!frame)
		return BXT_ERR_MEMORY;
	*frame = (bxt_frame){.parent = b->frame,
			     .source = source,
			     .depth = b->frame->depth + 1,
			     .repeated = s->used || b->frame->repeated};
	s->used = true;
	if (bad) /* further errors in the file are reported, too */
		s->reporter = frame;
	BXT_TRY(fill_frame(b, frame, item, primitive));
	b->files.frame_of[primitive] = frame;
	b->net->primitives[primitive].missing = false;
	return within(b, item, primitive, bxt_build_scope);
}

bxt_status bxt_build_include_interconnections(bxt_builder *b, const bxt_item *item, int primitive)
{
	return b->files.frame_of[primitive] ? within(b, item, primitive, bxt_build_interconnections)
					    : BXT_OK;
}

bxt_status bxt_build_include_signals(bxt_builder *b, const bxt_item *item, int primitive)
{
	return b->files.frame_of[primitive] ? within(b, item, primitive, bxt_build_signals)
					    : BXT_OK;
}
