// SPDX-License-Identifier: Apache-2.0
// Parses the .test format of Khronos's Alloy model: one or a few executions, and assertions on
// them.
#include "axiomatic/scan.h"

#include <ctype.h>

struct parse {
    struct axi_scan *scan; // one line
    struct axi_program *program;
    struct axi_thread *thread;
    unsigned group[AXI_DEVICE];
    unsigned next; // next number for an unnumbered thread
    int64_t value; // value of the next write that gives none; no other write uses it
};

static struct axi_thread *add_thread(struct parse *p, unsigned number)
{
    struct axi_program *program = p->program;
    if (program->thread_count == AXI_THREADS) {
        axi_beyond(p->scan, "more than %d threads", AXI_THREADS);
        return NULL;
    }
    if (axi_thread_of(program, number)) {
        axi_wrong(p->scan, "a second thread %u", number);
        return NULL;
    }
    struct axi_thread *thread = &program->threads[program->thread_count++];
    thread->number = number;
    memcpy(thread->group, p->group, sizeof thread->group);
    p->next = number + 1;
    return thread;
}

static bool take_group(struct parse *p, bool *taken)
{
    static const char *const words[] = {"NEWSG", "NEWWG", "NEWQF"};
    uint32_t number = p->next;
    for (int i = 0; i < AXI_DEVICE; i++)
        if (axi_take_word(p->scan, words[i])) {
            p->group[i]++;
            return *taken = true;
        }
    if (!axi_take_word(p->scan, "NEWTHREAD"))
        return true;
    *taken = true;
    if (axi_is_number(p->scan) && !axi_small(p->scan, &number))
        return false;
    p->thread = add_thread(p, number);
    return p->thread != NULL;
}

static bool take_parts(struct parse *p, struct axi_instruction *of)
{
    bool loads = false, stores = false, barrier = false, control = false, device = false;
    const struct axi_scan before = *p->scan;
    do {
        char part[AXI_NAME];
        if (!axi_word(p->scan, part))
            return false;
        const bool both = strcmp(part, "rmw") == 0;
        if (both || strcmp(part, "ld") == 0 || strcmp(part, "st") == 0) {
            loads |= both || part[0] == 'l';
            stores |= both || part[0] == 's';
            of->atomic |= both;
        } else if (strcmp(part, "membar") == 0 || strcmp(part, "cbar") == 0) {
            barrier = true;
            control |= part[0] == 'c';
        } else if (strcmp(part, "avdevice") == 0 || strcmp(part, "visdevice") == 0) {
            device = true;
            of->kind = part[0] == 'a' ? AXI_AVAILABLE_DEVICE : AXI_VISIBLE_DEVICE;
        } else if (!axi_qualify(p->scan, part, of)) {
            return false;
        }
    } while (p->scan->at < p->scan->end && *p->scan->at == '.' && p->scan->at++);
    if ((loads || stores) + barrier + device != 1)
        return axi_wrong(&before, "one of ld, st, rmw, membar, cbar, avdevice, visdevice expected");
    if (loads && stores && !of->atomic)
        return axi_wrong(&before, "what loads and stores is atomic");
    if (device)
        return true;
    of->execution = of->scope; // the format has no separate one: it identifies the dynamic instance
    of->kind = loads ? stores ? AXI_RMW : AXI_LOAD : AXI_STORE;
    if (barrier)
        of->kind = control ? AXI_CONTROL_BARRIER : AXI_MEMORY_BARRIER;
    return axi_complete(&before, of);
}

// NAME [= VALUE [VALUE]]
static bool take_place(struct parse *p, struct axi_instruction *of)
{
    if (!axi_refer(p->scan, p->program, &of->reference))
        return false;
    of->a.value = --p->value;
    if (!axi_take(p->scan, "="))
        return true;
    int64_t *first = of->kind == AXI_STORE ? &of->a.value : &of->wanted;
    of->wants = of->kind != AXI_STORE;
    if (!axi_number(p->scan, first))
        return false;
    return of->kind != AXI_RMW || !axi_is_number(p->scan) || axi_number(p->scan, &of->a.value);
}

static bool take_instruction(struct parse *p)
{
    if (!p->thread && !(p->thread = add_thread(p, 0)))
        return false;
    struct axi_instruction *made = axi_append(p->scan, p->thread);
    if (!made || !take_parts(p, made))
        return false;
    if (made->kind <= AXI_RMW)
        return take_place(p, made);
    return made->kind != AXI_CONTROL_BARRIER || axi_small(p->scan, &made->barrier);
}

// #dr=0, #dr>0, #rs=N, #rs>N, in parentheses or not.
static bool take_count(struct axi_scan *scan, struct axi_check *check)
{
    const bool opened = axi_take(scan, "(");
    int64_t number = 0;
    if (!axi_expect(scan, "#"))
        return false;
    const bool race = axi_take_word(scan, "dr");
    if (!race && !axi_take_word(scan, "rs"))
        return axi_wrong(scan, "dr or rs expected");
    const bool more = axi_take(scan, ">");
    if ((!more && !axi_expect(scan, "=")) || !axi_number(scan, &number))
        return false;
    if (race && number != 0)
        return axi_wrong(scan, "#dr=0 or #dr>0 expected");
    if (race) {
        check->race = more ? 1 : -1;
    } else {
        check->sizes_sequence = true;
        check->operator= more ? AXI_GT : AXI_EQ;
        check->size = number;
    }
    return !opened || axi_expect(scan, ")");
}

static bool take_check(struct parse *p, bool *taken)
{
    struct axi_scan *scan = p->scan;
    struct axi_check check = {.condition = AXI_TRUE, .any_candidate = true};
    const char *text = scan->at;
    const bool none = axi_take_word(scan, "NOSOLUTION");
    if (!none && !axi_take_word(scan, "SATISFIABLE"))
        return true;
    *taken = true;
    check.quantifier = none ? AXI_EXISTS_NOT : AXI_EXISTS;
    check.without_chains = axi_take_word(scan, "NOCHAINS");
    do {
        if (axi_take_word(scan, "consistent")) {
            check.any_candidate = false;
            if (!axi_expect(scan, "[") || !axi_expect(scan, "X") || !axi_expect(scan, "]"))
                return false;
        } else if (!take_count(scan, &check)) {
            return false;
        }
    } while (axi_take(scan, "&&"));
    size_t length = (size_t)(scan->at - text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    snprintf(check.text, sizeof check.text, "%.*s", (int)(length < 60 ? length : 60), text);
    if (p->program->check_count == AXI_CHECKS)
        return axi_beyond(scan, "more than %d checks", AXI_CHECKS);
    p->program->checks[p->program->check_count++] = check;
    return true;
}

// SSW and SLOC, which apply to the whole program.
static bool take_later(struct parse *p, bool *taken)
{
    struct axi_program *program = p->program;
    if (axi_take_word(p->scan, "SSW")) {
        int first = 0, second = 0;
        *taken = true;
        if (!axi_thread_number(p->scan, program, &first) ||
            !axi_thread_number(p->scan, program, &second))
            return false;
        program->synchronizes[first] |= 1u << second;
        return first != second || axi_wrong(p->scan, "SSW needs two threads");
    }
    if (axi_take_word(p->scan, "SLOC")) {
        uint8_t first = 0, second = 0;
        *taken = true;
        if (!axi_refer(p->scan, program, &first) || !axi_refer(p->scan, program, &second))
            return false;
        const uint8_t gone = program->references[second].location;
        for (size_t i = 0; i < program->reference_count; i++)
            if (program->references[i].location == gone)
                program->references[i].location = program->references[first].location;
    }
    return true;
}

// Each line stands alone. SSW and SLOC lines are parsed after all others.
static bool take_lines(struct parse *p, const struct axi_scan *all, bool later)
{
    const char *at = all->at;
    for (uint32_t line = all->line; at < all->end; line++) {
        const char *end = memchr(at, '\n', (size_t)(all->end - at));
        end = end ? end : all->end;
        struct axi_scan scan = {
            .at = at, .end = end, .line_start = at, .line = line, .error = all->error};
        bool taken = false;
        p->scan = &scan;
        axi_skip(&scan);
        const bool blank = scan.at == end || (end - scan.at >= 2 && memcmp(scan.at, "//", 2) == 0);
        const bool is_later =
            end - scan.at > 3 && (memcmp(scan.at, "SSW", 3) == 0 || memcmp(scan.at, "SLO", 3) == 0);
        if (!blank && is_later == later) {
            if (later ? !take_later(p, &taken) : !take_group(p, &taken))
                return false;
            if (!taken && !later && !take_check(p, &taken))
                return false;
            if (!taken && (later || !take_instruction(p)))
                return !later ? false : axi_wrong(&scan, "SSW or SLOC expected");
            axi_skip(&scan);
            if (scan.at < scan.end)
                return axi_wrong(&scan, "the end of the line expected");
        }
        at = end < all->end ? end + 1 : end;
    }
    return true;
}

bool axi_parse_alloy(struct axi_scan *scan, struct axi_program *program)
{
    struct axi_scan all = *scan;
    // axi_skip passed only blanks: count lines from its position.
    struct parse p = {.program = program, .value = -1};
    if (!take_lines(&p, &all, false) || !take_lines(&p, &all, true))
        return false;
    return program->thread_count > 0 ||
           axi_wrong(scan, "neither a VULKAN .litmus nor an Alloy .test: no instruction");
}
