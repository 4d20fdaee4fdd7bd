// SPDX-License-Identifier: Apache-2.0
// spirv-reduce, of SPIRV-Tools. Whether a module is interesting it asks a program: a script, which
// hands the question over through two pipes and waits for the answer.
#include "reduce/reduce.h"

#include "base/program.h"
#include "base/text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS 86400.0 // the time of a run ends it
#define MOST    ((size_t)16 << 20)

struct asking {
    struct text module, result, script, question, answer, prefix;
    pthread_t thread;
};

static bool put_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wbe");
    const bool written = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

// In a thread of its own. The last question is none.
static void *run(void *user)
{
    struct asking *a = user;
    OWNED(text_free) struct text said = {0};
    const char *const words[] = {"spirv-reduce", a->module.data, "-o",
                                 a->result.data, a->prefix.data, "--scalar-block-layout",
                                 "--",           a->script.data, NULL};
    lit_program_run(words, SECONDS, MOST, &said, NULL);
    put_file(a->question.data, "\n", 1);
    return NULL;
}

// The next module that it asks of. False: none.
static bool read_question(const struct asking *a, struct text *module)
{
    char line[4096];
    FILE *pipe = fopen(a->question.data, "rbe");
    if (!pipe)
        return false;
    const bool got = fgets(line, sizeof line, pipe) && line[0] != '\n';
    fclose(pipe);
    module->length = 0;
    line[got ? strcspn(line, "\n") : 0] = '\0';
    return got && text_read(module, line, MOST);
}

static void write_answer(const struct asking *a, enum red_answer answer)
{
    const char *line = answer == RED_FAILS ? "0\n" : answer == RED_STOP ? "stop\n" : "1\n";
    put_file(a->answer.data, line, strlen(line));
}

static bool begin(struct asking *a, const struct cat_package *package)
{
    OWNED(text_free) struct text text = {0}, said = {0};
    const char *const pipes[] = {"mkfifo", a->question.data, a->answer.data, NULL};
    text_puts(&text, "#!/bin/sh\necho \"$1\" >");
    text_quote(&text, a->question.data);
    text_puts(&text, "\nread -r answer <");
    text_quote(&text, a->answer.data);
    text_puts(&text, "\n[ \"$answer\" = stop ] && kill -KILL 0\nexit \"$answer\"\n");
    return put_file(a->module.data, package->words, package->word_count * 4) &&
           put_file(a->script.data, text.data, text.length) && chmod(a->script.data, 0700) == 0 &&
           lit_program_run(pipes, 10, MOST, &said, NULL);
}

void red_spirv_reduce(const struct cat_package *package,
                      enum red_answer (*try_one)(const uint32_t *words, size_t count, void *user),
                      void *user)
{
    OWNED(text_free) struct text said = {0}, place = {0}, module = {0};
    struct asking a = {0};
    const char *const version[] = {"spirv-reduce", "--version", NULL};
    struct text *const files[] = {&a.module, &a.result, &a.script, &a.question, &a.answer};
    static const char *const names[] = {"in.spv", "out.spv", "ask", "question", "answer"};
    if (!lit_program_run(version, 10, MOST, &said, NULL) ||
        !lit_file_temporary("", 0, &place, NULL))
        return;
    unlink(place.data);
    if (mkdir(place.data, 0700) != 0)
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        text_printf(files[i], "%s/%s", place.data, names[i]);
    text_printf(&a.prefix, "--temp-file-prefix=%s/t", place.data);
    if (begin(&a, package) && pthread_create(&a.thread, NULL, run, &a) == 0) {
        while (read_question(&a, &module)) {
            OWNED(lit_free) uint32_t *words = lit_alloc(module.length / 4 + 1, sizeof *words);
            memcpy(words, module.data ? module.data : "", module.length / 4 * 4);
            write_answer(&a, try_one(words, module.length / 4, user));
        }
        pthread_join(a.thread, NULL);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        unlink(files[i]->data);
        text_free(files[i]);
    }
    text_free(&a.prefix);
    const char *const clean[] = {"rm", "-rf", "--", place.data, NULL};
    lit_program_run(clean, 10, MOST, &said, NULL);
}
