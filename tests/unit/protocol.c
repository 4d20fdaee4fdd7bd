// SPDX-License-Identifier: Apache-2.0
// The lines between supervisor and worker: what is written is read back the same, and whatever else
// comes is refused. Also the counts that travel in them.

#include "sections.h"

#include "engine/protocol.h"

#include "model/facts.h"

#include <math.h>

static struct dev_facts some_facts(void)
{
    struct dev_facts facts = {.name = "Example GPU \"1\" \\ \xc3\xa9",
                              .driver_name = "example",
                              .driver_info = "Mesa 22.3.6 (LLVM 15.0.6)",
                              .driver_version = "22.3.6",
                              .problem = "none",
                              .products = "f16.f16.f32.8x8x8",
                              .loader = "1.3.239",
                              .driver_id = 13,
                              .vendor = 0x10de,
                              .product = UINT32_MAX,
                              .api = 0x00403000,
                              .driver_raw = 92274694,
                              .cpu = true,
                              .type = "cpu",
                              .subgroup = 8,
                              .subgroup_min = 4,
                              .subgroup_max = 128,
                              .subgroup_control = true,
                              .max_workgroup = 1024,
                              .max_workgroups = 65535,
                              .max_subgroups = 32,
                              .max_shared = 32768,
                              .max_storage_buffer = 1u << 27,
                              .features = (UINT64_C(1) << CAT_FEATURE_COUNT) - 1};
    for (uint8_t i = 0; i < 16; i++) {
        facts.device_uuid[i] = (uint8_t)(i * 17);
        facts.driver_uuid[i] = (uint8_t)(255 - i);
    }
    return facts;
}

static const struct eng_event some_batch = {
    .kind = ENG_EVENT_BATCH,
    .count = {.runs = 10,
              .failed_runs = 2,
              .no_progress_runs = 1,
              .first_run_failed = true,
              .instances = 640,
              .failed_instances = 3,
              .outcomes = {[CAT_RIGHT] = 570, [2] = 3, [3] = 3, [CAT_NO_PROGRESS] = 64},
              .failure_count = 2,
              .seconds = 0.1},
    .failures =
        {{.at = {.run = 0, .instance = 63, .word = 9, .got = 0xC0DEDEAD, .want = 1, .outcome = 3},
          .where = "lane 31, iteration 9"},
         {.at = {.run = UINT64_C(1) << 40, .instance = 1, .word = 2, .got = 3, .want = 4}}},
};

static void write_event(const struct eng_event *event, struct text *line)
{
    eng_event_write(event, line);
    assert_int_equal(line->data[line->length - 1], '\n');
    assert_null(memchr(line->data, '\n', line->length - 1));
    assert_true(line->length <= ENG_LINE_MAX);
}

static void through_a_line(const struct eng_event *event)
{
    OWNED(text_free) struct text line = {0};
    struct eng_event back;
    write_event(event, &line);
    if (!eng_event_parse(line.data, line.length - 1, &back, &error))
        fail_msg("%s: %s", error.message, line.data);
    assert_memory_equal(&back, event, sizeof back);
}

TEST(requests_come_back)
{
    const struct eng_request requests[] = {
        {.kind = ENG_ENUMERATE},
        {.kind = ENG_OPEN, .index = 3, .validation = true, .checks = 5, .timeout_ms = 10000},
        {.kind = ENG_OPEN, .capture = true},
        {.kind = ENG_COMPILE,
         .name = "shuffle.scan-loop/sync=none,form=ssa@workgroup=64,subgroup=32"},
        {.kind = ENG_RUN,
         .name = "shuffle.scan-loop/sync=none,form=ssa@workgroup=64,subgroup=32",
         .stress = "kind=idle,workgroups=4",
         .first = 250,
         .runs = UINT64_C(1) << 40,
         .seed = UINT64_MAX - 5,
         .timeout_ms = UINT32_MAX},
        {.kind = ENG_RUN,
         .name = "loop.desync@workgroup=64,subgroup=32",
         .ahead = {{"loop.tail@workgroup=64,subgroup=32", ""},
                   {"loop.trips@workgroup=64,subgroup=32", "kind=idle,workgroups=4"}},
         .ahead_count = 2,
         .renew = true,
         .timed = true,
         .runs = 1,
         .waits = 3,
         .expired = 2},
        {.kind = ENG_TRY,
         .index = 1,
         .name = "shuffle.scan-loop/sync=none,form=ssa@workgroup=64,subgroup=4",
         .settings = "model=snooping,subgroup=4,schedule=priority,depth=2,trace=/tmp/x",
         .seed = 7,
         .timeout_ms = 1},
        {.kind = ENG_GENERATED,
         .name = "reconvergence.fuzz-maximal-5eed-17",
         .program = "while i<word.4:2 { if elect { look break } } look",
         .rule = "maximal",
         .subgroup = 32,
         .runs = 40,
         .seed = UINT64_MAX,
         .timeout_ms = 48000},
        {.kind = ENG_BENCH,
         .index = 2,
         .validation = true,
         .name = "scan",
         .elements = 1u << 20,
         .loops = 1000,
         .budget_ms = 25000,
         .runs = 31,
         .seed = 0x5eed,
         .timeout_ms = 48000},
        {.kind = ENG_BENCH,
         .index = 1,
         .name = "lookback",
         .rows = "00f0001",
         .elements = 1u << 30,
         .loops = 1,
         .runs = 31,
         .seed = 7,
         .timeout_ms = 48000},
        {.kind = ENG_OUTPUT,
         .name = "kernel.scan@workgroup=64",
         .settings = "model=lockstep",
         .seed = 8,
         .timeout_ms = 1},
        {.kind = ENG_TEACH, .chunk = {.total = 5, .offset = 2, .size = 3, .bytes = {1, 0, 255}}},
        {.kind = ENG_QUIT},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        OWNED(text_free) struct text line = {0};
        struct eng_request back;
        eng_request_write(&requests[i], &line);
        assert_int_equal(line.data[line.length - 1], '\n');
        if (!eng_request_parse(line.data, line.length - 1, &back, &error))
            fail_msg("%s: %s", error.message, line.data);
        assert_memory_equal(&back, &requests[i], sizeof back);
    }
}

// Chunks of all sizes, with every byte in them.
TEST(code_comes_back)
{
    static const size_t sizes[] = {0, 1, 255, ENG_CHUNK};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct eng_event event = {
            .kind = ENG_EVENT_CODE,
            .chunk = {.total = 70000, .offset = 70000 - sizes[i], .size = sizes[i]}};
        for (size_t k = 0; k < sizes[i]; k++)
            event.chunk.bytes[k] = (uint8_t)(k * 7);
        through_a_line(&event);
    }
}

TEST(wrong_code_is_refused)
{
    static const char *const lines[] = {
        "{\"event\":\"code\",\"total\":3,\"offset\":2,\"size\":2,\"bytes\":\"0001\"}",
        "{\"event\":\"code\",\"total\":3,\"offset\":4,\"size\":0,\"bytes\":\"\"}",
        "{\"event\":\"code\",\"total\":3,\"offset\":0,\"size\":2,\"bytes\":\"00\"}",
        "{\"event\":\"code\",\"total\":3,\"offset\":0,\"size\":1,\"bytes\":\"0g\"}",
        "{\"event\":\"code\",\"total\":99999,\"offset\":0,\"size\":20000,\"bytes\":\"\"}",
        "{\"event\":\"code\",\"total\":1e9,\"offset\":0,\"size\":0,\"bytes\":\"\"}",
        "{\"event\":\"code\",\"total\":999999999,\"offset\":0,\"size\":0,\"bytes\":\"\"}",
        "{\"event\":\"code\",\"total\":3,\"offset\":0,\"size\":0}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct eng_event event;
        must_fail("", eng_event_parse(lines[i], strlen(lines[i]), &event, &error));
    }
}

TEST(facts_come_back)
{
    const struct dev_facts facts = some_facts();
    const struct eng_event events[] = {
        {.kind = ENG_EVENT_DEVICE, .facts = facts},
        {.kind = ENG_EVENT_OPENED, .facts = facts, .host_checker = true, .text = "it saw nothing"},
    };
    for (size_t i = 0; i < 2; i++)
        through_a_line(&events[i]);
}

TEST(counts_come_back)
{
    struct eng_event event = some_batch;
    for (int fresh = 0; fresh < 2; fresh++) {
        event.fresh = fresh;
        event.tested = 0.25 * fresh;
        through_a_line(&event);
    }
}

static struct eng_event some_row(void)
{
    struct eng_event event = {.kind = ENG_EVENT_ROW, .result = ENG_SKIP, .text = "why"};
    event.bench =
        (struct bench_report){.row = 52, .loops = 1000, .tick = 0.1, .statistic_count = 2};
    snprintf(event.bench.statistics[0].name, sizeof event.bench.statistics[0].name, "Registers");
    snprintf(event.bench.statistics[1].name, sizeof event.bench.statistics[1].name, "Size \"\\");
    snprintf(event.bench.statistics[1].value, sizeof event.bench.statistics[1].value, "-17");
    return event;
}

static const struct eng_event some_time = {.kind = ENG_EVENT_TIME,
                                           .bench = {.row = 3,
                                                     .round = 32,
                                                     .ns = 12240000.125,
                                                     .wrong = 7,
                                                     .index = 1u << 20,
                                                     .got = 0xC0DEDEAD,
                                                     .want = UINT32_MAX,
                                                     .expired = true}};

static const struct eng_event some_rate = {.kind = ENG_EVENT_RATE,
                                           .rate = {.form = 1,
                                                    .round = 8,
                                                    .workgroups = 256,
                                                    .input_words = 262144,
                                                    .output_words = 262145,
                                                    .state_words = 3,
                                                    .instances = 257,
                                                    .stride = 4,
                                                    .slots = 15,
                                                    .subgroup = 32,
                                                    .copy = 4.219e12,
                                                    .runs = 12345,
                                                    .failed = 7,
                                                    .expired = 1,
                                                    .wall_ns = 1.25e9,
                                                    .cpu_ns = 1e8,
                                                    .fill_ns = 1.5e8,
                                                    .test_ns = 2.5e8,
                                                    .check_ns = 3.5e8}};

TEST(benchmarks_come_back)
{
    const struct eng_event row = some_row();
    through_a_line(&some_rate);
    through_a_line(&row);
    through_a_line(&some_time);
}

TEST(the_longest_event_fits)
{
    struct eng_event event = {.kind = ENG_EVENT_BATCH};
    event.count.failure_count = ENG_MAX_FAILURES;
    for (size_t i = 0; i < ENG_MAX_FAILURES; i++) {
        struct eng_failure *failure = &event.failures[i];
        failure->at =
            (struct cat_failure){.run = FIELD_MOST, .instance = FIELD_MOST, .word = FIELD_MOST};
        memset(failure->where, '"', sizeof failure->where - 1);
    }
    event.count.runs = event.count.failed_runs = ENG_MAX_FAILURES;
    event.count.instances = event.count.failed_instances = ENG_MAX_FAILURES;
    event.count.outcomes[3] = ENG_MAX_FAILURES;
    through_a_line(&event);

    struct eng_event opened = {.kind = ENG_EVENT_OPENED, .facts = some_facts()};
    memset(opened.facts.name, '\\', sizeof opened.facts.name - 1);
    memset(opened.text, '"', sizeof opened.text - 1);
    through_a_line(&opened);
}

TEST(results_come_back)
{
    for (int i = 0; i < ENG_RESULTS; i++) {
        const struct eng_event event = {
            .kind = ENG_EVENT_DONE,
            .result = (enum eng_result)i,
            .text = "workgroup of 1024 > maxComputeWorkGroupInvocations 256",
        };
        through_a_line(&event);
    }
    const struct eng_event error = {.kind = ENG_EVENT_ERROR,
                                    .error_code = LIT_EXIT_NOTHING,
                                    .text = "no Vulkan driver is installed"};
    through_a_line(&error);
}

TEST(written_text_is_sanitised)
{
    const struct eng_event event = {.kind = ENG_EVENT_MESSAGE, .text = "a\nb\x1b[31m\xff\xc3"};
    OWNED(text_free) struct text line = {0};
    write_event(&event, &line);
    assert_string_equal(line.data, "{\"text\":\"a?b?[31m??\",\"event\":\"message\"}\n");
}

static bool accepts_event(const char *line, size_t length)
{
    struct eng_event event;
    struct lit_error error = {0};
    const bool good = eng_event_parse(line, length, &event, &error);
    assert_true(good || error.message[0]);
    return good;
}

static bool accepts_request(const char *line)
{
    struct eng_request request;
    struct lit_error error = {0};
    const bool good = eng_request_parse(line, strlen(line), &request, &error);
    assert_true(good || error.message[0]);
    return good;
}

// A line with the first `old` replaced.
static void put_changed(struct text *changed, const char *line, const char *old, const char *new)
{
    const char *at = strstr(line, old);
    if (!at)
        fail_msg("no '%s' in %s", old, line);
    text_append(changed, line, (size_t)(at - line));
    text_puts(changed, new);
    text_puts(changed, at + strlen(old));
}

static const char a_run[] =
    "{\"request\":\"run\",\"stress\":\"\",\"name\":\"a.b\",\"first\":0,\"runs\":1,\"waits\":0,"
    "\"expired\":0,"
    "\"ahead\":[],\"renew\":false,\"timed\":false,\"seed\":\"0x0\",\"timeout_ms\":1}";

// The request is right, and with `new` in place of `old` is refused.
static void refuse_request(const char *request, const char *old, const char *new)
{
    OWNED(text_free) struct text line = {0};
    assert_true(accepts_request(request));
    put_changed(&line, request, old, new);
    if (accepts_request(line.data))
        fail_msg("accepted: %s", line.data);
}

TEST(malformed_requests_are_refused)
{
    assert_false(accepts_request(""));
    for (const char *at = section("malformed")->text, *line, *none;
         sections_row(&at, &line, &none);)
        if (accepts_request(line))
            fail_msg("accepted: %s", line);
    assert_true(accepts_request("{\"request\":\"quit\"}"));
    // A request that is right, and what is wrong in its place.
    static const char open[] = "{\"request\":\"open\",\"index\":0,\"capture\":false,\"checks\":15,"
                               "\"validation\":false,\"settings\":\"\",\"timeout_ms\":1}";
    char name[512 + 16] = "\"name\":\"";
    memset(name + 8, 'a', 512);
    refuse_request(a_run, "\"name\":\"a.b", name);
    for (const char *at = section("open")->text, *old, *new; sections_row(&at, &old, &new);)
        refuse_request(open, old, new);
    for (const char *at = section("run")->text, *old, *new; sections_row(&at, &old, &new);)
        refuse_request(a_run, old, new);
}

static bool accepts_ahead(const char *ahead)
{
    OWNED(text_free) struct text line = {0};
    put_changed(&line, a_run, "[]", ahead);
    return accepts_request(line.data);
}

TEST(wrong_lists_of_what_comes_are_refused)
{
    static const char item[] = "{\"name\":\"a.b\",\"stress\":\"\"}";
    for (const char *at = section("ahead")->text, *line, *none; sections_row(&at, &line, &none);)
        if (accepts_ahead(line))
            fail_msg("accepted: %s", line);
    OWNED(text_free) struct text list = {0};
    text_puts(&list, "[");
    for (size_t i = 1; i <= ENG_PRECOMPILE_MOST + 1; i++) {
        text_printf(&list, "%s%s]", i > 1 ? "," : "", item);
        assert_int_equal(accepts_ahead(list.data), i <= ENG_PRECOMPILE_MOST);
        list.data[--list.length] = '\0';
    }
}

// Every event line, cut anywhere, is refused; and so is one with more after it.
TEST(cut_events_are_refused)
{
    const struct eng_event events[] = {
        {.kind = ENG_EVENT_DEVICE, .facts = some_facts()},
        {.kind = ENG_EVENT_OPENED, .facts = some_facts(), .text = "why"},
        some_batch,
        some_row(),
        some_time,
        {.kind = ENG_EVENT_MESSAGE, .text = "m"},
        {.kind = ENG_EVENT_PRECOMPILED, .text = "loop.tail@workgroup=64,subgroup=32"},
        {.kind = ENG_EVENT_DONE, .text = "d"},
        {.kind = ENG_EVENT_ERROR, .error_code = LIT_EXIT_USAGE, .text = "e"},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        OWNED(text_free) struct text line = {0};
        write_event(&events[i], &line);
        assert_true(accepts_event(line.data, line.length - 1));
        for (size_t length = 0; length < line.length - 1; length++)
            assert_false(accepts_event(line.data, length));
        text_puts(&line, "{}");
        assert_false(accepts_event(line.data, line.length));
    }
}

// Replaces the first `old` in an event's line. The line has to be refused.
static void assert_refused_with(const struct eng_event *event, const char *old, const char *new)
{
    OWNED(text_free) struct text line = {0}, changed = {0};
    write_event(event, &line);
    put_changed(&changed, line.data, old, new);
    if (accepts_event(changed.data, changed.length - 1))
        fail_msg("accepted: %s", changed.data);
}

// Those of a section.
static void refuse_changes(const struct eng_event *event, const char *name)
{
    for (const char *at = section(name)->text, *old, *new; sections_row(&at, &old, &new);)
        assert_refused_with(event, old, new);
}

TEST(nonsense_of_benchmarks_is_refused)
{
    const struct eng_event row = some_row();
    refuse_changes(&some_rate, "rates");
    refuse_changes(&row, "rows");
    refuse_changes(&some_time, "times");
}

TEST(nonsense_facts_are_refused)
{
    const struct eng_event event = {.kind = ENG_EVENT_DEVICE, .facts = some_facts()};
    refuse_changes(&event, "facts");
    assert_refused_with(&event, "\"driver_name\":\"example\"", "\"driver_name\":\"ex\xff\"");

    // Sizes that the worker could not make out are all zero.
    struct eng_event unknown = event;
    unknown.facts.subgroup = unknown.facts.subgroup_min = unknown.facts.subgroup_max = 0;
    through_a_line(&unknown);
}

TEST(nonsense_counts_are_refused)
{
    const struct eng_event event = some_batch;
    refuse_changes(&event, "counts");

    struct eng_event endless = event;
    endless.count.seconds = NAN;
    OWNED(text_free) struct text line = {0};
    write_event(&endless, &line);
    assert_false(accepts_event(line.data, line.length - 1));
}

TEST(nonsense_ends_are_refused)
{
    const struct eng_event done = {.kind = ENG_EVENT_DONE, .result = ENG_SKIP, .text = "t"};
    assert_refused_with(&done, "\"skip\"", "\"skipped\"");
    assert_refused_with(&done, "\"skip\"", "2");
    assert_refused_with(&done, "\"text\":\"t\"", "\"text\":3");
    const struct eng_event error = {.kind = ENG_EVENT_ERROR, .error_code = LIT_EXIT_USAGE};
    assert_refused_with(&error, "\"code\":2", "\"code\":0");
    assert_refused_with(&error, "\"code\":2", "\"code\":6");
    assert_refused_with(&error, "\"code\":2", "\"code\":78");
}

TEST(long_and_deep_lines_are_refused)
{
    OWNED(text_free) struct text line = {0};
    text_puts(&line, "{\"event\":\"message\",\"text\":\"m\"}");
    while (line.length < ENG_LINE_MAX)
        text_puts(&line, " ");
    assert_true(accepts_event(line.data, ENG_LINE_MAX - 1));
    assert_false(accepts_event(line.data, ENG_LINE_MAX));
    memset(line.data, '[', line.length);
    assert_false(accepts_event(line.data, ENG_LINE_MAX - 1));
}

TEST(counts_add_up)
{
    OWNED(eng_result_clear) struct result sum = {0};
    for (int i = 0; i < 10; i++)
        eng_result_add(&sum, &some_batch.count, some_batch.failures, 0, false);
    assert_int_equal(sum.runs, 100);
    assert_int_equal(sum.failed_runs, 20);
    assert_int_equal(sum.no_progress_runs, 10);
    assert_true(sum.first_run_failed);
    assert_int_equal(sum.instances, 6400);
    assert_int_equal(sum.failed_instances, 30);
    assert_int_equal(sum.outcomes[3], 30);
    assert_int_equal(sum.failure_count, ENG_MAX_FAILURES);
    assert_string_equal(sum.failures[14].where, "lane 31, iteration 9");
    assert_true(fabs(sum.seconds - 1.0) < 1e-9);

    const struct eng_count huge = {.runs = UINT64_MAX - 50};
    eng_count_add(&sum.count, &huge);
    assert_true(sum.runs == UINT64_MAX);
}

TEST(verdicts)
{
    struct eng_count count = {.runs = 10};
    assert_int_equal(eng_verdict(&count), ENG_PASS);
    count.no_progress_runs = 1;
    assert_int_equal(eng_verdict(&count), ENG_NO_PROGRESS);
    count.failed_runs = 1;
    assert_int_equal(eng_verdict(&count), ENG_FAIL);
    assert_string_equal(eng_result_name(ENG_HARNESS_ERROR), "harness-error");
    assert_string_equal(eng_result_name(ENG_RESULTS), "unknown");
}
