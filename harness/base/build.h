// SPDX-License-Identifier: Apache-2.0
// What this program was built from, and how (tools/revision). docs/building.md says what the words
// are.
#pragma once

// "1a2b3c4d5e6f", with "-dirty" behind it where sources had been changed; "unknown" where neither
// git nor whoever built it says.
extern const char build_commit[];
// "release, gcc 12.2.0, static libraries"; sanitizers behind the type: "release, address+undefined"
extern const char build_options[];
