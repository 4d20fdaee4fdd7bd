// SPDX-License-Identifier: Apache-2.0
// Whether the device-side checker can be trusted on this device: compares its results with
// cat_mode_check on outputs that are right, untouched, or wrong in known places.

#include "device/checking.h"

// Output contents of a trial's runs.
enum content { RIGHT, UNTOUCHED, LAST_WORD_WRONG, SCATTERED, CONTENTS };

// A checker's workgroup covers at least 256 words and 64 instances: sizes are around these
// boundaries; the last words of the last two shapes are the last that an invocation loads at once.
static const struct cat_shape shapes[] = {
    {.instances = 1, .words_per_instance = 1},    {.instances = 1, .words_per_instance = 255},
    {.instances = 1, .words_per_instance = 256},  {.instances = 1, .words_per_instance = 257},
    {.instances = 63, .words_per_instance = 5},   {.instances = 64, .words_per_instance = 4},
    {.instances = 65, .words_per_instance = 1},   {.instances = 130, .words_per_instance = 33},
    {.instances = 7, .words_per_instance = 1031}, {.instances = 1500, .words_per_instance = 3},
    {.instances = 2, .words_per_instance = 1024}, {.instances = 8, .words_per_instance = 1024},
};

// An alternative between allowed ones fails, as does any other value.
static const struct cat_choice alternatives = {
    .names = {"first", "second", "third", "fourth", "something else"},
    .fails = 1u << 2 | 1u << 4,
};

struct trial {
    struct dev *dev;
    struct cat_mode mode;
    struct cat_shape shape;
    size_t words;
    uint32_t *expected;
    uint32_t *outputs; // CONTENTS outputs, consecutive
    struct dev_slots slots;
    struct dev_division division;
    struct dev_buffer source, output, state;
    struct dev_checking checking;
    uint32_t half; // of the checker's buffers
    struct cat_run runs[CONTENTS];
    bool expired[CONTENTS];
    struct dev_batch batch;
};

static void fill_expected(struct trial *trial)
{
    for (size_t i = 0; i < trial->words; i++) {
        const uint32_t word = (uint32_t)i;
        const bool guard = word % 11 == 10;
        const uint32_t mask[4] = {0xFF00, 0xF0F0, 0x3C00, 0xFFF0};
        const uint32_t guard_mask[4] = {CAT_POISON, CAT_POISON, ~0u, 0};
        const uint32_t choice[4] = {word, word ^ 1, word ^ 2, word ^ 3};
        const uint32_t guard_choice[4] = {CAT_POISON, CAT_POISON, CAT_POISON, CAT_POISON};
        switch (trial->mode.check) {
        case CAT_CHECK_EQUAL:
            trial->expected[i] = guard ? CAT_POISON : word * 0x9E3779B9u | 1;
            break;
        case CAT_CHECK_TAG:
            trial->expected[i] = guard ? CAT_POISON : cat_tag(100, word);
            break;
        case CAT_CHECK_MASK:
            memcpy(trial->expected + 4 * i, guard ? guard_mask : mask, sizeof mask);
            break;
        case CAT_CHECK_CHOICE:
            memcpy(trial->expected + 4 * i, guard ? guard_choice : choice, sizeof choice);
            break;
        case CAT_CHECK_STATE: // checked on the host only
            break;
        }
    }
}

static uint32_t wanted(const struct trial *trial, size_t word)
{
    return trial->expected[word * cat_check_stride(trial->mode.check)];
}

// A wrong word. 12 kinds or more cover every outcome of the mode.
static uint32_t corrupt(const struct trial *trial, size_t word, size_t kind)
{
    static const int shifts[] = {-1, -2, -3, -7, 1, 2, 3, 9};
    static const uint32_t masks[] = {0, 0x0100, 0x1FF00, 0x70001, 0xF0F0, 0x3CF0};
    const uint32_t want = wanted(trial, word);
    if (kind % 12 == 0)
        return CAT_POISON;
    switch (trial->mode.check) {
    case CAT_CHECK_EQUAL:
        return kind % 2 ? 0 : want ^ 1;
    case CAT_CHECK_TAG:
        if (kind % 12 == 1)
            return 0;
        if (kind % 12 == 2)
            return 0x12345678;
        if (kind % 12 == 3)
            return want ^ 1;
        return cat_tag((uint32_t)(100 + shifts[kind % 12 - 4]), (uint32_t)word);
    case CAT_CHECK_MASK:
        return masks[kind % 6];
    case CAT_CHECK_CHOICE:
        return want ^ (kind % 4 ? (uint32_t)(kind % 4) : 8);
    case CAT_CHECK_STATE:
        break;
    }
    return 0;
}

static void fill_outputs(struct trial *trial)
{
    const size_t words = trial->words, each = trial->shape.words_per_instance;
    for (size_t i = 0; i < words; i++) {
        trial->outputs[UNTOUCHED * words + i] = CAT_POISON;
        trial->outputs[RIGHT * words + i] = wanted(trial, i);
        trial->outputs[LAST_WORD_WRONG * words + i] = wanted(trial, i);
        trial->outputs[SCATTERED * words + i] = wanted(trial, i);
    }
    trial->outputs[LAST_WORD_WRONG * words + words - 1] = corrupt(trial, words - 1, words);
    for (size_t instance = 0; instance < trial->shape.instances; instance++) {
        if (instance % 3 == 2)
            continue;
        // A first wrong word, and a different wrong word after it if there is room.
        const size_t first = instance * each + instance * 7 % each;
        const size_t last = instance * each + each - 1;
        trial->outputs[SCATTERED * words + last] = corrupt(trial, last, instance / 2 + 5);
        trial->outputs[SCATTERED * words + first] = corrupt(trial, first, instance / 2);
    }
}

// One slot for all, so that it is refilled each time; some slots, where the last group leaves
// one empty; or one slot each.
static struct dev_slots slots_of(const struct cat_shape *shape, size_t number)
{
    static const uint32_t counts[] = {CONTENTS, 1, CONTENTS - 1};
    const struct dev_slot_limits limits = {.cpu = true, .most_binding = UINT32_MAX};
    return dev_slots_choose(shape, &limits, counts[number % 3]);
}

// Every other trial divides the work as for large outputs: several vectors per invocation, more
// than it loads at once, and several slots per workgroup, fewer in the last workgroups.
static struct dev_division division_of(size_t number)
{
    return number % 2 ? (struct dev_division){.vectors = 8, .slots = CONTENTS - number / 2 % 4}
                      : (struct dev_division){0};
}

static enum dev_status prepare(struct trial *trial, struct lit_error *error)
{
    struct dev *dev = trial->dev;
    const size_t stride = cat_check_stride(trial->mode.check);
    trial->words = trial->shape.instances * trial->shape.words_per_instance;
    trial->expected = lit_alloc(trial->words * stride, 4);
    trial->outputs = lit_alloc(trial->words * CONTENTS, 4);
    fill_expected(trial);
    fill_outputs(trial);
    const struct dev_slots *slots = &trial->slots;
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, trial->words * CONTENTS, &trial->source, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, slots->count * slots->output, &trial->output, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, slots->count * slots->state, &trial->state, error));
    TRY(dev_upload(dev, &trial->source, trial->outputs, trial->words * CONTENTS, error));
    TRY(dev_checking_init(dev, &trial->checking, &trial->mode, &trial->shape, slots, &trial->output,
                          &trial->state, trial->expected, CONTENTS, error));
    // Tested wherever it is available, even if runs do not use it.
    trial->checking.fills = !dev_checks_words(dev);
    trial->checking.division = trial->division;
    return DEV_OK;
}

// The content that a test would have left in a slot. For untouched output, the checker's own fill
// made it; its run gives up, so that it records nothing.
static void record_content(struct trial *trial, uint32_t slot, uint32_t content)
{
    struct dev *dev = trial->dev;
    if (content == UNTOUCHED)
        dev_fill(dev, &trial->state, slot * trial->slots.state, 1, 1);
    else
        dev_copy(dev, &trial->source, content * trial->words, &trial->output,
                 slot * trial->slots.output, trial->words);
}

static enum dev_status check_on_device(struct trial *trial, uint32_t timeout_ms,
                                       struct lit_error *error)
{
    struct dev *dev = trial->dev;
    const uint32_t half = trial->half;
    TRY(dev_begin(dev, error));
    dev_begin_run(dev, ~(uint64_t)trial->mode.check); // run numbers are below 2^32
    dev_checking_begin(dev, &trial->checking, half);
    for (uint32_t done = 0; done < CONTENTS; done += trial->slots.count) {
        const uint32_t left = CONTENTS - done;
        const uint32_t some = left < trial->slots.count ? left : trial->slots.count;
        dev_checking_fill(dev, &trial->checking, some);
        for (uint32_t i = 0; i < some; i++)
            record_content(trial, i, done + i);
        dev_barrier(dev);
        dev_checking_check(dev, &trial->checking, half, done, some);
    }
    dev_checking_end(dev, &trial->checking, half, CONTENTS);
    dev_checking_forget(&trial->checking, half);
    TRY(dev_submit(dev, timeout_ms, error));
    trial->batch = (struct dev_batch){
        .runs = CONTENTS,
        .run = trial->runs,
        .expired = trial->expired,
    };
    dev_checking_read(dev, &trial->checking, half, &trial->batch);
    return DEV_OK;
}

static bool same_run(const struct cat_run *a, const struct cat_run *b)
{
    return a->words == b->words && a->failed == b->failed && a->digest == b->digest &&
           !memcmp(a->outcomes, b->outcomes, sizeof a->outcomes);
}

static bool same_failure(const struct cat_failure *a, const struct cat_failure *b)
{
    return a->run == b->run && a->instance == b->instance && a->word == b->word &&
           a->got == b->got && a->want == b->want && a->outcome == b->outcome;
}

static bool agrees_with_host(const struct trial *trial, struct lit_error *error)
{
    static const char *const contents[CONTENTS] = {"right", "untouched", "wrong in the last word",
                                                   "wrong here and there"};
    static const char *const modes[] = {"words", "tags", "masks", "choices"};
    const struct cat_shape *shape = &trial->shape;
    struct cat_failure failures[DEV_MAX_FAILURES], unrecorded[DEV_MAX_FAILURES];
    size_t count = 0, dropped = 0;
    uint64_t failed = 0;
    char what[80];
    snprintf(what, sizeof what, "%llu x %llu %s", (unsigned long long)shape->instances,
             (unsigned long long)shape->words_per_instance, modes[trial->mode.check]);
    if (trial->batch.unchecked)
        return lit_fail(error, LIT_EXIT_USAGE, "the checker did not check every word of %s", what);
    for (uint32_t i = 0; i < CONTENTS; i++) {
        struct cat_run run;
        const bool expired = i == UNTOUCHED;
        cat_mode_check(&trial->mode, shape, trial->outputs + i * trial->words, trial->expected, i,
                       &run, expired ? unrecorded : failures, DEV_MAX_FAILURES,
                       expired ? &dropped : &count);
        failed += expired ? 0 : run.failed;
        if (!same_run(&run, &trial->runs[i]) || trial->expired[i] != expired)
            return lit_fail(error, LIT_EXIT_USAGE,
                            "the checker's counts are wrong for %s that were %s: "
                            "%llu failures where there are %llu",
                            what, contents[i], (unsigned long long)trial->runs[i].failed,
                            (unsigned long long)run.failed);
    }

    // If the failures exceed the device's room, any of them may have been kept.
    bool same = trial->batch.failure_count == count;
    for (size_t i = 0; same && i < count && failed <= DEV_RECORDS; i++)
        same = same_failure(&failures[i], &trial->batch.failures[i]);
    return same || lit_fail(error, LIT_EXIT_USAGE,
                            "the checker recorded other failures than there are in %s", what);
}

static void finish(struct trial *trial)
{
    free(trial->expected);
    free(trial->outputs);
    if (trial->dev->stuck)
        return;
    dev_checking_clear(trial->dev, &trial->checking);
    dev_buffer_destroy(trial->dev, &trial->source);
    dev_buffer_destroy(trial->dev, &trial->output);
    dev_buffer_destroy(trial->dev, &trial->state);
}

bool dev_self_test(struct dev *dev, uint32_t checks, uint32_t timeout_ms, enum dev_status *status,
                   struct lit_error *reason)
{
    bool good = true;
    *status = DEV_OK;
    for (int check = 0; check < DEV_CHECKS && good; check++)
        for (size_t i = 0; (checks >> check & 1) && i < sizeof shapes / sizeof *shapes && good;
             i++) {
            struct trial trial = {
                .dev = dev,
                .mode = {(enum cat_check)check, alternatives},
                .shape = shapes[i],
                .slots = slots_of(&shapes[i], i),
                .division = division_of(i),
                .half = i % DEV_HALVES,
            };
            *status = prepare(&trial, reason);
            if (*status == DEV_OK)
                *status = check_on_device(&trial, timeout_ms, reason);
            good = *status == DEV_OK && agrees_with_host(&trial, reason);
            finish(&trial);
        }
    return good;
}
