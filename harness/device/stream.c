// SPDX-License-Identifier: Apache-2.0
// Large buffers that are filled, timed and verified on the device.
#include "device/stream.h"

#include "device/vulkan.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DECLARE(symbol)                                                                            \
    extern const uint32_t bench_##symbol##_words[];                                                \
    extern const size_t bench_##symbol##_count;
DECLARE(fill_input)
DECLARE(fill_sums)
DECLARE(verify_sums)

#define EACH          4096u // words of a workgroup that fills or verifies
#define MOST_GROUPS   16384u
#define SUMS_SEGMENT  4u // spirv/bench/fill.spvasm
#define STREAM_WIDTHS 256u

// What the host reads: what verify.spvasm told, whether a wait ran out, and two words of the
// output.
enum { LOOKED, WRONG, FIRST, UNUSED, GAVE_UP, BEFORE, GOT, READBACK };
#define TOLD_WORDS 4

struct push {
    uint64_t input, output, state;
    uint32_t elements, last; // the last: an epoch, or the words of a segment
};
_Static_assert(sizeof(struct push) == DEV_PUSH_BYTES, "the push constants of docs/test-format.md");

enum { FILL_INPUT, FILL_SUMS, VERIFY, HELPERS };

struct dev_stream {
    struct dev *dev;
    uint32_t words, seed;
    uint32_t width, groups; // of the helpers' dispatches
    struct dev_clock clock;
    VkPipelineLayout layout;
    VkPipeline helpers[HELPERS];
    struct dev_buffer input, output, told, readback;
    bool spoiled; // the input has to be made anew
};

struct dev_streamed {
    VkPipeline pipeline;
    struct dev_buffer state;
    uint32_t workgroups, segment, epoch;
    bool has_state, stale; // stale: the state has to begin anew
};

uint32_t dev_stream_word(uint32_t seed, uint32_t index)
{
    uint32_t word = index * 0x9E3779B9u ^ seed;
    word = (word ^ word >> 16) * 0x85EBCA6Bu;
    return word ^ word >> 13;
}

// --- Making

static enum dev_status lacks(uint64_t bytes, const char *limit, struct lit_error *error)
{
    lit_fail(error, LIT_EXIT_NOTHING, "buffers of %" PRIu64 " bytes > %s", bytes, limit);
    return DEV_ERROR;
}

// Two buffers of `bytes`, and an eighth of that for all else.
static enum dev_status make_buffers(struct dev_stream *stream, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = stream->dev;
    const uint64_t bytes = (uint64_t)stream->words * 4;
    VkPhysicalDeviceMaintenance4Properties buffers = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES,
    };
    VkPhysicalDeviceMaintenance3Properties allocation = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &allocation,
    };
    if (dev->facts.api >= VK_API_VERSION_1_3 && dev->instance.api >= VK_API_VERSION_1_3)
        allocation.pNext = &buffers;
    vkGetPhysicalDeviceProperties2(dev->physical, &properties);
    uint64_t heap = 0;
    for (uint32_t i = 0; i < dev->memory.memoryHeapCount && i < VK_MAX_MEMORY_HEAPS; i++)
        if (dev->memory.memoryHeaps[i].size > heap)
            heap = dev->memory.memoryHeaps[i].size;
    if (buffers.maxBufferSize && bytes > buffers.maxBufferSize)
        return lacks(bytes, "maxBufferSize", error);
    if (bytes > heap / 18 * 8)
        return lacks(bytes, "8/18 of the largest memory heap", error);
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, stream->words, &stream->input, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, stream->words, &stream->output, error));
error:
    // An allocation of more may succeed, or it fails: drivers have it a little below 4 GiB.
    if (status == DEV_ERROR && bytes > allocation.maxMemoryAllocationSize)
        return lacks(bytes, "maxMemoryAllocationSize", error);
    return status;
}

static enum dev_status make_layout(struct dev_stream *stream, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    VK(vkCreatePipelineLayout(stream->dev->device,
                              &(VkPipelineLayoutCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                  .pushConstantRangeCount = 1,
                                  .pPushConstantRanges =
                                      &(VkPushConstantRange){
                                          .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                          .size = DEV_PUSH_BYTES,
                                      },
                              },
                              NULL, &stream->layout));
error:
    return status;
}

static enum dev_status make_helpers(struct dev_stream *stream, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    const struct {
        const uint32_t *words;
        size_t count;
    } modules[HELPERS] = {
        [FILL_INPUT] = {bench_fill_input_words, bench_fill_input_count},
        [FILL_SUMS] = {bench_fill_sums_words, bench_fill_sums_count},
        [VERIFY] = {bench_verify_sums_words, bench_verify_sums_count},
    };
    for (int i = 0; i < HELPERS; i++)
        TRY(dev_pipeline(stream->dev,
                         &(struct dev_pipeline_info){
                             .words = modules[i].words,
                             .word_count = modules[i].count,
                             .spec_ids = (const uint32_t[]){0, 2},
                             .spec_values = (const uint32_t[]){stream->width, stream->seed},
                             .spec_count = 2,
                             .layout = stream->layout,
                         },
                         &stream->helpers[i], error));
error:
    return status;
}

// --- Commands

static void record(const struct dev_stream *stream, VkPipeline pipeline, VkDeviceAddress state,
                   uint32_t last, uint32_t workgroups)
{
    const VkCommandBuffer commands = stream->dev->commands;
    const struct push push = {
        .input = stream->input.address,
        .output = stream->output.address,
        .state = state,
        .elements = stream->words,
        .last = last,
    };
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(commands, stream->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push,
                       &push);
    vkCmdDispatch(commands, workgroups, 1, 1);
}

static void record_helper(const struct dev_stream *stream, int helper, uint32_t last)
{
    record(stream, stream->helpers[helper], stream->told.address, last, stream->groups);
}

static void record_verify(const struct dev_stream *stream, uint32_t segment)
{
    const VkCommandBuffer commands = stream->dev->commands;
    const struct dev_buffer *told = &stream->told;
    vkCmdFillBuffer(commands, told->handle, told->offset, FIRST * 4, 0);
    vkCmdFillBuffer(commands, told->handle, told->offset + FIRST * 4, 4, UINT32_MAX);
    dev_barrier(stream->dev);
    record_helper(stream, VERIFY, segment);
    dev_barrier(stream->dev);
    vkCmdCopyBuffer(commands, told->handle, stream->readback.handle, 1,
                    &(VkBufferCopy){.srcOffset = told->offset,
                                    .dstOffset = stream->readback.offset,
                                    .size = TOLD_WORDS * 4});
}

static void record_copy(const struct dev_stream *stream, const struct dev_buffer *from,
                        uint64_t word, uint64_t count, uint64_t to)
{
    vkCmdCopyBuffer(stream->dev->commands, from->handle, stream->readback.handle, 1,
                    &(VkBufferCopy){.srcOffset = from->offset + word * 4,
                                    .dstOffset = stream->readback.offset + to * 4,
                                    .size = count * 4});
}

// --- Verifying

static void forget(const struct dev_stream *stream)
{
    // What is there from the run before would look right.
    for (int i = 0; i < READBACK; i++)
        stream->readback.mapped[i] = UINT32_MAX;
}

// What the read-back says, and of the first wrong word what there is and should be.
static enum dev_status judge(struct dev_stream *stream, uint32_t segment, uint32_t timeout_ms,
                             struct dev_verdict *verdict, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    const uint32_t *read = stream->readback.mapped;
    *verdict = (struct dev_verdict){.looked = read[LOOKED], .wrong = read[WRONG]};
    if (verdict->looked != stream->words || verdict->wrong > verdict->looked)
        return dev_refuse(error, "the verification looked at %" PRIu64 " of %" PRIu32 " words",
                          verdict->looked, stream->words);
    if (!verdict->wrong)
        return DEV_OK;
    verdict->index = read[FIRST];
    if (verdict->index >= stream->words)
        return dev_refuse(error, "the verification tells of word %" PRIu64 " of %" PRIu32,
                          verdict->index, stream->words);
    const bool begins = verdict->index % segment == 0;
    TRY(dev_begin(stream->dev, error));
    record_copy(stream, &stream->output, verdict->index - !begins, begins ? 1 : 2,
                begins ? GOT : BEFORE);
    dev_barrier(stream->dev);
    TRY(dev_submit(stream->dev, timeout_ms, error));
    verdict->got = read[GOT];
    verdict->want =
        dev_stream_word(stream->seed, (uint32_t)verdict->index) + (begins ? 0 : read[BEFORE]);
    if (verdict->got == verdict->want)
        return dev_refuse(error, "the verification calls a right word wrong: %" PRIu64,
                          verdict->index);
error:
    return status;
}

// Verifies a right output in which the word at `place` has `change` added.
static enum dev_status try_place(struct dev_stream *stream, uint32_t place, uint32_t change,
                                 uint32_t timeout_ms, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_verdict verdict;
    uint32_t right = 0;
    for (uint32_t i = place - place % SUMS_SEGMENT; i <= place; i++)
        right += dev_stream_word(stream->seed, i);
    const uint32_t changed = right + change;
    const uint64_t wrong = !change ? 0 : place % SUMS_SEGMENT == SUMS_SEGMENT - 1 ? 1 : 2;
    forget(stream);
    TRY(dev_begin(stream->dev, error));
    record_helper(stream, FILL_SUMS, 0);
    dev_barrier(stream->dev);
    vkCmdUpdateBuffer(stream->dev->commands, stream->output.handle,
                      stream->output.offset + (uint64_t)place * 4, 4, &changed);
    dev_barrier(stream->dev);
    record_verify(stream, SUMS_SEGMENT);
    dev_barrier(stream->dev);
    TRY(dev_submit(stream->dev, timeout_ms, error));
    TRY(judge(stream, SUMS_SEGMENT, timeout_ms, &verdict, error));
    if (verdict.wrong != wrong ||
        (wrong && (verdict.index != place || verdict.got != changed || verdict.want != right)))
        return dev_refuse(error,
                          "the verification cannot be trusted: it finds %" PRIu64
                          " wrong words, first word %" PRIu64 ", where there are %" PRIu64
                          ", first word %" PRIu32,
                          verdict.wrong, verdict.index, wrong, place);
error:
    return status;
}

enum dev_status dev_stream_try(struct dev_stream *stream, uint64_t drawn, uint32_t timeout_ms,
                               struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    const uint32_t change = (uint32_t)(drawn >> 32) | 1;
    TRY(try_place(stream, 0, 0, timeout_ms, error));
    TRY(try_place(stream, 0, change, timeout_ms, error));
    TRY(try_place(stream, stream->words - 1, change, timeout_ms, error));
    TRY(try_place(stream, (uint32_t)(drawn % stream->words), change, timeout_ms, error));
error:
    return status;
}

// --- The stream

static void settle(struct dev_stream *stream)
{
    const struct dev_facts *facts = &stream->dev->facts;
    uint32_t most = MOST_GROUPS;
    if (most > facts->max_workgroups)
        most = facts->max_workgroups;
    stream->width = facts->max_workgroup < STREAM_WIDTHS ? 128 : STREAM_WIDTHS;
    stream->groups = stream->words / EACH;
    if (stream->groups > most)
        stream->groups = most;
    if (!stream->groups)
        stream->groups = 1;
}

struct dev_stream *dev_stream_create(struct dev *dev, uint32_t words, uint32_t seed,
                                     uint32_t timeout_ms, enum dev_status *result,
                                     struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_stream *stream = lit_alloc(1, sizeof *stream);
    stream->dev = dev;
    stream->words = words;
    stream->seed = seed;
    settle(stream);
    if (!dev->address) {
        lit_fail(error, LIT_EXIT_NOTHING, "bufferDeviceAddress");
        TRY(DEV_ERROR);
    }
    TRY(dev_clock_create(dev, 2, &stream->clock, error));
    TRY(make_layout(stream, error));
    TRY(make_helpers(stream, error));
    TRY(make_buffers(stream, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, TOLD_WORDS, &stream->told, error));
    TRY(dev_buffer_create(dev, DEV_FOR_HOST, READBACK, &stream->readback, error));
    TRY(dev_begin(dev, error));
    record_helper(stream, FILL_INPUT, 0);
    dev_barrier(dev);
    TRY(dev_submit(dev, timeout_ms, error));
    *result = DEV_OK;
    return stream;
error:
    *result = status;
    dev_stream_destroy(&stream);
    return NULL;
}

void dev_stream_destroy(struct dev_stream **destroying)
{
    struct dev_stream *stream = *destroying;
    *destroying = NULL;
    if (!stream || stream->dev->stuck)
        return;
    struct dev *dev = stream->dev;
    dev_buffer_destroy(dev, &stream->readback);
    dev_buffer_destroy(dev, &stream->told);
    dev_buffer_destroy(dev, &stream->output);
    dev_buffer_destroy(dev, &stream->input);
    for (int i = 0; i < HELPERS; i++)
        vkDestroyPipeline(dev->device, stream->helpers[i], NULL);
    vkDestroyPipelineLayout(dev->device, stream->layout, NULL);
    dev_clock_destroy(dev, &stream->clock);
    free(stream);
}

double dev_stream_tick(const struct dev_stream *stream)
{
    return stream->clock.tick;
}

// --- A kernel

static void record_zeros(const struct dev_stream *stream, const struct dev_buffer *buffer)
{
    vkCmdFillBuffer(stream->dev->commands, buffer->handle, buffer->offset, buffer->words * 4, 0);
    dev_barrier(stream->dev);
}

struct dev_streamed *dev_streamed_create(struct dev_stream *stream,
                                         const struct dev_stream_info *info,
                                         enum dev_status *result, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = stream->dev;
    struct dev_streamed *streamed = lit_alloc(1, sizeof *streamed);
    streamed->workgroups = info->workgroups;
    streamed->segment = info->segment;
    streamed->has_state = info->state_words != 0;
    streamed->stale = true;
    TRY(dev_pipeline(dev,
                     &(struct dev_pipeline_info){
                         .words = info->words,
                         .word_count = info->word_count,
                         .spec_ids = info->spec_ids,
                         .spec_values = info->spec_values,
                         .spec_count = info->spec_count,
                         .layout = stream->layout,
                         .subgroup = info->subgroup,
                     },
                     &streamed->pipeline, error));
    if (streamed->has_state)
        TRY(dev_buffer_create(dev, DEV_ON_DEVICE, info->state_words, &streamed->state, error));
    *result = DEV_OK;
    return streamed;
error:
    *result = status;
    dev_streamed_destroy(stream, &streamed);
    return NULL;
}

void dev_streamed_destroy(struct dev_stream *stream, struct dev_streamed **streamed)
{
    if (*streamed && !stream->dev->stuck) {
        vkDestroyPipeline(stream->dev->device, (*streamed)->pipeline, NULL);
        dev_buffer_destroy(stream->dev, &(*streamed)->state);
    }
    free(*streamed);
    *streamed = NULL;
}

// --- A dispatch

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void record_before(struct dev_stream *stream, const struct dev_streamed *streamed)
{
    dev_clock_begin(stream->dev, &stream->clock);
    if (stream->spoiled)
        record_helper(stream, FILL_INPUT, 0);
    if (streamed->has_state && streamed->stale)
        record_zeros(stream, &streamed->state);
    vkCmdFillBuffer(stream->dev->commands, stream->output.handle, stream->output.offset,
                    (uint64_t)stream->words * 4, CAT_POISON);
    dev_barrier(stream->dev);
}

static void record_kernel(struct dev_stream *stream, const struct dev_streamed *streamed)
{
    dev_clock_mark(stream->dev, &stream->clock);
    record(stream, streamed->pipeline, streamed->state.address, streamed->epoch,
           streamed->workgroups);
    dev_clock_mark(stream->dev, &stream->clock);
}

static void record_after(const struct dev_stream *stream, const struct dev_streamed *streamed)
{
    dev_barrier(stream->dev);
    record_verify(stream, streamed->segment);
    if (streamed->has_state)
        record_copy(stream, &streamed->state, 0, 1, GAVE_UP);
    dev_barrier(stream->dev);
}

static enum dev_status run_by_timestamps(struct dev_stream *stream,
                                         const struct dev_streamed *streamed, uint32_t timeout_ms,
                                         double *ns, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    double at[2] = {0};
    TRY(dev_begin(stream->dev, error));
    record_before(stream, streamed);
    record_kernel(stream, streamed);
    record_after(stream, streamed);
    TRY(dev_submit(stream->dev, timeout_ms, error));
    TRY(dev_clock_read(stream->dev, &stream->clock, at, error));
    *ns = at[1];
error:
    return status;
}

// Three submissions, of which the one with the dispatch is timed, and what submitting costs with
// it.
static enum dev_status run_by_host_clock(struct dev_stream *stream,
                                         const struct dev_streamed *streamed, uint32_t timeout_ms,
                                         double *ns, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = stream->dev;
    TRY(dev_begin(dev, error));
    record_before(stream, streamed);
    TRY(dev_submit(dev, timeout_ms, error));
    TRY(dev_begin(dev, error));
    record_kernel(stream, streamed);
    const double began = now_ns();
    TRY(dev_submit(dev, timeout_ms, error));
    *ns = now_ns() - began;
    TRY(dev_begin(dev, error));
    record_after(stream, streamed);
    TRY(dev_submit(dev, timeout_ms, error));
error:
    return status;
}

enum dev_status dev_streamed_run(struct dev_stream *stream, struct dev_streamed *streamed,
                                 uint32_t timeout_ms, double *ns, struct dev_verdict *verdict,
                                 struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    forget(stream);
    streamed->epoch = streamed->stale ? 1 : streamed->epoch + 1;
    TRY((stream->clock.tick > 0 ? run_by_timestamps : run_by_host_clock)(stream, streamed,
                                                                         timeout_ms, ns, error));
    const bool gave_up = streamed->has_state && stream->readback.mapped[GAVE_UP] != 0;
    TRY(judge(stream, streamed->segment, timeout_ms, verdict, error));
    verdict->gave_up = gave_up;
    // What was published after a wait ran out is of no use to the dispatches that follow, and who
    // stored a wrong word may have stored it in the input, which they read.
    streamed->stale = stream->spoiled = gave_up || verdict->wrong;
error:
    return status;
}
