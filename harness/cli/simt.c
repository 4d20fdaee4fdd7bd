// SPDX-License-Identifier: Apache-2.0
// Takes the option --simt.

#include "cli/simt.h"

bool cli_simt_take(const struct cli_list *list, const char **given, struct lit_error *error)
{
    *given = list->count ? list->items[0] : NULL;
    return list->count < 2 ||
           lit_fail(error, LIT_EXIT_USAGE, "--simt can be given once: one model at a time");
}

bool cli_simt_use(const struct cli_list *list, struct lit_error *error)
{
    const char *given = NULL;
    return cli_simt_take(list, &given, error) && (!given || eng_simt_use(given, error));
}
