/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The current frame: the values of the parameters of a netlist file, for one inclusion of it. */
#include "model/builder/builder.h"

#include <string.h>

int bxt_frame_find(const bxt_builder *b, const char *name, double *value)
{
	const bxt_frame *f = b->frame;
	const int i = bxt_map_get(&b->files.sources[f->source]->parameter_by_name, name);
	if (i < 0 || (size_t)i >= f->n_known || f->input[i] >= 0)
		return -1;
	*value = f->values[i];
	return i;
}

int bxt_frame_name(const bxt_builder *b, const char *name)
{
	const int i = bxt_map_get(&b->files.sources[b->frame->source]->parameter_by_name, name);
	return i >= 0 && (size_t)i < b->frame->n_known ? i : -1;
}

int bxt_frame_input(const bxt_builder *b, const char *name)
{
	const int i = bxt_frame_name(b, name);
	return i >= 0 ? b->frame->input[i] : -1;
}

void bxt_frame_offer(const bxt_builder *b, void (*visit)(void *, const char *), void *visitor)
{
	const bxt_netfile *s = b->files.sources[b->frame->source];
	for (size_t i = 0; i < b->frame->n_known; i++)
		visit(visitor, s->parameters[i].name);
}

int bxt_own_find(const bxt_builder *b, const char *name, double *value)
{
	const bxt_own *own = b->own;
	for (int i = 0, number = 0; own && i < own->component->n_parameters; i++) {
		const bxt_parameter *p = &own->component->parameters[i];
		if (!p->of && strcmp(p->name, name) == 0) {
			*value = own->element->parameter[number];
			return own->element->signal && own->element->signal[number] >= 0 ? -1 : i;
		}
		number += !p->of;
	}
	return -1;
}

const bxt_curves *bxt_frame_curves(const bxt_builder *b)
{
	return &b->files.sources[b->frame->source]->curves;
}

const char *bxt_frame_key(bxt_builder *b, const char *key, const char *text)
{
	static const char in_names[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
				       "0123456789.";
	const bxt_curves *curves = bxt_frame_curves(b);
	for (size_t length; curves->n > 0 && *text && key; text += length ? length : 1) {
		length = strspn(text, in_names);
		const char *word = bxt_arena_strndup(b->scratch, text, length);
		if (!word)
			return NULL;
		if (bxt_curves_find(curves, word))
			key = bxt_arena_printf(b->arena, "%s|%s@%d", key, word, b->frame->source);
	}
	return key;
}

bxt_status bxt_frame_keep_all(bxt_builder *b)
{
	bxt_network *net = b->net;
	size_t n = 0;
	for (int pass = 0; pass < 2; pass++) {
		if (pass == 1 && !(net->parameters = BXT_NEW(b->arena, bxt_own_parameter, n)))
			return BXT_ERR_MEMORY;
		n = 0;
		for (size_t p = 0; p < net->n_primitives; p++) {
			const bxt_frame *f = b->files.frame_of[p];
			const int parent = net->primitives[p].parent;
			if (!f || (parent >= 0 && f == b->files.frame_of[parent]))
				continue; /* a part of its file */
			const bxt_netfile *s = b->files.sources[f->source];
			for (size_t i = 0; i < s->n_parameters; i++) {
				const bxt_net_parameter *own = &s->parameters[i];
				if (own->is_input)
					continue;
				if (pass == 1)
					net->parameters[n] = (bxt_own_parameter){own->name, own->si,
										 f->values[i],
										 (int)p, own->item};
				n++;
			}
		}
	}
	net->n_parameters = n;
	return BXT_OK;
}
