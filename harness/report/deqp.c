// SPDX-License-Identifier: Apache-2.0
// The lists of deqp-runner: its results.csv, and the lists of known failures and of flakes that it
// and `litmus gate` take as a baseline. docs/reading.md has what stands for what.
#include "report/format.h"

#include <string.h>

// In deqp-runner's words. What litmus could not do is Missing, which blames no driver.
static const char *status_of(const struct report_result *result)
{
    switch (result->result) {
    case ENG_CRASH:
    case ENG_DEVICE_LOST:
        return "Crash";
    case ENG_HANG:
        return "Timeout";
    case ENG_SKIP:
        return "Skip";
    case ENG_HARNESS_ERROR:
    case ENG_PARTIAL:
        return "Missing";
    default:
        break;
    }
    if (result->expectation == CAT_FORBIDDEN && report_failed(result))
        return result->failed_runs < result->judged ? "Flake" : "Fail";
    return result->result == ENG_NO_PROGRESS && result->expectation <= CAT_CONTESTED ? "Timeout"
                                                                                     : "Pass";
}

void report_deqp(const struct report_model *model, struct text *out)
{
    for (size_t i = 0; i < model->result_count; i++) {
        report_csv_text(out, model->results[i].name);
        text_printf(out, ",%s,%.3f\n", status_of(&model->results[i]), model->results[i].seconds);
    }
}

// A line for each name; of several devices those that are the same are told once.
static void put_list(const struct report_model *model, bool flakes, struct text *out)
{
    static const char marks[] = "\\.[](){}*+?^$|";
    for (size_t i = 0; i < model->result_count; i++) {
        const char *name = model->results[i].name, *status = status_of(&model->results[i]);
        const size_t start = out->length;
        const bool is_flake = !strcmp(status, "Flake");
        if (flakes != is_flake || !strcmp(status, "Pass") || !strcmp(status, "Skip") ||
            !strcmp(status, "Missing"))
            continue;
        text_puts(out, flakes ? "^" : "");
        for (const char *at = name; *at; at++) {
            text_puts(out, flakes && strchr(marks, *at) ? "\\" : "");
            text_append(out, at, 1);
        }
        text_printf(out, flakes ? "$\n" : ",%s\n", status);
        const char *line = out->data + start, *before = strstr(out->data, line);
        if (before < line && (before == out->data || before[-1] == '\n')) {
            out->length = start;
            out->data[start] = '\0';
        }
    }
}

void report_fails(const struct report_model *model, struct text *out)
{
    put_list(model, false, out);
}

void report_flakes(const struct report_model *model, struct text *out)
{
    put_list(model, true, out);
}
