// SPDX-License-Identifier: Apache-2.0
// Splits a run into parts that take about equally long. Pure.
#pragma once

#include <stddef.h>

// Items to keep apart from the rest because they can take down a device or a machine.
enum eng_apart {
    ENG_APART_NOT,
    ENG_APART_ENDED, // a worker crashed, hung, or was interrupted in it
    ENG_APART_LOST,  // the device was lost
    ENG_APARTS,
};

struct eng_load {
    double seconds; // expected duration, 0 or more
    enum eng_apart apart;
    size_t part; // filled: from 0
};

// Chooses a part for each item: takes the longest item first and puts it into the part that ends
// first (Graham's LPT: the longest part takes at most 4/3 as long as in the best plan). Keeps items
// with different `apart` in different parts if there are as many parts as kinds: ENG_APART_NOT
// first, ENG_APART_LOST last. With two parts the last one holds both kinds that are apart; with one
// part nothing is apart. The number of parts of a kind follows from its time. No part is empty
// unless there are fewer items than parts. Returns how many parts are used; these come first.
size_t eng_balance(struct eng_load *items, size_t count, size_t parts);
