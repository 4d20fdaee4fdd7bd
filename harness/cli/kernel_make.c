// SPDX-License-Identifier: Apache-2.0
// From a file and options to a package: the module, what its buffers hold, what is expected.
#include "cli/kernel.h"

#include "base/file.h"
#include "base/random.h"
#include "catalogue/catalogue.h"
#include "model/check.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FOLDED 4096 // words of a buffer that a formula with a sum over all words is for

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
    if (!take_number(text, CLI_KERNEL_BYTES, bytes, &end))
        return false;
    const uint64_t unit = *end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : 1;
    *bytes *= unit;
    return !end[unit > 1] && *bytes > 0 && *bytes <= CLI_KERNEL_BYTES;
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

// A word: 64, 0x40, -1, or a float with a point in it. *end is behind it.
static bool take_value(const char *text, uint32_t *value, const char **end)
{
    const size_t length = strcspn(text, ",");
    const bool is_float = memchr(text, '.', length) && strncmp(text, "0x", 2) != 0;
    char *behind = NULL;
    errno = 0;
    const float real = is_float ? strtof(text, &behind) : 0;
    const long long number = is_float ? 0 : strtoll(text, &behind, 0);
    *value = (uint32_t)number;
    if (is_float)
        memcpy(value, &real, sizeof real);
    *end = behind;
    return behind > text && errno == 0 && number >= INT32_MIN && number <= (long long)UINT32_MAX;
}

static bool take_spec(const char *given, struct cat_spec *spec, struct lit_error *error)
{
    uint64_t id;
    const char *at;
    if (take_number(given, UINT32_MAX, &id, &at) && *at == '=') {
        spec->id = (uint32_t)id;
        if (take_value(at + 1, &spec->value, &at) && !*at)
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

// "X", "X,Y" or "X,Y,Z".
static bool take_groups(const char *option, const char *given, uint32_t groups[3],
                        struct lit_error *error)
{
    const char *at = given;
    groups[1] = groups[2] = 1;
    for (size_t i = 0; i < 3; i++) {
        uint64_t number;
        if (!take_number(at, UINT32_MAX, &number, &at) || !number)
            break;
        groups[i] = (uint32_t)number;
        if (!*at)
            return true;
        if (*at++ != ',')
            break;
    }
    return lit_fail(error, LIT_EXIT_USAGE, "--%s '%.80s': expected X, X,Y or X,Y,Z", option, given);
}

static int digit(char c)
{
    const char *digits = "0123456789abcdef", *at = strchr(digits, tolower((unsigned char)c));
    return c && at ? (int)(at - digits) : -1;
}

// "64,1,0.5", "0x40": a word for each. False, with nothing appended, if it is something else.
static bool put_numbers(const char *given, struct text *bytes)
{
    const char *at = given;
    uint32_t value;
    // Digits alone are bytes.
    bool good = strpbrk(given, ",.-") || strncmp(given, "0x", 2) == 0;
    while (good && *at) {
        good = take_value(at, &value, &at) && (!*at || (*at == ',' && at[1]));
        if (good)
            text_append(bytes, (const char *)&value, sizeof value);
        at += good && *at == ',';
    }
    bytes->length = good ? bytes->length : 0;
    return good;
}

static bool put_hex(const char *given, struct text *bytes)
{
    const size_t length = strlen(given);
    for (size_t i = 0; i < length; i++)
        if (digit(given[i]) < 0)
            return false;
    for (size_t i = 0; i + 1 < length; i += 2)
        text_append(bytes, &(char){(char)(digit(given[i]) * 16 + digit(given[i + 1]))}, 1);
    return length % 2 == 0;
}

static bool take_push(const char *option, const char *given, const struct cat_inspected *module,
                      uint8_t push[CAT_MOST_PUSH], struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    if (!put_numbers(given, &bytes) && !put_hex(given, &bytes) &&
        !cli_kernel_bytes(given, CAT_MOST_PUSH, &bytes, error))
        return false;
    if (bytes.length != module->push_size)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--%s: %zu bytes, where the module has %" PRIu32 " of push constants",
                        option, bytes.length, module->push_size);
    memcpy(push, bytes.data ? bytes.data : "", bytes.length);
    return true;
}

// "GROUPS" or "GROUPS:PUSH": one more dispatch.
static bool take_step(const char *given, const struct cat_inspected *module,
                      struct cat_interface *interface, struct lit_error *error)
{
    OWNED(text_free) struct text groups = {0};
    const size_t length = strcspn(given, ":");
    if (interface->step_count == CAT_MOST_STEPS)
        return lit_fail(error, LIT_EXIT_USAGE, "more than %d of --then", CAT_MOST_STEPS);
    struct cat_step *step = &interface->steps[interface->step_count++];
    text_puts(&groups, "");
    text_append(&groups, given, length);
    memcpy(step->push, interface->push, sizeof step->push);
    return take_groups("then", groups.data, step->groups, error) &&
           (!given[length] || take_push("then", given + length + 1, module, step->push, error));
}

static bool take_dispatches(const struct cli_kernel_options *chosen,
                            const struct cat_inspected *module, struct cat_package *package,
                            struct lit_error *error)
{
    struct cat_interface *interface = &package->interface;
    OWNED(text_free) struct text zeros = {0};
    uint32_t groups[3];
    if (!chosen->groups)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "nothing says how many workgroups there are: --groups 64");
    interface->push_size = module->push_size;
    for (uint32_t i = 0; i < module->push_size && i < 16; i++)
        text_puts(&zeros, "00");
    if (!chosen->push && module->push_size)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "nothing says what the %" PRIu32
                        " bytes of push constants are: --push %s%s",
                        module->push_size, zeros.data, module->push_size > 16 ? "..." : "");
    if (!take_groups("groups", chosen->groups, groups, error) ||
        (chosen->push && !take_push("push", chosen->push, module, interface->push, error)))
        return false;
    package->groups = groups[0];
    interface->rows = groups[1];
    interface->layers = groups[2];
    for (size_t i = 0; i < chosen->steps.count; i++)
        if (!take_step(chosen->steps.items[i], module, interface, error))
            return false;
    return true;
}

// --- Buffers

// What one holds, and is to hold.
struct content {
    uint32_t *before, *after; // before NULL: nothing that counts; after NULL: not compared
    size_t words;             // 0: not known yet
    struct cat_tolerance may;
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
    enum { RANDOM, IOTA, ZERO, FLOATS, KINDS };
    static const char *const kinds[KINDS] = {"random:", "iota:", "zero:", "floats:"};
    struct lit_random random = {random_derive(buffer->set, "kernel") + buffer->binding};
    uint64_t bytes;
    size_t kind = 0;
    while (kind < KINDS && strncmp(what, kinds[kind], strlen(kinds[kind])) != 0)
        kind++;
    const char *size = kind < KINDS ? what + strlen(kinds[kind]) : what;
    free(content->before);
    content->before = NULL;
    if (!take_size(size, &bytes)) {
        if (kind == KINDS)
            return cli_kernel_words(what, &content->before, &content->words, error);
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--buffer '%.80s': expected a size in bytes of at most 64M, as in %s4096",
                        what, kinds[kind]);
    }
    content->words = (bytes + 3) / 4;
    if (kind == KINDS)
        return true;
    content->before = lit_alloc(content->words, sizeof *content->before);
    for (size_t i = 0; i < content->words; i++) {
        const uint32_t drawn = (uint32_t)(random_next(&random) >> 32);
        const float real = (float)((int32_t)drawn >> 8) * 0x1p-23f;
        content->before[i] = kind == RANDOM ? drawn : kind == IOTA ? (uint32_t)i : 0;
        if (kind == FLOATS)
            memcpy(&content->before[i], &real, sizeof real);
    }
    return true;
}

static uint64_t least_words(const struct cat_buffer *buffer)
{
    return (buffer->bytes + buffer->each + 3) / 4;
}

// The words of the buffer that a formula reads: that behind its @, else the one that the kernel
// only reads.
static bool take_input(const char *what, const struct cat_inspected *module,
                       const struct content *contents, const struct content **input,
                       struct lit_error *error)
{
    const char *at = what + strlen("formula");
    uint64_t set = 0, binding = 0;
    size_t found = 0;
    const bool named = *at == '@' && take_number(at + 1, UINT32_MAX, &set, &at) && *at == '.' &&
                       take_number(at + 1, UINT32_MAX, &binding, &at);
    for (size_t i = 0; i < module->buffer_count && *at == ':'; i++) {
        const struct cat_buffer *buffer = &module->buffers[i];
        if (named ? buffer->set == set && buffer->binding == binding
                  : buffer->readonly && !buffer->uniform) {
            *input = &contents[i];
            found++;
        }
    }
    return (found == 1 && (*input)->before) ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "--expect '%.80s': which buffer's words does it read? As in "
                    "formula@0.0:input[word]+1",
                    what);
}

// What a formula gives for each word of a buffer: the buffer is one unit, and a word an invocation
// of it.
static bool make_formula(const char *what, const struct cat_buffer *buffer,
                         const struct cat_inspected *module, const struct content *contents,
                         struct content *content, struct lit_error *error)
{
    struct cat_formula formula;
    struct lit_error why = {0};
    const struct content *input = NULL;
    const char *text = strchr(what, ':');
    bool folds = false;
    if (!content->words && !buffer->each)
        content->words = least_words(buffer);
    if (!content->words)
        return true; // check_content asks for it
    if (!text || !cat_formula_parse(text + 1, NULL, CAT_ASKS_SIZES | CAT_ASKS_WORD | CAT_ASKS_INPUT,
                                    &formula, &why))
        return lit_fail(error, LIT_EXIT_USAGE, "--expect '%.80s': %.200s", what,
                        text ? why.message : "expected formula:E");
    bool reads = false;
    for (size_t i = 0; i < formula.count; i++) {
        const struct cat_node *node = &formula.nodes[i];
        folds |= node->kind == CAT_NODE_FOLD;
        reads |= node->kind == CAT_NODE_IN || node->kind == CAT_NODE_INPUT ||
                 (node->kind == CAT_NODE_NAME && node->number == CAT_NAME_IN);
    }
    if (folds && content->words > MOST_FOLDED)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--expect '%.80s': of all words together a formula is for %d at most", what,
                        MOST_FOLDED);
    if ((reads || text[-1] != 'a') && !take_input(what, module, contents, &input, error))
        return false;
    const struct cat_args args = {
        .subgroup = 1,
        .workgroup = (uint32_t)content->words,
        .oracle = cat_oracle_find("formula.workgroup"),
        .shape = {.instances = 1,
                  .words_per_instance = content->words,
                  .input_words = input ? input->words : 0},
    };
    content->after = lit_alloc(content->words, sizeof *content->after);
    for (size_t i = 0; i < content->words; i++)
        content->after[i] = cat_formula_value(
            &formula,
            &(struct cat_place){.args = &args, .input = input ? input->before : NULL, .word = i});
    return true;
}

static bool make_expected(const char *given, const struct cat_inspected *module,
                          struct content *contents, struct lit_error *error)
{
    const char *what;
    const struct cat_buffer *buffer = take_place("expect", given, module, &what, error);
    struct content *content = buffer ? &contents[buffer - module->buffers] : NULL;
    size_t words = 0;
    if (!buffer)
        return false;
    free(content->after);
    content->after = NULL;
    if (strncmp(what, "formula:", 8) == 0 || strncmp(what, "formula@", 8) == 0)
        return make_formula(what, buffer, module, contents, content, error);
    if (!cli_kernel_words(what, &content->after, &words, error))
        return false;
    if (content->words && content->words != words)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--expect '%.80s': %zu words, where the buffer has %zu", given, words,
                        content->words);
    content->words = words;
    return true;
}

static bool take_real(const char *text, float *real)
{
    char *end;
    *real = strtof(text, &end);
    return end > text && !*end && *real > 0 && *real < INFINITY;
}

// What stands behind --allow SET.BINDING=.
static bool take_tolerance(const char *what, struct cat_tolerance *may)
{
    const char *value = what + strcspn(what, ":");
    const size_t length = (size_t)(value - what);
    uint64_t number, to;
    char *end;
    value += *value == ':';
#define IS(name) (length == strlen(name) && strncmp(what, name, length) == 0)
    if (IS("any-order") && !*value) {
        may->order = 1;
        return true;
    }
    if (IS("any-order") && take_number(value, UINT32_MAX, &number, &value) && !*value) {
        may->order = (uint32_t)number / 4;
        return number && number % 4 == 0;
    }
    if (IS("relative"))
        return take_real(value, &may->relative);
    if (IS("absolute"))
        return take_real(value, &may->absolute);
    if (IS("bits") && isxdigit((unsigned char)*value)) {
        errno = 0;
        const unsigned long long bits = strtoull(value, &end, 16);
        may->ignored = ~(uint32_t)bits;
        return !*end && !errno && bits <= UINT32_MAX;
    }
    if (!take_number(value, UINT32_MAX, &number, &value))
        return false;
    if (IS("words") && *value == '-' && take_number(value + 1, UINT32_MAX - 1, &to, &value)) {
        may->from = number;
        may->to = to + 1;
        return !*value && number <= to;
    }
    if (IS("ulp"))
        may->ulps = (uint32_t)number;
    else if (IS("ulp16"))
        may->half_ulps = (uint32_t)number;
    else
        return false;
#undef IS
    return !*value && number;
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
    for (size_t i = 0; i < chosen->expected.count; i++)
        if (!make_expected(chosen->expected.items[i], module, contents, error))
            return false;
    for (size_t i = 0; i < chosen->allowed.count; i++) {
        const char *given = chosen->allowed.items[i];
        const struct cat_buffer *buffer = take_place("allow", given, module, &what, error);
        if (!buffer)
            return false;
        if (!take_tolerance(what, &contents[buffer - module->buffers].may))
            return lit_fail(error, LIT_EXIT_USAGE,
                            "--allow '%.80s': expected any-order, any-order:BYTES, ulp:N, ulp16:N, "
                            "relative:X, absolute:X, bits:HEX or words:FIRST-LAST",
                            given);
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
    const uint64_t least = least_words(buffer);
    put_buffer(buffer, &name);
    if (!content->words && buffer->readonly)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "nothing says what %s holds: --buffer %" PRIu32 ".%" PRIu32
                        "=random:%" PRIu64,
                        name.data, buffer->set, buffer->binding, buffer->each ? 4096 : least * 4);
    // One of a fixed size that is written may begin with anything.
    if (!content->words && !buffer->each && least <= CLI_KERNEL_BYTES / 4)
        content->words = least;
    if (!content->words)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "nothing says how long %s is: --buffer %" PRIu32 ".%" PRIu32 "=4096",
                        name.data, buffer->set, buffer->binding);
    if (content->may.to > content->words || content->may.order > content->words)
        return lit_fail(error, LIT_EXIT_USAGE, "--allow: %s has only %zu words", name.data,
                        content->words);
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
        if (all > CLI_KERNEL_BYTES)
            return lit_fail(error, LIT_EXIT_USAGE, "buffers of more than %zu MiB",
                            CLI_KERNEL_BYTES >> 20);
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
                                 .words = content->words,
                                 .may = content->may};
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
    if (!cli_kernel_load(path, chosen, &package->words, &package->word_count, &package->page,
                         error) ||
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
                      take_dispatches(chosen, &module, package, error) &&
                      check_usage(chosen, &module, error) &&
                      place_buffers(&module, chosen->agrees, contents, package, error) &&
                      (package->expected_words ||
                       lit_fail(error, LIT_EXIT_USAGE, "%.200s writes no buffer", path));
    if (good)
        cat_settle(interface, package->expected, package->expected);
    clear_contents(contents);
    return good;
}
