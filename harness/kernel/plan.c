// SPDX-License-Identifier: Apache-2.0
// Makes a package from a plan: puts each buffer into a region.
#include "kernel/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct krn_plan *krn_plan_new(void)
{
    return lit_alloc(1, sizeof(struct krn_plan));
}

void krn_plan_free(struct krn_plan **freeing)
{
    struct krn_plan *plan = *freeing;
    *freeing = NULL;
    for (size_t i = 0; plan && i < plan->pipeline_count; i++)
        free(plan->pipelines[i].words);
    for (size_t i = 0; plan && i < plan->buffer_count; i++) {
        free(plan->buffers[i].before);
        free(plan->buffers[i].after);
        free(plan->buffers[i].counts);
        free(plan->buffers[i].addresses);
    }
    for (size_t i = 0; plan && i < plan->dispatch_count; i++)
        free(plan->dispatches[i].addresses);
    free(plan);
}

const uint32_t *krn_plan_words(const struct krn_plan *plan, const struct krn_pipeline *pipeline,
                               size_t *count)
{
    const struct krn_pipeline *of = pipeline->words ? pipeline : &plan->pipelines[0];
    *count = of->word_count;
    return of->words;
}

bool krn_put_spec(struct cat_spec *specs, size_t *count, uint32_t id, uint32_t bits,
                  const uint8_t bytes[8])
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (specs[i].id != id)
            specs[kept++] = specs[i];
    for (uint32_t at = 0; at < bits / 8; at += 4) {
        if (kept == CAT_MOST_SPEC)
            return false;
        specs[kept].id = id;
        memcpy(&specs[kept++].value, bytes + at, 4);
    }
    *count = kept;
    return true;
}

uint64_t krn_plan_least(const struct cat_buffer *buffer)
{
    return (buffer->bytes + buffer->each + 3) / 4;
}

void krn_plan_name(const struct krn_held *held, struct text *name)
{
    if (held->name[0]) {
        text_printf(name, "buffer %s", held->name);
        return;
    }
    text_puts(name, "buffer ");
    cat_put_place(name, held->as.set, held->as.binding, held->as.element);
    if (held->as.name[0])
        text_printf(name, " (%s)", held->as.name);
}

bool krn_place_is(const struct krn_place *place, const struct cat_buffer *buffer)
{
    return place->set == buffer->set && place->binding == buffer->binding &&
           (!place->element || place->element == buffer->element);
}

bool krn_plan_grow(struct cat_buffer *buffers, size_t *count, size_t first, uint32_t elements)
{
    if (!elements || elements > CAT_MOST_BINDINGS - *count + 1)
        return false;
    memmove(buffers + first + elements, buffers + first + 1,
            (*count - first - 1) * sizeof *buffers);
    for (uint32_t i = 1; i < elements; i++) {
        buffers[first + i] = buffers[first];
        buffers[first + i].element = i + 1;
    }
    *count += elements - 1;
    return true;
}

void krn_plan_join(struct krn_held *held, const struct cat_buffer *buffer)
{
    struct cat_buffer *as = &held->as;
    as->readonly = as->readonly && buffer->readonly;
    as->uniform = as->uniform && buffer->uniform;
    as->floats = as->floats == buffer->floats ? as->floats : 0;
    if (krn_plan_least(buffer) > krn_plan_least(as)) {
        as->bytes = buffer->bytes;
        as->each = buffer->each;
    }
}

// --- Buffers

// Reports a missing or too short content.
static bool check_held(struct krn_held *held, struct lit_error *error)
{
    const struct cat_buffer *buffer = &held->as;
    OWNED(text_free) struct text name = {0}, place = {0};
    const uint64_t least = krn_plan_least(buffer);
    krn_plan_name(held, &name);
    cat_put_place(&place, buffer->set, buffer->binding, buffer->element);
    if (!held->words && buffer->readonly)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "nothing says what %s holds: --buffer %s=random:%" PRIu64, name.data,
                        place.data, buffer->each ? 4096 : least * 4);
    // A written buffer of fixed size may have any initial content.
    if (!held->words && !buffer->each && least <= CAT_PACKAGE_BYTES / 4)
        held->words = least;
    if (!held->words)
        return lit_fail(error, LIT_EXIT_USAGE, "nothing says how long %s is: --buffer %s=4096",
                        name.data, place.data);
    if (held->may.to > held->words || held->may.order > held->words)
        return lit_fail(error, LIT_EXIT_USAGE, "--allow: %s has only %zu words", name.data,
                        held->words);
    return held->words >= least ||
           lit_fail(error, LIT_EXIT_USAGE, "%s has %zu bytes, where the module asks for %" PRIu64,
                    name.data, held->words * 4, least * 4);
}

static void fill(uint32_t *words, size_t count, uint32_t value)
{
    for (size_t i = 0; i < count; i++)
        words[i] = value;
}

// Extends a region by `words`, at a multiple of CAT_BINDING_WORDS, with poison.
static size_t make_room(struct cat_package *package, enum cat_region region, size_t words)
{
    const size_t before = package->region_words[region];
    const size_t first = (before + CAT_BINDING_WORDS - 1) / CAT_BINDING_WORDS * CAT_BINDING_WORDS;
    const size_t after = first + words;
    package->region[region] = lit_realloc(package->region[region], after, 4);
    fill(package->region[region] + before, after - before, CAT_POISON);
    if (region == CAT_OUTPUT) {
        package->expected = lit_realloc(package->expected, after, 4);
        fill(package->expected + before, after - before, CAT_POISON);
        package->expected_words = after;
    }
    package->region_words[region] = after;
    return first;
}

// A buffer's place in a region.
struct place {
    enum cat_region region;
    size_t first;
};

// Sets the bits to compare: all of them, until a buffer masks some.
static void put_counts(const struct krn_held *held, size_t first, struct cat_package *package)
{
    struct cat_interface *interface = &package->interface;
    if (!held->counts && !interface->counts)
        return;
    interface->counts = lit_realloc(interface->counts, package->expected_words, 4);
    fill(interface->counts + interface->count_words,
         package->expected_words - interface->count_words, UINT32_MAX);
    interface->count_words = package->expected_words;
    if (held->counts)
        memcpy(interface->counts + first, held->counts, held->words * 4);
}

static struct place place_held(const struct krn_held *held, bool compared,
                               struct cat_package *package)
{
    struct place at = {compared ? CAT_OUTPUT : held->as.readonly ? CAT_INPUT : CAT_STATE, 0};
    at.first = make_room(package, at.region, held->words);
    if (held->before)
        memcpy(package->region[at.region] + at.first, held->before, held->words * 4);
    if (held->after)
        memcpy(package->expected + at.first, held->after, held->words * 4);
    if (compared)
        put_counts(held, at.first, package);
    return at;
}

static bool place_buffers(struct krn_plan *plan, bool agrees, struct cat_package *package,
                          struct place *places, struct lit_error *error)
{
    uint64_t all = 0;
    // Word 0 is set when a wait expired; no buffer has it.
    package->region[CAT_STATE] = lit_alloc(1, 4);
    package->region_words[CAT_STATE] = 1;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        struct krn_held *held = &plan->buffers[i];
        if (!check_held(held, error))
            return false;
        all += held->words * 4;
        if (all > CAT_PACKAGE_BYTES)
            return lit_fail(error, LIT_EXIT_USAGE, "buffers of more than %zu MiB",
                            CAT_PACKAGE_BYTES >> 20);
        held->may.nan = agrees ? held->as.floats : 0;
        places[i] = place_held(held, held->after || (agrees && !held->as.readonly), package);
    }
    return true;
}

// --- Pipelines

static void put_pipeline(const struct krn_plan *plan, const struct krn_pipeline *pipeline,
                         const struct place *places, struct cat_interface *interface)
{
    memcpy(interface->entry, pipeline->module.entry, sizeof interface->entry);
    interface->full = pipeline->full;
    interface->sized = pipeline->subgroup > 0;
    interface->width = pipeline->module.local[0];
    interface->push_size = pipeline->module.push_size;
    interface->binding_count = pipeline->module.buffer_count;
    for (size_t i = 0; i < interface->binding_count; i++) {
        const struct cat_buffer *buffer = &pipeline->module.buffers[i];
        const struct krn_held *held = &plan->buffers[pipeline->held[i]];
        const struct place *at = &places[pipeline->held[i]];
        interface->bindings[i] = (struct cat_binding){.set = buffer->set,
                                                      .binding = buffer->binding,
                                                      .element = buffer->element,
                                                      .uniform = buffer->uniform,
                                                      .region = at->region,
                                                      .first = at->first,
                                                      .words = held->words,
                                                      .may = held->may};
        if (held->like)
            interface->bindings[i].may.like = places[held->like - 1].first + 1;
        memcpy(interface->bindings[i].name, held->name, sizeof held->name);
    }
}

static uint32_t workgroup_of(const struct cat_inspected *module)
{
    return module->local[0] * module->local[1] * module->local[2];
}

static void put_parts(struct krn_plan *plan, const struct place *places,
                      struct cat_interface *interface)
{
    interface->part_count = plan->pipeline_count - 1;
    interface->parts = lit_alloc(interface->part_count + 1, sizeof *interface->parts);
    for (size_t i = 0; i < interface->part_count; i++) {
        struct krn_pipeline *pipeline = &plan->pipelines[i + 1];
        struct cat_part *part = &interface->parts[i];
        put_pipeline(plan, pipeline, places, &part->interface);
        part->words = pipeline->words;
        part->word_count = pipeline->word_count;
        pipeline->words = NULL;
        part->workgroup = workgroup_of(&pipeline->module);
        part->subgroup = pipeline->subgroup;
        part->spec_count = pipeline->spec_count;
        for (size_t spec = 0; spec < part->spec_count; spec++) {
            part->spec_ids[spec] = pipeline->specs[spec].id;
            part->spec_values[spec] = pipeline->specs[spec].value;
        }
    }
}

static void put_dispatches(const struct krn_plan *plan, struct cat_package *package)
{
    struct cat_interface *interface = &package->interface;
    const struct krn_dispatch *first = &plan->dispatches[0];
    package->groups = first->groups[0];
    interface->rows = first->groups[1];
    interface->layers = first->groups[2];
    memcpy(interface->push, first->push, sizeof interface->push);
    interface->step_count = plan->dispatch_count - 1;
    for (size_t i = 0; i < interface->step_count; i++) {
        const struct krn_dispatch *dispatch = &plan->dispatches[i + 1];
        struct cat_step *step = &interface->steps[i];
        step->part = (uint32_t)dispatch->pipeline;
        memcpy(step->groups, dispatch->groups, sizeof step->groups);
        memcpy(step->push, dispatch->push, sizeof step->push);
    }
}

// --- Addresses

static bool put_addresses(const struct krn_plan *plan, const struct krn_address *from, size_t count,
                          const struct place *places, struct cat_address as,
                          struct cat_package *package, struct lit_error *error)
{
    struct cat_interface *interface = &package->interface;
    const uint64_t first = as.at;
    for (size_t i = 0; i < count; i++) {
        size_t of = 0;
        while (!krn_place_is(&from[i].of, &plan->buffers[of].as))
            of++;
        if (from[i].at % 4 || interface->address_count == CAT_MOST_ADDRESSES) {
            OWNED(text_free) struct text name = {0};
            krn_plan_name(&plan->buffers[of], &name);
            return lit_fail(error, LIT_EXIT_USAGE, "the address of %s %s", name.data,
                            from[i].at % 4 ? "does not stand at a multiple of 4 bytes"
                                           : "is one more than there may be");
        }
        as.at = first + from[i].at / 4;
        as.of = places[of].region;
        as.first = places[of].first;
        interface->addresses[interface->address_count++] = as;
        // The device chooses an address, so do not compare it.
        if (as.in == CAT_OUTPUT)
            interface->counts[as.at] = interface->counts[as.at + 1] = 0;
    }
    return true;
}

static bool put_all_addresses(const struct krn_plan *plan, const struct place *places,
                              struct cat_package *package, struct lit_error *error)
{
    bool good = true;
    for (size_t i = 0; i < plan->buffer_count && good; i++) {
        const struct krn_held *held = &plan->buffers[i];
        const struct cat_address as = {.in = places[i].region, .at = places[i].first};
        if (held->address_count && as.in == CAT_OUTPUT && !package->interface.counts) {
            package->interface.counts = lit_alloc(package->expected_words, 4);
            package->interface.count_words = package->expected_words;
            fill(package->interface.counts, package->expected_words, UINT32_MAX);
        }
        good =
            put_addresses(plan, held->addresses, held->address_count, places, as, package, error);
    }
    for (size_t i = 0; i < plan->dispatch_count && good; i++) {
        const struct cat_address as = {.in = CAT_REGIONS, .step = (uint32_t)i};
        good = put_addresses(plan, plan->dispatches[i].addresses, plan->dispatches[i].address_count,
                             places, as, package, error);
    }
    return good;
}

bool krn_plan_place(struct krn_plan *plan, bool agrees, struct cat_package *package,
                    struct lit_error *error)
{
    struct cat_interface *interface = &package->interface;
    struct krn_pipeline *first = &plan->pipelines[0];
    struct place places[KRN_MOST_HELD] = {0};
    if (!place_buffers(plan, agrees, package, places, error))
        return false;
    put_pipeline(plan, first, places, interface);
    put_dispatches(plan, package);
    put_parts(plan, places, interface);
    package->words = first->words;
    package->word_count = first->word_count;
    first->words = NULL;
    package->workgroup = workgroup_of(&first->module);
    package->subgroup = first->subgroup;
    for (size_t i = 0; i < first->spec_count; i++)
        LIT_ADD(package->specs, package->spec_count) = first->specs[i];
    if (!package->expected_words)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s writes no buffer", package->origin.data);
    if (!put_all_addresses(plan, places, package, error))
        return false;
    cat_settle(interface, package->expected, package->expected);
    return true;
}
