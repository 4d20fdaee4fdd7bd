// SPDX-License-Identifier: Apache-2.0
// Runs one test many times on one Vulkan device and counts how often it fails: the dispatches
// that litmus made, with the same data, seeds and rules, in one file. README.md says what the test
// asks, test.spvasm is the shader.
//
// Needs the Vulkan headers and the loader; `make run` builds and runs it. The files test.spv,
// input.bin and expected.bin (32-bit words, little-endian) are read from the current folder.
#include <vulkan/vulkan.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The configuration

//<configuration>
// An example, so that this file compiles as it is: `litmus repro` writes what stands between the
// marks.
#define MAY_DIFFER 0
#define NAME       "example"
#define MODE                                                                                       \
    {                                                                                              \
        CAT_CHECK_EQUAL,                                                                           \
        {                                                                                          \
            {""}, 0                                                                                \
        }                                                                                          \
    }
#define RUNS           UINT64_C(20)
#define FIRST_RUN      UINT64_C(0)
#define STREAM         UINT64_C(0x5eed)
#define FIXED_SEED     false
#define SUBGROUP_SIZE  8u
#define WORKGROUP_SIZE 64u
#define FROM_FILE      false
#define SEEDED         true
#define INPUT_WORDS    UINT64_C(64)
#define STATE_WORDS    UINT64_C(1)
#define UNITS          UINT64_C(8)
#define WORDS_PER_UNIT UINT64_C(8)
#define STRIDE         1u
#define EXPECTED_WORDS (UNITS * WORDS_PER_UNIT * STRIDE)
#define DETERMINISTIC  false
#define VENDOR         0x10005u
#define DEVICE         0u
#define DEVICE_UUID    "00000000000000000000000000000000"
#define DRIVER_UUID    "00000000000000000000000000000000"
#define DRIVER_INFO    "example"
static const uint32_t spec_ids[] = {0}, spec_values[] = {64};
#define PARTS 1u
#define SETS  1u
static const struct {
    const char *module, *entry;
    bool full;
    uint32_t subgroup, push_bytes, first_spec, specs;
} parts[] = {{NULL, "main", true, 8, 32, 0, 1}};
static const struct {
    uint32_t part, set, binding, element;
    bool uniform;
    char region;
    uint64_t first, words;
} bindings[] = {{0, 0, 0, 0, false, 'i', 0, 0}, {0, 0, 1, 0, false, 'o', 0, 0}};
#define PUSH_BYTES 32u
static const struct {
    uint32_t part, groups[3];
    uint8_t push[PUSH_BYTES + 1];
} steps[] = {{0, {1, 1, 1}, {0}}};
#define NEEDS UINT64_C(1)
static const struct {
    uint32_t bit;
    const char *name;
} needs[] = {{0, "VK_SUBGROUP_FEATURE_BASIC_BIT"}};
//</configuration>

#define OUTPUT_WORDS  (UNITS * WORDS_PER_UNIT)
#define PIPELINE_RUNS 500u                 // then the pipeline is compiled anew
#define SLOT_WORDS    (OUTPUT_WORDS + 1)   // that a run leaves: output, word 0 of state
#define MOST_BATCH    16u                  // runs in one submission
#define BATCH_BYTES   (UINT64_C(16) << 20) // but no more than fit in here, or one
#define TIMEOUT       (UINT64_C(60) * 1000000000)
#define MOST_SHOWN    16u
#define COUNT(array)  (sizeof(array) / sizeof(array)[0])

// 125, where nothing could be judged, is what `git bisect run` skips.
enum { EXIT_NOT_SEEN = 0, EXIT_SEEN = 1, EXIT_USAGE = 2, EXIT_CANNOT = 125 };

// ---- Judging an output: pure, no Vulkan

#include "model/check.h"

static const struct cat_mode mode = MODE;

struct tally {
    uint64_t runs, failed_runs, expired_runs, shown;
    bool first_run_failed;
    uint64_t outcomes[CAT_OUTCOMES]; // of checked units
    bool has_digest;                 // of a correct run of this pipeline
    uint32_t digest;
};

static const char *name_of(uint32_t outcome)
{
    const char *name = cat_mode_name(&mode, outcome);
    return name ? name : "?";
}

static void show_failure(const struct cat_failure *failure)
{
    printf("run %" PRIu64 ", unit %" PRIu64 ", word %" PRIu64 ": %s, got 0x%08" PRIx32
           ", want 0x%08" PRIx32 "\n",
           failure->run + 1, failure->instance, failure->word, name_of(failure->outcome),
           failure->got, failure->want);
}

// Judges what a run left: its output, then word 0 of the state.
static void judge_run(struct tally *tally, const uint32_t *slot, const uint32_t *expected,
                      uint64_t run)
{
    static const struct cat_shape shape = {.instances = UNITS,
                                           .words_per_instance = WORDS_PER_UNIT};
    struct cat_failure failures[MOST_SHOWN];
    struct cat_run made;
    size_t count = 0;
    const uint32_t state = slot[OUTPUT_WORDS];
    tally->runs++;
    // A bounded wait in the shader ran out: nobody promises progress, so this run says nothing.
    if (state != 0 && state != CAT_POISON) {
        tally->expired_runs++;
        tally->outcomes[CAT_NO_PROGRESS] += UNITS;
        return;
    }
    cat_mode_check(&mode, &shape, slot, expected, run, &made, failures, MOST_SHOWN, &count);
    if (DETERMINISTIC && !made.failed && tally->has_digest && made.digest != tally->digest) {
        uint32_t good = CAT_RIGHT;
        for (uint32_t i = 0; i < CAT_OUTCOMES; i++)
            if (!cat_mode_fails(&mode, i) && made.outcomes[i] > made.outcomes[good])
                good = i;
        made.outcomes[good]--;
        made.outcomes[CAT_VARIED]++;
        made.failed++;
        failures[0] = (struct cat_failure){run, 0, 0, made.digest, tally->digest, CAT_VARIED};
    } else if (DETERMINISTIC && !made.failed) {
        tally->has_digest = true;
        tally->digest = made.digest;
    }
    for (uint64_t i = 0; i < made.failed && tally->shown + i < MOST_SHOWN; i++)
        show_failure(&failures[i]);
    tally->shown += made.failed;
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++)
        tally->outcomes[i] += made.outcomes[i];
    tally->failed_runs += made.failed != 0;
    if (made.failed && run == 0)
        tally->first_run_failed = true;
}

// P(at most k of n) for a rate p >= k / n: the terms fall from k downwards.
static double at_most(uint64_t k, uint64_t n, double p)
{
    const double N = (double)n, K = (double)k;
    double term =
        exp(lgamma(N + 1) - lgamma(K + 1) - lgamma(N - K + 1) + K * log(p) + (N - K) * log1p(-p));
    double sum = 0;
    for (double i = K;; i--) {
        sum += term;
        if (i < 1 || term < sum * 1e-16)
            return sum;
        term *= i * (1 - p) / ((N - i + 1) * p);
    }
}

// The upper end of the 95 % Clopper-Pearson interval of k of n; the lower one is 1 - that of n - k.
static double upper(uint64_t k, uint64_t n)
{
    double low = (double)k / (double)n, high = 1;
    if (k == n)
        return 1;
    if (k == 0)
        return -expm1(log(0.025) / (double)n);
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        *(at_most(k, n, middle) > 0.025 ? &low : &high) = middle;
    }
    return high;
}

static int print_tally(const struct tally *tally)
{
    const uint64_t judged = tally->runs - tally->expired_runs, failed = tally->failed_runs;
    if (tally->shown > MOST_SHOWN)
        printf("... and %" PRIu64 " more\n", tally->shown - MOST_SHOWN);
    printf("\nHistogram of checked units, * marks failures\n");
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++)
        if (tally->outcomes[i])
            printf("%12" PRIu64 " %c %s\n", tally->outcomes[i],
                   cat_mode_fails(&mode, i) && i != CAT_NO_PROGRESS ? '*' : ' ', name_of(i));
    printf("\n%" PRIu64 " of %" PRIu64 " runs failed", failed, judged);
    if (judged && !failed)
        printf(": rate < %.2g (95 %%)\n", upper(0, judged));
    else if (judged && failed == judged && upper(0, judged) < 0.005)
        printf(": rate > 1-%.2g (95 %%)\n", upper(0, judged));
    else if (judged && failed == judged)
        printf(": rate > %.2g (95 %%)\n", 1 - upper(0, judged));
    else if (judged)
        printf(": rate %#.2g [%#.2g, %#.2g] (95 %%), first run: %s\n",
               (double)failed / (double)judged, 1 - upper(judged - failed, judged),
               upper(failed, judged), tally->first_run_failed ? "failed" : "correct");
    else
        printf("\n");
    if (tally->expired_runs)
        printf("%" PRIu64 " more had an expired bounded wait and are inconclusive\n",
               tally->expired_runs);
    return failed ? EXIT_SEEN : judged ? EXIT_NOT_SEEN : EXIT_CANNOT;
}

#include "template_device.c"
