// SPDX-License-Identifier: Apache-2.0
// Lists the installed drivers as the Vulkan loader finds them without variables: installed_posix.c
// searches folders, installed_windows.c the registry.
#pragma once

#include "engine/drivers.h"

// Separates the paths in a variable's list.
extern const char eng_path_separator;

// Calls `found` for each manifest and each folder of manifests, in the loader's order.
void eng_installed(eng_getenv *get, void (*found)(const char *path, bool folder, void *user),
                   void *user);

// Returns the next non-empty piece of a list separated by `separator`; free() it. NULL at the end.
char *eng_next_piece(const char **list, char separator);
