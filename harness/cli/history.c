// SPDX-License-Identifier: Apache-2.0
// litmus history: shows a store over all its sessions: tests by driver and day, drivers, sessions.
#include "cli/cli.h"
#include "report/history.h"

struct options {
    const char *db, *device;
    bool drivers, sessions, json;
    int verbose, color;
    uint64_t limit;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option options[] = {
    {0, "drivers", CLI_FLAG, AT(drivers), NULL, "list the measured devices and drivers"},
    {0, "sessions", CLI_FLAG, AT(sessions), NULL,
     "list the sessions, with the numbers for 'report --session'"},
    {'d', "device", CLI_TEXT, AT(device), "DEVICE",
     "only devices with this text in their name, id or driver\nversion"},
    {0, "limit", CLI_COUNT, AT(limit), "N", "only the newest N lines of each table"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL, "every configuration, however many there are"},
    {0, "json", CLI_FLAG, AT(json), NULL, "as JSON, for scripts"},
    {0, "db", CLI_TEXT, AT(db), "FILE", "the store (default: litmus.db)"},
    {0, "color", CLI_CHOICE, AT(color), "auto|always|never", "colours (default: on a terminal)"},
};

const struct cli_syntax cli_history_syntax = {
    .name = "history",
    .usage = "[OPTION]... [PATTERN]...",
    .about = "Shows test results over drivers and dates, from all sessions of a store; without a "
             "pattern, lists\nthe drivers. Patterns are those of 'litmus run'.",
    CLI_OPTIONS(options, struct options, .db = "litmus.db"),
    .more = "Each line adds up the sessions with the same driver, module and stress, except runs "
            "that a stopping\nrule ended; runs with the same seed count once. 'other code' marks a "
            "change of the test's module: the\nrates before and after it are not compared. Many "
            "configurations are summed up, and those with a\nchanged rate are shown.\n",
    .operands = CLI_OPERANDS_TESTS,
};

static bool make_index(struct store *store, const struct options *chosen,
                       const struct history_info *info, struct text *text, struct lit_error *error)
{
    OWNED(store_index_clear) struct store_index index = {0};
    bool ok = store_index_load(store, !chosen->sessions, &index, error);
    if (ok && index.session_count == 0)
        ok = lit_fail(error, LIT_EXIT_USAGE, "%s: the store has no sessions", store_path(store));
    if (ok)
        (chosen->json       ? history_json_index(&index, text)
         : chosen->sessions ? history_print_sessions(&index, info, text)
                            : history_print_drivers(&index, info, text));
    return ok;
}

static bool make_history(struct store *store, const struct options *chosen,
                         const struct lit_list *patterns, const struct history_info *info,
                         struct text *text, struct lit_error *error)
{
    OWNED(history_clear) struct history history = {0};
    bool ok =
        history_load(store, patterns->items, patterns->count, chosen->device, &history, error);
    if (ok && history.line_count == 0)
        ok = lit_fail(
            error, LIT_EXIT_USAGE,
            "%.200s: no result matches '%.120s'%s%.80s; 'litmus history' lists what there is",
            store_path(store), patterns->count ? patterns->items[0] : "*",
            chosen->device ? " on " : "", chosen->device ? chosen->device : "");
    if (ok)
        (chosen->json ? history_json(&history, text) : history_print(&history, info, text));
    return ok;
}

static bool check_options(const struct options *chosen, const struct lit_list *patterns,
                          struct lit_error *error)
{
    if (chosen->drivers && chosen->sessions)
        return lit_fail(error, LIT_EXIT_USAGE, "--drivers and --sessions are mutually exclusive");
    if ((chosen->drivers || chosen->sessions) && (patterns->count > 0 || chosen->device))
        return lit_fail(error, LIT_EXIT_USAGE, "--%s lists all of them: '%.80s' cannot be given",
                        chosen->drivers ? "drivers" : "sessions",
                        patterns->count > 0 ? patterns->items[0] : "--device");
    return true;
}

int cli_history(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    const struct lit_list *patterns = &call->operands;
    struct lit_error *error = &call->error;
    const struct history_info info = {
        .color = term_color((enum term_color)chosen->color),
        .all = chosen->verbose > 0,
        .limit = chosen->limit,
    };
    struct store *store =
        check_options(chosen, patterns, error) ? store_open_read(chosen->db, error) : NULL;
    const bool ok =
        store && (patterns->count == 0 && !chosen->device
                      ? make_index(store, chosen, &info, &call->out, error)
                      : make_history(store, chosen, patterns, &info, &call->out, error));
    store_close(&store);
    return ok ? LIT_EXIT_OK : CLI_FAILED;
}
