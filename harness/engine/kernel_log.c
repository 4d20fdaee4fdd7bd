// SPDX-License-Identifier: Apache-2.0
// Reads kernel records: "priority,number,microseconds,flags;text"; lines that start with a blank
// continue the record before.
#include "engine/watch.h"

#include "model/result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_READS 4096 // per call

void eng_kernel_log_open(struct eng_kernel_log *log, const char *path)
{
    *log = (struct eng_kernel_log){.file = -1};
    if (path)
        log->file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (log->file >= 0)
        lseek(log->file, 0, SEEK_END);
}

void eng_kernel_log_close(struct eng_kernel_log *log)
{
    if (log->file >= 0)
        close(log->file);
    text_free(&log->lines);
    *log = (struct eng_kernel_log){.file = -1};
}

// Matches graphics drivers, crashed processes, and out-of-memory messages.
static bool matters(const char *line)
{
    static const char *const words[] = {
        "NVRM",          "Xid",      "nvidia",         "amdgpu",   "radeon",  "[drm",
        "drm:",          "i915",     "xe 0",           "gpu",      "nouveau", "msm_dpu",
        "panfrost",      "panthor",  "lima",           "v3d",      "etnaviv", "virtio_gpu",
        "vmwgfx",        "pvr",      "iommu",          "segfault", "traps:",  "oom-kill",
        "Out of memory", "pcieport", "Hardware Error",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(line, words[i]))
            return true;
    return false;
}

static void take_line(struct eng_kernel_log *log)
{
    char safe[sizeof log->rest];
    unsigned long long microseconds;
    log->rest[log->rest_length] = '\0';
    log->rest_length = 0;
    text_sanitise(safe, sizeof safe, log->rest);
    const char *text = strchr(safe, ';');
    if (!text || sscanf(safe, "%*u,%*u,%llu", &microseconds) != 1 || !matters(text + 1))
        return;
    text_printf(&log->lines, "[%5llu.%06llu] %s\n", microseconds / 1000000, microseconds % 1000000,
                text + 1);
    // Drop whole lines from the beginning.
    size_t over = log->lines.length < ENG_EVIDENCE_SIZE ? 0 : log->lines.length - ENG_EVIDENCE_SIZE;
    if (over) {
        const char *end = strchr(log->lines.data + over, '\n');
        over = end ? (size_t)(end + 1 - log->lines.data) : log->lines.length;
        log->lines.length -= over;
        memmove(log->lines.data, log->lines.data + over, log->lines.length + 1);
    }
}

void eng_kernel_log_read(struct eng_kernel_log *log)
{
    char bytes[8192]; // the longest record
    ssize_t length = 0;
    for (unsigned reads = 0; log->file >= 0 && reads < MOST_READS; reads++) {
        length = read(log->file, bytes, sizeof bytes);
        if (length <= 0 && !(length < 0 && (errno == EPIPE || errno == EINTR)))
            break; // EPIPE: records were lost, later ones are there
        for (ssize_t i = 0; i < length; i++) {
            if (bytes[i] == '\n')
                take_line(log);
            else if (log->rest_length < sizeof log->rest - 1)
                log->rest[log->rest_length++] = bytes[i] ? bytes[i] : '?';
        }
    }
}
