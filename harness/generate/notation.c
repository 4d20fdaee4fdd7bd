// SPDX-License-Identifier: Apache-2.0
// The notation of generated programs, both ways. What is read may come from anywhere.
#include "generate/program.h"

#include <stdlib.h>
#include <string.h>

#define WORD_MAX 24 // bytes of the longest word, terminator included

// Writing

static void write_loops(uint32_t loops, struct text *text)
{
    text_puts(text, loops & 1 ? "+i" : "");
    text_puts(text, loops & 2 ? "+j" : "");
}

void gen_write_condition(const struct gen_condition *when, struct text *text)
{
    const char *counter = when->loops == 2 ? "j" : "i";
    switch ((enum gen_value)when->value) {
    case GEN_TRUE:
        text_puts(text, "true");
        return;
    case GEN_ELECT:
        text_puts(text, "elect");
        return;
    case GEN_TRIPS:
        text_printf(text, "%s<word.%u:2", counter, when->at);
        return;
    case GEN_BELOW:
        text_printf(text, "%s<%u", counter, when->at);
        return;
    case GEN_PAST:
        text_printf(text, "%s>=%u", counter, when->at);
        return;
    case GEN_BIT:
        text_printf(text, "word.%u", when->at);
        break;
    case GEN_LANE_BIT:
        text_printf(text, "lane.%u", when->at);
        break;
    case GEN_LANE_IS:
        text_printf(text, "lane=%u", when->at);
        break;
    case GEN_FIELD:
        text_printf(text, "word.%u:2", when->at);
        break;
    case GEN_LANE_FIELD:
        text_puts(text, "lane:2");
        break;
    case GEN_NONE:
    case GEN_VALUES:
        return;
    }
    write_loops(when->loops, text);
}

static const char *const plain[] = {
    [MASKS_LOOK] = "look",     [MASKS_ELECT] = "elect",
    [MASKS_BREAK] = "break",   [MASKS_CONTINUE] = "continue",
    [MASKS_RETURN] = "return", [MASKS_CALL] = "call",
    [MASKS_DO] = "do",
};

void gen_write_step(const struct gen_step *step, struct text *text)
{
    switch (step->kind) {
    case MASKS_IF:
    case MASKS_SWITCH:
        text_puts(text, step->kind == MASKS_IF ? "if " : "switch ");
        gen_write_condition(&step->when, text);
        return;
    case MASKS_WHILE:
        text_puts(text, step->when.value == GEN_NONE ? "loop" : "while ");
        gen_write_condition(&step->when, text);
        return;
    case MASKS_CASE:
        if (step->is_default)
            text_puts(text, "default");
        else
            text_printf(text, "case %u", step->value);
        return;
    default:
        text_puts(text, plain[step->kind]);
    }
}

static void write_list(const struct gen_program *program, uint32_t first, struct text *text)
{
    for (uint32_t i = first; i; i = program->steps[i].next) {
        const struct gen_step *step = &program->steps[i];
        const bool is_loop = step->kind == MASKS_WHILE || step->kind == MASKS_DO;
        if (i != first)
            text_puts(text, " ");
        gen_write_step(step, text);
        if (is_loop || step->kind == MASKS_IF || step->kind == MASKS_SWITCH ||
            step->kind == MASKS_CASE || step->kind == MASKS_CALL) {
            text_puts(text, " { ");
            write_list(program, step->body, text);
            text_puts(text, step->body ? " }" : "}");
        }
        if (step->other) {
            text_puts(text, is_loop ? " next { " : " else { ");
            write_list(program, step->other, text);
            text_puts(text, " }");
        }
        if (step->kind == MASKS_DO) {
            text_puts(text, " while ");
            gen_write_condition(&step->when, text);
        }
        if (step->falls)
            text_puts(text, " falls");
    }
}

void gen_write(const struct gen_program *program, struct text *text)
{
    write_list(program, program->first, text);
}

// Reading

struct reader {
    const char *at, *end;
    char word[WORD_MAX]; // the next one; "" at the end
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

// Takes a prefix off a word.
static bool takes(const char **word, const char *prefix)
{
    const size_t length = strlen(prefix);
    const bool has = !strncmp(*word, prefix, length);
    *word += has ? length : 0;
    return has;
}

static bool takes_number(const char **word, uint8_t *number)
{
    char *end;
    if (**word < '0' || **word > '9')
        return false;
    const unsigned long value = strtoul(*word, &end, 10);
    *word = end;
    *number = (uint8_t)value;
    return value < 128;
}

static bool parse_condition(const char *word, struct gen_condition *when)
{
    *when = (struct gen_condition){0};
    bool good = true;
    if (!strcmp(word, "true") || !strcmp(word, "elect")) {
        when->value = *word == 't' ? GEN_TRUE : GEN_ELECT;
        return true;
    }
    if ((*word == 'i' || *word == 'j') && (word[1] == '<' || word[1] == '>')) {
        when->loops = *word == 'i' ? 1 : 2;
        word++;
        if (takes(&word, "<word."))
            when->value = GEN_TRIPS;
        else if (takes(&word, "<"))
            when->value = GEN_BELOW;
        else if (takes(&word, ">="))
            when->value = GEN_PAST;
        else
            return false;
        good = takes_number(&word, &when->at);
        if (when->value == GEN_TRIPS)
            good = good && takes(&word, ":2");
        return good && !*word;
    }
    if (takes(&word, "word.")) {
        when->value = GEN_BIT;
        good = takes_number(&word, &when->at);
        if (takes(&word, ":2"))
            when->value = GEN_FIELD;
    } else if (takes(&word, "lane:2")) {
        when->value = GEN_LANE_FIELD;
    } else if (takes(&word, "lane.")) {
        when->value = GEN_LANE_BIT;
        good = takes_number(&word, &when->at);
    } else if (takes(&word, "lane=")) {
        when->value = GEN_LANE_IS;
        good = takes_number(&word, &when->at);
    } else {
        return false;
    }
    when->loops |= takes(&word, "+i") ? 1 : 0;
    when->loops |= takes(&word, "+j") ? 2 : 0;
    return good && !*word;
}

static bool read_condition(struct reader *r, struct gen_condition *when)
{
    return parse_condition(r->word, when) ? advance(r) : complain(r, "a condition");
}

static bool read_list(struct reader *r, uint8_t *first, uint32_t nesting);

static bool read_block(struct reader *r, uint8_t *first, uint32_t nesting)
{
    return skip(r, "{") && read_list(r, first, nesting + 1) && skip(r, "}");
}

static bool read_loop(struct reader *r, struct gen_step *step, uint32_t nesting)
{
    const bool is_do = is(r, "do"), asks = is(r, "while");
    step->kind = is_do ? MASKS_DO : MASKS_WHILE;
    if (!advance(r) || (asks && !read_condition(r, &step->when)) ||
        !read_block(r, &step->body, nesting))
        return false;
    if (is(r, "next") && !(advance(r) && read_block(r, &step->other, nesting)))
        return false;
    return !is_do || (skip(r, "while") && read_condition(r, &step->when));
}

static bool read_case(struct reader *r, struct gen_step *step, uint32_t nesting)
{
    step->kind = MASKS_CASE;
    step->is_default = is(r, "default");
    if (!advance(r))
        return false;
    const char *word = r->word;
    if (!step->is_default &&
        (!takes_number(&word, &step->value) || *word ? !complain(r, "a case's number")
                                                     : !advance(r)))
        return false;
    if (!read_block(r, &step->body, nesting))
        return false;
    step->falls = is(r, "falls");
    return !step->falls || advance(r);
}

static bool read_construct(struct reader *r, struct gen_step *step, uint32_t nesting)
{
    if (is(r, "while") || is(r, "do") || is(r, "loop"))
        return read_loop(r, step, nesting);
    if (is(r, "case") || is(r, "default"))
        return read_case(r, step, nesting);
    if (is(r, "call")) {
        step->kind = MASKS_CALL;
        return advance(r) && read_block(r, &step->body, nesting);
    }
    if (!is(r, "if") && !is(r, "switch"))
        return complain(r, "a step");
    step->kind = is(r, "if") ? MASKS_IF : MASKS_SWITCH;
    if (!advance(r) || !read_condition(r, &step->when) || !read_block(r, &step->body, nesting))
        return false;
    return !is(r, "else") || (advance(r) && read_block(r, &step->other, nesting));
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
        bool good = false;
        for (uint8_t kind = 0; kind < sizeof plain / sizeof *plain && !good; kind++)
            if (plain[kind] && kind != MASKS_CALL && kind != MASKS_DO && is(r, plain[kind])) {
                step.kind = kind;
                good = true;
            }
        if (good ? !advance(r) : !read_construct(r, &step, nesting))
            return false;
        r->program->steps[number] = step;
    }
    return true;
}

bool gen_read(const char *source, size_t length, struct gen_program *program,
              struct lit_error *error)
{
    struct reader r = {.at = source, .end = source + length, .program = program, .error = error};
    *program = (struct gen_program){0};
    if (length >= GEN_TEXT_MAX)
        return lit_fail(error, LIT_EXIT_USAGE, "the program is too long");
    return advance(&r) && read_list(&r, &program->first, 0) &&
           (!r.word[0] || complain(&r, "a step"));
}
