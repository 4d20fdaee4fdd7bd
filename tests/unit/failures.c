// SPDX-License-Identifier: Apache-2.0
// The verdict, what sets results apart, blocks of failures, the findings they match, and that
// nothing is wider than a terminal.
#include "report/code.h"
#include "report/failures.h"

#include "catalogue/catalogue.h"
#include "model/emulated.h"
#include "report/format.h"
#include "report/html.h"
#include "report/report.h"
#include "report/sections.h"

#include "unit.h"

#include "listing.h"

#define MOST 60

struct made {
    struct result results[MOST];
    struct eng_device devices[2];
    struct report_model model;
};

// A result of 100 runs, of which so many failed; 101: it crashed.
static void add(struct made *made, size_t device, const char *name, uint64_t failed,
                enum cat_expectation expectation)
{
    static const struct cat_mode equal = {.check = CAT_CHECK_EQUAL};
    struct result *result = &made->results[made->model.result_count++];
    const bool crash = failed > 100;
    *result = (struct result){
        .device = device,
        .result = crash    ? ENG_CRASH
                  : failed ? ENG_FAIL
                           : ENG_PASS,
        .expectation = expectation,
        .reason = (char *)(crash ? "killed" : ""),
        .sha256 = (char *)"",
        .headline = (char *)"key",
        .stress = (char *)"",
        .rule = (char *)"",
        .seed = 5,
        .mode = &equal,
        .runs = crash ? 0 : 100,
        .judged = crash ? 0 : 100,
        .failed_runs = crash ? 0 : failed,
        .instances = crash ? 0 : 100,
        .outcomes = {[CAT_RIGHT] = crash ? 0 : 100 - failed, [3] = crash ? 0 : failed},
    };
    result->interval = report_interval(result->failed_runs, result->judged, "");
    report_result_is(result, cfg_parse(name));
}

static struct made *begin(void)
{
    struct made *made = lit_alloc(1, sizeof *made);
    for (size_t i = 0; i < 2; i++) {
        struct dev_facts *facts = &made->devices[i].facts;
        made->devices[i].number = (unsigned)i + 1;
        snprintf(made->devices[i].id, DEV_ID_SIZE, "%zu", i);
        made->devices[i].checker = (char *)"device";
        strcpy(facts->name, i ? "other" : "llvmpipe");
        strcpy(facts->driver_name, i ? "other" : "llvmpipe");
        strcpy(facts->driver_version, i ? "2" : "25.0.7-2");
        made->devices[i].checker = (char *)"device";
        facts->device_uuid[0] = (uint8_t)(0xa0 + i);
    }
    made->model = (struct report_model){.results = made->results,
                                        .devices = made->devices,
                                        .device_count = 2,
                                        .only_device = (char *)"",
                                        .only_test = (char *)"",
                                        .session = {.runs = 100,
                                                    .id = 1,
                                                    .finished = true,
                                                    .command = (char *)"",
                                                    .options = (char *)"{}",
                                                    .started = (char *)"2026-11-21T02:09:00Z"}};
    return made;
}

static void end(struct made *made)
{
    for (size_t i = 0; i < made->model.result_count; i++) {
        cfg_clear(&made->results[i].cfg);
        free(made->results[i].label);
    }
    free(made);
}

#define CONTROL "shuffle.scan-loop/sync=control-"
// The example: of one axis two values always fail, whatever the others are.
static struct made *make_hazard(void)
{
    static const char *const passing[] = {"none", "memory-once", "workgroup-in-loop"};
    struct made *made = begin();
    char name[200];
    for (int i = 0; i < 3; i++)
        for (int w = 64; w <= 128; w += 64) {
            snprintf(name, sizeof name, "shuffle.scan-loop/sync=%s,form=%s@workgroup=%d,subgroup=8",
                     passing[i], w > 64 && i == 0 ? "ssa" : "variables", w);
            add(made, 0, name, 0, CAT_FORBIDDEN);
        }
    add(made, 0, CONTROL "once,form=variables@workgroup=64,subgroup=8", 100, CAT_FORBIDDEN);
    add(made, 0, CONTROL "once,form=variables@workgroup=128,subgroup=8", 100, CAT_FORBIDDEN);
    add(made, 0, CONTROL "each,form=variables@workgroup=64,subgroup=8", 100, CAT_FORBIDDEN);
    return made;
}

static void check_verdict(const struct made *made, size_t device, const char *want)
{
    OWNED(text_free) struct text text = {0};
    report_verdict(&made->model, device, &text);
    assert_string_equal(text.data, want);
}

// The tiles of the HTML page count as the verdict does.
static void check_tile(const struct made *made, const char *want)
{
    const struct html html = {.model = &made->model};
    OWNED(text_free) struct text text = {0};
    html_header(&html, &text);
    assert_non_null(strstr(text.data, want));
}

TEST(verdicts)
{
    struct made *made = make_hazard();
    check_verdict(made, 0, "3 of 9 forbidden configurations failed: shuffle.scan-loop (3, always)");
    check_verdict(made, 1, "Nothing ran: 0 configurations skipped");
    // The key result that leads comes first, by its name.
    add(made, 0, "loop-exit.vote/op=any@workgroup=64,subgroup=8", 100, CAT_FORBIDDEN);
    made->results[made->model.result_count - 1].headline = (char *)REPORT_LEADS;
    check_verdict(made, 0,
                  "4 of 10 forbidden configurations failed: subgroup operations behind a loop exit "
                  "(always), shuffle.scan-loop (3, always)");
    made->model.result_count--;
    cfg_clear(&made->results[made->model.result_count].cfg);
    free(made->results[made->model.result_count].label);
    add(made, 1, "memory.coherence@w=1", 78, CAT_FORBIDDEN);
    check_verdict(made, 1,
                  "1 of 1 forbidden configuration failed: memory.coherence (0.78 of runs)");
    add(made, 1, "memory.coherence@w=2", 55, CAT_FORBIDDEN);
    add(made, 1, "memory.coherence@w=3", 0, CAT_FORBIDDEN);
    add(made, 1, "loop.a@w=3", 101, CAT_FORBIDDEN);
    add(made, 1, "loop.b@w=3", 3, CAT_ASSUMED);
    add(made, 1, "loop.c@w=3", 100, CAT_CONTROL);
    check_verdict(made, 1,
                  "2 of 4 forbidden configurations failed: memory.coherence (2, 0.55 to 0.78 of "
                  "runs); 1 crashed: loop.a; also failed: 1 of 1 assumed");
    check_tile(made, "<b>2</b> of 4 failed");
    check_tile(made, "<b>1</b> of 1 triggered");
    end(made);
    made = begin();
    add(made, 0, "loop.a@w=3", 0, CAT_FORBIDDEN);
    check_verdict(made, 0, "None of 1 forbidden configuration failed");
    add(made, 1, "loop.a@w=3", 0, CAT_CONTESTED);
    check_verdict(made, 1, "No forbidden configuration ran");
    end(made);
}

static void check_where(const char *const *names, const char *marks, size_t inside,
                        const char *want)
{
    struct made *made = begin();
    const struct result *all[MOST];
    bool some[MOST];
    const size_t count = strlen(marks);
    OWNED(text_free) struct text text = {0};
    text_puts(&text, "");
    for (size_t i = 0; i < count; i++) {
        add(made, 0, names[i], 0, CAT_FORBIDDEN);
        some[i] = marks[i] == 'x';
    }
    for (size_t i = 0; i < count; i++)
        all[i] = &made->results[i];
    assert_int_equal(report_where(all, some, count, &text), inside);
    assert_string_equal(text.data, want);
    end(made);
}

TEST(where)
{
    static const char *const names[] = {"a.b/s=n-1,f=x@w=1", "a.b/s=n-2,f=x@w=1",
                                        "a.b/s=n-3,f=x@w=1", "a.b/s=m-1,f=x@w=1",
                                        "a.b/s=n-1,f=y@w=2", "a.c/s=m-1,f=x@w=2"};
    check_where(names, "xxxxxx", 6, "");
    check_where(names, "xxx...", 3, "s=n-* f=x"); // w would do as well; axes stay
    check_where(names, "x.....", 1, "s=n-1 f=x");
    check_where(names, "xx....", 2, "s=n-1,n-2 f=x");
    check_where(names, "xxxx..", 4, "a.b f=x");
    check_where(names, "....x.", 1, "f=y");
    check_where(names, ".....x", 1, "a.c");
    // Nothing sets these apart: the values of all of them are those of one more.
    check_where(names, "x..x..", 2, "a.b s=n-1,m-1 f=x");
    static const char *const cross[] = {"a.b/s=1,t=1", "a.b/s=2,t=2", "a.b/s=1,t=2", "a.b/s=3,t=1"};
    check_where(cross, "xx..", 3, "s=1,2");
    static const char *const many[] = {"a.b/s=1", "a.b/s=2", "a.b/s=3", "a.b/s=4"};
    check_where(many, "xxx.", 3, "s!=4");
    check_where(many, "xx..", 2, "s=1,2");
}

TEST(key_results)
{
    struct made *made = make_hazard();
    struct report_headline *lines;
    // Not "0.33, SOMETIMES" of all together.
    assert_int_equal(report_headlines(&made->model, 0, &lines), 2);
    assert_string_equal(lines[0].where, "sync=control-*");
    assert_int_equal(lines[0].failed_runs, 300);
    assert_int_equal(lines[0].judged, 300);
    assert_string_equal(lines[1].where, "sync!=control-*");
    assert_int_equal(lines[1].failed_runs, 0);
    assert_int_equal(lines[1].judged, 600);
    report_headlines_free(lines, 2);
    end(made);
    // A race that every configuration may lose stays one line.
    made = begin();
    add(made, 0, "memory.a/s=1@w=1", 3, CAT_FORBIDDEN);
    add(made, 0, "memory.a/s=1@w=2", 0, CAT_FORBIDDEN);
    add(made, 0, "memory.a/s=2@w=1", 0, CAT_FORBIDDEN);
    add(made, 0, "memory.a/s=2@w=2", 2, CAT_FORBIDDEN);
    assert_int_equal(report_headlines(&made->model, 0, &lines), 1);
    assert_int_equal(lines[0].failed_runs, 5);
    assert_string_equal(lines[0].where, "");
    report_headlines_free(lines, 1);
    // The key result that leads comes first, then the named ones, then others by name.
    made->results[1].headline = made->results[2].headline = (char *)"shuffle hazard";
    made->results[3].headline = (char *)REPORT_LEADS;
    assert_int_equal(report_headlines(&made->model, 0, &lines), 3);
    assert_string_equal(lines[0].name, REPORT_LEADS);
    assert_string_equal(lines[1].name, "shuffle hazard");
    assert_string_equal(lines[2].name, "key");
    report_headlines_free(lines, 3);
    end(made);
}

static size_t blocks_of(const struct report_model *model,
                        bool (*which)(const struct result *result), struct report_block **list)
{
    OWNED(report_code_clear) struct report_code code = report_code_load(model, NULL);
    const size_t count = report_blocks(&code, 0, which, list);
    return count;
}

static void check_block(const struct report_block *block, const char *where, const char *says)
{
    assert_string_equal(block->where, where);
    assert_string_equal(block->says, says);
}

TEST(blocks)
{
    struct made *made = make_hazard();
    add(made, 0, "loop.a/s=1@w=1", 101, CAT_FORBIDDEN);
    add(made, 0, "loop.a/s=2@w=1", 101, CAT_FORBIDDEN);
    add(made, 0, "loop.a/s=2@w=2", 0, CAT_FORBIDDEN);
    add(made, 1, CONTROL "once,form=variables@workgroup=64,subgroup=32", 0, CAT_FORBIDDEN);
    add(made, 1, CONTROL "each,form=variables@workgroup=64,subgroup=32", 7, CAT_FORBIDDEN);
    struct report_block *list;
    assert_int_equal(blocks_of(&made->model, report_failed, &list), 1);
    assert_int_equal(list[0].count, 3);
    check_block(&list[0], "sync=control-*", "3 of 3 always, wrong; the other values pass");
    assert_string_equal(list[0].passes, "sync=memory-once, sync=none, sync=workgroup-in-loop");
    // The other device has another subgroup size.
    assert_string_equal(list[0].elsewhere, "fails on other, driver 2 (1 of 2)");
    assert_string_equal(list[0].since, "");
    assert_true(strstr(list[0].again, "./litmus run ") == list[0].again);
    for (size_t i = 0; i < 3; i++)
        assert_non_null(strstr(list[0].again, list[0].members[i]->id));
    assert_non_null(strstr(list[0].again, " -d a0000000 --seed 0x5 -n 100"));
    report_blocks_free(list, 1);
    assert_int_equal(blocks_of(&made->model, report_unfinished_only, &list), 1);
    check_block(&list[0], "w=1", "2 of 2 crash: killed; the other values pass");
    report_blocks_free(list, 1);
    end(made);
    // What shares an outcome is one block, though another one is more frequent in some.
    made = begin();
    add(made, 0, "loop.a/s=1@w=1", 100, CAT_FORBIDDEN);
    add(made, 0, "loop.a/s=1@w=2", 100, CAT_FORBIDDEN);
    add(made, 0, "loop.a/s=2@w=1", 0, CAT_FORBIDDEN);
    add(made, 0, "loop.a/s=3@w=2", 100, CAT_FORBIDDEN);
    made->results[1].outcomes[3] = 20;
    made->results[1].outcomes[2] = 80;
    made->results[3].outcomes[3] = 0;
    made->results[3].outcomes[2] = 100;
    assert_int_equal(blocks_of(&made->model, report_failed, &list), 2);
    check_block(&list[0], "s=1", "2 of 2 always, wrong; 1 of 2 others pass");
    check_block(&list[1], "s=3", "1 of 1 always, zero; 1 of 3 others pass");
    report_blocks_free(list, 2);
    end(made);
    // One box around these would have others in it: each value has a block of its own.
    made = begin();
    add(made, 0, "loop.a/s=1,t=1@w=1", 100, CAT_FORBIDDEN);
    add(made, 0, "loop.a/s=2,t=2@w=1", 50, CAT_FORBIDDEN);
    add(made, 0, "loop.a/s=1,t=2@w=1", 0, CAT_FORBIDDEN);
    add(made, 0, "loop.a/s=2,t=1@w=1", 0, CAT_FORBIDDEN);
    assert_int_equal(blocks_of(&made->model, report_failed, &list), 2);
    check_block(&list[0], "s=1 t=1", "1 of 1 always, wrong; 2 of 3 others pass");
    check_block(&list[1], "s=2 t=2", "1 of 1 in 0.50 of runs, wrong; 2 of 3 others pass");
    report_blocks_free(list, 2);
    end(made);
}

// On an emulated GPU the reason of a failure, which says whether waits matter to it, divides
// blocks.
TEST(blocks_on_an_emulated_gpu)
{
    struct made *made = begin();
    struct report_block *list;
    add(made, 0, "loop.a/s=1@w=1", 100, CAT_FORBIDDEN);
    add(made, 0, "loop.a/s=2@w=1", 100, CAT_FORBIDDEN);
    add(made, 0, "loop.a/s=3@w=1", 0, CAT_FORBIDDEN);
    made->results[0].reason = (char *)"about its waits";
    assert_int_equal(blocks_of(&made->model, report_failed, &list), 1);
    assert_string_equal(list[0].says, "2 of 2 always, wrong; the other values pass");
    report_blocks_free(list, 1);
    memcpy(made->devices[0].facts.device_uuid, DEV_EMULATED, strlen(DEV_EMULATED));
    assert_int_equal(blocks_of(&made->model, report_failed, &list), 2);
    assert_string_equal(list[0].says, "1 of 1 always, wrong: about its waits; 1 of 2 others pass");
    report_blocks_free(list, 2);
    end(made);
}

// One command for many configurations: it names these and no others.

struct some {
    struct made *made;
    size_t from, count; // those of the default run that are to fail
    bool thorough;      // one that is not of the default run
    size_t at;
    char others[200];
};

static void add_some(const struct cat_case *which, void *user)
{
    struct some *some = user;
    OWNED(text_free) struct text name = {0};
    const bool thorough = cat_case_is_thorough(which);
    cat_case_name(which, &name);
    if (thorough ? some->thorough : some->at >= some->from && some->at < some->from + some->count) {
        add(some->made, 0, name.data, 100, CAT_FORBIDDEN);
        some->thorough = some->thorough && !thorough;
    } else if (!thorough) {
        char id[CFG_ID_SIZE];
        cfg_id(name.data, id);
        snprintf(some->others + strlen(some->others), 12 + 1, " '!%s'", id);
    }
    some->at += !thorough;
}

static void check_again(size_t from, size_t count, bool thorough)
{
    struct some some = {begin(), from, count, thorough, 0, ""};
    struct report_block *list;
    OWNED(text_free) struct text want = {0};
    some.made->devices[0].facts.subgroup = 32;
    cat_test_each(cat_test_find("sync-matrix.arithmetic"), 32, add_some, &some);
    assert_int_equal(some.made->model.result_count, count + thorough);
    assert_int_equal(blocks_of(&some.made->model, report_failed, &list), 1);
    const bool by_name = count > 32 && !thorough;
    text_printf(&want, "./litmus run%s%s", by_name ? " sync-matrix.arithmetic" : "",
                by_name ? some.others : "");
    for (size_t i = 0; i < list[0].count && !by_name; i++)
        text_printf(&want, " %s", list[0].members[i]->id);
    text_puts(&want, " -d a0000000 --seed 0x5 -n 100");
    assert_string_equal(list[0].again, want.data);
    report_blocks_free(list, 1);
    end(some.made);
}

TEST(commands)
{
    check_again(0, 43, false);
    check_again(2, 40, false);
    check_again(0, 32, false);
    check_again(0, 43, true);
}

TEST(commands_in_software)
{
    OWNED(text_free) struct text simulated = {0}, emulated = {0};
    struct made *made = begin();
    add(made, 0, "shuffle.a@w=1", 5, CAT_FORBIDDEN);
    made->model.simt = (char *)"lockstep";
    format_again(&simulated, &made->model, &made->results[0]);
    assert_non_null(strstr(simulated.data, " --simt lockstep "));
    made->model.simt = (char *)"navi21";
    memcpy(made->devices[0].facts.device_uuid, DEV_EMULATED, strlen(DEV_EMULATED));
    format_again(&emulated, &made->model, &made->results[0]);
    assert_non_null(strstr(emulated.data, " --emulate navi21 "));
    end(made);
}

TEST(findings)
{
    struct made *made = begin();
    add(made, 0, "reconvergence.else-leaves/leave=continue@w=1", 101, CAT_FORBIDDEN);
    add(made, 0, "reconvergence.else-leaves/leave=break@w=1", 101, CAT_FORBIDDEN);
    add(made, 0, "reconvergence.else-leaves/leave=continue@w=1", 5, CAT_FORBIDDEN);
    add(made, 1, "reconvergence.else-leaves/leave=continue@w=1", 101, CAT_FORBIDDEN);
    const struct report_signature *found = report_finding(&made->model, &made->results[0]);
    assert_non_null(found);
    assert_string_equal(found->path, "reports/findings/lavapipe-25.0.7-llvm-19-crash.md");
    // Another value, another outcome, another driver.
    for (size_t i = 1; i < 4; i++)
        assert_null(report_finding(&made->model, &made->results[i]));
    // Generated programs: another outcome, another driver.
    const struct dev_facts *facts = &made->devices[0].facts;
    found = report_finding_by(facts, "never written: up sync if while");
    assert_non_null(found);
    assert_string_equal(found->finding, "lavapipe-25.0.7-subgroup-barrier-waits");
    assert_null(report_finding_by(facts, "wrong: up sync if while"));
    assert_null(report_finding_by(facts, "never written: store.shared do vulkan"));
    end(made);
    // Those without one come first.
    struct report_block *list;
    made = begin();
    add(made, 0, "reconvergence.else-leaves/leave=continue@w=1", 101, CAT_FORBIDDEN);
    add(made, 0, "shuffle.a/s=1@w=1", 101, CAT_FORBIDDEN);
    assert_int_equal(blocks_of(&made->model, report_unfinished_only, &list), 2);
    assert_null(list[0].finding);
    assert_string_equal(list[0].members[0]->test, "shuffle.a");
    assert_non_null(list[1].finding);
    report_blocks_free(list, 2);
    end(made);
}

static void take_code(struct isa_study *study, const char *lines)
{
    OWNED(isa_code_clear) struct isa_code code = {0};
    struct sass_code sass;
    listing_code(lines, &sass);
    isa_add_piece(&code, ISA_MACHINE, "piece", "", lines, strlen(lines));
    isa_study_add(study, "a", &code, &sass, "test");
}

// One cause at a like instruction is a block; with another one it is another block.
TEST(causes)
{
    struct made *made = begin();
    OWNED(report_code_clear) struct report_code code = {0};
    struct report_block *list;
    OWNED(isa_study_clear) struct isa_study study = {0};
    static const char *const reads[] = {"REDUX.SUM UR4, R0", "REDUX.MIN UR4, R0",
                                        "SHFL.IDX PT, R1, R0, 0x3, 0x1f"};
    for (size_t i = 0; i < 3; i++) {
        OWNED(text_free) struct text lines = {0}, name = {0};
        text_printf(&lines,
                    "S2R R0, SR_LANEID\nISETP.NE.U32.AND P0, PT, R0, RZ, PT\n@P0 BRA join\nNOP\n"
                    "join:\n%s\nEXIT\n",
                    reads[i]);
        text_printf(&name, "loop.a/s=%zu@w=1", i);
        take_code(&study, lines.data);
        add(made, 0, name.data, 100, CAT_FORBIDDEN);
    }
    code = report_code_load(&made->model, NULL);
    for (size_t i = 0; i < 3; i++)
        code.of[i] = &study.entries[i];
    assert_int_equal(report_blocks(&code, 0, report_failed, &list), 2);
    assert_int_equal(list[0].count, 2);
    assert_memory_equal(list[0].cause, "at risk: REDUX.", 15);
    assert_memory_equal(list[1].cause, "at risk: SHFL.IDX", 17);
    report_blocks_free(list, 2);
    end(made);
}

// ---- what a terminal shows

static void check_columns(const char *text)
{
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        OWNED(lit_free) char *line = strndup(at, length);
        if (table_text_width(line) > 100 && !strstr(line, "reproduce: "))
            fail_msg("wider than 100 columns: %s", line);
        at += length + (at[length] == '\n');
    }
}

static void show_case(const struct cat_case *which, void *user)
{
    struct made *made = begin();
    struct text name = {0}, out = {0};
    const struct report_terminal_info info = {.utf8 = true, .verbosity = 1};
    cat_case_name(which, &name);
    add(made, 0, name.data, 100, CAT_FORBIDDEN);
    report_tables(&made->model, &info, &out);
    check_columns(out.data);
    made->results[0].result = ENG_CRASH;
    made->results[0].expectation = CAT_CONTROL;
    made->results[0].failed_runs = 0;
    text_free(&out);
    report_tables(&made->model, &info, &out);
    check_columns(out.data);
    text_free(&out);
    text_free(&name);
    end(made);
    ++*(size_t *)user;
}

TEST(nothing_wraps)
{
    size_t count = 0;
    for (size_t t = 0; t < cat_test_count(); t++)
        cat_test_each(cat_test_at(t), 128, show_case, &count);
    assert_true(count > 1000);
}
