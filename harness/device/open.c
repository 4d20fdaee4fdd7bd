// SPDX-License-Identifier: Apache-2.0
// The Vulkan loader, an instance and its devices, validation messages, and checked calls; opens and
// closes devices with all features that a test may need.

// volk converts the result of dlsym, which ISO C does not allow.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define VOLK_IMPLEMENTATION
#include <volk.h>
#pragma GCC diagnostic pop

#include "device/vulkan.h"

#include "base/file.h"

#include <jansson.h>

#define MAX_DEVICES 64
#define VALIDATION  "VK_LAYER_KHRONOS_validation"

const char *dev_result_name(VkResult result, char text[32])
{
#define NAME(value)                                                                                \
    case value:                                                                                    \
        return #value
    switch ((int)result) {
        NAME(VK_SUCCESS);
        NAME(VK_NOT_READY);
        NAME(VK_TIMEOUT);
        NAME(VK_INCOMPLETE);
        NAME(VK_ERROR_OUT_OF_HOST_MEMORY);
        NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY);
        NAME(VK_ERROR_INITIALIZATION_FAILED);
        NAME(VK_ERROR_DEVICE_LOST);
        NAME(VK_ERROR_MEMORY_MAP_FAILED);
        NAME(VK_ERROR_LAYER_NOT_PRESENT);
        NAME(VK_ERROR_EXTENSION_NOT_PRESENT);
        NAME(VK_ERROR_FEATURE_NOT_PRESENT);
        NAME(VK_ERROR_INCOMPATIBLE_DRIVER);
        NAME(VK_ERROR_TOO_MANY_OBJECTS);
        NAME(VK_ERROR_FRAGMENTED_POOL);
        NAME(VK_ERROR_UNKNOWN);
        NAME(VK_ERROR_OUT_OF_POOL_MEMORY);
        NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE);
        NAME(VK_ERROR_FRAGMENTATION);
        NAME(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
        NAME(VK_PIPELINE_COMPILE_REQUIRED);
        NAME(VK_ERROR_VALIDATION_FAILED_EXT);
        NAME(VK_ERROR_INVALID_SHADER_NV);
    }
#undef NAME
    snprintf(text, 32, "VkResult %d", (int)result);
    return text;
}

enum dev_status dev_check(VkResult result, const char *call, struct lit_error *error)
{
    if (result == VK_SUCCESS)
        return DEV_OK;
    char number[32];
    enum lit_exit code = result == VK_ERROR_DEVICE_LOST ? LIT_EXIT_DEVICE_LOST : LIT_EXIT_USAGE;
    lit_fail(error, code, "%.*s: %s", (int)strcspn(call, "("), call,
             dev_result_name(result, number));
    return result == VK_ERROR_DEVICE_LOST ? DEV_LOST : DEV_ERROR;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    (void)severity, (void)types;
    const struct dev_instance *instance = user;
    if (instance->message && data && data->pMessage)
        instance->message(data->pMessage, instance->user);
    return VK_FALSE;
}

#ifdef _WIN32
static bool fail_library(struct lit_error *error)
{
    return lit_fail(error, LIT_EXIT_NOTHING, "no Vulkan driver is installed");
}
#else
// The loader reports only that there is no driver. A worker has a single manifest, so tries its
// library directly for a better reason; that it found no device is already known.
static bool fail_library(struct lit_error *error)
{
    const char *manifest = getenv("VK_DRIVER_FILES"), *why = NULL;
    OWNED(text_free) struct text path = {0};
    json_error_t reason;
    json_auto_t *root = manifest ? json_load_file(manifest, 0, &reason) : NULL;
    if (manifest && !root)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "its manifest cannot be read: %s", reason.text);
    const char *library =
        json_string_value(json_object_get(json_object_get(root, "ICD"), "library_path"));
    if (library)
        lit_path_resolve(manifest, library, &path);
    if (library && !dlopen(path.data, RTLD_NOW | RTLD_LOCAL))
        why = dlerror();
    return why ? lit_fail(error, LIT_EXIT_USAGE, "its library cannot be loaded: %.400s", why)
               : lit_fail(error, LIT_EXIT_NOTHING, "no Vulkan driver is installed");
}
#endif

// LIT_EXIT_UNDECIDED: out of memory, so whether there is a device is unknown.
static bool fail_call(const char *call, VkResult result, struct lit_error *error)
{
    const bool memory = result == VK_ERROR_OUT_OF_HOST_MEMORY;
    char number[32];
    return lit_fail(error, memory ? LIT_EXIT_UNDECIDED : LIT_EXIT_NOTHING, "%s%s: %s",
                    memory ? "out of memory: " : "", call, dev_result_name(result, number));
}

// The first Vulkan call: reports everything that may be missing on a machine.
static bool load(struct dev_instance *instance, struct lit_error *error)
{
    VkResult result = dev_initialize();
    uint32_t version = VK_API_VERSION_1_0;
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return fail_library(error);
    if (result != VK_SUCCESS)
        return lit_fail(error, LIT_EXIT_NOTHING, "no Vulkan loader: " DEV_LOADER " is not here");
    if (vkEnumerateInstanceVersion)
        result = vkEnumerateInstanceVersion(&version);
    if (result != VK_SUCCESS)
        return fail_call("vkEnumerateInstanceVersion", result, error);
    if (version < VK_API_VERSION_1_1)
        return lit_fail(error, LIT_EXIT_NOTHING, "the Vulkan loader is older than Vulkan 1.1");
    instance->api = version < VK_API_VERSION_1_2   ? VK_API_VERSION_1_1
                    : version < VK_API_VERSION_1_3 ? VK_API_VERSION_1_2
                                                   : VK_API_VERSION_1_3;
    return true;
}

static bool create_instance(struct dev_instance *instance, const struct dev_open_info *info,
                            struct lit_error *error)
{
    memset(instance, 0, sizeof *instance);
    if (!load(instance, error))
        return false;

    // The layer provides VK_EXT_debug_utils.
    const bool validation = info && info->validation;
    if (info) {
        instance->message = info->message;
        instance->user = info->user;
    }
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = instance,
    };
    const VkInstanceCreateInfo made = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = validation ? &messenger : NULL,
        .pApplicationInfo =
            &(VkApplicationInfo){
                .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                .pApplicationName = "litmus",
                .apiVersion = instance->api,
            },
        .enabledLayerCount = validation,
        .ppEnabledLayerNames = (const char *const[]){VALIDATION},
        .enabledExtensionCount = validation,
        .ppEnabledExtensionNames = (const char *const[]){VK_EXT_DEBUG_UTILS_EXTENSION_NAME},
    };
    VkResult result = vkCreateInstance(&made, NULL, &instance->handle);
    // The loader reports the same error if memory or a file was missing while searching.
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        result = vkCreateInstance(&made, NULL, &instance->handle);
    if (result != VK_SUCCESS) {
        instance->handle = VK_NULL_HANDLE;
        if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
            return fail_library(error);
        if (result == VK_ERROR_LAYER_NOT_PRESENT)
            return lit_fail(error, LIT_EXIT_USAGE, "no validation layer: %s is not here",
                            VALIDATION);
        return fail_call("vkCreateInstance", result, error);
    }
    volkLoadInstance(instance->handle);
    if (validation && vkCreateDebugUtilsMessengerEXT(instance->handle, &messenger, NULL,
                                                     &instance->messenger) != VK_SUCCESS)
        instance->messenger = VK_NULL_HANDLE;
    return true;
}

static void destroy_instance(struct dev_instance *instance)
{
    if (instance->messenger)
        vkDestroyDebugUtilsMessengerEXT(instance->handle, instance->messenger, NULL);
    if (instance->handle)
        vkDestroyInstance(instance->handle, NULL);
    memset(instance, 0, sizeof *instance);
}

static bool list_devices(const struct dev_instance *instance, VkPhysicalDevice **devices,
                         size_t *count, struct lit_error *error)
{
    *devices = NULL;
    *count = 0;
    VkPhysicalDevice *list = lit_alloc(MAX_DEVICES, sizeof(VkPhysicalDevice));
    uint32_t listed = MAX_DEVICES;
    VkResult result = vkEnumeratePhysicalDevices(instance->handle, &listed, list);
    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || listed > MAX_DEVICES) {
        free(list);
        if (listed > MAX_DEVICES)
            return lit_fail(error, LIT_EXIT_NOTHING, "vkEnumeratePhysicalDevices: %u devices",
                            listed);
        return fail_call("vkEnumeratePhysicalDevices", result, error);
    }

    size_t kept = 0;
    for (uint32_t i = 0; i < listed; i++) {
        VkPhysicalDeviceProperties properties = {0};
        if (!list[i])
            continue;
        vkGetPhysicalDeviceProperties(list[i], &properties);
        if (properties.apiVersion >= VK_API_VERSION_1_1)
            list[kept++] = list[i];
    }
    if (!kept) {
        free(list);
        return lit_fail(error, LIT_EXIT_NOTHING, "no Vulkan device%s",
                        listed ? " speaks Vulkan 1.1 or later" : "");
    }
    *devices = list;
    *count = kept;
    return true;
}

bool dev_enumerate(struct dev_facts **facts, size_t *count, struct lit_error *error)
{
    *facts = NULL;
    *count = 0;
    struct dev_instance instance;
    OWNED(lit_free) VkPhysicalDevice *devices = NULL;
    size_t found = 0;
    if (!create_instance(&instance, NULL, error) ||
        !list_devices(&instance, &devices, &found, error)) {
        destroy_instance(&instance);
        return false;
    }

    // A device with an invalid driver is listed, so that the others stay usable and keep their
    // indices.
    *facts = lit_alloc(found, sizeof **facts);
    *count = found;
    OWNED(lit_free) struct dev_features *features = lit_alloc(1, sizeof *features);
    for (size_t i = 0; i < found; i++) {
        struct lit_error problem = {0};
        if (!dev_facts_read(devices[i], instance.api, false, &(*facts)[i], features, &problem))
            text_sanitise((*facts)[i].problem, sizeof(*facts)[i].problem, problem.message);
    }
    destroy_instance(&instance);
    return true;
}

// --- An open device

#define MAX_FAMILIES 64

static enum dev_status pick_family(struct dev *dev, uint32_t *family, struct lit_error *error)
{
    VkQueueFamilyProperties families[MAX_FAMILIES] = {0};
    uint32_t count = MAX_FAMILIES;
    vkGetPhysicalDeviceQueueFamilyProperties(dev->physical, &count, families);
    for (uint32_t i = 0; i < count && i < MAX_FAMILIES; i++)
        if (families[i].queueCount && (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
            *family = i;
            dev->timestamp_bits = families[i].timestampValidBits;
            return DEV_OK;
        }
    return dev_refuse(error, "%s: no queue family can compute", dev->facts.name);
}

static enum dev_status make_device(struct dev *dev, uint32_t family,
                                   const struct dev_features *features, struct lit_error *error)
{
    VK(vkCreateDevice(dev->physical,
                      &(VkDeviceCreateInfo){
                          .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                          .pNext = &features->base,
                          .queueCreateInfoCount = 1,
                          .pQueueCreateInfos =
                              &(VkDeviceQueueCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                  .queueFamilyIndex = family,
                                  .queueCount = 1,
                                  .pQueuePriorities = &(float){1.0f},
                              },
                          .enabledExtensionCount = features->extension_count,
                          .ppEnabledExtensionNames = features->extensions,
                      },
                      NULL, &dev->device));
    volkLoadDevice(dev->device);
    if (features->addresses.bufferDeviceAddress)
        dev->address = features->core_addresses
                           ? vkGetBufferDeviceAddress
                           : (PFN_vkGetBufferDeviceAddress)vkGetBufferDeviceAddressKHR;
    return DEV_OK;
}

// Creates a command buffer with its own pool, which is reset with it, and its fence.
static enum dev_status make_buffer(struct dev *dev, uint32_t family, VkCommandPool *pool,
                                   VkCommandBuffer *commands, VkFence *fence,
                                   struct lit_error *error)
{
    VK(vkCreateCommandPool(dev->device,
                           &(VkCommandPoolCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                               .queueFamilyIndex = family,
                           },
                           NULL, pool));
    VK(vkAllocateCommandBuffers(dev->device,
                                &(VkCommandBufferAllocateInfo){
                                    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                    .commandPool = *pool,
                                    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                    .commandBufferCount = 1,
                                },
                                commands));
    VK(vkCreateFence(dev->device,
                     &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL,
                     fence));
    return DEV_OK;
}

// What runs need. Missing in drivers that can only compile (Mesa's RADV without hardware).
static enum dev_status make_commands(struct dev *dev, uint32_t family, struct lit_error *error)
{
    vkGetDeviceQueue(dev->device, family, 0, &dev->queue);
    if (!dev->queue)
        TRY(dev_refuse(error, "%s: vkGetDeviceQueue returned no queue", dev->facts.name));
    TRY(make_buffer(dev, family, &dev->pool, &dev->commands, &dev->fence, error));
    return make_buffer(dev, family, &dev->other_pool, &dev->other_commands, &dev->other_fence,
                       error);
}

static enum dev_status make(struct dev *dev, const struct dev_open_info *info,
                            const struct dev_features *features, struct lit_error *error)
{
    uint32_t family = 0;
    TRY(pick_family(dev, &family, error));
    TRY(make_device(dev, family, features, error));
    if (!info->compiles)
        TRY(make_commands(dev, family, error));
    if (!info->single && !strcmp(dev->facts.driver_name, "litmus simt"))
        dev->begin_run =
            (__typeof__(dev->begin_run))vkGetDeviceProcAddr(dev->device, "vkCmdBeginRunLITMUS");
    return DEV_OK;
}

static bool pick_device(struct dev *dev, size_t index, bool capture, struct dev_features *features,
                        struct lit_error *error)
{
    OWNED(lit_free) VkPhysicalDevice *devices = NULL;
    size_t count = 0;
    if (!list_devices(&dev->instance, &devices, &count, error))
        return false;
    if (index < count)
        dev->physical = devices[index];
    if (index >= count)
        return lit_fail(error, LIT_EXIT_USAGE, "there is no device %zu: the last is %zu", index,
                        count - 1);

    if (!dev_facts_read(dev->physical, dev->instance.api, capture, &dev->facts, features, error))
        return false;
    vkGetPhysicalDeviceMemoryProperties(dev->physical, &dev->memory);
    if (dev->memory.memoryTypeCount > VK_MAX_MEMORY_TYPES)
        return lit_fail(error, LIT_EXIT_USAGE, "the driver lists %u memory types",
                        dev->memory.memoryTypeCount);
    dev->executables = features->executables.pipelineExecutableInfo;
#ifdef VK_KHR_pipeline_binary
    dev->binaries = features->binaries.pipelineBinaries;
#endif
    dev->size_control = dev->facts.subgroup_control;
    dev->float_controls = features->float_controls;
    dev->full_subgroups = features->size_control.computeFullSubgroups;
    return true;
}

struct dev *dev_open(const struct dev_open_info *info, struct lit_error *error)
{
    struct dev *dev = lit_alloc(1, sizeof *dev);
    OWNED(lit_free) struct dev_features *features = lit_alloc(1, sizeof *features);
    bool open = create_instance(&dev->instance, info, error) &&
                pick_device(dev, info->index, info->capture, features, error) &&
                make(dev, info, features, error) == DEV_OK &&
                dev_layout_create(dev, dev_plain, DEV_CHECKER_BINDINGS, DEV_CHECKER_PUSH,
                                  &dev->checker_layout, error) == DEV_OK;
    if (!open)
        dev_close(&dev);
    return dev;
}

void dev_close(struct dev **closing)
{
    struct dev *dev = *closing;
    *closing = NULL;
    // A stuck device may still write to memory freed here, so the process must end instead.
    if (!dev || dev->stuck)
        return;
    if (dev->device) {
        dev_precompile_clear(dev);
        for (int check = 0; check < DEV_CHECKS; check++)
            for (int pass = 0; pass < DEV_PASSES; pass++)
                vkDestroyPipeline(dev->device, dev->checker[check][pass], NULL);
        dev_layout_destroy(dev, &dev->checker_layout);
        dev_buffer_destroy(dev, &dev->records);
        dev_buffers_free(dev);
        vkDestroyFence(dev->device, dev->fence, NULL);
        vkDestroyFence(dev->device, dev->other_fence, NULL);
        vkDestroyCommandPool(dev->device, dev->pool, NULL);
        vkDestroyCommandPool(dev->device, dev->other_pool, NULL);
        vkDestroyDevice(dev->device, NULL);
    }
    destroy_instance(&dev->instance);
    free(dev);
}

uint64_t dev_heap_bytes(const struct dev *dev)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < dev->memory.memoryHeapCount && i < VK_MAX_MEMORY_HEAPS; i++)
        if (dev->memory.memoryHeaps[i].size > most)
            most = dev->memory.memoryHeaps[i].size;
    return most;
}

uint64_t dev_most_words(const struct dev *dev)
{
    VkPhysicalDeviceMaintenance3Properties allocation = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &allocation,
    };
    vkGetPhysicalDeviceProperties2(dev->physical, &properties);
    uint64_t bytes = dev->facts.max_storage_buffer;
    if (allocation.maxMemoryAllocationSize && allocation.maxMemoryAllocationSize < bytes)
        bytes = allocation.maxMemoryAllocationSize;

    // Input, output and expectation, and as much again for everything else.
    const uint64_t heap = dev_heap_bytes(dev) / 4 / 6;
    return heap < bytes / 4 ? heap : bytes / 4;
}

const struct dev_facts *dev_facts(const struct dev *dev)
{
    return &dev->facts;
}
