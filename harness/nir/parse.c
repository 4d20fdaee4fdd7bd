// SPDX-License-Identifier: Apache-2.0
// Reads NIR as Mesa prints it: one instruction a line, `if`, `else` and loops in braces.
#include "base/build.h"
#include "base/text.h"
#include "nir/program.h"

#include <limits.h>

#define MOST_OPS   200000u
#define MOST_VALUE 1000000u
#define MOST_PARTS NIR_SOURCES
#define MOST_ARGS  32u

static bool starts(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

struct reading {
    struct nir_program *program;
    size_t open[NIR_DEPTH], depth; // operations whose brace is open
    struct lit_error *error;
    const char *line;
};

static bool refuse(struct reading *r, const char *why)
{
    return lit_fail(r->error, LIT_EXIT_UNDECIDED, "NIR that cannot be read: %s: %.*s", why,
                    (int)strcspn(r->line, "\n"), r->line);
}

const char *nir_behind(const struct nir_op *op, const char *words)
{
    const char *at = strstr(op->line, words);
    return at && at < op->line + strcspn(op->line, "\n") ? at + strlen(words) : NULL;
}

uint64_t nir_number(const struct nir_op *op, const char *key, uint64_t none)
{
    char words[40];
    snprintf(words, sizeof words, " %s=", key);
    const char *at = nir_behind(op, words);
    words[0] = '(';
    at = at ? at : nir_behind(op, words);
    return at ? strtoull(at, NULL, 0) : none;
}

static struct nir_op *add(struct nir_program *p, enum nir_kind kind, const char *line)
{
    p->ops = lit_grow(p->ops, p->count, sizeof *p->ops);
    p->ops[p->count] = (struct nir_op){
        .kind = kind, .code = UINT_MAX, .value = UINT32_MAX, .line = line, .reduction = UINT_MAX};
    return &p->ops[p->count++];
}

// The digits of "%12", or with debug information "ssa_12"; NULL: no value is named here.
static const char *digits_of(const char *at)
{
    return *at == '%' ? at + 1 : starts(at, "ssa_") ? at + 4 : NULL;
}

// The length of a name that debug information puts behind a value's number: ".phi".
static size_t name_length(const char *at)
{
    return *at == '.' ? strcspn(at, " ,)\n") : 0;
}

// Skips the name of a value, which its definition has; phis may read one that is not defined yet,
// and read whole values.
static char *skip_name(const struct nir_program *p, const struct nir_op *op, uint32_t value,
                       char *at)
{
    const char *name = value < p->value_count ? p->values[value].name : NULL;
    const size_t length = name ? name_length(name) : 0;
    if (op->kind == NIR_PHI)
        return at + name_length(at);
    return length && strncmp(at, name, length) == 0 ? at + length : at;
}

// Sources: "%12.xy (0x6), b3: %13", up to the end of the line or `end`.
static bool read_sources(struct reading *r, struct nir_op *op, const char *at, const char *end)
{
    static const char parts[] = "abcdefghijklmnopxyzw";
    uint32_t block = 0;
    for (; at < end; at++) {
        if (*at == 'b' && at[1] >= '0' && at[1] <= '9')
            block = (uint32_t)strtoul(at + 1, NULL, 10);
        const char *digits = digits_of(at);
        if (!digits)
            continue;
        if (op->source_count == NIR_SOURCES)
            return refuse(r, "too many sources");
        struct nir_source *source = &op->source[op->source_count++];
        char *next;
        source->value = (uint32_t)strtoul(digits, &next, 10);
        source->block = block;
        next = skip_name(r->program, op, source->value, next);
        for (uint8_t i = 0; i < NIR_SOURCES; i++)
            source->part[i] = i;
        if (*next == '.')
            for (size_t i = 0; *++next && strchr(parts, *next) && i < NIR_SOURCES; i++)
                source->part[i] = (uint8_t)((strchr(parts, *next) - parts) % NIR_SOURCES);
        at = next - 1;
    }
    return true;
}

static bool read_constant(struct reading *r, struct nir_op *op, const char *at)
{
    at += strcspn(at, "(\n");
    for (size_t i = 0; i < op->parts; i++) {
        if (*at++ == '\n')
            return refuse(r, "a constant without words");
        op->constant[i] = strncmp(at, "true", 4) == 0 ? 1 : strtoull(at, NULL, 0);
        at += strcspn(at, ",)\n") + (i + 1 < op->parts);
    }
    return true;
}

// "32x4 %20 = vec4 %1.x, %2" or "@store_ssbo (%1, %2) (wrmask=x)".
static bool read_operation(struct reading *r, const char *line)
{
    struct nir_op *op = add(r->program, NIR_ALU, line);
    const char *end = line + strcspn(line, "\n"), *note = strstr(line, "//");
    end = note && note < end ? note : end;
    const char *name = NULL;
    if (*line >= '0' && *line <= '9') {
        char *at;
        op->bits = (uint8_t)strtoul(line, &at, 10);
        op->parts = *at == 'x' ? (uint8_t)strtoul(at + 1, &at, 10) : 1;
        at += strspn(at, " ");
        const char *digits = digits_of(at);
        const unsigned long value = strtoul(digits ? digits : at, &at, 10);
        name = at;
        at += name_length(at);
        if (!strchr("\1\10\20\40\100", op->bits) || !op->bits || !op->parts ||
            op->parts > MOST_PARTS || value > MOST_VALUE || !starts(at, " = "))
            return refuse(r, "no result");
        op->value = (uint32_t)value;
        op->line = at + 3;
    }
    struct nir_program *p = r->program;
    while (op->value != UINT32_MAX && p->value_count <= op->value)
        LIT_ADD(p->values, p->value_count) = (struct nir_value){0};
    if (op->value != UINT32_MAX)
        p->values[op->value] = (struct nir_value){(uint32_t)p->words, op->bits, op->parts, name};
    p->words += op->parts;
    if (starts(op->line, "load_const") || starts(op->line, "undefined")) {
        op->kind = NIR_CONST;
        return op->line[0] == 'u' || read_constant(r, op, op->line);
    }
    op->kind = starts(op->line, "phi ") ? NIR_PHI : op->line[0] == '@' ? NIR_CALL : NIR_ALU;
    if (op->kind == NIR_CALL) {
        const char *by = nir_behind(op, "reduction_op="), *is = nir_behind(op, "atomic_op=");
        op->code = nir_call_find(op->line + 1);
        op->reduction = by ? nir_alu_find(by) : is ? nir_alu_find(is) : UINT_MAX;
        const char *at = op->line + strcspn(op->line, " \n");
        const char *list = nir_behind(op, ") ("); // where attributes begin
        return at[0] != ' ' || !digits_of(at + 2) || read_sources(r, op, at, list ? list : end);
    }
    op->code = op->kind == NIR_ALU ? nir_alu_find(op->line) : 0;
    if (op->code == UINT_MAX && nir_call_find(op->line) != UINT_MAX) {
        op->kind = NIR_CALL; // vec4 and its like
        op->code = nir_call_find(op->line);
    }
    return read_sources(r, op, op->line, end);
}

static bool close_brace(struct reading *r, const char *line)
{
    struct nir_program *p = r->program;
    if (!r->depth)
        return refuse(r, "a brace too many");
    const size_t begin = r->open[--r->depth];
    const enum nir_kind was = p->ops[begin].kind;
    const bool other = starts(line, "} else {");
    if (starts(line, "} continue") || (other && was != NIR_IF))
        return refuse(r, "not known");
    struct nir_op *op = add(p, other ? NIR_ELSE : was == NIR_LOOP ? NIR_ENDLOOP : NIR_ENDIF, line);
    op->to = (uint32_t)begin;
    p->ops[begin].to = (uint32_t)(p->count - 1);
    if (other)
        r->open[r->depth++] = p->count - 1;
    return true;
}

static bool open_brace(struct reading *r, enum nir_kind kind, const char *line)
{
    struct nir_op *op = add(r->program, kind, line);
    if (r->depth == NIR_DEPTH)
        return refuse(r, "nested too deeply");
    r->open[r->depth++] = r->program->count - 1;
    return kind != NIR_IF || read_sources(r, op, line, line + strcspn(line, "{\n"));
}

static bool read_line(struct reading *r)
{
    const char *line = r->line += strspn(r->line, " \t");
    const size_t length = strcspn(line, "\n");
    if (starts(line, "con ") || starts(line, "div "))
        line += 4 + strspn(line + 4, " ");
    if (r->program->count > MOST_OPS)
        return refuse(r, "too long");
    if (line[0] == '}')
        return close_brace(r, line);
    if (starts(line, "if "))
        return open_brace(r, NIR_IF, line);
    if (starts(line, "loop "))
        return open_brace(r, NIR_LOOP, line);
    if (starts(line, "block b"))
        add(r->program, NIR_BLOCK, line)->block = (uint32_t)strtoul(line + 7, NULL, 10);
    else if (starts(line, "break") || starts(line, "continue"))
        add(r->program, line[0] == 'b' ? NIR_BREAK : NIR_CONTINUE, line);
    else if (line[0] == '@' || (line[0] >= '0' && line[0] <= '9'))
        return read_operation(r, line);
    else if (length && !starts(line, "//"))
        return refuse(r, "not known");
    return true;
}

// Which argument is which: see nir.h.
static bool place_arguments(struct reading *r, const char *later)
{
    struct nir_program *p = r->program;
    const char *start = strstr(later, "p_startpgm");
    uint32_t count = 0, ring = 0;
    while (start && start > later && start[-1] != '\n')
        start--;
    for (const char *at = start; at && *at && *at != '\n'; at++)
        if (starts(at, "s1: "))
            count++;
        else if (starts(at, "s2: ") && !count)
            ring = 1; // then the scratch offset, too
    if (!count || count > MOST_ARGS)
        return lit_fail(r->error, LIT_EXIT_UNDECIDED, "ACO's text has no arguments");
    p->first = ring;
    p->vectors = ring + count;
    for (size_t i = 0; i < p->count; i++) {
        const struct nir_op *op = &p->ops[i];
        // On GFX12 they are in registers of their own; tg_size stays, unused.
        p->ttmp |= op->kind == NIR_CALL && starts(op->line, "@load_ttmp_register");
        if (op->kind != NIR_CALL || !starts(op->line, "@load_scalar_arg"))
            continue;
        const uint32_t at = (uint32_t)nir_number(op, "base", 0) + 1 - ring;
        p->placed |= starts(op->line, "@load_scalar_arg_wg_div");
        if (nir_number(op, "arg_num_lsb_zero", 0) && at > p->sets)
            p->sets = at;
        if (at > count || nir_number(op, "arg_upper_bound_u32_amd", 0) == 65535)
            return lit_fail(r->error, LIT_EXIT_UNDECIDED, "arguments that are not known");
    }
    p->grouped = p->grouped && !p->ttmp;
    const uint32_t rest = count - ring - p->sets - p->placed;
    if (p->sets > 1 || count < ring + p->sets + p->placed || rest < p->grouped)
        return lit_fail(r->error, LIT_EXIT_UNDECIDED, "arguments that are not known");
    p->scalars = rest - p->grouped;
    return true;
}

bool nir_program_make(const char *text, const char *later, struct nir_program **program,
                      struct lit_error *error)
{
    struct reading r = {.program = lit_alloc(1, sizeof **program), .error = error};
    struct nir_program *p = *program = r.program;
    const char *body = strstr(text, "\nimpl main {\n"), *size = strstr(text, "api_subgroup_size: ");
    const char *read = strstr(text, "system_values_read: "),
               *shared = strstr(text, "shared_size: ");
    if (!starts(text, "shader: MESA_SHADER_COMPUTE") || !body || !size || !read)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "not the NIR of a compute shader");
    p->subgroup = (uint32_t)strtoul(size + 19, NULL, 10);
    p->shared = shared ? (uint32_t)strtoul(shared + 13, NULL, 10) : 0;
    // Groups of eight digits: the last has a bit for the subgroup's number, the one before for the
    // workgroup's.
    const char *word = read + strcspn(read, "\n") - 17;
    p->grouped = strtoul(word, NULL, 16) >> 15 & 1;
    p->placed = strtoul(word + 9, NULL, 16) >> 8 & 1;
    const char *shape = strstr(text, "workgroup_size: ");
    shape = shape ? shape + strcspn(shape, ",\n") : "";
    if (!starts(shape, ", 1, 1\n"))
        return lit_fail(error, LIT_EXIT_UNDECIDED, "invocations in several dimensions");
    if (!p->subgroup || p->subgroup > NIR_LANES || p->subgroup & (p->subgroup - 1))
        return lit_fail(error, LIT_EXIT_UNDECIDED, "subgroups of %u", p->subgroup);
    r.open[r.depth++] = 0;
    add(p, NIR_BLOCK, "start")->block = UINT32_MAX;
    for (r.line = body + 13; *r.line && r.depth; r.line += *r.line == '\n') {
        if (!read_line(&r))
            return false;
        r.line += strcspn(r.line, "\n");
    }
    if (r.depth)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "NIR that is cut off");
    p->ops[p->count - 1].kind = NIR_END;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->ops[i].source_count; k++)
            if (p->ops[i].source[k].value >= p->value_count ||
                !p->values[p->ops[i].source[k].value].parts)
                return lit_fail(error, LIT_EXIT_UNDECIDED, "NIR with a value that is nowhere");
    return place_arguments(&r, later);
}

void nir_program_free(struct nir_program **program)
{
    if (!*program)
        return;
    free((*program)->ops);
    free((*program)->values);
    free(*program);
    *program = NULL;
}

uint32_t nir_program_pushed(const struct nir_program *program)
{
    return program->scalars;
}
