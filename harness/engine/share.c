// SPDX-License-Identifier: Apache-2.0
// Shares the machine between devices.

#include "engine/share.h"

#define NICENESS 5

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
