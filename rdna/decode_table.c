// SPDX-License-Identifier: Apache-2.0
// Reads instructions.txt, once.
#include "decode.h"
#include "exec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern const char rdna_instructions[];

enum { OPCODES = 1024, OPS = 3200, WORDS = 20, LINE = 160 };

static struct rdna_op ops[OPS];
static unsigned op_count;
static uint16_t by_opcode[RDNA_GENERATIONS][RDNA_FORMATS][OPCODES]; // an index into `ops`, plus 1

static const char *const format_names[RDNA_FORMATS] = {
    "sop1", "sop2",  "sopk",    "sopc", "sopp",  "smem",  "vop1", "vop2", "vopc",
    "vop3", "vop3p", "vinterp", "ds",   "mubuf", "mtbuf", "flat", "vopd"};

static const char *const flag_names[] = {"only",   "dpp",    "sdwa",    "omod",  "clamp", "opsel",
                                         "halves", "mix",    "returns", "two",   "st64",  "low",
                                         "high",   "buffer", "addtid",  "scalar"};

static const struct {
    const char *name;
    enum rdna_does does;
    enum rdna_atomic atomic;
} actions[] = {
    {"load", RDNA_DOES_LOAD, 0},
    {"store", RDNA_DOES_STORE, 0},
    {"load-format", RDNA_DOES_LOAD_FORMAT, 0},
    {"store-format", RDNA_DOES_STORE_FORMAT, 0},
    {"time", RDNA_DOES_TIME, 0},
    {"invalidate", RDNA_DOES_INVALIDATE, 0},
    {"probe", RDNA_DOES_PROBE, 0},
    {"swizzle", RDNA_DOES_SWIZZLE, 0},
    {"permute", RDNA_DOES_PERMUTE, 0},
    {"bpermute", RDNA_DOES_BPERMUTE, 0},
    {"consume", RDNA_DOES_CONSUME, 0},
    {"append", RDNA_DOES_APPEND, 0},
    {"swap", RDNA_DOES_ATOMIC, RDNA_SWAP},
    {"compare-swap", RDNA_DOES_ATOMIC, RDNA_COMPARE_SWAP},
    {"add", RDNA_DOES_ATOMIC, RDNA_ADD},
    {"sub", RDNA_DOES_ATOMIC, RDNA_SUB},
    {"rsub", RDNA_DOES_ATOMIC, RDNA_REVERSE_SUB},
    {"smin", RDNA_DOES_ATOMIC, RDNA_SMIN},
    {"umin", RDNA_DOES_ATOMIC, RDNA_UMIN},
    {"smax", RDNA_DOES_ATOMIC, RDNA_SMAX},
    {"umax", RDNA_DOES_ATOMIC, RDNA_UMAX},
    {"and", RDNA_DOES_ATOMIC, RDNA_AND},
    {"or", RDNA_DOES_ATOMIC, RDNA_OR},
    {"xor", RDNA_DOES_ATOMIC, RDNA_XOR},
    {"inc", RDNA_DOES_ATOMIC, RDNA_INC},
    {"dec", RDNA_DOES_ATOMIC, RDNA_DEC},
    {"fadd", RDNA_DOES_ATOMIC, RDNA_FADD},
    {"fmin", RDNA_DOES_ATOMIC, RDNA_FMIN},
    {"fmax", RDNA_DOES_ATOMIC, RDNA_FMAX},
    {"fcompare-swap", RDNA_DOES_ATOMIC, RDNA_FCOMPARE_SWAP},
    {"mskor", RDNA_DOES_ATOMIC, RDNA_MASKED_OR},
    {"wrap", RDNA_DOES_ATOMIC, RDNA_WRAP},
    {"csub", RDNA_DOES_ATOMIC, RDNA_SUB_CLAMP},
    {"cond-sub", RDNA_DOES_ATOMIC, RDNA_COND_SUB},
};

// The table is ours: what it does not know is a mistake in it.
static void must(bool holds)
{
    if (!holds)
        abort();
}

static struct rdna_type type_of(const char *word)
{
    static const struct {
        const char *name;
        enum rdna_kind kind;
    } kinds[] = {{"mask", RDNA_MASK},     {"sgpr", RDNA_SGPR},       {"sgpr64", RDNA_SGPR},
                 {"vgpr", RDNA_VGPR},     {"literal", RDNA_LITERAL}, {"simm", RDNA_SIMM},
                 {"hwreg", RDNA_HWREG},   {"branch", RDNA_BRANCH},   {"message", RDNA_MESSAGE},
                 {"matrix", RDNA_MATRIX}, {"part4", RDNA_PART},      {"part8", RDNA_PART},
                 {"part16", RDNA_PART}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(word, kinds[i].name))
            return (struct rdna_type){kinds[i].kind,
                                      kinds[i].kind == RDNA_PART
                                          ? (unsigned)strtoul(word + strlen("part"), NULL, 10)
                                      : strstr(word, "64") ? 64
                                                           : 32};
    must(*word == 'b' || *word == 'f');
    return (struct rdna_type){*word == 'f' ? RDNA_FLOAT : RDNA_BITS,
                              (unsigned)strtoul(word + 1, NULL, 10)};
}

static void read_operands(struct rdna_op *op, char **words, size_t count)
{
    bool sources = false;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(words[i], "="))
            sources = true;
        else if (sources && op->sources < 4)
            op->source[op->sources++] = type_of(words[i]);
        else if (must(!sources && op->results < 2), true)
            op->result[op->results++] = type_of(words[i]);
    must(sources);
    if (op->source[0].kind == RDNA_MESSAGE) {
        op->does = RDNA_DOES_TIME;
        op->bits = op->result[0].bits;
    }
}

static void read_action(struct rdna_op *op, char **words, size_t count)
{
    op->does = RDNA_DOES_OTHER;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(words[0], actions[i].name)) {
            op->does = actions[i].does;
            op->atomic = actions[i].atomic;
        }
    if (count == 2) {
        op->bits = (unsigned)strtoul(words[1] + 1, NULL, 10);
        op->is_signed = *words[1] == 'i';
    }
}

static void read_flags(struct rdna_op *op, char **words, size_t count)
{
    for (size_t i = 0, f; i < count; i++) {
        for (f = 0; f < sizeof flag_names / sizeof *flag_names; f++)
            if (!strcmp(words[i], flag_names[f]))
                break;
        must(f < sizeof flag_names / sizeof *flag_names);
        op->flags |= 1u << f;
    }
}

// A row of VOPD: the number of the row of that name, which is above.
static uint16_t find_name(enum rdna_generation generation, const char *name)
{
    for (unsigned format = RDNA_VOP1; format <= RDNA_VOP2; format++)
        for (unsigned opcode = 0; opcode < OPCODES; opcode++) {
            const uint16_t index = by_opcode[generation][format][opcode];
            if (index && !strcmp(ops[index - 1].name, name))
                return index;
        }
    must(false);
    return 0;
}

static void add_op(enum rdna_generation generation, const struct rdna_op *op, const char *opcode,
                   const char *text)
{
    const unsigned number = (unsigned)strtoul(opcode, NULL, 16);
    must(number < OPCODES);
    uint16_t *index = &by_opcode[generation][op->format][number];
    must(!*index && op_count < OPS && strlen(text) < sizeof op->text);
    if (op->format == RDNA_VOPD) {
        *index = find_name(generation, op->name);
        return;
    }
    ops[op_count] = *op;
    ops[op_count].opcode = number;
    strcpy(ops[op_count].text, text);
    rdna_bind(&ops[op_count]);
    *index = (uint16_t)++op_count;
}

// Takes a generation's part of "A/B/C"; without one of its own it has that of the one before.
static void next_part(char **rest, const char **part)
{
    if (!*rest)
        return;
    *part = *rest;
    *rest = strchr(*rest, '/');
    if (*rest)
        *(*rest)++ = 0;
}

static void read_row(char *line)
{
    char *words[WORDS], *rest = NULL;
    size_t count = 0, end;
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        must(count < WORDS);
        words[count++] = word;
    }
    if (!count)
        return;
    must(count > 2);
    struct rdna_op op = {0};
    unsigned format = 0;
    while (must(format < RDNA_FORMATS), strcmp(words[0], format_names[format]) != 0)
        format++;
    op.format = format;
    const char *text = NULL;
    char *texts = words[2];
    const size_t length = strcspn(texts, "/");
    must(length < sizeof op.name);
    memcpy(op.name, texts, length);
    for (end = 3; end < count && strcmp(words[end], ":") != 0; end++)
        ;
    if (format == RDNA_SOPP)
        op.number = *words[3];
    else if (format == RDNA_SMEM || (format >= RDNA_DS && format <= RDNA_FLAT))
        read_action(&op, words + 3, end - 3);
    else if (format != RDNA_VOPD)
        read_operands(&op, words + 3, end - 3);
    if (end < count)
        read_flags(&op, words + end + 1, count - end - 1);
    const char *opcode = NULL;
    char *opcodes = words[1];
    for (unsigned g = 0; g < RDNA_GENERATIONS; g++) {
        next_part(&opcodes, &opcode);
        next_part(&texts, &text);
        if (*opcode != '-')
            add_op(g, &op, opcode, text);
    }
}

static void read_table(void)
{
    for (const char *at = rdna_instructions, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        char line[LINE];
        if (*at == ';' || end == at)
            continue;
        must((size_t)(end - at) < sizeof line);
        memcpy(line, at, (size_t)(end - at));
        line[end - at] = '\0';
        read_row(line);
    }
}

const struct rdna_op *rdna_op(enum rdna_generation generation, enum rdna_format format,
                              unsigned opcode)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_table);
    const unsigned index = opcode < OPCODES ? by_opcode[generation][format][opcode] : 0;
    return index ? &ops[index - 1] : NULL;
}

unsigned rdna_data_dwords(const struct rdna_op *op, bool stores)
{
    const unsigned dwords = (op->bits + 31) / 32;
    const bool both = op->format != RDNA_DS && rdna_takes_comparand(op);
    // DS has a register for each of two.
    return dwords * (stores ? both ? 2 : 1 : op->flags & RDNA_TWO ? 2 : 1);
}

bool rdna_takes_comparand(const struct rdna_op *op)
{
    return op->does == RDNA_DOES_ATOMIC &&
           (op->atomic == RDNA_COMPARE_SWAP || op->atomic == RDNA_FCOMPARE_SWAP ||
            op->atomic == RDNA_MASKED_OR || op->atomic == RDNA_WRAP);
}
