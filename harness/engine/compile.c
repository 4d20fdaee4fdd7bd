// SPDX-License-Identifier: Apache-2.0
// One configuration compiled, and what the driver gives of it cut into chunks.
#include "engine/compile.h"

#include "catalogue/prepare.h"

#include <stdio.h>
#include <string.h>

struct sink {
    bool (*emit)(const struct eng_event *event, void *user);
    void *user;
};

static void emit_text(const struct sink *sink, enum eng_event_kind kind, enum eng_result result,
                      const char *text)
{
    struct eng_event event = {.kind = kind, .result = result, .error_code = LIT_EXIT_USAGE};
    snprintf(event.text, sizeof event.text, "%s", text);
    sink->emit(&event, sink->user);
}

bool eng_emit_code(const struct isa_code *code,
                   bool (*emit)(const struct eng_event *event, void *user), void *user)
{
    struct text bytes = {0};
    struct eng_event event = {.kind = ENG_EVENT_CODE};
    isa_pack(code, &bytes);
    event.chunk.total = bytes.length;
    const bool fits = bytes.length <= ENG_CODE_MAX;
    for (size_t at = 0; fits && at < bytes.length; at += event.chunk.size) {
        event.chunk.offset = at;
        event.chunk.size = bytes.length - at < ENG_CHUNK ? bytes.length - at : ENG_CHUNK;
        memcpy(event.chunk.bytes, bytes.data + at, event.chunk.size);
        if (!emit(&event, user))
            break;
    }
    text_free(&bytes);
    return fits;
}

enum dev_status eng_compile(struct dev *dev, const char *name,
                            bool (*emit)(const struct eng_event *event, void *user), void *user)
{
    const struct sink sink = {emit, user};
    const struct dev_facts *facts = dev_facts(dev);
    struct lit_error error = {0};
    struct isa_code code = {0};
    struct cat_case which;
    struct eng_prepared ready;
    if (!cat_case_parse(name, &which, &error)) {
        emit_text(&sink, ENG_EVENT_ERROR, ENG_HARNESS_ERROR, error.message);
        return DEV_OK;
    }
    if (!eng_prepare(
            &(struct eng_prepare){
                .which = &which,
                .facts = facts,
                .most_words = UINT32_MAX, // no buffer is made
            },
            &ready, &error)) {
        emit_text(&sink, ENG_EVENT_DONE, ENG_SKIP, error.message);
        eng_prepared_clear(&ready);
        return DEV_OK;
    }
    const enum dev_status status =
        dev_compile(dev,
                    &(struct dev_compile_info){
                        .words = cat_module_words(ready.which.test, ready.module),
                        .word_count = ready.module->count,
                        .subgroup = ready.args.subgroup,
                        .spec_ids = ready.spec_ids,
                        .spec_values = ready.spec_values,
                        .spec_count = ready.spec_count,
                    },
                    &code, &error);
    if (status == DEV_OK) {
        isa_extract(&code, facts->vendor, facts->product);
        if (eng_emit_code(&code, emit, user))
            emit_text(&sink, ENG_EVENT_DONE, ENG_PASS, "");
        else
            emit_text(&sink, ENG_EVENT_ERROR, ENG_HARNESS_ERROR, "the driver says too much of it");
    } else {
        emit_text(&sink, ENG_EVENT_DONE, status == DEV_LOST ? ENG_DEVICE_LOST : ENG_HARNESS_ERROR,
                  error.message);
    }
    isa_code_clear(&code);
    eng_prepared_clear(&ready);
    return status;
}
