// SPDX-License-Identifier: Apache-2.0
// The loader's entry points, and the tables that map names to commands.
#include "icd/icd.h"

#include <string.h>

#define LOADER_INTERFACE_MIN 5 // vkCreateInstance accepts any apiVersion
#define LOADER_INTERFACE_MAX 7 // also available through vk_icdGetInstanceProcAddr

struct command {
    const char *name;
    PFN_vkVoidFunction function;
};

#define COMMAND(name) {"vk" #name, (PFN_vkVoidFunction)icd_##name},

#define ALIAS(name, suffix) {"vk" #name #suffix, (PFN_vkVoidFunction)icd_##name},

static const struct command global_commands[] = {
#define GLOBAL COMMAND
#include "icd/commands.h"
#undef GLOBAL
    COMMAND(GetInstanceProcAddr)};

static const struct command instance_commands[] = {
#define INSTANCE COMMAND
#include "icd/commands.h"
#undef INSTANCE
    COMMAND(GetDeviceProcAddr)};

static const struct command device_commands[] = {
#define DEVICE   COMMAND
#define GRAPHICS COMMAND
#include "icd/commands.h"
#undef DEVICE
#undef GRAPHICS
    COMMAND(GetDeviceProcAddr)};

// Instance commands not dispatched on a VkPhysicalDevice.
static const char *const on_instance[] = {
    "vkDestroyInstance",
    "vkEnumeratePhysicalDevices",
    "vkEnumeratePhysicalDeviceGroups",
    "vkEnumeratePhysicalDeviceGroupsKHR",
    "vkCreateDebugUtilsMessengerEXT",
    "vkDestroyDebugUtilsMessengerEXT",
    "vkSubmitDebugUtilsMessageEXT",
    "vkGetDeviceProcAddr",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static PFN_vkVoidFunction find(const struct command *commands, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(commands[i].name, name))
            return commands[i].function;
    return NULL;
}

static PFN_vkVoidFunction find_loader_interface(const char *name)
{
    static const struct command commands[] = {
        {"vk_icdNegotiateLoaderICDInterfaceVersion",
         (PFN_vkVoidFunction)vk_icdNegotiateLoaderICDInterfaceVersion},
        {"vk_icdGetInstanceProcAddr", (PFN_vkVoidFunction)vk_icdGetInstanceProcAddr},
        {"vk_icdGetPhysicalDeviceProcAddr", (PFN_vkVoidFunction)vk_icdGetPhysicalDeviceProcAddr},
    };
    return find(commands, COUNT(commands), name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL icd_GetInstanceProcAddr(VkInstance instance,
                                                                 const char *name)
{
    PFN_vkVoidFunction function = find(global_commands, COUNT(global_commands), name);
    if (!function && instance)
        function = find(instance_commands, COUNT(instance_commands), name);
    if (!function && instance)
        function = find(device_commands, COUNT(device_commands), name);
    return function;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL icd_GetDeviceProcAddr(VkDevice device, const char *name)
{
    (void)device;
    return find(device_commands, COUNT(device_commands), name);
}

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    if (*version < LOADER_INTERFACE_MIN)
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    if (*version > LOADER_INTERFACE_MAX)
        *version = LOADER_INTERFACE_MAX;
    return VK_SUCCESS;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                          const char *name)
{
    const PFN_vkVoidFunction function = find_loader_interface(name);
    return function ? function : icd_GetInstanceProcAddr(instance, name);
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance,
                                                                                const char *name)
{
    (void)instance;
    for (size_t i = 0; i < COUNT(on_instance); i++)
        if (!strcmp(on_instance[i], name))
            return NULL;
    return find(instance_commands, COUNT(instance_commands), name);
}
