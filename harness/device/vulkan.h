// SPDX-License-Identifier: Apache-2.0
// Shared by the files of this folder: checked calls, the instance, the open device, buffers and
// command buffers. Private to harness/device/.
#pragma once

#include "device/device.h"
#include "device/features.h"

// Both return the failing status from a function that has a `struct lit_error *error`.
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const enum dev_status of_call = (call);                                                    \
        if (of_call != DEV_OK)                                                                     \
            return of_call;                                                                        \
    } while (0)
#define VK(call) TRY(dev_check(call, #call, error))
// For functions with clean-up: both go to the label `error:`, with the status in the variable `enum
// dev_status status`.
#define TRY_END(call)                                                                              \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != DEV_OK)                                                                      \
            goto error;                                                                            \
    } while (0)
#define VK_END(call) TRY_END(dev_check(call, #call, error))

// Loads Vulkan's functions: VK_ERROR_INITIALIZATION_FAILED if there is no loader.
#ifdef _WIN32
VkResult dev_initialize(void);
#define DEV_LOADER "vulkan-1.dll"
#else
#define dev_initialize volkInitialize
#define DEV_LOADER     "libvulkan.so.1"
#endif

// Fills *error unless `result` is VK_SUCCESS; `call` is the text of the call.
enum dev_status dev_check(VkResult result, const char *call, struct lit_error *error);
// "VK_ERROR_DEVICE_LOST"; "VkResult -4242" for unknown numbers.
const char *dev_result_name(VkResult result, char text[32]);
// Fills *error and evaluates to DEV_ERROR.
#define dev_refuse(error, ...) (lit_fail(error, LIT_EXIT_USAGE, __VA_ARGS__), DEV_ERROR)

struct dev_instance {
    VkInstance handle;
    VkDebugUtilsMessengerEXT messenger;
    uint32_t api; // requested version: 1.1 to 1.3
    void (*message)(const char *text, void *user);
    void *user;
};

// --- emulated.c

// Whether the device is an emulated GPU (rdna/), in whose process we are. From then on such a
// device tells us what it does not emulate, instead of being lost.
bool dev_is_emulated(void);
// Whether it left out something since the last call: *error says what, with code LIT_EXIT_NOTHING.
bool dev_emulated_not(struct lit_error *error);

// --- facts.c

// Writes dev_facts.products of a device that has cooperative matrices (module.c).
void dev_list_products(VkPhysicalDevice physical, struct dev_facts *facts);

// Fills *facts and *features: features->base is then a chain of exactly the features to enable, so
// the structure must not be copied; `capture`: including those to report compiled code. False with
// an error if the driver's information is invalid; *facts then has the valid part, and zeros.
bool dev_facts_read(VkPhysicalDevice physical, uint32_t instance_api, bool capture,
                    struct dev_facts *facts, struct dev_features *features,
                    struct lit_error *error);

// --- The device

// The checker's passes: spirv/checker/fill.spvasm, and two builds of compare.spvasm.
enum dev_pass { DEV_FILL, DEV_COMPARE, DEV_SUMMARISE, DEV_PASSES };
#define DEV_CHECKS           CAT_DEVICE_CHECKS
#define DEV_CHECKER_BINDINGS 6
#define DEV_TEST_BINDINGS    3  // input, output, state: docs/test-format.md
#define DEV_PUSH_BYTES       32 // of a test
#define DEV_CHECKER_PUSH     48 // of the checker

// Push constants of a test and of a timed kernel.
struct dev_push {
    uint64_t input, output, state; // addresses; 0 without buffer device addresses
    uint32_t elements, seed;
};
_Static_assert(sizeof(struct dev_push) == DEV_PUSH_BYTES,
               "the push constants of docs/test-format.md");

struct dev_layout {
    VkDescriptorSetLayout sets[CAT_MOST_SETS];
    uint32_t set_count;
    VkPipelineLayout pipeline;
};

// Descriptors for a layout: one set for each of its sets, from their own pool.
struct dev_sets {
    VkDescriptorPool pool;
    VkDescriptorSet sets[CAT_MOST_SETS];
    uint32_t count;
};

// Storage buffers of set 0 at bindings 0 to DEV_CHECKER_BINDINGS - 1.
extern const struct cat_binding dev_plain[DEV_CHECKER_BINDINGS];

enum dev_place {
    DEV_ON_DEVICE, // device-local where possible
    DEV_FOR_HOST,  // mapped, coherent, cached where possible
};

struct dev_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    uint64_t words;
    uint64_t offset;         // bytes before the words
    uint32_t *mapped;        // DEV_FOR_HOST only
    VkDeviceAddress address; // of the words; 0 without buffer device addresses
    enum dev_place place;
    uint64_t size; // total bytes, if it is to be kept; else 0
};

#define DEV_KEPT 32 // limit on unused buffers

struct dev {
    struct dev_instance instance;
    struct dev_facts facts;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t timestamp_bits; // valid bits of the queue's timestamps; 0: none
    VkCommandPool pool, other_pool;
    VkCommandBuffer commands, other_commands; // dev_change
    VkFence fence, other_fence;
    const void *other_of; // owner of the other buffer's commands; NULL: none
    bool size_control, full_subgroups, float_controls;
    bool executables, binaries;           // dev_compile can query them
    PFN_vkGetBufferDeviceAddress address; // NULL without buffer device addresses
    // The reference driver's command (simt/icd/icd.h) that makes its random choices depend on the
    // run that a dispatch belongs to. NULL for all other drivers.
    void(VKAPI_PTR *begin_run)(VkCommandBuffer commands, uint64_t run);
    struct dev_precompile *precompile; // NULL: nothing precompiled
    bool stuck;                        // a submission timed out: nothing may be destroyed any more
    struct dev_buffer records;         // of the checker in use: checking.c
    struct dev_buffer kept[DEV_KEPT];  // most recently used first
    size_t kept_count;
    struct dev_layout checker_layout;
    VkPipeline checker[DEV_CHECKS][DEV_PASSES]; // made on first use
};

// Size of the largest heap.
uint64_t dev_heap_bytes(const struct dev *dev);

// Time limit for transfers that prepare a configuration.
#define DEV_UPLOAD_TIMEOUT_MS 60000

// A storage buffer of at least one word, uninitialised. Destroying a buffer that was never created
// is fine. Destroyed buffers are kept for reuse at the same size: a driver may take longer to
// allocate and free memory than the device takes for a hundred runs.
enum dev_status dev_buffer_create(struct dev *dev, enum dev_place place, uint64_t words,
                                  struct dev_buffer *buffer, struct lit_error *error);
// The same after an offset in bytes: a multiple of 256, which satisfies every device's alignment.
enum dev_status dev_buffer_create_at(struct dev *dev, enum dev_place place, uint64_t words,
                                     uint64_t offset, struct dev_buffer *buffer,
                                     struct lit_error *error);
void dev_buffer_destroy(struct dev *dev, struct dev_buffer *buffer);
// Frees the kept buffers.
void dev_buffers_free(struct dev *dev);
// Copies `count` words to the start of a buffer, and waits for completion.
enum dev_status dev_upload(struct dev *dev, const struct dev_buffer *buffer, const uint32_t *words,
                           uint64_t count, struct lit_error *error);

// Descriptors for a layout of these bindings: one of `buffers` each, which an array divides. A pool
// that was never created may be destroyed.
enum dev_status dev_describe(struct dev *dev, const struct dev_layout *layout,
                             const struct cat_binding *bindings, size_t count,
                             const struct dev_buffer *const *buffers, struct dev_sets *sets,
                             struct lit_error *error);
// Set layouts for `count` bindings, at most CAT_MOST_BINDINGS in CAT_MOST_SETS sets, and a pipeline
// layout with them and this many bytes of push constants.
enum dev_status dev_layout_create(struct dev *dev, const struct cat_binding *bindings, size_t count,
                                  uint32_t push_bytes, struct dev_layout *layout,
                                  struct lit_error *error);
void dev_layout_destroy(struct dev *dev, struct dev_layout *layout); // also if incomplete

static inline const struct cat_interface *dev_interface(const struct dev_compile_info *info)
{
    return info->interface ? info->interface : &cat_usual_interface;
}

// The input of the pipeline of part `part` (struct cat_step); 0: the first dispatch's.
struct dev_compile_info dev_part(const struct dev_compile_info *code, size_t part);

struct dev_pipeline_info {
    struct dev_compile_info code; // subgroup: full subgroups of this size, if possible
    VkPipelineLayout layout;
    bool sliced;       // dispatched by vkCmdDispatchBase
    const char *owner; // the configuration it is for; NULL: none
    // For dev_compile: what the driver should keep, a cache to fill, and flags that replace those
    // of VkComputePipelineCreateInfo. Unset for anything measured.
    VkPipelineCreateFlags capture;
    VkPipelineCache cache;
    const void *flags2; // a VkPipelineCreateFlags2CreateInfoKHR
};

// Compiles a compute pipeline, without a cache unless `info` has one; or takes an identical
// precompiled one (device.h, dev_precompile_begin).
enum dev_status dev_pipeline(struct dev *dev, const struct dev_pipeline_info *info,
                             VkPipeline *pipeline, struct lit_error *error);

// The pipeline of one of the harness's own kernels (model/kernel.h), with specialization constants.
enum dev_status dev_kernel(struct dev *dev, const char *name, const uint32_t *ids,
                           const uint32_t *values, size_t count, VkPipelineLayout layout,
                           VkPipeline *pipeline, struct lit_error *error);

// Resets and begins the command buffer.
enum dev_status dev_begin(struct dev *dev, struct lit_error *error);
// Assigns the commands that follow to a run: the reference driver's random choices for them depend
// on this number only. Ignored by other drivers.
void dev_begin_run(struct dev *dev, uint64_t run);
// All earlier commands happen before all later ones.
void dev_barrier(struct dev *dev);
// Copy and fill words of buffers, from a word offset in each; nothing if the count is 0.
void dev_copy(struct dev *dev, const struct dev_buffer *from, uint64_t first,
              const struct dev_buffer *to, uint64_t at, uint64_t words);
void dev_fill(struct dev *dev, const struct dev_buffer *buffer, uint64_t first, uint64_t words,
              uint32_t value);
// Binds a pipeline, its descriptors (none if never created) and push constants for the dispatches
// that follow.
void dev_bind(struct dev *dev, VkPipeline pipeline, VkPipelineLayout layout,
              const struct dev_sets *sets, const void *push, uint32_t bytes);
// Switches to the other command buffer and its fence: it can be recorded while this one executes,
// and submitted behind it. The queue executes them in order, since each ends with a barrier.
void dev_change(struct dev *dev);
// Ends the commands; submits them; waits. DEV_TIMEOUT marks the device as stuck.
enum dev_status dev_end(struct dev *dev, struct lit_error *error);
enum dev_status dev_start(struct dev *dev, struct lit_error *error);
enum dev_status dev_finish(struct dev *dev, uint32_t timeout_ms, struct lit_error *error);
// All three.
enum dev_status dev_submit(struct dev *dev, uint32_t timeout_ms, struct lit_error *error);

// --- The device's clock: timestamps within a submission. Private to harness/device/.

struct dev_clock {
    double tick;   // nanoseconds; 0: the device has no usable clock
    uint64_t mask; // valid bits of a timestamp
    uint32_t count, used;
    VkQueryPool queries;
};

// A clock for `count` marks. Without timestamps it stays empty and records nothing.
enum dev_status dev_clock_create(struct dev *dev, uint32_t count, struct dev_clock *clock,
                                 struct lit_error *error);
void dev_clock_destroy(struct dev *dev, struct dev_clock *clock); // also if empty

// Record the beginning of a submission, and a mark at which all earlier commands are complete.
// dev_clock_mark returns the mark's number, from 0.
void dev_clock_begin(struct dev *dev, struct dev_clock *clock);
uint32_t dev_clock_mark(struct dev *dev, struct dev_clock *clock);

// After the submission: each mark's nanoseconds since the first, as many as were recorded.
enum dev_status dev_clock_read(struct dev *dev, const struct dev_clock *clock, double *ns,
                               struct lit_error *error);

// Waits for all precompiling threads, and destroys the pipelines that were not taken. Call before
// closing the device.
void dev_precompile_clear(struct dev *dev);
