/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * States as bytes. A file is
 *
 *     "BXTS", version (u32), mark of the byte order (u64)
 *     blocks: tag (4 bytes), 0 (u32), length (u64), `length` bytes, CRC-64 of tag, length and bytes
 *     the last block, "DONE", has the CRC-64 of all bytes before it
 *
 * Numbers are in the machine's own format; a file with another byte order is refused. The whole
 * file is checked before a state is made: a truncated, damaged or forged file gives a finding.
 */
#include "run/simulation/simulation.h"

#include "ground/base/checksum.h"
#include "model/network/parameters.h"
#include "run/initial/initialize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 2 };
static const uint64_t BYTE_ORDER_MARK = UINT64_C(0x0102030405060708);
/* No run can have more steps or rows than this: larger counts mean a damaged file. */
static const int64_t MOST = (int64_t)1e15;

/* ---- The model ---- */

/* Computes a hash of the names of coordinates, rows and inputs to which a state's numbers
 * belong. */
static bxt_status hash_of(const bxt_system *s, uint64_t *hash)
{
	bxt_buffer name = {0};
	*hash = 0;
	for (int i = 0; i < s->spare; i++) {
		const char *text = bxt_system_x_name(s, i, &name);
		*hash = bxt_checksum(*hash, text, strlen(text) + 1);
	}
	for (int k = 0; k < s->net->n_inputs; k++)
		*hash = bxt_checksum(*hash, s->net->inputs[k].path,
				     strlen(s->net->inputs[k].path) + 1);
	const bool failed = name.failed;
	bxt_buffer_free(&name);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* ---- Values of parameters ---- */

bxt_status bxt_state_values_hash(const bxt_system *s, uint64_t *hash)
{
	bxt_parameter_ref *ref;
	size_t n = 0;
	bxt_arena *arena = bxt_arena_new();
	bxt_status status =
		arena ? bxt_network_parameters(s->net, arena, &ref, &n) : BXT_ERR_MEMORY;
	*hash = 1;
	for (size_t i = 0; i < n && status == BXT_OK; i++) {
		const double value = bxt_parameter_value(s->net, &ref[i]);
		if (!isnan(value)) /* else it follows time */
			*hash = bxt_checksum(*hash, &value, sizeof value);
	}
	bxt_arena_free(arena);
	return status;
}

/* Parameters that were set at run time replace those of the model, which are then not compared. */
static bxt_status values_of(const bxt_state *state, uint64_t *hash)
{
	*hash = 0;
	return state->n_tuned > 0 ? BXT_OK : bxt_state_values_hash(state->system, hash);
}

/* ---- Writing ---- */

static void put(bxt_buffer *out, const void *bytes, size_t n)
{
	if (n > 0)
		bxt_buffer_add(out, bytes, n);
}

static void put_number(bxt_buffer *out, uint64_t n)
{
	put(out, &n, sizeof n);
}

static void put_block(bxt_buffer *out, const char *tag, const bxt_buffer *content)
{
	static const uint32_t zero = 0;
	const size_t first = out->length;
	put(out, tag, 4);
	put(out, &zero, sizeof zero);
	put_number(out, content->length);
	put(out, content->text, content->length);
	if (!out->failed)
		put_number(out, bxt_checksum(0, out->text + first, out->length - first));
	out->failed = out->failed || content->failed;
}

/* Times, counts and flags, in this order in the file. */
typedef struct grid {
	double t, t0, h_grid, h;
	int64_t steps, rows;
	uint64_t kicked, has_account;
} grid;

static void put_grid(bxt_buffer *out, const bxt_state *state)
{
	const grid g = {state->t,     state->t0,   state->h_grid, state->h,
			state->steps, state->rows, state->kicked, state->account != NULL};
	bxt_buffer b = {0};
	put(&b, &g, sizeof g);
	put_block(out, "GRID", &b);
	bxt_buffer_free(&b);
}

static void put_vectors(bxt_buffer *out, const bxt_state *state)
{
	const size_t bytes = (size_t)state->system->size * sizeof *state->q;
	bxt_buffer b = {0};
	put(&b, state->q, bytes);
	put(&b, state->p, bytes);
	put(&b, state->x, bytes);
	put_block(out, "QPVL", &b);
	bxt_buffer_free(&b);
}

static void put_samples(bxt_buffer *out, const bxt_state *state)
{
	bxt_buffer b = {0};
	put_number(&b, (uint64_t)state->n_remembered);
	for (int i = 0; i < state->n_remembered; i++) {
		put_number(&b, state->remembered[i].size);
		put_number(&b, state->remembered[i].lost);
		put(&b, state->remembered[i].bytes, state->remembered[i].size);
	}
	put_number(&b, (uint64_t)state->n_underway);
	for (int i = 0; i < state->n_underway; i++) {
		put_number(&b, state->underway[i].room);
		put_number(&b, (uint64_t)state->underway[i].n);
		put(&b, state->underway[i].value, state->underway[i].room * sizeof(double));
	}
	put_block(out, "SAMP", &b);
	bxt_buffer_free(&b);
}

/* Parameters that were set, by their paths. */
static bxt_status put_tuned(bxt_buffer *out, const bxt_state *state)
{
	bxt_buffer b = {0}, path = {0};
	bxt_parameter_ref *ref;
	size_t n;
	bxt_arena *arena = bxt_arena_new();
	bxt_status status = arena ? bxt_network_parameters(state->system->net, arena, &ref, &n)
				  : BXT_ERR_MEMORY;
	put_number(&b, state->n_tuned);
	for (size_t i = 0; i < state->n_tuned && status == BXT_OK; i++) {
		const char *text =
			bxt_parameter_path(state->system->net, &ref[state->tuned[i].index], &path);
		put_number(&b, strlen(text));
		put(&b, text, strlen(text));
		put(&b, &state->tuned[i].value, sizeof(double));
	}
	put_block(out, "PARA", &b);
	out->failed = out->failed || path.failed;
	bxt_buffer_free(&b);
	bxt_buffer_free(&path);
	bxt_arena_free(arena);
	return status;
}

/* Writes the values under way in delays; models without delays have no such block. */
static void put_history(bxt_buffer *out, const bxt_state *state)
{
	bxt_buffer b = {0};
	if (state->system->net->n_delays == 0)
		return;
	if (state->history)
		bxt_history_write(state->history, &b);
	put_block(out, "DLAY", &b);
	bxt_buffer_free(&b);
}

static size_t input_bytes(const bxt_system *s)
{
	return (size_t)s->net->n_inputs * BXT_INPUT_NUMBERS * sizeof(double);
}

static bxt_status write_state(const bxt_state *state, bxt_buffer *out)
{
	static const uint32_t version = FORMAT;
	const char *scheme = state->scheme ? state->scheme->name : "";
	bxt_buffer b = {0};
	uint64_t hash, values;
	BXT_TRY(hash_of(state->system, &hash));
	BXT_TRY(values_of(state, &values));
	put(out, "BXTS", 4);
	put(out, &version, sizeof version);
	put_number(out, BYTE_ORDER_MARK);
	put_number(&b, hash);
	put_number(&b, (uint64_t)state->system->size);
	put_number(&b, values);
	put_block(out, "MODL", &b);
	bxt_buffer_clear(&b);
	put(&b, scheme, strlen(scheme));
	put_block(out, "SCHM", &b);
	put_grid(out, state);
	put_vectors(out, state);
	put_samples(out, state);
	put_history(out, state);
	bxt_buffer_clear(&b);
	put(&b, state->inputs, state->inputs ? input_bytes(state->system) : 0);
	put_block(out, "INPT", &b);
	bxt_buffer_clear(&b);
	put(&b, state->switches, state->switches ? (size_t)state->system->net->n_switches : 0);
	put_block(out, "SWCH", &b);
	bxt_buffer_clear(&b);
	const bxt_status tuned = put_tuned(out, state);
	put(&b, state->account, state->account_size);
	put_block(out, "ACCT", &b);
	bxt_buffer_clear(&b);
	if (!out->failed)
		put_number(&b, bxt_checksum(0, out->text, out->length));
	put_block(out, "DONE", &b);
	bxt_buffer_free(&b);
	return out->failed ? BXT_ERR_MEMORY : tuned;
}

bxt_status bxt_state_to_memory(const bxt_state *state, void **bytes, size_t *length)
{
	bxt_buffer out = {0};
	BXT_NEEDS(NULL, bytes);
	*bytes = NULL;
	BXT_NEEDS(NULL, length);
	*length = 0;
	BXT_NEEDS(NULL, state);
	const bxt_status status = write_state(state, &out);
	if (status == BXT_OK) {
		*bytes = out.text;
		*length = out.length;
	} else {
		bxt_buffer_free(&out);
	}
	return status;
}

/* ---- Reading ---- */

/* The unread bytes of a file or of a block. */
typedef struct bytes {
	const unsigned char *at;
	size_t n;
} bytes;

/* Takes n bytes; NULL: there are fewer. */
static const unsigned char *take(bytes *from, size_t n)
{
	const unsigned char *at = from->at;
	if (from->n < n)
		return NULL;
	from->at += n;
	from->n -= n;
	return at;
}

static bool take_number(bytes *from, uint64_t *n)
{
	const unsigned char *at = take(from, sizeof *n);
	if (at)
		memcpy(n, at, sizeof *n);
	return at != NULL;
}

typedef struct reader {
	const bxt_system *s;
	const char *name;
	bxt_diagnostics *d;
	bytes all, left;
} reader;

static bxt_status refuse(const reader *r, const char *why)
{
	bxt_error(r->d, (bxt_place){r->name, 0}, "%s", why);
	return BXT_ERR_MODEL;
}

static const char CUT[] = "the state is cut off: it was not written to its end",
		  DAMAGED[] = "the state is damaged: a checksum does not match its bytes";

/* Reads the next block, which must have that tag, and compares its checksum. */
static bxt_status next_block(reader *r, const char *tag, bytes *content)
{
	const bytes before = r->left;
	const unsigned char *head = take(&r->left, 8);
	uint64_t n, crc;
	if (!head || !take_number(&r->left, &n) || n > r->left.n)
		return refuse(r, CUT);
	*content = (bytes){take(&r->left, (size_t)n), (size_t)n};
	if (!take_number(&r->left, &crc))
		return refuse(r, CUT);
	if (memcmp(head, tag, 4) != 0 || crc != bxt_checksum(0, before.at, (size_t)n + 16))
		return refuse(r, DAMAGED);
	return BXT_OK;
}

static bxt_status check_head(reader *r)
{
	const unsigned char *head = take(&r->left, 8);
	uint32_t version;
	uint64_t mark;
	if (!head || memcmp(head, "BXTS", 4) != 0)
		return refuse(r, "this is no saved state: it does not begin with \"BXTS\"");
	memcpy(&version, head + 4, sizeof version);
	if (!take_number(&r->left, &mark))
		return refuse(r, CUT);
	if (mark != BYTE_ORDER_MARK)
		return refuse(r, "the state was saved by a machine with another order of bytes");
	if (version != FORMAT) {
		bxt_error(r->d, (bxt_place){r->name, 0},
			  "the state has version %lu of the format, and this library reads %d",
			  (unsigned long)version, (int)FORMAT);
		return BXT_ERR_MODEL;
	}
	return BXT_OK;
}

static bxt_status check_model(reader *r, bxt_state *state)
{
	uint64_t hash, found, size;
	bytes b;
	BXT_TRY(next_block(r, "MODL", &b));
	BXT_TRY(hash_of(r->s, &hash));
	if (!take_number(&b, &found) || !take_number(&b, &size) ||
	    !take_number(&b, &state->values) || b.n > 0)
		return refuse(r, DAMAGED);
	if (size != (uint64_t)r->s->size || found != hash)
		return refuse(r, "the state is one of another model: its coordinates and rows have "
				 "other names");
	return BXT_OK;
}

static bxt_status read_scheme(reader *r, bxt_state *state)
{
	bytes b;
	BXT_TRY(next_block(r, "SCHM", &b));
	for (int i = 0; bxt_schemes[i]; i++)
		if (strlen(bxt_schemes[i]->name) == b.n &&
		    memcmp(bxt_schemes[i]->name, b.at, b.n) == 0)
			state->scheme = bxt_schemes[i];
	return state->scheme || b.n == 0 ? BXT_OK
					 : refuse(r, "the state is one of an unknown scheme");
}

static bxt_status read_grid(reader *r, bxt_state *state, bool *has_account)
{
	bytes b;
	grid g;
	BXT_TRY(next_block(r, "GRID", &b));
	if (b.n != sizeof g)
		return refuse(r, DAMAGED);
	memcpy(&g, b.at, sizeof g);
	if (!isfinite(g.t) || !isfinite(g.t0) || !isfinite(g.h_grid) || !isfinite(g.h) ||
	    g.steps < 0 || g.steps > MOST || g.rows < 0 || g.rows > MOST)
		return refuse(r, "the state has times or counts that no run has");
	state->t = g.t;
	state->t0 = g.t0;
	state->h_grid = g.h_grid;
	state->h = g.h;
	state->steps = (long)g.steps;
	state->rows = (long)g.rows;
	state->kicked = g.kicked != 0;
	*has_account = g.has_account != 0;
	return BXT_OK;
}

static bxt_status read_vectors(reader *r, bxt_state *state)
{
	double *const to[] = {state->q, state->p, state->x};
	const size_t n = (size_t)r->s->size, size = n * sizeof(double);
	bytes b;
	BXT_TRY(next_block(r, "QPVL", &b));
	if (b.n != 3 * size)
		return refuse(r, DAMAGED);
	for (int k = 0; k < 3; k++) {
		memcpy(to[k], take(&b, size), size);
		for (size_t i = 0; i < n; i++)
			if (!isfinite(to[k][i]))
				return refuse(r, "the state has values that are not finite");
	}
	return BXT_OK;
}

/* Reads a number of entries of at least `size` bytes each; refuses more than the block can hold. */
static bool take_count(bytes *b, size_t size, int *n)
{
	uint64_t count;
	if (!take_number(b, &count) || count > b->n / size)
		return false;
	*n = (int)count;
	return true;
}

static bxt_status read_remembered(reader *r, bytes *b, bxt_state *state)
{
	int n;
	if (!take_count(b, 16, &n))
		return refuse(r, DAMAGED);
	if (n > 0 && !(state->remembered = calloc((size_t)n, sizeof *state->remembered)))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++) {
		uint64_t size, lost;
		bxt_remembered *to = &state->remembered[state->n_remembered++];
		if (!take_number(b, &size) || !take_number(b, &lost) || size > b->n)
			return refuse(r, DAMAGED);
		if (size > 0 && !(to->bytes = malloc((size_t)size)))
			return BXT_ERR_MEMORY;
		if (size > 0)
			memcpy(to->bytes, take(b, (size_t)size), (size_t)size);
		to->size = (size_t)size;
		to->lost = lost != 0;
	}
	return BXT_OK;
}

static bxt_status read_underway(reader *r, bytes *b, bxt_state *state)
{
	int n;
	if (!take_count(b, 16, &n))
		return refuse(r, DAMAGED);
	if (n > 0 && !(state->underway = calloc((size_t)n, sizeof *state->underway)))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++) {
		uint64_t room, count;
		bxt_underway *to = &state->underway[state->n_underway++];
		if (!take_number(b, &room) || !take_number(b, &count) ||
		    room > b->n / sizeof(double) || count > room + 1)
			return refuse(r, DAMAGED);
		if (!(to->value = malloc((size_t)(room + 1) * sizeof *to->value)))
			return BXT_ERR_MEMORY;
		if (room > 0)
			memcpy(to->value, take(b, (size_t)room * sizeof *to->value),
			       (size_t)room * sizeof *to->value);
		to->room = (size_t)room;
		to->n = (int)count;
	}
	return b->n > 0 ? refuse(r, DAMAGED) : BXT_OK;
}

static bxt_status read_samples(reader *r, bxt_state *state)
{
	bytes b;
	BXT_TRY(next_block(r, "SAMP", &b));
	BXT_TRY(read_remembered(r, &b, state));
	return read_underway(r, &b, state);
}

static bxt_status read_history(reader *r, bxt_state *state)
{
	bytes b;
	if (r->s->net->n_delays == 0)
		return BXT_OK;
	BXT_TRY(next_block(r, "DLAY", &b));
	if (!(state->history = bxt_history_read(r->s, b.at, b.n)))
		return refuse(r, DAMAGED);
	return BXT_OK;
}

static bxt_status read_inputs(reader *r, bxt_state *state)
{
	bytes b;
	BXT_TRY(next_block(r, "INPT", &b));
	if (b.n != 0 && b.n != input_bytes(r->s))
		return refuse(r, DAMAGED);
	if (b.n > 0 && !(state->inputs = malloc(b.n)))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < b.n / sizeof(double); i++) {
		memcpy(&state->inputs[i], b.at + i * sizeof(double), sizeof(double));
		if (!isfinite(state->inputs[i]))
			return refuse(r, "the state has inputs that are not finite");
	}
	return BXT_OK;
}

static bxt_status read_switches(reader *r, bxt_state *state)
{
	bytes b;
	BXT_TRY(next_block(r, "SWCH", &b));
	if (b.n != 0 && b.n != (size_t)r->s->net->n_switches)
		return refuse(r, DAMAGED);
	if (b.n > 0 && !(state->switches = malloc(b.n)))
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < b.n; k++) {
		state->switches[k] = b.at[k];
		if (!bxt_network_may_switch_to(r->s->net, k, b.at[k]))
			return refuse(r, DAMAGED);
	}
	return BXT_OK;
}

/* Reads a parameter and its value; each parameter may occur once. */
static bxt_status take_tuned(reader *r, bytes *b, const bxt_map *by_path, bxt_state *state)
{
	uint64_t length;
	double value;
	if (!take_number(b, &length) || length > b->n)
		return refuse(r, DAMAGED);
	char *path = strndup((const char *)take(b, (size_t)length), (size_t)length);
	const unsigned char *number = take(b, sizeof value);
	if (!path || !number) {
		free(path);
		return path ? refuse(r, DAMAGED) : BXT_ERR_MEMORY;
	}
	const int index = bxt_map_get(by_path, path);
	free(path);
	memcpy(&value, number, sizeof value);
	if (index < 0 || !isfinite(value))
		return refuse(r, "the state has a parameter that this model does not have, or one "
				 "that is not finite");
	state->tuned[state->n_tuned++] = (bxt_tuned){(size_t)index, value};
	return BXT_OK;
}

static bxt_status map_parameters(const bxt_system *s, bxt_arena *arena, bxt_map *by_path)
{
	bxt_buffer path = {0};
	bxt_parameter_ref *ref;
	size_t n;
	BXT_TRY(bxt_network_parameters(s->net, arena, &ref, &n));
	bxt_status status = BXT_OK;
	for (size_t i = 0; i < n && status == BXT_OK; i++) {
		const char *text =
			bxt_arena_strdup(arena, bxt_parameter_path(s->net, &ref[i], &path));
		const bool tunable = bxt_parameter_is_tunable(s->net, &ref[i]);
		status = !text     ? BXT_ERR_MEMORY
			 : tunable ? bxt_map_put(by_path, text, (int)i)
				   : BXT_OK;
	}
	bxt_buffer_free(&path);
	return status;
}

static bxt_status read_tuned(reader *r, bxt_state *state)
{
	bxt_map by_path = {0};
	bytes b;
	int n;
	BXT_TRY(next_block(r, "PARA", &b));
	if (!take_count(&b, 16, &n))
		return refuse(r, DAMAGED);
	if (n == 0)
		return b.n > 0 ? refuse(r, DAMAGED) : BXT_OK;
	bxt_arena *arena = bxt_arena_new();
	state->tuned = malloc((size_t)n * sizeof *state->tuned);
	bxt_status status =
		arena && state->tuned ? map_parameters(r->s, arena, &by_path) : BXT_ERR_MEMORY;
	for (int i = 0; i < n && status == BXT_OK; i++)
		status = take_tuned(r, &b, &by_path, state);
	bxt_map_free(&by_path);
	bxt_arena_free(arena);
	return status == BXT_OK && b.n > 0 ? refuse(r, DAMAGED) : status;
}

static bxt_status read_account(reader *r, bxt_state *state, bool has)
{
	bytes b;
	BXT_TRY(next_block(r, "ACCT", &b));
	if (!has)
		return b.n > 0 ? refuse(r, DAMAGED) : BXT_OK;
	if (!state->scheme)
		return refuse(r, DAMAGED);
	if (!(state->account = malloc(b.n + 1)))
		return BXT_ERR_MEMORY;
	if (b.n > 0)
		memcpy(state->account, b.at, b.n);
	state->account_size = b.n;
	return BXT_OK;
}

static bxt_status check_end(reader *r)
{
	const size_t before = r->all.n - r->left.n;
	uint64_t crc;
	bytes b;
	BXT_TRY(next_block(r, "DONE", &b));
	if (!take_number(&b, &crc) || b.n > 0 || r->left.n > 0 ||
	    crc != bxt_checksum(0, r->all.at, before))
		return refuse(r, DAMAGED);
	return BXT_OK;
}

static bxt_status read_state(reader *r, bxt_state *state)
{
	bool has_account = false;
	BXT_TRY(check_head(r));
	BXT_TRY(check_model(r, state));
	BXT_TRY(read_scheme(r, state));
	BXT_TRY(read_grid(r, state, &has_account));
	BXT_TRY(read_vectors(r, state));
	BXT_TRY(read_samples(r, state));
	BXT_TRY(read_history(r, state));
	BXT_TRY(read_inputs(r, state));
	BXT_TRY(read_switches(r, state));
	BXT_TRY(read_tuned(r, state));
	BXT_TRY(read_account(r, state, has_account));
	return check_end(r);
}

bxt_status bxt_state_from_memory(const bxt_system *system, const void *bytes, size_t length,
				 const char *name, bxt_diagnostics *d, bxt_state **out)
{
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	BXT_NEEDS(d, bytes);
	reader r = {system, name ? name : "state", d, {bytes, length}, {bytes, length}};
	bxt_state *state = bxt_state_new(system);
	if (!state)
		return BXT_ERR_MEMORY;
	const bxt_status status = read_state(&r, state);
	*out = status == BXT_OK ? state : bxt_state_free(state);
	return status;
}
