// SPDX-License-Identifier: Apache-2.0
// Puts comparisons into words and tables; each format writes the tables in its own way.
#include "catalogue/catalogue.h"
#include "compare/compare.h"
#include "report/format.h"
#include "stats/stats.h"

#include <math.h>

// The p value after the verdict's correction; 1 if nothing was tested.
static double entry_p(const struct compare_entry *entry)
{
    const struct compare_test *test = entry->why == COMPARE_WAITS ? &entry->waited : &entry->failed;
    if (!test->made)
        return 1;
    bool better = entry->verdict == COMPARE_IMPROVEMENT ||
                  (entry->verdict == COMPARE_CHANGED && test->adjusted_fall < test->adjusted_rise);
    return better ? test->adjusted_fall : test->adjusted_rise;
}

// A difference of rates with its sign, two digits or three places; `direction` as in format_rate.
static void say_signed(struct text *out, double value, int direction)
{
    double scale = 1000;
    if (fabs(value) < 0.01 && value != 0)
        scale = pow(10, 1 - floor(log10(fabs(value))));
    double digits = value * scale, nearest = round(digits);
    // Undo floating-point noise: take an almost whole number as whole.
    if (fabs(digits - nearest) > 1e-9 * fabs(digits) && direction != 0)
        nearest = direction < 0 ? floor(digits) : ceil(digits);
    text_printf(out, scale > 1000 ? "%+.1e" : "%+.3f", nearest / scale);
}

// The numbers from A to B: runs that failed, or whose wait expired.
static void say_rates(const struct compare_entry *entry, bool waits, struct text *out)
{
    const struct result *sides[] = {entry->a, entry->b};
    const struct compare_test *test = waits ? &entry->waited : &entry->failed;
    char counts[4][32], rates[2][80];
    double rate[2];
    for (size_t s = 0; s < 2; s++) {
        uint64_t k = waits ? sides[s]->no_progress_runs : sides[s]->failed_runs;
        uint64_t n = waits ? sides[s]->runs : sides[s]->judged;
        text_count(counts[2 * s], k);
        text_count(counts[2 * s + 1], n);
        format_interval(rates[s], k, n,
                        waits ? stat_clopper_pearson(k, n, REPORT_CONFIDENCE)
                              : report_interval(k, n, sides[s]->rule));
        rate[s] = n ? (double)k / (double)n : 0;
    }
    text_printf(out, "%s of %s -> %s of %s runs %s, %s -> %s", counts[0], counts[1], counts[2],
                counts[3], waits ? "had an expired wait" : "failed", rates[0], rates[1]);
    if (!test->made)
        return;
    text_puts(out, ", by ");
    say_signed(out, rate[1] - rate[0], 0);
    text_puts(out, " [");
    say_signed(out, test->difference.low, -1);
    text_puts(out, ", ");
    say_signed(out, test->difference.high, 1);
    const double p = entry_p(entry);
    text_printf(out, "], p %s", p <= 0 ? "< 1e-300" : RATE(p, 0));
    if (entry->factor > 1)
        text_printf(out, ", each run counted as %.2g", 1 / entry->factor);
}

// `result` may be NULL. `broke`: how it broke in one of several sessions, ENG_PASS if in none.
static void say_result(const struct result *result, enum eng_result broke, struct text *out)
{
    text_puts(out, result ? eng_result_name(result->result) : "not run");
    if (!result)
        return;
    if (result->result == ENG_FAIL)
        text_printf(out, " (%s of %s runs)", COUNT(result->failed_runs), COUNT(result->judged));
    else if (result->reason[0])
        text_printf(out, " (%.160s)", result->reason);
    if (broke && broke != result->result)
        text_printf(out, ", in another session %s", eng_result_name(broke));
}

static void say_results(const struct compare_entry *entry, struct text *out)
{
    say_result(entry->a, entry->broke_before, out);
    text_puts(out, " -> ");
    say_result(entry->b, entry->broke_now, out);
}

// Why two results are not comparable.
static void say_difference(const struct compare_entry *entry, struct text *out)
{
    const struct result *a = entry->a, *b = entry->b;
    if (entry->differs == COMPARE_OTHER_CODE)
        text_printf(out, "other code: module %.12s... -> %.12s...", a->sha256, b->sha256);
    else if (entry->differs == COMPARE_OTHER_STRESS)
        text_printf(out, "other stress: '%.60s' -> '%.60s'", a->stress, b->stress);
    else if (entry->differs == COMPARE_OTHER_CLASS)
        text_printf(out, "expectation changed: %s -> %s", cat_expectation_name(a->expectation),
                    cat_expectation_name(b->expectation));
    text_puts(out, entry->differs == COMPARE_SAME ? "" : "; ");
}

void compare_say_entry(const struct compare_entry *entry, struct text *out)
{
    const enum compare_why why = entry->why;
    const bool waits = why == COMPARE_WAITS;
    if (waits || why == COMPARE_RATE || why == COMPARE_FIRST_SEEN || why == COMPARE_TOO_FEW ||
        (why == COMPARE_SAME && entry->failed.made)) {
        say_rates(entry, waits, out);
        return;
    }
    say_difference(entry, out);
    say_results(entry, out);
}

static void say_counts(const struct comparison *comparison, struct text *out)
{
    static const char *const many[COMPARE_VERDICTS] = {
        "regressions", "improvements", "unchanged",       "undecided",
        "new",         "gone",         "controls differ", "skipped on both sides"};
    static const char *const across[COMPARE_VERDICTS] = {"worse than the others",
                                                         "better than the others",
                                                         "alike",
                                                         "undecided",
                                                         "on one device only",
                                                         "gone",
                                                         "controls differ",
                                                         "skipped by all"};
    static const char *const one[COMPARE_VERDICTS] = {
        "regression", "improvement", "unchanged",       "undecided",
        "new",        "gone",        "control differs", "skipped on both sides"};
    bool first = true;
    for (size_t v = 0; v < COMPARE_VERDICTS; v++) {
        size_t count = comparison->summary.verdicts[v];
        if (count == 0)
            continue;
        text_printf(out, "%s%s %s", first ? "" : ", ", COUNT(count),
                    comparison->across ? across[v]
                    : count == 1       ? one[v]
                                       : many[v]);
        first = false;
    }
}

static void say_summary(const struct comparison *comparison, struct text *out)
{
    const struct compare_summary *summary = &comparison->summary;
    if (comparison->policy.gate) {
        text_printf(out, "%s: %s",
                    summary->code == LIT_EXIT_OK          ? "passed"
                    : summary->code == LIT_EXIT_FORBIDDEN ? "FAILED"
                                                          : "UNDECIDED",
                    summary->reason);
        if (summary->code == LIT_EXIT_OK && summary->open > 0)
            text_printf(out, ", %zu undecided", summary->open);
        if (summary->waived > 0)
            text_printf(out, ", %zu waived", summary->waived);
        return;
    }
    if (comparison->across) {
        compare_across_summary(comparison, out);
        return;
    }
    size_t worse = summary->verdicts[COMPARE_REGRESSION];
    size_t better = summary->verdicts[COMPARE_IMPROVEMENT];
    if (worse == 0 && better == 0)
        text_puts(out, "no significant change");
    else
        text_printf(out, "B is %s",
                    worse && better ? "some worse, some better"
                    : worse         ? "worse"
                                    : "better");
}

static void say_change(struct text *out, const char *what, const char *a, const char *b, bool *any)
{
    if (strcmp(a, b) == 0 || (!a[0] && !b[0]))
        return;
    text_printf(out, "%s%s %s -> %s", *any ? ", " : ": ", what, a[0] ? a : "?", b[0] ? b : "?");
    *any = true;
}

static void say_build(const struct comparison *comparison, struct text *out, bool *any)
{
    const struct report_build *a = &comparison->a->model.build, *b = &comparison->b->model.build;
    if (a->commit[0] && b->commit[0])
        say_change(out, "commit", a->commit, b->commit, any);
    if (a->catalogue[0] && b->catalogue[0])
        say_change(out, "catalogue", a->catalogue, b->catalogue, any);
    if (a->options[0] && b->options[0])
        say_change(out, "built as", a->options, b->options, any);
}

static void say_pair(const struct comparison *comparison, const struct compare_pair *which,
                     struct text *out)
{
    const struct dev_facts *b = &comparison->b->model.devices[which->b].facts;
    if (which->a == COMPARE_NO_DEVICE) {
        text_printf(out, "%s: driver %s, not in A", b->name, b->driver_version);
        return;
    }
    const struct dev_facts *a = &comparison->a->model.devices[which->a].facts;
    const struct store_session *first = &comparison->a->model.session;
    const struct store_session *second = &comparison->b->model.session;
    char sizes[2][16];
    bool any = false;
    snprintf(sizes[0], sizeof sizes[0], "%u", a->subgroup);
    snprintf(sizes[1], sizeof sizes[1], "%u", b->subgroup);
    text_puts(out, a->name);
    say_change(out, "device", a->name, b->name, &any);
    say_change(out, "driver", a->driver_version, b->driver_version, &any);
    say_change(out, "of", a->driver_name, b->driver_name, &any);
    if (strcmp(a->driver_info, a->driver_version) != 0 ||
        strcmp(b->driver_info, b->driver_version) != 0)
        say_change(out, "info", a->driver_info, b->driver_info, &any);
    say_change(out, "subgroups of", sizes[0], sizes[1], &any);
    if (a->loader[0] && b->loader[0])
        say_change(out, "loader", a->loader, b->loader, &any);
    say_change(out, "system", first->system, second->system, &any);
    say_change(out, "litmus", first->version, second->version, &any);
    say_build(comparison, out, &any);
    if (!any)
        text_printf(out, ": the same driver (%s) on both sides", a->driver_version);
    if (comparison->axis.name)
        text_printf(out, ", %s=%s -> %s", comparison->axis.name, comparison->axis.a,
                    comparison->axis.b);
}

static void say_side(const struct compare_side *side, struct text *out)
{
    const struct store_session *session = &side->model.session;
    text_printf(out, "%s: ", side->label);
    if (side->sources > 1)
        text_printf(out, "%zu sessions up to %s", side->sources, side->started);
    else
        text_printf(out, "session %lld of %s", (long long)session->id, session->started);
}

static void say_a(const struct comparison *comparison, struct text *out)
{
    if (comparison->across)
        text_puts(out, "the other devices of the same kind, together");
    else
        say_side(comparison->a, out);
}

static void say_b(const struct comparison *comparison, struct text *out)
{
    if (comparison->across)
        text_printf(out, "each device: %s", comparison->b->label);
    else
        say_side(comparison->b, out);
}

static void say_power(const struct comparison *comparison, struct text *out)
{
    const struct compare_power *power = &comparison->power;
    if (power->all == 0)
        return;
    if (power->never > 0) {
        text_printf(out,
                    "Detectable rise (%.0f %% power, Holm over %zu): from 0 to %s or more for the "
                    "median of %s configurations that never failed, to %s for the worst.",
                    100 * COMPARE_POWER, power->tests, RATE(power->typical_never, 1),
                    COUNT(power->never), RATE(power->worst_never, 1));
    }
    text_printf(out, "%sOver all %s that can become worse: a rise by %s, in the worst by %s.",
                power->never > 0 ? " " : "", COUNT(power->all), RATE(power->typical, 1),
                RATE(power->worst, 1));
}

static void say_method(const struct comparison *comparison, struct text *out)
{
    const struct compare_policy *policy = &comparison->policy;
    const struct compare_summary *summary = &comparison->summary;
    text_printf(
        out,
        "Fisher's exact test, %s, Holm over %zu of %s tests (the others could not have been "
        "significant), alpha %g; unchanged where a rise by %s, or by half, is excluded.",
        policy->gate ? "one-sided" : "two-sided", summary->family, COUNT(summary->tests),
        policy->alpha, RATE(policy->tolerance, 0));
}

// One of the comparison's texts; NULL if there is nothing to say.
static char *say(const struct comparison *comparison,
                 void (*words)(const struct comparison *comparison, struct text *out))
{
    struct text text = {0};
    words(comparison, &text);
    return text.data;
}

void compare_words(struct comparison *comparison)
{
    comparison->words.summary = say(comparison, say_summary);
    comparison->words.counts = say(comparison, say_counts);
    comparison->words.a = say(comparison, say_a);
    comparison->words.b = say(comparison, say_b);
    comparison->words.method = say(comparison, say_method);
    comparison->words.power = say(comparison, say_power);
    for (size_t i = 0; i < comparison->pairs.count; i++) {
        struct text pair = {0};
        (comparison->across ? compare_across_pair : say_pair)(comparison,
                                                              &comparison->pairs.items[i], &pair);
        comparison->pairs.items[i].words = pair.data;
    }
}

// What an entry of a list did: "waives 3", "matches nothing". False if there is nothing to tell.
static bool say_waiver(const struct compare_waiver *waiver, struct text *out)
{
    const char *until = waiver->only[COMPARE_UNTIL];
    if (waiver->foreign)
        return false;
    if (waiver->expired && waiver->used > 0)
        text_printf(out, "expired after %s: no longer waives %zu", until, waiver->used);
    else if (waiver->expired)
        text_printf(out, "expired after %s, and is unused", until);
    else if (waiver->matched == 0)
        text_puts(out, "matches no configuration");
    else if (waiver->early)
        text_printf(out, "begins on %s", waiver->only[COMPARE_FROM]);
    else if (waiver->passing > 0)
        text_printf(out, "%zu of %zu pass unexpectedly", waiver->passing, waiver->matched);
    else if (waiver->used > 0)
        text_printf(out, "waives %zu of %zu", waiver->used, waiver->matched);
    else if (waiver->list == COMPARE_WAIVERS)
        text_puts(out, "is unused");
    else
        return false;
    return true;
}

// Kinds

enum compare_kind compare_kind_of(const struct comparison *comparison,
                                  const struct compare_entry *entry)
{
    const struct compare_policy *policy = &comparison->policy;
    bool open = compare_is_open(entry, policy), can_gate = compare_can_gate(entry, policy);
    bool worse = entry->verdict == COMPARE_REGRESSION;
    if (entry->waiver && ((worse && can_gate) || open))
        return COMPARE_KIND_WAIVED;
    if (worse)
        return can_gate ? COMPARE_KIND_REGRESSIONS : COMPARE_KIND_OTHER_WORSE;
    if (open && entry->why == COMPARE_FIRST_SEEN)
        return COMPARE_KIND_FIRST_SEEN;
    if (open && compare_is_new_and_wrong(entry))
        return COMPARE_KIND_NEW_WRONG;
    if (open && compare_is_not_measured(entry))
        return COMPARE_KIND_NOT_MEASURED;
    if (entry->verdict == COMPARE_IMPROVEMENT)
        return COMPARE_KIND_IMPROVEMENTS;
    if (entry->verdict == COMPARE_CHANGED)
        return COMPARE_KIND_CONTROLS;
    return entry->verdict == COMPARE_UNDECIDED ? COMPARE_KIND_UNDECIDED : COMPARE_KIND_REST;
}

const char *compare_kind_title(const struct comparison *comparison, enum compare_kind kind)
{
    static const char *const across[COMPARE_KINDS] = {
        [COMPARE_KIND_REGRESSIONS] = "worse than on the other devices",
        [COMPARE_KIND_NEW_WRONG] = "failing, and on no other device measured",
        [COMPARE_KIND_OTHER_WORSE] = "worse than on the other devices",
        [COMPARE_KIND_IMPROVEMENTS] = "better than on the other devices",
        [COMPARE_KIND_REST] = "alike, on one device only, skipped",
    };
    static const char *const titles[COMPARE_KINDS] = {
        [COMPARE_KIND_REGRESSIONS] = "regressions",
        [COMPARE_KIND_WAIVED] = "waived",
        [COMPARE_KIND_FIRST_SEEN] = "forbidden outcomes observed for the first time",
        [COMPARE_KIND_NEW_WRONG] = "failing, with nothing comparable in A",
        [COMPARE_KIND_NOT_MEASURED] = "could not be run: errors of the harness",
        [COMPARE_KIND_OTHER_WORSE] = "worse, but its expectation does not fail the gate",
        [COMPARE_KIND_IMPROVEMENTS] = "improvements",
        [COMPARE_KIND_CONTROLS] = "controls that differ",
        [COMPARE_KIND_UNDECIDED] = "undecided",
        [COMPARE_KIND_REST] = "unchanged, new, gone, skipped",
    };
    return comparison->across && across[kind] ? across[kind] : titles[kind];
}

static int compare_entries(const void *left, const void *right)
{
    const struct compare_entry *a = *(const struct compare_entry *const *)left;
    const struct compare_entry *b = *(const struct compare_entry *const *)right;
    int first = (int)compare_entry_result(a)->expectation;
    int second = (int)compare_entry_result(b)->expectation;
    if (a->pair != b->pair)
        return a->pair < b->pair ? -1 : 1;
    return first != second ? first - second : strcmp(a->name, b->name);
}

const struct compare_entry **compare_select(const struct comparison *comparison,
                                            enum compare_kind kind, size_t *count)
{
    const struct compare_entry **list = lit_alloc(comparison->count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (compare_kind_of(comparison, &comparison->entries[i]) == kind)
            list[(*count)++] = &comparison->entries[i];
    if (*count > 0)
        qsort(list, *count, sizeof *list, compare_entries);
    return list;
}

// --- Tables

void compare_say_name(const struct compare_entry *entry, struct text *out)
{
    if (strcmp(entry->name, compare_entry_result(entry)->name) == 0)
        cat_name_shown(entry->name, out);
    else
        text_puts(out, entry->name);
}

void compare_say_device(const struct comparison *comparison, const struct compare_entry *entry,
                        struct text *out)
{
    const struct compare_pair *pair = &comparison->pairs.items[entry->pair];
    if (comparison->pairs.count > 1)
        text_printf(out, "device %u", comparison->b->model.devices[pair->b].number);
}

static void put_entry(const struct comparison *comparison, const struct compare_entry *entry,
                      struct table *table)
{
    const char *expectation = cat_expectation_name(compare_entry_result(entry)->expectation);
    OWNED(text_free) struct text line = {0}, device = {0}, name = {0};
    compare_say_name(entry, &name);
    compare_say_device(comparison, entry, &device);
    compare_say_entry(entry, &line);
    if (entry->waiver) {
        const struct compare_waiver *waiver = &comparison->waivers->items[entry->waiver - 1];
        text_printf(&line, ", waived: %s", waiver->url[0] ? waiver->url : waiver->file);
    }
    table_row(table);
    table_put(table, TONE_PLAIN, "%s", name.data);
    table_put(table, TONE_PLAIN, "%s", device.length ? device.data : "");
    table_put(table, TONE_PLAIN, "%s", expectation)->class = expectation;
    table_put(table, TONE_PLAIN, "%s", line.data);
}

size_t compare_kind_rows(const struct comparison *comparison, enum compare_kind kind, size_t most,
                         struct table *table)
{
    static const struct table_column heads[] = {CODE("configuration"),
                                                COL("device", .without = TABLE_UNLESS_USED),
                                                CHIP("expectation"), COL("from A to B")};
    size_t count;
    OWNED(lit_free) const struct compare_entry **list = compare_select(comparison, kind, &count);
    *table = (struct table){TABLE_OF(heads), .about = compare_kind_title(comparison, kind)};
    for (size_t i = 0; i < count && i < most; i++)
        put_entry(comparison, list[i], table);
    return count;
}

// Finds all families, in alphabetical order. free() it.
static const char **find_families(const struct comparison *comparison, size_t *count)
{
    const char **list = lit_alloc(comparison->count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        list[i] = compare_entry_result(&comparison->entries[i])->family;
    text_sort(list, comparison->count, sizeof *list);
    for (size_t i = 0; i < comparison->count; i++)
        if (*count == 0 || strcmp(list[*count - 1], list[i]) != 0)
            list[(*count)++] = list[i];
    return list;
}

void compare_family_rows(const struct comparison *comparison, struct table *table)
{
    static const struct table_column heads[] = {COL("family"),    NUM("worse"),     NUM("better"),
                                                NUM("unchanged"), NUM("undecided"), NUM("new"),
                                                NUM("gone"),      NUM("skipped")};
    // The columns are the verdicts in order, except changed controls.
    static const enum tone tones[COMPARE_VERDICTS] = {
        [COMPARE_REGRESSION] = TONE_BAD, [COMPARE_IMPROVEMENT] = TONE_GOOD,
        [COMPARE_UNDECIDED] = TONE_WARN, [COMPARE_GONE] = TONE_WARN,
        [COMPARE_SKIPPED] = TONE_SOFT,
    };
    size_t count;
    OWNED(lit_free) const char **families = find_families(comparison, &count);
    *table = (struct table){TABLE_OF(heads), .about = "verdicts by family"};
    for (size_t f = 0; f < count; f++) {
        size_t sums[COMPARE_VERDICTS] = {0};
        for (size_t i = 0; i < comparison->count; i++)
            if (!strcmp(compare_entry_result(&comparison->entries[i])->family, families[f]))
                sums[comparison->entries[i].verdict]++;
        table_row(table);
        table_put(table, TONE_PLAIN, "%s", families[f]);
        for (size_t v = 0; v < COMPARE_VERDICTS; v++)
            if (v != COMPARE_CHANGED)
                table_count(table, tones[v], sums[v]);
    }
}

void compare_waiver_rows(const struct comparison *comparison, struct table *table)
{
    static const struct table_column heads[] = {COL("waiver"), CODE("for"), COL("status")};
    *table = (struct table){TABLE_OF(heads), .about = "waivers"};
    for (size_t i = 0; comparison->waivers && i < comparison->waivers->count; i++) {
        const struct compare_waiver *waiver = &comparison->waivers->items[i];
        OWNED(text_free) struct text line = {0};
        if (say_waiver(waiver, &line)) {
            table_row(table);
            table_put(table, TONE_PLAIN, "%s:%zu", waiver->file, waiver->line);
            table_put(table, TONE_PLAIN, "%s", waiver->pattern);
            table_put(table, waiver->expired ? TONE_WARN : TONE_PLAIN, "%s", line.data);
        }
    }
}
