// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <sys/types.h>

ssize_t getrandom(void *bytes, size_t size, unsigned flags);
