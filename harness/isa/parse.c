// SPDX-License-Identifier: Apache-2.0
// Runs nvdisasm, and parses its output. A line with an instruction:
//         /*0090*/               @P0 BRA `(.L_x_3) ;          /* 0x0000006000000947 */
// A line with a label, which names the address of the next instruction: ".L_x_3:".

#include "isa/sass.h"

#include "base/program.h"

#include <unistd.h>

#define MAX_INSNS       (1u << 24)
#define SECONDS         20    // for sass_from_bytes
#define OUTPUT_OF_INSN  512   // bytes of text, several times nvdisasm's usual
#define OUTPUT_AT_LEAST 65536 // allowance for nvdisasm's other output

struct label {
    const char *name;
    size_t length;
    uint32_t address;
};

struct reader {
    const char *at, *end; // remaining text
    struct sass_code *code;
    struct label *labels;
    size_t label_count;
    struct lit_error *error;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

// "/*00a0*/" at the start of a line; advances *at past it.
static bool read_address(const char **at, const char *end, uint64_t *address)
{
    const char *c = *at;
    if (end - c < 2 || c[0] != '/' || c[1] != '*')
        return false;
    uint64_t value = 0;
    const char *first = c += 2;
    for (; c < end && c - first < 12; c++) {
        const char *digits = "0123456789abcdef", *digit = *c ? strchr(digits, *c) : NULL;
        if (!digit)
            break;
        value = value << 4 | (uint64_t)(digit - digits);
    }
    if (c == first || end - c < 2 || c[0] != '*' || c[1] != '/')
        return false;
    *at = c + 2;
    *address = value;
    return true;
}

// Collapses blanks, and drops them before commas and at both ends. False: too long, or unprintable.
static bool copy_text(const char *at, const char *end, char target[SASS_TEXT_MAX])
{
    size_t length = 0;
    for (; at < end; at++) {
        if (is_blank(*at)) {
            if (length == 0 || target[length - 1] == ' ')
                continue;
        } else if (*at < 0x20 || *at > 0x7e) {
            return false;
        } else if (*at == ',' && length > 0 && target[length - 1] == ' ') {
            length--;
        }
        if (length + 1 >= SASS_TEXT_MAX)
            return false;
        target[length++] = is_blank(*at) ? ' ' : *at;
    }
    while (length > 0 && target[length - 1] == ' ')
        length--;
    target[length] = '\0';
    return length > 0;
}

static bool add_insn(struct reader *reader, uint64_t address, const char *at, const char *end)
{
    struct sass_code *code = reader->code;
    if (address != code->count * SASS_BYTES)
        return lit_fail(reader->error, LIT_EXIT_USAGE,
                        "nvdisasm wrote no instruction for address 0x%zx",
                        code->count * SASS_BYTES);
    char text[SASS_TEXT_MAX];
    if (code->count == MAX_INSNS || !copy_text(at, end, text))
        return lit_fail(reader->error, LIT_EXIT_USAGE,
                        "nvdisasm wrote an instruction that cannot be read at address 0x%zx",
                        code->count * SASS_BYTES);
    LIT_ADD(code->insns, code->count) =
        (struct sass_insn){.address = (uint32_t)address, .text = lit_strdup(text)};
    return true;
}

static void add_label(struct reader *reader, const char *name, size_t length)
{
    reader->labels = lit_grow(reader->labels, reader->label_count, sizeof *reader->labels);
    const uint32_t next = (uint32_t)(reader->code->count * SASS_BYTES);
    reader->labels[reader->label_count++] = (struct label){name, length, next};
}

static bool read_line(struct reader *reader)
{
    const char *line = reader->at;
    const char *end = memchr(line, '\n', (size_t)(reader->end - line));
    reader->at = end ? end + 1 : reader->end;
    end = end ? end : reader->end;

    const char *at = skip_blanks(line, end);
    uint64_t address;
    if (read_address(&at, end, &address)) {
        const char *semicolon = memchr(at, ';', (size_t)(end - at));
        return add_insn(reader, address, skip_blanks(at, end), semicolon ? semicolon : end);
    }
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (colon && at < colon && *at == '.')
        add_label(reader, at, (size_t)(colon - at));
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    const int order = memcmp(x->name, y->name, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

// "BRA `(.L_x_3)" becomes "BRA 0x1a0". Undefined labels are kept.
static void resolve(const struct reader *reader, struct sass_insn *insn)
{
    char *open = strstr(insn->text, "`("), *close = open ? strchr(open, ')') : NULL;
    if (!close || reader->label_count == 0)
        return;
    const struct label key = {.name = open + 2, .length = (size_t)(close - open - 2)};
    const struct label *label =
        bsearch(&key, reader->labels, reader->label_count, sizeof key, by_name);
    if (!label)
        return;
    struct text text = {0};
    text_append(&text, insn->text, (size_t)(open - insn->text));
    text_printf(&text, "0x%x", label->address);
    text_puts(&text, close + 1);
    free(insn->text);
    insn->text = text.data;
}

bool sass_parse(const char *text, size_t length, uint32_t architecture, struct sass_code *code,
                struct lit_error *error)
{
    *code = (struct sass_code){.architecture = architecture};
    struct reader reader = {.at = text, .end = text + length, .code = code, .error = error};
    bool good = true;
    while (good && reader.at < reader.end)
        good = read_line(&reader);
    if (good && code->count == 0)
        good = lit_fail(error, LIT_EXIT_USAGE, "nvdisasm wrote no instruction");
    if (good) {
        if (reader.label_count > 0)
            qsort(reader.labels, reader.label_count, sizeof *reader.labels, by_name);
        for (size_t i = 0; i < code->count; i++) {
            resolve(&reader, &code->insns[i]);
            sass_effects(&code->insns[i]);
        }
        sass_complete(code);
    } else {
        sass_code_clear(code);
    }
    free(reader.labels);
    return good;
}

bool sass_nvdisasm(const uint8_t *bytes, size_t size, uint32_t architecture, double seconds,
                   struct sass_code *code, struct lit_error *error)
{
    const char *named = getenv("LITMUS_NVDISASM");
    const char *program = named && named[0] ? named : "nvdisasm";
    const size_t count = size / SASS_BYTES, limit = OUTPUT_AT_LEAST + OUTPUT_OF_INSN * count;
    OWNED(text_free) struct text path = {0}, text = {0};
    *code = (struct sass_code){0};
    char model[16];
    snprintf(model, sizeof model, "SM%u", architecture);
    bool good = lit_file_temporary(bytes, size, &path, error);
    if (good) {
        const char *const words[] = {program, "-b", model, path.data, NULL};
        good = lit_program_run(words, seconds, limit, &text, error) &&
               sass_parse(text.data ? text.data : "", text.length, architecture, code, error);
        unlink(path.data);
    }
    if (good && code->count != count) {
        good = lit_fail(error, LIT_EXIT_USAGE, "%s wrote %zu of %zu instructions", program,
                        code->count, count);
        sass_code_clear(code);
    }
    return good;
}

bool sass_from_bytes(const uint8_t *bytes, size_t size, uint32_t architecture,
                     struct sass_code *code, struct lit_error *error)
{
    return sass_nvdisasm(bytes, size, architecture, SECONDS, code, NULL) ||
           sass_decode(bytes, size, architecture, code, error);
}
