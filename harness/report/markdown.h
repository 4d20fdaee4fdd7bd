// SPDX-License-Identifier: Apache-2.0
// What Markdown reports are made of. Nothing that goes through here can end a table, a block of
// code or an element of HTML.
#pragma once

#include "report/code.h"
#include "report/failures.h"
#include "report/format.h"
#include "report/sections.h"

#define MARKDOWN_MOST                                                                              \
    62000 // bytes: a comment of the usual trackers holds 64 KB, and a line is left

// Text that comes from a driver or a file: every character that Markdown, HTML or a tracker could
// take for more than itself is written as its code. At most 2,000 bytes of it, then "...".
void markdown_escape(struct text *out, const char *string);
// As printf, but every string is escaped.
__attribute__((format(__printf__, 2, 3))) void markdown_printf(struct text *out, const char *format,
                                                               ...);
// The same as code.
void markdown_code(struct text *out, const char *string);
// One line, as a block of code.
void markdown_command(struct text *out, const char *line);
// The command that runs a result again, likewise.
void markdown_again(struct text *out, const struct report_model *model,
                    const struct report_result *result);
// Several lines, as a block of code of a language; "" for none.
void markdown_fence(struct text *out, const char *language, const char *lines);
// Opens what is folded, under a title that is escaped, and closes it.
void markdown_fold(struct text *out, const char *title);
void markdown_unfold(struct text *out);

// Heading, rows until the text is longer than `limit` bytes, and a line that says how many more
// there are; then the notes.
void table_markdown(const struct table *table, size_t limit, struct text *out);
// The table of a section; nothing if it is empty.
enum { MARKDOWN_FOLD = 1, MARKDOWN_ALL = 2, MARKDOWN_BARE = 4 }; // bare: without notes
void markdown_section(const struct report_model *model, size_t device, report_section *make,
                      unsigned how, size_t limit, struct text *out);
// What a result's checked units should have done and did, and the first that failed.
void markdown_result(struct text *out, const struct report_result *result, size_t most_places);
// How a result's failures vary between parts, and how it was stopped, if there is anything to say.
void markdown_remarks(struct text *out, const struct report_result *result);
// The verdict on a device, in bold type.
void markdown_verdict(struct text *out, const struct report_model *model, size_t device);
// A block of failures: a paragraph, and the command that runs it again; then its members as a
// table, whose rows end when the text is longer than `limit` bytes.
void markdown_block(struct text *out, const struct report_block *block);
void markdown_members(struct text *out, const struct report_block *block, size_t limit);

// The section on what a device's driver made of the tests, at most `most` bytes and a heading;
// nothing if the store has no code.
void markdown_codes(struct text *out, const struct report_code *code, size_t device, size_t most);
// The same of one configuration, its difference to a passing variant folded: at most `most` bytes,
// or nothing.
void markdown_one_code(struct text *out, const struct report_code *code,
                       const struct report_result *result, size_t most);

// The ticket on one result: a report of its own. At most `most` bytes.
void markdown_ticket(struct text *out, const struct report_code *code,
                     const struct report_result *result, size_t most);
// Appends at most `most` lines of a preprocessed source, behind the head of its test: the paragraph
// in which the first operation of a kind is. Of the families lookback, memory and progress that is
// an atomic one, of barrier a barrier, of all others a group operation; if there is none of that
// kind, the first of another of these.
void report_excerpt(struct text *out, const char *source, const char *family, size_t most);

// What the models of the SIMT simulator do with each variant: docs/mutation-score.json, built in by
// tools/ticket-data.
#define REPORT_MODELS 16

struct report_reference {
    const char *variant; // "shuffle.scan-loop/sync=none,..."
    struct {
        uint16_t failed, runs; // of all subgroup sizes; runs 0: not run under this model
    } by[REPORT_MODELS];       // in the order of report_reference_models
};

extern const char *const report_reference_models[];       // up to NULL
extern const struct report_reference report_references[]; // by variant, in the order of bytes
extern const size_t report_reference_count;

// The row of a configuration ("...@..." or without its parameters), NULL if there is none.
const struct report_reference *report_reference_find(const char *name);
