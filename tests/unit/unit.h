// SPDX-License-Identifier: Apache-2.0
// What every unit test includes: cmocka with the headers that it needs before it.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

// Whether fewer cases will do: in the sample of tools/check the same test runs without sanitizers
// too, which are several times as slow.
static inline bool unit_sampled(void)
{
#ifdef __SANITIZE_ADDRESS__
    return getenv("LITMUS_SAMPLE") != NULL;
#else
    return false;
#endif
}
