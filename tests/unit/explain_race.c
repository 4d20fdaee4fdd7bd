// SPDX-License-Identifier: Apache-2.0
// Data races in traces made by hand: two workgroups of eight invocations, in subgroups of four.
// Each case that races has one beside it, of the same accesses, that does not: EXPLAIN_RACE FILE.
#include "sections.h"

#include "base/text.h"
#include "explain/race.h"

// Instructions. The word at which each begins is its number.
enum {
    STORE,
    LOAD,
    ADD,
    BYTE,
    FLAG_SET,
    FLAG_GET,
    BARRIER,
    FENCE,
    SUBGROUP,
    WIDE,
    SET,       // cell 10, which begins undefined
    GET,       // cell 10
    GET_WHOLE, // cells 10 to 13, all of them undefined
    GET_OTHER, // cell 14, which has an initialiser
    SET_AT,    // by a pointer
    GET_AT,
    SET_LOCAL, // cell 20, of a function
    GET_LOCAL,
    CALL, // that function
    OTHER_BARRIER,
    PRIVATE,  // a store
    EXCHANGE, // its result is dropped
    NARROW,   // fence, of the subgroup
};

#define BUFFER "70000000000"      // its first byte
#define SHARED "4000000000000000" // of Workgroup memory

struct run {
    struct text text;
    unsigned time;
    bool breaks_off;
};

// What the five instructions that order are: their scopes and semantics.
static void begin(struct run *run, unsigned flag_scope, unsigned flag, unsigned fence,
                  unsigned barrier)
{
    *run = (struct run){0};
    text_puts(&run->text, section("head")->text);
    text_printf(&run->text,
                "memory 4 atomic-store 4 4 %u %u 0\nmemory 5 atomic-load 5 4 %u %u 0\n"
                "memory 6 order 6 0 2 %u 2\nmemory 7 order 7 0 1 %u 0\nmemory 8 order 8 0 3 %u 3\n",
                flag_scope, flag & ~0x2u, flag_scope, flag & ~0x4u, barrier, fence, barrier);
}

// A step of an invocation, 0 to 15, at a byte of a region; NULL: it has no address.
static void step(struct run *run, unsigned invocation, unsigned code, const char *region,
                 unsigned byte)
{
    char address[40] = "-";
    if (region)
        snprintf(address, sizeof address, "%.*s%02x%s", (int)strcspn(region, "!") - 2, region, byte,
                 strchr(region, '!') ? "!" : "");
    text_printf(&run->text, "step %u %u %u %u %u - - %s %x\n", ++run->time, invocation / 8,
                invocation / 4 % 2, invocation % 4, code, address,
                code == SUBGROUP ? 0xfu : 1u << invocation % 4);
}

static void barrier(struct run *run, unsigned code, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count; i++)
        step(run, i, code, NULL, 0);
}

static bool nothing[16]; // of the buffer's words

// Looks at the run: what it finds, as letters: r, u, o, each once for each pair of instructions.
static void check(struct run *run, const char *wanted)
{
    OWNED(exp_trace_clear) struct exp_trace trace = {0};
    const struct exp_bytes bytes[] = {{sizeof nothing / sizeof *nothing * 4, nothing}, {64, NULL}};
    OWNED(exp_findings_clear) struct exp_findings findings = {0};
    static const bool unused[NARROW + 1] = {[EXCHANGE] = true};
    const struct exp_dispatch of = {.trace = &trace, .buffers = bytes, .unused = unused};
    char found[32] = "";
    if (!run->breaks_off)
        text_puts(&run->text, "switches 0\nend 0 done\n");
    must(exp_trace_read(run->text.data, run->text.length, &trace, &error));
    assert_int_equal(trace.buffer_count, 2);
    assert_true(exp_find_misuse(&of, &findings, &error));
    for (size_t i = 0; i < findings.count && i < 31; i++)
        found[i] = "ruob"[findings.items[i].what];
    assert_string_equal(found, wanted);
    text_free(&run->text);
}

struct step {
    unsigned invocation, code;
    const char *region;
    unsigned byte;
    unsigned count; // of invocations from this one on
};

#define AT(invocation, code, region, byte) ((struct step){invocation, code, region, byte, 1})
#define SOME(invocation, code, count)      ((struct step){invocation, code, NULL, 0, count})

static void race(const char *wanted, unsigned scope, unsigned flag, unsigned fence,
                 unsigned barrier_semantics, const struct step *steps, size_t count)
{
    struct run run;
    begin(&run, scope, flag, fence, barrier_semantics);
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < steps[i].count; k++)
            step(&run, steps[i].invocation + k, steps[i].code, steps[i].region, steps[i].byte);
    check(&run, wanted);
}

// A run by its steps, and what is found.
#define RACE(wanted, scope, flag, fence, barrier_semantics, ...)                                   \
    race(wanted, scope, flag, fence, barrier_semantics, (const struct step[]){__VA_ARGS__},        \
         sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step))

TEST(test_accesses)
{
    struct run run;
    static const struct {
        unsigned first, second, byte;
        const char *wanted;
    } cases[] = {
        {STORE, LOAD, 0, "r"}, {LOAD, STORE, 0, "r"}, {STORE, STORE, 0, "r"}, {LOAD, LOAD, 0, ""},
        {ADD, ADD, 0, ""},     {ADD, LOAD, 0, "r"},   {STORE, ADD, 0, "r"},   {STORE, LOAD, 4, ""},
        {BYTE, BYTE, 1, ""},   {BYTE, BYTE, 0, "r"},  {BYTE, WIDE, 0, "r"},   {STORE, WIDE, 0, "r"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        RACE(cases[i].wanted, 1, 0, 0, 0, AT(0, cases[i].first, BUFFER, 0),
             AT(5, cases[i].second, BUFFER, cases[i].byte));
        // One after the other in one invocation.
        RACE("", 1, 0, 0, 0, AT(5, cases[i].first, BUFFER, 0),
             AT(5, cases[i].second, BUFFER, cases[i].byte));
    }
    // A wide load behind the store, of its last word.
    RACE("r", 1, 0, 0, 0, AT(0, STORE, BUFFER, 12), AT(5, WIDE, BUFFER, 0));
    // Each pair of instructions once.
    begin(&run, 1, 0, 0, 0);
    for (unsigned i = 0; i < 8; i++)
        step(&run, i, STORE, BUFFER, 0);
    check(&run, "r");
}

// Through a barrier, with semantics of one storage class or the other.
static void cross(const char *region, unsigned code, unsigned semantics, unsigned reader,
                  const char *wanted)
{
    struct run run;
    begin(&run, 1, 0, 0, semantics);
    step(&run, 0, STORE, region, 0);
    barrier(&run, code, 0, code == SUBGROUP ? 4 : 8);
    if (reader >= 8)
        barrier(&run, code, 8, 8);
    step(&run, reader, LOAD, region, 0);
    check(&run, wanted);
}

TEST(test_barriers)
{
    cross(BUFFER, BARRIER, 0x48, 5, "");
    cross(BUFFER, BARRIER, 0x108, 5, "r"); // Workgroup memory alone
    cross(BUFFER, BARRIER, 0x40, 5, "r");  // no order
    cross(BUFFER, BARRIER, 0x48, 9, "r");  // another workgroup
    cross(SHARED, BARRIER, 0x108, 5, "");
    cross(SHARED, BARRIER, 0x48, 5, "r");
    cross(BUFFER, SUBGROUP, 0x48, 3, "");
    cross(BUFFER, SUBGROUP, 0x48, 5, "r"); // another subgroup
    // One that not all reach orders those that do.
    RACE("b", 1, 0, 0, 0x48, AT(0, STORE, BUFFER, 0), SOME(0, BARRIER, 6), AT(5, LOAD, BUFFER, 0));
    RACE("br", 1, 0, 0, 0x48, AT(0, STORE, BUFFER, 0), SOME(0, BARRIER, 6), AT(6, LOAD, BUFFER, 0),
         SOME(6, BARRIER, 2));
    // The barrier before the last does not order what came between.
    RACE("r", 1, 0, 0, 0x48, SOME(0, BARRIER, 8), AT(0, STORE, BUFFER, 0), AT(1, LOAD, BUFFER, 0));
}

// A message from invocation 0, by a flag.
static void message(unsigned scope, unsigned flag, unsigned fence, unsigned reader,
                    const char *wanted)
{
    struct run run;
    begin(&run, scope, flag, fence, 0);
    step(&run, 0, STORE, BUFFER, 0);
    if (fence)
        step(&run, 0, FENCE, NULL, 0);
    step(&run, 0, FLAG_SET, BUFFER, 4);
    step(&run, reader, FLAG_GET, BUFFER, 4);
    if (fence)
        step(&run, reader, FENCE, NULL, 0);
    step(&run, reader, LOAD, BUFFER, 0);
    check(&run, wanted);
}

// A store, a barrier with or without a fence on either side, a load.
static void fenced(unsigned before, unsigned barrier_code, unsigned after, unsigned reader,
                   const char *wanted)
{
    struct run run;
    begin(&run, 1, 0, 0x48, 0x108); // the barrier is of Workgroup memory
    step(&run, 0, STORE, BUFFER, 0);
    if (before)
        step(&run, 0, before, NULL, 0);
    barrier(&run, barrier_code, 0, barrier_code == SUBGROUP ? 4 : 8);
    if (after)
        step(&run, reader, after, NULL, 0);
    step(&run, reader, LOAD, BUFFER, 0);
    check(&run, wanted);
}

TEST(test_fences)
{
    for (int i = 0; i < 2; i++) {
        const unsigned code = i ? OTHER_BARRIER : BARRIER;
        fenced(FENCE, code, FENCE, 5, "");
        fenced(FENCE, code, 0, 5, "r");
        fenced(0, code, FENCE, 5, "r");
        fenced(0, code, 0, 5, "r");
        fenced(NARROW, code, FENCE, 5, "r"); // another subgroup
        fenced(FENCE, code, NARROW, 5, "r");
        fenced(NARROW, code, NARROW, 2, "");
        fenced(NARROW, code, FENCE, 2, "");
    }
    fenced(FENCE, SUBGROUP, FENCE, 3, "");
    fenced(NARROW, SUBGROUP, NARROW, 3, "");
    fenced(FENCE, SUBGROUP, 0, 3, "r");
    // What one has learnt by fences it passes on by those.
    RACE("r", 1, 0, 0x48, 0x108, AT(8, STORE, BUFFER, 0), SOME(8, FENCE, 1),
         AT(8, FLAG_SET, BUFFER, 4), AT(0, FLAG_GET, BUFFER, 4), SOME(0, FENCE, 1),
         SOME(0, BARRIER, 8), SOME(6, FENCE, 1), AT(6, LOAD, BUFFER, 0), AT(7, LOAD, BUFFER, 0));
    // A private access is ordered with none of another invocation.
    RACE("", 1, 0, 0, 0x48, AT(0, PRIVATE, BUFFER, 0), AT(0, LOAD, BUFFER, 0), SOME(0, BARRIER, 8),
         AT(0, LOAD, BUFFER, 0));
    RACE("r", 1, 0, 0, 0x48, AT(0, PRIVATE, BUFFER, 0), SOME(0, BARRIER, 8),
         AT(5, LOAD, BUFFER, 0));
    // A fence for a flag names the flag's class, too.
    RACE("r", 1, 0, 0x48, 0, AT(0, STORE, BUFFER, 0), SOME(0, FENCE, 1), AT(0, FLAG_SET, SHARED, 4),
         AT(5, FLAG_GET, SHARED, 4), SOME(5, FENCE, 1), AT(5, LOAD, BUFFER, 0));
}

// An instruction that some come to; where the others are.
static void missed(struct run *run, unsigned reached, unsigned code, unsigned first, unsigned at)
{
    OWNED(exp_trace_clear) struct exp_trace trace = {0};
    const struct exp_bytes bytes[] = {{64, NULL}, {64, NULL}};
    OWNED(exp_findings_clear) struct exp_findings findings = {0};
    const struct exp_dispatch of = {.trace = &trace, .buffers = bytes};
    text_puts(&run->text, "switches 0\nend 0 done\n");
    assert_true(exp_trace_read(run->text.data, run->text.length, &trace, NULL));
    assert_true(exp_find_misuse(&of, &findings, NULL));
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.items[0].what, EXP_MISSED);
    assert_int_equal(findings.items[0].reached, reached);
    assert_int_equal(findings.items[0].code, code);
    assert_int_equal(findings.items[0].at[first], at);
    text_free(&run->text);
}

// A trace that was cut: invocations 0 to 6 are at a barrier, or wait to come there, and 7 loads the
// same from a place again and again, but for `other`. Workgroup 1 has ended, or 15 runs.
static bool is_endless(const char *place, unsigned other, unsigned barrier_at, bool runs)
{
    struct run run;
    OWNED(exp_trace_clear) struct exp_trace trace = {0};
    const struct exp_bytes bytes[] = {{64, NULL}, {64, NULL}};
    OWNED(exp_findings_clear) struct exp_findings findings = {0};
    const struct exp_dispatch of = {.trace = &trace, .buffers = bytes};
    begin(&run, 1, 0, 0, 0x48);
    step(&run, 15, STORE, BUFFER, 0);
    for (unsigned i = 0; i < 8; i++) {
        step(&run, 7, FLAG_GET, place, i == other ? 4 : 0);
        step(&run, 7, FENCE, NULL, 0);
    }
    for (unsigned i = 0; i < 7; i++)
        text_printf(&run.text, "left 0 %u %u %u waits\n", i / 4, i % 4, barrier_at);
    text_printf(&run.text, "left 0 1 3 %u runs\n", FLAG_GET);
    text_puts(&run.text, runs ? "left 1 1 3 1 runs\n" : "");
    text_puts(&run.text, "switches 0\nend 0 cut\n");
    assert_true(exp_trace_read(run.text.data, run.text.length, &trace, NULL));
    exp_find_endless(&of, &findings);
    const bool found = findings.count > 0;
    for (size_t i = 0; i < findings.count; i++) {
        const struct exp_finding *finding = &findings.items[i];
        const bool misses = barrier_at != GET;
        assert_int_equal(finding->what, misses ? EXP_MISSED : EXP_ENDLESS);
        assert_int_equal(finding->code, misses ? BARRIER : FLAG_GET);
        assert_int_equal(finding->at[6], misses ? BARRIER : GET);
        assert_int_equal(finding->at[7], FLAG_GET);
        assert_int_equal(finding->within, 16);
        assert_int_equal(finding->times, 1);
    }
    text_free(&run.text);
    return found;
}

TEST(test_endless)
{
    assert_true(is_endless(BUFFER, 8, BARRIER, false));
    assert_true(is_endless(BUFFER, 0, BARRIER, false)); // 7 are alike
    assert_false(is_endless(BUFFER, 4, BARRIER, false));
    assert_false(is_endless(BUFFER, 8, BARRIER, true));  // who may store there
    assert_true(is_endless(SHARED, 8, BARRIER, true));   // but not there
    assert_true(is_endless(BUFFER, 8, FLAG_SET, false)); // before the barrier
    assert_true(is_endless(BUFFER, 8, GET, false));      // before a call
}

TEST(test_missed)
{
    struct run run;
    begin(&run, 1, 0, 0, 0x48);
    step(&run, 7, STORE, BUFFER, 0); // and ends
    barrier(&run, BARRIER, 0, 7);
    missed(&run, 7, BARRIER, 7, STORE);
    begin(&run, 1, 0, 0, 0x48); // two meet the others at another one
    barrier(&run, BARRIER, 0, 2);
    barrier(&run, OTHER_BARRIER, 2, 6);
    missed(&run, 6, OTHER_BARRIER, 1, BARRIER);
    begin(&run, 1, 0, 0, 0x48); // in another iteration
    for (unsigned i = 0; i < 8; i++)
        step(&run, i, BARRIER, BUFFER, i < 3);
    missed(&run, 5, BARRIER, 2, EXP_ANOTHER);
    begin(&run, 1, 0, 0, 0x48); // one goes on elsewhere
    barrier(&run, BARRIER, 0, 7);
    step(&run, 7, LOAD, BUFFER, 0);
    missed(&run, 7, BARRIER, 7, LOAD);
    begin(&run, 1, 0, 0, 0x48); // one has the barrier once more
    barrier(&run, BARRIER, 0, 8);
    step(&run, 4, BARRIER, NULL, 0);
    missed(&run, 1, BARRIER, 0, BARRIER);
    // All together: in each workgroup, more than once, whole workgroups elsewhere; and a trace that
    // breaks off says nothing of who does not come.
    begin(&run, 1, 0, 0, 0x48);
    for (int i = 0; i < 3; i++)
        barrier(&run, BARRIER, 8, 8);
    barrier(&run, OTHER_BARRIER, 0, 8);
    check(&run, "");
    begin(&run, 1, 0, 0, 0x48);
    barrier(&run, BARRIER, 0, 7);
    run.breaks_off = true;
    check(&run, "");
}

TEST(test_places)
{
    // By the address of the buffer's memory, and beside it.
    RACE("r", 1, 0, 0, 0, AT(0, STORE, BUFFER, 4), AT(5, LOAD, "300000000000", 0x14),
         AT(5, LOAD, "300000000000", 0x18));
    // Another element of the array.
    RACE("o", 1, 0, 0, 0, AT(0, STORE, BUFFER, 4), AT(5, LOAD, "80000000000", 4),
         AT(5, LOAD, "80000000000", 0x3d));
    // Where there is nothing.
    RACE("o", 1, 0, 0, 0, AT(0, LOAD, "00!", 0));
    RACE("", 1, 0, 0, 0, AT(0, EXCHANGE, SHARED, 8), AT(0, LOAD, SHARED, 8));
}

TEST(test_atomics)
{
    message(1, 0x46, 0, 9, "");   // release and acquire
    message(1, 0x42, 0, 9, "r");  // the flag is not released
    message(1, 0x44, 0, 9, "r");  // nor acquired
    message(1, 0x106, 0, 9, "r"); // another storage class
    message(1, 0, 0, 9, "r");     // relaxed
    message(1, 0, 0x48, 9, "");   // with fences
    message(1, 0, 0x108, 9, "r"); // of another storage class
    message(2, 0x46, 0, 5, "");   // within the workgroup
    message(2, 0x46, 0, 9, "rr"); // beyond it: the flag races, too
    // What the flag was released with is gone once somebody else stores to it.
    RACE("r", 1, 0x46, 0, 0, AT(0, STORE, BUFFER, 0), AT(0, FLAG_SET, BUFFER, 4),
         AT(1, FLAG_SET, BUFFER, 4), AT(9, FLAG_GET, BUFFER, 4), AT(9, LOAD, BUFFER, 0));
    // One that adds passes it on.
    RACE("", 1, 0x46, 0, 0, AT(0, STORE, BUFFER, 0), AT(0, FLAG_SET, BUFFER, 4),
         AT(1, ADD, BUFFER, 4), AT(9, FLAG_GET, BUFFER, 4), AT(9, LOAD, BUFFER, 0));
}

TEST(test_other)
{
    RACE("u", 1, 0, 0, 0x108, AT(0, LOAD, SHARED, 8));
    // Only a part of it is there.
    RACE("u", 1, 0, 0, 0x108, AT(0, STORE, SHARED, 8), AT(0, LOAD, SHARED, 8),
         AT(0, WIDE, SHARED, 0));
    // Bytes 32 to 39 begin as zeros.
    RACE("", 1, 0, 0, 0, AT(0, LOAD, SHARED, 32), AT(0, LOAD, SHARED, 36));
    RACE("u", 1, 0, 0, 0, AT(0, LOAD, SHARED, 40));
    // Up to byte 43.
    RACE("u", 1, 0, 0, 0, AT(0, STORE, SHARED, 28), AT(0, WIDE, SHARED, 28));
    // Each workgroup has its own.
    RACE("u", 1, 0, 0, 0x108, AT(0, STORE, SHARED, 8), AT(8, LOAD, SHARED, 8));
    nothing[2] = true;
    RACE("u", 1, 0, 0, 0, AT(0, LOAD, BUFFER, 4), AT(0, LOAD, BUFFER, 12), AT(0, LOAD, BUFFER, 8));
    nothing[2] = false;
    RACE("oo", 1, 0, 0, 0, AT(0, LOAD, BUFFER, 60), AT(0, LOAD, BUFFER, 61),
         AT(0, WIDE, BUFFER, 48), AT(0, WIDE, BUFFER, 52), AT(0, LOAD, SHARED, 64));
}

#define CELL "000000" // a number of a cell, as the address that a step has

TEST(test_variables)
{
    struct run run;
    static const struct {
        unsigned invocation, code, cell;
    } cases[][4] = {
        {{0, SET, 0}, {0, GET, 0}},
        {{0, SET, 0}, {0, GET_WHOLE, 0}}, // a part is there
        {{0, GET_OTHER, 0}},
        {{0, SET_AT, 13}, {0, GET_AT, 13}},
        {{0, SET_AT, 13}, {0, GET_WHOLE, 0}},
        {{0, SET, 0}, {0, GET_AT, 10}},
        {{0, GET_AT, 14}},
        {{0, GET_AT, 99}}, // nothing is known of it
        {{0, CALL, 0}, {0, SET_LOCAL, 0}, {0, GET_LOCAL, 0}},
        {{0, SET, 0}, {0, CALL, 0}, {0, GET, 0}},
        {{0, SET_LOCAL, 0}, {1, CALL, 0}, {0, GET_LOCAL, 0}},
        {{0, 0, 0}}, // from here on the last one finds something
        {{0, GET, 0}},
        {{1, SET, 0}, {0, GET, 0}}, // somebody else's
        {{0, GET, 0}, {0, SET, 0}},
        {{0, GET_WHOLE, 0}},
        {{0, SET, 0}, {0, GET_AT, 11}},
        {{0, SET_AT, 12}, {0, GET, 0}},
        {{0, CALL, 0}, {0, SET_LOCAL, 0}, {0, CALL, 0}, {0, GET_LOCAL, 0}},
    };
    const char *wanted = "";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!cases[i][0].code) {
            wanted = "u";
            continue;
        }
        begin(&run, 1, 0, 0, 0);
        for (size_t n = 0; n < 4 && cases[i][n].code; n++)
            step(&run, cases[i][n].invocation, cases[i][n].code, cases[i][n].cell ? CELL : NULL,
                 cases[i][n].cell);
        check(&run, wanted);
    }
    // An element that an array does not have.
    RACE("oo", 1, 0, 0, 0, AT(0, GET_AT, "7fffffffffffff00", 0xff),
         AT(0, SET_AT, "7fffffffffffff00", 0xff));
    // Accesses of registers do not race, whatever their numbers are.
    RACE("", 1, 0, 0, 0, AT(0, SET_AT, CELL, 11), AT(1, SET_AT, CELL, 11), AT(1, GET_AT, CELL, 11));
}

TEST(test_times)
{
    struct run run;
    OWNED(exp_trace_clear) struct exp_trace trace = {0};
    OWNED(exp_findings_clear) struct exp_findings findings = {0};
    const struct exp_bytes bytes[] = {{sizeof nothing, nothing}, {64, NULL}};
    const struct exp_dispatch of = {.trace = &trace, .buffers = bytes};
    begin(&run, 1, 0, 0, 0);
    step(&run, 3, SET, NULL, 0);
    for (unsigned i = 0; i < 16; i++)
        step(&run, i, GET, NULL, 0);
    assert_true(exp_trace_read(run.text.data, run.text.length, &trace, NULL));
    assert_true(exp_find_misuse(&of, &findings, NULL));
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.items[0].times, 15);
    assert_int_equal(findings.items[0].step, 1);
    assert_string_equal(exp_variable(&trace, &trace.steps[1]), "%more");
    text_free(&run.text);
}
