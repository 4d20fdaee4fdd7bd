// SPDX-License-Identifier: Apache-2.0
// The device-side checker. The head of spirv/checker/compare.spvasm defines its interface.
#include "device/checking.h"

enum {
    GROUP = 64,     // workgroup size
    TURN = 4,       // vectors that an invocation loads at once
    MOST_SLOTS = 4, // slots per workgroup
    SPEC_MODE = 1,

    RUN_WORDS = 32, // words of a run's slot
    RUN_COMPARED = 0,
    RUN_DIGEST = 1,
    RUN_INSTANCES = 2,
    RUN_FAILED = 3,
    RUN_STATE = 4,
    RUN_RECORDED = 5,
    RUN_OUTCOMES = 8,
    DEV_OUTCOMES = 16,

    RECORD_WORDS = 8, // words per record
};

#define UNTOUCHED 0xFFFFFFFFu // set by the host where the device must store its result

struct push {
    uint32_t words_per_instance, instances, output_words, first_run, record_capacity;
    uint32_t vectors_per_invocation;
    uint32_t failing; // bit i: outcome i fails
    uint32_t slots, slots_per_group, output_stride, state_stride;
    uint32_t reserved;
};
_Static_assert(sizeof(struct push) == DEV_CHECKER_PUSH, "the checker's push constants");

struct fill_push {
    uint32_t output_vectors, state_words, instance_words;
};

static enum dev_status make_pipelines(struct dev *dev, enum cat_check check,
                                      struct lit_error *error)
{
    const bool by_words = dev_checks_words(dev);
    const char *const names[DEV_PASSES] = {
        [DEV_FILL] = "checker/fill/pass=fill",
        [DEV_COMPARE] =
            by_words ? "checker/compare/pass=compare/one=word" : "checker/compare/pass=compare",
        [DEV_SUMMARISE] = "checker/compare/pass=summarise",
    };
    // Skip passes that are not needed, because some drivers compile slowly.
    for (int pass = by_words ? DEV_COMPARE : DEV_FILL; pass < DEV_PASSES; pass++)
        if (!dev->checker[check][pass])
            TRY(dev_kernel(dev, names[pass], (const uint32_t[]){SPEC_MODE},
                           (const uint32_t[]){(uint32_t)check}, 1, dev->checker_layout.pipeline,
                           &dev->checker[check][pass], error));
    return DEV_OK;
}

// Records are in host-visible memory: they remain readable while the device runs the next batch,
// and after it is lost. Words that no checker wrote are UNTOUCHED.
static enum dev_status need_records(struct dev *dev, uint64_t words, struct lit_error *error)
{
    struct dev_buffer *records = &dev->records;
    if (records->mapped && records->words >= words)
        return DEV_OK;
    dev_buffer_destroy(dev, records);
    TRY(dev_buffer_create(dev, DEV_FOR_HOST, words, records, error));
    memset(records->mapped, 0xff, words * 4);
    return DEV_OK;
}

static enum dev_status make_buffers(struct dev *dev, struct dev_checking *checking,
                                    struct lit_error *error)
{
    const uint64_t instances = checking->shape.instances;
    const uint64_t runs = (uint64_t)checking->batch * DEV_HALVES;
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, checking->slots.count * instances * 2,
                          &checking->instances, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, runs * RUN_WORDS, &checking->runs, error));
    TRY(dev_buffer_create(dev, DEV_FOR_HOST, runs * RUN_WORDS, &checking->readback, error));
    return need_records(dev, runs * checking->records_each * RECORD_WORDS, error);
}

bool dev_checks_words(const struct dev *dev)
{
    return dev->facts.driver_id == VK_DRIVER_ID_MESA_LLVMPIPE;
}

enum dev_status dev_checking_init(struct dev *dev, struct dev_checking *checking,
                                  const struct cat_mode *mode, const struct cat_shape *shape,
                                  const struct dev_slots *slots, const struct dev_buffer *output,
                                  const struct dev_buffer *state, const uint32_t *expected,
                                  uint32_t batch, struct lit_error *error)
{
    checking->shape = *shape;
    checking->mode = *mode;
    checking->batch = batch;
    checking->slots = *slots;
    checking->fills = !dev->facts.cpu && !dev_checks_words(dev);
    checking->output = output;
    checking->state = state;
    checking->output_words = shape->instances * shape->words_per_instance;
    checking->records_each =
        shape->instances < DEV_RECORDS ? (uint32_t)shape->instances : DEV_RECORDS;

    const uint64_t expected_words = checking->output_words * cat_check_stride(mode->check);
    TRY(make_pipelines(dev, mode->check, error));
    // Reads whole vectors, but ignores words after the last.
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, (expected_words + 3) / 4 * 4, &checking->expected,
                          error));
    TRY(dev_upload(dev, &checking->expected, expected, expected_words, error));
    TRY(make_buffers(dev, checking, error));
    const struct dev_buffer *const bindings[DEV_CHECKER_BINDINGS] = {
        output, &checking->expected, state, &checking->instances, &checking->runs, &dev->records,
    };
    return dev_describe(dev, &dev->checker_layout, dev_plain, DEV_CHECKER_BINDINGS, bindings,
                        &checking->sets, error);
}

void dev_checking_clear(struct dev *dev, struct dev_checking *checking)
{
    vkDestroyDescriptorPool(dev->device, checking->sets.pool, NULL);
    dev_buffer_destroy(dev, &checking->expected);
    dev_buffer_destroy(dev, &checking->instances);
    dev_buffer_destroy(dev, &checking->runs);
    dev_buffer_destroy(dev, &checking->readback);
    // The reference driver's random choices also depend on addresses, which must not depend on
    // earlier runs.
    if (dev->begin_run)
        dev_buffer_destroy(dev, &dev->records);
    memset(checking, 0, sizeof *checking);
}

// Words per half of the buffers for runs.
static uint64_t words_of(const struct dev_checking *checking)
{
    return (uint64_t)checking->batch * RUN_WORDS;
}

void dev_checking_forget(struct dev_checking *checking, uint32_t half)
{
    const uint64_t words = words_of(checking);
    memset(checking->readback.mapped + half * words, 0xff, words * 4);
}

void dev_checking_begin(struct dev *dev, const struct dev_checking *checking, uint32_t half)
{
    const uint64_t words = words_of(checking);
    dev_fill(dev, &checking->runs, half * words, words, 0);
}

static void fill_by_kernel(struct dev *dev, const struct dev_checking *checking, uint32_t slots)
{
    const struct fill_push push = {
        .output_vectors = (uint32_t)(slots * checking->slots.output / 4),
        .state_words = (uint32_t)(slots * checking->slots.state),
        .instance_words = (uint32_t)(slots * checking->shape.instances * 2),
    };
    uint64_t most = push.output_vectors;
    most = push.state_words > most ? push.state_words : most;
    most = push.instance_words > most ? push.instance_words : most;
    const uint64_t groups = (most + GROUP - 1) / GROUP;
    dev_bind(dev, dev->checker[checking->mode.check][DEV_FILL], dev->checker_layout.pipeline,
             &checking->sets, &push, sizeof push);
    vkCmdDispatch(dev->commands, groups < 65535 ? (uint32_t)groups : 65535, 1, 1);
}

void dev_checking_fill(struct dev *dev, struct dev_checking *checking, uint32_t slots)
{
    // The kernel does not handle partial vectors.
    if (checking->fills && checking->slots.output % 4 == 0) {
        fill_by_kernel(dev, checking, slots);
    } else {
        dev_fill(dev, checking->output, 0, slots * checking->slots.output, CAT_POISON);
        dev_fill(dev, checking->state, 0, slots * checking->slots.state, 0);
        dev_fill(dev, &checking->instances, 0, slots * checking->shape.instances * 2, UNTOUCHED);
    }
    dev_barrier(dev);
}

static void dispatch(struct dev *dev, struct dev_checking *checking, enum dev_pass pass,
                     const struct push *push, uint64_t invocations, uint32_t depth)
{
    // Split over two dimensions, with fewer than `high` surplus workgroups.
    const uint64_t groups = (invocations + GROUP - 1) / GROUP;
    const uint64_t high = (groups + 65534) / 65535;
    dev_bind(dev, dev->checker[checking->mode.check][pass], dev->checker_layout.pipeline,
             &checking->sets, push, sizeof *push);
    vkCmdDispatch(dev->commands, (uint32_t)((groups + high - 1) / high), (uint32_t)high, depth);
    dev_barrier(dev);
}

// As a bit mask.
static uint32_t failing_outcomes(const struct cat_mode *mode)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < DEV_OUTCOMES; i++)
        bits |= (uint32_t)cat_mode_fails(mode, i) << i;
    return bits;
}

void dev_checking_check(struct dev *dev, struct dev_checking *checking, uint32_t half,
                        uint32_t first_run, uint32_t slots)
{
    struct dev_division division = checking->division;
    if (!division.vectors)
        division = dev_slots_divide(checking->output_words, slots, dev->facts.cpu);
    const bool by_words = dev_checks_words(dev);
    const uint32_t most_slots = by_words || slots < MOST_SLOTS ? slots : MOST_SLOTS;
    if (division.slots > most_slots)
        division.slots = most_slots;
    const uint32_t width = by_words ? 1 : 4;
    const uint32_t each =
        by_words ? division.vectors * 4 : (division.vectors + TURN - 1) / TURN * TURN;
    const struct push push = {
        .words_per_instance = (uint32_t)checking->shape.words_per_instance,
        .instances = (uint32_t)checking->shape.instances,
        .output_words = (uint32_t)checking->output_words,
        .first_run = half * checking->batch + first_run,
        .record_capacity = checking->records_each,
        .vectors_per_invocation = each,
        .failing = failing_outcomes(&checking->mode),
        .slots = slots,
        .slots_per_group = division.slots,
        .output_stride = (uint32_t)checking->slots.output,
        .state_stride = (uint32_t)checking->slots.state,
    };
    // If there is no whole vector, one workgroup handles the remainder.
    const uint64_t whole = checking->output_words / width, vectors = whole ? whole : 1;
    dispatch(dev, checking, DEV_COMPARE, &push, (vectors + each - 1) / each,
             (slots + division.slots - 1) / division.slots);
    dispatch(dev, checking, DEV_SUMMARISE, &push, checking->shape.instances, slots);
}

void dev_checking_end(struct dev *dev, struct dev_checking *checking, uint32_t half, uint32_t runs)
{
    const uint64_t at = half * words_of(checking);
    dev_copy(dev, &checking->runs, at, &checking->readback, at, (uint64_t)runs * RUN_WORDS);
    dev_barrier(dev);
}

// Reads one run's slot. False if it is inconsistent.
static bool read_run(const struct dev_checking *checking, const uint32_t *slot, struct cat_run *run,
                     bool *expired)
{
    uint64_t instances = 0, failed = 0;
    *run = (struct cat_run){
        .words = slot[RUN_COMPARED],
        .failed = slot[RUN_FAILED],
        .digest = slot[RUN_DIGEST],
    };
    for (uint32_t i = 0; i < DEV_OUTCOMES; i++) {
        run->outcomes[i] = slot[RUN_OUTCOMES + i];
        instances += run->outcomes[i];
        if (cat_mode_fails(&checking->mode, i))
            failed += run->outcomes[i];
        // The slot's state says that a bounded wait ran out; words never have that outcome.
        if (run->outcomes[i] && (!cat_mode_name(&checking->mode, i) || i == CAT_NO_PROGRESS))
            return false;
    }
    *expired = slot[RUN_STATE] != 0;
    return run->words == checking->output_words && run->failed == failed &&
           instances == checking->shape.instances && slot[RUN_INSTANCES] == instances &&
           slot[RUN_RECORDED] == (uint32_t)failed;
}

static int by_place(const void *left, const void *right)
{
    const struct cat_failure *a = left, *b = right;
    return a->instance < b->instance ? -1 : a->instance > b->instance;
}

// Reads a run's records in instance order, as far as the batch has room. `at`: the run's number in
// the record buffer. False if they are inconsistent.
static bool read_records(const struct dev_checking *checking, const uint32_t *words, uint32_t at,
                         uint32_t run, size_t count, struct dev_batch *batch)
{
    OWNED(lit_free) struct cat_failure *all = lit_alloc(count, sizeof *all);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        const uint32_t *record = words + i * RECORD_WORDS;
        all[i] = (struct cat_failure){
            .run = run,
            .instance = record[1],
            .word = record[2],
            .got = record[3],
            .want = record[4],
            .outcome = record[5],
        };
        good = record[0] == at && all[i].instance < checking->shape.instances &&
               all[i].word < checking->shape.words_per_instance &&
               cat_mode_name(&checking->mode, all[i].outcome) &&
               cat_mode_fails(&checking->mode, all[i].outcome);
    }
    if (good)
        qsort(all, count, sizeof *all, by_place);
    for (size_t i = 0; good && i < count && batch->failure_count < DEV_MAX_FAILURES; i++)
        batch->failures[batch->failure_count++] = all[i];
    return good;
}

// The number of records kept on the device for a run that requested `asked`.
static size_t kept(const struct dev_checking *checking, uint64_t asked)
{
    return asked < checking->records_each ? (size_t)asked : checking->records_each;
}

static void read_failures(struct dev *dev, const struct dev_checking *checking, uint32_t half,
                          struct dev_batch *batch)
{
    const size_t region = (size_t)checking->records_each * RECORD_WORDS;
    for (uint32_t i = 0; i < batch->runs && !batch->unchecked; i++) {
        const uint32_t at = half * checking->batch + i;
        const size_t count = kept(checking, batch->run[i].failed);
        // A run that gave up has meaningless records.
        if (count && !batch->expired[i] && batch->failure_count < DEV_MAX_FAILURES)
            batch->unchecked =
                !read_records(checking, dev->records.mapped + at * region, at, i, count, batch);
    }
}

// Resets a batch's records to UNTOUCHED for the next one; all, if their number is unknown.
static void wipe(struct dev *dev, const struct dev_checking *checking, uint32_t half,
                 const struct dev_batch *batch)
{
    const size_t region = (size_t)checking->records_each * RECORD_WORDS;
    uint32_t *records = dev->records.mapped + half * checking->batch * region;
    if (batch->unchecked)
        memset(records, 0xff, checking->batch * region * 4);
    for (uint32_t i = 0; i < batch->runs && !batch->unchecked; i++)
        memset(records + i * region, 0xff, kept(checking, batch->run[i].failed) * RECORD_WORDS * 4);
}

void dev_checking_read(struct dev *dev, struct dev_checking *checking, uint32_t half,
                       struct dev_batch *batch)
{
    const uint32_t *words = checking->readback.mapped + half * words_of(checking);
    batch->unchecked = false;
    batch->failure_count = 0;
    for (uint32_t i = 0; i < batch->runs; i++)
        if (!read_run(checking, words + (size_t)i * RUN_WORDS, &batch->run[i], &batch->expired[i]))
            batch->unchecked = true;
    read_failures(dev, checking, half, batch);
    wipe(dev, checking, half, batch);
    if (batch->unchecked)
        batch->failure_count = 0;
}

// --- Chooses the number of slots, and the checker's division of them. Pure.

#define PAGE          1024u               // words
#define ALIGNMENT     64u                 // words; the largest alignment of any device
#define CACHE_CPU     (UINT64_C(1) << 18) // words for all slots: 1 MiB
#define CACHE_GPU     (UINT64_C(1) << 22) // 16 MiB
#define FEW           4u                  // slots on a GPU if the cache is too small
#define FEW_AT_MOST   (UINT64_C(1) << 28) // words for these: 1 GiB
#define FEW_OF_HEAP   16u                 // and their part of the heap
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
