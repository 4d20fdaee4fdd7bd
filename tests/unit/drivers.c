// SPDX-License-Identifier: Apache-2.0
// Which driver manifests are found, in folders made for the test; which of a device's names match
// it.
#include "unit.h"

#include "engine/drivers.h"
#include "model/inventory.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/litmus-drivers-XXXXXX";

// The environment that the search sees: name, value, name, value.
static const char *environment[32];

static char *get(const char *name)
{
    for (size_t i = 0; environment[i]; i += 2)
        if (strcmp(environment[i], name) == 0)
            return (char *)environment[i + 1];
    return NULL;
}

static const char *in_root(const char *path)
{
    static char paths[8][512];
    static unsigned next;
    char *full = paths[next++ % 8];
    snprintf(full, 512, "%s/%s", root, path);
    return full;
}

static void make_folder(const char *path)
{
    char full[512];
    snprintf(full, sizeof full, "%s", in_root(path));
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0777);
        *slash = '/';
    }
    mkdir(full, 0777);
}

static void make_file(const char *path, const char *content)
{
    FILE *file = fopen(in_root(path), "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

#define GOOD  "{\"file_format_version\":\"1.0.0\",\"ICD\":{\"library_path\":\"libx.so\"}}"
#define SMALL "{\"ICD\":{\"library_path\":\"libx.so\",\"library_arch\":\"32\"}}"
#define LARGE "{\"ICD\":{\"library_path\":\"libx.so\",\"library_arch\":\"64\"}}"

// Compares what is found below the root (the machine has its own in /etc).
static void expect(const char *const *paths, size_t count)
{
    OWNED(eng_drivers_clear) struct eng_drivers drivers;
    size_t found = 0;
    eng_drivers_find(&drivers, get);
    for (size_t i = 0; i < drivers.count; i++) {
        if (strncmp(drivers.items[i].manifest, root, strlen(root)) != 0)
            continue;
        assert_true(found < count);
        assert_string_equal(drivers.items[i].manifest + strlen(root) + 1, paths[found]);
        found++;
    }
    assert_int_equal(found, count);
}

#define EXPECT(...)                                                                                \
    do {                                                                                           \
        static const char *const wanted[] = {__VA_ARGS__};                                         \
        expect(wanted, sizeof wanted / sizeof wanted[0]);                                          \
    } while (0)

static int make_tree(void **state)
{
    if (!mkdtemp(root))
        return -1;
    make_folder("config/vulkan/icd.d");
    make_folder("home/.config/vulkan/icd.d");
    make_folder("home/.local/share/vulkan/icd.d");
    make_folder("one/vulkan/icd.d");
    make_folder("two/vulkan/icd.d");
    make_folder("named");
    make_file("config/vulkan/icd.d/c.json", GOOD);
    make_file("home/.config/vulkan/icd.d/h.json", GOOD);
    make_file("home/.local/share/vulkan/icd.d/l.json", GOOD);
    make_file("one/vulkan/icd.d/b.json", GOOD);
    make_file("one/vulkan/icd.d/a.json", LARGE);
    make_file("one/vulkan/icd.d/small.json", SMALL);
    make_file("one/vulkan/icd.d/readme.txt", "no manifest");
    make_file("two/vulkan/icd.d/t.json", GOOD);
    make_file("named/n.json", GOOD);
    make_file("named/m.json", GOOD);
    assert_int_equal(
        symlink(in_root("one/vulkan/icd.d/b.json"), in_root("two/vulkan/icd.d/again.json")), 0);
    return 0;
}

static int remove_tree(void **state)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

TEST(folders_in_the_loaders_order)
{
    char data[1024];
    snprintf(data, sizeof data, "%s::%s/", in_root("one"), in_root("two"));
    const char *full[] = {"XDG_CONFIG_HOME",
                          in_root("config"),
                          "HOME",
                          in_root("home"),
                          "XDG_CONFIG_DIRS",
                          in_root("none"),
                          "XDG_DATA_DIRS",
                          data,
                          NULL};
    memcpy(environment, full, sizeof full);
    EXPECT("config/vulkan/icd.d/c.json", "home/.local/share/vulkan/icd.d/l.json",
           "one/vulkan/icd.d/a.json", "one/vulkan/icd.d/b.json", "two/vulkan/icd.d/t.json");

    const char *home[] = {"HOME", in_root("home"), "XDG_DATA_DIRS", in_root("none"), NULL};
    memcpy(environment, home, sizeof home);
    EXPECT("home/.config/vulkan/icd.d/h.json", "home/.local/share/vulkan/icd.d/l.json");
}

TEST(variables_override_and_add)
{
    char list[1024];
    snprintf(list, sizeof list, "%s:%s", in_root("two/vulkan/icd.d/t.json"), in_root("named"));
    const char *override[] = {"VK_DRIVER_FILES",
                              list,
                              "VK_ICD_FILENAMES",
                              in_root("one"),
                              "VK_ADD_DRIVER_FILES",
                              in_root("one/vulkan/icd.d/a.json"),
                              NULL};
    memcpy(environment, override, sizeof override);
    EXPECT("two/vulkan/icd.d/t.json", "named/m.json", "named/n.json");

    const char *old[] = {"VK_ICD_FILENAMES", in_root("named/n.json"), NULL};
    memcpy(environment, old, sizeof old);
    EXPECT("named/n.json");

    const char *added[] = {"VK_ADD_DRIVER_FILES",
                           in_root("named/n.json"),
                           "VK_DRIVER_FILES",
                           "",
                           "XDG_DATA_DIRS",
                           in_root("two"),
                           NULL};
    memcpy(environment, added, sizeof added);
    EXPECT("named/n.json", "two/vulkan/icd.d/again.json", "two/vulkan/icd.d/t.json");
}

TEST(filters)
{
    const char *select[] = {"VK_DRIVER_FILES", in_root("named"), "VK_LOADER_DRIVERS_SELECT",
                            "x*,M.json", NULL};
    memcpy(environment, select, sizeof select);
    EXPECT("named/m.json");
    const char *disable[] = {"VK_DRIVER_FILES", in_root("named"), "VK_LOADER_DRIVERS_DISABLE", "m*",
                             NULL};
    memcpy(environment, disable, sizeof disable);
    EXPECT("named/n.json");
}

TEST(broken_manifests_are_remarked)
{
    static const struct {
        const char *content, *remark;
        enum eng_manifest want;
    } rows[] = {
        {GOOD, "", ENG_MANIFEST_GOOD},
        {LARGE, "", ENG_MANIFEST_GOOD},
        {SMALL, "", ENG_MANIFEST_FOREIGN},
        {"", "not JSON, line 1", ENG_MANIFEST_BAD},
        {"\n\n{", "not JSON, line 3", ENG_MANIFEST_BAD},
        {"[1,2]", "not a driver manifest: no library path", ENG_MANIFEST_BAD},
        {"{\"ICD\":[]}", "not a driver manifest: no library path", ENG_MANIFEST_BAD},
        {"{\"ICD\":{\"library_path\":7}}", "not a driver manifest: no library path",
         ENG_MANIFEST_BAD},
        {"{\"ICD\":{\"library_path\":\"/no/where\\n.so\"}}", "library not found: /no/where?.so",
         ENG_MANIFEST_BAD},
        {"{\"ICD\":{\"library_path\":\"./m.json\"}}", "", ENG_MANIFEST_GOOD},
    };
    char remark[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_file("named/try.json", rows[i].content);
        assert_int_equal(eng_manifest_check(in_root("named/try.json"), remark, sizeof remark),
                         rows[i].want);
        assert_string_equal(remark, rows[i].remark);
    }
    FILE *file = fopen(in_root("named/try.json"), "w");
    for (int i = 0; i < 70000; i++)
        fputc(' ', file);
    fclose(file);
    assert_int_equal(eng_manifest_check(in_root("named/try.json"), remark, sizeof remark),
                     ENG_MANIFEST_BAD);
    assert_string_equal(remark, "larger than a manifest can be");
    unlink(in_root("named/try.json"));
    assert_int_equal(eng_manifest_check(in_root("named/try.json"), remark, sizeof remark),
                     ENG_MANIFEST_BAD);
    assert_int_equal(eng_manifest_check(in_root("named"), remark, sizeof remark), ENG_MANIFEST_BAD);
    assert_string_equal(remark, "not a file");

    // One that was named is listed with its remark: the user expects it.
    OWNED(eng_drivers_clear) struct eng_drivers drivers;
    const char *named[] = {"VK_DRIVER_FILES", in_root("named/none.json"), NULL};
    memcpy(environment, named, sizeof named);
    eng_drivers_find(&drivers, get);
    assert_int_equal(drivers.count, 1);
    assert_string_equal(drivers.items[0].remark, "No such file or directory");
}

// Nothing is known then of what drivers there are.
TEST(a_lack_of_files_is_no_lack_of_drivers)
{
    static const char *const places[] = {"named", "named/try.json"};
    struct rlimit before, few;
    make_file("named/try.json", GOOD);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 0;
    for (size_t i = 0; i < 2; i++) {
        struct eng_drivers drivers;
        const char *named[] = {"VK_DRIVER_FILES", in_root(places[i]), NULL};
        memcpy(environment, named, sizeof named);
        setrlimit(RLIMIT_NOFILE, &few);
        eng_drivers_find(&drivers, get);
        setrlimit(RLIMIT_NOFILE, &before);
        assert_non_null(strstr(drivers.unread, places[i]));
        assert_non_null(strstr(drivers.unread, "Too many open files"));
        eng_drivers_clear(&drivers);
        eng_drivers_find(&drivers, get);
        assert_string_equal(drivers.unread, "");
        eng_drivers_clear(&drivers);
    }
}

static struct eng_device example(unsigned number, const char *name)
{
    struct eng_device device = {.number = number};
    snprintf(device.facts.name, sizeof device.facts.name, "%s", name);
    for (int i = 0; i < 16; i++)
        device.facts.device_uuid[i] = (uint8_t)(0xa0 + i);
    device.facts.vendor = 0x10de;
    device.facts.product = 0x2335;
    dev_facts_id(&device.facts, device.id);
    return device;
}

TEST(names_of_a_device)
{
    const struct eng_device device = example(2, "Example GPU (3)");
    const struct {
        const char *pattern;
        bool want;
    } rows[] = {
        {"2", true},
        {"1", false},
        {"02", true},
        {"22", false},
        {"Example GPU (3)", true},
        {"example*", true},
        {"*gpu*", true},
        {"example", false},
        {"a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", true},
        {"A0A1A2A3A4A5A6A7A8A9AAABACADAEAF", true},
        {"a0a1a2a3", true},
        {"a0a1a2a3-A4", true},
        {"a0a1a2a", false},
        {"a0a1a2a4", false},
        {"a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeafb0", false},
        {"10de:2335", true},
        {"10de:2336", false},
        {device.id, true},
        {"0123456789abcdef", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(eng_device_matches(&device, rows[i].pattern), rows[i].want);
}

TEST(choosing_devices)
{
    struct eng_device devices[] = {example(1, "llvmpipe (LLVM 15)"), example(2, "Example GPU")};
    struct eng_inventory inventory = {.devices = devices, .count = 2};
    bool chosen[2];
    const char *second[] = {"2"}, *unknown[] = {"*", "exmaple gpu"}, *ninth[] = {"9"};
    assert_true(eng_inventory_choose(&inventory, NULL, 0, chosen, &error));
    assert_true(chosen[0] && chosen[1]);
    assert_true(eng_inventory_choose(&inventory, second, 1, chosen, &error));
    assert_true(!chosen[0] && chosen[1]);
    must_fail_as("no device matches 'exmaple gpu'; the nearest is 'Example GPU'",
                 eng_inventory_choose(&inventory, unknown, 2, chosen, &error));
    assert_int_equal(error.code, LIT_EXIT_USAGE);
    must_fail_as("unknown device '9': they are numbered 1 to 2",
                 eng_inventory_choose(&inventory, ninth, 1, chosen, &error));
}

GROUP(make_tree, remove_tree)
