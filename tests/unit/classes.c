// SPDX-License-Identifier: Apache-2.0
// Which class configurations have, and on which rules of docs/spec.md it rests: those that were
// once of another class, or are of the same shape as one that was.
#include "unit.h"

#include "base/spirv.h"
#include "base/text.h"
#include "catalogue/catalogue.h"

#define F  CAT_FORBIDDEN
#define C  CAT_CONTESTED
#define A  CAT_ASSUMED
#define K  CAT_CONTROL
#define UF "uniform-flow,tangled-wait"
#define SP "same-path,tangled-wait"
#define PR "partial-reconvergence"
#define RA "silent-glsl450-release-acquire"
#define FA "silent-float-group-add"

// All configurations whose names a pattern matches.
static const struct expected {
    const char *pattern;
    enum cat_expectation expectation;
    const char *by;
} rows[] = {
    {"shuffle.scan-loop/sync=none,*", F, UF},
    {"shuffle.scan-loop/sync=memory-once,*", F, UF},
    {"shuffle.scan-loop/sync=control-each,*", F, UF},
    {"shuffle.barrier-kinds/*", F, UF},
    {"shuffle.branch/place=after,*", F, UF},
    {"shuffle.branch/place=nested,source=active,*", F, SP},
    {"shuffle.branch/*source=inactive,*", K, "undefined-inactive"},
    {"builtins.invocation/what=linear,*", A, "subgroup-membership"},
    {"builtins.invocation/what=masks,*", F, "built-ins"},
    {"loop.carried/*after=own,*", F, SP},
    {"loop.carried/*after=neighbour,*", F, "uniform-flow,same-path,tangled-wait"},
    {"loop.leaving/op=mul,*reconvergence=maximal*", F, "maximal,tangled-wait"},
    {"loop.leaving/op=fadd,*reconvergence=maximal*", C, FA},
    {"loop.leaving/*,reconvergence=default*", A, PR},
    {"loop.desync/*", F, UF},
    {"loop.tail/*", F, UF},
    {"loop.form/*", F, UF},
    {"loop.trips/trips=uniform,*", F, UF},
    {"loop.trips/trips=divergent,tail=none,*", F, "same-path,tangled-wait,barrier-waits"},
    {"loop.trips/trips=divergent,tail=shared,*reconvergence=maximal*", F, "maximal,tangled-wait"},
    {"loop.trips/trips=divergent,tail=shared,*reconvergence=default*", A, PR},
    {"loop.trips/trips=subgroup,tail=shared,*reconvergence=default*", A, PR},
    {"loop.trips/trips=subgroup,tail=shared,*reconvergence=subgroup-uniform*", F,
     "subgroup-uniform,tangled-wait"},
    {"sync-matrix.arithmetic/*", F, UF},
    {"sync-matrix.ballot/*", F, UF},
    {"sync-matrix.broadcast/*", F, UF},
    {"sync-matrix.clustered/*", F, UF},
    {"sync-matrix.partitioned/*", F, UF ",instruction-result"},
    {"sync-matrix.quad/*", F, UF},
    {"sync-matrix.shapes/*shape=5x1x3*", F,
     "uniform-flow,tangled-wait,built-ins,barrier-waits,memory-barrier"},
    {"sync-matrix.shuffle/*", F, UF},
    {"sync-matrix.vote/*", F, UF},
    {"broadcast.id/*flow=uniform,*reconvergence=default*", F, UF},
    {"broadcast.versus-shuffle/*flow=uniform,*reconvergence=default*", F, UF},
    {"broadcast.compaction/*flow=uniform,*reconvergence=default*", F, UF},
    {"broadcast.compaction/*flow=divergent,*reconvergence=default*", A, PR},
    {"scan.subgroup/*type=u32,form=loop,*", F, UF},
    {"scan.subgroup/*type=u32,form=ssa,*", F, UF},
    {"scan.subgroup/*operation=add,type=f32-rounded,form=native,*", C, FA},
    {"scan.workgroup/*totals=first,*", F, "same-path,tangled-wait,barrier-waits,memory-barrier"},
    {"scan.levels/*barriers=all,*", F,
     "same-path,uniform-flow,tangled-wait,barrier-waits,memory-barrier"},
    {"scan.shapes/*shape=7x13*", F,
     "uniform-flow,tangled-wait,built-ins,barrier-waits,memory-barrier"},
    {"shuffle.quad-votes/*flow=branch*", F, "quad-votes,same-path"},
    {"shuffle.descriptors/index=own,*", F, "descriptor-index,same-path,tangled-wait"},
    {"shuffle.descriptors/index=first,*", A, "older-descriptor-index"},
    {"shuffle.descriptors/index=workgroup,*", F, "descriptor-index,same-path,tangled-wait"},
    {"shuffle.descriptors/index=undecorated,*", K, "undecorated-index"},
    {"matrix.layout/*before=branch*", F, "matrix-layout,uniform-flow,barrier-waits,memory-barrier"},
    {"matrix.multiply-add/*type=f16*", C, "silent-matrix-precision"},
    {"matrix.multiply-add/*type=s8*", F,
     "matrix-integers,matrix-layout,uniform-flow,barrier-waits,memory-barrier"},
    {"scan.types/type=f16,op=add,*", C, FA},
    {"scan.types/type=f16,op=max,*", F, UF},
    {"scan.types/type=i64,*", F, UF},
    {"scan.vector-sum-grid/*order=acquire-release,handover=buffers,memory-model=glsl*", C, RA},
    {"scan.vector-sum-grid/*order=acquire-release,handover=buffers,memory-model=vulkan*", F,
     "happens-before"},
    {"memory.atomicity/op=float-add,*", F, "atomic-steps,exact-atomic-sums"},
    {"memory.atomicity/op=and-or,*", F, "atomic-steps"},
    {"memory.scope-chain/scopes=device-workgroup,*", F, "happens-before"},
    {"memory.scope-chain/scopes=workgroup,*", K, "scope-instance"},
    {"memory.write-after-read/between=control-barrier,*", F, "barrier-waits,memory-barrier"},
    {"memory.write-after-read/between=release-acquire,*memory-model=glsl*", C, RA},
    {"memory.write-after-read/between=release-acquire,*memory-model=vulkan*", F, "happens-before"},
    {"memory.write-after-read/between=rendezvous,*", A, "data-race"},
    {"memory.message-passing/*order=exchange,*memory-model=glsl*", C, RA},
    {"memory.message-passing/*order=exchange,*memory-model=vulkan*", F, "happens-before"},
    {"memory.message-passing/*order=release-acquire,*memory-model=glsl*", C, RA},
    {"memory.message-passing/*order=barrier,*memory-model=glsl*", F, "memory-barrier"},
    {"memory.message-passing/*order=control-barrier,*memory-model=glsl*", F, "memory-barrier"},
    {"memory.load-buffering/*order=release-acquire,*memory-model=glsl*", C, RA},
    {"memory.load-buffering/*order=barrier,*memory-model=glsl*", F, "happens-before,acyclicity"},
    {"lookback.levien-2020/access=atomic,*", C, RA},
    {"lookback.levien-2021/memory-model=atomic,barriers=two*", F, "memory-barrier"},
    {"lookback.scan/encoding=flag-payload,memory-model=glsl,*", C, RA},
    {"lookback.scan/encoding=word64,*walk=subgroup,reconvergence=default*", A, PR},
    {"cases.acceleratedkernels-98/order=fenced*", F, "memory-barrier"},
    {"cases.llama-cpp-28975/*barrier=memory,memory-model=glsl*", F, "memory-barrier,barrier-waits"},
    {"cases.igc-397/form=branch,*", F, UF},
    {"cases.offload-test-suite-480/choice=switch*", F, UF},
    {"cases.offload-test-suite-543/number=special*", K, "signed-zero"},
    {"cases.offload-test-suite-543/number=finite*", F, SP},
    {"cases.dawn-487773864/word=same*", F, "instruction-result,barrier-waits"},
    {"cases.dawn-42240969/zeroed=declared*", F, "instruction-result"},
    {"cases.dawn-42240969/zeroed=stored*", F, "barrier-waits,memory-barrier"},
    {"cases.igc-819c415/*", F, "branch-decides"},
    {"cases.moltenvk-2750/*", F, "same-path,tangled-wait,full-subgroups"},
    {"cases.moltenvk-2757/sum=reduce*", C, FA},
    {"cases.moltenvk-2757/sum=shuffles*", F, SP},
    {"cases.nvidia-loop-exit-scan/*", F, SP},
    {"cases.nvidia-skipped-reduction/op=fadd,*", C, FA},
    {"loop-exit.reduction/op=add,*", F, UF},
    {"loop-exit.reduction/op=partitioned,*", F, UF ",instruction-result"},
};

struct looking {
    const struct expected *row;
    size_t found;
};

static void check(const struct cat_case *which, void *user)
{
    struct looking *looking = user;
    OWNED(text_free) struct text name = {0};
    cat_case_name(which, &name);
    if (text_glob(looking->row->pattern, name.data)) {
        const struct cat_rule *expect = cat_case_expect(which);
        looking->found++;
        if (expect->expectation != looking->row->expectation ||
            strcmp(expect->by ? expect->by : "", looking->row->by) != 0)
            fail_msg("%s: %s by %s", name.data, cat_expectation_name(expect->expectation),
                     expect->by ? expect->by : "nothing");
    }
}

TEST(configurations_have_their_classes)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct looking looking = {&rows[i], 0};
        char test[64] = "";
        strncat(test, rows[i].pattern, strcspn(rows[i].pattern, "/"));
        assert_non_null(cat_test_find(test));
        cat_test_each(cat_test_find(test), 32, check, &looking);
        if (looking.found == 0)
            fail_msg("'%s' matches nothing", rows[i].pattern);
    }
}

// A lane that is not there has no value: without full subgroups the test has nothing to say.
TEST(a_far_lane_needs_full_subgroups)
{
    const struct cat_test *test = cat_test_find("cases.moltenvk-2750");
    for (size_t i = 0; i < test->embedded->module_count; i++)
        assert_true(test->embedded->modules[i].features >> CAT_FEATURE_FULL_SUBGROUPS & 1);
}

// The instruction `opcode` that declares the type `id`; of size 0 if none does.
static struct spirv_instruction type_of(const uint32_t *words, size_t count, uint32_t opcode,
                                        uint32_t id)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count)
        if (each.opcode == opcode && spirv_operand(&each, 1, 0) == id)
            break;
    return each;
}

// Whether a module combines floats by an operation that has no precision: a group addition or
// multiplication, a product of matrices.
static bool rounds_freely(const uint32_t *words, size_t count)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count) {
        if (each.opcode == SpvOpGroupNonUniformFAdd || each.opcode == SpvOpGroupNonUniformFMul)
            return true;
        if (each.opcode != SpvOpCooperativeMatrixMulAddKHR)
            continue;
        const struct spirv_instruction matrix =
            type_of(words, each.at, SpvOpTypeCooperativeMatrixKHR, each.words[1]);
        if (type_of(words, each.at, SpvOpTypeFloat, spirv_operand(&matrix, 2, 0)).size)
            return true;
    }
    return false;
}

static void check_floats(const struct cat_case *which, void *user)
{
    const struct cat_module *module = cat_case_module(which);
    const bool *is_of = user; // for each module of the test
    if (module && is_of[module - which->test->embedded->modules] &&
        cat_case_expectation(which, NULL) == F) {
        struct text name = {0};
        cat_case_name(which, &name);
        fail_msg("%s is forbidden, and combines floats without a precision", name.data);
    }
}

// docs/spec.md, silent-float-group-add and silent-matrix-precision: one class wherever a test has
// such an operation, whatever the numbers.
TEST(no_unspecified_precision_is_forbidden)
{
    size_t tests = 0;
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        const struct cat_embedded *embedded = test->embedded;
        bool *is_of = calloc(embedded->module_count + 1, sizeof *is_of), any = false;
        assert_non_null(is_of);
        for (size_t m = 0; m < embedded->module_count; m++) {
            const struct cat_module *module = &embedded->modules[m];
            is_of[m] = rounds_freely(cat_module_words(test, module), module->count);
            any |= is_of[m];
        }
        for (size_t size = 0; any && size < 3; size++)
            cat_test_each(test, (const uint32_t[]){8, 32, 64}[size], check_floats, is_of);
        tests += any;
        free(is_of);
    }
    assert_true(tests >= 6); // seven where the assembler knows cooperative matrices
}
