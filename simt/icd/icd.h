// SPDX-License-Identifier: Apache-2.0
// The Vulkan driver's objects, and declarations shared by its files. Only icd/ knows Vulkan;
// shaders execute behind schedule/machine.h.
#pragma once

#include "memory/regions.h"
#include "program/program.h"
#include "schedule/machine.h"
#include "settings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

// As Vulkan's registry has them: headers of Vulkan 1.4.309 lack them.
#ifndef VK_KHR_shader_bfloat16
#define VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME                          "VK_KHR_shader_bfloat16"
#define VK_KHR_SHADER_BFLOAT16_SPEC_VERSION                            1
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR ((VkStructureType)1000141000)
#define VK_COMPONENT_TYPE_BFLOAT16_KHR                                 ((VkComponentTypeKHR)1000141000)
typedef struct VkPhysicalDeviceShaderBfloat16FeaturesKHR {
    VkStructureType sType;
    void *pNext;
    VkBool32 shaderBFloat16Type, shaderBFloat16DotProduct, shaderBFloat16CooperativeMatrix;
} VkPhysicalDeviceShaderBfloat16FeaturesKHR;
#endif

#ifndef VK_EXT_shader_float8
#define VK_EXT_SHADER_FLOAT8_EXTENSION_NAME                          "VK_EXT_shader_float8"
#define VK_EXT_SHADER_FLOAT8_SPEC_VERSION                            1
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT ((VkStructureType)1000567000)
#define VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT                            ((VkComponentTypeKHR)1000491002)
#define VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT                            ((VkComponentTypeKHR)1000491003)
typedef struct VkPhysicalDeviceShaderFloat8FeaturesEXT {
    VkStructureType sType;
    void *pNext;
    VkBool32 shaderFloat8, shaderFloat8CooperativeMatrix;
} VkPhysicalDeviceShaderFloat8FeaturesEXT;
#endif

// Prototypes of all commands: icd_CreateBuffer has the type of vkCreateBuffer.
#define GLOBAL(name)   VKAPI_ATTR __typeof__(vk##name) icd_##name;
#define INSTANCE(name) VKAPI_ATTR __typeof__(vk##name) icd_##name;
#define DEVICE(name)   VKAPI_ATTR __typeof__(vk##name) icd_##name;
#define GRAPHICS(name) VKAPI_ATTR void VKAPI_CALL icd_##name(VkCommandBuffer commands);
// The driver's own command, available through vkGetDeviceProcAddr: random choices for the following
// dispatches in the command buffer depend on `run` and their number within it, no longer on how
// many the device executed before.
VKAPI_ATTR void VKAPI_CALL vkCmdBeginRunLITMUS(VkCommandBuffer commands, uint64_t run);
#include "icd/commands.h"
#undef GLOBAL
#undef INSTANCE
#undef DEVICE
#undef GRAPHICS

#define ICD_API_VERSION      VK_MAKE_API_VERSION(0, 1, 3, 0)
#define ICD_PUSH_MAX         256 // bytes
#define ICD_SETS_MAX         8
#define ICD_WORKGROUP_MAX    1024  // invocations
#define ICD_SHARED_MAX       65536 // bytes
#define ICD_QUEUES           1
#define ICD_BUFFER_ALIGNMENT 16   // bytes
#define ICD_INLINE_BLOCK_MAX 4096 // bytes

// Dispatchable objects begin with the loader's dispatch table pointer.
struct icd_physical {
    VK_LOADER_DATA loader;
    struct icd_instance *instance;
    struct settings settings; // at instance creation; with its own seed
};

struct icd_instance {
    VK_LOADER_DATA loader;
    struct icd_physical physicals[SETTINGS_DEVICES];
    uint32_t physical_count;
    struct icd_messenger *messengers; // list, under `lock`
    pthread_mutex_t lock;
};

// Reports a line to the instance's debug messengers and to stderr ("simt: ..."). Replaces control
// characters. Thread-safe.
enum icd_severity { ICD_INFO, ICD_WARNING, ICD_ERROR };
void icd_say(struct icd_instance *instance, enum icd_severity severity, const char *line);

struct icd_queue; // icd/queue.c

struct icd_device {
    VK_LOADER_DATA loader;
    struct icd_physical *physical;
    struct regions *regions;
    struct machine *machine;
    bool robust;      // robustBufferAccess is enabled
    bool executables; // pipelineExecutableInfo is enabled
    struct icd_queue *queue;
    atomic_bool lost;                 // every later call returns VK_ERROR_DEVICE_LOST if it can
    bool stop;                        // read by machine_dispatch
    atomic_uint_fast64_t allocations; // for FAULT_MEMORY
    atomic_uint_fast64_t submits;     // for faults at a submit
    struct icd_slot *slots;           // icd/private.c; under `lock`
    pthread_mutex_t lock;
};

// icd/queue.c. One thread executes submissions in order. NULL if it cannot be created. Freeing it
// stops execution.
struct icd_queue *icd_queue_create(struct icd_device *device, const VkDeviceQueueCreateInfo *info);
void icd_queue_free(struct icd_queue *queue);
VkQueue icd_queue_handle(struct icd_queue *queue);
VkResult icd_queue_wait_idle(struct icd_queue *queue);

// Objects used by several files. The handle of a non-dispatchable object is its address.
struct icd_module {
    size_t count; // words
    uint32_t words[];
};

struct icd_binding {
    VkDescriptorType type;
    uint32_t binding, count; // descriptors; inline uniform blocks: bytes
    uint32_t first;          // index of its first descriptor in a set
};

struct icd_set_layout {
    atomic_uint references; // by pipeline layouts and sets
    bool push;              // for vkCmdPushDescriptorSetKHR
    uint32_t binding_count, descriptor_count, inline_bytes;
    VkDescriptorBindingFlags variable; // binding flags of the last binding
    struct icd_binding binding[];      // ascending
};

struct icd_pipeline_layout {
    atomic_uint references; // by pipelines
    uint32_t push_size;     // bytes: the end of the push constant ranges
    uint32_t set_count;
    struct icd_set_layout *set[ICD_SETS_MAX];
};

struct icd_pipeline {
    struct program *program; // owned
    struct icd_pipeline_layout *layout;
    char name[64]; // of the entry point
};
void icd_set_layout_release(struct icd_set_layout *layout);           // icd/descriptor.c
void icd_pipeline_layout_release(struct icd_pipeline_layout *layout); // icd/pipeline.c

// The target of a descriptor at the time of a dispatch.
struct icd_descriptor {
    uint32_t region; // in device->regions; 0: not written; stale once the buffer is destroyed
    uint64_t offset, range;            // bytes; range may be VK_WHOLE_SIZE
    const unsigned char *inline_bytes; // an inline uniform block's `range` bytes
    uint16_t extent[3];                // of an image; otherwise 0
};

// Limits of storage, uniform and push data needed by both properties.c and pipeline.c are the
// macros above.

#define ICD_HANDLE(type, object) ((type)(uintptr_t)(object))
#define ICD_OBJECT(type, handle) ((struct type *)(uintptr_t)(handle))

// Walks a pNext chain.
const void *icd_find(const void *next, VkStructureType type);

// Vulkan's two-call idiom: returns how many of `have` elements to write to `out`; sets `*count`,
// and `*result` to VK_INCOMPLETE if not all fit. Without `out` only sets the count.
uint32_t icd_room(uint32_t have, const void *out, uint32_t *count, VkResult *result);

// icd/private.c. Drops the private data of an object being destroyed, because its address may be
// reused.
void icd_private_forget(struct icd_device *device, uint64_t handle);

// icd/entry.c. The loader's way to everything else; not in commands.h.
VKAPI_ATTR __typeof__(vkGetInstanceProcAddr) icd_GetInstanceProcAddr;
VKAPI_ATTR __typeof__(vkGetDeviceProcAddr) icd_GetDeviceProcAddr;
