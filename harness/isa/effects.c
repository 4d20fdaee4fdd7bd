// SPDX-License-Identifier: Apache-2.0
// Interprets the text of an instruction, "@!P1 ATOMG.E.CAS.64 PT, R2, [R4.64], R6, R8": guard, name
// with modifiers, operands. An operand names only the first of its registers; a table says, by name
// and modifiers, how many there are and which operands are written.

#include "isa/sass.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_WIDTHS 4

// A name's row in instructions.txt.
struct row {
    enum sass_op op;
    // The operands that it writes.
    enum writes { NONE, FIRST, TWO, LAST_NOT, CARRY, PREDICATE } writes;
    char widths[LONGEST_WIDTHS + 1];
};

static const char *const writes_names[] = {
    [NONE] = "none",         [FIRST] = "first", [TWO] = "two",
    [LAST_NOT] = "last-not", [CARRY] = "carry", [PREDICATE] = "predicate",
};

// In the order of enum sass_op.
static const char *const op_names[] = {
    "OTHER",  "SHFL", "VOTE",  "VOTEU",     "MATCH",     "REDUX",  "WARPSYNC", "BSSY", "BSYNC",
    "BREAK",  "BMOV", "YIELD", "NANOSLEEP", "WARPGROUP", "BRA",    "BRX",      "JMP",  "CALL",
    "RET",    "EXIT", "KILL",  "BPT",       "BAR",       "MEMBAR", "ERRBAR",   "CCTL", "FENCE",
    "DEPBAR", "LD",   "LDG",   "LDS",       "LDL",       "LDC",    "ST",       "STG",  "STS",
    "STL",    "ATOM", "ATOMG", "ATOMS",     "RED",       "S2R",    "S2UR",     "R2UR",
};
_Static_assert(sizeof op_names / sizeof *op_names == SASS_OPS, "each operation has a name");

const char *sass_op_name(enum sass_op op)
{
    return op > SASS_OTHER && op < SASS_OPS ? op_names[op] : "";
}

// Part of a text, by its position.
struct span {
    const char *at;
    size_t length;
};

static bool span_is(struct span span, const char *word)
{
    return strlen(word) == span.length && memcmp(span.at, word, span.length) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// Returns the text before the next such mark; *rest becomes the text after it.
static struct span next_word(struct span *rest, char mark)
{
    const char *dot = memchr(rest->at, mark, rest->length);
    struct span part = {rest->at, dot ? (size_t)(dot - rest->at) : rest->length};
    const size_t gone = part.length + (dot != NULL);
    *rest = (struct span){rest->at + gone, rest->length - gone};
    return part;
}

static struct span next_part(struct span *rest)
{
    return next_word(rest, '.');
}

// Whether one of the dotted parts after the first is `word`.
static bool has_modifier(struct span name, const char *word)
{
    next_part(&name);
    while (name.length > 0)
        if (span_is(next_part(&name), word))
            return true;
    return false;
}

static bool name_fits(struct span wanted, struct span name, bool without_u)
{
    struct span given = name, first = next_part(&wanted), base = next_part(&given);
    base = (struct span){base.at + without_u, base.length - without_u};
    if (first.length != base.length || memcmp(first.at, base.at, base.length) != 0)
        return false;
    while (wanted.length > 0) {
        char word[8] = "";
        struct span part = next_part(&wanted);
        memcpy(word, part.at, part.length < sizeof word ? part.length : sizeof word - 1);
        if (!has_modifier(name, word))
            return false;
    }
    return true;
}

static unsigned index_of(struct span word, const char *const *names, unsigned count)
{
    unsigned i = 0;
    while (i < count && !span_is(word, names[i]))
        i++;
    return i;
}

static bool find_row(struct span name, struct row *row)
{
    for (int without_u = 0; without_u <= (name.at[0] == 'U'); without_u++)
        for (const char *line = isa_instructions; (line = sass_look_up(line, "writes", 6));) {
            struct span rest = {line, strcspn(line, "\n")};
            const struct span writes = next_word(&rest, ' '), widths = next_word(&rest, ' ');
            const struct span op = next_word(&rest, ' ');
            while (rest.length > 0) {
                if (!name_fits(next_word(&rest, ' '), name, without_u))
                    continue;
                *row =
                    (struct row){.op = (enum sass_op)index_of(op, op_names, SASS_OPS),
                                 .writes = (enum writes)index_of(writes, writes_names, PREDICATE)};
                memcpy(row->widths, widths.at, widths.length);
                return true;
            }
        }
    return false;
}

static int memory_width(struct span name)
{
    next_part(&name);
    while (name.length > 0) {
        struct span part = next_part(&name);
        if (span_is(part, "64") || span_is(part, "S64") || span_is(part, "U64") ||
            span_is(part, "F64"))
            return 2;
        if (span_is(part, "96"))
            return 3;
        if (span_is(part, "128"))
            return 4;
    }
    return 1;
}

// F2F's first (0) or second (1) format among its modifiers.
static bool format_is_f64(struct span name, int index)
{
    next_part(&name);
    while (name.length > 0) {
        struct span part = next_part(&name);
        const bool brain = part.length > 2 && part.at[0] == 'B';
        if (part.length > (size_t)1 + brain && part.at[brain] == 'F' &&
            is_digit(part.at[brain + 1]) && index-- == 0)
            return span_is(part, "F64");
    }
    return false;
}

static int width(const struct row *row, struct span name, size_t position)
{
    switch (position < strlen(row->widths) ? row->widths[position] : '1') {
    case '2':
        return 2;
    case 'm':
        return memory_width(name);
    case 'f':
        return 1 + has_modifier(name, "F64");
    case 'i':
        return 1 + (has_modifier(name, "S64") || has_modifier(name, "U64"));
    case 'd':
        return 1 + format_is_f64(name, 0);
    case 's':
        return 1 + format_is_f64(name, 1);
    default:
        return 1;
    }
}

// Adds `count` registers from `number` on, ignoring those that do not exist.
static void add_registers(uint64_t *words, unsigned number, int count, unsigned end)
{
    for (unsigned i = number; i < number + (unsigned)count && i < end; i++)
        words[i / 64] |= UINT64_C(1) << i % 64;
}

// Adds the register named by a word such as "UR4", "P0", "B1" or "RZ". False if it names none.
static bool add_named(struct span word, int count, struct sass_registers *into)
{
    const bool uniform = word.length > 1 && word.at[0] == 'U';
    word = (struct span){word.at + uniform, word.length - uniform};
    if (word.length < 2 || word.length > 4 || !strchr("RPB", word.at[0]))
        return false;
    if (span_is(word, "RZ") || span_is(word, "PT"))
        return true;
    unsigned number = 0;
    for (size_t i = 1; i < word.length; i++) {
        if (!is_digit(word.at[i]))
            return false;
        number = 10 * number + (unsigned)(word.at[i] - '0');
    }
    if (word.at[0] == 'R' && uniform)
        add_registers(&into->ur, number, count, 63);
    else if (word.at[0] == 'R')
        add_registers(into->r, number, count, 255);
    else if (word.at[0] == 'P' && number < 7)
        *(uniform ? &into->up : &into->p) |= (uint8_t)(1 << number);
    else if (word.at[0] == 'B' && !uniform && number < 16)
        into->b |= (uint16_t)(1 << number);
    return true;
}

// The number of registers meant by one in brackets. Global and generic addresses (.E) are 64 bits
// wide: in [R2] and [R2.64+UR4] the first register is a pair, in [R2.U32+UR4] and [UR4] the second,
// in desc[UR4][R2.64] both.
static int address_width(struct span operand, struct span word, bool extended)
{
    const char *end = operand.at + operand.length, *behind = word.at + word.length;
    const size_t left = (size_t)(end - behind);
    if (left >= 3 && memcmp(behind, ".64", 3) == 0)
        return 2;
    if (left >= 4 && memcmp(behind, ".U32", 4) == 0)
        return 1;
    const char *open = word.at;
    while (open > operand.at && *open != '[')
        open--;
    if (open > operand.at && is_word(open[-1])) // desc[UR4], cx[UR4]
        return open[-1] == 'c' || open[-1] == 'x' ? 2 : 1;
    return 1 + extended;
}

// Adds the registers that an operand's words name, including those that form addresses.
static void add_operand(struct span operand, struct span name, int count,
                        struct sass_registers *into)
{
    const char *end = operand.at + operand.length;
    const bool address = memchr(operand.at, '[', operand.length) != NULL;
    const bool extended = has_modifier(name, "E");
    for (const char *c = operand.at; c < end; c++) {
        if (!is_word(*c))
            continue;
        struct span word = {c, 0};
        while (c < end && is_word(*c))
            c++;
        word.length = (size_t)(c - word.at);
        const bool suffix = word.at > operand.at && word.at[-1] == '.';
        if (!suffix)
            add_named(word, address ? address_width(operand, word, extended) : count, into);
        if (c == end)
            break;
    }
}

static struct span without_signs(struct span operand)
{
    while (operand.length > 0 && strchr("-~!|+", *operand.at))
        operand = (struct span){operand.at + 1, operand.length - 1};
    return operand;
}

static bool is_predicate(struct span operand)
{
    operand = without_signs(operand);
    const size_t uniform = operand.length > 0 && *operand.at == 'U';
    return operand.length == 2 + uniform && operand.at[uniform] == 'P';
}

#define MAX_OPERANDS 12

struct operands {
    struct span list[MAX_OPERANDS];
    size_t count;
};

// Operands are separated by commas or blanks: "RET.REL.NODEC R2 0x0" has two.
static bool split_operands(const char *text, struct operands *operands)
{
    int depth = 0;
    const char *start = text;
    for (const char *c = text;; c++) {
        if (*c && strchr("[{(", *c))
            depth++;
        if (*c && strchr("]})", *c))
            depth--;
        if (*c && (depth > 0 || (*c != ',' && *c != ' ')))
            continue;
        if (c > start) {
            if (operands->count == MAX_OPERANDS)
                return false;
            operands->list[operands->count++] = (struct span){start, (size_t)(c - start)};
        }
        start = c + 1;
        if (!*c)
            return depth == 0;
    }
}

static bool is_written(const struct row *row, const struct operands *operands, size_t index)
{
    switch (row->writes) {
    case NONE:
        return false;
    case FIRST:
        return index == 0;
    case TWO:
        return index < 2;
    case LAST_NOT:
        return index + 1 < operands->count;
    case CARRY:
        for (size_t i = 1; i <= index; i++)
            if (!is_predicate(operands->list[i]) || operands->list[i].at[0] == '!')
                return false;
        return true;
    case PREDICATE:
        return index == 0 || (index == 1 && is_predicate(operands->list[0]));
    }
    return false;
}

// PR and UPR: all predicates; the last operand is a mask of them.
static bool add_mask(struct span operand, const struct operands *operands,
                     struct sass_registers *into)
{
    const struct span last = operands->list[operands->count - 1];
    const bool number = last.length > 2 && memcmp(last.at, "0x", 2) == 0;
    const uint8_t mask = number ? (uint8_t)(strtoul(last.at, NULL, 16) & 0x7f) : 0x7f;
    if (span_is(operand, "PR"))
        into->p |= mask;
    else if (span_is(operand, "UPR"))
        into->up |= mask;
    else
        return false;
    return true;
}

static void add_operands(const struct row *row, struct span name, const struct operands *operands,
                         struct sass_insn *insn)
{
    size_t position = 0;
    for (size_t i = 0; i < operands->count; i++) {
        const struct span operand = operands->list[i];
        struct sass_registers *into = is_written(row, operands, i) ? &insn->writes : &insn->reads;
        if (add_mask(operand, operands, into) || is_predicate(operand)) {
            add_operand(operand, name, 1, into);
            // A predicate after the address is read and written.
            if (i > 1 && (row->op == SASS_LDG || row->op == SASS_LD))
                add_operand(operand, name, 1, &insn->writes);
            continue;
        }
        add_operand(operand, name, width(row, name, position), into);
        const bool constant = without_signs(operand).at[0] == 'c'; // c[0x0][R4] is a value
        position += constant || !memchr(operand.at, '[', operand.length);
    }
}

static struct span read_guard(struct sass_insn *insn)
{
    const char *c = insn->text;
    insn->guard = SASS_ALWAYS;
    if (*c != '@')
        return (struct span){c, strlen(c)};
    insn->guard_negated = c[1] == '!';
    c += 1 + insn->guard_negated;
    insn->guard_uniform = *c == 'U';
    c += insn->guard_uniform;
    if (c[0] == 'P' && c[1] >= '0' && c[1] <= '6')
        insn->guard = (uint8_t)(c[1] - '0');
    if (insn->guard < SASS_ALWAYS)
        *(insn->guard_uniform ? &insn->reads.up : &insn->reads.p) |= (uint8_t)(1 << insn->guard);
    c += strcspn(c, " ");
    return (struct span){c + (*c == ' '), strlen(c + (*c == ' '))};
}

static void read_target(struct sass_insn *insn, const struct operands *operands)
{
    const struct span last = operands->list[operands->count ? operands->count - 1 : 0];
    const bool indirect =
        insn->reads.r[0] | insn->reads.r[1] | insn->reads.r[2] | insn->reads.r[3] | insn->reads.ur;
    const bool has = insn->op == SASS_BRA || insn->op == SASS_BSSY ||
                     (insn->op == SASS_WARPSYNC && strstr(insn->text, ".COLLECTIVE")) ||
                     (insn->op == SASS_CALL && !indirect && strstr(insn->text, "CALL.REL"));
    if (!has || operands->count == 0 || last.length < 3 || memcmp(last.at, "0x", 2) != 0)
        return;
    const unsigned long long target = strtoull(last.at, NULL, 16);
    if (target < SASS_NOWHERE)
        insn->target = (uint32_t)target;
}

static void read_barrier(struct sass_insn *insn, struct span name)
{
    const uint16_t named = insn->reads.b;
    for (int i = 0; i < 16; i++)
        if (named & 1 << i && insn->op != SASS_BMOV)
            insn->barrier = (int8_t)i;
    if (insn->op == SASS_BSSY) {
        insn->writes.b = named;
        insn->reads.b = 0;
    }
    if (insn->op == SASS_BREAK || (insn->op == SASS_BMOV && has_modifier(name, "CLEAR")))
        insn->writes.b |= named;
}

void sass_effects(struct sass_insn *insn)
{
    *insn = (struct sass_insn){
        .address = insn->address, .text = insn->text, .target = SASS_NOWHERE, .barrier = -1};
    struct operands operands = {0};
    struct span name = read_guard(insn);
    const char *behind = name.at + strcspn(name.at, " ");
    name.length = (size_t)(behind - name.at);
    struct row row;
    if (name.length == 0 || !find_row(name, &row) || !split_operands(behind, &operands)) {
        insn->flags = SASS_UNKNOWN;
        return;
    }
    insn->op = row.op;
    add_operands(&row, name, &operands, insn);
    read_target(insn, &operands);
    read_barrier(insn, name);
    if (insn->op == SASS_BRA) {
        const bool uniform = insn->guard_uniform || has_modifier(name, "U") || insn->reads.up;
        insn->flags |= has_modifier(name, "CONV") ? SASS_CONVERGED : 0u;
        insn->flags |= has_modifier(name, "DIV") ? SASS_DIVERGED : 0u;
        insn->flags |= uniform ? SASS_UNIFORM : 0u;
    }
}
