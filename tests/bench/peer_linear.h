/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real and complex linear systems of a peer: full ones by elimination, sparse ones by KLU. */
#ifndef PEER_LINEAR_H
#define PEER_LINEAR_H

#include "bench/peer.h"

#include <suitesparse/klu.h>

typedef struct peer_linear {
	const peer_pattern *a;
	bool complex, full;
	double *values; /* of the pattern, written by the caller; complex: pairs */
	double *lu;     /* (n, n) by columns, full ones alone */
	int *pivot;
	klu_common common;
	klu_symbolic *symbolic;
	klu_numeric *numeric;
} peer_linear;

bool peer_linear_new(peer_linear *l, const peer_pattern *a, bool complex);
void peer_linear_free(peer_linear *l);
/* False: singular. */
bool peer_linear_factor(peer_linear *l);
void peer_linear_solve(peer_linear *l, double *b);

#endif
