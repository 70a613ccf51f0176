/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The geometry. A Dirac structure induced by a distribution is stored as the rows of the
 * distribution's annihilator: Delta = {v : A v = 0}, Delta° = range A^T. Each primitive has its own
 * structure D_i; the interconnection has D_int = Sigma_Q + Sigma_Q°; and
 *
 *     D = (D_1 (+) ... (+) D_n) [x] D_int                     (Parks, section 3.4)
 *
 * is again induced, by Delta = (sum Delta_i) n Sigma_Q (Parks, Theorem 6; n is the intersection).
 * So the direct sum stacks coordinates and rows, and the tensor product appends the rows of
 * Sigma_Q: they stay explicit, with multipliers of their own.
 */
#ifndef BXT_NETWORK_DIRAC_H
#define BXT_NETWORK_DIRAC_H

#include "model/network/network.h"

typedef enum bxt_coord_type { BXT_COORD_ELEMENT, BXT_COORD_NODE, BXT_COORD_PORT } bxt_coord_type;

/* A coordinate of Q: its owner, and which of the owner's coordinates it is. */
typedef struct bxt_coord_info {
	bxt_coord_type type;
	int owner; /* element, node (shared kinds) or exported port */
	int local;
} bxt_coord_info;

/* Does it enter a row only to read the row's multiplier? Its flow is always 0. */
bool bxt_dirac_is_reading(const struct bxt_network *net, const bxt_coord_info *coord);

/* The unit of a coordinate, from its component or port kind. */
const char *bxt_dirac_coord_unit(const struct bxt_network *net, const bxt_coord_info *coord);

/* "node", "constraint", "connection": the names of drift(FAMILY). */
extern const char *const bxt_family_names[BXT_FAMILY_COUNT];
/* "position": all position constraints, |phi(q)|. Designators have it as family BXT_FAMILY_COUNT.
 */
extern const char *const bxt_family_of_positions;

/* A row of the annihilator. */
typedef struct bxt_row_info {
	bxt_family family;
	int owner;      /* node, element or connection */
	int local;      /* which of the owner's rows */
	bool reference; /* redundant: omitted, multiplier 0 (bxt_dirac_references) */
	bool bounded;   /* its multiplier has bounds: it may be released */
	bool released;  /* its multiplier is at a bound: omitted (element/element_type.h) */
	bool optional;  /* a step may omit it while it depends on other rows
			 * (step/dependent_rows.h) */
} bxt_row_info;

/* A constant entry A[row][col] = value that belongs to no element (flows through exported ports).
 */
typedef struct bxt_row_entry {
	int row, col;
	double value;
} bxt_row_entry;

/*
 * The structure. Entries of A that elements contribute (constraints, flows into ports) are not
 * listed: bxt_incidence gives the coordinates and rows of an element, from which they follow.
 */
typedef struct bxt_dirac {
	bxt_coord_info *coord; /* (n) */
	bxt_row_info *row;     /* (m) */
	bxt_row_entry *entry;  /* (n_entry) */
	size_t n, m, n_entry;
	size_t c_coord, c_row, c_entry; /* capacities of the heap arrays above */
} bxt_dirac;

void bxt_dirac_free(bxt_dirac *d);

/* D_i of a primitive: the coordinates of its elements, nodes and connected ports; its node and
 * constraint rows. */
bxt_status bxt_dirac_induced(const bxt_network *net, int primitive, bxt_dirac *out);
/* D_1 (+) ... (+) D_k: coordinates and rows stacked. O(total). */
bxt_status bxt_dirac_direct_sum(const bxt_dirac *d, size_t k, bxt_dirac *out);
/*
 * D_int over the coordinates of `on`: the rows of Sigma_Q. A connection of balance ports is one
 * row, the sum of the port flows. One of shared ports has as rows the differences of the flows to
 * those of the first port. A <sigma> is one row with weights.
 */
bxt_status bxt_dirac_interconnection(const bxt_network *net, const bxt_dirac *on, bxt_dirac *out);
/* D [x] D_int: the rows of D_int appended to D, in place. */
bxt_status bxt_dirac_tensor_product(bxt_dirac *d, const bxt_dirac *d_int);

/* First coordinates and rows of each owner in a structure; -1: none. */
typedef struct bxt_incidence {
	int *first_coord;    /* (elements) first own coordinate */
	int *first_row;      /* (elements) first constraint row */
	int *node_coord;     /* (nodes) first of the coordinates that a shared node has */
	int *node_row;       /* (nodes) row of a balance node */
	int *port_coord;     /* (exported ports) first coordinate */
	int *connection_row; /* (connections) first row */
} bxt_incidence;
bxt_status bxt_dirac_incidence(bxt_arena *arena, const bxt_network *net, const bxt_dirac *d,
			       bxt_incidence *out);

/*
 * References of the assembled network. Rows of nodes and connections that elements tie together
 * form islands. In an island without the reference node the rows sum to zero, so one is redundant:
 * the (first) node with the most pins becomes the reference, and its row is omitted. Each gets a
 * note, except isolated nodes. Where rows of <sigma> couple islands, one row is omitted for each
 * null vector of the coupled rows.
 */
bxt_status bxt_dirac_references(const bxt_network *net, bxt_dirac *d, const bxt_incidence *where,
				bxt_diagnostics *diagnostics);

/* Marks the rows that do not hold in the states of the network's switches. */
void bxt_dirac_release(const bxt_network *net, bxt_dirac *d, const bxt_incidence *where);

/* The source location of a row or coordinate. */
bxt_place bxt_dirac_row_place(const bxt_network *net, const bxt_row_info *row);
bxt_place bxt_dirac_coord_place(const bxt_network *net, const bxt_coord_info *coord);
/* The name of a row or coordinate in messages: "node(loop.a)", "loop.I1.set", "c1"; "loop.L1.q". */
const char *bxt_dirac_row_name(const bxt_network *net, const bxt_row_info *row, bxt_buffer *buffer);
const char *bxt_dirac_coord_name(const bxt_network *net, const bxt_coord_info *coord, bool flow,
				 bxt_buffer *buffer);

#endif
