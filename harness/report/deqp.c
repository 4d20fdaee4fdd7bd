// SPDX-License-Identifier: Apache-2.0
// Lists for the runners of others. Those of deqp-runner: its results.csv, and the lists of known
// failures and of flakes that it and `litmus gate` take as a baseline. A name ends at a comma
// there, and a name that comes twice is an error: names are those of GoogleTest's protocol, by
// which deqp-runner runs configurations, and of several devices the worst result counts.
// docs/reading.md has what stands for what.
#include "report/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// In deqp-runner's words, the worst one first.
#define STATUSES(X)  X(Crash) X(Timeout) X(Fail) X(Flake) X(Missing) X(Pass) X(Skip)
#define ID(status)   status,
#define NAME(status) #status,
enum status { STATUSES(ID) };
static const char *const names[] = {STATUSES(NAME)};

// What litmus could not do is Missing, which blames no driver; so is what a kernel did that is
// itself wrong.
static enum status status_of(const struct report_result *result)
{
    if (eng_is_unsound(result->name, result->expectation) &&
        (report_failed(result) || eng_is_broken(result->result)))
        return Missing;
    switch (result->result) {
    case ENG_CRASH:
    case ENG_DEVICE_LOST:
        return Crash;
    case ENG_HANG:
        return Timeout;
    case ENG_SKIP:
        return Skip;
    case ENG_HARNESS_ERROR:
    case ENG_PARTIAL:
        return Missing;
    default:
        break;
    }
    if (result->expectation == CAT_FORBIDDEN && report_failed(result))
        return result->failed_runs < result->judged ? Flake : Fail;
    return result->result == ENG_NO_PROGRESS && result->expectation <= CAT_CONTESTED ? Timeout
                                                                                     : Pass;
}

static int compare(const void *left, const void *right)
{
    const struct report_result *a = *(const struct report_result *const *)left;
    const struct report_result *b = *(const struct report_result *const *)right;
    const int order = strcmp(a->name, b->name);
    return order ? order : (int)status_of(a) - (int)status_of(b);
}

enum list { RESULTS, FAILS, FLAKES };

static void put(enum list list, const struct report_result *result, struct text *out)
{
    static const char marks[] = "\\.[](){}*+?^$|";
    const enum status status = status_of(result);
    OWNED(text_free) struct text name = {0};
    cfg_runner_name(result->name, &name);
    if (list == RESULTS) {
        report_csv_text(out, name.data);
        text_printf(out, ",%s,%.3f\n", names[status], result->seconds);
    } else if (list == FAILS && status < Flake) {
        text_printf(out, "%s,%s\n", name.data, names[status]);
    } else if (list == FLAKES && status == Flake) {
        text_puts(out, "^");
        for (const char *at = name.data; *at; at++)
            text_printf(out, strchr(marks, *at) ? "\\%c" : "%c", *at);
        text_puts(out, "$\n");
    }
}

// A line for each name, in the order of these.
static void put_list(const struct report_model *model, enum list list, struct text *out)
{
    OWNED(lit_free)
    const struct report_result **sorted = lit_alloc(model->result_count + 1, sizeof *sorted);
    for (size_t i = 0; i < model->result_count; i++)
        sorted[i] = &model->results[i];
    qsort(sorted, model->result_count, sizeof *sorted, compare);
    for (size_t i = 0; i < model->result_count; i++)
        if (i == 0 || strcmp(sorted[i]->name, sorted[i - 1]->name) != 0)
            put(list, sorted[i], out);
}

void report_deqp(const struct report_model *model, struct text *out)
{
    put_list(model, RESULTS, out);
}

void report_fails(const struct report_model *model, struct text *out)
{
    put_list(model, FAILS, out);
}

void report_flakes(const struct report_model *model, struct text *out)
{
    put_list(model, FLAKES, out);
}

// LAVA's signals, which it finds in what a job prints: a line for each result. A name ends at a
// blank or > there and comes once in a job, and = separates it from its key: of a configuration's
// name letters, digits, dots and hyphens stay. With several devices the number of the device stands
// before it.
void report_lava(const struct report_model *model, struct text *out)
{
    static const char *const words[] = {
        [Crash] = "fail",      [Timeout] = "fail", [Fail] = "fail", [Flake] = "fail",
        [Missing] = "unknown", [Pass] = "pass",    [Skip] = "skip"};
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        text_puts(out, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=");
        if (model->device_count > 1)
            text_printf(out, "device-%u_", model->devices[result->device].number);
        for (const char *at = result->name; *at; at++)
            text_printf(out, "%c",
                        isalnum((unsigned char)*at) || strchr(".-", *at) ? *at
                        : *at == '='                                     ? '-'
                                                                         : '_');
        // That a wait expired blames nobody.
        text_printf(out, " RESULT=%s",
                    result->result == ENG_NO_PROGRESS && status_of(result) == Timeout
                        ? "unknown"
                        : words[status_of(result)]);
        if (result->judged > 0)
            text_printf(out, " MEASUREMENT=%.6f UNITS=failed_runs_per_run",
                        (double)result->failed_runs / (double)result->judged);
        text_puts(out, ">\n");
    }
}
