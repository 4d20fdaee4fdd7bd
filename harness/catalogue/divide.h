// SPDX-License-Identifier: Apache-2.0
// Whether a test's dispatch may be cut into several: read from the module itself, at build time.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// False if a module could notice: it reads NumWorkgroups, which is that of the slice; or its
// workgroups may wait for one another, so that one could wait for a workgroup of a slice that a
// device only begins when the waiting one has ended. Nothing waits without a loop, and without
// something that others are seen by within it: an atomic operation of a scope wider than the
// workgroup (or one that is not a constant), an access or a variable that is Volatile or Coherent.
// Conservative: a loop that does not wait counts too. False for words that are no SPIR-V module.
bool cat_module_divisible(const uint32_t *words, size_t count);
