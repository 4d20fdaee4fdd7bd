// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4).
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t size;
    unsigned char block[64];
};

void sha256_start(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t size);
void sha256_end(struct sha256 *hash, unsigned char digest[32]);

#define SHA256_TEXT 65
// Hashes everything at once, as 64 hexadecimal digits.
void sha256_text(const void *bytes, size_t size, char text[SHA256_TEXT]);
