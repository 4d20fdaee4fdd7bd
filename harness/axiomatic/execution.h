// SPDX-License-Identifier: Apache-2.0
// One candidate execution of a program, and the Vulkan memory model over it: the relations of the
// specification's appendix Memory Model (docs/memory-model.md).
#pragma once

#include "axiomatic/program.h"

// --- Sets of events and relations between them, as bits

#define AXI_EVENTS 64 // per execution, at most

typedef uint64_t axi_set;
#define AXI_BIT(event) ((axi_set)1 << (event))

// Events are numbered below `size`. row[a] has the bit of b if (a, b) is in the relation.
struct axi_relation {
    unsigned size;
    axi_set row[AXI_EVENTS];
};

// The first element at or after `from`, or AXI_EVENTS.
static inline unsigned axi_next(axi_set set, unsigned from)
{
    const axi_set rest = from < AXI_EVENTS ? set >> from : 0;
    return rest ? from + (unsigned)__builtin_ctzll(rest) : AXI_EVENTS;
}
// Iterates over a set that must not change meanwhile.
#define AXI_EACH(event, set)                                                                       \
    for (unsigned event = axi_next((set), 0); event < AXI_EVENTS;                                  \
         event = axi_next((set), event + 1))

static inline bool axi_has(const struct axi_relation *relation, unsigned a, unsigned b)
{
    return relation->row[a] >> b & 1;
}
static inline void axi_add(struct axi_relation *relation, unsigned a, unsigned b)
{
    relation->row[a] |= AXI_BIT(b);
}

void axi_empty(struct axi_relation *relation, unsigned size);
// The events related to `b`.
axi_set axi_before(const struct axi_relation *relation, unsigned b);
// Makes the relation transitive.
void axi_close(struct axi_relation *relation);
bool axi_is_acyclic(const struct axi_relation *relation);
// Stores the events of a shortest cycle in order and returns their number, 0 if there is none.
unsigned axi_cycle(const struct axi_relation *relation, uint8_t cycle[AXI_EVENTS]);

// --- Executions

#define AXI_INITIAL AXI_EVENTS // in place of a write: the initial value

struct axi_event {
    const struct axi_instruction *of;
    uint8_t thread, location;
    bool fixed;     // it reads `read`, because something depends on the value
    uint32_t round; // control barriers: executions of the same number by this thread before
    int64_t read, written;
};

struct axi_execution {
    const struct axi_program *program;
    unsigned count;
    struct axi_event events[AXI_EVENTS];
    bool chains; // whether availability and visibility chains may have several elements

    // Determined by the events alone (axi_prepare).
    axi_set reads, writes, atomics, acquires, releases, barriers; // barriers: those with semantics
    struct axi_relation program_order, same_location, same_reference, mutually_ordered, in_scope,
        same_barrier, system_synchronizes; // system_synchronizes is transitive
    struct axi_relation group[AXI_SCOPES]; // agents in the same scope instance

    // The choices: the write that each read takes its value from (or AXI_INITIAL), and each atomic
    // write's place in its location's order.
    uint8_t from[AXI_EVENTS], place[AXI_EVENTS];

    // Determined by the choices of atomic operations (axi_relate).
    struct axi_relation modification_order; // of mutually-ordered writes
    struct axi_relation all_modification;   // of all writes that share a scoped modification order
    axi_set sequence[AXI_EVENTS]; // for each atomic write: the release sequence that it heads
    struct axi_relation synchronizes, happens_before, location_ordered;
};

void axi_prepare(struct axi_execution *execution);
// Whether all control barriers of the threads can be passed.
bool axi_barriers_meet(const struct axi_execution *execution);
void axi_relate(struct axi_execution *execution);

// The writes that follow a read by from-reads if it reads from `from`.
axi_set axi_from_reads(const struct axi_execution *execution, unsigned read, unsigned from);
// Computes location-ordered, scoped modification order, and the reads-from and from-reads edges of
// the reads in `of`. An execution is consistent if the result has no cycle with all reads.
void axi_causality(const struct axi_execution *execution, axi_set of, struct axi_relation *to);
// Finds a pair of events that race: false if there is none.
bool axi_race(const struct axi_execution *execution, unsigned *a, unsigned *b);
