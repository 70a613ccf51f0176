/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What component.c asks of component_manifold.c. */
#ifndef BXT_COMPONENT_MANIFOLD_H
#define BXT_COMPONENT_MANIFOLD_H

#include "component/component.h"

/*
 * Looks up what the manifolds of a component name, all its coordinates being known, and appends the
 * rows of their embeddings to its constraints. *bad: after findings.
 */
bxt_status bxt_component_read_manifolds(bxt_arena *arena, bxt_component *c, bxt_diagnostics *d,
					bool *bad);

#endif
