// SPDX-License-Identifier: Apache-2.0
// The modules that spirv/meson.build makes of spirv/bench/.
#include "bench/row.h"

#define EACH_SCAN(each, level, LEVEL)                                                              \
    each(level##_native_none, BENCH_##LEVEL, BENCH_NATIVE, BENCH_NONE)                             \
        each(level##_emulated_none, BENCH_##LEVEL, BENCH_EMULATED, BENCH_NONE)                     \
            each(level##_emulated_control, BENCH_##LEVEL, BENCH_EMULATED, BENCH_CONTROL)           \
                each(level##_emulated_memory, BENCH_##LEVEL, BENCH_EMULATED, BENCH_MEMORY)
#define EACH(each)                                                                                 \
    EACH_SCAN(each, subgroup, SUBGROUP)                                                            \
    EACH_SCAN(each, workgroup, WORKGROUP)

#define DECLARE(symbol)                                                                            \
    extern const uint32_t bench_##symbol##_words[];                                                \
    extern const size_t bench_##symbol##_count;
#define DECLARE_SCAN(name, level, operation, barrier)                                              \
    DECLARE(scan_##name##_1)                                                                       \
    DECLARE(scan_##name##_4)

EACH(DECLARE_SCAN)
DECLARE(limit_copy)
DECLARE(limit_adds_one)
DECLARE(limit_adds_many)
DECLARE(limit_shuffles_one)
DECLARE(limit_shuffles_many)

#define MODULE(symbol) ((struct bench_module){bench_##symbol##_words, bench_##symbol##_count})

struct bench_module bench_row_module(const struct bench_row *row)
{
#define TAKE_SCAN(name, its_level, its_operation, its_barrier)                                     \
    if (row->kind == BENCH_SCAN && row->level == (its_level) &&                                    \
        row->operation == (its_operation) && row->barrier == (its_barrier))                        \
        return row->items == 1 ? MODULE(scan_##name##_1) : MODULE(scan_##name##_4);
    EACH(TAKE_SCAN)
    if (row->kind == BENCH_ADDS)
        return row->chains == 1 ? MODULE(limit_adds_one) : MODULE(limit_adds_many);
    if (row->kind == BENCH_SHUFFLES)
        return row->chains == 1 ? MODULE(limit_shuffles_one) : MODULE(limit_shuffles_many);
    return MODULE(limit_copy);
}
