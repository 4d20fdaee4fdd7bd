// SPDX-License-Identifier: Apache-2.0
// The Vulkan memory model, compared with what can be decided by hand: AXIOMATIC FILE.
#include "sections.h"

#include "axiomatic.h"

#include "axiomatic/execution.h"
#include "base/random.h"

// Relations, by another algorithm: paths of each length.
TEST(relations)
{
    struct lit_random random = {7};
    for (int round = 0; round < 3000; round++) {
        struct axi_relation relation, closed;
        bool paths[9][9][9] = {{{false}}}; // of a length, from, to
        const unsigned size = 1 + (unsigned)random_below(&random, 8);
        unsigned shortest = 0;
        uint8_t cycle[AXI_EVENTS];
        axi_empty(&relation, size);
        for (unsigned i = 0; i < size + round % 5; i++) {
            const unsigned a = (unsigned)random_below(&random, size);
            const unsigned b = (unsigned)random_below(&random, size);
            axi_add(&relation, a, b);
            paths[1][a][b] = true;
        }
        for (unsigned length = 2; length <= size; length++)
            for (unsigned a = 0; a < size; a++)
                for (unsigned b = 0; b < size; b++)
                    for (unsigned c = 0; c < size; c++)
                        paths[length][a][c] |= paths[length - 1][a][b] && paths[1][b][c];
        closed = relation;
        axi_close(&closed);
        for (unsigned a = 0; a < size; a++)
            for (unsigned b = 0; b < size; b++) {
                bool path = false;
                for (unsigned length = 1; length <= size; length++) {
                    path |= paths[length][a][b];
                    if (a == b && paths[length][a][a] && (!shortest || length < shortest))
                        shortest = length;
                }
                assert_int_equal(axi_has(&closed, a, b), path);
            }
        assert_int_equal(axi_is_acyclic(&relation), !shortest);
        assert_int_equal(axi_cycle(&relation, cycle), shortest);
        for (unsigned i = 0; i < shortest; i++)
            assert_true(axi_has(&relation, cycle[i], cycle[(i + 1) % shortest]));
    }
}

// Message passing in all its forms. What is stored in x is read behind a flag y; by hand:
// the two sides synchronize if both have an order, in whose semantics is the class of x, and where
// a barrier takes part that of y; if each side's scope reaches the other; x is ordered if moreover
// it is non-private, made available and made visible for a scope that reaches the other side.

enum place { SAME_SUBGROUP, SAME_WORKGROUP, SAME_FAMILY, PLACES };
static const char *const places[PLACES] = {"sg 0, wg 0, qf 0", "sg 1, wg 0, qf 0",
                                           "sg 0, wg 1, qf 0"};
static const char *const scopes[] = {"sg", "wg", "dv"}; // the narrowest that reaches: by place

enum order { RELAXED, ON_ATOMIC, BY_BARRIER, ORDERS };
enum data { PRIVATE, NON_PRIVATE, OWN_SUBGROUP, OWN_WORKGROUP, OWN_DEVICE, DATA };

struct side {
    enum order order;
    unsigned scope, classes; // of its order; classes: bit 0 the class of x, bit 1 that of y
    bool by_semantics;       // MakeAvailable or MakeVisible
    enum data data;
};

static void put_classes(struct text *text, unsigned classes)
{
    text_puts(text, classes & 1 ? ".semsc0" : "");
    text_puts(text, classes & 2 ? ".semsc1" : "");
}

static const char *data_word(enum data data, bool writes)
{
    static const char *const words[DATA][2] = {{"", ""},
                                               {".nonpriv", ".nonpriv"},
                                               {".vis.sg", ".av.sg"},
                                               {".vis.wg", ".av.wg"},
                                               {".vis.dv", ".av.dv"}};
    return words[data][writes];
}

static void put_message_passing(struct text *text, enum place place, const struct side *out,
                                const struct side *in)
{
    text_printf(text,
                "VULKAN MP\n{ x=0; y=0; }\n P0@sg 0, wg 0, qf 0 | P1@%s ;\n"
                " st%s.sc0 x, 1 | ",
                places[place], data_word(out->data, true));
    text_printf(text, "ld.atom%s.%s.sc1", in->order == ON_ATOMIC ? ".acq" : "", scopes[in->scope]);
    if (in->order == ON_ATOMIC)
        put_classes(text, in->classes);
    text_puts(text, in->order == ON_ATOMIC && in->by_semantics ? ".semvis" : "");
    text_puts(text, " r0, y ;\n ");
    if (out->order == BY_BARRIER) {
        text_printf(text, "membar.rel.%s", scopes[out->scope]);
        put_classes(text, out->classes);
        text_puts(text, out->by_semantics ? ".semav" : "");
    }
    text_puts(text, " | ");
    if (in->order == BY_BARRIER) {
        text_printf(text, "membar.acq.%s", scopes[in->scope]);
        put_classes(text, in->classes);
        text_puts(text, in->by_semantics ? ".semvis" : "");
    }
    text_printf(text, " ;\n st.atom%s.%s.sc1", out->order == ON_ATOMIC ? ".rel" : "",
                scopes[out->scope]);
    if (out->order == ON_ATOMIC)
        put_classes(text, out->classes);
    text_puts(text, out->order == ON_ATOMIC && out->by_semantics ? ".semav" : "");
    text_printf(text, " y, 1 | ld%s.sc0 r1, x ;\nfilter (P1:r0 == 1)\nexists (P1:r1 == 0)\n",
                data_word(in->data, false));
}

static bool is_done(const struct side *side, enum place place)
{
    const bool own = side->data >= OWN_SUBGROUP && side->data >= OWN_SUBGROUP + (enum data)place;
    const bool by_semantics = side->order != RELAXED && side->by_semantics &&
                              side->data != PRIVATE && side->classes & 1 &&
                              side->scope >= (unsigned)place;
    return own || by_semantics;
}

static bool is_ordered(enum place place, const struct side *out, const struct side *in)
{
    const struct side *const sides[] = {out, in};
    for (int i = 0; i < 2; i++) {
        const struct side *side = sides[i];
        const unsigned needed = side->order == BY_BARRIER ? 3 : 1;
        if (side->order == RELAXED || (side->classes & needed) != needed ||
            side->scope < (unsigned)place || !is_done(side, place))
            return false;
    }
    return (out->classes & in->classes & 1) != 0;
}

static struct side draw_side(struct lit_random *random)
{
    return (struct side){.order = (enum order)random_below(random, ORDERS),
                         .scope = (unsigned)random_below(random, PLACES),
                         .classes = 1 + (unsigned)random_below(random, 3),
                         .by_semantics = random_below(random, 2),
                         .data = (enum data)random_below(random, DATA)};
}

TEST(message_passing)
{
    struct lit_random random = {22};
    unsigned ordered = 0;
    for (int round = 0; round < 100000; round++) {
        const struct side out = draw_side(&random), in = draw_side(&random);
        const enum place place = (enum place)(round % PLACES);
        const bool wanted = is_ordered(place, &out, &in);
        OWNED(text_free) struct text text = {0};
        OWNED(decided_clear) struct decided decided;
        put_message_passing(&text, place, &out, &in);
        assert_true(decide(text.data, &decided));
        if (decided.verdict.found[0] == wanted)
            print_error("%s\n", text.data);
        assert_int_equal(decided.verdict.found[0], !wanted);
        ordered += wanted;
        // Flags whose scopes do not reach race, too.
        const bool races = !wanted || in.scope < (unsigned)place || out.scope < (unsigned)place;
        assert_int_equal(decided.verdict.races, races);
    }
    assert_true(ordered > 500);
}

// The others, with what is true of each: axiomatic.txt.
static void put_section(const struct section *program, struct text *text)
{
    text_printf(text, "VULKAN %s\n%s", program->name, program->text);
}

TEST(by_hand)
{
    assert_true(section_count > 40);
    for (size_t i = 0; i < section_count; i++) {
        OWNED(text_free) struct text text = {0};
        OWNED(decided_clear) struct decided decided;
        const bool allowed = !strncmp(sections[i].more, "allowed", 7);
        const bool races = strstr(sections[i].more, " races") != NULL;
        put_section(&sections[i], &text);
        assert_true(decide(text.data, &decided));
        if (decided.verdict.found[0] != allowed || decided.verdict.races != races)
            fail_msg("%s: allowed %d, races %d", sections[i].name, decided.verdict.found[0],
                     decided.verdict.races);
        assert_false(decided.verdict.cut);
    }
}

// Looking only at what can be consistent gives the same states, races and checks.
TEST(pruned)
{
    for (size_t i = 0; i < section_count; i++) {
        OWNED(text_free) struct text text = {0};
        OWNED(decided_clear) struct decided all;
        OWNED(decided_clear) struct decided some;
        const struct axi_options how = {.rounds = 2, .most = 1000000};
        put_section(&sections[i], &text);
        assert_true(decide(text.data, &all) && decide_with(text.data, how, &some));
        assert_int_equal(all.verdict.found[0], some.verdict.found[0]);
        assert_int_equal(all.verdict.races, some.verdict.races);
        assert_int_equal(all.verdict.consistent, some.verdict.consistent);
        size_t of_some = 0;
        for (size_t j = 0; j < all.verdict.count; j++) {
            const struct axi_state *one = &all.verdict.states[j];
            assert_int_equal(one->allowed, !one->figure);
            if (!one->allowed)
                continue;
            assert_true(of_some < some.verdict.count);
            assert_memory_equal(one->values, some.verdict.states[of_some++].values,
                                all.program.observed_count * sizeof *one->values);
        }
        assert_int_equal(of_some, some.verdict.count);
    }
}

// Chains: P1 hands on what P0 made available to their workgroup alone.
TEST(chains)
{
    static const char text[] =
        "VULKAN chain\n{ x=0; y=0; z=0; }\n"
        " P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 | P2@sg 0, wg 1, qf 0 ;\n"
        "st.av.wg.sc0 x, 1 | ld.atom.acq.wg.sc0.semsc0 r0, y | "
        "ld.atom.acq.dv.sc0.semsc0 r0, z ;"
        "st.atom.rel.wg.sc0.semsc0 y, 1 | st.atom.rel.dv.sc0.semsc0.semav z, 1 | "
        "ld.vis.dv.sc0 r1, x ;\n"
        "filter (P1:r0 == 1 /\\ P2:r0 == 1) exists (P2:r1 == 0)";
    for (int without = 0; without < 2; without++) {
        OWNED(decided_clear) struct decided decided;
        const struct axi_options how = {
            .without_chains = without, .rounds = 2, .most = 1000, .listed = 1000};
        assert_true(decide_with(text, how, &decided));
        // The check is of chains; what is allowed is of either.
        assert_int_equal(decided.verdict.count, 1 + 1);
        assert_int_equal(decided.verdict.states[0].allowed, without);
        assert_int_equal(decided.verdict.races, without);
    }
}

TEST(a_cycle_is_told)
{
    OWNED(decided_clear) struct decided decided;
    OWNED(text_free) struct text text = {0};
    put_section(section("CoRR"), &text);
    assert_true(decide(text.data, &decided));
    assert_int_equal(decided.verdict.count, 4);
    OWNED(text_free) struct text line = {0};
    axi_figure_line(decided.verdict.states[2].figure, &line);
    assert_string_equal(line.data, "P0 st x=1, reads-from, P1 ld x=1, program order, P1 ld x=0, "
                                   "from-reads, P0 st x=1");
}
