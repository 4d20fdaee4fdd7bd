// SPDX-License-Identifier: Apache-2.0
// Every form of a report. A new one is a line in one of the lists: `litmus report --format` and its
// help, and for files the option of `litmus run`, come from there.
#pragma once

#include "report/report.h"

// X(name, suffix of its files, function, what it is for)
#define REPORT_FILES(X)                                                                            \
    X(json, "json", report_json, "JSON for scripts")                                               \
    X(junit, "xml", report_junit, "JUnit XML for GitLab, Jenkins and others")                      \
    X(csv, "csv", report_csv, "CSV for spreadsheets")                                              \
    X(markdown, "md", report_markdown, "Markdown for a bug report")                                \
    X(html, "html", report_html, "one page for a browser, with plots and a search")

// Those that `litmus run` does not write at its end.
#define REPORT_STREAMS(X)                                                                          \
    X(text, "txt", report_text, "the tables that a run ends with, and every configuration")        \
    X(herd, "litmus", report_herd, "the log of herd's litmus7, for its tools")                     \
    X(github, "md", report_github, "a short Markdown page, for a step summary of GitHub Actions")  \
    X(annotations, "txt", report_annotations, "workflow commands, for a log of GitHub Actions")

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
// The first | is skipped.
#define REPORT_NAMES (REPORT_STREAMS(REPORT_NAME) REPORT_FILES(REPORT_NAME) "" + 1)
// For help texts: a line for each.
#define REPORT_LINE(name, suffix, function, about) "  " #name ": " about "\n"
// All of them.
#define REPORT_LINES REPORT_STREAMS(REPORT_LINE) REPORT_FILES(REPORT_LINE)
