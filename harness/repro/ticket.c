// SPDX-License-Identifier: Apache-2.0
// ticket.md of a bundle: the text for a driver developer's tracker, who knows nothing of litmus.

#include "model/emulated.h"
#include "report/format.h"
#include "repro/repro.h"

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

// Of a listing's lines: shown, or shown with the mark of what is wrong.
enum choice { HIDDEN = 0, SHOWN = ' ', MARKED = '>' };

// Chooses a list of numbers and ranges ("3 7-12", in this base; "9!" is marked) of 1 to `count`.
static void choose_said(const char *list, int base, char *chosen, size_t count)
{
    char *end;
    for (const char *at = list; at && *at; at = end + strspn(end, "! \n")) {
        const unsigned long first = strtoul(at, &end, base);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, base) : first;
        if (end == at)
            return;
        for (unsigned long i = first; i <= last && i < count; i++)
            chosen[i] = *end == '!' ? MARKED : SHOWN;
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
    char *chosen;
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

static bool is(const struct module *m, size_t at, const char *name)
{
    return begins(opcode_of(m->lines[at]), name);
}

// Chooses an instruction, the label of its block, and what declares the block's merge with the
// branch behind it: all, if there is room.
static void choose_block(struct module *m, size_t at, size_t *room)
{
    size_t all[4] = {at, at, at, at}, wanted = 0;
    while (all[1] > m->body && !is(m, all[1], "OpLabel"))
        all[1]--;
    for (size_t i = all[1] + 1; i < m->count && !is(m, i, "OpLabel"); i++)
        if (is(m, i, "OpLoopMerge") || is(m, i, "OpSelectionMerge"))
            all[3] = 1 + (all[2] = i);
    for (int i = 0; i < 4; i++)
        wanted += !m->chosen[all[i]] && (!i || all[i] != at);
    if (wanted > *room)
        return;
    for (int i = 0; i < 4; i++)
        if (!m->chosen[all[i]])
            m->chosen[all[i]] = SHOWN;
    *room -= wanted;
}

// Chooses at most `*room` instructions of the functions: those of a lower rank first, and of one
// rank the last ones, up to the last of rank 0.
static void choose_instructions(struct module *m, size_t *room)
{
    size_t end = m->count;
    while (end > m->body && rank(opcode_of(m->lines[end])) > 0)
        end--;
    if (end <= m->body)
        end = m->count;
    for (int level = 0; level < RANKS && m->body; level++)
        for (size_t i = 0; i <= m->count - m->body && *room; i++) {
            const size_t at = end >= m->body + i ? end - i : m->count - (i - (end - m->body) - 1);
            if (!m->chosen[at] && rank(opcode_of(m->lines[at])) <= level)
                choose_block(m, at, room);
        }
}

// Appends a line of a listing up to its semicolon, with its mark and its number or address.
static void put_listed(struct line line, enum choice mark, size_t number, bool address,
                       struct text *out)
{
    const size_t blanks = strspn(line.at, " \t>!");
    line = (struct line){line.at + blanks, strcspn(line.at + blanks, ";\n")};
    while (line.size && line.at[line.size - 1] == ' ')
        line.size--;
    text_printf(out, address ? "    %c %04zx  " : "    %c%4zu  ", mark, number);
    text_append(out, line.at, line.size < MOST_WIDTH ? line.size : MOST_WIDTH);
    text_puts(out, "\n");
}

static void put_spirv(const struct repro *repro, struct module *m, size_t most, struct text *out)
{
    OWNED(text_free) struct text list = {0}, words = {0};
    const bool said = put_said(repro, "instructions", "", &list);
    size_t count = 0, before = 0;
    if (!m->count) {
        text_puts(out, "**SPIR-V:** `test.spv`\n\n");
        return;
    }
    if (said)
        choose_said(list.data, 10, m->chosen, m->count + 1);
    for (size_t i = 1; i <= m->count; i++)
        count += m->chosen[i] != HIDDEN;
    size_t room = count < most ? most - count : 0;
    for (size_t i = 1; said && i <= m->count; i++)
        if (m->chosen[i])
            choose_block(m, i, &room);
    if (!said)
        choose_instructions(m, &room);
    text_printf(&words, "**SPIR-V** (%zu of the %zu instructions of `test.spvasm`, numbered",
                most - room, m->count);
    for (const char *at = m->page; at < m->lines[1].at; at++)
        before += *at == '\n';
    if (repro->plain) // nothing but instructions behind that
        text_printf(&words, "; file line: number + %zu", before);
    if (!said && m->count - m->body + 1 > most)
        text_puts(&words, "; group operations, barriers and atomics first, then control flow");
    text_puts(&words, "):");
    text_paragraph(out, "", words.data);
    text_puts(out, "\n");
    for (size_t i = 1; i <= m->count && most; i++)
        if (m->chosen[i]) {
            put_listed(m->lines[i], (enum choice)m->chosen[i], i, false, out);
            most--;
        }
    text_puts(out, "\n");
}

// --- Machine code

// The address of a line of nvdisasm, `/*0430*/  @P2 BRA 0x4a0 ;`, and of the line what is behind
// it. SIZE_MAX: it is another line.
static size_t take_address(struct line *line)
{
    char *end;
    const size_t blanks = strspn(line->at, " \t");
    if (strncmp(line->at + blanks, "/*", 2) != 0)
        return SIZE_MAX;
    const size_t address = strtoul(line->at + blanks + 2, &end, 16);
    if (strncmp(end, "*/", 2) != 0)
        return SIZE_MAX;
    *line = (struct line){end + 2, (size_t)(line->at + line->size - end - 2)};
    return address;
}

enum { MOST_NUMBERS = 1 << 16 }; // lines, or addresses, of a listing

// The addresses, or the lines, that were said; else the marked lines.
static void put_code(const struct repro *repro, const struct repro_bundle *bundle, struct text *out)
{
    OWNED(text_free) struct text list = {0}, lines = {0};
    OWNED(lit_free) char *chosen = lit_alloc(MOST_NUMBERS, sizeof *chosen);
    const bool said = put_said(repro, "code", "", &list), sass = repro_find(bundle, "code.sass");
    const char *file = said && sass ? "code.sass" : "code.txt";
    size_t count = 0, number = 0;
    const struct text *listing = repro_find(bundle, file);
    if (!listing)
        return;
    choose_said(list.data, sass ? 16 : 10, chosen, MOST_NUMBERS);
    for (const char *at = listing->data; *at && count < MOST_CODE;) {
        struct line line = next_line(&at);
        number = said && sass ? take_address(&line) : number + 1;
        if (said ? number < MOST_NUMBERS && chosen[number] != HIDDEN
                 : line.size > 2 && strchr(">!", line.at[0]) &&
                       strchr("0123456789abcdef%", line.at[2])) {
            put_listed(line, said ? (enum choice)chosen[number] : SHOWN, number, said && sass,
                       &lines);
            count++;
        }
    }
    if (!count)
        return;
    text_printf(out, "**Machine code** (`%s`%s):\n\n", file,
                !said  ? ", instructions that could have read a wrong value, by line"
                : sass ? ", from nvdisasm, by address; > marks what is wrong"
                       : ", by line; > marks what is wrong");
    text_append(out, lines.data, lines.length);
    text_puts(out, "\n");
}

void repro_mark(const struct repro *repro, const struct text *listing, struct text *out)
{
    OWNED(text_free) struct text list = {0};
    OWNED(lit_free) char *chosen = lit_alloc(MOST_NUMBERS, sizeof *chosen);
    const bool sass = repro_find(repro->kept, "code.sass");
    const char *at = listing->data;
    if (!put_said(repro, "code", "", &list)) {
        text_append(out, at, listing->length);
        return;
    }
    choose_said(list.data, sass ? 16 : 10, chosen, MOST_NUMBERS);
    for (size_t line = 1; *at; line++) {
        struct line words = next_line(&at);
        if (line == 4) { // what its own marks mean
            while (words.size)
                words = next_line(&at);
            text_puts(out, "> marks what ticket.md says is wrong.\n\n");
            line = 5;
            continue;
        }
        char *end = (char *)words.at;
        const size_t number = sass && words.size > 6 ? strtoul(words.at + 1, &end, 16) : line;
        const bool wrong =
            (!sass || end == words.at + 6) && number < MOST_NUMBERS && chosen[number] == MARKED;
        if (wrong || (words.size && strchr(">!", *words.at))) {
            text_puts(out, wrong ? ">" : " ");
            words = (struct line){words.at + 1, words.size - 1};
        }
        text_append(out, words.at, words.size);
        text_puts(out, "\n");
    }
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
    text_puts(out, "\n**Steps** (C compiler, make, Vulkan headers and loader");
    if (repro->ready->code.subgroup)
        text_printf(out, "; a device with subgroups of %" PRIu32, repro->ready->code.subgroup);
    if (repro->ready->code.subgroup && repro->facts->driver_id == DRIVER_LAVAPIPE)
        text_printf(out, ", so lavapipe with vectors of %" PRIu32 " bits",
                    repro->ready->code.subgroup * 32);
    text_printf(out,
                "): `VK_DRIVER_FILES=FILE.json sh run` chooses the driver, `-d N` the device, `-n "
                "N` the runs, `-m FILE` another module. The last line has the exit code: 0 no run "
                "wrong, 1 a run wrong or a crash, 125 unknown. On another driver it says THIS IS "
                "NOT THE MEASURED DRIVER, and the exit code is about that one.\n\n"
                "    tar xf %s.tar.xz && cd %s && sh run\n",
                repro->archive, repro->archive);
}

static void put_result(const struct repro *repro, const struct repro_bundle *bundle,
                       struct text *out)
{
    const struct result *result = repro->result;
    const struct eng_failure *first = result && result->failure_count ? result->failures : NULL;
    OWNED(text_free) struct text words = {0};
    text_puts(out, "\n");
    const size_t before = out->length;
    const bool said = put_said(repro, "expected", "**Expected:** ", out);
    const bool actual = put_said(repro, "actual", "**Actual:** ", out);
    if (!result)
        return;
    if (first && !said)
        repro_printf(&words, "**Expected:** 0x%08x (run %" PRIu64 ", %s). **Actual:** 0x%08x. ",
                     first->at.want, first->at.run + 1, first->where, first->at.got);
    if (strstr(out->data + before, "0xc0dedead") || (first && !said && first->at.got == CAT_POISON))
        text_puts(&words, "0xc0dedead stands where nothing was written. ");
    const bool ended = result->result != ENG_FAIL && result->result != ENG_PASS;
    if (!result->judged && actual) { // which says in how many processes
        if (repro_find(bundle, "evidence.txt"))
            text_puts(out, "What the driver said, and where it was, is in `evidence.txt`.\n");
        return;
    }
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

// False for a sentence of an extension of SPIR-V that the module does not declare.
static bool declares(const struct repro *repro, const char *sentence)
{
    char wanted[80];
    if (strncmp(sentence, "SPV_", 4) != 0)
        return true;
    snprintf(wanted, sizeof wanted, "OpExtension \"%.*s\"", (int)strcspn(sentence, ",: "),
             sentence);
    return strstr(repro->plain ? repro->plain : repro->page, wanted);
}

static void put_rules(const struct repro *repro, struct text *out)
{
    const struct cat_head *head = repro->head;
    OWNED(text_free) struct text version = {0};
    const bool excluded = repro->expectation && !strcmp(repro->expectation, "forbidden");
    text_printf(&version,
                "The module declares SPIR-V 1.%" PRIu32 "; by section 1.3.1 of the SPIR-V "
                "specification the last revision of 1.6 holds for it, too.",
                repro->words[1] >> 8 & 0xff);
    const size_t before = out->length;
    if (put_said(repro, "spec", "**Specification:** ", out)) {
        if (strstr(out->data + before, "tangle")) // a word of 1.6
            text_paragraph(out, "", version.data);
        return;
    }
    text_puts(out, "**Specification:**");
    if (!excluded || repro->ready->interface)
        text_puts(out, " to be added: the sentence that requires what `expected.bin` has. Without "
                       "one this is\na question, not a bug report.");
    text_puts(out, "\n\n");
    const size_t first = count_lines(out);
    for (size_t i = 0; excluded && !repro->ready->interface && i < head->spec_count; i++) {
        const size_t end = out->length;
        if (!declares(repro, head->spec[i]))
            continue;
        text_paragraph(out, "- ", head->spec[i]);
        if (count_lines(out) > first + MOST_RULES) {
            out->length = end;
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
