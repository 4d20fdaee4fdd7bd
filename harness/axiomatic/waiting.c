// SPDX-License-Identifier: Apache-2.0
// Generates small programs whose threads wait for each other, up to symmetry, and keeps those that
// distinguish progress models: they must end under fair and need not under none, and removing any
// part changes the set of models under which they must end.
#include "axiomatic/progress.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, LENGTH = 4, SETS = 1 << AXI_NONE };

// What a thread does with location x: a letter, and the value concerned.
static const struct item {
    char name[3];
    const char *lines[3];
} items[] = {
    {"s0", {"st.atom.dv.sc0 x, 0"}},
    {"s1", {"st.atom.dv.sc0 x, 1"}},
    {"s2", {"st.atom.dv.sc0 x, 2"}},
    // Waits until x has the value.
    {"w0", {"L%zu:", "ld.atom.dv.sc0 r0, x", "bne r0, 0, L%zu"}},
    {"w1", {"L%zu:", "ld.atom.dv.sc0 r0, x", "bne r0, 1, L%zu"}},
    {"w2", {"L%zu:", "ld.atom.dv.sc0 r0, x", "bne r0, 2, L%zu"}},
    // Waits while x has the value.
    {"n0", {"L%zu:", "ld.atom.dv.sc0 r0, x", "beq r0, 0, L%zu"}},
    {"n1", {"L%zu:", "ld.atom.dv.sc0 r0, x", "beq r0, 1, L%zu"}},
    {"n2", {"L%zu:", "ld.atom.dv.sc0 r0, x", "beq r0, 2, L%zu"}},
    // Takes a lock that is 0 while free.
    {"t1", {"L%zu:", "rmw.atom.dv.sc0 r0, x, 1", "bne r0, 0, L%zu"}},
    {"t2", {"L%zu:", "rmw.atom.dv.sc0 r0, x, 2", "bne r0, 0, L%zu"}},
    // Writes the value, and ends if x was 0.
    {"g1", {"rmw.atom.dv.sc0 r0, x, 1", "beq r0, 0, E"}},
    {"g2", {"rmw.atom.dv.sc0 r0, x, 2", "beq r0, 0, E"}},
    // Ends if x has the value.
    {"e1", {"ld.atom.dv.sc0 r0, x", "beq r0, 1, E"}},
    {"e2", {"ld.atom.dv.sc0 r0, x", "beq r0, 2, E"}},
};

#define ITEMS (sizeof items / sizeof *items)

struct draft {
    size_t threads, length[THREADS];
    uint8_t item[THREADS][LENGTH];
};

struct search {
    struct axi_waiting *found;
    size_t count, most, of_set[SETS];
};

static void put_name(const struct draft *draft, char *name)
{
    for (size_t t = 0; t < draft->threads; t++) {
        if (t)
            *name++ = '-';
        for (size_t i = 0; i < draft->length[t]; i++, name += 2)
            memcpy(name, items[draft->item[t][i]].name, 2);
    }
    *name = '\0';
}

// Parses a name that put_name makes; false for any other.
static bool take_name(const char *name, struct draft *draft)
{
    *draft = (struct draft){.threads = 1};
    for (; *name; name++) {
        size_t *length = &draft->length[draft->threads - 1], item = 0;
        if (*name == '-' && *length && draft->threads < THREADS) {
            draft->threads++;
            continue;
        }
        while (item < ITEMS && strncmp(items[item].name, name, 2) != 0)
            item++;
        if (item == ITEMS || *length == LENGTH)
            return false;
        draft->item[draft->threads - 1][(*length)++] = (uint8_t)item;
        name++;
    }
    return draft->length[draft->threads - 1] > 0;
}

// Row `row` of a thread; "" past its last row.
static void put_row(const struct draft *draft, size_t thread, size_t row, struct text *text)
{
    for (size_t i = 0; i < draft->length[thread]; i++) {
        const char *const *lines = items[draft->item[thread][i]].lines;
        for (size_t line = 0; line < 3 && lines[line]; line++)
            if (row-- == 0) {
                // The label's number is the only conversion in a line.
                const char *label = strstr(lines[line], "%zu");
                const size_t before = label ? (size_t)(label - lines[line]) : strlen(lines[line]);
                text_append(text, lines[line], before);
                if (label)
                    text_printf(text, "%zu%s", i, label + strlen("%zu"));
                return;
            }
    }
    text_puts(text, row == 0 ? "E:" : "");
}

static void put_program(const struct draft *draft, enum axi_place place, const char *name,
                        struct text *text)
{
    const size_t rows = 3 * LENGTH + 1;
    text_printf(text, "VULKAN %s\n{ x=0; }\n", name);
    for (size_t t = 0; t < draft->threads; t++)
        text_printf(text, "%s P%zu@sg %zu, wg %zu, qf 0", t ? " |" : "", t,
                    place == AXI_SUBGROUPS ? t : 0, place == AXI_WORKGROUPS ? t : 0);
    text_puts(text, " ;\n");
    for (size_t row = 0; row < rows; row++) {
        OWNED(text_free) struct text line = {0};
        for (size_t t = 0; t < draft->threads; t++) {
            text_puts(&line, t ? " | " : " ");
            put_row(draft, t, row, &line);
        }
        if (line.length == strspn(line.data, " |"))
            break;
        text_printf(text, "%s ;\n", line.data);
    }
}

// The models under which it must end.
static unsigned decide(const struct draft *draft)
{
    OWNED(text_free) struct text text = {0};
    OWNED(axi_program_clear) struct axi_program program = {0};
    OWNED(axi_ending_clear) struct axi_ending ending = {0};
    struct lit_error error = {0};
    unsigned ends = 0;
    put_program(draft, AXI_WORKGROUPS, "a", &text);
    if (!axi_parse(text.data, text.length, &program, &error) || !axi_end(&program, &ending, &error))
        lit_give_up("a generated program cannot be decided");
    for (int model = 0; model < AXI_PROGRESSES; model++)
        ends |= (unsigned)!ending.endless[model] << model;
    return ends;
}

// Whether a program that differs only in value names precedes this one.
static bool is_mirrored(const char *name)
{
    char other[AXI_WAITING_NAME];
    size_t i = 0;
    do
        other[i] = name[i] == '1' ? '2' : name[i] == '2' ? '1' : name[i];
    while (name[i++]);
    return strcmp(other, name) < 0;
}

static bool is_any(const struct draft *draft, const char *letters, bool last)
{
    for (size_t t = 0; t < draft->threads; t++)
        for (size_t i = last ? draft->length[t] - 1 : 0; i < draft->length[t]; i++)
            if (strchr(letters, items[draft->item[t][i]].name[0]))
                return true;
    return false;
}

// Removes one instruction, or a thread that would be empty. False if one thread would be left.
static bool leave_out(const struct draft *from, size_t thread, size_t at, struct draft *to)
{
    *to = *from;
    if (from->length[thread] > 1) {
        memmove(&to->item[thread][at], &to->item[thread][at + 1], LENGTH - 1 - at);
        to->length[thread]--;
        return true;
    }
    to->threads--;
    for (size_t t = thread; t < to->threads; t++) {
        to->length[t] = from->length[t + 1];
        memcpy(to->item[t], from->item[t + 1], LENGTH);
    }
    return to->threads > 1;
}

static void consider(struct search *search, const struct draft *draft)
{
    struct axi_waiting made;
    put_name(draft, made.name);
    // Some thread waits, some thread writes, and no thread finishes with a conditional end.
    if (is_mirrored(made.name) || !is_any(draft, "wnt", false) || !is_any(draft, "stg", false) ||
        is_any(draft, "ge", true))
        return;
    made.ends = decide(draft);
    if (!(made.ends >> AXI_FAIR & 1) || made.ends >> AXI_NONE & 1 ||
        search->of_set[made.ends] == search->most)
        return;
    for (size_t t = 0; t < draft->threads; t++)
        for (size_t i = 0; i < draft->length[t]; i++) {
            struct draft less;
            if (leave_out(draft, t, i, &less) && decide(&less) == made.ends)
                return;
        }
    search->of_set[made.ends]++;
    LIT_ADD(search->found, search->count) = made;
}

static void fill(struct search *search, struct draft *draft, size_t thread, size_t at)
{
    if (thread == draft->threads) {
        consider(search, draft);
    } else if (at == draft->length[thread]) {
        fill(search, draft, thread + 1, 0);
    } else {
        for (size_t item = 0; item < ITEMS; item++) {
            draft->item[thread][at] = (uint8_t)item;
            fill(search, draft, thread, at + 1);
        }
    }
}

struct axi_waiting *axi_waiting_make(size_t most, size_t *count)
{
    static const size_t shapes[][THREADS] = {{1, 1}, {1, 2}, {2, 1},    {1, 1, 1}, {2, 2},
                                             {1, 3}, {3, 1}, {1, 1, 2}, {1, 2, 1}, {2, 1, 1}};
    struct search search = {.most = most};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct draft draft = {.threads = shapes[i][2] ? 3 : 2};
        memcpy(draft.length, shapes[i], sizeof draft.length);
        fill(&search, &draft, 0, 0);
    }
    *count = search.count;
    return search.found;
}

void axi_waiting_write(const struct axi_waiting *of, enum axi_place place, struct text *name,
                       struct text *text)
{
    struct draft draft;
    size_t set = 0;
    while (axi_sets[set].ends != of->ends)
        set++;
    text_printf(name, AXI_WAITING "%s-%s-%s", axi_place_word(place), axi_sets[set].word, of->name);
    if (take_name(of->name, &draft))
        put_program(&draft, place, name->data, text);
}
