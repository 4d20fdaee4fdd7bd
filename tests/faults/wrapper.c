// SPDX-License-Identifier: Apache-2.0
// A Vulkan driver that misbehaves: it hands every call on to a real driver but for the few that the
// fault named in LITMUS_FAULT changes. The real driver is that of the manifest LITMUS_FAULT_DRIVER,
// or the system's lavapipe. tests/faults/README.md lists the faults.
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>
#include <vulkan/vk_icd.h>

#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef _WIN32
#include <windows.h>
#define EXPORT __declspec(dllexport)
#else
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/mman.h>
#include <sys/resource.h>
#define EXPORT __attribute__((visibility("default")))
#endif
#define ANY UINT32_MAX // NAME-on=any: every test's pipeline, none of the checker's

// The real driver

static PFN_vkVoidFunction (*real_lookup)(VkInstance, const char *);
static PFN_vkNegotiateLoaderICDInterfaceVersion real_negotiate;
static VkInstance instance;

#define NEXT(name) ((PFN_##name)real_lookup(instance, #name))

static _Noreturn void die(const char *what, const char *which)
{
    fprintf(stderr, "fault driver: %s: %s\n", what, which);
    abort();
}

// The library that a manifest names, relative to the manifest unless it is absolute.
static void find_library(const char *manifest, char *path, size_t size)
{
    char text[4096];
    FILE *file = fopen(manifest, "re");
    if (!file)
        die("cannot read", manifest);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *key = strstr(text, "\"library_path\"");
    const char *colon = key ? strchr(key, ':') : NULL;
    const char *start = colon ? strchr(colon, '"') : NULL;
    if (!start)
        die("no manifest", manifest);
    const int length = (int)strcspn(start + 1, "\"");
    int folder = (int)strlen(manifest);
    while (folder > 0 && !strchr("/\\", manifest[--folder]))
        continue;
    // As the loader has it: absolute, or a bare name to be searched for, or relative to the
    // manifest.
    char library[1024];
    snprintf(library, sizeof library, "%.*s", length, start + 1);
    if (strchr("/\\", library[0]) || !strpbrk(library, "/\\") || strchr(library, ':'))
        snprintf(path, size, "%s", library);
    else
        snprintf(path, size, "%.*s/%s", folder, manifest, library);
#ifdef _WIN32
    // Escaped as in JSON, or of Unix.
    char *to = path;
    for (const char *from = path; (*to = *from == '/' ? '\\' : *from); to++)
        from += from[0] == '\\' && from[1] == '\\' ? 2 : 1;
#endif
}

#ifdef _WIN32
static DWORD first_thread;

static void load_real_driver(void)
{
    const char *manifest = getenv("LITMUS_FAULT_DRIVER");
    char path[PATH_MAX];
    if (!manifest)
        die("which driver?", "set LITMUS_FAULT_DRIVER to a manifest");
    find_library(manifest, path, sizeof path);
    const HMODULE library = LoadLibraryExA(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (!library)
        die("cannot load", path);
    first_thread = GetCurrentThreadId();
    real_lookup = (__typeof__(real_lookup))(void (*)(void))GetProcAddress(
        library, "vk_icdGetInstanceProcAddr");
    real_negotiate = (__typeof__(real_negotiate))(void (*)(void))GetProcAddress(
        library, "vk_icdNegotiateLoaderICDInterfaceVersion");
    if (!real_lookup || !real_negotiate)
        die("no driver", path);
}

static void set_no_memory(void)
{
    die("not on Windows", "no-memory-on");
}

static bool in_first_thread(void)
{
    return GetCurrentThreadId() == first_thread;
}

static _Atomic uint64_t *open_clock(void)
{
    return NULL;
}
#else
static void load_real_driver(void)
{
    const char *manifest = getenv("LITMUS_FAULT_DRIVER");
    char path[PATH_MAX];
    glob_t found = {0};
    if (!manifest && glob("/usr/share/vulkan/icd.d/lvp_icd*.json", 0, NULL, &found) == 0)
        manifest = found.gl_pathv[0];
    if (!manifest)
        die("which driver?", "set LITMUS_FAULT_DRIVER to a manifest");
    find_library(manifest, path, sizeof path);
    globfree(&found);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        die("cannot load", dlerror());
    *(void **)&real_lookup = dlsym(library, "vk_icdGetInstanceProcAddr");
    *(void **)&real_negotiate = dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
    if (!real_lookup || !real_negotiate)
        die("no driver", path);
}

static void set_no_memory(void)
{
    setrlimit(RLIMIT_AS, &(struct rlimit){0});
}

static bool in_first_thread(void)
{
    return gettid() == getpid();
}

static _Atomic uint64_t *open_clock(void)
{
    const char *path = getenv("LITMUS_CLOCK");
    const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (path && file < 0)
        die("cannot open", path);
    return path ? mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : NULL;
}
#endif

// The faults

// Whether LITMUS_FAULT, a list with commas, names a fault; *value is what stands behind its `=`.
static bool has_fault(const char *name, uint32_t *value)
{
    const char *list = getenv("LITMUS_FAULT");
    const size_t length = strlen(name);
    for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, name, length) != 0 || !strchr(",=", at[length]))
            continue;
        const bool any = strncmp(at + length, "=any", 4) == 0;
        *value = any ? ANY : at[length] == '=' ? (uint32_t)strtoul(at + length + 1, NULL, 0) : 0;
        return true;
    }
    return false;
}

static bool is_on(const char *name)
{
    uint32_t ignored;
    return has_fault(name, &ignored);
}

static _Noreturn void crash(void)
{
    // Sanitizers would tell it, and end the process by another signal.
    if (getenv("ASAN_OPTIONS"))
        signal(SIGSEGV, SIG_DFL);
    *(volatile int *)getenv("LITMUS_NOT_SET") = 0;
    abort();
}

static _Atomic uint64_t *passed; // ns, of the clock that a test sets; NULL: there is none

// On that clock, without waiting; or by waiting.
static void spend(uint64_t nanoseconds)
{
    if (passed)
        atomic_fetch_add(passed, nanoseconds);
    else
        nanosleep(&(struct timespec){(time_t)(nanoseconds / 1000000000u),
                                     (long)(nanoseconds % 1000000000u)},
                  NULL);
}

static void jump(int number)
{
    uint32_t seconds;
    (void)number;
    if (passed && has_fault("jump", &seconds))
        spend(seconds * UINT64_C(1000000000));
}

// The clock jumps again while nobody ends the process: whatever was heard of it came before.
static _Noreturn void hang(bool deaf)
{
    if (deaf)
        signal(SIGTERM, passed ? jump : SIG_IGN);
    for (;; nanosleep(&(struct timespec){.tv_sec = 1}, NULL))
        jump(0);
}

static bool is_held(void)
{
    const char *path = getenv("LITMUS_FAULT_RELEASE");
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return !path || access(path, F_OK) != 0;
}

// Pipelines of tests are told by specialization constant 0, their workgroup size; the checker's
// have constant 1 alone, their mode. Handles are kept with that size, 0 when it is not known.

#define KNOWN 256

static struct pipeline {
    VkPipeline pipeline;
    uint32_t workgroup;
    uint32_t checker; // of the checker's: its mode, counted from 1
} known[KNOWN];

static uint32_t workgroup_of(const VkSpecializationInfo *special)
{
    uint32_t value = 0;
    for (uint32_t i = 0; special && i < special->mapEntryCount; i++)
        if (special->pMapEntries[i].constantID == 0)
            memcpy(&value, (const char *)special->pData + special->pMapEntries[i].offset, 4);
    return value;
}

// Pipelines are made by several threads.
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t checker_of(const VkSpecializationInfo *special)
{
    uint32_t mode;
    if (!special || special->mapEntryCount != 1 || special->pMapEntries[0].constantID != 1)
        return 0;
    memcpy(&mode, (const char *)special->pData + special->pMapEntries[0].offset, 4);
    return mode + 1;
}

static struct pipeline look_up(VkPipeline pipeline)
{
    struct pipeline found = {0};
    pthread_mutex_lock(&known_lock);
    for (uint32_t i = 0; i < KNOWN; i++)
        if (known[i].pipeline == pipeline)
            found = known[i];
    pthread_mutex_unlock(&known_lock);
    return found;
}

static void know(VkPipeline pipeline, const VkSpecializationInfo *special)
{
    static uint32_t next;
    uint32_t at = 0;
    pthread_mutex_lock(&known_lock);
    while (at < KNOWN && known[at].pipeline != pipeline)
        at++;
    if (at == KNOWN)
        at = next++ % KNOWN;
    known[at].pipeline = pipeline;
    known[at].workgroup = workgroup_of(special);
    known[at].checker = checker_of(special);
    pthread_mutex_unlock(&known_lock);
}

// Whether fault `name` concerns pipelines of this workgroup size.
static bool hits(const char *name, uint32_t workgroup)
{
    uint32_t value;
    return workgroup && has_fault(name, &value) && (value == workgroup || value == ANY);
}

// The program records one command buffer at a time, so what is being recorded needs no table.
static struct {
    uint32_t bound;   // workgroup size of the bound pipeline
    uint32_t checker; // the bound pipeline's
    VkBuffer output;
    VkDeviceSize offset; // of its words in the buffer
} recording;

// But one may be recorded while another executes: the workgroup size of the last test's pipeline
// that was bound in each.
static struct touched {
    VkCommandBuffer commands;
    uint32_t workgroup;
} touched[8];

// And one submitted behind another: the same of what a fence waits for, 0 where `after` spares it.
static struct {
    VkFence fence;
    uint32_t workgroup;
} awaited[4];

static uint32_t *touched_by(VkCommandBuffer commands)
{
    size_t i = 0;
    while (i + 1 < sizeof touched / sizeof *touched && touched[i].commands &&
           touched[i].commands != commands)
        i++;
    if (touched[i].commands != commands)
        touched[i] = (struct touched){.commands = commands};
    return &touched[i].workgroup;
}

// What the program does, a letter each, in the order in which it does it. A capital if another
// thread than the process's first one does it.
static void note(char letter)
{
    FILE *journal = is_on("journal") ? fopen(getenv("LITMUS_FAULT_JOURNAL"), "ae") : NULL;
    if (!journal)
        return;
    fputc(in_first_thread() ? letter : toupper(letter), journal);
    fclose(journal);
}

static struct {
    VkDescriptorSet set;
    VkBuffer output;     // binding 1
    VkDeviceSize offset; // of it
} sets[256];

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device,
                                                 const VkAllocationCallbacks *allocator)
{
    if (is_on("destroy-crash"))
        crash();
    if (is_on("destroy-hang"))
        hang(false);
    NEXT(vkDestroyDevice)(device, allocator);
}

// Instance and physical device

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *made)
{
    if (is_on("create-instance-crash"))
        crash();
    if (is_on("create-instance-hang"))
        hang(false);
    instance = VK_NULL_HANDLE;
    if (is_on("create-instance-memory"))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult result = NEXT(vkCreateInstance)(info, allocator, made);
    if (result == VK_SUCCESS)
        instance = *made;
    return result;
}

static void spoil_properties(VkPhysicalDeviceProperties *properties)
{
    static const char escapes[] =
        "\033[2J\033]0;owned\007 Evil\r\nGPU <b>&amp; | `x` \xff\xfe \xe2\x80\xae";
    if (is_on("nonsense")) {
        memset(properties->deviceName, 'A', sizeof properties->deviceName); // not terminated
        memset(&properties->limits, 0xff, sizeof properties->limits);
        properties->deviceType = (VkPhysicalDeviceType)4242;
    }
    if (is_on("nvidia-cache")) {
        properties->vendorID = 0x10de;
        properties->deviceID = 0x2335;
    }
    if (is_on("few-allocations"))
        properties->limits.maxMemoryAllocationCount = 1;
    if (is_on("nonsense") || is_on("odd-name"))
        memcpy(properties->deviceName, escapes, sizeof escapes - 1);
    if (is_on("odd-name"))
        properties->deviceName[sizeof escapes - 1] = '\0';
    if (is_on("command-name"))
        strcpy(properties->deviceName, "::error::GPU");
}

static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device,
                                                 VkPhysicalDeviceProperties *properties)
{
    NEXT(vkGetPhysicalDeviceProperties)(device, properties);
    spoil_properties(properties);
}

static VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice device,
                                                  VkPhysicalDeviceProperties2 *properties)
{
    uint32_t size = 77;
    NEXT(vkGetPhysicalDeviceProperties2)(device, properties);
    spoil_properties(&properties->properties);
    for (VkBaseOutStructure *next = properties->pNext; next; next = next->pNext)
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            if (is_on("nonsense") || has_fault("subgroup-size", &size))
                ((VkPhysicalDeviceSubgroupProperties *)(void *)next)->subgroupSize = size;
        } else if (next->sType ==
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES) {
            VkPhysicalDeviceSubgroupSizeControlProperties *sizes = (void *)next;
            if (has_fault("max-subgroups", &size))
                sizes->maxComputeWorkgroupSubgroups = size;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            VkPhysicalDeviceDriverProperties *driver = (void *)next;
            if (is_on("nonsense"))
                memset(driver->driverName, '\033', sizeof driver->driverName);
            if (is_on("other-version"))
                snprintf(driver->driverInfo, sizeof driver->driverInfo, "Mesa 99.9.9");
        }
}

static VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice device,
                                             VkPhysicalDeviceMemoryProperties *memory)
{
    NEXT(vkGetPhysicalDeviceMemoryProperties)(device, memory);
    if (is_on("huge-counts"))
        memory->memoryTypeCount = memory->memoryHeapCount = UINT32_MAX;
}

static VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice device, uint32_t *count,
                                               VkQueueFamilyProperties *families)
{
    uint32_t bits;
    NEXT(vkGetPhysicalDeviceQueueFamilyProperties)(device, count, families);
    for (uint32_t i = 0; families && has_fault("timestamp-bits", &bits) && i < *count; i++)
        families[i].timestampValidBits = bits;
    if (is_on("huge-counts"))
        *count = UINT32_MAX;
    if (is_on("no-queue"))
        *count = 0;
}

// Device

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device,
                                                      const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkDeviceMemory *memory)
{
    uint32_t most;
    if (has_fault("out-of-memory", &most) && info->allocationSize > most)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return NEXT(vkAllocateMemory)(device, info, allocator, memory);
}

#define LATE 2
static atomic_uint submissions; // of tests
static atomic_uint again;       // pipelines that refuse-again-on concerns

static atomic_uint others; // pipelines of tests that late-crash-on does not concern

// Amid the runs of another test, if there is one.
static _Noreturn void crash_late(void)
{
    for (int i = 0; i < 3000 && atomic_load(&submissions) < LATE; i++) {
        if (i >= 100 && !atomic_load(&others))
            break;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    crash();
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache,
                                                       uint32_t count,
                                                       const VkComputePipelineCreateInfo *infos,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkPipeline *pipelines)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t workgroup = workgroup_of(infos[i].stage.pSpecializationInfo);
        if (workgroup)
            note('p');
        if (hits("crash-on", workgroup))
            crash();
        if (hits("late-crash-on", workgroup))
            crash_late();
        atomic_fetch_add(&others, workgroup != 0);
        if (hits("hang-compiling-on", workgroup))
            hang(false);
        if (hits("no-memory-on", workgroup))
            set_no_memory();
        uint32_t code;
        if (workgroup && has_fault("exit", &code))
            _exit((int)code);
        if (hits("refuse-on", workgroup) ||
            (hits("refuse-again-on", workgroup) && atomic_fetch_add(&again, 1) > 0))
            return VK_ERROR_UNKNOWN;
    }
    const VkResult result =
        NEXT(vkCreateComputePipelines)(device, cache, count, infos, allocator, pipelines);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++)
        know(pipelines[i], infos[i].stage.pSpecializationInfo);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL update_sets(VkDevice device, uint32_t count,
                                              const VkWriteDescriptorSet *writes, uint32_t copies,
                                              const VkCopyDescriptorSet *copy)
{
    static uint32_t next;
    NEXT(vkUpdateDescriptorSets)(device, count, writes, copies, copy);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < writes[i].descriptorCount; j++)
            if (writes[i].dstBinding + j == 1 && writes[i].pBufferInfo) {
                sets[next % 256].set = writes[i].dstSet;
                sets[next % 256].offset = writes[i].pBufferInfo[j].offset;
                sets[next++ % 256].output = writes[i].pBufferInfo[j].buffer;
            }
}

// What the driver keeps of a pipeline. A cache of somebody else's: the file LITMUS_FAULT_CACHE.
static VKAPI_ATTR VkResult VKAPI_CALL get_cache(VkDevice device, VkPipelineCache cache,
                                                size_t *size, void *data)
{
    static char bytes[1 << 16];
    FILE *file = is_on("nvidia-cache") ? fopen(getenv("LITMUS_FAULT_CACHE"), "re") : NULL;
    if (is_on("cache-lies")) {
        // It says 40 bytes, and writes more.
        if (data)
            memset(data, 'x', 48);
        *size = data ? 48 : 40;
        return VK_SUCCESS;
    }
    if (!file)
        return NEXT(vkGetPipelineCacheData)(device, cache, size, data);
    const size_t there = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (data)
        memcpy(data, bytes, *size < there ? *size : there);
    *size = data && *size < there ? *size : there;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_representations(VkDevice device, const VkPipelineExecutableInfoKHR *info, uint32_t *count,
                    VkPipelineExecutableInternalRepresentationKHR *list)
{
    const VkResult result =
        NEXT(vkGetPipelineExecutableInternalRepresentationsKHR)(device, info, count, list);
    for (uint32_t i = 0; list && i < *count && is_on("representation-lies"); i++)
        if (list[i].pData)
            list[i].dataSize += 1000;
    return result;
}

// Commands

static VKAPI_ATTR VkResult VKAPI_CALL begin(VkCommandBuffer commands,
                                            const VkCommandBufferBeginInfo *info)
{
    memset(&recording, 0, sizeof recording);
    *touched_by(commands) = 0;
    note('r');
    return NEXT(vkBeginCommandBuffer)(commands, info);
}

static VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                VkPipeline pipeline)
{
    const struct pipeline found = look_up(pipeline);
    recording.bound = found.workgroup;
    recording.checker = found.checker;
    if (recording.bound)
        *touched_by(commands) = recording.bound;
    NEXT(vkCmdBindPipeline)(commands, point, pipeline);
}

static VKAPI_ATTR void VKAPI_CALL bind_sets(VkCommandBuffer commands, VkPipelineBindPoint point,
                                            VkPipelineLayout layout, uint32_t first, uint32_t count,
                                            const VkDescriptorSet *bound, uint32_t offset_count,
                                            const uint32_t *offsets)
{
    NEXT(vkCmdBindDescriptorSets)
    (commands, point, layout, first, count, bound, offset_count, offsets);
    for (uint32_t i = 0; i < 256 && count; i++)
        if (sets[i].set == bound[0]) {
            recording.output = sets[i].output;
            recording.offset = sets[i].offset;
        }
}

// Overwrites word 5 of the output, once the test has written it.
static void overwrite(VkCommandBuffer commands)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT};
    NEXT(vkCmdPipelineBarrier)
    (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
     &barrier, 0, NULL, 0, NULL);
    NEXT(vkCmdFillBuffer)(commands, recording.output, recording.offset + 5 * 4, 4, 0xBAD0BAD0);
    NEXT(vkCmdPipelineBarrier)
    (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
     &barrier, 0, NULL, 0, NULL);
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y,
                                           uint32_t z)
{
    static atomic_uint tests;
    uint32_t mode, spared = 0, every = 1;
    has_fault("after", &spared);
    has_fault("every", &every);
    if (hits("drop-on", recording.bound) ||
        (has_fault("idle-checker", &mode) && mode + 1 == recording.checker &&
         atomic_load(&submissions) >= spared))
        return;
    NEXT(vkCmdDispatch)(commands, x, y, z);
    if (hits("spoil-on", recording.bound) && recording.output &&
        (atomic_fetch_add(&tests, 1) + 1) % every == 0)
        overwrite(commands);
}

static uint32_t *awaited_by(VkFence fence)
{
    size_t i = 0;
    while (i + 1 < sizeof awaited / sizeof *awaited && awaited[i].fence &&
           awaited[i].fence != fence)
        i++;
    awaited[i].fence = fence;
    return &awaited[i].workgroup;
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count,
                                             const VkSubmitInfo *infos, VkFence fence)
{
    uint32_t slow, spared;
    uint32_t submitted =
        count && infos->commandBufferCount ? *touched_by(infos->pCommandBuffers[0]) : 0;
    note('s');
    if (has_fault("slow", &slow) && submitted)
        spend(slow * UINT64_C(1000000));
    if (atomic_fetch_add(&submissions, submitted != 0) < (has_fault("after", &spared) ? spared : 0))
        submitted = 0;
    *awaited_by(fence) = submitted;
    if (hits("hang-on", submitted) || hits("hang-deaf-on", submitted))
        hang(hits("hang-deaf-on", submitted));
    while (hits("hold-on", submitted) && is_held())
        continue;
    if (is_on("lost-always") || hits("lost-on", submitted))
        return VK_ERROR_DEVICE_LOST;
    if (hits("crash-running-on", submitted))
        crash();
    // The fence comes, the work does not.
    if (is_on("executes-nothing"))
        return NEXT(vkQueueSubmit)(queue, 0, NULL, fence);
    return NEXT(vkQueueSubmit)(queue, count, infos, fence);
}

// A fence that never comes, though the driver keeps answering.
static VKAPI_ATTR VkResult VKAPI_CALL wait_fences(VkDevice device, uint32_t count,
                                                  const VkFence *fences, VkBool32 all,
                                                  uint64_t nanoseconds)
{
    const uint32_t submitted = *awaited_by(fences[0]);
    note('w');
    if (hits("hold-fence-on", submitted) && is_held())
        return VK_TIMEOUT;
    if (hits("timeout-on", submitted)) {
        spend(nanoseconds);
        return VK_TIMEOUT;
    }
    return NEXT(vkWaitForFences)(device, count, fences, all, nanoseconds);
}

// One device of several does not say what it can.
static VKAPI_ATTR VkResult VKAPI_CALL list_extensions(VkPhysicalDevice device, const char *layer,
                                                      uint32_t *count,
                                                      VkExtensionProperties *properties)
{
    VkPhysicalDevice all[16];
    uint32_t odd, found = 16;
    if (has_fault("no-extensions", &odd) &&
        NEXT(vkEnumeratePhysicalDevices)(instance, &found, all) >= 0 && odd < found &&
        all[odd] == device) {
        *count = 0; // the loader believes it all the same
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return NEXT(vkEnumerateDeviceExtensionProperties)(device, layer, count, properties);
}

#ifdef VK_KHR_cooperative_matrix
static VKAPI_ATTR VkResult VKAPI_CALL get_products(VkPhysicalDevice device, uint32_t *count,
                                                   VkCooperativeMatrixPropertiesKHR *products)
{
    if (!is_on("no-products"))
        return NEXT(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)(device, count, products);
    *count = 0;
    return VK_SUCCESS;
}
#endif

// The loader's interface

static PFN_vkVoidFunction VKAPI_CALL device_lookup(VkDevice device, const char *name);

static PFN_vkVoidFunction overridden(const char *name)
{
#define OVERRIDE(name, function)                                                                   \
    {                                                                                              \
#name, (PFN_vkVoidFunction)(PFN_##name)(function)                                          \
    }
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } all[] = {OVERRIDE(vkAllocateMemory, allocate_memory),
               OVERRIDE(vkBeginCommandBuffer, begin),
               OVERRIDE(vkCmdBindDescriptorSets, bind_sets),
               OVERRIDE(vkCmdBindPipeline, bind_pipeline),
               OVERRIDE(vkCmdDispatch, dispatch),
               OVERRIDE(vkCreateComputePipelines, create_pipelines),
               OVERRIDE(vkCreateInstance, create_instance),
               OVERRIDE(vkDestroyDevice, destroy_device),
               OVERRIDE(vkEnumerateDeviceExtensionProperties, list_extensions),
               OVERRIDE(vkGetDeviceProcAddr, device_lookup),
#ifdef VK_KHR_cooperative_matrix
               OVERRIDE(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR, get_products),
#endif
               OVERRIDE(vkGetPhysicalDeviceMemoryProperties, get_memory),
               OVERRIDE(vkGetPhysicalDeviceProperties, get_properties),
               OVERRIDE(vkGetPhysicalDeviceProperties2, get_properties2),
               OVERRIDE(vkGetPhysicalDeviceQueueFamilyProperties, get_families),
               OVERRIDE(vkGetPipelineCacheData, get_cache),
               OVERRIDE(vkGetPipelineExecutableInternalRepresentationsKHR, get_representations),
               OVERRIDE(vkQueueSubmit, submit),
               OVERRIDE(vkUpdateDescriptorSets, update_sets),
               OVERRIDE(vkWaitForFences, wait_fences)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0)
            return all[i].function;
    return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL device_lookup(VkDevice device, const char *name)
{
    const PFN_vkVoidFunction mine = overridden(name);
    return mine ? mine : NEXT(vkGetDeviceProcAddr)(device, name);
}

EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance which, const char *name);
EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance which,
                                                                     const char *name);
EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);

PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance which, const char *name)
{
    const PFN_vkVoidFunction mine = overridden(name);
    return mine ? mine : real_lookup(which, name);
}

// By it the loader finds the functions of extensions that are newer than itself.
PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance which, const char *name)
{
    const PFN_vk_icdGetInstanceProcAddr real =
        (PFN_vk_icdGetInstanceProcAddr)real_lookup(NULL, "vk_icdGetPhysicalDeviceProcAddr");
    const PFN_vkVoidFunction theirs = real ? real(which, name) : NULL;
    const PFN_vkVoidFunction mine = theirs ? overridden(name) : NULL;
    return mine ? mine : theirs;
}

VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    passed = open_clock();
    load_real_driver();
    return real_negotiate(version);
}
