// SPDX-License-Identifier: Apache-2.0
// What the kernel logs of graphics devices while a run lasts. Not everybody may read it: without
// permission there is nothing.
#pragma once

#include "base/text.h"

#define ENG_KERNEL_LOG "/dev/kmsg"

struct eng_kernel_log {
    int file;        // -1: it cannot be read
    char rest[1024]; // of a line that has not come to its end
    size_t rest_length;
    struct text lines; // what matters, as dmesg prints it: "[ 1234.567890] NVRM: Xid ..."
};

// From here on what is logged is kept. `path`: of records as /dev/kmsg has them; NULL: none.
void eng_kernel_log_open(struct eng_kernel_log *log, const char *path);
void eng_kernel_log_close(struct eng_kernel_log *log);

// Reads what has come; never waits. Of more than ENG_EVIDENCE_SIZE bytes the newest lines are kept.
void eng_kernel_log_read(struct eng_kernel_log *log);
