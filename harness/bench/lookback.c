// SPDX-License-Identifier: Apache-2.0
// The rows of `litmus bench lookback`.
#include "bench/lookback.h"

#include "model/facts.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const uint32_t widths[LOOK_WIDTHS] = {64, 128, 256, 384, 512, 640, 768, 1024};

const uint32_t *look_module_words(const struct look_module *module)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint32_t *unpacked[LOOK_ROWS];
    const bool copy = module >= look_copies && module < look_copies + look_copy_count;
    const size_t at =
        (size_t)(copy ? module - look_copies : module - look_scans) + (copy ? 0 : look_copy_count);
    const size_t size = *module->count * 4;
    pthread_mutex_lock(&lock);
    if (!unpacked[at]) {
        unpacked[at] = lit_alloc(*module->count, 4);
        if (ZSTD_decompress(unpacked[at], size, module->packed, *module->size) != size) {
            fprintf(stderr, "litmus: %s: it does not unpack\n", module->name);
            exit(LIT_EXIT_USAGE);
        }
    }
    pthread_mutex_unlock(&lock);
    return unpacked[at];
}

size_t look_rows(void)
{
    const size_t rows = (look_copy_count + look_scan_count) * LOOK_WIDTHS;
    return rows < LOOK_ROWS ? rows : LOOK_ROWS;
}

struct look_row look_row(size_t number)
{
    const size_t module = number / LOOK_WIDTHS;
    struct look_row row = {.copy = module < look_copy_count,
                           .workgroup = widths[number % LOOK_WIDTHS]};
    row.module = row.copy ? &look_copies[module] : &look_scans[module - look_copy_count];
    row.tile = row.workgroup * (row.module->held + row.module->shared) * 4;
    return row;
}

uint32_t look_row_tiles(const struct look_row *row, uint32_t elements)
{
    return (elements - 1) / row->tile + 1;
}

bool look_row_exists(const struct look_row *row, uint32_t elements)
{
    return (!row->copy || elements % row->tile == 0) &&
           row->workgroup * row->module->held * 4 <= LOOK_HELD_WORDS;
}

void look_row_name(size_t number, struct text *name)
{
    const struct look_row row = look_row(number);
    text_printf(name, "%s/workgroup=%" PRIu32, row.module->name, row.workgroup);
}

bool look_row_find(const char *name, size_t *number)
{
    bool found = false;
    for (size_t i = 0; i < look_rows() && !found; i++) {
        struct text own = {0};
        look_row_name(i, &own);
        found = strcmp(own.data, name) == 0;
        if (found)
            *number = i;
        text_free(&own);
    }
    return found;
}

uint32_t look_segment(const struct look_row *row, uint32_t elements)
{
    return row->copy ? 1 : row->module->alone ? row->tile : elements;
}

// What the scans ask of subgroups and of shared memory.
static bool scan_fits(const struct look_row *row, const struct dev_facts *facts,
                      struct lit_error *error)
{
    const uint32_t subgroups = row->workgroup / facts->subgroup;
    // Besides the vectors: the tile, the sum before it, a sum for each subgroup.
    const uint32_t bytes = row->module->shared * row->workgroup * 16 + subgroups * 4 + 8;
    if (facts->subgroup > row->module->lanes)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "subgroups of %" PRIu32 ", it is for at most %" PRIu32, facts->subgroup,
                        row->module->lanes);
    if (!subgroups || row->workgroup % facts->subgroup || subgroups > 4 * facts->subgroup)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "%" PRIu32 " subgroups of %" PRIu32
                        " in a workgroup, it is for 1 to four times as many as lanes",
                        subgroups, facts->subgroup);
    if (facts->max_subgroups && subgroups > facts->max_subgroups)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "%" PRIu32 " subgroups in a workgroup > maxComputeWorkgroupSubgroups "
                        "%" PRIu32,
                        subgroups, facts->max_subgroups);
    return bytes <= facts->max_shared ||
           lit_fail(error, LIT_EXIT_NOTHING,
                    "%" PRIu32 " bytes of shared memory > maxComputeSharedMemorySize %" PRIu32,
                    bytes, facts->max_shared);
}

bool look_row_fits(size_t number, uint32_t elements, const struct dev_facts *facts,
                   struct lit_error *error)
{
    const struct look_row row = look_row(number);
    uint64_t needs = 0;
    uint32_t unknown = 0;
    if (!look_row_exists(&row, elements))
        return lit_fail(error, LIT_EXIT_NOTHING, "there is no such row of %" PRIu32 " words",
                        elements);
    if (row.workgroup > facts->max_workgroup)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "workgroup of %" PRIu32 " > maxComputeWorkGroupInvocations %" PRIu32,
                        row.workgroup, facts->max_workgroup);
    if (look_row_tiles(&row, elements) > facts->max_workgroups)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "%" PRIu32 " workgroups > maxComputeWorkGroupCount %" PRIu32,
                        look_row_tiles(&row, elements), facts->max_workgroups);
    if (!row.copy && !scan_fits(&row, facts, error))
        return false;
    if (!cat_module_features(look_module_words(row.module), *row.module->count, &needs, &unknown))
        return lit_fail(error, LIT_EXIT_NOTHING, "capability %" PRIu32 " is not known", unknown);
    for (int f = 0; f < CAT_FEATURE_COUNT; f++)
        if (needs & ~facts->features & UINT64_C(1) << f)
            return lit_fail(error, LIT_EXIT_NOTHING, "%s", cat_feature_name((enum cat_feature)f));
    return true;
}

void look_set_write(const struct look_set *set, char text[LOOK_SET_TEXT])
{
    const size_t digits = (look_rows() + 3) / 4;
    for (size_t d = 0; d < digits; d++) {
        unsigned digit = 0;
        for (unsigned i = 0; i < 4; i++)
            digit |= (unsigned)set->has[4 * d + i] << i;
        text[d] = "0123456789abcdef"[digit];
    }
    text[digits] = '\0';
}

bool look_set_read(const char *text, struct look_set *set)
{
    static const char digits[] = "0123456789abcdef";
    memset(set, 0, sizeof *set);
    for (size_t d = 0; text[d]; d++) {
        const char *digit = strchr(digits, text[d]);
        if (!digit)
            return false;
        for (unsigned i = 0; i < 4; i++) {
            if (!((digit - digits) >> i & 1))
                continue;
            if (4 * d + i >= look_rows())
                return false;
            set->has[4 * d + i] = true;
        }
    }
    return true;
}

size_t look_set_count(const struct look_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < look_rows(); i++)
        count += set->has[i];
    return count;
}

// What to begin with, the first that fits: large tiles where there are many of them, and small
// ones where few would leave parts of a device without work. For subgroups of 32 as measured on the
// device of docs/performance.md; for others what is moderate.
static const struct {
    uint32_t subgroup, most; // subgroup: 0 for any; most: up to so many words
    const char *shape, *encoding, *fence;
    uint32_t workgroup;
} defaults[] = {
    {32, 1u << 21, "held=4/shared=0/looks=4/lanes=32", "word64", "device", 640},
    {32, 1u << 23, "held=8/shared=0/looks=2/lanes=32", "word64", "device", 512},
    {32, 1u << 25, "held=10/shared=0/looks=1/lanes=32", "word64", "device", 384},
    {32, 1u << 27, "held=24/shared=0/looks=1/lanes=32", "word64", "device", 512},
    {32, LOOK_MOST, "held=30/shared=5/looks=1/lanes=32", "word64", "device", 384},
    {32, LOOK_MOST, "held=12/shared=0/looks=1/lanes=32", "word64", "device", 1024},
    {32, LOOK_MOST, "held=8/shared=0/looks=1/lanes=32", "word64", "device", 256},
    {64, 1u << 21, "held=4/shared=0/looks=1/lanes=64", "word64", "subgroup", 256},
    {64, LOOK_MOST, "held=8/shared=0/looks=1/lanes=64", "word64", "subgroup", 256},
    {64, LOOK_MOST, "held=4/shared=0/looks=1/lanes=64", "split", "subgroup", 256},
    {64, LOOK_MOST, "held=4/shared=0/looks=1/lanes=64", "split", "subgroup", 128},
    {128, LOOK_MOST, "held=4/shared=0/looks=1/lanes=128", "word64", "subgroup", 512},
    {128, LOOK_MOST, "held=4/shared=0/looks=1/lanes=128", "split", "subgroup", 128},
    {0, LOOK_MOST, "held=4/shared=0/looks=2/lanes=32", "word64", "subgroup", 256},
    {0, LOOK_MOST, "held=4/shared=0/looks=1/lanes=32", "split", "subgroup", 256},
    {0, LOOK_MOST, "held=4/shared=0/looks=1/lanes=32", "split", "subgroup", 64},
};

bool look_default(uint32_t elements, const struct dev_facts *facts, size_t *number)
{
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        struct text name = {0};
        if ((defaults[i].subgroup && defaults[i].subgroup != facts->subgroup) ||
            elements > defaults[i].most)
            continue;
        text_printf(
            &name,
            "%s/encoding=%s/order=ticket/edge=branch/stage=whole/fence=%s/workgroup=%" PRIu32,
            defaults[i].shape, defaults[i].encoding, defaults[i].fence, defaults[i].workgroup);
        const bool found =
            look_row_find(name.data, number) && look_row_fits(*number, elements, facts, NULL);
        text_free(&name);
        if (found)
            return true;
    }
    // Whatever was built and fits.
    for (size_t i = look_copy_count * LOOK_WIDTHS; i < look_rows(); i++)
        if (!look_row(i).module->alone && look_row_fits(i, elements, facts, NULL)) {
            *number = i;
            return true;
        }
    return false;
}

// Whether a name has "order=ticket" or whatever stands behind `key` in the other name.
static bool same_part(const char *a, const char *b, const char *key)
{
    const char *left = strstr(a, key), *right = strstr(b, key);
    if (!left || !right)
        return !left && !right;
    const size_t length = strcspn(left, "/");
    return length == strcspn(right, "/") && memcmp(left, right, length) == 0;
}

bool look_alone(size_t number, size_t *alone)
{
    const struct look_row row = look_row(number);
    for (size_t i = look_copy_count * LOOK_WIDTHS; i < look_rows(); i++) {
        const struct look_row other = look_row(i);
        if (!row.copy && !row.module->alone && other.module->alone &&
            other.workgroup == row.workgroup && other.module->held == row.module->held &&
            other.module->shared == row.module->shared &&
            other.module->lanes == row.module->lanes &&
            same_part(other.module->name, row.module->name, "order=")) {
            *alone = i;
            return true;
        }
    }
    return false;
}
