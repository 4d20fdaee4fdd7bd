// SPDX-License-Identifier: Apache-2.0
// What a kernel does wrong with memory: one run of it on the SIMT simulator, traced, and looked
// through.
#include "cli/kernel.h"

#include "base/file.h"
#include "base/program.h"
#include "base/spirv.h"
#include "cli/kernel_ask.h"
#include "explain/race.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_SHOWN 32

struct checking {
    const struct cat_package *package;
    struct exp_trace trace;
    struct exp_findings findings;
    struct text *out;
};

// --- Where

// The source line of an instruction: what OpLine said last before it, " (scan.comp:38)".
static void put_line(const struct checking *c, const struct exp_code *code)
{
    const struct cat_package *package = c->package;
    struct spirv_instruction each;
    uint32_t file = 0, line = 0;
    char name[80] = "";
    SPIRV_EACH (each, package->words, package->word_count) {
        if (each.at >= code->word)
            break;
        if (each.opcode == SpvOpLine) {
            file = spirv_operand(&each, 1, 0);
            line = spirv_operand(&each, 2, 0);
        } else if (each.opcode == SpvOpNoLine || each.opcode == SpvOpFunctionEnd) {
            file = 0;
        }
    }
    if (!file)
        return;
    SPIRV_EACH (each, package->words, package->word_count) {
        if (each.opcode == SpvOpFunction)
            break;
        if (each.opcode == SpvOpString && spirv_operand(&each, 1, 0) == file &&
            memchr(each.words + 2, '\0', (each.size - 2) * sizeof *each.words))
            text_sanitise(name, sizeof name, lit_path_name((const char *)(each.words + 2)));
    }
    text_printf(c->out, " (%s:%" PRIu32 ")", name[0] ? name : "line", line);
}

static void put_instruction(const struct checking *c, uint32_t code)
{
    const struct exp_code *of = &c->trace.codes[code];
    text_puts(c->out, of->text[0] ? of->text : "an instruction");
    put_line(c, of);
}

static void put_invocation(const struct checking *c, uint32_t invocation)
{
    const struct exp_trace *t = &c->trace;
    const uint32_t group = exp_group(t, invocation);
    text_printf(
        c->out, "invocation %" PRIu32 " of workgroup (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")",
        exp_subgroup(t, invocation) * t->subgroup + exp_lane(t, invocation), group % t->groups[0],
        group / t->groups[0] % t->groups[1], group / t->groups[0] / t->groups[1]);
}

static void put_place(const struct checking *c, const struct exp_step *step)
{
    const struct exp_trace *t = &c->trace;
    const uint64_t region = step->address >> EXP_REGION_SHIFT;
    const uint64_t offset = step->address & ((UINT64_C(1) << EXP_REGION_SHIFT) - 1);
    const char *what = region == EXP_SHARED_REGION ? "Workgroup memory" : "memory";
    char binding[40];
    for (size_t i = 0; i < t->buffer_count; i++)
        if (t->buffers[i].region == region) {
            snprintf(binding, sizeof binding, "buffer %" PRIu32 ".%" PRIu32, t->buffers[i].set,
                     t->buffers[i].binding);
            what = binding;
        }
    if (step->address == EXP_NOWHERE)
        text_puts(c->out, "an element that the array does not have");
    else
        text_printf(c->out, "%s + %" PRIu64, what, offset);
}

static void put_finding(const struct checking *c, const struct exp_finding *finding)
{
    static const char *const names[] = {[EXP_RACE] = "data race",
                                        [EXP_UNINITIALISED] = "uninitialised read",
                                        [EXP_OUTSIDE] = "out of bounds"};
    const struct exp_step *steps = c->trace.steps, *step = &steps[finding->step];
    text_printf(c->out, "%s: %" PRIu32 " bytes at ", names[finding->what],
                c->trace.codes[finding->code].bytes);
    put_place(c, step);
    text_puts(c->out, finding->times > 1 ? ", " : "");
    if (finding->times > 1)
        text_printf(c->out, "%" PRIu64 " times, first", finding->times);
    text_puts(c->out, "\n");
    if (finding->what == EXP_RACE) {
        text_puts(c->out, "  ");
        put_instruction(c, finding->other);
        text_puts(c->out, ", ");
        put_invocation(c, steps[finding->before].invocation);
        text_puts(c->out, "\n");
    }
    text_puts(c->out, "  ");
    put_instruction(c, finding->code);
    text_puts(c->out, ", ");
    put_invocation(c, step->invocation);
    text_puts(c->out, "\n");
}

static bool trace_run(struct checking *c, const char *name, struct lit_error *error)
{
    OWNED(text_free) struct text file = {0}, settings = {0};
    struct eng_outcome outcome;
    struct cli_asking asking = {.name = name};
    if (!lit_file_temporary("", 0, &file, error))
        return false;
    unlink(file.data);
    text_printf(&settings, "model=lockstep,seed=1,threads=1,bounds=report,trace=%s", file.data);
    const bool good = cli_asking_begin(&asking, error) &&
                      cli_ask(&asking, ENG_TRY, settings.data, 1, "--check", &outcome, error) &&
                      exp_trace_load(file.data, &c->trace, error);
    cli_asking_end(&asking);
    unlink(file.data);
    return good;
}

bool cli_kernel_check(const struct cat_package *package, const char *name, struct text *out,
                      size_t *found, struct lit_error *error)
{
    struct checking c = {.package = package, .out = out};
    bool good = cli_kernel_add(package, error) && trace_run(&c, name, error);
    good = good && exp_check(&c.trace, package, &c.findings, error);
    *found = c.findings.count;
    for (size_t i = 0; good && i < *found && i < MOST_SHOWN; i++)
        put_finding(&c, &c.findings.items[i]);
    if (*found > MOST_SHOWN)
        text_printf(out, "and %zu more\n", *found - MOST_SHOWN);
    if (good)
        text_printf(out,
                    "%zu finding%s in %zu steps of %" PRIu32 " invocations, subgroups of %" PRIu32
                    "\n",
                    *found, *found == 1 ? "" : "s", c.trace.step_count, c.trace.invocations,
                    c.trace.subgroup);
    exp_findings_clear(&c.findings);
    exp_trace_clear(&c.trace);
    return good;
}
