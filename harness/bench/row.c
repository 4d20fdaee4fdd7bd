// SPDX-License-Identifier: Apache-2.0
// The rows of the benchmarks, and their needs in additions, shuffles and memory.
#include "bench/row.h"

#include "model/facts.h"

#include <pthread.h>

#define LIMIT_WORKGROUP    256u // invocations of the limit rows
#define ADDS_EACH          64u  // per iteration and invocation: spirv/bench/limit.spvasm
#define SHUFFLES_EACH      16u
#define CHAINS             8u
#define COPIED_EACH        16u // words per invocation
#define COPIED_PER_ELEMENT 128u
#define COPIED_MOST        (1u << 26)
#define COPIES             "bench/copy/"
#define LOOKBACK           "bench/lookback/"
#define SERIAL             "bench/serial"

const char *const bench_kinds[] = {"scan", "copy", "adds", "shuffles", "scan", "alone", "serial"};
const char *const bench_levels[] = {"subgroup", "workgroup"};
const char *const bench_operations[] = {"native", "emulated"};
const char *const bench_barriers[] = {"none", "control", "memory"};

void bench_row_name(const struct bench_row *row, struct text *name)
{
    if (row->kind == BENCH_SCAN)
        text_printf(name, "%s/%s/%s/items=%u/workgroup=%u", bench_levels[row->level],
                    bench_operations[row->operation], bench_barriers[row->barrier], row->items,
                    row->workgroup);
    else if (row->tile)
        text_printf(name, "%s/workgroup=%u",
                    row->kernel->name + strlen(row->lanes ? LOOKBACK : "bench/"), row->workgroup);
    else if (row->kind == BENCH_COPY)
        text_puts(name, "limit/copy");
    else
        text_printf(name, "limit/%s/chains=%u", bench_kinds[row->kind], row->chains);
}

bool bench_row_same(const struct bench_row *a, const struct bench_row *b)
{
    return a->kind == b->kind && a->level == b->level && a->items == b->items &&
           a->chains == b->chains && a->loops == b->loops && a->words == b->words;
}

// Requirements of look-back scans on subgroups and shared memory.
static bool tile_fits(const struct bench_row *row, const struct dev_facts *facts,
                      struct lit_error *error)
{
    const uint32_t subgroups = row->workgroup / facts->subgroup;
    // Besides the vectors: the tile, the preceding sum, and a sum for each subgroup.
    const uint32_t bytes =
        row->shared * row->workgroup * 16 + (subgroups + 2) * 4 * cat_scan_words(row->scan);
    if (facts->subgroup > row->lanes)
        return lit_fail(error, LIT_EXIT_NOTHING, "subgroups of %u, it is for at most %u",
                        facts->subgroup, row->lanes);
    if (!subgroups || row->workgroup % facts->subgroup || subgroups > 4 * facts->subgroup)
        return lit_fail(
            error, LIT_EXIT_NOTHING,
            "%u subgroups of %u in a workgroup, it is for 1 to four times as many as lanes",
            subgroups, facts->subgroup);
    return bytes <= facts->max_shared ||
           lit_fail(error, LIT_EXIT_NOTHING,
                    "%u bytes of shared memory > maxComputeSharedMemorySize %u", bytes,
                    facts->max_shared);
}

bool bench_row_fits(const struct bench_row *row, const struct dev_facts *facts,
                    struct lit_error *error)
{
    const struct {
        const char *what, *limit;
        uint64_t needed, most; // most 0: unknown
    } limits[] = {
        {"invocations in a workgroup", "maxComputeWorkGroupInvocations", row->workgroup,
         facts->max_workgroup},
        {"workgroups", "maxComputeWorkGroupCount", row->workgroups, facts->max_workgroups},
        // Copies compared with look-back scans do not use subgroups, and address their buffers.
        {"subgroups in a workgroup", "maxComputeWorkgroupSubgroups",
         row->tile && !row->lanes ? 0 : row->workgroup / facts->subgroup, facts->max_subgroups},
        {"bytes of a buffer", "maxStorageBufferRange", row->tile ? 0 : row->words * 4,
         facts->max_storage_buffer},
    };
    if (row->tile && !look_row_exists(row))
        return lit_fail(error, LIT_EXIT_NOTHING, "there is no such row of %" PRIu64 " words",
                        row->words);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].most && limits[i].needed > limits[i].most)
            return lit_fail(error, LIT_EXIT_NOTHING, "%" PRIu64 " %s > %s %" PRIu64,
                            limits[i].needed, limits[i].what, limits[i].limit, limits[i].most);
    if (row->kind == BENCH_SERIAL && !facts->cpu)
        return lit_fail(error, LIT_EXIT_NOTHING, "one invocation scans alone on a CPU only");
    if (row->lanes && !tile_fits(row, facts, error))
        return false;
    for (int f = 0; f < CAT_FEATURE_COUNT; f++)
        if (row->kernel->features & ~facts->features & UINT64_C(1) << f)
            return lit_fail(error, LIT_EXIT_NOTHING, "%s", cat_feature_name((enum cat_feature)f));
    return true;
}

// --- litmus bench scan

uint32_t bench_copied(uint64_t elements, const struct dev_facts *facts)
{
    uint32_t words = COPIED_MOST;
    if (elements < COPIED_MOST / COPIED_PER_ELEMENT)
        words = (uint32_t)elements * COPIED_PER_ELEMENT;
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

// Kogge and Stone's steps count every lane, even those that add zero: the algorithm is defined so
// for lanes in lockstep, and the emulated scan executes it so.
static void count_scan(struct bench_row *row, uint32_t subgroup)
{
    const uint64_t steps = log2_of(subgroup);
    const uint64_t invocations = row->words / row->items;
    row->shuffles = invocations * (row->items == 1 ? steps : steps + 1);
    row->adds = invocations * (row->items == 1 ? steps : 3 + steps + 4);
    if (row->level == BENCH_WORKGROUP) {
        // Each block computes totals in chunks of a subgroup's size, carries the sum from one chunk
        // to the next, then adds the sum to the left to each word.
        const uint64_t chunks = (BENCH_BLOCK / subgroup + subgroup - 1) / subgroup;
        const uint64_t lanes = invocations / BENCH_BLOCK * chunks * subgroup;
        row->shuffles += lanes * (chunks > 1 ? steps + 1 : steps);
        row->adds += lanes * (chunks > 1 ? steps + 1 : steps) + row->words;
    }
    row->shuffles *= row->loops;
    row->adds *= row->loops;
}

static const struct cat_kernel *kernel_of(const struct bench_row *row)
{
    char name[96];
    if (row->kind == BENCH_SCAN)
        snprintf(name, sizeof name, "bench/scan/level=%s/operation=%s/barrier=%s/items=%u",
                 bench_levels[row->level], bench_operations[row->operation],
                 bench_barriers[row->barrier], row->items);
    else
        snprintf(name, sizeof name, "bench/limit/kind=%s%s", bench_kinds[row->kind],
                 row->kind == BENCH_COPY ? ""
                 : row->chains == 1      ? "/chains=one"
                                         : "/chains=many");
    return cat_kernel_find(name);
}

const struct cat_kernel *bench_copy_kernel(void)
{
    return kernel_of(&(struct bench_row){.kind = BENCH_COPY});
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
        .workgroups = (uint32_t)(shape->elements / (invocations * items)),
        .loops = shape->loops,
        .words = shape->elements,
        .bytes = shape->elements * 8,
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
    for (size_t i = 0; i < count; i++)
        rows[i].kernel = kernel_of(&rows[i]);
    return count;
}

// --- litmus bench lookback

static const uint32_t widths[LOOK_WIDTHS] = {64, 128, 256, 384, 512, 640, 768, 1024};

// The kernels in the order of spirv/kernels, copies first.
static const struct cat_kernel *look_kernels[LOOK_ROWS / LOOK_WIDTHS];
static size_t copy_kernels, all_kernels;

static void find_kernels(void)
{
    static const char *const starts[] = {COPIES, LOOKBACK, SERIAL};
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
        for (size_t i = 0; i < cat_kernel_count; i++) {
            if (strncmp(cat_kernels[i].name, starts[s], strlen(starts[s])) != 0)
                continue;
            if (all_kernels == LOOK_ROWS / LOOK_WIDTHS)
                lit_give_up("spirv/kernels has more scans than LOOK_ROWS allows for");
            look_kernels[all_kernels++] = &cat_kernels[i];
        }
        copy_kernels = s ? copy_kernels : all_kernels;
    }
}

static void need_kernels(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_kernels);
}

size_t look_rows(void)
{
    need_kernels();
    return all_kernels * LOOK_WIDTHS;
}

size_t look_copies(void)
{
    need_kernels();
    return copy_kernels * LOOK_WIDTHS;
}

static uint32_t number_of(const struct cat_kernel *kernel, const char *axis)
{
    const char *value = cat_kernel_choice(kernel, axis);
    return value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

static bool is_choice(const struct cat_kernel *kernel, const char *axis, const char *value)
{
    const char *own = cat_kernel_choice(kernel, axis);
    const size_t length = strlen(value);
    return own && strncmp(own, value, length) == 0 && strcspn(own, "/") == length;
}

enum bench_kind look_kind(size_t number)
{
    need_kernels();
    const struct cat_kernel *kernel = look_kernels[number / LOOK_WIDTHS];
    return number / LOOK_WIDTHS < copy_kernels   ? BENCH_COPY
           : strcmp(kernel->name, SERIAL) == 0   ? BENCH_SERIAL
           : is_choice(kernel, "stage", "alone") ? BENCH_TILES
                                                 : BENCH_LOOKBACK;
}

struct bench_row look_row(size_t number, uint64_t elements)
{
    const enum bench_kind kind = look_kind(number);
    const struct cat_kernel *kernel = look_kernels[number / LOOK_WIDTHS];
    struct bench_row row = {
        .kind = kind,
        .kernel = kernel,
        .held = number_of(kernel, kind == BENCH_COPY ? "vectors" : "held"),
        .shared = number_of(kernel, "shared"),
        .lanes = number_of(kernel, "lanes"),
        .by_number = is_choice(kernel, "order", "id"),
        .scan = cat_kernel_scan(kernel),
        .in_place = is_choice(kernel, "place", "same"),
        .far = is_choice(kernel, "reach", "far"),
        .workgroup = widths[number % LOOK_WIDTHS],
        .loops = 1,
        .words = elements,
        .bytes = elements * 8,
    };
    row.tile = kind == BENCH_SERIAL ? LOOK_SERIAL : row.workgroup * (row.held + row.shared) * 4;
    row.workgroups = (uint32_t)((elements - 1) / row.tile + 1);
    return row;
}

bool look_row_exists(const struct bench_row *row)
{
    if (row->kind == BENCH_SERIAL)
        return row->words <= LOOK_SERIAL && row->workgroup == widths[0];
    return (row->kind != BENCH_COPY || row->words % row->tile == 0) &&
           row->far == (row->words > LOOK_NEAR) &&
           row->workgroup * row->held * 4 <= LOOK_HELD_WORDS;
}

bool look_row_find(const char *name, size_t *number)
{
    bool found = false;
    for (size_t i = 0; i < look_rows() && !found; i++) {
        const struct bench_row row = look_row(i, LOOK_ELEMENTS);
        OWNED(text_free) struct text own = {0};
        bench_row_name(&row, &own);
        found = strcmp(own.data, name) == 0;
        if (found)
            *number = i;
    }
    return found;
}

uint64_t look_segment(const struct bench_row *row)
{
    return row->kind == BENCH_COPY ? 1 : row->kind == BENCH_TILES ? row->tile : row->words;
}

uint32_t look_state_words(const struct bench_row *row)
{
    return LOOK_STATE_WORDS + row->workgroups * LOOK_TILE_WORDS * cat_scan_words(row->scan);
}

void look_set_write(const struct look_set *set, char text[LOOK_SET_TEXT])
{
    for (size_t i = 0; i < look_rows(); i++)
        text[i] = set->has[i] ? '1' : '0';
    text[look_rows()] = '\0';
}

bool look_set_read(const char *text, struct look_set *set)
{
    memset(set, 0, sizeof *set);
    for (size_t i = 0; text[i]; i++) {
        if (i >= look_rows() || !strchr("01", text[i]))
            return false;
        set->has[i] = text[i] == '1';
    }
    return true;
}

size_t look_set_count(const struct look_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < look_rows(); i++)
        count += set->has[i];
    return count;
}

// Starting points, the first that fits applies: large tiles for large inputs, small tiles
// where few would leave parts of a device idle. For subgroups of 32 as measured on the devices of
// docs/performance.md; for 8, 16, 64 and 128 by the counts of tools/lookback-counts, never timed;
// for others a moderate choice.
static const struct {
    uint32_t subgroup; // 0: any
    uint64_t most;     // for inputs up to this many words
    const char *shape, *encoding, *order, *fence;
    uint32_t workgroup;
} defaults[] = {
    {32, 1u << 21, "held=4/shared=0/looks=4/lanes=32", "word64", "fallback", "device", 640},
    {32, 1u << 23, "held=8/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 512},
    {32, 1u << 27, "held=8/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 640},
    {32, LOOK_MOST, "held=30/shared=5/looks=1/lanes=32", "word64", "fallback", "device", 384},
    {32, LOOK_MOST, "held=12/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 1024},
    {32, LOOK_MOST, "held=8/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 256},
    {8, 1u << 21, "held=4/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 256},
    {8, 1u << 27, "held=8/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 256},
    {8, LOOK_MOST, "held=30/shared=5/looks=1/lanes=32", "word64", "fallback", "device", 256},
    {8, LOOK_MOST, "held=8/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 256},
    {16, 1u << 21, "held=4/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 640},
    {16, 1u << 23, "held=8/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 512},
    {16, 1u << 27, "held=8/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 640},
    {16, LOOK_MOST, "held=30/shared=5/looks=1/lanes=32", "word64", "fallback", "device", 256},
    {16, LOOK_MOST, "held=8/shared=0/looks=1/lanes=32", "word64", "fallback", "device", 256},
    {64, 1u << 21, "held=4/shared=0/looks=1/lanes=64", "word64", "ticket", "device", 640},
    {64, 1u << 23, "held=8/shared=0/looks=1/lanes=64", "word64", "ticket", "device", 512},
    {64, 1u << 27, "held=8/shared=0/looks=1/lanes=64", "word64", "ticket", "device", 640},
    {64, LOOK_MOST, "held=8/shared=0/looks=1/lanes=64", "word64", "ticket", "device", 1024},
    {64, LOOK_MOST, "held=8/shared=0/looks=1/lanes=64", "word64", "ticket", "device", 256},
    {64, LOOK_MOST, "held=4/shared=0/looks=1/lanes=64", "split", "ticket", "subgroup", 256},
    {64, LOOK_MOST, "held=4/shared=0/looks=1/lanes=64", "split", "ticket", "subgroup", 128},
    {128, 1u << 21, "held=4/shared=0/looks=1/lanes=128", "word64", "ticket", "subgroup", 640},
    {128, LOOK_MOST, "held=4/shared=0/looks=1/lanes=128", "word64", "ticket", "subgroup", 1024},
    {128, LOOK_MOST, "held=4/shared=0/looks=1/lanes=128", "word64", "ticket", "subgroup", 512},
    {128, LOOK_MOST, "held=4/shared=0/looks=1/lanes=128", "split", "ticket", "subgroup", 128},
    {0, LOOK_MOST, "held=4/shared=0/looks=2/lanes=32", "word64", "ticket", "subgroup", 256},
    {0, LOOK_MOST, "held=4/shared=0/looks=1/lanes=32", "split", "ticket", "subgroup", 256},
    {0, LOOK_MOST, "held=4/shared=0/looks=1/lanes=32", "split", "ticket", "subgroup", 64},
};

static bool look_fits(size_t number, uint64_t elements, const struct dev_facts *facts)
{
    const struct bench_row row = look_row(number, elements);
    return bench_row_fits(&row, facts, NULL);
}

bool look_default(uint64_t elements, const struct dev_facts *facts, size_t *number)
{
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        OWNED(text_free) struct text name = {0};
        if ((defaults[i].subgroup && defaults[i].subgroup != facts->subgroup) ||
            elements > defaults[i].most)
            continue;
        text_printf(&name,
                    "%s/encoding=%s/order=%s/edge=branch/stage=whole/fence=%s%s/workgroup=%u",
                    defaults[i].shape, defaults[i].encoding, defaults[i].order, defaults[i].fence,
                    elements > LOOK_NEAR ? "/reach=far" : "", defaults[i].workgroup);
        const bool found = look_row_find(name.data, number) && look_fits(*number, elements, facts);
        if (found)
            return true;
    }
    // Any kernel that was built and fits.
    for (size_t i = look_copies(); i < look_rows(); i++)
        if (look_kind(i) == BENCH_LOOKBACK && look_row(i, elements).scan == CAT_SCAN_ADD &&
            look_fits(i, elements, facts)) {
            *number = i;
            return true;
        }
    return false;
}

// The row's kernel without the look-back, in tiles of the same order.
static bool is_tiles_of(const struct bench_row *local, const struct bench_row *row)
{
    return local->kind == BENCH_TILES && local->workgroup == row->workgroup &&
           local->held == row->held && local->shared == row->shared && local->lanes == row->lanes &&
           local->by_number == row->by_number && local->far == row->far;
}

bool look_tiles_only(size_t number, size_t *local)
{
    const struct bench_row row = look_row(number, LOOK_ELEMENTS);
    for (size_t i = look_copies(); i < look_rows() && row.kind == BENCH_LOOKBACK; i++) {
        const struct bench_row other = look_row(i, LOOK_ELEMENTS);
        if (is_tiles_of(&other, &row)) {
            *local = i;
            return true;
        }
    }
    return false;
}
