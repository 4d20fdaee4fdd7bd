// SPDX-License-Identifier: Apache-2.0
// Relations as matrices of bits.
#include "axiomatic/relation.h"

#include <string.h>

void axi_empty(struct axi_relation *relation, unsigned size)
{
    relation->size = size;
    memset(relation->row, 0, size * sizeof *relation->row);
}

void axi_unite(struct axi_relation *relation, const struct axi_relation *other)
{
    for (unsigned a = 0; a < relation->size; a++)
        relation->row[a] |= other->row[a];
}

axi_set axi_before(const struct axi_relation *relation, unsigned b)
{
    axi_set set = 0;
    for (unsigned a = 0; a < relation->size; a++)
        set |= axi_has(relation, a, b) ? AXI_BIT(a) : 0;
    return set;
}

void axi_close(struct axi_relation *relation)
{
    for (unsigned middle = 0; middle < relation->size; middle++)
        for (unsigned a = 0; a < relation->size; a++)
            if (axi_has(relation, a, middle))
                relation->row[a] |= relation->row[middle];
}

bool axi_is_acyclic(const struct axi_relation *relation)
{
    // An event with no remaining successor cannot be part of a cycle.
    axi_set left = relation->size < AXI_EVENTS ? AXI_BIT(relation->size) - 1 : ~(axi_set)0;
    for (axi_set before = 0; before != left;) {
        before = left;
        AXI_EACH (a, before)
            if (!(relation->row[a] & left))
                left &= ~AXI_BIT(a);
    }
    return !left;
}

// Walks back from `end` to `start` along decreasing distance from `start`.
static void trace_back(const struct axi_relation *relation, const axi_set *at_distance,
                       unsigned length, unsigned start, uint8_t *cycle)
{
    unsigned after = start;
    for (unsigned i = length; i-- > 1;) {
        after = axi_next(axi_before(relation, after) & at_distance[i], 0);
        cycle[i] = (uint8_t)after;
    }
    cycle[0] = (uint8_t)start;
}

unsigned axi_cycle(const struct axi_relation *relation, uint8_t cycle[AXI_EVENTS])
{
    unsigned best = 0;
    for (unsigned start = 0; start < relation->size; start++) {
        axi_set at_distance[AXI_EVENTS + 1] = {AXI_BIT(start)}, seen = 0;
        for (unsigned length = 1; length <= AXI_EVENTS && (!best || length < best); length++) {
            axi_set next = 0;
            AXI_EACH (a, at_distance[length - 1])
                next |= relation->row[a];
            if (next >> start & 1) {
                best = length;
                trace_back(relation, at_distance, length, start, cycle);
                break;
            }
            at_distance[length] = next & ~seen;
            seen |= next;
            if (!at_distance[length])
                break;
        }
    }
    return best;
}
