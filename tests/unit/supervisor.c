// SPDX-License-Identifier: Apache-2.0
// The supervisor against workers that misbehave in ways that no driver can make the real one
// misbehave in. This program is its own worker: started as `litmus worker`, it plays the part that
// FAKE_WORKER names.
#include "unit.h"

#include "engine/plan.h"
#include "engine/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RUNS 10

static const struct dev_facts device_facts = {.name = "Fake",
                                              .driver_name = "fake",
                                              .type = "other",
                                              .subgroup = 8,
                                              .subgroup_min = 8,
                                              .subgroup_max = 8,
                                              .api = 0x403000};

// The worker

static void emit(const struct eng_event *event)
{
    struct text line = {0};
    eng_event_write(event, &line);
    if (write(ENG_WORKER_FD, line.data, line.length) != (ssize_t)line.length)
        _exit(8);
    text_free(&line);
}

static void emit_batch(uint64_t runs, uint64_t failed)
{
    struct eng_event event = {.kind = ENG_EVENT_BATCH,
                              .count = {.runs = runs,
                                        .failed_runs = failed,
                                        .instances = runs,
                                        .failed_instances = failed,
                                        .outcomes = {runs - failed, failed}}};
    emit(&event);
}

static void sleep_for_ever(void)
{
    for (;;)
        pause();
}

static void play_run(const char *part, const struct eng_request *request)
{
    struct eng_event done = {.kind = ENG_EVENT_DONE, .result = ENG_PASS};
    uint64_t runs = request->runs;
    if (request->first + request->runs != RUNS)
        _exit(9);
    if (strcmp(part, "nonsense") == 0) {
        dprintf(ENG_WORKER_FD, "{\"event\":[\"\\u001b[2J\"]}\n");
        sleep_for_ever();
    } else if (strcmp(part, "endless") == 0) {
        for (;;)
            if (write(ENG_WORKER_FD, "aaaaaaaaaaaaaaaa", 16) < 0)
                _exit(8);
    } else if (strcmp(part, "spam") == 0) {
        for (;;)
            dprintf(1, "I am busy\n");
    } else if (strcmp(part, "deaf") == 0) {
        signal(SIGTERM, SIG_IGN);
        sleep_for_ever();
    } else if (strcmp(part, "mute") == 0) {
        close(ENG_WORKER_FD);
        sleep_for_ever();
    } else if (strcmp(part, "exit") == 0) {
        dprintf(2, "first words\nlast \033[31mwords\n\n");
        _exit(3);
    } else if (strcmp(part, "abort") == 0) {
        emit_batch(4, 1);
        abort();
    } else if (strcmp(part, "too-much") == 0) {
        runs++;
    } else if (strcmp(part, "too-little") == 0) {
        runs--;
    } else if (strcmp(part, "slow") == 0) {
        emit_batch(3, 0);
        sleep_for_ever();
    } else if (strcmp(part, "lost") == 0) {
        done.result = ENG_DEVICE_LOST;
        runs = 1;
    } else if (strcmp(part, "gone-after") == 0) {
        // Whatever comes behind DONE is another request's.
        emit_batch(runs, 0);
        emit(&done);
        _exit(0);
    }
    emit_batch(runs, 0);
    emit(&done);
}

static void play_open(const char *part)
{
    struct eng_event opened = {.kind = ENG_EVENT_OPENED, .facts = device_facts};
    if (strcmp(part, "other-device") == 0)
        snprintf(opened.facts.name, sizeof opened.facts.name, "Other");
    if (strcmp(part, "refuse") == 0) {
        emit(&(struct eng_event){
            .kind = ENG_EVENT_ERROR, .error_code = LIT_EXIT_USAGE, .text = "not today"});
        return;
    }
    emit(&opened);
    emit(&(struct eng_event){.kind = ENG_EVENT_DONE});
}

static int play(const char *part)
{
    static char line[ENG_LINE_MAX];
    size_t length = 0;
    char byte;
    while (read(ENG_WORKER_FD, &byte, 1) == 1) {
        struct eng_request request;
        struct lit_error error;
        if (byte != '\n') {
            line[length++] = byte;
            continue;
        }
        if (!eng_request_parse(line, length, &request, &error))
            return 7;
        length = 0;
        if (request.kind == ENG_QUIT)
            return 0;
        if (request.kind == ENG_OPEN)
            play_open(part);
        if (request.kind == ENG_RUN)
            play_run(part, &request);
    }
    return 0;
}

// The supervisor

static char folder[] = "/tmp/litmus-supervisor-XXXXXX";
static struct eng_device device;
static struct text name; // the one configuration
static struct store *store;
static struct store_session session;
static char said[4096];

static void header(const struct eng_device *which, size_t planned, size_t before, void *user)
{
    (void)which;
    (void)planned;
    (void)before;
    (void)user;
}

static void say(const char *line, void *user)
{
    (void)user;
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s\n", line);
}

static enum eng_stop supervise(const char *part, double idle, double total, struct eng_tally *tally)
{
    const char *patterns[] = {name.data};
    const bool chosen[] = {true};
    struct cat_selection selection = {.patterns = patterns, .count = 1};
    struct eng_inventory inventory = {.devices = &device, .count = 1};
    struct eng_progress progress = {.off = true};
    struct lit_error error = {0};
    struct eng_run run = {
        .selection = &selection,
        .inventory = &inventory,
        .chosen = chosen,
        .runs = RUNS,
        .seed = 1,
        .policy = {.idle = idle, .term = 0.2, .kill = 2, .total = total},
        .started = eng_now(),
        .store = store,
        .session = session.id,
        .progress = &progress,
        .header = header,
        .say = say,
    };
    said[0] = '\0';
    *tally = (struct eng_tally){0};
    setenv("FAKE_WORKER", part, 1);
    return eng_supervise(&run, tally, &error);
}

static void begin_session(void)
{
    char text[] = "x", options[] = "{}";
    struct lit_error error = {0};
    session = (struct store_session){.version = text,
                                     .command = text,
                                     .started = text,
                                     .system = text,
                                     .seed = 1,
                                     .runs = RUNS,
                                     .options = options};
    if (!store_session_begin(store, &session, &error))
        fail_msg("%s", error.message);
}

static int begin(void **state)
{
    struct cat_selection all = {0};
    struct eng_plan plan;
    struct lit_error error = {0};
    char path[64];
    (void)state;
    device = (struct eng_device){.number = 1, .manifest = folder, .facts = device_facts};
    dev_facts_id(&device.facts, device.id);
    eng_plan_make(&plan, &all, &device.facts, false, 0);
    for (size_t i = 0; i < plan.count && !name.data; i++)
        if (cat_case_module(&plan.cases[i]))
            cat_case_name(&plan.cases[i], &name);
    eng_plan_clear(&plan);
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/x.db", folder);
    store = store_open(path, &error);
    return store && name.data ? 0 : -1;
}

static int end(void **state)
{
    char command[64];
    (void)state;
    store_close(&store);
    text_free(&name);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void expect(const char *part, enum eng_result result, uint64_t runs, const char *reason)
{
    struct eng_tally tally;
    struct store_result row = {0};
    struct lit_error error = {0};
    begin_session();
    print_message("part: %s\n", part);
    assert_int_equal(supervise(part, 0.5, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.results[result], 1);
    assert_true(store_result_get(store, session.id, device.id, name.data, &row, &error));
    assert_string_equal(row.result, eng_result_name(result));
    assert_int_equal(row.count.runs, runs);
    if (strncmp(row.reason, reason, strlen(reason)) != 0)
        fail_msg("the reason is '%s', not '%s'", row.reason, reason);
    store_result_clear(&row);
}

static void every_misbehaviour_has_its_result(void **state)
{
    (void)state;
    expect("good", ENG_PASS, RUNS, "");
    expect("gone-after", ENG_PASS, RUNS, "");
    expect("exit", ENG_CRASH, 0, "worker died: exit status 3; it said: last ?[31mwords");
    expect("abort", ENG_CRASH, 4, "worker died: signal 6 (SIGABRT)");
    expect("mute", ENG_CRASH, 0, "the worker closed its connection");
    expect("spam", ENG_HANG, 0, "no progress for 0.5 s");
    expect("deaf", ENG_HANG, 0, "no progress for 0.5 s");
    expect("nonsense", ENG_HARNESS_ERROR, 0, "the worker sent no event: ");
    expect("endless", ENG_HARNESS_ERROR, 0, "the worker sent an endless line");
    expect("too-much", ENG_HARNESS_ERROR, 0, "the worker's counts make no sense");
    expect("too-little", ENG_HARNESS_ERROR, RUNS - 1, "the worker stopped after 9 of 10 runs");
    expect("lost", ENG_DEVICE_LOST, 1, "");
}

static void a_partial_configuration_goes_on(void **state)
{
    struct eng_tally tally;
    struct store_result row = {0};
    struct lit_error error = {0};
    char reason[256];
    (void)state;
    begin_session();
    assert_int_equal(supervise("slow", 30, 0.5, &tally), ENG_STOP_TIME);
    assert_true(tally.out_of_time);
    assert_int_equal(tally.results[ENG_PARTIAL], 1);
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_TIME);
    assert_true(store_result_get(store, session.id, device.id, name.data, &row, &error));
    assert_string_equal(row.result, "partial");
    assert_int_equal(row.count.runs, 3);
    store_result_clear(&row);

    assert_int_equal(supervise("good", 0.5, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.results[ENG_PASS], 1);
    assert_true(store_result_get(store, session.id, device.id, name.data, &row, &error));
    assert_string_equal(row.result, "pass");
    assert_int_equal(row.count.runs, RUNS);
    store_result_clear(&row);

    // What is done is not done again, and still counts.
    assert_int_equal(supervise("abort", 0.5, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.results[ENG_PASS], 1);
    assert_int_equal(tally.results[ENG_CRASH], 0);
}

static void devices_that_do_not_open(void **state)
{
    struct eng_tally tally;
    char reason[256];
    (void)state;
    begin_session();
    assert_int_equal(supervise("refuse", 0.5, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.unopened, 1);
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_NOTHING);
    assert_string_equal(said, "  device 1 stops: it cannot be opened: not today; not run: 1 "
                              "configuration\n");

    assert_int_equal(supervise("other-device", 0.5, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.stopped, 1);
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_DEVICE_LOST);
    assert_non_null(strstr(said, "another device is there now: Other"));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return play(getenv("FAKE_WORKER") ? getenv("FAKE_WORKER") : "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_misbehaviour_has_its_result),
        cmocka_unit_test(a_partial_configuration_goes_on),
        cmocka_unit_test(devices_that_do_not_open),
    };
    return cmocka_run_group_tests_name("supervisor", tests, begin, end);
}
