// SPDX-License-Identifier: Apache-2.0
// What writers of a litmus test's threads as SPIR-V have in common: checks, control barriers, each
// thread's instructions. A writer defines the addresses %P0_at_x.
#pragma once

#include "generate/concurrent.h"
#include "generate/lines.h"

enum { BUFFER = 0, SHARED = 1, UNUSED = 2 }; // where a location is
#define TORN 0x7ea27ea2u                     // instead of a value of 64 bits whose halves differ

struct id {
    char is[64];
};

// A control barrier of the whole kernel.
struct barrier {
    uint32_t number, round;
    enum axi_scope scope, execution;
    uint32_t semantics;
};

struct emit {
    const struct axi_program *program;
    const struct gen_states *states;
    struct gen_concurrent *made;
    struct lit_error *error;
    struct gen_lines lines;
    unsigned place[AXI_REFERENCES], index[AXI_REFERENCES];  // of each location, among those there
    unsigned home[AXI_REFERENCES];                          // SHARED: a thread of its workgroup
    unsigned workgroup[AXI_THREADS], subgroup[AXI_THREADS]; // first thread in the same one
    struct id local[AXI_THREADS], instance[AXI_THREADS];    // in the workgroup; in the dispatch
    uint32_t role[AXI_THREADS][3]; // which workgroup of an instance, subgroup there, lane there
    struct barrier barriers[AXI_INSTRUCTIONS];
    size_t barrier_count;
    // Of each thread: where it goes on, its registers, what of it has an address.
    size_t at[AXI_THREADS];
    struct id registers[AXI_THREADS][AXI_REGISTERS];
    unsigned versions[AXI_THREADS];
    uint32_t addressed[AXI_THREADS];
    uint32_t semantics[64]; // that are declared
    size_t semantic_count;
    bool cells;      // locations in the buffer are an array of their own, for the kernel's form
    struct id block; // that the emitter is in
    struct id read[AXI_THREADS];    // what each thread has read last; "" if nothing
    unsigned accesses[AXI_THREADS]; // that each has done
    unsigned numbers;               // of what has a number
};

// Writers in short: appends a line (gen_line); fails because one dispatch cannot express something.
#define put(e, ...)    gen_line(&(e)->lines, __VA_ARGS__)
#define beyond(e, ...) lit_fail((e)->error, LIT_EXIT_UNDECIDED, __VA_ARGS__)

__attribute__((format(__printf__, 1, 2))) struct id gen_emit_id(const char *format, ...);
#define id(...) gen_emit_id(__VA_ARGS__)

static inline bool has_form(const struct emit *e, enum axi_form form)
{
    return e->program->forms & form;
}

static inline unsigned number_of(const struct emit *e, size_t thread)
{
    return e->program->threads[thread].number;
}

// Places threads and locations. False with an error if it is beyond what one dispatch expresses.
bool gen_emit_check(struct emit *e);
// Puts all control barriers in an order.
bool gen_emit_barriers(struct emit *e);
// What a thread does up to its next control barrier, if that is this one, or to its end: a thread
// that does not have the barrier goes on.
void gen_emit_part(struct emit *e, unsigned t, const struct barrier *barrier);
// All of a thread that jumps backwards, in a loop of a bounded number of rounds.
void gen_emit_rounds(struct emit *e, unsigned t);
// The index of a location of the instance of which this is thread t; the pointer to it.
struct id gen_emit_place_of(const struct emit *e, unsigned t, unsigned location);
void gen_emit_chain(struct emit *e, struct id made, unsigned location, struct id place);
// A value as a location holds it, twice where locations have 64 bits, and its type. What an
// instruction that reads has for its result, from which gen_emit_from_location makes the value.
struct id gen_emit_to_location(struct emit *e, struct id value);
const char *gen_emit_type_of_locations(const struct emit *e);
struct id gen_emit_raw(struct emit *e, struct id value);
void gen_emit_from_location(struct emit *e, struct id raw, struct id value);
// The bits of an instruction's memory semantics.
uint32_t gen_emit_semantics_of(const struct emit *e, const struct axi_instruction *of);
// The name of a constant of memory semantics: "%release_buffer_available".
struct id gen_emit_semantics(struct emit *e, uint32_t bits);
const char *gen_emit_scope(enum axi_scope scope);
bool gen_emit_uses_device(const struct axi_program *program);
