// SPDX-License-Identifier: Apache-2.0
// A small preprocessor, and the choice of lines.
#include "report/excerpt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MACROS      96
#define MOST_NESTING     24
#define MOST_MACROS_DEEP 4
#define MOST_INCLUDES    6  // one in another
#define MOST_ABOVE       16 // lines of the paragraph above the instruction

struct macro {
    char name[48];
    long value;
    const char *text; // the line that defines it, NULL if the build does
};

struct reader {
    const struct report_include *includes;
    struct macro macros[MOST_MACROS];
    size_t macro_count;
    const char **lines; // active ones, into the source
    size_t count, room;
};

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static const struct macro *find_macro(const struct reader *reader, const char *name, size_t length)
{
    // The newest counts.
    for (size_t i = reader->macro_count; i-- > 0;) {
        const struct macro *macro = &reader->macros[i];
        if (strlen(macro->name) == length && memcmp(macro->name, name, length) == 0)
            return macro;
    }
    return NULL;
}

static void define(struct reader *reader, const char *name, size_t length, long value,
                   const char *text)
{
    if (reader->macro_count == MOST_MACROS || length >= sizeof(reader->macros[0].name))
        return;
    struct macro *macro = &reader->macros[reader->macro_count++];
    memcpy(macro->name, name, length);
    macro->name[length] = '\0';
    macro->value = value;
    macro->text = text;
}

// AXIS_VALUE for each axis=value, as the build defines them.
static void define_variant(struct reader *reader, const char *variant)
{
    while (*variant) {
        size_t length = strcspn(variant, ",");
        char name[96] = "";
        for (size_t i = 0; i < length && i + 1 < sizeof(name); i++)
            name[i] =
                isalnum((unsigned char)variant[i]) ? (char)toupper((unsigned char)variant[i]) : '_';
        define(reader, name, strlen(name), 1, NULL);
        variant += length + (variant[length] == ',');
    }
}

// Expressions of #if: || && ! == != < > <= >= ( ) defined(X) numbers names

struct expression {
    const struct reader *reader;
    const char *at;
    unsigned depth;
};

static long any_of(struct expression *e);

static void skip_blanks(struct expression *e)
{
    while (*e->at == ' ' || *e->at == '\t')
        e->at++;
}

static bool take(struct expression *e, const char *token)
{
    skip_blanks(e);
    size_t length = strlen(token);
    if (strncmp(e->at, token, length) != 0)
        return false;
    e->at += length;
    return true;
}

static long value_of(struct expression *e)
{
    skip_blanks(e);
    if (e->depth > MOST_NESTING)
        return 0;
    if (*e->at == '!' && e->at[1] != '=') {
        e->at++;
        e->depth++;
        long value = !value_of(e);
        e->depth--;
        return value;
    }
    if (take(e, "(")) {
        e->depth++;
        long value = any_of(e);
        e->depth--;
        take(e, ")");
        return value;
    }
    if (isdigit((unsigned char)*e->at)) {
        char *end;
        long value = strtol(e->at, &end, 0);
        e->at = end;
        return value;
    }
    const char *name = e->at;
    size_t length = word_length(name);
    e->at += length;
    if (length == 7 && memcmp(name, "defined", 7) == 0) {
        bool closed = take(e, "(");
        skip_blanks(e);
        name = e->at;
        length = word_length(name);
        e->at += length;
        if (closed)
            take(e, ")");
        return find_macro(e->reader, name, length) != NULL;
    }
    const struct macro *macro = find_macro(e->reader, name, length);
    return macro ? macro->value : 0;
}

static long compared(struct expression *e)
{
    long left = value_of(e);
    if (take(e, "=="))
        return left == value_of(e);
    if (take(e, "!="))
        return left != value_of(e);
    if (take(e, "<="))
        return left <= value_of(e);
    if (take(e, ">="))
        return left >= value_of(e);
    if (take(e, "<"))
        return left < value_of(e);
    if (take(e, ">"))
        return left > value_of(e);
    return left;
}

static long all_of(struct expression *e)
{
    long value = compared(e);
    while (take(e, "&&"))
        value = (compared(e) != 0) & (value != 0);
    return value;
}

static long any_of(struct expression *e)
{
    long value = all_of(e);
    while (take(e, "||"))
        value = (all_of(e) != 0) | (value != 0);
    return value;
}

// Directives

static bool is_word(const char *at, const char *word)
{
    size_t length = strlen(word);
    return strncmp(at, word, length) == 0 && !isalnum((unsigned char)at[length]);
}

struct nesting {
    bool active[MOST_NESTING + 1]; // whether lines at this depth count; [0] is the file
    bool taken[MOST_NESTING + 1];  // a branch of this #if was taken
    size_t depth;
};

static void read_directive(struct reader *reader, struct nesting *in, const char *line)
{
    const char *at = line + 1;
    while (*at == ' ' || *at == '\t')
        at++;
    struct expression e = {.reader = reader, .at = at + word_length(at)};
    skip_blanks(&e);
    bool begins = is_word(at, "if") || is_word(at, "ifdef") || is_word(at, "ifndef");
    if (begins && in->depth < MOST_NESTING) {
        bool value = is_word(at, "if") ? any_of(&e)
                                       : (find_macro(reader, e.at, word_length(e.at)) != NULL) ==
                                             (bool)is_word(at, "ifdef");
        bool outer = in->active[in->depth++];
        in->active[in->depth] = outer && value;
        in->taken[in->depth] = value;
    } else if (is_word(at, "elif") && in->depth > 0) {
        bool value = !in->taken[in->depth] && any_of(&e);
        in->active[in->depth] = in->active[in->depth - 1] && value;
        in->taken[in->depth] |= value;
    } else if (is_word(at, "else") && in->depth > 0) {
        in->active[in->depth] = in->active[in->depth - 1] && !in->taken[in->depth];
        in->taken[in->depth] = true;
    } else if (is_word(at, "endif") && in->depth > 0) {
        in->depth--;
    } else if (is_word(at, "define") && in->active[in->depth]) {
        size_t length = word_length(e.at);
        define(reader, e.at, length, strtol(e.at + length, NULL, 0), line);
    }
}

static bool is_license(const char *line)
{
    static const char mark[] = "SPDX-License-Identifier";
    const char *at = line + strspn(line, ";/ ");
    return strncmp(at, mark, sizeof(mark) - 1) == 0;
}

static void keep(struct reader *reader, const char *line)
{
    if (reader->count == reader->room)
        reader->lines = lit_realloc(reader->lines, reader->room = reader->room * 2 + 256,
                                    sizeof(*reader->lines));
    reader->lines[reader->count++] = line;
}

// Where the lines end of which each but the last ends with a backslash.
static const char *end_of_lines(const char *line, const char *end)
{
    for (;;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        if (!newline)
            return end;
        if (newline == line || newline[-1] != '\\')
            return newline + 1;
        line = newline + 1;
    }
}

static void read_lines(struct reader *reader, const char *source, const char *end, unsigned depth);

// The text of a line `#include "../common/NAME"`, NULL for any other.
static const char *find_include(const struct reader *reader, const char *line)
{
    const char *at = line + 1 + strspn(line + 1, " \t");
    size_t length = strcspn(line, "\n");
    const char *close = memrchr(line, '"', length), *name = close;
    if (!is_word(at, "include") || !close)
        return NULL;
    while (name > line && name[-1] != '/' && name[-1] != '"')
        name--;
    for (const struct report_include *file = reader->includes; file->name; file++)
        if (strlen(file->name) == (size_t)(close - name) &&
            memcmp(file->name, name, (size_t)(close - name)) == 0)
            return file->text;
    return NULL;
}

static void read_line(struct reader *reader, struct nesting *in, const char *line, unsigned depth)
{
    const char *included = *line == '#' ? find_include(reader, line) : NULL;
    if (*line == '#')
        read_directive(reader, in, line);
    else if (in->active[in->depth] && !is_license(line))
        keep(reader, line);
    if (included && in->active[in->depth] && depth < MOST_INCLUDES)
        read_lines(reader, included, included + strlen(included), depth + 1);
}

static void read_lines(struct reader *reader, const char *source, const char *end, unsigned depth)
{
    struct nesting in = {.active = {true}};
    for (const char *line = source, *next; line < end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        next = *line == '#' ? end_of_lines(line, end) : newline ? newline + 1 : end;
        read_line(reader, &in, line, depth);
    }
}

// Which lines

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\n';
}

static bool is_comment(const char *line)
{
    return line[0] == ';' || strncmp(line + strspn(line, " "), "//", 2) == 0;
}

// One of the words is in so many bytes of code, and not a capability.
static bool has_word(const char *code, size_t length, const char *const *words)
{
    const char *capability = strstr(code, "OpCapability");
    if (capability && (size_t)(capability - code) < length)
        return false;
    for (; *words; words++) {
        const char *at = strstr(code, *words);
        if (at && (size_t)(at - code) < length)
            return true;
    }
    return false;
}

// The macro that these bytes use, by themselves or through another one, in which one of the words
// is.
static const struct macro *find_use(const struct reader *reader, const char *code, size_t left,
                                    const char *const *words, unsigned depth)
{
    while (left > 0 && depth < MOST_MACROS_DEEP) {
        size_t length = word_length(code);
        const struct macro *macro = length ? find_macro(reader, code, length) : NULL;
        if (macro && macro->text) {
            const char *text = macro->text;
            size_t size = (size_t)(end_of_lines(text, text + strlen(text)) - text);
            if (has_word(text, size, words))
                return macro;
            // Behind its own name.
            size_t head = (size_t)(strstr(text, macro->name) - text) + strlen(macro->name);
            const struct macro *inner =
                find_use(reader, text + head, size - head, words, depth + 1);
            if (inner)
                return inner;
        }
        length += length == 0;
        code += length;
        left -= length;
    }
    return NULL;
}

// The first line of a kind, or the number of lines. *macro: the one through which it is.
static size_t find_kind(const struct reader *reader, size_t from, const char *const *words,
                        const struct macro **macro)
{
    for (size_t i = from; i < reader->count; i++) {
        const char *line = reader->lines[i];
        *macro = NULL;
        if (is_comment(line))
            continue;
        if (has_word(line, strcspn(line, "\n"), words) ||
            (*macro = find_use(reader, line, strcspn(line, "\n"), words, 0)) != NULL)
            return i;
    }
    return reader->count;
}

static const char *const group[] = {
    "OpGroup",   "OpSubgroup", "subgroupA", "subgroupB", "subgroupC", "subgroupE", "subgroupI",
    "subgroupM", "subgroupO",  "subgroupQ", "subgroupR", "subgroupS", "subgroupX", NULL};
static const char *const barrier[] = {"OpControlBarrier",      "OpMemoryBarrier", "subgroupBarrier",
                                      "subgroupMemoryBarrier", "barrier(",        NULL};
static const char *const atomic[] = {"OpAtomic", "atomic", NULL};
static const char *const stores[] = {"OpStore", " = ", NULL};

static size_t find_subject(const struct reader *reader, const char *family,
                           const struct macro **macro)
{
    static const char *const *const orders[][4] = {{atomic, group, barrier, stores},
                                                   {barrier, group, atomic, stores},
                                                   {group, barrier, atomic, stores}};
    static const char *const functions[] = {"OpFunction ", "void main", NULL};
    bool shared =
        !strcmp(family, "lookback") || !strcmp(family, "memory") || !strcmp(family, "progress");
    size_t order = shared ? 0 : strcmp(family, "barrier") == 0 ? 1 : 2;
    size_t code = find_kind(reader, 0, functions, macro);
    size_t at = reader->count;
    for (size_t i = 0; i < 4 && at == reader->count; i++)
        at = find_kind(reader, code < reader->count ? code : 0, orders[order][i], macro);
    return at;
}

// A definition and a blank line. Returns how many lines.
static size_t put_macro(struct text *out, const struct macro *macro, size_t most)
{
    const char *line = macro->text, *end = end_of_lines(line, line + strlen(line));
    size_t count = 0;
    for (const char *at = line; at < end; at++)
        count += *at == '\n';
    if (count + 8 > most)
        return 0;
    text_append(out, line, (size_t)(end - line));
    text_puts(out, "\n");
    return count + 1;
}

static void put_lines(struct text *out, const struct reader *reader, size_t most, size_t subject)
{
    size_t begin = subject;
    while (begin > 0 && subject - begin < MOST_ABOVE && begin + most > subject + 1 &&
           !is_blank(reader->lines[begin - 1]))
        begin--;
    size_t end = begin + most < reader->count ? begin + most : reader->count;
    // A paragraph that is cut is no pity if others stand before it.
    for (size_t i = end; end < reader->count && i > subject + 4; i--) {
        if (is_blank(reader->lines[i - 1])) {
            end = i - 1;
            break;
        }
    }
    while (end > subject + 1 && is_blank(reader->lines[end - 1]))
        end--;
    for (size_t i = begin; i < end; i++) {
        const char *line = reader->lines[i];
        text_append(out, line, strcspn(line, "\n"));
        text_puts(out, "\n");
    }
}

void report_excerpt(struct text *out, const char *source, const struct report_include *includes,
                    const char *family, const char *variant, unsigned subgroup, size_t most)
{
    static const char twin[] = "\n; ======== form=glslang";
    struct reader reader = {.includes = includes};
    const char *end = source + strlen(source), *glsl = strstr(source, twin);
    if (glsl && strstr(variant, "form=glslang")) {
        source = glsl + 1 + strcspn(glsl + 1, "\n");
        source += *source == '\n';
    } else if (glsl) {
        end = glsl + 1;
    }
    define_variant(&reader, variant);
    if (subgroup)
        define(&reader, "SUBGROUP_SIZE", strlen("SUBGROUP_SIZE"), subgroup, NULL);
    read_lines(&reader, source, end, 0);
    if (reader.count > 0 && most > 0) {
        const struct macro *macro = NULL;
        size_t subject = find_subject(&reader, family, &macro);
        if (macro)
            most -= put_macro(out, macro, most);
        put_lines(out, &reader, most, subject < reader.count ? subject : 0);
    }
    free(reader.lines);
}
