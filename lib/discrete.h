/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floor 5: discretisation rules L -> L_d, all linear in L (Parks, (3.59)), with forces by the same
 * rule:  L_d = h L(q_k + theta h v, v),  v = (q_{k+1} - q_k)/h,  f^- = minus h f,  f^+ = plus h f.
 */
#ifndef BXT_DISCRETE_H
#define BXT_DISCRETE_H

#include "kind.h"

typedef struct bxt_rule {
	const char *name, *doc;
	int order;
	double theta;       /* where L and f are evaluated within the step */
	double minus, plus; /* shares of h dL/dq and of h f at the left and the right end */
} bxt_rule;

/* All rules, the end marked by name == NULL. */
extern const bxt_rule bxt_rules[];

#endif
