// SPDX-License-Identifier: Apache-2.0
// The disk: notes what is done, and makes of it what is left.
#include "disk.h"

#include "base/random.h"
#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DESCRIPTORS 1024

enum kind { WRITE, CUT, SYNC, SYNC_FOLDER, MAKE, REMOVE, RENAME };

struct event {
    enum kind kind;
    int file; // number of the file, whatever its name is
    uint64_t offset;
    size_t size;
    unsigned char *bytes;
    char *name, *other; // RENAME: from `name` to `other`
    size_t marks;       // set before
};

struct names {
    char *name[64];
    int file[64];
    size_t count;
};

static struct {
    char folder[256]; // with a slash at its end; "" while nothing is watched
    struct event *events;
    size_t count, marks;
    int files;
    struct names names;    // as the program sees them
    int open[DESCRIPTORS]; // file + 1
} disk;

enum disk_fault disk_fault;

// Names

static size_t find_name(const struct names *names, const char *name)
{
    size_t i = 0;
    while (i < names->count && strcmp(names->name[i], name) != 0)
        i++;
    return i;
}

static void set_name(struct names *names, const char *name, int file)
{
    const size_t i = find_name(names, name);
    if (i == names->count) {
        if (names->count == sizeof names->file / sizeof *names->file)
            abort();
        names->name[names->count++] = lit_strdup(name);
    }
    names->file[i] = file;
}

static void drop_name(struct names *names, const char *name)
{
    const size_t i = find_name(names, name);
    if (i == names->count)
        return;
    free(names->name[i]);
    names->count--;
    names->name[i] = names->name[names->count];
    names->file[i] = names->file[names->count];
}

static void clear_names(struct names *names)
{
    while (names->count)
        drop_name(names, names->name[0]);
}

static void apply_name(struct names *names, const struct event *event)
{
    if (event->kind == MAKE)
        set_name(names, event->name, event->file);
    else
        drop_name(names, event->name);
    if (event->kind == RENAME)
        set_name(names, event->other, event->file);
}

// The name of a watched file in its folder, or NULL.
static const char *watched(const char *path)
{
    const size_t length = strlen(disk.folder);
    if (!length || strncmp(path, disk.folder, length) != 0 || strchr(path + length, '/'))
        return NULL;
    const char *name = path + length, *end = strrchr(name, '-');
    return end && strcmp(end, "-shm") == 0 ? NULL : name;
}

// Noting

static struct event *note(enum kind kind, int file)
{
    disk.events = lit_realloc(disk.events, disk.count + 1, sizeof *disk.events);
    struct event *event = &disk.events[disk.count++];
    *event = (struct event){.kind = kind, .file = file, .marks = disk.marks};
    return event;
}

static void note_write(int file, const void *bytes, size_t size, uint64_t offset)
{
    struct event *event = note(WRITE, file);
    event->bytes = lit_alloc(size, 1);
    memcpy(event->bytes, bytes, size);
    event->offset = offset;
    event->size = size;
}

static int file_of(int descriptor)
{
    return descriptor >= 0 && descriptor < DESCRIPTORS ? disk.open[descriptor] - 1 : -1;
}

static int open_noted(const char *path, int flags, mode_t mode)
{
    const char *name = watched(path);
    const int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (!name || descriptor < 0)
        return descriptor;
    if (descriptor >= DESCRIPTORS || flags & (O_TRUNC | O_APPEND))
        abort();
    size_t i = find_name(&disk.names, name);
    if (i == disk.names.count) {
        struct event *event = note(MAKE, disk.files++);
        event->name = lit_strdup(name);
        apply_name(&disk.names, event);
    }
    disk.open[descriptor] = disk.names.file[i] + 1;
    return descriptor;
}

// In the place of the C library's

int noted_open(const char *path, int flags, ...) __asm__("open64");
int noted_mkostemp(char *path, int flags) __asm__("mkostemp64");
int noted_close(int descriptor) __asm__("close");
ssize_t noted_write(int descriptor, const void *bytes, size_t size) __asm__("write");
ssize_t noted_pwrite(int descriptor, const void *bytes, size_t size, off_t at) __asm__("pwrite64");
int noted_ftruncate(int descriptor, off_t size) __asm__("ftruncate64");
int noted_fsync(int descriptor) __asm__("fsync");
int noted_fdatasync(int descriptor) __asm__("fdatasync");
int noted_unlink(const char *path) __asm__("unlink");
int noted_rename(const char *from, const char *to) __asm__("rename");

int noted_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_noted(path, flags, mode);
}

int noted_mkostemp(char *path, int flags)
{
    static unsigned number;
    char *place = path + strlen(path) - 6; // XXXXXX
    snprintf(place, 7, "%06x", number++ & 0xffffff);
    return open_noted(path, flags | O_RDWR | O_CREAT | O_EXCL, 0600);
}

int noted_close(int descriptor)
{
    if (file_of(descriptor) >= 0)
        disk.open[descriptor] = 0;
    return (int)syscall(SYS_close, descriptor);
}

ssize_t noted_write(int descriptor, const void *bytes, size_t size)
{
    if (file_of(descriptor) >= 0)
        note_write(file_of(descriptor), bytes, size,
                   (uint64_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR));
    return (ssize_t)syscall(SYS_write, descriptor, bytes, size);
}

ssize_t noted_pwrite(int descriptor, const void *bytes, size_t size, off_t at)
{
    if (file_of(descriptor) >= 0)
        note_write(file_of(descriptor), bytes, size, (uint64_t)at);
    return (ssize_t)syscall(SYS_pwrite64, descriptor, bytes, size, at);
}

int noted_ftruncate(int descriptor, off_t size)
{
    if (file_of(descriptor) >= 0)
        note(CUT, file_of(descriptor))->size = (size_t)size;
    return (int)syscall(SYS_ftruncate, descriptor, size);
}

int noted_fsync(int descriptor)
{
    struct stat status;
    if (file_of(descriptor) >= 0 && disk_fault != DISK_SYNCS_NO_FILE)
        note(SYNC, file_of(descriptor));
    else if (disk.folder[0] && disk_fault != DISK_SYNCS_NO_FOLDER &&
             fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode))
        note(SYNC_FOLDER, -1);
    return 0;
}

int noted_fdatasync(int descriptor)
{
    return noted_fsync(descriptor);
}

int noted_unlink(const char *path)
{
    const char *name = watched(path);
    const int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (name && result == 0) {
        struct event *event = note(REMOVE, -1);
        event->name = lit_strdup(name);
        apply_name(&disk.names, event);
    }
    return result;
}

int noted_rename(const char *from, const char *to)
{
    const char *name = watched(from), *other = watched(to);
    const int result = (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
    if (name && other && result == 0) {
        struct event *event = note(RENAME, disk.names.file[find_name(&disk.names, name)]);
        event->name = lit_strdup(name);
        event->other = lit_strdup(other);
        apply_name(&disk.names, event);
    }
    return result;
}

// Watching

void disk_watch(const char *folder)
{
    DIR *listed = opendir(folder);
    disk_clear();
    snprintf(disk.folder, sizeof disk.folder, "%s/", folder);
    for (const struct dirent *entry; listed && (entry = readdir(listed));) {
        OWNED(text_free) struct text path = {0}, bytes = {0};
        text_printf(&path, "%s%s", disk.folder, entry->d_name);
        if (entry->d_name[0] != '.' && watched(path.data) &&
            text_read(&bytes, path.data, SIZE_MAX / 2)) {
            struct event *event = note(MAKE, disk.files++);
            event->name = lit_strdup(entry->d_name);
            apply_name(&disk.names, event);
            note_write(event->file, bytes.data ? bytes.data : "", bytes.length, 0);
            note(SYNC, disk.files - 1);
        }
    }
    note(SYNC_FOLDER, -1);
    if (listed)
        closedir(listed);
}

void disk_stop(void)
{
    disk.folder[0] = '\0';
    clear_names(&disk.names);
    memset(disk.open, 0, sizeof disk.open);
}

void disk_clear(void)
{
    disk_stop();
    for (size_t i = 0; i < disk.count; i++) {
        free(disk.events[i].bytes);
        free(disk.events[i].name);
        free(disk.events[i].other);
    }
    free(disk.events);
    disk.events = NULL;
    disk.count = disk.marks = 0;
    disk.files = 0;
}

size_t disk_events(void)
{
    return disk.count;
}

void disk_mark(void)
{
    disk.marks++;
}

size_t disk_marks(size_t event)
{
    return event < disk.count ? disk.events[event].marks : disk.marks;
}

// What is left

struct content {
    unsigned char *bytes;
    size_t size;
};

struct left {
    struct content *contents;      // by file
    const struct event **unsynced; // writes and cuts, oldest first
    size_t unsynced_count;
    struct names names;
    const struct event **unsynced_names;
    size_t unsynced_names_count;
};

const char *disk_fate_name(enum disk_fate fate)
{
    static const char *const names[] = {
        [DISK_NONE] = "none",           [DISK_ALL] = "all",
        [DISK_SOME] = "some",           [DISK_REORDERED] = "reordered",
        [DISK_TORN_512] = "torn (512)", [DISK_TORN_4096] = "torn (4096)",
    };
    return names[fate];
}

// Between two offsets of the file.
static void apply_part(struct content *content, const struct event *event, uint64_t from,
                       uint64_t to)
{
    const uint64_t size = event->kind == CUT ? event->size : to;
    if (size > content->size || event->kind == CUT) {
        content->bytes = lit_realloc(content->bytes, size + 1, 1);
        if (size > content->size)
            memset(content->bytes + content->size, 0, size - content->size);
        content->size = size;
    }
    if (event->kind == WRITE)
        memcpy(content->bytes + from, event->bytes + (from - event->offset), to - from);
}

static void apply(struct content *content, const struct event *event)
{
    apply_part(content, event, event->offset, event->offset + event->size);
}

static void sync_file(struct left *left, int file)
{
    size_t kept = 0;
    for (size_t i = 0; i < left->unsynced_count; i++)
        if (left->unsynced[i]->file == file)
            apply(&left->contents[file], left->unsynced[i]);
        else
            left->unsynced[kept++] = left->unsynced[i];
    left->unsynced_count = kept;
}

static void follow(struct left *left, const struct event *event)
{
    switch (event->kind) {
    case WRITE:
    case CUT:
        left->unsynced[left->unsynced_count++] = event;
        break;
    case SYNC:
        sync_file(left, event->file);
        break;
    case MAKE:
    case REMOVE:
    case RENAME:
        left->unsynced_names[left->unsynced_names_count++] = event;
        break;
    case SYNC_FOLDER:
        for (size_t i = 0; i < left->unsynced_names_count; i++)
            apply_name(&left->names, left->unsynced_names[i]);
        left->unsynced_names_count = 0;
    }
}

struct piece {
    const struct event *event;
    uint64_t from, to;
};

// Cut where sectors end; 0: whole writes.
static struct piece *cut_pieces(const struct left *left, uint64_t sector, size_t *count)
{
    struct piece *pieces = NULL;
    *count = 0;
    for (size_t i = 0; i < left->unsynced_count; i++) {
        const struct event *event = left->unsynced[i];
        const uint64_t end = event->offset + event->size;
        uint64_t from = event->offset;
        do {
            uint64_t to = sector && event->kind == WRITE ? (from / sector + 1) * sector : end;
            to = to < end ? to : end;
            pieces = lit_realloc(pieces, *count + 1, sizeof *pieces);
            pieces[(*count)++] = (struct piece){event, from, to};
            from = to;
        } while (from < end && event->kind == WRITE);
    }
    return pieces;
}

static void lose_power(struct left *left, enum disk_fate fate, struct lit_random *random)
{
    static const uint64_t sectors[DISK_FATES] = {[DISK_TORN_512] = 512, [DISK_TORN_4096] = 4096};
    size_t count;
    OWNED(lit_free) struct piece *pieces = cut_pieces(left, sectors[fate], &count);
    for (size_t i = count; fate >= DISK_REORDERED && i > 1; i--) {
        const size_t other = random_next(random) % i;
        const struct piece piece = pieces[i - 1];
        pieces[i - 1] = pieces[other];
        pieces[other] = piece;
    }
    for (size_t i = 0; i < count; i++)
        if (fate == DISK_ALL || (fate != DISK_NONE && random_next(random) % 2))
            apply_part(&left->contents[pieces[i].event->file], pieces[i].event, pieces[i].from,
                       pieces[i].to);
    size_t names = fate == DISK_NONE  ? 0
                   : fate == DISK_ALL ? left->unsynced_names_count
                                      : random_next(random) % (left->unsynced_names_count + 1);
    for (size_t i = 0; i < names; i++)
        apply_name(&left->names, left->unsynced_names[i]);
}

static void make_file(const char *folder, const char *name, const struct content *content)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wbe");
    if (!file ||
        fwrite(content->bytes ? content->bytes : (const unsigned char *)"", 1, content->size,
               file) != content->size ||
        fclose(file) != 0)
        abort();
}

void disk_leave(const char *folder, size_t event, enum disk_fate fate, uint64_t seed)
{
    struct lit_random random = {.state = seed * 1000003 + event * 31 + (uint64_t)fate};
    struct left left = {.contents = lit_alloc((size_t)disk.files + 1, sizeof *left.contents),
                        .unsynced = lit_alloc(disk.count + 1, sizeof *left.unsynced),
                        .unsynced_names = lit_alloc(disk.count + 1, sizeof *left.unsynced_names)};
    for (size_t i = 0; i < event && i < disk.count; i++)
        follow(&left, &disk.events[i]);
    lose_power(&left, fate, &random);
    for (size_t i = 0; i < left.names.count; i++)
        make_file(folder, left.names.name[i], &left.contents[left.names.file[i]]);
    for (int i = 0; i < disk.files; i++)
        free(left.contents[i].bytes);
    clear_names(&left.names);
    free(left.contents);
    free(left.unsynced);
    free(left.unsynced_names);
}
