/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of bxt_run_def, each written here alone. This file is included inside of tables; the
 * includer defines what its rows become:
 *
 *     CHOICE(member, name, standard, doc)                 one of the values of bxt_setting_values
 *     SETTING(member, type, name, kind, unit, standard, doc)   any other attribute of <simulation>
 *     OPTION(member, type, name, unit, standard, doc)     the user's, but not in a netlist
 *     FIELD(member, type, unit, doc)                      for programs alone
 *
 * Attributes come in the order in which the reference explains them. `kind` is a bxt_value_type,
 * `type` an ending of bxt_member_type.
 */
/* clang-format off */
SETTING(step, REAL, "step", "quantity", "s", NULL, "The step, a time.")
SETTING(end, REAL, "end", "quantity", "s", NULL, "The end of the run, a time.")
SETTING(every, LONG, "every", "count", NULL, "1", "A row of results every so many steps; the first and the last row are always written.")
CHOICE(scheme, "scheme", "gauss1", "The scheme that makes the steps.")
CHOICE(rule, "rule", "midpoint", "The rule of dirac+ and dirac-, which makes the discrete Lagrangian.")
SETTING(force_rule, TEXT, "force-rule", "text", NULL, "that of L", "The rule of forces, where it differs from that of the Lagrangian; or two, 'rule of f-; rule of f+'.")
SETTING(theta, TEXT, "theta", "number", NULL, "0.5", "Of the scheme and the rule theta: a number from 0 to 1, where in the step forces are taken.")
CHOICE(gradient, "gradient", "midpoint", "The discrete gradient of the scheme discrete-gradient.")
CHOICE(constraint, "constraint", "midpoint", "Of dirac+ and dirac-: where in the step the rows are taken.")
CHOICE(start, "start", "plain", "How the run starts.")
CHOICE(projection, "projection", "auto", "Whether each step of a Gauss scheme ends on the constraints, and one of theta begins there, too.")
SETTING(tolerance, REAL, "tolerance", "number", NULL, NULL, "The relative error that a step may have. Steps are then as large as that allows, and step is the interval of rows.")
SETTING(absolute, TEXT, "absolute", "text", NULL, NULL, "With a tolerance: absolute errors that a step may have beside, by unit, as 1e-12 C; 1e-9 m.")
SETTING(max_step, REAL, "max-step", "quantity", "s", NULL, "With a tolerance: the largest step, a time.")
SETTING(min_step, REAL, "min-step", "quantity", "s", NULL, "With a tolerance: the smallest step, a time.")
CHOICE(step_control, "step-control", "error", "What chooses the size of steps that are not all the same.")
SETTING(density, TEXT, "density", "text", NULL, "by forces and motion", "Of reversible steps: how many there are in a time, an expression in recorded names. The first one is step.")
CHOICE(events, "events", "both", "Rows at edges of sources where a recorded value jumps.")
SETTING(newton_tolerance, REAL, "newton-tolerance", "number", NULL, NULL, "Newton's method ends where its next update is below this part of the unknowns. Without it: at round-off.")
CHOICE(solver, "solver", "auto", "What solves the linear systems.")
OPTION(record, TEXT, "record", NULL, "that of the netlist", "The signals of the rows, a list of names and expressions.")
OPTION(record_also, TEXTS, "record-also", NULL, NULL, "Further signals, by full names of another model; those that this model lacks are left out.")
OPTION(allow_plugins, FLAG, "allow-plugins", NULL, NULL, "Whether plug-ins that the model references are loaded.")
OPTION(plugins, TEXTS, "plugin", NULL, NULL, "NAME=PATH each: the plug-in of an element, or of all elements of a component.")
OPTION(plugin_seconds, INT, "plugin-seconds", "s", "10", "The time limit for loading a plug-in and for each of its steps.")
OPTION(plugins_in_process, FLAG, "plugin-in-process", NULL, NULL, "Whether plug-ins run in the process of the program, once they were tried in another one.")
OPTION(compile, FLAG, "compile", NULL, NULL, "Whether the model is evaluated by machine code, which the system's compiler makes of it.")
FIELD(size, COUNT, NULL, "The size of the structure, set by bxt_default_run_def.")
FIELD(n_record_also, COUNT, NULL, "The number of further signals.")
FIELD(n_plugins, COUNT, NULL, "The number of plug-ins that are named.")
FIELD(progress, FUNCTION, NULL, "Called now and then with the fraction of the run that is done; false ends the run.")
FIELD(progress_context, POINTER, NULL, "The first argument of progress.")
FIELD(save_every, REAL, "s", "The time from one saved state to the next, a multiple of the step.")
FIELD(save, FUNCTION, NULL, "Called with the state at each of these times; NULL: never.")
FIELD(save_context, POINTER, NULL, "The first argument of save.")
FIELD(go_on, FLAG, NULL, "Whether the run continues the rows and the account of a saved state.")
FIELD(refine, REAL, NULL, "A number by which the tolerance and the absolute errors are divided, for a run to compare with; 0: 1.")
/* clang-format on */
#undef CHOICE
#undef SETTING
#undef OPTION
#undef FIELD
