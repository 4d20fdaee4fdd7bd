// SPDX-License-Identifier: Apache-2.0
// The built-in tests as a whole: names that go both ways, modules for every case, oracles that keep
// their own shape, and what patterns select.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "model/check.h"

static const uint32_t sizes[] = {8, 4, 16, 64, 32, 128};

static size_t size_count(void)
{
    return unit_sampled() ? 2 : sizeof sizes / sizeof *sizes;
}

struct names {
    char **names;
    size_t count;
};

// What people read leads back to the name.
static void check_label(const char *name)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(name);
    OWNED(text_free) struct text label = {0};
    cat_label(&cfg, &label);
    OWNED(lit_free) char *again = cat_pattern(label.data);
    assert_true(label.length <= strlen(name));
    assert_string_equal(again, name);
}

static void check_name(const struct cat_case *which, void *user)
{
    struct names *names = user;
    struct text name = {0};
    cat_case_name(which, &name);
    struct cat_case parsed;
    must(cat_case_parse(name.data, &parsed, &error));
    assert_memory_equal(&parsed, which, sizeof parsed);
    if (which->subgroup == 8)
        check_label(name.data);
    names->names = lit_realloc(names->names, names->count + 1, sizeof *names->names);
    names->names[names->count++] = name.data;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Two names with one id would be run together.
static void check_ids(const struct names *names)
{
    char(*ids)[CFG_ID_SIZE] = lit_alloc(names->count, sizeof *ids);
    size_t twice = 0;
    for (size_t i = 0; i < names->count; i++)
        cfg_id(names->names[i], ids[i]);
    qsort(ids, names->count, sizeof *ids, (int (*)(const void *, const void *))strcmp);
    for (size_t i = 0; i + 1 < names->count; i++)
        twice += strcmp(ids[i], ids[i + 1]) == 0;
    print_message("%zu names, %zu ids twice\n", names->count, twice);
    // By chance: of as many names of all subgroup sizes together about one.
    assert_true(twice <= 4);
    free(ids);
}

TEST(every_name_is_unique_and_means_its_case)
{
    struct names names = {0};
    for (size_t t = 0; t < cat_test_count(); t++)
        for (size_t s = 0; s < size_count(); s++)
            cat_test_each(cat_test_at(t), sizes[s], check_name, &names);
    assert_true(names.count > 100);
    qsort(names.names, names.count, sizeof *names.names, by_text);
    for (size_t i = 0; i + 1 < names.count; i++)
        assert_string_not_equal(names.names[i], names.names[i + 1]);
    check_ids(&names);
    for (size_t i = 0; i < names.count; i++)
        free(names.names[i]);
    free(names.names);
}

// A module says its variant in words and in numbers, and is found by the numbers.
static void check_variant(const struct cat_case *which, const struct cat_module *module)
{
    OWNED(text_free) struct text variant = {0};
    text_puts(&variant, "");
    for (size_t i = 0; i < which->test->head.axis_count; i++)
        text_printf(&variant, "%s%s=%s", i ? "," : "", which->test->head.axes[i].name,
                    which->test->head.axes[i].values[which->axis[i]]);
    assert_string_equal(module->variant, variant.data);
    assert_true(!module->subgroup || module->subgroup == which->subgroup);
    assert_memory_equal(module->axis, which->axis, sizeof which->axis);
}

static void check_module(const struct cat_case *which, void *user)
{
    const struct cat_module *module = cat_case_module(which);
    if (!module) {
        OWNED(text_free) struct text name = {0};
        cat_case_name(which, &name);
        const bool quads = strstr(name.data, "quad-votes") || strstr(name.data, "op=quad-any") ||
                           strstr(name.data, "op=quad-all");
        // An assembler that is too old leaves those out.
        if ((!HAS_MAXIMAL && strstr(name.data, "=maximal")) || (!HAS_QUADS && quads) ||
            (!HAS_MATRICES && strstr(name.data, "matrix.") == name.data))
            return;
        fail_msg("no module for %s", name.data);
    }
    check_variant(which, module);
    assert_true((module->features & ~cat_case_features(which)) == 0);
    const uint32_t *words = cat_module_words(which->test, module);
    uint64_t features;
    assert_true(cat_module_features(words, module->count, &features, &error));
    enum cat_feature needed;
    if (which->test->head.needs) {
        assert_true(cat_feature_find(which->test->head.needs, &needed));
        features |= UINT64_C(1) << needed;
    }
    assert_true(features == module->features);
    assert_int_equal(strlen(module->sha256), 64);
}

TEST(every_case_has_a_module)
{
    for (size_t t = 0; t < cat_test_count(); t++)
        for (size_t s = 0; s < size_count(); s++)
            cat_test_each(cat_test_at(t), sizes[s], check_module, NULL);
}

// An oracle that wrote outside its buffers would be seen here by the guards, and by the sanitizers.
static void check_oracle(const struct cat_case *which, void *user)
{
    const struct cat_oracle *oracle = which->test->oracle;
    size_t *seen = user;
    if (cat_test_draws(which->test) || (getenv("LITMUS_SAMPLE") && (*seen)++ % 8))
        return;
    struct cat_args args = {.subgroup = which->subgroup, .scale = 2, .which = which};
    args.workgroup = cat_value(&args, "workgroup");
    struct cat_shape shape = {0};
    if (args.workgroup % args.subgroup || !cat_oracle_shape(oracle, &args, &shape, &error))
        return;
    assert_true(shape.instances >= 1 && shape.words_per_instance >= 1 && shape.state_words >= 1);
    uint64_t words = shape.instances * shape.words_per_instance;
    size_t stride = cat_check_stride(oracle->check);
    const struct cat_mode mode = cat_mode_of(oracle);
    assert_false(cat_mode_fails(&mode, CAT_RIGHT));
    assert_non_null(cat_mode_name(&mode, CAT_RIGHT));
    assert_int_equal(cat_mode_name(&mode, 5) != NULL || oracle->check != CAT_CHECK_CHOICE, true);
    assert_true(words < 64u << 20);
    if (words > 1u << 18)
        return; // the large ones differ from the small ones in their size alone
    OWNED(lit_free) uint32_t *input = lit_alloc(shape.input_words + 1, 4);
    OWNED(lit_free) uint32_t *expected = lit_alloc(words * stride + 1, 4);
    input[shape.input_words] = expected[words * stride] = 0x600DF00D;
    if (shape.input_words)
        cat_oracle_input(oracle, &args, &shape, 7, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    assert_int_equal(input[shape.input_words], 0x600DF00D);
    assert_int_equal(expected[words * stride], 0x600DF00D);
    // The right output passes, the untouched one fails. Guards that stay poison pass in both.
    OWNED(lit_free) uint32_t *output = lit_alloc(words, 4);
    struct cat_run run;
    struct cat_failure failure;
    for (int poisoned = 0; poisoned < 2; poisoned++) {
        bool any = false;
        for (uint64_t i = 0; i < words; i++) {
            output[i] = poisoned ? CAT_POISON : expected[i * stride];
            any |= expected[i * stride] != CAT_POISON;
        }
        size_t count = 0;
        cat_mode_check(&mode, &shape, output, expected, 0, &run, &failure, 1, &count);
        assert_int_equal(run.words, words);
        if (!poisoned || !any)
            assert_int_equal(run.failed, 0);
        else
            assert_true(run.failed > 0);
        if (count) {
            char where[96];
            cat_oracle_where(oracle, &args, &shape, &failure, where, sizeof where);
            assert_true(strlen(where) > 0);
        }
    }
}

TEST(every_oracle_keeps_to_its_shape)
{
    // Of the sample of tools/check one in eight, which the commit draws.
    const char *seed = getenv("LITMUS_SEED");
    size_t seen = seed ? (unsigned char)seed[0] : 0;
    for (size_t t = 0; t < cat_test_count(); t++)
        for (size_t s = 1; s < size_count(); s += 2)
            cat_test_each(cat_test_at(t), sizes[s], check_oracle, &seen);
}

TEST(heads_and_sources_agree)
{
    for (size_t t = 0; t < cat_test_count(); t++) {
        const struct cat_test *test = cat_test_at(t);
        assert_ptr_equal(cat_test_find(test->head.name), test);
        assert_non_null(strstr(cat_test_source(test), test->embedded->head));
        if (t)
            assert_true(strcmp(cat_test_at(t - 1)->head.name, test->head.name) < 0);
    }
    assert_null(cat_test_at(cat_test_count()));
    assert_null(cat_test_find("no.such"));
}

struct tally {
    const struct cat_selection *selection;
    size_t selected;
};

static void tally_case(const struct cat_case *which, void *user)
{
    struct tally *tally = user;
    tally->selected += cat_selection_has(tally->selection, which);
}

static size_t selected(const char *const *patterns, size_t count, bool thorough)
{
    const struct cat_selection selection = {
        .patterns = patterns, .count = count, .thorough = thorough};
    struct tally tally = {&selection, 0};
    for (size_t t = 0; t < cat_test_count(); t++)
        cat_test_each(cat_test_at(t), 32, tally_case, &tally);
    return tally.selected;
}

TEST(patterns_select)
{
    const char *const all[] = {"*"}, *const family[] = {"loop"}, *const glob[] = {"loop.*"};
    const char *const but[] = {"!loop"}, *const both[] = {"loop", "shuffle"};
    const char *const minus[] = {"*", "!loop.*"};
    size_t everything = selected(NULL, 0, false), loops = selected(family, 1, false);
    assert_true(everything > loops && loops > 0);
    assert_int_equal(selected(all, 1, false), everything);
    assert_int_equal(selected(glob, 1, false), loops);
    assert_int_equal(selected(but, 1, false), everything - loops);
    assert_int_equal(selected(minus, 2, false), everything - loops);
    assert_true(selected(both, 2, false) > loops);
    assert_true(selected(NULL, 0, true) > everything);
}

struct first {
    char *quick, *thorough;
};

static void find_first(const struct cat_case *which, void *user)
{
    struct first *first = user;
    char **slot = cat_case_is_thorough(which) ? &first->thorough : &first->quick;
    struct text name = {0};
    if (!*slot) {
        cat_case_name(which, &name);
        *slot = name.data;
    }
}

TEST(a_configuration_that_is_named_runs)
{
    struct first first = {0};
    cat_test_each(cat_test_find("shuffle.scan-loop"), 32, find_first, &first);
    assert_non_null(first.thorough);
    const char *const quick[] = {first.quick}, *const thorough[] = {first.thorough};
    assert_int_equal(selected(quick, 1, false), 1);
    assert_int_equal(selected(thorough, 1, false), 1);
    *strstr(first.thorough, ",subgroup=") = '\0';
    assert_int_equal(selected(thorough, 1, false), 1);
    free(first.quick);
    free(first.thorough);
}

// The last lane of a subgroup of two is lane 1: that configuration is there under one name.
TEST(a_name_that_says_the_same_as_another_is_none)
{
    struct first first = {0};
    cat_test_each(cat_test_find("divergence.loop-exit"), 4, find_first, &first);
    assert_non_null(first.quick);
    static const struct {
        const char *taken, *size;
        bool there;
    } rows[] = {
        {"taken=1", ",subgroup=2", true},    {"taken=last", ",subgroup=2", false},
        {"taken=last", ",subgroup=4", true}, {"taken=last", "", true},
        {"taken=las?", ",subgroup=4", true}, {"taken=las?", ",subgroup=2", false},
    };
    const char *before = strstr(first.quick, "taken=");
    const char *after = before + strcspn(before, ",");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(text_free) struct text name = {0};
        text_printf(&name, "%.*s%s%.*s%s", (int)(before - first.quick), first.quick, rows[i].taken,
                    (int)(strstr(after, ",subgroup=") - after), after, rows[i].size);
        const char *const pattern[] = {name.data};
        const struct cat_selection selection = {.patterns = pattern, .count = 1};
        assert_int_equal(cat_selection_check(&selection, &error), rows[i].there);
    }
    free(first.quick);
    free(first.thorough);
}

// A test's part of a selection has the same cases of that test.
TEST(a_narrowed_selection_selects_the_same)
{
    static const char *const rows[][3] = {
        {"shuffle.*", "!loop"},
        {"!loop.*", "loop.desync", "!loop.desync/sync=none*"},
        {"*.scan*"},
        {"sync-matrix", "memory", "!*/*sync=none*"},
        {"loop.desync/*@*subgroup=8", "!loop.form", "scan"},
        {"scan.[lw]*/*", "!loop", "scan.levels"},
        {"loop.desync/sync=n*", "!loop.desync/sync=none,form=s*"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct cat_selection selection = {.patterns = rows[r], .thorough = true}, narrow;
        const char *room[3];
        size_t untouched = 0, some = 0;
        while (selection.count < 3 && rows[r][selection.count])
            selection.count++;
        for (size_t t = 0; t < cat_test_count(); t++) {
            struct tally whole = {&selection, 0}, part = {&narrow, 0};
            cat_test_each(cat_test_at(t), 8, tally_case, &whole);
            if (cat_selection_narrow(&selection, cat_test_at(t), room, &narrow))
                cat_test_each(cat_test_at(t), 8, tally_case, &part);
            else
                untouched++;
            assert_int_equal(part.selected, whole.selected);
            some += whole.selected;
        }
        assert_true(some > 0);
        assert_int_equal(untouched > 0, rows[r][0][0] != '!');
    }
}

static void check_complaint(const char *pattern, const char *complaint)
{
    const struct cat_selection selection = {.patterns = &pattern, .count = 1};
    must_fail_as(complaint, cat_selection_check(&selection, &error));
    assert_int_equal(error.code, LIT_EXIT_USAGE);
}

TEST(unknown_names_are_answered_with_the_nearest)
{
    check_complaint("shufle.scan-loop",
                    "no test matches 'shufle.scan-loop'; the nearest is 'shuffle.scan-loop'");
    check_complaint("loop.desync/sync=no",
                    "test 'loop.desync' has no configuration 'loop.desync/sync=no'; "
                    "'litmus list --names loop.desync' prints them");
    struct cat_case which;
    static const char *const wrong[] = {"",
                                        "/",
                                        "@",
                                        "loop.desync",
                                        "loop.desync/",
                                        "loop.desync/=",
                                        "loop.desync/a=b",
                                        "loop.desync/sync",
                                        "x.y/sync=none",
                                        "loop.desync@workgroup=64"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(cat_case_parse(wrong[i], &which, &error));
        assert_true(strlen(error.message) > 0);
    }
}

TEST(what_is_left_out_is_the_default)
{
#define LOOP "shuffle.scan-loop/sync=control-each,reconvergence=default,form=variables,op=add,"
#define REST "mode=inclusive,access=descriptor,pressure=none"
    static const char *const table[][2] = {
        {"shuffle.scan-loop/sync=control-each@workgroup=64,subgroup=8",
         LOOP REST "@workgroup=64,subgroup=8"},
        {"!shuffle.scan-loop/sync=control-each@subgroup=8,workgroup=64",
         "!" LOOP REST "@workgroup=64,subgroup=8"},
        {"shuffle.scan-loop/sync=control-each", LOOP REST "@workgroup=*"},
        {LOOP REST "@workgroup=64", LOOP REST "@workgroup=64"},
        // With wildcards, unknown or twice: as it is.
        {"shuffle.scan-loop/sync=control-*", "shuffle.scan-loop/sync=control-*"},
        {"shuffle.scan-loop/sink=none", "shuffle.scan-loop/sink=none"},
        {"shuffle.scan-loop/sync=none,sync=none", "shuffle.scan-loop/sync=none,sync=none"},
        {"shuffle.scan-loop", "shuffle.scan-loop"},
        {"shuffle", "shuffle"},
        {"no.test/sync=none", "no.test/sync=none"},
        {"", ""},
        {"ffffffff", "ffffffff"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        OWNED(lit_free) char *pattern = cat_pattern(table[i][0]);
        assert_string_equal(pattern, table[i][1]);
    }
    char id[1 + CFG_ID_SIZE] = "!";
    cfg_id(LOOP REST "@workgroup=64,subgroup=32", id + 1);
    OWNED(lit_free) char *pattern = cat_pattern(id);
    assert_string_equal(pattern, "!" LOOP REST "@workgroup=64,subgroup=32");
    check_complaint("ffffffff", "no configuration has the id 'ffffffff'");
    struct cat_case which;
    must_fail_as("shuffle.scan-loop: parameter 'workgroup' is missing",
                 cat_case_parse(LOOP REST "@workgroup=*", &which, &error));
}

TEST(every_expectation_names_its_rules)
{
    for (size_t t = 0; t < cat_test_count(); t++)
        for (size_t i = 0; i < cat_test_at(t)->head.expect_count; i++)
            if (!cat_test_at(t)->head.expect[i].by)
                fail_msg("%s: an expect line without 'by'", cat_test_at(t)->head.name);
}
