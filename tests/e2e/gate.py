# SPDX-License-Identifier: Apache-2.0
"""Two sessions compared, and what a gate makes of it, on lavapipe and a driver that gets worse."""

import copy
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

import harness

RUNS = "20"
RIGHT = "slow=0"  # the same driver as with a fault, so that only the fault differs
WORSE = "spoil-on=64"


class Gate(harness.Case):
    """A session that is right (before.db), and reports of it."""

    stored = {}  # what was measured once for all tests: fault -> bytes of the store

    def setUp(self):
        super().setUp()
        self.take("before.db", RIGHT)
        self.write("before.json", json.dumps(self.report("before.db")))

    def take(self, store, fault):
        """A store of a session under a fault."""
        if fault not in Gate.stored:
            result = self.measure("made.db", fault=fault)
            self.assertEqual(result.code, 0 if fault == RIGHT else 1, result)
            Gate.stored[fault] = self.read("made.db", "rb")
            os.unlink(self.path("made.db"))
        self.write(store, Gate.stored[fault])

    def measure(self, store, *more, fault, **how):
        return self.litmus("run", *harness.PAIR, "-n", RUNS, "--seed", "0x5eed", "--db", store,
                           *more, fault=fault, **how)

    def gate(self, code, *arguments, baseline="before.db"):
        result = self.litmus("gate", "--baseline", baseline, *arguments, code=code)
        if code != 2:
            self.assertEqual(result.err, "", result)
        self.assert_clean(result)
        return result

    def made(self, *arguments, command="gate"):
        first = ("--baseline", "before.db") if command == "gate" else ("before.db",)
        out = self.litmus(command, *first, "--format", "json", *arguments).out
        return json.loads(out)


class Verdicts(Gate):
    """From two stores to an exit code."""

    def test_too_few_runs_decide_nothing(self):
        self.take("after.db", RIGHT)
        result = self.gate(3, "after.db")
        self.assertIn("UNDECIDED: 2 configurations are undecided", result.out)
        self.assertRegex(result.out, r"\(80 % power, Holm over \d+\): from 0 to 0\.\d+ or more")
        # What would be enough, if so much is tolerated.
        self.gate(0, "after.db", "--tolerance", "0.5")
        self.gate(0, "after.db", "--tolerance", "0.5", "--strict", baseline="before.json")

    def test_a_regression(self):
        self.take("after.db", WORSE)
        result = self.gate(1, "after.db")
        self.assert_all_in(result.out, "FAILED: a regression", "0 of 20 -> 20 of 20 runs failed",
                           "exit 1: a regression")
        self.gate(1, "after.db", baseline="before.json")
        # The other way round it got better.
        report = self.made("after.db")
        back = json.loads(self.litmus("gate", "--baseline", "after.db", "before.db", "--format",
                                      "json").out)
        self.assertEqual(report["summary"]["verdicts"]["regression"], 1)
        self.assertEqual(back["summary"]["verdicts"]["improvement"], 1)
        # compare tells the same and judges nothing.
        told = self.litmus("compare", "before.db", "after.db")
        self.assertEqual((told.code, told.err), (0, ""), told)
        self.assertIn("B is worse", told.out)
        self.assertEqual(self.gate(1, "after.db", "--only", "*@workgroup=64*").code, 1)
        self.gate(0, "after.db", "--only", "shuffle.*", "--only", "!*@workgroup=64*",
                  "--tolerance", "0.5")

    def test_a_crash_and_a_hang(self):
        for fault, word in (("crash-on=64", "crash"), ("hang-compiling-on=64", "hang")):
            with self.subTest(word):
                store = f"{word}.db"
                self.measure(store, "--timeout", "3", fault=fault)
                result = self.gate(1, store, "--unfinished")
                self.assertRegex(result.out, f"pass -> {word}")

    def test_a_crash_in_one_session_of_several(self):
        """That it came to its end in another one says nothing against it."""
        self.take("after.db", RIGHT)
        self.measure("after.db", fault="crash-on=64")
        result = self.gate(1, "after.db#all", "--unfinished")
        self.assertIn("pass -> pass, in another session crash", result.out)

    def add_session(self):
        """A second session in before.db, in which what has 64 lanes failed."""
        self.measure("before.db", fault=WORSE, code=1)

    def test_within_one_store(self):
        self.add_session()
        result = self.gate(1, "before.db#2", baseline="before.db#1")
        self.assertIn("session 2 of", result.out)
        result = self.gate(3, "before.db#1", baseline="before.db#all")
        self.assertIn("A combines 2 sessions", result.out)
        self.assert_one_line(self.gate(2, "before.db#9"), 2, "before.db", "9")
        self.litmus("compare", "before.db#1", "--axis", "workgroup=64,128", code=0)
        self.assertIn("@workgroup=64>128,", self.litmus(
            "compare", "before.db#1", "--axis", "workgroup=64,128", "-v").out)

    def test_other_code(self):
        report = self.report("before.db")
        report["results"][0]["spirv_sha256"] = "0" * 64
        self.write("other.json", json.dumps(harness.summed(report)))
        result = self.gate(3, "other.json", "--tolerance", "0.5")
        self.assertIn("1 configuration has other code in B", result.out)
        for entry in report["results"]:
            entry["spirv_sha256"] = "0" * 64
        self.write("other.json", json.dumps(harness.summed(report)))
        self.assert_one_line(self.gate(2, "other.json", "--tolerance", "0.5"), 2, "before.db",
                             "2 configurations", "--ignore-hash")
        self.gate(0, "other.json", "--tolerance", "0.5", "--ignore-hash")


class Forms(Gate):
    """What is printed, and what is read."""

    def test_json_keeps_its_schema(self):
        self.take("after.db", WORSE)
        validator = self.validator("compare")
        for report in self.made("after.db"), self.made("after.db", command="compare"):
            validator.validate(report)
            verdicts = [entry["verdict"] for entry in report["results"]]
            for verdict, count in report["summary"]["verdicts"].items():
                self.assertEqual(verdicts.count(verdict), count)
            self.assertEqual(report["summary"]["code"], 1)
            del report["results"][0]["factor"]
            with self.assertRaises(harness.jsonschema.ValidationError):
                validator.validate(report)

    def test_annotations_and_markdown(self):
        self.take("after.db", WORSE)
        self.write("waivers.txt", "*@workgroup=128* https://x until=2020-01-01\n")
        made = self.gate(1, "after.db", "--format", "json", "--waivers", "waivers.txt").out
        lines = self.contrib("github", text=made).out.strip().split("\n")
        for line in lines[:-1]:
            self.assertRegex(line, r"^::(error|warning|notice) title=[^:,]*::.")
        self.assertTrue(lines[0].startswith("::error title=litmus::FAILED: a regression"), lines[0])
        (line,) = [line for line in lines if "workgroup=64" in line]
        self.assertTrue(line.startswith("::error title=") and " -> 20 of 20 runs failed" in line, line)
        self.assertEqual(lines[-1],
                         "::warning file=waivers.txt,line=1::waiver expired after 2020-01-01")
        made = json.loads(made)
        for entry in made["results"]:
            entry["why"], entry["open"], entry["gates"] = "first-seen", entry["gates"], False
        lines = self.contrib("github", text=json.dumps(made)).out
        self.assertEqual(re.findall("::(\\w+) title=.*workgroup=64", lines), ["warning"])
        out = self.gate(1, "after.db", "--format", "markdown").out
        self.assertTrue(out.startswith("**FAILED: a regression**"))
        rows = [line for line in out.split("\n") if line.startswith("|")]
        self.assertTrue(rows)
        for row in rows:
            self.assertTrue(row.endswith("|") and row.count(" | ") == 2, row)

    def test_nothing_can_become_worse(self):
        """What always fails on both sides leaves no sentence about what could be detected."""
        self.take("after.db", WORSE)
        for form in "text", "json", "markdown", "junit", "html":
            for command in ("gate", "--baseline", "after.db"), ("compare", "after.db"):
                result = self.litmus(*command, "after.db", "--only", "*@workgroup=64*", "--format",
                                     form, "--tolerance", "0.5")
                self.assertEqual((result.code, result.err), (0, ""), result)
                self.assertNotIn("Detectable", result.out)

    def junit(self, code, *arguments):
        """A gate's cases, by the workgroup size in their names, and the properties."""
        text = self.gate(code, *arguments, "--format", "junit").out
        self.write("gate.xml", text)
        if shutil.which("xmllint"):
            schema = os.path.join(harness.SOURCE, "tests/junit.xsd")
            done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", schema,
                                   self.path("gate.xml")], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        root = xml.etree.ElementTree.fromstring(text)
        counts = tuple(int(root.get(name)) for name in ("tests", "failures", "errors", "skipped"))
        return (counts,
                {re.search("workgroup=([0-9]+)", case.get("name"))[1]: case
                 for case in root.iter("testcase")},
                {entry.get("name"): entry.get("value") for entry in root.iter("property")})

    def test_junit(self):
        """Red is what stops the gate, waived is skipped, undecided a state of its own."""
        self.take("after.db", WORSE)
        counts, cases, properties = self.junit(1, "after.db")
        self.assertEqual(counts, (2, 1, 0, 1))
        failure = cases["64"].find("failure")
        self.assertEqual(failure.get("type"), "regression")
        self.assertIn("0 of 20 -> 20 of 20 runs failed", failure.get("message"))
        self.assertIn("reproduce: ", failure.text)
        self.assertRegex(cases["128"].find("skipped").get("message"), "^undecided: 0 of 20")
        self.assertEqual(properties["verdict"], "FAILED: a regression")
        # The same of an undecided one where it counts.
        counts, cases, _ = self.junit(1, "after.db", "--strict")
        self.assertEqual(counts, (2, 1, 1, 0))
        self.assertEqual(cases["128"].find("error").get("type"), "undecided")
        # What is enough runs passes, and says nothing.
        counts, cases, _ = self.junit(1, "after.db", "--tolerance", "0.5")
        self.assertEqual((counts, len(cases["128"])), ((2, 1, 0, 0), 0))
        # A baseline is compared, and not judged.
        told = self.litmus("compare", "before.db", "after.db", "--format", "junit").out
        self.assertIn('failures="1"', told)

    def test_junit_of_what_is_waived(self):
        self.take("after.db", WORSE)
        self.write("waivers.txt", "shuffle https://example.org/1?a=1&b=2\n")
        counts, cases, properties = self.junit(0, "after.db", "--waivers", "waivers.txt")
        self.assertEqual(counts, (2, 0, 0, 2))
        self.assertRegex(cases["64"].find("skipped").get("message"),
                         r"^waived by waivers\.txt:1 https://example\.org/1\?a=1&b=2: 0 of 20 -> 20")
        self.assertEqual(properties["waiver waivers.txt:1"], "shuffle: waives 2 of 2")
        self.write("waivers.txt", "shuffle https://example.org/1 until=2020-01-01\n")
        counts, _, properties = self.junit(1, "after.db", "--waivers", "waivers.txt")
        self.assertEqual(counts, (2, 1, 0, 1))
        self.assertIn("expired after 2020-01-01", properties["waiver waivers.txt:1"])

    def test_junit_of_what_cannot_be_compared(self):
        self.take("after.db", WORSE)
        report = self.report("after.db")
        for entry in report["results"]:
            entry["spirv_sha256"] = "0" * 64 if entry["failed_runs"] else entry["spirv_sha256"]
        self.write("other.json", json.dumps(harness.summed(report)))
        counts, cases, _ = self.junit(3, "other.json", "--tolerance", "0.5")
        self.assertEqual(counts, (2, 0, 1, 0))
        self.assertEqual(cases["64"].find("error").get("type"), "undecided")

    def test_html(self):
        self.take("after.db", WORSE)
        self.write("waivers.txt", "*@workgroup=128* https://example.org/1\n")
        out = self.gate(1, "after.db", "--format", "html", "--waivers", "waivers.txt").out
        self.assertIn("<strong>exit 1</strong> <span>FAILED: a regression, 1 waived</span>", out)
        self.assertRegex(out, r"<h3>1 regressions</h3>")
        self.assertIn("Content-Security-Policy", out)
        self.assertNotIn("<script", out)
        self.assertNotRegex(out, r'(src|href)="(?!#|data:)')
        told = self.litmus("compare", "before.db", "after.db", "--format", "html")
        self.assertEqual((told.code, told.err), (0, ""), told)
        self.assertIn("litmus compare", told.out)

    def test_files(self):
        """Written whatever the exit code, and the same as --format prints."""
        self.take("after.db", WORSE)
        forms = {"json": "a.json", "markdown": "a.md", "junit": "a.xml", "html": "a.html"}
        files = [word for form, name in forms.items() for word in ("--" + form, name)]
        result = self.gate(1, "after.db", *files)
        self.assertIn("exit 1: a regression", result.out)
        for form, name in forms.items():
            self.assertEqual(self.read(name), self.gate(1, "after.db", "--format", form).out)
        for wrong, word in (("before.db", "database"), ("no/such/file", "No such file"),
                            ("after.db", "store")):
            self.assert_one_line(self.gate(2, "after.db", "--junit", wrong), 2, wrong)
        self.assert_one_line(self.gate(2, "after.db", "--junit", "a", "--html", "./a"), 2,
                             "the same file")

    def test_other_builds(self):
        """What measured a side is told where it differs."""
        (build,) = [self.report("before.db")["tool"]["build"]]
        version = self.litmus("--version").out
        for member, word in (("commit", "commit"), ("catalogue", "catalogue"), ("options", "build")):
            self.assertIn(f"{word} {build[member]}", version)
        self.take("after.db", RIGHT)
        self.assertNotIn("commit", self.gate(3, "after.db").out)
        report = self.report("before.db")
        report["tool"]["build"]["commit"] = "0123456789ab"
        self.write("old.json", json.dumps(harness.summed(report)))
        out = self.gate(3, "after.db", baseline="old.json").out
        self.assertIn(f"commit 0123456789ab -> {build['commit']}", re.sub(r"\s+", " ", out))
        made = json.loads(self.gate(3, "after.db", "--format", "json", baseline="old.json").out)
        self.assertEqual((made["a"]["build"]["commit"], made["b"]["build"]),
                         ("0123456789ab", build))

    def test_the_same_bytes_twice(self):
        self.take("after.db", WORSE)
        before = self.read("before.db", "rb")
        for format in "text", "json", "markdown", "junit", "html":
            first = self.gate(1, "after.db", "--format", format).out
            self.assertEqual(self.gate(1, "after.db", "--format", format).out, first)
        self.assertEqual(self.read("before.db", "rb"), before)

    def test_what_cannot_be_read(self):
        good = self.read("before.json")
        cases = {
            "cut.json": (good[:len(good) // 2], "cut off"),
            "new.json": (good.replace("litmus-report/1", "litmus-report/2", 1), "reads only"),
            "empty": ("", "empty"),
            "notes.txt": ("no report\n", "neither a store nor"),
            "list.json": ("{\"schema\": 7}", "not a litmus report"),
        }
        for name, (text, words) in cases.items():
            with self.subTest(name):
                self.write(name, text)
                for result in (self.gate(2, name), self.gate(2, "before.db", baseline=name)):
                    self.assert_one_line(result, 2, name, words)
                    self.assertEqual(result.out, "")
        self.assert_one_line(self.gate(2, "gone.db"), 2, "gone.db")
        self.assert_one_line(self.litmus("gate", "before.db"), 2, "--baseline")
        self.assert_one_line(self.gate(2, "before.db", "--alpha", "5"), 2, "--alpha")

    def test_waivers(self):
        self.take("after.db", WORSE)
        written = self.gate(1, "after.db", "--write-waivers").out
        self.assertRegex(written, r"^shuffle\.scan-loop/\S+@workgroup=64\S* URL-OF-THE-BUG\n$")
        self.write("waivers.txt", written)
        self.assert_one_line(self.gate(2, "after.db", "--waivers", "waivers.txt"), 2,
                             "waivers.txt:1", "fill in")
        filled = written.replace("URL-OF-THE-BUG", "https://bugs.example.org/1")
        self.write("waivers.txt", filled)
        result = self.gate(0, "after.db", "--waivers", "waivers.txt", "--tolerance", "0.5")
        self.assertIn("passed: no regression, 1 waived", result.out)
        self.assertIn("waivers.txt:1 https://bugs.example.org/1", result.out)
        self.write("waivers.txt", filled.replace("\n", " until=2020-01-01\nbarrier http://b/2\n"))
        result = self.gate(1, "after.db", "--waivers", "waivers.txt")
        self.assertIn("expired after 2020-01-01: no longer waives 1", result.out)
        self.assertIn("waivers.txt:2 barrier: matches no configuration", result.out)
        name = written.split()[0]
        self.write("fails.csv", f"# ours\n{name},Fail\n")
        self.gate(0, "after.db", "--deqp-fails", "fails.csv", "--tolerance", "0.5")
        result = self.gate(3, "before.json", "--deqp-fails", "fails.csv")
        self.assertIn("1 of 1 pass unexpectedly", result.out)
        self.write("flakes.txt", "scan-loop.*workgroup=64\n")
        self.gate(0, "after.db", "--deqp-flakes", "flakes.txt", "--tolerance", "0.5")
        self.write("flakes.txt", "a\n(\n")
        self.assert_one_line(self.gate(2, "after.db", "--deqp-flakes", "flakes.txt"), 2,
                             "flakes.txt:2")


class OneStep(Gate):
    """litmus run --baseline."""

    def test_a_baseline_that_cannot_be_used_costs_no_run(self):
        self.write("cut.json", "{\"schema\":")
        self.write("waivers.txt", "x\n")
        for arguments, word in ((("--baseline", "cut.json"), "cut.json"),
                                (("--baseline", "before.db", "--waivers", "waivers.txt"),
                                 "waivers.txt:1"), (("--waivers", "waivers.txt"), "--baseline")):
            result = self.measure("after.db", *arguments, fault=RIGHT)
            self.assert_one_line(result, 2, word)
            self.assertFalse(os.path.exists(self.path("after.db")), result)

    def test_other_tests_than_the_baseline_has(self):
        result = self.litmus("run", "scan.subgroup", "-n", "1", "--db", "after.db", "--baseline",
                             "before.db", fault=RIGHT, code=2)
        self.assertIn("nothing to compare with", result.err)
        self.assertFalse(os.path.exists(self.path("after.db")))

    def test_worse(self):
        result = self.measure("after.db", "--baseline", "before.db", fault=WORSE, code=1)
        self.assertIn("FAILED: a regression", result.out)
        self.assertRegex(result.out.strip().split("\n")[-1], r"exit 1: a regression$")

    def test_reports_are_those_of_the_gate(self):
        """What is waived is not red in JUnit."""
        self.write("waivers.txt", "shuffle https://example.org/1\n")
        result = self.measure("after.db", "--baseline", "before.db", "--waivers", "waivers.txt",
                              "--junit", "run.xml", fault=WORSE)
        root = xml.etree.ElementTree.parse(self.path("run.xml")).getroot()
        self.assertEqual((root.get("failures"), root.get("skipped")), ("0", "2"), result)
        gate = self.litmus("gate", "--baseline", "before.db", "after.db", "--allow-gone",
                           "--waivers", "waivers.txt", "--format", "junit").out
        self.assertEqual(self.read("run.xml"), gate)

    def test_what_the_baseline_has_as_well_is_known(self):
        self.take("bad.db", WORSE)
        result = self.measure("after.db", "--baseline", "bad.db", "-q", fault=WORSE, code=3)
        self.assertIn("exit 3: 2 configurations are undecided", result.out)


harness.main(__name__)
