// SPDX-License-Identifier: Apache-2.0
// Markdown for a ticket: a sentence, a table, and everything else folded. Cuts at whole rows so
// that it fits into a comment of the usual trackers (64 KB), and says how much it left out.
#include "report/markdown.h"

#include <string.h>

#define FAILURES_AT  48000 // bytes: failures after this come without details
#define MOST_PLACES  5     // failing instances to show for each failure
#define MOST_TICKETS 4     // devices that get a ticket each
#define CODE_MOST    20000 // bytes of code for one device, which failures leave free
#define CODE_UNTIL   56000 // bytes: no code after this

struct writer {
    const struct report_model *model;
    const struct report_code *code;
    struct text *out;
    size_t start; // where this report begins in `out`
};

static size_t used(const struct writer *w)
{
    return w->out->length - w->start;
}

// Failures leave room for the device's code, if it has any.
static size_t failures_until(const struct writer *w, size_t device)
{
    return w->code->studies[device].count ? CODE_UNTIL - CODE_MOST : FAILURES_AT;
}

static void print_code(const struct writer *w, size_t device)
{
    const size_t left = used(w) < CODE_UNTIL ? CODE_UNTIL - used(w) : 0;
    markdown_codes(w->out, w->code, device, left < CODE_MOST ? left : CODE_MOST);
}

// What the first member of a block did, folded.
static void print_first(const struct writer *w, const struct result *result)
{
    OWNED(text_free) struct text title = {0};
    text_printf(&title, "%s %s", result->id, result->label);
    markdown_fold(w->out, title.data);
    format_failed(w->out, result);
    text_puts(w->out, result->first_run_failed ? ". The first run failed." : ".");
    if (result->result != ENG_FAIL) {
        OWNED(text_free) struct text end = {0};
        format_end(&end, result);
        markdown_printf(w->out, " It ended with %s.", end.data);
    }
    text_puts(w->out, "\n\n");
    markdown_remarks(w->out, result);
    markdown_result(w->out, result, MOST_PLACES);
    text_printf(w->out, "SPIR-V SHA-256: `%s`\n\n", result->sha256[0] ? result->sha256 : "none");
    markdown_unfold(w->out);
}

static void print_blocks(const struct writer *w, size_t device, const char *title,
                         bool (*which)(const struct result *result))
{
    struct report_block *list;
    const size_t count = report_blocks(w->code, device, which, &list);
    size_t done = 0;
    if (count > 0)
        text_printf(w->out, "## %s\n\n", title);
    for (; done < count && used(w) < failures_until(w, device); done++) {
        markdown_block(w->out, &list[done]);
        if (list[done].count > 1) {
            markdown_fold(w->out, "Its configurations");
            markdown_members(w->out, &list[done], w->start + failures_until(w, device));
            markdown_unfold(w->out);
        }
        print_first(w, list[done].members[0]);
    }
    if (done < count) {
        text_printf(w->out,
                    "*%s more, left out because a bug report holds 64 KB. The JSON report has "
                    "all.*\n\n",
                    COUNT(count - done));
    }
    report_blocks_free(list, count);
}

static void print_section(const struct writer *w, size_t device, report_section *make, unsigned how,
                          size_t limit)
{
    markdown_section(w->model, device, make, how, w->start + limit, w->out);
}

static void print_session(const struct report_code *code, struct text *out)
{
    const struct report_model *model = code->model;
    struct writer w = {.model = model, .code = code, .out = out, .start = out->length};
    for (size_t device = 0; device < model->device_count && used(&w) < FAILURES_AT; device++) {
        const struct dev_facts *facts = &model->devices[device].facts;
        markdown_printf(out, "# Subgroup litmus tests: %s, driver %s\n\n", facts->name,
                        facts->driver_version);
        markdown_verdict(out, model, device);
        print_section(&w, device, report_key_results, 0, FAILURES_AT);
        print_section(&w, device, report_controls, 0, FAILURES_AT);
        print_section(&w, device, report_machine, MARKDOWN_FOLD, FAILURES_AT);
        print_section(&w, device, report_rule_outcomes, 0, FAILURES_AT);
        print_section(&w, device, report_barriers, MARKDOWN_FOLD, FAILURES_AT);
        print_blocks(&w, device, "Failures", report_failed);
        print_code(&w, device);
        print_blocks(&w, device, "Incomplete", report_unfinished_only);
    }
    for (size_t device = 0; device < model->device_count && used(&w) < MARKDOWN_MOST; device++) {
        if (model->device_count > 1) {
            markdown_printf(out, "## All of %s\n\n", model->devices[device].facts.name);
        }
        print_section(&w, device, report_family_counts, MARKDOWN_FOLD, MARKDOWN_MOST);
        print_section(&w, device, report_barriers, MARKDOWN_FOLD | MARKDOWN_ALL | MARKDOWN_BARE,
                      FAILURES_AT);
        print_section(&w, device, report_final_states, MARKDOWN_FOLD, MARKDOWN_MOST);
        print_section(&w, device, report_divergence, MARKDOWN_FOLD, MARKDOWN_MOST);
        print_section(&w, device, report_waits, MARKDOWN_FOLD, MARKDOWN_MOST);
        print_section(&w, device, report_skipped, MARKDOWN_FOLD | MARKDOWN_ALL, MARKDOWN_MOST);
        print_section(&w, device, report_every, MARKDOWN_FOLD, MARKDOWN_MOST);
    }
}

// A report on a single configuration becomes a ticket.
static bool is_ticket(const struct report_model *model)
{
    if (!model->only_test[0] || model->result_count == 0 || model->result_count > MOST_TICKETS)
        return false;
    for (size_t i = 1; i < model->result_count; i++)
        if (strcmp(model->results[i].name, model->results[0].name) != 0)
            return false;
    return true;
}

void report_markdown(const struct report_model *model, struct text *out)
{
    struct report_code code;
    report_code_load(model, is_ticket(model) ? model->results[0].test : NULL, &code);
    if (!is_ticket(model))
        print_session(&code, out);
    for (size_t i = 0; i < model->result_count && is_ticket(model); i++)
        markdown_ticket(out, &code, &model->results[i], MARKDOWN_MOST / model->result_count);
    report_code_clear(&code);
}
