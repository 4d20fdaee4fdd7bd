// SPDX-License-Identifier: Apache-2.0
// Extracts machine code from driver caches and from files. An NVIDIA blob contains a zstd frame
// with a table of sections; one section is the code.
#include "isa/code.h"

#include <elf.h>
#include <zstd.h>

#define HEADER_SIZE    32 // VkPipelineCacheHeaderVersionOne
#define MOST_UNPACKED  ((size_t)64 << 20)
#define SEARCHED       256 // bytes after "CPKV" in which to search for a frame
#define PREFIX         8   // "NVDANVVM"; offsets count from the "NVuc" after it
#define COUNT_AT       8   // offset in NVuc: 16-bit number of sections
#define TABLE_AT       0x20
#define ENTRY          32 // type, length, offset, ignored rest
#define TYPE_CODE      1
#define TYPE_CONSTANTS 0x10
#define INSTRUCTION    16

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

static bool is_cache(const char *bytes, size_t size)
{
    return size >= HEADER_SIZE && word_at(bytes, 0) == HEADER_SIZE && word_at(bytes, 4) == 1;
}

// Finds the zstd frame: after four bytes of size in a pipeline binary; in a pipeline cache shortly
// after the word CPKV, which follows the header that the specification defines.
static bool find_frame(const char *blob, size_t size, size_t *at, struct lit_error *error)
{
    static const char frame[] = "\x28\xb5\x2f\xfd";
    *at = 4;
    if (is_at(blob, size, *at, frame))
        return true;
    if (!is_cache(blob, size))
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
        lit_fail(error, LIT_EXIT_USAGE, "the zstd frame has no valid size");
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

// Finds the section of a type in the frame; several are an error. *length is 0 if there is none.
static bool find_section(const char *bytes, size_t size, uint32_t type, size_t *at, size_t *length,
                         struct lit_error *error)
{
    const char *what = type == TYPE_CODE ? "code" : "constants";
    size_t found = 0;
    *length = 0;
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
        if (word_at(bytes, entry) != type)
            continue;
        if (offset > room || bytes_of > room - offset)
            return lit_fail(error, LIT_EXIT_USAGE, "the section of %s ends behind the data", what);
        *at = PREFIX + offset;
        *length = bytes_of;
        found++;
    }
    return found == 1 || (found == 0 && type != TYPE_CODE) ||
           lit_fail(error, LIT_EXIT_USAGE, "%zu sections of %s instead of one", found, what);
}

static char *copy(const char *bytes, size_t size)
{
    return memcpy(lit_alloc(size + 1, 1), bytes, size);
}

bool nvidia_read(const void *blob, size_t size, struct nvidia_code *code, struct lit_error *error)
{
    size_t frame = 0, unpacked = 0, at = 0, constants_at = 0, size_of = 0, constant_size = 0;
    *code = (struct nvidia_code){0};
    if (!find_frame(blob, size, &frame, error))
        return false;
    OWNED(lit_free)
    char *bytes = unpack((const char *)blob + frame, size - frame, &unpacked, error);
    if (!bytes || !find_section(bytes, unpacked, TYPE_CODE, &at, &size_of, error) ||
        !find_section(bytes, unpacked, TYPE_CONSTANTS, &constants_at, &constant_size, error))
        return false;
    if (!size_of || size_of % INSTRUCTION)
        return lit_fail(error, LIT_EXIT_USAGE, "%zu bytes of code are no whole instructions",
                        size_of);
    *code = (struct nvidia_code){
        .bytes = copy(bytes + at, size_of),
        .size = size_of,
        .constants = constant_size ? copy(bytes + constants_at, constant_size) : NULL,
        .constant_size = constant_size};
    return true;
}

uint32_t nvidia_architecture(uint32_t product)
{
    // Ranges of NVIDIA's PCI product numbers; chips outside of them are unknown.
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

static uint32_t warps_of(uint32_t architecture)
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
    const uint32_t most = warps_of(architecture);
    const uint32_t taken = (registers * 32 + 255) / 256 * 256;
    if (!most || !registers || registers > 255)
        return 0;
    const uint32_t warps = 4 * (16384 / taken); // a quarter of them in each of four partitions
    return warps < most ? warps : most;
}

// --- Extraction

static void add_occupancy(struct isa_code *code, uint32_t architecture)
{
    char value[64];
    const size_t registers = strtoul(isa_statistic(code, "Register Count"), NULL, 10);
    const uint32_t warps =
        nvidia_warps_with(architecture, registers < 256 ? (uint32_t)registers : 0);
    if (!warps)
        return;
    snprintf(value, sizeof value, "%u of %u", warps, warps_of(architecture));
    isa_add_statistic(code, "Resident Warps",
                      "of a multiprocessor, as far as registers allow; computed from them", value);
}

static void keep(struct isa_code *code, const struct nvidia_code *found, enum isa_source from,
                 uint32_t architecture)
{
    const struct isa_piece *known = isa_find(code, ISA_MACHINE);
    char about[64];
    if (known) {
        if (known->size != found->size || memcmp(known->bytes, found->bytes, found->size) != 0)
            isa_remark(code, "the %s has other machine code than the %s", isa_source_name(from),
                       known->about);
        return;
    }
    const size_t size = strtoul(isa_statistic(code, "Binary Size"), NULL, 10);
    if (size && size != found->size)
        isa_remark(code, "the driver says that its code has %zu bytes; the %s holds %zu", size,
                   isa_source_name(from), found->size);
    snprintf(about, sizeof about, "%s", isa_source_name(from));
    isa_add_piece(code, ISA_MACHINE, "SASS", about, found->bytes, found->size)->architecture =
        architecture;
    if (found->constants)
        isa_add_piece(code, ISA_CONSTANTS, "c[0x1]", about, found->constants, found->constant_size);
    add_occupancy(code, architecture);
}

void isa_extract(struct isa_code *code, uint32_t vendor, uint32_t product)
{
    if (vendor != NVIDIA_VENDOR)
        return;
    const size_t count = code->piece_count; // do not visit the pieces added here
    for (size_t i = 0; i < count; i++) {
        struct nvidia_code found;
        struct lit_error error = {0};
        const enum isa_source source = code->pieces[i].source;
        if (source != ISA_CACHE && source != ISA_BINARY)
            continue;
        if (nvidia_read(code->pieces[i].bytes, code->pieces[i].size, &found, &error))
            keep(code, &found, source, nvidia_architecture(product));
        else
            isa_remark(code, "%s: %s; it is kept as it is", isa_source_name(source), error.message);
        free(found.bytes);
        free(found.constants);
    }
}

bool isa_add_cache(struct isa_code *code, const char *about, const char *bytes, size_t size)
{
    if (!is_cache(bytes, size))
        return false;
    isa_add_piece(code, ISA_CACHE, "pipeline cache", about, bytes, size);
    isa_extract(code, word_at(bytes, 8), word_at(bytes, 12));
    return true;
}

// --- Files

#define ELF_MOST 4096 // sections

static struct isa_function *add_function(struct isa_file *file, const char *name, size_t length)
{
    struct isa_function function = {.name = lit_alloc(length + 1, 1)};
    OWNED(lit_free) char *copy = lit_alloc(length + 1, 1);
    memcpy(copy, name, length);
    text_sanitise(function.name, length + 1, copy);
    file->functions = lit_grow(file->functions, file->count, sizeof *file->functions);
    file->functions[file->count] = function;
    return &file->functions[file->count++];
}

// Each function of a cubin has its own section, ".text.NAME".
static bool read_cubin(const char *bytes, size_t size, struct isa_file *file,
                       struct lit_error *error)
{
    static const char prefix[] = ".text.";
    Elf64_Ehdr header;
    Elf64_Shdr strings, section;
    file->format = "cubin";
    memcpy(&header, bytes, size < sizeof header ? 0 : sizeof header);
    if (size < sizeof header || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_CUDA)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "an ELF file, but not a cubin; 'cuobjdump -xelf all' takes cubins out of "
                        "programs");
    if (header.e_shnum > ELF_MOST || header.e_shstrndx >= header.e_shnum || header.e_shoff > size ||
        header.e_shnum * sizeof section > size - header.e_shoff)
        return lit_fail(error, LIT_EXIT_USAGE, "the cubin is cut or corrupted");
    const char *table = bytes + header.e_shoff;
    memcpy(&strings, table + header.e_shstrndx * sizeof strings, sizeof strings);
    for (size_t i = 0; i < header.e_shnum; i++) {
        memcpy(&section, table + i * sizeof section, sizeof section);
        if (strings.sh_offset > size || strings.sh_size > size - strings.sh_offset ||
            section.sh_name >= strings.sh_size ||
            (section.sh_type != SHT_NOBITS &&
             (section.sh_offset > size || section.sh_size > size - section.sh_offset)))
            return lit_fail(error, LIT_EXIT_USAGE, "the cubin is cut or corrupted");
        const char *own = bytes + strings.sh_offset + section.sh_name;
        const size_t width = strnlen(own, strings.sh_size - section.sh_name);
        if (width < sizeof prefix || memcmp(own, prefix, sizeof prefix - 1) != 0 ||
            !section.sh_size || section.sh_type == SHT_NOBITS)
            continue;
        struct isa_function *function =
            add_function(file, own + sizeof prefix - 1, width - sizeof prefix + 1);
        function->bytes = bytes + section.sh_offset;
        function->size = section.sh_size;
        // The position of the architecture in the flags depends on the version.
        function->architecture =
            (header.e_ident[EI_ABIVERSION] < 8 ? header.e_flags : header.e_flags >> 8) & 0xff;
    }
    return file->count || lit_fail(error, LIT_EXIT_USAGE, "no function in the cubin");
}

// Reads a pipeline cache, which names its device, or a pipeline binary, which does not.
static bool read_blob(const char *bytes, size_t size, struct isa_file *file,
                      struct lit_error *error)
{
    struct nvidia_code code;
    const bool cache = is_cache(bytes, size);
    file->format = cache ? "pipeline cache" : "pipeline binary";
    if (!nvidia_read(bytes, size, &code, error))
        return false;
    struct isa_function *function = add_function(file, "", 0);
    free(code.constants);
    file->unpacked = code.bytes;
    function->bytes = code.bytes;
    function->size = code.size;
    function->architecture = cache ? nvidia_architecture(word_at(bytes, 12)) : 0;
    return true;
}

// The rest of a line after `mark`, without blanks and a final colon; false if `mark` is absent.
static bool name_behind(const char *line, const char *end, const char *mark, const char **name,
                        size_t *length)
{
    const size_t width = strlen(mark);
    while (line < end && strchr(" \t/-", *line))
        line++;
    if ((size_t)(end - line) <= width || memcmp(line, mark, width) != 0)
        return false;
    *name = line + width;
    *length = 0;
    while (*name + *length < end && !strchr(" \t\r:", (*name)[*length]))
        ++*length;
    return *length > 0;
}

// A listing of several functions, each starting at address 0 after a line with its name.
static bool read_text(const char *bytes, size_t size, struct isa_file *file,
                      struct lit_error *error)
{
    static const char *const marks[] = {"Function : ", ".text."};
    const char *name = "";
    size_t length = 0;
    for (const char *line = bytes, *end; line < bytes + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(bytes + size - line));
        end = end ? end : bytes + size;
        const char *at = line;
        while (at < end && strchr(" \t", *at))
            at++;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            name_behind(line, end, marks[i], &name, &length);
        if (is_at(at, (size_t)(end - at), 0, "/*0000*/")) {
            add_function(file, name, length)->bytes = line;
            file->functions[file->count - 1].is_text = true;
            length = 0;
        }
    }
    for (size_t i = 0; i < file->count; i++) {
        struct isa_function *function = &file->functions[i];
        const char *end = i + 1 < file->count ? function[1].bytes : bytes + size;
        function->size = (size_t)(end - function->bytes);
    }
    file->format = file->count ? "SASS text" : NULL;
    return file->count || lit_fail(error, LIT_EXIT_USAGE,
                                   "not SASS text, a cubin, a pipeline cache or a pipeline binary");
}

bool isa_file_read(const char *bytes, size_t size, struct isa_file *file, struct lit_error *error)
{
    *file = (struct isa_file){0};
    if (is_at(bytes, size, 0,
              "\x7f"
              "ELF"))
        return read_cubin(bytes, size, file, error);
    if (is_at(bytes, size, 4, "\x28\xb5\x2f\xfd") || is_cache(bytes, size))
        return read_blob(bytes, size, file, error);
    return read_text(bytes, size, file, error);
}

void isa_file_clear(struct isa_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        free(file->functions[i].name);
    free(file->functions);
    free(file->unpacked);
    *file = (struct isa_file){0};
}
