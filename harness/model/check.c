// SPDX-License-Identifier: Apache-2.0
// The checker's rules on the host, as spirv/checker/compare.spvasm implements them on the device.

#include "model/check.h"

#include <assert.h>
#include <string.h>

enum {
    EQUAL_ZERO = 2,
    EQUAL_WRONG = 3,
    TAG_ZERO = 2,
    TAG_NOT_A_TAG = 3,
    TAG_WRONG_LANE = 4,
    TAG_STALE = 5, // by 1; up to 8, by more than 3
    TAG_AHEAD = 9, // by 1; up to 12
    MASK_ALLOWED = 2,
    MASK_EMPTY = 3,
    MASK_SPLIT = 4,
    MASK_MERGED = 5,
    MASK_OTHER = 6,
    CHOICE_SECOND = 2, // alternatives 1 to 3; alternative 0 is CAT_RIGHT
    CHOICE_ELSE = 5,
    STATE_SECOND = 2, // up to 13, then from 16 on
    STATE_UPPER = 16,
};

const char *const cat_check_names[CAT_CHECKS] = {
    [CAT_CHECK_EQUAL] = "equal",   [CAT_CHECK_TAG] = "tag",     [CAT_CHECK_MASK] = "mask",
    [CAT_CHECK_CHOICE] = "choice", [CAT_CHECK_STATE] = "state",
};

static const char *const common_names[CAT_OUTCOMES] = {
    [CAT_RIGHT] = "right",
    [CAT_NEVER_WRITTEN] = "never written",
    [CAT_VARIED] = "varied",
    [CAT_NO_PROGRESS] = "no progress",
};

static const char *const names[CAT_CHECKS][CAT_OUTCOMES] = {
    [CAT_CHECK_EQUAL] = {[EQUAL_ZERO] = "zero", [EQUAL_WRONG] = "wrong"},
    [CAT_CHECK_TAG] = {[TAG_ZERO] = "zero",
                       [TAG_NOT_A_TAG] = "not a tag",
                       [TAG_WRONG_LANE] = "wrong lane",
                       [TAG_STALE] = "stale by 1",
                       [TAG_STALE + 1] = "stale by 2",
                       [TAG_STALE + 2] = "stale by 3",
                       [TAG_STALE + 3] = "stale by more than 3",
                       [TAG_AHEAD] = "ahead by 1",
                       [TAG_AHEAD + 1] = "ahead by 2",
                       [TAG_AHEAD + 2] = "ahead by 3",
                       [TAG_AHEAD + 3] = "ahead by more than 3"},
    [CAT_CHECK_MASK] = {[MASK_ALLOWED] = "allowed",
                        [MASK_EMPTY] = "empty",
                        [MASK_SPLIT] = "split",
                        [MASK_MERGED] = "merged",
                        [MASK_OTHER] = "other lanes"},
};

const char *const cat_expectation_names[CAT_EXPECTATIONS] = {
    [CAT_FORBIDDEN] = "forbidden",
    [CAT_CONTESTED] = "contested",
    [CAT_ASSUMED] = "assumed",
    [CAT_CONTROL] = "control",
};

static const char *const meanings[CAT_EXPECTATIONS] = {
    [CAT_FORBIDDEN] = "the specification excludes the failing outcome: a driver bug",
    [CAT_CONTESTED] = "unspecified: the specification is silent or ambiguous",
    [CAT_ASSUMED] = "relied upon: not guaranteed, but programs depend on it",
    [CAT_CONTROL] = ("positive control: the failing outcome is allowed or certain, and shows that "
                     "the test can trigger it"),
};

const char *cat_expectation_name(enum cat_expectation expectation)
{
    return cat_expectation_names[expectation];
}

const char *cat_expectation_meaning(enum cat_expectation expectation)
{
    return meanings[expectation];
}

enum cat_expectation cat_expectation_named(const char *name)
{
    enum cat_expectation expectation = CAT_FORBIDDEN;
    while (expectation < CAT_EXPECTATIONS && strcmp(name, cat_expectation_names[expectation]) != 0)
        expectation++;
    return expectation;
}

const char *cat_outcome_name(enum cat_check check, uint32_t outcome)
{
    if (outcome >= CAT_OUTCOMES)
        return NULL;
    return common_names[outcome] ? common_names[outcome] : names[check][outcome];
}

bool cat_outcome_fails(enum cat_check check, uint32_t outcome)
{
    return outcome != CAT_RIGHT && !(check == CAT_CHECK_MASK && outcome == MASK_ALLOWED) &&
           (outcome < STATE_UPPER || check == CAT_CHECK_STATE);
}

static bool common_is(uint32_t outcome)
{
    return outcome != CAT_RIGHT && common_names[outcome];
}

// The index of an outcome in a choice's names; -1 if all modes have it.
static int choice_place(const struct cat_mode *mode, uint32_t outcome)
{
    const uint32_t last = mode->check == CAT_CHECK_STATE    ? CAT_OUTCOMES - 1
                          : mode->check == CAT_CHECK_CHOICE ? CHOICE_ELSE
                                                            : 0;
    if (!last || outcome > last || common_is(outcome))
        return -1;
    if (outcome >= STATE_UPPER)
        return (int)(outcome - STATE_UPPER + CAT_VARIED - 1);
    return outcome == CAT_RIGHT ? 0 : (int)outcome - 1;
}

const char *cat_mode_name(const struct cat_mode *mode, uint32_t outcome)
{
    const int place = choice_place(mode, outcome);
    if (place < 0)
        return cat_outcome_name(mode->check, outcome);
    return mode->choice.names[place][0] ? mode->choice.names[place] : NULL;
}

bool cat_mode_fails(const struct cat_mode *mode, uint32_t outcome)
{
    const int place = choice_place(mode, outcome);
    return place < 0 ? cat_outcome_fails(mode->check, outcome) : mode->choice.fails >> place & 1;
}

uint32_t cat_mode_find(const struct cat_mode *mode, const char *name)
{
    uint32_t outcome = 0;
    for (; outcome < CAT_OUTCOMES; outcome++) {
        const char *known = cat_mode_name(mode, outcome);
        if (known && strcmp(known, name) == 0)
            break;
    }
    return outcome;
}

static uint32_t classify_tag(uint32_t got, uint32_t want)
{
    const uint32_t mark = cat_tag(0, 0) >> 16;
    if (got >> 16 != mark)
        return TAG_NOT_A_TAG;
    // A tag where none was wanted comes from a lane that should not have contributed.
    if (want >> 16 != mark || (got & 0xff) != (want & 0xff))
        return TAG_WRONG_LANE;

    const int behind = (int)(want >> 8 & 0xff) - (int)(got >> 8 & 0xff);
    const uint32_t distance = (uint32_t)(behind > 0 ? behind : -behind);
    return (behind > 0 ? TAG_STALE : TAG_AHEAD) + (distance > 4 ? 4 : distance) - 1;
}

static uint32_t classify_mask(uint32_t got, const uint32_t *expected)
{
    const uint32_t want = expected[0], alternative = expected[1];
    const uint32_t lower = expected[2], upper = expected[3];
    if (got == alternative || ((got & lower) == lower && (got & ~upper) == 0))
        return MASK_ALLOWED;
    if (got == 0)
        return MASK_EMPTY;
    if ((got & want) == got)
        return MASK_SPLIT;
    if ((got & want) == want)
        return MASK_MERGED;
    return MASK_OTHER;
}

static uint32_t classify_choice(uint32_t got, const uint32_t *expected)
{
    for (uint32_t i = 1; i < CAT_CHOICES; i++)
        if (got == expected[i])
            return CHOICE_SECOND + i - 1;
    return CHOICE_ELSE;
}

static uint32_t classify_state(uint32_t got)
{
    const uint32_t place = got < CAT_STATES ? got : CAT_STATES;
    const uint32_t outcome = STATE_SECOND + place - 1;
    return outcome < CAT_VARIED ? outcome : outcome - CAT_VARIED + STATE_UPPER;
}

uint32_t cat_classify(enum cat_check check, uint32_t got, const uint32_t *expected)
{
    if (got == expected[0])
        return CAT_RIGHT;
    if (got == CAT_POISON)
        return CAT_NEVER_WRITTEN;
    switch (check) {
    case CAT_CHECK_EQUAL:
        return got == 0 ? EQUAL_ZERO : EQUAL_WRONG;
    case CAT_CHECK_TAG:
        return got == 0 ? TAG_ZERO : classify_tag(got, expected[0]);
    case CAT_CHECK_MASK:
        return classify_mask(got, expected);
    case CAT_CHECK_CHOICE:
        return classify_choice(got, expected);
    case CAT_CHECK_STATE:
        return classify_state(got);
    }
    assert(!"a checking mode that does not exist");
    return EQUAL_WRONG;
}

void cat_mode_check(const struct cat_mode *mode, const struct cat_shape *shape,
                    const uint32_t *output, const uint32_t *expected, uint64_t run,
                    struct cat_run *result, struct cat_failure *failures, size_t capacity,
                    size_t *count)
{
    const size_t stride = cat_check_stride(mode->check);
    *result = (struct cat_run){0};

    for (uint64_t instance = 0; instance < shape->instances; instance++) {
        uint32_t outcome = CAT_RIGHT;
        for (uint64_t word = 0; word < shape->words_per_instance; word++) {
            const uint64_t index = instance * shape->words_per_instance + word;
            const uint32_t got = output[index];
            const uint32_t *want = &expected[index * stride];
            result->digest += (got + 0x9E3779B9u * (uint32_t)(index + 1)) * 0x85EBCA6Bu;
            result->words++;
            if (cat_mode_fails(mode, outcome))
                continue;

            const uint32_t found = cat_classify(mode->check, got, want);
            const bool fails = cat_mode_fails(mode, found);
            if (outcome == CAT_RIGHT || fails)
                outcome = found;
            if (fails && *count < capacity)
                failures[(*count)++] = (struct cat_failure){
                    .run = run,
                    .instance = instance,
                    .word = word,
                    .got = got,
                    .want = want[0],
                    .outcome = found,
                };
        }
        result->outcomes[outcome]++;
        result->failed += cat_mode_fails(mode, outcome);
    }
}
