# SPDX-License-Identifier: Apache-2.0
"""Tests under stress, and the search for it."""

import os
import re
import signal
import subprocess
import time

import harness

# What is forbidden and never seen on a right device; quick, and of every way in which workgroups meet.
QUICK = ("memory.coherence/sides=device,*computed,*vulkan,*@*workgroup=256,times=1,stride=1,step=4099*",
         "memory.message-passing/sides=device,scope=exact,order=release-acquire,data=atomic,*vulkan@*"
         "workgroup=256,times=1,stride=1,step=1031*",
         "shuffle.branch", "reconvergence.while-break/*@workgroup=64*", "cases.igc-396",
         "lookback.levien-2021/*barriers=two@workgroup=64,elements=2001*")
FEW = (QUICK[0], QUICK[1], QUICK[4])
EVERY_KIND = ("kind=idle,before=8,workgroups=8",
              "kind=memory,before=3,workgroups=3,pattern=store-load,line=16,lines=2,stride=3",
              "kind=arithmetic,before=2,iterations=9,shared=16384",
              "kind=barrier,before=2,skew=1,slices=4,iterations=3", "slices=64", "offset=65536",
              "kind=memory,skew=2,slices=3,offset=256,pattern=load-load,iterations=5")
# Compiles fast.
LIGHT = ("memory.coherence/sides=device,address=computed,place=buffer,memory-model=vulkan,"
         "cure=none@workgroup=256,times=1,stride=1,step=4099*")
SIMT = ("--simt", "lockstep,subgroup=8")
CHAIN = "progress.chain/order=ticket@workgroup=64,workgroups=4,*"


class Stress(harness.Case):
    def run_all(self, *arguments, **how):
        result = self.litmus("run", *arguments, "--seed", "7", **how)
        self.assert_clean(result)
        return result

    def sets(self, store="litmus.db"):
        return dict(self.rows("SELECT name, stress FROM result", store))

    def test_nothing_forbidden_is_new_on_the_reference_driver(self):
        for index, chosen in enumerate(("random",) + EVERY_KIND):
            tests = FEW if index else QUICK
            result = self.run_all(*tests, CHAIN, "-n", "2", "--simt", "tangled,subgroup=8",
                                  "--stress", chosen, "--db", f"{index}.db")
            self.assertEqual(result.code, 0, result)
            # Whatever it is cut into, it ran.
            self.assertEqual(self.rows("SELECT count(*) FROM result WHERE result IN ('crash', 'hang',"
                                       " 'harness-error', 'device-lost')", f"{index}.db"), [(0,)])

    def test_nothing_forbidden_is_new_on_lavapipe(self):
        for index, chosen in enumerate(("random", *EVERY_KIND[1::2])):
            tests = FEW[:2] if index else QUICK
            result = self.run_all(*tests, "-n", "2", "--stress", chosen, "--db", f"{index}.db")
            self.assertEqual(result.code, 0, result)

    def test_each_has_its_own_by_the_seed(self):
        for store in ("a.db", "b.db"):
            self.assertEqual(self.run_all("shuffle.branch", *harness.PAIR, "-n", "2", "--stress",
                                          "random", "--db", store, *SIMT).code, 0)
        first, second = self.sets("a.db"), self.sets("b.db")
        self.assertEqual(first, second)
        self.assertGreater(len(set(first.values())), 2)
        self.assertNotIn("", first.values())

    def test_none(self):
        for arguments in ((), ("--stress", "none"), ("--stress", "tuned")):
            result = self.run_all(LIGHT, "-n", "2", "--db", f"{len(arguments)}.db", *arguments)
            self.assertEqual(set(self.sets(f"{len(arguments)}.db").values()), {""})
            self.assertNotIn("under stress", result.out)

    def test_what_a_test_or_a_device_does_not_allow_is_left_out(self):
        self.run_all(CHAIN, harness.ONE, "-n", "1", "--stress",
                     "shared=1048576,kind=idle,skew=1,slices=4,before=1")
        for name, stress in self.sets().items():
            cut = name.startswith("shuffle.")
            self.assertEqual(stress, "before=1,kind=idle" + (",skew=1,slices=4" if cut else ""), name)

    def test_what_is_dispatched_and_in_which_order(self):
        """As the SIMT simulator writes it down: too much to be kept, most of it the self-test's."""
        os.mkfifo(self.path("trace"))
        kept = os.open(self.path("trace"), os.O_RDWR)  # so that the reader outlives each worker
        with open(self.path("trace"), "rb") as trace, \
                subprocess.Popen(["grep", "^dispatch"], stdin=trace, stdout=subprocess.PIPE, text=True,
                                 env={"LC_ALL": "C"}) as reader:
            try:
                self.run_all("barrier.subgroup-in-branch/barrier=subgroup,chosen=first@workgroup=128*", "-n", "1", "--stress",
                             "before=2,workgroups=3,skew=1,slices=2,kind=idle", drivers=[harness.SIMT],
                             LITMUS_SIMT="model=lockstep,threads=1,subgroup=64,trace="
                                         + self.path("trace"))
            finally:
                os.close(kept)
            lines = reader.communicate()[0].splitlines()
        groups = [re.search(r" groups (\d+) 1 \d+ local (\d+) ", line).groups() for line in lines]
        # The checker looks at several runs at once: that is the third dimension.
        # In front, slice, between, slice, behind; the test has 8 workgroups of 128, and so have they.
        begins = [at for at, group in enumerate(groups) if group == ("2", "128")]
        self.assertTrue(begins, groups[-9:])
        for at in begins:
            self.assertEqual(groups[at:at + 5], [("2", "128"), ("4", "128"), ("1", "128"),
                                                 ("4", "128"), ("3", "128")])

    def test_the_line_that_runs_it_again(self):
        result = self.run_all("shuffle.scan-loop/sync=none,*op=add*@workgroup=64*", "-n", "3", "--simt",
                              "snooping,subgroup=32", "--stress", "slices=2")
        words = self.reproduce(result.out)
        self.assertEqual(words[words.index("--stress") + 1], "slices=2")
        self.assertIn("ran under stress", result.out)
        repeated = self.litmus(*words[1:], "--db", "again.db")
        self.assertEqual(set(self.sets("again.db").values()), {"slices=2"}, repeated)

    def test_wrong_sets(self):
        for wrong, word in (("some", "expected none, random, tuned"), ("stride=2", " needs "),
                            ("stride=2,workgroups=1,kind=idle", "kind=memory"),
                            ("workgroups=64", "missing kind"), ("slices=2,slices=2", "twice"),
                            ("colour=red", "unknown parameter 'colour'"), ("offset=1", "multiple of 256"),
                            ("workgroups=4096,kind=memory,iterations=65536", "at most"), ("a=\n", "'a'")):
            self.assert_one_line(self.litmus("run", harness.ONE, "--stress", wrong), 2, word)
        twice = self.litmus("run", harness.ONE, "--stress", "random", "--stress", "slices=2")
        self.assert_one_line(twice, 2, "given once")
        self.assertFalse(os.path.exists(self.path("litmus.db")))

    def test_resume_keeps_the_set(self):
        since = time.monotonic()
        process = self.start("run", harness.ONE, "-n", "20000", "--stress", "random", "--seed", "3",
                             fault="hang-on=any,after=1")
        self.first_batch()
        process.send_signal(signal.SIGINT)
        self.finish(process, since)
        before = self.sets()
        self.assertEqual(self.rows("SELECT result FROM result"), [("partial",)])
        # Another set than the seed's, as if the session were of a version that drew it otherwise.
        self.edit("UPDATE result SET stress = 'offset=512', runs = runs")
        self.edit("UPDATE session SET options = replace(options, '20000', '400'), runs = 400")
        ran = self.rows("SELECT runs FROM result")[0][0]
        resumed = self.litmus("run", "--resume", fault="slow=0")
        self.assertNotEqual(set(before.values()), {"offset=512"})
        self.assertEqual(set(self.sets().values()), {"offset=512"}, resumed)
        self.assertIn("stress random", resumed.out)
        self.assertGreaterEqual(self.rows("SELECT runs FROM result")[0][0], min(ran, 400))
        refused = self.litmus("run", "--resume", "--stress", "none")
        self.assert_one_line(refused, 2, "--stress cannot be given")


class Tune(harness.Case):
    def tune(self, *arguments, **how):
        result = self.litmus("tune", *arguments, "--seed", "7", **how)
        self.assert_clean(result)
        return result

    def test_it_ends_and_is_stored(self):
        result = self.tune(LIGHT, "--sets", "3", "-n", "4", code=0)
        tried = self.rows("SELECT stress, runs, failed_runs FROM tuning ORDER BY id")
        self.assertEqual(tried[0][0], "")
        self.assertGreaterEqual(len(tried), 4)
        self.assertEqual(len({row[0] for row in tried}), len(tried))
        # Nothing failed under any set: none is chosen, and measured anew, 4 * (1 + 2) runs at least.
        self.assertEqual(self.rows("SELECT stress, runs, failed_runs FROM result"), [("", 16, 0)])
        self.assertEqual(tried[0][1:], (16, 0))
        self.assert_all_in(result.out, "measured anew", "< ")
        self.assertRegex(result.out, r"not distinguishable|no stress configuration|no failure under")
        # It is a session as others are, and nothing that could be gone on with.
        self.assertEqual(len(self.report()["results"]), 1)
        self.assert_one_line(self.litmus("run", "--resume"), 2, "no unfinished session")

    def test_the_same_seed_tries_the_same(self):
        for store in ("a.db", "b.db"):
            self.tune(harness.ONE, "--sets", "2", "-n", "2", "--db", store, *SIMT)
        query = "SELECT stress, runs, failed_runs FROM tuning ORDER BY id"
        self.assertEqual(self.rows(query, "a.db"), self.rows(query, "b.db"))

    def test_what_was_found_is_used(self):
        self.tune(harness.ONE, "--sets", "1", "-n", "1", *SIMT)
        # As if it had found one; and an older, worse one, which does not count.
        self.edit("UPDATE result SET stress = 'slices=2'")
        run = ("run", *harness.PAIR, "shuffle.branch", "-n", "1", "--stress", "tuned", *SIMT)
        self.assertEqual(self.litmus(*run).code, 0)
        found = dict(self.rows("SELECT name, stress FROM result WHERE session = 2"))
        for name, stress in found.items():
            same_test = name.startswith("shuffle.scan-loop/")
            self.assertEqual(stress, "slices=2" if same_test else "", name)
        self.assertIn("slices=2", found.values())
        # A set that is none is no stress.
        self.edit("UPDATE result SET stress = 'colour=red' WHERE session = 1")
        self.assertEqual(self.litmus(*run).code, 0)
        self.assertEqual(self.rows("SELECT DISTINCT stress FROM result WHERE session = 3"), [("",)])

    def test_controls(self):
        result = self.tune("shuffle.branch", "--controls", "--sets", "1", "-n", "2", "--simt",
                           "snooping,subgroup=8", code=0)
        self.assertRegex(result.out, r"controls triggered, of \d+: \d+ without stress "
                                     r"\(mutation score [01]\.\d\d\), \d+ under the best stress")
        self.assertRegex(result.out, r"reproducible \(99\.999 % in 4 s: 3 failures per second or more\)")

    def test_a_forbidden_outcome_counts_as_in_a_run(self):
        result = self.tune(harness.ONE, "--sets", "1", "-n", "2", "--simt", "faulty,subgroup=8")
        self.assertIn(result.code, (0, 1), result)
        failed = self.rows("SELECT sum(failed_runs) FROM tuning")[0][0]
        self.assertEqual(result.code, 1 if failed else 0, result)

    def test_time_is_up(self):
        result = self.tune("memory.*", "--time", "3", "--sets", "9", code=5)
        self.assertRegex(result.out, "incomplete|nothing was measured")

    def test_usage(self):
        for arguments, word in (((), "missing tests"), (("nothing.here",), "no test matches"),
                                ((harness.ONE, "--sets", "1001"), "at most 1,000"),
                                ((harness.ONE, "--sets", "0"), "--sets"),
                                ((harness.ONE, "-n", "1000001"), "at most 1,000,000")):
            self.assert_one_line(self.litmus("tune", *arguments), 2, word)
        self.assert_one_line(self.litmus("tune", "scan.subgroup", "--controls"), 77, "no such control")
        self.assertFalse(os.path.exists(self.path("litmus.db")))

    def test_a_device_that_dies(self):
        result = self.tune(harness.ONE, "--sets", "1", "-n", "2", fault="crash-on=64", code=1)
        self.assertIn("crash under no stress", result.err)


harness.main(__name__)
