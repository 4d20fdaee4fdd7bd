// SPDX-License-Identifier: Apache-2.0
// Makes a comparison from a command line.
#include "compare/asked.h"

#include "base/file.h"
#include "base/terminal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FORM_WRITE(name, about) [COMPARE_AS_##name] = {#name, compare_##name},
const struct compare_form_row compare_forms[COMPARE_FORM_COUNT] = {
    [COMPARE_AS_text] = {"text", NULL}, COMPARE_FORMS(FORM_WRITE)};

bool compare_check(const struct compare_asked *o, const struct lit_list *sources,
                   struct lit_error *error)
{
    const size_t most = o->gate ? 1 : 2;
    const char *command = o->gate ? "gate" : "compare";
    if (o->across >= 0 && (o->axis || o->devices.count > 0))
        return lit_fail(error, LIT_EXIT_USAGE, "--across and --%s are mutually exclusive",
                        o->axis ? "axis" : "device");
    if (o->devices.count > 2)
        return lit_fail(error, LIT_EXIT_USAGE, "-d given more than twice: one for A and one for B");
    if (o->gate && o->baselines.count == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "missing --baseline FILE");
    if (o->across < 0 && sources->count > most)
        return lit_fail(error, LIT_EXIT_USAGE, "unexpected '%.80s'; see 'litmus help %s'",
                        sources->items[most], command);
    if (!o->gate && sources->count == 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "missing files: %sstores or reports; see 'litmus help compare'",
                        o->across < 0 ? "two " : "");
    return o->gate || o->across >= 0 || sources->count == 2 || o->axis || o->devices.count == 2 ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "missing second side: a second file, -d A -d B, or --axis");
}

static bool parse_expectations(const char *text, bool gates[CAT_CONTROL + 1],
                               struct lit_error *error)
{
    if (!text)
        return true;
    memset(gates, 0, (CAT_CONTROL + 1) * sizeof *gates);
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, ",");
        enum cat_expectation e = CAT_FORBIDDEN;
        while (e < CAT_CONTROL && (strlen(cat_expectation_name(e)) != length ||
                                   strncmp(cat_expectation_name(e), word, length) != 0))
            e++;
        if (e == CAT_CONTROL)
            return lit_fail(
                error, LIT_EXIT_USAGE,
                "--expectations '%.60s': expected some of forbidden, contested, assumed", text);
        gates[e] = true;
        word += length + (word[length] == ',');
    }
    return true;
}

static bool make_policy(const struct compare_asked *o, struct compare_policy *policy,
                        struct lit_error *error)
{
    *policy = compare_policy_default;
    policy->gate = o->gate;
    policy->ignore_code = o->ignore_hash;
    policy->allow_skips = o->allow_skips;
    policy->allow_gone = o->allow_gone;
    policy->strict = o->strict;
    policy->first_seen = o->statistical_only ? COMPARE_FIRST_IGNORED
                         : o->first_seen     ? COMPARE_FIRST_REGRESSION
                                             : COMPARE_FIRST_UNDECIDED;
    if (o->statistical_only && o->first_seen)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--statistical-only and --first-seen are mutually exclusive");
    policy->alpha = o->alpha > 0 ? o->alpha : policy->alpha;
    policy->tolerance = o->tolerance > 0 ? o->tolerance : policy->tolerance;
    return parse_expectations(o->expectations, policy->gates, error);
}

static bool read_lists(const struct compare_asked *o, struct compare_waivers *waivers,
                       struct lit_error *error)
{
    return compare_waivers_read(waivers, COMPARE_WAIVERS, &o->waivers, error) &&
           compare_waivers_read(waivers, COMPARE_DEQP_FAILS, &o->deqp_fails, error) &&
           compare_waivers_read(waivers, COMPARE_DEQP_SKIPS, &o->deqp_skips, error) &&
           compare_waivers_read(waivers, COMPARE_DEQP_FLAKES, &o->deqp_flakes, error);
}

// One of the two sides. We read both at once, since that takes most of the time for large sessions.
struct side_load {
    struct compare_side *side;
    const struct compare_source *source;
    struct lit_error error;
    bool good;
};

static void *load_side(void *user)
{
    struct side_load *load = user;
    load->good = compare_side_load(load->side, load->source, &load->error);
    return NULL;
}

static bool load_both(struct compare_side sides[2], const struct compare_source *a,
                      const struct compare_source *b, struct lit_error *error)
{
    struct side_load first = {.side = &sides[0], .source = a}, second = {&sides[1], b, {0}, false};
    pthread_t thread;
    const bool beside = pthread_create(&thread, NULL, load_side, &first) == 0;
    if (!beside)
        load_side(&first);
    load_side(&second);
    if (beside)
        pthread_join(thread, NULL);
    if (!first.good || !second.good)
        *error = first.good ? second.error : first.error;
    return first.good && second.good;
}

static bool load_sides(const struct compare_asked *o, const struct lit_list *sources,
                       struct compare_side sides[2], struct lit_error *error)
{
    static const char *const newest[] = {"litmus.db"};
    const char *const *after = sources->count > 0 ? sources->items : newest;
    struct compare_source a = {sources->items, 1, o->unfinished};
    struct compare_source b = {after + (sources->count == 2), 1, o->unfinished};
    if (o->across >= 0) {
        a.count = sources->count;
        const bool good = compare_across_load(&sides[1], &a, error);
        if (good)
            compare_across_others(&sides[1], &sides[0]);
        return good;
    }
    if (o->gate)
        a = (struct compare_source){o->baselines.items, o->baselines.count, o->unfinished};
    return load_both(sides, &a, &b, error);
}

bool compare_ask(const struct compare_asked *asked, const struct lit_list *sources,
                 struct compare_answer *answer, struct lit_error *error)
{
    struct compare_request request = {.a = &answer->sides[0],
                                      .b = &answer->sides[1],
                                      .across = asked->across >= 0,
                                      .devices = asked->devices.items,
                                      .device_count = asked->devices.count,
                                      .axis = asked->axis,
                                      .only = asked->only.items,
                                      .only_count = asked->only.count};
    if (!make_policy(asked, &request.policy, error) ||
        !read_lists(asked, &answer->waivers, error) ||
        !load_sides(asked, sources, answer->sides, error))
        return false;
    // No device is earlier than the others.
    if (request.across && !asked->first_seen)
        request.policy.first_seen = COMPARE_FIRST_IGNORED;
    return compare_make(&answer->comparison, &request, &answer->waivers, error);
}

static void put_text(const struct compare_asked *o, const struct comparison *comparison,
                     struct text *text)
{
    const struct compare_look look = {.color = term_color((enum term_color)o->color),
                                      .verbosity = o->quiet ? -1 : o->verbose > 0};
    compare_text(comparison, &look, text);
    if (o->gate)
        text_printf(text, "exit %d: %s\n", (int)comparison->summary.code,
                    comparison->summary.reason);
}

bool compare_put(const struct compare_asked *o, const struct comparison *comparison,
                 struct text *text, struct lit_error *error)
{
    bool good = true;
    if (o->write_waivers)
        compare_waivers_write(comparison->entries, comparison->count, &comparison->policy, text);
    else if (o->format == COMPARE_AS_text)
        put_text(o, comparison, text);
    else
        compare_forms[o->format].write(comparison, text);
    for (size_t i = 0; i < COMPARE_FORM_COUNT; i++) {
        OWNED(text_free) struct text file = {0};
        if (!o->files[i])
            continue;
        compare_forms[i].write(comparison, &file);
        good = lit_file_write(o->files[i], file.data, file.length, error) && good;
    }
    return good;
}

void compare_answer_clear(struct compare_answer *answer)
{
    compare_clear(&answer->comparison);
    compare_side_clear(&answer->sides[0]);
    compare_side_clear(&answer->sides[1]);
    compare_waivers_clear(&answer->waivers);
}
