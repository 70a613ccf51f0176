/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is fuzzed: any bytes must give a status and findings, no crash, hang or leak. fuzz.sh looks
 * for new inputs with libFuzzer; test_corpus.c replays those that were kept.
 */
#ifndef BXT_TESTS_FUZZ_FUZZ_H
#define BXT_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

enum {
	FUZZ_LARGEST = 8192, /* bytes of an input: longer ones only cost time */
	FUZZ_RENEW = 10000   /* inputs between new unit systems: they remember every unit */
};

/* As a netlist: read, compiled with the components of $BOXTIMES_PATH. Both return 0. */
int fuzz_netlist(const uint8_t *bytes, size_t length);
/* As a component file: read, made into a kind. */
int fuzz_component(const uint8_t *bytes, size_t length);
/* What they keep between inputs. */
void fuzz_netlist_end(void);
void fuzz_component_end(void);

#endif
