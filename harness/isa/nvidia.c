// SPDX-License-Identifier: Apache-2.0
// From the blob to the machine code: a zstd frame, in it a table of sections, in one of them the
// code.
#include "isa/nvidia.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define HEADER_SIZE   32 // VkPipelineCacheHeaderVersionOne
#define MOST_UNPACKED ((size_t)64 << 20)
#define SEARCHED      256 // bytes after "CPKV" in which a frame is looked for
#define PREFIX        8   // "NVDANVVM"; offsets count from the "NVuc" behind it
#define COUNT_AT      8   // of NVuc: 16 bits, how many sections there are
#define TABLE_AT      0x20
#define ENTRY         32 // type, length, offset, and what is not looked at
#define TYPE_CODE     1
#define INSTRUCTION   16

static uint32_t word_at(const char *bytes, size_t at)
{
    const unsigned char *word = (const unsigned char *)bytes + at;
    return (uint32_t)word[0] | (uint32_t)word[1] << 8 | (uint32_t)word[2] << 16 |
           (uint32_t)word[3] << 24;
}

static bool is_at(const char *bytes, size_t size, size_t at, const char *what)
{
    const size_t length = strlen(what);
    return at + length <= size && memcmp(bytes + at, what, length) == 0;
}

// Where the zstd frame begins: behind four bytes of size in a pipeline binary, and in a pipeline
// cache a little behind the word CPKV, which follows the header of the specification.
static bool find_frame(const char *blob, size_t size, size_t *at, struct lit_error *error)
{
    static const char frame[] = "\x28\xb5\x2f\xfd";
    *at = 4;
    if (is_at(blob, size, *at, frame))
        return true;
    if (size < HEADER_SIZE || word_at(blob, 0) != HEADER_SIZE || word_at(blob, 4) != 1)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "neither a pipeline cache nor a pipeline binary of a known format");
    if (word_at(blob, 8) != NVIDIA_VENDOR)
        return lit_fail(error, LIT_EXIT_USAGE, "a pipeline cache of vendor %04x", word_at(blob, 8));
    if (size < HEADER_SIZE + 4 || word_at(blob, HEADER_SIZE) == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "the pipeline cache is empty");
    if (word_at(blob, HEADER_SIZE) != 1)
        return lit_fail(error, LIT_EXIT_USAGE, "a pipeline cache of %u entries instead of one",
                        word_at(blob, HEADER_SIZE));
    size_t start = HEADER_SIZE;
    while (start < size && start < HEADER_SIZE + SEARCHED && !is_at(blob, size, start, "CPKV"))
        start++;
    for (*at = start; *at < size && *at < start + SEARCHED; ++*at)
        if (is_at(blob, size, *at, frame))
            return true;
    return lit_fail(error, LIT_EXIT_USAGE, "no zstd frame in the pipeline cache");
}

// Unpacks one frame. NULL with an error.
static char *unpack(const char *frame, size_t size, size_t *unpacked, struct lit_error *error)
{
    const unsigned long long said = ZSTD_getFrameContentSize(frame, size);
    const size_t packed = ZSTD_findFrameCompressedSize(frame, size);
    if (ZSTD_isError(packed)) {
        lit_fail(error, LIT_EXIT_USAGE, "the zstd frame is cut or corrupted");
        return NULL;
    }
    if (said == ZSTD_CONTENTSIZE_ERROR || said == ZSTD_CONTENTSIZE_UNKNOWN ||
        said > MOST_UNPACKED) {
        lit_fail(error, LIT_EXIT_USAGE, "the zstd frame does not say a size that makes sense");
        return NULL;
    }
    char *bytes = lit_alloc((size_t)said + 1, 1);
    const size_t done = ZSTD_decompress(bytes, (size_t)said, frame, packed);
    if (ZSTD_isError(done) || done != said) {
        lit_fail(error, LIT_EXIT_USAGE, "the zstd frame is corrupted");
        free(bytes);
        return NULL;
    }
    *unpacked = done;
    return bytes;
}

// The section of machine code in what the frame held; there has to be exactly one.
static bool find_code(const char *bytes, size_t size, size_t *at, size_t *length,
                      struct lit_error *error)
{
    size_t found = 0;
    if (!is_at(bytes, size, 0, "NVDANVVM") || !is_at(bytes, size, PREFIX, "NVuc") ||
        size < PREFIX + TABLE_AT)
        return lit_fail(error, LIT_EXIT_USAGE, "no NVDANVVM and NVuc in the zstd frame");
    const size_t room = size - PREFIX; // from NVuc on
    const size_t count = word_at(bytes, PREFIX + COUNT_AT) & 0xffff;
    if (count * ENTRY > room - TABLE_AT)
        return lit_fail(error, LIT_EXIT_USAGE, "a table of %zu sections is longer than the data",
                        count);
    for (size_t i = 0; i < count; i++) {
        const size_t entry = PREFIX + TABLE_AT + i * ENTRY;
        const size_t bytes_of = word_at(bytes, entry + 4), offset = word_at(bytes, entry + 8);
        if (word_at(bytes, entry) != TYPE_CODE)
            continue;
        if (offset > room || bytes_of > room - offset)
            return lit_fail(error, LIT_EXIT_USAGE, "the section of code ends behind the data");
        *at = PREFIX + offset;
        *length = bytes_of;
        found++;
    }
    if (found != 1)
        return lit_fail(error, LIT_EXIT_USAGE, "%zu sections of code instead of one", found);
    return (*length && *length % INSTRUCTION == 0) ||
           lit_fail(error, LIT_EXIT_USAGE, "%zu bytes of code are no whole instructions", *length);
}

bool nvidia_read(const void *blob, size_t size, struct nvidia_code *code, struct lit_error *error)
{
    size_t frame = 0, unpacked = 0, at = 0;
    *code = (struct nvidia_code){0};
    if (!find_frame(blob, size, &frame, error))
        return false;
    char *bytes = unpack((const char *)blob + frame, size - frame, &unpacked, error);
    const bool good = bytes && find_code(bytes, unpacked, &at, &code->size, error);
    if (good) {
        code->bytes = lit_alloc(code->size + 1, 1);
        memcpy(code->bytes, bytes + at, code->size);
    }
    free(bytes);
    return good;
}

uint32_t nvidia_architecture(uint32_t product)
{
    // Ranges of NVIDIA's PCI product numbers; a chip that is not in them is not guessed at.
    static const struct {
        uint32_t first, last, architecture;
    } chips[] = {
        {0x1d81, 0x1dff, 70}, // GV100
        {0x1e02, 0x1ff9, 75}, // TU102, TU104, TU106
        {0x2080, 0x20ff, 80}, // GA100
        {0x2182, 0x21d1, 75}, // TU116
        {0x2200, 0x228e, 86}, // GA102, GA103 follow
        {0x2300, 0x23ff, 90}, // GH100: H100, H200, GH200
        {0x2414, 0x25ff, 86}, // GA103, GA104, GA106, GA107
        {0x2681, 0x28ff, 89}, // AD102 to AD107
    };
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (product >= chips[i].first && product <= chips[i].last)
            return chips[i].architecture;
    return 0;
}

uint32_t nvidia_warps(uint32_t architecture)
{
    switch (architecture) {
    case 70:
    case 80:
    case 90:
        return 64;
    case 75:
        return 32;
    case 86:
    case 89:
        return 48;
    default:
        return 0;
    }
}

uint32_t nvidia_warps_with(uint32_t architecture, uint32_t registers)
{
    const uint32_t most = nvidia_warps(architecture);
    const uint32_t taken = (registers * 32 + 255) / 256 * 256;
    if (!most || !registers || registers > 255)
        return 0;
    const uint32_t warps = 4 * (16384 / taken); // a quarter of them in each of four partitions
    return warps < most ? warps : most;
}
