// SPDX-License-Identifier: Apache-2.0
// litmus devices: every driver that the Vulkan loader knows, asked in a worker of its own.

#include "cli/cli.h"
#include "cli/device.h"
#include "engine/drivers.h"
#include "engine/watch.h"
#include "model/inventory.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int verbose;
    double timeout;
    struct cli_list simt;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option options[] = {
    CLI_OPTION_TIMEOUT("seconds that a driver may take to answer (default: 60)"),
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "print identities, manifests, and the drivers' own output"},
    CLI_OPTION_SIMT("only the SIMT simulator, see 'litmus help run'"),
};

const struct cli_syntax cli_devices_syntax = {
    .name = "devices",
    .usage = "[OPTION]...",
    .about = "Lists the devices, with the numbers that 'litmus run -d' takes, and the drivers "
             "without\na device, with the reason. A driver that crashes or hangs does not affect "
             "the others.",
    .options = options,
    .count = sizeof options / sizeof options[0],
    .more = "Drivers are searched where the Vulkan loader searches them: VK_DRIVER_FILES if it is "
            "set,\n"
            "else VK_ADD_DRIVER_FILES and the folders vulkan/icd.d of XDG_CONFIG_HOME, "
            "XDG_CONFIG_DIRS,\n"
            "/etc, XDG_DATA_HOME and XDG_DATA_DIRS.\n",
};

enum { COLUMNS = 6 };

struct row {
    char cells[COLUMNS][256];
};

#define WIDEST 60

// Cuts a cell that would push the others off the terminal.
static void shorten(char cell[256])
{
    if (cli_width(cell) <= WIDEST)
        return;
    size_t columns = 0;
    for (; *cell; cell++) {
        columns += ((unsigned char)*cell & 0xc0) != 0x80;
        if (columns == WIDEST - 2) {
            strcpy(cell, "...");
            return;
        }
    }
}

static void fill_row(struct row *row, const struct eng_device *device)
{
    const struct dev_facts *facts = &device->facts;
    snprintf(row->cells[0], 256, "%u", device->number);
    snprintf(row->cells[1], 256, "%s", facts->name);
    snprintf(row->cells[2], 256, "%s", facts->type);
    snprintf(row->cells[3], 256, "%.120s %s", facts->driver_name, facts->driver_version);
    cli_vulkan_version(facts->api, row->cells[4], 256);
    cli_subgroup_sizes(facts, row->cells[5], 256);
    shorten(row->cells[1]);
    shorten(row->cells[3]);
}

static void put_row(struct text *text, const struct row *row, const size_t widths[COLUMNS])
{
    for (size_t c = 0; c < COLUMNS; c++) {
        text_puts(text, c ? "  " : "");
        text_puts(text, row->cells[c]);
        if (c + 1 < COLUMNS)
            text_printf(text, "%*s", (int)(widths[c] - cli_width(row->cells[c])), "");
    }
    text_puts(text, "\n");
}

static void put_identity(struct text *text, const struct eng_device *device)
{
    text_puts(text, "   uuid ");
    for (size_t i = 0; i < sizeof device->facts.device_uuid; i++)
        text_printf(text, "%02x", device->facts.device_uuid[i]);
    char manifest[512];
    text_sanitise(manifest, sizeof manifest, device->manifest);
    text_printf(text, ", identity %s, product %04x:%04x\n   %s\n   %s\n", device->id,
                device->facts.vendor, device->facts.product, device->facts.driver_info, manifest);
}

static void put_table(struct text *text, const struct eng_inventory *inventory, bool verbose)
{
    static const struct row head = {{"", "device", "type", "driver", "Vulkan", "subgroups of"}};
    size_t widths[COLUMNS];
    struct row *rows = lit_alloc(inventory->count, sizeof *rows);
    for (size_t c = 0; c < COLUMNS; c++)
        widths[c] = cli_width(head.cells[c]);
    for (size_t i = 0; i < inventory->count; i++) {
        fill_row(&rows[i], &inventory->devices[i]);
        for (size_t c = 0; c < COLUMNS; c++)
            if (cli_width(rows[i].cells[c]) > widths[c])
                widths[c] = cli_width(rows[i].cells[c]);
    }
    put_row(text, &head, widths);
    for (size_t i = 0; i < inventory->count; i++) {
        put_row(text, &rows[i], widths);
        if (inventory->devices[i].facts.problem[0])
            text_printf(text, "   nothing can run on it: %s\n",
                        inventory->devices[i].facts.problem);
        if (verbose)
            put_identity(text, &inventory->devices[i]);
    }
    free(rows);
}

static int print_devices(struct cli_devices *devices, bool verbose)
{
    const struct eng_inventory *inventory = &devices->inventory;
    struct text text = {0};
    eng_interrupt_listen();
    const bool finished = eng_inventory_take(&devices->watch, &devices->inventory);
    if (inventory->count > 0)
        put_table(&text, inventory, verbose);
    for (size_t i = 0; i < inventory->remark_count; i++) {
        char manifest[512];
        text_sanitise(manifest, sizeof manifest, inventory->remarks[i].manifest);
        text_printf(&text, "no device: %s: %s\n", manifest, inventory->remarks[i].text);
    }
    if (inventory->count + inventory->remark_count == 0 && finished)
        text_puts(&text, "no device: the Vulkan loader knows no driver\n");
    const int code = cli_print(&text);
    if (inventory->failed[0])
        return LIT_EXIT_USAGE;
    return code == LIT_EXIT_OK && inventory->count == 0 ? LIT_EXIT_NOTHING : code;
}

int cli_devices(int argc, char **argv)
{
    struct options chosen = {.timeout = ENG_IDLE_SECONDS};
    struct cli_devices devices = {0};
    struct cli_list operands = {0};
    struct lit_error error = {0};
    int code = LIT_EXIT_OK;
    if (!cli_start(&cli_devices_syntax, argc, argv, &chosen, &operands, NULL, &code))
        return code;
    if (!cli_simt_use(&chosen.simt, &error))
        return cli_fail(&error);
    cli_devices_watch(&devices, chosen.timeout, 0, chosen.verbose);
    return cli_devices_end(&devices, print_devices(&devices, chosen.verbose > 0));
}
