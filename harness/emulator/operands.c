// SPDX-License-Identifier: Apache-2.0
// Operands: read from an instruction's text, and their values.
#include "emulator/warp.h"

#include <math.h>
#include <stdarg.h>

void emu_fail(struct emu_at *at, const char *format, ...)
{
    struct emu_machine *machine = at->warp->machine;
    char what[200];
    va_list arguments;
    if (machine->failed)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    machine->failed = true;
    lit_fail(machine->error, LIT_EXIT_UNDECIDED, "%s by %s at 0x%x, workgroup %u, warp %u", what,
             at->insn->sass->text, at->insn->sass->address, at->warp->group->id[0],
             at->warp->number);
}

// --- Text

struct words {
    char text[SASS_TEXT_MAX];
    char *list[2 * EMU_OPERANDS];
    size_t count;
};

// The text behind the guard, in pieces; the first one is the name.
static bool split(const struct sass_insn *sass, struct words *words)
{
    size_t length;
    const char *from = sass_mnemonic(sass, &length);
    snprintf(words->text, sizeof words->text, "%s", from);
    words->count = 0;
    for (char *at = words->text; *at;) {
        at += strspn(at, " ,");
        if (!*at)
            break;
        if (words->count == sizeof words->list / sizeof *words->list)
            return false;
        words->list[words->count++] = at;
        at += *at == '{' ? strcspn(at, "}") : strcspn(at, " ,");
        if (*at)
            *at++ = '\0';
    }
    return words->count > 0;
}

static bool add_modifier(struct emu_insn *insn, const char *name)
{
    static const char *const names[MOD_COUNT] = {
#define EMU_AS_NAME(NAME) #NAME,
        EMU_MODIFIERS(EMU_AS_NAME)
#undef EMU_AS_NAME
    };
    for (unsigned i = 0; i < MOD_COUNT; i++)
        if (strcmp(names[i], name) == 0) {
            insn->modifiers[i / 64] |= UINT64_C(1) << i % 64;
            return true;
        }
    return false;
}

// "R12.reuse.B1" behind the R: its number, or 255 and 63 for RZ and URZ, 7 for PT and UPT.
static void read_register(const char *at, unsigned none, char last, struct emu_operand *operand)
{
    char *end;
    operand->index = (uint8_t)none;
    if (*at == last) {
        end = (char *)at + 1;
    } else {
        const unsigned long number = strtoul(at, &end, 10);
        if (end == at || number >= none)
            operand->kind = EMU_STRANGE;
        operand->index = (uint8_t)(number < none ? number : none);
    }
    for (const char *part = end; *part == '.'; part += strcspn(part, ".")) {
        part++;
        if (part[0] == 'B' && part[1] >= '0' && part[1] <= '3')
            operand->part = (uint8_t)(part[1] - '0');
        else if (part[0] == 'H' && (part[1] == '0' || part[1] == '1'))
            operand->half = (uint8_t)(part[1] - '0' + 1);
        else if (strncmp(part, "reuse", 5) != 0)
            operand->kind = EMU_STRANGE;
    }
}

// "R2.U32+UR4+0x10" within brackets.
static void read_address(const char *at, struct emu_operand *operand)
{
    operand->base = 255;
    operand->uniform = 63;
    operand->scale = 1;
    while (*at && *at != ']') {
        const bool minus = *at == '-';
        char *end = (char *)at + 1;
        at += *at == '+' || minus;
        if (at[0] == 'U' && at[1] == 'R') {
            operand->uniform = at[2] == 'Z' ? 63 : (uint8_t)strtoul(at + 2, &end, 10);
            end = (char *)at + 2 + strcspn(at + 2, "+-]");
        } else if (at[0] == 'R') {
            operand->base = at[1] == 'Z' ? 255 : (uint8_t)strtoul(at + 1, &end, 10);
            end = (char *)at + 1 + strcspn(at + 1, ".+-]");
            for (; *end == '.'; end += strcspn(end + 1, ".+-]") + 1) {
                if (strncmp(end, ".X", 2) == 0)
                    operand->scale = (uint8_t)strtoul(end + 2, NULL, 10);
                operand->wide = strncmp(end, ".64", 3) == 0    ? 64
                                : strncmp(end, ".U32", 4) == 0 ? 32
                                                               : operand->wide;
            }
        } else {
            const long long number = strtoll(at, &end, 0);
            operand->number += minus ? -number : number;
        }
        if (end <= at) {
            operand->kind = EMU_STRANGE;
            return;
        }
        at = end;
    }
}

static void read_constant(const char *at, struct emu_operand *operand)
{
    char *end;
    operand->index = (uint8_t)strtoul(at + 2, &end, 0);
    if (end[0] != ']' || end[1] != '[')
        operand->kind = EMU_STRANGE;
    else
        read_address(end + 2, operand);
}

static void read_operand(const char *at, struct emu_operand *operand)
{
    char *end;
    *operand = (struct emu_operand){.kind = EMU_STRANGE};
    for (; *at == '-' || *at == '~' || *at == '!' || *at == '|'; at++) {
        if (*at == '-' && (at[1] == '0' || (at[1] >= '1' && at[1] <= '9') || at[1] == 'I'))
            break;
        operand->minus |= *at == '-';
        operand->invert |= *at == '~' || *at == '!';
        operand->absolute |= *at == '|';
    }
    if (at[0] == 'P' && at[1] == 'R') {
        const bool named = at[2] == '.' && at[3] == 'B';
        operand->kind = !named || (at[4] >= '0' && at[4] <= '3') ? EMU_PREDICATES : EMU_STRANGE;
        operand->part = named ? (uint8_t)(at[4] - '0') : 0;
    } else if (strcmp(at, "UPR") == 0) {
        operand->kind = EMU_PREDICATES;
    } else if (strncmp(at, "SR", 2) == 0) {
        operand->kind = EMU_SPECIAL;
    } else if (at[0] == 'R') {
        operand->kind = EMU_R;
        read_register(at + 1, 255, 'Z', operand);
    } else if (at[0] == 'U' && at[1] == 'R') {
        operand->kind = EMU_UR;
        read_register(at + 2, 63, 'Z', operand);
    } else if (at[0] == 'P') {
        operand->kind = EMU_P;
        read_register(at + 1, 7, 'T', operand);
    } else if (at[0] == 'U' && at[1] == 'P') {
        operand->kind = EMU_UP;
        read_register(at + 2, 7, 'T', operand);
    } else if (at[0] == 'B' && at[1] >= '0' && at[1] <= '9') {
        operand->kind = EMU_BARRIER;
        operand->index = (uint8_t)(strtoul(at + 1, &end, 10) & 15);
    } else if (strncmp(at, "c[", 2) == 0) {
        operand->kind = EMU_CONSTANT;
        read_constant(at, operand);
    } else if (at[0] == '[') {
        operand->kind = EMU_ADDRESS;
        read_address(at + 1, operand);
    } else if (strncmp(at, "0x", 2) == 0 || strncmp(at, "-0x", 3) == 0) {
        operand->kind = EMU_NUMBER;
        operand->number = (int64_t)strtoull(at + (*at == '-'), &end, 16);
        operand->number = *at == '-' ? -operand->number : operand->number;
    } else {
        operand->real = strstr(at, "NAN") ? NAN : strtod(at, &end);
        operand->kind = strstr(at, "NAN") || end != at ? EMU_REAL : EMU_STRANGE;
    }
}

static bool is_predicate(const struct emu_operand *operand)
{
    return operand->kind == EMU_P || operand->kind == EMU_UP;
}

static const struct emu_row *find_row(const char *name)
{
    static const struct emu_row *const tables[] = {emu_computing_rows, emu_memory_rows,
                                                   emu_lane_rows};
    // What control flow decides, warp.c executes; the others do nothing here.
    static const char plain[] =
        " BSSY BSYNC BREAK WARPSYNC YIELD NANOSLEEP BRA BRX CALL RET EXIT BAR NOP DEPBAR MEMBAR "
        "ERRBAR CCTL CCTLL CCTLT CGAERRBAR FENCE LDGDEPBAR ";
    static const struct emu_row none;
    char word[SASS_TEXT_MAX];
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct emu_row *row = tables[i]; row->name; row++)
            if (strcmp(row->name, name) == 0)
                return row;
    snprintf(word, sizeof word, " %s ", name);
    return strstr(plain, word) ? &none : NULL;
}

static void take_operand(const struct emu_row *row, const struct emu_operand *operand,
                         struct emu_insn *insn, bool *behind)
{
    const bool predicate = is_predicate(operand);
    if (predicate && !insn->has_to && !*behind && insn->outs < row->before)
        insn->out[insn->outs++] = *operand;
    else if (row->to && !insn->has_to && !*behind &&
             (operand->kind == EMU_R || operand->kind == EMU_UR)) {
        insn->to = *operand;
        insn->has_to = *behind = true;
    } else if (predicate && row->behind && insn->ins == 0 && insn->tests == 0 &&
               insn->outs < row->before + row->behind) {
        *behind = true;
        insn->out[insn->outs++] = *operand;
    } else if (predicate && insn->tests < EMU_OPERANDS) {
        insn->test[insn->tests++] = *operand;
    } else if (!predicate && insn->ins < EMU_OPERANDS) {
        insn->in[insn->ins++] = *operand;
    }
}

void emu_parse(const struct sass_insn *sass, struct emu_insn *insn)
{
    struct words words;
    struct emu_operand operand;
    bool behind = false;
    *insn = (struct emu_insn){.sass = sass};
    if ((sass->flags & SASS_UNKNOWN) || !split(sass, &words))
        return;
    char *name = words.list[0], *next = strchr(name, '.');
    while (next) {
        *next++ = '\0';
        char *modifier = next;
        next = strchr(next, '.');
        const size_t length = next ? (size_t)(next - modifier) : strlen(modifier);
        char copy[24];
        snprintf(copy, sizeof copy, "%.*s", (int)length, modifier);
        add_modifier(insn, copy);
    }
    const struct emu_row *row = find_row(name);
    insn->uniform = !row ? name[0] == 'U' : strcmp(name, "S2UR") == 0;
    row = !row && name[0] == 'U' ? find_row(name + 1) : row;
    if (!row)
        return;
    insn->row = row;
    for (size_t i = 1; i < words.count; i++) {
        read_operand(words.list[i], &operand);
        if (operand.kind == EMU_SPECIAL)
            operand.name = strstr(sass->text, "SR"); // lasts as long as the code
        take_operand(row, &operand, insn, &behind);
    }
}

// --- Values

static bool is_uniform(const struct emu_at *at)
{
    return at->lane == EMU_UNIFORM;
}

bool emu_constant(struct emu_at *at, const struct emu_operand *operand, size_t size, void *value)
{
    uint64_t offset = (uint64_t)operand->number;
    if (operand->base != 255)
        offset += at->warp->r[operand->base][is_uniform(at) ? 0 : at->lane];
    if (operand->uniform != 63)
        offset += at->warp->ur[operand->uniform & 63];
    const struct emu_dispatch *dispatch = at->warp->machine->dispatch;
    if (operand->index == 1 && !dispatch->compiled && offset == 0 &&
        sass_begins(at->insn->sass, "IMAD ")) {
        memcpy(value, &(uint32_t){EMU_LOCAL_AT}, size);
        return true;
    }
    const char *banks[] = {(const char *)dispatch->constants, dispatch->compiled};
    const size_t sizes[] = {EMU_CONSTANTS, dispatch->compiled_size};
    const uint8_t bank = operand->index;
    if (bank > 1 || size > sizes[bank] || offset > sizes[bank] - size) {
        emu_fail(at, "unknown constant c[0x%x][0x%llx]", operand->index,
                 (unsigned long long)offset);
        memset(value, 0, size);
        return false;
    }
    memcpy(value, banks[bank] + offset, size);
    return true;
}

static uint32_t bits_of(double real)
{
    const float single = (float)real;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

uint32_t emu_raw(struct emu_at *at, const struct emu_operand *operand)
{
    uint32_t value = 0;
    switch (operand->kind) {
    case EMU_R:
        return at->warp->r[operand->index][is_uniform(at) ? 0 : at->lane];
    case EMU_UR:
        return at->warp->ur[operand->index & 63];
    case EMU_NUMBER:
        return (uint32_t)operand->number;
    case EMU_REAL:
        return bits_of(operand->real);
    case EMU_CONSTANT:
        emu_constant(at, operand, sizeof value, &value);
        return value;
    default:
        emu_fail(at, "unknown operand");
        return 0;
    }
}

uint32_t emu_get(struct emu_at *at, unsigned in)
{
    const struct emu_operand *operand = &at->insn->in[in];
    if (in >= at->insn->ins) {
        emu_fail(at, "missing operand");
        return 0;
    }
    uint32_t value = emu_raw(at, operand);
    if (operand->absolute && value >> 31)
        value = -value;
    return operand->minus ? -value : operand->invert ? ~value : value;
}

uint64_t emu_get64(struct emu_at *at, unsigned in)
{
    const struct emu_operand *operand = &at->insn->in[in];
    uint64_t value = 0;
    if (in >= at->insn->ins) {
        emu_fail(at, "missing operand");
    } else if (operand->kind == EMU_R && operand->index != 255) {
        struct emu_operand high = *operand;
        high.index++;
        value = emu_raw(at, operand) | (uint64_t)emu_raw(at, &high) << 32;
    } else if (operand->kind == EMU_UR && operand->index != 63) {
        value = at->warp->ur[operand->index] | (uint64_t)at->warp->ur[(operand->index + 1) & 63]
                                                   << 32;
    } else if (operand->kind == EMU_NUMBER) {
        value = (uint64_t)operand->number;
    } else if (operand->kind == EMU_REAL) {
        memcpy(&value, &operand->real, sizeof value);
    } else if (operand->kind == EMU_CONSTANT) {
        emu_constant(at, operand, sizeof value, &value);
    } else {
        value = emu_raw(at, operand);
    }
    return operand->minus && operand->kind != EMU_NUMBER ? -value
           : operand->invert                             ? ~value
                                                         : value;
}

bool emu_test(struct emu_at *at, unsigned test)
{
    if (test >= at->insn->tests)
        return true;
    struct emu_operand operand = at->insn->test[test];
    const struct emu_change *change = &at->warp->machine->dispatch->change;
    const uint32_t *p = at->warp->p;
    const bool is_changed = &at->warp->machine->program->insns[change->insn] == at->insn;
    if (change->kind == EMU_INVERT && is_changed && change->operand >> test & 1) {
        operand.invert = !operand.invert;
    } else if (change->kind == EMU_TEST && is_changed && change->operand == test) {
        operand = (struct emu_operand){.kind = change->uniform ? EMU_UP : EMU_P,
                                       .index = change->predicate,
                                       .invert = change->negated};
        p = change->before ? at->warp->before : p;
    }
    const unsigned lane = is_uniform(at) ? 0 : at->lane;
    const bool value = operand.kind == EMU_UP || is_uniform(at) ? at->warp->up[operand.index & 7]
                                                                : p[operand.index & 7] >> lane & 1;
    return value != operand.invert;
}

void emu_put_word(struct emu_at *at, unsigned word, uint32_t value)
{
    const struct emu_operand *to = &at->insn->to;
    const unsigned index = to->index + word;
    if (!at->insn->has_to)
        return;
    if (to->kind == EMU_UR) {
        if (to->index != 63)
            at->warp->ur[index & 63] = value;
    } else if (to->index != 255 && index < 255) {
        at->warp->r[index][at->lane] = value;
    }
}

void emu_put(struct emu_at *at, uint32_t value)
{
    emu_put_word(at, 0, value);
}

void emu_put64(struct emu_at *at, uint64_t value)
{
    emu_put_word(at, 0, (uint32_t)value);
    emu_put_word(at, 1, (uint32_t)(value >> 32));
}

void emu_out(struct emu_at *at, unsigned out, bool value)
{
    if (out >= at->insn->outs || at->insn->out[out].index == 7)
        return;
    const struct emu_operand *operand = &at->insn->out[out];
    const uint32_t bit = UINT32_C(1) << (at->lane & 31);
    if (operand->kind == EMU_UP)
        at->warp->up[operand->index & 7] = value;
    else
        at->warp->p[operand->index & 7] =
            (at->warp->p[operand->index & 7] & ~bit) | (value ? bit : 0);
}
