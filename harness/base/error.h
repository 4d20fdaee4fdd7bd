// SPDX-License-Identifier: Apache-2.0
// One error object for the whole program: filled where the error happens, printed once at the top.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Exit codes of the program, documented in README.md. Never reused for anything else.
enum lit_exit {
    LIT_EXIT_OK = 0,
    LIT_EXIT_FORBIDDEN = 1,   // a forbidden outcome, or a regression
    LIT_EXIT_USAGE = 2,       // usage, input, or a file that cannot be used
    LIT_EXIT_UNDECIDED = 3,   // too few runs, or something could not be measured
    LIT_EXIT_DEVICE_LOST = 4, // a device was lost and its queue stopped
    LIT_EXIT_TIME = 5,        // the time budget was used up
    LIT_EXIT_NOTHING = 77,    // nothing could run
};

struct lit_error {
    enum lit_exit code; // what the program should exit with if this error ends it
    char message[512];  // one line, no newline, safe to print
};

// Fills *error (may be NULL) and returns false, so that callers can `return lit_fail(...)`.
// The formatted text is sanitised: control characters become '?'.
__attribute__((format(__printf__, 3, 4))) bool lit_fail(struct lit_error *error, enum lit_exit code,
                                                        const char *format, ...);

// How a command may end: a row of a table in the order of importance.
struct lit_end {
    uint64_t count; // 0: it does not hold
    enum lit_exit code;
    const char *one, *many; // why; in `many` %s is the count, unless it is 1; NULL: the same
};

// The code of the first row that holds, which there must be; its text goes to `reason`.
enum lit_exit lit_end_choose(const struct lit_end *ends, char *reason, size_t size);
