// SPDX-License-Identifier: Apache-2.0
#include "base/program.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_FOUND 127 // exit code of a shell and of timeout(1)

bool lit_program_folder(struct text *folder)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length > 0)
        text_append(folder, path, (size_t)length);
    return length > 0;
}

// Runs only code of our own owner: a copy of this program may be where others can write.
static bool has_our_owner(const char *path)
{
    struct stat folder, program;
    return stat(path, &folder) == 0 && stat("/proc/self/exe", &program) == 0 &&
           S_ISDIR(folder.st_mode) && folder.st_uid == program.st_uid;
}

bool lit_program_sdk(struct text *folder)
{
    if (!lit_program_folder(folder))
        return false;
    text_puts(folder, "../../.sdk/");
    return has_our_owner(folder->data);
}

void lit_program_add_tools(void)
{
    const char *path = getenv("PATH"), *sdk = getenv("VULKAN_SDK");
    OWNED(text_free) struct text all = {0};
    const bool chosen = sdk && *sdk;
    if (chosen)
        text_printf(&all, "%s/", sdk);
    if (!path || !(chosen || lit_program_sdk(&all)))
        return;
    text_printf(&all, "bin:%s", path);
    setenv("PATH", all.data, 1);
}

bool lit_file_temporary(const void *bytes, size_t size, struct text *path, struct lit_error *error)
{
    text_printf(path, "%s/litmus-XXXXXX", lit_path_temporary());
    const int number = mkostemp(path->data, O_CLOEXEC);
    FILE *file = number < 0 ? NULL : fdopen(number, "wb");
    if (!file)
        return lit_fail(error, LIT_EXIT_USAGE, "no temporary file %s: %s", path->data,
                        strerror(errno));
    const bool written = fwrite(bytes, 1, size, file) == size;
    if (fclose(file) == 0 && written)
        return true;
    lit_fail(error, LIT_EXIT_USAGE, "%s cannot be written: %s", path->data, strerror(errno));
    unlink(path->data);
    return false;
}

// The first line that mentions an error, else the first non-empty line; for messages.
static int first_line(const struct text *text, const char **line)
{
    const char *all = text->data ? text->data : "";
    const char *found = strstr(all, "ERROR:");
    found = found ? found : strstr(all, "error:");
    *line = found ? found : all + strspn(all, " \t\r\n");
    const size_t length = strcspn(*line, "\r\n");
    return length > 200 ? 200 : (int)length;
}

bool lit_program_run(const char *const *words, double seconds, size_t limit, struct text *text,
                     struct lit_error *error)
{
    char bytes[16384];
    const char *line, *program = words[0];
    const double deadline = clock_now() + seconds;
    OWNED(text_free) struct text command = text_format("timeout -s KILL %g", seconds);
    for (; *words; words++) {
        text_puts(&command, " ");
        text_quote(&command, *words);
    }
    text_puts(&command, " </dev/null 2>&1");
    // The program ends early if its output exceeds the limit.
    FILE *output = popen(command.data, "re");
    if (!output)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: %s", program, strerror(errno));
    // Not fread: a thread that starts a process flushes all streams, and would wait for this one.
    for (ssize_t got = 1; got > 0 && text->length <= limit;) {
        got = read(fileno(output), bytes, sizeof bytes);
        text_append(text, bytes, got > 0 ? (size_t)got : 0);
    }
    const int status = pclose(output);
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (text->length > limit)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: more than %zu bytes of text", program, limit);
    if (code == 128 + SIGKILL && clock_now() >= deadline)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not done after %g s", program, seconds);
    if (code == 0)
        return true;
    if (code == NOT_FOUND)
        return lit_fail(error, LIT_EXIT_NOTHING, "%s: not found", program);
    if (code > 128 && code <= 128 + 64) // spirv-as exits with -5
        return lit_fail(error, LIT_EXIT_USAGE, "%s: ended by signal %d", program, code - 128);
    const int length = first_line(text, &line);
    return lit_fail(error, LIT_EXIT_USAGE, "%s: exit status %d%s%.*s", program, code,
                    length ? ": " : "", length, line);
}

#define SPIRV_SECONDS 60
#define SPIRV_TEXT    ((size_t)16 << 20)

// Runs a tool on a module; the words before the file's name are terminated by NULL, with room for
// the name.
static bool run_on(const char **words, const void *module, size_t size, struct text *said,
                   struct lit_error *error)
{
    OWNED(text_free) struct text file = {0};
    size_t count = 0;
    if (!lit_file_temporary(module, size, &file, error))
        return false;
    while (words[count])
        count++;
    words[count] = file.data;
    const bool good = lit_program_run(words, SPIRV_SECONDS, SPIRV_TEXT, said, error);
    unlink(file.data);
    return good;
}

bool lit_spirv_validate(const void *words, size_t size, struct lit_error *error)
{
    OWNED(text_free) struct text said = {0};
    struct lit_error why = {0};
    const char *tool[] = {"spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout", NULL,
                          NULL};
    return run_on(tool, words, size, &said, &why) || why.code == LIT_EXIT_NOTHING ||
           lit_fail(error, LIT_EXIT_USAGE, "%s", why.message);
}

bool lit_spirv_disassemble(const void *words, size_t size, struct text *page)
{
    OWNED(text_free) struct text said = {0};
    const char *tool[] = {"spirv-dis", "--no-color", NULL, NULL};
    if (!run_on(tool, words, size, &said, NULL) || !said.length)
        return false;
    text_append(page, said.data, said.length);
    return true;
}

#define MOST_PASSES 16

bool lit_spirv_optimise(const char *const *passes, const void *words, size_t size,
                        struct text *made, struct lit_error *error)
{
    OWNED(text_free) struct text said = {0}, to = {0};
    const char *tool[MOST_PASSES + 5] = {"spirv-opt"};
    size_t count = 1;
    if (!lit_file_temporary("", 0, &to, error))
        return false;
    for (size_t i = 0; i < MOST_PASSES && passes[i]; i++)
        tool[count++] = passes[i];
    tool[count++] = "-o";
    tool[count] = to.data;
    const bool good = run_on(tool, words, size, &said, error) &&
                      (text_read(made, to.data, SPIRV_TEXT) ||
                       lit_fail(error, LIT_EXIT_USAGE, "spirv-opt: %s", strerror(errno)));
    unlink(to.data);
    return good;
}
