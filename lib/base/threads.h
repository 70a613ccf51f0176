/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pool of threads for tasks that do not know of each other. It is made once; to run
 * tasks allocates nothing. Which thread takes which task is left to chance, so a task must write
 * only what is its own; then results are the same for any number of threads.
 */
#ifndef BXT_BASE_THREADS_H
#define BXT_BASE_THREADS_H

#include "base/status.h"

typedef struct bxt_pool bxt_pool;

/* n threads, the caller's among them; *out is NULL for n <= 1, which needs none. */
bxt_status bxt_pool_new(int n, bxt_pool **out);
/* Waits for the threads' end; NULL is allowed. */
bxt_pool *bxt_pool_free(bxt_pool *pool);
/* task(context, i) for i = 0 ... n - 1, and back when all are done; NULL pool: one after another.
 */
void bxt_pool_run(bxt_pool *pool, int n, void (*task)(void *context, int i), void *context);

#endif
