// SPDX-License-Identifier: Apache-2.0
// Records described by tables of fields: each is named once, with its type and bounds. These tables
// write and read workers' messages, store rows and JSON reports.
#pragma once

#include "base/text.h"

struct json_t;

enum field_type {
    FIELD_TEXT,    // char *, allocated when it is read
    FIELD_LINES,   // char *, a string of lines of less than `most` bytes, allocated when it is read
    FIELD_CHARS,   // char[]
    FIELD_NUMBER,  // unsigned, of 32 or 64 bits, at most `most`
    FIELD_HEX,     // the same, all bits, as "0x10de"
    FIELD_BOOL,    // bool
    FIELD_REAL,    // double: finite, not negative
    FIELD_UUID,    // uint8_t[16]; hexadecimal digits in JSON
    FIELD_BYTES,   // uint8_t[]; hexadecimal digits in JSON
    FIELD_BLOB,    // struct field_blob, allocated when it is read; not in JSON
    FIELD_NAME,    // an enumeration, as one of `most` names
    FIELD_NUMBERS, // uint64_t[], a list of as many
    FIELD_REALS,   // double[], the same; not read
    FIELD_LIST,    // an array of at most `most` structures with their own fields
    FIELD_ITEMS,   // a pointer to as many, allocated when it is read
    FIELD_OBJECT,  // one such structure
    FIELD_SET,     // reserves its place in an object: the caller sets the value later
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
    uint32_t kinds;     // which messages have it, one bit each
    const char *column; // in the store, if not `name`
    const void *of;     // the names, or a structure's fields, terminated by FIELD_END
    size_t count;       // offset of the size_t that counts bytes or elements
};

#define FIELD_MOST      ((UINT64_C(1) << 53) - 1) // larger numbers are inexact in JSON readers
#define FIELD_ALL       UINT32_MAX
#define FIELD_READ_BACK 1u // in `kinds`: read it from reports

// A table row: type and place of a member, then its name, bound and more.
#define FIELD_AT(type, record, member)                                                             \
    FIELD_##type, offsetof(struct record, member), sizeof(((struct record *)0)->member)
#define FIELD_OF(type, record, member)                                                             \
    {                                                                                              \
#member, FIELD_AT(type, record, member), FIELD_MOST, FIELD_ALL, NULL, NULL, 0              \
    }
// For reports: a member with its bound; one that is not read; a place.
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
// A plain count: it is the record.
#define FIELD_ITEM(name, most)                                                                     \
    {                                                                                              \
        name, FIELD_NUMBER, 0, sizeof(uint64_t), most, FIELD_ALL, NULL, NULL, 0                    \
    }
#define FIELD_END                                                                                  \
    {                                                                                              \
        NULL, FIELD_SET, 0, 0, 0, 0, NULL, NULL, 0                                                 \
    }

// A value in transit between a record and a file.
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
    char made[20]; // the text, if it was converted
};

// The form in which values of each type travel.
extern const enum field_form field_forms[];

// Gets a field's value from its record; valid as long as the record.
void field_get(const struct field *field, const void *record, struct field_value *value);
// False if the value is invalid for the field. Sanitises texts; NULL is "".
bool field_set(const struct field *field, void *record, const struct field_value *value);

// Converts text unchanged; a count to at most FIELD_MOST.
struct json_t *field_text(const char *text);
struct json_t *field_count(uint64_t count);

// Writes an object with the fields of these kinds, in table order.
struct json_t *field_write(const struct field *fields, uint32_t kinds, const void *record);
// Reads those fields; all must be present. `strict`: nothing else may be present, and no
// text may need to be sanitised. False with the fault, "'runs' is missing".
bool field_read(const struct field *fields, uint32_t kinds, bool strict,
                const struct json_t *object, void *record, char fault[128]);
