// SPDX-License-Identifier: Apache-2.0
// RUN and EXPECT of Amber scripts.
#include "kernel/plan.h"

// --- RUN

// Whether two pipelines differ in their names and push constants at most.
static bool is_alike(const struct krn_pipeline *a, const struct krn_pipeline *b)
{
    return a->module == b->module && strcmp(a->entry, b->entry) == 0 &&
           a->spec_count == b->spec_count && a->subgroup == b->subgroup && a->full == b->full &&
           memcmp(a->specs, b->specs, a->spec_count * sizeof *a->specs) == 0 &&
           a->bind_count == b->bind_count &&
           memcmp(a->binds, b->binds, a->bind_count * sizeof *a->binds) == 0;
}

// Inspects a pipeline at its first RUN, unless one like it has run.
static bool use_pipeline(struct krn_reader *r, size_t at)
{
    struct krn_plan *plan = r->plan;
    struct krn_pipeline *p = &plan->pipelines[at];
    struct lit_error why = {0};
    if (p->module == KRN_NONE)
        return krn_refuse(r, "pipeline %s has no shader", p->name);
    for (size_t i = 0; i < plan->part_count && p->part == KRN_NONE; i++)
        if (is_alike(&plan->pipelines[plan->parts[i]], p))
            p->part = i;
    if (p->part != KRN_NONE)
        return true;
    const struct krn_module *module = &plan->modules[p->module];
    if (!cat_inspect(module->words, module->count, p->entry, p->specs, p->spec_count, &p->declares,
                     &why))
        return krn_refuse(r, "shader %s: %.280s", module->name, why.message);
    return krn_plan_use(plan, at, &why) || krn_refuse(r, "%s", why.message);
}

// Refuses a RUN that may write a buffer after its EXPECT.
static bool note_writes(struct krn_reader *r, const struct krn_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->declares.buffer_count; i++) {
        struct krn_held *buffer = &r->plan->buffers[pipeline->held[i]];
        if (!pipeline->declares.buffers[i].stored)
            continue;
        if (buffer->expects)
            return krn_refuse(r,
                              "writes buffer %s after the EXPECT of line %zu: only what a "
                              "buffer holds at the end is compared",
                              buffer->name, buffer->expects);
        buffer->written = true;
    }
    return true;
}

static bool take_push(struct krn_reader *r, const struct krn_pipeline *pipeline, uint32_t size,
                      uint8_t *push)
{
    if (!size)
        return true;
    if (pipeline->push == KRN_NONE)
        return krn_refuse(
            r, "pipeline %s binds no push_constant; its shader has %" PRIu32 " bytes of it",
            pipeline->name, size);
    const struct krn_held *buffer = &r->plan->buffers[pipeline->push];
    if (buffer->written)
        return krn_refuse(r, "push constants out of buffer %s, which a RUN has written",
                          buffer->name);
    // A module's size is a multiple of 4.
    if ((buffer->bytes + 3) / 4 * 4 < size)
        return krn_refuse(r, "buffer %s has %zu bytes, the shader %" PRIu32 " of push constants",
                          buffer->name, buffer->bytes, size);
    memcpy(push, buffer->before, buffer->bytes < size ? buffer->bytes : (size_t)size);
    return true;
}

bool krn_read_run(struct krn_reader *r)
{
    char name[CAT_ENTRY_SIZE];
    uint64_t groups[3];
    if (!krn_take_name(r, name) ||
        (strcmp(name, "TIMED_EXECUTION") == 0 && !krn_take_name(r, name)))
        return false;
    const size_t at = krn_find_pipeline(r, name);
    if (at == KRN_NONE)
        return krn_refuse(r, "there is no pipeline %s", name);
    struct krn_pipeline *pipeline = &r->plan->pipelines[at];
    for (size_t i = 0; i < 3; i++) {
        if (!krn_take_count(r, UINT32_MAX, &groups[i]))
            return false;
        if (!groups[i])
            return krn_refuse(r, "a RUN of no workgroups");
    }
    if (r->plan->dispatch_count > CAT_MOST_STEPS)
        return krn_refuse(r, "more than %d of RUN", 1 + CAT_MOST_STEPS);
    struct krn_dispatch *made = &r->plan->dispatches[r->plan->dispatch_count++];
    if (!use_pipeline(r, at))
        return false;
    const struct krn_pipeline *used = &r->plan->pipelines[r->plan->parts[pipeline->part]];
    made->part = pipeline->part;
    for (size_t i = 0; i < 3; i++)
        made->groups[i] = (uint32_t)groups[i];
    return take_push(r, pipeline, used->declares.push_size, made->push) && note_writes(r, used) &&
           krn_end_line(r);
}

// --- EXPECT

// Whether a buffer's initial content is what is expected.
static bool holds(const struct krn_held *buffer, uint64_t at, const void *bytes, size_t size)
{
    uint32_t got, want;
    if (size != sizeof got)
        return memcmp((uint8_t *)buffer->before + at, bytes, size) == 0;
    memcpy(&got, (uint8_t *)buffer->before + at, sizeof got);
    memcpy(&want, bytes, sizeof want);
    return cat_is_near(&buffer->may, got, want);
}

// Combines several EXPECTs of a buffer, which must agree on each byte and on the tolerance.
static bool expect_bytes(struct krn_reader *r, struct krn_held *buffer, uint64_t at,
                         const void *bytes, size_t size)
{
    if (at > buffer->bytes || size > buffer->bytes - at)
        return krn_refuse(r, "behind the end of buffer %s", buffer->name);
    // If no RUN stores to it, every driver leaves it unchanged.
    if (!buffer->written && !holds(buffer, at, bytes, size))
        return krn_refuse(r, "no RUN before stores to buffer %s, which holds something else",
                          buffer->name);
    if (!buffer->used)
        return true;
    if (buffer->like)
        return krn_refuse(r, "line %zu expects something else of buffer %s", buffer->expects,
                          buffer->name);
    if (!buffer->after) {
        buffer->after = lit_alloc(buffer->words, sizeof *buffer->after);
        buffer->counts = lit_alloc(buffer->words, sizeof *buffer->counts);
    }
    uint8_t *after = (uint8_t *)buffer->after + at, *counts = (uint8_t *)buffer->counts + at;
    for (size_t i = 0; i < size; i++)
        if (counts[i] && after[i] != ((const uint8_t *)bytes)[i])
            return krn_refuse(r, "line %zu expects something else of buffer %s", buffer->expects,
                              buffer->name);
    memcpy(after, bytes, size);
    memset(counts, 0xff, size);
    return true;
}

static bool is_same(const struct cat_tolerance *a, const struct cat_tolerance *b)
{
    return memcmp(&a->relative, &b->relative, sizeof a->relative) == 0 &&
           memcmp(&a->absolute, &b->absolute, sizeof a->absolute) == 0 &&
           memcmp(&a->rmse, &b->rmse, sizeof a->rmse) == 0;
}

static bool agree(struct krn_reader *r, struct krn_held *buffer, const struct cat_tolerance *may)
{
    if (buffer->expects && !is_same(&buffer->may, may))
        return krn_refuse(r, "line %zu has another tolerance for buffer %s, which is not supported",
                          buffer->expects, buffer->name);
    if ((may->relative > 0 || may->absolute > 0 || may->rmse > 0) &&
        (buffer->type.kind != 'f' || buffer->type.bits != 32))
        return krn_refuse(r, "a tolerance is supported for float only");
    buffer->may = *may;
    if (!buffer->used)
        return true;
    buffer->expects = buffer->expects ? buffer->expects : r->line;
    return true;
}

static bool take_tolerance(struct krn_reader *r, float *tolerance, bool *percent)
{
    static const struct krn_type real = {.kind = 'f', .bits = 32};
    struct krn_value value;
    krn_next(r);
    const size_t length = strlen(r->token);
    *percent = length && r->token[length - 1] == '%';
    if (*percent)
        r->token[length - 1] = '\0';
    if (!krn_value_parse(&real, r->token, &value))
        return krn_refuse_token(r, "expected a tolerance");
    *tolerance = (float)value.real;
    return (value.real >= 0 && value.real < 1e30) || krn_refuse_token(r, "expected a tolerance");
}

// Parses "IDX 8 EQ 1 2 3", "IDX 8 TOLERANCE 1% EQ 1 2 3".
static bool expect_values(struct krn_reader *r, struct krn_held *buffer)
{
    struct cat_tolerance may = {0};
    uint64_t first;
    float tolerance;
    bool percent;
    uint8_t bytes[8];
    if (!krn_take_count(r, CAT_PACKAGE_BYTES, &first))
        return false;
    krn_next(r);
    if (krn_is(r, "TOLERANCE")) {
        if (!take_tolerance(r, &tolerance, &percent))
            return false;
        *(percent ? &may.relative : &may.absolute) = percent ? tolerance / 100 : tolerance;
        krn_next(r);
    }
    if (!krn_is(r, "EQ"))
        return krn_refuse_token(r, "only EQ, EQ_BUFFER and RMSE_BUFFER are supported, with one "
                                   "tolerance");
    if (buffer->type.kind == 'f' && buffer->type.bits == 64)
        return krn_refuse(r, "EQ of doubles, for which Amber has a tolerance, is not supported");
    if (!agree(r, buffer, &may))
        return false;
    uint64_t n = 0;
    for (krn_next(r); !krn_at_end(r); krn_next(r), n++) {
        if (!krn_take_value(r, &buffer->type, bytes) ||
            !expect_bytes(r, buffer, first + krn_type_offset(&buffer->type, n), bytes,
                          buffer->type.bits / 8))
            return false;
    }
    return n || krn_refuse_token(r, "expected a value");
}

// The two buffers must be equal at the end.
static bool expect_like(struct krn_reader *r, struct krn_held *buffer, size_t other)
{
    struct krn_held *of = &r->plan->buffers[other];
    if (!buffer->used || of == buffer)
        return krn_refuse(r, "no RUN before has buffer %s", buffer->name);
    if (buffer->after || buffer->is_model || of->like ||
        (buffer->like && buffer->like != other + 1))
        return krn_refuse(r, "several EXPECTs of buffers %s and %s, which is not supported",
                          buffer->name, of->name);
    buffer->like = other + 1;
    buffer->expects = buffer->expects ? buffer->expects : r->line;
    of->is_model = true;
    of->expects = of->expects ? of->expects : r->line;
    return krn_end_line(r);
}

static bool expect_buffer(struct krn_reader *r, size_t at)
{
    struct cat_tolerance may = {0};
    const bool exact = krn_is(r, "EQ_BUFFER");
    size_t other;
    bool percent;
    if (!krn_take_buffer(r, &other))
        return false;
    const struct krn_held *of = &r->plan->buffers[other];
    struct krn_held *buffer = &r->plan->buffers[at];
    if (of->bytes != buffer->bytes)
        return krn_refuse(r, "buffer %s has %zu bytes, buffer %s %zu", buffer->name, buffer->bytes,
                          of->name, of->bytes);
    if (of->written && exact)
        return expect_like(r, buffer, other);
    if (of->written)
        return krn_refuse(r, "RMSE_BUFFER with buffer %s, which a RUN writes, is not supported",
                          of->name);
    if (!exact && (!krn_expect_word(r, "TOLERANCE") || !take_tolerance(r, &may.rmse, &percent)))
        return false;
    if (!exact && percent)
        return krn_refuse(r, "the tolerance of RMSE_BUFFER is a number, not a part");
    return agree(r, buffer, &may) && expect_bytes(r, buffer, 0, of->before, of->bytes) &&
           krn_end_line(r);
}

bool krn_read_expect(struct krn_reader *r)
{
    size_t at;
    if (!krn_take_buffer(r, &at))
        return false;
    krn_next(r);
    if (krn_is(r, "IDX"))
        return expect_values(r, &r->plan->buffers[at]);
    if (krn_is(r, "EQ_BUFFER") || krn_is(r, "RMSE_BUFFER"))
        return expect_buffer(r, at);
    return krn_refuse_token(r, "not supported");
}

bool krn_read_allow(struct krn_reader *r)
{
    size_t at;
    uint32_t bits;
    if (!krn_expect_word(r, "allow") || !krn_take_buffer(r, &at))
        return false;
    struct krn_held *buffer = &r->plan->buffers[at];
    if (!buffer->after)
        return krn_refuse(r, "no EXPECT before says what buffer %s is to hold", buffer->name);
    const size_t mask =
        strncmp(krn_next(r), "bits:", 5) == 0 ? krn_find_buffer(r, r->token + 5) : KRN_NONE;
    const struct krn_held *of = mask == KRN_NONE ? NULL : &r->plan->buffers[mask];
    if (of && of->bytes != buffer->bytes)
        return krn_refuse(r, "buffer %s has %zu bytes, buffer %s %zu", buffer->name, buffer->bytes,
                          of->name, of->bytes);
    if (!of && !krn_allow_take(r->token, &buffer->may, &bits))
        return krn_refuse_token(r, "not supported");
    for (size_t i = 0; i < buffer->words; i++)
        buffer->counts[i] &= of ? of->before[i] : bits;
    return krn_end_line(r);
}
