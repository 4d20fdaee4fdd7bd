// SPDX-License-Identifier: Apache-2.0
// Text helpers: growing strings, sanitising untrusted text, globs, nearest names; and memory.
// Brings the headers of C that nearly every file needs.
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A growing string, always NUL-terminated. Zero-initialise; free with text_free. If memory runs
// out, the program ends with a message, here as elsewhere.
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
// A new text.
__attribute__((format(__printf__, 1, 2))) struct text text_format(const char *format, ...);

// The length of a UTF-8 byte order mark at the start: 3, or 0 if there is none.
size_t text_mark(const char *bytes, size_t length);

// Copies `source` into `target` (size bytes, always terminated): control characters and invalid
// UTF-8 become '?', as does the first character of a GitHub command at the beginning of a line
// ("::error::"). Use for driver strings and file contents before any output.
void text_sanitise(char *target, size_t size, const char *source);

// The same, but newlines are kept, and a tab becomes a blank.
void text_sanitise_lines(char *target, size_t size, const char *source);

bool text_is_utf8(const char *string);
// Whether text_sanitise would replace a character that a terminal interprets: controls, and marks
// that reorder or hide text.
bool text_has_control(const char *string);

// Whether all of `name` matches the glob `pattern` (`*`, `?`, `[...]`; `/` is not special).
bool text_glob(const char *pattern, const char *name);

// Levenshtein distance; both strings are truncated to 255 bytes.
unsigned text_distance(const char *a, const char *b);

// Appends `, did you mean 'NAME'?` for the names that are near to `word`, or nothing if none is.
void text_suggest(struct text *text, const char *word,
                  const char *(*name_at)(size_t index, void *user), void *user);

// Writes a count with thousands separators, "12,000". Returns `target`.
char *text_count(char target[32], uint64_t count);

// Whether a text is a valid date, "2026-11-21", and a valid time, "2026-11-21T02:09:00Z".
bool text_is_date(const char *text);
bool text_is_time(const char *text);
bool text_is_sha256(const char *text); // 64 hexadecimal digits, lower case

// Appends a label and `value`, wrapped at 100 columns with aligned continuation lines; nothing if
// the value is "" or NULL.
void text_paragraph(struct text *text, const char *label, const char *value);

// How many bytes of a text fit on a line of `room` columns: all, if it is short enough; else up to
// the last blank, comma, @ or /; failing that, up to the last = or -; if none of these fits, up to
// the first of them; all without any.
size_t text_break(const char *text, size_t room);

// Prints one line and ends the program, with LIT_EXIT_USAGE; or immediately with the code that a
// process set for it, without exit handlers of libraries.
_Noreturn void lit_give_up(const char *line);
void lit_failure_code(int code);

// Sorts structures by the string pointer at their start; `list` may be NULL if empty.
void text_sort(void *list, size_t count, size_t size);

// Appends a word for a shell, in single quotes if necessary.
void text_quote(struct text *text, const char *word);

// Declares a local that owns memory, freed at the end of its scope: OWNED(text_free) struct text
// name = {0}; with the function that frees it, or OWNED(lit_free) for memory from malloc.
// Initialise it, and do not pass it to another owner. All variables of one declaration must be of
// the same kind.
#define OWNED(clear) __attribute__((cleanup(clear)))
void lit_free(void *pointer); // frees the pointer stored at this address

// Allocation that cannot fail: ends the program when memory runs out.
void *lit_alloc(size_t count, size_t size); // zeroed
void *lit_realloc(void *old, size_t count, size_t size);
// Makes room for one more item after `count` in an array grown only by this function.
void *lit_grow(void *items, size_t count, size_t size);
// The new last element of such an array: LIT_ADD(list->items, list->count) = item;
#define LIT_ADD(items, count)                                                                      \
    (*((items) = lit_grow((items), (count), sizeof *(items)), &(items)[(count)++]))
char *lit_strdup(const char *string);
// The same for a library's allocation: ends the program if it is NULL, else returns it.
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
