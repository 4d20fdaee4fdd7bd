// SPDX-License-Identifier: Apache-2.0
// Runs nvdisasm in a process of its own, whose time and output have limits.

#include "isa/sass.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS         20    // for sass_from_bytes
#define OUTPUT_OF_INSN  512   // bytes of text: several times what nvdisasm writes
#define OUTPUT_AT_LEAST 65536 // and for what it says beside them
#define NOT_FOUND       127   // of a shell and of timeout(1)

// A file with the bytes, which the caller removes; `path` is its name.
static bool write_bytes(const uint8_t *bytes, size_t size, struct text *path,
                        struct lit_error *error)
{
    text_printf(path, "%s/litmus-sass-XXXXXX", lit_path_temporary());
    const int number = mkostemp(path->data, O_CLOEXEC);
    FILE *file = number < 0 ? NULL : fdopen(number, "wb");
    if (!file)
        return lit_fail(error, LIT_EXIT_USAGE, "nvdisasm: no file for it in %s: %s", path->data,
                        strerror(errno));
    const bool written = fwrite(bytes, 1, size, file) == size;
    if (fclose(file) == 0 && written)
        return true;
    lit_fail(error, LIT_EXIT_USAGE, "nvdisasm: %s cannot be written: %s", path->data,
             strerror(errno));
    unlink(path->data);
    return false;
}

// The first line with something in it; for messages.
static int first_line(const struct text *text, const char **line)
{
    *line = text->data ? text->data + strspn(text->data, " \t\r\n") : "";
    const size_t length = strcspn(*line, "\r\n");
    return length > 200 ? 200 : (int)length;
}

// Runs it in a process group of its own, which timeout(1) kills in time; it ends sooner where it
// has more to write than is read.
static bool run(const char *program, uint32_t architecture, const char *path, double seconds,
                size_t limit, struct text *text, struct lit_error *error)
{
    char bytes[16384];
    const char *line;
    const double deadline = clock_now() + seconds;
    OWNED(text_free) struct text command = {0};
    text_printf(&command, "timeout -s KILL %g ", seconds);
    text_quote(&command, program);
    text_printf(&command, " -b SM%u ", architecture);
    text_quote(&command, path);
    text_puts(&command, " </dev/null 2>&1");
    FILE *output = popen(command.data, "re");
    if (!output)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: %s", program, strerror(errno));
    for (size_t got = 1; got > 0 && text->length <= limit; text_append(text, bytes, got))
        got = fread(bytes, 1, sizeof bytes, output);
    const int status = pclose(output);
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (text->length > limit)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: more than %zu bytes of text", program, limit);
    if (code == 128 + SIGKILL && clock_now() >= deadline)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not done after %g s", program, seconds);
    if (code == 0)
        return true;
    if (code == NOT_FOUND)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not found", program);
    if (code > 128)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: ended by signal %d", program, code - 128);
    const int length = first_line(text, &line);
    return lit_fail(error, LIT_EXIT_USAGE, "%s: exit status %d%s%.*s", program, code,
                    length ? ": " : "", length, line);
}

bool sass_nvdisasm(const uint8_t *bytes, size_t size, uint32_t architecture, double seconds,
                   struct sass_code *code, struct lit_error *error)
{
    const char *named = getenv("LITMUS_NVDISASM");
    const char *program = named && named[0] ? named : "nvdisasm";
    const size_t count = size / SASS_BYTES, limit = OUTPUT_AT_LEAST + OUTPUT_OF_INSN * count;
    OWNED(text_free) struct text path = {0}, text = {0};
    *code = (struct sass_code){0};
    bool good = write_bytes(bytes, size, &path, error);
    if (good) {
        good = run(program, architecture, path.data, seconds, limit, &text, error) &&
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
