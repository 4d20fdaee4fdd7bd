// SPDX-License-Identifier: Apache-2.0
// The error object: formatting.
#include "base/error.h"

#include "base/text.h"

#include <stdarg.h>

bool lit_fail(struct lit_error *error, enum lit_exit code, const char *format, ...)
{
    if (!error)
        return false;
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error->code = code;
    text_sanitise(error->message, sizeof error->message, message);
    return false;
}

enum lit_exit lit_end_choose(const struct lit_end *ends, char *reason, size_t size)
{
    char number[32];
    while (!ends->count)
        ends++;
    snprintf(reason, size, ends->count > 1 && ends->many ? ends->many : ends->one,
             text_count(number, ends->count));
    return ends->code;
}
