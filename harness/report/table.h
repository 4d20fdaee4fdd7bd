// SPDX-License-Identifier: Apache-2.0
// A table as a value: a section of a report builds it once, and one function for each format writes
// it. Knows nothing of what the table is about.
#pragma once

#include "base/text.h"
#include "stats/stats.h"

// What a text means: a colour on a terminal.
enum tone { TONE_PLAIN, TONE_BAD, TONE_WARN, TONE_GOOD, TONE_STRONG, TONE_SOFT };
void tone_put(struct text *out, bool color, enum tone tone, const char *string);

// Characters, counting each code point as one column.
size_t table_text_width(const char *string);

enum table_kind {
    TABLE_TEXT,
    TABLE_NUMBER, // aligned to the right
    TABLE_CODE,   // names of configurations
    TABLE_CHIP,   // a word that HTML frames
    TABLE_RATE,   // HTML has a plot beside it
    TABLE_SHARE,  // of a whole: HTML has a bar beside it
    TABLE_LOG,    // the same, and the bar is logarithmic
};

// Formats that leave a column out, and whether all do where no row has a text there: bits.
enum { TABLE_NOT_TERMINAL = 1, TABLE_NOT_MARKDOWN = 2, TABLE_NOT_HTML = 4, TABLE_UNLESS_USED = 8 };

struct table_column {
    const char *title; // NULL in the first: the table has no heading
    enum table_kind kind;
    unsigned without; // TABLE_NOT_...
    const char *part; // HTML: of a bar of each row's counts this class; NULL: not in it
};

struct table_cell {
    char *text; // "" for nothing
    enum tone tone;
    const char *class;             // HTML, static; NULL: none
    const char *family, *counted;  // HTML: leads to the results of this family that are counted
                                   // as this; NULL: nowhere; to all of it
    size_t failure;                // HTML: leads to the failure of this index, plus one; 0: to none
    char *link;                    // HTML: leads there; allocated; NULL: nowhere
    uint64_t count, all;           // a count; of a rate how many of how many
    struct stat_interval interval; // of a rate
    int group;                     // of a rate: enum cat_expectation, or one more for none
};

struct table_row {
    struct table_cell *cells;
    size_t count;
    bool more;     // the first cell is that of the row before, and only Markdown repeats it
    size_t device; // index
};

// Zero-initialise. What is not allocated comes first, and belongs to the caller.
struct table {
    const char *title, *about; // about: what its caption says; NULL for none
    const char *class;         // HTML; NULL for none
    const struct table_column *columns;
    size_t column_count;
    size_t width;  // a first cell that is wider has a line of its own on a terminal; 0: 44
    size_t device; // of the rows to come
    bool gathered; // of several devices: HTML says of which each row is
    struct table_row *rows;
    size_t count;
    char **notes; // paragraphs below it
    size_t note_count;
};
#define TABLE_OF(columns_of)                                                                       \
    .columns = (columns_of), .column_count = sizeof(columns_of) / sizeof *(columns_of)

// Takes the shape if the table has none yet, and the device of the rows to come.
void table_begin(struct table *table, const struct table *shape, size_t device);
// Appends an empty row; then its cells, from the left: a text, a count with separators, a rate with
// its interval. What is returned is valid until the next row.
struct table_row *table_row(struct table *table);
__attribute__((format(__printf__, 3, 4))) struct table_cell *
table_put(struct table *table, enum tone tone, const char *format, ...);
struct table_cell *table_count(struct table *table, enum tone tone, uint64_t count);
struct table_cell *table_rate(struct table *table, enum tone tone, uint64_t failed, uint64_t judged,
                              struct stat_interval interval);
// A row of a name and a value; nothing if the value is "".
__attribute__((format(__printf__, 3, 4))) void table_fact(struct table *table, const char *name,
                                                          const char *format, ...);
// A paragraph below the table; nothing if it is "".
__attribute__((format(__printf__, 2, 3))) void table_note(struct table *table, const char *format,
                                                          ...);
// Frees the notes; rows and notes. Columns and titles stay.
void table_drop_notes(struct table *table);
void table_clear(struct table *table);

// Puts rows of several devices together that have the same first cell, in the order of the first
// of each.
void table_gather(struct table *table);
// Whether a format (TABLE_NOT_...) shows a column.
bool table_has(const struct table *table, size_t column, unsigned format);
// Sets the width that a first column has on a terminal, so that the table takes no more than 100
// columns. False if it does with a width of 16.
bool table_fit(struct table *table);

// Appends a text that begins in a column, broken where a line would be longer than 100 columns;
// what follows begins in the same column.
void table_broken(struct text *out, bool color, enum tone tone, const char *string, size_t column);

// Appends a heading and, at the end of its line, a remark: in a line of its own, if there is no
// room.
void table_heading(struct text *out, bool color, const char *title, const char *remark);

// Title, heading, rows, notes, each two columns from the left. Nothing without rows and notes. What
// is wider than 100 columns is broken between the parts of a name.
void table_terminal(const struct table *table, bool color, struct text *out);
