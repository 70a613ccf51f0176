/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The chain of points on rods by SUNDIALS' IDA (variable-order BDF) with KLU: the stabilised
 * index-2 form of Gear, Gupta and Leimkuhler, 6 unknowns a link,
 *
 *     m q' = m v - A(q)^T mu ,   m v' = m g + A(q)^T lambda ,   phi(q) = 0 ,   A(q) v = 0
 */
#ifndef CHAIN_IDA_H
#define CHAIN_IDA_H

#include "bench/chain.h"

typedef struct chain_ida_run {
	double seconds;      /* processor time from the start to the end */
	long steps;          /* taken */
	long iterations;     /* evaluations of the residual, one each */
	long factorizations; /* and evaluations of the Jacobian */
	size_t entries;      /* of the factors */
	double *position;    /* (2 links) x, y of each point at the end; the caller's memory */
	double *velocity;    /* (2 links) likewise */
} chain_ida_run;

/* Is IDA there at all? */
bool chain_ida_exists(void);
/* From the start to t = end with relative and absolute tolerance tol. False when it gives up. */
bool chain_ida(const chain *c, double end, double tol, chain_ida_run *out);

#endif
