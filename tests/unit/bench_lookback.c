// SPDX-License-Identifier: Apache-2.0
// The rows of `litmus bench lookback`, what is taken from a worker, the search, and the files that
// are read: what was tuned, and what CUB took.
#include "unit.h"

#include "model/facts.h"
#include "bench/oracle.h"
#include "bench/tune.h"
#include "benching/benching.h"
#include "folder.h"

#include <math.h>

static struct dev_facts some_facts(uint32_t subgroup)
{
    return (struct dev_facts){.subgroup = subgroup,
                              .max_workgroup = 1024,
                              .max_workgroups = 1u << 31,
                              .max_shared = 49152,
                              .features = UINT64_MAX};
}

static bool row_fits(size_t number, uint64_t elements, const struct dev_facts *facts,
                     struct lit_error *error)
{
    const struct bench_row row = look_row(number, elements);
    return bench_row_fits(&row, facts, error);
}

static void row_name(size_t number, struct text *name)
{
    const struct bench_row row = look_row(number, 1u << 20);
    bench_row_name(&row, name);
}

// The row of that number; NULL if it is not timed or not right.
static const struct bench_measured *right(const struct bench_result *result, size_t number)
{
    const struct bench_measured *row = bench_result_find(result, number);
    return row && bench_is_right(row) ? row : NULL;
}

static size_t first_scan(void)
{
    return look_copies();
}

// --- Rows

TEST(rows_have_names_of_their_own)
{
    const size_t count = look_rows();
    OWNED(lit_free) struct text *names = lit_alloc(count, sizeof *names);
    assert_true(count > first_scan() && count <= LOOK_ROWS);
    for (size_t i = 0; i < count; i++) {
        size_t found = count;
        row_name(i, &names[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(names[i].data, names[j].data);
        assert_true(look_row_find(names[i].data, &found));
        assert_int_equal(found, i);
        assert_int_equal(strncmp(names[i].data, "copy/", 5) == 0, (look_kind(i) == BENCH_COPY));
        assert_true(names[i].length < sizeof((struct look_tuned *)0)->row);
    }
    assert_string_equal(names[0].data, "copy/vectors=1/workgroup=64");
    size_t found;
    assert_false(look_row_find("copy/vectors=1/workgroup=65", &found));
    assert_false(look_row_find("", &found));
    for (size_t i = 0; i < count; i++)
        text_free(&names[i]);
}

TEST(rows_are_what_their_names_say)
{
    for (size_t i = 0; i < look_rows(); i++) {
        const struct bench_row row = look_row(i, 1u << 20);
        struct text name = {0};
        row_name(i, &name);
        assert_int_equal(row.far, strstr(name.data, "reach=far") != NULL);
        assert_int_equal(row.kind == BENCH_SERIAL, strstr(name.data, "serial/") != NULL);
        if (row.kind == BENCH_SERIAL) {
            text_free(&name);
            continue;
        }
        const char *held = strstr(name.data, row.kind == BENCH_COPY ? "vectors=" : "held=");
        const char *shared = strstr(name.data, "shared="), *lanes = strstr(name.data, "lanes=");
        const char *width = strstr(name.data, "group=");
        assert_int_equal(cat_kernel_words(row.kernel)[0], 0x07230203);
        assert_int_equal(row.held, atoi(strchr(held, '=') + 1));
        assert_int_equal(row.shared, shared ? atoi(shared + 7) : 0);
        assert_int_equal(row.lanes, lanes ? atoi(lanes + 6) : 0);
        assert_int_equal(row.workgroup, atoi(width + 6));
        assert_int_equal(row.tile, row.workgroup * (row.held + row.shared) * 4);
        assert_int_equal(look_row(i, row.tile).workgroups, 1);
        assert_int_equal(look_row(i, row.tile + 4).workgroups, 2);
        assert_int_equal(row.kind == BENCH_TILES, strstr(name.data, "stage=alone") != NULL);
        assert_int_equal(look_segment(&row), row.kind == BENCH_COPY    ? 1
                                             : row.kind == BENCH_TILES ? row.tile
                                                                       : 1u << 20);
        text_free(&name);
    }
}

#define SCAN_OF "held=4/shared=0/%s/edge=branch/stage=whole/fence=device/%sworkgroup=64"
#define TICKET  "looks=1/lanes=32/encoding=word64/order=ticket"

// 2^32 words are 2^30 vectors, and their segment has a length of its own, which 32 bits do not
// hold.
TEST(rows_of_16_gib)
{
    const struct dev_facts facts = some_facts(32);
    for (size_t i = 0; i < look_rows(); i++) {
        const struct bench_row row = look_row(i, LOOK_MOST), near = look_row(i, LOOK_NEAR);
        if (row.kind == BENCH_SERIAL)
            continue; // it ends at 2^24
        assert_true(row.words == LOOK_MOST && row.bytes == LOOK_MOST * 8);
        assert_true((uint64_t)row.workgroups * row.tile >= LOOK_MOST);
        assert_true((uint64_t)(row.workgroups - 1) * row.tile < LOOK_MOST);
        if (row.kind == BENCH_LOOKBACK)
            assert_true(look_segment(&row) == LOOK_MOST);
        assert_int_equal(look_segment(&row) % 4, row.kind == BENCH_COPY);
        // Those for buffers of more than 4 GiB are for no others.
        assert_int_equal(look_row_exists(&row) && look_row_exists(&near), false);
        if (!row.far)
            assert_false(row_fits(i, LOOK_MOST, &facts, NULL));
    }
}

// Elements, and what is to become of them; floats as their bits.
TEST(outputs_are_those_of_the_operation)
{
    static const struct {
        const char *form, *operation;
        enum cat_scan scan;
        uint32_t input[4], output[4];
    } scans[] = {
        {TICKET, "", CAT_SCAN_ADD, {7, ~0u, 5, 1}, {7, 6, 11, 12}},
        {TICKET,
         "operation=add/result=exclusive/",
         CAT_SCAN_ADD_EXCLUSIVE,
         {7, ~0u, 5, 1},
         {0, 7, 6, 11}},
        {TICKET,
         "operation=max/result=inclusive/",
         CAT_SCAN_MAX,
         {~0u - 6, ~0u, 5, 1},
         {~0u - 6, ~0u, 5, 5}},
        {TICKET,
         "operation=fadd/result=inclusive/",
         CAT_SCAN_FADD,
         {0x3F800000, 0xBF800000, 0xBF800000, 0xBF800000},
         {0x3F800000, 0, 0xBF800000, 0xC0000000}},
        {"looks=4/lanes=32/encoding=split64/order=fallback",
         "operation=add64/result=inclusive/",
         CAT_SCAN_ADD64,
         {~0u, 5, 1, 1},
         {~0u, 5, 0, 7}},
        {"looks=4/lanes=32/encoding=word64/order=fallback",
         "operation=segmented/result=inclusive/",
         CAT_SCAN_SEGMENTED,
         {0x7FFFFFFF, 2, 0x80000005, 0x7FFFFFFE},
         {0x7FFFFFFF, 1, 5, 3}},
    };
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++) {
        size_t number;
        uint32_t output[4];
        OWNED(text_free) struct text name = text_format(SCAN_OF, scans[i].form, scans[i].operation);
        assert_true(look_row_find(name.data, &number));
        struct bench_row row = look_row(number, 1u << 20);
        row.words = 4;
        assert_int_equal(row.scan, scans[i].scan);
        assert_false(row.in_place);
        bench_expect(&row, 32, 0, scans[i].input, output);
        assert_memory_equal(output, scans[i].output, sizeof output);
        // Whatever its elements are, a row of so many words moves as many bytes as a copy of them,
        // and a tile publishes as many words as its sum has, and a tag beside each.
        row = look_row(number, 1u << 20);
        assert_true(row.words == 1u << 20 && row.bytes == 1u << 23);
        assert_int_equal(look_state_words(&row),
                         64 + row.workgroups * (scans[i].scan == CAT_SCAN_ADD64 ? 4 : 2));
    }
    size_t number;
    OWNED(text_free) struct text name = text_format(SCAN_OF, TICKET, "place=same/");
    assert_true(look_row_find(name.data, &number));
    assert_true(look_row(number, 1u << 20).in_place);
    assert_int_equal(cat_scan_input(CAT_SCAN_FADD, 0, 6), 0x3F800000); // 1.0
    assert_int_equal(cat_scan_input(CAT_SCAN_FADD, 0, 7), 0xBF800000);
}

// Segments begin at every place of a vector, at the first and the last word of a tile, and nowhere
// in some tiles: of small tiles within as few words as tests scan, of large ones within more.
TEST(segments_begin_where_it_matters)
{
    static const struct {
        uint32_t tile, words;
    } cases[] = {{1024, 1u << 14}, {1024 * 12 * 4, 1u << 22}, {384 * 35 * 4, 1u << 22}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint32_t tile = cases[c].tile, words = cases[c].words - cases[c].words % tile;
        uint32_t *input = lit_alloc(words, sizeof *input), places[4] = {0};
        uint32_t empty = 0, first = 0, last = 0;
        for (uint64_t seed = 1; seed <= 5; seed++) {
            uint32_t heads = 0;
            bench_input(seed, input, words);
            for (uint32_t i = 0; i < words; i++) {
                const bool head = cat_scan_input(CAT_SCAN_SEGMENTED, i, input[i]) >> 31;
                heads = i % tile ? heads + head : head;
                places[i % 4] += head;
                first += head && i % tile == 0;
                last += head && i % tile == tile - 1;
                empty += !heads && i % tile == tile - 1;
            }
        }
        assert_true(empty && first && last && places[0] && places[1] && places[2] && places[3]);
        free(input);
    }
}

TEST(what_a_device_lacks_is_named)
{
    struct dev_facts facts = some_facts(32);
    size_t row;
    assert_true(look_row_find("held=14/shared=3/looks=1/lanes=32/encoding=word64/order=ticket/"
                              "edge=branch/stage=whole/fence=device/workgroup=512",
                              &row));
    assert_true(row_fits(row, 1u << 20, &facts, &error));
    assert_true(row_fits(row, 1u << 12, &facts, &error));
    facts.max_shared = 512 * 16 * 3;
    must_fail("maxComputeSharedMemorySize", row_fits(row, 1u << 20, &facts, &error));
    facts = some_facts(64);
    must_fail("at most 32", row_fits(row, 1u << 20, &facts, &error));
    facts = some_facts(8);
    must_fail("64 subgroups of 8", row_fits(row, 1u << 20, &facts, &error));
    facts = some_facts(32);
    facts.max_workgroup = 256;
    must_fail("maxComputeWorkGroupInvocations", row_fits(row, 1u << 20, &facts, &error));
    facts = some_facts(32);
    facts.max_workgroups = 28;
    must_fail("maxComputeWorkGroupCount", row_fits(row, 1u << 20, &facts, &error));
    facts = some_facts(32);
    facts.max_subgroups = 15;
    must_fail("maxComputeWorkgroupSubgroups", row_fits(row, 1u << 20, &facts, &error));
    assert_true(row_fits(LOOK_WIDTHS - 1, 1u << 20, &facts, &error));
    facts = some_facts(32);
    facts.features = ~(UINT64_C(1) << CAT_FEATURE_ADDRESSES);
    must_fail_as("bufferDeviceAddress", row_fits(row, 1u << 20, &facts, &error));
    facts.features = ~(UINT64_C(1) << CAT_FEATURE_INT64_ATOMICS);
    must_fail_as("shaderBufferInt64Atomics", row_fits(row, 1u << 20, &facts, &error));
}

TEST(there_is_no_row_that_cannot_be)
{
    struct dev_facts facts = some_facts(32);
    for (size_t i = 0; i < look_rows(); i++) {
        const struct bench_row row = look_row(i, 1u << 20);
        // A copy moves whole tiles; a scan's last tile may be cut. One invocation alone is in the
        // smallest workgroup, and on a CPU.
        if (row.kind == BENCH_SERIAL) {
            assert_int_equal(look_row_exists(&row), row.workgroup == 64);
            assert_false(row_fits(i, 1u << 20, &facts, &error));
            facts.cpu = true;
            assert_int_equal(row_fits(i, 1u << 20, &facts, &error), row.workgroup == 64);
            assert_false(row_fits(i, 1u << 25, &facts, &error));
            facts.cpu = false;
            continue;
        }
        assert_int_equal(look_row_exists(&row),
                         !row.far && row.workgroup * row.held <= 12288 &&
                             (row.kind != BENCH_COPY || (1u << 20) % row.tile == 0));
        if (!look_row_exists(&row))
            assert_false(row_fits(i, 1u << 20, &facts, &error));
    }
}

TEST(sets_come_back)
{
    struct look_set set = {0}, back;
    char text[LOOK_SET_TEXT];
    look_set_write(&set, text);
    assert_true(look_set_read(text, &back));
    assert_int_equal(look_set_count(&back), 0);
    for (size_t i = 0; i < look_rows(); i += 7)
        set.has[i] = true;
    set.has[look_rows() - 1] = true;
    look_set_write(&set, text);
    assert_true(look_set_read(text, &back));
    assert_memory_equal(&set, &back, sizeof set);
    assert_true(look_set_read("", &back));
    assert_false(look_set_read("12g", &back));
    assert_false(look_set_read("A", &back));
    // A row that there is not.
    memset(text, '1', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_false(look_set_read(text, &back));
}

TEST(every_device_has_a_default)
{
    for (uint32_t subgroup = 4; subgroup <= 128; subgroup *= 2)
        for (uint64_t elements = 1u << 13; elements <= LOOK_MOST; elements *= 2) {
            struct dev_facts facts = some_facts(subgroup);
            size_t row = LOOK_ROWS, alone = LOOK_ROWS;
            assert_true(look_default(elements, &facts, &row));
            assert_int_equal(look_kind(row), BENCH_LOOKBACK);
            assert_true(row_fits(row, elements, &facts, NULL));
            // What one falls back on is the table's last resort only where the table has nothing.
            assert_int_not_equal(row, first_scan());
            assert_int_equal(look_row(row, elements).far, elements > LOOK_NEAR);
            if (elements > LOOK_NEAR && !look_tiles_only(row, &alone))
                continue;
            assert_true(look_tiles_only(row, &alone));
            assert_int_equal(look_kind(alone), BENCH_TILES);
            assert_int_equal(look_row(alone, elements).tile, look_row(row, elements).tile);
            assert_false(look_tiles_only(alone, &row));
            facts.features = ~(UINT64_C(1) << CAT_FEATURE_INT64);
            facts.max_workgroup = 128;
            assert_true(look_default(elements, &facts, &row));
            assert_true(row_fits(row, elements, &facts, NULL));
        }
    struct dev_facts none = some_facts(32);
    size_t row;
    none.features = 0;
    assert_false(look_default(1u << 20, &none, &row));
}

// --- What a worker says

static const double tick = 2;

static bool tell_row(struct bench_result *result, size_t number, enum bench_state told)
{
    return bench_result_row(
        result, &(struct bench_report){.row = (uint32_t)number, .loops = 1, .tick = tick}, told,
        "");
}

static bool tell_time(struct bench_result *result, size_t number, uint32_t round, double ns,
                      uint64_t wrong)
{
    return bench_result_time(result, &(struct bench_report){.row = (uint32_t)number,
                                                            .round = round,
                                                            .ns = ns,
                                                            .wrong = wrong,
                                                            .index = 5,
                                                            .got = 1,
                                                            .want = wrong ? 2 : 1});
}

// Beside what unit/bench_rows.c has: a row that is not asked for, one that no scan has.
TEST(nonsense_is_refused)
{
    struct look_set set = {0};
    OWNED(bench_result_clear) struct bench_result result;
    set.has[3] = set.has[first_scan()] = true;
    look_result_begin(&result, 1u << 20, &set, 1, 2);
    assert_int_equal(result.count, 2);
    assert_false(tell_row(&result, 4, BENCH_READY));
    assert_false(tell_row(&result, LOOK_ROWS + 5, BENCH_READY));
}

// Fills a result in which row i takes costs[i] and is wrong where that is negative.
static void make_result(struct bench_result *result, const struct look_set *set,
                        double (*cost)(size_t number), uint64_t elements, uint32_t repeats)
{
    look_result_begin(result, elements, set, 0, repeats);
    for (size_t i = 0; i < look_rows(); i++) {
        if (!set->has[i])
            continue;
        assert_true(tell_row(result, i, BENCH_READY));
        for (uint32_t round = 0; round < repeats; round++)
            assert_true(tell_time(result, i, round, fabs(cost(i)), cost(i) < 0));
    }
}

static size_t fastest, second, broken; // of the scans

static double cost_of(size_t number)
{
    if (look_kind(number) == BENCH_COPY)
        return number == 6 ? 400 : 500;
    return number == broken ? -10 : number == fastest ? 450 : number == second ? 460 : 900;
}

TEST(the_best_is_right_and_fast)
{
    struct look_set set = {0}, kept;
    OWNED(bench_result_clear) struct bench_result result;
    fastest = first_scan() + 9;
    second = first_scan() + 2;
    broken = first_scan() + 1;
    for (size_t i = 0; i < look_rows(); i++)
        set.has[i] = true;
    make_result(&result, &set, cost_of, 1u << 20, 3);
    assert_int_equal(bench_result_best(&result, BENCH_COPY)->number, 6);
    assert_int_equal(bench_result_best(&result, BENCH_LOOKBACK)->number, fastest);
    const struct bench_figures f = bench_figures(&result, right(&result, fastest));
    assert_true(fabs(f.share.bytes - 400.0 / 450) < 1e-9);
    assert_true(fabs(f.rate.bytes - (1u << 20) * 8.0 / 450e-9) < 1);
    assert_int_equal(look_keep(&result, 2, &kept), 2);
    assert_int_equal(look_set_count(&kept), 2);
    assert_true(kept.has[fastest] && kept.has[second]);
    // Never what was wrong, nor what is no whole scan.
    const size_t all = look_keep(&result, LOOK_ROWS, &kept);
    assert_int_equal(all, look_set_count(&kept));
    for (size_t i = 0; i < look_rows(); i++)
        assert_int_equal(kept.has[i], look_kind(i) == BENCH_LOOKBACK && i != broken);
}

// --- The search

static struct {
    double now, each; // seconds: the clock, and what a measurement takes
    unsigned calls;
    size_t rows[8];
    uint32_t repeats[8];
    bool copies_last;
    enum eng_result end;
} fake;

static double fake_now(void)
{
    return fake.now;
}

static bool fake_measure(uint64_t elements, const struct look_set *set, uint32_t repeats,
                         struct bench_size *size, void *user)
{
    assert_true(fake.calls < 8);
    fake.rows[fake.calls] = look_set_count(set);
    fake.repeats[fake.calls++] = repeats;
    fake.copies_last = set->has[0];
    fake.now += fake.each;
    size->end = fake.end;
    make_result(&size->result, set, cost_of, elements, repeats);
    return true;
}

// The first time that row is timed, all of its dispatches are wrong.
static bool measure_a_wrong_row(uint64_t elements, const struct look_set *set, uint32_t repeats,
                                struct bench_size *size, void *user)
{
    const bool first = !fake.calls, told = fake_measure(elements, set, repeats, size, user);
    for (size_t i = 0; i < size->result.count && first; i++)
        if (size->result.rows[i].number == fastest) {
            size->result.rows[i].wrong = size->result.rows[i].dispatches;
            size->result.rows[i].first.wrong = 1;
        }
    return told;
}

static void fake_say(const char *line, void *user) {}

static bool search(look_measure *measure, double each, double budget, struct bench_size *size)
{
    struct look_set set = {0};
    const struct look_search tune = {.now = fake_now, .measure = measure, .say = fake_say};
    memset(&fake, 0, sizeof fake);
    memset(size, 0, sizeof *size);
    fake.each = each;
    fake.end = ENG_PASS;
    for (size_t i = 0; i < look_rows(); i++)
        set.has[i] = look_kind(i) == BENCH_LOOKBACK;
    return look_search(&tune, budget, 1u << 20, &set, size);
}

TEST(the_search_halves_and_ends)
{
    struct bench_size size;
    fastest = first_scan() + 300;
    while (look_kind(fastest) != BENCH_LOOKBACK)
        fastest++;
    assert_true(search(fake_measure, 1, 1000, &size));
    assert_int_equal(bench_result_best(&size.result, BENCH_LOOKBACK)->number, fastest);
    assert_true(fake.calls >= 3);
    for (unsigned i = 1; i < fake.calls; i++) {
        assert_true(fake.repeats[i] > fake.repeats[i - 1]);
        assert_true(i + 1 == fake.calls || fake.rows[i] < fake.rows[i - 1]);
    }
    assert_int_equal(fake.repeats[fake.calls - 1], 31);
    assert_true(fake.copies_last);
    assert_non_null(bench_result_best(&size.result, BENCH_COPY));
    bench_result_clear(&size.result);
    // No time: one look at all, and then the few that decide.
    assert_true(search(fake_measure, 10, 1, &size));
    assert_int_equal(fake.calls, 2);
    assert_int_equal(fake.repeats[1], 31);
    assert_true(fake.rows[1] < 64);
    assert_int_equal(bench_result_best(&size.result, BENCH_LOOKBACK)->number, fastest);
    bench_result_clear(&size.result);
}

// A search goes on without it, and tells it in the end.
TEST(what_was_wrong_on_the_way_is_told)
{
    struct bench_size size;
    size_t wrong = 0;
    fastest = first_scan() + 300;
    while (look_kind(fastest) != BENCH_LOOKBACK)
        fastest++;
    assert_true(search(measure_a_wrong_row, 1, 1000, &size));
    assert_true(fake.calls >= 3);
    assert_int_not_equal(bench_result_best(&size.result, BENCH_LOOKBACK)->number, fastest);
    for (size_t i = 0; i < size.result.count; i++)
        wrong += size.result.rows[i].number == fastest && size.result.rows[i].wrong;
    assert_int_equal(wrong, 1);
    bench_result_clear(&size.result);
}

// --- Files

static struct look_tuned some_choice(uint64_t elements, size_t row)
{
    struct look_tuned choice = {.id = "0123456789abcdef0123456789abcdef",
                                .name = "Example \"GPU\"",
                                .driver = "example 1.2",
                                .elements = elements,
                                .ns = 1234.5,
                                .of_copy = 0.9};
    OWNED(text_free) struct text name = {0};
    row_name(row, &name);
    snprintf(choice.row, sizeof choice.row, "%s", name.data);
    return choice;
}

TEST_IN(choices_come_back, make_folder, remove_folder)
{
    const struct dev_facts facts = some_facts(32);
    struct look_tunings tunings = {0}, back = {0};
    char path[128];
    size_t small = first_scan() + 1, large = first_scan() + 2, found = 0;
    struct look_tuned choice = some_choice(1u << 20, small);
    look_tuned_put(&tunings, &choice);
    choice = some_choice(1u << 28, first_scan());
    look_tuned_put(&tunings, &choice);
    choice = some_choice(1u << 28, large); // instead of the one before
    look_tuned_put(&tunings, &choice);
    choice = some_choice(1u << 24, first_scan());
    choice.id[0] = 'f'; // another device
    look_tuned_put(&tunings, &choice);
    assert_int_equal(tunings.count, 3);
    snprintf(path, sizeof path, "%s/tuned.json", folder);
    assert_true(look_tuned_write(path, &tunings, &error));
    assert_true(look_tuned_read(path, &back, &error));
    assert_int_equal(back.count, 3);
    assert_memory_equal(back.items, tunings.items, sizeof *back.items);
    const char *id = "0123456789abcdef0123456789abcdef";
    assert_true(look_tuned_find(&back, id, &facts, 1u << 21, &found));
    assert_int_equal(found, small);
    assert_true(look_tuned_find(&back, id, &facts, 1u << 27, &found));
    assert_int_equal(found, large);
    // Four times as much, or a quarter of it, is another size.
    assert_false(look_tuned_find(&back, id, &facts, 1u << 22, &found));
    assert_false(look_tuned_find(&back, id, &facts, 1u << 26, &found));
    assert_false(
        look_tuned_find(&back, "00000000000000000000000000000000", &facts, 1u << 28, &found));
    look_tuned_clear(&tunings);
    look_tuned_clear(&back);
    snprintf(path, sizeof path, "%s/none.json", folder);
    assert_true(look_tuned_read(path, &back, &error));
    assert_int_equal(back.count, 0);
}

TEST_IN(choices_are_not_trusted, make_folder, remove_folder)
{
    const struct dev_facts facts = some_facts(32);
    struct dev_facts weak = facts;
    size_t found = 0;
    weak.max_workgroup = 32;
    for (size_t i = 0; i < look_rows(); i++) {
        OWNED(look_tuned_clear) struct look_tunings tunings = {0};
        const struct look_tuned choice = some_choice(1u << 20, i);
        look_tuned_put(&tunings, &choice);
        assert_int_equal(look_tuned_find(&tunings, choice.id, &facts, 1u << 20, &found),
                         look_kind(i) == BENCH_LOOKBACK && row_fits(i, 1u << 20, &facts, NULL));
        assert_false(look_tuned_find(&tunings, choice.id, &weak, 1u << 20, &found));
        snprintf(tunings.items[0].row, sizeof tunings.items[0].row, "held=5");
        assert_false(look_tuned_find(&tunings, choice.id, &facts, 1u << 20, &found));
    }
    static const char head[] = "{\"schema\":\"litmus-lookback-tuned/1\",\"choices\":";
    static const char *const tails[] = {
        "",
        "{}}",
        "[3]}",
        "[{}]}",
        "[{\"id\":\"0123\",\"elements\":1048576,\"row\":\"x\"}]}",
        "[{\"id\":\"0123456789abcdef0123456789abcdef\",\"elements\":-1,\"row\":\"x\"}]}",
        "[{\"id\":\"0123456789abcdef0123456789abcdef\",\"elements\":99999999999,\"row\":\"x\"}]}",
        "[{\"id\":\"0123456789abcdef0123456789abcdef\",\"elements\":1048576,\"row\":\"\"}]}",
        "[{\"id\":\"0123456789abcdef0123456789abcdef\",\"elements\":1048576,\"row\":\"x\",\"ns\":-"
        "1}]}",
    };
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        struct look_tunings tunings;
        char text[512];
        snprintf(text, sizeof text, "%s%s", head, tails[i]);
        assert_false(look_tuned_read(folder_file("bad.json", text), &tunings, &error));
        assert_true(error.message[0] && !tunings.count);
    }
}

TEST_IN(cub_is_read, make_folder, remove_folder)
{
    struct look_cub cub;
    static const char good[] =
        "{\"schema\":\"litmus-bench-cub/1\",\"device\":\"NVIDIA H200\",\"sizes\":["
        "{\"elements\":1048576,\"scan\":{\"median_ns\":9000.5,\"wrong\":0},"
        "\"copy\":{\"median_ns\":4000,\"wrong\":0}},"
        "{\"elements\":1073741824,\"scan\":{\"median_ns\":2770000,\"wrong\":0},"
        "\"copy\":{\"median_ns\":2036000}}]}";
    assert_true(look_cub_read(folder_file("cub.json", good), &cub, &error));
    assert_string_equal(cub.device, "NVIDIA H200");
    assert_true(fabs(look_cub_scan(&cub, cub.device, 1u << 20) - 9000.5) < 1e-9);
    assert_true(fabs(look_cub_scan(&cub, cub.device, 1u << 30) - 2770000) < 1e-9);
    assert_true(look_cub_scan(&cub, cub.device, 1u << 22) <= 0);
    assert_true(look_cub_scan(&cub, "NVIDIA H100", 1u << 20) <= 0);
    static const char *const bad[] = {
        "",
        "[]",
        "{\"schema\":\"litmus-bench-cub/2\",\"sizes\":[]}",
        "{\"schema\":\"litmus-bench-cub/1\",\"sizes\":{}}",
        "{\"schema\":\"litmus-bench-cub/1\",\"sizes\":[1]}",
        "{\"schema\":\"litmus-bench-cub/1\",\"sizes\":[1,2,3,4,5,6,7,8,9]}",
        "{\"schema\":\"litmus-bench-cub/1\",\"sizes\":[{\"elements\":4096,\"scan\":"
        "{\"median_ns\":1,\"wrong\":1}}]}",
        "{\"schema\":\"litmus-bench-cub/1\",\"sizes\":[{\"elements\":4096,\"scan\":"
        "{\"median_ns\":-1,\"wrong\":0}}]}",
        "{\"schema\":\"litmus-bench-cub/1\",\"sizes\":[{\"elements\":4096,\"scan\":"
        "{\"median_ns\":1}}]}",
        "{\"schema\":\"litmus-bench-cub/1\",\"sizes\":[{\"elements\":4096,\"scan\":"
        "{\"median_ns\":1,\"wrong\":\"0\"}}]}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        must_fail("", look_cub_read(folder_file("bad.json", bad[i]), &cub, &error));
    }
    must_fail("/nowhere/cub.json", look_cub_read("/nowhere/cub.json", &cub, &error));
}

TEST(a_wait_that_ran_out_says_nothing)
{
    struct look_set set = {0};
    struct bench_device told = {.count = 1};
    struct bench_result *result = &told.sizes[0].result, failed = {0};
    OWNED(text_free) struct text table = {0};
    char because[256];
    const size_t copy = 3, scan = first_scan();
    set.has[copy] = set.has[scan] = true;
    look_result_begin(result, 1u << 20, &set, 0, 2);
    assert_true(tell_row(result, copy, BENCH_READY) && tell_row(result, scan, BENCH_READY));
    for (uint32_t round = 0; round < 2; round++) {
        assert_true(tell_time(result, copy, round, 10, 0));
        // What was stored after it is of no account.
        assert_true(bench_result_time(result, &(struct bench_report){.row = (uint32_t)scan,
                                                                     .round = round,
                                                                     .ns = 1,
                                                                     .wrong = round == 1 ? 3 : 0,
                                                                     .want = 1,
                                                                     .expired = round == 1}));
    }
    assert_int_equal(result->rows[1].expired, 1);
    assert_null(right(result, scan));
    assert_null(bench_result_best(result, BENCH_LOOKBACK));
    const struct bench_sum sum = bench_devices_sum(&told, 1);
    assert_true(sum.expired == 1 && sum.right == 1 && !sum.wrong);
    assert_int_equal(bench_sum_exit(&sum, because, sizeof because), LIT_EXIT_UNDECIDED);
    benching_look_table(&told.sizes[0], true, false, &table);
    assert_non_null(strstr(table.data, "INCONCLUSIVE"));
    assert_null(strstr(table.data, "WRONG"));
    look_move_failed(result, &failed);
    assert_true(result->count == 1 && failed.count == 1 && failed.rows[0].number == scan);
    bench_result_clear(result);
    bench_result_clear(&failed);
}

TEST(sums_and_exits)
{
    struct look_set set = {0};
    struct bench_device told = {.count = 2};
    set.has[0] = set.has[first_scan()] = true;
    broken = first_scan();
    make_result(&told.sizes[0].result, &set, cost_of, 1u << 20, 3);
    look_result_begin(&told.sizes[1].result, 1u << 30, &set, 0, 3);
    told.sizes[0].end = ENG_PASS;
    told.sizes[1].end = ENG_SKIP; // there is too little memory
    struct bench_sum sum = bench_devices_sum(&told, 1);
    assert_int_equal(sum.right, 1);
    assert_int_equal(sum.wrong, 1);
    assert_int_equal(sum.skipped, 2);
    assert_int_equal(sum.unreported, 0);
    told.sizes[1].end = ENG_HANG;
    sum = bench_devices_sum(&told, 1);
    assert_int_equal(sum.unreported, 2);
    assert_int_equal(sum.crashed, 1);
    bench_result_clear(&told.sizes[0].result);
    bench_result_clear(&told.sizes[1].result);
}
