// SPDX-License-Identifier: Apache-2.0
// The compiled code of one pipeline as the driver reports it: statistics, internal representations,
// the contents of its cache, and the machine code extracted from these. None of it is trusted.
// Pure.
#pragma once

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"

#define ISA_MOST_BYTES ((size_t)64 << 20) // per piece; the rest is cut off, with a remark

// "Register Count": "16".
struct isa_statistic {
    char *name, *about, *value; // sanitised
};

// Origin of a piece.
enum isa_source {
    ISA_TEXT,      // VkPipelineExecutableInternalRepresentationKHR, text: sanitised, lines kept
    ISA_BYTES,     // likewise, binary
    ISA_CACHE,     // vkGetPipelineCacheData of a cache that holds only this pipeline
    ISA_BINARY,    // vkGetPipelineBinaryDataKHR
    ISA_MACHINE,   // machine code extracted from one of the above
    ISA_CONSTANTS, // likewise: the constant bank c[0x1], in which NVIDIA's compiler puts constants
    ISA_SOURCES
};

struct isa_piece {
    enum isa_source source;
    uint32_t architecture; // ISA_MACHINE: 90 for sm_90; else 0
    char *name, *about;    // "NIR"; sanitised
    char *bytes;           // terminated; not text unless source is ISA_TEXT
    size_t size;           // without the terminator
};

struct isa_code {
    struct isa_statistic *statistics;
    size_t statistic_count;
    struct isa_piece *pieces;
    size_t piece_count;
    char **remarks; // what is missing or unreadable, one line each
    size_t remark_count;
};

// "representation", "binary representation", "pipeline cache", "pipeline binary", "machine code",
// "constants".
const char *isa_source_name(enum isa_source source);

void isa_code_clear(struct isa_code *code);
// These copy their arguments, and sanitise text.
void isa_add_statistic(struct isa_code *code, const char *name, const char *about,
                       const char *value);
struct isa_piece *isa_add_piece(struct isa_code *code, enum isa_source source, const char *name,
                                const char *about, const void *bytes, size_t size);
__attribute__((format(__printf__, 2, 3))) void isa_remark(struct isa_code *code, const char *format,
                                                          ...);

// The value of a statistic as the driver writes it; "" if there is none of that name.
const char *isa_statistic(const struct isa_code *code, const char *name);
// The first piece from a source; NULL if there is none.
const struct isa_piece *isa_find(const struct isa_code *code, enum isa_source source);
// The piece closest to what the hardware executes: machine code, else the last text (drivers list
// texts in pass order); NULL if there is neither.
const struct isa_piece *isa_lowest(const struct isa_code *code);
// Whether a driver reported nothing: no statistics, and only the header that every pipeline cache
// has.
bool isa_is_empty(const struct isa_code *code);
// The identity of a piece's bytes: equal for two configurations if they have the same code. "" for
// NULL.
void isa_digest(const struct isa_piece *piece, char target[IDENTITY_SIZE]);

// Extracts the machine code from caches and binaries of known format and adds it; otherwise adds a
// remark with the reason. `vendor` and `product` as in the device's facts.
void isa_extract(struct isa_code *code, uint32_t vendor, uint32_t product);
// Adds another program's pipeline cache, which names its device, and the machine code in it. False
// if the bytes are no pipeline cache.
bool isa_add_cache(struct isa_code *code, const char *about, const char *bytes, size_t size);

// Serialises everything for other processes and the store, and parses it back. False with an error
// if the bytes are not in this format; *code is then empty.
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

// Reads back the machine code (as of sm_90), its constants, texts and statistics of a configuration
// of the first device that has any. False if there is no code.
bool isa_kept(const char *folder, const char *name, struct isa_code *code);

// --- Other programs' files

// A function in a file: its text or its machine code.
struct isa_function {
    char *name; // "" if the file does not name it
    const char *bytes;
    size_t size;
    bool is_text;          // SASS as nvdisasm and cuobjdump print it
    uint32_t architecture; // of machine code: 90 for sm_90; 0: unknown
};

struct isa_file {
    // "SASS text", "cubin", "pipeline cache", "pipeline binary"; NULL: none of these
    const char *format;
    struct isa_function *functions;
    size_t count;
    char *unpacked; // unpacked data that functions point to; NULL if they point into the file
};

// Finds the functions in a file, and detects the file's format by its content. `bytes` must outlive
// *file. False with an error if the format is unknown or there are no functions. Call
// isa_file_clear in any case.
bool isa_file_read(const char *bytes, size_t size, struct isa_file *file, struct lit_error *error);
void isa_file_clear(struct isa_file *file);

// --- NVIDIA's pipeline caches and pipeline binaries, as driver 580.159.04 writes them
// (docs/isa.md). NVIDIA does not document the format: anything unexpected is an error, never a
// guess.

#define NVIDIA_VENDOR 0x10de

// Machine code of one pipeline, and the constant bank c[0x1] that it reads.
struct nvidia_code {
    char *bytes, *constants; // allocated, free() them; constants: NULL if there are none
    size_t size, constant_size;
};

// `blob` is the result of vkGetPipelineCacheData for a cache with one compute pipeline, or of
// vkGetPipelineBinaryDataKHR. False with an error that says what is unexpected.
bool nvidia_read(const void *blob, size_t size, struct nvidia_code *code, struct lit_error *error);

// A chip's architecture by its PCI product number: 90 for sm_90; 0 if it is not in the table.
uint32_t nvidia_architecture(uint32_t product);

// The number of warps that a multiprocessor can hold at once if each invocation takes so many
// registers (CUDA C++ Programming Guide, Compute Capabilities: 65,536 registers in four partitions,
// allocated to warps 256 at a time). Workgroup size and shared memory can reduce it. 0: unknown.
uint32_t nvidia_warps_with(uint32_t architecture, uint32_t registers);
