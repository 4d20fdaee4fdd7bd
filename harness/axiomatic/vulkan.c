// SPDX-License-Identifier: Apache-2.0
// Parses the VULKAN dialect of .litmus.
#include "axiomatic/scan.h"

#include <ctype.h>

#define DEPTH 64 // of a condition

// A label, or a jump to one.
struct mark {
    char name[AXI_NAME];
    size_t thread, at; // instruction index
    struct axi_scan place;
};

// A register's initial value is parsed before its thread is known.
struct beginning {
    uint32_t thread, number;
    int64_t value;
    struct axi_scan place;
};

// Threads that synchronize, parsed before them, too.
struct pair {
    uint32_t first, second;
    struct axi_scan place;
};

struct parse {
    struct axi_scan *scan;
    struct axi_program *program;
    struct mark *labels, *jumps;
    struct beginning *beginnings;
    struct pair *pairs;
    size_t label_count, jump_count, beginning_count, pair_count;
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

static bool take_beginning(struct parse *p)
{
    struct axi_scan *scan = p->scan;
    struct beginning made = {.place = *scan};
    if (!axi_thread_word(scan, &made.thread) || !axi_expect(scan, ":") ||
        !take_register_number(scan, &made.number) || !axi_expect(scan, "="))
        return false;
    if (!axi_is_number(scan))
        return axi_beyond(scan, "a register that holds an address");
    if (!axi_number(scan, &made.value))
        return false;
    LIT_ADD(p->beginnings, p->beginning_count) = made;
    return true;
}

static bool take_location(struct axi_scan *scan, struct axi_program *program)
{
    char other[AXI_NAME];
    uint8_t reference = 0;
    const size_t known = program->reference_count;
    if (!axi_refer(scan, program, &reference))
        return false;
    if (reference < known)
        return axi_wrong(scan, "'%s' is declared twice", program->references[reference].name);
    if (axi_take_word(scan, "aliases")) {
        if (!axi_word(scan, other))
            return false;
        const int of = axi_reference(program, other);
        if (of < 0 || of == reference)
            return axi_wrong(scan, "there is not a location '%s'", other);
        program->references[reference].location = program->references[of].location;
        return true;
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

static bool take_declarations(struct parse *p)
{
    struct axi_scan *scan = p->scan;
    if (!axi_expect(scan, "{"))
        return false;
    while (!axi_take(scan, "}")) {
        if (axi_take(scan, ";"))
            continue;
        if (at_thread(scan) ? !take_beginning(p) : !take_location(scan, p->program))
            return false;
        axi_skip(scan);
        if (scan->at < scan->end && *scan->at != ';' && *scan->at != '}')
            return axi_wrong(scan, "';' or '}' expected");
    }
    axi_take(scan, ";");
    return true;
}

// { ssw 0 1; ... }
static bool take_pairs(struct parse *p)
{
    struct axi_scan *scan = p->scan;
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
        if (!axi_thread_word(scan, &made.first) || !axi_thread_word(scan, &made.second))
            return false;
        LIT_ADD(p->pairs, p->pair_count) = made;
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
        if (!axi_thread_word(scan, &number))
            return false;
        if (program->thread_count == AXI_THREADS)
            return axi_beyond(scan, "more than %d threads", AXI_THREADS);
        if (axi_thread_of(program, number))
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
        return take_target(scan, of) && axi_refer(scan, p->program, &of->reference);
    case AXI_STORE:
        return axi_refer(scan, p->program, &of->reference) && axi_expect(scan, ",") &&
               take_value(scan, &of->a);
    case AXI_RMW:
        if (!of->atomic)
            return axi_wrong(scan, "an rmw is atomic: rmw.atom");
        return take_target(scan, of) && axi_refer(scan, p->program, &of->reference) &&
               axi_expect(scan, ",") && take_value(scan, &of->a);
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

// --- Conditions on final states

// P and digits, or digits, before a colon.
static bool is_thread(const struct axi_scan *scan)
{
    const char *at = scan->at;
    at += at < scan->end && *at == 'P';
    const char *first = at;
    while (at < scan->end && *at >= '0' && *at <= '9')
        at++;
    const bool digits = at > first;
    while (at < scan->end && *at == ' ')
        at++;
    return digits && at < scan->end && *at == ':';
}

static bool observe_register(struct axi_scan *scan, struct axi_program *program,
                             struct axi_observed *to)
{
    if (!axi_thread_number(scan, program, &to->thread) || !axi_expect(scan, ":") ||
        !take_register_number(scan, &to->number))
        return false;
    snprintf(to->name, sizeof to->name, "P%u:r%u", program->threads[to->thread].number, to->number);
    return true;
}

static bool observe_location(struct axi_scan *scan, const struct axi_program *program,
                             struct axi_observed *to)
{
    char name[AXI_NAME];
    const bool brackets = axi_take(scan, "[");
    if (!axi_word(scan, name) || (brackets && !axi_expect(scan, "]")))
        return false;
    const int reference = axi_reference(program, name);
    if (reference < 0)
        return axi_wrong(scan, "there is not a location '%s'", name);
    to->thread = -1;
    to->number = program->references[reference].location;
    snprintf(to->name, sizeof to->name, "%s", name);
    return true;
}

static bool observe(struct axi_scan *scan, struct axi_program *program, unsigned *observed)
{
    struct axi_observed found = {0};
    axi_skip(scan);
    if (is_thread(scan) ? !observe_register(scan, program, &found)
                        : !observe_location(scan, program, &found))
        return false;
    for (*observed = 0; *observed < program->observed_count; ++*observed)
        if (program->observed[*observed].thread == found.thread &&
            program->observed[*observed].number == found.number)
            return true;
    if (program->observed_count == AXI_OBSERVED)
        return axi_beyond(scan, "more than %d registers and locations in conditions", AXI_OBSERVED);
    program->observed[program->observed_count++] = found;
    return true;
}

static bool new_node(struct axi_scan *scan, struct axi_program *program, struct axi_node of,
                     int *node)
{
    if (program->node_count == AXI_NODES)
        return axi_beyond(scan, "conditions of more than %d parts", AXI_NODES);
    *node = (int)program->node_count;
    program->nodes[program->node_count++] = of;
    return true;
}

static bool take_side(struct axi_scan *scan, struct axi_program *program, struct axi_node *node,
                      int which)
{
    unsigned observed = 0;
    node->is_constant[which] = axi_is_number(scan) && !is_thread(scan);
    if (node->is_constant[which])
        return axi_number(scan, &node->constant[which]);
    if (!observe(scan, program, &observed))
        return false;
    *(which ? &node->right : &node->left) = (uint16_t)observed;
    return true;
}

static bool take_comparison(struct axi_scan *scan, struct axi_program *program, int *node)
{
    static const struct {
        const char *sign;
        enum axi_operator operator;
    } signs[] = {{"==", AXI_EQ}, {"!=", AXI_NE}, {"<=", AXI_LE}, {">=", AXI_GE},
                 {"=", AXI_EQ},  {"<", AXI_LT},  {">", AXI_GT}};
    const size_t count = sizeof signs / sizeof *signs;
    struct axi_node made = {.kind = AXI_COMPARE};
    if (!take_side(scan, program, &made, 0))
        return false;
    size_t i = 0;
    while (i < count && !axi_take(scan, signs[i].sign))
        i++;
    if (i == count)
        return axi_wrong(scan, "a comparison expected, as ==");
    made.operator= signs[i].operator;
    return take_side(scan, program, &made, 1) && new_node(scan, program, made, node);
}

static bool take_level(struct axi_scan *scan, struct axi_program *program, unsigned depth,
                       bool either, int *node);

static bool take_factor(struct axi_scan *scan, struct axi_program *program, unsigned depth,
                        int *node)
{
    if (depth == DEPTH)
        return axi_wrong(scan, "a condition of more than %d levels", DEPTH);
    if (axi_take(scan, "("))
        return take_level(scan, program, depth + 1, true, node) && axi_expect(scan, ")");
    if (axi_take(scan, "~") || axi_take_word(scan, "not")) {
        int inner = 0;
        return take_factor(scan, program, depth + 1, &inner) &&
               new_node(scan, program, (struct axi_node){.kind = AXI_NOT, .left = (uint16_t)inner},
                        node);
    }
    return take_comparison(scan, program, node);
}

// Factors with /\ between them; `either`: these with \/ between them.
static bool take_level(struct axi_scan *scan, struct axi_program *program, unsigned depth,
                       bool either, int *node)
{
    const char *sign = either ? "\\/" : "/\\";
    struct axi_node made = {.kind = either ? AXI_EITHER : AXI_BOTH};
    for (bool first = true; first || axi_take(scan, sign); first = false) {
        made.left = (uint16_t)*node;
        if (!(either ? take_level(scan, program, depth, false, node)
                     : take_factor(scan, program, depth, node)))
            return false;
        made.right = (uint16_t)*node;
        if (!first && !new_node(scan, program, made, node))
            return false;
    }
    return true;
}

static bool take_observed(struct axi_scan *scan, struct axi_program *program)
{
    unsigned index = 0;
    if (!axi_expect(scan, "["))
        return false;
    while (!axi_take(scan, "]"))
        if (!axi_take(scan, ";") && !observe(scan, program, &index))
            return false;
    return true;
}

static bool take_final(struct axi_scan *scan, struct axi_program *program)
{
    struct axi_check check = {.condition = AXI_TRUE};
    if (axi_take_word(scan, "locations") && !take_observed(scan, program))
        return false;
    if (axi_take_word(scan, "filter") && !take_level(scan, program, 0, true, &program->filter))
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
    if (!take_level(scan, program, 0, true, &check.condition))
        return false;
    program->checks[program->check_count++] = check;
    axi_take(scan, ";");
    axi_skip(scan);
    return scan->at == scan->end || axi_wrong(scan, "the end of the file expected");
}

static bool apply(const struct parse *p)
{
    struct axi_program *program = p->program;
    for (size_t i = 0; i < p->beginning_count; i++) {
        const struct beginning *of = &p->beginnings[i];
        struct axi_thread *thread = axi_thread_of(program, of->thread);
        if (!thread)
            return axi_wrong(&of->place, "there is not a thread P%u", (unsigned)of->thread);
        thread->initial[of->number] = of->value;
    }
    for (size_t i = 0; i < p->pair_count; i++) {
        const struct axi_thread *first = axi_thread_of(program, p->pairs[i].first);
        const struct axi_thread *second = axi_thread_of(program, p->pairs[i].second);
        if (!first || !second || first == second)
            return axi_wrong(&p->pairs[i].place, "ssw needs two threads");
        program->synchronizes[first - program->threads] |= 1u << (second - program->threads);
    }
    return true;
}

bool axi_parse_vulkan(struct axi_scan *scan, struct axi_program *program)
{
    struct parse p = {.scan = scan, .program = program};
    bool good = take_title(scan, program) && take_declarations(&p) && take_pairs(&p) &&
                take_threads(scan, program) && apply(&p);
    while (good && !at_end(scan))
        good = take_row(&p);
    good = good && resolve(&p) && take_final(scan, program);
    for (size_t i = 0; i < program->thread_count && good; i++)
        find_spins(&program->threads[i]);
    free(p.labels);
    free(p.jumps);
    free(p.beginnings);
    free(p.pairs);
    return good;
}
