// SPDX-License-Identifier: Apache-2.0
// Writes reports to files.
#include "session/output.h"

#include "base/file.h"

#include <libgen.h>
#include <sys/stat.h>

// If a path does not exist yet, compares its folder and name.
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    bool has_first = stat(a, &first) == 0, has_second = stat(b, &second) == 0;
    if (has_first && has_second)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    OWNED(lit_free) char *a_folder = lit_strdup(a), *b_folder = lit_strdup(b);
    OWNED(lit_free) char *a_name = lit_strdup(a), *b_name = lit_strdup(b);
    return !has_first && !has_second && strcmp(basename(a_name), basename(b_name)) == 0 &&
           stat(dirname(a_folder), &first) == 0 && stat(dirname(b_folder), &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Whether a file is the store `db` or belongs to it, existing or not.
static bool is_of_store(const char *path, const char *db)
{
    bool is = is_same_file(path, db);
    for (const char *const *end = lit_store_companions; *end && db[0] && !is; end++) {
        OWNED(text_free) struct text companion = text_format("%s%s", db, *end);
        is = is_same_file(path, companion.data);
    }
    return is;
}

bool ses_output_check(const char *path, const char *db, struct lit_error *error)
{
    struct stat status;
    OWNED(lit_free) char *target = lit_file_follow(path); // NULL: a link to itself
    if (target && is_of_store(target, db))
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: is the store: use another name", path);
    if (!lit_file_guard(path, error))
        return false;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return lit_fail(error, LIT_EXIT_USAGE, "cannot write %.200s: it is a folder", path);
    return lit_file_check(path, error);
}

bool ses_outputs_wanted(const struct ses_outputs *outputs)
{
    bool wanted = false;
    for (size_t i = 0; i < REPORT_FORMS; i++)
        wanted |= outputs->files[i] != NULL;
    return wanted;
}

bool ses_files_check(const struct ses_file *files, size_t count, const char *db,
                     struct lit_error *error)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t other = 0; files[i].path && other < i; other++)
            if (files[other].path && is_same_file(files[i].path, files[other].path))
                return lit_fail(error, LIT_EXIT_USAGE, "--%s and --%s: the same file %.160s",
                                files[other].option, files[i].option, files[i].path);
        if (files[i].path && !ses_output_check(files[i].path, db, error))
            return false;
    }
    return true;
}

bool ses_outputs_check(const struct ses_outputs *outputs, const char *db, struct lit_error *error)
{
    struct ses_file files[REPORT_FORMS];
    for (size_t i = 0; i < REPORT_FORMS; i++) {
        files[i] = (struct ses_file){report_formats[i].name, outputs->files[i]};
        if (files[i].path && strcmp(files[i].path, "-") == 0)
            return lit_fail(error, LIT_EXIT_USAGE,
                            "--%s -: a run prints its tables on stdout; afterwards "
                            "'litmus report -f %s' prints the report",
                            files[i].option, files[i].option);
    }
    return ses_files_check(files, REPORT_FORMS, db, error);
}

static void tell_how(const struct lit_error *error, const char *format, struct store *store,
                     int64_t session)
{
    OWNED(text_free) struct text again = {0};
    text_printf(&again, "litmus report -f %s --session %jd --db ", format, (intmax_t)session);
    text_quote(&again, store_path(store));
    text_puts(&again, " -o FILE");
    fprintf(stderr, "litmus: %s; all is stored: %s\n", error->message, again.data);
}

bool ses_outputs_write(const struct ses_outputs *outputs, struct store *store, int64_t session)
{
    struct report_model model;
    struct lit_error error = {0};
    bool good = true;
    if (!ses_outputs_wanted(outputs))
        return true;
    if (!report_model_load(store, session, &model, &error)) {
        report_model_clear(&model);
        term_fail(&error);
        return false;
    }
    for (size_t i = 0; i < REPORT_FORMS; i++) {
        OWNED(text_free) struct text text = {0};
        if (!outputs->files[i])
            continue;
        if (i == REPORT_AS_junit && outputs->gate_junit)
            text_puts(&text, outputs->gate_junit);
        else
            report_formats[i].write(&model, &text);
        if (!lit_file_write(outputs->files[i], text.data, text.length, &error)) {
            tell_how(&error, report_formats[i].name, store, session);
            good = false;
        }
    }
    report_model_clear(&model);
    return good;
}
