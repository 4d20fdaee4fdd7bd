// SPDX-License-Identifier: Apache-2.0
// Edits a store for the tests in Python: edit STORE SQL. Prints how many rows the last statement
// changed. Devices get the identities of their facts.
#define UNIT_MAIN
#include "unit.h"

#include "edit.h"

// As dev_facts_id has it, of drivers whose number is one byte.
#define IDENTITY                                                                                   \
    "litmus_identity(device_uuid || driver_uuid || char(driver_id, 0, 0, 0) || name || char(0)"    \
    " || driver_info || char(0) || driver_version || char(0))"
#define MOVE(table)                                                                                \
    "UPDATE " table " SET device = (SELECT " IDENTITY " FROM device WHERE id = " table ".device"   \
    " AND device.session = " table ".session);"

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const int changed = edit_store(argv[1], argv[2]);
    edit_store(argv[1],
               MOVE("result") MOVE("tuning") MOVE("code") "UPDATE device SET id = " IDENTITY);
    printf("%d\n", changed);
    return 0;
}
