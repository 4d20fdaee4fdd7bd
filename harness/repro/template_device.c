// SPDX-License-Identifier: Apache-2.0
// ---- Vulkan

#include "device/features.h"

static struct tally tally;

// A device that is lost or does not come back is a failure like another; the driver is not asked to
// clean up.
static void check(VkResult result, const char *call)
{
    if (result == VK_SUCCESS)
        return;
    printf("%s: VkResult %d%s\n", call, (int)result,
           result == VK_ERROR_DEVICE_LOST ? ", the device was lost"
           : result == VK_TIMEOUT         ? ", the device did not come back"
                                          : "");
    const bool seen = result == VK_ERROR_DEVICE_LOST || result == VK_TIMEOUT;
    if (seen && tally.runs)
        print_tally(&tally);
    fflush(stdout);
    _Exit(seen ? EXIT_SEEN : EXIT_CANNOT);
}
#define VK(call) check(call, #call)

static void *allocate(uint64_t count, uint64_t size)
{
    void *memory = calloc((size_t)count, (size_t)size);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(EXIT_CANNOT);
    }
    return memory;
}

// Reads a file of 32-bit words; *count of them, or, if that is 0, as many as there are.
static uint32_t *read_words(const char *path, uint64_t *count)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size < 0 || size % 4 || (*count && (uint64_t)size != *count * 4)) {
        fprintf(stderr, "%s is missing or invalid\n", path);
        exit(EXIT_CANNOT);
    }
    *count = (uint64_t)size / 4;
    uint32_t *words = allocate(*count + 1, 4);
    rewind(file);
    if (fread(words, 4, (size_t)*count, file) != *count) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(EXIT_CANNOT);
    }
    fclose(file);
    return words;
}

// What is expected of all units; the file has it of one if it is the same of all.
static uint32_t *read_expected(void)
{
    uint64_t count = EXPECTED_WORDS;
    uint32_t *words = read_words("expected.bin", &count);
    uint32_t *all = allocate(OUTPUT_WORDS * STRIDE, 4);
    for (uint64_t i = 0; i < OUTPUT_WORDS * STRIDE; i++)
        all[i] = words[i % count];
    free(words);
    return all;
}

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool command_pool;
static VkCommandBuffer commands;
static VkFence fence;
static VkPhysicalDeviceMemoryProperties memory_types;
static VkPhysicalDeviceLimits limits;
static PFN_vkGetBufferDeviceAddress get_address; // NULL without buffer device addresses
static uint32_t instance_api;                    // the version that the loader speaks

static struct dev_features has; // enabled: what the tests of litmus can need, and nothing else
static VkPhysicalDeviceSubgroupProperties subgroup;
static VkPhysicalDeviceSubgroupSizeControlProperties sizes;

static void make_instance(void)
{
    VK(vkEnumerateInstanceVersion(&instance_api));
    if (instance_api > VK_API_VERSION_1_3)
        instance_api = VK_API_VERSION_1_3;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "litmus",
                                           .apiVersion = instance_api};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    const VkResult result = vkCreateInstance(&info, NULL, &instance);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        fprintf(stderr, "no Vulkan driver was found\n");
        exit(EXIT_CANNOT);
    }
    check(result, "vkCreateInstance");
}

// Fills *features with those to enable of a device that speaks this version.
static void read_features(VkPhysicalDevice of, uint32_t version, struct dev_features *features)
{
    uint32_t count = 0;
    VK(vkEnumerateDeviceExtensionProperties(of, NULL, &count, NULL));
    VkExtensionProperties *offered = allocate(count + 1, sizeof *offered);
    VK(vkEnumerateDeviceExtensionProperties(of, NULL, &count, offered));
    dev_features_choose(of, version < instance_api ? version : instance_api, false, offered, count,
                        features);
    free(offered);
}

// A device of the loader's list, and how much of the measured one it is.
struct candidate {
    VkPhysicalDeviceProperties properties;
    char device_uuid[33], driver_uuid[33];
    char driver_info[VK_MAX_DRIVER_INFO_SIZE];
    enum { ANOTHER, ANOTHER_DRIVER, SAME_DRIVER, MEASURED } match;
};

static void write_uuid(char text[33], const uint8_t uuid[VK_UUID_SIZE])
{
    for (size_t i = 0; i < VK_UUID_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", uuid[i]);
}

// A driver's own words, without what a terminal would obey.
static void make_printable(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

static struct candidate identify(VkPhysicalDevice of)
{
    struct candidate c = {.match = ANOTHER};
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceIDProperties ids = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids};
    static struct dev_features features;
    vkGetPhysicalDeviceProperties(of, &c.properties);
    read_features(of, c.properties.apiVersion, &features);
    if (features.driver_properties)
        ids.pNext = &driver;
    vkGetPhysicalDeviceProperties2(of, &properties);
    write_uuid(c.device_uuid, ids.deviceUUID);
    write_uuid(c.driver_uuid, ids.driverUUID);
    memcpy(c.driver_info, driver.driverInfo, sizeof c.driver_info);
    make_printable(c.driver_info, sizeof c.driver_info);
    make_printable(c.properties.deviceName, sizeof c.properties.deviceName);
    if (c.properties.vendorID == VENDOR && c.properties.deviceID == DEVICE)
        c.match = strcmp(c.driver_uuid, DRIVER_UUID) || strcmp(c.driver_info, DRIVER_INFO)
                      ? ANOTHER_DRIVER
                  : strcmp(c.device_uuid, DEVICE_UUID) ? SAME_DRIVER
                                                       : MEASURED;
    return c;
}

static void print_candidate(const char *before, uint32_t number, const struct candidate *c)
{
    printf("%s%" PRIu32 ": %s, driver %s, driver UUID %s, driver version 0x%" PRIx32 "%s\n", before,
           number, c->properties.deviceName, c->driver_info[0] ? c->driver_info : "?",
           c->driver_uuid, c->properties.driverVersion,
           c->match >= SAME_DRIVER ? ", the measured driver" : "");
}

// The device that is most like the measured one; ends the program where several are.
static uint32_t find_measured(const struct candidate *all, uint32_t count)
{
    uint32_t best = 0, equals = 0;
    for (uint32_t i = 1; i < count; i++)
        best = all[i].match > all[best].match ? i : best;
    for (uint32_t i = 0; i < count; i++)
        equals += all[i].match == all[best].match;
    if (all[best].match < SAME_DRIVER)
        printf(
            "THIS IS NOT THE MEASURED DRIVER, which was %s, driver UUID %s, device 0x%04x:0x%04x\n",
            DRIVER_INFO, DRIVER_UUID, VENDOR, DEVICE);
    if (equals == 1)
        return best;
    printf("CANNOT TELL which of these devices is meant; name one with -d:\n");
    for (uint32_t i = 0; i < count; i++)
        if (all[i].match == all[best].match)
            print_candidate("  ", i + 1, &all[i]);
    exit(EXIT_CANNOT);
}

// Takes the device with number `wanted` from 1; 0: the measured one. With `list` only says which
// there are.
static void pick_device(uint64_t wanted, bool list)
{
    VkPhysicalDevice devices[64];
    uint32_t count = COUNT(devices);
    const VkResult result = vkEnumeratePhysicalDevices(instance, &count, devices);
    if (result != VK_INCOMPLETE)
        check(result, "vkEnumeratePhysicalDevices");
    struct candidate *all = allocate(count + 1, sizeof *all);
    for (uint32_t i = 0; i < count; i++) {
        all[i] = identify(devices[i]);
        if (list)
            print_candidate("", i + 1, &all[i]);
    }
    if (list)
        exit(EXIT_NOT_SEEN);
    if (wanted > count || !count) {
        fprintf(stderr, "there is no device %" PRIu64 ": there are %" PRIu32 "\n", wanted, count);
        exit(count ? EXIT_USAGE : EXIT_CANNOT);
    }
    const uint32_t at = wanted ? (uint32_t)wanted - 1 : find_measured(all, count);
    physical = devices[at];
    limits = all[at].properties.limits;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory_types);
    read_features(physical, all[at].properties.apiVersion, &has);
    print_candidate("device ", at + 1, &all[at]);
    free(all);
}

static void read_sizes(void)
{
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &subgroup};
    sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
    subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    subgroup.pNext = has.size_properties ? &sizes : NULL;
    vkGetPhysicalDeviceProperties2(physical, &properties);
}

static bool can_choose_size(void)
{
    return has.size_control.subgroupSizeControl &&
           (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
}

static bool fits(uint64_t needed, const char *what, uint64_t most, const char *limit)
{
    if (needed > most)
        printf("the device cannot run %" PRIu64 " %s: %s is %" PRIu64 "\n", needed, what, limit,
               most);
    return needed <= most;
}

// Says what the device lacks of what the test needs.
static void check_needs(void)
{
    const uint64_t lacks = NEEDS & ~dev_features_bits(&has, &subgroup);
    const uint32_t usual = subgroup.subgroupSize, least = sizes.minSubgroupSize;
    const uint32_t most = sizes.maxSubgroupSize, size = SUBGROUP_SIZE;
    bool can = !lacks;
    for (size_t i = 0; i < COUNT(needs); i++)
        if (lacks >> needs[i].bit & 1)
            printf("the device lacks %s%s\n", needs[i].name,
                   strncmp(needs[i].name, "VK_", 3) ? "" : ", or the headers of this build do");
    if (size && size != usual && (!can_choose_size() || size < least || size > most)) {
        printf("the device lacks subgroups of %" PRIu32 "\n", size);
        can = false;
    }
    const uint64_t buffers[] = {INPUT_WORDS, OUTPUT_WORDS, STATE_WORDS};
    for (size_t i = 0; i < COUNT(buffers); i++)
        can &= fits(buffers[i] * 4, "bytes in a buffer", limits.maxStorageBufferRange,
                    "maxStorageBufferRange");
    for (uint32_t part = 0; part < PARTS; part++) {
        uint32_t bound = 0;
        for (size_t i = 0; i < COUNT(bindings); i++)
            bound += bindings[i].part == part && !bindings[i].uniform;
        can &= fits(bound, "storage buffers", limits.maxPerStageDescriptorStorageBuffers,
                    "maxPerStageDescriptorStorageBuffers");
    }
    for (size_t i = 0; i < COUNT(steps); i++)
        can &= fits(steps[i].groups[0], "workgroups", limits.maxComputeWorkGroupCount[0],
                    "maxComputeWorkGroupCount");
    can &= fits(WORKGROUP_SIZE, "invocations in a workgroup", limits.maxComputeWorkGroupInvocations,
                "maxComputeWorkGroupInvocations");
    can &= fits(WORKGROUP_SIZE, "invocations in a workgroup", limits.maxComputeWorkGroupSize[0],
                "maxComputeWorkGroupSize");
    if (size && can_choose_size())
        can &= fits(WORKGROUP_SIZE / (size ? size : 1), "subgroups in a workgroup",
                    sizes.maxComputeWorkgroupSubgroups, "maxComputeWorkgroupSubgroups");
    if (!can)
        exit(EXIT_CANNOT);
}

static void make_device(void)
{
    read_sizes();
    check_needs();
    VkQueueFamilyProperties families[64];
    uint32_t count = COUNT(families), family = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        family++;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                .queueFamilyIndex = family,
                                                .queueCount = 1,
                                                .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                            .pNext = &has.base,
                                            .queueCreateInfoCount = 1,
                                            .pQueueCreateInfos = &queue_info,
                                            .enabledExtensionCount = has.extension_count,
                                            .ppEnabledExtensionNames = has.extensions};
    VK(vkCreateDevice(physical, &device_info, NULL, &device));
    vkGetDeviceQueue(device, family, 0, &queue);
    if (has.addresses.bufferDeviceAddress)
        get_address = (PFN_vkGetBufferDeviceAddress)vkGetDeviceProcAddr(
            device,
            has.core_addresses ? "vkGetBufferDeviceAddress" : "vkGetBufferDeviceAddressKHR");

    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = family};
    VK(vkCreateCommandPool(device, &pool_info, NULL, &command_pool));
    const VkCommandBufferAllocateInfo commands_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = command_pool,
        .commandBufferCount = 1};
    VK(vkAllocateCommandBuffers(device, &commands_info, &commands));
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VK(vkCreateFence(device, &fence_info, NULL, &fence));
}

struct buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    uint64_t words;
    uint32_t *mapped;        // of a buffer for the host
    VkDeviceAddress address; // 0 without buffer device addresses
};

static uint32_t find_memory(uint32_t types, VkMemoryPropertyFlags best, VkMemoryPropertyFlags least)
{
    for (uint32_t i = 0; i < memory_types.memoryTypeCount; i++)
        if ((types >> i & 1) && (memory_types.memoryTypes[i].propertyFlags & best) == best)
            return i;
    return best == least ? 0 : find_memory(types, least, least);
}

static struct buffer make_buffer(uint64_t words, bool for_host)
{
    struct buffer buffer = {.words = words ? words : 1};
    const bool addressed = get_address && !for_host;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = buffer.words * 4,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 (addressed ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u)};
    VK(vkCreateBuffer(device, &info, NULL, &buffer.handle));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(device, buffer.handle, &need);
    const VkMemoryPropertyFlags coherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = addressed ? &flags : NULL,
        .allocationSize = need.size,
        .memoryTypeIndex =
            for_host ? find_memory(need.memoryTypeBits,
                                   coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, coherent)
                     : find_memory(need.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0)};
    VK(vkAllocateMemory(device, &allocation, NULL, &buffer.memory));
    VK(vkBindBufferMemory(device, buffer.handle, buffer.memory, 0));
    if (for_host)
        VK(vkMapMemory(device, buffer.memory, 0, VK_WHOLE_SIZE, 0, (void **)&buffer.mapped));
    if (addressed)
        buffer.address = get_address(
            device,
            &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                         .buffer = buffer.handle});
    return buffer;
}

static void begin(void)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VK(vkResetCommandPool(device, command_pool, 0));
    VK(vkBeginCommandBuffer(commands, &info));
}

// Whatever was recorded before happens before whatever follows.
static void barrier(void)
{
    const VkPipelineStageFlags work =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkMemoryBarrier all = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                         VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, work, work | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, NULL, 0,
                         NULL);
}

static void submit(void)
{
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands};
    VK(vkEndCommandBuffer(commands));
    VK(vkResetFences(device, 1, &fence));
    VK(vkQueueSubmit(queue, 1, &info, fence));
    VK(vkWaitForFences(device, 1, &fence, VK_TRUE, TIMEOUT));
}

#include "template_test.c"
