// SPDX-License-Identifier: Apache-2.0
// Searches the registry, as in the loader's "Driver Discovery on Windows": first the entries of the
// present display adapters and their software components, then the list of all other drivers.
#include "engine/drivers.h"

#include <windows.h>

#include <cfgmgr32.h>

const char eng_path_separator = ';';

#define LISTED  "SOFTWARE\\Khronos\\Vulkan\\Drivers"
#define OF_ONE  "VulkanDriverName"
#define LONGEST 32768

struct search {
    void (*found)(const char *path, bool folder, void *user);
    void *user;
};

// Adds the driver's value: one path or several.
static void add_of_device(const struct search *search, const char *device)
{
    DEVINST node;
    HKEY key;
    char paths[LONGEST];
    DWORD type = 0, size = sizeof paths - 2;
    if (CM_Locate_DevNodeA(&node, (char *)(uintptr_t)device, CM_LOCATE_DEVNODE_NORMAL) !=
            CR_SUCCESS ||
        CM_Open_DevNode_Key(node, KEY_QUERY_VALUE, 0, RegDisposition_OpenExisting, &key,
                            CM_REGISTRY_SOFTWARE) != CR_SUCCESS)
        return;
    memset(paths, 0, sizeof paths);
    if (RegQueryValueExA(key, OF_ONE, NULL, &type, (BYTE *)paths, &size) == ERROR_SUCCESS &&
        (type == REG_SZ || type == REG_MULTI_SZ))
        for (const char *path = paths; *path; path += strlen(path) + 1) {
            search->found(path, false, search->user);
            if (type == REG_SZ)
                break;
        }
    RegCloseKey(key);
}

static void add_of_class(const struct search *search, const char *class)
{
    const ULONG flags = CM_GETIDLIST_FILTER_CLASS | CM_GETIDLIST_FILTER_PRESENT;
    ULONG size = 0;
    if (CM_Get_Device_ID_List_SizeA(&size, class, flags) != CR_SUCCESS || size == 0)
        return;
    OWNED(lit_free) char *devices = lit_alloc(size + 2, 1);
    if (CM_Get_Device_ID_ListA(class, devices, size, flags) == CR_SUCCESS)
        for (const char *device = devices; *device; device += strlen(device) + 1)
            add_of_device(search, device);
}

// Adds each value's name as a path if its data is 0, which means enabled.
static void add_listed(const struct search *search, HKEY root)
{
    HKEY key;
    char path[LONGEST];
    if (RegOpenKeyExA(root, LISTED, 0, KEY_QUERY_VALUE, &key) != ERROR_SUCCESS)
        return;
    for (DWORD i = 0;; i++) {
        DWORD length = sizeof path, type = 0, used = 1, size = sizeof used;
        const LSTATUS status =
            RegEnumValueA(key, i, path, &length, NULL, &type, (BYTE *)&used, &size);
        if (status == ERROR_SUCCESS && type == REG_DWORD && used == 0)
            search->found(path, false, search->user);
        else if (status != ERROR_SUCCESS && status != ERROR_MORE_DATA)
            break;
    }
    RegCloseKey(key);
}

void eng_installed(eng_getenv *get, void (*found)(const char *path, bool folder, void *user),
                   void *user)
{
    const struct search search = {found, user};
    (void)get;
    add_of_class(&search, "{4d36e968-e325-11ce-bfc1-08002be10318}"); // display adapters
    add_of_class(&search, "{5c4c3332-344d-483c-8739-259e934c9cc8}"); // software components
    add_listed(&search, HKEY_LOCAL_MACHINE);
}
