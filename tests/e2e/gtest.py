# SPDX-License-Identifier: Apache-2.0
"""GoogleTest's protocol, and runners that know it: meson, CTest, a program made with GoogleTest."""

import glob
import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

import harness

SCANS = "scan.subgroup"
MIXED = "barrier.memory*:broadcast.*"

# The same outcomes, by GoogleTest itself.


def gtest_name(name):
    return name.replace("-", "_").replace(",", "/")


class Protocol(harness.Case):
    def asked(self, *arguments, simt="lockstep", **how):
        return self.contrib("gtest", "--simt", simt, "-n", "2", *arguments, **how)

    def planned(self, *patterns):
        out = self.litmus("run", *patterns, "--simt", "lockstep", "--dry-run").out
        return [line for line in out.splitlines() if not line.startswith("#")]

    def listed(self, *arguments, **how):
        """Full names, as runners read them out of the list."""
        result = self.asked("--gtest_list_tests", *arguments, **how)
        names, suite = [], None
        for line in result.out.splitlines():
            if line.startswith("  "):
                names.append(suite + line[2:])
            else:
                self.assertRegex(line, r"^[^ ]+\.$")
                suite = line
        return names

    def test_the_list(self):
        names = self.listed()
        self.assertEqual(names, [gtest_name(name) for name in self.planned("--all")])
        self.assertEqual(len(set(names)), len(names))
        for name in names:
            self.assertRegex(name, r"^[a-z_]+\.[a-z0-9_/=@]+$")
        self.assertEqual(os.listdir(self.folder), [])

    def test_filters(self):
        scans = [gtest_name(name) for name in self.planned(SCANS)]
        self.assertEqual(self.listed("--gtest_filter=scan.subgroup/*"), scans)
        self.assertEqual(self.listed(f"--gtest_filter={scans[1]}:{scans[0]}"), scans[:2])
        self.assertEqual(self.listed("--gtest_filter=scan.subgroup/*-*f32*"),
                         [name for name in scans if "f32" not in name])
        self.assertEqual(self.listed(GTEST_FILTER="scan.subgroup/mode=?xclusive*"),
                         [name for name in scans if "exclusive" in name])
        self.assertEqual(self.listed("--gtest_filter=scan"), [])
        # A caselist chooses first.
        self.write("cases.txt", SCANS)
        self.assertEqual(self.listed("--caselist", "cases.txt", "--gtest_filter=-*f32*"),
                         [name for name in scans if "f32" not in name])

    def normal(self, text):
        return re.sub(r"\((\d+) ms", "(N ms", text)

    def test_the_lines(self):
        """Passed, failed and skipped, each with a blank where GoogleTest has one."""
        result = self.asked(f"--gtest_filter={MIXED}", simt="faulty,fault=wrong,subgroup=128", code=1)
        names = self.listed(f"--gtest_filter={MIXED}", simt="faulty,fault=wrong,subgroup=128")
        states = {name: state for state, name in re.findall(
            r"^\[ *(OK|FAILED|SKIPPED) *\] (\S+) \(\d+ ms\)$", result.out, re.M)}
        self.assertEqual(sorted(states), sorted(names))
        self.assertGreaterEqual(set(states.values()), {"FAILED", "SKIPPED"})
        told = re.sub(r"^spirv/(?s:.*?)(?=^\[)", "", result.out, flags=re.M)
        self.assertEqual(self.normal(told), self.expected(MIXED, names, states))
        for name, state in states.items():
            if state != "OK":
                self.assertRegex(result.out, r"(?m)^spirv/\S+\.spvasm:1: "
                                 + ("Failure" if state == "FAILED" else "Skipped"))

    def expected(self, filter, names, states):
        """What GoogleTest 1.12 prints of these."""
        marks = {"OK": "[       OK ]", "FAILED": "[  FAILED  ]", "SKIPPED": "[  SKIPPED ]"}
        suites = {}
        for name in names:
            suites.setdefault(name.split(".")[0], []).append(name)

        def some(count, what):
            return f"{count} {what}{'' if count == 1 else 's'}"
        lines = [f"Note: Google Test filter = {filter}",
                 f"[==========] Running {some(len(names), 'test')} from "
                 f"{some(len(suites), 'test suite')}.",
                 "[----------] Global test environment set-up."]
        for suite, of in suites.items():
            lines.append(f"[----------] {some(len(of), 'test')} from {suite}")
            for name in of:
                lines += [f"[ RUN      ] {name}", f"{marks[states[name]]} {name} (N ms)"]
            lines += [f"[----------] {some(len(of), 'test')} from {suite} (N ms total)", ""]
        lines += ["[----------] Global test environment tear-down",
                  f"[==========] {some(len(names), 'test')} from "
                  f"{some(len(suites), 'test suite')} ran. (N ms total)"]
        passed = sum(state == "OK" for state in states.values())
        lines.append(f"[  PASSED  ] {some(passed, 'test')}.")
        for state in "SKIPPED", "FAILED":
            of = [name for name in names if states[name] == state]
            if of:
                lines.append(f"{marks[state]} {some(len(of), 'test')}, listed below:")
                lines += [f"{marks[state]} {name}" for name in of]
        failed = sum(state == "FAILED" for state in states.values())
        lines += ["", f"{failed:2d} FAILED {'TEST' if failed == 1 else 'TESTS'}"] if failed else []
        return "\n".join(lines) + "\n"

    def test_the_xml(self):
        result = self.asked(f"--gtest_filter={MIXED}", "--gtest_output=xml:new/folder/made.xml",
                            simt="faulty,fault=wrong,subgroup=128", code=1)
        root = xml.etree.ElementTree.parse(self.path("new/folder/made.xml")).getroot()
        self.assertEqual((root.tag, root.get("name"), root.get("errors")),
                         ("testsuites", "AllTests", "0"))
        names, failed, skipped = [], 0, 0
        for suite in root:
            for case in suite.iter("testcase"):
                self.assertEqual(case.get("classname"), suite.get("name"))
                self.assertEqual(case.get("status"), "run")
                names.append(f"{case.get('classname')}.{case.get('name')}")
                failed += case.find("failure") is not None
                skipped += case.get("result") == "skipped" and case.find("skipped") is not None
        self.assertEqual(names, re.findall(r"^\[ RUN      \] (\S+)$", result.out, re.M))
        self.assertEqual((int(root.get("tests")), int(root.get("failures")),
                          int(root.get("skipped"))), (len(names), failed, skipped))
        self.assertTrue(failed and skipped)
        # litmus guards the file.
        self.asked("--gtest_filter=scan.levels*", "--db", "kept.db", "--gtest_output=xml:kept.db", code=2)

    def test_what_deqp_runner_reads(self):
        """By its patterns: the list, and how each test begins and ends."""
        options = (f"--gtest_filter={MIXED}",)
        simt = "faulty,fault=wrong,subgroup=128"
        names, group = [], None
        for line in self.asked("--gtest_list_tests", *options, simt=simt).out.splitlines():
            found = re.search(r"(\S*\.)", line)
            group = found[1] if found else group
            names += [] if found else [group + re.search(r"\s+(\S+)", line)[1]]
        ended, current = {}, None
        for line in self.asked(*options, "--db", "kept.db", simt=simt, code=1).out.splitlines():
            begun, end = (re.search(pattern, line) for pattern in
                          (r"\[\sRUN\s*\]\s(.*)", r"\[\s*(\S*)\s*\]\s(\S*)"))
            if current and end:
                self.assertIn(end[1], ("OK", "FAILED", "SKIPPED"), line)
                ended[current], current = end[1], None
            elif not current and begun:
                current = begun[1]
        self.assertEqual(list(ended), names)
        self.assertFalse([name for name in names if "," in name])
        # Its lists have the same names.
        rows = self.converted("deqp", store="kept.db").splitlines()
        self.assertEqual([row.split(",")[0] for row in rows], sorted(names))

    def test_nothing_is_left_and_many_can_run_at_once(self):
        temporary = self.path("tmp")
        os.mkdir(temporary)
        words = [sys.executable, os.path.join(harness.CONTRIB, "gtest"), "--simt", "lockstep", "-n", "2",
                 "--gtest_filter=scan.levels*"]
        started = [subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL,
                                    env=self.environment(LITMUS=self.program, TMPDIR=temporary))
                   for _ in range(4)]
        self.assertEqual([process.wait() for process in started], [0] * 4)
        self.assertEqual(os.listdir(self.folder), ["tmp"])
        self.assertEqual(os.listdir(temporary), [])
        self.asked("--gtest_filter=scan.levels*", "--db", "kept.db")
        self.assertTrue(self.rows("SELECT 1 FROM result", "kept.db"))

    def test_several_devices(self):
        """Each is a suite of its own."""
        names = self.listed("--gtest_filter=*/scan.subgroup/mode=reduce*", simt="lockstep,devices=2")
        self.assertEqual({name.split(".")[0] for name in names}, {"1/scan", "2/scan"})
        result = self.asked("--gtest_filter=2/scan.subgroup/mode=reduce*",
                            simt="lockstep,devices=2")
        self.assertEqual(re.findall(r"^\[ RUN      \] (\S+)$", result.out, re.M),
                         [name for name in names if name.startswith("2/")])

    def test_shards(self):
        parts = []
        for index in "0", "1":
            result = self.asked("--gtest_filter=scan.*", GTEST_TOTAL_SHARDS="2",
                                GTEST_SHARD_INDEX=index)
            self.assertIn(f"Note: This is test shard {int(index) + 1} of 2.", result.out)
            parts += re.findall(r"^\[ RUN      \] (\S+)$", result.out, re.M)
        self.assertEqual(sorted(parts), sorted(self.listed("--gtest_filter=scan.*")))

    def test_exit_codes(self):
        none = self.asked("--gtest_filter=nothing")
        self.assertIn("[==========] Running 0 tests from 0 test suites.", none.out)
        for wrong in ("--gtest_nothing", "--gtest_repeat=3", "--gtest_output=json:x", "--nothing", "scan"):
            self.assert_one_line(self.asked(wrong, code=2), 2, wrong.split("=")[0].lstrip("-"),
                                 by="gtest")
        self.assert_one_line(self.asked("--gtest_list_tests", LITMUS_SIMT_ICD="/nowhere", code=2), 2,
                             "/nowhere", by="gtest")
        self.assert_one_line(self.asked(LITMUS="/nowhere", code=2), 2, "/nowhere", by="gtest")

    def test_what_did_not_run(self):
        """A test without a result fails the program, and is counted."""
        result = self.contrib("gtest", "-n", "3", "--gtest_filter=shuffle.scan_loop*64*", code=1, fault="lost-always")
        self.assertRegex(result.out, r"(?m)^\[  FAILED  \] \d+ tests? did not run: ")


def block(language):
    """What docs/gating.md has for a runner."""
    with open(os.path.join(harness.SOURCE, "docs", "gating.md"), encoding="utf-8") as page:
        return re.search(rf"^```{language}\n(.*?)^```$", page.read(), re.M | re.S)[1]


class Runners(harness.Case):
    """Unpatched, with the lines of docs/gating.md; only where the program is differs."""

    def environment(self, *arguments, **more):
        return super().environment(*arguments, drivers=[harness.SIMT],
                                   LITMUS_SIMT="model=lockstep", **more)

    def run_tool(self, *words):
        path = os.path.dirname(harness.PROGRAM) + ":" + os.environ["PATH"]
        done = subprocess.run(words, cwd=self.folder, env=self.environment(PATH=path),
                              capture_output=True,
                              text=True, timeout=120 * harness.SLOW, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_meson(self):
        self.write("meson.build", "project('drivers')\n"
                   + block("meson").replace("/usr/share/litmus/contrib", harness.CONTRIB))
        self.run_tool("meson", "setup", "made")
        self.run_tool("meson", "test", "-C", "made")
        junit = xml.etree.ElementTree.parse(self.path("made/meson-logs/testlog.junit.xml"))
        names = [case.get("name") for case in junit.iter("testcase")]
        self.assertGreater(len(names), 3)
        self.assertTrue(all(name.startswith("subgroup/mode=") for name in names), names)

    @unittest.skipUnless(shutil.which("ctest"), "no CTest")
    def test_ctest(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\n"
                   "project(drivers NONE)\nenable_testing()\n"
                   + block("cmake").replace("/usr/share/litmus/contrib", harness.CONTRIB))
        self.run_tool("cmake", "-S", ".", "-B", "made")
        out = self.run_tool("ctest", "--test-dir", "made", "-j", "2")
        names = self.run_tool(os.path.join(harness.CONTRIB, "gtest"), "--gtest_list_tests",
                              "--gtest_filter=scan.subgroup*")
        self.assertIn(f"100% tests passed, 0 tests failed out of {names.count('  ')}", out)


harness.main(__name__)
