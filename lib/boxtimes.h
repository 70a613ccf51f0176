/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * boxtimes: interconnected Lagrange-Dirac and port-Hamiltonian systems.
 *
 * Data moves one way:
 *
 *     bxt_netlist --compile--> const bxt_system --initialize--> bxt_state --run--> sink, summary
 *
 * Every function that can fail returns a bxt_status. It describes the failure in the
 * bxt_diagnostics list of the caller. The library never exits, aborts or prints. Its only global
 * state is the database of units, which it reads once.
 *
 * Threads may share a bxt_library, a const bxt_system, and a bxt_netlist while nobody edits it. Any
 * other object is for one thread at a time.
 *
 * A public struct begins with its size, and later versions only append fields. A struct that the
 * caller fills may be shorter than the library's own. In a struct that the library fills, `size` is
 * that of the library: it is the distance of two entries of an array, and shows which fields exist.
 */
#ifndef BOXTIMES_H
#define BOXTIMES_H

#include "boxtimes_compare.h"
#include "boxtimes_draw.h"
#include "boxtimes_import.h"
#include "boxtimes_linear.h"
#include "boxtimes_members.h"
#include "boxtimes_model.h"
#include "boxtimes_netlist.h"
#include "boxtimes_quantity.h"
#include "boxtimes_records.h"
#include "boxtimes_reduce.h"
#include "boxtimes_reference.h"
#include "boxtimes_rewrite.h"
#include "boxtimes_run.h"
#include "boxtimes_sensitivity.h"
#include "boxtimes_simulation.h"
#include "boxtimes_status.h"
#include "boxtimes_steps.h"
#include "boxtimes_summary.h"
#include "boxtimes_sweep.h"
#include "boxtimes_verify.h"

#endif
