// SPDX-License-Identifier: Apache-2.0
// Marks the lines of a listing that do what the test asks about, so that could have failed. The
// code alone cannot tell more.
#include "report/code.h"

#include "report/format.h"

#include <stdlib.h>
#include <string.h>

enum asked {
    CROSS_LANE, // the values that lanes receive from each other
    MEMORY,     // the values read from memory that others write
    NEITHER     // whether and when a lane goes on
};

// The first start that a test's name has decides. All other tests ask about cross-lane reads.
static const struct {
    const char *start;
    enum asked asked;
} tests[] = {
    {"barrier.", NEITHER},
    {"lookback.", MEMORY},
    {"memory.", MEMORY},
    {"progress.", MEMORY},
    {"scan.blelloch/", MEMORY},
    {"scan.blelloch@", MEMORY},
    {"scan.hillis-steele", MEMORY},
    {"scan.vector-sum-grid", MEMORY},
};

static enum asked asked_by(const char *test)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (strncmp(test, tests[i].start, strlen(tests[i].start)) == 0)
            return tests[i].asked;
    return CROSS_LANE;
}

// --- Text: SPIR-V as the SIMT simulator lists it, and assembly of AMD's GPUs

// What a line of either language has that takes a value from another lane, or from memory.
static const char *const cross_lane[] = {
    "OpGroupNonUniform", "OpSubgroup", "ds_bpermute", "ds_permute", "ds_swizzle", "v_permlane",
    "v_readlane", "v_writelane", "v_readfirstlane",
    // Data-parallel primitives take an operand from another lane.
    "_dpp ", " quad_perm:", " row_shl:", " row_shr:", " row_ror:", " row_share:", " row_xmask:",
    " row_mirror", " row_newbcast:", " row_bcast:", " wave_shl:", " wave_shr:", " wave_rol:",
    " wave_ror:", " row_half_mirror", " dpp8:", NULL};
static const char *const memory[] = {"OpAtomic",      "buffer_load", "buffer_atomic", "global_load",
                                     "global_atomic", "flat_load",   "flat_atomic",   "ds_read",
                                     "ds_load",       "ds_add",      "ds_cmpst",      NULL};

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// The first word after number, indentation and "%x = ".
static const char *opcode(const char *line)
{
    line += strspn(line, " \t0123456789");
    const char *assigned = *line == '%' ? strstr(line, " = ") : NULL;
    return assigned ? assigned + strlen(" = ") : line;
}

static bool is_known(const struct isa_listing *listing)
{
    bool known = false;
    for (size_t i = 0; i < listing->count && !known; i++) {
        const char *word = opcode(listing->lines[i].text);
        known = starts(word, "s_endpgm") || starts(word, "OpReturn");
    }
    return known;
}

// Variables of an invocation, and built-in ones: no other invocation writes them.
static bool is_own_pointer(const struct isa_listing *listing, const char *pointer)
{
    const size_t length = strcspn(pointer, " ");
    if (starts(pointer, "%gl_"))
        return true;
    for (size_t i = 0; i < listing->count; i++) {
        const char *line = listing->lines[i].text;
        line += strspn(line, " 0123456789");
        if (strncmp(line, pointer, length) == 0 && starts(line + length, " = "))
            return strstr(line, "%_ptr_Function_") || strstr(line, "%_ptr_Private_") ||
                   strstr(line, "%_ptr_Input_");
    }
    return false;
}

static bool text_asks(const struct isa_listing *listing, size_t line, enum asked asked)
{
    const char *word = opcode(listing->lines[line].text);
    if (asked == MEMORY && starts(word, "OpLoad ")) {
        const char *pointer = strchr(word + strlen("OpLoad "), ' ');
        return pointer && !is_own_pointer(listing, pointer + 1);
    }
    for (const char *const *has = asked == MEMORY ? memory : cross_lane; *has; has++)
        if (strstr(word, *has))
            return !starts(word, "OpAtomicStore");
    return false;
}

// --- SASS

// The result only feeds a BRA.CONV or BRA.DIV: the compiler put this line in, not the test.
static bool is_compilers(const struct isa_entry *entry, size_t line)
{
    for (size_t i = 0; i < entry->lint.count; i++)
        if (entry->lint.findings[i].read == line && entry->lint.findings[i].kind == LINT_QUERY)
            return true;
    return false;
}

static bool sass_asks(const struct isa_entry *entry, size_t line, enum asked asked)
{
    const enum sass_op op = entry->listing.sass.insns[line].op;
    if (asked == CROSS_LANE)
        return sass_is_cross_lane(op) && !is_compilers(entry, line);
    return op == SASS_LD || op == SASS_LDG || op == SASS_LDS || op == SASS_ATOM ||
           op == SASS_ATOMG || op == SASS_ATOMS;
}

static void mark_risks(const struct isa_entry *entry, char *lines)
{
    for (size_t i = 0; i < entry->lint.count; i++) {
        const struct lint_finding *finding = &entry->lint.findings[i];
        const size_t both[] = {finding->read, finding->other};
        const bool marked = lint_is_risk(finding->kind) || finding->kind == LINT_SHARED;
        for (size_t k = 0; marked && k < 2; k++)
            if (both[k] < entry->listing.count && lines[both[k]] == ' ')
                lines[both[k]] = REPORT_MARK_RISK;
    }
}

// --- Words

static void put_candidates(struct report_marks *marks, enum asked asked, bool failed)
{
    const char *what = asked == CROSS_LANE ? "cross-lane read" : "memory read";
    struct text *words = &marks->words;
    const char *count = COUNT(marks->count);
    if (marks->count == 1)
        text_printf(words, "The marked instruction is the only known %s: %s.", what,
                    failed ? "if the wrong value was read, it was here"
                           : "a wrong value comes from here");
    else if (failed)
        text_printf(words,
                    "Marked are the %s known %ss. Each is one of %s that could have read the wrong "
                    "value; which one it was, the code does not say.",
                    count, what, count);
    else
        text_printf(words, "Marked are the %s known %ss: what the test is about.", count, what);
}

static void put_words(struct report_marks *marks, enum asked asked, bool known, bool failed)
{
    struct text *words = &marks->words;
    if (asked == NEITHER)
        text_puts(
            words,
            "No instruction is marked: the test is about forward progress, not about a value.");
    else if (!known)
        text_puts(words, "No line is marked: what a line of this representation does is not "
                         "known here.");
    else if (marks->count == 0)
        text_printf(words, "No instruction is marked: none is known to be a %s.",
                    asked == CROSS_LANE ? "cross-lane read" : "read of memory that others write");
    else
        put_candidates(marks, asked, failed);
}

void report_marks_make(const struct isa_entry *entry, const char *test, bool failed,
                       struct report_marks *marks)
{
    const struct isa_listing *listing = &entry->listing;
    const enum asked asked = asked_by(test);
    const bool sass = listing->sass.count > 0;
    const bool known = sass || is_known(listing);
    *marks = (struct report_marks){.lines = lit_alloc(listing->count + 1, 1)};
    for (size_t i = 0; i < listing->count; i++) {
        const bool asks = asked != NEITHER && known &&
                          (sass ? sass_asks(entry, i, asked) : text_asks(listing, i, asked));
        marks->lines[i] = asks ? REPORT_MARK_ASKED : ' ';
        marks->count += asks;
    }
    if (sass)
        mark_risks(entry, marks->lines);
    if (listing->count)
        put_words(marks, asked, known, failed);
}

void report_marks_clear(struct report_marks *marks)
{
    free(marks->lines);
    text_free(&marks->words);
    *marks = (struct report_marks){0};
}
