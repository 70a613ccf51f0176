/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/report/summary_members.h"

#include "boxtimes_records.h"
#include "model/netlist/setting_members.h"

#include <string.h>

/* Members that all descriptors have. */
#define MEMBER(of, member, of_type, word, in_unit, text)                                           \
	.size = sizeof(bxt_member), .name = #member, .type = BXT_MEMBER_##of_type,                 \
	.offset = offsetof(of, member), .bytes = sizeof(((of *)NULL)->member), .key = (word),      \
	.unit = (in_unit), .doc = (text)
#define STRUCTURE(word, of)                                                                        \
	{                                                                                          \
		.name = (word), .size = sizeof(of), .members = members_of_##of,                    \
		.n = sizeof members_of_##of / sizeof *members_of_##of                              \
	}

typedef __typeof__(((bxt_summary *)NULL)->seconds) seconds;

/* clang-format off */
static const bxt_member members_of_bxt_ledger_entry[] = {
#define ROW(...) {MEMBER(bxt_ledger_entry, __VA_ARGS__)}
	ROW(size, COUNT, NULL, NULL, "The size of the structure."),
	ROW(kind, TEXT, NULL, NULL, "What the part is: \"total\", \"subsystem\", \"component\", \"port\" or \"connection\"."),
	ROW(path, TEXT, NULL, NULL, "Its path."),
	ROW(start, REAL, "start", "J", "The energy stored at the start."),
	ROW(end, REAL, "end", "J", "The energy stored at the end."),
	ROW(supplied, REAL, "supplied", "J", "Energy supplied by forces, sources and prescribed motion."),
	ROW(dissipated, REAL, "dissipated", "J", "Energy dissipated by Rayleigh functions."),
	ROW(impact, REAL, "impact", "J", "Energy supplied by events: impacts, rows that begin to hold, modes."),
	ROW(through, REAL, "through_ports", "J", "Energy received through ports."),
	ROW(projection, REAL, "projection", "J", "Work of moves along lossless loops beyond the part of sources."),
	ROW(residual, REAL, "residual", "J", "What the balance of all these is off."),
#undef ROW
};

static const bxt_member members_of_bxt_drift_entry[] = {
#define ROW(...) {MEMBER(bxt_drift_entry, __VA_ARGS__)}
	ROW(size, COUNT, NULL, NULL, "The size of the structure."),
	ROW(family, TEXT, NULL, NULL, "The rows: \"node\", \"constraint\", \"connection\"; with \".q\" the integrated rows."),
	ROW(max, REAL, NULL, NULL, "The largest residual of any step."),
	ROW(last, REAL, NULL, NULL, "The largest residual at the end."),
#undef ROW
};

static const bxt_member members_of_bxt_symmetry_entry[] = {
#define ROW(...) {MEMBER(bxt_symmetry_entry, __VA_ARGS__)}
	ROW(size, COUNT, NULL, NULL, "The size of the structure."),
	ROW(path, TEXT, NULL, NULL, "The path of the symmetry."),
	ROW(start, REAL, "start", NULL, "Its momentum at the start."),
	ROW(end, REAL, "end", NULL, "Its momentum at the end."),
	ROW(forces, REAL, "forces", NULL, "Momentum supplied by forces."),
	ROW(constraints, REAL, "constraints", NULL, "Momentum supplied by constraints."),
	ROW(residual, REAL, "residual", NULL, "The largest residual of the balance in any step."),
	ROW(scale, REAL, "scale", NULL, "The largest sum of the sizes of the momentum's terms, the scale of its round-off."),
	ROW(affine, FLAG, "affine", NULL, "Whether the vector field is affine."),
#undef ROW
};

static const bxt_member members_of_bxt_trust_figures[] = {
#define ROW(...) {MEMBER(bxt_trust_figures, __VA_ARGS__)}
	ROW(size, COUNT, NULL, NULL, "The size of the structure."),
	ROW(residual, REAL, "residual", NULL, "The residual of the energy balance, divided by what parts exchanged."),
	ROW(trend, REAL, "trend", NULL, "The difference of the residual's means in both halves of the run, divided by its scatter; NaN: round-off."),
	ROW(samples, LONG, "samples", NULL, "The number of samples of the energy balance."),
	ROW(ringing, REAL, "ringing", NULL, "The largest increment that alternates from step to step, divided by the size of its quantity."),
	{MEMBER(bxt_trust_figures, ringing_of, TEXT, "ringing_of", NULL, "Its quantity; NULL: nothing rings."), .needs = "ringing_of"},
	{MEMBER(bxt_trust_figures, ringing_at, REAL, "ringing_at", "s", "Its time."), .needs = "ringing_of"},
	{MEMBER(bxt_trust_figures, coarse, REAL, "coarse", NULL, "The largest estimated error of a step, divided by the size of its quantity."), .needs = "coarse_of"},
	{MEMBER(bxt_trust_figures, coarse_of, TEXT, "coarse_of", NULL, "Its quantity; NULL: no error was estimated."), .needs = "coarse_of"},
	{MEMBER(bxt_trust_figures, coarse_at, REAL, "coarse_at", "s", "Its time."), .needs = "coarse_of"},
	ROW(notes, LONG, "notes", NULL, "The number of findings that make the result doubtful."),
	ROW(errors, LONG, "errors", NULL, "The number of findings that make the result wrong."),
#undef ROW
};

static const bxt_member members_of_bxt_step_figures[] = {
#define ROW(...) {MEMBER(bxt_step_figures, __VA_ARGS__)}
	ROW(size, COUNT, NULL, NULL, "The size of the structure; 0: the run did not begin."),
	ROW(at_events, LONG, "steps_cut_at_events", NULL, "Steps of a fixed size that were cut at an event of the time."),
	ROW(at_states, LONG, "state_events", NULL, "Events of the state: rows that came to hold or were released, modes, branches."),
	ROW(impacts, LONG, "impacts", NULL, "Events of the state at which flows jumped."),
	ROW(has_numerical, FLAG, NULL, NULL, "Whether numerical was measured, as for Radau schemes."),
	ROW(numerical, REAL, "numerical", "J", "The part of the residual of the energy balance that the scheme itself took or gave."),
	ROW(tolerance, REAL, "tolerance", NULL, "The tolerance; 0: none, and the fields accepted, rejected and limited_by have no meaning."),
	ROW(accepted, LONG, "accepted", NULL, "Steps with an error that the tolerance allows."),
	ROW(rejected, LONG, "rejected", NULL, "Attempts at a step that had too large an error."),
	ROW(smallest, REAL, "smallest", "s", "The smallest step; with a tolerance, and of reversible steps."),
	ROW(largest, REAL, "largest", "s", "The largest step; with a tolerance, and of reversible steps."),
	ROW(limited_by, TEXT, "limited_by", NULL, "The coordinate or momentum that most often had the largest error; NULL: none."),
#undef ROW
};

static const bxt_member members_of_bxt_accuracy[] = {
#define ROW(...) {MEMBER(bxt_accuracy, __VA_ARGS__)}
	ROW(size, COUNT, NULL, NULL, "The size of the structure."),
	ROW(name, TEXT, NULL, NULL, "The signal."),
	ROW(error, REAL, "error", NULL, "Its largest estimated error over the rows, in the unit of the signal."),
	ROW(at, REAL, "at", "s", "The time of that error."),
	ROW(range, REAL, "range", NULL, "The range of the signal's values."),
	ROW(unit, TEXT, "unit", NULL, "The unit of the signal, as in bxt_column."),
#undef ROW
};

static const bxt_member members_of_bxt_column[] = {
#define ROW(...) {MEMBER(bxt_column, __VA_ARGS__)}
	ROW(size, COUNT, NULL, NULL, "The size of the structure."),
	ROW(name, TEXT, NULL, NULL, "The signal."),
	ROW(unit, TEXT, NULL, NULL, "Its unit in SI; \"1\": a number; \"\": not known."),
#undef ROW
};

static const bxt_member members_of_seconds[] = {
#define ROW(...) {MEMBER(seconds, __VA_ARGS__)}
	ROW(compile, REAL, "compile", "s", "Reading and compiling the model, set by the caller."),
	ROW(evaluate, REAL, "evaluate", "s", "Evaluating equations and their derivatives."),
	ROW(factor, REAL, "factor", "s", "Factoring matrices."),
	ROW(solve, REAL, "solve", "s", "Solving with the factors."),
	ROW(monitor, REAL, "monitor", "s", "Keeping the ledger."),
	ROW(total, REAL, "total", "s", "The whole run."),
#undef ROW
};

static const bxt_member members_of_bxt_summary[] = {
#define ROW(...) {MEMBER(bxt_summary, __VA_ARGS__)}
#define PART(member, type, of, key, doc) {MEMBER(bxt_summary, member, type, key, NULL, doc), .structure = (of)}
	ROW(size, COUNT, NULL, NULL, "The size of the structure, set by the run."),
	ROW(scheme, TEXT, "scheme", NULL, "The scheme; NULL: the run did not begin."),
	ROW(solver, TEXT, "solver", NULL, "The linear solver."),
	ROW(solver_reason, TEXT, NULL, NULL, "Why this solver was taken."),
	ROW(t, REAL, NULL, "s", "The time that the run reached."),
	ROW(order, LONG, NULL, NULL, "The order of the scheme, on smooth models."),
	ROW(every, LONG, NULL, NULL, "Steps for each row."),
	ROW(steps, LONG, "steps", NULL, "Steps taken."),
	ROW(step, REAL, "step", "s", "The step; with a tolerance the interval of rows."),
	PART(taken, STRUCTURE, "bxt_step_figures", NULL, "What is known of the steps."),
	ROW(newton_iterations, LONG, "newton_iterations", NULL, "Iterations of Newton's method."),
	ROW(most_iterations, LONG, "most_iterations", NULL, "The most iterations of a step."),
	ROW(factorizations, LONG, "factorizations", NULL, "Factorisations with a new choice of pivots."),
	ROW(refactorizations, LONG, "refactorizations", NULL, "Factorisations with the pivots of an earlier one."),
	ROW(halvings, LONG, "step_halvings", NULL, "Steps that were halved because Newton's method failed."),
	PART(drift, ARRAY, "bxt_drift_entry", "drift", "How far the rows are off, by family."),
	PART(total, STRUCTURE, "bxt_ledger_entry", "energy", "The energy of the whole model."),
	ROW(energy_exact, FLAG, "energy_exact", NULL, "Whether the scheme balances the energy of this model to round-off."),
	ROW(energy_bounded, FLAG, "energy_bounded", NULL, "Whether the error of the energy has no trend."),
	ROW(energy_largest, REAL, NULL, "J", "The largest energy of a part at any time, the scale of the round-off of energies."),
	PART(ledger, ARRAY, "bxt_ledger_entry", "ledger", "The energy of each part."),
	PART(symmetry, ARRAY, "bxt_symmetry_entry", "symmetries", "The account of each symmetry that is declared."),
	PART(trust, STRUCTURE, "bxt_trust_figures", "trust", "How far the result may be trusted."),
	PART(columns, ARRAY, "bxt_column", "recorded", "What was recorded."),
	PART(accuracy, ARRAY, "bxt_accuracy", "accuracy", "Estimated errors of signals, set by the caller; NULL: none."),
	PART(seconds, STRUCTURE, "bxt_summary.seconds", "seconds", "The time that the work took."),
	ROW(trust_seconds, REAL, NULL, "s", "The time that checks of the result took: roots, ringing, coarse steps."),
	ROW(unknowns, INT, "unknowns", NULL, "Unknowns of a step."),
	ROW(coordinates, INT, "coordinates", NULL, "Coordinates of the model."),
	ROW(rows, INT, "rows", NULL, "Rows of the interconnection, each with a multiplier."),
	ROW(references, INT, "references", NULL, "Rows that a reference node takes away."),
	ROW(loops, INT, "loops", NULL, "Lossless loops."),
	ROW(left_out, INT, "left_out", NULL, "Dependent rows that the last step left out."),
	ROW(rank_changes, LONG, "rank_changes", NULL, "Changes of the rank of the constraints."),
	ROW(nonzeros, COUNT, "nonzeros", NULL, "Entries of a step's matrix."),
	ROW(factor_nonzeros, COUNT, "factor_nonzeros", NULL, "Entries of its factors."),
	ROW(system_bytes, COUNT, "bytes", NULL, "The memory of the compiled model."),
	ROW(affine, FLAG, "affine", NULL, "Whether the equations are affine."),
	ROW(rcond, REAL, "rcond", NULL, "An estimate of the reciprocal condition of the step's matrix."),
	ROW(n_ledger, COUNT, NULL, NULL, "The number of parts in the ledger."),
	ROW(n_drift, COUNT, NULL, NULL, "The number of families of rows."),
	ROW(n_symmetry, COUNT, NULL, NULL, "The number of symmetries."),
	ROW(n_accuracy, COUNT, NULL, NULL, "The number of signals with an estimated error."),
	ROW(n_columns, COUNT, NULL, NULL, "The number of signals that were recorded."),
	ROW(memory, POINTER, NULL, NULL, "The owner of all arrays."),
#undef ROW
#undef PART
};
/* clang-format on */

const bxt_structure bxt_structure_summary = STRUCTURE("bxt_summary", bxt_summary);
const bxt_structure bxt_structure_ledger_entry = STRUCTURE("bxt_ledger_entry", bxt_ledger_entry);
const bxt_structure bxt_structure_symmetry_entry =
	STRUCTURE("bxt_symmetry_entry", bxt_symmetry_entry);
const bxt_structure bxt_structure_accuracy = STRUCTURE("bxt_accuracy", bxt_accuracy);
const bxt_structure bxt_structure_seconds = STRUCTURE("bxt_summary.seconds", seconds);
const bxt_structure bxt_structure_step_figures = STRUCTURE("bxt_step_figures", bxt_step_figures);
const bxt_structure bxt_structure_trust_figures = STRUCTURE("bxt_trust_figures", bxt_trust_figures);
static const bxt_structure drift_entry = STRUCTURE("bxt_drift_entry", bxt_drift_entry),
			   column = STRUCTURE("bxt_column", bxt_column);
static const bxt_structure run_def = {"bxt_run_def", sizeof(bxt_run_def), bxt_run_def_members,
				      BXT_RUN_DEF_MEMBERS};

const bxt_structure *const bxt_structures[] = {&run_def,
					       &bxt_structure_summary,
					       &bxt_structure_ledger_entry,
					       &drift_entry,
					       &bxt_structure_symmetry_entry,
					       &bxt_structure_trust_figures,
					       &bxt_structure_step_figures,
					       &bxt_structure_accuracy,
					       &column,
					       &bxt_structure_seconds,
					       NULL};

static const bxt_structure *find_structure(const char *name)
{
	for (size_t i = 0; name && bxt_structures[i]; i++)
		if (strcmp(bxt_structures[i]->name, name) == 0)
			return bxt_structures[i];
	return NULL;
}

/*
 * The tables are in the order of reports, so a member's number is the number of members before it.
 */
const bxt_member *bxt_structure_member(const char *structure, size_t i)
{
	const bxt_structure *s = find_structure(structure);
	for (size_t k = 0; s && k < s->n; k++) {
		size_t before = 0;
		for (size_t j = 0; j < s->n; j++)
			before += s->members[j].offset < s->members[k].offset;
		if (before == i)
			return &s->members[k];
	}
	return NULL;
}

size_t bxt_structure_size(const char *structure)
{
	const bxt_structure *s = find_structure(structure);
	return s ? s->size : 0;
}
