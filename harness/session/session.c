// SPDX-License-Identifier: Apache-2.0
// Writes a run's options as JSON and reads them back. A store is a file, so reading does not trust
// it.
#include "session/session.h"

#include "base/build.h"
#include "base/file.h"
#include "store/store.h"

#include <errno.h>
#include <jansson.h>
#include <unistd.h>

bool ses_check(const struct lit_list *patterns, const struct lit_list *simt,
               struct lit_error *error)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (!text_is_utf8(patterns->items[i]))
            return lit_fail(error, LIT_EXIT_USAGE, "the pattern '%.200s' is not UTF-8",
                            patterns->items[i]);
    for (size_t i = 0; i < simt->count; i++)
        if (!text_is_utf8(simt->items[i]))
            return lit_fail(error, LIT_EXIT_USAGE, "--simt %.200s: not UTF-8", simt->items[i]);
    return true;
}

bool ses_check_tests(bool all, const struct lit_list *patterns, const struct lit_list *caselists,
                     const char *command, struct lit_error *error)
{
    if (all && patterns->count > 0 && patterns->items[0][0] != '!')
        return lit_fail(error, LIT_EXIT_USAGE, "--all and the test '%.80s' are mutually exclusive",
                        patterns->items[0]);
    return all || patterns->count + caselists->count > 0 ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "missing tests: --all, or patterns; see 'litmus help %s' and 'litmus list'",
                    command);
}

static json_t *write_lines(const struct compare_waivers *lines)
{
    json_t *json = lines->count ? json_array() : NULL;
    for (size_t i = 0; i < lines->count; i++)
        json_array_append_new(json, json_string(lines->items[i].pattern));
    return json;
}

char *ses_write(const struct ses_options *options, const struct ses_devices *devices)
{
    const struct eng_shard *shard = &options->shard;
    const bool has_rule = options->rule.kind != ENG_RULE_FIXED;
    json_t *patterns = json_array(), *list = json_array();
    char seed[32], rule[48];
    snprintf(seed, sizeof seed, "0x%" PRIx64, options->seed.value);
    eng_rule_write(&options->rule, rule);
    for (size_t i = 0; i < options->patterns.count; i++)
        json_array_append_new(patterns, json_string(options->patterns.items[i]));
    SES_EACH_DEVICE (device, devices)
        json_array_append_new(list, json_pack("{s:s, s:i, s:s}", "id", device->id, "number",
                                              (int)device->number, "name", device->facts.name));
    json_auto_t *root = json_pack(
        "{s:o, s:o, s:b, s:b, s:b, s:f, s:I, s:s, s:s*, s:s*, s:o*, s:o*, s:{s:s, s:s, s:s}, s:s*, "
        "s:o*, s:o*, s:o*, s:o*, s:o*}",
        "patterns", patterns, "devices", list, "thorough", options->thorough, "shuffle",
        options->shuffle, "validation", options->validation, "timeout", options->timeout, "runs",
        (json_int_t)options->runs, "seed", seed, "stress",
        options->stress.count ? options->stress.items[0] : NULL, "simt",
        options->simt.count ? options->simt.items[0] : NULL, "caselist",
        write_lines(&options->cases.list), "skips", write_lines(&options->cases.skips), "build",
        "commit", build_commit, "catalogue", cat_identity, "options", build_options, "until",
        has_rule ? rule : NULL, "max_runs",
        has_rule ? json_integer((json_int_t)options->rule.most) : NULL, "usual",
        options->usual ? json_true() : NULL, "first",
        options->campaign ? json_integer((json_int_t)options->first) : NULL, "count",
        options->count ? json_integer((json_int_t)options->count) : NULL, "shard",
        shard->kind == STORE_WHOLE
            ? NULL
            : json_pack("{s:s, s:I, s:I}", "of", store_shard_names[shard->kind], "index",
                        (json_int_t)shard->index, "count", (json_int_t)shard->count));
    char *text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
    return text;
}

bool ses_begin(const char *name, int argc, char **argv, const struct ses_options *options,
               const struct ses_devices *devices, struct store **store,
               struct store_session *session, struct lit_error *error)
{
    const bool finished = session->finished;
    *session = ses_make(name, argc, argv);
    session->finished = finished;
    session->seed = options->seed.value;
    session->runs = options->runs;
    session->shard = options->shard.kind;
    session->shard_index = options->shard.index;
    session->shard_count = options->shard.count;
    session->options = ses_write(options, devices);
    *store = store_open(options->db, error);
    return *store && store_session_begin(*store, session, error);
}

static bool read_lines(const json_t *json, enum compare_list list, struct compare_waivers *lines)
{
    const json_t *line;
    size_t i;
    bool good = !json || json_is_array(json);
    json_array_foreach(json, i, line)
    {
        good = good && json_is_string(line) &&
               compare_waivers_parse(lines, list, json_string_value(line), json_string_length(line),
                                     "the session", NULL);
    }
    return good;
}

static bool fail_damaged(struct lit_error *error)
{
    return lit_fail(error, LIT_EXIT_USAGE,
                    "the session cannot be resumed: its options cannot be read");
}

static bool read_rule(const char *until, json_int_t most, uint64_t least, struct eng_rule *rule)
{
    *rule = (struct eng_rule){.least = least, .most = until ? (uint64_t)most : least};
    return !until || (most >= 0 && rule->most >= least && eng_rule_read(until, rule));
}

static bool read_shard(json_t *object, struct eng_shard *shard)
{
    const char *of;
    json_int_t index, count;
    *shard = (struct eng_shard){0};
    if (!object)
        return true;
    if (json_unpack(object, "{s:s, s:I, s:I}", "of", &of, "index", &index, "count", &count) ||
        count < 2 || count > ENG_SHARDS_MAX || index < 0 || index >= count)
        return false;
    *shard = (struct eng_shard){.index = (uint64_t)index, .count = (uint64_t)count};
    for (int kind = STORE_SHARD_TESTS; kind <= STORE_SHARD_RUNS; kind++)
        if (strcmp(of, store_shard_names[kind]) == 0)
            shard->kind = (enum store_shard)kind;
    return shard->kind != STORE_WHOLE;
}

static bool read_options(json_t *root, struct ses_options *options, bool *unlisted)
{
    const char *seed, *until = NULL, *simt = NULL, *stress = NULL;
    json_t *patterns, *pattern, *shard = NULL;
    json_int_t runs, most = 0, first = -1, count = 0;
    double timeout;
    int thorough = 0, shuffle = 0, validation = 0;
    size_t i;
    char *end;
    if (json_unpack(root, "{s:s, s:o, s:F, s:I, s?b, s?b, s?b, s?o, s?s, s?I, s?s, s?s, s?I, s?I}",
                    "seed", &seed, "patterns", &patterns, "timeout", &timeout, "runs", &runs,
                    "thorough", &thorough, "shuffle", &shuffle, "validation", &validation, "shard",
                    &shard, "until", &until, "max_runs", &most, "simt", &simt, "stress", &stress,
                    "first", &first, "count", &count) ||
        !json_is_array(patterns) || !(timeout > 0 && timeout < 1e9) || runs <= 0)
        return false;
    options->seed = (struct lit_seed){.given = true, .value = strtoull(seed, &end, 16)};
    options->runs = (uint64_t)runs;
    options->timeout = timeout;
    options->campaign = first >= 0;
    options->first = first >= 0 ? (uint64_t)first : 0;
    options->count = count > 0 ? (uint64_t)count : 0;
    options->thorough = thorough;
    options->usual = json_is_true(json_object_get(root, "usual"));
    options->shuffle = shuffle;
    options->validation = validation;
    if (!read_lines(json_object_get(root, "caselist"), COMPARE_CASELIST, &options->cases.list) ||
        !read_lines(json_object_get(root, "skips"), COMPARE_DEQP_SKIPS, &options->cases.skips))
        return false;
    if (*end || !read_shard(shard, &options->shard) ||
        !read_rule(until, most, options->runs, &options->rule))
        return false;
    options->rule.waits = options->usual ? ENG_RULE_WAITS : 0;
    json_array_foreach(patterns, i, pattern)
    {
        if (!json_is_string(pattern))
            return false;
        lit_list_add(&options->patterns, lit_strdup(json_string_value(pattern)));
    }
    OWNED(text_free) struct text listed = {0};
    *unlisted = simt && !store_recorded_simt(simt, &listed);
    if (simt)
        lit_list_add(&options->simt, lit_strdup(listed.data));
    if (stress)
        lit_list_add(&options->stress, lit_strdup(stress));
    return true;
}

// How a session was combined.
enum joining { JOINED_NOT, JOINED_SHARDS, JOINED_SUM };

static bool read_session(const char *json, struct ses_options *options, enum joining *joining,
                         bool *unlisted)
{
    json_auto_t *root = store_recorded(json);
    const bool ok = root && read_options(root, options, unlisted);
    const json_t *joined = json_object_get(root, "joined");
    const char *kind = json_string_value(json_object_get(joined, "kind"));
    *joining = !joined ? JOINED_NOT : kind && strcmp(kind, "sum") == 0 ? JOINED_SUM : JOINED_SHARDS;
    return ok;
}

bool ses_asked(const char *json, struct ses_options *options)
{
    enum joining joining;
    bool unlisted;
    return read_session(json, options, &joining, &unlisted);
}

bool ses_read(const struct store_session *session, struct ses_options *options,
              struct lit_error *error)
{
    enum joining joining;
    bool unlisted = false;
    const bool good = read_session(session->options, options, &joining, &unlisted);
    if (joining == JOINED_SUM)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "session %lld is a sum of campaigns with several seeds",
                        (long long)session->id);
    if (joining == JOINED_SHARDS && !session->finished)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "the session combines shards, and some are missing: finish those in their "
                        "own stores, then merge them");
    if (unlisted)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "the session cannot be resumed: its --simt has a setting that is not taken "
                        "from a store (a trace writes a file)");
    return good || fail_damaged(error);
}

// The session that --resume should find.
struct wanted {
    const char *family; // a campaign's family; NULL: not a campaign
    bool unfinished;
};

static bool suits(const struct store_session *session, void *user)
{
    const struct wanted *wanted = user;
    json_auto_t *root = store_recorded(session->options);
    const char *name = json_string_value(json_array_get(json_object_get(root, "patterns"), 0));
    const bool campaign = json_is_integer(json_object_get(root, "first"));
    const bool memory = wanted->family && strcmp(wanted->family, "memory") == 0;
    OWNED(text_free) struct text test = {0};
    text_puts(&test, memory ? SES_MEMORY_TESTS : "generated.");
    text_puts(&test, memory || !wanted->family ? "" : wanted->family);
    return !(wanted->unfinished && session->finished) &&
           (wanted->family ? campaign && name && cfg_same_test(name, test.data) : !campaign);
}

// store_open alone would create the file.
static bool open_existing(const char *db, struct store **store, struct lit_error *error)
{
    if (access(db, F_OK) != 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", db, strerror(errno));
    *store = store_open(db, error);
    return *store;
}

bool ses_resume(struct store **store, const char *family, struct store_session *session,
                struct ses_options *options, struct lit_error *error)
{
    struct wanted wanted = {.family = family, .unfinished = true};
    bool good = open_existing(options->db, store, error) &&
                store_session_pick(*store, suits, &wanted, session, error);
    wanted.unfinished = false;
    if (good && !session->options && family)
        good = store_session_pick(*store, suits, &wanted, session, error);
    if (good && !session->options)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: there is no %s%s in it", options->db,
                        family ? "campaign of litmus fuzz " : "unfinished session",
                        family ? family : "");
    return good && ses_read(session, options, error);
}

// Why a device of this name has no facts, and so another identity; NULL if none is such.
static const char *problem_of(const struct eng_inventory *inventory, const char *name)
{
    for (size_t i = 0; i < inventory->count; i++) {
        const struct dev_facts *facts = &inventory->devices[i].facts;
        if (facts->problem[0] && strcmp(facts->name, name) == 0)
            return facts->problem;
    }
    return NULL;
}

bool ses_choose(const char *json, struct ses_devices *devices, bool *missing,
                struct lit_error *error)
{
    json_t *root = store_recorded(json), *entry;
    const json_t *list = json_object_get(root, "devices");
    size_t i, found = 0;
    bool ok = json_is_array(list);
    for (i = 0; i < devices->inventory.count; i++)
        devices->chosen[i] = false;
    json_array_foreach(list, i, entry)
    {
        const char *id, *name;
        int number;
        char safe[256];
        ok = json_unpack(entry, "{s:s, s:s, s:i}", "id", &id, "name", &name, "number", &number) ==
                 0 &&
             number > 0 && number < 1000000;
        if (!ok)
            break;
        size_t at = 0;
        while (at < devices->inventory.count && strcmp(devices->inventory.devices[at].id, id) != 0)
            at++;
        text_sanitise(safe, sizeof safe, name);
        if (at == devices->inventory.count) {
            const char *problem = problem_of(&devices->inventory, safe);
            *missing = true;
            fprintf(stderr, "litmus: a device of the session %s: %s%s%s\n",
                    problem ? "cannot be used now" : "is missing, or has another driver now", safe,
                    problem ? ": " : "", problem ? problem : "");
            continue;
        }
        devices->inventory.devices[at].number = (unsigned)number;
        devices->chosen[at] = true;
        found++;
    }
    json_decref(root);
    if (!ok)
        return fail_damaged(error);
    return found || lit_fail(error, LIT_EXIT_NOTHING, "none of the session's devices is present");
}

void ses_print_resume(const char *command, const char *db)
{
    OWNED(text_free) struct text again = text_format("%s --resume", command);
    if (strcmp(db, "litmus.db") != 0) {
        text_puts(&again, " --db ");
        text_quote(&again, db);
    }
    printf("resume: %s\n", again.data);
}

// Which part of a run over several machines this process does.

// Bazel's and GoogleTest's protocol: the file says that this program supports shards.
static bool touch_status_file(struct lit_error *error)
{
    const char *path = eng_value(getenv, "GTEST_SHARD_STATUS_FILE");
    if (!path)
        return true;
    struct lit_error why;
    return lit_file_write(path, "", 0, &why) ||
           lit_fail(error, LIT_EXIT_USAGE, "GTEST_SHARD_STATUS_FILE: %s", why.message);
}

bool ses_shard_settle(struct ses_options *o, struct lit_error *error)
{
    char from[64] = "", remark[200] = "";
    if (!touch_status_file(error))
        return false;
    if (o->resume)
        return true;
    bool good =
        o->shard_runs
            ? eng_shard_parse(o->shard_runs, STORE_SHARD_RUNS, "--shard-runs", &o->shard, error)
        : o->shard_tests
            ? eng_shard_parse(o->shard_tests, STORE_SHARD_TESTS, "--shard", &o->shard, error)
            : eng_shard_from(getenv, &o->shard, from, remark, error);
    if (!good)
        return false;
    if (remark[0])
        fprintf(stderr, "litmus: %s\n", remark);
    if (o->shard.kind == STORE_WHOLE)
        return true;
    if (from[0])
        fprintf(stderr, "litmus: shard %" PRIu64 "/%" PRIu64 " by %s\n", o->shard.index,
                o->shard.count, from);
    if (o->seed.given || (o->dry_run && !o->shuffle))
        return true;
    if (!eng_shard_seed(getenv, &o->seed.value, from))
        return lit_fail(error, LIT_EXIT_USAGE, "the shards of a run need one seed: give --seed");
    o->seed.given = true;
    fprintf(stderr, "litmus: seed 0x%" PRIx64 " by %s\n", o->seed.value, from);
    return true;
}
