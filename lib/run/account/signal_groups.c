/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of signals, by what they measure. */
#include "run/account/record.h"

const char *bxt_signal_group_name(bxt_signal_group group)
{
	static const char *const names[BXT_SIGNALS_COUNT] = {
		[BXT_SIGNALS_COORDINATE] = "coordinate",
		[BXT_SIGNALS_FLOW] = "flow",
		[BXT_SIGNALS_MOMENTUM] = "momentum",
		[BXT_SIGNALS_EFFORT] = "effort",
		[BXT_SIGNALS_MULTIPLIER] = "multiplier",
		[BXT_SIGNALS_OUTPUT] = "output",
		[BXT_SIGNALS_ENERGY] = "energy",
		[BXT_SIGNALS_POWER] = "power",
		[BXT_SIGNALS_DRIFT] = "drift"};
	return group >= 0 && group < BXT_SIGNALS_COUNT ? names[group] : "";
}

bxt_signal_group bxt_group_of_designator(const bxt_designator *d)
{
	static const bxt_signal_group groups[] = {
		[BXT_WORD_COORDINATE] = BXT_SIGNALS_COORDINATE,
		[BXT_WORD_FLOW] = BXT_SIGNALS_FLOW,
		[BXT_WORD_MOMENTUM] = BXT_SIGNALS_MOMENTUM,
		[BXT_WORD_CENTRED] = BXT_SIGNALS_MOMENTUM,
		[BXT_WORD_OUTPUT] = BXT_SIGNALS_OUTPUT,
		[BXT_WORD_EFFORT] = BXT_SIGNALS_EFFORT,
		[BXT_WORD_MULTIPLIER] = BXT_SIGNALS_MULTIPLIER,
		[BXT_WORD_IMPULSE] = BXT_SIGNALS_MULTIPLIER,
		[BXT_WORD_ENERGY] = BXT_SIGNALS_ENERGY,
		[BXT_WORD_DISSIPATED] = BXT_SIGNALS_ENERGY,
		[BXT_WORD_SUPPLIED] = BXT_SIGNALS_ENERGY,
		[BXT_WORD_POWER] = BXT_SIGNALS_POWER,
		[BXT_WORD_DRIFT] = BXT_SIGNALS_DRIFT,
		[BXT_WORD_MAP] = BXT_SIGNALS_MOMENTUM,
		[BXT_WORD_NOETHER] = BXT_SIGNALS_DRIFT,
		[BXT_WORD_ALL] = BXT_SIGNALS_OUTPUT,
	};
	/* a signal of the netlist may measure anything */
	return d->owner == BXT_OWNER_SIGNAL ? BXT_SIGNALS_OUTPUT : groups[d->word];
}
