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

/* As a netlist: read, compiled with the components of $BOXTIMES_PATH. All return 0. */
int fuzz_netlist(const uint8_t *bytes, size_t length);
/* ... stepped with a scheme that the bytes choose; flattened and torn; verified. */
int fuzz_step(const uint8_t *bytes, size_t length);
int fuzz_rewrite(const uint8_t *bytes, size_t length);
int fuzz_verify(const uint8_t *bytes, size_t length);
/* As a component file: read, made into an element type. */
int fuzz_component(const uint8_t *bytes, size_t length);
/* As CSV, as a table of results and as one of a component; as a Matrix Market file. */
int fuzz_table(const uint8_t *bytes, size_t length);
int fuzz_matrix(const uint8_t *bytes, size_t length);
/* As a robot in URDF: imported, written, read. */
int fuzz_import(const uint8_t *bytes, size_t length);
/* The same as a deck of SPICE. */
int fuzz_spice(const uint8_t *bytes, size_t length);
/* As an expression: parsed, differentiated, simplified; its tape gives its value. */
int fuzz_expression(const uint8_t *bytes, size_t length);
/* As a program of calls to the library, fuzz_api.h. */
int fuzz_api(const uint8_t *bytes, size_t length);
/* What they keep between inputs. */
void fuzz_netlist_end(void);
void fuzz_component_end(void);
void fuzz_table_end(void);
void fuzz_api_end(void);

typedef struct fuzz_target {
	const char *name; /* of its folder in the corpus, too */
	int (*run)(const uint8_t *bytes, size_t length);
} fuzz_target;
extern const fuzz_target fuzz_targets[];
extern const size_t n_fuzz_targets;

#endif
