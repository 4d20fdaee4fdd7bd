// SPDX-License-Identifier: Apache-2.0
// The device-side checker at work. Its interface is the head of spirv/checker/compare.spvasm.

#include "device/checking.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

extern const uint32_t checker_compare_words[];
extern const size_t checker_compare_count;
extern const uint32_t checker_summarise_words[];
extern const size_t checker_summarise_count;

enum {
    GROUP = 64, // invocations of the checker's workgroups
    SPEC_MODE = 1,

    RUN_WORDS = 32, // of a run's slot
    RUN_COMPARED = 0,
    RUN_DIGEST = 1,
    RUN_INSTANCES = 2,
    RUN_FAILED = 3,
    RUN_STATE = 4,
    RUN_OUTCOMES = 8,

    RECORD_WORDS = 8, // of a record, and of the header before them
};

#define UNTOUCHED 0xFFFFFFFFu // what the host leaves where the device has to store what it found

struct push {
    uint32_t words_per_instance, instances, output_words, run_slot, record_capacity;
    uint32_t words_per_invocation;
    uint32_t failing; // bit i: outcome i fails
    uint32_t reserved;
};
_Static_assert(sizeof(struct push) == DEV_PUSH_BYTES, "the checker's push constants");

static enum dev_status make_pipelines(struct dev *dev, enum cat_check check,
                                      struct lit_error *error)
{
    static const uint32_t *const words[DEV_PASSES] = {checker_compare_words,
                                                      checker_summarise_words};
    const size_t counts[DEV_PASSES] = {checker_compare_count, checker_summarise_count};
    enum dev_status status = DEV_OK;
    for (int pass = 0; pass < DEV_PASSES; pass++)
        if (!dev->checker[check][pass])
            TRY(dev_pipeline(dev,
                             &(struct dev_pipeline_info){
                                 .words = words[pass],
                                 .word_count = counts[pass],
                                 .spec_ids = (const uint32_t[]){SPEC_MODE},
                                 .spec_values = (const uint32_t[]){(uint32_t)check},
                                 .spec_count = 1,
                                 .layout = dev->checker_layout,
                             },
                             &dev->checker[check][pass], error));
error:
    return status;
}

// Few workgroups cost little on a CPU, many keep a GPU busy.
static uint32_t words_per_invocation(const struct dev *dev, uint64_t words)
{
    const uint64_t groups = dev->facts.cpu ? 16 : 2048;
    const uint64_t each = words / (groups * GROUP);
    return each < 4 ? 4 : each > 4096 ? 4096 : (uint32_t)each;
}

enum dev_status dev_checking_init(struct dev *dev, struct dev_checking *checking,
                                  const struct cat_mode *mode, const struct cat_shape *shape,
                                  const struct dev_buffer *output, const struct dev_buffer *state,
                                  const uint32_t *expected, uint32_t batch, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    checking->shape = *shape;
    checking->mode = *mode;
    checking->batch = batch;
    checking->output = output;
    checking->state = state;
    checking->output_words = shape->instances * shape->words_per_instance;
    checking->words_per_invocation = words_per_invocation(dev, checking->output_words);

    const uint64_t expected_words = checking->output_words * cat_check_stride(mode->check);
    const uint64_t run_words = (uint64_t)batch * RUN_WORDS;
    const uint64_t record_words = (DEV_RECORDS + 1) * RECORD_WORDS;
    TRY(make_pipelines(dev, mode->check, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, expected_words, &checking->expected, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, shape->instances * 2, &checking->instances, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, run_words, &checking->runs, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, record_words, &checking->records, error));
    TRY(dev_buffer_create(dev, DEV_FOR_HOST, run_words + record_words, &checking->readback, error));
    TRY(dev_upload(dev, &checking->expected, expected, expected_words, error));
    const struct dev_buffer *const bindings[DEV_CHECKER_BINDINGS] = {
        output,          &checking->expected, state, &checking->instances,
        &checking->runs, &checking->records,
    };
    TRY(dev_describe(dev, dev->checker_set_layout, bindings, DEV_CHECKER_BINDINGS, &checking->pool,
                     &checking->set, error));
error:
    return status;
}

void dev_checking_clear(struct dev *dev, struct dev_checking *checking)
{
    vkDestroyDescriptorPool(dev->device, checking->pool, NULL);
    dev_buffer_destroy(dev, &checking->expected);
    dev_buffer_destroy(dev, &checking->instances);
    dev_buffer_destroy(dev, &checking->runs);
    dev_buffer_destroy(dev, &checking->records);
    dev_buffer_destroy(dev, &checking->readback);
    memset(checking, 0, sizeof *checking);
}

void dev_checking_begin(struct dev *dev, struct dev_checking *checking)
{
    memset(checking->readback.mapped, 0xff, checking->readback.words * 4);
    vkCmdFillBuffer(dev->commands, checking->runs.handle, 0, VK_WHOLE_SIZE, 0);
    vkCmdFillBuffer(dev->commands, checking->records.handle, 0, VK_WHOLE_SIZE, 0);
}

void dev_checking_prepare(struct dev *dev, struct dev_checking *checking)
{
    vkCmdFillBuffer(dev->commands, checking->instances.handle, 0, VK_WHOLE_SIZE, UNTOUCHED);
}

static void dispatch(struct dev *dev, struct dev_checking *checking, enum dev_pass pass,
                     uint64_t invocations)
{
    // Shared out over two dimensions, with fewer than `high` workgroups too many.
    const uint64_t groups = (invocations + GROUP - 1) / GROUP;
    const uint64_t high = (groups + 65534) / 65535;
    vkCmdBindPipeline(dev->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                      dev->checker[checking->mode.check][pass]);
    vkCmdDispatch(dev->commands, (uint32_t)((groups + high - 1) / high), (uint32_t)high, 1);
    dev_barrier(dev);
}

// As bits.
static uint32_t failing_outcomes(const struct cat_mode *mode)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++)
        bits |= (uint32_t)cat_mode_fails(mode, i) << i;
    return bits;
}

void dev_checking_check(struct dev *dev, struct dev_checking *checking, uint32_t slot)
{
    const struct push push = {
        .words_per_instance = (uint32_t)checking->shape.words_per_instance,
        .instances = (uint32_t)checking->shape.instances,
        .output_words = (uint32_t)checking->output_words,
        .run_slot = slot,
        .record_capacity = DEV_RECORDS,
        .words_per_invocation = checking->words_per_invocation,
        .failing = failing_outcomes(&checking->mode),
    };
    vkCmdBindDescriptorSets(dev->commands, VK_PIPELINE_BIND_POINT_COMPUTE, dev->checker_layout, 0,
                            1, &checking->set, 0, NULL);
    vkCmdPushConstants(dev->commands, dev->checker_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       sizeof push, &push);
    const uint64_t each = checking->words_per_invocation;
    dispatch(dev, checking, DEV_COMPARE, (checking->output_words + each - 1) / each);
    dispatch(dev, checking, DEV_SUMMARISE, checking->shape.instances);
}

void dev_checking_end(struct dev *dev, struct dev_checking *checking, uint32_t runs)
{
    const uint64_t run_bytes = (uint64_t)runs * RUN_WORDS * 4;
    vkCmdCopyBuffer(dev->commands, checking->runs.handle, checking->readback.handle, 1,
                    &(VkBufferCopy){.size = run_bytes});
    vkCmdCopyBuffer(dev->commands, checking->records.handle, checking->readback.handle, 1,
                    &(VkBufferCopy){.dstOffset = (uint64_t)checking->batch * RUN_WORDS * 4,
                                    .size = checking->records.words * 4});
    dev_barrier(dev);
}

// One run's slot. False if it does not add up.
static bool read_run(const struct dev_checking *checking, const uint32_t *slot, struct cat_run *run,
                     bool *gave_up)
{
    uint64_t instances = 0, failed = 0;
    *run = (struct cat_run){
        .words = slot[RUN_COMPARED],
        .failed = slot[RUN_FAILED],
        .digest = slot[RUN_DIGEST],
    };
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++) {
        run->outcomes[i] = slot[RUN_OUTCOMES + i];
        instances += run->outcomes[i];
        if (cat_mode_fails(&checking->mode, i))
            failed += run->outcomes[i];
        if (run->outcomes[i] && !cat_mode_name(&checking->mode, i))
            return false;
    }
    *gave_up = slot[RUN_STATE] != 0;
    return run->words == checking->output_words && run->failed == failed &&
           instances == checking->shape.instances && slot[RUN_INSTANCES] == instances;
}

static int by_place(const void *left, const void *right)
{
    const struct cat_failure *a = left, *b = right;
    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    return a->instance < b->instance ? -1 : a->instance > b->instance;
}

// The records, in the order of the runs and instances. False if they do not add up.
static bool read_records(const struct dev_checking *checking, const uint32_t *words,
                         uint64_t failed, struct dev_batch *batch)
{
    if (words[0] != (uint32_t)failed)
        return false;
    const size_t count = failed < DEV_RECORDS ? (size_t)failed : DEV_RECORDS;
    struct cat_failure *all = lit_alloc(count, sizeof *all);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        const uint32_t *record = words + (i + 1) * RECORD_WORDS;
        all[i] = (struct cat_failure){
            .run = record[0],
            .instance = record[1],
            .word = record[2],
            .got = record[3],
            .want = record[4],
            .outcome = record[5],
        };
        good = all[i].run < batch->runs && all[i].instance < checking->shape.instances &&
               all[i].word < checking->shape.words_per_instance &&
               cat_mode_name(&checking->mode, all[i].outcome) &&
               cat_mode_fails(&checking->mode, all[i].outcome);
    }
    if (good) {
        qsort(all, count, sizeof *all, by_place);
        batch->failure_count = count < DEV_MAX_FAILURES ? count : DEV_MAX_FAILURES;
        memcpy(batch->failures, all, batch->failure_count * sizeof *all);
    }
    free(all);
    return good;
}

void dev_checking_read(const struct dev_checking *checking, struct dev_batch *batch)
{
    const uint32_t *words = checking->readback.mapped;
    uint64_t failed = 0;
    batch->unchecked = false;
    batch->failure_count = 0;
    for (uint32_t i = 0; i < batch->runs; i++) {
        if (!read_run(checking, words + (size_t)i * RUN_WORDS, &batch->run[i], &batch->gave_up[i]))
            batch->unchecked = true;
        failed += batch->run[i].failed;
    }
    if (!batch->unchecked &&
        !read_records(checking, words + (size_t)checking->batch * RUN_WORDS, failed, batch))
        batch->unchecked = true;
}
