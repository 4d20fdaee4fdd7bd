// SPDX-License-Identifier: Apache-2.0
// Fuzzes what supervisor and worker read of each other. A line that is understood, written again
// and read again, is the same line: nothing out of range has come in.
#include "fuzz.h"

#include "engine/protocol.h"

#include <math.h>

static void check_event(const struct eng_event *event)
{
    struct eng_event again;
    struct lit_error error = {0};
    OWNED(text_free) struct text first = {0}, second = {0};
    MUST(event->count.failure_count <= ENG_MAX_FAILURES);
    MUST(memchr(event->text, '\0', sizeof event->text));
    MUST(memchr(event->facts.name, '\0', sizeof event->facts.name));
    MUST(event->result < ENG_RESULTS);
    MUST(event->bench.statistic_count <= BENCH_STATISTICS);
    for (size_t i = 0; i < event->bench.statistic_count; i++) {
        const struct bench_statistic *statistic = &event->bench.statistics[i];
        MUST(memchr(statistic->name, '\0', sizeof statistic->name));
        MUST(memchr(statistic->value, '\0', sizeof statistic->value));
    }
    MUST(isfinite(event->rate.copy) && event->rate.copy >= 0);
    MUST(isfinite(event->rate.wall_ns) && event->rate.wall_ns >= 0);
    eng_event_write(event, &first);
    MUST(first.length > 1 && first.length <= ENG_LINE_MAX);
    MUST(strchr(first.data, '\n') == first.data + first.length - 1);
    MUST(eng_event_parse(first.data, first.length - 1, &again, &error));
    eng_event_write(&again, &second);
    MUST(strcmp(first.data, second.data) == 0);
}

static void check_request(const struct eng_request *request)
{
    struct eng_request again;
    struct lit_error error = {0};
    OWNED(text_free) struct text first = {0}, second = {0};
    MUST(memchr(request->name, '\0', sizeof request->name));
    MUST(memchr(request->rows, '\0', sizeof request->rows));
    MUST(memchr(request->settings, '\0', sizeof request->settings));
    MUST(request->ahead_count <= ENG_PRECOMPILE_MOST);
    for (size_t i = 0; i < request->ahead_count; i++) {
        MUST(memchr(request->ahead[i].name, '\0', sizeof request->ahead[i].name));
        MUST(memchr(request->ahead[i].stress, '\0', sizeof request->ahead[i].stress));
    }
    eng_request_write(request, &first);
    MUST(strchr(first.data, '\n') == first.data + first.length - 1);
    MUST(eng_request_parse(first.data, first.length - 1, &again, &error));
    eng_request_write(&again, &second);
    MUST(strcmp(first.data, second.data) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *line = (const char *)data;
    struct eng_event event;
    struct eng_request request;
    struct lit_error error = {0};
    if (eng_event_parse(line, size, &event, &error))
        check_event(&event);
    else
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033"));
    if (eng_request_parse(line, size, &request, &error))
        check_request(&request);
    return 0;
}
