/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of A that say the same twice. The node between two current sources in series gets
 * its balance from the two laws already: y^T A = 0 with y on the node and on both sources. When
 * y^T b = 0 as well the model is unusual but sound, and the node is one more reference: its
 * potential is 0 by choice. When not, the sources contradict each other.
 */
#ifndef BXT_SYSTEM_REDUNDANT_ROWS_H
#define BXT_SYSTEM_REDUNDANT_ROWS_H

#include "system/system.h"

/*
 * Marks redundant rows of nodes and connections as references (dirac.row[].reference) and says so
 * in a note for each; *marked: how many. The layout of the system is not changed: it is stale when
 * *marked > 0. BXT_ERR_MODEL names the constraints that contradict each other. Does nothing in a
 * system without constraints of components: there the references of network/dirac.h are all.
 * Constraints that depend on each other alone are marked optional: a step leaves one out
 * (step/dependent_rows.h).
 */
bxt_status bxt_mark_redundant(bxt_system *s, bxt_diagnostics *d, int *marked);

#endif
