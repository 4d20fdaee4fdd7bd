// SPDX-License-Identifier: Apache-2.0
// The fault `reduction`: which reductions it hits, and what they give then. guard.txt has the parts
// of the kernels.
#include "dispatch.h"

#include "base/text.h"

#define SUM(name) "OpGroupNonUniform" name " %uint %3 0"
#define ADD       SUM("IAdd")
#define CALL      "OpFunctionCall %uint %called"

enum { LANES = 8, WIDTH = 4, LIMIT = 10, RESULTS = 2 * LANES };

// `held` truth values, each of which says whether the lane's word is below 10; in a branch on
// %chosen the reduction of me + 1; behind it, where they are `used`, how many of them hold.
static void write_kernel(struct text *text, const char *choose, const char *operation,
                         uint32_t held, bool used)
{
    text_puts(text, "$opening\n");
    for (uint32_t i = 0; i < held; i++)
        text_printf(text, "%%is_%u = OpULessThan %%bool %%word %%limit\n", i);
    text_printf(text, "%s$inside\n%%sum = %s %%more\n$behind\n", choose, operation);
    for (uint32_t i = 0; used && i < held; i++)
        text_printf(text,
                    "%%one_%u = OpSelect %%uint %%is_%u %%1 %%0\n"
                    "%%count_%u = OpIAdd %%uint %%count_%u %%one_%u\n",
                    i, i, i + 1, i, i);
    text_printf(text, "STORE me %%result\nSTORE behind %%count_%u\n$end\n", used ? held : 0);
    if (strstr(operation, "%called"))
        text_puts(text, "$called\n");
}

#define SUBGROUP_ZERO "%chosen = OpIEqual %bool %subgroup %0\n"

// What the first lane gets, where the truth value holds in the lanes of a mask. All that is not the
// reduction's result is right.
static uint32_t result(const char *model, const char *choose, const char *operation, uint32_t held,
                       bool used, uint32_t holds)
{
    OWNED(text_free) struct text kernel = {0};
    uint32_t in[LANES], out[RESULTS] = {0};
    write_kernel(&kernel, choose, operation, held, used);
    for (uint32_t i = 0; i < LANES; i++)
        in[i] = holds >> i & 1 ? LIMIT - 1 : LIMIT;
    begin(model, kernel.data, REGION(out), REGION(in));
    assert_int_equal(dispatch(), DISPATCH_DONE);
    assert_int_equal(world.line_count, 0);
    finish();
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(out[LANES + i], used && holds >> i & 1 ? held : 0);
    for (uint32_t i = 1; i < WIDTH; i++)
        assert_int_equal(out[i], out[0]);
    return out[0];
}

#define RIGHT  "model=lockstep,subgroup=4"
#define FAULTY "model=faulty,fault=reduction,subgroup=4"

TEST(a_reduction_leaves_lanes_out)
{
    assert_int_equal(result(RIGHT, SUBGROUP_ZERO, ADD, 12, true, 0xF), 10);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, ADD, 12, true, 0xF), 0xFFFFFFFF);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, ADD, 12, true, 0x5), 2 + 4);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, ADD, 12, true, 0xF0), 10);
}

TEST(it_does_so_in_all_integer_operations)
{
    static const char *const operations[] = {SUM("IAdd"),      SUM("SMin"),      SUM("UMin"),
                                             SUM("SMax"),      SUM("UMax"),      SUM("BitwiseAnd"),
                                             SUM("BitwiseOr"), SUM("BitwiseXor")};
    for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
        assert_int_equal(result(FAULTY, SUBGROUP_ZERO, operations[i], 16, true, 0xF), 0xFFFFFFFF);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, SUM("IMul"), 16, true, 0xF), 24);
}

TEST(it_does_so_in_a_function_of_one_call)
{
    static const char again[] = "%again = " CALL " %me\n" SUBGROUP_ZERO;
    assert_int_equal(result(RIGHT, SUBGROUP_ZERO, CALL, 12, true, 0xF), 10);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, CALL, 12, true, 0xF), 0xFFFFFFFF);
    assert_int_equal(result(FAULTY, again, CALL, 12, true, 0xF), 10);
}

TEST(it_takes_a_branch_on_the_subgroup)
{
    static const char *const hit[] = {
        SUBGROUP_ZERO,
        "%chosen = OpULessThan %bool %subgroup %1\n",
        "%end = OpISub %uint %subgroups %1\n%chosen = OpINotEqual %bool %end %subgroup\n",
    };
    static const char *const spared[] = {
        "%chosen = OpULessThan %bool %me %4\n",
        "%same = OpBitwiseAnd %uint %subgroup %1\n%chosen = OpIEqual %bool %same %0\n",
        "%zero = OpBitwiseAnd %uint %word %0\n%chosen = OpIEqual %bool %subgroup %zero\n",
    };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(result(FAULTY, hit[i], ADD, 12, true, 0xF), 0xFFFFFFFF);
        assert_int_equal(result(FAULTY, spared[i], ADD, 12, true, 0xF), 10);
    }
}

TEST(it_takes_twelve_truth_values_across)
{
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, ADD, 11, true, 0xF), 10);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, ADD, 24, false, 0xF), 10);
}
