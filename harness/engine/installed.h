// SPDX-License-Identifier: Apache-2.0
// Which drivers are installed, as the Vulkan loader finds them where no variable says else:
// installed_posix.c by folders, installed_windows.c by the registry.
#pragma once

#include "engine/drivers.h"

// What stands between the paths of a variable's list.
extern const char eng_path_separator;

// Calls `found` for each manifest and each folder of manifests, in the loader's order.
void eng_installed(eng_getenv *get, void (*found)(const char *path, bool folder, void *user),
                   void *user);

// The next piece of a list with `separator` between them, empty ones left out: free() it. NULL if
// none is left.
char *eng_next_piece(const char **list, char separator);
