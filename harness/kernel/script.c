// SPDX-License-Identifier: Apache-2.0
// Reads Amber scripts for compute, one command after another: each RUN becomes a dispatch of the
// plan, and each EXPECT checks what a buffer holds at the end.
#include "kernel/plan.h"

#include "base/file.h"

#include <stdarg.h>

#define OWN "#litmus" // begins a command of ours, a comment for Amber

// --- Tokens

bool krn_refuse(struct krn_reader *r, const char *format, ...)
{
    char message[400];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    return lit_fail(r->error, LIT_EXIT_USAGE, "%.160s:%zu: %.300s", r->script->path, r->line,
                    message);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

// Skips white space before the next token.
static void skip_space(struct krn_reader *r)
{
    while (r->at < r->end && is_space(*r->at))
        r->at++;
}

bool krn_is(const struct krn_reader *r, const char *word)
{
    return strcmp(r->token, word) == 0;
}

const char *krn_next(struct krn_reader *r)
{
    size_t length = 0;
    r->line += krn_is(r, "\n");
    skip_space(r);
    // A line continues after a \.
    while (r->at + 1 < r->end && r->at[0] == '\\' && strchr("\r\n", r->at[1])) {
        r->at += 1 + strcspn(r->at + 1, "\n");
        r->at += r->at < r->end;
        r->line++;
        skip_space(r);
    }
    if (r->at < r->end && *r->at == '#' && strncmp(r->at, OWN " ", sizeof OWN) != 0)
        while (r->at < r->end && *r->at != '\n')
            r->at++;
    if (r->at < r->end && strchr("\n(),", *r->at)) {
        r->token[length++] = *r->at++;
    } else {
        for (; r->at < r->end && !is_space(*r->at) && !strchr("\n(),", *r->at); r->at++)
            if (length < KRN_TOKEN - 1)
                r->token[length++] = *r->at;
    }
    r->token[length] = '\0';
    return r->token;
}

// Returns the next token that ends no line.
static const char *next_word(struct krn_reader *r)
{
    while (strcmp(krn_next(r), "\n") == 0)
        ;
    return r->token;
}

// Whether this is the next token, which stays.
static bool is_next(const struct krn_reader *r, const char *word)
{
    struct krn_reader ahead = *r;
    return strcmp(krn_next(&ahead), word) == 0;
}

bool krn_at_end(const struct krn_reader *r)
{
    return krn_is(r, "\n") || krn_is(r, "");
}

bool krn_refuse_token(struct krn_reader *r, const char *what)
{
    char clean[80];
    text_sanitise(clean, sizeof clean, krn_at_end(r) ? "the end of the line" : r->token);
    return krn_refuse(r, "%s: %s", what, clean);
}

bool krn_end_line(struct krn_reader *r)
{
    krn_next(r);
    return krn_at_end(r) || krn_refuse_token(r, "not supported");
}

bool krn_expect_word(struct krn_reader *r, const char *word)
{
    return strcmp(krn_next(r), word) == 0 || krn_refuse(r, "expected %s", word);
}

bool krn_take_name(struct krn_reader *r, char name[CAT_ENTRY_SIZE])
{
    krn_next(r);
    if (krn_at_end(r) || strlen(r->token) >= CAT_ENTRY_SIZE || text_has_control(r->token) ||
        !text_is_utf8(r->token))
        return krn_refuse_token(r, "expected a name");
    strcpy(name, r->token);
    return true;
}

bool krn_take_count(struct krn_reader *r, uint64_t most, uint64_t *number)
{
    static const struct krn_type wide = {.kind = 'u', .bits = 64};
    struct krn_value value;
    if (*krn_next(r) == '-' || !krn_value_parse(&wide, r->token, &value))
        return krn_refuse_token(r, "expected a number");
    *number = value.number;
    return *number <= most || krn_refuse_token(r, "too large");
}

// Finds a module, buffer or pipeline, which begins with its name; KRN_NONE.
static size_t find(const void *items, size_t count, size_t size, const char *name)
{
    size_t at = 0;
    while (at < count && strcmp((const char *)items + at * size, name) != 0)
        at++;
    return at < count ? at : KRN_NONE;
}

size_t krn_find_buffer(const struct krn_reader *r, const char *name)
{
    return find(r->plan->buffers, r->plan->buffer_count, sizeof *r->plan->buffers, name);
}

size_t krn_find_pipeline(const struct krn_reader *r, const char *name)
{
    return find(r->plan->pipelines, r->plan->pipeline_count, sizeof *r->plan->pipelines, name);
}

static size_t find_shader(const struct krn_reader *r, const char *name)
{
    return find(r->plan->modules, r->plan->module_count, sizeof *r->plan->modules, name);
}

bool krn_take_buffer(struct krn_reader *r, size_t *at)
{
    char name[CAT_ENTRY_SIZE];
    if (!krn_take_name(r, name))
        return false;
    *at = krn_find_buffer(r, name);
    return *at != KRN_NONE || krn_refuse(r, "there is no buffer %s", name);
}

bool krn_take_value(struct krn_reader *r, const struct krn_type *type, uint8_t bytes[8])
{
    struct krn_value value;
    if (!krn_value_parse(type, r->token, &value))
        return krn_refuse_token(r, "no value of the buffer's type");
    krn_value_bytes(type, &value, NULL, 0, bytes);
    return true;
}

// Relative names start from the script's folder. free() the result.
static char *file_of(const struct krn_reader *r, const char *name)
{
    const char *path = r->script->path;
    struct text file = {0};
    if (!lit_path_is_absolute(name))
        text_append(&file, path, (size_t)(lit_path_name(path) - path));
    text_puts(&file, name);
    return file.data;
}

// --- SHADER

// Takes the text up to the line END.
static bool take_source(struct krn_reader *r, struct krn_shader *shader, size_t *lines)
{
    shader->text = r->at;
    for (*lines = 1; r->at < r->end; ++*lines) {
        const char *line = r->at, *behind = memchr(line, '\n', (size_t)(r->end - line));
        r->at = behind ? behind + 1 : r->end;
        while (line < r->end && is_space(*line))
            line++;
        const char *last = behind ? behind : r->end;
        while (last > line && is_space(last[-1]))
            last--;
        if (last - line == 3 && memcmp(line, "END", 3) == 0)
            return true;
        shader->length = (size_t)(r->at - shader->text);
    }
    return krn_refuse(r, "a shader without END");
}

static bool take_target(struct krn_reader *r, struct krn_shader *shader, char target[KRN_TOKEN])
{
    krn_next(r);
    if (krn_is(r, "TARGET_ENV")) {
        const size_t name = strspn(krn_next(r), "abcdefghijklmnopqrstuvwxyz");
        if (!name || r->token[name + strspn(r->token + name, "0123456789.")])
            return krn_refuse_token(r, "not supported");
        strcpy(target, r->token);
        shader->target = target;
        krn_next(r);
    }
    return true;
}

static bool read_shader(struct krn_reader *r)
{
    static const struct {
        const char *name;
        enum krn_source source;
    } formats[] = {{"SPIRV-ASM", KRN_ASSEMBLY}, {"GLSL", KRN_GLSL}, {"SPIRV-BIN", KRN_SPIRV}};
    struct krn_module made = {0};
    struct krn_shader shader = {0};
    struct lit_error why = {0};
    char target[KRN_TOKEN];
    OWNED(lit_free) char *file = NULL;
    size_t lines = 0, format = 0;
    if (strcmp(krn_next(r), "compute") != 0)
        return krn_refuse_token(r, "only compute shaders are supported");
    if (!krn_take_name(r, made.name))
        return false;
    if (find_shader(r, made.name) != KRN_NONE)
        return krn_refuse_token(r, "there is a shader of this name");
    krn_next(r);
    while (format < 3 && !krn_is(r, formats[format].name))
        format++;
    if (format == 3)
        return krn_refuse_token(r, "only SPIRV-ASM, SPIRV-BIN and GLSL are supported");
    shader.source = formats[format].source;
    if (!take_target(r, &shader, target))
        return false;
    if (krn_is(r, "FILE") && *krn_next(r) && !krn_is(r, "\n")) {
        shader.file = file = file_of(r, r->token);
        if (!krn_end_line(r))
            return false;
    } else if (!krn_is(r, "\n") || shader.source == KRN_SPIRV) {
        return krn_refuse_token(r, "not supported");
    } else if (!take_source(r, &shader, &lines)) {
        return false;
    }
    if (!r->script->load(&shader, r->script->user, &made.words, &made.count, &why)) {
        free(made.words);
        return krn_refuse(r, "shader %s: %.280s", made.name, why.message);
    }
    r->line += lines;
    LIT_ADD(r->plan->modules, r->plan->module_count) = made;
    return true;
}

// --- BUFFER

// Makes room for `bytes` of a buffer, with zeros.
static bool make_room(struct krn_reader *r, struct krn_held *buffer, uint64_t bytes)
{
    const uint64_t before = buffer->bytes;
    const size_t words = buffer->words;
    if (bytes > before && bytes - before > CAT_PACKAGE_BYTES - r->bytes)
        return krn_refuse(r, "buffers of more than %zu MiB", CAT_PACKAGE_BYTES >> 20);
    if (bytes <= before)
        return true;
    r->bytes += bytes - before;
    buffer->bytes = (size_t)bytes;
    buffer->words = (buffer->bytes + 3) / 4;
    if (buffer->words > words) {
        buffer->before = lit_realloc(buffer->before, buffer->words, sizeof *buffer->before);
        memset(buffer->before + words, 0, (buffer->words - words) * sizeof *buffer->before);
    }
    return true;
}

static bool put_value(struct krn_reader *r, struct krn_held *buffer, uint64_t n)
{
    const struct krn_type *type = &buffer->type;
    const uint64_t at = krn_type_offset(type, n);
    uint8_t bytes[8];
    if (!krn_take_value(r, type, bytes) ||
        !make_room(r, buffer, (at / type->bytes + 1) * type->bytes))
        return false;
    memcpy((uint8_t *)buffer->before + at, bytes, type->bits / 8);
    return true;
}

// Reads values up to END, on any lines.
static bool read_data(struct krn_reader *r, struct krn_held *buffer)
{
    for (uint64_t n = 0;; n++) {
        if (strcmp(next_word(r), "END") == 0)
            return n > 0 || krn_refuse(r, "a buffer without data");
        if (krn_is(r, ""))
            return krn_refuse(r, "DATA without END");
        if (!put_value(r, buffer, n))
            return false;
    }
}

// Reads `count` elements: one value for all, or a series.
static bool read_series(struct krn_reader *r, struct krn_held *buffer, uint64_t count)
{
    const struct krn_type *type = &buffer->type;
    const uint64_t numbers = count * type->columns * type->rows;
    const bool series = krn_is(r, "SERIES_FROM");
    struct krn_value first = {0}, step = {0};
    uint8_t bytes[8];
    if (series && type->rows * type->columns > 1)
        return krn_refuse(r, "SERIES_FROM is for numbers");
    if (!krn_at_end(r) && !krn_value_parse(type, krn_next(r), &first))
        return krn_refuse_token(r, "no value of the buffer's type");
    if (series && !krn_expect_word(r, "INC_BY"))
        return false;
    if (series && !krn_value_parse(type, krn_next(r), &step))
        return krn_refuse_token(r, "no value of the buffer's type");
    if (!make_room(r, buffer, count * type->bytes))
        return false;
    for (uint64_t n = 0; n < numbers; n++) {
        krn_value_bytes(type, &first, &step, n, bytes);
        memcpy((uint8_t *)buffer->before + krn_type_offset(type, n), bytes, type->bits / 8);
    }
    return true;
}

// Reads all values of a file; like Amber, ignores SIZE.
static bool read_text(struct krn_reader *r, struct krn_held *buffer, const char *file)
{
    OWNED(text_free) struct text values = {0};
    struct lit_error why = {0};
    const struct krn_reader before = *r;
    uint64_t n = 0;
    bool good = true;
    if (!krn_bytes(file, CAT_PACKAGE_BYTES, &values, &why))
        return krn_refuse(r, "%.280s", why.message);
    r->at = values.data;
    r->end = values.data + values.length;
    while (good && *next_word(r)) {
        r->line = before.line; // errors are of the script
        good = put_value(r, buffer, n++);
    }
    r->at = before.at;
    r->end = before.end;
    r->line = before.line;
    return good && (n || krn_refuse(r, "%.150s has no values", file));
}

static bool read_file(struct krn_reader *r, struct krn_held *buffer, uint64_t count)
{
    OWNED(text_free) struct text bytes = {0};
    struct lit_error why = {0};
    const bool binary = strcmp(krn_next(r), "BINARY") == 0;
    if (krn_is(r, "PNG"))
        return krn_refuse_token(r, "not supported");
    if (binary || krn_is(r, "TEXT"))
        krn_next(r);
    if (krn_at_end(r))
        return krn_refuse_token(r, "expected a file");
    OWNED(lit_free) char *file = file_of(r, r->token);
    if (!binary)
        return read_text(r, buffer, file);
    if (!krn_bytes(file, CAT_PACKAGE_BYTES, &bytes, &why))
        return krn_refuse(r, "%.280s", why.message);
    if (!make_room(r, buffer, bytes.length))
        return false;
    memcpy(buffer->before, bytes.data, bytes.length);
    return bytes.length == count * buffer->type.bytes ||
           krn_refuse(r, "%.150s has %zu bytes, where the buffer has %" PRIu64, file, bytes.length,
                      count * buffer->type.bytes);
}

// Reads what follows the type.
static bool read_contents(struct krn_reader *r, struct krn_held *buffer)
{
    uint64_t count;
    if (krn_is(r, "DATA"))
        return read_data(r, buffer) && krn_end_line(r);
    if (!krn_is(r, "SIZE"))
        return krn_refuse_token(r, "not supported");
    if (!krn_take_count(r, CAT_PACKAGE_BYTES / buffer->type.bytes, &count))
        return false;
    if (!count)
        return krn_refuse(r, "an empty buffer");
    krn_next(r);
    if (krn_is(r, "FILE"))
        return read_file(r, buffer, count) && krn_end_line(r);
    if (!krn_at_end(r) && !krn_is(r, "FILL") && !krn_is(r, "SERIES_FROM"))
        return krn_refuse_token(r, "not supported");
    const bool bare = krn_at_end(r);
    return read_series(r, buffer, count) && (bare || krn_end_line(r));
}

static bool read_buffer(struct krn_reader *r)
{
    struct krn_held *made = &LIT_ADD(r->plan->buffers, r->plan->buffer_count);
    char type[KRN_TOKEN];
    *made = (struct krn_held){0};
    if (!krn_take_name(r, made->name))
        return false;
    if (krn_find_buffer(r, made->name) != r->plan->buffer_count - 1)
        return krn_refuse_token(r, "there is a buffer of this name");
    if (strcmp(krn_next(r), "DATA_TYPE") != 0)
        return krn_refuse_token(r, "expected DATA_TYPE");
    strcpy(type, krn_next(r));
    if (!krn_type_parse(type, false, &made->type))
        return krn_refuse_token(r, "not supported");
    krn_next(r);
    if (krn_is(r, "STD140") && !krn_type_parse(type, true, &made->type))
        return false;
    if (krn_is(r, "STD140") || krn_is(r, "STD430"))
        krn_next(r);
    return read_contents(r, made);
}

// --- PIPELINE

static bool read_specialization(struct krn_reader *r, struct krn_pipeline *pipeline)
{
    struct krn_type type;
    uint64_t id;
    struct krn_value value;
    uint8_t bytes[8];
    if (!krn_take_count(r, UINT32_MAX, &id) || !krn_expect_word(r, "AS"))
        return false;
    if (!krn_type_parse(krn_next(r), false, &type) || type.bits < 32 || type.rows != 1)
        return krn_refuse_token(r, "not a type of 32 or 64 bits");
    if (!krn_value_parse(&type, krn_next(r), &value))
        return krn_refuse_token(r, "no value of the constant's type");
    krn_value_bytes(&type, &value, NULL, 0, bytes);
    return krn_put_spec(pipeline->specs, &pipeline->spec_count, (uint32_t)id, type.bits, bytes) ||
           krn_refuse(r, "more than %d of SPECIALIZE", CAT_MOST_SPEC);
}

static bool read_attach(struct krn_reader *r, struct krn_pipeline *pipeline)
{
    char name[CAT_ENTRY_SIZE];
    if (!krn_take_name(r, name))
        return false;
    if (pipeline->module != KRN_NONE && find_shader(r, name) != pipeline->module)
        return krn_refuse_token(r, "a second shader");
    pipeline->module = find_shader(r, name);
    if (pipeline->module == KRN_NONE)
        return krn_refuse_token(r, "there is no such shader");
    bool good = true;
    while (good && (krn_next(r), !krn_at_end(r)))
        good = krn_is(r, "TYPE")          ? krn_expect_word(r, "compute")
               : krn_is(r, "ENTRY_POINT") ? krn_take_name(r, pipeline->entry)
               : krn_is(r, "SPECIALIZE")  ? read_specialization(r, pipeline)
                                          : krn_refuse_token(r, "not supported");
    return good;
}

static bool take_switch(struct krn_reader *r, bool *on)
{
    krn_next(r);
    *on = krn_is(r, "on");
    return *on || krn_is(r, "off") || krn_refuse_token(r, "expected on or off");
}

static bool read_subgroup(struct krn_reader *r, struct krn_pipeline *pipeline)
{
    char name[CAT_ENTRY_SIZE];
    uint64_t size;
    bool varying;
    if (!krn_take_name(r, name))
        return false;
    if (pipeline->module == KRN_NONE || find_shader(r, name) != pipeline->module)
        return krn_refuse_token(r, "not the shader that is attached");
    if (!krn_end_line(r))
        return false;
    while (strcmp(next_word(r), "END") != 0) {
        if (krn_is(r, "FULLY_POPULATED")) {
            if (!take_switch(r, &pipeline->full))
                return false;
        } else if (krn_is(r, "VARYING_SIZE")) {
            if (!take_switch(r, &varying))
                return false;
            if (varying)
                return krn_refuse(r, "VARYING_SIZE on is not supported");
        } else if (krn_is(r, "REQUIRED_SIZE")) {
            if (is_next(r, "MIN") || is_next(r, "MAX"))
                return krn_refuse(r, "not supported: a size is a number: %s", krn_next(r));
            if (!krn_take_count(r, 128, &size))
                return false;
            if (!size || size & (size - 1))
                return krn_refuse_token(r, "not a subgroup size");
            pipeline->subgroup = (uint32_t)size;
        } else {
            return krn_refuse_token(r, "not supported");
        }
    }
    return krn_end_line(r);
}

// Takes the buffers of BIND BUFFER or BIND BUFFER_ARRAY, up to AS.
static bool take_buffers(struct krn_reader *r, size_t *buffers, size_t *count)
{
    const bool array = strcmp(krn_next(r), "BUFFER_ARRAY") == 0;
    if (!array && !krn_is(r, "BUFFER"))
        return krn_refuse_token(r, "only buffers are supported");
    do {
        if (*count && is_next(r, "AS"))
            return *krn_next(r);
        if (*count == (array ? KRN_MOST_HELD : 1))
            return krn_refuse(r, array ? "more than %d bindings" : "expected AS", KRN_MOST_HELD);
    } while (krn_take_buffer(r, &buffers[(*count)++]));
    return false;
}

static bool read_bind(struct krn_reader *r, struct krn_pipeline *pipeline)
{
    struct krn_bind bind = {0};
    size_t buffers[KRN_MOST_HELD], count = 0;
    uint64_t set, binding;
    const bool array = is_next(r, "BUFFER_ARRAY");
    if (!take_buffers(r, buffers, &count))
        return false;
    krn_next(r);
    if (krn_is(r, "push_constant") && !array) {
        pipeline->push = buffers[0];
        return krn_end_line(r);
    }
    bind.uniform = krn_is(r, "uniform");
    if (!bind.uniform && !krn_is(r, "storage"))
        return krn_refuse_token(r, "only storage, uniform and push_constant are supported");
    if (!krn_expect_word(r, "DESCRIPTOR_SET") || !krn_take_count(r, CAT_MOST_SETS - 1, &set) ||
        !krn_expect_word(r, "BINDING") || !krn_take_count(r, UINT32_MAX, &binding))
        return false;
    bind.set = (uint32_t)set;
    bind.binding = (uint32_t)binding;
    for (size_t i = 0; i < pipeline->bind_count; i++)
        if (pipeline->binds[i].set == bind.set && pipeline->binds[i].binding == bind.binding)
            pipeline->binds[i--] = pipeline->binds[--pipeline->bind_count];
    if (count > KRN_MOST_HELD - pipeline->bind_count)
        return krn_refuse(r, "more than %d bindings", KRN_MOST_HELD);
    for (size_t i = 0; i < count; i++) {
        bind.buffer = buffers[i];
        bind.element = array ? (uint32_t)i + 1 : 0;
        pipeline->binds[pipeline->bind_count++] = bind;
    }
    return krn_end_line(r);
}

static bool read_pipeline(struct krn_reader *r, bool derived)
{
    struct krn_pipeline *made = &LIT_ADD(r->plan->pipelines, r->plan->pipeline_count);
    char parent[CAT_ENTRY_SIZE];
    *made = (struct krn_pipeline){
        .entry = "main", .module = KRN_NONE, .push = KRN_NONE, .part = KRN_NONE};
    if (!derived && strcmp(krn_next(r), "compute") != 0)
        return krn_refuse_token(r, "only compute pipelines are supported");
    if (!krn_take_name(r, made->name))
        return false;
    if (krn_find_pipeline(r, made->name) != r->plan->pipeline_count - 1)
        return krn_refuse_token(r, "there is a pipeline of this name");
    if (derived) {
        if (!krn_expect_word(r, "FROM") || !krn_take_name(r, parent))
            return false;
        const size_t of = krn_find_pipeline(r, parent);
        if (of == KRN_NONE || of == r->plan->pipeline_count - 1)
            return krn_refuse_token(r, "there is no such pipeline");
        strcpy(parent, made->name);
        *made = r->plan->pipelines[of];
        strcpy(made->name, parent);
        made->part = KRN_NONE;
    }
    bool good = true;
    while (good && strcmp(next_word(r), "END") != 0)
        good = krn_is(r, "ATTACH")     ? read_attach(r, made)
               : krn_is(r, "SUBGROUP") ? read_subgroup(r, made)
               : krn_is(r, "BIND")     ? read_bind(r, made)
                                       : krn_refuse_token(r, "not supported in a pipeline");
    return good && krn_end_line(r);
}

// --- The whole

// Ignores features, since litmus enables what the module needs; refuses robust accesses, which it
// does not enable. In Vulkan's names, an extension begins with VK_, and a feature, optionally after
// its structure's name, with a small letter.
static bool read_feature(struct krn_reader *r)
{
    const bool extends = !krn_is(r, "DEVICE_FEATURE");
    const char *name = krn_next(r), *dot = strrchr(name, '.');
    const char *last = dot ? dot + 1 : name;
    if (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")] ||
        (extends ? strncmp(name, "VK_", 3) != 0 : *last < 'a' || *last > 'z'))
        return krn_refuse_token(r, extends ? "not an extension" : "not a feature");
    if (strstr(r->token, "obust"))
        return krn_refuse_token(r, "not supported");
    return krn_end_line(r);
}

static bool read_setting(struct krn_reader *r)
{
    uint64_t number;
    krn_next(r);
    if (!krn_is(r, "ENGINE_DATA") || strcmp(krn_next(r), "fence_timeout_ms") != 0)
        return krn_refuse_token(r, "not supported");
    return krn_take_count(r, UINT32_MAX, &number) && krn_end_line(r); // litmus has its own limits
}

// Repeats the commands up to END; of those allowed, only RUN matters.
static bool read_repeat(struct krn_reader *r)
{
    uint64_t times;
    if (!krn_take_count(r, 1 + CAT_MOST_STEPS, &times) || !krn_end_line(r))
        return false;
    const struct krn_reader before = *r;
    for (uint64_t i = 0; i < times; i++) {
        *r = before;
        while (strcmp(next_word(r), "END") != 0) {
            if (!krn_is(r, "RUN"))
                return krn_refuse_token(r, "not supported within REPEAT");
            if (!krn_read_run(r))
                return false;
        }
    }
    return times ? krn_end_line(r) : krn_refuse(r, "REPEAT 0 is not supported");
}

static bool read_command(struct krn_reader *r)
{
    if (krn_is(r, "SHADER"))
        return read_shader(r);
    if (krn_is(r, "BUFFER"))
        return read_buffer(r);
    if (krn_is(r, "PIPELINE") || krn_is(r, "DERIVE_PIPELINE"))
        return read_pipeline(r, krn_is(r, "DERIVE_PIPELINE"));
    if (krn_is(r, "RUN"))
        return krn_read_run(r);
    if (krn_is(r, "EXPECT"))
        return krn_read_expect(r);
    if (krn_is(r, OWN))
        return krn_read_allow(r);
    if (krn_is(r, "DEVICE_FEATURE") || krn_is(r, "DEVICE_EXTENSION") ||
        krn_is(r, "INSTANCE_EXTENSION"))
        return read_feature(r);
    if (krn_is(r, "REPEAT"))
        return read_repeat(r);
    if (krn_is(r, "SET"))
        return read_setting(r);
    return krn_refuse_token(r, "not supported");
}

// Passes on the script's expectations.
static bool settle(struct krn_reader *r)
{
    struct krn_plan *plan = r->plan;
    bool expects = r->script->agrees;
    if (!plan->dispatch_count)
        return krn_refuse(r, "nothing is run: there is no RUN");
    for (size_t i = 0; i < plan->buffer_count; i++) {
        struct krn_held *held = &plan->buffers[i];
        size_t whole = 0;
        while (whole < held->words && held->counts && held->counts[whole] == UINT32_MAX)
            whole++;
        expects |= held->after || held->like;
        if (r->script->agrees) {
            free(held->after);
            held->after = NULL;
            held->like = 0;
            held->may = (struct cat_tolerance){0};
        }
        if (r->script->agrees || whole == held->words) {
            free(held->counts);
            held->counts = NULL;
        }
    }
    // Of two buffers that must be equal, only that is expected, and what else the script says.
    for (size_t i = 0; i < plan->buffer_count; i++) {
        struct krn_held *held = &plan->buffers[i];
        struct krn_held *model = held->like ? &plan->buffers[held->like - 1] : NULL;
        if (model && !held->after)
            held->after = lit_alloc(held->words, sizeof *held->after);
        if (!model || model->after)
            continue;
        model->after = lit_alloc(model->words, sizeof *model->after);
        model->counts = lit_alloc(model->words, sizeof *model->counts);
    }
    return expects || krn_refuse(r, "no EXPECT says what a RUN is to store: --expect agree");
}

bool krn_script_read(const struct krn_script *script, struct krn_plan *plan,
                     struct lit_error *error)
{
    struct krn_reader r = {.script = script,
                           .plan = plan,
                           .error = error,
                           .at = script->text,
                           .end = script->text + script->length,
                           .line = 1};
    static const char first[] = "#!amber";
    bool good = script->length >= sizeof first - 1 &&
                memcmp(script->text, first, sizeof first - 1) == 0 &&
                !memchr(script->text, '\0', script->length);
    if (!good)
        krn_refuse(&r, "the first line of an Amber script is %s", first);
    r.at += good ? sizeof first - 1 : 0;
    good = good && krn_end_line(&r);
    while (good && *next_word(&r))
        good = read_command(&r);
    return good && settle(&r);
}
