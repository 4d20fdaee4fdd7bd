// SPDX-License-Identifier: Apache-2.0
// litmus devices: asks each driver that the Vulkan loader knows, in its own worker.
#include "cli/device.h"
#include "engine/drivers.h"
#include "engine/watch.h"
#include "model/inventory.h"
#include "report/format.h"
#include "report/table.h"

struct options {
    int verbose;
    double timeout;
    struct lit_list simt;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option options[] = {
    CLI_OPTION_TIMEOUT("seconds that a driver may take to answer (default: 60)"),
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "print identities, manifests, and the drivers' own output"},
    CLI_OPTION_SIMT("only the SIMT simulator, see 'litmus help run'"),
    CLI_OPTION_EMULATE,
};

const struct cli_syntax cli_devices_syntax = {
    .name = "devices",
    .usage = "[OPTION]...",
    .about = "Lists the devices, with the numbers that 'litmus run -d' takes, and the drivers "
             "without\na device, with the reason. A driver that crashes or hangs does not affect "
             "the others.",
    CLI_OPTIONS(options, struct options, .timeout = ENG_IDLE_SECONDS),
    .more =
        "Looks for drivers where the Vulkan loader does: in VK_DRIVER_FILES if it is set, else in\n"
        "VK_ADD_DRIVER_FILES and the folders vulkan/icd.d of XDG_CONFIG_HOME, XDG_CONFIG_DIRS, "
        "/etc,\nXDG_DATA_HOME and XDG_DATA_DIRS. On Windows the registry replaces the folders.\n",
};

#define WIDEST 60

// Adds a cell, cut if it would push others off the terminal.
static void put_cell(struct table *table, const char *string)
{
    size_t columns = 0, length = 0;
    for (; string[length] && columns < WIDEST - 3; length++)
        columns += ((unsigned char)string[length + 1] & 0xc0) != 0x80;
    const bool cut = table_text_width(string) > WIDEST;
    table_put(table, TONE_PLAIN, "%.*s%s", cut ? (int)length : -1, string, cut ? "..." : "");
}

static void add_row(struct table *table, const struct eng_device *device)
{
    const struct dev_facts *facts = &device->facts;
    char driver[512], api[32], sizes[64];
    snprintf(driver, sizeof driver, "%s %s", facts->driver_name, facts->driver_version);
    format_api(api, facts->api);
    ses_subgroup_sizes(facts, sizes, sizeof sizes);
    table_row(table);
    table_put(table, TONE_PLAIN, "%u", device->number);
    put_cell(table, facts->name);
    table_put(table, TONE_PLAIN, "%s", facts->type);
    put_cell(table, driver);
    table_put(table, TONE_PLAIN, "%s", api);
    table_put(table, TONE_PLAIN, "%s", sizes);
}

static void put_identity(struct text *text, const struct eng_device *device)
{
    char uuid[37], manifest[512];
    format_uuid(uuid, device->facts.device_uuid);
    text_sanitise(manifest, sizeof manifest, device->manifest);
    text_printf(text, "   uuid %s, identity %s, product %04x:%04x\n   %s\n   %s\n", uuid,
                device->id, device->facts.vendor, device->facts.product, device->facts.driver_info,
                manifest);
}

static void put_table(struct text *text, const struct eng_inventory *inventory, bool verbose)
{
    static const struct table_column columns[] = {
        COL(""), COL("device"), COL("type"), COL("driver"), COL("Vulkan"), COL("subgroups of")};
    OWNED(table_clear) struct table table = {TABLE_OF(columns)};
    OWNED(text_free) struct text lines = {0};
    for (size_t i = 0; i < inventory->count; i++)
        add_row(&table, &inventory->devices[i]);
    table_terminal(&table, false, &lines);
    // Print the heading, then a line for each device, without leading blanks.
    const char *line = lines.data;
    for (size_t i = 0; i <= inventory->count; i++) {
        const size_t length = strcspn(line, "\n") + 1;
        text_append(text, line + 2, length - 2);
        line += length;
        const struct eng_device *device = i ? &inventory->devices[i - 1] : NULL;
        if (device && device->facts.problem[0])
            text_printf(text, "   nothing can run on it: %s\n", device->facts.problem);
        if (device && verbose)
            put_identity(text, device);
    }
}

static int print_devices(struct ses_devices *devices, bool verbose)
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
        text_puts(&text, "no device: the Vulkan loader found no driver\n");
    const int code = term_print(&text);
    if (inventory->failed[0])
        return LIT_EXIT_USAGE;
    return code == LIT_EXIT_OK && inventory->count == 0 ? LIT_EXIT_NOTHING : code;
}

int cli_devices(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    struct ses_devices devices = {0};
    if (!ses_simt_use(&chosen->simt, &call->error))
        return CLI_FAILED;
    ses_devices_watch(&devices, chosen->timeout, 0, chosen->verbose);
    return ses_devices_end(&devices, print_devices(&devices, chosen->verbose > 0));
}
