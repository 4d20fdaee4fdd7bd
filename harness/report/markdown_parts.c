// SPDX-License-Identifier: Apache-2.0
// Text, tables and sentences of Markdown reports.
#include "report/markdown.h"

#include "catalogue/catalogue.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_OF_A_TEXT 2000

// How much of a string is written: whole characters of UTF-8.
static size_t clipped(const char *string)
{
    size_t length = strnlen(string, MOST_OF_A_TEXT + 1);
    if (length <= MOST_OF_A_TEXT)
        return length;
    length = MOST_OF_A_TEXT;
    while (length > 0 && ((unsigned char)string[length] & 0xc0) == 0x80)
        length--;
    return length;
}

void markdown_escape(struct text *out, const char *string)
{
    size_t length = clipped(string);
    for (size_t i = 0; i < length; i++) {
        const char *at = &string[i];
        bool in_word = i > 0 && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
        // Addresses become links where a tracker finds them.
        bool links = (*at == ':' && at[1] == '/') ||
                     (*at == '.' && i >= 3 && strncasecmp(at - 3, "www", 3) == 0);
        if (strchr("\\`*{}[]<>#|!~@&$\"'", *at) || (*at == '_' && !in_word) || links)
            text_printf(out, "&#%d;", *at);
        else
            text_append(out, (unsigned char)*at < ' ' ? " " : at, 1);
    }
    text_puts(out, string[length] ? "..." : "");
}

void markdown_code(struct text *out, const char *string)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "./@=,:+-_";
    if (string[0] && string[strspn(string, safe)] == '\0' && strlen(string) <= MOST_OF_A_TEXT) {
        text_printf(out, "`%s`", string);
        return;
    }
    text_puts(out, "<code>");
    markdown_escape(out, string);
    text_puts(out, "</code>");
}

void markdown_command(struct text *out, const char *line)
{
    size_t length = clipped(line);
    text_puts(out, "    ");
    for (size_t i = 0; i < length; i++)
        text_append(out, (unsigned char)line[i] < ' ' ? " " : &line[i], 1);
    text_puts(out, line[length] ? "...\n\n" : "\n\n");
}

void markdown_fence(struct text *out, const char *language, const char *lines)
{
    size_t longest = 2, run = 0;
    for (const char *at = lines; *at; at++) {
        run = *at == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        text_puts(out, "`");
    text_printf(out, "%s\n%s%s", language, lines,
                lines[0] && lines[strlen(lines) - 1] == '\n' ? "" : "\n");
    for (size_t i = 0; i <= longest; i++)
        text_puts(out, "`");
    text_puts(out, "\n\n");
}

void markdown_fact(struct text *out, const char *name, const char *value)
{
    text_printf(out, "| %s | ", name);
    markdown_escape(out, value);
    text_puts(out, " |\n");
}

void markdown_fold(struct text *out, const char *title)
{
    text_puts(out, "<details><summary>");
    markdown_escape(out, title);
    text_puts(out, "</summary>\n\n");
}

void markdown_unfold(struct text *out)
{
    text_puts(out, "</details>\n\n");
}

void markdown_machine(struct text *out, const struct report_model *model,
                      const struct report_device *device)
{
    const struct store_session *session = &model->session;
    const struct dev_facts *facts = &device->facts;
    char value[1024], api[32], uuid[37], shard[64];
    snprintf(value, sizeof(value), "%s (%s, 0x%04x:0x%04x)", facts->name, facts->type,
             facts->vendor, facts->product);
    markdown_fact(out, "device", value);
    snprintf(value, sizeof(value), "%s %s%s%s%s", facts->driver_name, facts->driver_version,
             facts->driver_info[0] ? " (" : "", facts->driver_info,
             facts->driver_info[0] ? ")" : "");
    markdown_fact(out, "driver", value);
    format_api(api, facts->api);
    snprintf(value, sizeof(value), "%s%s%s", api, facts->loader[0] ? ", loader " : "",
             facts->loader);
    markdown_fact(out, "Vulkan", value);
    format_subgroup(value, facts);
    markdown_fact(out, "subgroup size", value);
    format_uuid(uuid, facts->device_uuid);
    markdown_fact(out, "device UUID", uuid);
    format_uuid(uuid, facts->driver_uuid);
    markdown_fact(out, "driver UUID", uuid);
    markdown_fact(out, "system", session->system);
    markdown_fact(out, "results checked on", device->checker);
    report_shard(shard, session);
    if (shard[0])
        markdown_fact(out, "only", shard);
    snprintf(value, sizeof(value), "%s, session %s", session->version, session->uuid);
    markdown_fact(out, "litmus", value);
    snprintf(value, sizeof(value), "%s, seed 0x%jx", session->started, (uintmax_t)session->seed);
    markdown_fact(out, "started", value);
    markdown_fact(out, "command", session->command);
}

void markdown_headlines(struct text *out, const struct report_model *model, size_t device)
{
    struct report_headline *lines;
    const size_t all = report_headlines(model, device, &lines);
    const size_t count = report_headlines_brief(lines, all);
    if (count > 0)
        text_puts(out, "| headline | runs | failed | rate, 95 % interval | expectation | seen |\n"
                       "| --- | ---: | ---: | --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++) {
        char runs[32], failed[32], rate[80];
        format_interval(rate, lines[i].failed_runs, lines[i].judged, lines[i].interval);
        text_puts(out, "| ");
        markdown_escape(out, lines[i].name);
        if (lines[i].stress[0]) {
            text_puts(out, " under ");
            markdown_escape(out, lines[i].stress);
        }
        text_printf(out, " | %s | %s | %s", text_count(runs, lines[i].runs),
                    text_count(failed, lines[i].failed_runs), rate);
        text_printf(out, " | %s | %s |\n", cat_expectation_name(lines[i].expectation),
                    report_observation(lines[i].failed_runs, lines[i].judged));
    }
    if (count < all) {
        char number[32];
        text_printf(out,
                    "\n%s more, each under stress of its own, in which nothing failed: the JSON "
                    "report has them.\n",
                    text_count(number, all - count));
    }
    text_puts(out, "\n");
    free(lines);
}

void markdown_histogram(struct text *out, const struct report_result *result)
{
    char number[32], all[32];
    text_puts(out, "| outcome | expected | observed |\n| --- | ---: | ---: |\n");
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        char buffer[24];
        if (result->outcomes[outcome] == 0 && outcome != CAT_RIGHT)
            continue;
        const char *expected = outcome == CAT_RIGHT ? text_count(all, result->instances)
                               : cat_mode_fails(&result->mode, outcome) ? "0"
                                                                        : "allowed";
        text_puts(out, "| ");
        markdown_escape(out, report_outcome_name(result, outcome, buffer));
        text_printf(out, " | %s | %s |\n", expected, text_count(number, result->outcomes[outcome]));
    }
    text_puts(out, "\n");
}

void markdown_places(struct text *out, const struct report_result *result, size_t most)
{
    if (result->failure_count == 0)
        return;
    text_puts(out, "| run | instance | where | outcome | got | want |\n"
                   "| ---: | ---: | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < result->failure_count && i < most; i++) {
        const struct eng_failure *failure = &result->failures[i];
        char run[32], instance[32], buffer[24];
        text_printf(out, "| %s | %s | ", text_count(run, failure->at.run + 1),
                    text_count(instance, failure->at.instance));
        markdown_escape(out, failure->where);
        text_puts(out, " | ");
        markdown_escape(out, report_outcome_name(result, failure->at.outcome, buffer));
        text_printf(out, " | `0x%08x` | `0x%08x` |\n", failure->at.got, failure->at.want);
    }
    text_puts(out, "\n");
}

void markdown_remarks(struct text *out, const struct report_result *result)
{
    char factor[32];
    if (result->stress[0]) {
        text_puts(out, "Measured under stress: ");
        markdown_code(out, result->stress);
        text_puts(out, ".\n\n");
    }
    if (result->rule[0]) {
        text_puts(out, "Stopped by the rule ");
        markdown_code(out, result->rule);
        text_puts(out, "; the interval is a confidence sequence, which allows for that.\n\n");
    }
    snprintf(factor, sizeof(factor), "%.1f", sqrt(result->spread.factor));
    if (report_is_bunched(result))
        text_printf(
            out,
            "Failures come in bunches: they vary between parts of the runs by more than chance can "
            "explain (p %.2g), and the interval is too narrow by a factor of about %s.\n\n",
            result->spread.p, factor);
}

void markdown_sentence(struct text *out, const struct report_model *model, size_t device)
{
    const struct dev_facts *facts = &model->devices[device].facts;
    uint64_t failed[CAT_CONTROL + 1] = {0}, ran = 0, unfinished = 0;
    char number[32], all[32];
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        if (result->device != device)
            continue;
        ran += result->runs > 0;
        failed[result->expectation] += report_failed(result);
        unfinished += report_unfinished(result) && !report_failed(result);
    }
    text_puts(out, "On ");
    markdown_escape(out, facts->name);
    text_puts(out, ", driver ");
    markdown_escape(out, facts->driver_version);
    if (failed[CAT_FORBIDDEN] > 0)
        text_printf(out,
                    ", outcomes that the specification forbids were seen in %s of %s "
                    "configurations",
                    text_count(number, failed[CAT_FORBIDDEN]), text_count(all, ran));
    else
        text_printf(out,
                    ", no outcome that the specification forbids was seen in %s configurations",
                    text_count(all, ran));
    if (failed[CAT_CONTESTED] > 0)
        text_printf(out, "; contested ones in %s", text_count(number, failed[CAT_CONTESTED]));
    if (failed[CAT_ASSUMED] > 0)
        text_printf(out, "; ones that programs assume away in %s",
                    text_count(number, failed[CAT_ASSUMED]));
    if (unfinished > 0)
        text_printf(out, "; %s did not finish", text_count(number, unfinished));
}
