// SPDX-License-Identifier: Apache-2.0
// Writes and parses the notation of generated programs. The input is untrusted.
#include "generate/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 64 // bytes of the longest word, terminator included

const struct gen_condition_form gen_conditions[GEN_VALUES] = {
    [GEN_NONE] = {"", .weight = 3},
    [GEN_TRUE] = {"true"},
    [GEN_BIT] = {"word.%", .adds = true, .most = 31, .weight = 2},
    [GEN_LANE_BIT] = {"lane.%", .adds = true, .most = 6, .weight = 1},
    [GEN_LANE_IS] = {"lane=%", .adds = true, .most = 127, .weight = 1},
    [GEN_ELECT] = {"elect", .weight = 2},
    [GEN_TRIPS] = {"<word.%:2", .counts = true, .most = 30, .weight = 3},
    [GEN_BELOW] = {"<%", .counts = true, .most = GEN_TURNS - 1, .weight = 1},
    [GEN_PAST] = {">=%", .counts = true, .most = GEN_TURNS - 1, .weight = 1},
    [GEN_FIELD] = {"word.%:2", .adds = true, .selects = true, .most = 31, .weight = 2},
    [GEN_LANE_FIELD] = {"lane:2", .adds = true, .selects = true, .weight = 1},
    [GEN_GROUP_BIT] = {"group.%", .adds = true, .most = 31, .weight = 3},
    [GEN_TRUTH] = {"p%", .weight = 3},
    [GEN_NUMBER_TRIPS] = {"<u%:2", .counts = true, .weight = 4},
    [GEN_NUMBER_FIELD] = {"u%:2", .adds = true, .selects = true, .weight = 3},
    [GEN_SUBGROUP_BIT] = {"subgroup.%", .adds = true, .most = 6, .weight = 3},
    [GEN_LANE_FROM] = {"lane>=%", .adds = true, .most = 127, .weight = 2},
    [GEN_LANE_STEP] = {"lane>=%<<", .shifts = true, .most = 127, .weight = 3},
};

// The notation of steps: word, condition, list in braces, keyword before the second list.
static const struct form {
    const char *word;
    uint8_t kind;
    bool asks, has_list;
    const char *second;
} forms[] = {
    {"look", MASKS_LOOK, false, false, NULL},
    {"elect", MASKS_ELECT, false, false, NULL},
    {"number", MASKS_NUMBER, false, false, NULL},
    {"break", MASKS_BREAK, false, false, NULL},
    {"leave", MASKS_BREAK_LOOP, false, false, NULL},
    {"continue", MASKS_CONTINUE, false, false, NULL},
    {"return", MASKS_RETURN, false, false, NULL},
    {"if", MASKS_IF, true, true, "else"},
    {"switch", MASKS_SWITCH, true, true, "else"},
    {"case", MASKS_CASE, false, true, NULL},
    {"default", MASKS_CASE, false, true, NULL},
    {"while", MASKS_WHILE, true, true, "next"},
    {"loop", MASKS_WHILE, false, true, "next"},
    {"do", MASKS_DO, false, true, "next"}, // a condition follows
    {"call", MASKS_CALL, false, true, NULL},
};

static const struct form no_form = {0}; // of steps without lists

// Writing

static void write_condition(const struct gen_condition *when, struct text *text)
{
    const char *pattern = gen_conditions[when->value].pattern;
    if (gen_conditions[when->value].counts)
        text_puts(text, when->loops == 2 ? "j" : "i");
    for (; *pattern; pattern++)
        if (*pattern == '%')
            text_printf(text, "%u", when->at);
        else
            text_append(text, pattern, 1);
    if (gen_conditions[when->value].shifts)
        text_puts(text, when->loops == 2 ? "j" : "i");
    if (gen_conditions[when->value].adds) {
        text_puts(text, when->loops & 1 ? "+i" : "");
        text_puts(text, when->loops & 2 ? "+j" : "");
    }
}

static const struct form *form_of(const struct gen_step *step)
{
    const struct form *form = forms;
    while (form->kind != step->kind)
        form++;
    const bool second = step->kind == MASKS_WHILE ? step->when.value == GEN_NONE : step->is_default;
    return form + second;
}

void gen_write_step(const struct gen_step *step, struct text *text)
{
    if (step->kind == MASKS_ACT) {
        gen_act_write(&step->act, text);
        return;
    }
    const struct form *form = form_of(step);
    text_puts(text, form->word);
    text_puts(text, form->asks ? " " : "");
    if (form->asks)
        write_condition(&step->when, text);
    if (step->kind == MASKS_CASE && !step->is_default)
        text_printf(text, " %u", step->value);
}

static void write_list(const struct gen_program *program, uint32_t first, struct text *text)
{
    for (uint32_t i = first; i; i = program->steps[i].next) {
        const struct gen_step *step = &program->steps[i];
        const struct form *form = step->kind == MASKS_ACT ? &no_form : form_of(step);
        if (i != first)
            text_puts(text, " ");
        gen_write_step(step, text);
        if (form->has_list) {
            text_puts(text, " { ");
            write_list(program, step->body, text);
            text_puts(text, step->body ? " }" : "}");
        }
        if (step->other) {
            text_printf(text, " %s { ", form->second);
            write_list(program, step->other, text);
            text_puts(text, " }");
        }
        if (step->kind == MASKS_DO) {
            text_puts(text, " while ");
            write_condition(&step->when, text);
        }
        if (step->falls)
            text_puts(text, " falls");
    }
}

void gen_write(const struct gen_program *program, struct text *text)
{
    if (program->numbers)
        text_printf(text, "registers %u %u%s%s", program->numbers, program->truths,
                    program->vulkan ? " vulkan" : "", program->first ? " " : "");
    write_list(program, program->first, text);
}

// Reading

struct reader {
    const char *at, *end;
    char word[WORD_MAX]; // the next word; "" at the end
    struct gen_program *program;
    struct lit_error *error;
};

static bool complain(struct reader *r, const char *expected)
{
    return lit_fail(r->error, LIT_EXIT_USAGE, "the program: expected %s, not '%s'", expected,
                    r->word[0] ? r->word : "the end");
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool advance(struct reader *r)
{
    size_t length = 0;
    while (r->at < r->end && is_space(*r->at))
        r->at++;
    const bool quoted = r->at < r->end && *r->at == '\'';
    if (quoted)
        while (r->at + ++length < r->end && r->at[length] && r->at[length] != '\'')
            ;
    while (r->at + length < r->end && !is_space(r->at[length]) && r->at[length])
        length++;
    if (length >= WORD_MAX || (r->at < r->end && length == 0))
        return lit_fail(r->error, LIT_EXIT_USAGE, "the program: an unknown word");
    memcpy(r->word, r->at, length);
    r->word[length] = '\0';
    r->at += length;
    return true;
}

static bool is(const struct reader *r, const char *word)
{
    return !strcmp(r->word, word);
}

static bool skip(struct reader *r, const char *word)
{
    return is(r, word) ? advance(r) : complain(r, word);
}

// Strips a prefix off a word.
static bool takes(const char **word, const char *prefix)
{
    const size_t length = strlen(prefix);
    const bool has = !strncmp(*word, prefix, length);
    *word += has ? length : 0;
    return has;
}

static bool is_condition(const char *word, enum gen_value value, struct gen_condition *when)
{
    *when = (struct gen_condition){.value = (uint8_t)value};
    if (gen_conditions[value].counts) {
        if (*word != 'i' && *word != 'j')
            return false;
        when->loops = *word++ == 'i' ? 1 : 2;
    }
    for (const char *pattern = gen_conditions[value].pattern; *pattern; pattern++)
        if (*pattern == '%' ? !gen_take_number(&word, &when->at) : *word++ != *pattern)
            return false;
    if (gen_conditions[value].shifts)
        when->loops = takes(&word, "i") ? 1 : takes(&word, "j") ? 2 : 0;
    if (gen_conditions[value].adds) {
        when->loops |= takes(&word, "+i") ? 1 : 0;
        when->loops |= takes(&word, "+j") ? 2 : 0;
    }
    return !*word;
}

static bool read_condition(struct reader *r, struct gen_condition *when)
{
    const struct gen_dialect *own = r->program->dialect;
    for (uint8_t i = 0; own && own->conditions[i]; i++)
        if (is(r, own->conditions[i])) {
            *when = (struct gen_condition){.value = GEN_OWN, .at = i};
            return advance(r);
        }
    for (enum gen_value value = GEN_TRUE; value < GEN_VALUES; value++)
        if (is_condition(r->word, value, when))
            return advance(r);
    return complain(r, "a condition");
}

// Parses a place of a dialect.
static bool read_place(struct reader *r, struct gen_step *step)
{
    struct gen_dialect *own = r->program->dialect;
    step->value = own->used++;
    struct gen_place *place = &own->places[step->value];
    char mark;
    uint32_t outer = 1, inner = 1;
    const int got = sscanf(r->word, // field width from GEN_NAME
                           "'%47[^']'@%" SCNu32 "%c%" SCNu32 "x%" SCNu32, place->name, &place->slot,
                           &mark, &outer, &inner);
    if (got < 2)
        return complain(r, "a place");
    place->count = outer * inner;
    place->by[0] = got > 2 ? inner : 0;
    place->by[1] = got > 4;
    place->wrap = got > 2 && mark == '%' ? outer : 0;
    return advance(r);
}

static bool read_list(struct reader *r, uint8_t *first, uint32_t nesting);

static bool read_block(struct reader *r, uint8_t *first, uint32_t nesting)
{
    return skip(r, "{") && read_list(r, first, nesting + 1) && skip(r, "}");
}

static bool read_step(struct reader *r, struct gen_step *step, uint32_t nesting)
{
    const struct form *form = forms, *end = forms + sizeof forms / sizeof *forms;
    const bool in_dialect = r->program->dialect, only_place = in_dialect && r->word[0] == '\'';
    while (form < end && !is(r, form->word) && !only_place)
        form++;
    if (form == end && strchr(r->word, '(') && gen_act_read(r->word, &step->act)) {
        step->kind = MASKS_ACT;
        return advance(r);
    }
    if (form == end)
        return complain(r, "a step");
    step->kind = form->kind; // for a place by itself, that of LOOK
    step->is_default = is(r, "default");
    if (!only_place && !advance(r))
        return false;
    if (in_dialect &&
        (form->kind == MASKS_LOOK || form->kind == MASKS_ELECT || form->kind == MASKS_NUMBER))
        return read_place(r, step);
    if (step->kind == MASKS_CASE && !step->is_default) {
        const char *word = r->word;
        if (!gen_take_number(&word, &step->value) || *word)
            return complain(r, "a case's number");
        if (!advance(r))
            return false;
    }
    if ((form->asks && !read_condition(r, &step->when)) ||
        (form->has_list && !read_block(r, &step->body, nesting)))
        return false;
    if (form->second && is(r, form->second) &&
        !(advance(r) && read_block(r, &step->other, nesting)))
        return false;
    if (step->kind == MASKS_DO && !(skip(r, "while") && read_condition(r, &step->when)))
        return false;
    step->falls = step->kind == MASKS_CASE && is(r, "falls");
    return !step->falls || advance(r);
}

static bool read_list(struct reader *r, uint8_t *first, uint32_t nesting)
{
    uint8_t *link = first;
    if (nesting > 2 * GEN_NESTING)
        return lit_fail(r->error, LIT_EXIT_USAGE, "the program is nested too deep");
    while (r->word[0] && !is(r, "}")) {
        struct gen_step step = {0};
        if (r->program->count == GEN_STEPS)
            return lit_fail(r->error, LIT_EXIT_USAGE, "the program has more than %d steps",
                            GEN_STEPS);
        const uint8_t number = ++r->program->count;
        *link = number;
        link = &r->program->steps[number].next;
        if (!read_step(r, &step, nesting))
            return false;
        r->program->steps[number] = step;
    }
    return true;
}

// "registers 8 4" or "registers 8 4 vulkan", at the start of programs with data.
static bool read_registers(struct reader *r)
{
    uint8_t *const counts[] = {&r->program->numbers, &r->program->truths};
    if (!is(r, "registers"))
        return true;
    for (uint32_t i = 0; i < 2; i++) {
        if (!advance(r))
            return false;
        const char *word = r->word;
        // 128 exceeds the limit of other numbers.
        const bool most = !strcmp(word, "128");
        if (!most && (!gen_take_number(&word, counts[i]) || *word))
            return complain(r, "a count of registers");
        *counts[i] = most ? GEN_NUMBERS : *counts[i];
    }
    if (!advance(r))
        return false;
    r->program->vulkan = is(r, "vulkan");
    return !r->program->vulkan || advance(r);
}

bool gen_read(const char *source, size_t length, struct gen_program *program,
              struct lit_error *error)
{
    return gen_read_in(NULL, source, length, program, error);
}

bool gen_read_in(struct gen_dialect *dialect, const char *source, size_t length,
                 struct gen_program *program, struct lit_error *error)
{
    struct reader r = {.at = source, .end = source + length, .program = program, .error = error};
    *program = (struct gen_program){.dialect = dialect};
    if (length >= GEN_TEXT_MAX)
        return lit_fail(error, LIT_EXIT_USAGE, "the program is too long");
    return advance(&r) && read_registers(&r) && read_list(&r, &program->first, 0) &&
           (!r.word[0] || complain(&r, "a step"));
}
