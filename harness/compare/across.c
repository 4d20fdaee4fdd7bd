// SPDX-License-Identifier: Apache-2.0
// Compares each device with all others of its kind together.
#include "compare/compare.h"

#include "report/format.h"

#define ODD 0.01 // p value, over all devices, below which we leave a result out of the pool

// Appends a side's devices and results to another side, with new numbers.
static void append(struct compare_side *all, struct compare_side *one)
{
    struct report_model *to = &all->model, *from = &one->model;
    const size_t before = to->device_count, results = to->result_count;
    to->devices = lit_realloc(to->devices, before + from->device_count, sizeof *to->devices);
    all->places = lit_realloc(all->places, before + from->device_count, sizeof *all->places);
    for (size_t i = 0; i < from->device_count; i++) {
        all->places[before + i] = lit_strdup(one->label);
        to->devices[before + i] = from->devices[i];
        to->devices[before + i].number = (unsigned)(before + i + 1);
    }
    to->results = lit_realloc(to->results, results + from->result_count, sizeof *to->results);
    all->broke = lit_realloc(all->broke, results + from->result_count, sizeof *all->broke);
    for (size_t i = 0; i < from->result_count; i++) {
        to->results[results + i] = from->results[i];
        to->results[results + i].device += before;
        all->broke[results + i] = one->broke[i];
    }
    to->device_count += from->device_count;
    to->result_count += from->result_count;
    from->device_count = from->result_count = 0;
}

bool compare_across_load(struct compare_side *each, const struct compare_source *sources,
                         struct lit_error *error)
{
    OWNED(text_free) struct text label = {0};
    *each = (struct compare_side){.sources = 1};
    bool good = true;
    for (size_t i = 0; good && i < sources->count; i++) {
        OWNED(compare_side_clear) struct compare_side one = {0};
        const struct compare_source source = {&sources->names[i], 1, sources->unfinished};
        good = compare_side_load(&one, &source, error);
        if (good) {
            text_printf(&label, "%s%s", i ? ", " : "", one.label);
            append(each, &one);
            each->partial += one.partial;
            each->unfinished |= one.unfinished;
            if (strcmp(one.started, each->started) > 0)
                memcpy(each->started, one.started, sizeof each->started);
        }
        if (good && i == 0) {
            each->model.session = one.model.session;
            each->model.build = one.model.build;
            one.model.session = (struct store_session){0};
            one.model.build = (struct report_build){0};
        }
    }
    each->label = lit_strdup(label.data ? label.data : "");
    return good;
}

// Pools the others

static int compare_names(const void *left, const void *right)
{
    const struct result *a = *(const struct result *const *)left;
    const struct result *b = *(const struct result *const *)right;
    const int order = strcmp(a->name, b->name);
    return order ? order : a->device < b->device ? -1 : a->device > b->device;
}

struct pooling {
    const struct compare_side *each;
    struct compare_side *others;
    size_t *kinds; // for each device
    bool *odd;     // for each of the group's results: left out of the pool
};

static bool are_peers(const struct pooling *p, const struct result *a, const struct result *b)
{
    return a->device != b->device && p->kinds[a->device] == p->kinds[b->device] &&
           compare_are_alike(a, b);
}

// Marks results that differ too much from their peers to compare others with: the one that differs
// most, then again without it, while more than half are left.
static void mark_odd(struct pooling *p, struct result *const *group, size_t count,
                     const struct result *one)
{
    size_t all = 0, left = 0;
    uint64_t failed = 0, judged = 0;
    for (size_t i = 0; i < count; i++)
        if ((group[i] == one || are_peers(p, group[i], one)) && eng_is_verdict(group[i]->result)) {
            failed += group[i]->failed_runs;
            judged += group[i]->judged;
            left = ++all;
        }
    while (left > 2 && 2 * left > all && failed > 0) {
        double least = 1;
        size_t worst = count;
        for (size_t i = 0; i < count; i++) {
            const struct result *r = group[i];
            if (p->odd[i] || !eng_is_verdict(r->result) || !(r == one || are_peers(p, r, one)))
                continue;
            const double chance = stat_fisher(failed - r->failed_runs, judged - r->judged,
                                              r->failed_runs, r->judged, STAT_TWO_SIDED);
            if (chance < least) {
                least = chance;
                worst = i;
            }
        }
        if (worst == count || least >= ODD / (double)left)
            break;
        p->odd[worst] = true;
        failed -= group[worst]->failed_runs;
        judged -= group[worst]->judged;
        left--;
    }
}

static void add_counts(struct result *sum, const struct result *one)
{
    sum->runs += one->runs;
    sum->failed_runs += one->failed_runs;
    sum->no_progress_runs += one->no_progress_runs;
    for (size_t i = 0; i < one->piece_count; i++)
        LIT_ADD(sum->pieces, sum->piece_count) = one->pieces[i];
}

// Pools the peers of a result; the sum belongs to the result's device in the other side.
static void pool(struct pooling *p, struct result *const *group, size_t count,
                 const struct result *one)
{
    struct result sum = {0};
    const struct result *first = NULL;
    enum eng_result broke = ENG_PASS;
    size_t broken = 0, whole = 0; // peers that broke, and that ended normally
    bool ended = false;
    for (size_t i = 0; i < count; i++) {
        const struct result *other = group[i];
        if (!are_peers(p, other, one))
            continue;
        first = first ? first : other;
        const enum eng_result how = p->each->broke[other - p->each->model.results];
        broke = broke ? broke : how;
        broken += how != ENG_PASS;
        whole += eng_is_verdict(other->result);
        if (!eng_is_verdict(other->result) || p->odd[i])
            continue;
        ended = true;
        add_counts(&sum, other);
    }
    if (!first)
        return;
    report_result_is(&sum, cfg_parse(one->name));
    sum.device = one->device;
    sum.expectation = one->expectation;
    sum.mode = cat_mode_keep(one->mode);
    sum.reason = lit_strdup(ended ? "" : first->reason);
    sum.sha256 = lit_strdup(one->sha256);
    sum.headline = lit_strdup(one->headline);
    sum.stress = lit_strdup(one->stress);
    sum.rule = lit_strdup("");
    report_result_rate(&sum);
    sum.result = ended ? eng_verdict(&sum.count) : first->result;
    struct report_model *model = &p->others->model;
    size_t at = model->result_count;
    // As above: fewer than half of the peers decide nothing.
    LIT_ADD(p->others->broke, at) = broken < whole ? ENG_PASS : broke;
    LIT_ADD(model->results, model->result_count) = sum;
}

// Pools all results of one name.
static void pool_group(struct pooling *p, struct result *const *group, size_t count)
{
    memset(p->odd, 0, count * sizeof *p->odd);
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        while (before < i && !are_peers(p, group[before], group[i]))
            before++;
        // Look at peers once.
        if (before == i)
            mark_odd(p, group, count, group[i]);
    }
    for (size_t i = 0; i < count; i++)
        pool(p, group, count, group[i]);
}

static void copy_head(const struct compare_side *each, struct compare_side *others)
{
    const struct store_session *session = &each->model.session;
    const struct report_build *build = &each->model.build;
    *others = (struct compare_side){
        .sources = 1, .label = lit_strdup(each->label), .unfinished = each->unfinished};
    memcpy(others->started, each->started, sizeof others->started);
    others->model.session = (struct store_session){.id = session->id,
                                                   .version = lit_strdup(session->version),
                                                   .started = lit_strdup(session->started),
                                                   .system = lit_strdup(session->system),
                                                   .finished = session->finished};
    others->model.build = (struct report_build){
        lit_strdup(build->commit), lit_strdup(build->catalogue), lit_strdup(build->options)};
}

void compare_across_others(const struct compare_side *each, struct compare_side *others)
{
    const struct report_model *model = &each->model;
    OWNED(lit_free) size_t *kinds = lit_alloc(model->device_count + 1, sizeof *kinds);
    OWNED(lit_free) struct result **list = lit_alloc(model->result_count + 1, sizeof *list);
    OWNED(lit_free) bool *odd = lit_alloc(model->result_count + 1, sizeof *odd);
    struct pooling p = {.each = each, .others = others, .kinds = kinds, .odd = odd};
    copy_head(each, others);
    for (size_t i = 0; i < model->device_count; i++) {
        struct eng_device device = model->devices[i];
        device.checker = lit_strdup(device.checker);
        LIT_ADD(others->model.devices, others->model.device_count) = device;
        while (kinds[i] < i && !dev_facts_alike(&model->devices[kinds[i]].facts, &device.facts))
            kinds[i]++;
    }
    for (size_t i = 0; i < model->result_count; i++)
        list[i] = &model->results[i];
    if (model->result_count > 0)
        qsort(list, model->result_count, sizeof *list, compare_names);
    for (size_t i = 0, end; i < model->result_count; i = end) {
        for (end = i + 1; end < model->result_count && strcmp(list[i]->name, list[end]->name) == 0;)
            end++;
        pool_group(&p, list + i, end - i);
    }
}

// Pairs each device with the others. For two of a kind both pairs would be the same test.
bool compare_across_pairs(const struct compare_side *each, struct compare_pairs *pairs,
                          struct lit_error *error)
{
    const struct report_model *model = &each->model;
    *pairs = (struct compare_pairs){0};
    for (size_t i = 0; i < model->device_count; i++) {
        size_t before = 0, behind = 0;
        for (size_t j = 0; j < model->device_count; j++) {
            const bool alike =
                j != i && dev_facts_alike(&model->devices[i].facts, &model->devices[j].facts);
            before += alike && j < i;
            behind += alike && j > i;
        }
        if (before + behind > 1 || before == 1)
            LIT_ADD(pairs->items, pairs->count) = (struct compare_pair){.a = i, .b = i};
        pairs->alone_b += before + behind == 0;
    }
    return pairs->count > 0 ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "no two devices are of one kind (name, product and driver) in %.300s",
                    each->label);
}

// Words

static size_t count_odd(const struct comparison *comparison, size_t pair)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const enum compare_verdict verdict = comparison->entries[i].verdict;
        count += comparison->entries[i].pair == pair &&
                 (verdict == COMPARE_REGRESSION || verdict == COMPARE_IMPROVEMENT ||
                  verdict == COMPARE_CHANGED);
    }
    return count;
}

void compare_across_summary(const struct comparison *comparison, struct text *out)
{
    for (size_t i = 0; i < comparison->pairs.count; i++) {
        const size_t odd = count_odd(comparison, i);
        const struct eng_device *device =
            &comparison->b->model.devices[comparison->pairs.items[i].b];
        if (odd > 0)
            text_printf(out, "%sdevice %u in %s configuration%s",
                        out->length ? ", " : "not alike: ", device->number, COUNT(odd),
                        odd == 1 ? "" : "s");
    }
    text_puts(out,
              out->length ? "" : "no device differs significantly from the others of its kind");
}

void compare_across_pair(const struct comparison *comparison, const struct compare_pair *pair,
                         struct text *out)
{
    const struct report_model *model = &comparison->b->model;
    const struct eng_device *device = &model->devices[pair->b];
    size_t others = 0, other = 0;
    for (size_t i = 0; i < model->device_count; i++)
        if (i != pair->b && dev_facts_alike(&model->devices[i].facts, &device->facts)) {
            others++;
            other = i;
        }
    text_printf(out, "device %u: %s, driver %s, UUID %s, in %s, against ", device->number,
                device->facts.name, device->facts.driver_version, UUID(device->facts.device_uuid),
                comparison->b->places[pair->b]);
    if (others == 1)
        text_printf(out, "device %u in %s: of two nothing says which is the odd one",
                    model->devices[other].number, comparison->b->places[other]);
    else
        text_printf(out, "the %zu others of its kind", others);
}

void compare_device_rows(const struct comparison *comparison, struct table *table)
{
    static const struct table_column heads[] = {COL("device"),
                                                COL("in"),
                                                NUM("configurations"),
                                                NUM("failed runs"),
                                                RATED("rate, without controls"),
                                                NUM("not alike")};
    const struct report_model *model = &comparison->b->model;
    *table = (struct table){TABLE_OF(heads), .about = "each device"};
    for (size_t d = 0; comparison->across && d < model->device_count; d++) {
        uint64_t failed = 0, judged = 0;
        size_t count = 0, odd = 0;
        REPORT_EACH (result, model, d) {
            if (result->expectation == CAT_CONTROL)
                continue;
            count++;
            failed += result->failed_runs;
            judged += result->judged;
        }
        for (size_t i = 0; i < comparison->pairs.count; i++)
            odd += comparison->pairs.items[i].b == d ? count_odd(comparison, i) : 0;
        table_row(table);
        table_put(table, TONE_PLAIN, "%u: %s", model->devices[d].number,
                  model->devices[d].facts.name);
        table_put(table, TONE_PLAIN, "%s", comparison->b->places[d]);
        table_count(table, TONE_PLAIN, count);
        table_count(table, TONE_PLAIN, failed);
        table_rate(table, TONE_PLAIN, failed, judged,
                   stat_clopper_pearson(failed, judged, REPORT_CONFIDENCE));
        table_count(table, odd ? TONE_BAD : TONE_PLAIN, odd);
    }
}
