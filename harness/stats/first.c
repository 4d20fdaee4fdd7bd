// SPDX-License-Identifier: Apache-2.0
// A search that begins near its answer.
#include "stats/first.h"

uint64_t stat_first(uint64_t without, uint64_t with, uint64_t guess,
                    bool (*is)(const void *data, uint64_t count), const void *data)
{
    const uint64_t farthest = with - without;
    uint64_t step = 1;
    uint64_t at = guess <= without ? without + 1 : guess >= with ? with - 1 : guess;
    while (with - without > 1) {
        bool holds = is(data, at);
        if (holds)
            with = at;
        else
            without = at;
        uint64_t gap = with - without;
        if (gap <= step)
            at = without + gap / 2;
        else
            at = holds ? with - step : without + step;
        step = gap <= step ? farthest : 2 * step;
    }
    return with;
}
