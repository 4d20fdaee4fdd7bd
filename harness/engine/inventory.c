// SPDX-License-Identifier: Apache-2.0
// Takes stock of the devices, driver by driver.

#include "engine/drivers.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 64 // of one driver; more than that is no honest answer

static bool is_same(const struct dev_facts *a, const struct dev_facts *b)
{
    return memcmp(a->device_uuid, b->device_uuid, sizeof a->device_uuid) == 0 &&
           memcmp(a->driver_uuid, b->driver_uuid, sizeof a->driver_uuid) == 0 &&
           strcmp(a->name, b->name) == 0 && a->driver_raw == b->driver_raw &&
           strcmp(a->driver_info, b->driver_info) == 0;
}

// `known` devices were found through other manifests.
static void add_device(struct eng_inventory *inventory, size_t known, const char *manifest,
                       uint32_t index, const struct dev_facts *facts)
{
    for (size_t i = 0; i < known; i++)
        if (is_same(&inventory->devices[i].facts, facts))
            return;
    inventory->devices =
        lit_realloc(inventory->devices, inventory->count + 1, sizeof *inventory->devices);
    struct eng_device *device = &inventory->devices[inventory->count++];
    *device = (struct eng_device){.number = (unsigned)inventory->count,
                                  .manifest = lit_strdup(manifest),
                                  .index = index,
                                  .facts = *facts};
    dev_facts_id(facts, device->id);
}

static void add_remark(struct eng_inventory *inventory, const char *manifest, bool harmless,
                       const char *text)
{
    inventory->remarks =
        lit_realloc(inventory->remarks, inventory->remark_count + 1, sizeof *inventory->remarks);
    struct eng_remark *remark = &inventory->remarks[inventory->remark_count++];
    remark->manifest = lit_strdup(manifest);
    remark->harmless = harmless;
    text_sanitise(remark->text, sizeof remark->text, text);
}

// One driver while it is asked. All are asked at once: they take their time each in a process of
// its own.
struct asked {
    const char *manifest;
    struct eng_worker *worker; // NULL: it could not be started
    char reason[512];          // why it has no device, "" if it has one
    bool harmless;             // it answered in order
};

static void begin_asking(const struct eng_watch *watch, struct asked *asked, const char *manifest)
{
    struct lit_error error = {0};
    *asked = (struct asked){.manifest = manifest};
    asked->worker = eng_worker_start(watch, manifest, &error);
    if (asked->worker)
        eng_worker_ask(asked->worker, &(struct eng_request){.kind = ENG_ENUMERATE});
    else
        snprintf(asked->reason, sizeof asked->reason, "%s", error.message);
}

static void note_failure(struct eng_inventory *inventory, const struct asked *asked)
{
    if (!inventory->failed[0])
        snprintf(inventory->failed, sizeof inventory->failed, "%s", asked->reason);
}

static enum eng_wait take_answer(const struct eng_watch *watch, struct eng_inventory *inventory,
                                 struct asked *asked)
{
    struct eng_event event;
    const size_t known = inventory->count;
    uint32_t found = 0;
    enum eng_wait wait;
    if (!asked->worker) {
        note_failure(inventory, asked);
        return ENG_WAIT_FAILED;
    }
    eng_worker_listen(asked->worker);
    do {
        wait = eng_worker_wait(asked->worker, &event, asked->reason);
        if (wait == ENG_WAIT_EVENT && event.kind == ENG_EVENT_DEVICE && found < DEVICES_MAX)
            add_device(inventory, known, asked->manifest, found++, &event.facts);
        if (wait == ENG_WAIT_EVENT && event.kind == ENG_EVENT_MESSAGE && watch->verbose)
            watch->say(event.text, watch->user);
    } while (wait == ENG_WAIT_EVENT && event.kind != ENG_EVENT_DONE &&
             event.kind != ENG_EVENT_ERROR);
    if (wait == ENG_WAIT_FAILED)
        note_failure(inventory, asked);
    asked->harmless = wait == ENG_WAIT_EVENT &&
                      (event.kind == ENG_EVENT_DONE || event.error_code == LIT_EXIT_NOTHING);
    if (wait == ENG_WAIT_EVENT && event.kind == ENG_EVENT_ERROR)
        snprintf(asked->reason, sizeof asked->reason, "%s", event.text);
    else if (wait == ENG_WAIT_EVENT && found == 0)
        snprintf(asked->reason, sizeof asked->reason, "it has no device");
    // It can end while the others are listened to.
    if (wait == ENG_WAIT_EVENT)
        eng_worker_ask(asked->worker, &(struct eng_request){.kind = ENG_QUIT});
    else if (!eng_worker_end(&asked->worker, true) && !asked->reason[0])
        snprintf(asked->reason, sizeof asked->reason, "its worker cannot be ended");
    return wait;
}

static const char *variable(const char *name)
{
    return secure_getenv(name);
}

bool eng_inventory_take(const struct eng_watch *watch, struct eng_inventory *inventory)
{
    struct eng_drivers drivers;
    bool finished = true;
    *inventory = (struct eng_inventory){0};
    eng_drivers_find(&drivers, variable);
    snprintf(inventory->failed, sizeof inventory->failed, "%s", drivers.unread);
    struct asked *all = lit_alloc(drivers.count + 1, sizeof *all);
    for (size_t i = 0; i < drivers.count; i++)
        if (!drivers.items[i].remark[0])
            begin_asking(watch, &all[i], drivers.items[i].manifest);
    for (size_t i = 0; i < drivers.count && finished; i++) {
        if (!all[i].manifest)
            continue;
        const enum eng_wait wait = take_answer(watch, inventory, &all[i]);
        finished = wait != ENG_WAIT_INTERRUPTED && wait != ENG_WAIT_TIME;
    }
    for (size_t i = 0; i < drivers.count; i++) {
        if (all[i].worker && !eng_worker_end(&all[i].worker, !finished) && !all[i].reason[0])
            snprintf(all[i].reason, sizeof all[i].reason, "its worker cannot be ended");
        if (drivers.items[i].remark[0])
            add_remark(inventory, drivers.items[i].manifest, false, drivers.items[i].remark);
        else if (all[i].reason[0])
            add_remark(inventory, all[i].manifest, all[i].harmless, all[i].reason);
    }
    free(all);
    eng_drivers_clear(&drivers);
    return finished;
}
