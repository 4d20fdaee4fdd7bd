// SPDX-License-Identifier: Apache-2.0
// Command lines: what the table driven parser makes of them, what it says about wrong ones, the
// help, and what a session remembers.
#include "sections.h"

#include "cli/cli.h"
#include "session/session.h"

struct target {
    bool flag;
    int more, choice;
    uint64_t count;
    double seconds, rate;
    struct lit_seed seed;
    const char *text;
    struct lit_list list;
};

#define AT(member) offsetof(struct target, member)

static const struct cli_option table[] = {
    {'f', "flag", CLI_FLAG, AT(flag), NULL, "a flag"},
    {'v', "verbose", CLI_MORE, AT(more), NULL, "more"},
    {'n', "runs", CLI_COUNT, AT(count), "N", "a count"},
    {0, "time", CLI_SECONDS, AT(seconds), "SECONDS", "a time\nin two lines"},
    {0, "seed", CLI_SEED, AT(seed), "SEED", "a seed"},
    {0, "db", CLI_TEXT, AT(text), "FILE", "a file"},
    {'d', "device", CLI_LIST, AT(list), "DEVICE", "a list"},
    {0, "width", CLI_RATE, AT(rate), "WIDTH", "a rate"},
    {0, "color", CLI_CHOICE, AT(choice), "auto|always|never", "a choice"},
};

static const struct cli_syntax syntax = {.name = "try",
                                         .usage = "[OPTION]...",
                                         .about = "Tries.",
                                         .options = table,
                                         .count = sizeof table / sizeof table[0],
                                         .more = ""};

// Parses words that blanks separate.
static enum cli_outcome parse(const char *line, struct target *target, struct lit_list *operands,
                              uint64_t *given, struct lit_error *error)
{
    static char words[256];
    char *argv[32] = {words};
    int argc = 0;
    snprintf(words, sizeof words, "try %s", line);
    for (char *word = strtok(words, " "); word && argc < 31; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    return cli_parse(&syntax, argc, argv, target, operands, given, error);
}

TEST(right_lines)
{
    struct target target = {0};
    struct lit_list operands = {0};
    uint64_t given = 0;
    assert_int_equal(parse("one -vf two --runs=10,000 -v -d 1 --device gpu* !three --time 1.5m "
                           "--seed 0x5eed --db x.db --color never --width 1e-3 -- -four",
                           &target, &operands, &given, &error),
                     CLI_PARSED);
    assert_true(target.flag);
    assert_int_equal(target.more, 2);
    assert_int_equal(target.count, 10000);
    assert_float_equal(target.seconds, 90, 0);
    assert_true(target.seed.given);
    assert_int_equal(target.seed.value, 0x5eed);
    assert_string_equal(target.text, "x.db");
    assert_int_equal(target.list.count, 2);
    assert_string_equal(target.list.items[1], "gpu*");
    assert_int_equal(target.choice, TERM_COLOR_NEVER);
    assert_int_equal(operands.count, 4);
    assert_string_equal(operands.items[0], "one");
    assert_string_equal(operands.items[2], "!three");
    assert_string_equal(operands.items[3], "-four");
    assert_float_equal(target.rate, 1e-3, 0);
    assert_int_equal(given, 0x1ff);
    operands = (struct lit_list){0};

    assert_int_equal(parse("a", &target, &operands, &given, &error), CLI_PARSED);
    assert_int_equal(given, 0);
    operands = (struct lit_list){0};
    assert_int_equal(parse("-f --help", &target, &operands, NULL, &error), CLI_HELP);
    assert_int_equal(parse("-h", &target, &operands, NULL, &error), CLI_HELP);
}

TEST(wrong_lines)
{
    for (const char *at = section("wrong")->text, *line, *message;
         sections_row(&at, &line, &message);) {
        struct target target = {0};
        struct lit_list operands = {0};
        error = (struct lit_error){0};
        assert_int_equal(parse(line, &target, &operands, NULL, &error), CLI_WRONG);
        assert_string_equal(error.message, message);
        assert_int_equal(error.code, LIT_EXIT_USAGE);
    }
}

TEST(help_has_every_option)
{
    OWNED(text_free) struct text text = {0};
    cli_help_text(&syntax, &text);
    assert_non_null(strstr(text.data, "usage: litmus try [OPTION]...\n\nTries.\n\n"));
    assert_non_null(strstr(text.data, "  -n, --runs N            a count\n"));
    assert_non_null(strstr(text.data, "      --time SECONDS      a time\n"
                                      "                          in two lines\n"));
    assert_non_null(strstr(text.data, "      --color auto|always|never\n"
                                      "                          a choice\n"));
    assert_non_null(strstr(text.data, "  -h, --help              print this\n"));
}

TEST(colour)
{
    static const struct {
        enum term_color choice;
        const char *no_color, *force, *term;
        bool terminal, want;
    } rows[] = {
        {TERM_COLOR_AUTO, NULL, NULL, "xterm", true, true},
        {TERM_COLOR_AUTO, NULL, NULL, "xterm", false, false},
        {TERM_COLOR_AUTO, NULL, NULL, "dumb", true, false},
        {TERM_COLOR_AUTO, NULL, NULL, NULL, true, false},
        {TERM_COLOR_AUTO, "1", NULL, "xterm", true, false},
        {TERM_COLOR_AUTO, "", NULL, "xterm", true, true},
        {TERM_COLOR_AUTO, NULL, "1", "dumb", false, true},
        {TERM_COLOR_AUTO, NULL, "0", "xterm", false, false},
        {TERM_COLOR_AUTO, "1", "1", "xterm", true, false},
        {TERM_COLOR_ALWAYS, "1", NULL, "dumb", false, true},
        {TERM_COLOR_NEVER, NULL, "1", "xterm", true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(term_color_decide(rows[i].choice, rows[i].no_color, rows[i].force,
                                           rows[i].term, rows[i].terminal),
                         rows[i].want);
}

static struct eng_device named_device(unsigned number, const char *name)
{
    struct eng_device device = {.number = number};
    snprintf(device.facts.name, sizeof device.facts.name, "%s", name);
    dev_facts_id(&device.facts, device.id);
    return device;
}

TEST(a_session_remembers_its_options)
{
    const char *patterns[] = {"shuffle.*", "!*@*workgroup=64*"};
    struct eng_device devices[] = {named_device(1, "One"), named_device(2, "Gone"),
                                   named_device(3, "Three")};
    bool asked[] = {false, true, true};
    const struct ses_devices then = {.inventory = {.devices = devices, .count = 3},
                                     .chosen = asked};
    struct ses_options before = {.thorough = true,
                                 .shuffle = true,
                                 .patterns = {patterns, 2},
                                 .runs = 12345,
                                 .rule = {ENG_RULE_DECIDED, 1e-4, 12345, 1000000},
                                 .seed = {true, UINT64_C(0xfedcba9876543210)},
                                 .timeout = 7.5,
                                 .db = "x.db"};
    struct ses_options after = {.db = "y.db", .time = 3};
    OWNED(lit_free) char *json = ses_write(&before, &then);
    assert_true(ses_read(&(struct store_session){.options = json}, &after, &error));
    assert_true(after.thorough && after.shuffle && !after.validation);
    assert_int_equal(after.runs, 12345);
    assert_int_equal(after.rule.kind, ENG_RULE_DECIDED);
    assert_true(after.rule.value == 1e-4);
    assert_int_equal(after.rule.least, 12345);
    assert_int_equal(after.rule.most, 1000000);
    assert_true(after.seed.value == before.seed.value);
    assert_float_equal(after.timeout, 7.5, 0);
    assert_int_equal(after.patterns.count, 2);
    assert_string_equal(after.patterns.items[1], patterns[1]);
    assert_string_equal(after.db, "y.db");

    // Today there is one device more, in front, and the session's first is away.
    struct eng_device now[] = {named_device(1, "Four"), named_device(2, "One"),
                               named_device(4, "Three")};
    bool chosen[3] = {false, false, false};
    struct ses_devices today = {.inventory = {.devices = now, .count = 3}, .chosen = chosen};
    bool missing = false;
    assert_true(ses_choose(json, &today, &missing, &error));
    assert_true(missing);
    assert_true(!chosen[0] && !chosen[1] && chosen[2]);
    assert_int_equal(now[2].number, 3);
}

TEST(damaged_sessions_are_refused)
{
    static const char *const rows[] = {
        "",
        "{}",
        "[]",
        "{\"patterns\":3}",
        "{\"patterns\":[1],\"seed\":\"0x1\",\"timeout\":1,\"runs\":1,\"devices\":[{}]}",
        "{\"patterns\":[],\"seed\":\"0xg\",\"timeout\":1,\"runs\":1,\"devices\":{}}",
        "{\"patterns\":[],\"seed\":\"0x1\",\"timeout\":0,\"runs\":1,\"devices\":[{\"id\":\"x\"}]}",
        "{\"patterns\":[],\"seed\":\"0x1\",\"timeout\":1,\"runs\":-1}",
        "{\"patterns\":[],\"seed\":\"0x1\",\"timeout\":1,\"runs\":9,\"until\":3,\"max_runs\":9}",
        "{\"patterns\":[],\"seed\":\"0x1\",\"timeout\":1,\"runs\":9,\"until\":\"luck\","
        "\"max_runs\":9}",
        "{\"patterns\":[],\"seed\":\"0x1\",\"timeout\":1,\"runs\":9,\"until\":\"width 0.1\","
        "\"max_runs\":8}",
        "{\"patterns\":[],\"seed\":\"0x1\",\"timeout\":1,\"runs\":9,\"until\":\"width 0.1\"}",
    };
    struct ses_devices none = {0};
    bool missing;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ses_options options = {0};
        const struct store_session session = {.options = (char *)rows[i]};
        must_fail("", ses_read(&session, &options, &error));
        must_fail("", ses_choose(rows[i], &none, &missing, &error));
        assert_int_equal(error.code, LIT_EXIT_USAGE);
    }
}
