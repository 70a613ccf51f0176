/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the signals at ports, and reduces <record> to the signals that a reduced model has. */
#include "study/reduce/records.h"

#include "boxtimes_records.h"
#include "model/names/designator_list.h"
#include "model/netlist/edit.h"

#include <stdlib.h>
#include <string.h>

/* ---- Signals at ports ---- */

/* Adds a signal once: several ports name the same connection. */
static void append_name(bxt_buffer *list, const char *name)
{
	const size_t length = strlen(name);
	for (const char *at = list->text; at && (at = strstr(at, name)); at += length)
		if ((at == list->text || at[-1] == ' ') && (at[length] == ',' || !at[length]))
			return;
	bxt_buffer_printf(list, "%s%s", list->length ? ", " : "", name);
}

static void append_port(bxt_buffer *list, const bxt_system *s, int port, bxt_buffer *name)
{
	const bxt_network *net = s->net;
	const bxt_net_port *p = &net->ports[port];
	if (p->node < 0 || p->connection < 0)
		return;
	const bxt_net_node *node = &net->nodes[p->node];
	const bool balance = node->kind->type == BXT_PORT_BALANCE;
	const int first = balance ? s->where.port_coord[port] : s->where.node_coord[p->node];
	for (int i = 0; i < (balance ? 1 : node->n_used) && first >= 0; i++)
		append_name(list,
			    bxt_dirac_coord_name(net, &s->dirac.coord[first + i], true, name));
	const bxt_connection *c = &net->connections[p->connection];
	if (!c->is_sigma && node->kind->n == 1 && c->n == 2) {
		bxt_buffer_clear(name);
		bxt_buffer_printf(name, "%s.lambda", c->id);
		if (!name->failed && c->primitive == 0)
			append_name(list, name->text);
	}
}

bxt_status bxt_records_of_ports(bxt_buffer *list, const bxt_system *system, const char *part)
{
	const bxt_network *net = system->net;
	bxt_buffer name = {0};
	for (size_t i = 1; i < net->n_primitives; i++) {
		const bxt_primitive *p = &net->primitives[i];
		if (p->parent != 0 || (part && strcmp(p->id, part) != 0))
			continue;
		for (int k = 0; k < p->ports.n; k++)
			append_port(list, system, p->ports.index[k], &name);
	}
	const bool failed = name.failed || list->failed;
	bxt_buffer_free(&name);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* ---- <record> ---- */

/* Can the model record the item? */
static bool is_known(const bxt_system *system, const char *item, bxt_diagnostics *aside,
		     bxt_status *status)
{
	bxt_run_def def;
	char **names;
	size_t n;
	bxt_default_run_def(&def);
	def.record = item;
	*status = bxt_signal_names(system, &def, aside, &names, &n);
	if (*status != BXT_OK)
		return false;
	bxt_signal_names_free(names, n);
	return true;
}

bxt_status bxt_records_filter(const bxt_system *system, const char *list,
			      void (*missing)(void *context, const char *item), void *context,
			      char **out)
{
	bxt_buffer kept = {0};
	bxt_diagnostics *aside = bxt_diagnostics_new();
	char *copy = strdup(list);
	bxt_status status = aside && copy ? BXT_OK : BXT_ERR_MEMORY;
	*out = NULL;
	for (char *item = copy, *next; item && status == BXT_OK; item = next) {
		char *end = item + bxt_record_item_length(item);
		next = *end ? end + 1 : NULL;
		*end = '\0';
		const char *name = item + strspn(item, " \t\r\n");
		if (!*name)
			continue;
		if (is_known(system, name, aside, &status))
			bxt_buffer_printf(&kept, "%s%s", kept.length ? ", " : "", name);
		else if (status == BXT_ERR_MODEL && missing)
			missing(context, name);
		status = status == BXT_ERR_MODEL ? BXT_OK : status;
	}
	if (status == BXT_OK && !kept.failed)
		*out = strdup(kept.length ? kept.text : "");
	bxt_buffer_free(&kept);
	bxt_diagnostics_free(aside);
	free(copy);
	return status == BXT_OK && !*out ? BXT_ERR_MEMORY : status;
}

struct dropped {
	bxt_place place;
	bxt_diagnostics *d;
};

static void warn(void *context, const char *item)
{
	const struct dropped *to = context;
	bxt_warning(to->d, to->place,
		    "record: '%s' is left out: the reduced model does not have it", item);
}

static bxt_status keep_records(bxt_netlist *netlist, const bxt_system *system, bxt_item *record,
			       const char *list, bxt_diagnostics *d)
{
	char *kept;
	struct dropped dropped = {record->place, d};
	bxt_status status = bxt_records_filter(system, list, warn, &dropped, &kept);
	if (status == BXT_OK && *kept)
		status = bxt_item_set_content(netlist, record, kept);
	else if (status == BXT_OK)
		bxt_item_remove(record);
	free(kept);
	return status;
}

bxt_status bxt_records_keep(bxt_netlist *netlist, const bxt_system *system, bxt_diagnostics *d)
{
	bxt_item *record = bxt_item_child(netlist->root, "record", NULL);
	bxt_arena *arena = bxt_arena_new();
	const char *list = record && arena ? bxt_item_content(arena, record) : NULL;
	bxt_status status = !record ? BXT_OK : BXT_ERR_MEMORY;
	if (list)
		status = keep_records(netlist, system, record, list, d);
	bxt_arena_free(arena);
	return status;
}
