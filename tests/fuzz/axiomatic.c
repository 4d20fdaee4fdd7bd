// SPDX-License-Identifier: Apache-2.0
// Fuzzes the dialects of litmus tests: every text is a program or gets an error of one line with
// its place; a program is decided, the same each time, or said to be too large. What ends under a
// progress model ends under the stronger ones.
#include "fuzz.h"

#include "axiomatic/decide.h"
#include "axiomatic/progress.h"

#include <string.h>

static void decide(const struct axi_program *program, struct axi_verdict *verdict,
                   const struct axi_options *how)
{
    struct lit_error error = {0};
    if (!axi_decide(program, how, verdict, &error))
        MUST(error.code == LIT_EXIT_UNDECIDED && error.message[0]);
    for (size_t i = 0; i < verdict->count; i++)
        MUST(verdict->states[i].allowed == !verdict->states[i].figure);
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
    return 0;
}
