/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/solver/arnoldi.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifndef BXT_HAVE_ARPACK

const bool bxt_arnoldi_available = false;

bxt_status bxt_arnoldi_find(bxt_arena *arena, const bxt_arnoldi *a, bxt_arnoldi_found *out)
{
	(void)arena;
	(void)a;
	*out = (bxt_arnoldi_found){0};
	return BXT_ERR_ARGUMENT;
}

#else

const bool bxt_arnoldi_available = true;

/* Maximum number of restarts. Each takes as many products as the basis has vectors beyond the
 * wanted ones. */
enum { MOST_RESTARTS = 80 };

/* ARPACK's own routines. iparam, ipntr: see the guide; info 1 on entry: resid is the start. */
extern void znaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev,
		    const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
		    int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl,
		    double *rwork, int *info, unsigned long bmat_length,
		    unsigned long which_length);
extern void zneupd_(const int *rvec, const char *howmny, int *select, double *d, double *z,
		    const int *ldz, const double *sigma, double *workev, const char *bmat,
		    const int *n, const char *which, const int *nev, const double *tol,
		    double *resid, const int *ncv, double *v, const int *ldv, int *iparam,
		    int *ipntr, double *workd, double *workl, const int *lworkl, double *rwork,
		    int *info, unsigned long howmny_length, unsigned long bmat_length,
		    unsigned long which_length);
extern void dnaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev,
		    const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
		    int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl,
		    int *info, unsigned long bmat_length, unsigned long which_length);
extern void dneupd_(const int *rvec, const char *howmny, int *select, double *dr, double *di,
		    double *z, const int *ldz, const double *sigmar, const double *sigmai,
		    double *workev, const char *bmat, const int *n, const char *which,
		    const int *nev, const double *tol, double *resid, const int *ncv, double *v,
		    const int *ldv, int *iparam, int *ipntr, double *workd, double *workl,
		    const int *lworkl, int *info, unsigned long howmny_length,
		    unsigned long bmat_length, unsigned long which_length);

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* The work arrays of an iteration; (re, im) are two numbers of a complex one. */
struct work {
	int nev, ncv, lworkl, iparam[11], ipntr[14], info;
	double *resid, *v, *workd, *workl, *rwork, *workev, *d, *z;
	int *select;
};

static bxt_status make(bxt_arena *arena, const bxt_arnoldi *a, struct work *w)
{
	const size_t each = a->complex ? 2 : 1, n = (size_t)a->n * each;
	/* a pair of a real operator may bring one more */
	w->nev = a->wanted;
	w->ncv = a->n < 2 * a->wanted + 20 ? a->n : 2 * a->wanted + 20;
	const size_t k = (size_t)w->ncv;
	w->lworkl = (int)(3 * k * k + 6 * k);
	w->resid = BXT_NEW(arena, double, n);
	w->v = BXT_NEW(arena, double, n *k);
	w->workd = BXT_NEW(arena, double, 3 * n);
	w->workl = BXT_NEW(arena, double, each *(size_t)w->lworkl);
	w->rwork = BXT_NEW(arena, double, k);
	w->workev = BXT_NEW(arena, double, 6 * k);
	w->d = BXT_NEW(arena, double, 2 * (k + 1));
	w->z = BXT_NEW(arena, double, 1);
	w->select = BXT_NEW(arena, int, k);
	if (!w->resid || !w->v || !w->workd || !w->workl || !w->rwork || !w->workev || !w->d ||
	    !w->z || !w->select)
		return BXT_ERR_MEMORY;
	memcpy(w->resid, a->start, n * sizeof *w->resid);
	w->info = 1;
	w->iparam[0] = 1; /* exact shifts */
	w->iparam[2] = MOST_RESTARTS;
	w->iparam[6] = 1; /* A x = s x */
	return BXT_OK;
}

static bxt_status iterate(const bxt_arnoldi *a, struct work *w)
{
	const size_t each = a->complex ? 2 : 1;
	for (int ido = 0;;) {
		if (a->complex)
			znaupd_(&ido, "I", &a->n, "LM", &w->nev, &a->tolerance, w->resid, &w->ncv,
				w->v, &a->n, w->iparam, w->ipntr, w->workd, w->workl, &w->lworkl,
				w->rwork, &w->info, 1, 2);
		else
			dnaupd_(&ido, "I", &a->n, "LM", &w->nev, &a->tolerance, w->resid, &w->ncv,
				w->v, &a->n, w->iparam, w->ipntr, w->workd, w->workl, &w->lworkl,
				&w->info, 1, 2);
		if (ido != 1 && ido != -1)
			break;
		BXT_TRY(a->apply(a->context, w->workd + each * (size_t)(w->ipntr[0] - 1),
				 w->workd + each * (size_t)(w->ipntr[1] - 1)));
	}
	/* 1: not all converged; 2, 3: no shifts could be applied, as when the start spans an
	 * invariant space */
	return w->info >= 0 ? BXT_OK : BXT_ERR_NEWTON;
}

static bxt_status take_complex(const bxt_arnoldi *a, struct work *w, bxt_arnoldi_found *out)
{
	static const double sigma[2] = {0, 0};
	const int vectors = 1;
	int info = 0;
	const double *ritz = w->workl + 2 * (w->ipntr[5] - 1);
	for (int k = 0; k < w->ncv; k++)
		if (hypot(ritz[2 * k], ritz[2 * k + 1]) > hypot(out->first[0], out->first[1]))
			memcpy(out->first, ritz + 2 * (size_t)k, sizeof out->first);
	if (w->iparam[4] == 0)
		return BXT_OK;
	/* it copies the vectors to z, which may be v itself */
	zneupd_(&vectors, "P", w->select, w->d, w->v, &a->n, sigma, w->workev, "I", &a->n, "LM",
		&w->nev, &a->tolerance, w->resid, &w->ncv, w->v, &a->n, w->iparam, w->ipntr,
		w->workd, w->workl, &w->lworkl, w->rwork, &info, 1, 1, 2);
	if (info != 0)
		return BXT_ERR_NEWTON;
	out->n = w->iparam[4] < a->wanted ? w->iparam[4] : a->wanted;
	out->value = w->d;
	out->basis = w->v;
	return BXT_OK;
}

static bxt_status take_real(bxt_arena *arena, const bxt_arnoldi *a, struct work *w,
			    bxt_arnoldi_found *out)
{
	static const double sigma = 0;
	const int vectors = 0;
	int info = 0;
	if (w->iparam[4] == 0)
		return BXT_OK;
	double *re = w->d, *im = w->d + w->ncv;
	dneupd_(&vectors, "A", w->select, re, im, w->z, &a->n, &sigma, &sigma, w->workev, "I",
		&a->n, "LM", &w->nev, &a->tolerance, w->resid, &w->ncv, w->v, &a->n, w->iparam,
		w->ipntr, w->workd, w->workl, &w->lworkl, &info, 1, 1, 2);
	if (info != 0)
		return BXT_ERR_NEWTON;
	out->n = w->iparam[4] < a->wanted + 1 ? w->iparam[4] : a->wanted + 1;
	if (!(out->value = BXT_NEW(arena, double, 2 * (size_t)out->n)))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < out->n; i++) {
		out->value[2 * i] = re[i];
		out->value[2 * i + 1] = im[i];
	}
	return BXT_OK;
}

bxt_status bxt_arnoldi_find(bxt_arena *arena, const bxt_arnoldi *a, bxt_arnoldi_found *out)
{
	struct work w = {0};
	*out = (bxt_arnoldi_found){0};
	if (a->wanted < 1 || a->n < a->wanted + 3)
		return BXT_ERR_ARGUMENT;
	BXT_TRY(make(arena, a, &w));
	pthread_mutex_lock(&turn);
	bxt_status status = iterate(a, &w);
	if (status == BXT_OK)
		status = a->complex ? take_complex(a, &w, out) : take_real(arena, a, &w, out);
	pthread_mutex_unlock(&turn);
	out->missing = out->n < a->wanted ? a->wanted - out->n : 0;
	return status;
}

#endif
