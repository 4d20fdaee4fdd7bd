// SPDX-License-Identifier: Apache-2.0
// The compiled code of a session, ready to be compared.
#pragma once

#include "isa/study.h"
#include "store/store.h"

// Adds the code of a device's configurations, of one test or (NULL) of all, to a study; call
// isa_study_finish after it. Ends early, without an error, if study->stops says so. False with an
// error if the store cannot be read.
bool store_study(struct store *store, int64_t session, const char *device, const char *test,
                 struct isa_study *study, struct lit_error *error);
