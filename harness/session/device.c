// SPDX-License-Identifier: Apache-2.0
// Describes devices, and takes the options --simt and --stress.
#include "session/device.h"

#include "base/clock.h"
#include "engine/drivers.h"
#include "engine/progress.h"
#include "engine/watch.h"
#include "report/format.h"
#include "report/table.h"
#include "store/store.h"

#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>

// ---- Says what a device is.

void ses_subgroup_sizes(const struct dev_facts *facts, char *text, size_t size)
{
    if (facts->subgroup == 0)
        snprintf(text, size, "unknown size");
    else if (facts->subgroup_control && facts->subgroup_min < facts->subgroup_max)
        snprintf(text, size, "%u (%u to %u)", facts->subgroup, facts->subgroup_min,
                 facts->subgroup_max);
    else
        snprintf(text, size, "%u", facts->subgroup);
}

void ses_device_line(const struct dev_facts *facts, bool utf8, struct text *text)
{
    const char *dot = utf8 ? " \u00b7 " : ", ";
    char sizes[64], version[32];
    ses_subgroup_sizes(facts, sizes, sizeof sizes);
    format_api(version, facts->api);
    text_printf(text, "%s%sdriver %s (%s)%sVulkan %s%ssubgroups of %s", facts->name, dot,
                facts->driver_version, facts->driver_name, dot, version, dot, sizes);
}

// ---- Takes the option --simt.

bool ses_simt_take(const struct lit_list *list, const char **given, struct lit_error *error)
{
    *given = list->count ? list->items[0] : NULL;
    return list->count < 2 ||
           lit_fail(error, LIT_EXIT_USAGE, "--simt can be given once: one model at a time");
}

bool ses_simt_use(const struct lit_list *list, struct lit_error *error)
{
    const char *given = NULL;
    return ses_simt_take(list, &given, error) && (!given || eng_simt_use(given, error));
}

// ---- Takes the option --stress.

bool ses_stress_take(const struct lit_list *list, struct eng_stressing *stressing,
                     struct lit_error *error)
{
    const char *given = list->count ? list->items[0] : "none";
    *stressing = (struct eng_stressing){.mode = ENG_STRESS_GIVEN};
    if (list->count > 1)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--stress can be given once: separate parameters by commas");
    if (strcmp(given, "none") == 0)
        stressing->mode = ENG_STRESS_NONE;
    else if (strcmp(given, "random") == 0)
        stressing->mode = ENG_STRESS_RANDOM;
    else if (strcmp(given, "tuned") == 0)
        stressing->mode = ENG_STRESS_TUNED;
    else if (!strchr(given, '='))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--stress: '%.40s' expected none, random, tuned, or parameters such as "
                        "workgroups=64,kind=memory",
                        given);
    return stressing->mode != ENG_STRESS_GIVEN || eng_stress_parse(given, &stressing->given, error);
}

static bool add(const struct result *best, void *user)
{
    struct eng_stressing *stressing = user;
    LIT_ADD(stressing->tuned, stressing->tuned_count) =
        (struct eng_tuned){.device = lit_strdup(best->device_id),
                           .name = lit_strdup(best->name),
                           .stress = lit_strdup(best->stress)};
    return true;
}

bool ses_stress_load(struct eng_stressing *stressing, struct store *store, struct lit_error *error)
{
    return stressing->mode != ENG_STRESS_TUNED || store_tuned(store, add, stressing, error);
}

void ses_stress_clear(struct eng_stressing *stressing)
{
    for (size_t i = 0; i < stressing->tuned_count; i++) {
        free(stressing->tuned[i].device);
        free(stressing->tuned[i].name);
        free(stressing->tuned[i].stress);
    }
    free(stressing->tuned);
    *stressing = (struct eng_stressing){0};
}

// How commands that use devices begin and end

static void say(const char *line, void *user)
{
    struct ses_devices *devices = user;
    term_line_clear(&devices->line);
    fprintf(stderr, "%s\n", line);
}

void ses_devices_watch(struct ses_devices *devices, double idle, double total, int verbose)
{
    devices->watch = (struct eng_watch){.policy = {.idle = idle,
                                                   .term = ENG_TERM_SECONDS,
                                                   .kill = ENG_KILL_SECONDS,
                                                   .total = total},
                                        .started = clock_now(),
                                        .verbose = verbose > 0,
                                        .say = say,
                                        .user = devices};
}

bool ses_devices_take(struct ses_devices *devices, struct lit_error *error)
{
    eng_interrupt_listen();
    const bool finished = eng_inventory_take(&devices->watch, &devices->inventory);
    if (eng_interrupt())
        eng_interrupt_reraise(eng_interrupt());
    devices->chosen = lit_alloc(devices->inventory.count + 1, sizeof *devices->chosen);
    return finished ||
           lit_fail(error, LIT_EXIT_TIME, "the time budget was used up before the first test");
}

bool ses_devices_find(struct ses_devices *devices, const struct lit_list *named,
                      struct lit_error *error)
{
    return ses_devices_take(devices, error) && eng_inventory_some(&devices->inventory, error) &&
           eng_inventory_choose(&devices->inventory, named->items, named->count, devices->chosen,
                                error);
}

const struct eng_device *ses_devices_next(const struct ses_devices *devices,
                                          const struct eng_device *last)
{
    const struct eng_inventory *all = &devices->inventory;
    for (size_t i = last ? (size_t)(last - all->devices) + 1 : 0; i < all->count; i++)
        if (devices->chosen[i])
            return &all->devices[i];
    return NULL;
}

static bool take_device(struct eng_device *device, void *user)
{
    struct eng_inventory *inventory = user;
    LIT_ADD(inventory->devices, inventory->count) = *device;
    device->checker = NULL;
    return true;
}

bool ses_inventory_recall(struct eng_inventory *inventory, struct store *store, int64_t session,
                          struct lit_error *error)
{
    return store_devices(store, session, take_device, inventory, error);
}

void ses_devices_heading(const struct ses_devices *devices, const struct eng_device *device)
{
    OWNED(text_free) struct text line = {0}, heading = {0};
    char place[48];
    ses_device_line(&device->facts, term_utf8(), &line);
    snprintf(place, sizeof place, "device %u of %zu", device->number, devices->inventory.count);
    table_heading(&heading, false, line.data, place);
    term_print(&heading);
}

int ses_devices_end(struct ses_devices *devices, int code)
{
    eng_inventory_clear(&devices->inventory);
    free(devices->chosen);
    if (eng_interrupt())
        eng_interrupt_reraise(eng_interrupt());
    return code;
}

void ses_seed_settle(struct lit_seed *seed, bool is_short)
{
    if (!seed->given && getrandom(&seed->value, sizeof seed->value, 0) < 0)
        seed->value = (uint64_t)clock_date();
    if (!seed->given && is_short)
        seed->value &= 0xffffffff;
}

char *ses_system(void)
{
    struct utsname system;
    struct text name = {0};
    if (uname(&system) == 0)
        text_printf(&name, "%s %s %s", system.sysname, system.release, system.machine);
    else
        text_puts(&name, "unknown");
    return name.data;
}

struct store_session ses_make(const char *name, int argc, char **argv)
{
    char started[32];
    const time_t now = clock_date();
    struct tm utc;
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    struct text command = text_format("litmus%s", format_kernel ? format_kernel : "");
    // `litmus --all` comes here unchanged; otherwise argv[0] is the subcommand.
    for (int i = strcmp(argv[0], name) == 0 ? 0 : 1; i < argc; i++) {
        text_puts(&command, " ");
        text_quote(&command, argv[i]);
    }
    return (struct store_session){.version = lit_strdup(LITMUS_VERSION),
                                  .command = command.data,
                                  .started = lit_strdup(started),
                                  .system = ses_system()};
}

void ses_last_line(const char *db, uint64_t seed, double started, enum lit_exit code,
                   const char *reason)
{
    enum { COLUMNS = 100 };
    const char *dot = term_utf8() ? " \u00b7 " : ", ";
    char took[32];
    OWNED(text_free) struct text line = {0}, end = {0};
    if (db)
        text_printf(&line, "stored in %s%s", db, dot);
    text_printf(&line, "seed 0x%" PRIx64 "%s%s", seed, dot,
                eng_duration(took, clock_now() - started));
    if (!eng_interrupt())
        text_printf(&end, "exit %d: %s", (int)code, reason);
    else if (code == LIT_EXIT_FORBIDDEN || code == LIT_EXIT_DEVICE_LOST)
        text_printf(&end, "interrupted: %s", reason);
    else
        text_puts(&end, "interrupted");
    const size_t width = table_text_width(line.data) + 3 + table_text_width(end.data);
    printf("%s%s%s\n", line.data, width > COLUMNS ? "\n" : dot, end.data);
    term_flush();
}
