// SPDX-License-Identifier: Apache-2.0
// The device-side checker at work. Its interface is the head of spirv/checker/compare.spvasm.

#include "device/checking.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP = 64,     // invocations of the checker's workgroups
    TURN = 4,       // vectors that an invocation loads at once
    MOST_SLOTS = 4, // that a workgroup compares vectors of
    SPEC_MODE = 1,

    RUN_WORDS = 32, // of a run's slot
    RUN_COMPARED = 0,
    RUN_DIGEST = 1,
    RUN_INSTANCES = 2,
    RUN_FAILED = 3,
    RUN_STATE = 4,
    RUN_RECORDED = 5,
    RUN_OUTCOMES = 8,
    DEV_OUTCOMES = 16,

    RECORD_WORDS = 8, // of a record
};

#define UNTOUCHED 0xFFFFFFFFu // what the host leaves where the device has to store what it found

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
    // A driver that is slow to compile is spared what it does not need.
    for (int pass = by_words ? DEV_COMPARE : DEV_FILL; pass < DEV_PASSES; pass++)
        if (!dev->checker[check][pass])
            TRY(dev_kernel(dev, names[pass], (const uint32_t[]){SPEC_MODE},
                           (const uint32_t[]){(uint32_t)check}, 1, dev->checker_layout.pipeline,
                           &dev->checker[check][pass], error));
    return DEV_OK;
}

static enum dev_status make_buffers(struct dev *dev, struct dev_checking *checking,
                                    struct lit_error *error)
{
    const uint64_t instances = checking->shape.instances;
    const uint64_t run_words = (uint64_t)checking->batch * RUN_WORDS;
    const uint64_t kept_words = (uint64_t)checking->records_each * RECORD_WORDS;
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, checking->slots.count * instances * 2,
                          &checking->instances, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, run_words, &checking->runs, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, checking->batch * kept_words, &checking->records,
                          error));
    TRY(dev_buffer_create(dev, DEV_FOR_HOST, run_words, &checking->readback, error));
    return dev_buffer_create(dev, DEV_FOR_HOST, DEV_MAX_FAILURES * kept_words, &checking->kept,
                             error);
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
    // Whole vectors are read, though nothing of what lies behind the last word is looked at.
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, (expected_words + 3) / 4 * 4, &checking->expected,
                          error));
    TRY(dev_upload(dev, &checking->expected, expected, expected_words, error));
    TRY(make_buffers(dev, checking, error));
    const struct dev_buffer *const bindings[DEV_CHECKER_BINDINGS] = {
        output,          &checking->expected, state, &checking->instances,
        &checking->runs, &checking->records,
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
    dev_buffer_destroy(dev, &checking->records);
    dev_buffer_destroy(dev, &checking->readback);
    dev_buffer_destroy(dev, &checking->kept);
    memset(checking, 0, sizeof *checking);
}

void dev_checking_forget(struct dev_checking *checking)
{
    memset(checking->readback.mapped, 0xff, checking->readback.words * 4);
}

void dev_checking_begin(struct dev *dev, const struct dev_checking *checking)
{
    vkCmdFillBuffer(dev->commands, checking->runs.handle, 0, VK_WHOLE_SIZE, 0);
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
    // The kernel has no part of a vector.
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
    // Shared out over two dimensions, with fewer than `high` workgroups too many.
    const uint64_t groups = (invocations + GROUP - 1) / GROUP;
    const uint64_t high = (groups + 65534) / 65535;
    dev_bind(dev, dev->checker[checking->mode.check][pass], dev->checker_layout.pipeline,
             &checking->sets, push, sizeof *push);
    vkCmdDispatch(dev->commands, (uint32_t)((groups + high - 1) / high), (uint32_t)high, depth);
    dev_barrier(dev);
}

// As bits.
static uint32_t failing_outcomes(const struct cat_mode *mode)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < DEV_OUTCOMES; i++)
        bits |= (uint32_t)cat_mode_fails(mode, i) << i;
    return bits;
}

void dev_checking_check(struct dev *dev, struct dev_checking *checking, uint32_t first_run,
                        uint32_t slots)
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
        .first_run = first_run,
        .record_capacity = checking->records_each,
        .vectors_per_invocation = each,
        .failing = failing_outcomes(&checking->mode),
        .slots = slots,
        .slots_per_group = division.slots,
        .output_stride = (uint32_t)checking->slots.output,
        .state_stride = (uint32_t)checking->slots.state,
    };
    // Without a whole vector there is still the one workgroup that takes what is left of one.
    const uint64_t whole = checking->output_words / width, vectors = whole ? whole : 1;
    dispatch(dev, checking, DEV_COMPARE, &push, (vectors + each - 1) / each,
             (slots + division.slots - 1) / division.slots);
    dispatch(dev, checking, DEV_SUMMARISE, &push, checking->shape.instances, slots);
}

void dev_checking_end(struct dev *dev, struct dev_checking *checking, uint32_t runs)
{
    dev_copy(dev, &checking->runs, 0, &checking->readback, 0, (uint64_t)runs * RUN_WORDS);
    dev_barrier(dev);
}

// One run's slot. False if it does not add up.
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
        // A bounded wait that ran out is in the slot's state, and no word has that outcome.
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

// The records of a run, in the order of its instances, as far as there is room for them in the
// batch. False if they do not add up.
static bool read_records(const struct dev_checking *checking, const uint32_t *words, uint32_t run,
                         size_t count, struct dev_batch *batch)
{
    OWNED(lit_free) struct cat_failure *all = lit_alloc(count, sizeof *all);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        const uint32_t *record = words + i * RECORD_WORDS;
        all[i] = (struct cat_failure){
            .run = record[0],
            .instance = record[1],
            .word = record[2],
            .got = record[3],
            .want = record[4],
            .outcome = record[5],
        };
        good = all[i].run == run && all[i].instance < checking->shape.instances &&
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

// The runs whose records are wanted: the first ones that failed, until there are enough failures.
struct wanted {
    size_t runs, failures;
    struct {
        uint32_t run;
        size_t count;
    } of[DEV_MAX_FAILURES];
};

// Those of a run that gave up are of what it did not come to.
static void want(const struct dev_checking *checking, const struct dev_batch *batch,
                 struct wanted *wanted)
{
    for (uint32_t i = 0; i < batch->runs && wanted->failures < DEV_MAX_FAILURES; i++) {
        const uint64_t failed = batch->run[i].failed;
        const size_t count =
            failed < checking->records_each ? (size_t)failed : checking->records_each;
        if (!count || batch->expired[i])
            continue;
        wanted->of[wanted->runs].run = i;
        wanted->of[wanted->runs++].count = count;
        wanted->failures += count;
    }
}

static enum dev_status fetch_records(struct dev *dev, struct dev_checking *checking,
                                     const struct wanted *wanted, uint32_t timeout_ms,
                                     struct lit_error *error)
{
    const uint64_t region = (uint64_t)checking->records_each * RECORD_WORDS;
    TRY(dev_begin(dev, error));
    for (size_t i = 0; i < wanted->runs; i++) {
        const uint64_t words = wanted->of[i].count * RECORD_WORDS;
        memset(checking->kept.mapped + i * region, 0xff, words * 4);
        dev_copy(dev, &checking->records, wanted->of[i].run * region, &checking->kept, i * region,
                 words);
    }
    dev_barrier(dev);
    return dev_submit(dev, timeout_ms, error);
}

enum dev_status dev_checking_read(struct dev *dev, struct dev_checking *checking,
                                  struct dev_batch *batch, uint32_t timeout_ms,
                                  struct lit_error *error)
{
    struct wanted wanted = {0};
    const uint32_t *words = checking->readback.mapped;
    batch->unchecked = false;
    batch->failure_count = 0;
    for (uint32_t i = 0; i < batch->runs; i++)
        if (!read_run(checking, words + (size_t)i * RUN_WORDS, &batch->run[i], &batch->expired[i]))
            batch->unchecked = true;
    if (batch->unchecked)
        return DEV_OK;
    want(checking, batch, &wanted);
    if (!wanted.runs)
        return DEV_OK;
    TRY(fetch_records(dev, checking, &wanted, timeout_ms, error));
    for (size_t i = 0; i < wanted.runs && !batch->unchecked; i++)
        batch->unchecked = !read_records(
            checking, checking->kept.mapped + i * checking->records_each * RECORD_WORDS,
            wanted.of[i].run, wanted.of[i].count, batch);
    if (batch->unchecked)
        batch->failure_count = 0;
    return DEV_OK;
}
