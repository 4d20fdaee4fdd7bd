// SPDX-License-Identifier: Apache-2.0
// Formulas: they replace an oracle in the head of a test, and compute the numbers in the
// description of a failing word's position (docs/test-format.md). Values are 32-bit words that wrap
// around; operators are those of C.
#pragma once

#include "catalogue/head.h"

#define CAT_FORMULA_NODES 192
#define CAT_FORMULA_DEPTH 32 // nesting of parentheses, choices and operators

// What a formula may refer to, besides group sizes and the test's parameters.
enum {
    CAT_ASKS_SIZES = 1,
    CAT_ASKS_DISPATCH = 2, // the dispatch's size
    CAT_ASKS_SHAPE = 4,    // the sizes given by other formulas of the head
    CAT_ASKS_WORD = 8,     // the number of the output word and of the invocation that stores it
    CAT_ASKS_INPUT = 16,   // the contents of the input
    CAT_ASKS_RANDOM = 32,  // random words
    CAT_ASKS_ALL = 63,
};

// X(id, name, what it refers to, its value in catalogue/oracle.c except for the last two)
#define CAT_NAMES_OF_FORMULAS(X)                                                                   \
    X(LANES, "lanes", SIZES, lanes)                                                                \
    X(WORKGROUP, "workgroup", SIZES, args->workgroup)                                              \
    X(SUBGROUPS, "subgroups", SIZES, subgroups)                                                    \
    X(UNWRITTEN, "unwritten", SIZES, CAT_POISON)                                                   \
    X(FILE, "file", SIZES, args->which ? cat_test_file_words(args->which->test) : 0)               \
    X(WORKGROUPS, "workgroups", DISPATCH, shape->workgroups)                                       \
    X(ELEMENTS, "elements", SHAPE, shape->elements)                                                \
    X(WORDS, "words", SHAPE, shape->words_per_instance)                                            \
    X(RESULTS, "results", SHAPE, results)                                                          \
    X(WORD, "word", WORD, place->word)                                                             \
    X(UNIT, "unit", WORD, place->unit)                                                             \
    X(RESULT, "result", WORD, results ? place->word % results : 0)                                 \
    X(LANE, "lane", WORD, member % lanes)                                                          \
    X(SUBGROUP, "subgroup", WORD, whole ? member / lanes : place->unit % subgroups)                \
    X(GROUP, "group", WORD, whole ? place->unit : place->unit / subgroups)                         \
    X(INDEX, "index", WORD, members * place->unit + member)                                        \
    X(IN, "in", INPUT, input_at(place, members * place->unit, member, members))                    \
    X(OTHER, "other", INPUT, 0)                                                                    \
    X(RANDOM, "random", RANDOM, 0)

// X(id, sign, binding strength, result); a sign precedes any sign that is its prefix
#define CAT_OPERATORS(X)                                                                           \
    X(EITHER, "||", 1, a || b)                                                                     \
    X(BOTH, "&&", 2, (a && b))                                                                     \
    X(OR, "|", 3, a | b)                                                                           \
    X(XOR, "^", 4, a ^ b)                                                                          \
    X(AND, "&", 5, (a & b))                                                                        \
    X(EQUAL, "==", 6, a == b)                                                                      \
    X(UNEQUAL, "!=", 6, a != b)                                                                    \
    X(LESS_EQUAL, "<=", 7, a <= b)                                                                 \
    X(MORE_EQUAL, ">=", 7, a >= b)                                                                 \
    X(SHIFT_LEFT, "<<", 8, b < 32 ? a << b : 0)                                                    \
    X(SHIFT_RIGHT, ">>", 8, b < 32 ? a >> b : 0)                                                   \
    X(LESS, "<", 7, a < b)                                                                         \
    X(MORE, ">", 7, a > b)                                                                         \
    X(ADD, "+", 9, a + b)                                                                          \
    X(SUBTRACT, "-", 9, a - b)                                                                     \
    X(MULTIPLY, "*", 10, (a * b))                                                                  \
    X(DIVIDE, "/", 10, b ? a / b : 0)                                                              \
    X(REST, "%", 10, b ? a % b : 0)

#define CAT_NAME_ID(id, name, asks, number) CAT_NAME_##id,
#define CAT_NODE_ID(id, sign, binds, value) CAT_NODE_##id,
enum cat_name { CAT_NAMES_OF_FORMULAS(CAT_NAME_ID) CAT_NAMES };
enum cat_node_kind {
    CAT_NODE_NUMBER,
    CAT_NODE_NAME,      // number: enum cat_name
    CAT_NODE_PARAMETER, // number: index of the head's sweep
    CAT_NODE_AXIS,      // number: index of an axis with numeric values
    CAT_NODE_TERM,      // whether the term holds
    CAT_NODE_IN,        // the unit's input word for invocation [0]
    CAT_NODE_INPUT,     // word [0] of the entire input
    CAT_NODE_DRAW,      // random number below [0]
    CAT_NODE_FILE,      // word [0] of the test's file
    CAT_NODE_STEPS,     // [1] after [0] steps of the kernels' generator
    CAT_NODE_FOLD,      // [0] combined over the unit's invocations; number: enum oracle_operation
    CAT_NODE_CHOICE,    // [0] ? [1] : [2]
    CAT_NODE_NOT,       // !
    CAT_NODE_FLIP,      // ~
    CAT_NODE_NEGATE,    // -
    CAT_OPERATORS(CAT_NODE_ID)
};

// A formula as a tree: nodes follow their operands, the root is last.
struct cat_formula {
    struct cat_node {
        enum cat_node_kind kind;
        uint8_t of[3]; // operands: indices of nodes
        uint32_t number;
        struct cat_term term;
    } nodes[CAT_FORMULA_NODES];
    size_t count; // at least 1
};

// Parses a formula that uses axes and parameters of `head` (NULL: none) and refers to no more than
// `asks`. False with a one-line error "formula: ...".
bool cat_formula_parse(const char *text, const struct cat_head *head, unsigned asks,
                       struct cat_formula *formula, struct lit_error *error);
// Parses a formula between braces in a text, from *text on, and moves *text to the '|' or '}' after
// it. It cannot refer to the input, or use operators that bind less tightly than '^'.
bool cat_formula_parse_inside(const char **text, const struct cat_head *head,
                              struct cat_formula *formula, struct lit_error *error);
