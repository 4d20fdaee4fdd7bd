// SPDX-License-Identifier: Apache-2.0
// Clocks, in seconds.
#pragma once

// The monotonic clock.
double clock_now(void);

// The same for time limits: it stands still while this thread does not look at it for more than a
// second, as when the process, its container or the machine is stopped. So whoever waits looks at
// it at least five times a second. Only values of one thread can be compared.
double clock_awake(void);
#define CLOCK_LOOK 0.2 // seconds: the longest wait between two looks
