// SPDX-License-Identifier: Apache-2.0
// Begins and ends campaigns.
#include "base/clock.h"
#include "fuzz/campaign.h"
#include "report/format.h"

#include <stdio.h>
#include <stdlib.h>

#define NUMBERS_MOST (UINT64_C(1) << 52)

bool fuzz_limits_check(const struct fuzz_options *o, struct lit_error *error)
{
    const struct {
        const char *name;
        uint64_t value, most;
    } limits[] = {{"steps", o->steps, GEN_STEPS / 2},
                  {"depth", o->depth, GEN_NESTING / 2},
                  {"jobs", o->jobs, FUZZ_JOBS},
                  {"pressure", o->pressure.value, GEN_PRESSURE_MOST},
                  {"index", o->index.value, NUMBERS_MOST},
                  {"count", o->count, NUMBERS_MOST}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value > limits[i].most)
            return lit_fail(error, LIT_EXIT_USAGE, "--%s: at most %s", limits[i].name,
                            COUNT(limits[i].most));
    return true;
}

bool fuzz_resume(struct fuzz_campaign *c)
{
    struct fuzz_options *o = c->asked;
    if (!o->run.resume)
        return true;
    if (!ses_resume(&c->store, c->family, &c->session, &o->run, c->error))
        return false;
    o->index = (struct lit_seed){true, o->run.first};
    return true;
}

void fuzz_settle(struct fuzz_campaign *c)
{
    struct fuzz_options *o = c->asked;
    struct text folder = {0};
    ses_seed_settle(&o->run.seed, true);
    if (!o->jobs)
        o->jobs = eng_usable_cores() < FUZZ_JOBS ? eng_usable_cores() : FUZZ_JOBS;
    if (!o->out) {
        text_printf(&folder, "fuzz-%s", c->family);
        lit_keep(folder.data);
        o->out = folder.data;
    }
    c->devices.line.quiet = o->run.quiet;
    ses_devices_watch(&c->devices, o->run.timeout, o->run.time, o->run.verbose);
}

// A finished session runs nothing, so its devices may be missing.
static bool find_devices(struct fuzz_campaign *c)
{
    struct ses_devices *devices = &c->devices;
    struct eng_inventory *inventory = &devices->inventory;
    if (!c->session.finished)
        return ses_devices_find(devices, &c->asked->run.devices, c->error);
    if (!ses_inventory_recall(inventory, c->store, c->session.id, c->error))
        return false;
    devices->chosen = lit_alloc(inventory->count + 1, sizeof *devices->chosen);
    for (size_t i = 0; i < inventory->count; i++)
        devices->chosen[i] = true;
    return inventory->count ||
           lit_fail(c->error, LIT_EXIT_NOTHING, "none of the session's devices is present");
}

bool fuzz_begin(struct fuzz_campaign *c, const struct ses_options *kept, int argc, char **argv)
{
    const struct ses_options *o = &c->asked->run;
    if (!ses_simt_use(&o->simt, c->error) || !find_devices(c))
        return false;
    if (o->resume)
        return c->session.finished ||
               ses_choose(c->session.options, &c->devices, &c->missing, c->error);
    return !kept ||
           (ses_check(&kept->patterns, &kept->simt, c->error) &&
            ses_begin("fuzz", argc, argv, kept, &c->devices, &c->store, &c->session, c->error));
}

int fuzz_finish(struct fuzz_campaign *c, enum lit_exit code, const char *reason)
{
    const struct ses_options *o = &c->asked->run;
    c->missing |= c->total.stopped + c->total.unopened > 0;
    if (c->store && ((!c->session.finished && !c->missing &&
                      !store_session_finish(c->store, c->session.id, c->error)) ||
                     !store_stays(c->store, c->error)))
        return term_fail(c->error);
    printf("\n");
    ses_last_line(c->store ? o->db : NULL, o->seed.value, c->devices.watch.started, code, reason);
    if (c->store && c->missing) {
        char command[64];
        snprintf(command, sizeof command, "litmus fuzz %s", c->family);
        ses_print_resume(command, o->db);
    }
    term_flush();
    return code;
}

int fuzz_close(struct fuzz_campaign *c, int code)
{
    store_session_clear(&c->session);
    store_close(&c->store);
    return ses_devices_end(&c->devices, code);
}
