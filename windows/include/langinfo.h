// SPDX-License-Identifier: Apache-2.0
// The program's code page is UTF-8 (litmus.manifest), and so is the console's.
#pragma once

#define nl_langinfo(item) (item)
#define CODESET           "UTF-8"
