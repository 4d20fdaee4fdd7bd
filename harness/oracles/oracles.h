// SPDX-License-Identifier: Apache-2.0
// The oracles: each file NAME.c of this folder has a table oracles_NAME, terminated by an entry
// without a name; most oracles belong to the family that the file is named after. Also what several
// files share.
#pragma once

#include "catalogue/oracle.h"

// A row of a table: name, checked unit, and the other members that are not 0.
#define ORACLE(name_, unit, ...)                                                                   \
    {                                                                                              \
        .name = name_, .instance = unit, __VA_ARGS__                                               \
    }

// `where` of oracles with a subgroup as unit.
#define OF_SUBGROUP ", subgroup {unit%subgroups} of workgroup {unit/subgroups}"

static inline uint32_t oracle_float_bits(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float oracle_bits_float(uint32_t bits)
{
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Of generated programs: reads that of a head (struct gen_program); whether it is one under the
// rule of the configuration.
void *oracle_program_read(const struct cat_head *head, struct lit_error *error);
bool oracle_program_fits(const struct cat_args *args, struct lit_error *error);

// Kernels and litmus tests from outside: fills the input with the package's.
void oracle_package_input(const struct cat_args *args, uint64_t seed, uint32_t *input);
// Whether instances and invocations can be permuted: false with an error unless both numbers are
// powers of two.
bool oracle_permutes(const struct cat_args *args, uint64_t instances, struct lit_error *error);

// Operations of scans and reductions in the order of shuffle.scan-loop, on up to 64 bits: the
// caller truncates the result.
enum oracle_operation {
    ORACLE_AND,
    ORACLE_XOR,
    ORACLE_OR,
    ORACLE_ADD,
    ORACLE_MUL,
    ORACLE_MIN,
    ORACLE_MAX
};

// The first operation whose name is a suffix of `name`: "smin", "inclusive-add".
static inline enum oracle_operation oracle_operation(const char *name)
{
    static const char *const names[] = {"and", "xor", "or", "add", "mul", "min", "max"};
    const size_t length = strlen(name);
    unsigned i = 0;
    while (i < ORACLE_MAX &&
           (length < strlen(names[i]) || strcmp(name + length - strlen(names[i]), names[i]) != 0))
        i++;
    return (enum oracle_operation)i;
}

static inline uint64_t oracle_identity(enum oracle_operation operation)
{
    return operation == ORACLE_AND || operation == ORACLE_MIN ? UINT64_MAX
                                                              : operation == ORACLE_MUL;
}

static inline uint64_t oracle_combine(enum oracle_operation operation, uint64_t a, uint64_t b)
{
    switch (operation) {
    case ORACLE_AND:
        return a & b;
    case ORACLE_XOR:
        return a ^ b;
    case ORACLE_OR:
        return a | b;
    case ORACLE_ADD:
        return a + b;
    case ORACLE_MUL:
        return a * b;
    case ORACLE_MIN:
        return a < b ? a : b;
    default:
        return a > b ? a : b;
    }
}

// Families `loop` and `sync-matrix` (loop.c): a tail's result from the number that it carries and
// the word its lane received, after `rounds` rounds of a random number generator.
uint32_t loop_work(uint32_t carried, uint32_t received, uint32_t rounds);
// The position of a failing word if a unit is a subgroup with a word per lane and iteration,
// followed by the tails' words.
const char *loop_where(const struct cat_args *args, const struct cat_failure *failure);

// Family `reconvergence`: the word of one lane of subgroup number `instance`. From the lowest bit:
// 4 bits trips (0 to 8), 4 spare, 8 first conditions, 9 second conditions, 3 selector (0 to 4), 3
// spare, 1 "this subgroup enters". Of eight consecutive instances the first four have patterns that
// are easy to read in a ticket (every other lane; all alike; one lane apart; two halves), the
// others are random.
uint32_t reconvergence_word(uint64_t seed, uint64_t instance, uint32_t lane, uint32_t subgroup);
