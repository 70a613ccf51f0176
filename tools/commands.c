/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of commands, in the order of the bits of reference.h. */
#include "reference.h"

const command commands[] = {
	{.name = "run",
	 .run = command_run,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [options] [-o OUT.csv] [--json]",
	 .brief = "simulate a netlist and write its signals as CSV",
	 .text = "Simulates a netlist ('-': standard input) and writes CSV to standard output or "
		 "to the FILE of -o: the time, then the signals, with all significant digits. A "
		 "summary of drift, energy and Newton iterations goes to standard error.",
	 .more = "Rows first go to FILE.boxtimes-part beside FILE, which is renamed to FILE at "
		 "the end: a run that is killed leaves an older FILE unchanged, a second run on "
		 "the same FILE is refused, and no file that is read is overwritten. With "
		 "--checkpoint the rows go to FILE itself, so that a killed run finds them "
		 "again.\n\n"
		 "SIGINT, SIGTERM and SIGHUP end a run early: the rows written so far are "
		 "complete and valid, the summary covers the part that was done, and the exit "
		 "status is 4. A second signal ends the program at once.",
	 .example = "boxtimes run netlists/rlc-torn.xml --step 0.01 --record 'store.C1.q, energy'",
	 .complete = "xml"},
	{.name = "check",
	 .run = command_check,
	 .least = 1,
	 .most = (size_t)-1,
	 .arguments = "FILE... [options]",
	 .brief = "check netlists and list every mistake, without running",
	 .text = "Reads and compiles netlists and finds a consistent start, without stepping. All "
		 "findings are printed as file:line: error: text. The exit status is 0 or 3.",
	 .example = "boxtimes check netlists/*.xml",
	 .complete = "xml"},
	{.name = "info",
	 .run = command_info,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [options]",
	 .brief = "show a model's structure: elements, constraints, references, matrix",
	 .text = "Prints the elements, the rows of the Dirac structure, the references, the "
		 "components used, the matrix of a step, and the scheme and the solver with the "
		 "reason for their choice.",
	 .example = "boxtimes info netlists/rlc-torn.xml",
	 .complete = "xml"},
	{.name = "compare",
	 .run = command_compare,
	 .least = 2,
	 .most = 2,
	 .arguments = "A B [options] [--map A=B]... [--tol X] [--plot FILE]",
	 .brief = "run two models and compare their signals, e.g. torn with whole",
	 .text = "Runs both models and compares everything that they have in common: coordinates, "
		 "flows, momenta (of what has inertia), potentials, multipliers, energies, and "
		 "the signals of either <record>; with --record only the signals that it names, "
		 "which may belong to either model. Elements and nodes are paired by full path "
		 "(C1), by their names in the flattened network (store.C1 with C1), then by "
		 "unique suffix; so one model may be torn, or both in different ways. Joined "
		 "nodes count as one node, the multiplier of a connection is the potential of "
		 "that node, and the momentum of a node is the sum over the nodes joined with "
		 "it.\n\n"
		 "A difference is max|a-b| relative to the signal's max|a|, or to max|a| of the "
		 "largest signal of its group and unit times 1024 eps / tolerance, if that is "
		 "larger: round-off of the largest signal never exceeds the tolerance; if both "
		 "are 0 it is max|a-b|. Besides signals, the power that connections lose, by what "
		 "they carry, and the accounts of energy are judged; drift is only shown. The "
		 "exit status is 0, 1 if a difference exceeds --tol, 3 with nothing in common.",
	 .more = "Nodes are paired first by the elements connected to them. The power of a port "
		 "is the sum over the elements at its node, the energy of a subsystem that over "
		 "its elements. Potentials of a part without the reference node are counted from "
		 "the reference of B. The scale of energies is also the largest number in the "
		 "account or p|v at any time; that of angles and lengths the largest of both "
		 "together, times 256 eps / tolerance.\n\n"
		 "The power that connections lose is judged in each model, except for rows whose "
		 "coefficients depend on the state, which hold between grid points, and for "
		 "two-forms with dirac+ and dirac-, which split forces between steps. Accounts of "
		 "energy are judged relative to the largest number in that of A: of elements, and "
		 "of subsystems against their elements in the other model, so that the forces of "
		 "a connection of mechanical ports, which have no counterpart in a whole model, "
		 "are compared with its energies. Rows must be at the same times, except for "
		 "pairs where a value jumps: there the first is compared with the first, and a "
		 "single row with the second. Very large models are compared at fewer times. With "
		 "dirac+ and dirac- the energy of a mass that a connection joins to another part "
		 "is computed from the momentum of its own part, and differs by the order of the "
		 "scheme.",
	 .example = "boxtimes compare netlists/rlc-parallel.xml netlists/rlc-torn.xml --tol 1e-12",
	 .complete = "xml"},
	{.name = "verify",
	 .run = command_verify,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [--against B | --hamilton-jacobi] [options]",
	 .brief = "check a model against the theory, or that two models are one system",
	 .text = "Checks numerically, at the consistent start and at random admissible states "
		 "near it, that D = D^perp for every element, for D_int and for the whole; that "
		 "the tensor product of the elements with D_int, by its definition, is the "
		 "structure of (sum Delta_i) n Sigma_Q; ranks; and of one step its rows, the "
		 "annihilator, the power, the Jacobian. With --against it checks that FILE and B "
		 "are the same system up to tearing; the first failure names the culprit. With "
		 "dirac+ and dirac- notes report whether forces have a discrete Rayleigh "
		 "potential and whether the (-) side has the same constraints; if a step claims "
		 "to be symplectic, whether it is. Notes never fail. The exit status is 0, or 1 "
		 "if a check failed.",
	 .more = "Each check is reported with the figure that was measured. The tensor product is "
		 "compared by principal angles. No row of Sigma_Q may follow from the others, the "
		 "step must know all dependent rows, and the rank must be the same at nearby "
		 "states (otherwise the intersection is not clean). Of one step: A v = b, the "
		 "forces of multipliers annihilate Delta, the power of D and of every "
		 "interconnection, the Jacobian against differences, and that each element's "
		 "block of the matrix has no null vector that no interconnection could determine. "
		 "Gyrators do no power; a <force> that couples two flows both ways and acts on "
		 "neither by itself counts as a gyrator. Of each <symmetry>: that L, and of a "
		 "step L_d, is invariant along it (with Gauss schemes that the balance of a "
		 "quadratic momentum map is exact); whether forces do work along it or change "
		 "under it; and of each two that forces respect that they respect the bracket, "
		 "too, with the symmetries that compose it.\n\n"
		 "The Rayleigh potential of notes is df+/dq0 = -(df-/dq1)^T with df-/dq0 and "
		 "df+/dq1 symmetric; a symplectic step is judged by the distance of J^T Omega J "
		 "from Omega.\n\n"
		 "With --hamilton-jacobi the model is also run to its end with dirac+ and its "
		 "rule, the discrete action S_d is summed, and momenta from positions alone, "
		 "gamma- = -D1 L_d - f- and gamma+ = D2 L_d + f+, the flow on Q x Q, the right "
		 "and left discrete Hamilton-Jacobi equations and the discrete Hamilton equations "
		 "with forces are compared with the run; H_d+ and H_d- by solving the Legendre "
		 "transforms, where that is possible (inertia everywhere, no constraints).\n\n"
		 "With --against elements are matched by their names in the flattened network, "
		 "shared nodes by the elements at them; then components, parameters, the "
		 "distribution on common coordinates, and momenta, forces, rows and energies at "
		 "random states are compared, and where runs start. Rows may have any factor, and "
		 "transformers and gyrators may be elements, interconnections, rows or two-forms: "
		 "what has neither energy nor loss is identified by its Dirac structure. The "
		 "first check that fails names an element, a parameter with both values, a "
		 "connection that has no counterpart, or a port with the opposite sign.",
	 .example = "boxtimes verify netlists/rlc-torn.xml --against netlists/rlc-parallel.xml",
	 .complete = "xml"},
	{.name = "tear",
	 .run = command_tear,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE (--node N | --elements LIST | --parts K | --like TORN) [options]",
	 .brief = "split a netlist into subsystems that are joined at ports",
	 .text = "Splits a netlist without subsystems into several that are joined at ports. "
		 "Nodes that several parts use are in each of them, with the same name and the "
		 "same initial values; the reference is in all. Elements that are bound to each "
		 "other stay together. The torn and the whole model have the same trajectory: see "
		 "'boxtimes compare'.",
	 .more = "A node that several parts use is exported as a port, and a <connect> with the "
		 "name of the node joins these ports. Signals of <record> get their new paths; "
		 "everything else stays as written. The file of -o is written only after success.",
	 .example = "boxtimes tear netlists/rlc-resonator.xml --node a -o torn.xml\n"
		    "boxtimes compare netlists/rlc-resonator.xml torn.xml",
	 .complete = "xml"},
	{.name = "flatten",
	 .run = command_flatten,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [--canonical] [options]",
	 .brief = "merge a torn netlist, or write its canonical form",
	 .text = "Writes the netlist without subsystems that is the same system: included files "
		 "become part of it, and nodes that are joined by <connect> become one node. "
		 "Names stay the same unless two would coincide; these become paths with '_' for "
		 "'.'. Other rows of <interconnection> stay, between ports of the netlist itself. "
		 "A netlist without subsystems gets its canonical form.",
	 .more = "Included files bring their parameters and tables. Signals that no longer exist "
		 "are left out with a warning.",
	 .example = "boxtimes flatten netlists/rlc-torn.xml",
	 .complete = "xml"},
	{.name = "reduce",
	 .run = command_reduce,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [--part SUB] (--modes R | --tolerance E) [options]",
	 .brief = "replace parts of a model by ones with few states",
	 .text = "Replaces subsystems by ones with few states and the same ports, each "
		 "independently: a <port-hamiltonian> element with matrices that are passive "
		 "whatever states are chosen. Prints singular values, the energy that is kept, "
		 "and the differences at the ports between the runs of both models.",
	 .more = "A part must be linear, without sources that depend on time, without signals and "
		 "plug-ins; separate such elements first (boxtimes tear --elements). Without "
		 "--part all subsystems at the top that can be reduced are reduced. If a port "
		 "leads to a store without loss on the way, its flow becomes the input, otherwise "
		 "its effort. Instantaneous responses of ports through losses are kept exactly, "
		 "as states without energy.",
	 .example =
		 "boxtimes tear netlists/spring-damper-chain.xml --elements u --names drive,chain "
		 "-o torn.xml\n"
		 "boxtimes reduce torn.xml --part chain --tolerance 1e-3 -o small.xml",
	 .complete = "xml"},
	{.name = "plot",
	 .run = command_plot,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE.csv [-o OUT.svg|.png|.pdf|.html] [--columns LIST] [options]",
	 .brief = "plot the results of a run as SVG, PNG, PDF, HTML or text",
	 .text = "Plots the results of 'boxtimes run' ('-': standard input) with gnuplot, which "
		 "must be installed: a panel for each unit, or for each quantity (charges, "
		 "currents, energies, ...) if the header has no units.",
	 .more = "Of very many rows the extremes of each interval are drawn. gnuplot never "
		 "executes a name or title from file or command line; in pictures a double quote "
		 "and a backtick appear as an apostrophe.",
	 .example = "boxtimes run netlists/rlc-torn.xml -o torn.csv\n"
		    "boxtimes plot torn.csv --columns 'C1.q, energy' -o torn.svg",
	 .complete = "csv"},
	{.name = "draw",
	 .run = command_draw,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [-o OUT.svg|.png|.pdf|.dot] [options]",
	 .brief = "draw a netlist: elements, nodes, subsystems, connections, signals",
	 .text = "Draws the structure of a netlist with Graphviz' program dot, which must be "
		 "installed. Elements are boxes in the colour of their domain with their main "
		 "value, nodes are points, the fixed node is a triangle or a square at each pin. "
		 "A node with more than six pins is named at each of them instead. Subsystems are "
		 "frames with their ports, connections are yellow, signals are dashed arrows. "
		 "Without -o the text for dot is written.",
	 .more = "A netlist with errors is drawn as far as it can be read; the errors are "
		 "reported, and the exit status is 3. With more than 1000 elements and subsystems "
		 "each subsystem is one box. Pins that control enter from above: bases, gates, "
		 "the controlling sides of controlled sources.",
	 .example = "boxtimes draw netlists/ua741.xml -o ua741.svg",
	 .complete = "xml"},
	{.name = "list",
	 .run = command_list,
	 .least = 0,
	 .most = 1,
	 .arguments = "[WORD] [--names | --settings] [-L DIR]",
	 .brief = "list the components of the library, by domain",
	 .text = "Lists the components of the library by domain, one per line; with WORD those "
		 "that contain it in their name, domain or description.",
	 .more = "Upper and lower case are the same.",
	 .example = "boxtimes list capacitor"},
	{.name = "describe",
	 .run = command_describe,
	 .least = 0,
	 .most = (size_t)-1,
	 .arguments = "COMPONENT... [--format md|man|json] [-L DIR]",
	 .brief = "describe a component: parameters, ports, equations as derived",
	 .text = "Describes components: parameters with units, defaults and ranges, ports, "
		 "coordinates, and the equations as the program derives them: L, R, their "
		 "derivatives, forces, constraints, port flows, equations of motion, energy, and "
		 "facts such as massless and affine.",
	 .example = "boxtimes describe diode",
	 .complete = "@components"},
	{.name = "schema",
	 .run = command_schema,
	 .least = 0,
	 .most = 1,
	 .arguments = "[NETLIST] [-L DIR]",
	 .brief = "write an XML schema of netlists, for completion in editors",
	 .text = "Writes an XML schema (XSD) of netlists to standard output, made from the "
		 "component library and the inline components of NETLIST, so that editors "
		 "complete and explain.",
	 .more = "The schema accepts more than 'boxtimes check', which knows units, ranges and "
		 "references.",
	 .example = "boxtimes schema >boxtimes.xsd\n"
		    "xmllint --noout --schema boxtimes.xsd netlists/rlc-torn.xml",
	 .complete = "xml"},
	{.name = "examples",
	 .run = command_examples,
	 .least = 0,
	 .most = 1,
	 .arguments = "[NAME] [--format md|man|json]",
	 .brief = "list the shipped netlists by subject, or the path of one",
	 .text = "Lists the netlists that come with the program, by subject, each with one "
		 "sentence from its file. With NAME it prints the path of that netlist, for other "
		 "commands.",
	 .example = "boxtimes examples\n"
		    "boxtimes run \"$(boxtimes examples rlc-torn)\" -o torn.csv"},
	{.name = "reference",
	 .run = command_reference,
	 .least = 1,
	 .most = (size_t)-1,
	 .arguments = "CHAPTER... [--format md|man|json]",
	 .brief = "list elements, attributes, functions, signals, settings, units",
	 .text = "Prints chapters of the reference from the tables that the program itself uses: "
		 "netlist and component, the elements and attributes of both languages; functions "
		 "of expressions; signals, the names of quantities; settings of a run; units. "
		 "Further chapters become sections of the first one's page.",
	 .more = "The manual pages boxtimes-netlist(5) and boxtimes-component(5) are printed in "
		 "this way.",
	 .example = "boxtimes reference netlist\n"
		    "boxtimes reference functions --format json",
	 .complete = "=netlist component functions signals settings units structures"},
	{.name = "import",
	 .run = command_import,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [-o OUT.xml] [--flat] [--base fixed|floating] [--close JOINT]...",
	 .brief = "convert a SPICE deck or a URDF robot to a netlist",
	 .text = "Converts a file to a netlist: a circuit in SPICE's input language, or a robot "
		 "in URDF.",
	 .more = "Of a deck, subcircuits become subsystems, parameters are evaluated, .tran gives "
		 "the run, and .print the records. Statements without a counterpart are errors, "
		 "all reported together. Files that the deck includes must lie in its folder or "
		 "below.\nOf a robot, links become nodes and bodies; revolute and continuous "
		 "joints become motor-hinges, prismatic ones rail-sliders, fixed ones welds, "
		 "planar ones plane-joints; a floating link is free. Each moving joint has a "
		 "shaft or a rod, where motors, springs and dampers act. Damping becomes a "
		 "damper, mimic a gear. At the start all joints are at 0. Limits become comments, "
		 "because nothing enforces them; shapes and dry friction are left out with a "
		 "note. Moments of inertia that no body can have are an error that names the "
		 "link. Process xacro files with xacro first.",
	 .example =
		 "boxtimes import filter.cir -o filter.xml\nboxtimes run filter.xml -o filter.csv\n"
		 "boxtimes import arm.urdf -o arm.xml",
	 .complete = "cir urdf"},
	{.name = "sweep",
	 .run = command_sweep,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --set NAME=VALUES... [--measure LIST] [-o OUT.csv]",
	 .brief = "run a model for many parameter values and collect measures",
	 .text = "Runs a netlist for all combinations of the values that --set gives parameters, "
		 "and writes a line of parameters and measures for each. Values are 'FROM : TO : "
		 "NUMBER', 'FROM : TO : log : NUMBER', 'A, B, C', or 'MIDDLE +- 5 %' for random "
		 "numbers (--random). Any other --set changes all cases.",
	 .more = "The first parameter varies slowest. A case that fails has nan for its measures; "
		 "the first failure is reported, and the exit status is 4. Parameters that change "
		 "the structure of a model, such as inertia that vanishes, make a case fail: run "
		 "it alone.",
	 .example = "boxtimes sweep netlists/rlc-series.xml --set 'R1.R=10 ohm : 1 kohm : log : 5' "
		    "--measure 'max(C1.q), rms(L1.i)'",
	 .complete = "xml"},
	{.name = "dc",
	 .run = command_dc,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --set NAME=VALUES... [--record LIST] [-o OUT.csv]",
	 .brief = "find operating points of a model for many parameter values",
	 .text = "Finds the operating point of a netlist, at rest with the sources as at the "
		 "start, for all combinations of the values that --set gives parameters (see "
		 "sweep), and writes a line of parameters and recorded signals for each.",
	 .example = "boxtimes dc netlists/examples/zener.xml --set 'R1.R=100 ohm, 1 kohm' --record "
		    "'node(out).v'",
	 .complete = "xml"},
	{.name = "ac",
	 .run = command_ac,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --from LIST --to LIST (--dec|--oct|--lin) N LOW HIGH [options]",
	 .brief = "compute the response to small sinusoidal signals over frequency",
	 .text = "Linearises a model at its consistent start, which is the operating point if the "
		 "netlist or --start requests it, and writes the transfer functions from inputs "
		 "to outputs as CSV, a row for each frequency. This works for models of every "
		 "domain, not only for circuits.",
	 .more = "Sources and inputs keep their values at the start, and switches their states "
		 "there. A warning reports a start that is no equilibrium. Elements that are "
		 "sampled are refused.",
	 .example =
		 "boxtimes ac netlists/rlc-series.xml --from V1.e --to 'node(b).v, L1.i' --dec 10 "
		 "10 1e5",
	 .complete = "xml"},
	{.name = "linearize",
	 .run = command_linearize,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [--from LIST] [--to LIST] -o FOLDER [options]",
	 .brief = "write the matrices of a model, linearised at its start",
	 .text = "Writes E z' = A z + B u, y = C z + D u with small changes z of coordinates, "
		 "flows and multipliers as Matrix Market files, and the names of z, of the "
		 "equations, of inputs and outputs to names.csv.",
	 .more = "z does not contain coordinates that nothing depends on: charges of resistors "
		 "would be eigenvalues 0. E is singular because algebraic equations contain no "
		 "rate.",
	 .example =
		 "boxtimes linearize netlists/rlc-series.xml --from V1.e --to 'node(b).v' -o rlc",
	 .complete = "xml"},
	{.name = "modes",
	 .run = command_modes,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [--json] [-o FILE] [options]",
	 .brief = "compute eigenvalues of a model at its start: frequencies, damping",
	 .text = "Computes the finite eigenvalues of the model, linearised at its consistent "
		 "start: real and imaginary part, their uncertainty from round-off, frequency, "
		 "damping, and the element with most of the energy. Of a complex pair the one "
		 "with the positive imaginary part is written.",
	 .example = "boxtimes modes netlists/spring-chain.xml",
	 .complete = "xml"},
	{.name = "export",
	 .run = command_export,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [-o OUT.cir] [options]",
	 .brief = "write a netlist as a SPICE deck",
	 .text = "Writes a circuit in SPICE's input language: resistors, inductors, capacitors, "
		 "coupled inductors, sources, linear controlled sources, and the diodes and "
		 "transistors spice-...; subsystems are flattened. Other components are errors, "
		 "all reported together.",
	 .more = "Waveforms are those of SPICE: constants, pulse and pwl of t, and those that "
		 "import makes of SIN, EXP, SFFM and AM. An imported deck is exported as it was.",
	 .example = "boxtimes export netlists/rlc-resonator.xml -o resonator.cir",
	 .complete = "xml"},
	{.name = "sensitivity",
	 .run = command_sensitivity,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --by LIST [-o OUT.csv] [--plot FILE.svg] [options]",
	 .brief = "run a model and differentiate its signals by parameters",
	 .text = "Runs a netlist, and writes its signals and their derivatives by parameters in "
		 "every row: 'd(node(o).v)/d(R1.R) [V/ohm]'. These are the derivatives of the "
		 "computed numbers, including the start.",
	 .more = "Each step computes the derivatives by solves with its own factors. Models that "
		 "are sampled, that switch or have plug-ins are refused, and so are steps by a "
		 "tolerance and parameters that move the times at which sources jump.",
	 .example = "boxtimes sensitivity netlists/rlc-series.xml --by 'R1.R, C1.C' --record C1.q",
	 .complete = "xml"},
	{.name = "steady",
	 .run = command_steady,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --period T | --oscillator [-o OUT.csv] [--json] [options]",
	 .brief = "find a periodic steady state and its Floquet multipliers",
	 .text = "Finds the state to which a period of the sources returns, by Newton's method "
		 "with the derivative of the discrete period, and writes the rows of that period. "
		 "The Floquet multipliers are the factors by which small changes grow in a "
		 "period: the motion is stable if all are smaller than 1.",
	 .more = "Charges and positions that nothing depends on need not return. A conserved "
		 "quantity keeps its value at the start, and its multiplier is 1. Models that "
		 "have no derivatives (see sensitivity) are refused, and so are sources with "
		 "another period. With more than 50 states GMRES finds the steps, and ARPACK the "
		 "largest multipliers.",
	 .example = "boxtimes steady netlists/bridge-rectifier.xml --period '20 ms' --record C1.q",
	 .complete = "xml"},
	{.name = "fit",
	 .run = command_fit,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --to DATA.csv --vary LIST [-o OUT.xml] [--json] [options]",
	 .brief = "fit parameters to measured data",
	 .text = "Varies parameters until the run differs least from the data, by the sum of "
		 "squares, each signal relative to the range of its data. Writes the values with "
		 "their standard errors and the remaining differences, and with -o a netlist with "
		 "the values.",
	 .more = "Steps are those of Levenberg and Marquardt with the derivatives of the run (see "
		 "sensitivity). Parameters that must be positive stay positive. Standard errors "
		 "treat differences as independent noise of one size. Parameters that the data do "
		 "not determine are named.",
	 .example = "boxtimes run netlists/rlc-series.xml --record 'node(b).v' -o data.csv\n"
		    "boxtimes fit netlists/rlc-series.xml --set R1.R=120 --to data.csv --vary R1.R",
	 .complete = "xml"},
};
const size_t n_commands = sizeof commands / sizeof *commands;
