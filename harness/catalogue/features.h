// SPDX-License-Identifier: Apache-2.0
// What a module can need from a device, derived from its capabilities, extensions, execution
// modes and group operations: one table, used by the build (to mark each module) and by the program
// (to skip with a reason).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Stores hold these as bit numbers: a new one goes to the end.
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
    CAT_FEATURE_COUNT,
};

// What a user knows the feature by: "VK_KHR_shader_maximal_reconvergence", "shaderInt64".
const char *cat_feature_name(enum cat_feature feature);
// Looks for a feature by that name; false if there is none.
bool cat_feature_find(const char *name, enum cat_feature *feature);

// The features that a module needs, as bits 1 << enum cat_feature. False with `*unknown` set to the
// number of a capability that the table does not know, or if the words are no SPIR-V module.
bool cat_module_features(const uint32_t *words, size_t count, uint64_t *features,
                         uint32_t *unknown);
