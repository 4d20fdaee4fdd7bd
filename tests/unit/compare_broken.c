// SPDX-License-Identifier: Apache-2.0
// What is broken in itself stops the gate, whatever it is compared with: every way that two sides
// can have ended, under every policy, against a statement of its own of what must not pass.
#include "compare/verdict.h"

#include "unit.h"

// How a configuration ended on a side.
static const struct ending {
    const char *name;
    enum eng_result result; // ENG_RESULTS: the side does not have it
    uint64_t runs, failed, waited;
} endings[] = {
    {"absent", ENG_RESULTS, 0, 0, 0},
    {"skip", ENG_SKIP, 0, 0, 0},
    {"interrupted at once", ENG_PARTIAL, 0, 0, 0},
    {"interrupted, failing", ENG_PARTIAL, 500, 400, 0},
    {"pass", ENG_PASS, 1000, 0, 0},
    {"fail once", ENG_FAIL, 1000, 1, 0},
    {"fail always", ENG_FAIL, 1000, 1000, 0},
    {"gave up always", ENG_NO_PROGRESS, 1000, 0, 1000},
    {"hang", ENG_HANG, 0, 0, 0},
    {"crash", ENG_CRASH, 0, 0, 0},
    {"crash, failing", ENG_CRASH, 500, 400, 0},
    {"device lost", ENG_DEVICE_LOST, 700, 0, 0},
    {"error of the harness", ENG_HARNESS_ERROR, 0, 0, 0},
    {"error of the harness, failing", ENG_HARNESS_ERROR, 500, 400, 0},
};
#define ENDINGS (sizeof endings / sizeof *endings)

static const enum cat_expectation classes[][2] = {
    {CAT_FORBIDDEN, CAT_FORBIDDEN}, {CAT_CONTESTED, CAT_CONTESTED}, {CAT_CONTROL, CAT_CONTROL},
    {CAT_CONTESTED, CAT_FORBIDDEN}, {CAT_FORBIDDEN, CAT_ASSUMED},   {CAT_FORBIDDEN, CAT_CONTROL},
    {CAT_CONTROL, CAT_FORBIDDEN},
};

// One of the combinations.
struct world {
    const struct ending *a, *b;
    enum cat_expectation class_a, class_b;
    bool other_code, other_stress;
    enum eng_result broke_before, broke_now; // in one of several sessions
    struct compare_policy policy;
    bool waived;
};

// The statement: what is known of a combination without the code that judges it.
struct known {
    bool gates;      // somebody wants to be told of this configuration
    bool comparable; // the same was measured on both sides
    enum eng_result broken;
    bool broken_before; // in the same way, of the same
    bool ended_before;  // A came to its end, and never broke
};

static struct known know(const struct world *w)
{
    const bool class_changed = w->class_a != w->class_b && !w->policy.ignore_class;
    const bool present = w->a->result != ENG_RESULTS;
    struct known k = {.broken = w->broke_now};
    k.comparable =
        present && !w->other_stress && !class_changed && (!w->other_code || w->policy.ignore_code);
    k.gates = w->class_b != CAT_CONTROL || (present && class_changed && w->class_a != CAT_CONTROL);
    if (w->b->result == ENG_HANG || w->b->result == ENG_CRASH || w->b->result == ENG_DEVICE_LOST)
        k.broken = w->b->result;
    k.broken_before =
        k.comparable && (w->a->result == k.broken || (k.broken && w->broke_before == k.broken));
    k.ended_before = w->a->runs > 0 && w->a->result != ENG_DEVICE_LOST &&
                     w->a->result != ENG_CRASH && w->a->result != ENG_HARNESS_ERROR &&
                     w->broke_before == ENG_PASS;
    return k;
}

// What may not be said of it; NULL if nothing is wrong.
static const char *find_wrong(const struct world *w, enum lit_exit code)
{
    const struct known k = know(w);
    const bool harness = w->b->result == ENG_HARNESS_ERROR;
    const bool judged_before = k.comparable && w->a->runs > w->a->waited &&
                               w->a->result != ENG_DEVICE_LOST && w->a->result != ENG_CRASH &&
                               w->a->result != ENG_HARNESS_ERROR;
    if (code != LIT_EXIT_OK && code != LIT_EXIT_FORBIDDEN && code != LIT_EXIT_UNDECIDED)
        return "no code of a gate";
    if (harness && !k.broken && code == LIT_EXIT_FORBIDDEN)
        return "an error of the harness is called a regression";
    if (w->waived || !k.gates || w->b->result == ENG_RESULTS)
        return NULL;
    if (k.broken && !k.broken_before && code == LIT_EXIT_OK)
        return "what is broken passed";
    if (k.broken && k.ended_before && code != LIT_EXIT_FORBIDDEN)
        return "what came to its end and does not any more is no regression";
    if (w->b->failed > 0 && w->class_b == CAT_FORBIDDEN && !judged_before &&
        !(k.broken && k.broken_before) && code == LIT_EXIT_OK)
        return "a forbidden outcome passed that was compared with nothing";
    if (harness && !(w->a->result == ENG_HARNESS_ERROR && k.comparable) && code == LIT_EXIT_OK)
        return "an error of the harness passed";
    return NULL;
}

static struct result result_of(const struct ending *ending, enum cat_expectation class,
                               const char *code, const char *stress)
{
    return (struct result){.name = (char *)"family.test@subgroup=8",
                           .family = (char *)"family",
                           .sha256 = (char *)code,
                           .stress = (char *)stress,
                           .rule = (char *)"",
                           .reason = (char *)"",
                           .result = ending->result,
                           .expectation = class,
                           .runs = ending->runs,
                           .failed_runs = ending->failed,
                           .no_progress_runs = ending->waited,
                           .judged = ending->runs - ending->waited};
}

#define OTHERS 11 // that are unchanged, so that one that is merely undecided passes

static enum lit_exit judge(const struct world *w)
{
    const struct result a = result_of(w->a, w->class_a, "c", ""),
                        b = result_of(w->b, w->class_b, w->other_code ? "d" : "c",
                                      w->other_stress ? "s" : "");
    const struct result known = result_of(&endings[9], CAT_FORBIDDEN, "c", "");
    struct compare_entry entries[OTHERS + 1];
    struct compare_summary summary;
    for (size_t i = 0; i < OTHERS; i++)
        entries[i] = (struct compare_entry){.a = &known, .b = &known, .name = known.name};
    entries[OTHERS] = (struct compare_entry){.a = a.result == ENG_RESULTS ? NULL : &a,
                                             .b = b.result == ENG_RESULTS ? NULL : &b,
                                             .broke_before = w->broke_before,
                                             .broke_now = w->broke_now,
                                             .name = known.name};
    compare_judge(entries, OTHERS + 1, &w->policy, &summary);
    entries[OTHERS].waiver = w->waived;
    compare_decide(entries, OTHERS + 1, &w->policy, &summary);
    return summary.code;
}

// Bits of a combination of policies.
enum {
    IGNORE_CODE = 1,
    IGNORE_CLASS = 2,
    ALLOW_SKIPS = 4,
    ALLOW_GONE = 8,
    STRICT = 16,
    WAIVED = 32,
    POLICIES = 64,
};

static void set_policy(struct world *w, unsigned bits, enum compare_first_seen first_seen)
{
    w->policy = compare_policy_default;
    w->policy.gate = true;
    w->policy.ignore_code = bits & IGNORE_CODE;
    w->policy.ignore_class = bits & IGNORE_CLASS;
    w->policy.allow_skips = bits & ALLOW_SKIPS;
    w->policy.allow_gone = bits & ALLOW_GONE;
    w->policy.strict = bits & STRICT;
    w->policy.first_seen = first_seen;
    w->waived = bits & WAIVED;
}

static uint64_t passed, failed, undecided;

static void check(const struct world *w)
{
    const enum lit_exit code = judge(w);
    const char *wrong = find_wrong(w, code);
    if (wrong)
        fail_msg("%s: %s -> %s, class %d -> %d, code %d, stress %d, broke %d and %d: exit %d",
                 wrong, w->a->name, w->b->name, (int)w->class_a, (int)w->class_b, w->other_code,
                 w->other_stress, (int)w->broke_before, (int)w->broke_now, (int)code);
    passed += code == LIT_EXIT_OK;
    failed += code == LIT_EXIT_FORBIDDEN;
    undecided += code == LIT_EXIT_UNDECIDED;
}

// All policies over one pair of sides.
static void check_policies(struct world *w)
{
    for (unsigned bits = 0; bits < POLICIES; bits++)
        for (int seen = COMPARE_FIRST_UNDECIDED; seen <= COMPARE_FIRST_IGNORED; seen++) {
            set_policy(w, bits, (enum compare_first_seen)seen);
            check(w);
        }
}

static bool has_run(const struct ending *ending)
{
    return ending->runs > 0 && ending->result != ENG_HARNESS_ERROR;
}

TEST(what_is_broken_never_passes)
{
    for (size_t i = 0; i < ENDINGS * ENDINGS * (sizeof classes / sizeof *classes) * 3; i++) {
        const size_t class = i / ENDINGS / ENDINGS / 3;
        if (i % (ENDINGS * ENDINGS) == 0)
            continue; // on neither side
        struct world w = {.a = &endings[i % ENDINGS],
                          .b = &endings[i / ENDINGS % ENDINGS],
                          .class_a = classes[class][0],
                          .class_b = classes[class][1],
                          .other_code = i / ENDINGS / ENDINGS % 3 == 1,
                          .other_stress = i / ENDINGS / ENDINGS % 3 == 2};
        check_policies(&w);
        w.broke_now = has_run(w.b) ? ENG_CRASH : ENG_PASS;
        if (w.broke_now)
            check_policies(&w);
        w.broke_before = has_run(w.a) ? ENG_CRASH : ENG_PASS;
        if (w.broke_before)
            check_policies(&w);
        w.broke_now = ENG_PASS;
        if (w.broke_before)
            check_policies(&w);
    }
    // It is no gate that always says no.
    assert_true(passed > 10000 && failed > 10000 && undecided > 10000);
}

// The table of docs/gating-statistics.md, line by line.
TEST(the_table)
{
    static const struct {
        size_t a, b; // places in endings
        bool other_code;
        enum lit_exit code;
    } table[] = {
        {4, 9, false, LIT_EXIT_FORBIDDEN},  {4, 9, true, LIT_EXIT_FORBIDDEN},
        {6, 11, true, LIT_EXIT_FORBIDDEN},  {9, 9, false, LIT_EXIT_OK},
        {9, 9, true, LIT_EXIT_UNDECIDED},   {9, 8, false, LIT_EXIT_UNDECIDED},
        {12, 9, false, LIT_EXIT_UNDECIDED}, {0, 9, false, LIT_EXIT_UNDECIDED},
        {1, 9, false, LIT_EXIT_UNDECIDED},  {2, 9, false, LIT_EXIT_UNDECIDED},
        {4, 12, false, LIT_EXIT_UNDECIDED}, {0, 12, false, LIT_EXIT_UNDECIDED},
        {12, 12, false, LIT_EXIT_OK},       {12, 12, true, LIT_EXIT_UNDECIDED},
        {12, 4, false, LIT_EXIT_OK},        {12, 6, false, LIT_EXIT_UNDECIDED},
        {4, 6, false, LIT_EXIT_FORBIDDEN},  {4, 6, true, LIT_EXIT_UNDECIDED},
        {9, 6, false, LIT_EXIT_UNDECIDED},  {2, 6, false, LIT_EXIT_UNDECIDED},
        {7, 6, false, LIT_EXIT_UNDECIDED},  {6, 6, false, LIT_EXIT_OK},
        {6, 6, true, LIT_EXIT_UNDECIDED},   {4, 4, true, LIT_EXIT_OK},
        {9, 4, false, LIT_EXIT_OK},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct world w = {.a = &endings[table[i].a],
                          .b = &endings[table[i].b],
                          .class_a = CAT_FORBIDDEN,
                          .class_b = CAT_FORBIDDEN,
                          .other_code = table[i].other_code};
        set_policy(&w, 0, COMPARE_FIRST_UNDECIDED);
        const enum lit_exit code = judge(&w);
        if (code != table[i].code)
            fail_msg("%s -> %s%s: exit %d", w.a->name, w.b->name,
                     w.other_code ? ", other code" : "", (int)code);
    }
}
