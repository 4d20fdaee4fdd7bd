// SPDX-License-Identifier: Apache-2.0
// Which part of a run over several machines this process does.

#include "session/session.h"

#include "base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bazel's and GoogleTest's protocol: the file says that this program supports shards.
static bool touch_status_file(struct lit_error *error)
{
    const char *path = getenv("GTEST_SHARD_STATUS_FILE");
    if (!path || !path[0])
        return true;
    struct lit_error why;
    return lit_file_write(path, "", 0, &why) ||
           lit_fail(error, LIT_EXIT_USAGE, "GTEST_SHARD_STATUS_FILE: %s", why.message);
}

static const char *variable(const char *name)
{
    return getenv(name);
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
            : eng_shard_from(variable, &o->shard, from, remark, error);
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
    if (!eng_shard_seed(variable, &o->seed.value, from))
        return lit_fail(error, LIT_EXIT_USAGE, "the shards of a run need one seed: give --seed");
    o->seed.given = true;
    fprintf(stderr, "litmus: seed 0x%" PRIx64 " by %s\n", o->seed.value, from);
    return true;
}
