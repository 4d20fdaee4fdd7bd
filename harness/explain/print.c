// SPDX-License-Identifier: Apache-2.0
// Prints the first fault.

#include "explain/explain.h"

#include "engine/drivers.h"

// Building blocks

// "lane 2", with its subgroup and workgroup if the dispatch has several.
static void put_who(const struct exp_trace *trace, uint32_t invocation, struct text *text)
{
    text_printf(text, "lane %u", exp_lane(trace, invocation));
    if (trace->subgroups > 1)
        text_printf(text, " of subgroup %u", exp_subgroup(trace, invocation));
    if (trace->invocations > trace->subgroups * trace->subgroup)
        text_printf(text, " of workgroup %u", exp_group(trace, invocation));
}

// The same, but only the lane if it is in the subgroup of `other`.
static void put_other(const struct exp_trace *trace, uint32_t invocation, uint32_t other,
                      struct text *text)
{
    if (invocation / trace->subgroup == other / trace->subgroup)
        text_printf(text, "lane %u", exp_lane(trace, invocation));
    else
        put_who(trace, invocation, text);
}

// "{0, 2-5}"
static void put_set(const struct exp_lanes *lanes, struct text *text)
{
    const char *comma = "";
    text_puts(text, "{");
    for (uint32_t lane = 0; lane < EXP_LANES; lane++) {
        uint32_t last = lane;
        if (!exp_lanes_has(lanes, lane))
            continue;
        while (exp_lanes_has(lanes, last + 1))
            last++;
        text_printf(text, last > lane ? "%s%u-%u" : "%s%u", comma, lane, last);
        comma = ", ";
        lane = last;
    }
    text_puts(text, "}");
}

static void put_values(const struct exp_fault *b, struct text *text)
{
    text_printf(text, ": got 0x%" PRIx64 ", expected 0x%" PRIx64, b->got, b->want);
}

static void put_iteration(uint32_t iteration, bool loops, struct text *text)
{
    if (loops || iteration > 1)
        text_printf(text, " in iteration %u", iteration);
}

// The sentence of each cause

static void put_cross_lane(const struct exp_trace *t, const struct exp_fault *b, struct text *text)
{
    const uint32_t reader = t->steps[b->step].invocation;
    const uint32_t mine = b->reader_iteration, theirs = b->source_iteration;
    put_who(t, reader, text);
    text_puts(text, " read ");
    put_other(t, b->source, reader, text);
    text_printf(text, "'s %s", b->name);
    put_iteration(mine, b->iterations > 1 || theirs > 1, text);
    if (theirs == 0) {
        text_puts(text, " before ");
        put_other(t, b->source, reader, text);
        text_puts(text, " had computed it");
    } else if (theirs != mine) {
        text_puts(text, " while ");
        put_other(t, b->source, reader, text);
        text_printf(text, " was %s in iteration %u", theirs > mine ? "already" : "still", theirs);
    }
    put_values(b, text);
}

static void put_tangle(const struct exp_trace *t, const struct exp_fault *b, struct text *text)
{
    const struct exp_step *step = &t->steps[b->step];
    struct exp_lanes missing, extra;
    char name[64];
    for (int i = 0; i < 2; i++) {
        missing.words[i] = b->want_tangle.words[i] & ~step->tangle.words[i];
        extra.words[i] = step->tangle.words[i] & ~b->want_tangle.words[i];
    }
    const bool lacks = missing.words[0] || missing.words[1];
    const bool more = extra.words[0] || extra.words[1];
    exp_code_word(&t->codes[step->code], 0, name, sizeof name);
    put_who(t, step->invocation, text);
    text_printf(text, " executed %s", name);
    put_iteration(b->iteration, b->iterations > 1, text);
    if (lacks) {
        text_puts(text, " without the lanes ");
        put_set(&missing, text);
        text_puts(text, ", which are in its tangle");
    }
    if (more) {
        text_printf(text, "%s with the lanes ", lacks ? ", and" : "");
        put_set(&extra, text);
        text_puts(text, ", which are not in its tangle");
    }
    if (!lacks && !more)
        text_puts(text, " with the prescribed lanes, of which one had another value");
    put_values(b, text);
}

static void put_load(const struct exp_trace *t, const struct exp_fault *b, struct text *text)
{
    const struct exp_step *step = &t->steps[b->step];
    const struct exp_step *stored = b->stored == EXP_NO_STEP ? NULL : &t->steps[b->stored];
    put_who(t, step->invocation, text);
    text_printf(text, " loaded from 0x%" PRIx64, step->address);
    put_iteration(b->iteration, b->iterations > 1, text);
    if (stored && stored->value != b->got) {
        text_puts(text, " another value than ");
        put_other(t, stored->invocation, step->invocation, text);
        text_printf(text, " had stored there last, 0x%" PRIx64 ", a stale value", stored->value);
    } else if (b->expected_store != EXP_NO_STEP && b->expected_store > b->step) {
        text_puts(text, " before ");
        put_other(t, t->steps[b->expected_store].invocation, step->invocation, text);
        text_puts(text, " had stored there");
    } else if (stored) {
        text_puts(text, " what ");
        put_other(t, stored->invocation, step->invocation, text);
        text_puts(text, " had stored there last");
    }
    put_values(b, text);
}

static void put_plain(const struct exp_trace *t, const struct exp_fault *b, struct text *text)
{
    const struct exp_step *step = &t->steps[b->step];
    char name[64];
    put_who(t, step->invocation, text);
    if (b->cause == EXP_CAUSE_STORE) {
        text_printf(text, " stored a wrong value to 0x%" PRIx64, step->address);
    } else if (b->cause == EXP_CAUSE_BRANCH) {
        text_puts(text, " took a different branch");
    } else {
        exp_code_word(&t->codes[step->code], 0, name, sizeof name);
        text_printf(text, " executed %s", name);
    }
    put_iteration(b->iteration, b->iterations > 1, text);
    text_printf(text, ": %s 0x%" PRIx64 ", expected 0x%" PRIx64,
                b->cause == EXP_CAUSE_STORE    ? "it stored"
                : b->cause == EXP_CAUSE_BRANCH ? "it chose by"
                                               : "the result was",
                b->got, b->want);
}

void exp_sentence(const struct exp_trace *trace, const struct exp_fault *fault, struct text *text)
{
    switch (fault->cause) {
    case EXP_CAUSE_CROSS_LANE:
        put_cross_lane(trace, fault, text);
        break;
    case EXP_CAUSE_TANGLE:
        put_tangle(trace, fault, text);
        break;
    case EXP_CAUSE_LOAD:
        put_load(trace, fault, text);
        break;
    case EXP_CAUSE_STORE:
    case EXP_CAUSE_BRANCH:
    case EXP_CAUSE_RESULT:
        put_plain(trace, fault, text);
        break;
    case EXP_CAUSE_STUCK:
        text_puts(text, "the dispatch did not end");
        if (fault->step != EXP_NO_STEP)
            text_puts(text, ": below is what invocations that had not ended executed last");
        break;
    case EXP_CAUSE_NONE:
        text_puts(text, "no single step is at fault: every prescribed value was correct; the "
                        "failure follows from unspecified behaviour");
        break;
    }
}

// The steps

static void put_step(const struct exp_trace *t, const struct exp_fault *b, size_t index,
                     struct text *text)
{
    const struct exp_step *step = &t->steps[index];
    const struct exp_code *code = &t->codes[step->code];
    const bool together =
        code->kind == EXP_TANGLED || code->kind == EXP_CROSS_LANE || code->kind == EXP_BARRIER;
    OWNED(text_free) struct text with = {0};
    char value[32] = "-", from[32] = "-";
    if (together)
        put_set(&step->tangle, &with);
    if (step->has_value)
        snprintf(value, sizeof value, "0x%" PRIx64, step->value);
    if (step->source != EXP_NO_LANE)
        snprintf(from, sizeof from, "lane %u", step->source);
    else if (step->has_address)
        snprintf(from, sizeof from, "0x%" PRIx64, step->address);
    text_printf(text, "%s %8" PRIu64 "  %4u  %4u  %-8s  %-10s  %-18s  %s\n",
                index == b->step ? ">>" : "  ", step->time, exp_lane(t, step->invocation),
                exp_executions(t, step->invocation, step->code, index) + 1,
                together ? with.data : "-", value, from,
                code->text[0] ? code->text : "(no instruction of its own)");
    if (index == b->step && b->has_got)
        text_printf(text, "   prescribed                     0x%" PRIx64 "\n", b->want);
}

static void put_steps(const struct exp_trace *t, const struct exp_fault *b,
                      const struct exp_window *window, struct text *text)
{
    uint32_t before = UINT32_MAX;
    bool several = false;
    for (size_t i = 1; i < window->row_count; i++)
        several |= window->rows[i].involved && window->rows[i].invocation / t->subgroup !=
                                                   window->rows[0].invocation / t->subgroup;
    text_puts(text, "\n       time  lane  iter  with      value       from or at          "
                    "instruction\n");
    for (size_t i = 0; i < window->step_count; i++) {
        const struct exp_shown *shown = &window->steps[i];
        const struct exp_row *row = &window->rows[shown->row];
        if (!row->involved)
            continue;
        if (several && row->invocation / t->subgroup != before) {
            before = row->invocation / t->subgroup;
            text_printf(text, "  subgroup %u of workgroup %u\n", exp_subgroup(t, row->invocation),
                        exp_group(t, row->invocation));
        }
        put_step(t, b, shown->step, text);
    }
    text_puts(text, "\n");
}

// The rest

static void put_outcome(const struct exp_found *found, struct text *text)
{
    OWNED(text_free) struct text line = {0};
    char number[32];
    const struct eng_count *count = &found->outcome.count;
    const struct cat_oracle *oracle = found->which.test->oracle;
    const struct cat_mode mode = cat_mode_of(oracle);
    if (found->outcome.result == ENG_FAIL && count->failure_count > 0) {
        const struct eng_failure *first = &found->outcome.first;
        const char *outcome = cat_mode_name(&mode, first->at.outcome);
        text_printf(&line, "%s %" PRIu64 ", word %" PRIu64 " (%s): it stored 0x%x",
                    oracle->instance, first->at.instance, first->at.word, first->where,
                    first->at.got);
        // A choice has several correct values.
        if (mode.check != CAT_CHECK_CHOICE)
            text_printf(&line, ", expected 0x%x", first->at.want);
        text_printf(&line, " (%s)", outcome ? outcome : "wrong");
        text_printf(&line, "; %s of %" PRIu64 " failed in this run",
                    text_count(number, count->failed_instances), count->instances);
    } else {
        text_printf(&line, "%s", eng_result_name(found->outcome.result));
        if (found->outcome.reason[0])
            text_printf(&line, ": %s", found->outcome.reason);
    }
    text_paragraph(text, "then       ", line.data);
}

void exp_print(const struct exp_found *found, const struct exp_fault *fault,
               const struct exp_window *window, const char *again, struct text *text)
{
    const struct exp_trace *trace = &found->failing;
    const struct cat_head *head = &found->which.test->head;
    const char *reason = NULL, *model = eng_simt_model(found->settings);
    const enum cat_expectation expectation = cat_case_expectation(&found->which, &reason);
    OWNED(text_free) struct text line = {0};
    char tries[32], failed[32], steps[32], switches[32];
    OWNED(text_free) struct text name = {0};
    cat_case_name(&found->which, &name);
    cat_name_shown(name.data, text);
    text_puts(text, "\n\n");
    text_paragraph(text, "asks       ", head->asks);
    text_paragraph(text, "fails      ", head->fails);
    text_printf(&line, "%s: %s", cat_expectation_name(expectation), reason ? reason : "");
    text_paragraph(text, "expect     ", line.data);
    text_free(&line);
    text_printf(&line, "%s: %s", model, eng_simt_about(model));
    text_paragraph(text, "model      ", line.data);
    text_free(&line);
    if (found->given)
        text_puts(&line, "the run that was named: ");
    else
        text_printf(&line, "%s %s failed, of %s; this one is the shortest: ",
                    text_count(failed, found->failed_tries),
                    found->failed_tries == 1 ? "run" : "runs", text_count(tries, found->tries));
    text_printf(&line, "%s preemptions, %s executed instructions",
                text_count(switches, trace->switches), text_count(steps, trace->step_count));
    text_paragraph(text, "found      ", line.data);
    text_free(&line);
    exp_sentence(trace, fault, &line);
    text_puts(text, "\n");
    text_paragraph(text, "broke      ", line.data);
    if (window->step_count)
        put_steps(trace, fault, window, text);
    put_outcome(found, text);
    text_printf(text, "settings   %s\nreproduce  %s\n", found->settings, again);
}
