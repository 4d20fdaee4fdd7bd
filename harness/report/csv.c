// SPDX-License-Identifier: Apache-2.0
// CSV as RFC 4180 has it: a heading, then a row for each configuration and device.
#include "catalogue/catalogue.h"
#include "report/code.h"
#include "report/format.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

// A program for tables takes what begins with one of these for a formula: an apostrophe before it
// makes it text.
static const char formula[] = "=+-@\t\r";

static void put_cell(struct text *out, const char *value)
{
    bool guarded = value[0] && strchr(formula, value[0]);
    if (!guarded && !strpbrk(value, ",\"\r\n")) {
        text_puts(out, value);
        return;
    }
    text_puts(out, guarded ? "\"'" : "\"");
    for (; *value; value++)
        text_append(out, *value == '"' ? "\"\"" : value, *value == '"' ? 2 : 1);
    text_puts(out, "\"");
}

// A row being written: what a column is filled from.
struct row {
    const struct report_model *model;
    const struct report_device *device;
    const struct report_result *result;
    const struct isa_entry *code; // NULL: the store has none
    const char *fault;            // why what it has cannot be read, "" if it can
    struct text *out;
};

static void put_count(struct text *out, uint64_t count)
{
    text_printf(out, "%ju", (uintmax_t)count);
}

static void put_pairs(const struct row *row, const struct cfg_pair *pairs, size_t count)
{
    struct text value = {0};
    for (size_t i = 0; i < count; i++)
        text_printf(&value, "%s%s=%s", i ? "," : "", pairs[i].key, pairs[i].value);
    put_cell(row->out, value.data ? value.data : "");
    text_free(&value);
}

#define TEXT(name, value)                                                                          \
    static void put_##name(const struct row *row)                                                  \
    {                                                                                              \
        put_cell(row->out, value);                                                                 \
    }
#define NUMBER(name, value)                                                                        \
    static void put_##name(const struct row *row)                                                  \
    {                                                                                              \
        put_count(row->out, value);                                                                \
    }
#define REAL(name, value)                                                                          \
    static void put_##name(const struct row *row)                                                  \
    {                                                                                              \
        text_printf(row->out, "%.9g", value);                                                      \
    }

TEXT(device, row->device->facts.name)
TEXT(device_id, row->device->id)
TEXT(driver, row->device->facts.driver_name)
TEXT(driver_version, row->device->facts.driver_version)
TEXT(configuration, row->result->name)
TEXT(family, row->result->family)
TEXT(test, row->result->test)
TEXT(expectation, cat_expectation_name(row->result->expectation))
TEXT(result, eng_result_name(row->result->result))
TEXT(observation, report_observation(row->result->failed_runs, row->result->judged))
NUMBER(runs, row->result->runs)
NUMBER(failed_runs, row->result->failed_runs)
NUMBER(no_progress_runs, row->result->no_progress_runs)
REAL(low, row->result->interval.low)
REAL(high, row->result->interval.high)
TEXT(interval_kind, report_interval_kind(row->result->rule))
TEXT(rule, row->result->rule)
TEXT(stress, row->result->stress)
NUMBER(instances, row->result->instances)
NUMBER(failed_instances, row->result->failed_instances)
TEXT(first_run_failed, row->result->first_run_failed ? "yes" : "no")
NUMBER(first, row->result->first)
REAL(seconds, row->result->seconds)
TEXT(spirv_sha256, row->result->sha256)
TEXT(started, row->model->session.started)
TEXT(session, row->model->session.uuid)
TEXT(reason, row->result->reason)

static void put_variant(const struct row *row)
{
    put_pairs(row, row->result->variant, row->result->variant_count);
}

static void put_params(const struct row *row)
{
    put_pairs(row, row->result->params, row->result->param_count);
}

// Empty if the store has no code of it; what is wrong if the code cannot be read.
static void put_code_digest(const struct row *row)
{
    char digest[IDENTITY_SIZE];
    isa_digest(row->code ? row->code->piece : NULL, digest);
    put_cell(row->out, row->code ? digest : row->fault);
}

static void put_seed(const struct row *row)
{
    text_printf(row->out, "0x%jx", (uintmax_t)row->result->seed);
}

// Empty without two parts to compare.
static void put_overdispersion(const struct row *row)
{
    if (row->result->spread.groups > 1)
        text_printf(row->out, "%.9g", row->result->spread.factor);
}

#define COLUMN(name)                                                                               \
    {                                                                                              \
#name, put_##name                                                                          \
    }
static const struct {
    const char *name;
    void (*put)(const struct row *row);
} columns[] = {
    COLUMN(device),
    COLUMN(driver),
    COLUMN(driver_version),
    COLUMN(configuration),
    COLUMN(expectation),
    COLUMN(result),
    COLUMN(observation),
    COLUMN(runs),
    COLUMN(failed_runs),
    COLUMN(no_progress_runs),
    COLUMN(low),
    COLUMN(high),
    COLUMN(interval_kind),
    COLUMN(overdispersion),
    COLUMN(stress),
    COLUMN(rule),
    COLUMN(instances),
    COLUMN(failed_instances),
    COLUMN(first_run_failed),
    COLUMN(family),
    COLUMN(test),
    COLUMN(variant),
    COLUMN(params),
    COLUMN(seed),
    COLUMN(first),
    COLUMN(seconds),
    COLUMN(spirv_sha256),
    COLUMN(code_digest),
    COLUMN(device_id),
    COLUMN(session),
    COLUMN(started),
    COLUMN(reason),
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

void report_csv(const struct report_model *model, struct text *out)
{
    struct report_code code;
    report_code_load(model, NULL, &code);
    for (size_t i = 0; i < COLUMNS; i++)
        text_printf(out, "%s%s", i ? "," : "", columns[i].name);
    text_puts(out, "\r\n");
    for (size_t device = 0; device < model->device_count; device++) {
        for (size_t r = 0; r < model->result_count; r++) {
            const struct row row = {model,
                                    &model->devices[device],
                                    &model->results[r],
                                    report_code_of(&code, &model->results[r]),
                                    code.fault,
                                    out};
            if (row.result->device != device)
                continue;
            for (size_t i = 0; i < COLUMNS; i++) {
                text_puts(out, i ? "," : "");
                columns[i].put(&row);
            }
            text_puts(out, "\r\n");
        }
    }
    report_code_clear(&code);
}
