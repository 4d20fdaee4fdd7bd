# SPDX-License-Identifier: Apache-2.0
"""litmus report --check: which JSON reports can be taken."""

import copy
import glob
import json
import os

import harness

PUBLISHED = os.path.join(harness.SOURCE, "reports", "lavapipe-22.3.6", "report.json")


def shortened(report, most):
    """A report of some of its results, whose sums agree."""
    report = copy.deepcopy(report)
    report["results"] = report["results"][:most]
    return harness.summed(report)


def put(place, value):
    """Changes one member of a report, at "results.0.runs"."""
    def change(report):
        *path, last = (int(part) if part.isdigit() else part for part in place.split("."))
        for part in path:
            report = report[part]
        if value is None:
            del report[last]
        else:
            report[last] = value
    return change


# A change, and what is to be said of it.
FAULTS = (
    (put("schema", "litmus-report/99"), "a report of schema litmus-report/99, but"),
    (put("schema", "other/1"), "JSON, but not a litmus report"),
    (put("tool.started", "yesterday"), "'started' is not a time: 'yesterday'"),
    (put("tool.finished", False), "the session was not finished"),
    (put("tool.version", None), "'version' is missing"),
    (put("tool.selection.test", "shuffle.*"), "it is a part of a session"),
    (put("tool.shard.of", "tests"), "it is one shard of a run"),
    (put("tool.command", "litmus\x1b[2J"), "tool.command has a control character"),
    (put("tool.system", "\u202egnp"), "tool.system has a control character"),
    (put("tool.system", "li\u200bnux"), "tool.system has a control character"),
    (put("devices.0.vendor", "0x0"), "device 1: no vendor"),
    (put("devices.0.type", "toaster"), "device 1: impossible type"),
    (put("devices.0.subgroup.size", 7), "device 1: impossible subgroup sizes"),
    (put("devices.0.subgroup.max", 4), "device 1: impossible subgroup sizes"),
    (put("devices.0.limits.shared", 16), "device 1: limits below"),
    (put("devices.0.limits", None), "'limits' is missing"),
    (put("devices.0.api", "3.0.0"), "device 1: 'api' is not a version of Vulkan 1"),
    (put("devices.0.name", "Another"), "the id of Another is not that of its driver and UUIDs"),
    (put("results.0.runs", -1), "'runs' is not a number in range"),
    (put("results.0.runs", 1 << 60), "'runs' is not a number in range"),
    (put("results.0.failed_runs", 1001), "barrier.long-loop/form=one"),
    (put("results.0.outcomes", {"wrong": 7999}), "barrier.long-loop/form=one"),
    (put("results.0.interval", [0, 0.5]), "'interval' contradicts the name"),
    (put("results.0.observation", "Never"), "'observation' contradicts the name"),
    (put("results.0.result", "fine"), "'result' is unknown"),
    (put("results.0.name", "../../etc/passwd"), "'../../etc/passwd' is not a configuration name"),
    (put("results.0.device", "0" * 32), "a result without a device"),
    (put("results.0.spirv_sha256", ""), "'spirv_sha256' does not say which module"),
    (put("results.0.seconds", "long"), "'seconds' is not a number"),
    (put("summary.runs", 1), "the summary has 1 for 'runs', the results 8,000"),
    (put("summary.results.pass", 999), "the summary has 999 for 'pass'"),
    (put("summary.exit", None), "the summary lacks the exit code"),
)
# Those that a report which litmus wrote can have: it is only none to send to others.
UNFIT = ("the session was not finished", "it is a part of a session", "it is one shard of a run",
         "device 1: no vendor", "device 1: limits below",
         "device 1: 'api' is not a version of Vulkan 1",
         "'spirv_sha256' does not say which module", "the summary lacks the exit code")


class Check(harness.Case):
    def prepare(self):
        self.whole = shortened(json.loads(harness.read(PUBLISHED)), 8)

    def check(self, report):
        self.write("report.json", report if isinstance(report, (str, bytes)) else
                   json.dumps(report))
        return self.litmus("report", "--check", "report.json")

    def test_published_ones_can_be_taken(self):
        paths = glob.glob(os.path.join(harness.SOURCE, "reports", "*", "report.json"))
        self.assertGreater(len(paths), 4)
        for path in paths:
            result = self.litmus("report", "--check", path)
            self.assertEqual((result.code, result.err), (0, ""), result)
            self.assertRegex(result.out, r"can be taken: ([4-9]\d\d|1,\d{3}) results")

    def test_one_line_for_each_fault(self):
        self.assertEqual(self.check(self.whole).code, 0)
        for change, said in FAULTS:
            report = copy.deepcopy(self.whole)
            change(report)
            with self.subTest(said):
                result = self.check(report)
                self.assertEqual(result.code, 2, result)
                lines = result.out.splitlines()
                self.assertTrue(any(said in line for line in lines), result.out)
                self.assertTrue(all(line.startswith("report.json: ") for line in lines))
                self.assertRegex(result.err, r"^litmus: report.json: cannot be taken: \d+ fault")
                self.assertNotIn("\x1b", result.out)

    def test_whoever_reads_it(self):
        """What contradicts itself is refused by every command, the rest by --check alone."""
        for change, said in FAULTS:
            report = copy.deepcopy(self.whole)
            change(report)
            self.write("report.json", json.dumps(report))
            with self.subTest(said):
                result = self.litmus("advise", "report.json", drivers=[])
                if said in UNFIT:
                    self.assertEqual((result.code, result.err), (0, ""), result)
                else:
                    self.assert_one_line(result, 2, "report.json: ", said)
        for words in (("gate", "-b", "report.json", "report.json"), ("compare", "report.json", "report.json"),
                      ("compare", "--across", "devices", "report.json"), ("site", "site", "report.json"),
                      ("plan", "loop.form", "--missing", "report.json"),
                      ("run", "loop.form", "--simt", "lockstep", "--baseline", "report.json")):
            put("summary.runs", 1)(self.whole)
            self.write("report.json", json.dumps(self.whole))
            with self.subTest(words):
                self.assert_one_line(self.litmus(*words, drivers=[]), 2,
                                     "report.json: damaged report: the summary has 1 for 'runs'")

    def test_several_faults(self):
        report = copy.deepcopy(self.whole)
        for place, value in (("tool.finished", False), ("results.1.runs", -1),
                             ("results.2.observation", "?"), ("devices.0.api", "x")):
            put(place, value)(report)
        result = self.check(report)
        self.assertEqual(len(result.out.splitlines()), 4, result)
        report["results"] = [report["results"][1]] * 200
        result = self.check(report)
        self.assertEqual(len(result.out.splitlines()), 51, result)
        self.assertRegex(result.out.splitlines()[-1], r"and \d+ more$")

    def test_our_own_of_a_crash(self):
        """The words of a driver that died are of several lines."""
        self.set_clock()
        for fault in ("crash-on=64", "hang-compiling-on=64,jump=60"):
            result = self.litmus("run", harness.ONE, "-n", "2", "--timeout", "2", "--db", fault + ".db",
                                 "--json", "own.json", fault=fault, code=1)
            report = json.loads(self.read("own.json"))
            report["devices"][0]["vendor"] = "0x10005"  # also where the simulator stands in
            for words, code in (("one\n\ttwo", 0), ("one\n\x1b[2Jtwo", 2)):
                report["results"][0].setdefault("evidence", {})["last-words"] = words
                result = self.check(report)
                self.assertEqual(result.code, code, result)
            self.assertIn("evidence.last-words has a control character", result.out)

    def test_a_configuration_twice(self):
        report = copy.deepcopy(self.whole)
        report["results"].append(report["results"][0])
        self.assertIn(" is given twice", self.check(report).out)

    def test_no_reports(self):
        for content, said in (("", "the file is empty"), ("<html>", "neither a store nor"),
                              (b"\x1f\x8b" + bytes(20), "unpack it first"),
                              (b"SQLite format 3\0", "'litmus store check'")):
            self.write("report.json", content)
            result = self.litmus("report", "--check", "report.json")
            self.assert_one_line(result, 2, said)
        for content, said in (("{", "is cut off"), ("{]", "invalid JSON"), ("[" * 9, "neither"),
                              ('{"a":"\\u0000"}', "invalid JSON")):
            result = self.check(content)
            self.assertEqual(result.code, 2)
            self.assertIn(said, result.out + result.err)
        self.assert_one_line(self.litmus("report", "--check", "missing"), 2, "missing")
        self.assert_one_line(self.litmus("report", "--check", "a", "--format", "json"), 2,
                             "no other option")


harness.main(__name__)
