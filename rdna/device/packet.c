// SPDX-License-Identifier: Apache-2.0
// The command processor: PM4 packets of an indirect buffer.
#include "device/cache.h"
#include "device/gpu.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    MAX_DEPTH = 3,         // of indirect buffers in indirect buffers
    MAX_PACKETS = 1 << 22, // of a submission: chained buffers may form a circle
    BYTES_OF_PACKET = 4096 // DMA_DATA counts as so many more
};

struct stream {
    struct rdna_device *device;
    unsigned depth;
    uint32_t packets;
};

// A packet's words behind its header.
struct packet {
    const uint32_t *words;
    uint32_t count;
};

static uint64_t pair(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static uint64_t ticks(void) // of the constant clock of 100 MHz
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 100000000 + (uint64_t)now.tv_nsec / 10;
}

// Memory that a packet names.
static void *memory(struct stream *stream, uint64_t address, uint64_t bytes)
{
    void *host = space_host(&stream->device->space, address, bytes);
    if (!host)
        device_end(stream->device, "fault: a packet accesses 0x%llx, where nothing is mapped",
                   (unsigned long long)address);
    return host;
}

static bool store(struct stream *stream, uint64_t address, const void *from, unsigned bytes)
{
    void *to = memory(stream, address, bytes);
    if (to)
        memcpy(to, from, bytes);
    return to;
}

static bool unknown(struct stream *stream, const char *what, uint32_t value)
{
    return device_end(stream->device, "not emulated: %s 0x%x", what, (unsigned)value);
}

// Caches that a release or an acquire invalidates, by the bits of GCR_CNTL.
static void invalidate(struct stream *stream, bool scalar, bool vector, bool gl1)
{
    struct caches *caches = stream->device->caches;
    if (caches && scalar)
        caches_invalidate(caches, CACHE_SCALAR, CACHE_ALL, false);
    if (caches && vector)
        caches_invalidate(caches, CACHE_L0, CACHE_ALL, false);
    if (caches && gl1)
        caches_invalidate(caches, CACHE_GL1, CACHE_ALL, false);
}

static bool nothing(struct stream *stream, struct packet packet)
{
    (void)stream, (void)packet;
    return true;
}

static bool set_registers(struct stream *stream, struct packet packet)
{
    const uint32_t first = packet.words[0] & 0xffff;
    for (uint32_t i = 1; i < packet.count && first + i - 1 < SH_REGISTERS; i++)
        stream->device->sh[first + i - 1] = packet.words[i];
    return true;
}

// Of GFX12: each value behind its register.
static bool set_register_pairs(struct stream *stream, struct packet packet)
{
    for (uint32_t i = 0; i + 1 < packet.count; i += 2)
        if ((packet.words[i] & 0xffff) < SH_REGISTERS)
            stream->device->sh[packet.words[i] & 0xffff] = packet.words[i + 1];
    return true;
}

static bool set_base(struct stream *stream, struct packet packet)
{
    if ((packet.words[0] & 15) == 1)
        stream->device->indirect_base = pair(packet.words[1], packet.words[2]);
    return true;
}

static bool dispatch_direct(struct stream *stream, struct packet packet)
{
    return dispatch_execute(stream->device, packet.words, packet.words[3]);
}

static bool dispatch_indirect(struct stream *stream, struct packet packet)
{
    // On the compute queue the packet has the address, on the graphics queue an offset.
    const bool has_address = packet.count >= 3;
    const uint64_t address = has_address ? pair(packet.words[0], packet.words[1])
                                         : stream->device->indirect_base + packet.words[0];
    uint32_t groups[3];
    const void *from = memory(stream, address, sizeof(groups));
    if (!from)
        return false;
    memcpy(groups, from, sizeof(groups));
    return dispatch_execute(stream->device, groups, packet.words[packet.count - 1]);
}

static bool write_data(struct stream *stream, struct packet packet)
{
    const uint32_t to = packet.words[0] >> 8 & 15;
    if (to == 0)
        return true; // a register
    if (to != 1 && to != 2 && to != 5)
        return unknown(stream, "WRITE_DATA to", to);
    if (packet.words[0] >> 16 & 1)
        return unknown(stream, "WRITE_DATA with", packet.words[0]); // all to one address
    return packet.count == 3 || store(stream, pair(packet.words[1], packet.words[2]),
                                      &packet.words[3], 4 * (packet.count - 3));
}

static bool copy_bytes(struct stream *stream, uint64_t to, uint64_t from, uint32_t bytes)
{
    while (bytes > 0) {
        const struct space_range *source = space_find(&stream->device->space, from, 1);
        const struct space_range *target = space_find(&stream->device->space, to, 1);
        if (!source || !target)
            return device_end(stream->device, "fault: DMA_DATA from 0x%llx to 0x%llx",
                              (unsigned long long)from, (unsigned long long)to);
        const uint64_t skipped = (from & SPACE_BITS) - source->address;
        const uint64_t before = (to & SPACE_BITS) - target->address;
        uint64_t part = bytes;
        if (part > source->size - skipped)
            part = source->size - skipped;
        if (part > target->size - before)
            part = target->size - before;
        if (target->host && source->host)
            memmove(target->host + before, source->host + skipped, part);
        else if (target->host)
            memset(target->host + before, 0, part);
        from += part, to += part, bytes -= (uint32_t)part;
    }
    return true;
}

static bool fill_bytes(struct stream *stream, uint64_t to, uint32_t value, uint32_t bytes)
{
    uint8_t pattern[4];
    memcpy(pattern, &value, 4);
    for (uint32_t i = 0; i < bytes;) {
        const struct space_range *target = space_find(&stream->device->space, to + i, 1);
        if (!target)
            return device_end(stream->device, "fault: DMA_DATA to 0x%llx",
                              (unsigned long long)to + i);
        uint64_t at = ((to + i) & SPACE_BITS) - target->address;
        for (; i < bytes && at < target->size; i++, at++)
            if (target->host)
                target->host[at] = pattern[i % 4];
    }
    return true;
}

static bool dma_data(struct stream *stream, struct packet packet)
{
    const uint32_t from = packet.words[0] >> 29 & 3, to = packet.words[0] >> 20 & 3;
    const uint32_t bytes = packet.words[5] & 0x3ffffff;
    const uint64_t target = pair(packet.words[3], packet.words[4]);
    if (to == 2 || !bytes)
        return true; // a prefetch
    stream->packets += bytes / BYTES_OF_PACKET;
    if ((to != 0 && to != 3) || from == 1 || packet.words[5] >> 26 & 3)
        return unknown(stream, "DMA_DATA with", packet.words[0]);
    return from == 2 ? fill_bytes(stream, target, packet.words[1], bytes)
                     : copy_bytes(stream, target, pair(packet.words[1], packet.words[2]), bytes);
}

static bool release_mem(struct stream *stream, struct packet packet)
{
    const uint32_t gcr = packet.words[0] >> 12 & 0xfff, what = packet.words[1] >> 29;
    const uint64_t address = pair(packet.words[2], packet.words[3]);
    const uint64_t now = ticks();
    const bool scalar =
        stream->device->generation >= RDNA_GFX12 && packet.words[0] >> 30 & 1; // GLK_INV
    invalidate(stream, scalar, gcr >> 2 & 1, gcr >> 3 & 1);
    switch (what) {
    case 0:
        return true;
    case 1:
        return store(stream, address, &packet.words[4], 4);
    case 2:
        return store(stream, address, &packet.words[4], 8);
    case 3:
    case 4:
        return store(stream, address, &now, 8);
    default:
        return unknown(stream, "RELEASE_MEM of", what);
    }
}

static bool acquire_mem(struct stream *stream, struct packet packet)
{
    const uint32_t gcr = packet.words[6];
    invalidate(stream, gcr >> 7 & 1, gcr >> 8 & 1, gcr >> 9 & 1);
    return true;
}

static bool copy_data(struct stream *stream, struct packet packet)
{
    const uint32_t from = packet.words[0] & 15, to = packet.words[0] >> 8 & 15;
    const unsigned bytes = packet.words[0] >> 16 & 1 ? 8 : 4;
    uint64_t value = pair(packet.words[1], packet.words[2]);
    if (from == 1 || from == 2) {
        const void *source = memory(stream, value, bytes);
        if (!source)
            return false;
        memcpy(&value, source, bytes);
    } else if (from == 9) {
        value = ticks();
    } else if (from != 5) {
        return unknown(stream, "COPY_DATA from", from);
    }
    if (to == 0) { // a register, by its dword offset from 0
        const uint32_t reg = packet.words[3] - 0x2c00;
        if (reg < SH_REGISTERS)
            stream->device->sh[reg] = (uint32_t)value;
        if (reg + 1 < SH_REGISTERS && bytes == 8)
            stream->device->sh[reg + 1] = (uint32_t)(value >> 32);
        return true;
    }
    if (to != 1 && to != 2 && to != 5)
        return unknown(stream, "COPY_DATA to", to);
    return store(stream, pair(packet.words[3], packet.words[4]), &value, bytes);
}

// All that was submitted before has been executed: what does not hold now never will.
static bool wait_memory(struct stream *stream, struct packet packet)
{
    uint32_t value;
    const void *from = memory(stream, pair(packet.words[1], packet.words[2]), 4);
    if (!(packet.words[0] >> 4 & 1))
        return unknown(stream, "WAIT_REG_MEM with", packet.words[0]);
    if (!from)
        return false;
    memcpy(&value, from, 4);
    value &= packet.words[4];
    const uint32_t than = packet.words[3];
    const bool holds[] = {
        true, value<than, value <= than, value == than, value != than, value >= than, value> than,
        true};
    return holds[packet.words[0] & 7] ||
           device_end(stream->device, "not emulated: WAIT_REG_MEM for what never comes");
}

static const struct {
    uint8_t code;
    uint8_t least; // words behind the header
    const char *name;
    bool (*execute)(struct stream *, struct packet); // NULL: not emulated
} packets[] = {
    {0x10, 0, "NOP", nothing},
    {0x11, 3, "SET_BASE", set_base},
    {0x12, 1, "CLEAR_STATE", nothing},
    {0x15, 4, "DISPATCH_DIRECT", dispatch_direct},
    {0x16, 2, "DISPATCH_INDIRECT", dispatch_indirect},
    {0x1e, 8, "ATOMIC_MEM", NULL},
    {0x20, 2, "SET_PREDICATION", NULL},
    {0x22, 4, "COND_EXEC", NULL},
    {0x28, 2, "CONTEXT_CONTROL", nothing},
    {0x37, 3, "WRITE_DATA", write_data},
    {0x3c, 6, "WAIT_REG_MEM", wait_memory},
    {0x40, 5, "COPY_DATA", copy_data},
    {0x42, 1, "PFP_SYNC_ME", nothing},
    {0x46, 1, "EVENT_WRITE", nothing},
    {0x49, 6, "RELEASE_MEM", release_mem},
    {0x50, 6, "DMA_DATA", dma_data},
    {0x58, 7, "ACQUIRE_MEM", acquire_mem},
    {0x68, 1, "SET_CONFIG_REG", nothing},
    {0x69, 1, "SET_CONTEXT_REG", nothing},
    {0x76, 1, "SET_SH_REG", set_registers},
    {0x79, 1, "SET_UCONFIG_REG", nothing},
    {0x7a, 1, "SET_UCONFIG_REG_INDEX", nothing},
    {0x90, 1, "FRAME_CONTROL", nothing},
    {0x9b, 1, "SET_SH_REG_INDEX", set_registers},
    {0xb8, 2, "SET_CONTEXT_REG_PAIRS", nothing},
    {0xb9, 4, "SET_CONTEXT_REG_PAIRS_PACKED", nothing},
    {0xba, 2, "SET_SH_REG_PAIRS", set_register_pairs},
    {0xbe, 2, "SET_UCONFIG_REG_PAIRS", nothing},
};

static bool execute(struct stream *stream, uint32_t header, struct packet packet)
{
    const uint32_t code = header >> 8 & 0xff;
    if (header & 1)
        return unknown(stream, "a predicated packet", header);
    for (size_t i = 0; i < sizeof(packets) / sizeof(*packets); i++)
        if (packets[i].code == code) {
            if (!packets[i].execute)
                return device_end(stream->device, "not emulated: %s", packets[i].name);
            if (packet.count < packets[i].least)
                return device_end(stream->device, "not emulated: %s of %u words", packets[i].name,
                                  (unsigned)packet.count);
            return packets[i].execute(stream, packet);
        }
    return unknown(stream, "packet", code);
}

static bool execute_buffer(struct stream *stream, uint64_t address, uint32_t dwords);

// Sets `chained` to the buffer that replaces the rest of this one.
static bool indirect(struct stream *stream, struct packet packet, struct packet *chained,
                     uint64_t *address)
{
    if (packet.count < 3)
        return unknown(stream, "INDIRECT_BUFFER of words", packet.count);
    const uint32_t dwords = packet.words[2] & 0xfffff;
    *address = pair(packet.words[0], packet.words[1]);
    if (packet.words[2] >> 20 & 1) {
        chained->count = dwords;
        return true;
    }
    return execute_buffer(stream, *address, dwords);
}

static bool execute_words(struct stream *stream, uint64_t *address, uint32_t *dwords)
{
    const uint32_t *words = memory(stream, *address, 4 * (uint64_t)*dwords);
    const uint32_t count = *dwords;
    *dwords = 0;
    for (uint32_t i = 0; words && i < count;) {
        const uint32_t header = words[i++], type = header >> 30;
        if (++stream->packets > MAX_PACKETS)
            return device_end(stream->device, "not emulated: more than %d packets", MAX_PACKETS);
        if (type == 2 || header == 0xffff1000) // a NOP without words
            continue;
        struct packet packet = {words + i, (header >> 16 & 0x3fff) + 1};
        if (type != 3)
            return unknown(stream, "a packet of type", type);
        if (packet.count > count - i)
            return device_end(stream->device, "fault: a packet reaches out of its buffer");
        i += packet.count;
        if ((header >> 8 & 0xff) != 0x3f) {
            if (!execute(stream, header, packet))
                return false;
            continue;
        }
        struct packet chained = {0};
        if (!indirect(stream, packet, &chained, address))
            return false;
        *dwords = chained.count;
        if (*dwords)
            return true;
    }
    return words;
}

static bool execute_buffer(struct stream *stream, uint64_t address, uint32_t dwords)
{
    if (stream->depth == MAX_DEPTH)
        return device_end(stream->device, "not emulated: indirect buffers %d deep", MAX_DEPTH + 1);
    stream->depth++;
    bool done = true;
    while (done && dwords)
        done = execute_words(stream, &address, &dwords);
    stream->depth--;
    return done;
}

bool rdna_submit(struct rdna_device *device, uint64_t address, uint32_t dwords)
{
    struct stream stream = {.device = device};
    device->steps = 0;
    return execute_buffer(&stream, address, dwords);
}
