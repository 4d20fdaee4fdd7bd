// SPDX-License-Identifier: Apache-2.0
// The library for LD_PRELOAD, before Mesa's drm shim for amdgpu: it sees each request of the driver
// to the kernel, lets the shim answer, and executes what is submitted.
#include "shim/amdgpu.h"

#include "device/gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

#define NOT_EMULATED "not emulated: "

enum { PAGE_SIZE = 4096 };

struct buffer {
    uint32_t handle;
    uint64_t size; // bytes
    void *host;    // mapped with `size` bytes at the first GEM_VA; userptr: the application's
    bool is_ours;  // to unmap
};

// What was opened as one file: handles and addresses are its own.
struct file {
    int fd;
    struct rdna_device device;
    struct buffer *buffers;
    size_t count;
    struct file *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file *files;
static char told[160]; // for rdna_left_out
static bool is_asked;

static int (*real_ioctl)(int, unsigned long, ...);
static int (*real_close)(int);

__attribute__((constructor)) static void find_next(void)
{
    *(void **)&real_ioctl = dlsym(RTLD_NEXT, "ioctl");
    *(void **)&real_close = dlsym(RTLD_NEXT, "close");
}

static const enum rdna_generation generations[RDNA_GPUS] = {
    [RDNA_NAVI21] = RDNA_GFX10_3, [RDNA_NAVI31] = RDNA_GFX11, [RDNA_GFX1201] = RDNA_GFX12};

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "emulated GPU: LITMUS_RDNA: %s\n", why);
    _exit(2);
}

// Else the requests would go to the kernel, and perhaps to a GPU.
static bool is_behind_shim(void)
{
    Dl_info info;
    return dladdr(*(void **)&real_ioctl, &info) && info.dli_fname &&
           strstr(info.dli_fname, "drm_shim");
}

static void tell(const char *line)
{
    fprintf(stderr, "emulated GPU: %s\n", line);
}

static struct file *file_of(int fd)
{
    for (struct file *file = files; file; file = file->next)
        if (file->fd == fd)
            return file;
    struct file *file = calloc(1, sizeof(*file));
    char error[160];
    if (!file)
        return NULL;
    const char *settings = getenv("LITMUS_RDNA");
    if (!rdna_settings_parse(settings ? settings : "", &file->device.settings, error,
                             sizeof(error)))
        give_up(error);
    if (!is_behind_shim())
        give_up("Mesa's libamdgpu_noop_drm_shim.so must follow librdna.so in LD_PRELOAD");
    file->device.generation = generations[file->device.settings.gpu];
    if (!rdna_open(&file->device)) {
        free(file);
        return NULL;
    }
    file->device.tell = tell;
    file->fd = fd;
    file->next = files;
    files = file;
    return file;
}

static struct buffer *buffer_of(struct file *file, uint32_t handle)
{
    for (size_t i = 0; i < file->count; i++)
        if (file->buffers[i].handle == handle)
            return &file->buffers[i];
    return NULL;
}

static int add_buffer(struct file *file, struct buffer buffer)
{
    struct buffer *buffers = realloc(file->buffers, (file->count + 1) * sizeof(*file->buffers));
    if (!buffers)
        return -ENOMEM;
    file->buffers = buffers;
    file->buffers[file->count++] = buffer;
    return 0;
}

static void release(struct file *file, struct buffer *buffer)
{
    space_forget(&file->device.space, buffer->handle);
    if (buffer->is_ours)
        munmap(buffer->host, buffer->size);
}

static void close_buffer(struct file *file, uint32_t handle)
{
    struct buffer *buffer = buffer_of(file, handle);
    if (buffer) {
        release(file, buffer);
        *buffer = file->buffers[--file->count];
    }
}

static bool map_host(struct file *file, struct buffer *buffer)
{
    union {
        struct amdgpu_handle in;
        uint64_t offset;
    } request = {.in = {.handle = buffer->handle}};
    if (buffer->host)
        return true;
    if (real_ioctl(file->fd, AMDGPU_REQUEST_MMAP, &request) != 0)
        return false;
    void *host = mmap(NULL, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd,
                      (off_t)request.offset);
    if (host == MAP_FAILED)
        return false;
    buffer->host = host;
    buffer->is_ours = true;
    return true;
}

static int change_mapping(struct file *file, const struct amdgpu_va *va)
{
    struct space *space = &file->device.space;
    struct space_range range = {va->address, va->size, NULL, va->handle};
    if (va->operation == AMDGPU_UNMAP || va->operation == AMDGPU_CLEAR)
        return space_unmap(space, va->address, va->size) ? 0 : -ENOMEM;
    if (va->operation != AMDGPU_MAP && va->operation != AMDGPU_REPLACE)
        return -EINVAL;
    if (!(va->flags & AMDGPU_PAGE_PRT) || va->handle) {
        struct buffer *buffer = buffer_of(file, va->handle);
        if (!buffer || !map_host(file, buffer))
            return -EINVAL;
        const uint64_t whole = (buffer->size + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
        if (va->offset >= whole)
            return -EINVAL;
        if (range.size > whole - va->offset)
            range.size = whole - va->offset;
        range.host = (uint8_t *)buffer->host + va->offset;
    }
    return space_map(space, range) ? 0 : -ENOMEM;
}

static int submit_buffer(struct file *file, const struct amdgpu_ib *ib)
{
    if (ib->ip != AMDGPU_IP_GFX && ib->ip != AMDGPU_IP_COMPUTE)
        device_end(&file->device, "not emulated: a queue of kind %u", (unsigned)ib->ip);
    else if (rdna_submit(&file->device, ib->address, ib->bytes / 4))
        return 0;
    if (is_asked && !strncmp(file->device.ended, NOT_EMULATED, strlen(NOT_EMULATED))) {
        if (!told[0])
            memcpy(told, file->device.ended, sizeof(told));
        return 0;
    }
    fprintf(stderr, "emulated GPU: %s\n", file->device.ended);
    return -ECANCELED; // VK_ERROR_DEVICE_LOST
}

static int submit(struct file *file, const struct amdgpu_cs_in *cs)
{
    const bool mattered = file->device.fault_matters;
    const uint64_t *chunks = (const uint64_t *)(uintptr_t)cs->chunks;
    file->device.ended[0] = 0;
    for (uint32_t i = 0; i < cs->chunk_count; i++) {
        const struct amdgpu_chunk *chunk = (const struct amdgpu_chunk *)(uintptr_t)chunks[i];
        if (chunk->id != AMDGPU_CHUNK_IB || chunk->dwords * 4 < sizeof(struct amdgpu_ib))
            continue;
        const int error = submit_buffer(file, (const struct amdgpu_ib *)(uintptr_t)chunk->data);
        if (file->device.fault_matters && !mattered)
            tell("the fault matters");
        if (error || file->device.ended[0])
            return error;
    }
    return 0;
}

// Before the shim answers. Returns a negative errno, or 0.
static int before(struct file *file, unsigned number, const void *argument)
{
    if (number == DRM_GEM_CLOSE)
        close_buffer(file, ((const struct amdgpu_handle *)argument)->handle);
    else if (number == DRM_AMDGPU_CS)
        return submit(file, argument);
    else if (number == DRM_AMDGPU_GEM_VA)
        return change_mapping(file, argument);
    return 0;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    void *const argument = va_arg(arguments, void *);
    va_end(arguments);
    if (!real_ioctl)
        find_next();
    const unsigned number = _IOC_NR(request);
    const bool is_interposed =
        _IOC_TYPE(request) == 'd' &&
        (number == DRM_GEM_CLOSE || number == DRM_AMDGPU_GEM_CREATE || number == DRM_AMDGPU_CS ||
         number == DRM_AMDGPU_GEM_VA || number == DRM_AMDGPU_GEM_USERPTR);
    if (!is_interposed)
        return real_ioctl(fd, request, argument);
    pthread_mutex_lock(&lock);
    struct file *file = file_of(fd);
    const uint64_t size =
        number == DRM_AMDGPU_GEM_CREATE ? ((const struct amdgpu_create *)argument)->size : 0;
    int error = file ? before(file, number, argument) : -ENOMEM;
    int result = error ? -1 : real_ioctl(fd, request, argument);
    if (result == 0 && number == DRM_AMDGPU_GEM_CREATE)
        error =
            add_buffer(file, (struct buffer){.handle = ((struct amdgpu_handle *)argument)->handle,
                                             .size = size});
    if (result == 0 && number == DRM_AMDGPU_GEM_USERPTR)
        error = -ENOSYS; // the shim gives it no handle
    pthread_mutex_unlock(&lock);
    if (error) {
        errno = -error;
        return -1;
    }
    return result;
}

EXPORT int close(int fd)
{
    if (!real_close)
        find_next();
    pthread_mutex_lock(&lock);
    for (struct file **at = &files; *at; at = &(*at)->next)
        if ((*at)->fd == fd) {
            struct file *file = *at;
            for (size_t i = 0; i < file->count; i++)
                release(file, &file->buffers[i]);
            *at = file->next;
            rdna_close(&file->device);
            free(file->buffers);
            free(file);
            break;
        }
    pthread_mutex_unlock(&lock);
    return real_close(fd);
}

// For the process that the library is loaded into, which finds it by dlsym: why a submission since
// the last call was not executed to its end, "not emulated: NAME"; NULL: each was. What such a
// submission should have written is not to be read. A process that never calls this loses its
// Vulkan device instead, with a line on stderr. The text is valid until the next call.
EXPORT const char *rdna_left_out(void);

EXPORT const char *rdna_left_out(void)
{
    static char answer[sizeof(told)];
    pthread_mutex_lock(&lock);
    is_asked = true;
    memcpy(answer, told, sizeof(answer));
    told[0] = 0;
    pthread_mutex_unlock(&lock);
    return answer[0] ? answer : NULL;
}
