// SPDX-License-Identifier: Apache-2.0
// Campaigns of generated programs as sessions of the store.
#include "cli/fuzz.h"

#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Results are stored once a second, and less often where that would take more of the time than a
// part in so many.
#define PUT_SECONDS 1.0
#define PUT_PART    50

// A program that ended before another one in front of it.
struct cli_campaign_early {
    uint64_t index;
    struct eng_outcome outcome;
};

// --- Names

static void add_pair(struct cfg_pair *pairs, size_t *count, char value[24], const char *key,
                     uint64_t number, enum cfg_role role)
{
    snprintf(value, 24, "%" PRIu64, number);
    pairs[(*count)++] = (struct cfg_pair){key, value, role};
}

// Appends a configuration's name; subgroup 0: without it. What the family `generated` has of its
// own (no rule, ENG_DRAW_DEPTH, no pressure, CAT_DRAWN_RUNS) is not in it: such a configuration is
// the same one as of litmus run.
static void put_name(const struct cli_campaign_kind *kind, const char *rule, uint32_t subgroup,
                     struct text *name)
{
    struct cfg_pair pairs[6];
    char test[64], values[5][24];
    size_t count = 0;
    snprintf(test, sizeof test, "generated.%s", kind->family);
    if (rule)
        pairs[count++] = (struct cfg_pair){"reconvergence", rule, CFG_VARIANT};
    add_pair(pairs, &count, values[0], "steps", kind->steps, CFG_PARAMETER);
    if (kind->depth != ENG_DRAW_DEPTH)
        add_pair(pairs, &count, values[1], "depth", kind->depth, CFG_PARAMETER);
    if (kind->pressure)
        add_pair(pairs, &count, values[2], "pressure", kind->pressure, CFG_PARAMETER);
    if (kind->runs != CAT_DRAWN_RUNS(kind->steps))
        add_pair(pairs, &count, values[3], "dispatches", kind->runs, CFG_PARAMETER);
    if (subgroup)
        add_pair(pairs, &count, values[4], "subgroup", subgroup, CFG_SUBGROUP);
    cfg_print(test, pairs, count, name);
}

static uint64_t number_of(const struct cfg *cfg, const char *key, uint64_t usual)
{
    for (size_t i = 0; i < cfg->param_count; i++)
        if (strcmp(cfg->params[i].key, key) == 0)
            return strtoull(cfg->params[i].value, NULL, 10);
    return usual;
}

bool cli_campaign_read(const struct cfg *cfg, struct cli_campaign_kind *kind)
{
    enum masks_rule rule;
    *kind = (struct cli_campaign_kind){.family =
                                           strchr(cfg->test, '.') ? strchr(cfg->test, '.') + 1 : "",
                                       .rule = cfg->variant_count ? cfg->variant[0].value : NULL,
                                       .steps = number_of(cfg, "steps", 0),
                                       .depth = number_of(cfg, "depth", ENG_DRAW_DEPTH),
                                       .pressure = number_of(cfg, "pressure", 0)};
    kind->runs = number_of(cfg, "dispatches", CAT_DRAWN_RUNS(kind->steps));
    return kind->steps && kind->depth && kind->runs &&
           (!kind->rule || gen_rule_find(kind->rule, &rule));
}

// --- The session

bool cli_campaign_begin(struct cli_campaign *c, const struct cli_call *call,
                        const struct cli_devices *devices, struct lit_error *error)
{
    struct text name = {0};
    put_name(&c->kind, c->kind.rule, 0, &name);
    cli_list_add(&c->options.patterns, name.data);
    c->options.campaign = true;
    c->options.rule = (struct eng_rule){.least = c->options.runs, .most = c->options.runs};
    c->session = cli_session_make("fuzz", call);
    c->session.seed = c->options.seed.value;
    c->session.runs = c->options.runs;
    c->session.shard = c->options.shard.kind;
    c->session.shard_index = c->options.shard.index;
    c->session.shard_count = c->options.shard.count;
    c->session.options = cli_session_write(&c->options, devices);
    c->error = error;
    c->store = store_open(c->options.db, error);
    return c->store && store_session_begin(c->store, &c->session, error);
}

bool cli_campaign_resume(struct cli_campaign *c, const char *family, struct lit_error *error)
{
    c->error = error;
    // Opening would make the file.
    if (access(c->options.db, F_OK) != 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", c->options.db, strerror(errno));
    c->store = store_open(c->options.db, error);
    return c->store && cli_session_campaign(c->store, family, &c->session, &c->options, error);
}

static void remark_missing(const char *name, void *user)
{
    struct cli_campaign *c = user;
    c->missing = true;
    fprintf(stderr, "litmus: a device of the session is missing, or has another driver now: %s\n",
            name);
}

static bool take_device(unsigned number, const struct dev_facts *facts, const char *checker,
                        void *user)
{
    struct eng_inventory *inventory = user;
    struct eng_device device = {.number = number, .facts = *facts};
    (void)checker;
    dev_facts_id(facts, device.id);
    LIT_ADD(inventory->devices, inventory->count) = device;
    return true;
}

bool cli_campaign_devices(struct cli_campaign *c, struct cli_devices *devices,
                          struct lit_error *error)
{
    const struct cli_list all = {0};
    size_t chosen = 0;
    if (!c->session.finished && !cli_devices_find(devices, &all, error))
        return false;
    if (c->session.finished) {
        if (!store_devices(c->store, c->session.id, take_device, &devices->inventory, error))
            return false;
        devices->chosen = lit_alloc(devices->inventory.count + 1, sizeof *devices->chosen);
    }
    for (size_t i = 0; i < devices->inventory.count; i++)
        devices->chosen[i] = c->session.finished;
    if (!c->session.finished &&
        !cli_session_choose(c->session.options, devices, remark_missing, c, error))
        return false;
    for (size_t i = 0; i < devices->inventory.count; i++)
        chosen += devices->chosen[i];
    return chosen || lit_fail(error, LIT_EXIT_NOTHING, "none of the session's devices is present");
}

static void forget_device(struct cli_campaign *c)
{
    for (size_t k = 0; k < c->count; k++)
        text_free(&c->sizes[k].name);
    for (size_t i = 0; i < c->early_count; i++)
        free(c->early[i]);
    free(c->early);
    c->early = NULL;
    c->count = c->early_count = 0;
}

void cli_campaign_close(struct cli_campaign *c)
{
    forget_device(c);
    store_session_clear(&c->session);
    store_close(&c->store);
}

int cli_campaign_end(struct cli_campaign *c, double started, enum lit_exit code, const char *reason,
                     struct lit_error *error)
{
    const char *db = c->options.db;
    if (c->store && ((!c->session.finished && !c->missing &&
                      !store_session_finish(c->store, c->session.id, error)) ||
                     !store_stays(c->store, error)))
        return cli_fail(error);
    printf("\n");
    cli_last_line(c->store ? db : NULL, c->options.seed.value, started, code, reason);
    if (c->store && c->missing) {
        OWNED(text_free) struct text again = {0};
        text_printf(&again, "litmus fuzz %s --resume", c->kind.family);
        if (strcmp(db, "litmus.db") != 0) {
            text_puts(&again, " --db ");
            text_quote(&again, db);
        }
        printf("resume: %s\n", again.data);
    }
    cli_flush();
    return code;
}

// --- A device

// How many of the programs before `index` are of size `k`.
static uint64_t runs_before(const struct cli_campaign *c, uint64_t index, size_t k)
{
    return (index + c->count - 1 - k) / c->count;
}

static bool make_size(struct cli_campaign *c, size_t k, uint32_t subgroup, const char *rule)
{
    struct cli_campaign_size *size = &c->sizes[k];
    const struct cli_run_options *o = &c->options;
    OWNED(store_result_clear) struct store_result known = {0};
    char test[64];
    snprintf(test, sizeof test, "generated.%s", c->kind.family);
    const struct cat_case which = {.test = cat_test_find(test), .subgroup = subgroup};
    const struct cat_module *module = cat_case_module(&which);
    const uint64_t before = runs_before(c, o->first, k);
    uint64_t first;
    *size = (struct cli_campaign_size){.subgroup = subgroup};
    put_name(&c->kind, rule, subgroup, &size->name);
    eng_shard_runs(&o->shard, runs_before(c, o->first + o->runs, k) - before, &first, &size->runs);
    size->row = (struct store_result){
        .name = size->name.data,
        .device = (char *)(uintptr_t)c->device->id,
        .reason = size->reason,
        .expectation = (char *)(uintptr_t)cat_expectation_name(cat_case_expectation(&which, NULL)),
        .sha256 = module ? (char *)(uintptr_t)module->sha256 : (char *)"",
        .headline = (char *)"",
        .stress = (char *)"",
        .rule = (char *)"",
        .seed = o->seed.value,
        .first = before + first,
        .mode = cat_test_mode(which.test)};
    struct lit_error error = {0};
    if (store_result_get(c->store, c->session.id, c->device->id, size->row.name, &known, &error)) {
        size->row.count = known.count;
        for (size_t i = 0; i < known.count.part_count; i++)
            if (known.count.parts[i].process >= c->process)
                c->process = known.count.parts[i].process + 1;
    }
    return !error.message[0] || lit_fail(c->error, error.code, "%s", error.message);
}

bool cli_campaign_device(struct cli_campaign *c, const struct eng_device *device,
                         enum masks_rule rule, struct fuzz_tally *tally)
{
    uint32_t sizes[DEV_MAX_SIZES];
    const bool strongest = rule == eng_draw_rule(device->facts.features);
    forget_device(c);
    c->device = device;
    c->process = 0;
    c->put = clock_now() + PUT_SECONDS;
    const size_t count = dev_facts_sizes(&device->facts, sizes);
    if (!c->session.finished && !store_device_put(c->store, c->session.id, device->number,
                                                  &device->facts, "device", c->error))
        return false;
    c->count = count;
    if (!count)
        return lit_fail(c->error, LIT_EXIT_USAGE, "device %u has no usable subgroup size",
                        device->number);
    for (size_t k = 0; k < count; k++) {
        if (!make_size(c, k, sizes[k], strongest ? NULL : gen_rule_name(rule)))
            return false;
        const struct eng_count *known = &c->sizes[k].row.count;
        tally->programs += known->runs;
        tally->before += known->runs;
        tally->failed_before += known->failed_runs;
        tally->checked += known->instances;
    }
    return true;
}

uint64_t cli_campaign_planned(const struct cli_campaign *c)
{
    uint64_t planned = 0;
    for (size_t k = 0; k < c->count; k++)
        planned += c->sizes[k].runs;
    return planned;
}

bool cli_campaign_lacks(const struct cli_campaign *c, uint64_t index)
{
    const struct store_result *row = &c->sizes[index % c->count].row;
    const uint64_t run = index / c->count;
    return run >= row->first + row->count.runs &&
           run < row->first + c->sizes[index % c->count].runs;
}

bool cli_campaign_is_whole(const struct cli_campaign *c)
{
    bool whole = true;
    for (size_t k = 0; k < c->count; k++)
        whole = whole &&
                (c->sizes[k].row.count.runs >= c->sizes[k].runs || c->sizes[k].stuck == ENG_SKIP);
    return whole;
}

// --- Programs

// What one program lacks they all lack.
static void skip(struct cli_campaign *c, const char *reason)
{
    for (size_t k = 0; k < c->count; k++) {
        struct cli_campaign_size *size = &c->sizes[k];
        if (size->row.count.runs || !size->runs)
            continue;
        size->stuck = ENG_SKIP;
        size->changed = true;
        snprintf(size->reason, sizeof size->reason, "%s", reason);
    }
}

// The next run of a configuration.
static void count_next(struct cli_campaign *c, struct cli_campaign_size *size, uint64_t index,
                       const struct eng_outcome *outcome)
{
    const uint64_t run = size->row.first + size->row.count.runs;
    struct eng_count count = outcome->count;
    if (size->stuck != ENG_PASS)
        return;
    if (outcome->result == ENG_SKIP) {
        skip(c, outcome->reason);
        return;
    }
    size->changed = true;
    if (eng_is_broken(outcome->result)) {
        eng_draw_broken(&c->device->facts, size->subgroup, run, outcome->result, outcome->reason,
                        &count);
    } else if (outcome->result == ENG_PASS || outcome->result == ENG_FAIL) {
        eng_draw_counted(run, index, &count);
    } else {
        size->stuck = ENG_HARNESS_ERROR;
        snprintf(size->reason, sizeof size->reason, "program %" PRIu64 ": %.400s", index,
                 outcome->reason);
        return;
    }
    eng_count_part(&size->row.count, &count, c->process, false);
    eng_count_add(&size->row.count, &count);
}

static bool is_next(const struct cli_campaign *c, uint64_t index)
{
    const struct store_result *row = &c->sizes[index % c->count].row;
    return index / c->count == row->first + row->count.runs;
}

// Counts those that ended early and are the next ones now.
static void catch_up(struct cli_campaign *c)
{
    for (size_t i = 0; i < c->early_count;) {
        struct cli_campaign_early *early = c->early[i];
        struct cli_campaign_size *size = &c->sizes[early->index % c->count];
        if (size->stuck == ENG_PASS && !is_next(c, early->index)) {
            i++;
            continue;
        }
        count_next(c, size, early->index, &early->outcome);
        free(early);
        c->early[i] = c->early[--c->early_count];
        i = 0;
    }
}

bool cli_campaign_ran(struct cli_campaign *c, uint64_t index, const struct eng_outcome *outcome)
{
    struct cli_campaign_size *size = &c->sizes[index % c->count];
    if (size->stuck != ENG_PASS || is_next(c, index)) {
        count_next(c, size, index, outcome);
        catch_up(c);
    } else {
        struct cli_campaign_early *early = lit_alloc(1, sizeof *early);
        *early = (struct cli_campaign_early){index, *outcome};
        LIT_ADD(c->early, c->early_count) = early;
    }
    return clock_now() < c->put || cli_campaign_put(c);
}

bool cli_campaign_put(struct cli_campaign *c)
{
    const struct store_result *rows[DEV_MAX_SIZES];
    size_t count = 0;
    for (size_t k = 0; k < c->count; k++) {
        struct cli_campaign_size *size = &c->sizes[k];
        const bool whole = size->row.count.runs == size->runs;
        if (!size->changed)
            continue;
        size->changed = false;
        size->row.result =
            (char *)(uintptr_t)eng_result_name(size->stuck != ENG_PASS ? size->stuck
                                               : whole ? eng_verdict(&size->row.count)
                                                       : ENG_PARTIAL);
        rows[count++] = &size->row;
    }
    const double began = clock_now();
    const bool good = !count || store_results_put(c->store, c->session.id, rows, count, c->error);
    const double took = PUT_PART * (clock_now() - began);
    c->put = clock_now() + (took > PUT_SECONDS ? took : PUT_SECONDS);
    return good;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

void cli_campaign_put_failed(const struct cli_campaign *c, struct text *text)
{
    uint64_t numbers[DEV_MAX_SIZES * ENG_MAX_FAILURES];
    size_t count = 0;
    OWNED(text_free) struct text line = {0};
    for (size_t k = 0; k < c->count; k++)
        for (size_t i = 0; i < c->sizes[k].row.count.failure_count; i++)
            numbers[count++] = c->sizes[k].row.count.failures[i].at.run * c->count + k;
    if (!count)
        return;
    qsort(numbers, count, sizeof *numbers, by_number);
    text_printf(&line, "failed programs that the store names: ");
    for (size_t i = 0; i < count; i++)
        text_printf(&line, "%s%" PRIu64, i ? ", " : "", numbers[i]);
    text_puts(text, "\n");
    text_paragraph(text, "  ", line.data);
}
