// SPDX-License-Identifier: Apache-2.0
// Fuzzes the dialects of litmus tests: every text is a program or gets an error of one line with
// its place; a program is decided, the same each time, or said to be too large. What ends under a
// progress model ends under the stronger ones.
#include "fuzz.h"

#include "axiomatic/decide.h"
#include "base/spirv.h"
#include "generate/concurrent.h"
#include "axiomatic/progress.h"

static void decide(const struct axi_program *program, struct axi_verdict *verdict,
                   const struct axi_options *how)
{
    struct lit_error error = {0};
    if (!axi_decide(program, how, verdict, &error))
        MUST(error.code == LIT_EXIT_UNDECIDED && error.message[0]);
    for (size_t i = 0; i < verdict->count; i++)
        MUST(verdict->states[i].allowed == !verdict->states[i].figure);
}

// A kernel of it is made, or a reason is given.
static void generate(const struct axi_program *program, const struct axi_verdict *verdict)
{
    OWNED(gen_states_clear) struct gen_states states = {0};
    struct gen_concurrent made = {0};
    struct lit_error error = {0};
    if (gen_states_make(program, verdict, &states, &error)) {
        MUST(!(states.fails & 1) && states.size > 0 && states.names[0][0]);
        for (uint32_t i = 0; i < states.size; i++)
            MUST(states.table[i] == GEN_STATES || states.names[states.table[i]][0]);
        if (gen_concurrent_make(program, &states, &made, &error))
            MUST(made.module.count > SPIRV_HEADER && made.threads == program->thread_count);
    }
    MUST(made.module.count || (error.code == LIT_EXIT_UNDECIDED && error.message[0]));
    gen_module_clear(&made.module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OWNED(axi_program_clear) struct axi_program program;
    struct lit_error error = {0};
    if (!axi_parse((const char *)data, size, &program, &error)) {
        MUST(strncmp(error.message, "line ", 5) == 0 && !strpbrk(error.message, "\n\r\033"));
        return 0;
    }
    OWNED(axi_verdict_clear) struct axi_verdict all = {0};
    OWNED(axi_verdict_clear) struct axi_verdict some = {0};
    decide(&program, &all, &(struct axi_options){.rounds = 1, .most = 500, .listed = 500});
    decide(&program, &some, &(struct axi_options){.rounds = 1, .most = 500});
    if (all.forbids && !some.forbids) {
        MUST(all.consistent == some.consistent && all.races == some.races && all.cut == some.cut);
        MUST(memcmp(all.found, some.found, sizeof all.found) == 0);
    }
    OWNED(axi_ending_clear) struct axi_ending ending = {0};
    if (program.thread_count <= 3 && axi_end(&program, &ending, &error)) {
        char *const *endless = ending.endless;
        MUST(endless[AXI_LOBE] || !endless[AXI_FAIR]);
        MUST(endless[AXI_HSA_OBE] || !endless[AXI_LOBE]);
        MUST((endless[AXI_HSA] && endless[AXI_OBE]) || !endless[AXI_HSA_OBE]);
        MUST(endless[AXI_NONE] || (!endless[AXI_HSA] && !endless[AXI_OBE]));
    }
    OWNED(axi_verdict_clear) struct axi_verdict asked = {0};
    program.filter = AXI_TRUE;
    if (axi_ask_reads(&program) &&
        axi_decide(&program, &(struct axi_options){.rounds = 1, .most = 500, .listed = 500}, &asked,
                   &error))
        generate(&program, &asked);
    return 0;
}
