// SPDX-License-Identifier: Apache-2.0
// Reads Amber scripts of compute kind. Commands follow one another: each RUN becomes a dispatch of
// the plan, and each EXPECT is about what a buffer holds at the end.
#include "cli/kernel_plan.h"

#include "base/file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Tokens

bool cli_refuse(struct cli_reader *r, const char *format, ...)
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

// The next one. One that is too long is cut: no word of the language, and no name, is as long.
static void skip_space(struct cli_reader *r)
{
    while (r->at < r->end && is_space(*r->at))
        r->at++;
}

const char *cli_next(struct cli_reader *r)
{
    size_t length = 0;
    skip_space(r);
    // A line goes on behind a \.
    while (r->at + 1 < r->end && r->at[0] == '\\' && strchr("\r\n", r->at[1])) {
        r->at += 1 + strcspn(r->at + 1, "\n");
        r->at += r->at < r->end;
        r->line++;
        skip_space(r);
    }
    if (r->at < r->end && *r->at == '#')
        while (r->at < r->end && *r->at != '\n')
            r->at++;
    if (r->at < r->end && strchr("\n(),", *r->at)) {
        r->token[length++] = *r->at++;
    } else {
        for (; r->at < r->end && !is_space(*r->at) && !strchr("\n(),", *r->at); r->at++)
            if (length < CLI_TOKEN - 1)
                r->token[length++] = *r->at;
    }
    r->token[length] = '\0';
    return r->token;
}

bool cli_is(const struct cli_reader *r, const char *word)
{
    return strcmp(r->token, word) == 0;
}

// Whether the line ends here. Lines are counted when the token behind them is read for a command.
bool cli_at_end(const struct cli_reader *r)
{
    return cli_is(r, "\n") || cli_is(r, "");
}

bool cli_refuse_token(struct cli_reader *r, const char *what)
{
    char clean[80];
    text_sanitise(clean, sizeof clean, cli_at_end(r) ? "the end of the line" : r->token);
    return cli_refuse(r, "%s: %s", what, clean);
}

bool cli_end_line(struct cli_reader *r)
{
    cli_next(r);
    if (!cli_at_end(r))
        return cli_refuse_token(r, "not supported");
    r->line += cli_is(r, "\n");
    return true;
}

bool cli_expect_word(struct cli_reader *r, const char *word)
{
    return strcmp(cli_next(r), word) == 0 || cli_refuse(r, "expected %s", word);
}

bool cli_take_name(struct cli_reader *r, char name[CAT_ENTRY_SIZE])
{
    cli_next(r);
    if (cli_at_end(r) || strlen(r->token) >= CAT_ENTRY_SIZE || text_has_control(r->token) ||
        !text_is_utf8(r->token))
        return cli_refuse_token(r, "expected a name");
    strcpy(name, r->token);
    return true;
}

bool cli_take_count(struct cli_reader *r, uint64_t most, uint64_t *number)
{
    static const struct cli_type wide = {.kind = 'u', .bits = 64};
    struct cli_value value;
    if (*cli_next(r) == '-' || !cli_value_parse(&wide, r->token, &value))
        return cli_refuse_token(r, "expected a number");
    *number = value.number;
    return *number <= most || cli_refuse_token(r, "too large");
}

static size_t find_buffer(const struct cli_reader *r, const char *name)
{
    for (size_t i = 0; i < r->buffer_count; i++)
        if (strcmp(r->buffers[i].name, name) == 0)
            return i;
    return CLI_NONE;
}

bool cli_take_buffer(struct cli_reader *r, size_t *at)
{
    char name[CAT_ENTRY_SIZE];
    if (!cli_take_name(r, name))
        return false;
    *at = find_buffer(r, name);
    return *at != CLI_NONE || cli_refuse(r, "there is no buffer %s", name);
}

static size_t find_shader(const struct cli_reader *r, const char *name)
{
    for (size_t i = 0; i < r->shader_count; i++)
        if (strcmp(r->shaders[i].name, name) == 0)
            return i;
    return CLI_NONE;
}

size_t cli_find_pipeline(const struct cli_reader *r, const char *name)
{
    for (size_t i = 0; i < r->pipeline_count; i++)
        if (strcmp(r->pipelines[i].name, name) == 0)
            return i;
    return CLI_NONE;
}

// A file lies in the script's folder. free() it.
static char *file_of(const struct cli_reader *r, const char *name)
{
    const char *path = r->script->path;
    struct text file = {0};
    if (!lit_path_is_absolute(name))
        text_append(&file, path, (size_t)(lit_path_name(path) - path));
    text_puts(&file, name);
    return file.data;
}

// --- SHADER

// The text up to the line END.
static bool take_source(struct cli_reader *r, struct cli_shader *shader, size_t *lines)
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
    return cli_refuse(r, "a shader without END");
}

static bool take_target(struct cli_reader *r, struct cli_shader *shader, char target[CLI_TOKEN])
{
    cli_next(r);
    if (cli_is(r, "TARGET_ENV")) {
        const size_t name = strspn(cli_next(r), "abcdefghijklmnopqrstuvwxyz");
        if (!name || r->token[name + strspn(r->token + name, "0123456789.")])
            return cli_refuse_token(r, "not supported");
        strcpy(target, r->token);
        shader->target = target;
        cli_next(r);
    }
    return true;
}

static bool read_shader(struct cli_reader *r)
{
    static const struct {
        const char *name;
        enum cli_source source;
    } formats[] = {{"SPIRV-ASM", CLI_ASSEMBLY}, {"GLSL", CLI_GLSL}, {"SPIRV-BIN", CLI_SPIRV}};
    struct cli_script_shader made = {0};
    struct cli_shader shader = {0};
    struct lit_error why = {0};
    char target[CLI_TOKEN];
    OWNED(lit_free) char *file = NULL;
    size_t lines = 0, format = 0;
    if (strcmp(cli_next(r), "compute") != 0)
        return cli_refuse_token(r, "only compute shaders are supported");
    if (!cli_take_name(r, made.name))
        return false;
    if (find_shader(r, made.name) != CLI_NONE)
        return cli_refuse_token(r, "there is a shader of this name");
    cli_next(r);
    while (format < 3 && !cli_is(r, formats[format].name))
        format++;
    if (format == 3)
        return cli_refuse_token(r, "only SPIRV-ASM, SPIRV-BIN and GLSL are supported");
    shader.source = formats[format].source;
    if (!take_target(r, &shader, target))
        return false;
    if (cli_is(r, "FILE") && *cli_next(r) && !cli_is(r, "\n")) {
        shader.file = file = file_of(r, r->token);
        if (!cli_end_line(r))
            return false;
        r->line--;
        lines = 1;
    } else if (!cli_is(r, "\n") || shader.source == CLI_SPIRV) {
        return cli_refuse_token(r, "not supported");
    } else if (!take_source(r, &shader, &lines)) {
        return false;
    }
    if (!r->script->load(&shader, r->script->user, &made.words, &made.count, &why)) {
        free(made.words);
        return cli_refuse(r, "shader %s: %.280s", made.name, why.message);
    }
    r->line += lines + !shader.file;
    LIT_ADD(r->shaders, r->shader_count) = made;
    return true;
}

// --- BUFFER

// Room for `bytes` of a buffer: zeros.
static bool make_room(struct cli_reader *r, struct cli_script_buffer *buffer, uint64_t bytes)
{
    static const char zeros[64];
    const uint64_t before = buffer->bytes.length;
    if (bytes > before && bytes - before > CAT_PACKAGE_BYTES - r->bytes)
        return cli_refuse(r, "buffers of more than %zu MiB", CAT_PACKAGE_BYTES >> 20);
    r->bytes += bytes > before ? bytes - before : 0;
    for (uint64_t left; buffer->bytes.length < bytes;) {
        left = bytes - buffer->bytes.length;
        text_append(&buffer->bytes, zeros, left < sizeof zeros ? (size_t)left : sizeof zeros);
    }
    return true;
}

static bool put_value(struct cli_reader *r, struct cli_script_buffer *buffer, uint64_t n)
{
    const struct cli_type *type = &buffer->type;
    const uint64_t at = cli_type_offset(type, n);
    struct cli_value value;
    uint8_t bytes[8];
    if (!cli_value_parse(type, r->token, &value))
        return cli_refuse_token(r, "no value of the buffer's type");
    if (!make_room(r, buffer, (at / type->bytes + 1) * type->bytes))
        return false;
    cli_value_bytes(type, &value, NULL, 0, bytes);
    memcpy(buffer->bytes.data + at, bytes, type->bits / 8);
    return true;
}

// Values up to END, on any lines.
static bool read_data(struct cli_reader *r, struct cli_script_buffer *buffer)
{
    for (uint64_t n = 0;; n++) {
        for (cli_next(r); cli_is(r, "\n"); cli_next(r))
            r->line++;
        if (cli_is(r, "END"))
            return n > 0 || cli_refuse(r, "a buffer without data");
        if (cli_is(r, ""))
            return cli_refuse(r, "DATA without END");
        if (!put_value(r, buffer, n))
            return false;
    }
}

// `count` elements, each of one value, or of a series.
static bool read_series(struct cli_reader *r, struct cli_script_buffer *buffer, uint64_t count)
{
    const struct cli_type *type = &buffer->type;
    const uint64_t numbers = count * type->columns * type->rows;
    const bool series = cli_is(r, "SERIES_FROM");
    struct cli_value first = {0}, step = {0};
    uint8_t bytes[8];
    if (series && type->rows * type->columns > 1)
        return cli_refuse(r, "SERIES_FROM is for numbers");
    if (!cli_at_end(r) && !cli_value_parse(type, cli_next(r), &first))
        return cli_refuse_token(r, "no value of the buffer's type");
    if (series && !cli_expect_word(r, "INC_BY"))
        return false;
    if (series && !cli_value_parse(type, cli_next(r), &step))
        return cli_refuse_token(r, "no value of the buffer's type");
    if (!make_room(r, buffer, count * type->bytes))
        return false;
    for (uint64_t n = 0; n < numbers; n++) {
        cli_value_bytes(type, &first, &step, n, bytes);
        memcpy(buffer->bytes.data + cli_type_offset(type, n), bytes, type->bits / 8);
    }
    return true;
}

// Values of a file, as many as it has: Amber does not look at the SIZE.
static bool read_text(struct cli_reader *r, struct cli_script_buffer *buffer, const char *file)
{
    OWNED(text_free) struct text values = {0};
    struct lit_error why = {0};
    const struct cli_reader before = *r;
    uint64_t n = 0;
    bool good = true;
    if (!cli_kernel_bytes(file, CAT_PACKAGE_BYTES, &values, &why))
        return cli_refuse(r, "%.280s", why.message);
    r->at = values.data;
    r->end = values.data + values.length;
    for (cli_next(r); good && !cli_is(r, ""); cli_next(r))
        good = cli_is(r, "\n") || put_value(r, buffer, n++);
    r->at = before.at;
    r->end = before.end;
    r->line = before.line;
    return good && (n || cli_refuse(r, "%.150s has no values", file));
}

static bool read_file(struct cli_reader *r, struct cli_script_buffer *buffer, uint64_t count)
{
    struct lit_error why = {0};
    const bool binary = strcmp(cli_next(r), "BINARY") == 0;
    if (cli_is(r, "PNG"))
        return cli_refuse_token(r, "not supported");
    if (binary || cli_is(r, "TEXT"))
        cli_next(r);
    if (cli_at_end(r))
        return cli_refuse_token(r, "expected a file");
    OWNED(lit_free) char *file = file_of(r, r->token);
    if (!binary)
        return read_text(r, buffer, file);
    if (!cli_kernel_bytes(file, CAT_PACKAGE_BYTES, &buffer->bytes, &why))
        return cli_refuse(r, "%.280s", why.message);
    r->bytes += buffer->bytes.length;
    if (r->bytes > CAT_PACKAGE_BYTES)
        return make_room(r, buffer, UINT64_MAX);
    return buffer->bytes.length == count * buffer->type.bytes ||
           cli_refuse(r, "%.150s has %zu bytes, where the buffer has %" PRIu64, file,
                      buffer->bytes.length, count * buffer->type.bytes);
}

// What stands behind the type.
static bool read_contents(struct cli_reader *r, struct cli_script_buffer *buffer)
{
    uint64_t count;
    if (cli_is(r, "DATA"))
        return read_data(r, buffer) && cli_end_line(r);
    if (!cli_is(r, "SIZE"))
        return cli_refuse_token(r, "not supported");
    if (!cli_take_count(r, CAT_PACKAGE_BYTES / buffer->type.bytes, &count))
        return false;
    if (!count)
        return cli_refuse(r, "an empty buffer");
    cli_next(r);
    if (cli_is(r, "FILE"))
        return read_file(r, buffer, count) && cli_end_line(r);
    if (!cli_at_end(r) && !cli_is(r, "FILL") && !cli_is(r, "SERIES_FROM"))
        return cli_refuse_token(r, "not supported");
    const bool bare = cli_at_end(r);
    if (!read_series(r, buffer, count))
        return false;
    r->line += bare && cli_is(r, "\n");
    return bare || cli_end_line(r);
}

static bool read_buffer(struct cli_reader *r)
{
    struct cli_script_buffer *made = &LIT_ADD(r->buffers, r->buffer_count);
    char type[CLI_TOKEN];
    *made = (struct cli_script_buffer){.held = CLI_NONE, .like = CLI_NONE};
    if (!cli_take_name(r, made->name))
        return false;
    if (find_buffer(r, made->name) != r->buffer_count - 1)
        return cli_refuse_token(r, "there is a buffer of this name");
    if (strcmp(cli_next(r), "DATA_TYPE") != 0)
        return cli_refuse_token(r, "expected DATA_TYPE");
    strcpy(type, cli_next(r));
    if (!cli_type_parse(type, false, &made->type))
        return cli_refuse_token(r, "not supported");
    cli_next(r);
    if (cli_is(r, "STD140") && !cli_type_parse(type, true, &made->type))
        return false;
    if (cli_is(r, "STD140") || cli_is(r, "STD430"))
        cli_next(r);
    return read_contents(r, made);
}

// --- PIPELINE

static bool read_specialization(struct cli_reader *r, struct cli_script_pipeline *pipeline)
{
    struct cli_type type;
    uint64_t id;
    struct cli_value value;
    uint8_t bytes[8];
    if (!cli_take_count(r, UINT32_MAX, &id) || !cli_expect_word(r, "AS"))
        return false;
    if (!cli_type_parse(cli_next(r), false, &type) || type.bits < 32 || type.rows != 1)
        return cli_refuse_token(r, "not a type of 32 or 64 bits");
    if (!cli_value_parse(&type, cli_next(r), &value))
        return cli_refuse_token(r, "no value of the constant's type");
    cli_value_bytes(&type, &value, NULL, 0, bytes);
    return cli_put_spec(pipeline->specs, &pipeline->spec_count, (uint32_t)id, type.bits, bytes) ||
           cli_refuse(r, "more than %d of SPECIALIZE", CAT_MOST_SPEC);
}

static bool read_attach(struct cli_reader *r, struct cli_script_pipeline *pipeline)
{
    char name[CAT_ENTRY_SIZE];
    if (!cli_take_name(r, name))
        return false;
    if (pipeline->shader != CLI_NONE && find_shader(r, name) != pipeline->shader)
        return cli_refuse_token(r, "a second shader");
    pipeline->shader = find_shader(r, name);
    if (pipeline->shader == CLI_NONE)
        return cli_refuse_token(r, "there is no such shader");
    for (cli_next(r); !cli_at_end(r); cli_next(r)) {
        bool good = true;
        if (cli_is(r, "TYPE"))
            good = cli_expect_word(r, "compute");
        else if (cli_is(r, "ENTRY_POINT"))
            good = cli_take_name(r, pipeline->entry);
        else if (cli_is(r, "SPECIALIZE"))
            good = read_specialization(r, pipeline);
        else
            good = cli_refuse_token(r, "not supported");
        if (!good)
            return false;
    }
    r->line += cli_is(r, "\n");
    return true;
}

static bool take_switch(struct cli_reader *r, bool *on)
{
    cli_next(r);
    *on = cli_is(r, "on");
    return *on || cli_is(r, "off") || cli_refuse_token(r, "expected on or off");
}

static bool read_subgroup(struct cli_reader *r, struct cli_script_pipeline *pipeline)
{
    char name[CAT_ENTRY_SIZE];
    uint64_t size;
    bool varying;
    if (!cli_take_name(r, name))
        return false;
    if (pipeline->shader == CLI_NONE || find_shader(r, name) != pipeline->shader)
        return cli_refuse_token(r, "not the shader that is attached");
    if (!cli_end_line(r))
        return false;
    for (cli_next(r); !cli_is(r, "END"); cli_next(r)) {
        if (cli_is(r, "\n")) {
            r->line++;
        } else if (cli_is(r, "FULLY_POPULATED")) {
            if (!take_switch(r, &pipeline->full))
                return false;
        } else if (cli_is(r, "VARYING_SIZE")) {
            if (!take_switch(r, &varying))
                return false;
            if (varying)
                return cli_refuse(r, "VARYING_SIZE on is not supported");
        } else if (cli_is(r, "REQUIRED_SIZE")) {
            const char *before = r->at;
            if (strcmp(cli_next(r), "MIN") == 0 || cli_is(r, "MAX"))
                return cli_refuse_token(r, "not supported: a size is a number");
            r->at = before;
            if (!cli_take_count(r, 128, &size))
                return false;
            if (!size || size & (size - 1))
                return cli_refuse_token(r, "not a subgroup size");
            pipeline->subgroup = (uint32_t)size;
        } else {
            return cli_refuse_token(r, "not supported");
        }
    }
    return cli_end_line(r);
}

// Those of BIND BUFFER, or of BIND BUFFER_ARRAY, up to AS.
static bool take_buffers(struct cli_reader *r, size_t *buffers, size_t *count)
{
    const bool array = strcmp(cli_next(r), "BUFFER_ARRAY") == 0;
    if (!array && !cli_is(r, "BUFFER"))
        return cli_refuse_token(r, "only buffers are supported");
    do {
        const char *before = r->at;
        if (*count && strcmp(cli_next(r), "AS") == 0)
            return true;
        r->at = *count ? before : r->at;
        if (*count == (array ? CLI_MOST_BINDS : 1))
            return cli_refuse(r, array ? "more than %d bindings" : "expected AS", CLI_MOST_BINDS);
    } while (cli_take_buffer(r, &buffers[(*count)++]));
    return false;
}

static bool read_bind(struct cli_reader *r, struct cli_script_pipeline *pipeline)
{
    struct cli_script_bind bind = {0};
    size_t buffers[CLI_MOST_BINDS], count = 0;
    uint64_t set, binding;
    const char *at = r->at;
    const bool array = strcmp(cli_next(r), "BUFFER_ARRAY") == 0;
    r->at = at;
    if (!take_buffers(r, buffers, &count))
        return false;
    cli_next(r);
    if (cli_is(r, "push_constant") && !array) {
        pipeline->push = buffers[0];
        return cli_end_line(r);
    }
    bind.uniform = cli_is(r, "uniform");
    if (!bind.uniform && !cli_is(r, "storage"))
        return cli_refuse_token(r, "only storage, uniform and push_constant are supported");
    if (!cli_expect_word(r, "DESCRIPTOR_SET") || !cli_take_count(r, CAT_MOST_SETS - 1, &set) ||
        !cli_expect_word(r, "BINDING") || !cli_take_count(r, UINT32_MAX, &binding))
        return false;
    bind.set = (uint32_t)set;
    bind.binding = (uint32_t)binding;
    for (size_t i = 0; i < pipeline->bind_count; i++)
        if (pipeline->binds[i].set == bind.set && pipeline->binds[i].binding == bind.binding)
            pipeline->binds[i--] = pipeline->binds[--pipeline->bind_count];
    if (count > CLI_MOST_BINDS - pipeline->bind_count)
        return cli_refuse(r, "more than %d bindings", CLI_MOST_BINDS);
    for (size_t i = 0; i < count; i++) {
        bind.buffer = buffers[i];
        bind.element = array ? (uint32_t)i + 1 : 0;
        pipeline->binds[pipeline->bind_count++] = bind;
    }
    return cli_end_line(r);
}

static bool read_pipeline(struct cli_reader *r, bool derived)
{
    struct cli_script_pipeline *made = &LIT_ADD(r->pipelines, r->pipeline_count);
    char parent[CAT_ENTRY_SIZE];
    *made = (struct cli_script_pipeline){
        .entry = "main", .shader = CLI_NONE, .push = CLI_NONE, .planned = CLI_NONE};
    if (!derived && strcmp(cli_next(r), "compute") != 0)
        return cli_refuse_token(r, "only compute pipelines are supported");
    if (!cli_take_name(r, made->name))
        return false;
    if (cli_find_pipeline(r, made->name) != r->pipeline_count - 1)
        return cli_refuse_token(r, "there is a pipeline of this name");
    if (derived) {
        if (!cli_expect_word(r, "FROM") || !cli_take_name(r, parent))
            return false;
        const size_t of = cli_find_pipeline(r, parent);
        if (of == CLI_NONE || of == r->pipeline_count - 1)
            return cli_refuse_token(r, "there is no such pipeline");
        strcpy(parent, made->name);
        *made = r->pipelines[of];
        strcpy(made->name, parent);
        made->planned = CLI_NONE;
    }
    for (cli_next(r); !cli_is(r, "END"); cli_next(r)) {
        bool good = true;
        if (cli_is(r, "\n"))
            r->line++;
        else if (cli_is(r, "ATTACH"))
            good = read_attach(r, made);
        else if (cli_is(r, "SUBGROUP"))
            good = read_subgroup(r, made);
        else if (cli_is(r, "BIND"))
            good = read_bind(r, made);
        else
            good = cli_refuse_token(r, "not supported in a pipeline");
        if (!good)
            return false;
    }
    return cli_end_line(r);
}

// --- The whole

// What litmus enables follows from the module; robust accesses it does not enable. As Vulkan names
// them, an extension begins with VK_, and a feature, which may stand behind the name of its
// structure, with a small letter.
static bool read_feature(struct cli_reader *r)
{
    const bool extends = !cli_is(r, "DEVICE_FEATURE");
    const char *name = cli_next(r), *dot = strrchr(name, '.');
    const char *last = dot ? dot + 1 : name;
    if (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")] ||
        (extends ? strncmp(name, "VK_", 3) != 0 : *last < 'a' || *last > 'z'))
        return cli_refuse_token(r, extends ? "not an extension" : "not a feature");
    if (strstr(r->token, "obust"))
        return cli_refuse_token(r, "not supported");
    return cli_end_line(r);
}

static bool read_setting(struct cli_reader *r)
{
    uint64_t number;
    cli_next(r);
    if (!cli_is(r, "ENGINE_DATA") || strcmp(cli_next(r), "fence_timeout_ms") != 0)
        return cli_refuse_token(r, "not supported");
    return cli_take_count(r, UINT32_MAX, &number) &&
           cli_end_line(r); // litmus has limits of its own
}

static bool read_command(struct cli_reader *r);

// What stands up to END is done several times; of what may, only RUN makes a difference.
static bool read_repeat(struct cli_reader *r)
{
    uint64_t times;
    if (!cli_take_count(r, 1 + CAT_MOST_STEPS, &times) || !cli_end_line(r))
        return false;
    const char *at = r->at;
    const size_t line = r->line;
    for (uint64_t i = 0; i < times; i++) {
        r->at = at;
        r->line = line;
        for (cli_next(r); !cli_is(r, "END"); cli_next(r)) {
            if (cli_is(r, "\n"))
                r->line++;
            else if (!cli_is(r, "RUN"))
                return cli_refuse_token(r, "not supported within REPEAT");
            else if (!read_command(r))
                return false;
        }
    }
    return times ? cli_end_line(r) : cli_refuse(r, "REPEAT 0 is not supported");
}

static bool read_command(struct cli_reader *r)
{
    if (cli_is(r, "SHADER"))
        return read_shader(r);
    if (cli_is(r, "BUFFER"))
        return read_buffer(r);
    if (cli_is(r, "PIPELINE") || cli_is(r, "DERIVE_PIPELINE"))
        return read_pipeline(r, cli_is(r, "DERIVE_PIPELINE"));
    if (cli_is(r, "RUN"))
        return cli_read_run(r);
    if (cli_is(r, "EXPECT"))
        return cli_read_expect(r);
    if (cli_is(r, "DEVICE_FEATURE") || cli_is(r, "DEVICE_EXTENSION") ||
        cli_is(r, "INSTANCE_EXTENSION"))
        return read_feature(r);
    if (cli_is(r, "REPEAT"))
        return read_repeat(r);
    if (cli_is(r, "SET"))
        return read_setting(r);
    return cli_refuse_token(r, "not supported");
}

// Buffers that are to be like others: nothing else is expected of them, and of those nothing else
// than what the script says.
static void settle_likes(struct cli_reader *r)
{
    for (size_t i = 0; i < r->buffer_count; i++) {
        if (r->buffers[i].like == CLI_NONE)
            continue;
        struct cli_held *held = &r->plan->buffers[r->buffers[i].held];
        held->like = r->buffers[r->buffers[i].like].held + 1;
        struct cli_held *model = &r->plan->buffers[held->like - 1];
        if (!held->after)
            held->after = lit_alloc(held->words, sizeof *held->after);
        if (model->after)
            continue;
        model->after = lit_alloc(model->words, sizeof *model->after);
        model->counts = lit_alloc(model->words, sizeof *model->counts);
    }
}

// Hands over what the script expects.
static bool settle(struct cli_reader *r)
{
    bool expects = false;
    if (!r->plan->dispatch_count)
        return cli_refuse(r, "nothing is run: there is no RUN");
    for (size_t i = 0; i < r->buffer_count && !r->script->agrees; i++) {
        struct cli_script_buffer *buffer = &r->buffers[i];
        expects |= buffer->like != CLI_NONE;
        if (!buffer->expected)
            continue;
        struct cli_held *held = &r->plan->buffers[buffer->held];
        const size_t size = held->words * 4;
        held->after = lit_alloc(held->words, sizeof *held->after);
        memcpy(held->after, buffer->expected, size);
        held->may = buffer->may;
        expects = true;
        if (!memchr(buffer->counts, 0, size))
            continue;
        held->counts = lit_alloc(held->words, sizeof *held->counts);
        memcpy(held->counts, buffer->counts, size);
    }
    if (!r->script->agrees)
        settle_likes(r);
    return expects || r->script->agrees ||
           cli_refuse(r, "no EXPECT says what a RUN is to store: --expect agree");
}

static void clear(struct cli_reader *r)
{
    for (size_t i = 0; i < r->shader_count; i++)
        free(r->shaders[i].words);
    for (size_t i = 0; i < r->buffer_count; i++) {
        text_free(&r->buffers[i].bytes);
        free(r->buffers[i].expected);
        free(r->buffers[i].counts);
    }
    free(r->shaders);
    free(r->buffers);
    free(r->pipelines);
}

bool cli_script_read(const struct cli_script *script, struct cli_plan *plan,
                     struct lit_error *error)
{
    struct cli_reader r = {.script = script,
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
        cli_refuse(&r, "the first line of an Amber script is %s", first);
    r.at += good ? sizeof first - 1 : 0;
    good = good && cli_end_line(&r);
    while (good && *cli_next(&r)) {
        if (cli_is(&r, "\n"))
            r.line++;
        else
            good = read_command(&r);
    }
    good = good && settle(&r);
    clear(&r);
    return good;
}
