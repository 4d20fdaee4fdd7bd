// SPDX-License-Identifier: Apache-2.0
// Shared by subcommands with a session.
#pragma once

#include "cli/device.h"
#include "session/session.h"

// Prints a session of litmus progress: the strongest model for each device's lanes, subgroups and
// workgroups; with `all` also each program's result. Prints an error and returns false if there is
// no report.
bool cli_progress_print(struct store *store, int64_t session, bool all);
