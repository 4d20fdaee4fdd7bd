# SPDX-License-Identifier: Apache-2.0
"""All forms of reports: they agree, their readers take them, and a run writes them at its end."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

import harness
from harness import Case, FORMATS


def golden(name, form):
    """A report as tests/unit/report.c holds every form to it."""
    path = os.path.join(harness.SOURCE, "tests", "reports", f"{name}.{form}")
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


class SameNumbers(unittest.TestCase):
    """Every format says the same of every configuration."""

    def test_all_formats(self):
        reports = {form: golden("every-kind", form) for form in FORMATS}
        entries = json.loads(reports["json"])["results"]
        self.check_csv(entries, reports["csv"])
        self.check_junit(entries, reports["junit"])
        self.check_lines(entries, reports)

    def check_csv(self, entries, text):
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        self.assertEqual([row["configuration"] for row in rows],
                         [entry["name"] for entry in entries])
        for row, entry in zip(rows, entries):
            for key in ("runs", "failed_runs", "no_progress_runs", "instances", "first",
                        "failed_instances"):
                self.assertEqual(int(row[key]), entry[key], (key, entry["name"]))
            for key in ("result", "expectation", "observation", "family", "test", "seed", "stress",
                        "rule", "reason", "interval_kind", "spirv_sha256"):
                self.assertEqual(row[key], entry[key], (key, entry["name"]))
            self.assertEqual([float(row["low"]), float(row["high"])], entry["interval"])
            self.assertEqual(row["first_run_failed"], "yes" if entry["first_run_failed"] else "no")

    def check_junit(self, entries, text):
        root = xml.etree.ElementTree.fromstring(text)
        cases = root.findall("testsuite/testcase")
        self.assertEqual(len(cases), len(entries))
        counted = {"tests": len(cases), "failures": 0, "errors": 0, "skipped": 0}
        keys = set()
        for case, entry in zip(cases, entries):
            self.assertEqual(case.get("classname").split(".", 1)[1], entry["test"])
            self.assertTrue(entry["name"].endswith(case.get("name")), entry["name"])
            # As readers tell them apart that know letters and digits alone.
            keys.add(re.sub(r"[^0-9A-Za-z]", "-", case.get("classname") + "_" + case.get("name")))
            if case.find("failure") is not None:
                counted["failures"] += 1
                self.assertEqual(entry["expectation"], "forbidden")
                self.assertIn(f"{entry['failed_runs']:,} of {entry['runs']:,} runs failed",
                              case.find("failure").get("message"))
            elif case.find("error") is not None:
                counted["errors"] += 1
            elif case.find("skipped") is not None:
                counted["skipped"] += 1
                self.assertEqual(case.find("skipped").get("message"), entry["reason"])
            elif entry["failed_runs"]:
                self.assertNotEqual(entry["expectation"], "forbidden")
                self.assertIn(f"{entry['failed_runs']:,} of {entry['runs']:,} runs failed",
                              case.find("system-out").text)
        self.assertEqual(len(keys), len(cases))
        for level in ([root], root.findall("testsuite")):
            self.assertEqual({key: sum(int(element.get(key)) for element in level)
                              for key in counted}, counted)
            self.assertAlmostEqual(sum(float(element.get("time")) for element in level),
                                   sum(float(case.get("time")) for case in cases), places=6)
        failed = [entry for entry in entries
                  if entry["expectation"] == "forbidden" and entry["failed_runs"]]
        self.assertEqual(counted["failures"], len(failed))

    def check_lines(self, entries, reports):
        text = re.findall(r"(?m)^  (\S+) +([0-9,]+) +([0-9,]+)  (\S+) +([0-9a-f]{8})  \S+",
                          reports["text"])
        table = re.findall(r"(?m)^\| (\S+) \| ([0-9,]+) \| ([0-9,]+) \| (\S+) \| "
                           r"`([0-9a-f]{8})` \| .* \|$", reports["markdown"])
        def row(entry):
            # A control may be there to show that a wait runs out.
            seen = (entry["expectation"] == "control" and entry["runs"]
                    and (entry["failed_runs"] or entry["no_progress_runs"] == entry["runs"]))
            return ["triggered" if seen else entry["result"], f"{entry['runs']:,}",
                    f"{entry['failed_runs']:,}", entry["expectation"]]

        shown = {entry["id"]: row(entry) for entry in entries}
        self.assertEqual(len(shown), len(entries))
        self.assertEqual({line[4]: list(line[:4]) for line in text}, shown)
        self.assertEqual({line[4]: list(line[:4]) for line in table},
                         {id: line for id, line in shown.items() if line[0] != "skip"})


class JUnitReaders(Case):
    @unittest.skipUnless(shutil.which("xmllint"), "libxml2-utils is missing")
    def test_schema(self):
        schema = os.path.join(harness.SOURCE, "tests/junit.xsd")
        lint = ["xmllint", "--noout", "--nonet", "--schema", schema, self.path("report.xml")]
        text = golden("every-kind", "junit")
        for good in (text, golden("verdicts", "junit"), golden("nothing", "junit")):
            self.write("report.xml", good)
            done = subprocess.run(lint, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        # The schema is not so loose that anything passes.
        for wrong in (text.replace(" skipped=", " x=", 1), text.replace("<testcase ", "<case ", 1),
                      text.replace("workgroup=last", "items=4").replace("control.race",
                                                                        "scan.workgroup")):
            self.write("report.xml", wrong)
            done = subprocess.run(lint, capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0, wrong)


class OfARun(Case):
    """Reports that a run writes at its end."""

    OPTIONS = ("--json", "report.json", "--junit", "report.xml", "--csv", "report.csv",
               "--markdown", "report.md")

    def test_the_same_as_afterwards(self):
        result = self.litmus("run", harness.ONE, "-n", "2", *self.OPTIONS)
        self.assertEqual((result.code, result.err), (0, ""), result)
        for option, name in zip(self.OPTIONS[::2], self.OPTIONS[1::2]):
            with open(self.path(name), newline="") as file:
                made = self.litmus("report", "-f", option[2:])
                self.assertEqual(file.read(), made.out, option)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         sorted(["litmus.db", *self.OPTIONS[1::2]]))

    def test_found_before_anything_is_measured(self):
        os.mkdir(self.path("folder"))
        self.write("file", "x")
        wrong = {("--json", "no/such/report.json"): "No such file", ("--csv", "folder"): "a folder",
                 ("--junit", "file/x.xml"): "No such file" if harness.WINDOWS else "Not a directory",
                 ("--json", "litmus.db"): "is the store", ("--json", "-"): "report -f json",
                 ("--json", "a", "--csv", "./a"): "the same file"}
        for options, words in wrong.items():
            with self.subTest(options):
                self.assert_one_line(self.litmus("run", harness.ONE, "-n", "2", *options), 2, words)
        self.assertEqual(sorted(os.listdir(self.folder)), ["file", "folder"])
        self.assert_one_line(self.litmus("run", harness.ONE, "--dry-run", "--json", "a"), 2,
                             "--dry-run")

    def test_lost_at_the_end(self):
        # It is still running when its folder goes.
        for fault, code in (("slow=0", 2), ("spoil-on=64", 1)):
            with self.subTest(fault=fault):
                os.mkdir(self.path("gone"))
                process = self.start("run", harness.ONE, "-n", "40", "--json", "gone/report.json",
                                     "--csv", "kept.csv", fault=fault + ",hold-on=any,after=1",
                                     LITMUS_FAULT_RELEASE=self.path("go"))
                self.first_batch()
                os.rmdir(self.path("gone"))
                self.write("go", "")
                result = self.finish(process, 0)
                self.assertEqual(result.code, code, result)
                self.assertIn("cannot write gone/report.json", result.err)
                self.assertIn("litmus report -f json --session", result.err)
                self.assertIn(f"exit {code}: ", result.out)
                self.assertEqual(self.report()["results"][0]["runs"], 40)
                self.assertTrue(os.path.exists(self.path("kept.csv")))
                os.remove(self.path("litmus.db"))
                os.remove(self.path("go"))

    def test_with_resume(self):
        self.cut_off("run", harness.ONE, "-n", "100000")
        self.litmus("run", "--resume", "--time", harness.OPENING, "--json", "report.json", code=5)
        self.assertEqual(json.loads(self.read("report.json"))["summary"]["exit"]["code"], 5)


harness.main(__name__)
