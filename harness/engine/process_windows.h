// SPDX-License-Identifier: Apache-2.0
// Shared by process_windows.c and backtrace_windows.c.
#pragma once

// Names an exception, or a status that a process ends with: "access violation"; NULL if unknown.
const char *eng_exception_name(unsigned long code);

// The event by which the supervisor asks this worker to end; NULL if there is none. A HANDLE.
void *eng_parent_asked(void);
