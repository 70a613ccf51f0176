/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part, a subsystem at the top of a netlist, as a linear system by itself:
 *
 *     M v' + D v + K q = A^T lambda + f + B u,   A v = 0,   q' = v
 *
 * with the forces u at the coordinates of its exported ports. M and K are symmetric, the symmetric
 * part of D dissipates, and the skew part of D has no power.
 */
#ifndef BXT_REDUCE_PART_MODEL_H
#define BXT_REDUCE_PART_MODEL_H

#include "ground/sparse/sparse.h"
#include "model/system/system.h"

/* A coordinate of an exported port. */
typedef struct bxt_part_port {
	const char *id, *node; /* of the port, and of the subsystem's node that it exports */
	const bxt_port_kind *kind;
	int sub;   /* which coordinate of the kind */
	int coord; /* its coordinate in the part */
	/*
	 * The port's flow, not its effort, is prescribed from outside, because a path of flows from
	 * the port has neither inertia nor loss.
	 */
	bool takes_flow;
} bxt_part_port;

typedef struct bxt_part_model {
	bxt_arena *arena;
	const char *path;
	bxt_place place;
	bxt_library *library;                /* owned by the caller */
	bxt_netlist *netlist;                /* the part with an end at each port; owned */
	bxt_system *system;                  /* owned */
	int n, m;                            /* coordinates, rows */
	const char **name, **flow_name;      /* (n) */
	bxt_place *place_of;                 /* (n) */
	bxt_sparse mass, stiffness, damping; /* (n x n) */
	bxt_sparse rows;                     /* (m x n) */
	double *force;                       /* (n) f */
	bool has_force;
	bxt_part_port *port; /* (n_ports) */
	int n_ports;
	const char **grounded; /* (n_grounded) id and node of each port at the reference */
	int n_grounded;
	double *start_q, *start_v; /* (n) start in the whole model; 0 until set */
} bxt_part_model;

/*
 * Makes the part with the id of a subsystem at the top of a netlist that compiles. BXT_ERR_MODEL
 * after findings: it is not linear, or it has signals, sources that depend on time, or plug-ins.
 */
bxt_status bxt_part_model_new(const bxt_netlist *netlist, bxt_library *library, const char *id,
			      bxt_diagnostics *d, bxt_part_model **out);
bxt_part_model *bxt_part_model_free(bxt_part_model *part);

#endif
