// SPDX-License-Identifier: Apache-2.0
// Worker processes: how one is started, with which environment, and how it is ended.
#pragma once

#include "base/error.h"
#include "engine/timeout.h"

#include <stdbool.h>
#include <sys/types.h>

struct eng_child {
    pid_t pid;  // 0: none
    int socket; // the supervisor's end, non-blocking; -1 if closed
    int output; // stdout and stderr of the worker, non-blocking; -1 if closed
    int status; // of waitpid, once `ended`
    bool ended;
};

// What a worker and its driver may have at least: files open at once, and address space.
#define ENG_FILES      64
#define ENG_MEMORY_MIB 512

// Starts this program again as `litmus worker`, in a process group of its own, with one driver's
// manifest for the Vulkan loader to know, no implicit layers and no shader caches, and so much
// nicer than this process. The worker dies with the supervisor. False with an error if no process
// can be made, or it may have too little.
bool eng_child_start(struct eng_child *child, const char *manifest, int niceness,
                     struct lit_error *error);

// Whether the process has ended; never waits.
bool eng_child_ended(struct eng_child *child);

// Closes the socket and ends the process: by itself if it does so within policy->term, then by
// SIGTERM, then by SIGKILL. `at_once` starts with SIGTERM. False if it outlived even SIGKILL: it is
// left behind.
bool eng_child_end(struct eng_child *child, const struct eng_policy *policy, bool at_once);

// "signal 11 (SIGSEGV)" or "exit status 3".
void eng_child_describe(const struct eng_child *child, char *text, size_t size);

// Why it ended, if that is no doing of the driver: it exited with a code of enum eng_exit, or by
// a signal that only others send. NULL else. The kernel's SIGKILL when memory runs out is among
// them: whose memory it was is not known.
const char *eng_child_failure(const struct eng_child *child);
