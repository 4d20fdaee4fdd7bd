// SPDX-License-Identifier: Apache-2.0
// Splits a run into caselists that take about equally long.
#include "session/session.h"

#include "base/file.h"
#include "compare/side.h"
#include "engine/plan.h"
#include "report/format.h"
#include "store/history.h"

#include <unistd.h>

#define MOST_KINDS    64
#define LEAST_SECONDS 0.01 // the least time of a configuration
#define EVEN_SECONDS  1.0  // if nothing was measured

// What the stores know about one configuration, by its name with the subgroup size.
struct past {
    char *name;
    char started[24]; // start of the newest session that has it
    size_t session;   // that session's number over all stores; decides when seconds are equal
    double seconds;   // in that session
    enum eng_apart apart;
    uint64_t kinds; // kinds of devices that measured it, in the stores of --missing
};

struct item {
    char *name; // as in a caselist
    size_t order;
    bool lacking, known;
    struct eng_load load;
};

struct planning {
    const struct ses_plan_options *options;
    struct cat_selection selection;
    struct ses_cases cases;
    struct dev_facts kinds[MOST_KINDS]; // one device of each kind
    uint64_t missing;                   // kinds in the stores of --missing
    size_t kind_count, session;
    const char *started;          // of the session being read
    struct eng_inventory devices; // likewise
    bool is_missing;              // a store of --missing is or was read
    struct past *past;
    size_t past_count;
    struct item *items;
    size_t item_count;
    struct lit_error *error;
};

// What the stores know

// Finds or adds a device's kind; returns MOST_KINDS if there are too many.
static size_t find_kind(struct planning *p, const struct dev_facts *facts)
{
    size_t k = 0;
    while (k < p->kind_count && !dev_facts_alike(&p->kinds[k], facts))
        k++;
    if (k == p->kind_count && k < MOST_KINDS)
        p->kinds[p->kind_count++] = *facts;
    return k;
}

static bool take_result(struct result *result, void *user)
{
    struct planning *p = user;
    const enum eng_result ended = result->result;
    struct past *past = &LIT_ADD(p->past, p->past_count);
    *past = (struct past){.name = lit_strdup(result->name),
                          .session = p->session,
                          .seconds = result->count.seconds,
                          .apart = ended == ENG_DEVICE_LOST                       ? ENG_APART_LOST
                                   : eng_is_broken(ended) || ended == ENG_PARTIAL ? ENG_APART_ENDED
                                                                                  : ENG_APART_NOT};
    snprintf(past->started, sizeof past->started, "%s", p->started);
    for (size_t i = 0; i < p->devices.count; i++)
        if (p->is_missing && ended != ENG_PARTIAL && ended != ENG_HARNESS_ERROR &&
            strcmp(p->devices.devices[i].id, result->device_id) == 0)
            past->kinds = UINT64_C(1) << find_kind(p, &p->devices.devices[i].facts);
    return true;
}

static bool read_session(struct planning *p, struct store *store, int64_t id, const char *started)
{
    p->session++;
    p->started = started;
    bool good = ses_inventory_recall(&p->devices, store, id, p->error);
    for (size_t i = 0; good && i < p->devices.count; i++) {
        const size_t kind = find_kind(p, &p->devices.devices[i].facts);
        if (kind == MOST_KINDS)
            good = lit_fail(p->error, LIT_EXIT_USAGE,
                            "the stores have more than %d kinds of devices", MOST_KINDS);
        else if (p->is_missing)
            p->missing |= UINT64_C(1) << kind;
    }
    good = good && store_results(store, id, take_result, p, p->error);
    eng_inventory_clear(&p->devices);
    return good;
}

// Takes the session of --missing that 'litmus gate' reads.
static bool take_missing(struct report_model *model, const char *label, void *user,
                         struct lit_error *error)
{
    const bool good =
        model->store ? read_session(user, model->store, model->session.id, model->session.started)
                     : lit_fail(error, LIT_EXIT_USAGE, "%.200s: a report, not a store", label);
    report_model_clear(model);
    return good;
}

static bool read_stores(struct planning *p, const struct lit_list *stores)
{
    bool good = true;
    for (size_t i = 0; good && i < stores->count; i++) {
        OWNED(store_index_clear) struct store_index index = {0};
        struct store *store = store_open_read(stores->items[i], p->error);
        good = store && store_index_load(store, false, &index, p->error);
        for (size_t s = 0; good && s < index.session_count; s++)
            good = index.contained[s] ||
                   read_session(p, store, index.sessions[s].id, index.sessions[s].started);
        store_close(&store);
    }
    return good;
}

static int compare_sessions(const struct past *a, const struct past *b)
{
    const int order = strcmp(a->started, b->started);
    return order ? order : a->session < b->session ? -1 : a->session > b->session;
}

// Merges entries by name: keeps the newest session, the longest time and the worst end.
static void merge_past(struct planning *p)
{
    size_t kept = 0;
    text_sort(p->past, p->past_count, sizeof *p->past);
    for (size_t i = 0; i < p->past_count; i++) {
        struct past *one = &p->past[i], *last = kept ? &p->past[kept - 1] : NULL;
        if (!last || strcmp(last->name, one->name) != 0) {
            p->past[kept++] = *one;
            continue;
        }
        const uint64_t kinds = last->kinds | one->kinds;
        const int order = compare_sessions(last, one);
        free(order < 0 ? last->name : one->name);
        if (order < 0) {
            *last = *one;
        } else {
            if (order > 0)
                one->seconds = 0, one->apart = ENG_APART_NOT;
            last->seconds = one->seconds > last->seconds ? one->seconds : last->seconds;
            last->apart = one->apart > last->apart ? one->apart : last->apart;
        }
        last->kinds = kinds;
    }
    p->past_count = kept;
}

static int compare_past(const void *key, const void *item)
{
    return strcmp(key, ((const struct past *)item)->name);
}

// The items

// Adds a name as in a caselist: with its subgroup size only if not the device's usual one.
static void add_item(struct planning *p, const struct cat_case *which,
                     const struct dev_facts *facts, uint64_t kind)
{
    OWNED(text_free) struct text name = {0};
    cat_case_name(which, &name);
    const struct past *past =
        p->past_count ? bsearch(name.data, p->past, p->past_count, sizeof *p->past, compare_past)
                      : NULL;
    struct item *item = &LIT_ADD(p->items, p->item_count);
    *item = (struct item){
        .order = p->item_count, .known = past != NULL, .lacking = !past || !(past->kinds & kind)};
    if (past) {
        item->load.seconds = past->seconds > LEAST_SECONDS ? past->seconds : LEAST_SECONDS;
        item->load.apart = past->apart;
    }
    if (which->subgroup == facts->subgroup)
        name.data[cfg_bare_length(name.data)] = '\0';
    item->name = lit_strdup(name.data);
}

static void add_kind(struct planning *p, const struct dev_facts *facts, uint64_t kind)
{
    OWNED(eng_plan_clear) struct eng_plan plan = eng_plan_make(&p->selection, facts, false, 0);
    for (size_t i = 0; i < plan.count; i++)
        add_item(p, &plan.cases[i], facts, kind);
}

static int compare_order(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return a->order < b->order ? -1 : a->order > b->order;
}

// Merges items that several kinds of devices have in common.
static void merge_items(struct planning *p)
{
    size_t kept = 0;
    text_sort(p->items, p->item_count, sizeof *p->items);
    for (size_t i = 0; i < p->item_count; i++) {
        const struct item *one = &p->items[i];
        struct item *last = kept ? &p->items[kept - 1] : NULL;
        if (!last || strcmp(last->name, one->name) != 0) {
            p->items[kept++] = *one;
            continue;
        }
        if (one->order < last->order)
            last->order = one->order;
        last->lacking |= one->lacking;
        last->known |= one->known;
        if (one->load.seconds > last->load.seconds)
            last->load.seconds = one->load.seconds;
        if (one->load.apart > last->load.apart)
            last->load.apart = one->load.apart;
        free(one->name);
    }
    p->item_count = kept;
    if (kept > 0)
        qsort(p->items, kept, sizeof *p->items, compare_order);
}

static double mean(const struct item *items, size_t count, double otherwise)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (items[i].known) {
            sum += items[i].load.seconds;
            known++;
        }
    return known ? sum / (double)known : otherwise;
}

// Guesses an unknown time from other items of the test, else from all items.
static void guess_times(struct planning *p)
{
    const double all = mean(p->items, p->item_count, EVEN_SECONDS);
    for (size_t i = 0, end; i < p->item_count; i = end) {
        for (end = i + 1;
             end < p->item_count && cfg_same_test(p->items[i].name, p->items[end].name);)
            end++;
        const double test = mean(p->items + i, end - i, all);
        for (size_t j = i; j < end; j++)
            if (!p->items[j].known)
                p->items[j].load.seconds = test;
    }
}

static void drop_measured(struct planning *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->item_count; i++)
        if (p->items[i].lacking)
            p->items[kept++] = p->items[i];
        else
            free(p->items[i].name);
    p->item_count = kept;
}

// Makes items from the sessions that were read.
static bool make_items(struct planning *p)
{
    // Without a device, only a list can give a name its size.
    const struct dev_facts none = {.subgroup = 32,
                                   .subgroup_min = 1,
                                   .subgroup_max = 128,
                                   .subgroup_control = p->cases.list.count > 0};
    merge_past(p);
    for (size_t k = 0; k < p->kind_count; k++)
        if (!p->missing || p->missing >> k & 1)
            add_kind(p, &p->kinds[k], UINT64_C(1) << k);
    if (p->kind_count == 0)
        add_kind(p, &none, 0);
    merge_items(p);
    const bool any = p->item_count > 0;
    guess_times(p);
    if (p->is_missing)
        drop_measured(p);
    return any || lit_fail(p->error, LIT_EXIT_NOTHING, "none of these configurations exists%s",
                           p->kind_count ? " on the devices of the stores" : "");
}

// The parts

static void put_part(const struct planning *p, const struct eng_load *loads, size_t part,
                     size_t parts, struct text *out)
{
    OWNED(text_free) struct text names = {0};
    size_t count = 0;
    double seconds = 0;
    enum eng_apart apart = ENG_APART_NOT;
    for (size_t i = 0; i < p->item_count; i++) {
        if (loads[i].part != part)
            continue;
        text_printf(&names, "%s\n", p->items[i].name);
        count++;
        seconds += loads[i].seconds;
        if (parts > 1 && loads[i].apart > apart)
            apart = loads[i].apart;
    }
    text_printf(out, "# part %zu of %zu: %s configuration%s", part, parts, COUNT(count),
                count == 1 ? "" : "s");
    if (p->past_count > 0)
        text_printf(out, ", %.1f s", seconds);
    text_puts(out, apart == ENG_APART_LOST    ? ", with those that lost the device\n"
                   : apart == ENG_APART_ENDED ? ", with those that did not end\n"
                                              : "\n");
    text_puts(out, names.data);
}

static void name_part(const char *prefix, size_t part, struct text *path)
{
    path->length = 0;
    text_printf(path, "%s-%zu.txt", prefix, part);
}

// Prints each file's name and its first line's text.
static bool write_parts(const struct planning *p, const struct eng_load *loads, size_t parts,
                        struct text *out)
{
    const char *prefix = p->options->output;
    OWNED(text_free) struct text path = {0}, list = {0};
    name_part(prefix, parts, &path);
    if (access(path.data, F_OK) == 0)
        return lit_fail(p->error, LIT_EXIT_USAGE,
                        "%.300s is there, of a plan of more parts: remove it", path.data);
    for (size_t part = 0; part < parts; part++) {
        name_part(prefix, part, &path);
        list.length = 0;
        put_part(p, loads, part, parts, &list);
        if (!lit_file_write(path.data, list.data, list.length, p->error))
            return false;
        text_printf(out, "%s: %.*s\n", path.data, (int)strcspn(list.data + 2, "\n"), list.data + 2);
    }
    return true;
}

static bool put_parts(const struct planning *p, struct text *out)
{
    OWNED(lit_free) struct eng_load *loads = lit_alloc(p->item_count + 1, sizeof *loads);
    for (size_t i = 0; i < p->item_count; i++)
        loads[i] = p->items[i].load;
    const size_t parts = eng_balance(loads, p->item_count, p->options->parts);
    if (p->options->output)
        return write_parts(p, loads, parts, out);
    for (size_t part = 0; part < parts; part++)
        put_part(p, loads, part, parts, out);
    return true;
}

static void clear(struct planning *p)
{
    for (size_t i = 0; i < p->past_count; i++)
        free(p->past[i].name);
    for (size_t i = 0; i < p->item_count; i++)
        free(p->items[i].name);
    free(p->past);
    free(p->items);
    ses_cases_clear(&p->cases);
}

bool ses_plan_is_whole(struct store *store, int64_t session, const char *options)
{
    const struct lit_list none = {0};
    struct lit_error error = {0};
    struct ses_options asked = {0};
    struct planning p = {.is_missing = true, .error = &error};
    bool whole = ses_asked(options, &asked);
    p.cases = asked.cases;
    whole = whole && ses_cases_read(&p.cases, &none, &none, &error);
    if (whole) {
        p.selection = ses_cases_select(&p.cases, &asked.patterns, false, asked.thorough);
        whole = cat_selection_check(&p.selection, &error) && read_session(&p, store, session, "") &&
                make_items(&p) && p.item_count == 0;
    }
    clear(&p);
    return whole;
}

int ses_plan(const struct ses_plan_options *o, const struct lit_list *patterns, struct text *out,
             struct lit_error *error)
{
    struct planning p = {.options = o, .error = error};
    if (o->parts > ENG_SHARDS_MAX)
        lit_fail(error, LIT_EXIT_USAGE, "--parts: at most %s", COUNT(ENG_SHARDS_MAX));
    bool good = o->parts <= ENG_SHARDS_MAX &&
                ses_check_tests(o->all, patterns, &o->caselists, "plan", error) &&
                ses_cases_read(&p.cases, &o->caselists, &o->skips, error);
    if (good) {
        p.selection = ses_cases_select(&p.cases, patterns, o->all, o->thorough);
        good = cat_selection_check(&p.selection, error) && read_stores(&p, &o->from);
        p.is_missing = o->missing.count > 0;
        for (size_t i = 0; good && i < o->missing.count; i++)
            good = compare_source_each(o->missing.items[i], false, take_missing, &p, error);
        good = good && make_items(&p) && put_parts(&p, out);
    }
    if (good && p.item_count == 0)
        fputs("litmus: nothing is missing\n", stderr);
    const bool lacking = p.is_missing && p.item_count > 0;
    clear(&p);
    return !good ? -1 : lacking ? LIT_EXIT_UNDECIDED : LIT_EXIT_OK;
}
