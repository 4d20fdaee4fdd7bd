// SPDX-License-Identifier: Apache-2.0
// Prints a backtrace for an unhandled exception, for abort, and when a worker is asked to end.
// Calls only what needs no memory.
#include "engine/process.h"
#include "engine/process_windows.h"
#include "engine/protocol.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#define FRAMES 48
#define PROBE  ((SIZE_T)64 << 20) // bytes of address space

static atomic_flag taken = ATOMIC_FLAG_INIT;

const char *eng_exception_name(unsigned long code)
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
    WaitForSingleObject(eng_parent_asked(), INFINITE);
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
    if (eng_parent_asked() &&
        DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &own, 0,
                        FALSE, DUPLICATE_SAME_ACCESS))
        CreateThread(NULL, 0, wait_for_end, own, 0, NULL);
}
