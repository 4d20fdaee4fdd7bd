// SPDX-License-Identifier: Apache-2.0
// What the kernels cannot show about their oracles: tests/e2e/simt.py compares each expectation
// with the kernel under the model lockstep. Here: which sizes are refused, how much state a kernel
// gets, what a word is called, and inputs for which only one result is right.
#include "unit.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "device/device.h"
#include "model/check.h"
#include "oracles/oracles.h"

#include <fenv.h>
#include <math.h>

// A configuration with its input and expectation. Points into itself. Free with `drop`.
struct made {
    struct cat_case which;
    const struct cat_oracle *oracle;
    struct cat_args args;
    struct cat_shape shape;
    uint32_t *input, *expected;
    uint64_t words;
};

static void parse(struct made *made, const char *name, uint32_t scale)
{
    *made = (struct made){0};
    must(cat_case_parse(name, &made->which, &error));
    made->oracle = made->which.test->oracle;
    made->args =
        (struct cat_args){.subgroup = made->which.subgroup, .scale = scale, .which = &made->which};
    made->args.workgroup = cat_value(&made->args, "workgroup");
}

static void size_up(struct made *made, const char *name, uint32_t scale)
{
    parse(made, name, scale);
    if (made->args.workgroup < made->args.subgroup)
        made->args.workgroup = made->args.subgroup;
    if (!cat_oracle_shape(made->oracle, &made->args, &made->shape, &error))
        fail_msg("%s: %s", name, error.message);
}

static void expect(struct made *made)
{
    cat_oracle_expect(made->oracle, &made->args, &made->shape, made->input, made->expected);
}

static void make(struct made *made, const char *name, uint32_t scale)
{
    size_up(made, name, scale);
    made->words = made->shape.instances * made->shape.words_per_instance;
    made->input = lit_alloc(made->shape.input_words, sizeof(uint32_t));
    made->expected =
        lit_alloc(made->words * cat_check_stride(made->oracle->check), sizeof(uint32_t));
    cat_oracle_input(made->oracle, &made->args, &made->shape, 7, made->input);
    expect(made);
}

static void drop(struct made *made)
{
    free(made->input);
    free(made->expected);
}

#define MATRIX(test)                                                                               \
    "sync-matrix." test ",sync=none,reconvergence=default,pressure=none@workgroup=128,"            \
    "elected=last,iterations=16,weight=16,subgroup="
#define TAIL(tail)                                                                                 \
    "loop.tail/tail=" tail ",sync=none,reconvergence=default,pressure=none@workgroup=128,"         \
    "elected=last,workers=1,iterations=16,subgroup=32"
#define DESYNC                                                                                     \
    "loop.desync/sync=none,exchange=up,reconvergence=default,store=each,pressure=none@"            \
    "workgroup=128,elected=last,iterations=16,weight=16,subgroup="
#define LONG_LOOP "barrier.long-loop/form=one@workgroup=64,iterations=100000,subgroup=32"
#define SCAN_LOOP                                                                                  \
    "shuffle.scan-loop/sync=none,reconvergence=default,form=variables,op=seven,mode=inclusive,"    \
    "access=descriptor,pressure=none@workgroup=64,subgroup="
#define LEVELS                                                                                     \
    "scan.levels/mode=reduce,levels=two,form=native,barriers=all,sync=none,"                       \
    "reconvergence=default,pressure=none@"
#define BLELLOCH "scan.blelloch/barriers=each-level,memory-model=glsl@workgroup=64,subgroup=8"
#define SUBGROUP_SCAN(axes, subgroup)                                                              \
    "scan.subgroup/" axes ",form=native,sync=none,reconvergence=default,pressure=none@"            \
    "workgroup=64,last-lane=last,items=4,subgroup=" subgroup
#define VECTOR_SUM(type)                                                                           \
    "scan.vector-sum/type=" type ",load=vector,form=native,barriers=all,pressure=none@"            \
    "workgroup=128,last-lane=last,elements=4096,subgroup=32"
#define LOOKBACK(encoding, elements)                                                               \
    "lookback.scan/encoding=" encoding ",memory-model=glsl,walk=lane,reconvergence=default,"       \
    "pressure=none@workgroup=128,elements=" elements ",subgroup=32"

#define MEMORY(test)                                                                               \
    "memory." test ",place=buffer,memory-model=vulkan@workgroup=256,times=1,stride=1,step=4099,"   \
    "subgroup=32"
#define WHILE_BREAK "reconvergence.while-break/reconvergence="

TEST(sizes_without_sense_are_refused)
{
    static const struct {
        const char *name, *message;
        uint32_t scale;
    } rows[] = {
        {"barrier.memory-is-no-rendezvous/"
         "order=acquire,chosen=first@workgroup=128,rounds=16,subgroup=128",
         "the test needs workgroup > lanes", 1},
        {"broadcast.id/read=broadcast-constant,flow=uniform,source=active,sync=none,"
         "reconvergence=default,pressure=none@workgroup=128,source-lane=last,iterations=16,"
         "subgroup=1",
         "subgroups of 1 lanes: the test needs 2 or more", 1},
        {DESYNC "1", "subgroups of 1 lanes: the test needs 2 or more", 1},
        {"progress.handover/between=subgroups,waiter=low,waits=taken@workgroup=128,polls=4096,"
         "subgroup=128",
         "the test needs", 1},
        {"progress.spin-lock/form=in-loop,contenders=subgroups@workgroup=128,polls=4096,"
         "subgroup=128",
         "a lock with a single contender is not contended", 1},
        {"progress.linked-list/form=retry,behind=one@workgroup=128,polls=4096,subgroup=2",
         "subgroups of 2 lanes: the test needs 4 or more", 1},
        {LEVELS "workgroup=128,last-lane=last,subgroup=4",
         "128 invocations cannot share 64 elements", 8},
        {SCAN_LOOP "128", "64 invocations cannot share 1024 elements in subgroups of 128", 1},
        {"shuffle.operations/op=clustered,operand=constant,value=shuffle,reconvergence=default,"
         "pressure=none@workgroup=64,distance=1,cluster=8,subgroup=4",
         "a subgroup of 4 lanes has no cluster of 8", 2},
        {MATRIX("quad/op=swap-diagonal") "2", "subgroups of 2 lanes: the test needs 4 or more", 1},
        {MATRIX("shuffle/op=rotate-clustered") "2",
         "subgroups of 2 lanes: the test needs 4 or more", 1},
        {MATRIX("vote/op=any") "1", "subgroups of 1 lanes: the test needs 2 or more", 1},
        {"divergence.reconverge/place=if@workgroup=64,subgroup=2",
         "subgroups of 2 lanes: the test needs 4 or more", 1},
        {MEMORY("store-buffering/sides=device,order=barrier"), "no powers of two", 3},
        {WHILE_BREAK "default,entry=workgroup@workgroup=64,subgroup=128",
         "a workgroup of 64 is not a whole number of subgroups of 128", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made made;
        parse(&made, rows[i].name, rows[i].scale);
        must_fail(rows[i].message, cat_oracle_shape(made.oracle, &made.args, &made.shape, &error));
    }
}

TEST(places_have_names)
{
    static const struct {
        const char *name;
        uint64_t instance, word;
        const char *place;
    } rows[] = {
        {"barrier.subgroup-in-branch/barrier=subgroup,chosen=last@workgroup=128,rounds=16,"
         "subgroup=32",
         2, 97, "lane 1, subgroup 3 of workgroup 2"},
        {LONG_LOOP, 1, 6, "number of iterations, lane 3, subgroup 1"},
        {LONG_LOOP, 1, 7, "result, lane 3, subgroup 1"},
        {"broadcast.compaction/exchange=broadcast-first,flow=uniform,sync=none,"
         "reconvergence=default,pressure=none@workgroup=128,iterations=16,subgroup=32",
         6, 319, "place 319, subgroup 2 of workgroup 1"},
        {"broadcast.match/form=leave,reconvergence=default,pressure=none@workgroup=128,values=4,"
         "subgroup=32",
         6, 4 * 31 + 2, "word 2 of the mask of lane 31, subgroup 2 of workgroup 1"},
        {"cases.offload-test-suite-480/choice=switch@workgroup=128,subgroup=32", 6, 3 * 31 + 2,
         "lane 31, result 2, subgroup 2 of workgroup 1"},
        {"cases.vello-10-nv-bug-3/layout=structs,barriers=both,form=ssa@workgroup=64,subgroup=32",
         2, 12 * 50 + 5, "invocation 50, result 5, workgroup 2"},
        {LOOKBACK("word64", "1000"), 0, 512 + 33 * 4 + 2,
         "element 646: tile 1 of 2, subgroup 1, lane 1, item 2"},
        {LOOKBACK("word64", "1000"), 0, 1000, "guard word 0 behind the output"},
        {"lookback.order/tiles=id@workgroup=64,groups=4,subgroup=8", 0, 3, "tile 3 of 12"},
        {"lookback.fallback/fallback=lane,insert=max@workgroup=64,withheld=8,elements=2001,"
         "subgroup=8",
         0, 64 * 3 + 17, "element 209: tile 3 of 32, subgroup 2, lane 1"},
        // The second subgroup's elements of a tile begin behind the 4 rows of 8 of the first.
        {"lookback.levien-2020/access=plain,form=ssa@workgroup=64,rows=4,elements=3001,subgroup=8",
         0, 256 + 32 + 8 * 3 + 5, "element 317: tile 1 of 12, subgroup 1, row 3, lane 5"},
        {DESYNC "32", 6, 9 * 32 + 31, "lane 31, iteration 9, subgroup 2 of workgroup 1"},
        {DESYNC "32", 6, 16 * 32 + 9, "tail of iteration 9, subgroup 2 of workgroup 1"},
        {TAIL("atomic-buffer"), 6, 16 * 32, "what the tails came to, subgroup 2 of workgroup 1"},
        {"progress.linked-list/form=retry,behind=one@workgroup=128,polls=4096,subgroup=32", 6, 2,
         "nodes back, subgroup 2 of workgroup 1"},
        {"progress.chain/order=ticket@workgroup=64,workgroups=16,polls=4096,subgroup=32", 0, 3,
         "link 3 of 16"},
        {BLELLOCH, 0, 64 + 9, "element 73, stored by lane 1 of subgroup 1"},
        {"scan.hillis-steele/barriers=double,step=branch,element=struct,memory-model=glsl@"
         "workgroup=64,subgroup=8",
         0, 9 * 12 + 5, "subgroup 1, lane 1, word 5 of the struct"},
        {LEVELS "workgroup=64,last-lane=last,subgroup=8", 0, 64 + 9, "round 1, subgroup 1, lane 1"},
        {"scan.workgroup/mode=inclusive,operation=native,items=4,sync=none,totals=first,"
         "reconvergence=default,pressure=none@workgroup=64,subgroup=32",
         0, 33 * 4 + 2, "subgroup 1, lane 1, item 2"},
        {SUBGROUP_SCAN("mode=inclusive,operation=add,type=u64", "32"), 0, 2 * (129 + 9) + 1,
         "round 1, lane 2, item 1"},
        {SUBGROUP_SCAN("mode=inclusive,operation=add,type=u64", "32"), 0, 2 * 128,
         "round 0, the total that the last lane stored"},
        {"scan.vector-sum-grid/combine=partials,order=acquire-release,handover=buffers,"
         "memory-model=glsl,pressure=none@workgroup=128,last-lane=last,elements=512,subgroup=32",
         0, 1, "guard word 0 behind the sum"},
        {SCAN_LOOP "32", 4 * 3 + 1, 9 * 64 + 63,
         "lane 31 of subgroup 1, iteration 9, operation mul, workgroup 1"},
        {"shuffle.chain/op=up,operand=constant,length=16,form=straight,sync=none,pressure=none@"
         "workgroup=128,distance=1,subgroup=4",
         33, 7, "lane 3, step 1, subgroup 1 of workgroup 1"},
        {MATRIX("vote/op=all") "32", 6, 9 * 32 + 31,
         "lane 31, iteration 9, subgroup 2 of workgroup 1"},
        {WHILE_BREAK "default,entry=workgroup@workgroup=128,subgroup=64", 0,
         (40 * 18 + 8 + 3) * 4 + 1, "lane 40, B, iteration 3, lanes 32 to 63"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made made;
        char text[128];
        size_up(&made, rows[i].name, 3);
        const struct cat_failure failure = {.instance = rows[i].instance, .word = rows[i].word};
        cat_oracle_where(made.oracle, &made.args, &made.shape, &failure, text, sizeof text);
        assert_string_equal(text, rows[i].place);
    }
}

TEST(a_wrong_word_has_a_name)
{
    static const char kinds[] = "shuffle.barrier-kinds/barrier=none,place=each,pressure=none@"
                                "workgroup=128,elected=last,iterations=16,subgroup=32";
    static const char types[] = "shuffle.types/op=shuffle,type=u64,width=scalar,pressure=none@"
                                "workgroup=64,cluster=4,subgroup=32";
    static const struct {
        const char *name;
        uint64_t word;
        uint32_t got;
        const char *outcome;
    } rows[] = {
        {DESYNC "32", 9 * 32 + 31, 0x5A000000 + 0x81E, "stale by 1"},
        {DESYNC "32", 9 * 32 + 31, 0x5A000000 + 0xA1E, "ahead by 1"},
        {DESYNC "32", 9 * 32 + 31, 0x5A000000 + 0x91F, "wrong lane"},
        {TAIL("shared"), 9 * 32, 0x5A000000 + 0xB1F, "ahead by 2"},
        {kinds, 9 * 32 + 1, 0x5A000000 + 0x91E, "wrong lane"},
        // Tails: an addition that is lost, a store that is lost, the number of another iteration.
        {TAIL("shared"), 16 * 32 + 9, 0, "zero"},
        {TAIL("shared"), 16 * 32 + 9, CAT_POISON, "never written"},
        {TAIL("shared"), 16 * 32, 0x5A000000 + 0x1E, "wrong lane"},
        {TAIL("atomic-buffer"), 16 * 32, 12345, "not a tag"},
        {TAIL("atomic-buffer"), 2 * (16 * 32 + 1) - 1, 12345, "not a tag"},
        {types, 1, 77, "wrong"}, // the upper half
        {types, 2, 77, "wrong"}, // a word that nobody may write
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made made;
        make(&made, rows[i].name, 3);
        const enum cat_check mode = made.oracle->check;
        assert_string_equal(
            cat_outcome_name(mode, cat_classify(mode, rows[i].got, &made.expected[rows[i].word])),
            rows[i].outcome);
        drop(&made);
    }
}

// What an instance saw of another, by the word that it stored; of the numbers that can be stored
// one fails, or none where nothing is forbidden by the words alone.
TEST(what_was_seen_has_a_name)
{
    enum { REPORT = 0x300, WORDS = 5 };
    static const uint32_t bits[WORDS] = {0, 1, 2, 3, 77};
    static const uint32_t reports[WORDS] = {REPORT, REPORT + 1, REPORT + 2, REPORT + 3, 0x501};
    // What a piece found of the other at its beginning, and from bit 2 on at its end.
    static const uint32_t orders[WORDS] = {0, 3 | 3 << 2, 1 << 2, 1 | 3 << 2, 3 << 2};
    static const uint32_t groups[WORDS] = {1, 2, 8, 6, 7}, fewer[WORDS] = {1, 2, 6, 8, 7};
    static const struct {
        const char *name;
        uint32_t poison;
        const uint32_t *words;
        const char *outcomes[WORDS];
        unsigned fails; // bit i: outcomes[i]
    } rows[] = {
        {MEMORY("message-passing/sides=device,scope=exact,order=release-acquire,data=atomic"),
         0,
         bits,
         {"neither", "flag without data", "data only", "flag and data", "something else"},
         1 << 1 | 1 << 4},
        {"memory.scope-chain/scopes=device,data=plain@workgroup=256,times=1,stride=1,step=4099,"
         "subgroup=32",
         0,
         bits,
         {"neither", "flag without data", "data only", "flag and data", "something else"},
         1 << 1 | 1 << 4},
        {"memory.coherence/"
         "sides=device,address=computed,place=buffer,memory-model=vulkan,cure=none@"
         "workgroup=256,times=1,stride=1,step=4099,subgroup=32",
         0,
         bits,
         {"old twice", "new, then old", "old, then new", "new twice", "something else"},
         1 << 1 | 1 << 4},
        {MEMORY("coherence-own/sides=device,pattern=write-read"),
         0,
         bits,
         {"against program order", "as without the other", "the other's store", "something else",
          "something else"},
         1 << 0 | 1 << 3 | 1 << 4},
        {MEMORY("coherence-own/sides=device,pattern=read-write"),
         0,
         bits,
         {"as without the other", "against program order", "the other's store", "something else",
          "something else"},
         1 << 1 | 1 << 3 | 1 << 4},
        {MEMORY("store-buffering/sides=device,order=barrier"),
         CAT_POISON,
         reports,
         {"neither saw", "only the first saw", "only the second saw", "both saw", "something else"},
         1 << 0 | 1 << 4},
        {MEMORY("load-buffering/sides=device,order=barrier"),
         CAT_POISON,
         reports,
         {"neither saw", "only the first saw", "only the second saw", "both saw", "something else"},
         1 << 3 | 1 << 4},
        {"divergence.sides/observer=ticket,layout=true-first@workgroup=64,taken=1,lowest=0,"
         "subgroup=4",
         CAT_POISON + REPORT,
         orders,
         {"true side first", "false side first", "by turns, true side first",
          "by turns, false side first", "something else"},
         0},
        {"divergence.loop-exit@workgroup=64,taken=last,lowest=1,subgroup=8",
         CAT_POISON + REPORT,
         orders,
         {"exit first", "back edge first", "by turns, exit first", "by turns, back edge first",
          "something else"},
         0},
        {"divergence.reconverge/place=if@workgroup=64,subgroup=8",
         CAT_POISON,
         groups,
         {"together", "in two groups", "one by one", "something else", "something else"},
         0},
        {"divergence.reconverge/place=broken-if@workgroup=64,subgroup=8",
         CAT_POISON,
         fewer,
         {"together", "in two groups", "one by one", "something else", "something else"},
         0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made made;
        make(&made, rows[i].name, 4);
        const struct cat_mode mode = cat_mode_of(made.oracle);
        const uint32_t *last = made.expected + (made.words - 1) * cat_check_stride(mode.check);
        for (size_t j = 0; j < WORDS; j++) {
            const uint32_t outcome =
                cat_classify(mode.check, rows[i].poison + rows[i].words[j], last);
            assert_string_equal(cat_mode_name(&mode, outcome), rows[i].outcomes[j]);
            assert_int_equal(cat_mode_fails(&mode, outcome), rows[i].fails >> j & 1);
        }
        const uint32_t unwritten = cat_classify(mode.check, CAT_POISON, last);
        assert_int_equal(unwritten, CAT_NEVER_WRITTEN);
        assert_true(cat_mode_fails(&mode, unwritten));
        drop(&made);
    }
}

// A kernel writes behind a state that is too small.
TEST(the_state_is_as_large_as_the_kernel_needs)
{
    static const struct {
        const char *name;
        uint64_t words;
    } rows[] = {
        {LOOKBACK("word64", "1000"), 2 + 2 * 2}, // two tiles
        {LOOKBACK("word32", "1000"), 2 + 2 * 1},
        {LOOKBACK("flag-payload", "1000"), 2 + 2 * 4},
        {LOOKBACK("split", "1000"), 2 + 2 * 2},
        {LOOKBACK("word32", "0"), 2},
        {"lookback.order/tiles=ticket@workgroup=64,groups=12,subgroup=8", 2 + 8 * 12},
        {"lookback.fallback/fallback=workgroup,insert=max@workgroup=64,withheld=8,elements=2001,"
         "subgroup=8",
         2 + 32},
        {"lookback.levien-2020/access=atomic,form=ssa@workgroup=256,rows=16,elements=30011,"
         "subgroup=8",
         4 + 8 * 4},
        {"lookback.levien-2021/memory-model=vulkan,barriers=two@workgroup=64,elements=2001,"
         "subgroup=8",
         4 + 32 * 4},
        {"broadcast.versus-shuffle/exchange=broadcast-first,flow=uniform,sync=none,"
         "reconvergence=default,pressure=none@workgroup=128,elected=0,iterations=16,subgroup=32",
         1 + 8 * 4},
        {"cases.acceleratedkernels-98/order=fenced@workgroup=64,subgroup=32", 1 + 2 * 8 * 64},
        {"scan.vector-sum-grid/combine=partials,order=acquire-release,handover=buffers,"
         "memory-model=glsl,pressure=none@workgroup=128,last-lane=last,elements=4096,subgroup=32",
         3 + 8},
        {"progress.chain/order=ticket@workgroup=64,workgroups=16,polls=4096,subgroup=32", 2 + 16},
        {"progress.spin-lock/form=in-loop,contenders=lanes@workgroup=128,polls=4096,subgroup=32",
         1 + 2 * 8 * 4},
        {"progress.linked-list/form=retry,behind=one@workgroup=128,polls=4096,subgroup=32",
         1 + 8 * 4 * 3 * 37},
        {MEMORY("store-buffering/sides=device,order=barrier"), 2 + 2 * 8 * 256},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made made;
        size_up(&made, rows[i].name, 8);
        if (made.shape.state_words != rows[i].words)
            fail_msg("%s: %u words", rows[i].name, (unsigned)made.shape.state_words);
    }
}

// As large as the device allows: by its buffers, or by the workgroups of a dispatch.
TEST(the_largest_fits)
{
    static const struct {
        uint64_t words, buffer;
        uint32_t workgroups, elements;
    } devices[] = {
        {0, 1u << 27, 0, (1u << 25) - 64}, // not asked: Vulkan's minimum
        {(1u << 30) - 1, UINT32_MAX, INT32_MAX, (1u << 30) - 65},
        {(1u << 30) - 1, UINT32_MAX, 65535, 65535u * 4096},
        {UINT64_C(1) << 40, UINT64_C(1) << 42, UINT32_MAX, INT32_MAX},
    };
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct made made;
        parse(&made,
              "lookback.scan/encoding=word64,memory-model=glsl,walk=lane,reconvergence=default,"
              "pressure=none@workgroup=1024,elements=largest,subgroup=32",
              256);
        made.args.most_words = devices[i].words;
        made.args.most_workgroups = devices[i].workgroups;
        assert_true(cat_oracle_shape(made.oracle, &made.args, &made.shape, &error));
        assert_int_equal(made.shape.elements, devices[i].elements);
        assert_int_equal(made.shape.workgroups, (devices[i].elements + UINT64_C(4095)) / 4096);
        const struct dev_facts facts = {.max_storage_buffer = devices[i].buffer,
                                        .max_workgroups =
                                            devices[i].workgroups ? devices[i].workgroups : 65535};
        must(dev_shape_fits(&facts, CAT_CHECK_EQUAL, &made.shape, &error));
        made.args.scale = 8;
        must_fail_as("more than 1048576 elements take a CPU too long",
                     cat_oracle_shape(made.oracle, &made.args, &made.shape, &error));
    }
}

// ---- inputs

static float number(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static float combine(const char *op, float a, float b)
{
    volatile float result = !strcmp(op, "add")   ? a + b
                            : !strcmp(op, "mul") ? a * b
                            : !strcmp(op, "min") ? fminf(a, b)
                                                 : fmaxf(a, b);
    return result;
}

static float in_a_tree(const char *op, const uint32_t *words, uint64_t count)
{
    return count == 1 ? number(*words)
                      : combine(op, in_a_tree(op, words, count / 2),
                                in_a_tree(op, words + count / 2, count - count / 2));
}

static float one_after_the_other(const char *op, const uint32_t *words, uint64_t count)
{
    float value = number(*words);
    for (uint64_t i = 1; i < count; i++)
        value = combine(op, value, number(words[i]));
    return value;
}

// `quantum`: the result is stored as a number of these; 0: as it is.
static void assert_any_order(const char *op, const uint32_t *words, uint64_t count, uint32_t want,
                             uint32_t quantum)
{
    static const int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < 8; i++) {
        fesetround(directions[i % 4]);
        const float value =
            i < 4 ? in_a_tree(op, words, count) : one_after_the_other(op, words, count);
        fesetround(FE_TONEAREST);
        if (quantum)
            assert_int_equal((uint32_t)(value / (float)quantum), want);
        else
            assert_true(value == number(want));
    }
}

// The order of float operations is open: each gives the same result.
TEST(sums_of_floats_do_not_depend_on_the_order)
{
    static const struct {
        const char *op, *name;
    } rows[] = {
        {"add", SUBGROUP_SCAN("mode=inclusive,operation=add,type=f32-rounded", "128")},
        {"add", SUBGROUP_SCAN("mode=inclusive,operation=add,type=f32", "128")},
        {"mul", SUBGROUP_SCAN("mode=inclusive,operation=mul,type=f32", "128")},
        {"min", SUBGROUP_SCAN("mode=inclusive,operation=min,type=f32", "128")},
        {"max", SUBGROUP_SCAN("mode=inclusive,operation=max,type=f32", "128")},
        {"add", VECTOR_SUM("f32")},
        {"add", VECTOR_SUM("f32-rounded")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made made;
        make(&made, rows[i].name, 4);
        const bool rounded = strstr(rows[i].name, "rounded") != NULL;
        const bool scans = made.shape.words_per_instance > 1;
        for (uint64_t row = 0; row < 4; row++) {
            const uint64_t length = scans ? 512 : 4096, at = row * (scans ? length + 1 : length);
            for (uint64_t n = scans ? 1 : length; n <= length; n += n % 37 ? 1 : 36)
                assert_any_order(rows[i].op, made.input + at, n,
                                 made.expected[scans ? at + n - 1 : row],
                                 rounded ? (scans ? 1 : 64) : 0);
        }
        drop(&made);
    }
}

// Each exact sum of rounded numbers is farther from a multiple of the unit than roundings move it;
// and additions do round.
TEST(rounded_sums_stay_clear)
{
    static const struct {
        const char *name;
        uint64_t length, stride;
        double quantum;
    } rows[] = {
        {SUBGROUP_SCAN("mode=inclusive,operation=add,type=f32-rounded", "128"), 512, 513, 1},
        {VECTOR_SUM("f32-rounded"), 4096, 4096, 64},
    };
    for (size_t i = 0; i < 2; i++) {
        struct made made;
        make(&made, rows[i].name, 4);
        unsigned rounded = 0;
        for (uint64_t row = 0; row < 4; row++) {
            double sum = 0;
            float in_floats = 0;
            for (uint64_t n = 0; n < rows[i].length; n++) {
                const float item = number(made.input[row * rows[i].stride + n]);
                assert_true(item >= 0 && item < 64);
                sum += (double)item;
                in_floats += item;
                rounded += (double)in_floats != sum;
                const double bound = (pow(1 + 0x1p-23, (double)n) - 1) * sum;
                const double rest = fmod(sum, rows[i].quantum);
                if (rows[i].quantum == 1 || n == rows[i].length - 1)
                    assert_true(rest > bound && rows[i].quantum - rest > bound);
            }
        }
        assert_true(rounded > 1000);
        drop(&made);
    }
}

static void check_lanes(const struct cat_case *which, void *user)
{
    OWNED(text_free) struct text name = {0};
    struct made made;
    uint32_t taken[2] = {0}, speakers[2] = {0};
    cat_case_name(which, &name);
    make(&made, name.data, 2);
    for (uint32_t lane = 0; lane < which->subgroup; lane++) {
        assert_true(made.input[lane] < 4);
        taken[made.input[lane] & 1]++;
        speakers[made.input[lane] & 1] += made.input[lane] >> 1;
    }
    assert_int_equal(taken[1], cat_value(&made.args, "taken"));
    assert_int_equal(taken[0] + taken[1], which->subgroup);
    assert_true(speakers[0] == 1 && speakers[1] == 1);
    assert_int_equal(made.input[0] & 1, cat_value(&made.args, "lowest"));
    drop(&made);
}

TEST(each_piece_has_one_speaker)
{
    for (uint32_t size = 4; size <= 64; size *= 2) {
        cat_test_each(cat_test_find("divergence.sides"), size, check_lanes, NULL);
        cat_test_each(cat_test_find("divergence.loop-exit"), size, check_lanes, NULL);
    }
}

TEST(words_of_reconvergence)
{
    unsigned entered = 0, selectors = 0;
    for (uint64_t instance = 0; instance < 64; instance++) {
        const uint32_t enters = reconvergence_word(3, instance, 0, 32) >> 31;
        entered += enters;
        for (uint32_t lane = 0; lane < 32; lane++) {
            const uint32_t word = reconvergence_word(3, instance, lane, 32);
            assert_true((word & 15) <= 8 && (word >> 25 & 7) <= 4 && word >> 31 == enters);
            selectors |= 1u << (word >> 25 & 7);
        }
    }
    assert_in_range(entered, 32, 60);
    assert_int_equal(selectors, 0x1f);
    // The pattern of the first instance: every other lane has A, every fourth Y.
    assert_int_equal(reconvergence_word(3, 0, 2, 32) >> 8 & 0xff, 0);
    assert_int_equal(reconvergence_word(3, 0, 3, 32) >> 8 & 0x1ffff, 0x1ffff);
    assert_int_equal(reconvergence_word(3, 0, 5, 32) >> 8 & 0x1ffff, 0xff);
    // The second: all alike.
    assert_int_equal(reconvergence_word(3, 1, 9, 32), reconvergence_word(3, 1, 30, 32));
}

// One of two subgroups enters: only the rule for subgroups brings its lanes together.
TEST(entered_by_one_subgroup)
{
    enum { AFTER = 17, OUTSIDE = 18 };
    static const char *const names[] = {WHILE_BREAK
                                        "default,entry=subgroup@workgroup=64,subgroup=2",
                                        WHILE_BREAK "subgroup-uniform,entry=subgroup@workgroup=64,"
                                                    "subgroup=2",
                                        WHILE_BREAK "maximal,entry=subgroup@workgroup=64,"
                                                    "subgroup=2"};
    const uint32_t enters = 1u << 31, splits = 2 | 3 << 8;
    for (size_t rule = 0; rule < 2 + HAS_MAXIMAL; rule++) {
        struct made made;
        make(&made, names[rule], 2);
        memset(made.input, 0, 64 * sizeof *made.input);
        made.input[0] = enters | splits;
        made.input[1] = enters;
        expect(&made);
        const uint64_t lane = made.shape.words_per_instance / 2 * 4;
        const uint32_t *cell = made.expected + AFTER * 16;
        assert_int_equal(cat_classify(CAT_CHECK_MASK, 0x3, cell), CAT_RIGHT);
        assert_int_equal(cat_outcome_fails(CAT_CHECK_MASK, cat_classify(CAT_CHECK_MASK, 0x1, cell)),
                         rule != 0);
        assert_true(cat_outcome_fails(
            CAT_CHECK_MASK, cat_classify(CAT_CHECK_MASK, 0x1, made.expected + OUTSIDE * 16)));
        assert_int_equal(cell[2 * lane], CAT_POISON); // of the second subgroup
        drop(&made);
    }
}

// A result that stays the same for long would hide a missing or repeated element.
TEST(scans_keep_changing)
{
    struct made made;
    make(&made, SCAN_LOOP "32", 2);
    for (uint64_t i = 0; i < made.shape.instances; i++) {
        const uint32_t *words = made.expected + i * 1024;
        uint32_t changes = 0;
        for (uint32_t place = 1; place < 1024; place++)
            changes += words[place] != words[place - 1];
        const uint64_t operation = i / 2; // and, xor, or, add, mul, min, max
        assert_true(changes >= (operation == 1 || operation == 3 || operation == 4 ? 1022 : 1));
    }
    drop(&made);
}

// A float's word stands for a normal number; that of a half for one that 16 bits can hold.
static void check_float(const struct cat_args *args, uint32_t word, bool high)
{
    const float size = fabsf(number(word));
    if (cat_axis_is(args, "type", "f32"))
        assert_true(isnormal(size));
    if (cat_axis_is(args, "type", "number16"))
        assert_in_range(word, 0, 2048);
    if (cat_axis_is(args, "type", "number32"))
        assert_in_range(word, 0, 1 << 24);
    if (cat_axis_is(args, "type", "f64") && high)
        assert_in_range(word >> 20 & 0x7ff, 1, 2046);
    if (cat_axis_is(args, "type", "f16"))
        assert_true(size >= 0x1p-14f && size <= 65504.0f && (word & 0x1fff) == 0);
}

static void check_types(const struct cat_case *which, void *user)
{
    struct cat_args args = {
        .subgroup = which->subgroup, .workgroup = 64, .scale = 2, .which = which};
    struct cat_shape shape;
    assert_true(cat_oracle_shape(which->test->oracle, &args, &shape, &error));
    OWNED(lit_free) uint32_t *input = lit_alloc(shape.input_words, sizeof *input);
    cat_oracle_input(which->test->oracle, &args, &shape, 9, input);
    for (uint32_t i = 0; i < shape.input_words - shape.elements; i++)
        check_float(&args, input[shape.elements + i], i % 2);
    ++*(size_t *)user;
}

TEST(floats_arrive_whole)
{
    size_t checked = 0;
    cat_test_each(cat_test_find("shuffle.types"), 8, check_types, &checked);
    assert_true(checked > 100);
}

// The elected lane takes part in iteration i with its number of the one before: somebody's result
// shows it. The sums of tails behind the iterations do not count.
static bool shows_late(const struct made *made, uint32_t i, uint32_t elected)
{
    const uint32_t lanes = made->args.subgroup;
    uint32_t *number = &made->input[i * lanes + elected], kept = *number, shows = 0;
    OWNED(lit_free) uint32_t *other = lit_alloc(made->words, sizeof *other);
    *number = made->input[(i - 1) * lanes + elected];
    cat_oracle_expect(made->oracle, &made->args, &made->shape, made->input, other);
    *number = kept;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint32_t of = i - (lane == elected);
        shows |= other[i * lanes + lane] != made->expected[of * lanes + lane];
    }
    return shows;
}

static void check_sensitivity(const struct cat_case *which, void *user)
{
    OWNED(text_free) struct text name = {0};
    struct made made;
    cat_case_name(which, &name);
    const struct cat_args args = {.subgroup = which->subgroup, .which = which};
    // Tags name the iteration; and who is elected does not depend on it.
    const bool sums =
        which->test->oracle->check == CAT_CHECK_EQUAL && !cat_axis_is(&args, "op", "elect");
    if (sums && cat_axis_is(&args, "sync", "none") &&
        cat_axis_is(&args, "reconvergence", "default") && cat_axis_is(&args, "pressure", "none") &&
        cat_value(&args, "iterations") == 16 && cat_value(&args, "weight") == 16) {
        make(&made, name.data, 1);
        uint32_t late = 0;
        for (uint32_t i = 1; i < 16; i++)
            late += shows_late(&made, i, cat_value(&made.args, "elected"));
        if (late < 3)
            fail_msg("%s: of 15 iterations only %u show a lane that is late", name.data, late);
        drop(&made);
        ++*(size_t *)user;
    }
}

TEST(a_late_lane_shows)
{
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        size_t checked = 0;
        if (strcmp(test->head.family, "sync-matrix") || !strcmp(test->head.test, "shapes"))
            continue;
        cat_test_each(test, 8, check_sensitivity, &checked);
        cat_test_each(test, 128, check_sensitivity, &checked);
        assert_true(checked > 0 || test->oracle->check == CAT_CHECK_TAG);
    }
}
