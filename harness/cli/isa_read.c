// SPDX-License-Identifier: Apache-2.0
#include "cli/isa_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HEADER 32 // bytes of VkPipelineCacheHeaderVersionOne: size, version, vendor, product, UUID

static bool read_file(const char *path, struct text *bytes, struct lit_error *error)
{
    char buffer[65536];
    FILE *file = fopen(path, "rbe");
    if (!file)
        return lit_fail(error, LIT_EXIT_USAGE, "cannot read %.300s: %s", path, strerror(errno));
    for (size_t got;
         bytes->length <= ISA_MOST_BYTES && (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_append(bytes, buffer, got);
    const bool good = !ferror(file);
    fclose(file);
    return good || lit_fail(error, LIT_EXIT_USAGE, "cannot read %.300s", path);
}

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
        good = read_file(paths[i], &bytes, error);
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
