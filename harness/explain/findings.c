// SPDX-License-Identifier: Apache-2.0
// Finds a kernel's errors: traces one run on the SIMT simulator and analyses it. Counts, never a
// clock, limit how much of a dispatch executes there.
#include "explain/ask.h"

#include "base/file.h"
#include "base/program.h"
#include "base/spirv.h"
#include "catalogue/catalogue.h"
#include "engine/drivers.h"
#include "explain/race.h"

#include <unistd.h>

#define MOST_RANGES 8
#define SECONDS     60  // for a run
#define FEW         4u  // workgroups at a time
#define MANY        64u // the simulator's maximum
// The limits: instructions over all dispatches, counted for each invocation; invocations of a
// dispatch; findings that are written. Once the first is reached, no workgroup begins, and the
// dispatch ends after a quarter more.
struct bounds {
    uint32_t instructions, invocations, shown;
};
static const struct bounds all = {6000000, EXP_MOST_RACED, 32}, sample = {1 << 18, 1 << 12, 8};

// Findings: at the start of a finding, and within a sentence.
static const struct {
    const char *one, *a, *several;
} names[] = {
    [EXP_RACE] = {"data race", "a data race", "data races"},
    [EXP_UNINITIALISED] = {"uninitialised read", "an uninitialised read", "uninitialised reads"},
    [EXP_MISSED] = {"barrier", "a barrier that not all reach", "barriers that not all reach"},
    [EXP_ENDLESS] = {"endless loop", "an endless loop", "endless loops"},
    [EXP_OUTSIDE] = {"out of bounds", "an access out of bounds", "accesses out of bounds"},
};
#define KINDS (sizeof names / sizeof *names)

#define ACCESS "simt: out-of-bounds access of " // the simulator prints it

struct checking {
    const struct cat_package *package;
    const struct bounds *bounds;
    const struct exp_trace *trace; // of the dispatch that the output is about
    const struct cat_part *part;   // its pipeline; NULL: the first dispatch's
    struct exp_findings findings;
    size_t kinds[KINDS], found;
    size_t dispatches; // dispatches checked: up to the first incomplete one
    uint64_t groups;   // of the last of these dispatches
    bool whole, cut;   // everything executed; the dispatch was cut off
    char printed[512]; // the simulator's line about an access out of bounds; ""
    struct text *out;
};

static uint64_t groups_of(const struct exp_trace *trace)
{
    return trace->invocations / trace->subgroup / trace->subgroups;
}

// --- Where

// Prints an instruction's source line from the last OpLine before it, " (scan.comp:38)".
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
        if (buffer->element ||
            (buffer + 1 < t->buffers + t->buffer_count && buffer[1].set == buffer->set &&
             buffer[1].binding == buffer->binding))
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

// Prints "0 to 35, 40": the invocations of a finding's workgroup that are at an instruction.
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

// For a workgroup that did not converge or end, prints each instruction where invocations are.
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
    const struct exp_step *steps = c->trace->steps, *step = &steps[finding->step];
    text_printf(c->out, "%s: ", names[finding->what].one);
    if (finding->at) {
        text_puts(c->out, finding->what == EXP_MISSED ? "not all of " : "");
        put_workgroup(c, step->invocation);
        text_puts(c->out, finding->what == EXP_ENDLESS ? " does not end"
                          : finding->within            ? " reach it"
                                                       : " execute it together");
        if (finding->within)
            text_printf(c->out, " within %" PRIu32 " instructions each", finding->within);
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
    if (finding->at) {
        put_missed(c, finding);
        text_puts(c->out, finding->within
                              ? "  those that run do the same again and again, with the "
                                "same values\n"
                              : "");
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

static void put_all(struct checking *c, const struct exp_trace *traces)
{
    const struct exp_trace *last = &traces[c->dispatches - 1];
    const size_t count = exp_dispatches(c->package);
    size_t steps = 0;
    uint64_t invocations = 0;
    for (size_t i = 0; i < c->findings.count && i < c->bounds->shown; i++) {
        const struct exp_finding *finding = &c->findings.items[i];
        c->trace = &traces[finding->dispatch];
        c->part = finding->part ? &c->package->interface.parts[finding->part - 1] : NULL;
        put_finding(c, finding);
    }
    if (c->findings.count > c->bounds->shown)
        text_printf(c->out, "and %zu more\n", c->findings.count - c->bounds->shown);
    text_puts(c->out, c->printed);
    for (size_t i = 0; i < c->dispatches; i++) {
        steps += traces[i].step_count;
        invocations += exp_real(&traces[i]);
    }
    text_printf(c->out, "%zu finding%s in %zu steps of %" PRIu64 " invocations", c->found,
                c->found == 1 ? "" : "s", steps, invocations);
    if (count > 1)
        text_printf(c->out, " in %zu dispatches", c->dispatches);
    text_printf(c->out, ", subgroups of %" PRIu32, last->subgroup);
    if (!c->whole)
        text_printf(c->out, "; %s%" PRIu64 " of %" PRIu64 " workgroups%s",
                    c->cut ? "a part of " : "", groups_of(last), c->groups,
                    count > 1 ? " of the last one" : "");
    text_puts(c->out, "\n");
}

// --- One run

static void note(const char *line, void *user)
{
    struct exp_asking *a = user;
    snprintf(a->printed, sizeof a->printed, "%s", line);
}

bool exp_asking_begin(struct exp_asking *a, struct lit_error *error)
{
    a->manifest = eng_simt_manifest(error);
    ses_devices_watch(&a->devices, SECONDS, 0, 1);
    a->devices.watch.say = note;
    a->devices.watch.user = a;
    a->device.manifest = a->manifest;
    a->client = (struct eng_client){.watch = &a->devices.watch, .device = &a->device};
    return a->manifest != NULL;
}

void exp_asking_end(struct exp_asking *a)
{
    eng_client_end(&a->client);
    free(a->manifest);
    a->manifest = NULL;
}

bool exp_ask(struct exp_asking *a, enum eng_request_kind kind, const char *settings, uint64_t seed,
             const char *option, struct eng_outcome *outcome, struct lit_error *error)
{
    a->printed[0] = '\0';
    const enum eng_end end =
        eng_submit(&a->client, &(struct eng_work){.name = a->name, .settings = settings},
                   &(struct eng_request){.kind = kind, .seed = seed}, outcome);
    if (end == ENG_END_SIGNAL || end == ENG_END_TIME)
        return lit_fail(error, LIT_EXIT_TIME, "interrupted");
    if (end == ENG_END_RAN && (outcome->result == ENG_PASS || outcome->result == ENG_FAIL))
        return true;
    return lit_fail(error, LIT_EXIT_USAGE, "%s%sthe SIMT simulator cannot run it: %.200s%s%.200s",
                    option ? option : "", option ? ": " : "",
                    outcome->reason[0] ? outcome->reason : eng_result_name(outcome->result),
                    a->printed[0] ? ": " : "", a->printed);
}

static uint32_t workgroup_of(const struct cat_package *package)
{
    uint32_t most = package->workgroup;
    for (size_t i = 0; i < package->interface.part_count; i++)
        most = package->interface.parts[i].workgroup > most ? package->interface.parts[i].workgroup
                                                            : most;
    return most ? most : 1;
}

static bool trace_run(struct checking *c, const char *name, const char *option, unsigned resident,
                      struct exp_trace *traces, struct lit_error *error)
{
    OWNED(text_free) struct text file = {0}, settings = {0};
    const size_t count = exp_dispatches(c->package);
    const uint32_t groups = c->bounds->invocations / workgroup_of(c->package),
                   more = c->bounds->instructions * (resident > FEW ? 4 : 1),
                   most = more < all.instructions ? more : all.instructions;
    struct eng_outcome outcome;
    struct exp_asking asking = {.name = name};
    if (!lit_file_temporary("", 0, &file, error))
        return false;
    unlink(file.data);
    text_printf(&settings,
                "model=lockstep,seed=1,threads=1,bounds=check,workgroups=%" PRIu32
                ",instructions=%zu,resident=%u,trace=%s",
                groups ? groups : 1, most / count + 1, resident, file.data);
    const bool good = exp_asking_begin(&asking, error) &&
                      exp_ask(&asking, ENG_TRY, settings.data, 1, option, &outcome, error) &&
                      exp_trace_load(file.data, count, traces, error);
    const char *outside = strstr(asking.printed, ACCESS);
    if (outside)
        snprintf(c->printed, sizeof c->printed, "out of bounds: %s\n", outside + strlen(ACCESS));
    exp_asking_end(&asking);
    unlink(file.data);
    return good;
}

// Results after a partially executed dispatch are wrong, so stops there.
static bool look(struct checking *c, struct exp_trace *traces, struct lit_error *error)
{
    struct cat_package executed = *c->package;
    const size_t count = exp_dispatches(c->package);
    for (c->whole = true; c->dispatches < count && c->whole; c->dispatches++) {
        struct exp_trace *trace = &traces[c->dispatches];
        exp_trace_trim(trace);
        c->groups = trace->dispatched;
        c->cut = strcmp(trace->end, "cut") == 0;
        c->whole = !c->cut && groups_of(trace) == c->groups;
    }
    executed.interface.step_count = c->dispatches - 1;
    if (!exp_check(traces, &executed, &c->findings, error))
        return false;
    for (size_t i = 0; i < c->findings.count; i++)
        c->kinds[c->findings.items[i].what]++;
    // If the access has a place, it is reported already.
    if (c->kinds[EXP_OUTSIDE])
        c->printed[0] = '\0';
    c->kinds[EXP_OUTSIDE] += c->printed[0] != '\0';
    c->found = c->findings.count + (c->printed[0] != '\0');
    return true;
}

static void clear(struct checking *c, struct exp_trace *traces)
{
    exp_findings_clear(&c->findings);
    for (size_t i = 0; c->package && i < exp_dispatches(c->package); i++)
        exp_trace_clear(&traces[i]);
}

bool exp_findings_put(const struct cat_package *package, const char *name, const char *option,
                      struct text *sums, struct text *out, struct lit_error *error)
{
    struct checking c = {.findings.starved = true};
    const size_t count = exp_dispatches(package);
    OWNED(lit_free) struct exp_trace *traces = lit_alloc(count, sizeof *traces);
    bool good = true;
    // If workgroups wait for others, repeat with as many at a time as possible.
    for (unsigned resident = FEW; good && c.findings.starved && resident <= MANY;
         resident += MANY - FEW) {
        clear(&c, traces);
        c = (struct checking){.package = package, .bounds = option ? &all : &sample, .out = out};
        good = trace_run(&c, name, option, resident, traces, error) && look(&c, traces, error);
    }
    if (good)
        put_all(&c, traces);
    for (size_t i = 0; i < KINDS && good; i++) {
        if (!c.kinds[i])
            continue;
        text_puts(sums, sums->length ? " and " : "");
        if (c.kinds[i] == 1)
            text_puts(sums, names[i].a);
        else
            text_printf(sums, "%zu %s", c.kinds[i], names[i].several);
    }
    clear(&c, traces);
    return good;
}
