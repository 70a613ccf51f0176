/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The public functions: convert a deck to lines, to blocks, to the text of a netlist, to a netlist.
 */
#include "exchange/spice/spice.h"

#include "boxtimes_import.h"

#include <stdlib.h>
#include <string.h>

static bxt_status status_of(const bxt_deck *deck)
{
	return deck->failed ? BXT_ERR_MEMORY : deck->errors ? BXT_ERR_MODEL : BXT_OK;
}

static bxt_status netlist_of(bxt_deck *deck, bxt_netlist **out)
{
	bxt_spice_scope root = {0};
	bxt_buffer text = {0};
	bxt_deck_read_blocks(deck);
	if (status_of(deck) == BXT_ERR_MEMORY || deck->n_blocks == 0)
		return status_of(deck);
	bxt_spice_env *env = bxt_spice_enter(deck, NULL, deck->blocks[0]);
	if (!env)
		return BXT_ERR_MEMORY;
	bxt_deck_read_commands(deck, env);
	if (!bxt_deck_is_over(deck))
		bxt_spice_expand(deck, env, &root);
	if (status_of(deck) == BXT_OK)
		bxt_spice_write(deck, &root, &text);
	bxt_status status = text.failed ? BXT_ERR_MEMORY : status_of(deck);
	if (status == BXT_OK)
		status = bxt_netlist_read_memory(text.text, text.length, deck->file, deck->d, out);
	bxt_spice_scope_free(&root);
	bxt_buffer_free(&text);
	return status;
}

static void free_deck(bxt_deck *deck)
{
	for (size_t i = 0; i < deck->n_blocks; i++) {
		bxt_deck_block *b = deck->blocks[i];
		bxt_map_free(&b->parameter_index);
		bxt_map_free(&b->function_index);
		bxt_map_free(&b->model_index);
		bxt_map_free(&b->block_index);
		bxt_free(b->functions);
		bxt_free(b->models);
		bxt_free(b->elements);
		bxt_free(b->conditions);
	}
	bxt_free(deck->blocks);
	bxt_free(deck->lines);
	bxt_free(deck->commands);
	bxt_free(deck->devices.names);
	bxt_map_free(&deck->globals);
	bxt_map_free(&deck->component_numbers);
	bxt_buffer_free(&deck->remarks);
	bxt_buffer_free(&deck->components);
	bxt_arena_free(deck->arena);
}

/* bytes NULL: reads the file of that name */
static bxt_status import_deck(const char *name, const char *bytes, size_t length,
			      const bxt_import_def *def, bxt_diagnostics *d, bxt_netlist **out)
{
	bxt_import_def own;
	bxt_default_import_def(&own);
	bxt_status status =
		def ? bxt_take_sized(def, &own, sizeof own, "bxt_import_def", d) : BXT_OK;
	bxt_deck deck = {.d = d,
			 .flat = own.flat,
			 .devices = {.library = own.library},
			 .temperature = 27,
			 .nominal = 27,
			 .reltol = 1e-3,
			 .title = ""};
	if (status != BXT_OK)
		return status;
	if (!(deck.arena = bxt_arena_new()) || !(deck.file = bxt_arena_strdup(deck.arena, name))) {
		bxt_arena_free(deck.arena);
		return BXT_ERR_MEMORY;
	}
	if (bytes)
		bxt_deck_read_text(&deck, bytes, length);
	else
		bxt_deck_read_file(&deck, name);
	const bool unread = !bytes && !deck.folder && !deck.failed;
	status = unread ? BXT_ERR_IO : status_of(&deck);
	/*
	 * all blocks that could be read are converted, so that all errors are reported in one pass
	 */
	if (status != BXT_ERR_IO && !bxt_deck_is_over(&deck))
		status = netlist_of(&deck, out);
	free_deck(&deck);
	return status;
}

bxt_status bxt_import_spice(const char *path, const bxt_import_def *def, bxt_diagnostics *d,
			    bxt_netlist **out)
{
	BXT_NEEDS(d, path);
	BXT_NEEDS(d, out);
	*out = NULL;
	return import_deck(path, NULL, 0, def, d, out);
}

bxt_status bxt_import_spice_memory(const char *bytes, size_t length, const char *name,
				   const bxt_import_def *def, bxt_diagnostics *d, bxt_netlist **out)
{
	BXT_NEEDS(d, bytes);
	BXT_NEEDS(d, name);
	BXT_NEEDS(d, out);
	*out = NULL;
	return import_deck(name, bytes, length, def, d, out);
}
