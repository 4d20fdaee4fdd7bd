// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `cases`, in C or as formulas, against each kernel played through lane
// by lane, as its comments tell it; and corrupted outputs, which they catch.
#include "unit.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCALE 3u

static const uint32_t sizes[] = {4, 32, 64, 128};

// A case with its input and expectation.
struct made {
    struct cat_args args;
    struct cat_shape shape;
    uint32_t *input, *expected;
};

// What invocation `place` should store: asserts it.
typedef void inspect(const struct made *made, uint64_t place);

struct job {
    const struct cat_oracle *oracle;
    inspect *inspect;
    size_t checked;
};

// The words of the invocation's subgroup, and its lane.
static const uint32_t *words_of(const struct made *made, uint64_t place, uint32_t *lane)
{
    *lane = (uint32_t)(place % made->args.subgroup);
    return made->input + place - *lane;
}

static void catches(const struct cat_oracle *oracle, const struct made *made, uint64_t words)
{
    uint32_t *output = lit_alloc(words, sizeof *output);
    memcpy(output, made->expected, words * sizeof *output);
    for (uint64_t word = 0; word <= words; word += words / 7 + 1) {
        const bool intact = word == 0;
        const uint64_t at = words - 1 - word % words;
        output[at] ^= intact ? 0 : 1;
        struct cat_run run = {0};
        struct cat_failure failure;
        size_t count = 0;
        cat_mode_check(&(struct cat_mode){.check = oracle->check}, &made->shape, output,
                       made->expected, 0, &run, &failure, 1, &count);
        assert_int_equal(run.failed, !intact);
        output[at] = made->expected[at];
    }
    free(output);
}

static void check(const struct cat_case *which, void *user)
{
    struct job *job = user;
    struct made made = {.args = {.subgroup = which->subgroup, .scale = SCALE, .which = which}};
    made.args.workgroup = cat_value(&made.args, "workgroup");
    struct lit_error error;
    if (made.args.workgroup % made.args.subgroup ||
        !cat_oracle_shape(job->oracle, &made.args, &made.shape, &error))
        return;
    const uint64_t words = made.shape.instances * made.shape.words_per_instance;
    assert_int_equal(made.shape.workgroups, SCALE);
    made.input = lit_alloc(made.shape.input_words, sizeof(uint32_t));
    made.expected = lit_alloc(words, sizeof(uint32_t));
    cat_oracle_input(job->oracle, &made.args, &made.shape, 7, made.input);
    cat_oracle_expect(job->oracle, &made.args, &made.shape, made.input, made.expected);
    for (uint64_t place = 0; place < (uint64_t)SCALE * made.args.workgroup; place++)
        job->inspect(&made, place);
    catches(job->oracle, &made, words);
    free(made.input);
    free(made.expected);
    job->checked++;
}

static void check_all(const char *name, inspect *inspect)
{
    const struct cat_test *test = cat_test_find(name);
    assert_non_null(test);
    struct job job = {.oracle = test->oracle, .inspect = inspect};
    assert_non_null(job.oracle);
    const size_t count = unit_sampled() ? 2 : sizeof sizes / sizeof *sizes;
    for (size_t s = 0; s < count; s++)
        cat_test_each(test, sizes[s], check, &job);
    assert_true(job.checked >= 2);
}

// ---- exchanges

static void inspect_index(const struct made *made, uint64_t place)
{
    uint32_t lane;
    const uint32_t *words = words_of(made, place, &lane), index = words[lane] & 0xff;
    assert_true(index < made->args.subgroup);
    assert_int_equal(index, made->input[0] & 0xff);
    const bool lanes = cat_axis_is(&made->args, "value", "lane");
    assert_int_equal(made->expected[place], lanes ? index : words[index]);
}

static void inspect_guarded(const struct made *made, uint64_t place)
{
    uint32_t lane;
    const uint32_t *words = words_of(made, place, &lane);
    const bool enters =
        place / made->args.workgroup == 0 || cat_axis_is(&made->args, "guard", "none");
    assert_int_equal(made->expected[place], enters ? words[1] : 0);
}

static void inspect_adds(const struct made *made, uint64_t place)
{
    uint32_t lane;
    const uint32_t *words = words_of(made, place, &lane);
    float narrow = 0;
    double wide = 0;
    for (uint32_t other = 0; other < made->args.subgroup; other++) {
        if (other == lane)
            continue;
        const float difference = (float)words[other] - (float)words[lane];
        narrow += difference * difference;
        wide += (double)difference * difference;
    }
    assert_true((double)narrow == wide);
    if (cat_axis_is(&made->args, "width", "32")) {
        assert_int_equal(made->expected[place] - CAT_POISON, (uint32_t)narrow);
        return;
    }
    const uint64_t sum = (uint64_t)made->expected[2 * place + 1] << 32 | made->expected[2 * place];
    assert_true(sum - 0xC0DEDEADC0DEDEADull == (uint64_t)wide);
}

static double half_value(uint32_t half)
{
    const int exponent = half >> 10 & 31;
    const double fraction = (half & 0x3ff) / 1024.0;
    assert_int_equal(half >> 15, 0);
    return exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14);
}

static void inspect_halves(const struct made *made, uint64_t place)
{
    uint32_t lane;
    const uint32_t *words = words_of(made, place, &lane), stored = made->expected[place];
    if (cat_axis_is(&made->args, "consumer", "branch") && lane % 4) {
        assert_int_equal(stored, CAT_POISON);
        return;
    }
    const uint32_t sources[4] = {lane, lane ^ 1, lane ^ 2, lane ^ 3};
    double sum = 0;
    uint16_t narrow = 0;
    for (int i = 0; i < 4; i++) {
        narrow = (uint16_t)(narrow + words[sources[i]]);
        if (cat_axis_is(&made->args, "number", "half"))
            sum += half_value(words[sources[i]] & 0xffff);
    }
    if (cat_axis_is(&made->args, "number", "half"))
        assert_true(half_value(stored) == sum);
    else
        assert_int_equal(stored, narrow);
}

static void inspect_indices(const struct made *made, uint64_t place)
{
    uint32_t lane;
    const uint32_t *words = words_of(made, place, &lane), *stored = made->expected + 3 * place;
    const uint32_t four = lane / 4 * 4, rank = lane % 4;
    assert_int_equal(stored[0], words[2]);
    assert_int_equal(stored[1], words[four + (rank + 1) % 4] + words[four + (rank + 3) % 4]);
    const uint32_t mixed = rank == 0 ? 2 : rank == 1 ? 3 : rank == 2 ? 1 : 0;
    assert_int_equal(stored[2], words[four + mixed]);
}

static void inspect_far(const struct made *made, uint64_t place)
{
    uint32_t lane;
    const uint32_t *words = words_of(made, place, &lane), mask = cat_value(&made->args, "mask");
    assert_int_equal(made->shape.elements, mask);
    assert_int_equal(made->expected[place], words[lane ^ mask]);
}

static void inspect_parties(const struct made *made, uint64_t place)
{
    uint32_t lane, lowest = 0;
    const uint32_t *words = words_of(made, place, &lane);
    if (words[lane] % 2 == 0) {
        assert_int_equal(made->expected[place], CAT_POISON);
        return;
    }
    while (words[lowest] % 2 == 0)
        lowest++;
    assert_int_equal(made->expected[place], words[lowest]);
}

static void inspect_reduces(const struct made *made, uint64_t place)
{
    uint32_t lane, found = 0;
    const uint32_t *words = words_of(made, place, &lane), *stored = made->expected + 2 * place;
    if (words[lane] % 2 == 0) {
        assert_int_equal(stored[0], CAT_POISON);
        assert_int_equal(stored[1], CAT_POISON);
        return;
    }
    for (uint32_t other = 0; other < made->args.subgroup; other++) {
        if (words[other] % 2 == 0)
            continue;
        assert_in_range(words[other], stored[0], stored[1]);
        found |= (words[other] == stored[0]) | (uint32_t)(words[other] == stored[1]) << 1;
    }
    assert_int_equal(found, 3);
}

static void exchanges_give_what_the_source_holds(void **state)
{
    (void)state;
    check_all("cases.mesa-12927", inspect_index);
    check_all("cases.igc-396", inspect_guarded);
    check_all("cases.igc-397", inspect_adds);
    check_all("cases.igc-402", inspect_halves);
    check_all("cases.offload-test-suite-480", inspect_indices);
    check_all("cases.moltenvk-2750", inspect_far);
    check_all("cases.vkd3d-proton-1649", inspect_parties);
    check_all("cases.dolphin-9783", inspect_reduces);
}

// ---- control flow

// The loop of turns, played with a set of the lanes that are in it.
static void inspect_turns(const struct made *made, uint64_t place)
{
    uint32_t lane, iterations = 0, companions = 0;
    const uint32_t *words = words_of(made, place, &lane);
    bool had_turn[128] = {false};
    while (!had_turn[lane]) {
        uint32_t lowest = 0;
        while (had_turn[lowest])
            lowest++;
        companions = 0;
        iterations++;
        for (uint32_t other = 0; other < made->args.subgroup; other++)
            if (!had_turn[other] && words[other] == words[lowest]) {
                had_turn[other] = true;
                companions++;
            }
    }
    assert_int_equal(made->expected[2 * place], iterations);
    assert_int_equal(made->expected[2 * place + 1], companions);
}

static void inspect_asks(const struct made *made, uint64_t place)
{
    uint32_t lane, turns = 0, sum = 0;
    const uint32_t *words = words_of(made, place, &lane);
    bool left[128] = {false};
    for (;; turns++) {
        uint32_t lowest = 0;
        while (left[lowest])
            lowest++;
        for (uint32_t other = made->args.subgroup; other-- > 0;)
            left[other] = left[other] || words[other] == words[lowest];
        if (left[lane])
            break;
        uint32_t next = 0;
        while (left[next])
            next++;
        sum = sum * 31 + words[next];
    }
    assert_int_equal(made->expected[2 * place], turns);
    assert_int_equal(made->expected[2 * place + 1], sum);
}

static void inspect_counts(const struct made *made, uint64_t place)
{
    uint32_t made_so_far = made->input[place], iterations = 0;
    while (iterations < cat_value(&made->args, "iterations") + (made->input[place] & 7)) {
        made_so_far = made_so_far * 1664525u + 1013904223u;
        iterations++;
    }
    assert_int_equal(made->expected[2 * place], iterations);
    assert_int_equal(made->expected[2 * place + 1], made_so_far);
}

static void inspect_peels(const struct made *made, uint64_t place)
{
    assert_int_equal(made->expected[place], 1);
}

static void inspect_elects(const struct made *made, uint64_t place)
{
    uint32_t lane, lower = 0;
    const uint32_t *words = words_of(made, place, &lane);
    assert_in_range(words[lane], 0, 2);
    for (uint32_t other = 0; other < lane; other++)
        lower += words[other] == words[lane];
    assert_int_equal(made->expected[2 * place], lower == 0);
    assert_int_equal(made->expected[2 * place + 1], lane == 0);
}

static void loops_and_switches_go_their_way(void **state)
{
    (void)state;
    check_all("cases.amdvlk-138", inspect_turns);
    check_all("cases.llpc-426", inspect_asks);
    check_all("cases.wgpu-7319", inspect_counts);
    check_all("cases.offload-test-suite-520", inspect_peels);
    check_all("cases.offload-test-suite-320", inspect_elects);
}

// ---- memory

static void inspect_carries(const struct made *made, uint64_t place)
{
    const uint32_t width = made->args.workgroup;
    const uint64_t group = (place / width + 1) % SCALE;
    assert_int_equal(made->shape.elements, SCALE * width);
    assert_int_equal(made->shape.state_words, 1 + 2 * SCALE * width);
    assert_int_equal(made->expected[place], made->input[group * width + place % width]);
}

// Two places of a row for each invocation. Each pair is one of the input, and greater than the one
// before; so all are there.
static void inspect_sorts(const struct made *made, uint64_t place)
{
    const uint32_t width = made->args.workgroup;
    const uint32_t *row = made->input + place / width * 2 * width;
    for (uint64_t at = 2 * place; at < 2 * place + 2; at++) {
        const uint32_t *pair = made->expected + 2 * at;
        assert_true(pair[1] < 2 * width);
        assert_int_equal(pair[0], row[pair[1]]);
        if (at % (2 * width))
            assert_true(pair[-2] < pair[0] || (pair[-2] == pair[0] && pair[-1] < pair[1]));
    }
}

// The scan's additions, in floats, from the first to the own element.
static void inspect_scans(const struct made *made, uint64_t place)
{
    const uint64_t first = place - place % made->args.workgroup;
    float sum[11] = {0};
    uint32_t high = 0;
    for (uint64_t i = first; i <= place; i++) {
        float four[4];
        for (int k = 0; k < 4; k++)
            four[k] = (float)(made->input[i] >> 4 * k & 15);
        const float element[11] = {four[0], four[1], four[2], four[3], four[0], four[1],
                                   four[3], four[2], four[1], four[0], four[2]};
        for (int k = 0; k < 11; k++)
            sum[k] += element[k];
        high += made->input[i] >> 16;
    }
    for (int k = 0; k < 11; k++)
        assert_int_equal(made->expected[12 * place + (uint64_t)k], (uint32_t)sum[k]);
    assert_int_equal(made->expected[12 * place + 11], high);
}

// The top is that of the last push that nothing popped: found from behind.
static void inspect_stacks(const struct made *made, uint64_t place)
{
    const uint32_t own = made->input[place], *stored = made->expected + 6 * place;
    uint32_t depth[13] = {0}, number[13] = {own};
    for (uint32_t bit = 0; bit < 12; bit++) {
        const bool pushes = own >> bit & 1;
        depth[bit + 1] = pushes ? depth[bit] + 1 : depth[bit] ? depth[bit] - 1 : 0;
        number[bit + 1] = number[bit] * 1664525u + 1013904223u;
    }
    for (uint32_t bit = 12; bit-- > 0;)
        if (own >> bit & 1 && depth[bit] + 1 == depth[12]) {
            const uint32_t next = number[bit + 1];
            const uint32_t top[6] = {next, next + next, next ^ UINT32_MAX,
                                     bit,  number[bit], depth[bit]};
            assert_memory_equal(stored, top, sizeof top);
            return;
        }
    for (int k = 0; k < 6; k++)
        assert_int_equal(stored[k], 0);
}

static void memory_holds_what_was_stored(void **state)
{
    (void)state;
    check_all("cases.acceleratedkernels-98", inspect_carries);
    check_all("cases.llama-cpp-28975", inspect_sorts);
    check_all("cases.vello-10-nv-bug-3", inspect_scans);
    check_all("cases.vello-10-nv-crash-1", inspect_stacks);
}

// ---- the skipped reduction: who gives a result, by the branch's condition; then each operation by
// another way than the oracle's

static bool takes_branch(const struct made *made, uint32_t subgroup)
{
    const char *branch = cat_axis(&made->args, "branch");
    const uint32_t count = made->args.workgroup / made->args.subgroup;
    if (!strcmp(branch, "none") || !strcmp(branch, "workgroup"))
        return true;
    if (!strcmp(branch, "last"))
        return subgroup + 1 == count;
    return !strcmp(branch, "even") ? subgroup % 2 == 0 : subgroup == 0;
}

static uint32_t bitwise(const char *op, const uint32_t *words, uint32_t count)
{
    uint32_t result = 0;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t ones = 0, of_own_lane = 0;
        for (uint32_t i = 0; i < count; i++) {
            ones += words[i] >> bit & 1;
            of_own_lane += i % 32 == bit && words[i] >> bit & 1;
        }
        const bool set = !strcmp(op, "and")  ? ones == count
                         : !strcmp(op, "or") ? of_own_lane > 0
                                             : ones % 2 == 1;
        result |= (uint32_t)set << bit;
    }
    return result;
}

// The least or largest: that which no other is beyond.
static uint32_t extreme(const char *op, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool beyond = false;
        for (uint32_t k = 0; k < count; k++) {
            const int64_t mine = op[0] == 's' ? (int32_t)words[i] : (int64_t)words[i];
            const int64_t other = op[0] == 's' ? (int32_t)words[k] : (int64_t)words[k];
            beyond |= !strcmp(op + 1, "min") ? other < mine : other > mine;
        }
        if (!beyond)
            return words[i];
    }
    return 0;
}

static uint32_t operated(const char *op, const uint32_t *words, uint32_t count, uint32_t lane)
{
    uint64_t sum = 0, product = 1, before = 0, small = 0;
    uint32_t mask = 0, rare = 0;
    for (uint32_t i = 0; i < count; i++) {
        before += i < lane ? words[i] : 0;
        sum += words[i];
        product = product * words[i] & UINT32_MAX;
        small += words[i] % 256;
        rare += words[i] < 1u << 27;
        mask |= i < 32 && words[i] < 1u << 27 ? 1u << i : 0;
    }
    const struct {
        const char *op;
        uint32_t value;
    } values[] = {
        {"add", (uint32_t)sum},
        {"atomic-add", (uint32_t)sum},
        {"mul", (uint32_t)product},
        {"fadd", (uint32_t)small},
        {"exclusive-add", (uint32_t)before},
        {"inclusive-add", (uint32_t)before + words[lane]},
        {"ballot", mask},
        {"any", rare > 0},
        {"all-equal", rare == 0 || rare == count},
        {"elect", lane == 0},
        {"broadcast-first", words[0]},
        {"shuffle", words[lane % 2 ? lane - 1 : lane + 1]},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!strcmp(values[i].op, op))
            return values[i].value;
    return strstr(op, "min") || strstr(op, "max") ? extreme(op, words, count)
                                                  : bitwise(op, words, count);
}

static void inspect_reduction(const struct made *made, uint64_t place)
{
    const uint32_t width = made->args.workgroup, size = made->args.subgroup;
    const uint32_t own = (uint32_t)(place % width) / size;
    uint32_t lane = (uint32_t)(place % size), from = own, sum = 0;
    if (cat_axis_is(&made->args, "result", "elected"))
        lane = 0;
    // Another subgroup's where the own does not take the branch: the one before, or the only one.
    while (from > 0 && !takes_branch(made, from))
        from--;
    while (!takes_branch(made, from))
        from++;
    const uint32_t *words = made->input + (place - place % width) + from * size;
    uint32_t want = operated(cat_axis(&made->args, "op"), words, size, lane);
    if (cat_axis_is(&made->args, "result", "value") && !takes_branch(made, own))
        want = made->input[place];
    const char *kind = cat_axis(&made->args, "kind");
    const bool bounds = kind[0] == 'b', again = bounds || strstr(kind, "-readonly");
    if (again && !takes_branch(made, own))
        want += made->input[place];
    assert_int_equal(made->expected[2 * place], want);
    const uint32_t bools = (uint32_t)strtoul(cat_axis(&made->args, "bools"), NULL, 10);
    uint32_t held = 0;
    for (uint32_t i = bools; i-- > 0;) {
        const uint64_t at = place + 1 + 32ull * i;
        assert_true(at < made->shape.input_words);
        const uint64_t tested = kind[0] == 'p' ? i : kind[0] == 'w' ? made->input[at] : at;
        const bool holds = tested < made->shape.elements;
        held += holds;
        if (holds && bounds)
            sum += 2 * i + 1;
        else if (holds)
            sum += made->input[at] * (2 * i + 1) + (again ? want : made->input[at]);
    }
    assert_int_equal(made->expected[2 * place + 1], sum);
    const uint32_t inside = cat_value(&made->args, "inside");
    if (inside != 50)
        assert_int_equal(held, inside ? bools : 0);
    assert_int_equal(cat_axis_is(&made->args, "branch", "push") && made->shape.elements % 2, 0);
}

static void reductions_are_whole(void **state)
{
    (void)state;
    check_all("cases.nvidia-skipped-reduction", inspect_reduction);
}

static void a_failing_word_is_located(void **state)
{
    (void)state;
    const struct cat_args args = {.subgroup = 32, .workgroup = 128, .scale = SCALE};
    struct cat_shape shape = {.workgroups = SCALE, .instances = 12, .words_per_instance = 96};
    const struct cat_failure failure = {.instance = 6, .word = 3 * 31 + 2};
    const struct cat_oracle *oracle = cat_oracle_find("formula.subgroup");
    char text[128];
    cat_oracle_where(oracle, &args, &shape, &failure, text, sizeof text);
    assert_string_equal(text, "lane 31, result 2, subgroup 2 of workgroup 1");
    oracle = cat_oracle_find("cases.vello-10-nv-bug-3");
    shape.instances = SCALE;
    shape.words_per_instance = 12 * 128;
    const struct cat_failure other = {.instance = 2, .word = 12 * 100 + 5};
    cat_oracle_where(oracle, &args, &shape, &other, text, sizeof text);
    assert_string_equal(text, "invocation 100, result 5, workgroup 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanges_give_what_the_source_holds),
        cmocka_unit_test(loops_and_switches_go_their_way),
        cmocka_unit_test(memory_holds_what_was_stored),
        cmocka_unit_test(reductions_are_whole),
        cmocka_unit_test(a_failing_word_is_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
