// SPDX-License-Identifier: Apache-2.0
// The small memory tests that are enumerated: how many there are, each once, the same order each
// time, and that each text is a program that has a kernel.
#include "axiomatic.h"

#include "generate/concurrent.h"

// Programs by their size, and tests by the level that they and their setting come to.
TEST(counts)
{
    static const size_t sizes[] = {0, 0, 137, 108, 228, 2038, 12847, 35289, 46825, 12705};
    static const size_t levels[] = {0, 0, 376, 2739, 9432, 26873};
    size_t of_size[16] = {0}, of_level[16] = {0};
    OWNED(gen_small_clear) struct gen_small small;
    gen_small_make(&small);
    assert_int_equal(small.setting_count, 640);
    for (size_t i = 0; i < small.count; i++)
        of_size[small.programs[i].size & 15]++;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(of_size[i], sizes[i]);
    while (gen_small_next(&small) && small.level < 6)
        of_level[small.level]++;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        assert_int_equal(of_level[i], levels[i]);
}

// A program of two threads as text, with threads exchanged, or locations.
static char *key(const struct gen_small_program *program, bool threads, bool locations)
{
    struct text text = {0};
    for (unsigned i = 0; i < 2; i++) {
        const unsigned t = threads ? 1 - i : i;
        for (unsigned a = 0; a < program->counts[t]; a++)
            text_printf(&text, "%c%d", "rwu"[program->kind[t][a]],
                        locations ? 1 - program->location[t][a] : program->location[t][a]);
        text_printf(&text, " %d,", program->orders[t]);
    }
    text_printf(&text, "%d",
                program->plain && locations ? 3 - program->plain : (int)program->plain);
    return text.data;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// None is another one with threads or locations exchanged.
TEST(each_is_there_once)
{
    OWNED(gen_small_clear) struct gen_small small;
    size_t count = 0;
    gen_small_make(&small);
    OWNED(lit_free) char **keys = lit_alloc(small.count, sizeof *keys);
    for (size_t i = 0; i < small.count; i++)
        if (small.programs[i].threads == 2)
            keys[count++] = key(&small.programs[i], false, false);
    assert_int_equal(count, 110121);
    qsort(keys, count, sizeof *keys, by_text);
    for (size_t i = 1; i < count; i++)
        assert_string_not_equal(keys[i - 1], keys[i]);
    for (size_t i = 0; i < small.count; i++)
        for (int way = 1; way < 4 && small.programs[i].threads == 2; way++) {
            OWNED(lit_free) char *own = key(&small.programs[i], false, false);
            OWNED(lit_free) char *other = key(&small.programs[i], way & 1, way & 2);
            assert_true(strcmp(own, other) == 0 ||
                        !bsearch(&other, keys, count, sizeof *keys, by_text));
        }
    while (count > 0)
        free(keys[--count]);
}

// What a text comes to: whether it forbids anything, and has a kernel.
static bool forbids(const char *text)
{
    OWNED(decided_clear) struct decided decided;
    OWNED(gen_states_clear) struct gen_states states = {0};
    struct gen_concurrent made = {0};
    struct lit_error error = {0};
    assert_true(decide(text, &decided));
    const bool made_one = gen_states_make(&decided.program, &decided.verdict, &states, &error) &&
                          gen_concurrent_make(&decided.program, &states, &made, &error);
    if (!made_one)
        assert_int_equal(error.code, LIT_EXIT_UNDECIDED);
    gen_module_clear(&made.module);
    return made_one && states.forbids;
}

// The first tests: usual ones. Two loads of a location whose second address is found anew, which
// fails on a device, is among the first 400.
TEST(the_first_ones)
{
    OWNED(gen_small_clear) struct gen_small small;
    size_t good = 0, found = 0;
    gen_small_make(&small);
    for (size_t i = 0; i < 1200; i++) {
        OWNED(text_free) struct text name = {0};
        OWNED(text_free) struct text text = {0};
        assert_true(gen_small_next(&small));
        gen_small_name(&small, &name);
        gen_small_write(&small, &text);
        assert_true(name.length < 60);
        const bool does = forbids(text.data);
        good += does;
        if (strcmp(name.data, "fuzz-wx-rxrx-nn-wg-a") == 0)
            found = does ? good : 0;
    }
    assert_in_range(found, 1, 250);
    assert_int_equal(good, 667);
}

// One of the larger ones, as it is written.
TEST(texts)
{
    static const char want[] = "VULKAN fuzz-rxry-wywx-ss-py-wg\n"
                               "{ x=0; y=0; }\n"
                               "P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;\n"
                               "ld.atom.acq.wg.sc0.semsc0.semvis r0, x | st.nonpriv.sc0 y, 1 ;\n"
                               "beq r0, 0, L | st.atom.rel.wg.sc0.semsc0.semav x, 1 ;\n"
                               "ld.nonpriv.sc0 r1, y |  ;\n"
                               "L: |  ;\n"
                               "locations [P0:r0; P0:r1]\n";
    OWNED(gen_small_clear) struct gen_small small;
    bool seen = false;
    gen_small_make(&small);
    for (int i = 0; i < 400 && !seen; i++) {
        OWNED(text_free) struct text text = {0};
        assert_true(gen_small_next(&small));
        gen_small_write(&small, &text);
        seen = strcmp(text.data, want) == 0;
    }
    assert_true(seen);
}
