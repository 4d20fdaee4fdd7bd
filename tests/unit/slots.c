// SPDX-License-Identifier: Apache-2.0
// How many runs lie side by side in a device's memory, and how the checker divides them.
#include "unit.h"

#include "device/checking.h"

static const struct dev_slot_limits gpu = {.most_binding = 1u << 30, .heap = UINT64_C(1) << 33};
static const struct dev_slot_limits cpu = {
    .cpu = true, .most_binding = 1u << 25, .heap = UINT64_C(1) << 31};

static struct cat_shape shape_of(uint64_t instances, uint64_t each, uint64_t state)
{
    return (struct cat_shape){
        .instances = instances, .words_per_instance = each, .state_words = state};
}

TEST(count_follows_the_size)
{
    static const struct {
        const struct dev_slot_limits *limits;
        uint64_t instances, each, state;
        uint32_t runs, count;
    } cases[] = {
        {&gpu, 1, 1, 1, 256, DEV_SLOTS},
        {&cpu, 1, 1, 1, 256, DEV_SLOTS},
        {&gpu, 1, 1, 1, 5, 5}, // no more than runs
        {&gpu, 1, 1, 1, 1, 1},
        {&gpu, 256, 1024, 1, 256, 15},    // 1 MiB and a little each, in 16 MiB
        {&cpu, 8, 1024, 1, 256, 31},      // 32 KiB in 1 MiB
        {&gpu, 16384, 1024, 1, 256, 4},   // 64 MiB: few, beyond the cache
        {&gpu, 1 << 18, 1024, 1, 256, 1}, // 1 GiB
        {&cpu, 1 << 10, 1024, 1, 256, 1}, // 4 MiB on a CPU
        {&gpu, 64, 64, 1 << 23, 256, 4},  // the state counts
        {&gpu, 1 << 22, 1, 1, 256, 4},    // so do the notes of the instances
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct cat_shape shape = shape_of(cases[i].instances, cases[i].each, cases[i].state);
        const struct dev_slots slots = dev_slots_choose(&shape, cases[i].limits, cases[i].runs);
        if (slots.count != cases[i].count)
            fail_msg("case %zu: %u slots, not %u", i, slots.count, cases[i].count);
    }
}

TEST(slots_do_not_overlap_and_can_be_bound)
{
    for (uint64_t words = 1; words < UINT64_C(1) << 30; words = words * 3 + 1)
        for (int on_cpu = 0; on_cpu < 2; on_cpu++) {
            const struct dev_slot_limits *limits = on_cpu ? &cpu : &gpu;
            const struct cat_shape shape = shape_of(1, words, words / 7 + 1);
            const struct dev_slots slots = dev_slots_choose(&shape, limits, 256);
            assert_true(slots.count >= 1 && slots.count <= DEV_SLOTS);
            assert_true(slots.output >= words && slots.state >= words / 7 + 1);
            if (slots.count == 1)
                assert_true(slots.output == words && slots.state == words / 7 + 1);
            if (slots.count > 1) {
                assert_true(slots.output % 64 == 0 && slots.state % 64 == 0);
                assert_true(slots.count * slots.output <= limits->most_binding);
                assert_true(slots.count * slots.state <= limits->most_binding);
            }
            // No slot begins in another place of a page than a buffer of its own would.
            assert_true(slots.count == 1 || words < 1024 || slots.output % 1024 == 0);
        }
}

TEST(little_memory_means_few_slots)
{
    const struct dev_slot_limits small = {.most_binding = 1u << 30, .heap = 1u << 24};
    const struct cat_shape shape = shape_of(1, 1u << 23, 1);
    assert_int_equal(dev_slots_choose(&shape, &small, 256).count, 1);
    const struct dev_slot_limits narrow = {.most_binding = 1u << 12, .heap = UINT64_C(1) << 33};
    const struct cat_shape page = shape_of(1, 1024, 1);
    assert_int_equal(dev_slots_choose(&page, &narrow, 256).count, 4);
}

TEST(every_vector_has_an_invocation)
{
    for (uint64_t words = 1; words < UINT64_C(1) << 30; words = words * 2 + 1)
        for (uint32_t slots = 1; slots <= DEV_SLOTS; slots++)
            for (int on_cpu = 0; on_cpu < 2; on_cpu++) {
                const struct dev_division division = dev_slots_divide(words, slots, on_cpu);
                assert_true(division.vectors >= 1 && division.vectors <= 1024);
                assert_true(division.slots >= 1 && division.slots <= slots);
            }
    // A large output: what is expected is fetched once for all of them.
    assert_int_equal(dev_slots_divide(1u << 25, 4, false).slots, 4);
    // A small one: all workgroups are needed.
    assert_int_equal(dev_slots_divide(1u << 18, 16, false).slots, 1);
}
