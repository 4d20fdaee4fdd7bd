// SPDX-License-Identifier: Apache-2.0
// What a session that was put together of others says of them, in the member "joined" of its
// options, and which shards belong together. Pure functions.
#pragma once

#include "store/store.h"

struct store_joined {
    // STORE_SHARD_TESTS or STORE_SHARD_RUNS: of shards. STORE_WHOLE: a sum of whole sessions.
    enum store_shard shard;
    uint64_t count; // of shards that there are in all, 0 for a sum
    struct store_member {
        char uuid[17];
        uint64_t index; // of the shard
        uint64_t seed;
    } * members;
    size_t member_count;
};

// False if the options have no such member, or a damaged one. Clear it if true.
bool store_joined_read(const char *options, struct store_joined *joined);
void store_joined_clear(struct store_joined *joined);
void store_joined_add(struct store_joined *joined, const struct store_session *session);
bool store_joined_has(const struct store_joined *joined, const char *uuid);

// A device as the options name it.
struct store_joined_device {
    unsigned number;
    char id[17];
    const char *name;
};
// The options of the whole: those of one of its parts without what concerns the part. free() it.
char *store_joined_write(const char *options, const struct store_joined *joined,
                         const struct store_joined_device *devices, size_t device_count);

// Appends what all shards of one run have in common: seed, kind and count of shards, version, runs,
// and the options apart from shard and devices.
void store_shard_group(const struct store_session *session, struct text *key);
// Appends what sessions that are to be added have in common: system, and the options apart from
// seed, runs, tests and devices.
void store_sum_group(const struct store_session *session, struct text *key);

// The identity of the whole: of its parts alone, in any order. `uuid` holds 17 bytes.
void store_joined_uuid(const struct store_joined *joined, char *uuid);

// The command line without its options --shard and --shard-runs. free() it.
char *store_whole_command(const char *command);

// "0, 1 and 3": the shards that it has, or those that it lacks.
void store_joined_list(const struct store_joined *joined, bool missing, struct text *text);
