/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of signals: parts of models, and models that contain the same quantity. */
#ifndef BXT_TESTS_SUPPORT_SIGNALS_H
#define BXT_TESTS_SUPPORT_SIGNALS_H

#include "support/harness.h"

#define COMPONENT(name, body)                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='" name "' domain='control'>" body       \
	"</component>"
#define IN COMPONENT("in", "<signal name='y' unit='1'/>")
#define GAIN                                                                                       \
	COMPONENT("gain", "<parameter name='k' unit='1' default='2'/><signal name='y' unit='1'/>"  \
			  "<signal name='u' unit='1'>k*y</signal>")

/*
 * A circuit of two stages, joined by a transformer or at one node, and elements that read all of
 * its quantities.
 */
#define STAGES                                                                                     \
	IN "<subsystem id='x'><current-source id='I' p='0' n='a' I='=sin(4*t)'/>"                  \
	   "<resistor id='R' p='a' n='0' R='2 ohm'/><port id='s' node='a'/></subsystem>"           \
	   "<subsystem id='y'><capacitor id='C' p='b' n='0' C='0.1 F' q='0.02 C'/>"                \
	   "<resistor id='R' p='b' n='0' R='2 ohm'/><port id='s' node='b'/></subsystem>"           \
	   "<in id='A'/><in id='B'/><in id='C'/><in id='D'/>"
#define JOINED_BY_ROWS                                                                             \
	NETLIST(STAGES "<signal to='A.y'>t1.lambda</signal>"                                       \
		       "<signal to='B.y'>power(x.s) + 1 - energy(y)</signal>"                      \
		       "<signal to='C.y'>node(y.b).v</signal><signal to='D.y'>x.s.i</signal>"      \
		       "<interconnection><transformer id='t1' a='x.s' b='y.s' ratio='2'/>"         \
		       "</interconnection>")
#define JOINED_BY_NODE                                                                             \
	NETLIST(STAGES "<interconnection><connect id='c' a='x.s' b='y.s'/></interconnection>"      \
		       "<signal to='A.y'>c.lambda</signal>"                                        \
		       "<signal to='B.y'>node(x.a).v</signal>"                                     \
		       "<signal to='C.y'>node(y.b).v</signal>"                                     \
		       "<signal id='work' to='D.y'>power(y.C.p)*energy(y)</signal>")

/* Parts of many domains, the parameter K and the reader A, for models that must be refused. */
#define CIRCUIT                                                                                    \
	IN GAIN "<voltage-source id='V' p='a' n='0' e='1 V'/><resistor id='R' p='a' n='0' R='1'/>" \
		"<tank id='T' p='w' n='0' A='1 m2'/><flow-source id='W' p='0' n='w' discharge='1 " \
		"m3/s'/>"                                                                          \
		"<mass id='M' a='m' m='1'/><in id='A'/>"

bxt_run_def signals_run(const char *scheme, double step, double end, const char *record);
/*
 * Checks that signal a of the first text equals signal b of the second, to 1e-12, in a run with the
 * definition.
 */
void signals_agree(const char *one, const char *a, const char *two, const char *b, bxt_run_def def);
/* The same in several schemes. */
void signals_agree_everywhere(const char *one, const char *a, const char *two, const char *b);
/* Checks that CIRCUIT with that text is refused, and that a finding contains these words. */
void signals_refuse(const char *text, const char *words);
/* Compiles, and if requested flattens, with each allocation failing in turn. */
void signals_without_memory(const char *xml, bool flat);

/* Reads and compiles; model_free releases the model. */
bxt_status signals_compile(model *m, const char *xml);
#endif
