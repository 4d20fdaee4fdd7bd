// SPDX-License-Identifier: Apache-2.0
// The supervisor against workers that misbehave in ways that no driver can make the real one
// misbehave in, and several devices at once. This program is its own worker: started as `litmus
// worker`, it plays the part that FAKE_WORKER names, else the one that its driver's manifest is
// named after.
#define UNIT_MAIN
#include "unit.h"

#include "base/clock.h"
#include "engine/protocol.h"
#include "engine/plan.h"
#include "engine/supervisor.h"
#include "store/private.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define RUNS  10
#define LIMIT 3600 // s without progress, on a clock that stands still but for pass()

static _Atomic uint64_t *passed; // ns: the file of the clock, shared with the workers

static void pass(double seconds)
{
    atomic_fetch_add(passed, (uint64_t)(seconds * 1e9));
}

// The first one makes the file.
static bool use_clock(int flags)
{
    const int file = open(getenv("LITMUS_CLOCK"), O_RDWR | O_CLOEXEC | flags, 0600);
    if (file < 0 || ftruncate(file, 16) != 0)
        return false;
    passed = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return passed != MAP_FAILED;
}

// Devices differ by their name alone: that of the manifest.
static struct dev_facts facts_of(const char *manifest)
{
    const char *slash = strrchr(manifest, '/'), *part = slash ? slash + 1 : manifest;
    struct dev_facts facts = {.driver_name = "fake",
                              .type = "other",
                              .subgroup = 8,
                              .subgroup_min = 8,
                              .subgroup_max = 8,
                              .api = 0x403000};
    strcpy(facts.name, "Fake ");
    strncat(facts.name, part, sizeof facts.name - 6);
    facts.cpu = strncmp(part, "cpu-", 4) == 0;
    return facts;
}

// The worker

static void emit(const struct eng_event *event)
{
    OWNED(text_free) struct text line = {0};
    eng_event_write(event, &line);
    if (write(ENG_WORKER_FD, line.data, line.length) != (ssize_t)line.length)
        _exit(8);
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

static void say_nothing(void)
{
    for (;;)
        pause();
}

static void pass_much(int number)
{
    pass(2 * LIMIT);
}

// Again and again, since the supervisor may hear only afterwards what was said before.
static void hang(void)
{
    for (;; usleep(100000))
        pass_much(0);
}

// Goes on when two workers of this kind are at work: "meet-a" and "meet-b" leave files and wait for
// each other's. After FAKE_PATIENCE ms it takes its own away, goes on and leaves word of it.
static void meet(const char *part)
{
    static const char *const places[] = {"met-a", "met-b", "alone"};
    const char *folder = getenv("FAKE_FOLDER");
    const int own = part[strlen(part) - 1] == 'b';
    char path[3][256];
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", folder ? folder : "", places[i]);
    FILE *file = fopen(path[own], "w");
    if (file)
        fclose(file);
    int patience = atoi(getenv("FAKE_PATIENCE"));
    for (; access(path[!own], F_OK) != 0 && patience > 0; patience -= 2)
        usleep(2000);
    if (patience <= 0)
        rename(path[own], path[2]);
}

#define SOME 3 // runs of a batch that is not the last

static bool take_runs(struct result *result, void *user)
{
    if (result->count.runs == SOME || result->result == ENG_PASS)
        *(uint64_t *)user += result->count.runs;
    return true;
}

// Goes on when another process finds so many runs in the session that goes on: of configurations
// that are over, and batches of SOME. What is stored waits for the clock.
static void wait_for_store(uint64_t runs)
{
    char path[256];
    snprintf(path, sizeof path, "%s/x.db", getenv("FAKE_FOLDER"));
    for (uint64_t stored = 0; stored < runs; usleep(2000)) {
        OWNED(store_session_clear) struct store_session own = {0};
        struct store *file = store_open_read(path, &error);
        stored = 0;
        if (file && store_session_load(file, 0, true, &own, &error))
            store_results(file, own.id, take_runs, &stored, &error);
        store_close(&file);
        pass(0.005);
    }
}

// Until all that the test asks for is stored.
static void wait_for_others(void)
{
    const char *runs = getenv("FAKE_STORED");
    if (runs)
        wait_for_store(strtoull(runs, NULL, 10));
}

// More requests than the socket holds are sent before one is read.
static void wait_for_requests(void)
{
    char path[256];
    snprintf(path, sizeof path, "%s/asked", getenv("FAKE_FOLDER"));
    while (access(path, F_OK) != 0)
        usleep(2000);
}

static const char *kernel_log_path(void)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/kmsg", getenv("FAKE_FOLDER"));
    return path;
}

static void write_kernel_log(const char *mode, const char *records)
{
    FILE *file = fopen(kernel_log_path(), mode);
    if (file) {
        fputs(records, file);
        fclose(file);
    }
}

static void play_run(const char *part, const struct eng_request *request)
{
    static struct eng_event before = {.kind = ENG_EVENT_PRECOMPILED};
    struct eng_event done = {.kind = ENG_EVENT_DONE, .result = ENG_PASS};
    uint64_t runs = request->runs;
    if (request->first + request->runs != RUNS)
        _exit(9);
    if (strcmp(part, "nonsense") == 0) {
        dprintf(ENG_WORKER_FD, "{\"event\":[\"\\u001b[2J\"]}\n");
        say_nothing();
    } else if (strcmp(part, "endless") == 0) {
        for (;;)
            if (write(ENG_WORKER_FD, "aaaaaaaaaaaaaaaa", 16) < 0)
                _exit(8);
    } else if (strcmp(part, "spam") == 0) {
        for (;; pass(60))
            dprintf(1, "I am busy\n");
    } else if (strcmp(part, "deaf") == 0) {
        wait_for_others();
        signal(SIGTERM, pass_much);
        hang();
    } else if (strcmp(part, "mute") == 0) {
        close(ENG_WORKER_FD);
        hang();
    } else if (strcmp(part, "exit") == 0) {
        dprintf(2, "first words\nlast \033[31mwords\n\n");
        _exit(3);
    } else if (strcmp(part, "abort") == 0) {
        emit_batch(4, 1);
        abort();
    } else if (strcmp(part, "fault") == 0) {
        write_kernel_log("a", "6,7,5000000,-;NVRM: Xid (PCI:0000:01:00): 31, \033[1m\n"
                              " SUBSYSTEM=pci\n6,8,5000001,-;usb 1-1: new device\n");
        dprintf(2, "driver: no\n");
        eng_backtrace_listen();
        abort(); // sanitizers keep other signals for themselves
    } else if (strcmp(part, "stuck") == 0) {
        eng_backtrace_listen();
        hang();
    } else if (strcmp(part, "no-memory") == 0) {
        lit_failure_code(ENG_EXIT_MEMORY);
        lit_have(NULL); // what an allocator of sanitizers does not return
    } else if (strcmp(part, "endless-request") == 0) {
        _exit(ENG_EXIT_REQUEST);
    } else if (strcmp(part, "no-start") == 0) {
        _exit(ENG_EXIT_START);
    } else if (strcmp(part, "killed") == 0) {
        raise(SIGKILL);
    } else if (strcmp(part, "too-much") == 0) {
        runs++;
    } else if (strcmp(part, "too-little") == 0) {
        runs--;
    } else if (strcmp(part, "eager") == 0) {
        emit(&(struct eng_event){.kind = ENG_EVENT_PRECOMPILED, .text = "loop.tail"});
    } else if (strcmp(part, "late") == 0) {
        if (before.text[0])
            emit(&before);
        snprintf(before.text, sizeof before.text, "%s", request->name);
    } else if (strcmp(part, "cramped") == 0 && request->ahead_count > 0) {
        done.result = ENG_HARNESS_ERROR;
        emit(&done);
        return;
    } else if (strcmp(part, "slow") == 0) {
        emit_batch(SOME, 0);
        wait_for_others();
        hang();
    } else if (strcmp(part, "quick") == 0) {
        for (; runs > 1; runs--)
            emit_batch(1, 0);
    } else if (strcmp(part, "pausing") == 0) {
        emit_batch(1, 0);
        emit_batch(SOME - 1, 0);
        wait_for_store(SOME);
        runs -= SOME;
    } else if (strstr(part, "meet")) {
        meet(part);
    } else if (strcmp(part, "silent") == 0) {
        say_nothing();
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
    struct eng_event opened = {.kind = ENG_EVENT_OPENED,
                               .facts = facts_of(getenv("VK_DRIVER_FILES"))};
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
    if (strcmp(part, "reads-late") == 0)
        wait_for_requests();
    if (strcmp(part, "reads-nothing") == 0)
        hang();
    while (read(ENG_WORKER_FD, &byte, 1) == 1) {
        struct eng_request request;
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
        if (request.kind == ENG_COMPILE)
            emit(&(struct eng_event){.kind = ENG_EVENT_DONE});
    }
    return 0;
}

// The supervisor

static char folder[] = "/tmp/litmus-supervisor-XXXXXX";
#define NAMES 4
#define NEVER 1e9 // s
static struct eng_device device;
static struct text names[NAMES]; // configurations that exist
static struct store *store;
static struct store_session session;
static char said[4096];

static void header(const struct eng_device *which, size_t planned, size_t before, void *user) {}

static void say(const char *line, void *user)
{
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s\n", line);
}

struct setting {
    struct eng_inventory inventory;
    size_t configurations;
    double idle, total;
    unsigned cores;
    int ahead;
    bool serial;
};

static enum eng_stop supervise_all(const struct setting *setting, struct eng_tally *tally,
                                   struct lit_error *error)
{
    const char *patterns[NAMES];
    const bool chosen[] = {true, true, true};
    struct cat_selection selection = {.patterns = patterns, .count = setting->configurations};
    struct eng_progress progress = {.off = true};
    const struct eng_watch watch = {
        .policy = {.idle = setting->idle, .term = 0.2, .kill = 2, .total = setting->total},
        .started = clock_now(),
        .say = say,
    };
    struct eng_run run = {.selection = &selection,
                          .inventory = &setting->inventory,
                          .chosen = chosen,
                          .runs = RUNS,
                          .seed = 1,
                          .serial = setting->serial,
                          .cores = setting->cores,
                          .ahead = setting->ahead,
                          .watch = &watch,
                          .kernel_log = kernel_log_path(),
                          .store = store,
                          .session = session.id,
                          .progress = &progress,
                          .header = header};
    for (size_t i = 0; i < setting->configurations; i++)
        patterns[i] = names[i].data;
    said[0] = '\0';
    *tally = (struct eng_tally){0};
    return eng_supervise(&run, tally, error);
}

static enum eng_stop supervise(const char *part, double idle, double total, struct eng_tally *tally)
{
    struct setting setting = {.inventory = {.devices = &device, .count = 1},
                              .configurations = 1,
                              .idle = idle,
                              .total = total};
    setenv("FAKE_WORKER", part, 1);
    return supervise_all(&setting, tally, &error);
}

static void begin_session(void)
{
    char text[] = "x", options[] = "{}";
    session = (struct store_session){.version = text,
                                     .command = text,
                                     .started = text,
                                     .system = text,
                                     .seed = 1,
                                     .runs = RUNS,
                                     .options = options};
    must(store_session_begin(store, &session, &error));
}

static int begin(void **state)
{
    struct cat_selection all = {0};
    OWNED(eng_plan_clear) struct eng_plan plan = {0};
    char path[64];
    if (!mkdtemp(folder))
        return -1;
    setenv("FAKE_FOLDER", folder, 1);
    snprintf(path, sizeof path, "%s/clock", folder);
    setenv("LITMUS_CLOCK", path, 1);
    if (!use_clock(O_CREAT))
        return -1;
    clock_open();
    device = (struct eng_device){.number = 1, .manifest = folder, .facts = facts_of(folder)};
    dev_facts_id(&device.facts, device.id);
    plan = eng_plan_make(&all, &device.facts, false, 0);
    for (size_t i = 0, found = 0; i < plan.count && found < NAMES; i++)
        if (cat_case_module(&plan.cases[i]))
            cat_case_name(&plan.cases[i], &names[found++]);
    snprintf(path, sizeof path, "%s/x.db", folder);
    store = store_open(path, &error);
    return store && names[NAMES - 1].data ? 0 : -1;
}

static int end(void **state)
{
    char command[64];
    store_close(&store);
    for (size_t i = 0; i < NAMES; i++)
        text_free(&names[i]);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void expect(const char *part, enum eng_result result, uint64_t runs, const char *reason)
{
    struct eng_tally tally;
    OWNED(eng_result_clear) struct result row = {0};
    begin_session();
    print_message("part: %s\n", part);
    assert_int_equal(supervise(part, LIMIT, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.results[result], 1);
    assert_true(store_result_get(store, session.id, device.id, names[0].data, &row, &error));
    assert_int_equal(row.result, result);
    assert_int_equal(row.count.runs, runs);
    if (strncmp(row.reason, reason, strlen(reason)) != 0)
        fail_msg("the reason is '%s', not '%s'", row.reason, reason);
}

TEST(every_misbehaviour_has_its_result)
{
    expect("good", ENG_PASS, RUNS, "");
    expect("gone-after", ENG_PASS, RUNS, "");
    expect("exit", ENG_CRASH, 0, "worker died: exit status 3; it said: last ?[31mwords");
    expect("abort", ENG_CRASH, 4, "worker died: signal 6 (SIGABRT)");
    expect("no-memory", ENG_HARNESS_ERROR, 0,
           "the worker failed, not the driver: exit status 120; it said: litmus: out of memory");
    expect("endless-request", ENG_HARNESS_ERROR, 0, "the worker failed, not the driver: exit");
    expect("no-start", ENG_HARNESS_ERROR, 0, "the worker could not be started: exit status 121");
    expect("killed", ENG_HARNESS_ERROR, 0, "the worker was ended from outside: signal 9 (SIGKILL)");
    expect("mute", ENG_CRASH, 0, "the worker closed its connection");
    expect("spam", ENG_HANG, 0, "no progress for 3600 s");
    expect("deaf", ENG_HANG, 0, "no progress for 3600 s");
    expect("nonsense", ENG_HARNESS_ERROR, 0, "the worker sent no event: ");
    expect("endless", ENG_HARNESS_ERROR, 0, "the worker sent an endless line");
    expect("too-much", ENG_HARNESS_ERROR, 0, "inconsistent counts from the worker");
    expect("too-little", ENG_HARNESS_ERROR, RUNS - 1, "the worker stopped after 9 of 10 runs");
    expect("eager", ENG_HARNESS_ERROR, 0,
           "the worker precompiled a pipeline that was not requested");
    expect("lost", ENG_DEVICE_LOST, 1, "");
}

TEST(what_was_found_around_an_end_is_kept)
{
    static const struct {
        const char *part;
        enum eng_result result;
        const char *words, *log, *backtrace;
    } rows[] = {
        {"fault", ENG_CRASH, "driver: no\n",
         "[    5.000000] NVRM: Xid (PCI:0000:01:00): 31, ?[1m\n", "litmus("},
        {"stuck", ENG_HANG, NULL, NULL, "litmus("},
        {"exit", ENG_CRASH, "first words\nlast ?[31mwords\n\n", NULL, NULL},
        {"lost", ENG_DEVICE_LOST, NULL, NULL, NULL},
        {"good", ENG_PASS, NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct eng_tally tally;
        OWNED(eng_result_clear) struct result row = {0};
        begin_session();
        print_message("part: %s\n", rows[i].part);
        write_kernel_log("w", "3,1,1000,-;amdgpu: before the run\n");
        assert_int_equal(supervise(rows[i].part, LIMIT, 0, &tally), ENG_STOP_NOT);
        assert_true(store_result_get(store, session.id, device.id, names[0].data, &row, &error));
        assert_int_equal(row.result, rows[i].result);
        const char *const want[] = {rows[i].words, rows[i].log};
        assert_null(row.evidence[ENG_EVIDENCE_CHECK]);
        for (size_t kind = 0; kind < 2; kind++)
            if (want[kind])
                assert_string_equal(row.evidence[ENG_EVIDENCE_WORDS + kind], want[kind]);
            else
                assert_null(row.evidence[ENG_EVIDENCE_WORDS + kind]);
#ifndef __SANITIZE_ADDRESS__
        const char *where = row.evidence[ENG_EVIDENCE_BACKTRACE];
        assert_int_equal(where != NULL, rows[i].backtrace != NULL);
        if (where)
            assert_non_null(strstr(where, rows[i].backtrace));
#endif
    }
}

// More requests than the socket holds: none is dropped, and the time limit holds amid events.
TEST(requests_wait_for_the_worker)
{
    enum { MANY = 2000 };
    struct eng_watch watch = {
        .policy = {.idle = LIMIT, .term = 0.2, .kill = 2}, .started = clock_now(), .say = say};
    struct eng_request request = {.kind = ENG_COMPILE};
    struct eng_event event;
    char reason[512], asked[64];
    snprintf(asked, sizeof asked, "%s/asked", folder);
    memset(request.name, 'x', sizeof request.name - 1);
    for (int deaf = 0; deaf < 2; deaf++) {
        setenv("FAKE_WORKER", deaf ? "reads-nothing" : "reads-late", 1);
        struct eng_worker *worker = eng_worker_start(&watch, folder, &error);
        assert_non_null(worker);
        for (int i = 0; i < MANY; i++)
            eng_worker_ask(worker, &request);
        close(creat(asked, 0600));
        for (int i = 0; i < MANY && !deaf; i++) {
            assert_int_equal(eng_worker_wait(worker, &event, reason), ENG_WAIT_EVENT);
            if (i == MANY / 2) {
                // The time is over, whatever else there is to be heard.
                watch.policy.total = 1;
                pass(1);
                assert_int_equal(eng_worker_wait(worker, &event, reason), ENG_WAIT_TIME);
                watch.policy.total = 0;
            }
        }
        if (deaf) {
            assert_int_equal(eng_worker_wait(worker, &event, reason), ENG_WAIT_FAILED);
            assert_string_equal(reason, "the worker took no request for 3600 s");
        }
        eng_worker_end(&worker, true);
    }
}

TEST(a_partial_configuration_goes_on)
{
    struct eng_tally tally;
    struct result row = {0};
    char reason[256];
    begin_session();
    setenv("FAKE_STORED", "3", 1);
    assert_int_equal(supervise("slow", NEVER, LIMIT, &tally), ENG_STOP_TIME);
    unsetenv("FAKE_STORED");
    assert_true(tally.out_of_time);
    assert_int_equal(tally.results[ENG_PARTIAL], 1);
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_TIME);
    assert_true(store_result_get(store, session.id, device.id, names[0].data, &row, &error));
    assert_int_equal(row.result, ENG_PARTIAL);
    assert_int_equal(row.count.runs, 3);
    eng_result_clear(&row);

    assert_int_equal(supervise("good", LIMIT, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.results[ENG_PASS], 1);
    assert_true(store_result_get(store, session.id, device.id, names[0].data, &row, &error));
    assert_int_equal(row.result, ENG_PASS);
    assert_int_equal(row.count.runs, RUNS);
    eng_result_clear(&row);

    // What is done is not done again, and still counts.
    assert_int_equal(supervise("abort", LIMIT, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.results[ENG_PASS], 1);
    assert_int_equal(tally.results[ENG_CRASH], 0);
}

static int count_commit(void *user)
{
    ++*(unsigned *)user;
    return 0;
}

TEST(batches_share_a_commit_but_do_not_wait_for_others)
{
    struct eng_tally tally;
    unsigned commits = 0;
    begin_session();
    sqlite3_commit_hook(store->db, count_commit, &commits);
    assert_int_equal(supervise("quick", LIMIT, 0, &tally), ENG_STOP_NOT);
    sqlite3_commit_hook(store->db, NULL, NULL);
    assert_int_equal(tally.results[ENG_PASS], 1);
    assert_in_range(commits, 1, RUNS - 1); // there are as many batches

    begin_session();
    assert_int_equal(supervise("pausing", LIMIT, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.results[ENG_PASS], 1);
}

TEST(devices_that_do_not_open)
{
    struct eng_tally tally;
    char reason[256];
    begin_session();
    assert_int_equal(supervise("refuse", LIMIT, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.unopened, 1);
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_NOTHING);
    assert_string_equal(said, "  device 1 stops: it cannot be opened: not today; not run: 1 "
                              "configuration\n");

    assert_int_equal(supervise("other-device", LIMIT, 0, &tally), ENG_STOP_NOT);
    assert_int_equal(tally.stopped, 1);
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_DEVICE_LOST);
    assert_non_null(strstr(said, "the device has changed: Other"));
}

// Several devices

#define DEVICES 3
static struct eng_device several[DEVICES];
static char manifests[DEVICES][32];

// Makes devices that play these parts, in a new session.
static struct setting gather(const char *const *parts, size_t count)
{
    unsetenv("FAKE_WORKER");
    begin_session();
    for (size_t i = 0; i < count; i++) {
        snprintf(manifests[i], sizeof manifests[i], "/fake/%s", parts[i]);
        several[i] = (struct eng_device){
            .number = (unsigned)i + 1, .manifest = manifests[i], .facts = facts_of(manifests[i])};
        dev_facts_id(&several[i].facts, several[i].id);
    }
    return (struct setting){.inventory = {.devices = several, .count = count},
                            .configurations = NAMES,
                            .idle = LIMIT,
                            .cores = 2};
}

// How many configurations of a device have this result and so many runs.
static size_t count_results(const struct eng_device *which, enum eng_result result, uint64_t runs)
{
    size_t count = 0;
    for (size_t i = 0; i < NAMES; i++) {
        struct result row = {0};
        struct lit_error error = {0};
        if (store_result_get(store, session.id, which->id, names[i].data, &row, &error)) {
            count += row.result == result && row.count.runs == runs;
            eng_result_clear(&row);
        }
        assert_string_equal(error.message, "");
    }
    return count;
}

TEST(a_device_in_trouble_leaves_the_others_alone)
{
    static const struct {
        const char *part;
        enum eng_result result;
        uint64_t runs;
        size_t times; // of the NAMES configurations
        unsigned stopped, unopened;
    } rows[] = {
        {"lost", ENG_DEVICE_LOST, 1, ENG_LOSSES, 1, 0},
        {"deaf", ENG_HANG, 0, NAMES, 0, 0},
        {"abort", ENG_CRASH, 4, NAMES, 0, 0},
        {"nonsense", ENG_HARNESS_ERROR, 0, NAMES, 0, 0},
        {"no-memory", ENG_HARNESS_ERROR, 0, ENG_LOSSES, 0, 0},
        {"refuse", ENG_PASS, 0, 0, 0, 1},
    };
    char runs[16];
    snprintf(runs, sizeof runs, "%d", NAMES * RUNS);
    setenv("FAKE_STORED", runs, 1); // the clock that passes a limit is the other one's, too
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *const parts[] = {rows[i].part, "good"};
        struct setting setting = gather(parts, 2);
        struct eng_tally tally;
        print_message("beside: %s\n", rows[i].part);
        assert_int_equal(supervise_all(&setting, &tally, &error), ENG_STOP_NOT);
        assert_int_equal(count_results(&several[0], rows[i].result, rows[i].runs), rows[i].times);
        assert_int_equal(count_results(&several[1], ENG_PASS, RUNS), NAMES);
        assert_int_equal(tally.stopped, rows[i].stopped);
        assert_int_equal(tally.unopened, rows[i].unopened);
        assert_int_equal(tally.failed, strcmp(rows[i].part, "no-memory") == 0);
        assert_int_equal(tally.planned, 2 * NAMES);
        if (rows[i].result == ENG_CRASH)
            assert_non_null(strstr(said, "  device 1: crash: "));
    }
    unsetenv("FAKE_STORED");
}

TEST(what_is_made_ahead)
{
    static const struct {
        const char *part;
        enum eng_result result;
        uint64_t runs;
        bool again; // one of them
    } rows[] = {
        {"good", ENG_PASS, RUNS, false},
        {"late", ENG_PASS, RUNS, false}, // it was made when its turn was over
        {"eager", ENG_HARNESS_ERROR, 0, false},
        {"nonsense", ENG_HARNESS_ERROR, 0, false},
        {"cramped", ENG_PASS, RUNS, true}, // it fails while others are made
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *const parts[] = {rows[i].part};
        struct setting setting = gather(parts, 1);
        struct eng_tally tally;
        setting.ahead = NAMES;
        print_message("part: %s\n", rows[i].part);
        assert_int_equal(supervise_all(&setting, &tally, &error), ENG_STOP_NOT);
        assert_int_equal(count_results(&several[0], rows[i].result, rows[i].runs), NAMES);
        const char *alone = strstr(said, "continues without");
        assert_int_equal(alone != NULL, rows[i].again);
        assert_true(!alone || !strstr(alone + 1, "continues without"));
    }
}

// Whether two workers of these parts were at work at the same time; one waits for the other for so
// many ms.
static bool do_meet(const char *first, const char *second, unsigned cores, bool serial,
                    const char *patience)
{
    static const char *const traces[] = {"met-a", "met-b", "alone"};
    const char *const parts[] = {first, second};
    struct setting setting = gather(parts, 2);
    struct eng_tally tally;
    bool left[3];
    setting.configurations = 1;
    setting.cores = cores;
    setting.serial = serial;
    setenv("FAKE_PATIENCE", patience, 1);
    assert_int_equal(supervise_all(&setting, &tally, &error), ENG_STOP_NOT);
    assert_int_equal(tally.results[ENG_PASS], 2);
    for (int i = 0; i < 3; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, traces[i]);
        left[i] = unlink(path) == 0;
    }
    assert_true(left[2] ? !left[0] && !left[1] : left[0] && left[1]);
    return !left[2];
}

TEST(devices_run_side_by_side)
{
    assert_true(do_meet("meet-a", "meet-b", 1, false, "60000"));
    assert_true(do_meet("cpu-meet-a", "meet-b", 1, false, "60000"));
    assert_true(do_meet("cpu-meet-a", "cpu-meet-b", 2, false, "60000"));
    // But for software devices that have no core each, and where the user asks for it. If they met
    // after all, a slow machine might not show it; it cannot make them meet.
    assert_false(do_meet("cpu-meet-a", "cpu-meet-b", 1, false, "100"));
    assert_false(do_meet("meet-a", "meet-b", 2, true, "100"));
}

TEST(all_queues_stop_in_time_and_go_on)
{
    static const char *const parts[] = {"slow", "good", "cpu-slow"};
    struct setting setting = gather(parts, 3);
    struct eng_tally tally;
    char runs[16];
    snprintf(runs, sizeof runs, "%d", NAMES * RUNS + 2 * SOME);
    setenv("FAKE_STORED", runs, 1);
    setting.idle = NEVER;
    setting.total = LIMIT;
    assert_int_equal(supervise_all(&setting, &tally, &error), ENG_STOP_TIME);
    assert_true(tally.out_of_time);
    assert_int_equal(count_results(&several[0], ENG_PARTIAL, 3), 1);
    assert_int_equal(count_results(&several[1], ENG_PASS, RUNS), NAMES);
    assert_int_equal(count_results(&several[2], ENG_PARTIAL, 3), 1);

    unsetenv("FAKE_STORED");
    setting.total = 0;
    setenv("FAKE_WORKER", "good", 1);
    assert_int_equal(supervise_all(&setting, &tally, &error), ENG_STOP_NOT);
    assert_false(tally.out_of_time);
    assert_int_equal(tally.results[ENG_PASS], 3 * NAMES);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(count_results(&several[i], ENG_PASS, RUNS), NAMES);
}

TEST(a_full_disk_stops_all_queues)
{
    static const char *const parts[] = {"silent", "good"};
    struct setting setting = gather(parts, 2);
    struct eng_tally tally;
    struct rlimit size, none;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &size), 0);
    none = size;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_FSIZE, &none);
    enum eng_stop stop = supervise_all(&setting, &tally, &error);
    setrlimit(RLIMIT_FSIZE, &size);
    assert_int_equal(stop, ENG_STOP_STORE);
    assert_non_null(strstr(error.message, "x.db"));
}

GROUP(begin, end)

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0) {
        const char *part = getenv("FAKE_WORKER"), *manifest = argc > 2 ? argv[2] : "";
        setenv("VK_DRIVER_FILES", manifest, 1);
        if (!use_clock(0))
            return 8;
        if (!part)
            part = strrchr(manifest, '/') ? strrchr(manifest, '/') + 1 : "";
        return play(strncmp(part, "cpu-", 4) == 0 ? part + 4 : part);
    }
    return unit_run();
}
