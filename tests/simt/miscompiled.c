// SPDX-License-Identifier: Apache-2.0
// The operators of model `miscompiling`: a kernel for each (miscompiled.txt), what it gives with
// the operator and without; which sites are taken.
#include "dispatch.h"

enum { INVOCATIONS = 8, SEEDS = 100 };

// Older headers do not name the instructions.
static bool has_matrices(void)
{
    return strcmp(module_op_name(SpvOpTypeCooperativeMatrixKHR), "Unknown") != 0;
}

static const char *with(enum operator which, const char *rate, unsigned seed)
{
    static char text[128];
    snprintf(text, sizeof text, "model=miscompiling,%s=%s,threads=1,subgroup=4,seed=%u",
             operator_names[which], rate, seed);
    return text;
}

static void run(const char *settings, enum operator which, uint32_t out[INVOCATIONS])
{
    uint32_t in[INVOCATIONS] = {0};
    char kernel[64];
    snprintf(kernel, sizeof kernel, "$%s", operator_names[which]);
    memset(out, 0xff, sizeof in);
    begin(settings, kernel, (struct region){.bytes = (unsigned char *)out, .size = sizeof in},
          REGION(in));
    assert_int_equal(dispatch(), DISPATCH_DONE);
    assert_int_equal(world.line_count, 0);
    finish();
}

// Those for which only the order of two subgroups shows, which is another in each seed.
static bool is_rare(enum operator which)
{
    return which == OPERATOR_LOAD_ORDER || which == OPERATOR_BARRIER;
}

TEST(each_operator_changes_its_kernel)
{
    for (int which = 0; which < OPERATOR_COUNT; which++) {
        const char *words = section(operator_names[which])->more;
        if (is_rare(which) || (which == OPERATOR_TRANSPOSE && !has_matrices()))
            continue;
        for (int on = 0; on < 2; on++) {
            uint32_t out[INVOCATIONS];
            run(with(which, on ? "1" : "0", 1), which, out);
            for (uint32_t k = 0; k < INVOCATIONS; k++) {
                char *end;
                const uint32_t expected = (uint32_t)strtoul(words, &end, 0);
                assert_ptr_not_equal(end, words);
                words = end + strspn(end, " |");
                if (out[k] != expected)
                    fail_msg("%s=%d: invocation %u has %u, not %u", operator_names[which], on, k,
                             out[k], expected);
            }
        }
        assert_string_equal(words, "");
    }
}

// In how many of the seeds some invocation stores 1.
static uint32_t seen(enum operator which, const char *rate)
{
    uint32_t count = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        uint32_t out[INVOCATIONS], any = 0;
        run(with(which, rate, seed), which, out);
        for (uint32_t k = 0; k < INVOCATIONS; k++)
            any |= out[k] == 1;
        count += any;
    }
    return count;
}

TEST(loads_change_places_and_barriers_are_left_out)
{
    for (int which = 0; which < OPERATOR_COUNT; which++)
        if (is_rare(which)) {
            assert_int_equal(seen(which, "0"), 0);
            assert_in_range(seen(which, "1"), 1, SEEDS);
        }
}

// Sites: two shuffles, one of which a rate of one half takes in about half of the seeds.

static uint32_t sites(const char *rate, unsigned seed)
{
    assert_true(compile(with(OPERATOR_OWN, rate, seed), "$shuffles"));
    struct program *program = world.program;
    uint32_t taken = 0, bit = 0;
    for (uint32_t pc = 0; pc < program->insn_count; pc++) {
        const bool is_taken = program->insns[pc].miscompiled;
        // The listing says so where it was changed, and nowhere else.
        assert_int_equal(is_taken, strstr(program->lines[pc], "  ; own") != NULL);
        if (strstr(program->lines[pc], "Shuffle"))
            taken |= (uint32_t)is_taken << bit++;
    }
    assert_int_equal(bit, 2);
    program_free(program);
    return taken;
}

TEST(the_rate_takes_sites)
{
    uint32_t how_often[4] = {0};
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        assert_int_equal(sites("0", seed), 0);
        assert_int_equal(sites("1", seed), 3);
        const uint32_t taken = sites("0.5", seed);
        assert_int_equal(sites("0.5", seed), taken);
        assert_int_equal(sites("0.75", seed) & taken, taken); // a greater rate takes more
        how_often[taken]++;
    }
    for (int i = 0; i < 4; i++)
        assert_in_range(how_often[i], SEEDS / 10, SEEDS / 2);
}
