// SPDX-License-Identifier: Apache-2.0
// A disk that keeps apart what was synced and what was not. The functions by which this process
// changes files are defined here in the place of the C library's, below SQLite's VFS: so the names
// of files count as well, which SQLite and a merge make, rename, remove, and sync with their
// folder. What they do in the watched folder is done and noted; nothing waits for the real disk.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// From now on, what is done to the plain files of a folder is noted: what is there counts as
// synced. Files of memory that processes share (-shm) are none of a disk's.
void disk_watch(const char *folder);
void disk_stop(void);
// What was noted is forgotten.
void disk_clear(void);

// Events are numbered from 0: a write, cut, sync, or change of a name. A mark says that the program
// was told by now that all before is written.
size_t disk_events(void);
void disk_mark(void);
size_t disk_marks(size_t event); // set before this event

// What becomes of what was not synced when the power goes. Of names, which journals of file systems
// keep in order, the first few are there.
enum disk_fate {
    DISK_NONE,
    DISK_ALL,
    DISK_SOME,
    DISK_REORDERED, // some, in another order
    DISK_TORN_512,  // some sectors, in another order
    DISK_TORN_4096,
    DISK_FATES
};
const char *disk_fate_name(enum disk_fate fate);

// Makes the files that a disk has on which the power went before an event, in an empty folder.
void disk_leave(const char *folder, size_t event, enum disk_fate fate, uint64_t seed);

// Faults of a program that the driver has to see: what is called does nothing.
enum disk_fault { DISK_RIGHT, DISK_SYNCS_NO_FILE, DISK_SYNCS_NO_FOLDER };
extern enum disk_fault disk_fault;
