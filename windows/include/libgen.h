// SPDX-License-Identifier: Apache-2.0
// Unlike mingw-w64's these take UTF-8.
#pragma once

char *basename(char *path);
char *dirname(char *path);
