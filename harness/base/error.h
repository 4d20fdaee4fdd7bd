// SPDX-License-Identifier: Apache-2.0
// One error object for the whole program: filled where the error occurs, printed once at the top.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Exit codes of the program, documented in README.md. Never reused.
enum lit_exit {
    LIT_EXIT_OK = 0,
    LIT_EXIT_FORBIDDEN = 1,   // a forbidden outcome, or a regression
    LIT_EXIT_USAGE = 2,       // usage, input, or an unusable file
    LIT_EXIT_UNDECIDED = 3,   // too few runs, or a failed measurement
    LIT_EXIT_DEVICE_LOST = 4, // a device was lost and its queue stopped
    LIT_EXIT_TIME = 5,        // the time limit expired
    LIT_EXIT_NOTHING = 77,    // nothing could run
};

struct lit_error {
    enum lit_exit code; // the program's exit code if this error ends it
    char message[512];  // one line, no newline, safe to print
};

// Fills *error (may be NULL) and returns false, so that callers can `return lit_fail(...)`.
// The formatted text is sanitised: control characters become '?'.
__attribute__((format(__printf__, 3, 4))) bool lit_fail(struct lit_error *error, enum lit_exit code,
                                                        const char *format, ...);

// One way for a command to end: a row of a table in order of importance.
struct lit_end {
    uint64_t count; // 0: does not apply
    enum lit_exit code;
    const char *one, *many; // the reason; in `many` %s is the count if above 1; NULL: as `one`
};

// Returns the code of the first row that applies, and its text in `reason`. One must apply.
enum lit_exit lit_end_choose(const struct lit_end *ends, char *reason, size_t size);
