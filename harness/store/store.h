// SPDX-License-Identifier: Apache-2.0
// The store: an SQLite file with every session, device and result, committed as they arrive. One
// process writes at a time (a lock file beside it says which); any number may read.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/configuration.h"
#include "model/inventory.h"
#include "model/result.h"

#define STORE_VERSION 1 // PRAGMA user_version of the files that this program reads and writes

struct store;

// Opens `path`, creates it if missing, and takes the writer's lock. NULL with an error of one line:
// not a database, from a newer version, locked by another process (names its pid), read-only
// folder.
struct store *store_open(const char *path, struct lit_error *error);
// Opens an existing file read-only, without a lock.
struct store *store_open_read(const char *path, struct lit_error *error);
void store_close(struct store **store); // NULL is fine
// The path it was opened with.
const char *store_path(const struct store *store);
// Whether the path still means the file open for writing, and the log beside it. If not, saves what
// was committed in a new file beside it, once, and returns false with an error that names it.
// Commits of results call this; call it once more before saying where the results are.
bool store_stays(struct store *store, struct lit_error *error);

// A session is one invocation of `litmus run`.
struct store_session {
    int64_t id;
    char *version; // of the program
    char *command; // the command line, as typed
    char *started; // UTC, "2026-11-21T02:09:00Z"
    char *system;  // kernel name, release, machine
    uint64_t seed;
    uint64_t runs; // requested for each configuration
    bool finished; // every planned configuration was done
    char *options; // JSON: what --resume needs to continue (patterns, device patterns, flags)
    // 32 hexadecimal digits, drawn when the session begins; the same in every file. For a combined
    // session, derived from those of its sessions.
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
// Adds a remark on a driver, which matters besides all results, to the session's options: a line,
// once. `unclosed`: also that a device could not be closed.
bool store_session_note(struct store *store, int64_t session, const char *line, bool unclosed,
                        struct lit_error *error);
// Loads session `id` if above 0; else the newest session, or with `unfinished` the newest
// unfinished one. False with an error if there is none.
bool store_session_load(struct store *store, int64_t id, bool unfinished,
                        struct store_session *session, struct lit_error *error);

// Loads the newest session that suits; if there is none, session->options stays NULL, without an
// error.
bool store_session_pick(struct store *store,
                        bool (*suits)(const struct store_session *session, void *user), void *user,
                        struct store_session *session, struct lit_error *error);

// Writes a device of a session. For an existing one, writes only that the host checks it. `number`
// counts from 1.
bool store_device_put(struct store *store, int64_t session, unsigned number,
                      const struct dev_facts *facts, const char *checker, struct lit_error *error);

// Writes a result's present state in one transaction: inserts it or replaces the one with the same
// session, device and name; a partial one has no reason. It is on disk when this returns.
bool store_result_put(struct store *store, int64_t session, const struct result *result,
                      struct lit_error *error);
// The same for several, in one transaction.
bool store_results_put(struct store *store, int64_t session, const struct result *const *list,
                       size_t count, struct lit_error *error);
// Looks up a result. False without an error (error->message empty) if there is none.
bool store_result_get(struct store *store, int64_t session, const char *device, const char *name,
                      struct result *result, struct lit_error *error);

// Calls `visit` for each device of a session in order of number, or each result in order of device
// number and then of writing. `visit` returns false to stop; it may take over what a result points
// to, and leave NULL or an empty struct.
bool store_devices(struct store *store, int64_t session,
                   bool (*visit)(struct eng_device *device, void *user), void *user,
                   struct lit_error *error);
bool store_results(struct store *store, int64_t session,
                   bool (*visit)(struct result *result, void *user), void *user,
                   struct lit_error *error);

// Calls `visit` for the name of each configuration that has a complete result on the device in an
// earlier session, and whose test matches the glob `tests`. The name becomes invalid when it
// returns.
bool store_tried(struct store *store, int64_t session, const char *device, const char *tests,
                 void (*visit)(const char *name, void *user), void *user, struct lit_error *error);

// --- Tries of searches for stress

// A try is a result with these members: device_id, name, sha256, stress, runs, failed_runs,
// no_progress_runs, seconds.

// Writes a try of a session whose device is stored: inserts it or replaces the one with the same
// session, device, configuration and stress.
bool store_tuning_put(struct store *store, int64_t session, const struct result *tuning,
                      struct lit_error *error);

// Calls `visit` for each try of a session, in the order in which they were first written. The
// strings are sanitised and become invalid when it returns. `visit` returns false to stop.
bool store_tunings(struct store *store, int64_t session,
                   bool (*visit)(const struct result *tuning, void *user), void *user,
                   struct lit_error *error);

// Calls `visit` for the final result of each search, over all sessions, the newest first: the best
// configuration, with the counts of fresh runs. (A session that searched has tries and one result
// for the same device and configuration.)
bool store_tuned(struct store *store, bool (*visit)(const struct result *best, void *user),
                 void *user, struct lit_error *error);

// --- Kernels from outside

#define STORE_MOST_KERNEL ((size_t)15 << 20) // bytes of a package

// Writes the kernel of a session's test (cat_package_write): at most STORE_MOST_KERNEL bytes.
// Inserts it or replaces the one with the same session and test.
bool store_kernel_put(struct store *store, int64_t session, const char *test, const void *bytes,
                      size_t size, struct lit_error *error);

// Calls `visit` for each kernel of a session, or for session 0 for the newest of each test, in the
// order in which they were written. The bytes are the stored ones but otherwise unchecked, and
// become invalid when it returns. `visit` returns false to stop.
bool store_kernels(struct store *store, int64_t session,
                   bool (*visit)(const void *bytes, size_t size, void *user), void *user,
                   struct lit_error *error);

// --- Code that drivers made of configurations

struct isa_code;

// Writes the code of a configuration on a device stored in the session: inserts it or replaces the
// existing one. `sha256` is the module's. Leaves out caches and binaries if the machine code was
// read from them: they hold nothing else of use and do not compress.
bool store_code_put(struct store *store, int64_t session, const char *device, const char *name,
                    const char *sha256, const struct isa_code *code, struct lit_error *error);

// Finds the newest session before `before` that has the code of each configuration that ran on a
// device: *session is 0 if there is none.
bool store_code_session(struct store *store, int64_t before, const char *device, int64_t *session,
                        struct lit_error *error);

// Calls `visit` for each code of a session, in the order in which they were first written; `code`
// may be taken over and left empty. `device`, if not NULL, restricts it to one device
// (dev_facts_id), and `name` to one configuration. `visit` returns false to stop.
bool store_codes(struct store *store, int64_t session, const char *device, const char *name,
                 bool (*visit)(const char *device, const char *name, struct isa_code *code,
                               void *user),
                 void *user, struct lit_error *error);

// --- A session's options
//
// A store may come from someone else, so all readers take only what session.c lists out of a
// session's options: nothing there names a file to write, a program to start or a variable of the
// environment.

// Returns the listed options of a session. NULL if `options` is not a JSON object, or longer than
// any that this program writes. The caller checks the values.
struct json_t *store_recorded(const char *options);

// Appends the listed settings of the SIMT simulator (in the form of --simt). Returns whether all of
// them were listed.
bool store_recorded_simt(const char *settings, struct text *listed);
