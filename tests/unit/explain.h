// SPDX-License-Identifier: Apache-2.0
// Traces made by hand, for the tests of what reads and explains them.
#pragma once

#include "unit.h"

#include "base/text.h"
#include "explain/trace.h"

// A loop of two iterations for four lanes: a value is computed, then the one of the lane to the
// left is read. In iteration k lane l computes k * 16 + l.
enum { COMPUTE, SHUFFLE, BALLOT, LOAD, STORE, AGAIN, RETURN };

static inline void begin(struct text *text, const char *model)
{
    text_printf(text,
                "simt-trace 1\n"
                "dispatch 0 model %s seed 7 subgroup 4 groups 1 1 1 local 4 1 1\n"
                "code 0 plain %%value = OpIAdd %%uint %%left %%right\n"
                "code 1 exchange %%up = OpGroupNonUniformShuffleUp %%uint %%scope %%value %%one\n"
                "code 2 tangled %%mask = OpGroupNonUniformBallot %%uint4 %%scope %%true\n"
                "code 3 plain %%old = OpLoad %%uint %%place Aligned 4\n"
                "code 4 plain OpStore %%place %%value\n"
                "code 5 if OpBranchConditional %%more %%head %%done\n"
                "code 6 return OpReturn\n",
                model);
}

// One lane's step. `source` below 0 and `address` 0 are none.
static inline void step(struct text *text, unsigned time, unsigned lane, unsigned code,
                        unsigned value, int source, unsigned address, unsigned tangle)
{
    char from[16] = "-", at[16] = "-";
    if (source >= 0)
        snprintf(from, sizeof from, "%d", source);
    if (address)
        snprintf(at, sizeof at, "%x", address);
    text_printf(text, "step %u 0 0 %u %u %x %s %s %x\n", time, lane, code, value, from, at, tangle);
}

static inline void finish(struct text *text, unsigned switches, const char *end)
{
    text_printf(text, "switches %u\nend 0 %s\n", switches, end);
}

static inline void parse(struct text *text, struct exp_trace *trace)
{
    must(exp_trace_read(text->data, text->length, trace, &error));
    text_free(text);
}

// The loop as it is prescribed. What lane 0 gets from the lane that is not there is `junk`.
static inline void right_run(struct exp_trace *trace, unsigned junk)
{
    struct text text = {0};
    begin(&text, "lockstep");
    unsigned time = 0;
    for (unsigned k = 1; k <= 2; k++) {
        time++;
        for (unsigned lane = 0; lane < 4; lane++)
            step(&text, time, lane, COMPUTE, k * 16 + lane, -1, 0, 15);
        time++;
        for (unsigned lane = 0; lane < 4; lane++)
            step(&text, time, lane, SHUFFLE, lane ? k * 16 + lane - 1 : junk,
                 lane ? (int)lane - 1 : -1, 0, 15);
        time++;
        for (unsigned lane = 0; lane < 4; lane++)
            step(&text, time, lane, AGAIN, k == 1, -1, 0, 15);
    }
    finish(&text, 0, "done");
    parse(&text, trace);
}

// Lane 1 runs ahead: lane 2 reads the value of its second iteration in the first one.
static inline void failing_run(struct exp_trace *trace)
{
    struct text text = {0};
    begin(&text, "snooping");
    for (unsigned lane = 0; lane < 4; lane++)
        step(&text, 1 + lane, lane, COMPUTE, 16 + lane, -1, 0, 1u << lane);
    step(&text, 5, 0, SHUFFLE, 0x999, -1, 0, 1);
    step(&text, 6, 1, SHUFFLE, 0x10, 0, 0, 2);
    step(&text, 7, 1, AGAIN, 1, -1, 0, 2);
    step(&text, 8, 1, COMPUTE, 0x21, -1, 0, 2);
    step(&text, 9, 2, SHUFFLE, 0x21, 1, 0, 4);
    step(&text, 10, 3, SHUFFLE, 0x12, 2, 0, 8);
    step(&text, 11, 2, AGAIN, 1, -1, 0, 4);
    finish(&text, 3, "done");
    parse(&text, trace);
}
