# SPDX-License-Identifier: Apache-2.0
"""What a run prints and what reports are made of it: complete, reproducible, harmless."""

import glob
import json
import os
import re
import shlex
import subprocess

import harness
from harness import Case, FORMATS


class OfOneRun(Case):
    """Reports of a run in which one configuration passed and one failed."""

    def prepare(self):
        self.run_result = self.litmus("run", *harness.PAIR, "-n", "10", "--seed", "0x5eed",
                                      fault="spoil-on=64")
        self.assertEqual(self.run_result.code, 1, self.run_result)

    def made(self, format, *more):
        result = self.litmus("report", "--format", format, *more)
        self.assertEqual((result.code, result.err), (0, ""), result)
        result.out = result.out.replace("\r\n", "\n")  # of CSV
        self.assert_clean(result)
        return result.out

    def test_json_keeps_its_schema(self):
        validator = self.validator("report")
        # Those of every kind, by unit/report.c.
        for path in glob.glob(os.path.join(harness.SOURCE, "tests", "reports", "*.json")):
            validator.validate(json.loads(harness.read(path)))
        report = json.loads(self.made("json"))
        validator.validate(report)
        self.assertEqual(report["summary"]["exit"]["code"], 1)
        self.assertEqual(report["tool"]["seed"], "0x5eed")
        # The schema is not so loose that anything passes.
        del report["results"][0]["failed_runs"]
        with self.assertRaises(harness.jsonschema.ValidationError):
            validator.validate(report)

    def test_the_same_bytes_twice(self):
        for format in FORMATS:
            with self.subTest(format=format):
                first = self.made(format)
                self.assertEqual(self.made(format), first)
                self.made(format, "-o", "report")
                self.assertEqual(self.read("report"), first)

    def test_a_report_changes_nothing(self):
        before = self.read("litmus.db", "rb")
        self.made("json")
        self.assertEqual(self.read("litmus.db", "rb"), before)
        self.assertEqual(os.listdir(self.folder), ["litmus.db"])

    def test_a_store_that_was_moved(self):
        os.mkdir(self.path("other place"))
        os.rename(self.path("litmus.db"), self.path("other place/100%?#.db"))
        self.assertIn("<testsuites", self.made("junit", "--db", "other place/100%?#.db"))

    def test_the_line_that_runs_it_again_does(self):
        # As it is printed, for a shell: with the program as it was called.
        command = re.search(r"    reproduce: ((?:.*\\\n)*.*)", self.run_result.out).group(1)
        words = self.reproduce(self.run_result.out)
        self.assertEqual(words[:2], [harness.PROGRAM, "run"])
        self.assertRegex(words[words.index("-d") + 1], r"^[0-9a-f]{8}[-0-9a-f]*$")
        environment = self.environment(fault="spoil-on=64")
        result = subprocess.run(["sh", "-c", f"exec {command} --db again.db"],
                                cwd=self.folder, env=environment, capture_output=True, check=False)
        self.assertEqual(result.returncode, 1, result)
        first = [entry for entry in self.report()["results"] if entry["failed_runs"]]
        again = self.report("again.db")["results"]
        self.assertEqual(len(again), 1)
        for key in ("name", "runs", "failed_runs", "outcomes", "failures", "seed", "spirv_sha256"):
            self.assertEqual(again[0][key], first[0][key], key)


    def test_one_device_and_one_test(self):
        name = self.results()[64]["name"]
        report = json.loads(self.made("json", "--test", "*workgroup=64*", "-d", "1"))
        self.assertEqual([entry["name"] for entry in report["results"]], [name])
        self.assertEqual(report["tool"]["selection"], {"device": "1", "test": "*workgroup=64*"})
        self.assertEqual(report["summary"]["configurations"], 1)
        self.assert_one_line(self.litmus("report", "-d", "7"), 2, "device '7'")
        self.assert_one_line(self.litmus("report", "--test", "nothing"), 2, "'nothing'")
        self.assert_one_line(self.litmus("report", "--session", "9"), 2, "9")

    def test_a_ticket(self):
        out = self.made("markdown", "--test", self.results()[64]["name"])
        self.assertIn("**failed in 10 of 10 runs** (> 0.69, 95 %)", out)
        self.assertIn("| `workgroup=128` | 10 | 0 | &#60; 0.31 |", out)
        self.assertIn("Changing one axis removes the failure, within these runs: "
                      "`workgroup=128`.", out)
        self.assertIn("OpGroupNonUniform", out)
        self.assertLess(len(out), 20000)

    def test_not_over_the_store(self):
        before = self.read("litmus.db", "rb")
        for name in ("litmus.db", "./litmus.db", os.path.join(self.folder, "litmus.db")):
            self.assert_one_line(self.litmus("report", "-o", name), 2, "is the store")
        self.assertEqual(self.read("litmus.db", "rb"), before)


class TheCode(Case):
    """What a driver made of the tests, in the reports of a run that failed under a model."""

    SCAN = ("shuffle.scan-loop/sync={sync},reconvergence=default,form=variables,op=add,"
            "mode=inclusive,access=descriptor,pressure=none@workgroup=64,subgroup=8")

    def prepare(self):
        self.failed, self.right, self.same = (self.SCAN.format(sync=sync) for sync in
                                              ("none", "control-each", "memory-once"))
        self.litmus("run", self.failed, self.right, self.same, "-n", "10", "-q", "--simt",
                    "snooping,subgroup=8", drivers=[harness.SIMT], code=1)

    def made(self, format, *more):
        result = self.litmus("report", "--format", format, *more)
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result.out

    def test_json(self):
        report = self.report()
        code = {entry["name"]: entry["code"] for entry in report["results"]}
        stored = dict(self.rows("SELECT name, digest FROM code"))
        self.assertEqual({name: entry["digest"] for name, entry in code.items()}, stored)
        self.assertGreater(int(code[self.failed]["statistics"]["group operations"]), 0)
        effects = {effect["value"]: effect for effect in report["devices"][0]["code_effects"]}
        self.assertIn("adds 3 OpControlBarrier", effects["control-each"]["text"])
        self.assertEqual((effects["control-each"]["pairs"], effects["control-each"]["same"]),
                         (1, 0))

    def test_markdown(self):
        page = self.made("markdown")
        code = page.split("## Code\n")[1]
        self.assertIn("a subgroup barrier before each cross-lane read (sync=control-each) "
                      "changes the code: adds 3 OpControlBarrier.", code)
        self.assertRegex(code, r"(?m)^> +\d+  %\d+ = OpGroupNonUniformShuffleUp ")
        self.assertRegex(code, r"(?m)^```diff\n--- shuffle\S+control-each")
        self.assertEqual(page.count("<details>"), page.count("</details>"))
        self.assertLess(len(page), 65536)

    def test_a_ticket(self):
        page = self.made("markdown", "--test", self.failed)
        self.assertIn("Compiled code", page)
        self.assertNotIn("&#39;", page)
        shown = re.sub(r"(?s)<details>.*?</details>\n\n", "", page)
        self.assertLessEqual(harness.screen_lines(shown), 100)
        self.assert_all_in(shown, "**failed in 10 of 10 runs**", "| driver |", "litmus repro ",
                           "| outcome |", "OpGroupNonUniformShuffleUp %")
        # Its command runs as it is printed.
        command, = re.findall(rf"(?m)^    {re.escape(harness.PROGRAM)} (explain .*)$", page)
        self.litmus(*shlex.split(command), drivers=[harness.SIMT], code=0)
        self.assertRegex(page, r"(?m)^-.*OpControlBarrier")
        self.assertEqual(page.count("<details>"), page.count("</details>"))
        self.assertLess(len(page), 65536)

    def test_of_a_session_without(self):
        self.litmus("run", self.failed, "-n", "10", "-q", "--isa", "none", "--simt",
                    "snooping,subgroup=8", drivers=[harness.SIMT])
        report = self.report()
        self.assertIsNone(report["results"][0]["code"])
        self.assertEqual(report["devices"][0]["code_effects"], [])
        self.assertNotIn("## Code", self.made("markdown"))


class Colour(Case):
    ESCAPE = "\033["

    def coloured(self, *arguments, **environment):
        result = self.litmus("run", harness.ONE, "-n", "1", *arguments, fault="spoil-on=64",
                             **environment, code=1)
        return self.ESCAPE in result.out

    def test_never_into_a_pipe(self):
        self.assertFalse(self.coloured(TERM="xterm"))

    def test_when_asked(self):
        self.assertTrue(self.coloured("--color", "always"))
        self.assertTrue(self.coloured("--color", "always", NO_COLOR="1"))
        self.assertTrue(self.coloured(CLICOLOR_FORCE="1"))

    def test_no_color(self):
        self.assertFalse(self.coloured(NO_COLOR="1", CLICOLOR_FORCE="1"))
        self.assertFalse(self.coloured("--color", "never", CLICOLOR_FORCE="1"))


class WhatARunPrints(Case):
    def test_quiet(self):
        result = self.litmus("run", harness.ONE, "-n", "1", "-q")
        self.assertEqual((result.code, result.err), (0, ""), result)
        self.assertEqual(len(result.out.strip().split("\n")), 1, result)

    def test_last_line_says_where_and_why(self):
        result = self.litmus("run", harness.ONE, "-n", "1", "--db", "here.db")
        last = result.out.strip().split("\n")[-1]
        self.assert_all_in(last, "stored in here.db", "exit 0")

    def test_verbose_names_every_configuration(self):
        result = self.litmus("run", *harness.PAIR, "-n", "1", "-v")
        for size in (64, 128):
            self.assertRegex(result.out, rf"pass .*  [0-9a-f]{{8}}  shuffle.scan-loop/[^@]*@\s*workgroup={size}")
        self.assertRegex(result.err, r"the device executed tests for (< )?[1-9]\d? % of \S+ s\n")
        quiet = self.litmus("run", harness.ONE, "-n", "1")
        self.assertNotIn("executed tests", quiet.err)

    def test_never_zero_percent(self):
        result = self.litmus("run", harness.ONE, "-n", "1")
        self.assertNotRegex(result.out, r"\b0(\.0*)? ?%")
        self.assertIn("< ", result.out)

    def test_all_skipped(self):
        # Workgroups of 1,024 are more subgroups of 4 than any device of the kind takes.
        names = self.litmus("list", "--names", "--thorough", "shuffle").out.split()
        maximal = [name for name in names if "reconvergence=maximal" in name][:3]
        result = self.litmus("run", *maximal, "-n", "1")
        if "skipped" not in result.out:
            self.skipTest("this lavapipe has maximal reconvergence")
        self.assertEqual(result.code, 77, result)
        self.assertIn("VK_KHR_shader_maximal_reconvergence", result.out)
        for entry in self.report()["results"]:
            self.assertEqual((entry["result"], entry["runs"]), ("skip", 0))

    def test_dry_run_runs_nothing(self):
        result = self.litmus("run", *harness.PAIR, "--dry-run", code=0)
        self.assertEqual(len([line for line in result.out.split("\n") if "@" in line]), 2)
        self.assertEqual(os.listdir(self.folder), [])

    def test_closed_output(self):
        process = self.start("run", harness.ONE, "-n", "1")
        process.stdout.close()
        process.stdout = None
        process.wait(timeout=600 * harness.SLOW)
        self.assertNotEqual(process.returncode, 0)


class Seeds(Case):

    def test_decimal_and_hexadecimal(self):
        for seed in ("24301", "0x5eed"):
            self.litmus("run", harness.ONE, "-n", "1", "--seed", seed)
            self.assertEqual(self.report()["tool"]["seed"], "0x5eed")

    def test_a_new_one_each_time(self):
        seeds = set()
        for _ in range(2):
            self.litmus("run", harness.ONE, "-n", "1")
            seeds.add(self.report()["tool"]["seed"])
        self.assertEqual(len(seeds), 2)

    def test_shuffled_order_depends_on_the_seed(self):
        def order(seed):
            return self.litmus("run", "shuffle", "--dry-run", "--shuffle", "--seed", seed).out

        self.assertEqual(order("1"), order("1"))
        self.assertNotEqual(order("1"), order("2"))
        self.assertEqual(sorted(order("1").split()), sorted(order("2").split()))

    def test_runs_with_commas(self):
        self.litmus("run", harness.ONE, "-n", "1,000", code=0)
        self.assertEqual(self.results()[64]["runs"], 1000)


harness.main(__name__)
