/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elements and attributes of the component language. */
#include "model/netlist/language.h"

/* clang-format off */
const bxt_element_row bxt_component_rows[] = {
	{"component", "", "elements",
	 "A kind of element: ports, parameters, coordinates and the functions that make its "
	 "equations. It is the root of a file NAME.xml, or stands inside a netlist.",
	 NULL,
	 "<component xmlns=\"urn:boxtimes:component:1\" name=\"lossy-inductor\" domain=\"electrical\">\n"
	 "  <doc>An inductor with a series resistance.</doc>\n"
	 "  <parameter name=\"L\" unit=\"H\" positive=\"true\"/>\n"
	 "  <parameter name=\"R\" unit=\"ohm\" default=\"0 ohm\" min=\"0\"/>\n"
	 "  <coordinate name=\"q\" unit=\"C\" flow=\"i\"/>\n"
	 "  <lagrangian>L*i^2/2</lagrangian>\n"
	 "  <rayleigh>R*i^2/2</rayleigh>\n"
	 "  <port name=\"p\" kind=\"electrical\" flow=\"i\"/>\n"
	 "  <port name=\"n\" kind=\"electrical\" flow=\"-i\"/>\n"
	 "</component>",
	 {{"name", "id", NULL, true, "What netlists call it. The file of a library has this name."},
	  {"domain", "text", "other", false, "Under which heading 'boxtimes list' shows it."},
	  {"like", "id", NULL, false, "Another component, whose file is in the same folder. All its parts belong to this one too. A part that is written here replaces the part with its name; without a name, the same element with the same attributes."},
	  {"spice", "text", NULL, false, "Decks of SPICE have it as elements with a model card of this type. Behind the type stand words of which such a card has one, as in \"VDMOS pchan\"."}}},

	{"doc", "component symmetry", "text",
	 "What the thing that it stands in is, in sentences for people.",
	 NULL, "<doc>Linear spring between two nodes.</doc>", {{0}}},

	{"parameter", "component", "text",
	 "A number that each element gives, or an expression. The text says what it is.",
	 NULL, "<parameter name=\"C\" unit=\"F\" default=\"1 uF\" positive=\"true\">capacitance</parameter>",
	 {{"name", "name", NULL, true, "Its name in expressions, and the attribute of elements."},
	  {"unit", "unit", "1", false, "The unit of its values; values in other units of the same dimension are converted."},
	  {"default", "quantity", NULL, false, "Its value where an element gives none. Without a default it must be given."},
	  {"positive", "flag", "false", false, "Whether values must be above zero."},
	  {"min", "quantity", NULL, false, "The least value."},
	  {"max", "quantity", NULL, false, "The largest value."},
	  {"time", "flag", "false", false, "Whether elements may give an expression in the time t."},
	  {"of", "name", NULL, false, "A coordinate or output: then elements give an expression in it, a characteristic or an energy."},
	  {"spice", "text", NULL, false, "Its names in a model card of SPICE, in any case, separated by blanks. The first one is written. Temperatures, in K, are in degrees Celsius there."},
	  {"spice-line", "text", NULL, false, "The same on the line of an element in a deck of SPICE."}}},

	{"spice", "component", "",
	 "How a deck of SPICE writes an element of this component, whose attribute spice is the type of "
	 "its model card. A deck is imported and exported by this element and by the names that "
	 "parameters have.",
	 NULL,
	 "<spice letter=\"D\" nodes=\"p n\" when=\"ISR + IKF\" silent=\"kf af\" warm=\"tm1\" without=\"area=1\"/>",
	 {{"letter", "text", NULL, true, "The first letter of the element's line."},
	  {"nodes", "names", NULL, true, "The ports in the order of that line."},
	  {"when", "expression", NULL, false, "An expression of parameters. Of several components for one type of model card that one is taken whose expression is above 0; else the one without an expression."},
	  {"silent", "text", NULL, false, "Names in a model card that change no result, such as parameters of noise, or that other parameters follow from."},
	  {"warm", "text", NULL, false, "Names in a model card that have no counterpart, and an effect only away from the card's temperature."},
	  {"without", "text", NULL, false, "Names in a model card that have no counterpart, each with the value that has no effect: NAME=VALUE."},
	  {"line", "text", NULL, false, "Names that the element's line may give besides those of parameters, M, TEMP, DTEMP and IC."}}},

	{"require", "component", "expression",
	 "What values of parameters must satisfy together: the expression is at least zero. Else an "
	 "element is refused, with the words of doc.",
	 NULL, "<require doc=\"the inner radius is below the outer one\">ro - ri</require>",
	 {{"doc", "text", NULL, true, "What is required, as it is told: a clause."}}},

	{"let", "component", "expression",
	 "A name for an expression, which the component's other expressions may use: wherever the name "
	 "stands, the expression does.",
	 NULL, "<let name=\"Vt\" unit=\"V\">kq*temp</let>",
	 {{"name", "name", NULL, true, "Its name in expressions."},
	  {"unit", "unit", "what follows from the expression", false, "Its unit, an SI unit. The expression must have it, or be a number in it."}}},

	{"table", "component", "text",
	 "A column of a CSV file beside the component, as a function of its expressions.",
	 NULL, "<table name=\"head\" file=\"pump.csv\" column=\"head\"/>",
	 {{"name", "name", NULL, true, "The name of the function."},
	  {"file", "file", NULL, true, "The CSV file."},
	  {"column", "text", "of two columns the other one", false, "The column that has the values."},
	  {"argument", "text", "the first column", false, "The column that increases; two equal rows are a jump."},
	  {"interpolation", "interpolation", "linear", false, "Between rows: straight lines, each row until the next (hold), or monotone cubics."},
	  {"outside", "outside", "hold", false, "Before the first row and after the last: their values (hold), the tangents (extend), or again from the start (periodic)."}}},

	{"coordinate", "component", "",
	 "A coordinate q of the element, with its flow v = q'.",
	 NULL, "<coordinate name=\"q\" unit=\"C\" flow=\"i\"/>",
	 {{"name", "name", NULL, true, "Its name."},
	  {"unit", "unit", NULL, true, "Its unit, an SI unit; that of the flow is the same per second."},
	  {"flow", "name", NULL, true, "The name of its flow."}}},

	{"port", "component", "",
	 "A place where the element meets others, an attribute of its elements.",
	 NULL, "<port name=\"p\" kind=\"electrical\" flow=\"i\"/>",
	 {{"name", "name", NULL, true, "Its name. Coordinates of the node of a shared port are NAME.COORDINATE."},
	  {"kind", "kind", NULL, true, "What it carries."},
	  {"flow", "expression", NULL, false, "Of balance kinds: the flow into the element, linear in its flows. Shared kinds have none."}}},

	{"binding", "component", "text",
	 "Another element of the same subsystem whose coordinates and flows this one works on, as "
	 "NAME.COORDINATE. The text says what it is.",
	 NULL, "<binding name=\"a\" component=\"inductor\"/>",
	 {{"name", "name", NULL, true, "Its name, and the attribute of elements."},
	  {"component", "names", NULL, true, "The components that the other element may be; they have the coordinates of the first."}}},

	{"lagrangian", "component", "expression",
	 "L(q, v, t): energy of motion less stored energy. Flows that do not occur in it are massless.",
	 NULL, "<lagrangian>L*i^2/2 - q^2/(2*C)</lagrangian>", {{0}}},

	{"rayleigh", "component", "expression",
	 "R(v, q, t): the force of dissipation is -dR/dv, its power v dR/dv.",
	 NULL, "<rayleigh>R*i^2/2</rayleigh>", {{0}}},

	{"force", "component", "expression",
	 "A force on a coordinate. Its power counts as supplied. Laws that do not act back on what "
	 "controls them are forces.",
	 NULL, "<force on=\"q\">-gm*u</force>",
	 {{"on", "name", NULL, true, "The coordinate: its own, PORT.COORDINATE or BINDING.COORDINATE."}}},

	{"momentum", "component", "expression",
	 "A term of the momentum of a coordinate that no Lagrangian has, as the charge of a transistor "
	 "that depends on both of its voltages. Its power counts as supplied. The Lagrangian must not "
	 "give the coordinate a momentum of its own.",
	 NULL, "<momentum on=\"s\">tau*Is*exp(v/Vt)</momentum>",
	 {{"on", "name", NULL, true, "A coordinate of the component itself."}}},

	{"gyrator", "component", "expression",
	 "A pair of forces that do no power together: -k v_b on a, k v_a on b.",
	 NULL, "<gyrator a=\"q\" b=\"shaft.theta\">k</gyrator>",
	 {{"a", "name", NULL, true, "The first coordinate."},
	  {"b", "name", NULL, true, "The second coordinate."}}},

	{"constraint", "component", "expression",
	 "An expression that vanishes. Its multiplier NAME.lambda is the force that keeps it so.",
	 NULL, "<constraint name=\"roll\" kind=\"flow\">a.v - r*axle.omega</constraint>",
	 {{"name", "name", NULL, true, "Names the row and its multiplier."},
	  {"kind", "choice", NULL, true, "flow: affine in flows; position: without flows."},
	  {"side", "choice", NULL, false, "above: the expression may be positive, and the multiplier only pushes (a contact, an ideal diode); below: the reverse."},
	  {"min", "expression", "-infinity", false, "The least multiplier: there the expression may be positive, as in sliding friction."},
	  {"max", "expression", "infinity", false, "The largest multiplier: there the expression may be negative."},
	  {"static", "expression", "min and max", false, "The size of the multiplier up to which the row holds, where that is more than what follows."},
	  {"restitution", "expression", "0", false, "Of a position with a side: the part of the speed that an impact returns, 0 to 1."},
	  {"friction-of", "name", NULL, false, "A constraint whose multiplier, times mu, bounds this one."},
	  {"mu", "expression", NULL, false, "The coefficient of that friction."},
	  {"while", "text", "always", false, "Modes during which the row exists: names, with or without not, joined by and."}}},

	{"mode", "component", "elements",
	 "What a component remembers that switches. It is 1 or 0, and expressions may use its name. "
	 "<on> and <off> say when it changes.",
	 NULL,
	 "<mode name=\"closed\">\n"
	 "  <on when=\"i &gt; 1\"/>\n"
	 "  <off when=\"i &lt; 0.5\"/>\n"
	 "</mode>",
	 {{"name", "name", NULL, true, "Its name."},
	  {"initial", "expression", "0", false, "Its value at the start, an expression of parameters."}}},

	{"on", "mode", "",
	 "When the mode becomes 1: comparisons, joined by and, groups of these by or.",
	 NULL, "<on when=\"i &gt; 1\"/>",
	 {{"when", "expression", NULL, true, "The condition. It may use multipliers, NAME.lambda, and efforts of ports, PORT.v."}}},

	{"off", "mode", "",
	 "When the mode becomes 0.",
	 NULL, "<off when=\"i &lt; 0.5\"/>",
	 {{"when", "expression", NULL, true, "The condition."}}},

	{"event", "component", "elements",
	 "What happens where an expression rises through 0.",
	 NULL,
	 "<event name=\"kick\" when=\"x - a\">\n"
	 "  <impulse on=\"x\">J</impulse>\n"
	 "</event>",
	 {{"name", "name", NULL, true, "Its name. In expressions it is 1 while the expression is positive, else 0."},
	  {"when", "expression", NULL, true, "The expression."}}},

	{"reset", "event", "expression",
	 "Gives a state a new value.",
	 NULL, "<reset of=\"n\">n + 1</reset>",
	 {{"of", "name", NULL, true, "A <state> of the component."}}},

	{"impulse", "event", "expression",
	 "An impulse on a coordinate, which must have mass.",
	 NULL, "<impulse on=\"x\">J</impulse>",
	 {{"on", "name", NULL, true, "The coordinate: its own, PORT.COORDINATE or BINDING.COORDINATE."}}},

	{"placement", "component", "",
	 "Three parameters that are a point or a direction in the frame of a port. Elements may give "
	 "them by an attribute in axes of the ground at the start pose, as at=\"1 0 0.5\" or "
	 "axis=\"0 0 1\".",
	 NULL, "<placement attribute=\"at\" part=\"point\" port=\"a\" parameters=\"ax ay az\"/>",
	 {{"attribute", "name", NULL, true, "Name of the attribute; several placements may share it."},
	  {"part", "choice", NULL, true, "point; or n, the direction itself; or s or t, at right angles to it and to each other."},
	  {"port", "name", NULL, true, "A port with a frame, in whose axes the parameters are."},
	  {"parameters", "names", NULL, true, "The three parameters."}}},

	{"manifold", "component", "",
	 "Coordinates that lie on a manifold. It implies the constraint, and tells the scheme theta "
	 "and the Lie schemes how to move along it.",
	 NULL, "<manifold kind=\"sphere\" coordinates=\"x y z\" retraction=\"exponential\"/>",
	 {{"name", "name", "the kind", false, "Names the rows of the constraint."},
	  {"kind", "choice", NULL, true, "sphere: the unit sphere; SO3: rotations, the coordinates being the columns of the matrix one after another, R11 R21 R31 R12 ... R33."},
	  {"coordinates", "names", NULL, true, "The coordinates of the embedding."},
	  {"retraction", "choice", "the first of the kind", false, "How a step moves. On a sphere: normalised, the chord put back on the sphere; exponential, along great circles. On SO3: cayley, the Cayley map; exponential, at a constant angular velocity."}}},

	{"output", "component", "expression",
	 "A quantity for records and signals, which acts on nothing.",
	 NULL, "<output name=\"level\" unit=\"m\">V/A</output>",
	 {{"name", "name", NULL, true, "Its name: ELEMENT.NAME."},
	  {"unit", "unit", "1", false, "Its unit, an SI unit."},
	  {"doc", "text", NULL, false, "What it is."}}},

	{"port-hamiltonian", "component", "elements",
	 "A part E x' = (J - R) e + B u, E^T e = dH/dx, y = B^T e + D u. It stands beside or in place "
	 "of a Lagrangian.",
	 NULL,
	 "<port-hamiltonian>\n"
	 "  <state name=\"phi\" unit=\"Wb\" rate=\"v\" effort=\"j\"/>\n"
	 "  <hamiltonian>phi^2/(2*L)</hamiltonian>\n"
	 "  <dissipation>r</dissipation>\n"
	 "  <input port=\"p\" return=\"n\">1</input>\n"
	 "</port-hamiltonian>",
	 {{0}}},

	{"state", "port-hamiltonian", "",
	 "A state x of the port-Hamiltonian part, or many of them.",
	 NULL, "<state name=\"x\" unit=\"m\" rate=\"v\" effort=\"f\"/>",
	 {{"name", "name", NULL, true, "Its name."},
	  {"unit", "unit", "1", false, "Its unit, an SI unit."},
	  {"rate", "name", "d_NAME", false, "The name of its rate x'."},
	  {"effort", "name", "e_NAME", false, "The name of its effort e."},
	  {"count", "count", NULL, false, "Makes NAME1 ... NAMEn of it."}}},

	{"hamiltonian", "port-hamiltonian", "expression",
	 "The energy H(x).",
	 NULL, "<hamiltonian>phi^2/(2*L)</hamiltonian>", {{0}}},

	{"structure", "port-hamiltonian", "matrix",
	 "The matrix J, which is skew.",
	 NULL, "<structure>0, 1; -1, 0</structure>",
	 {{"file", "file", NULL, false, "A Matrix Market file instead of the text."}}},

	{"dissipation", "port-hamiltonian", "matrix",
	 "The matrix R, symmetric and positive semidefinite.",
	 NULL, "<dissipation>0, 0; 0, d</dissipation>",
	 {{"file", "file", NULL, false, "A Matrix Market file instead of the text."}}},

	{"descriptor", "port-hamiltonian", "matrix",
	 "The matrix E before x'; without it the unit matrix.",
	 NULL, "<descriptor>1, 0; 0, 0</descriptor>",
	 {{"file", "file", NULL, false, "A Matrix Market file instead of the text."}}},

	{"energy", "port-hamiltonian", "matrix",
	 "The matrix Q of an energy x^T Q x/2, which is added to H.",
	 NULL, "<energy>k, 0; 0, 1/m</energy>",
	 {{"file", "file", NULL, false, "A Matrix Market file instead of the text."}}},

	{"input", "port-hamiltonian", "matrix",
	 "A column of B: how an input enters. The input is the effort or the flow of a port, or a "
	 "signal. Give port or signal.",
	 NULL, "<input port=\"p\" return=\"n\">0; 1</input>",
	 {{"port", "name", NULL, false, "The port; of shared kinds with several coordinates PORT.COORDINATE."},
	  {"return", "name", NULL, false, "Of balance kinds: the port where the flow leaves."},
	  {"takes", "choice", "effort", false, "What the input is: the effort or the flow of the port."},
	  {"signal", "name", NULL, false, "A parameter or a signal instead of a port."},
	  {"file", "file", NULL, false, "A Matrix Market file instead of the text."}}},

	{"feedthrough", "port-hamiltonian", "matrix",
	 "The matrix D from inputs to outputs.",
	 NULL, "<feedthrough>g</feedthrough>",
	 {{"file", "file", NULL, false, "A Matrix Market file instead of the text."}}},

	{"state", "component", "",
	 "A state of a controller. It acts on nothing but through forces and signals that name it. "
	 "It has a <rate>, an <update> or a <plugin>.",
	 NULL, "<state name=\"I\" unit=\"1\"/>",
	 {{"name", "name", NULL, true, "Its name."},
	  {"unit", "unit", NULL, true, "Its unit, an SI unit."},
	  {"flow", "name", "d_NAME", false, "The name of its derivative."}}},

	{"rate", "component", "expression",
	 "The derivative of a state.",
	 NULL, "<rate of=\"I\">Ki*(r - y)</rate>",
	 {{"of", "name", NULL, true, "The state."}}},

	{"update", "component", "expression",
	 "The next value of a state, at each sample.",
	 NULL, "<update of=\"I\">I + Ts*(r - y)</update>",
	 {{"of", "name", NULL, true, "The state."}}},

	{"sample", "component", "",
	 "When updates happen: at multiples of the period, which must be grid points.",
	 NULL, "<sample period=\"Ts\" delay=\"Td\"/>",
	 {{"period", "name", NULL, true, "The parameter that is the period."},
	  {"delay", "name", "0", false, "The parameter that says how much later the new values are in force."}}},

	{"plugin", "component", "",
	 "A shared object that gives states their next values, in place of <update>. It is loaded "
	 "when the user allows it.",
	 NULL, "<plugin file=\"pi.so\" reads=\"r m.omega\" writes=\"u\"/>",
	 {{"file", "file", NULL, false, "The shared object; elements may name another one."},
	  {"reads", "names", NULL, false, "What it gets: coordinates, flows, signals, parameters, t."},
	  {"writes", "names", NULL, true, "The states that it gives values."}}},

	{"signal", "component", "expression",
	 "A signal: with an expression an output, without text an input that a netlist connects.",
	 NULL, "<signal name=\"u\" unit=\"1\">Kp*(r - y) + I</signal>",
	 {{"name", "name", NULL, true, "Its name: ELEMENT.NAME."},
	  {"unit", "unit", NULL, true, "Its unit, an SI unit."}}},

	{"delay", "component", "expression",
	 "A quantity that is what the expression was some time ago, as what leaves a line is what "
	 "entered it. At rest both are the same.",
	 NULL, "<delay name=\"e1\" unit=\"V\" by=\"td\" energy=\"1/(4*z0)\">e2 + 2*z0*i2</delay>",
	 {{"name", "name", NULL, true, "Its name."},
	  {"unit", "unit", NULL, true, "Its unit, an SI unit."},
	  {"by", "name", NULL, true, "The parameter that says by how much it is late, a constant time above 0."},
	  {"before", "expression", "0", false, "Of parameters: the quantity until the first value arrives, unless the run starts at an operating point."},
	  {"energy", "expression", "0", false, "Of parameters: what is under way stores so much, times the square of the quantity, per second."}}},

	{"discrete-lagrangian", "component", "expression",
	 "L_d(q0, q1, h): the discrete Lagrangian of dirac+ and dirac-, in place of what a rule makes. "
	 "Both ends of the step are q@0 and q@1.",
	 NULL, "<discrete-lagrangian>m*(x@1 - x@0)^2/(2*h)</discrete-lagrangian>", {{0}}},

	{"discrete-force", "component", "expression",
	 "A discrete force, an impulse over the step.",
	 NULL, "<discrete-force on=\"x\" at=\"0\">-c*(x@1 - x@0)/2</discrete-force>",
	 {{"on", "name", NULL, true, "The coordinate."},
	  {"at", "choice", NULL, true, "0: f-, at the start of the step; 1: f+, at its end."}}},

	{"symmetry", "component", "elements",
	 "A vector field on coordinates of the element; each element has its account of the "
	 "momentum.",
	 NULL,
	 "<symmetry name=\"turn\">\n"
	 "  <generator on=\"x\">-y</generator> <generator on=\"y\">x</generator>\n"
	 "</symmetry>",
	 {{"name", "name", NULL, true, "Its name: momentum(ELEMENT.NAME)."}}},

	{"generator", "symmetry", "expression",
	 "How fast a coordinate moves along the symmetry: an expression in coordinates.",
	 NULL, "<generator on=\"x\">-y</generator>",
	 {{"on", "name", NULL, true, "The coordinate."}}},

	{0},
};
/* clang-format on */
