// SPDX-License-Identifier: Apache-2.0
// The protocol of GoogleTest, so that what runs its tests can run configurations: the flags, the
// lines that it prints, and its XML and JSON (docs/gating.md). The words are those of
// GoogleTest 1.12.
#include "cli/cases.h"

#include "base/clock.h"
#include "base/file.h"
#include "cli/output.h"
#include "engine/plan.h"
#include "report/junit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAG "--gtest_"

// ---- flags

// These change nothing here: a configuration that fails does not stop the program, nothing is
// disabled, and the order is always the catalogue's.
static const char *const heedless[] = {"also_run_disabled_tests",
                                       "brief",
                                       "break_on_failure",
                                       "catch_exceptions",
                                       "death_test_style",
                                       "fail_fast",
                                       "print_utf8",
                                       "random_seed",
                                       "recreate_environments_when_repeating",
                                       "shuffle",
                                       "throw_on_failure"};

bool cli_gtest_is_asked(int argc, char *const *argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], FLAG, strlen(FLAG)) == 0)
            return true;
    return false;
}

static bool is_true(const char *value)
{
    return !(*value == '0' || *value == 'f' || *value == 'F');
}

static bool take_color(struct cli_gtest *gtest, const char *value, struct lit_error *error)
{
    static const char *const words[] = {[CLI_COLOR_AUTO] = "auto", "yes", "no"};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, words[i]) == 0) {
            gtest->color = i;
            return true;
        }
    return lit_fail(error, LIT_EXIT_USAGE, FLAG "color=%.40s: yes, no or auto", value);
}

static bool take_flag(struct cli_gtest *gtest, const char *name, const char *value,
                      struct lit_error *error)
{
    const size_t length = strcspn(name, "=");
    const char *given = value ? value : "1";
#define IS(word) (length == sizeof(word) - 1 && strncmp(name, word, length) == 0)
    for (size_t i = 0; i < sizeof heedless / sizeof *heedless; i++)
        if (strlen(heedless[i]) == length && strncmp(name, heedless[i], length) == 0)
            return true;
    if (IS("list_tests"))
        gtest->list = is_true(given);
    else if (IS("print_time"))
        gtest->no_time = !is_true(given);
    else if (IS("filter") && value)
        gtest->filter = value;
    else if (IS("output") && value)
        gtest->output = value;
    else if (IS("color") && value)
        return take_color(gtest, value, error);
    else if (IS("repeat") && value && strcmp(value, "1") == 0)
        return true;
    else
        return lit_fail(error, LIT_EXIT_USAGE, "%s%.80s is not supported%s", FLAG, name,
                        IS("repeat") ? ": -n gives the runs of each configuration" : "");
#undef IS
    return true;
}

// What a flag that is not given is taken from, as GoogleTest does.
static bool take_variables(struct cli_gtest *gtest, struct lit_error *error)
{
    static const char *const names[][2] = {{"GTEST_FILTER", "filter"},
                                           {"GTEST_COLOR", "color"},
                                           {"GTEST_PRINT_TIME", "print_time"},
                                           {"GTEST_OUTPUT", "output"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i][0]);
        if (value && !take_flag(gtest, names[i][1], value, error))
            return false;
    }
    return true;
}

bool cli_gtest_take(struct cli_gtest *gtest, int *argc, char **argv, struct lit_error *error)
{
    int kept = 1;
    *gtest = (struct cli_gtest){.filter = "*", .output = ""};
    if (!take_variables(gtest, error))
        return false;
    for (int i = 1; i < *argc; i++) {
        const char *name = argv[i] + strlen(FLAG);
        if (strncmp(argv[i], FLAG, strlen(FLAG)) != 0) {
            argv[kept++] = argv[i];
            continue;
        }
        const char *value = strchr(name, '=');
        if (!take_flag(gtest, name, value ? value + 1 : NULL, error))
            return false;
    }
    *argc = kept;
    argv[kept] = NULL;
    const size_t form = strcspn(gtest->output, ":");
    gtest->json = form == 4 && strncmp(gtest->output, "json", form) == 0;
    return gtest->output[0] == '\0' || gtest->json ||
           (form == 3 && strncmp(gtest->output, "xml", form) == 0) ||
           lit_fail(error, LIT_EXIT_USAGE, FLAG "output=%.80s: xml or json, or xml:FILE",
                    gtest->output);
}

// ---- names and filters

static bool matches_pattern(const char *pattern, const char *end, const char *name)
{
    const char *star = NULL, *from = NULL;
    while (pattern < end || *name) {
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            from = name;
        } else if (pattern < end && *name && (*pattern == '?' || *pattern == *name)) {
            pattern++;
            name++;
        } else if (star && *from) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    return true;
}

static bool matches_any(const char *patterns, const char *end, const char *name)
{
    for (;;) {
        const char *colon = memchr(patterns, ':', (size_t)(end - patterns));
        if (matches_pattern(patterns, colon ? colon : end, name))
            return true;
        if (!colon)
            return false;
        patterns = colon + 1;
    }
}

bool cli_gtest_matches(const char *filter, const char *name)
{
    const char *end = filter + strlen(filter), *dash = strchr(filter, '-');
    const bool positive = dash == filter || matches_any(filter, dash ? dash : end, name);
    return positive && !(dash && matches_any(dash + 1, end, name));
}

static char *full_name(const char *name, unsigned device, bool several)
{
    struct text full = {0};
    if (several)
        text_printf(&full, "%u/", device);
    cfg_runner_name(name, &full);
    return full.data;
}

static bool has_several(const struct cli_gtest *gtest)
{
    size_t chosen = 0;
    for (size_t i = 0; i < gtest->devices->inventory.count; i++)
        chosen += gtest->devices->chosen[i];
    return chosen > 1;
}

bool cli_gtest_keeps(const struct cli_gtest *gtest, const char *name, unsigned device)
{
    OWNED(lit_free) char *full = full_name(name, device, has_several(gtest));
    return cli_gtest_matches(gtest->filter, full);
}

// ---- what will run

const char *cli_gtest_store(struct cli_gtest *gtest, struct lit_error *error)
{
    struct text path = {0};
    text_printf(&path, "%s/litmus-gtest-XXXXXX", lit_path_temporary());
    if (!mkdtemp(path.data)) {
        lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", path.data, strerror(errno));
        text_free(&path);
        return NULL;
    }
    gtest->folder = lit_strdup(path.data);
    text_puts(&path, "/litmus.db");
    gtest->store = path.data;
    return path.data;
}

static void add_plan(struct cli_gtest *gtest, const struct eng_run *run,
                     const struct eng_device *device)
{
    struct eng_plan plan;
    eng_plan_make(&plan, run->selection, &device->facts, run->shuffle, run->seed);
    eng_plan_shard(&plan, &run->shard);
    for (size_t i = 0; i < plan.count; i++) {
        struct text name = {0};
        struct cli_gtest_test *test = &LIT_ADD(gtest->tests, gtest->count);
        cat_case_name(&plan.cases[i], &name);
        *test = (struct cli_gtest_test){
            .name = full_name(name.data, device->number, has_several(gtest))};
        test->suite = strcspn(test->name, ".");
        text_free(&name);
    }
    eng_plan_clear(&plan);
}

void cli_gtest_plan(struct cli_gtest *gtest, const struct eng_run *run)
{
    const struct eng_inventory *inventory = &gtest->devices->inventory;
    for (size_t i = 0; i < inventory->count; i++)
        if (gtest->devices->chosen[i])
            add_plan(gtest, run, &inventory->devices[i]);
}

// Whether a test is the first of its suite.
static bool begins_suite(const struct cli_gtest *gtest, size_t at)
{
    const struct cli_gtest_test *test = &gtest->tests[at];
    return at == 0 || gtest->tests[at - 1].suite != test->suite ||
           strncmp(gtest->tests[at - 1].name, test->name, test->suite) != 0;
}

// How many tests from `at` on are of its suite.
static size_t suite_size(const struct cli_gtest *gtest, size_t at)
{
    size_t end = at + 1;
    while (end < gtest->count && !begins_suite(gtest, end))
        end++;
    return end - at;
}

void cli_gtest_list(const struct cli_gtest *gtest, struct text *out)
{
    for (size_t i = 0; i < gtest->count; i++) {
        const struct cli_gtest_test *test = &gtest->tests[i];
        if (begins_suite(gtest, i))
            text_printf(out, "%.*s.\n", (int)test->suite, test->name);
        text_printf(out, "  %s\n", test->name + test->suite + 1);
    }
}

// ---- what is printed

enum { RED = 1, GREEN, YELLOW };

static void mark(const struct cli_gtest *gtest, struct text *out, int color, const char *word)
{
    if (cli_color((enum cli_color)gtest->color))
        text_printf(out, "\033[0;3%dm%s\033[m", color, word);
    else
        text_puts(out, word);
}

static void put_count(struct text *out, size_t count, const char *what)
{
    text_printf(out, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

static void put_time(const struct cli_gtest *gtest, struct text *out, uint64_t milliseconds,
                     const char *behind)
{
    if (!gtest->no_time)
        text_printf(out, " (%" PRIu64 " ms%s)", milliseconds, behind);
    text_puts(out, "\n");
}

static size_t count_suites(const struct cli_gtest *gtest)
{
    size_t count = 0;
    for (size_t i = 0; i < gtest->count; i++)
        count += begins_suite(gtest, i);
    return count;
}

void cli_gtest_begin(struct cli_gtest *gtest, const struct store_session *session,
                     const struct eng_shard *shard)
{
    const struct cli_devices *devices = gtest->devices;
    struct report_model *model = &gtest->model;
    struct text out = {0};
    model->session = *session;
    model->devices = lit_alloc(devices->inventory.count + 1, sizeof *model->devices);
    for (size_t i = 0; i < devices->inventory.count; i++) {
        struct report_device *device = &model->devices[model->device_count++];
        device->number = devices->inventory.devices[i].number;
        device->facts = devices->inventory.devices[i].facts;
        dev_facts_id(&device->facts, device->id);
    }
    gtest->started = clock_now();
    if (strcmp(gtest->filter, "*") != 0) {
        text_printf(&out, "Note: Google Test filter = %s\n", gtest->filter);
        OWNED(text_free)
        struct text safe = {.data = lit_alloc(out.length + 1, 1), .length = out.length};
        text_sanitise_lines(safe.data, out.length + 1, out.data);
        text_free(&out);
        mark(gtest, &out, YELLOW, safe.data);
    }
    if (shard->kind == STORE_SHARD_TESTS) {
        char line[80];
        snprintf(line, sizeof line, "Note: This is test shard %" PRIu64 " of %" PRIu64 ".\n",
                 shard->index + 1, shard->count);
        mark(gtest, &out, YELLOW, line);
    }
    mark(gtest, &out, GREEN, "[==========] ");
    text_puts(&out, "Running ");
    put_count(&out, gtest->count, "test");
    text_puts(&out, " from ");
    put_count(&out, count_suites(gtest), "test suite");
    text_puts(&out, ".\n");
    mark(gtest, &out, GREEN, "[----------] ");
    text_puts(&out, "Global test environment set-up.\n");
    cli_print(&out);
}

void cli_gtest_begun(const struct eng_device *device, const char *name, void *user)
{
    struct cli_gtest *gtest = user;
    OWNED(lit_free) char *full = full_name(name, device->number, has_several(gtest));
    struct text out = {0};
    // What a device that was lost did not come to is passed over.
    while (gtest->at < gtest->count && strcmp(gtest->tests[gtest->at].name, full) != 0)
        gtest->at++;
    if (gtest->at == gtest->count)
        return;
    const struct cli_gtest_test *test = &gtest->tests[gtest->at];
    if (begins_suite(gtest, gtest->at)) {
        mark(gtest, &out, GREEN, "[----------] ");
        put_count(&out, suite_size(gtest, gtest->at), "test");
        text_printf(&out, " from %.*s\n", (int)test->suite, test->name);
    }
    mark(gtest, &out, GREEN, "[ RUN      ] ");
    text_printf(&out, "%s\n", test->name);
    cli_print(&out);
}

static void put_suite_end(const struct cli_gtest *gtest, struct text *out)
{
    size_t first = gtest->at;
    uint64_t sum = 0;
    if (gtest->no_time || (gtest->at + 1 < gtest->count && !begins_suite(gtest, gtest->at + 1)))
        return;
    while (!begins_suite(gtest, first))
        first--;
    for (size_t i = first; i <= gtest->at; i++)
        sum += gtest->tests[i].milliseconds;
    mark(gtest, out, GREEN, "[----------] ");
    put_count(out, gtest->at + 1 - first, "test");
    text_printf(out, " from %.*s", (int)gtest->tests[first].suite, gtest->tests[first].name);
    put_time(gtest, out, sum, " total");
    text_puts(out, "\n");
}

void cli_gtest_ended(const struct eng_device *device, const struct store_result *result, void *user)
{
    static const char *const words[] = {[CLI_GTEST_OK] = "[       OK ] ",
                                        [CLI_GTEST_SKIPPED] = "[  SKIPPED ] ",
                                        [CLI_GTEST_FAILED] = "[  FAILED  ] "};
    struct cli_gtest *gtest = user;
    struct report_model *model = &gtest->model;
    struct cli_gtest_test *test = &gtest->tests[gtest->at];
    struct junit_case told = {0};
    struct text out = {0};
    size_t index = 0;
    if (gtest->at == gtest->count)
        return;
    while (strcmp(model->devices[index].id, device->id) != 0)
        index++;
    report_model_add(model, index, result);
    const struct report_result *added = &model->results[model->result_count - 1];
    junit_judge(&told, model, added);
    test->state = told.verdict == JUNIT_PASSED    ? CLI_GTEST_OK
                  : told.verdict == JUNIT_SKIPPED ? CLI_GTEST_SKIPPED
                                                  : CLI_GTEST_FAILED;
    test->milliseconds = (uint64_t)(added->seconds * 1000 + 0.5);
    if (test->state != CLI_GTEST_OK) {
        const char *dot = strchr(added->test, '.');
        text_printf(&out, "spirv/%s/%s.spvasm:1: %s\n%s\n", added->family,
                    dot ? dot + 1 : added->test,
                    test->state == CLI_GTEST_FAILED ? "Failure" : "Skipped", told.message.data);
        text_printf(&out, "%s\n",
                    test->state == CLI_GTEST_FAILED && told.story.data ? told.story.data : "");
    }
    mark(gtest, &out, test->state == CLI_GTEST_FAILED ? RED : GREEN, words[test->state]);
    text_puts(&out, test->name);
    put_time(gtest, &out, test->milliseconds, "");
    put_suite_end(gtest, &out);
    cli_print(&out);
    text_free(&told.class);
    text_free(&told.name);
    text_free(&told.message);
    text_free(&told.story);
    gtest->at++;
}

// ---- the end

static size_t count_of(const struct cli_gtest *gtest, enum cli_gtest_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < gtest->count; i++)
        count += gtest->tests[i].state == state;
    return count;
}

static void list_of(const struct cli_gtest *gtest, enum cli_gtest_state state, int color,
                    const char *word, struct text *out)
{
    if (count_of(gtest, state) == 0)
        return;
    mark(gtest, out, color, word);
    put_count(out, count_of(gtest, state), "test");
    text_puts(out, ", listed below:\n");
    for (size_t i = 0; i < gtest->count; i++)
        if (gtest->tests[i].state == state) {
            mark(gtest, out, color, word);
            text_printf(out, "%s\n", gtest->tests[i].name);
        }
}

static void put_end(const struct cli_gtest *gtest, bool whole, struct text *out)
{
    const size_t failed = count_of(gtest, CLI_GTEST_FAILED);
    const size_t waiting = count_of(gtest, CLI_GTEST_WAITS);
    mark(gtest, out, GREEN, "[----------] ");
    text_puts(out, "Global test environment tear-down\n");
    mark(gtest, out, GREEN, "[==========] ");
    put_count(out, gtest->count - waiting, "test");
    text_puts(out, " from ");
    put_count(out, count_suites(gtest), "test suite");
    text_puts(out, " ran.");
    put_time(gtest, out, (uint64_t)((clock_now() - gtest->started) * 1000), " total");
    mark(gtest, out, GREEN, "[  PASSED  ] ");
    put_count(out, count_of(gtest, CLI_GTEST_OK), "test");
    text_puts(out, ".\n");
    list_of(gtest, CLI_GTEST_SKIPPED, GREEN, "[  SKIPPED ] ", out);
    list_of(gtest, CLI_GTEST_FAILED, RED, "[  FAILED  ] ", out);
    if (waiting || !whole) {
        mark(gtest, out, RED, "[  FAILED  ] ");
        put_count(out, waiting, "test");
        text_puts(out, " did not run: a device could not be measured, or the run was stopped\n");
    }
    if (failed)
        text_printf(out, "\n%2zu FAILED %s\n", failed, failed == 1 ? "TEST" : "TESTS");
}

static void make_output(const struct cli_gtest *gtest, struct text *out)
{
    struct junit junit = {.gtest = true};
    size_t done = 0;
    for (size_t i = 0; i < gtest->count; i++) {
        const struct cli_gtest_test *test = &gtest->tests[i];
        if (begins_suite(gtest, i))
            text_append(&junit_suite(&junit, gtest->model.session.started)->name, test->name,
                        test->suite);
        if (test->state == CLI_GTEST_WAITS)
            continue;
        struct junit_case *one = junit_case(&junit);
        const struct report_result *result = &gtest->model.results[done++];
        text_append(&one->class, test->name, test->suite);
        text_puts(&one->name, test->name + test->suite + 1);
        one->seconds = result->seconds;
        junit_judge(one, &gtest->model, result);
        // The protocol knows no errors.
        one->verdict = one->verdict == JUNIT_ERROR ? JUNIT_FAILURE : one->verdict;
    }
    (gtest->json ? junit_json : junit_write)(&junit, "AllTests", out);
    junit_clear(&junit);
}

// "xml", "xml:FILE", or "xml:FOLDER/", in which the first free name is taken; likewise json.
static void name_output(const struct cli_gtest *gtest, struct text *path)
{
    const char *colon = strchr(gtest->output, ':'), *given = colon ? colon + 1 : "";
    const char *form = gtest->json ? "json" : "xml";
    text_puts(path, given);
    if (!given[0])
        text_printf(path, "test_detail.%s", form);
    if (strchr(PATH_SEPARATORS, path->data[path->length - 1])) {
        text_printf(path, "litmus.%s", form);
        for (unsigned i = 1; access(path->data, F_OK) == 0 && i < 10000; i++) {
            text_free(path);
            text_printf(path, "%slitmus_%u.%s", given, i, form);
        }
    }
}

bool cli_gtest_check(const struct cli_gtest *gtest, const char *db, struct lit_error *error)
{
    OWNED(text_free) struct text path = {0};
    if (!gtest || !gtest->output[0])
        return true;
    name_output(gtest, &path);
    return cli_output_guard(path.data, db, error);
}

static bool write_output(const struct cli_gtest *gtest, struct lit_error *error)
{
    OWNED(text_free) struct text path = {0}, made = {0};
    name_output(gtest, &path);
    lit_path_make_above(path.data); // what cannot be made is said when the file is written
    make_output(gtest, &made);
    return lit_file_write(path.data, made.data, made.length, error);
}

int cli_gtest_end(struct cli_gtest *gtest, bool whole, struct lit_error *error)
{
    struct text out = {0};
    const bool failed = count_of(gtest, CLI_GTEST_FAILED) + count_of(gtest, CLI_GTEST_WAITS) > 0;
    put_end(gtest, whole, &out);
    cli_print(&out);
    if (gtest->output[0] && !write_output(gtest, error))
        return CLI_FAILED;
    return failed || !whole;
}

void cli_gtest_clear(struct cli_gtest *gtest)
{
    for (size_t i = 0; i < gtest->count; i++)
        free(gtest->tests[i].name);
    free(gtest->tests);
    gtest->model.session = (struct store_session){0}; // was the run's
    report_model_clear(&gtest->model);
    for (const char *const *end = lit_store_companions; gtest->store && *end; end++) {
        struct text path = {0};
        text_printf(&path, "%s%s", gtest->store, *end);
        unlink(path.data);
        text_free(&path);
    }
    if (gtest->store) {
        unlink(gtest->store);
        rmdir(gtest->folder);
    }
    free(gtest->store);
    free(gtest->folder);
    *gtest = (struct cli_gtest){0};
}
