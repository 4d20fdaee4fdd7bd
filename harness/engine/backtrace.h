// SPDX-License-Identifier: Apache-2.0
// Where a worker was when it crashed, or when it was ended for its silence: it prints that itself.
#pragma once

// The line before a backtrace; the supervisor keeps what follows apart from what a driver prints.
#define ENG_BACKTRACE "-- litmus: backtrace --\n"

// From here on a signal that ends this process prints a backtrace of the thread that has it, to
// standard error, and then ends it as it would have; but with ENG_EXIT_MEMORY if it crashed when no
// address space was left. Signals that are handled already (by
// a sanitizer) are left alone, and so are those that a driver handles later.
void eng_backtrace_listen(void);
