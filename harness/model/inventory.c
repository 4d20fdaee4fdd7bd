// SPDX-License-Identifier: Apache-2.0
// Selects devices by pattern.

#include "model/inventory.h"

#include "base/text.h"

#include <ctype.h>
#include <fnmatch.h>

void eng_inventory_clear(struct eng_inventory *inventory)
{
    for (size_t i = 0; i < inventory->count; i++) {
        free(inventory->devices[i].manifest);
        free(inventory->devices[i].checker);
    }
    for (size_t i = 0; i < inventory->remark_count; i++)
        free(inventory->remarks[i].manifest);
    free(inventory->devices);
    free(inventory->remarks);
    *inventory = (struct eng_inventory){0};
}

#define LEAST_DIGITS 8

static char *lowered(const char *text)
{
    char *copy = lit_strdup(text);
    for (char *c = copy; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return copy;
}

static bool is_number(const char *pattern)
{
    return pattern[0] && strspn(pattern, "0123456789") == strlen(pattern);
}

// Eight or more digits match the beginning of a UUID.
static bool matches_uuid(const uint8_t uuid[16], const char *pattern)
{
    char wanted[33], digits[33];
    size_t count = 0;
    for (; *pattern; pattern++)
        if (*pattern != '-') {
            if (!isxdigit((unsigned char)*pattern) || count == 32)
                return false;
            wanted[count++] = *pattern;
        }
    wanted[count] = '\0';
    for (size_t i = 0; i < 16; i++)
        snprintf(digits + 2 * i, 3, "%02x", uuid[i]);
    return count >= LEAST_DIGITS && strncasecmp(wanted, digits, count) == 0;
}

bool eng_device_matches(const struct eng_device *device, const char *pattern)
{
    // Up to nine digits are a device number; longer ones may be an identity.
    if (is_number(pattern) && strlen(pattern) < 10)
        return strtoul(pattern, NULL, 10) == device->number;
    char product[32];
    snprintf(product, sizeof product, "%04x:%04x", device->facts.vendor, device->facts.product);
    return matches_uuid(device->facts.device_uuid, pattern) ||
           strcasecmp(pattern, device->id) == 0 || strcasecmp(pattern, product) == 0 ||
           fnmatch(pattern, device->facts.name, FNM_NOESCAPE | FNM_CASEFOLD) == 0;
}

static const char *nearest_name(const struct eng_inventory *inventory, const char *pattern)
{
    const char *best = "";
    unsigned least = ~0u;
    OWNED(lit_free) char *low = lowered(pattern);
    for (size_t i = 0; i < inventory->count; i++) {
        OWNED(lit_free) char *name = lowered(inventory->devices[i].facts.name);
        // A substring of the name is closer than any misspelling.
        unsigned distance = strstr(name, low) ? 0 : text_distance(low, name);
        if (distance < least) {
            least = distance;
            best = inventory->devices[i].facts.name;
        }
    }
    return best;
}

static bool fail_unknown(const struct eng_inventory *inventory, const char *pattern,
                         struct lit_error *error)
{
    if (is_number(pattern))
        return lit_fail(error, LIT_EXIT_USAGE, "unknown device '%.80s': %s%zu", pattern,
                        inventory->count == 1 ? "the only one is " : "they are numbered 1 to ",
                        inventory->count);
    return lit_fail(error, LIT_EXIT_USAGE, "no device matches '%.80s'; the nearest is '%s'",
                    pattern, nearest_name(inventory, pattern));
}

bool eng_inventory_some(const struct eng_inventory *inventory, struct lit_error *error)
{
    if (inventory->failed[0])
        return lit_fail(error, LIT_EXIT_USAGE,
                        "a driver could not be asked for its devices: %.400s", inventory->failed);
    return inventory->count > 0 ||
           lit_fail(error, LIT_EXIT_NOTHING,
                    "no Vulkan device was found; 'litmus devices' says where drivers are searched");
}

bool eng_inventory_choose(const struct eng_inventory *inventory, const char *const *patterns,
                          size_t count, bool *chosen, struct lit_error *error)
{
    for (size_t i = 0; i < inventory->count; i++)
        chosen[i] = count == 0;
    for (size_t p = 0; p < count; p++) {
        bool any = false;
        for (size_t i = 0; i < inventory->count; i++)
            if (eng_device_matches(&inventory->devices[i], patterns[p]))
                any = chosen[i] = true;
        if (!any)
            return fail_unknown(inventory, patterns[p], error);
    }
    return true;
}
