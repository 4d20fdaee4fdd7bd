// SPDX-License-Identifier: Apache-2.0
// Text helpers: growing strings, sanitising untrusted text, globs, nearest names.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A growing, always NUL-terminated string. Zero-initialise; free with text_free. Running out of
// memory ends the program with a message, as everywhere in this program.
struct text {
    char *data; // NULL while empty
    size_t length;
};

void text_free(struct text *text);
void text_append(struct text *text, const char *bytes, size_t length);
void text_puts(struct text *text, const char *string);
// Appends the bytes of a file, one more than `most` at the most, by which a longer one is known.
// False with errno if it cannot be opened or read; the text is then as it was. What is no regular
// file cannot (TEXT_NO_FILE), unless this process has it open (/dev/stdin, /dev/fd/N).
#define TEXT_NO_FILE ENOTSUP
bool text_read(struct text *text, const char *path, size_t most);
__attribute__((format(__printf__, 2, 3))) void text_printf(struct text *text, const char *format,
                                                           ...);

// The bytes of the mark that some editors put before a text in UTF-8: 3, or 0 where it has none.
size_t text_mark(const char *bytes, size_t length);

// Copies `source` into `target` (size bytes, always terminated): control characters and bytes that
// are not valid UTF-8 become '?', and so does the first character of what GitHub takes for a
// command at the beginning of a line ("::error::"). For driver strings and file contents before
// they reach any output.
void text_sanitise(char *target, size_t size, const char *source);

// The same, but lines stay lines, and a tab is a blank.
void text_sanitise_lines(char *target, size_t size, const char *source);

bool text_is_utf8(const char *string);
// Whether text_sanitise would replace a character because a terminal takes it for something else:
// controls, and the marks that reorder or hide text.
bool text_has_control(const char *string);

// True if the whole of `name` matches the glob `pattern` (`*`, `?`, `[...]`; `/` is not special).
bool text_glob(const char *pattern, const char *name);

// Levenshtein distance, both strings cut at 255 bytes.
unsigned text_distance(const char *a, const char *b);

// Appends `, did you mean 'NAME'?` for the names that are near to `word`, or nothing if none is.
void text_suggest(struct text *text, const char *word,
                  const char *(*name_at)(size_t index, void *user), void *user);

// Writes a count with thousands separators, "12,000". Returns `target`.
char *text_count(char target[32], uint64_t count);

// Whether a text is a day of the calendar, "2026-11-21", and a time of it, "2026-11-21T02:09:00Z".
bool text_is_date(const char *text);
bool text_is_time(const char *text);
bool text_is_sha256(const char *text); // 64 hexadecimal digits, lower case

// Appends `value` after a label, broken into lines of 100 columns that begin where the first one
// does; "" or NULL as value appends nothing.
void text_paragraph(struct text *text, const char *label, const char *value);

// How many bytes of a text stand on a line of `room` columns: all, if it is no wider; else those up
// to the last blank, comma, @ or /, up to the last = or - where there is none, or up to the first
// of all these if none fits; all without any.
size_t text_break(const char *text, size_t room);

// Prints one line and ends the program: with LIT_EXIT_USAGE, or with the code that a process set
// for it, and then at once, without what other libraries do at the end of a program.
_Noreturn void lit_give_up(const char *line);
void lit_failure_code(int code);

// Sorts members that begin with a string by it; `list` may be NULL if there are none.
void text_sort(void *list, size_t count, size_t size);

// Appends a word as a shell takes it: in single quotes, if it needs any.
void text_quote(struct text *text, const char *word);

// A local that owns memory, which ends with its scope: OWNED(text_free) struct text name = {0};
// with the function that frees it, or OWNED(lit_free) for what free() takes. It has to be
// initialised, and is not handed to another owner. Several in one declaration are all of one kind.
#define OWNED(clear) __attribute__((cleanup(clear)))
void lit_free(void *pointer); // frees what the pointer variable at this address points to

// Allocation that cannot fail: gives up when memory runs out.
void *lit_alloc(size_t count, size_t size); // zeroed
void *lit_realloc(void *old, size_t count, size_t size);
// Room for one more behind `count` items of an array that grew by this function alone.
void *lit_grow(void *items, size_t count, size_t size);
// The new last element of such an array: LIT_ADD(list->items, list->count) = item;
#define LIT_ADD(items, count)                                                                      \
    (*((items) = lit_grow((items), (count), sizeof *(items)), &(items)[(count)++]))
char *lit_strdup(const char *string);
// The same for what a library allocated: ends the program so where it is NULL, else returns it.
void *lit_have(void *memory);

// A command line's list, which lasts as long as the program, as do its items.
struct lit_list {
    const char **items;
    size_t count;
};
// Takes the item over.
void lit_list_add(struct lit_list *list, char *item);
// Takes over memory that lasts as long as the program.
void lit_keep(void *memory);
