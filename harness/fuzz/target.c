// SPDX-License-Identifier: Apache-2.0
// Generated programs as requests.
#include "fuzz/target.h"

#include "engine/plan.h"

#include <stdio.h>

void fuzz_target_init(struct fuzz_target *target, const struct eng_watch *watch,
                      const struct eng_device *device)
{
    *target = (struct fuzz_target){.client = {.watch = watch, .device = device, .generated = true}};
    target->size_count = eng_plan_sizes(&device->facts, target->sizes);
}

void fuzz_target_end(struct fuzz_target *target)
{
    eng_client_end(&target->client);
}

bool fuzz_failed(const struct eng_outcome *outcome)
{
    return outcome->result == ENG_FAIL || outcome->result == ENG_CRASH ||
           outcome->result == ENG_HANG || outcome->result == ENG_DEVICE_LOST;
}

uint32_t fuzz_workgroup(uint32_t subgroup)
{
    return subgroup <= 32 ? 64 : 2 * subgroup;
}

enum eng_end fuzz_try(struct fuzz_target *target, const struct fuzz_trial *trial,
                      struct eng_outcome *outcome)
{
    struct eng_request request = {.kind = ENG_GENERATED,
                                  .workgroup = fuzz_workgroup(trial->subgroup),
                                  .subgroup = trial->subgroup,
                                  .runs = trial->runs,
                                  .seed = trial->seed};
    struct text notation = {0};
    gen_write(trial->program, &notation);
    snprintf(request.program, sizeof request.program, "%s", notation.data);
    snprintf(request.name, sizeof request.name, "%s", trial->name);
    snprintf(request.rule, sizeof request.rule, "%s", gen_rule_name(trial->rule));
    text_free(&notation);
    return eng_client_ask(&target->client, &request, outcome);
}
