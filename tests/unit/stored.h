// SPDX-License-Identifier: Apache-2.0
// A store with one session, for tests of reports.
#pragma once

#include "isa/code.h"
#include "report/model.h"
#include "report/report.h"
#include "store/store.h"

#include <unistd.h>

#include "unit.h"

#define STORED_HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// What a driver may say: text that would end a cell, a fence, an element or a line.
#define STORED_HOSTILE                                                                             \
    "=HYPERLINK(\"x\")|</details></pre><script>`````&amp;]]>--%0A::error::, www.x.org @all"

struct stored {
    char folder[64], path[96];
    struct store *store;
    struct store_session session;
    char ids[2][DEV_ID_SIZE]; // of its devices
};

// Of a shard if shards > 0. stored_drop() ends it.
static inline struct stored stored_begin(uint64_t runs, uint32_t shards)
{
    struct stored s = {.folder = "/tmp/litmus-stored-XXXXXX"};
    assert_non_null(mkdtemp(s.folder));
    snprintf(s.path, sizeof s.path, "%s/litmus.db", s.folder);
    s.store = store_open(s.path, &error);
    must(s.store);
    s.session = (struct store_session){.version = "1.0.0",
                                       .command = "litmus run '" STORED_HOSTILE "'",
                                       .started = "2026-11-21T02:09:00Z",
                                       .system = "Linux 6.1.0 x86_64",
                                       .seed = 0xfedcba9876543210,
                                       .runs = runs,
                                       .options = "{}",
                                       .uuid = "0123456789abcdef0123456789abcdef",
                                       .shard = shards ? STORE_SHARD_TESTS : STORE_WHOLE,
                                       .shard_count = shards};
    assert_true(store_session_begin(s.store, &s.session, &error));
    return s;
}

static inline void stored_drop(struct stored *s)
{
    store_close(&s->store);
    unlink(s->path);
    rmdir(s->folder);
}

// number: 1 or 2.
static inline void stored_device(struct stored *s, unsigned number, const char *name,
                                 const char *checker)
{
    struct dev_facts facts = {.driver_name = STORED_HOSTILE,
                              .driver_info = STORED_HOSTILE,
                              .driver_version = "1.2.3",
                              .device_uuid = {(uint8_t)number, 0x34},
                              .vendor = 0x10de,
                              .api = 1u << 22 | 3u << 12,
                              .loader = "1.3.239",
                              .type = "discrete",
                              .subgroup = 32,
                              .subgroup_min = 32,
                              .subgroup_max = 32,
                              .max_workgroup = 1024,
                              .max_workgroups = 65535,
                              .max_shared = 32768,
                              .max_storage_buffer = UINT64_C(1) << 30,
                              .features = UINT64_MAX};
    snprintf(facts.name, sizeof facts.name, "%s", name);
    dev_facts_id(&facts, s->ids[number - 1]);
    must(store_device_put(s->store, s->session.id, number, &facts, checker, &error));
}

static inline void stored_put(struct stored *s, unsigned number, struct result result)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(result.name);
    result.cfg = cfg;
    result.device_id = s->ids[number - 1];
    result.seed = 0xfedcba9876543210;
    must(store_result_put(s->store, s->session.id, &result, &error));
}

// Of the first device. Clears the code.
static inline void stored_code(struct stored *s, const char *name, struct isa_code *code)
{
    assert_true(store_code_put(s->store, s->session.id, s->ids[0], name, "abc", code, NULL));
    isa_code_clear(code);
}

static inline struct result stored_result(const char *name, const char *expectation,
                                          const char *result, uint64_t runs, uint64_t failed)
{
    const uint64_t gave_up = !strcmp(result, "no-progress");
    return (struct result){
        .name = (char *)name,
        .expectation = cat_expectation_named(expectation),
        .result = eng_result_named(result),
        .reason = strcmp(result, "skip") == 0 ? "VK_EXT_x" : "",
        .stress = "",
        .sha256 = STORED_HASH,
        .mode = cat_mode_keep(&(struct cat_mode){.check = CAT_CHECK_EQUAL}),
        .count = {.runs = runs,
                  .failed_runs = failed,
                  .no_progress_runs = gave_up,
                  .instances = runs,
                  .failed_instances = failed,
                  .outcomes = {[0] = runs - failed - gave_up, [3] = failed, [15] = gave_up},
                  .seconds = 0.0015},
    };
}

static inline void stored_load(const struct stored *s, struct report_model *model)
{
    must(report_model_load(s->store, s->session.id, model, &error));
}

static inline void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static inline size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}
