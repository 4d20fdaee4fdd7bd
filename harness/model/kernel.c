// SPDX-License-Identifier: Apache-2.0
#include "model/kernel.h"

#include "base/text.h"

#include <pthread.h>
#include <zstd.h>

#define GOLDEN 0x9E3779B9u
#define HEAD   0x80000000u // in a word that begins a segment

const struct cat_kernel *cat_kernel_find(const char *name)
{
    for (size_t i = 0; i < cat_kernel_count; i++)
        if (strcmp(cat_kernels[i].name, name) == 0)
            return &cat_kernels[i];
    return NULL;
}

const uint32_t *cat_kernel_words(const struct cat_kernel *kernel)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint32_t **unpacked;
    const size_t at = (size_t)(kernel - cat_kernels), size = kernel->count * sizeof **unpacked;
    pthread_mutex_lock(&lock);
    if (!unpacked)
        unpacked = lit_alloc(cat_kernel_count, sizeof *unpacked);
    if (!unpacked[at]) {
        unpacked[at] = lit_alloc(kernel->count, sizeof **unpacked);
        if (ZSTD_decompress(unpacked[at], size, kernel->packed, kernel->size) != size)
            lit_give_up("litmus: a kernel does not unpack");
    }
    const uint32_t *words = unpacked[at];
    pthread_mutex_unlock(&lock);
    return words;
}

char *cat_kernel_page(const struct cat_kernel *kernel)
{
    OWNED(lit_free) char *pages = lit_alloc(cat_kernel_pages_length + 1, 1);
    if (ZSTD_decompress(pages, cat_kernel_pages_length, cat_kernel_pages, cat_kernel_pages_size) !=
        cat_kernel_pages_length)
        lit_give_up("litmus: the kernels' texts do not unpack");
    char *page = lit_strdup(pages + kernel->page);
    return page;
}

const char *cat_kernel_choice(const struct cat_kernel *kernel, const char *axis)
{
    const size_t length = strlen(axis);
    for (const char *at = strchr(kernel->name, '/'); at; at = strchr(at + 1, '/'))
        if (strncmp(at + 1, axis, length) == 0 && at[1 + length] == '=')
            return at + length + 2;
    return NULL;
}

const char *const cat_scans[] = {
    "operation=add/result=inclusive",   "operation=add/result=exclusive",
    "operation=max/result=inclusive",   "operation=fadd/result=inclusive",
    "operation=add64/result=inclusive", "operation=segmented/result=inclusive"};

enum cat_scan cat_kernel_scan(const struct cat_kernel *kernel)
{
    int scan = CAT_SCANS - 1;
    while (scan > 0 && !strstr(kernel->name, cat_scans[scan]))
        scan--;
    return (enum cat_scan)scan;
}

uint32_t cat_scan_words(enum cat_scan scan)
{
    return scan == CAT_SCAN_ADD64 ? 2 : 1;
}

// Whether a segment begins here; same rule as in spirv/bench/stream-word.h.
static bool is_head(uint32_t index, uint32_t bits)
{
    const bool has_heads = (index >> 17) * GOLDEN >> 30 == 0;
    const bool has_many = (index >> 10) * GOLDEN >> 30 == 0;
    return has_heads && (bits & (has_many ? 3 : 4095)) == 0;
}

uint32_t cat_scan_input(enum cat_scan scan, uint32_t index, uint32_t bits)
{
    if (scan == CAT_SCAN_SEGMENTED)
        return (bits & ~HEAD) | (is_head(index, bits) ? HEAD : 0);
    return scan == CAT_SCAN_FADD ? bits << 31 | 0x3F800000 : bits;
}

bool cat_scan_excludes(enum cat_scan scan)
{
    return scan == CAT_SCAN_ADD_EXCLUSIVE;
}

static uint32_t add_floats(uint32_t a, uint32_t b)
{
    float left, right;
    memcpy(&left, &a, sizeof left);
    memcpy(&right, &b, sizeof right);
    left += right;
    memcpy(&a, &left, sizeof a);
    return a;
}

uint64_t cat_scan_output(enum cat_scan scan, bool begins, uint64_t before, uint64_t input)
{
    const uint32_t identity = scan == CAT_SCAN_MAX ? 0x80000000 : 0;
    const uint64_t left = begins ? identity : before;
    const uint32_t a = (uint32_t)left, b = (uint32_t)input;
    if (begins && cat_scan_excludes(scan))
        return identity;
    if (scan == CAT_SCAN_MAX)
        return (int32_t)a > (int32_t)b ? a : b;
    if (scan == CAT_SCAN_ADD64)
        return left + input;
    if (scan == CAT_SCAN_SEGMENTED)
        return ((b & HEAD ? 0 : a) + b) & ~HEAD;
    return scan == CAT_SCAN_FADD ? add_floats(a, b) : a + b;
}
