// SPDX-License-Identifier: Apache-2.0
// The worker process: the only one that calls Vulkan. It reads requests and answers with events.

#include "device/device.h"
#include "engine/drivers.h"
#include "engine/measure.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define MAX_MESSAGES 20 // the most validation messages for one request

struct worker {
    struct eng_sink sink;
    struct dev *dev;
    bool running;               // opened for runs
    uint32_t index;             // among the driver's devices
    uint32_t tried;             // modes of the checker, bit i: enum cat_check i
    bool host_checker;          // do not trust it:
    struct lit_error untrusted; // why
    atomic_bool peer_closed;    // the supervisor no longer listens
    pthread_mutex_t sending;    // one line at a time: other threads precompile pipelines
    unsigned messages;
    struct text taught; // chunks of an incomplete test
    bool knows;         // the last complete one was added
    size_t used;
    char inbox[ENG_LINE_MAX];
};

static bool emit(const struct eng_event *event, void *user)
{
    struct worker *worker = user;
    OWNED(text_free) struct text line = {0};
    eng_event_write(event, &line);
    pthread_mutex_lock(&worker->sending);
    for (size_t sent = 0; sent < line.length && !worker->peer_closed;) {
        const size_t count = eng_parent_send(line.data + sent, line.length - sent);
        sent += count;
        if (count == 0)
            worker->peer_closed = true;
    }
    pthread_mutex_unlock(&worker->sending);
    return !worker->peer_closed;
}

static void on_message(const char *text, void *user)
{
    struct worker *worker = user;
    if (worker->messages++ >= MAX_MESSAGES)
        return;
    struct eng_event event = {.kind = ENG_EVENT_MESSAGE};
    text_sanitise(event.text, sizeof event.text, text);
    emit(&event, worker);
}

static void enumerate(struct worker *worker)
{
    OWNED(lit_free) struct dev_facts *facts = NULL;
    size_t count = 0;
    struct lit_error error = {0};
    if (!dev_enumerate(&facts, &count, &error)) {
        eng_emit_error(&worker->sink, &error);
        return;
    }
    for (size_t i = 0; i < count; i++)
        emit(&(struct eng_event){.kind = ENG_EVENT_DEVICE, .facts = facts[i]}, worker);
    emit(&(struct eng_event){.kind = ENG_EVENT_DONE}, worker);
}

// Closes any open device and opens the request's. On failure sends an error and returns false.
static bool open_anew(struct worker *worker, const struct eng_request *request, bool capture,
                      bool single)
{
    struct lit_error error = {0};
    const bool lasts = request->kind == ENG_OPEN;
    dev_close(&worker->dev);
    worker->tried = 0;
    worker->host_checker = false;
    worker->index = request->index;
    // The driver reads them when the instance is made.
    if (request->settings[0])
        setenv(eng_emulate_is(request->settings) ? ENG_EMULATED : "LITMUS_SIMT", request->settings,
               1);
    worker->dev = dev_open(
        &(struct dev_open_info){
            .index = request->index,
            .validation = request->validation,
            .capture = capture,
            .single = single,
            .compiles = lasts && capture,
            .message = on_message,
            .user = worker,
        },
        &error);
    worker->running = lasts && worker->dev && !capture;
    if (!worker->dev)
        eng_emit_error(&worker->sink, &error);
    return worker->dev;
}

// Does not try again a mode that failed.
static enum dev_status try_checker(struct worker *worker, const struct eng_request *request)
{
    enum dev_status status = DEV_OK;
    const uint32_t checks = request->checks & ~worker->tried;
    if (!worker->running || !checks || worker->host_checker)
        return DEV_OK;
    worker->host_checker =
        !dev_self_test(worker->dev, checks, request->timeout_ms, &status, &worker->untrusted);
    worker->tried |= checks;
    return status;
}

static enum dev_status open_device(struct worker *worker, const struct eng_request *request)
{
    const bool is_open = worker->running && worker->index == request->index && !request->capture;
    if (!is_open && !open_anew(worker, request, request->capture, false))
        return DEV_OK;
    const enum dev_status status = try_checker(worker, request);
    if (status == DEV_LOST || status == DEV_TIMEOUT) {
        worker->untrusted.code = LIT_EXIT_DEVICE_LOST;
        eng_emit_error(&worker->sink, &worker->untrusted);
        return status;
    }

    struct eng_event event = {
        .kind = ENG_EVENT_OPENED,
        .facts = *dev_facts(worker->dev),
        .host_checker = worker->host_checker,
    };
    if (worker->host_checker)
        snprintf(event.text, sizeof event.text, "%s", worker->untrusted.message);
    emit(&event, worker);
    emit(&(struct eng_event){.kind = ENG_EVENT_DONE}, worker);
    return DEV_OK;
}

// Adds a test to the catalogue. If that fails, a later request for the test reports that there is
// none.
static void teach(struct worker *worker, const struct eng_request *request)
{
    const struct eng_chunk *chunk = &request->chunk;
    struct lit_error error = {0};
    struct text *taught = &worker->taught;
    if (chunk->offset != taught->length) {
        on_message("a kernel with a gap", worker);
        return;
    }
    text_append(taught, (const char *)chunk->bytes, chunk->size);
    if (taught->length < chunk->total)
        return;
    if (request->instead && worker->knows)
        cat_test_drop();
    worker->knows = cat_test_add(taught->data, taught->length, NULL, &error);
    if (!worker->knows)
        on_message(error.message, worker);
    text_free(taught);
}

static enum dev_status run(struct worker *worker, const struct eng_request *request)
{
    struct cat_case which;
    struct lit_error error;
    eng_precompile_begin(worker->dev, request, &worker->sink);
    if (cat_case_parse(request->name, &which, &error) && cat_test_draws(which.test))
        return eng_draw_run(worker->dev, &which, request, &worker->sink);
    return eng_measure(
        &(struct eng_measure){
            .dev = worker->dev,
            .check_on_host = worker->host_checker,
            .tried = worker->tried,
            .sink = &worker->sink,
        },
        request);
}

// Does one run on a device of its own, and dispatches nothing else there.
static enum dev_status try_once(struct worker *worker, const struct eng_request *request)
{
    struct eng_request run = *request;
    run.first = 0;
    run.runs = 1;
    if (!open_anew(worker, request, false, true))
        return DEV_OK;
    const enum dev_status status =
        eng_measure(&(struct eng_measure){.dev = worker->dev,
                                          .check_on_host = true,
                                          .named = true,
                                          .outputs = request->kind == ENG_OUTPUT,
                                          .scale = 1,
                                          .sink = &worker->sink},
                    &run);
    if (status != DEV_LOST && status != DEV_TIMEOUT)
        dev_close(&worker->dev);
    return status;
}

// Dispatches nothing else on a timed device; asks the driver about its pipelines.
static enum dev_status bench(struct worker *worker, const struct eng_request *request)
{
    const bool rate = eng_throughput_is(request->name);
    if (!open_anew(worker, request, !rate, false))
        return DEV_OK;
    if (rate)
        return eng_throughput(worker->dev, request, &worker->sink);
    return eng_bench(worker->dev, request, &worker->sink);
}

// Reads one line into the inbox, without its newline. False when the connection ends.
static bool read_line(struct worker *worker, size_t *length)
{
    for (;;) {
        const char *end = memchr(worker->inbox, '\n', worker->used);
        if (end) {
            *length = (size_t)(end - worker->inbox);
            return true;
        }
        if (worker->used == sizeof worker->inbox)
            _exit(ENG_EXIT_REQUEST);
        const size_t count =
            eng_parent_read(worker->inbox + worker->used, sizeof worker->inbox - worker->used);
        worker->used += count;
        if (count == 0)
            return false;
    }
}

static void drop_line(struct worker *worker, size_t length)
{
    worker->used -= length + 1;
    memmove(worker->inbox, worker->inbox + length + 1, worker->used);
}

// Variables of a worker's environment that override the user's. A NULL value removes one.
static const struct {
    const char *name, *value;
} fixed[] = {
    // Only one driver, without layers. `~implicit~` needs loader 1.3.234; with older ones
    // NODEVICE_SELECT turns Mesa's layer off.
    {"VK_ADD_DRIVER_FILES", NULL},
    {"VK_LOADER_DRIVERS_SELECT", NULL},
    {"VK_LOADER_DRIVERS_DISABLE", NULL},
    {"VK_INSTANCE_LAYERS", NULL},
    {"VK_LOADER_LAYERS_ENABLE", NULL},
    {"VK_LOADER_LAYERS_DISABLE", "~implicit~"},
    {"NODEVICE_SELECT", "1"},
    // Disable shader caches, to test today's compiler: Mesa (both names, for old and new versions),
    // Intel's and AMD's drivers in Mesa, NVIDIA, AMDVLK.
    {"MESA_SHADER_CACHE_DISABLE", "true"},
    {"MESA_GLSL_CACHE_DISABLE", "true"},
    {"ANV_ENABLE_PIPELINE_CACHE", "false"},
    {"__GL_SHADER_DISK_CACHE", "0"},
    {"AMDVLK_ENABLE_PIPELINE_CACHE", "0"},
};

// Prepares the environment before the Vulkan loader is loaded: one driver's manifest, no implicit
// layers, no shader caches.
static void set_environment(const char *manifest)
{
    const char *flags = getenv("RADV_DEBUG");
    OWNED(text_free) struct text radv = {0};
    // RADV's cache in memory has no variable of its own; keep the user's flags.
    text_printf(&radv, "%s%snocache", flags ? flags : "", flags && flags[0] ? "," : "");
    bool good = setenv("VK_DRIVER_FILES", manifest, 1) == 0 &&
                setenv("VK_ICD_FILENAMES", manifest, 1) == 0 &&
                setenv("RADV_DEBUG", radv.data, 1) == 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        good = (fixed[i].value ? setenv(fixed[i].name, fixed[i].value, 1)
                               : unsetenv(fixed[i].name)) == 0 &&
               good;
    if (!good)
        lit_give_up("out of memory");
}

int eng_worker_main(const char *manifest)
{
    lit_failure_code(ENG_EXIT_MEMORY);
    set_environment(manifest);
    eng_backtrace_listen();
    OWNED(lit_free) struct worker *worker = lit_alloc(1, sizeof *worker);
    worker->sink = (struct eng_sink){emit, worker};
    pthread_mutex_init(&worker->sending, NULL);
    struct lit_error error = {0};
    size_t length = 0;
    bool quit = false;
    eng_parent_bind();

    while (!quit && !worker->peer_closed && read_line(worker, &length)) {
        enum dev_status status = DEV_OK;
        struct eng_request request;
        const bool good = eng_request_parse(worker->inbox, length, &request, &error);
        drop_line(worker, length);
        worker->messages = 0;
        if (!good) {
            eng_emit_error(&worker->sink, &error);
            continue;
        }
        const bool needs_device =
            request.kind == ENG_RUN || request.kind == ENG_COMPILE || request.kind == ENG_GENERATED;
        if (needs_device && !worker->dev) {
            lit_fail(&error, LIT_EXIT_USAGE, "no device is open");
            eng_emit_error(&worker->sink, &error);
            continue;
        }
        switch (request.kind) {
        case ENG_ENUMERATE:
            enumerate(worker);
            break;
        case ENG_OPEN:
            status = open_device(worker, &request);
            break;
        case ENG_RUN:
            status = run(worker, &request);
            break;
        case ENG_TRY:
        case ENG_OUTPUT:
            status = try_once(worker, &request);
            break;
        case ENG_GENERATED:
            status = eng_generated_run(worker->dev, &request, &worker->sink);
            break;
        case ENG_COMPILE:
            status = eng_compile(worker->dev, request.name, NULL, &worker->sink);
            break;
        case ENG_BENCH:
            status = bench(worker, &request);
            break;
        case ENG_TEACH:
            teach(worker, &request);
            break;
        case ENG_QUIT:
            quit = true;
            break;
        }
        // Do not ask the driver to clean up a device that is lost or may still be running.
        if (status == DEV_LOST || status == DEV_TIMEOUT)
            _exit(LIT_EXIT_OK);
    }
    dev_close(&worker->dev);
    text_free(&worker->taught);
    return LIT_EXIT_OK;
}
