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
    const struct exp_trace *trace; // of the dispatch that is written of
    const struct cat_part *part;   // its pipeline; NULL: that of the first
    struct exp_findings findings;
    struct text *out;
};

// --- Where

// The source line of an instruction: what OpLine said last before it, " (scan.comp:38)".
static void put_line(const struct checking *c, const struct exp_code *code)
{
    const bool own = c->part && c->part->word_count;
    const uint32_t *words = own ? c->part->words : c->package->words;
    const size_t count = own ? c->part->word_count : c->package->word_count;
    struct spirv_instruction each;
    uint32_t file = 0, line = 0;
    char name[80] = "";
    SPIRV_EACH (each, words, count) {
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
    SPIRV_EACH (each, words, count) {
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
    const struct exp_code *of = &c->trace->codes[code];
    text_puts(c->out, of->text[0] ? of->text : "an instruction");
    put_line(c, of);
}

static void put_invocation(const struct checking *c, uint32_t invocation)
{
    const struct exp_trace *t = c->trace;
    const uint32_t group = exp_group(t, invocation);
    text_printf(
        c->out, "invocation %" PRIu32 " of workgroup (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")",
        exp_subgroup(t, invocation) * t->subgroup + exp_lane(t, invocation), group % t->groups[0],
        group / t->groups[0] % t->groups[1], group / t->groups[0] / t->groups[1]);
}

static void put_place(const struct checking *c, const struct exp_step *step)
{
    const struct exp_trace *t = c->trace;
    const uint64_t region = step->address >> EXP_REGION_SHIFT;
    const uint64_t offset = step->address & ((UINT64_C(1) << EXP_REGION_SHIFT) - 1);
    const char *what = region == EXP_SHARED_REGION ? "Workgroup memory" : "memory";
    const struct exp_code *code = &t->codes[step->code];
    char binding[40];
    for (size_t i = 0; i < t->buffer_count; i++)
        if (t->buffers[i].region == region) {
            snprintf(binding, sizeof binding, "buffer %" PRIu32 ".%" PRIu32, t->buffers[i].set,
                     t->buffers[i].binding);
            what = binding;
        }
    if (step->address == EXP_NOWHERE)
        text_puts(c->out, "at an element that the array does not have");
    else if (code->access == EXP_LOAD_REGISTER)
        text_printf(c->out, "of variable %s", exp_variable(t, step));
    else
        text_printf(c->out, "at %s + %" PRIu64, what, offset);
}

static void put_finding(const struct checking *c, const struct exp_finding *finding)
{
    static const char *const names[] = {[EXP_RACE] = "data race",
                                        [EXP_UNINITIALISED] = "uninitialised read",
                                        [EXP_OUTSIDE] = "out of bounds"};
    const struct exp_step *steps = c->trace->steps, *step = &steps[finding->step];
    text_printf(c->out, "%s: %" PRIu32 " bytes ", names[finding->what],
                c->trace->codes[finding->code].bytes);
    put_place(c, step);
    if (c->package->interface.step_count)
        text_printf(c->out, " in dispatch %zu", finding->dispatch + 1);
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

static bool trace_run(struct exp_trace *traces, size_t count, const char *name,
                      struct lit_error *error)
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
                      exp_trace_load(file.data, count, traces, error);
    cli_asking_end(&asking);
    unlink(file.data);
    return good;
}

static void put_all(struct checking *c, const struct exp_trace *traces, size_t dispatches)
{
    const size_t found = c->findings.count;
    size_t steps = 0;
    uint64_t invocations = 0;
    for (size_t i = 0; i < found && i < MOST_SHOWN; i++) {
        const struct exp_finding *finding = &c->findings.items[i];
        c->trace = &traces[finding->dispatch];
        c->part = finding->part ? &c->package->interface.parts[finding->part - 1] : NULL;
        put_finding(c, finding);
    }
    if (found > MOST_SHOWN)
        text_printf(c->out, "and %zu more\n", found - MOST_SHOWN);
    for (size_t i = 0; i < dispatches; i++) {
        steps += traces[i].step_count;
        invocations += traces[i].invocations;
    }
    text_printf(c->out, "%zu finding%s in %zu steps of %" PRIu64 " invocations", found,
                found == 1 ? "" : "s", steps, invocations);
    if (dispatches > 1)
        text_printf(c->out, " in %zu dispatches", dispatches);
    text_printf(c->out, ", subgroups of %" PRIu32 "\n", traces[0].subgroup);
}

bool cli_kernel_check(const struct cat_package *package, const char *name, struct text *out,
                      size_t *found, struct lit_error *error)
{
    struct checking c = {.package = package, .out = out};
    const size_t count = exp_dispatches(package);
    OWNED(lit_free) struct exp_trace *traces = lit_alloc(count, sizeof *traces);
    const bool good = cli_kernel_add(package, error) && trace_run(traces, count, name, error) &&
                      exp_check(traces, package, &c.findings, error);
    *found = c.findings.count;
    if (good)
        put_all(&c, traces, count);
    exp_findings_clear(&c.findings);
    for (size_t i = 0; i < count; i++)
        exp_trace_clear(&traces[i]);
    return good;
}
