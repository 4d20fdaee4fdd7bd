// SPDX-License-Identifier: Apache-2.0
// Writes Amber scripts: the parts, for reproducers, and a whole kernel.
#pragma once

#include "catalogue/package.h"

// Appends the features and extensions that a device must have, by the bits of enum cat_feature.
// `sizes`: subgroup size control, too; `is_1_3`: for devices with Vulkan 1.3.
void script_features(uint64_t features, bool sizes, bool is_1_3, struct text *out);
// Appends the shader `test`: assembly (`page`) for the environment `spirv`, or NULL and NULL.
// Returns whether the script reads it, or SPIR-V, from `file`, which the caller has to write.
bool script_shader(const char *spirv, const char *page, const char *file, struct text *out);
// Appends a buffer of 32-bit words. Returns whether it is in `file`, which the caller has to write.
bool script_buffer(const char *name, const char *file, const uint32_t *words, uint64_t count,
                   struct text *out);
// The same, always in the script, of one of each `stride` words.
void script_words(const char *name, const uint32_t *words, uint64_t count, uint32_t stride,
                  struct text *out);

// The beginning of a pipeline of the shader `test`, up to the BINDs.
struct script_pipeline {
    const char *name, *entry;     // entry NULL: main
    const uint32_t *ids, *values; // specialization constants; two with one id have 64 bits
    size_t count;
    uint32_t subgroup; // the size that it requires; 0: none
    bool full;
};
void script_pipeline(const struct script_pipeline *pipeline, struct text *out);

// Writes a kernel of one module without addresses as FOLDER/NAME.amber, which becomes `path`, and
// the files that this needs. `remark`: lines of comment at its top. False with an error.
bool script_write(const struct cat_package *package, const char *remark, const char *folder,
                  struct text *path, struct lit_error *error);
