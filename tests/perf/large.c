// SPDX-License-Identifier: Apache-2.0
// Makes a store of many sessions (large.h).
//
// usage: perf-large STORE SESSIONS RESULTS
#include "large.h"

int main(int argc, char **argv)
{
    struct lit_error error = {0};
    if (argc == 4 &&
        large_make(argv[1], strtoll(argv[2], NULL, 10), strtoll(argv[3], NULL, 10), &error))
        return 0;
    fprintf(stderr, "perf-large: %s\n",
            argc == 4 ? error.message : "usage: perf-large STORE SESSIONS RESULTS");
    return 1;
}
