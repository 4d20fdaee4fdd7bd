// SPDX-License-Identifier: Apache-2.0
// What the files of the HTML page share: escaped writing, plots of rates, and its sections. Text
// from a store reaches the page only through html_printf, html_escape or html_json, which escape
// it.
#pragma once

#include "report/code.h"
#include "report/failures.h"
#include "report/format.h"
#include "report/sections.h"

// Blocks of alike failures on one device; the page has the first HTML_BLOCKS.
#define HTML_BLOCKS 40
struct html_blocks {
    struct report_block *list;
    size_t count;
};

struct history;

struct html {
    const struct report_model *model;
    const struct history *history;
    const char *fault;                       // why there is no history; "" if that is no fault
    int decades;                             // the axis of all plots: from 10^-decades to 1
    struct html_blocks *failed, *unfinished; // for each device
    bool *placed;               // results with evidence on the page, under "failed-INDEX"
    struct html_entry *entries; // all results
    size_t entry_count;
    const struct report_code *code;
    size_t *listed; // for each result: n + 1 if "code-n" on the page has its code; else 0
    // For a page of a site, which has no table of all results: the path to the site's folder, "" or
    // "../". NULL: the page stands alone.
    const char *up;
    size_t first_code; // added to each n
    bool of_test;      // the page is about one test, and has already said what it asks
};

// Fills *html from its model, code, history and up; all else must be 0. Clear it.
void html_make(struct html *html);
void html_clear(struct html *html);

// ---- addresses within a site (html_parts.c)

// Appends a unique file name for a name: letters a to z, digits, "_", "-" and single dots, none of
// them first. If that differs from the name, adds 8 digits that depend on all of it.
void html_slug(struct text *out, const char *name);
// The same for a device and its driver. Devices with the same name and driver share it.
void html_device_slug(struct text *out, const struct dev_facts *facts);
// The address of a page, seen from a page that is `up` from the site's folder; free() it.
char *html_test_address(const char *up, const char *test);
char *html_device_address(const char *up, const struct dev_facts *facts);
char *html_finding_address(const char *up, const char *finding);

// ---- writing (html_parts.c)

// Appends text that is safe in an element and in a quoted attribute.
void html_escape(struct text *out, const char *string);
// Like printf, but escapes every string. Knows %s, %c and the conversions for integers and floats.
__attribute__((format(__printf__, 2, 3))) void html_printf(struct text *out, const char *format,
                                                           ...);
// Appends a name or a text, escaped; long words may break between lines.
void html_name(struct text *out, const char *name);
// Appends JSON that is safe inside a <script>, and drops it.
void html_json(struct text *out, json_t *json);
// An entry in a list of facts; nothing if the value is "". html_copied offers to copy it.
void html_fact(struct text *out, const char *name, const char *value);
void html_copied(struct text *out, const char *name, const char *value);
// A word in a chip; `kind` is a class of page.css ("forbidden", "pass", "skip").
void html_chip(struct text *out, const char *kind, const char *word);
// The class of a result by its meaning: its expectation's name if it failed, "seen" for a triggered
// control, else the result's name.
const char *html_kind(const struct result *result);
// The number of a device, with its name as title; nothing if it is the only one.
void html_device(struct text *out, const struct html *html, size_t device);
// "NVIDIA H200, 580.159.04", not escaped.
void html_device_name(struct text *out, const struct eng_device *device);
// The same with the device's name, as a heading.
void html_device_heading(const struct html *html, size_t device, struct text *out);

// ---- plots (html_parts.c)

// A rate with its interval and its expectation: enum cat_expectation, or HTML_PLAIN for none.
#define HTML_PLAIN (CAT_CONTROL + 1)
struct html_rate {
    uint64_t failed, judged;
    struct stat_interval interval;
    int expectation;
};

// How many decades below 1 the axis needs for all of the model's rates: 2 to 9.
int html_decades(const struct report_model *model);
// The position of a rate on the axis, in units of a plot from the left; rates below the axis are at
// its end.
double html_x(int decades, double rate);
// The axis above a column of plots.
void html_axis(struct text *out, int decades);
// A plot of rates, all in one lane. It has no text alternative: put the same in words beside it.
// Draws nothing for a rate without runs.
void html_plot(struct text *out, int decades, const struct html_rate *rates, size_t count);
// The rate of failed runs in each batch, in the order of the runs, relative to the highest. At
// least one run must have failed.
void html_batches(struct text *out, const struct result *result);
// A bar of shares of a whole: `kinds[i]` is the class of share i. Even the least share is visible.
void html_bar(struct text *out, const uint64_t *shares, const char *const *kinds, size_t count);
// A part of a whole, of class `kind`, on a logarithmic scale from one unit to the whole, with a
// line for each power of ten: 8,781 of 262 million takes about half the bar.
void html_log_bar(struct text *out, uint64_t part, uint64_t whole, const char *kind);

// ---- tables (html_parts.c)

// A whole table. `bare`: without its own frame. On narrow screens its numbers name their column,
// except in tables of class HTML_CHUNK, which have too many.
#define HTML_CHUNK "chunk"
void html_table(const struct html *html, const struct table *table, bool bare, struct text *out);
// A section's table; nothing if it is empty. HTML_TOGETHER: one table for all devices, with the
// rows of a name together; else one for each. HTML_FOLD: the reader unfolds it.
enum { HTML_TOGETHER = 1, HTML_ALL = 2, HTML_NO_NOTES = 4, HTML_FOLD = 8 };
void html_section(const struct html *html, report_section *make, unsigned how, struct text *out);

// ---- results that are alike on all devices (html_rates.c)

// A result, with a name that leaves out its subgroup size.
struct html_entry {
    const struct result *result;
    char *key;    // allocated
    size_t first; // index of the first result with this key
};

// All results: by family and test, then by configuration in the session's order, then by device.
// *entries is allocated; html_entries_free() it.
size_t html_entries(const struct report_model *model, struct html_entry **entries);
void html_entries_free(struct html_entry *entries, size_t count);
// How many entries from `at` on share its family, test, or configuration.
enum html_level { HTML_FAMILY, HTML_TEST, HTML_KEY };
size_t html_alike(const struct html_entry *entries, size_t count, size_t at, enum html_level level);
// Which of a name's first 32 pairs its label has, as bits.
uint32_t html_label_pairs(const struct result *result);
// Appends the part of a label that tells a configuration from the others of its test, "sync=none,
// workgroup=64", not escaped; with `common`, the part that all share.
void html_pairs(struct text *out, const struct html_entry *entries, size_t count, size_t at,
                bool common);

// ---- the page (html.c)

// The page up to <body>: the policy, the style, the title.
void html_head(const char *title, struct text *out);
// The end of the page, from </footer> on: the script and its data.
void html_tail(const struct text *data, struct text *out);

// ---- sections: each appends its content, or nothing if there is none

void html_header(const struct html *html, struct text *out);
void html_failures(const struct html *html, struct text *out);
void html_codes(const struct html *html, struct text *out);
void html_heat(const struct html *html, struct text *out); // families by devices
void html_rates(const struct html *html, struct text *out);
void html_unfinished(const struct html *html, struct text *out);
void html_results(const struct html *html, struct text *out);
// Makes html->listed, for its code. Allocated.
size_t *html_listed(const struct html *html);
// The results as JSON, for the page's script.
void html_data(const struct html *html, struct text *out);

// The page's style and script, and the SHA-256 of each in Base64 (made by tools/embed-page).
extern const unsigned char html_style[], html_script[];
extern const char html_style_hash[], html_script_hash[];
extern const size_t html_style_size, html_script_size;
