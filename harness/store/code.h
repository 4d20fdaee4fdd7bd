// SPDX-License-Identifier: Apache-2.0
// What drivers made of configurations, beside their results.
#pragma once

#include "isa/code.h"
#include "store/store.h"

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
