// SPDX-License-Identifier: Apache-2.0
// Applies the differences that a kernel's buffers may have.
#include "model/interface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Maps floats to ordered integers: neighbours differ by 1.
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

bool cat_is_near(const struct cat_tolerance *may, uint32_t got, uint32_t want)
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
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    // An infinity is close only to itself, which was checked above.
    return !isinf(a) && !isinf(b) &&
           fabs((double)a - b) <= may->absolute + (double)may->relative * fabs((double)b);
}

// Whether a bit pattern is a NaN as a 16, 32 or 64 bit float.
static bool is_nan(uint64_t pattern, uint32_t bits)
{
    const uint64_t infinity = bits == 16   ? 0x7c00
                              : bits == 32 ? 0x7f800000
                                           : UINT64_C(0x7ff0000000000000);
    return (pattern & ~(UINT64_C(1) << (bits - 1))) > infinity;
}

// Returns the float that word i belongs to; with 16 bits, the one at bit `shift`.
static uint64_t float_at(const uint32_t *words, uint64_t i, uint32_t shift, uint32_t bits)
{
    const uint64_t even = i & ~UINT64_C(1);
    return bits == 64   ? words[even] | (uint64_t)words[even + 1] << 32
           : bits == 16 ? words[i] >> shift & 0xffff
                        : words[i];
}

// Whether word i contains a NaN or is a part of one.
static bool has_nan(const uint32_t *words, uint64_t i, uint64_t count, uint32_t bits)
{
    if (!bits || (bits == 64 && (i | 1) >= count))
        return false;
    return is_nan(float_at(words, i, 0, bits), bits) ||
           (bits == 16 && is_nan(float_at(words, i, 16, bits), bits));
}

// Whether word i of two buffers differs only in the bits of NaNs.
static bool are_nans(const uint32_t *got, const uint32_t *want, uint64_t i, uint64_t count,
                     uint32_t bits)
{
    if (!has_nan(want, i, count, bits))
        return false;
    for (uint32_t shift = 0; shift < (bits == 16 ? 32u : 16u); shift += 16) {
        const uint64_t a = float_at(got, i, shift, bits), b = float_at(want, i, shift, bits);
        if (a != b && !(is_nan(a, bits) && is_nan(b, bits)))
            return false;
    }
    return true;
}

// Words of an element. Avoids a call into the dynamic linker, as in base/clock.c.
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
        if (i < may->from || i >= end || all || cat_is_near(may, output[i], expected[i]) ||
            are_nans(output, expected, i, binding->words, may->nan))
            output[i] = expected[i];
}

// Subtracts the buffer that it must equal, so that nothing is expected.
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
            may->absolute > 0 || may->rmse > 0 || may->like || may->nan)
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

static void forget_nans(struct cat_interface *interface, const uint32_t *expected)
{
    for (size_t i = 0; i < interface->binding_count; i++) {
        struct cat_binding *binding = &interface->bindings[i];
        const uint32_t *words = expected + binding->first;
        bool any = false;
        for (uint64_t w = 0; binding->region == CAT_OUTPUT && w < binding->words && !any; w++)
            any = has_nan(words, w, binding->words, binding->may.nan);
        binding->may.nan = any ? binding->may.nan : 0;
    }
}

void cat_forget_nans(struct cat_interface *interface, const uint32_t *expected)
{
    forget_nans(interface, expected);
    for (size_t i = 0; i < interface->part_count; i++)
        forget_nans(&interface->parts[i].interface, expected);
}
