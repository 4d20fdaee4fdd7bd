// SPDX-License-Identifier: Apache-2.0
// Strings, times, the environment, and information about the machine.
#include <ctype.h>
#include <errno.h>
#include <io.h>
#include <math.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <windows.h>

#define _SEARCH_PRIVATE
#include <search.h>

#include <ntsecapi.h>

void *memmem(const void *bytes, size_t size, const void *wanted, size_t wanted_size)
{
    const char *at = bytes;
    for (; size >= wanted_size; at++, size--)
        if (memcmp(at, wanted, wanted_size) == 0)
            return (void *)(uintptr_t)at;
    return NULL;
}

void *memrchr(const void *bytes, int byte, size_t size)
{
    const unsigned char *first = bytes;
    while (size-- > 0)
        if (first[size] == (unsigned char)byte)
            return (void *)(uintptr_t)(first + size);
    return NULL;
}

char *strchrnul(const char *string, int character)
{
    while (*string && *string != (char)character)
        string++;
    return (char *)(uintptr_t)string;
}

char *strndup(const char *string, size_t size)
{
    const size_t length = strnlen(string, size);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, string, length);
        copy[length] = '\0';
    }
    return copy;
}

char *strcasestr(const char *string, const char *wanted)
{
    const size_t length = strlen(wanted);
    for (; *string; string++)
        if (strnicmp(string, wanted, length) == 0)
            return (char *)(uintptr_t)string;
    return length ? NULL : (char *)(uintptr_t)string;
}

// Sets both the C library's and the system's, which other libraries and child processes use.
int setenv(const char *name, const char *value, int replace)
{
    return !replace && getenv(name) ? 0 : _putenv_s(name, value) == 0 ? 0 : -1;
}

int unsetenv(const char *name)
{
    return setenv(name, "", 1);
}

// Parses this many digits as a number within bounds.
static const char *take_number(const char *text, int digits, int least, int most, int *number)
{
    *number = 0;
    for (int i = 0; i < digits; i++, text++) {
        if (!isdigit((unsigned char)*text))
            return NULL;
        *number = *number * 10 + (*text - '0');
    }
    return *number >= least && *number <= most ? text : NULL;
}

char *strptime(const char *text, const char *format, struct tm *time)
{
    for (; text && *format; format++) {
        int number = 0;
        if (*format != '%') {
            text = *text == *format ? text + 1 : NULL;
            continue;
        }
        switch (*++format) {
        case 'Y':
            text = take_number(text, 4, 0, 9999, &number);
            time->tm_year = number - 1900;
            break;
        case 'm':
            text = take_number(text, 2, 1, 12, &number);
            time->tm_mon = number - 1;
            break;
        case 'd':
            text = take_number(text, 2, 1, 31, &time->tm_mday);
            break;
        case 'H':
            text = take_number(text, 2, 0, 23, &time->tm_hour);
            break;
        case 'M':
            text = take_number(text, 2, 0, 59, &time->tm_min);
            break;
        case 'S':
            text = take_number(text, 2, 0, 60, &time->tm_sec);
            break;
        default:
            text = NULL;
        }
    }
    return (char *)(uintptr_t)text;
}

ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    (void)flags;
    errno = EIO;
    return RtlGenRandom(bytes, (ULONG)size) ? (ssize_t)size : -1;
}

long sysconf(int name)
{
    SYSTEM_INFO system;
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    GetSystemInfo(&system);
    GlobalMemoryStatusEx(&memory);
    switch (name) {
    case _SC_PAGESIZE:
        return (long)system.dwPageSize;
    case _SC_PHYS_PAGES:
        return (long)(memory.ullTotalPhys / system.dwPageSize);
    default:
        return (long)system.dwNumberOfProcessors;
    }
}

int sched_getaffinity(int process, size_t size, cpu_set_t *set)
{
    DWORD_PTR own = 0, all = 0;
    (void)process, (void)size;
    const bool good = GetProcessAffinityMask(GetCurrentProcess(), &own, &all);
    *set = own;
    return good ? 0 : -1;
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until)
{
    enum { SECOND = 1000000000 };
    struct timespec there, here;
    clock_gettime(clock, &there);
    clock_gettime(CLOCK_REALTIME, &here);
    here.tv_sec += until->tv_sec - there.tv_sec;
    here.tv_nsec += until->tv_nsec - there.tv_nsec;
    here.tv_sec += here.tv_nsec < 0 ? -1 : here.tv_nsec >= SECOND;
    here.tv_nsec += here.tv_nsec < 0 ? SECOND : here.tv_nsec >= SECOND ? -SECOND : 0;
    return pthread_cond_timedwait(condition, mutex, &here);
}

double lgamma_r(double x, int *sign)
{
    *sign = 1;
    return lgamma(x);
}

__extension__ typedef __float128 quad;
__extension__ typedef unsigned __int128 quad_bits;

// Rounded to odd if inexact, so that a second rounding gives the same as a single one.
static quad add_to_odd(quad x, quad y)
{
    const quad sum = x + y, part = sum - x, rest = (x - (sum - part)) + (y - part);
    union {
        quad value;
        quad_bits bits;
    } odd = {sum};
    if ((rest > 0 || rest < 0) && !(odd.bits & 1))
        odd.bits += (rest > 0) == (sum > 0) ? 1 : (quad_bits)-1;
    return odd.value;
}

// A product of two doubles is exact in a quad.
double posix_fma(double x, double y, double z)
{
    return (double)add_to_odd((quad)x * y, z);
}

float posix_fmaf(float x, float y, float z)
{
    return (float)add_to_odd((quad)x * y, z);
}

void tdestroy(void *root, void (*clear)(void *item))
{
    node_t *const node = root;
    if (!node)
        return;
    tdestroy(node->llink, clear);
    tdestroy(node->rlink, clear);
    clear(node->key);
    free(node);
}

// GetVersion returns what the manifest declares; this returns the actual version.
int uname(struct utsname *system)
{
    LONG NTAPI RtlGetVersion(RTL_OSVERSIONINFOW *);
    typedef const char *CDECL get_wine(void);
    const FARPROC found = GetProcAddress(GetModuleHandleA("ntdll.dll"), "wine_get_version");
    get_wine *wine;
    RTL_OSVERSIONINFOW about = {.dwOSVersionInfoSize = sizeof about};
    memcpy(&wine, &found, sizeof wine);
    if (RtlGetVersion(&about) != 0)
        return -1;
    snprintf(system->sysname, sizeof system->sysname, "Windows");
    snprintf(system->release, sizeof system->release, "%lu.%lu.%lu%s%s", about.dwMajorVersion,
             about.dwMinorVersion, about.dwBuildNumber, wine ? " under Wine " : "",
             wine ? wine() : "");
    snprintf(system->machine, sizeof system->machine, "x86_64");
    return 0;
}

int ioctl(int file, int request, struct winsize *size)
{
    CONSOLE_SCREEN_BUFFER_INFO about;
    (void)request;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(file), &about))
        return -1;
    size->ws_col = (unsigned short)(about.srWindow.Right - about.srWindow.Left + 1);
    size->ws_row = (unsigned short)(about.srWindow.Bottom - about.srWindow.Top + 1);
    return 0;
}
