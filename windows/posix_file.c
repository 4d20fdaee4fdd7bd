// SPDX-License-Identifier: Apache-2.0
// Files.
#include <errno.h>
#include <io.h>
#include <sys/random.h>
#include <windows.h>

#undef open
#undef fopen

static const struct {
    DWORD error;
    int number;
} numbers[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT},    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_INVALID_NAME, ENOENT},      {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_BAD_NET_NAME, ENOENT},      {ERROR_DIRECTORY, ENOTDIR},
    {ERROR_FILE_EXISTS, EEXIST},       {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_ACCESS_DENIED, EACCES},     {ERROR_SHARING_VIOLATION, EACCES},
    {ERROR_LOCK_VIOLATION, EACCES},    {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_DISK_FULL, ENOSPC},         {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM}, {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},  {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_NOT_SAME_DEVICE, EXDEV},
};

// Returns -1, with errno translated from the Windows error.
static int fail(void)
{
    const DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].error == error)
            errno = numbers[i].number;
    return -1;
}

int posix_open(const char *path, int flags, ...)
{
    const DWORD access = flags & O_RDWR     ? GENERIC_READ | GENERIC_WRITE
                         : flags & O_WRONLY ? GENERIC_WRITE
                                            : GENERIC_READ;
    const DWORD how = flags & O_CREAT ? flags & O_EXCL ? CREATE_NEW : OPEN_ALWAYS : OPEN_EXISTING;
    path = strcmp(path, "/dev/null") == 0 ? "NUL" : path;
    // Wine would expose the machine's devices, which can block a reader for ever.
    if (strncmp(path, "/dev/", 5) == 0) {
        errno = ENOENT;
        return -1;
    }
    const HANDLE handle =
        CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how,
                    FILE_ATTRIBUTE_NORMAL, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return fail();
    const int file =
        _open_osfhandle((intptr_t)handle, (flags & (O_APPEND | O_RDONLY)) | O_BINARY | O_NOINHERIT);
    if (file < 0)
        CloseHandle(handle);
    else if (flags & O_TRUNC && ftruncate(file, 0) != 0) {
        close(file);
        return -1;
    }
    return file;
}

FILE *posix_fopen(const char *path, const char *mode)
{
    const bool both = strchr(mode, '+');
    const int kind = mode[0] == 'r' ? 0 : O_CREAT | (mode[0] == 'w' ? O_TRUNC : O_APPEND);
    const char *const plain = mode[0] == 'r'   ? both ? "r+b" : "rb"
                              : mode[0] == 'w' ? both ? "w+b" : "wb"
                              : both           ? "a+b"
                                               : "ab";
    // The caller's standard input.
    if (strcmp(path, "/dev/stdin") == 0)
        return fdopen(dup(0), "rb");
    const int file = posix_open(path,
                                kind | (both             ? O_RDWR
                                        : mode[0] == 'r' ? O_RDONLY
                                                         : O_WRONLY),
                                0666);
    FILE *stream = file < 0 ? NULL : fdopen(file, plain);
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

int posix_rename(const char *from, const char *to)
{
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ? 0 : fail();
}

static int status_of(HANDLE handle, struct posix_stat *status)
{
    BY_HANDLE_FILE_INFORMATION about;
    *status = (struct posix_stat){0};
    SetLastError(NO_ERROR);
    const DWORD type = GetFileType(handle);
    if (type != FILE_TYPE_DISK) {
        status->st_mode = type == FILE_TYPE_CHAR ? S_IFCHR | 0666 : S_IFIFO | 0666;
        return type == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR ? fail() : 0;
    }
    if (!GetFileInformationByHandle(handle, &about))
        return fail();
    const bool folder = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    const mode_t mode = about.dwFileAttributes & FILE_ATTRIBUTE_READONLY ? 0444 : 0666;
    status->st_dev = about.dwVolumeSerialNumber;
    status->st_ino = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    status->st_mode = folder ? S_IFDIR | 0777 : S_IFREG | mode;
    status->st_size = (int64_t)((uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow);
    return 0;
}

// Opens a file, folder or device for queries.
static HANDLE look_at(const char *path)
{
    return CreateFileA(path, FILE_READ_ATTRIBUTES,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

int posix_stat(const char *path, struct posix_stat *status)
{
    const HANDLE handle = look_at(path);
    if (handle == INVALID_HANDLE_VALUE)
        return fail();
    const int result = status_of(handle, status);
    CloseHandle(handle);
    return result;
}

int posix_fstat(int file, struct posix_stat *status)
{
    return status_of((HANDLE)_get_osfhandle(file), status);
}

static void turn_separators(char *path)
{
    for (; *path; path++)
        if (*path == '\\')
            *path = '/';
}

char *realpath(const char *path, char *resolved)
{
    char name[32768];
    (void)resolved;
    const HANDLE handle = look_at(path);
    if (handle == INVALID_HANDLE_VALUE)
        return fail(), NULL;
    const DWORD length = GetFinalPathNameByHandleA(handle, name, sizeof name, FILE_NAME_NORMALIZED);
    CloseHandle(handle);
    if (length == 0 || length >= sizeof name)
        return fail(), NULL;
    turn_separators(name);
    // \\?\C:\... and \\?\UNC\server\...
    if (strncmp(name, "//?/UNC/", 8) == 0) {
        char *share = strdup(name + 6);
        if (share)
            share[0] = '/';
        return share;
    }
    return strdup(strncmp(name, "//?/", 4) == 0 ? name + 4 : name);
}

ssize_t readlink(const char *path, char *target, size_t size)
{
    errno = EINVAL;
    if (strcmp(path, "/proc/self/exe") != 0)
        return -1;
    const DWORD length = GetModuleFileNameA(NULL, target, (DWORD)size);
    if (length == 0 || length >= size)
        return fail();
    turn_separators(target);
    return (ssize_t)length;
}

const char *posix_temporary(void)
{
    static _Thread_local char path[MAX_PATH + 2];
    const DWORD length = GetTempPathA(sizeof path, path);
    if (length == 0 || length >= sizeof path)
        return ".";
    turn_separators(path);
    path[length - 1] = '\0'; // the separator
    return path;
}

// Replaces the final XXXXXX until `make` accepts the name.
static int make_temporary(char *template, int (*make)(const char *path))
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char *const end = template + strlen(template) - 6;
    for (unsigned tries = 0; tries < 1000; tries++) {
        unsigned char bytes[6];
        getrandom(bytes, sizeof bytes, 0);
        for (size_t i = 0; i < sizeof bytes; i++)
            end[i] = letters[bytes[i] % (sizeof letters - 1)];
        const int made = make(template);
        if (made >= 0 || errno != EEXIST)
            return made;
    }
    return -1;
}

static int make_folder(const char *path)
{
    return CreateDirectoryA(path, NULL) ? 0 : fail();
}

static int make_file(const char *path)
{
    return posix_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
}

char *mkdtemp(char *template)
{
    return make_temporary(template, make_folder) == 0 ? template : NULL;
}

int mkostemp(char *template, int flags)
{
    (void)flags;
    return make_temporary(template, make_file);
}

int fsync(int file)
{
    return FlushFileBuffers((HANDLE)_get_osfhandle(file)) ? 0 : fail();
}

// This moves the file position, which callers that pass an offset do not rely on.
static OVERLAPPED at_offset(off_t at)
{
    return (OVERLAPPED){.Offset = (DWORD)at, .OffsetHigh = (DWORD)((uint64_t)at >> 32)};
}

ssize_t pread(int file, void *bytes, size_t size, off_t at)
{
    OVERLAPPED place = at_offset(at);
    DWORD count = 0;
    if (!ReadFile((HANDLE)_get_osfhandle(file), bytes, (DWORD)size, &count, &place) &&
        GetLastError() != ERROR_HANDLE_EOF)
        return fail();
    return (ssize_t)count;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    OVERLAPPED place = at_offset(at);
    DWORD count = 0;
    if (!WriteFile((HANDLE)_get_osfhandle(file), bytes, (DWORD)size, &count, &place))
        return fail();
    return (ssize_t)count;
}

// Locks one byte far beyond the end, because others could not read a locked byte.
int flock(int file, int operation)
{
    OVERLAPPED place = {.OffsetHigh = 0x40000000};
    (void)operation;
    if (LockFileEx((HANDLE)_get_osfhandle(file),
                   LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place))
        return 0;
    const bool held = GetLastError() == ERROR_LOCK_VIOLATION || GetLastError() == ERROR_IO_PENDING;
    fail();
    errno = held ? EWOULDBLOCK : errno;
    return -1;
}

int alphasort(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

int scandir(const char *folder, struct dirent ***entries, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
    DIR *const open_folder = opendir(folder);
    int count = 0;
    *entries = NULL;
    if (!open_folder)
        return -1;
    for (const struct dirent *entry; (entry = readdir(open_folder));) {
        if (!wanted(entry))
            continue;
        struct dirent **more = realloc(*entries, ((size_t)count + 1) * sizeof *more);
        struct dirent *own = malloc(sizeof *own);
        if (!more || !own)
            abort();
        *own = *entry;
        *entries = more;
        more[count++] = own;
    }
    closedir(open_folder);
    if (count > 0)
        qsort(*entries, (size_t)count, sizeof **entries,
              (int (*)(const void *, const void *))(void (*)(void))compare);
    return count;
}

static bool is_separator(char character)
{
    return character == '/' || character == '\\';
}

// Length without trailing separators, unless there is nothing else.
static size_t length_of(const char *path, size_t length)
{
    while (length > 1 && is_separator(path[length - 1]) && !(length == 3 && path[1] == ':'))
        length--;
    return length;
}

char *basename(char *path)
{
    const size_t length = length_of(path, strlen(path));
    size_t first = length;
    while (first > 0 && !is_separator(path[first - 1]) && path[first - 1] != ':')
        first--;
    path[length] = '\0';
    return first < length ? path + first : path;
}

char *dirname(char *path)
{
    static char here[] = ".";
    size_t length = length_of(path, strlen(path));
    while (length > 0 && !is_separator(path[length - 1]) && path[length - 1] != ':')
        length--;
    if (length == 0)
        return here;
    path[length_of(path, length)] = '\0';
    return path;
}
