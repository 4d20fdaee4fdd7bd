// SPDX-License-Identifier: Apache-2.0
// The functions of files from anywhere: listings, cubins, blobs, and what is none of them.
#include "unit.h"

#include "isa/code.h"
#include "isa/sass.h"

#define SECTIONS 4
#define HEADER   64
#define NAMES_AT (HEADER + 32)

// A cubin of two functions of 16 bytes each; `abi` is its version, `flags` those of its header.
struct cubin {
    uint8_t bytes[HEADER + 32 + 64 + SECTIONS * 64];
};

static void put(uint8_t *at, uint64_t value, int width)
{
    for (int i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static struct cubin make_cubin(uint8_t abi, uint32_t flags)
{
    static const char names[] = "\0.text.first\0.text.second\0.shstrtab";
    static const struct {
        uint32_t name, type, at, size;
    } sections[SECTIONS] = {{0, 0, 0, 0},
                            {1, 1, HEADER, 16},
                            {13, 1, HEADER + 16, 16},
                            {26, 3, NAMES_AT, sizeof names}};
    struct cubin cubin = {{0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, abi}};
    uint8_t *bytes = cubin.bytes;
    const size_t table = NAMES_AT + 64;
    put(bytes + 18, 190, 2);
    put(bytes + 40, table, 8);
    put(bytes + 48, flags, 4);
    put(bytes + 58, 64, 2);
    put(bytes + 60, SECTIONS, 2);
    put(bytes + 62, 3, 2);
    memset(bytes + HEADER, 0xab, 32);
    memcpy(bytes + NAMES_AT, names, sizeof names);
    for (size_t i = 0; i < SECTIONS; i++) {
        uint8_t *section = bytes + table + i * 64;
        put(section, sections[i].name, 4);
        put(section + 4, sections[i].type, 4);
        put(section + 24, sections[i].at, 8);
        put(section + 32, sections[i].size, 8);
    }
    return cubin;
}

static bool read_bytes(const void *bytes, size_t size, struct isa_file *file,
                       struct lit_error *error)
{
    *error = (struct lit_error){0};
    const bool good = isa_file_read(bytes, size, file, error);
    assert_int_equal(good, file->count > 0 && !error->message[0]);
    return good;
}

TEST(a_cubin_has_its_functions)
{
    static const struct {
        uint8_t abi;
        uint32_t flags;
    } versions[] = {{7, 0x5a055a}, {8, 0x6005a02}};
    for (size_t i = 0; i < 2; i++) {
        const struct cubin cubin = make_cubin(versions[i].abi, versions[i].flags);
        OWNED(isa_file_clear) struct isa_file file;
        assert_true(read_bytes(&cubin, sizeof cubin, &file, &error));
        assert_string_equal(file.format, "cubin");
        assert_int_equal(file.count, 2);
        assert_string_equal(file.functions[0].name, "first");
        assert_string_equal(file.functions[1].name, "second");
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(file.functions[k].architecture, 90);
            assert_false(file.functions[k].is_text);
            assert_int_equal(file.functions[k].size, 16);
            assert_ptr_equal(file.functions[k].bytes, (const char *)cubin.bytes + HEADER + 16 * k);
        }
    }
}

// Cut anywhere, and with any byte changed: an error, or functions that lie in the file.
TEST(a_damaged_cubin_is_a_line)
{
    const struct cubin good = make_cubin(7, 0x5a055a);
    for (size_t i = 0; i < sizeof good; i++)
        for (int how = 0; how < 3; how++) {
            const size_t size = how == 2 ? i : sizeof good;
            uint8_t *bytes = malloc(size + !size); // exactly as long, for sanitizers
            OWNED(isa_file_clear) struct isa_file file;
            assert_non_null(bytes);
            memcpy(bytes, &good, size);
            if (how < 2)
                bytes[i] = how ? 0xff : (uint8_t)(bytes[i] + 1);
            if (read_bytes(bytes, size, &file, &error))
                for (size_t k = 0; k < file.count; k++)
                    assert_true(file.functions[k].bytes >= (char *)bytes &&
                                file.functions[k].size <=
                                    (size_t)((char *)bytes + size - file.functions[k].bytes));
            free(bytes);
        }
    struct cubin other = good;
    OWNED(isa_file_clear) struct isa_file file;
    put(other.bytes + 18, 62, 2); // x86-64
    must_fail("not a cubin", read_bytes(&other, sizeof other, &file, &error));
}

#define INSN(address, text) "        /*" address "*/                   " text " ;   /* 0x0 */\n"

TEST(listings_have_several_functions)
{
    static const struct {
        const char *text, *names[2];
    } listings[] = {
        // cuobjdump -sass
        {"\tcode for sm_90\n\t\tFunction : _Z5firstPi\n\t.headerflags\t@\"EF_CUDA_SM90\"\n" INSN(
             "0000", "MOV R1, RZ") "                                /* 0x000fe20000000800 "
                                   "*/\n" INSN("0010", "E"
                                                       "XIT") "\t\t..........\n\n\t\tFunction : "
                                                              "second\n" INSN("0000", "EXIT"),
         {"_Z5firstPi", "second"}},
        // nvdisasm of a cubin
        {"//--------------------- .text.first  --------------------------\n.text.first:\n" INSN(
             "0000", "EXIT") ".text.second:\n" INSN("0000",
                                                    "BRA `(.L_x_1)") ".L_x_1:\n" INSN("0010",
                                                                                      "EXIT"),
         {"first", "second"}},
        {INSN("0000", "EXIT") INSN("0000", "EXIT"), {"", ""}},
    };
    for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) {
        OWNED(isa_file_clear) struct isa_file file;
        assert_true(read_bytes(listings[i].text, strlen(listings[i].text), &file, &error));
        assert_string_equal(file.format, "SASS text");
        assert_int_equal(file.count, 2);
        for (size_t k = 0; k < 2; k++) {
            const struct isa_function *function = &file.functions[k];
            OWNED(sass_code_clear) struct sass_code code = {0};
            assert_string_equal(function->name, listings[i].names[k]);
            assert_true(function->is_text);
            assert_true(sass_parse(function->bytes, function->size, 0, &code, &error));
            assert_int_equal(code.count, i == 0 ? 2 - k : i == 1 ? 1 + k : 1);
        }
    }
}

TEST(anything_else_is_a_line)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *words;
    } files[] = {
        {"", 0, "not SASS text"},
        {"hello\n", 6, "not SASS text"},
        {"/*0010*/ EXIT ;\n", 16, "not SASS text"},
        {"\x7f"
         "ELF",
         4, "not a cubin"},
        {"\x20\0\0\0\x01\0\0\0\x02\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32,
         "a pipeline cache of vendor 1002"},
        {"\1\0\0\0\x28\xb5\x2f\xfd", 8, "zstd frame"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        OWNED(isa_file_clear) struct isa_file file;
        must_fail(files[i].words, read_bytes(files[i].bytes, files[i].size, &file, &error));
    }
}
