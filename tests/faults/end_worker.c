// SPDX-License-Identifier: Apache-2.0
// Ends the workers of a program for Windows, `end_worker PROGRAM.exe`, with status 1, as do the
// Task Manager and Windows' own taskkill; Wine's gives 0. Prints how many it has ended.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include <tlhelp32.h>

#define MOST 4096

int main(int count, char **arguments)
{
    static PROCESSENTRY32 found[MOST];
    PROCESSENTRY32 entry = {.dwSize = sizeof entry};
    const HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    size_t named = 0, ended = 0;
    for (BOOL more = Process32First(all, &entry); more; more = Process32Next(all, &entry))
        if (count == 2 && named < MOST && strcmp(entry.szExeFile, arguments[1]) == 0)
            found[named++] = entry;
    for (size_t i = 0; i < named; i++) {
        bool is_worker = false;
        for (size_t parent = 0; parent < named; parent++)
            is_worker |= found[parent].th32ProcessID == found[i].th32ParentProcessID;
        const HANDLE worker =
            is_worker ? OpenProcess(PROCESS_TERMINATE, FALSE, found[i].th32ProcessID) : NULL;
        ended += worker && TerminateProcess(worker, 1);
    }
    printf("%u\n", (unsigned)ended);
    return 0;
}
