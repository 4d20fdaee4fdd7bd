// SPDX-License-Identifier: Apache-2.0
// The setting check=...: faults planted in kernels are reported, with what they are in, and the
// same kernels without them are silent.
#include "dispatch.h"

#define ALL "subgroup=4,check=races,bounds,uninitialised,barriers"

// Workgroups of 8 with a word of Workgroup memory for each; %own is the invocation's.
#define KERNEL                                                                                     \
    "$kernel 8\n"                                                                                  \
    "%100 = OpConstant %uint 100\n"                                                                \
    "%72 = OpConstant %uint 72\n"                                                                  \
    "%array = OpTypeArray %uint %8\n"                                                              \
    "%p_array = OpTypePointer Workgroup %array\n"                                                  \
    "%p_shared = OpTypePointer Workgroup %uint\n"                                                  \
    "%shared = OpVariable %p_array Workgroup\n"                                                    \
    "%p_function = OpTypePointer Function %uint\n"                                                 \
    "$function\n"                                                                                  \
    "%variable = OpVariable %p_function Function\n"                                                \
    "%me = OpLoad %uint %p_me\n"                                                                   \
    "%ids = OpLoad %v3 %p_group\n"                                                                 \
    "%group = OpCompositeExtract %uint %ids 0\n"                                                   \
    "%first = OpIEqual %bool %group %0\n"                                                          \
    "%own = OpAccessChain %p_shared %shared %me\n"                                                 \
    "%counter = OpAccessChain %p_word %out %0 %8\n"                                                \
    "%flag = OpAccessChain %p_word %out %0 %0\n"
#define STORE_OWN "OpStore %own %me\n"
#define LOAD(at)                                                                                   \
    "OpLine %void 21 0\n"                                                                          \
    "%index = OpBitwiseXor %uint %me " at "\n"                                                     \
    "%other = OpAccessChain %p_shared %shared %index\n"                                            \
    "%value = OpLoad %uint %other\n"
#define BARRIER(scope, semantics) "OpControlBarrier " scope " " scope " " semantics "\n"
// The first workgroup stores to a word behind which a counter stands, the second one loads it.
#define PASS(semantics)                                                                            \
    "OpSelectionMerge %done None\n"                                                                \
    "OpBranchConditional %first %give %take\n"                                                     \
    "%give = OpLabel\n"                                                                            \
    "%only = OpIEqual %bool %me %0\n"                                                              \
    "OpSelectionMerge %given None\n"                                                               \
    "OpBranchConditional %only %gives %given\n"                                                    \
    "%gives = OpLabel\n"                                                                           \
    "OpStore %flag %1\n"                                                                           \
    "%old = OpAtomicIAdd %uint %counter %1 " semantics " %1\n"                                     \
    "OpBranch %given\n"                                                                            \
    "%given = OpLabel\n"                                                                           \
    "OpBranch %done\n"                                                                             \
    "%take = OpLabel\n"                                                                            \
    "OpBranch %head\n"                                                                             \
    "%head = OpLabel\n"                                                                            \
    "OpLoopMerge %arrived %again 0\n"                                                              \
    "OpBranch %again\n"                                                                            \
    "%again = OpLabel\n"                                                                           \
    "%new = OpAtomicIAdd %uint %counter %1 " semantics " %0\n"                                     \
    "%waits = OpIEqual %bool %new %0\n"                                                            \
    "OpBranchConditional %waits %head %arrived\n"                                                  \
    "%arrived = OpLabel\n"                                                                         \
    "%read = OpLoad %uint %flag\n"                                                                 \
    "OpBranch %done\n"                                                                             \
    "%done = OpLabel\n"

static const struct {
    const char *code;
    const char *said[3]; // NULL: nothing
    const char *settings;
} rows[] = {
    {STORE_OWN BARRIER("%2", "%264") LOAD("%4"), {NULL}, ALL},
    {STORE_OWN LOAD("%4"),
     {"data race of 4 bytes at shared memory + ", " by %value = OpLoad %uint %",
      "; nothing orders it after that by "},
     ALL},
    {STORE_OWN LOAD("%4"), {"; shader ", ", line 21"}, "model=tangled," ALL},
    {STORE_OWN LOAD("%4"), {NULL}, "subgroup=4,check=bounds,barriers"},
    {STORE_OWN BARRIER("%2", "%0") LOAD("%4"), {"data race"}, ALL},   // orders no memory
    {STORE_OWN BARRIER("%2", "%72") LOAD("%4"), {"data race"}, ALL},  // orders buffers
    {STORE_OWN BARRIER("%3", "%264") LOAD("%4"), {"data race"}, ALL}, // of other subgroups
    {STORE_OWN BARRIER("%3", "%264") LOAD("%1"), {NULL}, ALL},
    {STORE_OWN LOAD("%1"), {"data race"}, ALL},
    {"OpStore %flag %1\n", {"data race of 4 bytes at set 0 binding 0 + 0 by OpStore"}, ALL},
    {"%old = OpAtomicIAdd %uint %flag %1 %0 %1\n", {NULL}, ALL},
    {"%old = OpAtomicIAdd %uint %flag %1 %0 %1\n%read = OpLoad %uint %flag\n", {"data race"}, ALL},
    {PASS("%72"), {NULL}, ALL},
    {PASS("%0"), {"data race", "OpLoad %uint %", "workgroup (0, 0, 0)"}, ALL},
    {LOAD("%4"), {"uninitialised read of 4 bytes at shared memory + 16", "lane 0"}, ALL},
    {LOAD("%4"), {NULL}, "subgroup=4,check=races"},
    {"%read = OpLoad %uint %variable\n",
     {"uninitialised read of a variable by %", "workgroup (", "; shader "},
     ALL},
    {"OpStore %variable %me\n%read = OpLoad %uint %variable\n", {NULL}, ALL},
    {"%far = OpAccessChain %p_word %out %0 %100\nOpStore %far %me\n",
     {"out-of-bounds access of 4 bytes at set 0 binding 0 + 400 by OpStore", "; shader "},
     ALL},
    {"%low = OpULessThan %bool %me %4\nOpSelectionMerge %after None\n"
     "OpBranchConditional %low %some %after\n%some = OpLabel\n" BARRIER("%2", "%264") //
     "OpBranch %after\n%after = OpLabel\n",
     {"a barrier that not all reach by OpControlBarrier", "; 4 of 8 invocations are there"},
     ALL},
};

static bool is_said(const char *words)
{
    for (uint32_t i = 0; i < world.line_count; i++)
        if (strstr(world.lines[i], words))
            return true;
    return false;
}

TEST(what_is_planted_is_found)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t out[16] = {0}, in[1], races = 0;
        char kernel[8192], summary[128];
        snprintf(kernel, sizeof kernel, "%s%s$end\n", KERNEL, rows[i].code);
        begin(rows[i].settings, kernel, REGION(out), REGION(in));
        world.dispatch.groups[0] = 2;
        assert_int_equal(dispatch(), DISPATCH_DONE);
        if (!rows[i].said[0] && world.line_count)
            fail_msg("row %zu: %s", i, world.lines[0]);
        for (int j = 0; j < 3 && rows[i].said[j]; j++)
            if (!is_said(rows[i].said[j]))
                fail_msg("row %zu: not '%s', but %s", i, rows[i].said[j], world.lines[0]);
        memset(out, 0, sizeof out);
        assert_int_equal(dispatch(), DISPATCH_DONE);
        for (uint32_t line = 0; line < world.line_count; line++) {
            races += strncmp(world.lines[line], "data race", 9) == 0;
            for (uint32_t before = 0; before < line; before++)
                assert_string_not_equal(world.lines[line], world.lines[before]);
        }
        finish();
        snprintf(summary, sizeof summary, "check: dispatches 2, data races %u, ", races);
        assert_int_equal(strncmp(world.lines[world.line_count - 1], summary, strlen(summary)), 0);
    }
}
