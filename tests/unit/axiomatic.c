// SPDX-License-Identifier: Apache-2.0
// The Vulkan memory model, compared with what can be decided by hand.
#include "axiomatic.h"

#include "axiomatic/relation.h"
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
    return (struct side){
        .order = (enum order)random_below(random, ORDERS),
        .scope = (unsigned)random_below(random, PLACES),
        .classes = 1 + (unsigned)random_below(random, 3),
        .by_semantics = random_below(random, 2),
        .data = (enum data)random_below(random, DATA),
    };
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

// The others: a row for each, with what is true of it.
#define SAME  "{ x=0; y=0; z=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;\n"
#define OTHER "{ x=0; y=0; z=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
#define THREE                                                                                      \
    "{ x=0; y=0; z=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 | P2@sg 0, wg 2, qf 0 ;\n"
#define FOUR                                                                                       \
    "{ x=0; y=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 | P2@sg 0, wg 2, qf 0 | "           \
    "P3@sg 0, wg 3, qf 0 ;\n"
// Atomics of the Device scope.
#define LD  "ld.atom.dv.sc0 "
#define ST  "st.atom.dv.sc0 "
#define RMW "rmw.atom.dv.sc0"
#define ACQ "ld.atom.acq.dv.sc0.semsc0 "
#define REL "st.atom.rel.dv.sc0.semsc0 "
#define BAR "membar.acq_rel.dv.semsc0 "

static const struct row {
    const char *name;
    bool allowed, races; // the final state that the row asks for
    const char *text;
} rows[] = {
    // Store buffering: there is no sequential consistency, so nothing forbids it.
    {"SB", true, false,
     OTHER ST "x, 1 | " ST "y, 1 ;" LD "r0, y | " LD "r1, x ;\n"
              "exists (P0:r0 == 0 /\\ P1:r1 == 0)"},
    {"SB, release and acquire", true, false,
     OTHER REL "x, 1 | " REL "y, 1 ;" ACQ "r0, y | " ACQ "r1, x ;\n"
               "exists (P0:r0 == 0 /\\ P1:r1 == 0)"},
    {"SB, barriers", true, false,
     OTHER ST "x, 1 | " ST "y, 1 ;" BAR " | " BAR ";" LD "r0, y | " LD "r1, x ;\n"
              "exists (P0:r0 == 0 /\\ P1:r1 == 0)"},
    // RMWs read what is last, so one of them is the second.
    {"SB, RMWs", false, false,
     OTHER ST "x, 1 | " ST "y, 1 ;" BAR " | " BAR ";" RMW ".add r0, z, 1 | " RMW
              ".add r1, z, 1;" BAR " | " BAR ";" LD "r2, y | " LD "r3, x ;\n"
              "exists (P0:r2 == 0 /\\ P1:r3 == 0)"},
    // Load buffering: one pair of release and acquire is enough.
    {"LB", true, false,
     OTHER LD "r0, x | " LD "r1, y ;" ST "y, 1 | " ST "x, 1 ;\n"
              "exists (P0:r0 == 1 /\\ P1:r1 == 1)"},
    {"LB, one release and acquire", false, false,
     OTHER LD "r0, x | " ACQ "r1, y ;" REL "y, 1 | " ST "x, 1 ;\n"
              "exists (P0:r0 == 1 /\\ P1:r1 == 1)"},
    {"LB, acquires alone", true, false,
     OTHER ACQ "r0, x | " ACQ "r1, y ;" ST "y, 1 | " ST "x, 1 ;\n"
               "exists (P0:r0 == 1 /\\ P1:r1 == 1)"},
    {"LB, releases alone", true, false,
     OTHER LD "r0, x | " LD "r1, y ;" REL "y, 1 | " REL "x, 1 ;\n"
              "exists (P0:r0 == 1 /\\ P1:r1 == 1)"},
    {"LB, barriers", false, false,
     OTHER LD "r0, x | " LD "r1, y ;" BAR " | " BAR ";" ST "y, 1 | " ST "x, 1 ;\n"
              "exists (P0:r0 == 1 /\\ P1:r1 == 1)"},
    {"LB, one barrier", true, false,
     OTHER LD "r0, x | " LD "r1, y ;" BAR " | ;" ST "y, 1 | " ST "x, 1 ;\n"
              "exists (P0:r0 == 1 /\\ P1:r1 == 1)"},
    {"LB, data dependencies are not ordered", true, false,
     OTHER LD "r0, x | " LD "r1, y ;" ST "y, r0 | " ST "x, r1 ;\n"
              "exists (P0:r0 == 7 /\\ P1:r1 == 7)"},
    // The scopes of barriers count besides those of the atomics.
    {"MP, a barrier of a scope that does not reach", true, false,
     OTHER ST "x, 1 | " LD "r0, y ; membar.rel.wg.semsc0 | " BAR ";" ST "y, 1 | " LD
              "r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)"},
    {"MP, barriers that reach", false, false,
     OTHER ST "x, 1 | " LD "r0, y ;" BAR " | " BAR ";" ST "y, 1 | " LD
              "r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)"},
    // Coherence.
    {"CoRR", false, false,
     OTHER ST "x, 1 | " LD "r0, x ; | " LD "r1, x ;\n"
              "exists (P1:r0 == 1 /\\ P1:r1 == 0)"},
    {"CoRR, two writes", false, false,
     OTHER ST "x, 1 | " LD "r0, x ;" ST "x, 2 | " LD "r1, x ;\n"
              "exists (P1:r0 == 2 /\\ P1:r1 == 1)"},
    {"CoRR, out of scope", false, true,
     OTHER "st.atom.wg.sc0 x, 1 | ld.atom.wg.sc0 r0, x ; | "
           "ld.atom.wg.sc0 r1, x ;\n"
           "exists (P1:r0 == 1 /\\ P1:r1 == 0)"},
    {"CoRR, two references", true, true,
     "{ x=0; y aliases x; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n" ST "x, 1 | " LD
     "r0, x ; | ld.sc0 r1, y ;\n"
     "exists (P1:r0 == 1 /\\ P1:r1 == 0)"},
    {"CoRR, two observers", false, false,
     FOUR ST "x, 1 | " ST "x, 2 | " LD "r0, x | " LD "r0, x ; | | " LD "r1, x | " LD "r1, x ;\n"
             "exists (P2:r0 == 1 /\\ P2:r1 == 2 /\\ P3:r0 == 2 /\\ P3:r1 == 1)"},
    {"CoRR, two observers, out of scope", true, true,
     FOUR "st.atom.wg.sc0 x, 1 | st.atom.wg.sc0 x, 2 | " LD "r0, x | " LD "r0, x ; | | " LD
          "r1, x | " LD "r1, x ;\n"
          "exists (P2:r0 == 1 /\\ P2:r1 == 2 /\\ P3:r0 == 2 /\\ P3:r1 == 1)"},
    {"CoWR", false, false, OTHER ST "x, 1 | " ST "x, 2 ;" LD "r0, x | ;\nexists (P0:r0 == 0)"},
    {"CoRW", false, false, OTHER LD "r0, x | ;" ST "x, 1 | ;\nexists (P0:r0 == 1)"},
    {"CoWW", false, false, OTHER ST "x, 1 | ;" ST "x, 2 | ;\nexists (x == 1)"},
    // A write that nothing orders may be the last; that of the same agent is not.
    {"final values", true, false, OTHER ST "x, 1 | " ST "x, 2 ;\nexists (x == 1)"},
    {"2+2W", true, false,
     OTHER ST "x, 1 | " ST "y, 1 ;" ST "y, 2 | " ST "x, 2 ;\nexists (x == 1 /\\ y == 1)"},
    // Without an order of all writes observers may disagree, whatever they release and acquire.
    {"IRIW", true, false,
     FOUR REL "x, 1 | " REL "y, 1 | " ACQ "r0, x | " ACQ "r0, y ; | | " ACQ "r1, y | " ACQ
              "r1, x ;\n"
              "exists (P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0)"},
    {"IRIW, barriers", true, false,
     FOUR ST "x, 1 | " ST "y, 1 | " LD "r0, x | " LD "r0, y ; | | " BAR " | " BAR "; | | " LD
             "r1, y | " LD "r1, x ;\n"
             "exists (P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0)"},
    {"WRC", false, false,
     THREE ST "x, 1 | " LD "r0, x | " ACQ "r0, y ; | " REL "y, 1 | " LD "r1, x ;\n"
              "exists (P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0)"},
    {"WRC, relaxed", true, false,
     THREE ST "x, 1 | " LD "r0, x | " LD "r0, y ; | " ST "y, 1 | " LD "r1, x ;\n"
              "exists (P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0)"},
    {"ISA2", false, false,
     THREE "st.av.dv.sc0 x, 1 | " ACQ "r0, y | " ACQ "r0, z ;" REL "y, 1 | " REL
           "z, 1 | ld.vis.dv.sc0 r1, x ;\nfilter (P1:r0 == 1 /\\ P2:r0 == 1)\n"
           "exists (P2:r1 == 0)"},
    // Release sequences: RMWs continue them, stores end them.
    {"release sequence", false, false,
     THREE "st.av.dv.sc0 x, 1 | " RMW ".add r0, y, 1 | " ACQ "r0, y ;" REL
           "y, 1 | | ld.vis.dv.sc0 r1, x ;\n"
           "filter (P1:r0 == 1 /\\ P2:r0 == 2)\nexists (P2:r1 == 0)"},
    {"a store is not of the release sequence", true, true,
     OTHER "st.av.dv.sc0 x, 1 | " ACQ "r0, y ;" REL "y, 1 | ld.vis.dv.sc0 r1, x ;" ST "y, 2 | ;\n"
           "filter (P1:r0 == 2)\nexists (P1:r1 == 0)"},
    // RMWs.
    {"RMW, both first", false, false,
     OTHER RMW ".add r0, x, 1 | " RMW ".add r0, x, 1 ;\n"
               "exists (P0:r0 == 0 /\\ P1:r0 == 0)"},
    {"RMW, then a store", true, false,
     OTHER RMW " r0, x, 2 | " ST "x, 1 ;\nexists (P0:r0 == 0 /\\ x == 1)"},
    {"RMW that misses the store before it", false, false,
     OTHER ST "x, 1 | " RMW ".add r0, x, 5 ;\n"
              "exists (P1:r0 == 0 /\\ x == 5)"},
    // Control barriers.
    {"control barrier", false, false,
     SAME "st.av.wg.sc0 x, 1 | cbar.acq_rel.wg.semsc0 3 ;"
          "cbar.acq_rel.wg.semsc0 3 | ld.vis.wg.sc0 r0, x ;\n"
          "exists (P1:r0 == 0)"},
    {"control barrier without semantics", true, true,
     SAME "st.av.wg.sc0 x, 1 | cbar.wg 3 ;"
          "cbar.wg 3 | ld.vis.wg.sc0 r0, x ;\n"
          "exists (P1:r0 == 0)"},
    {"control barrier between memory barriers", false, false,
     SAME "st.av.wg.sc0 x, 1 | cbar.wg 3 ; membar.rel.wg.semsc0 | membar.acq.wg.semsc0 ;"
          "cbar.wg 3 | ld.vis.wg.sc0 r0, x ;\nexists (P1:r0 == 0)"},
    {"a barrier of each workgroup", true, true,
     OTHER "st.av.dv.sc0 x, 1 | cbar.acq_rel.dv.semsc0 3 ;"
           "cbar.acq_rel.dv.semsc0 3 | ld.vis.dv.sc0 r0, x ;\n"
           "exists (P1:r0 == 0)"},
    {"a barrier of each subgroup", true, true,
     SAME "st.av.wg.sc0 x, 1 | cbar.acq_rel.sg.semsc0 3 ;"
          "cbar.acq_rel.sg.semsc0 3 | ld.vis.wg.sc0 r0, x ;\n"
          "exists (P1:r0 == 0)"},
    {"a barrier that one does not come to", false, false,
     SAME "cbar.wg 3 | ld.sc0 r0, x ; | beq r0, 0, L ;"
          " | cbar.wg 3 ; | L: ;\nexists (0 == 0)"},
    {"barriers in two orders", false, false,
     SAME "cbar.wg 1 | cbar.wg 2 ; cbar.wg 2 | cbar.wg 1 ;\n"
          "exists (0 == 0)"},
    {"a barrier in a loop", true, false,
     SAME "L: | K: ; cbar.wg 1 | cbar.wg 1 ;"
          "add r0, r0, 1 | add r0, r0, 1 ; bne r0, 2, L | bne r0, 2, K ;\n"
          "exists (P0:r0 == 2)"},
    // What the API synchronizes.
    {"system synchronization", false, false,
     "{ x=0; }\n{ ssw 0 1; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;"
     "st.sc0 x, 1 | visdevice ; avdevice | ld.sc0 r0, x ;\n"
     "exists (P1:r0 == 0)"},
    {"without a visibility operation", true, true,
     "{ x=0; }\n{ ssw 0 1; }\n P0@sg 0, wg 0, qf 0 | "
     "P1@sg 0, wg 1, qf 0 ;"
     "st.sc0 x, 1 | ld.sc0 r0, x ; avdevice | ;\n"
     "exists (P1:r0 == 0)"},
    {"write after read", false, false,
     "{ x=0; }\n{ ssw 0 1; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;"
     "ld.sc0 r0, x | st.sc0 x, 1 ;\nexists (P0:r0 == 1)"},
    // Loops that wait.
    {"a loop that waits", false, false,
     OTHER "st.av.dv.sc0 x, 1 | L: ;" REL "y, 1 | " ACQ
           "r0, y ; | beq r0, 0, L ; | ld.vis.dv.sc0 r1, x ;\n"
           "exists (P1:r1 == 0)"},
    {"a loop that waits without acquire", true, true,
     OTHER "st.av.dv.sc0 x, 1 | L: ;" REL "y, 1 | " LD
           "r0, y ; | beq r0, 0, L ; | ld.vis.dv.sc0 r1, x ;\n"
           "exists (P1:r1 == 0)"},
    // The failed iteration races with the store, though the last one does not.
    {"a race in a failed iteration", false, true,
     OTHER "st.av.dv.sc0 x, 1 | L: ;" REL "y, 1 | " ACQ
           "r0, y ; | ld.vis.dv.sc0 r1, x ; | beq r0, 0, L ;\nexists (P1:r1 == 0)"},
};

TEST(by_hand)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(text_free) struct text text = {0};
        OWNED(decided_clear) struct decided decided;
        text_printf(&text, "VULKAN %s\n%s\n", rows[i].name, rows[i].text);
        assert_true(decide(text.data, &decided));
        if (decided.verdict.found[0] != rows[i].allowed || decided.verdict.races != rows[i].races)
            print_error("%s: allowed %d, races %d\n", rows[i].name, decided.verdict.found[0],
                        decided.verdict.races);
        assert_int_equal(decided.verdict.found[0], rows[i].allowed);
        assert_int_equal(decided.verdict.races, rows[i].races);
        assert_false(decided.verdict.cut);
    }
}

// Looking only at what can be consistent gives the same states, races and checks.
TEST(pruned)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(text_free) struct text text = {0};
        OWNED(decided_clear) struct decided all;
        OWNED(decided_clear) struct decided some;
        const struct axi_options how = {.rounds = 2, .most = 1000000};
        text_printf(&text, "VULKAN %s\n%s\n", rows[i].name, rows[i].text);
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
        "st.av.wg.sc0 x, 1 | ld.atom.acq.wg.sc0.semsc0 r0, y | " ACQ "r0, z ;"
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
    assert_true(decide("VULKAN CoRR\n" OTHER ST "x, 1 | " LD "r0, x ; | " LD
                       "r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)",
                       &decided));
    assert_int_equal(decided.verdict.count, 4);
    OWNED(text_free) struct text line = {0};
    axi_figure_line(decided.verdict.states[2].figure, &line);
    assert_string_equal(line.data, "P0 st x=1, reads-from, P1 ld x=1, program order, P1 ld x=0, "
                                   "from-reads, P0 st x=1");
}
