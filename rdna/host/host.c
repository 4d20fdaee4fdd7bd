// SPDX-License-Identifier: Apache-2.0
#include "host/host.h"

#include "decode.h"
#include "device/dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where code, the scratch ring and scratch memory lie: away from each other and from buffers.
#define CODE    UINT64_C(0x7f0000000000)
#define RING    UINT64_C(0x7f1000000000)
#define SCRATCH UINT64_C(0x7f2000000000)

enum {
    SCRATCH_OF_WAVE = 1 << 18, // bytes; as many as GFX12 can say
    MOST_WORDS = 1 << 20,
    SHARED_VGPRS = 16,
    // Denormals are kept; DX10_CLAMP, without IEEE_MODE.
    MODE = 0xf0 | 1 << 8
};

// --- The listing

// The words of a line behind its last ';', at most 3; 0: it has none.
static size_t words_of(const char *line, size_t length, uint32_t words[3])
{
    size_t from = length, count = 0;
    while (from > 0 && line[from - 1] != ';')
        from--;
    for (const char *at = line + from; from && count < 3 && at < line + length;) {
        char *next;
        words[count] = (uint32_t)strtoul(at, &next, 16);
        if (next == at || next > line + length)
            break;
        count++;
        at = next;
    }
    return count;
}

static bool agrees(enum rdna_generation generation, const char *line, const uint32_t *words,
                   size_t count)
{
    struct rdna_insn insn;
    if (rdna_decode(words, count, generation, &insn) != count)
        return false;
    const size_t length = strlen(insn.op->text);
    return !strncmp(line, insn.op->text, length) && strchr(" _\n", line[length]);
}

static bool put(struct rdna_listing *listing, const uint32_t *words, size_t count)
{
    if (listing->count + count > MOST_WORDS)
        return false;
    memcpy(listing->words + listing->count, words, count * sizeof(*words));
    listing->count += count;
    return true;
}

#define REPEATED "(then repeated " // and a number: the instruction before

static bool read_as(const char *text, struct rdna_listing *listing)
{
    uint32_t words[3];
    size_t count = 0;
    listing->count = 0;
    while (*text) {
        text += strspn(text, " \t");
        const size_t length = strcspn(text, "\n");
        if (!strncmp(text, REPEATED, sizeof(REPEATED) - 1)) {
            unsigned long left = count ? strtoul(text + sizeof(REPEATED) - 1, NULL, 10) : 0;
            for (; left > 0; left--)
                if (!put(listing, words, count))
                    return false;
        } else if ((count = words_of(text, length, words)) > 0) {
            if (!agrees(listing->generation, text, words, count) || !put(listing, words, count))
                return false;
        }
        text += length + (text[length] == '\n');
    }
    return listing->count > 0;
}

bool rdna_listing_read(const char *text, struct rdna_listing *listing)
{
    *listing = (struct rdna_listing){.words = malloc(MOST_WORDS * sizeof(uint32_t))};
    for (unsigned i = 0; listing->words && i < RDNA_GENERATIONS; i++) {
        listing->generation = (enum rdna_generation)i;
        if (read_as(text, listing))
            return true;
    }
    free(listing->words);
    listing->words = NULL;
    return false;
}

size_t rdna_listing_text(const struct rdna_listing *listing, size_t place, unsigned lanes,
                         char text[RDNA_HOST_TEXT])
{
    struct rdna_insn insn;
    const size_t size = place < listing->count
                            ? rdna_decode(listing->words + place, listing->count - place,
                                          listing->generation, &insn)
                            : 0;
    if (size)
        rdna_print(&insn, lanes, text);
    return size;
}

// --- A run

static void see(void *user, const struct rdna_wave *wave, uint64_t pc)
{
    const struct rdna_host *host = user;
    host->watch(host->user, wave, pc ? (size_t)(pc - CODE) / 4 : SIZE_MAX);
}

static void describe(const struct rdna_host *host, struct dispatch *dispatch)
{
    const bool is_old = host->listing->generation == RDNA_GFX10_3;
    const bool scratch = host->ring || !is_old;
    *dispatch = (struct dispatch){
        .code = CODE,
        .groups = {host->groups, 1, 1},
        .threads = {host->threads, 1, 1},
        .partial = {host->threads, 1, 1},
        .lanes = host->lanes,
        .vgprs = host->vgprs,
        .shared_vgprs =
            host->lanes == 64 && host->listing->generation < RDNA_GFX12 ? SHARED_VGPRS : 0,
        .lds_size = (host->lds + 511) / 512 * 512,
        .scratch = SCRATCH_OF_WAVE,
        .scratch_base = is_old ? 0 : SCRATCH,
        .scratch_waves = RDNA_WAVES,
        .mode = MODE,
        .user_sgprs = host->sgprs,
        // Fields of COMPUTE_PGM_RSRC2: SCRATCH_EN, TGID_X_EN, TG_SIZE_EN, TIDIG_COMP_CNT.
        .rsrc2 = (uint32_t)scratch | (uint32_t)host->group_sgpr << 7 |
                 (uint32_t)host->size_sgpr << 10 | 2u << 11,
        .group_threads = host->threads,
        .waves = (host->threads + host->lanes - 1) / host->lanes,
    };
    unsigned at = 0;
    if (host->ring) {
        dispatch->user_sgprs += 2;
        dispatch->user[at++] = (uint32_t)RING;
        dispatch->user[at++] = (uint32_t)(RING >> 32);
    }
    for (unsigned i = 0; i < host->sgprs; i++)
        dispatch->user[at++] = host->sgpr[i];
}

static bool map(struct rdna_device *device, uint64_t address, void *bytes, size_t size)
{
    return !size ||
           space_map(&device->space, (struct space_range){address, size, (uint8_t *)bytes, 0});
}

bool rdna_host_run(const struct rdna_host *host, char why[160])
{
    struct dispatch dispatch;
    struct rdna_device *device = calloc(1, sizeof(*device));
    uint8_t *scratch = calloc(RDNA_WAVES, SCRATCH_OF_WAVE);
    uint64_t ring[2] = {SCRATCH, 0};
    *why = 0;
    if (host->sgprs + 2 > RDNA_HOST_SGPRS || !host->threads || host->threads > 1024 ||
        host->vgprs > RDNA_VGPRS - SHARED_VGPRS || host->lds > 65536)
        snprintf(why, 160, "a dispatch that cannot be executed");
    if (device && !*why) {
        device->generation = host->listing->generation;
        device->settings = (struct rdna_settings){
            .timing = host->late ? RDNA_LATE : RDNA_PROMPT,
            .caches = host->late ? RDNA_MANUAL : RDNA_COHERENT,
            .seed = 1,
            .steps = host->steps,
        };
        device->in_order = true;
        if (host->watch) {
            device->watch = see;
            device->watcher = (void *)(uintptr_t)host;
            device->watched_group = host->group;
            device->watched_index = host->index;
        }
        bool good = scratch && rdna_open(device) &&
                    map(device, CODE, host->listing->words, 4 * host->listing->count) &&
                    map(device, RING, ring, sizeof(ring)) &&
                    map(device, SCRATCH, scratch, (size_t)RDNA_WAVES * SCRATCH_OF_WAVE);
        for (size_t i = 0; good && i < host->buffer_count; i++)
            good = map(device, host->buffers[i].address, host->buffers[i].bytes,
                       host->buffers[i].size);
        describe(host, &dispatch);
        if (!good)
            snprintf(why, 160, "no memory left");
        else if (!dispatch_run(device, &dispatch))
            memcpy(why, device->ended, 160);
        rdna_close(device);
    }
    free(scratch);
    free(device);
    return device && !*why;
}
