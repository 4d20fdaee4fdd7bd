// SPDX-License-Identifier: Apache-2.0
// The folders of the loader's "Driver Discovery on Linux".
#include "engine/drivers.h"

const char eng_path_separator = ':';

struct search {
    eng_getenv *get;
    void (*found)(const char *path, bool folder, void *user);
    void *user;
};

static void add_base(const struct search *search, const char *base)
{
    size_t length = strlen(base);
    while (length > 1 && base[length - 1] == '/')
        length--;
    OWNED(text_free) struct text folder = {0};
    text_append(&folder, base, length);
    text_puts(&folder, "/vulkan/icd.d");
    search->found(folder.data, true, search->user);
}

static void add_home(const struct search *search, const char *variable, const char *below_home)
{
    const char *value = eng_value(search->get, variable), *home = eng_value(search->get, "HOME");
    OWNED(text_free) struct text base = {0};
    if (value)
        text_puts(&base, value);
    else if (home)
        text_printf(&base, "%s/%s", home, below_home);
    if (base.data)
        add_base(search, base.data);
}

static void add_bases(const struct search *search, const char *variable, const char *fallback)
{
    const char *value = eng_value(search->get, variable), *list = value ? value : fallback;
    for (char *base; (base = eng_next_piece(&list, eng_path_separator)); free(base))
        add_base(search, base);
}

void eng_installed(eng_getenv *get, void (*found)(const char *path, bool folder, void *user),
                   void *user)
{
    const struct search search = {get, found, user};
    add_home(&search, "XDG_CONFIG_HOME", ".config");
    add_bases(&search, "XDG_CONFIG_DIRS", "/etc/xdg");
    add_base(&search, "/etc");
    add_home(&search, "XDG_DATA_HOME", ".local/share");
    add_bases(&search, "XDG_DATA_DIRS", "/usr/local/share:/usr/share");
}
