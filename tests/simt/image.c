// SPDX-License-Identifier: Apache-2.0
// What instructions read of storage images and write to them, and what orders that.
#include "dispatch.h"

static const struct {
    const char *code;
    uint32_t out[4], texel; // what the kernel stores, and the texel (0, 1), which was 13, then
    bool races;
} rows[] = {
    {"$read %at_0_1\n", {13, 0, 0, 1}, 13, false},
    {"$read %at_3_0\n", {0, 0, 0, 1}, 13, false}, // outside: not the next row
    {"OpImageWrite %texels %at_0_1 %5\n", {0}, 5, true},
    {"OpImageWrite %texels %at_3_0 %5\n", {0}, 13, false},
    {"OpImageWrite %texels %at_me %6\n", {0}, 6, false},
    {"$add %at_0_1\n", {15}, 17, false},
    {"$add %at_3_0\n", {0}, 13, false},
    {"$size\n", {3, 2}, 13, false},
    {"$pass %2056\n", {0}, 5, false},
    {"$pass %72\n", {0}, 5, true},  // orders buffers
    {"$pass %264\n", {0}, 5, true}, // orders shared memory
};

TEST(texels_are_read_and_written)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t out[4] = {0}, texels[] = {10, 11, 12, 13, 14, 15};
        char kernel[4096];
        bool races = false;
        const struct region image = {(unsigned char *)texels, sizeof texels, .extent = {3, 2, 1}};
        snprintf(kernel, sizeof kernel, "$image\n%s$end\n", rows[i].code);
        begin("subgroup=1,check=races,bounds", kernel, REGION(out), image);
        assert_int_equal(dispatch(), DISPATCH_DONE);
        finish();
        for (uint32_t line = 0; line < world.line_count; line++)
            races |= strncmp(world.lines[line], "data race of 4 bytes at set 0 binding 3", 39) == 0;
        if (memcmp(out, rows[i].out, sizeof out) || texels[3] != rows[i].texel)
            fail_msg("row %zu: %u %u %u %u, texel %u", i, out[0], out[1], out[2], out[3],
                     texels[3]);
        assert_int_equal(races, rows[i].races);
    }
}
