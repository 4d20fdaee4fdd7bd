// SPDX-License-Identifier: Apache-2.0
// The store: an SQLite file that holds every session, device and result, committed as they arrive.
// One process writes at a time (a lock beside the file says who); any number may read.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/configuration.h"
#include "model/inventory.h"
#include "model/result.h"

#define STORE_VERSION 1 // PRAGMA user_version of the files that this program reads and writes

struct store;

// Opens `path`, making it if it is not there. Takes the writer's lock. NULL with an error of one
// line: not a database, from a newer version, locked by another process (names its pid), read-only
// folder.
struct store *store_open(const char *path, struct lit_error *error);
// Opens an existing file for reading only; takes no lock.
struct store *store_open_read(const char *path, struct lit_error *error);
void store_close(struct store **store); // NULL is fine
// The path that it was opened with.
const char *store_path(const struct store *store);
// Whether that path still means the file that is open for writing, and the log beside it. If not,
// what was committed is saved in a new file beside it, once; false, with an error that names it.
// Commits of results ask it; whoever says where results are asks once more.
bool store_stays(struct store *store, struct lit_error *error);

// A session is one invocation of `litmus run`.
struct store_session {
    int64_t id;
    char *version; // of the program
    char *command; // the command line, as typed
    char *started; // UTC, "2026-11-21T02:09:00Z"
    char *system;  // kernel name, release, machine
    uint64_t seed;
    uint64_t runs; // asked for, for each configuration
    bool finished; // every planned configuration was done
    char *options; // JSON: what --resume needs to go on (patterns, device patterns, flags)
    // 32 hexadecimal digits, drawn when it begins; never changes, in whatever file. Of a session
    // that was combined from others, an identity made of theirs.
    char *uuid;
    // Which part of a run over several machines this is.
    enum store_shard {
        STORE_WHOLE,
        STORE_SHARD_TESTS, // other tests than the other shards
        STORE_SHARD_RUNS,  // the same tests, other runs of each
    } shard;
    uint64_t shard_index, shard_count; // index from 0; both 0 for STORE_WHOLE
};
extern const char *const store_shard_names[]; // "" for STORE_WHOLE, "tests", "runs"
void store_session_clear(struct store_session *session);

// Writes a new session; sets session->id.
bool store_session_begin(struct store *store, struct store_session *session,
                         struct lit_error *error);
bool store_session_finish(struct store *store, int64_t session, struct lit_error *error);
// Adds what is to be known of a driver beside all results to the session's options: a line, once;
// `unclosed`: and that a device could not be closed.
bool store_session_note(struct store *store, int64_t session, const char *line, bool unclosed,
                        struct lit_error *error);
// The newest session, or with `unfinished` the newest that is not finished. False with an error if
// there is none. `id` > 0 asks for that one.
bool store_session_load(struct store *store, int64_t id, bool unfinished,
                        struct store_session *session, struct lit_error *error);

// The newest session that suits; without one session->options stays NULL, which is no error.
bool store_session_pick(struct store *store,
                        bool (*suits)(const struct store_session *session, void *user), void *user,
                        struct store_session *session, struct lit_error *error);

// Writes a device of a session; of one that is there already only that the host checks it.
// `number` counts from 1.
bool store_device_put(struct store *store, int64_t session, unsigned number,
                      const struct dev_facts *facts, const char *checker, struct lit_error *error);

// One result. Strings belong to whoever made the struct; store_result_clear frees what a read made.
struct store_result {
    char *name;   // the configuration
    char *device; // dev_facts_id
    char *result; // eng_result_name
    char *reason; // "" if none
    char *expectation;
    char *sha256;   // of the module, "" if there is none
    char *headline; // "" if none
    char *stress;   // the set of parameters it ran under (model/stress.h), "" for none
    char *rule;     // when it was to end: "" after as many runs as the session asks for, else the
                    // sequential rule ("width 0.001"): its interval is then another one
    uint64_t seed;
    uint64_t first;       // number of its first run, from 0: more than 0 in a shard of runs
    struct cat_mode mode; // names the outcomes
    struct eng_count count;
    char *evidence[ENG_EVIDENCES]; // lines, cut at ENG_EVIDENCE_SIZE; NULL or "" for none
};
void store_result_clear(struct store_result *result);

// Writes a result's present state in one transaction: inserts it or replaces what was there for the
// same session, device and name. On disk when it returns.
bool store_result_put(struct store *store, int64_t session, const struct store_result *result,
                      struct lit_error *error);
// The same of several, in one transaction.
bool store_results_put(struct store *store, int64_t session, const struct store_result *const *list,
                       size_t count, struct lit_error *error);
// Looks a result up. False without an error (error->message empty) if there is none.
bool store_result_get(struct store *store, int64_t session, const char *device, const char *name,
                      struct store_result *result, struct lit_error *error);

// Calls `visit` for each device of a session in order of number, or each result in order of device
// number and then of writing. `visit` returns false to stop; it may take what a result points to
// over, and leave NULL or an empty struct.
bool store_devices(struct store *store, int64_t session,
                   bool (*visit)(struct eng_device *device, void *user), void *user,
                   struct lit_error *error);
bool store_results(struct store *store, int64_t session,
                   bool (*visit)(struct store_result *result, void *user), void *user,
                   struct lit_error *error);

// Calls `visit` for the name of each configuration of which a session before this one has a whole
// result of the device: its test's name matches the glob `tests`. The name is gone when it returns.
bool store_tried(struct store *store, int64_t session, const char *device, const char *tests,
                 void (*visit)(const char *name, void *user), void *user, struct lit_error *error);

// --- What searches for stress have tried

// One stress configuration that was tried. Strings belong to whoever made the struct.
struct store_tuning {
    const char *device; // dev_facts_id
    const char *name;   // the configuration
    const char *sha256; // of the module
    const char *stress; // the notation, "" for none
    uint64_t runs, failed_runs, no_progress_runs;
    double seconds; // wall time in the worker
};

// Writes a try of a session, whose device is stored: inserts it or replaces what was there for the
// same session, device, configuration and stress.
bool store_tuning_put(struct store *store, int64_t session, const struct store_tuning *tuning,
                      struct lit_error *error);

// Calls `visit` for each try of a session, in the order in which they were first written. The
// strings are sanitised, and gone when it returns. `visit` returns false to stop.
bool store_tunings(struct store *store, int64_t session,
                   bool (*visit)(const struct store_tuning *tuning, void *user), void *user,
                   struct lit_error *error);

// Calls `visit` for each result that a search ended with, of all sessions, the newest first: the
// configuration that it found best, with what fresh runs showed. (A session that searched has tries
// and, for the same device and configuration, one result.)
bool store_tuned(struct store *store, bool (*visit)(const struct store_tuning *best, void *user),
                 void *user, struct lit_error *error);

// --- Kernels from outside

#define STORE_MOST_KERNEL ((size_t)15 << 20) // bytes of a package

// Writes what the kernel of a session's test is (cat_package_write): of at most STORE_MOST_KERNEL
// bytes. Inserts it or replaces what was there for the same session and test.
bool store_kernel_put(struct store *store, int64_t session, const char *test, const void *bytes,
                      size_t size, struct lit_error *error);

// Calls `visit` for each kernel of a session, or for session 0 for the newest of each test, in the
// order in which they were written. The bytes are as they were stored, but no more is known of
// them, and gone when it returns. `visit` returns false to stop.
bool store_kernels(struct store *store, int64_t session,
                   bool (*visit)(const void *bytes, size_t size, void *user), void *user,
                   struct lit_error *error);

// --- What drivers made of configurations, beside their results

struct isa_code;

// Writes the code of a configuration on a device of the session, which is stored: inserts it or
// replaces what was there. `sha256` is that of the module. Caches and binaries out of which the
// machine code could be read are not kept: they hold nothing more of use and do not compress.
bool store_code_put(struct store *store, int64_t session, const char *device, const char *name,
                    const char *sha256, const struct isa_code *code, struct lit_error *error);

// The newest session before `before` that has the code of each configuration that ran on a
// device: *session is 0 if there is none.
bool store_code_session(struct store *store, int64_t before, const char *device, int64_t *session,
                        struct lit_error *error);

// Calls `visit` for each code of a session, in the order in which they were first written; `code`
// may be taken over and left empty. `device`, if not NULL, asks for one device alone
// (dev_facts_id), and `name` for one configuration. `visit` returns false to stop.
bool store_codes(struct store *store, int64_t session, const char *device, const char *name,
                 bool (*visit)(const char *device, const char *name, struct isa_code *code,
                               void *user),
                 void *user, struct lit_error *error);

// --- What a session was asked for
//
// A store may come from someone else, so that only what is listed in recorded.c is taken out of a
// session's options, whoever reads them and whatever for: nothing there names a file to write, a
// program to start or a variable of the environment.

// The options of a session without what is not listed. NULL if they are no JSON object, or longer
// than any that this program writes. What the values are is for who reads them to check.
struct json_t *store_recorded(const char *options);

// Appends what of the settings of the SIMT simulator (as --simt has them) is listed. Returns
// whether all of it was.
bool store_recorded_simt(const char *settings, struct text *listed);
