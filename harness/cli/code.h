// SPDX-License-Identifier: Apache-2.0
// After a run: what drivers made of the configurations, into the store beside their results.
#pragma once

#include "model/inventory.h"
#include "store/store.h"

// The values of --isa, in this order.
#define CLI_CODE_ARGUMENT "failed|all|none"
enum cli_code_which { CLI_CODE_FAILED, CLI_CODE_ALL, CLI_CODE_NONE };

struct cli_code {
    const struct eng_watch *watch;
    const struct eng_inventory *inventory;
    const bool *chosen; // of the inventory's devices
    struct store *store;
    int64_t session;
    // FAILED: configurations in which something failed that should not, and of the same test those
    // that differ from one of them in one axis; the first CLI_CODE_MOST of a device.
    enum cli_code_which which;
};

#define CLI_CODE_MOST 100

// Compiles them anew and stores what the drivers give; what is in the store already is not asked
// for again. A driver that tells nothing of the first one is not asked for the others; one that
// crashes or hangs costs a remark (watch->say) and nothing else. False if the store cannot be
// written, or cannot be read.
bool cli_code_collect(const struct cli_code *collect, struct lit_error *error);
