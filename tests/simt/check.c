// SPDX-License-Identifier: Apache-2.0
// The setting check=...: faults planted in kernels are reported, with what they are in, and the
// same kernels without them are silent.
#include "dispatch.h"

#define ALL "subgroup=4,check=races,bounds,uninitialised,barriers"

#define STORE_OWN                 "OpStore %own %me\n"
#define LOAD(at)                  "$load " at "\n"
#define PASS(semantics)           "$pass " semantics "\n"
#define STORE_MATRIX              "$store-matrix\n"
#define LOAD_MATRIX               "$load-matrix\n"
#define BARRIER(scope, semantics) "OpControlBarrier " scope " " scope " " semantics "\n"

static const struct {
    const char *settings, *code;
    const char *said[3]; // NULL: nothing
} rows[] = {
    {ALL, STORE_OWN BARRIER("%2", "%264") LOAD("%4"), {NULL}},
    {ALL,
     STORE_OWN LOAD("%4"),
     {"data race of 4 bytes at shared memory + ", " by %value = OpLoad %uint %",
      "; nothing orders it after that by "}},
    {"model=tangled," ALL, STORE_OWN LOAD("%4"), {"; shader ", ", line 21"}},
    {"subgroup=4,check=bounds,barriers", STORE_OWN LOAD("%4"), {NULL}},
    {ALL, STORE_OWN BARRIER("%2", "%0") LOAD("%4"), {"data race"}},   // orders no memory
    {ALL, STORE_OWN BARRIER("%2", "%72") LOAD("%4"), {"data race"}},  // orders buffers
    {ALL, STORE_OWN BARRIER("%3", "%264") LOAD("%4"), {"data race"}}, // of other subgroups
    {ALL, STORE_OWN BARRIER("%3", "%264") LOAD("%1"), {NULL}},
    {ALL, STORE_OWN LOAD("%1"), {"data race"}},
    {ALL, "OpStore %flag %1\n", {"data race of 4 bytes at set 0 binding 0 + 0 by OpStore"}},
    {ALL, "%old = OpAtomicIAdd %uint %flag %1 %0 %1\n", {NULL}},
    {ALL, "%old = OpAtomicIAdd %uint %flag %1 %0 %1\n%read = OpLoad %uint %flag\n", {"data race"}},
    {ALL, PASS("%72"), {NULL}},
    {ALL, PASS("%0"), {"data race", "OpLoad %uint %", "workgroup (0, 0, 0)"}},
    {ALL, LOAD("%4"), {"uninitialised read of 4 bytes at shared memory + 16", "lane 0"}},
    {"subgroup=4,check=races", LOAD("%4"), {NULL}},
    {ALL, STORE_MATRIX LOAD("%4"), {NULL}},
    {ALL, STORE_MATRIX LOAD("%1"), {NULL}},
    {ALL,
     LOAD_MATRIX,
     {"uninitialised read of 4 bytes at shared memory + 0 by %", "OpCooperative"}},
    {ALL,
     "%read = OpLoad %uint %variable\n",
     {"uninitialised read of a variable by %", "workgroup (", "; shader "}},
    {ALL, "OpStore %variable %me\n%read = OpLoad %uint %variable\n", {NULL}},
    {ALL,
     "%far = OpAccessChain %p_word %out %0 %100\nOpStore %far %me\n",
     {"out-of-bounds access of 4 bytes at set 0 binding 0 + 400 by OpStore", "; shader "}},
    {ALL,
     "%far = OpAccessChain %p_word %out %0 %100\n%value = OpLoad %uint %far\nOpStore %far %value\n",
     {"binding 0 + 400 by %value = OpLoad", "binding 0 + 400 by OpStore"}},
    {ALL,
     "%low = OpULessThan %bool %me %4\nOpSelectionMerge %after None\n"
     "OpBranchConditional %low %some %after\n%some = OpLabel\n" BARRIER("%2", "%264") //
     "OpBranch %after\n%after = OpLabel\n",
     {"a barrier that not all reach by OpControlBarrier", "; 4 of 8 invocations are there"}},
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
        const bool matrices = strstr(rows[i].code, "matrix");
        if (matrices && !strcmp(module_op_name(SpvOpTypeCooperativeMatrixKHR), "Unknown"))
            continue; // older headers do not name the instructions
        snprintf(kernel, sizeof kernel, "$workgroups-of-8 $%s\n%s$end\n",
                 matrices ? "matrices" : "words", rows[i].code);
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
