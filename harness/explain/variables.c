// SPDX-License-Identifier: Apache-2.0
// Function and Private variables, which are registers: finds uninitialised loads.
#include "explain/race.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// The last invocation to store to a cell, plus 1; 0: none since its variable began.
#define ALWAYS UINT32_MAX // initialised

struct cells {
    uint32_t *stored;
    uint32_t count; // cells after these are initialised
};

static uint64_t first_cell(const struct exp_code *code, const struct exp_step *at)
{
    return code->by_pointer ? at->address : code->cell;
}

// Whether it loads only cells that this invocation has not stored to.
static bool take_registers(struct cells *cells, const struct exp_code *code,
                           const struct exp_step *at)
{
    const uint64_t first = first_cell(code, at);
    const uint32_t self = at->invocation + 1;
    bool nothing = code->access == EXP_LOAD_REGISTER && code->cells;
    for (uint64_t i = first; i - first < code->cells; i++) {
        uint32_t *stored = i < cells->count ? &cells->stored[i] : NULL;
        nothing &= stored && *stored != ALWAYS && *stored != self;
        if (stored && *stored != ALWAYS && code->access == EXP_STORE_REGISTER)
            *stored = self;
        if (!stored)
            break;
    }
    return nothing;
}

// Resets a function's variables.
static void enter(const struct exp_trace *t, struct cells *cells, uint32_t function)
{
    for (size_t i = 0; function != EXP_NO_FUNCTION && i < t->undefined_count; i++)
        if (t->undefined[i].function == function)
            memset(cells->stored + t->undefined[i].cell, 0,
                   t->undefined[i].count * sizeof *cells->stored);
}

bool *exp_find_unstored(const struct exp_trace *t)
{
    struct cells cells = {0};
    if (!t->undefined_count)
        return NULL;
    for (size_t i = 0; i < t->undefined_count; i++) {
        const uint32_t end = t->undefined[i].cell + t->undefined[i].count;
        cells.count = end > cells.count ? end : cells.count;
    }
    cells.stored = lit_alloc((size_t)cells.count + 1, sizeof *cells.stored);
    memset(cells.stored, 0xff, cells.count * sizeof *cells.stored);
    for (size_t i = 0; i < t->undefined_count; i++)
        memset(cells.stored + t->undefined[i].cell, 0,
               t->undefined[i].count * sizeof *cells.stored);
    bool *unstored = lit_alloc(t->step_count + 1, sizeof *unstored);
    // Invocation by invocation, since each has its own variables.
    for (uint32_t i = 0; i < t->invocations; i++)
        for (uint32_t n = 0; n < exp_step_count(t, i); n++) {
            const uint32_t step = exp_step_at(t, i, n);
            const struct exp_code *code = &t->codes[t->steps[step].code];
            enter(t, &cells, code->function);
            if (code->access == EXP_LOAD_REGISTER || code->access == EXP_STORE_REGISTER)
                unstored[step] = take_registers(&cells, code, &t->steps[step]);
        }
    free(cells.stored);
    return unstored;
}

const char *exp_variable(const struct exp_trace *t, const struct exp_step *step)
{
    const uint64_t first = first_cell(&t->codes[step->code], step);
    for (size_t i = 0; i < t->undefined_count; i++)
        if (first >= t->undefined[i].cell && first - t->undefined[i].cell < t->undefined[i].count)
            return t->undefined[i].name;
    return "";
}
