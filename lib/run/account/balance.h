/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The energy balance as measured along a run, at up to BXT_BALANCE_SAMPLES grid points: what was
 * exchanged, and whether the residual has a trend.
 */
#ifndef BXT_ACCOUNT_BALANCE_H
#define BXT_ACCOUNT_BALANCE_H

#include "run/account/account.h"
#include "run/account/ledger.h"

enum { BXT_BALANCE_SAMPLES = 64 };

typedef struct bxt_balance {
	bxt_ledger *ledger;
	bxt_arena *arena;
	double *moved;                 /* (elements) by slot: max |E_c - E_c(0)| */
	double *motion, *motion_start; /* (n) max |T_i - T_i(0)|, T_i(0) */
	double residual[BXT_BALANCE_SAMPLES];
	int n;
	long every; /* steps between samples; doubled whenever all samples are used */
} bxt_balance;

/* steps: the expected number of steps of the run; 0: not known. */
bxt_status bxt_balance_new(bxt_ledger *ledger, long steps, bxt_balance **out);
bxt_balance *bxt_balance_free(bxt_balance *b);
/* To be called after step k to the state, which may become a sample. */
void bxt_balance_step(bxt_balance *b, const bxt_state *state, long k);
/* Writes the figures to summary->trust, whose total is known, with findings. */
void bxt_balance_report(const bxt_balance *b, bxt_summary *summary, bxt_diagnostics *d);
/* Saves or restores the samples so far. */
void bxt_balance_keep(bxt_balance *b, bxt_account *account);

#endif
