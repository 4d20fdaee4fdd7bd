// SPDX-License-Identifier: Apache-2.0
// The size of a console.
#pragma once

#define TIOCGWINSZ 0

struct winsize {
    unsigned short ws_row, ws_col;
};

int ioctl(int file, int request, struct winsize *size);
