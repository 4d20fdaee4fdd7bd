// SPDX-License-Identifier: Apache-2.0
// Fuzzes formulas: every text is one, whose value does not depend on when it is asked for, or gets
// an error of one line; and so is what stands in braces.
#include "fuzz.h"

#include "catalogue/catalogue.h"

static const char head_text[] =
    "; litmus  a.b\n; asks a\n; fails a\n; origin a\n; spec a\n"
    "; axis    kind  odd-one | plain\n; axis    count  2 | 8\n"
    "; sweep   workgroup 0  8\n; sweep   source-lane -  last 1\n"
    "; expect  control : none\n; output  0\n; oracle  formula.subgroup\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cat_test test;
    static const uint32_t input[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    if (!test.head.name)
        MUST(cat_head_parse(head_text, sizeof head_text - 1, &test.head, NULL));
    const struct cat_case which = {.test = &test, .subgroup = 4};
    const struct cat_args args = {
        .subgroup = 4,
        .workgroup = 8,
        .which = &which,
        .oracle = cat_oracle_find("formula.subgroup"),
        .shape = {.workgroups = 2, .input_words = 16, .instances = 4, .words_per_instance = 8},
    };
    struct lit_random first = {1}, second = {1};
    const struct cat_place place = {
        .args = &args, .input = input, .unit = 3, .word = 5, .random = &first};
    struct cat_place again = place;
    struct cat_formula formula;
    struct lit_error error = {0};
    OWNED(lit_free) char *text = malloc(size + 1);
    MUST(text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (cat_formula_parse(text, &test.head, CAT_ASKS_ALL, &formula, &error)) {
        MUST(formula.count >= 1 && formula.count <= CAT_FORMULA_NODES);
        cat_formula_settle(&formula, &which);
        again.random = &second;
        MUST(cat_formula_value(&formula, &place) == cat_formula_value(&formula, &again));
    } else {
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033"));
    }
    const char *at = text;
    if (cat_formula_parse_inside(&at, &test.head, &formula, &error)) {
        MUST(at >= text && at <= text + strlen(text) && (*at == '|' || *at == '}'));
        cat_formula_settle(&formula, &which);
        cat_formula_value(&formula, &place);
    }
    return 0;
}
