// SPDX-License-Identifier: Apache-2.0
// Vulkan without a loader: Wine's loader does not read manifests, so the worker's one driver is
// loaded here, as the Windows loader would.
#include "device/vulkan.h"

#include "base/file.h"

#include <jansson.h>
#include <windows.h>

#include <vulkan/vk_icd.h>

#define ICD_INTERFACE 5 // loader-driver interface version: entry points for Vulkan 1.1 and later

static bool is_wine(void)
{
    return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version");
}

// The library named by a manifest; a bare name is searched.
static void library_of(const char *manifest, struct text *path)
{
    json_auto_t *root = json_load_file(manifest, 0, NULL);
    const char *library =
        json_string_value(json_object_get(json_object_get(root, "ICD"), "library_path"));
    if (library)
        lit_path_resolve(manifest, library, path);
}

static HMODULE load(const char *path)
{
    OWNED(lit_free) wchar_t *wide = lit_alloc(strlen(path) + 1, sizeof *wide);
    MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, (int)strlen(path) + 1);
    for (wchar_t *at = wide; *at; at++)
        *at = *at == '/' ? '\\' : *at;
    return LoadLibraryExW(wide, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
}

static PFN_vkGetInstanceProcAddr entry_of(const char *manifest)
{
    OWNED(text_free) struct text path = {0};
    library_of(manifest, &path);
    const HMODULE library = path.length ? load(path.data) : NULL;
    if (!library)
        return NULL;
    uint32_t version = ICD_INTERFACE;
    const PFN_vkNegotiateLoaderICDInterfaceVersion negotiate =
        (PFN_vkNegotiateLoaderICDInterfaceVersion)(void (*)(void))GetProcAddress(
            library, "vk_icdNegotiateLoaderICDInterfaceVersion");
    if (!negotiate || negotiate(&version) != VK_SUCCESS)
        return NULL;
    return (PFN_vkGetInstanceProcAddr)(void (*)(void))GetProcAddress(library,
                                                                     "vk_icdGetInstanceProcAddr");
}

VkResult dev_initialize(void)
{
    const char *manifest = getenv("VK_DRIVER_FILES");
    if (!manifest || !is_wine())
        return volkInitialize();
    const PFN_vkGetInstanceProcAddr entry = entry_of(manifest);
    if (!entry)
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    volkInitializeCustom(entry);
    return VK_SUCCESS;
}
