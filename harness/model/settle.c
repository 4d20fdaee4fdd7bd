// SPDX-License-Identifier: Apache-2.0
// What a kernel's buffers may differ in.
#include "model/interface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Floats as numbers in their order: neighbours differ by 1.
static uint32_t place_of(uint32_t bits, uint32_t sign)
{
    return bits & sign ? sign - (bits & (sign - 1)) : sign + bits;
}

static bool within(uint32_t got, uint32_t want, uint32_t sign, uint32_t infinity, uint32_t ulps)
{
    const bool nan = (want & (sign - 1)) > infinity;
    if (nan || (got & (sign - 1)) > infinity)
        return nan && (got & (sign - 1)) > infinity;
    const uint32_t a = place_of(got, sign), b = place_of(want, sign);
    return (a > b ? a - b : b - a) <= ulps;
}

static bool is_near(const struct cat_tolerance *may, uint32_t got, uint32_t want)
{
    float a, b;
    if (got == want)
        return true;
    if (may->ulps && within(got, want, 0x80000000, 0x7f800000, may->ulps))
        return true;
    if (may->half_ulps)
        return within(got & 0xffff, want & 0xffff, 0x8000, 0x7c00, may->half_ulps) &&
               within(got >> 16, want >> 16, 0x8000, 0x7c00, may->half_ulps);
    memcpy(&a, &got, sizeof a);
    memcpy(&b, &want, sizeof b);
    if (!(may->relative > 0 || may->absolute > 0))
        return false;
    return isnan(a) || isnan(b)
               ? isnan(a) && isnan(b)
               : fabs((double)a - b) <= may->absolute + (double)may->relative * fabs((double)b);
}

// Words of an element. Found without a call into the dynamic linker, as in base/clock.c.
static _Thread_local size_t compared __attribute__((tls_model("initial-exec")));

static int by_words(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    for (size_t i = 0; i < compared; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static bool is_near_as_a_whole(const uint32_t *got, const uint32_t *want, uint64_t count,
                               float most)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        float a, b;
        memcpy(&a, &got[i], sizeof a);
        memcpy(&b, &want[i], sizeof b);
        sum += ((double)a - b) * ((double)a - b);
    }
    return most > 0 && sqrt(sum / (double)count) <= most; // never with a NaN
}

static void settle(const struct cat_binding *binding, uint32_t *output, const uint32_t *expected)
{
    const struct cat_tolerance *may = &binding->may;
    const uint64_t end = may->to ? may->to : binding->words;
    const bool all =
        is_near_as_a_whole(output + may->from, expected + may->from, end - may->from, may->rmse);
    if (may->order) {
        compared = may->order;
        qsort(output + may->from, (end - may->from) / may->order, may->order * sizeof *output,
              by_words);
    }
    for (uint64_t i = 0; i < binding->words; i++)
        if (i < may->from || i >= end || all || is_near(may, output[i], expected[i]))
            output[i] = expected[i];
}

// What it is to be like is taken away from it, so that nothing is expected.
static void take_away(const struct cat_binding *binding, uint32_t *output)
{
    for (uint64_t i = 0; binding->may.like && i < binding->words; i++)
        output[binding->first + i] ^= output[binding->may.like - 1 + i];
}

const struct cat_binding *cat_binding_at(const struct cat_interface *interface, size_t index)
{
    const struct cat_interface *of = interface;
    for (size_t part = 0; index >= of->binding_count; part++) {
        if (part == interface->part_count)
            return NULL;
        index -= of->binding_count;
        of = &interface->parts[part].interface;
    }
    return &of->bindings[index];
}

bool cat_binding_is_first(const struct cat_interface *interface, size_t index)
{
    const struct cat_binding *binding = cat_binding_at(interface, index), *before;
    for (size_t i = 0; i < index; i++) {
        before = cat_binding_at(interface, i);
        if (before->region == binding->region && before->first == binding->first)
            return false;
    }
    return true;
}

bool cat_interface_is_exact(const struct cat_interface *interface)
{
    const struct cat_binding *binding;
    for (size_t i = 0; (binding = cat_binding_at(interface, i)); i++) {
        const struct cat_tolerance *may = &binding->may;
        if (may->order || may->to || may->ulps || may->half_ulps || may->relative > 0 ||
            may->absolute > 0 || may->rmse > 0 || may->like)
            return false;
    }
    return !interface->counts;
}

void cat_settle(const struct cat_interface *interface, uint32_t *output, const uint32_t *expected)
{
    const struct cat_binding *binding;
    for (size_t i = 0; output != expected && (binding = cat_binding_at(interface, i)); i++)
        if (binding->region == CAT_OUTPUT && cat_binding_is_first(interface, i))
            take_away(binding, output);
    for (uint64_t i = 0; interface->counts && i < interface->count_words; i++)
        output[i] = (output[i] & interface->counts[i]) | (expected[i] & ~interface->counts[i]);
    for (size_t i = 0; (binding = cat_binding_at(interface, i)); i++)
        if (binding->region == CAT_OUTPUT)
            settle(binding, output + binding->first, expected + binding->first);
}
