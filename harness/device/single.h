// SPDX-License-Identifier: Apache-2.0
// What `litmus run` is held against: one run at a time, as harnesses do that are made for single
// shaders (Amber, EasyVK). For each run all buffers are filled from the host, a command buffer is
// made and submitted, its fence waited for, and all that was stored compared on the host.
#pragma once

#include "device/device.h"

struct dev_single;

// As dev_program_create; what `info` points to must outlive it, its batch, timed and stress are not
// looked at. `compiles`: each run has a pipeline of its own.
struct dev_single *dev_single_create(struct dev *dev, const struct dev_program_info *info,
                                     bool compiles, enum dev_status *status,
                                     struct lit_error *error);
void dev_single_destroy(struct dev_single **single); // NULL is fine

enum dev_status dev_single_run(struct dev_single *single, uint32_t seed, struct cat_run *run,
                               bool *gave_up, uint32_t timeout_ms, struct lit_error *error);
