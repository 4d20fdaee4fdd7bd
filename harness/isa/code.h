// SPDX-License-Identifier: Apache-2.0
// What a driver made of one pipeline, in its own words and bytes: statistics, internal
// representations, what its cache holds, and the machine code that could be read out of these.
// Nothing in it is trusted. Pure.
#pragma once

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

#define ISA_MOST_BYTES ((size_t)64 << 20) // of one piece; more is cut off, with a remark

// "Register Count": "16".
struct isa_statistic {
    char *name, *about, *value; // sanitised
};

// Where a piece comes from.
enum isa_source {
    ISA_TEXT,    // VkPipelineExecutableInternalRepresentationKHR, text: sanitised, lines kept
    ISA_BYTES,   // likewise, not text
    ISA_CACHE,   // vkGetPipelineCacheData of a cache that holds this pipeline alone
    ISA_BINARY,  // vkGetPipelineBinaryDataKHR
    ISA_MACHINE, // machine code that was read out of one of the above
    ISA_SOURCES
};

struct isa_piece {
    enum isa_source source;
    uint32_t architecture; // of ISA_MACHINE: 90 for sm_90; else 0
    char *name, *about;    // "NIR"; sanitised
    char *bytes;           // terminated; not text unless source is ISA_TEXT
    size_t size;           // without the terminator
};

struct isa_code {
    struct isa_statistic *statistics;
    size_t statistic_count;
    struct isa_piece *pieces;
    size_t piece_count;
    char **remarks; // what could not be had or read, one line each
    size_t remark_count;
};

// "representation", "binary representation", "pipeline cache", "pipeline binary", "machine code".
const char *isa_source_name(enum isa_source source);

void isa_code_clear(struct isa_code *code);
// All three copy, and sanitise what is text.
void isa_add_statistic(struct isa_code *code, const char *name, const char *about,
                       const char *value);
struct isa_piece *isa_add_piece(struct isa_code *code, enum isa_source source, const char *name,
                                const char *about, const void *bytes, size_t size);
__attribute__((format(printf, 2, 3))) void isa_remark(struct isa_code *code, const char *format,
                                                      ...);

// The first piece from a source; NULL if there is none.
const struct isa_piece *isa_find(const struct isa_code *code, enum isa_source source);
// The piece that is nearest to what the hardware executes: machine code, else the last text, which
// drivers give in the order of their passes; NULL if there is neither.
const struct isa_piece *isa_lowest(const struct isa_code *code);
// Whether a driver told nothing: no statistic, and nothing but the header of a pipeline cache,
// which every cache has.
bool isa_is_empty(const struct isa_code *code);
// The identity of a piece's bytes: two configurations have the same code if these are equal. "" for
// NULL.
void isa_digest(const struct isa_piece *piece, char target[IDENTITY_SIZE]);
// Takes away pieces of a source.
void isa_drop(struct isa_code *code, enum isa_source source);

// Reads the machine code out of caches and binaries, where their format is known, and adds it; else
// a remark says why not. `vendor` and `product` as the device's facts have them.
void isa_extract(struct isa_code *code, uint32_t vendor, uint32_t product);

// All of it as bytes, for the way between processes and for the store, and back. False with an
// error if the bytes are none of ours; *code is then empty.
void isa_pack(const struct isa_code *code, struct text *bytes);
bool isa_unpack(const char *bytes, size_t size, struct isa_code *code, struct lit_error *error);
