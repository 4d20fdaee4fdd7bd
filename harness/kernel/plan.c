// SPDX-License-Identifier: Apache-2.0
// Makes a package from a plan: puts each buffer into a region.
#include "kernel/plan.h"

void krn_plan_clear(struct krn_plan *plan)
{
    for (size_t i = 0; i < plan->module_count; i++)
        free(plan->modules[i].words);
    for (size_t i = 0; i < plan->buffer_count; i++) {
        free(plan->buffers[i].before);
        free(plan->buffers[i].after);
        free(plan->buffers[i].counts);
        free(plan->buffers[i].addresses);
    }
    for (size_t i = 0; i < plan->dispatch_count; i++)
        free(plan->dispatches[i].addresses);
    free(plan->modules);
    free(plan->buffers);
    free(plan->pipelines);
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

// The least 32-bit words that the module needs.
static uint64_t least_words(const struct cat_buffer *buffer)
{
    return (buffer->bytes + buffer->each + 3) / 4;
}

// Names a buffer in messages: "buffer 0.1 (sums)".
static void put_name(const struct krn_held *held, struct text *name)
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

// --- Bindings

// Replaces the first element of each open array by as many as are bound.
static bool grow_arrays(struct krn_pipeline *p, struct lit_error *error)
{
    struct cat_buffer *buffers = p->declares.buffers;
    for (size_t i = 0; i < p->declares.buffer_count; i++) {
        uint32_t elements = 0;
        const size_t behind = p->declares.buffer_count - i - 1;
        for (size_t b = 0; b < p->bind_count && buffers[i].open && buffers[i].element == 1; b++)
            if (p->binds[b].set == buffers[i].set && p->binds[b].binding == buffers[i].binding &&
                p->binds[b].element > elements)
                elements = p->binds[b].element;
        if (elements <= 1)
            continue;
        if (i + elements + behind > CAT_MOST_BINDINGS)
            return lit_fail(error, LIT_EXIT_USAGE, "more than %d buffers", CAT_MOST_BINDINGS);
        memmove(buffers + i + elements, buffers + i + 1, behind * sizeof *buffers);
        for (uint32_t e = 1; e < elements; e++) {
            buffers[i + e] = buffers[i];
            buffers[i + e].element = e + 1;
        }
        p->declares.buffer_count += elements - 1;
    }
    return true;
}

// Adds a declaration of a buffer.
static void join(struct krn_held *held, const struct cat_buffer *buffer)
{
    struct cat_buffer *as = &held->as;
    if (!held->used)
        *as = *buffer;
    held->used = true;
    as->readonly = as->readonly && buffer->readonly;
    as->uniform = as->uniform && buffer->uniform;
    as->floats = as->floats == buffer->floats ? as->floats : 0;
    if (least_words(buffer) > least_words(as)) {
        as->bytes = buffer->bytes;
        as->each = buffer->each;
    }
}

bool krn_plan_use(struct krn_plan *plan, size_t pipeline, struct lit_error *error)
{
    struct krn_pipeline *p = &plan->pipelines[pipeline];
    size_t used = 0;
    if (plan->part_count > CAT_MOST_PARTS)
        return lit_fail(error, LIT_EXIT_USAGE, "more than %d pipelines", 1 + CAT_MOST_PARTS);
    p->part = plan->part_count;
    plan->parts[plan->part_count++] = pipeline;
    if (!grow_arrays(p, error))
        return false;
    for (size_t i = 0; i < p->declares.buffer_count; i++) {
        const struct cat_buffer *of = &p->declares.buffers[i];
        const struct krn_bind *bind = p->binds;
        while (bind < p->binds + p->bind_count && !CAT_SAME_PLACE(bind, of))
            bind++;
        if (bind == p->binds + p->bind_count) {
            OWNED(text_free) struct text place = {0};
            cat_put_place(&place, of->set, of->binding, of->element);
            return lit_fail(error, LIT_EXIT_USAGE,
                            "pipeline %s binds nothing at %s, which its shader has", p->name,
                            place.data);
        }
        struct krn_held *held = &plan->buffers[p->held[i] = bind->buffer];
        if (bind->uniform != of->uniform)
            return lit_fail(error, LIT_EXIT_USAGE,
                            "buffer %s is bound as %s, which it is not in the shader", held->name,
                            bind->uniform ? "uniform" : "storage");
        join(held, of);
    }
    for (size_t i = 0; i < plan->buffer_count; i++)
        used += plan->buffers[i].used;
    return used <= KRN_MOST_HELD ||
           lit_fail(error, LIT_EXIT_USAGE, "more than %d buffers", KRN_MOST_HELD);
}

// --- Buffers

bool krn_plan_settle(struct krn_held *held)
{
    const uint64_t least = least_words(&held->as);
    if (!held->words && !held->as.each && !held->as.readonly && least <= CAT_PACKAGE_BYTES / 4)
        held->words = least;
    return held->words > 0;
}

void krn_plan_miss(const struct krn_held *held, struct text *what, struct text *options)
{
    const struct cat_buffer *buffer = &held->as;
    OWNED(text_free) struct text name = {0};
    put_name(held, &name);
    text_printf(what, buffer->readonly ? "%swhat %s holds" : "%show long %s is",
                what->length ? ", " : "", name.data);
    text_puts(options, " --buffer ");
    cat_put_place(options, buffer->set, buffer->binding, buffer->element);
    text_printf(options, buffer->readonly ? "=random:%" PRIu64 : "=%" PRIu64,
                buffer->each ? 4096 : least_words(buffer) * 4);
}

// Reports a missing or too short content.
static bool check_held(struct krn_held *held, struct lit_error *error)
{
    OWNED(text_free) struct text name = {0}, options = {0};
    const uint64_t least = least_words(&held->as);
    if (!krn_plan_settle(held)) {
        krn_plan_miss(held, &name, &options);
        return lit_fail(error, LIT_EXIT_USAGE, "nothing says %s:%s", name.data, options.data);
    }
    put_name(held, &name);
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

// Extends the bits to compare: all of them, until a buffer masks some.
static void need_counts(struct cat_package *package)
{
    struct cat_interface *interface = &package->interface;
    interface->counts = lit_realloc(interface->counts, package->expected_words, 4);
    fill(interface->counts + interface->count_words,
         package->expected_words - interface->count_words, UINT32_MAX);
    interface->count_words = package->expected_words;
}

static void place_held(struct krn_held *held, bool compared, struct cat_package *package)
{
    held->region = compared ? CAT_OUTPUT : held->as.readonly ? CAT_INPUT : CAT_STATE;
    held->first = make_room(package, held->region, held->words);
    if (held->before)
        memcpy(package->region[held->region] + held->first, held->before, held->words * 4);
    if (held->after)
        memcpy(package->expected + held->first, held->after, held->words * 4);
    if (compared && (held->counts || package->interface.counts))
        need_counts(package);
    if (compared && held->counts)
        memcpy(package->interface.counts + held->first, held->counts, held->words * 4);
}

static bool place_buffers(struct krn_plan *plan, bool agrees, struct cat_package *package,
                          struct lit_error *error)
{
    uint64_t all = 0;
    // Word 0 is set when a wait expired; no buffer has it.
    package->region[CAT_STATE] = lit_alloc(1, 4);
    package->region_words[CAT_STATE] = 1;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        struct krn_held *held = &plan->buffers[i];
        if (!held->used)
            continue;
        if (!check_held(held, error))
            return false;
        all += held->words * 4;
        if (all > CAT_PACKAGE_BYTES)
            return lit_fail(error, LIT_EXIT_USAGE, "buffers of more than %zu MiB",
                            CAT_PACKAGE_BYTES >> 20);
        held->may.nan = agrees ? held->as.floats : 0;
        place_held(held, held->after || (agrees && !held->as.readonly), package);
    }
    return true;
}

// --- Pipelines

static void put_pipeline(const struct krn_plan *plan, const struct krn_pipeline *pipeline,
                         struct cat_interface *interface)
{
    const struct cat_inspected *module = &pipeline->declares;
    memcpy(interface->entry, module->entry, sizeof interface->entry);
    interface->full = pipeline->full;
    interface->sized = pipeline->subgroup > 0;
    interface->width = module->local[0];
    interface->push_size = module->push_size;
    interface->binding_count = module->buffer_count;
    for (size_t i = 0; i < interface->binding_count; i++) {
        const struct cat_buffer *buffer = &module->buffers[i];
        const struct krn_held *held = &plan->buffers[pipeline->held[i]];
        interface->bindings[i] = (struct cat_binding){.set = buffer->set,
                                                      .binding = buffer->binding,
                                                      .element = buffer->element,
                                                      .uniform = buffer->uniform,
                                                      .region = held->region,
                                                      .first = held->first,
                                                      .words = held->words,
                                                      .may = held->may};
        if (held->like)
            interface->bindings[i].may.like = plan->buffers[held->like - 1].first + 1;
        memcpy(interface->bindings[i].name, held->name, sizeof held->name);
    }
}

static uint32_t workgroup_of(const struct krn_pipeline *pipeline)
{
    const uint32_t *local = pipeline->declares.local;
    return local[0] * local[1] * local[2];
}

// Copies a module: several pipelines may have it.
static void put_words(const struct krn_module *module, uint32_t **words, size_t *count)
{
    *words = lit_alloc(module->count, sizeof **words);
    *count = module->count;
    memcpy(*words, module->words, module->count * sizeof **words);
}

static void put_parts(const struct krn_plan *plan, struct cat_interface *interface)
{
    const size_t first = plan->pipelines[plan->parts[0]].module;
    interface->part_count = plan->part_count - 1;
    interface->parts = lit_alloc(interface->part_count + 1, sizeof *interface->parts);
    for (size_t i = 0; i < interface->part_count; i++) {
        const struct krn_pipeline *pipeline = &plan->pipelines[plan->parts[i + 1]];
        struct cat_part *part = &interface->parts[i];
        put_pipeline(plan, pipeline, &part->interface);
        if (pipeline->module != first)
            put_words(&plan->modules[pipeline->module], &part->words, &part->word_count);
        part->workgroup = workgroup_of(pipeline);
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
        step->part = (uint32_t)dispatch->part;
        memcpy(step->groups, dispatch->groups, sizeof step->groups);
        memcpy(step->push, dispatch->push, sizeof step->push);
    }
}

// --- Addresses

static bool put_addresses(const struct krn_plan *plan, const struct krn_address *from, size_t count,
                          struct cat_address as, struct cat_package *package,
                          struct lit_error *error)
{
    struct cat_interface *interface = &package->interface;
    const uint64_t first = as.at;
    for (size_t i = 0; i < count; i++) {
        size_t of = 0;
        while (!krn_place_is(&from[i].of, &plan->buffers[of].as))
            of++;
        if (from[i].at % 4 || interface->address_count == CAT_MOST_ADDRESSES) {
            OWNED(text_free) struct text name = {0};
            put_name(&plan->buffers[of], &name);
            return lit_fail(error, LIT_EXIT_USAGE, "the address of %s %s", name.data,
                            from[i].at % 4 ? "does not stand at a multiple of 4 bytes"
                                           : "is one more than there may be");
        }
        as.at = first + from[i].at / 4;
        as.of = plan->buffers[of].region;
        as.first = plan->buffers[of].first;
        interface->addresses[interface->address_count++] = as;
        // The device chooses an address, so do not compare it.
        if (as.in == CAT_OUTPUT)
            interface->counts[as.at] = interface->counts[as.at + 1] = 0;
    }
    return true;
}

static bool put_all_addresses(const struct krn_plan *plan, struct cat_package *package,
                              struct lit_error *error)
{
    bool good = true;
    for (size_t i = 0; i < plan->buffer_count && good; i++) {
        const struct krn_held *held = &plan->buffers[i];
        const struct cat_address as = {.in = held->region, .at = held->first};
        if (held->address_count && as.in == CAT_OUTPUT)
            need_counts(package);
        good = put_addresses(plan, held->addresses, held->address_count, as, package, error);
    }
    for (size_t i = 0; i < plan->dispatch_count && good; i++) {
        const struct cat_address as = {.in = CAT_REGIONS, .step = (uint32_t)i};
        good = put_addresses(plan, plan->dispatches[i].addresses, plan->dispatches[i].address_count,
                             as, package, error);
    }
    return good;
}

bool krn_plan_place(struct krn_plan *plan, bool agrees, struct cat_package *package,
                    struct lit_error *error)
{
    struct cat_interface *interface = &package->interface;
    const struct krn_pipeline *first = &plan->pipelines[plan->parts[0]];
    if (!place_buffers(plan, agrees, package, error))
        return false;
    put_pipeline(plan, first, interface);
    put_dispatches(plan, package);
    put_parts(plan, interface);
    put_words(&plan->modules[first->module], &package->words, &package->word_count);
    package->workgroup = workgroup_of(first);
    package->subgroup = first->subgroup;
    for (size_t i = 0; i < first->spec_count; i++)
        LIT_ADD(package->specs, package->spec_count) = first->specs[i];
    if (!package->expected_words)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s writes no buffer", package->origin.data);
    if (!put_all_addresses(plan, package, error))
        return false;
    cat_settle(interface, package->expected, package->expected);
    return true;
}
