// SPDX-License-Identifier: Apache-2.0
// What a kernel does wrong: one run of it on the SIMT simulator, traced, and looked
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

#define MOST_SHOWN  32
#define MOST_RANGES 8

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

static void put_workgroup(const struct checking *c, uint32_t invocation)
{
    const struct exp_trace *t = c->trace;
    const uint32_t group = exp_group(t, invocation);
    text_printf(c->out, "workgroup (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", group % t->groups[0],
                group / t->groups[0] % t->groups[1], group / t->groups[0] / t->groups[1]);
}

static void put_executed(const struct checking *c, uint32_t code, uint32_t invocation)
{
    const struct exp_trace *t = c->trace;
    text_puts(c->out, "  ");
    put_instruction(c, code);
    text_printf(c->out, ", invocation %" PRIu32 " of ",
                exp_subgroup(t, invocation) * t->subgroup + exp_lane(t, invocation));
    put_workgroup(c, invocation);
    text_puts(c->out, "\n");
}

static void put_place(const struct checking *c, const struct exp_step *step)
{
    const struct exp_trace *t = c->trace;
    const uint64_t region = step->address >> EXP_REGION_SHIFT;
    uint64_t offset;
    const struct exp_buffer *buffer = exp_buffer_at(t, step->address, &offset);
    if (step->address == EXP_NOWHERE) {
        text_puts(c->out, "at an element that the array does not have");
    } else if (t->codes[step->code].access == EXP_LOAD_REGISTER) {
        text_printf(c->out, "of variable %s", exp_variable(t, step));
    } else if (buffer) {
        text_printf(c->out, "at buffer %" PRIu32 ".%" PRIu32, buffer->set, buffer->binding);
        if (buffer->element)
            text_printf(c->out, "[%" PRIu32 "]", buffer->element);
        text_printf(c->out, " + %" PRIu64, offset);
    } else if (step->outside && region != EXP_SHARED_REGION) {
        text_printf(c->out, "at %s + %" PRIu64,
                    region ? "an address without a buffer" : "a null address", offset);
    } else {
        text_printf(c->out, "at %s + %" PRIu64,
                    region == EXP_SHARED_REGION ? "Workgroup memory" : "memory", offset);
    }
}

// "0 to 35, 40": those of a finding's workgroup that are at an instruction.
static void put_those(const struct checking *c, const struct exp_finding *finding, uint32_t at,
                      uint32_t count)
{
    const uint32_t local = c->trace->local[0] * c->trace->local[1] * c->trace->local[2];
    const char *comma = count == 1 ? ", invocation " : ", invocations ";
    unsigned ranges = 0;
    for (uint32_t i = 0, end; i < local; i = end) {
        for (end = i; end < local && finding->at[end] == at; end++)
            ;
        if (end > i && ranges++ < MOST_RANGES)
            text_printf(c->out, end - i > 1 ? "%s%" PRIu32 " to %" PRIu32 : "%s%" PRIu32, comma, i,
                        end - 1);
        comma = end > i ? ", " : comma;
        end += end == i;
    }
    if (ranges > MOST_RANGES)
        text_puts(c->out, ", ...");
    text_puts(c->out, "\n");
}

// Of a barrier that not all reached: each instruction that some are at.
static void put_missed(const struct checking *c, const struct exp_finding *finding)
{
    const uint32_t local = c->trace->local[0] * c->trace->local[1] * c->trace->local[2];
    OWNED(lit_free) bool *done = lit_alloc(local, sizeof *done);
    uint32_t first = 0;
    while (finding->at[first] != finding->code)
        first++;
    for (uint32_t n = 0; n <= local; n++) {
        const uint32_t i = n ? n - 1 : first;
        uint32_t count = 0;
        for (uint32_t j = i; j < local && !done[i]; j++)
            count += finding->at[j] == finding->at[i];
        if (!count)
            continue;
        for (uint32_t j = local; j-- > i;)
            done[j] |= finding->at[j] == finding->at[i];
        text_puts(c->out, "  ");
        if (finding->at[i] < EXP_ANOTHER)
            put_instruction(c, finding->at[i]);
        else
            text_puts(c->out, finding->at[i] == EXP_ANOTHER
                                  ? "the same in another iteration, call or case"
                                  : "nowhere");
        text_printf(c->out, ", %" PRIu32 " of %" PRIu32, count, local);
        put_those(c, finding, finding->at[i], count);
    }
}

static void put_finding(const struct checking *c, const struct exp_finding *finding)
{
    static const char *const names[] = {[EXP_RACE] = "data race",
                                        [EXP_UNINITIALISED] = "uninitialised read",
                                        [EXP_OUTSIDE] = "out of bounds",
                                        [EXP_MISSED] = "barrier"};
    const struct exp_step *steps = c->trace->steps, *step = &steps[finding->step];
    text_printf(c->out, "%s: ", names[finding->what]);
    if (finding->what == EXP_MISSED) {
        text_puts(c->out, "not all of ");
        put_workgroup(c, step->invocation);
        text_puts(c->out, " execute it together");
    } else {
        text_printf(c->out, "%" PRIu32 " bytes ", c->trace->codes[finding->code].bytes);
        put_place(c, step);
    }
    if (c->package->interface.step_count)
        text_printf(c->out, " in dispatch %zu", finding->dispatch + 1);
    text_puts(c->out, finding->times > 1 ? ", " : "");
    if (finding->times > 1)
        text_printf(c->out, "%" PRIu64 " times, first", finding->times);
    text_puts(c->out, "\n");
    if (finding->what == EXP_MISSED) {
        put_missed(c, finding);
        return;
    }
    if (finding->what == EXP_RACE)
        put_executed(c, finding->other, steps[finding->before].invocation);
    put_executed(c, finding->code, step->invocation);
    if (finding->is_private)
        text_puts(c->out,
                  "  which nothing can order: without NonPrivatePointer an access is private\n");
    else if (finding->barrier != EXP_NO_STEP) {
        text_puts(c->out, "  not ordered by ");
        put_instruction(c, steps[finding->barrier].code);
        text_puts(c->out, ", which waits for its tangle alone\n");
    }
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
    text_printf(&settings, "model=lockstep,seed=1,threads=1,bounds=check,trace=%s", file.data);
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
        invocations += exp_real(&traces[i]);
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
    const struct cat_interface *first = &package->interface;
    const uint64_t invocations =
        (uint64_t)package->groups * first->rows * first->layers * package->workgroup;
    const bool good = exp_fits(invocations, error) && cli_kernel_add(package, error) &&
                      trace_run(traces, count, name, error) &&
                      exp_check(traces, package, &c.findings, error);
    *found = c.findings.count;
    if (good)
        put_all(&c, traces, count);
    exp_findings_clear(&c.findings);
    for (size_t i = 0; i < count; i++)
        exp_trace_clear(&traces[i]);
    return good;
}
