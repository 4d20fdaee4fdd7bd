// SPDX-License-Identifier: Apache-2.0
// The modules that are no tests, by the names that spirv/kernels gives them: what checks, what runs
// beside a test, what is timed.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct cat_kernel {
    const char *name;            // "bench/copy/vectors=4": file and choices
    const unsigned char *packed; // a zstd frame of the words
    size_t size, count;          // bytes; words
};

// In the order of spirv/kernels; made by the build.
extern const struct cat_kernel cat_kernels[];
extern const size_t cat_kernel_count;

// The kernel of a name; NULL if there is none.
const struct cat_kernel *cat_kernel_find(const char *name);

// Its words, kernel->count of them, for the rest of the program's life. Several threads may ask.
const uint32_t *cat_kernel_words(const struct cat_kernel *kernel);

// What its name says of a choice, up to the next '/' or the end: "4/…" of "vectors"; NULL: nothing.
const char *cat_kernel_choice(const struct cat_kernel *kernel, const char *axis);
