// SPDX-License-Identifier: Apache-2.0
// Processes as the operating system has them: a worker's with the connection to it, and what this
// process itself asks of the system. process_posix.c and process_windows.c are the two ways.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

// What every process of this program does first: the standard files are open, a file that may not
// grow is an error and no signal, arguments are UTF-8, bytes are printed as they are, and nothing
// opens a dialog. May put other arguments in place.
void eng_process_begin(int *argc, char ***argv);

// --- A worker, from outside. Used by one thread at a time.

struct eng_child;

// Starts `litmus worker MANIFEST`, which dies with this process, as does what it starts. NULL with
// an error if there can be none, or it may have too little. `niceness`: 0, or how much it steps
// back for others.
struct eng_child *eng_child_start(const char *manifest, int niceness, struct lit_error *error);

// Kills what the worker has started, and it itself; frees.
void eng_child_free(struct eng_child *child);

// Each returns how many bytes it moved, 0 if none can be moved now, or ENG_CHILD_CLOSED.
#define ENG_CHILD_CLOSED (-1)
ptrdiff_t eng_child_send(struct eng_child *child, const char *bytes, size_t size);
ptrdiff_t eng_child_receive(struct eng_child *child, char *bytes, size_t size);
ptrdiff_t eng_child_output(struct eng_child *child, char *bytes, size_t size); // what it prints

// Closes the connection; what the worker prints can still be read.
void eng_child_disconnect(struct eng_child *child);
bool eng_child_connected(const struct eng_child *child);

// Waits until one of the three can be moved (eng_child_send only if `sends`), at most so long, and
// a moment at least.
void eng_child_wait(struct eng_child *child, bool sends, double seconds);

// Asks it to end, upon which it says where it is; or kills it.
void eng_child_signal(struct eng_child *child, bool kill);
bool eng_child_ended(struct eng_child *child);

// How it ended: "signal 11 (SIGSEGV)", "exception 0xc0000005 (access violation)", "exit status 3";
// or what failed in this process.
void eng_child_describe(const struct eng_child *child, char *text, size_t size);

// Why it ended, or its connection, if that is no doing of the driver: this process could not use
// the connection, it exited with a code of enum eng_exit, or by what only others do to it. NULL
// else.
const char *eng_child_failure(const struct eng_child *child);

// A line on the core that it left, to be freed; NULL if there is none.
char *eng_child_core(const struct eng_child *child);

// --- The connection of a worker, from inside.

// Without a supervisor there is no worker: this one dies with it.
void eng_parent_bind(void);
// Moves some bytes, waiting for them. 0: the supervisor is gone. Another failure ends the process.
size_t eng_parent_read(char *bytes, size_t size);
size_t eng_parent_send(const char *bytes, size_t size); // by one thread at a time

// From here on a signal or an exception that ends this process prints a backtrace of the thread
// that has it, to standard error, behind ENG_BACKTRACE, and then ends it as it would have; but with
// ENG_EXIT_MEMORY if it crashed when no address space was left. Signals that are handled already
// (by a sanitizer) are left alone, and so are those that a driver handles later.
void eng_backtrace_listen(void);

// --- SIGINT, SIGTERM and SIGHUP, Ctrl-C and the closed console: the first one asks the run to stop
// in order, the second ends the program at once.

// Starts listening. A signal that the program was started with ignored (nohup) stays ignored.
void eng_interrupt_listen(void);
// The signal that came, 0 if none.
int eng_interrupt(void);
// Ends the program by the signal, so that whoever started it sees how it ended.
_Noreturn void eng_interrupt_reraise(int number);
