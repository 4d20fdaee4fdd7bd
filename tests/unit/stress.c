// SPDX-License-Identifier: Apache-2.0
// Sets of stress parameters: their notation both ways, what is refused, what a device can do of
// one, what is drawn, and how a dispatch is cut.
#include "sections.h"

#include "engine/plan.h"

// Shared memory, invocations, workgroups, a buffer's bytes, whether on a CPU, whether divisible.
#define LIMITS(shared, workgroup, workgroups, buffer, on_cpu, can_divide)                          \
    {                                                                                              \
        &(const struct dev_facts){.max_shared = (shared),                                          \
                                  .max_workgroup = (workgroup),                                    \
                                  .max_workgroups = (workgroups),                                  \
                                  .max_storage_buffer = (buffer),                                  \
                                  .cpu = (on_cpu)},                                                \
            (can_divide)                                                                           \
    }

static const struct eng_stress_limits gpu = LIMITS(49152, 1024, 65535, 1u << 27, false, true);

TEST(notations)
{
    static const struct {
        const char *given, *printed;
    } cases[] = {
        {"", ""},
        {"none", ""},
        {"workgroups=64,kind=memory",
         "iterations=64,kind=memory,line=64,lines=8,pattern=store-store,"
         "stride=1,workgroups=64"},
        {"kind=idle,before=4096", "before=4096,kind=idle"},
        {"slices=2", "slices=2"},
        {"skew=3,slices=64,kind=barrier,iterations=1",
         "iterations=1,kind=barrier,skew=3,slices=64"},
        {"offset=65536", "offset=65536"},
        {"workgroups=1,before=2,kind=arithmetic,shared=1024,offset=256,iterations=65536",
         "before=2,iterations=65536,kind=arithmetic,offset=256,shared=1024,workgroups=1"},
        {"pattern=load-load,kind=memory,workgroups=1,line=1024,lines=64,stride=64,iterations=2",
         "iterations=2,kind=memory,line=1024,lines=64,pattern=load-load,stride=64,workgroups=1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dev_stress set, again;
        char text[ENG_STRESS_TEXT], twice[ENG_STRESS_TEXT];
        assert_true(eng_stress_parse(cases[i].given, &set, NULL));
        eng_stress_print(&set, text);
        assert_string_equal(text, cases[i].printed);
        assert_true(eng_stress_parse(text, &again, NULL));
        assert_memory_equal(&set, &again, sizeof set);
        eng_stress_print(&again, twice);
        assert_string_equal(text, twice);
    }
}

TEST(refusals)
{
    for (const char *at = section("refused")->text, *given, *word;
         sections_row(&at, &given, &word);) {
        struct dev_stress set;
        must_fail(word, eng_stress_parse(given, &set, &error));
        assert_int_equal(error.code, LIT_EXIT_USAGE);
    }
    char endless[ENG_STRESS_TEXT + 8];
    struct dev_stress set;
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_false(eng_stress_parse(endless, &set, NULL));
}

// The longest notation has room.
TEST(the_longest)
{
    struct dev_stress set = {.kind = DEV_STRESS_MEMORY,
                             .pattern = DEV_STRESS_STORE_STORE,
                             .workgroups = UINT32_MAX,
                             .before = UINT32_MAX,
                             .skew = UINT32_MAX,
                             .iterations = UINT32_MAX,
                             .line = UINT32_MAX,
                             .lines = UINT32_MAX,
                             .stride = UINT32_MAX,
                             .shared = UINT32_MAX,
                             .slices = UINT32_MAX,
                             .offset = UINT32_MAX};
    char text[ENG_STRESS_TEXT];
    eng_stress_print(&set, text);
    assert_non_null(strstr(text, "workgroups=4294967295"));
}

TEST(what_a_device_cannot_do_is_left_out)
{
    static const char all[] =
        "before=4,iterations=2,kind=memory,line=4,lines=1,offset=512,"
        "pattern=load-load,shared=16384,skew=3,slices=8,stride=1,workgroups=9";
    const struct {
        struct eng_stress_limits limits;
        const char *left;
    } cases[] = {
        {LIMITS(49152, 1024, 65535, 1u << 27, false, true), all},
        {LIMITS(49152, 1024, 65535, 1u << 27, false, false),
         "before=4,iterations=2,kind=memory,line=4,lines=1,offset=512,pattern=load-load,"
         "shared=16384,stride=1,workgroups=9"},
        {LIMITS(16383, 1024, 65535, 1u << 27, false, true),
         "before=4,iterations=2,kind=memory,line=4,lines=1,offset=512,pattern=load-load,skew=3,"
         "slices=8,stride=1,workgroups=9"},
        {LIMITS(49152, 1024, 5, 1u << 27, false, true),
         "before=4,iterations=2,kind=memory,line=4,lines=1,offset=512,pattern=load-load,"
         "shared=16384,skew=3,slices=8,stride=1,workgroups=5"},
        {LIMITS(49152, 127, 65535, 1u << 27, false, true), "offset=512,slices=8"},
        {LIMITS(511, 1024, 65535, 1u << 27, false, true), "offset=512,slices=8"},
        {LIMITS(49152, 1024, 65535, 262143, false, true), "offset=512,slices=8"},
        {LIMITS(0, 0, 0, 0, false, false), "offset=512"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dev_stress set;
        char text[ENG_STRESS_TEXT];
        assert_true(eng_stress_parse(all, &set, NULL));
        eng_stress_fit(&set, &cases[i].limits);
        eng_stress_print(&set, text);
        assert_string_equal(text, cases[i].left);
    }
    // Each number by itself is cut to what the device can dispatch.
    struct dev_stress many;
    assert_true(eng_stress_parse("before=9,kind=idle,skew=9,slices=2,workgroups=9", &many, NULL));
    eng_stress_fit(&many, &cases[3].limits);
    assert_true(many.before == 5 && many.skew == 5 && many.workgroups == 5);
    // Only what ran between slices: nothing of the background remains.
    struct dev_stress set;
    char text[ENG_STRESS_TEXT];
    assert_true(eng_stress_parse("kind=memory,skew=3,slices=8,shared=1024", &set, NULL));
    eng_stress_fit(&set, &cases[1].limits);
    eng_stress_print(&set, text);
    assert_string_equal(text, "");
}

// What is drawn is what a user could have written, fits, and differs.
static void assert_good(const struct dev_stress *set, const struct eng_stress_limits *limits)
{
    struct dev_stress fitted = *set, read;
    char text[ENG_STRESS_TEXT];
    eng_stress_print(set, text);
    if (!eng_stress_parse(text, &read, &error))
        fail_msg("'%s': %s", text, error.message);
    assert_memory_equal(set, &read, sizeof read);
    eng_stress_fit(&fitted, limits);
    assert_memory_equal(set, &fitted, sizeof fitted);
}

TEST(draws)
{
    const struct eng_stress_limits all[] = {LIMITS(49152, 1024, 65535, 1u << 27, false, true),
                                            LIMITS(32768, 1024, 65535, 1u << 27, true, true),
                                            LIMITS(32768, 1024, 65535, 1u << 27, true, false),
                                            LIMITS(1000, 128, 1, 1u << 18, false, true),
                                            LIMITS(0, 0, 0, 0, false, false)};
    for (size_t l = 0; l < sizeof all / sizeof *all; l++) {
        unsigned kinds[DEV_STRESS_KINDS] = {0}, sliced = 0, moved = 0, shared = 0;
        for (uint64_t i = 0; i < 500; i++) {
            const struct dev_stress set = eng_stress_draw(7, i, &all[l]);
            const struct dev_stress again = eng_stress_draw(7, i, &all[l]);
            const struct dev_stress near = eng_stress_near(&set, 7, i, &all[l]);
            char text[ENG_STRESS_TEXT];
            eng_stress_print(&set, text);
            assert_true(text[0]);
            assert_memory_equal(&set, &again, sizeof set);
            assert_good(&set, &all[l]);
            assert_good(&near, &all[l]);
            kinds[set.kind]++;
            sliced += set.slices > 1;
            moved += set.offset > 0;
            shared += set.shared > 0;
        }
        assert_true(moved > 100);
        assert_true(all[l].divisible == (sliced > 100));
        if (all[l].facts->max_shared > 1024)
            assert_true(shared > 50 && kinds[DEV_STRESS_MEMORY] > kinds[DEV_STRESS_IDLE] &&
                        kinds[DEV_STRESS_IDLE] && kinds[DEV_STRESS_ARITHMETIC] &&
                        kinds[DEV_STRESS_BARRIER]);
    }
    const struct dev_stress one = eng_stress_draw(7, 0, &gpu), other = eng_stress_draw(8, 0, &gpu);
    assert_memory_not_equal(&one, &other, sizeof one);
}

// Most neighbours keep most of a set.
TEST(neighbours)
{
    const struct dev_stress set = eng_stress_draw(3, 0, &gpu);
    unsigned same_offset = 0, other = 0;
    for (uint64_t i = 0; i < 200; i++) {
        const struct dev_stress near = eng_stress_near(&set, 9, i, &gpu);
        same_offset += near.offset == set.offset;
        other += memcmp(&near, &set, sizeof set) != 0;
    }
    assert_true(same_offset > 120);
    assert_true(other > 120);
    // Of four groups of keys that do without one another at most two differ.
    struct dev_stress whole;
    assert_true(eng_stress_parse("kind=memory,workgroups=5,before=5,skew=5,slices=5,iterations=3,"
                                 "shared=3072,offset=768",
                                 &whole, NULL));
    for (uint64_t i = 0; i < 200; i++) {
        const struct dev_stress near = eng_stress_near(&whole, 9, i, &gpu);
        const int differ = (near.workgroups != 5) + (near.before != 5) +
                           (near.skew != 5 || near.slices != 5) +
                           (near.shared != 3072 || near.offset != 768);
        assert_in_range(differ, 0, 2);
    }
}

// Which set a configuration gets.

static struct eng_device device_of(const char *id)
{
    struct eng_device device = {.facts = {.max_shared = 49152,
                                          .max_workgroup = 1024,
                                          .max_workgroups = 65535,
                                          .max_storage_buffer = 1u << 27}};
    snprintf(device.id, sizeof device.id, "%s", id);
    return device;
}

static void check_choice(const struct eng_stressing *stressing, uint64_t seed, const char *name,
                         const char *device_id, const char *want)
{
    const struct cat_case which = {.test = cat_test_find("shuffle.branch")};
    const struct eng_device device = device_of(device_id);
    char text[ENG_STRESS_TEXT];
    eng_stress_choose(stressing, seed, &which, name, &device, text);
    assert_string_equal(text, want);
}

TEST(choices)
{
    struct eng_tuned tuned[] = {
        {"other", "a.b/x=1", "slices=2"},   {"mine", "a.b/x=2", "offset=512"},
        {"mine", "a.b/x=1", "offset=1024"}, {"mine", "a.b/x=1", "offset=2048"},
        {"mine", "a.bc@y=1", "colour=red"}, {"mine", "a.d", ""},
        {"mine", "a.d/x=1", "offset=256"},  {"mine", "a.bc@y=2", "offset=256"},
    };
    struct eng_stressing stressing = {.mode = ENG_STRESS_TUNED, .tuned = tuned, .tuned_count = 8};
    check_choice(&stressing, 1, "a.b/x=1", "mine", "offset=1024");
    check_choice(&stressing, 1, "a.b/x=3", "mine", "offset=512");
    check_choice(&stressing, 1, "a.b/x=3", "third", "");
    check_choice(&stressing, 1, "a.bc@y=1", "mine", "");
    check_choice(&stressing, 1, "a.bc@y=2", "mine", "offset=256");
    check_choice(&stressing, 1, "a.d@z=1", "mine", "");
    check_choice(&stressing, 1, "a", "mine", "");
    check_choice(NULL, 1, "a.b/x=1", "mine", "");
    stressing.mode = ENG_STRESS_NONE;
    check_choice(&stressing, 1, "a.b/x=1", "mine", "");
    stressing.mode = ENG_STRESS_GIVEN;
    assert_true(
        eng_stress_parse("offset=256,shared=65536,kind=idle,before=1", &stressing.given, NULL));
    check_choice(&stressing, 1, "a.b/x=1", "mine", "before=1,kind=idle,offset=256");

    stressing.mode = ENG_STRESS_RANDOM;
    const struct cat_case which = {.test = cat_test_find("shuffle.branch")};
    const struct eng_device device = device_of("mine");
    char first[ENG_STRESS_TEXT], again[ENG_STRESS_TEXT], other[ENG_STRESS_TEXT];
    eng_stress_choose(&stressing, 1, &which, "a.b/x=1", &device, first);
    eng_stress_choose(&stressing, 1, &which, "a.b/x=1", &device, again);
    assert_string_equal(first, again);
    eng_stress_choose(&stressing, 1, &which, "a.b/x=2", &device, other);
    assert_string_not_equal(first, other);
    eng_stress_choose(&stressing, 2, &which, "a.b/x=1", &device, other);
    assert_string_not_equal(first, other);
}

// Every workgroup once, whatever the order, and the order is the seed's.
TEST(slices)
{
    static const uint32_t sizes[][2] = {{256, 8}, {256, 64}, {7, 3}, {3, 8}, {1, 64}, {65535, 64}};
    unsigned in_order = 0, all = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t seed = 0; seed < 20; seed++) {
            const struct dev_stress set = {.slices = sizes[s][1]};
            struct dev_slice cut[DEV_STRESS_SLICES], again[DEV_STRESS_SLICES];
            const uint32_t workgroups = sizes[s][0];
            const uint32_t count = dev_stress_slices(&set, workgroups, seed, cut);
            assert_int_equal(count, workgroups < set.slices ? workgroups : set.slices);
            assert_int_equal(dev_stress_slices(&set, workgroups, seed, again), count);
            assert_memory_equal(cut, again, count * sizeof *cut);
            uint64_t sum = 0, firsts = 0;
            bool sorted = true;
            for (uint32_t i = 0; i < count; i++) {
                assert_true(cut[i].count > 0 && cut[i].first + cut[i].count <= workgroups);
                for (uint32_t j = 0; j < i; j++)
                    assert_true(cut[j].first + cut[j].count <= cut[i].first ||
                                cut[i].first + cut[i].count <= cut[j].first);
                sum += cut[i].count;
                firsts += cut[i].first;
                sorted &= i == 0 || cut[i].first > cut[i - 1].first;
            }
            assert_int_equal(sum, workgroups);
            assert_true(firsts < (uint64_t)workgroups * count);
            in_order += count > 3 && sorted;
            all += count > 3;
        }
    assert_true(all > 50 && in_order < 2);
    struct dev_slice whole[DEV_STRESS_SLICES];
    assert_int_equal(dev_stress_slices(&(struct dev_stress){0}, 9, 1, whole), 1);
    assert_int_equal(whole[0].count, 9);
    assert_int_equal(dev_stress_slices(&(struct dev_stress){.slices = 4}, 0, 1, whole), 0);
}
