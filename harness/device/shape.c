// SPDX-License-Identifier: Apache-2.0
// Whether a device can hold a configuration.

#include "device/device.h"

#include <inttypes.h>

bool dev_shape_fits(const struct dev_facts *facts, enum cat_check check,
                    const struct cat_shape *shape, struct lit_error *error)
{
    const uint64_t most = facts->max_storage_buffer / 4;
    const uint64_t stride = cat_check_stride(check);
    if (!shape->instances || !shape->words_per_instance || !shape->state_words)
        return lit_fail(error, LIT_EXIT_USAGE, "the configuration's oracle sized nothing");
    if (shape->workgroups > facts->max_workgroups)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%" PRIu32 " workgroups > maxComputeWorkGroupCount %" PRIu32,
                        shape->workgroups, facts->max_workgroups);
    // Divided, as the products may not fit into 64 bits.
    if (shape->words_per_instance > most / stride / shape->instances ||
        shape->instances > most / 2 || shape->input_words > most || shape->state_words > most)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "a buffer of more bytes than maxStorageBufferRange %" PRIu64,
                        facts->max_storage_buffer);
    return true;
}
