/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of a model and how it is run, rows of the table in option_rows.c. */
{.name = "step",
 .argument = "H",
 .commands = OF_MODELS,
 .text = "step: seconds, a time with its unit as in the file, an expression: 0.05, \"20 "
	 "us\", "
	 "\"1 min\", =1/48000",
 .accept = accept_step},
	{.name = "end",
	 .argument = "T",
	 .commands = OF_MODELS,
	 .text = "end of the run, in the same forms",
	 .accept = accept_end},
	{.name = "scheme",
	 .argument = "NAME",
	 .commands = OF_MODELS,
	 .text = "gauss1 (default), gauss2, gauss3, radau2, radau3: collocation; dirac+, dirac- of "
		 "the papers; theta: discretisation maps, also on manifolds; lie-midpoint, "
		 "lie-gauss2, lie-gauss3: on rotations; discrete-gradient: energy to round-off; "
		 "moreau: many contacts; rk4, rk2, euler: explicit, unconstrained only",
	 .more = "Gauss collocation has order 2, 4, 6, Radau IIA 3, 5. dirac- steps backward in "
		 "time. theta moves coordinates on a <manifold> along it, without inertia; the Lie "
		 "schemes, of order 2, 4, 6, those on SO3 with inertia; lie-dirac+ and lie-dirac- "
		 "take a rule there. discrete-gradient "
		 "balances energy in every step; the inertia may depend on coordinates, not on "
		 "flows or time. moreau ends no step at an impact. Of the settings that follow, "
		 "one that the scheme makes no use of "
		 "is left out with a warning; with a note where it is written in the netlist and "
		 "the scheme is given here.",
	 .accept = accept_setting},
	{.name = "rule",
	 .argument = "NAME",
	 .commands = OF_MODELS,
	 .text = "of dirac+ and dirac-: midpoint (default), rectangle, ...: see 'boxtimes list "
		 "--settings'",
	 .more = "Those called taylor... shoot along Taylor's polynomial of the motion, of models "
		 "without constraints where every coordinate has inertia.",
	 .accept = accept_setting},
	{.name = "force-rule",
	 .argument = "NAME",
	 .commands = OF_MODELS,
	 .text = "of forces, when they shall have another rule than L",
	 .more = "'A; B' takes f- by rule A and f+ by rule B. "
		 "This is warned of: equivalent Lagrangians and forces then no longer give the "
		 "same motion.",
	 .accept = accept_setting,
	 .complete = "@rule"},
	{.name = "theta",
	 .argument = "X",
	 .commands = OF_MODELS,
	 .text = "of the scheme and the rule theta: 0 to 1 (default 0.5), where in the step",
	 .more = "Forces are taken there, between q_k and q_{k+1}; 0.5 alone is of order 2.",
	 .accept = accept_setting},
	{.name = "gradient",
	 .argument = "NAME",
	 .commands = OF_MODELS,
	 .text = "of discrete-gradient: midpoint (default); increments: of one coordinate after "
		 "the other; increments-symmetric: the mean of either order",
	 .more = "midpoint: divided differences about the middle of the step, order 2. increments: "
		 "coordinates of a component in the order in which it declares them, order 1 where "
		 "an energy couples them; the mean has order 2. Energy balances with each of them.",
	 .accept = accept_setting},
	{.name = "constraint",
	 .argument = "PLACE",
	 .commands = OF_MODELS,
	 .text = "of dirac+, dirac-: A at the midpoint (default) or at the base point q_k",
	 .accept = accept_setting},
	{.name = "start",
	 .argument = "HOW",
	 .commands = OF_MODELS,
	 .text = "plain (default), half-kick (dirac+ with rectangle: second order) or "
		 "operating-point (at rest, with the sources as at t = 0)",
	 .accept = accept_setting},
	{.name = "projection",
	 .argument = "WHEN",
	 .commands = OF_MODELS,
	 .text = "auto (default), on or off: each step of a Gauss scheme ends on the velocity and "
		 "position constraints and with closed lossless loops",
	 .more = "With theta, on projects both ends of each step on what velocity constraints and "
		 "closed ports leave.",
	 .accept = accept_setting},
	{.name = "tolerance",
	 .argument = "X",
	 .commands = OF_MODELS & ~OF_REDUCE,
	 .text = "steps as large as this relative error of each allows, e.g. 1e-6; --step is then "
		 "the interval of rows, and the scheme radau3 unless one is given",
	 .more = "The error is that of one step, measured by the size of each coordinate and "
		 "momentum that anything depends on; --accuracy estimates that of the whole run. "
		 "radau2 and radau3 have an embedded formula, other schemes compare each step with "
		 "two of half its size.",
	 .accept = accept_setting},
	{.name = "absolute",
	 .argument = "LIST",
	 .commands = OF_MODELS,
	 .text = "absolute errors that a step may have beside the tolerance, by unit, e.g. "
		 "'1e-12 C; 1e-9 m'",
	 .more = "Each is for all coordinates and momenta of its dimension.",
	 .accept = accept_setting},
	{.name = "max-step",
	 .argument = "H",
	 .commands = OF_MODELS,
	 .text = "the largest step that a tolerance may make; default: a fiftieth of the run, and "
		 "a tenth of the shortest period of a source",
	 .accept = accept_setting},
	{.name = "min-step",
	 .argument = "H",
	 .commands = OF_MODELS,
	 .text = "the smallest one: a run that needs smaller ones ends with an error",
	 .accept = accept_setting},
	{.name = "newton-tolerance",
	 .argument = "X",
	 .commands = OF_MODELS & ~OF_REDUCE,
	 .text = "Newton's method ends where its next update is below this part of the unknowns, "
		 "e.g. 1e-8; default: at round-off",
	 .more = "The largest unknown of each kind counts: flows, and multipliers. One more update "
		 "with the same factors follows, for rows that depend on positions. Energy then "
		 "balances to about that part, too. Not together with --tolerance.",
	 .accept = accept_setting},
	{.name = "compile",
	 .commands = OF_RUN | OF_COMPARE | OF_SWEEP | OF_SENSITIVITY | OF_STEADY | OF_FIT,
	 .text = "evaluate by C code that the system's compiler makes of the model: the same bits, "
		 "faster for small models",
	 .more = "The code is kept in $XDG_CACHE_HOME/boxtimes, or ~/.cache/boxtimes, and compiled "
		 "again only where the structure of the model changes, not its numbers. It is "
		 "loaded "
		 "into this process. $BOXTIMES_CC names the compiler; 'cc' otherwise.",
	 .accept = accept_setting},
	{.name = "step-control",
	 .argument = "WHICH",
	 .commands = OF_MODELS,
	 .text = "error (default): by the tolerance, if there is one; range: relative to the "
		 "largest values so far; reversible: by a density of steps, so that energies do "
		 "not drift",
	 .more = "Reversible steps are for gauss1, gauss2, gauss3 and theta with 1/2. --step is "
		 "the first one, and rows are where steps end.",
	 .accept = accept_setting},
	{.name = "density",
	 .argument = "EXPRESSION",
	 .commands = OF_MODELS,
	 .text = "of reversible steps: how many there are in a time, in names as in --record; "
		 "default: by forces and motion",
	 .accept = accept_setting},
	{.name = "events",
	 .argument = "WHICH",
	 .commands = OF_MODELS,
	 .text = "rows where a source jumps and a recorded value with it: both (default; two rows "
		 "of one time, before and after), after, none",
	 .more = "Steps end at edges of pulses, corners of ramps and points of tables, wherever "
		 "these lie between grid points.",
	 .accept = accept_setting},
	{.name = "solver",
	 .argument = "NAME",
	 .commands = OF_MODELS,
	 .text = "auto (default), klu, umfpack, ...: see 'boxtimes list --settings'",
	 .accept = accept_setting},
	{.name = "record",
	 .argument = "LIST",
	 .commands = OF_MODELS,
	 .text = "signals: 'C1.q, loop.L1.i, node(a).v, R1.*, c1.lambda, energy, energy(loop), "
		 "dissipated(R1), supplied, power(store.s), drift(node), plant.speed of a <signal "
		 "id>, momentum(ID), noether(ID) of a symmetry'",
	 .more = "R1.v and spring.f are the effort across an element with two ports of one kind. "
		 "node(*).v and *.i are of all that have such. Expressions may have a name: 'gain "
		 "= "
		 "node(b).v/node(a).v'; in them a '-' is a minus. L1.p and node(b).x.p are "
		 "momenta, with .pc those centred about an impulse. Of a "
		 "<symmetry id=ID> momentum(ID) is its momentum map, noether(ID) the residual of "
		 "its balance in the last step.",
	 .accept = accept_setting},
	{.name = "every",
	 .argument = "N",
	 .commands = OF_MODELS,
	 .text = "a row every N steps; the first and the last are always written",
	 .accept = accept_setting},
	{.name = "allow-plugins",
	 .commands = OF_MODELS,
	 .text = "load the plug-ins that the model names: code that runs with your rights",
	 .more = "Components (<plugin file=FILE>) and elements (plugin=FILE) name shared objects "
		 "as controllers. Without this option a model that names one is refused. They must "
		 "lie in the folder of the file that names them, or below.",
	 .accept = accept_setting},
	{.name = "plugin",
	 .argument = "NAME=PATH",
	 .commands = OF_MODELS,
	 .text = "that file is the plug-in of an element, or of all elements of a component; may "
		 "be repeated",
	 .more = "It is taken instead of what the model says, and needs no --allow-plugins.",
	 .accept = accept_pair,
	 TO(plugins)},
	{.name = "plugin-seconds",
	 .argument = "N",
	 .commands = OF_MODELS,
	 .text = "for a plug-in to load, and for each of its steps (default 10)",
	 .more = "What takes longer or crashes ends the run: plug-ins live in a process of their "
		 "own.",
	 .accept = accept_setting},
	{.name = "plugin-in-process",
	 .commands = OF_MODELS,
	 .text = "run plug-ins in this process once they were tried in another: for trusted ones",
	 .more = "That saves some microseconds a sample.",
	 .accept = accept_setting},
