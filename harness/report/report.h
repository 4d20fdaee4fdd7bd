// SPDX-License-Identifier: Apache-2.0
// Reports are pure functions of the store: the same store gives the same bytes. We make a report in
// memory, so a failure never leaves half of it. To add one, write a line of REPORT_FILES, or a
// script in contrib/ that reads the JSON.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "report/model.h"

// Appends a report of a model.
typedef void report_function(const struct report_model *model, struct text *out);
report_function report_text, report_json, report_junit, report_csv, report_markdown, report_html;

// Every form of a report: `litmus report --format` and its help, and the file options of `litmus
// run`, come from here. X(name, suffix of its files, function, purpose)
#define REPORT_FILES(X)                                                                            \
    X(json, "json", report_json, "JSON for scripts")                                               \
    X(junit, "xml", report_junit, "JUnit XML for GitLab, Jenkins and others")                      \
    X(csv, "csv", report_csv, "CSV for spreadsheets")                                              \
    X(markdown, "md", report_markdown, "Markdown for a bug report")                                \
    X(html, "html", report_html, "one page for a browser, with plots and a search")

// Formats that `litmus run` does not write at its end.
#define REPORT_STREAMS(X)                                                                          \
    X(text, "txt", report_text, "the tables that a run ends with, and every configuration")

#define REPORT_AS(name, suffix, function, about) REPORT_AS_##name,
enum report_form { REPORT_STREAMS(REPORT_AS) REPORT_FILES(REPORT_AS) REPORT_FORMS };
#undef REPORT_AS

struct report_format {
    const char *name, *suffix, *about;
    report_function *write;
};
extern const struct report_format report_formats[REPORT_FORMS];

// For option tables: the names with | between them, in the order of the enumeration.
#define REPORT_NAME(name, suffix, function, about) "|" #name
// Skips the first |.
#define REPORT_NAMES (REPORT_STREAMS(REPORT_NAME) REPORT_FILES(REPORT_NAME) "" + 1)
// For help texts: a line each.
#define REPORT_LINE(name, suffix, function, about) "  " #name ": " about "\n"
// All lines.
#define REPORT_LINES REPORT_STREAMS(REPORT_LINE) REPORT_FILES(REPORT_LINE)

struct report_terminal_info {
    bool color;
    bool utf8;
    int verbosity; // -1 quiet: what failed only; 0; 1: every configuration
};
// The tables at the end of a run: for each device the key results, the families, the failures with
// the command that runs them again (docs/reading.md). Does not name a single device: its run began
// with that.
void report_tables(const struct report_model *model, const struct report_terminal_info *info,
                   struct text *out);
// The same for a session in a store.
bool report_terminal(struct store *store, int64_t session, const struct report_terminal_info *info,
                     struct text *out, struct lit_error *error);
// Replaces each character that is not ASCII by an ASCII one.
void report_make_ascii(struct text *text);
