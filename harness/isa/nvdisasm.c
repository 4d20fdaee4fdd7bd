// SPDX-License-Identifier: Apache-2.0
// Runs nvdisasm.

#include "isa/sass.h"

#include "base/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SECONDS         20    // for sass_from_bytes
#define OUTPUT_OF_INSN  512   // bytes of text, several times nvdisasm's usual
#define OUTPUT_AT_LEAST 65536 // allowance for nvdisasm's other output

bool sass_nvdisasm(const uint8_t *bytes, size_t size, uint32_t architecture, double seconds,
                   struct sass_code *code, struct lit_error *error)
{
    const char *named = getenv("LITMUS_NVDISASM");
    const char *program = named && named[0] ? named : "nvdisasm";
    const size_t count = size / SASS_BYTES, limit = OUTPUT_AT_LEAST + OUTPUT_OF_INSN * count;
    OWNED(text_free) struct text path = {0}, text = {0};
    *code = (struct sass_code){0};
    char model[16];
    snprintf(model, sizeof model, "SM%u", architecture);
    bool good = lit_file_temporary(bytes, size, &path, error);
    if (good) {
        const char *const words[] = {program, "-b", model, path.data, NULL};
        good = lit_program_run(words, seconds, limit, &text, error) &&
               sass_parse(text.data ? text.data : "", text.length, architecture, code, error);
        unlink(path.data);
    }
    if (good && code->count != count) {
        good = lit_fail(error, LIT_EXIT_USAGE, "%s wrote %zu of %zu instructions", program,
                        code->count, count);
        sass_code_clear(code);
    }
    return good;
}

bool sass_from_bytes(const uint8_t *bytes, size_t size, uint32_t architecture,
                     struct sass_code *code, char source[256], struct lit_error *error)
{
    struct lit_error why = {0};
    char ignored[256];
    source = source ? source : ignored;
    if (sass_nvdisasm(bytes, size, architecture, SECONDS, code, &why)) {
        snprintf(source, 256, "nvdisasm");
        return true;
    }
    snprintf(source, 256, "decoder: %.240s", why.message);
    return sass_decode(bytes, size, architecture, code, error);
}
