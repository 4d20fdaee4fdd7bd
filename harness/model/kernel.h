// SPDX-License-Identifier: Apache-2.0
// The modules that are no tests, by the names that spirv/kernels gives them: what checks, what runs
// beside a test, what is timed.
#pragma once

#include <stdbool.h>
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

// What is scanned, by its choices of `operation` and `result`: an inclusive sum of the input's
// words modulo 2^32 (if it names none; of segments of one word that is a copy), the exclusive one,
// the greatest signed integer up to each word, the sum of floats that are 1.0 or -1.0, of integers
// of 64 bits, and sums of 31 bits that begin anew at words with bit 31. spirv/bench/verify.spvasm
// has the rules.
enum cat_scan {
    CAT_SCAN_ADD,
    CAT_SCAN_ADD_EXCLUSIVE,
    CAT_SCAN_MAX,
    CAT_SCAN_FADD,
    CAT_SCAN_ADD64,
    CAT_SCAN_SEGMENTED,
    CAT_SCANS
};
// Their choices, "operation=add/result=inclusive", by their values.
extern const char *const cat_scans[];
enum cat_scan cat_kernel_scan(const struct cat_kernel *kernel);

// Words of an element, the lowest first: 1 or 2.
uint32_t cat_scan_words(enum cat_scan scan);
// The word of the input that 32 random bits are; segments begin at some places more often.
uint32_t cat_scan_input(enum cat_scan scan, uint32_t index, uint32_t bits);
// Whether an element of the output has what is before it without its own one of the input.
bool cat_scan_excludes(enum cat_scan scan);
// What an element of the output has to be: `before`, the one before it, combined with that of the
// input, or of a scan that excludes with the one before; if it begins a segment, nothing is before
// it.
uint64_t cat_scan_output(enum cat_scan scan, bool begins, uint64_t before, uint64_t input);
