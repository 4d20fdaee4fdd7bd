// SPDX-License-Identifier: Apache-2.0
// Fills buffers, times kernels between two timestamps, and reads back or verifies outputs.
#include "device/vulkan.h"

#include "base/clock.h"

#define EACH         4096u // words per workgroup that fills or verifies
#define MOST_GROUPS  16384u
#define VECTOR       4u // words
#define SUMS_SEGMENT 4u // words: spirv/bench/fill.spvasm
#define FILL_WIDTHS  256u

// The host's read-back of a verification: the results of verify.spvasm, whether a wait timed out,
// and two elements of the output, of one or two words each: the second begins at GOT, where the
// first ends.
enum { LOOKED, WRONG, FIRST, WRONG_VECTORS, EXPIRED, BEFORE, GOT = BEFORE + 2, READBACK = GOT + 2 };
#define REPORTED_WORDS 4

// Helper kernels of a scan. FILL_INPUT exists only for a representative of scans with the same
// input.
enum { FILL_INPUT, FILL_SUMS, VERIFY, HELPERS };

struct dev_timer {
    struct dev *dev;
    uint64_t words;
    uint32_t seed;
    struct dev_clock clock;
    struct dev_layout layout;
    struct dev_sets sets;
    struct dev_buffer input, output, state, readback;
    // If outputs are verified:
    bool verifies;
    uint32_t width, groups; // of the helpers' dispatches
    VkPipeline helpers[CAT_SCANS][HELPERS];
    struct dev_buffer reported;
    enum cat_scan filled; // the scan that the input was made for; CAT_SCANS: remake it
};

struct dev_timed {
    VkPipeline pipeline;
    uint32_t workgroups;
    uint64_t words;
    struct dev_buffer state;
    uint64_t segment;
    uint32_t epoch;
    enum cat_scan scan;
    bool in_place, has_state, stale; // stale: reset the state
};

// The scan whose input this one shares: most use arbitrary bits.
static enum cat_scan input_of(enum cat_scan scan)
{
    return scan == CAT_SCAN_FADD || scan == CAT_SCAN_SEGMENTED ? scan : CAT_SCAN_ADD;
}

// --- Commands

static void record(const struct dev_timer *timer, VkPipeline pipeline,
                   const struct dev_buffer *input, VkDeviceAddress state, uint32_t last,
                   uint32_t workgroups)
{
    const struct dev_push push = {
        .input = input->address,
        .output = timer->output.address,
        .state = state,
        .elements = timer->verifies ? (uint32_t)(timer->words / VECTOR) : 0,
        .seed = last, // or an epoch, or vectors per segment
    };
    dev_bind(timer->dev, pipeline, timer->layout.pipeline, &timer->sets, &push, sizeof push);
    vkCmdDispatch(timer->dev->commands, workgroups, 1, 1);
}

static void record_helper(const struct dev_timer *timer, enum cat_scan scan, int helper,
                          uint32_t last)
{
    record(timer, timer->helpers[scan][helper], &timer->input, timer->reported.address, last,
           timer->groups);
}

static void fill_input(const struct dev_timer *timer, enum cat_scan scan,
                       const struct dev_buffer *input)
{
    record(timer, timer->helpers[input_of(scan)][FILL_INPUT], input, 0, 0, timer->groups);
}

// Segments are one word or whole vectors.
static void record_verify(const struct dev_timer *timer, enum cat_scan scan, uint64_t segment)
{
    dev_fill(timer->dev, &timer->reported, 0, FIRST, 0);
    dev_fill(timer->dev, &timer->reported, FIRST, 1, UINT32_MAX);
    dev_fill(timer->dev, &timer->reported, WRONG_VECTORS, 1, 0);
    dev_barrier(timer->dev);
    record_helper(timer, scan, VERIFY, (uint32_t)(segment / VECTOR));
    dev_barrier(timer->dev);
    dev_copy(timer->dev, &timer->reported, 0, &timer->readback, LOOKED, REPORTED_WORDS);
}

// --- Verifying

static uint32_t input_word(const struct dev_timer *timer, enum cat_scan scan, uint32_t index)
{
    uint32_t bits = index * 0x9E3779B9u ^ timer->seed;
    bits = (bits ^ bits >> 16) * 0x85EBCA6Bu;
    return cat_scan_input(scan, index, bits ^ bits >> 13);
}

// The right element at a word of the output, given the preceding one in its segment. Computes the
// input instead of reading it.
static uint64_t wanted(const struct dev_timer *timer, enum cat_scan scan, uint32_t index,
                       bool begins, uint64_t before)
{
    const uint32_t from = index - cat_scan_excludes(scan);
    uint64_t input = 0;
    for (uint32_t word = cat_scan_words(scan); word-- > 0;)
        input = input << 32 | input_word(timer, scan, from + word);
    return cat_scan_output(scan, begins, before, input);
}

// Otherwise the previous run's output could pass.
static void forget(const struct dev_timer *timer, uint64_t words)
{
    for (uint64_t i = 0; i < words; i++)
        timer->readback.mapped[i] = timer->verifies ? UINT32_MAX : CAT_POISON;
}

// Interprets the read-back, and gets actual and expected value of the first wrong word.
static enum dev_status read_verdict(struct dev_timer *timer, enum cat_scan scan, uint64_t segment,
                                    uint32_t timeout_ms, struct dev_timing *timing,
                                    struct lit_error *error)
{
    const uint32_t *read = timer->readback.mapped;
    timing->looked = (uint64_t)read[LOOKED] * VECTOR;
    // At least one per vector with a wrong word, so that 2^32 wrong words do not count as none.
    timing->wrong = read[WRONG] + (read[WRONG] < read[WRONG_VECTORS] ? UINT64_C(1) << 32 : 0);
    if (timing->looked != timer->words || timing->wrong > timing->looked)
        return dev_refuse(error, "the verification looked at %" PRIu64 " of %" PRIu64 " words",
                          timing->looked, timer->words);
    if (!timing->wrong)
        return DEV_OK;
    timing->index = read[FIRST];
    if (timing->index >= timer->words)
        return dev_refuse(error, "the verification reports word %" PRIu64 " of %" PRIu64,
                          timing->index, timer->words);
    const uint32_t size = cat_scan_words(scan), word = (uint32_t)(timing->index % size);
    const uint64_t element = timing->index - word;
    const bool begins = element % segment == 0;
    const uint32_t back = begins ? 0 : size;
    TRY(dev_begin(timer->dev, error));
    dev_copy(timer->dev, &timer->output, element - back, &timer->readback, GOT - back, back + size);
    dev_barrier(timer->dev);
    TRY(dev_submit(timer->dev, timeout_ms, error));
    const uint64_t before = size > 1 ? (uint64_t)read[GOT - 1] << 32 | read[BEFORE] : read[GOT - 1];
    timing->got = read[GOT + word];
    timing->want = (uint32_t)(wanted(timer, scan, (uint32_t)element, begins, before) >> 32 * word);
    if (timing->got == timing->want)
        return dev_refuse(error, "the verification calls a correct word wrong: %" PRIu64,
                          timing->index);
    return DEV_OK;
}

// Verifies a correct output with one wrong word at `place`.
static enum dev_status try_place(struct dev_timer *timer, enum cat_scan scan, uint32_t place,
                                 uint32_t change, uint32_t timeout_ms, struct lit_error *error)
{
    struct dev_timing timing = {0};
    const uint32_t start = place - place % SUMS_SEGMENT, size = cat_scan_words(scan);
    const uint32_t word = place % size, element = place - word;
    uint64_t all = 0, differ = 0;
    for (uint64_t i = start; i <= element; i += size)
        all = wanted(timer, scan, (uint32_t)i, i == start, all);
    const uint32_t correct = (uint32_t)(all >> 32 * word);
    const uint32_t changed = !change                 ? correct
                             : scan == CAT_SCAN_FADD ? correct ^ 0x80000000
                                                     : correct + change;
    // The element after it is also wrong relative to it, if that matters to the operation.
    if (element % SUMS_SEGMENT + size < SUMS_SEGMENT)
        differ = wanted(timer, scan, element + size, false, all) ^
                 wanted(timer, scan, element + size, false,
                        all ^ (uint64_t)(correct ^ changed) << 32 * word);
    const uint64_t wrong = !change ? 0 : 1 + ((uint32_t)differ != 0) + (differ >> 32 != 0);
    forget(timer, READBACK);
    TRY(dev_begin(timer->dev, error));
    record_helper(timer, scan, FILL_SUMS, 0);
    dev_barrier(timer->dev);
    vkCmdUpdateBuffer(timer->dev->commands, timer->output.handle,
                      timer->output.offset + (uint64_t)place * 4, 4, &changed);
    dev_barrier(timer->dev);
    record_verify(timer, scan, SUMS_SEGMENT);
    dev_barrier(timer->dev);
    TRY(dev_submit(timer->dev, timeout_ms, error));
    TRY(read_verdict(timer, scan, SUMS_SEGMENT, timeout_ms, &timing, error));
    if (timing.wrong != wrong ||
        (wrong && (timing.index != place || timing.got != changed || timing.want != correct)))
        return dev_refuse(error,
                          "the verification cannot be trusted: it finds %" PRIu64
                          " wrong words, first word %" PRIu64 ", where there are %" PRIu64
                          ", first word %u",
                          timing.wrong, timing.index, wrong, place);
    return DEV_OK;
}

static enum dev_status make_helpers(struct dev_timer *timer, enum cat_scan scan,
                                    struct lit_error *error)
{
    static const char *const kernels[HELPERS] = {"bench/fill/kind=input/%s",
                                                 "bench/fill/kind=sums/%s", "bench/verify/%s"};
    for (int i = 0; i < HELPERS; i++) {
        const enum cat_scan of = i == FILL_INPUT ? input_of(scan) : scan;
        if (timer->helpers[of][i])
            continue;
        OWNED(text_free) struct text name = text_format(kernels[i], cat_scans[of]);
        TRY(dev_kernel(timer->dev, name.data, (const uint32_t[]){0, 2},
                       (const uint32_t[]){timer->width, timer->seed}, 2, timer->layout.pipeline,
                       &timer->helpers[of][i], error));
    }
    return DEV_OK;
}

enum dev_status dev_timer_try(struct dev_timer *timer, enum cat_scan scan, uint64_t drawn,
                              uint32_t timeout_ms, struct lit_error *error)
{
    const uint32_t change = (uint32_t)(drawn >> 32) | 1, last = (uint32_t)timer->words - 1;
    TRY(make_helpers(timer, scan, error));
    TRY(try_place(timer, scan, 0, 0, timeout_ms, error));
    TRY(try_place(timer, scan, 0, change, timeout_ms, error));
    TRY(try_place(timer, scan, last, change, timeout_ms, error));
    return try_place(timer, scan, (uint32_t)(drawn % timer->words), change, timeout_ms, error);
}

// --- The timer

static enum dev_status lacks(uint64_t bytes, const char *limit, struct lit_error *error)
{
    lit_fail(error, LIT_EXIT_NOTHING, "buffers of %" PRIu64 " bytes > %s", bytes, limit);
    return DEV_ERROR;
}

// Creates two buffers, as large as device memory allows if an eighth is left for everything else.
static enum dev_status make_large(struct dev_timer *timer, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = timer->dev;
    const uint64_t bytes = timer->words * 4;
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
    if (buffers.maxBufferSize && bytes > buffers.maxBufferSize)
        return lacks(bytes, "maxBufferSize", error);
    if (bytes > dev_heap_bytes(dev) / 18 * 8)
        return lacks(bytes, "8/18 of the largest memory heap", error);
    TRY_END(dev_buffer_create(dev, DEV_ON_DEVICE, timer->words, &timer->input, error));
    TRY_END(dev_buffer_create(dev, DEV_ON_DEVICE, timer->words, &timer->output, error));
error:
    // Larger allocations may work: drivers report a limit slightly below 4 GiB.
    if (status == DEV_ERROR && bytes > allocation.maxMemoryAllocationSize)
        return lacks(bytes, "maxMemoryAllocationSize", error);
    return status;
}

static enum dev_status make_verifying(struct dev_timer *timer, struct lit_error *error)
{
    struct dev *dev = timer->dev;
    if (!dev->address) {
        lit_fail(error, LIT_EXIT_NOTHING, "bufferDeviceAddress");
        return DEV_ERROR;
    }
    const struct dev_facts *facts = &dev->facts;
    const uint32_t most = facts->max_workgroups < MOST_GROUPS ? facts->max_workgroups : MOST_GROUPS;
    const uint64_t groups = timer->words / EACH;
    timer->width = facts->max_workgroup < FILL_WIDTHS ? 128 : FILL_WIDTHS;
    timer->groups = groups > most ? most : groups ? (uint32_t)groups : 1;
    timer->filled = CAT_SCANS;
    TRY(make_large(timer, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, REPORTED_WORDS, &timer->reported, error));
    return dev_buffer_create(dev, DEV_FOR_HOST, READBACK, &timer->readback, error);
}

static enum dev_status make_for_host(struct dev_timer *timer, const uint32_t *input,
                                     struct lit_error *error)
{
    struct dev *dev = timer->dev;
    const struct dev_buffer *const bindings[DEV_TEST_BINDINGS] = {&timer->input, &timer->output,
                                                                  &timer->state};
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, timer->words, &timer->input, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, timer->words, &timer->output, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, 1, &timer->state, error));
    TRY(dev_buffer_create(dev, DEV_FOR_HOST, timer->words, &timer->readback, error));
    TRY(dev_upload(dev, &timer->input, input, timer->words, error));
    return dev_describe(dev, &timer->layout, dev_plain, DEV_TEST_BINDINGS, bindings, &timer->sets,
                        error);
}

struct dev_timer *dev_timer_create(struct dev *dev, const uint32_t *input, uint64_t words,
                                   uint32_t seed, enum dev_status *result, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_timer *timer = lit_alloc(1, sizeof *timer);
    timer->dev = dev;
    timer->words = words;
    timer->seed = seed;
    timer->verifies = !input;
    TRY_END(dev_clock_create(dev, 2, &timer->clock, error));
    TRY_END(dev_layout_create(dev, dev_plain, timer->verifies ? 0 : DEV_TEST_BINDINGS,
                              DEV_PUSH_BYTES, &timer->layout, error));
    TRY_END(timer->verifies ? make_verifying(timer, error) : make_for_host(timer, input, error));
error:
    *result = status;
    if (status != DEV_OK)
        dev_timer_destroy(&timer);
    return timer;
}

void dev_timer_destroy(struct dev_timer **destroying)
{
    struct dev_timer *timer = *destroying;
    *destroying = NULL;
    if (!timer || timer->dev->stuck)
        return;
    struct dev *dev = timer->dev;
    dev_buffer_destroy(dev, &timer->readback);
    dev_buffer_destroy(dev, &timer->reported);
    dev_buffer_destroy(dev, &timer->state);
    dev_buffer_destroy(dev, &timer->output);
    dev_buffer_destroy(dev, &timer->input);
    for (int scan = 0; scan < CAT_SCANS; scan++)
        for (int i = 0; i < HELPERS; i++)
            vkDestroyPipeline(dev->device, timer->helpers[scan][i], NULL);
    vkDestroyDescriptorPool(dev->device, timer->sets.pool, NULL);
    dev_layout_destroy(dev, &timer->layout);
    dev_clock_destroy(dev, &timer->clock);
    free(timer);
}

double dev_timer_tick(const struct dev_timer *timer)
{
    return timer->clock.tick;
}

// --- A kernel

struct dev_timed *dev_timed_create(struct dev_timer *timer, const struct dev_timed_info *info,
                                   enum dev_status *result, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_timed *timed = lit_alloc(1, sizeof *timed);
    timed->workgroups = info->workgroups;
    timed->words = info->words;
    timed->segment = info->segment;
    timed->scan = info->scan;
    timed->in_place = info->in_place;
    timed->has_state = info->state_words != 0;
    timed->stale = true;
    TRY_END(dev_pipeline(
        timer->dev,
        &(struct dev_pipeline_info){.code = info->kernel, .layout = timer->layout.pipeline},
        &timed->pipeline, error));
    if (timed->has_state)
        TRY_END(
            dev_buffer_create(timer->dev, DEV_ON_DEVICE, info->state_words, &timed->state, error));
error:
    *result = status;
    if (status != DEV_OK)
        dev_timed_destroy(timer, &timed);
    return timed;
}

void dev_timed_destroy(struct dev_timer *timer, struct dev_timed **timed)
{
    if (*timed && !timer->dev->stuck) {
        vkDestroyPipeline(timer->dev->device, (*timed)->pipeline, NULL);
        dev_buffer_destroy(timer->dev, &(*timed)->state);
    }
    free(*timed);
    *timed = NULL;
}

// --- A dispatch

static void record_before(struct dev_timer *timer, const struct dev_timed *timed)
{
    dev_clock_begin(timer->dev, &timer->clock);
    if (timer->verifies && timer->filled != input_of(timed->scan))
        fill_input(timer, timed->scan, &timer->input);
    if (timed->has_state && timed->stale) {
        dev_fill(timer->dev, &timed->state, 0, timed->state.words, 0);
        dev_barrier(timer->dev);
    }
    if (timed->in_place)
        fill_input(timer, timed->scan, &timer->output);
    else
        dev_fill(timer->dev, &timer->output, 0, timed->words, CAT_POISON);
    dev_barrier(timer->dev);
}

static void record_kernel(struct dev_timer *timer, const struct dev_timed *timed)
{
    const VkDeviceAddress state = timer->verifies ? timed->state.address : timer->state.address;
    dev_clock_mark(timer->dev, &timer->clock);
    record(timer, timed->pipeline, timed->in_place ? &timer->output : &timer->input, state,
           timer->verifies ? timed->epoch : timer->seed, timed->workgroups);
    dev_clock_mark(timer->dev, &timer->clock);
}

static void record_after(const struct dev_timer *timer, const struct dev_timed *timed)
{
    dev_barrier(timer->dev);
    if (timer->verifies)
        record_verify(timer, timed->scan, timed->segment);
    else
        dev_copy(timer->dev, &timer->output, 0, &timer->readback, 0, timed->words);
    if (timed->has_state)
        dev_copy(timer->dev, &timed->state, 0, &timer->readback, EXPIRED, 1);
    dev_barrier(timer->dev);
}

// One submission; without timestamps three: times the one with the dispatch, including the cost of
// submitting.
static enum dev_status time_dispatch(struct dev_timer *timer, const struct dev_timed *timed,
                                     uint32_t timeout_ms, double *ns, struct lit_error *error)
{
    struct dev *dev = timer->dev;
    const bool by_host = timer->clock.tick <= 0;
    double at[2] = {0}, began = 0;
    TRY(dev_begin(dev, error));
    record_before(timer, timed);
    if (by_host) {
        TRY(dev_submit(dev, timeout_ms, error));
        TRY(dev_begin(dev, error));
    }
    record_kernel(timer, timed);
    if (by_host) {
        began = clock_now();
        TRY(dev_submit(dev, timeout_ms, error));
        *ns = (clock_now() - began) * 1e9;
        TRY(dev_begin(dev, error));
    }
    record_after(timer, timed);
    TRY(dev_submit(dev, timeout_ms, error));
    if (!by_host) {
        TRY(dev_clock_read(dev, &timer->clock, at, error));
        *ns = at[1];
    }
    return DEV_OK;
}

enum dev_status dev_timed_run(struct dev_timer *timer, struct dev_timed *timed, uint32_t timeout_ms,
                              struct dev_timing *timing, struct lit_error *error)
{
    *timing = (struct dev_timing){.output = timer->readback.mapped};
    forget(timer, timer->verifies ? READBACK : timed->words);
    timed->epoch = timed->stale ? 1 : timed->epoch + 1;
    TRY(time_dispatch(timer, timed, timeout_ms, &timing->ns, error));
    if (!timer->verifies)
        return DEV_OK;
    timing->expired = timed->has_state && timer->readback.mapped[EXPIRED] != 0;
    TRY(read_verdict(timer, timed->scan, timed->segment, timeout_ms, timing, error));
    // State published after a timed-out wait is useless for later dispatches, and a kernel that
    // stored a wrong word may have overwritten its input.
    timed->stale = timing->expired || timing->wrong;
    timer->filled = timed->stale ? CAT_SCANS : input_of(timed->scan);
    return DEV_OK;
}
