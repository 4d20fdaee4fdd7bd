// SPDX-License-Identifier: Apache-2.0
// One candidate execution of a program, and the Vulkan memory model over it: the relations of the
// specification's appendix Memory Model (docs/memory-model.md).
#pragma once

#include "axiomatic/program.h"
#include "axiomatic/relation.h"

#define AXI_INITIAL AXI_EVENTS // instead of a write: the initial value

struct axi_event {
    const struct axi_instruction *of;
    uint8_t thread, location;
    bool fixed;     // it reads `read`, since something depends on it
    uint32_t round; // of a control barrier: how many of this number the thread has executed before
    int64_t read, written;
};

struct axi_execution {
    const struct axi_program *program;
    unsigned count;
    struct axi_event events[AXI_EVENTS];
    bool chains; // whether availability and visibility chains may have several elements

    // What follows from the events alone: axi_prepare.
    axi_set reads, writes, atomics, acquires, releases, barriers; // barriers: those with semantics
    struct axi_relation program_order, same_location, same_reference, mutually_ordered, in_scope,
        same_barrier, system_synchronizes; // the last one transitive
    struct axi_relation group[AXI_SCOPES]; // agents in one scope instance

    // What is chosen: which write each read takes its value from, or AXI_INITIAL, and the places of
    // atomic writes in the order of each location's.
    uint8_t from[AXI_EVENTS], place[AXI_EVENTS];

    // What follows from the choices of atomic operations: axi_relate.
    struct axi_relation modification_order; // of mutually-ordered writes
    struct axi_relation all_modification;   // of all that are in one scoped modification order
    axi_set sequence[AXI_EVENTS];           // of each atomic write: the release sequence behind it
    struct axi_relation synchronizes, happens_before, location_ordered;
};

void axi_prepare(struct axi_execution *execution);
// Whether the threads' control barriers can all have been passed.
bool axi_barriers_meet(const struct axi_execution *execution);
void axi_relate(struct axi_execution *execution);

// The steps of axi_relate, in this order.
void axi_order_writes(struct axi_execution *execution);
void axi_synchronize(struct axi_execution *execution);
void axi_happen(struct axi_execution *execution);
void axi_order_locations(struct axi_execution *execution);

// Those writes that a read comes before by from-reads, if it reads from `from`.
axi_set axi_from_reads(const struct axi_execution *execution, unsigned read, unsigned from);
// location-ordered, scoped modification order, and the edges of the reads in `of`: reads-from and
// from-reads. An execution is consistent if it has no cycle for all reads.
void axi_causality(const struct axi_execution *execution, axi_set of, struct axi_relation *to);
// A pair of events that race: false if there is none.
bool axi_race(const struct axi_execution *execution, unsigned *a, unsigned *b);
