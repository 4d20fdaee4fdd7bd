// SPDX-License-Identifier: Apache-2.0
// The verdict on a device, and blocks of its failures that are alike.
#include "report/failures.h"

#include "model/emulated.h"
#include "report/code.h"
#include "report/format.h"

// ---- values that tell some results from others

// A value of a key: whether a described result has it, and whether another one has.
struct value {
    const char *text;
    bool in, out;
};

struct key {
    const char *name; // "" for the test
    struct value *values;
    size_t count;
    size_t *at; // for each result its value's index
    bool used;  // the description names it
};

struct grid {
    const struct result *const *all;
    const bool *some;
    size_t count;
    struct key *keys;
    size_t key_count;
};

static size_t find_value(struct key *key, const char *text)
{
    size_t at = 0;
    while (at < key->count && strcmp(key->values[at].text, text) != 0)
        at++;
    if (at == key->count)
        LIT_ADD(key->values, key->count) = (struct value){.text = text};
    return at;
}

static void add_key(struct grid *grid, const char *name)
{
    for (size_t i = 0; i < grid->key_count; i++)
        if (strcmp(grid->keys[i].name, name) == 0)
            return;
    struct key *key = &LIT_ADD(grid->keys, grid->key_count);
    *key = (struct key){.name = name, .at = lit_alloc(grid->count, sizeof *key->at)};
    for (size_t i = 0; i < grid->count; i++) {
        key->at[i] =
            find_value(key, name[0] ? report_value(grid->all[i], name) : grid->all[i]->test);
        struct value *value = &key->values[key->at[i]];
        value->in = value->in || grid->some[i];
        value->out = value->out || !grid->some[i];
    }
    for (size_t i = 0; i < key->count; i++)
        key->used = key->used || !key->values[i].in;
}

// How many of all results have the described values of all used keys.
static size_t inside(const struct grid *grid)
{
    size_t count = 0;
    for (size_t i = 0; i < grid->count; i++) {
        bool is = true;
        for (size_t k = 0; k < grid->key_count && is; k++)
            is = !grid->keys[k].used || grid->keys[k].values[grid->keys[k].at[i]].in;
        count += is;
    }
    return count;
}

// The length of the prefix, up to a dash, that all values inside share, or all outside, and no
// other value has. 0 if there is none, or only one value.
static size_t common_length(const struct key *key, bool in)
{
    const char *first = NULL;
    size_t length = 0, count = 0;
    for (size_t i = 0; i < key->count; i++) {
        const char *text = key->values[i].text;
        if (key->values[i].in != in)
            continue;
        length = first ? length : strlen(text);
        first = first ? first : text;
        while (length > 0 && (first[length - 1] != '-' || strncmp(text, first, length) != 0))
            length--;
        count++;
    }
    for (size_t i = 0; i < key->count; i++)
        if (key->values[i].in != in && count && strncmp(key->values[i].text, first, length) == 0)
            return 0;
    return count > 1 ? length : 0;
}

static void put_key(const struct key *key, struct text *out)
{
    size_t in = 0, put = 0;
    for (size_t i = 0; i < key->count; i++)
        in += key->values[i].in;
    const size_t others = key->count - in;
    const bool negated = key->name[0] && in > 2 && others < in && !common_length(key, true);
    const size_t common = common_length(key, !negated);
    text_printf(out, "%s%s", key->name, negated ? "!=" : key->name[0] ? "=" : "");
    for (size_t i = 0; i < key->count && !(common && put); i++) {
        const char *text = key->values[i].text;
        if (key->values[i].in == negated)
            continue;
        text_puts(out, put++ ? "," : "");
        if (text[0])
            text_append(out, text, common ? common : strlen(text));
        else
            text_puts(out, "absent"); // from other tests
    }
    text_puts(out, common ? "*" : "");
}

size_t report_where(const struct result *const *all, const bool *some, size_t count,
                    struct text *out)
{
    struct grid grid = {.all = all, .some = some, .count = count};
    bool first = true;
    add_key(&grid, "");
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < all[i]->variant_count + all[i]->param_count; p++)
            add_key(&grid, all[i]->variant[p].key); // the parameters follow
    const size_t are = inside(&grid);
    for (size_t k = grid.key_count; k-- > 0;) { // drop keys, parameters first, if we can
        const bool was = grid.keys[k].used;
        grid.keys[k].used = false;
        grid.keys[k].used = was && inside(&grid) != are;
    }
    for (size_t k = 0; k < grid.key_count; k++) {
        if (grid.keys[k].used && out) {
            text_puts(out, first ? "" : " ");
            put_key(&grid.keys[k], out);
            first = false;
        }
        free(grid.keys[k].values);
        free(grid.keys[k].at);
    }
    free(grid.keys);
    return are;
}

// ---- one result

#define MOST_TESTS      4 // named in a verdict
#define MOST_NEIGHBOURS 4 // passing variants to show for a block
#define MOST_MEMBERS    8 // members of a block whose neighbours we look for
#define MOST_GROUPS     4 // that one block may be divided into

// ---- one result

// CAT_OUTCOMES if no outcome was observed.
static uint32_t most_seen(const struct result *result)
{
    uint32_t most = CAT_OUTCOMES;
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++)
        if (result->outcomes[outcome] > 0 && cat_mode_fails(result->mode, outcome) &&
            (most == CAT_OUTCOMES || result->outcomes[outcome] > result->outcomes[most]))
            most = outcome;
    return most;
}

const char *report_seen(const struct result *result, char buffer[24])
{
    const uint32_t most = most_seen(result);
    return most < CAT_OUTCOMES ? report_outcome_name(result, most, buffer)
                               : eng_result_name(result->result);
}

static const char *seen(const struct result *result)
{
    static char buffer[2][24];
    static size_t at;
    at = !at;
    return report_seen(result, buffer[at]);
}

bool report_has_values(const struct result *result, const char *values)
{
    OWNED(lit_free) char *copy = lit_strdup(values ? values : "");
    char *rest = NULL;
    bool has = true;
    for (char *pair = strtok_r(copy, " ", &rest); pair && has; pair = strtok_r(NULL, " ", &rest)) {
        char *globs = pair + strcspn(pair, "="), *more = NULL;
        if (*globs)
            *globs++ = '\0';
        has = false;
        for (char *glob = strtok_r(globs, ",", &more); glob; glob = strtok_r(NULL, ",", &more))
            has = has || text_glob(glob, report_value(result, pair));
    }
    return has;
}

const struct report_signature *report_finding(const struct report_model *model,
                                              const struct result *result)
{
    const struct dev_facts *facts = &model->devices[result->device].facts;
    const struct report_signature *found = report_signatures;
    char driver[400];
    snprintf(driver, sizeof driver, "%s %s", facts->driver_name, facts->driver_version);
    while (found->finding &&
           !(text_glob(found->test, result->test) && text_glob(found->outcome, seen(result)) &&
             text_glob(found->driver, driver) && report_has_values(result, found->values)))
        found++;
    return found->finding ? found : NULL;
}

const struct report_signature *report_finding_by(const struct dev_facts *facts, const char *cause)
{
    const struct report_signature *found = report_signatures;
    char driver[400];
    snprintf(driver, sizeof driver, "%s %s", facts->driver_name, facts->driver_version);
    while (found->finding && !(text_glob(found->cause, cause) && text_glob(found->driver, driver)))
        found++;
    return found->finding ? found : NULL;
}

// ---- rates

struct range {
    double low, high; // rates of failed runs among judged ones
    size_t count;     // results with judged runs
};

static void add_rate(struct range *range, const struct result *result)
{
    if (result->judged == 0)
        return;
    const double rate = (double)result->failed_runs / (double)result->judged;
    range->low = range->count == 0 || rate < range->low ? rate : range->low;
    range->high = range->count == 0 || rate > range->high ? rate : range->high;
    range->count++;
}

// "always", "0.78 of runs", "0.02 to 0.55 of runs"; "" if no run was judged.
static void put_range(const struct range *range, const char *before, struct text *out)
{
    const char *low = RATE(range->low, 0), *high = RATE(range->high, 0);
    if (range->count == 0)
        return;
    if (range->low >= 1)
        text_puts(out, "always");
    else if (strcmp(low, high) == 0)
        text_printf(out, "%s%s of runs", before, low);
    else
        text_printf(out, "%s%s to %s of runs", before, low, high);
}

// ---- the verdict

// The failures of one test, or of all tests under the leading key result.
struct failing {
    const char *test;
    bool leads;
    size_t count;
    struct range range;
};

static int compare_failing(const void *left, const void *right)
{
    const struct failing *a = left, *b = right;
    if (a->leads != b->leads)
        return a->leads ? -1 : 1;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->test, b->test);
}

// It ended the driver or the device before anything failed.
static bool is_broken(const struct result *result)
{
    return eng_is_broken(result->result) && !report_failed(result);
}

// Names the tests whose forbidden results failed, or ended in this way: first those under the
// leading key result, together by its name; then those with the most results.
static void put_tests(const struct report_model *model, size_t device, enum eng_result how,
                      struct text *out)
{
    OWNED(lit_free) struct failing *tests = NULL;
    size_t count = 0;
    REPORT_EACH (result, model, device) {
        const bool is =
            how == ENG_FAIL ? report_failed(result) : is_broken(result) && result->result == how;
        if (result->expectation != CAT_FORBIDDEN || !is)
            continue;
        const bool leads = !strcmp(result->headline, REPORT_LEADS);
        const char *name = leads ? result->headline : result->test;
        size_t at = 0;
        while (at < count && strcmp(tests[at].test, name) != 0)
            at++;
        if (at == count)
            LIT_ADD(tests, count) = (struct failing){.test = name, .leads = leads};
        tests[at].count++;
        if (report_failed(result))
            add_rate(&tests[at].range, result);
    }
    qsort(tests, count, sizeof *tests, compare_failing);
    for (size_t i = 0; i < count && i < MOST_TESTS; i++) {
        const bool several = tests[i].count > 1, rate = tests[i].range.count > 0;
        text_printf(out, "%s%s", i ? ", " : ": ", tests[i].test);
        text_puts(out, several || rate ? " (" : "");
        if (several)
            text_puts(out, COUNT(tests[i].count));
        text_puts(out, several && rate ? ", " : "");
        put_range(&tests[i].range, "", out);
        text_puts(out, several || rate ? ")" : "");
    }
    if (count > MOST_TESTS)
        text_printf(out, " and %s more test%s", COUNT(count - MOST_TESTS),
                    count - MOST_TESTS > 1 ? "s" : "");
}

struct report_class report_class(const struct report_model *model, size_t device,
                                 enum cat_expectation expectation)
{
    struct report_class counted = {0};
    REPORT_EACH (result, model, device) {
        if (result->expectation != expectation)
            continue;
        const bool broken = is_broken(result);
        counted.ran += result->runs > 0 || broken;
        counted.failed += report_failed(result);
        counted.triggered += report_control_triggered(result);
        counted.broken[result->result] += broken;
        counted.unfinished += report_unfinished_only(result) && !broken;
    }
    return counted;
}

static const char *configurations(size_t count)
{
    return count == 1 ? "configuration" : "configurations";
}

static void put_forbidden(const struct report_model *model, size_t device,
                          const struct report_class *forbidden, struct text *out)
{
    static const struct {
        enum eng_result result;
        const char *word;
    } ends[] = {{ENG_FAIL, "failed"},
                {ENG_CRASH, "crashed"},
                {ENG_HANG, "hung"},
                {ENG_DEVICE_LOST, "lost the device"}};
    const char *ran = COUNT(forbidden->ran), *word = configurations(forbidden->ran);
    bool some = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t count =
            ends[i].result == ENG_FAIL ? forbidden->failed : forbidden->broken[ends[i].result];
        if (!count)
            continue;
        text_printf(out, some ? "; %s" : "%s", COUNT(count));
        if (!some)
            text_printf(out, " of %s forbidden %s", ran, word);
        text_printf(out, " %s", ends[i].word);
        put_tests(model, device, ends[i].result, out);
        some = true;
    }
    if (!some && forbidden->ran)
        text_printf(out, "None of %s forbidden %s failed", ran, word);
    if (!forbidden->ran)
        text_puts(out, "No forbidden configuration ran");
}

bool report_unclosed(const struct report_model *model, size_t device, const char *before,
                     struct text *out)
{
    const char *name = model->devices[device].facts.name, *line = model->drivers;
    const size_t length = strlen(name);
    for (; line && *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, name, length) == 0 && strncmp(line + length, ": ", 2) == 0) {
            line += length + 2;
            text_printf(out, "%s%.*s", before, (int)strcspn(line, "\n"), line);
            return true;
        }
    return false;
}

static void put_results(const struct report_model *model, size_t device, struct text *out)
{
    struct report_class of[CAT_EXPECTATIONS];
    size_t ran = 0, all = 0, unfinished = 0;
    for (enum cat_expectation e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++) {
        of[e] = report_class(model, device, e);
        ran += of[e].ran;
        unfinished += of[e].unfinished;
        for (int ended = 0; ended < ENG_RESULTS && e != CAT_FORBIDDEN; ended++)
            unfinished += of[e].broken[ended];
    }
    REPORT_EACH (result, model, device)
        all++;
    const struct result *last = NULL;
    REPORT_EACH (result, model, device) { // each kernel from outside, once
        if (last && strcmp(last->test, result->test) == 0)
            continue;
        last = result;
        OWNED(text_free) struct text name = text_format("%s: ", result->test);
        report_check(out, name.data, result, ". ");
    }
    if (ran == 0 && unfinished == 0) {
        text_printf(out, "Nothing ran: %s %s skipped", COUNT(all), configurations(all));
        return;
    }
    put_forbidden(model, device, &of[CAT_FORBIDDEN], out);
    for (enum cat_expectation e = CAT_CONTESTED; e <= CAT_ASSUMED; e++) {
        const bool first = e == CAT_CONTESTED || !of[CAT_CONTESTED].failed;
        if (of[e].failed)
            text_printf(out, "%s%s of %s %s", first ? "; also failed: " : ", ", COUNT(of[e].failed),
                        COUNT(of[e].ran), cat_expectation_name(e));
    }
    if (unfinished)
        text_printf(out, "; %s did not finish", COUNT(unfinished));
}

void report_verdict(const struct report_model *model, size_t device, struct text *out)
{
    put_results(model, device, out);
    report_unclosed(model, device, "; ", out);
}

// ---- blocks

// A test's results on a device that ran, all of one class: which ones go into blocks, and what each
// did.
struct set {
    const struct report_model *model;
    const struct report_code *code;
    const struct result **all;
    size_t count;
    bool *some; // members of the current block
    struct report_block *list;
    size_t list_count;
};

static int compare_rates(const void *left, const void *right)
{
    const struct result *a = *(const struct result *const *)left;
    const struct result *b = *(const struct result *const *)right;
    if (a->interval.low != b->interval.low)
        return a->interval.low > b->interval.low ? -1 : 1;
    return a < b ? -1 : 1;
}

// Why a result is as it is, where that tells it from others: of a failure only on an emulated GPU.
static const char *reason_of(const struct report_model *model, const struct result *result)
{
    return report_failed(result) && !dev_facts_emulated(&model->devices[result->device].facts)
               ? ""
               : result->reason;
}

static void put_says(const struct set *set, const struct report_block *block, size_t inside,
                     struct text *out)
{
    const struct result *first = block->members[0];
    const bool failed = report_failed(first), every = inside == block->count;
    struct range range = {0};
    size_t passed = 0;
    struct result sum = *first; // its outcomes
    for (size_t i = 0; i < block->count; i++) {
        add_rate(&range, block->members[i]);
        for (uint32_t outcome = 0; outcome < CAT_OUTCOMES && i > 0; outcome++)
            sum.outcomes[outcome] += block->members[i]->outcomes[outcome];
    }
    for (size_t i = 0; i < set->count; i++)
        passed += !report_failed(set->all[i]) && !report_unfinished(set->all[i]);
    const size_t others = set->count - block->count;
    if (others == 0 && set->count > 1)
        text_printf(out, "all %s ", COUNT(set->count));
    else if (others)
        text_printf(out, "%s of %s ", COUNT(block->count), COUNT(inside));
    if (failed) {
        put_range(&range, "in ", out);
        text_printf(out, "%s%s", range.count ? ", " : "", seen(&sum));
    } else {
        text_puts(out, seen(first));
    }
    const char *reason = reason_of(set->model, first);
    text_printf(out, "%s%s", reason[0] ? ": " : "", reason);
    if (others && passed == others)
        text_puts(out, every ? "; the other values pass" : "; all others pass");
    else if (others && passed == 0)
        text_puts(out, "; no other passes");
    else if (others)
        text_printf(out, "; %s of %s others pass", COUNT(passed), COUNT(others));
}

// Appends the passing variants that differ from a member in one value, by that value.
static void put_neighbours(const struct report_model *model, const struct report_block *block,
                           struct text *out)
{
    OWNED(lit_free) const char **said = NULL;
    size_t count = 0;
    for (size_t m = 0; m < block->count && m < MOST_MEMBERS; m++) {
        OWNED(lit_free) struct report_variant *near = NULL;
        const size_t near_count = report_variants(model, block->members[m], &near);
        for (size_t i = 0; i < near_count && near[i].differences < 2; i++) {
            struct text names = {0};
            size_t at = 0;
            if (near[i].result->result != ENG_PASS || count >= MOST_NEIGHBOURS)
                continue;
            report_differences(block->members[m], near[i].result, &names);
            while (at < count && names.data && strcmp(said[at], names.data) != 0)
                at++;
            if (at == count && names.data) {
                text_printf(out, "%s%s", count ? ", " : "", names.data);
                LIT_ADD(said, count) = names.data;
                continue;
            }
            text_free(&names);
        }
    }
    for (size_t i = 0; i < count; i++)
        free((char *)said[i]);
}

static char *taken(struct text *text)
{
    return text->data ? text->data : lit_strdup("");
}

// The cause of its failures, and the finding that they belong to.
static void put_cause(const struct set *set, struct report_block *block, struct text *words)
{
    const struct lint_finding *cause = NULL;
    for (size_t i = 0; i < block->count && !cause; i++)
        cause = report_code_cause(set->code, block->members[i], words);
    if (cause)
        block->finding = report_finding_by(&set->model->devices[block->device].facts,
                                           lint_kind_name(cause->kind));
    for (size_t i = 0; i < block->count && !block->finding; i++)
        block->finding = report_finding(set->model, block->members[i]);
}

// Makes a block of the marked results.
static void add_block(struct set *set)
{
    struct report_block *block = &LIT_ADD(set->list, set->list_count);
    struct text where = {0}, says = {0}, passes = {0}, again = {0}, cause = {0};
    *block = (struct report_block){.members = lit_alloc(set->count, sizeof *block->members)};
    for (size_t i = 0; i < set->count; i++)
        if (set->some[i])
            block->members[block->count++] = set->all[i];
    qsort(block->members, block->count, sizeof *block->members, compare_rates);
    block->device = block->members[0]->device;
    put_cause(set, block, &cause);
    const size_t inside = report_where(set->all, set->some, set->count, &where);
    put_says(set, block, inside, &says);
    put_neighbours(set->model, block, &passes);
    format_again_all(&again, set->model, block->members, block->count);
    block->where = taken(&where);
    block->says = taken(&says);
    block->passes = taken(&passes);
    block->again = taken(&again);
    block->cause = taken(&cause);
}

// How many groups a key's values divide `marked` into, if values then tell each group from all
// other results; else SIZE_MAX. `add`: makes the blocks.
static size_t divide(struct set *set, const bool *marked, const char *key, bool add)
{
    OWNED(lit_free) bool *left = lit_alloc(set->count, sizeof *left);
    size_t groups = 0;
    memcpy(left, marked, set->count * sizeof *left);
    for (size_t i = 0; i < set->count && groups <= MOST_GROUPS; i++) {
        if (!left[i])
            continue;
        const char *value = report_value(set->all[i], key);
        size_t count = 0;
        for (size_t j = 0; j < set->count; j++) {
            set->some[j] = marked[j] && strcmp(report_value(set->all[j], key), value) == 0;
            count += set->some[j];
        }
        groups =
            report_where(set->all, set->some, set->count, NULL) == count ? groups + 1 : SIZE_MAX;
        for (size_t j = 0; j < set->count; j++)
            left[j] = left[j] && !set->some[j];
        if (add)
            add_block(set);
    }
    return groups <= MOST_GROUPS ? groups : SIZE_MAX;
}

// Makes one block of the marked results, or, if no values tell them from the others, the fewest
// blocks that such values do.
static void add_blocks(struct set *set)
{
    OWNED(lit_free) bool *marked = lit_alloc(set->count, sizeof *marked);
    size_t count = 0, best = SIZE_MAX, first = set->count;
    const char *key = NULL;
    memcpy(marked, set->some, set->count * sizeof *marked);
    for (size_t i = set->count; i-- > 0;) {
        count += marked[i];
        first = marked[i] ? i : first;
    }
    if (report_where(set->all, set->some, set->count, NULL) > count) {
        const struct result *result = set->all[first];
        for (size_t p = 0; p < result->variant_count + result->param_count; p++) {
            const size_t groups = divide(set, marked, result->variant[p].key, false);
            key = groups < best ? result->variant[p].key : key;
            best = groups < best ? groups : best;
        }
    }
    memcpy(set->some, marked, set->count * sizeof *marked);
    if (key)
        divide(set, marked, key, true);
    else
        add_block(set);
}

// Whether a result has the most frequent failing outcome of `first`, or ended in the same way.
static bool shares_outcome(const struct report_model *model, const struct result *result,
                           const struct result *first)
{
    const uint32_t most = most_seen(first);
    if (strcmp(reason_of(model, result), reason_of(model, first)) != 0)
        return false;
    if (most < CAT_OUTCOMES)
        return result->outcomes[most] > 0;
    return most_seen(result) == CAT_OUTCOMES && result->result == first->result;
}

static bool shares_cause(const struct report_code *code, const struct result *result,
                         const struct result *first)
{
    OWNED(text_free) struct text own = {0}, other = {0};
    report_code_cause(code, result, &own);
    report_code_cause(code, first, &other);
    return lint_is_like(own.data ? own.data : "", other.data ? other.data : "");
}

// Within a class, the number of the first block with the same finding; those without are first.
static size_t place_of(const struct report_block *list, size_t at)
{
    size_t first = at;
    for (size_t i = at;
         i-- > 0 && list[i].members[0]->expectation == list[at].members[0]->expectation;)
        first = list[i].finding == list[at].finding ? i : first;
    return list[at].finding ? first + 1 : 0;
}

// New causes first, then those of each finding.
static void sort_blocks(struct report_block *list, size_t count)
{
    OWNED(lit_free) size_t *places = lit_alloc(count + 1, sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = place_of(list, i);
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && places[k - 1] > places[k] &&
                           list[k - 1].members[0]->expectation == list[k].members[0]->expectation;
             k--) {
            const struct report_block block = list[k];
            const size_t place = places[k];
            list[k] = list[k - 1];
            places[k] = places[k - 1];
            list[k - 1] = block;
            places[k - 1] = place;
        }
}

size_t report_blocks(const struct report_code *code, size_t device,
                     bool (*which)(const struct result *result), struct report_block **list)
{
    const struct report_model *model = code->model;
    OWNED(lit_free) const struct result **chosen = NULL;
    OWNED(lit_free) const struct result **all = lit_alloc(model->result_count + 1, sizeof *all);
    OWNED(lit_free) bool *done = lit_alloc(model->result_count + 1, sizeof *done);
    OWNED(lit_free) bool *some = lit_alloc(model->result_count + 1, sizeof *some);
    struct set set = {.model = model, .code = code, .all = all, .some = some};
    const size_t count = report_select(model, device, which, &chosen);
    for (size_t i = 0; i < count; i++) {
        const struct result *first = chosen[i];
        if (done[first - model->results])
            continue;
        set.count = 0;
        REPORT_EACH (result, model, REPORT_ALL)
            if (result->device == first->device && result->expectation == first->expectation &&
                strcmp(result->test, first->test) == 0 && result->result != ENG_SKIP)
                set.all[set.count++] = result;
        for (size_t s = 0; s < set.count; s++)
            set.some[s] = !done[set.all[s] - model->results] && which(set.all[s]) &&
                          shares_outcome(model, set.all[s], first) &&
                          shares_cause(code, set.all[s], first) &&
                          !set.all[s]->stress[0] == !first->stress[0];
        for (size_t s = 0; s < set.count; s++)
            done[set.all[s] - model->results] |= set.some[s];
        add_blocks(&set);
    }
    sort_blocks(set.list, set.list_count);
    report_blocks_past(model, set.list, set.list_count);
    *list = set.list;
    return set.list_count;
}

void report_blocks_free(struct report_block *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].members);
        free(list[i].where);
        free(list[i].says);
        free(list[i].passes);
        free(list[i].elsewhere);
        free(list[i].since);
        free(list[i].again);
        free(list[i].cause);
    }
    free(list);
}
