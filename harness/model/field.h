// SPDX-License-Identifier: Apache-2.0
// Records by tables of their fields: each is named once, with its type and its bounds. What a
// worker says, the rows of a store and JSON reports are written and read by such tables.
#pragma once

#include "base/text.h"

#include <stddef.h>

struct json_t;

enum field_type {
    FIELD_TEXT,    // char *, allocated when it is read
    FIELD_LINES,   // char *, a string of lines of less than `most` bytes, allocated when it is read
    FIELD_CHARS,   // char[]
    FIELD_NUMBER,  // unsigned, of 32 or 64 bits, at most `most`
    FIELD_HEX,     // the same in all its bits, as "0x10de"
    FIELD_BOOL,    // bool
    FIELD_REAL,    // double: finite, not negative
    FIELD_UUID,    // uint8_t[16]; hexadecimal digits in JSON
    FIELD_BYTES,   // uint8_t[]; hexadecimal digits in JSON
    FIELD_BLOB,    // struct field_blob, allocated when it is read; not in JSON
    FIELD_NAME,    // an enumeration, as one of `most` names
    FIELD_NUMBERS, // uint64_t[], a list of as many
    FIELD_REALS,   // double[], the same; not read
    FIELD_LIST,    // an array of at most `most` structures with fields of their own
    FIELD_OBJECT,  // one such
    FIELD_SET,     // its place in an object: the value is set afterwards
};

struct field_blob {
    const void *bytes;
    size_t size;
};

struct field {
    const char *name;
    enum field_type type;
    size_t offset, size; // of a member of the record; `size` of one element of a list, in bytes
    uint64_t most;
    uint32_t kinds;     // which messages have it, a bit each
    const char *column; // of the store, where that is not called `name`
    const void *of;     // the names, or the fields of a structure, which FIELD_END ends
    size_t count;       // offset of the size_t that says how many bytes or elements there are
};

#define FIELD_MOST      ((UINT64_C(1) << 53) - 1) // JSON readers lose more
#define FIELD_ALL       UINT32_MAX
#define FIELD_READ_BACK 1u // in `kinds`: it is read from reports

// Rows of a table: type and place of a member; with its name, its bound and more.
#define FIELD_AT(type, record, member)                                                             \
    FIELD_##type, offsetof(struct record, member), sizeof(((struct record *)0)->member)
#define FIELD_OF(type, record, member)                                                             \
    {                                                                                              \
#member, FIELD_AT(type, record, member), FIELD_MOST, FIELD_ALL, NULL, NULL, 0              \
    }
// Of a report: a member with its bound; one that is not read; a place.
#define FIELD_READ(name, type, record, member, most)                                               \
    {                                                                                              \
        name, FIELD_AT(type, record, member), most, FIELD_ALL, NULL, NULL, 0                       \
    }
#define FIELD_KEPT(name, type, record, member)                                                     \
    {                                                                                              \
        name, FIELD_AT(type, record, member), 0, ~FIELD_READ_BACK, NULL, NULL, 0                   \
    }
#define FIELD_PLACE(name)                                                                          \
    {                                                                                              \
        name, FIELD_SET, 0, 0, 0, ~FIELD_READ_BACK, NULL, NULL, 0                                  \
    }
// A count by itself, which is its record.
#define FIELD_ITEM(name, most)                                                                     \
    {                                                                                              \
        name, FIELD_NUMBER, 0, sizeof(uint64_t), most, FIELD_ALL, NULL, NULL, 0                    \
    }
#define FIELD_END                                                                                  \
    {                                                                                              \
        NULL, FIELD_SET, 0, 0, 0, 0, NULL, NULL, 0                                                 \
    }

// A value on its way between a record and a file.
struct field_value {
    enum field_form {
        FIELD_IS_NOTHING,
        FIELD_IS_TEXT,
        FIELD_IS_BYTES,
        FIELD_IS_NUMBER,
        FIELD_IS_BOOL,
        FIELD_IS_REAL,
    } is;
    const char *bytes; // of a text with its terminator
    size_t size;       // of bytes
    uint64_t number;
    double real;
    char made[20]; // the text, where it was made
};

// As what values of each type travel, where they do.
extern const enum field_form field_forms[];

// The value of a field, as its record has it; stays while the record does.
void field_get(const struct field *field, const void *record, struct field_value *value);
// False if the field cannot have that value. Texts are sanitised; NULL is "".
bool field_set(const struct field *field, void *record, const struct field_value *value);

// Text as it is; a count, FIELD_MOST if it is more.
struct json_t *field_text(const char *text);
struct json_t *field_count(uint64_t count);

// An object of the fields of these kinds, in the order of the table.
struct json_t *field_write(const struct field *fields, uint32_t kinds, const void *record);
// Reads those fields, all of which have to be there; `strict`: and nothing else, nor a text that
// has to be sanitised. False with what is wrong, "'runs' is missing".
bool field_read(const struct field *fields, uint32_t kinds, bool strict,
                const struct json_t *object, void *record, char fault[128]);
