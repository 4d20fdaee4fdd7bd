// SPDX-License-Identifier: Apache-2.0
// ticket.md of a bundle: the text for a driver developer's tracker, who knows nothing of litmus.

#include "model/emulated.h"
#include "report/format.h"
#include "repro/repro.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LINES 60
#define MOST_SPIRV 20  // instructions
#define MOST_CODE  12  // instructions of machine code
#define MOST_RULES 7   // lines of the specification
#define MOST_WIDTH 110 // columns of a listing

static size_t count_lines(const struct text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text->length; i++)
        count += text->data[i] == '\n';
    return count;
}

// What the finding's author says for `key`: lines "KEY VALUE", continued by lines that begin with a
// blank. Appends each value as a paragraph that begins with `lead`. False if there is none.
static bool put_said(const struct repro *repro, const char *key, const char *lead, struct text *out)
{
    const size_t length = strlen(key), before = out->length;
    OWNED(text_free) struct text value = {0};
    bool inside = false;
    for (const char *at = repro->said; at && *at; at += strspn(at, "\n")) {
        const size_t size = strcspn(at, "\n");
        if (*at != ' ') {
            text_paragraph(out, "", value.data);
            text_free(&value);
            inside = !strncmp(at, key, length) && at[length] == ' ';
            if (inside)
                text_printf(&value, "%s%.*s", lead, (int)(size - length - 1), at + length + 1);
        } else if (inside) {
            text_append(&value, at, size);
        }
        at += size;
    }
    text_paragraph(out, "", value.data);
    return out->length > before;
}

// Appends a list of numbers and ranges ("3 7-12", in this base) to what is chosen of 1 to `count`.
static void choose_said(const char *list, int base, bool *chosen, size_t count)
{
    char *end;
    for (const char *at = list; at && *at; at = end + strspn(end, " \n")) {
        const unsigned long first = strtoul(at, &end, base);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, base) : first;
        if (end == at)
            return;
        for (unsigned long i = first; i <= last && i < count; i++)
            chosen[i] = true;
    }
}

// --- SPIR-V

struct line {
    const char *at;
    size_t size;
};

static struct line next_line(const char **text)
{
    const struct line line = {*text, strcspn(*text, "\n")};
    *text += line.size + ((*text)[line.size] == '\n');
    return line;
}

// The next instruction, without blanks before it; its size is 0 at the end.
static struct line next_instruction(const char **page)
{
    while (**page) {
        struct line line = next_line(page);
        const size_t blanks = strspn(line.at, " \t");
        if (blanks < line.size && line.at[blanks] != ';' && line.at[blanks] != '#')
            return (struct line){line.at + blanks, line.size - blanks};
    }
    return (struct line){0};
}

static struct line opcode_of(struct line line)
{
    const char *at = line.at, *end = line.at + line.size;
    while (at + 1 < end && (at[0] != 'O' || at[1] != 'p' || (at > line.at && at[-1] != ' ')))
        at++;
    size_t size = 0;
    while (at + size < end && at[size] != ' ')
        size++;
    return (struct line){at, size};
}

static bool begins(struct line opcode, const char *name)
{
    return !strncmp(opcode.at, name, strlen(name));
}

// How much an instruction of a function says about what drivers get wrong: less is more.
#define RANKS 4
static int rank(struct line opcode)
{
    static const char *const ranks[RANKS - 1][6] = {
        {"OpGroup", "OpSubgroup", "OpControlBarrier", "OpMemoryBarrier", "OpAtomic", NULL},
        {"OpLoopMerge", "OpSelectionMerge", "OpBranchConditional", "OpSwitch", "OpFunctionCall",
         NULL},
        {"OpLabel", "OpBranch", "OpPhi", "OpReturn", "OpStore", NULL}};
    for (int i = 0; i < RANKS - 1; i++)
        for (size_t j = 0; ranks[i][j]; j++)
            if (begins(opcode, ranks[i][j]))
                return i;
    return RANKS - 1;
}

struct module {
    const char *page;
    struct line *lines; // all instructions, from 1
    bool *chosen;
    size_t count, body; // `body`: the first function's first instruction
};

static struct module read_module(const struct repro *repro)
{
    struct module m = {.page = repro->plain ? repro->plain : repro->page};
    const char *at = m.page;
    size_t room = 1;
    if (!repro->plain && repro_from_glsl(repro))
        at = ""; // no SPIR-V
    for (const char *c = at; *c; c++)
        room += *c == '\n';
    m.lines = lit_alloc(room + 2, sizeof *m.lines);
    m.chosen = lit_alloc(room + 2, sizeof *m.chosen);
    for (struct line line; (line = next_instruction(&at)).size;) {
        m.lines[++m.count] = line;
        if (!m.body && begins(opcode_of(line), "OpFunction"))
            m.body = m.count;
    }
    return m;
}

// Chooses at most `most` instructions of the functions: those of a lower rank first, and of one
// rank the last ones, up to the last of rank 0.
static void choose_instructions(struct module *m, size_t most)
{
    size_t end = m->count, room = most;
    while (end > m->body && rank(opcode_of(m->lines[end])) > 0)
        end--;
    if (end <= m->body)
        end = m->count;
    for (int level = 0; level < RANKS && m->body; level++)
        for (size_t i = 0; i <= m->count - m->body && room; i++) {
            const size_t at = end >= m->body + i ? end - i : m->count - (i - (end - m->body) - 1);
            if (m->chosen[at] || rank(opcode_of(m->lines[at])) > level)
                continue;
            m->chosen[at] = true;
            room--;
        }
}

static void put_line(const char *lead, struct line line, struct text *out)
{
    text_printf(out, "    %s%.*s\n", lead, (int)(line.size < MOST_WIDTH ? line.size : MOST_WIDTH),
                line.at);
}

static void put_spirv(const struct repro *repro, struct module *m, size_t most, struct text *out)
{
    OWNED(text_free) struct text list = {0}, words = {0};
    const bool said = put_said(repro, "instructions", "", &list);
    size_t count = 0;
    if (!m->count) {
        text_puts(out, "**SPIR-V:** `test.spv`\n\n");
        return;
    }
    if (said)
        choose_said(list.data, 10, m->chosen, m->count + 1);
    else
        choose_instructions(m, most);
    for (size_t i = 1; i <= m->count; i++)
        count += m->chosen[i];
    text_printf(&words, "**SPIR-V** (%zu of the %zu instructions of `test.spvasm`, by their number",
                count < most ? count : most, m->count);
    if (!said && m->count - m->body + 1 > most)
        text_puts(&words, "; group operations, barriers and atomics first, then control flow");
    text_puts(&words, "):");
    text_paragraph(out, "", words.data);
    text_puts(out, "\n");
    for (size_t i = 1; i <= m->count && most; i++)
        if (m->chosen[i]) {
            char lead[24];
            snprintf(lead, sizeof lead, "%4zu  ", i);
            put_line(lead, m->lines[i], out);
            most--;
        }
    text_puts(out, "\n");
}

// --- Machine code

// A line of nvdisasm, `/*0430*/  @P2 BRA 0x4a0 ;`, as "0430  @P2 BRA 0x4a0". False: it is another.
static bool put_sass(struct line line, const bool *chosen, size_t count, struct text *out)
{
    char *end;
    const size_t blanks = strspn(line.at, " \t");
    if (strncmp(line.at + blanks, "/*", 2) != 0)
        return false;
    const unsigned long address = strtoul(line.at + blanks + 2, &end, 16);
    if (strncmp(end, "*/", 2) != 0 || address >= count || !chosen[address])
        return false;
    end += 2 + strspn(end + 2, " \t");
    size_t size = (size_t)(line.at + line.size - end);
    while (size && strchr(" ;", end[size - 1]))
        size--;
    text_printf(out, "    %04lx  ", address);
    text_append(out, end, size < MOST_WIDTH ? size : MOST_WIDTH);
    text_puts(out, "\n");
    return true;
}

// Of nvdisasm's listing the addresses that were said; of ours the marked lines.
static void put_code(const struct repro *repro, const struct repro_bundle *bundle, struct text *out)
{
    enum { MOST_ADDRESSES = 1 << 16 };
    OWNED(text_free) struct text list = {0}, lines = {0};
    OWNED(lit_free) bool *chosen = lit_alloc(MOST_ADDRESSES, sizeof *chosen);
    const bool said = put_said(repro, "code", "", &list);
    const char *file = said ? "code.sass" : "code.txt";
    size_t count = 0;
    const struct text *listing = repro_find(bundle, file);
    if (!listing)
        return;
    choose_said(list.data, 16, chosen, MOST_ADDRESSES);
    for (const char *at = listing->data; *at && count < MOST_CODE;) {
        const struct line line = next_line(&at);
        if (said)
            count += put_sass(line, chosen, MOST_ADDRESSES, &lines);
        else if (line.size > 2 && strchr(">!", line.at[0]) &&
                 strchr("0123456789abcdef%", line.at[2])) {
            put_line("", line, &lines);
            count++;
        }
    }
    if (!count)
        return;
    text_printf(out, "**Machine code** (`%s`%s):\n\n", file,
                said ? ", from nvdisasm" : ", instructions that could have read a wrong value");
    text_append(out, lines.data, lines.length);
    text_puts(out, "\n");
}

// --- The rest

static const char *what_happens(const struct repro *repro)
{
    if (!repro->result)
        return "not measured";
    switch (repro->result->result) {
    case ENG_FAIL:
        return "a compute shader stores wrong values";
    case ENG_CRASH:
        return "the driver crashes on a compute shader";
    case ENG_HANG:
        return "a compute shader does not end";
    case ENG_DEVICE_LOST:
        return "a compute shader loses the device";
    case ENG_NO_PROGRESS:
        return "a bounded wait in a compute shader expires";
    default:
        return "a compute shader did not fail when measured";
    }
}

static void put_title(const struct repro *repro, const struct module *m, struct text *out)
{
    struct line opcode = {0};
    if (put_said(repro, "title", "# ", out)) {
        for (char *end; (end = strchr(out->data, '\n'))[1];) // on one line
            *end = ' ';
        return;
    }
    for (size_t i = m->count; i >= m->body && i && !opcode.size; i--)
        if (rank(opcode_of(m->lines[i])) == 0)
            opcode = opcode_of(m->lines[i]);
    text_printf(out, "# %.*s%s%s\n", (int)opcode.size, opcode.size ? opcode.at : "",
                opcode.size ? ": " : "", what_happens(repro));
}

// The finding's sentence, which is the second paragraph of its page; else what the shader shows.
static void put_defect(const struct repro *repro, struct text *out)
{
    const char *at =
        repro->said && repro->page_of_finding ? strstr(repro->page_of_finding, "\n\n") : NULL;
    OWNED(text_free) struct text words = {0};
    if (at) {
        const char *end = strstr(at + 2, "\n\n");
        text_append(&words, at + 2, end ? (size_t)(end - at - 2) : strlen(at + 2));
    } else {
        text_printf(&words, "A failure means: %s", repro->head->fails);
    }
    text_puts(out, "\n");
    text_paragraph(out, "", words.data);
    const struct cat_test *test = repro->ready->which.test;
    const char *check = test ? cat_test_check(test) : NULL;
    if (check && !repro->said) { // a finding's shader was checked
        text_free(&words);
        text_printf(&words, "**The shader itself:** %.*s", (int)strcspn(check, "\n"), check);
        text_puts(out, "\n");
        text_paragraph(out, "", words.data);
    }
}

static void put_environment(const struct repro *repro, struct text *out)
{
    const struct dev_facts *facts = repro->facts;
    text_puts(out, "\n");
    repro_printf(out, "- GPU: %s (%s, 0x%04x:0x%04x), subgroups of %u (%u to %u)\n", facts->name,
                 facts->type, facts->vendor, facts->product, facts->subgroup, facts->subgroup_min,
                 facts->subgroup_max);
    const bool both = !strstr(facts->driver_info, facts->driver_version);
    repro_printf(out, "- driver: %s%s%s%s%s\n", facts->driver_name, both ? " " : "",
                 both ? facts->driver_version : "", facts->driver_info[0] ? " " : "",
                 facts->driver_info);
    repro_printf(out, "- Vulkan: %s%s%s; system: %s\n", API(facts->api),
                 facts->loader[0] ? ", loader " : "", facts->loader, repro->system);
    if (dev_facts_emulated(facts))
        text_puts(out, "- not hardware: the driver ran on a GPU in software\n");
    else if (repro->model && repro->model->simt)
        repro_printf(out, "- not a GPU: a simulated one (%s)\n", repro->model->simt);
}

static void put_steps(const struct repro *repro, struct text *out)
{
    text_printf(out,
                "\n**Steps** (C compiler, make, Vulkan headers, loader; `sh run` exits: 0 right, 1 "
                "wrong, 125 unknown):\n\n    tar xf %s.tar.xz && cd %s && make run\n",
                repro->archive, repro->archive);
}

static void put_result(const struct repro *repro, const struct repro_bundle *bundle,
                       struct text *out)
{
    const struct result *result = repro->result;
    const struct eng_failure *first = result && result->failure_count ? result->failures : NULL;
    OWNED(text_free) struct text words = {0};
    text_puts(out, "\n");
    const bool said = put_said(repro, "expected", "**Expected:** ", out);
    put_said(repro, "actual", "**Actual:** ", out);
    if (!result)
        return;
    if (first && !said)
        repro_printf(&words, "**Expected:** 0x%08x (run %" PRIu64 ", %s). **Actual:** 0x%08x. ",
                     first->at.want, first->at.run + 1, first->where, first->at.got);
    const bool ended = result->result != ENG_FAIL && result->result != ENG_PASS;
    text_puts(&words, "**Measured:** ");
    if (result->judged)
        text_printf(&words,
                    "%s of %s dispatches of %" PRIu32 " workgroup%s of %" PRIu32
                    " wrong (95 %% interval %.4g to %.4g)%s",
                    COUNT(result->failed_runs), COUNT(result->judged),
                    repro->ready->shape.workgroups, repro->ready->shape.workgroups == 1 ? "" : "s",
                    repro->ready->args.workgroup, result->interval.low, result->interval.high,
                    ended ? "; " : "");
    if (ended)
        text_printf(&words, "%s%s", eng_result_name(result->result),
                    repro_find(bundle, "evidence.txt") ? " (`evidence.txt`)" : "");
    text_puts(&words, ".");
    if (result->stress[0])
        text_puts(&words, " The GPU had other work beside it, which `make run` does not give it.");
    text_paragraph(out, "", words.data);
}

static void put_rules(const struct repro *repro, struct text *out)
{
    const struct cat_head *head = repro->head;
    OWNED(text_free) struct text version = {0};
    const bool excluded = repro->expectation && !strcmp(repro->expectation, "forbidden");
    text_printf(
        &version,
        "The module declares SPIR-V 1.%" PRIu32 "; the last revision of 1.6 applies to it by "
        "1.3.1: \"Major and Minor (but not Revision) are declared within a SPIR-V module\".",
        repro->words[1] >> 8 & 0xff);
    if (put_said(repro, "spec", "**Specification:** ", out)) {
        text_paragraph(out, "", version.data);
        return;
    }
    text_printf(
        out, "**Specification:**%s\n\n",
        excluded && !repro->ready->interface ? ""
                                             : " to be added: the sentence that requires what "
                                               "`expected.bin` has. Without "
                                               "one this is\na question, not a bug report.");
    const size_t first = count_lines(out);
    for (size_t i = 0; excluded && !repro->ready->interface && i < head->spec_count; i++) {
        const size_t before = out->length;
        text_paragraph(out, "- ", head->spec[i]);
        if (count_lines(out) > first + MOST_RULES) {
            out->length = before;
            break;
        }
    }
    text_paragraph(out, "- ", version.data);
}

static void put_workarounds(const struct repro *repro, struct text *out)
{
    OWNED(text_free) struct text words = {0}, lines = {0}, values = {0};
    if (!put_said(repro, "workaround", "**Workarounds measured:** ", &lines) &&
        repro->twin_result) {
        report_differences(repro->result, repro->twin_result, &values);
        repro_printf(&words,
                     "**Right, otherwise the same:** %s (%" PRIu64 " of %s dispatches wrong)",
                     values.data ? values.data : "another shader", repro->twin_result->failed_runs,
                     COUNT(repro->twin_result->judged));
        text_paragraph(&lines, "", words.data);
    }
    if (lines.length)
        text_printf(out, "\n%s", lines.data);
}

void repro_ticket(const struct repro *repro, const struct repro_bundle *bundle, struct text *out)
{
    OWNED(text_free) struct text code = {0}, rest = {0};
    struct module m = read_module(repro);
    put_title(repro, &m, out);
    put_defect(repro, out);
    put_environment(repro, out);
    put_steps(repro, out);
    put_result(repro, bundle, out);
    text_puts(out, "\n");
    put_code(repro, bundle, &code);
    if (put_said(repro, "cause", "**Cause, as far as seen:** ", &code))
        text_puts(&code, "\n");
    put_rules(repro, &rest);
    put_workarounds(repro, &rest);
    // The lines of SPIR-V get what the rest leaves, besides their title and two blank ones.
    const size_t used =
        count_lines(out) + count_lines(&code) + count_lines(&rest) + (repro->said ? 3 : 4);
    const size_t left = used < MOST_LINES ? MOST_LINES - used : 0;
    put_spirv(repro, &m, left < MOST_SPIRV ? left : MOST_SPIRV, out);
    text_append(out, code.length ? code.data : "", code.length);
    text_append(out, rest.data, rest.length);
    free(m.lines);
    free(m.chosen);
}
