// SPDX-License-Identifier: Apache-2.0
// Building blocks of Markdown reports. No text that passes through here can end a table, a code
// block or an HTML element.
#pragma once

#include "report/code.h"
#include "report/failures.h"
#include "report/format.h"
#include "report/sections.h"

// Writes text from a driver or a file: as codes, for all characters that Markdown, HTML or a
// tracker might interpret. At most 2,000 bytes of it, then "...".
void markdown_escape(struct text *out, const char *string);
// Like printf, but escapes every string.
__attribute__((format(__printf__, 2, 3))) void markdown_printf(struct text *out, const char *format,
                                                               ...);
// The same as inline code.
void markdown_code(struct text *out, const char *string);
// Several lines as a code block in a language; "" for none.
void markdown_fence(struct text *out, const char *language, const char *lines);
// Opens a fold under a title, which it escapes; closes it.
void markdown_fold(struct text *out, const char *title);
void markdown_unfold(struct text *out);

// Heading, rows until the text exceeds `limit` bytes, and a line that counts the rest; then the
// notes.
void table_markdown(const struct table *table, size_t limit, struct text *out);
// The section on a device's compiled code, at most `most` bytes and a heading; nothing if the store
// has no code.
void markdown_codes(struct text *out, const struct report_code *code, size_t device, size_t most);
// The same for one configuration, with the difference to a passing variant folded: at most `most`
// bytes, or nothing.
void markdown_one_code(struct text *out, const struct report_code *code,
                       const struct result *result, size_t most);

// Appends at most `most` lines of a preprocessed source, after its test's head: the paragraph with
// the family's first operation. That is an atomic for lookback, memory and progress, a barrier for
// barrier, a group operation for all others; if it has none, the first of another kind.
void report_excerpt(struct text *out, const char *source, const char *family, size_t most);

// How each variant fares under the models of the SIMT simulator: docs/mutation-score.json, which
// tools/ticket-data builds in.
#define REPORT_MODELS 16

struct report_reference {
    const char *variant; // "shuffle.scan-loop/sync=none,..."
    struct {
        uint16_t failed, runs; // over all subgroup sizes; runs 0: not run under this model
    } by[REPORT_MODELS];       // in the order of report_reference_models
};

extern const char *const report_reference_models[];       // NULL ends it
extern const struct report_reference report_references[]; // by variant, in byte order
extern const size_t report_reference_count;

// The row of a configuration ("...@..." or without its parameters); NULL if it has none.
const struct report_reference *report_reference_find(const char *name);
