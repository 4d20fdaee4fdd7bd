// SPDX-License-Identifier: Apache-2.0
// Compares two sides, as a command line asks for it.
#include "base/file.h"
#include "base/terminal.h"
#include "compare/compare.h"
#include "report/failures.h"
#include "stats/stats.h"

#include <pthread.h>

static void remark_side(struct table *remarks, const struct compare_side *side, const char *letter)
{
    if (side->sources > 1)
        table_note(remarks,
                   "%s combines %zu sessions, and its rates include the variation between them",
                   letter, side->sources);
    if (side->unfinished)
        table_note(remarks, "%s was not finished", letter);
    if (side->partial > 0)
        table_note(remarks, "in %s %zu configuration%s interrupted", letter, side->partial,
                   side->partial == 1 ? " was" : "s were");
}

static void remark_all(struct comparison *comparison)
{
    const struct compare_summary *summary = &comparison->summary;
    struct table *remarks = &comparison->remarks;
    size_t expectations = 0, code = 0;
    if (!comparison->across)
        remark_side(remarks, comparison->a, "A");
    remark_side(remarks, comparison->b, "B");
    if (comparison->pairs.alone_a > 0)
        table_note(remarks, "%zu device%s of A is not in B", comparison->pairs.alone_a,
                   comparison->pairs.alone_a == 1 ? "" : "s");
    if (comparison->across && comparison->pairs.alone_b > 0)
        table_note(remarks, "%zu device%s the only one of its kind", comparison->pairs.alone_b,
                   comparison->pairs.alone_b == 1 ? " is" : "s are each");
    else if (comparison->pairs.alone_b > 0)
        table_note(remarks, "%zu device%s of B is not in A", comparison->pairs.alone_b,
                   comparison->pairs.alone_b == 1 ? "" : "s");
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_entry *entry = &comparison->entries[i];
        expectations += entry->why == COMPARE_OTHER_CLASS;
        code += entry->why == COMPARE_OTHER_CODE;
    }
    if (code > 0)
        table_note(remarks,
                   "%zu configuration%s other code in B and cannot be compared: run A anew, "
                   "or give --ignore-hash",
                   code, code == 1 ? " has" : "s have");
    if (expectations > 0)
        table_note(
            remarks,
            "%zu configuration%s another expectation in B and cannot be compared: run A anew",
            expectations, expectations == 1 ? " has" : "s have");
    if (summary->spread > 0)
        table_note(remarks,
                   "in %zu configuration%s rates are overdispersed; their runs count for less",
                   summary->spread, summary->spread == 1 ? "" : "s");
    if (summary->sequential > 0)
        table_note(remarks,
                   "%zu configuration%s had a stopping rule; they are compared by their confidence "
                   "sequences",
                   summary->sequential, summary->sequential == 1 ? " was" : "s were");
}

static bool check_common(const struct comparison *comparison, struct lit_error *error)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->entries[i].a && comparison->entries[i].b)
            return true;
    if (comparison->axis.name)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no configurations differ in --axis %s=%.60s,%.60s only",
                        comparison->axis.name, comparison->axis.a, comparison->axis.b);
    if (comparison->across)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no configuration was measured on two devices of one kind");
    const struct compare_pair *pair = &comparison->pairs.items[0];
    unsigned a = comparison->a->model.devices[pair->a].facts.subgroup;
    unsigned b = comparison->b->model.devices[pair->b].facts.subgroup;
    if (a != b)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no configuration is on both sides: subgroups of %u and of %u; "
                        "--axis subgroup=%u,%u compares across them",
                        a, b, a, b);
    return lit_fail(error, LIT_EXIT_USAGE, "no configuration is on both sides");
}

// Fails if all pairs have another module: there is nothing to compare, and the baseline is wrong.
static bool check_code(const struct comparison *comparison, struct lit_error *error)
{
    size_t pairs = 0, code = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_entry *entry = &comparison->entries[i];
        pairs += entry->a && entry->b;
        code += entry->why == COMPARE_OTHER_CODE;
    }
    if (code == 0 || code < pairs)
        return true;
    return lit_fail(error, LIT_EXIT_USAGE,
                    "%.200s: all %zu configurations have another SPIR-V module in %.200s: measure "
                    "it anew with this litmus, or give --ignore-hash",
                    comparison->a->label, code, comparison->b->label);
}

static void apply_waivers(struct comparison *comparison, struct compare_waivers *waivers)
{
    const struct compare_pairs *pairs = &comparison->pairs;
    OWNED(lit_free) const struct dev_facts **devices = lit_alloc(pairs->count, sizeof *devices);
    for (size_t i = 0; i < pairs->count; i++)
        devices[i] = &comparison->b->model.devices[pairs->items[i].b].facts;
    compare_waivers_apply(waivers, comparison->entries, comparison->count, &comparison->policy,
                          comparison->b->started, devices, pairs->count);
}

// Counts the devices of B that their driver does not close, if it closed them in A or A does not
// have them.
static size_t count_unclosed(const struct comparison *comparison)
{
    const struct compare_pairs *pairs = &comparison->pairs;
    size_t count = 0;
    for (size_t i = 0; !comparison->across && i < pairs->count; i++) {
        const struct compare_pair *pair = &pairs->items[i];
        const bool is_new = i >= pairs->count - pairs->alone_b;
        OWNED(text_free) struct text said = {0};
        count += report_unclosed(&comparison->b->model, pair->b, "", &said) &&
                 (is_new || !report_unclosed(&comparison->a->model, pair->a, "", &said));
    }
    return count;
}

bool compare_make(struct comparison *comparison, const struct compare_request *request,
                  struct compare_waivers *waivers, struct lit_error *error)
{
    *comparison = (struct comparison){.a = request->a,
                                      .b = request->b,
                                      .across = request->across,
                                      .policy = request->policy,
                                      .waivers = waivers};
    if (request->axis && !compare_axis_parse(request->axis, &comparison->axis, error))
        return false;
    // An axis differs on purpose: the code differs, and so may the expectation.
    comparison->policy.ignore_code |= request->axis != NULL;
    comparison->policy.ignore_class |= request->axis != NULL;
    if (!(request->across ? compare_across_pairs(request->b, &comparison->pairs, error)
                          : compare_pair_devices(request->a, request->b, request->devices,
                                                 request->device_count, &comparison->pairs, error)))
        return false;
    comparison->count =
        compare_pair_results(request->a, request->b, &comparison->pairs, &comparison->axis,
                             request->only, request->only_count, &comparison->entries);
    if (!check_common(comparison, error))
        return false;
    compare_judge(comparison->entries, comparison->count, &comparison->policy,
                  &comparison->summary);
    if (!check_code(comparison, error))
        return false;
    if (waivers)
        apply_waivers(comparison, waivers);
    comparison->summary.alone = comparison->pairs.alone_a;
    comparison->summary.unclosed = count_unclosed(comparison);
    compare_decide(comparison->entries, comparison->count, &comparison->policy,
                   &comparison->summary);
    compare_power(comparison->entries, comparison->count, &comparison->policy, &comparison->summary,
                  &comparison->power);
    remark_all(comparison);
    compare_words(comparison);
    return true;
}

void compare_clear(struct comparison *comparison)
{
    compare_axis_clear(&comparison->axis);
    compare_pairs_clear(&comparison->pairs);
    compare_entries_free(comparison->entries, comparison->count);
    table_drop_notes(&comparison->remarks);
    char *const words[] = {comparison->words.summary, comparison->words.counts,
                           comparison->words.a,       comparison->words.b,
                           comparison->words.method,  comparison->words.power};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        free(words[i]);
    *comparison = (struct comparison){0};
}

// Power

struct seen {
    uint64_t k, n1, n2;
    double rate;
};

// Computes each set of numbers once: most configurations have the same.
static double find_detectable(struct seen **seen, size_t *count, const struct seen *wanted,
                              double alpha)
{
    for (size_t i = 0; i < *count; i++)
        if ((*seen)[i].k == wanted->k && (*seen)[i].n1 == wanted->n1 && (*seen)[i].n2 == wanted->n2)
            return (*seen)[i].rate;
    *seen = lit_realloc(*seen, *count + 1, sizeof **seen);
    (*seen)[*count] = *wanted;
    (*seen)[*count].rate = stat_detectable(wanted->k, wanted->n1, wanted->n2, alpha, COMPARE_POWER);
    return (*seen)[(*count)++].rate;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *list, size_t count)
{
    if (count == 0)
        return 0;
    qsort(list, count, sizeof *list, compare_numbers);
    return list[count / 2];
}

void compare_power(const struct compare_entry *entries, size_t count,
                   const struct compare_policy *policy, const struct compare_summary *summary,
                   struct compare_power *power)
{
    OWNED(lit_free) struct seen *seen = NULL;
    size_t seen_count = 0;
    OWNED(lit_free) double *all = lit_alloc(count + 1, sizeof *all);
    OWNED(lit_free) double *never = lit_alloc(count + 1, sizeof *never);
    *power = (struct compare_power){.tests = summary->family + 1};
    double alpha = policy->alpha / (double)power->tests / (policy->gate ? 1 : 2);
    for (size_t i = 0; i < count; i++) {
        const struct compare_entry *entry = &entries[i];
        if (!entry->failed.made || !compare_can_gate(entry, policy) || entry->a->rule[0] ||
            entry->b->rule[0] || entry->a->failed_runs == entry->a->judged)
            continue;
        const struct seen wanted = {
            .k = (uint64_t)((double)entry->a->failed_runs / entry->factor + 0.5),
            .n1 = (uint64_t)((double)entry->a->judged / entry->factor + 0.5),
            .n2 = (uint64_t)((double)entry->b->judged / entry->factor + 0.5)};
        double rise = find_detectable(&seen, &seen_count, &wanted, alpha) -
                      (double)entry->a->failed_runs / (double)entry->a->judged;
        all[power->all++] = rise;
        if (entry->a->failed_runs == 0)
            never[power->never++] = rise;
        if (rise > power->worst) {
            power->worst = rise;
            power->worst_name = entry->name;
        }
    }
    power->typical = median(all, power->all);
    power->typical_never = median(never, power->never);
    power->worst_never = power->never ? never[power->never - 1] : 0;
}

// --- As a command line asks for it

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
