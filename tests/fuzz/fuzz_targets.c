/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

const fuzz_target fuzz_targets[] = {
	{"netlist", fuzz_netlist},       {"step", fuzz_step},           {"rewrite", fuzz_rewrite},
	{"verify", fuzz_verify},         {"table", fuzz_table},         {"matrix", fuzz_matrix},
	{"expression", fuzz_expression}, {"component", fuzz_component}, {"api", fuzz_api},
	{"import", fuzz_import},         {"spice", fuzz_spice},
};
const size_t n_fuzz_targets = sizeof fuzz_targets / sizeof *fuzz_targets;
