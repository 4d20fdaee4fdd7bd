// SPDX-License-Identifier: Apache-2.0
// Executes a program of ACO on the host without a driver, with the registers that RADV sets.
#pragma once

#include "../rdna.h"

// Where instructions are, from the listing that RADV gives of a pipeline: one a line, with its
// words as hexadecimal numbers behind the last ';'.
struct rdna_listing {
    enum rdna_generation generation;
    uint32_t *words; // free() them
    size_t count;
};

// The generation is the one in which each line decodes to the name and the words that it has.
// False: there is none, or no memory.
bool rdna_listing_read(const char *text, struct rdna_listing *listing);

struct rdna_host_buffer {
    uint64_t address; // of the GPU
    void *bytes;
    size_t size;
};

enum { RDNA_HOST_SGPRS = 16 };

// A compute dispatch in one dimension. In order: a workgroup after another, its waves in turns,
// each until it waits or has executed 4096 instructions.
struct rdna_host {
    const struct rdna_listing *listing;
    unsigned lanes;                 // of a wave: 32 or 64
    unsigned vgprs;                 // allocated to each lane
    uint32_t lds;                   // bytes of a workgroup
    uint32_t groups, threads;       // workgroups, and invocations of one
    uint32_t sgpr[RDNA_HOST_SGPRS]; // the first registers: what RADV passes
    unsigned sgprs;
    bool group_sgpr, size_sgpr; // behind them: the workgroup's number, tg_size
    bool ring;                  // GFX10: before them a pointer to the address of scratch memory
    const struct rdna_host_buffer *buffers;
    size_t buffer_count;
    uint64_t steps; // instructions of a workgroup at most
    bool late;      // timing=late,caches=manual; else prompt and coherent
    // Sees wave `index` of workgroup `group` before its first instruction, and after each: at
    // `place`, counted in dwords of the listing; SIZE_MAX: before the first. NULL: nobody does.
    void (*watch)(void *user, const struct rdna_wave *wave, size_t place);
    void *user;
    uint64_t group;
    unsigned index;
};

// False: `why` says it.
bool rdna_host_run(const struct rdna_host *host, char why[160]);

enum { RDNA_HOST_TEXT = 256 };

// Writes the instruction at a place of the listing, and returns its dwords; 0: there is none.
size_t rdna_listing_text(const struct rdna_listing *listing, size_t place, unsigned lanes,
                         char text[RDNA_HOST_TEXT]);
