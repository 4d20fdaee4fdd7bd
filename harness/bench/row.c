// SPDX-License-Identifier: Apache-2.0
// The rows of `litmus bench scan`, and what of adds, shuffles and memory each of them needs.
#include "bench/row.h"

#include "model/facts.h"

#include <inttypes.h>

#define LIMIT_WORKGROUP    256u // invocations, of the rows that are limits
#define ADDS_EACH          64u  // of an iteration of an invocation: spirv/bench/limit.spvasm
#define SHUFFLES_EACH      16u
#define CHAINS             8u
#define COPIED_EACH        16u // words of an invocation
#define COPIED_PER_ELEMENT 128u
#define COPIED_MOST        (1u << 26)

static const char *const kinds[BENCH_KINDS] = {"scan", "copy", "adds", "shuffles"};
static const char *const levels[BENCH_LEVELS] = {"subgroup", "workgroup"};
static const char *const operations[BENCH_OPERATIONS] = {"native", "emulated"};
static const char *const barriers[BENCH_BARRIERS] = {"none", "control", "memory"};

const char *bench_kind_name(enum bench_kind kind)
{
    return kinds[kind];
}

const char *bench_level_name(enum bench_level level)
{
    return levels[level];
}

const char *bench_operation_name(enum bench_operation operation)
{
    return operations[operation];
}

const char *bench_barrier_name(enum bench_barrier barrier)
{
    return barriers[barrier];
}

uint32_t bench_copied(uint32_t elements, const struct dev_facts *facts)
{
    uint32_t words = COPIED_MOST;
    if (elements < COPIED_MOST / COPIED_PER_ELEMENT)
        words = elements * COPIED_PER_ELEMENT;
    while (words > BENCH_ELEMENTS &&
           (words > facts->max_storage_buffer / 4 ||
            words / (LIMIT_WORKGROUP * COPIED_EACH) > facts->max_workgroups))
        words /= 2;
    return words;
}

static uint32_t log2_of(uint32_t power)
{
    uint32_t log = 0;
    while (power >> (log + 1))
        log++;
    return log;
}

// The steps of Kogge and Stone take every lane, also those that add zero: that is how the algorithm
// is defined for lanes that go together, and what the emulated scan executes.
static void count_scan(struct bench_row *row, uint32_t subgroup)
{
    const uint64_t steps = log2_of(subgroup);
    const uint64_t invocations = row->words / row->items;
    row->shuffles = invocations * (row->items == 1 ? steps : steps + 1);
    row->adds = invocations * (row->items == 1 ? steps : 3 + steps + 4);
    if (row->level == BENCH_WORKGROUP) {
        // Each block: its totals in chunks of a subgroup's size, the sum carried from one to the
        // next, and then what is to the left added to each word.
        const uint64_t chunks = (BENCH_BLOCK / subgroup + subgroup - 1) / subgroup;
        const uint64_t lanes = invocations / BENCH_BLOCK * chunks * subgroup;
        row->shuffles += lanes * (chunks > 1 ? steps + 1 : steps);
        row->adds += lanes * (chunks > 1 ? steps + 1 : steps) + row->words;
    }
    row->shuffles *= row->loops;
    row->adds *= row->loops;
}

static struct bench_row scan_row(const struct bench_shape *shape, enum bench_level level,
                                 uint32_t items, uint32_t workgroup)
{
    const uint32_t invocations = level == BENCH_WORKGROUP ? BENCH_BLOCK : workgroup;
    return (struct bench_row){
        .kind = BENCH_SCAN,
        .level = level,
        .items = items,
        .workgroup = workgroup,
        .workgroups = shape->elements / (invocations * items),
        .loops = shape->loops,
        .words = shape->elements,
        .bytes = (uint64_t)shape->elements * 8,
    };
}

static struct bench_row limit_row(const struct bench_shape *shape, enum bench_kind kind,
                                  uint32_t chains)
{
    struct bench_row row = {
        .kind = kind,
        .chains = chains,
        .workgroup = LIMIT_WORKGROUP,
        .loops = kind == BENCH_COPY ? 1 : shape->loops | 1,
        .words = kind == BENCH_COPY ? shape->copied : shape->elements,
    };
    const uint64_t iterations = row.words * row.loops;
    row.workgroups =
        (uint32_t)(row.words / LIMIT_WORKGROUP / (kind == BENCH_COPY ? COPIED_EACH : 1));
    row.bytes = row.words * 8;
    row.adds = kind == BENCH_ADDS ? iterations * ADDS_EACH : 0;
    row.shuffles = kind == BENCH_SHUFFLES ? iterations * SHUFFLES_EACH : 0;
    return row;
}

size_t bench_scan_rows(const struct bench_shape *shape, struct bench_row rows[BENCH_ROWS])
{
    static const uint32_t workgroups[] = {256, 512, 1024}, items[] = {1, 4};
    static const struct {
        enum bench_operation operation;
        enum bench_barrier barrier;
    } scans[] = {
        {BENCH_NATIVE, BENCH_NONE},
        {BENCH_EMULATED, BENCH_NONE},
        {BENCH_EMULATED, BENCH_CONTROL},
        {BENCH_EMULATED, BENCH_MEMORY},
    };
    size_t count = 0;
    rows[count++] = limit_row(shape, BENCH_COPY, 0);
    rows[count++] = limit_row(shape, BENCH_ADDS, CHAINS);
    rows[count++] = limit_row(shape, BENCH_ADDS, 1);
    rows[count++] = limit_row(shape, BENCH_SHUFFLES, CHAINS);
    rows[count++] = limit_row(shape, BENCH_SHUFFLES, 1);
    for (int level = 0; level < BENCH_LEVELS; level++)
        for (size_t i = 0; i < sizeof items / sizeof *items; i++)
            for (size_t w = 0; w < sizeof workgroups / sizeof *workgroups; w++)
                for (size_t s = 0; s < sizeof scans / sizeof *scans; s++) {
                    struct bench_row *row = &rows[count++];
                    *row = scan_row(shape, (enum bench_level)level, items[i], workgroups[w]);
                    row->operation = scans[s].operation;
                    row->barrier = scans[s].barrier;
                    count_scan(row, shape->subgroup);
                }
    return count;
}

bool bench_row_fits(const struct bench_row *row, const struct dev_facts *facts,
                    struct lit_error *error)
{
    const struct bench_module module = bench_row_module(row);
    uint64_t needs = 0;
    uint32_t unknown = 0;
    const uint32_t subgroups = row->workgroup / facts->subgroup;
    if (row->workgroup > facts->max_workgroup)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "workgroup of %" PRIu32 " > maxComputeWorkGroupInvocations %" PRIu32,
                        row->workgroup, facts->max_workgroup);
    if (facts->max_subgroups && subgroups > facts->max_subgroups)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "%" PRIu32 " subgroups in a workgroup > maxComputeWorkgroupSubgroups "
                        "%" PRIu32,
                        subgroups, facts->max_subgroups);
    if (row->workgroups > facts->max_workgroups)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "%" PRIu32 " workgroups > maxComputeWorkGroupCount %" PRIu32,
                        row->workgroups, facts->max_workgroups);
    if (row->words > facts->max_storage_buffer / 4)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "a buffer of more bytes than maxStorageBufferRange %" PRIu64,
                        facts->max_storage_buffer);
    if (!cat_module_features(module.words, module.count, &needs, &unknown))
        return lit_fail(error, LIT_EXIT_NOTHING, "capability %" PRIu32 " is not known", unknown);
    for (int f = 0; f < CAT_FEATURE_COUNT; f++)
        if (needs & ~facts->features & UINT64_C(1) << f)
            return lit_fail(error, LIT_EXIT_NOTHING, "%s", cat_feature_name((enum cat_feature)f));
    return true;
}

bool bench_row_same(const struct bench_row *a, const struct bench_row *b)
{
    return a->kind == b->kind && a->level == b->level && a->items == b->items &&
           a->chains == b->chains && a->loops == b->loops && a->words == b->words;
}

void bench_row_name(const struct bench_row *row, struct text *name)
{
    if (row->kind == BENCH_SCAN)
        text_printf(name, "%s/%s/%s/items=%" PRIu32 "/workgroup=%" PRIu32, levels[row->level],
                    operations[row->operation], barriers[row->barrier], row->items, row->workgroup);
    else if (row->kind == BENCH_COPY)
        text_puts(name, "limit/copy");
    else
        text_printf(name, "limit/%s/chains=%" PRIu32, kinds[row->kind], row->chains);
}
