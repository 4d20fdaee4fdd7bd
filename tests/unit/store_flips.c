// SPDX-License-Identifier: Apache-2.0
// Damage to a store's file: a bit is turned over, everything that reads is asked, and what it says
// has to be what it says of the whole file, or an error, or have a line that tells of damage. The
// store is a copy of tests/stores/measured.db, whose folder is the argument. LITMUS_FULL=1: a bit
// of every byte; else LITMUS_FLIPS of them, all over the file.
#include "base/file.h"
#include "base/random.h"
#include "report/report.h"
#include "report/history.h"
#include "store/store.h"

#include "folder.h"
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLIPS    600
#define SESSIONS 10 // that are asked for by number; the last is not there

static char path[128];

// What one way to read said: an error, or a text.
struct said {
    bool failed;
    struct text text;
};

enum {
    SAID_REPORTS = REPORT_FORMS + 1, // of a session
    SAID_TUNING = SESSIONS * SAID_REPORTS,
    SAID_HISTORY,
    SAID_INDEX,
    SAID_COUNT
};

static void note_error(struct said *said, const struct lit_error *error)
{
    assert_true(error->message[0] && !strpbrk(error->message, "\n\033"));
    said->failed = true;
}

static void read_session(struct store *store, int64_t session, struct said *said)
{
    const struct report_terminal_info plain = {.verbosity = 1};
    OWNED(report_model_clear) struct report_model model;
    bool good = report_model_load(store, session, &model, &error);
    for (size_t i = 0; i < SAID_REPORTS; i++) {
        if (!good)
            note_error(&said[i], &error);
        else if (i < REPORT_FORMS)
            report_formats[i].write(&model, &said[i].text);
        else
            report_tables(&model, &plain, &said[i].text);
    }
}

static bool put_tuning(const struct result *best, void *user)
{
    text_printf(user, "%s %s %s %s %ju %ju %ju %g\n", best->device_id, best->name, best->sha256,
                best->stress, (uintmax_t)best->runs, (uintmax_t)best->failed_runs,
                (uintmax_t)best->no_progress_runs, best->seconds);
    return true;
}

static void read_history(struct store *store, struct said *said)
{
    const struct history_info info = {.all = true};
    OWNED(history_clear) struct history history = {0};
    if (history_load(store, NULL, 0, NULL, &history, &error)) {
        history_print(&history, &info, &said[SAID_HISTORY].text);
        history_json(&history, &said[SAID_HISTORY].text);
    } else {
        note_error(&said[SAID_HISTORY], &error);
    }
    OWNED(store_index_clear) struct store_index index;
    if (store_index_load(store, true, &index, &error)) {
        history_print_drivers(&index, &info, &said[SAID_INDEX].text);
        history_print_sessions(&index, &info, &said[SAID_INDEX].text);
        history_json_index(&index, &said[SAID_INDEX].text);
    } else {
        note_error(&said[SAID_INDEX], &error);
    }
}

static void read_all(struct said said[SAID_COUNT])
{
    memset(said, 0, SAID_COUNT * sizeof *said);
    OWNED(store_close) struct store *store = store_open_read(path, &error);
    if (!store) {
        for (size_t i = 0; i < SAID_COUNT; i++)
            note_error(&said[i], &error);
        return;
    }
    for (int64_t session = 0; session < SESSIONS; session++)
        read_session(store, session, &said[session * SAID_REPORTS]);
    bool good = store_tuned(store, put_tuning, &said[SAID_TUNING].text, &error);
    for (int64_t session = 1; good && session < SESSIONS; session++)
        good = store_tunings(store, session, put_tuning, &said[SAID_TUNING].text, &error);
    if (!good)
        note_error(&said[SAID_TUNING], &error);
    read_history(store, said);
}

static void clear_said(struct said said[SAID_COUNT])
{
    for (size_t i = 0; i < SAID_COUNT; i++)
        text_free(&said[i].text);
}

static bool is_told(const struct said *said)
{
    return said->failed || (said->text.data && strstr(said->text.data, "is damaged"));
}

// Whether a text is another one and has no line that tells of damage.
static bool is_silent(const struct said *was, const struct said *is)
{
    const char *before = was->text.data ? was->text.data : "";
    const char *after = is->text.data ? is->text.data : "";
    if (is->failed)
        return false;
    return was->failed || (strcmp(before, after) != 0 && !is_told(is));
}

struct counts {
    size_t flips, told, silent;
};

static void flip(int file, off_t at, int bit, const struct said *whole, struct counts *counts)
{
    static struct said said[SAID_COUNT];
    char byte, broken;
    bool told = false, silent = false;
    assert_int_equal(pread(file, &byte, 1, at), 1);
    broken = (char)(byte ^ 1 << bit);
    assert_int_equal(pwrite(file, &broken, 1, at), 1);
    read_all(said);
    for (size_t i = 0; i < SAID_COUNT; i++) {
        told = told || is_told(&said[i]) != is_told(&whole[i]);
        if (!silent && is_silent(&whole[i], &said[i])) {
            silent = true;
            const char *was = whole[i].text.data ? whole[i].text.data : "";
            const char *is = said[i].text.data ? said[i].text.data : "";
            size_t same = 0;
            while (was[same] && was[same] == is[same])
                same++;
            same -= same > 40 ? 40 : same;
            print_message("byte %jd bit %d: reader %zu says \"%.120s\" instead of \"%.120s\"\n",
                          (intmax_t)at, bit, i, is + same, was + same);
        }
    }
    clear_said(said);
    counts->flips++;
    counts->told += told;
    counts->silent += silent;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
}

static void make_store(void)
{
    char measured[512];
    OWNED(text_free) struct text bytes = {0};
    snprintf(path, sizeof path, "%s/litmus.db", folder);
    snprintf(measured, sizeof measured, "%s/measured.db", unit_argument(1));
    assert_true(text_read(&bytes, measured, 1 << 20));
    assert_true(lit_file_write(path, bytes.data, bytes.length, &error));
}

TEST_IN(test_bits, make_folder, remove_folder)
{
    static struct said whole[SAID_COUNT];
    const char *full = getenv("LITMUS_FULL"), *some = getenv("LITMUS_FLIPS");
    struct counts counts = {0};
    struct stat status;
    make_store();
    read_all(whole);
    for (size_t i = 0; i < SAID_COUNT; i++)
        assert_int_equal(whole[i].failed, i / SAID_REPORTS == SESSIONS - 1);
    int file = open(path, O_RDWR | O_CLOEXEC);
    assert_true(file >= 0 && fstat(file, &status) == 0);
    const off_t size = status.st_size;
    const size_t flips = full && full[0]           ? (size_t)size
                         : some                    ? strtoul(some, NULL, 10)
                         : getenv("LITMUS_SAMPLE") ? FLIPS / 8
                                                   : FLIPS;
    struct lit_random random = {0x5eed};
    for (size_t i = 0; i < flips; i++)
        flip(file, (off_t)((uint64_t)i * (uint64_t)size / flips), (int)(random_next(&random) & 7),
             whole, &counts);
    close(file);
    clear_said(whole);
    print_message("%zu flips in %jd bytes: %zu told, %zu silent\n", counts.flips, (intmax_t)size,
                  counts.told, counts.silent);
    assert_true(counts.told > counts.flips / 4);
    assert_int_equal(counts.silent, 0);
}
