// SPDX-License-Identifier: Apache-2.0
// Passes of litmus reduce, on modules that are built in, and the sequential test.
#include "unit.h"

#include "base/random.h"
#include "catalogue/catalogue.h"
#include "reduce/pass.h"
#include "stats/stats.h"

#define SCAN                                                                                       \
    "shuffle.scan-loop/sync=none,reconvergence=default,form=variables,op=add,mode=inclusive,"      \
    "access=descriptor,pressure=none@workgroup=64,subgroup=8"

static const struct red_pass *pass_of(const char *name)
{
    const struct red_pass *pass = red_passes;
    while (strcmp(pass->name, name) != 0)
        pass++;
    return pass;
}

// A kernel as anybody could bring it: a module that is built in, with buffers of 64 words.
static void take(const char *name, struct red_base *base)
{
    struct cat_case which;
    *base = (struct red_base){0};
    struct cat_package *p = &base->package;
    assert_true(cat_case_parse(name, &which, &error));
    const struct cat_module *module = cat_case_module(&which);
    p->words = lit_alloc(module->count, 4);
    memcpy(p->words, cat_module_words(which.test, module), module->count * 4);
    p->word_count = module->count;
    p->groups = p->interface.rows = p->interface.layers = 4;
    p->interface.push_size = 32;
    p->interface.step_count = 2;
    for (uint32_t i = 0; i < 6; i++)
        p->interface.steps[i / 3].groups[i % 3] = 2;
    snprintf(p->interface.entry, sizeof p->interface.entry, "main");
    p->specs = lit_alloc(1, sizeof *p->specs);
    *p->specs = (struct cat_spec){0, 64};
    p->spec_count = 1;
    for (uint32_t i = 0; i < CAT_REGIONS; i++) {
        p->region_words[i] = 64;
        p->region[i] = lit_alloc(64, 4);
        memset(p->region[i], 7, 64 * 4);
        p->interface.bindings[i] =
            (struct cat_binding){.binding = i, .region = (enum cat_region)i, .words = 64};
    }
    p->interface.binding_count = CAT_REGIONS;
    assert_true(red_module_read(&base->module, p->words, p->word_count));
    assert_true(red_settle(p, &base->module, red_undefined(&base->module)));
}

// Every id that is used is made, once; every value that comes together is of a block that is there.
static void check_module(const struct red_module *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        for (uint32_t w = 1; w < line->size; w++)
            if (line->kinds[w] == SPIRV_ID || line->kinds[w] == SPIRV_TYPE)
                assert_non_null(red_made(m, line->words[w]));
        for (uint32_t w = 4; red_op(line) == SpvOpPhi && w < line->size; w += 2)
            assert_int_equal(red_op(red_made(m, line->words[w])), SpvOpLabel);
    }
}

TEST(test_words_stay)
{
    OWNED(red_base_clear) struct red_base base;
    size_t count;
    take(SCAN, &base);
    OWNED(lit_free) uint32_t *words = red_module_write(&base.module, &count);
    assert_int_equal(count, base.package.word_count);
    assert_memory_equal(words, base.package.words, count * 4);
    assert_true(red_module_tidy(&base.module));
    OWNED(lit_free) uint32_t *tidy = red_module_write(&base.module, &count);
    assert_int_equal(count, base.package.word_count);
    assert_memory_equal(tidy, words, count * 4);
}

// What each pass makes of each place alone, and of all of them.
TEST(test_passes)
{
    OWNED(red_base_clear) struct red_base base;
    take(SCAN, &base);
    for (const struct red_pass *pass = red_passes; pass->name; pass++) {
        const size_t places = red_places(pass, &base);
        size_t made = 0, smaller = 0;
        for (size_t i = 0; i <= places; i++) {
            OWNED(lit_free) bool *chosen = lit_alloc(places + 1, sizeof *chosen);
            for (size_t p = 0; p < places; p++)
                chosen[p] = p == i || i == places;
            OWNED(red_base_clear) struct red_base next = {0};
            if (places && red_apply(&base, pass, chosen, &next.package)) {
                assert_true(
                    red_module_read(&next.module, next.package.words, next.package.word_count));
                check_module(&next.module);
                made++;
                smaller += red_weight(&next) < red_weight(&base);
            }
        }
        // Each has something to do here, but what needs a run, lines of the source or equal
        // constants.
        if (strstr(pass->name, "results that are constant") || strstr(pass->name, "source") ||
            strstr(pass->name, "twice"))
            continue;
        if (places && !smaller)
            print_error("%s: %zu places, %zu made\n", pass->name, places, made);
        assert_true(!places || smaller > 0);
    }
}

static size_t count_of(const struct red_module *m, uint32_t opcode)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        count += red_op(&m->lines[i]) == opcode;
    return count;
}

TEST(test_loop_once)
{
    OWNED(red_base_clear) struct red_base base, next = {0};
    const struct red_pass *once = pass_of("loops that run once");
    bool all[64];
    memset(all, true, sizeof all);
    take(SCAN, &base);
    const size_t loops = count_of(&base.module, SpvOpLoopMerge);
    assert_true(loops > 0);
    assert_int_equal(red_places(once, &base), loops);
    assert_true(red_apply(&base, once, all, &next.package));
    assert_true(red_module_read(&next.module, next.package.words, next.package.word_count));
    assert_int_equal(count_of(&next.module, SpvOpLoopMerge), 0);
}

// The line of the first such instruction.
static const struct red_line *first_of(const struct red_module *m, uint32_t opcode)
{
    for (size_t i = 0; i < m->count; i++)
        if (red_op(&m->lines[i]) == opcode)
            return &m->lines[i];
    fail();
    return NULL;
}

// An arm that does nothing but load a value is gone: its value is selected, where it was.
TEST(test_selection)
{
    struct red_base base, next = {0};
    const struct red_pass *select = pass_of("values of both ways of a selection");
    bool all = true;
    take("cases.igc-06e74af/address=uniform,uses=one@workgroup=128", &base);
    assert_int_equal(red_places(select, &base), 1);
    assert_true(red_apply(&base, select, &all, &next.package));
    assert_true(red_module_read(&next.module, next.package.words, next.package.word_count));
    check_module(&next.module);
    assert_int_equal(count_of(&next.module, SpvOpSelectionMerge), 0);
    assert_int_equal(count_of(&next.module, SpvOpPhi), 0);
    assert_int_equal(count_of(&next.module, SpvOpLabel), 1);
    // The module has the way past the arm first: from the header, where the condition is false.
    const struct red_line *phi = first_of(&base.module, SpvOpPhi);
    const struct red_line *made = first_of(&next.module, SpvOpSelect);
    assert_int_equal(red_result(made), red_result(phi));
    assert_int_equal(made->words[3], first_of(&base.module, SpvOpBranchConditional)->words[1]);
    assert_int_equal(made->words[4], phi->words[5]);
    assert_int_equal(made->words[5], phi->words[3]);
    red_base_clear(&next);
    // An arm that stores stays.
    red_base_clear(&base);
    take("cases.igc-06e74af/address=uniform,uses=two@workgroup=128", &base);
    assert_int_equal(red_places(select, &base), 1);
    red_base_clear(&base);
}

// A result becomes that of the nearest instruction before it which has its type.
TEST(test_before)
{
    struct red_base base, next = {0};
    const struct red_pass *before = pass_of("results that are the one before");
    bool chosen[256] = {0};
    take("cases.igc-06e74af/address=uniform,uses=one@workgroup=128", &base);
    const size_t places = red_places(before, &base);
    assert_in_range(places, 1, 255);
    const struct red_line *phi = first_of(&base.module, SpvOpPhi);
    // The value that comes together: the load in the arm is the one before it.
    size_t found = 0;
    for (size_t i = 0; i < places; i++) {
        memset(chosen, 0, sizeof chosen);
        chosen[i] = true;
        if (red_apply(&base, before, chosen, &next.package) &&
            red_module_read(&next.module, next.package.words, next.package.word_count) &&
            !count_of(&next.module, SpvOpPhi)) {
            found++;
            for (size_t at = 0; at < next.module.count; at++)
                for (uint32_t w = 1; w < next.module.lines[at].size; w++)
                    assert_false(next.module.lines[at].kinds[w] == SPIRV_ID &&
                                 next.module.lines[at].words[w] == phi->words[2]);
            assert_true(next.module.uses[phi->words[5]] > 0);
        }
        red_base_clear(&next);
        next = (struct red_base){0};
    }
    assert_int_equal(found, 1);
    red_base_clear(&base);
}

// A buffer that nothing uses goes, from the module and from the kernel.
TEST(test_dead_buffers)
{
    OWNED(red_base_clear) struct red_base base, next = {0};
    const struct red_pass *zero = pass_of("results of 0");
    bool chosen[4096];
    take(SCAN, &base);
    assert_true(red_places(zero, &base) < 4096);
    memset(chosen, true, sizeof chosen);
    const size_t before = base.package.interface.binding_count;
    assert_true(red_apply(&base, zero, chosen, &next.package));
    assert_true(next.package.interface.binding_count < before);
    assert_true(next.package.interface.binding_count > 0);
}

TEST(test_division)
{
    const uint32_t words[] = {SpvMagicNumber,
                              0x10300,
                              0,
                              6,
                              0,
                              4u << 16 | SpvOpTypeInt,
                              1,
                              32,
                              0,
                              4u << 16 | SpvOpConstant,
                              1,
                              2,
                              0,
                              4u << 16 | SpvOpConstant,
                              1,
                              3,
                              5,
                              5u << 16 | SpvOpUDiv,
                              1,
                              4,
                              3,
                              2};
    struct cat_package package = {0};
    OWNED(red_module_clear) struct red_module m;
    assert_true(red_module_read(&m, words, sizeof words / 4));
    assert_false(red_settle(&package, &m, 0));
}

// Whether lanes are together behind a branch that has no merge block is said nowhere.
TEST(test_branch_to_one_block)
{
    uint32_t words[] = {SpvMagicNumber,
                        0x10300,
                        0,
                        4,
                        0,
                        3u << 16 | SpvOpSelectionMerge,
                        1,
                        0,
                        4u << 16 | SpvOpBranchConditional,
                        2,
                        1,
                        1,
                        4u << 16 | SpvOpBranchConditional,
                        2,
                        1,
                        3};
    const uint32_t none[] = {1u << 16 | SpvOpNop, 1u << 16 | SpvOpNop, 1u << 16 | SpvOpNop};
    struct red_module m;
    assert_true(red_module_read(&m, words, sizeof words / 4));
    assert_int_equal(red_undefined(&m), 0);
    red_module_clear(&m);
    memcpy(words + SPIRV_HEADER, none, sizeof none);
    assert_true(red_module_read(&m, words, sizeof words / 4));
    assert_int_equal(red_undefined(&m), 1);
    red_module_clear(&m);
}

// Both errors are kept, and an end is soon.
TEST(test_sequential)
{
    struct lit_random random = {11};
    assert_int_equal(stat_sprt(0, 0, 0.2, 0.9, 0.05), STAT_UNDECIDED);
    assert_int_equal(stat_sprt(1, 1, 0.2, 0.98, 0.05), STAT_UNDECIDED);
    assert_int_equal(stat_sprt(2, 2, 0.19, 0.98, 0.05), STAT_ABOVE);
    assert_int_equal(stat_sprt(0, 1, 0.19, 0.98, 0.05), STAT_BELOW);
    assert_int_equal(stat_sprt(2, 1, 0.19, 0.98, 0.05), STAT_UNDECIDED);
    const double rates[] = {0.01, 0.05};
    for (unsigned which = 0; which < 2; which++) {
        unsigned wrong = 0;
        uint64_t runs = 0;
        for (unsigned i = 0; i < 2000; i++) {
            enum stat_decision decision = STAT_UNDECIDED;
            uint64_t k = 0, n = 0;
            for (; decision == STAT_UNDECIDED; decision = stat_sprt(k, n, 0.01, 0.05, 0.05)) {
                k += (double)(random_next(&random) >> 11) * 0x1p-53 < rates[which];
                n++;
            }
            wrong += decision == (which ? STAT_BELOW : STAT_ABOVE);
            runs += n;
        }
        assert_true(wrong < 130); // 0.05 and what chance adds
        assert_true(runs / 2000 < 250);
    }
}
