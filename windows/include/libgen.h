// SPDX-License-Identifier: Apache-2.0
// These accept UTF-8, unlike mingw-w64's.
#pragma once

char *basename(char *path);
char *dirname(char *path);
