// SPDX-License-Identifier: Apache-2.0
// Pages for a browser of many sessions: of each test, each device with its driver and each finding,
// and one that leads to them. They need no network and nothing but each other.
#pragma once

#include "base/folder.h"
#include "report/html.h"

#define SITE_MARK       ".litmus-site"
#define SITE_MOST_BYTES 200000 // of a page; what would make it longer is left out, and that is said

// The code of a test's failures in a session that has it, as HTML.
struct site_code {
    char *test;
    struct text html;
};

struct site {
    bool without_code;             // set before site_add: no page will show code
    struct report_model *sessions; // by the time of their start once site_make has begun
    char **labels;                 // of their files, "litmus.db"
    size_t session_count;
    struct site_code *codes;
    size_t code_count;

    // What they come to: a device for each device and driver, and of each configuration on it one
    // result (gather.c), by test, then device, then name. It owns its arrays, not what is in them.
    struct report_model all;
    struct report_model *of_device; // the same, a model for each device
    struct text search;             // the script's data but for the way to the folder
    size_t room;                    // bytes of a page for what is its own
};

// Reads a source (compare/side.h), of a store all its sessions. False with an error.
bool site_add(struct site *site, const char *source, struct lit_error *error);
// Makes all pages of what was added, which is to be something. False with an error.
bool site_make(struct site *site, struct lit_folder *folder, struct lit_error *error);
void site_clear(struct site *site);

// ---- gather.c

// Fills all and of_device.
void site_gather(struct site *site);
// Whether a device of a session is this one of all.
bool site_is_device(const struct site *site, size_t device, const struct eng_device *other);
// The results of one test: a model of its own, which is not to be cleared. *at is where it begins
// in all, and then where the next one does.
struct report_model site_of_test(const struct site *site, size_t *at);

// Failing results (report_failed, or that broke) of some: what a line of a table says.
struct site_sum {
    size_t ran, failed, skipped, open; // configurations that are no controls
    size_t controls, triggered;        // controls
    uint64_t failed_runs, judged;      // of those that failed
    const struct report_result *worst; // with the highest rate; NULL: none failed
    const struct report_result *quiet; // of those that passed that with the weakest bound, or NULL
};
void site_sum_add(struct site_sum *sum, const struct report_result *result);
// 0 if nothing failed; else 1 to 4 by the highest rate.
int site_heat(const struct site_sum *sum);
// Whether a forbidden configuration failed.
bool site_has_bug(const struct report_model *model);
// Whether a result is taken for a finding.
bool site_is_of(const struct report_model *model, const struct report_result *result,
                const char *finding);
// The day of the first session in which a result like these failed on a device: "2026-11-21", "" if
// none did. `test` and `finding` may be NULL: any.
const char *site_since(const struct site *site, size_t device, const char *test,
                       const char *finding);

// ---- page.c

// The day of a session.
#define SITE_DAY(model) site_day((char[11]){0}, (model)->session.started)
const char *site_day(char target[11], const char *time);
// A title without the marks of code; free() it.
char *site_plain(const char *title);

// A page that is being made.
struct site_page {
    const struct site *site;
    struct html html; // of its tables and failures; its `up` is set
    struct text body;
};

// Appends a section with a heading that can be linked to; nothing if it has no content, which is
// freed. If it does not fit into the page it is left out, and the page says so.
void site_section(struct site_page *page, const char *id, const char *title, const char *about,
                  struct text *content);
// Adds it to the folder, and ends it. `title` is escaped.
void site_page_end(struct site_page *page, const char *file, const char *title,
                   struct lit_folder *folder);
// A cell that leads to an address, which it takes over.
void site_link(struct table *table, char *address, const char *words);
// How many failed, the worst of them, and the highest rate or bound: three columns.
void site_cells(struct table *table, const struct site_sum *sum);
// How many controls were triggered: a column.
void site_controls(struct table *table, const struct site_sum *sum);

void site_index(const struct site *site, struct lit_folder *folder);    // index.c
void site_devices(const struct site *site, struct lit_folder *folder);  // device.c
void site_tests(const struct site *site, struct lit_folder *folder);    // test.c
void site_findings(const struct site *site, struct lit_folder *folder); // finding.c

// ---- markdown.c

// Appends a line of Markdown as HTML: `code`, **bold**, *emphasis* and links of https and to
// reports of other findings, for a page in a folder of the site.
void site_markdown_line(struct text *out, const char *line);
// The same of paragraphs, lists, tables and blocks of code.
void site_markdown(struct text *out, const char *markdown);
