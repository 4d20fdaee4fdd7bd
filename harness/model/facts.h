// SPDX-License-Identifier: Apache-2.0
// Facts about a device, and the features that a module can need: plain data.
#pragma once

#include "base/error.h"
#include "model/check.h"

#include <stddef.h>

// Stores keep these as bit numbers: add new ones at the end.
enum cat_feature {
    CAT_FEATURE_BASIC,
    CAT_FEATURE_VOTE,
    CAT_FEATURE_ARITHMETIC,
    CAT_FEATURE_BALLOT,
    CAT_FEATURE_SHUFFLE,
    CAT_FEATURE_SHUFFLE_RELATIVE,
    CAT_FEATURE_CLUSTERED,
    CAT_FEATURE_QUAD,
    CAT_FEATURE_ROTATE,
    CAT_FEATURE_INT8,
    CAT_FEATURE_INT16,
    CAT_FEATURE_INT64,
    CAT_FEATURE_FLOAT16,
    CAT_FEATURE_FLOAT64,
    CAT_FEATURE_INT64_ATOMICS,
    CAT_FEATURE_ADDRESSES,
    CAT_FEATURE_MEMORY_MODEL,
    CAT_FEATURE_MEMORY_MODEL_DEVICE,
    CAT_FEATURE_SUBGROUP_UNIFORM,
    CAT_FEATURE_MAXIMAL,
    CAT_FEATURE_CLOCK,
    CAT_FEATURE_EXTENDED_TYPES,
    CAT_FEATURE_ROTATE_CLUSTERED,
    CAT_FEATURE_PARTITIONED,
    CAT_FEATURE_FULL_SUBGROUPS,
    CAT_FEATURE_SHARED_INT64_ATOMICS,
    CAT_FEATURE_MEMORY_MODEL_CHAINS,
    CAT_FEATURE_FLOAT32_ADD,
    CAT_FEATURE_SHARED_FLOAT32_ADD,
    CAT_FEATURE_FLOAT64_ADD,
    CAT_FEATURE_SHARED_FLOAT64_ADD,
    CAT_FEATURE_QUAD_CONTROL,
    CAT_FEATURE_ZERO_INITIALIZE,
    CAT_FEATURE_BROADCAST_DYNAMIC,
    CAT_FEATURE_COOPERATIVE_MATRIX,      // dev_module_fits looks at shapes and types
    CAT_FEATURE_DESCRIPTORS,             // arrays of storage buffers, a uniform index
    CAT_FEATURE_DESCRIPTORS_NON_UNIFORM, // any index
    CAT_FEATURE_OLD_BALLOT,              // the extensions before Vulkan 1.1 replaced them
    CAT_FEATURE_OLD_VOTE,
    CAT_FEATURE_STORAGE16, // in storage buffers
    CAT_FEATURE_UNIFORM16, // and in uniform buffers
    CAT_FEATURE_PUSH16,
    CAT_FEATURE_STORAGE8,
    CAT_FEATURE_UNIFORM8,
    CAT_FEATURE_PUSH8,
    CAT_FEATURE_VARIABLE_POINTERS_STORAGE,
    CAT_FEATURE_VARIABLE_POINTERS,
    CAT_FEATURE_DOT_PRODUCT,
    CAT_FEATURE_EXPECT_ASSUME,
    CAT_FEATURE_FLOAT_CONTROLS, // dev_module_fits looks at widths
    CAT_FEATURE_DESCRIPTORS_RUNTIME,
    CAT_FEATURE_DESCRIPTORS_UNIFORM, // arrays of uniform buffers, a uniform index
    CAT_FEATURE_DESCRIPTORS_UNIFORM_NON_UNIFORM,
    CAT_FEATURE_BFLOAT16,
    CAT_FEATURE_BFLOAT16_MATRIX,
    CAT_FEATURE_MATRIX_PRODUCTS, // dev_facts.products has some
    CAT_FEATURE_FLOAT8,
    CAT_FEATURE_FLOAT8_MATRIX,
    CAT_FEATURE_COUNT,
};

// The name users know: "VK_KHR_shader_maximal_reconvergence", "shaderInt64".
const char *cat_feature_name(enum cat_feature feature);
// Finds a feature by that name; false if there is none.
bool cat_feature_find(const char *name, enum cat_feature *feature);

// Finds the features that a module needs, as bits 1 << enum cat_feature. False with an error that
// names the capability if we cannot execute one, or if the words are not a SPIR-V module.
bool cat_module_features(const uint32_t *words, size_t count, uint64_t *features,
                         struct lit_error *error);

// Whether a test's dispatch may be split: analyses the module itself.
//
// False if a module could notice: it reads NumWorkgroups, which differs in a slice; or its
// workgroups may wait for one another, so that one could wait for a workgroup in a slice that the
// device begins only after the waiting one has ended. To wait, a module needs a loop and, inside
// it, something visible to others: an atomic operation with a scope wider than the workgroup (or a
// non-constant one), or an access or variable that is Volatile or Coherent. Conservative: counts
// loops that do not wait, too. False for words that are not a SPIR-V module.
bool cat_module_is_divisible(const uint32_t *words, size_t count);

// Types of devices (struct dev_facts.type), in the order of VkPhysicalDeviceType.
#define DEV_TYPES 5
extern const char *const dev_types[DEV_TYPES];

// Facts about a device, plain data that travels between processes and into reports. Strings come
// from the driver and are sanitised.
struct dev_facts {
    char name[256];
    char driver_name[256], driver_info[256];
    char problem[160];       // what is invalid in these facts, so that no test can run; or ""
    char driver_version[64]; // as the vendor writes it, from driverInfo or decoded
    uint8_t device_uuid[16], driver_uuid[16];
    uint32_t driver_id; // VkDriverId
    uint32_t vendor, product;
    uint32_t api;        // VkPhysicalDeviceProperties.apiVersion
    uint32_t driver_raw; // VkPhysicalDeviceProperties.driverVersion
    char loader[32];     // instance version of the Vulkan loader, "1.3.239"; "" if unknown
    bool cpu;            // VK_PHYSICAL_DEVICE_TYPE_CPU
    char type[32];       // "discrete", "integrated", "virtual", "cpu", "other"
    uint32_t subgroup, subgroup_min, subgroup_max; // invocations
    bool subgroup_control;                         // compute pipelines can request a size
    uint32_t max_workgroup;                        // invocations, the minimum of size x and total
    uint32_t max_workgroups;                       // workgroups in x
    uint32_t max_subgroups;      // in a workgroup with a requested subgroup size; 0: no such limit
    uint32_t max_shared;         // bytes
    uint64_t max_storage_buffer; // bytes
    uint64_t features;           // 1 << enum cat_feature
    // The products of cooperative matrices that it lists, of a subgroup and not saturating, with
    // the numbers of left, right and sum, and M x N x K: "f16.f16.f32.16x16x16 u8.s8.s32.16x8x32".
    // As many as fit; not kept in stores.
    char products[2048];
};

// AT(TYPE, MEMBER) for everything that a store keeps, in column order: rows of struct field.
#define DEV_FACTS(AT)                                                                              \
    AT(CHARS, name)                                                                                \
    AT(CHARS, driver_name)                                                                         \
    AT(CHARS, driver_info)                                                                         \
    AT(CHARS, driver_version)                                                                      \
    AT(UUID, device_uuid)                                                                          \
    AT(UUID, driver_uuid)                                                                          \
    AT(NUMBER, driver_id)                                                                          \
    AT(NUMBER, vendor)                                                                             \
    AT(NUMBER, product)                                                                            \
    AT(NUMBER, api)                                                                                \
    AT(NUMBER, driver_raw)                                                                         \
    AT(BOOL, cpu)                                                                                  \
    AT(CHARS, type)                                                                                \
    AT(NUMBER, subgroup)                                                                           \
    AT(NUMBER, subgroup_min)                                                                       \
    AT(NUMBER, subgroup_max)                                                                       \
    AT(BOOL, subgroup_control)                                                                     \
    AT(NUMBER, max_workgroup)                                                                      \
    AT(NUMBER, max_workgroups)                                                                     \
    AT(NUMBER, max_shared)                                                                         \
    AT(NUMBER, max_storage_buffer)                                                                 \
    AT(HEX, features)                                                                              \
    AT(CHARS, loader)

// An identity across drivers and boots: from device UUID, driver UUID, driver id, name, driver info
// and driver version.
#define DEV_ID_SIZE 33 // 32 hexadecimal digits
void dev_facts_id(const struct dev_facts *facts, char id[DEV_ID_SIZE]);
// Whether two devices are of one kind: the same product under the same driver, on any card.
bool dev_facts_alike(const struct dev_facts *a, const struct dev_facts *b);

// Names facts that no device has: "type", "subgroup", "features"; NULL if there are none. If a
// driver's own sizes of subgroups are invalid, all three are 0.
const char *dev_facts_wrong(const struct dev_facts *facts);

#define DEV_MAX_SIZES 8 // powers of two, 1 to 128

// The subgroup sizes that a device can run, its default first; `sizes` holds DEV_MAX_SIZES. Only
// the default if it cannot control the size. Returns how many; 0 if the facts are invalid.
size_t dev_facts_sizes(const struct dev_facts *facts, uint32_t *sizes);
// Generated programs cycle through these sizes. Returns the number of the program that is run
// `run`, from 0, in this size.
uint64_t dev_facts_program(const struct dev_facts *facts, uint32_t size, uint64_t run);

// Whether a configuration of this shape is within a device's limits. False with an error that names
// the limit. Pure.
bool dev_shape_fits(const struct dev_facts *facts, enum cat_check check,
                    const struct cat_shape *shape, struct lit_error *error);
