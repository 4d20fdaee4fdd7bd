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

#define CHECK_EQUAL  0
#define CHECK_TAG    1
#define CHECK_MASK   2
#define CHECK_CHOICE 3

//<configuration>
// An example, so that this file compiles as it is: `litmus repro` writes what stands between the
// marks.
#ifndef CHECK
#define CHECK CHECK_EQUAL
#define FAILS 0xfffeu
#endif
#define MAY_DIFFER     0
#define NAME           "example"
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
#define STRIDE         (CHECK < CHECK_MASK ? 1u : 4u)
#define EXPECTED_WORDS (UNITS * WORDS_PER_UNIT * STRIDE)
#define DETERMINISTIC  false
#define VENDOR         0x10005u
#define DEVICE         0u
#define DEVICE_UUID    "00000000000000000000000000000000"
#define DRIVER_UUID    "00000000000000000000000000000000"
#define DRIVER_INFO    "example"
static const uint32_t spec_ids[] = {0}, spec_values[] = {64};
static const char *const outcome_names[16] = {"right", "never written"};
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

#define POISON        0xC0DEDEADu // every word of the output, before each run
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

enum { RIGHT = 0, NEVER_WRITTEN = 1, VARIED = 14, NO_PROGRESS = 15 };

static bool fails(uint32_t outcome)
{
    return FAILS >> outcome & 1u;
}

// What a word is that is not the one that was wanted, and not the poison.
#if CHECK == CHECK_EQUAL
static uint32_t classify_other(uint32_t got, const uint32_t *expected)
{
    (void)expected;
    return got == 0 ? 2 : 3; // zero, or wrong
}
#elif CHECK == CHECK_TAG
// A tag is 0x5A000000 | iteration << 8 | lane: whose value it is.
static uint32_t classify_other(uint32_t got, const uint32_t *expected)
{
    const uint32_t want = expected[0];
    if (got == 0)
        return 2;
    if (got >> 16 != 0x5A00)
        return 3; // no tag at all
    if (want >> 16 != 0x5A00 || (got & 0xff) != (want & 0xff))
        return 4; // of another lane
    const int behind = (int)(want >> 8 & 0xff) - (int)(got >> 8 & 0xff);
    const uint32_t distance = (uint32_t)abs(behind);
    return (behind > 0 ? 5u : 9u) + (distance > 4 ? 4 : distance) - 1; // stale, or ahead, by 1 ...
}
#elif CHECK == CHECK_MASK
// expected is {mask, also allowed, has to be within it, has to be around it}.
static uint32_t classify_other(uint32_t got, const uint32_t *expected)
{
    if (got == expected[1] || ((got & expected[2]) == expected[2] && !(got & ~expected[3])))
        return 2; // allowed
    if (got == 0)
        return 3; // empty
    if ((got & expected[0]) == got)
        return 4; // split
    if ((got & expected[0]) == expected[0])
        return 5; // merged
    return 6;     // other lanes
}
#elif CHECK == CHECK_CHOICE
// expected is what an observation may be: up to four words, each with a name of its own.
static uint32_t classify_other(uint32_t got, const uint32_t *expected)
{
    for (uint32_t i = 1; i < 4; i++)
        if (got == expected[i])
            return i + 1;
    return 5; // none of them
}
#endif // CHECK

static uint32_t classify(uint32_t got, const uint32_t *expected)
{
    if (got == expected[0])
        return RIGHT;
    return got == POISON ? NEVER_WRITTEN : classify_other(got, expected);
}

struct tally {
    uint64_t runs, failed_runs, expired_runs, shown;
    bool first_run_failed;
    uint64_t outcomes[16]; // of checked units
    bool has_digest;       // of a correct run of this pipeline
    uint32_t digest;
};

static void show_failure(struct tally *tally, uint64_t run, uint64_t unit, uint64_t word,
                         uint32_t outcome, uint32_t got, uint32_t want)
{
    if (tally->shown++ < MOST_SHOWN)
        printf("run %" PRIu64 ", unit %" PRIu64 ", word %" PRIu64 ": %s, got 0x%08" PRIx32
               ", want 0x%08" PRIx32 "\n",
               run + 1, unit, word, outcome_names[outcome] ? outcome_names[outcome] : "?", got,
               want);
}

// The outcome of a checked unit is that of its first failing word; else that of its first word that
// is not right; else right. Returns how many units failed; *digest is one of all words.
static uint64_t judge_units(struct tally *tally, const uint32_t *output, const uint32_t *expected,
                            uint64_t run, uint64_t outcomes[16], uint32_t *digest)
{
    uint64_t failed = 0;
    for (uint64_t unit = 0; unit < UNITS; unit++) {
        uint32_t outcome = RIGHT;
        for (uint64_t word = 0; word < WORDS_PER_UNIT; word++) {
            const uint64_t index = unit * WORDS_PER_UNIT + word;
            const uint32_t got = output[index], *want = &expected[index * STRIDE];
            *digest += (got + 0x9E3779B9u * (uint32_t)(index + 1)) * 0x85EBCA6Bu;
            if (fails(outcome))
                continue;
            const uint32_t found = classify(got, want);
            if (outcome == RIGHT || fails(found))
                outcome = found;
            if (fails(found))
                show_failure(tally, run, unit, word, found, got, want[0]);
        }
        outcomes[outcome]++;
        failed += fails(outcome);
    }
    return failed;
}

// Judges what a run left: its output, then word 0 of the state.
static void judge_run(struct tally *tally, const uint32_t *slot, const uint32_t *expected,
                      uint64_t run)
{
    const uint32_t state = slot[OUTPUT_WORDS];
    tally->runs++;
    // A bounded wait in the shader ran out: nobody promises progress, so this run says nothing.
    if (state != 0 && state != POISON) {
        tally->expired_runs++;
        tally->outcomes[NO_PROGRESS] += UNITS;
        return;
    }
    uint64_t outcomes[16] = {0};
    uint32_t digest = 0;
    uint64_t failed = judge_units(tally, slot, expected, run, outcomes, &digest);
    if (DETERMINISTIC && !failed && tally->has_digest && digest != tally->digest) {
        uint32_t good = RIGHT;
        for (uint32_t i = 0; i < 16; i++)
            if (!fails(i) && outcomes[i] > outcomes[good])
                good = i;
        outcomes[good]--;
        outcomes[VARIED]++;
        failed++;
        show_failure(tally, run, 0, 0, VARIED, digest, tally->digest);
    } else if (DETERMINISTIC && !failed) {
        tally->has_digest = true;
        tally->digest = digest;
    }
    for (uint32_t i = 0; i < 16; i++)
        tally->outcomes[i] += outcomes[i];
    tally->failed_runs += failed != 0;
    if (failed && run == 0)
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
    for (uint32_t i = 0; i < 16; i++)
        if (tally->outcomes[i])
            printf("%12" PRIu64 " %c %s\n", tally->outcomes[i],
                   fails(i) && i != NO_PROGRESS ? '*' : ' ',
                   outcome_names[i] ? outcome_names[i] : "?");
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
