/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of commands, in the order of the bits of reference.h. */
#include "reference.h"

const command commands[] = {
	{.name = "run",
	 .run = command_run,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [options] [-o OUT.csv] [--json]",
	 .brief = "step a netlist and write its signals as CSV",
	 .text = "Steps a netlist ('-': standard input) and writes CSV to standard output or -o "
		 "FILE: time, then the signals, with all digits that count. The account of drift, "
		 "energy and Newton's method goes to standard error.",
	 .more = "Rows go to a file beside FILE, FILE.boxtimes-part, which takes its name at the "
		 "end: a "
		 "run that is killed leaves an older FILE as it was, a second run on it is "
		 "refused, "
		 "and nothing is written over a file that is read. With --checkpoint FILE itself "
		 "is "
		 "written, so that a run that was killed finds its rows again.\n\n"
		 "SIGINT, SIGTERM and SIGHUP end a run early: the rows written are whole and "
		 "valid, the "
		 "account is that of the part that was done, the exit status is 4. A second signal "
		 "ends the program at once.",
	 .example = "boxtimes run netlists/rlc-torn.xml --step 0.01 --record 'store.C1.q, energy'",
	 .complete = "xml"},
	{.name = "check",
	 .run = command_check,
	 .least = 1,
	 .most = (size_t)-1,
	 .arguments = "FILE... [options]",
	 .brief = "report everything that is wrong with netlists, run nothing",
	 .text = "Reads, compiles and finds a consistent start, without stepping. All findings are "
		 "printed as file:line: error: text. Exit status 0 or 3.",
	 .example = "boxtimes check netlists/*.xml",
	 .complete = "xml"},
	{.name = "info",
	 .run = command_info,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [options]",
	 .brief = "what a model is made of: elements, rows, references, matrix",
	 .text = "Elements, rows of the Dirac structure, references, kinds of components, the "
		 "matrix of a step, scheme and solver with the reason for it.",
	 .example = "boxtimes info netlists/rlc-torn.xml",
	 .complete = "xml"},
	{.name = "compare",
	 .run = command_compare,
	 .least = 2,
	 .most = 2,
	 .arguments = "A B [options] [--map A=B]... [--tol X] [--plot FILE]",
	 .brief = "run two models and compare their signals, e.g. torn with whole",
	 .text = "Runs both models and compares all that they have in common: coordinates, flows, "
		 "momenta (of what has inertia), potentials, multipliers, energies, and the "
		 "signals of either <record>; with --record only the signals that it names, which "
		 "may be of either model. Parts are paired by full path (C1), by their names in "
		 "the network put together (store.C1 with C1), then by unique suffix; so one model "
		 "may be torn, or both in different ways. Nodes that are joined are one, the "
		 "multiplier of a connection is the potential of that node, and the momentum of a "
		 "node is the sum over those joined with it.\n\n"
		 "A difference is max|a-b| by the signal's max|a|, or by max|a| of the largest "
		 "signal of its group and unit times 1024 eps / tolerance, where that is more: "
		 "what is round-off of the largest is never beyond the tolerance; where both are 0 "
		 "it is max|a-b| itself. Besides signals the power that connections lose, by what "
		 "they carry, and the accounts of energy are judged; drift is shown only. Exit "
		 "status 0, 1 beyond --tol, 3 with nothing in common.",
	 .more = "Nodes are paired first by the elements at them. The power of a port is the sum "
		 "over the elements at its node, the energy of a subsystem that over its elements. "
		 "Potentials of a part without the reference node are counted from the reference "
		 "of B. The scale of energies is also the largest number in the account or p|v at "
		 "any time; that of angles and lengths the largest of both together, times 256 eps "
		 "/ tolerance.\n\n"
		 "The power that connections lose is judged in each model, but for rows whose "
		 "coefficients depend on the state, which hold between grid points, and for "
		 "two-forms with dirac+ and dirac-, which split forces between steps. Accounts of "
		 "energy are judged by the largest number in that of A: of elements, and of "
		 "subsystems against their elements in the other model, so that the forces of a "
		 "connection of mechanical ports, which have no counterpart in a whole model, are "
		 "held against its energies. Rows must be at the same times, but for pairs "
		 "where a value jumps: there the first is compared with the first, and a single "
		 "row "
		 "with the second. Very large models are compared at fewer. With dirac+ and dirac- "
		 "the energy of a mass that a connection "
		 "joins to another part is read from the momentum of its own part, and differs by "
		 "the order of the scheme.",
	 .example = "boxtimes compare netlists/rlc-parallel.xml netlists/rlc-torn.xml --tol 1e-12",
	 .complete = "xml"},
	{.name = "verify",
	 .run = command_verify,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [--against B | --hamilton-jacobi] [options]",
	 .brief = "check numerically what the theory says; or that two are one system",
	 .text = "Checks numerically, at the consistent start and at random admissible states near "
		 "it, that D = D^perp for every element, for D_int and for the whole; that the "
		 "tensor product of the elements with D_int, by its definition, is the structure "
		 "of (sum Delta_i) n Sigma_Q; ranks; and of one step its rows, the annihilator, "
		 "the power, the Jacobian. With --against: that FILE and B are the same system up "
		 "to tearing; the first failure names the culprit. With dirac+ and dirac- notes "
		 "say whether forces have a discrete Rayleigh potential and whether the (-) side "
		 "has the same constraints; where a step claims to be symplectic, whether it is. "
		 "Notes never fail. Exit status 0, or 1 when a check failed.",
	 .more = "Each check is reported with the figure that was measured. The tensor product is "
		 "compared by principal angles. No row of Sigma_Q may follow from the others, what "
		 "depends must be known to the step, and the rank must be the same near by (else "
		 "the intersection is not clean). Of one step: A v = b, multipliers' forces "
		 "annihilate Delta, the power of D and of every interconnection, the Jacobian "
		 "against differences, and that each element's block of the matrix has nothing "
		 "that no interconnection could determine. Gyrators do no power; a <force> that "
		 "couples two flows both ways and acts on neither by itself is taken for a "
		 "gyrator. Of each <symmetry>: that L, and of a step L_d, is invariant along it "
		 "(with Gauss schemes that the balance of a quadratic momentum map is exact); "
		 "whether forces do work along it or change under it; and of each two that forces "
		 "respect that they respect the bracket, too, with what it is made of.\n\n"
		 "The Rayleigh potential of notes is df+/dq0 = -(df-/dq1)^T with df-/dq0 and "
		 "df+/dq1 symmetric; a symplectic step is judged by how far J^T Omega J is from "
		 "Omega.\n\n"
		 "With --hamilton-jacobi the model is also run to its end with dirac+ and its "
		 "rule, the discrete action S_d is summed, and momenta from positions alone, "
		 "gamma- = -D1 L_d - f- and gamma+ = D2 L_d + f+, the flow on Q x Q, the right and "
		 "left discrete Hamilton-Jacobi equations and the discrete Hamilton equations with "
		 "forces are held against the run; H_d+ and H_d- by solving the Legendre "
		 "transforms, where that can be done (inertia everywhere, no constraints).\n\n"
		 "With --against elements are matched by their names in the network put together, "
		 "shared nodes by the elements at them; then components, parameters, the "
		 "distribution on common coordinates, and momenta, forces, rows and energies at "
		 "random states are compared, and where runs start. Rows may have any factor, and "
		 "transformers and gyrators may be elements, interconnections, rows or two-forms: "
		 "what has neither energy nor loss is told by its Dirac structure. The first check "
		 "that fails names an element, a "
		 "parameter with both values, a connection that has no counterpart, or a port with "
		 "the opposite sign.",
	 .example = "boxtimes verify netlists/rlc-torn.xml --against netlists/rlc-parallel.xml",
	 .complete = "xml"},
	{.name = "tear",
	 .run = command_tear,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE (--node N | --elements LIST | --parts K | --like TORN) [options]",
	 .brief = "cut a netlist into subsystems that are joined at ports",
	 .text = "Cuts a netlist without subsystems into some that are joined at ports. Nodes that "
		 "several parts use are in each of them, by the same name and with the same "
		 "initial values; the reference is in all. Elements that are bound to each other "
		 "stay together. Torn and whole have the same trajectory: see 'boxtimes compare'.",
	 .more = "A node that several parts use is exported as a port, and a <connect> called "
		 "after it joins them. Signals of <record> get their new paths, and all else stays "
		 "as written. The file of -o is written only when all is well.",
	 .example = "boxtimes tear netlists/rlc-resonator.xml --node a -o torn.xml\n"
		    "boxtimes compare netlists/rlc-resonator.xml torn.xml",
	 .complete = "xml"},
	{.name = "flatten",
	 .run = command_flatten,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [--canonical] [options]",
	 .brief = "put a torn netlist together again, or bring one into canonical form",
	 .text = "The netlist without subsystems that is the same system: included files become "
		 "part of it, nodes that are joined by <connect> one node. Names stay unless two "
		 "would meet; then they are paths with '_' for '.'. Other rows of "
		 "<interconnection> stay, between ports of the netlist itself. A netlist without "
		 "subsystems gets its canonical form.",
	 .more = "Included files bring their parameters and tables. Signals that are no more are "
		 "left out with a warning.",
	 .example = "boxtimes flatten netlists/rlc-torn.xml",
	 .complete = "xml"},
	{.name = "reduce",
	 .run = command_reduce,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [--part SUB] (--modes R | --tolerance E) [options]",
	 .brief = "replace parts of a model by ones with few states",
	 .text = "Replaces subsystems by ones with few states and the same ports, each by itself: "
		 "a "
		 "<port-hamiltonian> element with matrices that are passive whatever states are "
		 "chosen. Prints singular values, the energy that is kept, and how far signals at "
		 "the ports differ between the runs of both models.",
	 .more = "A part must be linear, without sources that follow time, signals and plug-ins; "
		 "cut such elements off first (boxtimes tear --elements). Without --part all "
		 "subsystems at the top that can be are reduced. Where a port leads to a store "
		 "without loss on the way its flow becomes the input, else its effort. What ports "
		 "cause at once through losses is kept exactly, as states without energy.",
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
	 .brief = "draw what a run recorded, as SVG, PNG, PDF, HTML or text",
	 .text = "Draws what 'boxtimes run' wrote ('-': standard input) with gnuplot, which must "
		 "be installed: a panel for each unit, or for each quantity (charges, currents, "
		 "energies, ...) where the header has no units.",
	 .more = "Of very many rows the extremes of each stretch are drawn. No name or title from "
		 "file or command line is ever executed by gnuplot; in drawings a double quote and "
		 "a backtick appear as an apostrophe.",
	 .example = "boxtimes run netlists/rlc-torn.xml -o torn.csv\n"
		    "boxtimes plot torn.csv --columns 'C1.q, energy' -o torn.svg",
	 .complete = "csv"},
	{.name = "draw",
	 .run = command_draw,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [-o OUT.svg|.png|.pdf|.dot] [options]",
	 .brief = "draw a netlist: elements, nodes, subsystems, connections, signals",
	 .text = "Draws what a netlist is made of, with Graphviz' program dot, which must be "
		 "installed. Elements are boxes in the colour of their domain with their main "
		 "value, nodes points, the fixed node a triangle or a square at each pin. A node "
		 "with more than six pins is named at each of them instead. Subsystems are frames "
		 "with their ports, connections yellow, signals dashed arrows. Without -o the text "
		 "for dot is written.",
	 .more = "A netlist with errors is drawn as far as it can be read; they are reported, and "
		 "the exit status is 3. With more than 1000 elements and subsystems each subsystem "
		 "is one box. Pins that control enter from above: bases, gates, the sides of "
		 "controlled sources.",
	 .example = "boxtimes draw netlists/ua741.xml -o ua741.svg",
	 .complete = "xml"},
	{.name = "list",
	 .run = command_list,
	 .least = 0,
	 .most = 1,
	 .arguments = "[WORD] [--names | --settings] [-L DIR]",
	 .brief = "the components of the library, by domain",
	 .text = "The components of the library by domain, a line each; with WORD those that have "
		 "it in their name, domain or description.",
	 .more = "Letters' case does not matter.",
	 .example = "boxtimes list capacitor"},
	{.name = "describe",
	 .run = command_describe,
	 .least = 0,
	 .most = (size_t)-1,
	 .arguments = "COMPONENT... [--format md|man|json] [-L DIR]",
	 .brief = "a component: parameters, ports, equations as derived",
	 .text = "What a component is: its parameters with units, defaults and ranges, its ports, "
		 "its coordinates, and its equations as the program derives them: L, R, their "
		 "derivatives, forces, constraints, port flows, equations of motion, energy, and "
		 "facts such as massless and affine.",
	 .example = "boxtimes describe diode",
	 .complete = "@components"},
	{.name = "schema",
	 .run = command_schema,
	 .least = 0,
	 .most = 1,
	 .arguments = "[NETLIST] [-L DIR]",
	 .brief = "an XML schema of netlists, so that editors complete",
	 .text = "An XML schema (XSD) of netlists on standard output, made from the component "
		 "library and the inline components of NETLIST, so that editors complete and "
		 "explain.",
	 .more = "It is looser than 'boxtimes check', which knows units, ranges and references.",
	 .example = "boxtimes schema >boxtimes.xsd\n"
		    "xmllint --noout --schema boxtimes.xsd netlists/rlc-torn.xml",
	 .complete = "xml"},
	{.name = "examples",
	 .run = command_examples,
	 .least = 0,
	 .most = 1,
	 .arguments = "[NAME] [--format md|man|json]",
	 .brief = "the shipped netlists by subject, or the path of one",
	 .text = "Lists the netlists that come with the program, by subject, with a sentence each "
		 "that stands in the file. With NAME prints the path of that one, for other "
		 "commands.",
	 .example = "boxtimes examples\n"
		    "boxtimes run \"$(boxtimes examples rlc-torn)\" -o torn.csv"},
	{.name = "reference",
	 .run = command_reference,
	 .least = 1,
	 .most = (size_t)-1,
	 .arguments = "CHAPTER... [--format md|man|json]",
	 .brief = "elements, attributes, functions, signals, settings, units: what there is",
	 .text = "Prints chapters of the reference from the tables that the program goes by: "
		 "netlist and component, the elements and attributes of both languages; functions "
		 "of expressions; signals, the names of quantities; settings of a run; units. "
		 "Further chapters become sections of the first one's page.",
	 .more = "The manual pages boxtimes-netlist(5) and boxtimes-component(5) are made so.",
	 .example = "boxtimes reference netlist\n"
		    "boxtimes reference functions --format json",
	 .complete = "=netlist component functions signals settings units"},
	{.name = "import",
	 .run = command_import,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [-o OUT.xml] [--flat] [--base fixed|floating] [--close JOINT]...",
	 .brief = "make a netlist of a deck of SPICE or of a robot in URDF",
	 .text = "Makes a netlist of what the file is: a circuit in SPICE's input language, or a "
		 "robot in URDF.",
	 .more = "Of a deck, subcircuits become subsystems, parameters are evaluated, .tran gives "
		 "the run, and .print the records. What has no counterpart is an error; all of "
		 "them "
		 "are told at once. Files that it includes lie in its folder or below.\n"
		 "Of a robot, links become nodes and bodies; revolute and "
		 "continuous joints motor-hinges, prismatic ones rail-sliders, fixed ones welds, "
		 "planar ones plane-joints; a floating link is free. Each moving joint has a "
		 "shaft or a rod, where motors, springs and dampers act. Damping becomes a "
		 "damper, mimic a gear. "
		 "At the start all joints are at 0. Limits become comments, as nothing holds them; "
		 "shapes and dry friction are left out with a note. Moments of inertia that no "
		 "body has are an error that names the link. Files of xacro have to go through "
		 "xacro first.",
	 .example =
		 "boxtimes import filter.cir -o filter.xml\nboxtimes run filter.xml -o filter.csv\n"
		 "boxtimes import arm.urdf -o arm.xml",
	 .complete = "cir urdf"},
	{.name = "sweep",
	 .run = command_sweep,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --set NAME=VALUES... [--measure LIST] [-o OUT.csv]",
	 .brief = "run a model many times, with other parameters, and keep some numbers of each",
	 .text = "Runs a netlist for all combinations of the values that --set gives parameters, "
		 "and writes a line of parameters and measures for each. Values are 'FROM : TO : "
		 "NUMBER', 'FROM : TO : log : NUMBER', 'A, B, C', or 'MIDDLE +- 5 %' for numbers "
		 "that are drawn (--random). Other --set change all cases.",
	 .more = "The first parameter varies slowest. A case that fails has nan for its measures, "
		 "the first of them is told, and the exit status is 4. Parameters that change the "
		 "structure of a model, such as inertia that vanishes, make a case fail: run it by "
		 "itself.",
	 .example = "boxtimes sweep netlists/rlc-series.xml --set 'R1.R=10 ohm : 1 kohm : log : 5' "
		    "--measure 'max(C1.q), rms(L1.i)'",
	 .complete = "xml"},
	{.name = "dc",
	 .run = command_dc,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --set NAME=VALUES... [--record LIST] [-o OUT.csv]",
	 .brief = "operating points of a model with other parameters",
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
	 .brief = "response to small sinusoidal changes over the frequency",
	 .text = "Linearises a model at its consistent start, which is the operating point where "
		 "the netlist or --start says so, and writes the transfer functions from inputs to "
		 "outputs as CSV: a row for each frequency. Models of every domain have them, not "
		 "circuits alone.",
	 .more = "Sources and inputs are held at their values of the start, and switches in the "
		 "states that they have there. A warning says where the start is no equilibrium. "
		 "Elements that are sampled are refused.",
	 .example =
		 "boxtimes ac netlists/rlc-series.xml --from V1.e --to 'node(b).v, L1.i' --dec 10 "
		 "10 1e5",
	 .complete = "xml"},
	{.name = "linearize",
	 .run = command_linearize,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [--from LIST] [--to LIST] -o FOLDER [options]",
	 .brief = "write a model, linearised at its start, as matrices",
	 .text = "Writes E z' = A z + B u, y = C z + D u with small changes z of coordinates, "
		 "flows "
		 "and multipliers as Matrix Market files, and the names of z, of the equations, of "
		 "inputs and outputs to names.csv.",
	 .more = "Coordinates that nothing depends on are left out of z: charges of resistors "
		 "would "
		 "be eigenvalues 0. E is singular where equations have no rate.",
	 .example =
		 "boxtimes linearize netlists/rlc-series.xml --from V1.e --to 'node(b).v' -o rlc",
	 .complete = "xml"},
	{.name = "modes",
	 .run = command_modes,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [--json] [-o FILE] [options]",
	 .brief = "eigenvalues of a model at its start: frequencies, damping",
	 .text = "The finite eigenvalues of the model, linearised at its consistent start: real "
		 "and "
		 "imaginary part, what round-off may change them by, frequency, damping, and the "
		 "element with most of the energy. Of a pair of complex ones that with the "
		 "positive "
		 "imaginary part is written.",
	 .example = "boxtimes modes netlists/spring-chain.xml",
	 .complete = "xml"},
	{.name = "export",
	 .run = command_export,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE [-o OUT.cir] [options]",
	 .brief = "write a netlist as a deck of SPICE",
	 .text = "Writes a circuit in SPICE's input language: resistors, inductors, capacitors, "
		 "coupled inductors, sources, linear controlled sources, and the diodes and "
		 "transistors spice-...; subsystems are dissolved. Other components are errors, "
		 "all told at once.",
	 .more = "Waveforms are those that SPICE has: constants, pulse and pwl of t, and what "
		 "import makes of SIN, EXP, SFFM and AM. What was imported comes back as it was.",
	 .example = "boxtimes export netlists/rlc-resonator.xml -o resonator.cir",
	 .complete = "xml"},
	{.name = "sensitivity",
	 .run = command_sensitivity,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --by LIST [-o OUT.csv] [--plot FILE.svg] [options]",
	 .brief = "run a model, with the derivatives of its signals by parameters",
	 .text = "Runs a netlist, and writes its signals and their derivatives by parameters in "
		 "every row: 'd(node(o).v)/d(R1.R) [V/ohm]'. They are the derivatives of the "
		 "numbers that the run gives, the start included.",
	 .more = "Each step brings the derivatives along by solves with its own factors. Models "
		 "that are sampled, that switch or have plug-ins are refused, and so are steps by "
		 "a tolerance and parameters that move the times at which sources jump.",
	 .example = "boxtimes sensitivity netlists/rlc-series.xml --by 'R1.R, C1.C' --record C1.q",
	 .complete = "xml"},
	{.name = "steady",
	 .run = command_steady,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --period T | --oscillator [-o OUT.csv] [--json] [options]",
	 .brief = "the motion that repeats, with its sources or by itself, and its Floquet "
		  "multipliers",
	 .text = "Finds the state that a period of the sources ends with as it begins, by Newton's "
		 "method with the derivative of the discrete period, and writes the rows of that "
		 "period. The Floquet multipliers tell what becomes of a small change in a "
		 "period: the motion is stable where all are smaller than 1.",
	 .more = "Charges and positions that nothing depends on need not return. Where a quantity "
		 "is conserved, its value at the start stays, and its multiplier is 1. Models that "
		 "have no derivatives (see sensitivity) are refused, and so are sources with "
		 "another period. Of more than 50 states steps are found by GMRES, and the largest "
		 "multipliers by ARPACK.",
	 .example = "boxtimes steady netlists/bridge-rectifier.xml --period '20 ms' --record C1.q",
	 .complete = "xml"},
	{.name = "fit",
	 .run = command_fit,
	 .least = 1,
	 .most = 1,
	 .arguments = "FILE --to DATA.csv --vary LIST [-o OUT.xml] [--json] [options]",
	 .brief = "parameters with which a run is nearest to measured data",
	 .text = "Varies parameters until the run differs least from the data, by the sum of "
		 "squares, each signal relative to the range of its data. Writes the values with "
		 "their standard errors and what is left of the differences, and with -o a "
		 "netlist with the values.",
	 .more = "Steps are those of Levenberg and Marquardt with the derivatives of the run (see "
		 "sensitivity). Parameters that must be positive stay so. Standard errors take "
		 "differences as independent noise of one size. What the data do not determine is "
		 "named.",
	 .example = "boxtimes run netlists/rlc-series.xml --record 'node(b).v' -o data.csv\n"
		    "boxtimes fit netlists/rlc-series.xml --set R1.R=120 --to data.csv --vary R1.R",
	 .complete = "xml"},
};
const size_t n_commands = sizeof commands / sizeof *commands;
