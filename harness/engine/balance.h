// SPDX-License-Identifier: Apache-2.0
// A run in parts that take about equally long. Pure.
#pragma once

#include <stddef.h>

// What is kept apart from the rest, since it can take down a device or a machine.
enum eng_apart {
    ENG_APART_NOT,
    ENG_APART_ENDED, // a worker did not come to its end: crash, hang, or interrupted in it
    ENG_APART_LOST,  // the device was lost
    ENG_APARTS,
};

struct eng_load {
    double seconds; // it takes, 0 or more
    enum eng_apart apart;
    size_t part; // filled: from 0
};

// Chooses a part for each item: the longest first, each to the part that is over first (Graham's
// LPT: the longest part takes at most 4/3 of what the best plan's does). Items of different `apart`
// are in different parts, if there are as many parts as kinds: first those that are not apart, last
// those that lost the device; with two parts the last has both, with one nothing is apart. How many
// parts a kind gets follows from its time. No part is empty unless there are fewer items. Returns
// how many parts are used, which come first.
size_t eng_balance(struct eng_load *items, size_t count, size_t parts);
