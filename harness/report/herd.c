// SPDX-License-Identifier: Apache-2.0
// The log format of herd's litmus7, for those who know it by heart and for the tools that sum and
// compare such logs. The histogram counts instances; everything else counts runs (docs/reading.md).
#include "catalogue/catalogue.h"
#include "report/format.h"
#include "report/report.h"

#include <ctype.h>
#include <string.h>

static void print_title(struct text *out, const struct report_result *result)
{
    char word[32];
    size_t length = strlen(cat_expectation_name(result->expectation));
    memcpy(word, cat_expectation_name(result->expectation), length + 1);
    word[0] = (char)toupper((unsigned char)word[0]);
    text_printf(out, "Test %s %s\n", result->name, word);
}

static void print_histogram(struct text *out, const struct report_result *result)
{
    unsigned states = 0;
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++)
        states += result->outcomes[outcome] > 0;
    text_printf(out, "Histogram (%u states)\n", states);
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        char buffer[24];
        if (result->outcomes[outcome] == 0)
            continue;
        // Runs that gave up waiting are neither positive nor negative.
        bool positive = outcome != CAT_NO_PROGRESS && cat_mode_fails(&result->mode, outcome);
        text_printf(out, "%-8ju%s>%s\n", (uintmax_t)result->outcomes[outcome], positive ? "*" : ":",
                    report_outcome_name(result, outcome, buffer));
    }
}

static void print_result(struct text *out, const struct report_result *result)
{
    uint64_t good = result->judged - result->failed_runs;
    // A control is there to fail.
    bool as_expected = (result->failed_runs > 0) == (result->expectation == CAT_CONTROL);
    print_title(out, result);
    if (result->runs == 0) {
        text_printf(out, "Result %s%s%s\n\n", eng_result_name(result->result),
                    result->reason[0] ? ": " : "", result->reason);
        return;
    }
    print_histogram(out, result);
    text_printf(out, "%s\n\nWitnesses\n", as_expected ? "Ok" : "No");
    text_printf(out, "Positive: %ju, Negative: %ju\n", (uintmax_t)result->failed_runs,
                (uintmax_t)good);
    if (result->result != ENG_PASS && result->result != ENG_FAIL)
        text_printf(out, "Result %s%s%s\n", eng_result_name(result->result),
                    result->reason[0] ? ": " : "", result->reason);
    if (result->sha256[0])
        text_printf(out, "Hash=%s\n", result->sha256);
    text_printf(out, "Observation %s %s %ju %ju\n", result->name,
                report_observation(result->failed_runs, result->judged),
                (uintmax_t)result->failed_runs, (uintmax_t)good);
    text_printf(out, "Time %s %.2f\n\n", result->name, result->seconds);
}

static void print_machine(struct text *out, const struct report_model *model,
                          const struct report_device *device)
{
    const struct store_session *session = &model->session;
    const struct dev_facts *facts = &device->facts;
    char api[32], uuid[37];
    format_api(api, facts->api);
    text_puts(out, "Machine\n");
    text_printf(out, "Device %s (%s, 0x%04x:0x%04x)\n", facts->name, facts->type, facts->vendor,
                facts->product);
    format_uuid(uuid, facts->device_uuid);
    text_printf(out, "Device UUID %s\n", uuid);
    text_printf(out, "Driver %s %s (%s)\n", facts->driver_name, facts->driver_version,
                facts->driver_info);
    format_uuid(uuid, facts->driver_uuid);
    text_printf(out, "Driver UUID %s\n", uuid);
    text_printf(out, "Vulkan %s, subgroups of %u (%u to %u)\n", api, facts->subgroup,
                facts->subgroup_min, facts->subgroup_max);
    text_printf(out, "Checked on %s\n", device->checker);
    text_printf(out, "System %s\n", session->system);
    text_printf(out, "\nParameters\nlitmus %s\nCommand %s\n", session->version, session->command);
    text_printf(out, "Started %s\nSeed 0x%jx\nRuns %ju\n\n", session->started,
                (uintmax_t)session->seed, (uintmax_t)session->runs);
}

bool report_herd(struct store *store, int64_t session, struct text *out, struct lit_error *error)
{
    struct report_model model;
    bool good = report_model_load(store, session, &model, error);
    for (size_t device = 0; good && device < model.device_count; device++) {
        for (size_t i = 0; i < model.result_count; i++) {
            if (model.results[i].device == device)
                print_result(out, &model.results[i]);
        }
        print_machine(out, &model, &model.devices[device]);
    }
    report_model_clear(&model);
    return good;
}
