// SPDX-License-Identifier: Apache-2.0
// Prepares and runs one configuration: each run initialises its buffers, dispatches and verifies.

#include "device/checking.h"

// --- Stress: background workgroups around the test's dispatch and between its slices. The head of
// spirv/stress/background.spvasm defines their interface.

struct stressing {
    struct dev_stress set;
    struct dev_layout layout;
    VkPipeline pipeline; // VK_NULL_HANDLE without background workgroups
    struct dev_sets sets;
    struct dev_buffer places;
};

enum { SPEC_FIRST_LOADS = 1, SPEC_SECOND_LOADS = 2, SPEC_SHARED = 3, SPECS = 3 };

struct background_push {
    uint32_t iterations, line, lines, stride, seed, number, reserved[2];
};
_Static_assert(sizeof(struct background_push) == DEV_PUSH_BYTES,
               "the push constants of background.spvasm");

static enum dev_status make_background(struct dev *dev, struct stressing *stressing,
                                       struct lit_error *error)
{
    const struct dev_stress *set = &stressing->set;
    static const char *const names[DEV_STRESS_KINDS] = {
        [DEV_STRESS_IDLE] = "stress/background/kind=idle",
        [DEV_STRESS_MEMORY] = "stress/background/kind=memory",
        [DEV_STRESS_ARITHMETIC] = "stress/background/kind=arithmetic",
        [DEV_STRESS_BARRIER] = "stress/background/kind=barrier",
    };
    const uint32_t shared = set->shared > DEV_STRESS_SHARED ? set->shared : DEV_STRESS_SHARED;
    const uint32_t ids[SPECS] = {SPEC_FIRST_LOADS, SPEC_SECOND_LOADS, SPEC_SHARED};
    const uint32_t values[SPECS] = {
        set->pattern == DEV_STRESS_LOAD_STORE || set->pattern == DEV_STRESS_LOAD_LOAD,
        set->pattern == DEV_STRESS_STORE_LOAD || set->pattern == DEV_STRESS_LOAD_LOAD,
        shared / 4,
    };
    return dev_kernel(dev, names[set->kind], ids, values, SPECS, stressing->layout.pipeline,
                      &stressing->pipeline, error);
}

static enum dev_status init_stressing(struct dev *dev, struct stressing *stressing,
                                      const struct dev_stress *set, struct lit_error *error)
{
    stressing->set = *set;
    if (set->kind == DEV_STRESS_NONE)
        return DEV_OK;
    const struct dev_buffer *const bindings[] = {&stressing->places};
    TRY(dev_layout_create(dev, dev_plain, 1, DEV_PUSH_BYTES, &stressing->layout, error));
    TRY(make_background(dev, stressing, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, DEV_STRESS_WORDS, &stressing->places, error));
    TRY(dev_describe(dev, &stressing->layout, dev_plain, 1, bindings, &stressing->sets, error));
    // The contents do not matter, but layers report uninitialised loads.
    TRY(dev_begin(dev, error));
    dev_fill(dev, &stressing->places, 0, stressing->places.words, 0);
    dev_barrier(dev);
    return dev_submit(dev, DEV_UPLOAD_TIMEOUT_MS, error);
}

static void clear_stressing(struct dev *dev, struct stressing *stressing)
{
    dev_buffer_destroy(dev, &stressing->places);
    vkDestroyDescriptorPool(dev->device, stressing->sets.pool, NULL);
    vkDestroyPipeline(dev->device, stressing->pipeline, NULL);
    dev_layout_destroy(dev, &stressing->layout);
}

static void background(struct dev *dev, const struct stressing *stressing, uint32_t workgroups,
                       uint32_t seed, uint32_t number)
{
    const struct dev_stress *set = &stressing->set;
    const struct background_push push = {
        .iterations = set->iterations,
        .line = set->line,
        .lines = set->lines,
        .stride = set->stride,
        .seed = seed,
        .number = number,
    };
    if (!stressing->pipeline || !workgroups)
        return;
    dev_bind(dev, stressing->pipeline, stressing->layout.pipeline, &stressing->sets, &push,
             sizeof push);
    vkCmdDispatch(dev->commands, workgroups, 1, 1);
}

// --- The program

// The first dispatch's pipeline, and further ones of a kernel from outside.
#define PARTS (1 + CAT_MOST_PARTS)
struct part {
    struct dev_layout layout;
    VkPipeline pipeline;
};

// A run's own part of the output and the state.
struct slot {
    struct dev_buffer output, state; // views
    struct dev_sets sets[PARTS];
};

// The next batch, in the device's other command buffer.
struct next {
    enum { NEXT_NONE, NEXT_RECORDED, NEXT_SUBMITTED } state;
    uint64_t first;
    uint32_t runs;
    // Result of its submission, reported when the batch is requested.
    enum dev_status status;
    struct lit_error error;
};

struct dev_program {
    struct dev *dev;
    // Its data was copied and may be gone, except for single runs.
    struct dev_program_info info;
    uint64_t output_words;
    struct part parts[PARTS];
    struct dev_buffer input, output, state;
    struct dev_slots slots;
    struct slot slot[DEV_SLOTS];
    struct next next;
    uint32_t half; // of the current batch, in the checker's buffers and the clocks
    struct dev_clock clocks[DEV_HALVES]; // if the stages are timed
    double *marks;                       // the current batch's, in nanoseconds
    struct stressing stressing;
    struct dev_checking checking; // unless check_on_host
    struct dev_buffer readback;   // check_on_host: the output, then word 0 of the state
    struct dev_buffer from_host;  // single runs: input, output, state
    struct dev_buffer fresh;      // initial output and state, if not poison and zero
    uint32_t *expected;           // check_on_host: a copy
    // Copies with addresses filled in, if there are any; else NULL.
    uint32_t *input_words, *fresh_words;
    uint8_t (*push)[CAT_MOST_PUSH]; // per dispatch
};

#define MARKS 4 // per group of runs: before and after the fill, after the tests, after the check

static struct dev_buffer view(const struct dev_buffer *whole, uint64_t first, uint64_t words)
{
    struct dev_buffer part = *whole;
    part.offset += first * 4;
    part.address += whole->address ? first * 4 : 0;
    part.words = words;
    return part;
}

static const struct cat_interface *interface_of(const struct dev_program *program, size_t part)
{
    const struct cat_interface *interface = dev_interface(&program->info.code);
    return part ? &interface->parts[part - 1].interface : interface;
}

// Describes a slot's buffers, divided as the pipeline's interface says.
static enum dev_status describe(struct dev_program *program, struct slot *slot, size_t part,
                                struct lit_error *error)
{
    const struct cat_interface *interface = interface_of(program, part);
    const struct dev_buffer *const regions[CAT_REGIONS] = {
        [CAT_INPUT] = &program->input, [CAT_OUTPUT] = &slot->output, [CAT_STATE] = &slot->state};
    struct dev_buffer views[CAT_MOST_BINDINGS];
    const struct dev_buffer *buffers[CAT_MOST_BINDINGS];
    for (size_t i = 0; i < interface->binding_count; i++) {
        const struct cat_binding *binding = &interface->bindings[i];
        const struct dev_buffer *region = regions[binding->region];
        views[i] = view(region, binding->first, binding->words ? binding->words : region->words);
        buffers[i] = &views[i];
    }
    return dev_describe(program->dev, &program->parts[part].layout, interface->bindings,
                        interface->binding_count, buffers, &slot->sets[part], error);
}

static enum dev_status make_slots(struct dev_program *program, struct lit_error *error)
{
    const size_t parts = interface_of(program, 0)->part_count;
    for (uint32_t i = 0; i < program->slots.count; i++) {
        struct slot *slot = &program->slot[i];
        slot->output = view(&program->output, i * program->slots.output, program->output_words);
        slot->state =
            view(&program->state, i * program->slots.state, program->info.shape.state_words);
        for (size_t part = 0; part <= parts; part++)
            TRY(describe(program, slot, part, error));
    }
    return DEV_OK;
}

// With one slot each buffer has one address.
static void put_addresses(struct dev_program *program, const struct cat_interface *interface)
{
    const uint64_t inputs = program->info.shape.input_words, outputs = program->output_words;
    const uint64_t fresh = outputs + program->info.shape.state_words;
    const struct dev_buffer *const regions[CAT_REGIONS] = {[CAT_INPUT] = &program->input,
                                                           [CAT_OUTPUT] = &program->output,
                                                           [CAT_STATE] = &program->state};
    program->input_words = lit_alloc(inputs + 1, 4);
    program->fresh_words = lit_alloc(fresh, 4);
    program->push = lit_alloc(1 + interface->step_count, sizeof *program->push);
    if (inputs)
        memcpy(program->input_words, program->info.input, inputs * 4);
    memcpy(program->fresh_words, program->info.fresh, fresh * 4);
    memcpy(program->push[0], interface->push, sizeof *program->push);
    for (size_t i = 0; i < interface->step_count; i++)
        memcpy(program->push[1 + i], interface->steps[i].push, sizeof *program->push);
    uint32_t *const words[] = {[CAT_INPUT] = program->input_words,
                               [CAT_OUTPUT] = program->fresh_words,
                               [CAT_STATE] = program->fresh_words + outputs};
    for (size_t i = 0; i < interface->address_count; i++) {
        const struct cat_address *each = &interface->addresses[i];
        const uint64_t address = regions[each->of]->address + each->first * 4;
        if (each->in == CAT_REGIONS)
            memcpy(program->push[each->step] + each->at * 4, &address, sizeof address);
        else
            memcpy(words[each->in] + each->at, &address, sizeof address);
    }
    program->info.input = program->input_words;
    program->info.fresh = program->fresh_words;
}

static enum dev_status make_buffers(struct dev_program *program, struct lit_error *error)
{
    struct dev *dev = program->dev;
    const struct dev_program_info *info = &program->info;
    const struct cat_interface *interface = dev_interface(&info->code);
    const struct cat_shape *shape = &info->shape;
    const uint64_t offset = info->stress.offset;
    const struct dev_slot_limits limits = {
        .cpu = dev->facts.cpu,
        .most_binding = dev->facts.max_storage_buffer / 4,
        .heap = dev_heap_bytes(dev) / 4,
    };
    // On the reference driver, everything dispatched for a run belongs to it alone.
    const bool alone = info->check_on_host || dev->begin_run || interface->address_count;
    program->slots = dev_slots_choose(shape, &limits, alone ? 1 : info->batch);
    TRY(dev_buffer_create_at(dev, DEV_ON_DEVICE, shape->input_words, offset, &program->input,
                             error));
    TRY(dev_buffer_create_at(dev, DEV_ON_DEVICE, program->slots.count * program->slots.output,
                             2 * offset, &program->output, error));
    TRY(dev_buffer_create_at(dev, DEV_ON_DEVICE, program->slots.count * program->slots.state,
                             3 * offset, &program->state, error));
    if (interface->address_count)
        put_addresses(program, interface);
    if (shape->input_words)
        TRY(dev_upload(dev, &program->input, info->input, shape->input_words, error));
    if (info->fresh) {
        const uint64_t words = program->output_words + shape->state_words;
        TRY(dev_buffer_create(dev, DEV_ON_DEVICE, words, &program->fresh, error));
        TRY(dev_upload(dev, &program->fresh, info->fresh, words, error));
    }
    TRY(make_slots(program, error));
    if (info->check_on_host) {
        const size_t words = program->output_words * cat_check_stride(info->mode.check);
        program->expected = lit_alloc(words, 4);
        memcpy(program->expected, info->expected, words * 4);
        TRY(dev_buffer_create(dev, DEV_FOR_HOST, program->output_words + 1, &program->readback,
                              error));
    } else {
        TRY(dev_checking_init(dev, &program->checking, &info->mode, shape, &program->slots,
                              &program->output, &program->state, info->expected, info->batch,
                              error));
    }
    if (info->single)
        TRY(dev_buffer_create(dev, DEV_FOR_HOST,
                              shape->input_words + program->output_words + shape->state_words,
                              &program->from_host, error));
    if (info->timed) {
        for (uint32_t half = 0; half < DEV_HALVES; half++)
            TRY(dev_clock_create(dev, MARKS * info->batch, &program->clocks[half], error));
        program->marks = lit_alloc(MARKS * info->batch, sizeof *program->marks);
    }
    return DEV_OK;
}

static enum dev_status make_parts(struct dev_program *program, struct lit_error *error)
{
    const struct dev_program_info *info = &program->info;
    for (size_t i = 0; i <= interface_of(program, 0)->part_count; i++) {
        const struct cat_interface *interface = interface_of(program, i);
        struct part *part = &program->parts[i];
        TRY(dev_layout_create(program->dev, interface->bindings, interface->binding_count,
                              interface->push_size, &part->layout, error));
        TRY(dev_pipeline(program->dev,
                         &(struct dev_pipeline_info){
                             .code = dev_part(&info->code, i),
                             .layout = part->layout.pipeline,
                             .sliced = !i && info->stress.slices > 1,
                             .owner = i ? NULL : info->name,
                         },
                         &part->pipeline, error));
    }
    return DEV_OK;
}

struct dev_program *dev_program_create(struct dev *dev, const struct dev_program_info *info,
                                       enum dev_status *result, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_program *program = lit_alloc(1, sizeof *program);
    program->dev = dev;
    program->info = *info;
    // The device-side checker supports neither states of litmus tests nor allowed differences.
    program->info.check_on_host |=
        info->single || info->mode.check >= DEV_CHECKS ||
        (info->code.interface && !cat_interface_is_exact(info->code.interface));
    if (!info->batch || !dev_shape_fits(&dev->facts, info->mode.check, &info->shape, error)) {
        status = DEV_ERROR;
        goto error;
    }
    program->output_words = info->shape.instances * info->shape.words_per_instance;
    TRY_END(make_parts(program, error));
    TRY_END(init_stressing(dev, &program->stressing, &info->stress, error));
    TRY_END(make_buffers(program, error));
    *result = DEV_OK;
    return program;
error:
    *result = status;
    dev_program_destroy(&program);
    return NULL;
}

void dev_program_destroy(struct dev_program **destroying)
{
    struct dev_program *program = *destroying;
    struct lit_error error = {0};
    *destroying = NULL;
    if (!program || dev_program_drain(program, DEV_UPLOAD_TIMEOUT_MS, &error) == DEV_LOST ||
        program->dev->stuck)
        return;
    struct dev *dev = program->dev;
    dev_checking_clear(dev, &program->checking);
    clear_stressing(dev, &program->stressing);
    for (uint32_t half = 0; half < DEV_HALVES; half++)
        dev_clock_destroy(dev, &program->clocks[half]);
    dev_buffer_destroy(dev, &program->from_host);
    dev_buffer_destroy(dev, &program->fresh);
    dev_buffer_destroy(dev, &program->readback);
    dev_buffer_destroy(dev, &program->state);
    dev_buffer_destroy(dev, &program->output);
    dev_buffer_destroy(dev, &program->input);
    for (size_t part = 0; part < PARTS; part++) {
        for (uint32_t i = 0; i < DEV_SLOTS; i++)
            vkDestroyDescriptorPool(dev->device, program->slot[i].sets[part].pool, NULL);
        vkDestroyPipeline(dev->device, program->parts[part].pipeline, NULL);
        dev_layout_destroy(dev, &program->parts[part].layout);
    }
    if (dev->other_of == program)
        dev->other_of = NULL;
    free(program->expected);
    free(program->input_words);
    free(program->fresh_words);
    free(program->push);
    free(program->marks);
    free(program);
}

uint32_t dev_program_slots(const struct dev_program *program)
{
    return program->slots.count;
}

// Copies the initial contents into the first `slots` slots, if not just poison and zeros.
static void record_fresh(struct dev_program *program, uint32_t slots)
{
    const uint64_t outputs = program->output_words, states = program->info.shape.state_words;
    if (!program->info.fresh)
        return;
    for (uint32_t i = 0; i < slots; i++) {
        dev_copy(program->dev, &program->fresh, 0, &program->slot[i].output, 0, outputs);
        dev_copy(program->dev, &program->fresh, outputs, &program->slot[i].state, 0, states);
    }
    dev_barrier(program->dev);
}

const uint32_t *dev_program_output(const struct dev_program *program)
{
    return program->readback.mapped;
}

static uint32_t seed_of(const struct dev_program *program, uint64_t run)
{
    return random_of_run(program->info.stream, run);
}

// Records the test in a prepared slot: background workgroups before it, between its slices and
// after it, without barriers.
static void record_test(struct dev_program *program, const struct slot *slot, VkPipeline pipeline,
                        uint64_t run)
{
    struct dev *dev = program->dev;
    const uint32_t seed = seed_of(program, run);
    const struct stressing *stressing = &program->stressing;
    const struct dev_stress *set = &stressing->set;
    const struct cat_interface *interface = dev_interface(&program->info.code);
    const struct dev_push counted = {
        .input = program->input.address,
        .output = slot->output.address,
        .state = slot->state.address,
        .elements = program->info.shape.elements,
        .seed = seed,
    };
    const void *push = interface->counted ? (const void *)&counted
                       : program->push    ? program->push[0]
                                          : interface->push;
    const uint32_t rows = interface->rows, layers = interface->layers;
    struct dev_slice slices[DEV_STRESS_SLICES];
    if (!program->info.shape.workgroups)
        return;
    const uint32_t count = dev_stress_slices(set, program->info.shape.workgroups, seed, slices);
    background(dev, stressing, set->before, seed, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            background(dev, stressing, set->skew, seed, i);
        dev_bind(dev, pipeline, program->parts[0].layout.pipeline, &slot->sets[0], push,
                 interface->push_size);
        // A pipeline not made for slices has no base.
        if (set->slices > 1)
            vkCmdDispatchBase(dev->commands, slices[i].first, 0, 0, slices[i].count, rows, layers);
        else
            vkCmdDispatch(dev->commands, slices[i].count, rows, layers);
    }
    for (size_t i = 0; i < interface->step_count; i++) {
        const struct cat_step *step = &interface->steps[i];
        const struct part *part = &program->parts[step->part];
        dev_barrier(dev);
        dev_bind(dev, step->part ? part->pipeline : pipeline, part->layout.pipeline,
                 &slot->sets[step->part], program->push ? program->push[1 + i] : step->push,
                 interface_of(program, step->part)->push_size);
        vkCmdDispatch(dev->commands, step->groups[0], step->groups[1], step->groups[2]);
    }
    background(dev, stressing, set->workgroups, seed, DEV_STRESS_SLICES);
    dev_barrier(dev);
}

// Records a group of runs, each in its own slot: prepared together, executed one after another with
// nothing beside them, checked together. `run`: the first one's number; `at`: in the batch.
static void record_group(struct dev_program *program, uint64_t run, uint32_t at, uint32_t runs)
{
    struct dev *dev = program->dev;
    struct dev_clock *clock = &program->clocks[program->half];
    dev_begin_run(dev, seed_of(program, run));
    dev_clock_mark(dev, clock);
    dev_checking_fill(dev, &program->checking, runs);
    record_fresh(program, runs);
    dev_clock_mark(dev, clock);
    for (uint32_t i = 0; i < runs; i++)
        record_test(program, &program->slot[i], program->parts[0].pipeline, run + i);
    dev_clock_mark(dev, clock);
    dev_checking_check(dev, &program->checking, program->half, at, runs);
    dev_clock_mark(dev, clock);
}

static enum dev_status read_stages(struct dev_program *program, struct dev_batch *batch,
                                   struct lit_error *error)
{
    const struct dev_clock *clock = &program->clocks[program->half];
    const double *at = program->marks;
    if (!clock->queries)
        return DEV_OK;
    TRY(dev_clock_read(program->dev, clock, program->marks, error));
    for (uint32_t i = 0; i + MARKS <= clock->used; i += MARKS) {
        batch->stages.fill += at[i + 1] - at[i];
        batch->stages.test += at[i + 2] - at[i + 1];
        batch->stages.check += at[i + 3] - at[i + 2];
    }
    batch->stages.all = at[clock->used - 1];
    return DEV_OK;
}

static enum dev_status record_batch(struct dev_program *program, uint64_t first, uint32_t runs,
                                    struct lit_error *error)
{
    struct dev *dev = program->dev;
    TRY(dev_begin(dev, error));
    dev_clock_begin(dev, &program->clocks[program->half]);
    dev_checking_begin(dev, &program->checking, program->half);
    for (uint32_t done = 0; done < runs; done += program->slots.count) {
        const uint32_t left = runs - done;
        record_group(program, first + done, done,
                     left < program->slots.count ? left : program->slots.count);
    }
    dev_checking_end(dev, &program->checking, program->half, runs);
    return dev_end(dev, error);
}

// Swaps the current and the next batch.
static void change(struct dev_program *program)
{
    dev_change(program->dev);
    program->half = (program->half + 1) % DEV_HALVES;
}

static enum dev_status start(struct dev_program *program, struct lit_error *error)
{
    dev_checking_forget(&program->checking, program->half);
    return dev_start(program->dev, error);
}

// Called while a batch executes. Errors are reported when the next batch is requested.
static void prepare_next(struct dev_program *program, const struct dev_batch *batch)
{
    struct dev *dev = program->dev;
    struct next *next = &program->next;
    if (!batch->next_runs || batch->next_runs > program->info.batch)
        return;
    change(program);
    dev->other_of = NULL;
    next->error = (struct lit_error){0};
    next->first = batch->first + batch->runs;
    next->runs = batch->next_runs;
    if (record_batch(program, next->first, next->runs, &next->error) == DEV_OK) {
        next->state = NEXT_RECORDED;
        dev->other_of = program;
        if (batch->submits) {
            next->state = NEXT_SUBMITTED;
            next->status = start(program, &next->error);
        }
    }
    change(program);
}

enum dev_status dev_program_drain(struct dev_program *program, uint32_t timeout_ms,
                                  struct lit_error *error)
{
    if (!program || program->next.state != NEXT_SUBMITTED)
        return DEV_OK;
    program->next.state = NEXT_NONE;
    change(program);
    if (program->next.status == DEV_OK)
        return dev_finish(program->dev, timeout_ms, error);
    *error = program->next.error;
    return program->next.status;
}

// Ensures that these runs are submitted: they may have been recorded during the batch before, or
// submitted behind it.
static enum dev_status begin(struct dev_program *program, uint64_t first, uint32_t runs,
                             uint32_t timeout_ms, struct lit_error *error)
{
    struct next *next = &program->next;
    const bool submitted = next->state == NEXT_SUBMITTED;
    const bool same = next->state != NEXT_NONE && program->dev->other_of == program &&
                      next->first == first && next->runs == runs;
    if (!same)
        TRY(dev_program_drain(program, timeout_ms, error));
    next->state = NEXT_NONE;
    if (!same)
        TRY(record_batch(program, first, runs, error));
    else
        change(program);
    if (!same || !submitted)
        return start(program, error);
    *error = next->error;
    return next->status;
}

static enum dev_status run_on_device(struct dev_program *program, struct dev_batch *batch,
                                     uint32_t timeout_ms, struct lit_error *error)
{
    struct dev *dev = program->dev;
    struct next *next = &program->next;
    TRY(begin(program, batch->first, batch->runs, timeout_ms, error));
    prepare_next(program, batch);
    const enum dev_status status = dev_finish(dev, timeout_ms, error);
    if (status != DEV_OK && (status != DEV_LOST || next->state != NEXT_SUBMITTED))
        return status;
    dev_checking_read(dev, &program->checking, program->half, batch);
    if (status == DEV_OK)
        return read_stages(program, batch, error);
    // The device was lost in the next batch, but this one had completed.
    if (batch->unchecked)
        return status;
    next->status = status;
    next->error = *error;
    return DEV_OK;
}

static void record_readback(struct dev_program *program)
{
    struct dev *dev = program->dev;
    dev_copy(dev, &program->output, 0, &program->readback, 0, program->output_words);
    dev_copy(dev, &program->state, 0, &program->readback, program->output_words, 1);
    dev_barrier(dev);
}

static void judge(struct dev_program *program, uint32_t index, struct cat_run *run,
                  struct cat_failure *failures, size_t most, size_t *count)
{
    const struct dev_program_info *info = &program->info;
    uint32_t *output = program->readback.mapped;
    if (info->code.interface)
        cat_settle(info->code.interface, output, program->expected);
    cat_mode_check(&info->mode, &info->shape, output, program->expected, index, run, failures, most,
                   count);
}

static enum dev_status run_for_host(struct dev_program *program, uint32_t index,
                                    struct dev_batch *batch, uint32_t timeout_ms,
                                    struct lit_error *error)
{
    struct dev *dev = program->dev;
    const uint64_t run = batch->first + index;
    uint32_t *output = program->readback.mapped;
    for (uint64_t i = 0; i <= program->output_words; i++)
        output[i] = CAT_POISON;
    TRY(dev_begin(dev, error));
    dev_begin_run(dev, seed_of(program, run));
    dev_fill(dev, &program->output, 0, program->output.words, CAT_POISON);
    dev_fill(dev, &program->state, 0, program->state.words, 0);
    dev_barrier(dev);
    record_fresh(program, 1);
    record_test(program, &program->slot[0], program->parts[0].pipeline, run);
    record_readback(program);
    TRY(dev_submit(dev, timeout_ms, error));

    // A device that executes nothing leaves poison everywhere: that is unwritten, not a timeout.
    const uint32_t state = output[program->output_words];
    const size_t before = batch->failure_count;
    batch->expired[index] = state != 0 && state != CAT_POISON;
    judge(program, index, &batch->run[index], batch->failures, DEV_MAX_FAILURES,
          &batch->failure_count);
    // A run that gave up has meaningless failures.
    if (batch->expired[index])
        batch->failure_count = before;
    return DEV_OK;
}

enum dev_status dev_program_run(struct dev_program *program, struct dev_batch *batch,
                                uint32_t timeout_ms, struct lit_error *error)
{
    batch->failure_count = 0;
    batch->unchecked = false;
    batch->stages = (struct dev_stages){0};
    if (!batch->runs || batch->runs > program->info.batch)
        return dev_refuse(error, "a batch of %u runs, of at most %u", batch->runs,
                          program->info.batch);
    if (!program->info.check_on_host)
        return run_on_device(program, batch, timeout_ms, error);
    enum dev_status status = DEV_OK;
    for (uint32_t i = 0; i < batch->runs && status == DEV_OK; i++)
        status = run_for_host(program, i, batch, timeout_ms, error);
    return status;
}

// --- Single runs

static void fill_from_host(struct dev_program *program)
{
    const struct cat_shape *shape = &program->info.shape;
    uint32_t *words = program->from_host.mapped;
    if (shape->input_words)
        memcpy(words, program->info.input, shape->input_words * 4);
    words += shape->input_words;
    for (uint64_t i = 0; i < program->output_words; i++)
        words[i] = CAT_POISON;
    memset(words + program->output_words, 0, shape->state_words * 4);
    if (program->info.fresh)
        memcpy(words, program->info.fresh, (program->output_words + shape->state_words) * 4);
    // Otherwise the previous run's output could pass.
    memset(program->readback.mapped, 0xff, program->readback.words * 4);
}

static void record_single(struct dev_program *program, VkPipeline pipeline, uint64_t run)
{
    struct dev *dev = program->dev;
    const struct cat_shape *shape = &program->info.shape;
    const uint64_t inputs = shape->input_words, outputs = program->output_words;
    dev_copy(dev, &program->from_host, 0, &program->input, 0, inputs);
    dev_copy(dev, &program->from_host, inputs, &program->output, 0, outputs);
    dev_copy(dev, &program->from_host, inputs + outputs, &program->state, 0, shape->state_words);
    dev_barrier(dev);
    record_test(program, &program->slot[0], pipeline, run);
    record_readback(program);
}

static enum dev_status submit_single(struct dev_program *program, VkPipeline pipeline, uint64_t run,
                                     uint32_t timeout_ms, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = program->dev;
    const VkCommandBuffer kept = dev->commands;
    VkCommandBuffer made = VK_NULL_HANDLE;
    VK_END(vkAllocateCommandBuffers(dev->device,
                                    &(VkCommandBufferAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = dev->pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1,
                                    },
                                    &made));
    dev->commands = made;
    TRY_END(dev_begin(dev, error));
    record_single(program, pipeline, run);
    TRY_END(dev_submit(dev, timeout_ms, error));
error:
    dev->commands = kept;
    if (made && status == DEV_OK)
        vkFreeCommandBuffers(dev->device, dev->pool, 1, &made);
    return status;
}

enum dev_status dev_program_single(struct dev_program *program, bool compiles, uint64_t number,
                                   struct cat_run *run, bool *expired, uint32_t timeout_ms,
                                   struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct cat_failure failure;
    size_t failures = 0;
    VkPipeline own = VK_NULL_HANDLE;
    if (compiles)
        TRY_END(
            dev_pipeline(program->dev,
                         &(struct dev_pipeline_info){.code = program->info.code,
                                                     .layout = program->parts[0].layout.pipeline},
                         &own, error));
    fill_from_host(program);
    TRY_END(
        submit_single(program, own ? own : program->parts[0].pipeline, number, timeout_ms, error));
    const uint32_t state = program->readback.mapped[program->output_words];
    *expired = state != 0 && state != UINT32_MAX;
    judge(program, 0, run, &failure, 1, &failures);
error:
    if (own && !program->dev->stuck && status != DEV_LOST)
        vkDestroyPipeline(program->dev->device, own, NULL);
    return status;
}
