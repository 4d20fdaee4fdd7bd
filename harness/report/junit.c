// SPDX-License-Identifier: Apache-2.0
// JUnit XML: a suite for each device, a case for each configuration. docs/reading.md says what
// counts as a failure, an error, skipped.
#include "report/junit.h"

#include "report/failures.h"
#include "report/fields.h"
#include "report/format.h"

#define STORIES_TO                                                                                 \
    (15u << 20) // bytes: GitLab refuses a file of 30 MB, so that later cases tell less

// ---- XML

// Bytes of the character at `at`; 0 if XML 1.0 does not allow it (Char, section 2.2).
static size_t character(const unsigned char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (*at < 0x80)
        return *at >= 0x20 || *at == '\t' || *at == '\n' || *at == '\r';
    size_t length = (*at & 0xe0) == 0xc0 ? 2 : (*at & 0xf0) == 0xe0 ? 3 : 4;
    if (*at < 0xc0 || *at > 0xf7)
        return 0;
    uint32_t code = *at & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    bool good = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
                code != 0xfffe && code != 0xffff;
    return good ? length : 0;
}

static void escape(struct text *out, const char *string, const char *special)
{
    for (const char *at = string; *at;) {
        size_t length = character((const unsigned char *)at);
        if (length == 0)
            text_puts(out, "?");
        else if (strchr(special, *at))
            text_printf(out, "&#%d;", *at);
        else
            text_append(out, at, length);
        at += length ? length : 1;
    }
}

void xml_text(struct text *out, const char *string)
{
    escape(out, string, "&<>\"'\r");
}

// Escapes white space: readers would turn it into blanks.
void xml_attribute(struct text *out, const char *name, const char *value)
{
    text_printf(out, " %s=\"", name);
    escape(out, value, "&<>\"'\r\t\n");
    text_puts(out, "\"");
}

// ---- building

void junit_property(struct junit *junit, const char *name, const char *value)
{
    struct text *properties = &junit->suites[junit->count - 1].properties;
    text_puts(properties, "      <property");
    xml_attribute(properties, "name", name);
    xml_attribute(properties, "value", value);
    text_puts(properties, "/>\n");
}

void junit_clear(struct junit *junit)
{
    for (size_t i = 0; i < junit->count; i++) {
        struct junit_suite *suite = &junit->suites[i];
        for (size_t c = 0; c < suite->count; c++) {
            text_free(&suite->cases[c].class);
            text_free(&suite->cases[c].name);
            text_free(&suite->cases[c].message);
            text_free(&suite->cases[c].story);
        }
        free(suite->cases);
        text_free(&suite->name);
        text_free(&suite->properties);
    }
    free(junit->suites);
    *junit = (struct junit){0};
}

// A device's name without dots: readers take all before the last dot for a package.
static void put_label(struct text *out, const struct eng_device *device)
{
    for (const char *at = device->facts.name; *at; at++)
        text_append(out, strchr("./\\:;", *at) ? "_" : at, 1);
    if (!device->facts.name[0])
        text_puts(out, "device");
}

// The same, with the device's number if another one has the same label.
static void put_device(struct text *out, const struct report_model *model, size_t device)
{
    OWNED(text_free) struct text mine = {0};
    bool alone = true;
    put_label(&mine, &model->devices[device]);
    for (size_t i = 0; i < model->device_count; i++) {
        OWNED(text_free) struct text other = {0};
        put_label(&other, &model->devices[i]);
        alone &= i == device || strcmp(mine.data, other.data) != 0;
    }
    text_puts(out, mine.data);
    if (!alone)
        text_printf(out, " [%u]", model->devices[device].number);
}

void junit_device(struct junit *junit, const struct report_model *model, size_t device)
{
    const struct dev_facts *facts = &model->devices[device].facts;
    struct junit_suite *suite = &LIT_ADD(junit->suites, junit->count);
    *suite = (struct junit_suite){0};
    snprintf(suite->started, sizeof suite->started, "%.19s", model->session.started);
    text_printf(&suite->name, "%s, %s %s", facts->name, facts->driver_name, facts->driver_version);
    junit_property(junit, "device", facts->name);
    junit_property(junit, "device.uuid", UUID(facts->device_uuid));
    junit_property(junit, "driver", facts->driver_name);
    junit_property(junit, "driver.version", facts->driver_version);
    junit_property(junit, "driver.info", facts->driver_info);
    junit_property(junit, "vulkan", API(facts->api));
    junit_property(junit, "loader", facts->loader);
    junit_property(junit, "system", model->session.system);
    junit_property(junit, "litmus", model->session.version);
}

struct junit_case *junit_configuration(struct junit *junit, const struct report_model *model,
                                       size_t device, const char *name, double seconds)
{
    struct junit_suite *suite = &junit->suites[junit->count - 1];
    struct junit_case *made = &LIT_ADD(suite->cases, suite->count);
    *made = (struct junit_case){0};
    const size_t test = cfg_test_length(name);
    const char *dot = memrchr(name, '.', test);
    put_device(&made->class, model, device);
    text_printf(&made->class, ".%.*s", (int)test, name);
    text_puts(&made->name, name[test] ? name + test + 1 : dot ? dot + 1 : name);
    made->seconds = seconds;
    return made;
}

// ---- writing

struct sums {
    uint64_t cases[JUNIT_VERDICTS];
    uint64_t milliseconds;
};

// Rounds before we add up, so that the sums agree.
static uint64_t milliseconds(double seconds)
{
    return seconds < 1e12 ? (uint64_t)(seconds * 1000 + 0.5) : 0;
}

static void sum_suite(const struct junit_suite *suite, struct sums *sums)
{
    for (size_t i = 0; i < suite->count; i++) {
        sums->cases[suite->cases[i].verdict]++;
        sums->milliseconds += milliseconds(suite->cases[i].seconds);
    }
}

static void print_time(struct text *out, uint64_t time)
{
    text_printf(out, " time=\"%ju.%03ju\"", (uintmax_t)time / 1000, (uintmax_t)time % 1000);
}

static void print_sums(struct text *out, const struct sums *sums)
{
    const uint64_t *cases = sums->cases;
    text_printf(out, " tests=\"%ju\" failures=\"%ju\" errors=\"%ju\" skipped=\"%ju\"",
                (uintmax_t)(cases[JUNIT_PASSED] + cases[JUNIT_FAILURE] + cases[JUNIT_ERROR] +
                            cases[JUNIT_SKIPPED]),
                (uintmax_t)cases[JUNIT_FAILURE], (uintmax_t)cases[JUNIT_ERROR],
                (uintmax_t)cases[JUNIT_SKIPPED]);
    print_time(out, sums->milliseconds);
}

static void print_verdict(struct text *out, const struct junit_case *one)
{
    static const char *const elements[] = {[JUNIT_FAILURE] = "failure", [JUNIT_ERROR] = "error"};
    const char *story = one->story.length == 0     ? one->message.data
                        : out->length < STORIES_TO ? one->story.data
                                                   : "left out here, because the file would be too "
                                                     "large: litmus report";
    if (one->verdict == JUNIT_SKIPPED) {
        text_puts(out, "      <skipped");
        xml_attribute(out, "message", one->message.data ? one->message.data : "");
        text_puts(out, "/>\n");
    } else if (one->verdict != JUNIT_PASSED) {
        text_printf(out, "      <%s", elements[one->verdict]);
        xml_attribute(out, "type", one->type);
        xml_attribute(out, "message", one->message.data);
        text_puts(out, ">");
        xml_text(out, story);
        text_printf(out, "</%s>\n", elements[one->verdict]);
    } else {
        text_puts(out, "      <system-out>");
        xml_text(out, story);
        text_puts(out, "</system-out>\n");
    }
}

static void print_case(struct text *out, const struct junit_case *one)
{
    const bool silent = one->verdict == JUNIT_PASSED && one->story.length == 0;
    text_puts(out, "    <testcase");
    xml_attribute(out, "classname", one->class.data);
    xml_attribute(out, "name", one->name.data);
    print_time(out, milliseconds(one->seconds));
    text_puts(out, silent ? "/>\n" : ">\n");
    if (!silent) {
        print_verdict(out, one);
        text_puts(out, "    </testcase>\n");
    }
}

void junit_write(const struct junit *junit, const char *name, struct text *out)
{
    struct sums sums = {0};
    for (size_t i = 0; i < junit->count; i++)
        sum_suite(&junit->suites[i], &sums);
    text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    xml_attribute(out, "name", name);
    print_sums(out, &sums);
    text_puts(out, ">\n");
    for (size_t i = 0; i < junit->count; i++) {
        const struct junit_suite *suite = &junit->suites[i];
        struct sums its = {0};
        sum_suite(suite, &its);
        text_puts(out, "  <testsuite");
        xml_attribute(out, "name", suite->name.data);
        print_sums(out, &its);
        xml_attribute(out, "timestamp", suite->started);
        text_puts(out, ">\n");
        if (suite->properties.length)
            text_printf(out, "    <properties>\n%s    </properties>\n", suite->properties.data);
        for (size_t c = 0; c < suite->count; c++)
            print_case(out, &suite->cases[c]);
        text_puts(out, "  </testsuite>\n");
    }
    text_puts(out, "</testsuites>\n");
}

// ---- a report

// Maps a result to JUnit's four words. Only a result that sets the program's exit code is not a
// pass; an outcome that the specification allows does not.
static enum junit_verdict judge(const struct result *result)
{
    if (eng_is_unsound(result->name, result->expectation) && report_failed(result))
        return JUNIT_ERROR;
    if (result->expectation == CAT_FORBIDDEN && report_failed(result))
        return JUNIT_FAILURE;
    switch (result->result) {
    case ENG_CRASH:
    case ENG_HANG:
    case ENG_DEVICE_LOST:
    case ENG_HARNESS_ERROR:
        return JUNIT_ERROR;
    case ENG_NO_PROGRESS:
        return result->expectation <= CAT_CONTESTED ? JUNIT_ERROR : JUNIT_PASSED;
    case ENG_SKIP:
    case ENG_PARTIAL:
        return JUNIT_SKIPPED;
    default:
        return JUNIT_PASSED;
    }
}

void junit_judge(struct junit_case *one, const struct report_model *model,
                 const struct result *result)
{
    one->verdict = judge(result);
    if (one->verdict == JUNIT_FAILURE) {
        one->type = cat_expectation_name(result->expectation);
        format_failed(&one->message, result);
    } else if (one->verdict == JUNIT_SKIPPED && result->result == ENG_SKIP) {
        text_puts(&one->message, result->reason[0] ? result->reason : "skipped");
    } else {
        one->type = eng_result_name(result->result);
        report_check(&one->message, "", result, "; ");
        format_end(&one->message, result);
    }
    // A passed case without failed runs or expired waits has only the check's findings.
    if (one->verdict == JUNIT_PASSED && result->failed_runs == 0 && result->no_progress_runs == 0) {
        report_check(&one->story, "", result, "\n");
        return;
    }
    text_printf(&one->story, "%s\n", result->name);
    format_story(&one->story, result, "");
    text_puts(&one->story, "reproduce: ");
    format_again(&one->story, model, result);
    text_puts(&one->story, "\n");
}

void report_junit(const struct report_model *model, struct text *out)
{
    const struct store_session *session = &model->session;
    OWNED(junit_clear) struct junit junit = {0};
    char seed[24];
    snprintf(seed, sizeof seed, "0x%jx", (uintmax_t)session->seed);
    for (size_t device = 0; device < model->device_count; device++) {
        junit_device(&junit, model, device);
        junit_property(&junit, "command", session->command);
        junit_property(&junit, "seed", seed);
        junit_property(&junit, "session", session->uuid);
        junit_property(&junit, "shard", SHARD(session));
        REPORT_EACH (result, model, device)
            junit_judge(junit_configuration(&junit, model, device, result->name, result->seconds),
                        model, result);
        OWNED(text_free) struct text unclosed = {0};
        if (report_unclosed(model, device, "", &unclosed)) {
            struct junit_case *one =
                junit_configuration(&junit, model, device, "driver.vkDestroyDevice", 0);
            one->verdict = JUNIT_ERROR;
            one->type = "driver";
            text_puts(&one->message, unclosed.data);
            text_puts(&one->story, unclosed.data);
        }
    }
    junit_write(&junit, "litmus", out);
}
