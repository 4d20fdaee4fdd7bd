// SPDX-License-Identifier: Apache-2.0
// Shared by writers of a litmus test's threads as SPIR-V: checks, control barriers, instructions. A
// writer defines the addresses %P0_at_x.
#pragma once

#include "generate/concurrent.h"
#include "generate/lines.h"

enum { BUFFER = 0, SHARED = 1, UNUSED = 2 }; // where a location is
#define TORN 0x7ea27ea2u                     // stored for a 64-bit value whose halves differ

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
    unsigned place[AXI_REFERENCES], index[AXI_REFERENCES];  // index: per place
    unsigned home[AXI_REFERENCES];                          // SHARED: a thread of its workgroup
    unsigned workgroup[AXI_THREADS], subgroup[AXI_THREADS]; // first thread in the same one
    struct id local[AXI_THREADS], instance[AXI_THREADS];    // in the workgroup; in the dispatch
    uint32_t role[AXI_THREADS][3]; // workgroup in the instance, subgroup in it, lane in that
    struct barrier barriers[AXI_INSTRUCTIONS];
    size_t barrier_count;
    // Per thread: next instruction, registers, whether it computed an address.
    size_t at[AXI_THREADS];
    struct id registers[AXI_THREADS][AXI_REGISTERS];
    unsigned versions[AXI_THREADS];
    uint32_t addressed[AXI_THREADS];
    uint32_t semantics[64]; // declared so far
    size_t semantic_count;
    bool cells;      // the kernel's form makes the buffer's locations an array of their own
    struct id block; // the current block
    struct id read[AXI_THREADS];    // last value read by each thread; "" if none
    unsigned accesses[AXI_THREADS]; // number so far
    unsigned numbers;               // counter for unique ids
};

// Writers in short: appends a line (gen_line); fails because one dispatch cannot express something.
#define put(e, ...)    gen_line(&(e)->lines, __VA_ARGS__)
#define beyond(e, ...) lit_fail((e)->error, LIT_EXIT_UNDECIDED, __VA_ARGS__)

#define id(...) gen_id(__VA_ARGS__)

static inline bool has_form(const struct emit *e, enum axi_form form)
{
    return e->program->forms & form;
}

static inline unsigned number_of(const struct emit *e, size_t thread)
{
    return e->program->threads[thread].number;
}

// Appends a part of concurrent.spvasm.
void gen_emit_template(const struct emit *e, const char *part, struct text *out);

// From now on lines are of this thread: @ stands for %P3.
static inline void gen_emit_be(struct emit *e, unsigned t)
{
    e->lines.self = id("%%P%u", number_of(e, t));
}

// Places threads and locations. False with an error if one dispatch cannot express it.
bool gen_emit_check(struct emit *e);
// Orders all control barriers.
bool gen_emit_barriers(struct emit *e);
// Gives a thread's registers their initial values.
void gen_emit_initial(struct emit *e, unsigned t);
// Emits a thread's code up to its next control barrier if that is `barrier`, or up to its end: a
// thread without the barrier continues.
void gen_emit_part(struct emit *e, unsigned t, const struct barrier *barrier);
// All of a thread that jumps backwards, in a loop of a bounded number of rounds.
void gen_emit_rounds(struct emit *e, unsigned t);
// The index of a location of the instance whose thread t this is; the pointer to it.
struct id gen_emit_place_of(const struct emit *e, unsigned location);
void gen_emit_chain(struct emit *e, struct id made, unsigned location, struct id place);
// A value as a location holds it, twice where locations have 64 bits, and its type. What an
// instruction that reads has for its result, from which gen_emit_from_location makes the value.
struct id gen_emit_to_location(struct emit *e, struct id value);
const char *gen_emit_type_of_locations(const struct emit *e);
struct id gen_emit_raw(struct emit *e, struct id value);
void gen_emit_from_location(struct emit *e, struct id raw, struct id value);
// The bits of an instruction's memory semantics.
uint32_t gen_emit_semantics_of(const struct emit *e, const struct axi_instruction *of);
// The name of a memory semantics constant: "%release_buffer_available".
struct id gen_emit_semantics(struct emit *e, uint32_t bits);
const char *gen_emit_scope(enum axi_scope scope);
