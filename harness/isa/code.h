// SPDX-License-Identifier: Apache-2.0
// The compiled code of one pipeline, in its driver's own words and bytes: statistics, internal
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
__attribute__((format(__printf__, 2, 3))) void isa_remark(struct isa_code *code, const char *format,
                                                          ...);

// The value of a statistic, as the driver writes it; "" if it has none of that name.
const char *isa_statistic(const struct isa_code *code, const char *name);
// The first piece from a source; NULL if there is none.
const struct isa_piece *isa_find(const struct isa_code *code, enum isa_source source);
// The piece that is nearest to what the hardware executes: machine code, else the last text, which
// drivers give in the order of their passes; NULL if there is neither.
const struct isa_piece *isa_lowest(const struct isa_code *code);
// Whether a driver reported nothing: no statistic, and nothing but the header of a pipeline cache,
// which every cache has.
bool isa_is_empty(const struct isa_code *code);
// The identity of a piece's bytes: two configurations have the same code if these are equal. "" for
// NULL.
void isa_digest(const struct isa_piece *piece, char target[IDENTITY_SIZE]);

// Reads the machine code out of caches and binaries, where their format is known, and adds it; else
// a remark says why not. `vendor` and `product` as the device's facts have them.
void isa_extract(struct isa_code *code, uint32_t vendor, uint32_t product);
// Adds another program's pipeline cache, which names its device, and the machine code in it. False
// if it is not one.
bool isa_add_cache(struct isa_code *code, const char *about, const char *bytes, size_t size);

// All of it as bytes, for the way between processes and for the store, and back. False with an
// error if the bytes are none of ours; *code is then empty.
void isa_pack(const struct isa_code *code, struct text *bytes);
bool isa_unpack(const char *bytes, size_t size, struct isa_code *code, struct lit_error *error);

// Makes the folder, unless it exists. False with an error if it exists and is not empty, or cannot
// be made.
bool isa_keep_start(const char *folder, struct lit_error *error);
// Writes all of a configuration's code into FOLDER/device-N/: NAME.statistics.txt,
// NAME.remarks.txt, and NAME.I.EXTENSION for its pieces from 1 on, where in NAME '/' is '~'. False
// with an error.
bool isa_keep(const char *folder, unsigned device, const char *name, const struct isa_code *code,
              struct lit_error *error);

// --- Files of other programs

// A function of a file: its text, or its machine code.
struct isa_function {
    char *name; // "" if the file does not say
    const char *bytes;
    size_t size;
    bool is_text;          // SASS, as nvdisasm and cuobjdump print it
    uint32_t architecture; // of machine code: 90 for sm_90; 0: not known
};

struct isa_file {
    // "SASS text", "cubin", "pipeline cache", "pipeline binary"; NULL: none of them
    const char *format;
    struct isa_function *functions;
    size_t count;
    char *unpacked; // what functions point to, where that is not in the file
};

// Finds the functions in a file, whose format is known by its content. `bytes` must outlive *file.
// False with an error if it is of no known format or holds none. isa_file_clear is due either way.
bool isa_file_read(const char *bytes, size_t size, struct isa_file *file, struct lit_error *error);
void isa_file_clear(struct isa_file *file);

// --- NVIDIA's pipeline caches and pipeline binaries, as the driver 580.159.04 writes them
// (docs/isa.md). Not documented by NVIDIA: whatever is not as it was seen is an error, never a
// guess.

#define NVIDIA_VENDOR 0x10de

// Machine code of one pipeline.
struct nvidia_code {
    char *bytes; // allocated, free() it
    size_t size;
};

// `blob` is what vkGetPipelineCacheData gave for a cache with one compute pipeline, or what
// vkGetPipelineBinaryDataKHR gave. False with an error that says what is not as expected.
bool nvidia_read(const void *blob, size_t size, struct nvidia_code *code, struct lit_error *error);

// The architecture of a chip by its PCI product number: 90 for sm_90; 0 if it is not in the table.
uint32_t nvidia_architecture(uint32_t product);

// How many warps a multiprocessor can hold at once if each invocation takes so many registers (CUDA
// C++ Programming Guide, Compute Capabilities: 65,536 registers; in four partitions, given out to a
// warp 256 at a time). Workgroup size and shared memory can allow fewer. 0: not known.
uint32_t nvidia_warps_with(uint32_t architecture, uint32_t registers);
