// SPDX-License-Identifier: Apache-2.0
// Words and names of forward progress.
#include "model/waiting.h"

#include <string.h>

enum { THREADS = 3, LENGTH = 4 };

static const char *const places[AXI_PLACES] = {"lanes", "subgroups", "workgroups"};

const struct axi_set axi_sets[AXI_SETS] = {
    {"fair", 1 << AXI_FAIR},
    {"lobe", 1 << AXI_FAIR | 1 << AXI_LOBE},
    {"hsa-obe", 1 << AXI_FAIR | 1 << AXI_LOBE | 1 << AXI_HSA_OBE},
    {"hsa", 1 << AXI_FAIR | 1 << AXI_LOBE | 1 << AXI_HSA_OBE | 1 << AXI_HSA},
    {"obe", 1 << AXI_FAIR | 1 << AXI_LOBE | 1 << AXI_HSA_OBE | 1 << AXI_OBE},
    {"any", (1 << AXI_NONE) - 1},
};

const char *axi_progress_word(enum axi_progress progress)
{
    static const char *const words[] = {"fair", "lobe", "hsa-obe", "hsa", "obe", "none"};
    return words[progress];
}

const char *axi_place_word(enum axi_place place)
{
    return places[place];
}

// "n0-s1": one to three threads of one to four instructions, a letter and a value each.
static bool is_threads(const char *name)
{
    size_t threads = 1, length = 0;
    for (; *name; name++) {
        if (*name == '-' && length && threads < THREADS) {
            threads++;
            length = 0;
            continue;
        }
        const char letter = *name++;
        const bool good = letter && strchr("swntge", letter) && *name >= '0' && *name <= '2' &&
                          (*name > '0' || strchr("swn", letter));
        if (!good || length++ == LENGTH)
            return false;
    }
    return length > 0;
}

// Takes a word and the dash after it off a name; false if it begins with another.
static bool take(const char **name, const char *word)
{
    const size_t length = strlen(word);
    const bool has = strncmp(*name, word, length) == 0 && (*name)[length] == '-';
    *name += has ? length + 1 : 0;
    return has;
}

bool axi_waiting_named(const char *name, enum axi_place *place, unsigned *ends)
{
    if (strncmp(name, AXI_WAITING, strlen(AXI_WAITING)) != 0)
        return false;
    name += strlen(AXI_WAITING);
    for (size_t p = 0; p < AXI_PLACES; p++)
        for (size_t s = 0; s < AXI_SETS; s++) {
            const char *rest = name;
            if (!take(&rest, places[p]) || !take(&rest, axi_sets[s].word) || !is_threads(rest))
                continue;
            *place = (enum axi_place)p;
            *ends = axi_sets[s].ends;
            return true;
        }
    return false;
}
