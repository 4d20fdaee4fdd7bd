// SPDX-License-Identifier: Apache-2.0
// Chooses the number of slots, and the checker's division of them. Pure.

#include "device/slots.h"

#define PAGE          1024u               // words
#define ALIGNMENT     64u                 // words; the largest alignment of any device
#define CACHE_CPU     (UINT64_C(1) << 18) // words for all slots: 1 MiB
#define CACHE_GPU     (UINT64_C(1) << 22) // 16 MiB
#define FEW           4u                  // slots on a GPU if the cache is too small
#define FEW_AT_MOST   (UINT64_C(1) << 28) // words for these: 1 GiB
#define FEW_OF_HEAP   16u                 // and their part of the heap
#define GROUP         64u                 // size of the checker's workgroups
#define GROUPS_CPU    32u                 // suitable numbers
#define GROUPS_GPU    4096u
#define MOST_VECTORS  1024u
#define FEWER_VECTORS 8u // with several slots: keeps a workgroup's expectation in caches

static uint64_t stride(uint64_t words)
{
    const uint64_t unit = words < PAGE ? ALIGNMENT : PAGE;
    return (words + unit - 1) / unit * unit;
}

static uint64_t fit(uint64_t room, uint64_t each, uint64_t most)
{
    const uint64_t count = room / each;
    return count < most ? count : most;
}

struct dev_slots dev_slots_choose(const struct cat_shape *shape,
                                  const struct dev_slot_limits *limits, uint32_t runs)
{
    const uint64_t words = shape->instances * shape->words_per_instance;
    struct dev_slots slots = {.output = stride(words),
                              .state = stride(shape->state_words ? shape->state_words : 1)};
    const uint64_t each = slots.output + slots.state + 2 * shape->instances;
    uint64_t count = fit(limits->cpu ? CACHE_CPU : CACHE_GPU, each, DEV_SLOTS);
    if (!limits->cpu && count < FEW) {
        const uint64_t part = limits->heap / FEW_OF_HEAP;
        const uint64_t few = fit(part < FEW_AT_MOST ? part : FEW_AT_MOST, each, FEW);
        count = few > count ? few : count;
    }
    // Each buffer is bound as a whole, with 32-bit word offsets.
    const uint64_t bound = limits->most_binding < UINT32_MAX ? limits->most_binding : UINT32_MAX;
    count = fit(bound, slots.output > slots.state ? slots.output : slots.state, count);
    count = fit(bound, 2 * shape->instances, count);
    count = count < runs ? count : runs;
    slots.count = count ? (uint32_t)count : 1;
    // A single slot needs no padding: it may be as large as a binding.
    if (slots.count == 1) {
        slots.output = words;
        slots.state = shape->state_words ? shape->state_words : 1;
    }
    return slots;
}

struct dev_division dev_slots_divide(uint64_t words, uint32_t slots, bool cpu)
{
    const uint64_t vectors = words / 4 + 1;
    const uint64_t groups = cpu ? GROUPS_CPU : GROUPS_GPU;
    struct dev_division division = {.vectors = 1, .slots = 1};
    // All slots in each workgroup, if that leaves enough workgroups.
    const uint64_t shared = vectors / (groups * GROUP);
    if (slots > 1 && shared >= FEWER_VECTORS) {
        division.slots = slots;
        division.vectors =
            cpu ? (uint32_t)(shared < MOST_VECTORS ? shared : MOST_VECTORS) : FEWER_VECTORS;
        return division;
    }
    const uint64_t each = vectors * slots / (groups * GROUP);
    division.vectors = each < 1 ? 1 : each > MOST_VECTORS ? MOST_VECTORS : (uint32_t)each;
    return division;
}
