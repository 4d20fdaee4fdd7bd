// SPDX-License-Identifier: Apache-2.0
// What the build knows of the installation.
#include "engine/drivers.h"

const char eng_libraries[] = LITMUS_LIBRARIES;
