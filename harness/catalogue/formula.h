// SPDX-License-Identifier: Apache-2.0
// Formulas: what the head of a test says in place of an oracle of its own, and the numbers in the
// text that says where a failing word is (docs/test-format.md). Values are words of 32 bits that
// wrap around; the operators are those of C.
#pragma once

#include "catalogue/head.h"

#define CAT_FORMULA_NODES 192
#define CAT_FORMULA_DEPTH 32 // of parentheses, choices and operators before an operand

// What a formula may ask for. Sizes of groups and the test's parameters it always may.
enum {
    CAT_ASKS_SIZES = 1,
    CAT_ASKS_DISPATCH = 2, // its size
    CAT_ASKS_SHAPE = 4,    // the sizes that other formulas of the head say
    CAT_ASKS_WORD = 8,     // the number of the output word, and of the invocation that stores it
    CAT_ASKS_INPUT = 16,   // what the input holds
    CAT_ASKS_RANDOM = 32,  // random words
    CAT_ASKS_ALL = 63,
};

// X(id, name, what it asks for, its number as catalogue/oracle.c has it, but of the last two)
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

// X(id, sign, how strongly it binds, what it gives); one that begins like another stands before it
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
    CAT_NODE_PARAMETER, // number: which sweep of the head
    CAT_NODE_AXIS,      // number: which axis, whose values are numbers
    CAT_NODE_TERM,      // whether it holds
    CAT_NODE_IN,        // the word of invocation [0] of the unit in the input
    CAT_NODE_INPUT,     // word [0] of the whole input
    CAT_NODE_DRAW,      // a random number below [0]
    CAT_NODE_FILE,      // word [0] of the test's file
    CAT_NODE_STEPS,     // what [0] steps of the kernels' generator make of [1]
    CAT_NODE_FOLD,      // [0] of all invocations of the unit; number: enum oracle_operation
    CAT_NODE_CHOICE,    // [0] ? [1] : [2]
    CAT_NODE_NOT,       // !
    CAT_NODE_FLIP,      // ~
    CAT_NODE_NEGATE,    // -
    CAT_OPERATORS(CAT_NODE_ID)
};

// A formula as a tree: a node stands behind its operands, the last one is the whole.
struct cat_formula {
    struct cat_node {
        enum cat_node_kind kind;
        uint8_t of[3]; // operands: indices of nodes
        uint32_t number;
        struct cat_term term;
    } nodes[CAT_FORMULA_NODES];
    size_t count; // at least 1
};

// Parses a formula that uses axes and parameters of `head` (NULL: none) and asks for no more than
// `asks`. False with an error "formula: ..." of one line.
bool cat_formula_parse(const char *text, const struct cat_head *head, unsigned asks,
                       struct cat_formula *formula, struct lit_error *error);
// Parses one that stands between braces in a text, from *text on, and moves *text to the '|' or '}'
// behind it. It asks for nothing of the input, and has no operator that binds less than '^'.
bool cat_formula_parse_inside(const char **text, const struct cat_head *head,
                              struct cat_formula *formula, struct lit_error *error);
