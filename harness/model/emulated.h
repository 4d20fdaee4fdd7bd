// SPDX-License-Identifier: Apache-2.0
// How an emulated GPU (rdna/) is told from hardware: its device UUID begins with these letters.
#pragma once

#include "model/facts.h"

#include <string.h>

#define DEV_EMULATED "emulated"

static inline bool dev_facts_emulated(const struct dev_facts *facts)
{
    return memcmp(facts->device_uuid, DEV_EMULATED, strlen(DEV_EMULATED)) == 0;
}
