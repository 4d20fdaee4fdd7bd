# SPDX-License-Identifier: Apache-2.0
"""Devices of one kind against each other: one bad card among good ones is named, and no other."""

import json
import shutil

import harness


class Across(harness.Case):
    def card(self, store, seed, rate):
        result = self.litmus("run", "loop.form", "scan.subgroup", "--simt",
                             f"faulty,rate={rate},subgroup=8,seed={seed}", "-n", "20", "--seed",
                             str(seed), "--db", store, "-q", "--isa", "none", drivers=[])
        self.assertIn(result.code, (0, 1), result)

    def prepare(self):
        for seed in (1, 2, 3):
            self.card(f"good-{seed}.db", seed, "0")
        self.card("bad.db", 4, "0.0001")

    GOOD = ("good-1.db", "good-2.db", "good-3.db")

    def across(self, *stores, code=0):
        return self.litmus("compare", "--across", "devices", *stores, code=code)

    def test_one_bad_card_is_named(self):
        result = self.across(*self.GOOD[:2], "bad.db", self.GOOD[2])
        self.assertIn("\nnot alike: device 3 in ", result.out)
        self.assertIn("in bad.db, against the 3 others of its kind", " ".join(result.out.split()))
        self.assertRegex(result.out, r"device 3, forbidden: 0 of 60 -> \d+ of 20 runs failed")
        # The table has each device's rate with its interval.
        self.assertRegex(result.out, r"3: litmus simt, model faulty\s+bad.db +10 +\d+ +0\.\d+ \[")
        result = self.litmus("compare", "--across", "devices", *self.GOOD, "bad.db", "--format", "json")
        report = json.loads(result.out)
        odd = [entry for entry in report["results"]
               if entry["verdict"] not in ("unchanged", "undecided")]
        self.assertGreater(len(odd), 2)
        self.assertEqual({(entry["verdict"], entry["pair"]) for entry in odd}, {("regression", 3)})
        for form in ("markdown", "html", "junit"):
            result = self.litmus("compare", "--across", "devices", *self.GOOD, "bad.db", "-f", form,
                                 code=0)
            self.assertIn("device 4", result.out)

    def test_good_cards_are_alike(self):
        result = self.across(*self.GOOD)
        self.assertIn("\nno device differs significantly from the others of its kind\n", result.out)

    def test_of_two_nothing_says_which(self):
        result = self.across("good-1.db", "bad.db")
        self.assertIn("of two nothing says which is the odd one", " ".join(result.out.split()))
        self.assertIn("not alike: device 2 in", result.out)

    def test_a_card_that_hangs_alone(self):
        self.edit("UPDATE result SET result = 'hang', reason = 'no progress'"
                  " WHERE id = (SELECT min(id) FROM result)", "good-2.db")
        result = self.across(*self.GOOD)
        self.assertIn("not alike: device 2 in 1 configuration\n", result.out)
        self.assertIn("device 2, forbidden: pass -> hang", result.out)

    def test_two_cards_that_hang_do_not_hide_each_other(self):
        for store in self.GOOD[:2]:
            self.edit("UPDATE result SET result = 'hang', reason = 'no progress'"
                      " WHERE id = (SELECT min(id) FROM result)", store)
        for copy in ("fourth.db", "fifth.db"):
            shutil.copy(self.path("good-3.db"), self.path(copy))
        result = self.across(*self.GOOD, "fourth.db", "fifth.db")
        self.assertIn("not alike: device 1 in 1 configuration, device 2 in 1 configuration ",
                      " ".join(result.out.split()))

    def test_several_devices_in_one_store(self):
        # Sessions of one time are in the order of their UUIDs.
        self.edit("UPDATE session SET uuid = 'ffffffffffffffffffffffffffffffff'", "bad.db")
        self.litmus("merge", "-q", "-o", "all.db", *self.GOOD, "bad.db", code=0)
        result = self.across("all.db#1", "all.db#2", "all.db#3", "all.db#4")
        self.assertIn("not alike: device 4 in", result.out)

    def test_errors(self):
        self.assert_one_line(self.across(code=2), 2, "missing files")
        self.assert_one_line(self.across("good-1.db", code=2), 2, "no two devices are of one kind")
        self.assert_one_line(self.across("good-1.db", "none.db", code=2), 2, "none.db")
        self.assert_one_line(
            self.litmus("compare", "--across", "devices", "--axis", "sync=a,b", *self.GOOD), 2,
            "mutually exclusive")
        self.assert_one_line(self.litmus("compare", "--across", "cards", *self.GOOD), 2, "--across")


harness.main(__name__)
