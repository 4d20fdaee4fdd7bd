// SPDX-License-Identifier: Apache-2.0
// Programs, and runs of all their workgroups.
#include "emulator/warp.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define RESIDENT 32u // workgroups at once
#define SLICE    512 // instructions of a warp before the next one's
#define SHORT    5   // the same, backwards

bool emu_program_make(const struct sass_code *code, struct emu_program **program,
                      struct lit_error *error)
{
    *program = NULL;
    if (code->architecture != 90 || code->count == 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "machine code of sm_%u cannot be executed, only sm_90", code->architecture);
    *program = lit_alloc(1, sizeof **program);
    (*program)->code = code;
    (*program)->insns = lit_alloc(code->count, sizeof *(*program)->insns);
    for (; (*program)->count < code->count; (*program)->count++)
        emu_parse(&code->insns[(*program)->count], &(*program)->insns[(*program)->count]);
    return true;
}

void emu_program_free(struct emu_program **program)
{
    if (*program)
        free((*program)->insns);
    free(*program);
    *program = NULL;
}

static void open_group(struct emu_machine *machine, uint32_t index, struct emu_group *group)
{
    const struct emu_dispatch *dispatch = machine->dispatch;
    const uint32_t lanes = dispatch->local[0] * dispatch->local[1] * dispatch->local[2];
    *group = (struct emu_group){.id = {index % dispatch->groups[0],
                                       index / dispatch->groups[0] % dispatch->groups[1],
                                       index / dispatch->groups[0] / dispatch->groups[1]},
                                .warp_count = (lanes + EMU_LANES - 1) / EMU_LANES,
                                .shared = lit_alloc(EMU_SHARED, 1)};
    group->warps = lit_alloc(group->warp_count, sizeof *group->warps);
    for (uint32_t i = 0; i < group->warp_count; i++) {
        struct emu_warp *warp = &group->warps[i];
        const uint32_t left = lanes - i * EMU_LANES;
        warp->number = i;
        warp->group = group;
        warp->machine = machine;
        emu_warp_start(warp, left >= EMU_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1);
    }
}

static void close_group(struct emu_group *group)
{
    for (size_t i = 0; i < group->warp_count; i++)
        free(group->warps[i].local);
    free(group->warps);
    free(group->shared);
    *group = (struct emu_group){0};
}

static bool has_ended(const struct emu_group *group)
{
    for (size_t i = 0; i < group->warp_count; i++)
        if (group->warps[i].lanes != group->warps[i].exited)
            return false;
    return true;
}

// Lets everyone at BAR go on if as many have arrived as there are warps.
static void release(struct emu_group *group)
{
    uint32_t live = 0;
    for (size_t i = 0; i < group->warp_count; i++)
        live += group->warps[i].lanes != group->warps[i].exited;
    if (!group->arrived || group->arrived < live)
        return;
    group->arrived = 0;
    for (size_t i = 0; i < group->warp_count; i++)
        emu_warp_release(&group->warps[i]);
}

// Runs each warp for a while. False if none of them could.
static bool run_group(struct emu_group *group, bool backwards)
{
    bool ran = false;
    for (size_t i = 0; i < group->warp_count; i++) {
        ran |= emu_warp_run(&group->warps[backwards ? group->warp_count - 1 - i : i],
                            backwards ? SHORT : SLICE);
        release(group);
    }
    return ran;
}

static bool check(const struct emu_dispatch *dispatch, struct lit_error *error)
{
    uint64_t lanes = 1, groups = 1;
    for (int i = 0; i < 3; i++) {
        lanes *= dispatch->local[i];
        groups *= dispatch->groups[i];
        if (lanes == 0 || lanes > 1024 || groups == 0 || groups > UINT32_MAX)
            return lit_fail(error, LIT_EXIT_USAGE, "workgroups of no possible size");
    }
    return true;
}

// The first instruction at which a lane waits, in words.
static bool deadlock(const struct emu_group *groups, size_t count, struct lit_error *error)
{
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < groups[g].warp_count; i++)
            if (groups[g].warps[i].part_count > 0) {
                const struct emu_warp *warp = &groups[g].warps[i];
                return lit_fail(error, LIT_EXIT_UNDECIDED,
                                "lanes wait for ever before 0x%x, workgroup %u, warp %u",
                                warp->parts[0].pc * SASS_BYTES, groups[g].id[0], warp->number);
            }
    return lit_fail(error, LIT_EXIT_UNDECIDED, "lanes wait for ever");
}

bool emu_run(const struct emu_program *program, const struct emu_dispatch *dispatch,
             struct lit_error *error)
{
    struct emu_machine machine = {.program = program, .dispatch = dispatch, .error = error};
    struct emu_group groups[RESIDENT] = {0};
    size_t count = 0;
    if (!check(dispatch, error))
        return false;
    const uint32_t all = dispatch->groups[0] * dispatch->groups[1] * dispatch->groups[2];
    const uint32_t last = dispatch->last < all ? dispatch->last : all;
    for (uint32_t next = dispatch->first; (next < last || count > 0) && !machine.failed;) {
        bool ran = false;
        for (size_t nth = 0; nth < RESIDENT && !machine.failed; nth++) {
            const size_t i = dispatch->backwards ? RESIDENT - 1 - nth : nth;
            if (!groups[i].warps && next < last) {
                open_group(&machine, next++, &groups[i]);
                count++;
            }
            if (!groups[i].warps)
                continue;
            ran |= run_group(&groups[i], dispatch->backwards);
            if (has_ended(&groups[i])) {
                close_group(&groups[i]);
                count--;
                ran = true;
            }
        }
        if (dispatch->stop && *dispatch->stop)
            break;
        if (!ran && !machine.failed)
            machine.failed = !deadlock(groups, RESIDENT, error);
    }
    for (size_t i = 0; i < RESIDENT; i++)
        close_group(&groups[i]);
    return !machine.failed;
}
