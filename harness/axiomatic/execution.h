// SPDX-License-Identifier: Apache-2.0
// One candidate execution of a program, and the Vulkan memory model over it: the relations of the
// specification's appendix Memory Model (docs/memory-model.md).
#pragma once

#include "axiomatic/program.h"
#include "axiomatic/relation.h"

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

// The steps of axi_relate, in this order.
void axi_order_writes(struct axi_execution *execution);
void axi_synchronize(struct axi_execution *execution);
void axi_happen(struct axi_execution *execution);
void axi_order_locations(struct axi_execution *execution);

// The writes that follow a read by from-reads if it reads from `from`.
axi_set axi_from_reads(const struct axi_execution *execution, unsigned read, unsigned from);
// Computes location-ordered, scoped modification order, and the reads-from and from-reads edges of
// the reads in `of`. An execution is consistent if the result has no cycle with all reads.
void axi_causality(const struct axi_execution *execution, axi_set of, struct axi_relation *to);
// Finds a pair of events that race: false if there is none.
bool axi_race(const struct axi_execution *execution, unsigned *a, unsigned *b);
