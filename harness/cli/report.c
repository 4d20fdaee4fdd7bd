// SPDX-License-Identifier: Apache-2.0
// litmus report: a stored session in a form for others, on stdout or in a file that is whole or
// absent.

#include "cli/cli.h"
#include "report/report.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    int format;
    const char *db, *output;
    uint64_t session;
};

static const struct cli_option options[] = {
    {'f', "format", CLI_CHOICE, offsetof(struct options, format), "text|json|markdown|herd",
     "which form (default: text)"},
    {0, "db", CLI_TEXT, offsetof(struct options, db), "FILE", "the store (default: litmus.db)"},
    {0, "session", CLI_COUNT, offsetof(struct options, session), "N",
     "the session (default: the newest)"},
    {'o', "output", CLI_TEXT, offsetof(struct options, output), "FILE",
     "write to a file instead of stdout"},
};

const struct cli_syntax cli_report_syntax = {
    .name = "report",
    .usage = "[--format text|json|markdown|herd] [OPTION]...",
    .about = "Writes what a session measured: text for reading here, json for scripts, markdown "
             "for tickets,\n"
             "herd for tools of the litmus family. The same store gives the same bytes.",
    .options = options,
    .count = sizeof options / sizeof options[0],
    .more = "",
};

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

// Writes beside the file and renames, so that no half of a report is ever there.
static bool write_file(const char *path, const struct text *text, struct lit_error *error)
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

// The tables that a run ends with, every configuration among them.
static bool text_report(struct store *store, int64_t session, struct text *out,
                        struct lit_error *error)
{
    const struct report_terminal_info info = {.utf8 = cli_utf8(), .verbosity = 1};
    return report_terminal(store, session, &info, out, error);
}

static bool make_report(const struct options *chosen, struct text *text, struct lit_error *error)
{
    static bool (*const formats[])(struct store * store, int64_t session, struct text * out,
                                   struct lit_error * error) = {text_report, report_json,
                                                                report_markdown, report_herd};
    struct store_session session = {0};
    struct store *store = store_open_read(chosen->db, error);
    if (!store)
        return false;
    bool ok = store_session_load(store, (int64_t)chosen->session, false, &session, error);
    if (ok) {
        ok = formats[chosen->format](store, session.id, text, error);
        store_session_clear(&session);
    }
    store_close(&store);
    return ok;
}

int cli_report(int argc, char **argv)
{
    struct options chosen = {.db = "litmus.db"};
    struct cli_list operands = {0};
    struct lit_error error = {0};
    struct text text = {0};
    int code = LIT_EXIT_OK;
    if (!cli_start(&cli_report_syntax, argc, argv, &chosen, &operands, NULL, &code))
        return code;
    bool ok = true;
    if (operands.count > 0)
        ok = lit_fail(&error, LIT_EXIT_USAGE, "unexpected '%.80s'; see 'litmus help report'",
                      operands.items[0]);
    ok = ok && make_report(&chosen, &text, &error);
    if (ok && chosen.output)
        ok = write_file(chosen.output, &text, &error);
    code = !ok ? cli_fail(&error) : chosen.output ? LIT_EXIT_OK : cli_print(&text);
    text_free(&text);
    cli_list_clear(&operands);
    return code;
}
