// SPDX-License-Identifier: Apache-2.0
// JUnit XML: a suite for each device, a case for each configuration. docs/reading.md says what
// counts as a failure, an error, skipped; tests/junit.xsd what readers take.
#include "catalogue/catalogue.h"
#include "report/format.h"
#include "report/report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STORIES_TO                                                                                 \
    (15u << 20) // bytes: GitLab refuses a file of 30 MB, so that later cases tell less

// ---- XML

// Bytes of the character at `at`, 0 if it is none that XML 1.0 has (Char, section 2.2).
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

// White space as it is would be read as blanks.
void xml_attribute(struct text *out, const char *name, const char *value)
{
    text_printf(out, " %s=\"", name);
    escape(out, value, "&<>\"'\r\t\n");
    text_puts(out, "\"");
}

// ---- cases

enum verdict { PASSED, FAILURE, ERROR, SKIPPED, VERDICTS };

struct sums {
    uint64_t cases[VERDICTS];
    uint64_t milliseconds;
};

// What a result is to a reader that knows four words. Only what the program's exit code is for is
// no pass: an outcome that the specification does not forbid is none.
static enum verdict judge(const struct report_result *result)
{
    if (result->expectation == CAT_FORBIDDEN && report_failed(result))
        return FAILURE;
    switch (result->result) {
    case ENG_CRASH:
    case ENG_HANG:
    case ENG_DEVICE_LOST:
    case ENG_HARNESS_ERROR:
        return ERROR;
    case ENG_NO_PROGRESS:
        return result->expectation <= CAT_CONTESTED ? ERROR : PASSED;
    case ENG_SKIP:
    case ENG_PARTIAL:
        return SKIPPED;
    default:
        return PASSED;
    }
}

// Summed as they are written, so that the sums add up.
static uint64_t milliseconds(const struct report_result *result)
{
    return result->seconds < 1e12 ? (uint64_t)(result->seconds * 1000 + 0.5) : 0;
}

static struct sums sum_device(const struct report_model *model, size_t device)
{
    struct sums sums = {0};
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        if (result->device == device) {
            sums.cases[judge(result)]++;
            sums.milliseconds += milliseconds(result);
        }
    }
    return sums;
}

static void print_time(struct text *out, uint64_t time)
{
    text_printf(out, " time=\"%ju.%03ju\"", (uintmax_t)time / 1000, (uintmax_t)time % 1000);
}

static void print_sums(struct text *out, const struct sums *sums)
{
    const uint64_t *cases = sums->cases;
    text_printf(out, " tests=\"%ju\" failures=\"%ju\" errors=\"%ju\" skipped=\"%ju\"",
                (uintmax_t)(cases[PASSED] + cases[FAILURE] + cases[ERROR] + cases[SKIPPED]),
                (uintmax_t)cases[FAILURE], (uintmax_t)cases[ERROR], (uintmax_t)cases[SKIPPED]);
    print_time(out, sums->milliseconds);
}

// A device's name without what readers split names at: they take what is before the last dot for a
// package.
static void put_label(struct text *out, const struct report_device *device)
{
    for (const char *at = device->facts.name; *at; at++)
        text_append(out, strchr("./\\:;", *at) ? "_" : at, 1);
    if (!device->facts.name[0])
        text_puts(out, "device");
}

// The same for several devices: then each has its number.
static void put_device(struct text *out, const struct report_model *model, size_t device)
{
    struct text mine = {0};
    bool alone = true;
    put_label(&mine, &model->devices[device]);
    for (size_t i = 0; i < model->device_count; i++) {
        struct text other = {0};
        put_label(&other, &model->devices[i]);
        alone &= i == device || strcmp(mine.data, other.data) != 0;
        text_free(&other);
    }
    text_puts(out, mine.data);
    if (!alone)
        text_printf(out, " [%u]", model->devices[device].number);
    text_free(&mine);
}

// What a reader shows on a click: all that is needed to understand and to repeat it.
static void put_story(struct text *out, const struct report_model *model,
                      const struct report_result *result)
{
    text_printf(out, "%s\n", result->name);
    format_story(out, result, "");
    text_puts(out, "reproduce: ");
    format_again(out, model, result);
    text_puts(out, "\n");
}

// One line: what lists of failures show.
static void put_message(struct text *out, const struct report_result *result, enum verdict verdict)
{
    if (verdict == FAILURE)
        format_failed(out, result);
    else if (verdict == SKIPPED && result->result == ENG_SKIP)
        text_puts(out, result->reason[0] ? result->reason : "skipped");
    else
        format_end(out, result);
}

static void print_verdict(struct text *out, const struct report_model *model,
                          const struct report_result *result, enum verdict verdict)
{
    static const char *const elements[] = {[FAILURE] = "failure", [ERROR] = "error"};
    struct text message = {0}, story = {0};
    put_message(&message, result, verdict);
    if (out->length < STORIES_TO)
        put_story(&story, model, result);
    else
        text_puts(&story, "left out here, because the file would be too large: litmus report");
    if (verdict == SKIPPED) {
        text_puts(out, "      <skipped");
        xml_attribute(out, "message", message.data ? message.data : "");
        text_puts(out, "/>\n");
    } else if (verdict != PASSED) {
        text_printf(out, "      <%s", elements[verdict]);
        xml_attribute(out, "type",
                      verdict == FAILURE ? cat_expectation_name(result->expectation)
                                         : eng_result_name(result->result));
        xml_attribute(out, "message", message.data);
        text_puts(out, ">");
        xml_text(out, story.data);
        text_printf(out, "</%s>\n", elements[verdict]);
    } else {
        text_puts(out, "      <system-out>");
        xml_text(out, story.data);
        text_puts(out, "</system-out>\n");
    }
    text_free(&message);
    text_free(&story);
}

static void print_case(struct text *out, const struct report_model *model,
                       const struct report_result *result)
{
    struct text class = {0};
    const char *rest = result->name + strlen(result->test);
    const char *dot = strrchr(result->test, '.');
    enum verdict verdict = judge(result);
    // A passed case has something to say if what was looked for was observed, or waits expired.
    bool silent = verdict == PASSED && result->failed_runs == 0 && result->no_progress_runs == 0;
    put_device(&class, model, result->device);
    text_printf(&class, ".%s", result->test);
    text_puts(out, "    <testcase");
    xml_attribute(out, "classname", class.data);
    xml_attribute(out, "name", rest[0] ? rest + 1 : dot ? dot + 1 : result->test);
    print_time(out, milliseconds(result));
    text_puts(out, silent ? "/>\n" : ">\n");
    if (!silent) {
        print_verdict(out, model, result, verdict);
        text_puts(out, "    </testcase>\n");
    }
    text_free(&class);
}

static void property(struct text *out, const char *name, const char *value)
{
    text_puts(out, "      <property");
    xml_attribute(out, "name", name);
    xml_attribute(out, "value", value);
    text_puts(out, "/>\n");
}

static void print_properties(struct text *out, const struct report_model *model, size_t device)
{
    const struct store_session *session = &model->session;
    const struct dev_facts *facts = &model->devices[device].facts;
    char seed[24];
    snprintf(seed, sizeof(seed), "0x%jx", (uintmax_t)session->seed);
    text_puts(out, "    <properties>\n");
    property(out, "device", facts->name);
    property(out, "device.uuid", UUID(facts->device_uuid));
    property(out, "driver", facts->driver_name);
    property(out, "driver.version", facts->driver_version);
    property(out, "driver.info", facts->driver_info);
    property(out, "vulkan", API(facts->api));
    property(out, "loader", facts->loader);
    property(out, "system", session->system);
    property(out, "litmus", session->version);
    property(out, "command", session->command);
    property(out, "seed", seed);
    property(out, "session", session->uuid);
    property(out, "shard", SHARD(session));
    text_puts(out, "    </properties>\n");
}

static void print_suite(struct text *out, const struct report_model *model, size_t device)
{
    const struct dev_facts *facts = &model->devices[device].facts;
    struct sums sums = sum_device(model, device);
    struct text name = {0};
    char timestamp[20];
    text_printf(&name, "%s, %s %s", facts->name, facts->driver_name, facts->driver_version);
    // Without the Z, which some readers do not know.
    snprintf(timestamp, sizeof(timestamp), "%.19s", model->session.started);
    text_puts(out, "  <testsuite");
    xml_attribute(out, "name", name.data);
    print_sums(out, &sums);
    xml_attribute(out, "timestamp", timestamp);
    text_puts(out, ">\n");
    print_properties(out, model, device);
    for (size_t i = 0; i < model->result_count; i++)
        if (model->results[i].device == device)
            print_case(out, model, &model->results[i]);
    text_puts(out, "  </testsuite>\n");
    text_free(&name);
}

void report_junit(const struct report_model *model, struct text *out)
{
    struct sums all = {0};
    for (size_t device = 0; device < model->device_count; device++) {
        struct sums sums = sum_device(model, device);
        for (int verdict = 0; verdict < VERDICTS; verdict++)
            all.cases[verdict] += sums.cases[verdict];
        all.milliseconds += sums.milliseconds;
    }
    text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"litmus\"");
    print_sums(out, &all);
    text_puts(out, ">\n");
    for (size_t device = 0; device < model->device_count; device++)
        print_suite(out, model, device);
    text_puts(out, "</testsuites>\n");
}
