// SPDX-License-Identifier: Apache-2.0
// Processes, portably: workers with their connections, and this process's own requests to the
// system. process_posix.c and process_windows.c implement it.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

// Call first in every process of this program: opens the standard files, makes a file size limit an
// error instead of a signal, makes arguments UTF-8, prints bytes unchanged, and disables dialogs.
// May replace the arguments.
void eng_process_begin(int *argc, char ***argv);

// --- A worker, from outside. Only one thread at a time may use it.

struct eng_child;

// A variable of this process's environment: LD_PRELOAD of its workers.
#define ENG_PRELOAD "LITMUS_PRELOAD"

// Starts `litmus worker MANIFEST`; it and the processes it starts die with this process. NULL with
// an error if it cannot start or its limits may be too low. `niceness`: 0, or how much lower its
// priority is.
struct eng_child *eng_child_start(const char *manifest, int niceness, struct lit_error *error);

// Kills the worker and what it started; frees.
void eng_child_free(struct eng_child *child);

// Each returns how many bytes it moved, 0 if none can be moved now, or ENG_CHILD_CLOSED.
#define ENG_CHILD_CLOSED (-1)
ptrdiff_t eng_child_send(struct eng_child *child, const char *bytes, size_t size);
ptrdiff_t eng_child_receive(struct eng_child *child, char *bytes, size_t size);
ptrdiff_t eng_child_output(struct eng_child *child, char *bytes, size_t size); // what it prints

// Closes the connection; the worker's output can still be read.
void eng_child_disconnect(struct eng_child *child);
bool eng_child_connected(const struct eng_child *child);

// Waits until one of the three can move bytes (eng_child_send only if `sends`), for at least a
// moment and at most `seconds`.
void eng_child_wait(struct eng_child *child, bool sends, double seconds);

// Asks the worker to end, which makes it print where it is; or kills it.
void eng_child_signal(struct eng_child *child, bool kill);
bool eng_child_ended(struct eng_child *child);

// Describes how it ended: "signal 11 (SIGSEGV)", "exception 0xc0000005 (access violation)", "exit
// status 3"; or what failed in this process.
void eng_child_describe(const struct eng_child *child, char *text, size_t size);

// Says why it or its connection ended, if the driver is not at fault: this process could not use
// the connection, it exited with a code of enum eng_exit, or other processes ended it. Else NULL.
const char *eng_child_failure(const struct eng_child *child);

// Returns a line about the core it left, to be freed; NULL if there is none.
char *eng_child_core(const struct eng_child *child);

// --- The connection of a worker, from inside.

// Makes this worker die with its supervisor.
void eng_parent_bind(void);
// Moves some bytes, waiting for them. 0: the supervisor is gone. Other failures end the process.
size_t eng_parent_read(char *bytes, size_t size);
size_t eng_parent_send(const char *bytes, size_t size); // by one thread at a time

// From now on, when a signal or an exception ends this process, prints a backtrace of the thread
// that got it to standard error, after ENG_BACKTRACE, and then ends the process as before; but with
// ENG_EXIT_MEMORY if it crashed when no address space was left. Leaves signals alone that already
// have a handler (a sanitizer's), and those that a driver handles later.
void eng_backtrace_listen(void);

// --- SIGINT, SIGTERM and SIGHUP, Ctrl-C and a closed console: the first asks the run to stop in
// order, the second ends the program at once.

// Starts listening. A signal that was ignored at the start (nohup) stays ignored.
void eng_interrupt_listen(void);
// The signal that came, 0 if none.
int eng_interrupt(void);
// Ends the program by the signal, so that its parent sees how it ended.
_Noreturn void eng_interrupt_reraise(int number);
