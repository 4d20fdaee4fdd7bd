// SPDX-License-Identifier: Apache-2.0
// Between process_windows.c and backtrace_windows.c.
#pragma once

// The name of an exception, or of a status that a process ends with: "access violation"; NULL if it
// has none here.
const char *eng_exception_name(unsigned long code);

// The event by which the supervisor asks this worker to end; NULL if there is none. A HANDLE.
void *eng_parent_asked(void);
