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
    size_t page;                 // offset into the kernels' pages
    uint64_t features;           // CAT_FEATURE bits that its capabilities and extensions need
    char sha256[65];             // of the .spv file
};

// In the order of spirv/kernels; made by the build.
extern const struct cat_kernel cat_kernels[];
extern const size_t cat_kernel_count;

// One zstd frame with each kernel's own text, terminated, and its bytes, packed and unpacked.
extern const unsigned char *const cat_kernel_pages;
extern const size_t cat_kernel_pages_size, cat_kernel_pages_length;

// The kernel of a name; NULL if there is none.
const struct cat_kernel *cat_kernel_find(const char *name);

// Its words, kernel->count of them, for the rest of the program's life. Several threads may ask.
const uint32_t *cat_kernel_words(const struct cat_kernel *kernel);

// What it was made from, as spirv-as takes it: cat_module_page of a kernel. free() it.
char *cat_kernel_page(const struct cat_kernel *kernel);

// What its name says of a choice, up to the next '/' or the end: "4/…" of "vectors"; NULL: nothing.
const char *cat_kernel_choice(const struct cat_kernel *kernel, const char *axis);
