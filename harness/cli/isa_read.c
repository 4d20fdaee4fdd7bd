// SPDX-License-Identifier: Apache-2.0
#include "cli/isa_read.h"

#include <errno.h>
#include <string.h>

#define HEADER 32 // bytes of VkPipelineCacheHeaderVersionOne: size, version, vendor, product, UUID

static uint32_t little_endian(const char *bytes)
{
    uint32_t word = 0;
    for (int i = 3; i >= 0; i--)
        word = word << 8 | (unsigned char)bytes[i];
    return word;
}

bool cli_isa_read(const char *const *paths, size_t count, struct isa_study *study, size_t *unread,
                  struct lit_error *error)
{
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        struct text bytes = {0};
        struct isa_code code = {0};
        good = text_read(&bytes, paths[i], ISA_MOST_BYTES) ||
               lit_fail(error, LIT_EXIT_USAGE, "cannot read %.300s: %s", paths[i], strerror(errno));
        if (good && (bytes.length < HEADER || little_endian(bytes.data) != HEADER ||
                     little_endian(bytes.data + 4) != 1))
            good = lit_fail(error, LIT_EXIT_USAGE, "%.300s is no pipeline cache", paths[i]);
        if (good) {
            isa_add_piece(&code, ISA_CACHE, "pipeline cache", paths[i], bytes.data, bytes.length);
            isa_extract(&code, little_endian(bytes.data + 8), little_endian(bytes.data + 12));
            *unread += isa_find(&code, ISA_MACHINE) == NULL;
            isa_study_add(study, paths[i], &code, NULL, NULL);
        }
        text_free(&bytes);
    }
    isa_study_finish(study);
    return good;
}
