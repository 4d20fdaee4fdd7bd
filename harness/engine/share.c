// SPDX-License-Identifier: Apache-2.0
// Shares the machine between devices.

#include "engine/share.h"

#include "engine/protocol.h"

#define NICENESS 5

// Who waits for a device needs no core, so that one is left even where there is no other. A
// software device has its part, too, though nothing is made ahead on it.
static unsigned ahead_of(unsigned cores, unsigned software, unsigned hardware)
{
    const unsigned each = hardware > 0 && cores > 1 ? (cores - 1) / (hardware + software) : 0;
    return each < ENG_AHEAD_MOST ? each : ENG_AHEAD_MOST;
}

struct eng_share eng_share_make(unsigned cores, unsigned software, unsigned hardware)
{
    // A driver compiles on one core: as many devices as cores keep all of them busy, and the part
    // of each is never less than one core would be.
    const unsigned most = cores > 0 ? cores : 1;
    const unsigned at_once = software < most ? software : most;
    return (struct eng_share){
        .at_once = at_once,
        .patience = at_once > 1 ? at_once : 1,
        .niceness = software > 0 && hardware > 0 ? NICENESS : 0,
        .ahead = ahead_of(cores, software, hardware),
    };
}

bool eng_share_may_run(const struct eng_place *places, size_t count, size_t which)
{
    const struct eng_place *own = &places[which];
    for (size_t i = 0; i < count; i++) {
        const struct eng_place *other = &places[i];
        const bool before = other->state == ENG_PLACE_RUNS ||
                            (other->state == ENG_PLACE_WAITS && other->ticket < own->ticket);
        if (i != which && before && (other->alone || own->alone))
            return false;
    }
    return true;
}
