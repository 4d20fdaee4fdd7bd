// SPDX-License-Identifier: Apache-2.0
// Which instruction of a wrong program is to blame, by changes of single instructions: the one that
// makes all results right. Pure.
#pragma once

#include "base/text.h"
#include "emulator/emulator.h"

#define EMU_TRIES_MOST 20000

struct emu_cause {
    struct emu_change change; // EMU_AS_IT_IS: none was found
    uint32_t apart;           // EMU_TOGETHER: the lanes that were apart; EMU_ALONE: together
    uint32_t tries;
    // The first instruction that did otherwise than in the run that the change makes right, in
    // order of execution: its index, or EMU_NEVER; a lane; what it wrote, and what was right.
    uint32_t first, first_lane, got, want;
    size_t first_event;
    bool elsewhere; // the lane executed another instruction there
};

// `trace` is of a warp with a wrong result. `right` runs the program with a change and says whether
// all results are right: of that warp's workgroup or, if `all`, of all that are at hand. False if
// no change makes them right.
bool emu_cause_find(const struct emu_program *program, const struct emu_trace *trace,
                    bool (*right)(const struct emu_change *change, bool all, void *user),
                    void *user, struct emu_cause *cause);
// Finds the first instruction that did otherwise.
void emu_cause_compare(struct emu_cause *cause, const struct emu_trace *wrong,
                       const struct emu_trace *right);
// Appends one sentence, without a full stop.
void emu_cause_print(const struct emu_program *program, const struct emu_cause *cause,
                     struct text *text);
// The index of the instruction to mark; EMU_NEVER: none.
uint32_t emu_cause_place(const struct emu_cause *cause);
