/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interface of manifold.c for component.c. */
#ifndef BXT_COMPONENT_MANIFOLD_H
#define BXT_COMPONENT_MANIFOLD_H

#include "model/component/component.h"

/*
 * Resolves the names in the manifolds of a component, when all its coordinates are known, and
 * appends the rows of their embeddings to its constraints. *bad: after findings.
 */
bxt_status bxt_component_read_manifolds(bxt_arena *arena, bxt_component *c, bxt_diagnostics *d,
					bool *bad);

#endif
