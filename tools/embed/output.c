// SPDX-License-Identifier: Apache-2.0
// Writes the results: zstd frames in one data file, and C tables that point into it.
#include "base/sha256.h"
#include "embed.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

// The data for one source, referenced by offset.
struct packed {
    const struct job *jobs;
    size_t job_count;
    struct text words, own; // frames; empty for a kernel's source
    size_t word_count, source_size, names_size, own_size;
    size_t words_at, own_at, head_at, head_size, file_at; // offsets in the data file
};

struct frames {
    struct source *const *sources;
    struct packed *packed; // by source
    const struct job *jobs;
    struct text *kernels; // frames of the kernels, by job
};

// Compresses into a zstd frame, or reuses an earlier one for the same bytes. Whole tests are large:
// levels above 12 take ten times as long there and save a tenth.
static struct text compress(const void *plain, size_t plain_size, int level)
{
    struct text frame = {0};
    struct sha256 hash;
    unsigned char key[32];
    sha256_start(&hash);
    sha256_add(&hash, "zstd" ZSTD_VERSION_STRING, sizeof "zstd" ZSTD_VERSION_STRING);
    sha256_add(&hash, &level, sizeof level);
    sha256_add(&hash, plain, plain_size);
    sha256_end(&hash, key);
    size_t size;
    const char *kept = cache_get(key, &size);
    if (kept) {
        text_append(&frame, kept, size);
        return frame;
    }
    size = ZSTD_compressBound(plain_size);
    char *packed = lit_alloc(size, 1);
    size = ZSTD_compress(packed, size, plain, plain_size, level);
    if (ZSTD_isError(size))
        die("zstd: %s", ZSTD_getErrorName(size));
    cache_put(key, packed, size);
    text_append(&frame, packed, size);
    free(packed);
    return frame;
}

static void add_file(struct text *text, const char *what, const char *name, const char *end,
                     const char *content)
{
    const size_t start = text->length;
    text_printf(text, "\n; ======== %s: %s%s ", what, name, end);
    while (text->length < start + 101)
        text_puts(text, "=");
    text_printf(text, "\n%s", content);
}

// The source, followed by the GLSL file if a variant is compiled from it, and the file of words.
static struct text whole_source(const struct source *source)
{
    struct text text = {0};
    text_append(&text, source->text, source->size);
    if (source->glsl)
        add_file(&text, "form=glslang", source->head.test, ".comp", source->glsl);
    if (source->words)
        add_file(&text, "file", source->head.file, "", source->words_text);
    return text;
}

// All modules' words, the source (terminated) and the modules' names; and the modules' texts.
static void pack_test(size_t index, void *user)
{
    const struct frames *frames = user;
    struct packed *packed = &frames->packed[index];
    if (!frames->sources[index]->is_test)
        return;
    struct text plain = {0}, own = {0}, source = whole_source(frames->sources[index]);
    text_puts(&plain, "");
    text_puts(&own, "");
    for (size_t i = 0; i < packed->job_count; i++) {
        const struct job *job = &packed->jobs[i];
        text_append(&plain, (const char *)job->words, job->count * sizeof *job->words);
        text_append(&own, job->own.data, job->own.length);
    }
    packed->word_count = plain.length / sizeof(uint32_t);
    text_append(&plain, source.data, source.length + 1);
    packed->source_size = source.length;
    for (size_t i = 0; i < packed->job_count; i++) {
        const struct job *job = &packed->jobs[i];
        text_append(&plain, job->names.data, job->names.length);
        packed->names_size += job->names.length;
    }
    packed->own_size = own.length;
    packed->words = compress(plain.data, plain.length, 12);
    packed->own = compress(own.data, own.length, 12);
    text_free(&plain);
    text_free(&own);
    text_free(&source);
}

static void pack_kernel(size_t index, void *user)
{
    const struct frames *frames = user;
    const struct job *job = &frames->jobs[index];
    if (!job->source->is_test && !job->left_out)
        frames->kernels[index] = compress(job->words, job->count * sizeof *job->words, 19);
}

// The head's comment lines, as delimited by the program's own parser.
static size_t head_extent(const char *source, const char **start)
{
    const char *s = source;
    while (*s && strncmp(s, "; litmus ", 9)) {
        s += strcspn(s, "\n");
        s += *s == '\n';
    }
    *start = s;
    while (*s == ';') {
        s += strcspn(s, "\n");
        s += *s == '\n';
    }
    return (size_t)(s - *start);
}

// "shuffle/scan-loop.spvasm" as a C identifier: "shuffle_scan_loop".
static struct text symbol_of(const struct source *source)
{
    struct text symbol = {0};
    for (const char *s = source->place; *s != '.'; s++)
        text_append(&symbol, *s == '/' || *s == '-' ? "_" : s, 1);
    return symbol;
}

// Appends a test and its modules, whose data is already there.
static void add_test(struct text *out, const struct source *source, const struct packed *packed)
{
    struct text symbol = symbol_of(source);
    uint32_t offset = 0, names = 0, own = 0;
    text_printf(out, "\nstatic const struct cat_module modules_%s[] = {\n", symbol.data);
    size_t count = 0;
    for (size_t i = 0; i < packed->job_count; i++) {
        const struct job *job = &packed->jobs[i];
        if (job->left_out)
            continue;
        text_printf(out, "    {\"%s\", %u, %u, %zu, 0x%llx, \"%s\", %u, %zu, %u, %s, {",
                    job->variant, job->subgroup, offset, job->count,
                    (unsigned long long)job->features, job->sha256, names, job->names.length, own,
                    job->divisible ? "true" : "false");
        for (size_t axis = 0; axis < CAT_MAX_AXES; axis++)
            text_printf(out, "%u,", job->axis[axis]);
        text_puts(out, "}},\n");
        offset += (uint32_t)job->count;
        names += (uint32_t)job->names.length;
        own += (uint32_t)job->own.length;
        count++;
    }
    text_printf(out,
                "    {0},\n};\n\nstatic const struct cat_embedded embedded_%s = {\n    \"%s\", "
                "modules_%s, %zu, catalogue_data + %zu, %zu, %zu, %zu, %zu,\n    catalogue_data + "
                "%zu, %zu, %zu, %zu, (const char *)catalogue_data + %zu,\n    catalogue_data + "
                "%zu, %zu};\n",
                symbol.data, source->head.name, symbol.data, count, packed->words_at,
                packed->words.length, packed->word_count, packed->source_size, packed->names_size,
                packed->own_at, packed->own.length, packed->own_size, packed->head_size,
                packed->head_at, packed->file_at, source->word_count);
    text_free(&symbol);
}

// Appends data; returns its offset.
static size_t add_data(struct text *data, const char *bytes, size_t size)
{
    const size_t at = data->length;
    text_append(data, bytes, size);
    return at;
}

static void add_tests(struct text *out, struct text *data, const struct frames *frames,
                      size_t source_count)
{
    struct text table = {0};
    struct sha256 identity;
    unsigned char digest[32];
    sha256_start(&identity);
    for (size_t i = 0; i < source_count; i++) {
        const struct source *source = frames->sources[i];
        struct packed *packed = &frames->packed[i];
        if (!source->is_test)
            continue;
        const char *head;
        packed->head_size = head_extent(source->text, &head);
        packed->words_at = add_data(data, packed->words.data, packed->words.length);
        packed->own_at = add_data(data, packed->own.data, packed->own.length);
        packed->head_at = add_data(data, head, packed->head_size);
        add_data(data, "", 1);
        sha256_add(&identity, head, packed->head_size);
        packed->file_at = data->length;
        for (size_t w = 0; w < source->word_count; w++) {
            const uint32_t word = source->words[w];
            const unsigned char bytes[] = {(unsigned char)word, (unsigned char)(word >> 8),
                                           (unsigned char)(word >> 16),
                                           (unsigned char)(word >> 24)};
            add_data(data, (const char *)bytes, sizeof bytes);
            sha256_add(&identity, bytes, sizeof bytes);
        }
        for (size_t j = 0; j < packed->job_count; j++)
            if (!packed->jobs[j].left_out)
                sha256_add(&identity, packed->jobs[j].sha256, strlen(packed->jobs[j].sha256));
        add_test(out, source, packed);
        struct text symbol = symbol_of(source);
        text_printf(&table, "    &embedded_%s,\n", symbol.data);
        text_free(&symbol);
    }
    sha256_end(&identity, digest);
    text_puts(out, "\nconst char cat_identity[IDENTITY_SIZE] = \"");
    for (size_t i = 0; i < (IDENTITY_SIZE - 1) / 2; i++)
        text_printf(out, "%02x", digest[i]);
    text_printf(out,
                "\";\nextern const struct cat_embedded *const cat_embedded_tests[];\n"
                "const struct cat_embedded *const cat_embedded_tests[] = {\n%s    NULL,\n};\n",
                table.data ? table.data : "");
    text_free(&table);
}

static void add_kernels(struct text *out, struct text *data, const struct frames *frames,
                        size_t job_count)
{
    struct text pages = {0};
    size_t count = 0;
    text_puts(out, "\nconst struct cat_kernel cat_kernels[] = {\n");
    text_puts(&pages, "");
    for (size_t i = 0; i < job_count; i++) {
        const struct job *job = &frames->jobs[i];
        const struct text *frame = &frames->kernels[i];
        if (job->source->is_test || job->left_out)
            continue;
        text_printf(out, "    {\"%s\", catalogue_data + %zu, %zu, %zu, %zu, 0x%llx, \"%s\"},\n",
                    job->variant, add_data(data, frame->data, frame->length), frame->length,
                    job->count, pages.length, (unsigned long long)job->features, job->sha256);
        text_append(&pages, job->own.data, job->own.length);
        count++;
    }
    struct text frame = compress(pages.data, pages.length, 12);
    text_printf(out,
                "    {0},\n};\nconst size_t cat_kernel_count = %zu;\n"
                "const unsigned char *const cat_kernel_pages = catalogue_data + %zu;\n"
                "const size_t cat_kernel_pages_size = %zu, cat_kernel_pages_length = %zu;\n",
                count, add_data(data, frame.data, frame.length), frame.length, pages.length);
    text_free(&frame);
    text_free(&pages);
}

// The assembler includes the data, because compilers take a second per megabyte of numbers. The
// file contains the data's hash so that it changes with the data, since compilers do not report
// that dependency.
static void write_data(const char *prefix, const struct text *data)
{
    struct text path = {0}, out = {0};
    struct sha256 hash;
    unsigned char digest[32];
    sha256_start(&hash);
    sha256_add(&hash, data->data, data->length);
    sha256_end(&hash, digest);
    text_puts(&out, "// Made by tools/embed: ");
    for (size_t i = 0; i < sizeof digest; i++)
        text_printf(&out, "%02x", digest[i]);
    text_printf(&out,
                ".\n#ifdef _WIN32\n#define SECTION \".section .rdata,\\\"dr\\\"\\n\"\n#else\n"
                "#define SECTION \".section .rodata\\n\"\n#endif\n"
                "__asm__(SECTION \".globl catalogue_data\\n.balign 16\\ncatalogue_data:\\n\"\n"
                "        \".incbin \\\"%s.bin\\\"\\n.text\\n\");\n"
                "extern const unsigned char catalogue_data[];\n",
                prefix);
    text_printf(&path, "%s_data.c", prefix);
    write_file(path.data, out.data, out.length);
    path.data[path.length = strlen(prefix)] = '\0';
    text_puts(&path, ".bin");
    write_file(path.data, data->data, data->length);
    text_free(&path);
    text_free(&out);
}

void write_catalogue(const char *prefix, struct source *const *sources, size_t source_count,
                     const struct job *jobs, size_t job_count)
{
    struct frames frames = {sources, lit_alloc(source_count, sizeof *frames.packed), jobs,
                            lit_alloc(job_count, sizeof *frames.kernels)};
    for (size_t i = 0, at = 0; i < source_count; i++) {
        frames.packed[i].jobs = jobs + at;
        while (at < job_count && jobs[at].source == sources[i])
            at++;
        frames.packed[i].job_count = (size_t)(jobs + at - frames.packed[i].jobs);
    }
    in_parallel(source_count, pack_test, &frames);
    in_parallel(job_count, pack_kernel, &frames);
    struct text out = {0}, data = {0}, path = {0};
    text_puts(&out, "// Made by tools/embed.\n#include \"catalogue/catalogue.h\"\n"
                    "#include \"model/kernel.h\"\n\n"
                    "extern const unsigned char catalogue_data[];\n");
    add_tests(&out, &data, &frames, source_count);
    add_kernels(&out, &data, &frames, job_count);
    text_printf(&path, "%s.c", prefix);
    write_file(path.data, out.data, out.length);
    write_data(prefix, &data);
    for (size_t i = 0; i < source_count; i++) {
        text_free(&frames.packed[i].words);
        text_free(&frames.packed[i].own);
    }
    for (size_t i = 0; i < job_count; i++)
        text_free(&frames.kernels[i]);
    free(frames.packed);
    free(frames.kernels);
    text_free(&out);
    text_free(&data);
    text_free(&path);
}
