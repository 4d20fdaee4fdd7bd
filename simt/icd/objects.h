// SPDX-License-Identifier: Apache-2.0
// Shared by the files for memory, descriptors, commands and the queue.
#pragma once

#include "icd/icd.h"

// icd/memory.c, icd/buffer.c. A VkDeviceMemory's object lives until the memory is freed and all
// buffers bound to it are gone. `lock` guards `buffers` and their `there`.
struct icd_memory {
    atomic_uint references;
    unsigned char *bytes;
    uint64_t size;
    bool pages;           // from mmap
    unsigned char *start; // pointer to free if not `pages`
    pthread_mutex_t lock;
    struct icd_buffer *buffers; // bound and not destroyed
};

struct icd_buffer {
    uint64_t size;
    uint32_t region; // in device->regions after binding; 0 before
    bool there;      // the region has not been removed
    struct icd_memory *memory;
    struct icd_buffer *next, **link; // in memory->buffers
};
void icd_memory_release(struct icd_memory *memory);
// Of buffers and images.
VkResult icd_buffer_bind(struct icd_device *device, struct icd_buffer *buffer,
                         struct icd_memory *memory, uint64_t offset, bool image);
void icd_buffer_destroy(struct icd_device *device, struct icd_buffer *buffer);
void icd_fill_requirements(uint64_t size, VkMemoryRequirements2 *requirements);

// icd/image.c. An image is a buffer of texels of 4 bytes: level by level, in it layer by layer,
// plane by plane, row by row.
struct icd_image {
    struct icd_buffer buffer;
    VkExtent3D extent; // of level 0
    uint32_t levels, layers;
};

// A layer of a level: its extent, and in bytes where it begins and how far rows, planes and layers
// are apart. Level `levels` begins at the image's end. A VkImageView is a struct icd_descriptor.
struct icd_part {
    VkExtent3D extent;
    uint64_t offset, row, plane, layer;
};
struct icd_part icd_image_part(const struct icd_image *image, uint32_t level, uint32_t layer);

// icd/descriptor.c, icd/update.c
struct icd_set {
    struct icd_set_layout *layout; // a reference
    struct icd_pool *pool;         // NULL: pushed, and constant once recorded
    struct icd_set *next, **link;  // in pool->sets
    uint32_t variable;             // length of the last binding
    unsigned char *inline_bytes;
    struct icd_descriptor descriptor[];
};

// Takes an atomic snapshot of everything a dispatch reads, although another thread may write to it.
void icd_set_lock(struct icd_set *set);
void icd_set_unlock(struct icd_set *set);
bool icd_is_dynamic(VkDescriptorType type);
bool icd_is_inline(VkDescriptorType type);
uint32_t icd_set_count(const struct icd_set *set, uint32_t index); // descriptors of binding[index]
// The size in bytes of a set of that layout with its last binding at full length; and such a set,
// empty, in zeroed memory of that size. Does not add a reference.
size_t icd_set_size(const struct icd_set_layout *layout);
void icd_set_init(struct icd_set *set, struct icd_set_layout *layout);
// Copies what is written in `from`, which must have the same bindings.
void icd_set_copy(struct icd_set *to, const struct icd_set *from);
void icd_set_write(struct icd_set *set, const VkWriteDescriptorSet *write);
void icd_set_write_template(struct icd_set *set, VkDescriptorUpdateTemplate handle,
                            const void *data);
// The number of dynamic offsets for bindings before binding[index].
uint32_t icd_dynamic_before(const struct icd_set_layout *layout, uint32_t index);

// icd/sync.c: the queue's lock guards all of this state.
struct icd_fence {
    bool signaled;
};

struct icd_semaphore {
    bool timeline;
    uint64_t value; // binary: 0 or 1
};

struct icd_event {
    bool set;
};

// Waits at most `timeout` nanoseconds until `ready` is true: VK_SUCCESS, VK_TIMEOUT, or
// VK_ERROR_DEVICE_LOST. `ready` is called with the queue's lock held.
typedef bool icd_ready(const void *user);
VkResult icd_wait(struct icd_device *device, icd_ready *ready, const void *user, uint64_t timeout);

// icd/query.c: guarded by the queue's lock.
struct icd_query {
    bool available;
    uint64_t value;
};

struct icd_query_pool {
    uint32_t count;
    struct icd_query query[];
};
size_t icd_query_size(VkQueryResultFlags flags); // bytes of one result
// Writes one result; unavailable values are left unchanged.
void icd_query_store(const struct icd_query *query, VkQueryResultFlags flags, unsigned char *to);

// Recorded commands. They and everything they point to are in the command buffer's arena, except
// objects that Vulkan requires to outlive them. Buffers are identified by region number, so that a
// destroyed one is detected.
struct bound_set {
    struct icd_set *set;     // NULL: none
    const uint32_t *dynamic; // offsets in bytes, by binding and element
    uint32_t dynamic_count;
};

enum command_kind {
    COMMAND_BEGIN_RUN,
    COMMAND_DISPATCH,
    COMMAND_COPY,
    COMMAND_FILL,
    COMMAND_UPDATE,
    COMMAND_SET_EVENT,
    COMMAND_WAIT_EVENTS,
    COMMAND_TIMESTAMP,
    COMMAND_END_QUERY,
    COMMAND_RESET_QUERIES,
    COMMAND_COPY_QUERIES,
    COMMAND_EXECUTE,
    COMMAND_GRAPHICS,
    COMMAND_COUNT,
};

struct command {
    struct command *next;
    enum command_kind kind;
    union {
        uint64_t run;         // COMMAND_BEGIN_RUN
        const char *graphics; // COMMAND_GRAPHICS: the command's name
        struct {
            const struct icd_pipeline *pipeline;
            const struct bound_set *sets; // [ICD_SETS_MAX]
            const unsigned char *push;    // [ICD_PUSH_MAX]
            uint32_t base[3], groups[3];
            bool is_indirect;
            uint32_t indirect; // region with the group counts
            uint64_t indirect_offset;
        } dispatch;
        struct {
            uint32_t from, to; // regions
            const VkBufferCopy *pieces;
            uint32_t count;
        } copy;
        struct {
            uint32_t to;
            uint64_t offset, size; // size may be VK_WHOLE_SIZE
            uint32_t value;
        } fill;
        struct {
            uint32_t to;
            uint64_t offset, size;
            const unsigned char *bytes;
        } update;
        struct {
            struct icd_event *event;
            bool set; // or reset
        } event;
        struct {
            struct icd_event *const *events;
            uint32_t count;
        } wait;
        struct {
            struct icd_query_pool *pool;
            uint32_t first, count;
            uint32_t to; // COMMAND_COPY_QUERIES
            uint64_t offset, stride;
            VkQueryResultFlags flags;
        } query;
        struct {
            struct icd_command_buffer *const *buffers;
            uint32_t count;
        } execute;
    };
};

// icd/command.c
struct icd_command_buffer {
    VK_LOADER_DATA loader;
    struct icd_device *device;
    struct icd_command_pool *pool;
    struct icd_command_buffer *next, **link; // in pool->buffers
    bool secondary;
    VkResult error; // first error while recording, returned by vkEndCommandBuffer
    struct arena *arena;
    struct command *first, **last;
    struct kept_layout *layouts; // references held until the buffer is reset
    // Currently bound.
    struct icd_pipeline *pipeline;
    struct bound_set set[ICD_SETS_MAX];
    unsigned char push[ICD_PUSH_MAX];
    const struct bound_set *recorded_sets; // snapshots of `set` and `push`; NULL: changed since
    const unsigned char *recorded_push;
};

struct kept_layout {
    struct kept_layout *next;
    struct icd_set_layout *layout;
};

// Zeroed memory that lives until the command buffer is reset, aligned for any type. NULL if out of
// memory, which becomes the command buffer's error.
void *icd_record_bytes(struct icd_command_buffer *buffer, size_t size);

// icd/execute.c, on the queue's thread. False: the device was lost or is being destroyed.
struct executor {
    struct icd_device *device;
    struct region *local; // of the current dispatch; owned
    uint32_t local_capacity;
    bool nothing; // dispatches are not executed
    // Of the command buffer: vkCmdBeginRunLITMUS.
    bool in_run;
    uint64_t run, run_dispatches; // dispatches since then
};
bool icd_execute(struct executor *executor, const struct icd_command_buffer *buffer);
void icd_executor_free(struct executor *executor);

// icd/queue.c
struct icd_queue {
    VK_LOADER_DATA loader;
    struct icd_device *device;
    pthread_t thread;
    pthread_mutex_t lock;   // guards everything below and the objects of icd/sync.c, icd/query.c
    pthread_cond_t changed; // any of that
    struct submission *first, **last; // not yet taken by the thread
    uint64_t submitted, completed;    // counters
    bool stop;
    struct executor executor; // used only by the thread
};
void icd_lose_device(struct icd_device *device);
// Reports a line through icd_say.
__attribute__((format(__printf__, 3, 4))) void
icd_report(struct icd_device *device, enum icd_severity severity, const char *format, ...);
