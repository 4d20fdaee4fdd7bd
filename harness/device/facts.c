// SPDX-License-Identifier: Apache-2.0
// A device's facts: validated information from its driver.
#include "device/vulkan.h"

#include "model/emulated.h"

#define MAX_EXTENSIONS 4096

static bool read_extensions(VkPhysicalDevice physical, VkExtensionProperties **extensions,
                            uint32_t *count, struct lit_error *error)
{
    char number[32];
    VkResult result = VK_INCOMPLETE;
    // Retry if the list grew between the two calls.
    for (unsigned turn = 0; turn < 8 && result == VK_INCOMPLETE; turn++) {
        uint32_t listed = 0;
        result = vkEnumerateDeviceExtensionProperties(physical, NULL, &listed, NULL);
        if (result != VK_SUCCESS)
            break;
        if (listed > MAX_EXTENSIONS)
            return lit_fail(error, LIT_EXIT_USAGE, "the driver lists %u device extensions", listed);
        *extensions = lit_realloc(*extensions, listed + 1, sizeof **extensions);
        *count = listed;
        result = vkEnumerateDeviceExtensionProperties(physical, NULL, count, *extensions);
        if (*count > listed)
            *count = listed;
    }
    return result == VK_SUCCESS ||
           lit_fail(error, LIT_EXIT_USAGE, "%s: %s", "vkEnumerateDeviceExtensionProperties",
                    dev_result_name(result, number));
}

// --- Facts

// Copies a driver's string, which may lack its terminator.
static void take_text(char *target, size_t size, const char *source, size_t source_size)
{
    char copy[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE];
    size_t length = strnlen(source, source_size < sizeof copy ? source_size : sizeof copy - 1);
    memcpy(copy, source, length);
    copy[length] = '\0';
    text_sanitise(target, size, copy);
}

// Formats the version as the vendor's tools do.
static void write_version(struct dev_facts *facts)
{
    static const char numeric[] = "0123456789.";
    char *target = facts->driver_version;
    const size_t size = sizeof facts->driver_version;
    const uint32_t raw = facts->driver_raw;
    const char *info = facts->driver_info;
    const char *mesa = strncmp(info, "Mesa ", 5) ? NULL : info + 5;
    const bool nvidia = facts->driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY ||
                        (!facts->driver_id && facts->vendor == 0x10de);

    if (mesa && *mesa) {
        snprintf(target, size, "%.*s", (int)strcspn(mesa, " "), mesa);
    } else if (nvidia && *info && info[strspn(info, numeric)] == '\0') {
        snprintf(target, size, "%.*s", (int)size - 1, info);
    } else if (nvidia) {
        const uint32_t third = raw >> 6 & 0xff, fourth = raw & 0x3f;
        int length = snprintf(target, size, "%u.%02u", raw >> 22, raw >> 14 & 0xff);
        if (third || fourth)
            length += snprintf(target + length, size - (size_t)length, ".%02u", third);
        if (fourth)
            snprintf(target + length, size - (size_t)length, ".%02u", fourth);
    } else {
        snprintf(target, size, "%u.%u.%u", VK_API_VERSION_MAJOR(raw), VK_API_VERSION_MINOR(raw),
                 VK_API_VERSION_PATCH(raw));
    }
}

static bool good_subgroup(uint32_t size)
{
    return size >= 1 && size <= 128 && !(size & (size - 1));
}

// Checks limits that Vulkan guarantees (Required Limits, Limit Requirements) and this program
// relies on.
static bool check_limits(struct dev_facts *facts, struct lit_error *error)
{
    const uint32_t size = facts->subgroup, least = facts->subgroup_min, most = facts->subgroup_max;
    if (!good_subgroup(size) || !good_subgroup(least) || !good_subgroup(most) || least > size ||
        size > most) {
        facts->subgroup = facts->subgroup_min = facts->subgroup_max = 0;
        facts->subgroup_control = false;
        return lit_fail(error, LIT_EXIT_USAGE,
                        "the driver says that its subgroup size is %u, from %u to %u", size, least,
                        most);
    }
    if (facts->max_workgroup < 64 || facts->max_workgroups < 65535 || facts->max_shared < 16384 ||
        facts->max_storage_buffer < 1u << 27)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "the driver's limits are below Vulkan's: workgroups of %u, %u of them, "
                        "%u bytes shared, storage buffers of %llu bytes",
                        facts->max_workgroup, facts->max_workgroups, facts->max_shared,
                        (unsigned long long)facts->max_storage_buffer);
    return true;
}

// In such a process other drivers may have devices, too.
static bool is_emulated(const struct dev_facts *facts)
{
    return facts->vendor == 0x1002 && dev_is_emulated();
}

// Fields that every device reports, so that a device can be named even if the rest is unusable.
static void take_plain(struct dev_facts *facts, const VkPhysicalDeviceProperties *said)
{
    const uint32_t loader = volkGetInstanceVersion();
    take_text(facts->name, sizeof facts->name, said->deviceName, sizeof said->deviceName);
    facts->vendor = said->vendorID;
    if (is_emulated(facts))
        snprintf(facts->name + strlen(facts->name), sizeof facts->name - strlen(facts->name),
                 ", " DEV_EMULATED);
    facts->product = said->deviceID;
    facts->api = said->apiVersion;
    facts->driver_raw = said->driverVersion;
    facts->cpu = said->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    snprintf(facts->type, sizeof facts->type, "%s",
             dev_types[(unsigned)said->deviceType < DEV_TYPES ? said->deviceType : 0]);
    snprintf(facts->loader, sizeof facts->loader, "%u.%u.%u", VK_API_VERSION_MAJOR(loader),
             VK_API_VERSION_MINOR(loader), VK_API_VERSION_PATCH(loader));
    write_version(facts);
}

bool dev_facts_read(VkPhysicalDevice physical, uint32_t instance_api, bool capture,
                    struct dev_facts *facts, struct dev_features *features, struct lit_error *error)
{
    memset(facts, 0, sizeof *facts);
    VkPhysicalDeviceProperties plain = {0};
    vkGetPhysicalDeviceProperties(physical, &plain);
    const uint32_t api = plain.apiVersion < instance_api ? plain.apiVersion : instance_api;
    OWNED(lit_free) VkExtensionProperties *offered = NULL;
    uint32_t count = 0;
    take_plain(facts, &plain);
    if (!read_extensions(physical, &offered, &count, error))
        return false;
    dev_features_choose(physical, api, capture, offered, count, features);

    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
    };
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
    };
    VkPhysicalDeviceSubgroupProperties subgroup = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
    };
    VkPhysicalDeviceIDProperties ids = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
        .pNext = &subgroup,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &ids,
    };
    void **end = &subgroup.pNext;
    if (features->driver_properties) {
        *end = &driver;
        end = &driver.pNext;
    }
    if (features->size_properties)
        *end = &sizes;
    vkGetPhysicalDeviceProperties2(physical, &properties);

    const VkPhysicalDeviceLimits *limits = &properties.properties.limits;
    take_text(facts->driver_name, sizeof facts->driver_name, driver.driverName,
              sizeof driver.driverName);
    take_text(facts->driver_info, sizeof facts->driver_info, driver.driverInfo,
              sizeof driver.driverInfo);
    memcpy(facts->device_uuid, ids.deviceUUID, sizeof facts->device_uuid);
    if (is_emulated(facts)) // no such hardware
        memcpy(facts->device_uuid, DEV_EMULATED, strlen(DEV_EMULATED));
    memcpy(facts->driver_uuid, ids.driverUUID, sizeof facts->driver_uuid);
    facts->driver_id = (uint32_t)driver.driverID;
    write_version(facts);

    facts->subgroup = facts->subgroup_min = facts->subgroup_max = subgroup.subgroupSize;
    facts->subgroup_control = features->size_control.subgroupSizeControl &&
                              (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
    if (facts->subgroup_control) {
        facts->subgroup_min = sizes.minSubgroupSize;
        facts->subgroup_max = sizes.maxSubgroupSize;
        facts->max_subgroups = sizes.maxComputeWorkgroupSubgroups;
    }
    facts->max_workgroup = limits->maxComputeWorkGroupInvocations;
    if (facts->max_workgroup > limits->maxComputeWorkGroupSize[0])
        facts->max_workgroup = limits->maxComputeWorkGroupSize[0];
    facts->max_workgroups = limits->maxComputeWorkGroupCount[0];
    facts->max_shared = limits->maxComputeSharedMemorySize;
    facts->max_storage_buffer = limits->maxStorageBufferRange;
    facts->features = dev_features_bits(features, &subgroup);
    if (facts->features >> CAT_FEATURE_COOPERATIVE_MATRIX & 1)
        dev_list_products(physical, facts);
    if (facts->products[0])
        facts->features |= UINT64_C(1) << CAT_FEATURE_MATRIX_PRODUCTS;
    return check_limits(facts, error);
}

// --- Asks the library that emulates a GPU, if it is preloaded into this worker: rdna/shim/shim.c.

#ifdef _WIN32
static const char *not_emulated(bool *is_emulated)
{
    *is_emulated = false;
    return NULL;
}
#else
#include <dlfcn.h>

static const char *not_emulated(bool *is_emulated)
{
    const char *(*ask)(void);
    *(void **)&ask = dlsym(RTLD_DEFAULT, "rdna_left_out");
    *is_emulated = ask;
    return ask ? ask() : NULL;
}
#endif

bool dev_is_emulated(void)
{
    bool is_emulated;
    not_emulated(&is_emulated);
    return is_emulated;
}

bool dev_emulated_not(struct lit_error *error)
{
    bool is_emulated;
    const char *what = not_emulated(&is_emulated);
    if (what)
        lit_fail(error, LIT_EXIT_NOTHING, "%s", what);
    return what;
}
