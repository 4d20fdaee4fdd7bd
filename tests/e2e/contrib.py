# SPDX-License-Identifier: Apache-2.0
"""What the scripts of contrib/ make of a JSON report: their readers take it, and it says the same."""

import copy
import csv
import io
import json
import os
import re

import harness

FORMATS = (("csv", "outcomes"), ("csv", "batches"), ("deqp",), ("github",), ("herd",), ("lava",))
HOSTILE = "=1,\"\n::error::|\x1b[31m%0A\u202e ##[error]"


class Scripts(harness.Case):
    def prepare(self):
        self.litmus("run", "memory.message-passing", "scan.subgroup", "reconvergence.break-ballot",
                    "barrier.memory-is-no-rendezvous", "--simt", "faulty,rate=0.001,subgroup=128",
                    "-n", "10", "--seed", "5")
        self.made = self.report()

    def of(self, script, *words, report=None):
        return self.contrib(script, *words, text=json.dumps(report or self.made)).out

    def variants(self, *changes):
        """The report with a result for each of these changes of its first that failed."""
        report = copy.deepcopy(self.made)
        first = next(entry for entry in report["results"] if entry["failed_runs"])
        report["results"] = [{**first, **change} for change in changes]
        return report

    def test_tables(self):
        def rows(table, report=None):
            return list(csv.DictReader(io.StringIO(self.of("csv", table, report=report), newline="")))
        self.assertEqual([(row["configuration"], row["device_id"], row["outcome"], int(row["instances"]))
                          for row in rows("outcomes")],
                         [(entry["name"], entry["device"], *outcome) for entry in self.made["results"]
                          for outcome in entry["outcomes"].items()])
        failing = {}
        for row in rows("outcomes"):
            failed = int(row["instances"]) if row["fails"] == "yes" else 0
            failing[row["configuration"]] = failing.get(row["configuration"], 0) + failed
        self.assertEqual(failing, {entry["name"]: entry["failed_instances"]
                                   for entry in self.made["results"] if entry["outcomes"]})
        self.assertTrue(any(failing[entry["name"]] for entry in self.made["results"]
                            if entry["choices"]))
        self.assertEqual([[int(row[key]) for key in ("batch", "first_run", "runs", "process")]
                          for row in rows("batches", self.variants({"first": 9, "parts": [
                              {"process": 0, "runs": 600, "failed_runs": 30, "no_progress_runs": 0},
                              {"process": 1, "runs": 400, "failed_runs": 7, "no_progress_runs": 0}]}))],
                         [[1, 10, 600, 0], [2, 610, 400, 1]])
        hostile = self.variants({})
        hostile["devices"][0]["name"] = HOSTILE
        self.assertEqual({row["device"] for row in rows("outcomes", hostile)},
                         {"'=1,\"?::error::|?[31m%0A? ?#[error]"})

    def test_herd(self):
        log = self.of("herd", report=self.variants(
            {"name": "a.b/c=x y~,d=@e=[last]", "expectation": "contested",
             "choices": [{"name": "data only", "fails": True}, {"name": "2 late", "fails": False}],
             "outcomes": {"right": 9, "no progress": 2, "data only": 3, "2 late": 1}, "runs": 14,
             "failed_runs": 3, "no_progress_runs": 2, "result": "fail", "seconds": 0.5},
            {"name": "a.c", "result": "skip", "reason": "no", "runs": 0, "outcomes": {}},
            {"name": "a.d", "expectation": "control", "stress": "x=1"}))
        self.assertTrue(log.startswith("""Test a.b/c[x_y_]+d[]/e[_last_] Allowed
Histogram (4 states)
9       :>outcome=right;
2       :>outcome=no_progress;
3       *>outcome=data_only;
1       :>outcome=o_2_late;
No

Witnesses
Positive: 3, Negative: 9
"""), log)
        self.assertIn("\nObservation a.b/c[x_y_]+d[]/e[_last_] Sometimes 3 9\nTime a.b/c[x_y_]+d[]/e[_last_] "
                      "0.50\n\nTest a.c Forbidden\nFatal: skip: no, a.c\n\nTest a.d Allowed\n", log)
        self.assertIn("\nOk\n", log)  # a control that is triggered
        self.assertIn("\nStress=x=1\n", log)
        tool = self.made["tool"]
        self.assertTrue(log.endswith(f"\nStarted {tool['started']}\nSeed 0x5\nRuns 10\n\n"), log)
        of_all = re.findall(r"(?m)^Configuration=(\S+)\n(?:\S+=.*\n)*Observation \S+ \S+ (\d+) (\d+)$",
                            self.of("herd"))
        self.assertEqual(of_all, [
            (entry["name"], str(entry["failed_runs"]),
             str(entry["runs"] - entry["no_progress_runs"] - entry["failed_runs"]))
            for entry in self.made["results"] if entry["runs"]])

    def test_annotations(self):
        low = [{"name": f"a.b/c={i}@d=1", "expectation": "forbidden", "result": "fail",
                "failed_runs": i + 1, "interval": [i / 50, 1]} for i in range(25)]
        report = self.variants(
            *low, {"name": "a.c", "expectation": "contested", "reproduce": "litmus run 50%"},
            {"name": "a.d", "expectation": "contested", "result": "no-progress", "failed_runs": 0},
            {"name": "a.e", "expectation": "control"}, {"name": "a.f", "result": "pass", "failed_runs": 0},
            {"name": "kernel.g", "family": "kernel", "expectation": "contested", "result": "crash",
             "evidence": {"check": "a race\nat x"}})
        report["devices"][0]["name"] = HOSTILE
        lines = self.of("github", report=report).splitlines()
        # Ten of a kind: nine, the most important first, and one that sums up.
        self.assertEqual([line.split()[0] for line in lines],
                         ["::error"] * 10 + ["::warning"] * 2 + ["::notice"])
        self.assertTrue(lines[0].startswith("::error title=a.b/c=24@d=1::forbidden: 25 of 10 runs"), lines[0])
        self.assertEqual(lines[9], "::error title=litmus::and 16 configurations more; the report has them")
        self.assertIn("%0Aon =1,\"?::error::|?[31m%250A? ?#[error], driver", lines[0])
        self.assertIn("::a race%0Acontested: ", "".join(lines[10:12]))
        self.assertTrue(lines[-1].endswith("%0Areproduce: litmus run 50%25"), lines[-1])
        self.assertNotIn("a.e", "".join(lines))
        self.assertNotIn("a.f", "".join(lines))

    def test_what_is_no_report(self):
        wrong = dict(self.made, results=[{"name": 1}])
        for script, *words in FORMATS:
            for text in ("", "{", "[]", "{}", '{"schema": "other/1"}', "\xff", json.dumps(wrong),
                         json.dumps(dict(self.made, devices=None))):
                with self.subTest(script=script, text=text[:20]):
                    result = self.contrib(script, *words, text=text, code=2)
                    self.assert_one_line(result, 2, "-: no JSON report", by=script)
            for word, said in ("nowhere", "nowhere: No such file"), ("--nothing", "--nothing"):
                self.assert_one_line(self.contrib(script, *words, word, code=2), 2, said, by=script)
            self.assertIn("usage: ", self.contrib(script, "--help").out)

    def test_every_script_is_tested_and_named_in_a_manual(self):
        named = {"gtest", "kubernetes", "slurm", *(words[0] for words in FORMATS)}
        files = {name for name in os.listdir(harness.CONTRIB) if "." not in name and name[0] != "_"}
        self.assertEqual(files, named)
        pages = ""
        for page in "farms.md", "formats.md", "gating.md", "reading.md":
            with open(os.path.join(harness.SOURCE, "docs", page), encoding="utf-8") as file:
                pages += file.read()
        for name in files:
            self.assertTrue(f"contrib/{name}" in pages, name)


harness.main(__name__)
