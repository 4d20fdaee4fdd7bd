// SPDX-License-Identifier: Apache-2.0
// Searches the driver manifests where the Vulkan loader searches them.
#include "engine/drivers.h"

#include "../../rdna/settings.h"
#include "../../simt/settings.h"

#include "base/file.h"
#include "base/program.h"
#include "engine/client.h"
#include "model/emulated.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST_MAX 65536

char *eng_next_piece(const char **list, char separator)
{
    while (**list == separator)
        ++*list;
    const char *first = *list;
    *list = strchrnul(first, separator);
    return *list > first ? lit_have(strndup(first, (size_t)(*list - first))) : NULL;
}

// Manifests

// Returns false with a remark; errno says why, or is 0 if the file is at fault.
static bool read_manifest(const char *path, struct text *bytes, char *remark, size_t size)
{
    const bool read = text_read(bytes, path, MANIFEST_MAX - 1);
    if (read && bytes->length < MANIFEST_MAX)
        return true;
    errno = !read && errno != TEXT_NO_FILE ? errno : 0;
    snprintf(remark, size, "%s",
             read    ? "larger than a manifest can be"
             : errno ? strerror(errno)
                     : "not a file");
    return false;
}

// Whether this process lacks something, so that the error says nothing about the file.
static bool is_lack(int number)
{
    return number == EMFILE || number == ENFILE || number == ENOMEM || number == EIO ||
           number == EINTR || number == EAGAIN;
}

static bool is_foreign(const json_t *icd)
{
    const char *arch = json_string_value(json_object_get(icd, "library_arch"));
    return arch && strcmp(arch, sizeof(void *) == 8 ? "32" : "64") == 0;
}

// A library named by a path must exist, else errno says why not; the linker searches for a bare
// name.
static bool library_exists(const char *manifest, const char *library)
{
    OWNED(text_free) struct text path = {0};
    if (!strpbrk(library, PATH_SEPARATORS))
        return true;
    lit_path_resolve(manifest, library, &path);
    return access(path.data, F_OK) == 0;
}

enum eng_manifest eng_manifest_check(const char *path, char *remark, size_t size)
{
    OWNED(text_free) struct text bytes = {0};
    enum eng_manifest verdict = ENG_MANIFEST_BAD;
    json_t *root = NULL;
    json_error_t error;
    remark[0] = '\0';
    if (!read_manifest(path, &bytes, remark, size)) {
        verdict = is_lack(errno) ? ENG_MANIFEST_UNREAD : ENG_MANIFEST_BAD;
        goto end;
    }
    root = json_loadb(bytes.data ? bytes.data : "", bytes.length, 0, &error);
    const json_t *icd = json_object_get(root, "ICD");
    const char *library = json_string_value(json_object_get(icd, "library_path"));
    if (!root)
        snprintf(remark, size, "not JSON, line %d", error.line);
    else if (!library)
        snprintf(remark, size, "not a driver manifest: no library path");
    else if (is_foreign(icd))
        verdict = ENG_MANIFEST_FOREIGN;
    else if (!library_exists(path, library)) {
        char name[128];
        text_sanitise(name, sizeof name, library);
        snprintf(remark, size, "library not found: %s%s%s", name, errno == ENOENT ? "" : ": ",
                 errno == ENOENT ? "" : strerror(errno));
    } else
        verdict = ENG_MANIFEST_GOOD;
end:
    json_decref(root);
    return verdict;
}

// Filters

static bool filter_matches(const char *patterns, const char *path)
{
    bool matches = false;
    for (char *piece; (piece = eng_next_piece(&patterns, ',')); free(piece))
        matches |= strcasecmp(piece, "~all~") == 0 ||
                   fnmatch(piece, lit_path_name(path), FNM_NOESCAPE | FNM_CASEFOLD) == 0;
    return matches;
}

// The search

struct search {
    struct eng_drivers *drivers;
    eng_getenv *get;
};

static bool is_filtered(const struct search *search, const char *path)
{
    const char *select = eng_value(search->get, "VK_LOADER_DRIVERS_SELECT");
    const char *disable = eng_value(search->get, "VK_LOADER_DRIVERS_DISABLE");
    return (select && !filter_matches(select, path)) || (disable && filter_matches(disable, path));
}

static bool is_listed(const struct eng_drivers *drivers, const char *path)
{
    OWNED(lit_free) char *real = realpath(path, NULL);
    bool listed = false;
    for (size_t i = 0; i < drivers->count && !listed; i++) {
        OWNED(lit_free) char *other = realpath(drivers->items[i].manifest, NULL);
        listed = strcmp(other && real ? other : drivers->items[i].manifest,
                        other && real ? real : path) == 0;
    }
    return listed;
}

static void note_unread(struct eng_drivers *drivers, const char *path, const char *why)
{
    if (!drivers->unread[0])
        snprintf(drivers->unread, sizeof drivers->unread, "%.300s: %.100s", path, why);
}

static void add_manifest(struct search *search, const char *path)
{
    struct eng_drivers *drivers = search->drivers;
    if (is_filtered(search, path) || is_listed(drivers, path))
        return;
    struct eng_driver driver = {0};
    const enum eng_manifest verdict = eng_manifest_check(path, driver.remark, sizeof driver.remark);
    if (verdict == ENG_MANIFEST_FOREIGN)
        return;
    if (verdict == ENG_MANIFEST_UNREAD)
        note_unread(drivers, path, driver.remark);
    if (!driver.remark[0] && strchr(path, eng_path_separator))
        snprintf(driver.remark, sizeof driver.remark,
                 "the loader cannot be given a path with a %s in it",
                 eng_path_separator == ':' ? "colon" : "semicolon");
    driver.manifest = lit_strdup(path);
    LIT_ADD(drivers->items, drivers->count) = driver;
}

static bool ends_in_json(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static int manifests_only(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && ends_in_json(entry->d_name);
}

static void add_folder(struct search *search, const char *folder)
{
    OWNED(lit_free) struct dirent **entries = NULL;
    int count = scandir(folder, &entries, manifests_only, alphasort);
    if (count < 0 && is_lack(errno))
        note_unread(search->drivers, folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        OWNED(text_free) struct text path = text_format("%s/%s", folder, entries[i]->d_name);
        add_manifest(search, path.data);
        free(entries[i]);
    }
}

static void add_found(const char *path, bool folder, void *search)
{
    (folder ? add_folder : add_manifest)(search, path);
}

// Adds the paths in VK_DRIVER_FILES or VK_ADD_DRIVER_FILES: manifests, and folders with them.
static void add_named(struct search *search, const char *list)
{
    struct stat status;
    for (char *path; (path = eng_next_piece(&list, eng_path_separator)); free(path))
        add_found(path, stat(path, &status) == 0 && S_ISDIR(status.st_mode), search);
}

void eng_drivers_find(struct eng_drivers *drivers, eng_getenv *get)
{
    *drivers = (struct eng_drivers){0};
    struct search search = {.drivers = drivers, .get = get};
    const char *override = eng_value(get, "VK_DRIVER_FILES");
    if (!override)
        override = eng_value(get, "VK_ICD_FILENAMES");
    if (override) {
        add_named(&search, override);
        return;
    }
    const char *added = eng_value(get, "VK_ADD_DRIVER_FILES");
    if (added)
        add_named(&search, added);
    eng_installed(get, add_found, &search);
}

void eng_drivers_clear(struct eng_drivers *drivers)
{
    for (size_t i = 0; i < drivers->count; i++)
        free(drivers->items[i].manifest);
    free(drivers->items);
    *drivers = (struct eng_drivers){0};
}

// --- Takes stock of the devices, driver by driver.

#define DEVICES_MAX 64 // of one driver; a higher number is not plausible

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
    struct eng_device *device = &LIT_ADD(inventory->devices, inventory->count);
    *device = (struct eng_device){.number = (unsigned)inventory->count,
                                  .manifest = lit_strdup(manifest),
                                  .index = index,
                                  .facts = *facts};
    dev_facts_id(facts, device->id);
}

static void add_remark(struct eng_inventory *inventory, const char *manifest, bool harmless,
                       const char *text)
{
    struct eng_remark *remark = &LIT_ADD(inventory->remarks, inventory->remark_count);
    remark->manifest = lit_strdup(manifest);
    remark->harmless = harmless;
    text_sanitise(remark->text, sizeof remark->text, text);
}

// One driver during the inventory: a lane of a pool, so that all are asked at once.
struct asked {
    struct eng_device driver; // only its manifest; NULL: it is not asked
    struct eng_client client;
    struct dev_facts *found;
    uint32_t count;
    enum eng_end end;
    struct eng_outcome outcome;
};

static const char *hear(const struct eng_event *event, void *user)
{
    struct asked *asked = user;
    const struct eng_watch *watch = asked->client.pool->outer;
    if (event->kind == ENG_EVENT_DEVICE && asked->count < DEVICES_MAX)
        LIT_ADD(asked->found, asked->count) = event->facts;
    if (event->kind == ENG_EVENT_MESSAGE && watch->verbose)
        watch->say(event->text, watch->user);
    return NULL;
}

static void ask(void *lane)
{
    struct asked *asked = lane;
    if (!asked->driver.manifest)
        return;
    asked->end = eng_submit(&asked->client, NULL, &(struct eng_request){.kind = ENG_ENUMERATE},
                            &asked->outcome);
    eng_client_end(&asked->client);
}

// Adds the driver's devices, or says why it has none.
static void take_answer(struct eng_inventory *inventory, const struct asked *asked)
{
    const size_t known = inventory->count;
    const enum lit_exit code = asked->outcome.code;
    const char *manifest = asked->driver.manifest, *reason = asked->outcome.reason;
    const bool answered = asked->end == ENG_END_RAN && asked->outcome.wait == ENG_WAIT_EVENT;
    for (uint32_t i = 0; i < asked->count; i++)
        add_device(inventory, known, manifest, i, &asked->found[i]);
    if (answered && !code && !asked->count)
        reason = "it has no device";
    else if (asked->client.wedged && !reason[0])
        reason = "its worker cannot be ended";
    if (reason[0])
        add_remark(inventory, manifest, answered && (!code || code == LIT_EXIT_NOTHING), reason);
}

// Whether the harness could not ask the driver, not even whether it has a device.
static bool is_failed(const struct asked *asked)
{
    return asked->end == ENG_END_UNFIT ||
           (asked->end == ENG_END_RAN && asked->outcome.wait == ENG_WAIT_FAILED);
}

// Whether it had no memory to answer.
static bool is_starved(const struct asked *asked)
{
    return asked->end == ENG_END_RAN && asked->outcome.wait == ENG_WAIT_EVENT &&
           asked->outcome.code == LIT_EXIT_UNDECIDED;
}

bool eng_inventory_take(const struct eng_watch *watch, struct eng_inventory *inventory)
{
    OWNED(eng_drivers_clear) struct eng_drivers drivers = {0};
    struct eng_pool pool;
    bool finished = true;
    *inventory = (struct eng_inventory){0};
    eng_drivers_find(&drivers, secure_getenv);
    snprintf(inventory->failed, sizeof inventory->failed, "%s", drivers.unread);
    eng_pool_begin(&pool, watch);
    OWNED(lit_free) struct asked *all = lit_alloc(drivers.count, sizeof *all);
    for (size_t i = 0; i < drivers.count; i++) {
        if (!drivers.items[i].remark[0])
            all[i].driver.manifest = drivers.items[i].manifest;
        all[i].client = (struct eng_client){.watch = &pool.watch,
                                            .device = &all[i].driver,
                                            .pool = &pool,
                                            .heard = hear,
                                            .user = &all[i]};
    }
    eng_pool_run(&pool, ask, all, sizeof *all, drivers.count);
    eng_pool_end(&pool);
    for (size_t i = 0; i < drivers.count; i++) {
        finished = finished && all[i].end != ENG_END_TIME && all[i].end != ENG_END_SIGNAL;
        if (all[i].driver.manifest)
            take_answer(inventory, &all[i]);
        else
            add_remark(inventory, drivers.items[i].manifest, false, drivers.items[i].remark);
        free(all[i].found);
    }
    for (size_t i = 0; i < drivers.count; i++)
        if (!inventory->failed[0] &&
            (is_failed(&all[i]) || (is_starved(&all[i]) && inventory->count == 0)))
            snprintf(inventory->failed, sizeof inventory->failed, "%s", all[i].outcome.reason);
    return finished;
}

// --- Finds the SIMT simulator and passes it settings through the environment

#define SIMT_MANIFEST "simt_icd.json"

static const char *const about[MODEL_COUNT] = {
    [MODEL_LOCKSTEP] = "lanes execute in lockstep, under an execution mask",
    [MODEL_TANGLED] = "lanes run independently and wait only where the specification requires it",
    [MODEL_SNOOPING] =
        "no lane waits for another: a shuffle reads the current register of the other lane",
    [MODEL_LAGGING] = "after divergence one lane lags behind until the next barrier",
    [MODEL_PEELING] =
        "code on a path that leaves a loop is executed after the loop, merged over its iterations",
    [MODEL_RELAXED] = "atomics order nothing: neither release and acquire nor the order of one "
                      "location's accesses",
    [MODEL_UNFAIR] = "only resident workgroups make progress, until they end",
    [MODEL_FAULTY] = "fault injection: wrong values, device loss, hangs",
    [MODEL_MISCOMPILING] = "faults of a compiler, by operators on the program, each at a rate",
};

bool eng_simt_settings(const char *given, struct text *settings, struct lit_error *error)
{
    struct settings parsed;
    char line[480] = "";
    OWNED(text_free) struct text text = {0};
    text_printf(&text, "%s%s", strncmp(given, "model=", 6) == 0 ? "" : "model=", given);
    bool good = settings_parse(text.data, &parsed, line, sizeof line);
    if (good)
        text_puts(settings, text.data);
    else
        lit_fail(error, LIT_EXIT_USAGE, "--simt '%.80s': %s%s", given, line,
                 strstr(line, "no model") ? "; for --emulate: navi21, navi31, gfx1201" : "");
    return good && lit_file_guard(parsed.trace, error) && lit_file_guard(parsed.counts, error);
}

bool eng_simt_has(const char *settings, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = settings; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return true;
    }
    return false;
}

const char *eng_simt_model(const char *settings)
{
    struct settings parsed;
    char line[480];
    return model_names[settings_parse(settings, &parsed, line, sizeof line) ? parsed.model
                                                                            : MODEL_LOCKSTEP];
}

const char *eng_simt_about(const char *model)
{
    for (size_t i = 0; i < MODEL_COUNT; i++)
        if (strcmp(model_names[i], model) == 0)
            return about[i];
    return "";
}

// Searches two places, as seen from the program's folder, for a file; free() its path. *tried
// becomes a list of both, empty if that folder is unknown.
static char *find_beside(const char *const places[2], const char *name, struct text *tried)
{
    OWNED(text_free) struct text folder = {0};
    char *found = NULL;
    for (int i = 0; i < 2 && !found && (i || lit_program_folder(&folder)); i++) {
        OWNED(text_free) struct text path = text_format("%s%s/%s", folder.data, places[i], name);
        text_printf(tried, "%s%s", i ? ", " : "", path.data);
        found = realpath(path.data, NULL);
    }
    return found;
}

char *eng_simt_manifest(struct lit_error *error)
{
    static const char *const places[] = {"../simt", "../share/litmus"};
    const char *named = eng_value(secure_getenv, "LITMUS_SIMT_ICD");
    if (named) {
        char *path = realpath(named, NULL);
        if (!path)
            lit_fail(error, LIT_EXIT_USAGE,
                     "the SIMT simulator's manifest was not found: LITMUS_SIMT_ICD is %.200s",
                     named);
        return path;
    }
    OWNED(text_free) struct text tried = {0};
    char *found = find_beside(places, SIMT_MANIFEST, &tried);
    if (!found)
        lit_fail(error, LIT_EXIT_USAGE,
                 "the SIMT simulator was not found: no %.300s; set LITMUS_SIMT_ICD to its manifest",
                 tried.data ? tried.data : SIMT_MANIFEST);
    return found;
}

bool eng_simt_use(const char *given, struct lit_error *error)
{
    static const char *const others[] = {"VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES",
                                         "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"};
    OWNED(text_free) struct text settings = {0};
    if (eng_emulate_is(given))
        return eng_emulate_use(given, error);
    if (!eng_simt_settings(given, &settings, error))
        return false;
    OWNED(lit_free) char *manifest = eng_simt_manifest(error);
    bool done = manifest && setenv("VK_DRIVER_FILES", manifest, 1) == 0 &&
                setenv("LITMUS_SIMT", settings.data, 1) == 0;
    for (size_t i = 0; done && i < sizeof others / sizeof *others; i++)
        unsetenv(others[i]);
    if (manifest && !done)
        lit_fail(error, LIT_EXIT_USAGE, "the environment cannot be changed");
    return done;
}

// --- Emulated GPUs: Mesa's driver between rdna/'s library and Mesa's drm shim. Says what their
// failures are about.

#define PROMPT "timing=prompt,caches=coherent"

#ifdef _WIN32
bool eng_emulate_use(const char *given, struct lit_error *error)
{
    return lit_fail(error, LIT_EXIT_USAGE, "--emulate %.80s: not on Windows", given);
}
#else
#include <dlfcn.h>

#define SHIM    "libamdgpu_noop_drm_shim.so"
#define LIBRARY "librdna.so"

// The manifest of RADV among the drivers that are installed; free() it.
static char *find_radv(void)
{
    OWNED(eng_drivers_clear) struct eng_drivers drivers = {0};
    char *found = NULL;
    eng_drivers_find(&drivers, secure_getenv);
    for (size_t i = 0; i < drivers.count && !found; i++) {
        if (strncmp(lit_path_name(drivers.items[i].manifest), "radeon_icd", 10) == 0)
            found = lit_strdup(drivers.items[i].manifest);
    }
    return found;
}

// A file of .sdk/; NULL if it is not there. free() it.
static char *find_unpacked(const char *name)
{
    OWNED(text_free) struct text path = {0};
    if (!lit_program_sdk(&path))
        return NULL;
    text_puts(&path, name);
    return realpath(path.data, NULL);
}

// Shim and RADV as installed, else those of one version that tools/setup unpacked; NULL for what is
// missing. free() both.
static void find_mesa(char **shim, char **manifest)
{
    void *const installed = dlopen(SHIM, RTLD_LAZY | RTLD_LOCAL);
    if (installed)
        dlclose(installed);
    *shim = installed ? lit_strdup(SHIM) : find_unpacked("mesa/" SHIM);
    *manifest = installed ? find_radv() : find_unpacked("share/vulkan/icd.d/radeon_icd.json");
}

bool eng_emulate_use(const char *given, struct lit_error *error)
{
    struct rdna_settings settings;
    char line[200];
    if (!rdna_settings_parse(given, &settings, line, sizeof line))
        return lit_fail(error, LIT_EXIT_USAGE, "--emulate: %s", line);
    OWNED(lit_free) char *shim = NULL, *manifest = NULL;
    OWNED(text_free) struct text tried = {0}, preload = {0};
    OWNED(lit_free)
    char *library = find_beside((const char *const[]){"../rdna", eng_libraries}, LIBRARY, &tried);
    find_mesa(&shim, &manifest);
    if (!shim || !manifest)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--emulate: %s is not installed; on Debian, tools/setup --shim does it",
                        shim ? "RADV (radeon_icd*.json)" : "Mesa's " SHIM);
    if (!library)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--emulate: " LIBRARY " is neither in this build nor installed");
    text_printf(&preload, "%s:%s", library, shim);
    if (strchr(preload.data, ' ') || strchr(strchr(preload.data, ':') + 1, ':'))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--emulate: LD_PRELOAD takes no path with a space or a colon: %.300s",
                        preload.data);
    return (setenv("VK_DRIVER_FILES", manifest, 1) == 0 && setenv(ENG_EMULATED, given, 1) == 0 &&
            setenv("AMDGPU_GPU_ID", rdna_gpus[settings.gpu], 1) == 0 &&
            setenv(ENG_PRELOAD, preload.data, 1) == 0) ||
           lit_fail(error, LIT_EXIT_USAGE, "the environment cannot be changed");
}
#endif

bool eng_emulate_is(const char *given)
{
    for (size_t i = 0; i < RDNA_GPUS; i++)
        if (strncmp(given, rdna_gpus[i], strlen(rdna_gpus[i])) == 0 &&
            strchr(",", given[strlen(rdna_gpus[i])]))
            return true;
    return false;
}

bool eng_emulate_lacks(const struct eng_device *device, const struct eng_outcome *outcome)
{
    return outcome->result == ENG_SKIP && dev_facts_emulated(&device->facts);
}

void eng_emulate_judge(const struct eng_client *failed, const struct eng_work *work,
                       const struct eng_request *how, char *says, size_t size)
{
    const char *given = getenv(ENG_EMULATED);
    struct rdna_settings settings;
    char line[200];
    struct eng_outcome outcome = {.result = ENG_FAIL};
    if (!dev_facts_emulated(&failed->device->facts) || !given ||
        !rdna_settings_parse(given, &settings, line, sizeof line))
        return;
    if (settings.timing != RDNA_PROMPT || settings.caches != RDNA_COHERENT) {
        struct eng_client client = {.watch = failed->watch,
                                    .device = failed->device,
                                    .pool = failed->pool,
                                    .kernel = failed->kernel,
                                    .unchecked = true};
        snprintf(client.settings, sizeof client.settings, "%.200s," PROMPT, given);
        const enum eng_end end = eng_submit(&client, work, how, &outcome);
        eng_client_end(&client);
        if (end != ENG_END_RAN)
            return;
        if (outcome.result == ENG_PASS)
            outcome.result = eng_verdict(&outcome.count);
    }
    if (outcome.result == ENG_PASS)
        snprintf(says, size, "about its waits or caches: it passes with " PROMPT);
    else if (outcome.result == ENG_FAIL || eng_is_broken(outcome.result))
        snprintf(says, size, "about what the code computes: it fails with " PROMPT);
}
