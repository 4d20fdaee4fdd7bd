// SPDX-License-Identifier: Apache-2.0
// Adds results up and says what the program exits with.

#include "model/result.h"

#include "base/text.h"

#include <stdio.h>

void eng_tally_add(struct eng_tally *tally, enum eng_result result,
                   enum cat_expectation expectation, const struct eng_count *count)
{
    tally->results[result]++;
    // Failures that were counted before a crash, a hang or an interruption are no less certain.
    if (expectation == CAT_FORBIDDEN && (result == ENG_FAIL || count->failed_runs > 0))
        tally->forbidden++;
    // No specification promises progress, so a wait that ran out is no failure; but the question
    // that was asked got no answer in that run.
    else if (expectation <= CAT_CONTESTED && result == ENG_NO_PROGRESS)
        tally->gave_up++;
}

static enum lit_exit say(enum lit_exit code, char *reason, size_t size, uint64_t count,
                         const char *one, const char *many)
{
    char number[32];
    if (count == 1)
        snprintf(reason, size, "%s", one);
    else
        snprintf(reason, size, many, text_count(number, count));
    return code;
}

enum lit_exit eng_tally_exit(const struct eng_tally *tally, char *reason, size_t size)
{
    const uint64_t *results = tally->results;
    uint64_t ran =
        results[ENG_PASS] + results[ENG_FAIL] + results[ENG_NO_PROGRESS] + results[ENG_PARTIAL];
    if (tally->stopped > 0)
        return say(LIT_EXIT_DEVICE_LOST, reason, size, tally->stopped,
                   "a device was lost and its queue stopped",
                   "%s devices were lost and their queues stopped");
    if (tally->forbidden > 0)
        return say(LIT_EXIT_FORBIDDEN, reason, size, tally->forbidden,
                   "a forbidden outcome was seen",
                   "forbidden outcomes were seen in %s configurations");
    if (results[ENG_CRASH] > 0)
        return say(LIT_EXIT_FORBIDDEN, reason, size, results[ENG_CRASH], "the driver crashed once",
                   "the driver crashed in %s configurations");
    if (results[ENG_DEVICE_LOST] > 0)
        return say(LIT_EXIT_FORBIDDEN, reason, size, results[ENG_DEVICE_LOST],
                   "the device was lost once", "the device was lost in %s configurations");
    if (results[ENG_HANG] > 0)
        return say(LIT_EXIT_FORBIDDEN, reason, size, results[ENG_HANG], "a configuration hung",
                   "%s configurations hung");
    if (tally->out_of_time)
        return say(LIT_EXIT_TIME, reason, size, 1, "the time was used up", "");
    if (tally->failed > 0)
        return say(LIT_EXIT_UNDECIDED, reason, size, tally->failed,
                   "the harness failed, and the queue of a device stopped",
                   "the harness failed, and the queues of %s devices stopped");
    if (results[ENG_HARNESS_ERROR] > 0)
        return say(LIT_EXIT_UNDECIDED, reason, size, results[ENG_HARNESS_ERROR],
                   "a configuration could not be run", "%s configurations could not be run");
    if (tally->gave_up > 0)
        return say(LIT_EXIT_UNDECIDED, reason, size, tally->gave_up,
                   "a configuration gave up waiting, its question is open",
                   "%s configurations gave up waiting, their question is open");
    if (tally->undecided > 0)
        return say(LIT_EXIT_UNDECIDED, reason, size, tally->undecided,
                   "a configuration is undecided after as many runs as were allowed",
                   "%s configurations are undecided after as many runs as were allowed");
    if (tally->unopened > 0 && ran > 0)
        return say(LIT_EXIT_UNDECIDED, reason, size, tally->unopened, "a device could not be used",
                   "%s devices could not be used");
    if (tally->unopened > 0)
        return say(LIT_EXIT_NOTHING, reason, size, tally->unopened, "the device could not be used",
                   "none of %s devices could be used");
    if (tally->planned == 0 && tally->shard)
        return say(LIT_EXIT_OK, reason, size, 1, "this shard has no configuration", "");
    if (tally->planned == 0)
        return say(LIT_EXIT_NOTHING, reason, size, 1,
                   "none of the configurations exists on these devices", "");
    if (ran == 0)
        return say(LIT_EXIT_NOTHING, reason, size, results[ENG_SKIP],
                   "the only configuration was skipped",
                   results[ENG_SKIP] ? "all %s configurations were skipped" : "nothing could run");
    return say(LIT_EXIT_OK, reason, size, 1, "no forbidden outcome was seen", "");
}
