// SPDX-License-Identifier: Apache-2.0
// Fuzzes what a comparison reads from files. The first byte of an input says what the rest is: 'W',
// 'F', 'S', 'K', 'C': waivers, deqp-runner's lists, caselists; 'A': an axis; 'R': a JSON report,
// which is checked as one that somebody sent, and then compared with itself and told in every form.
#include "fuzz.h"

#include "compare/compare.h"
#include "session/session.h"

#include <jansson.h>

static void check_error(bool done, const struct lit_error *error)
{
    if (!done)
        MUST(error->message[0] && !strpbrk(error->message, "\n\r\033"));
}

static void fuzz_list(enum compare_list list, const char *text, size_t size)
{
    static const char *const names[] = {"shuffle.scan-loop/sync=none@workgroup=64,subgroup=8",
                                        "a.b", "a.b@subgroup=8", ""};
    OWNED(compare_waivers_clear) struct compare_waivers waivers = {0};
    struct lit_error error = {0};
    bool good = compare_waivers_parse(&waivers, list, text, size, "list", &error);
    check_error(good, &error);
    for (size_t i = 0; good && i < sizeof names / sizeof *names; i++) {
        struct result result = {.name = (char *)names[i], .result = ENG_CRASH};
        struct compare_entry entry = {
            .a = &result, .b = &result, .verdict = COMPARE_REGRESSION, .why = COMPARE_ENDS};
        const struct dev_facts facts = {.vendor = 0x10de, .driver_version = "25.0.7"};
        const struct dev_facts *const devices[] = {&facts};
        compare_waivers_apply(&waivers, &entry, 1, &compare_policy_default, "2026-11-21", devices,
                              1);
        MUST(entry.waiver <= waivers.count);
    }
}

static void tell(const struct comparison *comparison)
{
    const struct compare_look look = {.verbosity = 1};
    struct text text = {0};
    compare_text(comparison, &look, &text);
    MUST(!strchr(text.data, '\033'));
    text_free(&text);
    compare_markdown(comparison, &text);
    text_free(&text);
    compare_junit(comparison, &text);
    MUST(text.length > 14 && !strcmp(text.data + text.length - 14, "</testsuites>\n"));
    text_free(&text);
    compare_html(comparison, &text);
    MUST(!strstr(text.data, "<script"));
    text_free(&text);
    compare_json(comparison, &text);
    json_auto_t *json = json_loads(text.data, 0, NULL);
    MUST(json);
    text_free(&text);
}

// What is refused at once is faulty too, and what can be taken is read.
static void fuzz_check(const char *text, size_t size, bool read)
{
    struct compare_faults faults = {0};
    OWNED(text_free) struct text said = {0};
    compare_report_check(text, size, "report", &faults, &said);
    MUST(read || faults.count);
    MUST(said.length && !strpbrk(said.data, "\r\033"));
    MUST(!faults.count == !faults.lines.length);
    MUST(!faults.count || !strpbrk(faults.lines.data, "\r\033"));
    text_free(&faults.lines);
}

static void fuzz_report(const char *text, size_t size)
{
    struct compare_side side = {.label = (char *)"report", .sources = 1, .started = "2026-11-21"};
    struct lit_error error = {0};
    bool good = compare_side_parse(text, size, "report", &side.model, &error);
    check_error(good, &error);
    fuzz_check(text, size, good);
    if (good) {
        OWNED(compare_clear) struct comparison comparison = {0};
        struct compare_request request = {.a = &side, .b = &side, .policy = compare_policy_default};
        side.broke = calloc(side.model.result_count + 1, sizeof *side.broke);
        MUST(side.broke);
        good = compare_make(&comparison, &request, NULL, &error);
        check_error(good, &error);
        if (good)
            tell(&comparison);
        free(side.broke);
    }
    report_model_clear(&side.model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    report_known = &ses_known;
    static const char kinds[] = "WFSKC";
    if (size < 1)
        return 0;
    const char *kind = data[0] ? strchr(kinds, data[0]) : NULL;
    const char *text = (const char *)data + 1;
    if (kind) {
        fuzz_list((enum compare_list)(kind - kinds), text, size - 1);
    } else if (data[0] == 'A') {
        OWNED(compare_axis_clear) struct compare_axis axis = {0};
        struct lit_error error = {0};
        char word[256] = "";
        memcpy(word, text, size - 1 < sizeof word ? size - 1 : sizeof word - 1);
        check_error(compare_axis_parse(word, &axis, &error), &error);
    } else {
        fuzz_report(text, size - 1);
    }
    return 0;
}
