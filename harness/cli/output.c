// SPDX-License-Identifier: Apache-2.0
// Writes reports to files, and to where GitHub Actions looks for them.
#include "cli/output.h"

#include "cli/cli.h"
#include "report/format.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUMMARY      "GITHUB_STEP_SUMMARY"
#define SUMMARY_MOST (1024 * 1024) // bytes: GitHub drops the whole summary of a step that has more

static bool fail_file(struct lit_error *error, const char *path, const char *what)
{
    int number = errno;
    return lit_fail(error, LIT_EXIT_USAGE, "cannot %s %.200s: %s", what, path, strerror(number));
}

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

bool cli_output_write(const char *path, const struct text *text, struct lit_error *error)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    // What is no plain file (a pipe, /dev/stdout) cannot be replaced, only written.
    if (exists && !S_ISREG(status.st_mode)) {
        int file = open(path, O_WRONLY | O_CLOEXEC);
        bool ok = file >= 0 && write_all(file, text->data, text->length);
        ok = ok || fail_file(error, path, "write");
        if (file >= 0)
            close(file);
        return ok;
    }
    struct text temporary = {0};
    mode_t mask = umask(0);
    umask(mask);
    text_printf(&temporary, "%s.XXXXXX", path);
    int file = mkostemp(temporary.data, O_CLOEXEC);
    bool ok = file >= 0 && write_all(file, text->data, text->length) &&
              fchmod(file, exists ? status.st_mode & 0777 : 0666 & ~mask) == 0 &&
              fsync(file) == 0 && rename(temporary.data, path) == 0;
    if (!ok)
        fail_file(error, path, "write");
    if (file >= 0)
        close(file);
    if (file >= 0 && !ok)
        unlink(temporary.data);
    text_free(&temporary);
    return ok;
}

// One of two paths may not exist yet: then its folder and its name are compared.
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    bool has_first = stat(a, &first) == 0, has_second = stat(b, &second) == 0;
    if (has_first && has_second)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    char *a_folder = lit_strdup(a), *b_folder = lit_strdup(b);
    char *a_name = lit_strdup(a), *b_name = lit_strdup(b);
    bool same = !has_first && !has_second && strcmp(basename(a_name), basename(b_name)) == 0 &&
                stat(dirname(a_folder), &first) == 0 && stat(dirname(b_folder), &second) == 0 &&
                first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    free(a_folder);
    free(b_folder);
    free(a_name);
    free(b_name);
    return same;
}

// Whether a file is a database or belongs to one, or would belong to the store `db`.
static bool is_of_store(const char *path, const char *db)
{
    char *owner = store_owner(path);
    bool is = owner || store_is_database(path);
    free(owner);
    for (const char *const *end = store_companions; *end && !is; end++) {
        struct text companion = {0};
        text_printf(&companion, "%s%s", db, *end);
        is = db[0] && is_same_file(path, companion.data);
        text_free(&companion);
    }
    return is;
}

// Makes the temporary file that will be written, and removes it again.
static bool can_replace(const char *path)
{
    struct text temporary = {0};
    text_printf(&temporary, "%s.XXXXXX", path);
    int file = mkostemp(temporary.data, O_CLOEXEC);
    if (file >= 0) {
        close(file);
        unlink(temporary.data);
    }
    text_free(&temporary);
    return file >= 0;
}

bool cli_output_check(const char *path, const char *db, struct lit_error *error)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (is_same_file(path, db))
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s is the store: write the report elsewhere",
                        path);
    if (is_of_store(path, db))
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s is of a store: write the report elsewhere",
                        path);
    if (exists && S_ISDIR(status.st_mode))
        return lit_fail(error, LIT_EXIT_USAGE, "cannot write %.200s: it is a folder", path);
    bool good = exists && !S_ISREG(status.st_mode) ? access(path, W_OK) == 0 : can_replace(path);
    return good || fail_file(error, path, "write");
}

bool cli_outputs_wanted(const struct cli_outputs *outputs)
{
    bool wanted = outputs->github;
    for (size_t i = 0; i < REPORT_FORMS; i++)
        wanted |= outputs->files[i] != NULL;
    return wanted;
}

bool cli_outputs_check(const struct cli_outputs *outputs, const char *db, struct lit_error *error)
{
    for (size_t i = 0; i < REPORT_FORMS; i++) {
        const char *path = outputs->files[i];
        if (!path)
            continue;
        if (strcmp(path, "-") == 0)
            return lit_fail(error, LIT_EXIT_USAGE,
                            "--%s -: a run prints its tables on stdout; afterwards "
                            "'litmus report -f %s' prints the report",
                            report_formats[i].name, report_formats[i].name);
        for (size_t other = 0; other < i; other++)
            if (outputs->files[other] && is_same_file(path, outputs->files[other]))
                return lit_fail(error, LIT_EXIT_USAGE, "--%s and --%s: the same file %.160s",
                                report_formats[other].name, report_formats[i].name, path);
        if (!cli_output_check(path, db, error))
            return false;
    }
    return !outputs->github || cli_github_check(error);
}

bool cli_github_check(struct lit_error *error)
{
    const char *path = getenv(SUMMARY);
    if (!path || !path[0])
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--github: " SUMMARY " is not set, so this is no step of GitHub Actions; "
                        "'litmus report -f github' prints the page");
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return fail_file(error, path, "write");
    close(file);
    return true;
}

bool cli_github_write(const struct report_model *model, struct lit_error *error)
{
    struct text page = {0}, lines = {0};
    struct stat status;
    const char *path = getenv(SUMMARY);
    report_annotations(model, &lines);
    bool good = lines.length == 0 || cli_print(&lines) == LIT_EXIT_OK;
    if (!path)
        return lit_fail(error, LIT_EXIT_USAGE, SUMMARY " is not set");
    report_github(model, &page);
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || fstat(file, &status) < 0) {
        good = fail_file(error, path, "write");
    } else if (status.st_size + (off_t)page.length > SUMMARY_MOST) {
        good = lit_fail(error, LIT_EXIT_USAGE,
                        "the summary of this step is full: nothing was added to it");
    } else {
        good = (write_all(file, page.data, page.length) || fail_file(error, path, "write")) && good;
    }
    if (file >= 0)
        close(file);
    text_free(&page);
    return good;
}

static void tell(const struct lit_error *error, const char *format, const char *path,
                 struct store *store, int64_t session)
{
    struct text again = {0};
    text_printf(&again, "litmus report -f %s --session %jd --db ", format, (intmax_t)session);
    format_quoted(&again, store_path(store));
    if (path)
        text_puts(&again, " -o FILE");
    fprintf(stderr, "litmus: %s; all is stored: %s\n", error->message, again.data);
    text_free(&again);
}

bool cli_outputs_write(const struct cli_outputs *outputs, struct store *store, int64_t session)
{
    struct report_model model;
    struct lit_error error = {0};
    bool good = true;
    if (!cli_outputs_wanted(outputs))
        return true;
    if (!report_model_load(store, session, &model, &error)) {
        report_model_clear(&model);
        cli_fail(&error);
        return false;
    }
    for (size_t i = 0; i < REPORT_FORMS; i++) {
        struct text text = {0};
        if (!outputs->files[i])
            continue;
        report_formats[i].write(&model, &text);
        if (!cli_output_write(outputs->files[i], &text, &error)) {
            tell(&error, report_formats[i].name, outputs->files[i], store, session);
            good = false;
        }
        text_free(&text);
    }
    if (outputs->github && !cli_github_write(&model, &error)) {
        tell(&error, "github", NULL, store, session);
        good = false;
    }
    report_model_clear(&model);
    return good;
}
