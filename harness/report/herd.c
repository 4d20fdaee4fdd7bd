// SPDX-License-Identifier: Apache-2.0
// The log format of herd's litmus7, for those who know it by heart and for the tools that sum and
// compare such logs (mcompare7 and others). Written so that their reader takes it: names, kinds and
// states are of its alphabets. The histogram counts instances; everything else counts runs
// (docs/reading.md).
#include "report/format.h"
#include "report/sections.h"

#include <ctype.h>
#include <string.h>

// A name as the reader knows them: letters, digits, _ / . - + and brackets. "a=b,c=d@e=f" becomes
// "a[b]+c[d]/e[f]", which can be turned back.
static void print_name(struct text *out, const struct report_result *result)
{
    bool open = false;
    for (const char *at = result->name; *at; at++) {
        if (open && (*at == ',' || *at == '@'))
            text_puts(out, "]");
        open = open && *at != ',' && *at != '@';
        if (*at == '=' && !open)
            text_puts(out, "[");
        else if (*at == ',' || *at == '@')
            text_puts(out, *at == ',' ? "+" : "/");
        else if (isalnum((unsigned char)*at) || strchr("_/.-+", *at))
            text_append(out, at, 1);
        else
            text_puts(out, "_");
        open |= *at == '=';
    }
    text_puts(out, open ? "]" : "");
}

// The reader knows three kinds of tests. One whose failing outcome is not forbidden is allowed to
// show it.
static void print_title(struct text *out, const struct report_result *result)
{
    text_puts(out, "Test ");
    print_name(out, result);
    text_printf(out, " %s\n", result->expectation == CAT_FORBIDDEN ? "Forbidden" : "Allowed");
}

// A state is what one location has at the end: ours is called `outcome`.
// Of a litmus test herd's own: "P1:r0=1 x=2 *" is "1:r0=1; x=2;", and * is its mark.
static void print_state(struct text *out, uint64_t count, const char *name)
{
    const size_t length = strlen(name);
    const bool asked = length > 2 && strcmp(name + length - 2, " *") == 0;
    text_printf(out, "%-8ju%s>", (uintmax_t)count, asked ? "*" : ":");
    for (const char *at = name, *end; *at && *at != '*'; at = end + (*end == ' ')) {
        end = at + strcspn(at, " ");
        at += *at == 'P' && strchr("0123456789", at[1]) && memchr(at, ':', (size_t)(end - at));
        if (memchr(at, '=', (size_t)(end - at)))
            text_printf(out, "%s%.*s;", at > name + 1 ? " " : "", (int)(end - at), at);
        else
            text_printf(out, "state=%.*s;", (int)(end - at), at);
    }
    text_puts(out, "\n");
}

static void print_histogram(struct text *out, const struct report_result *result)
{
    unsigned states = 0;
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++)
        states += result->outcomes[outcome] > 0;
    text_printf(out, "Histogram (%u states)\n", states);
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        if (result->outcomes[outcome] == 0)
            continue;
        if (result->mode->check == CAT_CHECK_STATE) {
            print_state(out, result->outcomes[outcome], OUTCOME(result, outcome));
            continue;
        }
        // Runs with an expired wait are neither positive nor negative.
        bool positive = outcome != CAT_NO_PROGRESS && cat_mode_fails(result->mode, outcome);
        const char *name = OUTCOME(result, outcome);
        text_printf(out, "%-8ju%s>outcome=%s", (uintmax_t)result->outcomes[outcome],
                    positive ? "*" : ":", isalpha((unsigned char)name[0]) ? "" : "o_");
        for (; *name; name++)
            text_append(out, isalnum((unsigned char)*name) ? name : "_", 1);
        text_puts(out, ";\n");
    }
}

// What is behind the two lines of witnesses: KEY = VALUE, where the reader looks for Hash alone.
static void print_keys(struct text *out, const struct report_result *result)
{
    if (result->sha256[0])
        text_printf(out, "Hash=%s\n", result->sha256);
    text_printf(out, "Configuration=%s\n", result->name);
    text_printf(out, "Expectation=%s\n", cat_expectation_name(result->expectation));
    if (result->stress[0])
        text_printf(out, "Stress=%s\n", result->stress);
    if (result->rule[0])
        text_printf(out, "Rule=%s\n", result->rule);
    if (result->result != ENG_PASS && result->result != ENG_FAIL)
        text_printf(out, "Result=%s%s%s\n", eng_result_name(result->result),
                    result->reason[0] ? ": " : "", result->reason);
}

static void print_result(struct text *out, const struct report_result *result)
{
    uint64_t good = result->judged - result->failed_runs;
    // A control is there to fail.
    bool as_expected = (result->failed_runs > 0) == (result->expectation == CAT_CONTROL);
    print_title(out, result);
    if (result->runs == 0) {
        // Without this word the reader would take the next test's histogram for this one's.
        text_printf(out, "Fatal: %s%s%s, %s\n\n", eng_result_name(result->result),
                    result->reason[0] ? ": " : "", result->reason, result->name);
        return;
    }
    uint64_t bad = result->failed_runs, judged = result->judged;
    if (result->mode->check == CAT_CHECK_STATE) { // of instances, as there
        const struct report_asked asked = report_asked(result);
        bad = asked.positive;
        judged = asked.all;
        good = judged - bad;
    }
    print_histogram(out, result);
    text_printf(out, "%s\n\nWitnesses\n", as_expected ? "Ok" : "No");
    text_printf(out, "Positive: %ju, Negative: %ju\n", (uintmax_t)bad, (uintmax_t)good);
    print_keys(out, result);
    text_puts(out, "Observation ");
    print_name(out, result);
    text_printf(out, " %s %ju %ju\nTime ", report_observation(bad, judged), (uintmax_t)bad,
                (uintmax_t)good);
    print_name(out, result);
    text_printf(out, " %.2f\n\n", result->seconds);
}

static void print_machine(struct text *out, const struct report_model *model,
                          const struct report_device *device)
{
    const struct store_session *session = &model->session;
    const struct dev_facts *facts = &device->facts;
    const char *shard = SHARD(session);
    text_puts(out, "Machine\n");
    text_printf(out, "Device %s (%s, 0x%04x:0x%04x)\n", facts->name, facts->type, facts->vendor,
                facts->product);
    text_printf(out, "Device UUID %s\n", UUID(facts->device_uuid));
    text_printf(out, "Driver %s %s (%s)\n", facts->driver_name, facts->driver_version,
                facts->driver_info);
    text_printf(out, "Driver UUID %s\n", UUID(facts->driver_uuid));
    text_printf(out, "Vulkan %s, subgroups of %u (%u to %u)\n", API(facts->api), facts->subgroup,
                facts->subgroup_min, facts->subgroup_max);
    if (facts->loader[0])
        text_printf(out, "Loader %s\n", facts->loader);
    text_printf(out, "Checked on %s\n", device->checker);
    text_printf(out, "System %s\n", session->system);
    text_printf(out, "\nParameters\nlitmus %s\nCommand %s\n", session->version, session->command);
    if (shard[0])
        text_printf(out, "Shard %s\n", shard);
    text_printf(out, "Started %s\nSeed 0x%jx\nRuns %ju\n\n", session->started,
                (uintmax_t)session->seed, (uintmax_t)session->runs);
}

void report_herd(const struct report_model *model, struct text *out)
{
    for (size_t device = 0; device < model->device_count; device++) {
        for (size_t i = 0; i < model->result_count; i++) {
            if (model->results[i].device == device)
                print_result(out, &model->results[i]);
        }
        print_machine(out, model, &model->devices[device]);
    }
}
