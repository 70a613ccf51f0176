/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pool of threads for independent tasks. It is made once; running tasks allocates nothing. Any
 * thread may take any task, so a task must write only its own data; then results are the same for
 * any number of threads.
 */
#ifndef BXT_BASE_THREADS_H
#define BXT_BASE_THREADS_H

#include "base/status.h"

typedef struct bxt_pool bxt_pool;

/* n threads including the caller's; *out is NULL for n <= 1, which needs no pool. */
bxt_status bxt_pool_new(int n, bxt_pool **out);
/* Waits for the threads' end; NULL is allowed. */
bxt_pool *bxt_pool_free(bxt_pool *pool);
/* Runs task(context, i) for i = 0 ... n - 1 and waits for all; NULL pool: one after another. */
void bxt_pool_run(bxt_pool *pool, int n, void (*task)(void *context, int i), void *context);

#endif
