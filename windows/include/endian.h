// SPDX-License-Identifier: Apache-2.0
// Windows runs on little-endian machines.
#pragma once

#define htole32(word) (word)
#define le32toh(word) (word)
