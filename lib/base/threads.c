/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/threads.h"

#include <pthread.h>
#include <stdlib.h>

struct bxt_pool {
	pthread_t *thread; /* (n_started) */
	int n_started;
	pthread_mutex_t mutex;
	pthread_cond_t work, done;
	/* under the mutex */
	unsigned long round; /* number of the call of bxt_pool_run; a change wakes the threads */
	bool end;
	int n, next, left; /* number of tasks, the next one to take, those not finished */
	void (*task)(void *context, int i);
	void *context;
};

/* Takes tasks until there are none; the mutex is held on entry and afterwards. */
static void take_tasks(bxt_pool *p)
{
	while (p->next < p->n) {
		const int i = p->next++;
		void (*const task)(void *, int) = p->task;
		void *const context = p->context;
		pthread_mutex_unlock(&p->mutex);
		task(context, i);
		pthread_mutex_lock(&p->mutex);
		if (--p->left == 0)
			pthread_cond_signal(&p->done);
	}
}

static void *serve(void *pool)
{
	bxt_pool *p = pool;
	unsigned long seen = 0;
	pthread_mutex_lock(&p->mutex);
	for (;;) {
		while (!p->end && p->round == seen)
			pthread_cond_wait(&p->work, &p->mutex);
		if (p->end)
			break;
		seen = p->round;
		take_tasks(p);
	}
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

bxt_status bxt_pool_new(int n, bxt_pool **out)
{
	*out = NULL;
	if (n <= 1)
		return BXT_OK;
	bxt_pool *p = calloc(1, sizeof *p);
	if (!p)
		return BXT_ERR_MEMORY;
	p->thread = calloc((size_t)n, sizeof *p->thread);
	if (!p->thread || pthread_mutex_init(&p->mutex, NULL) != 0) {
		free(p->thread);
		free(p);
		return BXT_ERR_MEMORY;
	}
	pthread_cond_init(&p->work, NULL); /* cannot fail without attributes */
	pthread_cond_init(&p->done, NULL);
	for (; p->n_started < n - 1; p->n_started++)
		if (pthread_create(&p->thread[p->n_started], NULL, serve, p) != 0)
			break;
	if (p->n_started < n - 1) { /* the system gives no more */
		bxt_pool_free(p);
		return BXT_ERR_MEMORY;
	}
	*out = p;
	return BXT_OK;
}

bxt_pool *bxt_pool_free(bxt_pool *p)
{
	if (!p)
		return NULL;
	pthread_mutex_lock(&p->mutex);
	p->end = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->mutex);
	for (int i = 0; i < p->n_started; i++)
		pthread_join(p->thread[i], NULL);
	pthread_cond_destroy(&p->done);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->mutex);
	free(p->thread);
	free(p);
	return NULL;
}

void bxt_pool_run(bxt_pool *p, int n, void (*task)(void *context, int i), void *context)
{
	if (!p || n <= 1) {
		for (int i = 0; i < n; i++)
			task(context, i);
		return;
	}
	pthread_mutex_lock(&p->mutex);
	p->task = task;
	p->context = context;
	p->n = p->left = n;
	p->next = 0;
	p->round++;
	pthread_cond_broadcast(&p->work);
	take_tasks(p);
	while (p->left > 0)
		pthread_cond_wait(&p->done, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
}
