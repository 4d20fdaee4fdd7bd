// SPDX-License-Identifier: Apache-2.0
// Parses the VULKAN dialect of .litmus.
#include "axiomatic/scan.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A label, or a jump to one.
struct mark {
    char name[AXI_NAME];
    size_t thread, at; // instruction index
    struct axi_scan place;
};

struct parse {
    struct axi_scan *scan;
    struct axi_program *program;
    struct mark *labels, *jumps;
    size_t label_count, jump_count;
};

static const struct {
    const char *word;
    enum axi_kind kind;
    enum axi_operator operator;
} words[] = {
    {"ld", AXI_LOAD, AXI_REPLACE},
    {"st", AXI_STORE, AXI_REPLACE},
    {"rmw", AXI_RMW, AXI_REPLACE},
    {"membar", AXI_MEMORY_BARRIER, AXI_REPLACE},
    {"cbar", AXI_CONTROL_BARRIER, AXI_REPLACE},
    {"avdevice", AXI_AVAILABLE_DEVICE, AXI_REPLACE},
    {"visdevice", AXI_VISIBLE_DEVICE, AXI_REPLACE},
    {"add", AXI_COMPUTE, AXI_ADD},
    {"sub", AXI_COMPUTE, AXI_SUB},
    {"mul", AXI_COMPUTE, AXI_MUL},
    {"div", AXI_COMPUTE, AXI_DIV},
    {"and", AXI_COMPUTE, AXI_AND},
    {"or", AXI_COMPUTE, AXI_OR},
    {"xor", AXI_COMPUTE, AXI_XOR},
    {"beq", AXI_JUMP, AXI_EQ},
    {"bne", AXI_JUMP, AXI_NE},
    {"blt", AXI_JUMP, AXI_LT},
    {"bgt", AXI_JUMP, AXI_GT},
    {"ble", AXI_JUMP, AXI_LE},
    {"bge", AXI_JUMP, AXI_GE},
    {"goto", AXI_JUMP, AXI_ALWAYS},
};
#define WORDS (sizeof words / sizeof *words)

const char *axi_word_of(enum axi_kind kind, enum axi_operator operator)
{
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].kind == kind && (kind < AXI_COMPUTE || words[i].operator== operator))
            return words[i].word;
    return "";
}

const char *axi_form_word(unsigned form)
{
    static const char *const forms[AXI_FORMS] = {
        "glsl", "64-bit", "physical", "volatile", "address-again", "address-by-value", "unrolled"};
    return forms[form];
}

// Kernel=glsl volatile, up to the end of the line.
static bool take_forms(struct axi_scan *scan, struct axi_program *program)
{
    scan->at += strlen("Kernel=");
    for (;;) {
        unsigned form = 0;
        while (scan->at < scan->end && strchr(" \t\r", *scan->at) && *scan->at)
            scan->at++;
        size_t length = 0;
        while (scan->at + length < scan->end && !strchr(" \t\r\n{", scan->at[length]))
            length++;
        if (!length)
            return true;
        while (form < AXI_FORMS && (strlen(axi_form_word(form)) != length ||
                                    memcmp(axi_form_word(form), scan->at, length) != 0))
            form++;
        if (form == AXI_FORMS)
            return axi_wrong(scan, "no form of a kernel; there are: glsl, 64-bit, physical, "
                                   "volatile, address-again, address-by-value, unrolled");
        if (program->forms >> form & 1)
            return axi_wrong(scan, "'%s' stands there twice", axi_form_word(form));
        program->forms |= 1u << form;
        scan->at += length;
    }
}

// The title line, and everything up to the declarations.
static bool take_title(struct axi_scan *scan, struct axi_program *program)
{
    char first[AXI_NAME], name[sizeof program->name];
    if (!axi_word(scan, first))
        return false;
    size_t length = 0;
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t'))
        scan->at++;
    while (scan->at + length < scan->end && !strchr("\r\n{", scan->at[length]))
        length++;
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), scan->at);
    text_sanitise(program->name, sizeof program->name, name);
    bool comment = false;
    while (scan->at < scan->end && *scan->at != '{') {
        const size_t left = (size_t)(scan->end - scan->at);
        comment = left >= 2 && scan->at[0] == '(' && scan->at[1] == '*'   ? true
                  : left >= 2 && scan->at[0] == '*' && scan->at[1] == ')' ? false
                                                                          : comment;
        if (!comment && scan->at == scan->line_start && left > strlen("Kernel=") &&
            !memcmp(scan->at, "Kernel=", strlen("Kernel="))) {
            if (!take_forms(scan, program))
                return false;
        } else if (*scan->at++ == '\n') {
            scan->line++;
            scan->line_start = scan->at;
        }
    }
    return true;
}

static struct axi_thread *thread_of(struct axi_program *program, unsigned number)
{
    for (size_t i = 0; i < program->thread_count; i++)
        if (program->threads[i].number == number)
            return &program->threads[i];
    return NULL;
}

// A register's initial value is parsed before its thread is known.
struct beginning {
    uint32_t thread, number;
    int64_t value;
    struct axi_scan place;
};

static bool take_register_number(struct axi_scan *scan, uint32_t *number)
{
    axi_skip(scan);
    if (scan->at == scan->end || *scan->at != 'r')
        return axi_wrong(scan, "a register expected, as r0");
    scan->at++;
    return axi_small(scan, number) &&
           (*number < AXI_REGISTERS ||
            axi_beyond(scan, "more registers than r0 to r%d", AXI_REGISTERS - 1));
}

static bool take_beginning(struct axi_scan *scan, struct beginning **list, size_t *count)
{
    struct beginning made = {.place = *scan};
    scan->at += *scan->at == 'P';
    if (!axi_small(scan, &made.thread) || !axi_expect(scan, ":") ||
        !take_register_number(scan, &made.number) || !axi_expect(scan, "="))
        return false;
    if (!axi_is_number(scan))
        return axi_beyond(scan, "a register that holds an address");
    if (!axi_number(scan, &made.value))
        return false;
    LIT_ADD(*list, *count) = made;
    return true;
}

static bool take_location(struct axi_scan *scan, struct axi_program *program)
{
    char name[AXI_NAME], other[AXI_NAME];
    if (!axi_word(scan, name))
        return false;
    const size_t known = program->reference_count;
    const int reference = axi_reference(program, name);
    if (reference < 0)
        return axi_beyond(scan, "more than %d locations", AXI_REFERENCES);
    if ((size_t)reference < known)
        return axi_wrong(scan, "'%s' is declared twice", name);
    if (axi_take_word(scan, "aliases")) {
        if (!axi_word(scan, other))
            return false;
        for (size_t i = 0; i < known; i++)
            if (strcmp(program->references[i].name, other) == 0) {
                program->references[reference].location = program->references[i].location;
                return true;
            }
        return axi_wrong(scan, "there is not a location '%s'", other);
    }
    if (!axi_expect(scan, "="))
        return false;
    if (!axi_is_number(scan))
        return axi_beyond(scan, "a location that holds an address");
    return axi_number(scan, &program->initial[reference]);
}

static bool at_thread(struct axi_scan *scan)
{
    axi_skip(scan);
    const char *at = scan->at;
    at += at < scan->end && *at == 'P';
    return at < scan->end && isdigit((unsigned char)*at);
}

static bool take_declarations(struct axi_scan *scan, struct axi_program *program,
                              struct beginning **list, size_t *count)
{
    if (!axi_expect(scan, "{"))
        return false;
    while (!axi_take(scan, "}")) {
        if (axi_take(scan, ";"))
            continue;
        if (at_thread(scan) ? !take_beginning(scan, list, count) : !take_location(scan, program))
            return false;
        axi_skip(scan);
        if (scan->at < scan->end && *scan->at != ';' && *scan->at != '}')
            return axi_wrong(scan, "';' or '}' expected");
    }
    axi_take(scan, ";");
    return true;
}

struct pair {
    uint32_t first, second;
    struct axi_scan place;
};

// { ssw 0 1; ... }
static bool take_pairs(struct axi_scan *scan, struct pair **list, size_t *count)
{
    if (!axi_take(scan, "{"))
        return true;
    while (!axi_take(scan, "}")) {
        if (axi_take(scan, ";"))
            continue;
        struct pair made = {0};
        if (!axi_take_word(scan, "ssw"))
            return axi_wrong(scan, "'ssw' expected");
        axi_skip(scan);
        made.place = *scan;
        scan->at += scan->at < scan->end && *scan->at == 'P';
        if (!axi_small(scan, &made.first))
            return false;
        axi_skip(scan);
        scan->at += scan->at < scan->end && *scan->at == 'P';
        if (!axi_small(scan, &made.second))
            return false;
        LIT_ADD(*list, *count) = made;
    }
    axi_take(scan, ";");
    return true;
}

// P0@sg 0, wg 0, qf 0 | P1@...;
static bool take_threads(struct axi_scan *scan, struct axi_program *program)
{
    static const char *const groups[] = {"sg", "wg", "qf"};
    do {
        uint32_t number = 0;
        axi_skip(scan);
        scan->at += scan->at < scan->end && *scan->at == 'P';
        if (!axi_small(scan, &number))
            return false;
        if (program->thread_count == AXI_THREADS)
            return axi_beyond(scan, "more than %d threads", AXI_THREADS);
        if (thread_of(program, number))
            return axi_wrong(scan, "a second thread P%u", (unsigned)number);
        struct axi_thread *thread = &program->threads[program->thread_count++];
        thread->number = number;
        if (!axi_expect(scan, "@"))
            return false;
        for (int i = 0; i < AXI_DEVICE; i++) {
            uint32_t of = 0;
            if (i && !axi_expect(scan, ","))
                return false;
            if (!axi_take_word(scan, groups[i]))
                return axi_wrong(scan, "'%s' expected", groups[i]);
            if (!axi_small(scan, &of))
                return false;
            thread->group[i] = of;
        }
    } while (axi_take(scan, "|"));
    return axi_expect(scan, ";");
}

static bool take_value(struct axi_scan *scan, struct axi_operand *operand)
{
    if (axi_is_number(scan))
        return axi_number(scan, &operand->value);
    uint32_t number = 0;
    operand->is_register = take_register_number(scan, &number);
    operand->number = (uint8_t)number;
    return operand->is_register;
}

static bool take_target(struct axi_scan *scan, struct axi_instruction *instruction)
{
    uint32_t number = 0;
    if (!take_register_number(scan, &number))
        return false;
    instruction->target = (uint8_t)number;
    return axi_expect(scan, ",");
}

// An undeclared location starts at 0.
static bool take_place(struct parse *p, struct axi_instruction *instruction)
{
    char name[AXI_NAME];
    if (!axi_word(p->scan, name))
        return false;
    const int reference = axi_reference(p->program, name);
    instruction->reference = (uint8_t)reference;
    return reference >= 0 || axi_beyond(p->scan, "more than %d locations", AXI_REFERENCES);
}

// .atom.acq.wg and so on; an RMW's operation may be among them.
static bool take_parts(struct axi_scan *scan, struct axi_instruction *instruction)
{
    while (scan->at < scan->end && *scan->at == '.') {
        char part[AXI_NAME];
        scan->at++;
        if (!axi_word(scan, part))
            return false;
        size_t i = 0;
        while (i < WORDS && (words[i].kind != AXI_COMPUTE || strcmp(words[i].word, part) != 0))
            i++;
        if (i < WORDS && instruction->kind == AXI_RMW && instruction->operator== AXI_REPLACE)
            instruction->operator= words[i].operator;
        else if (!axi_qualify(scan, part, instruction))
            return false;
    }
    return true;
}

static bool take_jump(struct parse *p, size_t thread)
{
    struct mark jump = {.thread = thread, .at = p->program->threads[thread].count - 1};
    axi_skip(p->scan);
    jump.place = *p->scan;
    if (!axi_word(p->scan, jump.name))
        return false;
    LIT_ADD(p->jumps, p->jump_count) = jump;
    return true;
}

static bool take_operands(struct parse *p, size_t thread, struct axi_instruction *of)
{
    struct axi_scan *scan = p->scan;
    switch (of->kind) {
    case AXI_LOAD:
        return take_target(scan, of) && take_place(p, of);
    case AXI_STORE:
        return take_place(p, of) && axi_expect(scan, ",") && take_value(scan, &of->a);
    case AXI_RMW:
        if (!of->atomic)
            return axi_wrong(scan, "an rmw is atomic: rmw.atom");
        return take_target(scan, of) && take_place(p, of) && axi_expect(scan, ",") &&
               take_value(scan, &of->a);
    case AXI_CONTROL_BARRIER:
        of->execution = of->scope < AXI_WORKGROUP ? of->scope : AXI_WORKGROUP;
        if (!axi_small(scan, &of->barrier))
            return false;
        return !axi_take(scan, ",") || axi_beyond(scan, "a named barrier, which Vulkan has not");
    case AXI_COMPUTE:
        return take_target(scan, of) && take_value(scan, &of->a) && axi_expect(scan, ",") &&
               take_value(scan, &of->b);
    case AXI_JUMP:
        if (of->operator!= AXI_ALWAYS && !(take_value(scan, &of->a) && axi_expect(scan, ",") &&
                                           take_value(scan, &of->b) && axi_expect(scan, ",")))
            return false;
        return take_jump(p, thread);
    default:
        return true;
    }
}

static bool take_instruction(struct parse *p, size_t thread)
{
    char word[AXI_NAME];
    struct axi_scan *scan = p->scan, before;
    axi_skip(scan);
    before = *scan;
    if (!axi_word(scan, word))
        return false;
    if (axi_take(scan, ":")) {
        struct mark label = {.thread = thread, .at = p->program->threads[thread].count};
        label.place = before;
        memcpy(label.name, word, sizeof word);
        LIT_ADD(p->labels, p->label_count) = label;
        return true;
    }
    size_t i = 0;
    while (i < WORDS && strcmp(words[i].word, word) != 0)
        i++;
    if (i == WORDS)
        return axi_wrong(&before, "unknown instruction '%s'", word);
    struct axi_instruction *made = axi_append(scan, &p->program->threads[thread]);
    if (!made)
        return false;
    made->kind = words[i].kind;
    made->operator= words[i].operator;
    if (made->kind <= AXI_CONTROL_BARRIER &&
        !(take_parts(scan, made) && axi_complete(&before, made)))
        return false;
    return take_operands(p, thread, made);
}

static bool at_end(struct axi_scan *scan)
{
    struct axi_scan ahead = *scan;
    return axi_take(&ahead, "~") || axi_take_word(&ahead, "exists") ||
           axi_take_word(&ahead, "not") || axi_take_word(&ahead, "forall") ||
           axi_take_word(&ahead, "filter") || axi_take_word(&ahead, "locations") ||
           ahead.at == ahead.end;
}

static bool take_row(struct parse *p)
{
    struct axi_scan *scan = p->scan;
    for (size_t thread = 0;; thread++) {
        axi_skip(scan);
        if (thread == p->program->thread_count)
            return axi_wrong(scan, "a row of more instructions than there are threads");
        if (scan->at < scan->end && *scan->at != '|' && *scan->at != ';' &&
            !take_instruction(p, thread))
            return false;
        if (axi_take(scan, ";"))
            return true;
        if (!axi_take(scan, "|"))
            return axi_wrong(scan, "'|' or ';' expected");
    }
}

static bool resolve(struct parse *p)
{
    for (size_t i = 0; i < p->label_count; i++)
        for (size_t j = 0; j < i; j++)
            if (p->labels[i].thread == p->labels[j].thread &&
                strcmp(p->labels[i].name, p->labels[j].name) == 0)
                return axi_wrong(&p->labels[i].place, "a second label '%s'", p->labels[i].name);
    for (size_t i = 0; i < p->jump_count; i++) {
        const struct mark *jump = &p->jumps[i];
        size_t j = 0;
        while (j < p->label_count &&
               (p->labels[j].thread != jump->thread || strcmp(p->labels[j].name, jump->name) != 0))
            j++;
        if (j == p->label_count)
            return axi_wrong(&jump->place, "there is not a label '%s'", jump->name);
        p->program->threads[jump->thread].instructions[jump->at].to = (uint32_t)p->labels[j].at;
    }
    return true;
}

// Finds backward jumps around barriers and loads alone, with no other jump between: each iteration
// does the same as the previous one.
static void find_spins(struct axi_thread *thread)
{
    for (size_t i = 0; i < thread->count; i++) {
        struct axi_instruction *jump = &thread->instructions[i];
        if (jump->kind != AXI_JUMP || jump->to > i)
            continue;
        bool jumped = false;
        jump->spins = true;
        for (size_t j = jump->to; j <= i; j++) {
            const enum axi_kind kind = thread->instructions[j].kind;
            jump->spins &=
                kind == AXI_MEMORY_BARRIER || kind == AXI_JUMP || (kind == AXI_LOAD && !jumped);
            jump->spins &= kind != AXI_JUMP || j == i || thread->instructions[j].to > j;
            jumped |= kind == AXI_JUMP;
        }
    }
}

static bool take_observed(struct axi_scan *scan, struct axi_program *program)
{
    unsigned index = 0;
    if (!axi_expect(scan, "["))
        return false;
    while (!axi_take(scan, "]"))
        if (!axi_take(scan, ";") && !axi_observe(scan, program, &index))
            return false;
    return true;
}

static bool take_final(struct axi_scan *scan, struct axi_program *program)
{
    struct axi_check check = {.condition = AXI_TRUE};
    if (axi_take_word(scan, "locations") && !take_observed(scan, program))
        return false;
    if (axi_take_word(scan, "filter") && !axi_condition(scan, program, &program->filter))
        return false;
    axi_take(scan, ";");
    axi_skip(scan);
    if (scan->at == scan->end)
        return true;
    const bool negative = axi_take(scan, "~") || axi_take_word(scan, "not");
    check.quantifier = negative ? AXI_EXISTS_NOT : AXI_EXISTS;
    if (!negative && axi_take_word(scan, "forall"))
        check.quantifier = AXI_FORALL;
    else if (!axi_take_word(scan, "exists"))
        return axi_wrong(scan, "exists, ~exists or forall expected");
    const char *const names[] = {"exists", "~exists", "forall"};
    snprintf(check.text, sizeof check.text, "%s", names[check.quantifier]);
    if (!axi_condition(scan, program, &check.condition))
        return false;
    program->checks[program->check_count++] = check;
    axi_take(scan, ";");
    axi_skip(scan);
    return scan->at == scan->end || axi_wrong(scan, "the end of the file expected");
}

static bool apply(struct axi_program *program, const struct beginning *beginnings, size_t count,
                  const struct pair *pairs, size_t pair_count)
{
    for (size_t i = 0; i < count; i++) {
        struct axi_thread *thread = thread_of(program, beginnings[i].thread);
        if (!thread)
            return axi_wrong(&beginnings[i].place, "there is not a thread P%u",
                             (unsigned)beginnings[i].thread);
        thread->initial[beginnings[i].number] = beginnings[i].value;
    }
    for (size_t i = 0; i < pair_count; i++) {
        const struct axi_thread *first = thread_of(program, pairs[i].first);
        const struct axi_thread *second = thread_of(program, pairs[i].second);
        if (!first || !second || first == second)
            return axi_wrong(&pairs[i].place, "ssw needs two threads");
        program->synchronizes[first - program->threads] |= 1u << (second - program->threads);
    }
    return true;
}

bool axi_parse_vulkan(struct axi_scan *scan, struct axi_program *program)
{
    OWNED(lit_free) struct beginning *beginnings = NULL;
    OWNED(lit_free) struct pair *pairs = NULL;
    OWNED(lit_free) struct mark *labels = NULL;
    OWNED(lit_free) struct mark *jumps = NULL;
    size_t beginning_count = 0, pair_count = 0;
    struct parse p = {.scan = scan, .program = program};
    bool good = take_title(scan, program) &&
                take_declarations(scan, program, &beginnings, &beginning_count) &&
                take_pairs(scan, &pairs, &pair_count) && take_threads(scan, program) &&
                apply(program, beginnings, beginning_count, pairs, pair_count);
    while (good && !at_end(scan))
        good = take_row(&p);
    labels = p.labels;
    jumps = p.jumps;
    good = good && resolve(&p) && take_final(scan, program);
    for (size_t i = 0; i < program->thread_count && good; i++)
        find_spins(&program->threads[i]);
    return good;
}
