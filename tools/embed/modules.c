// SPDX-License-Identifier: Apache-2.0
// Preprocesses and makes modules, using the cache. Errors name the source file and line, never a
// temporary one.
#include "base/sha256.h"
#include "model/facts.h"
#include "embed.h"
#include "modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void find_versions(struct settings *settings)
{
    struct sha256 hash;
    struct text version = {0};
    settings->maker->tell_version(settings, &version);
    sha256_start(&hash);
    sha256_add(&hash, version.data, version.length + 1);
    sha256_end(&hash, settings->tools);
    text_free(&version);
}

// ---- preprocessing

// Lines that delimit a job's output.
static const char begins[] = "@@@ begins", ends[] = "@@@ ends";

// Writes a file that includes the source once per job, with only that job's macros.
static void write_driver(const struct settings *settings, struct job *const *jobs, size_t count,
                         const char *path)
{
    struct text driver = {0};
    for (size_t i = 0; i < count; i++) {
        const struct source *source = jobs[i]->source;
        for (const char *line = jobs[i]->defines.data; line && *line;) {
            const int length = (int)strcspn(line, "\n");
            text_printf(&driver, "#define %.*s\n", length, line);
            line += length + 1;
        }
        const char *dot = strrchr(source->place, '.');
        text_printf(&driver, "%s\n#include \"%.*s%s\"\n%s\n", begins, (int)(dot - source->place),
                    source->place, jobs[i]->from_glsl ? ".comp" : dot, ends);
        for (const char *line = jobs[i]->defines.data; line && *line;) {
            text_printf(&driver, "#undef %.*s\n", (int)strcspn(line, " \n"), line);
            line += strcspn(line, "\n") + 1;
        }
        text_append(&driver, settings->defined.data, settings->defined.length);
    }
    write_file(path, driver.data, driver.length);
    text_free(&driver);
}

void preprocess(const struct settings *settings, struct job *const *jobs, size_t count)
{
    struct text driver = {0}, output = {0}, printed = {0};
    text_printf(&driver, "%s/%p.in", settings->scratch, (const void *)jobs);
    text_printf(&output, "%s/%p.i", settings->scratch, (const void *)jobs);
    write_driver(settings, jobs, count, driver.data);
    const char *argv[] = {
        settings->cc,   "-E", "-x",        "assembler-with-cpp", "-undef", "-nostdinc", "-iquote",
        settings->root, "-o", output.data, driver.data,          NULL,     NULL,        NULL};
    size_t argc = 11;
    // Keeps comments of GLSL: to the preprocessor, those of assembly are text.
    if (jobs[0]->from_glsl)
        argv[argc++] = "-C";
    if (settings->cc_option && *settings->cc_option)
        argv[argc++] = settings->cc_option;
    if (!run(argv, &printed))
        die("%s", printed.data ? printed.data : "the preprocessor failed");
    size_t size;
    char *all = read_file(output.data, &size);
    const char *at = all;
    for (size_t i = 0; i < count; i++) {
        const char *start = strstr(at, begins);
        const char *end = start ? strstr(start, ends) : NULL;
        if (!end)
            die("%s: error: it was not preprocessed", jobs[i]->source->path);
        start += strlen(begins) + 1;
        jobs[i]->raw = lit_alloc((size_t)(end - start) + 1, 1);
        memcpy(jobs[i]->raw, start, (size_t)(end - start));
        at = end;
    }
    free(all);
    unlink(driver.data);
    unlink(output.data);
    text_free(&driver);
    text_free(&output);
    text_free(&printed);
}

// Whether a line is a preprocessor marker: `# LINE "FILE" ...`.
static bool is_marker(const char *line, unsigned *number, char file[4096])
{
    return line[0] == '#' && line[1] == ' ' &&
           sscanf(line, "# %u \"%4095[^\"]\"", number, file) == 2;
}

// Removes the markers.
static struct text strip_markers(const char *raw)
{
    struct text text = {0};
    unsigned number;
    char file[4096];
    text_puts(&text, "");
    for (const char *s = raw; *s;) {
        const size_t length = strcspn(s, "\n"), line = length + (s[length] == '\n');
        if (!is_marker(s, &number, file))
            text_append(&text, s, line);
        s += line;
    }
    return text;
}

// The origin of a line (from 1) of the text without markers; false if there is none.
static bool find_origin(const char *raw, unsigned wanted, unsigned *origin, char file[4096])
{
    unsigned line = 1, seen = 0, number;
    char name[4096];
    *file = '\0';
    for (const char *s = raw; *s;) {
        if (is_marker(s, &number, name)) {
            line = number;
            memcpy(file, name, sizeof name);
        } else {
            if (++seen == wanted) {
                *origin = line;
                return *file;
            }
            line++;
        }
        s += strcspn(s, "\n");
        s += *s == '\n';
    }
    return false;
}

// Appends a module's text in readable form, without the blank lines and trailing blanks that
// preprocessor directives leave.
static void add_own(struct text *own, const char *listing)
{
    bool begun = false;
    size_t blank = 0;
    for (const char *s = listing; *s;) {
        const size_t line = strcspn(s, "\n");
        size_t length = line;
        while (length && (s[length - 1] == ' ' || s[length - 1] == '\t'))
            length--;
        if (length) {
            text_puts(own, begun && blank ? "\n" : "");
            text_append(own, s, length);
            text_puts(own, "\n");
            begun = true;
        }
        blank = length ? 0 : blank + 1;
        s += line + (s[line] == '\n');
    }
    text_append(own, "", 1);
}

// ---- errors

// The line (from 1) of the n-th instruction (from 1): spirv-val counts instructions, not lines.
static unsigned line_of_instruction(const char *listing, unsigned wanted)
{
    unsigned line = 1, seen = 0;
    bool quoted = false, comment = false, word = false;
    for (const char *s = listing; *s; s++) {
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

static __attribute__((noreturn)) void complain(const struct job *job, const char *listing,
                                               const struct fault *fault)
{
    unsigned line = fault->line;
    char file[4096];
    if (fault->is_instruction)
        line = line_of_instruction(listing, line);
    if (!find_origin(job->raw, line, &line, file))
        snprintf(file, sizeof file, "%s",
                 job->from_glsl ? job->source->glsl_path : job->source->path);
    die("%s:%u: error:%s%s%s %s", file, line ? line : 1, *job->variant ? " [" : "", job->variant,
        *job->variant ? "]" : "", fault->message.data);
}

// ---- assembling, compiling and validating

// Whether a listing has the disassembler's line for SPIR-V 1.5 (Vulkan 1.2). Otherwise the module
// is SPIR-V 1.3 (Vulkan 1.1).
static bool is_newer(const char *listing)
{
    return strstr(listing, "\n; Version: 1.5\n");
}

// Whether a place in a listing is behind the ; of a comment.
static bool is_comment(const char *listing, const char *place)
{
    bool quoted = false;
    const char *line = place;
    while (line > listing && line[-1] != '\n')
        line--;
    for (; line < place && (quoted || *line != ';'); line++)
        quoted ^= *line == '"';
    return line < place;
}

// Whether the code of a listing has one of some words, "A,B".
static bool has_word(const char *listing, const char *words)
{
    char word[64];
    for (size_t size; *words; words += size + (words[size] == ',')) {
        size = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)size, words);
        const char *found = size ? strstr(listing, word) : NULL;
        while (found && is_comment(listing, found))
            found = strstr(found + size, word);
        if (found)
            return true;
    }
    return false;
}

// GLSL is compiled from the listing that litmus show prints; glslang gets no macros. Names of ids
// are removed from the module, as in modules from assembly.
static void make_valid(const struct settings *settings, struct job *job, const char *listing)
{
    const struct maker *maker = settings->maker;
    const bool newer = !job->from_glsl && is_newer(listing);
    struct fault fault = {0};
    bool good = job->from_glsl ? maker->compile(settings, job, listing, &fault)
                               : maker->assemble(settings, job, listing, newer, &fault);
    if (good && job->from_glsl)
        ids_take(job->words, &job->count, &job->names);
    if (!good || (!has_word(listing, settings->unvalidated) &&
                  !maker->validate(settings, job, newer, &fault)))
        complain(job, listing, &fault);
    if (!job->from_glsl)
        ids_list(listing, job->words, job->count, &job->names);
}

// Hashes everything that determines a job's words.
static void find_key(const struct settings *settings, const struct job *job, const char *listing,
                     unsigned char key[32])
{
    struct sha256 hash;
    sha256_start(&hash);
    sha256_add(&hash, settings->tools, sizeof settings->tools);
    sha256_add(&hash, job->from_glsl ? "glsl" : "spvasm", 5);
    sha256_add(&hash, listing, strlen(listing));
    sha256_end(&hash, key);
}

// Makes the words and names of a job that is not left out.
static void make_words(const struct settings *settings, struct job *job, const char *listing)
{
    unsigned char key[32];
    size_t size;
    find_key(settings, job, listing, key);
    const char *kept = cache_get(key, &size);
    uint64_t words_size;
    if (kept) {
        memcpy(&words_size, kept, sizeof words_size);
        kept += sizeof words_size;
        job->count = words_size / 4;
        job->words = lit_alloc(words_size, 1);
        memcpy(job->words, kept, words_size);
        text_append(&job->names, kept + words_size, size - sizeof words_size - words_size);
        return;
    }
    make_valid(settings, job, listing);
    struct text entry = {0};
    words_size = job->count * 4;
    text_append(&entry, (const char *)&words_size, sizeof words_size);
    text_append(&entry, (const char *)job->words, words_size);
    text_append(&entry, job->names.data, job->names.length);
    cache_put(key, entry.data, entry.length);
    text_free(&entry);
}

static void describe(struct job *job)
{
    const struct source *source = job->source;
    struct lit_error why = {0};
    if (!cat_module_features(job->words, job->count, &job->features, &why))
        die("%s: error: [%s] %s", source->path, job->variant, why.message);
    enum cat_feature needed;
    if (source->head.needs && !cat_feature_find(source->head.needs, &needed))
        die("%s: error: no feature is called '%s'", source->path, source->head.needs);
    if (source->head.needs)
        job->features |= UINT64_C(1) << needed;
    job->divisible = cat_module_is_divisible(job->words, job->count);
    sha256_text(job->words, job->count * sizeof *job->words, job->sha256);
}

void make_module(const struct settings *settings, struct job *job)
{
    struct text listing = strip_markers(job->raw);
    const char *without = settings->without;
    if (without && !job->from_glsl)
        job->left_out = has_word(listing.data, without);
    else if (without && has_word("MaximallyReconvergesKHR", without))
        job->left_out = strstr(job->defines.data, "RECONVERGENCE_MAXIMAL ");
    if (!job->left_out) {
        make_words(settings, job, listing.data);
        describe(job);
        add_own(&job->own, listing.data);
    }
    free(job->raw);
    job->raw = NULL;
    text_free(&listing);
}
