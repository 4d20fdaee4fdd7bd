// SPDX-License-Identifier: Apache-2.0
// Which part of a run over several machines an invocation is: by its options, else by what the
// environment of a CI says.
#pragma once

#include "cli/session.h"

// Sets options->shard, unless the run is resumed, and the seed of the whole where the environment
// has one; says on stderr which variables were heeded. Touches GTEST_SHARD_STATUS_FILE. False with
// an error if the options or variables make no sense, or there is no seed that all shards share.
bool cli_shard_settle(struct cli_run_options *options, struct lit_error *error);
