/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Redundant rows of A: y^T A = 0 always. Example: the laws of two current sources in series imply
 * the balance at the node between them; y is then nonzero at the node and at both sources. If y^T b
 * = 0 as well, the model is unusual but consistent, and the node becomes one more reference: its
 * potential is set to 0. Otherwise the sources contradict each other.
 */
#ifndef BXT_SYSTEM_REDUNDANT_ROWS_H
#define BXT_SYSTEM_REDUNDANT_ROWS_H

#include "model/system/system.h"

/*
 * Marks redundant rows of nodes and connections as references (dirac.row[].reference) and adds a
 * note for each; *marked: how many. The layout of the system is not changed: it is stale when
 * *marked > 0. BXT_ERR_MODEL names the constraints that contradict each other. Does nothing in a
 * system without constraints of components: network/dirac.h finds all its references.
 * Constraints that depend only on each other are marked optional: a step leaves one out
 * (step/dependent_rows.h).
 */
bxt_status bxt_mark_redundant(bxt_system *s, bxt_diagnostics *d, int *marked);

#endif
