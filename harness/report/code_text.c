// SPDX-License-Identifier: Apache-2.0
// Listings and differences as lines of text, cut to the room available.
#include "report/code.h"

#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 8 // lines before and after a marked one, if all do not fit

static void put_line(const struct isa_listing *listing, size_t line, char mark, struct text *out)
{
    const struct isa_line *at = &listing->lines[line];
    if (at->address == SASS_NOWHERE)
        text_printf(out, "%c %s\n", mark, at->text);
    else
        text_printf(out, "%c %04" PRIx32 "  %s\n", mark, at->address, at->text);
}

// Chooses the lines to show if all do not fit: those around marks, else the first ones.
static void choose(const struct isa_listing *listing, const struct report_marks *marks, bool *shown)
{
    bool any = false;
    for (size_t i = 0; i < listing->count; i++) {
        if (marks->lines[i] == ' ')
            continue;
        any = true;
        const size_t end = i + WINDOW < listing->count ? i + WINDOW : listing->count - 1;
        for (size_t k = i > WINDOW ? i - WINDOW : 0; k <= end; k++)
            shown[k] = true;
    }
    for (size_t i = 0; !any && i < listing->count; i++)
        shown[i] = true;
}

static void put_gap(size_t lines, struct text *out)
{
    if (lines)
        text_printf(out, "  ... %s line%s\n", COUNT(lines), lines == 1 ? "" : "s");
}

void report_code_listing(const struct isa_entry *entry, const struct report_marks *marks,
                         size_t most, struct text *out)
{
    const struct isa_listing *listing = &entry->listing;
    const size_t start = out->length;
    size_t left_out = 0, length = 0;
    OWNED(lit_free) bool *shown = lit_alloc(listing->count + 1, sizeof *shown);
    for (size_t i = 0; i < listing->count; i++)
        length += strlen(listing->lines[i].text) + 10;
    if (length <= most)
        memset(shown, true, listing->count);
    else
        choose(listing, marks, shown);
    for (size_t i = 0; i < listing->count; i++) {
        // Stop at the first line that does not fit.
        const size_t line = strlen(listing->lines[i].text) + 40;
        if (!shown[i] || out->length - start + line > most) {
            left_out += 1;
            if (shown[i])
                most = 0;
            continue;
        }
        put_gap(left_out, out);
        left_out = 0;
        put_line(listing, i, marks->lines[i], out);
    }
    put_gap(left_out, out);
}

// --- Differences

static bool differs(const struct isa_row *row)
{
    return row->left == SIZE_MAX || row->right == SIZE_MAX;
}

#define AROUND 4 // rows to show before and after those that differ

static bool *find_shown(const struct isa_diff *diff)
{
    bool *shown = lit_alloc(diff->count + 1, sizeof *shown);
    for (size_t i = 0; i < diff->count; i++) {
        if (!differs(&diff->rows[i]))
            continue;
        const size_t end = i + AROUND < diff->count ? i + AROUND : diff->count - 1;
        for (size_t k = i > AROUND ? i - AROUND : 0; k <= end; k++)
            shown[k] = true;
    }
    return shown;
}

// "@@ -12,7 +12,9 @@" for the adjacent rows from `at` on.
static void put_hunk(const struct isa_diff *diff, const bool *shown, size_t at, struct text *out)
{
    size_t left = 0, right = 0, left_count = 0, right_count = 0;
    for (size_t i = 0; i < at; i++) {
        left += diff->rows[i].left != SIZE_MAX;
        right += diff->rows[i].right != SIZE_MAX;
    }
    for (size_t i = at; i < diff->count && shown[i]; i++) {
        left_count += diff->rows[i].left != SIZE_MAX;
        right_count += diff->rows[i].right != SIZE_MAX;
    }
    text_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", left + (left_count > 0), left_count,
                right + (right_count > 0), right_count);
}

void report_code_difference(const struct isa_listing *paired, const char *paired_title,
                            const struct isa_listing *listing, const char *title, size_t most,
                            struct text *out)
{
    const size_t start = out->length;
    struct isa_diff diff;
    isa_diff(paired, listing, &diff);
    OWNED(lit_free) bool *shown = find_shown(&diff);
    if (diff.added + diff.dropped)
        text_printf(out, "--- %s\n+++ %s\n", paired_title, title);
    for (size_t i = 0; i < diff.count; i++) {
        const struct isa_row *row = &diff.rows[i];
        if (!shown[i])
            continue;
        const char *text = row->right == SIZE_MAX ? paired->lines[row->left].text
                                                  : listing->lines[row->right].text;
        if (out->length - start + strlen(text) + 80 > most) {
            size_t more = 0;
            for (size_t k = i; k < diff.count; k++)
                more += differs(&diff.rows[k]);
            text_printf(out, "@@ %s more lines that differ @@\n", COUNT(more));
            break;
        }
        if (i == 0 || !shown[i - 1])
            put_hunk(&diff, shown, i, out);
        text_printf(out, "%c%s\n",
                    row->right == SIZE_MAX  ? '-'
                    : row->left == SIZE_MAX ? '+'
                                            : ' ',
                    text);
    }
    isa_diff_clear(&diff);
}
