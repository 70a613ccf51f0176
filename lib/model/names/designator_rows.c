/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms of designators, for the reference. */
#include "model/names/designator.h"

const bxt_designator_row bxt_designator_rows[] = {
	{BXT_WORD_COORDINATE, "ELEMENT.COORDINATE", "C1.q, loop.L1.q",
	 "A coordinate of an element."},
	{BXT_WORD_COORDINATE, "node(NODE).COORDINATE", "node(a).x",
	 "A coordinate of a node of a shared kind."},
	{BXT_WORD_FLOW, "ELEMENT.FLOW", "L1.i", "A flow of an element, or a signal of it."},
	{BXT_WORD_FLOW, "node(NODE).FLOW", "node(a).v", "A flow of a node of a shared kind."},
	{BXT_WORD_FLOW, "SUBSYSTEM.PORT.FLOW", "store.s.i",
	 "The flow of an exported port, into the subsystem. SUBSYSTEM.PORT.COORDINATE is its "
	 "coordinate."},
	{BXT_WORD_FLOW, "SIGNAL", "plant.speed", "A <signal> of the netlist with an id."},
	{BXT_WORD_MOMENTUM, "ELEMENT.COORDINATE.p", "body.x.p",
	 "The momentum dL/dv of a coordinate, also node(NODE).COORDINATE.p. ELEMENT.p will do "
	 "where "
	 "there is one momentum."},
	{BXT_WORD_CENTRED, "ELEMENT.COORDINATE.pc", "body.x.pc",
	 "Of dirac+ and dirac-: the momentum centred about an impulse."},
	{BXT_WORD_OUTPUT, "ELEMENT.OUTPUT", "T2.level", "An output that the component declares."},
	{BXT_WORD_EFFORT, "node(NODE).EFFORT", "node(loop.a).v",
	 "The effort of a node of a balance kind: a potential, a pressure, a temperature."},
	{BXT_WORD_EFFORT, "ELEMENT.EFFORT", "R1.v, spring.f",
	 "Recorded only: the effort across an element with two ports of one kind. Of balance kinds "
	 "it is the difference of both nodes, of shared kinds the force that its "
	 "first node exerts on it: negative where a spring is pulled."},
	{BXT_WORD_MULTIPLIER, "ELEMENT.CONSTRAINT.lambda", "T.turns.lambda",
	 "The multiplier of a constraint: the force that keeps it."},
	{BXT_WORD_MULTIPLIER, "CONNECTION.lambda", "c1.lambda",
	 "The multiplier of a connection: the shared effort, or the force on the first port. Of "
	 "several rows: c1.1.lambda, c1.2.lambda."},
	{BXT_WORD_IMPULSE, "ID.mu", "c1.mu",
	 "Of dirac+ and dirac-: the impulse of a row in the step that begins here."},
	{BXT_WORD_ENERGY, "energy(PATH)", "energy(loop), energy(C1), energy",
	 "The stored energy of a subsystem or an element; energy alone: of the model."},
	{BXT_WORD_DISSIPATED, "dissipated(PATH)", "dissipated(R1)",
	 "What Rayleigh functions have taken since the start."},
	{BXT_WORD_SUPPLIED, "supplied(PATH)", "supplied(V1)",
	 "What forces, sources and prescribed motion have given since the start; supplied alone: "
	 "of "
	 "the model."},
	{BXT_WORD_POWER, "power(PATH.PORT)", "power(store.s), power(M.p)",
	 "The power into an exported port, or into a port of an element."},
	{BXT_WORD_DRIFT, "drift(FAMILY)", "drift(node), drift(constraint.q)",
	 "How far rows are off: of nodes, of constraints, of connections; with .q the integrated "
	 "rows; drift(position): of position constraints themselves."},
	{BXT_WORD_MAP, "momentum(ID)", "momentum(turn)", "The momentum of a symmetry."},
	{BXT_WORD_NOETHER, "noether(ID)", "noether(turn)",
	 "The residual of the balance of that momentum in the last step."},
	{BXT_WORD_ALL, "PATH.*", "R1.*, node(a).*",
	 "All of these quantities of an element or a node."},
	{.pattern = NULL},
};
