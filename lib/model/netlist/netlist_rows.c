/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elements and attributes of the netlist language. */
#include "model/netlist/language.h"

/* clang-format off */
const bxt_element_row bxt_netlist_rows[] = {
	{"netlist", "", "elements",
	 "A model: the root of the file. Elements of components, nodes and subsystems stand in it.",
	 NULL,
	 "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"a discharge\">\n"
	 "  <simulation end=\"5 s\" step=\"0.01 s\"/>\n"
	 "  <resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 kohm\"/>\n"
	 "  <capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 mF\" q=\"5 mC\"/>\n"
	 "  <record>C1.q, R1.i, energy</record>\n"
	 "</netlist>",
	 {{"name", "text", NULL, false, "What the model is, in a line."},
	  {"subject", "text", NULL, false, "Under which heading 'boxtimes examples' shows it, with the first sentence of its <doc> or of its first comment."},
	  {"version", "text", NULL, false, "The version of the model, for its author."}}},

	{"simulation", "netlist", "",
	 "How the model is run. Each attribute is also an option of the command line, which wins. "
	 "That of an included netlist is ignored.",
	 NULL, "<simulation end=\"20 ms\" step=\"10 us\" scheme=\"gauss2\"/>",
	 {
#define CHOICE(member, name, standard, doc) {name, name, standard, false, doc},
#define SETTING(member, type, name, kind, unit, standard, doc) {name, kind, standard, false, doc},
#define OPTION(member, type, name, unit, standard, doc)
#define FIELD(member, type, unit, doc)
#include "model/netlist/setting_rows.h"
	  {"torn", "text", NULL, false, "Has no effect any more."}}},

	{"parameter", "netlist", "text",
	 "A parameter of the file. Expressions of the file use it by its name; whoever includes the "
	 "file gives it as an attribute of <subsystem>. The text says what it is.",
	 NULL, "<parameter name=\"R\" unit=\"ohm\" default=\"1 kohm\">load of a stage</parameter>",
	 {{"name", "name", NULL, true, "Its name, an attribute of the elements that include this file."},
	  {"unit", "unit", "1", false, "The unit of its values."},
	  {"default", "quantity", NULL, false, "Its value when none is given. It may use the parameters above it."}}},

	{"input", "netlist", "text",
	 "A value that the outside gives while the model runs. Expressions of values that may depend "
	 "on the time, and of signals, use it by its name. It is held until it is set again. The "
	 "text says what it is.",
	 NULL, "<input name=\"u\" unit=\"V\" default=\"0 V\">voltage of the supply</input>",
	 {{"name", "name", NULL, true, "Its name; a file that includes this one may give another default as an attribute of that name."},
	  {"unit", "unit", "1", false, "The unit of its values."},
	  {"default", "quantity", NULL, true, "Its value as long as none is set."}}},

	{"table", "netlist", "text",
	 "A column of a CSV file as a function, =speed(t), of every expression of the file. The "
	 "first line of the CSV file names the columns with their units: time [s], speed [rpm].",
	 NULL, "<table name=\"speed\" file=\"drive-cycle.csv\" column=\"speed\"/>",
	 {{"name", "name", NULL, true, "The name of the function."},
	  {"file", "file", NULL, true, "The CSV file."},
	  {"column", "text", "of two columns the other one", false, "The column that has the values."},
	  {"argument", "text", "the first column", false, "The column that increases; two equal rows are a jump."},
	  {"interpolation", "interpolation", "linear", false, "Between rows: straight lines, each row until the next (hold), or monotone cubics."},
	  {"outside", "outside", "hold", false, "Before the first row and after the last: their values (hold), the tangents (extend), or again from the start (periodic)."}}},

	{"subsystem", "netlist subsystem", "elements",
	 "A part of the model with names of its own. Its nodes are joined to others by exported "
	 "ports alone. It has its content in itself, or includes a netlist.",
	 "With href: the parameters of the included netlist, R=\"2 ohm\".",
	 "<subsystem id=\"store\">\n"
	 "  <capacitor id=\"C1\" p=\"b\" n=\"0\" C=\"1 F\" q=\"1 C\"/>\n"
	 "  <port id=\"s\" node=\"b\"/>\n"
	 "</subsystem>",
	 {{"id", "id", NULL, true, "Its name; the first word of paths: store.C1.q."},
	  {"href", "file", NULL, false, "A netlist that stands here, beside this file or below, or in a folder of the library."},
	  {"rule", "rule", "that of the run", false, "The rule of dirac+ and dirac- for what is inside."}}},

	{"node", "netlist subsystem", "",
	 "Declares a node. This is needed for initial values of nodes of shared kinds, and where "
	 "connections alone use a node. Other nodes come into being where a pin names them.",
	 "Of shared kinds: initial values of its coordinates and flows, x=\"1 m\" v=\"2 m/s\", and "
	 "of momenta, x.p=\"1 N.s\" instead of a flow (p alone where the kind has one coordinate).",
	 "<node id=\"a\" kind=\"translational\" x=\"1 m\" v=\"0.5 m/s\"/>",
	 {{"id", "node", NULL, true, "The name of the node."},
	  {"kind", "kind", NULL, true, "The kind of the ports that meet there."},
	  {"nodeset", "quantity", NULL, false, "Of balance kinds: a guess of its effort, which is held while the operating point is sought first, and then let go. It chooses among several points."}}},

	{"port", "netlist subsystem", "",
	 "Exports a node, so that a connection outside can join it. The exported port has a flow and "
	 "an effort of its own.",
	 NULL, "<port id=\"s\" node=\"b\"/>",
	 {{"id", "id", NULL, true, "The name of the port: SUBSYSTEM.PORT outside."},
	  {"node", "node", NULL, true, "The node of this subsystem."}}},

	{"fix", "netlist subsystem", "",
	 "Coordinates that the consistent start may not move.",
	 NULL, "<fix node=\"a\"/>",
	 {{"node", "names", NULL, false, "Nodes of shared kinds, with all their coordinates."},
	  {"of", "names", NULL, false, "Coordinates: ELEMENT.NAME, node(NODE).NAME."}}},

	{"signal", "netlist subsystem", "expression",
	 "An expression in t, coordinates, flows, efforts and outputs of the scope and below. It is "
	 "connected to an input, exported under a name, or both. Without text it is an input that "
	 "the outside connects.",
	 NULL, "<signal to=\"C.y\">node(s).omega</signal>",
	 {{"id", "id", NULL, false, "A name under which it can be read, recorded and connected."},
	  {"to", "name-of", NULL, false, "ELEMENT.SIGNAL, the input that it is for."},
	  {"default", "quantity", NULL, false, "Of an exported input: its value while nothing drives it. The outside may then set it while the model runs."}}},

	{"symmetry", "netlist subsystem", "elements",
	 "A vector field on coordinates. A run keeps the account of its momentum: "
	 "momentum(ID) and noether(ID) can be recorded.",
	 NULL,
	 "<symmetry id=\"shift\">\n"
	 "  <generator on=\"node(a).x\">1</generator>\n"
	 "</symmetry>",
	 {{"id", "id", NULL, true, "Its name."}}},

	{"generator", "symmetry", "expression",
	 "How fast a coordinate moves along the symmetry: an expression in coordinates.",
	 NULL, "<generator on=\"node(a).x\">-node(a).y</generator>",
	 {{"on", "name-of", NULL, true, "The coordinate: ELEMENT.NAME or node(NODE).NAME."}}},

	{"interconnection", "netlist subsystem", "elements",
	 "Joins exported ports. Its rows are the interconnection structure; it neither stores nor "
	 "loses energy.",
	 NULL,
	 "<interconnection>\n"
	 "  <connect id=\"c1\" a=\"loop.s\" b=\"store.s\"/>\n"
	 "</interconnection>",
	 {{"id", "id", NULL, false, "A name for people."}}},

	{"connect", "interconnection", "",
	 "Joins ports of one kind: of balance kinds their flows sum to zero, of shared kinds their "
	 "motions are equal. Give a and b, or ports.",
	 NULL, "<connect id=\"c1\" a=\"loop.s\" b=\"store.s\"/>",
	 {{"id", "id", NULL, false, "Names the multiplier, ID.lambda: the shared effort, or the force on the first port."},
	  {"a", "name-of", NULL, false, "SUBSYSTEM.PORT."},
	  {"b", "name-of", NULL, false, "SUBSYSTEM.PORT."},
	  {"ports", "names", NULL, false, "Any number of ports instead of a and b."}}},

	{"sigma", "interconnection", "expression",
	 "One row: an expression that is linear in the flows of ports, and vanishes.",
	 NULL, "<sigma id=\"t1\">x.s.i - 2*y.s.i</sigma>",
	 {{"id", "id", NULL, false, "Names the multiplier: ID.lambda."},
	  {"units", "choice", NULL, false, "SI: coefficients are in SI units, where flows of different kinds meet."}}},

	{"transformer", "interconnection", "",
	 "An ideal transformer between two ports, which may be of different kinds: flow of a = ratio "
	 "times flow of b, effort of b = -ratio times effort of a.",
	 NULL, "<transformer id=\"T\" a=\"x.s\" b=\"y.s\" ratio=\"2\"/>",
	 {{"id", "id", NULL, false, "Its name."},
	  {"a", "name-of", NULL, true, "SUBSYSTEM.PORT."},
	  {"b", "name-of", NULL, true, "SUBSYSTEM.PORT."},
	  {"ratio", "quantity", NULL, true, "A number with the unit flow of a by flow of b, or =EXPRESSION in coordinates of the ports."}}},

	{"gyrator", "interconnection", "",
	 "An ideal gyrator between two ports: effort of a = -ratio times flow of b, effort of b = "
	 "ratio times flow of a.",
	 NULL, "<gyrator id=\"G\" a=\"x.s\" b=\"y.s\" ratio=\"2 ohm\"/>",
	 {{"id", "id", NULL, false, "Its name."},
	  {"a", "name-of", NULL, true, "SUBSYSTEM.PORT."},
	  {"b", "name-of", NULL, true, "SUBSYSTEM.PORT."},
	  {"ratio", "quantity", NULL, true, "A number with the unit effort of b by flow of a, or =EXPRESSION in coordinates of the ports."}}},

	{"omega", "interconnection", "matrix",
	 "A two-form over flows of ports: their efforts are minus the matrix times the flows. The "
	 "matrix is skew.",
	 NULL, "<omega flows=\"x.s.i y.s.i\">0, 2; -2, 0</omega>",
	 {{"id", "id", NULL, false, "A name for people."},
	  {"flows", "names", NULL, true, "SUBSYSTEM.PORT.FLOW of each row and column."}}},

	{"record", "netlist", "names",
	 "The signals that a run writes, separated by commas. Several lists are joined. That of an "
	 "included netlist is ignored.",
	 NULL, "<record>C1.q, node(a).v, R1.*, energy</record>",
	 {{"id", "id", NULL, false, "A name for people."}}},

	{"doc", "netlist subsystem symmetry", "text",
	 "What the thing that it stands in is, in sentences for people.",
	 NULL, "<doc>A capacitor that discharges through a resistor.</doc>", {{0}}},

	{0},
};

const bxt_element_row bxt_component_use = {
	"COMPONENT", "netlist subsystem", "",
	"An element: a use of a component, by the component's name. Which attributes it has is in the "
	"component's file; 'boxtimes describe COMPONENT' lists them.",
	NULL, "<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 C\"/>",
	{{"id", "id", NULL, true, "Its name in the subsystem."},
	 {"PORT", "node", NULL, true, "For each port of the component: the node that it is at."},
	 {"BINDING", "id", NULL, true, "For each binding: the id of an element of the same subsystem."},
	 {"PARAMETER", "quantity", "the component's default", false, "For each parameter: its value. It is required where the component has no default."},
	 {"COORDINATE", "quantity", "0, soft", false, "Initial value of a coordinate. A written value is held; others may move to where the constraints hold."},
	 {"FLOW", "quantity", "0, soft", false, "Initial value of a flow."},
	 {"EFFORT", "quantity", NULL, false, "Initial effort across a store, in place of its coordinate, as v=\"5 V\" of a capacitor."},
	 {"COORDINATE.p", "quantity", NULL, false, "Initial momentum, in place of the flow."},
	 {"p", "quantity", NULL, false, "The same, where the component has one momentum and nothing else is called p."},
	 {"weight", "number", "1", false, "How many copies that move alike the element stands for, more than 0: the factor of its energy, losses, forces and flows into nodes. Coordinates, rows and outputs are of one copy. Not for states, signals and port-Hamiltonian parts."},
	 {"plugin", "file", "the component's", false, "Of components with a <plugin>: the shared object of this element."}}};
/* clang-format on */
