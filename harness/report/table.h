// SPDX-License-Identifier: Apache-2.0
// A table as a value: a section of a report builds it once, and each format has one function that
// writes it. It knows nothing about its subject.
#pragma once

#include "base/text.h"
#include "stats/stats.h"

// The meaning of a text: its colour on a terminal.
enum tone { TONE_PLAIN, TONE_BAD, TONE_WARN, TONE_GOOD, TONE_STRONG, TONE_SOFT };
void tone_put(struct text *out, bool color, enum tone tone, const char *string);

// Width in columns, one for each code point.
size_t table_text_width(const char *string);

enum table_kind {
    TABLE_TEXT,
    TABLE_NUMBER, // aligned to the right
    TABLE_CODE,   // names of configurations
    TABLE_CHIP,   // a word that HTML frames
    TABLE_RATE,   // HTML puts a plot beside it
    TABLE_SHARE,  // of a whole: HTML puts a bar beside it
    TABLE_LOG,    // the same with a logarithmic bar
};

// Formats that leave a column out, and whether all do if no row has text there: bits.
enum { TABLE_NOT_TERMINAL = 1, TABLE_NOT_MARKDOWN = 2, TABLE_NOT_HTML = 4, TABLE_UNLESS_USED = 8 };

struct table_column {
    const char *title; // NULL in the first: the table has no heading
    enum table_kind kind;
    unsigned without; // TABLE_NOT_...
    const char *part; // HTML: its class in the bar of a row's counts; NULL: not in it
};

// A column of a kind by its title; other members may follow.
#define TABLE_COLUMN(of, ...)                                                                      \
    {                                                                                              \
        .kind = of, .title = __VA_ARGS__                                                           \
    }
#define COL(...)   TABLE_COLUMN(TABLE_TEXT, __VA_ARGS__)
#define NUM(...)   TABLE_COLUMN(TABLE_NUMBER, __VA_ARGS__)
#define CODE(...)  TABLE_COLUMN(TABLE_CODE, __VA_ARGS__)
#define CHIP(...)  TABLE_COLUMN(TABLE_CHIP, __VA_ARGS__)
#define RATED(...) TABLE_COLUMN(TABLE_RATE, __VA_ARGS__)

struct table_cell {
    char *text; // "" for nothing
    enum tone tone;
    const char *class;            // HTML, static; NULL: none
    const char *family, *counted; // HTML: links to this family's results that count as this; NULL:
                                  // no link; to all of it
    size_t failure;      // HTML: links to the failure with this index, plus one; 0: no link
    char *link;          // HTML: its address; allocated; NULL: no link
    uint64_t count, all; // a count; for a rate how many of how many
    struct stat_interval interval; // of a rate
    int group;                     // for a rate: enum cat_expectation, or one more for none
};

struct table_row {
    struct table_cell *cells;
    size_t count;
    bool more;     // the first cell repeats the row before, and only Markdown shows it
    size_t device; // index
};

// Zero-initialise. Members that are not allocated come first, and belong to the caller.
struct table {
    const char *title, *about; // about: the caption; NULL for none
    const char *class;         // HTML; NULL for none
    const struct table_column *columns;
    size_t column_count;
    size_t width;  // a wider first cell gets its own line on a terminal; 0: 44
    size_t device; // of the rows to come
    bool gathered; // covers several devices: HTML names each row's device
    struct table_row *rows;
    size_t count;
    char **notes; // paragraphs below it
    size_t note_count;
};
#define TABLE_OF(columns_of)                                                                       \
    .columns = (columns_of), .column_count = sizeof(columns_of) / sizeof *(columns_of)

// Sets the shape if the table has none yet, and the device for the next rows.
void table_begin(struct table *table, const struct table *shape, size_t device);
// Appends an empty row; then its cells, from the left: a text, a count with separators, a rate with
// its interval. Returned pointers are valid until the next row.
struct table_row *table_row(struct table *table);
// Appends plain cells to the last row: texts with tabs between them, which no argument may have.
__attribute__((format(__printf__, 2, 3))) void table_cells(struct table *table, const char *format,
                                                           ...);
__attribute__((format(__printf__, 3, 4))) struct table_cell *
table_put(struct table *table, enum tone tone, const char *format, ...);
struct table_cell *table_count(struct table *table, enum tone tone, uint64_t count);
struct table_cell *table_rate(struct table *table, enum tone tone, uint64_t failed, uint64_t judged,
                              struct stat_interval interval);
// Appends a row with a name and a value; nothing if the value is "".
__attribute__((format(__printf__, 3, 4))) void table_fact(struct table *table, const char *name,
                                                          const char *format, ...);
// Appends a paragraph below the table; nothing if it is "".
__attribute__((format(__printf__, 2, 3))) void table_note(struct table *table, const char *format,
                                                          ...);
// drop_notes frees the notes, clear rows and notes. Columns and titles stay.
void table_drop_notes(struct table *table);
void table_clear(struct table *table);

// Moves rows of several devices with the same first cell together, in the order of the first rows.
void table_gather(struct table *table);
// Whether a format (TABLE_NOT_...) shows a column.
bool table_has(const struct table *table, size_t column, unsigned format);
// Sets the first column's width on a terminal, so that the table takes at most 100 columns. False
// if even a width of 16 is too wide.
bool table_fit(struct table *table);

// Appends a text that begins in a column, and breaks lines longer than 100 columns; the next line
// begins in the same column.
void table_broken(struct text *out, bool color, enum tone tone, const char *string, size_t column);

// Appends a heading and, at the end of its line, a remark; on its own line, if there is no room.
void table_heading(struct text *out, bool color, const char *title, const char *remark);

// Prints title, heading, rows and notes, indented by two columns. Nothing without rows and notes.
// Breaks names wider than 100 columns between their parts.
void table_terminal(const struct table *table, bool color, struct text *out);
