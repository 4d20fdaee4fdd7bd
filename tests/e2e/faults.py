# SPDX-License-Identifier: Apache-2.0
"""A driver that fails while it runs tests: the configuration gets its result and its reason, the
others go on, and the exit code says that something is wrong."""

import json
import os
import re
import shutil

import harness

CHECKS = 3  # device losses in a row that stop a queue


class OneConfiguration(harness.Case):
    """A fault in workgroups of 64; those of 128 are not touched by it."""

    sets_clock = True

    def broken(self, fault, result, *words, code=1, timeout="30"):
        run = self.litmus("run", *harness.PAIR, "-n", "20", "--timeout", timeout, "--seed", "1",
                          fault=fault + ",jump=60", code=code)
        self.assert_clean(run)
        results = self.results()
        self.assertEqual(results[64]["result"], result, results[64])
        self.assertEqual((results[128]["result"], results[128]["runs"]), ("pass", 20), results[128])
        self.assert_all_in(results[64]["reason"], *words)
        return run, results[64]

    test_crash_of_the_compiler = harness.case("broken", "crash-on=64", "crash",
                                              "worker died: " + harness.CRASH)
    test_crash_at_a_submission = harness.case("broken", "crash-running-on=64", "crash",
                                              "worker died: " + harness.CRASH)

    @harness.never_sanitized
    def test_what_is_found_around_a_crash_and_a_hang(self):
        for fault, where, timeout in (("crash-running-on=64", harness.FAULT_LIBRARY, "30"),
                                      ("hang-compiling-on=64", harness.FAULT_LIBRARY, "2")):
            with self.subTest(fault=fault):
                result = "crash" if "crash" in fault else "hang"
                _, entry = self.broken(fault, result, timeout=timeout)
                self.assertIn(where, entry["evidence"]["backtrace"])
                name = entry["name"]
                ticket = self.litmus("report", "--format", "markdown", "--test", name)
                self.assert_all_in(ticket.out, "Backtrace of the worker", where)
                page = self.litmus("report", "--format", "html", "-o", "page.html", code=0)
                self.assertIn("<summary>Backtrace of the worker", self.read("page.html"))
                bundle = self.litmus("repro", name, "-o", result, code=0)
                self.assertIn(where, harness.read(os.path.join(self.path(result), "evidence.txt")))
                os.remove(self.path("litmus.db"))

    test_hang_of_the_compiler = harness.case("broken", "hang-compiling-on=64", "hang",
                                             "no progress for 2 s", timeout="2")
    test_hang_at_a_submission = harness.case("broken", "hang-on=64", "hang", "no progress for 2 s",
                                             timeout="2")
    test_hang_that_does_not_hear = harness.case("broken", "hang-deaf-on=64", "hang",
                                                "no progress for 2 s", timeout="2")
    test_fence_that_never_comes = harness.case("broken", "timeout-on=64", "hang", timeout="2")

    def test_device_that_is_not_closed(self):
        """Whatever was measured before."""
        for fault, words in (("destroy-crash", harness.CRASH), ("destroy-hang", "it hangs")):
            result = self.litmus("run", harness.ONE, "-n", "2", "--timeout", "2", "-q", "--json", "out.json",
                                 "--db", fault + ".db", fault=fault + ",jump=60", code=1)
            self.assertIn("the driver crashed or hung as the device was closed", result.out)
            self.assertIn("does not close the device (vkDestroyDevice): " + words, result.err)
            summary = json.loads(self.read("out.json"))["summary"]
            for said in summary, self.report(fault + ".db")["summary"]:
                self.assertEqual(said["exit"], {"code": 1, "reason": "the driver crashed or hung as the device was closed"})
                self.assertRegex(said["drivers"][0], r": the driver does not close the device \(vkDestroyDevice\): " +
                                 re.escape(words))
            store = fault + ".db"
            for form in "text", "junit", "markdown", "html":
                shown = " ".join(self.litmus("report", "-f", form, "--db", store).out.split())
                self.assertIn("the driver does not close the device (vkDestroyDevice): " + words, shown, form)
            for script, line in (
                    ("deqp", r"(?m)^driver.vkDestroyDevice,(Crash|Timeout),0\.000$"),
                    ("lava", "TEST_CASE_ID=driver.vkDestroyDevice RESULT=fail>"),
                    ("github", "::error title=driver.vkDestroyDevice::.*does not close the device"),
                    ("herd", "(?m)^Fatal: (crash|hang): the driver does not close the device")):
                self.assertRegex(self.converted(script, store=store), line)
            # (The simulator's reports are refused, as it has no vendor.)
            self.assertNotRegex(self.litmus("report", "--check", "out.json").out, "drivers|exit")
        if not harness.WINDOWS:  # a script there does not start a program for Windows
            said = self.contrib("gtest", "-n", "2", "--timeout", "2", "--gtest_filter=loop.form*values*", code=1,
                                fault="destroy-crash")
            self.assertIn("[  FAILED  ] the driver does not close the device", said.out)
            self.assertNotIn("FAILED TEST", said.out)
        # What is put together of several says it of any.
        for number in "0", "1":
            self.litmus("run", harness.ONE, "-n", "4", "--seed", "5", "--shard-runs", number + "/2", "--timeout", "2",
                        "--db", "shards.db", fault="destroy-crash" if number == "1" else None)
        self.litmus("merge", "-o", "whole.db", "shards.db")
        said = self.report("whole.db")["summary"]
        self.assertEqual((said["runs"], said["exit"]["code"], len(said["drivers"])), (4, 1, 1), said)
        self.litmus("run", harness.ONE, "-n", "2", "-q")
        self.assertNotIn("drivers", self.report()["summary"])
        self.litmus("run", harness.ONE, "-n", "400", "-q", "--db", "gate.db")
        result = self.litmus("run", harness.ONE, "-n", "400", "-q", "--db", "gate.db", "--seed", "5",
                             "--timeout", "2", "--baseline", "gate.db", fault="destroy-crash")
        new = "the driver crashed or hung as a device was closed, and did not in the baseline"
        self.assertEqual(result.code, 3, result)
        self.assertIn(new, result.out)
        for number in "1", "2":
            self.write(number + ".json", self.litmus("report", "--format", "json", "--db", "gate.db",
                                                     "--session", number).out)
        for before, after, code in (("gate.db#1", "gate.db#2", 3), ("1.json", "2.json", 3),
                                    ("gate.db#1", "gate.db#all", 3), ("gate.db#2", "gate.db#1", 0),
                                    ("gate.db#2", "2.json", 0)):
            with self.subTest(before + " " + after):
                result = self.litmus("gate", "--baseline", before, after)
                self.assertEqual((result.code, new in result.out), (code, code == 3), result)

    test_device_lost = harness.case("broken", "lost-on=64", "device-lost", "VK_ERROR_DEVICE_LOST")
    test_pipeline_refused = harness.case("broken", "refuse-on=64", "harness-error",
                                         "vkCreateComputePipelines", code=3)

    def test_dispatch_left_out(self):
        _, result = self.broken("drop-on=64", "fail")
        self.assertEqual((result["runs"], result["failed_runs"]), (20, 20))
        self.assertTrue(result["first_run_failed"])
        self.assertEqual(list(result["outcomes"]), ["never written"])
        self.assertEqual(result["failed_instances"], result["instances"])

    def test_one_word_wrong(self):
        run, result = self.broken("spoil-on=64", "fail")
        self.assertEqual((result["runs"], result["failed_runs"]), (20, 20))
        self.assertEqual(result["failed_instances"], 20)
        first = result["failures"][0]
        self.assertEqual((first["run"], first["instance"], first["got"]), (1, 0, 0xBAD0BAD0))
        self.assertIn("lane 5", first["where"])
        self.assertIn("20 of 20 runs", run.out)
        command = self.reproduce(run.out)
        if harness.WINDOWS:
            command[0] = command[0].removeprefix("Z:").replace("\\", "/")
        self.assertEqual(command[:3], [harness.PROGRAM, "run", result["id"]])
        self.assertEqual(command[command.index("--seed") + 1], "0x1")


class Rare(harness.Case):
    """One run in a thousand has a wrong word: so many are told, of so many."""

    RARE = "spoil-on=any,every=1000"
    INTERVAL = "1.0e-3 [2.7e-4, 2.6e-3]"  # Clopper-Pearson, 4 of 4,000

    def check(self, *arguments):
        run = self.litmus(*arguments, "-n", "4000", "--seed", "1", "-d", "1", fault=self.RARE,
                          code=1)
        result, = self.report()["results"]
        self.assertEqual((result["result"], result["runs"], result["failed_runs"]),
                         ("fail", 4000, 4))
        self.assertEqual(result["failed_instances"], 4)
        self.assertEqual([failure["run"] for failure in result["failures"]],
                         [1000, 2000, 3000, 4000])
        self.assertEqual({failure["got"] for failure in result["failures"]}, {0xBAD0BAD0})
        self.assert_all_in(run.out, "4 of 4,000 runs", self.INTERVAL)

    @harness.posix  # runs glslang
    def test_kernel(self):
        self.write("copy.comp", harness.kernel("copy.comp"))
        if not (shutil.which("glslang") or shutil.which("glslangValidator")):
            self.skipTest("needs glslang")
        self.check("kernel", "copy.comp", "--groups", "1", "--spec", "0=64", "--buffer",
                   "0.0=iota:256", "--buffer", "0.1=256", "--expect", "0.1=formula:input[word] + 1")

    def test_litmus(self):
        self.write("mp.litmus", harness.kernel("mp.litmus"))
        self.check("run", "mp.litmus")

    def test_fuzz(self):
        """The thousandth run is of program 124; made anew 488 times it is right. The next is of 188."""
        run = self.litmus("fuzz", "groups", "--count", "200", "--jobs", "1", "--seed", "1", "-n",
                          "8", "-d", "1", "--steps", "4", "--shape", "plain", fault=self.RARE,
                          code=1)
        self.assertRegex(run.out, r"(?m)^ +\S+ +200 +[\d,]+ +2  0\.010 \[1\.2e-3, 0\.036\]")
        for number in ("124", "188"):
            self.assertIn(f"1 program: {number}", run.out)
            self.assertRegex(run.out, rf"program {number}, .*: fail in 1 of 8 runs \(.*\); "
                             r"again in 0 of 488 runs \(< 7\.6e-3\)")
        self.assertNotIn("no smaller one fails", run.out)
        results = self.report()["results"]
        self.assertEqual(sum(entry["runs"] for entry in results), 200)
        self.assertEqual(sum(entry["failed_runs"] for entry in results), 2)
        self.assertEqual(sorted(failure["where"].split(",")[0] for entry in results
                                for failure in entry["failures"]), ["program 124", "program 188"])


class BesideTheDevice(harness.Case):
    sets_clock = True

    def test_the_next_batch_is_recorded_while_one_executes(self):
        self.write("journal", "")
        self.litmus("run", *harness.PAIR, "-n", "60", "--seed", "1",
                    fault="journal,slow=20", LITMUS_FAULT_JOURNAL=self.path("journal"), code=0)
        journal = self.read("journal")
        # Never two submissions on the way, on a software device.
        self.assertNotRegex(journal, "s[^w]*s")
        # Submitted, the next one recorded, waited for, and that one submitted as it stands.
        self.assertGreaterEqual(len(re.findall("(?=srws)", journal)), 4, journal)


class Everything(harness.Case):
    def test_executes_nothing(self):
        run = self.litmus("run", *harness.PAIR, "-n", "5", fault="executes-nothing", code=1)
        self.assert_clean(run)
        report = self.report()
        self.assertTrue(report["devices"][0]["checker"].startswith("host"), report["devices"])
        for result in report["results"]:
            self.assertEqual((result["result"], result["failed_runs"]), ("fail", 5), result)
            self.assertEqual(list(result["outcomes"]), ["never written"])

    @harness.about_lavapipe
    def test_the_checker_fails_in_one_mode(self):
        # It is tried in each mode before the first test that needs it: words come first, then tags.
        run = self.litmus("run", "broadcast.compaction", "broadcast.id", "-n", "3",
                          fault="idle-checker=1", code=0)
        self.assert_clean(run)
        self.assertEqual(run.err.count("results are checked on the host"), 1, run)
        report = self.report()
        self.assertIn("the checker did not check every word of 1 x 1 tags",
                      report["devices"][0]["checker"])
        ran = [entry for entry in report["results"] if entry["result"] != "skip"]
        self.assertGreater(len(ran), 8)
        for entry in ran:
            self.assertEqual((entry["result"], entry["runs"]), ("pass", 3), entry)
        # Who does not need it does not hear of it.
        run = self.litmus("run", "broadcast.compaction", "-n", "3", "--db", "words.db",
                          fault="idle-checker=1")
        self.assertNotIn("on the host", run.err)
        self.assertEqual(self.report("words.db")["devices"][0]["checker"], "device")

    def test_every_configuration_crashes(self):
        self.litmus("run", *harness.PAIR, "-n", "5", fault="crash-on=any", code=1)
        self.assertEqual({entry["result"] for entry in self.results().values()}, {"crash"})

    def test_lost_three_times_stops_the_queue(self):
        names = self.litmus("run", "--dry-run", "shuffle", fault="odd-name").out
        self.assertGreater(names.count("\n"), CHECKS + 2)
        run = self.litmus("run", "shuffle", "-n", "5", fault="lost-on=any", code=4)
        self.assertIn("device 1 stops", run.err)
        lost = [entry for entry in self.report()["results"] if entry["result"] == "device-lost"]
        self.assertEqual(len(lost), CHECKS, lost)

    def test_a_name_that_github_would_obey(self):
        """No line of any output begins with what a driver says, if that is a command."""
        for arguments in (["devices", "-v"], ["run", harness.ONE, "-n", "2"], ["report"],
                          ["report", "--format", "csv"], ["history", "shuffle"],
                          ["gate", "--baseline", "litmus.db", "litmus.db"]):
            result = self.litmus(*arguments, fault="command-name")
            if arguments[0] == "devices":
                self.assertIn("?:error::GPU", result.out, result)
            for line in (result.out + result.err).splitlines():
                self.assertFalse(line.lstrip().startswith("::"), result)

    def test_lost_from_the_start(self):
        run = self.litmus("run", "shuffle", "-n", "5", fault="lost-always", code=4)
        self.assertIn("VK_ERROR_DEVICE_LOST", run.err)
        self.assert_clean(run)

    def test_a_lost_device_does_not_stop_another(self):
        self.litmus("run", *harness.PAIR, "-n", "5", LITMUS_FAULT="lost-always,other-version",
                    LITMUS_FAULT_DRIVER=harness.any_driver(),
                    drivers=[harness.FAULT, harness.any_driver()], code=4)
        passed = [entry for entry in self.report()["results"] if entry["result"] == "pass"]
        self.assertEqual([entry["runs"] for entry in passed], [5, 5])

    def test_too_little_memory_for_some(self):
        run = self.litmus("run", *harness.PAIR, "-n", "5", fault="out-of-memory=1000000")
        self.assertIn(run.code, (0, 3), run)
        self.assert_clean(run)

    def test_verbose_hands_over_what_drivers_print(self):
        run = self.litmus("run", harness.ONE, "-v", "-n", "2", drivers=[harness.FAULT],
                          LITMUS_FAULT_DRIVER=self.path("gone.json"), code=77)
        self.assertIn("fault driver: cannot read", run.err)


harness.main(__name__)
