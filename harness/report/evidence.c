// SPDX-License-Identifier: Apache-2.0
// What was found around a crash, a hang or a lost device, as lines.
#include "report/evidence.h"

#include <string.h>

const char *report_evidence_title(enum eng_evidence kind)
{
    static const char *const titles[ENG_EVIDENCES] = {
        [ENG_EVIDENCE_WORDS] = "The last lines that the driver or the worker printed",
        [ENG_EVIDENCE_KERNEL] =
            "What the kernel logged of graphics devices and crashes since the run began",
        [ENG_EVIDENCE_BACKTRACE] = "Where the worker was when it crashed or was ended",
        [ENG_EVIDENCE_CORE] = "Its memory",
    };
    return titles[kind];
}

static const char *last_lines(const char *text, size_t most)
{
    const char *at = text + strlen(text);
    while (at > text && most > 0 && (at = memrchr(text, '\n', (size_t)(at - text - 1))))
        most--;
    return at && at > text ? at + 1 : text;
}

void report_evidence_lines(struct text *out, const struct report_result *result,
                           enum eng_evidence kind, size_t most, const char *before)
{
    const char *at = result->evidence[kind] ? last_lines(result->evidence[kind], most) : "";
    while (*at) {
        const size_t length = strcspn(at, "\n");
        text_puts(out, before);
        text_append(out, at, length);
        text_puts(out, "\n");
        at += length + (at[length] != '\0');
    }
}

bool report_evidence_any(const struct report_result *result)
{
    for (size_t kind = 0; kind < ENG_EVIDENCES; kind++)
        if (result->evidence[kind])
            return true;
    return false;
}
