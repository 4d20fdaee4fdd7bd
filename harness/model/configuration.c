// SPDX-License-Identifier: Apache-2.0
// Parses and prints configuration names.
#include "model/configuration.h"

#include "base/random.h"

static const char *const roles[CFG_ROLES] = {
    [CFG_VARIANT] = "variant",   [CFG_PARAMETER] = "parameter", [CFG_WORKGROUP] = "workgroup",
    [CFG_ELEMENTS] = "elements", [CFG_SUBGROUP] = "subgroup",
};

const char *cfg_role_name(enum cfg_role role)
{
    return roles[role];
}

enum cfg_role cfg_parameter(const char *key)
{
    for (int role = CFG_WORKGROUP; role < CFG_ROLES; role++)
        if (strcmp(key, roles[role]) == 0)
            return (enum cfg_role)role;
    return CFG_PARAMETER;
}

void cfg_id(const char *name, char id[CFG_ID_SIZE])
{
    const uint64_t hash = hash_bytes(HASH_START, name, strlen(name));
    snprintf(id, CFG_ID_SIZE, "%08x", (unsigned)(uint32_t)(hash ^ hash >> 32));
}

bool cfg_is_id(const char *text)
{
    const size_t length = CFG_ID_SIZE - 1;
    return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

// Cuts "key=value,key=value" in place.
static size_t split(char *text, bool variant, struct cfg_pair *pairs)
{
    size_t count = 0;
    char *rest = NULL;
    for (char *pair = strtok_r(text, ",", &rest); pair; pair = strtok_r(NULL, ",", &rest)) {
        char *value = pair + strcspn(pair, "=");
        if (*value)
            *value++ = '\0';
        pairs[count++] =
            (struct cfg_pair){pair, value, variant ? CFG_VARIANT : cfg_parameter(pair)};
    }
    return count;
}

struct cfg cfg_parse(const char *name)
{
    const size_t size = strlen(name) + 1, test = cfg_test_length(name);
    size_t room = 2;
    for (const char *c = name; *c; c++)
        room += *c == ',';
    // The pairs, the name, the parts of the name, the family.
    struct cfg_pair *pairs = lit_alloc(room * sizeof *pairs + 3 * size, 1);
    char *whole = (char *)(pairs + room), *parts = whole + size, *family = parts + size;
    memcpy(whole, name, size);
    memcpy(parts, name, size);
    memcpy(family, name, test);
    family[strcspn(family, ".")] = '\0';
    char *params = parts + test + strcspn(parts + test, "@");
    const bool has_axes = parts[test] == '/';
    if (*params)
        *params++ = '\0';
    parts[test] = '\0';
    struct cfg cfg = {.name = whole, .test = parts, .family = family, .variant = pairs};
    cfg.variant_count = has_axes ? split(parts + test + 1, true, pairs) : 0;
    cfg.params = pairs + cfg.variant_count;
    cfg.param_count = split(params, false, pairs + cfg.variant_count);
    return cfg;
}

void cfg_clear(struct cfg *cfg)
{
    free((void *)cfg->variant);
    *cfg = (struct cfg){0};
}

// Avoids text_printf for speed: each search makes the names of all configurations.
void cfg_print(const char *test, const struct cfg_pair *pairs, size_t count, struct text *name)
{
    text_puts(name, test);
    for (size_t i = 0; i < count; i++) {
        const bool first =
            i == 0 || (pairs[i].role != CFG_VARIANT && pairs[i - 1].role == CFG_VARIANT);
        text_puts(name, !first ? "," : pairs[i].role == CFG_VARIANT ? "/" : "@");
        text_puts(name, pairs[i].key);
        text_puts(name, "=");
        text_puts(name, pairs[i].value);
    }
}

size_t cfg_test_length(const char *name)
{
    return strcspn(name, "/@");
}

void cfg_runner_name(const char *name, struct text *out)
{
    for (; *name; name++)
        text_append(out, *name == '-' ? "_" : *name == ',' ? "/" : name, 1);
}

void cfg_runner_read(char *name)
{
    const size_t digits = strspn(name, "0123456789");
    if (digits && name[digits] == '/')
        memmove(name, name + digits + 1, strlen(name + digits));
    for (size_t i = 0, test = cfg_test_length(name); name[i]; i++)
        name[i] = name[i] == '_' ? '-' : name[i] == '/' && i > test ? ',' : name[i];
}

bool cfg_same_test(const char *a, const char *b)
{
    const size_t length = cfg_test_length(a);
    return length == cfg_test_length(b) && strncmp(a, b, length) == 0;
}

size_t cfg_bare_length(const char *name)
{
    const size_t length = strlen(name);
    size_t last = length;
    while (last > 0 && name[last] != ',' && name[last] != '@')
        last--;
    const char *key = roles[CFG_SUBGROUP], *pair = name + last + 1;
    const bool is_size = last > 0 && !strncmp(pair, key, strlen(key)) && pair[strlen(key)] == '=';
    return is_size ? last : length;
}

bool cfg_names_size(const char *pattern)
{
    return strstr(pattern, "subgroup=") != NULL;
}

bool cfg_is_precise(const char *pattern)
{
    return pattern[cfg_test_length(pattern)] != '\0' || cfg_is_id(pattern);
}

bool cfg_matches(const char *pattern, const char *name)
{
    const bool precise = cfg_is_precise(pattern);
    char id[CFG_ID_SIZE];
    if (precise && text_glob(pattern, name))
        return true;
    if (cfg_is_id(pattern)) {
        cfg_id(name, id);
        return strcmp(pattern, id) == 0;
    }
    OWNED(lit_free) char *part = lit_strdup(name);
    part[precise ? cfg_bare_length(name) : cfg_test_length(name)] = '\0';
    bool matches = text_glob(pattern, part);
    if (!precise && !matches) {
        part[strcspn(part, ".")] = '\0';
        matches = text_glob(pattern, part);
    }
    return matches;
}
