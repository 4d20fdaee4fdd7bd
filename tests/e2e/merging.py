# SPDX-License-Identifier: Apache-2.0
"""Stores of several runs put together, and what is read over all of them."""

import json
import os
import time

import harness

TEST = harness.ONE.split("/")[0]


class Merging(harness.Case):
    sets_clock = True

    def run_into(self, store, *arguments):
        self.litmus("run", *harness.PAIR, "--db", store, *arguments, code=0)

    def merge(self, *arguments):
        return self.litmus("merge", *arguments, code=0).out

    def results_of(self, store, *arguments):
        """What was counted, by name."""
        keys = ("runs", "failed_runs", "no_progress_runs", "first_run_failed", "outcomes", "failures",
                "result", "sha256", "seed")
        return {entry["name"]: {key: entry.get(key) for key in keys}
                for entry in self.report(store, *arguments)["results"]}

    def test_two_machines(self):
        self.run_into("a.db", "-n", "3", "--seed", "1")
        self.pass_time(1)  # a session's start is told to the second
        self.run_into("b.db", "-n", "4", "--seed", "2")
        self.assertIn("2 sessions read, 2 new", self.merge("-o", "all.db", "b.db", "a.db"))
        self.assertIn("nothing to do", self.merge("-o", "all.db", "a.db", "b.db"))
        # The oldest is first, whichever came first.
        for session, store in ((1, "a.db"), (2, "b.db")):
            self.assertEqual(self.results_of("all.db", "--session", str(session)),
                             self.results_of(store))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.db", "all.db", "b.db"])
        self.check_history()

    def check_history(self):
        listed = self.litmus("history", "--sessions", "--db", "all.db").out
        self.assert_all_in(listed, "0x1", "0x2")
        drivers = json.loads(self.litmus("history", "--json", "--db", "all.db").out)
        self.assertEqual([(d["sessions"], d["results"]) for d in drivers["drivers"]], [(2, 4)])
        self.assertEqual([s["session"] for s in drivers["sessions"]], [1, 2])
        history = json.loads(self.litmus("history", TEST, "--json", "--db", "all.db").out)
        self.assertEqual([(line["runs"], line["sessions"]) for line in history["lines"]], [(7, 2)] * 2)
        text = self.litmus("history", harness.ONE, "--db", "all.db").out
        self.assertIn("@workgroup=64", text)
        self.assertNotIn("@workgroup=128", text)
        device = drivers["drivers"][0]["device"]
        self.assertIn(device, self.litmus("history", "-d", device[:5].upper(), "--db", "all.db").out)
        nothing = self.litmus("history", "no.such", "--db", "all.db")
        self.assert_one_line(nothing, 2, "all.db", "no.such")

    def test_sum(self):
        self.run_into("a.db", "-n", "3", "--seed", "1")
        self.run_into("b.db", "-n", "4", "--seed", "2")
        self.run_into("c.db", "-n", "4", "--seed", "1")
        self.assertIn("sum of 2 sessions", self.merge("--sum", "-o", "all.db", "a.db", "b.db"))
        self.assertEqual([entry["runs"] for entry in self.report("all.db")["results"]], [7, 7])
        again = self.litmus("merge", "--sum", "-o", "all.db", "all.db", "c.db")
        self.assert_one_line(again, 2, "same experiment twice", "nothing was written")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.db", "all.db", "b.db", "c.db"])

    def test_nothing_to_merge(self):
        self.assert_one_line(self.litmus("merge"), 2, "missing stores")
        self.assert_one_line(self.litmus("merge", "gone.db"), 2, "gone.db", "no such file")
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_a_killed_merge_leaves(self):
        self.run_into("a.db", "-n", "3", "--seed", "1")
        for seconds in (0.0, 0.005, 0.01, 0.02):
            process = self.start("merge", "-o", "all.db", "a.db")
            time.sleep(seconds)
            process.kill()
            process.communicate()
            left = set(os.listdir(self.folder)) - {"a.db", "all.db"}
            self.assertLessEqual(left, {"all.db.lock", "all.db.merge-unfinished"})
        self.write("all.db.merge-unfinished", "what was written so far")
        self.merge("-o", "all.db", "a.db")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.db", "all.db"])
        self.assertEqual(self.results_of("all.db"), self.results_of("a.db"))

    def test_a_joined_session_is_not_resumed(self):
        self.shards("--shard", 2)
        self.merge("-o", "all.db", "0.db")
        self.assert_one_line(self.litmus("run", "--resume", "--db", "all.db"), 2, "shards")

    def shards(self, option, count):
        if option not in self.litmus("run", "--help").out:
            self.skipTest(f"this litmus has no {option}")
        for index in range(count):
            result = self.litmus("run", *harness.PAIR, "--seed", "7", "-n", "10", option,
                                 f"{index}/{count}", "--db", f"{index}.db")
            self.assertIn(result.code, (0, 77), result)

    def check_shards(self, option, count):
        self.shards(option, count)
        self.run_into("whole.db", "--seed", "7", "-n", "10")
        stores = [name for name in (f"{index}.db" for index in reversed(range(count)))
                  if os.path.exists(self.path(name))]
        self.merge("-o", "all.db", *stores)
        self.assertEqual(self.results_of("all.db"), self.results_of("whole.db"))
        self.assertTrue(self.report("all.db")["tool"]["finished"])

    test_shards_of_runs = harness.case("check_shards", "--shard-runs", 3)
    test_shards_of_tests = harness.case("check_shards", "--shard", 2)


harness.main(__name__)
