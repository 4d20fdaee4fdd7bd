// SPDX-License-Identifier: Apache-2.0
#pragma once

#define FNM_NOMATCH  1
#define FNM_NOESCAPE 2
#define FNM_CASEFOLD 16

// With FNM_NOESCAPE only: *, ?, [...] with ranges, ! and ^, and classes such as [:digit:].
int fnmatch(const char *pattern, const char *string, int flags);
