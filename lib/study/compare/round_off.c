/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the error in a signal that round-off of other signals causes. In a balanced bridge, in a
 * mechanism at rest, or where a force cancels, all signals of a group may be round-off, and none of
 * them shows how large it is. It follows from the other signals of the same unit u, with which they
 * exchange power. With Q, V, P the largest coordinate, flow and momentum of the unit, E the energy
 * exchanged, T the time and h the step, relative errors eps cause the errors
 *
 *     flows        eps Q/h          a step solves for the coordinate at its end
 *     momenta      eps E/V, and eps (Q/h) P/V of the error of flows
 *     efforts      eps P/h          a multiplier is an impulse divided by the step; and eps E/(T V)
 *     powers       eps E/T
 *     coordinates  eps V T
 *
 * Where V P is at most eps^2 E, the unit takes no part in the motion: all its flows and momenta are
 * round-off, and two runs differ by up to the sum of both.
 */
#include "study/compare/round_off.h"

#include "model/component/component.h"

#include <math.h>
#include <string.h>

/* Relative error of one step, and of all steps together. */
static const double OF_STEP = 16 * DBL_EPSILON, OF_RUN = BXT_COMPARE_ROUND_OFF;
/* If two runs of a signal agree to this fraction of its scale, the signal is not noise. */
static const double LIKE_NOISE = 1e-3;

bool bxt_is_like_noise(const bxt_difference *d)
{
	return d->largest > LIKE_NOISE * d->scale;
}

/* The largest coordinate, flow and momentum of a unit. */
struct unit {
	double q, v, p;
};

struct units {
	bxt_map number;
	struct unit *of; /* (n) */
	int n;
};

/* The unit of the coordinates of a port kind. For other signals the quantity is the unit itself. */
static const char *unit_of(const bxt_twin *t)
{
	for (int i = 0; t->group == BXT_SIGNALS_EFFORT && i < bxt_port_kind_count; i++)
		if (strcmp(bxt_port_kinds[i].name, t->quantity) == 0)
			return bxt_port_kinds[i].coordinate_unit[0];
	return t->quantity;
}

static bxt_status gather(struct units *u, const bxt_twin *t, double scale, int *number)
{
	const char *unit = unit_of(t);
	if ((*number = bxt_map_get(&u->number, unit)) < 0)
		BXT_TRY(bxt_map_put(&u->number, unit, *number = u->n++));
	struct unit *of = &u->of[*number];
	double *to = t->group == BXT_SIGNALS_COORDINATE ? &of->q
		     : t->group == BXT_SIGNALS_FLOW     ? &of->v
		     : t->group == BXT_SIGNALS_MOMENTUM ? &of->p
							: NULL;
	if (to && scale > *to)
		*to = scale;
	return BXT_OK;
}

static double divided(double a, double b)
{
	return a > 0 && b > 0 ? a / b : 0;
}

/* Are there flows in the unit larger than the round-off of its coordinates per step? */
static bool moves(const struct unit *u, const bxt_run_scale *run)
{
	return u->v > divided(OF_STEP * u->q, run->step);
}

static double effort_floor(const struct unit *u, const bxt_run_scale *run)
{
	const double of_power = moves(u, run) ? divided(OF_RUN * run->energy, run->time * u->v) : 0;
	return fmax(divided(OF_STEP * u->p, run->step), of_power);
}

static double floor_of(const bxt_twin *t, const struct unit *u, const struct units *all,
		       const bxt_run_scale *run)
{
	const double of_flows = divided(OF_STEP * u->q, run->step);
	const bool idle = u->v * u->p <= OF_RUN * OF_RUN * run->energy;
	double most = 0;
	switch (t->group) {
	case BXT_SIGNALS_FLOW:
		return fmax(of_flows, idle ? 2 * u->v : 0);
	case BXT_SIGNALS_MOMENTUM:
		return fmax(
			fmax(divided(OF_RUN * run->energy, u->v), of_flows * divided(u->p, u->v)),
			idle ? 2 * u->p : 0);
	case BXT_SIGNALS_COORDINATE:
		return fmax(OF_RUN * u->v * run->time,
			    idle && u->q * u->p <= OF_RUN * OF_RUN * run->energy * run->time
				    ? 2 * u->q
				    : 0);
	case BXT_SIGNALS_EFFORT:
		return effort_floor(u, run);
	case BXT_SIGNALS_MULTIPLIER: /* its unit is not known: the largest floor of all units */
		for (int i = 0; i < all->n; i++)
			most = fmax(most, effort_floor(&all->of[i], run));
		return most;
	case BXT_SIGNALS_POWER:
		return divided(OF_RUN * run->energy, run->time);
	case BXT_SIGNALS_OUTPUT: /* it may be a difference of signals */
		for (int i = 0; i < all->n; i++)
			most = fmax(most, OF_STEP * fmax(all->of[i].q, all->of[i].v));
		return most;
	default:
		return 0;
	}
}

bxt_status bxt_round_off_floors(bxt_arena *arena, const bxt_twins *twins,
				const bxt_difference *measured, const bxt_run_scale *run,
				double *floor)
{
	struct units u = {.of = BXT_NEW(arena, struct unit, twins->n)};
	int *number = BXT_NEW(arena, int, twins->n);
	bxt_status status = u.of && number ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t k = 0; k < twins->n && status == BXT_OK; k++)
		status = gather(&u, &twins->twin[k], measured[k].scale, &number[k]);
	for (size_t k = 0; k < twins->n && status == BXT_OK; k++)
		floor[k] = floor_of(&twins->twin[k], &u.of[number[k]], &u, run);
	bxt_map_free(&u.number);
	return status;
}
