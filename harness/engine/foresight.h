// SPDX-License-Identifier: Apache-2.0
// What the supervisor knows of the pipelines that a worker makes ahead of use: which configurations
// it was told of, and which of them it may still be compiling. A worker that dies or falls silent
// meanwhile does so for one of several reasons; then nobody is blamed, and what was being run goes
// on with the worker to itself, as do those that were being compiled when their turn comes. Pure.
#pragma once

#include "engine/plan.h"
#include "engine/protocol.h"

struct eng_foresight {
    unsigned most; // configurations ahead of the present one; 0: none
    size_t next;   // the first place of the plan that the present worker was not told of
    size_t alone;  // whoever has a place before it gets the worker to itself
    size_t count;
    struct eng_foreseen {
        size_t place; // in the plan
        bool making;  // not yet said to be made
        char name[512];
    } named[ENG_AHEAD_MOST + 1]; // the present one may be among them
};

// Fills request->ahead with what comes after `place`, as far as there is room, and says whether its
// own pipelines are made ahead, too (request->renew). done[i]: place i will not be run. Of each,
// `describe` writes name and stress.
void eng_foresight_ask(struct eng_foresight *foresight, const struct eng_plan *plan,
                       const bool *done, size_t place, struct eng_request *request,
                       void (*describe)(const struct cat_case *which, struct eng_ahead *ahead,
                                        void *user),
                       void *user);
// The worker says that it made one. False if it was not told to.
bool eng_foresight_made(struct eng_foresight *foresight, const char *name);
// Whether it is the name of one whose turn is over at `place`: that it is made matters no more.
bool eng_foresight_over(const struct eng_plan *plan, size_t place, const char *name);
// Whether the worker may be compiling for another place than this one.
bool eng_foresight_unclear(const struct eng_foresight *foresight, size_t place);
// An ending was unclear: `place`, what the worker may still be making, and all that lies before
// them are to be alone.
void eng_foresight_separate(struct eng_foresight *foresight, size_t place);
// The worker has ended.
void eng_foresight_forget(struct eng_foresight *foresight);
