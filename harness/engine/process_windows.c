// SPDX-License-Identifier: Apache-2.0
// Processes under Windows: each worker has a job, three pipes and an event. Its arguments pass the
// handles of its ends: litmus worker MANIFEST REQUESTS EVENTS ASKED.
#include "engine/process.h"

#include "engine/protocol.h"

#include <io.h>
#include <signal.h>
#include <stdatomic.h>
#include <windows.h>

#define PIPE_BYTES ENG_LINE_MAX
#define KILLED     ((DWORD)0xe0110009) // exit code with which this program ends a worker

static UINT console_before; // code page

static void restore_console(void)
{
    SetConsoleOutputCP(console_before);
}

// False if the console understands no escape sequences.
static bool use_escapes(DWORD which)
{
    const HANDLE console = GetStdHandle(which);
    DWORD mode;
    return GetConsoleMode(console, &mode) &&
           SetConsoleMode(console,
                          mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

void eng_process_begin(int *argc, char ***argv)
{
    (void)argc, (void)argv; // the program's manifest makes them UTF-8
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    for (int file = 0; file <= 2; file++)
        if (_setmode(file, _O_BINARY) < 0)
            open("NUL", file == 0 ? O_WRONLY : O_RDONLY);
    console_before = GetConsoleOutputCP();
    if (console_before && console_before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
        atexit(restore_console);
    const bool output = use_escapes(STD_OUTPUT_HANDLE), errors = use_escapes(STD_ERROR_HANDLE);
    // As on other systems, TERM says that the terminal has colours and a cursor.
    if (output || errors)
        setenv("TERM", "xterm", 0);
}

// --- A worker, from outside

// One direction of the connection: a pending transfer and its bytes.
struct way {
    HANDLE pipe; // NULL: closed
    OVERLAPPED transfer;
    bool pending;
    size_t first, end; // bytes[] that came and were not taken
    char bytes[PIPE_BYTES];
};

struct eng_child {
    HANDLE process, job, asked;
    struct way requests, events, output;
};

static void close_handle(HANDLE *handle)
{
    if (*handle)
        CloseHandle(*handle);
    *handle = NULL;
}

static void close_way(struct way *way)
{
    DWORD count;
    if (way->pending && CancelIoEx(way->pipe, &way->transfer))
        GetOverlappedResult(way->pipe, &way->transfer, &count, TRUE);
    way->pending = false;
    close_handle(&way->pipe);
    close_handle(&way->transfer.hEvent);
}

// True if no transfer is pending; *count is how many bytes the last one moved.
static bool settle(struct way *way, DWORD *count)
{
    *count = 0;
    if (!way->pending)
        return true;
    if (GetOverlappedResult(way->pipe, &way->transfer, count, FALSE)) {
        way->pending = false;
        return true;
    }
    if (GetLastError() == ERROR_IO_INCOMPLETE)
        return false;
    way->pending = false;
    close_way(way);
    return true;
}

static void begun(struct way *way, BOOL good)
{
    way->pending = good || GetLastError() == ERROR_IO_PENDING;
    if (!way->pending)
        close_way(way);
}

static ptrdiff_t take(struct way *way, char *bytes, size_t size)
{
    DWORD count;
    if (way->first == way->end) {
        if (!settle(way, &count))
            return 0;
        way->first = 0;
        way->end = count;
        if (!count && !way->pipe)
            return ENG_CHILD_CLOSED;
    }
    const size_t there = way->end - way->first, taken = there < size ? there : size;
    memcpy(bytes, way->bytes + way->first, taken);
    way->first += taken;
    if (way->first == way->end && way->pipe && !way->pending)
        begun(way, ReadFile(way->pipe, way->bytes, sizeof way->bytes, NULL, &way->transfer));
    return (ptrdiff_t)taken;
}

// A pipe whose other end is inherited.
static bool open_way(struct way *way, bool from_child, HANDLE *other)
{
    static atomic_uint number;
    char name[80];
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    snprintf(name, sizeof name, "\\\\.\\pipe\\litmus-%lu-%u", GetCurrentProcessId(),
             atomic_fetch_add(&number, 1));
    const HANDLE pipe = CreateNamedPipeA(name,
                                         (from_child ? PIPE_ACCESS_INBOUND : PIPE_ACCESS_OUTBOUND) |
                                             FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                         PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, PIPE_BYTES,
                                         PIPE_BYTES, 0, NULL);
    way->pipe = pipe == INVALID_HANDLE_VALUE ? NULL : pipe;
    if (!way->pipe)
        return false;
    const HANDLE end = CreateFileA(name, from_child ? GENERIC_WRITE : GENERIC_READ, 0, &inherited,
                                   OPEN_EXISTING, 0, NULL);
    *other = end == INVALID_HANDLE_VALUE ? NULL : end;
    way->transfer.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    return *other && way->transfer.hEvent;
}

// The handles that a child inherits.
enum { REQUESTS, EVENTS, ASKED, OUTPUT, NOTHING, INHERITED };

static bool open_handles(struct eng_child *child, HANDLE inherited[INHERITED])
{
    SECURITY_ATTRIBUTES inherits = {.nLength = sizeof inherits, .bInheritHandle = TRUE};
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE |
                                                       JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION};
    if (!open_way(&child->requests, false, &inherited[REQUESTS]) ||
        !open_way(&child->events, true, &inherited[EVENTS]) ||
        !open_way(&child->output, true, &inherited[OUTPUT]))
        return false;
    inherited[ASKED] = child->asked = CreateEventA(&inherits, TRUE, FALSE, NULL);
    const HANDLE nothing = CreateFileA("NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                       &inherits, OPEN_EXISTING, 0, NULL);
    inherited[NOTHING] = nothing == INVALID_HANDLE_VALUE ? NULL : nothing;
    child->job = CreateJobObjectA(NULL, NULL);
    return child->asked && inherited[NOTHING] && child->job &&
           SetInformationJobObject(child->job, JobObjectExtendedLimitInformation, &limits,
                                   sizeof limits);
}

// Inherits only these handles: several threads start workers.
static bool create(struct eng_child *child, HANDLE inherited[INHERITED], char *command,
                   int niceness)
{
    SIZE_T size = 0;
    PROCESS_INFORMATION made = {0};
    STARTUPINFOEXA start = {.StartupInfo = {.cb = sizeof start,
                                            .dwFlags = STARTF_USESTDHANDLES,
                                            .hStdInput = inherited[NOTHING],
                                            .hStdOutput = inherited[OUTPUT],
                                            .hStdError = inherited[OUTPUT]}};
    char program[MAX_PATH * 4];
    const DWORD length = GetModuleFileNameA(NULL, program, sizeof program);
    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    start.lpAttributeList = lit_alloc(1, size);
    InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &size);
    bool good =
        length > 0 && length < sizeof program &&
        UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                  inherited, INHERITED * sizeof *inherited, NULL, NULL) &&
        CreateProcessA(program, command, NULL, NULL, TRUE,
                       EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED | DETACHED_PROCESS |
                           (niceness > 0 ? BELOW_NORMAL_PRIORITY_CLASS : 0),
                       NULL, NULL, &start.StartupInfo, &made);
    child->process = made.hProcess;
    // Before it runs, so that it and what it starts end with the job.
    good = good && AssignProcessToJobObject(child->job, made.hProcess) &&
           ResumeThread(made.hThread) != (DWORD)-1;
    const DWORD error = GetLastError();
    if (!good && made.hProcess)
        TerminateProcess(made.hProcess, KILLED);
    close_handle(&made.hThread);
    DeleteProcThreadAttributeList(start.lpAttributeList);
    free(start.lpAttributeList);
    SetLastError(error);
    return good;
}

struct eng_child *eng_child_start(const char *manifest, int niceness, struct lit_error *error)
{
    struct eng_child *child = lit_alloc(1, sizeof *child);
    HANDLE inherited[INHERITED] = {0};
    OWNED(text_free) struct text command = {0};
    fflush(NULL);
    bool good = !strchr(manifest, '"') && open_handles(child, inherited);
    // A handle has 32 significant bits and is the same in the child.
    text_printf(&command, "litmus worker \"%s\" %zu %zu %zu", manifest, (size_t)inherited[REQUESTS],
                (size_t)inherited[EVENTS], (size_t)inherited[ASKED]);
    good = good && create(child, inherited, command.data, niceness);
    const DWORD number = GetLastError();
    inherited[ASKED] = NULL; // this process's, too
    for (size_t i = 0; i < INHERITED; i++)
        close_handle(&inherited[i]);
    if (good) {
        take(&child->events, NULL, 0); // the first read
        take(&child->output, NULL, 0);
        return child;
    }
    eng_child_free(child);
    lit_fail(error, LIT_EXIT_USAGE, "no worker process can be started: Windows error %lu", number);
    return NULL;
}

void eng_child_free(struct eng_child *child)
{
    if (child->job)
        TerminateJobObject(child->job, KILLED);
    close_way(&child->requests);
    close_way(&child->events);
    close_way(&child->output);
    close_handle(&child->asked);
    close_handle(&child->process);
    close_handle(&child->job);
    free(child);
}

ptrdiff_t eng_child_send(struct eng_child *child, const char *bytes, size_t size)
{
    struct way *way = &child->requests;
    DWORD count;
    if (!settle(way, &count))
        return 0;
    const size_t taken = size < sizeof way->bytes ? size : sizeof way->bytes;
    if (way->pipe) {
        memcpy(way->bytes, bytes, taken);
        begun(way, WriteFile(way->pipe, way->bytes, (DWORD)taken, NULL, &way->transfer));
    }
    return way->pipe ? (ptrdiff_t)taken : ENG_CHILD_CLOSED;
}

ptrdiff_t eng_child_receive(struct eng_child *child, char *bytes, size_t size)
{
    return take(&child->events, bytes, size);
}

ptrdiff_t eng_child_output(struct eng_child *child, char *bytes, size_t size)
{
    const ptrdiff_t length = take(&child->output, bytes, size);
    ptrdiff_t kept = 0;
    // End lines as on other systems.
    for (ptrdiff_t i = 0; i < length; i++)
        if (bytes[i] != '\r')
            bytes[kept++] = bytes[i];
    return length < 0 ? length : kept;
}

void eng_child_disconnect(struct eng_child *child)
{
    close_way(&child->requests);
    close_way(&child->events);
    child->events.first = child->events.end;
}

bool eng_child_connected(const struct eng_child *child)
{
    return child->events.pipe || child->events.first < child->events.end;
}

void eng_child_wait(struct eng_child *child, bool sends, double seconds)
{
    HANDLE events[4] = {child->process};
    DWORD count = 1;
    struct way *const ways[] = {&child->events, &child->output, &child->requests};
    for (size_t i = 0; i < (sends ? 3 : 2); i++) {
        if (ways[i]->first < ways[i]->end)
            return;
        if (ways[i]->pending)
            events[count++] = ways[i]->transfer.hEvent;
    }
    // A process that has ended does not wake the next wait.
    const bool ended = eng_child_ended(child);
    const DWORD milliseconds = (DWORD)(seconds * 1000) + 1;
    if (ended && count == 1)
        Sleep(1);
    else
        WaitForMultipleObjects(count - ended, events + ended, FALSE, milliseconds);
}

void eng_child_signal(struct eng_child *child, bool kill)
{
    if (kill)
        TerminateJobObject(child->job, KILLED);
    else
        SetEvent(child->asked);
}

bool eng_child_ended(struct eng_child *child)
{
    return WaitForSingleObject(child->process, 0) == WAIT_OBJECT_0;
}

// Names an exception, or a status that a process ends with: "access violation"; NULL if unknown.
static const char *exception_name(unsigned long code)
{
    static const struct {
        DWORD code;
        const char *name;
    } names[] = {
        {EXCEPTION_ACCESS_VIOLATION, "access violation"},
        {EXCEPTION_IN_PAGE_ERROR, "in-page error"},
        {EXCEPTION_ILLEGAL_INSTRUCTION, "illegal instruction"},
        {EXCEPTION_PRIV_INSTRUCTION, "privileged instruction"},
        {EXCEPTION_INT_DIVIDE_BY_ZERO, "integer division by zero"},
        {EXCEPTION_INT_OVERFLOW, "integer overflow"},
        {EXCEPTION_FLT_DIVIDE_BY_ZERO, "floating-point division by zero"},
        {EXCEPTION_FLT_INVALID_OPERATION, "invalid floating-point operation"},
        {EXCEPTION_STACK_OVERFLOW, "stack overflow"},
        {EXCEPTION_ARRAY_BOUNDS_EXCEEDED, "array bounds exceeded"},
        {EXCEPTION_DATATYPE_MISALIGNMENT, "misaligned data"},
        {EXCEPTION_BREAKPOINT, "breakpoint"},
        {EXCEPTION_NONCONTINUABLE_EXCEPTION, "non-continuable exception"},
        {0xc0000374, "heap corruption"},
        {0xc0000409, "stack buffer overrun"},
        {0xc0000135, "DLL not found"},
        {0xc0000142, "DLL initialisation failed"},
        {0xc000013a, "Ctrl-C"},
        {0xe06d7363, "C++ exception"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            return names[i].name;
    return NULL;
}

static DWORD exit_code(const struct eng_child *child)
{
    DWORD code = STILL_ACTIVE;
    GetExitCodeProcess(child->process, &code);
    return code;
}

void eng_child_describe(const struct eng_child *child, char *text, size_t size)
{
    const DWORD code = exit_code(child);
    const char *name = exception_name(code);
    if (WaitForSingleObject(child->process, 0) != WAIT_OBJECT_0)
        snprintf(text, size, "still running");
    else if (name || code >= 0x80000000)
        snprintf(text, size, "exception 0x%08lx%s%s%s", code, name ? " (" : "", name ? name : "",
                 name ? ")" : "");
    else
        snprintf(text, size, "exit status %lu%s", code, code == 3 ? " (abort)" : "");
}

const char *eng_child_failure(const struct eng_child *child)
{
    switch (exit_code(child)) {
    case ENG_EXIT_MEMORY:
    case ENG_EXIT_REQUEST:
        return "the worker failed, not the driver";
    case ENG_EXIT_START:
        return "the worker could not be started";
    case 1: // the task manager, taskkill
    case KILLED:
    case (DWORD)STATUS_CONTROL_C_EXIT:
        return "the worker was ended from outside";
    default:
        return NULL;
    }
}

char *eng_child_core(const struct eng_child *child)
{
    (void)child;
    return NULL;
}

// --- The connection, from inside

static HANDLE own_handle(int argument)
{
    return __argc > argument ? (HANDLE)(uintptr_t)strtoull(__argv[argument], NULL, 10) : NULL;
}

// The event by which the supervisor asks this worker to end; NULL if there is none.
static HANDLE asked_event(void)
{
    return own_handle(5);
}

void eng_parent_bind(void)
{
    // The job ends this process; its children do not need its handles.
    for (int argument = 3; argument <= 5; argument++)
        if (own_handle(argument))
            SetHandleInformation(own_handle(argument), HANDLE_FLAG_INHERIT, 0);
}

size_t eng_parent_read(char *bytes, size_t size)
{
    DWORD count = 0;
    return ReadFile(own_handle(3), bytes, (DWORD)size, &count, NULL) ? count : 0;
}

size_t eng_parent_send(const char *bytes, size_t size)
{
    DWORD count = 0;
    return WriteFile(own_handle(4), bytes, (DWORD)size, &count, NULL) ? count : 0;
}

// --- What asks a run to stop

static atomic_int came;

static BOOL WINAPI note(DWORD event)
{
    const bool first = atomic_exchange(&came, event == CTRL_C_EVENT ? SIGINT : SIGTERM) == 0;
    // The process ends when this returns: use the time that the system gives.
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(INFINITE);
    return first;
}

void eng_interrupt_listen(void)
{
    SetConsoleCtrlHandler(note, TRUE);
}

int eng_interrupt(void)
{
    return atomic_load(&came);
}

_Noreturn void eng_interrupt_reraise(int number)
{
    (void)number;
    fflush(NULL);
    exit((int)STATUS_CONTROL_C_EXIT);
}

// --- Prints a backtrace for an unhandled exception, for abort, and when a worker is asked to end.
// Calls only what needs no memory.

#define FRAMES 48
#define PROBE  ((SIZE_T)64 << 20) // bytes of address space

static atomic_flag taken = ATOMIC_FLAG_INIT;

static void say(const char *line)
{
    DWORD ignored;
    WriteFile(GetStdHandle(STD_ERROR_HANDLE), line, (DWORD)strlen(line), &ignored, NULL);
}

// Prints "C:\...\driver.dll(+0x1234) [0x7ff812341234]", as on other systems.
static void say_frame(DWORD64 address)
{
    char module[MAX_PATH] = "?", line[MAX_PATH + 64];
    HMODULE base = NULL;
    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                           GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                       (const char *)(uintptr_t)address, &base);
    if (base)
        GetModuleFileNameA(base, module, sizeof module);
    snprintf(line, sizeof line, "%s(+0x%llx) [0x%llx]\n", module,
             address - (base ? (uintptr_t)base : address), address);
    say(line);
}

static void say_frames(CONTEXT *context)
{
    say(ENG_BACKTRACE);
    for (int i = 0; i < FRAMES && context->Rip; i++) {
        DWORD64 base, frame;
        void *data;
        say_frame(context->Rip);
        RUNTIME_FUNCTION *function = RtlLookupFunctionEntry(context->Rip, &base, NULL);
        if (function) {
            RtlVirtualUnwind(UNW_FLAG_NHANDLER, base, context->Rip, function, context, &data,
                             &frame, NULL);
        } else if (IsBadReadPtr((const void *)context->Rsp, sizeof(DWORD64))) {
            break;
        } else {
            context->Rip = *(const DWORD64 *)context->Rsp;
            context->Rsp += sizeof(DWORD64);
        }
    }
}

// Few drivers survive a failed allocation, so a crash without memory is not the driver's fault.
static bool has_memory(void)
{
    void *probe = VirtualAlloc(NULL, PROBE, MEM_RESERVE, PAGE_NOACCESS);
    return probe && VirtualFree(probe, 0, MEM_RELEASE);
}

static void end(CONTEXT *context, DWORD code)
{
    // Another thread prints the backtrace and ends the process.
    while (atomic_flag_test_and_set(&taken))
        Sleep(1000);
    const bool spent = code != (DWORD)STATUS_CONTROL_C_EXIT && !has_memory();
    if (spent)
        say("litmus: out of memory\n");
    say_frames(context);
    TerminateProcess(GetCurrentProcess(), spent ? ENG_EXIT_MEMORY : code);
}

static LONG WINAPI on_exception(EXCEPTION_POINTERS *exception)
{
    end(exception->ContextRecord, exception->ExceptionRecord->ExceptionCode);
    return EXCEPTION_EXECUTE_HANDLER;
}

static void on_abort(int number)
{
    CONTEXT context;
    (void)number;
    RtlCaptureContext(&context);
    end(&context, 3); // as abort does
}

// Prints where the driver's thread is.
static DWORD WINAPI wait_for_end(void *thread)
{
    CONTEXT context = {.ContextFlags = CONTEXT_FULL};
    WaitForSingleObject(asked_event(), INFINITE);
    if (SuspendThread(thread) != (DWORD)-1 && GetThreadContext(thread, &context))
        end(&context, (DWORD)STATUS_CONTROL_C_EXIT);
    TerminateProcess(GetCurrentProcess(), (DWORD)STATUS_CONTROL_C_EXIT);
    return 0;
}

void eng_backtrace_listen(void)
{
    HANDLE own = NULL;
    SetUnhandledExceptionFilter(on_exception);
    signal(SIGABRT, on_abort);
    if (asked_event() &&
        DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &own, 0,
                        FALSE, DUPLICATE_SAME_ACCESS))
        CreateThread(NULL, 0, wait_for_end, own, 0, NULL);
}
