// SPDX-License-Identifier: Apache-2.0
// Fuzzes what a driver gives of a pipeline: its blobs, and packed code with all that is made of it.
#include "fuzz.h"

#include "isa/code.h"
#include "isa/study.h"

static void check_blob(const char *data, size_t size)
{
    struct nvidia_code code;
    struct lit_error error = {0};
    if (nvidia_read(data, size, &code, &error))
        MUST(code.size > 0 && code.size % 16 == 0);
    else
        MUST(!code.bytes && !code.constants && error.message[0] &&
             !strpbrk(error.message, "\n\r\033"));
    free(code.bytes);
    free(code.constants);
}

static bool describe(const char *name, struct isa_variant *variant)
{
    *variant = (struct isa_variant){.axis_count = 1};
    variant->axes[0].order = (size_t)name[0];
    return true;
}

// What was unpacked is sanitised, packs to what unpacks to the same, and can be studied.
static void check_packed(const char *data, size_t size)
{
    struct isa_code code, again;
    OWNED(text_free) struct text first = {0}, second = {0};
    struct lit_error error = {0};
    if (!isa_unpack(data, size, &code, &error)) {
        MUST(error.message[0] && code.piece_count == 0);
        return;
    }
    isa_pack(&code, &first);
    MUST(isa_unpack(first.data, first.length, &again, &error));
    isa_pack(&again, &second);
    MUST(first.length == second.length && !memcmp(first.data, second.data, first.length));
    for (size_t i = 0; i < code.remark_count; i++)
        MUST(!strpbrk(code.remarks[i], "\n\r\033"));
    isa_extract(&code, NVIDIA_VENDOR, 0x2335);
    OWNED(isa_study_clear) struct isa_study study = {0};
    isa_study_add(&study, "shuffle.scan-loop", &code, NULL, NULL);
    isa_study_add(&study, "shuffle.scan-loop", &again, NULL, NULL);
    isa_study_finish(&study, describe);
    if (study.entries[0].listing.lines && study.entries[1].listing.lines) {
        OWNED(isa_diff_clear) struct isa_diff diff;
        isa_diff(&study.entries[0].listing, &study.entries[1].listing, &diff);
    }
}

// The functions of a file lie in it, or in what was unpacked.
static void check_file(const char *data, size_t size)
{
    OWNED(isa_file_clear) struct isa_file file;
    struct lit_error error = {0};
    if (isa_file_read(data, size, &file, &error))
        for (size_t i = 0; i < file.count; i++) {
            const struct isa_function *function = &file.functions[i];
            MUST(!strpbrk(function->name, "\n\r\033"));
            MUST(file.unpacked || (function->bytes >= data && function->bytes <= data + size &&
                                   function->size <= (size_t)(data + size - function->bytes)));
        }
    else
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size ? size : 1); // exactly as long, for sanitizers
    MUST(copy);
    memcpy(copy, data, size);
    check_blob(copy, size);
    check_packed(copy, size);
    check_file(copy, size);
    free(copy);
    return 0;
}
