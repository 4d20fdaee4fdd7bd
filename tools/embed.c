// SPDX-License-Identifier: Apache-2.0
// Builds a test into the program: reads the head of a .spvasm file, preprocesses, assembles and
// validates one module for each variant, and writes them as one C file. A variant with form=glslang
// is compiled by glslang from the file of the same name in GLSL. An error names the source file and
// line, never a temporary one.
#include "base/text.h"
#include "catalogue/divide.h"
#include "model/facts.h"
#include "catalogue/head.h"
#include "catalogue/ids.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

struct settings {
    const char *source, *output, *depfile, *symbol;
    const char *cc, *as, *val, *glslang, *scratch;
    const char *without; // variants whose text has this word are left out: the assembler is too old
    const char *defines[16];
    size_t define_count;
    bool packed; // with defines: as a zstd frame
};

struct module {
    char *variant;
    uint32_t subgroup, offset, count;
    uint64_t features;
    char sha256[65];
    uint32_t names, names_size; // in the product's names
    uint32_t page;              // in the product's pages
    bool divisible;
    uint8_t axis[CAT_MAX_AXES];
};

struct product {
    struct cat_head head;
    struct module *modules;
    size_t module_count;
    uint32_t *words;
    size_t word_count;
    struct text names;
    struct text pages;        // each module's own text, terminated
    struct text dependencies; // of all variants, as make reads them
    struct text twin;         // the test in GLSL, if a variant is compiled from it
    size_t left_out;
};

// Where a line of the preprocessed text came from.
struct origin {
    char *file;
    unsigned line;
};

struct listing {
    struct text text; // preprocessed, without line markers
    struct origin *origins;
    size_t count;
};

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die("%s: %s", path, strerror(errno));
    struct text text = {0};
    char block[65536];
    for (size_t got; (got = fread(block, 1, sizeof block, file));)
        text_append(&text, block, got);
    fclose(file);
    if (!text.data)
        text_puts(&text, "");
    *size = text.length;
    return text.data;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        die("%s: %s", path, strerror(errno));
}

// Runs a program, collects what it prints on stdout and stderr. True if it exited with 0.
static bool run(char *const argv[], struct text *printed)
{
    int pipes[2];
    if (pipe(pipes))
        die("pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child < 0)
        die("fork: %s", strerror(errno));
    if (!child) {
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        close(pipes[0]);
        execvp(argv[0], argv);
        fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    close(pipes[1]);
    char block[4096];
    for (ssize_t got; (got = read(pipes[0], block, sizeof block)) > 0;)
        text_append(printed, block, (size_t)got);
    close(pipes[0]);
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

// ---- preprocessing

static void add_origin(struct listing *listing, const char *file, unsigned line)
{
    listing->origins = lit_realloc(listing->origins, listing->count + 1, sizeof *listing->origins);
    listing->origins[listing->count++] = (struct origin){lit_strdup(file), line};
}

// Takes the preprocessor's `# LINE "FILE"` markers out of its output and remembers what they say.
static void strip_markers(const char *output, struct listing *listing)
{
    char file[4096] = "";
    unsigned line = 1;
    for (const char *s = output; *s;) {
        size_t length = strcspn(s, "\n");
        unsigned marked;
        char name[4096];
        if (sscanf(s, "# %u \"%4095[^\"]\"", &marked, name) == 2) {
            line = marked;
            snprintf(file, sizeof file, "%s", name);
        } else {
            text_append(&listing->text, s, length);
            text_puts(&listing->text, "\n");
            add_origin(listing, file, line++);
        }
        s += length + (s[length] == '\n');
    }
}

// Appends a file that a compiler wrote for make, unless all of it is there already.
static void add_dependencies(struct text *dependencies, const char *path)
{
    size_t size;
    char *made = read_file(path, &size);
    if (!dependencies->data || !strstr(dependencies->data, made))
        text_append(dependencies, made, size);
    free(made);
}

// Adds the words of `defines`, which it takes apart, to a command line of at most `room`.
static size_t add_words(char **argv, size_t argc, size_t room, struct text *defines)
{
    char *rest = defines->data ? defines->data : (char *)"";
    for (char *word = strtok(rest, " "); word && argc < room; word = strtok(NULL, " "))
        argv[argc++] = word;
    return argc;
}

// `keep_comments` is for GLSL: those of assembly are text to the preprocessor.
static void preprocess(const struct settings *settings, const char *source, bool keep_comments,
                       struct text *defines, struct text *all_dependencies, struct listing *listing)
{
    char output[4096], dependencies[4096];
    snprintf(output, sizeof output, "%s/text.i", settings->scratch);
    snprintf(dependencies, sizeof dependencies, "%s/text.d", settings->scratch);
    char *argv[64];
    size_t argc = 0;
    const char *const fixed[] = {settings->cc,     "-E",  "-x",  "assembler-with-cpp", "-undef",
                                 "-nostdinc",      "-MD", "-MF", dependencies,         "-MT",
                                 settings->output, "-o",  output};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        argv[argc++] = (char *)fixed[i];
    for (size_t i = 0; i < settings->define_count; i++)
        argv[argc++] = (char *)settings->defines[i];
    if (keep_comments)
        argv[argc++] = (char *)"-C";
    argc = add_words(argv, argc, 62, defines);
    argv[argc++] = (char *)source;
    argv[argc] = NULL;
    struct text printed = {0};
    if (!run(argv, &printed))
        die("%s", printed.data ? printed.data : "the preprocessor failed");
    text_free(&printed);
    add_dependencies(all_dependencies, dependencies);
    size_t size;
    char *text = read_file(output, &size);
    strip_markers(text, listing);
    free(text);
}

// Appends a module's own text as a person would have written it: what the preprocessor left of its
// directives are blank lines and blanks at the ends of lines.
static void add_page(struct text *pages, const char *listing)
{
    bool begun = false;
    size_t blank = 0;
    for (const char *s = listing; *s;) {
        const size_t line = strcspn(s, "\n");
        size_t length = line;
        while (length && (s[length - 1] == ' ' || s[length - 1] == '\t'))
            length--;
        if (length) {
            text_puts(pages, begun && blank ? "\n" : "");
            text_append(pages, s, length);
            text_puts(pages, "\n");
            begun = true;
        }
        blank = length ? 0 : blank + 1;
        s += line + (s[line] == '\n');
    }
    text_append(pages, "", 1);
}

static void listing_free(struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free(listing->origins[i].file);
    free(listing->origins);
    text_free(&listing->text);
}

// ---- assembling and validating

// The line (from 1) of the n-th instruction (from 1): spirv-val counts instructions, not lines.
static unsigned line_of_instruction(const struct listing *listing, unsigned wanted)
{
    unsigned line = 1, seen = 0;
    bool quoted = false, comment = false, word = false;
    for (const char *s = listing->text.data; *s; s++) {
        if (*s == '\n') {
            line++;
            comment = quoted = word = false;
            continue;
        }
        if (comment)
            continue;
        if (*s == '"')
            quoted = !quoted;
        if (!quoted && *s == ';')
            comment = true;
        bool starts = !quoted && !word && s[0] == 'O' && s[1] == 'p' && s[2] >= 'A' && s[2] <= 'Z';
        if (starts && ++seen == wanted)
            return line;
        word = *s != ' ' && *s != '\t';
    }
    return line;
}

static __attribute__((noreturn)) void complain(const struct listing *listing, const char *source,
                                               const char *variant, const char *printed)
{
    unsigned line = 0, column;
    const char *message = printed;
    if (sscanf(printed, "error: line %u:", &line) == 1) {
        line = line_of_instruction(listing, line);
        message = strchr(printed + strlen("error: line"), ':') + 1;
    } else if (sscanf(printed, "error: %u: %u:", &line, &column) == 2) {
        message = strchr(strchr(printed + strlen("error:"), ':') + 1, ':') + 1;
    }
    const char *file = source;
    if (line >= 1 && line <= listing->count) {
        file = listing->origins[line - 1].file;
        line = listing->origins[line - 1].line;
    }
    message += strspn(message, " ");
    die("%s:%u: error:%s%s%s %s", file, line ? line : 1, *variant ? " [" : "", variant,
        *variant ? "]" : "", message);
}

static uint32_t *read_words(const char *path, const char *source, const char *maker, size_t *count)
{
    size_t size;
    char *bytes = read_file(path, &size);
    if (size % 4 || size < 20)
        die("%s: error: %s wrote %zu bytes, no module", source, maker, size);
    *count = size / 4;
    return (uint32_t *)(void *)bytes;
}

// Assembles and validates a listing; the words are allocated.
static uint32_t *assemble(const struct settings *settings, const struct listing *listing,
                          const char *variant, const char *spv, size_t *count)
{
    char text[4096];
    snprintf(text, sizeof text, "%s/text.spvasm", settings->scratch);
    write_file(text, listing->text.data, listing->text.length);
    char *const as[] = {
        (char *)settings->as, "--target-env", "spv1.3", text, "-o", (char *)spv, NULL};
    char *const val[] = {(char *)settings->val, "--target-env", "vulkan1.1", (char *)spv, NULL};
    struct text printed = {0};
    if (!run(as, &printed) || !run(val, &printed))
        complain(listing, settings->source, variant, printed.data ? printed.data : "failed");
    text_free(&printed);
    return read_words(spv, settings->source, "spirv-as", count);
}

// The file of the same name in GLSL: `text` becomes its path.
static void twin_path(const struct settings *settings, struct text *text)
{
    const char *dot = strrchr(settings->source, '.');
    text_append(text, settings->source, (size_t)(dot - settings->source));
    text_puts(text, ".comp");
}

// The twin as this variant has it, its includes in their places.
static void add_twin_page(const struct settings *settings, struct product *product,
                          const char *path, const char *defines)
{
    struct listing listing = {0};
    struct text copy = {0};
    text_puts(&copy, defines);
    preprocess(settings, path, true, &copy, &product->dependencies, &listing);
    add_page(&product->pages, listing.text.data);
    listing_free(&listing);
    text_free(&copy);
}

// Compiles the test's twin in GLSL and takes the names of its ids out of the module, as assembly
// has none there; the words are allocated, and `spv` holds the same.
static uint32_t *make_from_glsl(const struct settings *settings, struct product *product,
                                struct text *defines, const char *variant, const char *spv,
                                size_t *count)
{
    if (settings->without && strstr(defines->data, "RECONVERGENCE_MAXIMAL"))
        return NULL;
    struct text path = {0}, printed = {0};
    twin_path(settings, &path);
    char dependencies[4096];
    snprintf(dependencies, sizeof dependencies, "%s/twin.d", settings->scratch);
    char *argv[64] = {(char *)settings->glslang,
                      (char *)"--target-env",
                      (char *)"vulkan1.1",
                      (char *)"--quiet",
                      (char *)"-S",
                      (char *)"comp",
                      (char *)"--depfile",
                      dependencies,
                      (char *)"-o",
                      (char *)spv};
    size_t argc = add_words(argv, 10, 62, defines);
    argv[argc++] = path.data;
    if (!run(argv, &printed))
        die("%s: error: [%s] %s", path.data, variant, printed.data ? printed.data : "failed");
    add_twin_page(settings, product, path.data, defines->data);
    // glslang names what it made; ninja knows it by another name.
    size_t size;
    char *made = read_file(dependencies, &size);
    struct text named = {0};
    text_printf(&named, "%s%s", settings->output, strchr(made, ':') ? strchr(made, ':') : ":");
    write_file(dependencies, named.data, named.length);
    add_dependencies(&product->dependencies, dependencies);
    free(made);
    text_free(&named);

    uint32_t *words = read_words(spv, path.data, "glslang", count);
    cat_ids_take(words, count, &product->names);
    write_file(spv, (const char *)words, *count * sizeof *words);
    char *const val[] = {(char *)settings->val, "--target-env", "vulkan1.1", (char *)spv, NULL};
    if (!run(val, &printed))
        die("%s: error: [%s] %s", path.data, variant, printed.data ? printed.data : "invalid");
    if (!product->twin.data) {
        char *text = read_file(path.data, &size);
        text_append(&product->twin, text, size);
        free(text);
    }
    text_free(&printed);
    text_free(&path);
    return words;
}

static void add_define(struct text *defines, const char *axis, const char *value)
{
    text_puts(defines, " -D");
    for (const char *part = axis; part; part = part == axis ? value : NULL) {
        if (part == value)
            text_puts(defines, "_");
        for (const char *c = part; *c; c++) {
            char upper = *c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
            text_append(defines, &upper, 1);
        }
    }
    text_puts(defines, "=1");
}

// The words of a variant in assembly, or NULL if this assembler is too old for it.
static uint32_t *make_from_assembly(const struct settings *settings, struct product *product,
                                    struct text *defines, const char *variant, const char *spv,
                                    size_t *count)
{
    struct listing listing = {0};
    uint32_t *words = NULL;
    preprocess(settings, settings->source, false, defines, &product->dependencies, &listing);
    if (!settings->without || !strstr(listing.text.data, settings->without)) {
        words = assemble(settings, &listing, variant, spv, count);
        cat_ids_list(listing.text.data, words, *count, &product->names);
        add_page(&product->pages, listing.text.data);
    }
    listing_free(&listing);
    return words;
}

static void build_module(const struct settings *settings, struct product *product,
                         const uint8_t *axis, uint32_t subgroup)
{
    bool from_glsl = false;
    const struct cat_head *head = &product->head;
    struct text variant = {0}, defines = {0};
    text_puts(&variant, "");
    for (size_t i = 0; i < head->axis_count; i++) {
        const char *name = head->axes[i].name, *value = head->axes[i].values[axis[i]];
        text_printf(&variant, "%s%s=%s", i ? "," : "", name, value);
        add_define(&defines, name, value);
        from_glsl |= !strcmp(name, "form") && !strcmp(value, "glslang");
    }
    if (subgroup)
        text_printf(&defines, " -DSUBGROUP_SIZE=%u", subgroup);
    char spv[4096];
    snprintf(spv, sizeof spv, "%s/%zu.spv", settings->scratch, product->module_count);
    struct module module = {.variant = variant.data, .subgroup = subgroup};
    module.names = (uint32_t)product->names.length;
    module.page = (uint32_t)product->pages.length;
    size_t count;
    uint32_t unknown, *words;
    if (from_glsl)
        words = make_from_glsl(settings, product, &defines, variant.data, spv, &count);
    else
        words = make_from_assembly(settings, product, &defines, variant.data, spv, &count);
    text_free(&defines);
    if (!words) {
        product->left_out++;
        text_free(&variant);
        return;
    }
    if (!cat_module_features(words, count, &module.features, &unknown))
        die("%s: error: [%s] capability %u is not in harness/model/features.c", settings->source,
            module.variant, unknown);
    enum cat_feature needed;
    if (head->needs && !cat_feature_find(head->needs, &needed))
        die("%s: error: no feature is called '%s'", settings->source, head->needs);
    if (head->needs)
        module.features |= UINT64_C(1) << needed;
    module.divisible = cat_module_divisible(words, count);
    if (axis)
        memcpy(module.axis, axis, head->axis_count);
    module.names_size = (uint32_t)product->names.length - module.names;
    module.offset = (uint32_t)product->word_count;
    module.count = (uint32_t)count;
    product->words = lit_realloc(product->words, product->word_count + count, sizeof *words);
    memcpy(product->words + product->word_count, words, count * sizeof *words);
    product->word_count += count;
    free(words);
    product->modules = lit_realloc(product->modules, product->module_count + 1, sizeof module);
    product->modules[product->module_count++] = module;
}

static bool excluded(const struct cat_head *head, const uint8_t *axis)
{
    for (size_t i = 0; i < head->without_count; i++)
        if (cat_condition_holds(&head->without[i].when, axis, NULL))
            return true;
    return false;
}

static void build_modules(const struct settings *settings, struct product *product)
{
    const struct cat_head *head = &product->head;
    uint8_t axis[CAT_MAX_AXES] = {0};
    for (bool more = true; more;) {
        for (size_t i = 0; i < (head->size_count ? head->size_count : 1); i++)
            if (!excluded(head, axis))
                build_module(settings, product, axis, head->size_count ? head->sizes[i] : 0);
        size_t digit = head->axis_count;
        for (more = false; digit-- > 0 && !more;) {
            more = ++axis[digit] < head->axes[digit].count;
            if (!more)
                axis[digit] = 0;
        }
    }
}

// sha256sum(1) is on every machine that can build this; its output is one line a file.
static void hash_modules(const struct settings *settings, struct product *product)
{
    for (size_t first = 0; first < product->module_count;) {
        size_t count = product->module_count - first;
        if (count > 256)
            count = 256;
        char **argv = lit_alloc(count + 2, sizeof *argv);
        argv[0] = (char *)"sha256sum";
        for (size_t i = 0; i < count; i++) {
            struct text path = {0};
            text_printf(&path, "%s/%zu.spv", settings->scratch, first + i);
            argv[i + 1] = path.data;
        }
        struct text printed = {0};
        if (!run(argv, &printed))
            die("sha256sum: %s", printed.data ? printed.data : "failed");
        const char *line = printed.data;
        for (size_t i = 0; i < count; i++) {
            memcpy(product->modules[first + i].sha256, line, 64);
            line = strchr(line, '\n') + 1;
            unlink(argv[i + 1]);
            free(argv[i + 1]);
        }
        free(argv);
        text_free(&printed);
        first += count;
    }
}

// ---- output

// A zstd frame; *size becomes its size.
static unsigned char *compress(const char *plain, size_t *size)
{
    const size_t bound = ZSTD_compressBound(*size);
    unsigned char *packed = lit_alloc(bound, 1);
    *size = ZSTD_compress(packed, bound, plain, *size, 19);
    if (ZSTD_isError(*size))
        die("zstd: %s", ZSTD_getErrorName(*size));
    return packed;
}

static void put_bytes(FILE *out, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        fprintf(out, "%u,%s", bytes[i], i % 24 == 23 ? "\n" : "");
}

// The comment lines from the head on, as the program's own parser reads them.
static size_t head_extent(const char *source, size_t size, const char **start)
{
    const char *s = source, *end = source + size;
    while (s < end && strncmp(s, "; litmus ", 9)) {
        const char *newline = memchr(s, '\n', (size_t)(end - s));
        s = newline ? newline + 1 : end;
    }
    *start = s;
    while (s < end && *s == ';') {
        const char *newline = memchr(s, '\n', (size_t)(end - s));
        s = newline ? newline + 1 : end;
    }
    return (size_t)(s - *start);
}

static void write_test(const struct settings *settings, const struct product *product,
                       const char *source, size_t source_size)
{
    size_t words_size = product->word_count * 4, names_size = product->names.length;
    size_t size = words_size + source_size + 1 + names_size;
    char *plain = lit_alloc(size, 1);
    if (words_size)
        memcpy(plain, product->words, words_size);
    memcpy(plain + words_size, source, source_size);
    if (names_size)
        memcpy(plain + words_size + source_size + 1, product->names.data, names_size);
    size_t packed_size = size, pages_size = product->pages.length;
    unsigned char *packed = compress(plain, &packed_size);
    unsigned char *pages = compress(product->pages.data, &pages_size);
    FILE *out = fopen(settings->output, "w");
    if (!out)
        die("%s: %s", settings->output, strerror(errno));
    fprintf(out, "// Made by tools/embed from %s.\n#include \"catalogue/catalogue.h\"\n\n",
            strrchr(settings->source, '/') ? strrchr(settings->source, '/') + 1 : settings->source);
    fprintf(out, "static const struct cat_module modules[] = {\n");
    for (size_t i = 0; i < product->module_count; i++) {
        const struct module *m = &product->modules[i];
        fprintf(out, "    {\"%s\", %u, %u, %u, 0x%llx, \"%s\", %u, %u, %u, %s, {", m->variant,
                m->subgroup, m->offset, m->count, (unsigned long long)m->features, m->sha256,
                m->names, m->names_size, m->page, m->divisible ? "true" : "false");
        for (size_t axis = 0; axis < CAT_MAX_AXES; axis++)
            fprintf(out, "%u,", m->axis[axis]);
        fprintf(out, "}},\n");
    }
    fprintf(out, "    {0},\n};\n\nstatic const unsigned char packed[] = {\n");
    put_bytes(out, packed, packed_size);
    fprintf(out, "};\n\nstatic const unsigned char pages[] = {\n");
    put_bytes(out, pages, pages_size);
    const char *head;
    size_t head_size = head_extent(source, source_size, &head);
    // Not a string literal: those end at 4,095 characters for a compiler that keeps to the
    // standard.
    fprintf(out, "};\n\nstatic const unsigned char head[] = {\n");
    put_bytes(out, (const unsigned char *)head, head_size);
    fprintf(out,
            "0};\n\nconst struct cat_embedded embedded_%s = {\n    \"%s\", modules, %zu, packed, "
            "%zu, %zu, %zu, %zu, pages, %zu, %zu, %zu, (const char *)head};\n",
            settings->symbol, product->head.name, product->module_count, packed_size,
            product->word_count, source_size, names_size, pages_size, product->pages.length,
            head_size);
    if (fclose(out))
        die("%s: %s", settings->output, strerror(errno));
    free(plain);
    free(packed);
    free(pages);
}

static void write_raw(const struct settings *settings, const struct product *product)
{
    FILE *out = fopen(settings->output, "w");
    if (!out)
        die("%s: %s", settings->output, strerror(errno));
    fprintf(out,
            "// Made by tools/embed.\n#include <stddef.h>\n#include <stdint.h>\n\n"
            "extern const uint32_t %s_words[];\nextern const size_t %s_count;\n"
            "const size_t %s_count = %zu;\nconst uint32_t %s_words[] = {\n",
            settings->symbol, settings->symbol, settings->symbol, product->word_count,
            settings->symbol);
    for (size_t i = 0; i < product->word_count; i++)
        fprintf(out, "0x%x,%s", product->words[i], i % 10 == 9 ? "\n" : "");
    fprintf(out, "};\n");
    if (fclose(out))
        die("%s: %s", settings->output, strerror(errno));
}

// The same as a zstd frame: what many combinations of one source have in common takes room once.
static void write_packed(const struct settings *settings, const struct product *product)
{
    size_t size = product->word_count * 4;
    unsigned char *packed = compress((const char *)product->words, &size);
    FILE *out = fopen(settings->output, "w");
    if (!out)
        die("%s: %s", settings->output, strerror(errno));
    fprintf(out,
            "// Made by tools/embed.\n#include <stddef.h>\n#include <stdint.h>\n\n"
            "extern const uint8_t %s_packed[];\nextern const size_t %s_size, %s_count;\n"
            "const size_t %s_size = %zu, %s_count = %zu;\nconst uint8_t %s_packed[] = {\n",
            settings->symbol, settings->symbol, settings->symbol, settings->symbol, size,
            settings->symbol, product->word_count, settings->symbol);
    put_bytes(out, packed, size);
    fprintf(out, "};\n");
    if (fclose(out))
        die("%s: %s", settings->output, strerror(errno));
    free(packed);
}

// ---- main

static void parse_options(int argc, char **argv, struct settings *settings)
{
    static const struct option options[] = {{"cc", 1, 0, 'c'},
                                            {"as", 1, 0, 'a'},
                                            {"val", 1, 0, 'v'},
                                            {"output", 1, 0, 'o'},
                                            {"depfile", 1, 0, 'd'},
                                            {"symbol", 1, 0, 's'},
                                            {"without", 1, 0, 'w'},
                                            {"define", 1, 0, 'D'},
                                            {"glslang", 1, 0, 'g'},
                                            {"packed", 0, 0, 'p'},
                                            {0}};
    *settings = (struct settings){
        .cc = "cc", .as = "spirv-as", .val = "spirv-val", .glslang = "glslangValidator"};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'c':
            settings->cc = optarg;
            break;
        case 'a':
            settings->as = optarg;
            break;
        case 'v':
            settings->val = optarg;
            break;
        case 'g':
            settings->glslang = optarg;
            break;
        case 'o':
            settings->output = optarg;
            break;
        case 'd':
            settings->depfile = optarg;
            break;
        case 's':
            settings->symbol = optarg;
            break;
        case 'w':
            settings->without = *optarg ? optarg : NULL;
            break;
        case 'p':
            settings->packed = true;
            break;
        case 'D':
            if (settings->define_count < sizeof settings->defines / sizeof *settings->defines)
                settings->defines[settings->define_count++] = optarg;
            break;
        default:
            exit(2);
        }
    }
    if (optind + 1 != argc || !settings->output || !settings->symbol)
        die("usage: embed --output FILE.c --symbol NAME [--depfile FILE] [--cc CC] [--as SPIRV-AS] "
            "[--val SPIRV-VAL] [--glslang GLSLANG] [--without WORD] [--define -DNAME]... "
            "[--packed] FILE.spvasm");
    settings->source = argv[optind];
}

// A test is found where its name says: spirv/FAMILY/TEST.spvasm.
static void check_place(const struct settings *settings, const struct cat_head *head)
{
    struct text place = {0};
    text_printf(&place, "%s/%s.spvasm", head->family, head->test);
    size_t length = strlen(settings->source);
    if (length < place.length || strcmp(settings->source + length - place.length, place.data))
        die("%s:1: error: the test %s belongs in spirv/%s", settings->source, head->name,
            place.data);
    text_free(&place);
}

static void product_clear(struct product *product)
{
    for (size_t i = 0; i < product->module_count; i++)
        free(product->modules[i].variant);
    free(product->modules);
    free(product->words);
    text_free(&product->names);
    text_free(&product->pages);
    text_free(&product->dependencies);
    text_free(&product->twin);
    cat_head_clear(&product->head);
}

static void build_test(const struct settings *settings, struct product *product)
{
    size_t size;
    char *source = read_file(settings->source, &size);
    struct lit_error error;
    if (!cat_head_parse(source, size, &product->head, &error))
        die("%s:%s", settings->source, error.message + strlen("line "));
    check_place(settings, &product->head);
    build_modules(settings, product);
    hash_modules(settings, product);
    struct text text = {0};
    text_append(&text, source, size);
    if (product->twin.length)
        text_printf(
            &text, "\n; ======== form=glslang: %s.comp %.*s\n%s", product->head.test,
            (int)(100 - strlen("; ======== form=glslang: .comp ") - strlen(product->head.test)),
            "==================================================================",
            product->twin.data);
    write_test(settings, product, text.data, text.length);
    text_free(&text);
    if (product->left_out)
        fprintf(stderr, "%s: %zu modules left out: this spirv-as does not know %s\n",
                product->head.name, product->left_out, settings->without);
    free(source);
}

int main(int argc, char **argv)
{
    struct settings settings;
    parse_options(argc, argv, &settings);
    struct text scratch = {0};
    text_printf(&scratch, "%s.tmp", settings.output);
    settings.scratch = scratch.data;
    if (mkdir(settings.scratch, 0777) && errno != EEXIST)
        die("%s: %s", settings.scratch, strerror(errno));

    struct product product = {0};
    if (settings.define_count) {
        build_module(&settings, &product, NULL, 0);
        (settings.packed ? write_packed : write_raw)(&settings, &product);
    } else {
        build_test(&settings, &product);
    }
    if (settings.depfile)
        write_file(settings.depfile, product.dependencies.data, product.dependencies.length);
    product_clear(&product);
    text_free(&scratch);
    return 0;
}
