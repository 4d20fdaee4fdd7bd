// SPDX-License-Identifier: Apache-2.0
// Programs as text, decided.
#pragma once

#include "unit.h"

#include "axiomatic/decide.h"
#include "base/text.h"

struct decided {
    struct axi_program program;
    struct axi_verdict verdict;
};

static inline void decided_clear(struct decided *decided)
{
    axi_verdict_clear(&decided->verdict);
    axi_program_clear(&decided->program);
}

// `listed`: see axi_options.
static inline bool decide_with(const char *text, struct axi_options how, struct decided *decided)
{
    *decided = (struct decided){0};
    const bool good = axi_parse(text, strlen(text), &decided->program, &error) &&
                      axi_decide(&decided->program, &how, &decided->verdict, &error);
    if (!good)
        print_error("%s\n%s\n", error.message, text);
    return good;
}

static inline bool decide(const char *text, struct decided *decided)
{
    return decide_with(text, (struct axi_options){.rounds = 2, .most = 1000000, .listed = 1000000},
                       decided);
}
