// SPDX-License-Identifier: Apache-2.0
#pragma once

struct utsname {
    char sysname[16], release[64], machine[16];
};

int uname(struct utsname *system);
