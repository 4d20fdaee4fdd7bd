// SPDX-License-Identifier: Apache-2.0
// Only this file knows how types of fields are stored in memory and written in JSON.
#include "model/field.h"

#include <jansson.h>

#include <math.h>

static const char digits[] = "0123456789abcdef";

static uint64_t number_at(const void *at, size_t size)
{
    return size == sizeof(uint64_t) ? *(const uint64_t *)at : *(const uint32_t *)at;
}

// The number of bytes or elements in a record.
static size_t count_of(const struct field *field, const void *record)
{
    const size_t count = *(const size_t *)((const char *)record + field->count);
    return count < field->most ? count : field->most;
}

const enum field_form field_forms[] = {
    [FIELD_TEXT] = FIELD_IS_TEXT,     [FIELD_LINES] = FIELD_IS_TEXT, [FIELD_CHARS] = FIELD_IS_TEXT,
    [FIELD_NUMBER] = FIELD_IS_NUMBER, [FIELD_HEX] = FIELD_IS_TEXT,   [FIELD_BOOL] = FIELD_IS_BOOL,
    [FIELD_REAL] = FIELD_IS_REAL,     [FIELD_UUID] = FIELD_IS_BYTES, [FIELD_BYTES] = FIELD_IS_BYTES,
    [FIELD_BLOB] = FIELD_IS_BYTES,    [FIELD_NAME] = FIELD_IS_TEXT,  [FIELD_SET] = FIELD_IS_NOTHING,
};

void field_get(const struct field *field, const void *record, struct field_value *value)
{
    const void *at = (const char *)record + field->offset;
    value->is = field_forms[field->type];
    value->bytes = at;
    switch (field->type) {
    case FIELD_TEXT:
    case FIELD_LINES:
        value->bytes = *(const char *const *)at ? *(const char *const *)at : "";
        break;
    case FIELD_HEX:
        snprintf(value->made, sizeof value->made, "0x%jx", (uintmax_t)number_at(at, field->size));
        value->bytes = value->made;
        break;
    case FIELD_NAME:
        value->bytes = ((const char *const *)field->of)[*(const unsigned *)at];
        break;
    case FIELD_NUMBER:
        value->number = number_at(at, field->size);
        break;
    case FIELD_BOOL:
        value->number = *(const bool *)at;
        break;
    case FIELD_REAL:
        value->real = *(const double *)at;
        break;
    case FIELD_BLOB:
        value->bytes = ((const struct field_blob *)at)->bytes;
        value->size = ((const struct field_blob *)at)->size;
        break;
    case FIELD_BYTES:
        value->size = count_of(field, record);
        break;
    default:
        value->size = field->size;
    }
}

// Lower-case hexadecimal digits, two per byte; dashes may separate them.
static bool set_digits(const char *text, uint8_t *to, size_t count)
{
    size_t at = 0;
    for (; *text; text++) {
        const char *digit = strchr(digits, *text);
        if (*text == '-')
            continue;
        if (!digit || at == 2 * count)
            return false;
        to[at / 2] = (uint8_t)(to[at / 2] << 4 | (digit - digits));
        at++;
    }
    return at == 2 * count;
}

static bool set_number(const struct field *field, void *at, uint64_t number)
{
    if (number > (field->size == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX))
        return false;
    if (field->size == sizeof(uint64_t))
        *(uint64_t *)at = number;
    else
        *(uint32_t *)at = (uint32_t)number;
    return true;
}

static bool set_hex(const struct field *field, void *at, const char *text)
{
    const size_t length = strlen(text);
    return length >= 3 && length <= 18 && strncmp(text, "0x", 2) == 0 &&
           strspn(text + 2, "0123456789abcdefABCDEF") == length - 2 &&
           set_number(field, at, strtoull(text + 2, NULL, 16));
}

static bool set_name(const struct field *field, unsigned *at, const char *text)
{
    *at = 0;
    while (*at < field->most && strcmp(text, ((const char *const *)field->of)[*at]) != 0)
        ++*at;
    return *at < field->most;
}

bool field_set(const struct field *field, void *record, const struct field_value *value)
{
    void *at = (char *)record + field->offset;
    const char *bytes = value->bytes ? value->bytes : "";
    const size_t size = value->is == FIELD_IS_TEXT ? strlen(bytes) + 1 : value->size;
    if (value->is != field_forms[field->type])
        return false;
    switch (field->type) {
    case FIELD_TEXT:
        text_sanitise(*(char **)at = lit_alloc(size, 1), size, bytes);
        return true;
    case FIELD_LINES:
        if (size <= field->most)
            text_sanitise_lines(*(char **)at = lit_alloc(size, 1), size, bytes);
        return size <= field->most;
    case FIELD_CHARS:
        text_sanitise(at, field->size, bytes);
        return true;
    case FIELD_HEX:
        return set_hex(field, at, bytes);
    case FIELD_NAME:
        return set_name(field, at, bytes);
    case FIELD_NUMBER:
        return value->number <= field->most && set_number(field, at, value->number);
    case FIELD_BOOL:
        *(bool *)at = value->number != 0;
        return true;
    case FIELD_REAL:
        *(double *)at = value->real;
        return isfinite(value->real) && value->real >= 0;
    case FIELD_UUID:
        if (size == field->size)
            memcpy(at, bytes, size);
        return size == field->size;
    case FIELD_BLOB:
        *(struct field_blob *)at =
            (struct field_blob){memcpy(lit_alloc(size + 1, 1), bytes, size), size};
        return true;
    default:
        return false;
    }
}

// --- JSON

json_t *field_text(const char *text)
{
    // json_string() refuses invalid UTF-8.
    json_t *json = json_string(text ? text : "");
    return json ? json : json_string("?");
}

json_t *field_count(uint64_t count)
{
    // A driver may report more than JSON readers keep.
    return json_integer((json_int_t)(count < FIELD_MOST ? count : FIELD_MOST));
}

static json_t *make_text(const struct field *field, const char *text)
{
    if (field->type != FIELD_CHARS)
        return field_text(text);
    OWNED(lit_free) char *clean = lit_alloc(field->size, 1);
    text_sanitise(clean, field->size, text);
    return json_string(clean);
}

static json_t *make_digits(const struct field *field, const struct field_value *value)
{
    OWNED(text_free) struct text text = {0};
    text_puts(&text, "");
    for (size_t i = 0; i < value->size; i++) {
        const uint8_t byte = (uint8_t)value->bytes[i];
        const char pair[] = {digits[byte >> 4], digits[byte & 15], '-'};
        const bool dash = field->type == FIELD_UUID && i >= 3 && i <= 9 && i % 2;
        text_append(&text, pair, dash ? 3 : 2);
    }
    return json_string(text.data);
}

static json_t *make_item(const struct field *field, uint32_t kinds, const char *at)
{
    return field->type == FIELD_NUMBERS ? field_count(*(const uint64_t *)(const void *)at)
           : field->type == FIELD_REALS ? json_real(*(const double *)(const void *)at)
                                        : field_write(field->of, kinds, at);
}

// A list of structures; else of numbers.
static bool is_listed(const struct field *field)
{
    return field->type == FIELD_LIST || field->type == FIELD_ITEMS;
}

static json_t *make_list(const struct field *field, uint32_t kinds, const void *record)
{
    const size_t size = is_listed(field) ? field->size : sizeof(uint64_t);
    const size_t count = is_listed(field) ? count_of(field, record) : field->size / size;
    const char *at = (const char *)record + field->offset;
    json_t *list = json_array();
    if (field->type == FIELD_ITEMS)
        memcpy(&at, at, sizeof at);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, make_item(field, kinds, at + i * size));
    return list;
}

static json_t *make(const struct field *field, uint32_t kinds, const void *record)
{
    struct field_value value;
    if (field->type == FIELD_OBJECT)
        return field_write(field->of, kinds, (const char *)record + field->offset);
    if (field->type >= FIELD_NUMBERS && field->type <= FIELD_ITEMS)
        return make_list(field, kinds, record);
    field_get(field, record, &value);
    switch (value.is) {
    case FIELD_IS_TEXT:
        return make_text(field, value.bytes);
    case FIELD_IS_BYTES:
        return make_digits(field, &value);
    case FIELD_IS_NUMBER:
        return field_count(value.number);
    case FIELD_IS_BOOL:
        return json_boolean(value.number);
    case FIELD_IS_REAL:
        return json_real(value.real);
    case FIELD_IS_NOTHING:
        break;
    }
    return json_null();
}

json_t *field_write(const struct field *fields, uint32_t kinds, const void *record)
{
    json_t *object = json_object();
    for (; fields->name; fields++)
        if (fields->kinds & kinds)
            json_object_set_new(object, fields->name, make(fields, kinds, record));
    return object;
}

static bool read_value(const struct field *field, uint32_t kinds, bool strict, const json_t *json,
                       void *record, char fault[128]);

static bool read_list(const struct field *field, uint32_t kinds, bool strict, const json_t *list,
                      void *record, char fault[128])
{
    static const struct field number = FIELD_ITEM("", FIELD_MOST);
    const bool listed = is_listed(field);
    const size_t count = json_array_size(list), size = listed ? field->size : number.size;
    char *at = (char *)record + field->offset;
    bool good =
        json_is_array(list) && (listed ? count <= field->most : count == field->size / size);
    if (good && listed)
        *(size_t *)((char *)record + field->count) = count;
    if (good && field->type == FIELD_ITEMS)
        at = *(char **)at = lit_alloc(count, size);
    for (size_t i = 0; good && i < count; i++, at += size)
        good = listed ? field_read(field->of, kinds, strict, json_array_get(list, i), at, fault)
                      : read_value(&number, kinds, strict, json_array_get(list, i), at, fault);
    return good;
}

static bool read_value(const struct field *field, uint32_t kinds, bool strict, const json_t *json,
                       void *record, char fault[128])
{
    char *at = (char *)record + field->offset;
    const char *text = json_string_value(json);
    struct field_value value = {
        .is = json_is_string(json)    ? FIELD_IS_TEXT
              : json_is_boolean(json) ? FIELD_IS_BOOL
              : json_is_real(json) || (json_is_integer(json) && field->type == FIELD_REAL)
                  ? FIELD_IS_REAL
              : json_is_integer(json) ? FIELD_IS_NUMBER
                                      : FIELD_IS_NOTHING,
        .bytes = text,
        .number = json_is_true(json) ? 1 : (uint64_t)json_integer_value(json), // too many below 0
        .real = json_number_value(json),
    };
    switch (field->type) {
    case FIELD_OBJECT:
        return field_read(field->of, kinds, strict, json, at, fault);
    case FIELD_LIST:
    case FIELD_ITEMS:
    case FIELD_NUMBERS:
        return read_list(field, kinds, strict, json, record, fault);
    case FIELD_UUID:
        return text && set_digits(text, (uint8_t *)at, field->size);
    case FIELD_BYTES:
        return text && set_digits(text, (uint8_t *)at, count_of(field, record));
    default:
        return field_set(field, record, &value) &&
               (!strict || field->type != FIELD_CHARS || strcmp(at, text) == 0);
    }
}

bool field_read(const struct field *fields, uint32_t kinds, bool strict, const json_t *object,
                void *record, char fault[128])
{
    static const char *const faults[FIELD_SET + 1] = {
        [FIELD_TEXT] = "not a text",
        [FIELD_CHARS] = "not a text",
        [FIELD_NUMBER] = "not a number in range",
        [FIELD_HEX] = "not a hexadecimal number",
        [FIELD_BOOL] = "neither true nor false",
        [FIELD_REAL] = "not a number in range",
        [FIELD_UUID] = "not a UUID",
        [FIELD_NAME] = "unknown",
    };
    size_t taken = 0;
    fault[0] = '\0';
    for (; fields->name; fields++) {
        const json_t *value = json_object_get(object, fields->name);
        if (!(fields->kinds & kinds))
            continue;
        taken++;
        if (value && read_value(fields, kinds, strict, value, record, fault))
            continue;
        if (!fault[0])
            snprintf(fault, 128, "'%s' is %s", fields->name,
                     !value                 ? "missing"
                     : faults[fields->type] ? faults[fields->type]
                                            : "invalid");
        return false;
    }
    if (strict && taken != json_object_size(object))
        snprintf(fault, 128, "unexpected extra fields");
    return !fault[0];
}
