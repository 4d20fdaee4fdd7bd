// SPDX-License-Identifier: Apache-2.0
// One request after another for what a driver makes of a configuration.
#include "engine/capture.h"

#include <stdio.h>

static bool hand_over(const struct eng_capture *capture, const struct cat_case *which,
                      const struct eng_client *client, const struct eng_outcome *outcome)
{
    struct isa_code code = {0};
    struct lit_error error = {0};
    enum eng_result result = outcome->result;
    const char *reason = outcome->reason;
    if (result == ENG_PASS && !isa_unpack(client->code.data ? client->code.data : "",
                                          client->code.length, &code, &error)) {
        result = ENG_HARNESS_ERROR;
        reason = error.message;
    }
    const bool on = capture->take(which, result, reason, &code, capture->user);
    isa_code_clear(&code);
    return on;
}

enum eng_end eng_capture(const struct eng_capture *capture, const struct cat_case *cases,
                         size_t count, char reason[512])
{
    struct eng_client client = {
        .watch = capture->watch, .device = capture->device, .capture = true};
    enum eng_end end = ENG_END_RAN;
    reason[0] = '\0';
    for (size_t i = 0; i < count && end == ENG_END_RAN; i++) {
        struct text name = {0};
        struct eng_outcome outcome;
        struct eng_request request = {.kind = ENG_COMPILE};
        cat_case_name(&cases[i], &name);
        snprintf(request.name, sizeof request.name, "%s", name.data);
        text_free(&name);
        end = eng_client_ask(&client, &request, &outcome);
        if (end != ENG_END_RAN)
            snprintf(reason, 512, "%s", outcome.reason);
        else if (!hand_over(capture, &cases[i], &client, &outcome))
            break;
    }
    eng_client_end(&client);
    return end;
}
