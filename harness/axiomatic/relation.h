// SPDX-License-Identifier: Apache-2.0
// Sets of events and relations between them, as bits.
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
void axi_unite(struct axi_relation *relation, const struct axi_relation *other);
// The events related to `b`.
axi_set axi_before(const struct axi_relation *relation, unsigned b);
// Makes the relation transitive.
void axi_close(struct axi_relation *relation);
bool axi_is_acyclic(const struct axi_relation *relation);
// Stores the events of a shortest cycle in order and returns their number, 0 if there is none.
unsigned axi_cycle(const struct axi_relation *relation, uint8_t cycle[AXI_EVENTS]);
