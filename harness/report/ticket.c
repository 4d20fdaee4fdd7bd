// SPDX-License-Identifier: Apache-2.0
// The ticket on one configuration: one sentence, one table, how to repeat it; then, folded, all
// that helps to believe and to understand it.
#include "catalogue/catalogue.h"
#include "report/evidence.h"
#include "report/excerpt.h"
#include "report/markdown.h"
#include "report/references.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TWINS   16
#define MOST_PLACES  8
#define EXCERPT      40   // lines of the test's text
#define EVIDENCE     60   // lines
#define ROOM_TO_FOLD 6000 // bytes that a folded part needs at most, but for the excerpt

struct ticket {
    const struct report_model *model;
    const struct report_result *result;
    struct text *out;
    bool known;            // this program has the configuration
    struct cat_case which; // if so
    const char *reason;    // likewise: of the expectation
};

static const char *meaning(enum cat_expectation expectation)
{
    static const char *const sentences[] = {
        [CAT_FORBIDDEN] = "The specification forbids the failing outcome",
        [CAT_CONTESTED] = "On the failing outcome the specification is silent or disputed",
        [CAT_ASSUMED] = "The specification allows the failing outcome, but real programs rely on "
                        "its absence",
        [CAT_CONTROL] = "This is a control: its failing outcome is legal, or certain",
    };
    return sentences[expectation];
}

// What, on what, how often, and whether that is a bug.
static void print_sentence(const struct ticket *t)
{
    const struct report_result *result = t->result;
    const struct dev_facts *facts = &t->model->devices[result->device].facts;
    char failed[32], runs[32], rate[80];
    struct text outcomes = {0};
    format_interval(rate, result->failed_runs, result->judged, result->interval);
    format_outcomes(&outcomes, result);
    markdown_code(t->out, result->name);
    if (result->failed_runs > 0)
        text_printf(t->out, " **failed in %s of %s runs** (%s, 95 %%)",
                    text_count(failed, result->failed_runs), text_count(runs, result->runs), rate);
    else if (result->judged > 0)
        text_printf(t->out, " **never failed in %s runs** (%s, 95 %%)",
                    text_count(runs, result->judged), rate);
    else
        text_printf(t->out, " **ended with %s**", eng_result_name(result->result));
    text_puts(t->out, " on ");
    markdown_escape(t->out, facts->name);
    text_puts(t->out, ", driver ");
    markdown_escape(t->out, facts->driver_version);
    if (outcomes.data) {
        text_puts(t->out, ": ");
        markdown_escape(t->out, outcomes.data);
    }
    text_printf(t->out, ". %s", meaning(result->expectation));
    if (t->reason && t->reason[0]) {
        text_puts(t->out, ": ");
        markdown_escape(t->out, t->reason);
    }
    text_puts(t->out, ".\n\n");
    text_free(&outcomes);
}

static void print_table(const struct ticket *t)
{
    const struct report_result *result = t->result;
    struct text line = {0};
    char number[32];
    text_puts(t->out, "| | |\n| --- | --- |\n");
    text_printf(&line, "%s, %s, %s", eng_result_name(result->result),
                cat_expectation_name(result->expectation),
                report_observation(result->failed_runs, result->judged));
    if (result->reason[0])
        text_printf(&line, ": %s", result->reason);
    markdown_fact(t->out, "result", line.data);
    text_free(&line);
    if (result->failure_count > 0) {
        const struct eng_failure *first = &result->failures[0];
        char name[24];
        text_printf(&line, "run %s, ", text_count(number, first->at.run + 1));
        text_printf(&line, "instance %s%s%s: %s, got 0x%08x, wanted 0x%08x",
                    text_count(number, first->at.instance), first->where[0] ? ", " : "",
                    first->where, report_outcome_name(result, first->at.outcome, name),
                    first->at.got, first->at.want);
        markdown_fact(t->out, "first failure", line.data);
        text_free(&line);
        markdown_fact(t->out, "first run failed", result->first_run_failed ? "yes" : "no");
    }
    markdown_fact(t->out, "SPIR-V SHA-256", result->sha256[0] ? result->sha256 : "none");
    markdown_machine(t->out, t->model, &t->model->devices[result->device]);
    text_puts(t->out, "\n");
}

static void print_again(const struct ticket *t)
{
    struct text again = {0};
    format_again(&again, t->model, t->result);
    text_puts(t->out, "To repeat it:\n\n");
    markdown_command(t->out, again.data);
    text_free(&again);
}

static void print_question(const struct ticket *t)
{
    const struct cat_head *head = &t->which.test->head;
    markdown_fold(t->out, "What is asked, and what the specification says");
    markdown_escape(t->out, head->asks);
    text_puts(t->out, "\n\nA failure means: ");
    markdown_escape(t->out, head->fails);
    text_puts(t->out, "\n\n");
    for (size_t i = 0; i < head->spec_count; i++) {
        text_puts(t->out, "- ");
        markdown_escape(t->out, head->spec[i]);
        text_puts(t->out, "\n");
    }
    text_puts(t->out, "\nWhere the case comes from: ");
    markdown_escape(t->out, head->origin);
    text_puts(t->out, "\n\n");
    markdown_unfold(t->out);
}

static void print_outcomes(const struct ticket *t)
{
    if (t->result->instances == 0)
        return;
    markdown_fold(t->out, "Expected and observed");
    text_printf(t->out, "Instances over all runs%s%s:\n\n", t->known ? ", one for each " : "",
                t->known ? t->which.test->oracle->instance : "");
    markdown_histogram(t->out, t->result);
    if (t->result->failure_count > 0)
        text_puts(t->out, "The first instances that failed:\n\n");
    markdown_places(t->out, t->result, MOST_PLACES);
    markdown_unfold(t->out);
}

// Of a crash, a hang or a lost device.
static void print_evidence(const struct ticket *t)
{
    for (size_t i = 0; i < ENG_EVIDENCES; i++) {
        const enum eng_evidence kind = (enum eng_evidence)i;
        struct text lines = {0};
        report_evidence_lines(&lines, t->result, kind, EVIDENCE, "");
        if (lines.length > 0) {
            // What does not fit has its beginning left out.
            const size_t over = lines.length < ROOM_TO_FOLD ? 0 : lines.length - ROOM_TO_FOLD;
            const char *from = over ? strchr(lines.data + over, '\n') : lines.data;
            markdown_fold(t->out, report_evidence_title(kind));
            markdown_fence(t->out, "", from ? from + (over > 0) : lines.data + over);
            markdown_unfold(t->out);
        }
        text_free(&lines);
    }
}

// Twins: other variants of the same test

struct twin {
    const struct report_result *result;
    size_t differences;
};

static int compare_twins(const void *left, const void *right)
{
    const struct twin *a = left, *b = right;
    bool a_fails = a->result->failed_runs > 0, b_fails = b->result->failed_runs > 0;
    if (a->differences != b->differences)
        return a->differences < b->differences ? -1 : 1;
    if (a_fails != b_fails)
        return a_fails ? 1 : -1;
    return strcmp(a->result->name, b->result->name);
}

// Under the same stress, or it is another measurement; without those that were not measured.
static size_t find_twins(const struct ticket *t, struct twin *twins)
{
    const struct report_model *model = t->model;
    size_t count = 0;
    for (size_t i = 0; i < model->result_count + model->rest_count; i++) {
        const struct report_result *other =
            i < model->result_count ? &model->results[i] : &model->rest[i - model->result_count];
        if (other->device == t->result->device && !strcmp(other->test, t->result->test) &&
            strcmp(other->name, t->result->name) != 0 && other->judged > 0 &&
            !strcmp(other->stress, t->result->stress))
            twins[count++] = (struct twin){other, report_differences(t->result, other, NULL)};
    }
    qsort(twins, count, sizeof(*twins), compare_twins);
    return count;
}

static void print_twin(const struct ticket *t, const struct twin *twin)
{
    struct text names = {0};
    char runs[32], failed[32], rate[80];
    report_differences(t->result, twin->result, &names);
    format_interval(rate, twin->result->failed_runs, twin->result->judged, twin->result->interval);
    text_puts(t->out, "| ");
    markdown_code(t->out, names.data ? names.data : "nothing");
    text_printf(t->out, " | %s | %s | ", text_count(runs, twin->result->runs),
                text_count(failed, twin->result->failed_runs));
    markdown_escape(t->out, rate);
    text_printf(t->out, " | %s |\n", cat_expectation_name(twin->result->expectation));
    text_free(&names);
}

static void print_twins(const struct ticket *t)
{
    struct twin *twins =
        lit_alloc(t->model->result_count + t->model->rest_count + 1, sizeof(*twins));
    size_t count = find_twins(t, twins), cures = 0;
    char number[32];
    if (count > 0) {
        markdown_fold(t->out, "Twins: the same test with other choices, in this session");
        text_puts(t->out, "| differs in | runs | failed | rate, 95 % interval | expectation |\n"
                          "| --- | ---: | ---: | --- | --- |\n");
        for (size_t i = 0; i < count && i < MOST_TWINS; i++)
            print_twin(t, &twins[i]);
        if (count > MOST_TWINS)
            text_printf(t->out, "\n*and %s more*\n", text_count(number, count - MOST_TWINS));
        text_puts(t->out, "\n");
        for (size_t i = 0; i < count && t->result->failed_runs > 0; i++) {
            if (twins[i].differences > 1 || twins[i].result->failed_runs > 0 || cures == 4)
                continue;
            struct text names = {0};
            report_differences(t->result, twins[i].result, &names);
            text_puts(t->out, cures++ ? ", "
                                      : "One choice alone makes it go away, as far as these "
                                        "runs can say: ");
            markdown_code(t->out, names.data ? names.data : "nothing");
            text_free(&names);
        }
        text_puts(t->out, cures ? ".\n\n" : "");
        markdown_unfold(t->out);
    }
    free(twins);
}

static void print_models(const struct ticket *t)
{
    const struct report_reference *row = report_reference_find(t->result->name);
    if (!row)
        return;
    markdown_fold(t->out, "What the models of the reference driver do with it");
    text_puts(t->out, "The reference driver executes SPIR-V by the rules of a model. Runs of this "
                      "variant, of all subgroup sizes that were tried:\n\n"
                      "| model | failed runs |\n| --- | --- |\n");
    for (size_t i = 0; report_reference_models[i]; i++) {
        if (row->by[i].runs > 0)
            text_printf(t->out, "| %s | %s%u of %u%s |\n", report_reference_models[i],
                        row->by[i].failed ? "**" : "", row->by[i].failed, row->by[i].runs,
                        row->by[i].failed ? "**" : "");
    }
    text_puts(t->out,
              "\nA model that fails it does one thing that this device may do too; one that "
              "passes does not prove that the device does otherwise. See one of them fail "
              "step by step:\n\n");
    struct text command = {0};
    text_puts(&command, "./litmus explain ");
    format_quoted(&command, t->result->name);
    markdown_command(t->out, command.data);
    text_free(&command);
    markdown_unfold(t->out);
}

static void print_excerpt(const struct ticket *t, size_t room)
{
    const struct cat_module *module = cat_case_module(&t->which);
    const struct cat_test *test = t->which.test;
    const char *variant = module ? module->variant : "";
    struct text lines = {0}, title = {0};
    // Behind the head: its last line.
    const char *source = cat_test_source(test), *body = strstr(source, "\n; oracle");
    report_excerpt(&lines, body ? body + 1 + strcspn(body + 1, "\n") : source, report_includes,
                   test->head.family, variant, module ? module->subgroup : 0, EXCERPT);
    if (lines.data && lines.length < room) {
        text_printf(&title, "The code, around what is asked about (%s)",
                    variant[0] ? variant : "the only variant");
        markdown_fold(t->out, title.data);
        if (module && t->result->sha256[0] && strcmp(module->sha256, t->result->sha256) != 0)
            text_puts(t->out, "**The module that was run is of another version of the test; this "
                              "is the code of the program that wrote this report.**\n\n");
        markdown_fence(t->out, "", lines.data);
        text_puts(t->out, "All of it:\n\n");
        text_free(&title);
        text_printf(&title, "./litmus show %s", test->head.name);
        markdown_command(t->out, title.data);
        markdown_unfold(t->out);
    }
    text_free(&lines);
    text_free(&title);
}

void markdown_ticket(struct text *out, const struct report_code *code,
                     const struct report_result *result, size_t most)
{
    const struct report_model *model = code->model;
    struct ticket t = {.model = model, .result = result, .out = out};
    const struct dev_facts *facts = &model->devices[result->device].facts;
    const size_t limit = out->length + most;
    struct lit_error error = {0};
    t.known = cat_case_find(&result->cfg, &t.which, &error);
    if (t.known)
        cat_case_expectation(&t.which, &t.reason);
    text_puts(out, "# ");
    markdown_code(out, result->test);
    text_puts(out, " on ");
    markdown_escape(out, facts->name);
    text_puts(out, ", driver ");
    markdown_escape(out, facts->driver_version);
    text_puts(out, "\n\n");
    print_sentence(&t);
    markdown_remarks(out, result);
    print_table(&t);
    print_again(&t);
    // Long strings of a strange store leave less room: what does not fit is left out as a whole.
    print_outcomes(&t);
    print_evidence(&t);
    if (out->length + ROOM_TO_FOLD < limit)
        print_twins(&t);
    if (t.known && out->length + ROOM_TO_FOLD < limit)
        print_question(&t);
    if (out->length + ROOM_TO_FOLD < limit)
        print_models(&t);
    if (out->length + ROOM_TO_FOLD < limit)
        markdown_one_code(out, code, result, (limit - out->length) * 2 / 3);
    if (t.known && out->length + ROOM_TO_FOLD < limit)
        print_excerpt(&t, limit - out->length - ROOM_TO_FOLD / 2);
}
