// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of the SIMT simulator's traces, and what is printed and drawn of them.
#include "fuzz.h"

#include "explain/explain.h"
#include "explain/race.h"

static void check_trace(const struct exp_trace *trace)
{
    MUST(trace->subgroup >= 1 && trace->subgroup <= EXP_LANES);
    MUST(trace->invocations <= EXP_TRACE_INVOCATIONS);
    MUST(trace->first[0] == 0 && trace->first[trace->invocations] == trace->step_count);
    for (size_t i = 0; i < trace->step_count; i++) {
        const struct exp_step *step = &trace->steps[i];
        MUST(step->code < trace->code_count && step->invocation < trace->invocations);
        MUST(step->source < trace->subgroup || step->source == EXP_NO_LANE);
        MUST(i == 0 || trace->steps[i - 1].time <= step->time);
    }
    for (size_t i = 0; i < trace->code_count; i++)
        for (const char *c = trace->codes[i].text; *c; c++)
            MUST(*c >= ' ' && *c < 0x7f);
}

static void look_for_misuse(const struct exp_trace *trace)
{
    OWNED(lit_free) struct exp_bytes *buffers = calloc(trace->buffer_count + 1, sizeof *buffers);
    const struct exp_dispatch of = {.trace = trace, .buffers = buffers};
    OWNED(exp_findings_clear) struct exp_findings findings = {0};
    for (size_t i = 0; i < trace->buffer_count; i++)
        buffers[i].size = i * 64;
    if (exp_find_misuse(&of, &findings, NULL))
        for (size_t i = 0; i < findings.count; i++)
            MUST(findings.items[i].step < trace->step_count && findings.items[i].times > 0 &&
                 findings.items[i].other < trace->code_count);
}

static void describe(const struct exp_trace *trace, const struct exp_trace *reference)
{
    struct exp_fault fault;
    OWNED(exp_window_clear) struct exp_window window;
    OWNED(text_free) struct text sentence = {0}, words = {0}, picture = {0};
    char letter[] = "a";
    const struct cat_oracle oracle = {.instance = "i"};
    const struct cat_test test = {.head = {.name = letter,
                                           .asks = letter,
                                           .fails = letter,
                                           .expect = {{.reason = letter}},
                                           .expect_count = 1},
                                  .oracle = &oracle};
    const struct exp_found found = {.which = {.test = &test},
                                    .settings = "s",
                                    .failing = *trace,
                                    .outcome = {.result = ENG_NO_PROGRESS, .count = {.runs = 1}}};
    exp_fault_find(trace, reference, reference, &fault);
    MUST(fault.step == EXP_NO_STEP || fault.step < trace->step_count);
    exp_window_make(trace, &fault, &window);
    exp_sentence(trace, &fault, &sentence);
    MUST(sentence.length > 0 && !strpbrk(sentence.data, "\n\r\033"));
    exp_print(&found, &fault, &window, "a", &words);
    exp_picture(trace, &fault, &window, "title", trace->model, sentence.data, &picture);
    MUST(!strpbrk(picture.data, "\r\033"));
}

// A NUL parts the trace from its reference.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *end = size ? memchr(text, '\0', size) : NULL;
    const size_t first = end ? (size_t)(end - text) : size;
    struct exp_trace trace, reference;
    struct lit_error error = {0};
    // What takes long to clear is no fault, but keeps the fuzzer from looking further.
    bool good = exp_trace_read(text, first, &trace, &error);
    if (good && trace.invocations <= 4096) {
        check_trace(&trace);
        look_for_misuse(&trace);
        const bool has = end && exp_trace_read(end + 1, size - first - 1, &reference, NULL);
        describe(&trace, has ? &reference : NULL);
        if (end)
            exp_trace_clear(&reference);
    } else if (!good) {
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033"));
    }
    exp_trace_clear(&trace);
    return 0;
}
