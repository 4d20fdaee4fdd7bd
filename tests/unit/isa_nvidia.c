// SPDX-License-Identifier: Apache-2.0
// Machine code out of pipeline caches and binaries: a real one of each, made ones, and each of
// these cut and corrupted.
#include "isa/code.h"

#include "unit.h"

#include <zstd.h>

static char *read_file(const char *name, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", unit_argument(1), name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = lit_alloc(1 << 16, 1);
    *size = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static void clear(struct nvidia_code *code)
{
    free(code->bytes);
    free(code->constants);
}

TEST(test_real)
{
    static const char *const names[] = {"h200.cache", "h200.binary"};
    size_t size, wanted_size;
    OWNED(lit_free) char *wanted = read_file("h200.code", &wanted_size);
    for (size_t i = 0; i < 2; i++) {
        struct nvidia_code code;
        OWNED(lit_free) char *blob = read_file(names[i], &size);
        assert_true(nvidia_read(blob, size, &code, &error));
        assert_int_equal(code.size, wanted_size);
        assert_memory_equal(code.bytes, wanted, wanted_size);
        clear(&code);
    }
}

// No prefix of a blob is taken for one, and no single byte that is changed does harm.
TEST(test_cut_and_corrupted)
{
    static const char *const names[] = {"h200.cache", "h200.binary"};
    for (size_t i = 0; i < 2; i++) {
        struct nvidia_code code;
        size_t size;
        OWNED(lit_free) char *blob = read_file(names[i], &size);
        for (size_t cut = 0; cut < size; cut += cut < 256 ? 1 : 61) {
            char *part = malloc(cut ? cut : 1); // exactly as long, for sanitizers
            memcpy(part, blob, cut);
            must_fail("", nvidia_read(part, cut, &code, &error));
            assert_null(code.bytes);
            assert_null(code.constants);
            free(part);
        }
        for (size_t at = 0; at < size; at += at < 256 ? 1 : 37) {
            const char kept = blob[at];
            blob[at] = (char)~kept;
            if (nvidia_read(blob, size, &code, NULL))
                assert_int_equal(code.size % 16, 0);
            clear(&code);
            blob[at] = kept;
        }
    }
}

// --- Made blobs

static void put_word(char *bytes, size_t at, uint32_t word)
{
    for (size_t i = 0; i < 4; i++)
        bytes[at + i] = (char)(word >> 8 * i & 0xff);
}

struct section {
    uint32_t type, length, offset; // offset from NVuc
};

#define INNER    512
#define SECTIONS 3 // that a table says of, however many it claims to have

// A pipeline binary whose frame holds a table of these sections. Returns its size.
static size_t make_binary(const struct section *sections, uint32_t count, char blob[4096])
{
    char inner[INNER] = "NVDANVVMNVuc";
    put_word(inner, 8 + 8, count);
    for (uint32_t i = 0; i < count && i < SECTIONS; i++) {
        put_word(inner, 0x28 + 32 * i, sections[i].type);
        put_word(inner, 0x28 + 32 * i + 4, sections[i].length);
        put_word(inner, 0x28 + 32 * i + 8, sections[i].offset);
    }
    for (size_t i = 256; i < INNER; i++)
        inner[i] = (char)i;
    put_word(blob, 0, INNER);
    return 4 + ZSTD_compress(blob + 4, 4092, inner, INNER, 3);
}

TEST(test_sections)
{
    size_t constants = 0;
    static const struct {
        struct section sections[SECTIONS];
        uint32_t count;
        const char *error; // "": it is read
    } cases[] = {
        {{{3, 8, 300}, {1, 32, 248}, {9, 0, 0}}, 3, ""},
        {{{1, 264, 240}}, 1, "264 bytes of code are no whole instructions"},
        {{{1, 0, 240}}, 1, "0 bytes of code are no whole instructions"},
        {{{3, 8, 300}}, 1, "0 sections of code instead of one"},
        {{{0}}, 0, "0 sections of code instead of one"},
        {{{1, 16, 240}, {1, 16, 256}}, 2, "2 sections of code instead of one"},
        {{{1, 16, 489}}, 1, "the section of code ends behind the data"},
        {{{1, 16, 0xfffffff0}}, 1, "the section of code ends behind the data"},
        {{{1, 0xfffffff0, 32}}, 1, "the section of code ends behind the data"},
        {{{1, 16, 240}}, 0xffff, "a table of 65535 sections is longer than the data"},
        {{{1, 16, 488}}, 1, ""},
        {{{1, 16, 240}, {0x10, 12, 492}}, 2, ""},
        {{{1, 16, 240}, {0x10, 12, 508}}, 2, "the section of constants ends behind the data"},
        {{{1, 16, 240}, {0x10, 4, 240}, {0x10, 4, 240}},
         3,
         "2 sections of constants instead of one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char blob[4096];
        struct nvidia_code code;
        struct lit_error error = {0};
        const size_t size = make_binary(cases[i].sections, cases[i].count, blob);
        assert_int_equal(nvidia_read(blob, size, &code, &error), !cases[i].error[0]);
        assert_string_equal(error.message, cases[i].error);
        if (i == 0) {
            assert_null(code.constants);
            assert_int_equal(code.size, 32);
            for (size_t k = 0; k < 32; k++)
                assert_int_equal((unsigned char)code.bytes[k], (256 + k) & 0xff);
        }
        if (code.constants) {
            assert_int_equal(code.constant_size, 12);
            assert_int_equal((unsigned char)code.constants[11], 511 & 0xff);
            constants++;
        }
        clear(&code);
    }
    assert_int_equal(constants, 1);
}

TEST(test_foreign)
{
    static const struct {
        uint32_t words[12];
        size_t size;
        const char *error;
    } cases[] = {
        {{32, 1, 0x1002}, 48, "a pipeline cache of vendor 1002"},
        {{32, 1, 0x10de}, 32, "the pipeline cache is empty"},
        {{32, 1, 0x10de}, 48, "the pipeline cache is empty"},
        {{32, 1, 0x10de, 0, 0, 0, 0, 0, 2}, 48, "a pipeline cache of 2 entries instead of one"},
        {{32, 1, 0x10de, 0, 0, 0, 0, 0, 1}, 48, "no zstd frame in the pipeline cache"},
        {{32, 7, 0x10de}, 48, "neither a pipeline cache nor a pipeline binary of a known format"},
        {{0}, 0, "neither a pipeline cache nor a pipeline binary of a known format"},
        {{1, 0xfd2fb528}, 48, "the zstd frame is cut or corrupted"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nvidia_code code;
        must_fail_as(cases[i].error, nvidia_read(cases[i].words, cases[i].size, &code, &error));
    }
}

// A frame that says it unpacks to more than there is memory for.
TEST(test_bomb)
{
    struct nvidia_code code;
    static const unsigned char blob[] = {
        0,    0,    0,    0,    0x28, 0xb5, 0x2f, 0xfd, 0xe0, // 8 bytes of content size
        0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00,       //
        0x01, 0x00, 0x00,                                     // the last block, raw, empty
    };
    must_fail_as("the zstd frame has no valid size", nvidia_read(blob, sizeof blob, &code, &error));
}

TEST(test_architectures)
{
    assert_int_equal(nvidia_architecture(0x2335), 90); // H200
    assert_int_equal(nvidia_architecture(0x1eb8), 75); // T4
    assert_int_equal(nvidia_architecture(0x20b0), 80); // A100
    assert_int_equal(nvidia_architecture(0x2684), 89); // GeForce RTX 4090
    assert_int_equal(nvidia_architecture(0x1b80), 0);  // Pascal has other instructions
    assert_int_equal(nvidia_architecture(0x2b85), 0);  // Blackwell likewise
}

TEST(test_warps)
{
    static const struct {
        uint32_t architecture, registers, warps;
    } cases[] = {
        {90, 16, 64}, {90, 32, 64}, {90, 33, 48}, {90, 64, 32}, {90, 65, 28},
        {90, 255, 8}, {90, 256, 0}, {90, 0, 0},   {75, 16, 32}, {75, 128, 16},
        {86, 16, 48}, {86, 41, 40}, {120, 16, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(nvidia_warps_with(cases[i].architecture, cases[i].registers),
                         cases[i].warps);
}

// --- What becomes of it

static void add_blob(struct isa_code *code, enum isa_source source, const char *name)
{
    size_t size;
    OWNED(lit_free) char *blob = read_file(name, &size);
    isa_add_piece(code, source, name, "", blob, size);
}

TEST(test_extract)
{
    OWNED(isa_code_clear) struct isa_code code = {0};
    add_blob(&code, ISA_CACHE, "h200.cache");
    add_blob(&code, ISA_BINARY, "h200.binary");
    isa_add_statistic(&code, "Binary Size", "", "896");
    isa_add_statistic(&code, "Register Count", "", "40");
    isa_extract(&code, 0x1002, 0x2335); // another vendor's blobs are left alone
    assert_null(isa_find(&code, ISA_MACHINE));
    isa_extract(&code, NVIDIA_VENDOR, 0x2335);
    const struct isa_piece *machine = isa_find(&code, ISA_MACHINE);
    assert_non_null(machine);
    assert_int_equal(machine->size, 896);
    assert_int_equal(machine->architecture, 90);
    assert_string_equal(machine->about, "pipeline cache");
    assert_ptr_equal(isa_lowest(&code), machine);
    assert_int_equal(code.remark_count, 0);
    assert_int_equal(code.statistic_count, 3);
    assert_string_equal(code.statistics[2].value, "48 of 64"); // 40 registers take 1,280 of a warp
}

// A wrong size, two that differ and a blob of no known format are remarks, and the blob stays.
TEST(test_remarks)
{
    char blob[4096];
    OWNED(isa_code_clear) struct isa_code code = {0};
    const struct section section = {1, 32, 248};
    const size_t size = make_binary(&section, 1, blob);
    add_blob(&code, ISA_CACHE, "h200.cache");
    isa_add_piece(&code, ISA_BINARY, "", "", blob, size);
    isa_add_piece(&code, ISA_BINARY, "", "", "nothing", 7);
    isa_add_statistic(&code, "Binary Size", "", "895");
    isa_extract(&code, NVIDIA_VENDOR, 0x2335);
    assert_int_equal(code.remark_count, 3);
    assert_string_equal(
        code.remarks[0],
        "the driver says that its code has 895 bytes; the pipeline cache holds 896");
    assert_string_equal(code.remarks[1],
                        "the pipeline binary has other machine code than the pipeline cache");
    assert_string_equal(code.remarks[2], "pipeline binary: neither a pipeline cache nor a pipeline "
                                         "binary of a known format; it is kept as it is");
    assert_int_equal(code.piece_count, 4);
}
