// SPDX-License-Identifier: Apache-2.0
// Failure rates as plots: for each family one line per device, with all its configurations on one
// axis; below it the same for its tests, and for each configuration of tests that showed something.
// Then a heat map: what failed in each family on each device. A configuration's name includes the
// subgroup size, so devices with other sizes have other names for the same question.
#include "report/html.h"

#include <math.h>

static int compare_keys(const void *left, const void *right)
{
    const struct html_entry *a = left, *b = right;
    const int order = strcmp(a->key, b->key);
    return order ? order : a->first < b->first ? -1 : 1;
}

static int compare_places(const void *left, const void *right)
{
    const struct html_entry *a = left, *b = right;
    int order = strcmp(a->result->family, b->result->family);
    if (order == 0)
        order = strcmp(a->result->test, b->result->test);
    if (order == 0 && a->first != b->first)
        order = a->first < b->first ? -1 : 1;
    if (order == 0 && a->result->device != b->result->device)
        order = a->result->device < b->result->device ? -1 : 1;
    if (order == 0)
        order = a->result < b->result ? -1 : a->result > b->result;
    return order;
}

size_t html_entries(const struct report_model *model, struct html_entry **entries)
{
    const size_t count = model->result_count;
    struct html_entry *all = lit_alloc(count, sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = (struct html_entry){&model->results[i], lit_strdup(model->results[i].name), i};
    for (size_t i = 0; i < count; i++)
        all[i].key[cfg_bare_length(all[i].key)] = '\0';
    if (count > 0)
        qsort(all, count, sizeof *all, compare_keys);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(all[i].key, all[i - 1].key))
            all[i].first = all[i - 1].first;
    if (count > 0)
        qsort(all, count, sizeof *all, compare_places);
    *entries = all;
    return count;
}

void html_entries_free(struct html_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(entries[i].key);
    free(entries);
}

size_t html_alike(const struct html_entry *entries, size_t count, size_t at, enum html_level level)
{
    const struct html_entry *first = &entries[at], *end = first;
    do
        end++;
    while (end < entries + count &&
           (level == HTML_FAMILY ? !strcmp(end->result->family, first->result->family)
            : level == HTML_TEST ? !strcmp(end->result->test, first->result->test)
                                 : end->first == first->first));
    return (size_t)(end - first);
}

uint32_t html_label_pairs(const struct result *result)
{
    OWNED(cfg_clear) struct cfg label = cfg_parse(result->label);
    uint32_t bits = 0;
    size_t at = 0;
    for (size_t i = 0; i < result->variant_count + result->param_count && i < 32; i++) {
        const struct cfg_pair *pair = &result->variant[i], *kept = &label.variant[at];
        if (at < label.variant_count + label.param_count && !strcmp(pair->key, kept->key) &&
            !strcmp(pair->value, kept->value)) {
            bits |= (uint32_t)1 << i;
            at++;
        }
    }
    return bits;
}

void html_pairs(struct text *out, const struct html_entry *entries, size_t count, size_t at,
                bool common)
{
    const struct result *result = entries[at].result;
    const uint32_t kept = html_label_pairs(result);
    bool first = true;
    for (size_t i = 0; i < result->variant_count + result->param_count; i++) {
        const struct cfg_pair *pair = &result->variant[i]; // the parameters follow
        bool all = true;
        for (size_t other = 0; other < count && all; other++)
            all = !strcmp(report_value(entries[other].result, pair->key), pair->value);
        if (pair->role == CFG_SUBGROUP || all != common || (!common && !(kept >> i & 1)))
            continue;
        text_printf(out, "%s%s=%s", first ? "" : ", ", pair->key, pair->value);
        first = false;
    }
}

// ---- rates

// Configurations to draw one by one: the page must open at once.
#define MOST_OF_TEST 40
#define MOST_IN_ALL  400
#define MOST_OF_SITE 100 // configurations times devices, on a page of a site

struct summary {
    size_t ran, seen, skipped, quiet; // quiet: ran without a failure seen
    double bound;                     // the highest among the quiet ones
    const struct result *worst;
};

static double rate_of(const struct result *result)
{
    return (double)result->failed_runs / (double)result->judged;
}

static struct summary summarise(const struct html_entry *test, size_t count, size_t device)
{
    struct summary sum = {0};
    for (size_t i = 0; i < count; i++) {
        const struct result *result = test[i].result;
        if (result->device != device)
            continue;
        sum.skipped += result->judged == 0;
        if (result->judged == 0)
            continue;
        sum.ran++;
        if (result->failed_runs == 0) {
            sum.quiet++;
            if (result->interval.high > sum.bound)
                sum.bound = result->interval.high;
        } else {
            sum.seen++;
            if (!sum.worst || rate_of(result) > rate_of(sum.worst))
                sum.worst = result;
        }
    }
    return sum;
}

// Collects a test's rates on one device, for one lane: one bound for all configurations never seen
// to fail, then the others, the gravest last, so that they lie on top. Returns how many; `rates`
// has room for all.
static size_t gather(const struct html *html, const struct html_entry *test, size_t count,
                     size_t device, const struct summary *sum, struct html_rate *rates)
{
    size_t used = 0;
    if (sum->quiet)
        rates[used++] = (struct html_rate){0, 1, {0, sum->bound}, HTML_PLAIN};
    for (int expectation = CAT_CONTROL; expectation >= CAT_FORBIDDEN; expectation--)
        for (size_t i = 0; i < count; i++) {
            const struct result *result = test[i].result;
            if (result->device != device || result->judged == 0 || result->failed_runs == 0 ||
                (int)result->expectation != expectation)
                continue;
            const int x = (int)html_x(html->decades, rate_of(result));
            bool drawn = false; // at the same place, with the same shape
            for (size_t at = 0; at < used && !drawn; at++)
                drawn = rates[at].failed > 0 && rates[at].expectation == expectation &&
                        (int)html_x(html->decades,
                                    (double)rates[at].failed / (double)rates[at].judged) == x;
            if (!drawn)
                rates[used++] = (struct html_rate){result->failed_runs, result->judged,
                                                   result->interval, expectation};
        }
    return used;
}

// Whether two devices say the same: both never saw a failure, with the same bound in words, or both
// have no answer.
static bool say_the_same(const struct summary *a, const struct summary *b)
{
    return !a->seen && !b->seen && (a->ran == 0) == (b->ran == 0) &&
           !strcmp(RATE(a->bound, 1), RATE(b->bound, 1));
}

static void put_words(const struct html *html, const struct summary *sums, size_t device,
                      struct text *out)
{
    const struct summary *sum = &sums[device];
    size_t least = sum->ran + sum->skipped, most = least;
    text_puts(out, "<span class=\"words\">");
    for (size_t other = device; other < html->model->device_count; other++) {
        const size_t count = sums[other].ran + sums[other].skipped;
        if (other != device && (count == 0 || !say_the_same(sum, &sums[other])))
            continue;
        html_device(out, html, other);
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    if (sum->seen) {
        html_printf(out, "<b>seen in %zu of %zu</b>, up to %s", sum->seen, sum->ran,
                    RATE(rate_of(sum->worst), 0));
    } else if (sum->quiet) {
        html_printf(out, "never in %zu", least);
        if (most > least)
            html_printf(out, " to %zu", most);
        html_printf(out, "%s < %s", most > 1 ? ", each" : ",", RATE(sum->bound, 1));
    } else {
        text_puts(out, "<span class=\"soft\">no answer</span>");
    }
    text_puts(out, "</span>");
}

// A lane for each device with some of these results, or one for several devices that say the same.
// Returns whether any failure was seen.
static bool put_strip(const struct html *html, const struct html_entry *entries, size_t count,
                      const char *name, struct text *out)
{
    const size_t devices = html->model->device_count;
    OWNED(lit_free) struct html_rate *rates = lit_alloc(count + 1, sizeof *rates);
    OWNED(lit_free) struct summary *sums = lit_alloc(devices, sizeof *sums);
    bool seen = false;
    for (size_t device = 0; device < devices; device++)
        sums[device] = summarise(entries, count, device);
    html_printf(out, "<span class=\"test\">%s</span><span class=\"lanes\">", name);
    for (size_t device = 0; device < devices; device++) {
        bool drawn = sums[device].ran + sums[device].skipped == 0;
        for (size_t other = 0; other < device && !drawn; other++)
            drawn = sums[other].ran + sums[other].skipped > 0 &&
                    say_the_same(&sums[other], &sums[device]);
        if (drawn)
            continue;
        text_puts(out, "<span class=\"lane\">");
        html_plot(out, html->decades, rates,
                  gather(html, entries, count, device, &sums[device], rates));
        put_words(html, sums, device, out);
        text_puts(out, "</span>");
        seen |= sums[device].seen > 0;
    }
    text_puts(out, "</span>");
    return seen;
}

static void put_configuration(const struct html *html, const struct html_entry *test, size_t count,
                              size_t at, struct table *table)
{
    OWNED(text_free) struct text label = {0};
    html_pairs(&label, test, count, at, false);
    for (size_t i = 0; i < html_alike(test, count, at, HTML_KEY); i++) {
        const struct result *result = test[at + i].result;
        const size_t index = (size_t)(result - html->model->results);
        table->device = result->device;
        table_row(table)->more = i > 0;
        table_put(table, TONE_PLAIN, "%s", label.length ? label.data : test[0].result->test);
        struct table_cell *rate =
            table_rate(table, TONE_PLAIN, result->failed_runs, result->judged, result->interval);
        rate->group = (int)result->expectation;
        rate->failure = html->placed[index] ? index + 1 : 0;
        table_cells(table, "%s\t%s\t%s", result->judged ? "" : eng_result_name(result->result),
                    cat_expectation_name(result->expectation), result->id);
    }
}

// Puts at most `most` configurations; returns how many.
static size_t put_configurations(const struct html *html, const struct html_entry *test,
                                 size_t count, size_t most, struct text *out)
{
    static const struct table_column heads[] = {
        COL("configuration"), RATED("rate, 95\xc2\xa0% interval"),
        COL("result", .without = TABLE_UNLESS_USED), CHIP("expectation"), CODE("id")};
    OWNED(text_free) struct text name = {0}, common = {0};
    size_t done = 0, at = 0;
    text_printf(&name, "Rates of %s", test[0].result->test);
    html_pairs(&common, test, count, 0, true);
    struct table table = {.title = name.data,
                          .about = common.length ? common.data : "Each configuration",
                          .gathered = true,
                          TABLE_OF(heads)};
    const size_t fit =
        html->up ? MOST_OF_SITE / html->model->device_count + 1 : (size_t)MOST_OF_TEST;
    for (; at < count && done < most && done < fit && done < MOST_OF_TEST;
         at += html_alike(test, count, at, HTML_KEY), done++)
        put_configuration(html, test, count, at, &table);
    html_table(html, &table, false, out);
    table_clear(&table);
    if (at < count && html->up)
        text_puts(out, "<p class=\"soft\">More configurations are not shown.</p>\n");
    else if (at < count)
        html_printf(out,
                    "<p><a href=\"#results\" data-text=\"%s\">All results of this test</a> are "
                    "in the table of all results.</p>\n",
                    test[0].result->test);
    return done;
}

// A test; if any failure was seen, it unfolds into configurations. Returns how many it draws.
static size_t put_test(const struct html *html, const struct html_entry *test, size_t count,
                       size_t most, struct text *out)
{
    OWNED(text_free) struct text strip = {0};
    size_t done = 0;
    const bool seen = put_strip(html, test, count, test[0].result->test, &strip);
    text_puts(out, seen && html->of_test ? "<details class=\"rates\" open><summary class=\"strip\">"
                   : seen                ? "<details class=\"rates\"><summary class=\"strip\">"
                                         : "<div class=\"strip\">");
    text_append(out, strip.data, strip.length);
    text_puts(out, seen ? "</summary>\n" : "</div>\n");
    if (seen) {
        done = put_configurations(html, test, count, most, out);
        text_puts(out, "</details>\n");
    }
    return done;
}

void html_rates(const struct html *html, struct text *out)
{
    const struct html_entry *entries = html->entries;
    const size_t count = html->entry_count;
    size_t left = MOST_IN_ALL;
    if (count) {
        text_puts(out, "<div class=\"strip heading\"><span class=\"test\"></span>");
        html_axis(out, html->decades);
        text_puts(out, "</div>\n");
    }
    if (html->of_test && count)
        put_test(html, entries, count, left, out);
    for (size_t at = 0, some; at < count && !html->of_test; at += some) {
        bool failed = false;
        some = html_alike(entries, count, at, HTML_FAMILY);
        for (size_t i = 0; i < some; i++)
            failed |= report_failed(entries[at + i].result);
        html_printf(out, "<details class=\"family\" id=\"family-%zu\"", at);
        text_puts(out, failed ? " open><summary class=\"strip\">" : "><summary class=\"strip\">");
        put_strip(html, entries + at, some, entries[at].result->family, out);
        text_puts(out, "</summary>\n");
        for (size_t test = at, of_test; test < at + some; test += of_test) {
            of_test = html_alike(entries, count, test, HTML_TEST);
            left -= put_test(html, entries + test, of_test, left, out);
        }
        text_puts(out, "</details>\n");
    }
}

// ---- the heat map

// How far up the axis a rate is: 4 for 1, 3 from 0.1, 1 below 0.01.
static int heat_of(double rate)
{
    return rate >= 1 ? 4 : rate >= 0.1 ? 3 : rate >= 0.01 ? 2 : 1;
}

// A cell: what failed among a family's configurations on a device, controls aside.
static void put_heat(const struct html *html, const struct html_entry *family, size_t count,
                     size_t device, struct text *out)
{
    enum { PASS, FAIL, SKIP, OTHER, CONTROL }; // report_counted()
    uint64_t counts[REPORT_COUNTED] = {0};
    double worst = 0, bound = 0;
    for (size_t i = 0; i < count; i++) {
        const struct result *result = family[i].result;
        if (result->device != device)
            continue;
        counts[report_counted(result)]++;
        if (result->judged == 0 || result->expectation == CAT_CONTROL)
            continue;
        worst = fmax(worst, rate_of(result));
        bound = fmax(bound, result->interval.high);
    }
    html_printf(out, "<td class=\"heat h%d\">", counts[FAIL] ? heat_of(worst) : 0);
    if (counts[FAIL])
        html_printf(
            out,
            "<a href=\"#results\" data-family=\"%s\" data-device=\"%u\" "
            "data-result=\"counted-fail\"><b>%s</b> of %s failed</a><small>up to %s</small>",
            family[0].result->family, html->model->devices[device].number, COUNT(counts[FAIL]),
            COUNT(counts[PASS] + counts[FAIL]), RATE(worst, 0));
    else if (counts[PASS])
        html_printf(out, "never in %s<small>%s< %s</small>", COUNT(counts[PASS]),
                    counts[PASS] > 1 ? "each " : "", RATE(bound, 1));
    else
        text_puts(out, counts[CONTROL] ? "controls alone"
                       : counts[SKIP]  ? "skipped"
                       : counts[OTHER] ? ""
                                       : "not run");
    if (counts[OTHER])
        html_printf(out, "<small>%s without a result</small>", COUNT(counts[OTHER]));
    text_puts(out, "</td>");
}

void html_heat(const struct html *html, struct text *out)
{
    const size_t devices = html->model->device_count;
    const struct html_entry *entries = html->entries;
    const size_t count = html->entry_count;
    if (count == 0)
        return;
    text_puts(out, "<div class=\"wide\" role=\"region\" aria-label=\"Failures by family and "
                   "device\" tabindex=\"0\"><table class=\"heats\">\n<caption>Configurations that "
                   "failed, and the highest rate among them: the redder, the higher.</caption>\n"
                   "<thead><tr><th scope=\"col\">family</th>");
    for (size_t device = 0; device < devices; device++) {
        OWNED(text_free) struct text name = {0};
        html_device_name(&name, &html->model->devices[device]);
        text_puts(out, "<th scope=\"col\">");
        html_device(out, html, device);
        html_printf(out, "%s</th>", name.data);
    }
    text_puts(out, "</tr></thead>\n<tbody>\n");
    for (size_t at = 0, some; at < count; at += some) {
        const char *name = entries[at].result->family;
        some = html_alike(entries, count, at, HTML_FAMILY);
        html_printf(out, "<tr><th scope=\"row\"><a href=\"#family-%zu\">%s</a></th>", at, name);
        for (size_t device = 0; device < devices; device++)
            put_heat(html, entries + at, some, device, out);
        text_puts(out, "</tr>\n");
    }
    text_puts(out, "</tbody></table></div>\n");
    for (size_t device = 0; device < devices; device++) {
        OWNED(report_mutation_clear) struct report_mutation mutation;
        OWNED(text_free) struct text sentences = {0};
        report_mutation_score(html->model, device, &mutation);
        report_mutation_sentences(&mutation, &sentences);
        if (sentences.length) {
            text_puts(out, "<p>");
            html_device(out, html, device);
            html_printf(out, "%s</p>\n", sentences.data);
        }
    }
}
