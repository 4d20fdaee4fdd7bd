// SPDX-License-Identifier: Apache-2.0
// Code as lines, whatever the driver gave: instructions of SASS, or the lines of a text. Pure.
#pragma once

#include "isa/code.h"
#include "isa/sass.h"

struct isa_line {
    char *text;       // of SASS without address
    uint32_t address; // of SASS; else SASS_NOWHERE
};

struct isa_listing {
    struct isa_line *lines; // of SASS one for each instruction, padding at the end left out
    size_t count;
    const char *by;        // who wrote it: "the built-in decoder", "nvdisasm", "the driver"
    struct sass_code sass; // empty for a text
};

// Of a piece: machine code is decoded, text taken as it is. False with an error if it is neither,
// or of an architecture that the decoder does not know.
bool isa_list(const struct isa_piece *piece, struct isa_listing *listing, struct lit_error *error);
// Of code that is decoded already: takes it over. `by` must outlive the listing.
void isa_list_sass(struct sass_code *code, const char *by, struct isa_listing *listing);
void isa_listing_clear(struct isa_listing *listing);

// How many of the instructions exchange values between lanes.
size_t isa_exchanges(const struct isa_listing *listing);
