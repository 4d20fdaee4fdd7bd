// SPDX-License-Identifier: Apache-2.0
// Sides: JSON reports that are right and wrong, sessions put together, devices and axes paired.
#include "sections.h"

#include "compare/compare.h"

#include "folder.h"
#include "model/emulated.h"

#define DEVICE(id, number, name, uuid, product, driver)                                            \
    "{\"id\":\"" id "\",\"number\":" number ",\"name\":\"" name                                    \
    "\",\"type\":\"cpu\",\"vendor\":\"0x10\",\"product\":\"" product "\",\"uuid\":\"" uuid         \
    "\",\"driver\":{\"name\":\"d\",\"info\":\"\",\"version\":\"" driver                            \
    "\",\"raw_version\":1,\"id\":13,\"uuid\":\"00000000-0000-0000-0000-000000000000\"}," REST "}"
#define REST                                                                                       \
    "\"subgroup\":{\"size\":8,\"min\":8,\"max\":16,\"control\":true},\"limits\":{\"workgroup\":"   \
    "128,"                                                                                         \
    "\"workgroups\":65535,\"shared\":16384,\"storage_buffer\":134217728},\"checker\":\"device\","  \
    "\"loader\":\"\""
#define UUID1   "00000000-0000-0000-0000-000000000001"
#define UUID2   "00000000-0000-0000-0000-000000000002"
#define ID1     "e267144f0ef4df0173123c116efe93a4"
#define ID2     "ab8912635aa91c7e6ea8e29f9de4cb44" // of another driver
#define DEVICE1 DEVICE(ID1, "1", "One", UUID1, "0x1", "1.0")
#define TOOL                                                                                       \
    "{\"version\":\"0\",\"command\":\"c\",\"session\":1,\"started\":\"2026-11-21T01:02:03Z\","     \
    "\"system\":\"s\",\"seed\":\"0x1\",\"runs\":100,\"finished\":true ,"                           \
    "\"uuid\":\"\",\"build\":{\"commit\":\"\",\"catalogue\":\"\",\"options\":\"\"}}"
// The name of a configuration of a.b, whole and in its parts.
#define NAMED(name, variant, params)                                                               \
    "\"name\":\"" name "\",\"family\":\"a\",\"test\":\"a.b\",\"variant\":{" variant                \
    "},\"params\":{" params "},"
#define NAMED_XY(x, y)                                                                             \
    NAMED("a.b/x=" x ",y=" y "@subgroup=8", "\"x\":\"" x "\",\"y\":\"" y "\"", "\"subgroup\":8")
#define RESULT_OF(class, device, named, result)                                                    \
    "{" named "\"device\":\"" device                                                               \
    "\",\"expectation\":\"" class "\",\"reason\":\"\",\"headline\":\"\",\"seed\":\"0x1\","         \
                                  "\"seconds\":0.5,\"spirv_sha256\":\"\",\"checked_as\":"          \
                                  "\"equal\",\"choices\":[],\"rule\":\"\",\"first\":0,"            \
                                  "\"interval_kind\":\"clopper-pearson\",\"failures\":[]," result  \
                                  "}"
#define FAILS                                                                                      \
    "\"result\":\"fail\",\"observation\":\"Sometimes\",\"runs\":100,\"failed_runs\":7,"            \
    "\"no_progress_runs\":2,\"first_run_failed\":false,\"instances\":800,"                         \
    "\"failed_instances\":9,\"interval\":[0.0291989796,0.141645247],"                              \
    "\"outcomes\":{\"right\":775,\"wrong\":9,\"no progress\":16},\"stress\":\"s\",\"parts\":["     \
    "{\"process\":0,\"runs\":60,\"failed_runs\":3,\"no_progress_runs\":1},"                        \
    "{\"process\":1,\"runs\":40,\"failed_runs\":4,\"no_progress_runs\":1}]"
#define PASSES                                                                                     \
    "\"result\":\"pass\",\"observation\":\"Never\",\"runs\":1,\"failed_runs\":0,"                  \
    "\"no_progress_runs\":0,\"first_run_failed\":false,\"instances\":8,\"failed_instances\":0,"    \
    "\"interval\":[0.0,0.975],\"outcomes\":{\"right\":8},\"stress\":\"\",\"parts\":[]"
#define RESULT RESULT_OF("forbidden", ID1, NAMED_XY("1", "2"), FAILS)
#define REPORT(schema, tool, devices, results)                                                     \
    "{\"schema\":\"" schema "\",\"tool\":" tool ",\"devices\":[" devices "],\"results\":[" results \
    "],\"summary\":{}}"
#define GOOD REPORT("litmus-report/1", TOOL, DEVICE1, RESULT)

TEST(right_report)
{
    OWNED(report_model_clear) struct report_model model;
    must(compare_side_parse(GOOD, strlen(GOOD), "r.json", &model, &error));
    assert_int_equal(model.result_count, 1);
    const struct result *result = &model.results[0];
    assert_int_equal(result->runs, 100);
    assert_int_equal(result->judged, 98);
    assert_int_equal(result->failed_runs, 7);
    assert_int_equal(result->expectation, CAT_FORBIDDEN);
    assert_int_equal(result->result, ENG_FAIL);
    assert_string_equal(cat_mode_name(result->mode, 3), "wrong");
    assert_int_equal(result->outcomes[3], 9);
    assert_string_equal(report_value(result, "y"), "2");
    assert_string_equal(report_value(result, "subgroup"), "8");
    assert_string_equal(model.devices[0].id, ID1);
    assert_int_equal(model.devices[0].facts.device_uuid[15], 1);
    assert_int_equal(model.results[0].piece_count, 2);
    assert_int_equal(model.results[0].pieces[1].failed_runs, 4);
    assert_string_equal(model.results[0].stress, "s");
}

static void refuse(const char *text, const char *message)
{
    OWNED(report_model_clear) struct report_model model;
    must_fail_first(message, compare_side_parse(text, strlen(text), "r.json", &model, &error));
    assert_int_equal(error.code, LIT_EXIT_USAGE);
}

TEST(wrong_reports)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"{\"schema\":\"litmus-report/1\",\n\"tool\":", "r.json: the report is cut off at line 2"},
        {"{]", "r.json: invalid JSON at line 1"},
        {"{}", "r.json: JSON, but not a litmus report (no schema litmus-report/1)"},
        {"{\"schema\":\"litmus-report/1\",\"schema\":\"litmus-report/1\"}", "r.json: invalid JSON"},
        {REPORT("litmus-report/2", TOOL, DEVICE1, RESULT),
         "r.json: a report of schema litmus-report/2, but this litmus reads only litmus-report/1"},
        {REPORT("litmus-report/1", "{}", DEVICE1, RESULT), "r.json: damaged report: 'version'"},
        {REPORT("litmus-report/1", TOOL, "", RESULT), "r.json: the report has no results"},
        {REPORT("litmus-report/1", TOOL, DEVICE1, ""), "r.json: the report has no results"},
        {REPORT("litmus-report/1", TOOL, DEVICE("1", "1", "n", UUID1, "0x1", "1"), RESULT),
         "r.json: damaged report: the id of n is not that of its driver and UUIDs"},
        {REPORT("litmus-report/1", TOOL, DEVICE(ID1, "1", "n", "12", "0x1", "1"), RESULT),
         "r.json: damaged report: 'uuid'"},
        {REPORT("litmus-report/1", TOOL, DEVICE(ID2, "1", "One", UUID1, "0x1", "2.0"), RESULT),
         "r.json: damaged report: a.b/x=1,y=2@subgroup=8: a result without a device"},
        {REPORT("litmus-report/1", TOOL, DEVICE1,
                RESULT_OF("forbidden", ID1, NAMED("a b", "", ""), FAILS)),
         "r.json: damaged report: 'a b' is not a configuration name"},
        {REPORT("litmus-report/1", TOOL, DEVICE1,
                RESULT_OF("forbidden", ID1, NAMED("a.b", "", ""), "\"result\":\"pass\"")),
         "r.json: damaged report: a.b: 'runs' is missing"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse(wrong[i].text, wrong[i].message);
}

// One place of a good report each: what is there in place of what.
TEST(contradictions)
{
    for (const char *row = section("contradictions")->text, *is, *wrong;
         sections_row(&row, &is, &wrong);) {
        const char *becomes = sections_instead(is), *at = strstr(GOOD, is);
        OWNED(text_free) struct text text = {0}, message = {0};
        if (!at)
            fail_msg("'%s' is not there", is);
        text_append(&text, GOOD, (size_t)(at - GOOD));
        text_printf(&text, "%s%s", becomes, at + strlen(is));
        text_printf(&message, "r.json: damaged report: a.b/x=%c,y=2@subgroup=8: %s",
                    strstr(text.data, "x=3") ? '3' : '1', wrong);
        refuse(text.data, message.data);
    }
}

// Wherever a report is cut, also in the middle of a word, a number or a character.
TEST(cut_reports)
{
    static const char text[] =
        "{\"schema\":\"litmus-report/1\",\"a\":[false,true,null,-12.5e+3,\"\\\\\\u00e9\\ud834"
        "\\udd1e\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e\"]}";
    struct report_model model;
    for (size_t length = 1; length < sizeof text - 1; length++) {
        must_fail_as("r.json: the report is cut off at line 1",
                     compare_side_parse(text, length, "r.json", &model, &error));
        report_model_clear(&model);
    }
    static const char *const wrong[] = {"{]", "{\"a\":1]", "{\"a\":x}", "{\"a\":\"\xff\"}", "{}x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        must_fail("invalid JSON at line 1",
                  compare_side_parse(wrong[i], strlen(wrong[i]), "r.json", &model, &error));
        report_model_clear(&model);
    }
}

static void load(struct compare_side *side, const char *const *names, size_t count, bool unfinished,
                 const char *message)
{
    const struct compare_source source = {names, count, unfinished};
    compare_side_clear(side);
    bool good = compare_side_load(side, &source, &error);
    if (good != !message || (message && !strstr(error.message, message)))
        fail_msg("%s", error.message);
}

TEST_IN(files, make_folder, remove_folder)
{
    OWNED(compare_side_clear) struct compare_side side = {0};
    const char *good = folder_file("good.json", GOOD);
    load(&side, &good, 1, false, NULL);
    assert_string_equal(side.started, "2026-11-21");
    // Two sessions of the same device: one piece for each.
    const char *twice[] = {good, good};
    load(&side, twice, 2, false, NULL);
    assert_int_equal(side.sources, 2);
    assert_int_equal(side.model.results[0].runs, 200);
    assert_int_equal(side.model.results[0].failed_runs, 14);
    assert_int_equal(side.model.results[0].piece_count, 2);
    const char *other = folder_file(
        "other.json", REPORT("litmus-report/1", TOOL, DEVICE(ID2, "1", "One", UUID1, "0x1", "2.0"),
                             RESULT_OF("forbidden", ID2, NAMED("a.b", "", ""), PASSES)));
    const char *mixed[] = {good, other};
    load(&side, mixed, 2, false, "One has another driver");
    const char *before =
        folder_file("before.json", REPORT("litmus-report/1", TOOL, DEVICE1,
                                          RESULT_OF("contested", ID1, NAMED_XY("1", "2"), FAILS)));
    const char *changed[] = {good, before};
    load(&side, changed, 2, false, "another expectation");
    static char twin[] = REPORT("litmus-report/1", TOOL, DEVICE1, RESULT "," RESULT);
    const char *double_path = folder_file("double.json", twin);
    load(&side, &double_path, 1, false, " is given twice");
    const char *empty = folder_file("empty", ""), *numbered = "/nowhere#x";
    load(&side, &empty, 1, false, "the file is empty");
    load(&side, &numbered, 1, false, "the number of a session");
    static char open_report[] = GOOD;
    memcpy(strstr(open_report, "true "), "false", 5);
    const char *open_path = folder_file("open.json", open_report);
    load(&side, &open_path, 1, false, "was not finished");
    load(&side, &open_path, 1, true, NULL);
    assert_true(side.unfinished);
}

// A side of devices alone.
static void set_device(struct eng_device *device, unsigned number, const char *name, uint8_t uuid,
                       uint32_t product)
{
    *device = (struct eng_device){.number = number, .facts = {.vendor = 1, .product = product}};
    snprintf(device->facts.name, sizeof device->facts.name, "%s", name);
    device->facts.device_uuid[0] = uuid;
}

TEST(devices)
{
    struct eng_device first[2], second[2];
    struct compare_side a = {.model = {.devices = first, .device_count = 2}};
    struct compare_side b = {.model = {.devices = second, .device_count = 2}};
    struct compare_pairs pairs;
    // The other way round, known by UUID.
    set_device(&first[0], 1, "GPU", 1, 7);
    set_device(&first[1], 2, "GPU", 2, 7);
    set_device(&second[0], 1, "GPU", 2, 7);
    set_device(&second[1], 2, "GPU", 1, 7);
    assert_true(compare_pair_devices(&a, &b, NULL, 0, &pairs, &error));
    assert_int_equal(pairs.count, 2);
    assert_true(pairs.items[0].a == 0 && pairs.items[0].b == 1);
    assert_true(pairs.items[1].a == 1 && pairs.items[1].b == 0);
    compare_pairs_clear(&pairs);
    // UUIDs that the driver changes: two alike cannot be told apart.
    second[0].facts.device_uuid[0] = 3;
    second[1].facts.device_uuid[0] = 4;
    must_fail("-d A -d B", compare_pair_devices(&a, &b, NULL, 0, &pairs, &error));
    compare_pairs_clear(&pairs);
    const char *const chosen[] = {"2", "1"};
    assert_true(compare_pair_devices(&a, &b, chosen, 2, &pairs, &error));
    assert_true(pairs.count == 1 && pairs.items[0].a == 1 && pairs.items[0].b == 0);
    compare_pairs_clear(&pairs);
    // By name where that is clear; what is left over is counted.
    set_device(&first[1], 2, "Other", 9, 8);
    b.model.device_count = 1;
    assert_true(compare_pair_devices(&a, &b, NULL, 0, &pairs, &error));
    assert_true(pairs.count == 1 && pairs.items[0].a == 0 && pairs.alone_a == 1);
    compare_pairs_clear(&pairs);
    const char *nothing = "Third*";
    must_fail("A has no device 'Third*'",
              compare_pair_devices(&a, &b, &nothing, 1, &pairs, &error));
    compare_pairs_clear(&pairs);
    // One on each side belongs together whatever it is.
    a.model.device_count = 1;
    set_device(&second[0], 1, "Quite another", 5, 99);
    assert_true(compare_pair_devices(&a, &b, NULL, 0, &pairs, &error));
    assert_int_equal(pairs.count, 1);
    compare_pairs_clear(&pairs);
    // But no emulated GPU and hardware.
    set_device(&second[0], 1, "GPU", 1, 7);
    memcpy(second[0].facts.device_uuid, DEV_EMULATED, strlen(DEV_EMULATED));
    must_fail("emulated", compare_pair_devices(&a, &b, NULL, 0, &pairs, &error));
    compare_pairs_clear(&pairs);
}

TEST(axes)
{
    struct compare_axis axis;
    assert_true(compare_axis_parse("sync=none,control-each", &axis, &error));
    assert_string_equal(axis.name, "sync");
    assert_string_equal(axis.a, "none");
    assert_string_equal(axis.b, "control-each");
    compare_axis_clear(&axis);
    static const char *const wrong[] = {"",     "x",    "x=",      "x=a",  "x=a,",
                                        "x=,b", "=a,b", "x=a,b,c", "x=a,a"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(compare_axis_parse(wrong[i], &axis, &error));
    OWNED(report_model_clear) struct report_model model;
    static const char text[] =
        REPORT("litmus-report/1", TOOL, DEVICE1,
               RESULT_OF("forbidden", ID1, NAMED_XY("1", "1"), FAILS) "," RESULT_OF(
                   "forbidden", ID1, NAMED_XY("2", "1"),
                   FAILS) "," RESULT_OF("forbidden", ID1,
                                        NAMED("a.b/x=1,y=2@subgroup=16", "\"x\":\"1\",\"y\":\"2\"",
                                              "\"subgroup\":16"),
                                        FAILS) "," RESULT);
    must(compare_side_parse(text, strlen(text), "r.json", &model, &error));
    enum eng_result broke[4] = {ENG_PASS};
    const struct compare_side side = {.model = model, .broke = broke, .sources = 1};
    struct compare_pair pair = {.a = 0};
    const struct compare_pairs pairs = {.items = &pair, .count = 1};
    struct compare_entry *entries;
    assert_true(compare_axis_parse("x=1,2", &axis, &error));
    size_t count = compare_pair_results(&side, &side, &pairs, &axis, NULL, 0, &entries);
    assert_int_equal(count, 3);
    assert_string_equal(entries[0].name, "a.b/x=1>2,y=1@subgroup=8");
    assert_string_equal(entries[0].a->name, "a.b/x=1,y=1@subgroup=8");
    assert_string_equal(entries[0].b->name, "a.b/x=2,y=1@subgroup=8");
    assert_null(entries[1].b);
    compare_entries_free(entries, count);
    compare_axis_clear(&axis);
    const char *const only[] = {"a", "!a.b/*y=2*"};
    count = compare_pair_results(&side, &side, &pairs, &axis, only, 2, &entries);
    assert_int_equal(count, 2);
    compare_entries_free(entries, count);
}
