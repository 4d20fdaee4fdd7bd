# SPDX-License-Identifier: Apache-2.0
"""Every fault of the SIMT simulator's model `faulty` ends as docs/models/faulty.md says, and what
was measured before it stays in the store."""

import re

import harness

# Some configurations of which none fails by itself, and more submits than opening a device has.
SOME = "shuffle.scan-loop/*reconvergence=default*@workgroup=64*"
SEED = ("--seed", "1", "-n", "4", "-q")


class Faulty(harness.Case):
    later = None  # a submit that comes while configurations run, once it was looked for

    def faulty(self, fault, *patterns, db="litmus.db", timeout="20", **how):
        run = self.litmus("run", *(patterns or (SOME,)), *SEED, "--db", db, "--timeout", timeout,
                          drivers=[harness.SIMT], LITMUS_SIMT="model=faulty,subgroup=8," + fault, **how)
        self.assert_clean(run)
        return run

    def ended(self, db="litmus.db"):
        """The results as text, in the order in which they ran."""
        return [entry["result"] for entry in self.report(db)["results"]]

    def submit_while_running(self):
        """Opening a device takes litmus some submits of its own: how many is its matter."""
        if Faulty.later is None:
            for at in (64, 112, 160, 208, 256, 320, 400):
                self.faulty(f"fault=nothing,at={at}", db=f"{at}.db")
                if self.ended(f"{at}.db").count("pass") >= 2:
                    Faulty.later = at
                    break
            else:
                self.fail("no submit was found that comes while configurations run")
        return Faulty.later


class AtTheFirstSubmit(Faulty):
    """Litmus examines a device before it runs anything on it."""

    def unusable(self, fault, reason, timeout="20"):
        if fault != "fault=hang":
            self.set_clock()  # no time limit ends it
        run = self.faulty(fault, timeout=timeout, code=4)
        self.assertRegex(run.err, rf"device 1 stops: it cannot be opened: {reason}")
        self.assertEqual(self.report()["results"], [])

    test_lost = harness.case("unusable", "fault=lost", ".*VK_ERROR_DEVICE_LOST")
    test_crash = harness.case("unusable", "fault=crash", r"worker died: signal 11")
    test_hang = harness.case("unusable", "fault=hang", r"no progress for 2 s", timeout="2")


class WhileItRuns(Faulty):
    def broken(self, fault, result, reason, code, timeout="20"):
        at = self.submit_while_running()
        run = self.faulty(f"fault={fault},at={at}", timeout=timeout, code=code)
        results = self.report()["results"]
        bad = [entry for entry in results if entry["result"] != "pass"]
        self.assertTrue(bad, run)
        self.assertEqual({entry["result"] for entry in bad}, {result}, run)
        for entry in bad:
            self.assertRegex(entry["reason"], reason)
        # What was right before the fault is there, whole.
        before = [entry["result"] for entry in results].index(result)
        self.assertGreaterEqual(before, 2, run)
        for entry in results[:before]:
            self.assertEqual((entry["runs"], entry["failed_runs"]), (4, 0), entry)
        if result != "fail":  # another worker opens the device again
            self.assertEqual(results[before + 1]["result"], "pass", run)
        return results

    test_lost = harness.case("broken", "lost", "device-lost", "VK_ERROR_DEVICE_LOST", 1)
    test_crash = harness.case("broken", "crash", "crash", r"worker died: signal 11", 1)
    test_hang = harness.case("broken", "hang", "hang", "no progress for 2 s|did not finish within",
                             1, timeout="2")

    def test_nothing(self):
        results = self.broken("nothing", "fail", "^$", 1)
        for entry in results:
            self.assertLessEqual(set(entry["outcomes"]), {"right", "never written"}, entry)
            if entry["result"] == "fail":
                self.assertIn("never written", entry["outcomes"])

    def test_nothing_from_the_start(self):
        self.faulty("fault=nothing", harness.ONE, code=1)
        report = self.report()
        self.assertTrue(report["devices"][0]["checker"].startswith("host"), report["devices"])
        entry = report["results"][0]
        self.assertEqual((entry["result"], entry["failed_runs"]), ("fail", 4))
        self.assertEqual(list(entry["outcomes"]), ["never written"])


class Values(Faulty):
    def test_wrong(self):
        run = self.faulty("fault=wrong,rate=0.0001", code=1)
        results = self.report()["results"]
        self.assertIn("fail", self.ended(), run)
        self.assertLessEqual(set(self.ended()), {"pass", "fail"}, run)
        # A bit of single values is wrong, not all of them.
        self.assertTrue(any(0 < entry["failed_instances"] < entry["instances"]
                            for entry in results))

    def test_at_no_rate_nothing_is_wrong(self):
        run = self.faulty("fault=wrong,rate=0", code=0)
        self.assertEqual(set(self.ended()), {"pass"}, run)


class Memory(Faulty):
    def test_none_at_all(self):
        self.faulty("fault=memory", code=3)
        for entry in self.report()["results"]:
            self.assertEqual((entry["result"], entry["runs"]), ("harness-error", 0), entry)
            self.assertEqual(entry["reason"], "vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY")

    def test_none_any_more(self):
        for at in range(32, 512, 32):
            run = self.faulty(f"fault=memory,at={at}", db=f"{at}.db")
            ended = self.ended(f"{at}.db")
            if "pass" in ended:
                break
        self.assertEqual(run.code, 3, run)
        self.assertEqual(set(ended), {"pass", "harness-error"}, run)
        self.assertEqual(ended, sorted(ended, reverse=True), run)  # those that passed came first


class Properties(Faulty):
    def test_listed_and_refused(self):
        devices = self.litmus("devices", "-v", drivers=[harness.SIMT],
                              LITMUS_SIMT="model=faulty,fault=properties", code=0)
        self.assert_clean(devices)
        self.assertRegex(devices.out, r"(?m)^1  \?\[31msimt")
        self.assertIn("nothing can run on it: the driver says that its subgroup size is 0",
                      devices.out)
        run = self.faulty("fault=properties", code=77)
        self.assertRegex(run.err, re.escape("subgroup size is 0"))


harness.main(__name__)
