// SPDX-License-Identifier: Apache-2.0
// From a file and options to a package: the module, what its buffers hold, what is expected.
#include "cli/kernel.h"

#include "base/file.h"
#include "base/program.h"
#include "base/random.h"
#include "base/spirv.h"
#include "catalogue/words.h"
#include "model/check.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS    60 // for a tool
#define MOST_TEXT  ((size_t)16 << 20)
#define MOST_BYTES ((size_t)64 << 20) // of a file, and of all buffers together

// --- Files

static bool ends(const char *path, const char *end)
{
    const size_t length = strlen(path), size = strlen(end);
    return length > size && strcmp(path + length - size, end) == 0;
}

static bool read_file(const char *path, size_t most, struct text *bytes, struct lit_error *error)
{
    if (!text_read(bytes, path, most))
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", path, strerror(errno));
    if (bytes->length > most)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: longer than %zu bytes", path, most);
    return bytes->length || lit_fail(error, LIT_EXIT_USAGE, "%.200s: empty", path);
}

// The words of a file: numbers as text in *.words, else bytes, of which the last word is filled
// with zeros.
static bool read_words(const char *path, uint32_t **words, size_t *count, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    struct lit_error why = {0};
    if (!read_file(path, MOST_BYTES, &bytes, error))
        return false;
    if (ends(path, ".words"))
        return cat_words_parse(bytes.data, bytes.length, words, count, &why) ||
               lit_fail(error, LIT_EXIT_USAGE, "%.200s:%.280s", path, why.message);
    *count = (bytes.length + 3) / 4;
    *words = lit_alloc(*count, sizeof **words);
    memcpy(*words, bytes.data, bytes.length);
    return true;
}

// Runs a tool that makes a file of SPIR-V out of another, and reads that.
static bool convert(const char *const *tool, const char *path, struct text *spirv,
                    struct lit_error *error)
{
    OWNED(text_free) struct text made = {0}, said = {0};
    const char *words[12];
    size_t count = 0;
    if (!lit_file_temporary("", 0, &made, error))
        return false;
    for (; tool[count]; count++)
        words[count] = tool[count];
    words[count++] = "-o";
    words[count++] = made.data;
    words[count++] = path;
    words[count] = NULL;
    const bool good = lit_program_run(words, SECONDS, MOST_TEXT, &said, error) &&
                      read_file(made.data, MOST_BYTES, spirv, error);
    unlink(made.data);
    return good;
}

static bool compile(const char *path, struct text *spirv, struct lit_error *error)
{
    static const char *const glslang[][8] = {
        {"glslang", "-V", "-S", "comp", "--target-env", "vulkan1.2", "-g", NULL},
        {"glslangValidator", "-V", "-S", "comp", "--target-env", "vulkan1.2", "-g", NULL}};
    struct lit_error why = {0};
    for (size_t i = 0; i < 2; i++) {
        if (convert(glslang[i], path, spirv, &why))
            return true;
        if (why.code != LIT_EXIT_NOTHING)
            break;
    }
    if (why.code == LIT_EXIT_NOTHING)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: GLSL needs glslang, which is not installed",
                        path);
    return lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s", path, why.message);
}

// The version that spirv-dis wrote at the top, else that of the catalogue's tests: from 1.4 on an
// entry point lists all variables, before that it must not.
static const char *version_of(const struct text *assembly)
{
    static const char *const versions[] = {"spv1.0", "spv1.1", "spv1.2", "spv1.3",
                                           "spv1.4", "spv1.5", "spv1.6"};
    static const char line[] = "; Version: 1.";
    const char *at = assembly->data ? strstr(assembly->data, line) : NULL;
    const int minor = at ? at[sizeof line - 1] - '0' : 3;
    return versions[minor >= 0 && minor <= 6 ? minor : 3];
}

static bool assemble(const char *path, const char *version, struct text *spirv,
                     struct lit_error *error)
{
    const char *const assembler[] = {"spirv-as", "--target-env", version, NULL};
    struct lit_error why = {0};
    return convert(assembler, path, spirv, &why) ||
           lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s%s", path, why.message,
                    why.code == LIT_EXIT_NOTHING ? "; assembly needs SPIRV-Tools" : "");
}

// What a person reads of a module that came without its source; nothing without the tool.
static void disassemble(const char *path, struct text *page)
{
    const char *const words[] = {"spirv-dis", "--no-color", path, NULL};
    if (!lit_program_run(words, SECONDS, MOST_TEXT, page, NULL))
        page->length = 0;
    if (page->data)
        page->data[page->length] = '\0';
}

// By spirv-val, where it is installed. No driver is asked to bear what is not valid.
static bool validate(const char *path, const struct text *spirv, struct lit_error *error)
{
    OWNED(text_free) struct text file = {0}, said = {0};
    struct lit_error why = {0};
    if (!lit_file_temporary(spirv->data, spirv->length, &file, error))
        return false;
    const char *const words[] = {
        "spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout", file.data, NULL};
    const bool good = lit_program_run(words, SECONDS, MOST_TEXT, &said, &why);
    unlink(file.data);
    return good || why.code == LIT_EXIT_NOTHING ||
           lit_fail(error, LIT_EXIT_USAGE, "%.150s is not valid: %.300s", path, why.message);
}

bool cli_kernel_load(const char *path, uint32_t **words, size_t *count, struct text *page,
                     struct lit_error *error)
{
    OWNED(text_free) struct text spirv = {0};
    const bool assembly = ends(path, ".spvasm");
    const bool glsl = ends(path, ".comp") || ends(path, ".glsl");
    *words = NULL;
    *count = 0;
    if (assembly || glsl) {
        if (!read_file(path, MOST_TEXT, page, error) ||
            !(glsl ? compile(path, &spirv, error)
                   : assemble(path, version_of(page), &spirv, error)))
            return false;
    } else if (!read_file(path, MOST_BYTES, &spirv, error)) {
        return false;
    }
    *count = spirv.length / 4;
    *words = lit_alloc(*count + 1, sizeof **words);
    memcpy(*words, spirv.data, *count * 4);
    if (spirv.length % 4 || !spirv_is_module(*words, *count))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s: not SPIR-V; assembly ends in .spvasm, GLSL in .comp", path);
    if (!assembly && !glsl)
        disassemble(path, page);
    return validate(path, &spirv, error);
}

// --- Options

// Decimal digits; *end is behind them.
static bool take_number(const char *text, uint64_t most, uint64_t *number, const char **end)
{
    char *behind;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoull(text, &behind, 10);
    *end = behind;
    return errno == 0 && *number <= most;
}

// Bytes, with K or M behind the number.
static bool take_size(const char *text, uint64_t *bytes)
{
    const char *end;
    if (!take_number(text, MOST_BYTES, bytes, &end))
        return false;
    const uint64_t unit = *end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : 1;
    *bytes *= unit;
    return !end[unit > 1] && *bytes > 0 && *bytes <= MOST_BYTES;
}

// "SET.BINDING=WHAT": the buffer of the module that it names.
static const struct cat_buffer *take_place(const char *option, const char *given,
                                           const struct cat_inspected *module, const char **what,
                                           struct lit_error *error)
{
    uint64_t set, binding;
    const char *at;
    OWNED(text_free) struct text there = {0};
    if (!take_number(given, UINT32_MAX, &set, &at) || *at != '.' ||
        !take_number(at + 1, UINT32_MAX, &binding, &at) || *at != '=' || !at[1]) {
        lit_fail(error, LIT_EXIT_USAGE, "--%s '%.80s': expected SET.BINDING=..., as in 0.1=%s",
                 option, given, strcmp(option, "expect") == 0 ? "sums.words" : "random:4096");
        return NULL;
    }
    *what = at + 1;
    for (size_t i = 0; i < module->buffer_count; i++) {
        const struct cat_buffer *buffer = &module->buffers[i];
        if (buffer->set == set && buffer->binding == binding)
            return buffer;
        text_printf(&there, "%s%" PRIu32 ".%" PRIu32, there.length ? ", " : "", buffer->set,
                    buffer->binding);
    }
    lit_fail(error, LIT_EXIT_USAGE, "--%s '%.80s': the module has no such buffer, but %.200s",
             option, given, there.data);
    return NULL;
}

static bool take_spec(const char *given, struct cat_spec *spec, struct lit_error *error)
{
    uint64_t id;
    const char *at;
    char *end = NULL;
    if (take_number(given, UINT32_MAX, &id, &at) && *at == '=' && at[1]) {
        const char *value = at + 1;
        const bool is_float = strchr(value, '.') && strncmp(value, "0x", 2) != 0;
        errno = 0;
        const float real = is_float ? strtof(value, &end) : 0;
        const long long number = is_float ? 0 : strtoll(value, &end, 0);
        spec->id = (uint32_t)id;
        spec->value = (uint32_t)number;
        if (is_float)
            memcpy(&spec->value, &real, sizeof real);
        if (!*end && errno == 0 && number >= INT32_MIN && number <= (long long)UINT32_MAX)
            return true;
    }
    return lit_fail(error, LIT_EXIT_USAGE, "--spec '%.80s': expected ID=VALUE, as in 0=64", given);
}

static bool take_specs(const struct cli_list *given, struct cat_package *package,
                       struct lit_error *error)
{
    for (size_t i = 0; i < given->count; i++) {
        struct cat_spec spec;
        size_t at = 0;
        if (!take_spec(given->items[i], &spec, error))
            return false;
        while (at < package->spec_count && package->specs[at].id != spec.id)
            at++;
        if (at == CAT_MOST_SPEC)
            return lit_fail(error, LIT_EXIT_USAGE, "--spec: more than %d", CAT_MOST_SPEC);
        if (at == package->spec_count)
            LIT_ADD(package->specs, package->spec_count) = spec;
        package->specs[at] = spec;
    }
    return true;
}

static bool take_groups(const char *given, struct cat_package *package, struct lit_error *error)
{
    uint32_t *const to[] = {&package->groups, &package->interface.rows, &package->interface.layers};
    const char *at = given;
    *to[1] = *to[2] = 1;
    if (!given)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "nothing says how many workgroups there are: --groups 64");
    for (size_t i = 0; i < 3; i++) {
        uint64_t number;
        if (!take_number(at, UINT32_MAX, &number, &at) || !number)
            break;
        *to[i] = (uint32_t)number;
        if (!*at)
            return true;
        if (*at++ != ',')
            break;
    }
    return lit_fail(error, LIT_EXIT_USAGE, "--groups '%.80s': expected X, X,Y or X,Y,Z", given);
}

static int digit(char c)
{
    const char *digits = "0123456789abcdef", *at = strchr(digits, tolower((unsigned char)c));
    return c && at ? (int)(at - digits) : -1;
}

static bool take_push(const char *given, const struct cat_inspected *module,
                      struct cat_interface *interface, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    interface->push_size = module->push_size;
    if (!given) {
        for (uint32_t i = 0; i < module->push_size && i < 16; i++)
            text_puts(&bytes, "00");
        return !module->push_size ||
               lit_fail(error, LIT_EXIT_USAGE,
                        "nothing says what the %" PRIu32
                        " bytes of push constants are: --push %s%s",
                        module->push_size, bytes.data, module->push_size > 16 ? "..." : "");
    }
    const size_t length = strlen(given);
    bool hex = length % 2 == 0;
    for (size_t i = 0; i < length && hex; i++)
        hex = digit(given[i]) >= 0;
    for (size_t i = 0; i < length && hex; i += 2)
        text_append(&bytes, &(char){(char)(digit(given[i]) * 16 + digit(given[i + 1]))}, 1);
    if (!hex && !read_file(given, CAT_MOST_PUSH, &bytes, error))
        return false;
    if (bytes.length != module->push_size)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--push: %zu bytes, where the module has %" PRIu32 " of push constants",
                        bytes.length, module->push_size);
    memcpy(interface->push, bytes.data ? bytes.data : "", bytes.length);
    return true;
}

// --- Buffers

// What one holds, and is to hold.
struct content {
    uint32_t *before, *after; // before NULL: nothing that counts; after NULL: not compared
    size_t words;             // 0: not known yet
};

static void clear_contents(struct content *contents)
{
    for (size_t i = 0; i < CAT_MOST_BINDINGS; i++) {
        free(contents[i].before);
        free(contents[i].after);
    }
}

static bool make_content(const char *what, const struct cat_buffer *buffer, struct content *content,
                         struct lit_error *error)
{
    static const char *const kinds[] = {"random:", "iota:", "zero:"};
    struct lit_random random = {random_derive(buffer->set, "kernel") + buffer->binding};
    uint64_t bytes;
    size_t kind = 0;
    while (kind < 3 && strncmp(what, kinds[kind], strlen(kinds[kind])) != 0)
        kind++;
    const char *size = kind < 3 ? what + strlen(kinds[kind]) : what;
    free(content->before);
    content->before = NULL;
    if (!take_size(size, &bytes)) {
        if (kind == 3)
            return read_words(what, &content->before, &content->words, error);
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--buffer '%.80s': expected a size in bytes of at most 64M, as in %s4096",
                        what, kinds[kind]);
    }
    content->words = (bytes + 3) / 4;
    if (kind == 3)
        return true;
    content->before = lit_alloc(content->words, sizeof *content->before);
    for (size_t i = 0; i < content->words; i++)
        content->before[i] = kind == 0   ? (uint32_t)(random_next(&random) >> 32)
                             : kind == 1 ? (uint32_t)i
                                         : 0;
    return true;
}

static bool take_contents(const struct cli_kernel_options *chosen,
                          const struct cat_inspected *module, struct content *contents,
                          struct lit_error *error)
{
    const char *what;
    for (size_t i = 0; i < chosen->buffers.count; i++) {
        const struct cat_buffer *buffer =
            take_place("buffer", chosen->buffers.items[i], module, &what, error);
        if (!buffer || !make_content(what, buffer, &contents[buffer - module->buffers], error))
            return false;
    }
    for (size_t i = 0; i < chosen->expected.count; i++) {
        const struct cat_buffer *buffer =
            take_place("expect", chosen->expected.items[i], module, &what, error);
        struct content *content = buffer ? &contents[buffer - module->buffers] : NULL;
        size_t words = 0;
        if (!buffer)
            return false;
        free(content->after);
        content->after = NULL;
        if (!read_words(what, &content->after, &words, error))
            return false;
        if (content->words && content->words != words)
            return lit_fail(error, LIT_EXIT_USAGE,
                            "--expect '%.80s': %zu words, where the buffer has %zu",
                            chosen->expected.items[i], words, content->words);
        content->words = words;
    }
    return true;
}

static void put_buffer(const struct cat_buffer *buffer, struct text *name)
{
    text_printf(name, "buffer %" PRIu32 ".%" PRIu32, buffer->set, buffer->binding);
    if (buffer->name[0])
        text_printf(name, " (%s)", buffer->name);
}

// What is missing of one, or too short.
static bool check_content(const struct cat_buffer *buffer, struct content *content,
                          struct lit_error *error)
{
    OWNED(text_free) struct text name = {0};
    const uint64_t least = (buffer->bytes + buffer->each + 3) / 4;
    put_buffer(buffer, &name);
    if (!content->words && buffer->readonly)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "nothing says what %s holds: --buffer %" PRIu32 ".%" PRIu32
                        "=random:%" PRIu64,
                        name.data, buffer->set, buffer->binding, buffer->each ? 4096 : least * 4);
    // One of a fixed size that is written may begin with anything.
    if (!content->words && !buffer->each && least <= MOST_BYTES / 4)
        content->words = least;
    if (!content->words)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "nothing says how long %s is: --buffer %" PRIu32 ".%" PRIu32 "=4096",
                        name.data, buffer->set, buffer->binding);
    return content->words >= least ||
           lit_fail(error, LIT_EXIT_USAGE, "%s has %zu bytes, where the module asks for %" PRIu64,
                    name.data, content->words * 4, least * 4);
}

static void fill(uint32_t *words, size_t count, uint32_t value)
{
    for (size_t i = 0; i < count; i++)
        words[i] = value;
}

// A region's room for `words` more, at a multiple of CAT_BINDING_WORDS: poison.
static size_t make_room(struct cat_package *package, enum cat_region region, size_t words)
{
    const size_t before = package->region_words[region];
    const size_t first = (before + CAT_BINDING_WORDS - 1) / CAT_BINDING_WORDS * CAT_BINDING_WORDS;
    const size_t after = first + words;
    package->region[region] = lit_realloc(package->region[region], after, 4);
    fill(package->region[region] + before, after - before, CAT_POISON);
    if (region == CAT_OUTPUT) {
        package->expected = lit_realloc(package->expected, after, 4);
        fill(package->expected + before, after - before, CAT_POISON);
        package->expected_words = after;
    }
    package->region_words[region] = after;
    return first;
}

static bool place_buffers(const struct cat_inspected *module, bool agrees, struct content *contents,
                          struct cat_package *package, struct lit_error *error)
{
    uint64_t all = 0;
    // Word 0 says that a wait ran out: that of no buffer.
    package->region[CAT_STATE] = lit_alloc(1, 4);
    package->region_words[CAT_STATE] = 1;
    for (size_t i = 0; i < module->buffer_count; i++) {
        const struct cat_buffer *buffer = &module->buffers[i];
        const struct content *content = &contents[i];
        const bool compared = content->after || (agrees && !buffer->readonly);
        const enum cat_region region = compared           ? CAT_OUTPUT
                                       : buffer->readonly ? CAT_INPUT
                                                          : CAT_STATE;
        if (!check_content(buffer, &contents[i], error))
            return false;
        all += content->words * 4;
        if (all > MOST_BYTES)
            return lit_fail(error, LIT_EXIT_USAGE, "buffers of more than %zu MiB",
                            MOST_BYTES >> 20);
        const size_t first = make_room(package, region, content->words);
        if (content->before)
            memcpy(package->region[region] + first, content->before, content->words * 4);
        if (content->after)
            memcpy(package->expected + first, content->after, content->words * 4);
        package->interface.bindings[package->interface.binding_count++] =
            (struct cat_binding){.set = buffer->set,
                                 .binding = buffer->binding,
                                 .uniform = buffer->uniform,
                                 .region = region,
                                 .first = first,
                                 .words = content->words};
    }
    return true;
}

// --- The whole

// A test's name out of a file's: lower-case letters, digits and dashes.
static void put_name(const char *path, const char *given, struct text *name)
{
    const char *from = given ? given : lit_path_name(path);
    const char *dot = given ? NULL : strchr(from + (*from == '.'), '.');
    const size_t length = dot ? (size_t)(dot - from) : strlen(from);
    for (size_t i = 0; i < length && i < 64; i++) {
        const char c = (char)tolower((unsigned char)from[i]);
        text_append(name, isalnum((unsigned char)c) && (unsigned char)c < 128 ? &c : "-", 1);
    }
}

static bool check_usage(const struct cli_kernel_options *chosen, const struct cat_inspected *module,
                        struct lit_error *error)
{
    const uint64_t size = chosen->subgroup;
    OWNED(text_free) struct text example = {0};
    if (size > 128 || size & (size - 1))
        return lit_fail(error, LIT_EXIT_USAGE, "--subgroup %" PRIu64 ": not a subgroup size", size);
    for (size_t i = module->buffer_count; i-- > 0 && !example.length;)
        if (!module->buffers[i].readonly)
            text_printf(&example, "%" PRIu32 ".%" PRIu32 "=sums.words", module->buffers[i].set,
                        module->buffers[i].binding);
    return chosen->expected.count || chosen->agrees ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "nothing says what is right: --expect %s, or --expect agree",
                    example.length ? example.data : "0.1=sums.words");
}

bool cli_kernel_make(const char *path, const struct cli_kernel_options *chosen,
                     struct cat_package *package, struct lit_error *error)
{
    struct cat_inspected module;
    struct content contents[CAT_MOST_BINDINGS] = {0};
    struct lit_error why = {0};
    char origin[200];
    text_sanitise(origin, sizeof origin, lit_path_name(path));
    text_puts(&package->origin, origin);
    put_name(path, chosen->name, &package->name);
    if (!cli_kernel_load(path, &package->words, &package->word_count, &package->page, error) ||
        !take_specs(&chosen->specs, package, error))
        return false;
    if (!cat_inspect(package->words, package->word_count, chosen->entry, package->specs,
                     package->spec_count, &module, &why))
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s", path, why.message);
    struct cat_interface *interface = &package->interface;
    snprintf(interface->entry, sizeof interface->entry, "%s", module.entry);
    interface->full = chosen->full;
    interface->sized = chosen->subgroup > 0;
    package->subgroup = (uint32_t)chosen->subgroup;
    package->workgroup = module.local[0] * module.local[1] * module.local[2];
    const bool good = take_contents(chosen, &module, contents, error) &&
                      take_groups(chosen->groups, package, error) &&
                      take_push(chosen->push, &module, interface, error) &&
                      check_usage(chosen, &module, error) &&
                      place_buffers(&module, chosen->agrees, contents, package, error) &&
                      (package->expected_words ||
                       lit_fail(error, LIT_EXIT_USAGE, "%.200s writes no buffer", path));
    clear_contents(contents);
    return good;
}
