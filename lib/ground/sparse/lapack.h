/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The LAPACK routines in use; not every installation has a C header. Matrices are stored by
 * columns. */
#ifndef BXT_SPARSE_LAPACK_H
#define BXT_SPARSE_LAPACK_H

/* A = P L U in place; *info > 0: that pivot is 0. */
extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
/* b <- A^-1 b, or A^-T b with trans "T", from these factors; trans_length: length of trans. */
extern void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a,
		    const int *lda, const int *ipiv, double *b, const int *ldb, int *info,
		    unsigned long trans_length);
/* b <- A^-1 b, complex; A is overwritten; *info > 0: a pivot is 0. */
extern void zgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
		   const int *ldb, int *info);
/* A = L L^T in place; *info > 0: A is not positive definite. */
extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);

/* Eigenvalues re + i im of A, with eigenvectors on both sides; A is overwritten. Of a pair of
 * complex ones the columns hold real and imaginary parts; jobvl_length, ..: lengths of jobvl, ...
 */
extern void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
		   double *re, double *im, double *vl, const int *ldvl, double *vr, const int *ldvr,
		   double *work, const int *lwork, int *info, unsigned long jobvl_length,
		   unsigned long jobvr_length);

/* Scales A in place by powers of two so that rows and columns have similar norms (job "S"). */
extern void dgebal_(const char *job, const int *n, double *a, const int *lda, int *ilo, int *ihi,
		    double *scale, int *info, unsigned long job_length);
/* A = U S V^T: with jobz "S" the thin U (ldu x min) and V^T (ldvt x n); A is overwritten. lwork -1:
 * work[0] is the size it wants. iwork: 8 min(m, n). */
extern void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda,
		    double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work,
		    const int *lwork, int *iwork, int *info, unsigned long jobz_length);
/* Eigenvalues w, ascending, of a symmetric A by its upper or lower triangle; with jobz "V" its
 * columns become the eigenvectors. lwork as above. */
extern void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
		   double *w, double *work, const int *lwork, int *info, unsigned long jobz_length,
		   unsigned long uplo_length);

/*
 * Eigenvalues (alpha_re + i alpha_im)/beta of the pencil A - s B, which are overwritten, with
 * eigenvectors as dgeev has them. With balanc "B" rows and columns are permuted and scaled before,
 * to matrices of the 1-norms abnrm and bbnrm; with sense "E" rconde are reciprocal conditions of
 * the eigenvalues. iwork: n + 6, not used with that sense; bwork: n.
 */
extern void dggevx_(const char *balanc, const char *jobvl, const char *jobvr, const char *sense,
		    const int *n, double *a, const int *lda, double *b, const int *ldb,
		    double *alpha_re, double *alpha_im, double *beta, double *vl, const int *ldvl,
		    double *vr, const int *ldvr, int *ilo, int *ihi, double *lscale, double *rscale,
		    double *abnrm, double *bbnrm, double *rconde, double *rcondv, double *work,
		    const int *lwork, int *iwork, int *bwork, int *info,
		    unsigned long balanc_length, unsigned long jobvl_length,
		    unsigned long jobvr_length, unsigned long sense_length);

#endif
