// SPDX-License-Identifier: Apache-2.0
// The source revision and build options (tools/revision). docs/building.md explains them.
#pragma once

// "1a2b3c4d5e6f", with "-dirty" appended if sources had been changed; "unknown" if neither git nor
// the packager supplies it.
extern const char build_commit[];
// "release, gcc 12.2.0, static libraries"; with sanitizers: "release, address+undefined"
extern const char build_options[];
