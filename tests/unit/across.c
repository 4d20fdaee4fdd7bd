// SPDX-License-Identifier: Apache-2.0
// How often devices of one kind are told apart: seldom if they are alike, mostly if one is bad, and
// then that one. Farms are drawn from a seed.
#include "unit.h"

#include "base/random.h"
#include "compare/compare.h"

#define FARMS 60
// What a test which keeps its 5 % exceeds less than twice in ten thousand times.
#define MOST_FALSE 11

#define BATCHES 5

struct farm {
    size_t devices, configurations;
    uint64_t runs;
    double rate;     // of every configuration on every device ...
    double bad;      // ... but on the last devices; 0: as on the others
    size_t bads;     // how many these are
    double bunching; // a batch fails as a whole as often, in place of its runs; 0: no
};

static uint64_t draw(struct lit_random *random, uint64_t runs, double rate)
{
    uint64_t failed = 0;
    for (uint64_t i = 0; i < runs; i++)
        failed += random_below(random, 1000000) < (uint64_t)(rate * 1e6);
    return failed;
}

static void fill(struct result *result, size_t device, size_t configuration,
                 const struct farm *farm, struct lit_random *random)
{
    char name[64];
    const double rate =
        farm->bad > 0 && device >= farm->devices - farm->bads ? farm->bad : farm->rate;
    const uint64_t runs = farm->runs / BATCHES;
    snprintf(name, sizeof name, "scan.made-%zu@workgroup=64", configuration);
    *result = (struct result){.device = device,
                              .expectation = CAT_FORBIDDEN,
                              .reason = lit_strdup(""),
                              .sha256 = lit_strdup(""),
                              .headline = lit_strdup(""),
                              .stress = lit_strdup(""),
                              .rule = lit_strdup(""),
                              .mode = cat_mode_keep(&(struct cat_mode){0}),
                              .runs = farm->runs,
                              .judged = farm->runs,
                              .pieces = lit_alloc(BATCHES, sizeof *result->pieces),
                              .piece_count = BATCHES};
    report_result_is(result, cfg_parse(name));
    for (uint32_t b = 0; b < BATCHES; b++) {
        const double here = farm->bunching > 0
                                ? (draw(random, 1, farm->bunching) ? rate / farm->bunching : 0)
                                : rate;
        const uint64_t failed = draw(random, runs, here);
        result->pieces[b] = (struct eng_part){.process = b, .runs = runs, .failed_runs = failed};
        result->failed_runs += failed;
    }
    result->result = result->failed_runs ? ENG_FAIL : ENG_PASS;
}

static void make(const struct farm *farm, struct lit_random *random, struct compare_side *each)
{
    const size_t count = farm->devices * farm->configurations;
    *each = (struct compare_side){.sources = 1, .label = lit_strdup("farm")};
    struct report_model *model = &each->model;
    each->broke = lit_alloc(count, sizeof *each->broke);
    model->devices = lit_alloc(farm->devices, sizeof *model->devices);
    model->results = lit_alloc(count, sizeof *model->results);
    model->build = (struct report_build){lit_strdup(""), lit_strdup(""), lit_strdup("")};
    model->session = (struct store_session){
        .version = lit_strdup(""), .started = lit_strdup(""), .system = lit_strdup("")};
    for (size_t d = 0; d < farm->devices; d++) {
        struct eng_device *device = &model->devices[model->device_count++];
        *device = (struct eng_device){.number = (unsigned)d + 1, .checker = lit_strdup("")};
        snprintf(device->facts.name, sizeof device->facts.name, "Example GPU");
        device->facts.device_uuid[0] = (uint8_t)d;
        for (size_t c = 0; c < farm->configurations; c++)
            fill(&model->results[model->result_count++], d, c, farm, random);
    }
}

// Adds one to `odd` of each device that differs.
static void judge(const struct compare_side *each, unsigned *odd)
{
    OWNED(compare_side_clear) struct compare_side others;
    OWNED(compare_pairs_clear) struct compare_pairs pairs;
    struct compare_entry *entries;
    struct compare_summary summary;
    const struct compare_axis axis = {0};
    struct compare_policy policy = compare_policy_default;
    policy.first_seen = COMPARE_FIRST_IGNORED;
    compare_across_others(each, &others);
    assert_true(compare_across_pairs(each, &pairs, NULL));
    const size_t count = compare_pair_results(&others, each, &pairs, &axis, NULL, 0, &entries);
    assert_int_equal(count, pairs.count * each->model.result_count / each->model.device_count);
    compare_judge(entries, count, &policy, &summary);
    bool differs[16] = {false};
    for (size_t i = 0; i < count; i++)
        if (entries[i].verdict == COMPARE_REGRESSION || entries[i].verdict == COMPARE_IMPROVEMENT)
            differs[pairs.items[entries[i].pair].b] = true;
    for (size_t d = 0; d < each->model.device_count; d++)
        odd[d] += differs[d];
    compare_entries_free(entries, count);
}

// In how many farms any device differs; of each device in how many.
static unsigned count_farms(const struct farm *farm, uint64_t seed, unsigned *odd)
{
    struct lit_random random = {seed};
    unsigned any = 0;
    memset(odd, 0, 16 * sizeof *odd);
    for (int i = 0; i < FARMS; i++) {
        OWNED(compare_side_clear) struct compare_side each;
        unsigned here[16] = {0}, sum = 0;
        make(farm, &random, &each);
        judge(&each, here);
        for (size_t d = 0; d < farm->devices; d++) {
            odd[d] += here[d];
            sum += here[d];
        }
        any += sum > 0;
    }
    return any;
}

TEST(alike)
{
    static const struct farm farms[] = {
        {.devices = 2, .configurations = 20, .runs = 300, .rate = 0.3},
        {.devices = 3, .configurations = 15, .runs = 300, .rate = 0.1},
        {.devices = 8, .configurations = 10, .runs = 200, .rate = 0.3},
        {.devices = 8, .configurations = 5, .runs = 400, .rate = 0.005},
        // Runs that do not fail by themselves: the batches say so.
        {.devices = 6, .configurations = 6, .runs = 200, .rate = 0.2, .bunching = 0.5},
    };
    for (size_t i = 0; i < sizeof farms / sizeof farms[0]; i++) {
        unsigned odd[16];
        const unsigned any = count_farms(&farms[i], i + 1, odd);
        if (any > MOST_FALSE)
            fail_msg("farm %zu: %u of %d are told apart, and all are alike", i, any, FARMS);
    }
}

TEST(one_is_bad)
{
    static const struct {
        struct farm farm;
        unsigned least; // farms of FARMS in which it is named
    } rows[] = {
        {{.devices = 6, .configurations = 5, .runs = 400, .rate = 0, .bad = 0.03, .bads = 1}, 57},
        {{.devices = 6, .configurations = 5, .runs = 400, .rate = 0.1, .bad = 0.25, .bads = 1}, 57},
        {{.devices = 3, .configurations = 5, .runs = 400, .rate = 0.02, .bad = 0.3, .bads = 1}, 57},
        // Neither hides the other.
        {{.devices = 6, .configurations = 5, .runs = 400, .rate = 0, .bad = 0.3, .bads = 2}, 57},
        // Fails less often: a device that does not what it is to do is odd, too.
        {{.devices = 6, .configurations = 5, .runs = 400, .rate = 0.3, .bad = 0.1, .bads = 1}, 57},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned odd[16];
        const size_t good = rows[i].farm.devices - rows[i].farm.bads;
        count_farms(&rows[i].farm, 100 + i, odd);
        for (size_t d = good; d < rows[i].farm.devices; d++)
            if (odd[d] < rows[i].least)
                fail_msg("row %zu: bad device %zu is found in %u of %d", i, d, odd[d], FARMS);
        // The others have it among theirs, which must not make them odd.
        for (size_t d = 0; d < good; d++)
            if (odd[d] > MOST_FALSE)
                fail_msg("row %zu: good device %zu is named in %u of %d", i, d, odd[d], FARMS);
    }
}

// Devices of other kinds, other modules and results of stopping rules are not put together.
TEST(what_is_comparable)
{
    const struct farm farm = {.devices = 4, .configurations = 1, .runs = 100, .rate = 0.5};
    struct lit_random random = {5};
    struct compare_side each, others;
    struct compare_pairs pairs;
    make(&farm, &random, &each);
    snprintf(each.model.devices[3].facts.driver_version, 8, "2");
    compare_across_others(&each, &others);
    assert_int_equal(others.model.result_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(others.model.results[i].runs, 200);
    assert_true(compare_across_pairs(&each, &pairs, NULL));
    assert_int_equal(pairs.count, 3);
    assert_int_equal(pairs.alone_b, 1);
    compare_pairs_clear(&pairs);
    compare_side_clear(&others);

    free(each.model.results[0].sha256);
    each.model.results[0].sha256 = lit_strdup("other");
    compare_across_others(&each, &others);
    assert_int_equal(others.model.result_count, 2);
    assert_int_equal(others.model.results[0].runs, 100);
    compare_side_clear(&others);

    // Of two of a kind both directions are the same test.
    free(each.model.results[1].rule);
    each.model.results[1].rule = lit_strdup("width 0.1");
    snprintf(each.model.devices[0].facts.driver_version, 8, "3");
    compare_across_others(&each, &others);
    assert_int_equal(others.model.result_count, 0);
    assert_true(compare_across_pairs(&each, &pairs, NULL));
    assert_int_equal(pairs.count, 1);
    assert_int_equal(pairs.items[0].b, 2);
    compare_pairs_clear(&pairs);
    compare_side_clear(&others);
    compare_side_clear(&each);
}
