// SPDX-License-Identifier: Apache-2.0
// Adds up counts and derives their verdict.
#include "model/result.h"

const char *const eng_result_names[ENG_RESULTS] = {
    [ENG_PASS] = "pass",
    [ENG_FAIL] = "fail",
    [ENG_SKIP] = "skip",
    [ENG_HANG] = "hang",
    [ENG_CRASH] = "crash",
    [ENG_DEVICE_LOST] = "device-lost",
    [ENG_NO_PROGRESS] = "no-progress",
    [ENG_HARNESS_ERROR] = "harness-error",
    [ENG_PARTIAL] = "partial",
};

const char *eng_result_name(enum eng_result result)
{
    return (unsigned)result < ENG_RESULTS ? eng_result_names[result] : "unknown";
}

const struct field eng_part_fields[] = {
    FIELD_OF(NUMBER, eng_part, process),
    FIELD_OF(NUMBER, eng_part, runs),
    FIELD_OF(NUMBER, eng_part, failed_runs),
    FIELD_OF(NUMBER, eng_part, no_progress_runs),
    FIELD_END,
};

const struct field eng_failure_fields[] = {
    FIELD_READ("run", NUMBER, eng_failure, at.run, FIELD_MOST),
    FIELD_READ("instance", NUMBER, eng_failure, at.instance, FIELD_MOST),
    FIELD_READ("word", NUMBER, eng_failure, at.word, FIELD_MOST),
    {"where", FIELD_AT(CHARS, eng_failure, where), 0, FIELD_ALL, "place", NULL, 0},
    // Reports have its name instead.
    {"outcome", FIELD_AT(NUMBER, eng_failure, at.outcome), CAT_OUTCOMES - 1, ~FIELD_READ_BACK, NULL,
     NULL, 0},
    FIELD_READ("got", NUMBER, eng_failure, at.got, FIELD_MOST),
    FIELD_READ("want", NUMBER, eng_failure, at.want, FIELD_MOST),
    FIELD_END,
};

const char *const eng_evidence_names[ENG_EVIDENCES] = {
    [ENG_EVIDENCE_CHECK] = "check",       [ENG_EVIDENCE_WORDS] = "last-words",
    [ENG_EVIDENCE_KERNEL] = "kernel-log", [ENG_EVIDENCE_BACKTRACE] = "backtrace",
    [ENG_EVIDENCE_CORE] = "core",
};

enum eng_result eng_result_named(const char *name)
{
    enum eng_result result = 0;
    while (result < ENG_RESULTS && strcmp(name, eng_result_name(result)) != 0)
        result++;
    return result;
}

bool eng_is_broken(enum eng_result result)
{
    return result == ENG_HANG || result == ENG_CRASH || result == ENG_DEVICE_LOST;
}

bool eng_is_verdict(enum eng_result result)
{
    return result == ENG_PASS || result == ENG_FAIL || result == ENG_NO_PROGRESS;
}

// Workers are not trusted: their counts must not overflow.
static void add(uint64_t *sum, uint64_t more)
{
    *sum = *sum > UINT64_MAX - more ? UINT64_MAX : *sum + more;
}

void eng_count_add(struct eng_count *sum, const struct eng_count *batch)
{
    add(&sum->runs, batch->runs);
    add(&sum->failed_runs, batch->failed_runs);
    add(&sum->no_progress_runs, batch->no_progress_runs);
    sum->first_run_failed |= batch->first_run_failed;
    add(&sum->instances, batch->instances);
    add(&sum->failed_instances, batch->failed_instances);
    for (size_t i = 0; i < CAT_OUTCOMES; i++)
        add(&sum->outcomes[i], batch->outcomes[i]);
    sum->seconds += batch->seconds;
}

static void join(struct eng_part *part, const struct eng_part *next)
{
    add(&part->runs, next->runs);
    add(&part->failed_runs, next->failed_runs);
    add(&part->no_progress_runs, next->no_progress_runs);
}

// Joins adjacent parts of one process that together have at most `enough` runs, so that old parts
// do not outgrow new ones; if there are none, joins the smallest pair.
static void join_neighbours(struct result *result, uint64_t enough)
{
    struct eng_part *pieces = result->pieces;
    size_t kept = 0, smallest = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i + 1 < result->piece_count; i++) {
        uint64_t both = pieces[i].runs + pieces[i + 1].runs;
        if (both < least) {
            least = both;
            smallest = i;
        }
    }
    for (size_t i = 0; i < result->piece_count; i++) {
        struct eng_part part = pieces[i];
        if (i + 1 < result->piece_count && pieces[i + 1].process == part.process &&
            part.runs + pieces[i + 1].runs <= enough)
            join(&part, &pieces[++i]);
        pieces[kept++] = part;
    }
    if (kept == result->piece_count) {
        join(&pieces[smallest], &pieces[smallest + 1]);
        for (size_t i = smallest + 1; i + 1 < kept; i++)
            pieces[i] = pieces[i + 1];
        kept--;
    }
    result->piece_count = kept;
}

static void add_part(struct result *result, const struct eng_count *batch, uint32_t process,
                     bool fresh)
{
    // Parts grow with the number of runs, so that they are seldom joined.
    uint64_t enough = ENG_PART_RUNS;
    while (enough <= result->runs / (ENG_MAX_PARTS / 2))
        enough *= 2;
    struct eng_part *last = result->piece_count ? &result->pieces[result->piece_count - 1] : NULL;
    const struct eng_part part = {.process = process,
                                  .runs = batch->runs,
                                  .failed_runs = batch->failed_runs,
                                  .no_progress_runs = batch->no_progress_runs};
    if ((!last && result->runs > 0) || batch->runs == 0)
        return;
    if (last && last->process == process && !fresh && last->runs < enough) {
        join(last, &part);
        return;
    }
    if (result->piece_count == ENG_MAX_PARTS)
        join_neighbours(result, enough);
    LIT_ADD(result->pieces, result->piece_count) = part;
}

void eng_result_add(struct result *result, const struct eng_count *batch,
                    const struct eng_failure *failures, uint32_t process, bool fresh)
{
    add_part(result, batch, process, fresh);
    eng_count_add(&result->count, batch);
    for (size_t i = 0; i < batch->failure_count && result->failure_count < ENG_MAX_FAILURES; i++)
        LIT_ADD(result->failures, result->failure_count) = failures[i];
}

static const struct cat_mode plain[] = {
    [CAT_CHECK_EQUAL] = {CAT_CHECK_EQUAL},
    [CAT_CHECK_TAG] = {CAT_CHECK_TAG},
    [CAT_CHECK_MASK] = {CAT_CHECK_MASK},
};

const struct cat_mode *cat_mode_keep(const struct cat_mode *mode)
{
    if (mode->check <= CAT_CHECK_MASK)
        return &plain[mode->check];
    struct cat_mode *copy = lit_alloc(1, sizeof *copy);
    *copy = *mode;
    return copy;
}

void cat_mode_drop(const struct cat_mode *mode)
{
    if (mode && mode->check > CAT_CHECK_MASK)
        free((void *)(uintptr_t)mode);
}

void eng_result_clear(struct result *result)
{
    char *const texts[] = {result->device_id, result->reason, result->sha256, result->headline,
                           result->stress,    result->rule,   result->label};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (size_t i = 0; i < ENG_EVIDENCES; i++)
        free(result->evidence[i]);
    free(result->failures);
    free(result->pieces);
    cat_mode_drop(result->mode);
    cfg_clear(&result->cfg);
    *result = (struct result){0};
}

enum eng_result eng_verdict(const struct eng_count *count)
{
    if (count->failed_runs)
        return ENG_FAIL;
    return count->no_progress_runs ? ENG_NO_PROGRESS : ENG_PASS;
}

// --- Detects inconsistent counts.

static const char *check_sums(uint64_t runs, uint64_t failed_runs, uint64_t no_progress_runs)
{
    return failed_runs > runs || no_progress_runs > runs - failed_runs
               ? "more runs failed or expired than there were"
               : NULL;
}

const char *eng_runs_disagree(enum eng_result result, uint64_t runs, uint64_t failed_runs,
                              uint64_t no_progress_runs)
{
    const struct eng_count count = {
        .runs = runs, .failed_runs = failed_runs, .no_progress_runs = no_progress_runs};
    const char *wrong = check_sums(runs, failed_runs, no_progress_runs);
    const bool follows = eng_verdict(&count) == result;
    if (wrong)
        return wrong;
    switch (result) {
    case ENG_PASS:
        return follows ? NULL : "the result is pass, but runs failed or expired";
    case ENG_FAIL:
        return follows ? NULL : "the result is fail, but no run failed";
    case ENG_NO_PROGRESS:
        return follows ? NULL : "the result is no-progress, but no wait expired, or a run failed";
    case ENG_SKIP:
        return runs == 0 ? NULL : "the result is skip, but there were runs";
    case ENG_HANG:
    case ENG_CRASH:
    case ENG_DEVICE_LOST:
    case ENG_HARNESS_ERROR:
    case ENG_PARTIAL:
        return NULL;
    case ENG_RESULTS:
        break;
    }
    return "invalid result";
}

// Checks the failed instances against the minimum and maximum that their outcomes allow. In a run
// that gave up, instances have an outcome of their own that is not a failure.
static bool is_failed_sum(const struct eng_count *count, const struct cat_mode *mode)
{
    uint64_t least = 0, most = 0;
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++) {
        const bool fails = mode ? cat_mode_fails(mode, i) : i != CAT_RIGHT;
        const bool surely = mode ? fails : i == CAT_NEVER_WRITTEN || i == CAT_VARIED;
        if (i == CAT_NO_PROGRESS)
            continue;
        most += fails ? count->outcomes[i] : 0;
        least += surely ? count->outcomes[i] : 0;
    }
    return least <= count->failed_instances && count->failed_instances <= most;
}

const char *eng_count_disagrees(const struct eng_count *count, const struct cat_mode *mode)
{
    const char *wrong = check_sums(count->runs, count->failed_runs, count->no_progress_runs);
    uint64_t left = count->instances;
    bool adds_up = true;
    for (size_t i = 0; i < CAT_OUTCOMES && adds_up; i++) {
        adds_up = count->outcomes[i] <= left;
        left -= adds_up ? count->outcomes[i] : 0;
    }
    if (wrong)
        return wrong;
    if (!adds_up || left > 0)
        return "the outcomes do not add up to the units";
    if (count->instances < count->runs || (count->runs == 0 && count->instances > 0))
        return "the number of units does not match the runs";
    if (count->outcomes[CAT_NO_PROGRESS] < count->no_progress_runs ||
        (count->no_progress_runs == 0 && count->outcomes[CAT_NO_PROGRESS] > 0))
        return "the instances with an expired wait do not match the runs";
    if (!is_failed_sum(count, mode))
        return "the failed units do not match the outcomes";
    if (count->failed_instances < count->failed_runs ||
        (count->failed_runs == 0 && count->failed_instances > 0))
        return "too many failed units for the number of failed runs";
    if (count->first_run_failed && count->failed_runs == 0)
        return "the first run failed, but no run did";
    if (count->failure_count > count->failed_instances)
        return "more failures than failed units";
    return NULL;
}

static const char *check_parts(const struct result *result)
{
    struct eng_part left = {.runs = result->runs,
                            .failed_runs = result->failed_runs,
                            .no_progress_runs = result->no_progress_runs};
    for (size_t i = 0; i < result->piece_count; i++) {
        const struct eng_part *part = &result->pieces[i];
        if (check_sums(part->runs, part->failed_runs, part->no_progress_runs))
            return "in a part more runs failed or expired than there were";
        if (part->runs > left.runs || part->failed_runs > left.failed_runs ||
            part->no_progress_runs > left.no_progress_runs)
            return "the parts do not add up";
        left.runs -= part->runs;
        left.failed_runs -= part->failed_runs;
        left.no_progress_runs -= part->no_progress_runs;
    }
    const bool all = left.runs + left.failed_runs + left.no_progress_runs == 0;
    return result->piece_count == 0 || all ? NULL : "the parts do not add up";
}

const char *eng_result_disagrees(const struct result *result)
{
    const char *wrong = eng_runs_disagree(result->result, result->runs, result->failed_runs,
                                          result->no_progress_runs);
    wrong = wrong ? wrong : eng_count_disagrees(&result->count, result->mode);
    return wrong ? wrong : check_parts(result);
}

// --- Adds results up and chooses the exit code.

bool eng_is_unsound(const char *name, enum cat_expectation expectation)
{
    return expectation == CAT_CONTESTED && strncmp(name, "kernel.", strlen("kernel.")) == 0;
}

bool eng_check_is_clean(const char *check)
{
    return strncmp(check, "checked: ", strlen("checked: ")) == 0;
}

void eng_tally_add(struct eng_tally *tally, const char *name, enum eng_result result,
                   enum cat_expectation expectation, const struct eng_count *count)
{
    if (eng_is_unsound(name, expectation) && (eng_is_broken(result) || count->failed_runs > 0)) {
        tally->unsound++;
        result = ENG_FAIL;
    }
    tally->results[result]++;
    // Failures counted before a crash, a hang or an interruption are certain, too.
    if (expectation == CAT_FORBIDDEN && (result == ENG_FAIL || count->failed_runs > 0))
        tally->forbidden++;
    // No specification promises progress, so an expired wait is not a failure; but the run did not
    // answer the test's question.
    else if (expectation <= CAT_CONTESTED && result == ENG_NO_PROGRESS)
        tally->expired++;
}

enum lit_exit eng_tally_exit(const struct eng_tally *tally, char *reason, size_t size)
{
    const uint64_t *results = tally->results, skipped = results[ENG_SKIP];
    const uint64_t ran =
        results[ENG_PASS] + results[ENG_FAIL] + results[ENG_NO_PROGRESS] + results[ENG_PARTIAL];
    const struct lit_end ends[] = {
        {tally->stopped, LIT_EXIT_DEVICE_LOST, "a device was lost and its queue stopped",
         "%s devices were lost and their queues stopped"},
        {tally->forbidden, LIT_EXIT_FORBIDDEN, "a forbidden outcome was observed",
         "forbidden outcomes were observed in %s configurations"},
        {results[ENG_CRASH], LIT_EXIT_FORBIDDEN, "the driver crashed once",
         "the driver crashed in %s configurations"},
        {results[ENG_DEVICE_LOST], LIT_EXIT_FORBIDDEN, "the device was lost once",
         "the device was lost in %s configurations"},
        {results[ENG_HANG], LIT_EXIT_FORBIDDEN, "a configuration hung", "%s configurations hung"},
        {tally->unclosed, LIT_EXIT_FORBIDDEN, "the driver crashed or hung as the device was closed",
         "the drivers of %s devices crashed or hung as they were closed"},
        {tally->unsound, LIT_EXIT_USAGE,
         "a kernel failed that is itself wrong: its results are unspecified",
         "%s kernels failed that are themselves wrong: their results are unspecified"},
        {tally->out_of_time, LIT_EXIT_TIME, "the time budget was used up", NULL},
        {tally->failed, LIT_EXIT_UNDECIDED, "the harness failed, and the queue of a device stopped",
         "the harness failed, and the queues of %s devices stopped"},
        {results[ENG_HARNESS_ERROR], LIT_EXIT_UNDECIDED, "a configuration could not be run",
         "%s configurations could not be run"},
        {tally->expired, LIT_EXIT_UNDECIDED,
         "a configuration is inconclusive: a bounded wait expired",
         "%s configurations are inconclusive: a bounded wait expired"},
        {tally->undecided, LIT_EXIT_UNDECIDED,
         "a configuration is undecided after the maximum number of runs",
         "%s configurations are undecided after the maximum number of runs"},
        {ran > 0 ? tally->unopened : 0, LIT_EXIT_UNDECIDED, "a device could not be used",
         "%s devices could not be used"},
        {tally->unopened, LIT_EXIT_NOTHING, "the device could not be used",
         "none of %s devices could be used"},
        {tally->planned == 0 && tally->shard, LIT_EXIT_OK, "this shard has no configuration", NULL},
        {tally->planned == 0, LIT_EXIT_NOTHING,
         "none of the configurations exists on these devices", NULL},
        {ran == 0 ? skipped : 0, LIT_EXIT_NOTHING, "the only configuration was skipped",
         "all %s configurations were skipped"},
        {ran == 0, LIT_EXIT_NOTHING, "nothing could run", NULL},
        {1, LIT_EXIT_OK, "no forbidden outcome was observed", NULL},
    };
    return lit_end_choose(ends, reason, size);
}
