// SPDX-License-Identifier: Apache-2.0
// What subcommands that have a session share.
#pragma once

#include "cli/device.h"
#include "session/session.h"

// Of a session of litmus progress: the strongest model of each device's lanes, subgroups and
// workgroups, and with `all` what each program did. False, and it is said, if there is no report.
bool cli_progress_print(struct store *store, int64_t session, bool all);
